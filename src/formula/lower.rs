//! From a formula to the question it asks of the reachable markings.
//!
//! Reachability is what the tool's goals can express: EF φ, AG φ, bounds, and what the initial
//! marking decides alone. Everything that is one of these in disguise is recognised: negation is
//! pushed through path quantifiers (¬EF φ = AG ¬φ), conjunctions of AG and disjunctions of EF
//! merge, and parts that the initial marking decides are folded away. All else is CTL or LTL.
//!
//! A path formula is read over maximal paths, which may end. EF and AG do not depend on that, so
//! the answers are the same for CTL and for LTL.

use super::linear;
use super::syntax::Formula;
use parikh_net::{LinearSum, Net, Predicate};

/// What a formula asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReachabilityQuery {
    /// EF φ, with φ: TRUE if and only if a reachable marking satisfies it.
    Possible(Predicate),
    /// AG φ, with **¬φ**: TRUE if and only if *no* reachable marking satisfies what is carried
    /// here, which is thus the predicate to look for.
    Never(Predicate),
    /// AG EF φ, with φ: TRUE if and only if from every reachable marking one is reachable that
    /// satisfies it.
    Home(Predicate),
    /// EF AG ψ, with **¬ψ**: TRUE if and only if what is carried here cannot be reached from every
    /// reachable marking.
    NoHome(Predicate),
    /// The value asked for is the most this sum ever is.
    Bound(LinearSum),
    /// A formula without temporal operators: TRUE if and only if the initial marking satisfies it.
    Initially(Predicate),
}

/// Why a formula is no question of reachability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// An operator of CTL or LTL proper.
    #[error("the temporal operator {0} goes beyond reachability")]
    Temporal(&'static str),
    /// Several questions of reachability that do not merge into one.
    #[error("the formula combines questions of reachability that are no single question")]
    Combination,
    /// Numbers beyond 64 bits.
    #[error("the numbers of a comparison do not fit 64 bits")]
    TooLarge,
    /// A product of two token counts.
    #[error("the formula multiplies token counts with each other")]
    NonLinear,
    /// A bound that is used as a property.
    #[error("`place-bound` is a number, and stands where a property is expected")]
    BoundAsProperty,
    /// Nested equivalences, each of which doubles what it holds.
    #[error("the formula is too large without its equivalences")]
    Explosion,
}

/// The question `formula` asks of the reachable markings of `net`.
///
/// # Errors
/// When it asks for more than reachability, or its numbers are too large.
pub fn lower(formula: &Formula, net: &Net) -> Result<ReachabilityQuery, Unsupported> {
    if let Formula::PlaceBound(places) = formula {
        return linear::tokens(places).map(ReachabilityQuery::Bound);
    }
    let spare = 100_000;
    let mut lowering = Lowering { net, left: 4 * formula.size() + spare };
    lowering.state(formula, true)
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    All,
    Some,
}

struct Lowering<'n> {
    net: &'n Net,
    /// How much predicate may still be made. Without equivalences it is never more than the
    /// formula is large; with nested ones it would double at each level.
    left: usize,
}

