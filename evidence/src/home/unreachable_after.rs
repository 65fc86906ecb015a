//! Checks that after a firing sequence no marking that satisfies a predicate φ is reachable. Either
//! the marking after the sequence is dead and violates φ, or a [`Document`] proves the claim for
//! the net that begins at that marking.

use super::HomeFlaw;
use crate::certificate::Document;
use crate::replay::{net_after, replay};
use parikh_net::{FiringSequence, Net, Predicate};

/// Checks that no marking that satisfies `wanted` is reachable after `sequence`. The document must
/// prove this for the net that begins at the end of the sequence. Without a document, the marking
/// at the end must be dead and violate `wanted`.
///
/// # Errors
/// The first flaw of the argument, or a stop by `goes_on`.
pub fn check_lost(
    net: &Net,
    sequence: &FiringSequence,
    wanted: &Predicate,
    document: Option<&Document>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    let end = replay(net, sequence)?;
    match document {
        None if net.is_dead(&end) && !wanted.holds(net, &end) => Ok(()),
        None => Err(HomeFlaw::NotLost),
        Some(document) => {
            let net_after = net_after(net, sequence)?;
            Ok(document.check(&net_after, goes_on)?.refutes(wanted, goes_on)?)
        }
    }
}
