//! `parikh mcc`: one call of the contest, as BenchKit makes it.

use super::job::{Job, Subject, Watch};
use super::output::{Format, Printer};
use super::terminal::{line, note, printed};
use super::{Outcome, check, coloured, limits, model, signals};
use crate::input;
use crate::mcc::Examination;
use crate::mcc::benchkit::Call;
use crate::model::Model;
use crate::run;
use anyhow::{Context, Result};
use parikh_net::Net;
use std::path::Path;

pub(super) fn run() -> Result<Outcome> {
    let call = Call::from_environment();
    let examination = match call.examination.as_deref().map(str::parse::<Examination>) {
        None => anyhow::bail!("BK_EXAMINATION is not set: `parikh mcc` is called by BenchKit"),
        Some(Ok(examination)) if examination.is_supported() && !examination.is_about_cases() => {
            examination
        }
        // Examinations of other years are none of ours either.
        Some(_) => {
            line("DO_NOT_COMPETE");
            return Ok(Outcome::Complete);
        }
    };
    let budget = limits::budget(Some(call.usable_time()), Some(call.usable_memory()));
    signals::cancel_on_signal(&budget, say_nothing_was_found);
    signals::leave_after(&budget, say_nothing_was_found);

    let here = Path::new(".");
    let answered = read_and_run(&call, here, examination, &budget);
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
            Ok(Outcome::Incomplete)
        }
        Err(error) => {
            line("CANNOT_COMPUTE");
            Err(error).context(format!("instance {}", call.instance))
        }
    }
}

/// What the contest wants to read of a call that has to be left without an answer.
fn say_nothing_was_found() {
    if printed() == 0 {
        line("CANNOT_COMPUTE");
    }
}

fn read_and_run(
    call: &Call,
    here: &Path,
    examination: Examination,
    budget: &parikh_solvers::Budget,
) -> Result<(run::Report, Outcome)> {
    let model = input::read_model(here)?;
    let queries = examination
        .has_queries()
        .then(|| model::query_file(here, examination.name()))
        .transpose()?;
    let config = run::Config::default();
    tracing::info!("{} of {}, {} threads", examination, call.instance, config.threads);
    let subject = |_: &Net| Ok(Subject::Examination(examination, queries.clone()));
    let printer = Printer::new(Format::Mcc, config.threads > 1);
    let report = match model {
        Model::Plain(net) => {
            Job::new(&net, subject(&net)?, budget, config).run(&printer, Default::default())?
        }
        Model::Coloured(net) => {
            let task = coloured::Task {
                unfolding: check::unfolding(Some(examination)),
                examination: Some(examination),
                subject: &subject,
                budget,
                config,
                watch: Watch::default(),
            };
            task.run(net.net().clone(), &printer, Default::default())?
        }
    };
    let outcome = check::outcome(&report);
    Ok((report, outcome))
}
