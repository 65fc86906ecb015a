//! Numbers of markings and firings from place invariants, for nets with very many tokens.
//!
//! The proof has two parts. First, the reachable markings are exactly the solutions of place
//! invariants. Second, the number of solutions is a polynomial in a number n of tokens. So its
//! values at a few small n determine it. The checker counts these solutions by dynamic programming
//! (`solutions`), and evaluates the polynomial at the n of the net (`interpolation`). No marking is
//! visited.
//!
//! # Reachable markings
//! Let A·m = A·m₀ be the equations of place invariants with positive weights that cover all places.
//! Every reachable marking satisfies them. The converse is the content of `reachability`. If the
//! place invariants of the net are too weak, the proof is about the net with places that count
//! firings. It has as many markings and firings (`counters`).
//!
//! # Numbers of solutions
//! Let m₀ = N·a + c with a ≥ 0, a ≠ 0. For a vector w of integers, let f(n) be the number of
//! integer vectors m ≥ w with A·m = A·(n·a + c). With w = 0, f(N) is the number of markings. With
//! the weights of the arcs into a transition as w, f(N) is the number of markings that enable it.
//!
//! Let K be the cone { (x, n) ≥ 0 : A·x = n·A·a }, and K₁ its points with n = 1. The equations have
//! positive weights, so K₁ is a polytope. Let q be a common multiple of the last entries of the
//! extreme rays of K, written as integer vectors. Then q·K₁ has integer vertices. Let l be any real
//! vector with w − 1 < l ≤ w. Integer vectors with m ≥ l are those with m ≥ w. Let Π be the
//! polyhedron { (x, n) ≥ 0 : A·(l + x) = A·(n·a + c) }, and Πₙ its points with this n.
//!
//! **Theorem.** If no vertex of Π has n > n₀, then f is a polynomial on { n ≥ n₀ : n ≡ r mod q }
//! for each remainder r. Its degree is at most the dimension of K₁.
//!
//! *Proof.* Π is the sum of the convex hull of its vertices and its recession cone K. If Π is
//! empty, then f = 0 for n ≥ 0. Otherwise let (x, n) ∈ Π with n ≥ s ≥ n₀. It is a convex
//! combination of vertices plus a point of K. The combination has n ≤ n₀, so the point of K has a
//! last entry of at least n − s. Subtracting a multiple of the point of K with last entry n − s
//! leaves a point of Πₛ. So Πₙ = Πₛ + (n − s)·K₁. Let s be the smallest number of the class with s
//! ≥ n₀, n = s + k·q, and v a vertex of q·K₁. The translation by −k·v keeps the integer vectors and
//! leads to Πₛ + k·P with P = q·K₁ − v, a polytope with integer vertices in the kernel of A. The
//! number of points m of the lattice in l + Πₛ + P is a valuation of P, invariant under integer
//! translations in the kernel of A. For such valuations, the value at k·P is a polynomial in k ≥ 0
//! (McMullen). The polytopes lie in a bounded neighbourhood of k·P, so the number is O(k^dim K₁),
//! which bounds the degree. ∎
//!
//! The checker computes the rays of K and the vertices of Π by double description (`rays`,
//! `growth`). It counts at one more n than the degree requires, and refuses if the value there is
//! not on the polynomial.
//!
//! # Sources
//! P. McMullen, *Valuations and Euler-type relations on certain classes of convex polytopes*, Proc.
//! London Math. Soc. 35, 1977; P. Clauss, *Counting solutions to linear and nonlinear constraints
//! through Ehrhart polynomials*, ICS 1996; J. Desel, J. Esparza, *Free Choice Petri Nets*, 1995
//! (markings that agree on all place invariants).

mod counters;
mod elimination;
mod growth;
mod interpolation;
mod names;
mod rays;
mod reachability;
mod solutions;
mod system;

pub use counters::{CountedNet, FiringCounter};
pub use interpolation::interpolate;
pub use names::NamedFamily;
pub use reachability::{BackwardSearch, Coverage, MAX_SEQUENCE, MarkingBox};
pub use system::InvariantSystem;

use super::StateSpaceFigures;
use growth::Family;
use num_bigint::{BigInt, BigUint};
use parikh_net::{Features, Net, PlaceId, TransitionId};
use solutions::SolutionCounter;
use std::collections::BTreeMap;
use system::tokens;

