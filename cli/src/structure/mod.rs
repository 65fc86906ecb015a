//! `parikh invariants`, `parikh siphons`, `parikh traps`: structural analysis of a net.
//!
//! Text on stdout has one fact per line. Lines that start with `#` state consequences and whether
//! the list is complete. The first of these lines is the summary. In JSON, every line is an object
//! with a `type`, and the summary comes last, as in `parikh check`. Before an invariant, a siphon,
//! a trap or a certificate is printed, code independent of the search checks it on the net. Facts
//! that fail the check are not printed, and the exit code is 4. For modulo invariants, the exit
//! code does not show a failed check. Bounds of places are printed with their derivation,
//! unchecked.

pub(super) mod invariants;
mod modulo;
pub(super) mod sets;
mod siphon_trap;
mod units;

use super::{limits, signals};
use anyhow::{Context, Result};
use clap::ValueEnum;
use parikh_formula::{FormulaProblem, nodes_of_text, split_names};
use parikh_net::{Net, NodeKind, PlaceId};
use parikh_solvers::Budget;
use std::time::Duration;

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StructureFormat {
    /// A fact per line, comments after `#`.
    Text,
    /// A JSON object per line, the summary last.
    Json,
}

/// Returns the budget of a command. The first signal cancels the budget. Unlike in `check`, the
/// process is not ended at the deadline: the searches here check the budget often, and a long list
/// that is being printed at the deadline is completed.
fn budget(timeout: Duration) -> Budget {
    let budget = limits::budget(Some(timeout), None);
    signals::cancel_on_signal(&budget, || ());
    budget
}

/// Parses the places of `--inside`: names as in formulas, separated by commas. A name may contain
/// commas, so an argument that is a name as a whole denotes its places. Returns the places in
/// ascending order.
fn places_named(net: &Net, arguments: &[String]) -> Result<Vec<PlaceId>> {
    let mut places = Vec::new();
    for argument in arguments {
        if let Ok(named) = places_of_text(net, argument) {
            places.extend(named);
            continue;
        }
        for (index, name) in split_names(argument).into_iter().enumerate() {
            let named = places_of_text(net, name);
            let context = || format!("--inside {argument}, name {}", index + 1);
            places.extend(named.with_context(context)?);
        }
    }
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Returns the places that one name denotes.
fn places_of_text(net: &Net, text: &str) -> Result<Vec<PlaceId>, FormulaProblem> {
    if let Some(place) = net.place_named(text) {
        return Ok(vec![place]);
    }
    let mut places = Vec::new();
    for id in nodes_of_text(net, NodeKind::Place, text)?.ids {
        let unknown = || FormulaProblem::unknown_place(&id, net, true);
        places.extend(net.places_named(&id).ok_or_else(unknown)?);
    }
    Ok(places)
}

/// Returns the names separated by commas, or `none`.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let text = names.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".to_owned() } else { text }
}

/// Returns the names of places.
fn names<'n>(net: &'n Net, places: &[PlaceId]) -> Vec<&'n str> {
    places.iter().map(|&p| net.place_name(p)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_or_explained() {
        let net = parikh_net::text::parse("place idle 1\nplace busy\ntransition t: idle -> busy");
        let net = net.unwrap();
        let find = |text: &str| places_named(&net, &[text.to_owned()]);
        assert_eq!(find("busy, idle,busy").unwrap(), [0, 1].map(PlaceId::new));
        let error = format!("{:#}", find("idle,bussy").unwrap_err());
        assert!(error.contains("name 2") && error.contains("did you mean `busy`"), "{error}");
        let error = format!("{:#}", find("t").unwrap_err());
        assert!(error.contains("it is a transition"), "{error}");
    }

    #[test]
    fn places_are_named_as_in_formulas() {
        let mut builder = parikh_net::NetBuilder::new("n");
        for (id, label) in [("p0", "begin"), ("p1", "end, or not"), ("p2", "end"), ("p3", "end")] {
            let place = builder.place(id, 0).unwrap();
            builder.label_place(place, label);
        }
        let net = builder.build().unwrap();
        let find = |text: &str| places_named(&net, &[text.to_owned()]);
        for (text, expected) in [
            ("begin,\"end\"", vec![0, 2, 3]),
            ("end, or not", vec![1]),
            ("p0, \"end, or not\"", vec![0, 1]),
            ("id \"p3\", p0", vec![0, 3]),
        ] {
            let expected: Vec<PlaceId> = expected.into_iter().map(PlaceId::new).collect();
            assert_eq!(find(text).unwrap(), expected, "{text}");
        }
        let error = format!("{:#}", find("begin,end").unwrap_err());
        assert!(error.contains("`end` is the label of 2 places: `p2`, `p3`"), "{error}");
    }
}
