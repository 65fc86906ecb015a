//! The command line of Parikh.
fn main() {}
