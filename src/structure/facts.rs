//! What encodings use of a net's structure: its flows, bounds and traps, as far as they ask.

use super::bounds::place_bounds;
use super::closed::Kind;
use super::flows::place_flows;
use super::minimal::minimal_sets;
use parikh_encodings::{Encoding, Numbers, Part};
use parikh_net::{Facts, Net};
use parikh_solvers::{Budget, Exhausted};

/// The facts that `encoding` asks for, all proved; at most so many `traps`, the minimal ones that
/// come first.
///
/// # Errors
/// When the budget ends before the flows are known. A list of traps that is cut short is one.
pub fn facts_for(
    net: &Net,
    encoding: &Encoding,
    traps: usize,
    budget: &Budget,
) -> Result<Facts, Exhausted> {
    let mut facts = Facts::none(net);
    let needs_bounds = encoding.has(Part::Bounds) || encoding.numbers == Numbers::Bits;
    if encoding.has(Part::Flows) || needs_bounds {
        let flows = match place_flows(net, budget) {
            // Bit-vectors do with the bounds there are; whoever stops the run wants nothing
            // written.
            Err(Exhausted::Time) if !encoding.has(Part::Flows) && !encoding.has(Part::Bounds) => {
                Vec::new()
            }
            flows => flows?,
        };
        if needs_bounds {
            place_bounds(net, &flows, budget).write(&mut facts);
        }
        // One with larger numbers than 64 bits says nothing here.
        facts.flows = flows.iter().filter_map(|flow| flow.to_sum()).collect();
    }
    if encoding.has(Part::ListedTraps) {
        facts.traps = minimal_sets(net, Kind::Trap, traps, budget).sets;
    }
    Ok(facts)
}
