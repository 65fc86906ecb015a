//! Turns an invariant into a certificate: the needed cubes, and derivation steps where unit
//! propagation is not sufficient.
//!
//! 1. Only *needed* cubes are written: the cubes in the unsatisfiable core that refutes the goal,
//!    the cubes that make these inductive, the cubes that make the latter inductive, and so on.
//!    Most cubes of the last frames are not needed.
//! 2. The theory lemmas from the search are not written, since the checker computes the intervals
//!    of rows itself. A row with a constant value becomes two clauses: "at least this value" and
//!    "at most this value".
//! 3. A proof-logging solver answers all queries again. Each learnt clause follows by unit
//!    propagation from the clauses before it. Together with all learnt clauses, unit propagation
//!    alone contradicts each query. The learnt clauses are the derivation steps of the certificate.

use super::goal;
use super::solver::{MaybeLiteral, Solver, SolverAnswer, TheoryLemma};
use super::terms::{BoundTerms, Cube, PreconditionOrigin, SumBound, SumEquation, negated};
use parikh_evidence::certificate::{BoundsCertificate, Induction};
use parikh_net::{Atom, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{ProvingSat, SatSolver};
use parikh_solvers::sat_batsat::{BatSat, ProvingBatSat};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Result of a run that has found the goal unreachable.
#[derive(Clone, Copy)]
pub(super) struct ProofMaterial<'a> {
    /// Cubes that no firing enters from outside.
    pub(super) cubes: &'a [Cube],
    /// Theory lemmas of the run. Lemmas arise only for bounds that have a variable, so a new solver
    /// may not find the same lemmas.
    pub(super) lessons: &'a [TheoryLemma],
}

/// Returns the certificate that no marking outside the cubes satisfies `predicate`. The function
/// `bounds` derives the interval bounds of the given places. Returns `None` if the budget ends or
/// numbers are too large.
pub(super) fn document(
    terms: &mut BoundTerms<'_>,
    found: ProofMaterial<'_>,
    predicate: &Predicate,
    bounds: impl FnOnce(&BTreeSet<usize>) -> Option<BoundsCertificate>,
    budget: &Budget,
) -> Option<Induction> {
    // The first attempt uses no lemmas. They are needed only if a bound on a term occurs nowhere
    // else.
    let few = ProofMaterial { lessons: &[], ..found };
    let (cubes, lessons) = match needed(terms, few, predicate, budget) {
        Some(needed) => needed,
        None => needed(terms, found, predicate, budget)?,
    };
    let mut proof = Solver::new(ProvingBatSat::new());
    for cube in &cubes {
        proof.add(terms, &negated(cube), None);
    }
    for lesson in &lessons {
        proof.add(terms, lesson, None);
    }
    let mentioned: BTreeSet<usize> = {
        let bounds = cubes.iter().chain(&lessons).flatten().map(|bound| bound.term);
        proof.spoken_of().map(|(term, ..)| term).chain(bounds).collect()
    };
    let (rows, mentioned) = rows(terms, &lessons, mentioned, predicate);
    let mut places = prove_inductive(terms, &mut proof, &cubes, budget)?;
    let mut numbering = Numbering::of(terms, &proof)?;
    let steps = numbering.clauses(proof.sat.learnt().clauses())?;
    let clauses = clauses(terms, &mut proof, &mut numbering, rows, &cubes)?;
    let asked = predicate.support(terms.net);
    places.extend(places_of(&numbering.atoms).chain(asked).map(PlaceId::index));
    let mut used = mentioned;
    used.extend(&places);
    let remainders = remainders(terms, &mut numbering.atoms, used)?;
    // A remainder or a sum may be preserved only because some transitions can never fire. The
    // checker then needs the bounds of the input places of these transitions.
    let own: BTreeSet<PlaceId> = places_of(&numbering.atoms).collect();
    let blocking = own.iter().flat_map(|&place| terms.blocking(place));
    places.extend(own.iter().copied().chain(blocking).map(PlaceId::index));
    let bounds = bounds(&places)?;
    let atoms = std::mem::take(&mut numbering.atoms);
    let mut induction = Induction { bounds, atoms, remainders, clauses, steps, ending: Vec::new() };
    induction.ending = ending(terms, &mut proof, numbering, &induction, predicate, budget)?;
    Some(induction)
}

