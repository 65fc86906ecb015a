//! Home properties from the set of all reachable markings as a decision diagram.
//!
//! The set of markings that lead to a marking h is computed backwards within the reachable set, by
//! saturation. The terminal components are found by the method of Xie and Beerel. Start with any
//! marking h. If a marking is reachable from h but does not lead back to h, take a random walk from
//! it. Continue with the end of the walk as h. At the end, every marking reachable from h leads
//! back to h. These markings are a *terminal component* (bottom SCC). Markings that lead to it are
//! removed, and the search continues with the rest.
//!
//! ```text
//! all markings − those that lead to component 1 − those that lead to component 2 − …
//!
//! φ always remains reachable if and only if each component has a member with φ.
//! ```
//!
//! The number of fixpoints depends on the number of components, not on the number of transitions
//! whose liveness is asked.
//!
//! # Evidence
//! Refuted: firings into a component without φ, and the component itself, which no firing leaves.
//! Proved, if there is a single component: h always remains reachable, and firings from h lead to
//! φ. Otherwise φ itself always remains reachable. The way back to h (or φ) is proved by weights
//! that decrease on the way (`weight_search`), if all decreasing sequences end at the target.
//! Otherwise backward steps are used
//! ([`Diagrams::steps_back`](parikh_symbolic::Diagrams::steps_back)).
//!
//! # Sources
//! A. Xie, P. A. Beerel, *Implicit enumeration of strongly connected components*, ICCAD 1999; Y.
//! Zhao, G. Ciardo, *Symbolic CTL model checking of asynchronous systems using constrained
//! saturation*, ATVA 2009.

use super::recording_walk::RecordingWalk;
use super::weight_search::{DecreasingWeights, find_decreasing_weights};
use super::{goal_walks, open_goals, reduced_net_for_liveness};
use crate::board::Argument;
use crate::diagrams::confirm::to_closed_set;
use crate::diagrams::{ReachableSet, explore};
use crate::walk;
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, ResultKinds, Role, SupportedGoals, stateless_session};
use parikh_evidence::home::ways_back::{
    CountedFirings, ReturnProof, ReturnWay, covering, is_upward_closed,
};
use parikh_evidence::pump_grows;
use parikh_evidence::{Document, replay};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, GoalId, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_symbolic::{Set, Stop, TransitionRelation};
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "terminal components",
    technique: TECHNIQUE,
    result_kinds: ResultKinds::Both,
    role: Role::Homes,
    supported: SupportedGoals::HOMES,
    start: |work| stateless_session(move |budget| run(&work, budget)),
};

/// The technique of the engine's results.
const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// Maximum number of places of a net for this engine.
const MAX_PLACES: usize = 20_000;

/// Limit on the number of terminal components. A net with more terminal components usually has
/// about as many terminal components as reachable markings.
const MAX_COMPONENTS: usize = 64;

/// Number of random firings from a marking to the next candidate for a marking of a terminal
/// component.
const RANDOM_FIRINGS: u64 = 1 << 12;

/// Lengths of random walks from the initial marking that look for a marking of a component, as
/// powers of two.
const WALK_LENGTHS_LOG2: std::ops::Range<u32> = 2..15;

/// Limit on the number of goals refuted, and on the number of goals proved one by one. Each of
/// these goals needs its own certificate.
const MAX_SINGLE_GOALS: usize = 16;

/// Limit on the number of nodes of a decision diagram that is used as a certificate.
const MAX_CERTIFICATE_NODES: usize = 2_000_000;

/// Length of the longest walk that searches for markings satisfying goals, as a power of two. The
/// decision diagrams treat the goals that no walk sees.
const MAX_WALK_LENGTH_LOG2: u32 = 13;

/// Time limit of the first attempt. Most sets that can be computed at all are computed in this
/// time.
const FIRST_ATTEMPT: Duration = Duration::from_millis(700);

/// Time limit of the second attempt if some place has no known upper bound, so that the net may
/// have infinitely many markings.
const MAX_TIME_IF_UNBOUNDED: Duration = Duration::from_secs(8);

