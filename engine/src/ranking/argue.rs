//! Constructs a proof that no run has a property. Excludes the automaton edges that contradict
//! unreachable predicates, then adds rankings until no component has all acceptance marks.

use super::program;
use parikh_evidence::certificate::Flaw;
use parikh_evidence::no_run::pairs::Pairs;
use parikh_evidence::no_run::premises::Premises;
use parikh_evidence::no_run::{ExcludedPairs, Movers, NoRun, NoRunFlaw, Reason};
use parikh_net::run_property::RunProperty;
use parikh_net::{Net, Predicate};
use parikh_solvers::Budget;
use parikh_temporal::{AutomatonLimits, AutomatonTooLarge, LinearTableau, Node, PartValues};
use std::collections::HashMap;

/// Numbers of first steps of a run whose markings the proof explores explicitly, in the order of
/// attempts. Larger numbers are tried only if the formula nests the operator X at least two levels
/// deep.
const OPENING_LENGTHS: [usize; 3] = [0, 1, 2];
/// Limit on the number of first steps that are explored for formulas with deeply nested X.
const MAX_OPENING: usize = 8;
/// Share of the remaining time for attempts with more first steps than [`OPENING_LENGTHS`] lists,
/// in [0, 1].
const OPENING_SHARE: f64 = 0.3;
/// Share of the remaining time for a first attempt, in [0, 1]. It tries to prove that no run has
/// the property by exploring only the first steps, without rankings.
const FIRST_SHARE: f64 = 0.2;

