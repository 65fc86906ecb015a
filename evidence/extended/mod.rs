//! Nets with inhibitor and reset arcs: evidence is about the place/transition net that stands for
//! such a net, and the auditor makes that net again.
//!
//! A file says by which bounds it was made ([`NamedTranslation`]). Each bound is checked for what
//! it says it rests on ([`bounds`]); then the net is [made](build) by them, as
//! [`parikh_net::translation`] has it, and everything else is the audit of evidence about that net.
//! Nobody's word is taken: a wrong bound is refused with the whole file. A place may have a cap
//! instead, which nothing has to show; then less can be asked of the net, and each duty of an
//! answer ([`crate::question::obligation`]) is one about the half of the net that shows it.
//!
//! | file | what it does |
//! |---|---|
//! | [`bounds`] | checks bounds, by the firing rule with all arcs, and by sums |
//! | `build` | makes the net |
//! | `audit` | goes through files |

mod audit;
pub mod bounds;
mod build;

pub use audit::{ExtendedAudit, Queries};

use crate::file::NamedTranslation;
use parikh_net::{ExtendedNet, Net};

/// Makes the net again that a model was translated to, by bounds that are checked. Nets of up to
/// `most_visited` markings are visited.
///
/// # Errors
/// What is not shown, or cannot be made.
pub fn made_again(
    model: &ExtendedNet,
    named: &NamedTranslation,
    most_visited: u64,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Net, String> {
    let checked = bounds::checked(model, named, most_visited, goes_on)?;
    build::build(model, &checked)
}
