//! The registry: every engine, what it says, and when it has its turn.
//!
//! The schedule ([`crate::run::schedule`]) knows no engine by name; it reads this list, and so does
//! `tests/soundness/engines.rs`, which holds each against enumeration. An engine is one file (or
//! folder) beside this one with a constant `ENGINE`, its `mod` beside the others and its place in
//! [`ENGINES`].
//!
//! The list is in the order in which engines of the same role have their turns.

use super::{
    Engine, bmc, coverability, diagrams, explicit, fixpoint, growing, home, lasso, loops, pdr,
    ranking, runs, siphon_trap, smt, state_equation, walk,
};

/// All engines of the portfolio but for token intervals, which come before it.
pub const ENGINES: &[Engine] = &[
    coverability::ENGINE,
    siphon_trap::ENGINE,
    runs::ENGINE,
    home::graph::ENGINE,
    home::finitely::ENGINE,
    home::undone::ENGINE,
    home::commoner::ENGINE,
    home::closed::ENGINE,
    home::downhill::ENGINE,
    home::regions::ENGINE,
    home::described::ENGINE,
    home::graph::REDUCED,
    ranking::ENGINE,
    walk::product::ENGINE,
    growing::ENGINE,
    lasso::ENGINE,
    fixpoint::ENGINE,
    diagrams::TREES,
    state_equation::ENGINE,
    explicit::ENGINE,
    pdr::ENGINE,
    diagrams::ENGINE,
    bmc::ENGINE,
    smt::WIDE,
    loops::ENGINE,
    walk::ENGINE,
    walk::GUIDED,
];

/// Engines that take part only where they are asked for by name.
pub const BY_NAME: &[Engine] = &[pdr::K_INDUCTION, smt::K_INDUCTION, smt::BMC];
