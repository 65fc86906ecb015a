//! Structural analysis for the report: invariants, siphons, traps and units.

use super::text::Sentence;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_structure::bounds::place_bounds;
use parikh_structure::closed::ClosureKind;
use parikh_structure::flows::{place_flows, transition_flows};
use parikh_structure::integer::Integer;
use parikh_structure::minimal::minimal_sets;
use parikh_structure::semiflows::{place_semiflows, transition_semiflows};
use parikh_structure::siphons::{starved_by, unmarked_siphon};
use parikh_structure::traps::is_marked;
use parikh_structure::units::prove_units;
use serde::Serialize;

/// A set of nodes with factors, such as an invariant or a trap, that the page highlights in the
/// drawing.
#[derive(Clone, Debug, Default, Serialize)]
pub struct StructureSet {
    /// A description of the set in a line.
    pub title: Sentence,
    /// The places with their coefficients in the invariant. The coefficient is 1 in other sets.
    pub places: Vec<WeightedNode>,
    /// The transitions with their coefficients in the invariant. The coefficient is 1 in other
    /// sets.
    pub transitions: Vec<WeightedNode>,
}

/// The index of a node and its coefficient as text. The text is empty for the coefficient 1.
pub type WeightedNode = (usize, String);

/// The sets of one kind, such as place invariants.
#[derive(Clone, Debug, Serialize)]
pub struct StructureSets {
    /// The headline, such as `Place invariants`.
    pub title: &'static str,
    /// The definition of the kind.
    pub about: &'static str,
    /// The sets, at most `MAX_LISTED`.
    pub shapes: Vec<StructureSet>,
    /// The reason why the list may be incomplete or is cut. `None` if the list is complete.
    pub incomplete: Option<String>,
}

/// The largest number of sets listed per kind.
const MAX_LISTED: usize = 60;

/// The largest number of intermediate rays in the computation of semiflows.
const MAX_RAYS: usize = 1_000;

/// Computes the invariants, siphons, traps and units within the budget.
pub(super) fn shapes(net: &Net, budget: &Budget) -> Vec<StructureSets> {
    // Each share is a share of the time that the earlier analyses have left.
    let mut sets = vec![
        place_invariants(net, &budget.portion(0.25)),
        transition_invariants(net, &budget.portion(0.25)),
    ];
    sets.extend(unmarked(net));
    sets.push(minimal_closed_sets(net, ClosureKind::Siphon, &budget.portion(0.3)));
    sets.push(minimal_closed_sets(net, ClosureKind::Trap, &budget.portion(0.4)));
    sets.extend(units(net, &budget.portion(0.8)));
    sets
}

/// Returns the factor as text, empty for 1.
fn factor(value: &Integer) -> String {
    if *value == Integer::ONE { String::new() } else { value.to_string() }
}

/// Cuts a list to [`MAX_LISTED`] entries. Returns the list and the reason why it is incomplete. The
/// reason is `None` if nothing was cut and `incomplete` is `None`. Otherwise it states the cut, if
/// there is one, and then `incomplete`.
fn truncate_list<T>(mut items: Vec<T>, incomplete: Option<String>) -> (Vec<T>, Option<String>) {
    let found = items.len();
    items.truncate(MAX_LISTED);
    let cut = (found > MAX_LISTED).then(|| format!("{MAX_LISTED} of {found} are listed"));
    let reasons: Vec<String> = [cut, incomplete].into_iter().flatten().collect();
    (items, (!reasons.is_empty()).then(|| reasons.join("; ")))
}

fn place_invariants(net: &Net, budget: &Budget) -> StructureSets {
    let semiflows = place_semiflows(net, MAX_RAYS, &budget.share(0.5));
    // If the semiflows are incomplete, a basis of all invariants is shown instead. If the time is
    // too short for the basis, the incomplete semiflows are shown.
    let (flows, incomplete) = match semiflows.incomplete {
        None => (semiflows.flows, None),
        Some(why) => match place_flows(net, budget) {
            Ok(basis) => (basis, Some(format!("semiflows: {why}; a basis is shown instead"))),
            Err(spent) => (semiflows.flows, Some(spent.to_string())),
        },
    };
    let shape = |flow: &parikh_structure::flows::PlaceFlow| {
        let mut first = true;
        let text = Sentence::default().list(flow.terms(), "", |text, (place, value)| {
            let sign = match (std::mem::take(&mut first), !value.is_positive()) {
                (true, false) => "",
                (true, true) => "−",
                (false, false) => " + ",
                (false, true) => " − ",
            };
            let size = value.magnitude();
            let text = match size == Integer::ONE {
                true => text.push_words(sign),
                false => text.push_words(format!("{sign}{size}·")),
            };
            text.place(*place)
        });
        StructureSet {
            title: text.push_words(format!(" = {}", flow.constant(net.initial()))),
            places: flow.terms().iter().map(|(p, value)| (p.index(), factor(value))).collect(),
            transitions: Vec::new(),
        }
    };
    let (flows, incomplete) = truncate_list(flows, incomplete);
    StructureSets {
        title: "Place invariants",
        about: "weighted sums of tokens that no firing changes",
        shapes: flows.iter().map(shape).collect(),
        incomplete,
    }
}

