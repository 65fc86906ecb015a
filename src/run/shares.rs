//! The shares of the time that a run gives away outside of the [schedule](super::schedule): before
//! the workers begin, between two stages of them, and for the figures of a state space.
//!
//! They stand together so that whoever changes one sees the others. Each is in [0, 1], and a share
//! of what is left of the run when its turn comes, or of the budget that its comment names.
//!
//! Time that no share of this file or of the schedule gives away:
//!
//! - What the board takes while engines work: its checks (`src/board/evidence.rs`) and shorter
//!   witnesses (`src/board/shorten.rs`) are held to a share of the time that the run has had.
//! - What an engine that runs once has: its [role](crate::engine::Role) says it.
//! - How an engine divides its own slice.
//! - Of a coloured net as it is, how long a run on a net with fewer colours lasts before the next
//!   one has its turn: `src/run/coloured.rs`, which doubles it each round.
//! - Of a parallel system, the turns of its properties (`src/systems/settle.rs`).

use std::time::Duration;

/// Before the workers begin, and again for a reduced net: the bounds that place invariants give.
pub(super) const INVARIANTS: f64 = 0.1;

/// A first stage of the workers, which works on the goals about dead ends only.
pub(super) const DEAD_ENDS: f64 = 0.35;

/// The coloured net as it is, while its unfolding waits: where a quotient of it is exact, and where
/// none is.
pub(super) const AS_IT_IS: [f64; 2] = [0.5, 0.2];

/// A state space: the first visit of the markings. Most nets whose markings can be visited at all
/// are done by then.
pub(super) const AT_ONCE: Duration = Duration::from_millis(500);

/// A state space: each step that comes early, or not at all. These are the search for a pump by
/// coverability, the reduction, the first visit of what it leaves, and the question whether all
/// places are bounded.
pub(super) const EARLY: f64 = 0.1;

/// A state space: the search for a pump by random walks, which find one early or hardly ever.
pub(super) const PUMP_BY_WALKS: f64 = 0.05;

/// A state space: diagrams on one thread, at once where all places are known to be bounded, else
/// when maxima have had their time.
pub(super) const DIAGRAMS: f64 = 0.5;

/// A state space: the maxima, before the count goes on.
pub(super) const MAXIMA: f64 = 0.5;

/// Of the budget for a count: each reduction of the net.
pub(super) const REDUCTION: f64 = 0.3;

/// Of what is left of the budget for a count: the checker's own count.
pub(super) const RECOUNTING: f64 = 0.2;
