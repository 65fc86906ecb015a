//! Builds the certificate of one goal from lemmas.
//!
//! A goal needs only a few of the lemmas collected for all goals. The lemmas about its own
//! comparisons are given to a SAT solver, each behind an assumption. The unsatisfiable core becomes
//! the list of lemmas in the certificate. Then the derivation steps are computed, and the checker
//! verifies the certificate.

use super::lower_bounds::LowerBoundPremises;
use parikh_evidence::certificate::{
    BoundsCertificate, Flaw, Lemma, LinearCertificate, LowerBound, Precedence,
};
use parikh_net::{Atom, EffectId, LinearSum, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::cnf::{Literal, to_dimacs};
use parikh_solvers::dump::{Dump, recorded_sat};
use parikh_solvers::sat::{ProvingSat, SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::{BatSat, ProvingBatSat};
use std::collections::HashMap;
use std::convert::Infallible;

/// The reason why there is no certificate.
pub(super) enum NoProof {
    /// Time ran out, the place bounds that a lower bound needs cannot be derived, or several lemmas
    /// together do not imply the claim.
    Unfinished,
    /// The checker refuses the certificate, or at most one lemma is given and does not imply the
    /// claim: an internal error.
    Flawed(Flaw),
}

/// The material from which a certificate is assembled.
#[derive(Clone, Copy)]
pub(super) struct CertificateParts<'a> {
    /// The lemmas. Numbers of comparisons in a lemma are arguments of `atom`, and numbers of traps
    /// are indices in `traps`.
    pub(super) lemmas: &'a [&'a Lemma],
    /// Returns the comparison with the given number.
    pub(super) atom: &'a dyn Fn(usize) -> Atom,
    /// The traps, to which lemmas refer by index.
    pub(super) traps: &'a [Vec<PlaceId>],
    /// The weighted lower bounds, to which lemmas refer by index, and the token intervals that
    /// their proofs use. `None` if the lemmas use no lower bounds.
    pub(super) lower_bounds: Option<(&'a [LowerBound], &'a LowerBoundPremises)>,
    /// The precedences, that is, conditions on the order of firings. Numbers of comparisons in a
    /// precedence are arguments of `atom`.
    pub(super) precedences: &'a [Precedence],
}

/// Returns the certificate that no reachable marking satisfies `refuted`, after the checker has
/// accepted it.
pub(super) fn certificate(
    net: &Net,
    refuted: &Predicate,
    parts: CertificateParts<'_>,
    budget: &Budget,
    dump: Option<&Dump>,
) -> Result<LinearCertificate, NoProof> {
    let mut certificate = assemble(net, parts, budget).ok_or(NoProof::Unfinished)?;
    if parts.lemmas.len() > 1 {
        let needed =
            needed_lemmas(net, &certificate, refuted, budget, dump).ok_or(NoProof::Unfinished)?;
        let needed: Vec<&Lemma> = needed.into_iter().map(|index| parts.lemmas[index]).collect();
        let parts = CertificateParts { lemmas: &needed, ..parts };
        certificate = assemble(net, parts, budget).ok_or(NoProof::Unfinished)?;
    }
    match run_checker(net, &certificate, refuted) {
        Ok(()) => return Ok(certificate),
        Err(Flaw::DoesNotFollow) => {}
        Err(flaw) => return Err(NoProof::Flawed(flaw)),
    }
    certificate.steps = match refutation(&certificate.clauses(net, refuted), budget) {
        Some(steps) => steps,
        None if budget.is_exhausted() => return Err(NoProof::Unfinished),
        None => return Err(NoProof::Flawed(Flaw::DoesNotFollow)),
    };
    match run_checker(net, &certificate, refuted) {
        Ok(()) => Ok(certificate),
        Err(flaw) => Err(NoProof::Flawed(flaw)),
    }
}

/// Runs the certificate checker, which checks that no reachable marking satisfies `refuted`.
fn run_checker(
    net: &Net,
    certificate: &LinearCertificate,
    refuted: &Predicate,
) -> Result<(), Flaw> {
    let keep_going = &mut || true;
    certificate.check(net, keep_going)?.refute(&refuted.to_atoms(net), keep_going)
}

/// Collects the lemmas, with their comparisons, traps and lower bounds renumbered in the order of
/// occurrence. Also includes the precedences whose comparisons occur. Returns `None` if the place
/// bounds that prove the lower bounds cannot be derived in time.
fn assemble(net: &Net, parts: CertificateParts<'_>, budget: &Budget) -> Option<LinearCertificate> {
    let CertificateParts { atom, traps, .. } = parts;
    let (mut atom_of, mut trap_of) = (Positions::default(), Positions::default());
    let mut lower_bound_of = Positions::default();
    let renumbered = parts.lemmas.iter().map(|lemma| {
        let mut lemma = (*lemma).clone();
        lemma.atoms.iter_mut().for_each(|(index, _)| *index = atom_of.position(*index));
        lemma.traps.iter_mut().for_each(|(index, _)| *index = trap_of.position(*index));
        let lower_bounds = lemma.lower_bounds.iter_mut();
        lower_bounds.for_each(|(index, _)| *index = lower_bound_of.position(*index));
        lemma
    });
    let mut lemmas: Vec<Lemma> = renumbered.collect();
    let position = |index: usize| atom_of.position_of.get(&index).copied();
    let used_precedences = parts.precedences.iter().filter_map(|precedence| {
        precedence.atoms().into_iter().map(position).collect::<Option<Vec<usize>>>()?;
        let new_index = |index| position(index).unwrap_or_default();
        precedence.renamed(|&place| Ok::<_, Infallible>(place), new_index).ok()
    });
    let precedences = used_precedences.collect();
    let mut atoms: Vec<Atom> = atom_of.entries.into_iter().map(atom).collect();
    let counters = renumber_counters(net, &mut atoms, &mut lemmas);
    let (lower_bounds, bounds) = match parts.lower_bounds {
        Some((all_lower_bounds, premises)) => {
            let used =
                lower_bound_of.entries.into_iter().map(|index| all_lower_bounds[index].clone());
            let used: Vec<LowerBound> = used.collect();
            let bounds = premises.derivation(net, &used, budget)?;
            (used, bounds)
        }
        None => (Vec::new(), BoundsCertificate::default()),
    };
    Some(LinearCertificate {
        counters,
        assumes_units: lemmas.iter().any(|lemma| !lemma.units.is_empty()),
        atoms,
        traps: trap_of.entries.into_iter().map(|index| traps[index].clone()).collect(),
        bounds,
        lower_bounds,
        precedences,
        lemmas,
        steps: Vec::new(),
    })
}