fn transition_invariants(net: &Net, budget: &Budget) -> StructureSets {
    let semiflows = transition_semiflows(net, MAX_RAYS, &budget.share(0.5));
    let (flows, incomplete) = match semiflows.incomplete {
        None => (semiflows.flows, None),
        Some(why) => match transition_flows(net, budget) {
            Ok(basis) => (basis, Some(format!("semiflows: {why}; a basis is shown instead"))),
            Err(spent) => (semiflows.flows, Some(spent.to_string())),
        },
    };
    let shape = |flow: &parikh_structure::flows::TransitionFlow| {
        // The first transition stands for all transitions with the same effect.
        let terms: Vec<(TransitionId, &Integer)> = flow
            .terms()
            .iter()
            .filter_map(|(class, value)| Some((*net.class(*class).first()?, value)))
            .collect();
        let title = Sentence::default().list(&terms, ", ", |text, &(t, times)| {
            let text = text.transition(t);
            if *times == Integer::ONE { text } else { text.push_words(format!(" {times} times")) }
        });
        let transitions = terms.into_iter().map(|(t, times)| (t.index(), factor(times))).collect();
        StructureSet {
            title: title.push_words(" together change nothing"),
            places: Vec::new(),
            transitions,
        }
    };
    let (flows, incomplete) = truncate_list(flows, incomplete);
    StructureSets {
        title: "Transition invariants",
        about: "firings that together change nothing: after all of them, the marking is the same \
                as before",
        shapes: flows.iter().map(shape).collect(),
        incomplete,
    }
}

/// Describes a set of places, with the remark that the set is marked or empty initially.
fn place_set(net: &Net, places: &[PlaceId]) -> StructureSet {
    let marked = if is_marked(net, places) { "marked: " } else { "empty initially: " };
    StructureSet {
        title: Sentence::from_words(marked).list(places, ", ", |text, &place| text.place(place)),
        places: places.iter().map(|place| (place.index(), String::new())).collect(),
        transitions: Vec::new(),
    }
}

/// Returns the largest initially empty siphon with the transitions that it disables forever.
/// Returns `None` if the siphon has no places.
fn unmarked(net: &Net) -> Option<StructureSets> {
    let empty = unmarked_siphon(net);
    if empty.is_empty() {
        return None;
    }
    let starved = starved_by(net, &empty);
    let mut shape = place_set(net, &empty);
    shape.transitions = starved.iter().map(|t| (t.index(), String::new())).collect();
    if !starved.is_empty() {
        let text = shape.title.push_words("; so these transitions never fire: ");
        shape.title = text.list(&starved, ", ", |text, &t| text.transition(t));
    }
    Some(StructureSets {
        title: "Never marked",
        about: "the largest initially empty siphon: it stays empty",
        shapes: vec![shape],
        incomplete: None,
    })
}

/// Computes the minimal siphons or the minimal traps.
fn minimal_closed_sets(net: &Net, kind: ClosureKind, budget: &Budget) -> StructureSets {
    let found = minimal_sets(net, kind, 2 * MAX_LISTED, budget);
    let incomplete = found.incomplete.map(|why| format!("{why}; there may be more"));
    let (sets, incomplete) = truncate_list(found.sets, incomplete);
    let (title, about) = match kind {
        ClosureKind::Siphon => (
            "Minimal siphons",
            "sets of places such that every transition that outputs to the set also takes an input \
             from it: once empty, always empty",
        ),
        ClosureKind::Trap => (
            "Minimal traps",
            "sets of places such that every transition that takes an input from the set also \
             outputs to it: once marked, always marked",
        ),
    };
    StructureSets {
        title,
        about,
        shapes: sets.iter().map(|places| place_set(net, places)).collect(),
        incomplete,
    }
}

/// Lists the units with places, at most [`MAX_LISTED`]. If the model claims that its units are
/// safe, each unit has the remark that its safety is proved or not proved. Returns `None` if the
/// net has no units.
fn units(net: &Net, budget: &Budget) -> Option<StructureSets> {
    let units = net.units()?;
    let flows = place_flows(net, budget).unwrap_or_default();
    let bounds = place_bounds(net, &flows, budget);
    let proofs = prove_units(net, &flows, &bounds, budget);
    let shape = |(unit, unit_data): (parikh_net::UnitId, &parikh_net::units::Unit)| {
        let proved = proofs.as_ref().and_then(|all| all.iter().find(|proof| proof.unit == unit));
        let safe_text = match proved {
            Some(proof) if proof.is_complete() => " (safe, proved)",
            Some(_) => " (safe according to the model, not proved from invariants)",
            None => "",
        };
        let text = Sentence::from_words(format!("{}{safe_text}: ", unit_data.name));
        StructureSet {
            title: text.list(&unit_data.places, ", ", |text, &place| text.place(place)),
            places: unit_data.places.iter().map(|place| (place.index(), String::new())).collect(),
            transitions: Vec::new(),
        }
    };
    let shapes: Vec<StructureSet> =
        units.iter().filter(|(_, unit)| !unit.places.is_empty()).map(shape).collect();
    let (shapes, incomplete) = truncate_list(shapes, None);
    Some(StructureSets {
        title: "Units",
        about: "nested units of the model (NUPN): if the model's claim is true, at most one place \
                of each unit is marked at a time",
        shapes,
        incomplete,
    })
}
