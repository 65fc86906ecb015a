//! From a question and an answer to what has to be shown.
//!
//! Evidence is looked at for what it shows of the *question*; what it says of itself is not read. So the
//! first step of an audit is to write down, from the name of the examination or the formula alone, what
//! makes the answer true. There are three kinds of such duties: to show a reachable marking, to prove
//! that there is none, and to show that a sum grows for ever.
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
//! All of these but Liveness are one pattern ([`Asked::Reach`]): goals, of which all or some can be reached, and what
//! the answer is then. An upper bound n takes both sides: a marking in which the sum is n, and a proof
//! that it never is more; `+inf` takes a pump. The initial marking is reachable.
//!
//! That something stays reachable wherever the net goes ([`Asked::Stays`]) is shown by an argument about
//! the net as a whole ([`crate::home`]). That it is lost, by such an argument, too; by a dead marking
//! without it; by a proof that it can never be reached; or by a trace and a proof that it cannot be reached
//! from its end.
//!
//! Of a net with a final marking f ([`Asked::Sound`]; which net, and what is asked of it, says `cases`):
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

use crate::coloured::questions;
use crate::{home, words};
use parikh_net::{LinearSum, Net, Predicate};
use std::fmt;

/// What is asked of the reachable markings of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The answer is `then` if and only if all (or some) of the goals can be reached: EF φ is TRUE if
    /// φ can, AG φ is FALSE if ¬φ can.
    Reach {
        /// The markings in question, in sorted form.
        goals: Vec<Predicate>,
        /// Whether all of them are needed, or one will do.
        all: bool,
        /// What the answer is when they can be reached.
        then: bool,
    },
    /// The answer is TRUE if and only if each of these can be reached from every reachable marking.
    Stays(Vec<Predicate>),
    /// The answer is TRUE if and only if what is done stays reachable wherever the net goes, nothing
    /// improper is reachable, and each of the others is.
    Sound {
        /// The final marking is covered.
        done: Predicate,
        /// It is covered, and there are more tokens.
        improper: Predicate,
        /// What else is to be reached.
        others: Vec<Predicate>,
    },
    /// The answer is whether this holds in the initial marking.
    Initially(Predicate),
    /// The answer is the largest value of this sum in a reachable marking.
    Largest(LinearSum),
    /// The answer is the largest of these sums, of which none is more than all together.
    LargestOf(Vec<LinearSum>),
    /// The answer is how many markings can be reached; or how many pairs of such a marking and a transition
    /// that is enabled in it.
    HowMany {
        /// Which of the two.
        firings: bool,
    },
}

/// An answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// The property holds, or does not.
    Holds(bool),
    /// A largest value.
    Number(i64),
    /// There is no largest value.
    Infinite,
}

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

impl Asked {
    /// What an examination asks that needs no query file; `None` for others.
    pub fn by_examination(examination: &str, net: &Net) -> Option<Asked> {
        let reach = |goals, all, then| Some(Asked::Reach { goals, all, then });
        match (examination, net.folding()) {
            ("ReachabilityDeadlock", _) => reach(vec![Predicate::Dead], true, true),
            (_, Some(nodes)) => questions::by_examination(examination, net, nodes),
            ("OneSafe", None) => {
                let goals = net.places().map(|place| Predicate::at_least(place, 2)).collect();
                reach(goals, false, false)
            }
            ("QuasiLiveness", None) => {
                let goals = net.transitions().map(Predicate::Enabled).collect();
                reach(goals, true, true)
            }
            ("Liveness", None) => {
                Some(Asked::Stays(net.transitions().map(Predicate::Enabled).collect()))
            }
            ("StableMarking", None) => {
                let changed = |place| {
                    let initially = net.initial()[place];
                    let more = Predicate::at_least(place, initially + 1);
                    let fewer = match initially.checked_sub(1) {
                        Some(less) => Predicate::no_more_than(place, less),
                        None => Predicate::False,
                    };
                    Predicate::or([more, fewer]).sorted()
                };
                reach(net.places().map(changed).collect(), true, false)
            }
            (_, None) => None,
        }
    }

