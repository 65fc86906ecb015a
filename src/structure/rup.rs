//! Checks a refutation clause by clause, by unit propagation and nothing else: with the checker of the
//! evidence crate, [`parikh_evidence::refutation`].

use super::sat::{Clause, Literal};
use parikh_evidence::refutation::{self, RefutationFlaw};
use parikh_solvers::{Budget, Exhausted};

/// Why a refutation is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefutationError {
    /// The clause at this position does not follow by unit propagation.
    #[error("clause {0} of the refutation does not follow from the ones before it")]
    NotImplied(usize),
    /// All clauses follow, but they do not contradict each other.
    #[error("the refutation does not end in a contradiction")]
    NoContradiction,
    /// The budget ended.
    #[error("{0}")]
    Budget(Exhausted),
}

/// Whether `proof` refutes `formula` over `variables` variables.
///
/// # Errors
/// With the first clause that does not follow, or when there is no contradiction at the end.
pub fn check_refutation(
    variables: usize,
    formula: impl IntoIterator<Item = Clause>,
    proof: &[Clause],
    budget: &Budget,
) -> Result<(), RefutationError> {
    let clauses: Vec<Vec<i32>> = formula.into_iter().map(|clause| numbers(&clause)).collect();
    let steps: Vec<Vec<i32>> = proof.iter().map(|clause| numbers(clause)).collect();
    let mut ended = None;
    let mut goes_on = || {
        ended = budget.exhausted();
        ended.is_none()
    };
    let checked = refutation::check(&clauses, &steps, variables, &mut goes_on);
    checked.map_err(|flaw| match (flaw, ended) {
        (RefutationFlaw::Stopped, Some(reason)) => RefutationError::Budget(reason),
        (RefutationFlaw::NoContradiction | RefutationFlaw::Stopped, _) => {
            RefutationError::NoContradiction
        }
        (RefutationFlaw::NoSuchVariable(at) | RefutationFlaw::DoesNotFollow(at), _) => {
            RefutationError::NotImplied(at)
        }
    })
}

/// A clause as the checker has it: variables from 1, negative for a negation. Variables are below 2³⁰.
fn numbers(clause: &[Literal]) -> Vec<i32> {
    let number = |literal: &Literal| {
        let variable = literal.variable() as i32 + 1;
        if literal.is_positive() { variable } else { -variable }
    };
    clause.iter().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::super::sat::{Answer, Sat};
    use super::*;

    fn clause(literals: &[i32]) -> Clause {
        let literal = |&l: &i32| Literal::new(l.unsigned_abs() as usize - 1, l > 0);
        literals.iter().map(literal).collect()
    }

    #[test]
    fn a_refutation_needs_every_step() {
        let formula = || [[1, 2], [1, -2], [-1, 2], [-1, -2]].map(|c| clause(&c));
        let check = |proof: &[Clause]| check_refutation(2, formula(), proof, &Budget::unlimited());
        assert_eq!(check(&[clause(&[1])]), Ok(()));
        assert_eq!(check(&[]), Err(RefutationError::NoContradiction));
        assert_eq!(check(&[clause(&[])]), Err(RefutationError::NotImplied(0)));
    }

    #[test]
    fn what_the_solver_learns_is_confirmed_and_false_clauses_are_not() {
        // Pigeons 5, holes 4: variable 4·pigeon + hole.
        let at = |pigeon: i32, hole: i32| 4 * pigeon + hole + 1;
        let mut formula: Vec<Clause> =
            (0..5).map(|pigeon| clause(&[0, 1, 2, 3].map(|hole| at(pigeon, hole)))).collect();
        for hole in 0..4 {
            for (one, two) in (0..5).flat_map(|i| (0..i).map(move |j| (i, j))) {
                formula.push(clause(&[-at(one, hole), -at(two, hole)]));
            }
        }
        let budget = Budget::unlimited();
        let mut sat = Sat::new(20, true, &budget);
        formula.iter().for_each(|clause| sat.add(clause));
        assert_eq!(sat.solve(), Ok(Answer::Unsatisfiable));
        let proof = sat.into_proof();
        assert!(proof.len() > 3);
        assert_eq!(check_refutation(20, formula.clone(), &proof, &budget), Ok(()));
        // Without the first pigeon's clause it is satisfiable, and no proof gets through.
        assert!(check_refutation(20, formula.split_off(1), &proof, &budget).is_err());
    }
}
