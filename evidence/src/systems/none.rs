//! Decides by a search that no run of some of the components violates a formula.
//!
//! Some components may be abstracted to some of their labels ([`super::view`]). Nothing is assumed
//! about the components that are left out: a label that only they own may occur at any time, and a
//! label that they share depends on the other owners only. So every run of the whole system is a
//! run of the considered components with the same labels. If none of their runs violates the
//! formula, no run of the system does.
//!
//! A *node* is a joint state with a state of the automaton of the negation. The automaton is
//! checked against the formula in both directions before. The considered components have a
//! violating run if and only if some strongly connected component of the reachable nodes has edges
//! with all marks. With `recurrence`, only edges of one part are considered together
//! ([`super::recurrence`]): no run of the system takes other edges infinitely often.
//!
//! If finite runs count, a run may stutter where no label is possible all of whose owners are
//! considered; its letter is then that of the previous label. An abstracted component may enable a
//! label that the whole component does not. So in this case components must be whole.

use super::Endings;
use super::negation::Negation;
use super::recurrence::{RecurringEdges, parts};
use super::run::has_next;
use super::system::{Joint, System};
use super::terms::LabelLtl;
use super::view::ComponentView;
use parikh_net::components::components_of_rows;
use parikh_temporal::Marks;
use std::collections::HashMap;

/// The maximum number of edges between nodes.
const MOST_EDGES: usize = 1 << 26;

/// The result of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViolationSearch {
    /// No run violates the formula. The field is the number of visited nodes.
    None(usize),
    /// The components have a violating run.
    Some,
    /// There are more nodes than allowed.
    More,
    /// `goes_on` returned false.
    Stopped,
}

/// The components and the semantics of a search for a violating run.
#[derive(Clone, Copy, Debug)]
pub struct NoRunSearch<'c> {
    /// The treatment of finite runs.
    pub endings: Endings,
    /// The components, ascending.
    pub members: &'c [ComponentView],
    /// True if labels that cannot occur infinitely often are ignored in cycles. For infinite runs
    /// only.
    pub recurrence: bool,
}

/// Visits the joint states of some components along which a run may violate the formula.
///
/// # Errors
/// When a component does not exist, or there is no automaton.
pub fn visit(
    system: &System,
    formula: &LabelLtl,
    claim: NoRunSearch<'_>,
    most: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<ViolationSearch, String> {
    let NoRunSearch { endings, members, recurrence } = claim;
    system.can_see(members)?;
    if endings == Endings::Stutter && has_next(formula) {
        return Err("the formula has a next operator, so it is sensitive to stuttering".to_owned());
    }
    if endings == Endings::Stutter && members.iter().any(|it| it.labels.is_some()) {
        return Err("if finite runs count, components must be complete".to_owned());
    }
    if endings == Endings::Stutter && recurrence {
        return Err(
            "an argument about recurring labels covers infinite runs only, but finite runs count"
                .to_owned(),
        );
    }
    let negation = Negation::new(system, formula)?;
    let parts = recurrence.then(|| parts(system, &negation));
    if parts.as_ref().is_some_and(Vec::is_empty) {
        return Ok(ViolationSearch::None(0));
    }
    let seen = system.seen(members);
    JointNodes::new(system, &seen, endings, &negation, parts).visit(most, goes_on)
}

/// A joint state, a state of the automaton, and the index of the previous letter where it matters
/// (otherwise 0).
type JointNode = (Joint, usize, usize);

/// A step between nodes.
struct JointEdge<'s> {
    to: u32,
    /// The index of the edge of the automaton's state.
    edge: u32,
    /// The label, or `None` for stuttering.
    label: Option<&'s str>,
}

struct JointNodes<'a> {
    /// The components, possibly abstracted.
    seen: &'a System,
    endings: Endings,
    negation: &'a Negation<'a>,
    /// The parts, with `recurrence`.
    parts: Option<Vec<RecurringEdges<'a>>>,
    /// Labels without a considered owner, one of each kind.
    outside: Vec<&'a str>,
    /// Labels all of whose owners are considered.
    inside: Vec<&'a str>,
    numbers: HashMap<JointNode, u32>,
    all: Vec<JointNode>,
    after: Vec<Vec<JointEdge<'a>>>,
}

