//! Derives proof obligations from a question and an answer.
//!
//! Evidence is checked against the *question*. What the evidence says about itself is not used. So
//! the first step of an audit is to derive the statements that make the answer true, from the name
//! of the examination or the formula alone. The main kinds of obligations are to show a reachable
//! marking, and to prove that a predicate is unreachable. Others are to show that a sum grows
//! without bound, and to prove that a predicate stays reachable or does not. A predicate *stays
//! reachable* if it is reachable from every reachable marking.
//!
//! | question | TRUE | FALSE |
//! |---|---|---|
//! | EF φ | a marking with φ | none has φ |
//! | AG φ | none has ¬φ | a marking with ¬φ |
//! | ReachabilityDeadlock | a dead marking | none is dead |
//! | OneSafe | for *every* place: no marking with 2 tokens on it | for *some* place: such a marking |
//! | QuasiLiveness | for *every* transition: a marking that enables it | for *some* transition: no such marking |
//! | Liveness | *every* transition stays possible from all reachable markings | *some* transition does not |
//! | StableMarking | for *some* place: no marking with more or fewer tokens than initially | for *every* place: such a marking |
//!
//! All rows except Liveness have one form ([`Question::Reach`]): goals, of which all or some are
//! reachable, and the answer in that case. A maximum n takes both sides: a marking in which the sum
//! is n, and a proof that it is never more. `+inf` takes a self-covering sequence. The initial
//! marking is reachable.
//!
//! A proof that a predicate stays reachable ([`Question::StaysReachable`]) is an argument about the
//! whole net ([`crate::home`]). The negation is proved by such an argument, too; or by a dead
//! marking without the predicate; or by a proof that the predicate is unreachable; or by a trace
//! and a proof that the predicate is unreachable from its end.
//!
//! For a net with a final marking f ([`Question::Sound`]; `cases` makes that net):
//!
//! | question | TRUE | FALSE |
//! |---|---|---|
//! | Soundness | markings with m ≥ f stay reachable, one is reached, none has more tokens than f, and every transition is enabled in some reachable marking | a dead marking without m ≥ f; one with m ≥ f and more tokens; m ≥ f is unreachable, or does not stay reachable; a transition never enabled |
//! | WeakSoundness | the same without the transitions | the same |
//! | RelaxedSoundness | for *every* transition: f with a token on its counter | for *some* transition: no such marking |
//! | EasySoundness | f is reachable | f is unreachable |
//!
//! A marking with m ≥ f and no more tokens than f is f. So if no marking with more tokens is
//! reachable, f itself stays reachable.
//!
//! # Runs
//! A [`crate::no_run`] proof shows that no run has a property ([`Question::NoRun`]); a run
//! ([`crate::lasso`]) shows that one has it. If a run has the property exactly if it visits a
//! marking with φ, a marking with φ suffices, or a proof that φ is unreachable. If the initial
//! marking decides the question, nothing has to be proved.
//!
//! # Branching time
//! A CTL property ([`Question::Tree`]), or its negation, is proved by labelled markings
//! ([`crate::tree`]). Alternatively, a run may prove it, or a proof that no run has some property.
//!
//! # Nets with caps
//! A net made with caps ([`parikh_net::translation`]) represents its model within the caps. It also
//! proves unreachability beyond them. So a marking must be within the caps to count as reachable,
//! and a self-covering sequence must not exceed a cap. An unreachability proof must cover all
//! markings. In all cases the preconditions of transitions are those of the model. There are no
//! such obligations for predicates that stay reachable, for runs, for branching time, or for
//! numbers of markings. Nor are there any for the largest of several maxima. Such answers are
//! rejected.
//!
//! # Formulas over questions
//! A conjunction is TRUE if each part is, and FALSE if one part is. So an obligation is a list of
//! statements and a [`NeededProofs`]: a formula over the statements, which says which of them
//! together prove the answer.

