//! Pictures and files of graphs of markings.
//!
//! | file | contents |
//! |---|---|
//! | [`view`] | a graph as it is shown: dead and terminal markings, edges on a path |
//! | [`write`](mod@write), [`svg`](mod@svg) | for Graphviz, CADP and mCRL2, scripts; a picture |

pub mod svg;
pub mod view;
pub mod write;
