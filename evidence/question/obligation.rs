//! From a question and an answer to what has to be shown.
//!
//! Evidence is looked at for what it shows of the *question*; what it says of itself is not read.
//! So the first step of an audit is to write down, from the name of the examination or the formula
//! alone, what makes the answer true. There are four kinds of such duties: to show a reachable
//! marking, to prove that there is none, to show that a sum grows for ever, and to show what stays
//! reachable.
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
//! All of these but Liveness are one pattern ([`Question::Reach`]): goals, of which all or some can
//! be reached, and what the answer is then. An upper bound n takes both sides: a marking in which
//! the sum is n, and a proof that it never is more; `+inf` takes a pump. The initial marking is
//! reachable.
//!
//! That something stays reachable wherever the net goes ([`Question::Stays`]) is shown by an
//! argument about the net as a whole ([`crate::home`]). That it is lost, by such an argument, too;
//! by a dead marking without it; by a proof that it can never be reached; or by a trace and a proof
//! that it cannot be reached from its end.
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
//! A marking with m ≥ f and no more tokens than f is f; so where none with more is reachable, f
//! itself stays reachable.
//!
//! # Runs
//! That no run has a property ([`Question::NoRun`]) is shown by an argument ([`crate::no_run`]);
//! that one has it, by that run ([`crate::lasso`]). Where a run has it just when it meets a marking
//! with φ, a marking with φ will do, and a proof that there is none. What the initial marking
//! decides needs nothing.
//!
//! # The tree of runs
//! That the tree of runs has a property of CTL ([`Question::Tree`]), or its negation, is shown by
//! markings with what is true of them ([`crate::tree`]). A run may show it, too, or that no run has
//! some property ([`Question::Between`]).
//!
//! # Nets with caps
//! A net that was made with caps ([`parikh_net::translation`]) shows of its model what is reached
//! within them, and what is reached neither within nor beyond. So a marking to be seen has to be
//! within, a predicate to be refuted is refuted of all markings, and a pump must not pass a cap.
//! What a transition asks of places is what the model says, in both. There is no such duty for what
//! stays reachable, for runs and for numbers of markings: such answers are refused.
//!
//! # Formulas over questions
//! What a conjunction of questions takes for TRUE is what each part takes for TRUE; for FALSE, what
//! one of them takes for FALSE. So an obligation is a list of duties and a [`Need`], a formula over
//! them: which of them, together, show the answer.

use super::simpler::{cases, met_somewhere};
use super::{Question, Value};
use crate::home::liveness::asks_for_liveness;
use crate::no_run::implied::initially;
use parikh_net::run_property::RunProperty;
use parikh_net::{
    LinearSum, Net, PlaceId, Predicate, Translation, TreeProperty, of_model, sum_of_model,
};
use parikh_temporal::Atom;

/// What has to be shown for an answer: which of these duties, says `need`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obligation {
    /// Of each a reachable marking that satisfies it.
    pub reach: Vec<Predicate>,
    /// That no reachable marking satisfies these.
    pub refute: Vec<Predicate>,
    /// That these sums grow without bound.
    pub grow: Vec<LinearSum>,
    /// That these stay reachable wherever the net goes, or that they do not.
    pub homes: Vec<Home>,
    /// Properties of which it has to be shown that a run has them, or that none has.
    pub runs: Vec<RunProperty>,
    /// Properties of which it has to be shown that the tree of runs has them.
    pub trees: Vec<TreeProperty>,
    /// Which of the duties show the answer.
    pub need: Need,
}

/// Something of which it has to be shown whether it stays reachable wherever the net goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// What it is.
    pub wanted: Predicate,
    /// Which duty of `reach` it is that it can be reached, where there is one.
    pub reach: Option<usize>,
}

/// A formula over duties, each by its place in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// A marking to be reached.
    Reach(usize),
    /// A predicate to be refuted.
    Refute(usize),
    /// A sum that grows.
    Grow(usize),
    /// It stays reachable.
    Stays(usize),
    /// It is lost.
    Lost(usize),
    /// A run has the property.
    Run(usize),
    /// No run has it.
    NoRun(usize),
    /// The tree of runs has the property.
    Tree(usize),
    /// All of these; of none, nothing at all.
    All(Vec<Need>),
    /// One of these; of none, what nothing shows.
    One(Vec<Need>),
}

