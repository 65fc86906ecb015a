//! Made families for the numbers of markings and firings from place invariants: thresholds,
//! periods, weights as large as the numbers of tokens, unbounded nets, and a false family.

use super::families::{CASCADE, Family, check_at_all, search};
use parikh::engine::family::FamilyFailure;
use parikh::evidence::counting::family::{FamilyError, FamilyProof};
use parikh::net::text;

/// The expected result of the search for a proof about a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// A proof may be found, and every figure that it gives must be right.
    Right,
    /// No proof exists: a solution of the place invariants is unreachable, a place is unbounded, or
    /// no weights are suitable.
    Refused,
}
use Outcome::{Refused, Right};

/// A made family: its name, the net with the constant tokens, the growth, the n for which a proof
/// is searched, and the expected result.
type Made<'a> = (&'a str, &'a str, &'a [(&'a str, u64)], u64, Outcome);

const POOL: &str = "transition ask: idle -> waiting\ntransition start: waiting + free -> working\n\
     transition stop: working -> idle + free\ntransition give_up: waiting -> idle\n";

const LOCKING: &str = "place haveA\nplace haveAB\nplace haveB\nplace haveA2B\nplace haveA2\n\
     transition lockA: resA + clients -> haveA\ntransition lockB: resB + haveA -> haveAB\n\
     transition relA: haveAB -> resA + haveB\ntransition lockA2: resA + haveB -> haveA2B\n\
     transition relB: haveA2B -> resB + haveA2\ntransition relA2: haveA2 -> clients + resA\n";

const HOUSE: &str = "place p\nplace a\nplace b\nplace c\nplace d\nplace e\n\
     transition fork: p -> a + b + c\ntransition left: a -> d\ntransition both: b + d -> e\n\
     transition end: c + e ->";

#[test]
fn made_families_are_refused_or_right() {
    let pool = |idle: u64, free: u64| {
        format!("place idle {idle}\nplace waiting\nplace working\nplace free {free}\n{POOL}")
    };
    let locking =
        |a: u64, b: u64| format!("place clients\nplace resA {a}\nplace resB {b}\n{LOCKING}");
    let (small, large, none) = (pool(0, 3), pool(0, 8), pool(0, 0));
    let (few_resources, locks) = (locking(4, 5), locking(0, 1));
    let made: [Made<'_>; 24] = [
        // Thresholds.
        ("few resources", &small, &[("idle", 1)], 9, Right),
        ("many resources", &large, &[("idle", 1)], 12, Right),
        ("resources alone grow", &pool(4, 2), &[("free", 1)], 7, Right),
        ("no resource", &none, &[("idle", 1)], 5, Right),
        ("few copies of two resources", &few_resources, &[("clients", 1)], 7, Right),
        (
            "batches of four",
            "place a 3\nplace b\ntransition t: 4*a -> b\ntransition u: b -> 4*a",
            &[("a", 1)],
            9,
            Right,
        ),
        (
            "enabled from six on",
            "place a\nplace s 1\nplace r\ntransition t: 6*a + s -> 6*a + r",
            &[("a", 1)],
            8,
            Right,
        ),
        (
            "a loop of five tokens",
            "place a 2\nplace b\ntransition t: a -> b\n\
            transition u: 5*b -> 5*b",
            &[("a", 1)],
            6,
            Right,
        ),
        // All large numbers grow.
        ("all grow", &locks, &[("clients", 2), ("resA", 1), ("resB", 1)], 2, Right),
        ("a cascade", CASCADE, &[("e", 1), ("f", 1), ("x", 1), ("u", 1), ("g", 1)], 1, Right),
        (
            "independent parts",
            "place a\nplace b\nplace c 2\nplace d\ntransition t: a -> b\n\
            transition u: c -> d\ntransition v: d -> c",
            &[("a", 1)],
            5,
            Right,
        ),
        // Periods.
        (
            "pairs",
            "place a\nplace b\ntransition t: 2*a -> b\ntransition u: b -> 2*a",
            &[("a", 1)],
            7,
            Right,
        ),
        (
            "pairs and triples",
            "place a\nplace b\nplace c\ntransition t: 2*a -> b\n\
            transition u: b -> 2*a\ntransition v: 3*a -> c\ntransition w: c -> 3*a",
            &[("a", 1)],
            13,
            Right,
        ),
        (
            "two for three",
            "place b 1\nplace c\ntransition t: 3*b -> 2*c\ntransition u: 2*c -> 3*b",
            &[("b", 1)],
            11,
            Right,
        ),
        // A hidden parity: a + b = n has unreachable solutions.
        (
            "moves of two",
            "place a\nplace b\ntransition t: 2*a -> 2*b\ntransition u: 2*b -> 2*a",
            &[("a", 1)],
            6,
            Refused,
        ),
        // Weights as large as the numbers of tokens.
        ("all at once", "place a\nplace b\ntransition t: 12*a -> b", &[("a", 1)], 12, Right),
        (
            "all or nothing",
            "place a\nplace b\ntransition t: a -> b\ntransition u: 9*b -> 9*a",
            &[("a", 1)],
            9,
            Right,
        ),
        (
            "a large loop",
            "place a\nplace b\ntransition t: a + 7*b -> 8*b\ntransition u: b -> a",
            &[("a", 1), ("b", 1)],
            7,
            Refused,
        ),
        // Unbounded nets.
        ("a source", "place a\nplace b\ntransition t: a -> a + b", &[("a", 1)], 4, Refused),
        (
            "copies",
            "place a\nplace b 1\ntransition t: a -> 2*a\ntransition u: b -> b",
            &[("a", 1)],
            4,
            Refused,
        ),
        // Without place invariants that cover all places.
        ("a house", HOUSE, &[("p", 1)], 4, Right),
        (
            "a copy that ends",
            "place a\nplace b\ntransition t: a -> 3*b\ntransition u: b ->",
            &[("a", 1)],
            4,
            Right,
        ),
        (
            "a cycle with an end",
            "place a\nplace b\ntransition t: a -> b\ntransition u: b -> a\n\
            transition end: b ->",
            &[("a", 1)],
            4,
            Right,
        ),
        (
            "a lost catalyst",
            "place a\nplace b\nplace k 1\ntransition t: a + k -> b + k\n\
            transition lose: k ->",
            &[("a", 1)],
            4,
            Right,
        ),
    ];
    let (mut proved, mut interpolated) = (0, 0);
    for (name, net, growth, n, expected) in made {
        let family = Family::of(net, growth);
        let Ok(proof) = search(&family.at(n)) else { continue };
        assert_ne!(expected, Refused, "{name}: {proof:?}");
        proved += 1;
        let count = check_at_all(&family, &proof);
        println!("{name}: {count} interpolated, {:?}", proof.sequences);
        interpolated += usize::from(count > 0);
    }
    println!("{proved} families proved, {interpolated} interpolated");
    assert!(proved >= 10 && interpolated >= 6, "{proved} {interpolated}");
}

#[test]
fn a_proof_for_many_tokens_is_refused_for_few() {
    // Six tokens enable t, so with five tokens the marking with r is unreachable.
    let family =
        Family::of("place a\nplace s 1\nplace r\ntransition t: 6*a + s -> 6*a + r", &[("a", 1)]);
    let proof = search(&family.at(8)).unwrap();
    for n in 0..12 {
        let found = family.proof_at(&proof, n).check(&family.at(n), &mut || true);
        match n < 6 {
            true => assert_eq!(found, Err(FamilyError::NotReachable), "{n}"),
            false => assert_eq!(found.unwrap().figures.states, 2u8.into(), "{n}"),
        }
    }
}

#[test]
fn the_false_family_is_not_extrapolated() {
    // With 5,000 and 5,001 resources, fourteen small numbers of clients lie on one polynomial. It
    // gives 834584041854189501 for 10,000 clients, but another polynomial holds from 5,000 on.
    let net = format!("place clients 10000\nplace resA 5000\nplace resB 5001\n{LOCKING}");
    let net = text::parse(&net).unwrap();
    let proof = search(&net).unwrap();
    let found = proof.check(&net, &mut || true).unwrap().figures;
    assert_eq!(found.states.to_string(), "78333546979185501");
    assert_eq!(found.transitions.to_string(), "469583864725003000");
    let family = Family::of(
        &format!("place clients\nplace resA 5000\nplace resB 5001\n{LOCKING}"),
        &[("clients", 1)],
    );
    let false_proof = family.proof_at(&proof, 10_000);
    let mut steps = 0u64;
    // The check gives up, as values from 5,000 on are needed.
    let checked = false_proof.check(&net, &mut || {
        steps += 1;
        steps < 100_000
    });
    assert!(checked.is_err() || checked.is_ok_and(|it| it.figures == found));
    // With few resources, the proof also holds for more clients than resources. Then some
    // solutions of the place invariants are unreachable.
    let family = Family::of(
        &format!("place clients\nplace resA 15\nplace resB 16\n{LOCKING}"),
        &[("clients", 1)],
    );
    for n in [14, 20, 30] {
        let net = family.at(n);
        let proof = search(&net).unwrap();
        let direct = FamilyProof { growth: None, ..proof.clone() }.check(&net, &mut || true);
        let grown = family.proof_at(&proof, n).check(&net, &mut || true).unwrap();
        assert_eq!(direct.unwrap().figures, grown.figures, "{n}");
    }
}

#[test]
fn numbers_of_tokens_beyond_64_bits_are_refused() {
    // The sum of both places is more than 2⁶³ − 1.
    let most = i64::MAX;
    let net = text::parse(&format!(
        "place p {most}\nplace q {most}\ntransition t: p -> q\ntransition u: q -> p"
    ))
    .unwrap();
    assert_eq!(search(&net), Err(FamilyFailure::Refused(FamilyError::TooLarge)));
}
