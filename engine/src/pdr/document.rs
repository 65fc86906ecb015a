//! Turns an invariant into a certificate: the needed cubes, and derivation steps where unit
//! propagation is not sufficient.
//!
//! 1. Only *needed* cubes are written: the cubes in the unsatisfiable core that refutes the goal,
//!    the cubes that make these inductive, the cubes that make the latter inductive, and so on.
//!    Most cubes of the last frames are not needed.
//! 2. The theory lemmas from the search are not written, since the checker computes the intervals
//!    of sums itself. The sum of a place invariant, also called a *row*, has a constant value. A
//!    needed row becomes two clauses: "at least this value" and "at most this value".
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

/// The inductive argument found by a search: the goal is unreachable.
#[derive(Clone, Copy)]
pub(super) struct ProofMaterial<'a> {
    /// Cubes that together contain all goal markings that the known facts allow. No cube contains
    /// the initial marking, and no firing enters the cubes from outside.
    pub(super) cubes: &'a [Cube],
    /// Theory lemmas of the search. A lemma exists only for bounds with a solver variable, so a new
    /// solver may not find the same lemmas.
    pub(super) lemmas: &'a [TheoryLemma],
}

/// Returns the certificate that the markings outside the cubes form an inductive invariant and
/// violate `predicate`. The function `bounds` derives the interval bounds of the places with the
/// given indices. Returns `None` if the solver does not refute a query, or if the budget ends. Also
/// returns `None` if `bounds` returns `None`, if a number is too large, or if `predicate` may be
/// true even if all its comparisons are false.
pub(super) fn build_certificate(
    terms: &mut BoundTerms<'_>,
    material: ProofMaterial<'_>,
    predicate: &Predicate,
    bounds: impl FnOnce(&BTreeSet<usize>) -> Option<BoundsCertificate>,
    budget: &Budget,
) -> Option<Induction> {
    // The first attempt uses no theory lemmas of the search, because the new solver in
    // `needed_cubes` derives most of them itself. It cannot derive a lemma with a bound on a term
    // that occurs in no other clause. If such a lemma is needed, the first attempt fails, and the
    // second one adds all lemmas of the search.
    let without_lemmas = ProofMaterial { lemmas: &[], ..material };
    let (cubes, lemmas) = match needed_cubes(terms, without_lemmas, predicate, budget) {
        Some(needed) => needed,
        None => needed_cubes(terms, material, predicate, budget)?,
    };
    let mut proof_solver = Solver::new(ProvingBatSat::new());
    for cube in &cubes {
        proof_solver.add_clause(terms, &negated(cube), None);
    }
    for lemma in &lemmas {
        proof_solver.add_clause(terms, lemma, None);
    }
    let mentioned_terms: BTreeSet<usize> = {
        let bounds = cubes.iter().chain(&lemmas).flatten().map(|bound| bound.term);
        proof_solver.bound_literals().map(|(term, ..)| term).chain(bounds).collect()
    };
    let (rows, mentioned_terms) = named_rows(terms, &lemmas, mentioned_terms, predicate);
    let mut places = prove_inductive(terms, &mut proof_solver, &cubes, budget)?;
    let mut numbering = Numbering::new(terms, &proof_solver)?;
    let steps = numbering.clauses(proof_solver.sat.learnt().clauses())?;
    let clauses = clauses(terms, &mut proof_solver, &mut numbering, rows, &cubes)?;
    let goal_places = predicate.support(terms.net);
    places.extend(places_of(&numbering.atoms).chain(goal_places).map(PlaceId::index));
    let mut relevant_terms = mentioned_terms;
    relevant_terms.extend(&places);
    let remainders = remainders(terms, &mut numbering.atoms, relevant_terms)?;
    // A remainder or a sum may be preserved only because some transitions can never fire. The
    // checker then needs the bounds of the input places of these transitions.
    let atom_places: BTreeSet<PlaceId> = places_of(&numbering.atoms).collect();
    let blocking = atom_places.iter().flat_map(|&place| terms.inputs_of_dead_neighbours(place));
    places.extend(atom_places.iter().copied().chain(blocking).map(PlaceId::index));
    let bounds = bounds(&places)?;
    let atoms = std::mem::take(&mut numbering.atoms);
    let mut induction = Induction { bounds, atoms, remainders, clauses, steps, ending: Vec::new() };
    induction.ending =
        final_steps(terms, &mut proof_solver, numbering, &induction, predicate, budget)?;
    Some(induction)
}

