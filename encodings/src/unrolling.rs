//! Unrolled firings: the markings m₀, m₁, … mₖ, and the transition between each marking and the
//! next.
//!
//! fire(i,t) is 0 or 1: transition t is the i-th firing. At most one transition fires, or exactly
//! one.
//!
//! ```text
//! mᵢ₊₁(p) = mᵢ(p) + Σ C(p,t)·fire(i,t)        fire(i,t) = 0  ∨  mᵢ ≥ pre(t)
//! ```
//!
//! The encoding is linear in the size of the net times k. Transitions without effect are left out.
//!
//! In a *step* ([`steps`]) many transitions fire, each any number of times.
//!
//! **Bounded model checking** starts in the initial marking and allows pauses, so the goal is
//! required only in mₖ. The encoding is satisfiable if and only if at most k firings reach the
//! goal.
//!
//! **The step case of k-induction** starts in any marking that satisfies the other parts of the
//! encoding. It requires that all markings but the last are not goal markings, and allows no
//! pauses. Suppose it has no solution, and fewer than k firings reach no goal marking (the base
//! case: bounded model checking with k − 1). Then the goal is unreachable: a shortest sequence to
//! it would end in a solution.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; M.
//! Sheeran, S. Singh, G. Stålmarck, *Checking safety properties using induction and a SAT-solver*,
//! FMCAD 2000.

use crate::frame::{FrameTerms, successor};
use crate::predicate::{TokenTerm, enabled, predicate_term};
use crate::steps;
use crate::variables::Variables;
use parikh_net::{Marking, PlaceId, Predicate, TransitionId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Variable};

/// The kind of transition between consecutive markings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Exactly a single firing.
    Firing,
    /// A single firing or an empty step.
    FiringOrPause,
    /// A step of several firings, possibly empty.
    Step,
}

/// A sequence of markings that can be extended at any time. An extension adds constraints, and
/// leaves the earlier constraints as they are.
#[derive(Debug)]
pub struct MarkingSequence {
    /// The markings so far, at least one, by number of steps.
    frames: Vec<FrameTerms>,
    /// For each step, the transitions that may fire and the variables that count their firings.
    firings: Vec<Vec<(TransitionId, Variable)>>,
    /// The known upper bound of each place in the last marking, by place index. `None` if no upper
    /// bound is known.
    max_tokens: Vec<Option<u64>>,
}

impl MarkingSequence {
    /// Returns the sequence that consists of the initial marking.
    pub fn initial(variables: &Variables<'_>) -> Self {
        let net = variables.net;
        let initial_tokens = |place| {
            TokenTerm::constant(Marking::tokens(net.initial())[PlaceId::index(place)] as i64)
        };
        let max_tokens = net.initial().tokens().iter().copied().map(Some).collect();
        MarkingSequence {
            frames: vec![net.places().map(initial_tokens).collect()],
            firings: Vec::new(),
            max_tokens,
        }
    }

    /// Returns the sequence that consists of the marking m only. The variables m(p) are shared with
    /// the other parts of the encoding.
    pub fn from_any_marking(variables: &Variables<'_>) -> Self {
        let frame = variables.net.places().map(|place| variables.tokens(place).into()).collect();
        MarkingSequence {
            frames: vec![frame],
            firings: Vec::new(),
            max_tokens: variables.bounds().to_vec(),
        }
    }

    /// Adds a marking at the end, and returns its constraints.
    pub fn extend(&mut self, variables: &mut Variables<'_>, kind: StepKind) -> Vec<Term> {
        let mut constraints = Vec::new();
        let step = self.firings.len() as u32 + 1;
        let frame = &self.frames[self.firings.len()];
        let bounds_before = std::mem::take(&mut self.max_tokens);
        self.max_tokens = max_tokens_after(variables, &bounds_before, kind);
        let bounds = (&bounds_before[..], &self.max_tokens[..]);
        let (frame, fired) = match kind {
            StepKind::Firing => {
                after_firing(variables, frame, step, bounds.1, false, &mut constraints)
            }
            StepKind::FiringOrPause => {
                after_firing(variables, frame, step, bounds.1, true, &mut constraints)
            }
            StepKind::Step => steps::after_step(variables, frame, step, bounds, &mut constraints),
        };
        self.frames.push(frame);
        self.firings.push(fired);
        constraints
    }

    /// Returns the number of steps to the last marking.
    pub fn steps(&self) -> usize {
        self.firings.len()
    }

