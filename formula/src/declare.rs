//! The constraints of the language Declare by name. Process mining uses such constraints to state
//! properties of cases, that is, of runs of a process that end in a final marking.
//!
//! | constraint | as a formula |
//! |---|---|
//! | `existence(a)` | `F a` |
//! | `existence2(a)` | `F (a && X F a)` |
//! | `existence3(a)` | `F (a && X F (a && X F a))` |
//! | `absence(a)` | `!F a` |
//! | `absence2(a)` | `!F (a && X F a)` |
//! | `absence3(a)` | `!F (a && X F (a && X F a))` |
//! | `exactly_one(a)` | `F a && !F (a && X F a)` |
//! | `init(a)` | `a` |
//! | `choice(a, b)` | `F a \|\| F b` |
//! | `exclusive_choice(a, b)` | `F a xor F b` |
//! | `responded_existence(a, b)` | `F a -> F b` |
//! | `co_existence(a, b)` | `F a <-> F b` |
//! | `not_co_existence(a, b)`, `not_responded_existence(a, b)` | `!(F a && F b)` |
//! | `response(a, b)` | `G (a -> F b)` |
//! | `precedence(a, b)` | `(!b U a) \|\| G !b` |
//! | `succession(a, b)` | `response(a, b) && precedence(a, b)` |
//! | `not_succession(a, b)`, `not_response(a, b)`, `not_precedence(a, b)` | `G (a -> !F b)` |
//! | `alternate_response(a, b)` | `G (a -> X (!a U b))` |
//! | `alternate_precedence(a, b)` | `precedence(a, b) && G (b -> X precedence(a, b))` |
//! | `alternate_succession(a, b)` | `alternate_response(a, b) && alternate_precedence(a, b)` |
//! | `chain_response(a, b)` | `G (a -> X b)` |
//! | `chain_precedence(a, b)` | `!b && G (X b -> a)` |
//! | `chain_succession(a, b)` | `!b && G (a <-> X b)` |
//! | `not_chain_succession(a, b)` | `G (a -> X !b)` |
//! | `not_chain_response(a, b)`, `not_chain_precedence(a, b)` | `G (a -> X !b)` |
//!
//! Several negative constraints have the same meaning: b never follows a, or for the `chain` forms,
//! b never directly follows a.
//!
//! `a` is `fires(…)` of all transitions with this name. X is the strong next operator: in the last
//! letter of a case, where nothing fires, X φ is false for every φ. In all other letters, X and the
//! weak next operator have the same value.
//!
//! # Source
//! M. Pesic, H. Schonenberg, W. van der Aalst, *DECLARE: full support for loosely-structured
//! processes*, EDOC 2007. The negative forms: C. Di Ciccio, M. Montali, *Declarative process
//! specifications: reasoning, discovery, monitoring*, Process Mining Handbook, 2022.

use super::syntax::Formula;
use parikh_net::closest;

/// The names of the constraints with one operand.
const UNARY: [&str; 8] = [
    "existence",
    "existence2",
    "existence3",
    "absence",
    "absence2",
    "absence3",
    "exactly_one",
    "init",
];

/// The names of the constraints with two operands.
const BINARY: [&str; 21] = [
    "choice",
    "exclusive_choice",
    "responded_existence",
    "not_responded_existence",
    "co_existence",
    "not_co_existence",
    "response",
    "precedence",
    "succession",
    "not_response",
    "not_precedence",
    "not_succession",
    "alternate_response",
    "alternate_precedence",
    "alternate_succession",
    "chain_response",
    "chain_precedence",
    "chain_succession",
    "not_chain_response",
    "not_chain_precedence",
    "not_chain_succession",
];

/// Returns the constraint that an author probably means by a word that is no constraint. For
/// example, other tools write `NotChainResponse` for `not_chain_response`. A negative constraint is
/// suggested only for a word that begins with `not`, and a positive constraint only for other
/// words.
pub(super) fn similar(word: &str) -> Option<&'static str> {
    fn letters(name: &str) -> String {
        name.to_lowercase().replace('_', "")
    }
    let all = || UNARY.into_iter().chain(BINARY);
    let lower = letters(word);
    let respelled = all().find(|name| letters(name) == lower);
    let is_negative = lower.starts_with("not");
    let same_sign = all().filter(|name| name.starts_with("not_") == is_negative);
    respelled.or_else(|| closest(&word.to_lowercase(), same_sign))
}

