//! Checks refutations of sets of clauses by unit propagation.
//!
//! A clause is a list of literals: variables are numbered from 1, a negative number is a negation.
//! A step of the refutation is a clause. It is accepted if assuming that all its literals are false
//! leads to a contradiction by unit propagation. After the last step, the clauses together must
//! propagate to a contradiction without any assumption. The checker shares no code with any solver.
//!
//! # Sources
//! E. Goldberg, Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE
//! 2003; M. Moskewicz et al., *Chaff*, DAC 2001 (watched literals).

/// The reason that a refutation is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefutationFlaw {
    /// The step with this index has a variable that does not exist.
    #[error("step {0} has a variable that does not exist")]
    NoSuchVariable(usize),
    /// The step with this index does not follow by unit propagation.
    #[error("step {0} does not follow from the clauses before it")]
    DoesNotFollow(usize),
    /// All steps follow, but the clauses do not contradict each other.
    #[error("the refutation does not end in a contradiction")]
    NoContradiction,
    /// `goes_on` returned false before the end.
    #[error("the check did not finish in time")]
    Stopped,
}

/// Checks the steps one after the other, up to the first contradiction of the clauses and the
/// accepted steps. Of the later steps, only the first is checked, and only for unknown variables.
/// The variables of `clauses` must be at most `variables`. The check stops when `goes_on` returns
/// false.
///
/// # Errors
/// The first step that does not follow or has an unknown variable, a missing contradiction after
/// the last step, or [`RefutationFlaw::Stopped`].
pub fn check(
    clauses: &[Vec<i32>],
    steps: &[Vec<i32>],
    variables: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), RefutationFlaw> {
    let mut propagator = UnitPropagator::new(variables);
    let mut contradiction = clauses.iter().any(|clause| propagator.add(clause));
    for (index, step) in steps.iter().enumerate() {
        let exists = |literal: &i32| (1..=variables).contains(&(literal.unsigned_abs() as usize));
        if !step.iter().all(exists) {
            return Err(RefutationFlaw::NoSuchVariable(index));
        }
        if contradiction {
            return Ok(());
        }
        if !goes_on() {
            return Err(RefutationFlaw::Stopped);
        }
        if !propagator.contradicts(step) {
            return Err(RefutationFlaw::DoesNotFollow(index));
        }
        contradiction = propagator.add(step);
    }
    if contradiction { Ok(()) } else { Err(RefutationFlaw::NoContradiction) }
}

/// Checks that the clauses contradict each other, by case distinction on their literals. Steps that
/// follow by unit propagation are added as clauses, and other steps are skipped. So the result does
/// not depend on how the steps number variables that do not occur in the clauses. At most
/// `max_cases` literals are chosen for a case distinction, each with the case true and the case
/// false.
///
/// # Errors
/// [`RefutationFlaw::NoContradiction`] if the cases do not lead to contradictions within this
/// limit, or [`RefutationFlaw::Stopped`] when `goes_on` returns false.
pub fn check_by_cases(
    clauses: &[Vec<i32>],
    steps: &[Vec<i32>],
    variables: usize,
    max_cases: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), RefutationFlaw> {
    let mut propagator = UnitPropagator::new(variables);
    let mut contradiction = clauses.iter().any(|clause| propagator.add(clause));
    for step in steps {
        if contradiction {
            return Ok(());
        }
        if !goes_on() {
            return Err(RefutationFlaw::Stopped);
        }
        let exists = |literal: &i32| (1..=variables).contains(&(literal.unsigned_abs() as usize));
        if step.iter().all(exists) && propagator.contradicts(step) {
            contradiction = propagator.add(step);
        }
    }
    // The literal assumed in each open case, with the length of the trail before it.
    let mut open_cases: Vec<(usize, i32)> = Vec::new();
    let mut cases = 0;
    loop {
        if contradiction {
            let Some((trail_length, literal)) = open_cases.pop() else { return Ok(()) };
            propagator.backtrack(trail_length);
            contradiction = propagator.assume(-literal) || propagator.propagate();
            continue;
        }
        let decision = propagator.undecided().filter(|_| cases < max_cases);
        let decision = decision.ok_or(RefutationFlaw::NoContradiction)?;
        if !goes_on() {
            return Err(RefutationFlaw::Stopped);
        }
        cases += 1;
        open_cases.push((propagator.trail.len(), decision));
        contradiction = propagator.assume(decision) || propagator.propagate();
    }
}

