//! Unrolled firings: the markings m₀, m₁, … mₖ and which transition leads from each to the next.
//!
//! fire(i,t) is 0 or 1 and says that t fires as the i-th; at most one does, or exactly one.
//!
//! ```text
//! mᵢ₊₁(p) = mᵢ(p) + Σ C(p,t)·fire(i,t)        fire(i,t) = 0  ∨  mᵢ ≥ pre(t)
//! ```
//!
//! linear in net times k. Transitions without effect are left out.
//!
//! In a *step* ([`steps`]) many transitions fire, and as often as they like.
//!
//! **Bounded model checking** starts in the initial marking and allows pauses, so that the goal is
//! asked of mₖ only: satisfiable if and only if the goal is reached by at most k firings.
//!
//! **The step case of k-induction** starts in any marking that satisfies the other parts of the
//! encoding, demands that all but the last marking are no goal markings, and allows no pauses. If
//! it has no solution, and no goal marking is reached by fewer than k firings (the base case: the
//! above with k − 1), the goal is unreachable: the shortest sequence to it would end in a solution.
//!
//! # Sources
//! A. Biere, A. Cimatti, E. Clarke, Y. Zhu, *Symbolic model checking without BDDs*, TACAS 1999; M.
//! Sheeran, S. Singh, G. Stålmarck, *Checking safety properties using induction and a SAT-solver*,
//! FMCAD 2000.

use crate::frame::{Frame, after};
use crate::predicate::{Tokens, enabled, holds};
use crate::steps;
use crate::variables::Variables;
use parikh_net::{Marking, PlaceId, Predicate, TransitionId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Variable};

/// What leads from one marking to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// One firing.
    Firing,
    /// One firing, or none.
    FiringOrPause,
    /// A step, which may be empty.
    Step,
}

/// A row of markings that grows, as long as anybody wants: what is said of it is only ever added
/// to.
#[derive(Debug)]
pub struct Row {
    /// At least one.
    frames: Vec<Frame>,
    /// For each step the transitions that may fire, and how often they do.
    fired: Vec<Vec<(TransitionId, Variable)>>,
    /// By place what it holds at most in the last marking, as far as that is known.
    most: Vec<Option<u64>>,
}

impl Row {
    /// The initial marking alone.
    pub fn initial(variables: &Variables<'_>) -> Self {
        let net = variables.net;
        let initially =
            |place| Tokens::known(Marking::tokens(net.initial())[PlaceId::index(place)] as i64);
        let most = net.initial().tokens().iter().copied().map(Some).collect();
        Row { frames: vec![net.places().map(initially).collect()], fired: Vec::new(), most }
    }

    /// The marking m that other parts of an encoding speak of.
    pub fn any(variables: &Variables<'_>) -> Self {
        let frame = variables.net.places().map(|place| variables.tokens(place).into()).collect();
        Row { frames: vec![frame], fired: Vec::new(), most: variables.bounds().to_vec() }
    }

    /// Adds a marking at the end; what has to hold for it.
    pub fn extend(&mut self, variables: &mut Variables<'_>, between: Between) -> Vec<Term> {
        let mut constraints = Vec::new();
        let step = self.fired.len() as u32 + 1;
        let frame = &self.frames[self.fired.len()];
        let before = std::mem::take(&mut self.most);
        self.most = most_after(variables, &before, between);
        let most = (&before[..], &self.most[..]);
        let (frame, fired) = match between {
            Between::Firing => next(variables, frame, step, most.1, false, &mut constraints),
            Between::FiringOrPause => next(variables, frame, step, most.1, true, &mut constraints),
            Between::Step => steps::next(variables, frame, step, most, &mut constraints),
        };
        self.frames.push(frame);
        self.fired.push(fired);
        constraints
    }

    /// How many steps lead to the last marking.
    pub fn steps(&self) -> usize {
        self.fired.len()
    }

