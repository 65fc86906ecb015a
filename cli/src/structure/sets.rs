//! `parikh siphons` and `parikh traps`: sets of places that stay empty, and sets that stay marked.

use super::super::terminal::{line, note, object};
use super::super::{ProgramOutcome, limits, model};
use super::{StructureFormat, list, names, places_named, siphon_trap};
use anyhow::Result;
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use parikh_structure::closed::{ClosureKind, is_closed, largest};
use parikh_structure::minimal::minimal_sets_where;
use parikh_structure::siphons::{starved_by, unmarked_siphon};
use parikh_structure::traps::{is_marked, small_marked_trap};
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = SIPHON_EXAMPLES)]
pub(in super::super) struct SiphonArguments {
    #[command(flatten)]
    common: SetArguments,
    /// Check whether every siphon contains a trap that is marked initially (Commoner's property).
    /// If so, no reachable marking of an ordinary net is dead. If not, show a siphon that does not.
    #[arg(long, conflicts_with_all = ["minimal", "inside", "marked", "unmarked"])]
    commoner: bool,
}

#[derive(clap::Args)]
#[command(after_help = TRAP_EXAMPLES)]
pub(in super::super) struct TrapArguments {
    #[command(flatten)]
    common: SetArguments,
}

#[derive(clap::Args)]
struct SetArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// Show all minimal sets, one per line. There may be exponentially many.
    #[arg(long)]
    minimal: bool,
    /// The largest number of minimal sets.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "minimal")]
    limit: usize,
    /// Only sets of these places: ids or labels as in formulas, separated by commas. Without
    /// --minimal, show the largest set.
    #[arg(long, value_name = "PLACES")]
    inside: Vec<String>,
    /// Only sets with a token initially.
    #[arg(long)]
    marked: bool,
    /// Only sets without a token initially.
    #[arg(long, conflicts_with = "marked")]
    unmarked: bool,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// Time limit for the search: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: StructureFormat,
}

const SIPHON_EXAMPLES: &str = "\
A siphon is a set of places such that every transition that outputs to the set also takes an \
input from it. So a siphon that is empty stays empty. Without options, the command shows the \
largest initially empty siphon. Its places never hold a token, and the transitions that need them \
never fire.

Examples:
  parikh siphons model.pnml
  parikh siphons model.pnml --minimal --limit 100
  parikh siphons model.pnml --inside idle,busy
  parikh siphons model.pnml --commoner";

const TRAP_EXAMPLES: &str = "\
A trap is a set of places such that every transition that takes an input from the set also \
outputs to it. So a trap that is marked stays marked. Without options, the command shows the \
largest trap and a small initially marked trap. In every reachable marking, a place of the latter \
has a token.

Examples:
  parikh traps model.pnml
  parikh traps model.pnml --minimal --marked
  parikh traps model.pnml --inside idle,busy";

pub(in super::super) fn siphons(arguments: &SiphonArguments) -> Result<ProgramOutcome> {
    let common = &arguments.common;
    if arguments.commoner {
        let net = common.timing.net(&common.model)?;
        return Ok(siphon_trap::run(&net, common.format, &super::budget(common.timeout)));
    }
    run(ClosureKind::Siphon, common)
}

pub(in super::super) fn traps(arguments: &TrapArguments) -> Result<ProgramOutcome> {
    run(ClosureKind::Trap, &arguments.common)
}

fn run(kind: ClosureKind, arguments: &SetArguments) -> Result<ProgramOutcome> {
    let net = arguments.timing.net(&arguments.model)?;
    let budget = super::budget(arguments.timeout);
    let mut allowed = match arguments.inside.is_empty() {
        true => net.places().collect(),
        false => places_named(&net, &arguments.inside)?,
    };
    if arguments.unmarked {
        allowed.retain(|&p| net.initial()[p] == 0);
    }
    let printer = SetPrinter { net: &net, kind, format: arguments.format, faults: 0 };
    let is_restricted = !arguments.inside.is_empty() || arguments.marked || arguments.unmarked;
    Ok(match (arguments.minimal, is_restricted) {
        (true, _) => minimal(printer, &allowed, arguments, &budget),
        (false, true) => largest_within(printer, &allowed, arguments.marked),
        (false, false) => summary(printer),
    })
}

/// A printer for sets of places. Each set is checked before it is printed.
struct SetPrinter<'n> {
    net: &'n Net,
    kind: ClosureKind,
    format: StructureFormat,
    /// Number of sets that failed their check and were not printed.
    faults: usize,
}

