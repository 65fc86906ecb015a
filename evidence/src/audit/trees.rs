//! Proof obligations about the tree of runs, shown by labellings, sets of all markings, or a
//! repeated search.

use super::AuditWatch;
use super::runs::{Claims, premise_indices};
use super::visit_limits::open_because;
use crate::tree::Labelling;
use crate::tree::visit::visit_tree;
use crate::{CheckedDocument, Flaw, description};
use parikh_net::printable::counted;
use parikh_net::{Net, TreeProperty};

/// The obligations about properties of the tree of runs. The lists have one entry per property.
pub(super) struct TreeObligations {
    /// The properties of the tree of runs that the obligations are about.
    properties: Vec<TreeProperty>,
    /// True if all markings were visited, and the tree has the property.
    holds_by_visit: Vec<bool>,
    /// True if the property was evaluated on a closed set, which contains all reachable markings,
    /// and holds.
    holds_on_closed_set: Vec<bool>,
    /// The premises of each labelling that shows the property.
    labellings: Vec<Vec<LabellingPremises>>,
}

/// The premises of a labelling.
#[derive(Clone, Debug)]
pub(super) struct LabellingPremises {
    /// The predicates that no reachable marking may satisfy, as indices of claims.
    pub(super) claims: Vec<usize>,
    /// The predicates that have to stay reachable, as indices among the home obligations.
    pub(super) homes: Vec<usize>,
}

/// The claims and home obligations, which tell whether the premises of a labelling are proved.
#[derive(Clone, Copy)]
pub(super) struct ProvedPremises<'s> {
    /// The claims: predicates that no reachable marking may satisfy, each with true if proved.
    pub(super) claims: &'s Claims,
    /// Returns true if the predicate with this index among the home obligations is shown to stay
    /// reachable.
    pub(super) stays_reachable: &'s dyn Fn(usize) -> bool,
}

impl ProvedPremises<'_> {
    /// Returns true if all premises of the labelling are proved.
    fn includes(&self, premises: &LabellingPremises) -> bool {
        let LabellingPremises { claims, homes } = premises;
        claims.iter().all(|&claim| self.claims[claim].1)
            && homes.iter().all(|&home| (self.stays_reachable)(home))
    }
}

