//! The markings of a set that satisfy a predicate, as a set, and firing sequences to them.

use super::ReachableSet;
use parikh_net::{FiringSequence, Net, Predicate, TransitionId};
use parikh_symbolic::{LevelInterval, Set, Stop, SumCondition};

impl ReachableSet<'_, '_> {
    /// Returns the markings in `members` that satisfy `predicate`.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    pub fn satisfying(&mut self, members: Set, predicate: &Predicate) -> Result<Set, Stop> {
        match predicate {
            _ if members.is_empty() => Ok(members),
            Predicate::True => Ok(members),
            Predicate::False => Ok(Set::EMPTY),
            Predicate::Atom(atom) => {
                let (terms, upper) = (self.terms(atom.sum.terms()), i128::from(atom.bound));
                let condition = SumCondition { terms, lower: i128::MIN, upper };
                self.diagrams.restrict(members, &condition)
            }
            Predicate::Enabled(t) => match self.conditions(*t) {
                Some(conditions) => self.diagrams.enabling(members, &conditions),
                None => Ok(Set::EMPTY),
            },
            Predicate::Disabled(t) => match self.conditions(*t) {
                Some(conditions) => self.diagrams.not_enabling(members, &conditions),
                None => Ok(members),
            },
            Predicate::Dead => {
                let not_dead = self.satisfying(members, &Predicate::NotDead)?;
                self.diagrams.difference(members, not_dead)
            }
            Predicate::NotDead => {
                let all: Vec<_> = self.net.transitions().collect();
                self.enabling_any(members, &all)
            }
            Predicate::And(operands) => {
                // Operands of the form `Disabled` are treated together: the members that enable one
                // of their transitions are removed.
                let disabled_transition = |operand: &Predicate| match operand {
                    Predicate::Disabled(t) => Some(*t),
                    _ => None,
                };
                let disabled: Vec<TransitionId> =
                    operands.iter().filter_map(disabled_transition).collect();
                let enabling = self.enabling_any(members, &disabled)?;
                let members = self.diagrams.difference(members, enabling)?;
                let rest = operands.iter().filter(|operand| disabled_transition(operand).is_none());
                // Disjunctions come last, since the other operands reduce the set first.
                let (simple, disjunctions): (Vec<_>, Vec<_>) =
                    rest.partition(|operand| !matches!(operand, Predicate::Or(_)));
                let mut all = simple.into_iter().chain(disjunctions);
                all.try_fold(members, |members, operand| self.satisfying(members, operand))
            }
            Predicate::Or(operands) => {
                // Operands of the form `Enabled` are treated together: the members that enable one
                // of their transitions are kept.
                let enabled_transition = |operand: &Predicate| match operand {
                    Predicate::Enabled(t) => Some(*t),
                    _ => None,
                };
                let enabled: Vec<TransitionId> =
                    operands.iter().filter_map(enabled_transition).collect();
                let found = self.enabling_any(members, &enabled)?;
                let mut rest =
                    operands.iter().filter(|operand| enabled_transition(operand).is_none());
                rest.try_fold(found, |found, operand| {
                    let additional = self.satisfying(members, operand)?;
                    self.diagrams.union(found, additional)
                })
            }
        }
    }

    /// Returns markings in `members` that satisfy `predicate`: at least one if there is any, but
    /// not always all. First uses only one operand of each disjunction, which usually avoids the
    /// union of many sets. If this finds no marking, returns all markings that satisfy the
    /// predicate.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    pub fn some_satisfying(&mut self, members: Set, predicate: &Predicate) -> Result<Set, Stop> {
        let found = self.by_first_disjuncts(members, predicate)?;
        if found.is_empty() { self.satisfying(members, predicate) } else { Ok(found) }
    }

    /// Returns markings in `members` that satisfy `predicate`, using for each disjunction the first
    /// operand that leaves a marking. The result may be empty although some members satisfy the
    /// predicate.
    fn by_first_disjuncts(&mut self, members: Set, predicate: &Predicate) -> Result<Set, Stop> {
        match predicate {
            Predicate::And(operands) => {
                let (simple, disjunctions): (Vec<_>, Vec<_>) =
                    operands.iter().partition(|operand| !matches!(operand, Predicate::Or(_)));
                let mut all = simple.into_iter().chain(disjunctions);
                all.try_fold(members, |members, operand| self.by_first_disjuncts(members, operand))
            }
            Predicate::Or(operands) => {
                for operand in operands {
                    let found = self.by_first_disjuncts(members, operand)?;
                    if !found.is_empty() {
                        return Ok(found);
                    }
                }
                Ok(Set::EMPTY)
            }
            simple => self.satisfying(members, simple),
        }
    }

    /// Returns the markings in `members` that enable at least one of the transitions.
    fn enabling_any(&mut self, members: Set, transitions: &[TransitionId]) -> Result<Set, Stop> {
        let conditions = transitions.iter().filter_map(|&t| self.conditions(t));
        let conditions: Vec<Vec<LevelInterval>> = conditions.collect();
        self.diagrams.enabling_any(members, &conditions)
    }

    /// Returns a firing sequence from the initial marking of `net` to a member of `target`, or
    /// `None` if no member is reachable. `net` must be the net of this set, and each level must
    /// represent one place.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    pub fn firings_to(&mut self, net: &Net, target: Set) -> Result<Option<FiringSequence>, Stop> {
        let start = self.vector(net.initial());
        let (relation, set) = (self.relation, self.set);
        let found = self.diagrams.firings(relation, self.transitions, &start, target, set)?;
        Ok(found.map(|firings| {
            let mut sequence = FiringSequence::new();
            firings.into_iter().for_each(|t| sequence.push(TransitionId::new(t), 1));
            sequence
        }))
    }
}
