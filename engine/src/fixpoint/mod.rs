//! Local model checking of CTL: decides a formula marking by marking, on the part of the
//! reachability graph that the formula needs.
//!
//! A *configuration* is a marking with a subformula (a *part*). Its value is true if the part holds
//! at the marking. The value of the whole formula at the initial marking *demands* other values. A
//! conjunction demands its operands, EX φ demands φ after each firing, and so on. Markings are
//! expanded only while an unknown value is demanded there. This three-valued evaluation keeps the
//! search local.
//!
//! From time to time a *sweep* visits all demanded configurations, and computes the values that
//! follow from known values. It assumes nothing about unexpanded markings. Untils are least
//! fixpoints. An until is true where known values lead to its goal. It is false where the goal is
//! not reached even if all unknown values are assumed to be true. The second fixpoint finds cycles
//! in which the until never becomes true (in dependency graphs, certain zeros). Releases are dual.
//! A sweep costs as much as the firings that it visits, so it runs when the number of visited
//! firings has grown by half. When no demanded marking is unexpanded, the two fixpoints agree and
//! every value is known.
//!
//! The reason for each value can be recomputed from the fixpoints. At the end, a *labelling* is
//! extracted from the graph: the few configurations that the answer needs, for the checker and for
//! the user.
//!
//! The atoms of a marking are evaluated as soon as something is demanded there, before its
//! expansion. So an existential formula is decided one step earlier. Other engines search for
//! markings in which an atom differs from its initial value, and are better at it than any search
//! order here. The firing sequences that they find are followed.
//!
//! For a formula without EX and AX, markings are identified if they differ only by firings
//! invisible to the formula ([`parikh_evidence::tree::silent`]). Such a formula has its own graph,
//! and its labelling lists only the representative markings.
//!
//! Source: local model checking by dependency graphs, Liu and Smolka, ICALP 1998; Dalsgaard and
//! others, *A Distributed Fixed-Point Algorithm for Extended Dependency Graphs*, Fundamenta
//! Informaticae 2018.
//!
//! | file | contents |
//! |---|---|
//! | `engine` | the engine: treats open properties in turn on one graph, with more time in each round |
//! | `part_facts` | facts from other goals: about all markings, and firing sequences to follow |
//! | `parts` | the formula as an array of parts, sets of parts as bits |
//! | `search` | demands, expansions, and known values |
//! | `sweep` | the fixpoints over the demanded configurations |
//! | `explain` | the labelling that explains a value |
//! | `hunt` | walks from demanded markings towards markings that decide a part |

mod engine;
mod explain;
mod hunt;
mod part_facts;
mod parts;
mod search;
mod sweep;

pub use engine::{ENGINE, labelling};
