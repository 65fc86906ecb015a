//! The engine: treats the open properties in turn, with equal shares of the time. They share one
//! graph of markings, except for properties with invisible firings, which have their own graph.

use super::hunt::{HuntTargets, Hunter};
use super::part_facts::{PartFacts, PartsWithNegations};
use super::parts::FormulaParts;
use super::search::{FixpointSearch, NewFacts};
use crate::explicit::ExplorationError;
use crate::markings::Markings;
use crate::{Assignment, Engine, ResultKinds, Role, Session, SliceProgress, SupportedGoals};
use fastrand::Rng;
use parikh_evidence::tree::{Labelling, TreePremises, silent};
use parikh_net::printable::counted;
use parikh_net::{Facts, GoalId, Net, Predicate, TreeProperty};
use parikh_solvers::Budget;
use parikh_temporal::BRANCHING_RULES;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The CTL engine. See the [module documentation](super).
pub const ENGINE: Engine = Engine {
    name: "fixpoint",
    technique: "EXPLICIT",
    result_kinds: ResultKinds::Both,
    role: Role::Trees,
    supported: SupportedGoals::TREES,
    start,
};

/// Limit on the number of rewriting steps for simplifying a formula.
const MAX_REWRITING_STEPS: usize = 20_000;

/// Shares of the remaining time for the rounds over all open properties in one slice, in [0, 1].
const ROUND_SHARES: [f64; 4] = [0.03, 0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    let (atoms, atom_index) =
        conditions(assignment.working_net.tree_goals().iter().map(|(_, property)| property));
    Ok(Box::new(FixpointEngine {
        assignment,
        atoms,
        atom_index,
        graph: None,
        own_graphs: HashMap::new(),
        expanded_in_dropped_graphs: 0,
        uses_shared_graph: HashSet::new(),
        prepared: HashMap::new(),
        rounds: 0,
        decided: 0,
        evaluation_statistics: EvaluationStatistics::default(),
    }))
}

/// The engine with its graphs and prepared properties.
struct FixpointEngine<'g> {
    /// The assignment with the net, the board and the properties.
    assignment: Assignment<'g>,
    /// The distinct atoms of the properties of the assignment.
    atoms: Vec<Predicate>,
    /// The index of each predicate in `atoms`.
    atom_index: HashMap<Predicate, usize>,
    /// The shared graph of markings. `None` before the first slice and during a slice. It stays
    /// `None` if there is no memory for the initial marking.
    graph: Option<Markings<'g>>,
    /// Graphs of properties with invisible firings whose last evaluation was interrupted.
    own_graphs: HashMap<GoalId, Markings<'g>>,
    /// Number of markings expanded in own graphs that are no longer stored.
    expanded_in_dropped_graphs: u64,
    /// Properties that use the shared graph, because they have no invisible firings or no own graph
    /// could be built.
    uses_shared_graph: HashSet<GoalId>,
    /// Prepared properties. `None` for properties with more than 64 subformulas.
    prepared: HashMap<GoalId, Option<Arc<PreparedFormula>>>,
    /// Number of rounds so far.
    rounds: u64,
    /// Number of decided properties.
    decided: usize,
    /// Statistics of the evaluations.
    evaluation_statistics: EvaluationStatistics,
}

/// Statistics of evaluations. A configuration is a marking with a part of the formula. An
/// evaluation does not reuse the configurations of an earlier one, so each evaluation counts its
/// configurations again.
#[derive(Clone, Copy, Default)]
struct EvaluationStatistics {
    /// Number of configurations, summed over all evaluations.
    configurations: u64,
    /// Total time of the evaluations, without the extraction of labellings.
    time: Duration,
    /// The evaluation with the most configurations: the number of configurations, and the bytes for
    /// the configurations and the graph.
    largest: (u64, u64),
}

impl EvaluationStatistics {
    /// Adds an evaluation with its number of configurations, its memory in bytes, and its time.
    fn add(&mut self, (configurations, bytes): (u64, u64), time: Duration) {
        self.configurations += configurations;
        self.time += time;
        self.largest = self.largest.max((configurations, bytes));
    }
}

