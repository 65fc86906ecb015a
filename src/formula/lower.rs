//! From a formula to what it asks of the reachable markings, and of the runs.
//!
//! What goals about markings can express are EF φ, AG φ, AG EF φ, EF AG φ, bounds, and what the
//! initial marking decides alone. E φ for any other path formula φ without quantifiers asks for a
//! run, and A φ for none that violates it. Any Boolean combination of these is a [`Proposition`]
//! over goals: AG φ is ¬EF ¬φ, and EF AG φ is ¬AG EF ¬φ. Negation is pushed through path
//! quantifiers, EF φ ∨ EF ψ = EF (φ ∨ ψ) and its dual make one goal of two, and parts that the
//! initial marking decides are folded away. All else is CTL.
//!
//! A path formula is read over maximal paths, which may end in a dead marking. Without X it is the
//! same whether the path ends there or repeats the marking for ever, so the answers are the same for
//! CTL and for LTL. With X they are not: see [`Logic`].

use super::linear;
use super::proposition::{Proposition, Query};
use super::runs::{Possible, run_property};
use super::state::States;
use super::syntax::Formula;
use super::unsupported::Unsupported;
use parikh_net::coloured::Folding;
use parikh_net::{Goal, Net, Predicate};

/// What X means where a path ends in a dead marking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// As in LTL: the marking repeats, so X φ is φ there.
    Linear,
    /// As in CTL: nothing follows, so EX φ is false there, and AX φ true.
    Branching,
}

/// What `formula`, whose X is that of LTL, asks of the reachable markings and the runs of `net`.
///
/// # Errors
/// When it asks for more than goals can express, or its numbers are too large.
pub fn lower(formula: &Formula, net: &Net) -> Result<Query<Goal>, Unsupported> {
    lower_in(Logic::Linear, formula, net)
}

/// What `formula` asks of the reachable markings and the runs of `net`.
///
/// # Errors
/// As [`lower`].
pub fn lower_in(logic: Logic, formula: &Formula, net: &Net) -> Result<Query<Goal>, Unsupported> {
    if let Formula::PlaceBound(places) = formula {
        return Ok(Query::Largest(vec![Goal::Maximise(linear::tokens(places)?)]));
    }
    let mut lowering = Lowering { net, logic, states: States::new(formula) };
    lowering.state(formula, true).map(Query::Truth)
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Paths {
    All,
    Some,
}

struct Lowering<'n> {
    net: &'n Net,
    logic: Logic,
    states: States,
}

impl<'n> Lowering<'n> {
    /// `formula`, or its negation when `holds` is false.
    fn state(&mut self, formula: &Formula, holds: bool) -> Result<Proposition<Goal>, Unsupported> {
        match formula {
            Formula::AllPaths(path) if holds => self.path(Paths::All, path, true),
            Formula::AllPaths(path) => self.path(Paths::Some, path, false),
            Formula::ExistsPath(path) if holds => self.path(Paths::Some, path, true),
            Formula::ExistsPath(path) => self.path(Paths::All, path, false),
            Formula::Not(part) => self.state(part, !holds),
            Formula::And(parts) => self.junction(parts, holds, holds),
            Formula::Or(parts) => self.junction(parts, !holds, holds),
            Formula::Implies(if_, then) => {
                let mut parts = vec![self.state(if_, !holds)?];
                parts.push(self.state(then, holds)?);
                Ok(merge(!holds, parts))
            }
            Formula::Equivalent(a, b) => self.equivalence(a, b, holds),
            Formula::Xor(a, b) => self.equivalence(a, b, !holds),
            formula => self.initially(formula, holds),
        }
    }

    // Formulas are nested thousands of levels deep. What a level takes of the stack is what the functions
    // that call each other need, so what else is to be done is in functions of its own.

    /// That all of these, or their negations, are true, or that some are.
    #[inline(never)]
    fn junction(
        &mut self,
        parts: &[Formula],
        all: bool,
        holds: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        let mut states = Vec::with_capacity(parts.len());
        for part in parts {
            states.push(self.state(part, holds)?);
        }
        Ok(merge(all, states))
    }

