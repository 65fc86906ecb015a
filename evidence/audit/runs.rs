//! Evidence about runs for an answer: that one has a property, or that none has.

use super::Watch;
use crate::lasso::check_lasso;
use crate::no_run::NoRun;
use crate::no_run::implied::{implies, implies_one_of};
use crate::no_run::visit::{VisitFlaw, visit_runs};
use crate::question::obligation::Need;
use crate::{Flaw, words};
use parikh_net::lasso::LassoRun;
use parikh_net::run_property::RunProperty;
use parikh_net::{Net, Predicate};

/// What is shown of properties of runs.
pub(super) struct RunAccount {
    properties: Vec<RunProperty>,
    /// Whether a run has the property.
    seen: Vec<bool>,
    /// Whether all markings were visited, and no run has it.
    visited: Vec<bool>,
    /// By property, arguments that no run has it: the claims that each rests on, by their numbers
    /// among what is to be refuted.
    arguments: Vec<Vec<Vec<usize>>>,
    /// The arguments that show nothing by themselves: they may be cases of one.
    cases: Vec<Case>,
}

/// An argument that no run has a property.
struct Case {
    id: String,
    property: RunProperty,
    /// Nothing reachable satisfies any of these, or it does not hold.
    given: Vec<Predicate>,
    /// Why it shows nothing by itself.
    why: String,
}

/// The most cases that are put together.
const CASES: usize = 32;

/// What is to be refuted, and whether it is.
pub(super) type Claims = Vec<(Predicate, bool)>;

