//! Proof obligations about runs: some run has a property, or no run has it.

use super::AuditWatch;
use super::visit_limits::open_because;
use crate::lasso::check_lasso;
use crate::no_run::NoRun;
use crate::no_run::implied::{implies, implies_one_of};
use crate::no_run::visit::{VisitFlaw, visit_runs};
use crate::question::obligation::NeededProofs;
use crate::{Flaw, description};
use parikh_net::lasso::LassoRun;
use parikh_net::run_property::RunProperty;
use parikh_net::{Net, Predicate};

/// The obligations about properties of runs. The lists have one entry per property.
pub(super) struct RunObligations {
    /// The properties of runs that the obligations are about.
    properties: Vec<RunProperty>,
    /// True if some run is shown to have the property.
    is_witnessed: Vec<bool>,
    /// True if the markings along runs that may have the property were all visited, and no run has
    /// the property.
    is_excluded_by_visit: Vec<bool>,
    /// The arguments that no run has the property. Each argument is the list of its premises, as
    /// indices of claims.
    arguments: Vec<Vec<Vec<usize>>>,
    /// Arguments that do not suffice alone, and may be combined.
    partial_arguments: Vec<RunArgument>,
}

/// An argument that no run has a property.
struct RunArgument {
    /// The id of the line with the argument.
    id: String,
    /// The property that no run has, by the argument.
    property: RunProperty,
    /// The premises: predicates that no reachable marking satisfies.
    premises: Vec<Predicate>,
    /// The reason why the argument does not suffice alone.
    reason: String,
}

/// The maximum number of arguments that are combined. With more, none is combined.
const MAX_COMBINED: usize = 32;

/// Predicates, each with true if it is proved that no reachable marking satisfies the predicate.
pub(super) type Claims = Vec<(Predicate, bool)>;

