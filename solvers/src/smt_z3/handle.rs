//! The owner of a solver inside Z3. All unsafe code of the back-end is in this file.
//!
//! # Why not `z3::Solver`
//! It can be stopped only by `Z3_interrupt`, which acts on the context, and the crate has one
//! context per thread. An interrupt that arrives just after the end of a check remains in the
//! context, and every later model on that thread is refused (Z3 5.3.3). `Z3_solver_interrupt` acts
//! only on the running check of one solver.

use std::ffi::CStr;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use num_rational::BigRational;
use z3::Context;
use z3::ast::{Ast, Bool};
use z3_sys::*;

use crate::budget::Budget;

/// Interval at which the budget is read while Z3 checks satisfiability.
const WATCH_INTERVAL: Duration = Duration::from_millis(5);

/// The outcome of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    Satisfiable,
    Unsatisfiable,
    Unknown,
}

/// A solver in the context of this thread. It is not `Send`, because the context is not.
pub(super) struct Handle {
    /// The context of this thread.
    context: Context,
    /// The solver inside Z3; this object holds a reference.
    solver: Z3_solver,
    /// True if an assertion failed, so that the stack of assertions may be wrong.
    has_failed: bool,
}

impl Handle {
    /// Creates a solver with tactics for `logic`, or with the incremental core. Returns `None` if
    /// Z3 fails.
    pub(super) fn new(logic: Option<&str>) -> Option<Self> {
        let context = Context::thread_local();
        let raw = context.get_z3_context();
        // SAFETY: the context is alive; the new solver gets a reference at once.
        let solver = unsafe {
            let solver = match logic {
                Some(logic) => Z3_mk_solver_for_logic(raw, mk_symbol(raw, logic)?)?,
                None => Z3_mk_simple_solver(raw)?,
            };
            Z3_solver_inc_ref(raw, solver);
            solver
        };
        Some(Handle { context, solver, has_failed: false })
    }

    fn raw(&self) -> Z3_context {
        self.context.get_z3_context()
    }

    /// Returns true if all assertions so far succeeded.
    pub(super) fn is_sound(&self) -> bool {
        !self.has_failed
    }

    fn note_errors(&mut self) {
        // SAFETY: the context is alive.
        self.has_failed |= unsafe { Z3_get_error_code(self.raw()) } != ErrorCode::Ok;
    }

    pub(super) fn assert(&mut self, term: &Bool) {
        // SAFETY: solver and term are alive, and belong to the one context of this thread.
        unsafe { Z3_solver_assert(self.raw(), self.solver, term.get_z3_ast()) };
        self.note_errors();
    }

    /// Runs a check while a second thread watches the budget. `assumptions` must be literals.
    pub(super) fn check(&mut self, assumptions: &[Bool], budget: &Budget) -> CheckOutcome {
        let assumed: Vec<Z3_ast> = assumptions.iter().map(Ast::get_z3_ast).collect();
        let timer = InterruptTimer { context: self.raw(), solver: self.solver };
        let (end_watch, end_signal) = channel::<()>();
        let result = std::thread::scope(|scope| {
            let watcher = std::thread::Builder::new().spawn_scoped(scope, move || {
                while end_signal.recv_timeout(WATCH_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    if budget.is_exhausted() {
                        // The interrupt is repeated, because an interrupt before Z3 has started is
                        // lost.
                        timer.interrupt();
                    }
                }
            });
            if watcher.is_err() {
                // Without the watcher, a check might never end.
                return Z3_L_UNDEF;
            }
            // SAFETY: solver and assumptions are alive; 2³² assumptions with their terms would take
            // hundreds of gigabytes.
            let result = unsafe {
                Z3_solver_check_assumptions(
                    self.raw(),
                    self.solver,
                    assumed.len() as u32,
                    assumed.as_ptr(),
                )
            };
            drop(end_watch);
            result
        });
        match result {
            Z3_L_TRUE => CheckOutcome::Satisfiable,
            Z3_L_FALSE => CheckOutcome::Unsatisfiable,
            _ => CheckOutcome::Unknown,
        }
    }

    /// Returns Z3's reason for an unknown result of the last check, or an empty text if Z3 gives
    /// none.
    pub(super) fn reason(&self) -> String {
        // SAFETY: the solver is alive; the string is copied before Z3 is called again.
        unsafe {
            let reason = Z3_solver_get_reason_unknown(self.raw(), self.solver);
            if reason.is_null() {
                return String::new();
            }
            CStr::from_ptr(reason).to_string_lossy().into_owned()
        }
    }