    /// That both are true or none, or one of them if not the `same`.
    #[inline(never)]
    fn equivalence(
        &mut self,
        a: &Formula,
        b: &Formula,
        same: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        let a = Box::new(self.state(a, true)?);
        Ok(Proposition::equivalence(*a, self.state(b, same)?))
    }

    /// Whether the initial marking satisfies it.
    #[inline(never)]
    fn initially(
        &mut self,
        formula: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        let here = self.states.predicate(formula, holds)?;
        let is_skeleton = self.net.folding().is_some_and(Folding::is_skeleton);
        if is_skeleton && asks_what_is_enabled(&here) {
            return Err(Unsupported::Colours);
        }
        Ok(Proposition::Constant(here.holds(self.net, self.net.initial())))
    }

    /// On `paths` from the initial marking, `path` or its negation.
    fn path(
        &mut self,
        paths: Paths,
        path: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        match (path, paths, holds) {
            (Formula::Not(part), ..) => self.path(paths, part, !holds),
            (Formula::Finally(part), Paths::Some, true)
            | (Formula::Globally(part), Paths::Some, false)
                if !is_about_path(part) =>
            {
                self.finally(part, holds)
            }
            // AG φ = ¬EF ¬φ.
            (Formula::Globally(part), Paths::All, true)
            | (Formula::Finally(part), Paths::All, false)
                if !is_about_path(part) =>
            {
                Ok(self.finally(part, !holds)?.negated())
            }
            (Formula::And(parts) | Formula::Or(parts), ..) => {
                let all = matches!(path, Formula::And(_)) == holds;
                // A (φ ∧ ψ) = A φ ∧ A ψ and E (φ ∨ ψ) = E φ ∨ E ψ, but not the other way about:
                // there, what is asked of the initial marking can be told apart from what is said
                // about the path.
                let distributes = all == (paths == Paths::All);
                if distributes || parts.iter().filter(|part| is_about_path(part)).count() <= 1 {
                    let parts = parts.iter().map(|part| self.path(paths, part, holds));
                    return Ok(merge(all, parts.collect::<Result<Vec<_>, _>>()?));
                }
                self.together(paths, path, parts, holds)
            }
            (path, ..) if is_about_path(path) => self.runs(paths, path, holds),
            // A state formula: every path begins in the initial marking.
            (state, ..) => self.state(state, holds),
        }
    }

    /// Several parts about one path, with what is asked of the initial marking apart from them.
    #[inline(never)]
    fn together(
        &mut self,
        paths: Paths,
        path: &Formula,
        parts: &[Formula],
        holds: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        let is_and = matches!(path, Formula::And(_));
        let (about, here): (Vec<Formula>, Vec<Formula>) =
            parts.iter().cloned().partition(is_about_path);
        let mut all = Vec::with_capacity(here.len() + 1);
        for part in &here {
            all.push(self.path(paths, part, holds)?);
        }
        let about = if is_and { Formula::And(about) } else { Formula::Or(about) };
        all.push(self.runs(paths, &about, holds)?);
        Ok(merge(is_and == holds, all))
    }