/// Returns two sets of terms. The first has the rows of place invariants for which the certificate
/// needs clauses of their own. The second has all relevant terms: those in `mentioned_terms`, the
/// terms of the goal, and the rows in their equations.
///
/// The last bound of a lemma is the bound on its row. Compared sums that are no place invariants
/// need no such clauses, since comparisons of the certificate contain them.
fn named_rows(
    terms: &mut BoundTerms<'_>,
    lemmas: &[TheoryLemma],
    mentioned_terms: BTreeSet<usize>,
    predicate: &Predicate,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut mentioned_terms = mentioned_terms;
    let mut goal_terms: Vec<usize> = Vec::new();
    goal::for_each_atom(predicate, &mut |atom| {
        goal_terms.extend(terms.bound(atom).map(|bound| bound.term));
    });
    mentioned_terms.extend(&goal_terms);
    let places = terms.net.place_count();
    let mentioned_equations =
        terms.equations().iter().filter(|relation| mentioned_terms.contains(&relation.term));
    let summands =
        mentioned_equations.flat_map(|relation| &relation.summands).map(|&(summand, _)| summand);
    let sums: Vec<usize> = summands.filter(|&summand| summand >= places).collect();
    mentioned_terms.extend(&sums);
    // A place invariant whose equation contains a mentioned row may bound that row. So its own row
    // needs clauses, too.
    let is_bounding = |relation: &&SumEquation| {
        let mut summands = relation.summands.iter();
        summands.any(|&(summand, _)| summand >= places && mentioned_terms.contains(&summand))
    };
    let bounding = terms.equations().iter().filter(is_bounding).map(|relation| relation.term);
    let lemma_rows = lemmas.iter().filter_map(|lemma| Some(lemma.last()?.term));
    // A place invariant may decide a comparison of the goal by itself. Then its row occurs in no
    // cube and in no lemma.
    let rows = lemma_rows.chain(sums).chain(bounding).chain(goal_terms);
    let rows = rows.filter(|&term| terms.is_constant_row(term)).collect();
    (rows, mentioned_terms)
}

/// Shows with the proof-logging solver that no firing enters a cube from outside all cubes. The
/// solver must already contain the negations of the cubes as clauses. Returns the indices of the
/// input places of the checked transitions, and of the places that these transitions change.
/// Returns `None` if the solver does not refute a query.
fn prove_inductive(
    terms: &BoundTerms<'_>,
    proof_solver: &mut Solver<ProvingBatSat>,
    cubes: &[Cube],
    budget: &Budget,
) -> Option<BTreeSet<usize>> {
    let mut places = BTreeSet::new();
    for cube in cubes {
        for t in terms.entering_transitions(cube) {
            if let Some(assumptions) =
                precondition_literals(proof_solver, terms, &terms.preconditions(t, cube))
                && !matches!(
                    proof_solver.solve(terms, &assumptions, budget),
                    SolverAnswer::Unsatisfiable(_)
                )
            {
                return None;
            }
            places.extend(terms.net.pre(t).iter().map(|arc| arc.place.index()));
            places.extend(terms.net.delta(t).iter().map(|change| change.place.index()));
        }
    }
    Some(places)
}

/// The comparisons of a certificate, and the number of each solver variable in the certificate.
struct Numbering {
    /// The comparisons. Comparison i has number i + 1.
    atoms: Vec<Atom>,
    /// The number of each solver variable in the certificate. It is negative if the variable means
    /// the negation of the comparison with this number. Comparisons are numbered from 1 in the
    /// order of `atoms`.
    variable_of: HashMap<u32, i32>,
}

impl Numbering {
    /// Numbers all comparisons for which the solver has a variable. Returns `None` if a number is
    /// too large.
    fn new(terms: &BoundTerms<'_>, proof_solver: &Solver<ProvingBatSat>) -> Option<Numbering> {
        let mut numbering = Numbering { atoms: Vec::new(), variable_of: HashMap::new() };
        for (term, value, literal) in proof_solver.bound_literals() {
            let variable = numbering.add(terms, term, value)?;
            numbering.variable_of.insert(literal.variable(), variable);
        }
        Some(numbering)
    }

    /// Adds "the term is at least `value`" and returns its number. Returns `None` if a number is
    /// too large.
    fn add(&mut self, terms: &BoundTerms<'_>, term: usize, value: i128) -> Option<i32> {
        self.atoms.push(terms.at_least(term, value)?);
        i32::try_from(self.atoms.len()).ok()
    }

