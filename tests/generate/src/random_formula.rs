//! Random LTL and CTL formulas for properties of runs and trees, and random fairness.

use fastrand::Rng;
use parikh_net::Fairness;
use parikh_net::Net;
use parikh_net::TransitionId;
use parikh_temporal::{AtomId, Ctl, Formula, Formulas, Linear, Ltl, Paths, Quantifier};

/// Returns an LTL formula over the first `atoms` atoms with the given number of operators. Half of
/// the atoms are negated, and X may stand anywhere.
///
/// # Panics
/// Without an atom.
pub fn random_ltl(
    formulas: &mut Ltl,
    rng: &mut Rng,
    atoms: u32,
    operators: usize,
) -> Formula<Linear> {
    random_formula(formulas, rng, atoms, operators, &|_| Linear)
}

/// Returns a CTL formula in the same way, with random quantifiers.
///
/// # Panics
/// Without an atom.
pub fn random_ctl(
    formulas: &mut Ctl,
    rng: &mut Rng,
    atoms: u32,
    operators: usize,
) -> Formula<Quantifier> {
    let paths = |rng: &mut Rng| match rng.bool() {
        true => Quantifier::All,
        false => Quantifier::Exists,
    };
    random_formula(formulas, rng, atoms, operators, &paths)
}

/// Returns a random formula. `paths` chooses the path quantifier of each temporal operator. For
/// LTL, it always returns [`Linear`].
fn random_formula<P: Paths>(
    formulas: &mut Formulas<P>,
    rng: &mut Rng,
    atoms: u32,
    operators: usize,
    paths: &impl Fn(&mut Rng) -> P,
) -> Formula<P> {
    if operators == 0 {
        let atom = formulas.atom(AtomId(rng.u32(..atoms)));
        return if rng.bool() { atom } else { formulas.negate(atom) };
    }
    let left_size = rng.usize(..operators);
    let left = random_formula(formulas, rng, atoms, left_size, paths);
    let right = random_formula(formulas, rng, atoms, operators - 1 - left_size, paths);
    match rng.u8(..7) {
        0 => formulas.and([left, right]),
        1 => formulas.or([left, right]),
        2 => formulas.next(paths(rng), right),
        3 => formulas.eventually(paths(rng), right),
        4 => formulas.always(paths(rng), right),
        5 => formulas.until(paths(rng), left, right),
        _ => formulas.release(paths(rng), left, right),
    }
}

/// Returns fairness to up to three transitions, each weak or strong; in every second case, none.
pub fn random_fairness(rng: &mut Rng, net: &Net) -> Fairness {
    let mut sides: [Vec<TransitionId>; 2] = Default::default();
    if rng.bool() && net.transition_count() > 0 {
        for _ in 0..rng.usize(1..4) {
            let t = TransitionId::new(rng.usize(..net.transition_count()));
            sides[usize::from(rng.bool())].push(t);
        }
    }
    let [weak, strong] = sides;
    Fairness::new(weak, strong)
}