impl Lowering<'_> {
    /// `formula`, or its negation when `holds` is false.
    fn state(&mut self, formula: &Formula, holds: bool) -> Result<ReachabilityQuery, Unsupported> {
        match formula {
            Formula::AllPaths(path) if holds => self.path(Paths::All, path, true),
            Formula::AllPaths(path) => self.path(Paths::Some, path, false),
            Formula::ExistsPath(path) if holds => self.path(Paths::Some, path, true),
            Formula::ExistsPath(path) => self.path(Paths::All, path, false),
            Formula::Not(part) => self.state(part, !holds),
            Formula::And(parts) | Formula::Or(parts) => {
                let all = matches!(formula, Formula::And(_)) == holds;
                let parts = parts.iter().map(|part| self.state(part, holds));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                self.merge(all, parts)
            }
            Formula::Implies(if_, then) => {
                let parts = vec![self.state(if_, !holds)?, self.state(then, holds)?];
                self.merge(!holds, parts)
            }
            Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
                let same = matches!(formula, Formula::Equivalent(..)) == holds;
                // Both or none; one and not the other.
                let first = vec![self.state(a, true)?, self.state(b, same)?];
                let second = vec![self.state(a, false)?, self.state(b, !same)?];
                let parts = vec![self.merge(true, first)?, self.merge(true, second)?];
                self.merge(false, parts)
            }
            formula => Ok(ReachabilityQuery::Initially(self.predicate(formula, holds)?)),
        }
    }

    /// One question for all of `parts`, or for any of them.
    fn merge(
        &self,
        all: bool,
        parts: Vec<ReachabilityQuery>,
    ) -> Result<ReachabilityQuery, Unsupported> {
        let (mut here, mut possible, mut never) = (Vec::new(), Vec::new(), Vec::new());
        let mut homes = Vec::new();
        for part in parts {
            match part {
                ReachabilityQuery::Initially(predicate) => here.push(predicate),
                ReachabilityQuery::Possible(predicate) => possible.push(predicate),
                ReachabilityQuery::Never(predicate) => never.push(predicate),
                ReachabilityQuery::Bound(_) => return Err(Unsupported::BoundAsProperty),
                // Alone it is what it is; with others, none of the two can be said in one question.
                home @ (ReachabilityQuery::Home(_) | ReachabilityQuery::NoHome(_)) => {
                    homes.push(home)
                }
            }
        }
        let combine = |parts| if all { Predicate::and(parts) } else { Predicate::or(parts) };
        let here = combine(here);
        if possible.is_empty() && never.is_empty() && homes.is_empty() {
            return Ok(ReachabilityQuery::Initially(here));
        }
        // What the initial marking decides is a constant in such a mixture: it either settles the
        // whole or leaves the rest as it is.
        if here.holds(self.net, self.net.initial()) != all {
            return Ok(ReachabilityQuery::Initially(Predicate::constant(!all)));
        }
        // EF φ ∨ EF ψ = EF (φ ∨ ψ), and ¬EF φ ∧ ¬EF ψ = ¬EF (φ ∨ ψ).
        if let Some(home) = homes.pop() {
            let alone = homes.is_empty() && possible.is_empty() && never.is_empty();
            return if alone { Ok(home) } else { Err(Unsupported::Combination) };
        }
        match (possible.len(), never.len()) {
            (1, 0) => Ok(ReachabilityQuery::Possible(possible.remove(0))),
            (0, 1) => Ok(ReachabilityQuery::Never(never.remove(0))),
            (_, 0) if !all => Ok(ReachabilityQuery::Possible(Predicate::or(possible))),
            (0, _) if all => Ok(ReachabilityQuery::Never(Predicate::or(never))),
            _ => Err(Unsupported::Combination),
        }
    }

    /// On `paths` from the initial marking, `path` or its negation.
    fn path(
        &mut self,
        paths: Paths,
        path: &Formula,
        holds: bool,
    ) -> Result<ReachabilityQuery, Unsupported> {
        match (path, paths, holds) {
            (Formula::Not(part), ..) => self.path(paths, part, !holds),
            (Formula::Finally(part), Paths::Some, true)
            | (Formula::Globally(part), Paths::Some, false) => {
                // EF AG ψ = ¬AG EF ¬ψ.
                if let Some((possible, holds)) = possibility(part, !holds) {
                    return Ok(ReachabilityQuery::NoHome(self.predicate(possible, holds)?));
                }
                Ok(ReachabilityQuery::Possible(self.predicate(part, holds)?))
            }
            (Formula::Globally(part), Paths::All, true)
            | (Formula::Finally(part), Paths::All, false) => {
                if let Some((possible, holds)) = possibility(part, holds) {
                    return Ok(ReachabilityQuery::Home(self.predicate(possible, holds)?));
                }
                Ok(ReachabilityQuery::Never(self.predicate(part, !holds)?))
            }
            (Formula::Finally(_), ..) => Err(Unsupported::Temporal("AF")),
            (Formula::Globally(_), ..) => Err(Unsupported::Temporal("EG")),
            (Formula::And(parts), ..) | (Formula::Or(parts), ..) => {
                let all = matches!(path, Formula::And(_)) == holds;
                let parts = parts.iter().map(|part| self.path(paths, part, holds));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                // A (φ ∧ ψ) = A φ ∧ A ψ and E (φ ∨ ψ) = E φ ∨ E ψ, but not the other way about.
                // There, F and G on `paths` gave questions of the kind that does not merge, so
                // what merges all the same are parts that speak of the initial marking only.
                self.merge(all, parts)
            }
            (Formula::Next(_), ..) => Err(Unsupported::Temporal("X")),
            (Formula::Until { .. }, ..) => Err(Unsupported::Temporal("U")),
            // A state formula: every path begins in the initial marking.
            (state, ..) => self.state(state, holds),
        }
    }

    /// `formula`, which has no temporal operator, or its negation, as a predicate.
    fn predicate(&mut self, formula: &Formula, holds: bool) -> Result<Predicate, Unsupported> {
        self.spend(1)?;
        let made = match formula {
            Formula::True => Predicate::constant(holds),
            Formula::False => Predicate::constant(!holds),
            Formula::Deadlock if holds => Predicate::Dead,
            Formula::Deadlock => Predicate::NotDead,
            Formula::Fireable(transitions) => {
                self.spend(transitions.len())?;
                let mut transitions = transitions.clone();
                transitions.sort_unstable();
                transitions.dedup();
                let transitions = transitions.into_iter();
                match holds {
                    true => Predicate::or(transitions.map(Predicate::Enabled)),
                    false => Predicate::and(transitions.map(Predicate::Disabled)),
                }
            }
            Formula::Compare { left, relation, right } => {
                self.spend(left.size() + right.size())?;
                let atoms = linear::compare(left, *relation, right)?;
                if holds { atoms } else { atoms.negated() }
            }
            Formula::Not(part) => self.predicate(part, !holds)?,
            Formula::And(parts) | Formula::Or(parts) => {
                let parts = parts.iter().map(|part| self.predicate(part, holds));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                match matches!(formula, Formula::And(_)) == holds {
                    true => Predicate::and(parts),
                    false => Predicate::or(parts),
                }
            }
            Formula::Implies(if_, then) => {
                let parts = [self.predicate(if_, !holds)?, self.predicate(then, holds)?];
                if holds { Predicate::or(parts) } else { Predicate::and(parts) }
            }
            Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
                let same = matches!(formula, Formula::Equivalent(..)) == holds;
                let first = [self.predicate(a, true)?, self.predicate(b, same)?];
                let second = [self.predicate(a, false)?, self.predicate(b, !same)?];
                Predicate::or([Predicate::and(first), Predicate::and(second)])
            }
            Formula::AllPaths(_) => return Err(Unsupported::Temporal("A below F or G")),
            Formula::ExistsPath(_) => return Err(Unsupported::Temporal("E below F or G")),
            Formula::Globally(_) => return Err(Unsupported::Temporal("G")),
            Formula::Finally(_) => return Err(Unsupported::Temporal("F")),
            Formula::Next(_) => return Err(Unsupported::Temporal("X")),
            Formula::Until { .. } => return Err(Unsupported::Temporal("U")),
            Formula::PlaceBound(_) => return Err(Unsupported::BoundAsProperty),
        };
        Ok(made)
    }

    fn spend(&mut self, amount: usize) -> Result<(), Unsupported> {
        self.left = self.left.checked_sub(amount).ok_or(Unsupported::Explosion)?;
        Ok(())
    }
}

