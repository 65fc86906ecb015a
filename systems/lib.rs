//! Parallel systems of labelled transition systems, as the RERS challenge has them.
//!
//! ```text
//! text ──read──▶ System ──Product (some components)──▶ joint states
//! formula ──LabelFormula::negation──▶ KindAutomaton ──┴──▶ decide: a run against it, or none
//! ```
//!
//! | file | what |
//! |---|---|
//! | `system`, `builder` | components, labels and their owners |
//! | `read/` | systems and property files as text, with errors that say where |
//! | `formula` | LTL over labels, and automata that read one label a step |
//! | `product`, `store` | joint states of some components, packed, each stored once |
//! | `search`, `walk` | runs that an automaton accepts: depth first, and at random |
//! | `factors` | components taken apart into smaller ones that do the same together |
//! | `insensitive`, `stubborn` | which formulas see only the labels that they name, and which steps may then wait |
//! | `compose` | components put together two by two, each time made as small as what is asked allows |
//! | `branching` | CTL over labels, on all joint states |
//! | `net` | systems as place/transition nets |
//! | `write` | systems as text |
//! | `decide` | which components to search, and when |
//!
//! This crate does no I/O and knows no net but to make one of a system.

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

pub use branching::{BranchingFormula, Space};
pub use builder::{BuildError, ComponentBuilder, system};
pub use decide::{Decider, Grounds, Undecided};
pub use factors::View;
pub use formula::{KindAutomaton, LabelFormula, Move};
pub use net::{NetError, net, states_of_places};
pub use search::{Endings, Run};
pub use system::{Component, LabelId, System};
