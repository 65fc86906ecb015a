//! What SAT and SMT back-ends answer, against trying all values.

mod sat;
#[path = "../../../tests/support/scale.rs"]
mod scale;
mod terms;
