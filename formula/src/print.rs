//! Printing of formulas in the inline language, so that reading gives the same tree.
//!
//! Parentheses are printed where the grammar needs them. They are also printed around comparisons,
//! ∧ and ∨ inside other operators, so that readers need not know the precedences.

use super::text::inline::is_bare;
use super::{Expression, Formula, NumberRelation};
use parikh_net::{Net, NodeKind, PlaceId};
use std::fmt;

/// A formula with the net of its names, for display.
#[derive(Clone, Copy, Debug)]
pub struct PrintedFormula<'a> {
    formula: &'a Formula,
    net: &'a Net,
}

impl Formula {
    /// Prints the formula in the inline language. Reading gives the same tree, with two exceptions.
    /// Conjunctions, disjunctions, sums and products with a single operand are printed as that
    /// operand. An empty list of nodes cannot be read.
    pub fn print<'a>(&'a self, net: &'a Net) -> PrintedFormula<'a> {
        PrintedFormula { formula: self, net }
    }
}

impl fmt::Display for PrintedFormula<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        formula(self.formula, self.net, FormulaContext::Any, f)
    }
}

/// The contexts in which a formula needs no parentheses, from the loosest to the tightest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FormulaContext {
    /// Any formula stands without parentheses.
    Any,
    /// Only an atomic formula or a formula that begins with a prefix operator stands without
    /// parentheses.
    Prefix,
    /// Only an atomic formula stands without parentheses.
    Atomic,
}

/// Prints a formula, in parentheses if its operator is looser than the context allows.
fn formula(
    formula: &Formula,
    net: &Net,
    surrounding: FormulaContext,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let context = match formula {
        Formula::And(parts) | Formula::Or(parts) if parts.len() == 1 => {
            return self::formula(&parts[0], net, surrounding, f);
        }
        Formula::And(_)
        | Formula::Or(_)
        | Formula::Xor(..)
        | Formula::Implies(..)
        | Formula::Equivalent(..)
        | Formula::Until { .. } => FormulaContext::Any,
        // A comparison binds tighter than the operators of formulas. But `! p >= 1` and `p >= 1 U q
        // >= 1` are hard to read.
        Formula::Compare { .. } => FormulaContext::Any,
        Formula::AllPaths(_)
        | Formula::ExistsPath(_)
        | Formula::Globally(_)
        | Formula::Finally(_)
        | Formula::Next(_)
        | Formula::Not(_) => FormulaContext::Prefix,
        Formula::Fireable(_)
        | Formula::Fires(_)
        | Formula::Deadlock
        | Formula::True
        | Formula::False
        | Formula::PlaceBound(_) => FormulaContext::Atomic,
    };
    if context < surrounding {
        f.write_str("(")?;
        formula_without_parentheses(formula, net, f)?;
        return f.write_str(")");
    }
    formula_without_parentheses(formula, net, f)
}

/// Prints a formula without parentheses around it.
fn formula_without_parentheses(
    printed: &Formula,
    net: &Net,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let prefix = |word: &str, part: &Formula, f: &mut fmt::Formatter<'_>| {
        f.write_str(word)?;
        formula(part, net, FormulaContext::Prefix, f)
    };
    let join = |parts: &[&Formula], separator: &str, f: &mut fmt::Formatter<'_>| {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(separator)?;
            }
            // A comparison beside an infix operator is clear without parentheses, except beside
            // `U`.
            let context = match part {
                Formula::Compare { .. } if separator != " U " => FormulaContext::Any,
                _ => FormulaContext::Prefix,
            };
            formula(part, net, context, f)?;
        }
        Ok(())
    };
    match printed {
        Formula::AllPaths(part) | Formula::ExistsPath(part) => {
            let quantifier = if matches!(printed, Formula::AllPaths(_)) { "A" } else { "E" };
            f.write_str(quantifier)?;
            match &**part {
                Formula::Globally(part) => prefix("G ", part, f),
                Formula::Finally(part) => prefix("F ", part, f),
                Formula::Next(part) => prefix("X ", part, f),
                part => prefix(" ", part, f),
            }
        }
        Formula::Globally(part) => prefix("G ", part, f),
        Formula::Finally(part) => prefix("F ", part, f),
        Formula::Next(part) => prefix("X ", part, f),
        Formula::Not(part) => prefix("!", part, f),
        Formula::And(parts) => join(&parts.iter().collect::<Vec<_>>(), " && ", f),
        Formula::Or(parts) => join(&parts.iter().collect::<Vec<_>>(), " || ", f),
        Formula::Xor(a, b) => join(&[a, b], " xor ", f),
        Formula::Implies(a, b) => join(&[a, b], " -> ", f),
        Formula::Equivalent(a, b) => join(&[a, b], " <-> ", f),
        Formula::Until { before, reach } => join(&[before, reach], " U ", f),
        Formula::Compare { left, relation, right } => {
            expression(left, net, ExpressionContext::AnyExpression, f)?;
            f.write_str(match relation {
                NumberRelation::AtMost => " <= ",
                NumberRelation::AtLeast => " >= ",
                NumberRelation::Less => " < ",
                NumberRelation::Greater => " > ",
                NumberRelation::Equal => " = ",
                NumberRelation::Unequal => " != ",
            })?;
            expression(right, net, ExpressionContext::AnyExpression, f)
        }
        Formula::Fireable(transitions) | Formula::Fires(transitions) => {
            let fires = matches!(printed, Formula::Fires(_));
            f.write_str(if fires { "fires(" } else { "fireable(" })?;
            list(transitions.iter().map(|&t| net.transition_name(t)), ", ", net, f)?;
            f.write_str(")")
        }
        Formula::PlaceBound(places) => {
            f.write_str("bound(")?;
            list(names(places, net), " + ", net, f)?;
            f.write_str(")")
        }
        Formula::Deadlock => f.write_str("deadlock"),
        Formula::True => f.write_str("true"),
        Formula::False => f.write_str("false"),
    }
}

