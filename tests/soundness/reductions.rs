//! Every reduction rule, alone and with all others, against enumeration of both nets.
//!
//! On random small nets, for every class of questions that a rule claims to preserve, these are the
//! same in both nets: the reachable markings projected to the support, the dead markings among
//! them, and the protected transitions that fire or are live. Every reachable marking of the
//! reduced net is translated back to a firing sequence that replays on the original net and agrees
//! on the support. Facts about single nodes are true. Goals are translated, and the checker accepts
//! the log.
//!
//! Mutants omit one condition of one rule. The tests must detect each mutant.

use crate::support::oracle;
use crate::support::scale::scaled;
use crate::support::shrinking::least;
use fastrand::Rng;
use parikh::engine::explicit::{StopRule, sums};
use parikh::evidence::counting::{self, CountError, CountingFormula, NoFormula, StateSpaceFigures};
use parikh::evidence::{check_pump, replay};
use parikh::net::{FiringSequence, Goal, Marking, Net, NetBuilder, PlaceId, TransitionId, text};
use parikh::reduction::{
    ApplicationOutcome, AssumedCondition, Candidate, Conditions, FiringMap, Needs,
    OngoingReduction, Preserve, Reduction, ReductionConfig, ReductionStatistics, RuleStatistics,
    WorkNet, candidate, needs, recheck, reduce, rules,
};
use parikh::solvers::Budget;
use parikh_generate::{RandomKind, Shape, random_goals, random_with};
use std::collections::{BTreeSet, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const R: Preserve = Preserve::REACHABILITY;
const D: Preserve = Preserve::DEADLOCK;
const L: Preserve = Preserve::LIVENESS;
const M: Preserve = Preserve::MARKINGS;

/// The tested classes: each class alone, and reachability with others.
const CLASSES: [(&str, Preserve); 6] =
    [("R", R), ("D", D), ("L", L), ("M", M), ("R+D", R.and(D)), ("R+D+L", R.and(D).and(L))];

/// Returns true if the rule claims to preserve the class.
fn claims(rule: &'static str, class: Preserve) -> bool {
    rules::conditions_of(rule).is_some_and(|rule| rule.preserves.covers(class))
}

/// Returns the number of random nets per class.
fn nets_per_class() -> u64 {
    scaled(2_000)
}

/// Returns the number of random nets per rule and class.
fn nets_per_rule() -> u64 {
    scaled(1_000)
}

/// The reachability graph, with a firing sequence to each marking.
struct ReachedGraph {
    markings: Vec<Marking>,
    /// For each marking, the index of an earlier marking and the transition that leads from there;
    /// `None` for the initial marking.
    reached_by: Vec<Option<(usize, TransitionId)>>,
    /// For each marking, the enabled transitions, each with the index of the next marking.
    successors: Vec<Vec<(TransitionId, usize)>>,
}

/// Explores all markings. Returns `None` if there are more than `most` markings, or if a place has
/// more than 200 tokens.
fn explore(net: &Net, most: usize) -> Option<ReachedGraph> {
    let mut graph =
        ReachedGraph { markings: Vec::new(), reached_by: Vec::new(), successors: Vec::new() };
    let mut index = HashMap::new();
    index.insert(net.initial().clone(), 0);
    graph.markings.push(net.initial().clone());
    graph.reached_by.push(None);
    let mut at = 0;
    while at < graph.markings.len() {
        let mut successors = Vec::new();
        for t in net.transitions() {
            let mut next = graph.markings[at].clone();
            if net.fire(&mut next, t).is_err() {
                continue;
            }
            if next.largest() > 200 {
                return None;
            }
            let new = index.len();
            let to = *index.entry(next.clone()).or_insert(new);
            if to == new {
                graph.markings.push(next);
                graph.reached_by.push(Some((at, t)));
                if graph.markings.len() > most {
                    return None;
                }
            }
            successors.push((t, to));
        }
        graph.successors.push(successors);
        at += 1;
    }
    Some(graph)
}

impl ReachedGraph {
    fn path_to(&self, mut at: usize) -> FiringSequence {
        let mut path = Vec::new();
        while let Some((from, t)) = self.reached_by[at] {
            path.push(t);
            at = from;
        }
        path.into_iter().rev().collect()
    }

    fn is_dead(&self, at: usize) -> bool {
        self.successors[at].is_empty()
    }

    fn fires(&self, transitions: &[TransitionId]) -> bool {
        self.successors.iter().flatten().any(|(t, _)| transitions.contains(t))
    }

    /// Returns true if one of `transitions` can fire again from every marking.
    fn is_live(&self, transitions: &[TransitionId]) -> bool {
        let mut good: Vec<bool> = self
            .successors
            .iter()
            .map(|next| next.iter().any(|(t, _)| transitions.contains(t)))
            .collect();
        loop {
            let mut changed = false;
            for at in (0..good.len()).rev() {
                if !good[at] && self.successors[at].iter().any(|&(_, to)| good[to]) {
                    good[at] = true;
                    changed = true;
                }
            }
            if !changed {
                return good.into_iter().all(|good| good);
            }
        }
    }
}

/// Returns the tokens of the support in a marking of the reduced net.
fn projected(reduction: &Reduction, marking: &Marking) -> Result<Vec<u64>, String> {
    let tokens = |&p: &PlaceId| match (reduction.constant(p), reduction.map_place(p)) {
        (Some(tokens), _) => Ok(tokens),
        (None, Some(place)) => Ok(marking[place]),
        (None, None) => Err(format!("{p:?} of the support is lost")),
    };
    reduction.needs().support.iter().map(tokens).collect()
}

fn ensure(holds: bool, complaint: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(complaint()) }
}

