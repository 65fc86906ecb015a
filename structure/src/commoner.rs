//! Deadlock-freedom from siphons and traps, as one satisfiability question, with a certificate.
//!
//! In a dead marking every transition lacks a token on some input place. If every input arc has
//! weight 1, this place is empty. The set E of empty places then meets the preset of every
//! transition, so E is a siphon. An initially marked trap stays marked, so E cannot contain one.
//! Hence:
//!
//! * *Commoner's property*: every non-empty siphon contains an initially marked trap. Then an
//!   ordinary net with at least one transition has no reachable dead marking.
//! * [`SiphonTrapProperty::DeadMarkings`] requires the same of fewer sets: those that meet the
//!   preset of *every* transition. It is weaker, has the same conclusion, and also covers heavy
//!   input arcs.
//!
//! The SAT solver first searches for such a set E *without* the condition on traps. If the largest
//! trap inside a candidate is marked, small marked traps Q are extracted. For each one, the clause
//! "E does not contain all of Q" is added, and the solver continues. A candidate without a marked
//! trap is the counterexample. "Unsatisfiable" yields the certificate: the traps, and a refutation
//! by unit propagation.
//!
//! # Conditions
//! 1. (Commoner) There is at least one transition. [`SiphonTrapProperty::DeadMarkings`] needs no
//!    such condition: without transitions the empty set meets all presets and contains no trap.
//! 2. (Commoner) Arcs from places to transitions have weight 1. Arcs to places may have any weight,
//!    because one token is enough. For [`SiphonTrapProperty::DeadMarkings`], a transition with a
//!    heavier input arc may be disabled by a place that is not empty, so it imposes no condition on
//!    E.
//!
//! A source transition is never disabled: no set meets its empty preset, and no siphon contains its
//! output places. Both properties then give the right answer without a special case.
//!
//! # Sources
//! M. Hack, *Analysis of production schemata by Petri nets*, MIT, 1972 (attributed to F. Commoner).
//! O. Oanea, H. Wimmel, K. Wolf, *New algorithms for deciding the siphon-trap property*, Petri Nets
//! 2010. J. Esparza, S. Melzer, *Verification of safety properties using integer programming:
//! beyond the state equation*, FMSD 16, 2000 (traps found lazily).

use super::closed::{ClosureKind, minimise};
use super::minimal::{closure_clauses, excludes_supersets, in_set, set_under};
use super::traps::{is_marked, is_trap, largest_trap, small_marked_trap};
use parikh_evidence::refutation::{self, RefutationFlaw};
use parikh_net::{Net, PlaceId};
use parikh_solvers::cnf::{Literal, to_dimacs};
use parikh_solvers::sat::{ProvingSat, SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::ProvingBatSat;
use parikh_solvers::{Budget, ExhaustionReason};

/// The sets of places that must contain an initially marked trap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiphonTrapProperty {
    /// Every non-empty siphon: Commoner's property.
    EverySiphon,
    /// Every set that contains an input place of each transition whose input arcs all have weight
    /// 1. In a dead marking, the empty places form such a set.
    DeadMarkings,
}

/// The answer for a [`SiphonTrapProperty`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiphonTrap {
    /// Every set that the property speaks of contains an initially marked trap.
    Holds(TrapCertificate),
    /// The places (ascending) of a set that the property speaks of, but that contains no initially
    /// marked trap. This implies nothing about deadlocks.
    Fails(Vec<PlaceId>),
}

/// A proof that all sets that a [`SiphonTrapProperty`] speaks of contain an initially marked trap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrapCertificate {
    /// The property.
    pub property: SiphonTrapProperty,
    /// Initially marked traps, with ascending places.
    pub traps: Vec<Vec<PlaceId>>,
    /// A refutation of "one of the sets contains none of the traps", as clauses that follow one
    /// after the other by unit propagation. Variable [`PlaceId::index`] + 1 states that the place
    /// is in the set.
    pub refutation: Vec<Vec<i32>>,
}

/// The reason why a certificate is not confirmed: it is invalid, or its check did not finish in
/// time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The set at this position is not a trap of the net.
    #[error("set {0} is not a trap")]
    NotATrap(usize),
    /// The trap at this position is not marked initially.
    #[error("trap {0} is not marked initially")]
    NotMarked(usize),
    /// The refutation is invalid.
    #[error(transparent)]
    Refutation(#[from] RefutationFlaw),
}

