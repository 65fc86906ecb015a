//! Incremental evaluation of a proposition while its atoms are settled.
//!
//! The proposition is a tree of nodes, listed level by level: parents precede their parts, and the
//! parts of a node are consecutive. A settled atom gives its leaves a value. Each node whose value
//! follows from its parts passes the value on to its parent. A conjunction is false with one false
//! part, and true when its count of open parts is 0. So the cost of a settled atom grows with the
//! depth of its leaves, and not with the number of parts of a node.
//!
//! Once a node has a value, the open parts below it do not matter. They are *released*, each once:
//! a callback receives the goal of every released leaf.
//!
//! A leaf of the role [`WithinCaps`](super::GoalRole::WithinCaps) only takes the value true. So the
//! proposition may have no value even when all goals are settled.
//!
//! The basis of the value is read from the root downwards. If one part decided a node, only this
//! part is read, otherwise all parts.

use super::RoledGoal;
use parikh_formula::Proposition;
use parikh_net::GoalId;
use std::collections::HashMap;
use std::ops::Range;

/// A proposition with the values of its nodes so far.
#[derive(Clone, Debug, Default)]
pub(super) struct IncrementalFormula {
    nodes: Vec<CircuitNode>,
    /// The leaves in which each goal occurs, as node indices.
    leaves: HashMap<GoalId, Vec<u32>>,
}

#[derive(Clone, Debug)]
struct CircuitNode {
    /// The operator, constant or atom of the node.
    kind: CircuitNodeKind,
    /// The index of the parent; `None` for the root.
    parent: Option<u32>,
    /// The indices of the children.
    children: Range<u32>,
    /// Number of children without a value.
    open: u32,
    /// The value of the node; `None` while the value is unknown.
    value: Option<bool>,
    /// The child whose value alone determined the value of this node; `None` if no single child
    /// did.
    deciding_child: Option<u32>,
    /// True if the node had no value when an ancestor of it got one. Then the value of this node no
    /// longer matters for the value of the proposition.
    is_released: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CircuitNodeKind {
    Constant,
    Atom(RoledGoal),
    Not,
    And,
    Or,
    Iff,
    /// A formula with consequences, that is, other formulas that follow from it. The first child is
    /// the formula, the other children are its consequences.
    Main,
}

impl IncrementalFormula {
    /// Builds the circuit with all atoms open. Constants are evaluated at once. `release` receives
    /// the goals of the leaves whose values the constants make irrelevant.
    pub(super) fn of(
        proposition: &Proposition<RoledGoal>,
        release: &mut impl FnMut(GoalId),
    ) -> Self {
        let mut circuit = IncrementalFormula::default();
        let mut constants = Vec::new();
        let mut next = vec![(proposition, None)];
        while !next.is_empty() {
            // Each round adds the nodes of one level of the proposition's syntax tree, from the
            // root down.
            let mut below = Vec::new();
            let mut first = circuit.nodes.len() + next.len();
            for (part, parent) in next {
                let at = circuit.nodes.len() as u32;
                let parts: Vec<&Proposition<RoledGoal>> = match part {
                    Proposition::Constant(_) | Proposition::Atom(_) => Vec::new(),
                    Proposition::Not(part) => vec![part],
                    Proposition::And(parts) | Proposition::Or(parts) => parts.iter().collect(),
                    Proposition::Iff(both) => both.iter().collect(),
                    Proposition::WithConsequences(main, others) => {
                        [&**main].into_iter().chain(others).collect()
                    }
                };
                circuit.nodes.push(CircuitNode {
                    kind: CircuitNodeKind::of(part),
                    parent,
                    children: first as u32..(first + parts.len()) as u32,
                    open: parts.len() as u32,
                    value: None,
                    deciding_child: None,
                    is_released: false,
                });
                match part {
                    Proposition::Atom(aim) => circuit.leaves.entry(aim.goal).or_default().push(at),
                    Proposition::Constant(value) => constants.push((at, *value)),
                    Proposition::And(_) if parts.is_empty() => constants.push((at, true)),
                    Proposition::Or(_) if parts.is_empty() => constants.push((at, false)),
                    _ => {}
                }
                first += parts.len();
                below.extend(parts.into_iter().map(|part| (part, Some(at))));
            }
            next = below;
        }
        constants.into_iter().for_each(|(at, value)| circuit.set(at, value, release));
        circuit
    }