use super::simpler::{cases, equivalent_goal};
use super::{AnswerValue, Question};
use crate::home::liveness::asks_for_liveness;
use crate::no_run::implied::initial_value;
use parikh_net::run_property::RunProperty;
use parikh_net::{
    LinearSum, Net, PlaceId, Predicate, Translation, TreeProperty, of_model, sum_of_model,
};
use parikh_temporal::AtomId;

/// Statements about a net, and the formula `needed` over the statements. The evidence proves an
/// answer if it proves enough statements to make the formula true.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obligation {
    /// Predicates, each with the statement that it is reachable.
    pub reach: Vec<Predicate>,
    /// Predicates, each with the statement that it is unreachable.
    pub refute: Vec<Predicate>,
    /// Sums, each with the statement that it grows without bound.
    pub grow: Vec<LinearSum>,
    /// Predicates, each with the statement that it stays reachable, that is, is reachable from
    /// every reachable marking, or with the negation of this statement.
    pub homes: Vec<HomeQuestion>,
    /// Properties, each with the statement that a run has the property, or that no run has it.
    pub run_properties: Vec<RunProperty>,
    /// CTL properties, each with the statement that it holds in the initial marking.
    pub trees: Vec<TreeProperty>,
    /// The formula over the statements. If it is true, so is the answer.
    pub needed: NeededProofs,
}

/// A predicate, with the question whether it stays reachable, that is, is reachable from every
/// reachable marking. The leaf of [`NeededProofs`] determines if this or its negation must be
/// proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeQuestion {
    /// The predicate.
    pub predicate: Predicate,
    /// The index in [`Obligation::reach`] of the statement that the predicate is reachable. `None`
    /// for the statement that the predicate does not stay reachable.
    pub reach_index: Option<usize>,
}

/// A formula over the statements of an [`Obligation`]. Each leaf has the index of a statement in
/// one of its lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NeededProofs {
    /// The predicate with this index in [`Obligation::reach`] is reachable.
    Reach(usize),
    /// The predicate with this index in [`Obligation::refute`] is unreachable.
    Refute(usize),
    /// The sum with this index in `grow` grows without bound.
    Grow(usize),
    /// The predicate with this index in `homes` is reachable from every reachable marking.
    StaysReachable(usize),
    /// The predicate with this index in `homes` is not reachable from some reachable marking.
    NotStaysReachable(usize),
    /// Some run has the property with this index in `run_properties`.
    Run(usize),
    /// No run has the property with this index in `run_properties`.
    NoRun(usize),
    /// The CTL property with this index in `trees` holds in the initial marking.
    Tree(usize),
    /// A conjunction; true if empty.
    All(Vec<NeededProofs>),
    /// A disjunction; false if empty.
    Any(Vec<NeededProofs>),
}

impl Default for NeededProofs {
    fn default() -> Self {
        NeededProofs::All(Vec::new())
    }
}

impl NeededProofs {
    /// Returns true if the formula is true, given the truth of its leaves.
    pub fn is_true(&self, is_proved: &dyn Fn(&NeededProofs) -> bool) -> bool {
        match self {
            NeededProofs::All(parts) => parts.iter().all(|part| part.is_true(is_proved)),
            NeededProofs::Any(parts) => parts.iter().any(|part| part.is_true(is_proved)),
            leaf => is_proved(leaf),
        }
    }

    /// Returns the unproved leaves that may still contribute to a proof, in order: those outside of
    /// every true subformula. Returns no leaves if the whole formula is true. An empty disjunction
    /// is false and has no leaves either.
    pub fn open(&self, is_proved: &dyn Fn(&NeededProofs) -> bool) -> Vec<&NeededProofs> {
        match self {
            formula if formula.is_true(is_proved) => Vec::new(),
            NeededProofs::All(parts) | NeededProofs::Any(parts) => {
                parts.iter().flat_map(|part| part.open(is_proved)).collect()
            }
            leaf => vec![leaf],
        }
    }

    /// Returns the conjunction of the parts if `all` is true, and otherwise their disjunction.
    fn connective(all: bool, parts: Vec<NeededProofs>) -> NeededProofs {
        if all { NeededProofs::All(parts) } else { NeededProofs::Any(parts) }
    }
}

