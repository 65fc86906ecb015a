//! `parikh reduce`: a smaller net that answers the same questions, and the log of how it came to
//! be.
//!
//! stdout has what was done, one fact a line, the sizes first and comments behind `#`; in JSON
//! every line is an object with a `type`, and the summary with the sizes comes last. Files are
//! written before the last line is printed.
//!
//! A formula about a bound is printed with the number to add to its answer; places that were asked
//! for and are gone with what they hold for ever.

mod check;
mod files;
mod wanted;

pub(super) use files::read_log;

use super::json::number;
use super::terminal::{line, note, object};
use super::{Misuse, Outcome, formulas, limits, model, signals};
use crate::input;
use crate::reduction::{Config, Firing, Reduction, Statistics, reduce, rules};
use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
pub(super) use files::write_net;
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::budget::Exhausted;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;
use wanted::{Asked, OnReduced, Wanted};

#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", formulas::LANGUAGE))]
pub(super) struct Arguments {
    /// A net in any format that is read, or the directory of a contest instance.
    model: PathBuf,
    /// What has to survive: the reachable markings as far as --support sees them; whether a dead
    /// marking can be reached (with --support, which, as far as it sees them); which transitions of
    /// --support are live. Formulas say it for themselves.
    #[arg(long, value_name = "CLASS", value_enum, value_delimiter = ',', conflicts_with = "check")]
    preserve: Vec<Class>,
    /// The places that are asked for: ids with commas between. For a transition, its input places
    /// are kept, so that its enabledness can be asked of the reduced net; under liveness the
    /// transition itself is.
    #[arg(long, value_name = "NODES", conflicts_with = "check")]
    support: Vec<String>,
    #[command(flatten)]
    formulas: formulas::Formulas,
    /// Only these rules, or families of rules, with commas between.
    #[arg(
        long, value_name = "RULES", value_delimiter = ',', hide_possible_values = true,
        value_parser = PossibleValuesParser::new(rules::names().chain(families())), conflicts_with = "check"
    )]
    rules: Vec<String>,
    /// All rules but these, or those of the families dead, irrelevant, places, transitions, fusion
    /// and agglomeration. The rules:
    #[arg(
        long, value_name = "RULES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(rules::names().chain(families())), conflicts_with = "check"
    )]
    without: Vec<String>,
    /// How long it may take. The net at its end is as good as any, only larger.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// Where to write the reduced net, as PNML.
    #[arg(short, long, value_name = "OUT.pnml")]
    output: Option<PathBuf>,
    /// Where to write the log: every application of a rule with its nodes, in JSON. `parikh replay
    /// MODEL TRACE --log LOG.json` carries traces of the reduced net back, --check checks it.
    #[arg(long, value_name = "LOG.json", conflicts_with = "check")]
    log: Option<PathBuf>,
    /// Instead of searching, go through this log: each step's conditions are checked on the net
    /// before it, and the net it ends with must be the one it names.
    #[arg(
        long, value_name = "LOG.json",
        conflicts_with_all = ["formula", "formulas"]
    )]
    check: Option<PathBuf>,
    /// With --check: the net in this PNML file must be what the log leads to, units and all. Labels
    /// are not looked at.
    #[arg(long, value_name = "FILE.pnml", requires = "check")]
    reduced: Option<PathBuf>,
    /// How to print it.
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,
}

/// A class of questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Class {
    Reachability,
    Deadlock,
    Liveness,
}

/// How what was done is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A fact a line, comments behind `#`.
    Text,
    /// A JSON object a line, a summary last.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  parikh reduce philosophers.pnml --preserve deadlock -o small.pnml --log small.json
  parikh reduce mutex.pnml --preserve reachability --support critical1,critical2 -o small.pnml
  parikh reduce mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)' --format json
  parikh reduce philosophers.pnml --check small.json --reduced small.pnml
  parikh replay philosophers.pnml small.trace --log small.json -o original.trace";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    refuse_nonsense(arguments)?;
    let net = model::net(&arguments.model)?;
    if let Some(log) = &arguments.check {
        return check::run(&net, log, arguments);
    }
    let wanted = Wanted::of(&net, arguments)?;
    let budget = limits::budget(Some(arguments.timeout), None);
    // What there is by then is as good as any: it is written, which may take a while.
    signals::finish_on_signal(&budget);
    let only = Some(rules_wanted(arguments));
    let config = Config { only, keep_log: arguments.log.is_some(), ..Config::default() };
    let reduction = reduce(&net, &wanted.needs, &budget, &config);
    let ended = reduction.statistics.cut_short.then(|| budget.exhausted()).flatten();
    let mut written = Vec::new();
    if let Some(file) = &arguments.output {
        files::write_net(&reduction.net, file)?;
        written.push(file.clone());
    }
    if let Some(file) = &arguments.log {
        files::write_log(&reduction.log.to_file(&net, reduction.needs(), &reduction.net), file)?;
        written.push(file.clone());
    }
    let faults = reduction.statistics.rules.iter().map(|rule| rule.refused).sum();
    if faults > 0 {
        note!("parikh: {faults} changes that rules wanted made no sense; please report it");
    }
    let report = Report { net: &net, reduction: &reduction, written: &written, ended, faults };
    report.print(&wanted.asked, arguments.format);
    Ok(match (faults, reduction.statistics.cut_short) {
        (0, false) => Outcome::Complete,
        (0, true) => Outcome::Incomplete,
        _ => Outcome::InternalError,
    })
}

