//! The check that every solution of an invariant system is reachable.
//!
//! # Backward steps
//! A *backward step* is a sequence t₁ … tₖ of transitions, with 1 ≤ k ≤ [`MAX_SEQUENCE`]. It is
//! undone from its end: tₖ first, t₁ last. Undoing t in a marking m needs m ≥ post(t), and leads to
//! m − Δ(t) with Δ(t) = post(t) − pre(t). So the step is possible in m if and only if
//!
//! > m ≥ post(tᵢ) + Δ(tᵢ₊₁) + … + Δ(tₖ) for each i.
//!
//! The step *needs* the largest of these k numbers on each place, or 0 if none is positive. Single
//! transitions are steps, and a proof lists longer ones.
//!
//! # Theorem
//! Let V be integer weights of the places. A step is *active* if V·(Δ(t₁) + … + Δ(tₖ)) ≥ 1. If an
//! active step is possible in every solution m ≠ m₀, then every solution is reachable from m₀.
//!
//! *Proof.* Undoing a step in a solution m leads to a marking m′ ≥ 0: each m − Δ(t) is
//! m − post(t) + pre(t), which has no negative entry. The firings t₁ … tₖ lead from m′ to m. The
//! equations are place invariants, so m′ is a solution, too. The step is active, so V·m′ < V·m. The
//! equations have positive weights and cover all places, so there are finitely many solutions.
//! Hence a chain of steps that starts in m never repeats a solution, and it ends. It ends only in
//! m₀, as an active step is possible in every other solution. The firings of the chain in reverse
//! order lead from m₀ to m. ∎
//!
//! # Search
//! The search divides the solutions into *boxes*, which have lower and upper bounds for each place.
//! The first box contains all solutions. The equations narrow the bounds, and no solution is lost.
//! A box is finished if it has no solution, if its only marking is m₀, or if its lower bounds reach
//! the needs of an active step. Otherwise the search chooses an active step that is possible in
//! some markings of the box, and distinguishes which of its places has too few tokens. If there is
//! no such step, the search divides the box by a place on which m₀ differs from other markings. The
//! parts of a divided box contain all its markings.

use super::FamilyError;
use super::system::{InvariantSystem, tokens};
use parikh_net::{Net, PlaceId, TransitionId};

/// The largest number of boxes.
const MAX_BOXES: u64 = 1_000_000;

/// The largest number of passes over the equations that narrow one box. More passes are not
/// needed for soundness.
const MAX_PASSES: usize = 200;

/// The largest number of transitions in a step.
pub const MAX_SEQUENCE: usize = 8;

/// The largest magnitude of a weight in an equation, so that sums of terms fit `i128`.
const MAX_WEIGHT: i128 = 1 << 40;

/// Bounds on the tokens of each place, indexed by [`PlaceId`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkingBox {
    /// The smallest number of tokens, by place.
    pub lower: Vec<i128>,
    /// The largest number of tokens, by place.
    pub upper: Vec<i128>,
}

/// The result of the search for solutions in which no active step is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Every solution is reachable.
    All,
    /// No step is possible in the markings of this box, except perhaps m₀. The equations do not
    /// show that the box has no other solution.
    Stuck(MarkingBox),
}

/// The steps of a proof, and the equations that narrow boxes.
pub struct BackwardSearch {
    /// For each step, the places where it needs tokens, with their numbers.
    steps: Vec<Vec<(usize, i128)>>,
    /// Equations Σ a·m = b: the system, and combinations of its equations.
    equations: Vec<(Vec<(usize, i128)>, i128)>,
    /// The initial marking.
    initial: Vec<i128>,
    /// The number of boxes that may still be visited.
    boxes_left: u64,
}

impl BackwardSearch {
    /// Prepares the search. The steps are the single transitions that increase `weights`, and those
    /// of `sequences` that increase `weights`. Each of `combinations` has a multiplier for each
    /// equation of `system`; the combined equation narrows boxes, too.
    ///
    /// # Errors
    /// A number that is too large, an unknown place or transition, or a sequence of another length
    /// than 1 to [`MAX_SEQUENCE`].
    pub fn new(
        net: &Net,
        system: &InvariantSystem,
        weights: &[(PlaceId, i64)],
        sequences: &[Vec<TransitionId>],
        combinations: &[Vec<i64>],
    ) -> Result<BackwardSearch, FamilyError> {
        let mut weight = vec![0i128; net.place_count()];
        for &(p, value) in weights {
            *weight.get_mut(p.index()).ok_or(FamilyError::NoSuchPlace)? = value.into();
        }
        let singles = net.transitions().map(|t| vec![t]);
        let mut steps = Vec::new();
        for sequence in singles.chain(sequences.iter().cloned()) {
            let (needed, gain) = undoing(net, &sequence, &weight)?;
            if gain > 0 {
                steps.push(needed);
            }
        }
        let equations = system.equations().iter().zip(system.values());
        let mut equations: Vec<(Vec<(usize, i128)>, i128)> = equations
            .map(|(terms, &value)| (terms.iter().map(|&(p, k)| (p.index(), k)).collect(), value))
            .collect();
        for multipliers in combinations {
            equations.push(combined(net, system, multipliers)?);
        }
        let mut all_weights = equations.iter().flat_map(|(terms, _)| terms);
        if all_weights.any(|&(_, weight)| weight.abs() > MAX_WEIGHT) {
            return Err(FamilyError::TooLarge);
        }
        let initial = tokens(net.initial());
        Ok(BackwardSearch { steps, equations, initial, boxes_left: MAX_BOXES })
    }

