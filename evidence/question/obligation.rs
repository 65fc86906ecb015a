//! From a question and an answer to what has to be shown.
//!
//! Evidence is looked at for what it shows of the *question*; what it says of itself is not read. So the
//! first step of an audit is to write down, from the name of the examination or the formula alone, what
//! makes the answer true. There are four kinds of such duties: to show a reachable marking, to prove
//! that there is none, to show that a sum grows for ever, and to show what stays reachable.
//!
//! | question | TRUE | FALSE |
//! |---|---|---|
//! | EF φ | a marking with φ | none has φ |
//! | AG φ | none has ¬φ | a marking with ¬φ |
//! | ReachabilityDeadlock | a dead marking | none is dead |
//! | OneSafe | for *every* place: no marking with 2 tokens on it | for *some* place: such a marking |
//! | QuasiLiveness | for *every* transition: a marking that enables it | for *some* one: none does |
//! | Liveness | *every* transition stays possible wherever the net goes | *some* one is lost |
//! | StableMarking | for *some* place: no marking with more or fewer tokens than initially | for *every* place: such a marking |
//!
//! All of these but Liveness are one pattern ([`Question::Reach`]): goals, of which all or some can be reached, and what
//! the answer is then. An upper bound n takes both sides: a marking in which the sum is n, and a proof
//! that it never is more; `+inf` takes a pump. The initial marking is reachable.
//!
//! That something stays reachable wherever the net goes ([`Question::Stays`]) is shown by an argument about
//! the net as a whole ([`crate::home`]). That it is lost, by such an argument, too; by a dead marking
//! without it; by a proof that it can never be reached; or by a trace and a proof that it cannot be reached
//! from its end.
//!
//! Of a net with a final marking f ([`Question::Sound`]; `cases` makes that net):
//!
//! | question | TRUE | FALSE |
//! |---|---|---|
//! | Soundness | markings with m ≥ f stay reachable, one is reached, none has more tokens than f, and every transition is enabled somewhere | a dead marking without m ≥ f; one with m ≥ f and more tokens; m ≥ f cannot be reached, or is lost; a transition never enabled |
//! | WeakSoundness | the same without the transitions | the same |
//! | RelaxedSoundness | for *every* transition: f with a token on its counter | for *some*: none |
//! | EasySoundness | f is reached | it cannot be |
//!
//! A marking with m ≥ f and no more tokens than f is f; so where none with more is reachable, f itself stays
//! reachable.

use super::{Question, Value};
use crate::home::liveness::asks_for_liveness;
use parikh_net::{LinearSum, Net, Predicate};

/// All that has to be shown for an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// Of each a reachable marking that satisfies it.
    pub reach: Vec<Predicate>,
    /// That no reachable marking satisfies these.
    pub refute: Vec<Predicate>,
    /// That these sums grow without bound.
    pub grow: Vec<LinearSum>,
    /// That these stay reachable wherever the net goes, or that one does not. Where they are to stay so,
    /// `reach` begins with them.
    pub home: Option<Home>,
    /// Whether it takes all of this, or one thing of it.
    pub all: bool,
}

/// What has to be shown of home spaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// What is to stay reachable.
    pub wanted: Vec<Predicate>,
    /// Whether all of it does, or something does not.
    pub kept: bool,
}

impl Question {
    /// What has to be shown for the answer `value`.
    ///
    /// # Errors
    /// Why nothing could show it.
    pub fn obligation(&self, net: &Net, value: Value) -> Result<Obligation, String> {
        match value {
            Value::Holds(holds) => self.that_it_holds(net, holds),
            Value::Number(number) => self.that_it_is(number),
            Value::Infinite => self.that_it_grows(net),
        }
    }

