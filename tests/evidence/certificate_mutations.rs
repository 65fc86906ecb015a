//! Mutated certificates of all kinds that engines produce: the checkers accept nothing false.
//! (Linear certificates are in `linear_mutations`.)
//!
//! Some mutations leave a certificate valid, so acceptance alone is no failure. The claims of an
//! accepted certificate must be true by enumeration, and every kind of mutation must be rejected at
//! least once.

use crate::support::documents::{ProofKind, ProvedRefutation, TestProof, proofs};
use crate::support::nets;
use crate::support::oracle::{GoalTruth, OracleLimits, StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::Document;
use parikh::evidence::certificate::bounds::{BoundStep, TokenBound};
use parikh::evidence::certificate::{BoundsCertificate, Induction, NamedDocument};
use parikh::evidence::reduction::NamedLog;
use parikh::evidence_files::document_in_names;
use parikh::net::{Atom, Goal, LinearSum, Net, PlaceId, Predicate};
use parikh_generate::{Shape, random, random_goals};
use serde_json::{Value, json};

pub(crate) const LIMITS: OracleLimits = OracleLimits { states: 1000, tokens: 100 };

/// Returns unreachable predicates among random goals and a few simple ones.
pub(crate) fn refutable(net: &Net, space: &StateSpace<'_>, seed: u64) -> Vec<Predicate> {
    let mut goals = random_goals(seed, net, 6);
    goals.push(Goal::Reach(Predicate::Dead));
    goals.extend(net.places().map(|place| Goal::Reach(Predicate::at_least(place, 3))));
    goals.extend(net.places().map(|place| Goal::Maximise(LinearSum::place(place))));
    goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    let refuted = |goal: Goal| match (space.answer(&goal), goal) {
        (GoalTruth::Reachable(false), Goal::Reach(predicate)) => Some(predicate),
        (GoalTruth::Maximum(most), Goal::Maximise(sum)) => {
            Some(Predicate::at_most(sum, i64::try_from(most).unwrap()).negated())
        }
        _ => None,
    };
    goals.into_iter().filter_map(refuted).collect()
}

/// A mutation of a proof or of the predicates that it refutes. Returns false if there is nothing to
/// change.
type Mutation<T> = fn(&mut T, &mut Vec<Predicate>, &Net, &mut Rng) -> bool;

fn some<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let count = list.len();
    (count > 0).then(|| &mut list[rng.usize(..count)])
}

fn bound<'a>(bounds: &'a mut BoundsCertificate, rng: &mut Rng) -> Option<&'a mut TokenBound> {
    let all = bounds.steps.iter_mut().flat_map(|step| match step {
        BoundStep::Inductive(bounds) | BoundStep::Weighted { bounds, .. } => bounds.iter_mut(),
        BoundStep::SafeUnits(_) => [].iter_mut(),
    });
    let mut all: Vec<&mut TokenBound> = all.collect();
    let count = all.len();
    (count > 0).then(|| all.swap_remove(rng.usize(..count)))
}

fn weights<'a>(
    bounds: &'a mut BoundsCertificate,
    rng: &mut Rng,
) -> Option<&'a mut Vec<(PlaceId, i128)>> {
    let all = bounds.steps.iter_mut().filter_map(|step| match step {
        BoundStep::Weighted { weights, .. } => Some(weights),
        _ => None,
    });
    let mut all: Vec<_> = all.collect();
    let count = all.len();
    (count > 0).then(|| all.swap_remove(rng.usize(..count)))
}

fn any_place(net: &Net, rng: &mut Rng) -> PlaceId {
    PlaceId::new(rng.usize(..net.place_count()))
}

pub(crate) fn any_predicate(net: &Net, rng: &mut Rng) -> Predicate {
    match random_goals(rng.u64(..), net, 1).remove(0) {
        Goal::Reach(predicate) => predicate,
        Goal::Maximise(sum) => Predicate::at_most(sum, rng.i64(-1..3)).negated(),
        _ => panic!("none is made"),
    }
}

