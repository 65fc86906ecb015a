//! Graphs of markings, for nets small enough.
//!
//! | file | contents |
//! |---|---|
//! | [`reachability`] | every reachable marking, every firing |
//! | [`coverability`] | the graph of Karp and Miller, for unbounded nets |
//! | [`omega`] | markings with ω, which the engine `coverability` uses as well |
//! | [`dead`] | a search for all dead markings |
//! | [`components`] | terminal strongly connected components |

pub mod components;
pub mod coverability;
pub mod dead;
pub mod omega;
pub mod reachability;