    /// Returns the value of the proposition, if it is decided.
    pub(super) fn value(&self) -> Option<bool> {
        self.nodes.first()?.value
    }

    /// Gives the leaves of a goal a value, unless they have one. A leaf of the role `WithinCaps`
    /// ignores the value false. `release` receives the goals of leaves that do not matter any more.
    pub(super) fn settle(&mut self, goal: GoalId, value: bool, release: &mut impl FnMut(GoalId)) {
        for leaf in self.leaves.get(&goal).cloned().unwrap_or_default() {
            match self.nodes[leaf as usize].kind {
                CircuitNodeKind::Atom(aim) if !aim.accepts_value(value) => {}
                _ => self.set(leaf, value, release),
            }
        }
    }

    /// Gives a node a value and propagates it to its ancestors. Has no effect if the node has a
    /// value or is released.
    fn set(&mut self, at: u32, value: bool, release: &mut impl FnMut(GoalId)) {
        let (mut at, mut value) = (at, value);
        loop {
            let node = &mut self.nodes[at as usize];
            if node.value.is_some() || node.is_released {
                return;
            }
            node.value = Some(value);
            self.release_below(at, release);
            let Some(parent) = self.nodes[at as usize].parent else { return };
            match self.parent_by(parent, at, value) {
                Some(decided) => (at, value) = (parent, decided),
                None => return,
            }
        }
    }

    /// Counts a child of `parent` that has just received a value. Returns the value of `parent` if
    /// it follows from its children so far.
    fn parent_by(&mut self, parent: u32, part: u32, value: bool) -> Option<bool> {
        self.nodes[parent as usize].open -= 1;
        let node = &self.nodes[parent as usize];
        let all_are_known = node.open == 0;
        let (decided, by) = match node.kind {
            CircuitNodeKind::Constant | CircuitNodeKind::Atom(_) => return None,
            CircuitNodeKind::Not => (!value, Some(part)),
            CircuitNodeKind::And if !value => (false, Some(part)),
            CircuitNodeKind::Or if value => (true, Some(part)),
            CircuitNodeKind::And | CircuitNodeKind::Or if all_are_known => {
                (node.kind == CircuitNodeKind::And, None)
            }
            // A false consequence refutes the formula, and a true consequence decides nothing.
            CircuitNodeKind::Main if !value || part == node.children.start => (value, Some(part)),
            CircuitNodeKind::Iff if all_are_known => {
                let [one, other] =
                    [0, 1].map(|it| self.nodes[(node.children.start + it) as usize].value);
                (one == other, None)
            }
            _ => return None,
        };
        self.nodes[parent as usize].deciding_child = by;
        Some(decided)
    }

    /// Marks the open nodes below a node as released, that is, irrelevant for the value of the
    /// proposition. Passes the goals of the leaves among these nodes to `release`.
    fn release_below(&mut self, at: u32, release: &mut impl FnMut(GoalId)) {
        let mut pending_children = vec![self.nodes[at as usize].children.clone()];
        while let Some(parts) = pending_children.pop() {
            for part in parts {
                let node = &mut self.nodes[part as usize];
                if node.value.is_some() || node.is_released {
                    continue;
                }
                node.is_released = true;
                match node.kind {
                    CircuitNodeKind::Atom(aim) => release(aim.goal),
                    _ => pending_children.push(node.children.clone()),
                }
            }
        }
    }

