//! Translation of formulas into goals about reachable markings and about runs.
//!
//! Goals express EF φ, AG φ, AG EF φ, EF AG φ and bounds. The initial marking alone decides state
//! formulas. A Boolean combination of these is a [`Proposition`] over goals: AG φ is ¬EF ¬φ, and EF
//! AG φ is ¬AG EF ¬φ. Negation is pushed through path quantifiers. The equation EF φ ∨ EF ψ = EF (φ
//! ∨ ψ) and its dual merge two goals into one. Parts that the initial marking decides are replaced
//! by constants. All other formulas are LTL or CTL.
//!
//! In LTL, E ψ asks for a run with ψ, and A ψ means that no run satisfies ¬ψ ([`super::runs`]). A
//! run that reaches a dead marking repeats it in LTL, and ends in CTL. This difference does not
//! matter for EF and AG, nor for EG, AF, E U and A U over conditions on markings. A formula of CTL
//! with a single such operator asks for a run, too. For EX and AX, the difference only matters in a
//! dead marking.

use super::linear;
use super::proposition::{Proposition, Query};
use super::runs;
use super::state::PredicateConverter;
use super::syntax::Formula;
use super::trees;
use super::unsupported::UnsupportedFormula;
use parikh_net::coloured::Folding;
use parikh_net::{Goal, Net, Predicate, of_model};

/// The logic in which a path formula is read if two readings are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalLogic {
    /// LTL over infinite runs. A run that reaches a dead marking repeats it.
    Linear,
    /// CTL: every temporal operator has its own quantifier, and paths may end in a dead marking.
    Branching,
}

impl TemporalLogic {
    /// Returns the logic of a formula by its shape. The logic is CTL if every temporal operator
    /// stands directly below a quantifier, and the formula has no atoms about firings. Otherwise it
    /// is LTL.
    pub fn of(formula: &Formula) -> TemporalLogic {
        match quantifies_each_operator(formula, false) {
            true => TemporalLogic::Branching,
            false => TemporalLogic::Linear,
        }
    }
}

/// Translates `formula` into a query about the reachable markings of `net`.
///
/// # Errors
/// Returns an error if the formula needs more than reachability, multiplies token counts, has too
/// large numbers, or contains a bound inside another formula. Also returns an error if it grows too
/// much when equivalences are replaced. For the skeleton of a coloured net, that is, the net
/// without colours, it is also an error if a part about the initial marking depends on enabled
/// transitions.
pub fn lower(formula: &Formula, net: &Net) -> Result<Query<Goal>, UnsupportedFormula> {
    translate(formula, net, None)
}

/// Translates `formula` into a query about the reachable markings and the runs of `net`. A formula
/// of LTL may omit the A in front.
///
/// # Errors
/// Returns an error if the formula mixes CTL and LTL, is not supported in `logic`, multiplies token
/// counts, or has too large numbers. Also returns an error if it contains a bound inside another
/// formula, or grows too much when equivalences are replaced. Formulas about runs are errors for a
/// net with caps, that is, assumed bounds on places. They are also errors for a skeleton, that is,
/// a coloured net without its colours. For a skeleton, a part about the initial marking that
/// depends on enabled transitions is an error, too.
pub fn lower_in(
    formula: &Formula,
    net: &Net,
    logic: TemporalLogic,
) -> Result<Query<Goal>, UnsupportedFormula> {
    translate(formula, net, Some(logic))
}

fn translate(
    formula: &Formula,
    net: &Net,
    logic: Option<TemporalLogic>,
) -> Result<Query<Goal>, UnsupportedFormula> {
    if let Formula::PlaceBound(places) = formula {
        return Ok(Query::Largest(vec![Goal::Maximise(linear::tokens(places)?)]));
    }
    let mut translator = GoalTranslator { net, logic, states: PredicateConverter::of(formula) };
    let proposition = match logic {
        Some(TemporalLogic::Linear) if is_about_path(formula) => {
            translator.path(PathQuantifier::All, formula, true)
        }
        _ => translator.state(formula, true),
    };
    proposition.map(Query::Truth)
}

/// A path quantifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PathQuantifier {
    All,
    Exists,
}

