//! Properties of parallel systems: read, settled on several threads, and checked before they are
//! reported.
//!
//! Every result of `parikh-systems` is checked by [`parikh_evidence::systems`], which reads the
//! file and the properties with its own reader. The checker replays a run component by component
//! and evaluates the formula on it. If some components have no violating run, the checker explores
//! them again, up to a limit.

mod case;
mod evidence_file;
mod played;
mod reason;
mod settle;

pub use case::{CaseError, PropertyFormula, SystemCase, SystemFormat, SystemLogic};
pub use evidence_file::SystemEvidence;
pub use played::{MAX_STEPS, ResolvedRun, resolve_run};
pub use reason::{SystemGrade, SystemReason};
pub use settle::{PropertyAnswer, SettleConfig, SystemOutcome, SystemProof, settle};
