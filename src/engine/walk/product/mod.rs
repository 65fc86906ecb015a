//! Walks that look for runs with a property.
//!
//! A walk follows the automata of all open properties at once: for each it knows the *set* of
//! states that the automaton may be in after the letters so far, and a set without states has lost
//! the property for this walk. On its way it looks for ways to go on for ever:
//!
//! * a set with a state that accepts whatever follows;
//! * a dead marking, or one in which a transition without effect is enabled, whose letter repeats
//!   for ever: whether a state accepts that is known for each state and letter;
//! * a loop back to a marking that was passed, or to one with more tokens where no atom looks.
//!   Small loops are sought on purpose (`homing`): without a change of letters where these may stay
//!   as they are for ever, else any.
//!
//! Some walks follow one property only. These look one firing ahead, so as not to lose it, and go
//! towards markings whose letters lead its automaton to where runs are accepted.
//!
//! | file | what |
//! |---|---|
//! | `alphabet` | the atoms of all properties as bits, letters as numbers |
//! | `subsets` | sets of states, made as far as walks go |
//! | `homing` | the way back to a marking, by chance |
//! | `tours` | short loops, nearest first |
//! | `walk` | one walk: choose, read, fire, look for ends |
//! | `walker` | what walks share |
//! | `rounds` | one walk of each kind after the other |
//! | `engine` | rounds of walks, as long as they find something |
//!
//! # Sources
//! What accepts for ever at dead markings and neutral transitions, and the table of what was
//! passed: Y. Thierry-Mieg, *Efficient strategies to compute invariants, bounds and stable places
//! of Petri nets* and the walks of ITS-Tools described there. The rest is ours.

mod alphabet;
mod engine;
mod homing;
mod rounds;
mod subsets;
mod tours;
mod walk;
mod walker;

pub use alphabet::Atoms;
pub use engine::ENGINE;
pub use walker::ProductWalk;

#[cfg(test)]
mod tests;