/// Returns the rows that the certificate must name because none of its comparisons contains them,
/// and all relevant terms: those mentioned, those of the goal, and the parts of these.
///
/// The last bound of a lemma is the bound on its row. Only place invariants are named: compared
/// sums occur in the comparisons already.
fn rows(
    terms: &mut BoundTerms<'_>,
    lessons: &[TheoryLemma],
    mentioned: BTreeSet<usize>,
    predicate: &Predicate,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut mentioned = mentioned;
    let mut of_goal: Vec<usize> = Vec::new();
    goal::for_each_atom(predicate, &mut |atom| {
        of_goal.extend(terms.bound(atom).map(|bound| bound.term));
    });
    mentioned.extend(&of_goal);
    // A row that bounds a sum with a fixed remainder is named as well.
    let places = terms.net.place_count();
    let within = terms.relations().iter().filter(|relation| mentioned.contains(&relation.term));
    let parts = within.flat_map(|relation| &relation.parts).map(|&(part, _)| part);
    let sums: Vec<usize> = parts.filter(|&part| part >= places).collect();
    mentioned.extend(&sums);
    let is_bounding = |relation: &&SumEquation| {
        let mut parts = relation.parts.iter();
        parts.any(|&(part, _)| part >= places && mentioned.contains(&part))
    };
    let bounding = terms.relations().iter().filter(is_bounding).map(|relation| relation.term);
    let of_lessons = lessons.iter().filter_map(|lesson| Some(lesson.last()?.term));
    // A place invariant that decides a comparison of the goal alone occurs in no cube and no lemma.
    let rows = of_lessons.chain(sums).chain(bounding).chain(of_goal);
    let rows = rows.filter(|&term| terms.is_flow(term)).collect();
    (rows, mentioned)
}

/// Shows with the proof-logging solver that no firing enters a cube from outside. Returns the
/// places of the transitions that were checked.
fn prove_inductive(
    terms: &BoundTerms<'_>,
    proof: &mut Solver<ProvingBatSat>,
    cubes: &[Cube],
    budget: &Budget,
) -> Option<BTreeSet<usize>> {
    let mut places = BTreeSet::new();
    for cube in cubes {
        for t in terms.entrants(cube) {
            if let Some(assumed) = assume(proof, terms, &terms.before(t, cube))
                && !matches!(proof.solve(terms, &assumed, budget), SolverAnswer::Impossible(_))
            {
                return None;
            }
            places.extend(terms.net.pre(t).iter().map(|arc| arc.place.index()));
            places.extend(terms.net.delta(t).iter().map(|change| change.place.index()));
        }
    }
    Some(places)
}

/// The comparisons of a certificate, and the number that each solver variable has there.
struct Numbering {
    atoms: Vec<Atom>,
    /// Number in the certificate, by solver variable. Comparisons are numbered from 1 in the order
    /// of `atoms`.
    variable_of: HashMap<u32, i32>,
}

impl Numbering {
    /// Numbers all comparisons for which the solver has a variable.
    fn of(terms: &BoundTerms<'_>, proof: &Solver<ProvingBatSat>) -> Option<Numbering> {
        let mut numbering = Numbering { atoms: Vec::new(), variable_of: HashMap::new() };
        for (term, value, literal) in proof.spoken_of() {
            let variable = numbering.add(terms, term, value)?;
            numbering.variable_of.insert(literal.variable(), variable);
        }
        Some(numbering)
    }

    /// Adds a comparison and returns its number.
    fn add(&mut self, terms: &BoundTerms<'_>, term: usize, value: i128) -> Option<i32> {
        self.atoms.push(terms.at_least(term, value)?);
        i32::try_from(self.atoms.len()).ok()
    }

