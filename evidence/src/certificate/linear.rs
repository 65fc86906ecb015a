//! Sums of inequalities, and a propositional refutation.
//!
//! A [`LinearCertificate`] explains why no reachable marking satisfies a predicate. It has two
//! layers that are read and checked separately:
//!
//! - *Lemmas* ([`Lemma`]): "no reachable marking satisfies all these linear comparisons". Each
//!   lemma has weights of the places that prove it by adding up integers. Traps and lower bounds
//!   ([`LowerBound`]) that a lemma uses are checked before.
//! - *Propositional logic*: if the predicate is true, some of its comparisons are true, and the
//!   lemmas forbid every such choice. Two further kinds of clauses are known. A comparison or its
//!   negation holds, because token counts are integers. One of the two comparisons of a
//!   [`Precedence`] holds. Often unit propagation refutes these clauses at once. Otherwise
//!   [`LinearCertificate::steps`] lists intermediate clauses, each of which follows from the
//!   earlier ones by unit propagation.
//!
//! # Reading one
//! The weights of a lemma carry the argument: no firing increases the weighted number of tokens, so
//! every reachable marking m has w·m ≤ w·m₀. If no firing changes the weighted number, the weights
//! are a place invariant. A marking that satisfied all comparisons would violate the inequality.
//!
//! # Sources
//! J. Farkas, *Theorie der einfachen Ungleichungen*, 1902; T. Murata, *Petri nets*, Proc. IEEE 77,
//! 1989, §V; J. Esparza, S. Melzer, *Verification of safety properties using integer programming:
//! beyond the state equation*, FMSD 16, 2000 (traps); E. Goldberg, Y. Novikov, *Verification of
//! proofs of unsatisfiability for CNF formulas*, DATE 2003 (steps by unit propagation); A. H. Land,
//! A. G. Doig, *An automatic method of solving discrete programming problems*, Econometrica 28,
//! 1960 (cases).

use super::bounds::BoundsCertificate;
use super::counters;
use super::flaw::{Flaw, check_places};
use super::lemma::Lemma;
use super::lower_bound::LowerBound;
use super::precedence::Precedence;
use super::skeleton::{Skeleton, Variables, variable_of};
use super::traps::check_trap;
use crate::refutation;
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId, UnitId};
use serde::{Deserialize, Serialize};

/// Lemmas with their premises, and the steps of a propositional refutation. Plain data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinearCertificate<P = PlaceId, T = TransitionId, U = UnitId, A = Atom> {
    /// True if lemmas may use that the model's units are safe (NUPN). This is a claim of the model,
    /// which the certificate assumes.
    pub assumes_units: bool,
    /// Sets of transitions whose firings are counted. The lemmas are about the net with one more
    /// place per set, which receives a token from each firing. These places follow the net's own
    /// places.
    pub counters: Vec<Vec<T>>,
    /// The comparisons that occur in lemmas. Comparison i is variable i + 1 of clauses.
    pub atoms: Vec<A>,
    /// Traps: sets of places that stay marked once they are marked, because each transition that
    /// consumes from the set also produces into it.
    pub traps: Vec<Vec<P>>,
    /// Bounds on places, as premises of the lower bounds.
    #[serde(
        default = "BoundsCertificate::default",
        skip_serializing_if = "BoundsCertificate::is_empty"
    )]
    pub bounds: BoundsCertificate<P>,
    /// Weighted sums of tokens that never fall below a number.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub lower_bounds: Vec<LowerBound<P>>,
    /// Pairs of comparisons, at least one of which holds in every reachable marking, because some
    /// firing must come before another.
    #[serde(default = "Vec::new", skip_serializing_if = "Vec::is_empty")]
    pub precedences: Vec<Precedence<P>>,
    /// Sets of comparisons that no reachable marking satisfies together.
    pub lemmas: Vec<Lemma<P, U>>,
    /// The intermediate clauses of the refutation, in order, with the variables of
    /// [`LinearCertificate::clauses`]. A negative number is a negation.
    pub steps: Vec<Vec<i32>>,
}

/// The checked lemmas of a certificate, as clauses.
#[derive(Debug)]
pub struct Lemmas<'a> {
    /// The checked certificate.
    certificate: &'a LinearCertificate,
    /// The clauses of the lemmas and precedences, and "a comparison or its negation holds".
    clauses: Vec<Vec<i32>>,
    /// The variables of the certificate's comparisons.
    variables: Variables<'a>,
}

