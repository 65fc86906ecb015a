//! Formulas of CTL over the set of all markings.
//!
//! Of each part of a formula, from the inside out, the markings are found of which it is true. The
//! set of all markings is closed under firing, so nothing leads out of it, and what is true of the
//! initial marking there is true of it in the net.
//!
//! E(φ U ψ) is what leads back from ψ inside φ, by saturation. E(φ R ψ) is what is left of ψ when
//! markings are taken away, round by round, that satisfy neither φ nor have a successor that is
//! left. Markings that need no successor, those of φ, dead ones and those with a transition that
//! changes nothing, and what leads to these inside ψ, never go; so the rounds are about the others
//! alone, which stay only on circles. What all paths satisfy is what no path violates.
//!
//! Source: McMillan, *Symbolic Model Checking*, 1993.

use super::Reached;
use parikh_net::{Predicate, TreeProperty};
use parikh_symbolic::{Relation, Set, Stop, Touch};
use parikh_temporal::{Node, Quantifier};
use std::collections::HashMap;
use std::time::Instant;

/// Formulas that are evaluated over the same set.
pub(super) struct Branching<'e, 'r, 'd> {
    reached: &'e mut Reached<'r, 'd>,
    /// The transitions backwards.
    backwards: Relation,
    /// By condition the markings that satisfy it. Kept.
    satisfying: HashMap<Predicate, Set>,
    /// The markings after which nothing has to change: those that are dead, and those that enable a
    /// transition that changes nothing. Kept.
    resting: Option<(Set, Set)>,
    /// What was kept for the formula at hand.
    kept: Vec<Set>,
}

impl<'e, 'r, 'd> Branching<'e, 'r, 'd> {
    /// Nothing is evaluated yet.
    ///
    /// # Errors
    /// When there are too many transitions.
    pub(super) fn over(reached: &'e mut Reached<'r, 'd>) -> Result<Self, Stop> {
        let backwards = reached.relation.reversed()?;
        let (satisfying, resting, kept) = (HashMap::new(), None, Vec::new());
        Ok(Branching { reached, backwards, satisfying, resting, kept })
    }

    /// Whether a property is true of a marking, by its tokens from the top level on.
    ///
    /// # Errors
    /// When the limits are reached; another property may do.
    pub(super) fn holds(&mut self, property: &TreeProperty, at: &[u64]) -> Result<bool, Stop> {
        let result = self.members(property);
        let holds = result.map(|members| self.reached.diagrams.contains(members, at));
        for set in self.kept.drain(..) {
            self.reached.diagrams.release(set);
        }
        holds
    }

    /// The markings of which a property is true.
    fn members(&mut self, property: &TreeProperty) -> Result<Set, Stop> {
        let formulas = property.formulas().below(property.formula());
        let mut found: HashMap<_, Set> = HashMap::new();
        let mut last = Set::EMPTY;
        for formula in formulas {
            let begun = Instant::now();
            last = match property.formulas().node(formula) {
                Node::True => self.all(),
                Node::False => Set::EMPTY,
                Node::Literal(literal) => {
                    let condition = &property.atoms()[literal.atom.0 as usize];
                    let members = self.satisfying(condition)?;
                    if literal.positive { members } else { self.others(members)? }
                }
                Node::And(parts) => {
                    let mut all = self.all();
                    for part in parts.iter() {
                        all = self.reached.diagrams.intersection(all, found[part])?;
                    }
                    all
                }
                Node::Or(parts) => {
                    let mut any = Set::EMPTY;
                    for part in parts.iter() {
                        any = self.reached.diagrams.union(any, found[part])?;
                    }
                    any
                }
                Node::Next(Quantifier::Exists, inner) => self.next(found[inner])?,
                Node::Next(Quantifier::All, inner) => {
                    let others = self.others(found[inner])?;
                    let violated = self.next(others)?;
                    self.others(violated)?
                }
                Node::Until(Quantifier::Exists, left, right) => {
                    self.until(found[left], found[right])?
                }
                Node::Until(Quantifier::All, left, right) => {
                    let [left, right] = [self.others(found[left])?, self.others(found[right])?];
                    let violated = self.release(left, right)?;
                    self.others(violated)?
                }
                Node::Release(Quantifier::Exists, left, right) => {
                    self.release(found[left], found[right])?
                }
                Node::Release(Quantifier::All, left, right) => {
                    let [left, right] = [self.others(found[left])?, self.others(found[right])?];
                    let violated = self.until(left, right)?;
                    self.others(violated)?
                }
            };
            self.keep(last);
            found.insert(formula, last);
            tracing::trace!(
                "diagrams: {} nodes for {:?} in {:.2?}",
                self.reached.diagrams.nodes_of(last),
                property.formulas().node(formula),
                begun.elapsed()
            );
        }
        Ok(last)
    }

