//! Inductive invariants: clauses over linear comparisons that hold initially, and that every firing
//! preserves.
//!
//! # Conditions
//! A certificate lists bounds with their derivation (see [`bounds`](super::bounds)), comparisons
//! a·m ≤ k, the sums among them that have a constant remainder modulo a number, clauses over the
//! comparisons, and steps. The checker requires
//!
//! 1. the derivation of the bounds is correct, and every firing changes a sum with a constant
//!    remainder by a multiple of the number;
//! 2. every clause has a literal that is true of m₀;
//! 3. every step follows from the bounds, the clauses and the steps before it;
//! 4. for every clause c and transition t, these assumptions contradict each other: a marking m
//!    satisfies all bounds, clauses and steps and enables t, and after the firing of t the upper
//!    bounds hold and c is false. The check is skipped if t makes no true literal of c false,
//!    because c holds before the firing.
//!
//! A predicate is refuted if its skeleton and the steps of the ending lead to a contradiction in
//! the same way. These steps may also contain variables of the predicate's conjunctions and
//! disjunctions.
//!
//! All consequences and contradictions are found by intervals, rounded to the constant remainder of
//! a sum, and unit propagation ([`propagation`](super::propagation)). An argument that needs a case
//! distinction must be written down as a step.
//!
//! # Soundness
//! By induction along a firing sequence all clauses hold. Initially they hold by (2). If they hold
//! in a reachable marking, then so do the steps by (3). After a firing, which leads to a reachable
//! marking within the bounds, the clauses hold by (4). Conditions 3 and 4 are about single markings
//! and integer sums, so intervals may be rounded to integers.
//!
//! A place invariant w·m = w·m₀ is given by two clauses of one literal each, ≤ and ≥. A larger sum
//! that contains w·m is written as that known value plus the remaining places, and the interval of
//! each part is used. A marked trap is one clause.
//!
//! # Sources
//! J. Desel, M.-D. Radola, *Proving non-reachability by modulo-place-invariants*, FSTTCS 1994
//! (remainders); Z. Manna, A. Pnueli, *Temporal verification of reactive systems: safety*, 1995
//! (the rule INV); A. Bradley, *SAT-based model checking without unrolling*, VMCAI 2011 (clauses
//! found one by one); E. Goldberg, Y. Novikov, *Verification of proofs of unsatisfiability for CNF
//! formulas*, DATE 2003.

use super::bounds::{BoundsCertificate, DerivedBounds};
use super::flaw::{Flaw, check_places};
use super::propagation::{BoundLiteral, BoundPropagator};
use super::skeleton::{Skeleton, Variables};
use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// An inductive invariant, as plain data. Comparison i is variable i + 1 of clauses and steps; a
/// negative number is a negation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Induction<P = PlaceId, A = Atom> {
    /// Bounds on tokens that hold in every reachable marking.
    pub bounds: BoundsCertificate<P>,
    /// The comparisons that occur in the clauses. Variable i + 1 of a clause is comparison i.
    pub atoms: Vec<A>,
    /// Indices of comparisons whose sum has a constant remainder, with the modulus, which is at
    /// least 2. Each sum occurs once. A sum of one place has the coefficient 1 or −1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remainders: Vec<(usize, u32)>,
    /// The invariant, as a conjunction of clauses.
    pub clauses: Vec<Vec<i32>>,
    /// Clauses that follow from the bounds, the invariant and the steps before them.
    pub steps: Vec<Vec<i32>>,
    /// Intermediate clauses of the refutation of a predicate. [`Induction::clauses_of`] defines
    /// their variables.
    pub ending: Vec<Vec<i32>>,
}

/// A checked invariant.
#[derive(Debug)]
pub struct Invariant<'a> {
    /// The checked certificate.
    certificate: &'a Induction,
    /// A propagator with the bounds, the clauses and the steps of the certificate.
    propagator: BoundPropagator,
}

/// The number of checked clauses, steps or transitions between two calls of `goes_on`.
const POLL_INTERVAL: usize = 64;

