//! A certificate of any kind, and its consequences.

use super::bounds::{BoundsCertificate, DerivedBounds};
use super::closed_set::{CheckedClosedSet, ClosedSet};
use super::flaw::{Flaw, check_names};
use super::induction::{self, Induction, Invariant};
use super::linear::{Lemmas, LinearCertificate};
use super::markings::{ReachableSet, visit};
use parikh_net::{
    Atom, Features, Marking, Net, PlaceId, Predicate, TransitionId, TreeProperty, UnitId,
};
use serde::{Deserialize, Serialize};

/// A certificate of any kind, as plain data. In memory, places and transitions are ids; in a file
/// they are names, see [`NamedDocument`](super::NamedDocument).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Document<P = PlaceId, T = TransitionId, U = UnitId, A = Atom> {
    /// Sums of inequalities that contradict the predicate.
    Linear(LinearCertificate<P, T, U, A>),
    /// Bounds on the tokens of places, with their derivation.
    Bounds(BoundsCertificate<P>),
    /// An inductive invariant, as clauses over linear comparisons.
    Induction(Induction<P, A>),
    /// The number of reachable markings, which the checker visits one by one. The number limits the
    /// work: with one more marking, the document is rejected.
    Markings(u64),
    /// A set of markings that is closed under firing and contains the initial marking.
    ClosedSet(ClosedSet<P>),
}

/// The statements that a checked document proves.
#[derive(Debug)]
pub struct CheckedDocument<'a> {
    /// The net that the document is about.
    net: &'a Net,
    /// The checked steps, from which the statements follow.
    steps: CheckedSteps<'a>,
}

/// The checked steps of a document, by its kind.
#[derive(Debug)]
enum CheckedSteps<'a> {
    Linear(Lemmas<'a>),
    Bounds(DerivedBounds),
    Induction(Box<Invariant<'a>>),
    Markings(ReachableSet),
    ClosedSet(CheckedClosedSet<'a>),
}

impl<P, T, U, A> Document<P, T, U, A> {
    /// Returns true if the document assumes that the model's units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        match self {
            Document::Linear(certificate) => certificate.assumes_units,
            Document::Bounds(bounds) => bounds.assumes_units,
            Document::Induction(induction) => induction.bounds.assumes_units,
            Document::Markings(_) | Document::ClosedSet(_) => false,
        }
    }
}

impl Document {
    /// Returns the features of nets for which this kind of argument is sound.
    pub fn features(&self) -> Features {
        match self {
            Document::Linear(_)
            | Document::Bounds(_)
            | Document::Induction(_)
            | Document::Markings(_)
            | Document::ClosedSet(_) => Features::WEIGHTS,
        }
    }

    /// Checks the steps of the document. Calls `goes_on` regularly, and stops when it returns
    /// false.
    ///
    /// # Errors
    /// The first flaw found, or [`Flaw::Stopped`].
    pub fn check<'a>(
        &'a self,
        net: &'a Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedDocument<'a>, Flaw> {
        if !self.features().cover(net.features()) {
            return Err(Flaw::Features);
        }
        let steps = match self {
            Document::Linear(certificate) => CheckedSteps::Linear(certificate.check(net, goes_on)?),
            Document::Bounds(bounds) => CheckedSteps::Bounds(bounds.check(net, goes_on)?),
            Document::Induction(induction) => {
                CheckedSteps::Induction(Box::new(induction.check(net, goes_on)?))
            }
            Document::Markings(count) => {
                let mut marking_count = 0;
                let visited = visit(net, *count, |_| poll(&mut marking_count, goes_on))?;
                let reachable_count = visited.count();
                if reachable_count < *count {
                    return Err(Flaw::TooFewMarkings(reachable_count, *count));
                }
                CheckedSteps::Markings(visited)
            }
            Document::ClosedSet(set) => CheckedSteps::ClosedSet(set.check(net, goes_on)?),
        };
        Ok(CheckedDocument { net, steps })
    }
}