    /// Returns one flag per assumption: true if it is in the core of the last check. All flags are
    /// true if Z3 has no core.
    pub(super) fn core(&self, assumptions: &[Bool]) -> Vec<bool> {
        // SAFETY: the solver is alive; the vector holds a reference while it is read. Z3 shares
        // terms, so equal terms have equal addresses.
        unsafe {
            let Some(core) = Z3_solver_get_unsat_core(self.raw(), self.solver) else {
                return vec![true; assumptions.len()];
            };
            Z3_ast_vector_inc_ref(self.raw(), core);
            let found: Vec<Z3_ast> = (0..Z3_ast_vector_size(self.raw(), core))
                .filter_map(|index| Z3_ast_vector_get(self.raw(), core, index))
                .collect();
            let is_in_core = assumptions.iter().map(|term| found.contains(&term.get_z3_ast()));
            let is_in_core = is_in_core.collect();
            Z3_ast_vector_dec_ref(self.raw(), core);
            is_in_core
        }
    }

    /// Returns the model of the last check, if there is one.
    pub(super) fn model(&self) -> Option<ModelHandle<'_>> {
        // SAFETY: the solver is alive; the model gets a reference at once.
        unsafe {
            let model = Z3_solver_get_model(self.raw(), self.solver)?;
            Z3_model_inc_ref(self.raw(), model);
            Some(ModelHandle { context: &self.context, model })
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: releases the reference from `new` once.
        unsafe { Z3_solver_dec_ref(self.raw(), self.solver) };
    }
}

/// Returns a Z3 symbol for `name`. Returns `None` if `name` contains a zero byte, or if Z3 fails.
///
/// # Safety
/// The context must be alive.
unsafe fn mk_symbol(context: Z3_context, name: &str) -> Option<Z3_symbol> {
    let name = std::ffi::CString::new(name).ok()?;
    // SAFETY: Z3 copies the string.
    unsafe { Z3_mk_string_symbol(context, name.as_ptr()) }
}

/// Returns the output of Z3 for `script`. Returns an empty string if the script cannot be passed to
/// C or Z3 returns no text.
pub(super) fn eval(script: &str) -> String {
    eval_again(script).unwrap_or_default()
}

/// Returns the output of Z3 for `script`, or `None` if the script cannot be passed to C or Z3
/// returns no text.
pub(super) fn eval_again(script: &str) -> Option<String> {
    let context = Context::thread_local();
    let script = std::ffi::CString::new(script).ok()?;
    // SAFETY: the context and the string are alive; the result is copied before the next call of
    // Z3.
    unsafe {
        let answer = Z3_eval_smtlib2_string(context.get_z3_context(), script.as_ptr());
        if answer.is_null() {
            return None;
        }
        Some(CStr::from_ptr(answer).to_string_lossy().into_owned())
    }
}

/// The data of the watching thread.
struct InterruptTimer {
    /// The context of the solver.
    context: Z3_context,
    /// The solver to interrupt.
    solver: Z3_solver,
}

// SAFETY: used only for `Z3_solver_interrupt`, which may be called from other threads, and only
// within the scope in `Handle::check`, which the solver outlives.
unsafe impl Send for InterruptTimer {}

impl InterruptTimer {
    fn interrupt(&self) {
        // SAFETY: as for the `Send` of [`InterruptTimer`].
        unsafe { Z3_solver_interrupt(self.context, self.solver) };
    }
}

/// The owner of a model inside Z3.
pub(super) struct ModelHandle<'a> {
    /// The context of the model.
    context: &'a Context,
    /// The model inside Z3; this object holds a reference.
    model: Z3_model,
}

impl ModelHandle<'_> {
    /// Returns the value of `term`, or an arbitrary value if the model leaves it open. Returns
    /// `None` if Z3 cannot evaluate the term.
    fn evaluate<T: Ast>(&self, term: &T) -> Option<T> {
        let mut value = term.get_z3_ast();
        // SAFETY: model and term are alive and belong to one context; on success `value` is a term
        // of the same sort, and `wrap` gives it a reference.
        unsafe {
            Z3_model_eval(
                self.context.get_z3_context(),
                self.model,
                term.get_z3_ast(),
                true,
                &mut value,
            )
            .then(|| T::wrap(self.context, value))
        }
    }

    /// Returns the value of a Boolean.
    pub(super) fn truth(&self, term: &Bool) -> Option<bool> {
        self.evaluate(term)?.as_bool()
    }

    /// Returns the value of an integer, a real or a bit-vector. Returns `None` if Z3 cannot
    /// evaluate the term, or if the value is not rational.
    pub(super) fn number<T: Ast>(&self, term: &T) -> Option<BigRational> {
        let value = self.evaluate(term)?;
        let context = self.context.get_z3_context();
        // SAFETY: the value is alive; the string is copied before the next call of Z3.
        let text = unsafe {
            if !Z3_is_numeral_ast(context, value.get_z3_ast()) {
                return None;
            }
            let text = Z3_get_numeral_string(context, value.get_z3_ast());
            if text.is_null() {
                return None;
            }
            CStr::from_ptr(text).to_str().ok()?.to_owned()
        };
        // The text is `7`, `-7` or `1/3`.
        text.parse().ok()
    }
}

impl Drop for ModelHandle<'_> {
    fn drop(&mut self) {
        // SAFETY: releases the reference from `Handle::model` once.
        unsafe { Z3_model_dec_ref(self.context.get_z3_context(), self.model) };
    }
}
