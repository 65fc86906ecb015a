//! Evidence about coloured models: the auditor's own reader of symmetric nets, and a check that the
//! net without colours that the evidence speaks about stands for the coloured one.
//!
//! Nothing here is shared with what it checks, neither the reader nor the evaluation of terms nor
//! the way in which bindings are found: the prover joins colours that may be reached, here colours
//! are tried one after the other.
//!
//! | file | what it does |
//! |---|---|
//! | [`elements`] | looks through what tools put around terms and sorts; the limit to depth |
//! | [`sorts`] | reads sorts, constants and variables |
//! | [`terms`] | reads terms and guards |
//! | [`meaning`] | evaluates them |
//! | [`net`] | reads places, transitions and arcs |
//! | [`classes`] | colours made one, and that nothing tells them apart |
//! | [`unfolding`] | makes the net that is listed, and shows that it stands for the coloured one |
//! | [`tries`] | how many colours are tried, and why there is no net |
//! | [`audit`] | goes through files of evidence |

mod audit;
mod classes;
mod elements;
mod meaning;
mod net;
mod sorts;
mod terms;
mod tries;
mod unfolding;

pub use audit::{ColouredAudit, Limits, Queries};
pub use net::{ColouredModel, is_coloured, read, read_as};
pub use tries::Unconfirmed;
pub use unfolding::Bindings;
