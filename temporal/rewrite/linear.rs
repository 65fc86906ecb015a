//! Rules of LTL.

use super::{Rule, shared, until};
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;

type Id = Formula<Linear>;

/// The rules of LTL, in the order in which they are tried.
pub const LINEAR_RULES: &[Rule<Linear>] = &[
    Rule {
        name: "implied operand",
        before: "Ga & (a U b) & Fb",
        after: "Ga & (a U b)",
        apply: shared::implied_operand,
    },
    Rule {
        name: "opposite operands",
        before: "G(a & b) & F!b",
        after: "0",
        apply: shared::opposite_operands,
    },
    Rule {
        name: "excluded choice",
        before: "a & (!a | Xb | (!a R c))",
        after: "a & (Xb | (!a R c))",
        apply: shared::excluded_choice,
    },
    Rule {
        name: "joined operators",
        before: "(a U b) & (c U b)",
        after: "(a & c) U b",
        apply: shared::joined_operators,
    },
    Rule {
        name: "waits for nothing",
        before: "a U (a | b)",
        after: "a | b",
        apply: until::waits_for_nothing,
    },
    Rule { name: "waits anyway", before: "(!a | b) U a", after: "Fa", apply: until::waits_anyway },
    Rule { name: "inner alone", before: "a U (a U b)", after: "a U b", apply: until::inner_alone },
    Rule {
        name: "inner target",
        before: "F(c | (a U b))",
        after: "F(b | c)",
        apply: until::inner_target,
    },
    Rule { name: "next outwards", before: "Xa U Xb", after: "X(a U b)", apply: next_outwards },
    Rule { name: "suspended", before: "XGFa", after: "GFa", apply: suspended },
    Rule {
        name: "suspended part",
        before: "a U (b & GFc)",
        after: "GFc & (a U b)",
        apply: suspended_part,
    },
    Rule {
        name: "recurring conjunction",
        before: "GF(a & Fb)",
        after: "GFa & GFb",
        apply: recurring_conjunction,
    },
    Rule {
        name: "recurring disjunction",
        before: "GFa | GFb",
        after: "GF(a | b)",
        apply: recurring_disjunction,
    },
];

/// X φ U X ψ = X (φ U ψ), and so with R, F and G: what holds at each position of the rest of the
/// word. A constant is its own "next".
fn next_outwards(formulas: &mut Ltl, formula: Id) -> Option<Id> {
    let after = |formulas: &Ltl, part: Id| match *formulas.node(part) {
        Node::Next(_, inner) => Some(inner),
        Node::True | Node::False => Some(part),
        _ => None,
    };
    let result = match *formulas.node(formula) {
        Node::Until(_, left, right) => {
            let (left, right) = (after(formulas, left)?, after(formulas, right)?);
            formulas.until(Linear, left, right)
        }
        Node::Release(_, left, right) => {
            let (left, right) = (after(formulas, left)?, after(formulas, right)?);
            formulas.release(Linear, left, right)
        }
        _ => return None,
    };
    Some(formulas.next(Linear, result))
}

