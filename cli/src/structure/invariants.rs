//! `parikh invariants`: place, transition and modulo invariants, and the bounds and claims about
//! units that follow from them.

use super::super::json::number;
use super::super::terminal::{line, note, object};
use super::super::{ProgramOutcome, limits, model};
use super::{StructureFormat, list, modulo, units};
use anyhow::Result;
use parikh_net::printable::counted;
use parikh_net::{EffectId, Net, PlaceId};
use parikh_solvers::{Budget, ExhaustionReason};
use parikh_structure::bounds::{DerivedBound, PlaceBounds, Reason, place_bounds};
use parikh_structure::flows::{PlaceFlow, TransitionFlow, place_flows, transition_flows};
use parikh_structure::semiflows::{IncompleteReason, place_semiflows, transition_semiflows};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(in super::super) struct InvariantsArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// Show transition invariants: firings that change nothing together. Transitions with the same
    /// effect count as one, named by the first of them.
    #[arg(long)]
    transitions: bool,
    /// Show all invariants without negative coefficients that have minimal support, instead of a
    /// basis. There may be exponentially many.
    #[arg(long)]
    semiflows: bool,
    /// Also show modulo invariants, sums that every firing changes by a multiple of a number: p + q
    /// = 1 (mod 2). The numbers are powers of small primes; no sum shown follows from the
    /// invariants or from the other sums.
    #[arg(long, conflicts_with = "transitions")]
    modulo: bool,
    /// The largest number of candidates that the search for semiflows may hold at a time.
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "semiflows")]
    limit: usize,
    /// Also show the bounds on places that follow, with their derivation, and which of the model's
    /// claims about its units (NUPN) follow from the invariants.
    #[arg(long, conflicts_with = "transitions")]
    bounds: bool,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// Time limit for the search: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: StructureFormat,
}

const EXAMPLES: &str = "\
A basis is printed completely or not at all: if the time limit is reached, the exit code is 3. \
Semiflows found before the limit are printed and marked as incomplete.

Examples:
  parikh invariants model.pnml                      # idle + 2*busy = 3
  parikh invariants model.pnml --transitions        # start + stop changes nothing
  parikh invariants model.pnml --semiflows --bounds
  parikh invariants model.pnml --modulo             # p + q = 1 (mod 2)";

pub(in super::super) fn run(arguments: &InvariantsArguments) -> Result<ProgramOutcome> {
    let net = arguments.timing.net(&arguments.model)?;
    let budget = super::budget(arguments.timeout);
    Ok(if arguments.transitions {
        show_transition_invariants(&net, arguments, &budget)
    } else {
        show_place_invariants(&net, arguments, &budget)
    })
}

/// Invariants that were checked on the net, with the number of invariants that failed the check,
/// and the reason why there may be more.
struct ConfirmedFlows<F> {
    flows: Vec<F>,
    /// Number of invariants that the check on the net refuted.
    refuted: usize,
    /// The reason why the output is incomplete: invariants, requested bounds, or requested modulo
    /// invariants may be missing. `None` if the output is complete.
    incomplete: Option<String>,
}

impl<F> ConfirmedFlows<F> {
    /// Checks the invariants of a basis. If the basis was not computed in time, the result has no
    /// invariants, and the reason.
    fn basis(result: Result<Vec<F>, ExhaustionReason>, holds: impl Fn(&F) -> bool) -> Self {
        match result {
            Ok(flows) => ConfirmedFlows::checked(flows, None, holds),
            Err(reason) => ConfirmedFlows {
                flows: Vec::new(),
                refuted: 0,
                incomplete: Some(format!("{reason}; a basis is printed completely or not at all")),
            },
        }
    }

    /// Keeps the invariants for which `holds` returns true, and counts the others as refuted.
    fn checked(
        mut flows: Vec<F>,
        why: Option<IncompleteReason>,
        holds: impl Fn(&F) -> bool,
    ) -> Self {
        let found_count = flows.len();
        flows.retain(holds);
        let incomplete = why.map(|why| format!("{why}; there may be more"));
        ConfirmedFlows { refuted: found_count - flows.len(), flows, incomplete }
    }

