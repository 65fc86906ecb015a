//! Random small nets: every algorithm for the reachable set agrees with plain enumeration, for any
//! order of levels and any frequency of garbage collections.

use fastrand::Rng;
use num_bigint::BigUint;
use parikh_symbolic::{
    Changes, Diagram, Diagrams, Factor, Factors, LevelInterval, LevelTouch, Limits, Set, Stop,
    SumCondition, TransitionRelation, weighted_tokens, with_stack,
};
use std::collections::{BTreeSet, HashMap};

struct Net {
    initial: Vec<u64>,
    transitions: Vec<Vec<LevelTouch>>,
}

/// Returns the factor on the number of random cases: the variable `PARIKH_SCALE`, or else 1.
fn scale() -> usize {
    std::env::var("PARIKH_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}

/// Returns a net with up to seven places. Arc weights are small and reads are common. Every fifth
/// net uses token numbers beyond 32 bits.
fn random_net(rng: &mut Rng) -> Net {
    let places = rng.usize(1..8);
    let unit = if rng.u8(..5) == 0 { 3 << 30 } else { 1 };
    let initial = (0..places).map(|_| rng.u64(0..3) * unit).collect();
    let transition = |rng: &mut Rng| {
        let mut touches = Vec::new();
        for level in 0..places as u32 {
            if rng.u8(..5) < 2 {
                let pre = rng.u64(0..3);
                let post = if rng.u8(..3) == 0 { pre } else { rng.u64(0..3) };
                if pre > 0 || post > 0 {
                    let change = (post as i64 - pre as i64) * unit as i64;
                    touches.push(LevelTouch::new(level, pre * unit, change));
                }
            }
        }
        touches
    };
    let transitions = (0..rng.usize(0..9)).map(|_| transition(rng)).collect();
    Net { initial, transitions }
}

/// Returns a net as [`random_net`] does, in which some transitions are enabled only up to a number
/// of tokens.
fn random_net_with_limits(rng: &mut Rng) -> Net {
    let mut net = random_net(rng);
    for touch in net.transitions.iter_mut().flatten() {
        if rng.u8(..3) == 0 {
            let unit = (touch.pre.max(touch.change.unsigned_abs()) >> 31 << 30).max(1);
            touch.max = touch.pre + rng.u64(0..3) * unit;
        }
    }
    net
}

/// Returns the conditions of a transition on the levels.
fn conditions(touches: &[LevelTouch]) -> Vec<LevelInterval> {
    touches.iter().map(|touch| touch.condition()).filter(|it| !it.is_trivial()).collect()
}

fn fire(marking: &[u64], touches: &[LevelTouch]) -> Option<Vec<u64>> {
    let mut after = marking.to_vec();
    for touch in touches {
        let tokens = &mut after[touch.level as usize];
        (touch.pre..=touch.max).contains(tokens).then_some(())?;
        *tokens = tokens.checked_add_signed(touch.change)?;
    }
    Some(after)
}

/// Returns all reachable markings if there are at most `limit`.
fn enumerate(net: &Net, limit: usize) -> Option<BTreeSet<Vec<u64>>> {
    let mut all = BTreeSet::from([net.initial.clone()]);
    let mut open = vec![net.initial.clone()];
    while let Some(marking) = open.pop() {
        for touches in &net.transitions {
            if let Some(after) = fire(&marking, touches)
                && all.insert(after.clone())
            {
                open.push(after);
            }
        }
        if all.len() > limit {
            return None;
        }
    }
    Some(all)
}

/// Returns the same net with its places at other levels.
fn permuted(net: &Net, level_of: &[u32]) -> Net {
    let mut initial = vec![0; net.initial.len()];
    for (place, &level) in level_of.iter().enumerate() {
        initial[level as usize] = net.initial[place];
    }
    let transitions = net.transitions.iter().map(|touches| {
        let move_to =
            |touch: &LevelTouch| LevelTouch { level: level_of[touch.level as usize], ..*touch };
        let mut touches: Vec<LevelTouch> = touches.iter().map(move_to).collect();
        touches.sort();
        touches
    });
    Net { initial, transitions: transitions.collect() }
}

/// Runs a check on random nets from `generate` with 3 to 500 reachable markings. Each net is
/// checked three times, with its places at random levels. The check gets the net and its reachable
/// markings.
fn for_each_net(
    cases: usize,
    seed: u64,
    generate: fn(&mut Rng) -> Net,
    mut check: impl FnMut(&mut Rng, &Net, &BTreeSet<Vec<u64>>),
) {
    let mut rng = Rng::with_seed(seed);
    let mut done = 0;
    while done < cases {
        let net = generate(&mut rng);
        let Some(markings) = enumerate(&net, 500) else { continue };
        if markings.len() < 3 {
            continue;
        }
        done += 1;
        for _ in 0..3 {
            let mut level_of: Vec<u32> = (0..net.initial.len() as u32).collect();
            rng.shuffle(&mut level_of);
            let net = permuted(&net, &level_of);
            let markings = markings
                .iter()
                .map(|marking| {
                    let mut moved = vec![0; marking.len()];
                    marking.iter().zip(&level_of).for_each(|(&v, &l)| moved[l as usize] = v);
                    moved
                })
                .collect();
            check(&mut rng, &net, &markings);
        }
    }
}

fn members(diagrams: &Diagrams<'_>, set: Set) -> BTreeSet<Vec<u64>> {
    diagrams.members(set).into_iter().collect()
}

#[test]
fn saturation_finds_what_enumeration_finds() {
    // Each net is tried in three orders: 10,200 cases, or a million with PARIKH_SCALE=100.
    for_each_net(3_400 * scale(), 1, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        diagrams.collect_each(if markings.len() < 20 { 1 } else { [0, 11, 97][rng.usize(0..3)] });
        let mut found = Vec::new();
        for conditional in [true, false] {
            let relation =
                TransitionRelation::with_reads(levels, &net.transitions, conditional).unwrap();
            let start = diagrams.single(&net.initial).unwrap();
            let reached = diagrams.reachable(&relation, start).unwrap();
            diagrams.protect(reached);
            found.push(reached);
        }
        assert_eq!(&members(&diagrams, found[0]), markings);
        assert_eq!(diagrams.count(found[0]).unwrap(), BigUint::from(markings.len()));
        assert!(found.iter().all(|&set| set == found[0]), "one set has one diagram");
    });
}

#[test]
fn counts_are_those_of_enumeration() {
    for_each_net(100 * scale(), 2, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let set = diagrams.reachable(&relation, start).unwrap();
        assert_eq!(diagrams.count(set).unwrap(), BigUint::from(markings.len()));
        let enabled = |touches: &Vec<LevelTouch>| {
            markings.iter().filter(|marking| fire(marking, touches).is_some()).count()
        };
        let firings: usize = net.transitions.iter().map(enabled).sum();
        let needs: Vec<Vec<LevelInterval>> =
            net.transitions.iter().map(|touches| conditions(touches)).collect();
        assert_eq!(diagrams.count_enabled(set, &needs).unwrap(), BigUint::from(firings));
        let most: Vec<u64> =
            (0..levels as usize).map(|l| markings.iter().map(|m| m[l]).max().unwrap()).collect();
        assert_eq!(diagrams.max_tokens_by_level(set), most);
        let terms: Vec<(u32, i64)> = (0..levels).map(|level| (level, rng.i64(-2..3))).collect();
        let sum = |marking: &Vec<u64>| -> i128 {
            terms.iter().map(|&(l, w)| i128::from(w) * i128::from(marking[l as usize])).sum()
        };
        let range =
            (markings.iter().map(sum).min().unwrap(), markings.iter().map(sum).max().unwrap());
        let weights = || weighted_tokens(terms.iter().copied());
        assert_eq!(diagrams.range(set, &weights()).unwrap(), Some(range));
        let (least, most) = (i128::from(rng.i8(-3..3)), i128::from(rng.i8(0..4)));
        let linear = SumCondition { terms: weights(), lower: least, upper: most };
        let part = diagrams.restrict(set, &linear).unwrap();
        let inside =
            markings.iter().filter(|m| (least..=most).contains(&sum(m))).cloned().collect();
        assert_eq!(members(&diagrams, part), inside);
        if let Some(needs) = needs.first() {
            let disabled = diagrams.not_enabling(set, needs).unwrap();
            let expected = markings.iter().filter(|m| fire(m, &net.transitions[0]).is_none());
            assert_eq!(members(&diagrams, disabled), expected.cloned().collect());
        }
    });
}

