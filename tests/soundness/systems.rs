//! Properties of random systems, settled with all checks as in normal use, against enumeration.
//!
//! The joint states are enumerated by a few lines of code that are independent of the engines. CTL
//! is evaluated by fixpoint iteration. For LTL, the product of the graph with the automaton of the
//! negation is searched for a run. The crate `parikh-temporal` tests the automaton on its own. In
//! SPIN's semantics, the graph remembers the last label, which repeats in deadlocks, and begins
//! with a step without a label.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::solvers::Budget;
use parikh::systems::{SettleConfig, SystemCase, SystemFormat, SystemGrade, SystemOutcome, settle};
use parikh_systems::generate::{random_linear, random_pattern, random_system};
use parikh_systems::{FiniteRuns, KindAutomaton, LabelFormula, LabelId, System, write};
use std::collections::HashMap;
use std::sync::Mutex;

/// Number of properties per system.
const PROPERTIES: usize = 6;

/// The graph of joint states.
struct JointGraph {
    starts: Vec<usize>,
    /// The label and target of each step, per joint state. A label outside the system stands for no
    /// label.
    steps: Vec<Vec<(LabelId, usize)>>,
}

/// A label outside of every system.
const NOTHING: LabelId = LabelId(u32::MAX);

fn enumerated(system: &System) -> JointGraph {
    let components = system.components();
    let (mut numbers, mut all) = (HashMap::new(), Vec::new());
    let mut number = |joint: Vec<u32>, all: &mut Vec<Vec<u32>>| {
        *numbers.entry(joint.clone()).or_insert_with(|| {
            all.push(joint);
            all.len() - 1
        })
    };
    let begin = components.iter().map(|it| it.starts().to_vec()).collect();
    let starts = tuples(begin).into_iter().map(|joint| number(joint, &mut all)).collect();
    let mut steps = Vec::new();
    while let Some(joint) = all.get(steps.len()).cloned() {
        let mut row = Vec::new();
        for label in system.labels() {
            let choices =
                components.iter().zip(0_u32..).zip(&joint).map(|((component, at), &state)| {
                    match system.owners(label).contains(&at) {
                        true => {
                            let edges = component.edges(state).iter();
                            edges.filter(|edge| edge.0 == label).map(|edge| edge.1).collect()
                        }
                        false => vec![state],
                    }
                });
            for next in tuples(choices.collect()) {
                row.push((label, number(next, &mut all)));
            }
        }
        steps.push(row);
    }
    JointGraph { starts, steps }
}

/// Returns the Cartesian product of the choices.
fn tuples(choices: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    choices.into_iter().fold(vec![Vec::new()], |tuples, some| {
        let longer = tuples.iter().flat_map(|tuple| {
            some.iter().map(|&it| tuple.iter().copied().chain([it]).collect::<Vec<u32>>())
        });
        longer.collect()
    })
}

impl JointGraph {
    /// Returns the graph in SPIN's semantics: a state is a joint state with the last label.
    fn remembering(&self) -> JointGraph {
        let (mut numbers, mut all) = (HashMap::new(), Vec::new());
        let mut number = |it: (usize, LabelId), all: &mut Vec<(usize, LabelId)>| {
            *numbers.entry(it).or_insert_with(|| {
                all.push(it);
                all.len() - 1
            })
        };
        // An additional first state, with an unlabelled step to each initial state.
        let first = number((usize::MAX, NOTHING), &mut all);
        let mut steps = Vec::new();
        while let Some(&(joint, last)) = all.get(steps.len()) {
            let next: Vec<(LabelId, usize)> = match joint {
                usize::MAX => self.starts.iter().map(|&start| (NOTHING, start)).collect(),
                stuck if self.steps[stuck].is_empty() => vec![(last, stuck)],
                joint => self.steps[joint].clone(),
            };
            let row = next.into_iter().map(|(label, to)| (label, number((to, label), &mut all)));
            steps.push(row.collect());
        }
        JointGraph { starts: vec![first], steps }
    }