/// The contexts in which an expression needs no parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ExpressionContext {
    /// Any expression is allowed.
    AnyExpression,
    /// Only products and atomic expressions stand without parentheses.
    Product,
    /// Only atomic expressions stand without parentheses.
    Leaf,
}

/// Prints an expression, in parentheses if its operator is looser than the context `least` allows.
fn expression(
    whole: &Expression,
    net: &Net,
    least: ExpressionContext,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let own = match whole {
        Expression::Sum(parts) | Expression::Product(parts) if parts.len() == 1 => {
            return expression(&parts[0], net, least, f);
        }
        Expression::Sum(_) | Expression::Difference(..) => ExpressionContext::AnyExpression,
        Expression::Product(_) => ExpressionContext::Product,
        Expression::Constant(_) | Expression::Tokens(_) => ExpressionContext::Leaf,
    };
    if own < least {
        f.write_str("(")?;
        expression(whole, net, ExpressionContext::AnyExpression, f)?;
        return f.write_str(")");
    }
    let join = |parts: &[Expression],
                between: &str,
                least: ExpressionContext,
                f: &mut fmt::Formatter<'_>| {
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                f.write_str(between)?;
            }
            expression(part, net, least, f)?;
        }
        Ok(())
    };
    match whole {
        Expression::Constant(number) => write!(f, "{number}"),
        Expression::Tokens(places) => match places[..] {
            [place] => name(net.place_name(place), net, f),
            _ => {
                f.write_str("tokens(")?;
                list(names(places, net), ", ", net, f)?;
                f.write_str(")")
            }
        },
        Expression::Sum(parts) => join(parts, " + ", ExpressionContext::Product, f),
        Expression::Product(parts) => join(parts, "*", ExpressionContext::Leaf, f),
        Expression::Difference(left, right) => {
            expression(left, net, ExpressionContext::AnyExpression, f)?;
            f.write_str(" - ")?;
            expression(right, net, ExpressionContext::Product, f)
        }
    }
}

fn names<'a>(places: &'a [PlaceId], net: &'a Net) -> impl Iterator<Item = &'a str> {
    places.iter().map(|&place| net.place_name(place))
}

fn list<'a>(
    names: impl Iterator<Item = &'a str>,
    between: &str,
    net: &Net,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (index, each) in names.enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        name(each, net, f)?;
    }
    Ok(())
}

/// Prints the id of a node, in quotes if it is not a plain word.
fn name(name: &str, net: &Net, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if is_bare(name) {
        return f.write_str(name);
    }
    // Quotes alone would refer to the other nodes that have this id as their name. So the word `id`
    // is printed first.
    f.write_str(if is_name_of_others(net, name) { "id \"" } else { "\"" })?;
    for c in name.chars() {
        if c == '\n' {
            f.write_str("\\n")?;
            continue;
        }
        if matches!(c, '"' | '\\') {
            f.write_str("\\")?;
        }
        write!(f, "{c}")?;
    }
    f.write_str("\"")
}

/// Returns true if the id of a node is also the name of a node with another id.
fn is_name_of_others(net: &Net, id: &str) -> bool {
    let has_labels = net.has_labels(NodeKind::Place) || net.has_labels(NodeKind::Transition);
    let is = |(other, name): (&str, &str)| name == id && other != id;
    has_labels && net.named_places().chain(net.named_transitions()).any(is)
}
