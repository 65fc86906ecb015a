//! Computes the members that satisfy the subformulas of a CTL formula, from the inside out.

use super::super::ClosedSet;
use super::super::members::SetShape;
use super::firing::{FiringTouch, TouchLists, TransitionLists};
use super::sets::{EMPTY, SubsetTable};
use crate::certificate::Flaw;
use parikh_net::{Net, Predicate, TransitionId, TreeProperty};
use parikh_temporal::{Node, Quantifier};
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::AtomicBool;

/// The evaluation of CTL formulas on a closed set.
pub(super) struct Evaluation<'e> {
    pub(super) net: &'e Net,
    /// The level of each place, by place index.
    pub(super) level_of: &'e [usize],
    /// The subsets of the closed set that have been built.
    pub(super) sets: SubsetTable<'e>,
    /// The touches of transitions, that is, their requirements and changes level by level, as lists
    /// with shared suffixes.
    pub(super) lists: TouchLists,
    /// The transitions that change the marking.
    moves: TransitionLists,
    /// The transitions that do not change the marking.
    idle_transitions: Vec<TransitionId>,
    /// The closed set as a node of `sets`.
    all_members: u32,
    /// The initial marking, by level.
    initial: Vec<u64>,
}

impl<'e> Evaluation<'e> {
    /// Prepares an evaluation on the closed set `set`.
    pub(super) fn new(
        set: &ClosedSet,
        shape: &'e SetShape,
        net: &'e Net,
        stop: &'e AtomicBool,
    ) -> Result<Self, Flaw> {
        let (sets, all) = SubsetTable::of(set, stop)?;
        let (mut moves, mut idle) = (Vec::new(), Vec::new());
        for t in net.transitions() {
            match net.delta(t).is_empty() {
                true => idle.push(t),
                false => moves.push(touches(net, t, &shape.level_of)),
            }
        }
        let mut lists = TouchLists::new();
        let moves = lists.prepare(&moves);
        let initial = set.order.iter().map(|&place| net.initial()[place]).collect();
        Ok(Evaluation {
            net,
            level_of: &shape.level_of,
            sets,
            lists,
            moves,
            idle_transitions: idle,
            all_members: all,
            initial,
        })
    }

    /// Returns true if a property is true of the initial marking.
    pub(super) fn holds(&mut self, property: &TreeProperty) -> Result<bool, Flaw> {
        let members = self.members(property)?;
        Ok(self.sets.contains(members, &self.initial))
    }

    /// Returns the members that satisfy a property.
    fn members(&mut self, property: &TreeProperty) -> Result<u32, Flaw> {
        let (mut members_of, mut last): (HashMap<_, u32>, u32) = (HashMap::new(), EMPTY);
        for formula in property.formulas().subformulas(property.formula()) {
            last = match property.formulas().node(formula) {
                Node::True => self.all_members,
                Node::False => EMPTY,
                Node::Literal(literal) => {
                    let condition = &property.atoms()[literal.atom.0 as usize];
                    let members = self.satisfying(self.all_members, condition)?;
                    if literal.positive { members } else { self.complement(members)? }
                }
                Node::And(parts) => {
                    let mut parts = parts.iter();
                    parts.try_fold(self.all_members, |all, part| {
                        self.sets.intersection(all, members_of[part])
                    })?
                }
                Node::Or(parts) => {
                    let mut parts = parts.iter();
                    parts
                        .try_fold(EMPTY, |so_far, part| self.sets.union(so_far, members_of[part]))?
                }
                Node::Next(Quantifier::Exists, inner) => {
                    self.with_successor_in(members_of[inner])?
                }
                // AX φ = ¬EX ¬φ.
                Node::Next(Quantifier::All, inner) => {
                    let non_members = self.complement(members_of[inner])?;
                    let violated = self.with_successor_in(non_members)?;
                    self.complement(violated)?
                }
                Node::Until(Quantifier::Exists, left, right) => {
                    self.until(members_of[left], members_of[right])?
                }
                // A (φ U ψ) = ¬E (¬φ R ¬ψ).
                Node::Until(Quantifier::All, left, right) => {
                    let [left, right] =
                        [self.complement(members_of[left])?, self.complement(members_of[right])?];
                    let violated = self.release(left, right)?;
                    self.complement(violated)?
                }
                Node::Release(Quantifier::Exists, left, right) => {
                    self.release(members_of[left], members_of[right])?
                }
                // A (φ R ψ) = ¬E (¬φ U ¬ψ).
                Node::Release(Quantifier::All, left, right) => {
                    let [left, right] =
                        [self.complement(members_of[left])?, self.complement(members_of[right])?];
                    let violated = self.until(left, right)?;
                    self.complement(violated)?
                }
            };
            members_of.insert(formula, last);
        }
        Ok(last)
    }

    /// Returns the members that are not in `members`.
    fn complement(&mut self, members: u32) -> Result<u32, Flaw> {
        self.sets.difference(self.all_members, members)
    }

    /// Returns the members with a successor in `to`.
    fn with_successor_in(&mut self, to: u32) -> Result<u32, Flaw> {
        let by_idle = self.enabling_idle_transition(to)?;
        let by_moves =
            self.sets.predecessors_by_any(&self.lists, &self.moves, 0, (self.all_members, to))?;
        self.sets.union(by_moves, by_idle)
    }

    /// Returns the members of `set` that enable a transition that changes nothing.
    fn enabling_idle_transition(&mut self, set: u32) -> Result<u32, Flaw> {
        let enabled = self.idle_transitions.iter().map(|&t| Predicate::Enabled(t)).collect();
        self.satisfying(set, &Predicate::Or(enabled))
    }

    /// Returns the members that satisfy E(left U right), from the members that satisfy each
    /// operand.
    fn until(&mut self, left: u32, right: u32) -> Result<u32, Flaw> {
        let within = self.sets.union(left, right)?;
        self.sets.reaching(&self.lists, &self.moves, 0, (within, right))
    }

    /// Returns the members that satisfy E(left R right), from the members that satisfy each
    /// operand.
    fn release(&mut self, left: u32, right: u32) -> Result<u32, Flaw> {
        // Members of `right` that need no successor: `left` is true, nothing is enabled, or an
        // enabled firing changes nothing.
        let (dead, idle) =
            (self.satisfying(right, &Predicate::Dead)?, self.enabling_idle_transition(right)?);
        let mut bases = self.sets.intersection(left, right)?;
        for more in [dead, idle] {
            bases = self.sets.union(bases, more)?;
        }
        let reaching_bases = self.until(right, bases)?;
        // Other members need an infinite run inside `right`. So members without a successor among
        // the remaining members are removed until nothing changes.
        let mut remaining = self.sets.difference(right, reaching_bases)?;
        loop {
            let with_successor = self.sets.predecessors_by_any(
                &self.lists,
                &self.moves,
                0,
                (remaining, remaining),
            )?;
            if with_successor == remaining {
                return self.sets.union(reaching_bases, remaining);
            }
            remaining = with_successor;
        }
    }
}

/// Returns the requirements and changes of a transition, by ascending level.
fn touches(net: &Net, t: TransitionId, level_of: &[usize]) -> Vec<FiringTouch> {
    let mut touches: BTreeMap<usize, (u64, i64)> = BTreeMap::new();
    for arc in net.pre(t) {
        touches.entry(level_of[arc.place.index()]).or_default().0 = arc.weight;
    }
    for change in net.delta(t) {
        touches.entry(level_of[change.place.index()]).or_default().1 = change.delta;
    }
    touches.into_iter().map(|(level, (pre, change))| (level, pre, change)).collect()
}
