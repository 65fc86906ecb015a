//! Parametric nets with known answers.