/// Options for a reduction in a test.
#[derive(Clone, Default)]
struct ReductionOptions {
    config: ReductionConfig,
    /// If set, three random candidates that satisfy the rule's conditions are used instead of the
    /// rule's own candidates. The value is the seed. This tests if the conditions alone imply
    /// soundness. Small nets only.
    anywhere: Option<u64>,
    /// If set, omits one condition of the rule, which makes reductions wrong. The tests must detect
    /// it.
    dropped: Option<u8>,
}

impl ReductionOptions {
    fn reduce(&self, net: &Net, needs: &Needs) -> Reduction {
        match self.anywhere {
            None => reduce(net, needs, &Budget::unlimited(), &self.config),
            Some(seed) => self.reduce_anywhere(net, needs, seed),
        }
    }

    fn reduce_anywhere(&self, net: &Net, needs: &Needs, seed: u64) -> Reduction {
        let mut rng = Rng::with_seed(seed);
        let is_of = |search: &&str, rule: &str| {
            rules::conditions_of(search).is_some_and(|of| of.name == rule)
        };
        let only = self.config.only.as_ref();
        let wanted =
            |rule: &str| only.is_none_or(|all| all.iter().any(|search| is_of(search, rule)));
        let mut all: Vec<_> = rules::ALL
            .iter()
            .filter(|rule| wanted(rule.name) && rule.preserves.covers(needs.preserve))
            .collect();
        rng.shuffle(&mut all);
        let granted = self.dropped.map_or(AssumedCondition::NOTHING, AssumedCondition::condition);
        let mut under_way = OngoingReduction::new(net, needs);
        let mut statistics = ReductionStatistics::default();
        for rule in all {
            let mut entry = RuleStatistics { name: rule.name, ..RuleStatistics::default() };
            let mut candidates = every_candidate(under_way.net(), &mut rng);
            rng.shuffle(&mut candidates);
            for candidate in candidates {
                match under_way.try_apply(rule, &candidate, granted) {
                    ApplicationOutcome::Inapplicable => {}
                    ApplicationOutcome::Applied => entry.applied += 1,
                    ApplicationOutcome::Refused => entry.refused += 1,
                }
                if entry.applied == 3 {
                    break;
                }
            }
            statistics.rules.push(entry);
        }
        under_way.finish(net, statistics).expect("small")
    }
}

