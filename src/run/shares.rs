//! Shares of the time outside of the [schedule](super::schedule): before the workers start, between
//! two stages, and for the figures of a state space.
//!
//! All these shares are in one file, so that a change of one considers the others. Each is in [0,
//! 1]: a share of the remaining time of the run, or of the budget that its comment names.
//!
//! Time that neither this file nor the schedule assigns:
//!
//! - The board's checks (`engine/src/board/evidence.rs`) and shorter witnesses
//!   (`engine/src/board/shorten.rs`) are limited to a share of the elapsed time.
//! - An engine that runs once has its share in its [role](parikh_engine::Role).
//! - An engine divides its own slice.
//! - On a coloured net, runs on nets with fewer colours alternate: `src/run/coloured.rs` has the
//!   time per turn, which doubles each round.
//! - Properties of a parallel system have turns: `src/systems/settle.rs`.

use std::time::Duration;

/// Share for bounds from place invariants: before the workers start, again for a reduced net, and
/// for the boundedness check of a state space.
pub(super) const INVARIANTS: f64 = 0.1;

/// Share for a stage of the workers that works only on goals about dead markings, because a
/// reachable dead marking refutes most home properties. In the first round it is a share of the
/// round.
pub(super) const DEAD_ENDS: f64 = 0.35;

/// Shares for the work on the coloured net before the unfolding takes over. The first applies if
/// equivalent colours give a quotient with a small unfolding, the second otherwise.
pub(super) const COLOURED_STAGE: [f64; 2] = [0.5, 0.2];

/// State space: time limit for the first visit of the markings, and for the first visit of the
/// reduced net. Most nets with few enough markings are finished within this time.
pub(super) const FIRST_VISIT: Duration = Duration::from_millis(500);

/// State space: share for each step that succeeds early or not at all. These steps are the search
/// for a self-covering sequence by coverability, the reduction, the second visit of the reduced
/// net, and the boundedness check.
pub(super) const EARLY_STEP: f64 = 0.1;

/// State space: share for the search for a self-covering sequence by random walks.
pub(super) const PUMP_BY_WALKS: f64 = 0.05;

/// State space: share for diagrams on one thread. They run at once if all places are known or
/// claimed to be bounded, otherwise after the maxima.
pub(super) const DIAGRAMS: f64 = 0.5;

/// State space: share for the maxima, if markings may still have to be counted afterwards. It is
/// also the share for the last visit of all markings, if they are counted already.
pub(super) const MAXIMA: f64 = 0.5;

/// Share of a count's remaining budget for each reduction of the net.
pub(super) const REDUCTION: f64 = 0.3;

/// Share of the count's remaining budget for the checker's recount.
pub(super) const RECOUNTING: f64 = 0.2;
