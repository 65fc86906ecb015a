//! Precedences in linear certificates: every accepted precedence holds on every walk.
//!
//! Precedences are built as the engine builds them, for random sets of places of random nets, and
//! then mutated several times. Each one is compared with walks on the net with counters. If neither
//! of its comparisons holds, the checker must have rejected it.

use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::LinearCertificate;
use parikh::evidence::certificate::{BoundsCertificate, Precedence, count};
use parikh::net::{Atom, LinearSum, Marking, Net, PlaceId, TransitionId};
use parikh_generate::{Shape, random};

/// Returns a precedence as the engine builds it, with a counter of firings for each transition. It
/// says that one of two comparisons holds. For a set of places: no transition has taken from the
/// set, or one has put tokens there without taking. For a trap: no transition has put tokens there,
/// or the trap is marked.
fn honest(net: &Net, places: &[PlaceId], is_trap: bool) -> LinearCertificate {
    let counter = |t: TransitionId| PlaceId::new(net.place_count() + t.index());
    let inside = |place: PlaceId| places.contains(&place);
    let takes = |t: TransitionId| net.pre(t).iter().any(|arc| inside(arc.place));
    let puts = |t: TransitionId| net.post(t).iter().any(|arc| inside(arc.place));
    let sum = |of: &dyn Fn(TransitionId) -> bool| -> Vec<(PlaceId, i64)> {
        net.transitions().filter(|&t| of(t)).map(|t| (counter(t), 1)).collect()
    };
    let (idle, since) = match is_trap {
        false => (sum(&takes), sum(&|t| puts(t) && !takes(t))),
        true => (sum(&puts), places.iter().map(|&place| (place, 1)).collect()),
    };
    let places = places.to_vec();
    LinearCertificate {
        assumes_units: false,
        counters: net.transitions().map(|t| vec![t]).collect(),
        atoms: vec![
            Atom { sum: LinearSum::new(idle).unwrap(), bound: 0 },
            Atom { sum: LinearSum::new(since).unwrap().negated(), bound: -1 },
        ],
        traps: vec![],
        bounds: BoundsCertificate::default(),
        lower_bounds: vec![],
        precedences: vec![match is_trap {
            false => Precedence::Unfed { places, idle: 0, fed: 1 },
            true => Precedence::Kept { places, idle: 0, marked: 1 },
        }],
        lemmas: vec![],
        steps: vec![],
    }
}

fn some_place(net: &Net, rng: &mut Rng) -> PlaceId {
    PlaceId::new(rng.usize(..net.place_count()))
}

const CHANGES: [&str; 10] = [
    "a term less",
    "a term more",
    "a bound lowered",
    "a bound raised",
    "a place less",
    "a place more",
    "the other kind",
    "the comparisons swapped",
    "a counter that counts more",
    "a counter that counts less",
];

/// Applies the mutation with the number `kind`.
fn change(certificate: &mut LinearCertificate, kind: usize, net: &Net, rng: &mut Rng) {
    let counters = net.transition_count();
    let at = rng.usize(..2);
    let mut precedence = certificate.precedences.remove(0);
    let (places, atoms) = (precedence.places().to_vec(), precedence.atoms());
    let is_trap = matches!(precedence, Precedence::Kept { .. });
    let made = |places: Vec<PlaceId>, [idle, since]: [usize; 2], is_trap| match is_trap {
        false => Precedence::Unfed { places, idle, fed: since },
        true => Precedence::Kept { places, idle, marked: since },
    };
    let atom = &mut certificate.atoms[at];
    match kind {
        0 => {
            let mut terms = atom.sum.terms().to_vec();
            if !terms.is_empty() {
                terms.remove(rng.usize(..terms.len()));
            }
            atom.sum = LinearSum::new(terms).unwrap();
        }
        1 => {
            let place = PlaceId::new(rng.usize(..net.place_count() + counters));
            let a = [-2, -1, 1, 2][rng.usize(..4)];
            let terms = atom.sum.terms().iter().copied().chain([(place, a)]);
            atom.sum = LinearSum::new(terms).unwrap();
        }
        2 => atom.bound -= 1,
        3 => atom.bound += 1,
        4 => {
            let mut fewer = places;
            if !fewer.is_empty() {
                fewer.remove(rng.usize(..fewer.len()));
            }
            precedence = made(fewer, atoms, is_trap);
        }
        5 => {
            let more = places.into_iter().chain([some_place(net, rng)]).collect();
            precedence = made(more, atoms, is_trap);
        }
        6 => precedence = made(places, atoms, !is_trap),
        7 => precedence = made(places, [atoms[1], atoms[0]], is_trap),
        8 => certificate.counters[rng.usize(..counters)]
            .push(TransitionId::new(rng.usize(..counters))),
        _ => drop(certificate.counters[rng.usize(..counters)].pop()),
    }
    certificate.precedences.push(precedence);
}

