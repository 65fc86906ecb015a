//! The constraints of Declare by name: what process miners ask of cases.
//!
//! # Source
//! M. Pesic, H. Schonenberg, W. van der Aalst, *DECLARE: full support for loosely-structured
//! processes*, EDOC 2007.

/// Each constraint, how many activities it is about, and the formula that it stands for: `a` and
/// `b` are that one of these fires.
const CONSTRAINTS: [(&str, usize, &str); 22] = [
    ("existence", 1, "F a"),
    ("existence2", 1, "F (a && X F a)"),
    ("absence", 1, "!F a"),
    ("absence2", 1, "!F (a && X F a)"),
    ("exactly_one", 1, "F a && !F (a && X F a)"),
    ("init", 1, "a"),
    ("choice", 2, "F a || F b"),
    ("exclusive_choice", 2, "F a xor F b"),
    ("responded_existence", 2, "F a -> F b"),
    ("co_existence", 2, "F a <-> F b"),
    ("not_co_existence", 2, "!(F a && F b)"),
    ("response", 2, "G (a -> F b)"),
    ("precedence", 2, "(!b U a) || G !b"),
    ("succession", 2, "response(a, b) && precedence(a, b)"),
    ("not_succession", 2, "G (a -> !F b)"),
    ("alternate_response", 2, "G (a -> X (!a U b))"),
    ("alternate_precedence", 2, "precedence(a, b) && G (b -> X precedence(a, b))"),
    ("alternate_succession", 2, "alternate_response(a, b) && alternate_precedence(a, b)"),
    ("chain_response", 2, "G (a -> X b)"),
    ("chain_precedence", 2, "!b && G (X b -> a)"),
    ("chain_succession", 2, "!b && G (a <-> X b)"),
    ("not_chain_succession", 2, "G (a -> X !b)"),
];

/// How many activities the constraint of this name is about, and what it stands for.
pub(super) fn named(name: &str) -> Option<(usize, &'static str)> {
    CONSTRAINTS.iter().find(|(known, ..)| *known == name).map(|&(_, number, text)| (number, text))
}
