//! `parikh reduce`: computes a smaller net that answers the same questions, and a log of the steps.
//!
//! Text on stdout has one fact per line, starting with the sizes, and comments start with `#`. In
//! JSON, every line is an object with a `type`, and the summary with the sizes comes last. Files
//! are written before the last line is printed.
//!
//! A formula about a bound is printed with the number to add to its answer. Removed places of the
//! support are printed with their constant numbers of tokens. If the reduction preserves dead
//! markings only, these numbers hold in dead markings only, and the lines say so.

mod check;
mod files;
mod preserved_properties;

pub(super) use files::read_log;

use super::json::number;
use super::terminal::{line, note, object};
use super::{ProgramOutcome, UsageError, formulas, limits, model, signals};
use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
pub(super) use files::write_net;
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_reduction::{
    FiringMap, Preserve, Reduction, ReductionConfig, ReductionStatistics, reduce, rules,
};
use parikh_solvers::budget::ExhaustionReason;
use preserved_properties::{FormulaQuery, PreservedProperties, TranslatedQuery};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", formulas::LANGUAGE))]
pub(super) struct ReduceArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// The properties to preserve: the reachable markings, projected to --support; the reachability
    /// of a dead marking (with --support also its projection); the liveness of the transitions of
    /// --support. Formulas determine these properties by themselves.
    #[arg(long, value_name = "CLASS", value_enum, value_delimiter = ',', conflicts_with = "check")]
    preserve: Vec<PreservedClass>,
    /// The nodes to preserve: ids separated by commas. For a transition, its input places are kept,
    /// so that its enabledness can be evaluated on the reduced net; for liveness, the transition
    /// itself is kept.
    #[arg(long, value_name = "NODES", conflicts_with = "check")]
    support: Vec<String>,
    #[command(flatten)]
    formulas: formulas::FormulaOptions,
    /// Use only these rules or families of rules, separated by commas.
    #[arg(
        long, value_name = "RULES", value_delimiter = ',', hide_possible_values = true,
        value_parser = PossibleValuesParser::new(rules::names().chain(families())), conflicts_with = "check",
        help_heading = crate::EXPERT
    )]
    rules: Vec<String>,
    /// Use all rules except these, or except the families dead, irrelevant, places, transitions,
    /// fusion and agglomeration. The rules:
    #[arg(
        long, value_name = "RULES", value_delimiter = ',',
        value_parser = PossibleValuesParser::new(rules::names().chain(families())), conflicts_with = "check",
        help_heading = crate::EXPERT
    )]
    without: Vec<String>,
    /// Time limit. The net reached by then is correct, only larger.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// The output file for the reduced net, as PNML.
    #[arg(short, long, value_name = "OUT.pnml")]
    output: Option<PathBuf>,
    /// The output file for the log: every application of a rule with its nodes, as JSON. `parikh
    /// replay MODEL TRACE --log LOG.json` translates traces of the reduced net back, and --check
    /// checks the log.
    #[arg(long, value_name = "LOG.json", conflicts_with = "check")]
    log: Option<PathBuf>,
    /// Check this log instead of reducing: the conditions of each step are checked on the net
    /// before the step, and the last net must be the one named in the log.
    #[arg(
        long, value_name = "LOG.json",
        conflicts_with_all = ["formula", "formulas"]
    )]
    check: Option<PathBuf>,
    /// With --check: the net in this PNML file must be the last net of the log. If the file has
    /// units, they must be those of the last net. Labels are ignored.
    #[arg(long, value_name = "FILE.pnml", requires = "check")]
    reduced: Option<PathBuf>,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: ReduceFormat,
}

/// A class of properties to preserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PreservedClass {
    Reachability,
    Deadlock,
    Liveness,
}

/// The format of the facts printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReduceFormat {
    /// A fact per line, comments after `#`.
    Text,
    /// A JSON object per line, the summary last.
    Json,
}

