//! The contest harness and micro-benchmarks of Parikh.