/// Returns the number of operands of a Declare constraint, or `None` for an unknown name.
pub(super) fn operands(name: &str) -> Option<usize> {
    match () {
        () if UNARY.contains(&name) => Some(1),
        () if BINARY.contains(&name) => Some(2),
        () => None,
    }
}

/// Returns the Declare constraint with this name over two formulas about the transition that fires.
/// Constraints with one operand ignore the second. Returns `None` for an unknown name.
pub(super) fn constraint(name: &str, a: &Formula, b: &Formula) -> Option<Formula> {
    let again = || and(a.clone(), next(finally(a.clone())));
    let twice_again = || and(a.clone(), next(finally(again())));
    Some(match name {
        "existence" => finally(a.clone()),
        "existence2" => finally(again()),
        "existence3" => finally(twice_again()),
        "absence" => not(finally(a.clone())),
        "absence2" => not(finally(again())),
        "absence3" => not(finally(twice_again())),
        "exactly_one" => and(finally(a.clone()), not(finally(again()))),
        "init" => a.clone(),
        "choice" => or(finally(a.clone()), finally(b.clone())),
        "exclusive_choice" => {
            Formula::Xor(Box::new(finally(a.clone())), Box::new(finally(b.clone())))
        }
        "responded_existence" => implies(finally(a.clone()), finally(b.clone())),
        "co_existence" => iff(finally(a.clone()), finally(b.clone())),
        "not_co_existence" | "not_responded_existence" => {
            not(and(finally(a.clone()), finally(b.clone())))
        }
        "response" => globally(implies(a.clone(), finally(b.clone()))),
        "precedence" => precedence(a, b),
        "succession" => and(constraint("response", a, b)?, precedence(a, b)),
        "not_succession" | "not_response" | "not_precedence" => {
            globally(implies(a.clone(), not(finally(b.clone()))))
        }
        "alternate_response" => {
            globally(implies(a.clone(), next(until(not(a.clone()), b.clone()))))
        }
        "alternate_precedence" => {
            and(precedence(a, b), globally(implies(b.clone(), next(precedence(a, b)))))
        }
        "alternate_succession" => {
            and(constraint("alternate_response", a, b)?, constraint("alternate_precedence", a, b)?)
        }
        "chain_response" => globally(implies(a.clone(), next(b.clone()))),
        "chain_precedence" => and(not(b.clone()), globally(implies(next(b.clone()), a.clone()))),
        "chain_succession" => and(not(b.clone()), globally(iff(a.clone(), next(b.clone())))),
        "not_chain_succession" | "not_chain_response" | "not_chain_precedence" => {
            globally(implies(a.clone(), next(not(b.clone()))))
        }
        _ => return None,
    })
}

/// Returns the formula "b only after a".
fn precedence(a: &Formula, b: &Formula) -> Formula {
    or(until(not(b.clone()), a.clone()), globally(not(b.clone())))
}

fn finally(part: Formula) -> Formula {
    Formula::Finally(Box::new(part))
}

fn globally(part: Formula) -> Formula {
    Formula::Globally(Box::new(part))
}

fn next(part: Formula) -> Formula {
    Formula::Next(Box::new(part))
}

fn not(part: Formula) -> Formula {
    Formula::Not(Box::new(part))
}

fn and(a: Formula, b: Formula) -> Formula {
    Formula::And(vec![a, b])
}

fn or(a: Formula, b: Formula) -> Formula {
    Formula::Or(vec![a, b])
}

fn implies(a: Formula, b: Formula) -> Formula {
    Formula::Implies(Box::new(a), Box::new(b))
}

fn iff(a: Formula, b: Formula) -> Formula {
    Formula::Equivalent(Box::new(a), Box::new(b))
}

fn until(before: Formula, reach: Formula) -> Formula {
    Formula::Until { before: Box::new(before), reach: Box::new(reach) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constraint_has_a_name_and_other_spellings_get_a_suggestion() {
        for name in UNARY.into_iter().chain(BINARY) {
            assert!(constraint(name, &Formula::True, &Formula::False).is_some(), "{name}");
        }
        for (word, name) in [
            ("Response", Some("response")),
            ("NotChainPrecedence", Some("not_chain_precedence")),
            ("coexistence", Some("co_existence")),
            ("respons", Some("response")),
            ("exactlyone", Some("exactly_one")),
            ("not_choice", None),
            ("winner", None),
        ] {
            assert_eq!(similar(word), name, "{word}");
        }
    }
}