impl RunAccount {
    pub(super) fn of(properties: Vec<RunProperty>) -> Self {
        let none = vec![false; properties.len()];
        let arguments = vec![Vec::new(); properties.len()];
        let cases = Vec::new();
        RunAccount { properties, seen: none.clone(), visited: none, arguments, cases }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Whether a duty about a run is done.
    pub(super) fn is_done(&self, duty: &Need, claims: &Claims) -> bool {
        let holds = |premises: &Vec<usize>| premises.iter().all(|&claim| claims[claim].1);
        match *duty {
            Need::Run(at) => self.seen[at],
            Need::NoRun(at) => self.visited[at] || self.arguments[at].iter().any(holds),
            _ => false,
        }
    }

    /// Fires a run, and notes which properties it has.
    pub(super) fn follow(
        &mut self,
        net: &Net,
        run: &LassoRun,
        watch: &Watch,
    ) -> Result<(), String> {
        let (mut flaw, mut shown) = (None, false);
        for (property, seen) in self.properties.iter().zip(&mut self.seen) {
            match check_lasso(net, property, run, &mut || watch.goes_on()) {
                Ok(()) => (*seen, shown) = (true, true),
                Err(why) => flaw = Some(why.to_string()),
            }
        }
        match flaw {
            // Of several properties, it is about those that it has.
            Some(flaw) if !shown => Err(flaw),
            _ => Ok(()),
        }
    }

    /// Checks an argument about the runs with `property`, and notes which properties it shows to be
    /// those of no run once its premises are refuted: these become claims. One that shows nothing
    /// by itself is kept for [`join`](Self::join).
    pub(super) fn weigh(
        &mut self,
        net: &Net,
        id: &str,
        (property, argument): (&RunProperty, &NoRun),
        claims: &mut Claims,
        watch: &Watch,
    ) -> Result<(), String> {
        let goes_on = &mut || watch.goes_on();
        argument.check(net, property, goes_on).map_err(|flaw| flaw.to_string())?;
        let mut why = None;
        let mut shows = false;
        for (asked, arguments) in self.properties.iter().zip(&mut self.arguments) {
            match implies(net, asked, property, &argument.given) {
                Ok(()) => {
                    arguments.push(premises(claims, &argument.given));
                    shows = true;
                }
                Err(not) => why = why.or(Some(not.to_string())),
            }
        }
        if let (false, Some(why)) = (shows, why) {
            let (property, given) = (property.clone(), argument.given.clone());
            self.cases.push(Case { id: id.to_owned(), property, given, why });
        }
        Ok(())
    }

    /// Puts the arguments together that show nothing by themselves: each run that is asked for may
    /// be excluded by one of them.
    ///
    /// # Errors
    /// An argument, and why it is of no use, where that is so.
    pub(super) fn join(
        &mut self,
        net: &Net,
        claims: &mut Claims,
        watch: &Watch,
    ) -> Result<(), (String, String)> {
        let cases = std::mem::take(&mut self.cases);
        let Some(Case { id, why, .. }) = cases.first() else { return Ok(()) };
        let mut useless = Some((id.clone(), why.clone()));
        let is_of_several = (2..=CASES).contains(&cases.len());
        for (asked, arguments) in self.properties.iter().zip(&mut self.arguments) {
            if !is_of_several || !arguments.is_empty() {
                continue;
            }
            if !watch.goes_on() {
                return Err((id.clone(), Flaw::Stopped.to_string()));
            }
            let fair = |case: &&Case| asked.fairness().implies(case.property.fairness());
            let fair: Vec<&Case> = cases.iter().filter(fair).collect();
            let argued: Vec<&RunProperty> = fair.iter().map(|case| &case.property).collect();
            let given: Vec<Predicate> = fair.iter().flat_map(|case| case.given.clone()).collect();
            if implies_one_of(net, asked, &argued, &given).is_ok() {
                arguments.push(premises(claims, &given));
                useless = None;
            }
        }
        useless.map_or(Ok(()), Err)
    }

    /// Visits the markings along runs that may have the properties of these duties, at most so many
    /// for each.
    pub(super) fn visit(
        &mut self,
        net: &Net,
        duties: &[usize],
        most: u64,
        watch: &Watch,
    ) -> Result<Visits, String> {
        let goes_on = &mut || watch.goes_on();
        let mut visits = Visits::default();
        for &at in duties {
            let property = &self.properties[at];
            match visit_runs(net, property, most, goes_on) {
                Ok(visited) => {
                    visits.markings = visits.markings.max(visited.markings);
                    self.visited[at] |= !visited.has_run;
                    visits.shown |= !visited.has_run;
                    if visited.has_run {
                        visits.run = Some(words::of_runs(net, property));
                    }
                }
                Err(VisitFlaw::Markings(Flaw::More(most))) => {
                    visits.left = Some(format!("more than {most} are reachable"));
                }
                Err(VisitFlaw::TooLarge(why)) => visits.left = Some(why.to_string()),
                Err(flaw) => return Err(flaw.to_string()),
            }
        }
        Ok(visits)
    }

    /// What was shown, in words.
    pub(super) fn in_words(&self, claims: &Claims) -> Vec<String> {
        let done = |is: &dyn Fn(usize) -> Need| {
            (0..self.properties.len()).filter(|&at| self.is_done(&is(at), claims)).count()
        };
        let (runs, none) = (done(&Need::Run), done(&Need::NoRun));
        let s = |number: usize| if number == 1 { "" } else { "s" };
        let followed = (runs > 0).then(|| format!("{runs} run{} followed", s(runs)));
        let checked = (none > 0).then(|| format!("{none} argument{} about runs checked", s(none)));
        followed.into_iter().chain(checked).collect()
    }

    /// What an open duty takes, in words.
    pub(super) fn missing(&self, net: &Net, duty: &Need, claims: &Claims) -> Option<String> {
        let all = |at: usize| words::of_runs(net, &self.properties[at]);
        match *duty {
            Need::Run(at) => Some(words::shortened(format!("a run without {}", all(at)))),
            Need::NoRun(at) => {
                let open = self.arguments[at].iter().flatten().find(|&&claim| !claims[claim].1);
                let what = format!("that all runs have {}", all(at));
                Some(words::shortened(match open {
                    None => what,
                    Some(&claim) => {
                        let premise = words::formula(net, &claims[claim].0);
                        format!("that no reachable marking has {premise}, a premise of {what}")
                    }
                }))
            }
            _ => None,
        }
    }
}

/// What came of visiting markings for some properties.
#[derive(Default)]
pub(super) struct Visits {
    /// The most that were visited for one of them.
    pub(super) markings: u64,
    /// Whether no run has one of them.
    pub(super) shown: bool,
    /// What not all runs have, in words, of what was to be shown of all runs.
    pub(super) run: Option<String>,
    /// Why some were left.
    pub(super) left: Option<String>,
}

/// The numbers of premises among the claims, new ones where they are not there.
pub(super) fn premises(claims: &mut Claims, given: &[Predicate]) -> Vec<usize> {
    let mut number = |premise: &Predicate| {
        let known = claims.iter().position(|(claim, _)| claim == premise);
        known.unwrap_or_else(|| {
            claims.push((premise.clone(), *premise == Predicate::False));
            claims.len() - 1
        })
    };
    given.iter().map(&mut number).collect()
}
