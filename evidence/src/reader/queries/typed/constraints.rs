//! The constraints of the language Declare, by name. Process mining uses them for properties of
//! cases.
//!
//! # Source
//! M. Pesic, H. Schonenberg, W. van der Aalst, *DECLARE: full support for loosely-structured
//! processes*, EDOC 2007.

/// The constraints: the name, the number of operands, and the formula in the `--formula` language.
/// In the formula, `a` means that a transition of the first operand fires next, and `b` means the
/// same for the second operand.
const CONSTRAINTS: [(&str, usize, &str); 29] = [
    ("existence", 1, "F a"),
    ("existence2", 1, "F (a && X F a)"),
    ("existence3", 1, "F (a && X F (a && X F a))"),
    ("absence", 1, "!F a"),
    ("absence2", 1, "!F (a && X F a)"),
    ("absence3", 1, "!F (a && X F (a && X F a))"),
    ("exactly_one", 1, "F a && !F (a && X F a)"),
    ("init", 1, "a"),
    ("choice", 2, "F a || F b"),
    ("exclusive_choice", 2, "F a xor F b"),
    ("responded_existence", 2, "F a -> F b"),
    ("not_responded_existence", 2, "!(F a && F b)"),
    ("co_existence", 2, "F a <-> F b"),
    ("not_co_existence", 2, "!(F a && F b)"),
    ("response", 2, "G (a -> F b)"),
    ("precedence", 2, "(!b U a) || G !b"),
    ("succession", 2, "response(a, b) && precedence(a, b)"),
    ("not_response", 2, "G (a -> !F b)"),
    ("not_precedence", 2, "G (a -> !F b)"),
    ("not_succession", 2, "G (a -> !F b)"),
    ("alternate_response", 2, "G (a -> X (!a U b))"),
    ("alternate_precedence", 2, "precedence(a, b) && G (b -> X precedence(a, b))"),
    ("alternate_succession", 2, "alternate_response(a, b) && alternate_precedence(a, b)"),
    ("chain_response", 2, "G (a -> X b)"),
    ("chain_precedence", 2, "!b && G (X b -> a)"),
    ("chain_succession", 2, "!b && G (a <-> X b)"),
    ("not_chain_response", 2, "G (a -> X !b)"),
    ("not_chain_precedence", 2, "G (a -> X !b)"),
    ("not_chain_succession", 2, "G (a -> X !b)"),
];

/// Returns the number of operands and the formula of a constraint, or `None` if no constraint has
/// this name.
pub(super) fn constraint_named(name: &str) -> Option<(usize, &'static str)> {
    CONSTRAINTS.iter().find(|(known, ..)| *known == name).map(|&(_, number, text)| (number, text))
}
