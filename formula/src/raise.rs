//! Translation of predicates back into formulas, for output and for use with other tools.

use super::syntax::{Expression, Formula, NumberRelation};
use parikh_net::{Atom, LinearSum, PlaceId, Predicate};

impl Formula {
    /// Converts a state predicate to a formula. Terms with negative coefficients move to the other
    /// side of a comparison, except at the limit of 64 bits.
    pub fn of_predicate(predicate: &Predicate) -> Formula {
        let convert_all = |parts: &[Predicate]| parts.iter().map(Formula::of_predicate).collect();
        match predicate {
            Predicate::True => Formula::True,
            Predicate::False => Formula::False,
            Predicate::Atom(atom) => comparison(atom),
            Predicate::Enabled(t) => Formula::Fireable(vec![*t]),
            Predicate::Disabled(t) => Formula::Not(Box::new(Formula::Fireable(vec![*t]))),
            Predicate::Dead => Formula::Deadlock,
            Predicate::NotDead => Formula::Not(Box::new(Formula::Deadlock)),
            Predicate::And(parts) => Formula::And(convert_all(parts)),
            Predicate::Or(parts) => Formula::Or(convert_all(parts)),
        }
    }

    /// Returns EF φ for the state predicate φ.
    pub fn possible(predicate: &Predicate) -> Formula {
        let finally = Formula::Finally(Box::new(Formula::of_predicate(predicate)));
        Formula::ExistsPath(Box::new(finally))
    }

    /// Returns AG EF φ for the state predicate φ.
    pub fn stays_possible(predicate: &Predicate) -> Formula {
        let globally = Formula::Globally(Box::new(Formula::possible(predicate)));
        Formula::AllPaths(Box::new(globally))
    }
}

/// Returns the atom Σ a·m(p) ≤ k as P ≤ N + k. Here P has the terms with positive coefficients, and
/// N has the negated terms with negative coefficients. If P has no terms, returns N ≥ −k. If P has
/// no terms, and N has none or −k overflows, returns 0 − N ≤ k.
fn comparison(atom: &Atom) -> Formula {
    let (positive, negative) = (side(&atom.sum, 1), side(&atom.sum, -1));
    let constant = Expression::Constant;
    let compare = |left, relation, right| Formula::Compare { left, relation, right };
    match (sum(positive), sum(negative), atom.bound) {
        (Some(left), None, k) => compare(left, NumberRelation::AtMost, constant(k)),
        (Some(left), Some(right), 0) => compare(left, NumberRelation::AtMost, right),
        (Some(left), Some(right), k) => {
            compare(left, NumberRelation::AtMost, Expression::Sum(vec![right, constant(k)]))
        }
        (None, Some(right), k) if k != i64::MIN => {
            compare(right, NumberRelation::AtLeast, constant(-k))
        }
        (None, right, k) => {
            let right = Box::new(right.unwrap_or(constant(0)));
            let left = Expression::Difference(Box::new(constant(0)), right);
            compare(left, NumberRelation::AtMost, constant(k))
        }
    }
}

/// Returns the terms whose coefficients have this sign, with the absolute values of the
/// coefficients.
fn side(sum: &LinearSum, sign: i64) -> Vec<(PlaceId, i64)> {
    let own = sum.terms().iter().filter(|(_, a)| a.signum() == sign);
    // Linear sums guarantee coefficients within ±(2⁶³ − 1).
    own.map(|&(p, a)| (p, a.saturating_abs())).collect()
}

/// Returns the sum of the terms, each a place and its coefficient. Returns `None` if there are no
/// terms.
fn sum(terms: Vec<(PlaceId, i64)>) -> Option<Expression> {
    let term = |(p, a): (PlaceId, i64)| match a {
        1 => Expression::Tokens(vec![p]),
        a => Expression::Product(vec![Expression::Constant(a), Expression::Tokens(vec![p])]),
    };
    let mut terms: Vec<Expression> = terms.into_iter().map(term).collect();
    match terms.len() {
        0 => None,
        1 => terms.pop(),
        _ => Some(Expression::Sum(terms)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Proposition, Query, lower, text};
    use super::*;
    use parikh_net::Goal;

    #[test]
    fn formulas_of_predicates_ask_the_same() {
        let net = parikh_net::text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q");
        let net = net.unwrap();
        for source in [
            "EF p <= 2",
            "EF p + 2*q <= r",
            "EF p + 2*q <= 3*r + 4",
            "EF p >= 1",
            "EF (2*p + q >= 3 && (fireable(t) || r <= q + 1))",
            "EF (!fireable(t) || deadlock)",
            "EF !deadlock",
            "EF p <= -1",
        ] {
            let read = |source: &str| {
                let formula = text::read_one(source, "test", &net).formula.unwrap();
                match lower(&formula, &net).unwrap() {
                    Query::Truth(Proposition::Atom(Goal::Reach(predicate))) => predicate,
                    other => panic!("{other:?}"),
                }
            };
            let predicate = read(source);
            let printed = Formula::possible(&predicate).print(&net).to_string();
            assert_eq!(read(&printed), predicate, "{source} became {printed}");
        }
        let least = Atom { sum: LinearSum::place(PlaceId::new(0)).negated(), bound: i64::MIN };
        let printed = Formula::of_predicate(&Predicate::Atom(least)).print(&net).to_string();
        assert_eq!(printed, "0 - p <= -9223372036854775808");
    }
}
