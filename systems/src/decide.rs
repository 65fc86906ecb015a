//! Decision of LTL formulas on systems: do all runs satisfy the formula?
//!
//! First, single components may exclude the infinite behaviour of every counterexample
//! ([`crate::recurrence`]). Otherwise components are decomposed into factors ([`crate::factors`]),
//! and several methods take turns with growing limits:
//!
//! - Random walks on the whole system look for a counterexample.
//! - Some of the factors are searched, starting with the owners of the formula's labels. If they
//!   have no counterexample, the whole system has none ([`crate::product`]). If they have one, it
//!   is checked against each omitted factor, and the first factor that cannot follow it is added.
//!   When all factors are included, a run that is found is a run of the system.
//! - If only infinite runs count, components are composed in pairs and minimised
//!   ([`crate::compose`]). The automaton for this ignores labels that the formula does not name. If
//!   the formula depends on such labels, a run that is found is evaluated. If the run satisfies the
//!   formula, this method and the next one end.
//! - With such an automaton, the whole system is also searched with partial-order reduction
//!   ([`crate::stubborn`]). A negative result of this search is the only one that a checker cannot
//!   verify independently. In that case, the composition and some of the factors are searched a
//!   little longer.
//!
//! Source: E. Clarke, O. Grumberg and others, *Counterexample-guided abstraction refinement*, CAV
//! 2000, with components in place of variables.

use crate::compose::{Composition, CompositionOutcome};
use crate::factors::{FactorView, FactoredSystem};
use crate::formula::{KindAutomaton, LabelFormula};
use crate::product::Product;
use crate::recurrence::{recurrent_parts, with_phases};
use crate::search::{ComponentRun, FiniteRuns, ProductSearch, SearchEnd};
use crate::stubborn::DependenceRelation;
use crate::system::{LabelId, System};
use crate::walk::SystemWalker;
use parikh_temporal::AutomatonTooLarge;

/// The justification of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Justification {
    /// The formula is false: the run violates it.
    Run(ComponentRun),
    /// The formula is true: no run of these components violates the formula. The list is empty if
    /// no word violates the formula, or if the analysis of single components excludes the infinite
    /// behaviour of every counterexample.
    Components {
        /// Components or views of components, ascending.
        members: Vec<FactorView>,
        /// Number of visited pairs of a joint state and an automaton state; 0 if `members` is
        /// empty.
        visited: usize,
    },
    /// The formula is true: the system after compositional minimisation has no run that violates
    /// the formula.
    Composed {
        /// Components, or views of components.
        members: Vec<FactorView>,
        /// The composed pairs, in order. A number below the number of members is the index of a
        /// member. The numbers from there on are those of the pairs themselves.
        order: Vec<(u32, u32)>,
        /// Number of states of all graphs before minimisation, plus the number of nodes of the
        /// search afterwards.
        states: usize,
    },
    /// The formula is true: a search of the whole system with partial-order reduction found no run
    /// that violates the formula.
    PartialOrderReduction {
        /// Number of visited pairs of a joint state and an automaton state.
        visited: usize,
    },
}

/// The reason for a missing answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoVerdict {
    /// `goes_on` returned false, because the time or memory limit was reached.
    #[error("stopped before the property was decided")]
    Stopped,
    /// The automaton would be too large.
    #[error(transparent)]
    Automaton(#[from] AutomatonTooLarge),
    /// The formula has a next operator and finite runs count. Its value would depend on the number
    /// of steps that SPIN takes between two labels.
    #[error(
        "with `X`, Promela's semantics depends on how many steps SPIN takes between two labels"
    )]
    Next,
    /// All rounds of the search reached their node limits. The number is the limit of the last
    /// round.
    #[error("no decision within {0} states of the product")]
    TooManyStates(usize),
}

/// The node limits of the first and the last round of searches for one formula. Each round has four
/// times the limit of the previous round.
const NODE_LIMITS: (usize, usize) = (1 << 14, 1 << 26);
/// Ratio between the node limit of a round and two other limits. The search with partial-order
/// reduction may visit this many times more nodes. A composed graph may have this many times fewer
/// states, because there are several graphs and each is processed repeatedly.
const REDUCTION_FACTOR: usize = 16;
/// Node limit of each of two last searches, after the search with partial-order reduction found no
/// counterexample: of the composition, and of some factors. A checker can verify their results
/// easily.
const CHECKABLE_NODES: usize = 1 << 16;