impl SetPrinter<'_> {
    fn noun(&self) -> &'static str {
        match self.kind {
            ClosureKind::Siphon => "siphon",
            ClosureKind::Trap => "trap",
        }
    }

    /// Prints a siphon or a trap. `which` describes the set in JSON, and `comment` is a line before
    /// the set in text.
    fn set(&mut self, which: &str, comment: Option<&str>, set: &[PlaceId]) {
        let (net, noun) = (self.net, self.noun());
        if !is_closed(net, self.kind, set) {
            self.faults += 1;
            note!(
                "parikh: internal error: a computed set is not a {noun} and was not printed; \
                   please report it"
            );
            return;
        }
        match self.format {
            StructureFormat::Text => {
                if let Some(comment) = comment {
                    line(&format!("# {comment}"));
                }
                if !set.is_empty() {
                    line(&list(names(net, set).into_iter()));
                }
            }
            StructureFormat::Json => object(json!({
                "type": noun,
                "which": which,
                "places": names(net, set),
                "marked": is_marked(net, set),
            })),
        }
    }

    /// Prints a comment line in text output.
    fn comment(&self, text: &str) {
        if self.format == StructureFormat::Text {
            line(&format!("# {text}"));
        }
    }

    /// Prints the summary in JSON, and returns the outcome. `sets` is the number of sets found.
    /// `incomplete` is the reason why sets may be missing, or `None`.
    fn finish(self, sets: usize, incomplete: Option<String>) -> ProgramOutcome {
        if self.format == StructureFormat::Json {
            object(json!({
                "type": "summary",
                "net": self.net.name(),
                "count": sets,
                "complete": incomplete.is_none(),
                "incomplete": incomplete,
                "internal_errors": self.faults,
            }));
        }
        match (self.faults, incomplete) {
            (0, None) => ProgramOutcome::Complete,
            (0, Some(_)) => ProgramOutcome::Incomplete,
            _ => ProgramOutcome::InternalError,
        }
    }
}

/// Prints the minimal siphons or traps within the places `allowed`, up to the limit.
fn minimal(
    mut printer: SetPrinter<'_>,
    allowed: &[PlaceId],
    arguments: &SetArguments,
    budget: &Budget,
) -> ProgramOutcome {
    let (net, kind) = (printer.net, printer.kind);
    let is_wanted = |set: &[PlaceId]| !arguments.marked || is_marked(net, set);
    let found = minimal_sets_where(net, kind, allowed, is_wanted, arguments.limit, budget);
    let (count, noun) = (found.sets.len(), printer.noun());
    let incomplete = found.incomplete.map(|why| format!("{why}; there may be more"));
    printer.comment(&match &incomplete {
        None => format!("{count} minimal {noun}s, complete"),
        Some(why) => format!("{count} minimal {noun}s, incomplete: {why}"),
    });
    found.sets.iter().for_each(|set| printer.set("minimal", None, set));
    printer.finish(count, incomplete)
}

/// Prints the largest siphon or trap within the places `allowed`, or that it is empty. If any
/// siphon or trap within `allowed` is initially marked, the largest is marked, too. If
/// `must_be_marked` is true, an unmarked largest set is not printed.
fn largest_within(
    mut printer: SetPrinter<'_>,
    allowed: &[PlaceId],
    must_be_marked: bool,
) -> ProgramOutcome {
    let (net, noun) = (printer.net, printer.noun());
    let set = largest(net, printer.kind, allowed);
    if set.is_empty() || (must_be_marked && !is_marked(net, &set)) {
        let which = if must_be_marked { " that is marked initially" } else { "" };
        printer.comment(&format!("there is no such {noun}{which}, except the empty set"));
        return printer.finish(0, None);
    }
    let comment = format!(
        "the largest such {noun}: {}, {} initially",
        counted(set.len(), "place"),
        if is_marked(net, &set) { "marked" } else { "unmarked" }
    );
    printer.set("largest", Some(&comment), &set);
    printer.finish(1, None)
}

fn summary(printer: SetPrinter<'_>) -> ProgramOutcome {
    match printer.kind {
        ClosureKind::Siphon => siphon_summary(printer),
        ClosureKind::Trap => trap_summary(printer),
    }
}

fn siphon_summary(mut printer: SetPrinter<'_>) -> ProgramOutcome {
    let net = printer.net;
    let unmarked = unmarked_siphon(net);
    let starved = starved_by(net, &unmarked);
    let comment = match unmarked.len() {
        0 => "no siphon is empty initially".to_owned(),
        1 => "the largest siphon that is empty initially: 1 place never holds a token".to_owned(),
        n => format!("the largest siphon that is empty initially: {n} places never hold a token"),
    };
    match unmarked.is_empty() {
        true => printer.comment(&comment),
        false => printer.set("unmarked", Some(&comment), &unmarked),
    }
    if !starved.is_empty() {
        let transitions: Vec<&str> = starved.iter().map(|&t| net.transition_name(t)).collect();
        printer.comment(&match starved.len() {
            1 => "1 transition takes from it and never fires".to_owned(),
            n => format!("{n} transitions take from it and never fire"),
        });
        match printer.format {
            StructureFormat::Text => line(&list(transitions.into_iter())),
            StructureFormat::Json => {
                object(json!({"type": "never_fire", "transitions": transitions}));
            }
        }
    }
    printer.finish(usize::from(!unmarked.is_empty()), None)
}

fn trap_summary(mut printer: SetPrinter<'_>) -> ProgramOutcome {
    let net = printer.net;
    let places_of_net: Vec<PlaceId> = net.places().collect();
    let largest_trap = largest(net, ClosureKind::Trap, &places_of_net);
    if largest_trap.is_empty() {
        printer.comment("there is no trap except the empty set");
        return printer.finish(0, None);
    }
    let places = counted(largest_trap.len(), "place");
    let Some(small_trap) = small_marked_trap(net, &places_of_net) else {
        let comment = format!("the largest trap, {places}, unmarked initially");
        printer.set("largest", Some(&comment), &largest_trap);
        return printer.finish(1, None);
    };
    let comment = "a small trap that is marked initially: one of its places always holds a token";
    printer.set("small", Some(comment), &small_trap);
    let comment = format!("the largest trap, {places}, marked initially");
    printer.set("largest", Some(&comment), &largest_trap);
    printer.finish(2, None)
}