    /// Returns a solver clause in the numbering of the certificate.
    fn clause(&self, clause: &[Literal]) -> Option<Vec<i32>> {
        let literal = |literal: &Literal| {
            let variable = *self.variable_of.get(&literal.variable())?;
            Some(if literal.is_positive() { variable } else { -variable })
        };
        clause.iter().map(literal).collect()
    }

    fn clauses<'c>(&self, clauses: impl Iterator<Item = &'c [Literal]>) -> Option<Vec<Vec<i32>>> {
        clauses.map(|clause| self.clause(clause)).collect()
    }
}

/// Returns the clauses of the invariant. First come two clauses for each row with a constant value,
/// which the checker substitutes in larger sums. Then comes, for each cube, the clause "the marking
/// is outside the cube".
fn clauses(
    terms: &BoundTerms<'_>,
    proof: &mut Solver<ProvingBatSat>,
    numbering: &mut Numbering,
    rows: BTreeSet<usize>,
    cubes: &[Cube],
) -> Option<Vec<Vec<i32>>> {
    let mut clauses = Vec::new();
    for row in rows {
        let value = terms.low(row)?;
        for (value, sign) in [(value, 1), (value + 1, -1)] {
            clauses.push(vec![sign * numbering.add(terms, row, value)?]);
        }
    }
    for cube in cubes {
        let mut clause: Vec<Literal> = Vec::new();
        let mut always = false;
        for bound in negated(cube) {
            match proof.literal(terms, bound) {
                MaybeLiteral::Is(holds) => always |= holds,
                MaybeLiteral::Open(literal) => clause.push(literal),
            }
        }
        if !always {
            clauses.push(numbering.clause(&clause)?);
        }
    }
    Some(clauses)
}

/// Returns the last derivation steps: the clauses learnt from the assumption that the predicate
/// holds. The last clause is the contradiction.
fn ending(
    terms: &mut BoundTerms<'_>,
    proof: &mut Solver<ProvingBatSat>,
    mut numbering: Numbering,
    induction: &Induction,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<Vec<Vec<i32>>> {
    let (skeleton, added) = induction.clauses_of(terms.net, predicate)?;
    // Entry i is the solver literal of variable i + 1 of the certificate.
    let mut literals: Vec<MaybeLiteral> = Vec::new();
    for atom in induction.atoms.iter().chain(&added) {
        literals.push(match terms.bound(atom) {
            Some(bound) => proof.literal(terms, bound),
            None => MaybeLiteral::Is(0 <= atom.bound),
        });
    }
    for (known, variable) in literals.iter().zip(1..) {
        if let MaybeLiteral::Open(literal) = known {
            let signed = if literal.is_positive() { variable } else { -variable };
            numbering.variable_of.entry(literal.variable()).or_insert(signed);
        }
    }
    let so_far = proof.sat.learnt().clauses().len();
    for clause in &skeleton {
        let mut own: Vec<Literal> = Vec::new();
        let mut holds = false;
        for &variable in clause {
            let at = variable.unsigned_abs() as usize - 1;
            while literals.len() <= at {
                let literal = proof.sat.new_variable();
                let number = i32::try_from(literals.len()).ok()? + 1;
                numbering.variable_of.insert(literal.variable(), number);
                literals.push(MaybeLiteral::Open(literal));
            }
            match literals[at] {
                MaybeLiteral::Is(truth) => holds |= truth == (variable > 0),
                MaybeLiteral::Open(literal) => {
                    own.push(if variable > 0 { literal } else { !literal })
                }
            }
        }
        if !holds {
            proof.sat.add_clause(&own);
        }
    }
    let SolverAnswer::Impossible(_) = proof.solve(terms, &[], budget) else { return None };
    numbering.clauses(proof.sat.learnt().clauses().skip(so_far))
}

/// Returns the places that occur in the comparisons.
fn places_of(atoms: &[Atom]) -> impl Iterator<Item = PlaceId> {
    atoms.iter().flat_map(|atom| atom.sum.terms()).map(|&(place, _)| place)
}

/// Returns the comparisons whose sum has a fixed remainder, as pairs of comparison index and
/// modulus. Only relevant sums count: those used, and the parts of used sums. A sum without a
/// comparison gets a new one.
fn remainders(
    terms: &mut BoundTerms<'_>,
    atoms: &mut Vec<Atom>,
    mut used: BTreeSet<usize>,
) -> Option<Vec<(usize, u32)>> {
    let mut at: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, atom) in atoms.iter().enumerate() {
        let bound = terms.bound(atom);
        bound.map(|bound| at.entry(bound.term).or_insert(index));
    }
    used.extend(at.keys());
    let within = terms.relations().iter().filter(|relation| used.contains(&relation.term));
    let needed: BTreeSet<usize> = within
        .flat_map(|relation| &relation.parts)
        .map(|&(part, _)| part)
        .chain(used.iter().copied())
        .collect();
    let mut kept = Vec::new();
    for (term, modulus) in terms.remainders().filter(|(term, _)| needed.contains(term)) {
        let index = match at.get(&term) {
            Some(&index) => index,
            None => {
                atoms.push(terms.at_least(term, 0)?);
                atoms.len() - 1
            }
        };
        kept.push((index, u32::try_from(modulus).ok()?));
    }
    Some(kept)
}

