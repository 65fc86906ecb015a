//! Vocabulary of Parikh.
