//! Compares the incrementally updated data with recomputed data.

use super::*;
use crate::walk::watch::GoalWatch;
use parikh_net::{GoalId, LinearSum, Marking, MarkingGoal, PlaceId, Predicate, TransitionId, text};

/// Checks that all incrementally updated data equals the data recomputed from the tokens.
fn check(machine: &WatchedMarking<'_>) {
    let net = machine.compiled.net;
    let marking = Marking::new(machine.tokens().map(|tokens| tokens as u64).collect());
    let mut enabled: Vec<u32> = machine.enabled().iter().collect();
    assert_eq!(enabled.len(), machine.enabled().len());
    let drawn: Vec<u32> = (0..enabled.len()).map(|n| machine.enabled().nth(n)).collect();
    assert_eq!(enabled, drawn);
    enabled.sort_unstable();
    let live = |class: &u32| {
        let row = net.class(parikh_net::EffectId::new(*class as usize));
        row.iter().any(|&t| net.is_enabled(&marking, t)) && !net.delta(row[0]).is_empty()
    };
    let expected: Vec<u32> = (0..net.effect_count() as u32).filter(live).collect();
    assert_eq!(enabled, expected);
    assert_eq!(machine.is_dead(), net.is_dead(&marking));
    for class in enabled {
        let t = machine.first_member(class) as usize;
        assert!(net.is_enabled(&marking, TransitionId::new(t)));
    }
    for (position, sum) in machine.compiled.sums.iter().enumerate() {
        let cell = (machine.compiled.place_count + position) as u32;
        assert_eq!(i128::from(machine.value(cell)), sum.value(&marking));
    }
    for (goal, watched) in machine.compiled.goals.iter().enumerate() {
        if let MarkingGoal::Reach(predicate) = watched.goal {
            assert_eq!(machine.holds(goal as u32), predicate.holds(net, &marking));
        }
    }
}

#[test]
fn incremental_data_agrees_with_recomputation_along_a_walk() {
    let net = text::parse(
        "place a 3
         place b 1
         place c
         transition t: a + b -> b + c
         transition look1: 2*c -> 2*c
         transition u1: 2*c -> a + c
         transition u2: 3*a + c -> 4*a
         transition v: b ->
         transition w: c -> b
         transition x: 2*b + a -> 3*b",
    )
    .unwrap();
    let [a, b, c] = [0, 1, 2].map(PlaceId::new);
    let sum = LinearSum::new([(a, 2), (b, -3), (c, 1)]).unwrap();
    let leaf = |k: i64| Predicate::at_most(sum.clone(), k);
    let t = TransitionId::new(0);
    let goals = [
        Predicate::and([leaf(3), leaf(-2).negated(), Predicate::at_least(c, 1)]),
        Predicate::or([Predicate::Dead, Predicate::and([leaf(0), Predicate::Disabled(t)])]),
        Predicate::Enabled(t),
        Predicate::and([Predicate::NotDead, Predicate::at_least(b, 2).negated()]),
    ]
    .map(MarkingGoal::Reach);
    let ids = (0..).map(GoalId::new);
    let mut machine =
        WatchedMarking::new(CompiledNet::new(&net, GoalWatch::new(&net, ids.zip(&goals))));
    check(&machine);
    let mut rng = Rng::with_seed(1);
    for _ in 0..300 {
        let mut fired = Vec::new();
        while fired.len() < 30 && !machine.enabled().is_empty() {
            let class = machine.enabled().nth(random_below(&mut rng, machine.enabled().len()));
            fired.push(machine.representative(class, &mut rng));
            assert!(machine.fire(class));
            check(&machine);
        }
        if random_below(&mut rng, 2) == 0 {
            machine.restart();
        } else {
            machine.restart_after(fired.into_iter());
        }
        check(&machine);
        assert!(net.initial().tokens().iter().map(|&k| k as i64).eq(machine.tokens()));
    }
}

/// 70 transitions `begin` share the inputs p and q and need a token of their own. 70 transitions
/// `free` share an input and need nothing else. Both groups get a gate. The transitions `read` and
/// `same` get none, because two of them always have the same effect.
#[test]
fn opening_a_gate_enables_all_transitions_that_wait_for_it() {
    let mut text = String::from("place p 2\nplace q 3\nplace idle 1\n");
    for i in 0..70 {
        text += &format!("place w{i} {}\nplace a{i}\n", i % 2);
        text += &format!("transition begin{i}: w{i} + 2*p + q -> a{i}\n");
        text += &format!("transition end{i}: a{i} -> w{i} + 2*p + q\n");
        text += &format!("transition read{i}: p + w{i} -> p + w{}\n", (i + 1) % 70);
        text += &format!("transition same{i}: p + q + w{i} -> p + q + w{}\n", (i + 1) % 70);
        text += &format!("transition free{i}: 3*q -> q + a{i}\n");
    }
    text += "transition feed: idle -> idle + q\ntransition drop: q ->";
    let net = text::parse(&text).unwrap();
    let goal = |name: &str| {
        let t = net.transitions().find(|&t| net.transition_name(t) == name).unwrap();
        [MarkingGoal::Reach(Predicate::Enabled(t)), MarkingGoal::Reach(Predicate::Disabled(t))]
    };
    let goals = [goal("begin3"), goal("begin4"), goal("same7"), goal("free0")].concat();
    for wanted in [&goals[..], &[]] {
        let ids = (0..).map(GoalId::new);
        let compiled = CompiledNet::new(&net, GoalWatch::new(&net, ids.zip(wanted)));
        assert_eq!(compiled.gates.count, 2, "begin and free; the others are two of a kind");
        let mut machine = WatchedMarking::new(compiled);
        check(&machine);
        let mut rng = Rng::with_seed(2);
        let mut steps_with_open_gate = 0;
        for _ in 0..40 {
            for _ in 0..40 {
                let class = machine.enabled().nth(random_below(&mut rng, machine.enabled().len()));
                assert!(machine.is_enabled(class));
                assert!(machine.fire(class));
                steps_with_open_gate += usize::from(machine.enabled.has_enabled_gated_class());
                check(&machine);
                for t in net.transitions() {
                    let lacks = |arc: &&parikh_net::Arc| {
                        machine.value(arc.place.index() as u32) < arc.weight as i64
                    };
                    let lacking = net.pre(t).iter().filter(lacks).count();
                    assert_eq!(machine.missing_inputs(t.index() as u32) as usize, lacking);
                }
            }
            machine.restart();
            check(&machine);
        }
        assert!((100..1500).contains(&steps_with_open_gate), "{steps_with_open_gate}");
    }
}

