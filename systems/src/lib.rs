//! Parallel systems of labelled transition systems, in the form of the RERS challenge.
//!
//! ```text
//! text ──read──▶ System ──Product (some components)──▶ joint states
//! formula ──LabelFormula::negation──▶ KindAutomaton ──┴──▶ decide: a counterexample run, or none
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `system`, `builder` | components, labels and their owners |
//! | `read/` | parsers of systems and property files, with error positions |
//! | `formula` | LTL over labels, and automata that read one label per step |
//! | `product`, `store` | packed joint states of some components, each stored once |
//! | `search`, `walk` | search for runs that an automaton accepts: depth-first, and by random walks |
//! | `factors` | decomposition of components into smaller ones with the same joint behaviour |
//! | `insensitive`, `stubborn` | formulas that depend only on the labels that they name; partial-order reduction for them |
//! | `compose` | compositional minimisation: components are composed in pairs and minimised |
//! | `branching` | CTL over labels, on all joint states |
//! | `net` | systems as place/transition nets |
//! | `write` | systems as text |
//! | `decide` | choice of components and methods |
//!
//! This crate does no I/O and uses nets only to translate a system into one.

#![forbid(unsafe_code)]

mod branching;
mod builder;
mod compose;
mod decide;
mod factors;
mod formula;
#[cfg(feature = "generate")]
pub mod generate;
mod insensitive;
mod net;
mod product;
pub mod read;
mod recurrence;
mod search;
mod store;
mod stubborn;
mod system;
mod walk;
pub mod write;

pub use branching::{BranchingFormula, JointStateSpace};
pub use builder::{BuildError, ComponentBuilder, system};
pub use decide::{Decider, Justification, NoVerdict};
pub use factors::FactorView;
pub use formula::{KindAutomaton, KindEdge, LabelFormula};
pub use net::{NetError, net, states_of_places};
pub use search::{ComponentRun, FiniteRuns};
pub use system::{Component, LabelId, System};
