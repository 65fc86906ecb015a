//! Numbers of markings and firings counted through reductions, against enumeration.
//!
//! The nets are built so that reduction rules apply to each other's results. Places of a random net
//! are expanded into chains and cycles, implied places are added, transitions are duplicated, and
//! independent nets are added. So the numbers are sums of products.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::diagrams::OrderThreads;
use parikh::engine::diagrams::figures::figures as on_diagrams;
use parikh::engine::explicit::StopRule;
use parikh::net::{Net, NetBuilder, PlaceId, text};
use parikh::run::{self, CountMethod, CountResult, ReducedCount};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random_with};
use std::collections::BTreeMap;
use std::time::Duration;

/// The tokens of each place, and the inputs and outputs of each transition.
#[derive(Clone, Default)]
struct Sketch {
    tokens: Vec<u64>,
    transitions: Vec<[BTreeMap<usize, u64>; 2]>,
}

impl Sketch {
    fn of(net: &Net) -> Sketch {
        let mut sketch =
            Sketch { tokens: net.initial().tokens().to_vec(), transitions: Vec::new() };
        for t in net.transitions() {
            let row = |row: &[parikh::net::Arc]| {
                row.iter().map(|arc| (arc.place.index(), arc.weight)).collect()
            };
            sketch.transitions.push([row(net.pre(t)), row(net.post(t))]);
        }
        sketch
    }

    fn net(&self) -> Net {
        let mut builder = NetBuilder::new("grown");
        let places: Vec<PlaceId> = self
            .tokens
            .iter()
            .enumerate()
            .map(|(at, &tokens)| builder.place(&format!("p{at}"), tokens).unwrap())
            .collect();
        for (at, [pre, post]) in self.transitions.iter().enumerate() {
            let t = builder.transition(&format!("t{at}")).unwrap();
            for (&p, &weight) in pre {
                builder.take(t, places[p], weight).unwrap();
            }
            for (&p, &weight) in post {
                builder.put(t, places[p], weight).unwrap();
            }
        }
        builder.build().unwrap()
    }

    fn place(&mut self, tokens: u64) -> usize {
        self.tokens.push(tokens);
        self.tokens.len() - 1
    }

    fn step(&mut self, from: usize, to: usize) {
        self.transitions.push([BTreeMap::from([(from, 1)]), BTreeMap::from([(to, 1)])]);
    }

    /// Moves inputs of some transitions from `p` to `q`. If `puts`, also moves some outputs.
    fn rewire(&mut self, rng: &mut Rng, p: usize, q: usize, puts: bool) {
        for [pre, post] in &mut self.transitions {
            for row in [Some(pre), puts.then_some(post)].into_iter().flatten() {
                if let Some(&weight) = row.get(&p)
                    && rng.bool()
                {
                    // The whole weight of the arc, or one token of the weight.
                    let part = if rng.bool() { weight } else { 1 };
                    *row.entry(q).or_default() += part;
                    match weight - part {
                        0 => row.remove(&p),
                        rest => row.insert(p, rest),
                    };
                }
            }
        }
    }

    fn grow(&mut self, rng: &mut Rng) {
        let p = rng.usize(0..self.tokens.len());
        match rng.u32(0..8) {
            // A chain: some arcs from p now begin at its end.
            0 | 1 => {
                let q = self.place(0);
                self.rewire(rng, p, q, false);
                self.step(p, q);
            }
            // A cycle.
            2 | 3 => {
                let share = rng.u64(0..=self.tokens[p]);
                self.tokens[p] -= share;
                let q = self.place(share);
                self.rewire(rng, p, q, true);
                self.step(p, q);
                self.step(q, p);
            }
            // A place that is determined by one or two others.
            4 | 5 => {
                let q = rng.usize(0..self.tokens.len());
                let factor = rng.u64(1..=2);
                let others = if p == q || rng.bool() { vec![p] } else { vec![p, q] };
                let told = others.iter().map(|&it| factor * self.tokens[it]).sum::<u64>();
                let place = self.place(told + rng.u64(0..=1));
                for [pre, post] in &mut self.transitions {
                    for row in [pre, post] {
                        let sum: u64 = others.iter().filter_map(|it| row.get(it)).sum();
                        if sum > 0 {
                            row.insert(place, factor * sum);
                        }
                    }
                }
            }
            // A duplicate transition, or a transition that only reads.
            6 => {
                let Some(some) = self.transitions.get(rng.usize(0..9)).cloned() else { return };
                let [pre, post] = some;
                match rng.bool() {
                    true => self.transitions.push([pre, post]),
                    false => self.transitions.push([pre.clone(), pre]),
                }
            }
            // An independent net.
            _ => {
                let (from, to) = (self.place(rng.u64(0..3)), self.place(0));
                self.step(from, to);
            }
        }
    }
}