/// Clauses with two watched literals each, and the current assignment.
struct UnitPropagator {
    /// The clauses with at least two literals that were not permanently false when the clause was
    /// added. The first two literals of each clause are watched.
    clauses: Vec<Vec<i32>>,
    /// The indices of the clauses that watch each literal, indexed by literal.
    watchers: Vec<Vec<usize>>,
    /// One flag per literal: true if the literal is true. A variable is unassigned if neither of
    /// its literals is true.
    is_true: Vec<bool>,
    /// The literals made true, in order.
    trail: Vec<i32>,
    /// The number of literals of the trail that have been propagated.
    propagated_count: usize,
}

/// Returns the index of a literal in tables with one entry per literal.
fn literal_index(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

impl UnitPropagator {
    fn new(variables: usize) -> Self {
        let literals = 2 * variables + 2;
        UnitPropagator {
            clauses: Vec::new(),
            watchers: vec![Vec::new(); literals],
            is_true: vec![false; literals],
            trail: Vec::new(),
            propagated_count: 0,
        }
    }

    /// Adds a clause permanently and propagates. Returns true on a contradiction.
    fn add(&mut self, clause: &[i32]) -> bool {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        // Literals that are permanently false come last, so the watched literals are not false if
        // possible.
        clause.sort_by_key(|&literal| self.is_true[literal_index(-literal)]);
        match clause.iter().filter(|&&literal| !self.is_true[literal_index(-literal)]).count() {
            0 => true,
            1 => self.assume(clause[0]) || self.propagate(),
            _ => {
                let index = self.clauses.len();
                self.watchers[literal_index(clause[0])].push(index);
                self.watchers[literal_index(clause[1])].push(index);
                self.clauses.push(clause);
                false
            }
        }
    }

    /// Returns true if the clauses and the negation of `step` propagate to a contradiction. The
    /// assumptions are undone.
    fn contradicts(&mut self, step: &[i32]) -> bool {
        let trail_length = self.trail.len();
        let contradiction = step.iter().any(|&literal| self.assume(-literal)) || self.propagate();
        self.backtrack(trail_length);
        contradiction
    }

    /// Unassigns all literals of the trail but the first `trail_length`.
    fn backtrack(&mut self, trail_length: usize) {
        for literal in self.trail.drain(trail_length..) {
            self.is_true[literal_index(literal)] = false;
        }
        self.propagated_count = trail_length;
    }

    /// Returns an unassigned literal of a clause that is not yet true, or `None` if all clauses are
    /// true.
    fn undecided(&self) -> Option<i32> {
        let is_open =
            |clause: &&Vec<i32>| !clause.iter().any(|&it| self.is_true[literal_index(it)]);
        let open = self.clauses.iter().find(is_open)?;
        open.iter().copied().find(|&literal| !self.is_true[literal_index(-literal)])
    }

    /// Makes a literal true. Returns true if it is already false.
    fn assume(&mut self, literal: i32) -> bool {
        if self.is_true[literal_index(-literal)] {
            return true;
        }
        if !self.is_true[literal_index(literal)] {
            self.is_true[literal_index(literal)] = true;
            self.trail.push(literal);
        }
        false
    }

    /// Propagates all units. Returns true on a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(&literal) = self.trail.get(self.propagated_count) {
            self.propagated_count += 1;
            let falsified = -literal;
            let mut watchers = std::mem::take(&mut self.watchers[literal_index(falsified)]);
            let mut kept = 0;
            let mut contradiction = false;
            for position in 0..watchers.len() {
                let index = watchers[position];
                if contradiction || !self.replace_watch(index, falsified) {
                    watchers[kept] = index;
                    kept += 1;
                    if !contradiction {
                        let other = self.clauses[index][0];
                        contradiction = self.assume(other);
                    }
                }
            }
            watchers.truncate(kept);
            self.watchers[literal_index(falsified)] = watchers;
            if contradiction {
                return true;
            }
        }
        false
    }

    /// Looks for another literal to watch instead of `falsified`. Returns false if there is none;
    /// `falsified` is then the second literal of the clause.
    fn replace_watch(&mut self, index: usize, falsified: i32) -> bool {
        let clause = &mut self.clauses[index];
        if clause[0] == falsified {
            clause.swap(0, 1);
        }
        let replacement =
            (2..clause.len()).find(|&position| !self.is_true[literal_index(-clause[position])]);
        match replacement {
            Some(position) => {
                clause.swap(1, position);
                self.watchers[literal_index(clause[1])].push(index);
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use RefutationFlaw as Flaw;

    fn check(clauses: &[Vec<i32>], steps: &[Vec<i32>], variables: usize) -> Result<(), Flaw> {
        super::check(clauses, steps, variables, &mut || true)
    }

    #[test]
    fn all_four_clauses_over_two_variables_need_a_step() {
        let clauses = vec![vec![1, 2], vec![-1, 2], vec![1, -2], vec![-1, -2]];
        assert_eq!(check(&clauses, &[], 2), Err(Flaw::NoContradiction));
        assert_eq!(check(&clauses, &[vec![2]], 2), Ok(()));
        assert_eq!(check(&clauses[..3], &[vec![2]], 2), Err(Flaw::NoContradiction));
        assert_eq!(check(&clauses[2..], &[vec![2]], 2), Err(Flaw::DoesNotFollow(0)));
        assert_eq!(check(&clauses, &[vec![3]], 2), Err(Flaw::NoSuchVariable(0)));
        assert_eq!(check(&clauses, &[vec![0]], 2), Err(Flaw::NoSuchVariable(0)));
        assert_eq!(check(&clauses, &[vec![i32::MIN]], 2), Err(Flaw::NoSuchVariable(0)));
    }

    /// Returns true if an assignment of the variables satisfies all clauses.
    fn is_satisfiable(clauses: &[Vec<i32>], variables: usize) -> bool {
        (0..1u32 << variables).any(|bits| {
            let holds = |&it: &i32| (bits >> (it.unsigned_abs() - 1) & 1 == 1) == (it > 0);
            clauses.iter().all(|clause| clause.iter().any(holds))
        })
    }

    #[test]
    fn exactly_the_contradictory_clauses_are_refuted() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut refuted = 0;
        for _ in 0..20_000 {
            let variables = rng.usize(1..6);
            let literal = |rng: &mut fastrand::Rng| {
                let variable = rng.i32(1..=variables as i32);
                if rng.bool() { variable } else { -variable }
            };
            let mut clauses = |most: usize| -> Vec<Vec<i32>> {
                let count = rng.usize(0..most);
                let clause =
                    |rng: &mut fastrand::Rng| (0..rng.usize(1..4)).map(|_| literal(rng)).collect();
                (0..count).map(|_| clause(&mut rng)).collect()
            };
            // Steps are random clauses, most of which do not follow.
            let (all, steps) = (clauses(16), clauses(4));
            let found = check_by_cases(&all, &steps, variables, 100, &mut || true);
            assert_eq!(found.is_err(), is_satisfiable(&all, variables), "{all:?} {steps:?}");
            refuted += usize::from(found.is_ok());
        }
        assert!(refuted > 2_000, "{refuted}");
    }

    #[test]
    fn units_propagate_and_the_empty_clause_is_a_contradiction() {
        assert_eq!(check(&[vec![1], vec![-1, 2], vec![-2, -1]], &[], 2), Ok(()));
        assert_eq!(check(&[vec![-2, -1], vec![-1, 2], vec![1]], &[], 2), Ok(()));
        assert_eq!(check(&[vec![]], &[], 0), Ok(()));
        assert_eq!(check(&[], &[], 0), Err(Flaw::NoContradiction));
        assert_eq!(check(&[], &[vec![]], 0), Err(Flaw::DoesNotFollow(0)));
    }

    #[test]
    fn assumptions_of_a_step_are_undone() {
        let clauses = vec![vec![1, 2, 3], vec![-1, 3], vec![-2, 3], vec![-3, 4], vec![-4, 5]];
        assert_eq!(check(&clauses, &[vec![3]], 5), Err(Flaw::NoContradiction));
        assert_eq!(check(&clauses, &[vec![3], vec![-5]], 5), Err(Flaw::DoesNotFollow(1)));
    }
}
