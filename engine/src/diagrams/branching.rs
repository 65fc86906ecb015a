//! CTL formulas over the reachable set.
//!
//! For each subformula, from the inside out, the set of markings that satisfy it is computed. The
//! reachable set is closed under firing, so a formula holds at the initial marking within the set
//! exactly if it holds in the net. Forward evaluation (`forward`) avoids some of these sets.
//!
//! E(φ U ψ) is computed backwards from ψ within φ, by saturation or in rounds of one firing each.
//! E(φ R ψ) is computed from ψ by removing markings in rounds. A round removes the markings that
//! neither satisfy φ nor have a successor that remains. Some markings need no successor: those of
//! φ, dead ones, and those that enable a transition without effect. These markings, and those that
//! lead to them within ψ, are never removed. So the rounds concern only the other markings, which
//! remain only if a cycle is reachable from them. There may be as many rounds as the longest run
//! has firings. So from time to time a separate test checks if a cycle is possible
//! ([`cycles`](super::cycles)). Universal path quantifiers are computed through their existential
//! duals.
//!
//! Source: McMillan, *Symbolic Model Checking*, 1993.

use super::ReachableSet;
use super::cycles::Cycles;
use parikh_net::{EffectId, Net, Predicate, TreeProperty};
use parikh_solvers::Budget;
use parikh_symbolic::{LevelInterval, Set, Stop, TransitionRelation};
use parikh_temporal::{Ctl, Formula, Node, Quantifier};
use std::collections::HashMap;
use std::time::Instant;

/// Number of rounds in the search for infinite runs before the first test for cycles. The test runs
/// again whenever the number of rounds has doubled.
const FIRST_CYCLE_TEST: u32 = 4;

/// Share of the remaining time for a formula that saturation may use, in [0, 1]. After this time,
/// backward search by rounds of one firing each replaces saturation.
const SATURATION_SHARE: f64 = 0.15;

/// Limit on the number of semiflows whose firings are tried as a cycle.
const MAX_TRIED_SEMIFLOWS: usize = 16;

/// A property under evaluation, with the sets of its parts.
pub(super) struct EvaluatedProperty<'p> {
    /// The store of the property's formulas, and of negations that the evaluation needs.
    pub(super) formulas: Ctl,
    /// The atoms of the formulas.
    atoms: &'p [Predicate],
    /// The markings that satisfy a formula, for the formulas evaluated so far.
    pub(super) sets: HashMap<Formula<Quantifier>, Set>,
}

impl EvaluatedProperty<'_> {
    pub(super) fn of(property: &TreeProperty) -> EvaluatedProperty<'_> {
        let formulas = property.formulas().clone();
        EvaluatedProperty { formulas, atoms: property.atoms(), sets: HashMap::new() }
    }
}

/// Evaluation of CTL formulas over one reachable set.
pub(super) struct CtlEvaluation<'e, 'r, 'd> {
    /// The reachable set, with its diagram store.
    pub(super) reached: &'e mut ReachableSet<'r, 'd>,
    net: &'e Net,
    budget: &'e Budget,
    /// The semiflows for the test for cycles, computed at the first use.
    cycles: Option<Cycles>,
    /// The reversed transition relation.
    backwards: TransitionRelation,
    /// The reachable markings that satisfy each predicate evaluated so far. Garbage collection does
    /// not remove these sets.
    satisfying: HashMap<Predicate, Set>,
    /// The dead markings, and the reachable markings that enable a transition without effect.
    /// `None` before the first use. Garbage collection does not remove these sets.
    dead_and_idle: Option<(Set, Set)>,
    /// The sets that garbage collection must not remove while the current formula is evaluated.
    kept_sets: Vec<Set>,
}

impl<'e, 'r, 'd> CtlEvaluation<'e, 'r, 'd> {
    /// Prepares the evaluation of formulas over `reached`, the reachable set of `net`. `budget`
    /// limits the computation of semiflows and of cycles.
    ///
    /// # Errors
    /// Returns an error if there are too many transitions.
    pub(super) fn new(
        reached: &'e mut ReachableSet<'r, 'd>,
        (net, budget): (&'e Net, &'e Budget),
    ) -> Result<Self, Stop> {
        let backwards = reached.relation.reversed()?;
        Ok(CtlEvaluation {
            reached,
            net,
            budget,
            cycles: None,
            backwards,
            satisfying: HashMap::new(),
            dead_and_idle: None,
            kept_sets: Vec::new(),
        })
    }

