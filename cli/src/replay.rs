//! `parikh replay`: fires a sequence from a file and shows the marking that it leads to.
//!
//! With a log, the sequence belongs to a reduced net. The reduction in the log is repeated on the
//! model, which checks the log and gives the back-translation. The translated sequence is replayed
//! on the model, and must show there what the original sequence shows.

use super::terminal::{line, note};
use super::trace_file::TraceFile;
use super::trace_start::{StartedNet, beginning, with_trace_start};
use super::{ProgramOutcome, limits, model, reduce, replay_coloured, signals, story};
use anyhow::{Context, Result, bail};
use parikh_evidence::loops::{holds, replay_loops};
use parikh_evidence::{check_pump, check_pumping, description, replay};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, LoopRun, Marking, Net, Predicate, PumpSequence, TransitionId};
use parikh_reduction::{BackError, Preserve, Reduction, redo};
use parikh_solvers::Budget;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplayArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// A trace: one transition per line, followed by a tab and a count if it fires several times in
    /// a row. `#` starts a comment, but `# from: 2*p + q` states the initial marking. After a line
    /// `@repeat` follows what can repeat forever.
    trace: PathBuf,
    /// Treat the trace as one of the last net of this log, which `parikh reduce MODEL --log` wrote:
    /// translate the trace back to MODEL and replay it there.
    #[arg(long, value_name = "LOG.json")]
    log: Option<PathBuf>,
    /// With --log: time limit for the back-translation. By default there is none: a step that fires
    /// 10⁹ times can stand for 10⁹ steps of MODEL.
    #[arg(short, long, value_parser = limits::duration, requires = "log")]
    timeout: Option<Duration>,
    /// With --log: memory limit of the process: 4G, 500M. By default the memory of the machine or
    /// of its container. The back-translation may use 85 % of the limit.
    #[arg(short, long, value_parser = limits::memory, requires = "log")]
    memory: Option<u64>,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// With --log: the output file for the trace of MODEL.
    #[arg(short, long, value_name = "FILE", requires = "log")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  parikh replay philosophers.pnml traces/ReachabilityDeadlock.trace
  parikh reduce philosophers.pnml --preserve deadlock -o small.pnml --log small.json
  parikh check small.pnml -e RD --trace traces
  parikh replay philosophers.pnml traces/ReachabilityDeadlock.trace --log small.json -o back.trace";

