//! Rules of CTL.

use super::{Rule, shared, until};
use crate::formula::{Ctl, Formula, Node};
use crate::paths::Quantifier;
use Quantifier::{All, Exists};

type Id = Formula<Quantifier>;

/// The rules of CTL, in the order in which they are tried.
pub const BRANCHING_RULES: &[Rule<Quantifier>] = &[
    Rule {
        name: "implied operand",
        before: "AGa & A(a U b) & EFb",
        after: "AGa & A(a U b)",
        apply: shared::implied_operand,
    },
    Rule {
        name: "opposite operands",
        before: "AG(a & b) & EF!b",
        after: "0",
        apply: shared::opposite_operands,
    },
    Rule {
        name: "excluded choice",
        before: "a & (!a | EXb | E(!a R c))",
        after: "a & (EXb | E(!a R c))",
        apply: shared::excluded_choice,
    },
    Rule {
        name: "joined operators",
        before: "A(a U b) & A(c U b)",
        after: "A((a & c) U b)",
        apply: shared::joined_operators,
    },
    Rule {
        name: "waits for nothing",
        before: "E(a U (a | b))",
        after: "a | b",
        apply: until::waits_for_nothing,
    },
    Rule {
        name: "waits anyway",
        before: "A((!a | b) U a)",
        after: "AFa",
        apply: until::waits_anyway,
    },
    Rule {
        name: "inner alone",
        before: "A(a U E(a U b))",
        after: "E(a U b)",
        apply: until::inner_alone,
    },
    Rule {
        name: "inner target",
        before: "EF(c | A(a U b))",
        after: "EF(b | c)",
        apply: until::inner_target,
    },
    Rule { name: "next inwards", before: "EXEFa", after: "EFEXa", apply: next_inwards },
    Rule { name: "chain", before: "EFEGEFa", after: "EGEFa", apply: chain },
];

/// EX EF φ = EF EX φ: after one step or more there is φ; and AX AG φ = AG AX φ. Inwards, where
/// "next" of a state formula may become a state formula.
fn next_inwards(formulas: &mut Ctl, formula: Id) -> Option<Id> {
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

/// A row of EF, AF, EG and AG, from the outside: a quantifier, and whether it is F.
type Chain = &'static [(Quantifier, bool)];

/// Rows and what they come to. Each is followed by its dual, with E and A, F and G exchanged.
///
/// *The longer one implies the shorter one.* EF EG EF φ: on the way to where EG EF φ holds, each
/// state has EF φ; go there, and on along the path that EG speaks of. AF EG AF φ: each maximal path
/// comes to EG AF φ, hence to φ; so until then each state has AF φ; go there on one path, and on
/// along the path that EG speaks of. AF AG AF φ: a reachable state is before the first AG AF φ on
/// some path, where AF AG AF φ still holds, hence AF φ; or not before it, where AF φ holds. AG EF
/// AG EF φ: each reachable state comes to EF φ, so it has EF φ.
///
/// *The shorter one implies the longer one*, since φ implies EF φ and AF φ, and AG φ implies AG AG
/// φ.
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

/// Shorter rows of EF, AF, EG and AG.
fn chain(formulas: &mut Ctl, formula: Id) -> Option<Id> {
    for (long, short) in CHAINS {
        let mut body = Some(formula);
        for &link in *long {
            body = body.and_then(|body| unlinked(formulas, body, link));
        }
        let Some(body) = body else { continue };
        let links = short.iter().rev();
        return Some(links.fold(body, |body, &(paths, eventually)| match eventually {
            true => formulas.eventually(paths, body),
            false => formulas.always(paths, body),
        }));
    }
    None
}

/// The body of a formula that begins with this link.
fn unlinked(formulas: &Ctl, formula: Id, (paths, eventually): (Quantifier, bool)) -> Option<Id> {
    match *formulas.node(formula) {
        Node::Until(of, left, body) if eventually && of == paths && formulas.is(left, true) => {
            Some(body)
        }
        Node::Release(of, left, body) if !eventually && of == paths && formulas.is(left, false) => {
            Some(body)
        }
        _ => None,
    }
}