const OF_BOUNDS: [(&str, Mutation<BoundsCertificate>); 20] = [
    ("no steps", |b, _, _, _| !std::mem::take(&mut b.steps).is_empty()),
    ("the last step less", |b, _, _, _| b.steps.pop().is_some()),
    ("the first step less", |b, _, _, _| {
        !b.steps.is_empty() && b.steps.remove(0) != BoundStep::SafeUnits(vec![])
    }),
    ("steps the other way round", |b, _, _, _| {
        b.steps.reverse();
        b.steps.len() > 1
    }),
    ("a token less", |b, _, _, rng| {
        bound(b, rng).filter(|b| b.upper && b.tokens > 0).map(|b| b.tokens -= 1).is_some()
    }),
    ("a token more", |b, _, _, rng| {
        bound(b, rng).filter(|b| !b.upper).map(|b| b.tokens += 1).is_some()
    }),
    ("the other side", |b, _, _, rng| bound(b, rng).map(|b| b.upper = !b.upper).is_some()),
    ("another place", |b, _, net, rng| {
        let other = any_place(net, rng);
        bound(b, rng).is_some_and(|b| std::mem::replace(&mut b.place, other) != other)
    }),
    ("a place that does not exist", |b, _, net, rng| {
        bound(b, rng).map(|b| b.place = PlaceId::new(net.place_count())).is_some()
    }),
    ("a bound less", |b, _, _, rng| {
        some(&mut b.steps, rng).is_some_and(|step| match step {
            BoundStep::Inductive(bounds) | BoundStep::Weighted { bounds, .. } => {
                bounds.pop().is_some()
            }
            BoundStep::SafeUnits(places) => places.pop().is_some(),
        })
    }),
    ("an inductive bound out of nothing", |b, refuted, net, rng| {
        let place = any_place(net, rng);
        let tokens = net.initial()[place];
        b.steps.push(BoundStep::Inductive(vec![TokenBound { place, upper: rng.bool(), tokens }]));
        refuted.push(match rng.bool() {
            true => Predicate::at_least(place, tokens + 1),
            false => Predicate::no_more_than(place, tokens.saturating_sub(1)),
        });
        true
    }),
    ("a weighted bound out of nothing", |b, refuted, net, rng| {
        let place = any_place(net, rng);
        let bounds = vec![TokenBound { place, upper: true, tokens: rng.u64(..3) }];
        let weights = vec![(any_place(net, rng), rng.i128(-2..3)), (place, 1)];
        b.steps.push(BoundStep::Weighted { weights, bounds });
        refuted.push(Predicate::at_least(place, 3));
        true
    }),
    ("a weight less", |b, _, _, rng| weights(b, rng).is_some_and(|w| w.pop().is_some())),
    ("a weight raised", |b, _, _, rng| {
        weights(b, rng).and_then(|w| some(w, rng)).map(|w| w.1 += 1).is_some()
    }),
    ("weights turned around", |b, _, _, rng| {
        weights(b, rng).map(|w| w.iter_mut().for_each(|w| w.1 = -w.1)).is_some()
    }),
    ("a weight beyond all numbers", |b, _, net, rng| {
        let place = any_place(net, rng);
        weights(b, rng).map(|w| w.extend([(place, i128::MAX), (place, i128::MAX)])).is_some()
    }),
    ("units that nobody claims", |b, _, net, rng| {
        b.assumes_units = true;
        b.steps.push(BoundStep::SafeUnits(vec![any_place(net, rng)]));
        true
    }),
    ("another question", |_, refuted, net, rng| {
        *refuted = vec![any_predicate(net, rng)];
        true
    }),
    ("a question more", |_, refuted, net, rng| {
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("a question turned around", |_, refuted, _, rng| {
        some(refuted, rng).is_some_and(|predicate| {
            *predicate = predicate.clone().negated();
            true
        })
    }),
];

fn literal<'a>(induction: &'a mut Induction, rng: &mut Rng) -> Option<&'a mut i32> {
    some(&mut induction.clauses, rng).and_then(|clause| some(clause, rng))
}

