//! Random formulas of LTL, for properties of runs.

use fastrand::Rng;
use parikh_temporal::{Atom, Formula, Linear, Ltl};

/// A formula over the first so many atoms, with so many operators of two operands or one; half of
/// the atoms are negated, and X stands anywhere.
///
/// # Panics
/// Without an atom.
pub fn random_ltl(
    formulas: &mut Ltl,
    rng: &mut Rng,
    atoms: u32,
    operators: usize,
) -> Formula<Linear> {
    if operators == 0 {
        let atom = formulas.atom(Atom(rng.u32(..atoms)));
        return if rng.bool() { atom } else { formulas.negate(atom) };
    }
    let left_size = rng.usize(..operators);
    let left = random_ltl(formulas, rng, atoms, left_size);
    let right = random_ltl(formulas, rng, atoms, operators - 1 - left_size);
    match rng.u8(..7) {
        0 => formulas.and([left, right]),
        1 => formulas.or([left, right]),
        2 => formulas.next(Linear, right),
        3 => formulas.eventually(Linear, right),
        4 => formulas.always(Linear, right),
        5 => formulas.until(Linear, left, right),
        _ => formulas.release(Linear, left, right),
    }
}