    /// Whether on all or on some `paths` `path` holds, or its negation, as a question of runs.
    #[inline(never)]
    fn runs(
        &mut self,
        paths: Paths,
        path: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, Unsupported> {
        let some = paths == Paths::Some;
        if self.logic == Logic::Branching && has_next(path) {
            // EX φ and AX φ for what single markings satisfy.
            let Formula::Next(part) = path else { return Err(Unsupported::Temporal("X")) };
            if is_about_path(part) {
                return Err(Unsupported::Temporal("X"));
            }
            if self.net.is_dead(self.net.initial()) {
                return Ok(Proposition::Constant(!some));
            }
        }
        // A φ: there is no run with ¬φ.
        let property = run_property(path, self.net, holds == some)?;
        let possible = Possible::of(&property).into_iter().map(|part| match part {
            Possible::Always => Proposition::Constant(true),
            Possible::Reach(predicate) => Proposition::Atom(Goal::Reach(predicate)),
            Possible::Run(property) => Proposition::Atom(Goal::Run(Box::new(property))),
        });
        let exists = merge(false, possible.collect());
        Ok(if some { exists } else { exists.negated() })
    }

    /// EF of `part`, or of its negation when `holds` is false. EF AG ψ = ¬AG EF ¬ψ.
    fn finally(&mut self, part: &Formula, holds: bool) -> Result<Proposition<Goal>, Unsupported> {
        Ok(match possibility(part, !holds) {
            Some((possible, holds)) => {
                Proposition::Atom(Goal::Home(self.states.predicate(possible, holds)?)).negated()
            }
            None => Proposition::Atom(Goal::Reach(self.states.predicate(part, holds)?)),
        })
    }
}

/// That all of `parts` are true, or that some are. EF φ ∨ EF ψ = EF (φ ∨ ψ), and ¬EF φ ∧ ¬EF ψ =
/// ¬EF (φ ∨ ψ): of such parts one is made, in the place of the first.
fn merge(all: bool, parts: Vec<Proposition<Goal>>) -> Proposition<Goal> {
    let parts = match (Proposition::junction(all, parts), all) {
        (Proposition::And(parts), true) | (Proposition::Or(parts), false) => parts,
        (other, _) => return other,
    };
    let (mut sought, mut left, mut place) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        match part.only_atom() {
            Some((Goal::Reach(predicate), then)) if then != all => sought.push(predicate.clone()),
            _ => left.push(part),
        }
        if sought.is_empty() {
            place = left.len();
        }
    }
    if !sought.is_empty() {
        let one = Proposition::Atom(Goal::Reach(Predicate::or(sought)));
        left.insert(place, if all { one.negated() } else { one });
    }
    Proposition::junction(all, left)
}

fn asks_what_is_enabled(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(asks_what_is_enabled),
        Predicate::True | Predicate::False | Predicate::Atom(_) => false,
        Predicate::Enabled(_) | Predicate::Disabled(_) => true,
        Predicate::Dead | Predicate::NotDead => true,
    }
}

/// Whether a path formula speaks of more than where the path begins: whether it has a temporal
/// operator outside inner path quantifiers.
fn is_about_path(formula: &Formula) -> bool {
    match formula {
        Formula::Not(part) => is_about_path(part),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(is_about_path),
        Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
            is_about_path(a) || is_about_path(b)
        }
        Formula::Finally(_) | Formula::Globally(_) | Formula::Next(_) => true,
        Formula::Until { .. } => true,
        _ => false,
    }
}

/// Whether a path formula has an X outside inner path quantifiers.
fn has_next(formula: &Formula) -> bool {
    match formula {
        Formula::Next(_) => true,
        Formula::Not(part) | Formula::Finally(part) | Formula::Globally(part) => has_next(part),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(has_next),
        Formula::Implies(a, b)
        | Formula::Equivalent(a, b)
        | Formula::Xor(a, b)
        | Formula::Until { before: a, reach: b } => has_next(a) || has_next(b),
        _ => false,
    }
}

