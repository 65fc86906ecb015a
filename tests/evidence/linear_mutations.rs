//! Mutated linear certificates and nets: the checker accepts nothing false.
//!
//! Each kind of mutation is applied to certificates of random nets. Some mutations leave a
//! certificate valid (a larger slack, a duplicate lemma), so acceptance alone is no failure. The
//! claim of an accepted certificate must be true by enumeration. Every kind of mutation must be
//! rejected at least once.

use crate::support::documents::refutes;
use crate::support::nets;
use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::board::{Board, Knowledge, Maximum, ProvedBound, ReachKnowledge};
use parikh::engine::Task;
use parikh::engine::state_equation::{self, StateEquationConfig};
use parikh::evidence::certificate::bounds::{BoundStep, TokenBound};
use parikh::evidence::certificate::{BoundsCertificate, Lemma, LowerBound, NamedDocument};
use parikh::evidence::{Document, LinearCertificate};
use parikh::evidence_files::document_in_names;
use parikh::net::{
    Atom, Facts, Goal, GoalId, LinearSum, Net, PlaceId, Predicate, TransitionId, marking_goals,
};
use parikh::solvers::Budget;
use parikh_generate::{Shape, random, random_goals};

/// A mutation of a certificate or of the predicate that it refutes. Returns false if there is
/// nothing to change.
type Mutation = fn(&mut LinearCertificate, &mut Predicate, &Net, &mut Rng) -> bool;

fn some<'a, T>(list: &'a mut [T], rng: &mut Rng) -> Option<&'a mut T> {
    let count = list.len();
    (count > 0).then(|| &mut list[rng.usize(..count)])
}

fn lemma<'a>(certificate: &'a mut LinearCertificate, rng: &mut Rng) -> Option<&'a mut Lemma> {
    some(&mut certificate.lemmas, rng)
}