#[test]
fn what_leads_into_a_set_and_what_enables_any_are_those_of_enumeration() {
    let mut some = 0;
    for_each_net(400 * scale(), 5, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        diagrams.collect_each(rng.u32(0..3));
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let set = diagrams.reachable(&relation, start).unwrap();
        diagrams.protect(set);
        let mut part = |diagrams: &mut Diagrams<'_>| {
            let terms = weighted_tokens((0..levels).map(|it| (it, rng.i64(-2..3))));
            let linear = SumCondition { terms, lower: -1, upper: i128::from(rng.i8(0..4)) };
            let part = diagrams.restrict(set, &linear).unwrap();
            diagrams.protect(part);
            part
        };
        let (from, to) = (part(&mut diagrams), part(&mut diagrams));
        let (before, after) = (members(&diagrams, from), members(&diagrams, to));
        let backwards = relation.reversed().unwrap();
        let leading = diagrams.leading_into(&backwards, from, to).unwrap();
        let changes = |touches: &&Vec<LevelTouch>| touches.iter().any(|touch| touch.change != 0);
        let leads = |marking: &&Vec<u64>| {
            let mut all = net.transitions.iter().filter(changes);
            all.any(|t| fire(marking, t).is_some_and(|next| after.contains(&next)))
        };
        assert_eq!(members(&diagrams, leading), before.iter().filter(leads).cloned().collect());
        some += usize::from(!leading.is_empty() && leading != from);
        let lists: Vec<Vec<LevelInterval>> =
            net.transitions.iter().map(|touches| conditions(touches)).collect();
        let enabling = diagrams.enabling_any(set, &lists).unwrap();
        let is_alive = |m: &&Vec<u64>| net.transitions.iter().any(|t| fire(m, t).is_some());
        assert_eq!(
            members(&diagrams, enabling),
            markings.iter().filter(is_alive).cloned().collect()
        );
    });
    assert!(some > 50, "{some}");
}

