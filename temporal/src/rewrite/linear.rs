//! The rewrite rules of LTL.

use super::{RewriteRule, shared, until};
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;

type LinearFormula = Formula<Linear>;

/// The rules of LTL, in the order in which they are tried.
pub const LINEAR_RULES: &[RewriteRule<Linear>] = &[
    RewriteRule {
        name: "implied operand",
        before: "Ga & (a U b) & Fb",
        after: "Ga & (a U b)",
        apply: shared::implied_operand,
    },
    RewriteRule {
        name: "opposite operands",
        before: "G(a & b) & F!b",
        after: "0",
        apply: shared::opposite_operands,
    },
    RewriteRule {
        name: "excluded choice",
        before: "a & (!a | Xb | (!a R c))",
        after: "a & (Xb | (!a R c))",
        apply: shared::excluded_choice,
    },
    RewriteRule {
        name: "joined operators",
        before: "(a U b) & (c U b)",
        after: "(a & c) U b",
        apply: shared::joined_operators,
    },
    RewriteRule {
        name: "waits for nothing",
        before: "a U (a | b)",
        after: "a | b",
        apply: until::waits_for_nothing,
    },
    RewriteRule {
        name: "waits anyway",
        before: "(!a | b) U a",
        after: "Fa",
        apply: until::waits_anyway,
    },
    RewriteRule {
        name: "inner alone",
        before: "a U (a U b)",
        after: "a U b",
        apply: until::inner_alone,
    },
    RewriteRule {
        name: "inner target",
        before: "F(c | (a U b))",
        after: "F(b | c)",
        apply: until::inner_target,
    },
    RewriteRule {
        name: "next outwards",
        before: "Xa U Xb",
        after: "X(a U b)",
        apply: next_outwards,
    },
    RewriteRule { name: "suspended", before: "XGFa", after: "GFa", apply: suspended },
    RewriteRule {
        name: "suspended part",
        before: "a U (b & GFc)",
        after: "GFc & (a U b)",
        apply: suspended_part,
    },
    RewriteRule {
        name: "suspended choice",
        before: "Fa | GFb",
        after: "F(a | GFb)",
        apply: suspended_choice,
    },
    RewriteRule {
        name: "recurring parts",
        before: "G(a & XF(b & XFc))",
        after: "G(a & Fb & Fc)",
        apply: recurring_parts,
    },
    RewriteRule {
        name: "recurring disjunction",
        before: "GFa | GFb",
        after: "GF(a | b)",
        apply: recurring_disjunction,
    },
];