/// The φ of `formula`, or of its negation when `holds` is false, where that is EF φ; and whether φ
/// or its negation is meant.
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
    use parikh_net::{LinearSum, RunProperty, text};

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

    fn lowered(formula: &Formula) -> Result<Query<Goal>, Unsupported> {
        lower(formula, &net())
    }

    fn possible(predicate: Predicate) -> Proposition<Goal> {
        Proposition::Atom(Goal::Reach(predicate))
    }

    fn is(proposition: Proposition<Goal>) -> Result<Query<Goal>, Unsupported> {
        Ok(Query::Truth(proposition))
    }

    fn is_possible(predicate: Predicate) -> Result<Query<Goal>, Unsupported> {
        is(possible(predicate))
    }

    fn is_never(predicate: Predicate) -> Result<Query<Goal>, Unsupported> {
        is(possible(predicate).negated())
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
        let always = lowered(&ag(compare(&["p"], Relation::AtMost, 2)));
        assert_eq!(always, is_never(at_least("p", 3)));
        assert_eq!(lowered(&not(ef(marked("q")))), is_never(at_least("q", 1)));
        assert_eq!(lowered(&not(ag(not(marked("q"))))), is_possible(at_least("q", 1)));
    }

    #[test]
    fn questions_merge_where_they_are_one() {
        let [p, q] = ["p", "q"].map(|place| at_least(place, 1));
        let both = Predicate::or([p.clone(), q.clone()]);
        let parts = || vec![marked("p"), marked("q")];
        let each = |wrap: fn(Formula) -> Formula| parts().into_iter().map(wrap).collect();
        assert_eq!(lowered(&Formula::Or(each(ef))), is_possible(both.clone()));
        let never = |formula| ag(not(formula));
        assert_eq!(lowered(&Formula::And(each(never))), is_never(both.clone()));
        // p is marked initially, q is not.
        assert_eq!(
            lowered(&Formula::And(vec![marked("p"), ef(marked("q"))])),
            is_possible(at_least("q", 1))
        );
        assert_eq!(
            lowered(&Formula::And(vec![marked("q"), ef(marked("q"))])),
            is(Proposition::Constant(false))
        );
        // Deeper, and beside others.
        let inner = Formula::And(vec![never(marked("p")), ef(marked("q"))]);
        let whole = Formula::And(vec![inner, never(marked("q"))]);
        let parts = vec![possible(both).negated(), possible(q)];
        assert_eq!(lowered(&whole), is(Proposition::And(parts)));
    }

    #[test]
    fn what_is_no_single_question_is_a_combination() {
        let [p, q] = ["p", "q"].map(|place| possible(at_least(place, 1)));
        let [ef_p, ef_q] = ["p", "q"].map(|place| ef(marked(place)));
        let both = vec![ef_p.clone(), ef_q.clone()];
        let and = Proposition::And(vec![p.clone(), q.clone()]);
        assert_eq!(lowered(&Formula::And(both.clone())), is(and.clone()));
        let implies = Formula::Implies(Box::new(ef_p.clone()), Box::new(ef_q.clone()));
        assert_eq!(lowered(&implies), is(Proposition::Or(vec![p.clone().negated(), q.clone()])));
        let xor = Formula::Xor(Box::new(ef_p), Box::new(ef_q));
        let not_both = Proposition::Iff(Box::new([p.clone(), q.clone().negated()]));
        assert_eq!(lowered(&xor), is(not_both));
        // State formulas below a path quantifier ask what they ask without it.
        assert_eq!(lowered(&Formula::ExistsPath(Box::new(Formula::And(both)))), is(and));
        let on_one_path = ["p", "q"].map(|place| Formula::Finally(Box::new(marked(place))));
        let one_path = Formula::ExistsPath(Box::new(Formula::And(on_one_path.to_vec())));
        // That p is marked is decided in the beginning.
        assert_eq!(lowered(&one_path), is_possible(at_least("q", 1)));
    }

    #[test]
    fn nested_equivalences_of_paths_stay_small() {
        let mut formula = ef(marked("p"));
        for _ in 0..1000 {
            formula = Formula::Xor(Box::new(formula), Box::new(ag(marked("q"))));
        }
        let Ok(Query::Truth(proposition)) = lowered(&formula) else { panic!("not lowered") };
        // Each of the 1000 is false where q is not always marked: AG q is, and EF p is true.
        assert!(proposition.value(&|goal| *goal == Goal::Reach(at_least("p", 1))));
    }

    #[test]
    fn what_stays_reachable_is_asked_by_two_operators_one_in_the_other() {
        let home = |place| Proposition::Atom(Goal::Home(at_least(place, 1)));
        assert_eq!(lowered(&ag(ef(marked("q")))), is(home("q")));
        assert_eq!(lowered(&not(ef(not(ef(marked("q")))))), is(home("q")));
        let lost = is(home("q").negated());
        assert_eq!(lowered(&ef(ag(not(marked("q"))))), lost);
        assert_eq!(lowered(&not(ag(ef(marked("q"))))), lost);
        let both = Formula::And(vec![ag(ef(marked("q"))), ag(ef(marked("p")))]);
        assert_eq!(lowered(&both), is(Proposition::And(vec![home("q"), home("p")])));
    }

    #[test]
    fn what_no_goal_expresses_is_named() {
        for (formula, operator) in [
            (ef(Formula::Or(vec![ag(marked("p")), marked("q")])), "A below F or G"),
            (all_paths(finally(ef(marked("q")))), "E below a temporal operator"),
            (finally(marked("p")), "F"),
        ] {
            assert_eq!(lowered(&formula), Err(Unsupported::Temporal(operator)), "{formula:?}");
        }
    }

    fn all_paths(path: Formula) -> Formula {
        Formula::AllPaths(Box::new(path))
    }

    fn finally(path: Formula) -> Formula {
        Formula::Finally(Box::new(path))
    }

    /// The runs that a formula asks for, and whether it is true where there are any.
    fn asked(formula: &Formula) -> (RunProperty, bool) {
        match lowered(formula).unwrap().only_atom() {
            Some((Goal::Run(property), then)) => ((**property).clone(), then),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn other_path_formulas_ask_for_runs() {
        let of = |path: &Formula, holds| run_property(path, &net(), holds).unwrap();
        let always = Formula::Globally(Box::new(marked("p")));
        let eventually = finally(marked("q"));
        assert_eq!(asked(&all_paths(eventually.clone())), (of(&eventually, false), false));
        assert_eq!(
            asked(&Formula::ExistsPath(Box::new(always.clone()))),
            (of(&always, true), true)
        );
        let again = Formula::Globally(Box::new(eventually.clone()));
        assert_eq!(asked(&not(all_paths(again.clone()))), (of(&again, false), true));
        // Where one operand is enough, each is a question by itself; else they are one.
        let both = Formula::And(vec![again.clone(), finally(always.clone())]);
        assert_eq!(asked(&Formula::ExistsPath(Box::new(both.clone()))), (of(&both, true), true));
        let each = lowered(&all_paths(both)).unwrap();
        let parts = [again, finally(always)]
            .map(|part| Proposition::Atom(Goal::Run(Box::new(of(&part, false)))).negated());
        assert_eq!(each, Query::Truth(Proposition::And(parts.to_vec())));
        // A (p R q ∨ …) may fail by what is reached alone.
        let violated = Formula::Globally(Box::new(Formula::Or(vec![marked("p"), marked("q")])));
        let next = Formula::Next(Box::new(marked("q")));
        let some =
            all_paths(Formula::Implies(Box::new(Formula::Not(Box::new(violated))), Box::new(next)));
        assert!(lowered(&some).is_ok());
    }

    #[test]
    fn the_end_of_a_path_is_the_logics_own() {
        let net = text::parse("net n\nplace p 1\ntransition t: 2*p ->").unwrap();
        let p = net.place_named("p").unwrap();
        let (left, right) = (Expression::Tokens(vec![p]), Expression::Constant(1));
        let marked = Formula::Compare { left, relation: Relation::AtLeast, right };
        let next = || Box::new(Formula::Next(Box::new(marked.clone())));
        let (some, all) = (Formula::ExistsPath(next()), Formula::AllPaths(next()));
        let value = |logic, formula| match lower_in(logic, formula, &net) {
            Ok(Query::Truth(Proposition::Constant(value))) => value,
            other => panic!("{other:?}"),
        };
        assert!(!value(Logic::Branching, &some));
        let opposite = Formula::AllPaths(Box::new(Formula::Next(Box::new(not(marked.clone())))));
        assert!(value(Logic::Branching, &opposite));
        assert!(!value(Logic::Linear, &opposite) && value(Logic::Linear, &some));
        assert!(value(Logic::Branching, &all));
        let deeper = finally(*next());
        let refused = lower_in(Logic::Branching, &Formula::AllPaths(Box::new(deeper)), &net);
        assert_eq!(refused, Err(Unsupported::Temporal("X")));
    }

    #[test]
    fn fireability_is_a_disjunction_without_repetitions() {
        let net = net();
        let [t, u] = ["t", "u"].map(|name| net.transition_named(name).unwrap());
        let fireable = Formula::Fireable(vec![u, t, u]);
        let enabled = vec![Predicate::Enabled(t), Predicate::Enabled(u)];
        assert_eq!(lowered(&ef(fireable.clone())), is_possible(Predicate::Or(enabled)));
        let disabled = vec![Predicate::Disabled(t), Predicate::Disabled(u)];
        assert_eq!(lowered(&ef(not(fireable))), is_possible(Predicate::And(disabled)));
    }

    #[test]
    fn comparisons_at_the_ends_of_the_numbers_are_exact() {
        let here = |relation, right| lower_state(&compare(&["p"], relation, right), &net());
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
        assert_eq!(lowered(&bound), Ok(Query::Largest(vec![Goal::Maximise(sum)])));
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