#[test]
fn weighted_counts_are_those_of_enumeration() {
    for_each_net(80 * scale(), 3, random_net, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let set = diagrams.reachable(&relation, start).unwrap();
        // Factors so large that 128 bits do not always suffice.
        let large = BigUint::from(rng.u64(1..4)) << rng.u32(0..60);
        let weight = move |tokens: u64| BigUint::from(tokens % 1_000) * &large + 1u8;
        let plus = |tokens: u64| BigUint::from(tokens % 7);
        let mut factors = Factors::default();
        factors.table.push(Factor::Weight(Box::new(weight.clone())));
        factors.table.push(Factor::Weight(Box::new(plus)));
        factors.table.push(Factor::Between(1, u64::MAX));
        let mut common = HashMap::new();
        for level in 0..levels {
            if rng.bool() {
                factors.common.insert(level, 0);
                common.insert(level, 0);
            }
        }
        let changes = |rng: &mut Rng| {
            let levels: Vec<u32> = (0..levels).filter(|_| rng.u8(..3) == 0).collect();
            levels.into_iter().map(|level| (level, rng.usize(0..3))).collect()
        };
        let sums: Vec<Changes> = (0..rng.usize(1..5)).map(|_| changes(rng)).collect();
        let value = |factor: Option<usize>, tokens: u64| match factor {
            None => BigUint::from(1u8),
            Some(0) => weight(tokens),
            Some(1) => plus(tokens),
            Some(_) => BigUint::from(u8::from(tokens >= 1)),
        };
        let expected: Vec<BigUint> = sums
            .iter()
            .map(|changes| {
                let product = |marking: &Vec<u64>| -> BigUint {
                    let factor = |level: u32| {
                        let changed = changes.iter().find(|change| change.0 == level);
                        let factor = changed.map(|change| change.1);
                        let factor = factor.or(common.get(&level).copied());
                        value(factor, marking[level as usize])
                    };
                    (0..levels).map(factor).product()
                };
                markings.iter().map(product).sum()
            })
            .collect();
        assert_eq!(diagrams.weigh(set, &factors, &sums).unwrap(), expected);
    });
}

