//! The engine: each open property has its turns, short ones first, on one graph of markings, or on
//! one of its own, where there are firings that it does not see.

use super::known::{self, Both, Known};
use super::parts::Parts;
use super::search::{News, Search};
use crate::engine::explicit::Incomplete;
use crate::engine::markings::Markings;
use crate::engine::{Assignment, Engine, Progress, Role, Session, Sides, Takes};
use crate::evidence::tree::{Given, Labelling, silent};
use fastrand::Rng;
use parikh_net::{Facts, GoalId, Net, Predicate, TreeProperty};
use parikh_solvers::Budget;
use parikh_temporal::BRANCHING_RULES;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// The share of the time left, in [0, 1], of each round of looks at all open properties.
const LOOKS: [f64; 4] = [0.03, 0.1, 0.3, 1.0];

fn start(assignment: Assignment<'_>) -> Result<Box<dyn Session + '_>, String> {
    let (atoms, bits) = conditions(assignment.ground.trees().iter().map(|(_, property)| property));
    Ok(Box::new(Fixpoints {
        work: assignment,
        atoms,
        bits,
        graph: None,
        own: HashMap::new(),
        sees_all: HashSet::new(),
        prepared: HashMap::new(),
        looks: 0,
        decided: 0,
        effort: Effort::default(),
    }))
}

struct Fixpoints<'g> {
    work: Assignment<'g>,
    /// What is asked of markings, and by predicate its place.
    atoms: Vec<Predicate>,
    bits: HashMap<Predicate, usize>,
    /// The graph of markings, from the first slice on.
    graph: Option<Markings<'g>>,
    /// Graphs of properties that do not see all firings.
    own: HashMap<GoalId, Markings<'g>>,
    /// The properties that have no graph of their own.
    sees_all: HashSet<GoalId>,
    /// What properties are made of; nothing of those that are too large.
    prepared: HashMap<GoalId, Option<Arc<Prepared>>>,
    /// How many rounds of looks there were.
    looks: u64,
    /// How many properties were decided.
    decided: usize,
    /// What the looks took.
    effort: Effort,
}

/// What looks at properties took. Each look begins with no values.
#[derive(Clone, Copy, Default)]
struct Effort {
    /// Markings with a part of the formula, of all looks.
    configurations: u64,
    /// How long the looks took.
    time: Duration,
    /// Of the look with the most configurations: how many, and the bytes for them and the graph.
    largest: (u64, u64),
}

impl Effort {
    fn note(&mut self, (configurations, bytes): (u64, u64), time: Duration) {
        self.configurations += configurations;
        self.time += time;
        self.largest = self.largest.max((configurations, bytes));
    }
}

impl Session for Fixpoints<'_> {
    fn slice(&mut self, budget: &Budget) -> Progress {
        if self.graph.is_none() {
            let ground = self.work.ground;
            self.graph =
                Markings::for_trees(ground.net(), ground.facts(), &self.atoms, budget).ok();
        }
        // Where there is no room for a marking, there will be none later.
        let Some(mut graph) = self.graph.take() else { return Progress::Finished };
        let mut progress = Progress::Finished;
        for share in LOOKS {
            progress = self.look_at_all(&mut graph, &budget.share(share));
        }
        self.graph = Some(graph);
        progress
    }

    fn statistics(&self) -> String {
        let graphs = self.graph.iter().chain(self.own.values());
        let expanded: u64 = graphs.map(|graph| u64::from(graph.expanded())).sum();
        let Effort { configurations, time, largest: (most, bytes) } = self.effort;
        format!(
            "{expanded} markings expanded, {} properties decided, {configurations} configurations in {:.2} s, at \
             most {most} at a time, of {:.0} bytes each with their markings",
            self.decided,
            time.as_secs_f64(),
            bytes as f64 / most.max(1) as f64,
        )
    }
}

impl<'g> Fixpoints<'g> {
    /// A look at each open property, in equal shares of the time; whether more time would help with
    /// any.
    fn look_at_all(&mut self, graph: &mut Markings<'g>, budget: &Budget) -> Progress {
        let board = self.work.board;
        let trees = self.work.ground.trees().iter();
        let open: Vec<_> = trees.filter(|(id, _)| board.is_open(*id)).collect();
        // Workers that have the same to do begin at different properties.
        let first = Rng::with_seed(self.work.seed).usize(..open.len().max(1));
        let seed = self.work.seed.wrapping_add(self.looks);
        self.looks += 1;
        let mut progress = Progress::Finished;
        for at in 0..open.len() {
            let (id, property) = open[(first + at) % open.len()];
            if !board.is_open(*id) {
                continue;
            }
            let share = budget.share(1.0 / (open.len() - at) as f64);
            let Some(prepared) = self.prepared(*id, property) else { continue };
            let mut own = self.own.remove(id);
            if own.is_none() && !self.sees_all.contains(id) {
                own = self.own_graph(&prepared.property, &share);
                if own.is_none() {
                    self.sees_all.insert(*id);
                }
            }
            let graph = own.as_mut().unwrap_or(graph);
            graph.set_budget(&share);
            let looked = look(&self.work, graph, *id, &prepared, seed, &mut self.effort);
            if looked == Looked::Interrupted {
                self.own.extend(own.map(|own| (*id, own)));
            }
            match looked {
                Looked::Decided => self.decided += 1,
                Looked::Interrupted => progress = Progress::Unfinished,
                Looked::Stuck => {}
            }
        }
        progress
    }
}