/// Returns many candidates of a small net: one or two places, two or three transitions, a place
/// with transitions around it, and in very small nets sets of places, transitions or both.
fn every_candidate(net: &WorkNet, rng: &mut Rng) -> Vec<Candidate> {
    let places: Vec<_> = net.places().collect();
    let transitions: Vec<_> = net.transitions().collect();
    let mut candidates = Vec::new();
    for &p in &places {
        candidates.push(candidate::place(p));
        candidates.extend(places.iter().map(|&q| candidate::places([p, q])));
        let rows: [Vec<_>; 2] = [net.producers(p).collect(), net.consumers(p).collect()];
        for row in rows.iter().filter(|row| row.len() <= 6) {
            for some in subsets(row) {
                // A node that is named twice must not count as two nodes.
                let doubled: Vec<_> = some.iter().copied().chain(some.last().copied()).collect();
                candidates.push(candidate::place_and_transitions(p, doubled));
                candidates.push(candidate::place_and_transitions(p, some));
            }
        }
    }
    for &t in &transitions {
        for &u in &transitions {
            candidates.push(candidate::transitions([t, u]));
            candidates.extend(transitions.iter().map(|&v| candidate::transitions([t, u, v])));
        }
    }
    if transitions.len() <= 8 && places.len() <= 8 {
        candidates.extend(subsets(&transitions).map(candidate::transitions));
        for some in subsets(&places) {
            let inside = |t: &TransitionId| net.arcs(*t).all(|(p, ..)| some.contains(&p));
            let moves: Vec<_> = transitions.iter().copied().filter(inside).collect();
            let fewer: Vec<_> = moves.iter().copied().filter(|_| rng.bool()).collect();
            let ones = || some.iter().map(|&p| (p, 1));
            candidates.push(candidate::weighted(ones(), moves));
            candidates.push(candidate::weighted(ones(), fewer));
            let any: Vec<_> = transitions.iter().copied().filter(|_| rng.bool()).collect();
            candidates.push(candidate::weighted(ones(), any));
            let weights: Vec<_> = some.iter().map(|&p| (p, rng.u32(1..=3))).collect();
            let all = subsets(&transitions).filter(|some| some.len() < 3);
            candidates.extend(all.map(|some| candidate::weighted(weights.iter().copied(), some)));
            candidates.push(candidate::weighted(weights, []));
        }
    }
    candidates
}

/// Returns every nonempty subset.
fn subsets<T: Copy>(all: &[T]) -> impl Iterator<Item = Vec<T>> {
    (1u32..1 << all.len()).map(|mask| {
        all.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, &x)| x).collect()
    })
}

