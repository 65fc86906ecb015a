//! Walks that search for runs with a property (product walks).
//!
//! A walk follows the automata of all open properties at once. For each property it maintains the
//! *set* of states that the automaton may be in after the letters so far. With an empty set, this
//! walk can no longer find the property. On its way it searches for infinite continuations:
//!
//! * a set with a state that accepts every continuation;
//! * a dead marking, or a transition without effect: the letter repeats forever, and the automaton
//!   states that accept the repetition are computed once per letter;
//! * a cycle back to a visited marking, or to a marking with more tokens on places that no atom
//!   reads. Small cycles are searched actively (`return_walk`): without a change of letters if
//!   repeating the current letter forever is accepted, otherwise any.
//!
//! Some walks follow a single property. They look one firing ahead in order not to lose the
//! property. They move towards markings whose letters lead the automaton to an accepting component.
//!
//! | file | contents |
//! |---|---|
//! | `alphabet` | the atoms of all properties as bits, and letters as numbers |
//! | `subsets` | sets of automaton states, computed on demand |
//! | `return_walk` | random return to a marking |
//! | `cycle_search` | best-first search for short cycles |
//! | `walk` | one walk: choose, read, fire, and test for infinite continuations |
//! | `walker` | the data shared by walks |
//! | `rounds` | rounds with one walk of each kind |
//! | `engine` | the engine: rounds of walks, as long as they find runs |
//!
//! # Sources
//! Acceptance at dead markings and transitions without effect, and the table of visited markings:
//! Y. Thierry-Mieg, *Efficient strategies to compute invariants, bounds and stable places of Petri
//! nets* and the walks of ITS-Tools described there. The rest is our own.

mod alphabet;
mod cycle_search;
mod engine;
mod return_walk;
mod rounds;
mod subsets;
mod walk;
mod walker;

pub use alphabet::Atoms;
pub use engine::ENGINE;
pub use walker::ProductWalk;

#[cfg(test)]
mod tests;
