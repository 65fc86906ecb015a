//! Proof obligations in SMT-LIB 2, whose unsatisfiability proves that predicates are unreachable.
//!
//! The facts that a document proves are an inductive invariant. Three scripts state this, and that
//! no marking with these facts satisfies the predicates:
//!
//! - *initiation*: the initial marking violates a fact;
//! - *consecution*: a firing leads from a marking with all facts to one that violates a fact;
//! - *safety*: a marking with all facts satisfies a predicate.
//!
//! A certificate that adds up inequalities has the same three scripts. Its facts are flows, that
//! is, weighted sums that no firing increases; traps; and lower bounds. The safety script then has
//! the base constraints and the negated claim. Case splits are left to the solver.
//!
//! # Conditions
//! The consecution script has an alternative for each fact and transition, unless the transition
//! changes no place of the fact. The alternative says that
//!
//! 1. all facts hold before the firing (asserted once, for all alternatives);
//! 2. the input places have enough tokens;
//! 3. the fact is false after the firing;
//! 4. certain *earlier* facts, or assumptions, hold after the firing.
//!
//! The script leaves out conditions 2 and 4 where condition 3 contradicts 1 by arithmetic alone:
//! the transition does not increase the left side of any comparison of the fact. This makes the
//! script more satisfiable, not less.
//!
//! # Soundness
//! If all scripts are unsatisfiable, the facts hold in every reachable marking, by induction along
//! a firing sequence. Initially they hold by the first script. Let them hold in a reachable marking
//! m, and let t lead to m'. Suppose that m' violates a fact, and take the first one in the order of
//! the list. All earlier facts hold in m', so the alternative of this fact and t has a solution, m.
//! If t changes no place of the fact, the fact has the same value in m and m'. The third script
//! then shows that no reachable marking satisfies a predicate.
//!
//! Assumptions about the model are facts without a proof. They are assumed in every reachable
//! marking. Bounds that follow from other facts in the same marking are in no script: the solver
//! finds them.
//!
//! # Cost
//! The consecution script is linear in the number of pairs of a fact and a transition that changes
//! a place of the fact. A sum of several places is one variable, so an alternative is short. The
//! changes of a sum by two transitions are often the same: such alternatives are written once.

mod script;
mod symbols;

use super::derivation::{FactProof, Formula, RecordedFact};
use parikh_net::printable::{Quoted, counted};
use parikh_net::{Net, Predicate, TransitionId};
use script::{Changes, Script, connective};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Facts about the reachable markings of a net, and predicates that contradict them.
pub(crate) struct Obligations<'a> {
    /// The net.
    pub(crate) net: &'a Net,
    /// The facts, in the order of the proof.
    pub(crate) facts: &'a [RecordedFact],
    /// The unreachable predicates.
    pub(crate) unreachable: &'a [&'a Predicate],
}