/// Returns true if one of the two comparisons holds in all markings of some walks on the net with
/// counters.
fn holds(net: &Net, certificate: &LinearCertificate, rng: &mut Rng) -> bool {
    let counting = count(net, &certificate.counters).unwrap();
    let atoms = certificate.precedences[0].atoms().map(|at| &certificate.atoms[at]);
    let either = |marking: &Marking| atoms.iter().any(|atom| atom.holds(marking));
    (0..8).all(|_| {
        let mut marking = counting.initial().clone();
        (0..25).all(|_| {
            let now = either(&marking);
            let enabled: Vec<TransitionId> =
                counting.transitions().filter(|&t| counting.is_enabled(&marking, t)).collect();
            if let Some(&t) = enabled.get(rng.usize(..enabled.len().max(1))) {
                counting.fire(&mut marking, t).unwrap();
            }
            now
        })
    })
}

#[test]
fn no_precedence_is_accepted_that_a_walk_contradicts() {
    let mut rng = Rng::with_seed(3);
    let (mut honest_accepted, mut false_refused) = (0, 0);
    let mut applied = [[0; CHANGES.len()]; 2];
    for seed in 0..scaled(3000) {
        let net = random(seed, &Shape::small(seed));
        if net.place_count() == 0 || net.transition_count() == 0 {
            continue;
        }
        for is_trap in [false, true] {
            let places: Vec<PlaceId> = net.places().filter(|_| rng.bool()).collect();
            let first = honest(&net, &places, is_trap);
            for (kind, name) in CHANGES.iter().enumerate() {
                let mut certificate = first.clone();
                if rng.bool() {
                    change(&mut certificate, rng.usize(..CHANGES.len()), &net, &mut rng);
                }
                change(&mut certificate, kind, &net, &mut rng);
                let accepted = certificate.check(&net, &mut || true).is_ok();
                let holds = holds(&net, &certificate, &mut rng);
                assert!(holds || !accepted, "net {seed}, {name}: {certificate:?}");
                applied[usize::from(accepted)][kind] += 1;
                false_refused += usize::from(!holds);
            }
            let accepted = first.check(&net, &mut || true).is_ok();
            assert!(!accepted || holds(&net, &first, &mut rng), "net {seed}");
            honest_accepted += usize::from(accepted);
        }
    }
    eprintln!(
        "{honest_accepted} accepted as built; changed, refused and accepted: {applied:?}; {false_refused} false"
    );
    assert!(honest_accepted > 500 && false_refused > 2000);
    for (kind, name) in CHANGES.iter().enumerate() {
        assert!(applied[0][kind] > 100, "{name} is hardly ever refused");
    }
}

#[test]
fn a_precedence_is_read_back_as_it_was_written() {
    let net = parikh::net::text::parse(
        "place p\nplace q 1\ntransition a: p -> 2*p\ntransition b: q -> p",
    )
    .unwrap();
    for is_trap in [false, true] {
        let certificate = honest(&net, &[PlaceId::new(0)], is_trap);
        assert!(certificate.check(&net, &mut || true).is_ok());
        let document = parikh::evidence::Document::Linear(certificate);
        let named = parikh::evidence_files::document_in_names(&document, &net);
        let text = serde_json::to_string(&named).unwrap();
        let kind = if is_trap { "kept" } else { "unfed" };
        assert!(
            text.contains(&format!("\"precedences\":[{{\"{kind}\":{{\"places\":[\"p\"]")),
            "{text}"
        );
        let read: parikh::evidence::certificate::NamedDocument =
            serde_json::from_str(&text).unwrap();
        assert_eq!(read.resolve(&net), Ok(document));
    }
}
