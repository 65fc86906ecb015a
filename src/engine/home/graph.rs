//! The whole reachability graph: what stays reachable is what every terminal component has.
//!
//! First on the net that was read, for a moment: what is lost there is shown by a sequence into a
//! component without it, and by the number of the markings that can be reached from its end. Then on a
//! net reduced for the liveness of what is asked for; what comes of that is the word of the search.
//! A net with infinitely many markings, which a pump shows, has no graph.

use super::open;
use crate::board::Proof;
use crate::engine::explicit::graph::{Graph, Search};
use crate::engine::registry::{Assignment, Engine, Role, Sides, each_slice_anew};
use crate::engine::walk;
use crate::evidence::{Document, pump_grows};
use crate::reduction;
use parikh_net::{Facts, Goal, GoalId, Marking, Net, Predicate};
use parikh_solvers::Budget;
use std::sync::Arc;
use std::time::Duration;

/// In the registry: the net that was read, for a moment.
pub const ENGINE: Engine = Engine {
    name: "graph",
    technique: "EXPLICIT",
    sides: Sides::Both,
    role: Role::Homes,
    start: |work| {
        each_slice_anew(move |budget| {
            let (net, budget) = (work.ground.net(), budget.slice(AT_ONCE));
            let made = on_net(&work, net, &Facts::claimed_by_model(net), None, &budget);
            made.unwrap_or_else(|why| why)
        })
    },
};

/// In the registry: a reduced net, or the net that was read where that is no smaller.
pub const REDUCED: Engine = Engine {
    name: "graph of a reduced net",
    start: |work| each_slice_anew(move |budget| reduced(&work, budget)),
    ..ENGINE
};

/// Most graphs that can be made at all are made at once.
const AT_ONCE: Duration = Duration::from_millis(500);

/// About how many firings are spent on looking for a pump.
const PUMP_WORK: u64 = 20_000_000;

/// The most markings that the checker is asked to visit again, for at most so many goals.
const RECOUNTED: (u64, usize) = (100_000, 8);

fn reduced(work: &Assignment<'_>, budget: &Budget) -> String {
    let net = work.ground.net();
    let is_done = || open(work.ground, work.board).next().is_none();
    let goals: Vec<Goal> =
        open(work.ground, work.board).map(|(_, p)| Goal::Home(p.clone())).collect();
    let needs = reduction::needs::of_goals(net, &goals);
    let config = reduction::Config { linear: false, keep_log: false, ..Default::default() };
    let expressible = !needs.protected.is_empty();
    let reduced = expressible.then(|| reduction::reduce(net, &needs, &budget.share(0.3), &config));
    let reduced = reduced.filter(|reduced| reduced.statistics.before != reduced.statistics.after);
    let search = |budget: &Budget| {
        let searched = reduced.as_ref().map(|reduced| {
            let facts = Facts::none(&reduced.net);
            on_net(work, &reduced.net, &facts, Some(reduced), &budget.share(0.6))
        });
        let searched = searched.map(|searched| searched.unwrap_or_else(|why| why));
        // What the reduced net does not express, or was too much even there.
        match searched {
            Some(searched) if is_done() => searched,
            _ => on_net(work, net, &Facts::claimed_by_model(net), None, budget)
                .unwrap_or_else(|why| why),
        }
    };
    let early = search(&budget.slice(AT_ONCE));
    if is_done() {
        return early;
    }
    let pump = walk::find_pump(net, &budget.share(0.05), work.seed, PUMP_WORK);
    if pump.is_some_and(|(prefix, pump)| pump_grows(net, &prefix, &pump)) {
        return "infinitely many markings".to_owned();
    }
    search(budget)
}

/// Makes the graph of `net` and says what it tells of the goals; an error says why there is none.
fn on_net(
    work: &Assignment<'_>,
    net: &Net,
    facts: &Facts,
    reduced: Option<&reduction::Reduction>,
    budget: &Budget,
) -> Result<String, String> {
    let goals: Vec<(GoalId, Predicate)> = open(work.ground, work.board)
        .filter_map(|(id, wanted)| {
            let Some(reduced) = reduced else { return Some((id, wanted.clone())) };
            let goal = reduced.translate(work.ground.net(), &Goal::Home(wanted.clone()))?.goal;
            let Goal::Home(wanted) = goal else { return None };
            Some((id, wanted))
        })
        .collect();
    if goals.is_empty() {
        return Ok("nothing to do".to_owned());
    }
    let mut breaking = None;
    // On the way, the model's claim of safe units is held against all markings.
    let units = net.units().filter(|units| units.safe() && reduced.is_none());
    let breaks = |marking: &Marking| units.is_some_and(|units| units.breach(marking).is_some());
    let search = units.map(|_| Search { wanted: &breaks, found: &mut breaking });
    let graph = Graph::explore_looking(net, facts, budget, search);
    if let Some(sequence) = breaking {
        work.board.check_claim(&sequence, u64::MAX);
    }
    let mut graph = graph.map_err(|why| why.to_string())?;
    let wanted: Vec<&Predicate> = goals.iter().map(|(_, wanted)| wanted).collect();
    let lost = graph.lost(&wanted).map_err(|why| why.to_string())?;
    let homes = work.board.homes("EXPLICIT");
    let states = graph.states();
    let applications = |reduced: &reduction::Reduction| {
        reduced.statistics.rules.iter().map(|rule| rule.applied).sum()
    };
    let word = || match reduced {
        None => Proof::searched(states, false),
        Some(reduced) => Proof::searched(states, false).of_reduced(applications(reduced)),
    };
    let mut documents = 0;
    for ((id, _), lost) in goals.into_iter().zip(lost) {
        match lost {
            None => homes.kept_by_search(id, word()),
            Some(_) if reduced.is_some() => homes.lost_by_search(id, None, word()),
            Some((member, count)) => {
                let sequence = graph.sequence_to(member);
                if count <= RECOUNTED.0 && documents < RECOUNTED.1 {
                    documents += 1;
                    let document = Document::Markings(count);
                    let proof = Proof {
                        document: Some(Arc::new(document)),
                        ..Proof::searched(count, false)
                    };
                    homes.lost_after(id, sequence, proof);
                } else {
                    homes.lost_by_search(id, Some(sequence), word());
                }
            }
        }
    }
    Ok(format!("{states} markings"))
}