    /// Returns the term that the marking after `step` steps satisfies a predicate.
    pub fn predicate_term(
        &self,
        variables: &mut Variables<'_>,
        predicate: &Predicate,
        step: usize,
    ) -> Term {
        let (net, frame) = (variables.net, &self.frames[step]);
        predicate_term(&mut variables.terms, net, predicate, &|place| frame[place.index()])
    }

    /// Returns the tokens in the last marking, by place index.
    pub fn last(&self) -> &[TokenTerm] {
        &self.frames[self.firings.len()]
    }

    /// Returns, for each step, the transitions that may fire and the variables that count their
    /// firings. The transitions of one step may fire in any order.
    pub fn fired(&self) -> &[Vec<(TransitionId, Variable)>] {
        &self.firings
    }
}

/// Encodes `steps` steps of the given kind from the initial marking. Returns the constraints, and
/// the term that the last marking satisfies the goal.
pub fn bounded(
    variables: &mut Variables<'_>,
    goal: &Predicate,
    steps: u32,
    kind: StepKind,
) -> (Vec<Term>, Term) {
    let mut sequence = MarkingSequence::initial(variables);
    let mut constraints = Vec::new();
    for _ in 0..steps {
        constraints.extend(sequence.extend(variables, kind));
    }
    let goal = sequence.predicate_term(variables, goal, steps as usize);
    (constraints, goal)
}

/// Encodes `steps` firings from the marking m, where only the last marking may satisfy the goal.
/// The variables m(p) are shared with the other parts of the encoding. Returns the constraints, and
/// the term that the last marking satisfies the goal.
pub fn induction(variables: &mut Variables<'_>, goal: &Predicate, steps: u32) -> (Vec<Term>, Term) {
    let mut sequence = MarkingSequence::from_any_marking(variables);
    let negated_goal = goal.clone().negated();
    let mut constraints = Vec::new();
    for step in 0..steps as usize {
        constraints.push(sequence.predicate_term(variables, &negated_goal, step));
        constraints.extend(sequence.extend(variables, StepKind::Firing));
    }
    let goal = sequence.predicate_term(variables, goal, steps as usize);
    (constraints, goal)
}

/// Returns upper bounds of the tokens of each place after one firing or step, from the upper bounds
/// before, by place index. `None` means that no upper bound is known.
fn max_tokens_after(
    variables: &Variables<'_>,
    bounds_before: &[Option<u64>],
    kind: StepKind,
) -> Vec<Option<u64>> {
    let net = variables.net;
    let mut max_gain = vec![0u64; net.place_count()];
    for t in net.transitions() {
        for change in net.delta(t) {
            let gain = &mut max_gain[change.place.index()];
            *gain = (*gain).max(u64::try_from(change.delta).unwrap_or(0));
        }
    }
    let tighter = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let bounds_after = max_gain.iter().zip(bounds_before).zip(variables.bounds());
    let bounds_after = bounds_after.map(|((&gain, &before), &bound)| match kind {
        // A step fires a transition any number of times, so only the proved bound remains.
        StepKind::Step if gain > 0 => bound,
        _ => tighter(before.and_then(|before| before.checked_add(gain)), bound),
    });
    bounds_after.collect()
}

/// Returns the marking after one more firing, and the firing variables. If `allows_pauses` is true,
/// the step may also be empty.
fn after_firing(
    variables: &mut Variables<'_>,
    frame: &FrameTerms,
    step: u32,
    max_tokens: &[Option<u64>],
    allows_pauses: bool,
    constraints: &mut Vec<Term>,
) -> (FrameTerms, Vec<(TransitionId, Variable)>) {
    let net = variables.net;
    let mut sums: Vec<LinearExpression> = vec![LinearExpression::new(); net.place_count()];
    let mut firing_count = LinearExpression::new();
    let mut firing_variables = Vec::new();
    for t in net.transitions().filter(|&t| !net.delta(t).is_empty()) {
        let name = format!("fire({step},{})", net.transition_name(t));
        let fire = variables.number_up_to(&name, Some(1));
        firing_variables.push((t, fire));
        let terms = &mut variables.terms;
        let idle = terms.equal(fire, 0);
        let fires = terms.equal(fire, 1);
        let is_enabled = enabled(terms, net, t, &|place| frame[place.index()]);
        let firing = terms.and([fires, is_enabled]);
        constraints.push(terms.or([idle, firing]));
        firing_count.add(1, fire);
        for change in net.delta(t) {
            sums[change.place.index()].add(change.delta, fire);
        }
    }
    constraints.push(match allows_pauses {
        true => variables.terms.at_most(firing_count, 1),
        false => variables.terms.equal(firing_count, 1),
    });
    (successor(variables, frame, step, max_tokens, sums, constraints), firing_variables)
}
