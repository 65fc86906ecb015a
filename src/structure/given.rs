//! What encodings are given of a net's structure: its flows, bounds and traps, as far as they ask.

use super::bounds::place_bounds;
use super::closed::Kind;
use super::flows::place_flows;
use super::minimal::minimal_sets;
use parikh_encodings::{Encoding, Given, Part};
use parikh_net::{Facts, Net};
use parikh_solvers::{Budget, Exhausted};

/// What `encoding` asks for; at most so many `traps`, the minimal ones that come first.
///
/// # Errors
/// When the budget ends before the flows are known. A list of traps that is cut short is one.
pub fn given(
    net: &Net,
    encoding: &Encoding,
    traps: usize,
    budget: &Budget,
) -> Result<Given, Exhausted> {
    let mut given = Given { facts: Facts::none(net), flows: Vec::new(), traps: Vec::new() };
    if encoding.has(Part::Flows) || encoding.has(Part::Bounds) {
        let flows = place_flows(net, budget)?;
        if encoding.has(Part::Bounds) {
            place_bounds(net, &flows, budget).write(&mut given.facts);
        }
        // One with larger numbers than 64 bits says nothing here.
        given.flows = flows.iter().filter_map(|flow| flow.to_sum()).collect();
    }
    if encoding.has(Part::ListedTraps) {
        given.traps = minimal_sets(net, Kind::Trap, traps, budget).sets;
    }
    Ok(given)
}