impl Induction {
    /// Checks the four conditions of the module documentation.
    ///
    /// # Errors
    /// The first flaw found, or [`Flaw::Stopped`].
    pub fn check(
        &self,
        net: &Net,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Invariant<'_>, Flaw> {
        poll(0, goes_on)?;
        let bounds = self.bounds.check(net, goes_on)?; // 1
        let mut propagator = propagator_of_places(net, &bounds);
        let mut literals = Vec::with_capacity(self.atoms.len());
        for atom in &self.atoms {
            check_places(net, atom.sum.terms().iter().map(|&(place, _)| place))?;
            literals.push(propagator.literal(atom));
        }
        let is_true_initially = |&variable: &i32| {
            let holds = self.atoms[variable.unsigned_abs() as usize - 1].holds(net.initial());
            holds == (variable > 0)
        };
        let effects = effects(net);
        for (index, &(atom_index, modulus)) in self.remainders.iter().enumerate() {
            let literal = literals.get(atom_index).ok_or(Flaw::NoSuchPart(
                index,
                "comparison",
                atom_index,
            ))?;
            keep_remainder(
                &mut propagator,
                net,
                index,
                (&self.atoms[atom_index], literal.term),
                modulus,
                &effects,
            )?;
        }
        let mut composed_terms: Vec<usize> =
            self.remainders.iter().map(|&(atom_index, _)| literals[atom_index].term).collect();
        composed_terms.retain(|&term| term >= net.place_count());
        propagator
            .compose(&self.fixed(net, &literals), &composed_terms, goes_on)
            .ok_or(Flaw::Stopped)?;
        let mut invariant = Vec::with_capacity(self.clauses.len());
        for (index, clause) in self.clauses.iter().enumerate() {
            invariant.push(resolve_clause(clause, &literals, index)?);
            if !clause.iter().any(is_true_initially) {
                return Err(Flaw::FalseAtFirst(index)); // 2
            }
        }
        for (count, clause) in invariant.iter().enumerate() {
            poll(count, goes_on)?;
            propagator.add(clause);
        }
        add_steps(&mut propagator, &self.steps, &literals, goes_on)?; // 3
        let mut checked_count = 0;
        for (index, clause) in invariant.iter().enumerate() {
            for (t, changes) in falsifying_transitions(&propagator, clause, &effects)? {
                checked_count += 1;
                poll(checked_count, goes_on)?;
                let mut assumed = firing_conditions(net, t, &bounds)?;
                let mut changes = changes.into_iter().peekable();
                for (position, literal) in clause.iter().enumerate() {
                    let change = changes.next_if(|it| it.0 == position).map_or(0, |it| it.1);
                    assumed.push(literal.negated().precondition(change)?);
                }
                if !propagator.contradicts(assumed) {
                    return Err(Flaw::NotInductive(index, t)); // 4
                }
            }
        }
        Ok(Invariant { certificate: self, propagator })
    }

    /// Returns the terms of the sums of several places that pairs of clauses at the beginning fix
    /// to one value. Each clause of a pair has one comparison: the sum is at most k, and at least
    /// k. The search ends at the first other pair. The clauses need not be correct yet: rewriting a
    /// sum in terms of these sums is valid whatever their values are.
    pub(super) fn fixed(&self, net: &Net, literals: &[BoundLiteral]) -> Vec<usize> {
        let literal = |clause: &[i32]| {
            let &[variable] = clause else { return None };
            let index = (variable.unsigned_abs() as usize).checked_sub(1)?;
            let literal = *literals.get(index)?;
            Some(if variable > 0 { literal } else { literal.negated() })
        };
        let pair = |pair: &[Vec<i32>]| {
            let (first, second) = (literal(&pair[0])?, literal(&pair[1])?);
            let has_same_bound = first.term == second.term && first.bound == second.bound;
            (has_same_bound && first.upper != second.upper && first.term >= net.place_count())
                .then_some(first.term)
        };
        let mut seen_terms = BTreeSet::new();
        let fixed = self.clauses.chunks_exact(2).map_while(pair);
        fixed.filter(|&term| seen_terms.insert(term)).collect()
    }