#[test]
fn inside_a_set_backwards_and_forwards() {
    for_each_net(60 * scale(), 4, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        diagrams.collect_each(if markings.len() < 20 { 1 } else { [0, 11, 97][rng.usize(0..3)] });
        let relation = TransitionRelation::with_reads(levels, &net.transitions, false).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let all = diagrams.reachable(&relation, start).unwrap();
        diagrams.protect(all);
        // Some of the markings, and the markings reachable from them inside the restricted set.
        let linear = SumCondition {
            terms: weighted_tokens([(0, 1)]),
            lower: 0,
            upper: i128::from(rng.u8(0..3)),
        };
        let some = diagrams.restrict(all, &linear).unwrap();
        diagrams.protect(some);
        let inside = members(&diagrams, some);
        let from = markings.iter().nth(rng.usize(0..markings.len())).unwrap();
        let close = |start: &Vec<u64>, within: &BTreeSet<Vec<u64>>, backwards: bool| {
            let mut found: BTreeSet<Vec<u64>> =
                within.iter().filter(|m| *m == start).cloned().collect();
            loop {
                let size = found.len();
                for marking in within {
                    let next = net.transitions.iter().filter_map(|touches| fire(marking, touches));
                    for next in next.filter(|next| within.contains(next)) {
                        match backwards {
                            true if found.contains(&next) => found.insert(marking.clone()),
                            false if found.contains(marking) => found.insert(next),
                            _ => false,
                        };
                    }
                }
                if found.len() == size {
                    return found;
                }
            }
        };
        let start = diagrams.single(from).unwrap();
        let forwards = diagrams.reachable_within(&relation, start, some).unwrap();
        assert_eq!(members(&diagrams, forwards), close(from, &inside, false));
        let reversed = relation.reversed().unwrap();
        let start = diagrams.single(from).unwrap();
        let backwards = diagrams.reachable_within(&reversed, start, all).unwrap();
        assert_eq!(members(&diagrams, backwards), close(from, markings, true));
    });
}

#[test]
fn paths_lead_to_every_member() {
    for_each_net(50 * scale(), 5, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let all = diagrams.reachable(&relation, start).unwrap();
        let goal = markings.iter().nth(rng.usize(0..markings.len())).unwrap();
        let target = diagrams.single(goal).unwrap();
        let (transitions, initial) = (&net.transitions, &net.initial);
        let path = diagrams.firings(&relation, transitions, initial, target, all).unwrap().unwrap();
        let end = |path: Vec<usize>| {
            let step =
                |marking: Vec<u64>, firing: usize| fire(&marking, &transitions[firing]).unwrap();
            path.into_iter().fold(initial.clone(), step)
        };
        assert_eq!(&end(path), goal);
        let elsewhere = diagrams.single(&vec![77; levels as usize]).unwrap();
        assert_eq!(diagrams.firings(&relation, transitions, initial, elsewhere, all), Ok(None));
    });
}

#[test]
fn an_exported_diagram_has_the_members_of_its_set() {
    /// Adds the members of a node, each after `prefix`.
    fn collect(d: &Diagram, node: u32, prefix: &mut Vec<u64>, all: &mut BTreeSet<Vec<u64>>) {
        match node {
            0 => {}
            1 => assert!(prefix.len() == d.levels as usize && all.insert(prefix.clone())),
            _ => {
                let (value, down, right) = d.nodes[node as usize - 2];
                assert!(down < node && right < node, "a node refers to earlier nodes");
                prefix.push(value);
                collect(d, down, prefix, all);
                prefix.pop();
                collect(d, right, prefix, all);
            }
        }
    }
    for_each_net(40 * scale(), 6, random_net, |_, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let set = diagrams.reachable(&relation, start).unwrap();
        let diagram = diagrams.export(set, levels);
        let mut all = BTreeSet::new();
        collect(&diagram, diagram.root, &mut Vec::new(), &mut all);
        assert_eq!(&all, markings);
    });
}

