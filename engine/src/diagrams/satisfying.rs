//! The markings of a set that satisfy a predicate, as a set, and firing sequences to them.

use super::ReachableSet;
use parikh_net::{FiringSequence, Net, Predicate, TransitionId};
use parikh_symbolic::{LinearCondition, Set, Stop};

impl ReachableSet<'_, '_> {
    /// Returns the members of `of` that satisfy `predicate`.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    pub fn satisfying(&mut self, of: Set, predicate: &Predicate) -> Result<Set, Stop> {
        match predicate {
            _ if of.is_empty() => Ok(of),
            Predicate::True => Ok(of),
            Predicate::False => Ok(Set::EMPTY),
            Predicate::Atom(atom) => {
                let (terms, most) = (self.over_levels(atom.sum.terms()), i128::from(atom.bound));
                self.diagrams.restrict(of, &LinearCondition { terms, least: i128::MIN, most })
            }
            Predicate::Enabled(t) => {
                let needs = self.needs(*t);
                self.diagrams.enabling(of, &needs)
            }
            Predicate::Disabled(t) => {
                let needs = self.needs(*t);
                self.diagrams.not_enabling(of, &needs)
            }
            Predicate::Dead => {
                let some = self.satisfying(of, &Predicate::NotDead)?;
                self.diagrams.difference(of, some)
            }
            Predicate::NotDead => {
                let all: Vec<_> = (0..self.transitions.len()).map(TransitionId::new).collect();
                self.enabling_any(of, &all)
            }
            Predicate::And(parts) => {
                let is_disabled = |part: &Predicate| match part {
                    Predicate::Disabled(t) => Some(*t),
                    _ => None,
                };
                let disabled: Vec<TransitionId> = parts.iter().filter_map(is_disabled).collect();
                let some = self.enabling_any(of, &disabled)?;
                let of = self.diagrams.difference(of, some)?;
                let rest = parts.iter().filter(|part| is_disabled(part).is_none());
                // Disjunctions come last, since single sums reduce the set first.
                let (plain, others): (Vec<_>, Vec<_>) =
                    rest.partition(|part| !matches!(part, Predicate::Or(_)));
                let mut all = plain.into_iter().chain(others);
                all.try_fold(of, |of, part| self.satisfying(of, part))
            }
            Predicate::Or(parts) => {
                let is_enabled = |part: &Predicate| match part {
                    Predicate::Enabled(t) => Some(*t),
                    _ => None,
                };
                let enabled: Vec<TransitionId> = parts.iter().filter_map(is_enabled).collect();
                let some = self.enabling_any(of, &enabled)?;
                let mut rest = parts.iter().filter(|part| is_enabled(part).is_none());
                rest.try_fold(some, |some, part| {
                    let more = self.satisfying(of, part)?;
                    self.diagrams.union(some, more)
                })
            }
        }
    }

    /// Returns some members of `of` that satisfy `predicate`, using only one part of each
    /// disjunction. If that finds none, returns all such members. If one member is enough, this
    /// usually avoids the union of many sets.
    ///
    /// # Errors
    /// Returns an error if the limits are exceeded.
    pub fn some_satisfying(&mut self, of: Set, predicate: &Predicate) -> Result<Set, Stop> {
        let some = self.in_one_way(of, predicate)?;
        if some.is_empty() { self.satisfying(of, predicate) } else { Ok(some) }
    }

    /// Returns the members that satisfy, of each disjunction, the first satisfiable part.
    fn in_one_way(&mut self, of: Set, predicate: &Predicate) -> Result<Set, Stop> {
        match predicate {
            Predicate::And(parts) => {
                let (plain, others): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|part| !matches!(part, Predicate::Or(_)));
                let mut all = plain.into_iter().chain(others);
                all.try_fold(of, |of, part| self.in_one_way(of, part))
            }
            Predicate::Or(parts) => {
                for part in parts {
                    let some = self.in_one_way(of, part)?;
                    if !some.is_empty() {
                        return Ok(some);
                    }
                }
                Ok(Set::EMPTY)
            }
            plain => self.satisfying(of, plain),
        }
    }

    /// Returns the members of `of` that enable at least one of the transitions.
    fn enabling_any(&mut self, of: Set, transitions: &[TransitionId]) -> Result<Set, Stop> {
        let needs: Vec<_> = transitions.iter().map(|&t| self.needs(t)).collect();
        self.diagrams.enabling_any(of, &needs)
    }

    /// Returns the tokens that a transition needs, by ascending level.
    fn needs(&self, t: TransitionId) -> Vec<(u32, u64)> {
        let touches = self.transitions[t.index()].iter().filter(|touch| touch.pre > 0);
        touches.map(|touch| (touch.level, touch.pre)).collect()
    }

    /// Returns a firing sequence from the initial marking of `net` to a member of `target`, or
    /// `None` if no member is reachable. `net` must be the net of this set.
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