impl LinearCertificate {
    /// Checks traps, lower bounds, precedences and lemmas.
    ///
    /// # Errors
    /// The first flaw found, or [`Flaw::Stopped`].
    pub fn check(&self, net: &Net, goes_on: &mut dyn FnMut() -> bool) -> Result<Lemmas<'_>, Flaw> {
        let counted_net = counters::count(net, &self.counters)?;
        let net = &*counted_net;
        for atom in &self.atoms {
            check_places(net, atom.sum.terms().iter().map(|&(place, _)| place))?;
        }
        for (index, trap) in self.traps.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            check_trap(net, index, trap)?;
        }
        self.check_lower_bounds(net, goes_on)?;
        for (index, precedence) in self.precedences.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            precedence.check(net, index, &self.atoms, &self.counters)?;
        }
        let units = net.safe_units().filter(|_| self.assumes_units);
        for (index, lemma) in self.lemmas.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            lemma.check(net, index, &self.atoms, (&self.traps, &self.lower_bounds), units)?;
        }
        Ok(self.lemmas())
    }

    /// Checks the lower bounds, and the bounds on places that they use. Without lower bounds, the
    /// derivation of the bounds on places is not checked.
    fn check_lower_bounds(&self, net: &Net, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Flaw> {
        if self.bounds.assumes_units && !self.assumes_units {
            return Err(Flaw::UnitsNotAssumed(0));
        }
        if self.lower_bounds.is_empty() {
            return Ok(());
        }
        let derived = self.bounds.check(net, goes_on)?;
        for (index, bound) in self.lower_bounds.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            bound.check(net, index, &derived)?;
        }
        Ok(())
    }

    /// Builds the clauses of the lemmas without checking them.
    pub(super) fn lemmas(&self) -> Lemmas<'_> {
        let mut variables = Variables::new();
        let mut clauses = Vec::new();
        for (atom, variable) in self.atoms.iter().zip(1..) {
            // Token counts are integers, so a comparison or its negation holds. Lemmas use rational
            // arithmetic. Arguments that need integrality are made by case distinction on these
            // clauses.
            let negated = atom.negated();
            let negation_variable =
                variables.get(&negated.sum).and_then(|bounds| bounds.get(&negated.bound));
            if let Some(&negation) = negation_variable {
                clauses.push(vec![negation, variable]);
            }
            variables.entry(&atom.sum).or_default().entry(atom.bound).or_insert(variable);
        }
        clauses.extend(self.precedences.iter().map(Precedence::clause));
        clauses.extend(self.lemmas.iter().map(Lemma::clause));
        Lemmas { certificate: self, clauses, variables }
    }

    /// Returns the clauses of "`predicate` holds", followed by the clauses of the lemmas. They are
    /// contradictory if the certificate refutes the predicate. Variable i + 1 is atom i; the
    /// variables of the conjunctions and disjunctions of the predicate follow, parents before
    /// children. The predicate adds no clauses if it may be true whatever the values of the
    /// comparisons are.
    pub fn clauses(&self, net: &Net, predicate: &Predicate) -> Vec<Vec<i32>> {
        let Lemmas { clauses, variables, .. } = self.lemmas();
        let skeleton = Skeleton::of(&predicate.to_atoms(net), self.atoms.len(), &variables);
        let mut all = skeleton.map_or(Vec::new(), |skeleton| skeleton.clauses);
        all.extend(clauses);
        all
    }
}