/// X φ U X ψ = X (φ U ψ), and likewise for R, F and G, because the evaluation at each position
/// moves by one. A constant equals its own "next".
fn next_outwards(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let after = |formulas: &Ltl, part: LinearFormula| match *formulas.node(part) {
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

/// Returns the body of GF (with `true`) or FG (with `false`).
fn recurring(formulas: &Ltl, formula: LinearFormula) -> Option<(LinearFormula, bool)> {
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

/// Returns true if the formula has the same value at all positions: GF φ and G (F φ ∧ F ψ), their
/// duals, and combinations of these with ∧ and ∨.
fn is_suspendable(formulas: &Ltl, formula: LinearFormula) -> bool {
    let eventually = |part: &LinearFormula| match *formulas.node(*part) {
        Node::Until(_, left, _) => formulas.is(left, true),
        _ => false,
    };
    let always = |part: &LinearFormula| match *formulas.node(*part) {
        Node::Release(_, left, _) => formulas.is(left, false),
        _ => false,
    };
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        let suspends = match *formulas.node(part) {
            Node::True | Node::False => true,
            Node::And(ref all) | Node::Or(ref all) => {
                open.extend_from_slice(all);
                true
            }
            Node::Release(_, _, body) if always(&part) => match formulas.node(body) {
                Node::And(all) => all.iter().all(eventually),
                _ => eventually(&body),
            },
            Node::Until(_, _, body) if eventually(&part) => match formulas.node(body) {
                Node::Or(all) => all.iter().all(always),
                _ => always(&body),
            },
            _ => false,
        };
        if !suspends {
            return false;
        }
    }
    true
}

/// X s = s, φ U s = s and φ R s = s, if s has the same value at all positions.
fn suspended(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    match *formulas.node(formula) {
        Node::Next(_, right) | Node::Until(_, _, right) | Node::Release(_, _, right) => {
            is_suspendable(formulas, right).then_some(right)
        }
        _ => None,
    }
}

/// Moves parts s with the same value at all positions out of X, φ U and φ R. φ U (ψ ∧ s) = (φ U ψ)
/// ∧ s, because s is needed at one position and has the same value at the first. φ R (ψ ∨ s) = (φ R
/// ψ) ∨ s is the dual. φ R (ψ ∧ s) = (φ R ψ) ∧ s, because s is needed now and has the same value
/// later. For X, both cases are immediate. A disjunct s stays below U, so that a waiting state of
/// the automaton can choose it at any time.
fn suspended_part(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let node = formulas.node(formula).clone();
    let (Node::Next(_, body) | Node::Until(_, _, body) | Node::Release(_, _, body)) = node else {
        return None;
    };
    let (parts, and) = match formulas.node(body) {
        Node::And(all) => (all.to_vec(), true),
        Node::Or(all) if !matches!(node, Node::Until(..)) => (all.to_vec(), false),
        _ => return None,
    };
    let (mut out, inside): (Vec<LinearFormula>, Vec<LinearFormula>) =
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

/// F φ ∨ GF ψ = F (φ ∨ GF ψ), because GF ψ has the same value at all positions. One state of the
/// automaton then waits for both.
fn suspended_choice(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let Node::Or(all) = formulas.node(formula).clone() else { return None };
    let body = |part: LinearFormula| match *formulas.node(part) {
        Node::Until(_, left, right) if formulas.is(left, true) => Some(right),
        _ => None,
    };
    let place = all.iter().position(|&part| body(part).is_some())?;
    let mut inside = vec![body(all[place])?];
    let mut rest = Vec::new();
    for (at, &part) in all.iter().enumerate().filter(|&(at, _)| at != place) {
        let suspends = matches!(recurring(formulas, part), Some((_, true)));
        if suspends { inside.push(part) } else { rest.push(all[at]) }
    }
    if inside.len() == 1 {
        return None;
    }
    let either = formulas.or(inside);
    rest.push(formulas.eventually(Linear, either));
    Some(formulas.or(rest))
}

/// Returns the body of X … X F (with `true`) or X … X G.
fn later(formulas: &Ltl, formula: LinearFormula, eventually: bool) -> Option<LinearFormula> {
    let mut part = formula;
    while let Node::Next(_, inner) = *formulas.node(part) {
        part = inner;
    }
    match *formulas.node(part) {
        Node::Until(_, left, body) if eventually && formulas.is(left, true) => Some(body),
        Node::Release(_, left, body) if !eventually && formulas.is(left, false) => Some(body),
        _ => None,
    }
}

/// G (φ ∧ X F ψ) = G (φ ∧ F ψ): ψ occurs after every position if and only if ψ occurs infinitely
/// often. G (φ ∧ F (ψ ∧ X F χ)) = G (φ ∧ F ψ ∧ F χ): if both occur infinitely often, χ occurs after
/// each ψ. The rule also holds with more X and without X. The duals are F (φ ∨ X G ψ) = F (φ ∨ G ψ)
/// and so on.
fn recurring_parts(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let (body, always) = match *formulas.node(formula) {
        Node::Release(_, left, body) if formulas.is(left, false) => (body, true),
        Node::Until(_, left, body) if formulas.is(left, true) => (body, false),
        _ => return None,
    };
    let parts = |formulas: &Ltl, body: LinearFormula| match formulas.node(body) {
        Node::And(all) if always => all.to_vec(),
        Node::Or(all) if !always => all.to_vec(),
        _ => vec![body],
    };
    let join = |formulas: &mut Ltl, all: Vec<LinearFormula>| match always {
        true => formulas.and(all),
        false => formulas.or(all),
    };
    let before = parts(formulas, body);
    let mut after = Vec::new();
    for &part in &before {
        let Some(inner) = later(formulas, part, always) else {
            after.push(part);
            continue;
        };
        let mut bodies = Vec::new();
        let mut rest = Vec::new();
        for part in parts(formulas, inner) {
            match later(formulas, part, always) {
                Some(body) => bodies.push(body),
                None => rest.push(part),
            }
        }
        if !rest.is_empty() {
            bodies.push(join(formulas, rest));
        }
        after.extend(bodies.into_iter().map(|body| match always {
            true => formulas.eventually(Linear, body),
            false => formulas.always(Linear, body),
        }));
    }
    if after == before {
        return None;
    }
    let body = join(formulas, after);
    Some(if always { formulas.always(Linear, body) } else { formulas.eventually(Linear, body) })
}

/// GF φ ∨ GF ψ = GF (φ ∨ ψ): if the disjunction occurs infinitely often, so does one of the two.
/// The dual: FG φ ∧ FG ψ = FG (φ ∧ ψ).
fn recurring_disjunction(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let (parts, often) = match formulas.node(formula) {
        Node::Or(all) => (all.to_vec(), true),
        Node::And(all) => (all.to_vec(), false),
        _ => return None,
    };
    let body = |part: LinearFormula| match recurring(formulas, part) {
        Some((body, of)) if of == often => Some(body),
        _ => None,
    };
    let (moved, mut rest): (Vec<LinearFormula>, Vec<LinearFormula>) =
        parts.iter().partition(|&&part| body(part).is_some());
    if moved.len() < 2 {
        return None;
    }
    let bodies: Vec<LinearFormula> = moved.iter().filter_map(|&part| body(part)).collect();
    let together = if often { formulas.or(bodies) } else { formulas.and(bodies) };
    rest.push(recur(formulas, together, often));
    Some(if often { formulas.or(rest) } else { formulas.and(rest) })
}

/// Returns GF body (with `true`) or FG body.
fn recur(formulas: &mut Ltl, body: LinearFormula, often: bool) -> LinearFormula {
    if often {
        let inner = formulas.eventually(Linear, body);
        formulas.always(Linear, inner)
    } else {
        let inner = formulas.always(Linear, body);
        formulas.eventually(Linear, inner)
    }
}
