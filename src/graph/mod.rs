//! Graphs of markings, for nets small enough: what can be reached, and how.
//!
//! | file | is |
//! |---|---|
//! | [`reachability`] | every reachable marking, every firing |
//! | [`coverability`] | of nets without bounds, the graph of Karp and Miller |
//! | [`omega`] | markings with ω, which the engine of that name uses as well |
//! | [`components`] | what is never left again |
//! | [`view`] | a graph as it is shown: what is dead, terminal, on a path |
//! | [`write`](mod@write), [`svg`](mod@svg) | for Graphviz, CADP and mCRL2, scripts; a picture |

pub mod components;
pub mod coverability;
pub mod omega;
pub mod reachability;
pub mod svg;
pub mod view;
pub mod write;
