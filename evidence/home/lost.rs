//! *Lost*: after a firing sequence, nothing with φ can be reached any more. Either nothing at all
//! is enabled there, or a [`Document`] shows it of the net begun from that marking.

use super::HomeFlaw;
use crate::certificate::Document;
use crate::replay::{begun_after, replay};
use parikh_net::{FiringSequence, Net, Predicate};

/// Accepts that nothing with `wanted` can be reached after `sequence`: by the document, which is
/// about the net begun there, or because nothing is enabled there.
///
/// # Errors
/// What is wrong.
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
            let there = begun_after(net, sequence)?;
            Ok(document.check(&there, goes_on)?.refutes(wanted, goes_on)?)
        }
    }
}
