//! Properties of parallel systems: read, decided on several threads, and checked before they are
//! told.
//!
//! Whatever `parikh-systems` finds goes to the checkers of [`crate::evidence::systems`], which read
//! file and properties by themselves: a run is followed component by component and the formula
//! evaluated on it; components that have no run against a formula are visited again, as far as that
//! is worth it.

mod case;
mod evidence_file;
mod played;
mod settle;

pub use case::{Case, CaseError, Format, Logic, Question};
pub use evidence_file::SystemEvidence;
pub use played::{MOST_STEPS, Played, played};
pub use settle::{Answer, Config, Settled, Shown, settle};