/// The body of GF (with `true`) or FG.
fn recurring(formulas: &Ltl, formula: Id) -> Option<(Id, bool)> {
    match *formulas.node(formula) {
        Node::Release(_, left, inner) if formulas.is(left, false) => match *formulas.node(inner) {
            Node::Until(_, left, body) if formulas.is(left, true) => Some((body, true)),
            _ => None,
        },
        Node::Until(_, left, inner) if formulas.is(left, true) => match *formulas.node(inner) {
            Node::Release(_, left, body) if formulas.is(left, false) => Some((body, false)),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a formula has the same value at all positions: GF φ, FG φ, and what ∧ and ∨ make of them.
fn is_suspendable(formulas: &Ltl, formula: Id) -> bool {
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        match formulas.node(part) {
            Node::True | Node::False => {}
            Node::And(all) | Node::Or(all) => open.extend_from_slice(all),
            _ if recurring(formulas, part).is_some() => {}
            _ => return false,
        }
    }
    true
}

/// X s = s, φ U s = s and φ R s = s, if s has the same value at all positions.
fn suspended(formulas: &mut Ltl, formula: Id) -> Option<Id> {
    match *formulas.node(formula) {
        Node::Next(_, right) | Node::Until(_, _, right) | Node::Release(_, _, right) => {
            is_suspendable(formulas, right).then_some(right)
        }
        _ => None,
    }
}

/// X, φ U and φ R leave out what has the same value at all positions: φ U (ψ ∧ s) = (φ U ψ) ∧ s, since
/// s is needed at one position and is the same at the first; φ U (ψ ∨ s) = (φ U ψ) ∨ s, since s true is
/// true at once. For R, the duals; for X, both are plain.
fn suspended_part(formulas: &mut Ltl, formula: Id) -> Option<Id> {
    let node = formulas.node(formula).clone();
    let (Node::Next(_, body) | Node::Until(_, _, body) | Node::Release(_, _, body)) = node else {
        return None;
    };
    let (parts, and) = match formulas.node(body) {
        Node::And(all) => (all.to_vec(), true),
        Node::Or(all) => (all.to_vec(), false),
        _ => return None,
    };
    let (mut out, inside): (Vec<Id>, Vec<Id>) =
        parts.into_iter().partition(|&part| is_suspendable(formulas, part));
    if out.is_empty() {
        return None;
    }
    let body = if and { formulas.and(inside) } else { formulas.or(inside) };
    out.push(match node {
        Node::Next(..) => formulas.next(Linear, body),
        Node::Until(_, left, _) => formulas.until(Linear, left, body),
        _ => {
            let Node::Release(_, left, _) = node else { return None };
            formulas.release(Linear, left, body)
        }
    });
    Some(if and { formulas.and(out) } else { formulas.or(out) })
}

/// GF (φ ∧ F ψ) = GF φ ∧ GF ψ: if both come again and again, ψ comes after each φ. The dual:
/// FG (φ ∨ G ψ) = FG φ ∨ FG ψ.
fn recurring_conjunction(formulas: &mut Ltl, formula: Id) -> Option<Id> {
    let (body, often) = recurring(formulas, formula)?;
    let parts = match formulas.node(body) {
        Node::And(all) if often => all.to_vec(),
        Node::Or(all) if !often => all.to_vec(),
        _ => return None,
    };
    let target = |part: Id| match *formulas.node(part) {
        Node::Until(_, left, right) if often && formulas.is(left, true) => Some(right),
        Node::Release(_, left, right) if !often && formulas.is(left, false) => Some(right),
        _ => None,
    };
    let (moved, rest): (Vec<Id>, Vec<Id>) = parts.iter().partition(|&&part| target(part).is_some());
    let mut bodies: Vec<Id> = moved.iter().filter_map(|&part| target(part)).collect();
    if bodies.is_empty() {
        return None;
    }
    if !rest.is_empty() {
        bodies.push(if often { formulas.and(rest) } else { formulas.or(rest) });
    }
    let all: Vec<Id> = bodies.into_iter().map(|body| recur(formulas, body, often)).collect();
    Some(if often { formulas.and(all) } else { formulas.or(all) })
}

/// GF φ ∨ GF ψ = GF (φ ∨ ψ): of two, one comes again and again if they do together. The dual:
/// FG φ ∧ FG ψ = FG (φ ∧ ψ).
fn recurring_disjunction(formulas: &mut Ltl, formula: Id) -> Option<Id> {
    let (parts, often) = match formulas.node(formula) {
        Node::Or(all) => (all.to_vec(), true),
        Node::And(all) => (all.to_vec(), false),
        _ => return None,
    };
    let body = |part: Id| match recurring(formulas, part) {
        Some((body, of)) if of == often => Some(body),
        _ => None,
    };
    let (moved, mut rest): (Vec<Id>, Vec<Id>) =
        parts.iter().partition(|&&part| body(part).is_some());
    if moved.len() < 2 {
        return None;
    }
    let bodies: Vec<Id> = moved.iter().filter_map(|&part| body(part)).collect();
    let together = if often { formulas.or(bodies) } else { formulas.and(bodies) };
    rest.push(recur(formulas, together, often));
    Some(if often { formulas.or(rest) } else { formulas.and(rest) })
}

/// GF (with `true`) or FG.
fn recur(formulas: &mut Ltl, body: Id, often: bool) -> Id {
    if often {
        let inner = formulas.eventually(Linear, body);
        formulas.always(Linear, inner)
    } else {
        let inner = formulas.always(Linear, body);
        formulas.eventually(Linear, inner)
    }
}
