//! Predicates that imply subformulas of a CTL formula: a marking that satisfies the predicate
//! satisfies the subformula.
//!
//! | subformula | implied by |
//! |---|---|
//! | a condition on markings | itself |
//! | φ ∧ ψ, φ ∨ ψ | the conjunction or disjunction of the predicates for φ and ψ |
//! | EX φ, AX φ | the predicate for φ, after some firing or after all firings ([`Predicate::before_some_near`]) |
//! | φ U ψ | the predicate for ψ |
//! | φ R ψ | the predicates for φ and ψ both |
//!
//! If no reachable marking satisfies the negation of the predicate, the subformula holds in all
//! reachable markings. If the predicate is reachable from every reachable marking, so is the
//! subformula. Conversely, a subformula is false where the predicate for its negation holds. So a
//! search for a marking with the subformula can skip these markings.

use parikh_net::{Net, Predicate};
use parikh_temporal::{Ctl, Formula, Node, Quantifier};

/// The maximum number of leaves of a predicate when EX or AX of the predicate is expressed as a
/// condition on the marking before the firing. The limit holds for the given predicate, for
/// intermediate results, and for the result.
pub const MAX_LEAVES: usize = 2_000;

/// Returns, for each subformula, a predicate that implies it, in sorted form. If no predicate is
/// known, the result is [`Predicate::False`]. `subformulas` must be ascending, so that each
/// subformula comes after its own parts.
pub fn implying_predicates(
    formulas: &Ctl,
    atoms: &[Predicate],
    subformulas: &[Formula<Quantifier>],
    net: &Net,
) -> Vec<Predicate> {
    let mut predicates: Vec<Predicate> = Vec::with_capacity(subformulas.len());
    for &part in subformulas {
        let implying_predicate_of = |part: &Formula<Quantifier>| {
            let index =
                subformulas.binary_search(part).ok().filter(|&index| index < predicates.len());
            index.map_or(Predicate::False, |index| predicates[index].clone())
        };
        let implying_predicate = match formulas.node(part) {
            Node::True => Predicate::True,
            Node::False => Predicate::False,
            Node::Literal(literal) => {
                let atom = atoms[literal.atom.0 as usize].clone();
                if literal.positive { atom } else { atom.negated() }
            }
            Node::And(parts) => Predicate::and(parts.iter().map(implying_predicate_of)),
            Node::Or(parts) => Predicate::or(parts.iter().map(implying_predicate_of)),
            Node::Next(paths, inner) => {
                let inner = implying_predicate_of(inner);
                let before = match paths {
                    Quantifier::Exists => inner.before_some_near(net, MAX_LEAVES),
                    Quantifier::All => inner.before_all_near(net, MAX_LEAVES),
                };
                before.unwrap_or(Predicate::False)
            }
            Node::Until(_, _, right) => implying_predicate_of(right),
            Node::Release(_, left, right) => {
                Predicate::and([implying_predicate_of(left), implying_predicate_of(right)])
            }
        };
        predicates.push(implying_predicate.sorted());
    }
    predicates
}
