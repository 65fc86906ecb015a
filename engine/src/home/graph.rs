//! Home properties from the explicit reachability graph: a predicate always remains reachable
//! exactly if every terminal component satisfies it somewhere.
//!
//! First the original net is tried for a short time. A refutation consists of a firing sequence
//! into a component without the predicate, and the number of markings reachable from its end. Then
//! a net reduced for the liveness of the goals is tried. If it has few markings, the checker
//! repeats the reduction and the exploration; otherwise the result rests on the search. A net may
//! be a disjoint union of parts, as many nets are after reduction. Then each part has its own
//! graph: ten parts with a hundred markings each have 10²⁰ markings together, and a thousand are
//! visited. If a self-covering sequence shows that a net has infinitely many markings, there is no
//! graph.

use super::{one_of, open, reduced_for};
use crate::board::{HomeFinding, Proof, SearchExtent};
use crate::explicit::graph::{ExplicitGraph, GraphSearch};
use crate::walk;
use crate::working_net::WorkingNet;
use crate::{Assignment, Engine, Role, Sides, Takes, each_slice_anew};
use parikh_evidence::{Document, pump_grows};
use parikh_net::parts::Subnet;
use parikh_net::printable::counted;
use parikh_net::{Facts, GoalId, Marking, Predicate, TransitionId};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::time::Duration;

/// The registry entry for the original net, for a short time.
pub const ENGINE: Engine = Engine {
    name: "graph",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Homes,
    takes: Takes::HOMES,
    start: |work| {
        each_slice_anew(move |budget| {
            let made = on_net(&work, work.working_net, &budget.slice(AT_ONCE));
            made.unwrap_or_else(|why| why)
        })
    },
};

/// The registry entry for the reduced net, or for the original net if it cannot be reduced.
pub const REDUCED: Engine = Engine {
    name: "graph of a reduced net",
    start: |work| each_slice_anew(move |budget| reduced(&work, budget)),
    ..ENGINE
};

/// Time limit of the first attempt. Most graphs that can be computed at all are computed in this
/// time.
const AT_ONCE: Duration = Duration::from_millis(500);

/// Approximate number of firings spent on searching for a self-covering sequence.
const PUMP_WORK: u64 = 20_000_000;

/// Limits for recounting by the checker: number of markings, and number of goals.
const RECOUNTED: (u64, usize) = (100_000, 8);

fn reduced(work: &Assignment<'_>, budget: &Budget) -> String {
    let (read, board) = (work.working_net, work.board);
    let is_done = || open(read, board).next().is_none();
    let reduced = reduced_for(work, (&budget.share(0.3), budget));
    let smallest = reduced.as_ref().unwrap_or(read);
    // An error means only that ids are missing, and this net has ids.
    let parts = smallest.net().parts().unwrap_or_default();
    // The cheapest net comes first. Goals that a part or the reduced net cannot express are treated
    // on the next one.
    let search = |budget: &Budget| {
        let mut summary = Ok(String::new());
        if parts.len() > 1 {
            summary = on_parts(work, smallest, &parts, &budget.share(0.6));
        }
        if let Some(reduced) = reduced.as_ref().filter(|_| !is_done()) {
            summary = on_net(work, reduced, &budget.share(0.6));
        }
        if !is_done() {
            summary = on_net(work, read, budget);
        }
        summary.unwrap_or_else(|why| why)
    };
    let early = search(&budget.slice(AT_ONCE));
    if is_done() {
        return early;
    }
    let net = read.net();
    let pump = walk::find_pump(net, &budget.share(0.05), work.seed, PUMP_WORK);
    if pump.is_some_and(|(prefix, pump)| pump_grows(net, &prefix, &pump)) {
        return "infinitely many markings".to_owned();
    }
    search(budget)
}

