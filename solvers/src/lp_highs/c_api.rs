//! The used part of HiGHS's C library, declared by hand after `highs_c_api.h` 1.15.0.
//!
//! The crate `highs-sys` would compile HiGHS itself and generate these declarations with libclang:
//! ten minutes and three more programs to install for two dozen functions. Instead,
//! scripts/setup.sh provides a pinned library, and the tests below check it against these
//! declarations. The crate `highs` depends on `highs-sys` and lacks three functions that a
//! warm-started model with a budget needs: changes of row bounds, Farkas rays and interrupts.
//!
//! Names follow the header, which documents the functions. Every model argument must come from
//! [`Highs_create`] and must not have been passed to [`Highs_destroy`].

#![allow(non_snake_case, reason = "the names of the header")]
#![allow(non_upper_case_globals, reason = "the names of the header")]

use std::ffi::{c_char, c_int, c_void};

/// `int`, unless HiGHS is built with `HIGHSINT64`; the pinned library is not.
pub(super) type HighsInt = c_int;

/// Status codes of nearly all functions: 0 success, 1 warning, −1 failure.
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

/// Callback type: called at every iteration of the simplex method.
pub(super) const kHighsCallbackSimplexInterrupt: HighsInt = 1;

/// Output data of a callback; never read here.
#[repr(C)]
pub(super) struct HighsCallbackDataOut {
    _opaque: [u8; 0],
}

/// Input data of a callback: the first of five fields, the only one that is written. HiGHS creates
/// the struct and passes a pointer to it.
#[repr(C)]
pub(super) struct HighsCallbackDataIn {
    /// A value other than 0 stops the run.
    pub(super) user_interrupt: c_int,
}

/// Arguments: kind of callback, message, output data, input data, and the pointer given to
/// [`Highs_setCallback`].
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

    // --- the program and its changes ---
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

    // --- results ---
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
        // SAFETY: the library returns a static, zero-terminated string.
        let version = unsafe { CStr::from_ptr(Highs_version()) };
        assert_eq!(version.to_str(), Ok("1.15.0"));
    }

    #[test]
    fn integers_are_as_wide_as_declared() {
        // SAFETY: the model is created here and destroyed last.
        let size = unsafe {
            let model = Highs_create();
            let size = Highs_getSizeofHighsInt(model);
            Highs_destroy(model);
            size
        };
        assert_eq!(usize::try_from(size), Ok(size_of::<HighsInt>()));
    }
}