    /// Searches all solutions.
    ///
    /// # Errors
    /// [`FamilyError::TooManyCases`], [`FamilyError::TooLarge`], or [`FamilyError::Stopped`].
    pub fn run(&mut self, goes_on: &mut dyn FnMut() -> bool) -> Result<Coverage, FamilyError> {
        let places = self.initial.len();
        // The equations of the system have positive weights and cover all places, so they bound all
        // places.
        let mut all = MarkingBox { lower: vec![0; places], upper: vec![i64::MAX.into(); places] };
        for (terms, value) in &self.equations {
            if terms.iter().all(|&(_, weight)| weight > 0) {
                for &(p, weight) in terms {
                    all.upper[p] = all.upper[p].min(value / weight);
                }
            }
        }
        // Otherwise the box would not contain all solutions.
        if all.upper.iter().any(|&upper| upper >= i64::MAX.into()) {
            return Err(FamilyError::TooLarge);
        }
        let mut open = vec![all];
        while let Some(marking_box) = open.pop() {
            if !goes_on() {
                return Err(FamilyError::Stopped);
            }
            self.boxes_left = self.boxes_left.checked_sub(1).ok_or(FamilyError::TooManyCases)?;
            if !self.visit(marking_box.clone(), &mut open)? {
                return Ok(Coverage::Stuck(marking_box));
            }
        }
        Ok(Coverage::All)
    }

    /// Finishes a box or divides it into boxes, which are added to `open`. Returns false if neither
    /// is possible.
    fn visit(&self, mut it: MarkingBox, open: &mut Vec<MarkingBox>) -> Result<bool, FamilyError> {
        if !self.narrow(&mut it)? {
            return Ok(true);
        }
        if it.lower == self.initial && it.upper == self.initial {
            return Ok(true);
        }
        // The places where a step may lack tokens, for the step with the fewest such places.
        let mut best: Option<Vec<(usize, i128)>> = None;
        for step in &self.steps {
            if step.iter().any(|&(p, needed)| it.upper[p] < needed) {
                continue;
            }
            let lacking = step.iter().copied().filter(|&(p, needed)| it.lower[p] < needed);
            let lacking: Vec<(usize, i128)> = lacking.collect();
            if lacking.is_empty() {
                return Ok(true);
            }
            if best.as_ref().is_none_or(|best| lacking.len() < best.len()) {
                best = Some(lacking);
            }
        }
        if let Some(lacking) = best {
            // Box i has too few tokens on place i, and enough on the places before.
            let mut rest = it;
            for (p, needed) in lacking {
                let mut less = rest.clone();
                less.upper[p] = needed - 1;
                open.push(less);
                rest.lower[p] = needed;
            }
            return Ok(true);
        }
        // No step is possible. The markings that differ from m₀ on some place must be excluded.
        let differs = |p: &usize| {
            it.lower[*p] < it.upper[*p] && {
                (it.lower[*p]..=it.upper[*p]).contains(&self.initial[*p])
            }
        };
        let includes_initial =
            (0..self.initial.len()).all(|p| (it.lower[p]..=it.upper[p]).contains(&self.initial[p]));
        let Some(p) = (0..self.initial.len()).find(differs).filter(|_| includes_initial) else {
            return Ok(false);
        };
        let tokens = self.initial[p];
        for (lower, upper) in
            [(it.lower[p], tokens - 1), (tokens, tokens), (tokens + 1, it.upper[p])]
        {
            if lower <= upper {
                let mut part = it.clone();
                (part.lower[p], part.upper[p]) = (lower, upper);
                open.push(part);
            }
        }
        Ok(true)
    }