/// The translator of one formula into goals.
struct GoalTranslator<'n> {
    net: &'n Net,
    /// The logic of path formulas beyond reachability; `None` if they are refused.
    logic: Option<TemporalLogic>,
    /// Converts the subformulas without temporal operators.
    states: PredicateConverter,
}

impl GoalTranslator<'_> {
    /// Translates `formula`, or its negation if `holds` is false.
    fn state(
        &mut self,
        formula: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        match formula {
            Formula::AllPaths(path) if holds => self.path(PathQuantifier::All, path, true),
            Formula::AllPaths(path) => self.path(PathQuantifier::Exists, path, false),
            Formula::ExistsPath(path) if holds => self.path(PathQuantifier::Exists, path, true),
            Formula::ExistsPath(path) => self.path(PathQuantifier::All, path, false),
            Formula::Not(part) => self.state(part, !holds),
            Formula::And(parts) => self.states(parts, holds, holds),
            Formula::Or(parts) => self.states(parts, !holds, holds),
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

    // Formulas may be nested thousands of levels deep, and the recursive functions need stack for
    // each level. Code that need not be in the recursive functions is in functions of its own, to
    // keep their stack frames small.

    /// Translates the conjunction of the formulas `parts` if `all`, or their disjunction. Each
    /// formula is negated if `holds` is false.
    #[inline(never)]
    fn states(
        &mut self,
        parts: &[Formula],
        all: bool,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        let mut states = Vec::with_capacity(parts.len());
        for part in parts {
            states.push(self.state(part, holds)?);
        }
        Ok(merge(all, states))
    }

    /// Translates a ⇔ b if `same` is true, and otherwise a xor b, which is a ⇔ ¬b.
    #[inline(never)]
    fn equivalence(
        &mut self,
        a: &Formula,
        b: &Formula,
        same: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        let a = Box::new(self.state(a, true)?);
        Ok(Proposition::equivalence(*a, self.state(b, same)?))
    }

    /// Evaluates the formula, negated if `holds` is false, in the initial marking.
    #[inline(never)]
    fn initially(
        &mut self,
        formula: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        let here = self.states.predicate(formula, holds)?;
        let is_skeleton = self.net.folding().is_some_and(Folding::is_skeleton);
        if is_skeleton && depends_on_enabledness(&here) {
            return Err(UnsupportedFormula::Colours);
        }
        let here = of_model(self.net, here).ok_or(UnsupportedFormula::TooLarge)?;
        Ok(Proposition::Constant(here.holds(self.net, self.net.initial())))
    }

    /// Translates "all paths from the initial marking satisfy `path`" or "some path satisfies
    /// `path`", according to `paths`. If `holds` is false, ¬`path` stands in place of `path`.
    fn path(
        &mut self,
        paths: PathQuantifier,
        path: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        match self.reachability(paths, path, holds) {
            Err(UnsupportedFormula::Temporal(operator)) => self.run(paths, path, holds, operator),
            translated => translated,
        }
    }

    /// Translates a path formula into goals about runs or the tree of runs. E ψ asks for a run with
    /// ψ, and A ψ = ¬E ¬ψ.
    #[inline(never)]
    fn run(
        &mut self,
        paths: PathQuantifier,
        path: &Formula,
        holds: bool,
        operator: &'static str,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        if self.net.has_caps() {
            return Err(UnsupportedFormula::Caps);
        }
        match self.logic {
            Some(TemporalLogic::Linear) => {}
            Some(TemporalLogic::Branching) if means_same_in_both_logics(path, self.net) => {}
            Some(TemporalLogic::Branching) => {
                // E ¬ψ = ¬A ψ and A ¬ψ = ¬E ψ.
                let all = (paths == PathQuantifier::All) == holds;
                let proposition = trees::tree_proposition(path, all, self.net)?;
                return Ok(if holds { proposition } else { proposition.negated() });
            }
            None => return Err(UnsupportedFormula::Temporal(operator)),
        }
        let exists = paths == PathQuantifier::Exists;
        let proposition = runs::run_proposition(path, self.net, holds == exists)?;
        Ok(if exists { proposition } else { proposition.negated() })
    }

    /// Translates a path formula into goals about reachable markings. Negations, conjunctions and
    /// disjunctions are split, and their parts may become goals about runs. Returns
    /// [`UnsupportedFormula::Temporal`] for other formulas beyond reachability.
    fn reachability(
        &mut self,
        paths: PathQuantifier,
        path: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        match (path, paths, holds) {
            (Formula::Not(part), ..) => self.path(paths, part, !holds),
            (Formula::Finally(part), PathQuantifier::Exists, true)
            | (Formula::Globally(part), PathQuantifier::Exists, false) => {
                self.as_finally(part, holds)
            }
            // AG φ = ¬EF ¬φ.
            (Formula::Globally(part), PathQuantifier::All, true)
            | (Formula::Finally(part), PathQuantifier::All, false) => {
                Ok(self.as_finally(part, !holds)?.negated())
            }
            (Formula::Finally(_), ..) => Err(UnsupportedFormula::Temporal("AF")),
            (Formula::Globally(_), ..) => Err(UnsupportedFormula::Temporal("EG")),
            (Formula::And(parts), ..) | (Formula::Or(parts), ..) => {
                let all = matches!(path, Formula::And(_)) == holds;
                // A (φ ∧ ψ) = A φ ∧ A ψ and E (φ ∨ ψ) = E φ ∨ E ψ, but A does not distribute over
                // ∨, nor E over ∧. In these cases, parts about the initial marking can still be
                // separated from a single part about the path.
                let distributes = all == (paths == PathQuantifier::All);
                if !distributes && parts.iter().filter(|part| is_about_path(part)).count() > 1 {
                    return Err(UnsupportedFormula::Temporal(match paths {
                        PathQuantifier::All => "A of a disjunction",
                        PathQuantifier::Exists => "E of a conjunction",
                    }));
                }
                let parts = parts.iter().map(|part| self.path(paths, part, holds));
                Ok(merge(all, parts.collect::<Result<Vec<_>, _>>()?))
            }
            (Formula::Next(_), ..) => Err(UnsupportedFormula::Temporal("X")),
            (Formula::Until { .. }, ..) => Err(UnsupportedFormula::Temporal("U")),
            // A state formula, evaluated in the initial marking, where every path begins. Path
            // formulas of other forms, such as implications, give an error here.
            (state, ..) => self.state(state, holds),
        }
    }

    /// Translates EF φ, where φ is `part`, or its negation if `holds` is false. If φ is AG ψ, the
    /// result is ¬AG EF ¬ψ, or a constant if ψ is a constant. In CTL, an equivalent goal about the
    /// tree of runs is added to ¬AG EF ¬ψ if there is one.
    fn as_finally(
        &mut self,
        part: &Formula,
        holds: bool,
    ) -> Result<Proposition<Goal>, UnsupportedFormula> {
        let Some((condition, condition_holds)) = as_possibility(part, !holds) else {
            return Ok(Proposition::Atom(Goal::Reach(self.states.predicate(part, holds)?)));
        };
        let kept = match self.states.predicate(condition, condition_holds)? {
            // `True` stays reachable in every net, and `False` in none.
            Predicate::True => return Ok(Proposition::Constant(false)),
            Predicate::False => return Ok(Proposition::Constant(true)),
            kept => Goal::Home(kept),
        };
        let lost = Proposition::Atom(kept).negated();
        Ok(match self.logic {
            Some(TemporalLogic::Branching) => trees::or_tree_goal(lost, part, holds, self.net),
            Some(TemporalLogic::Linear) | None => lost,
        })
    }
}

