//! Parikh.