impl TrapCertificate {
    /// Checks every part on the net, sharing only the clauses of the property with the search.
    ///
    /// # Errors
    /// Returns the first invalid part, or an error when the budget ends.
    pub fn check(&self, net: &Net, budget: &Budget) -> Result<(), CertificateError> {
        for (index, trap) in self.traps.iter().enumerate() {
            if !is_trap(net, trap) {
                return Err(CertificateError::NotATrap(index));
            }
            if !is_marked(net, trap) {
                return Err(CertificateError::NotMarked(index));
            }
        }
        let mut clauses = Vec::new();
        set_clauses(net, self.property, &mut |clause| clauses.push(to_dimacs(clause)));
        clauses.extend(self.traps.iter().map(|trap| to_dimacs(&excludes_supersets(trap))));
        let keep_going = &mut || !budget.is_exhausted();
        Ok(refutation::check(&clauses, &self.refutation, net.place_count(), keep_going)?)
    }

    /// Returns true if the certificate implies that no reachable marking is dead. For Commoner's
    /// property, conditions 1 and 2 of the module must hold.
    pub fn excludes_deadlocks(&self, net: &Net) -> bool {
        match self.property {
            SiphonTrapProperty::DeadMarkings => true,
            SiphonTrapProperty::EverySiphon => {
                net.transition_count() > 0 && consumes_single_tokens(net)
            }
        }
    }
}

/// Checks condition 2: every arc from a place to a transition has weight 1.
pub fn consumes_single_tokens(net: &Net) -> bool {
    net.transitions().all(|t| net.pre(t).iter().all(|arc| arc.weight == 1))
}

/// Decides whether every set of the property contains an initially marked trap.
///
/// # Errors
/// Returns an error when the budget ends.
pub fn siphon_trap(
    net: &Net,
    property: SiphonTrapProperty,
    budget: &Budget,
) -> Result<SiphonTrap, ExhaustionReason> {
    let mut solver = ProvingBatSat::new();
    set_clauses(net, property, &mut |clause| solver.add_clause(clause));
    let mut traps: Vec<Vec<PlaceId>> = Vec::new();
    loop {
        let values = match solver.solve(&[], budget) {
            SatAnswer::Satisfiable(values) => values,
            SatAnswer::NoAnswer(reason) => return Err(reason),
            SatAnswer::Unsatisfiable { .. } => {
                let refutation = solver.learnt().clauses().map(to_dimacs).collect();
                return Ok(SiphonTrap::Holds(TrapCertificate { property, traps, refutation }));
            }
        };
        let set = set_under(net, &values);
        // A smaller set of the same property is also a candidate, and is less likely to contain a
        // marked trap.
        let small_set = match property {
            SiphonTrapProperty::EverySiphon => minimise(net, ClosureKind::Siphon, &set, |_| true),
            SiphonTrapProperty::DeadMarkings => without_idle_places(net, &set),
        };
        if !is_marked(net, &largest_trap(net, &small_set)) {
            return Ok(SiphonTrap::Fails(small_set));
        }
        // Traps are taken from the whole set, because it contains more disjoint traps than the
        // small set.
        let disjoint_traps = disjoint_marked_traps(net, &set, budget)?;
        for trap in disjoint_traps {
            solver.add_clause(&excludes_supersets(&trap));
            traps.push(trap);
        }
    }
}

/// Returns `set` without superfluous places. For each transition whose input arcs all have weight
/// 1, an input place stays in the set. Places with few consumers are tried first.
fn without_idle_places(net: &Net, set: &[PlaceId]) -> Vec<PlaceId> {
    let mut in_set = vec![false; net.place_count()];
    set.iter().for_each(|p| in_set[p.index()] = true);
    let mut inputs_in_set: Vec<usize> = net
        .transitions()
        .map(|t| net.pre(t).iter().filter(|arc| in_set[arc.place.index()]).count())
        .collect();
    let mut order = set.to_vec();
    order.sort_by_key(|&p| net.consumers(p).len());
    for p in order {
        let has_light_inputs = |t| net.pre(t).iter().all(|arc| arc.weight == 1);
        let transitions = || net.consumers(p).iter().map(|arc| arc.transition);
        if transitions().all(|t| inputs_in_set[t.index()] > 1 || !has_light_inputs(t)) {
            in_set[p.index()] = false;
            transitions().for_each(|t| inputs_in_set[t.index()] -= 1);
        }
    }
    set.iter().copied().filter(|p| in_set[p.index()]).collect()
}

/// Returns at most `PER_ROUND` small, pairwise disjoint marked traps within `set`. Several traps
/// are returned because each further candidate costs a call of the SAT solver.
fn disjoint_marked_traps(
    net: &Net,
    set: &[PlaceId],
    budget: &Budget,
) -> Result<Vec<Vec<PlaceId>>, ExhaustionReason> {
    /// Limit on the traps per call of the SAT solver. Each trap costs a pass over the net.
    const PER_ROUND: usize = 50;
    let mut traps = Vec::new();
    let mut remaining = set.to_vec();
    while traps.len() < PER_ROUND {
        if let Some(reason) = budget.exhausted() {
            return Err(reason);
        }
        let Some(trap) = small_marked_trap(net, &remaining) else { break };
        remaining.retain(|p| trap.binary_search(p).is_err());
        traps.push(trap);
    }
    Ok(traps)
}

