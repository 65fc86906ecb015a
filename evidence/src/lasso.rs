//! Checks that an infinite run has a property: it fires the run and evaluates the formula along it.
//!
//! The letters of the run are computed from its markings one by one. The firings that repeat must
//! lead back to the marking in which they began, or to a larger marking, from which they can fire
//! again. In the second case the letters must be the same in every round, or the formula must be
//! true whatever they are where they differ (`growth`). The formula is evaluated on the word by its
//! own definition ([`Lasso::satisfies`]).
//!
//! If only fair runs count ([`Fairness`](parikh_net::Fairness)), the repeated firings are checked
//! against the definition of fairness (`fair`). A run that ends in a dead marking is fair, and
//! every finite firing sequence has a fair continuation.
//!
//! If the run is left open after its prefix, the letters so far and each possible next letter must
//! decide the formula for every continuation
//! ([`Ltl::value_after_prefix`](parikh_temporal::Ltl::value_after_prefix)). Every run continues, or
//! stays in a dead marking. This test is simple and leaves some formulas open, for example
//! tautologies such as p ∨ ¬p. In that case an automaton of the negated formula is built and
//! checked against the formula. From the states reached by these letters, it must accept no word.

mod fair;
mod growth;

use crate::file::{Steps, sequence};
use crate::kind::{EvidenceContent, EvidenceKind};
use crate::replay::{ReplayError, Replayer};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{FiringSequence, FiringStep, Net};
use parikh_temporal::{
    AtomId, Automaton, AutomatonLimits, Lasso, Letter, LinearTableau, PartialTruth,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The maximum number of firings of a checked run. Each firing has one letter.
pub const MAX_FIRINGS: u128 = 10_000_000;

/// Limits of the automaton of the negated formula, for a run whose continuation after its prefix is
/// left open.
const LIMITS: AutomatonLimits = AutomatonLimits { states: 1_000, edges: 20_000, terms: 1_000 };
/// The maximum number of cases of the tableau in the check that the automaton accepts every word of
/// the negated formula.
const MAX_CASES: usize = 100_000;

/// The reason that a run does not prove a property.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LassoFlaw {
    /// The firings do not replay, for example because a firing is not enabled.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The repeated part has no firing.
    #[error("no firing repeats")]
    NoFirings,
    /// The repeated firings do not lead back. Either a place has fewer tokens, or it has more
    /// tokens and may change the value of the formula.
    #[error(
        "place `{0}` has a different number of tokens after the cycle, which may change the value \
         of the formula"
    )]
    NotBack(String),
    /// The run is said to end in a dead marking, but the marking is not dead.
    #[error("the marking after the firings is not dead")]
    NotDead,
    /// The run is not fair.
    #[error("the run is not {kind} fair to transition `{transition}`")]
    Unfair {
        /// The violated kind of fairness, as an adverb: `weakly` or `strongly`.
        kind: &'static str,
        /// A transition that never fires in the repeated part.
        transition: String,
    },
    /// The run is possible, but is not shown to have the property.
    #[error("the run does not satisfy the property")]
    NotSatisfied,
    /// The run has more than 10⁷ firings.
    #[error("the run has more than 10^7 firings")]
    TooLong,
    /// `goes_on` returned false before the end.
    #[error("the check did not finish in time")]
    Stopped,
}

/// Checks that the run is a run of `net` and that it has the property. The check may end with
/// [`LassoFlaw::NotBack`], for example because the cycle may change an atom. It is then repeated
/// after the subformulas about the initial marking are replaced by their values.
///
/// # Errors
/// The first flaw of the run.
pub fn check_lasso(
    net: &Net,
    property: &RunProperty,
    run: &LassoRun,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), LassoFlaw> {
    match check_once(net, property, run, goes_on) {
        Err(LassoFlaw::NotBack(_)) => {
            check_once(net, &given_initially(net, property), run, goes_on)
        }
        result => result,
    }
}

/// Returns the property with the subformulas about the first letter replaced by their values at the
/// initial marking. Atoms that no longer occur are dropped.
fn given_initially(net: &Net, property: &RunProperty) -> RunProperty {
    let initial_values = RunAtom::initial_values(property.atoms(), net);
    let initial_value = |atom: AtomId| initial_values[atom.0 as usize];
    let mut formulas = property.formulas().clone();
    let formula = formulas.simplify_here(property.formula(), initial_value);
    RunProperty::new(&formulas, formula, property.atoms())
        .with_fairness(property.fairness().clone())
}