    /// Narrows the bounds by the equations. Returns false if the box has no solution.
    fn narrow(&self, it: &mut MarkingBox) -> Result<bool, FamilyError> {
        for _ in 0..MAX_PASSES {
            let mut has_changed = false;
            for (terms, value) in &self.equations {
                // The smallest and the largest value of the left side.
                let (mut least, mut most) = (0i128, 0i128);
                for &(p, weight) in terms {
                    let (low, high) = range(weight, it.lower[p], it.upper[p])?;
                    least = least.checked_add(low).ok_or(FamilyError::TooLarge)?;
                    most = most.checked_add(high).ok_or(FamilyError::TooLarge)?;
                }
                if !(least..=most).contains(value) {
                    return Ok(false);
                }
                for &(p, weight) in terms {
                    let (low, high) = range(weight, it.lower[p], it.upper[p])?;
                    // low_term ≤ weight·m(p) ≤ high_term
                    let (low_term, high_term) = (value - (most - high), value - (least - low));
                    let (mut lower, mut upper) = match weight > 0 {
                        true => (div_ceil(low_term, weight), high_term.div_euclid(weight)),
                        false => (div_ceil(-high_term, -weight), (-low_term).div_euclid(-weight)),
                    };
                    lower = lower.max(it.lower[p]);
                    upper = upper.min(it.upper[p]);
                    if lower > upper {
                        return Ok(false);
                    }
                    has_changed |= (lower, upper) != (it.lower[p], it.upper[p]);
                    // `least` and `most` belong to the old bounds and stay valid.
                    let (new_low, new_high) = range(weight, lower, upper)?;
                    least += new_low - low;
                    most += new_high - high;
                    (it.lower[p], it.upper[p]) = (lower, upper);
                }
            }
            if !has_changed {
                break;
            }
        }
        Ok(true)
    }
}

/// Returns the tokens that undoing the sequence needs, by place, and by how much the sequence
/// increases the weighted sum.
///
/// # Errors
/// A sequence of another length than 1 to [`MAX_SEQUENCE`], an unknown transition, or a number that
/// is too large.
fn undoing(
    net: &Net,
    sequence: &[TransitionId],
    weight: &[i128],
) -> Result<(Vec<(usize, i128)>, i128), FamilyError> {
    if !(1..=MAX_SEQUENCE).contains(&sequence.len()) {
        return Err(FamilyError::SequenceLength(sequence.len()));
    }
    let (mut needed, mut removed) = (vec![0i128; weight.len()], vec![0i128; weight.len()]);
    let mut gain = 0i128;
    for &t in sequence.iter().rev() {
        if t.index() >= net.transition_count() {
            return Err(FamilyError::NoSuchTransition);
        }
        for arc in net.post(t) {
            let p = arc.place.index();
            needed[p] = needed[p].max(i128::from(arc.weight) + removed[p]);
        }
        for change in net.delta(t) {
            let p = change.place.index();
            removed[p] += i128::from(change.delta);
            let term = weight[p].checked_mul(change.delta.into());
            gain = term.and_then(|it| gain.checked_add(it)).ok_or(FamilyError::TooLarge)?;
        }
    }
    let needed = needed.into_iter().enumerate().filter(|&(_, needed)| needed > 0);
    Ok((needed.collect(), gain))
}

/// Returns the sum of the equations of `system`, each times its multiplier.
fn combined(
    net: &Net,
    system: &InvariantSystem,
    multipliers: &[i64],
) -> Result<(Vec<(usize, i128)>, i128), FamilyError> {
    if multipliers.len() != system.equations().len() {
        return Err(FamilyError::NoSuchEquation);
    }
    let (mut sum, mut value) = (vec![0i128; net.place_count()], 0i128);
    let add = |to: &mut i128, multiplier: i64, it: i128| {
        let term = i128::from(multiplier).checked_mul(it)?;
        *to = to.checked_add(term)?;
        Some(())
    };
    for ((terms, of_terms), &multiplier) in
        system.equations().iter().zip(system.values()).zip(multipliers)
    {
        for &(p, weight) in terms {
            add(&mut sum[p.index()], multiplier, weight).ok_or(FamilyError::TooLarge)?;
        }
        add(&mut value, multiplier, *of_terms).ok_or(FamilyError::TooLarge)?;
    }
    let terms = sum.into_iter().enumerate().filter(|&(_, weight)| weight != 0);
    Ok((terms.collect(), value))
}

/// Returns the smallest and the largest value of weight·m(p).
fn range(weight: i128, lower: i128, upper: i128) -> Result<(i128, i128), FamilyError> {
    let ends = [lower, upper].map(|end| weight.checked_mul(end));
    let [Some(a), Some(b)] = ends else { return Err(FamilyError::TooLarge) };
    Ok((a.min(b), a.max(b)))
}

/// Returns a / b rounded up, for b > 0.
fn div_ceil(a: i128, b: i128) -> i128 {
    -(-a).div_euclid(b)
}