/// Joins propositions to a conjunction if `all`, or a disjunction. EF φ ∨ EF ψ = EF (φ ∨ ψ) and ¬EF
/// φ ∧ ¬EF ψ = ¬EF (φ ∨ ψ) merge such parts into one, which takes the position of the first.
fn merge(all: bool, parts: Vec<Proposition<Goal>>) -> Proposition<Goal> {
    let parts = match (Proposition::junction(all, parts), all) {
        (Proposition::And(parts), true) | (Proposition::Or(parts), false) => parts,
        (other, _) => return other,
    };
    let (mut reach_predicates, mut merged, mut insert_at) = (Vec::new(), Vec::new(), 0);
    for part in parts {
        // In a disjunction, the atoms EF φ are merged; in a conjunction, the negated atoms ¬EF φ.
        match part.only_atom() {
            Some((Goal::Reach(predicate), value_if_true)) if value_if_true != all => {
                reach_predicates.push(predicate.clone())
            }
            _ => merged.push(part),
        }
        if reach_predicates.is_empty() {
            insert_at = merged.len();
        }
    }
    if !reach_predicates.is_empty() {
        let reach = Proposition::Atom(Goal::Reach(Predicate::or(reach_predicates)));
        merged.insert(insert_at, if all { reach.negated() } else { reach });
    }
    Proposition::junction(all, merged)
}

