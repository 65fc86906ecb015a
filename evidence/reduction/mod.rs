//! Structural reductions, as far as one has to believe them.
//!
//! A reduction makes a smaller net that has the same answers to some questions: [`Needs`] says
//! which. It is a sequence of applications of [rules], written down in a [`NamedLog`]: which rule,
//! at which nodes. Here is what makes an application right: the numbered [conditions] of each rule
//! with the argument for them, the one place that [changes](change) a net, and [`redo()`], which
//! goes through a log again; [`CheckedReduction`] is what comes of it. How candidates are found, in
//! what order, and how firing sequences come back is not here.
//!
//! # The parts
//! [`work`] is the net under reduction, [`conditions`] what a rule has to say, [`rules`] has one
//! rule a file, [`translation`] what the net that comes out means.

pub mod change;
mod checked;
mod compose;
pub mod conditions;
mod finish;
pub mod log;
pub mod needs;
mod redo;
pub mod rules;
pub mod translation;
mod weighted_sum;
pub mod work;

pub use change::{Edit, Equality, Refused, apply};
pub use checked::CheckedReduction;
pub use conditions::{Candidate, Conditions, Context, Granted, propose};
pub use finish::{Finishing, finish};
pub use log::{LogError, LogStep, MadeUp, NamedLog};
pub use needs::{Form, Needs, Preserve};
pub use redo::{Watch, redo};
pub use translation::{Firing, ReducedNet};
pub use weighted_sum::WeightedSum;
pub use work::WorkNet;
