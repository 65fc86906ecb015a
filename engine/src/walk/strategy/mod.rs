//! Strategies for choosing the next firing, one file each. All implement
//! [`FiringStrategy`](super::walker::FiringStrategy).

pub(super) mod blind;
pub(super) mod deadlock;
pub(super) mod directed;
pub(super) mod guided;
mod monotone_queue;
pub(super) mod relaxed_plan;