impl RunObligations {
    pub(super) fn of(properties: Vec<RunProperty>) -> Self {
        let all_false = vec![false; properties.len()];
        let arguments = vec![Vec::new(); properties.len()];
        let partial_arguments = Vec::new();
        RunObligations {
            properties,
            is_witnessed: all_false.clone(),
            is_excluded_by_visit: all_false,
            arguments,
            partial_arguments,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Returns true if an obligation about runs is discharged, and false for all other obligations.
    pub(super) fn is_discharged(&self, obligation: &NeededProofs, claims: &Claims) -> bool {
        let is_proved = |premises: &Vec<usize>| premises.iter().all(|&claim| claims[claim].1);
        match *obligation {
            NeededProofs::Run(index) => self.is_witnessed[index],
            NeededProofs::NoRun(index) => {
                self.is_excluded_by_visit[index] || self.arguments[index].iter().any(is_proved)
            }
            _ => false,
        }
    }

    /// Replays an infinite run, and records the properties that it has.
    pub(super) fn check_run(
        &mut self,
        net: &Net,
        run: &LassoRun,
        watch: &AuditWatch,
    ) -> Result<(), String> {
        let (mut flaw, mut is_any_shown) = (None, false);
        for (property, seen) in self.properties.iter().zip(&mut self.is_witnessed) {
            match check_lasso(net, property, run, &mut || watch.goes_on()) {
                Ok(()) => (*seen, is_any_shown) = (true, true),
                Err(error) => flaw = Some(error.to_string()),
            }
        }
        match flaw {
            // The run need not have all properties, but at least one.
            Some(flaw) if !is_any_shown => Err(flaw),
            _ => Ok(()),
        }
    }

    /// Checks an argument that no run has `property`. Records each property of the answer that the
    /// argument excludes under its premises. The premises become claims. An argument that excludes
    /// no property alone is kept, and may be combined with others.
    pub(super) fn check_argument(
        &mut self,
        net: &Net,
        id: &str,
        (property, argument): (&RunProperty, &NoRun),
        claims: &mut Claims,
        watch: &AuditWatch,
    ) -> Result<(), String> {
        let goes_on = &mut || watch.goes_on();
        argument.check(net, property, goes_on).map_err(|flaw| flaw.to_string())?;
        let mut why = None;
        let mut is_used = false;
        for (question, arguments) in self.properties.iter().zip(&mut self.arguments) {
            match implies(net, question, property, &argument.premises) {
                Ok(()) => {
                    arguments.push(premise_indices(claims, &argument.premises));
                    is_used = true;
                }
                Err(not_implied) => why = why.or(Some(not_implied.to_string())),
            }
        }
        if let (false, Some(why)) = (is_used, why) {
            let (property, given) = (property.clone(), argument.premises.clone());
            self.partial_arguments.push(RunArgument {
                id: id.to_owned(),
                property,
                premises: given,
                reason: why,
            });
        }
        Ok(())
    }

    /// Combines the arguments that do not suffice alone: each run with a property of the answer may
    /// be excluded by one of them. A single argument is not combined, and neither are more than 32.
    ///
    /// # Errors
    /// The id of the first of these arguments, with a reason, if they exist, a property lacks an
    /// argument, and they exclude no such property. Also if the audit is stopped.
    pub(super) fn combine_arguments(
        &mut self,
        net: &Net,
        claims: &mut Claims,
        watch: &AuditWatch,
    ) -> Result<(), (String, String)> {
        let cases = std::mem::take(&mut self.partial_arguments);
        // A question may be split into parts, and the argument about one part suffice for all.
        if self.arguments.iter().all(|arguments| !arguments.is_empty()) {
            return Ok(());
        }
        let Some(RunArgument { id, reason: why, .. }) = cases.first() else { return Ok(()) };
        let mut first_unused = Some((id.clone(), why.clone()));
        let is_of_several = (2..=MAX_COMBINED).contains(&cases.len());
        for (wanted, arguments) in self.properties.iter().zip(&mut self.arguments) {
            if !is_of_several || !arguments.is_empty() {
                continue;
            }
            if !watch.goes_on() {
                return Err((id.clone(), Flaw::Stopped.to_string()));
            }
            let has_implied_fairness =
                |case: &&RunArgument| wanted.fairness().implies(case.property.fairness());
            let fair: Vec<&RunArgument> = cases.iter().filter(has_implied_fairness).collect();
            let argued: Vec<&RunProperty> = fair.iter().map(|case| &case.property).collect();
            let given: Vec<Predicate> =
                fair.iter().flat_map(|case| case.premises.clone()).collect();
            if implies_one_of(net, wanted, &argued, &given).is_ok() {
                arguments.push(premise_indices(claims, &given));
                first_unused = None;
            }
        }
        first_unused.map_or(Ok(()), Err)
    }

    /// Visits the markings along runs that may have the properties with these indices. At most
    /// `max_markings` markings are visited for each property.
    pub(super) fn visit(
        &mut self,
        net: &Net,
        indices: &[usize],
        max_markings: u64,
        watch: &AuditWatch,
    ) -> Result<RunVisits, String> {
        let goes_on = &mut || watch.goes_on();
        let mut visits = RunVisits::default();
        for &index in indices {
            let property = &self.properties[index];
            match visit_runs(net, property, max_markings, goes_on) {
                Ok(visited) => {
                    visits.markings = visits.markings.max(visited.markings);
                    self.is_excluded_by_visit[index] |= !visited.has_run;
                    visits.is_any_shown |= !visited.has_run;
                    if visited.has_run {
                        visits.violated = Some(description::of_runs(net, property));
                    }
                }
                Err(VisitFlaw::Markings(flaw)) => visits.undecided = Some(open_because(flaw)?),
                Err(VisitFlaw::TooLarge(why)) => visits.undecided = Some(why.to_string()),
                Err(flaw) => return Err(flaw.to_string()),
            }
        }
        Ok(visits)
    }

    /// Describes the discharged obligations in words.
    pub(super) fn in_words(&self, claims: &Claims) -> Vec<String> {
        let discharged = |obligation: &dyn Fn(usize) -> NeededProofs| {
            (0..self.properties.len())
                .filter(|&index| self.is_discharged(&obligation(index), claims))
                .count()
        };
        let (runs, none) = (discharged(&NeededProofs::Run), discharged(&NeededProofs::NoRun));
        let plural = |number: usize| if number == 1 { "" } else { "s" };
        let followed = (runs > 0).then(|| format!("{runs} run{} followed", plural(runs)));
        let checked =
            (none > 0).then(|| format!("{none} argument{} about runs checked", plural(none)));
        followed.into_iter().chain(checked).collect()
    }

    /// Describes an open obligation about runs in words. Returns `None` for other obligations.
    pub(super) fn describe_missing(
        &self,
        net: &Net,
        obligation: &NeededProofs,
        claims: &Claims,
    ) -> Option<String> {
        let property = |index: usize| description::of_runs(net, &self.properties[index]);
        match *obligation {
            NeededProofs::Run(index) => {
                Some(description::shortened(format!("a run that violates {}", property(index))))
            }
            NeededProofs::NoRun(index) => {
                let open = self.arguments[index].iter().flatten().find(|&&claim| !claims[claim].1);
                let what = format!("that all runs satisfy {}", property(index));
                Some(description::shortened(match open {
                    None => what,
                    Some(&claim) => {
                        let premise = description::predicate(net, &claims[claim].0);
                        format!(
                            "that no reachable marking has {premise}, a premise of the proof {what}"
                        )
                    }
                }))
            }
            _ => None,
        }
    }
}

/// The result of visiting markings for some properties.
#[derive(Default)]
pub(super) struct RunVisits {
    /// The largest number of markings visited for one property.
    pub(super) markings: u64,
    /// True if at least one of the properties is shown to be a property of no run.
    pub(super) is_any_shown: bool,
    /// A property that should hold on all runs and does not, in words; `None` if there is none.
    pub(super) violated: Option<String>,
    /// The reason why some properties were not decided; `None` if all were.
    pub(super) undecided: Option<String>,
}

/// Returns the indices of the premises among the claims, and adds missing ones.
pub(super) fn premise_indices(claims: &mut Claims, given: &[Predicate]) -> Vec<usize> {
    let mut index_of = |premise: &Predicate| {
        let known = claims.iter().position(|(claim, _)| claim == premise);
        known.unwrap_or_else(|| {
            claims.push((premise.clone(), *premise == Predicate::False));
            claims.len() - 1
        })
    };
    given.iter().map(&mut index_of).collect()
}
