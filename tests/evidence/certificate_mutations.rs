//! Mutilated certificates of the kinds that the certifier makes: whatever is changed, the checkers
//! accept nothing false. (Sums of inequalities have a file of their own.)
//!
//! As there, acceptance by itself is no failure: what is demanded is that an accepted certificate's
//! claims are true by enumeration, and that every kind of mutation is rejected somewhere.

use crate::support::nets;
use crate::support::oracle::{Limits, StateSpace, Truth, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Argument, Proof};
use parikh::certifier::{Config, Refuted, certify};
use parikh::evidence::certificate::bounds::{Bound, Inference};
use parikh::evidence::certificate::{Bounds, Markings, Reduced};
use parikh::evidence::{Claim, Document};
use parikh::net::generate::{Shape, random, random_goals};
use parikh::net::{Goal, LinearSum, Net, PlaceId, Predicate};
use parikh::solvers::Budget;
use serde_json::Value;

pub(crate) const LIMITS: Limits = Limits { states: 1000, tokens: 100 };

/// Everything true that random goals and a few plain ones come to.
pub(crate) fn true_claims(net: &Net, space: &StateSpace<'_>, seed: u64) -> Vec<Claim> {
    let mut goals = random_goals(seed, net, 6);
    goals.push(Goal::Reach(Predicate::Dead));
    goals.extend(net.places().map(|place| Goal::Reach(Predicate::at_least(place, 3))));
    goals.extend(net.places().map(|place| Goal::Maximise(LinearSum::place(place))));
    goals.extend(net.transitions().map(|t| Goal::Reach(Predicate::Enabled(t))));
    let claim = |goal: Goal| match (space.answer(&goal), goal) {
        (Truth::Reachable(false), Goal::Reach(predicate)) => Some(Claim::Unreachable(predicate)),
        (Truth::Maximum(most), Goal::Maximise(sum)) => {
            Some(Claim::AtMost(sum, i64::try_from(most).unwrap()))
        }
        _ => None,
    };
    goals.into_iter().filter_map(claim).collect()
}

const NONE: Config = Config { bounds: false, linear: false, markings: 0, reduced: false };
pub(crate) const BOUNDS: Config = Config { bounds: true, ..NONE };
pub(crate) const LINEAR: Config = Config { linear: true, ..NONE };
pub(crate) const MARKINGS: Config = Config { markings: 1000, ..NONE };
pub(crate) const REDUCED: Config = Config { reduced: true, ..NONE };

/// Certificates of one kind, for as many of the claims as there are any; each checked.
pub(crate) fn certificates(net: &Net, claims: &[Claim], config: &Config) -> Vec<Document> {
    let refuted = |(at, claim): (usize, &Claim)| Refuted {
        // A few questions, so that some have several claims.
        id: format!("{}", at % 3),
        claim: claim.clone(),
        proof: Proof::new(Argument::Bounds(parikh::net::Provenance::Flows), None),
    };
    let refuted: Vec<Refuted> = claims.iter().enumerate().map(refuted).collect();
    let mut documents = Vec::new();
    let summary = certify(net, &refuted, config, &Budget::unlimited(), |_, document| {
        documents.push(document.clone());
    });
    let claimed: usize = documents.iter().map(|document| document.claims().len()).sum();
    assert_eq!(claimed, summary.count());
    assert_eq!(claimed + summary.without.len(), claims.len());
    for document in &documents {
        document.check(net).unwrap();
        let (read, about) = Document::parse(net, &document.print(net, "it")).unwrap();
        assert_eq!((&read, about.as_str()), (document, "it"));
    }
    documents
}

fn is_true(document: &Document, space: &StateSpace<'_>) -> bool {
    document.claims().iter().all(|claim| !space.reaches(&claim.refuted()))
}

/// A change; false when there is nothing to change.
type Mutation<T> = fn(&mut T, &Net, &mut Rng) -> bool;

fn some<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let count = list.len();
    (count > 0).then(|| &mut list[rng.usize(..count)])
}

fn bound<'a>(bounds: &'a mut Bounds, rng: &mut Rng) -> Option<&'a mut Bound> {
    let all = bounds.steps.iter_mut().flat_map(|step| match step {
        Inference::Inductive(bounds) | Inference::Weighted { bounds, .. } => bounds.iter_mut(),
        Inference::SafeUnits(_) => [].iter_mut(),
    });
    let mut all: Vec<&mut Bound> = all.collect();
    let count = all.len();
    (count > 0).then(|| all.swap_remove(rng.usize(..count)))
}