/// Random nets in which many transitions share hub places with several thresholds, some only by
/// reading them. The walks fire single and repeated firings, forwards and backwards.
#[test]
fn random_hubs_are_kept_right_by_single_and_by_many_firings() {
    let (mut gated, mut back) = (0, 0);
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let hubs = 1 + random_below(&mut rng, 3);
        let mut text = String::new();
        for hub in 0..hubs {
            text += &format!("place h{hub} {}\n", random_below(&mut rng, 12));
        }
        let own = 3 + random_below(&mut rng, 40);
        for p in 0..own {
            text += &format!("place p{p} {}\n", random_below(&mut rng, 3));
        }
        // The weights on the hubs, the same for most transitions.
        let kinds: Vec<Vec<usize>> = (0..1 + random_below(&mut rng, 3))
            .map(|_| (0..hubs).map(|_| random_below(&mut rng, 4)).collect())
            .collect();
        for t in 0..70 + random_below(&mut rng, 150) {
            let kind = &kinds[random_below(&mut rng, kinds.len())];
            let (mut pre, mut post) = (Vec::new(), Vec::new());
            for (hub, &wanted) in kind.iter().enumerate().filter(|(_, wanted)| **wanted > 0) {
                pre.push(format!("{wanted}*h{hub}"));
                match random_below(&mut rng, 4) {
                    0 => {}
                    back => post
                        .push(format!("{}*h{hub}", wanted + back - 2 + usize::from(wanted == 1))),
                }
            }
            for _ in 0..random_below(&mut rng, 3) {
                pre.push(format!(
                    "{}*p{}",
                    1 + random_below(&mut rng, 2),
                    random_below(&mut rng, own)
                ));
            }
            for _ in 0..random_below(&mut rng, 3) {
                post.push(format!(
                    "{}*p{}",
                    1 + random_below(&mut rng, 2),
                    random_below(&mut rng, own)
                ));
            }
            let unique = |mut arcs: Vec<String>| {
                let mut seen = std::collections::HashSet::new();
                arcs.retain(|arc| seen.insert(arc.split('*').nth(1).unwrap().to_owned()));
                arcs.join(" + ")
            };
            text += &format!("transition t{t}: {} -> {}\n", unique(pre), unique(post));
        }
        let net = text::parse(&text).unwrap();
        let some = |rng: &mut Rng| TransitionId::new(random_below(rng, net.transition_count()));
        let goals: Vec<MarkingGoal> = (0..random_below(&mut rng, 6))
            .map(|_| match random_below(&mut rng, 3) {
                0 => MarkingGoal::Reach(Predicate::Enabled(some(&mut rng))),
                1 => MarkingGoal::Reach(Predicate::or([
                    Predicate::Dead,
                    Predicate::Disabled(some(&mut rng)),
                ])),
                _ => MarkingGoal::Reach(Predicate::at_least(PlaceId::new(0), 2)),
            })
            .collect();
        let ids = (0..).map(GoalId::new);
        let mut machine =
            WatchedMarking::new(CompiledNet::new(&net, GoalWatch::new(&net, ids.zip(&goals))));
        gated += usize::from(machine.compiled.gates.count > 0);
        check(&machine);
        let mut fired = Vec::new();
        for _ in 0..150 {
            if machine.enabled().is_empty() || random_below(&mut rng, 40) == 0 {
                match random_below(&mut rng, 2) {
                    0 => machine.restart(),
                    _ => machine.restart_after(std::mem::take(&mut fired).into_iter()),
                }
                fired.clear();
                check(&machine);
                continue;
            }
            let class = machine.enabled().nth(random_below(&mut rng, machine.enabled().len()));
            let transition = machine.representative(class, &mut rng);
            // The number of times that the transition may fire, according to its consumed and read
            // tokens.
            let t = TransitionId::new(transition as usize);
            let most = net.delta(t).iter().filter(|change| change.delta < 0).map(|change| {
                let needed = net.pre(t).iter().find(|arc| arc.place == change.place).unwrap();
                let surplus = machine.value(change.place.index() as u32) - needed.weight as i64;
                1 + surplus / -change.delta
            });
            let count = 1 + random_below(&mut rng, most.min().unwrap_or(5).min(5) as usize) as i64;
            assert!(machine.fire_many(class, count));
            check(&machine);
            if random_below(&mut rng, 3) == 0 {
                back += 1;
                assert!(machine.fire_many(class, -count));
            } else {
                fired.push(transition);
            }
            check(&machine);
        }
    }
    assert!(gated >= 10 && back > 500, "{gated} {back}");
}