/// Checks the run once, with the property as it is.
fn check_once(
    net: &Net,
    property: &RunProperty,
    run: &LassoRun,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), LassoFlaw> {
    let mut replay =
        LassoReplay { net, property, replayer: Replayer::new(net), letters: Vec::new() };
    replay.fire(&run.prefix, goes_on)?;
    let cycle_start = replay.letters.len();
    let has_property = match &run.end {
        RunEnd::Anything => replay.decides_open_run(),
        RunEnd::Dead => {
            let end = replay.replayer.marking();
            if !net.is_dead(end) {
                return Err(LassoFlaw::NotDead);
            }
            replay.letters.push(property.letter(net, end, None));
            replay.satisfies(cycle_start)
        }
        RunEnd::Repeats(cycle) => {
            let begin = replay.replayer.marking().clone();
            replay.fire(cycle, goes_on)?;
            if replay.letters.len() == cycle_start {
                return Err(LassoFlaw::NoFirings);
            }
            let cycle_markings = (&begin, replay.replayer.marking());
            let unsettled = growth::check(net, property, cycle, cycle_markings, goes_on)?;
            fair::check(net, property.fairness(), &begin, cycle)?;
            if let Some(unsettled) = unsettled {
                let is_satisfied = unsettled.satisfies(property, &replay.letters, cycle_start);
                let place = || net.place_name(unsettled.place).to_owned();
                return is_satisfied.then_some(()).ok_or_else(|| LassoFlaw::NotBack(place()));
            }
            replay.satisfies(cycle_start)
        }
    };
    has_property.then_some(()).ok_or(LassoFlaw::NotSatisfied)
}

/// A run that is fired step by step, with its letters so far.
struct LassoReplay<'a> {
    /// The net of the run.
    net: &'a Net,
    /// The property, whose atoms determine the letters.
    property: &'a RunProperty,
    /// The replayer, at the marking after the firings so far.
    replayer: Replayer<'a>,
    /// The letter of each firing so far. At the end of the check, a letter of the next position may
    /// follow.
    letters: Vec<Letter>,
}

impl LassoReplay<'_> {
    /// Fires a sequence, and adds the letter of each firing.
    fn fire(
        &mut self,
        sequence: &FiringSequence,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), LassoFlaw> {
        if sequence.firings().saturating_add(self.letters.len() as u128) > MAX_FIRINGS {
            return Err(LassoFlaw::TooLong);
        }
        for step in sequence.steps() {
            for _ in 0..step.count {
                if self.letters.len().is_multiple_of(1024) && !goes_on() {
                    return Err(LassoFlaw::Stopped);
                }
                let fired = Some(step.transition);
                let current = self.replayer.marking();
                self.letters.push(self.property.letter(self.net, current, fired));
                self.replayer.fire(FiringStep { count: 1, ..*step })?;
            }
        }
        Ok(())
    }

    /// Returns true if it is shown that every continuation of the letters so far satisfies the
    /// formula. False may also mean that this is not shown, for example because an automaton is too
    /// large.
    fn decides_open_run(mut self) -> bool {
        let LassoReplay { net, property, .. } = self;
        let end = self.replayer.marking();
        let enabled = net.transitions().filter(|&t| net.is_enabled(end, t)).map(Some);
        let stuttering = net.is_dead(end).then_some(None);
        let next_letters: HashSet<Letter> =
            enabled.chain(stuttering).map(|firing| property.letter(net, end, firing)).collect();
        next_letters.into_iter().all(|letter| {
            self.letters.push(letter);
            let value = property.formulas().value_after_prefix(property.formula(), &self.letters);
            let is_decided = value == PartialTruth::True
                || value == PartialTruth::Unknown && self.excludes_negation();
            self.letters.pop();
            is_decided
        })
    }

    /// Returns true if it is shown that no word that begins with the letters satisfies the negated
    /// formula. Returns false also if the automaton exceeds its limits, or is not shown to accept
    /// every word of the negated formula.
    fn excludes_negation(&self) -> bool {
        let mut formulas = self.property.formulas().clone();
        let formula = formulas.negate(self.property.formula());
        let Ok(LinearTableau { mut automaton, obligations, untils }) =
            LinearTableau::new(&formulas, formula, LIMITS)
        else {
            return false;
        };
        let mut states = HashSet::from([automaton.initial]);
        for letter in &self.letters {
            let outgoing = states.iter().flat_map(|&state| &automaton.states[state]);
            let matching = outgoing.filter(|edge| edge.cube.holds(letter));
            states = matching.map(|edge| edge.target).collect();
        }
        let initial = automaton.initial;
        let accepts = |state: usize, automaton: &mut Automaton| {
            automaton.initial = state;
            !automaton.is_empty()
        };
        let is_excluded = !states.into_iter().any(|state| accepts(state, &mut automaton));
        automaton.initial = initial;
        let tableau = LinearTableau { automaton, obligations, untils };
        is_excluded && tableau.check_complete(&formulas, formula, MAX_CASES).is_ok()
    }

    /// Returns true if the word of the letters, which repeats from position `cycle_start`,
    /// satisfies the formula.
    fn satisfies(self, cycle_start: usize) -> bool {
        let word = Lasso::new(self.letters, cycle_start);
        let (formulas, formula) = (self.property.formulas(), self.property.formula());
        word.is_some_and(|word| word.satisfies(formulas, formula))
    }
}