/// Approximate number of firings spent on searching for a self-covering sequence.
const SELF_COVERING_WORK: u64 = 5_000_000;

/// Runs the engine and returns a one-line summary.
fn run(assignment: &Assignment<'_>, budget: &Budget) -> String {
    let (original, board) = (assignment.working_net, assignment.board);
    let net = original.net();
    if net.place_count() > MAX_PLACES {
        return "too many places".to_owned();
    }
    let is_done = || open_goals(original, board).next().is_none();
    let reduced = reduced_net_for_liveness(assignment, (&budget.share(0.2), budget));
    // Goals that the reduced net cannot express or does not settle are treated on the original net.
    let search = |budget: &Budget| {
        let mut summary = "nothing to do".to_owned();
        for working_net in reduced.as_ref().into_iter().chain([original]) {
            if open_goals(working_net, board).next().is_none() {
                continue;
            }
            let is_last = working_net.parent().is_none();
            let slice = if is_last { budget.child() } else { budget.share(0.7) };
            let settled = explore(working_net.net(), 1, &slice, |reached| {
                SymbolicHomes { assignment, working_net, reachable: reached, budget: &slice }
                    .settle()
            });
            summary = settled.unwrap_or_else(|error| error.to_string());
        }
        summary
    };
    let first_summary = search(&budget.slice(FIRST_ATTEMPT));
    if is_done() {
        return first_summary;
    }
    let self_covering = walk::find_self_covering_sequence(
        net,
        &budget.share(0.05),
        assignment.seed,
        SELF_COVERING_WORK,
    );
    if self_covering.is_some_and(|(prefix, pump)| pump_grows(net, &prefix, &pump)) {
        return "infinitely many markings".to_owned();
    }
    // The fixpoint computation (saturation) does not terminate on infinitely many markings.
    match net.places().all(|p| original.facts().upper_bound(p).is_some()) {
        true => search(budget),
        false => search(&budget.slice(MAX_TIME_IF_UNBOUNDED)),
    }
}

/// The analysis of the reachable set of one net.
struct SymbolicHomes<'h, 'r, 'd> {
    /// The assignment with the board and the goals.
    assignment: &'h Assignment<'h>,
    /// The net of the analysis.
    working_net: &'h WorkingNet<'h>,
    /// The reachable set of the net.
    reachable: ReachableSet<'r, 'd>,
    /// The budget of the analysis.
    budget: &'h Budget,
}

/// A terminal component of the reachability graph, that is, a strongly connected component that no
/// firing leaves.
struct SymbolicComponent {
    /// The home marking: some marking of the component. Its token counts are in the order of the
    /// diagram levels, one level per place.
    home_levels: Vec<u64>,
    /// All markings of the component. The set is protected from garbage collection.
    set: Set,
}