const EXAMPLES: &str = "\
Examples:
  parikh reduce philosophers.pnml --preserve deadlock -o small.pnml --log small.json
  parikh reduce mutex.pnml --preserve reachability --support critical1,critical2 -o small.pnml
  parikh reduce mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)' --format json
  parikh reduce philosophers.pnml --check small.json --reduced small.pnml
  parikh replay philosophers.pnml small.trace --log small.json -o original.trace";

pub(super) fn run(arguments: &ReduceArguments) -> Result<ProgramOutcome> {
    refuse_misuse(arguments)?;
    let net = arguments.timing.net(&arguments.model)?;
    if let Some(log) = &arguments.check {
        return check::run(&net, log, arguments);
    }
    let preserved = PreservedProperties::of(&net, arguments)?;
    let budget = limits::budget(Some(arguments.timeout), None);
    // After a signal, the net reached so far is still written, which may take a while.
    signals::finish_on_signal(&budget);
    let only = Some(rules_wanted(arguments));
    let config =
        ReductionConfig { only, keep_log: arguments.log.is_some(), ..ReductionConfig::default() };
    let reduction = reduce(&net, &preserved.needs, &budget, &config);
    let exhaustion = reduction.statistics.cut_short.then(|| budget.exhausted()).flatten();
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
        note!(
            "parikh: internal error: reduction rules proposed {faults} invalid changes, which \
               were not made; please report it"
        );
    }
    let report = ReductionReport {
        net: &net,
        reduction: &reduction,
        written: &written,
        stop_reason: exhaustion,
        faults,
    };
    report.print(&preserved.queries, arguments.format);
    Ok(match (faults, reduction.statistics.cut_short) {
        (0, false) => ProgramOutcome::Complete,
        (0, true) => ProgramOutcome::Incomplete,
        _ => ProgramOutcome::InternalError,
    })
}

/// Refuses options without a property to preserve or without a rule. Also refuses an output file
/// that would overwrite another file of the command.
fn refuse_misuse(arguments: &ReduceArguments) -> Result<()> {
    let formulas = &arguments.formulas;
    let has_formulas = !formulas.formula.is_empty() || !formulas.formulas.is_empty();
    if arguments.preserve.is_empty() && !has_formulas && arguments.check.is_none() {
        bail!(UsageError(
            "no property to preserve is given: add --preserve CLASS with --support NODES, \
             --formula or --formulas; or check a log with --check LOG.json"
                .into()
        ));
    }
    if rules_wanted(arguments).is_empty() {
        bail!(UsageError("--rules and --without together exclude every rule".into()));
    }
    let model =
        parikh_input::model_file(&arguments.model).unwrap_or_else(|_| arguments.model.clone());
    let read = [Some(&model), arguments.check.as_ref(), arguments.reduced.as_ref()];
    let written = [arguments.output.as_ref(), arguments.log.as_ref()];
    for (index, file) in written.iter().enumerate() {
        let Some(file) = file else { continue };
        let used = read.iter().chain(&written[..index]).flatten();
        if let Some(other) = used.into_iter().find(|other| is_same(file, other)) {
            bail!(UsageError(format!(
                "writing {} would overwrite {}: use another file name",
                file.display(),
                other.display()
            )));
        }
    }
    Ok(())
}

/// Returns true if two paths denote the same file, or would denote the same file if it existed.
fn is_same(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).or_else(|_| std::path::absolute(path));
    matches!((real(a), real(b)), (Ok(a), Ok(b)) if a == b)
}

/// Returns the names of the families of rules.
fn families() -> impl Iterator<Item = &'static str> {
    rules::FAMILIES.iter().map(|(family, _)| *family)
}