/// Checks a reduction of a net. Returns `Ok(None)` if the net is too large or no rule applied,
/// otherwise the reduction.
fn examine(net: &Net, needs: &Needs, way: &ReductionOptions) -> Result<Option<Reduction>, String> {
    let reduction = way.reduce(net, needs);
    if reduction.log.is_empty() {
        return Ok(None);
    }
    let Some(before) = explore(net, 500) else { return Ok(None) };
    let refused = reduction.statistics.rules.iter().find(|entry| entry.refused > 0);
    ensure(refused.is_none(), || format!("refused: {refused:?}"))?;
    let Some(after) = explore(&reduction.net, 2_000) else {
        return Err("the reduced net has more markings".into());
    };
    let needs = reduction.needs().clone();
    let support = |m: &Marking| needs.support.iter().map(|&p| m[p]).collect::<Vec<u64>>();
    let class = needs.preserve;

    if class.covers(R) {
        let ours: BTreeSet<_> = before.markings.iter().map(support).collect();
        let theirs: Result<BTreeSet<_>, _> =
            after.markings.iter().map(|m| projected(&reduction, m)).collect();
        let theirs = theirs?;
        ensure(ours == theirs, || format!("projections differ: {ours:?} {theirs:?}"))?;
        for &t in &needs.protected {
            let fires = match reduction.firing(t).expect("protected") {
                FiringMap::Fired(_) => true,
                FiringMap::Carriers(by) => after.fires(by),
            };
            ensure(fires == before.fires(&[t]), || format!("{t:?} fires: {fires}"))?;
        }
        comes_back(net, &reduction, &after, &needs.support)?;
    }
    if class.covers(D) {
        let dead = |graph: &ReachedGraph| -> Vec<usize> {
            (0..graph.markings.len()).filter(|&at| graph.is_dead(at)).collect()
        };
        let ours: BTreeSet<_> =
            dead(&before).into_iter().map(|at| support(&before.markings[at])).collect();
        let mut theirs = BTreeSet::new();
        for at in dead(&after) {
            let tokens = projected(&reduction, &after.markings[at])?;
            let path = after.path_to(at);
            let back = reduction
                .back_translation
                .deadlock(net, &path, &Budget::unlimited())
                .map_err(|e| e.to_string())?;
            let end = replay(net, &back).map_err(|e| e.to_string())?;
            ensure(net.is_dead(&end), || format!("{back:?} is no deadlock"))?;
            ensure(support(&end) == tokens, || format!("{back:?} ends elsewhere on S"))?;
            theirs.insert(tokens);
        }
        ensure(ours == theirs, || format!("dead projections differ: {ours:?} {theirs:?}"))?;
    }
    if class.covers(L) {
        for &t in &needs.protected {
            let carriers = reduction.firing(t).expect("protected").carriers();
            let (ours, theirs) = (before.is_live(&[t]), after.is_live(carriers));
            ensure(ours == theirs, || format!("{t:?} is live: {ours}, reduced {theirs}"))?;
        }
        comes_back(net, &reduction, &after, &[])?;
    }
    if class.covers(M) {
        counts(net, &before, &reduction, way.dropped)?;
    }
    for &t in &reduction.dead_transitions {
        ensure(!before.fires(&[t]), || format!("{t:?} is not dead"))?;
    }
    for &(p, tokens) in &reduction.constant_places {
        let constant = before.markings.iter().all(|m| m[p] == tokens);
        ensure(constant, || format!("{p:?} is not constant"))?;
    }
    if way.dropped.is_none() {
        let file = reduction.log.to_file(net, &needs, &reduction.net);
        let (again, log) = file.resolve(net).map_err(|e| e.to_string())?;
        ensure((&again, &log) == (&needs, &reduction.log), || format!("lost in {file:?}"))?;
        recheck(net, &needs, &log, &reduction.net).map_err(|e| e.to_string())?;
    }
    Ok(Some(reduction))
}

/// Compares the numbers of markings and firings counted through the reduction with the true
/// numbers, for the checker and for the engine. Without a formula for these numbers
/// ([`NoFormula::Coupled`]), returns `Ok` without a comparison.
fn counts(
    net: &Net,
    before: &ReachedGraph,
    reduction: &Reduction,
    dropped: Option<u8>,
) -> Result<(), String> {
    let steps = reduction.log.steps();
    let formula = match dropped {
        None => CountingFormula::of_steps(net, steps.map(Ok), &mut || true),
        Some(condition) => {
            CountingFormula::of_mutant(net, steps, AssumedCondition::condition(condition))
        }
    };
    let mut formula = match formula {
        Err(CountError::NoFormula(NoFormula::Coupled(_))) => return Ok(()),
        formula => formula.map_err(|error| error.to_string())?,
    };
    let firings: usize = before.successors.iter().map(Vec::len).sum();
    let truth =
        StateSpaceFigures { states: before.markings.len().into(), transitions: firings.into() };
    let (figures, _) =
        counting::count(&mut formula, 6_000, &mut || true).map_err(|error| error.to_string())?;
    ensure(figures == truth, || format!("the checker counts {figures:?}, there are {truth:?}"))?;
    let CountingFormula { components: parts, factors: weights, .. } = &mut formula;
    let until_end = StopRule::AtBudgetEnd;
    let sums =
        parts.iter().map(|part| sums::sums(part, weights, 2, until_end, &Budget::unlimited()));
    let sums: Result<Vec<_>, _> = sums.map(|sums| sums.map(|(sums, _)| sums)).collect();
    let figures = formula.figures(&sums.map_err(|error| error.to_string())?);
    ensure(figures == truth, || format!("the engine counts {figures:?}, there are {truth:?}"))
}

