//! `parikh invariants`, `parikh siphons`, `parikh traps`: what a net's structure says of it.
//!
//! stdout has one fact a line, and lines behind a `#` that say what follows and whether that is
//! all; the first of them is the summary. In JSON every line is an object with a `type`, and the
//! summary comes last, as in `parikh check`. Every fact was checked on the net before it is
//! printed, by code that does not share the search; one that fails is not printed and makes the
//! exit code 4.

pub(super) mod invariants;
mod modulo;
pub(super) mod sets;
mod siphon_trap;
mod units;

use super::{limits, signals};
use crate::formula::FormulaProblem;
use anyhow::{Context, Result};
use clap::ValueEnum;
use parikh_net::{Net, PlaceId};
use parikh_solvers::Budget;
use std::time::Duration;

/// How facts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// A fact a line, comments behind `#`.
    Text,
    /// A JSON object a line, a summary last.
    Json,
}

/// The budget of a command, ended by signals too. Unlike in `check`, nothing leaves the process by
/// force at the deadline: all that searches here looks at its budget often, and a long list that
/// is being printed by then is complete.
fn budget(timeout: Duration) -> Budget {
    let budget = limits::budget(Some(timeout), None);
    signals::cancel_on_signal(&budget, || ());
    budget
}

/// The places of `--inside`, ascending: names with commas between. A name may contain a comma
/// itself, so an argument that is a place as a whole is one.
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

/// Names with commas between, or `none`.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let text = names.collect::<Vec<_>>().join(", ");
    if text.is_empty() { "none".to_owned() } else { text }
}

/// The names of places.
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
