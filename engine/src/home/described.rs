//! Home properties from the set of all markings as a decision diagram.
//!
//! The set of markings that lead to a marking h is computed backwards within the reachable set, by
//! saturation. The terminal components are found by the method of Xie and Beerel. Start with any
//! marking h. While something is reachable from h that does not lead back to h, continue from there
//! (first with a random walk, which skips most of the way). At the end, everything reachable from h
//! leads back to h: a *terminal component* (bottom SCC). Markings that lead to it are removed, and
//! the search continues with the rest.
//!
//! ```text
//! all markings ── what leads to component 1 ── what leads to component 2 ── …      φ stays reachable if and only if
//!                                                                                 each component has a member with φ
//! ```
//!
//! The number of fixpoints depends on the number of components, not on the number of transitions
//! whose liveness is asked.
//!
//! # Evidence
//! Refuted: firings into a component without φ, and the component itself, which no firing leaves.
//! Proved, if there is a single component: h always remains reachable, and firings from h lead to
//! φ. Otherwise φ itself always remains reachable. The way back to h (or φ) is proved by weights
//! that decrease on the way (`slope`), if all decreasing sequences end at the target. Otherwise
//! backward steps are used ([`Diagrams::steps_back`](parikh_symbolic::Diagrams::steps_back)).
//!
//! # Sources
//! A. Xie, P. A. Beerel, *Implicit enumeration of strongly connected components*, ICCAD 1999; Y.
//! Zhao, G. Ciardo, *Symbolic CTL model checking of asynchronous systems using constrained
//! saturation*, ATVA 2009.

use super::roam::RecordingWalk;
use super::slope::{DecreasingWeights, find};
use super::{along, open, reduced_for};
use crate::board::Argument;
use crate::diagrams::confirm::closed;
use crate::diagrams::{ReachableSet, explore};
use crate::walk;
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, Role, Sides, Takes, each_slice_anew};
use parikh_evidence::home::returning::{
    CountedFirings, ReturnProof, ReturnWay, covering, is_upward_closed,
};
use parikh_evidence::pump_grows;
use parikh_evidence::{Document, replay};
use parikh_net::{FiringSequence, GoalId, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_symbolic::{Set, Stop, TransitionRelation};
use std::time::Duration;

/// The registry entry of the engine.
pub const ENGINE: Engine = Engine {
    name: "terminal components",
    technique: TECHNIQUE,
    sides: Sides::Both,
    role: Role::Homes,
    takes: Takes::HOMES,
    start: |work| each_slice_anew(move |budget| run(&work, budget)),
};

const TECHNIQUE: &str = "DECISION_DIAGRAMS";

/// Limit on the number of places.
const MOST_PLACES: usize = 20_000;

/// Limit on the number of components. A net with more usually has as many components as markings.
const COMPONENTS: usize = 64;

/// Number of random firings before the search for a terminal component.
const FAR: u64 = 1 << 12;

/// Lengths of walks that may end in a component, as powers of two.
const WALKS_TO: std::ops::Range<u32> = 2..15;

/// Limit on the number of goals that are refuted or proved individually. Each needs its own
/// certificate.
const EACH: usize = 16;

/// Limit on the number of nodes of a certificate.
const MOST_NODES: usize = 2_000_000;

/// Length of the longest walk that searches for goals, as a power of two. Diagrams find the other
/// goals.
const LONGEST_WALK: u32 = 13;

/// Time limit of the first attempt. Most sets that can be computed at all are computed in this
/// time.
const AT_ONCE: Duration = Duration::from_millis(700);

/// Time limit if there may be infinitely many markings.
const LONGEST_UNBOUNDED: Duration = Duration::from_secs(8);

/// Approximate number of firings spent on searching for a self-covering sequence.
const PUMP_WORK: u64 = 5_000_000;

fn run(work: &Assignment<'_>, budget: &Budget) -> String {
    let (read, board) = (work.working_net, work.board);
    let net = read.net();
    if net.place_count() > MOST_PLACES {
        return "too many places".to_owned();
    }
    let is_done = || open(read, board).next().is_none();
    let reduced = reduced_for(work, (&budget.share(0.2), budget));
    // Goals that the reduced net cannot express are treated on the original net.
    let search = |budget: &Budget| {
        let mut summary = "nothing to do".to_owned();
        for working_net in reduced.as_ref().into_iter().chain([read]) {
            if open(working_net, board).next().is_none() {
                continue;
            }
            let is_last = working_net.parent().is_none();
            let slice = if is_last { budget.child() } else { budget.share(0.7) };
            let settled = explore(working_net.net(), 1, &slice, |reached| {
                SymbolicHomes { work, working_net, reached, budget: &slice }.settle()
            });
            summary = settled.unwrap_or_else(|why| why.to_string());
        }
        summary
    };
    let early = search(&budget.slice(AT_ONCE));
    if is_done() {
        return early;
    }
    let pump = walk::find_pump(net, &budget.share(0.05), work.seed, PUMP_WORK);
    if pump.is_some_and(|(prefix, pump)| pump_grows(net, &prefix, &pump)) {
        return "infinitely many markings".to_owned();
    }
    // Saturation does not terminate for infinitely many markings.
    match net.places().all(|p| read.facts().upper_bound(p).is_some()) {
        true => search(budget),
        false => search(&budget.slice(LONGEST_UNBOUNDED)),
    }
}

/// The analysis of the reachable set of one net.
struct SymbolicHomes<'h, 'r, 'd> {
    work: &'h Assignment<'h>,
    working_net: &'h WorkingNet<'h>,
    reached: ReachableSet<'r, 'd>,
    budget: &'h Budget,
}

