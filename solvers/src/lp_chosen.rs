//! The LP back-end that engines use: HiGHS, in a worker process if a program for it is set. Builds
//! without HiGHS use microlp, and so do runs with `PARIKH_LP=microlp`.

use crate::linear_program::LinearProgram;
use crate::lp::IncrementalLp;
use crate::{lp_cold::ScratchLp, lp_microlp::MicroLp};

/// Takes over `program` in a solver whose answers can be certified.
pub fn incremental_lp(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    highs_or(MicroLp::new(), program)
}

/// Takes over `program` in a solver for answers that serve as hints only. They may lack the
/// multipliers that a certificate needs.
pub fn incremental_lp_for_hints(program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    highs_or(MicroLp::without_certificates(), program)
}

/// Takes over `program` in HiGHS, in a worker process if a worker program is set. Uses `microlp`
/// instead if the environment variable `PARIKH_LP` is `microlp`.
#[cfg(feature = "highs")]
fn highs_or(microlp: MicroLp, program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    use crate::{guest, lp_highs::HighsModel};
    use std::{env, sync::LazyLock};
    static IS_MICROLP: LazyLock<bool> =
        LazyLock::new(|| env::var_os("PARIKH_LP").is_some_and(|asked| asked == "microlp"));
    match guest::program() {
        _ if *IS_MICROLP => Box::new(ScratchLp::new(microlp, program)),
        Some(_) => Box::new(guest::GuestLp::new(program)),
        None => Box::new(HighsModel::new(program)),
    }
}

#[cfg(not(feature = "highs"))]
fn highs_or(microlp: MicroLp, program: LinearProgram) -> Box<dyn IncrementalLp + Send> {
    Box::new(ScratchLp::new(microlp, program))
}