    /// Returns true if the automaton accepts some run. States of the product from which not every
    /// mark can be met again are removed until nothing changes.
    fn has_run(&self, automaton: &KindAutomaton) -> bool {
        let states = automaton.states.len();
        let moves = |node: usize| {
            let (joint, state) = (node / states, node % states);
            self.steps[joint].iter().flat_map(move |&(label, to)| {
                let kind =
                    if label == NOTHING { automaton.other_kind() } else { automaton.kind(label) };
                let reads =
                    automaton.states[state].iter().filter(move |it| it.kinds >> kind & 1 == 1);
                reads.map(move |it| (it.marks, to * states + it.target as usize))
            })
        };
        let count = self.steps.len() * states;
        let mut reached = vec![false; count];
        let mut open: Vec<usize> =
            self.starts.iter().map(|&it| it * states + automaton.initial as usize).collect();
        open.iter().for_each(|&it| reached[it] = true);
        let mut before = vec![Vec::new(); count];
        while let Some(node) = open.pop() {
            for (marks, to) in moves(node) {
                before[to].push((node, marks));
                if !reached[to] {
                    reached[to] = true;
                    open.push(to);
                }
            }
        }
        let mut left = reached;
        loop {
            let size = left.iter().filter(|it| **it).count();
            // Without marks, any step counts.
            let marks: Vec<Option<u32>> = match automaton.required_marks.numbers().next() {
                None => vec![None],
                Some(_) => automaton.required_marks.numbers().map(Some).collect(),
            };
            for mark in marks {
                let mut good = vec![false; count];
                let mut open = Vec::new();
                for to in (0..count).filter(|&to| left[to]) {
                    for &(from, its) in &before[to] {
                        let counts = mark.is_none_or(|mark| its.has(mark));
                        if counts && left[from] && !good[from] {
                            good[from] = true;
                            open.push(from);
                        }
                    }
                }
                while let Some(to) = open.pop() {
                    for &(from, _) in &before[to] {
                        if left[from] && !good[from] {
                            good[from] = true;
                            open.push(from);
                        }
                    }
                }
                left = good;
            }
            match left.iter().filter(|it| **it).count() {
                0 => return false,
                same if same == size => return true,
                _ => {}
            }
        }
    }

    /// Returns the joint states that satisfy a CTL formula.
    fn satisfying(&self, tree: &BranchingTree) -> Vec<bool> {
        let states = 0..self.steps.len();
        match tree {
            BranchingTree::Constant(value) => vec![*value; self.steps.len()],
            BranchingTree::Not(part) => self.satisfying(part).into_iter().map(|it| !it).collect(),
            BranchingTree::Two(sign, parts) => {
                let both = self.satisfying(&parts.0).into_iter().zip(self.satisfying(&parts.1));
                both.map(|(a, b)| match *sign {
                    "&" => a && b,
                    "|" => a || b,
                    "=>" => !a || b,
                    _ => a == b,
                })
                .collect()
            }
            BranchingTree::Step { all, label, part } => {
                let part = self.satisfying(part);
                let holds = |state: usize| {
                    let steps = self.steps[state].iter();
                    let mut meant = steps.filter(|it| label.is_none_or(|label| it.0 == label));
                    match all {
                        true => meant.all(|it| part[it.1]),
                        false => meant.any(|it| part[it.1]),
                    }
                };
                states.map(holds).collect()
            }
            BranchingTree::Until { all, weak, parts } => {
                let (left, right) = (self.satisfying(&parts.0), self.satisfying(&parts.1));
                // A least fixpoint grows from the empty set, and a greatest fixpoint shrinks from
                // the full set.
                let mut set = vec![*weak; self.steps.len()];
                loop {
                    let goes_on = |state: usize| {
                        let mut steps = self.steps[state].iter();
                        match (steps.len(), all) {
                            (0, _) => *weak,
                            (_, true) => steps.all(|it| set[it.1]),
                            (_, false) => steps.any(|it| set[it.1]),
                        }
                    };
                    let next: Vec<bool> = (0..self.steps.len())
                        .map(|state| right[state] || left[state] && goes_on(state))
                        .collect();
                    if next == set {
                        return set;
                    }
                    set = next;
                }
            }
        }
    }
}

