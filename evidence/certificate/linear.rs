//! Sums of inequalities, and a propositional refutation.
//!
//! A [`LinearCertificate`] says why no reachable marking satisfies a predicate, in two layers that are read
//! and checked separately:
//!
//! - *Lemmas* ([`Lemma`]): "these linear comparisons never hold together in a reachable marking",
//!   each with a weighting of the places that shows it by adding up integers.
//! - *Propositional logic*: whatever makes the predicate true makes some of its comparisons true,
//!   of a comparison and its negation one holds, because tokens are whole, and the lemmas forbid
//!   every such choice. Mostly obvious; where it is not, [`LinearCertificate::steps`]
//!   lists intermediate clauses, each of which follows from those before it by unit propagation.
//!
//! # Reading one
//! The weights of a lemma are the interesting part: no firing increases the weighted number of
//! tokens, so every reachable marking m has w·m ≤ w·m₀. A weighting that no firing changes at all
//! is a place invariant; markings that satisfied the comparisons would break the inequality.
//!
//! # Sources
//! J. Farkas, *Theorie der einfachen Ungleichungen*, 1902; T. Murata, *Petri nets*, Proc. IEEE 77,
//! 1989, §V; J. Esparza, S. Melzer, *Verification of safety properties using integer programming:
//! beyond the state equation*, FMSD 16, 2000 (traps); E. Goldberg, Y. Novikov, *Verification of
//! proofs of unsatisfiability for CNF formulas*, DATE 2003 (steps by unit propagation).

use super::claim::{Claim, NoSuchNode, check_places};
use super::lemma::Lemma;
use super::trap::{self, TrapFlaw};
use super::{counters, skeleton, splits};
use crate::refutation::{self, RefutationFlaw};
use parikh_net::{Atom, Net, PlaceId, TransitionId};