pub(super) fn run(arguments: &ReplayArguments) -> Result<ProgramOutcome> {
    let path = arguments.trace.display();
    let text = std::fs::read_to_string(&arguments.trace).with_context(|| path.to_string())?;
    let timing = arguments.timing.treatment();
    let model = match arguments.log {
        None => parikh_input::read_model_within_caps(&arguments.model, timing)?,
        Some(_) => parikh_input::read_model_as(&arguments.model, timing)?,
    };
    // A log refers to the unfolding.
    if let (Some(net), None) = (model.colours(), &arguments.log) {
        replay_coloured::run(net, &text, &path.to_string())?;
        return Ok(ProgramOutcome::Complete);
    }
    let net =
        model.into_net(&parikh_unfolding::UnfoldingConfig::default(), &Budget::unlimited())?;
    // Without a log, the trace is replayed on the model itself.
    let Some(log) = &arguments.log else {
        let started = with_trace_start(net, &arguments.model, &text, true);
        let StartedNet { net, remark } = started.with_context(|| path.to_string())?;
        let trace = TraceFile::parse(&net, &text).with_context(|| path.to_string())?;
        if trace.transitions().any(|t| net.exceeds_cap(t)) {
            bail!(
                "{path}: the trace exceeds a token cap of the translated net, so it is not a run \
                 of the model"
            );
        }
        remark.iter().for_each(|remark| line(remark));
        if let Some(run) = &trace.loops {
            report_loops(&net, run).with_context(|| format!("{path} does not replay"))?;
            return Ok(ProgramOutcome::Complete);
        }
        // This replay only checks the trace: its errors name the line of the trace. The function
        // `report` fires the trace again. Stages repeat unknown numbers of times, so a trace with
        // several stages cannot be replayed line by line.
        if trace.earlier_stages.is_empty() {
            TraceFile::replay(&net, &text).with_context(|| format!("{path} does not replay"))?;
        }
        report(&net, &trace, &path.to_string())?;
        return Ok(ProgramOutcome::Complete);
    };
    let reduction = repeat_reduction(&net, log)?;
    let as_reduced = || format!("{path}, as a trace of the reduced net");
    let trace = TraceFile::parse(&reduction.net, &text).with_context(as_reduced)?;
    let start = beginning(&text, &reduction.net).with_context(as_reduced)?;
    if start.is_some_and(|start| start != *reduction.net.initial()) {
        bail!(
            "{path}: the trace starts in another marking than the reduced net, so it cannot be \
             translated back"
        );
    }
    if trace.loops.is_some() {
        bail!(
            "{path}: a run with nested loops belongs to the model itself and cannot be translated \
             back: omit --log"
        );
    }
    if !trace.earlier_stages.is_empty() {
        bail!(
            "{path}: a trace with @then belongs to the model itself and cannot be translated back: \
             omit --log"
        );
    }
    let budget = limits::budget(arguments.timeout, arguments.memory);
    signals::finish_on_signal(&budget);
    let back = match translate_back(&net, &reduction, &trace, &path.to_string(), &budget) {
        Ok(Some(back)) => back,
        Ok(None) => return Ok(ProgramOutcome::InternalError),
        Err(error) => match error.downcast_ref() {
            Some(BackError::OutOfBudget(_) | BackError::TooLong(_)) => {
                note!("parikh: {path}: {error}");
                return Ok(ProgramOutcome::Incomplete);
            }
            _ => return Err(error),
        },
    };
    report(&net, &back, &format!("{path}, translated back,"))?;
    if let Some(file) = &arguments.output {
        std::fs::write(file, back.print(&net))
            .with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(ProgramOutcome::Complete)
}

/// Replays a trace and prints its result: the marking that it leads to, the cycle of a lasso, or
/// the places that grow. Messages use `path` as the name of the trace.
fn report(net: &Net, trace: &TraceFile, path: &str) -> Result<()> {
    if let Some(pumping) = trace.pump_sequence().filter(|_| !trace.earlier_stages.is_empty()) {
        return report_stages(net, &pumping, path);
    }
    let Some(pump) = &trace.repeat else {
        let end =
            replay(net, &trace.sequence).with_context(|| format!("{path} does not replay"))?;
        line(&format!("{} replayed on net {}", firings(&trace.sequence), net.name()));
        print_marking(net, &end);
        return Ok(());
    };
    let (marking_before, marking_after) = check_pump(net, &trace.sequence, pump)
        .with_context(|| format!("{path} does not replay"))?;
    if pump.is_empty() {
        bail!("{path}: no transitions follow @repeat; expected the transitions that repeat");
    }
    if marking_before == marking_after {
        line(&format!(
            "{} replayed on net {}, then {} that {} back to the same marking and can repeat forever",
            firings(&trace.sequence),
            net.name(),
            pump.firings(),
            if pump.firings() == 1 { "leads" } else { "lead" }
        ));
        return story::print_lasso(net, &trace.sequence, pump);
    }
    line(&format!(
        "{} replayed on net {}, then {} that can repeat forever",
        firings(&trace.sequence),
        net.name(),
        pump.firings()
    ));
    for place in net.places().filter(|&place| marking_after[place] > marking_before[place]) {
        line(&format!(
            "grows by {}: {}",
            marking_after[place] - marking_before[place],
            net.place_name(place)
        ));
    }
    Ok(())
}

fn firings(sequence: &FiringSequence) -> String {
    counted(sequence.firings(), "firing")
}

/// Replays a self-covering sequence in stages, and prints the places that grow.
fn report_stages(net: &Net, pumping: &PumpSequence, path: &str) -> Result<()> {
    let growth = check_pumping(net, pumping).with_context(|| format!("{path} does not replay"))?;
    let mut growing = growth.places().peekable();
    if growing.peek().is_none() {
        bail!("{path}: the transitions after @repeat can repeat forever, but they add no tokens");
    }
    line(&format!(
        "a self-covering sequence in {} stages replayed on net {}: each stage repeats as often as \
         the next stages need",
        pumping.stages().count(),
        net.name(),
    ));
    growing.for_each(|place| line(&format!("unbounded: {}", net.place_name(place))));
    Ok(())
}

/// Replays a run with loops, and prints the marking that it leads to.
fn report_loops(net: &Net, run: &LoopRun) -> Result<()> {
    let end = replay_loops(net, run, &mut |_, _, _| {}, &mut || true)?;
    let firings = description::firings(&run.firings());
    line(&format!("{firings} replayed on net {}, in nested loops", net.name()));
    let marking_text: Vec<String> = end
        .marked()
        .map(|(place, tokens)| match tokens.to_string().as_str() {
            "1" => net.place_name(place).to_owned(),
            tokens => format!("{tokens}*{}", net.place_name(place)),
        })
        .collect();
    let marking_text =
        if marking_text.is_empty() { "empty".into() } else { marking_text.join(" + ") };
    line(&format!("marking: {marking_text}"));
    let enabled = |t: &TransitionId| holds(net, &Predicate::Enabled(*t), &end);
    match net.transitions().filter(enabled).count() {
        0 => line("enabled: none, the marking is dead"),
        n => line(&format!("enabled: {n} of {}", counted(net.transition_count(), "transition"))),
    }
    Ok(())
}

/// Repeats the reduction in a log on the net. Each step of the log is checked before it is
/// repeated.
///
/// # Errors
/// The log cannot be read, belongs to another net, or has a step that its rule does not allow.
fn repeat_reduction(net: &Net, log: &Path) -> Result<Reduction> {
    let log_path = || log.display().to_string();
    let file = reduce::read_log(log)?;
    let (needs, steps) = file.resolve(net).with_context(log_path)?;
    redo(net, &needs, &steps).with_context(log_path)
}

/// Translates a trace of the reduced net back to `net`, and replays the result. If the result does
/// not fire on `net`, reports an internal error on stderr and returns `None`. Does the same if the
/// result does not show on `net` what the reduction preserves: a dead marking, or the tokens on the
/// places of the support.
///
/// # Errors
/// The trace does not replay on the reduced net, the translated trace is too long, or the budget is
/// spent.
fn translate_back(
    net: &Net,
    reduction: &Reduction,
    trace: &TraceFile,
    path: &str,
    budget: &Budget,
) -> Result<Option<TraceFile>> {
    let reduced_net = &reduction.net;
    let replay_failure = || format!("{path} does not replay on the reduced net");
    let fault = |problem: &dyn std::fmt::Display| {
        note!(
            "parikh: internal error: the translation of {path} fails on the model: {problem}; \
             please report it"
        );
        Ok(None)
    };
    let mut notes = trace.notes.clone();
    // The marking in `from` has the places of the reduced net.
    notes.retain(|(key, _)| key != "net" && key != "from");
    notes.insert(0, ("net".to_owned(), net.name().to_owned()));
    if let Some(pump) = &trace.repeat {
        check_pump(reduced_net, &trace.sequence, pump).with_context(replay_failure)?;
        let (sequence, pump) = reduction.back_translation.pump(&trace.sequence, pump, budget)?;
        return match check_pump(net, &sequence, &pump) {
            Ok(_) => {
                Ok(Some(TraceFile { notes, sequence, repeat: Some(pump), ..TraceFile::default() }))
            }
            Err(problem) => fault(&problem),
        };
    }
    let end = replay(reduced_net, &trace.sequence).with_context(replay_failure)?;
    let preserves = |class| reduction.needs().preserve.covers(class);
    let keeps_deadlock = preserves(Preserve::DEADLOCK) && reduced_net.is_dead(&end);
    let sequence = match keeps_deadlock {
        true => reduction.back_translation.deadlock(net, &trace.sequence, budget)?,
        false => reduction.back_translation.sequence(&trace.sequence, budget)?,
    };
    let there = match replay(net, &sequence) {
        Ok(marking) => marking,
        Err(problem) => return fault(&problem),
    };
    if keeps_deadlock && !net.is_dead(&there) {
        return fault(&"it does not end in a dead marking");
    }
    if keeps_deadlock || preserves(Preserve::REACHABILITY) {
        for &p in &reduction.needs().support {
            // A removed place of the support is constant. Other places keep their tokens.
            let expected = reduction.constant(p).or(reduction.map_place(p).map(|p| end[p]));
            if expected != Some(there[p]) {
                return fault(&format!("it ends with {} on {}", there[p], net.place_name(p)));
            }
        }
    }
    Ok(Some(TraceFile { notes, sequence, ..TraceFile::default() }))
}

fn print_marking(net: &Net, marking: &Marking) {
    let marking_text: Vec<String> = marking
        .marked()
        .map(|(place, tokens)| match tokens {
            1 => net.place_name(place).to_owned(),
            tokens => format!("{tokens}*{}", net.place_name(place)),
        })
        .collect();
    let marking_text =
        if marking_text.is_empty() { "empty".into() } else { marking_text.join(" + ") };
    line(&format!("marking: {marking_text}"));
    let enabled = net.transitions().filter(|&t| net.is_enabled(marking, t)).count();
    match enabled {
        0 => line("enabled: none, the marking is dead"),
        n => line(&format!("enabled: {n} of {}", counted(net.transition_count(), "transition"))),
    }
}