impl TreeObligations {
    pub(super) fn of(properties: Vec<TreeProperty>) -> Self {
        let (all_false, labellings) =
            (vec![false; properties.len()], vec![Vec::new(); properties.len()]);
        TreeObligations {
            holds_by_visit: all_false.clone(),
            holds_on_closed_set: all_false,
            labellings,
            properties,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Returns true if the tree is shown to have the property with this index.
    pub(super) fn is_discharged(&self, index: usize, proved: ProvedPremises<'_>) -> bool {
        self.holds_by_visit[index]
            || self.holds_on_closed_set[index]
            || self.labellings[index].iter().any(|premises| proved.includes(premises))
    }

    /// Checks a labelling, and records the properties that it shows under its premises. The
    /// premises on markings become claims, and `homes` has the indices of the other premises.
    pub(super) fn check_labelling(
        &mut self,
        net: &Net,
        (labelling, homes): (&Labelling, Vec<usize>),
        claims: &mut Claims,
        watch: &AuditWatch,
    ) -> Result<(), String> {
        labelling.check(net, &mut || watch.goes_on()).map_err(|flaw| flaw.to_string())?;
        let is_shown = |question: &TreeProperty| labelling.decides(net, question) == Some(true);
        let shown: Vec<bool> = self.properties.iter().map(is_shown).collect();
        if !shown.contains(&true) {
            return Err("the labelling is about another formula".to_owned());
        }
        let premises = LabellingPremises {
            claims: premise_indices(claims, &labelling.premises.unreachable_predicates),
            homes,
        };
        for (labellings, _) in self.labellings.iter_mut().zip(shown).filter(|(_, shown)| *shown) {
            labellings.push(premises.clone());
        }
        Ok(())
    }

    /// Evaluates the properties on the closed set of the document, which contains all reachable
    /// markings. Skips properties that a visit of all markings has shown, and properties that have
    /// a labelling.
    ///
    /// # Errors
    /// [`Flaw::Stopped`], or the reason of the last failed evaluation. A document without a closed
    /// set is no error.
    pub(super) fn evaluate(
        &mut self,
        document: &CheckedDocument<'_>,
        watch: &AuditWatch,
    ) -> Result<(), Flaw> {
        let mut result = Ok(());
        for (index, property) in self.properties.iter().enumerate() {
            if self.holds_by_visit[index] || !self.labellings[index].is_empty() {
                continue;
            }
            match document.decide_tree(property, &mut || watch.goes_on()) {
                Ok(holds) => self.holds_on_closed_set[index] = holds,
                Err(Flaw::DoesNotFollow) => return Ok(()),
                Err(Flaw::Stopped) => return Err(Flaw::Stopped),
                // The next property may be simpler.
                Err(flaw) => result = Err(flaw),
            }
        }
        result
    }

    /// Visits all markings, at most `max_markings`, for each of the properties with these indices.
    /// Ends at the first property that this does not decide.
    pub(super) fn visit(
        &mut self,
        net: &Net,
        indices: &[usize],
        max_markings: u64,
        watch: &AuditWatch,
    ) -> Result<TreeVisits, String> {
        let mut visits = TreeVisits::default();
        for &index in indices {
            let property = &self.properties[index];
            match visit_tree(net, property, max_markings, &mut || watch.goes_on()) {
                Ok(visited) => {
                    visits.markings = visits.markings.max(visited.markings);
                    self.holds_by_visit[index] = visited.holds;
                    if !visited.holds {
                        visits.violated = Some(description::tree_property(net, property));
                    }
                }
                Err(flaw) => {
                    visits.undecided = Some(open_because(flaw)?);
                    break;
                }
            }
        }
        Ok(visits)
    }

    /// Describes the discharged obligations in words.
    pub(super) fn in_words(&self, premises: ProvedPremises<'_>) -> Vec<String> {
        let evaluated_count =
            self.holds_on_closed_set.iter().filter(|&&is_evaluated| is_evaluated).count();
        let shown_count =
            (0..self.properties.len()).filter(|&index| self.is_discharged(index, premises)).count();
        let labellings = match shown_count - evaluated_count {
            0 => None,
            count => Some(format!("{} checked", counted(count, "labelling"))),
        };
        let evaluated = match evaluated_count {
            0 => None,
            count => Some(format!("{} evaluated on a closed set", counted(count, "formula"))),
        };
        labellings.into_iter().chain(evaluated).collect()
    }

    /// Describes the open obligation about the property with this index in words.
    pub(super) fn describe_missing(
        &self,
        net: &Net,
        index: usize,
        proved: ProvedPremises<'_>,
    ) -> String {
        let what = description::tree_property(net, &self.properties[index]);
        let (claims, labellings) = (proved.claims, &self.labellings[index]);
        let mut all_claims = labellings.iter().flat_map(|premises| &premises.claims);
        let open = all_claims.find(|&&claim| !claims[claim].1);
        let has_unproved_home = |premises: &LabellingPremises| {
            premises.homes.iter().any(|&index| !(proved.stays_reachable)(index))
        };
        description::shortened(match open {
            None if labellings.iter().any(has_unproved_home) => {
                format!("that all premises of {what} stay reachable")
            }
            None => format!("that {what}"),
            Some(&claim) => {
                let premise = description::predicate(net, &claims[claim].0);
                format!(
                    "that no reachable marking has {premise}, a premise of the proof that {what}"
                )
            }
        })
    }
}

/// The result of visiting markings for some properties.
#[derive(Default)]
pub(super) struct TreeVisits {
    /// The largest number of markings visited for one property.
    pub(super) markings: u64,
    /// A property that does not hold, in words; `None` if all visited properties hold.
    pub(super) violated: Option<String>,
    /// The reason why some properties were not decided; `None` if all were.
    pub(super) undecided: Option<String>,
}