/// A claim with everything that is needed to check it. Plain data: to be stored, printed,
/// mutilated and checked again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearCertificate {
    /// What is proved.
    pub claim: Claim,
    /// Whether lemmas may use that the model's units are safe (NUPN): a claim of the model, which
    /// the certificate takes for granted.
    pub assumes_units: bool,
    /// Sets of transitions whose firings are counted. What follows is about the net with one more
    /// place per set, which gets a token from each firing; these come after the net's own places.
    pub counters: Vec<Vec<TransitionId>>,
    /// The comparisons that lemmas speak of. Comparison i is variable i + 1 of clauses.
    pub atoms: Vec<Atom>,
    /// Sets of places that stay marked once they are: a firing that takes from one puts into it.
    pub traps: Vec<Vec<PlaceId>>,
    /// Which comparisons exclude each other.
    pub lemmas: Vec<Lemma>,
    /// Clauses on the way to the contradiction, in order; variables as [`LinearCertificate::clauses`]
    /// has them, negative for a negation.
    pub steps: Vec<Vec<i32>>,
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// It names nodes that do not exist.
    #[error("{0}")]
    Name(#[from] NoSuchNode),
    /// A lemma's reference to an atom, trap or unit that does not exist.
    #[error("lemma {0} refers to {1} {2}, which does not exist")]
    NoSuchPart(usize, &'static str, usize),
    /// A multiplier below zero.
    #[error("lemma {0} multiplies an inequality by a negative number")]
    NegativeMultiplier(usize),
    /// A firing of the transition raises the weighted number of tokens.
    #[error("lemma {0}: a firing of {1:?} raises the weighted sum")]
    Increases(usize, TransitionId),
    /// The place has a negative coefficient in the combination.
    #[error("lemma {0}: {1:?} has a negative coefficient in the end")]
    NegativeCoefficient(usize, PlaceId),
    /// The combination is not below zero.
    #[error("lemma {0}: the inequalities add up to no contradiction")]
    NoContradiction(usize),
    /// Units are used that the net does not have, or does not claim to be safe.
    #[error("lemma {0} uses safe units; the net claims none")]
    NoSafeUnits(usize),
    /// Units are used but not assumed.
    #[error("lemma {0} uses safe units, but the certificate does not list the assumption")]
    Undeclared(usize),
    /// A trap that is none, or is empty initially.
    #[error("trap {0}: {1}")]
    Trap(usize, TrapFlaw),
    /// A step that does not follow.
    #[error(transparent)]
    Step(RefutationFlaw),
    /// Unit propagation finds no contradiction in all clauses together.
    #[error("the lemmas leave a way to satisfy the predicate")]
    NotRefuted,
    /// Told to stop.
    #[error("not checked to the end")]
    Stopped,
    /// The net with counters is too large.
    #[error("the net with counters is too large")]
    TooLarge,
    /// A number beyond 127 bits.
    #[error("numbers beyond 127 bits")]
    Overflow,
}

impl From<RefutationFlaw> for Flaw {
    fn from(flaw: RefutationFlaw) -> Flaw {
        match flaw {
            RefutationFlaw::NoContradiction => Flaw::NotRefuted,
            RefutationFlaw::Stopped => Flaw::Stopped,
            flaw => Flaw::Step(flaw),
        }
    }
}

impl LinearCertificate {
    /// Accepts the certificate if it proves its own claim about `net`.
    ///
    /// # Errors
    /// The first [`Flaw`] found; it says nothing about the claim.
    pub fn check(&self, net: &Net) -> Result<(), Flaw> {
        let goes_on = &mut || true;
        self.claim.check_names(net)?;
        let lemmas = self.check_lemmas(net, goes_on)?;
        self.refutes(net, &lemmas, &self.claim, goes_on)
    }

    /// Checks traps and lemmas, and gives the clauses that they come down to, whatever the claim.
    pub(super) fn check_lemmas(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Vec<i32>>, Flaw> {
        let counting = counters::count(net, &self.counters)?;
        let net = &*counting;
        for atom in &self.atoms {
            check_places(net, atom.sum.terms().iter().map(|&(place, _)| place))?;
        }
        check_places(net, self.traps.iter().flatten().copied())?;
        let weighted = self.lemmas.iter().flat_map(|lemma| &lemma.weights);
        check_places(net, weighted.map(|&(place, _)| place))?;
        for (index, trap) in self.traps.iter().enumerate() {
            trap::check(net, trap).map_err(|flaw| Flaw::Trap(index, flaw))?;
        }
        for (index, lemma) in self.lemmas.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped);
            }
            lemma.check(net, index, self)?;
        }
        let mut clauses = splits::clauses(&self.atoms);
        clauses.extend(self.lemmas.iter().map(Lemma::clause));
        Ok(clauses)
    }

    /// Whether these clauses, of checked lemmas, exclude what `claim` says does not happen; its nodes
    /// exist.
    pub(super) fn refutes(
        &self,
        net: &Net,
        lemmas: &[Vec<i32>],
        claim: &Claim,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let (mut clauses, variables) = skeleton::clauses(net, &claim.refuted(), &self.atoms);
        clauses.extend_from_slice(lemmas);
        Ok(refutation::check(&clauses, &self.steps, variables, goes_on)?)
    }

    /// The clauses that the lemmas and the predicate come down to; contradictory if the certificate
    /// is right. Variable i + 1 says that atom i holds; the junctions of the predicate, parents
    /// before children, follow.
    pub fn clauses(&self, net: &Net) -> Vec<Vec<i32>> {
        let (mut clauses, _) = skeleton::clauses(net, &self.claim.refuted(), &self.atoms);
        clauses.extend(splits::clauses(&self.atoms));
        clauses.extend(self.lemmas.iter().map(Lemma::clause));
        clauses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{LinearSum, Predicate, text};

    /// Two processes and a lock: never both inside.
    fn mutex() -> (Net, LinearCertificate) {
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
            claim: Claim::Unreachable(both),
            assumes_units: false,
            counters: vec![],
            atoms: vec![inside(in1), inside(in2)],
            traps: vec![],
            lemmas: vec![Lemma {
                atoms: vec![(0, 1), (1, 1)],
                traps: vec![],
                units: vec![],
                weights: vec![(lock, 1), (in1, 1), (in2, 1)],
            }],
            steps: vec![],
        };
        (net, certificate)
    }

    #[test]
    fn an_invariant_excludes_two_inside() {
        let (net, certificate) = mutex();
        assert_eq!(certificate.check(&net), Ok(()));
    }

    #[test]
    fn one_inside_is_not_excluded() {
        let (net, mut certificate) = mutex();
        certificate.claim = Claim::Unreachable(Predicate::at_least(PlaceId::new(3), 1));
        assert_eq!(certificate.check(&net), Err(Flaw::NotRefuted));
        certificate.lemmas[0].atoms.pop();
        let refused = certificate.check(&net);
        assert_eq!(refused, Err(Flaw::NoContradiction(0)));
    }

    #[test]
    fn a_bound_is_the_claim_that_more_is_unreachable() {
        let (net, mut certificate) = mutex();
        let [in1, in2] = [3, 4].map(PlaceId::new);
        let sum = LinearSum::new([(in1, 1), (in2, 1)]).unwrap();
        certificate.claim = Claim::AtMost(sum.clone(), 1);
        certificate.atoms = vec![Atom { sum, bound: 1 }.negated()];
        certificate.lemmas[0].atoms = vec![(0, 1)];
        assert_eq!(certificate.check(&net), Ok(()));
    }

    #[test]
    fn traps_must_be_traps_and_marked() {
        // Nothing but the trap {p, q} excludes that both are empty: t moves one, u the other.
        let net = text::parse(
            "place p 1\nplace q\nplace r 1\ntransition t: p -> 2*q\ntransition u: 2*q -> p + r",
        )
        .unwrap();
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place_named(name).unwrap());
        let mut certificate = LinearCertificate {
            claim: Claim::Unreachable(Predicate::and([
                Predicate::no_more_than(p, 0),
                Predicate::no_more_than(q, 0),
            ])),
            assumes_units: false,
            counters: vec![],
            atoms: [p, q].map(|place| Atom { sum: LinearSum::place(place), bound: 0 }).to_vec(),
            traps: vec![vec![p, q]],
            lemmas: vec![Lemma {
                atoms: vec![(0, 1), (1, 1)],
                traps: vec![(0, 1)],
                units: vec![],
                weights: vec![],
            }],
            steps: vec![],
        };
        assert_eq!(certificate.check(&net), Ok(()));
        certificate.traps = vec![vec![q]];
        assert!(matches!(certificate.check(&net), Err(Flaw::Trap(0, TrapFlaw::Empties(_)))));
        certificate.traps = vec![vec![]];
        assert_eq!(certificate.check(&net), Err(Flaw::Trap(0, TrapFlaw::Unmarked)));
        certificate.traps = vec![vec![r]];
        assert_eq!(certificate.check(&net), Err(Flaw::NegativeCoefficient(0, r)));
    }
}