/// A CTL formula over labels.
enum BranchingTree {
    Constant(bool),
    Not(Box<BranchingTree>),
    Two(&'static str, Box<(BranchingTree, BranchingTree)>),
    Step { all: bool, label: Option<LabelId>, part: Box<BranchingTree> },
    Until { all: bool, weak: bool, parts: Box<(BranchingTree, BranchingTree)> },
}

/// Returns a random formula, also as text.
fn random_tree(random: &mut Rng, system: &System, depth: usize) -> (BranchingTree, String) {
    if depth == 0 {
        let value = random.bool();
        return (BranchingTree::Constant(value), value.to_string());
    }
    let part = |random: &mut Rng| {
        let depth = random.usize(depth.saturating_sub(2)..depth);
        random_tree(random, system, depth)
    };
    let (all, kind) = (random.bool(), random.u8(0..12));
    let path = if all { "A" } else { "E" };
    match kind {
        0 => {
            let (tree, text) = part(random);
            (BranchingTree::Not(Box::new(tree)), format!("!({text})"))
        }
        1..=3 => {
            let sign = ["&", "|", "=>", "<=>"][random.usize(0..4)];
            let ((left, a), (right, b)) = (part(random), part(random));
            (BranchingTree::Two(sign, Box::new((left, right))), format!("({a}) {sign} ({b})"))
        }
        4..=7 => {
            let (tree, text) = part(random);
            let all_labels: Vec<LabelId> = system.labels().collect();
            let label = random.choice(all_labels).filter(|_| random.u8(0..4) > 0);
            let name = label.map_or("", |label| system.label(label));
            let text = if all { format!("[{name}]({text})") } else { format!("<{name}>({text})") };
            (BranchingTree::Step { all, label, part: Box::new(tree) }, text)
        }
        8 | 9 => {
            let weak = random.bool();
            let sign = if weak { "W" } else { "U" };
            let ((left, a), (right, b)) = (part(random), part(random));
            let parts = Box::new((left, right));
            (BranchingTree::Until { all, weak, parts }, format!("{path}(({a}) {sign} ({b}))"))
        }
        10 => {
            let (tree, text) = part(random);
            let parts = Box::new((tree, BranchingTree::Constant(false)));
            (BranchingTree::Until { all, weak: true, parts }, format!("{path}G ({text})"))
        }
        _ => {
            let (tree, text) = part(random);
            let parts = Box::new((BranchingTree::Constant(true), tree));
            (BranchingTree::Until { all, weak: false, parts }, format!("{path}F ({text})"))
        }
    }
}

/// Settles properties of a system and compares the answers with the enumeration. Returns the
/// numbers of TRUE and FALSE answers.
fn compared(system: &System, listed: &[(String, bool)], endings: FiniteRuns) -> [usize; 2] {
    let text = write::dot(system);
    let properties: String =
        (1..).zip(listed).map(|(at, (formula, _))| format!("#{at}:\n({formula})\n\n")).collect();
    let case = SystemCase::read(SystemFormat::Dot, &text, "random", &properties).unwrap();
    let config = SettleConfig { threads: 1, endings, ..SettleConfig::default() };
    let counts = Mutex::new([0, 0]);
    settle(&case, &config, &Budget::unlimited(), &|at, settled| {
        let (formula, expected) = &listed[at];
        match settled {
            SystemOutcome::Answer(answer) => {
                assert_eq!(answer.value, *expected, "{formula}: {}\n{text}", answer.reason);
                assert_ne!(
                    answer.grade,
                    SystemGrade::Searched,
                    "{formula}: {}\n{text}",
                    answer.reason
                );
                counts.lock().unwrap()[usize::from(answer.value)] += 1;
            }
            SystemOutcome::Open(why) => panic!("{formula}: {why}\n{text}"),
            SystemOutcome::Fault(why) => panic!("{formula}: {why}\n{text}"),
        }
    });
    counts.into_inner().unwrap()
}

/// Tests LTL formulas on random systems: 3,420 pairs, or a million with `PARIKH_SCALE=293`.
fn linear(endings: FiniteRuns) -> [usize; 2] {
    let mut counts = [0, 0];
    for seed in 0..scaled(570) {
        let mut random = Rng::with_seed(seed);
        let system = random_system(&mut random);
        let graph = match endings {
            FiniteRuns::Ignored => enumerated(&system),
            FiniteRuns::Stutter => enumerated(&system).remembering(),
        };
        let mut listed = Vec::new();
        while listed.len() < PROPERTIES {
            let depth = random.usize(1..=3);
            let text = match random.bool() {
                true => random_pattern(&mut random),
                false => random_linear(&mut random, depth),
            };
            let formula = LabelFormula::parse(&text, &system).unwrap();
            // SPIN's semantics does not support X.
            if endings == FiniteRuns::Ignored || !formula.has_next() {
                listed.push((text, !graph.has_run(&formula.negation().unwrap())));
            }
        }
        let [failed, held] = compared(&system, &listed, endings);
        counts = [counts[0] + failed, counts[1] + held];
    }
    counts
}

#[test]
fn linear_properties_agree_with_enumeration() {
    let [failed, held] = linear(FiniteRuns::Ignored);
    assert!(failed > 700 && held > 700, "{failed} {held}");
}

#[test]
fn linear_properties_in_the_semantics_of_spin_agree_with_enumeration() {
    let [failed, held] = linear(FiniteRuns::Stutter);
    assert!(failed > 700 && held > 700, "{failed} {held}");
}

/// For some of these components, the checker finds a run that the engine has excluded as an
/// infinite run. For all components together, there is none.
#[test]
fn the_checker_gets_all_components_that_it_needs() {
    let text = "digraph G {
  subgraph component0 { 0->2 [label=\"\"]; 1->2 [label=l0]; 1->4 [label=l2]; 2->2 [label=l5];
    3->4 [label=l2]; 3->3 [label=l4]; 3->4 [label=l4]; 4->4 [label=l0]; 4->3 [label=l2]; }
  subgraph component1 { 5->8 [label=\"\"]; 6->7 [label=l0]; 7->6 [label=l1]; 7->9 [label=l2];
    8->9 [label=l1]; 8->6 [label=l4]; 9->8 [label=l0]; 9->9 [label=l0]; 9->9 [label=l4]; }
  subgraph component2 { 10->11 [label=\"\"]; 11->12 [label=l3]; 12->11 [label=l3]; 12->12 [label=l3]; }
  subgraph component3 { 13->16 [label=\"\"]; 14->15 [label=l3]; 15->16 [label=l2]; 16->14 [label=l2];
    16->16 [label=l2]; }
}";
    let properties = "#1:\n((X(!l0)) U ((l1) U (l5)))\n";
    let case = SystemCase::read(SystemFormat::Dot, text, "some", properties).unwrap();
    settle(
        &case,
        &SettleConfig { threads: 1, ..SettleConfig::default() },
        &Budget::unlimited(),
        &|_, settled| {
            let SystemOutcome::Answer(answer) = settled else { panic!("{settled:?}") };
            assert!(answer.value);
            assert_eq!(answer.grade, SystemGrade::Certified, "{}", answer.reason);
        },
    );
}

/// 3,420 pairs, or a million with `PARIKH_SCALE=293`.
#[test]
fn branching_properties_agree_with_enumeration() {
    let mut counts = [0, 0];
    for seed in 0..scaled(570) {
        let mut random = Rng::with_seed(seed);
        let system = random_system(&mut random);
        let graph = enumerated(&system);
        let property = |random: &mut Rng| {
            // Every formula contains a CTL operator, so that it is no LTL formula.
            let depth = random.usize(2..=5);
            let (tree, text) = random_tree(random, &system, depth);
            let sets = graph.satisfying(&tree);
            (format!("({text}) | <>false"), graph.starts.iter().all(|&it| sets[it]))
        };
        let listed: Vec<_> = (0..PROPERTIES).map(|_| property(&mut random)).collect();
        let [failed, held] = compared(&system, &listed, FiniteRuns::Ignored);
        counts = [counts[0] + failed, counts[1] + held];
    }
    assert!(counts.iter().all(|it| *it > 700), "{counts:?}");
}
