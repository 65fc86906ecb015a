//! The rewrite rules of CTL: those of both logics, and two of CTL alone.
//!
//! The auditor simplifies with the same list and does not check the results of rules. A wrong rule
//! could therefore let a wrong answer pass. The proof of each rule is at its function, and tests
//! compare each rule with the evaluator.

use super::{RewriteRule, shared, until};
use crate::formula::{Ctl, Formula, Node};
use crate::paths::Quantifier;
use Quantifier::{All, Exists};

type BranchingFormula = Formula<Quantifier>;

/// The rules of CTL, in the order in which they are tried.
pub const BRANCHING_RULES: &[RewriteRule<Quantifier>] = &[
    RewriteRule {
        name: "implied operand",
        example: "AGa & A(a U b) & EFb",
        example_result: "AGa & A(a U b)",
        apply: shared::implied_operand,
    },
    RewriteRule {
        name: "opposite operands",
        example: "AG(a & b) & EF!b",
        example_result: "0",
        apply: shared::opposite_operands,
    },
    RewriteRule {
        name: "excluded choice",
        example: "a & (!a | EXb | E(!a R c))",
        example_result: "a & (EXb | E(!a R c))",
        apply: shared::excluded_choice,
    },
    RewriteRule {
        name: "joined operators",
        example: "A(a U b) & A(c U b)",
        example_result: "A((a & c) U b)",
        apply: shared::joined_operators,
    },
    RewriteRule {
        name: "waits for nothing",
        example: "E(a U (a | b))",
        example_result: "a | b",
        apply: until::waits_for_nothing,
    },
    RewriteRule {
        name: "waits anyway",
        example: "A((!a | b) U a)",
        example_result: "AFa",
        apply: until::waits_anyway,
    },
    RewriteRule {
        name: "inner alone",
        example: "A(a U E(a U b))",
        example_result: "E(a U b)",
        apply: until::inner_alone,
    },
    RewriteRule {
        name: "inner target",
        example: "EF(c | A(a U b))",
        example_result: "EF(b | c)",
        apply: until::inner_target,
    },
    RewriteRule {
        name: "next inwards",
        example: "EXEFa",
        example_result: "EFEXa",
        apply: next_inwards,
    },
    RewriteRule { name: "chain", example: "EFEGEFa", example_result: "EGEFa", apply: chain },
];

/// EX EF φ = EF EX φ: both state that some path reaches φ after at least one step. The dual is AX
/// AG φ = AG AX φ. "Next" moves inwards, because EX φ is a condition on markings if φ is one. The
/// result EF EX φ is then a reachability question.
fn next_inwards(formulas: &mut Ctl, formula: BranchingFormula) -> Option<BranchingFormula> {
    let Node::Next(paths, inner) = *formulas.node(formula) else { return None };
    match *formulas.node(inner) {
        Node::Until(Exists, left, body) if paths == Exists && formulas.is(left, true) => {
            let next = formulas.next(Exists, body);
            Some(formulas.eventually(Exists, next))
        }
        Node::Release(All, left, body) if paths == All && formulas.is(left, false) => {
            let next = formulas.next(All, body);
            Some(formulas.always(All, next))
        }
        _ => None,
    }
}

/// A chain of operators EF, AF, EG and AG, the outermost first. Each is a quantifier and a flag:
/// true for F, false for G.
type Chain = &'static [(Quantifier, bool)];

/// Chains and the equivalent shorter chains. Each pair is followed by its dual, with E and A, F and
/// G exchanged: an equivalence and its dual hold together.
///
/// *The longer chain implies the shorter one.*
///
/// - EF EG EF φ ⇒ EG EF φ: some path leads to a state with EG EF φ. Each state on this path has EF
///   φ, because a later state has it. From the end of the path, the path of EG has EF φ throughout.
/// - AF EG AF φ ⇒ EG AF φ: each maximal path reaches a state with EG AF φ, hence with AF φ. So each
///   state before has AF φ as well. Follow one path to there, then the path of EG.
/// - AF AG AF φ ⇒ AG AF φ: take a reachable state and a path to it. If no state on that path has AG
///   AF φ, then AF AG AF φ still holds at its end, hence AF φ. Otherwise one of them has AG AF φ,
///   so the end has AF φ.
/// - AG EF AG EF φ ⇒ AG EF φ: each reachable state can reach a state with EF φ, so it has EF φ
///   itself.
///
/// *The shorter chain implies the longer one*, since φ implies EF φ and AF φ, and AG φ implies AG
/// AG φ.
const CHAINS: &[(Chain, Chain)] = &[
    (&[(Exists, true), (Exists, false), (Exists, true)], &[(Exists, false), (Exists, true)]),
    (&[(All, false), (All, true), (All, false)], &[(All, true), (All, false)]),
    (&[(All, true), (Exists, false), (All, true)], &[(Exists, false), (All, true)]),
    (&[(Exists, false), (All, true), (Exists, false)], &[(All, true), (Exists, false)]),
    (&[(All, true), (All, false), (All, true)], &[(All, false), (All, true)]),
    (&[(Exists, false), (Exists, true), (Exists, false)], &[(Exists, true), (Exists, false)]),
    (
        &[(All, false), (Exists, true), (All, false), (Exists, true)],
        &[(All, false), (Exists, true)],
    ),
    (
        &[(Exists, true), (All, false), (Exists, true), (All, false)],
        &[(Exists, true), (All, false)],
    ),
];

/// Replaces a chain at the top of `formula` by the shorter chain from [`CHAINS`].
fn chain(formulas: &mut Ctl, formula: BranchingFormula) -> Option<BranchingFormula> {
    for (long, short) in CHAINS {
        let mut body = Some(formula);
        for &operator in *long {
            body = body.and_then(|body| body_of_operator(formulas, body, operator));
        }
        let Some(body) = body else { continue };
        let operators = short.iter().rev();
        return Some(operators.fold(body, |body, &(paths, is_eventually)| match is_eventually {
            true => formulas.eventually(paths, body),
            false => formulas.always(paths, body),
        }));
    }
    None
}

/// Returns the operand of `formula`, if its outermost operator is this link of a chain.
fn body_of_operator(
    formulas: &Ctl,
    formula: BranchingFormula,
    (paths, is_eventually): (Quantifier, bool),
) -> Option<BranchingFormula> {
    match *formulas.node(formula) {
        Node::Until(quantifier, left, body)
            if is_eventually && quantifier == paths && formulas.is(left, true) =>
        {
            Some(body)
        }
        Node::Release(quantifier, left, body)
            if !is_eventually && quantifier == paths && formulas.is(left, false) =>
        {
            Some(body)
        }
        _ => None,
    }
}