/// Checks that every reachable marking of the reduced net is translated back.
fn comes_back(
    net: &Net,
    reduction: &Reduction,
    after: &ReachedGraph,
    support: &[PlaceId],
) -> Result<(), String> {
    for (at, marking) in after.markings.iter().enumerate() {
        let back = reduction
            .back_translation
            .sequence(&after.path_to(at), &Budget::unlimited())
            .map_err(|e| e.to_string())?;
        let end = replay(net, &back).map_err(|e| e.to_string())?;
        let tokens: Vec<u64> = support.iter().map(|&p| end[p]).collect();
        let agrees = support.is_empty() || tokens == projected(reduction, marking)?;
        ensure(agrees, || format!("{back:?} ends elsewhere on S"))?;
    }
    Ok(())
}

/// Returns a random net: from the generator, or a sparse net with many agglomerations.
fn random_net(rng: &mut Rng) -> Net {
    let shape = Shape {
        places: rng.u32(2..=6),
        transitions: rng.u32(1..=6),
        weight: rng.u32(1..=3),
        tokens: rng.u32(1..=3),
        kind: [RandomKind::Free, RandomKind::Bounded, RandomKind::OneSafe][rng.usize(0..3)],
    };
    if rng.bool() { random_with(rng, &shape, "random".into()) } else { sparse_net(rng) }
}

fn sparse_net(rng: &mut Rng) -> Net {
    let mut builder = NetBuilder::new("sparse");
    let weight = |rng: &mut Rng| [1, 1, 1, 1, 1, 2, 2, 3][rng.usize(0..8)];
    let plain = rng.bool();
    let places: Vec<_> = (0..rng.u32(2..=6))
        .map(|i| {
            let tokens = [0, 0, 0, 1, 1, 2, 3][rng.usize(0..7)];
            builder.place(&format!("p{i}"), tokens).expect("fresh")
        })
        .collect();
    type Side = Vec<(PlaceId, u64)>;
    let mut earlier: Vec<(Side, Side)> = Vec::new();
    for i in 0..rng.u32(1..=6) {
        let mut side = |sizes: [usize; 8]| -> Vec<(PlaceId, u64)> {
            let mut side: Vec<(PlaceId, u64)> = Vec::new();
            for _ in 0..sizes[rng.usize(0..8)] {
                let p = places[rng.usize(0..places.len())];
                if side.iter().all(|&(q, _)| q != p) {
                    side.push((p, if plain { 1 } else { weight(rng) }));
                }
            }
            side
        };
        let mut inputs = side([0, 1, 1, 1, 1, 1, 2, 2]);
        let mut outputs = side([0, 1, 1, 1, 1, 1, 2, 2]);
        if let Some((a, b)) = earlier.get(rng.usize(0..8)) {
            // A transition similar to an earlier one, or its reverse.
            match rng.u32(0..3) {
                0 => inputs = a.clone(),
                1 => (inputs, outputs) = (b.clone(), a.clone()),
                _ => outputs = b.clone(),
            }
        }
        let t = builder.transition(&format!("t{i}")).expect("fresh");
        for &(p, weight) in &inputs {
            builder.take(t, p, weight).expect("small");
        }
        for &(p, weight) in &outputs {
            builder.put(t, p, weight).expect("small");
        }
        earlier.push((inputs, outputs));
    }
    builder.build().expect("small")
}

fn random_needs(rng: &mut Rng, net: &Net, class: Preserve) -> Needs {
    let dense = rng.u32(1..=4);
    let support = net.places().filter(|_| rng.u32(0..8) < dense).collect();
    let protects = class.covers(L) || (class.covers(R) && rng.u32(0..3) == 0);
    let protected = net.transitions().filter(|_| protects && rng.u32(0..3) == 0).collect();
    if class == M {
        return counting::needs_of_counting();
    }
    // Half of the deadlock questions have an empty support.
    let support = if class == D && rng.bool() { Vec::new() } else { support };
    Needs { support, protected, preserve: class }
}