/// Refuses arguments that make no sense together.
fn refuse_nonsense(arguments: &Arguments) -> Result<()> {
    let formulas = &arguments.formulas;
    let asks = !formulas.formula.is_empty() || !formulas.formulas.is_empty();
    if arguments.preserve.is_empty() && !asks && arguments.check.is_none() {
        bail!(Misuse(
            "say what has to survive: --preserve CLASS with --support NODES, --formula or \
             --formulas; or give --check LOG.json"
                .into()
        ));
    }
    if rules_wanted(arguments).is_empty() {
        bail!(Misuse("--rules and --without together leave no rule".into()));
    }
    let model = input::model_file(&arguments.model).unwrap_or_else(|_| arguments.model.clone());
    let read = [Some(&model), arguments.check.as_ref(), arguments.reduced.as_ref()];
    let written = [arguments.output.as_ref(), arguments.log.as_ref()];
    for (at, file) in written.iter().enumerate() {
        let Some(file) = file else { continue };
        let others = read.iter().chain(&written[..at]).flatten();
        if let Some(other) = others.into_iter().find(|other| is_same(file, other)) {
            bail!(Misuse(format!(
                "{} would be overwritten: it is {} already",
                file.display(),
                other.display()
            )));
        }
    }
    Ok(())
}

/// Whether two paths lead to one file, if it is there; to one place, if not.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    matches!((real(a), real(b)), (Ok(a), Ok(b)) if a == b)
}

fn families() -> impl Iterator<Item = &'static str> {
    rules::FAMILIES.iter().map(|(family, _)| *family)
}

fn rules_wanted(arguments: &Arguments) -> Vec<&'static str> {
    let called = |names: &[String]| -> Vec<&'static str> {
        names.iter().filter_map(|name| rules::called(name).ok()).flatten().collect()
    };
    let (only, without) = (called(&arguments.rules), called(&arguments.without));
    let chosen = |name: &&'static str| {
        (arguments.rules.is_empty() || only.contains(name)) && !without.contains(name)
    };
    rules::names().filter(chosen).collect()
}

/// What was done, for printing.
struct Report<'a> {
    net: &'a Net,
    reduction: &'a Reduction,
    written: &'a [PathBuf],
    /// Why it ended before the fixpoint.
    ended: Option<Exhausted>,
    faults: u64,
}

impl Report<'_> {
    fn print(&self, asked: &[Asked], format: Format) {
        let (net, reduction) = (self.net, self.reduction);
        if format == Format::Text {
            self.sizes();
        }
        rules_applied(&reduction.statistics, format);
        for &t in &reduction.needs().protected {
            if let Some(firing) = reduction.firing(t) {
                protected(net, reduction, t, firing, format);
            }
        }
        constants(net, reduction, format);
        asked.iter().for_each(|asked| translated(asked, asked.on(net, reduction), format));
        match format {
            Format::Text => {
                for file in self.written {
                    line(&format!("# written: {}", file.display()));
                }
            }
            Format::Json => object(self.summary()),
        }
    }

    fn sizes(&self) {
        let (net, reduction) = (self.net, self.reduction);
        let statistics = &reduction.statistics;
        let (before, after) = (statistics.before, statistics.after);
        let incomplete = match self.ended {
            None if statistics.cut_short => ", incomplete".to_owned(),
            None => String::new(),
            Some(why) => format!(", incomplete: {}", in_words(why)),
        };
        line(&format!(
            "{}: places {} → {}, transitions {} → {}, arcs {} → {}, {:.2} s{incomplete}",
            net.name(),
            before.places,
            after.places,
            before.transitions,
            after.transitions,
            before.arcs,
            after.arcs,
            statistics.time.as_secs_f64(),
        ));
        let dead = reduction.dead_transitions.iter().map(|&t| net.transition_name(t).to_owned());
        let constant = reduction.constant_places.iter();
        let constant = constant.map(|&(p, tokens)| format!("{} = {tokens}", net.place_name(p)));
        for (what, found) in
            [(["transition", "fire"], some_of(dead)), (["place", "change"], some_of(constant))]
        {
            if let Some((count, names)) = found {
                let [node, never] = what;
                let s = if count == 1 { "s" } else { "" };
                let nodes = counted(count, node);
                line(&format!("# found on the way: {nodes} never {never}{s}: {names}"));
            }
        }
    }

    fn summary(&self) -> Value {
        let (net, reduction) = (self.net, self.reduction);
        let statistics = &reduction.statistics;
        let size = |size: crate::reduction::Size| {
            json!({
                "places": size.places, "transitions": size.transitions, "arcs": size.arcs,
            })
        };
        let dead = reduction.dead_transitions.iter().map(|&t| net.transition_name(t));
        let constant = reduction.constant_places.iter();
        let constant =
            constant.map(|&(p, n)| json!({"place": net.place_name(p), "tokens": number(n)}));
        json!({
            "type": "summary",
            "net": net.name(),
            "before": size(statistics.before),
            "after": size(statistics.after),
            "rounds": statistics.rounds,
            "dead_transitions": dead.collect::<Vec<_>>(),
            "constant_places": constant.collect::<Vec<_>>(),
            "written": self.written,
            "seconds": statistics.time.as_secs_f64(),
            "complete": !statistics.cut_short,
            "ended": self.ended.map(in_words),
            "internal_errors": self.faults,
        })
    }
}

