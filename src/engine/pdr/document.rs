//! An invariant as a document: the cubes that are needed, and steps where propagation is not enough.
//!
//! 1. *Needed* is what refutes the goal, what keeps that inductive, what keeps that inductive, and
//!    so on, as the cores of a solver tell; most cubes of the last frames are not.
//! 2. What rows said during the search is not part of it: the checker sees their intervals itself.
//!    A row that never changes its value becomes two clauses, one from each side.
//! 3. A solver that writes down what it learns answers all questions once more. What it learns
//!    follows by propagation from what it was given and learnt before, and after it each question
//!    ends in a contradiction by propagation: these clauses are the steps.

use super::goal;
use super::solver::{Answer, Known, Lesson, Solver};
use super::terms::{Bound, Cube, Relation, Terms, Why, negated};
use crate::evidence::certificate::{Bounds, Induction};
use parikh_net::{Atom, PlaceId, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::cnf::Literal;
use parikh_solvers::sat::{ProvingSat, SatSolver};
use parikh_solvers::sat_batsat::{BatSat, ProvingBatSat};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a run ends with that shows "never".
#[derive(Clone, Copy)]
pub(super) struct Found<'a> {
    /// Cubes that are never entered.
    pub(super) cubes: &'a [Cube],
    /// What rows have taught on the way: which bounds are spoken of decides what is seen of them.
    pub(super) lessons: &'a [Lesson],
}

/// The document that none of `predicate` is outside the cubes that were found. `bounds` gives the
/// derivation of the ends of these places' intervals. `None` when the budget ends or numbers are
/// too large.
pub(super) fn document(
    terms: &mut Terms<'_>,
    found: Found<'_>,
    predicate: &Predicate,
    bounds: impl FnOnce(&BTreeSet<usize>) -> Option<Bounds>,
    budget: &Budget,
) -> Option<Induction> {
    // Most lessons are not needed; some are where no other bound on a term is spoken of.
    let few = Found { lessons: &[], ..found };
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
    places.extend(own_of(&numbering.atoms).chain(asked).map(PlaceId::index));
    let mut used = mentioned;
    used.extend(&places);
    let remainders = remainders(terms, &mut numbering.atoms, used)?;
    // That firings keep a remainder, or a sum, may be so because some never take place.
    let own: BTreeSet<PlaceId> = own_of(&numbering.atoms).collect();
    let blocking = own.iter().flat_map(|&place| terms.blocking(place));
    places.extend(own.iter().copied().chain(blocking).map(PlaceId::index));
    let bounds = bounds(&places)?;
    let atoms = std::mem::take(&mut numbering.atoms);
    let mut induction = Induction { bounds, atoms, remainders, clauses, steps, ending: Vec::new() };
    induction.ending = ending(terms, &mut proof, numbering, &induction, predicate, budget)?;
    Some(induction)
}

/// The rows that the document has to name, because no comparison of its own does, and all terms that matter:
/// those mentioned, those of the goal, and those that they are sums of.
///
/// A row belongs to the lessons whose last bound it is. Only flows are named: sums that were compared are
/// among the comparisons already.
fn rows(
    terms: &mut Terms<'_>,
    lessons: &[Lesson],
    mentioned: BTreeSet<usize>,
    predicate: &Predicate,
) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let mut mentioned = mentioned;
    let mut of_goal: Vec<usize> = Vec::new();
    goal::for_each_atom(predicate, &mut |atom| {
        of_goal.extend(terms.bound(atom).map(|bound| bound.term));
    });
    mentioned.extend(&of_goal);
    // A row that bounds a sum which keeps its remainder is named as well.
    let places = terms.net.place_count();
    let within = terms.relations().iter().filter(|relation| mentioned.contains(&relation.term));
    let parts = within.flat_map(|relation| &relation.parts).map(|&(part, _)| part);
    let sums: Vec<usize> = parts.filter(|&part| part >= places).collect();
    mentioned.extend(&sums);
    let is_bounding = |relation: &&Relation| {
        let mut parts = relation.parts.iter();
        parts.any(|&(part, _)| part >= places && mentioned.contains(&part))
    };
    let bounding = terms.relations().iter().filter(is_bounding).map(|relation| relation.term);
    let of_lessons = lessons.iter().filter_map(|lesson| Some(lesson.last()?.term));
    // A flow that decides a comparison of the goal has not come up before.
    let rows = of_lessons.chain(sums).chain(bounding).chain(of_goal);
    let rows = rows.filter(|&term| terms.is_flow(term)).collect();
    (rows, mentioned)
}

/// Has the solver answer once more that no firing enters one of the cubes; the places that this rests on.
fn prove_inductive(
    terms: &Terms<'_>,
    proof: &mut Solver<ProvingBatSat>,
    cubes: &[Cube],
    budget: &Budget,
) -> Option<BTreeSet<usize>> {
    let mut places = BTreeSet::new();
    for cube in cubes {
        for t in terms.entrants(cube) {
            if let Some(assumed) = assume(proof, terms, &terms.before(t, cube))
                && !matches!(proof.solve(terms, &assumed, budget), Answer::Impossible(_))
            {
                return None;
            }
            places.extend(terms.net.pre(t).iter().map(|arc| arc.place.index()));
            places.extend(terms.net.delta(t).iter().map(|change| change.place.index()));
        }
    }
    Some(places)
}

