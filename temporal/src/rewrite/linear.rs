//! The rewrite rules of LTL.

use super::{RewriteRule, shared, until};
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;

type LinearFormula = Formula<Linear>;

/// The rules of LTL, in the order in which they are tried.
pub const LINEAR_RULES: &[RewriteRule<Linear>] = &[
    RewriteRule {
        name: "implied operand",
        example: "Ga & (a U b) & Fb",
        example_result: "Ga & (a U b)",
        apply: shared::implied_operand,
    },
    RewriteRule {
        name: "opposite operands",
        example: "G(a & b) & F!b",
        example_result: "0",
        apply: shared::opposite_operands,
    },
    RewriteRule {
        name: "excluded choice",
        example: "a & (!a | Xb | (!a R c))",
        example_result: "a & (Xb | (!a R c))",
        apply: shared::excluded_choice,
    },
    RewriteRule {
        name: "joined operators",
        example: "(a U b) & (c U b)",
        example_result: "(a & c) U b",
        apply: shared::joined_operators,
    },
    RewriteRule {
        name: "waits for nothing",
        example: "a U (a | b)",
        example_result: "a | b",
        apply: until::waits_for_nothing,
    },
    RewriteRule {
        name: "waits anyway",
        example: "(!a | b) U a",
        example_result: "Fa",
        apply: until::waits_anyway,
    },
    RewriteRule {
        name: "inner alone",
        example: "a U (a U b)",
        example_result: "a U b",
        apply: until::inner_alone,
    },
    RewriteRule {
        name: "inner target",
        example: "F(c | (a U b))",
        example_result: "F(b | c)",
        apply: until::inner_target,
    },
    RewriteRule {
        name: "next outwards",
        example: "Xa U Xb",
        example_result: "X(a U b)",
        apply: next_outwards,
    },
    RewriteRule { name: "suspended", example: "XGFa", example_result: "GFa", apply: suspended },
    RewriteRule {
        name: "suspended part",
        example: "a U (b & GFc)",
        example_result: "GFc & (a U b)",
        apply: suspended_part,
    },
    RewriteRule {
        name: "suspended choice",
        example: "Fa | GFb",
        example_result: "F(a | GFb)",
        apply: suspended_choice,
    },
    RewriteRule {
        name: "recurring parts",
        example: "G(a & XF(b & XFc))",
        example_result: "G(a & Fb & Fc)",
        apply: recurring_parts,
    },
    RewriteRule {
        name: "recurring disjunction",
        example: "GFa | GFb",
        example_result: "GF(a | b)",
        apply: recurring_disjunction,
    },
];

/// X φ U X ψ = X (φ U ψ), and likewise for R, F and G, because the evaluation at each position
/// moves by one. A constant equals its own "next".
fn next_outwards(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let body_of_next = |formulas: &Ltl, part: LinearFormula| match *formulas.node(part) {
        Node::Next(_, inner) => Some(inner),
        Node::True | Node::False => Some(part),
        _ => None,
    };
    let result = match *formulas.node(formula) {
        Node::Until(_, left, right) => {
            let (left, right) = (body_of_next(formulas, left)?, body_of_next(formulas, right)?);
            formulas.until(Linear, left, right)
        }
        Node::Release(_, left, right) => {
            let (left, right) = (body_of_next(formulas, left)?, body_of_next(formulas, right)?);
            formulas.release(Linear, left, right)
        }
        _ => return None,
    };
    Some(formulas.next(Linear, result))
}

