//! Terms in SMT-LIB 2, for dumps and for people.
//!
//! Terms used more than once are named with `define-fun`, so the text is linear in the arena. Names
//! are quoted as needed; where quoting is not enough, the number of the variable is appended.

use std::collections::HashSet;
use std::io;

use num_bigint::BigInt;
use num_traits::Signed;

use crate::linear_expression::LinearExpression;
use crate::term::{Node, Sort, Term, Terms, Variable};

/// Terms nested deeper than this are named, so that writing does not recurse far.
const MAX_DEPTH: u32 = 16;

/// Writes the question whether all of `assertions` can be true, down to `(check-sat)`.
///
/// # Errors
/// What `out` reports.
pub fn write_smt2(terms: &Terms, assertions: &[Term], out: &mut dyn io::Write) -> io::Result<()> {
    write_script(terms, &[Section { comment: "", assertions }], None, out)
}

/// Assertions that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// What they say, on one line; nothing is written for an empty one.
    pub comment: &'a str,
    /// What is asserted.
    pub assertions: &'a [Term],
}

/// Writes the question whether the assertions of all sections can be true, down to `(check-sat)`.
/// With `maximise` it asks for the largest value of the sum besides, in the extension that Z3 and
/// OptiMathSAT share.
///
/// # Errors
/// What `out` reports.
pub fn write_script(
    terms: &Terms,
    sections: &[Section<'_>],
    maximise: Option<&LinearExpression>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let all: Vec<Term> = sections.iter().flat_map(|section| section.assertions).copied().collect();
    let order = terms.reachable(all.iter().copied());
    let objective = maximise.map(|sum| sum.clone().into_parts());
    let used = objective.iter().flat_map(|(entries, _)| entries).map(|&(variable, _)| variable);
    let script = Script::new(terms, &all, &order, used);
    writeln!(out, "(set-logic {})", script.logic())?;
    for &variable in &script.variables {
        let sort = match terms.sort(variable) {
            Sort::Bool => "Bool",
            Sort::Int => "Int",
            Sort::Real => "Real",
        };
        writeln!(out, "(declare-const {} {sort})", script.symbols[variable.index()])?;
    }
    for &term in &order {
        if script.named[term.index()] {
            let mut text = String::new();
            script.write_node(term, &mut text);
            writeln!(out, "(define-fun t!{} () Bool {text})", term.index())?;
        }
    }
    for section in sections {
        if !section.comment.is_empty() {
            writeln!(out, "; {}", section.comment)?;
        }
        for &assertion in section.assertions {
            let mut text = String::new();
            script.write_term(assertion, &mut text);
            writeln!(out, "(assert {text})")?;
        }
    }
    if let Some((entries, constant)) = &objective {
        let mut text = String::new();
        script.write_sum(entries, constant, &mut text);
        writeln!(out, "(maximize {text})")?;
    }
    writeln!(out, "(check-sat)")
}

struct Script<'a> {
    terms: &'a Terms,
    /// Those that occur, in order.
    variables: Vec<Variable>,
    /// One per variable of the arena; empty for those that do not occur.
    symbols: Vec<String>,
    /// One per term of the arena.
    named: Vec<bool>,
}