fn weights<'a>(bounds: &'a mut Bounds, rng: &mut Rng) -> Option<&'a mut Vec<(PlaceId, i128)>> {
    let all = bounds.steps.iter_mut().filter_map(|step| match step {
        Inference::Weighted { weights, .. } => Some(weights),
        _ => None,
    });
    let mut all: Vec<_> = all.collect();
    let count = all.len();
    (count > 0).then(|| all.swap_remove(rng.usize(..count)))
}

fn any_place(net: &Net, rng: &mut Rng) -> PlaceId {
    PlaceId::new(rng.usize(..net.place_count()))
}

pub(crate) fn any_claim(net: &Net, rng: &mut Rng) -> Claim {
    match random_goals(rng.u64(..), net, 1).remove(0) {
        Goal::Reach(predicate) => Claim::Unreachable(predicate),
        Goal::Maximise(sum) => Claim::AtMost(sum, rng.i64(-1..3)),
        Goal::Home(_) => panic!("none is made"),
    }
}

const OF_BOUNDS: [(&str, Mutation<Bounds>); 20] = [
    ("no steps", |b, _, _| !std::mem::take(&mut b.steps).is_empty()),
    ("the last step less", |b, _, _| b.steps.pop().is_some()),
    ("the first step less", |b, _, _| {
        !b.steps.is_empty() && b.steps.remove(0) != Inference::SafeUnits(vec![])
    }),
    ("steps the other way round", |b, _, _| {
        b.steps.reverse();
        b.steps.len() > 1
    }),
    ("a token less", |b, _, rng| {
        bound(b, rng).filter(|b| b.upper && b.tokens > 0).map(|b| b.tokens -= 1).is_some()
    }),
    ("a token more", |b, _, rng| {
        bound(b, rng).filter(|b| !b.upper).map(|b| b.tokens += 1).is_some()
    }),
    ("the other side", |b, _, rng| bound(b, rng).map(|b| b.upper = !b.upper).is_some()),
    ("another place", |b, net, rng| {
        let other = any_place(net, rng);
        bound(b, rng).is_some_and(|b| std::mem::replace(&mut b.place, other) != other)
    }),
    ("a place that does not exist", |b, net, rng| {
        bound(b, rng).map(|b| b.place = PlaceId::new(net.place_count())).is_some()
    }),
    ("a bound less", |b, _, rng| {
        some(&mut b.steps, rng).is_some_and(|step| match step {
            Inference::Inductive(bounds) | Inference::Weighted { bounds, .. } => {
                bounds.pop().is_some()
            }
            Inference::SafeUnits(places) => places.pop().is_some(),
        })
    }),
    ("an inductive bound out of nothing", |b, net, rng| {
        let place = any_place(net, rng);
        let tokens = net.initial()[place];
        b.steps.push(Inference::Inductive(vec![Bound { place, upper: rng.bool(), tokens }]));
        let claim = if rng.bool() {
            Predicate::at_least(place, tokens + 1)
        } else {
            Predicate::no_more_than(place, tokens.saturating_sub(1))
        };
        b.claims.push(Claim::Unreachable(claim));
        true
    }),
    ("a weighted bound out of nothing", |b, net, rng| {
        let place = any_place(net, rng);
        let bounds = vec![Bound { place, upper: true, tokens: rng.u64(..3) }];
        let weights = vec![(any_place(net, rng), rng.i128(-2..3)), (place, 1)];
        b.steps.push(Inference::Weighted { weights, bounds });
        b.claims.push(Claim::Unreachable(Predicate::at_least(place, 3)));
        true
    }),
    ("a weight less", |b, _, rng| weights(b, rng).is_some_and(|w| w.pop().is_some())),
    ("a weight raised", |b, _, rng| {
        weights(b, rng).and_then(|w| some(w, rng)).map(|w| w.1 += 1).is_some()
    }),
    ("weights turned around", |b, _, rng| {
        weights(b, rng).map(|w| w.iter_mut().for_each(|w| w.1 = -w.1)).is_some()
    }),
    ("a weight beyond all numbers", |b, net, rng| {
        let place = any_place(net, rng);
        weights(b, rng).map(|w| w.extend([(place, i128::MAX), (place, i128::MAX)])).is_some()
    }),
    ("units that nobody claims", |b, net, rng| {
        b.assumes_units = true;
        b.steps.push(Inference::SafeUnits(vec![any_place(net, rng)]));
        true
    }),
    ("another claim", |b, net, rng| {
        b.claims = vec![any_claim(net, rng)];
        true
    }),
    ("a claim more", |b, net, rng| {
        b.claims.push(any_claim(net, rng));
        true
    }),
    ("a claim turned around", |b, _, rng| {
        some(&mut b.claims, rng).is_some_and(|claim| {
            *claim = Claim::Unreachable(claim.refuted().negated());
            true
        })
    }),
];