/// Returns a random comparison or its negation, as a literal.
fn any_literal(induction: &mut Induction, net: &Net, rng: &mut Rng) -> i32 {
    let sum = LinearSum::place(any_place(net, rng));
    induction.atoms.push(Atom { sum, bound: rng.i64(-1..3) });
    let variable = induction.atoms.len() as i32;
    if rng.bool() { variable } else { -variable }
}

/// Changes a random comparison.
fn change(induction: &mut Induction, rng: &mut Rng, to: impl FnOnce(&Atom) -> Atom) -> bool {
    let changed = some(&mut induction.atoms, rng).map(|atom| {
        let other = to(atom);
        std::mem::replace(atom, other.clone()) != other
    });
    changed.unwrap_or(false)
}

const OF_INDUCTIONS: [(&str, Mutation<Induction>); 32] = [
    ("no clauses", |i, _, _, _| !std::mem::take(&mut i.clauses).is_empty()),
    ("a clause less", |i, _, _, rng| {
        let count = i.clauses.len();
        count > 0 && !i.clauses.swap_remove(rng.usize(..count)).is_empty()
    }),
    ("an empty clause", |i, _, _, _| {
        i.clauses.push(Vec::new());
        true
    }),
    ("a clause out of nothing", |i, refuted, net, rng| {
        let clause = (0..rng.usize(1..3)).map(|_| any_literal(i, net, rng)).collect();
        i.clauses.push(clause);
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("a literal less", |i, _, _, rng| {
        some(&mut i.clauses, rng).is_some_and(|clause| clause.pop().is_some())
    }),
    ("a literal more", |i, _, net, rng| {
        let more = any_literal(i, net, rng);
        some(&mut i.clauses, rng).map(|clause| clause.push(more)).is_some()
    }),
    ("a literal turned around", |i, _, _, rng| {
        literal(i, rng).map(|literal| *literal = -*literal).is_some()
    }),
    ("another literal", |i, _, net, rng| {
        let other = any_literal(i, net, rng);
        literal(i, rng).map(|literal| *literal = other).is_some()
    }),
    ("a variable beyond", |i, _, _, rng| {
        let beyond = i.atoms.len() as i32 + 1;
        literal(i, rng).map(|literal| *literal = beyond).is_some()
    }),
    ("no variable", |i, _, _, rng| literal(i, rng).map(|literal| *literal = 0).is_some()),
    ("the least of all variables", |i, _, _, rng| {
        literal(i, rng).map(|literal| *literal = i32::MIN).is_some()
    }),
    ("a comparison with more", |i, _, _, rng| {
        change(i, rng, |atom| Atom { bound: atom.bound + 1, ..atom.clone() })
    }),
    ("a comparison with less", |i, _, _, rng| {
        change(i, rng, |atom| Atom { bound: atom.bound - 1, ..atom.clone() })
    }),
    ("a comparison of the negated sum", |i, _, _, rng| {
        change(i, rng, |atom| Atom { sum: atom.sum.negated(), ..atom.clone() })
    }),
    ("a comparison of another place", |i, _, net, rng| {
        let sum = LinearSum::place(any_place(net, rng)).negated();
        change(i, rng, |atom| Atom { sum, ..atom.clone() })
    }),
    ("a comparison of more places", |i, _, net, rng| {
        let more = (any_place(net, rng), if rng.bool() { 1 } else { -1 });
        change(i, rng, |atom| {
            let terms = atom.sum.terms().iter().copied().chain([more]);
            Atom { sum: LinearSum::new(terms).unwrap(), ..atom.clone() }
        })
    }),
    ("a comparison of a place that does not exist", |i, _, net, rng| {
        let sum = LinearSum::place(PlaceId::new(net.place_count()));
        change(i, rng, |atom| Atom { sum, ..atom.clone() })
    }),
    ("a comparison beyond all numbers", |i, _, net, rng| {
        let sum = LinearSum::new([(any_place(net, rng), i64::MAX)]).unwrap();
        change(i, rng, |_| Atom { sum, bound: i64::MIN })
    }),
    ("a remainder less", |i, _, _, _| i.remainders.pop().is_some()),
    ("another modulus", |i, _, _, rng| {
        some(&mut i.remainders, rng).map(|(_, modulus)| *modulus += rng.u32(1..4)).is_some()
    }),
    ("a remainder modulo less than 2", |i, _, _, rng| {
        some(&mut i.remainders, rng).map(|(_, modulus)| *modulus = rng.u32(..2)).is_some()
    }),
    ("a remainder twice", |i, _, _, rng| {
        let twice = some(&mut i.remainders, rng).copied();
        twice.map(|(at, modulus)| i.remainders.push((at, 3 * modulus))).is_some()
    }),
    ("a remainder of what is not compared", |i, _, _, rng| {
        i.remainders.push((i.atoms.len(), rng.u32(2..4)));
        true
    }),
    ("a remainder out of nothing", |i, refuted, net, rng| {
        let terms = [(); 2].map(|()| (any_place(net, rng), rng.i64(-2..3)));
        i.atoms.push(Atom { sum: LinearSum::new(terms).unwrap(), bound: rng.i64(-1..3) });
        i.remainders.push((i.atoms.len() - 1, rng.u32(2..4)));
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("no bounds", |i, _, _, _| !std::mem::take(&mut i.bounds.steps).is_empty()),
    ("an inductive bound out of nothing", |i, refuted, net, rng| {
        let place = any_place(net, rng);
        let tokens = net.initial()[place];
        i.bounds.steps.push(BoundStep::Inductive(vec![TokenBound { place, upper: true, tokens }]));
        refuted.push(Predicate::at_least(place, tokens + 1));
        true
    }),
    ("an empty step", |i, _, _, _| {
        i.steps.push(Vec::new());
        true
    }),
    ("a step out of nothing", |i, refuted, net, rng| {
        let step = vec![any_literal(i, net, rng)];
        i.steps.push(step);
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("an ending out of nothing", |i, refuted, net, rng| {
        *refuted = vec![any_predicate(net, rng)];
        i.ending = vec![Vec::new()];
        true
    }),
    ("another question", |_, refuted, net, rng| {
        *refuted = vec![any_predicate(net, rng)];
        true
    }),
    ("a question more", |_, refuted, net, rng| {
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("a question turned around", |_, refuted, _, rng| {
        some(refuted, rng).is_some_and(|predicate| {
            *predicate = predicate.clone().negated();
            true
        })
    }),
];

const OF_MARKINGS: [(&str, Mutation<u64>); 6] = [
    ("a marking more", |m, _, _, _| {
        *m += 1;
        true
    }),
    ("a marking less", |m, _, _, _| {
        *m -= 1;
        true
    }),
    ("no marking", |m, _, _, _| std::mem::take(m) > 0),
    ("another question", |_, refuted, net, rng| {
        *refuted = vec![any_predicate(net, rng)];
        true
    }),
    ("a question more", |_, refuted, net, rng| {
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("a question turned around", |_, refuted, _, rng| {
        some(refuted, rng).is_some_and(|predicate| {
            *predicate = predicate.clone().negated();
            true
        })
    }),
];

/// A log with a certificate about the net that it leads to.
type ReducedProof = (NamedLog, NamedDocument);

const OF_REDUCED: [(&str, Mutation<ReducedProof>); 18] = [
    ("no reduction", |r, _, _, _| !std::mem::take(&mut r.0.steps).is_empty()),
    ("the last application less", |r, _, _, _| r.0.steps.pop().is_some()),
    ("the first application less", |r, _, _, _| {
        !r.0.steps.is_empty() && !r.0.steps.remove(0).rule.is_empty()
    }),
    ("applications the other way round", |r, _, _, _| {
        r.0.steps.reverse();
        r.0.steps.len() > 1
    }),
    ("an application twice", |r, _, _, rng| {
        let step = some(&mut r.0.steps, rng).cloned();
        step.map(|step| r.0.steps.push(step)).is_some()
    }),
    ("another place", |r, _, net, rng| {
        let name = net.place_name(any_place(net, rng)).to_owned();
        some(&mut r.0.steps, rng)
            .and_then(|step| step.places.first_mut())
            .is_some_and(|place| std::mem::replace(place, name.clone()) != name)
    }),
    ("another transition", |r, _, net, rng| {
        if net.transition_count() == 0 {
            return false;
        }
        let t = parikh::net::TransitionId::new(rng.usize(..net.transition_count()));
        let name = net.transition_name(t).to_owned();
        some(&mut r.0.steps, rng)
            .and_then(|step| step.transitions.first_mut())
            .is_some_and(|place| std::mem::replace(place, name.clone()) != name)
    }),
    ("another rule", |r, _, _, rng| {
        let rules = parikh::reduction::rules::ALL;
        let name = rules[rng.usize(..rules.len())].name.to_owned();
        some(&mut r.0.steps, rng)
            .is_some_and(|step| std::mem::replace(&mut step.rule, name.clone()) != name)
    }),
    ("an application out of nothing", |r, _, net, rng| {
        let rules = ["constant-places", "implicit-places", "relevance", "source-transitions"];
        let step = parikh::reduction::LogStep {
            rule: rules[rng.usize(..rules.len())].to_owned(),
            places: vec![net.place_name(any_place(net, rng)).to_owned()],
            transitions: Vec::new(),
            weights: Vec::new(),
        };
        r.0.steps.insert(0, step);
        true
    }),
    ("a place asked for less", |r, _, _, _| r.0.support.pop().is_some()),
    ("no places and transitions asked for", |r, _, _, _| {
        let some = !r.0.support.is_empty() || !r.0.protected.is_empty();
        r.0.support.clear();
        r.0.protected.clear();
        some
    }),
    ("nothing to preserve", |r, _, _, _| !std::mem::take(&mut r.0.preserves).is_empty()),
    ("something else to preserve", |r, _, _, _| {
        r.0.preserves = vec!["liveness".to_owned()];
        true
    }),
    ("another inner certificate", |r, _, _, _| {
        r.1 = Document::Bounds(BoundsCertificate { assumes_units: false, steps: Vec::new() });
        true
    }),
    ("inner steps dropped", |r, _, _, _| match &mut r.1 {
        Document::Linear(certificate) => !std::mem::take(&mut certificate.lemmas).is_empty(),
        Document::Bounds(bounds) => !std::mem::take(&mut bounds.steps).is_empty(),
        Document::Induction(induction) => !std::mem::take(&mut induction.clauses).is_empty(),
        Document::Markings(_) => false,
        Document::ClosedSet(set) => !std::mem::take(&mut set.nodes).is_empty(),
    }),
    ("another question", |_, refuted, net, rng| {
        *refuted = vec![any_predicate(net, rng)];
        true
    }),
    ("a question more", |_, refuted, net, rng| {
        refuted.push(any_predicate(net, rng));
        true
    }),
    ("a question turned around", |_, refuted, _, rng| {
        some(refuted, rng).is_some_and(|predicate| {
            *predicate = predicate.clone().negated();
            true
        })
    }),
];

/// Returns true if a proof is accepted for all predicates. Asserts that every predicate for which
/// the proof is accepted is unreachable.
fn accepts(proof: &TestProof, net: &Net, refuted: &[Predicate], space: &StateSpace<'_>) -> bool {
    let Ok(verdicts) = proof.verdicts(net, refuted) else { return false };
    for (predicate, accepted) in refuted.iter().zip(&verdicts) {
        assert!(!accepted || !space.reaches(predicate), "{predicate:?}: {proof:?}");
    }
    verdicts.into_iter().all(|accepted| accepted)
}

/// Counts of tried and of rejected mutations, by kind.
struct Tally(Vec<(&'static str, usize, usize)>);

impl Tally {
    fn new<T>(mutations: &[(&'static str, Mutation<T>)]) -> Tally {
        Tally(mutations.iter().map(|&(name, _)| (name, 0, 0)).collect())
    }

    /// Tries every mutation on a certificate.
    fn all<T: Clone>(
        &mut self,
        (original, refuted): (&T, &[Predicate]),
        mutations: &[(&'static str, Mutation<T>)],
        proof: fn(T) -> TestProof,
        (net, space): (&Net, &StateSpace<'_>),
        rng: &mut Rng,
    ) {
        for ((_, mutation), (_, tried, rejected)) in mutations.iter().zip(&mut self.0) {
            let (mut mutilated, mut refuted) = (original.clone(), refuted.to_vec());
            if !mutation(&mut mutilated, &mut refuted, net, rng) {
                continue;
            }
            *tried += 1;
            let mutilated = proof(mutilated);
            let accepted = accepts(&mutilated, net, &refuted, space);
            *rejected += usize::from(!accepted);
        }
    }

    fn each_was_rejected(&self) {
        for (name, tried, rejected) in &self.0 {
            eprintln!("{name}: {rejected} of {tried} rejected");
            assert!(*rejected > 0, "{name}: {tried} tried, none rejected");
            assert!(*tried >= 100, "{name}: {tried} tried only");
        }
    }
}

#[test]
fn accepted_mutated_bounds_are_true() {
    let mut rng = Rng::with_seed(21);
    let mut tally = Tally::new(&OF_BOUNDS);
    for seed in 0..scaled(2000) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        for ProvedRefutation { proof, refuted } in
            proofs(&net, &refutable(&net, &space, seed), ProofKind::Bounds)
        {
            let TestProof::Plain(Document::Bounds(bounds)) = &proof else { panic!("{proof:?}") };
            let proof = |bounds| TestProof::Plain(Document::Bounds(bounds));
            tally.all((bounds, &refuted), &OF_BOUNDS, proof, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

#[test]
fn accepted_mutated_invariants_are_true() {
    let mut rng = Rng::with_seed(26);
    let mut tally = Tally::new(&OF_INDUCTIONS);
    for seed in 0..scaled(300) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let refuted = refutable(&net, &space, seed);
        for ProvedRefutation { proof, refuted } in proofs(&net, &refuted, ProofKind::Induction) {
            let TestProof::Plain(Document::Induction(induction)) = &proof else {
                panic!("{proof:?}")
            };
            let proof = |induction| TestProof::Plain(Document::Induction(induction));
            tally.all((induction, &refuted), &OF_INDUCTIONS, proof, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

#[test]
fn accepted_mutated_counts_of_markings_are_true() {
    let mut rng = Rng::with_seed(22);
    let mut tally = Tally::new(&OF_MARKINGS);
    for seed in 0..scaled(150) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        for ProvedRefutation { proof, refuted } in
            proofs(&net, &refutable(&net, &space, seed), ProofKind::Markings)
        {
            let TestProof::Plain(Document::Markings(count)) = &proof else { panic!("{proof:?}") };
            assert_eq!(*count as usize, space.states());
            let proof = |count| TestProof::Plain(Document::Markings(count));
            tally.all((count, &refuted), &OF_MARKINGS, proof, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

#[test]
fn accepted_mutated_reductions_are_true() {
    let mut rng = Rng::with_seed(23);
    let mut tally = Tally::new(&OF_REDUCED);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        for ProvedRefutation { proof, refuted } in
            proofs(&net, &refutable(&net, &space, seed), ProofKind::Reduced)
        {
            let TestProof::Reduced(log, document) = proof else { panic!("{proof:?}") };
            let (reduced, proof) = ((log, document), |(log, it)| TestProof::Reduced(log, it));
            tally.all((&reduced, &refuted), &OF_REDUCED, proof, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

/// Changes a random number, name or list in a file.
fn garble(value: &mut Value, names: &[String], rng: &mut Rng) {
    match value {
        Value::Object(fields) => {
            let count = fields.len();
            if let Some((_, field)) = fields.iter_mut().nth(rng.usize(..count.max(1))) {
                garble(field, names, rng);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = rng.usize(..items.len());
            match rng.u8(..8) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.swap(0, at),
                _ => garble(&mut items[at], names, rng),
            }
        }
        Value::Array(items) => items.push(Value::from(rng.i64(-1..3))),
        Value::Number(number) => {
            let change = [-2, -1, 1, 2][rng.usize(..4)];
            *value = Value::from(number.as_i64().unwrap_or(0) + change);
        }
        Value::String(name) if !names.is_empty() => {
            name.clone_from(&names[rng.usize(..names.len())])
        }
        Value::String(_) => {}
        Value::Bool(truth) => *truth = !*truth,
        Value::Null => *value = Value::from(0),
    }
}

/// Converts a proof to the JSON of an evidence file.
fn to_json(proof: &TestProof, net: &Net) -> Value {
    match proof {
        TestProof::Plain(document) => json!({"document": document_in_names(document, net)}),
        TestProof::Reduced(log, document) => json!({"log": log, "document": document}),
    }
}

fn of_json(file: &Value, net: &Net) -> Option<TestProof> {
    // The proof is parsed from text as files are, because `Value` represents fewer numbers.
    let read = |part: &Value| serde_json::from_str::<NamedDocument>(&part.to_string()).ok();
    let document = read(file.get("document")?)?;
    match file.get("log") {
        None => document.resolve(net).ok().map(TestProof::Plain),
        Some(log) => {
            Some(TestProof::Reduced(serde_json::from_str(&log.to_string()).ok()?, document))
        }
    }
}

#[test]
fn mutated_files_prove_no_false_claim() {
    let mut rng = Rng::with_seed(24);
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let mut names: Vec<String> = net.places().map(|p| net.place_name(p).to_owned()).collect();
        names.extend(net.transitions().map(|t| net.transition_name(t).to_owned()));
        names.extend(["reachability", "deadlock", "#1"].map(str::to_owned));
        let refuted = refutable(&net, &space, seed);
        for kind in [
            ProofKind::Bounds,
            ProofKind::Linear,
            ProofKind::Induction,
            ProofKind::Markings,
            ProofKind::Reduced,
        ] {
            for ProvedRefutation { proof, refuted } in proofs(&net, &refuted, kind).iter().take(4) {
                for _ in 0..8 {
                    let mut file = to_json(proof, &net);
                    for _ in 0..rng.usize(1..3) {
                        garble(&mut file, &names, &mut rng);
                    }
                    let read = of_json(&file, &net);
                    match read.is_some_and(|proof| accepts(&proof, &net, refuted, &space)) {
                        true => accepted += 1,
                        false => rejected += 1,
                    }
                }
            }
        }
    }
    eprintln!("{rejected} rejected, {accepted} still true");
    assert!(rejected > 1000 && accepted > 100);
}

#[test]
fn proofs_are_refused_for_nets_in_which_they_are_false() {
    let mut rng = Rng::with_seed(25);
    let (mut rejected, mut kept) = (0, 0);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let refuted = refutable(&net, &space, seed);
        let kinds = [
            ProofKind::Bounds,
            ProofKind::Markings,
            ProofKind::Induction,
            ProofKind::ClosedSet,
            ProofKind::Reduced,
        ];
        let made: Vec<ProvedRefutation> =
            kinds.iter().flat_map(|&kind| proofs(&net, &refuted, kind)).collect();
        for _ in 0..4 {
            let other = nets::mutilated(&net, &mut rng);
            let Some(space) = explore(&other, LIMITS) else { continue };
            for ProvedRefutation { proof, refuted } in &made {
                match accepts(proof, &other, refuted, &space) {
                    true => kept += 1,
                    false => rejected += 1,
                }
            }
        }
    }
    eprintln!("{rejected} rejected, {kept} still true");
    assert!(rejected > 300 && kept > 100);
}