impl Default for Need {
    fn default() -> Self {
        Need::All(Vec::new())
    }
}

impl Need {
    /// Whether it is met, given which duties are.
    pub fn is_met(&self, done: &dyn Fn(&Need) -> bool) -> bool {
        match self {
            Need::All(parts) => parts.iter().all(|part| part.is_met(done)),
            Need::One(parts) => parts.iter().any(|part| part.is_met(done)),
            duty => done(duty),
        }
    }

    /// The duties that are not met and matter, in their order: none below what is met.
    pub fn open(&self, done: &dyn Fn(&Need) -> bool) -> Vec<&Need> {
        match self {
            met if met.is_met(done) => Vec::new(),
            Need::All(parts) | Need::One(parts) => {
                parts.iter().flat_map(|part| part.open(done)).collect()
            }
            duty => vec![duty],
        }
    }

    fn junction(all: bool, parts: Vec<Need>) -> Need {
        if all { Need::All(parts) } else { Need::One(parts) }
    }
}

impl Question {
    /// What has to be shown for the answer `value`.
    ///
    /// # Errors
    /// Why nothing could show it.
    pub fn obligation(&self, net: &Net, value: Value) -> Result<Obligation, String> {
        let mut all = Obligation::default();
        if net.has_caps() && !self.is_about_reachability() {
            return Err("it is not shown of a net with caps on places without a bound".to_owned());
        }
        all.need = match value {
            Value::Holds(holds) => {
                if let Question::Initially(predicate) = self {
                    let says = of_model(net, predicate.clone()).ok_or(NO_FIT)?;
                    let says = says.holds(net, net.initial());
                    if says != holds {
                        let says = Value::Holds(says);
                        return Err(format!(
                            "the initial marking decides the question, and says {says}"
                        ));
                    }
                }
                all.that_it_holds(self, net, holds)?
            }
            Value::Number(number) => all.that_it_is(self, net, number)?,
            Value::Infinite => all.that_it_grows(self, net)?,
        };
        all.within_caps(net)?;
        Ok(all)
    }

    /// Whether it asks for no more than markings that are reached, and that are not.
    fn is_about_reachability(&self) -> bool {
        match self {
            Question::Reach { .. } | Question::Initially(_) | Question::Largest(_) => true,
            Question::Not(part) => part.is_about_reachability(),
            Question::Junction { parts, .. } => parts.iter().all(Question::is_about_reachability),
            Question::Stays(_)
            | Question::Sound { .. }
            | Question::NoRun(_)
            | Question::Tree(_)
            | Question::Between { .. }
            | Question::LargestOf(_)
            | Question::HowMany { .. } => false,
        }
    }
}

const NO_NUMBER: &str = "the question asks for TRUE or FALSE";
const NO_FIT: &str = "the numbers do not fit";

impl Obligation {
    /// The same duties about the halves of a net with caps that show them.
    fn within_caps(&mut self, net: &Net) -> Result<(), String> {
        let Some(within) = net.translation().and_then(Translation::within_caps) else {
            return Ok(());
        };
        for seen in &mut self.reach {
            let asked = of_model(net, seen.clone()).ok_or(NO_FIT)?;
            *seen = Predicate::and([asked, Predicate::at_least(within, 1)]).sorted();
        }
        for refuted in &mut self.refute {
            *refuted = of_model(net, refuted.clone()).ok_or(NO_FIT)?;
        }
        for grows in &mut self.grow {
            *grows = sum_of_model(net, grows).ok_or(NO_FIT)?;
        }
        Ok(())
    }

    fn reach(&mut self, predicate: Predicate) -> Need {
        self.reach.push(predicate);
        Need::Reach(self.reach.len() - 1)
    }

    fn refute(&mut self, predicate: Predicate) -> Need {
        self.refute.push(predicate);
        Need::Refute(self.refute.len() - 1)
    }

    /// It stays reachable. Where every firing can be undone, what was reached does.
    fn stays(&mut self, wanted: &Predicate) -> Need {
        self.reach.push(wanted.clone());
        let reach = Some(self.reach.len() - 1);
        self.homes.push(Home { wanted: wanted.clone(), reach });
        Need::Stays(self.homes.len() - 1)
    }