/// A system prepared for decisions.
#[derive(Debug)]
pub struct Decider<'s> {
    system: &'s System,
    /// The treatment of finite runs.
    finite_runs: FiniteRuns,
    /// The system with its components decomposed into factors; the unchanged system if finite runs
    /// count.
    factored: FactoredSystem,
    /// For each label, the labels that depend on it in some factor, for partial-order reduction.
    dependence: DependenceRelation,
}

impl<'s> Decider<'s> {
    /// Decomposes a system into factors if only infinite runs count. If finite runs count, the
    /// components stay whole. A view may continue where its component cannot, so a checker could
    /// not see from views where a run ends.
    pub fn new(system: &'s System, finite_runs: FiniteRuns) -> Self {
        let factored = match finite_runs {
            FiniteRuns::Ignored => FactoredSystem::new(system),
            FiniteRuns::Stutter => FactoredSystem::unfactored(system),
        };
        let dependence = DependenceRelation::new(&factored.system);
        Self { system, finite_runs, factored, dependence }
    }

    /// Decides a formula.
    ///
    /// # Errors
    /// Returns an error if `goes_on` returned false, the automaton would be too large, or all
    /// rounds reached their node limits. Also if the formula has a next operator and finite runs
    /// count.
    pub fn decide(
        &self,
        formula: &LabelFormula,
        seed: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Justification, NoVerdict> {
        let endings = self.finite_runs;
        if endings == FiniteRuns::Stutter && formula.has_next() {
            return Err(NoVerdict::Next);
        }
        let automaton = formula.negation()?;
        if automaton.is_empty() {
            return Ok(Justification::Components { members: Vec::new(), visited: 0 });
        }
        // If only infinite runs count, an analysis of single components limits the labels that can
        // occur infinitely often. The automaton with phases guesses when a run has entered its
        // infinite part, and reads only these labels from then on.
        let mut phases = None;
        if endings == FiniteRuns::Ignored {
            let recurrent_parts = recurrent_parts(self.system, &automaton);
            if recurrent_parts.is_empty() {
                return Ok(Justification::Components { members: Vec::new(), visited: 0 });
            }
            phases = with_phases(&automaton, &recurrent_parts);
        }
        let narrowed_automaton = phases.as_ref().unwrap_or(&automaton);
        // The loosened automaton stays in its state at unnamed labels, as partial-order reduction
        // requires. It ignores insertions and removals of unnamed labels. If the formula depends on
        // such labels, it accepts too much. The absence of a run is still conclusive, but a run
        // that is found must be evaluated.
        let is_insensitive = formula.is_insensitive();
        let mut loosened_automaton = match (endings, is_insensitive) {
            (FiniteRuns::Stutter, _) => None,
            (FiniteRuns::Ignored, true) => Some(automaton.staying_at_unnamed_labels()),
            (FiniteRuns::Ignored, false) => automaton.loosened(),
        };
        let violates_formula = |run: &ComponentRun| {
            let word: Vec<_> = run.labels.iter().map(|&label| Some(label)).collect();
            is_insensitive || formula.holds_of(&word, run.cycle_start) == Some(false)
        };
        let system = &self.factored.system;
        let owners = automaton.labels().iter().flat_map(|&label| system.owners(label));
        let mut members: Vec<u32> = owners.copied().collect();
        members.sort_unstable();
        members.dedup();
        let mut walkers = vec![SystemWalker::new(self.system, &automaton, endings, seed, false)];
        let phases = phases.as_ref();
        walkers.extend(phases.map(|it| SystemWalker::new(self.system, it, endings, seed, true)));
        let mut composition: Option<Composition> = None;
        let mut max_nodes = NODE_LIMITS.0;
        while max_nodes <= NODE_LIMITS.1 {
            for walker in &mut walkers {
                if let Some(run) = walker.search(max_nodes, goes_on) {
                    return Ok(Justification::Run(run));
                }
            }
            match refine(system, narrowed_automaton, endings, &mut members, max_nodes, goes_on)? {
                Some(FactorSearchOutcome::Run(run)) => return Ok(Justification::Run(run)),
                Some(FactorSearchOutcome::NoRun { visited }) => {
                    return Ok(self.justify_by_components(&members, visited));
                }
                None => {}
            }
            if let Some(loosened_automaton) = loosened_automaton.as_ref()
                && composition.as_ref().is_none_or(Composition::is_cut)
            {
                let composition_result = Composition::new(
                    system,
                    loosened_automaton,
                    max_nodes / REDUCTION_FACTOR,
                    goes_on,
                );
                composition = Some(composition_result.ok_or(NoVerdict::Stopped)?);
            }
            match composition.as_ref().map(|it| (it, it.search(max_nodes, goes_on))) {
                Some((_, CompositionOutcome::Run(run))) if violates_formula(&run) => {
                    return Ok(Justification::Run(run));
                }
                // The run satisfies the formula, whose value depends on unnamed labels. The
                // loosened automaton ignores these labels, so it cannot decide the formula.
                Some((_, CompositionOutcome::Run(_))) => {
                    (loosened_automaton, composition) = (None, None)
                }
                Some((it, CompositionOutcome::NoRun(visited))) => {
                    return Ok(self.justify_by_composition(it, visited));
                }
                Some((_, CompositionOutcome::Stopped)) => return Err(NoVerdict::Stopped),
                Some((_, CompositionOutcome::TooManyNodes)) | None => {}
            }
            let reduced_search = loosened_automaton.as_ref().map(|automaton| {
                let limit = REDUCTION_FACTOR * max_nodes;
                (automaton, self.search_with_reduction(automaton, limit, goes_on))
            });
            match reduced_search {
                Some((_, (SearchEnd::Run(run), _))) if violates_formula(&run) => {
                    return Ok(Justification::Run(run));
                }
                Some((_, (SearchEnd::Run(_), _))) => {
                    (loosened_automaton, composition) = (None, None)
                }
                Some((loosened_automaton, (SearchEnd::NoRun, visited))) => {
                    return self.search_for_checkable_result(
                        (loosened_automaton, narrowed_automaton),
                        members,
                        visited,
                        goes_on,
                    );
                }
                Some((_, (SearchEnd::Stopped, _))) => return Err(NoVerdict::Stopped),
                Some((_, (SearchEnd::TooManyNodes, _))) | None => {}
            }
            max_nodes *= 4;
        }
        Err(NoVerdict::TooManyStates(NODE_LIMITS.1))
    }

    /// Handles the case that the search with partial-order reduction found no counterexample.
    /// Searches a little longer for a result that a checker can verify. A run of the composition is
    /// ignored here, because its automaton may accept too much. The first automaton is for the
    /// composition, the second for the factors. The number `visited` is of the search with
    /// partial-order reduction.
    fn search_for_checkable_result(
        &self,
        (automaton, narrowed_automaton): (&KindAutomaton, &KindAutomaton),
        mut members: Vec<u32>,
        visited: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Justification, NoVerdict> {
        let (system, endings) = (&self.factored.system, self.finite_runs);
        let composition = Composition::new(system, automaton, usize::MAX, goes_on);
        match composition.as_ref().map(|it| (it, it.search(CHECKABLE_NODES, goes_on))) {
            Some((it, CompositionOutcome::NoRun(visited))) => {
                return Ok(self.justify_by_composition(it, visited));
            }
            Some((
                _,
                CompositionOutcome::Run(_)
                | CompositionOutcome::TooManyNodes
                | CompositionOutcome::Stopped,
            ))
            | None => {}
        }
        match refine(system, narrowed_automaton, endings, &mut members, CHECKABLE_NODES, goes_on) {
            Ok(Some(FactorSearchOutcome::Run(run))) => Ok(Justification::Run(run)),
            Ok(Some(FactorSearchOutcome::NoRun { visited })) => {
                Ok(self.justify_by_components(&members, visited))
            }
            Ok(None) | Err(_) => Ok(Justification::PartialOrderReduction { visited }),
        }
    }

    /// Searches the whole system with partial-order reduction. Returns the outcome and the number
    /// of visited nodes.
    fn search_with_reduction(
        &self,
        staying_automaton: &KindAutomaton,
        max_nodes: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> (SearchEnd, usize) {
        let system = &self.factored.system;
        let mut product = Product::new(system, (0..system.components().len() as u32).collect());
        let search =
            ProductSearch::new(system, &mut product, staying_automaton, FiniteRuns::Ignored);
        let outcome = search.with_fewer_steps(self.dependence.clone()).run(max_nodes, goes_on);
        (outcome.end, outcome.nodes)
    }

    /// Returns the justification that the minimised system has no counterexample.
    fn justify_by_composition(&self, composition: &Composition, visited: usize) -> Justification {
        let (members, order) = (self.factored.views.clone(), composition.order().to_vec());
        Justification::Composed { members, order, states: composition.states() + visited }
    }

    /// Returns the justification that these factors have no counterexample.
    fn justify_by_components(&self, members: &[u32], visited: usize) -> Justification {
        let views = &self.factored.views;
        let mut members: Vec<FactorView> =
            members.iter().map(|&it| views[it as usize].clone()).collect();
        members.sort_unstable();
        Justification::Components { members, visited }
    }
}

/// The result of a search of some components that decides the formula.
enum FactorSearchOutcome {
    /// A run of the whole system that violates the formula.
    Run(ComponentRun),
    /// The factors have no run that violates the formula.
    NoRun { visited: usize },
}

/// Searches these components. As long as a run is found and components are missing, adds a
/// component and searches again. Returns `None` if the node limit is reached.
///
/// # Errors
/// Returns [`NoVerdict::Stopped`] if `goes_on` returned false.
fn refine(
    system: &System,
    automaton: &KindAutomaton,
    endings: FiniteRuns,
    members: &mut Vec<u32>,
    max_nodes: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<FactorSearchOutcome>, NoVerdict> {
    loop {
        let mut product = Product::new(system, members.clone());
        let is_whole = product.is_whole();
        let outcome =
            ProductSearch::new(system, &mut product, automaton, endings).run(max_nodes, goes_on);
        match outcome.end {
            SearchEnd::Run(run) if is_whole => return Ok(Some(FactorSearchOutcome::Run(run))),
            SearchEnd::Run(run) => {
                let refusing_component = component_to_add(system, members, &run);
                members.extend(refusing_component);
                members.sort_unstable();
            }
            SearchEnd::NoRun => {
                return Ok(Some(FactorSearchOutcome::NoRun { visited: outcome.nodes }));
            }
            SearchEnd::TooManyNodes => return Ok(None),
            SearchEnd::Stopped => return Err(NoVerdict::Stopped),
        }
    }
}

/// Returns the component to add because of `run`, a run of `members`. Prefers components that
/// cannot follow the run: first the owners of a label of the cycle, then the component that fails
/// first. If all can follow, returns the component that shares most labels with `members`. Returns
/// `None` if no component is omitted.
fn component_to_add(system: &System, members: &[u32], run: &ComponentRun) -> Option<u32> {
    let omitted_components: Vec<u32> = (0..system.components().len() as u32)
        .filter(|component| members.binary_search(component).is_err())
        .collect();
    // A component that prevents the cycle is the most informative.
    let is_off_loop = |omitted: &u32| {
        !run.labels[run.cycle_start..].iter().any(|&label| system.owners(label).contains(omitted))
    };
    let refusals = omitted_components.iter().filter_map(|omitted| {
        Some((
            is_off_loop(omitted),
            first_refused_position(system, members, *omitted, run)?,
            *omitted,
        ))
    });
    if let Some((_, _, first)) = refusals.min() {
        return Some(first);
    }
    let count_shared_labels = |omitted: &u32| {
        let shared_labels = system.labels().filter(|&label| {
            let owners = system.owners(label);
            owners.contains(omitted) && owners.iter().any(|it| members.binary_search(it).is_ok())
        });
        shared_labels.count()
    };
    omitted_components.into_iter().max_by_key(count_shared_labels)
}

/// Returns the number of labels of a run of `members` after which a component cannot follow.
/// Returns `None` if no refusal is found: the component can follow forever, or fails only after
/// many rounds of the cycle. At any time, the component may take steps with labels that no member
/// owns.
fn first_refused_position(
    system: &System,
    members: &[u32],
    component_number: u32,
    run: &ComponentRun,
) -> Option<usize> {
    let component = &system.components()[component_number as usize];
    let is_free =
        |label: LabelId| !system.owners(label).iter().any(|it| members.binary_search(it).is_ok());
    let close_under_free_steps = |possible_states: &mut Vec<bool>| {
        let mut open: Vec<u32> =
            (0..).zip(&*possible_states).filter(|it| *it.1).map(|it| it.0).collect();
        while let Some(state) = open.pop() {
            for &(label, to) in component.edges(state) {
                if is_free(label) && !possible_states[to as usize] {
                    possible_states[to as usize] = true;
                    open.push(to);
                }
            }
        }
    };
    let mut possible_states = vec![false; component.states().len()];
    component.starts().iter().for_each(|&start| possible_states[start as usize] = true);
    close_under_free_steps(&mut possible_states);
    let follow = |possible_states: &mut Vec<bool>, label: LabelId, repeats: bool| {
        // A label that no member owns represents every label that the automaton does not
        // distinguish from it. The component must take such a label only if the label repeats
        // forever.
        if !system.owners(label).contains(&component_number) || (is_free(label) && !repeats) {
            return true;
        }
        let mut next_states = vec![false; possible_states.len()];
        for state in (0..possible_states.len()).filter(|&state| possible_states[state]) {
            for &(edge_label, to) in component.edges(state as u32) {
                next_states[to as usize] |= edge_label == label;
            }
        }
        close_under_free_steps(&mut next_states);
        *possible_states = next_states;
        possible_states.contains(&true)
    };
    for (position, &label) in run.labels[..run.cycle_start].iter().enumerate() {
        if !follow(&mut possible_states, label, false) {
            return Some(position);
        }
    }
    // The state sets shrink or repeat: as many rounds as there are states detect most refusals.
    for round in 0..=component.states().len() {
        for (position, &label) in run.labels[run.cycle_start..].iter().enumerate() {
            if !follow(&mut possible_states, label, true) {
                return Some(
                    run.cycle_start + round * (run.labels.len() - run.cycle_start) + position,
                );
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Decider;
    use crate::compose::{Composition, CompositionOutcome};
    use crate::factors::FactoredSystem;
    use crate::formula::{KindAutomaton, LabelFormula};
    use crate::generate::{random_linear, random_pattern, random_system};
    use crate::product::Product;
    use crate::search::{ComponentRun, FiniteRuns, ProductSearch, SearchEnd};
    use crate::system::{LabelId, System};
    use fastrand::Rng;
    use std::collections::BTreeSet;

    /// Returns the factor on the number of random systems.
    fn scale() -> usize {
        std::env::var("PARIKH_SCALE").map_or(1, |it| it.parse().unwrap())
    }

    /// Returns true if the whole system has an accepted run, by a search over all steps.
    fn is_accepted(system: &System, automaton: &KindAutomaton) -> bool {
        let mut product = Product::new(system, (0..system.components().len() as u32).collect());
        let mut search = ProductSearch::new(system, &mut product, automaton, FiniteRuns::Ignored);
        match search.run(1 << 20, &mut || true).end {
            SearchEnd::Run(_) => true,
            SearchEnd::NoRun => false,
            other => panic!("{other:?}"),
        }
    }

    /// Returns an accepted run found by compositional minimisation, or `None` if there is no
    /// accepted run.
    fn composed(system: &System, automaton: &KindAutomaton) -> Option<ComponentRun> {
        let composition = Composition::new(system, automaton, 1 << 16, &mut || true).unwrap();
        match composition.search(1 << 20, &mut || true) {
            CompositionOutcome::Run(run) => Some(run),
            CompositionOutcome::NoRun(_) => None,
            CompositionOutcome::TooManyNodes | CompositionOutcome::Stopped => {
                panic!("not told to stop, and small")
            }
        }
    }

    /// Returns true if the system has this infinite run, by iterating sets of joint states.
    fn is_run(system: &System, run: &ComponentRun) -> bool {
        let mut product = Product::new(system, (0..system.components().len() as u32).collect());
        let mut along = |from: &BTreeSet<Vec<u32>>, labels: &[LabelId]| {
            let mut here = from.clone();
            for &label in labels {
                let mut next = BTreeSet::new();
                for state in &here {
                    product.steps(
                        state,
                        |it| it == label,
                        |step| {
                            let mut to = state.clone();
                            step.moves.iter().for_each(|&(at, of)| to[at as usize] = of);
                            next.insert(to);
                        },
                    );
                }
                here = next;
            }
            here
        };
        let starts = Product::new(system, (0..system.components().len() as u32).collect()).starts();
        let mut set = along(&starts.into_iter().collect(), &run.labels[..run.cycle_start]);
        // The sets after each round repeat eventually; each one must be non-empty.
        let mut seen = BTreeSet::new();
        while !set.is_empty() && seen.insert(set.clone()) {
            set = along(&set, &run.labels[run.cycle_start..]);
        }
        !set.is_empty() && run.cycle_start < run.labels.len()
    }

    /// Compares each method with a search of all steps of the system. The methods are factors, the
    /// automaton that stays in its state at unnamed labels, partial-order reduction, and
    /// compositional minimisation.
    #[test]
    fn factors_fewer_steps_and_composing_change_no_answer() {
        let mut random = Rng::with_seed(41);
        let (mut held, mut failed, mut factored, mut fewer) = (0, 0, 0, 0);
        let (mut composed_runs, mut loosely) = (0, 0);
        for _ in 0..4000 * scale() {
            let system = random_system(&mut random);
            let decider = Decider::new(&system, FiniteRuns::Ignored);
            let FactoredSystem { system: factors, .. } = &decider.factored;
            factored += usize::from(factors.components().len() > system.components().len());
            for _ in 0..3 {
                let depth = random.usize(1..=3);
                let text = match random.bool() {
                    true => random_pattern(&mut random),
                    false => random_linear(&mut random, depth),
                };
                let formula = LabelFormula::parse(&text, &system).unwrap();
                let automaton = formula.negation().unwrap();
                let expected = is_accepted(&system, &automaton);
                let description = || format!("{text}\n{}", crate::write::dot(&system));
                assert_eq!(is_accepted(factors, &automaton), expected, "{}", description());
                if !formula.is_insensitive() {
                    // The loosened automaton accepts too much, in all methods alike.
                    let Some(loose) = automaton.loosened() else { continue };
                    let too_much = is_accepted(&system, &loose);
                    assert!(too_much || !expected, "{}", description());
                    let found = composed(factors, &loose).is_some();
                    assert_eq!(found, too_much, "{}", description());
                    let (ending, _) = decider.search_with_reduction(&loose, 1 << 20, &mut || true);
                    assert_eq!(matches!(ending, SearchEnd::Run(_)), too_much, "{}", description());
                    loosely += usize::from(!too_much);
                    continue;
                }
                let staying_automaton = automaton.staying_at_unnamed_labels();
                assert_eq!(is_accepted(&system, &staying_automaton), expected, "{}", description());
                if staying_automaton.is_empty() {
                    continue;
                }
                let found = composed(factors, &staying_automaton);
                assert_eq!(found.is_some(), expected, "{}", description());
                composed_runs += usize::from(found.is_some());
                if let Some(run) = found {
                    let word: Vec<_> = run.labels.iter().map(|&it| Some(it)).collect();
                    assert_eq!(
                        formula.holds_of(&word, run.cycle_start),
                        Some(false),
                        "{}",
                        description()
                    );
                    assert!(is_run(&system, &run), "{run:?}\n{}", description());
                }
                let (ending, nodes) =
                    decider.search_with_reduction(&staying_automaton, 1 << 20, &mut || true);
                match ending {
                    SearchEnd::Run(run) => {
                        assert!(expected, "{}", description());
                        let word: Vec<_> = run.labels.iter().map(|&it| Some(it)).collect();
                        assert_eq!(
                            formula.holds_of(&word, run.cycle_start),
                            Some(false),
                            "{}",
                            description()
                        );
                        failed += 1;
                    }
                    SearchEnd::NoRun => {
                        assert!(!expected, "{}", description());
                        held += 1;
                        let all = (0..factors.components().len() as u32).collect();
                        let mut product = Product::new(factors, all);
                        let outcome = ProductSearch::new(
                            factors,
                            &mut product,
                            &staying_automaton,
                            FiniteRuns::Ignored,
                        )
                        .run(1 << 20, &mut || true);
                        fewer += usize::from(nodes < outcome.nodes);
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
        assert!(
            held > 500
                && failed > 500
                && factored > 500
                && fewer > 30
                && composed_runs > 500
                && loosely > 500,
            "{held} {failed} {factored} {fewer} {composed_runs} {loosely}"
        );
    }
}