/// Translates the needs to a net in which some nodes are missing.
fn as_named(needs: &Needs, of: &Net, to: &Net) -> Needs {
    let place = |&p: &PlaceId| to.place_named(of.place_name(p));
    let transition = |&t: &TransitionId| to.transition_named(of.transition_name(t));
    Needs {
        support: needs.support.iter().filter_map(place).collect(),
        protected: needs.protected.iter().filter_map(transition).collect(),
        preserve: needs.preserve,
    }
}

/// Checks random nets. Returns the number of nets on which a rule applied, or the first error.
fn campaign(
    seed: u64,
    nets: u64,
    class: Preserve,
    way: &ReductionOptions,
    mut applied: impl FnMut(&Reduction),
) -> Result<(), String> {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..nets {
        let net = random_net(&mut rng);
        let needs = random_needs(&mut rng, &net, class);
        // A rule's own candidates are a subset of all candidates that satisfy its conditions. Both
        // are tested.
        let mut way = way.clone();
        let alone = way.config.only.is_some();
        if way.dropped.is_some() || (alone && rng.bool()) {
            way.anywhere = Some(rng.u64(..));
        }
        // Strong rules leave little to the others, so half of the time some rules are off.
        if !alone && rng.bool() {
            let some = rules::names().filter(|_| rng.u32(0..3) > 0);
            way.config.only = Some(some.collect());
            if rng.u32(0..3) == 0 {
                way.anywhere = Some(rng.u64(..));
            }
        }
        match examine(&net, &needs, &way) {
            Ok(Some(reduction)) => applied(&reduction),
            Ok(None) => {}
            // The report of a mutant is not printed.
            Err(complaint) if way.dropped.is_some() => return Err(complaint),
            Err(_) => {
                let least =
                    least(&net, |it| examine(it, &as_named(&needs, &net, it), &way).is_err());
                let (needs, net) = (as_named(&needs, &net, &least), least);
                let complaint = examine(&net, &needs, &way).expect_err("it fails");
                let reduced = way.reduce(&net, &needs);
                let steps: Vec<_> = reduced.log.in_names(&net, reduced.needs()).steps;
                return Err(format!(
                    "{complaint}\n{needs:?}\n{}became\n{}by {steps:#?}",
                    text::print(&net),
                    text::print(&reduced.net),
                ));
            }
        }
    }
    Ok(())
}