impl SymbolicHomes<'_, '_, '_> {
    /// Finds the terminal components. Reports goals without a satisfying marking in one of them as
    /// refuted, at most [`MAX_SINGLE_GOALS`] goals. If all terminal components are known, proves
    /// goals that have a satisfying marking in each of them. Returns a summary.
    fn settle(&mut self) -> Result<String, Stop> {
        let backwards = self.reachable.relation.reversed()?;
        let (components, is_complete) = self.components(&backwards)?;
        let (mut unrefuted, mut refuted_count) = (Vec::new(), 0);
        let goals: Vec<(GoalId, &Predicate)> =
            open_goals(self.working_net, self.assignment.board).collect();
        for &(id, predicate) in &goals {
            let mut without_goal = None;
            for component in &components {
                let satisfying = self.reachable.some_satisfying(component.set, predicate)?;
                if satisfying.is_empty() {
                    without_goal = Some(component);
                    break;
                }
            }
            match without_goal {
                None => unrefuted.push((id, predicate)),
                Some(component) if refuted_count < MAX_SINGLE_GOALS => {
                    refuted_count += usize::from(self.report_refuted(id, component)?)
                }
                Some(_) => {}
            }
        }
        // If the list of terminal components is incomplete, a missing component may refute a goal,
        // so no goal is proved.
        let proved_count =
            if is_complete { self.report_proved(&unrefuted, &components)? } else { 0 };
        let (components, unrefuted) = (components.len(), unrefuted.len());
        let suffix = if is_complete { "" } else { " and more" };
        Ok(format!(
            "{}{suffix}, {proved_count} of {unrefuted} proved, {refuted_count} refuted",
            counted(components, "terminal component")
        ))
    }

    /// Returns terminal components, and true if these are all of them. Stops early with
    /// [`MAX_COMPONENTS`] components. `backwards` is the reversed transition relation.
    fn components(
        &mut self,
        backwards: &TransitionRelation,
    ) -> Result<(Vec<SymbolicComponent>, bool), Stop> {
        let (relation, reachable_set) = (self.reachable.relation, self.reachable.set);
        let mut components = Vec::new();
        let mut candidate = self.initial();
        let mut steps = 0;
        // Reachable markings from which no terminal component found so far can be reached.
        let mut unassigned = reachable_set;
        loop {
            let home = self.reachable.diagrams.single(&candidate)?;
            let leading_home =
                self.reachable.diagrams.reachable_within(backwards, home, reachable_set)?;
            self.reachable.diagrams.protect(leading_home);
            // The search may have freed the unprotected set `home`, so the set is made again.
            let home = self.reachable.diagrams.single(&candidate)?;
            let from_home = match leading_home == reachable_set && components.is_empty() {
                // The initial marking can be reached from everywhere, so everything reachable is in
                // its component.
                true if candidate == self.initial() => reachable_set,
                _ => self.reachable.diagrams.reachable(relation, home)?,
            };
            let not_returning = self.reachable.diagrams.difference(from_home, leading_home)?;
            if let Some(member) = self.reachable.diagrams.member(not_returning) {
                steps += 1;
                candidate = self.random_walk_from(&member, steps);
                self.reachable.diagrams.release(leading_home);
                continue;
            }
            tracing::debug!("diagrams: a terminal component after {steps} steps");
            self.reachable.diagrams.protect(from_home);
            components.push(SymbolicComponent { home_levels: candidate, set: from_home });
            let remaining = self.reachable.diagrams.difference(unassigned, leading_home)?;
            self.reachable.diagrams.release(leading_home);
            if components.len() > 1 {
                self.reachable.diagrams.release(unassigned);
            }
            unassigned = remaining;
            if unassigned.is_empty() {
                return Ok((components, true));
            }
            if components.len() == MAX_COMPONENTS {
                return Ok((components, false));
            }
            self.reachable.diagrams.protect(unassigned);
            let member = self.reachable.diagrams.member(unassigned).unwrap_or_default();
            candidate = self.random_walk_from(&member, steps);
        }
    }

    /// Returns the last marking of a random walk that starts at the marking `member`. Token counts
    /// are in the order of the diagram levels.
    fn random_walk_from(&self, member: &[u64], seed: u64) -> Vec<u64> {
        let seed = self.assignment.seed.wrapping_add(seed);
        let mut recording_walk =
            RecordingWalk::new(self.working_net.net(), &self.marking(member), seed);
        recording_walk.walk(RANDOM_FIRINGS);
        self.reachable.vector(recording_walk.marking())
    }

    /// Returns the token counts of the initial marking, by diagram level.
    fn initial(&self) -> Vec<u64> {
        self.reachable.vector(self.working_net.net().initial())
    }

    /// Converts the token counts of a marking, by diagram level, to a marking by place.
    fn marking(&self, member: &[u64]) -> Marking {
        let levels = self.reachable.level_of.iter();
        Marking::new(levels.map(|&level| member[level as usize]).collect())
    }

    /// Returns a random walk from the initial marking to a member of `set`, if one is found soon.
    /// This is faster than a backward search.
    fn random_walk_to(&self, set: Set) -> Option<FiringSequence> {
        let net = self.working_net.net();
        for length in WALK_LENGTHS_LOG2 {
            let mut recording_walk = RecordingWalk::new(
                net,
                net.initial(),
                self.assignment.seed.wrapping_add(length.into()),
            );
            let sequence = recording_walk.walk(1 << length);
            if self
                .reachable
                .diagrams
                .contains(set, &self.reachable.vector(recording_walk.marking()))
            {
                return Some(sequence);
            }
            if self.budget.is_exhausted() {
                return None;
            }
        }
        None
    }

    /// Returns a firing sequence from the initial marking to the home marking of a component.
    /// Returns `None` if none is found.
    fn sequence_to(
        &mut self,
        component: &SymbolicComponent,
    ) -> Result<Option<FiringSequence>, Stop> {
        let home = self.reachable.diagrams.single(&component.home_levels)?;
        self.reachable.firings_to(self.working_net.net(), home)
    }

    /// Reports that a goal is refuted, since no marking of this terminal component satisfies it.
    /// Returns false if the certificate would be too large.
    fn report_refuted(
        &mut self,
        goal: GoalId,
        component: &SymbolicComponent,
    ) -> Result<bool, Stop> {
        if self.reachable.diagrams.nodes_of(component.set) > MAX_CERTIFICATE_NODES {
            return Ok(false);
        }
        let set = component.set;
        let sequence = match self.random_walk_to(set) {
            Some(sequence) => sequence,
            // Any marking of the component will do as the end of the sequence. The nearest one
            // gives the shortest sequence.
            None => self.reachable.firings_to(self.working_net.net(), set)?.unwrap_or_default(),
        };
        let document = to_closed_set(&self.reachable, set);
        let nodes = document.nodes.len();
        let (argument, document) = (Argument::ClosedSet { nodes }, Document::ClosedSet(document));
        let home_reporter = self.assignment.board.home_reporter(TECHNIQUE).on(self.working_net);
        home_reporter.report_lost_after_on_engine_net(goal, sequence, argument, document);
        Ok(true)
    }

    /// Proves the given goals, each of which has a satisfying marking in every terminal component,
    /// and reports them. Upward-closed goals are proved together if there is only one component. Of
    /// the remaining goals, at most [`MAX_SINGLE_GOALS`] are proved, one by one. Returns the number
    /// of goals with a certificate, which is 0 if the certificate would be too large.
    fn report_proved(
        &mut self,
        goals: &[(GoalId, &Predicate)],
        components: &[SymbolicComponent],
    ) -> Result<usize, Stop> {
        let nodes = self.reachable.diagrams.nodes_of(self.reachable.set);
        if goals.is_empty() || nodes > MAX_CERTIFICATE_NODES {
            return Ok(0);
        }
        let (upward_closed, mut other_goals): (Vec<_>, Vec<_>) =
            goals.iter().partition(|(_, predicate)| is_upward_closed(predicate));
        let mut proved_count = 0;
        match components {
            [component] if !upward_closed.is_empty() => {
                proved_count += self.prove_by_home(&upward_closed, component)?;
            }
            _ => other_goals.extend(upward_closed),
        }
        for (id, predicate) in other_goals.into_iter().take(MAX_SINGLE_GOALS) {
            let target = self.reachable.satisfying(self.reachable.set, predicate)?;
            let Some(return_way) = self.backward_steps(target)? else { continue };
            let home_reporter = self.assignment.board.home_reporter(TECHNIQUE).on(self.working_net);
            proved_count += home_reporter.report_returning(
                &[id],
                ReturnProof { to: None, way: return_way, along: Vec::new() },
            );
        }
        Ok(proved_count)
    }

    /// Proves upward-closed goals that are reachable from a home marking of the only terminal
    /// component. A marking that covers the home marking always remains reachable, so these goals
    /// do too. Returns the number of goals proved.
    fn prove_by_home(
        &mut self,
        goals: &[(GoalId, &Predicate)],
        component: &SymbolicComponent,
    ) -> Result<usize, Stop> {
        let net = self.working_net.net();
        let (home, to_home) = match self.random_walk_to(component.set) {
            _ if component.home_levels == self.initial() => {
                (net.initial().clone(), FiringSequence::new())
            }
            // Any marking of the component may serve as the home marking, so the end of a short
            // walk is used.
            Some(to_home) => match replay(net, &to_home) {
                Ok(home) => (home, to_home),
                Err(_) => return Ok(0),
            },
            None => {
                let to_home = self.sequence_to(component)?.unwrap_or_default();
                (self.marking(&component.home_levels), to_home)
            }
        };
        let levels_of_home = self.reachable.vector(&home);
        let slice = self.budget.share(0.2);
        let findings = goal_walks::search_goals(
            net,
            &home,
            goals,
            MAX_WALK_LENGTH_LOG2,
            (self.assignment.seed, &slice),
        );
        let (mut sequences, mut proved_goals) = (findings.sequences, findings.seen_goals);
        for &(id, predicate) in goals.iter().filter(|(id, _)| findings.unseen_goals.contains(id)) {
            let target = self.reachable.some_satisfying(component.set, predicate)?;
            let (relation, transitions) = (self.reachable.relation, self.reachable.transitions);
            let firings = self.reachable.diagrams.firings(
                relation,
                transitions,
                &levels_of_home,
                target,
                component.set,
            )?;
            if let Some(firings) = firings {
                sequences.push(firings.into_iter().map(|t| (TransitionId::new(t), 1)).collect());
                proved_goals.push(id);
            }
        }
        let return_way = match self.decreasing_weights(net, &home)? {
            Some(return_way) => return_way,
            None => {
                let covering = covering(net, &home);
                let target = self.reachable.satisfying(self.reachable.set, &covering)?;
                let Some(return_way) = self.backward_steps(target)? else { return Ok(0) };
                return_way
            }
        };
        let to_home: CountedFirings<TransitionId> =
            to_home.steps().iter().map(|step| (step.transition, step.count)).collect();
        let home_reporter = self.assignment.board.home_reporter(TECHNIQUE).on(self.working_net);
        Ok(home_reporter.report_returning(
            &proved_goals,
            ReturnProof { to: Some(to_home), way: return_way, along: sequences },
        ))
    }

    /// Returns a proof by place weights that a marking covering `home` always remains reachable.
    /// Firing transitions that decrease the weighted sum ends only in such markings. Returns `None`
    /// if no such weights are found.
    fn decreasing_weights(&mut self, net: &Net, home: &Marking) -> Result<Option<ReturnWay>, Stop> {
        let missing = covering(net, home).negated();
        let mut rng = fastrand::Rng::with_seed(self.assignment.seed);
        let slice = self.budget.share(0.3);
        let found = find_decreasing_weights(
            net,
            home,
            (&slice, &mut rng),
            |_: &DecreasingWeights, decreasing| {
                let all_disabled = decreasing.iter().copied().map(Predicate::Disabled);
                let bad_marking = Predicate::and(all_disabled.chain([missing.clone()]));
                let bad_markings = self.reachable.satisfying(self.reachable.set, &bad_marking)?;
                Ok(self.reachable.diagrams.member(bad_markings).map(|member| self.marking(&member)))
            },
        )?;
        Ok(found.map(|weights| {
            let document = Document::ClosedSet(to_closed_set(&self.reachable, self.reachable.set));
            ReturnWay::Downhill { weights, document }
        }))
    }

    /// Returns a proof that the set `target` always remains reachable: steps of a backward search
    /// that together cover all reachable markings. Returns `None` if some reachable marking cannot
    /// reach `target`.
    fn backward_steps(&mut self, target: Set) -> Result<Option<ReturnWay>, Stop> {
        let (levels, reachable) = (self.reachable.level_of.len() as u32, self.reachable.set);
        let transitions = self.reachable.transitions;
        let steps = self.reachable.diagrams.steps_back(levels, transitions, target, reachable)?;
        Ok(steps.map(|steps| {
            let steps = steps.into_iter().map(|(t, count)| (TransitionId::new(t), count)).collect();
            ReturnWay::Steps { set: to_closed_set(&self.reachable, reachable), steps }
        }))
    }
}
