//! Nets with inhibitor and reset arcs. Evidence about such a net is about an equivalent
//! place/transition net, which the auditor builds again.
//!
//! A file lists the bounds by which the net was built ([`NamedTranslation`]). The auditor checks
//! the justification of each bound ([`bounds`]), and [builds](build) the net as described in
//! [`parikh_net::translation`]. The rest is the audit of evidence about that net. A wrong bound
//! makes the auditor reject the whole file. A place may have a cap instead, which needs no proof. A
//! cap is a number of tokens up to which the net is exact. With caps, fewer questions can be
//! answered, and [`crate::question::obligation`] restates the proof obligations for the net with
//! caps.
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

/// Builds again the place/transition net that `model` was translated to, after checking the bounds
/// of the translation. If a bound is justified by a visit, visits the reachable markings of the
/// model, at most `most_visited`. Calls `goes_on` at every marking.
///
/// # Errors
/// A message, when a bound is not proved, the visit is stopped, or the net cannot be built.
pub fn rebuild(
    model: &ExtendedNet,
    named: &NamedTranslation,
    most_visited: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Net, String> {
    let checked = bounds::check_bounds(model, named, most_visited, goes_on)?;
    build::build(model, &checked)
}