fn grown(rng: &mut Rng) -> Net {
    let shape = Shape {
        places: rng.u32(1..=4),
        transitions: rng.u32(1..=4),
        weight: rng.u32(1..=2),
        tokens: rng.u32(1..=3),
        kind: [RandomKind::Bounded, RandomKind::OneSafe][rng.usize(0..2)],
    };
    let mut sketch = Sketch::of(&random_with(rng, &shape, "seed".into()));
    for _ in 0..rng.u32(1..=6) {
        sketch.grow(rng);
    }
    sketch.net()
}

#[test]
fn counts_through_reductions_are_those_of_enumeration() {
    let mut rng = Rng::with_seed(17);
    let (mut counted, mut reduced, mut nested, mut unknown) = (0, 0, 0, 0);
    for _ in 0..scaled(10_000) {
        let net = grown(&mut rng);
        let Some(space) = explore(&net, OracleLimits { states: 3_000, tokens: 50 }) else {
            continue;
        };
        let mut count = ReducedCount::prepare(&net, &[], &Budget::unlimited()).unwrap();
        let visiting = CountMethod::Visiting(3, StopRule::AtBudgetEnd);
        let found = count.continue_count(&visiting, &Budget::unlimited());
        let CountResult { figures, visited, log, certified, .. } = match found {
            Ok(counted) => counted,
            Err(why) => panic!("{why}:\n{}", text::print(&net)),
        };
        let context = || format!("{log:?}\n{}", text::print(&net));
        assert_eq!(figures.states, space.states().into(), "{}", context());
        assert_eq!(figures.transitions, space.firings().into(), "{}", context());
        assert!(certified, "{}", context());
        // The same count on diagrams, of the reduced net and of the original net.
        if counted % 3 == 0 {
            let mut count = ReducedCount::prepare(&net, &[], &Budget::unlimited()).unwrap();
            let by_diagrams = CountMethod::Diagrams(OrderThreads::new(1));
            let added = count.continue_count(&by_diagrams, &Budget::unlimited()).unwrap();
            assert_eq!(added.figures, figures, "{}", context());
            // If the reduction leaves nothing, no diagram is built.
            assert!(added.on_diagrams || added.visited == 0, "{}", context());
            // Reductions by linear programs have a time limit, so their log may differ on a busy
            // machine.
            if added.log == log {
                assert_eq!(added.visited, visited, "{}", context());
            }
            let course = parikh::run::TryLog::default();
            let whole = on_diagrams(&net, 1 + counted % 2, &Budget::unlimited(), &course).unwrap();
            assert_eq!((&whole.states, &whole.firings), (&figures.states, &figures.transitions));
            let most = (space.most_in_place(), space.most_in_marking() as i128);
            assert_eq!((whole.max_tokens_in_place, whole.max_tokens_per_marking), most);
        }
        let steps = log.as_ref().map_or(&[][..], |log| &log.steps);
        let of = |rule: &str| steps.iter().filter(|step| step.rule == rule).count();
        counted += 1;
        reduced += usize::from(visited * 2 < space.states() as u64);
        let merged = of("chained-places") + of("fused-cycles");
        nested += usize::from(merged > 1 && of("redundant-places") > 0);
        unknown += usize::from(log.is_none());
    }
    println!(
        "{counted} counted, {reduced} to less than half, {nested} nested, {unknown} as they are"
    );
    assert!(reduced * 5 > counted && nested * 20 > counted, "{counted} {reduced} {nested}");
}