impl Question {
    /// Returns the obligation for the answer `value`.
    ///
    /// # Errors
    /// The reason that no evidence can prove the answer.
    pub fn obligation(&self, net: &Net, value: AnswerValue) -> Result<Obligation, String> {
        let mut obligation = Obligation::default();
        if net.has_caps() && !self.is_about_reachability() {
            return Err(
                "this cannot be shown for a net with caps on places without a bound".to_owned()
            );
        }
        obligation.needed = match value {
            AnswerValue::Holds(holds) => {
                if let Question::Initially(predicate) = self {
                    let model_predicate = of_model(net, predicate.clone()).ok_or(OVERFLOW)?;
                    let initial_value = model_predicate.holds(net, net.initial());
                    if initial_value != holds {
                        let initial_value = AnswerValue::Holds(initial_value);
                        return Err(format!(
                            "the initial marking decides the question: {initial_value}"
                        ));
                    }
                }
                obligation.needed_for_truth(self, net, holds)?
            }
            AnswerValue::Number(number) => obligation.needed_for_number(self, net, number)?,
            AnswerValue::Infinite => obligation.needed_for_infinity(self, net)?,
        };
        obligation.within_caps(net)?;
        Ok(obligation)
    }

    /// Returns true if the question may be proved by evidence about a net with caps, that is,
    /// assumed bounds on places. It must be about the reachability of predicates, one maximum, or
    /// the initial marking. A negation or connective qualifies if each of its inner questions does.
    fn is_about_reachability(&self) -> bool {
        match self {
            Question::Reach { .. } | Question::Initially(_) | Question::Maximum(_) => true,
            Question::Not(part) => part.is_about_reachability(),
            Question::Connective { parts, .. } => parts.iter().all(Question::is_about_reachability),
            Question::StaysReachable(_)
            | Question::Sound { .. }
            | Question::NoRun(_)
            | Question::Tree(_)
            | Question::WithImplications { .. }
            | Question::MaximumOf(_)
            | Question::Count { .. } => false,
        }
    }
}

/// The message for a number as the answer to a question about truth.
const NOT_A_NUMBER_QUESTION: &str = "the question asks for TRUE or FALSE";
/// The message for a predicate or sum whose numbers overflow.
const OVERFLOW: &str = "the numbers are too large";

impl Obligation {
    /// Restates the obligations for a net with caps, that is, assumed bounds on places. A marking
    /// to be reached must also be within the caps. Predicates and sums about the model become
    /// predicates and sums about the translated net. Does nothing for a net without caps.
    ///
    /// # Errors
    /// A message if a number overflows.
    fn within_caps(&mut self, net: &Net) -> Result<(), String> {
        let Some(within_place) = net.translation().and_then(Translation::within_caps) else {
            return Ok(());
        };
        for goal in &mut self.reach {
            let model_goal = of_model(net, goal.clone()).ok_or(OVERFLOW)?;
            *goal = Predicate::and([model_goal, Predicate::at_least(within_place, 1)]).sorted();
        }
        for refuted in &mut self.refute {
            *refuted = of_model(net, refuted.clone()).ok_or(OVERFLOW)?;
        }
        for sum in &mut self.grow {
            *sum = sum_of_model(net, sum).ok_or(OVERFLOW)?;
        }
        Ok(())
    }

    /// Adds the obligation that the predicate is reachable.
    fn require_reachable(&mut self, predicate: Predicate) -> NeededProofs {
        self.reach.push(predicate);
        NeededProofs::Reach(self.reach.len() - 1)
    }

    /// Adds the obligation that the predicate is unreachable.
    fn require_unreachable(&mut self, predicate: Predicate) -> NeededProofs {
        self.refute.push(predicate);
        NeededProofs::Refute(self.refute.len() - 1)
    }

    /// Adds the obligation that `wanted` is reachable from every reachable marking. Also adds the
    /// statement that `wanted` is reachable, which suffices if every firing can be undone.
    fn require_staying(&mut self, wanted: &Predicate) -> NeededProofs {
        self.reach.push(wanted.clone());
        let reach = Some(self.reach.len() - 1);
        self.homes.push(HomeQuestion { predicate: wanted.clone(), reach_index: reach });
        NeededProofs::StaysReachable(self.homes.len() - 1)
    }