/// Renumbers firing counters. The engine counts the firings of every effect class by virtual places
/// after the net's places. The certificate contains only the counters in use. Returns, for each of
/// these, the transitions that it counts.
fn renumber_counters(
    net: &Net,
    atoms: &mut [Atom],
    lemmas: &mut [Lemma],
) -> Vec<Vec<TransitionId>> {
    let places = net.place_count();
    let terms = atoms.iter().flat_map(|atom| atom.sum.terms()).map(|&(place, _)| place);
    let weighted = lemmas.iter().flat_map(|lemma| &lemma.weights).map(|&(place, _)| place);
    let mut used: Vec<PlaceId> =
        terms.chain(weighted).filter(|place| place.index() >= places).collect();
    used.sort_unstable();
    used.dedup();
    let renumbered = |place: PlaceId| match used.binary_search(&place) {
        Ok(position) => PlaceId::new(places + position),
        Err(_) => place,
    };
    for atom in atoms.iter_mut() {
        let terms = atom.sum.terms().iter().map(|&(place, a)| (renumbered(place), a));
        // The coefficients are unchanged, so they fit.
        if let Ok(sum) = LinearSum::new(terms) {
            atom.sum = sum;
        }
    }
    for (place, _) in lemmas.iter_mut().flat_map(|lemma| &mut lemma.weights) {
        *place = renumbered(*place);
    }
    let class = |place: &PlaceId| net.class(EffectId::new(place.index() - places)).to_vec();
    used.iter().map(class).collect()
}

/// A numbering of entries, that is, of indices used by the engine, in the order of their first
/// occurrence.
#[derive(Default)]
struct Positions {
    /// The entries, in the order of their assigned numbers.
    entries: Vec<usize>,
    /// The assigned number of each entry.
    position_of: HashMap<usize, usize>,
}

impl Positions {
    /// Returns the position of an entry, which is appended if it is new.
    fn position(&mut self, wanted: usize) -> usize {
        *self.position_of.entry(wanted).or_insert_with(|| {
            self.entries.push(wanted);
            self.entries.len() - 1
        })
    }
}

/// Returns the indices of lemmas of the certificate that together refute the predicate. Returns
/// `None` if the solver gives no answer, or if all lemmas together do not suffice.
fn needed_lemmas(
    net: &Net,
    certificate: &LinearCertificate,
    refuted: &Predicate,
    budget: &Budget,
    dump: Option<&Dump>,
) -> Option<Vec<usize>> {
    let clauses = certificate.clauses(net, refuted);
    let predicate_clauses = clauses.len().checked_sub(certificate.lemmas.len())?;
    let variables = clauses.iter().flatten().map(|number| number.unsigned_abs()).max()?;
    let mut solver = recorded_sat(BatSat::new(), dump);
    let mut selectors = Vec::new();
    for (index, clause) in clauses.iter().enumerate() {
        let mut literals = literals(clause)?;
        if index >= predicate_clauses {
            // Clauses number their variables from 1 and the solver from 0, so the solver's variable
            // with the number `variables` is the first unused one.
            let selector = Literal::new(variables + (index - predicate_clauses) as u32, true);
            literals.push(!selector);
            selectors.push(selector);
        }
        solver.add_clause(&literals);
    }
    match solver.solve(&selectors, budget) {
        SatAnswer::Unsatisfiable { core } => {
            let lemma = |selector: &Literal| (selector.variable() - variables) as usize;
            Some(core.iter().map(lemma).collect())
        }
        SatAnswer::Satisfiable(_) | SatAnswer::NoAnswer(_) => None,
    }
}

/// Returns the clauses of a refutation, in the order of their derivation. Returns `None` if the
/// clauses are satisfiable or the budget is exhausted.
fn refutation(clauses: &[Vec<i32>], budget: &Budget) -> Option<Vec<Vec<i32>>> {
    let mut solver = ProvingBatSat::new();
    for clause in clauses {
        solver.add_clause(&literals(clause)?);
    }
    match solver.solve(&[], budget) {
        SatAnswer::Unsatisfiable { .. } => Some(solver.learnt().clauses().map(to_dimacs).collect()),
        SatAnswer::Satisfiable(_) | SatAnswer::NoAnswer(_) => None,
    }
}

fn literals(clause: &[i32]) -> Option<Vec<Literal>> {
    clause.iter().map(|&number| Literal::from_dimacs(number)).collect()
}