    /// That the marking after so many steps satisfies a predicate.
    pub fn holds(&self, variables: &mut Variables<'_>, predicate: &Predicate, step: usize) -> Term {
        let (net, frame) = (variables.net, &self.frames[step]);
        holds(&mut variables.terms, net, predicate, &|place| frame[place.index()])
    }

    /// The last marking.
    pub fn last(&self) -> &[Tokens] {
        &self.frames[self.fired.len()]
    }

    /// For each step the transitions that may fire, and how often they do. Those of one step may
    /// fire one after the other, in any order.
    pub fn fired(&self) -> &[Vec<(TransitionId, Variable)>] {
        &self.fired
    }
}

/// At most `steps` firings, or steps, from the initial marking; the constraints, and the goal of
/// the last.
pub fn bounded(
    variables: &mut Variables<'_>,
    goal: &Predicate,
    steps: u32,
    between: Between,
) -> (Vec<Term>, Term) {
    let mut row = Row::initial(variables);
    let mut constraints = Vec::new();
    for _ in 0..steps {
        constraints.extend(row.extend(variables, between));
    }
    let goal = row.holds(variables, goal, steps as usize);
    (constraints, goal)
}

/// `steps` firings from the marking m of the other parts to the first goal marking; the
/// constraints, and the goal of the last.
pub fn induction(variables: &mut Variables<'_>, goal: &Predicate, steps: u32) -> (Vec<Term>, Term) {
    let mut row = Row::any(variables);
    let not_yet = goal.clone().negated();
    let mut constraints = Vec::new();
    for step in 0..steps as usize {
        constraints.push(row.holds(variables, &not_yet, step));
        constraints.extend(row.extend(variables, Between::Firing));
    }
    let goal = row.holds(variables, goal, steps as usize);
    (constraints, goal)
}

/// What places hold at most one firing, or step, after they held so much.
fn most_after(
    variables: &Variables<'_>,
    before: &[Option<u64>],
    between: Between,
) -> Vec<Option<u64>> {
    let net = variables.net;
    let mut gained = vec![0u64; net.place_count()];
    for t in net.transitions() {
        for change in net.delta(t) {
            let gained = &mut gained[change.place.index()];
            *gained = (*gained).max(u64::try_from(change.delta).unwrap_or(0));
        }
    }
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let after = gained.iter().zip(before).zip(variables.bounds());
    let after = after.map(|((&gained, &before), &bound)| match between {
        Between::Step if gained > 0 => bound,
        _ => least(before.and_then(|before| before.checked_add(gained)), bound),
    });
    after.collect()
}

/// The marking after one firing more, or after a pause where `pauses` are allowed; what may have
/// fired.
fn next(
    variables: &mut Variables<'_>,
    frame: &Frame,
    step: u32,
    most: &[Option<u64>],
    pauses: bool,
    constraints: &mut Vec<Term>,
) -> (Frame, Vec<(TransitionId, Variable)>) {
    let net = variables.net;
    let mut sums: Vec<LinearExpression> = vec![LinearExpression::new(); net.place_count()];
    let mut one = LinearExpression::new();
    let mut fired = Vec::new();
    for t in net.transitions().filter(|&t| !net.delta(t).is_empty()) {
        let name = format!("fire({step},{})", net.transition_name(t));
        let fire = variables.number_up_to(&name, Some(1));
        fired.push((t, fire));
        let terms = &mut variables.terms;
        let idle = terms.equal(fire, 0);
        let fires = terms.equal(fire, 1);
        let can = enabled(terms, net, t, &|place| frame[place.index()]);
        let firing = terms.and([fires, can]);
        constraints.push(terms.or([idle, firing]));
        one.add(1, fire);
        for change in net.delta(t) {
            sums[change.place.index()].add(change.delta, fire);
        }
    }
    constraints.push(match pauses {
        true => variables.terms.at_most(one, 1),
        false => variables.terms.equal(one, 1),
    });
    (after(variables, frame, step, most, sums, constraints), fired)
}