    /// Adds the obligation that `wanted` is not reachable from some reachable marking.
    fn require_not_staying(&mut self, wanted: &Predicate) -> NeededProofs {
        self.homes.push(HomeQuestion { predicate: wanted.clone(), reach_index: None });
        NeededProofs::NotStaysReachable(self.homes.len() - 1)
    }

    /// Derives the formula for the answer TRUE (`holds`) or FALSE.
    fn needed_for_truth(
        &mut self,
        question: &Question,
        net: &Net,
        holds: bool,
    ) -> Result<NeededProofs, String> {
        Ok(match (question, holds) {
            (Question::Reach { goals, all, then }, holds) if holds == *then => {
                let parts = goals.iter().map(|goal| self.require_reachable(goal.clone()));
                NeededProofs::connective(*all, parts.collect())
            }
            // Not all goals are reachable if one is unreachable, and none is reachable if all are
            // unreachable.
            (Question::Reach { goals, all, .. }, _) => {
                let parts = goals.iter().map(|goal| self.require_unreachable(goal.clone()));
                NeededProofs::connective(!all, parts.collect())
            }
            (Question::StaysReachable(wanted), true) => {
                let stay = NeededProofs::All(
                    wanted.iter().map(|wanted| self.require_staying(wanted)).collect(),
                );
                let holds_initially = |wanted: &Predicate| wanted.holds(net, net.initial());
                match net.is_dead(net.initial()) && wanted.iter().all(holds_initially) {
                    // No evidence is needed, but evidence is accepted.
                    true => NeededProofs::Any(vec![NeededProofs::default(), stay]),
                    false => stay,
                }
            }
            (Question::StaysReachable(wanted), false) => {
                let mut parts: Vec<NeededProofs> =
                    wanted.iter().map(|wanted| self.require_not_staying(wanted)).collect();
                parts.extend(
                    dead_ends(wanted).into_iter().map(|dead_end| self.require_reachable(dead_end)),
                );
                parts.extend(wanted.iter().map(|wanted| self.require_unreachable(wanted.clone())));
                NeededProofs::Any(parts)
            }
            (Question::Sound { done, improper, others }, true) => {
                let stays = self.require_staying(done);
                // `require_staying` has just added `done` to `self.reach`, as the last entry.
                let mut parts = vec![stays, NeededProofs::Reach(self.reach.len() - 1)];
                parts.extend(others.iter().map(|other| self.require_reachable(other.clone())));
                parts.push(self.require_unreachable(improper.clone()));
                NeededProofs::All(parts)
            }
            (Question::Sound { done, improper, others }, false) => {
                let mut parts = vec![
                    self.require_not_staying(done),
                    self.require_reachable(dead_without(done)),
                ];
                parts.push(self.require_reachable(improper.clone()));
                parts.push(self.require_unreachable(done.clone()));
                parts.extend(others.iter().map(|other| self.require_unreachable(other.clone())));
                NeededProofs::Any(parts)
            }
            (Question::NoRun(property), no_run) => self.needed_for_runs(property, net, !no_run),
            (Question::Tree(property), true) => self.needed_for_tree((**property).clone(), net),
            (Question::Tree(property), false) => self.needed_for_tree(property.negated(), net),
            (Question::Initially(predicate), holds) => {
                // The initial marking decides the question. The result is an empty conjunction,
                // which is true, or an empty disjunction, which is false.
                let model_predicate = of_model(net, predicate.clone()).ok_or(OVERFLOW)?;
                let initial_value = model_predicate.holds(net, net.initial());
                NeededProofs::connective(initial_value == holds, Vec::new())
            }
            (Question::Not(part), holds) => self.needed_for_truth(part, net, !holds)?,
            // A conjunction is FALSE if one part is, and a disjunction is FALSE if all parts are.
            (Question::Connective { all, parts }, holds) => {
                let parts = parts.iter().map(|part| self.needed_for_truth(part, net, holds));
                NeededProofs::connective(*all == holds, parts.collect::<Result<_, _>>()?)
            }
            (Question::WithImplications { main, implied_by: shown_by, implied: shows }, holds) => {
                let alternatives = if holds { shown_by } else { shows };
                let parts = [&**main].into_iter().chain(alternatives);
                let parts = parts.map(|part| self.needed_for_truth(part, net, holds));
                NeededProofs::Any(parts.collect::<Result<_, _>>()?)
            }
            (Question::Maximum(_) | Question::MaximumOf(_) | Question::Count { .. }, _) => {
                return Err("the question asks for a number".into());
            }
        })
    }