/// The φ of `formula`, or of its negation when `holds` is false, where that is EF φ; and whether φ or
/// its negation is meant.
fn possibility(formula: &Formula, holds: bool) -> Option<(&Formula, bool)> {
    match (formula, holds) {
        (Formula::Not(part), _) => possibility(part, !holds),
        (Formula::ExistsPath(path), true) => finally(path, true),
        (Formula::AllPaths(path), false) => finally(path, false),
        _ => None,
    }
}

/// The same for F φ, a path formula.
fn finally(path: &Formula, holds: bool) -> Option<(&Formula, bool)> {
    match (path, holds) {
        (Formula::Not(part), _) => finally(part, !holds),
        (Formula::Finally(part), true) | (Formula::Globally(part), false) => Some((part, holds)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Expression, Relation};
    use parikh_net::text;

    fn net() -> Net {
        text::parse("net n\nplace p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p")
            .unwrap()
    }

    fn compare(tokens: &[&str], relation: Relation, right: i64) -> Formula {
        let net = net();
        let places = tokens.iter().map(|name| net.place_named(name).unwrap()).collect();
        let (left, right) = (Expression::Tokens(places), Expression::Constant(right));
        Formula::Compare { left, relation, right }
    }

    fn marked(place: &str) -> Formula {
        compare(&[place], Relation::AtLeast, 1)
    }

    fn lowered(formula: &Formula) -> Result<ReachabilityQuery, Unsupported> {
        lower(formula, &net())
    }

    fn ef(formula: Formula) -> Formula {
        Formula::ExistsPath(Box::new(Formula::Finally(Box::new(formula))))
    }

    fn ag(formula: Formula) -> Formula {
        Formula::AllPaths(Box::new(Formula::Globally(Box::new(formula))))
    }

    fn not(formula: Formula) -> Formula {
        Formula::Not(Box::new(formula))
    }

    fn at_least(place: &str, tokens: u64) -> Predicate {
        Predicate::at_least(net().place_named(place).unwrap(), tokens)
    }

    #[test]
    fn an_invariant_carries_what_violates_it() {
        let always = lowered(&ag(compare(&["p"], Relation::AtMost, 2))).unwrap();
        assert_eq!(always, ReachabilityQuery::Never(at_least("p", 3)));
        assert_eq!(lowered(&not(ef(marked("q")))), Ok(ReachabilityQuery::Never(at_least("q", 1))));
        assert_eq!(
            lowered(&not(ag(not(marked("q"))))),
            Ok(ReachabilityQuery::Possible(at_least("q", 1)))
        );
    }

    #[test]
    fn questions_merge_where_they_are_one() {
        let both = Predicate::or([at_least("p", 1), at_least("q", 1)]);
        let parts = || vec![marked("p"), marked("q")];
        let each = |wrap: fn(Formula) -> Formula| parts().into_iter().map(wrap).collect();
        assert_eq!(lowered(&Formula::Or(each(ef))), Ok(ReachabilityQuery::Possible(both.clone())));
        let never = |formula| ag(not(formula));
        assert_eq!(lowered(&Formula::And(each(never))), Ok(ReachabilityQuery::Never(both)));
        assert_eq!(lowered(&Formula::And(each(ef))), Err(Unsupported::Combination));
        assert_eq!(
            lowered(&Formula::Implies(Box::new(ef(marked("p"))), Box::new(ef(marked("q"))))),
            Err(Unsupported::Combination)
        );
        // p is marked initially, q is not.
        assert_eq!(
            lowered(&Formula::And(vec![marked("p"), ef(marked("q"))])),
            Ok(ReachabilityQuery::Possible(at_least("q", 1)))
        );
        assert_eq!(
            lowered(&Formula::And(vec![marked("q"), ef(marked("q"))])),
            Ok(ReachabilityQuery::Initially(Predicate::False))
        );
    }

    #[test]
    fn what_stays_reachable_is_asked_by_two_operators_one_in_the_other() {
        let home = |place| Ok(ReachabilityQuery::Home(at_least(place, 1)));
        assert_eq!(lowered(&ag(ef(marked("q")))), home("q"));
        assert_eq!(lowered(&not(ef(not(ef(marked("q")))))), home("q"));
        let none = ReachabilityQuery::NoHome(at_least("q", 1));
        assert_eq!(lowered(&ef(ag(not(marked("q"))))), Ok(none.clone()));
        assert_eq!(lowered(&not(ag(ef(marked("q"))))), Ok(none));
        let both = Formula::And(vec![ag(ef(marked("q"))), ag(ef(marked("p")))]);
        assert_eq!(lowered(&both), Err(Unsupported::Combination));
    }

    #[test]
    fn temporal_operators_beyond_reachability_are_named() {
        let path = |quantifier: fn(Box<Formula>) -> Formula, path| quantifier(Box::new(path));
        let finally = || Formula::Finally(Box::new(marked("p")));
        let globally = || Formula::Globally(Box::new(marked("p")));
        for (formula, operator) in [
            (path(Formula::AllPaths, finally()), "AF"),
            (path(Formula::ExistsPath, globally()), "EG"),
            (path(Formula::ExistsPath, Formula::Next(Box::new(Formula::True))), "X"),
            (ef(Formula::Or(vec![ag(marked("p")), marked("q")])), "A below F or G"),
            (path(Formula::AllPaths, Formula::Finally(Box::new(globally()))), "AF"),
            (finally(), "F"),
        ] {
            assert_eq!(lowered(&formula), Err(Unsupported::Temporal(operator)), "{formula:?}");
        }
    }

    #[test]
    fn fireability_is_a_disjunction_without_repetitions() {
        let net = net();
        let [t, u] = ["t", "u"].map(|name| net.transition_named(name).unwrap());
        let fireable = Formula::Fireable(vec![u, t, u]);
        assert_eq!(
            lowered(&ef(fireable.clone())),
            Ok(ReachabilityQuery::Possible(Predicate::Or(vec![
                Predicate::Enabled(t),
                Predicate::Enabled(u)
            ])))
        );
        assert_eq!(
            lowered(&ef(not(fireable))),
            Ok(ReachabilityQuery::Possible(Predicate::And(vec![
                Predicate::Disabled(t),
                Predicate::Disabled(u)
            ])))
        );
    }

    #[test]
    fn comparisons_at_the_ends_of_the_numbers_are_exact() {
        let here = |relation, right| {
            lowered(&compare(&["p"], relation, right)).map(|question| match question {
                ReachabilityQuery::Initially(predicate) => predicate,
                other => panic!("{other:?}"),
            })
        };
        assert_eq!(here(Relation::Less, i64::MIN), Ok(Predicate::False));
        assert_eq!(here(Relation::AtLeast, i64::MIN), Ok(Predicate::True));
        assert_eq!(here(Relation::Unequal, -1), Ok(Predicate::True));
        assert_eq!(here(Relation::Equal, -1), Ok(Predicate::False));
        let largest = at_least("p", i64::MAX as u64);
        assert_eq!(here(Relation::AtLeast, i64::MAX), Ok(largest));
        let net = net();
        for relation in [Relation::AtMost, Relation::Greater] {
            assert!(here(relation, i64::MAX).unwrap().support(&net).len() == 1);
        }
        let huge = Expression::Product(vec![Expression::Constant(i64::MAX); 3]);
        let right = Expression::Tokens(vec![net.places().next().unwrap()]);
        let formula = Formula::Compare { left: huge, relation: Relation::AtMost, right };
        assert_eq!(lowered(&formula), Err(Unsupported::TooLarge));
    }

    #[test]
    fn bounds_are_sums_and_no_properties() {
        let net = net();
        let places: Vec<_> = net.places().collect();
        let bound = Formula::PlaceBound(places.clone());
        let sum = LinearSum::new(places.into_iter().map(|place| (place, 1))).unwrap();
        assert_eq!(lowered(&bound), Ok(ReachabilityQuery::Bound(sum)));
        assert_eq!(lowered(&not(bound)), Err(Unsupported::BoundAsProperty));
    }

    #[test]
    fn nested_equivalences_do_not_explode() {
        let mut formula = marked("p");
        for _ in 0..1000 {
            formula = Formula::Xor(Box::new(formula), Box::new(marked("q")));
        }
        assert_eq!(lowered(&ef(formula)), Err(Unsupported::Explosion));
    }
}