impl<'a> JointNodes<'a> {
    fn new(
        system: &'a System,
        seen: &'a System,
        endings: Endings,
        negation: &'a Negation<'a>,
        parts: Option<Vec<RecurringEdges<'a>>>,
    ) -> Self {
        let (mut outside, mut inside) = (Vec::new(), Vec::new());
        let mut kinds = Vec::new();
        for label in system.labels() {
            match seen.owners(label).len() {
                0 => {
                    // Labels with the same letter and the same parts are interchangeable.
                    let of: Vec<bool> =
                        parts.iter().flatten().map(|part| part.labels.contains(label)).collect();
                    let kind = (negation.letter_of(label), of);
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                        outside.push(label);
                    }
                }
                all if all == system.owners(label).len() => inside.push(label),
                _ => {}
            }
        }
        let (numbers, all, after) = Default::default();
        Self { seen, endings, negation, parts, outside, inside, numbers, all, after }
    }

    fn number(&mut self, node: JointNode) -> u32 {
        *self.numbers.entry(node).or_insert_with_key(|node| {
            self.all.push(node.clone());
            self.all.len() as u32 - 1
        })
    }

    fn visit(
        mut self,
        most: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<ViolationSearch, String> {
        let automaton = &self.negation.automaton;
        for row in self.seen.starts() {
            match self.endings {
                Endings::Ignored => {
                    self.number((row, automaton.initial, 0));
                }
                // No label holds before the first step.
                Endings::Stutter => {
                    for edge in &automaton.states[automaton.initial] {
                        if self.negation.reads(edge, 0) {
                            self.number((row.clone(), edge.target, 0));
                        }
                    }
                }
            }
        }
        let mut edges = 0;
        while self.after.len() < self.all.len() {
            if !goes_on() {
                return Ok(ViolationSearch::Stopped);
            }
            let node = self.all[self.after.len()].clone();
            let after = self.steps(&node);
            edges += after.len();
            self.after.push(after);
            if self.all.len() > most.min(1 << 28) || edges > MOST_EDGES {
                return Ok(ViolationSearch::More);
            }
        }
        let has_round = match &self.parts {
            None => self.has_round(|_, _| true),
            Some(parts) => parts.iter().any(|part| {
                self.has_round(|state, it| {
                    part.edges.contains(&(state, it.edge as usize))
                        && it.label.is_some_and(|label| part.labels.contains(label))
                })
            }),
        };
        Ok(if has_round { ViolationSearch::Some } else { ViolationSearch::None(self.all.len()) })
    }

    fn steps(&mut self, (row, state, last): &JointNode) -> Vec<JointEdge<'a>> {
        let mut steps: Vec<(Option<&'a str>, usize, Joint)> = Vec::new();
        let mut must_go_on = false;
        for (label, next) in self.seen.steps(row) {
            must_go_on |= self.inside.contains(&label);
            steps.push((Some(label), self.negation.letter_of(label), next));
        }
        let outside = self.outside.iter();
        steps.extend(
            outside.map(|&label| (Some(label), self.negation.letter_of(label), row.clone())),
        );
        if self.endings == Endings::Stutter && !must_go_on {
            steps.push((None, *last, row.clone()));
        }
        let negation = self.negation;
        let mut after = Vec::new();
        for (label, letter, next) in steps {
            for (edge, its) in (0..).zip(&negation.automaton.states[*state]) {
                if negation.reads(its, letter) {
                    let last = if self.endings == Endings::Stutter { letter } else { 0 };
                    let to = self.number((next.clone(), its.target, last));
                    after.push(JointEdge { to, edge, label });
                }
            }
        }
        after
    }

    /// Returns true if some component of the allowed steps has edges that carry all marks.
    fn has_round(&self, allowed: impl Fn(usize, &JointEdge<'a>) -> bool) -> bool {
        let automaton = &self.negation.automaton;
        let wanted = Marks::all(automaton.marks);
        let rows: Vec<Vec<(u32, Marks)>> = self
            .after
            .iter()
            .zip(&self.all)
            .map(|(edges, &(_, state, _))| {
                let kept = edges.iter().filter(|it| allowed(state, it));
                kept.map(|it| (it.to, automaton.states[state][it.edge as usize].marks)).collect()
            })
            .collect();
        let found = components_of_rows(&rows, |&(next, _)| next);
        let mut carried: Vec<Option<Marks>> = vec![None; found.count as usize];
        for (node, edges) in rows.iter().enumerate() {
            for &(next, marks) in edges {
                if found.of[next as usize] == found.of[node] {
                    let all = &mut carried[found.of[node] as usize];
                    *all = Some(all.unwrap_or(Marks::NONE).or(marks));
                }
            }
        }
        carried.into_iter().flatten().any(|marks| wanted.within(marks))
    }
}
