//! Sets of markings as list decision diagrams, and the reachable set of a Petri net by saturation.
//!
//! Many nets with 10²⁰ reachable markings have a reachable set with a simple structure: the
//! behaviour of one part of the net depends little on the other parts. A *list decision diagram*
//! represents a set of vectors of equal length as a graph in which equal parts occur once. A node
//! is (value, down, right):
//!
//! ```text
//! ⟦(v, down, right)⟧ = { v·w | w ∈ ⟦down⟧ } ∪ ⟦right⟧      ⟦0⟧ = ∅      ⟦1⟧ = { the empty vector }
//! ```
//!
//! Values grow to the right, so a set has exactly one diagram, and two sets are equal if and only
//! if their nodes are equal. The k-th number of a vector belongs to *level* k. The [`order`] of the
//! places over the levels decides whether a computation takes seconds or never ends.
//!
//! This crate knows places as levels and transitions as lists of [`LevelTouch`]es. It knows no goal
//! and no examination.
//!
//! | file | contents |
//! |---|---|
//! | `store`, `cache`, `collect` | unique nodes; a cache of results of operations; garbage collection |
//! | `sets` | union, intersection, difference, members |
//! | `touch`, `relation`, `contexts` | transitions as implicit relations; the transitions that a node is saturated for |
//! | `saturate` | the reachable set by saturation; `restricted_saturation`: saturation inside another set |
//! | `fire`, `path` | the vectors that one firing leads to; a firing sequence to a member, found backwards |
//! | `next` | the members from which one firing leads into another set |
//! | `backward_steps` | a list of steps that leads every member of a set to a target set |
//! | `count` | exact counts and weighted sums |
//! | `restrict` | the members that satisfy a linear condition; the range of a linear expression |
//! | `export` | diagrams as stand-alone data |
//! | `order` | orders of the places over the levels |
//!
//! Sources: Blom, van de Pol, "Symbolic reachability for process algebras with recursive data
//! types", ICTAC 2008 (list decision diagrams); Ciardo, Lüttgen, Siminiceanu, "Saturation: an
//! efficient iteration strategy for symbolic state-space generation", TACAS 2001; Biswal, Miner,
//! "Improving saturation efficiency with implicit relations", Petri Nets 2019; Molnár, Majzik,
//! "Saturation enhanced with conditional locality", Petri Nets 2019.

mod backward_steps;
mod cache;
mod collect;
mod contexts;
mod count;
mod export;
mod fire;
mod levelled;
mod next;
mod number;
pub mod order;
mod path;
mod relation;
mod restrict;
mod restricted_saturation;
mod saturate;
mod sets;
mod stack;
mod store;
mod touch;

pub use backward_steps::CountedSteps;
pub use count::{Changes, Factor, Factors};
pub use export::Diagram;
pub use path::TransitionPath;
pub use relation::TransitionRelation;
pub use restrict::{LevelInterval, LevelTerm, SumCondition, weighted_tokens};
pub use stack::with_stack;
pub use store::{DiagramFigures, Diagrams, Limits, Set, Stop};
pub use touch::LevelTouch;