/// Builds the graph of each part, and reports the goals that ask for one of several transitions.
/// Such a goal holds if it holds for the transitions of one part. It fails if it fails in every
/// part, because the parts are independent.
fn on_parts(
    work: &Assignment<'_>,
    working_net: &WorkingNet<'_>,
    parts: &[Subnet],
    budget: &Budget,
) -> Result<String, String> {
    let mut goals: Vec<(GoalId, Vec<TransitionId>)> = Vec::new();
    let mut kept: Vec<bool> = Vec::new();
    for (id, wanted) in open(working_net, work.board) {
        // After a reduction the condition may be true, which holds in every marking.
        let always = *wanted == Predicate::True;
        if let Some(transitions) = one_of(wanted).or(always.then(Vec::new)) {
            goals.push((id, transitions));
            kept.push(always);
        }
    }
    // By goal, the number of parts in which its transitions can become permanently disabled.
    let mut lost_in = vec![0; goals.len()];
    let (mut asked_in, mut visited) = (vec![0; goals.len()], SearchExtent::default());
    for part in parts {
        let here = |t: &TransitionId| part.transitions.binary_search(t).ok();
        let wanted: Vec<(usize, Predicate)> = (0..)
            .zip(&goals)
            .filter_map(|(at, (_, transitions))| {
                let inside: Vec<_> = transitions.iter().filter_map(here).collect();
                let enabled = inside.into_iter().map(TransitionId::new).map(Predicate::Enabled);
                let wanted = Predicate::or(enabled);
                (wanted != Predicate::False).then_some((at, wanted))
            })
            .collect();
        if wanted.is_empty() {
            continue;
        }
        let graph = ExplicitGraph::explore(&part.net, &Facts::none(&part.net), budget);
        let mut graph = graph.map_err(|why| why.to_string())?;
        visited = SearchExtent { markings: visited.markings + graph.states(), parts: parts.len() };
        let predicates: Vec<&Predicate> = wanted.iter().map(|(_, wanted)| wanted).collect();
        let lost = graph.lost(&predicates).map_err(|why| why.to_string())?;
        for ((at, _), lost) in wanted.into_iter().zip(lost) {
            asked_in[at] += 1;
            lost_in[at] += usize::from(lost.is_some());
            kept[at] |= lost.is_none();
        }
    }
    let found = (0..).zip(&goals).filter_map(|(at, &(goal, _))| {
        let known = kept[at] || lost_in[at] == asked_in[at];
        known.then_some(HomeFinding { goal, stays: kept[at], sequence: None })
    });
    work.board.homes("EXPLICIT").on(working_net).searched(found.collect(), visited);
    let markings = counted(visited.markings, "marking");
    Ok(format!("{markings} of {}", counted(parts.len(), "part")))
}

/// Builds the graph of a net and reports the goals that it decides. Returns an error if there is no
/// graph.
fn on_net(
    work: &Assignment<'_>,
    working_net: &WorkingNet<'_>,
    budget: &Budget,
) -> Result<String, String> {
    let goals: Vec<(GoalId, &Predicate)> = open(working_net, work.board).collect();
    if goals.is_empty() {
        return Ok("nothing to do".to_owned());
    }
    let (net, is_read) = (working_net.net(), working_net.parent().is_none());
    let facts = if is_read { Facts::claimed_by_model(net) } else { Facts::none(net) };
    let mut breaking = None;
    // The exploration also checks the model's claim of safe units.
    let units = net.safe_units().filter(|_| is_read);
    let breaks = |marking: &Marking| units.is_some_and(|units| units.breach(marking).is_some());
    let search = units.map(|_| GraphSearch { wanted: &breaks, found: &mut breaking });
    let graph = ExplicitGraph::explore_looking(net, &facts, budget, search);
    if let Some(sequence) = breaking {
        work.board.check_claim(&sequence, u64::MAX);
    }
    let mut graph = graph.map_err(|why| why.to_string())?;
    let wanted: Vec<&Predicate> = goals.iter().map(|(_, wanted)| *wanted).collect();
    let lost = graph.lost(&wanted).map_err(|why| why.to_string())?;
    let homes = work.board.homes("EXPLICIT").on(working_net);
    let markings = graph.states();
    let (mut documents, mut found) = (0, Vec::new());
    for ((goal, _), lost) in goals.into_iter().zip(lost) {
        match lost {
            Some((member, count)) if is_read => {
                let sequence = graph.sequence_to(member);
                if count <= RECOUNTED.0 && documents < RECOUNTED.1 {
                    documents += 1;
                    let document = Document::Markings(count);
                    let proof = Proof {
                        document: Some(Arc::new(document)),
                        ..Proof::searched(count, false)
                    };
                    homes.lost_after(goal, sequence, proof);
                } else {
                    found.push(HomeFinding { goal, stays: false, sequence: Some(sequence) });
                }
            }
            lost => found.push(HomeFinding { goal, stays: lost.is_none(), sequence: None }),
        }
    }
    homes.searched(found, SearchExtent { markings, parts: 1 });
    Ok(counted(markings, "marking"))
}