/// A run with names, as in a file. Exactly one of three entries says how the run continues after
/// the prefix.
///
/// ```json
/// {"prefix": [["t", 1]], "repeats": [["u", 2]]}
/// {"prefix": [["t", 1]], "dead": true}
/// {"prefix": [["t", 1]], "whatever": true}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLasso {
    /// The firings of the prefix.
    pub prefix: Steps,
    /// The firings that repeat after the prefix; `None` if the run does not continue by a cycle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<Steps>,
    /// True if the marking after the prefix is dead.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dead: bool,
    /// True if every continuation after the prefix counts.
    #[serde(default, skip_serializing_if = "is_false")]
    pub whatever: bool,
}

fn is_false(flag: &bool) -> bool {
    !flag
}

impl EvidenceContent for NamedLasso {
    const KIND: EvidenceKind = EvidenceKind::Lasso;
}

impl NamedLasso {
    /// Writes a run of `net` with names.
    pub fn of(net: &Net, run: &LassoRun) -> NamedLasso {
        let named = |firings: &FiringSequence| -> Steps {
            let name =
                |step: &FiringStep| (net.transition_name(step.transition).to_owned(), step.count);
            firings.steps().iter().map(name).collect()
        };
        NamedLasso {
            prefix: named(&run.prefix),
            repeats: match &run.end {
                RunEnd::Repeats(cycle) => Some(named(cycle)),
                RunEnd::Dead | RunEnd::Anything => None,
            },
            dead: run.end == RunEnd::Dead,
            whatever: run.end == RunEnd::Anything,
        }
    }