impl<'a> Script<'a> {
    fn new(
        terms: &'a Terms,
        assertions: &[Term],
        order: &[Term],
        used: impl Iterator<Item = Variable>,
    ) -> Self {
        let mut uses = vec![0u32; terms.len()];
        let mut depth = vec![0u32; terms.len()];
        let mut named = vec![false; terms.len()];
        for &term in order {
            for part in terms.node(term).parts() {
                uses[part.index()] += 1;
            }
        }
        for assertion in assertions {
            uses[assertion.index()] += 1;
        }
        let mut occurring = vec![false; terms.variables().len()];
        used.for_each(|variable| occurring[variable.index()] = true);
        for &term in order {
            let node = terms.node(term);
            match node {
                Node::Boolean(variable) => occurring[variable.index()] = true,
                Node::AtMost(entries, _) | Node::Equal(entries, _) => {
                    entries.iter().for_each(|(variable, _)| occurring[variable.index()] = true);
                }
                _ => {}
            }
            let below = node.parts().iter().map(|part| depth[part.index()] + 1).max();
            let below = below.unwrap_or(0);
            let composite = matches!(node, Node::And(_) | Node::Or(_));
            named[term.index()] = composite && (uses[term.index()] > 1 || below >= MAX_DEPTH);
            depth[term.index()] = if named[term.index()] { 0 } else { below };
        }
        let variables: Vec<Variable> =
            terms.variables().filter(|variable| occurring[variable.index()]).collect();
        let mut taken = HashSet::new();
        let mut symbols = vec![String::new(); occurring.len()];
        for &variable in &variables {
            let mut symbol = quoted(terms.name(variable));
            while !taken.insert(symbol.clone()) {
                symbol = quoted(&format!("{}!{}", symbol.trim_matches('|'), variable.index()));
            }
            symbols[variable.index()] = symbol;
        }
        Script { terms, variables, symbols, named }
    }

    fn logic(&self) -> &'static str {
        let has = |sort| self.variables.iter().any(|&variable| self.terms.sort(variable) == sort);
        match (has(Sort::Int), has(Sort::Real)) {
            (false, false) => "QF_UF",
            (true, false) => "QF_LIA",
            (false, true) => "QF_LRA",
            (true, true) => "QF_LIRA",
        }
    }

    /// The name of a term if it has one, else how it is made. Recurses at most [`MAX_DEPTH`] deep,
    /// twice that with negations.
    fn write_term(&self, term: Term, out: &mut String) {
        if self.named[term.index()] {
            *out += &format!("t!{}", term.index());
        } else {
            self.write_node(term, out);
        }
    }

    fn write_node(&self, term: Term, out: &mut String) {
        match self.terms.node(term) {
            Node::Truth(value) => *out += if *value { "true" } else { "false" },
            Node::Boolean(variable) => *out += &self.symbols[variable.index()],
            Node::Not(part) => self.write_all("not", &[*part], out),
            Node::And(parts) => self.write_all("and", parts, out),
            Node::Or(parts) => self.write_all("or", parts, out),
            Node::AtMost(entries, bound) => self.write_constraint("<=", entries, bound, out),
            Node::Equal(entries, bound) => self.write_constraint("=", entries, bound, out),
        }
    }

    fn write_all(&self, operator: &str, parts: &[Term], out: &mut String) {
        *out += &format!("({operator}");
        for &part in parts {
            *out += " ";
            self.write_term(part, out);
        }
        *out += ")";
    }

    fn is_real(&self, entries: &[(Variable, i128)]) -> bool {
        entries.iter().any(|&(variable, _)| self.terms.sort(variable) == Sort::Real)
    }

    fn write_sum(&self, entries: &[(Variable, i128)], constant: &BigInt, out: &mut String) {
        let real = self.is_real(entries);
        let parts = entries.len() + usize::from(*constant != BigInt::ZERO || entries.is_empty());
        if parts > 1 {
            *out += "(+ ";
        }
        for (position, &(variable, coefficient)) in entries.iter().enumerate() {
            if position > 0 {
                *out += " ";
            }
            let symbol = &self.symbols[variable.index()];
            let symbol = if real && self.terms.sort(variable) == Sort::Int {
                format!("(to_real {symbol})")
            } else {
                symbol.clone()
            };
            *out += &match coefficient {
                1 => symbol,
                _ => format!("(* {} {symbol})", number(&coefficient.into(), real)),
            };
        }
        if parts > entries.len() {
            let space = if parts > 1 { " " } else { "" };
            *out += &format!("{space}{}", number(constant, real));
        }
        if parts > 1 {
            *out += ")";
        }
    }

    fn write_constraint(
        &self,
        relation: &str,
        entries: &[(Variable, i128)],
        bound: &BigInt,
        out: &mut String,
    ) {
        *out += &format!("({relation} ");
        self.write_sum(entries, &BigInt::ZERO, out);
        let real = self.is_real(entries);
        *out += &format!(" {})", number(bound, real));
    }
}

