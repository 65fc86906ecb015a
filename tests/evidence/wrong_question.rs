//! Certificates of every kind checked for claims that they were not made for. Every accepted claim
//! is true by enumeration.

use crate::certificate_mutations::{LIMITS, any_predicate, refutable};
use crate::support::documents::{ProofKind, ProvedRefutation, TestProof, proofs};
use crate::support::oracle::explore;
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::certificate::check_names;
use parikh::evidence::{Document, Flaw};
use parikh::net::{LinearSum, Net, PlaceId, Predicate, TransitionId};
use parikh_generate::{Shape, random};

/// Returns predicates similar to the refuted ones; many are reachable.
fn others(net: &Net, own: &[Predicate], rng: &mut Rng) -> Vec<Predicate> {
    let mut others = vec![Predicate::Dead, Predicate::True];
    others.extend(net.transitions().map(Predicate::Enabled));
    others.extend(net.transitions().map(Predicate::Disabled));
    for place in net.places() {
        for tokens in 0..3 {
            others.push(Predicate::at_least(place, tokens + 1));
            others.push(Predicate::no_more_than(place, tokens));
        }
    }
    for predicate in own {
        others.push(predicate.clone().negated());
        match predicate {
            Predicate::Atom(atom) => {
                others.push(Predicate::at_most(atom.sum.clone(), atom.bound.saturating_add(1)));
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                // A part of a refuted predicate, and the disjunction of its parts.
                others.push(parts[rng.usize(..parts.len())].clone());
                others.push(Predicate::or(parts.clone()));
            }
            _ => {}
        }
    }
    others.extend((0..10).map(|_| any_predicate(net, rng)));
    // A place of another net.
    let sum = LinearSum::place(PlaceId::new(net.place_count()));
    others.push(Predicate::at_most(sum, 1).negated());
    others.push(Predicate::Enabled(TransitionId::new(net.transition_count())));
    others
}

fn offer(kind: ProofKind, nets: u64) {
    let mut rng = Rng::with_seed(31);
    let (mut documents, mut wrong, mut other) = (0, 0, 0);
    for seed in 0..scaled(nets) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let refuted = refutable(&net, &space, seed);
        let mut offered = others(&net, &refuted, &mut rng);
        offered.extend_from_slice(&refuted);
        for ProvedRefutation { proof, refuted } in proofs(&net, &refuted, kind) {
            documents += 1;
            let verdicts = proof.verdicts(&net, &offered).expect("it was accepted for others");
            for (predicate, accepted) in offered.iter().zip(verdicts) {
                let is_true = check_names(&net, predicate).is_ok() && !space.reaches(predicate);
                assert!(is_true || !accepted, "net {seed}: {predicate:?} by {proof:?}");
                wrong += usize::from(!is_true);
                other += usize::from(accepted && !refuted.contains(predicate));
            }
        }
    }
    eprintln!("{documents} documents, offered for {wrong} false claims; {other} others accepted");
    assert!(documents >= 100 && wrong >= 1000, "{documents} {wrong}");
    assert!(other > 0);
}

#[test]
fn bounds_prove_no_false_claim() {
    offer(ProofKind::Bounds, 100);
}

#[test]
fn sums_of_inequalities_prove_no_false_claim() {
    offer(ProofKind::Linear, 40);
}

#[test]
fn inductive_invariants_prove_no_false_claim() {
    offer(ProofKind::Induction, 60);
}

#[test]
fn counts_of_markings_prove_no_false_claim() {
    offer(ProofKind::Markings, 60);
}

#[test]
fn closed_sets_prove_no_false_claim() {
    offer(ProofKind::ClosedSet, 60);
}

#[test]
fn reductions_prove_no_false_claim() {
    offer(ProofKind::Reduced, 40);
}

#[test]
fn a_stopped_check_returns_neither_proof_nor_flaw() {
    let net = random(3, &Shape::small(3));
    let space = explore(&net, LIMITS).expect("small");
    for kind in [ProofKind::Markings, ProofKind::Linear, ProofKind::Induction] {
        for ProvedRefutation { proof, refuted } in proofs(&net, &refutable(&net, &space, 3), kind) {
            let TestProof::Plain(document) = &proof else { panic!("{proof:?}") };
            let stopped = document.check(&net, &mut || false);
            assert!(matches!(stopped, Err(Flaw::Stopped)), "{document:?}");
            let checked = document.check(&net, &mut || true).unwrap();
            let asked = matches!(document, Document::Markings(_));
            let stopped = checked.refutes(&refuted[0], &mut || false);
            assert!(!asked || stopped == Err(Flaw::Stopped), "{document:?}");
        }
    }
}