    /// Returns the set with a single marking, given by its token counts, indexed by level. Protects
    /// the set until [`release_kept`](Self::release_kept).
    pub(super) fn single(&mut self, marking: &[u64]) -> Result<Set, Stop> {
        let set = self.reached.diagrams.single(marking)?;
        self.keep(set);
        Ok(set)
    }

    /// Returns true if a marking is a member of the set. The marking is given by its token counts,
    /// indexed by level.
    pub(super) fn contains(&self, members: Set, marking: &[u64]) -> bool {
        self.reached.diagrams.contains(members, marking)
    }

    /// Lets garbage collection remove the sets that were kept for the current formula.
    pub(super) fn release_kept(&mut self) {
        for set in self.kept_sets.drain(..) {
            self.reached.diagrams.release(set);
        }
    }

    /// Returns the reachable markings that satisfy a formula of the property. The result is
    /// protected from garbage collection until [`release_kept`](Self::release_kept). Parts whose
    /// sets were computed since then are not computed again.
    pub(super) fn members_of(
        &mut self,
        property: &mut EvaluatedProperty<'_>,
        formula: Formula<Quantifier>,
    ) -> Result<Set, Stop> {
        let EvaluatedProperty { formulas, atoms, sets } = property;
        let mut last = Set::EMPTY;
        for part in formulas.subformulas(formula) {
            if let Some(&known) = sets.get(&part) {
                last = known;
                continue;
            }
            let start = Instant::now();
            last = match formulas.node(part) {
                Node::True => self.reachable(),
                Node::False => Set::EMPTY,
                Node::Literal(literal) => {
                    let condition = &atoms[literal.atom.0 as usize];
                    let members = self.satisfying(condition)?;
                    if literal.positive { members } else { self.complement(members)? }
                }
                Node::And(operands) => {
                    let mut satisfying_all = self.reachable();
                    for operand in operands.iter() {
                        satisfying_all =
                            self.reached.diagrams.intersection(satisfying_all, sets[operand])?;
                    }
                    satisfying_all
                }
                Node::Or(operands) => {
                    let mut satisfying_any = Set::EMPTY;
                    for operand in operands.iter() {
                        satisfying_any =
                            self.reached.diagrams.union(satisfying_any, sets[operand])?;
                    }
                    satisfying_any
                }
                Node::Next(Quantifier::Exists, inner) => self.exists_next(sets[inner])?,
                Node::Next(Quantifier::All, inner) => {
                    let others = self.complement(sets[inner])?;
                    let violated = self.exists_next(others)?;
                    self.complement(violated)?
                }
                Node::Until(Quantifier::Exists, left, right) => {
                    self.exists_until(sets[left], sets[right])?
                }
                Node::Until(Quantifier::All, left, right) => {
                    let [left, right] =
                        [self.complement(sets[left])?, self.complement(sets[right])?];
                    let violated = self.exists_release(left, right)?;
                    self.complement(violated)?
                }
                Node::Release(Quantifier::Exists, left, right) => {
                    self.exists_release(sets[left], sets[right])?
                }
                Node::Release(Quantifier::All, left, right) => {
                    let [left, right] =
                        [self.complement(sets[left])?, self.complement(sets[right])?];
                    let violated = self.exists_until(left, right)?;
                    self.complement(violated)?
                }
            };
            self.keep(last);
            sets.insert(part, last);
            tracing::trace!(
                "diagrams: {} nodes for {:?} in {:.2?}",
                self.reached.diagrams.nodes_of(last),
                formulas.node(part),
                start.elapsed()
            );
        }
        Ok(last)
    }

    /// Returns the set of reachable markings.
    pub(super) fn reachable(&self) -> Set {
        self.reached.set
    }

    /// Protects a set from garbage collection until [`release_kept`](Self::release_kept) or
    /// [`keep_only`](Self::keep_only) releases it.
    pub(super) fn keep(&mut self, set: Set) {
        self.reached.diagrams.protect(set);
        self.kept_sets.push(set);
    }

    /// Returns the number of sets that are kept for the current formula, as an argument for
    /// [`keep_only`](Self::keep_only).
    pub(super) fn kept_set_count(&self) -> usize {
        self.kept_sets.len()
    }

    /// Keeps the sets in `retained`, and releases the other sets that were kept after the first
    /// `kept_before` sets.
    pub(super) fn keep_only(&mut self, kept_before: usize, retained: &[Set]) {
        retained.iter().for_each(|&set| self.reached.diagrams.protect(set));
        for set in self.kept_sets.drain(kept_before..).rev() {
            self.reached.diagrams.release(set);
        }
        self.kept_sets.extend(retained);
    }