fn in_words(why: Exhausted) -> String {
    match why {
        Exhausted::Cancelled => "interrupted".to_owned(),
        _ => why.to_string(),
    }
}

/// How many there are, and the first of them; `None` when there is none.
fn some_of(names: impl ExactSizeIterator<Item = String>) -> Option<(usize, String)> {
    /// How many are named in a line; JSON names all.
    const SHOWN: usize = 10;
    let count = names.len();
    let mut shown = names.take(SHOWN).collect::<Vec<_>>().join(", ");
    if count > SHOWN {
        shown.push_str(&format!(" and {} more", count - SHOWN));
    }
    (count > 0).then_some((count, shown))
}

/// The places that were asked for and are gone: what they hold in every marking that the reduced
/// net stands for.
fn constants(net: &Net, reduction: &Reduction, format: Format) {
    let gone = |&p: &PlaceId| Some((net.place_name(p), reduction.constant(p)?));
    for (place, tokens) in reduction.needs().support.iter().filter_map(gone) {
        match format {
            Format::Text => line(&format!(
                "{place} = {tokens} wherever the reduced net leads: it is not there any more"
            )),
            Format::Json => {
                object(json!({"type": "constant", "place": place, "tokens": number(tokens)}));
            }
        }
    }
}

/// A line for each rule that was applied.
fn rules_applied(statistics: &Statistics, format: Format) {
    for rule in statistics.rules.iter().filter(|rule| rule.applied > 0) {
        let seconds = rule.time.as_secs_f64();
        match format {
            Format::Text => line(&format!(
                "{}: {}, {} and {} fewer, {seconds:.2} s",
                rule.name,
                counted(rule.applied, "time"),
                counted(rule.places_removed, "place"),
                counted(rule.transitions_removed, "transition")
            )),
            Format::Json => object(json!({
                "type": "rule",
                "rule": rule.name,
                "applied": rule.applied,
                "places_removed": rule.places_removed,
                "transitions_removed": rule.transitions_removed,
                "seconds": seconds,
            })),
        }
    }
}

/// How a transition that was asked for fires in the reduced net.
fn protected(net: &Net, reduction: &Reduction, t: TransitionId, firing: &Firing, format: Format) {
    let name = net.transition_name(t);
    let carriers = firing.carriers().iter().map(|&by| reduction.net.transition_name(by));
    let carriers: Vec<&str> = carriers.collect();
    let at_once = matches!(firing, Firing::Fired(_));
    match format {
        Format::Text => {
            let by = match carriers.len() {
                0 => "no transition".to_owned(),
                _ => carriers.join(", "),
            };
            let before = if at_once { "before everything else, and later " } else { "" };
            line(&format!("{name} fires {before}with {by} of the reduced net"));
        }
        Format::Json => object(
            json!({"type": "fires", "transition": name, "at_once": at_once, "with": carriers}),
        ),
    }
}

/// A formula as it is asked of the reduced net, unless its numbers do not fit there.
fn translated(asked: &Asked, on: Option<OnReduced>, format: Format) {
    let id = &asked.id;
    match (format, on) {
        (Format::Text, None) => line(&format!("# {id}: its numbers would go beyond 64 bits")),
        (Format::Text, Some(OnReduced { formula, constant })) => match (formula, constant) {
            (Some(formula), None | Some(0)) => line(&format!("{id}: {formula}")),
            (Some(formula), Some(constant)) => {
                line(&format!("{id}: {formula}"));
                line(&format!("# {id}: add {constant} to the answer, for places that are gone"));
            }
            (None, constant) => {
                let answer = constant.unwrap_or(0);
                line(&format!("# {id}: the answer is {answer}, there is nothing left to ask"));
            }
        },
        (Format::Json, on) => {
            let (formula, constant) = on.map_or((None, None), |on| (on.formula, on.constant));
            let constant = constant.map(number);
            object(json!({"type": "formula", "id": id, "formula": formula, "constant": constant}));
        }
    }
}
