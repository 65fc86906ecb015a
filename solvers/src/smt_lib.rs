//! Terms in SMT-LIB 2, for dumps, for people, and for solver commands.
//!
//! Terms used more than once are named with `define-fun`, so the text is linear in the size of the
//! arena. The symbols of variables are their names with escapes ([`symbols`](crate::symbols)). A
//! script contains one batch of terms. A conversation with a solver has many batches (`writer`),
//! and its answers are parsed as they arrive (`reader`).

pub(crate) mod reader;
pub(crate) mod writer;

use std::fmt;
use std::io;

use crate::linear_expression::LinearExpression;
use crate::term::{Sort, Term, Terms, Variable};
use writer::Writer;

/// Writes the question whether `assertions` are satisfiable together, up to `(check-sat)`.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write_smt2(terms: &Terms, assertions: &[Term], out: &mut dyn io::Write) -> io::Result<()> {
    write_script(terms, &[Section { comment: "", assertions }], None, None, out)
}

/// The answer to a script that is written into it: `(set-info :status …)`. Some solvers report an
/// error if they find another answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedAnswer {
    /// The assertions are satisfiable together.
    Satisfiable,
    /// The assertions are not satisfiable together.
    Unsatisfiable,
    /// Neither is known.
    Unknown,
}

impl fmt::Display for ExpectedAnswer {
    /// Writes the word of SMT-LIB.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExpectedAnswer::Satisfiable => "sat",
            ExpectedAnswer::Unsatisfiable => "unsat",
            ExpectedAnswer::Unknown => "unknown",
        })
    }
}

/// A group of assertions with a comment.
#[derive(Clone, Copy, Debug)]
pub struct Section<'a> {
    /// A comment of one line; an empty comment is not written.
    pub comment: &'a str,
    /// The assertions of the group.
    pub assertions: &'a [Term],
}

/// Writes the question whether the assertions of all sections are satisfiable together, up to
/// `(check-sat)`. With `maximise`, it also asks for the largest value of the expression, up to
/// `(get-objectives)`. This uses the extension shared by Z3 and OptiMathSAT. With `status`, the
/// script states the answer to `(check-sat)`.
///
/// # Errors
/// Returns the errors of `out`.
pub fn write_script(
    terms: &Terms,
    sections: &[Section<'_>],
    maximise: Option<&LinearExpression>,
    status: Option<ExpectedAnswer>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let all_assertions: Vec<Term> =
        sections.iter().flat_map(|section| section.assertions).copied().collect();
    let objective = maximise.map(|sum| sum.clone().into_parts());
    let used = objective.iter().flat_map(|(entries, _)| entries).map(|&(variable, _)| variable);
    let mut writer = Writer::new();
    let preparation = writer.prepare(terms, &all_assertions, used);
    // The value of a bit-vector is an integer, which needs a wider logic.
    let is_of_bits = |(variable, _): &(Variable, _)| matches!(terms.sort(*variable), Sort::Bits(_));
    let counts_bits = objective.iter().flat_map(|(entries, _)| entries).any(is_of_bits);
    writeln!(out, "(set-logic {})", if counts_bits { "ALL" } else { writer.logic() })?;
    if let Some(status) = status {
        writeln!(out, "(set-info :status {status})")?;
    }
    writer.write_preparation(terms, &preparation, out)?;
    for section in sections {
        if !section.comment.is_empty() {
            writeln!(out, "; {}", section.comment)?;
        }
        for &assertion in section.assertions {
            writer.write_assertion(terms, assertion, out)?;
        }
    }
    if let Some((entries, constant)) = &objective {
        let mut text = String::new();
        writer.write_sum(terms, entries, constant, &mut text);
        writeln!(out, "(maximize {text})")?;
    }
    writeln!(out, "(check-sat)")?;
    // Without this command, the solver does not print the largest value.
    if objective.is_some() { writeln!(out, "(get-objectives)") } else { Ok(()) }
}

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
             (declare-const %74!0 Bool)\n\
             (assert (<= (+ (* (- 2.0) (to_real x)) |y z|) (- 3.0)))\n\
             (assert (or %74!0 (not (<= x 3))))\n(check-sat)\n"
        );
    }

    #[test]
    fn sums_of_bit_vectors_do_not_wrap_around() {
        let mut terms = Terms::new();
        let (x, y, n) = (terms.bits("x", 2), terms.bits("y", 1), terms.integer("n"));
        let sum = LinearExpression::new().plus(3, x).plus(-1, y);
        let low = terms.at_most(sum, -2);
        let same = terms.equal(x, y);
        assert_eq!(
            text(&terms, &[low, same]),
            "(set-logic QF_BV)\n(declare-const x (_ BitVec 2))\n(declare-const y (_ BitVec 1))\n\
             (assert (bvule (bvadd (bvmul (_ bv3 4) ((_ zero_extend 2) x)) (_ bv2 4)) \
             ((_ zero_extend 3) y)))\n(assert (= x ((_ zero_extend 1) y)))\n(check-sat)\n"
        );
        let mixed = terms.at_most(x, n);
        let text = text(&terms, &[mixed]);
        assert!(text.starts_with("(set-logic ALL)"), "{text}");
        assert!(text.contains("(<= (+ (bv2nat x) (* (- 1) n)) 0)"), "{text}");
    }

    #[test]
    fn names_that_are_no_symbols_are_escaped_and_stay_distinct() {
        let mut terms = Terms::new();
        let (a, b) = (terms.boolean("a|"), terms.boolean("a\\"));
        let same_name = terms.integer("a|");
        let low = terms.at_most(same_name, 1);
        let script = text(&terms, &[a, b, low]);
        for declaration in ["a%7C Bool", "a%5C Bool", "|a%7C%!2| Int"] {
            assert!(script.contains(&format!("(declare-const {declaration})")), "{script}");
        }
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

    #[test]
    fn named_terms_are_defined_only_once() {
        let mut terms = Terms::new();
        let (a, b, x) = (terms.boolean("a!1"), terms.boolean("b"), terms.integer("x"));
        let low = terms.at_most(x, 3);
        let (both, either) = (terms.and([a, low]), terms.or([b, low]));
        let mut writer = Writer::new();
        let say = |writer: &mut Writer, asserted: &[Term]| {
            let mut out = Vec::new();
            writer.assert(&terms, asserted, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let named = both.index();
        let first = say(&mut writer, &[a]);
        assert_eq!(first, "(declare-const %61!1 Bool)\n(assert %61!1)\n");
        assert_eq!(writer.logic(), "QF_UF");
        let twice = say(&mut writer, &[both, both]);
        assert_eq!(twice.matches("(declare-const x Int)").count(), 1);
        assert_eq!(twice.matches(&format!("t!{named}")).count(), 3, "{twice}");
        assert_eq!(say(&mut writer, &[both]), format!("(assert t!{named})\n"));
        let mut out = Vec::new();
        let guards = writer.guard(&terms, &[b, either, either], &mut out).unwrap();
        let guard = format!("a!{}", either.index());
        assert_eq!(guards, ["b", &guard, &guard]);
        assert_eq!(writer.variables().count(), 3);
    }
}