    /// Returns the reachable markings that satisfy a predicate. The result is stored, and garbage
    /// collection does not remove it.
    pub(super) fn satisfying(&mut self, condition: &Predicate) -> Result<Set, Stop> {
        if let Some(&cached) = self.satisfying.get(condition) {
            return Ok(cached);
        }
        let members = self.reached.satisfying(self.reachable(), condition)?;
        self.reached.diagrams.protect(members);
        self.satisfying.insert(condition.clone(), members);
        Ok(members)
    }

    /// Returns the reachable markings that are not in the set. The result is protected from garbage
    /// collection until [`release_kept`](Self::release_kept) or [`keep_only`](Self::keep_only)
    /// releases it.
    pub(super) fn complement(&mut self, members: Set) -> Result<Set, Stop> {
        let others = self.reached.diagrams.difference(self.reachable(), members)?;
        self.keep(others);
        Ok(others)
    }

    /// Returns the dead reachable markings, and the reachable markings that enable a transition
    /// without effect. Both sets are computed at the first call.
    fn dead_and_idle(&mut self) -> Result<(Set, Set), Stop> {
        if let Some(cached) = self.dead_and_idle {
            return Ok(cached);
        }
        let dead = self.reached.satisfying(self.reachable(), &Predicate::Dead)?;
        let without_effect = self.net.transitions().filter(|&t| self.net.delta(t).is_empty());
        let conditions: Vec<Vec<LevelInterval>> =
            without_effect.filter_map(|t| self.reached.conditions(t)).collect();
        let idle = self.reached.diagrams.enabling_any(self.reachable(), &conditions)?;
        self.reached.diagrams.protect(dead);
        self.reached.diagrams.protect(idle);
        self.dead_and_idle = Some((dead, idle));
        Ok((dead, idle))
    }

    /// Returns the reachable markings with a successor in `targets`. A dead marking has no
    /// successor.
    fn exists_next(&mut self, targets: Set) -> Result<Set, Stop> {
        let (_, idle) = self.dead_and_idle()?;
        let self_loops = self.reached.diagrams.intersection(targets, idle)?;
        self.keep(self_loops);
        let predecessors =
            self.reached.diagrams.leading_into(&self.backwards, self.reachable(), targets)?;
        self.reached.diagrams.union(predecessors, self_loops)
    }

    /// Returns the successors of the markings in `from`. A dead marking has no successor. Protects
    /// the result.
    pub(super) fn successors(&mut self, from: Set) -> Result<Set, Stop> {
        self.keep(from);
        let (_, idle) = self.dead_and_idle()?;
        let self_loops = self.intersection(from, idle)?;
        self.keep(self_loops);
        let relation = self.reached.relation;
        let others = self.reached.diagrams.leading_into(relation, self.reachable(), from)?;
        let all = self.union(others, self_loops)?;
        self.keep(all);
        Ok(all)
    }

    /// Returns the reachable markings with a successor in `targets`. A dead marking counts as a
    /// successor of itself.
    pub(super) fn next_or_stay(&mut self, targets: Set) -> Result<Set, Stop> {
        let next = self.exists_next(targets)?;
        let (dead, _) = self.dead_and_idle()?;
        let stays = self.intersection(targets, dead)?;
        self.union(next, stays)
    }

    /// Returns the intersection of two sets.
    pub(super) fn intersection(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        self.reached.diagrams.intersection(left, right)
    }

    /// Returns the union of two sets.
    pub(super) fn union(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        self.reached.diagrams.union(left, right)
    }

    /// Returns the markings that satisfy E(left U right).
    pub(super) fn exists_until(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        let inside = self.reached.diagrams.union(left, right)?;
        self.leading_to(right, inside)
    }

    /// Returns the markings from which a path within `inside` leads to a member of `targets`. Tries
    /// saturation first, and rounds if saturation takes too long. Which of the two methods has
    /// smaller intermediate sets is unpredictable, since the sets of a backward search often do not
    /// fit the order of places.
    fn leading_to(&mut self, targets: Set, inside: Set) -> Result<Set, Stop> {
        self.keep(targets);
        self.keep(inside);
        let previous_deadline = self.reached.deadline.shorten(SATURATION_SHARE);
        let result = self.reached.diagrams.reachable_within(&self.backwards, targets, inside);
        self.reached.deadline.restore(previous_deadline);
        match result {
            Err(Stop::Requested) => self.leading_to_by_rounds(targets, inside),
            result => result,
        }
    }