    /// For TRUE or FALSE.
    fn that_it_holds(&self, net: &Net, holds: bool) -> Result<Obligation, String> {
        let nothing = Obligation::nothing();
        Ok(match (self, holds) {
            (Question::Reach { goals, all, then }, holds) if holds == *then => {
                Obligation { reach: goals.clone(), all: *all, ..nothing }
            }
            // Not all of them can be reached if one cannot, and not one if all cannot.
            (Question::Reach { goals, all, .. }, _) => {
                Obligation { refute: goals.clone(), all: !all, ..nothing }
            }
            // Where every firing can be undone, what was reached stays reachable.
            (Question::Stays(wanted), true) => {
                let home = Some(Home { wanted: wanted.clone(), kept: true });
                Obligation { reach: wanted.clone(), home, all: false, ..nothing }
            }
            (Question::Stays(wanted), false) => {
                let home = Some(Home { wanted: wanted.clone(), kept: false });
                let (reach, refute) = (dead_ends(wanted), wanted.clone());
                Obligation { reach, refute, home, all: false, ..nothing }
            }
            (Question::Sound { done, improper, others }, true) => {
                let home = Some(Home { wanted: vec![done.clone()], kept: true });
                let reach = [done].into_iter().chain(others).cloned().collect();
                Obligation { reach, refute: vec![improper.clone()], home, ..nothing }
            }
            (Question::Sound { done, improper, others }, false) => {
                let home = Some(Home { wanted: vec![done.clone()], kept: false });
                let refute = [done].into_iter().chain(others).cloned().collect();
                let reach = vec![dead_without(done), improper.clone()];
                Obligation { reach, refute, home, all: false, ..nothing }
            }
            (Question::Initially(predicate), holds) => {
                let says = predicate.holds(net, net.initial());
                if says != holds {
                    let says = Value::Holds(says);
                    return Err(format!(
                        "the initial marking decides the question, and says {says}"
                    ));
                }
                nothing
            }
            (Question::Largest(_) | Question::LargestOf(_) | Question::HowMany { .. }, _) => {
                return Err("the question asks for a number".into());
            }
        })
    }

    /// For a number: a marking with so much, and that none has more.
    fn that_it_is(&self, number: i64) -> Result<Obligation, String> {
        // Σ ≥ n is ¬(Σ ≤ n − 1); no sum reaches the smallest number but from above.
        let more_than = |sum: &LinearSum, n| Predicate::at_most(sum.clone(), n).negated();
        let less = number.checked_sub(1);
        let (as_much, refute) = match self {
            Question::Largest(sum) => {
                let as_much = less.map_or(Predicate::True, |less| more_than(sum, less));
                (as_much, vec![more_than(sum, number)])
            }
            Question::LargestOf(sums) => {
                let as_much = match less.filter(|_| !sums.is_empty()) {
                    Some(less) => Predicate::or(sums.iter().map(|sum| more_than(sum, less))),
                    None => Predicate::constant(number == 0),
                };
                (as_much.sorted(), sums.iter().map(|sum| more_than(sum, number)).collect())
            }
            Question::HowMany { .. } => return Err("it is to be counted".into()),
            _ => return Err(NO_NUMBER.into()),
        };
        Ok(Obligation { reach: vec![as_much], refute, ..Obligation::nothing() })
    }

    /// For `+inf`.
    fn that_it_grows(&self, net: &Net) -> Result<Obligation, String> {
        let sum = match self {
            Question::Largest(sum) => sum.clone(),
            // Where the tokens grow for ever, those of some place do, and there are infinitely many markings.
            Question::LargestOf(_) | Question::HowMany { .. } => Question::all_tokens(net),
            _ => return Err(NO_NUMBER.into()),
        };
        Ok(Obligation { grow: vec![sum], ..Obligation::nothing() })
    }
}

const NO_NUMBER: &str = "the question asks for TRUE or FALSE";

impl Obligation {
    fn nothing() -> Self {
        let (reach, refute, grow, home) = Default::default();
        Obligation { reach, refute, grow, home, all: true }
    }
}

/// The markings in which nothing of what is to stay reachable is, or ever will be.
fn dead_ends(wanted: &[Predicate]) -> Vec<Predicate> {
    // In a dead marking no transition is enabled.
    match wanted.iter().all(asks_for_liveness) {
        true if wanted.is_empty() => Vec::new(),
        true => vec![Predicate::Dead],
        false => wanted.iter().map(dead_without).collect(),
    }
}

/// A dead marking that does not satisfy `wanted`.
fn dead_without(wanted: &Predicate) -> Predicate {
    Predicate::and([Predicate::Dead, wanted.clone().negated()])
}
