//! Facts about a net's structure for encodings: flows, bounds and traps, as far as an encoding
//! needs them.

use super::bounds::place_bounds;
use super::closed::ClosureKind;
use super::flows::place_flows;
use super::minimal::minimal_sets;
use parikh_encodings::{Encoding, EncodingPart, Numbers};
use parikh_net::{Facts, Net};
use parikh_solvers::{Budget, ExhaustionReason};

/// Computes the facts that `encoding` needs, all proved, with at most `traps` minimal traps.
///
/// # Errors
/// Returns an error when the budget ends before the flows are known. If the flows are only needed
/// for the widths of bit-vectors, the end of the time is not an error. Neither is an incomplete
/// list of traps.
pub fn facts_for(
    net: &Net,
    encoding: &Encoding,
    traps: usize,
    budget: &Budget,
) -> Result<Facts, ExhaustionReason> {
    let mut facts = Facts::empty(net);
    let needs_bounds = encoding.has(EncodingPart::Bounds) || encoding.numbers == Numbers::Bits;
    if encoding.has(EncodingPart::Flows) || needs_bounds {
        let flows = match place_flows(net, budget) {
            // Bit-vectors can do without flows: `place_bounds` then finds only bounds that need
            // none. Without memory, or after a cancellation, the error is returned.
            Err(ExhaustionReason::Time)
                if !encoding.has(EncodingPart::Flows) && !encoding.has(EncodingPart::Bounds) =>
            {
                Vec::new()
            }
            flows => flows?,
        };
        if needs_bounds {
            place_bounds(net, &flows, budget).write(&mut facts);
        }
        // A flow is skipped if the magnitudes of its coefficients add up to more than 2⁶³ − 1.
        facts.flows = flows.iter().filter_map(|flow| flow.to_sum()).collect();
    }
    if encoding.has(EncodingPart::ListedTraps) {
        facts.traps = minimal_sets(net, ClosureKind::Trap, traps, budget).sets;
    }
    Ok(facts)
}