    fn lost(&mut self, wanted: &Predicate) -> Need {
        self.homes.push(Home { wanted: wanted.clone(), reach: None });
        Need::Lost(self.homes.len() - 1)
    }

    /// For TRUE or FALSE.
    fn that_it_holds(&mut self, asked: &Question, net: &Net, holds: bool) -> Result<Need, String> {
        Ok(match (asked, holds) {
            (Question::Reach { goals, all, then }, holds) if holds == *then => {
                let parts = goals.iter().map(|goal| self.reach(goal.clone()));
                Need::junction(*all, parts.collect())
            }
            // Not all of them can be reached if one cannot, and not one if all cannot.
            (Question::Reach { goals, all, .. }, _) => {
                let parts = goals.iter().map(|goal| self.refute(goal.clone()));
                Need::junction(!all, parts.collect())
            }
            (Question::Stays(wanted), true) => {
                let stay = Need::All(wanted.iter().map(|wanted| self.stays(wanted)).collect());
                let here = |wanted: &Predicate| wanted.holds(net, net.initial());
                match net.is_dead(net.initial()) && wanted.iter().all(here) {
                    // Nothing is needed, though evidence is none the worse for it.
                    true => Need::One(vec![Need::default(), stay]),
                    false => stay,
                }
            }
            (Question::Stays(wanted), false) => {
                let mut parts: Vec<Need> = wanted.iter().map(|wanted| self.lost(wanted)).collect();
                parts.extend(dead_ends(wanted).into_iter().map(|end| self.reach(end)));
                parts.extend(wanted.iter().map(|wanted| self.refute(wanted.clone())));
                Need::One(parts)
            }
            (Question::Sound { done, improper, others }, true) => {
                let stays = self.stays(done);
                // The duty that it made: done is reached.
                let mut parts = vec![stays, Need::Reach(self.reach.len() - 1)];
                parts.extend(others.iter().map(|other| self.reach(other.clone())));
                parts.push(self.refute(improper.clone()));
                Need::All(parts)
            }
            (Question::Sound { done, improper, others }, false) => {
                let mut parts = vec![self.lost(done), self.reach(dead_without(done))];
                parts.push(self.reach(improper.clone()));
                parts.push(self.refute(done.clone()));
                parts.extend(others.iter().map(|other| self.refute(other.clone())));
                Need::One(parts)
            }
            (Question::NoRun(property), none) => self.that_runs_have(property, net, !none),
            (Question::Tree(property), true) => self.that_the_tree_has((**property).clone(), net),
            (Question::Tree(property), false) => self.that_the_tree_has(property.negated(), net),
            (Question::Initially(predicate), holds) => {
                // Nothing, or what nothing shows.
                let says = of_model(net, predicate.clone()).ok_or(NO_FIT)?;
                let says = says.holds(net, net.initial());
                Need::junction(says == holds, Vec::new())
            }
            (Question::Not(part), holds) => self.that_it_holds(part, net, !holds)?,
            // Not all are TRUE if one is FALSE, and not one if all are FALSE.
            (Question::Junction { all, parts }, holds) => {
                let parts = parts.iter().map(|part| self.that_it_holds(part, net, holds));
                Need::junction(*all == holds, parts.collect::<Result<_, _>>()?)
            }
            (Question::Between { main, shown_by, shows }, holds) => {
                let others = if holds { shown_by } else { shows };
                let parts = [&**main].into_iter().chain(others);
                let parts = parts.map(|part| self.that_it_holds(part, net, holds));
                Need::One(parts.collect::<Result<_, _>>()?)
            }
            (Question::Largest(_) | Question::LargestOf(_) | Question::HowMany { .. }, _) => {
                return Err("the question asks for a number".into());
            }
        })
    }

    /// That some run has the property, or that none has. Whoever argues may have taken the property
    /// apart: some run has it if some run has one of its cases, and none has it if none has any.
    fn that_runs_have(&mut self, property: &RunProperty, net: &Net, some: bool) -> Need {
        let decided = initially(net, property);
        let whole = self.that_runs_have_whole(property, net, some, decided);
        let cases = match decided {
            Some(_) => Vec::new(),
            None => cases(net, property, some),
        };
        if cases.is_empty() {
            return whole;
        }
        let of_case = |case| {
            let decided = initially(net, case);
            self.that_runs_have_whole(case, net, some, decided)
        };
        let cases = cases.iter().map(of_case).collect();
        Need::One(vec![whole, Need::junction(!some, cases)])
    }

