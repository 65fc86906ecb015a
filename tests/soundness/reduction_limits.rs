//! Reductions of nets larger than random nets end quickly, and the checker accepts every step.

use parikh::net::{Net, NetBuilder, PlaceId};
use parikh::reduction::{ReductionConfig, needs, reduce};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, cycles, philosophers, random};

const TRANSITIONS: u32 = 600;

/// Returns chains of transitions with a side output each, all starting at one place.
fn comb(transitions: u32) -> Net {
    let mut builder = NetBuilder::new("comb");
    let start = builder.place("start", 3).unwrap();
    for chain in 0..10 {
        let mut at = start;
        for link in 0..transitions / 10 {
            let next = builder.place(&format!("p{chain}_{link}"), 0).unwrap();
            let tooth = builder.place(&format!("q{chain}_{link}"), 0).unwrap();
            let t = builder.transition(&format!("t{chain}_{link}")).unwrap();
            builder.take(t, at, 1).unwrap();
            builder.put(t, next, 1).unwrap();
            builder.put(t, tooth, 1).unwrap();
            at = next;
        }
    }
    builder.build().unwrap()
}

/// Returns processes that share one lock: each is idle, or holds the lock and is busy.
fn locked(transitions: u32) -> Net {
    let mut builder = NetBuilder::new("locked");
    let lock = builder.place("lock", 1).unwrap();
    for i in 0..transitions / 2 {
        let [idle, busy] =
            [("idle", 1), ("busy", 0)].map(|(n, m)| builder.place(&format!("{n}{i}"), m).unwrap());
        let enter = builder.transition(&format!("enter{i}")).unwrap();
        let leave = builder.transition(&format!("leave{i}")).unwrap();
        for (p, taken) in [(idle, true), (lock, true), (busy, false)] {
            let (from, to) = if taken { (enter, leave) } else { (leave, enter) };
            builder.take(from, p, 1).unwrap();
            builder.put(to, p, 1).unwrap();
        }
    }
    builder.build().unwrap()
}

/// Returns rings of three places with one token each. Each move within a ring also makes the same
/// move within the ring before. It becomes independent only after that ring is fused and removed.
fn cascade(transitions: u32) -> Net {
    let mut builder = NetBuilder::new("cascade");
    let mut before: Option<[PlaceId; 3]> = None;
    for level in 0..transitions / 6 {
        let ring =
            [0, 1, 2].map(|i| builder.place(&format!("p{level}_{i}"), u64::from(i == 0)).unwrap());
        for from in 0..3 {
            for to in (0..3).filter(|&to| to != from) {
                let t = builder.transition(&format!("t{level}_{from}{to}")).unwrap();
                builder.take(t, ring[from], 1).unwrap();
                builder.put(t, ring[to], 1).unwrap();
                if let Some(before) = before {
                    builder.take(t, before[from], 1).unwrap();
                    builder.put(t, before[to], 1).unwrap();
                }
            }
        }
        before = Some(ring);
    }
    let x = builder.place("x", 0).unwrap();
    let end = builder.transition("end").unwrap();
    builder.take(end, before.expect("a level")[0], 1).unwrap();
    builder.put(end, x, 1).unwrap();
    builder.build().unwrap()
}

/// If each application of a rule enables the next, no application may scan the whole net.
#[test]
fn a_cascade_takes_few_rounds() {
    let net = cascade(TRANSITIONS);
    let needs = needs::reachability([net.place_named("x").unwrap()]);
    let reduction = reduce(&net, &needs, &Budget::unlimited(), &ReductionConfig::default());
    println!("cascade: {}", reduction.statistics);
    assert!(reduction.net.transition_count() <= 1 && reduction.statistics.rounds < 10);
}

#[test]
fn large_nets_are_reduced_to_the_end() {
    let n = TRANSITIONS;
    let shape = |kind, weight| Shape { places: n / 2, transitions: n, weight, tokens: 2, kind };
    let nets: Vec<(&str, Net)> = vec![
        ("comb", comb(n)),
        ("locked", locked(n)),
        ("philosophers", philosophers(n / 5).net),
        ("cycles", cycles(n / 50, 50, true).net),
        ("random one-safe", random(1, &shape(RandomKind::OneSafe, 1))),
        ("random bounded", random(2, &shape(RandomKind::Bounded, 2))),
    ];
    for (name, net) in nets {
        let support: Vec<PlaceId> = net.places().step_by(net.place_count() / 10 + 1).collect();
        for (what, needs) in [
            ("R, 10 places", needs::reachability(support)),
            ("D", needs::deadlock()),
            ("L", needs::liveness(net.transitions().take(1))),
        ] {
            let reduction = reduce(&net, &needs, &Budget::unlimited(), &ReductionConfig::default());
            println!("{name}, {what}: {}", reduction.statistics);
            for rule in &reduction.statistics.rules {
                assert_eq!(rule.refused, 0);
            }
            assert!(!reduction.statistics.cut_short);
        }
    }
}