/// The reason why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum RankingFailure {
    /// The automaton of the property is too large.
    #[error(transparent)]
    Automaton(#[from] AutomatonTooLarge),
    /// The checker refuses the proof constructed so far, for example because it is incomplete or
    /// the time ran out.
    #[error(transparent)]
    Refused(#[from] NoRunFlaw),
}

impl RankingFailure {
    /// Returns true if the check of the proof was stopped because time ran out. Then more time
    /// might help.
    pub(super) fn lacked_time(&self) -> bool {
        matches!(self, RankingFailure::Refused(NoRunFlaw::Document(Flaw::Stopped)))
    }
}

/// Returns a proof, accepted by the checker, that no run of `net` has the property. No reachable
/// marking may satisfy a predicate of `unreachable`. The predicates used become premises of the
/// proof.
///
/// # Errors
/// Returns an error if the automaton is too large, if no proof of this kind is found, or if the
/// budget ends.
pub fn argue(
    net: &Net,
    property: &RunProperty,
    unreachable: &[Predicate],
    budget: &Budget,
) -> Result<NoRun, RankingFailure> {
    let formulas = property.formulas();
    let tableau = LinearTableau::new(formulas, property.formula(), AutomatonLimits::default())?;
    let keep_going = &mut || !budget.is_exhausted();
    let (given, refuted) = excluded_edges(property, &tableau, unreachable);
    let (documents, cover, rankings) = (Vec::new(), Vec::new(), Vec::new());
    let mut argument =
        NoRun { tableau, opening_steps: 0, documents, premises: given, refuted, cover, rankings };
    let depth = next_depth(property);
    // If a formula constrains only the first markings, exploring these may exclude every run
    // without a linear program.
    if (1..OPENING_LENGTHS.len()).contains(&depth) {
        argument.opening_steps = depth;
        let first_budget = budget.share(FIRST_SHARE);
        if argument.check(net, property, &mut || !first_budget.is_exhausted()).is_ok() {
            return Ok(argument);
        }
    }
    let automaton = &argument.tableau.automaton;
    let mut pairs = Pairs::new(net, property, automaton, keep_going).map_err(NoRunFlaw::from)?;
    remove_excluded(&mut pairs, &argument.refuted);
    let mut rankings = Vec::new();
    // The rankings do not depend on the explored first steps: every run finally stays in some
    // component, whatever its first steps are.
    let everywhere = vec![true; automaton.states.len()];
    let mut given_up = Vec::new();
    while let Some(state) = pairs.accepting_state(&everywhere, &given_up)
        && !budget.is_exhausted()
    {
        let ranking = program::ranking(net, &pairs, state, budget);
        match ranking.filter(|candidate| {
            pairs.rank(net, candidate, keep_going).is_ok_and(|removed_count| removed_count > 0)
        }) {
            Some(ranking) => rankings.push(ranking),
            None => given_up.push(state),
        }
    }
    argument.rankings = rankings;
    let mut last_flaw = None;
    let deeper = (depth..=depth + 1)
        .filter(|candidate| (OPENING_LENGTHS.len()..=MAX_OPENING).contains(candidate));
    let deep_budget = budget.share(OPENING_SHARE);
    for opening in OPENING_LENGTHS.into_iter().chain(deeper) {
        argument.opening_steps = opening;
        let budget = if opening < OPENING_LENGTHS.len() { budget } else { &deep_budget };
        match argument.check(net, property, &mut || !budget.is_exhausted()) {
            Ok(()) => return Ok(argument),
            // An attempt with more first steps would exceed the limit on explored markings as well.
            Err(flaw @ NoRunFlaw::Opening) => return Err(last_flaw.unwrap_or(flaw).into()),
            Err(flaw) => last_flaw = Some(flaw),
        }
    }
    Err(last_flaw.unwrap_or(NoRunFlaw::Opening).into())
}

/// Removes the pairs that `refuted` lists from `pairs`. A pair is an automaton edge with a
/// transition, or with the stuttering of a dead marking.
pub(crate) fn remove_excluded(pairs: &mut Pairs, refuted: &[ExcludedPairs]) {
    for ExcludedPairs { edge: (state, edge_index), movers, .. } in refuted {
        match movers {
            Movers::Nothing => pairs.remove(*state, *edge_index, None),
            _ => pairs.remove_edge(*state, *edge_index),
        }
    }
}

/// Returns the largest nesting depth of the operator X in the property's formula.
fn next_depth(property: &RunProperty) -> usize {
    property.formulas().fold(
        property.formula(),
        |_, node, depths: &PartValues<_, usize>| match node {
            Node::Next(_, operand) => depths[*operand] + 1,
            Node::True | Node::False | Node::Literal(_) => 0,
            Node::And(operands) | Node::Or(operands) => {
                operands.iter().map(|&operand| depths[operand]).max().unwrap_or(0)
            }
            Node::Until(_, left, right) | Node::Release(_, left, right) => {
                depths[*left].max(depths[*right])
            }
        },
    )
}

/// Returns the predicates of `unreachable` that exclude edges of the automaton, and the excluded
/// pairs. An edge is excluded if its literals imply an unreachable predicate. The implication may
/// hold in all markings, or only in dead markings, and then only the stuttering of dead markings is
/// excluded.
pub(crate) fn excluded_edges(
    property: &RunProperty,
    tableau: &LinearTableau,
    unreachable: &[Predicate],
) -> (Vec<Predicate>, Vec<ExcludedPairs>) {
    let premises = Premises::new(property, unreachable);
    let (mut given, mut numbers, mut refuted) = (Vec::new(), HashMap::new(), Vec::new());
    for (state, edges) in tableau.automaton.states.iter().enumerate() {
        for (edge_index, edge) in edges.iter().enumerate() {
            let excluding = |movers: Movers, mover: &Predicate| {
                let premise = premises.find_excluding(&edge.cube, mover)?;
                Some((premise, movers))
            };
            let exclusion = excluding(Movers::All, &Predicate::True)
                .or_else(|| excluding(Movers::Nothing, &Predicate::Dead));
            let Some((premise, movers)) = exclusion else { continue };
            let number = *numbers.entry(premise).or_insert_with(|| {
                given.push(unreachable[premise].clone());
                given.len() - 1
            });
            let (edge, by) = ((state, edge_index), Reason::Given(number));
            refuted.push(ExcludedPairs { edge, movers, reason: by });
        }
    }
    (given, refuted)
}