impl CheckedDocument<'_> {
    /// Checks that no reachable marking satisfies `predicate`, as a consequence of the checked
    /// steps of the document.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] or another flaw, neither of which says that the
    /// predicate is reachable; or [`Flaw::Stopped`].
    pub fn refutes(
        &self,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        check_names(self.net, predicate)?;
        let atoms = || predicate.to_atoms(self.net);
        let follows = match &self.steps {
            CheckedSteps::Linear(lemmas) => return lemmas.refute(&atoms(), goes_on),
            CheckedSteps::Bounds(known) => known.refutes(&atoms())?,
            CheckedSteps::Induction(invariant) => return invariant.refute(&atoms(), goes_on),
            CheckedSteps::ClosedSet(set) => return set.refutes(self.net, predicate, goes_on),
            CheckedSteps::Markings(visited) => {
                let (mut marking_count, mut stopped) = (0, false);
                let is_refuted = visited.all(|marking: &Marking| {
                    stopped |= !poll(&mut marking_count, goes_on);
                    !stopped && !predicate.holds(self.net, marking)
                });
                if stopped {
                    return Err(Flaw::Stopped);
                }
                is_refuted
            }
        };
        if follows { Ok(()) } else { Err(Flaw::DoesNotFollow) }
    }

    /// Checks that no reachable marking satisfies `predicate`, also if the steps were written for
    /// an equivalent predicate of another form. If the predicate does not follow directly from
    /// linear, bounds or inductive steps, the check continues by case distinction, with at most
    /// `MAX_CASES` cases.
    ///
    /// # Errors
    /// The errors of [`refutes`](Self::refutes).
    pub fn refutes_in_any_shape(
        &self,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let direct = self.refutes(predicate, goes_on);
        let is_of_form = |flaw: &Flaw| {
            matches!(
                flaw,
                Flaw::DoesNotFollow
                    | Flaw::StepDoesNotFollow(_)
                    | Flaw::Clause(_)
                    | Flaw::NoSuchPart(..)
            )
        };
        if !direct.as_ref().is_err_and(is_of_form) {
            return direct;
        }
        let atoms = predicate.to_atoms(self.net);
        let by_cases = match &self.steps {
            CheckedSteps::Linear(lemmas) => lemmas.refute_by_cases(&atoms, MAX_CASES, goes_on),
            CheckedSteps::Bounds(known) => {
                induction::refute_within(self.net, known, &atoms, MAX_CASES, goes_on)
            }
            CheckedSteps::Induction(invariant) => {
                invariant.refute_by_cases(&atoms, MAX_CASES, goes_on)
            }
            CheckedSteps::ClosedSet(_) | CheckedSteps::Markings(_) => return direct,
        };
        match by_cases {
            Ok(()) => Ok(()),
            Err(Flaw::Stopped) => Err(Flaw::Stopped),
            Err(_) => direct,
        }
    }
}

/// The maximum number of cases in the case distinction of
/// [`refutes_in_any_shape`](CheckedDocument::refutes_in_any_shape).
const MAX_CASES: usize = 20_000;

impl CheckedDocument<'_> {
    /// Decides whether a branching-time property is true in the initial marking, if the document is
    /// a closed set.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] for other kinds of documents; a flaw if a place or transition of the
    /// property does not exist, if the set is too large or if a number overflows;
    /// [`Flaw::Stopped`].
    pub fn decide_tree(
        &self,
        property: &TreeProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Flaw> {
        let CheckedSteps::ClosedSet(set) = &self.steps else { return Err(Flaw::DoesNotFollow) };
        property.atoms().iter().try_for_each(|atom| check_names(self.net, atom))?;
        set.decide_tree(self.net, property, goes_on)
    }
}

/// Counts a marking, and calls `goes_on` before the first of every thousand markings. Returns false
/// if `goes_on` does.
fn poll(marking_count: &mut usize, goes_on: &mut dyn FnMut() -> bool) -> bool {
    *marking_count += 1;
    *marking_count % 1000 != 1 || goes_on()
}
