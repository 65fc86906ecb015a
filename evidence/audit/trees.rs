//! Evidence about the tree of runs for an answer: labellings, sets of all markings, or a search
//! made again.

use super::Watch;
use super::runs::{Claims, premises};
use crate::tree::Labelling;
use crate::tree::visit::visit_tree;
use crate::{CheckedDocument, Flaw, words};
use parikh_net::{Net, TreeProperty};

/// What is shown of properties of the tree of runs.
pub(super) struct TreeAccount {
    properties: Vec<TreeProperty>,
    /// Whether all markings were visited, and the tree has the property.
    visited: Vec<bool>,
    /// Whether the tree has the property, as evaluated on a set of all markings.
    evaluated: Vec<bool>,
    /// For each property, the premises of each labelling that shows it.
    labellings: Vec<Vec<Premises>>,
}

/// What a labelling rests on.
#[derive(Clone, Debug)]
pub(super) struct Premises {
    /// Predicates to be refuted, by their indices in the account's list of these.
    pub(super) claims: Vec<usize>,
    /// Predicates that have to stay reachable, by their indices in the `HomeAccount`.
    pub(super) homes: Vec<usize>,
}

/// Which premises are shown.
#[derive(Clone, Copy)]
pub(super) struct ProvedPremises<'s> {
    pub(super) claims: &'s Claims,
    /// Whether the predicate of this index in the home account is shown to stay reachable.
    pub(super) stays: &'s dyn Fn(usize) -> bool,
}

impl ProvedPremises<'_> {
    fn has(&self, premises: &Premises) -> bool {
        let Premises { claims, homes } = premises;
        claims.iter().all(|&claim| self.claims[claim].1) && homes.iter().all(|&at| (self.stays)(at))
    }
}

impl TreeAccount {
    pub(super) fn of(properties: Vec<TreeProperty>) -> Self {
        let (none, labellings) =
            (vec![false; properties.len()], vec![Vec::new(); properties.len()]);
        TreeAccount { visited: none.clone(), evaluated: none, labellings, properties }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    /// Whether the tree is shown to have the property of this number.
    pub(super) fn is_done(&self, at: usize, shown: ProvedPremises<'_>) -> bool {
        self.visited[at]
            || self.evaluated[at]
            || self.labellings[at].iter().any(|premises| shown.has(premises))
    }

    /// Checks a labelling, and notes which properties it shows once its premises are shown: these
    /// become claims, and `homes` has those that stay reachable.
    pub(super) fn weigh(
        &mut self,
        net: &Net,
        (labelling, homes): (&Labelling, Vec<usize>),
        claims: &mut Claims,
        watch: &Watch,
    ) -> Result<(), String> {
        labelling.check(net, &mut || watch.goes_on()).map_err(|flaw| flaw.to_string())?;
        let shows = |asked: &TreeProperty| labelling.decides(net, asked) == Some(true);
        let shown: Vec<bool> = self.properties.iter().map(shows).collect();
        if !shown.contains(&true) {
            return Err("it is about another formula".to_owned());
        }
        let premises = Premises { claims: premises(claims, &labelling.given.never), homes };
        for (labellings, _) in self.labellings.iter_mut().zip(shown).filter(|(_, shown)| *shown) {
            labellings.push(premises.clone());
        }
        Ok(())
    }

    /// Takes note of the properties that the set of all markings shows, where a document has that,
    /// and no labelling is about them.
    pub(super) fn evaluate(
        &mut self,
        document: &CheckedDocument<'_>,
        watch: &Watch,
    ) -> Result<(), Flaw> {
        let mut left = Ok(());
        for (at, property) in self.properties.iter().enumerate() {
            if self.visited[at] || !self.labellings[at].is_empty() {
                continue;
            }
            match document.tree(property, &mut || watch.goes_on()) {
                Ok(holds) => self.evaluated[at] = holds,
                Err(Flaw::DoesNotFollow) => return Ok(()),
                Err(Flaw::Stopped) => return Err(Flaw::Stopped),
                // Another one may be simpler.
                Err(flaw) => left = Err(flaw),
            }
        }
        left
    }

    /// Visits all markings, at most so many, for each of these duties. How many there were; what
    /// is not true, in words; and why something was left.
    pub(super) fn visit(
        &mut self,
        net: &Net,
        duties: &[usize],
        most: u64,
        watch: &Watch,
    ) -> Result<Visits, String> {
        let mut visits = Visits::default();
        for &at in duties {
            let property = &self.properties[at];
            match visit_tree(net, property, most, &mut || watch.goes_on()) {
                Ok(visited) => {
                    visits.markings = visits.markings.max(visited.markings);
                    self.visited[at] = visited.holds;
                    if !visited.holds {
                        visits.untrue = Some(words::tree_property(net, property));
                    }
                }
                Err(Flaw::More(most)) => {
                    visits.left = Some(format!("more than {most} are reachable"));
                    break;
                }
                // That says nothing about the evidence.
                Err(Flaw::TooLarge(what)) => {
                    visits.left = Some(format!("there are {what}"));
                    break;
                }
                Err(flaw) => return Err(flaw.to_string()),
            }
        }
        Ok(visits)
    }

    /// What was shown, in words.
    pub(super) fn in_words(&self, premises: ProvedPremises<'_>) -> Option<String> {
        let done = (0..self.properties.len()).filter(|&at| self.is_done(at, premises)).count();
        let s = if done == 1 { "" } else { "s" };
        let evaluated = self.evaluated.iter().filter(|&&evaluated| evaluated).count();
        match (done, evaluated) {
            (0, _) => None,
            (_, 0) => Some(format!("{done} labelling{s} checked")),
            _ => Some(format!("{done} formula{s} evaluated on the set of all markings")),
        }
    }

    /// What an open duty takes, in words.
    pub(super) fn missing(&self, net: &Net, at: usize, shown: ProvedPremises<'_>) -> String {
        let what = words::tree_property(net, &self.properties[at]);
        let (claims, labellings) = (shown.claims, &self.labellings[at]);
        let mut all = labellings.iter().flat_map(|premises| &premises.claims);
        let open = all.find(|&&claim| !claims[claim].1);
        let is_lost = |premises: &Premises| premises.homes.iter().any(|&at| !(shown.stays)(at));
        words::shortened(match open {
            None if labellings.iter().any(is_lost) => {
                format!("that all of its premises stay reachable, of {what}")
            }
            None => format!("that {what}"),
            Some(&claim) => {
                let premise = words::formula(net, &claims[claim].0);
                format!("that no reachable marking has {premise}, a premise of {what}")
            }
        })
    }
}

/// What came of visiting markings for some properties.
#[derive(Default)]
pub(super) struct Visits {
    /// The most that were visited for one of them.
    pub(super) markings: u64,
    /// What is not true, in words.
    pub(super) untrue: Option<String>,
    /// Why some were left.
    pub(super) left: Option<String>,
}
