//! CTL decided marking by marking, on as much of the graph of markings as the formula asks for.
//!
//! A *configuration* is a marking and a part of the formula; its value is whether the part is true
//! of the marking. The value of the whole formula at the initial marking *demands* those of others:
//! of a conjunction its operands, of EX φ those of φ after each firing, and so on. Markings are
//! expanded where something is demanded of them, and no more once a value is known: three-valued
//! evaluation keeps the search local.
//!
//! Now and then a *sweep* goes over all that is demanded and computes which values follow from what
//! is known so far, taking nothing for granted of markings that were not expanded. Untils are least
//! fixpoints: true is what is led to the goal by known values; false is what is not led there even
//! if all that is unknown is taken for true. That second half finds the cycles in which nothing
//! ever becomes true (what dependency graphs call a certain zero). Releases are the same with the
//! values exchanged. A sweep costs as much as the firings that it goes over, so there is one
//! whenever half as many again were looked at. When nothing demanded is left to be expanded, the
//! two halves agree and every value is known.
//!
//! What a value follows from is kept by how it was computed, so afterwards a *labelling* is taken
//! from the graph: the few configurations that the answer really needs, for the checker and for
//! people.
//!
//! Whether its atoms are true of a marking is known as soon as something is demanded there, before
//! it is expanded: where a formula asks for some marking, it is found a step earlier. Other engines
//! look for markings in which an atom has another value than initially, and do that better than an
//! order here would: the ways that they find are followed.
//!
//! Of a formula without EX and AX, markings are identified that differ by firings which it does not
//! see ([`crate::evidence::tree::silent`]); it has a graph of its own then, and a labelling lists
//! only what stands for others.
//!
//! Source: local model checking by dependency graphs, Liu and Smolka, ICALP 1998; Dalsgaard and
//! others, *A Distributed Fixed-Point Algorithm for Extended Dependency Graphs*, Fundamenta
//! Informaticae 2018.
//!
//! | file | what |
//! |---|---|
//! | `engine` | open properties one after the other, with more time each round, on one graph |
//! | `known` | what other goals tell: of all markings, and of ways to some |
//! | `parts` | the formula as an array of parts, sets of parts as bits |
//! | `search` | demand, expansions, and what is known |
//! | `sweep` | the fixpoints over what is demanded |
//! | `explain` | the labelling of a value that was found |

mod engine;
mod explain;
mod known;
mod parts;
mod search;
mod sweep;

pub use engine::{ENGINE, labelling};

#[cfg(test)]
mod tests;
