//! `parikh mcc`: one call in the contest, as BenchKit makes it.

use super::fair::RunRestriction;
use super::job::InquiryJob;
use super::output::{AnswerFormat, AnswerPrinter};
use super::questions::RequestedQuestions;
use super::terminal::{line, note, printed};
use super::{ProgramOutcome, limits, signals};
use anyhow::{Context, Result};
use parikh::mcc::Examination;
use parikh::mcc::benchkit::BenchKitCall;
use parikh::run;
use std::cell::RefCell;
use std::path::Path;

pub(super) fn run() -> Result<ProgramOutcome> {
    let call = BenchKitCall::from_environment();
    call.remarks.iter().for_each(|remark| note!("parikh: {remark}"));
    let examination = match call.examination.as_deref().map(str::parse::<Examination>) {
        None => {
            line("CANNOT_COMPUTE");
            anyhow::bail!(
                "BK_EXAMINATION is not set, expected the name of an examination: BenchKit sets it when it \
                 calls `parikh mcc`"
            );
        }
        Some(Ok(examination)) if examination.is_in_contest() => examination,
        // An unknown examination, for example of a later contest, is no error: the contest expects
        // `DO_NOT_COMPETE`. The same answer is given for examinations that only Parikh has.
        Some(other) => {
            match other {
                Ok(examination) => {
                    note!("parikh: {examination} is not an examination of the contest")
                }
                Err(error) => note!("parikh: BK_EXAMINATION: {error}"),
            }
            line("DO_NOT_COMPETE");
            return Ok(ProgramOutcome::Complete);
        }
    };
    let budget = limits::budget(Some(call.usable_time()), Some(call.usable_memory()));
    signals::cancel_on_signal(&budget, say_nothing_was_found);
    signals::leave_after(&budget, say_nothing_was_found);

    let directory = Path::new(".");
    let answered = read_and_run(&call, directory, examination, &budget);
    match answered {
        Ok((report, outcome)) => {
            if report.answered == 0 {
                line("CANNOT_COMPUTE");
            }
            Ok(outcome)
        }
        Err(error) if super::is_declined(&error) => {
            note!("parikh: {error:#}");
            line("CANNOT_COMPUTE");
            Ok(ProgramOutcome::Incomplete)
        }
        Err(error) => {
            line("CANNOT_COMPUTE");
            Err(error).context(match call.instance.as_str() {
                "" => "the instance".to_owned(),
                name => format!("instance {name}"),
            })
        }
    }
}

/// Prints `CANNOT_COMPUTE` if no line has been printed so far. The contest requires this line from
/// a call that ends without any answer.
fn say_nothing_was_found() {
    if printed() == 0 {
        line("CANNOT_COMPUTE");
    }
}

/// Reads the instance in `directory`, answers the questions of the examination, and prints the
/// answers. Returns the report of the run and the outcome of the command.
fn read_and_run(
    call: &BenchKitCall,
    directory: &Path,
    examination: Examination,
    budget: &parikh_solvers::Budget,
) -> Result<(run::RunReport, ProgramOutcome)> {
    // The contest's nets have no times and no priorities, although some tools write such elements.
    let model = parikh_input::read_model_as(directory, parikh_input::TimingTreatment::LeftOut)?;
    let inquiry = RequestedQuestions::of_instance(examination, directory)?;
    let config = run::RunConfig::default();
    tracing::info!("{} of {}, {} threads", examination, call.instance, config.threads);
    let printer = AnswerPrinter::new(AnswerFormat::Mcc, config.threads > 1);
    let (messages, directories) = Default::default();
    let report = InquiryJob {
        inquiry,
        restriction: RunRestriction::default(),
        budget,
        config,
        messages,
        printer,
        directories,
        last_answer: RefCell::default(),
        is_followed: false,
    }
    .run(&model)?;
    let outcome = ProgramOutcome::of(&report);
    Ok((report, outcome))
}