    /// Returns a solver clause in the numbering of the certificate. Returns `None` if a variable
    /// has no number.
    fn clause(&self, clause: &[Literal]) -> Option<Vec<i32>> {
        let literal = |literal: &Literal| {
            let variable = *self.variable_of.get(&literal.variable())?;
            Some(if literal.is_positive() { variable } else { -variable })
        };
        clause.iter().map(literal).collect()
    }

    /// Returns several solver clauses in the numbering of the certificate.
    fn clauses<'c>(&self, clauses: impl Iterator<Item = &'c [Literal]>) -> Option<Vec<Vec<i32>>> {
        clauses.map(|clause| self.clause(clause)).collect()
    }
}

/// Returns the clauses of the invariant. First come two clauses for each row in `rows`, which have
/// constant values. The checker substitutes these rows in larger sums. Then comes, for each cube,
/// the clause "the marking is outside the cube", unless the intervals show that it is always true.
/// Returns `None` if a number is too large, or if a solver variable has no number in the
/// certificate.
fn clauses(
    terms: &BoundTerms<'_>,
    proof_solver: &mut Solver<ProvingBatSat>,
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
        let mut is_true = false;
        for bound in negated(cube) {
            match proof_solver.literal(terms, bound) {
                MaybeLiteral::Is(holds) => is_true |= holds,
                MaybeLiteral::Open(literal) => clause.push(literal),
            }
        }
        if !is_true {
            clauses.push(numbering.clause(&clause)?);
        }
    }
    Some(clauses)
}

/// Returns the last derivation steps: the clauses learnt from the assumption that the predicate
/// holds. The last clause is the contradiction. Returns `None` if the solver does not refute the
/// assumption within the budget, or if a number is too large. Also returns `None` if the predicate
/// may be true whatever the variables are.
fn final_steps(
    terms: &mut BoundTerms<'_>,
    proof_solver: &mut Solver<ProvingBatSat>,
    mut numbering: Numbering,
    induction: &Induction,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<Vec<Vec<i32>>> {
    let (predicate_clauses, added_atoms) = induction.clauses_of(terms.net, predicate)?;
    // Entry i is the solver literal, or the constant truth value, of variable i + 1 of the
    // certificate.
    let mut literals: Vec<MaybeLiteral> = Vec::new();
    for atom in induction.atoms.iter().chain(&added_atoms) {
        literals.push(match terms.bound(atom) {
            Some(bound) => proof_solver.literal(terms, bound),
            None => MaybeLiteral::Is(0 <= atom.bound),
        });
    }
    for (encoded, variable) in literals.iter().zip(1..) {
        if let MaybeLiteral::Open(literal) = encoded {
            let signed = if literal.is_positive() { variable } else { -variable };
            numbering.variable_of.entry(literal.variable()).or_insert(signed);
        }
    }
    let learnt_before = proof_solver.sat.learnt().clauses().len();
    for clause in &predicate_clauses {
        let mut solver_clause: Vec<Literal> = Vec::new();
        let mut is_satisfied = false;
        for &variable in clause {
            let index = variable.unsigned_abs() as usize - 1;
            while literals.len() <= index {
                let literal = proof_solver.sat.new_variable();
                let number = i32::try_from(literals.len()).ok()? + 1;
                numbering.variable_of.insert(literal.variable(), number);
                literals.push(MaybeLiteral::Open(literal));
            }
            match literals[index] {
                MaybeLiteral::Is(truth) => is_satisfied |= truth == (variable > 0),
                MaybeLiteral::Open(literal) => {
                    solver_clause.push(if variable > 0 { literal } else { !literal })
                }
            }
        }
        if !is_satisfied {
            proof_solver.sat.add_clause(&solver_clause);
        }
    }
    let SolverAnswer::Unsatisfiable(_) = proof_solver.solve(terms, &[], budget) else {
        return None;
    };
    numbering.clauses(proof_solver.sat.learnt().clauses().skip(learnt_before))
}

/// Returns the places that occur in the comparisons.
fn places_of(atoms: &[Atom]) -> impl Iterator<Item = PlaceId> {
    atoms.iter().flat_map(|atom| atom.sum.terms()).map(|&(place, _)| place)
}

/// Returns the terms whose values have a fixed remainder, that is, are constant modulo a number.
/// Each pair has the index of a comparison with the term in `atoms`, and the modulus. Considered
/// are the terms in `relevant_terms` or `atoms`, and the summands in their equations. A term
/// without a comparison gets a new one. Returns `None` if a number is too large.
fn remainders(
    terms: &mut BoundTerms<'_>,
    atoms: &mut Vec<Atom>,
    mut relevant_terms: BTreeSet<usize>,
) -> Option<Vec<(usize, u32)>> {
    let mut atom_of_term: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, atom) in atoms.iter().enumerate() {
        let bound = terms.bound(atom);
        bound.map(|bound| atom_of_term.entry(bound.term).or_insert(index));
    }
    relevant_terms.extend(atom_of_term.keys());
    let relevant_equations =
        terms.equations().iter().filter(|relation| relevant_terms.contains(&relation.term));
    let needed: BTreeSet<usize> = relevant_equations
        .flat_map(|relation| &relation.summands)
        .map(|&(summand, _)| summand)
        .chain(relevant_terms.iter().copied())
        .collect();
    let mut with_remainder = Vec::new();
    for (term, modulus) in terms.remainders().filter(|(term, _)| needed.contains(term)) {
        let index = match atom_of_term.get(&term) {
            Some(&index) => index,
            None => {
                atoms.push(terms.at_least(term, 0)?);
                atoms.len() - 1
            }
        };
        with_remainder.push((index, u32::try_from(modulus).ok()?));
    }
    Some(with_remainder)
}