    /// The four figures of a state space.
    pub fn of_state_space(net: &Net) -> [(&'static str, Asked); 4] {
        let places = || net.places().map(LinearSum::place);
        [
            ("STATES", Asked::HowMany { firings: false }),
            ("TRANSITIONS", Asked::HowMany { firings: true }),
            ("MAX_TOKEN_PER_MARKING", Asked::Largest(all_places(net))),
            ("MAX_TOKEN_IN_PLACE", Asked::LargestOf(places().collect())),
        ]
    }

    /// The question for people, where it comes from a query file: others are said by their examination.
    pub fn in_words(&self, net: &Net) -> Option<String> {
        match self {
            Asked::Reach { goals, then, .. } => match (&goals[..], then) {
                ([goal], true) => Some(format!("EF {}", words::formula(net, goal))),
                ([goal], false) => {
                    Some(format!("AG {}", words::formula(net, &goal.clone().negated())))
                }
                _ => None,
            },
            Asked::Initially(predicate) => {
                Some(format!("initially {}", words::formula(net, predicate)))
            }
            Asked::Largest(sum) => Some(format!("the most of {}", words::linear(net, sum))),
            Asked::Stays(_) | Asked::Sound { .. } | Asked::LargestOf(_) | Asked::HowMany { .. } => {
                None
            }
        }
    }

    /// What has to be shown for the answer `value`.
    ///
    /// # Errors
    /// Why nothing could show it.
    pub fn obligation(&self, net: &Net, value: Value) -> Result<Obligation, String> {
        let nothing = Obligation {
            reach: Vec::new(),
            refute: Vec::new(),
            grow: Vec::new(),
            home: None,
            all: true,
        };
        match (self, value) {
            (Asked::Reach { goals, all, then }, Value::Holds(value)) if value == *then => {
                Ok(Obligation { reach: goals.clone(), all: *all, ..nothing })
            }
            // Not all of them can be reached if one cannot, and not one if all cannot.
            (Asked::Reach { goals, all, .. }, Value::Holds(_)) => {
                Ok(Obligation { refute: goals.clone(), all: !all, ..nothing })
            }
            // Where every firing can be undone, what was reached stays reachable.
            (Asked::Stays(wanted), Value::Holds(true)) => {
                let home = Some(Home { wanted: wanted.clone(), kept: true });
                Ok(Obligation { reach: wanted.clone(), home, all: false, ..nothing })
            }
            (Asked::Sound { done, improper, others }, Value::Holds(true)) => {
                let home = Some(Home { wanted: vec![done.clone()], kept: true });
                let reach = [done].into_iter().chain(others).cloned().collect();
                Ok(Obligation { reach, refute: vec![improper.clone()], home, ..nothing })
            }
            (Asked::Sound { done, improper, others }, Value::Holds(false)) => {
                let stuck = Predicate::and([Predicate::Dead, done.clone().negated()]);
                let home = Some(Home { wanted: vec![done.clone()], kept: false });
                let refute = [done].into_iter().chain(others).cloned().collect();
                let reach = vec![stuck, improper.clone()];
                Ok(Obligation { reach, refute, home, all: false, ..nothing })
            }
            (Asked::Stays(wanted), Value::Holds(false)) => {
                let without =
                    |w: &Predicate| Predicate::and([Predicate::Dead, w.clone().negated()]);
                // In a dead marking no transition is enabled.
                let dead_ends = match wanted.iter().all(home::asks_for_liveness) {
                    true if wanted.is_empty() => Vec::new(),
                    true => vec![Predicate::Dead],
                    false => wanted.iter().map(without).collect(),
                };
                let home = Some(Home { wanted: wanted.clone(), kept: false });
                let refute = wanted.clone();
                Ok(Obligation { reach: dead_ends, refute, home, all: false, ..nothing })
            }
            (Asked::Initially(predicate), Value::Holds(value)) => {
                match predicate.holds(net, net.initial()) {
                    holds if holds == value => Ok(nothing),
                    holds => {
                        let says = Value::Holds(holds);
                        Err(format!("the initial marking decides the question, and says {says}"))
                    }
                }
            }
            (Asked::Largest(sum), Value::Number(number)) => {
                // Σ ≥ n is ¬(Σ ≤ n − 1); no sum reaches the smallest number but from above.
                let more_than = |n| Predicate::at_most(sum.clone(), n).negated();
                let as_much = number.checked_sub(1).map_or(Predicate::True, more_than);
                Ok(Obligation { reach: vec![as_much], refute: vec![more_than(number)], ..nothing })
            }
            (Asked::Largest(sum), Value::Infinite) => {
                Ok(Obligation { grow: vec![sum.clone()], ..nothing })
            }
            (Asked::LargestOf(sums), Value::Number(number)) => {
                let more_than = |sum: &LinearSum, n| Predicate::at_most(sum.clone(), n).negated();
                let as_much = match number.checked_sub(1).filter(|_| !sums.is_empty()) {
                    Some(less) => Predicate::or(sums.iter().map(|sum| more_than(sum, less))),
                    None => Predicate::constant(number == 0),
                };
                let refute = sums.iter().map(|sum| more_than(sum, number)).collect();
                Ok(Obligation { reach: vec![as_much.sorted()], refute, ..nothing })
            }
            // Where the tokens grow for ever, those of some place do, and there are infinitely many markings.
            (Asked::LargestOf(_) | Asked::HowMany { .. }, Value::Infinite) => {
                Ok(Obligation { grow: vec![all_places(net)], ..nothing })
            }
            (Asked::HowMany { .. }, Value::Number(_)) => Err("it is to be counted".into()),
            (Asked::Largest(_) | Asked::LargestOf(_) | Asked::HowMany { .. }, Value::Holds(_)) => {
                Err("the question asks for a number".into())
            }
            (_, Value::Number(_) | Value::Infinite) => {
                Err("the question asks for TRUE or FALSE".into())
            }
        }
    }
}

/// All tokens of a marking.
fn all_places(net: &Net) -> LinearSum {
    // Each place once, with the coefficient 1: nothing overflows.
    LinearSum::new(net.places().map(|p| (p, 1))).unwrap_or_default()
}

impl Value {
    /// The value as the contest writes it: `TRUE`, `FALSE`, a number below 2⁶³, `+inf`.
    pub fn read(text: &str) -> Option<Value> {
        match text {
            "TRUE" => Some(Value::Holds(true)),
            "FALSE" => Some(Value::Holds(false)),
            "+inf" => Some(Value::Infinite),
            digits => {
                // As numbers are written: no sign, no zeros in front.
                let number: i64 = digits.parse().ok().filter(|&number| number >= 0)?;
                (number.to_string() == digits).then_some(Value::Number(number))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Holds(true) => f.write_str("TRUE"),
            Value::Holds(false) => f.write_str("FALSE"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Infinite => f.write_str("+inf"),
        }
    }
}