/// Returns the body of GF (with `true`) or FG (with `false`). Returns `None` for other formulas.
fn body_of_gf_or_fg(formulas: &Ltl, formula: LinearFormula) -> Option<(LinearFormula, bool)> {
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

/// Returns true if the formula has a form whose value is the same at all positions. These forms are
/// GF φ and G (F φ ∧ F ψ), their duals, constants, and combinations of these with ∧ and ∨.
fn is_suspendable(formulas: &Ltl, formula: LinearFormula) -> bool {
    let is_eventually = |part: &LinearFormula| match *formulas.node(*part) {
        Node::Until(_, left, _) => formulas.is(left, true),
        _ => false,
    };
    let is_always = |part: &LinearFormula| match *formulas.node(*part) {
        Node::Release(_, left, _) => formulas.is(left, false),
        _ => false,
    };
    let mut open = vec![formula];
    while let Some(part) = open.pop() {
        let has_right_form = match *formulas.node(part) {
            Node::True | Node::False => true,
            Node::And(ref operands) | Node::Or(ref operands) => {
                open.extend_from_slice(operands);
                true
            }
            Node::Release(_, _, body) if is_always(&part) => match formulas.node(body) {
                Node::And(operands) => operands.iter().all(is_eventually),
                _ => is_eventually(&body),
            },
            Node::Until(_, _, body) if is_eventually(&part) => match formulas.node(body) {
                Node::Or(operands) => operands.iter().all(is_always),
                _ => is_always(&body),
            },
            _ => false,
        };
        if !has_right_form {
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
    let (parts, is_conjunction) = match formulas.node(body) {
        Node::And(operands) => (operands.to_vec(), true),
        Node::Or(operands) if !matches!(node, Node::Until(..)) => (operands.to_vec(), false),
        _ => return None,
    };
    let (mut moved, kept): (Vec<LinearFormula>, Vec<LinearFormula>) =
        parts.into_iter().partition(|&part| is_suspendable(formulas, part));
    if moved.is_empty() {
        return None;
    }
    let body = if is_conjunction { formulas.and(kept) } else { formulas.or(kept) };
    moved.push(match node {
        Node::Next(..) => formulas.next(Linear, body),
        Node::Until(_, left, _) => formulas.until(Linear, left, body),
        _ => {
            let Node::Release(_, left, _) = node else { return None };
            formulas.release(Linear, left, body)
        }
    });
    Some(if is_conjunction { formulas.and(moved) } else { formulas.or(moved) })
}

/// F φ ∨ GF ψ = F (φ ∨ GF ψ), because GF ψ has the same value at all positions. One state of the
/// automaton then waits for both.
fn suspended_choice(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let Node::Or(operands) = formulas.node(formula).clone() else { return None };
    let body = |part: LinearFormula| match *formulas.node(part) {
        Node::Until(_, left, right) if formulas.is(left, true) => Some(right),
        _ => None,
    };
    let index_of_eventually = operands.iter().position(|&part| body(part).is_some())?;
    let mut moved = vec![body(operands[index_of_eventually])?];
    let mut other_operands = Vec::new();
    for (index, &part) in
        operands.iter().enumerate().filter(|&(index, _)| index != index_of_eventually)
    {
        let is_recurring = matches!(body_of_gf_or_fg(formulas, part), Some((_, true)));
        if is_recurring { moved.push(part) } else { other_operands.push(operands[index]) }
    }
    if moved.len() == 1 {
        return None;
    }
    let either = formulas.or(moved);
    other_operands.push(formulas.eventually(Linear, either));
    Some(formulas.or(other_operands))
}

/// Returns the body of X … X F (if `is_eventually`) or X … X G (otherwise), also without X. Returns
/// `None` for other formulas.
fn body_after_next(
    formulas: &Ltl,
    formula: LinearFormula,
    is_eventually: bool,
) -> Option<LinearFormula> {
    let mut part = formula;
    while let Node::Next(_, inner) = *formulas.node(part) {
        part = inner;
    }
    match *formulas.node(part) {
        Node::Until(_, left, body) if is_eventually && formulas.is(left, true) => Some(body),
        Node::Release(_, left, body) if !is_eventually && formulas.is(left, false) => Some(body),
        _ => None,
    }
}

/// G (φ ∧ X F ψ) = G (φ ∧ F ψ): ψ occurs after every position if and only if ψ occurs infinitely
/// often. G (φ ∧ F (ψ ∧ X F χ)) = G (φ ∧ F ψ ∧ F χ): if both occur infinitely often, χ occurs after
/// each ψ. The rule also holds with more X and without X. The duals are F (φ ∨ X G ψ) = F (φ ∨ G ψ)
/// and so on.
fn recurring_parts(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let (body, is_always) = match *formulas.node(formula) {
        Node::Release(_, left, body) if formulas.is(left, false) => (body, true),
        Node::Until(_, left, body) if formulas.is(left, true) => (body, false),
        _ => return None,
    };
    let parts = |formulas: &Ltl, body: LinearFormula| match formulas.node(body) {
        Node::And(operands) if is_always => operands.to_vec(),
        Node::Or(operands) if !is_always => operands.to_vec(),
        _ => vec![body],
    };
    let join = |formulas: &mut Ltl, operands: Vec<LinearFormula>| match is_always {
        true => formulas.and(operands),
        false => formulas.or(operands),
    };
    let old_parts = parts(formulas, body);
    let mut new_parts = Vec::new();
    for &part in &old_parts {
        let Some(inner) = body_after_next(formulas, part, is_always) else {
            new_parts.push(part);
            continue;
        };
        let mut bodies = Vec::new();
        let mut other_parts = Vec::new();
        for part in parts(formulas, inner) {
            match body_after_next(formulas, part, is_always) {
                Some(body) => bodies.push(body),
                None => other_parts.push(part),
            }
        }
        if !other_parts.is_empty() {
            bodies.push(join(formulas, other_parts));
        }
        new_parts.extend(bodies.into_iter().map(|body| match is_always {
            true => formulas.eventually(Linear, body),
            false => formulas.always(Linear, body),
        }));
    }
    if new_parts == old_parts {
        return None;
    }
    let body = join(formulas, new_parts);
    Some(if is_always { formulas.always(Linear, body) } else { formulas.eventually(Linear, body) })
}

/// GF φ ∨ GF ψ = GF (φ ∨ ψ): if the disjunction occurs infinitely often, so does one of the two.
/// The dual: FG φ ∧ FG ψ = FG (φ ∧ ψ).
fn recurring_disjunction(formulas: &mut Ltl, formula: LinearFormula) -> Option<LinearFormula> {
    let (parts, is_gf) = match formulas.node(formula) {
        Node::Or(operands) => (operands.to_vec(), true),
        Node::And(operands) => (operands.to_vec(), false),
        _ => return None,
    };
    let body = |part: LinearFormula| match body_of_gf_or_fg(formulas, part) {
        Some((body, is_body_gf)) if is_body_gf == is_gf => Some(body),
        _ => None,
    };
    let (joined_parts, mut other_parts): (Vec<LinearFormula>, Vec<LinearFormula>) =
        parts.iter().partition(|&&part| body(part).is_some());
    if joined_parts.len() < 2 {
        return None;
    }
    let bodies: Vec<LinearFormula> = joined_parts.iter().filter_map(|&part| body(part)).collect();
    let joined_bodies = if is_gf { formulas.or(bodies) } else { formulas.and(bodies) };
    other_parts.push(gf_or_fg(formulas, joined_bodies, is_gf));
    Some(if is_gf { formulas.or(other_parts) } else { formulas.and(other_parts) })
}

/// Returns GF body (with `true`) or FG body.
fn gf_or_fg(formulas: &mut Ltl, body: LinearFormula, is_gf: bool) -> LinearFormula {
    if is_gf {
        let inner = formulas.eventually(Linear, body);
        formulas.always(Linear, inner)
    } else {
        let inner = formulas.always(Linear, body);
        formulas.eventually(Linear, inner)
    }
}