/// The largest number of places of a checked net, with counters, and of equations. The count of
/// solutions recurses once per place.
const MAX_PLACES: usize = 1_000;

/// A proof of the numbers of markings and firings of a net. Plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyProof {
    /// The transitions whose firings are counted. Often there are none.
    pub counters: Vec<FiringCounter>,
    /// Place invariants with positive weights, which cover all places of the counted net. The
    /// weights of the counters follow ([`CountedNet::equation`]).
    pub equations: Vec<Vec<(PlaceId, i64)>>,
    /// The weights that increase along the steps of [`BackwardSearch`].
    pub weights: Vec<(PlaceId, i64)>,
    /// Sequences of transitions that are steps, besides single transitions.
    pub sequences: Vec<Vec<TransitionId>>,
    /// Multipliers of the equations, for further equations that narrow the search.
    pub combinations: Vec<Vec<i64>>,
    /// The growth of the initial marking with n; `None` if the solutions are counted directly.
    pub growth: Option<Growth>,
}

/// The growth of an initial marking m₀ = n·a + c.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// The number n.
    pub n: u64,
    /// The vector a: the tokens of each place that grows.
    pub tokens: Vec<(PlaceId, u64)>,
}

/// The reason why a proof is refused, or not checked to the end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FamilyError {
    /// The net has arcs that the proof does not cover.
    #[error("the proof does not cover these kinds of arcs")]
    Features,
    /// A place that the net does not have.
    #[error("an unknown place")]
    NoSuchPlace,
    /// A transition that the net does not have.
    #[error("an unknown transition")]
    NoSuchTransition,
    /// A combination has another number of multipliers than there are equations.
    #[error("a combination of unknown equations")]
    NoSuchEquation,
    /// An equation has a weight that is not positive, or a place twice.
    #[error("equation {0} has a weight that is not positive")]
    NotPositive(usize),
    /// A firing changes the sum of an equation.
    #[error("equation {0} is no place invariant")]
    NotInvariant(usize),
    /// No equation has a term for this place.
    #[error("no equation has place {}", .0.index())]
    Uncovered(PlaceId),
    /// A marking is not shown to determine the number of firings of a counted transition.
    #[error("the firings of transition {} are not determined", .0.index())]
    NotDetermined(TransitionId),
    /// A step has no transition, or too many.
    #[error("a step of {0} transitions")]
    SequenceLength(usize),
    /// The steps do not lead from all solutions to the initial marking.
    #[error("not every solution of the place invariants is shown to be reachable")]
    NotReachable,
    /// The initial marking does not grow, or a place shrinks.
    #[error("no tokens grow")]
    NotGrowing,
    /// The number of solutions is infinite.
    #[error("the place invariants have infinitely many solutions")]
    Unbounded,
    /// The values do not lie on a polynomial of the proved degree: an internal error.
    #[error("the values do not lie on one polynomial")]
    NotPolynomial,
    /// Too many cases to distinguish.
    #[error("too many cases")]
    TooManyCases,
    /// Too many extreme rays.
    #[error("too many extreme rays")]
    TooManyRays,
    /// Too many intermediate results of the count.
    #[error("too many intermediate numbers")]
    TooManySums,
    /// A number does not fit.
    #[error("a number is too large")]
    TooLarge,
    /// The caller stopped the check.
    #[error("stopped")]
    Stopped,
}

/// The numbers of markings and firings that a proof establishes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyFigures {
    /// The numbers of markings and firings.
    pub figures: StateSpaceFigures,
    /// The numbers n at which solutions were counted, and the degree of the polynomial for the
    /// number of firings; `None` if the solutions were counted directly.
    pub interpolated: Option<Interpolated>,
}

/// The values from which a polynomial was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interpolated {
    /// The smallest n at which solutions were counted.
    pub first: u64,
    /// The distance between consecutive numbers n.
    pub period: u64,
    /// The number of numbers n, and of counted values.
    pub values: usize,
    /// An upper bound on the degree of the polynomial.
    pub degree: usize,
}