/// Returns the rules to use: the rules that `--rules` names, or all without this option, except the
/// rules that `--without` names.
fn rules_wanted(arguments: &ReduceArguments) -> Vec<&'static str> {
    let rules_of = |names: &[String]| -> Vec<&'static str> {
        names.iter().filter_map(|name| rules::searches_named(name).ok()).flatten().collect()
    };
    let (only, without) = (rules_of(&arguments.rules), rules_of(&arguments.without));
    let is_chosen = |name: &&'static str| {
        (arguments.rules.is_empty() || only.contains(name)) && !without.contains(name)
    };
    rules::names().filter(is_chosen).collect()
}

/// The result of a reduction, for printing.
struct ReductionReport<'a> {
    net: &'a Net,
    reduction: &'a Reduction,
    /// The files written.
    written: &'a [PathBuf],
    /// The reason for ending before no rule applies any more. `None` if the reduction was not cut
    /// short, or the budget gives no reason.
    stop_reason: Option<ExhaustionReason>,
    /// The number of changes that rules proposed and the check refused. Each of them is a bug.
    faults: u64,
}

impl ReductionReport<'_> {
    fn print(&self, queries: &[FormulaQuery], format: ReduceFormat) {
        let (net, reduction) = (self.net, self.reduction);
        if format == ReduceFormat::Text {
            self.print_sizes();
        }
        print_rules(&reduction.statistics, format);
        for &t in &reduction.needs().protected {
            if let Some(firing) = reduction.firing(t) {
                print_carriers(net, reduction, t, firing, format);
            }
        }
        print_constants(net, reduction, format);
        queries
            .iter()
            .for_each(|asked| print_translation(asked, asked.translate(net, reduction), format));
        match format {
            ReduceFormat::Text => {
                for file in self.written {
                    line(&format!("# written: {}", file.display()));
                }
            }
            ReduceFormat::Json => object(self.summary()),
        }
    }

    fn print_sizes(&self) {
        let (net, reduction) = (self.net, self.reduction);
        let statistics = &reduction.statistics;
        let (before, after) = (statistics.size_before, statistics.size_after);
        let incomplete = match self.stop_reason {
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
        for (words, listed) in
            [(["transition", "fire"], some_of(dead)), (["place", "change"], some_of(constant))]
        {
            if let Some((count, names)) = listed {
                let [node, never] = words;
                let s = if count == 1 { "s" } else { "" };
                let nodes = counted(count, node);
                line(&format!("# found during the reduction: {nodes} never {never}{s}: {names}"));
            }
        }
    }

    fn summary(&self) -> Value {
        let (net, reduction) = (self.net, self.reduction);
        let statistics = &reduction.statistics;
        let size = |size: parikh_reduction::NetSize| {
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
            "before": size(statistics.size_before),
            "after": size(statistics.size_after),
            "rounds": statistics.rounds,
            "dead_transitions": dead.collect::<Vec<_>>(),
            "constant_places": constant.collect::<Vec<_>>(),
            "written": self.written,
            "seconds": statistics.time.as_secs_f64(),
            "complete": !statistics.cut_short,
            "ended": self.stop_reason.map(in_words),
            "internal_errors": self.faults,
        })
    }
}

/// Describes why a reduction ended early.
fn in_words(why: ExhaustionReason) -> String {
    match why {
        ExhaustionReason::Cancelled => "interrupted".to_owned(),
        _ => why.to_string(),
    }
}

/// Returns the number of names and a list of the first names. Returns `None` without names.
fn some_of(names: impl ExactSizeIterator<Item = String>) -> Option<(usize, String)> {
    /// The largest number of names in a line of text. JSON has all names.
    const MAX_LISTED_NAMES: usize = 10;
    let count = names.len();
    let mut shown = names.take(MAX_LISTED_NAMES).collect::<Vec<_>>().join(", ");
    if count > MAX_LISTED_NAMES {
        shown.push_str(&format!(" and {} more", count - MAX_LISTED_NAMES));
    }
    (count > 0).then_some((count, shown))
}