/// Returns the literals of the preconditions of a firing that are not always true. Returns `None`
/// if a precondition is always false.
fn precondition_literals<S: SatSolver>(
    solver: &mut Solver<S>,
    terms: &BoundTerms<'_>,
    preconditions: &[(SumBound, PreconditionOrigin)],
) -> Option<Vec<Literal>> {
    let mut literals = Vec::new();
    for &(bound, _) in preconditions {
        match solver.literal(terms, bound) {
            MaybeLiteral::Is(true) => {}
            MaybeLiteral::Is(false) => return None,
            MaybeLiteral::Open(literal) => literals.push(literal),
        }
    }
    Some(literals)
}

/// Returns a subset of the cubes that contains all goal markings that the known facts allow, and
/// that no firing enters from outside. Also returns all lemmas of the argument. Returns `None` if
/// the solver finds a query satisfiable, since lemmas are missing, or gives no answer within the
/// budget.
fn needed_cubes(
    terms: &mut BoundTerms<'_>,
    ProofMaterial { cubes, lemmas }: ProofMaterial<'_>,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<(Vec<Cube>, Vec<TheoryLemma>)> {
    let mut solver = Solver::new(BatSat::new());
    for lemma in lemmas {
        solver.add_clause(terms, lemma, None);
    }
    let goal = goal::encode(&mut solver, terms, predicate);
    let selectors: Vec<Literal> = cubes.iter().map(|_| solver.sat.new_variable()).collect();
    let index_of: HashMap<Literal, usize> = selectors.iter().copied().zip(0..).collect();
    for (cube, &selector) in cubes.iter().zip(&selectors) {
        solver.add_clause(terms, &negated(cube), Some(!selector));
    }
    let mut needed_indices: BTreeSet<usize> = BTreeSet::new();
    let mut pending: Vec<usize> = Vec::new();
    let mut add_core = |solver: &mut Solver<BatSat>,
                        terms: &BoundTerms<'_>,
                        query: &[Literal],
                        pending: &mut Vec<usize>| {
        // Cubes already found to be needed come first in the assumptions, so that the core prefers
        // them.
        let needed_selectors = needed_indices.iter().map(|&index| selectors[index]);
        let other_selectors = (0..selectors.len())
            .filter(|index| !needed_indices.contains(index))
            .map(|index| selectors[index]);
        let assumed: Vec<Literal> =
            needed_selectors.chain(other_selectors).chain(query.iter().copied()).collect();
        let SolverAnswer::Unsatisfiable(core) = solver.solve(terms, &assumed, budget) else {
            return None;
        };
        for literal in core {
            if let Some(&index) = index_of.get(&literal)
                && needed_indices.insert(index)
            {
                pending.push(index);
            }
        }
        Some(())
    };
    match goal {
        MaybeLiteral::Is(false) => {}
        MaybeLiteral::Is(true) => add_core(&mut solver, terms, &[], &mut pending)?,
        MaybeLiteral::Open(goal) => add_core(&mut solver, terms, &[goal], &mut pending)?,
    }
    while let Some(index) = pending.pop() {
        for t in terms.entering_transitions(&cubes[index]) {
            if let Some(assumed) =
                precondition_literals(&mut solver, terms, &terms.preconditions(t, &cubes[index]))
            {
                add_core(&mut solver, terms, &assumed, &mut pending)?;
            }
        }
    }
    solver.lemmas.extend_from_slice(lemmas);
    Some((needed_indices.iter().map(|&index| cubes[index].clone()).collect(), solver.lemmas))
}
