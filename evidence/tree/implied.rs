//! Predicates that imply parts of a formula: what of a part a single marking shows.
//!
//! | part | implied by |
//! |---|---|
//! | a condition on markings | itself |
//! | φ ∧ ψ, φ ∨ ψ | the same of what implies φ and ψ |
//! | EX φ, AX φ | what implies φ, after some firing or all of them ([`Predicate::before_some_near`]) |
//! | φ U ψ | what implies ψ |
//! | φ R ψ | what implies φ and ψ both |
//!
//! A part holds wherever this predicate does, so in all reachable markings where none satisfies its
//! negation; and it stays reachable where the predicate does. The other way round, a part holds at
//! most where what implies its negation does not: whoever looks for a marking with the part looks
//! there.

use parikh_net::{Net, Predicate};
use parikh_temporal::{Ctl, Formula, Node, Quantifier};

/// The most leaves of a predicate about what comes after a firing.
pub const MOST_LEAVES: usize = 2_000;

/// By part, parts of each before it, a predicate that implies it, in sorted form. Of what nothing
/// is known it is [`Predicate::False`].
pub fn implied_by(
    formulas: &Ctl,
    atoms: &[Predicate],
    parts: &[Formula<Quantifier>],
    net: &Net,
) -> Vec<Predicate> {
    let mut all: Vec<Predicate> = Vec::with_capacity(parts.len());
    for &part in parts {
        let of = |part: &Formula<Quantifier>| {
            let at = parts.binary_search(part).ok().filter(|&at| at < all.len());
            at.map_or(Predicate::False, |at| all[at].clone())
        };
        let implied = match formulas.node(part) {
            Node::True => Predicate::True,
            Node::False => Predicate::False,
            Node::Literal(literal) => {
                let atom = atoms[literal.atom.0 as usize].clone();
                if literal.positive { atom } else { atom.negated() }
            }
            Node::And(parts) => Predicate::and(parts.iter().map(of)),
            Node::Or(parts) => Predicate::or(parts.iter().map(of)),
            Node::Next(paths, inner) => {
                let inner = of(inner);
                let before = match paths {
                    Quantifier::Exists => inner.before_some_near(net, MOST_LEAVES),
                    Quantifier::All => inner.before_all_near(net, MOST_LEAVES),
                };
                before.unwrap_or(Predicate::False)
            }
            Node::Until(_, _, right) => of(right),
            Node::Release(_, left, right) => Predicate::and([of(left), of(right)]),
        };
        all.push(implied.sorted());
    }
    all
}