    /// Returns the first line of the text output.
    fn heading(&self, what: &str, semiflows: bool) -> String {
        let kind = match semiflows {
            true => "without negative coefficients, with minimal support",
            false => "a basis: all other invariants are linear combinations of these",
        };
        let count = self.flows.len();
        let invariants = if count == 1 { "invariant" } else { "invariants" };
        match &self.incomplete {
            None => format!("# {count} {what} {invariants} ({kind}), complete"),
            Some(why) => format!("# {count} {what} {invariants} ({kind}), incomplete: {why}"),
        }
    }

    /// Returns the last line of the JSON output, that is, the summary.
    fn summary(&self, net: &Net, what: &str, semiflows: bool) -> Value {
        json!({
            "type": "summary",
            "net": net.name(),
            "invariants_of": what,
            "kind": if semiflows { "minimal semiflows" } else { "basis" },
            "count": self.flows.len(),
            "complete": self.incomplete.is_none(),
            "incomplete": self.incomplete,
            "internal_errors": self.refuted,
        })
    }

    fn outcome(&self) -> ProgramOutcome {
        if self.refuted > 0 {
            note!("parikh: {} invariants failed their check and were not printed", self.refuted);
            ProgramOutcome::InternalError
        } else if self.incomplete.is_some() {
            ProgramOutcome::Incomplete
        } else {
            ProgramOutcome::Complete
        }
    }
}

fn show_transition_invariants(
    net: &Net,
    arguments: &InvariantsArguments,
    budget: &Budget,
) -> ProgramOutcome {
    let holds = |flow: &TransitionFlow| flow.holds(net);
    let found = if arguments.semiflows {
        let found = transition_semiflows(net, arguments.limit, budget);
        ConfirmedFlows::checked(found.flows, found.incomplete, |flow| {
            flow.is_semiflow() && holds(flow)
        })
    } else {
        ConfirmedFlows::basis(transition_flows(net, budget), holds)
    };
    let names = |class: EffectId| net.class(class).iter().map(|&t| net.transition_name(t));
    match arguments.format {
        StructureFormat::Text => {
            line(&found.heading("transition", arguments.semiflows));
            let mut classes: Vec<EffectId> =
                found.flows.iter().flat_map(|flow| flow.terms()).map(|(class, _)| *class).collect();
            classes.sort_unstable();
            classes.dedup();
            for class in classes.into_iter().filter(|&class| net.class(class).len() > 1) {
                let (first, others) = (net.class(class)[0], list(names(class).skip(1)));
                line(&format!("# {} has the effect of {others} too", net.transition_name(first)));
            }
            for flow in &found.flows {
                line(&format!("{} changes nothing", flow.describe(net)));
            }
        }
        StructureFormat::Json => {
            for flow in &found.flows {
                let terms = flow.terms().iter().map(|(class, value)| {
                    let transitions: Vec<&str> = names(*class).collect();
                    json!({"transitions": transitions, "coefficient": number(value)})
                });
                let text = flow.describe(net);
                object(invariant_json(terms, flow.is_semiflow(), None, &text));
            }
            object(found.summary(net, "transitions", arguments.semiflows));
        }
    }
    found.outcome()
}

/// Returns an invariant as JSON. Coefficients may have any number of digits. `constant` is the
/// value of a place invariant, and `None` for a transition invariant.
fn invariant_json(
    terms: impl Iterator<Item = Value>,
    semiflow: bool,
    constant: Option<Value>,
    text: &str,
) -> Value {
    json!({
        "type": "invariant",
        "terms": terms.collect::<Vec<_>>(),
        "constant": constant,
        "semiflow": semiflow,
        "text": text,
    })
}