/// Prints the removed places of the support with their tokens. The tokens are the same in every
/// preserved marking: every reachable marking if reachability is preserved, else every reachable
/// dead marking.
fn print_constants(net: &Net, reduction: &Reduction, format: ReduceFormat) {
    let (markings, kind) = match reduction.needs().preserve {
        preserve if preserve.covers(Preserve::REACHABILITY) => ("marking", "constant"),
        preserve if preserve.covers(Preserve::DEADLOCK) => ("dead marking", "dead_constant"),
        _ => return,
    };
    let removed_constant = |&p: &PlaceId| Some((net.place_name(p), reduction.constant(p)?));
    for (place, tokens) in reduction.needs().support.iter().filter_map(removed_constant) {
        match format {
            ReduceFormat::Text => line(&format!(
                "{place} = {tokens} in every reachable {markings}; the place was removed"
            )),
            ReduceFormat::Json => {
                object(json!({"type": kind, "place": place, "tokens": number(tokens)}));
            }
        }
    }
}

/// Prints a line for each rule that was applied.
fn print_rules(statistics: &ReductionStatistics, format: ReduceFormat) {
    for rule in statistics.rules.iter().filter(|rule| rule.applied > 0) {
        let seconds = rule.time.as_secs_f64();
        match format {
            ReduceFormat::Text => line(&format!(
                "{}: {}, {} and {} fewer, {seconds:.2} s",
                rule.name,
                counted(rule.applied, "time"),
                counted(rule.places_removed, "place"),
                counted(rule.transitions_removed, "transition")
            )),
            ReduceFormat::Json => object(json!({
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

/// Prints the firings of the reduced net that include a firing of the preserved transition `t`. If
/// `t` also fires at the start of each sequence that is translated back, says so.
fn print_carriers(
    net: &Net,
    reduction: &Reduction,
    t: TransitionId,
    firing: &FiringMap,
    format: ReduceFormat,
) {
    let name = net.transition_name(t);
    let carriers = firing.carriers().iter().map(|&by| reduction.net.transition_name(by));
    let carriers: Vec<&str> = carriers.collect();
    let fires_first = matches!(firing, FiringMap::Fired(_));
    match format {
        ReduceFormat::Text => {
            let by = match carriers.len() {
                0 => "no transition".to_owned(),
                _ => carriers.join(", "),
            };
            let before = if fires_first { "before every other transition, and later " } else { "" };
            line(&format!("{name} fires {before}together with {by} of the reduced net"));
        }
        ReduceFormat::Json => object(
            json!({"type": "fires", "transition": name, "at_once": fires_first, "with": carriers}),
        ),
    }
}

/// Prints a formula translated to the reduced net. `translation` is `None` if the formula cannot be
/// translated. In this case, text output says so, and in JSON `formula` and `constant` are null.
fn print_translation(
    query: &FormulaQuery,
    translation: Option<TranslatedQuery>,
    format: ReduceFormat,
) {
    let id = &query.id;
    match (format, translation) {
        (ReduceFormat::Text, None) => line(&format!(
            "# {id}: not translated, because the reduced net cannot express it within numbers of \
             64 bits"
        )),
        (ReduceFormat::Text, Some(TranslatedQuery { formula, constant })) => {
            match (formula, constant) {
                (Some(formula), None | Some(0)) => line(&format!("{id}: {formula}")),
                (Some(formula), Some(constant)) => {
                    line(&format!("{id}: {formula}"));
                    line(&format!(
                        "# {id}: add {constant} to the answer, the tokens of removed places"
                    ));
                }
                (None, constant) => {
                    let answer = constant.unwrap_or(0);
                    line(&format!("# {id}: the answer is {answer}, without further analysis"));
                }
            }
        }
        (ReduceFormat::Json, translation) => {
            let (formula, constant) = translation
                .map_or((None, None), |translation| (translation.formula, translation.constant));
            let constant = constant.map(number);
            object(json!({"type": "formula", "id": id, "formula": formula, "constant": constant}));
        }
    }
}