    /// Like [`leading_to`](Self::leading_to), by rounds of one firing each.
    fn leading_to_by_rounds(&mut self, targets: Set, inside: Set) -> Result<Set, Stop> {
        let diagrams = &mut *self.reached.diagrams;
        let mut leading = diagrams.intersection(targets, inside)?;
        let mut frontier = leading;
        while !frontier.is_empty() {
            let unvisited = diagrams.difference(inside, leading)?;
            diagrams.protect(leading);
            let predecessors = diagrams.leading_into(&self.backwards, unvisited, frontier);
            diagrams.release(leading);
            frontier = predecessors?;
            leading = diagrams.union(leading, frontier)?;
        }
        Ok(leading)
    }

    /// Returns the markings that satisfy E(left R right).
    pub(super) fn exists_release(&mut self, left: Set, right: Set) -> Result<Set, Stop> {
        let (dead, idle) = self.dead_and_idle()?;
        let diagrams = &mut *self.reached.diagrams;
        let stays_at_rest = diagrams.union(dead, idle)?;
        let stop_set = diagrams.union(left, stays_at_rest)?;
        let stop_set = diagrams.intersection(right, stop_set)?;
        let remaining_at_rest = self.leading_to(stop_set, right)?;
        self.keep(remaining_at_rest);
        let others = self.reached.diagrams.difference(right, remaining_at_rest)?;
        let circling = self.with_infinite_run(others)?;
        self.reached.diagrams.union(remaining_at_rest, circling)
    }

    /// Returns the markings from which an infinite run within `among` exists. No member of `among`
    /// may enable a transition without effect.
    fn with_infinite_run(&mut self, among: Set) -> Result<Set, Stop> {
        let (mut found, mut remaining, mut rounds) = (Set::EMPTY, among, 0u32);
        while !remaining.is_empty() {
            if rounds >= FIRST_CYCLE_TEST && rounds.is_power_of_two() {
                if !self.may_contain_cycle(remaining)? {
                    return Ok(found);
                }
                // Markings that lead to a known cycle move to `leading`. No remaining marking has a
                // successor among these markings.
                self.keep(remaining);
                let leading = self.leading_to_cycles(remaining)?;
                found = self.reached.diagrams.union(found, leading)?;
                remaining = self.reached.diagrams.difference(remaining, leading)?;
                self.keep(found);
            }
            let previous = remaining;
            remaining = self.reached.diagrams.leading_into(&self.backwards, previous, previous)?;
            rounds += 1;
            if remaining == previous {
                break;
            }
        }
        self.reached.diagrams.union(found, remaining)
    }

    /// Returns markings that lead, within `inside`, to a marking from which the firings of a short
    /// semiflow are possible one after another within `inside`. Only the first
    /// [`MAX_TRIED_SEMIFLOWS`] short semiflows are tried, each in one order of its firings. So the
    /// result may lack markings with this property.
    fn leading_to_cycles(&mut self, inside: Set) -> Result<Set, Stop> {
        let (net, budget) = (self.net, self.budget);
        let cycles = self.cycles.get_or_insert_with(|| Cycles::new(net, budget));
        let semiflows: Vec<Vec<_>> =
            cycles.short_semiflows().take(MAX_TRIED_SEMIFLOWS).map(<[_]>::to_vec).collect();
        let mut starts = Set::EMPTY;
        for semiflow in semiflows {
            let cycle_starts = self.cycle_starts(inside, semiflow)?;
            starts = self.reached.diagrams.union(starts, cycle_starts)?;
            self.keep(starts);
        }
        self.leading_to(starts, inside)
    }

