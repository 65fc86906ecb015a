//! Solutions of the linear program, in floating point.

use parikh_net::{Atom, EffectId, LinearSum, Net, PlaceId};
use std::cell::OnceCell;

/// Tolerance for counting a floating-point value as an integer or a comparison as satisfied.
pub(super) const TOLERANCE: f64 = 1e-6;

/// A solution of the linear program in floating point.
#[derive(Clone, Debug)]
pub(super) struct SolutionPoint {
    /// The number of firings of each effect class, by column of the program.
    pub(super) firings: Vec<f64>,
    /// The tokens of each place, followed by the number of firings of each effect class. Virtual
    /// places stand for these numbers, see [`firing_counter`].
    pub(super) marking: Vec<f64>,
    /// Cached result of [`Engine::is_ordered_integral`](super::Engine::is_ordered_integral).
    pub(super) is_ordered_integral: OnceCell<bool>,
}

/// Returns the virtual place whose value is the number of firings of an effect class. Its index
/// follows those of the net's places.
pub(super) fn firing_counter(net: &Net, effect: EffectId) -> PlaceId {
    PlaceId::new(net.place_count() + effect.index())
}

impl SolutionPoint {
    /// Returns true if the comparison `atom` holds at this point, within the tolerance.
    pub(super) fn satisfies(&self, atom: &Atom) -> bool {
        let terms = atom.sum.terms().iter();
        let value: f64 = terms.map(|&(p, a)| a as f64 * self.marking[p.index()]).sum();
        value <= atom.bound as f64 + TOLERANCE * (atom.bound as f64).abs().max(1.0)
    }

    /// Returns the value of a sum at this point, rounded to the nearest integer.
    pub(super) fn value(&self, sum: &LinearSum) -> i128 {
        let terms = sum.terms().iter();
        // The conversion saturates beyond 128 bits.
        terms.map(|&(p, a)| a as f64 * self.marking[p.index()]).sum::<f64>().round() as i128
    }

    /// Returns true if all token counts and firing counts are integers, within a hundred times
    /// [`TOLERANCE`]. Values of 10⁹ and more count as integers, since rounding errors hide their
    /// fractions.
    pub(super) fn is_integral(&self) -> bool {
        self.most_fractional().is_none()
    }

    /// Returns the place or firing counter whose value is furthest from an integer, with the value
    /// rounded down. Returns `None` if the solution [is integral](Self::is_integral).
    pub(super) fn most_fractional(&self) -> Option<(PlaceId, i64)> {
        let distance_to_integer = |value: f64| (value - value.round()).abs();
        let fractional = self.marking.iter().enumerate().filter(|&(_, &value)| {
            distance_to_integer(value) > 100.0 * TOLERANCE && value.abs() < 1e9
        });
        let (index, value) = fractional.max_by(|(_, a), (_, b)| {
            distance_to_integer(**a).total_cmp(&distance_to_integer(**b))
        })?;
        Some((PlaceId::new(index), value.floor() as i64))
    }

    /// Returns true if the trap is marked: its places have at least one token in total, within the
    /// tolerance.
    pub(super) fn marks_trap(&self, trap: &[PlaceId]) -> bool {
        trap.iter().map(|p| self.marking[p.index()]).sum::<f64>() >= 1.0 - TOLERANCE
    }
}