impl Session for FixpointEngine<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        if self.graph.is_none() {
            let working_net = self.assignment.working_net;
            self.graph =
                Markings::for_trees(working_net.net(), working_net.facts(), &self.atoms, budget)
                    .ok();
        }
        // If there is no memory for one marking now, there will be none later.
        let Some(mut graph) = self.graph.take() else { return SliceProgress::Finished };
        let mut progress = SliceProgress::Finished;
        for share in ROUND_SHARES {
            progress = self.evaluate_all(&mut graph, &budget.share(share));
        }
        self.graph = Some(graph);
        progress
    }

    fn statistics(&self) -> String {
        let graphs = self.graph.iter().chain(self.own_graphs.values());
        let expanded: u64 = graphs.map(|graph| u64::from(graph.expanded())).sum();
        let expanded = expanded + self.expanded_in_dropped_graphs;
        let EvaluationStatistics { configurations, time, largest: (max_configurations, bytes) } =
            self.evaluation_statistics;
        format!(
            "{} expanded, {} decided, {} in {:.2} s, at most {max_configurations} at a time, of {:.0} bytes \
             each with their markings",
            counted(expanded, "marking"),
            counted(self.decided, "property"),
            counted(configurations, "configuration"),
            time.as_secs_f64(),
            bytes as f64 / max_configurations.max(1) as f64,
        )
    }
}

impl<'g> FixpointEngine<'g> {
    /// Evaluates each open property, with equal shares of the time. Returns
    /// [`SliceProgress::Unfinished`] if the budget ended during the evaluation of some property.
    fn evaluate_all(&mut self, graph: &mut Markings<'g>, budget: &Budget) -> SliceProgress {
        let board = self.assignment.board;
        let trees = self.assignment.working_net.tree_goals().iter();
        let open_properties: Vec<_> = trees.filter(|(id, _)| board.is_open(*id)).collect();
        // Workers with different seeds usually begin with different properties.
        let first = Rng::with_seed(self.assignment.seed).usize(..open_properties.len().max(1));
        let seed = self.assignment.seed.wrapping_add(self.rounds);
        self.rounds += 1;
        let mut progress = SliceProgress::Finished;
        for offset in 0..open_properties.len() {
            let (id, property) = open_properties[(first + offset) % open_properties.len()];
            if !board.is_open(*id) {
                continue;
            }
            let share = budget.share(1.0 / (open_properties.len() - offset) as f64);
            let Some(prepared) = self.prepared(*id, property) else { continue };
            let mut private_graph = self.own_graphs.remove(id);
            if private_graph.is_none() && !self.uses_shared_graph.contains(id) {
                private_graph = self.own_graph(&prepared.property, &share);
                if private_graph.is_none() {
                    self.uses_shared_graph.insert(*id);
                }
            }
            let graph = private_graph.as_mut().unwrap_or(graph);
            graph.set_budget(&share);
            let result = evaluate(
                &self.assignment,
                graph,
                *id,
                &prepared,
                (seed, &share),
                &mut self.evaluation_statistics,
            );
            match (private_graph, result) {
                (Some(own), EvaluationResult::Interrupted) => {
                    self.own_graphs.insert(*id, own);
                }
                (Some(own), _) => self.expanded_in_dropped_graphs += u64::from(own.expanded()),
                (None, _) => {}
            }
            match result {
                EvaluationResult::Decided => self.decided += 1,
                EvaluationResult::Interrupted => progress = SliceProgress::Unfinished,
                EvaluationResult::Undecided => {}
            }
        }
        progress
    }
}

impl<'g> FixpointEngine<'g> {
    /// Returns the prepared property, computed once. Returns `None` if its formula has more than 64
    /// subformulas. This is reported to the board.
    fn prepared(&mut self, id: GoalId, property: &TreeProperty) -> Option<Arc<PreparedFormula>> {
        let prepare = || {
            let prepared =
                PreparedFormula::of(self.assignment.working_net.net(), property, &self.atom_index);
            if prepared.is_none() {
                self.assignment.board.record_given_up(
                    id,
                    ENGINE.name,
                    "the formula has more than 64 parts",
                );
            }
            prepared.map(Arc::new)
        };
        self.prepared.entry(id).or_insert_with(prepare).clone()
    }