    /// Returns the clauses of "`predicate` holds" and the atoms that are not in the certificate.
    /// The variables of these atoms follow the certificate's own in the order of the predicate;
    /// then the variables of conjunctions and disjunctions, parents before children. Returns `None`
    /// if the predicate may be true whatever the variables are.
    pub fn clauses_of(
        &self,
        net: &Net,
        predicate: &Predicate,
    ) -> Option<(Vec<Vec<i32>>, Vec<Atom>)> {
        let predicate = predicate.to_atoms(net);
        let (variables, added) = self.variables(&predicate);
        let atoms = self.atoms.len() + added.len();
        let skeleton = Skeleton::of(&predicate, atoms, &variables)?;
        Some((skeleton.clauses, added.into_iter().cloned().collect()))
    }

    /// Returns the variables of the comparisons of the certificate and of `predicate`, and the
    /// comparisons that only the predicate has. The latter get the next variables, in the order of
    /// the predicate.
    pub(super) fn variables<'a>(
        &'a self,
        predicate: &'a Predicate,
    ) -> (Variables<'a>, Vec<&'a Atom>) {
        let mut variables = Variables::new();
        for (atom, variable) in self.atoms.iter().zip(1..) {
            variables.entry(&atom.sum).or_default().entry(atom.bound).or_insert(variable);
        }
        let mut added = Vec::new();
        collect(predicate, &mut |atom| {
            let next_variable = (self.atoms.len() + added.len()) as i32 + 1;
            let bounds = variables.entry(&atom.sum).or_default();
            if let std::collections::btree_map::Entry::Vacant(entry) = bounds.entry(atom.bound) {
                entry.insert(next_variable);
                added.push(atom);
            }
        });
        (variables, added)
    }
}

impl Invariant<'_> {
    /// Checks that no marking that satisfies the invariant satisfies `predicate`, whose only leaves
    /// are comparisons and constants.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] or another flaw, or [`Flaw::Stopped`].
    pub fn refute(
        &self,
        predicate: &Predicate,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let Some((mut propagator, literals)) = self.assume(predicate)? else { return Ok(()) };
        match add_steps(&mut propagator, &self.certificate.ending, &literals, goes_on)? {
            true => Ok(()),
            false => Err(Flaw::DoesNotFollow),
        }
    }

    /// Checks that no marking that satisfies the invariant satisfies `predicate`, with up to
    /// `max_cases` cases. This succeeds more often than [`refute`](Self::refute) if the ending was
    /// written for an equivalent predicate of another form. Steps of the ending that do not follow
    /// are skipped.
    ///
    /// # Errors
    /// The errors of [`refute`](Self::refute).
    pub fn refute_by_cases(
        &self,
        predicate: &Predicate,
        max_cases: usize,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), Flaw> {
        let Some((mut propagator, literals)) = self.assume(predicate)? else { return Ok(()) };
        for (index, step) in self.certificate.ending.iter().enumerate() {
            poll(index, goes_on)?;
            let Ok(step) = resolve_clause(step, &literals, index) else { continue };
            let follows = propagator.contradicts(step.iter().map(|literal| literal.negated()));
            if follows && propagator.add(&step) {
                return Ok(());
            }
        }
        match propagator.contradicts_by_cases(&literals, max_cases, goes_on) {
            Some(true) => Ok(()),
            Some(false) => Err(Flaw::DoesNotFollow),
            None => Err(Flaw::Stopped),
        }
    }

    /// Adds the assumption that the predicate holds to a copy of the propagator. Returns the copy
    /// and the literals of the variables, or `None` if the assumption is contradictory.
    ///
    /// # Errors
    /// [`Flaw::DoesNotFollow`] if the predicate may be true whatever the values of the comparisons
    /// are.
    fn assume(
        &self,
        predicate: &Predicate,
    ) -> Result<Option<(BoundPropagator, Vec<BoundLiteral>)>, Flaw> {
        let (variables, added) = self.certificate.variables(predicate);
        let atoms: Vec<&Atom> = self.certificate.atoms.iter().chain(added).collect();
        let skeleton = Skeleton::of(predicate, atoms.len(), &variables);
        let skeleton = skeleton.ok_or(Flaw::DoesNotFollow)?;
        let mut propagator = self.propagator.clone();
        let mut literals: Vec<BoundLiteral> =
            atoms.into_iter().map(|atom| propagator.literal(atom)).collect();
        while literals.len() < skeleton.variable_count {
            let term = propagator.add_term(Some(0), Some(1));
            literals.push(BoundLiteral { term, upper: false, bound: 1 });
        }
        for (index, clause) in skeleton.clauses.iter().enumerate() {
            if propagator.add(&resolve_clause(clause, &literals, index)?) {
                return Ok(None);
            }
        }
        Ok(Some((propagator, literals)))
    }
}

