//! Vocabulary of Parikh: place/transition nets, markings, predicates, goals and facts, and a tiny
//! textual net format for tests, examples and bug reports.
//!
//! ```
//! use parikh_net::{text, Predicate, Goal};
//!
//! let net = text::parse("
//!     net handshake
//!     place idle 2
//!     place busy
//!     transition start: idle -> busy
//!     transition stop:  busy -> idle
//! ").unwrap();
//! let busy = net.place_named("busy").unwrap();
//! let start = net.transition_named("start").unwrap();
//!
//! let mut marking = net.initial().clone();
//! net.fire(&mut marking, start).unwrap();
//! assert_eq!(marking[busy], 1);
//!
//! let both_busy = Goal::Reach(Predicate::at_least(busy, 2));
//! assert!(!matches!(&both_busy, Goal::Reach(phi) if phi.holds(&net, &marking)));
//! ```
//!
//! This crate does no I/O, knows no solver, and does not panic on a well-formed net.

mod assuming;
pub mod assumption;
pub mod builder;
mod closest;
pub mod coloured;
pub mod counted;
pub mod extended;
pub mod facts;
pub mod fairness;
pub mod features;
pub mod goal;
pub mod id;
pub mod lasso;
pub mod loops;
pub mod marking;
pub mod marking_text;
pub mod names;
pub mod net;
pub mod node_names;
mod of_model;
pub mod pnml;
pub mod precondition;
pub mod predicate;
pub mod printable;
pub mod property;
pub mod pumping;
pub mod run_property;
pub mod sequence;
pub mod sets;
pub mod subnet;
pub mod sum;
mod table;
pub mod text;
pub mod translation;
pub mod tree_property;
pub mod units;
pub mod written;

pub use parikh_temporal::components;

pub use assumption::Assumption;
pub use builder::{BuildError, NetBuilder};
pub use closest::closest;
pub use extended::{ExtendedBuilder, ExtendedNet, Inhibitor};
pub use facts::{Facts, Provenance};
pub use fairness::Fairness;
pub use features::Features;
pub use goal::{Goal, GoalId, GoalKind, MarkingGoal, SortedGoals, marking_goals};
pub use id::{EffectId, PlaceId, TransitionId, UnitId};
pub use loops::LoopRun;
pub use marking::Marking;
pub use net::{Arc, Change, FireError, Net, PlaceArc};
pub use node_names::{Mention, NameIndex, NodeKind, name_of};
pub use of_model::{of_model, sum_of_model};
pub use predicate::{Atom, Predicate};
pub use pumping::{PumpSequence, Stage};
pub use run_property::RunProperty;
pub use sequence::{FiringSequence, FiringStep};
pub use sum::{LinearSum, SumError};
pub use translation::Translation;
pub use tree_property::TreeProperty;
pub use units::{Units, UnitsError};