    /// Derives the formula that a run has the property (`exists`), or that no run has it. The
    /// evidence may have decomposed the property into cases. A run has the property if it has one
    /// of the cases. No run has the property if no run has any case.
    fn needed_for_runs(&mut self, property: &RunProperty, net: &Net, exists: bool) -> NeededProofs {
        let value = initial_value(net, property);
        let undivided = self.needed_for_undivided_runs(property, net, exists, value);
        let cases = match value {
            Some(_) => Vec::new(),
            None => cases(net, property, exists),
        };
        if cases.is_empty() {
            return undivided;
        }
        let proofs_of_case = |case| {
            let value = initial_value(net, case);
            self.needed_for_undivided_runs(case, net, exists, value)
        };
        let cases = cases.iter().map(proofs_of_case).collect();
        NeededProofs::Any(vec![undivided, NeededProofs::connective(!exists, cases)])
    }

    /// Derives the formula that a run has the property (`exists`), or that no run has the property,
    /// without decomposing the property into cases. `initial_value` is true if the initial marking
    /// alone shows that a run has the property, and false if it shows that no run has it. `None`
    /// means that neither is known.
    fn needed_for_undivided_runs(
        &mut self,
        property: &RunProperty,
        net: &Net,
        exists: bool,
        initial_value: Option<bool>,
    ) -> NeededProofs {
        if initial_value == Some(!exists) {
            // An empty disjunction is false: the initial marking refutes the statement.
            return NeededProofs::Any(Vec::new());
        }
        self.run_properties.push(property.clone());
        let index = self.run_properties.len() - 1;
        let run_proof = if exists { NeededProofs::Run(index) } else { NeededProofs::NoRun(index) };
        if initial_value.is_some() {
            // No evidence is needed, but evidence is accepted.
            return NeededProofs::Any(vec![NeededProofs::All(Vec::new()), run_proof]);
        }
        match equivalent_goal(net, property) {
            None => run_proof,
            Some(goal) => {
                let marking_proof = if exists {
                    self.require_reachable(goal)
                } else {
                    self.require_unreachable(goal)
                };
                NeededProofs::Any(vec![run_proof, marking_proof])
            }
        }
    }

    /// Derives the formula that the CTL property holds. The formula is false if the initial marking
    /// refutes the property.
    fn needed_for_tree(&mut self, property: TreeProperty, net: &Net) -> NeededProofs {
        let initial_value =
            |atom: AtomId| property.atoms()[atom.0 as usize].holds(net, net.initial()).into();
        let (formulas, formula) = (property.formulas(), property.formula());
        let initial_truth = match net.is_dead(net.initial()) {
            true => formulas.value_at_end(formula, initial_value),
            false => formulas.value_here(formula, initial_value),
        };
        if initial_truth.to_bool() == Some(false) {
            // An empty disjunction is false: the initial marking refutes the property.
            return NeededProofs::Any(Vec::new());
        }
        self.trees.push(property);
        let tree = NeededProofs::Tree(self.trees.len() - 1);
        match initial_truth.to_bool() {
            // No evidence is needed, but evidence is accepted.
            Some(_) => NeededProofs::Any(vec![NeededProofs::All(Vec::new()), tree]),
            None => tree,
        }
    }