/// Checks that no marking within the bounds satisfies `predicate`, whose only leaves are
/// comparisons, with up to `max_cases` cases.
///
/// # Errors
/// [`Flaw::DoesNotFollow`] or another flaw, or [`Flaw::Stopped`].
pub(super) fn refute_within(
    net: &Net,
    bounds: &DerivedBounds,
    predicate: &Predicate,
    max_cases: usize,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), Flaw> {
    let none = BoundsCertificate { assumes_units: false, steps: Vec::new() };
    let certificate = Induction {
        bounds: none,
        atoms: Vec::new(),
        remainders: Vec::new(),
        clauses: Vec::new(),
        steps: Vec::new(),
        ending: Vec::new(),
    };
    let invariant =
        Invariant { certificate: &certificate, propagator: propagator_of_places(net, bounds) };
    invariant.refute_by_cases(predicate, max_cases, goes_on)
}

/// Returns a propagator with the places as terms, within their bounds.
pub(super) fn propagator_of_places(net: &Net, bounds: &DerivedBounds) -> BoundPropagator {
    let mut known = BoundPropagator::default();
    for place in net.places() {
        let (low, high) = bounds.interval(place);
        known.add_term(Some(low.into()), high.map(i128::from));
    }
    known
}

/// Records that the term of a comparison has a constant remainder modulo `modulus`, after checking
/// that no firing changes the remainder. `index` is the index of the remainder in the certificate,
/// `term` the term of `atom`, and `effects` the result of [`effects`].
fn keep_remainder(
    propagator: &mut BoundPropagator,
    net: &Net,
    index: usize,
    (atom, term): (&Atom, usize),
    modulus: u32,
    effects: &[Vec<(TransitionId, i128)>],
) -> Result<(), Flaw> {
    let modulus = i128::from(modulus);
    let is_scaled = matches!(atom.sum.terms(), [(_, a)] if a.abs() != 1);
    if modulus < 2 || is_scaled || atom.sum.is_zero() {
        return Err(Flaw::NoRemainder(index));
    }
    let mut changes: BTreeMap<TransitionId, i128> = BTreeMap::new();
    let mut initially = 0i128;
    for (place, a) in propagator.summands(term) {
        let product = |factor: i128| a.checked_mul(factor).ok_or(Flaw::Overflow);
        let tokens = net.initial()[PlaceId::new(place)];
        initially = initially.checked_add(product(tokens.into())?).ok_or(Flaw::Overflow)?;
        for &(t, effect) in &effects[place] {
            let change = changes.entry(t).or_default();
            *change = change.checked_add(product(effect)?).ok_or(Flaw::Overflow)?;
        }
    }
    if let Some((&t, _)) = changes.iter().find(|&(_, change)| change % modulus != 0) {
        return Err(Flaw::ChangesRemainder(index, t));
    }
    match propagator.keep_remainder(term, modulus, initially.rem_euclid(modulus)) {
        true => Ok(()),
        false => Err(Flaw::NoRemainder(index)),
    }
}

/// Returns conditions on the marking in which `t` fires. The input places of `t` have enough
/// tokens, and the upper bounds still hold after the firing.
fn firing_conditions(
    net: &Net,
    t: TransitionId,
    bounds: &DerivedBounds,
) -> Result<Vec<BoundLiteral>, Flaw> {
    let has_tokens = |arc: &parikh_net::Arc| {
        let (term, bound) = (arc.place.index(), i128::from(arc.weight));
        BoundLiteral { term, upper: false, bound }
    };
    let mut assumed: Vec<BoundLiteral> = net.pre(t).iter().map(has_tokens).collect();
    for change in net.delta(t) {
        let term = change.place.index();
        if let (true, (_, Some(high))) = (change.delta > 0, bounds.interval(change.place)) {
            let after = BoundLiteral { term, upper: true, bound: high.into() };
            assumed.push(after.precondition(change.delta.into())?);
        }
    }
    Ok(assumed)
}

