//! Graphs of markings, for nets small enough: what can be reached, and how.
//!
//! | file | is |
//! |---|---|
//! | [`reachability`] | every reachable marking, every firing |

pub mod reachability;