/// Returns the philosophers who take the left fork first and put both forks back at once. A
/// philosopher in `t` has no fork, in `l` the left fork, and in `e` both.
fn round_table(seats: usize) -> Net {
    let mut net = NetBuilder::new("table");
    let place = |net: &mut NetBuilder, kind: &str, at: usize, tokens| {
        net.place(&format!("{kind}{at}"), tokens).unwrap()
    };
    let forks: Vec<PlaceId> = (0..seats).map(|at| place(&mut net, "fork", at, 1)).collect();
    for at in 0..seats {
        let [t, l, e] = [("t", 1), ("l", 0), ("e", 0)].map(|(k, n)| place(&mut net, k, at, n));
        let (left, right) = (forks[at], forks[(at + 1) % seats]);
        let moves: [(&str, Vec<PlaceId>, Vec<PlaceId>); 3] = [
            ("first", vec![t, left], vec![l]),
            ("second", vec![l, right], vec![e]),
            ("done", vec![e], vec![t, left, right]),
        ];
        for (name, take, put) in moves {
            let step = net.transition(&format!("{name}{at}")).unwrap();
            take.into_iter().for_each(|p| net.take(step, p, 1).unwrap());
            put.into_iter().for_each(|p| net.put(step, p, 1).unwrap());
        }
    }
    net.build().unwrap()
}

/// Counts the states of the round table by a product of matrices. After a philosopher in `e` (2),
/// the next has no fork, so its state is `t` (0). Only states are counted for which `may` is true;
/// its arguments are the states of the last seat, the first seat and the second seat.
fn tables(seats: usize, may: impl Fn(usize, usize, usize) -> bool) -> u128 {
    let follows = |a: usize, b: usize| a != 2 || b == 0;
    let mut total = 0;
    for first in 0..3 {
        for second in (0..3).filter(|&second| follows(first, second)) {
            // The number of words with this beginning, by their last letter.
            let mut words = [0u128; 3];
            words[second] = 1;
            for _ in 2..seats {
                let next = |b: usize| (0..3).filter(|&a| follows(a, b)).map(|a| words[a]).sum();
                words = [next(0), next(1), next(2)];
            }
            for last in (0..3).filter(|&last| follows(last, first) && may(last, first, second)) {
                total += words[last];
            }
        }
    }
    total
}

#[test]
fn very_many_markings_are_counted_with_one_thread_and_with_several() {
    let seats = 40;
    let net = round_table(seats);
    // The philosopher at the first seat may take the left fork, take the right fork, or put both
    // back.
    let firings = [
        tables(seats, |last, first, _| first == 0 && last != 2),
        tables(seats, |_, first, second| first == 1 && second == 0),
        tables(seats, |_, first, _| first == 2),
    ];
    let expected = [
        ("MAX_TOKEN_IN_PLACE", 1),
        ("MAX_TOKEN_PER_MARKING", 2 * seats as u128),
        ("STATES", tables(seats, |_, _, _| true)),
        ("TRANSITIONS", seats as u128 * firings.iter().sum::<u128>()),
    ];
    for threads in [1, 2] {
        let config = run::RunConfig { threads, ..run::RunConfig::default() };
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        let budget = Budget::unlimited().slice(Duration::from_secs(60));
        let report = run::state_space(&net, &config, &budget, |told| {
            if let run::Event::Figure(figure, _) = told {
                let told = found.insert(figure.id.clone(), figure.value.to_string());
                assert!(told.is_none(), "{} is told twice", figure.id);
            }
        });
        assert_eq!((report.faults, report.answered), (0, 4), "{threads} threads: {found:?}");
        for (figure, value) in expected {
            assert_eq!(found[figure], value.to_string(), "{figure} on {threads} threads");
        }
    }
}
