//! Random formulas, words and graphs.

use fastrand::Rng;
use parikh_generate::EdgeGraph;
use parikh_temporal::{AtomId, Formula, Formulas, Lasso, Letter, Linear, Paths, Quantifier};

/// Kinds of paths of which a random one can be drawn.
pub(crate) trait RandomPaths: Paths {
    fn random(rng: &mut Rng) -> Self;
}

impl RandomPaths for Linear {
    fn random(_: &mut Rng) -> Self {
        Self
    }
}

impl RandomPaths for Quantifier {
    fn random(rng: &mut Rng) -> Self {
        if rng.bool() { Self::Exists } else { Self::All }
    }
}

/// Returns a formula over the first atoms with a limited number of operators. Every operator may
/// occur below every other.
pub(crate) fn formula<P: RandomPaths>(
    formulas: &mut Formulas<P>,
    rng: &mut Rng,
    atoms: u32,
    operators: usize,
) -> Formula<P> {
    if operators == 0 {
        return match rng.u8(..20) {
            0 => formulas.constant(rng.bool()),
            _ => formulas.atom(AtomId(rng.u32(..atoms))),
        };
    }
    let kind = rng.u8(..13);
    let left_size = if kind < 6 { operators - 1 } else { rng.usize(..operators) };
    let left = formula(formulas, rng, atoms, left_size);
    let paths = P::random(rng);
    match kind {
        0 => return formulas.negate(left),
        1 | 2 => return formulas.next(paths, left),
        3 | 4 => return formulas.eventually(paths, left),
        5 => return formulas.always(paths, left),
        _ => {}
    }
    let right = formula(formulas, rng, atoms, operators - 1 - left_size);
    match kind {
        6 | 7 => formulas.and([left, right]),
        8 => formulas.or([left, right]),
        9 => formulas.until(paths, left, right),
        10 => formulas.release(paths, left, right),
        11 => formulas.weak_until(paths, left, right),
        _ => formulas.strong_release(paths, left, right),
    }
}

/// Returns a random letter over the first atoms.
pub(crate) fn letter(rng: &mut Rng, atoms: u32) -> Letter {
    let seed = rng.u64(..);
    Letter::of((0..atoms).filter(|atom| seed >> atom & 1 == 1).map(AtomId))
}

/// Returns a random word with up to six letters in prefix and cycle. Consecutive letters are often
/// equal.
pub(crate) fn lasso(rng: &mut Rng, atoms: u32) -> Lasso {
    let mut letters: Vec<Letter> = Vec::new();
    for _ in 0..rng.usize(1..7) {
        let repeated = letters.last().filter(|_| rng.u8(..3) == 0).cloned();
        letters.push(repeated.unwrap_or_else(|| letter(rng, atoms)));
    }
    let back = rng.usize(..letters.len());
    Lasso::new(letters, back).expect("back is in range")
}

/// Returns a random graph with up to six states, some of which may have no successor.
pub(crate) fn graph(rng: &mut Rng, atoms: u32) -> EdgeGraph {
    let states = rng.usize(1..7);
    let letters = (0..states).map(|_| letter(rng, atoms)).collect();
    let successors =
        (0..states).map(|_| (0..rng.usize(..4)).map(|_| rng.usize(..states)).collect()).collect();
    EdgeGraph::new(letters, successors).expect("successors are in range")
}