    /// Returns the leaves that the value of the root rests on, from left to right, with their
    /// values. A true formula with consequences does not rest on its consequences, with one
    /// exception. If `needs` is true for a leaf that the formula rests on, the leaves of its
    /// decided consequences are added.
    pub(super) fn basis(&self, needs: &dyn Fn(RoledGoal) -> bool) -> Vec<(RoledGoal, bool)> {
        let mut basis = Vec::new();
        // The stack of pending visits: the leftmost is on top.
        let mut pending_visits = match self.nodes.is_empty() {
            true => Vec::new(),
            false => vec![BasisVisit::Node(0)],
        };
        while let Some(visit) = pending_visits.pop() {
            let at = match visit {
                BasisVisit::Node(at) => at,
                BasisVisit::Consequences(parts, before) => {
                    if basis[before..].iter().any(|&(aim, _)| needs(aim)) {
                        let is_known = |&at: &u32| self.nodes[at as usize].value.is_some();
                        pending_visits.extend(parts.filter(is_known).rev().map(BasisVisit::Node));
                    }
                    continue;
                }
            };
            let node = &self.nodes[at as usize];
            match (node.kind, node.deciding_child, node.value) {
                (CircuitNodeKind::Atom(aim), _, Some(value)) => basis.push((aim, value)),
                (CircuitNodeKind::Main, Some(by), Some(true)) => {
                    let consequences = node.children.start + 1..node.children.end;
                    pending_visits.push(BasisVisit::Consequences(consequences, basis.len()));
                    pending_visits.push(BasisVisit::Node(by));
                }
                (_, Some(by), _) => pending_visits.push(BasisVisit::Node(by)),
                (_, None, Some(_)) => {
                    pending_visits.extend(node.children.clone().rev().map(BasisVisit::Node))
                }
                (_, None, None) => {}
            }
        }
        basis
    }
}

/// A pending visit during the computation of the basis.
enum BasisVisit {
    Node(u32),
    /// The children of a node that are its consequences, and the length of the basis before the
    /// main formula was visited. The consequences are visited only if `needs` of
    /// [`IncrementalFormula::basis`] returns true for a leaf added since then.
    Consequences(Range<u32>, usize),
}

impl CircuitNodeKind {
    fn of(proposition: &Proposition<RoledGoal>) -> CircuitNodeKind {
        match proposition {
            Proposition::Constant(_) => CircuitNodeKind::Constant,
            Proposition::Atom(aim) => CircuitNodeKind::Atom(*aim),
            Proposition::Not(_) => CircuitNodeKind::Not,
            Proposition::And(_) => CircuitNodeKind::And,
            Proposition::Or(_) => CircuitNodeKind::Or,
            Proposition::Iff(_) => CircuitNodeKind::Iff,
            Proposition::WithConsequences(..) => CircuitNodeKind::Main,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::GoalRole;
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    const GOALS: usize = 6;

    fn aim(goal: usize) -> RoledGoal {
        RoledGoal { goal: GoalId::new(goal), role: GoalRole::QuestionPart }
    }

    fn propositions() -> impl Strategy<Value = Proposition<RoledGoal>> {
        let leaf = prop_oneof![
            8 => (0..GOALS).prop_map(|goal| Proposition::Atom(aim(goal))),
            1 => any::<bool>().prop_map(Proposition::Constant),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            let list = || prop::collection::vec(inner.clone(), 0..4);
            let pair = (inner.clone(), inner.clone());
            prop_oneof![
                inner.clone().prop_map(|part| Proposition::Not(Box::new(part))),
                list().prop_map(Proposition::And),
                list().prop_map(Proposition::Or),
                pair.prop_map(|(one, other)| Proposition::Iff(Box::new([one, other]))),
                (list(), list()).prop_map(|(main, others)| {
                    // A consequence of a conjunction: a disjunction with one of its parts.
                    let follows = |(at, other): (usize, Proposition<RoledGoal>)| {
                        let part = main.get(at % main.len().max(1)).cloned();
                        Proposition::Or(part.into_iter().chain([other]).collect())
                    };
                    let others = match main.is_empty() {
                        true => Vec::new(),
                        false => others.into_iter().enumerate().map(follows).collect(),
                    };
                    Proposition::WithConsequences(Box::new(Proposition::And(main)), others)
                }),
            ]
        })
    }

    /// Returns the value of `whole` under the known goals, if it is the same for all values of the
    /// other goals.
    fn forced(whole: &Proposition<RoledGoal>, known: &BTreeMap<usize, bool>) -> Option<bool> {
        let values: BTreeSet<bool> = (0..1 << GOALS)
            .filter(|bits| known.iter().all(|(goal, value)| (bits >> goal & 1 == 1) == *value))
            .map(|bits: u32| whole.value(&|aim: &RoledGoal| bits >> aim.goal.index() & 1 == 1))
            .collect();
        (values.len() == 1).then(|| values.contains(&true))
    }

    proptest! {
        #[test]
        fn circuits_agree_with_plain_evaluation_and_return_their_basis(
            whole in propositions(),
            truth in prop::collection::vec(any::<bool>(), GOALS),
            order in Just((0..GOALS).collect::<Vec<_>>()).prop_shuffle(),
        ) {
            let mut released = BTreeMap::new();
            let mut release = |goal: GoalId| *released.entry(goal.index()).or_insert(0) += 1;
            let mut circuit = IncrementalFormula::of(&whole, &mut release);
            let mut leaves = BTreeMap::new();
            whole.atoms(&mut |aim: &RoledGoal| *leaves.entry(aim.goal.index()).or_insert(0) += 1);
            let mut known = BTreeMap::new();
            for goal in order {
                if circuit.value().is_some() {
                    break;
                }
                circuit.settle(GoalId::new(goal), truth[goal], &mut release);
                known.insert(goal, truth[goal]);
                if let Some(value) = circuit.value() {
                    prop_assert_eq!(forced(&whole, &known), Some(value));
                }
            }
            let value = circuit.value();
            prop_assert_eq!(value, Some(whole.value(&|aim: &RoledGoal| truth[aim.goal.index()])));
            // The goals of the basis are settled and imply the value on their own.
            let basis = circuit.basis(&|_| false);
            let rests_on: BTreeMap<usize, bool> =
                basis.iter().map(|(aim, value)| (aim.goal.index(), *value)).collect();
            prop_assert!(rests_on.iter().all(|(goal, value)| known.get(goal) == Some(value)));
            prop_assert_eq!(forced(&whole, &rests_on), value);
            // Every leaf is settled or released, and no leaf is released twice.
            for (goal, count) in leaves {
                let let_go = released.get(&goal).copied().unwrap_or(0);
                prop_assert!(let_go <= count);
                prop_assert!(known.contains_key(&goal) || let_go == count, "goal {} stays", goal);
            }
        }
    }

    #[test]
    fn settling_one_of_many_parts_takes_constant_time() {
        let parts = 100_000;
        let whole = Proposition::And((0..parts).map(|at| Proposition::Atom(aim(at))).collect());
        let mut circuit = IncrementalFormula::of(&whole, &mut |_| panic!("nothing is released"));
        for at in (0..parts).rev() {
            assert_eq!(circuit.value(), None);
            circuit.settle(GoalId::new(at), true, &mut |_| panic!("nothing is released"));
        }
        assert_eq!(circuit.value(), Some(true));
        assert_eq!(circuit.basis(&|_| false).len(), parts);
        let mut let_go = 0;
        let mut circuit = IncrementalFormula::of(&whole, &mut |_| {});
        circuit.settle(GoalId::new(parts / 2), false, &mut |_| let_go += 1);
        assert_eq!(circuit.basis(&|_| false), [(aim(parts / 2), false)]);
        assert_eq!(let_go, parts - 1);
    }

    #[test]
    fn a_false_consequence_refutes_and_a_true_one_decides_nothing() {
        let atom = |at| Proposition::Atom(aim(at));
        let whole = Proposition::WithConsequences(Box::new(atom(0)), vec![atom(1), atom(2)]);
        let mut circuit = IncrementalFormula::of(&whole, &mut |_| {});
        circuit.settle(GoalId::new(2), false, &mut |_| {});
        assert_eq!(circuit.value(), Some(false));
        assert_eq!(circuit.basis(&|_| true), [(aim(2), false)]);
        let mut circuit = IncrementalFormula::of(&whole, &mut |_| {});
        circuit.settle(GoalId::new(2), true, &mut |_| {});
        circuit.settle(GoalId::new(0), true, &mut |_| {});
        assert_eq!(circuit.value(), Some(true));
        assert_eq!(circuit.basis(&|_| false), [(aim(0), true)]);
        assert_eq!(circuit.basis(&|_| true), [(aim(0), true), (aim(2), true)]);
    }
}