/// Returns the literals of the preconditions of a firing. Returns `None` if a precondition is
/// always false.
fn assume<S: SatSolver>(
    solver: &mut Solver<S>,
    terms: &BoundTerms<'_>,
    before: &[(SumBound, PreconditionOrigin)],
) -> Option<Vec<Literal>> {
    let mut assumed = Vec::new();
    for &(bound, _) in before {
        match solver.literal(terms, bound) {
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Is(false) => return None,
            MaybeLiteral::Open(literal) => assumed.push(literal),
        }
    }
    Some(assumed)
}

/// Returns the needed cubes, and the theory lemmas needed with them.
fn needed(
    terms: &mut BoundTerms<'_>,
    ProofMaterial { cubes, lessons }: ProofMaterial<'_>,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<(Vec<Cube>, Vec<TheoryLemma>)> {
    let mut solver = Solver::new(BatSat::new());
    for lesson in lessons {
        solver.add(terms, lesson, None);
    }
    let goal = goal::encode(&mut solver, terms, predicate);
    let chosen: Vec<Literal> = cubes.iter().map(|_| solver.sat.new_variable()).collect();
    let position: HashMap<Literal, usize> = chosen.iter().copied().zip(0..).collect();
    for (cube, &chosen) in cubes.iter().zip(&chosen) {
        solver.add(terms, &negated(cube), Some(!chosen));
    }
    let mut kept: BTreeSet<usize> = BTreeSet::new();
    let mut waiting: Vec<usize> = Vec::new();
    let mut ask = |solver: &mut Solver<BatSat>,
                   terms: &BoundTerms<'_>,
                   rest: &[Literal],
                   waiting: &mut Vec<usize>| {
        // Cubes already kept come first in the assumptions, so that the core prefers them.
        let first = kept.iter().map(|&at| chosen[at]);
        let others = (0..chosen.len()).filter(|at| !kept.contains(at)).map(|at| chosen[at]);
        let assumed: Vec<Literal> = first.chain(others).chain(rest.iter().copied()).collect();
        let SolverAnswer::Impossible(core) = solver.solve(terms, &assumed, budget) else {
            return None;
        };
        for literal in core {
            if let Some(&at) = position.get(&literal)
                && kept.insert(at)
            {
                waiting.push(at);
            }
        }
        Some(())
    };
    match goal {
        MaybeLiteral::Is(false) => {}
        MaybeLiteral::Is(true) => ask(&mut solver, terms, &[], &mut waiting)?,
        MaybeLiteral::Open(goal) => ask(&mut solver, terms, &[goal], &mut waiting)?,
    }
    while let Some(at) = waiting.pop() {
        for t in terms.entrants(&cubes[at]) {
            if let Some(assumed) = assume(&mut solver, terms, &terms.before(t, &cubes[at])) {
                ask(&mut solver, terms, &assumed, &mut waiting)?;
            }
        }
    }
    solver.lessons.extend_from_slice(lessons);
    Some((kept.iter().map(|&at| cubes[at].clone()).collect(), solver.lessons))
}