fn number(value: &BigInt, real: bool) -> String {
    let decimals = if real { ".0" } else { "" };
    if value.is_negative() {
        format!("(- {}{decimals})", value.magnitude())
    } else {
        format!("{value}{decimals}")
    }
}

/// The name as a symbol. Quotes do not tell symbols apart, so names like those of our definitions
/// get a second `!`, and names of functions in use get one at their end.
fn quoted(name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|c| if c == '|' || c == '\\' || c.is_control() { '_' } else { c })
        .collect();
    let clean = match clean.strip_prefix("t!") {
        Some(rest) if !rest.starts_with('!') => format!("t!!{rest}"),
        _ if FUNCTIONS.contains(&clean.as_str()) => format!("{clean}!"),
        _ => clean,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.!~%&^<>=+-*/?".contains(c);
    let simple = clean.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && clean.chars().all(plain)
        && !RESERVED.contains(&clean.as_str());
    if simple { clean } else { format!("|{clean}|") }
}

/// Words that need quotes to be a name.
const RESERVED: [&str; 9] =
    ["let", "forall", "exists", "match", "par", "as", "_", "assert", "exit"];

/// Names that solvers know already.
const FUNCTIONS: [&str; 15] = [
    "true", "false", "not", "and", "or", "xor", "ite", "distinct", "abs", "div", "mod", "to_real",
    "to_int", "is_int", "iff",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn text(terms: &Terms, assertions: &[Term]) -> String {
        let mut out = Vec::new();
        write_smt2(terms, assertions, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_script_declares_what_occurs_and_asserts_in_order() {
        let mut terms = Terms::new();
        let (x, y, unused) = (terms.integer("x"), terms.real("y z"), terms.integer("unused"));
        let b = terms.boolean("t!0");
        terms.at_most(unused, 1);
        let sum = LinearExpression::new().plus(-2, x).plus(1, y);
        let mixed = terms.at_most(sum, -3);
        let plain = terms.at_least(x, 4);
        let either = terms.or([b, plain]);
        assert_eq!(
            text(&terms, &[mixed, either]),
            "(set-logic QF_LIRA)\n(declare-const x Int)\n(declare-const |y z| Real)\n\
             (declare-const t!!0 Bool)\n\
             (assert (<= (+ (* (- 2.0) (to_real x)) |y z|) (- 3.0)))\n\
             (assert (or t!!0 (not (<= x 3))))\n(check-sat)\n"
        );
    }

    #[test]
    fn names_that_cannot_be_symbols_become_others_and_stay_apart() {
        assert_eq!(quoted("p1"), "p1");
        assert_eq!(quoted("1p"), "|1p|");
        assert_eq!(quoted("and"), "and!");
        assert_eq!(quoted("let"), "|let|");
        assert_eq!(quoted("t!7"), "t!!7");
        let mut terms = Terms::new();
        let (a, b) = (terms.boolean("a|"), terms.boolean("a\\"));
        let script = text(&terms, &[a, b]);
        assert!(script.contains("declare-const a_ Bool") && script.contains("declare-const a_!1"));
    }

    #[test]
    fn shared_and_deep_terms_are_named_once() {
        let mut terms = Terms::new();
        let mut tower = terms.boolean("b0");
        for level in 1..100_000 {
            let next = terms.boolean(&format!("b{level}"));
            let negated = terms.not(tower);
            tower =
                if level % 2 == 0 { terms.and([negated, next]) } else { terms.or([negated, next]) };
        }
        let again = terms.not(tower);
        let text = text(&terms, &[tower, again]);
        assert!(text.len() < 10_000_000);
        let definition = format!("(define-fun t!{} ", tower.index());
        assert_eq!(text.matches(&definition).count(), 1);
    }
}