/// Checks that each step follows, and then adds it. Returns true on a contradiction, and does not
/// check the steps after it. Returns false if propagation finds no contradiction in all steps
/// together.
fn add_steps(
    propagator: &mut BoundPropagator,
    steps: &[Vec<i32>],
    literals: &[BoundLiteral],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<bool, Flaw> {
    for (index, step) in steps.iter().enumerate() {
        poll(index, goes_on)?;
        let step = resolve_clause(step, literals, index)?;
        if !propagator.contradicts(step.iter().map(|literal| literal.negated())) {
            return Err(Flaw::StepDoesNotFollow(index));
        }
        if propagator.add(&step) {
            return Ok(true);
        }
    }
    Ok(propagator.contradicts([]))
}

/// Polls `goes_on` once in 64 calls with consecutive values of `count`.
fn poll(count: usize, goes_on: &mut dyn FnMut() -> bool) -> Result<(), Flaw> {
    let stopped = count.is_multiple_of(POLL_INTERVAL) && !goes_on();
    if stopped { Err(Flaw::Stopped) } else { Ok(()) }
}

/// Returns the literals of a clause of the certificate. `literals` are the literals of the
/// variables, from variable 1. `index` is the index of the clause in error messages.
fn resolve_clause(
    clause: &[i32],
    literals: &[BoundLiteral],
    index: usize,
) -> Result<Vec<BoundLiteral>, Flaw> {
    let literal = |&variable: &i32| {
        let atom_index = (variable.unsigned_abs() as usize).wrapping_sub(1);
        let literal =
            literals.get(atom_index).ok_or(Flaw::NoSuchPart(index, "comparison", atom_index))?;
        Ok(if variable > 0 { *literal } else { literal.negated() })
    };
    clause.iter().map(literal).collect()
}

/// Returns, by place, the transitions that change it, with the change.
pub(super) fn effects(net: &Net) -> Vec<Vec<(TransitionId, i128)>> {
    let mut effects = vec![Vec::new(); net.place_count()];
    for t in net.transitions() {
        for change in net.delta(t) {
            effects[change.place.index()].push((t, change.delta.into()));
        }
    }
    effects
}

/// For one transition, its changes of the terms of a clause's literals, by position in the clause.
pub(super) type LiteralChanges = Vec<(usize, i128)>;

/// Returns the transitions that may make a true literal of the clause false. Each transition has
/// its changes of the terms of the literals.
pub(super) fn falsifying_transitions(
    propagator: &BoundPropagator,
    clause: &[BoundLiteral],
    effects: &[Vec<(TransitionId, i128)>],
) -> Result<BTreeMap<TransitionId, LiteralChanges>, Flaw> {
    let mut changes: BTreeMap<TransitionId, LiteralChanges> = BTreeMap::new();
    for (position, literal) in clause.iter().enumerate() {
        for (place, a) in propagator.summands(literal.term) {
            for &(t, effect) in &effects[place] {
                let change = a.checked_mul(effect).ok_or(Flaw::Overflow)?;
                let literal_changes = changes.entry(t).or_default();
                match literal_changes.last_mut().filter(|last| last.0 == position) {
                    Some((_, sum)) => *sum = sum.checked_add(change).ok_or(Flaw::Overflow)?,
                    None => literal_changes.push((position, change)),
                }
            }
        }
    }
    changes.retain(|_, changes| {
        changes.iter().any(|&(position, change)| match clause[position].upper {
            true => change > 0,
            false => change < 0,
        })
    });
    Ok(changes)
}

/// Calls `each` with the comparisons of a predicate, in order.
fn collect<'a>(predicate: &'a Predicate, each: &mut dyn FnMut(&'a Atom)) {
    match predicate {
        Predicate::Atom(atom) => each(atom),
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| collect(part, each));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Document;
    use parikh_net::{LinearSum, text};

    /// Two processes that share a lock, and an unbounded place `log`.
    fn net() -> Net {
        text::parse(
            "place lock 1
             place idle1 1
             place in1
             place idle2 1
             place in2
             place log
             transition enter1: lock + idle1 -> in1
             transition leave1: in1 -> lock + idle1 + log
             transition enter2: lock + idle2 -> in2
             transition leave2: in2 -> lock + idle2 + log",
        )
        .unwrap()
    }

    fn atom(net: &Net, names: &[(&str, i64)], bound: i64) -> Atom {
        let terms = names.iter().map(|&(name, a)| (net.place_named(name).unwrap(), a));
        Atom { sum: LinearSum::new(terms).unwrap(), bound }
    }

    fn invariant(atoms: Vec<Atom>, clauses: Vec<Vec<i32>>, steps: Vec<Vec<i32>>) -> Induction {
        let bounds = BoundsCertificate { assumes_units: false, steps: Vec::new() };
        Induction { bounds, atoms, remainders: Vec::new(), clauses, steps, ending: Vec::new() }
    }

    fn verdict(net: &Net, induction: Induction, refuted: &Predicate) -> Result<(), Flaw> {
        let goes_on = &mut || true;
        Document::Induction(induction).check(net, goes_on)?.refutes(refuted, goes_on)
    }

    fn both(net: &Net) -> Predicate {
        let inside = ["in1", "in2"].map(|name| net.place_named(name).unwrap());
        Predicate::and(inside.map(|place| Predicate::at_least(place, 1)))
    }

    #[test]
    fn clauses_exclude_the_markings_that_violate_them() {
        let net = net();
        let at_most = |name: &str, bound| atom(&net, &[(name, 1)], bound);
        let atoms = vec![at_most("in1", 0), at_most("in2", 0), at_most("lock", 0)];
        // At most one process is inside, and a process that is inside holds the lock.
        let clauses = vec![vec![1, 2], vec![1, 3], vec![2, 3]];
        let ones = || vec![at_most("lock", 1), at_most("in1", 1), at_most("in2", 1)];
        let with_ones = |mut atoms: Vec<Atom>, mut clauses: Vec<Vec<i32>>| {
            clauses.extend((1..=3).map(|k| vec![atoms.len() as i32 + k]));
            atoms.extend(ones());
            invariant(atoms, clauses, Vec::new())
        };
        let whole = with_ones(atoms.clone(), clauses.clone());
        assert_eq!(verdict(&net, whole.clone(), &both(&net)), Ok(()));
        let in1 = net.place_named("in1").unwrap();
        let one = Predicate::at_least(in1, 1);
        assert_eq!(verdict(&net, whole, &one), Err(Flaw::DoesNotFollow));
        // The first clause alone is not inductive: the other clauses exclude that a process enters
        // while the other is inside.
        let enter2 = net.transition_named("enter2").unwrap();
        let part = with_ones(atoms.clone(), vec![vec![1, 2]]);
        let enter1 = net.transition_named("enter1").unwrap();
        let flaw = verdict(&net, part, &both(&net)).unwrap_err();
        assert!([enter1, enter2].map(|t| Flaw::NotInductive(0, t)).contains(&flaw), "{flaw}");
        let never = invariant(vec![at_most("idle1", 0)], vec![vec![1]], Vec::new());
        assert_eq!(verdict(&net, never, &both(&net)), Err(Flaw::FalseAtFirst(0)));
    }

    #[test]
    fn a_place_invariant_is_two_clauses_that_bound_its_places() {
        let net = net();
        let sum = atom(&net, &[("lock", 1), ("in1", 1), ("in2", 1)], 1);
        let above = invariant(vec![sum.clone()], vec![vec![1]], Vec::new());
        assert_eq!(verdict(&net, above.clone(), &both(&net)), Ok(()));
        let log = Predicate::at_least(net.place_named("log").unwrap(), 1);
        assert_eq!(verdict(&net, above.clone(), &log), Err(Flaw::DoesNotFollow));
        // The sum bounds `in1` by 1, so this step follows.
        let in1 = atom(&net, &[("in1", 1)], 1);
        let steps = |step| Induction {
            atoms: vec![sum.clone(), in1.clone()],
            steps: vec![step],
            ..above.clone()
        };
        assert_eq!(verdict(&net, steps(vec![2]), &both(&net)), Ok(()));
        // Its negation and the empty clause do not follow, and variable 3 does not exist.
        assert_eq!(verdict(&net, steps(vec![-2]), &both(&net)), Err(Flaw::StepDoesNotFollow(0)));
        assert_eq!(verdict(&net, steps(vec![]), &both(&net)), Err(Flaw::StepDoesNotFollow(0)));
        let beyond = verdict(&net, steps(vec![3]), &both(&net));
        assert_eq!(beyond, Err(Flaw::NoSuchPart(0, "comparison", 2)));
    }

    #[test]
    fn bounds_are_rounded_to_fixed_remainders() {
        // Each transition moves two tokens between pairs of places, or none. So the number of
        // tokens of each pair stays odd, and no pair is ever empty.
        let net = text::parse(
            "place a 1
             place b 2
             place c
             place d 1
             place e
             place f 1
             transition t: a -> b
             transition u: b -> a
             transition v: a + b -> c + d
             transition w: c + d -> e + f
             transition x: e + f -> a + b",
        )
        .unwrap();
        let sum = |bound| atom(&net, &[("a", 1), ("b", 1)], bound);
        let empty = ["a", "b"].map(|name| net.place_named(name).unwrap());
        let empty = Predicate::and(empty.map(|place| Predicate::no_more_than(place, 0)));
        let odd = |remainders| Induction {
            remainders,
            ..invariant(vec![sum(0)], Vec::new(), Vec::new())
        };
        assert_eq!(verdict(&net, odd(vec![]), &empty), Err(Flaw::DoesNotFollow));
        assert_eq!(verdict(&net, odd(vec![(0, 2)]), &empty), Ok(()));
        assert_eq!(
            verdict(&net, odd(vec![(1, 2)]), &empty),
            Err(Flaw::NoSuchPart(0, "comparison", 1))
        );
        assert_eq!(verdict(&net, odd(vec![(0, 2), (0, 2)]), &empty), Err(Flaw::NoRemainder(1)));
        for modulus in [0, 1] {
            assert_eq!(verdict(&net, odd(vec![(0, modulus)]), &empty), Err(Flaw::NoRemainder(0)));
        }
        let v = net.transition_named("v").unwrap();
        assert_eq!(verdict(&net, odd(vec![(0, 3)]), &empty), Err(Flaw::ChangesRemainder(0, v)));
        // The total is 5, and each pair holds at least one token, so a + b is at most 3.
        let all = ["a", "b", "c", "d", "e", "f"].map(|name| (name, 1));
        let pair = |one, other| atom(&net, &[(one, 1), (other, 1)], 0);
        let atoms = vec![atom(&net, &all, 5), sum(0), pair("c", "d"), pair("e", "f")];
        let whole = Induction {
            remainders: vec![(1, 2), (2, 2), (3, 2)],
            ..invariant(atoms, vec![vec![1]], Vec::new())
        };
        let four = Predicate::Atom(sum(3).negated());
        assert_eq!(verdict(&net, whole.clone(), &four), Ok(()));
        let fewer = Induction { remainders: vec![(1, 2)], ..whole };
        assert_eq!(verdict(&net, fewer, &four), Err(Flaw::DoesNotFollow));
        // A multiple of one place must not have a remainder.
        let doubled = atom(&net, &[("a", 2)], 0);
        let scaled =
            Induction { remainders: vec![(0, 2)], ..invariant(vec![doubled], vec![], vec![]) };
        assert_eq!(verdict(&net, scaled, &empty), Err(Flaw::NoRemainder(0)));
    }

    #[test]
    fn rows_that_raise_each_other_end() {
        let net = text::parse("place p\nplace q\nplace r").unwrap();
        let less = |one, other| atom(&net, &[(one, 1), (other, -1)], -1);
        let around = vec![less("p", "q"), less("q", "r"), less("r", "p")];
        let known = invariant(around, Vec::new(), vec![vec![-1, -2, -3]]);
        // p < q < r < p is contradictory, but no interval becomes empty after any number of rounds.
        assert_eq!(verdict(&net, known, &Predicate::True), Err(Flaw::StepDoesNotFollow(0)));
    }
}
