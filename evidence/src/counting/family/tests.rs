//! Family proofs against enumeration, and proofs with a mistake.

use super::*;
use crate::certificate::markings::visit;
use parikh_net::text;

/// A pool of resources: each of the `n` clients idles, waits, or works with a resource.
fn pool(n: u64, resources: u64) -> Net {
    text::parse(&format!(
        "place idle {n}\nplace waiting\nplace working\nplace free {resources}\n\
         transition ask: idle -> waiting\ntransition start: waiting + free -> working\n\
         transition stop: working -> idle + free\ntransition give_up: waiting -> idle"
    ))
    .unwrap()
}

fn named(net: &Net, terms: &[(&str, i64)]) -> Vec<(PlaceId, i64)> {
    terms.iter().map(|&(name, weight)| (net.place_named(name).unwrap(), weight)).collect()
}

fn pool_proof(net: &Net, growth: Option<(u64, &[(&str, u64)])>) -> FamilyProof {
    let growth = growth.map(|(n, tokens)| Growth {
        n,
        tokens: tokens.iter().map(|&(p, k)| (net.place_named(p).unwrap(), k)).collect(),
    });
    FamilyProof {
        counters: Vec::new(),
        equations: vec![
            named(net, &[("idle", 1), ("waiting", 1), ("working", 1)]),
            named(net, &[("free", 1), ("working", 1)]),
        ],
        weights: named(net, &[("waiting", 1), ("working", 2)]),
        sequences: Vec::new(),
        combinations: Vec::new(),
        growth,
    }
}

fn enumerated(net: &Net) -> StateSpaceFigures {
    let mut figures = [0u64; 2];
    visit(net, 1_000_000, |marking| {
        figures[0] += 1;
        figures[1] += net.transitions().filter(|&t| net.is_enabled(marking, t)).count() as u64;
        true
    })
    .unwrap();
    StateSpaceFigures { states: figures[0].into(), transitions: figures[1].into() }
}

fn check(net: &Net, proof: &FamilyProof) -> Result<FamilyFigures, FamilyError> {
    proof.check(net, &mut || true)
}

#[test]
fn figures_are_those_of_the_enumeration() {
    for n in 1..40 {
        let net = pool(n, 2 * n);
        let both = [("idle", 1), ("free", 2)];
        for growth in [None, Some((n, &both[..]))] {
            let found = check(&net, &pool_proof(&net, growth)).unwrap();
            assert_eq!(found.figures, enumerated(&net), "{n}");
        }
    }
}

#[test]
fn a_constant_number_of_resources_raises_the_threshold() {
    for n in [1, 4, 5, 6, 7, 12, 30] {
        let net = pool(n, 5);
        let found = check(&net, &pool_proof(&net, Some((n, &[("idle", 1)])))).unwrap();
        assert_eq!(found.figures, enumerated(&net), "{n}");
        if let Some(interpolated) = found.interpolated {
            assert!((5..8).contains(&interpolated.first), "{interpolated:?}");
            assert_eq!(interpolated.degree, 1);
        }
    }
    let net = pool(30, 5);
    let found = check(&net, &pool_proof(&net, Some((30, &[("idle", 1)])))).unwrap();
    assert!(found.interpolated.is_some());
}

#[test]
fn a_growth_past_a_constant_is_not_extrapolated_from_before() {
    // Only the clients grow from 1 to 400, while 300 resources stay: a polynomial of degree 2 holds
    // up to 300, and one of degree 1 from there on.
    let net = pool(400, 300);
    let found = check(&net, &pool_proof(&net, Some((400, &[("idle", 1)])))).unwrap();
    assert_eq!(found.figures, enumerated(&net));
    assert!(found.interpolated.is_some_and(|it| it.first >= 300));
}

#[test]
fn conversions_have_a_period() {
    for n in 1..60 {
        let net = text::parse(&format!(
            "place a {n}\nplace b\ntransition join: 2*a -> b\ntransition split: b -> 2*a"
        ))
        .unwrap();
        let proof = FamilyProof {
            counters: Vec::new(),
            equations: vec![named(&net, &[("a", 1), ("b", 2)])],
            weights: named(&net, &[("b", 1)]),
            sequences: Vec::new(),
            combinations: Vec::new(),
            growth: Some(Growth { n, tokens: vec![(PlaceId::new(0), 1)] }),
        };
        let found = check(&net, &proof).unwrap();
        assert_eq!(found.figures, enumerated(&net), "{n}");
        assert!(found.interpolated.is_none_or(|it| it.period == 2));
        assert!(n < 10 || found.interpolated.is_some());
    }
}