    /// Returns markings from which the firings in `remaining`, whose total effect is zero, are
    /// possible within `inside`. The order of the firings is built greedily forwards: each step
    /// takes the first effect class that can fire from the current set into `inside`. The total
    /// effect is zero, so the last markings are also the first ones. The result is empty if no
    /// class can fire.
    fn cycle_starts(
        &mut self,
        inside: Set,
        mut remaining: Vec<(EffectId, u64)>,
    ) -> Result<Set, Stop> {
        let mut current = inside;
        while !remaining.is_empty() {
            let mut step = None;
            for (index, &(effect, _)) in remaining.iter().enumerate() {
                // The next relation cannot use the cached results of the previous relation.
                // Clearing these results takes time without a check of the limits, so the limits
                // are checked here.
                if self.reached.deadline.has_passed() || self.budget.is_exhausted() {
                    return Err(Stop::Requested);
                }
                let class = self.net.class(effect).iter();
                let touches: Vec<_> = class.filter_map(|t| self.reached.touches(*t)).collect();
                let relation = TransitionRelation::new(self.reached.relation.levels(), &touches)?;
                let next = self.reached.diagrams.leading_into(&relation, inside, current)?;
                if !next.is_empty() {
                    step = Some((index, next));
                    break;
                }
            }
            let Some((index, next)) = step else { return Ok(Set::EMPTY) };
            current = next;
            self.keep(current);
            remaining[index].1 -= 1;
            // An effect with firings left moves to the end, so that the next step tries the other
            // effects first.
            let (effect, count) = remaining.remove(index);
            if count > 0 {
                remaining.push((effect, count));
            }
        }
        Ok(current)
    }

    /// Returns false if the semiflows show that no cycle is possible within `among`. Returns true
    /// if a cycle may be possible, also if the list of semiflows is incomplete.
    fn may_contain_cycle(&mut self, among: Set) -> Result<bool, Stop> {
        let CtlEvaluation { reached, net, budget, cycles, .. } = self;
        let cycles = cycles.get_or_insert_with(|| Cycles::new(net, budget));
        let mut enabled: HashMap<EffectId, bool> = HashMap::new();
        cycles.is_cycle_possible(|effect| {
            if let Some(&is_enabled) = enabled.get(&effect) {
                return Ok(is_enabled);
            }
            let class = net.class(effect).iter();
            let conditions: Vec<_> = class.filter_map(|t| reached.conditions(*t)).collect();
            let is_enabled = !reached.diagrams.enabling_any(among, &conditions)?.is_empty();
            enabled.insert(effect, is_enabled);
            Ok(is_enabled)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{explore_by_seed, random_net};
    use super::*;
    use parikh_generate::random_predicate;

    /// Compares backward saturation with backward rounds. Also compares the computation of infinite
    /// runs with a plain fixpoint, which uses no semiflows.
    #[test]
    fn saturation_and_rounds_agree_backwards_and_in_cycles() {
        let (mut led, mut gone_round) = (0, 0);
        for seed in 0..600 {
            let net = random_net(seed);
            let mut rng = fastrand::Rng::with_seed(seed);
            let conditions = [(); 2].map(|()| random_predicate(&mut rng, &net, 2));
            // An unbounded net has no finite set, so the test continues with the next net.
            let budget = Budget::unlimited().slice(std::time::Duration::from_millis(50));
            let counts = explore_by_seed(seed, &net, &budget, |mut reached| {
                // Collecting garbage at every step detects sets that are not kept.
                reached.diagrams.collect_each(1);
                let mut branching = CtlEvaluation::new(&mut reached, (&net, &budget))?;
                let these = branching.satisfying(&conditions[0])?;
                let inside = match seed % 2 {
                    0 => branching.satisfying(&conditions[1])?,
                    _ => branching.reachable(),
                };
                let by_rounds = branching.leading_to_by_rounds(these, inside)?;
                branching.keep(by_rounds);
                assert_eq!(branching.leading_to(these, inside)?, by_rounds, "net {seed}");

                let (dead, idle) = branching.dead_and_idle()?;
                let at_rest = branching.union(dead, idle)?;
                let led = branching.leading_to(at_rest, inside)?;
                branching.keep(led);
                let among = branching.reached.diagrams.difference(inside, led)?;
                branching.keep(among);
                let mut plainly = among;
                loop {
                    let before = plainly;
                    branching.keep(before);
                    let backwards = &branching.backwards;
                    plainly = branching.reached.diagrams.leading_into(backwards, before, before)?;
                    if plainly == before {
                        break;
                    }
                }
                assert_eq!(branching.with_infinite_run(among)?, plainly, "net {seed}");
                let loops = branching.leading_to_cycles(among)?;
                assert_eq!(branching.intersection(loops, plainly)?, loops, "net {seed}");
                if !branching.may_contain_cycle(among)? {
                    assert!(plainly.is_empty(), "net {seed}");
                }
                branching.release_kept();
                Ok((usize::from(!by_rounds.is_empty()), usize::from(!loops.is_empty())))
            });
            let (some_led, some_round) = counts.unwrap_or_default();
            (led, gone_round) = (led + some_led, gone_round + some_round);
        }
        assert!(led > 100 && gone_round > 10, "{led}, {gone_round}");
    }
}
