//! The coverability engine on random nets, bounded or not, against the plain Karp-Miller graph.

use crate::support::scale::scaled;
use parikh::board::{Board, Knowledge, ReachKnowledge};
use parikh::engine::Assignment;
use parikh::engine::coverability::ENGINE;
use parikh::evidence::check_pumping;
use parikh::graph::coverability::Coverability;
use parikh::graph::omega::OMEGA;
use parikh::net::{Facts, Goal, GoalId, LinearSum, Net, PlaceId, Predicate, text};
use parikh::solvers::Budget;
use parikh::structure::intervals::Intervals;
use parikh::working_net::WorkingNet;
use parikh_generate::{self as generate, RandomKind, Shape};

/// Maximal number of nodes of a Karp-Miller graph for the comparison.
const NODES: usize = 1_000;

/// Returns the board after the engine has worked on these goals.
fn board_of(net: &Net, goals: Vec<Goal>) -> Board<'_> {
    let board = Board::new(net, goals);
    let listed: Vec<_> = board.ids().map(|id| (id, board.goal(id).clone())).collect();
    let facts = Facts::empty(net);
    let known = Intervals::new(net, &facts);
    let working_net = WorkingNet::original(net, listed, facts, &known);
    let assignment = Assignment::new(&working_net, &board, 1);
    let mut session = (ENGINE.start)(assignment).unwrap();
    session.slice(&Budget::unlimited());
    drop(session);
    drop(working_net);
    board
}

#[derive(Default)]
struct Tally {
    infinite: u64,
    in_stages: u64,
    finite: u64,
    reached: u64,
    never: u64,
    /// Number of goals whose certificate would be too large.
    left_out: u64,
}

#[test]
fn results_agree_with_the_karp_miller_graph() {
    let mut tally = Tally::default();
    for seed in 0..scaled(4_000) {
        let kind = if seed % 4 == 0 { RandomKind::Bounded } else { RandomKind::Free };
        let shape = Shape { kind, ..Shape::small(seed) };
        let net = generate::random(seed, &shape);
        let Ok(graph) = Coverability::of(&net, NODES, &Budget::unlimited()) else { continue };
        compare(seed, &net, &graph, &mut tally);
    }
    let Tally { infinite, in_stages, finite, reached, never, left_out } = tally;
    println!(
        "{infinite} infinite maxima, {in_stages} of them in stages, {finite} finite; {reached} predicates \
         reached, {never} never; {left_out} left out"
    );
    assert!(left_out * 10 < finite + never, "documents are too large");
    for count in [infinite / 100, in_stages, finite / 100, reached / 100, never / 100] {
        assert!(count > 10, "hardly anything was tested");
    }
}

fn compare(seed: u64, net: &Net, graph: &Coverability, tally: &mut Tally) {
    let context = |what: String| format!("seed {seed}, {what}:\n{}", text::print(net));
    let most = |p: PlaceId| graph.nodes.iter().map(|node| node[p.index()]).max().unwrap();
    let unbounded = graph.unbounded(net);
    let mut goals: Vec<Goal> = net.places().map(|p| Goal::Maximise(LinearSum::place(p))).collect();
    goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    let covered = |p, tokens| Goal::Reach(Predicate::at_least(p, tokens));
    goals.extend(net.places().flat_map(|p| [1, 2, 40].map(|tokens| covered(p, tokens))));
    // The engine may leave these goals open. The board replays the witnesses that it reports.
    goals.extend(generate::random_goals(seed, net, 4));
    let board = board_of(net, goals);
    assert_eq!(board.faults(), 0, "{}", context("a fault".to_owned()));
    for (at, goal) in board.goals().iter().enumerate() {
        let knowledge = board.knowledge(GoalId::new(at)).unwrap();
        let asked = at < 4 * net.place_count() + net.transition_count();
        let said = || context(format!("{goal:?}, {knowledge:?}"));
        match (goal, &knowledge) {
            (Goal::Maximise(sum), Knowledge::Maximum(maximum)) => {
                if let Some((pumping, _)) = &maximum.unbounded {
                    let growth = check_pumping(net, pumping).unwrap();
                    assert!(growth.grows(sum) && maximum.proved.is_none(), "{}", said());
                    assert!(growth.places().all(|p| unbounded.contains(&p)), "{}", said());
                    tally.infinite += 1;
                    tally.in_stages += u64::from(pumping.only().is_none());
                }
                if asked {
                    let most = most(sum.terms()[0].0);
                    let is_infinite = maximum.unbounded.is_some();
                    assert_eq!(is_infinite, most == OMEGA, "{}", said());
                    if !is_infinite {
                        let bound = maximum.proved.as_ref().map(|proved| proved.bound);
                        let seen = maximum.largest_seen.as_ref().map(|seen| seen.value);
                        assert_eq!(seen, Some(most.into()), "{}", said());
                        assert!(bound.is_none_or(|bound| bound == most.into()), "{}", said());
                        tally.finite += u64::from(bound.is_some());
                        tally.left_out += u64::from(bound.is_none());
                    }
                }
            }
            (Goal::Reach(predicate), Knowledge::Reach(reach)) if asked => {
                let fires = |t| graph.edges.iter().any(|edge| edge.transition == t);
                let expected = match predicate {
                    Predicate::Enabled(t) => fires(*t),
                    Predicate::Atom(atom) => {
                        let place = atom.sum.terms()[0].0;
                        i128::from(most(place)) >= -i128::from(atom.bound)
                    }
                    _ => unreachable!("nothing else is asked"),
                };
                let says = match reach {
                    ReachKnowledge::Reached { .. } => Some(true),
                    ReachKnowledge::Unreachable { .. } => Some(false),
                    ReachKnowledge::Open => None,
                };
                assert_eq!(says.unwrap_or(false), expected, "{}", said());
                tally.reached += u64::from(expected);
                tally.never += u64::from(says == Some(false));
                tally.left_out += u64::from(says.is_none());
            }
            _ => {}
        }
    }
}

