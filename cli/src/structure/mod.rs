//! `parikh invariants`, `parikh siphons`, `parikh traps`: structural analysis of a net.
//!
//! Text on stdout has one fact per line. Lines that start with `#` state consequences and whether
//! the list is complete. The first of these lines is the summary. In JSON, every line is an object
//! with a `type`, and the summary comes last, as in `parikh check`. Before a fact is printed, code
//! independent of the search checks the fact on the net. A fact that fails the check is not
//! printed, and the exit code is 4.

pub(super) mod invariants;
mod modulo;
pub(super) mod sets;
mod siphon_trap;
mod units;

use super::{limits, signals};
use anyhow::{Context, Result};
use clap::ValueEnum;
use parikh_formula::FormulaProblem;
use parikh_net::{Net, PlaceId};
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

/// Returns the budget of a command. Signals cancel the budget. Unlike in `check`, the process is
/// not ended at the deadline. The searches here check the budget often, and a long list that is
/// being printed then is complete.
fn budget(timeout: Duration) -> Budget {
    let budget = limits::budget(Some(timeout), None);
    signals::cancel_on_signal(&budget, || ());
    budget
}

/// Parses the places of `--inside`: names separated by commas. A name may contain commas, so an
/// argument that is a place's name as a whole denotes this place. Returns the places in ascending
/// order.
fn places_named(net: &Net, arguments: &[String]) -> Result<Vec<PlaceId>> {
    let mut places = Vec::new();
    for argument in arguments {
        if let Some(place) = net.place_named(argument) {
            places.push(place);
            continue;
        }
        for (index, name) in argument.split(',').map(str::trim).enumerate() {
            let place = net.place_named(name);
            let problem = || FormulaProblem::unknown_place(name, net, true);
            places.push(
                place
                    .ok_or_else(problem)
                    .with_context(|| format!("--inside {argument}, name {}", index + 1))?,
            );
        }
    }
    places.sort_unstable();
    places.dedup();
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
}