fn show_place_invariants(
    net: &Net,
    arguments: &InvariantsArguments,
    budget: &Budget,
) -> ProgramOutcome {
    let holds = |flow: &PlaceFlow| flow.holds(net);
    let mut found = if arguments.semiflows {
        let found = place_semiflows(net, arguments.limit, budget);
        ConfirmedFlows::checked(found.flows, found.incomplete, |flow| {
            flow.is_semiflow() && holds(flow)
        })
    } else {
        ConfirmedFlows::basis(place_flows(net, budget), holds)
    };
    let bounds = place_bounds(net, &found.flows, budget);
    if arguments.bounds && found.incomplete.is_none() {
        // Every bound found is valid, but later derivations may be missing.
        found.incomplete =
            budget.exhausted().map(|reason| format!("{reason}; bounds may be missing"));
    }
    let modulo = match arguments.modulo {
        // Modulo invariants that follow from any place invariant are left out, so a basis is needed
        // here.
        true if arguments.semiflows => {
            place_flows(net, budget).and_then(|flows| modulo::find(net, &flows, budget))
        }
        true => modulo::find(net, &found.flows, budget),
        false => Ok((Vec::new(), 0)),
    };
    match &modulo {
        Ok((_, refuted)) => found.refuted += refuted,
        Err(reason) => {
            let reason_before = found.incomplete.take().unwrap_or_else(|| reason.to_string());
            found.incomplete =
                Some(format!("{reason_before}; modulo invariants were not computed"));
        }
    }
    let print_modulo = || {
        if let (true, Ok((all, _))) = (arguments.modulo, &modulo) {
            modulo::print(net, all, arguments.format);
        }
    };
    let print_units = || {
        if arguments.bounds {
            units::print(net, &found.flows, &bounds, arguments.format, budget);
        }
    };
    match arguments.format {
        StructureFormat::Text => {
            line(&found.heading("place", arguments.semiflows));
            found.flows.iter().for_each(|flow| line(&flow.describe(net)));
            print_modulo();
            print_bounds(net, &bounds, arguments.bounds);
            print_units();
        }
        StructureFormat::Json => {
            for flow in &found.flows {
                let terms = flow.terms().iter().map(|(place, value)| {
                    let place = net.place_name(*place);
                    json!({"place": place, "coefficient": number(value)})
                });
                let (text, constant) = (flow.describe(net), flow.constant(net.initial()));
                let constant = Some(number(constant));
                object(invariant_json(terms, flow.is_semiflow(), constant, &text));
            }
            print_modulo();
            bounds_as_json(net, &bounds, arguments.bounds);
            print_units();
            object(found.summary(net, "places", arguments.semiflows));
        }
    }
    found.outcome()
}

fn print_bounds(net: &Net, bounds: &PlaceBounds, shows_all: bool) {
    let constant = bounds.constant_places();
    line(&format!("# {}", counted(constant.len(), "constant place")));
    for p in constant {
        line(&format!("{} = {}", net.place_name(p), bounds.lower(p)));
    }
    if !shows_all {
        return;
    }
    let bounded = net.places().filter(|&p| bounds.upper(p).is_some()).count();
    line(&format!(
        "# bounds; upper bounds are known for {bounded} of {}",
        counted(net.place_count(), "place")
    ));
    for p in net.places() {
        let (name, lower) = (net.place_name(p), bounds.lower(p));
        line(&match bounds.upper(p) {
            Some(upper) => format!("{lower} <= {name} <= {upper}"),
            None => format!("{lower} <= {name}"),
        });
    }
    line("# derivation; each step follows from earlier steps; invariants are numbered from 1");
    for step in bounds.steps() {
        let relation = if step.is_upper { "<=" } else { ">=" };
        let (name, tokens) = (net.place_name(step.place), step.tokens);
        line(&format!("{name} {relation} {tokens} because {}", reason(step)));
    }
}

fn bounds_as_json(net: &Net, bounds: &PlaceBounds, shows_all: bool) {
    for p in bounds.constant_places() {
        let (place, tokens) = (net.place_name(p), bounds.lower(p));
        object(json!({"type": "constant", "place": place, "tokens": number(tokens)}));
    }
    if !shows_all {
        return;
    }
    let bound = |p: PlaceId| {
        let place = net.place_name(p);
        let upper = bounds.upper(p).map(number);
        json!({"type": "bound", "place": place, "lower": number(bounds.lower(p)), "upper": upper})
    };
    net.places().for_each(|p| object(bound(p)));
    for step in bounds.steps() {
        let invariant = match step.reason {
            Reason::Flow { flow, .. } => Some(flow + 1),
            _ => None,
        };
        object(json!({
            "type": "step",
            "place": net.place_name(step.place),
            "side": if step.is_upper { "upper" } else { "lower" },
            "tokens": number(step.tokens),
            "because": reason(step),
            "invariant": invariant,
        }));
    }
}

/// Describes the reason for one step of the derivation of bounds. Invariants are numbered from 1.
fn reason(step: &DerivedBound) -> String {
    match step.reason {
        Reason::NeverChanges if step.is_upper => "no transition adds to it".to_owned(),
        Reason::NeverChanges => "no transition takes from it".to_owned(),
        Reason::UnmarkedSiphon => "it belongs to an initially empty siphon".to_owned(),
        Reason::Flow { flow, .. } => format!("of invariant {}", flow + 1),
    }
}