impl Lemmas<'_> {
    /// Returns true if the comparison, or a weaker one of the same sum, occurs in the certificate.
    pub(super) fn has_variable(&self, atom: &Atom) -> bool {
        variable_of(atom, &self.variables).is_some()
    }

    /// Checks that the lemmas exclude `predicate`, whose only leaves are comparisons.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] or another flaw, or [`Flaw::Stopped`].
    pub fn refute(
        &self,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let atoms = self.certificate.atoms.len();
        // A predicate without clauses is not refuted: the initial marking satisfies the lemmas, so
        // the lemmas alone are not contradictory.
        let skeleton = Skeleton::of(predicate, atoms, &self.variables);
        let Skeleton { mut clauses, variable_count: variables, .. } =
            skeleton.ok_or(Flaw::DoesNotFollow)?;
        clauses.extend_from_slice(&self.clauses);
        Ok(refutation::check(&clauses, &self.certificate.steps, variables, goes_on)?)
    }

    /// Checks that the lemmas exclude `predicate`, with up to `max_cases` cases. This succeeds more
    /// often than [`refute`](Self::refute) if the steps were written for an equivalent predicate of
    /// another form.
    ///
    /// # Errors
    /// The errors of [`refute`](Self::refute).
    pub fn refute_by_cases(
        &self,
        predicate: &Predicate,
        max_cases: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let atoms = self.certificate.atoms.len();
        let skeleton = Skeleton::of(predicate, atoms, &self.variables);
        let Skeleton { mut clauses, variable_count: variables, .. } =
            skeleton.ok_or(Flaw::DoesNotFollow)?;
        clauses.extend_from_slice(&self.clauses);
        let steps = &self.certificate.steps;
        Ok(refutation::check_by_cases(&clauses, steps, variables, max_cases, goes_on)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use parikh_net::{LinearSum, text};

    fn check(net: &Net, certificate: &LinearCertificate, refuted: &Predicate) -> Result<(), Flaw> {
        let goes_on = &mut || true;
        let document = Document::Linear(certificate.clone());
        document.check(net, goes_on)?.refutes(refuted, goes_on)
    }

    /// Two processes that share a lock: at most one is inside.
    fn mutex() -> (Net, LinearCertificate, Predicate) {
        let net = text::parse(
            "net mutex
             place idle1 1
             place idle2 1
             place lock 1
             place in1
             place in2
             transition enter1: idle1 + lock -> in1
             transition leave1: in1 -> idle1 + lock
             transition enter2: idle2 + lock -> in2
             transition leave2: in2 -> idle2 + lock",
        )
        .unwrap();
        let [lock, in1, in2] = ["lock", "in1", "in2"].map(|name| net.place_named(name).unwrap());
        let inside = |place| Atom { sum: LinearSum::place(place).negated(), bound: -1 };
        let both = Predicate::and([Predicate::at_least(in1, 1), Predicate::at_least(in2, 1)]);
        let certificate = LinearCertificate {
            assumes_units: false,
            counters: vec![],
            atoms: vec![inside(in1), inside(in2)],
            traps: vec![],
            bounds: BoundsCertificate::default(),
            lower_bounds: vec![],
            precedences: vec![],
            lemmas: vec![Lemma {
                atoms: vec![(0, 1), (1, 1)],
                traps: vec![],
                lower_bounds: vec![],
                units: vec![],
                weights: vec![(lock, 1), (in1, 1), (in2, 1)],
            }],
            steps: vec![],
        };
        (net, certificate, both)
    }

    #[test]
    fn an_invariant_excludes_two_inside() {
        let (net, certificate, both) = mutex();
        assert_eq!(check(&net, &certificate, &both), Ok(()));
    }

    #[test]
    fn one_inside_is_not_excluded() {
        let (net, mut certificate, both) = mutex();
        let one = Predicate::at_least(PlaceId::new(3), 1);
        assert_eq!(check(&net, &certificate, &one), Err(Flaw::DoesNotFollow));
        certificate.lemmas[0].atoms.pop();
        let refused = check(&net, &certificate, &both);
        assert_eq!(refused, Err(Flaw::NoContradiction(0)));
    }

    #[test]
    fn a_bound_is_the_claim_that_more_is_unreachable() {
        let (net, mut certificate, _) = mutex();
        let [in1, in2] = [3, 4].map(PlaceId::new);
        let sum = LinearSum::new([(in1, 1), (in2, 1)]).unwrap();
        let more = Atom { sum, bound: 1 }.negated();
        let refuted = Predicate::Atom(more.clone());
        certificate.atoms = vec![more];
        certificate.lemmas[0].atoms = vec![(0, 1)];
        assert_eq!(check(&net, &certificate, &refuted), Ok(()));
    }

    #[test]
    fn traps_must_be_traps_and_marked() {
        // Only the trap {p, q} excludes that both places are empty.
        let net = text::parse(
            "place p 1\nplace q\nplace r 1\ntransition t: p -> 2*q\ntransition u: 2*q -> p + r",
        )
        .unwrap();
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place_named(name).unwrap());
        let empty = [p, q].map(|place| Predicate::no_more_than(place, 0));
        let empty = Predicate::and(empty);
        let mut certificate = LinearCertificate {
            assumes_units: false,
            counters: vec![],
            atoms: [p, q].map(|place| Atom { sum: LinearSum::place(place), bound: 0 }).to_vec(),
            traps: vec![vec![p, q]],
            bounds: BoundsCertificate::default(),
            lower_bounds: vec![],
            precedences: vec![],
            lemmas: vec![Lemma {
                atoms: vec![(0, 1), (1, 1)],
                traps: vec![(0, 1)],
                lower_bounds: vec![],
                units: vec![],
                weights: vec![],
            }],
            steps: vec![],
        };
        assert_eq!(check(&net, &certificate, &empty), Ok(()));
        certificate.traps = vec![vec![q]];
        assert!(matches!(check(&net, &certificate, &empty), Err(Flaw::CanEmptyTrap(0, _))));
        certificate.traps = vec![vec![]];
        assert_eq!(check(&net, &certificate, &empty), Err(Flaw::Unmarked(0)));
        certificate.traps = vec![vec![r]];
        assert_eq!(check(&net, &certificate, &empty), Err(Flaw::NegativeCoefficient(0, r)));
    }
}