/// Adds clauses over "place is in the set" that characterise the sets of the property.
fn set_clauses(net: &Net, property: SiphonTrapProperty, add: &mut dyn FnMut(&[Literal])) {
    match property {
        SiphonTrapProperty::EverySiphon => closure_clauses(net, ClosureKind::Siphon, add),
        SiphonTrapProperty::DeadMarkings => {
            for t in net.transitions() {
                // A transition with a heavier input arc imposes no condition on the set (condition
                // 2 of the module).
                if net.pre(t).iter().all(|arc| arc.weight == 1) {
                    add(&net.pre(t).iter().map(|arc| in_set(arc.place)).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn ask(text: &str, property: SiphonTrapProperty) -> (Net, SiphonTrap) {
        let net = text::parse(text).unwrap();
        let answer = siphon_trap(&net, property, &Budget::unlimited()).unwrap();
        if let SiphonTrap::Holds(certificate) = &answer {
            assert_eq!(certificate.check(&net, &Budget::unlimited()), Ok(()));
        }
        (net, answer)
    }

    const RING: &str = "place p 1\nplace q\ntransition a: p -> q\ntransition b: q -> p";

    #[test]
    fn a_marked_ring_never_stops_and_an_unmarked_one_may() {
        for property in [SiphonTrapProperty::EverySiphon, SiphonTrapProperty::DeadMarkings] {
            let (net, answer) = ask(RING, property);
            let SiphonTrap::Holds(certificate) = answer else { panic!("{answer:?}") };
            assert!(certificate.excludes_deadlocks(&net));
            assert_eq!(certificate.traps, [[0, 1].map(PlaceId::new).to_vec()]);
            let (_, empty) = ask(&RING.replace("p 1", "p 0"), property);
            assert_eq!(empty, SiphonTrap::Fails([0, 1].map(PlaceId::new).to_vec()));
        }
    }

    #[test]
    fn a_part_that_dies_refutes_commoner_but_not_deadlock_freeness() {
        let text = format!("{RING}\nplace r 1\ntransition d: r ->");
        let (_, classic) = ask(&text, SiphonTrapProperty::EverySiphon);
        assert_eq!(classic, SiphonTrap::Fails(vec![PlaceId::new(2)]));
        let (_, dead) = ask(&text, SiphonTrapProperty::DeadMarkings);
        assert!(matches!(dead, SiphonTrap::Holds(_)));
    }

    #[test]
    fn heavy_input_arcs_void_commoners_conclusion() {
        // Dead at once, although the only siphon {p} is a marked trap.
        let text = "place p 1\ntransition t: 2*p -> 2*p";
        let (net, classic) = ask(text, SiphonTrapProperty::EverySiphon);
        let SiphonTrap::Holds(certificate) = classic else { panic!("{classic:?}") };
        assert!(!certificate.excludes_deadlocks(&net));
        let (_, dead) = ask(text, SiphonTrapProperty::DeadMarkings);
        assert_eq!(dead, SiphonTrap::Fails(Vec::new()));
        // Heavy arcs to places are harmless.
        let (_, heavy_out) =
            ask("place p 1\ntransition t: p -> 3*p", SiphonTrapProperty::DeadMarkings);
        assert!(matches!(heavy_out, SiphonTrap::Holds(_)));
    }

    #[test]
    fn nets_without_transitions_are_dead_and_source_transitions_never_are() {
        let (net, classic) = ask("place p 1", SiphonTrapProperty::EverySiphon);
        assert!(!matches!(classic, SiphonTrap::Holds(c) if c.excludes_deadlocks(&net)));
        assert_eq!(
            ask("place p 1", SiphonTrapProperty::DeadMarkings).1,
            SiphonTrap::Fails(Vec::new())
        );
        let (_, source) = ask("place p\ntransition s: -> p", SiphonTrapProperty::DeadMarkings);
        assert!(matches!(source, SiphonTrap::Holds(_)));
    }

    #[test]
    fn a_forged_certificate_is_refused() {
        let (net, answer) = ask(RING, SiphonTrapProperty::DeadMarkings);
        let SiphonTrap::Holds(mut certificate) = answer else { panic!("{answer:?}") };
        certificate.traps[0].pop();
        assert_eq!(
            certificate.check(&net, &Budget::unlimited()),
            Err(CertificateError::NotATrap(0))
        );
        certificate.traps.clear();
        assert!(certificate.check(&net, &Budget::unlimited()).is_err());
    }
}
