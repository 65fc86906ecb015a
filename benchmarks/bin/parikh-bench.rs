//! The contest harness: runs contest instances and scores the answers.
fn main() {}