#[test]
fn what_is_stopped_or_does_not_fit_says_so() {
    // Two places that grow without bound.
    let grow = |level: u32| vec![LevelTouch::new(level, 0, 1)];
    let relation = TransitionRelation::new(2, &[grow(0), grow(1)]).unwrap();
    let counter = std::sync::atomic::AtomicU32::new(0);
    let stop = |_: &_| counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= 2;
    let mut diagrams = Diagrams::new(Limits { bytes: usize::MAX, stop: &stop });
    let start = diagrams.single(&[0, 0]).unwrap();
    assert_eq!(diagrams.reachable(&relation, start), Err(Stop::Requested));
    let mut diagrams = Diagrams::new(Limits { bytes: 3 << 20, ..Limits::default() });
    let start = diagrams.single(&[0, 0]).unwrap();
    assert_eq!(diagrams.reachable(&relation, start), Err(Stop::Memory));
    // After an operation gave up, the diagrams remain usable.
    let start = diagrams.single(&[5, 0]).unwrap();
    assert_eq!(diagrams.members(start), [[5, 0]]);
    let tokens = i64::MAX as u64;
    let start = diagrams.single(&[tokens, tokens]).unwrap();
    assert_eq!(diagrams.reachable(&relation, start), Err(Stop::Overflow));
}

#[test]
fn the_stack_suffices_for_many_levels() {
    // One token moves round a ring. The last step returns over all levels.
    let levels = 20_000;
    let step = |from: u32| {
        let to = (from + 1) % levels;
        let take = LevelTouch::new(from, 1, -1);
        let put = LevelTouch::new(to, 0, 1);
        if from < to { vec![take, put] } else { vec![put, take] }
    };
    let transitions: Vec<Vec<LevelTouch>> = (0..levels).map(step).collect();
    let counts = with_stack(levels as usize, || {
        let relation = TransitionRelation::new(levels, &transitions).unwrap();
        let mut diagrams = Diagrams::new(Limits::default());
        let mut initial = vec![0; levels as usize];
        initial[7] = 1;
        let start = diagrams.single(&initial).unwrap();
        let set = diagrams.reachable(&relation, start).unwrap();
        let reversed = relation.reversed().unwrap();
        let target = diagrams.single(&initial).unwrap();
        diagrams.protect(set);
        let back = diagrams.reachable_within(&reversed, target, set).unwrap();
        (diagrams.count(set).unwrap(), set == back)
    });
    assert_eq!(counts.unwrap(), (BigUint::from(levels), true));
}

#[test]
fn steps_back_lead_everywhere_from_where_they_should() {
    let (mut found, mut none) = (0, 0);
    for_each_net(300 * scale(), 5, random_net_with_limits, |rng, net, markings| {
        let levels = net.initial.len() as u32;
        let mut diagrams = Diagrams::new(Limits::default());
        diagrams.collect_each(if markings.len() < 20 { 1 } else { [0, 11, 97][rng.usize(0..3)] });
        let relation = TransitionRelation::new(levels, &net.transitions).unwrap();
        let start = diagrams.single(&net.initial).unwrap();
        let all = diagrams.reachable(&relation, start).unwrap();
        diagrams.protect(all);
        let to = markings.iter().nth(rng.usize(0..markings.len())).unwrap();
        let target = diagrams.single(to).unwrap();
        diagrams.protect(target);
        let backwards = relation.reversed().unwrap();
        let before = diagrams.reachable_within(&backwards, target, all).unwrap();
        let leads = before == all;
        let steps = diagrams.steps_back(levels, &net.transitions, target, all).unwrap();
        assert_eq!(steps.is_some(), leads);
        let Some(steps) = steps else {
            none += 1;
            return;
        };
        found += 1;
        // Replay of the steps, marking by marking.
        let mut there: BTreeSet<Vec<u64>> = BTreeSet::from([to.clone()]);
        for (t, count) in steps {
            let leads_there = |marking: &&Vec<u64>| {
                let mut after = Some((*marking).clone());
                for _ in 0..count {
                    after = after.and_then(|after| fire(&after, &net.transitions[t]));
                }
                after.is_some_and(|after| there.contains(&after))
            };
            // Collect all new markings first: a marking that a step adds is not a target of the
            // same step.
            let more: Vec<_> = markings.iter().filter(leads_there).cloned().collect();
            let before = there.len();
            there.extend(more);
            assert!(there.len() > before, "a step that adds nothing");
        }
        assert_eq!(&there, markings);
    });
    assert!(found > 100 && none > 100, "{found} {none}");
}
