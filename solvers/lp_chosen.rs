//! The back-end for linear programs that engines use: HiGHS, as a guest once somebody has invited one
//! (`guest::invite`), or microlp in builds without it.

use crate::linear_program::LinearProgram;
use crate::lp::IncrementalLp;

/// Takes over `program`.
#[cfg(feature = "highs")]
pub fn keep(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    use crate::{guest, lp_highs::HighsModel};
    match guest::program() {
        Some(_) => Box::new(guest::GuestLp::new(program)),
        None => Box::new(HighsModel::new(program)),
    }
}

/// Takes over `program`, whose answers nobody certifies.
#[cfg(feature = "highs")]
pub fn keep_for_hints(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    keep(program)
}

/// Takes over `program`.
#[cfg(not(feature = "highs"))]
pub fn keep(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    use crate::{lp_cold::Cold, lp_microlp::MicroLp};
    Box::new(Cold::new(MicroLp::new(), program))
}

/// Takes over `program`, whose answers nobody certifies.
#[cfg(not(feature = "highs"))]
pub fn keep_for_hints(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    use crate::{lp_cold::Cold, lp_microlp::MicroLp};
    Box::new(Cold::new(MicroLp::without_certificates(), program))
}