/// Returns true if the predicate depends on enabled transitions, and not only on token counts.
fn depends_on_enabledness(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(depends_on_enabledness),
        Predicate::True | Predicate::False | Predicate::Atom(_) => false,
        Predicate::Enabled(_) | Predicate::Disabled(_) => true,
        Predicate::Dead | Predicate::NotDead => true,
    }
}

/// Returns true if a path formula has a temporal operator or an atom about firings outside of all
/// path quantifiers. Otherwise only the first marking of the path determines its value.
fn is_about_path(formula: &Formula) -> bool {
    match formula {
        Formula::Not(part) => is_about_path(part),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(is_about_path),
        Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
            is_about_path(a) || is_about_path(b)
        }
        Formula::Finally(_) | Formula::Globally(_) | Formula::Next(_) => true,
        Formula::Until { .. } | Formula::Fires(_) => true,
        _ => false,
    }
}

/// Returns true if a path formula is a single F, G, U or X over conditions on markings, or a
/// negation of such a formula. It then has the same meaning in CTL and LTL, for X only if the
/// initial marking is not dead. Returns false for an X if the initial marking is dead.
fn means_same_in_both_logics(path: &Formula, net: &Net) -> bool {
    match path {
        Formula::Not(part) => means_same_in_both_logics(part, net),
        Formula::Next(part) => is_about_marking(part) && !net.is_dead(net.initial()),
        Formula::Finally(part) | Formula::Globally(part) => is_about_marking(part),
        Formula::Until { before, reach } => is_about_marking(before) && is_about_marking(reach),
        _ => false,
    }
}

/// Returns true if the formula has no temporal operator, no path quantifier, no bound and no atom
/// about firings.
fn is_about_marking(formula: &Formula) -> bool {
    match formula {
        Formula::Not(part) => is_about_marking(part),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(is_about_marking),
        Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
            is_about_marking(a) && is_about_marking(b)
        }
        Formula::AllPaths(_) | Formula::ExistsPath(_) | Formula::Until { .. } => false,
        Formula::Finally(_) | Formula::Globally(_) | Formula::Next(_) => false,
        Formula::PlaceBound(_) | Formula::Fires(_) => false,
        Formula::Compare { .. }
        | Formula::Fireable(_)
        | Formula::Deadlock
        | Formula::True
        | Formula::False => true,
    }
}

/// Returns true if every temporal operator stands directly below a path quantifier, and the formula
/// has no atoms about firings. The argument `is_quantified` tells whether the formula itself stands
/// directly below a quantifier.
fn quantifies_each_operator(formula: &Formula, is_quantified: bool) -> bool {
    let has_below = |part: &Formula| quantifies_each_operator(part, false);
    match formula {
        Formula::AllPaths(path) | Formula::ExistsPath(path) => quantifies_each_operator(path, true),
        Formula::Finally(it) | Formula::Globally(it) | Formula::Next(it) => {
            is_quantified && has_below(it)
        }
        Formula::Until { before, reach } => is_quantified && has_below(before) && has_below(reach),
        Formula::Not(it) => has_below(it),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().all(has_below),
        Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
            has_below(a) && has_below(b)
        }
        // Atoms about firings belong to LTL.
        Formula::Fires(_) => false,
        Formula::Compare { .. }
        | Formula::Fireable(_)
        | Formula::Deadlock
        | Formula::PlaceBound(_)
        | Formula::True
        | Formula::False => true,
    }
}