    /// Derives the formula for a number n: some reachable marking has at least the value n, and no
    /// reachable marking has more. The value is the sum of the question, or the largest of its
    /// sums.
    ///
    /// # Errors
    /// A message if the question asks for TRUE or FALSE or for a count, or if a number overflows.
    fn needed_for_number(
        &mut self,
        question: &Question,
        net: &Net,
        number: i64,
    ) -> Result<NeededProofs, String> {
        // `more_than(Σ, n − 1)` is Σ ≥ n. If n is the least i64, n − 1 does not exist.
        let more_than = |sum: &LinearSum, n| Predicate::at_most(sum.clone(), n).negated();
        let one_less = number.checked_sub(1);
        let (reached_goal, refute) = match question {
            Question::Maximum(sum) => {
                let reached_goal =
                    one_less.map_or(Predicate::True, |one_less| more_than(sum, one_less));
                let exceeding = match net.translation().and_then(Translation::within_caps) {
                    None => more_than(sum, number),
                    Some(within_place) => exceeds_with_caps(sum, within_place, number)?,
                };
                (reached_goal, vec![exceeding])
            }
            Question::MaximumOf(sums) => {
                let reached_goal = match one_less.filter(|_| !sums.is_empty()) {
                    Some(one_less) => {
                        Predicate::or(sums.iter().map(|sum| more_than(sum, one_less)))
                    }
                    None => Predicate::constant(number == 0),
                };
                (reached_goal.sorted(), sums.iter().map(|sum| more_than(sum, number)).collect())
            }
            Question::Count { .. } => {
                return Err("the question asks for a number of markings or \
                                                    firings"
                    .into());
            }
            _ => return Err(NOT_A_NUMBER_QUESTION.into()),
        };
        let mut parts = vec![self.require_reachable(reached_goal)];
        parts.extend(refute.into_iter().map(|predicate| self.require_unreachable(predicate)));
        Ok(NeededProofs::All(parts))
    }

    /// Derives the formula for the answer `+inf`.
    fn needed_for_infinity(
        &mut self,
        question: &Question,
        net: &Net,
    ) -> Result<NeededProofs, String> {
        self.grow.push(match question {
            Question::Maximum(sum) => sum.clone(),
            // If the total number of tokens is unbounded, so is some place, and there are
            // infinitely many markings.
            Question::MaximumOf(_) | Question::Count { .. } => Question::all_tokens(net),
            _ => return Err(NOT_A_NUMBER_QUESTION.into()),
        });
        Ok(NeededProofs::Grow(0))
    }
}

/// Returns 2·Σ + m(within) ≥ 2n + 2. It is equivalent to Σ ≥ n + 1, because the place `within`
/// holds at most one token. A token on `within` means that no cap, that is, no assumed bound, has
/// been exceeded. Proofs about nets with caps refute this predicate.
///
/// # Errors
/// A message if a number overflows.
fn exceeds_with_caps(sum: &LinearSum, within_place: PlaceId, n: i64) -> Result<Predicate, String> {
    let doubled = sum.terms().iter().map(|&(place, a)| Some((place, a.checked_mul(2)?)));
    let terms: Option<Vec<_>> = doubled.chain([Some((within_place, 1))]).collect();
    let sum = LinearSum::new(terms.ok_or(OVERFLOW)?).map_err(|_| OVERFLOW)?;
    let max_value = n.checked_mul(2).and_then(|doubled| doubled.checked_add(1)).ok_or(OVERFLOW)?;
    Ok(Predicate::at_most(sum, max_value).negated())
}

/// Returns predicates that each describe dead markings in which a predicate of `wanted` is false.
/// If such a marking is reachable, that predicate does not stay reachable.
fn dead_ends(wanted: &[Predicate]) -> Vec<Predicate> {
    // A dead marking violates every predicate about enabledness, so one predicate suffices.
    match wanted.iter().all(asks_for_liveness) {
        true if wanted.is_empty() => Vec::new(),
        true => vec![Predicate::Dead],
        false => wanted.iter().map(dead_without).collect(),
    }
}

/// Returns the predicate that the marking is dead and violates `wanted`.
fn dead_without(wanted: &Predicate) -> Predicate {
    Predicate::and([Predicate::Dead, wanted.clone().negated()])
}
