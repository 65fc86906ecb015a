//! The engine: each open property has its turns, short ones first, on one graph of markings.

use super::parts::{Parts, Set};
use super::search::Search;
use crate::board::{Board, Knowledge, Reach};
use crate::engine::markings::Markings;
use crate::engine::{Assignment, Engine, Progress, Role, Session, Sides, Takes};
use crate::evidence::tree::{Labelling, everywhere};
use fastrand::Rng;
use parikh_net::run_property::RunAtom;
use parikh_net::{Facts, Goal, GoalId, Net, Predicate, TreeProperty};
use parikh_solvers::Budget;
use parikh_temporal::BRANCHING_RULES;
use std::collections::{HashMap, HashSet};

/// See the [module](super).
pub const ENGINE: Engine = Engine {
    name: "fixpoint",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Trees,
    takes: Takes::TREES,
    start,
};

/// The most steps of rewriting.
const STEPS: usize = 20_000;

/// The bit of letters that says that a marking is dead.
const DEAD: usize = 0;

/// The share of the time left, in [0, 1], of each round of looks at all open properties.
const LOOKS: [f64; 4] = [0.03, 0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    Ok(Box::new(Fixpoints { work: assignment, done: String::new() }))
}

struct Fixpoints<'g> {
    work: Assignment<'g>,
    /// What was done, in a line.
    done: String,
}

impl Session for Fixpoints<'_> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        self.done = run(&self.work, budget);
        Progress::Finished
    }

    fn statistics(&self) -> String {
        self.done.clone()
    }
}

fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let is_open = |id: GoalId| work.board.is_open(id);
    let open = || work.ground.trees().iter().filter(|(id, _)| is_open(*id));
    let (atoms, bits) = letters(open().map(|(_, property)| property));
    let (net, facts) = (work.ground.net(), work.ground.facts());
    let Ok(mut graph) = Markings::new(net, facts, &atoms, budget) else {
        return "no room for a marking".to_owned();
    };
    let mut labelled = 0;
    for (round, share) in (0..).zip(LOOKS) {
        let open: Vec<&(GoalId, TreeProperty)> = open().collect();
        let end = budget.share(share);
        // Workers that have the same to do begin at different properties.
        let first = Rng::with_seed(work.seed).usize(..open.len().max(1));
        let rotated = open.iter().cycle().skip(first).take(open.len());
        for (at, (id, property)) in rotated.enumerate() {
            if budget.is_exhausted() || !is_open(*id) {
                continue;
            }
            let slice = end.share(1.0 / (open.len() - at) as f64);
            graph.set_budget(&slice);
            let seed = work.seed.wrapping_add(round);
            labelled += usize::from(look(work, &mut graph, &bits, (*id, property), seed));
        }
    }
    format!("{} markings expanded, {labelled} properties decided", graph.expanded())
}

/// Markings with what is true of them that show whether the tree of runs of `net` has the property, given
/// predicates in sorted form that no reachable marking satisfies. Nothing where the budget ends first, or the
/// formula or the labelling is too large.
pub fn labelling(
    net: &Net,
    facts: &Facts,
    property: &TreeProperty,
    never: &[Predicate],
    budget: &Budget,
) -> Option<Labelling> {
    let property = &simple(property);
    let (atoms, bits) = letters([property]);
    let mut graph = Markings::new(net, facts, &atoms, budget).ok()?;
    let parts = Parts::of(property, &bits)?;
    let never = never.iter().map(|it| (it.clone(), GoalId::new(0))).collect();
    let known = Known::new(never, property, &parts);
    let mut search = Search::new(&mut graph, &parts, DEAD, known.sets, 0);
    let value = search.run(&mut || Some(known.sets)).ok()??;
    search.explain(property, known.sets, known.used(value).0)
}

/// The same property without operands that are each other's negation, and the like: claims about a part and
/// about its negation are told apart by how they are written.
fn simple(property: &TreeProperty) -> TreeProperty {
    let mut formulas = property.formulas().clone();
    let (simple, _) = formulas.rewritten(property.formula(), BRANCHING_RULES, STEPS);
    TreeProperty::new(&formulas, simple, property.atoms())
}