/// Calls `work` for each element of `all` on up to 4 threads. Returns the sorted results.
fn for_each<T: Sync, R: Ord + Send>(all: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(4);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Some(result) = work(one) {
                        found.lock().expect("no panic").push(result);
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().expect("no panic");
    found.sort_unstable();
    found
}

/// Rules whose candidates come from linear programs. The script `scripts/test.sh` tests them with
/// each LP solver.
const ASK_PROGRAMS: [&str; 2] = ["unmarkable-presets", "structurally-implicit-places"];

/// Tests every rule of the product except [`ASK_PROGRAMS`], so that a new rule needs no change
/// here.
#[test]
fn every_rule_alone_preserves_what_it_claims() {
    each_alone(|rule| !ASK_PROGRAMS.contains(&rule));
}

#[test]
fn rules_with_linear_programs_alone_preserve_what_they_claim() {
    each_alone(|rule| ASK_PROGRAMS.contains(&rule));
}

fn each_alone(wanted: impl Fn(&str) -> bool) {
    let rules: Vec<_> = rules::names().enumerate().filter(|(_, rule)| wanted(rule)).collect();
    assert!(rules.len() >= 2, "{rules:?}");
    let complaints = for_each(&rules, |&(at, rule)| alone(at as u64, rule).err());
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Tests a rule alone, given by its index and name.
fn alone(number: u64, rule: &'static str) -> Result<(), String> {
    for (seed, &(class_name, class)) in (number * 10..).zip(&CLASSES) {
        if !claims(rule, class) {
            continue;
        }
        let config = ReductionConfig { only: Some(vec![rule]), ..ReductionConfig::default() };
        let way = ReductionOptions { config, ..ReductionOptions::default() };
        let mut applied = 0;
        campaign(seed, nets_per_rule(), class, &way, |_| applied += 1)
            .map_err(|complaint| format!("{rule} does not preserve {class_name}: {complaint}"))?;
        println!("{rule} {class_name}: applied to {applied} nets");
        ensure(applied * 1_000 >= nets_per_rule(), || format!("{rule}: {applied} nets only"))?;
    }
    Ok(())
}

#[test]
fn all_rules_together_preserve_every_class() {
    std::thread::scope(|scope| {
        for (at, &(class_name, class)) in CLASSES.iter().enumerate() {
            scope.spawn(move || {
                let mut counts: HashMap<&str, u64> = HashMap::new();
                let count = |reduction: &Reduction| {
                    for entry in &reduction.statistics.rules {
                        *counts.entry(entry.name).or_default() += entry.applied;
                    }
                };
                let seed = 1_000 + at as u64;
                let way = ReductionOptions::default();
                if let Err(complaint) = campaign(seed, nets_per_class(), class, &way, count) {
                    panic!("together the rules do not preserve {class_name}: {complaint}");
                }
                let mut counts: Vec<_> = counts.into_iter().collect();
                counts.sort_unstable();
                println!("{class_name}: {counts:?}");
            });
        }
    });
}

/// On possibly unbounded nets: a self-covering sequence of the reduced net is translated to one of
/// the original net, with the same growing places of the support.
#[test]
fn self_covering_sequences_are_translated_back() {
    let mut rng = Rng::with_seed(5);
    let (mut pumps, mut changed) = (0, 0);
    for _ in 0..nets_per_class() * 2 {
        let net = random_net(&mut rng);
        let needs = random_needs(&mut rng, &net, R);
        let some = rules::names().filter(|_| rng.u32(0..3) > 0);
        let config = ReductionConfig { only: Some(some.collect()), ..ReductionConfig::default() };
        let reduction = reduce(&net, &needs, &Budget::unlimited(), &config);
        let small = &reduction.net;
        let mut run: Vec<TransitionId> = Vec::new();
        let mut markings = vec![small.initial().clone()];
        let found = (0..40).find_map(|_| {
            let marking = markings.last().expect("the initial one");
            let enabled: Vec<_> =
                small.transitions().filter(|&t| small.is_enabled(marking, t)).collect();
            let mut next = marking.clone();
            let &t = enabled.get(rng.usize(0..enabled.len().max(1)))?;
            small.fire(&mut next, t).expect("enabled");
            run.push(t);
            let covers = |m: &Marking| small.places().all(|p| m[p] <= next[p]) && *m != next;
            let from = markings.iter().position(covers);
            markings.push(next);
            from
        });
        let Some(from) = found else { continue };
        pumps += 1;
        let (prefix, pump) = run.split_at(from);
        let [prefix, pump] =
            [prefix, pump].map(|part| part.iter().copied().collect::<FiringSequence>());
        let (prefix, pump) =
            reduction.back_translation.pump(&prefix, &pump, &Budget::unlimited()).unwrap();
        let checked = check_pump(&net, &prefix, &pump);
        let complaint = || format!("{needs:?}\n{}{}", text::print(&net), text::print(small));
        let (before, after) = checked.unwrap_or_else(|e| panic!("{e}\n{}", complaint()));
        let (start, end) = (&markings[from], &markings[run.len()]);
        for &p in &reduction.needs().support {
            let grows = reduction.map_place(p).is_some_and(|p| start[p] < end[p]);
            assert_eq!(before[p] < after[p], grows, "{p:?} {}", complaint());
        }
        changed += usize::from(!reduction.log.is_empty());
    }
    assert!(changed > 100, "{pumps} pumps, {changed} of them of nets that were reduced");
}

/// Rules that do not apply to nodes which they created. A second reduction treats these nodes as
/// original, so it may apply the rules again.
const ONCE: [&str; 3] =
    ["token-prefiring", "partial-post-agglomeration", "free-agglomeration-product"];

#[test]
fn a_second_reduction_changes_nothing() {
    let mut rng = Rng::with_seed(11);
    let names = rules::names().filter(|rule| !ONCE.contains(rule)).collect();
    let config = ReductionConfig { only: Some(names), ..ReductionConfig::default() };
    let mut applied = 0;
    for _ in 0..nets_per_class() {
        let net = random_net(&mut rng);
        let class = [R, D, R | D][rng.usize(0..3)];
        let needs = Needs { protected: Vec::new(), ..random_needs(&mut rng, &net, class) };
        let once = reduce(&net, &needs, &Budget::unlimited(), &config);
        applied += usize::from(!once.log.is_empty());
        let support = needs.support.iter().filter_map(|&p| once.map_place(p)).collect();
        let again = Needs { support, ..needs.clone() };
        let twice = reduce(&once.net, &again, &Budget::unlimited(), &config);
        let steps = twice.log.in_names(&once.net, &again).steps;
        assert!(steps.is_empty(), "{needs:?}\n{}{steps:?}", text::print(&net));
    }
    assert!(applied * 2 > nets_per_class() as usize, "{applied}");
}

#[test]
fn goals_translate() {
    let mut rng = Rng::with_seed(7);
    let (mut reached, mut asked) = (0, 0);
    for seed in 0..nets_per_class() {
        let net = random_net(&mut rng);
        let Some(before) =
            oracle::explore(&net, oracle::OracleLimits { states: 1_500, tokens: 200 })
        else {
            continue;
        };
        for goal in random_goals(seed, &net, 2) {
            let needs = needs::of_goals(&net, [&goal]);
            let reduction = reduce(&net, &needs, &Budget::unlimited(), &ReductionConfig::default());
            let translated = reduction.translate(&net, &goal).expect("covered by its own needs");
            let after = oracle::explore(&reduction.net, oracle::OracleLimits::default())
                .expect("no more markings than before");
            let truth = match after.answer(&translated.goal) {
                oracle::GoalTruth::Maximum(m) => {
                    oracle::GoalTruth::Maximum(m + translated.constant)
                }
                truth => truth,
            };
            assert_eq!(truth, before.answer(&goal), "{goal:?}\n{}", text::print(&net));
            asked += 1;
            if let Goal::Reach(_) = goal {
                reached += usize::from(truth == oracle::GoalTruth::Reachable(true));
            }
        }
    }
    assert!(asked > 1_000 && reached > 100, "{asked} {reached}");
}

/// Returns every condition of every rule.
fn mutants() -> Vec<(&'static str, u8)> {
    let of_rule = |rule: &'static Conditions| {
        let name = rule.name;
        (1..=rule.conditions).map(move |number| (name, number)).collect::<Vec<_>>()
    };
    rules::ALL.iter().flat_map(of_rule).collect()
}

/// Conditions that are redundant, so that no test can detect their absence, each with a reason.
const REDUNDANT: &[(&str, u8)] = &[];

#[test]
fn every_dropped_condition_is_noticed() {
    let all = mutants();
    let mut survivors = for_each(&all, |&(rule, number)| {
        let config = ReductionConfig { only: Some(vec![rule]), ..ReductionConfig::default() };
        let way = ReductionOptions { config, dropped: Some(number), ..ReductionOptions::default() };
        let noticed = CLASSES.iter().enumerate().any(|(at, &(_, class))| {
            claims(rule, class) && campaign(at as u64, 20_000, class, &way, |_| ()).is_err()
        });
        (!noticed).then_some((rule, number))
    });
    survivors.retain(|mutant| !REDUNDANT.contains(mutant));
    println!("{} mutants, {} survive", all.len(), survivors.len());
    assert!(survivors.is_empty(), "not noticed: {survivors:?}");
    assert!(all.len() >= 15);
}