#[test]
fn wrong_proofs_are_refused() {
    let net = pool(9, 9);
    let proof = pool_proof(&net, Some((9, &[("idle", 1), ("free", 1)])));
    assert!(check(&net, &proof).is_ok());
    let mut without_weights = proof.clone();
    without_weights.weights.clear();
    assert_eq!(check(&net, &without_weights), Err(FamilyError::NotReachable));
    let mut no_invariant = proof.clone();
    no_invariant.equations[0][0].1 = 2;
    assert_eq!(check(&net, &no_invariant), Err(FamilyError::NotInvariant(0)));
    let mut uncovered = proof.clone();
    uncovered.equations.pop();
    assert_eq!(check(&net, &uncovered), Err(FamilyError::Uncovered(PlaceId::new(3))));
    let mut not_growing = proof.clone();
    not_growing.growth = Some(Growth { n: 9, tokens: Vec::new() });
    assert_eq!(check(&net, &not_growing), Err(FamilyError::NotGrowing));
    // A token on `never` can not be removed, and the marking without it is a solution, too.
    let net = text::parse("place a 1\nplace b\nplace c\ntransition t: a -> b").unwrap();
    let proof = FamilyProof {
        counters: Vec::new(),
        equations: vec![named(&net, &[("a", 1), ("b", 1)]), named(&net, &[("c", 1)])],
        weights: named(&net, &[("b", 1)]),
        sequences: Vec::new(),
        combinations: Vec::new(),
        growth: None,
    };
    assert_eq!(check(&net, &proof).unwrap().figures.states, 2u8.into());
    let stuck = net.from_marking(parikh_net::Marking::new(vec![0, 1, 0]));
    assert_eq!(check(&stuck, &proof), Err(FamilyError::NotReachable));
}

/// Tokens of q become tokens of r by a catalyst c, which is made from s and turned back.
fn catalyst() -> (Net, FamilyProof) {
    let net = text::parse(
        "place s 3\nplace c\nplace q 4\nplace r\ntransition make: s -> c\n\
         transition use: c + q -> c + r\ntransition drop: c -> s",
    )
    .unwrap();
    let proof = FamilyProof {
        counters: Vec::new(),
        equations: vec![named(&net, &[("s", 1), ("c", 1)]), named(&net, &[("q", 1), ("r", 1)])],
        weights: named(&net, &[("c", 1), ("r", 2)]),
        sequences: vec![["use", "drop"].map(|t| net.transition_named(t).unwrap()).to_vec()],
        combinations: Vec::new(),
        growth: None,
    };
    (net, proof)
}

#[test]
fn a_sequence_is_a_step() {
    // Without a token on c, only `drop` can be undone, which raises the weights. The sequence
    // undoes `drop` and `use`.
    let (net, proof) = catalyst();
    assert_eq!(check(&net, &proof).unwrap().figures, enumerated(&net));
    let without = FamilyProof { sequences: Vec::new(), ..proof.clone() };
    assert_eq!(check(&net, &without), Err(FamilyError::NotReachable));
    let mut reversed = proof.clone();
    reversed.sequences[0].reverse();
    assert_eq!(check(&net, &reversed), Err(FamilyError::NotReachable));
    // Without tokens on s, `drop` is never undone.
    let empty = net.from_marking(parikh_net::Marking::new(vec![0, 0, 4, 0]));
    assert_eq!(check(&empty, &proof), Err(FamilyError::NotReachable));
}

#[test]
fn sequences_of_no_or_many_transitions_are_refused() {
    let (net, mut proof) = catalyst();
    for length in [0, MAX_SEQUENCE + 1] {
        proof.sequences = vec![vec![TransitionId::new(0); length]];
        assert_eq!(check(&net, &proof), Err(FamilyError::SequenceLength(length)));
    }
    proof.sequences = vec![vec![TransitionId::new(9)]];
    assert_eq!(check(&net, &proof), Err(FamilyError::NoSuchTransition));
}

#[test]
fn markings_are_counted_with_their_firings() {
    for n in 0..6 {
        let net = text::parse(&format!(
            "place p {n}\nplace q\nplace r\ntransition t: p -> 2*q + r\ntransition u: q + r ->"
        ))
        .unwrap();
        let [t, u] = ["t", "u"].map(|t| net.transition_named(t).unwrap());
        let counter = |transition, weights| FiringCounter { transition, weights };
        let proof = FamilyProof {
            counters: vec![
                counter(t, named(&net, &[("p", 1)])),
                counter(u, named(&net, &[("p", 1), ("r", 1)])),
            ],
            equations: vec![
                named(&net, &[("p", 1)]),
                named(&net, &[("p", 2), ("q", 1)]),
                named(&net, &[("p", 1), ("r", 1)]),
            ],
            weights: named(&net, &[("p", -2), ("r", -1)]),
            sequences: Vec::new(),
            combinations: Vec::new(),
            growth: Some(Growth { n, tokens: vec![(PlaceId::new(0), 1)] }),
        };
        let found = check(&net, &proof).unwrap();
        assert_eq!(found.figures, enumerated(&net), "{n}");
        let without = FamilyProof { counters: Vec::new(), ..proof };
        assert_eq!(check(&net, &without), Err(FamilyError::NotInvariant(0)));
    }
}

#[test]
fn names_give_the_same_proof() {
    let net = pool(9, 9);
    let mut proof = pool_proof(&net, Some((9, &[("idle", 1), ("free", 1)])));
    proof.sequences = vec![net.transitions().take(2).collect()];
    proof.combinations = vec![vec![1, -1]];
    let transition = TransitionId::new(1);
    proof.counters = vec![FiringCounter { transition, weights: named(&net, &[("idle", -3)]) }];
    let written = serde_json::to_string(&NamedFamily::of(&net, &proof)).unwrap();
    let read: NamedFamily = serde_json::from_str(&written).unwrap();
    assert_eq!(read.resolve(&net).unwrap(), proof);
}
