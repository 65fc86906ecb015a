//! Evidence about coloured models: the auditor's own reader of symmetric nets, and a check that the
//! unfolding in the evidence is equivalent to the coloured net.
//!
//! Nothing here is shared with the prover: neither the reader, nor the evaluation of terms, nor the
//! enumeration of bindings. The prover joins the colours that places may hold; the auditor tries
//! colours one after the other.
//!
//! | file | content |
//! |---|---|
//! | [`elements`] | skips meaningless elements around terms and sorts; the limit of depth |
//! | [`sorts`] | reads sorts, constants and variables |
//! | [`terms`] | reads terms and guards |
//! | [`meaning`] | evaluates terms and guards |
//! | [`net`] | reads places, transitions and arcs |
//! | [`classes`] | checks that merged colours are indistinguishable |
//! | [`unfolding`] | rebuilds the listed net, and checks that it is equivalent to the coloured net |
//! | [`tries`] | limits the number of tried colours |
//! | [`audit`] | audits files of evidence |

mod audit;
mod classes;
mod elements;
mod meaning;
mod net;
mod sorts;
mod terms;
mod tries;
mod unfolding;

pub use audit::{ColouredAudit, Queries, RepeatLimits};
pub use net::{ColouredModel, is_coloured, read, read_as};
pub use tries::UnfoldingFlaw;
pub use unfolding::RequiredBindings;