/// Three stages: `fill` adds tokens to `store`, `make` turns three of these into one on `made`, and
/// `sell` turns two of these into one on `sold`. After `close`, `fill` is disabled, so a run must
/// repeat `fill` as often as all later firings need.
const NESTED: &str = "place open 1
    place ready
    place store
    place made
    place sold
    transition fill: open -> open + store
    transition close: open -> ready
    transition make: ready + 3*store -> ready + made
    transition end: ready ->
    transition sell: 2*made -> sold";

#[test]
fn early_firings_are_repeated_as_often_as_later_ones_need() {
    let net = text::parse(NESTED).unwrap();
    let [sold, made, store] = ["sold", "made", "store"].map(|name| net.place_named(name).unwrap());
    let and = |parts: &[Predicate]| Goal::Reach(Predicate::and(parts.iter().cloned()));
    let board = board_of(
        &net,
        vec![
            and(&[Predicate::at_least(sold, 1_000), Predicate::at_least(made, 7)]),
            // When the marking is reached, `fill` is disabled, so `store` must be filled before.
            and(&[
                Predicate::at_least(store, 5),
                Predicate::no_more_than(sold, 0),
                Predicate::Disabled(net.transition_named("fill").unwrap()),
            ]),
            Goal::Maximise(LinearSum::place(sold)),
            Goal::Reach(Predicate::Dead),
        ],
    );
    assert_eq!(board.faults(), 0);
    for goal in 0..2 {
        let knowledge = board.knowledge(GoalId::new(goal));
        assert!(
            matches!(knowledge, Some(Knowledge::Reach(ReachKnowledge::Reached { .. }))),
            "{knowledge:?}"
        );
    }
    let Some(Knowledge::Maximum(maximum)) = board.knowledge(GoalId::new(2)) else { panic!() };
    let (pumping, _) = maximum.unbounded.unwrap();
    assert_eq!(pumping.stages().count(), 3, "{pumping:?}");
}

#[test]
fn nothing_is_searched_if_all_places_are_known_to_be_bounded() {
    let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
    let goals = vec![(GoalId::new(0), Goal::Maximise(LinearSum::place(PlaceId::new(1))))];
    let board = Board::new(&net, vec![goals[0].1.clone()]);
    let flows = parikh::structure::flows::place_flows(&net, &Budget::unlimited()).unwrap();
    let mut facts = Facts::empty(&net);
    parikh::structure::bounds::place_bounds(&net, &flows, &Budget::unlimited()).write(&mut facts);
    let known = Intervals::new(&net, &facts);
    let working_net = WorkingNet::original(&net, goals, facts, &known);
    let assignment = Assignment::new(&working_net, &board, 1);
    let mut session = (ENGINE.start)(assignment).unwrap();
    session.slice(&Budget::unlimited());
    assert_eq!(session.statistics(), "all places are bounded");
    assert_eq!(board.largest_seen(GoalId::new(0)), None);
}
