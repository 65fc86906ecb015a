//! Insensitivity to shortening and lengthening, tested with words that differ in repetitions.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_temporal::{
    AtomNames, AutomatonLimits, Insensitivity, Lasso, Letter, LinearTableau, Ltl, lengthened,
    parse_ltl,
};

/// Returns a word with some of its letters repeated.
fn longer(word: &Lasso, rng: &mut Rng) -> Lasso {
    let mut letters: Vec<Letter> = Vec::new();
    let mut back = 0;
    for (at, letter) in word.letters().iter().enumerate() {
        if at == word.back() {
            back = letters.len();
        }
        letters.extend(std::iter::repeat_n(letter.clone(), 1 + rng.usize(..3) * rng.usize(..2)));
    }
    Lasso::new(letters, back).expect("as before")
}

#[test]
fn what_is_insensitive_does_not_see_repetitions() {
    let (mut shortening_only, mut lengthening_only, mut with_next, mut neither) = (0, 0, 0, 0);
    for case in 0..scaled(10_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let operators = rng.usize(1..6);
        let formula = random::formula(&mut formulas, &mut rng, 2, operators);
        let negation = formulas.negate(formula);
        let text = formulas.text(formula, &AtomNames::default());
        let found =
            Insensitivity::of(&mut formulas, formula, AutomatonLimits::default()).expect(&text);
        match (found.shortening, found.lengthening) {
            (true, true) if text.contains('X') => with_next += 1,
            (true, true) => {}
            (true, false) => shortening_only += 1,
            (false, true) => lengthening_only += 1,
            (false, false) => neither += 1,
        }
        if !text.contains('X') {
            assert!(found.is_stutter_invariant(), "{text}, case {case}");
        }
        for _ in 0..10 {
            let short = random::lasso(&mut rng, 2);
            let long = longer(&short, &mut rng);
            let (of_short, of_long) =
                (short.satisfies(&formulas, formula), long.satisfies(&formulas, formula));
            if of_short && found.lengthening {
                assert!(of_long, "{text}, {short:?}, {long:?}, case {case}");
            }
            if of_long && found.shortening {
                assert!(of_short, "{text}, {short:?}, {long:?}, case {case}");
            }
        }
        // A formula that is not insensitive has two words that prove it.
        let of = |formula| {
            LinearTableau::new(&formulas, formula, AutomatonLimits::default())
                .expect(&text)
                .automaton
        };
        for (one, other, insensitive) in
            [(formula, negation, found.lengthening), (negation, formula, found.shortening)]
        {
            let words = lengthened(&of(one), &of(other), AutomatonLimits::default()).expect(&text);
            assert_eq!(words.is_none(), insensitive, "{text}, case {case}");
            if let Some((short, long)) = words {
                assert!(short.satisfies(&formulas, one), "{text}, {short:?}, case {case}");
                assert!(long.satisfies(&formulas, other), "{text}, {long:?}, case {case}");
                assert_eq!(without_repetitions(&short), without_repetitions(&long), "{text}");
            }
        }
    }
    let counts = [shortening_only, lengthening_only, with_next, neither];
    assert!(counts.iter().all(|&count| count > 10), "{counts:?}");
}

/// Returns the first 40 letters without consecutive repetitions, or fewer if the word ends with one
/// letter forever.
fn without_repetitions(word: &Lasso) -> Vec<Letter> {
    let mut letters: Vec<Letter> = Vec::new();
    let mut at = 0;
    for _ in 0..2_000 {
        if letters.len() < 40 && letters.last() != Some(&word.letters()[at]) {
            letters.push(word.letters()[at].clone());
        }
        at = word.after(at);
    }
    letters
}

#[test]
fn formulas_of_the_literature_are_told_apart() {
    for (text, shortening, lengthening) in [
        ("G(a -> Fb)", true, true),
        // One block of `a`: X does not count steps here.
        ("F(a & X(!a & b))", true, true),
        ("a & X a", false, true),
        ("a & X b", false, false),
        ("X a", false, false),
        ("!a | X !a", true, false),
        ("G(a | X a)", true, false),
        ("a & X(a U b)", false, true),
        ("GF(a & X b)", false, true),
        ("XGFa", true, true),
        ("F(a & X a)", false, true),
        ("G(a -> X !a)", true, false),
    ] {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parse_ltl(text, &mut formulas, &mut names).expect(text);
        let found =
            Insensitivity::of(&mut formulas, formula, AutomatonLimits::default()).expect(text);
        assert_eq!((found.shortening, found.lengthening), (shortening, lengthening), "{text}");
    }
}
