//! Reachability and coverability graphs of small nets.
//!
//! | file | contents |
//! |---|---|
//! | [`reachability`] | every reachable marking and every firing |
//! | [`coverability`] | the graph of Karp and Miller, for unbounded nets |
//! | [`omega`] | markings with ω, also used by the coverability engine |
//! | [`components`] | terminal strongly connected components |
//! | [`view`] | a graph for output: dead, terminal and highlighted nodes |
//! | [`write`](mod@write), [`svg`](mod@svg) | for Graphviz, CADP and mCRL2, scripts; a picture |

pub mod components;
pub mod coverability;
pub mod omega;
pub mod reachability;
pub mod svg;
pub mod view;
pub mod write;