impl<'a> Obligations<'a> {
    /// Returns the facts that are proved by induction.
    fn proved_facts(&self) -> impl Iterator<Item = &'a RecordedFact> {
        self.facts.iter().filter(|fact| {
            matches!(fact.proof, FactProof::Preserved | FactProof::PreservedWithin(_))
        })
    }

    /// Returns the facts that are assumed without proof.
    fn assumptions(&self) -> impl Iterator<Item = &'a RecordedFact> {
        self.facts.iter().filter(|fact| matches!(fact.proof, FactProof::Assumed))
    }

    /// Returns true if some facts are assumptions.
    pub(crate) fn has_assumptions(&self) -> bool {
        self.assumptions().next().is_some()
    }

    /// Returns for each fact, by its number, the facts that it follows from: itself, or those that
    /// are assumed or proved by induction.
    fn roots(&self) -> HashMap<usize, Vec<&'a RecordedFact>> {
        let mut roots: HashMap<usize, Vec<&RecordedFact>> = HashMap::new();
        for fact in self.facts {
            let mut own = match &fact.proof {
                FactProof::Follows(numbers) => numbers
                    .iter()
                    .filter_map(|number| roots.get(number))
                    .flatten()
                    .copied()
                    .collect(),
                _ => vec![fact],
            };
            own.sort_by_key(|root| root.number);
            own.dedup_by_key(|root| root.number);
            roots.insert(fact.number, own);
        }
        roots
    }

    /// Returns the script that the initial marking violates a fact. `head` is the comment at its
    /// beginning.
    pub(crate) fn initiation(&self, head: &str) -> String {
        let mut script = Script::new(self.net);
        let violated: Vec<(String, String)> = self
            .proved_facts()
            .map(|fact| (script.formula(&fact.formula, true, None), String::new()))
            .collect();
        script.comment("the initial marking");
        script.assert_initial_tokens();
        script.comment("it violates a fact");
        script.assert_any(&violated);
        script.finish(head)
    }

    /// Returns the script that a firing leads from a marking with all facts to one that violates a
    /// fact. `head` is the comment at its beginning.
    pub(crate) fn consecution(&self, head: &str) -> String {
        let mut script = Script::new(self.net);
        self.assert_facts(&mut script, "before the firing");
        let roots = self.roots();
        let mut alternatives: Vec<(String, String)> = Vec::new();
        let mut changes = vec![0; self.net.place_count()];
        for fact in self.proved_facts() {
            // The terms of this fact, with the first transition and the number of transitions.
            let mut terms: HashMap<String, usize> = HashMap::new();
            let mut transitions: Vec<(TransitionId, usize)> = Vec::new();
            let first = alternatives.len();
            for t in self.touching(&fact.formula) {
                self.net.delta(t).iter().for_each(|it| changes[it.place.index()] = it.delta);
                let term = self.alternative(&mut script, fact, t, &changes, &roots);
                self.net.delta(t).iter().for_each(|it| changes[it.place.index()] = 0);
                match terms.get(&term) {
                    Some(&index) => transitions[index].1 += 1,
                    None => {
                        terms.insert(term.clone(), transitions.len());
                        transitions.push((t, 1));
                        alternatives.push((term, String::new()));
                    }
                }
            }
            for ((_, comment), (t, count)) in alternatives[first..].iter_mut().zip(transitions) {
                let name = Quoted(self.net.transition_name(t));
                *comment = match count {
                    1 => name.to_string(),
                    _ => format!(
                        "{name} and {} with the same effect",
                        counted(count - 1, "transition")
                    ),
                };
            }
        }
        script.comment("a firing violates a fact; each line has the transition");
        script.assert_any(&alternatives);
        script.finish(head)
    }

    /// Returns the script that a marking with all facts satisfies a predicate. `head` is the
    /// comment at its beginning.
    pub(crate) fn safety(&self, head: &str) -> Option<String> {
        let mut script = Script::new(self.net);
        self.assert_facts(&mut script, "in every reachable marking");
        let mut alternatives = Vec::new();
        for predicate in self.unreachable {
            let formula = Formula::of(&predicate.to_atoms(self.net))?;
            alternatives.push((script.formula(&formula, false, None), String::new()));
        }
        script.comment("the claim is false");
        script.assert_any(&alternatives);
        Some(script.finish(head))
    }

    /// Writes assertions that all facts hold.
    fn assert_facts(&self, script: &mut Script<'_>, when: &str) {
        if self.has_assumptions() {
            script.comment("assumptions about the model");
        }
        for fact in self.assumptions() {
            let term = script.formula(&fact.formula, false, None);
            script.assert(&term);
        }
        script.comment(&format!("the facts {when}"));
        for fact in self.proved_facts() {
            let term = script.formula(&fact.formula, false, None);
            script.assert(&term);
        }
    }

    /// Returns the transitions that change a place of a formula.
    fn touching(&self, formula: &Formula) -> BTreeSet<TransitionId> {
        let mut places = BTreeSet::new();
        let mut worklist = vec![formula];
        while let Some(formula) = worklist.pop() {
            match formula {
                Formula::AtMost(inequality) => places.extend(inequality.sum.iter().map(|it| it.0)),
                Formula::All(parts) | Formula::Any(parts) => worklist.extend(parts),
            }
        }
        let mut touching = BTreeSet::new();
        for place in places.into_iter().map(parikh_net::PlaceId::new) {
            let arcs = self.net.producers(place).iter().chain(self.net.consumers(place));
            let adjacent = arcs.map(|arc| arc.transition);
            touching.extend(
                adjacent
                    .filter(|&t| self.net.pre_weight(t, place) != self.net.post_weight(t, place)),
            );
        }
        touching
    }

    /// Returns the term that the firing of `t`, which makes these changes, violates a fact.
    fn alternative(
        &self,
        script: &mut Script<'_>,
        fact: &RecordedFact,
        t: TransitionId,
        changes: &Changes,
        roots: &HashMap<usize, Vec<&RecordedFact>>,
    ) -> String {
        let mut terms = Vec::new();
        if may_falsify(&fact.formula, changes) {
            for arc in self.net.pre(t) {
                terms.push(format!("(>= {} {})", script.place(arc.place.index()), arc.weight));
            }
            let mut earlier: BTreeMap<usize, &RecordedFact> = BTreeMap::new();
            if let FactProof::PreservedWithin(bounds) = &fact.proof {
                let gaining = self.net.delta(t).iter().filter(|change| change.delta > 0);
                let bounds = gaining.filter_map(|change| bounds.get(&change.place.index()));
                let roots = bounds.filter_map(|number| roots.get(number)).flatten();
                // A fact that the firing cannot make false holds after it, because it holds before.
                let roots = roots.filter(|root| may_falsify(&root.formula, changes));
                earlier.extend(roots.map(|root| (root.number, *root)));
            }
            for root in earlier.range(..fact.number).map(|(_, root)| root) {
                terms.push(script.formula(&root.formula, false, Some(changes)));
            }
        }
        terms.push(script.formula(&fact.formula, true, Some(changes)));
        connective(true, terms)
    }
}

/// Returns true if changes increase the left side of a comparison of a formula. Otherwise the
/// formula stays true if it was true. On overflow, the result is true.
fn may_falsify(formula: &Formula, changes: &Changes) -> bool {
    match formula {
        Formula::AtMost(inequality) => {
            let add = |sum: i128, &(place, a): &(usize, i128)| {
                sum.checked_add(a.checked_mul(changes[place].into())?)
            };
            inequality.sum.iter().try_fold(0, add).is_none_or(|change| change > 0)
        }
        Formula::All(parts) | Formula::Any(parts) => {
            parts.iter().any(|part| may_falsify(part, changes))
        }
    }
}
