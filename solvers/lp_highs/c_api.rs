//! The part of HiGHS's C library that is used, declared by hand after `highs_c_api.h` 1.15.0.
//!
//! The crate `highs-sys` would compile HiGHS itself and make these declarations with libclang: ten
//! minutes and three programs more to install, for two dozen functions. The library comes from
//! scripts/setup.sh instead, which pins it; the tests below hold it against what is said here. The
//! crate `highs` is no way around that: it stands on `highs-sys`, and has no change of row bounds,
//! no Farkas ray and no interrupt, the three things a hot-started model inside a budget needs.
//!
//! Names are those of the header, so that its text can be looked up; what a function does stands
//! there and not here. Wherever a model is passed, it is one that [`Highs_create`] made and
//! [`Highs_destroy`] has not seen.

#![allow(non_snake_case, reason = "the names of the header")]
#![allow(non_upper_case_globals, reason = "the names of the header")]

use std::ffi::{c_char, c_int, c_void};

/// `int`, unless HiGHS is built with `HIGHSINT64`; the pinned library is not.
pub(super) type HighsInt = c_int;

/// What nearly all functions return: 0 fine, 1 with a warning, −1 failed.
pub(super) const kHighsStatusOk: HighsInt = 0;
pub(super) const kHighsStatusError: HighsInt = -1;

pub(super) const kHighsMatrixFormatRowwise: HighsInt = 2;

pub(super) const kHighsObjSenseMinimize: HighsInt = 1;
pub(super) const kHighsObjSenseMaximize: HighsInt = -1;

pub(super) const kHighsModelStatusNotset: HighsInt = 0;
pub(super) const kHighsModelStatusSolveError: HighsInt = 4;
pub(super) const kHighsModelStatusModelEmpty: HighsInt = 6;
pub(super) const kHighsModelStatusOptimal: HighsInt = 7;
pub(super) const kHighsModelStatusInfeasible: HighsInt = 8;
pub(super) const kHighsModelStatusUnbounded: HighsInt = 10;
pub(super) const kHighsModelStatusInterrupt: HighsInt = 17;

/// Asked at every iteration of the simplex method.
pub(super) const kHighsCallbackSimplexInterrupt: HighsInt = 1;

/// What HiGHS tells a callback; never looked into.
#[repr(C)]
pub(super) struct HighsCallbackDataOut {
    _opaque: [u8; 0],
}

/// What a callback tells HiGHS: the first of five fields, the only one that is written. Never made
/// here, only reached through the pointer that HiGHS hands over.
#[repr(C)]
pub(super) struct HighsCallbackDataIn {
    /// Not 0: stop.
    pub(super) user_interrupt: c_int,
}

/// Kind of callback, message, what HiGHS tells, what it is told, what [`Highs_setCallback`] was
/// given.
pub(super) type HighsCCallbackType = unsafe extern "C" fn(
    c_int,
    *const c_char,
    *const HighsCallbackDataOut,
    *mut HighsCallbackDataIn,
    *mut c_void,
);

#[link(name = "highs")]
unsafe extern "C" {
    // --- the library and its models ---
    pub(super) fn Highs_version() -> *const c_char;
    #[cfg(test)]
    fn Highs_getSizeofHighsInt(highs: *const c_void) -> HighsInt;
    pub(super) fn Highs_create() -> *mut c_void;
    pub(super) fn Highs_destroy(highs: *mut c_void);

    // --- options ---
    pub(super) fn Highs_setBoolOptionValue(
        highs: *mut c_void,
        option: *const c_char,
        value: HighsInt,
    ) -> HighsInt;
    pub(super) fn Highs_setIntOptionValue(
        highs: *mut c_void,
        option: *const c_char,
        value: HighsInt,
    ) -> HighsInt;
    pub(super) fn Highs_setStringOptionValue(
        highs: *mut c_void,
        option: *const c_char,
        value: *const c_char,
    ) -> HighsInt;

    // --- the program, whole and changed ---
    pub(super) fn Highs_clearModel(highs: *mut c_void) -> HighsInt;
    pub(super) fn Highs_passLp(
        highs: *mut c_void,
        num_col: HighsInt,
        num_row: HighsInt,
        num_nz: HighsInt,
        a_format: HighsInt,
        sense: HighsInt,
        offset: f64,
        col_cost: *const f64,
        col_lower: *const f64,
        col_upper: *const f64,
        row_lower: *const f64,
        row_upper: *const f64,
        a_start: *const HighsInt,
        a_index: *const HighsInt,
        a_value: *const f64,
    ) -> HighsInt;
    pub(super) fn Highs_addRow(
        highs: *mut c_void,
        lower: f64,
        upper: f64,
        num_new_nz: HighsInt,
        index: *const HighsInt,
        value: *const f64,
    ) -> HighsInt;
    pub(super) fn Highs_changeObjectiveSense(highs: *mut c_void, sense: HighsInt) -> HighsInt;
    pub(super) fn Highs_changeColsCostByRange(
        highs: *mut c_void,
        from_col: HighsInt,
        to_col: HighsInt,
        cost: *const f64,
    ) -> HighsInt;
    pub(super) fn Highs_changeColBounds(
        highs: *mut c_void,
        col: HighsInt,
        lower: f64,
        upper: f64,
    ) -> HighsInt;
    pub(super) fn Highs_changeRowBounds(
        highs: *mut c_void,
        row: HighsInt,
        lower: f64,
        upper: f64,
    ) -> HighsInt;

    // --- a run ---
    pub(super) fn Highs_setCallback(
        highs: *mut c_void,
        user_callback: Option<HighsCCallbackType>,
        user_callback_data: *mut c_void,
    ) -> HighsInt;
    pub(super) fn Highs_startCallback(highs: *mut c_void, callback_type: HighsInt) -> HighsInt;
    pub(super) fn Highs_stopCallback(highs: *mut c_void, callback_type: HighsInt) -> HighsInt;
    pub(super) fn Highs_run(highs: *mut c_void) -> HighsInt;

    // --- what came of it ---
    pub(super) fn Highs_getModelStatus(highs: *const c_void) -> HighsInt;
    pub(super) fn Highs_getObjectiveValue(highs: *const c_void) -> f64;
    pub(super) fn Highs_getSolution(
        highs: *const c_void,
        col_value: *mut f64,
        col_dual: *mut f64,
        row_value: *mut f64,
        row_dual: *mut f64,
    ) -> HighsInt;
    pub(super) fn Highs_getDualRay(
        highs: *const c_void,
        has_dual_ray: *mut HighsInt,
        dual_ray_value: *mut f64,
    ) -> HighsInt;
    pub(super) fn Highs_getBasicVariables(
        highs: *const c_void,
        basic_variables: *mut HighsInt,
    ) -> HighsInt;
    pub(super) fn Highs_getBasisInverseRow(
        highs: *const c_void,
        row: HighsInt,
        row_vector: *mut f64,
        row_num_nz: *mut HighsInt,
        row_index: *mut HighsInt,
    ) -> HighsInt;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    #[test]
    fn the_library_is_the_version_that_is_declared() {
        // SAFETY: a static string of the library, ended by a zero.
        let version = unsafe { CStr::from_ptr(Highs_version()) };
        assert_eq!(version.to_str(), Ok("1.15.0"));
    }

    #[test]
    fn integers_are_as_wide_as_declared() {
        // SAFETY: a model of its own, destroyed last.
        let size = unsafe {
            let model = Highs_create();
            let size = Highs_getSizeofHighsInt(model);
            Highs_destroy(model);
            size
        };
        assert_eq!(usize::try_from(size), Ok(size_of::<HighsInt>()));
    }
}
