//! Solutions of the linear program, in floating point.

use parikh_net::{Atom, EffectId, LinearSum, Net, PlaceId};
use std::cell::OnceCell;

/// Slack within which a floating-point value counts as an integer or a comparison as satisfied.
pub(super) const TOLERANCE: f64 = 1e-6;

/// A solution: the firings of each column and the marking they lead to, in floating point.
#[derive(Clone, Debug)]
pub(super) struct Point {
    pub(super) firings: Vec<f64>,
    /// The tokens of each place, and after them the firings of each class.
    pub(super) marking: Vec<f64>,
    /// Whether it is one in whole numbers and some order, once that was asked.
    pub(super) whole: OnceCell<bool>,
}

/// The place that counts the firings of a class.
pub(super) fn counter(net: &Net, effect: EffectId) -> PlaceId {
    PlaceId::new(net.place_count() + effect.index())
}

impl Point {
    /// Whether `atom` holds, give or take.
    pub(super) fn satisfies(&self, atom: &Atom) -> bool {
        let terms = atom.sum.terms().iter();
        let value: f64 = terms.map(|&(p, a)| a as f64 * self.marking[p.index()]).sum();
        value <= atom.bound as f64 + TOLERANCE * (atom.bound as f64).abs().max(1.0)
    }

    /// A sum of tokens, rounded.
    pub(super) fn value(&self, sum: &LinearSum) -> i128 {
        let terms = sum.terms().iter();
        // Saturates where it is of no use.
        terms.map(|&(p, a)| a as f64 * self.marking[p.index()]).sum::<f64>().round() as i128
    }

    /// Whether all tokens and firings are whole numbers, give or take.
    pub(super) fn is_integral(&self) -> bool {
        self.most_broken().is_none()
    }

    /// The place or counter whose number is furthest from whole, and that number rounded down.
    pub(super) fn most_broken(&self) -> Option<(PlaceId, i64)> {
        let distance = |tokens: f64| (tokens - tokens.round()).abs();
        let broken = self
            .marking
            .iter()
            .enumerate()
            .filter(|&(_, &tokens)| distance(tokens) > 100.0 * TOLERANCE && tokens.abs() < 1e9);
        let (index, tokens) =
            broken.max_by(|(_, a), (_, b)| distance(**a).total_cmp(&distance(**b)))?;
        Some((PlaceId::new(index), tokens.floor() as i64))
    }

    /// Whether some place of `trap` is marked, or they are together.
    pub(super) fn marks(&self, trap: &[PlaceId]) -> bool {
        trap.iter().map(|p| self.marking[p.index()]).sum::<f64>() >= 1.0 - TOLERANCE
    }
}
