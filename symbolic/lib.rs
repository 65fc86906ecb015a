//! Sets of markings as list decision diagrams, and the reachable set of a Petri net by saturation.
//!
//! Many nets with 10²⁰ reachable markings have a simple *set* of them: what one part of the net
//! does depends little on the others. A *list decision diagram* writes a set of equally long
//! vectors as a graph in which equal parts occur once. A node is (value, down, right):
//!
//! ```text
//! ⟦(v, down, right)⟧ = { v·w | w ∈ ⟦down⟧ } ∪ ⟦right⟧      ⟦0⟧ = ∅      ⟦1⟧ = { the empty vector }
//! ```
//!
//! with values growing to the right, so that a set has exactly one diagram and two sets are equal
//! if and only if their nodes are. The k-th number of a vector belongs to *level* k; which place is
//! at which level (the [`order`]) decides between seconds and never.
//!
//! This crate knows places as levels and transitions as rows of [`Touch`]es. It knows no goal, no
//! examination, no file of the contest; what its figures are worth is for its users to say.
//!
//! | file | what |
//! |---|---|
//! | `store`, `cache`, `collect` | nodes, made once each; results of operations; what is no longer needed |
//! | `sets` | union, intersection, difference, members |
//! | `touch`, `relation`, `contexts` | transitions as implicit relations, and what is still to be read below a level |
//! | `saturate` | the reachable set, from the bottom up; `within`: the same inside another set |
//! | `breadth` | the reachable set, round by round; `path`: a firing sequence to a member, backwards |
//! | `next` | the members that one firing leads from into another set |
//! | `back` | how all members lead back to some, in steps that can be gone again |
//! | `count` | exact counts, plain and weighted; sums and their maxima |
//! | `restrict` | the members that satisfy a linear condition |
//! | `file` | diagrams as text |
//! | `order` | which place is at which level |
//!
//! Sources: Blom, van de Pol, "Symbolic reachability for process algebras with recursive data
//! types", ICTAC 2008 (list decision diagrams); Ciardo, Lüttgen, Siminiceanu, "Saturation: an
//! efficient iteration strategy for symbolic state-space generation", TACAS 2001; Biswal, Miner,
//! "Improving saturation efficiency with implicit relations", Petri Nets 2019; Molnár, Majzik,
//! "Saturation enhanced with conditional locality", Petri Nets 2019.

mod back;
mod breadth;
mod cache;
mod collect;
mod contexts;
mod count;
mod file;
mod levelled;
mod next;
mod number;
pub mod order;
mod path;
mod relation;
mod restrict;
mod saturate;
mod sets;
mod stack;
mod store;
mod touch;
mod within;

pub use back::Steps;
pub use count::{Changes, Factor, Factors};
pub use file::{Diagram, FileError};
pub use path::Firings;
pub use relation::Relation;
pub use restrict::Linear;
pub use stack::with_stack;
pub use store::{Diagrams, Figures, Limits, Set, Stop};
pub use touch::Touch;
