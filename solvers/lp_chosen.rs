//! The back-end for linear programs that engines use: HiGHS, as a guest once somebody has invited
//! one (`guest::invite`); or microlp, in builds without HiGHS and where `PARIKH_LP=microlp` asks
//! for it.

use crate::linear_program::LinearProgram;
use crate::lp::IncrementalLp;
use crate::{lp_cold::Cold, lp_microlp::MicroLp};

/// Takes over `program`.
pub fn keep(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    highs_or(MicroLp::new(), program)
}

/// Takes over `program`, whose answers nobody certifies.
pub fn keep_for_hints(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    highs_or(MicroLp::without_certificates(), program)
}

#[cfg(feature = "highs")]
fn highs_or(microlp: MicroLp, program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    use crate::{guest, lp_highs::HighsModel};
    use std::{env, sync::LazyLock};
    static IS_MICROLP: LazyLock<bool> =
        LazyLock::new(|| env::var_os("PARIKH_LP").is_some_and(|asked| asked == "microlp"));
    match guest::program() {
        _ if *IS_MICROLP => Box::new(Cold::new(microlp, program)),
        Some(_) => Box::new(guest::GuestLp::new(program)),
        None => Box::new(HighsModel::new(program)),
    }
}

#[cfg(not(feature = "highs"))]
fn highs_or(microlp: MicroLp, program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    Box::new(Cold::new(microlp, program))
}