/// A terminal component.
struct SymbolicComponent {
    /// A marking of the component, over levels.
    home: Vec<u64>,
    /// All markings of the component. The set is kept.
    set: Set,
}

impl SymbolicHomes<'_, '_, '_> {
    fn settle(&mut self) -> Result<String, Stop> {
        let backwards = self.reached.relation.reversed()?;
        let (components, all) = self.components(&backwards)?;
        let (mut kept, mut lost) = (Vec::new(), 0);
        let goals: Vec<(GoalId, &Predicate)> = open(self.working_net, self.work.board).collect();
        for &(id, wanted) in &goals {
            let mut without = None;
            for component in &components {
                let some = self.reached.some_satisfying(component.set, wanted)?;
                if some.is_empty() {
                    without = Some(component);
                    break;
                }
            }
            match without {
                None => kept.push((id, wanted)),
                Some(component) if lost < EACH => lost += usize::from(self.lose(id, component)?),
                Some(_) => {}
            }
        }
        // The remaining components are unknown.
        let shown = if all { self.keep(&kept, &components)? } else { 0 };
        let (components, kept) = (components.len(), kept.len());
        let more = if all { "" } else { " and more" };
        Ok(format!(
            "{components} terminal components{more}, {shown} of {kept} proved, {lost} refuted"
        ))
    }

    /// Returns terminal components, and true if these are all of them. Stops early if there are too
    /// many.
    fn components(
        &mut self,
        backwards: &TransitionRelation,
    ) -> Result<(Vec<SymbolicComponent>, bool), Stop> {
        let (relation, all) = (self.reached.relation, self.reached.set);
        let mut components = Vec::new();
        let mut from = self.initial();
        let mut steps = 0;
        // Markings that lead to no known component.
        let mut left = all;
        loop {
            let home = self.reached.diagrams.single(&from)?;
            let back = self.reached.diagrams.reachable_within(backwards, home, all)?;
            self.reached.diagrams.keep(back);
            let home = self.reached.diagrams.single(&from)?;
            let ahead = match back == all && components.is_empty() {
                // The initial marking can be reached from everywhere, so everything reachable is in
                // its component.
                true if from == self.initial() => all,
                _ => self.reached.diagrams.reachable(relation, home)?,
            };
            let beyond = self.reached.diagrams.difference(ahead, back)?;
            if let Some(member) = self.reached.diagrams.member(beyond) {
                steps += 1;
                from = self.far_from(&member, steps);
                self.reached.diagrams.release(back);
                continue;
            }
            tracing::debug!("diagrams: a terminal component after {steps} steps");
            self.reached.diagrams.keep(ahead);
            components.push(SymbolicComponent { home: from, set: ahead });
            let rest = self.reached.diagrams.difference(left, back)?;
            self.reached.diagrams.release(back);
            if components.len() > 1 {
                self.reached.diagrams.release(left);
            }
            left = rest;
            if left.is_empty() {
                return Ok((components, true));
            }
            if components.len() == COMPONENTS {
                return Ok((components, false));
            }
            self.reached.diagrams.keep(left);
            let member = self.reached.diagrams.member(left).unwrap_or_default();
            from = self.far_from(&member, steps);
        }
    }

    /// Returns the last marking of a random walk from a member.
    fn far_from(&self, member: &[u64], seed: u64) -> Vec<u64> {
        let seed = self.work.seed.wrapping_add(seed);
        let mut roam = RecordingWalk::new(self.working_net.net(), &self.marking(member), seed);
        roam.walk(FAR);
        self.reached.vector(roam.marking())
    }

    /// Returns the initial marking over levels.
    fn initial(&self) -> Vec<u64> {
        self.reached.vector(self.working_net.net().initial())
    }

    /// Converts a member to a marking.
    fn marking(&self, member: &[u64]) -> Marking {
        let levels = self.reached.level_of.iter();
        Marking::new(levels.map(|&level| member[level as usize]).collect())
    }

    /// Returns a random walk that ends in a component, if one is found soon. This is faster than a
    /// backward search.
    fn walk_to(&self, set: Set) -> Option<FiringSequence> {
        let net = self.working_net.net();
        for length in WALKS_TO {
            let mut roam =
                RecordingWalk::new(net, net.initial(), self.work.seed.wrapping_add(length.into()));
            let way = roam.walk(1 << length);
            if self.reached.diagrams.contains(set, &self.reached.vector(roam.marking())) {
                return Some(way);
            }
            if self.budget.is_exhausted() {
                return None;
            }
        }
        None
    }

    /// Returns a firing sequence to a component.
    fn way_to(&mut self, component: &SymbolicComponent) -> Result<Option<FiringSequence>, Stop> {
        let home = self.reached.diagrams.single(&component.home)?;
        self.reached.firings_to(self.working_net.net(), home)
    }

    /// Reports that a goal is refuted by a component. Returns false if the certificate would be too
    /// large.
    fn lose(&mut self, goal: GoalId, component: &SymbolicComponent) -> Result<bool, Stop> {
        if self.reached.diagrams.nodes_of(component.set) > MOST_NODES {
            return Ok(false);
        }
        let set = component.set;
        let way = match self.walk_to(set) {
            Some(way) => way,
            // A path to any marking of the component is shorter than a path to a given one.
            None => self.reached.firings_to(self.working_net.net(), set)?.unwrap_or_default(),
        };
        let document = closed(&self.reached, set);
        let nodes = document.nodes.len();
        let (argument, document) = (Argument::ClosedSet { nodes }, Document::ClosedSet(document));
        let homes = self.work.board.homes(TECHNIQUE).on(self.working_net);
        homes.lost_there(goal, way, argument, document);
        Ok(true)
    }

    /// Reports which goals are proved. Returns the number of goals with a certificate.
    fn keep(
        &mut self,
        goals: &[(GoalId, &Predicate)],
        components: &[SymbolicComponent],
    ) -> Result<usize, Stop> {
        let nodes = self.reached.diagrams.nodes_of(self.reached.set);
        if goals.is_empty() || nodes > MOST_NODES {
            return Ok(0);
        }
        let (upward, mut others): (Vec<_>, Vec<_>) =
            goals.iter().partition(|(_, wanted)| is_upward_closed(wanted));
        let mut shown = 0;
        match components {
            [component] if !upward.is_empty() => {
                shown += self.keep_by_home(&upward, component)?;
            }
            _ => others.extend(upward),
        }
        for (id, wanted) in others.into_iter().take(EACH) {
            let target = self.reached.satisfying(self.reached.set, wanted)?;
            let Some(way) = self.steps(target)? else { continue };
            let homes = self.work.board.homes(TECHNIQUE).on(self.working_net);
            shown += homes.returning(&[id], ReturnProof { to: None, way, along: Vec::new() });
        }
        Ok(shown)
    }

    /// Proves goals that hold somewhere after a marking that always remains reachable.
    fn keep_by_home(
        &mut self,
        goals: &[(GoalId, &Predicate)],
        component: &SymbolicComponent,
    ) -> Result<usize, Stop> {
        let net = self.working_net.net();
        let (home, to) = match self.walk_to(component.set) {
            _ if component.home == self.initial() => (net.initial().clone(), FiringSequence::new()),
            // Any marking of the component is suitable.
            Some(to) => match replay(net, &to) {
                Ok(home) => (home, to),
                Err(_) => return Ok(0),
            },
            None => {
                let to = self.way_to(component)?.unwrap_or_default();
                (self.marking(&component.home), to)
            }
        };
        let from = self.reached.vector(&home);
        let slice = self.budget.share(0.2);
        let seen = along::walk(net, &home, goals, LONGEST_WALK, (self.work.seed, &slice));
        let (mut along, mut kept) = (seen.along, seen.goals);
        for &(id, wanted) in goals.iter().filter(|(id, _)| seen.unseen.contains(id)) {
            let target = self.reached.some_satisfying(component.set, wanted)?;
            let (relation, transitions) = (self.reached.relation, self.reached.transitions);
            let firings = self.reached.diagrams.firings(
                relation,
                transitions,
                &from,
                target,
                component.set,
            )?;
            if let Some(firings) = firings {
                along.push(firings.into_iter().map(|t| (TransitionId::new(t), 1)).collect());
                kept.push(id);
            }
        }
        let way = match self.downhill(net, &home)? {
            Some(way) => way,
            None => {
                let covering = covering(net, &home);
                let target = self.reached.satisfying(self.reached.set, &covering)?;
                let Some(way) = self.steps(target)? else { return Ok(0) };
                way
            }
        };
        let to: CountedFirings<TransitionId> =
            to.steps().iter().map(|step| (step.transition, step.count)).collect();
        let homes = self.work.board.homes(TECHNIQUE).on(self.working_net);
        Ok(homes.returning(&kept, ReturnProof { to: Some(to), way, along }))
    }

    /// Returns weights that decrease on all ways back to `home`.
    fn downhill(&mut self, net: &Net, home: &Marking) -> Result<Option<ReturnWay>, Stop> {
        let missing = covering(net, home).negated();
        let mut rng = fastrand::Rng::with_seed(self.work.seed);
        let slice = self.budget.share(0.3);
        let found = find(net, home, (&slice, &mut rng), |_: &DecreasingWeights, falling| {
            let stuck = falling.iter().copied().map(Predicate::Disabled);
            let wanted = Predicate::and(stuck.chain([missing.clone()]));
            let ends = self.reached.satisfying(self.reached.set, &wanted)?;
            Ok(self.reached.diagrams.member(ends).map(|member| self.marking(&member)))
        })?;
        Ok(found.map(|weights| {
            let document = Document::ClosedSet(closed(&self.reached, self.reached.set));
            ReturnWay::Downhill { weights, document }
        }))
    }

    /// Returns backward steps that lead every marking to a target.
    fn steps(&mut self, target: Set) -> Result<Option<ReturnWay>, Stop> {
        let (levels, all) = (self.reached.level_of.len() as u32, self.reached.set);
        let transitions = self.reached.transitions;
        let steps = self.reached.diagrams.steps_back(levels, transitions, target, all)?;
        Ok(steps.map(|steps| {
            let steps = steps.into_iter().map(|(t, count)| (TransitionId::new(t), count)).collect();
            ReturnWay::Steps { set: closed(&self.reached, all), steps }
        }))
    }
}