    fn all(&self) -> Set {
        self.reached.set
    }

    fn keep(&mut self, set: Set) {
        self.reached.diagrams.keep(set);
        self.kept.push(set);
    }

    /// The markings that satisfy a condition.
    fn satisfying(&mut self, condition: &Predicate) -> Result<Set, Stop> {
        if let Some(&known) = self.satisfying.get(condition) {
            return Ok(known);
        }
        let members = self.reached.satisfying(self.all(), condition)?;
        self.reached.diagrams.keep(members);
        self.satisfying.insert(condition.clone(), members);
        Ok(members)
    }

    /// The markings that are no members, kept.
    fn others(&mut self, members: Set) -> Result<Set, Stop> {
        let others = self.reached.diagrams.difference(self.all(), members)?;
        self.keep(others);
        Ok(others)
    }

    /// The dead markings, and those that enable a transition that changes nothing.
    fn resting(&mut self) -> Result<(Set, Set), Stop> {
        if let Some(known) = self.resting {
            return Ok(known);
        }
        let dead = self.reached.satisfying(self.all(), &Predicate::Dead)?;
        let idle = self.reached.transitions.iter();
        let idle = idle.filter(|touches| touches.iter().all(|touch| touch.change == 0));
        let needs = |touches: &Vec<Touch>| {
            touches.iter().filter(|it| it.pre > 0).map(|it| (it.level, it.pre)).collect()
        };
        let idle: Vec<Vec<(u32, u64)>> = idle.map(needs).collect();
        let idle = self.reached.diagrams.enabling_any(self.all(), &idle)?;
        self.reached.diagrams.keep(dead);
        self.reached.diagrams.keep(idle);
        self.resting = Some((dead, idle));
        Ok((dead, idle))
    }

    /// The markings that have a successor among these.
    fn next(&mut self, to: Set) -> Result<Set, Stop> {
        let (_, idle) = self.resting()?;
        let itself = self.reached.diagrams.intersection(to, idle)?;
        self.keep(itself);
        let led = self.reached.diagrams.leading_into(&self.backwards, self.all(), to)?;
        self.reached.diagrams.union(led, itself)
    }

    /// The markings on some path from which the first are until one of the second is.
    fn until(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        let inside = self.reached.diagrams.union(left, right)?;
        self.reached.diagrams.reachable_within(&self.backwards, right, inside)
    }

    /// The markings on some path from which the second are, until one of the first is, too, or for
    /// ever.
    fn release(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        let (dead, idle) = self.resting()?;
        let diagrams = &mut *self.reached.diagrams;
        let at_rest = diagrams.union(dead, idle)?;
        let ends = diagrams.union(left, at_rest)?;
        let ends = diagrams.intersection(right, ends)?;
        let stays = diagrams.reachable_within(&self.backwards, ends, right)?;
        diagrams.keep(stays);
        self.kept.push(stays);
        let mut circling = diagrams.difference(right, stays)?;
        while !circling.is_empty() {
            let before = circling;
            circling = diagrams.leading_into(&self.backwards, before, before)?;
            if circling == before {
                break;
            }
        }
        diagrams.union(stays, circling)
    }
}