/// The atoms of letters for these properties, and by predicate its bit.
fn letters<'p>(
    properties: impl IntoIterator<Item = &'p TreeProperty>,
) -> (Vec<RunAtom>, HashMap<Predicate, usize>) {
    let mut atoms = vec![RunAtom::Holds(Predicate::Dead)];
    let mut bits = HashMap::from([(Predicate::Dead, DEAD)]);
    for atom in properties.into_iter().flat_map(TreeProperty::atoms) {
        let next = atoms.len();
        if *bits.entry(atom.clone()).or_insert(next) == next {
            atoms.push(RunAtom::Holds(atom.clone()));
        }
    }
    (atoms, bits)
}

/// Whether the property was decided.
fn look(
    work: &Assignment<'_>,
    graph: &mut Markings<'_>,
    bits: &HashMap<Predicate, usize>,
    (id, property): (GoalId, &TreeProperty),
    seed: u64,
) -> bool {
    let property = &simple(property);
    let Some(parts) = Parts::of(property, bits) else {
        work.board.gave_up(id, ENGINE.name, "the formula has more than 64 parts");
        return false;
    };
    let mut version = work.board.version();
    let mut known = Known::of(work.board, property, &parts);
    let mut search = Search::new(graph, &parts, DEAD, known.sets, seed);
    let found = search.run(&mut || {
        if work.board.version() != version {
            version = work.board.version();
            known = Known::of(work.board, property, &parts);
        }
        work.board.is_open(id).then_some(known.sets)
    });
    let Ok(Some(value)) = found else { return false };
    let trees = work.board.trees(ENGINE.technique);
    let (given, goals) = known.used(value);
    match search.explain(property, known.sets, given) {
        Some(labelling) => trees.labelled(id, labelling, goals),
        None => trees.searched(id, value, graph.expanded().into(), goals),
    }
    !work.board.is_open(id)
}

/// What is known of all reachable markings.
struct Known {
    /// Predicates that none satisfies, and the goals that say so.
    never: Vec<(Predicate, GoalId)>,
    /// The parts that are true everywhere, and those that are false everywhere.
    sets: (Set, Set),
}

impl Known {
    fn of(board: &Board<'_>, property: &TreeProperty, parts: &Parts) -> Known {
        let both = |atom: &Predicate| [atom.clone().sorted(), atom.clone().negated().sorted()];
        let wanted: HashSet<Predicate> = property.atoms().iter().flat_map(both).collect();
        let known = board.ids().filter_map(|id| match (board.goal(id), board.knowledge(id)?) {
            (Goal::Reach(predicate), Knowledge::Reach(Reach::Unreachable { .. })) => {
                let predicate = predicate.clone().sorted();
                wanted.contains(&predicate).then_some((predicate, id))
            }
            _ => None,
        });
        Known::new(known.collect(), property, parts)
    }

    fn new(never: Vec<(Predicate, GoalId)>, property: &TreeProperty, parts: &Parts) -> Known {
        let given: Vec<Predicate> = never.iter().map(|(predicate, _)| predicate.clone()).collect();
        let set = |values: Vec<bool>| {
            (0..).zip(values).fold(0, |set: Set, (at, value)| set | Set::from(value) << at)
        };
        let yes = set(everywhere(property, &given, &parts.formulas));
        let no = {
            let mut store = property.formulas().clone();
            let negations: Vec<_> = parts.formulas.iter().map(|&it| store.negate(it)).collect();
            let of = |&negation: &_| {
                let negation = TreeProperty::new(&store, negation, property.atoms());
                let parts = negation.formulas().below(negation.formula());
                everywhere(&negation, &given, &parts).last() == Some(&true)
            };
            set(negations.iter().map(of).collect())
        };
        Known { never, sets: (yes, no) }
    }

    /// What a labelling of this value may rest on.
    fn used(&self, value: bool) -> (Vec<Predicate>, Vec<GoalId>) {
        let set = if value { self.sets.0 } else { self.sets.1 };
        match set {
            0 => (Vec::new(), Vec::new()),
            _ => self.never.iter().cloned().unzip(),
        }
    }
}