impl FamilyProof {
    /// Checks the proof, and computes the numbers of markings and firings of `net`.
    ///
    /// # Errors
    /// The reason why the proof is refused, or why the check did not end.
    pub fn check(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<FamilyFigures, FamilyError> {
        if !Features::WEIGHTS.cover(net.features()) {
            return Err(FamilyError::Features);
        }
        let places = net.place_count() + self.counters.len();
        if places.max(self.equations.len()) > MAX_PLACES {
            return Err(FamilyError::TooManyCases);
        }
        let counted = CountedNet::new(net, &self.counters)?;
        let net = counted.net();
        let equations = self.equations.iter().map(|weights| counted.equation(weights));
        let system = InvariantSystem::new(net, &equations.collect::<Result<Vec<_>, _>>()?)?;
        let mut search =
            BackwardSearch::new(net, &system, &self.weights, &self.sequences, &self.combinations)?;
        match search.run(goes_on)? {
            Coverage::All => count_solutions(net, &system, self.growth.as_ref(), goes_on),
            Coverage::Stuck(_) => Err(FamilyError::NotReachable),
        }
    }
}

/// Returns the number of solutions of `system` as the number of markings, and the number of pairs
/// of a solution and an enabled transition as the number of firings.
fn count_solutions(
    net: &Net,
    system: &InvariantSystem,
    growth: Option<&Growth>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<FamilyFigures, FamilyError> {
    let mut counter = SolutionCounter::new(system, goes_on)?;
    let initial = tokens(net.initial());
    // The smallest markings that enable a transition, each with the number of its transitions.
    let mut presets: BTreeMap<Vec<i128>, u64> = BTreeMap::new();
    for t in net.transitions() {
        let mut preset = vec![0; net.place_count()];
        net.pre(t).iter().for_each(|arc| preset[arc.place.index()] = arc.weight.into());
        *presets.entry(preset).or_default() += 1;
    }
    let none = vec![0; net.place_count()];
    let Some(growth) = growth else {
        let mut count = |least: &[i128]| {
            let above = initial.iter().zip(least).map(|(tokens, least)| tokens - least);
            counter.count(&system.products(&above.collect::<Vec<_>>())?, goes_on)
        };
        let states = count(&none)?;
        let mut transitions = BigUint::ZERO;
        for (preset, &number) in &presets {
            transitions += count(preset)? * number;
        }
        let figures = StateSpaceFigures { states, transitions };
        return Ok(FamilyFigures { figures, interpolated: None });
    };
    let mut growing = vec![0i128; net.place_count()];
    for &(p, tokens) in &growth.tokens {
        *growing.get_mut(p.index()).ok_or(FamilyError::NoSuchPlace)? = tokens.into();
    }
    let n = i128::from(growth.n);
    let constant = initial.iter().zip(&growing).map(|(tokens, a)| {
        n.checked_mul(*a).and_then(|grown| tokens.checked_sub(grown)).ok_or(FamilyError::TooLarge)
    });
    let constant = constant.collect::<Result<Vec<i128>, _>>()?;
    let family = Family::new(system, growing, constant, goes_on)?;
    let mut first = family.threshold(&none, goes_on)?;
    for preset in presets.keys() {
        first = first.max(family.threshold(preset, goes_on)?);
    }
    // The smallest number from the threshold on with the remainder of n.
    first += (n - first).rem_euclid(family.period);
    if first > n {
        return count_solutions(net, system, None, goes_on);
    }
    let mut states = Vec::new();
    let mut transitions = Vec::new();
    for index in 0..family.degree + 2 {
        let at = first + index as i128 * family.period;
        states.push(counter.count(&family.right_hand_sides(at, &none)?, goes_on)?);
        let mut firings = BigUint::ZERO;
        for (preset, &number) in &presets {
            firings += counter.count(&family.right_hand_sides(at, preset)?, goes_on)? * number;
        }
        transitions.push(firings);
    }
    let x = BigUint::try_from((n - first) / family.period).map_err(|_| FamilyError::TooLarge)?;
    let value = |values: &[BigUint]| {
        let (value, degree) = interpolate(values, &x);
        if degree > family.degree || value < BigInt::ZERO {
            return Err(FamilyError::NotPolynomial);
        }
        Ok(value.into_parts().1)
    };
    let figures = StateSpaceFigures { states: value(&states)?, transitions: value(&transitions)? };
    let number = |it: i128| u64::try_from(it).map_err(|_| FamilyError::TooLarge);
    let interpolated = Some(Interpolated {
        first: number(first)?,
        period: number(family.period)?,
        values: states.len(),
        degree: family.degree,
    });
    Ok(FamilyFigures { figures, interpolated })
}

#[cfg(test)]
mod tests;