/// Returns the positions of a comparison and its negation in a case split, if there are any.
fn split(certificate: &LinearCertificate, rng: &mut Rng) -> Option<(usize, usize)> {
    let atoms = &certificate.atoms;
    let pairs = (0..atoms.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
    let pairs: Vec<_> = pairs.filter(|&(i, j)| atoms[i] == atoms[j].negated()).collect();
    (!pairs.is_empty()).then(|| pairs[rng.usize(..pairs.len())])
}

fn any_transition(net: &Net, rng: &mut Rng) -> Option<TransitionId> {
    let count = net.transition_count();
    (count > 0).then(|| TransitionId::new(rng.usize(..count)))
}

const MUTATIONS: [(&str, Mutation); 45] = [
    ("no weights", |c, _, _, rng| {
        lemma(c, rng).is_some_and(|l| !std::mem::take(&mut l.weights).is_empty())
    }),
    ("a weight less", |c, _, _, rng| lemma(c, rng).is_some_and(|l| l.weights.pop().is_some())),
    ("a weight raised", |c, _, _, rng| {
        let weight = lemma(c, rng).and_then(|l| l.weights.first_mut());
        weight.map(|weight| weight.1 += 1).is_some()
    }),
    ("a weight lowered", |c, _, _, rng| {
        let weight = lemma(c, rng).and_then(|l| l.weights.last_mut());
        weight.map(|weight| weight.1 -= 1).is_some()
    }),
    ("weights turned around", |c, _, _, rng| {
        lemma(c, rng).is_some_and(|l| {
            l.weights.iter_mut().for_each(|weight| weight.1 = -weight.1);
            !l.weights.is_empty()
        })
    }),
    ("a weight on another place", |c, _, net, rng| {
        let other = PlaceId::new(rng.usize(..net.place_count()));
        let weight = lemma(c, rng).and_then(|l| l.weights.first_mut());
        weight.is_some_and(|weight| std::mem::replace(&mut weight.0, other) != other)
    }),
    ("a weight on a place that does not exist", |c, _, net, rng| {
        let place = PlaceId::new(net.place_count());
        lemma(c, rng).map(|l| l.weights.push((place, 1))).is_some()
    }),
    ("a weight beyond all numbers", |c, _, net, rng| {
        let place = PlaceId::new(rng.usize(..net.place_count()));
        lemma(c, rng).map(|l| l.weights.extend([(place, i128::MAX), (place, 1)])).is_some()
    }),
    ("a comparison less", |c, _, _, rng| lemma(c, rng).is_some_and(|l| l.atoms.pop().is_some())),
    ("no comparisons", |c, _, _, rng| {
        lemma(c, rng).is_some_and(|l| !std::mem::take(&mut l.atoms).is_empty())
    }),
    ("another comparison", |c, _, _, rng| {
        let count = c.atoms.len();
        let other = rng.usize(..count.max(1));
        let atom = lemma(c, rng).and_then(|l| l.atoms.first_mut());
        atom.is_some_and(|atom| std::mem::replace(&mut atom.0, other) != other)
    }),
    ("a comparison that does not exist", |c, _, _, rng| {
        let count = c.atoms.len();
        lemma(c, rng).map(|l| l.atoms.push((count, 1))).is_some()
    }),
    ("a factor of zero", |c, _, _, rng| {
        let atom = lemma(c, rng).and_then(|l| l.atoms.first_mut());
        atom.map(|atom| atom.1 = 0).is_some()
    }),
    ("a negative factor", |c, _, _, rng| {
        let atom = lemma(c, rng).and_then(|l| l.atoms.first_mut());
        atom.map(|atom| atom.1 = -atom.1).is_some()
    }),
    ("a bound loosened", |c, _, _, rng| {
        some(&mut c.atoms, rng).map(|atom| atom.bound += 1).is_some()
    }),
    ("a sum changed", |c, _, _, rng| {
        some(&mut c.atoms, rng).map(|atom| atom.sum = atom.sum.negated()).is_some()
    }),
    ("comparisons swapped", |c, _, _, _| {
        let count = c.atoms.len();
        count > 1 && {
            c.atoms.swap(0, count - 1);
            true
        }
    }),
    ("a lemma less", |c, _, _, _| c.lemmas.pop().is_some()),
    ("no lemmas", |c, _, _, _| !std::mem::take(&mut c.lemmas).is_empty()),
    ("a lemma out of nothing", |c, _, _, rng| {
        let atoms = c.atoms.len();
        atoms > 0 && {
            c.lemmas.push(Lemma { atoms: vec![(rng.usize(..atoms), 1)], ..Lemma::default() });
            true
        }
    }),
    ("a trap less", |c, _, _, _| c.traps.pop().is_some()),
    ("a place less in a trap", |c, _, _, rng| {
        some(&mut c.traps, rng).is_some_and(|trap| trap.pop().is_some())
    }),
    ("a trap out of nothing", |c, _, net, rng| {
        let place = PlaceId::new(rng.usize(..net.place_count()));
        let index = c.traps.len();
        c.traps.push(vec![place]);
        lemma(c, rng).map(|l| l.traps.push((index, 1_000))).is_some()
    }),
    ("a lower bound raised", |c, _, _, rng| {
        some(&mut c.lower_bounds, rng).map(|bound| bound.tokens += 1).is_some()
    }),
    ("a lower bound less", |c, _, _, _| c.lower_bounds.pop().is_some()),
    ("a lower bound without its premises", |c, _, _, _| {
        !std::mem::take(&mut c.bounds.steps).is_empty()
    }),
    ("a lower bound with another weight", |c, _, _, rng| {
        let weights = some(&mut c.lower_bounds, rng).map(|bound| &mut bound.weights);
        let weight = weights.and_then(|weights| some(weights, rng));
        weight.map(|weight| weight.1 = rng.u64(..3)).is_some()
    }),
    ("a lower bound on another place", |c, _, net, rng| {
        let other = PlaceId::new(rng.usize(..net.place_count()));
        let bound = some(&mut c.lower_bounds, rng).and_then(|bound| bound.weights.first_mut());
        bound.is_some_and(|weight| std::mem::replace(&mut weight.0, other) != other)
    }),
    ("a lower bound out of nothing", |c, _, net, rng| {
        let place = PlaceId::new(rng.usize(..net.place_count()));
        let index = c.lower_bounds.len();
        c.lower_bounds.push(LowerBound { weights: vec![(place, 1)], tokens: rng.u64(1..3) });
        lemma(c, rng).map(|l| l.lower_bounds.push((index, 1_000))).is_some()
    }),
    ("a premise of a lower bound out of nothing", |c, _, net, rng| {
        let place = PlaceId::new(rng.usize(..net.place_count()));
        let (upper, tokens) = (rng.bool(), rng.u64(..3));
        c.bounds.steps.push(BoundStep::Inductive(vec![TokenBound { place, upper, tokens }]));
        let index = c.lower_bounds.len();
        c.lower_bounds.push(LowerBound { weights: vec![(place, 1)], tokens: tokens.max(1) });
        lemma(c, rng).map(|l| l.lower_bounds.push((index, 1_000))).is_some()
    }),
    ("units that nobody claims", |c, _, _, rng| {
        lemma(c, rng).map(|l| l.units.push((parikh::net::UnitId::new(0), 1))).is_some()
    }),
    ("a step out of nothing", |c, _, _, _| {
        c.lemmas.pop();
        c.steps = vec![vec![]];
        true
    }),
    ("a gap between the sides of a split", |c, _, _, rng| {
        split(c, rng).map(|(_, j)| c.atoms[j].bound -= 1).is_some()
    }),
    ("a split elsewhere", |c, _, _, rng| {
        split(c, rng)
            .map(|(i, j)| {
                c.atoms[i].bound += 1;
                c.atoms[j] = c.atoms[i].negated();
            })
            .is_some()
    }),
    ("a split with one side twice", |c, _, _, rng| {
        split(c, rng).map(|(i, j)| c.atoms[j] = c.atoms[i].clone()).is_some()
    }),
    ("a split with one side decided", |c, _, _, rng| {
        // As if one of the two comparisons were known to be impossible.
        split(c, rng)
            .map(|(_, j)| {
                c.lemmas.retain(|l| l.atoms.iter().all(|&(atom, _)| atom != j));
            })
            .is_some()
    }),
    ("no counters", |c, _, _, _| !std::mem::take(&mut c.counters).is_empty()),
    ("a counter less", |c, _, _, _| c.counters.pop().is_some()),
    ("a counter that counts less", |c, _, _, rng| {
        some(&mut c.counters, rng).is_some_and(|counted| counted.pop().is_some())
    }),
    ("a counter that counts more", |c, _, net, rng| {
        let t = any_transition(net, rng);
        let counter = some(&mut c.counters, rng).filter(|it| t.is_some_and(|t| !it.contains(&t)));
        counter.map(|counted| counted.extend(t)).is_some()
    }),
    ("a counter that counts something else", |c, _, net, rng| {
        let t = any_transition(net, rng);
        let counter = some(&mut c.counters, rng).and_then(|it| it.first_mut());
        counter.zip(t).is_some_and(|(counted, t)| std::mem::replace(counted, t) != t)
    }),
    ("a counter of a transition that does not exist", |c, _, net, _| {
        c.counters.push(vec![TransitionId::new(net.transition_count())]);
        true
    }),
    ("a counter out of nothing, in a trap", |c, _, net, rng| {
        let (counter, index) = (PlaceId::new(net.place_count() + c.counters.len()), c.traps.len());
        c.counters.push(any_transition(net, rng).into_iter().collect());
        c.traps.push(vec![counter]);
        lemma(c, rng).map(|l| l.traps.push((index, 1_000))).is_some()
    }),
    ("a question about a counter", |c, refuted, net, rng| {
        c.counters.push(any_transition(net, rng).into_iter().collect());
        *refuted = Predicate::at_least(PlaceId::new(net.place_count()), 1);
        true
    }),
    ("another question", |_, refuted, net, rng| {
        *refuted = match random_goals(rng.u64(..), net, 1).remove(0) {
            Goal::Reach(predicate) => predicate,
            Goal::Maximise(sum) => Predicate::at_most(sum, rng.i64(-1..3)).negated(),
            _ => panic!("none is made"),
        };
        true
    }),
];

/// Returns certificates about a net from the engine.
fn certificates(net: &Net, seed: u64) -> Vec<(LinearCertificate, Predicate)> {
    let mut goals = random_goals(seed, net, 6);
    goals.push(Goal::Reach(Predicate::Dead));
    let with_ids: Vec<(GoalId, Goal)> =
        goals.iter().cloned().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect();
    let board = Board::new(net, goals);
    let budget = Budget::unlimited();
    let facts = Facts::empty(net);
    let task = Task {
        net,
        goals: &marking_goals(&with_ids),
        facts: &facts,
        board: &board,
        budget: &budget,
        seed,
    };
    state_equation::run(
        &task,
        board.proof_reporter("STATE_EQUATION"),
        &StateEquationConfig::default(),
    );
    let certificate = |id| {
        let (proof, refuted) = match (board.knowledge(id)?, board.goal(id)) {
            (
                Knowledge::Reach(ReachKnowledge::Unreachable { proof, .. }),
                Goal::Reach(predicate),
            ) => (proof, predicate.clone()),
            (
                Knowledge::Maximum(Maximum {
                    proved: Some(ProvedBound { bound: most, proof, .. }),
                    ..
                }),
                Goal::Maximise(sum),
            ) => {
                let most = i64::try_from(most).ok()?;
                (proof, Predicate::at_most(sum.clone(), most).negated())
            }
            _ => return None,
        };
        match proof.document.as_deref() {
            Some(Document::Linear(certificate)) => Some((certificate.clone(), refuted)),
            _ => None,
        }
    };
    board.ids().filter_map(certificate).collect()
}

#[test]
fn an_accepted_certificate_is_true_whatever_was_done_to_it() {
    let mut rng = Rng::with_seed(11);
    let mut applied = [0; MUTATIONS.len()];
    let mut rejected = [0; MUTATIONS.len()];
    for seed in 0..scaled(2400) {
        let net = random(seed, &Shape::small(seed));
        if net.place_count() == 0 {
            continue;
        }
        let Some(space) = explore(&net, OracleLimits { states: 2000, tokens: 100 }) else {
            continue;
        };
        for (certificate, refuted) in certificates(&net, seed) {
            assert_eq!(refutes(&Document::Linear(certificate.clone()), &net, &refuted), Ok(()));
            // Certificates with firing counts, traps or lower bounds are rare, so more nets are
            // tried for them.
            let is_plain = certificate.counters.is_empty()
                && certificate.traps.is_empty()
                && certificate.lower_bounds.is_empty();
            if seed >= 400 && is_plain {
                continue;
            }
            for (kind, (name, mutation)) in MUTATIONS.iter().enumerate() {
                let (mut mutilated, mut refuted) = (certificate.clone(), refuted.clone());
                if !mutation(&mut mutilated, &mut refuted, &net, &mut rng) {
                    continue;
                }
                applied[kind] += 1;
                let mutilated = Document::Linear(mutilated);
                match refutes(&mutilated, &net, &refuted) {
                    Err(_) => rejected[kind] += 1,
                    Ok(()) => {
                        let reached = space.reaches(&refuted);
                        assert!(!reached, "net {seed}, {name}: {refuted:?} {mutilated:?}");
                    }
                }
            }
        }
    }
    for (kind, (name, _)) in MUTATIONS.iter().enumerate() {
        eprintln!("{name}: {} of {} rejected", rejected[kind], applied[kind]);
        assert!(rejected[kind] > 0, "{name}: {} tried, none rejected", applied[kind]);
        // Certificates with firing counts are rare.
        assert!(applied[kind] >= 25, "{name}: {} tried only", applied[kind]);
    }
    assert!(applied.iter().filter(|&&applied| applied >= 100).count() >= 25, "{applied:?}");
}

#[test]
fn certificates_do_not_carry_over_to_nets_where_they_are_false() {
    let mut rng = Rng::with_seed(12);
    let (mut rejected, mut kept) = (0, 0);
    for seed in 0..scaled(400) {
        let net = random(seed, &Shape::small(seed));
        if net.place_count() == 0 {
            continue;
        }
        let certificates = certificates(&net, seed);
        for _ in 0..4 {
            let other = nets::mutilated(&net, &mut rng);
            let limits = OracleLimits { states: 2000, tokens: 100 };
            let Some(space) = explore(&other, limits) else { continue };
            for (certificate, refuted) in &certificates {
                if refutes(&Document::Linear(certificate.clone()), &other, refuted).is_ok() {
                    kept += 1;
                    assert!(!space.reaches(refuted), "net {seed}");
                } else {
                    rejected += 1;
                }
            }
        }
    }
    eprintln!("{rejected} rejected, {kept} still true");
    assert!(rejected > 300 && kept > 300);
}

#[test]
fn mutilated_files_are_errors() {
    let net = parikh::net::text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
    let q = net.place_named("q").unwrap();
    let more = Atom { sum: LinearSum::place(q), bound: 1 }.negated();
    let certificate = LinearCertificate {
        assumes_units: false,
        counters: vec![],
        precedences: vec![],
        bounds: BoundsCertificate::default(),
        lower_bounds: vec![],
        atoms: vec![more.clone()],
        traps: vec![],
        lemmas: vec![Lemma {
            atoms: vec![(0, 1)],
            weights: net.places().map(|place| (place, 1)).collect(),
            ..Lemma::default()
        }],
        steps: vec![],
    };
    let document = Document::Linear(certificate);
    assert_eq!(refutes(&document, &net, &Predicate::Atom(more)), Ok(()));
    let text = serde_json::to_string(&document_in_names(&document, &net)).unwrap();
    let read = |text: &str| {
        let named: NamedDocument = serde_json::from_str(text).ok()?;
        named.resolve(&net).ok()
    };
    assert_eq!(read(&text), Some(document));
    let changes = [
        ("linear", "linears"),
        ("\"q\"", "\"r\""),
        ("\"lemmas\"", "\"lemma\""),
        ("]}", "]"),
        ("1]", "\"one\"]"),
        ("1]", "1.5]"),
        ("1]", "1e3]"),
        ("[[0,1]]", "[[-1,1]]"),
        ("{", ""),
    ];
    for (from, to) in changes {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        assert_eq!(read(&changed), None, "{from} → {to}: {changed}");
    }
    // Numbers of any supported size are read exactly.
    let mut large = text.clone();
    large = large.replacen("[\"q\",1]", &format!("[\"q\",{}]", i128::MAX), 1);
    assert!(read(&large).is_some() && large != text, "{large}");
}
