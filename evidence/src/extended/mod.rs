//! Nets with inhibitor and reset arcs: evidence is about a place/transition net that is equivalent
//! to such a net, and the auditor builds that net again.
//!
//! A file lists the bounds by which the net was built ([`NamedTranslation`]). The auditor checks
//! the justification of each bound ([`bounds`]), and [builds](build) the net as described in
//! [`parikh_net::translation`]. The rest is the audit of evidence about that net. A wrong bound
//! makes the auditor reject the whole file. A place may have a cap instead, which needs no proof.
//! Then fewer questions can be answered, and each proof obligation
//! ([`crate::question::obligation`]) is about the half of the net that can prove it.
//!
//! | file | content |
//! |---|---|
//! | [`bounds`] | checks bounds, by the firing rule with all arcs, and by weighted sums |
//! | `build` | builds the net |
//! | `audit` | audits files |

mod audit;
pub mod bounds;
mod build;

pub use audit::{ExtendedAudit, Queries};

use crate::file::NamedTranslation;
use parikh_net::{ExtendedNet, Net};

/// Builds the net that a model was translated to, by bounds that are checked. Nets of up to
/// `most_visited` markings are visited.
///
/// # Errors
/// A bound that is not proved, or a reason that the net cannot be built.
pub fn made_again(
    model: &ExtendedNet,
    named: &NamedTranslation,
    most_visited: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Net, String> {
    let checked = bounds::check_bounds(model, named, most_visited, goes_on)?;
    build::build(model, &checked)
}
