//! The automaton of a formula accepts exactly the words that satisfy the formula.

use crate::{random, scaled};
use fastrand::Rng;
use parikh_temporal::{AtomNames, AutomatonLimits, LinearTableau, Ltl, parse_ltl};

#[test]
fn the_automata_of_a_formula_and_of_its_negation_share_the_words_out() {
    let mut accepted = 0;
    let mut words = 0;
    for case in 0..scaled(10_000) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let operators = rng.usize(1..9);
        let formula = random::formula(&mut formulas, &mut rng, 3, operators);
        let negation = formulas.negate(formula);
        let text = formulas.text(formula, &AtomNames::default());
        let true_of = LinearTableau::new(&formulas, formula, AutomatonLimits::default())
            .expect(&text)
            .automaton;
        let false_of = LinearTableau::new(&formulas, negation, AutomatonLimits::default())
            .expect(&text)
            .automaton;
        for _ in 0..5 {
            let word = random::lasso(&mut rng, 3);
            let holds = word.satisfies(&formulas, formula);
            assert_eq!(true_of.accepts(&word), holds, "{text} on {word:?}, case {case}");
            assert_eq!(false_of.accepts(&word), !holds, "not {text} on {word:?}, case {case}");
            accepted += u64::from(holds);
            words += 1;
        }
        for (automaton, formula) in [(&true_of, formula), (&false_of, negation)] {
            let word = automaton.find_word();
            assert_eq!(word.is_none(), automaton.is_empty());
            if let Some(word) = word {
                assert!(word.satisfies(&formulas, formula), "{text}: {word:?}, case {case}");
            }
        }
        let both = true_of.and(&false_of, AutomatonLimits::default()).expect(&text);
        assert!(both.is_empty(), "{text}, case {case}");
    }
    assert!(accepted > words / 10 && accepted < words * 9 / 10, "{accepted} of {words}");
}

#[test]
fn a_letter_for_ever_is_accepted_where_the_formula_holds_of_it() {
    for case in 0..scaled(500) {
        let mut rng = Rng::with_seed(case);
        let mut formulas = Ltl::default();
        let formula = random::formula(&mut formulas, &mut rng, 3, 6);
        let tableau =
            LinearTableau::new(&formulas, formula, AutomatonLimits::default()).expect("small");
        let letter = random::letter(&mut rng, 3);
        let word = parikh_temporal::Lasso::stuttering(vec![letter.clone()]).expect("a letter");
        for (state, accepts) in tableau.automaton.accept_for_ever(&letter).into_iter().enumerate() {
            let obligations = &tableau.obligations[state];
            let holds = obligations.iter().all(|&formula| word.satisfies(&formulas, formula));
            assert_eq!(accepts, holds, "case {case}, state {state}");
        }
    }
}

#[test]
fn each_limit_refuses() {
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let mut text = |text: &str| parse_ltl(text, &mut formulas, &mut names).expect(text);
    let long = text("F(a & X(b U (c & X(a U (b & Xc)))))");
    let many: Vec<String> = (0..65).map(|at| format!("(F q{at} & X p{at})")).collect();
    let marks = text(&many.join(" | "));
    let full = AutomatonLimits::default();
    for (limits, formula, what) in [
        (AutomatonLimits { states: 3, ..full }, long, "states"),
        (AutomatonLimits { edges: 5, ..full }, long, "edges"),
        (AutomatonLimits { terms: 1, ..full }, long, "terms"),
        (full, marks, "marks"),
    ] {
        let error = LinearTableau::new(&formulas, formula, limits).expect_err(what);
        assert_eq!(error.what, what);
    }
}