/// The comparisons of a document, and the number that each variable of the solver has there.
struct Numbering {
    atoms: Vec<Atom>,
    /// Variables of comparisons count from 1, in the order of `atoms`.
    variable_of: HashMap<u32, i32>,
}

impl Numbering {
    /// Of all that the solver knows.
    fn of(terms: &Terms<'_>, proof: &Solver<ProvingBatSat>) -> Option<Numbering> {
        let mut numbering = Numbering { atoms: Vec::new(), variable_of: HashMap::new() };
        for (term, value, literal) in proof.spoken_of() {
            let variable = numbering.add(terms, term, value)?;
            numbering.variable_of.insert(literal.variable(), variable);
        }
        Some(numbering)
    }

    /// Adds a comparison; its number.
    fn add(&mut self, terms: &Terms<'_>, term: usize, value: i128) -> Option<i32> {
        self.atoms.push(terms.at_least(term, value)?);
        i32::try_from(self.atoms.len()).ok()
    }

    /// A clause of the solver in numbers.
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

/// The clauses of the invariant. The checker takes the sums that come first, two clauses each, out of larger
/// ones; then comes what is outside each cube.
fn clauses(
    terms: &Terms<'_>,
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
                Known::Is(holds) => always |= holds,
                Known::Open(literal) => clause.push(literal),
            }
        }
        if !always {
            clauses.push(numbering.clause(&clause)?);
        }
    }
    Some(clauses)
}

/// The last steps: what the solver learns when it is told that the predicate holds, which ends in a
/// contradiction.
fn ending(
    terms: &mut Terms<'_>,
    proof: &mut Solver<ProvingBatSat>,
    mut numbering: Numbering,
    induction: &Induction,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<Vec<Vec<i32>>> {
    let (skeleton, added) = induction.clauses_of(terms.net, predicate)?;
    // The variables of the document as those of the solver.
    let mut literals: Vec<Known> = Vec::new();
    for atom in induction.atoms.iter().chain(&added) {
        literals.push(match terms.bound(atom) {
            Some(bound) => proof.literal(terms, bound),
            None => Known::Is(0 <= atom.bound),
        });
    }
    for (known, variable) in literals.iter().zip(1..) {
        if let Known::Open(literal) = known {
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
                literals.push(Known::Open(literal));
            }
            match literals[at] {
                Known::Is(truth) => holds |= truth == (variable > 0),
                Known::Open(literal) => own.push(if variable > 0 { literal } else { !literal }),
            }
        }
        if !holds {
            proof.sat.add_clause(&own);
        }
    }
    let Answer::Impossible(_) = proof.solve(terms, &[], budget) else { return None };
    numbering.clauses(proof.sat.learnt().clauses().skip(so_far))
}

/// The places that are compared.
fn own_of(atoms: &[Atom]) -> impl Iterator<Item = PlaceId> {
    atoms.iter().flat_map(|atom| atom.sum.terms()).map(|&(place, _)| place)
}

/// The sums among those spoken of and those compared that keep their remainder, and those that add up to some
/// of them. Each is compared then.
fn remainders(
    terms: &mut Terms<'_>,
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

/// The literals of what has to hold before a firing; `None` when it never does.
fn assume<S: SatSolver>(
    solver: &mut Solver<S>,
    terms: &Terms<'_>,
    before: &[(Bound, Why)],
) -> Option<Vec<Literal>> {
    let mut assumed = Vec::new();
    for &(bound, _) in before {
        match solver.literal(terms, bound) {
            Known::Is(true) => {}
            Known::Is(false) => return None,
            Known::Open(literal) => assumed.push(literal),
        }
    }
    Some(assumed)
}

/// The cubes that are needed, and what rows have to say besides.
fn needed(
    terms: &mut Terms<'_>,
    Found { cubes, lessons }: Found<'_>,
    predicate: &Predicate,
    budget: &Budget,
) -> Option<(Vec<Cube>, Vec<Lesson>)> {
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
                   terms: &Terms<'_>,
                   rest: &[Literal],
                   waiting: &mut Vec<usize>| {
        // What is kept already comes first, and so rather than others into the core.
        let first = kept.iter().map(|&at| chosen[at]);
        let others = (0..chosen.len()).filter(|at| !kept.contains(at)).map(|at| chosen[at]);
        let assumed: Vec<Literal> = first.chain(others).chain(rest.iter().copied()).collect();
        let Answer::Impossible(core) = solver.solve(terms, &assumed, budget) else { return None };
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
        Known::Is(false) => {}
        Known::Is(true) => ask(&mut solver, terms, &[], &mut waiting)?,
        Known::Open(goal) => ask(&mut solver, terms, &[goal], &mut waiting)?,
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
