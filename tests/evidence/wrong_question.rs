//! The right certificate for the wrong question: documents of every kind are offered for claims that
//! they were not made for. Whatever they are accepted for is true by enumeration, and each is accepted
//! for what it was made for, whether it lists that or not.

use crate::certificate_mutations::{
    BOUNDS, LIMITS, LINEAR, MARKINGS, REDUCED, any_claim, certificates, true_claims,
};
use crate::support::oracle::{StateSpace, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::certifier::Config;
use parikh::evidence::{Claim, Document, DocumentFlaw};
use parikh::net::generate::{Shape, random};
use parikh::net::{LinearSum, Net, PlaceId, Predicate, TransitionId};

/// Claims about the net that are near what certificates are made for; many are false.
fn other_claims(net: &Net, own: &[Claim], rng: &mut Rng) -> Vec<Claim> {
    let mut others = vec![Claim::Unreachable(Predicate::Dead), Claim::Unreachable(Predicate::True)];
    others.extend(net.transitions().map(|t| Claim::Unreachable(Predicate::Enabled(t))));
    others.extend(net.transitions().map(|t| Claim::Unreachable(Predicate::Disabled(t))));
    for place in net.places() {
        for tokens in 0..3 {
            others.push(Claim::AtMost(LinearSum::place(place), tokens));
            let tokens = tokens as u64;
            others.push(Claim::Unreachable(Predicate::no_more_than(place, tokens)));
        }
    }
    for claim in own {
        others.push(Claim::Unreachable(claim.refuted().negated()));
        match claim {
            Claim::AtMost(sum, bound) => others.push(Claim::AtMost(sum.clone(), bound - 1)),
            Claim::Unreachable(Predicate::And(parts) | Predicate::Or(parts)) => {
                // A part of what was refuted, and all that were parts by themselves.
                others.push(Claim::Unreachable(parts[rng.usize(..parts.len())].clone()));
                others.push(Claim::Unreachable(Predicate::or(parts.clone())));
            }
            Claim::Unreachable(_) => {}
        }
    }
    others.extend((0..10).map(|_| any_claim(net, rng)));
    // Nodes of another net.
    others.push(Claim::AtMost(LinearSum::place(PlaceId::new(net.place_count())), 1));
    let t = TransitionId::new(net.transition_count());
    others.push(Claim::Unreachable(Predicate::Enabled(t)));
    others
}

/// Whether a claim speaks of the net and is true.
fn holds(claim: &Claim, net: &Net, space: &StateSpace<'_>) -> bool {
    claim.check_names(net).is_ok() && !space.reaches(&claim.refuted())
}

/// The documents without what they say of themselves, where they can be.
fn without_claims(document: &Document) -> Document {
    let mut bare = document.clone();
    match &mut bare {
        Document::Linear(certificate) => certificate.claim = Claim::Unreachable(Predicate::False),
        Document::Bounds(bounds) => bounds.claims.clear(),
        Document::Markings(markings) => markings.claims.clear(),
        Document::Reduced(reduced) => reduced.claims.clear(),
    }
    bare
}

fn offer(config: &Config, nets: u64) {
    let mut rng = Rng::with_seed(31);
    let (mut documents, mut wrong, mut other) = (0, 0, 0);
    for seed in 0..scaled(nets) {
        let net = random(seed, &Shape::small(seed));
        let Some(space) = explore(&net, LIMITS).filter(|_| net.place_count() > 0) else { continue };
        let claims = true_claims(&net, &space, seed);
        let others = other_claims(&net, &claims, &mut rng);
        for document in certificates(&net, &claims, config) {
            documents += 1;
            let bare = without_claims(&document);
            let goes_on = &mut || true;
            let checked = bare.check_steps(&net, goes_on).expect("steps need no claim");
            for claim in document.claims() {
                assert!(checked.proves(claim, goes_on).is_ok(), "net {seed}: {claim:?}");
            }
            for claim in others.iter().chain(&claims) {
                let accepted = checked.proves(claim, goes_on).is_ok();
                let is_true = holds(claim, &net, &space);
                assert!(is_true || !accepted, "net {seed}: {claim:?} by {document:?}");
                wrong += usize::from(!is_true);
                other += usize::from(accepted && !document.claims().contains(&claim));
            }
        }
    }
    eprintln!("{documents} documents, offered for {wrong} false claims; {other} others accepted");
    assert!(documents >= 100 && wrong >= 1000, "{documents} {wrong}");
    assert!(other > 0);
}

#[test]
fn bounds_prove_nothing_false() {
    offer(&BOUNDS, 100);
}

#[test]
fn sums_of_inequalities_prove_nothing_false() {
    offer(&LINEAR, 40);
}

#[test]
fn counts_of_markings_prove_nothing_false() {
    offer(&MARKINGS, 60);
}

#[test]
fn reductions_prove_nothing_false() {
    offer(&REDUCED, 40);
}

#[test]
fn who_does_not_go_on_has_neither_proof_nor_flaw() {
    let net = random(3, &Shape::small(3));
    let space = explore(&net, LIMITS).expect("small");
    let claims = true_claims(&net, &space, 3);
    for config in [MARKINGS, REDUCED] {
        for document in certificates(&net, &claims, &config) {
            let stopped = document.check_steps(&net, &mut || false);
            assert!(matches!(stopped, Err(DocumentFlaw::Stopped)), "{document:?}");
        }
    }
}