impl<'g> Fixpoints<'g> {
    /// What a property is made of, found once.
    fn prepared(&mut self, id: GoalId, property: &TreeProperty) -> Option<Arc<Prepared>> {
        let prepare = || {
            let prepared = Prepared::of(self.work.ground.net(), property, &self.bits);
            if prepared.is_none() {
                self.work.board.gave_up(id, ENGINE.name, "the formula has more than 64 parts");
            }
            prepared.map(Arc::new)
        };
        self.prepared.entry(id).or_insert_with(prepare).clone()
    }

    /// A graph for one property, where there are firings that it does not see.
    fn own_graph(&self, property: &TreeProperty, budget: &Budget) -> Option<Markings<'g>> {
        let ground = self.work.ground;
        let silent = silent(ground.net(), property);
        if silent.is_empty() {
            return None;
        }
        let graph = Markings::for_trees(ground.net(), ground.facts(), &self.atoms, budget);
        graph.and_then(|graph| graph.without(&silent)).ok().flatten()
    }
}

/// Markings with what is true of them that show whether the tree of runs of `net` has the property,
/// given what is known of all reachable markings. Nothing where the budget ends first, or the
/// formula or the labelling is too large.
pub fn labelling(
    net: &Net,
    facts: &Facts,
    property: &TreeProperty,
    given: &Given,
    budget: &Budget,
) -> Option<Labelling> {
    let (atoms, bits) = conditions([&simple(property)]);
    let mut graph = Markings::for_trees(net, facts, &atoms, budget).ok()?;
    let prepared = Prepared::of(net, property, &bits)?;
    let known = Known::given(given.clone(), &prepared.both);
    let mut search = Search::new(&mut graph, &prepared.parts, known.sets, 0);
    let value =
        search.run(&mut || Some(News { everywhere: known.sets, ways: Vec::new() })).ok()??;
    search.explain(&prepared.property, known.sets, known.used(value).0)
}

/// A property in a simpler form, with what it is made of.
struct Prepared {
    property: TreeProperty,
    parts: Parts,
    both: Both,
}

impl Prepared {
    /// Nothing where there are too many parts.
    fn of(
        net: &Net,
        property: &TreeProperty,
        bits: &HashMap<Predicate, usize>,
    ) -> Option<Prepared> {
        let property = simple(property);
        let parts = Parts::of(&property, bits)?;
        let both = Both::of(net, &property, &parts);
        Some(Prepared { property, parts, both })
    }
}

/// The same property without operands that are each other's negation, and the like: claims about a
/// part and about its negation are told apart by how they are written.
fn simple(property: &TreeProperty) -> TreeProperty {
    let mut formulas = property.formulas().clone();
    let (simple, _) = formulas.rewritten(property.formula(), BRANCHING_RULES, STEPS);
    TreeProperty::new(&formulas, simple, property.atoms())
}

/// The atoms of these properties, and by predicate its place among them.
fn conditions<'p>(
    properties: impl IntoIterator<Item = &'p TreeProperty>,
) -> (Vec<Predicate>, HashMap<Predicate, usize>) {
    let (mut atoms, mut bits) = (Vec::new(), HashMap::new());
    for atom in properties.into_iter().flat_map(TreeProperty::atoms) {
        let next = atoms.len();
        if *bits.entry(atom.clone()).or_insert(next) == next {
            atoms.push(atom.clone());
        }
    }
    (atoms, bits)
}

/// What came of a look at a property.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// It is decided.
    Decided,
    /// There was no time for more.
    Interrupted,
    /// More time would not help.
    Stuck,
}

/// Evaluates a property as long as there is time.
fn look(
    work: &Assignment<'_>,
    graph: &mut Markings<'_>,
    id: GoalId,
    prepared: &Prepared,
    seed: u64,
    effort: &mut Effort,
) -> Looked {
    let begun = Instant::now();
    let Prepared { property, parts, both } = prepared;
    let mut facts = Known::of(work.board, both);
    let mut search = Search::new(graph, parts, facts.sets, seed);
    let found = search.run(&mut || {
        let ways = facts.look(work.board);
        work.board.is_open(id).then_some(News { everywhere: facts.sets, ways })
    });
    effort.note(search.size(), begun.elapsed());
    let value = match found {
        Ok(Some(value)) => value,
        Err(Incomplete::Spent(_)) => return Looked::Interrupted,
        Ok(None) | Err(_) => return Looked::Stuck,
    };
    let trees = work.board.trees(ENGINE.technique);
    let (given, goals) = facts.used(value);
    match search.explain(property, facts.sets, given) {
        Some(labelling) => trees.labelled(id, labelling, goals),
        None => {
            let goals = known::refuted(work.board, goals);
            trees.searched(id, value, graph.expanded().into(), goals);
        }
    }
    if work.board.is_open(id) { Looked::Stuck } else { Looked::Decided }
}
