//! The registry of all engines, with their roles.
//!
//! The schedule (`parikh::run::schedule`) knows no engine by name and reads this list. So does
//! `tests/soundness/engines.rs`, which compares each engine with exhaustive enumeration. To add an
//! engine, write a file or folder in `engine/src` with a constant `ENGINE`. Then add its `mod` line
//! to `lib.rs` and its entry to [`ENGINES`].
//!
//! Engines with the same role run in the order of this list.

use super::{
    Engine, bmc, coverability, diagrams, explicit, fixpoint, growing, home, lasso, loops, pdr,
    ranking, runs, siphon_trap, smt, state_equation, walk,
};

/// The engines of the portfolio that run without being requested by name. Token intervals are not
/// listed, because they run before the portfolio.
pub const ENGINES: &[Engine] = &[
    coverability::ENGINE,
    siphon_trap::ENGINE,
    runs::ENGINE,
    home::explicit_components::ENGINE,
    home::finite_firings::ENGINE,
    home::undoable_firings::ENGINE,
    home::commoner::ENGINE,
    home::closed_net::ENGINE,
    home::return_by_weights::ENGINE,
    home::walk_and_refute::ENGINE,
    home::symbolic_components::ENGINE,
    home::explicit_components::REDUCED,
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

/// Further engines, which run only if the user requests them by name.
pub const BY_NAME: &[Engine] = &[pdr::K_INDUCTION, smt::K_INDUCTION, smt::BMC];