const OF_MARKINGS: [(&str, Mutation<Markings>); 5] = [
    ("a marking more", |m, _, _| {
        m.count += 1;
        true
    }),
    ("a marking less", |m, _, _| {
        m.count -= 1;
        true
    }),
    ("no marking", |m, _, _| std::mem::take(&mut m.count) > 0),
    ("another claim about all markings", |m, net, rng| {
        m.claims = vec![any_claim(net, rng)];
        true
    }),
    ("a claim turned around", |m, _, rng| {
        some(&mut m.claims, rng).is_some_and(|claim| {
            *claim = Claim::Unreachable(claim.refuted().negated());
            true
        })
    }),
];

const OF_REDUCED: [(&str, Mutation<Reduced>); 20] = [
    ("no reduction", |r, _, _| !std::mem::take(&mut r.log.steps).is_empty()),
    ("the last application less", |r, _, _| r.log.steps.pop().is_some()),
    ("the first application less", |r, _, _| {
        !r.log.steps.is_empty() && !r.log.steps.remove(0).rule.is_empty()
    }),
    ("applications the other way round", |r, _, _| {
        r.log.steps.reverse();
        r.log.steps.len() > 1
    }),
    ("an application twice", |r, _, rng| {
        let step = some(&mut r.log.steps, rng).cloned();
        step.map(|step| r.log.steps.push(step)).is_some()
    }),
    ("another place", |r, net, rng| {
        let name = net.place_name(any_place(net, rng)).to_owned();
        some(&mut r.log.steps, rng)
            .and_then(|step| step.places.first_mut())
            .is_some_and(|place| std::mem::replace(place, name.clone()) != name)
    }),
    ("another transition", |r, net, rng| {
        if net.transition_count() == 0 {
            return false;
        }
        let t = parikh::net::TransitionId::new(rng.usize(..net.transition_count()));
        let name = net.transition_name(t).to_owned();
        some(&mut r.log.steps, rng)
            .and_then(|step| step.transitions.first_mut())
            .is_some_and(|place| std::mem::replace(place, name.clone()) != name)
    }),
    ("another rule", |r, _, rng| {
        let rules = parikh::reduction::rules::ALL;
        let name = rules[rng.usize(..rules.len())].name.to_owned();
        some(&mut r.log.steps, rng)
            .is_some_and(|step| std::mem::replace(&mut step.rule, name.clone()) != name)
    }),
    ("an application out of nothing", |r, net, rng| {
        let rules = ["constant-places", "sink-places", "relevance", "source-transitions"];
        let step = parikh::reduction::LogStep {
            rule: rules[rng.usize(..rules.len())].to_owned(),
            places: vec![net.place_name(any_place(net, rng)).to_owned()],
            transitions: Vec::new(),
            weights: Vec::new(),
        };
        r.log.steps.insert(0, step);
        true
    }),
    ("a place asked for less", |r, _, _| r.log.support.pop().is_some()),
    ("no places and transitions asked for", |r, _, _| {
        let some = !r.log.support.is_empty() || !r.log.protected.is_empty();
        r.log.support.clear();
        r.log.protected.clear();
        some
    }),
    ("nothing to preserve", |r, _, _| !std::mem::take(&mut r.log.preserves).is_empty()),
    ("something else to preserve", |r, _, _| {
        r.log.preserves = vec!["liveness".to_owned()];
        true
    }),
    ("a log of another net", |r, _, _| {
        r.log.net.arcs += 1;
        true
    }),
    ("a log that leads to another net", |r, _, _| {
        r.log.reduced.places += 1;
        true
    }),
    ("a log of another version", |r, _, _| {
        r.log.format.push('0');
        true
    }),
    ("another claim", |r, net, rng| {
        r.claims = vec![any_claim(net, rng)];
        true
    }),
    ("a claim more", |r, net, rng| {
        r.claims.push(any_claim(net, rng));
        true
    }),
    ("another inner certificate", |r, _, _| {
        r.inner = serde_json::json!({
            "format": "parikh-bounds-1", "net": "", "claims": [],
            "assumes_safe_units": false, "steps": []
        });
        true
    }),
    ("inner steps dropped", |r, _, _| {
        ["steps", "lemmas"].iter().any(|list| {
            let steps = r.inner.get_mut(list).and_then(Value::as_array_mut);
            steps.is_some_and(|steps| !std::mem::take(steps).is_empty())
        })
    }),
];