    /// Returns a new graph of markings for the property alone, without the firings that are
    /// invisible to it. Returns `None` if the property has no invisible firings. Also returns
    /// `None` if the graph cannot be built, or if its chains of invisible firings are too long.
    fn own_graph(&self, property: &TreeProperty, budget: &Budget) -> Option<Markings<'g>> {
        let working_net = self.assignment.working_net;
        let silent = silent(working_net.net(), property);
        if silent.is_empty() {
            return None;
        }
        let graph =
            Markings::for_trees(working_net.net(), working_net.facts(), &self.atoms, budget);
        graph.and_then(|graph| graph.without_invisible(&silent)).ok().flatten()
    }
}

/// Returns a labelling that shows if the computation tree of `net` has the property: a list of
/// markings with the subformulas that hold there. `premises` has known facts about all reachable
/// markings. Returns `None` if the search does not find the value within the budget and the memory,
/// or if a place gets too many tokens. Also returns `None` if the formula is too large, or if the
/// labelling is too large or cannot be completed.
pub fn labelling(
    net: &Net,
    facts: &Facts,
    property: &TreeProperty,
    premises: &TreePremises,
    budget: &Budget,
) -> Option<Labelling> {
    let (atoms, atom_index) = conditions([&simplified(property)]);
    let mut graph = Markings::for_trees(net, facts, &atoms, budget).ok()?;
    let prepared = PreparedFormula::of(net, property, &atom_index)?;
    let part_facts = PartFacts::from_premises(premises.clone(), &prepared.with_negations);
    let mut search =
        FixpointSearch::new(&mut graph, &prepared.parts, part_facts.known_everywhere, 0);
    let value = search
        .run(
            &mut || {
                Some(NewFacts { everywhere: part_facts.known_everywhere, sequences: Vec::new() })
            },
            None,
        )
        .ok()??;
    search.explain(
        &prepared.property,
        part_facts.known_everywhere,
        part_facts.premises_for(value).0,
    )
}

/// A simplified property, split into parts.
struct PreparedFormula {
    /// The simplified property.
    property: TreeProperty,
    /// The parts of its formula.
    parts: FormulaParts,
    /// The parts and their negations, for facts from other goals.
    with_negations: PartsWithNegations,
    /// Conditions that decide a part where a walk reaches them.
    hunt_targets: HuntTargets,
}

impl PreparedFormula {
    /// Prepares a property. Returns `None` if it has more than 64 subformulas.
    fn of(
        net: &Net,
        property: &TreeProperty,
        atom_index: &HashMap<Predicate, usize>,
    ) -> Option<PreparedFormula> {
        let property = simplified(property);
        let parts = FormulaParts::of(&property, atom_index)?;
        let parts_and_negations = PartsWithNegations::of(net, &property, &parts);
        let implying = |part: usize, value: bool| parts_and_negations.implying(part, value);
        let hunt_targets = HuntTargets::of(&parts, &implying);
        Some(PreparedFormula { property, parts, with_negations: parts_and_negations, hunt_targets })
    }
}

/// Simplifies a property within [`MAX_REWRITING_STEPS`] steps. Afterwards, usually no two operands
/// of a conjunction or disjunction are each other's negation. Claims of a labelling distinguish a
/// part from its negation by its syntax.
fn simplified(property: &TreeProperty) -> TreeProperty {
    let mut formulas = property.formulas().clone();
    let (simple, _) = formulas.rewritten(property.formula(), BRANCHING_RULES, MAX_REWRITING_STEPS);
    TreeProperty::new(&formulas, simple, property.atoms())
}

/// Returns the distinct atoms of the properties, and the index of each atom in this list.
fn conditions<'p>(
    properties: impl IntoIterator<Item = &'p TreeProperty>,
) -> (Vec<Predicate>, HashMap<Predicate, usize>) {
    let (mut atoms, mut atom_index) = (Vec::new(), HashMap::new());
    for atom in properties.into_iter().flat_map(TreeProperty::atoms) {
        let next = atoms.len();
        if *atom_index.entry(atom.clone()).or_insert(next) == next {
            atoms.push(atom.clone());
        }
    }
    (atoms, atom_index)
}