/// Finds φ if `formula` (or its negation if `holds` is false) is equivalent to EF φ by its outer
/// operators. Returns a formula and a boolean: φ is the formula if the boolean is true, and its
/// negation otherwise. Returns `None` for any other form.
fn as_possibility(formula: &Formula, holds: bool) -> Option<(&Formula, bool)> {
    match (formula, holds) {
        (Formula::Not(part), _) => as_possibility(part, !holds),
        (Formula::ExistsPath(path), true) => finally(path, true),
        (Formula::AllPaths(path), false) => finally(path, false),
        _ => None,
    }
}

/// Finds φ if `path` (or its negation if `holds` is false) is equivalent to F φ by its outer
/// operators. Returns a formula and a boolean: φ is the formula if the boolean is true, and its
/// negation otherwise. Returns `None` for any other form.
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
    use crate::{Expression, NumberRelation, lower_state};
    use parikh_net::{LinearSum, text};

    fn net() -> Net {
        text::parse("net n\nplace p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p")
            .unwrap()
    }

    fn compare(tokens: &[&str], relation: NumberRelation, right: i64) -> Formula {
        let net = net();
        let places = tokens.iter().map(|name| net.place_named(name).unwrap()).collect();
        let (left, right) = (Expression::Tokens(places), Expression::Constant(right));
        Formula::Compare { left, relation, right }
    }

    fn marked(place: &str) -> Formula {
        compare(&[place], NumberRelation::AtLeast, 1)
    }

    fn lowered(formula: &Formula) -> Result<Query<Goal>, UnsupportedFormula> {
        lower(formula, &net())
    }

    fn possible(predicate: Predicate) -> Proposition<Goal> {
        Proposition::Atom(Goal::Reach(predicate))
    }

    fn is(proposition: Proposition<Goal>) -> Result<Query<Goal>, UnsupportedFormula> {
        Ok(Query::Truth(proposition))
    }

    fn is_possible(predicate: Predicate) -> Result<Query<Goal>, UnsupportedFormula> {
        is(possible(predicate))
    }

    fn is_never(predicate: Predicate) -> Result<Query<Goal>, UnsupportedFormula> {
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
    fn an_invariant_becomes_the_unreachability_of_its_negation() {
        let always = lowered(&ag(compare(&["p"], NumberRelation::AtMost, 2)));
        assert_eq!(always, is_never(at_least("p", 3)));
        assert_eq!(lowered(&not(ef(marked("q")))), is_never(at_least("q", 1)));
        assert_eq!(lowered(&not(ag(not(marked("q"))))), is_possible(at_least("q", 1)));
    }

    #[test]
    fn equivalent_disjunctions_of_goals_are_merged() {
        let [p, q] = ["p", "q"].map(|place| at_least(place, 1));
        let both = Predicate::or([p.clone(), q.clone()]);
        let parts = || vec![marked("p"), marked("q")];
        let each = |wrap: fn(Formula) -> Formula| parts().into_iter().map(wrap).collect();
        assert_eq!(lowered(&Formula::Or(each(ef))), is_possible(both.clone()));
        let never = |formula| ag(not(formula));
        assert_eq!(lowered(&Formula::And(each(never))), is_never(both.clone()));
        // Initially, p is marked and q is not.
        assert_eq!(
            lowered(&Formula::And(vec![marked("p"), ef(marked("q"))])),
            is_possible(at_least("q", 1))
        );
        assert_eq!(
            lowered(&Formula::And(vec![marked("q"), ef(marked("q"))])),
            is(Proposition::Constant(false))
        );
        // The same for nested formulas and with other parts.
        let inner = Formula::And(vec![never(marked("p")), ef(marked("q"))]);
        let whole = Formula::And(vec![inner, never(marked("q"))]);
        let parts = vec![possible(both).negated(), possible(q)];
        assert_eq!(lowered(&whole), is(Proposition::And(parts)));
    }

    #[test]
    fn other_formulas_become_combinations_of_goals() {
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
        // A path quantifier around a state formula has no effect.
        assert_eq!(lowered(&Formula::ExistsPath(Box::new(Formula::And(both)))), is(and));
        let on_one_path = ["p", "q"].map(|place| Formula::Finally(Box::new(marked(place))));
        assert_eq!(
            lowered(&Formula::ExistsPath(Box::new(Formula::And(on_one_path.to_vec())))),
            Err(UnsupportedFormula::Temporal("E of a conjunction"))
        );
    }

    #[test]
    fn nested_equivalences_of_paths_stay_small() {
        let mut formula = ef(marked("p"));
        for _ in 0..1000 {
            formula = Formula::Xor(Box::new(formula), Box::new(ag(marked("q"))));
        }
        let Ok(Query::Truth(proposition)) = lowered(&formula) else { panic!("not lowered") };
        // Under this assignment, AG q and EF p are true. An even number of XORs with true keeps the
        // value of EF p.
        assert!(proposition.value(&|goal| *goal == Goal::Reach(at_least("p", 1))));
    }

    #[test]
    fn ag_ef_and_ef_ag_become_home_goals() {
        let home = |place| Proposition::Atom(Goal::Home(at_least(place, 1)));
        assert_eq!(lowered(&ag(ef(marked("q")))), is(home("q")));
        assert_eq!(lowered(&not(ef(not(ef(marked("q")))))), is(home("q")));
        let always = || compare(&["q"], NumberRelation::AtLeast, 0);
        for holds in [ag(ef(always())), ef(ag(always())), not(ag(ef(not(always()))))] {
            assert_eq!(lowered(&holds), is(Proposition::Constant(true)));
        }
        let lost = is(home("q").negated());
        assert_eq!(lowered(&ef(ag(not(marked("q"))))), lost);
        assert_eq!(lowered(&not(ag(ef(marked("q"))))), lost);
        let both = Formula::And(vec![ag(ef(marked("q"))), ag(ef(marked("p")))]);
        assert_eq!(lowered(&both), is(Proposition::And(vec![home("q"), home("p")])));
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
            assert_eq!(
                lowered(&formula),
                Err(UnsupportedFormula::Temporal(operator)),
                "{formula:?}"
            );
        }
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
        let here = |relation, right| lower_state(&compare(&["p"], relation, right));
        assert_eq!(here(NumberRelation::Less, i64::MIN), Ok(Predicate::False));
        assert_eq!(here(NumberRelation::AtLeast, i64::MIN), Ok(Predicate::True));
        assert_eq!(here(NumberRelation::Unequal, -1), Ok(Predicate::True));
        assert_eq!(here(NumberRelation::Equal, -1), Ok(Predicate::False));
        let largest = at_least("p", i64::MAX as u64);
        assert_eq!(here(NumberRelation::AtLeast, i64::MAX), Ok(largest));
        let net = net();
        for relation in [NumberRelation::AtMost, NumberRelation::Greater] {
            assert!(here(relation, i64::MAX).unwrap().support(&net).len() == 1);
        }
        let huge = Expression::Product(vec![Expression::Constant(i64::MAX); 3]);
        let right = Expression::Tokens(vec![net.places().next().unwrap()]);
        let formula = Formula::Compare { left: huge, relation: NumberRelation::AtMost, right };
        assert_eq!(lowered(&formula), Err(UnsupportedFormula::TooLarge));
    }

    #[test]
    fn bounds_are_sums_and_no_properties() {
        let net = net();
        let places: Vec<_> = net.places().collect();
        let bound = Formula::PlaceBound(places.clone());
        let sum = LinearSum::new(places.into_iter().map(|place| (place, 1))).unwrap();
        assert_eq!(lowered(&bound), Ok(Query::Largest(vec![Goal::Maximise(sum)])));
        assert_eq!(lowered(&not(bound)), Err(UnsupportedFormula::BoundAsProperty));
    }

    #[test]
    fn nested_equivalences_do_not_explode() {
        let mut formula = marked("p");
        for _ in 0..1000 {
            formula = Formula::Xor(Box::new(formula), Box::new(marked("q")));
        }
        assert_eq!(lowered(&ef(formula)), Err(UnsupportedFormula::Explosion));
    }
}