    /// The same of a property that is not taken apart. `decided` is what the initial marking says.
    fn that_runs_have_whole(
        &mut self,
        property: &RunProperty,
        net: &Net,
        some: bool,
        decided: Option<bool>,
    ) -> Need {
        if decided == Some(!some) {
            // What nothing shows.
            return Need::One(Vec::new());
        }
        self.runs.push(property.clone());
        let at = self.runs.len() - 1;
        let of_runs = if some { Need::Run(at) } else { Need::NoRun(at) };
        if decided.is_some() {
            // Nothing is needed, though evidence is none the worse for it.
            return Need::One(vec![Need::All(Vec::new()), of_runs]);
        }
        match met_somewhere(net, property) {
            None => of_runs,
            Some(met) => {
                let of_markings = if some { self.reach(met) } else { self.refute(met) };
                Need::One(vec![of_runs, of_markings])
            }
        }
    }

    /// That the tree of runs has the property.
    fn that_the_tree_has(&mut self, property: TreeProperty, net: &Net) -> Need {
        let here = |atom: Atom| property.atoms()[atom.0 as usize].holds(net, net.initial()).into();
        let (formulas, formula) = (property.formulas(), property.formula());
        let decided = match net.is_dead(net.initial()) {
            true => formulas.value_at_end(formula, here),
            false => formulas.value_here(formula, here),
        };
        if decided.known() == Some(false) {
            // What nothing shows.
            return Need::One(Vec::new());
        }
        self.trees.push(property);
        let tree = Need::Tree(self.trees.len() - 1);
        match decided.known() {
            // Nothing is needed, though evidence is none the worse for it.
            Some(_) => Need::One(vec![Need::All(Vec::new()), tree]),
            None => tree,
        }
    }

    /// For a number: a marking with so much, and that none has more.
    fn that_it_is(&mut self, asked: &Question, net: &Net, number: i64) -> Result<Need, String> {
        // Σ ≥ n is ¬(Σ ≤ n − 1); no sum reaches the smallest number but from above.
        let more_than = |sum: &LinearSum, n| Predicate::at_most(sum.clone(), n).negated();
        let less = number.checked_sub(1);
        let (as_much, refute) = match asked {
            Question::Largest(sum) => {
                let as_much = less.map_or(Predicate::True, |less| more_than(sum, less));
                let more = match net.translation().and_then(Translation::within_caps) {
                    None => more_than(sum, number),
                    Some(within) => more_by_halves(sum, within, number)?,
                };
                (as_much, vec![more])
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
        let mut parts = vec![self.reach(as_much)];
        parts.extend(refute.into_iter().map(|predicate| self.refute(predicate)));
        Ok(Need::All(parts))
    }

    /// For `+inf`.
    fn that_it_grows(&mut self, asked: &Question, net: &Net) -> Result<Need, String> {
        self.grow.push(match asked {
            Question::Largest(sum) => sum.clone(),
            // Where the tokens grow for ever, those of some place do, and there are infinitely many
            // markings.
            Question::LargestOf(_) | Question::HowMany { .. } => Question::all_tokens(net),
            _ => return Err(NO_NUMBER.into()),
        });
        Ok(Need::Grow(0))
    }
}

/// 2·Σ + within ≥ 2n + 2, which Σ ≥ n + 1 implies: proofs about nets with caps are about that sum.
fn more_by_halves(sum: &LinearSum, within: PlaceId, n: i64) -> Result<Predicate, String> {
    let twice = sum.terms().iter().map(|&(place, a)| Some((place, a.checked_mul(2)?)));
    let terms: Option<Vec<_>> = twice.chain([Some((within, 1))]).collect();
    let sum = LinearSum::new(terms.ok_or(NO_FIT)?).map_err(|_| NO_FIT)?;
    let most = n.checked_mul(2).and_then(|twice| twice.checked_add(1)).ok_or(NO_FIT)?;
    Ok(Predicate::at_most(sum, most).negated())
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