    /// Returns the run in the transitions of `net`.
    ///
    /// # Errors
    /// When a transition is not known, or not exactly one continuation is given.
    pub fn resolve(&self, net: &Net) -> Result<LassoRun, String> {
        let prefix = sequence(net, &self.prefix)?;
        let end = match (&self.repeats, self.dead, self.whatever) {
            (Some(cycle), false, false) => RunEnd::Repeats(sequence(net, cycle)?),
            (None, true, false) => RunEnd::Dead,
            (None, false, true) => RunEnd::Anything,
            _ => return Err("expected one of `repeats`, `dead` and `whatever`".to_owned()),
        };
        Ok(LassoRun { prefix, end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Predicate, TransitionId, text};
    use parikh_temporal::{Linear, Ltl};

    fn check(
        net: &Net,
        property: &RunProperty,
        prefix: &[&str],
        end: RunEnd,
    ) -> Result<(), LassoFlaw> {
        let run = LassoRun { prefix: firings(net, prefix), end };
        check_lasso(net, property, &run, &mut || true)
    }

    fn firings(net: &Net, names: &[&str]) -> FiringSequence {
        let named = |name: &&str| -> TransitionId { net.transition_named(name).unwrap() };
        names.iter().map(named).collect()
    }

    /// The search for a run ignores what the initial marking decides, and the checker does so as
    /// well.
    #[test]
    fn initial_truth_values_may_change_later() {
        let net = text::parse(
            "place p 1\nplace q\nplace made\ntransition t: p -> q\ntransition u: q -> p + made",
        )
        .unwrap();
        let marked = |name| Predicate::at_least(net.place_named(name).unwrap(), 1);
        let atoms = ["q", "made"].map(|name| RunAtom::Holds(marked(name)));
        let mut formulas = Ltl::default();
        let [q, made] = [0, 1].map(|number| formulas.atom(AtomId(number)));
        let some_q = formulas.eventually(Linear, q);
        let again = formulas.always(Linear, some_q);
        let never = formulas.negate(made);
        let (now, ever) = (formulas.or([made, again]), formulas.always(Linear, never));
        let later = formulas.next(Linear, never);
        let [now, ever, later] = [now, formulas.and([again, ever]), formulas.and([again, later])]
            .map(|formula| RunProperty::new(&formulas, formula, &atoms));
        let round = || RunEnd::Repeats(firings(&net, &["t", "u"]));
        assert_eq!(check(&net, &now, &[], round()), Ok(()));
        let back = || Err(LassoFlaw::NotBack("made".to_owned()));
        assert_eq!(check(&net, &ever, &[], round()), back());
        assert_eq!(check(&net, &later, &[], round()), back());
        assert_eq!(check(&net, &now.negated(), &[], round()), Err(LassoFlaw::NotSatisfied));
    }

    #[test]
    fn runs_are_fired_and_formulas_evaluated_on_them() {
        let net = text::parse(
            "place p 1\nplace q\nplace made\ntransition t: p -> q\ntransition u: q -> p + made
             transition stop: q ->",
        )
        .unwrap();
        let q = RunAtom::Holds(Predicate::at_least(net.place_named("q").unwrap(), 1));
        let made = RunAtom::Holds(Predicate::at_least(net.place_named("made").unwrap(), 1));
        let stop = RunAtom::Fires(vec![net.transition_named("stop").unwrap()]);
        let dead = RunAtom::Holds(Predicate::Dead);
        let two = RunAtom::Holds(Predicate::at_least(net.place_named("made").unwrap(), 2));
        let atoms = [q, made, stop, dead, two];
        let mut formulas = Ltl::default();
        let [q, made, stop, dead] = [0, 1, 2, 3].map(|number| formulas.atom(AtomId(number)));
        let some_q = formulas.eventually(Linear, q);
        let again = formulas.always(Linear, some_q);
        let ends = formulas.eventually(Linear, dead);
        let lasts = formulas.negate(ends);
        let two = formulas.atom(AtomId(4));
        let much = formulas.eventually(Linear, two);
        let stops = formulas.eventually(Linear, stop);
        let later = formulas.next(Linear, made);
        let has_q = formulas.eventually(Linear, q);
        let of = |formula| RunProperty::new(&formulas, formula, &atoms);
        let round = || RunEnd::Repeats(firings(&net, &["t", "u"]));
        // In the second round `made` is marked, and it stays marked.
        assert_eq!(check(&net, &of(later), &["t", "u"], round()), Err(LassoFlaw::NotSatisfied));
        let made_later = |prefix| check(&net, &of(much), prefix, round());
        let few = Err(LassoFlaw::NotBack("made".to_owned()));
        assert_eq!(made_later(&["t", "u"][..]), few);
        assert_eq!(made_later(&["t", "u", "t", "u"][..]), Ok(()));
        // The cycle adds tokens to a place that no atom reads.
        assert_eq!(check(&net, &of(again), &[], round()), Ok(()));
        assert_eq!(check(&net, &of(lasts), &[], round()), Ok(()));
        let back = LassoFlaw::NotBack("made".to_owned());
        assert_eq!(check(&net, &of(later), &[], round()), Err(back));
        assert_eq!(check(&net, &of(ends), &[], round()), Err(LassoFlaw::NotSatisfied));
        assert_eq!(check(&net, &of(ends), &["t", "stop"], RunEnd::Dead), Ok(()));
        assert_eq!(
            check(&net, &of(again), &["t", "stop"], RunEnd::Dead),
            Err(LassoFlaw::NotSatisfied)
        );
        assert_eq!(check(&net, &of(ends), &["t"], RunEnd::Dead), Err(LassoFlaw::NotDead));
        // The letter of the last firing belongs to the marking before it.
        assert_eq!(check(&net, &of(stops), &["t", "stop"], RunEnd::Anything), Ok(()));
        assert_eq!(check(&net, &of(stops), &["t"], RunEnd::Anything), Err(LassoFlaw::NotSatisfied));
        // The last marking counts, whatever fires next.
        assert_eq!(check(&net, &of(has_q), &["t"], RunEnd::Anything), Ok(()));
        assert_eq!(check(&net, &of(has_q), &[], RunEnd::Anything), Err(LassoFlaw::NotSatisfied));
        let nothing = RunEnd::Repeats(FiringSequence::new());
        assert_eq!(check(&net, &of(lasts), &[], nothing), Err(LassoFlaw::NoFirings));
        // A formula that holds for every continuation is recognised: the automaton of the negation
        // is empty.
        let either = [formulas.next(Linear, stop), formulas.negate(stop)];
        let either = [either[0], formulas.next(Linear, either[1])];
        let either = formulas.or(either);
        let of = |formula| RunProperty::new(&formulas, formula, &atoms);
        assert_eq!(check(&net, &of(either), &["t"], RunEnd::Anything), Ok(()));
        let wrong = RunEnd::Repeats(firings(&net, &["u", "t"]));
        assert!(matches!(check(&net, &of(lasts), &[], wrong), Err(LassoFlaw::Replay(_))));
    }
}