/// Counts what was tried and what was rejected, by kind.
struct Tally(Vec<(&'static str, usize, usize)>);

impl Tally {
    fn new<T>(mutations: &[(&'static str, Mutation<T>)]) -> Tally {
        Tally(mutations.iter().map(|&(name, _)| (name, 0, 0)).collect())
    }

    /// Tries all mutations of one certificate.
    fn all<T: Clone>(
        &mut self,
        original: &T,
        mutations: &[(&'static str, Mutation<T>)],
        document: fn(T) -> Document,
        (net, space): (&Net, &StateSpace<'_>),
        rng: &mut Rng,
    ) {
        for ((name, mutation), (_, tried, rejected)) in mutations.iter().zip(&mut self.0) {
            let mut mutilated = original.clone();
            if !mutation(&mut mutilated, net, rng) {
                continue;
            }
            *tried += 1;
            let mutilated = document(mutilated);
            match mutilated.check(net) {
                Err(_) => *rejected += 1,
                Ok(()) => assert!(is_true(&mutilated, space), "{name}: {mutilated:?}"),
            }
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
fn accepted_bounds_are_true_whatever_was_done_to_them() {
    let mut rng = Rng::with_seed(21);
    let mut tally = Tally::new(&OF_BOUNDS);
    for seed in 0..scaled(1200) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        for made in certificates(&net, &true_claims(&net, &space, seed), &BOUNDS) {
            let Document::Bounds(bounds) = &made else { panic!("{made:?}") };
            tally.all(bounds, &OF_BOUNDS, Document::Bounds, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

#[test]
fn accepted_counts_of_markings_are_true_whatever_was_done_to_them() {
    let mut rng = Rng::with_seed(22);
    let mut tally = Tally::new(&OF_MARKINGS);
    for seed in 0..scaled(150) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let claims = true_claims(&net, &space, seed);
        let made = certificates(&net, &claims, &MARKINGS);
        // Nothing true is left without.
        assert_eq!(made.iter().map(|it| it.claims().len()).sum::<usize>(), claims.len());
        for made in made {
            let Document::Markings(markings) = &made else { panic!("{made:?}") };
            assert_eq!(markings.count as usize, space.states());
            tally.all(markings, &OF_MARKINGS, Document::Markings, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

#[test]
fn accepted_reductions_are_true_whatever_was_done_to_them() {
    let mut rng = Rng::with_seed(23);
    let mut tally = Tally::new(&OF_REDUCED);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let claims = true_claims(&net, &space, seed);
        for made in certificates(&net, &claims, &REDUCED) {
            let Document::Reduced(reduced) = &made else { panic!("{made:?}") };
            tally.all(reduced, &OF_REDUCED, Document::Reduced, (&net, &space), &mut rng);
        }
    }
    tally.each_was_rejected();
}

/// Changes one number, name or list somewhere in a file.
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

#[test]
fn garbled_files_prove_nothing_false() {
    let mut rng = Rng::with_seed(24);
    let (mut rejected, mut accepted) = (0, 0);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let mut names: Vec<String> = net.places().map(|p| net.place_name(p).to_owned()).collect();
        names.extend(net.transitions().map(|t| net.transition_name(t).to_owned()));
        names.extend(["at_most", "at_least", "reachability", "deadlock", "#1"].map(str::to_owned));
        let claims = true_claims(&net, &space, seed);
        let all = Config { markings: 1000, ..Config::default() };
        for config in [BOUNDS, MARKINGS, REDUCED, all] {
            for made in certificates(&net, &claims, &config).iter().take(4) {
                for _ in 0..8 {
                    let mut file: Value = serde_json::from_str(&made.print(&net, "")).unwrap();
                    for _ in 0..rng.usize(1..3) {
                        garble(&mut file, &names, &mut rng);
                    }
                    let read = Document::parse(&net, &file.to_string());
                    match read.map(|(document, _)| (document.check(&net).is_ok(), document)) {
                        Ok((true, document)) => {
                            accepted += 1;
                            assert!(is_true(&document, &space), "net {seed}: {file}");
                        }
                        _ => rejected += 1,
                    }
                }
            }
        }
    }
    eprintln!("{rejected} rejected, {accepted} still true");
    assert!(rejected > 1000 && accepted > 100);
}

#[test]
fn certificates_do_not_carry_over_to_nets_where_they_are_false() {
    let mut rng = Rng::with_seed(25);
    let (mut rejected, mut kept) = (0, 0);
    for seed in 0..scaled(120) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let claims = true_claims(&net, &space, seed);
        let made: Vec<Document> = [BOUNDS, MARKINGS, REDUCED]
            .iter()
            .flat_map(|config| certificates(&net, &claims, config))
            .collect();
        for _ in 0..4 {
            let other = nets::mutilated(&net, &mut rng);
            let Some(space) = explore(&other, LIMITS) else { continue };
            for document in &made {
                if document.check(&other).is_ok() {
                    kept += 1;
                    assert!(is_true(document, &space), "net {seed}: {document:?}");
                } else {
                    rejected += 1;
                }
            }
        }
    }
    eprintln!("{rejected} rejected, {kept} still true");
    assert!(rejected > 300 && kept > 100);
}
