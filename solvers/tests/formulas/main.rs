//! Tests of SAT and SMT back-ends against enumeration of all values.

mod sat;
#[path = "../../../tests/support/scale.rs"]
mod scale;
mod terms;
