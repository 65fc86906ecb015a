//! Pictures of nets, systems and graphs of markings, in SVG, Graphviz's language and PNG.
//!
//! [`layout`](mod@layout) places the nodes of a graph, [`draw`] and [`graph`] draw with it, and
//! [`png`] turns a picture in SVG into pixels.

pub mod draw;
pub mod graph;
pub mod layout;
pub mod names;
pub mod plot;
pub mod png;