/// Result of evaluating a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvaluationResult {
    /// The property is decided.
    Decided,
    /// The budget is exhausted.
    Interrupted,
    /// More time would not help, or the board did not accept the value.
    Undecided,
}

/// Evaluates a property as far as time and memory permit. If the value is found, reports it to the
/// board.
fn evaluate(
    assignment: &Assignment<'_>,
    graph: &mut Markings<'_>,
    id: GoalId,
    prepared: &PreparedFormula,
    (seed, budget): (u64, &Budget),
    evaluation_statistics: &mut EvaluationStatistics,
) -> EvaluationResult {
    let start_time = Instant::now();
    let PreparedFormula { property, parts, with_negations: parts_and_negations, hunt_targets } =
        prepared;
    let mut facts = PartFacts::of(assignment.board, parts_and_negations);
    let mut search = FixpointSearch::new(graph, parts, facts.known_everywhere, seed);
    let mut hunter = Hunter::new(assignment.working_net.net(), hunt_targets, budget, seed);
    let result = search.run(
        &mut || {
            let sequences = facts.update(assignment.board);
            assignment
                .board
                .is_open(id)
                .then_some(NewFacts { everywhere: facts.known_everywhere, sequences })
        },
        Some(&mut hunter),
    );
    evaluation_statistics.add(search.size(), start_time.elapsed());
    let value = match result {
        Ok(Some(value)) => value,
        Err(ExplorationError::BudgetExhausted(_)) => return EvaluationResult::Interrupted,
        Ok(None) | Err(_) => return EvaluationResult::Undecided,
    };
    let tree_reporter = assignment.board.tree_reporter(ENGINE.technique);
    let (premises, goals) = facts.premises_for(value);
    match search.explain(property, facts.known_everywhere, premises) {
        Some(labelling) => tree_reporter.report_labelled(id, labelling, goals),
        None => tree_reporter.report_searched(id, value, graph.expanded().into(), goals),
    }
    if assignment.board.is_open(id) {
        EvaluationResult::Undecided
    } else {
        EvaluationResult::Decided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_evidence::tree::visit::visit_tree;
    use parikh_generate::{Shape, random, random_ctl, random_predicate};
    use parikh_temporal::Ctl;

    /// Compares searches that hunt after nearly every expansion with a visit of all markings, and
    /// checks the labellings.
    #[test]
    fn values_found_by_hunts_are_right() {
        let (mut hunts, mut seen) = (0, [0; 2]);
        for seed in 0..600 {
            let net = random(seed, &Shape::small(seed));
            let mut rng = Rng::with_seed(seed);
            let atoms = [(); 3].map(|()| random_predicate(&mut rng, &net, 2).sorted());
            let mut formulas = Ctl::default();
            let formula = random_ctl(&mut formulas, &mut rng, 3, 7);
            let property = TreeProperty::new(&formulas, formula, &atoms);
            // Unbounded nets, and nets with many markings, are left out.
            let Ok(truth) = visit_tree(&net, &property, 300, &mut || true) else { continue };
            let (budget, facts) = (Budget::unlimited(), Facts::empty(&net));
            let (atoms, atom_index) = conditions([&simplified(&property)]);
            let mut graph = Markings::for_trees(&net, &facts, &atoms, &budget).unwrap();
            let prepared = PreparedFormula::of(&net, &property, &atom_index).unwrap();
            let mut hunter =
                Hunter::new(&net, &prepared.hunt_targets, &budget, seed).with_free_hunts(3);
            let mut search = FixpointSearch::new(&mut graph, &prepared.parts, (0, 0), seed);
            search.min_firings_per_sweep = 1;
            let value = search.run(&mut || Some(NewFacts::default()), Some(&mut hunter));
            assert_eq!(value.unwrap(), Some(truth.holds), "net {seed}");
            hunts += (0..prepared.parts.parts.len()).map(|it| hunter.hunt_count(it)).sum::<u32>();
            seen[usize::from(truth.holds)] += 1;
            let labelling =
                search.explain(&prepared.property, (0, 0), TreePremises::default()).unwrap();
            assert_eq!(labelling.check(&net, &mut || true), Ok(()), "net {seed}");
        }
        assert!(hunts > 100 && seen.iter().all(|&count| count > 50), "{hunts}, {seen:?}");
    }
}
