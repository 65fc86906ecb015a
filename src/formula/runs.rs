//! From a path formula to a property of runs.
//!
//! A path formula is read as LTL: over infinite words, for which a run that comes to a dead marking
//! repeats it. Its largest parts without temporal operators become atoms, and what is around them a
//! formula over these; what fires next is an atom of its own. Operands of one ∧ or ∨ that have no temporal operator are one part. Parts
//! that are each other's negation are one atom and its negation. What the atoms are in the initial
//! marking is known, and every run begins there: that, and the rules of
//! [`parikh_temporal::LINEAR_RULES`], make the formula simpler.

use super::proposition::Proposition;
use super::state::States;
use super::syntax::Formula;
use super::unsupported::Unsupported;
use parikh_net::coloured::Folding;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Goal, Net, Predicate, TransitionId};
use parikh_temporal::{
    Atom, Formula as Ltl, LINEAR_RULES, Linear, Literal, Ltl as Formulas, Node, Value,
};
use std::collections::HashMap;

/// The most steps of rewriting.
const STEPS: usize = 20_000;

/// The runs of `net` that satisfy `path`, a path formula without path quantifiers, or its negation
/// where `holds` is false.
///
/// # Errors
/// When it has path quantifiers, its numbers are too large, or `net` is the skeleton of a coloured
/// net, whose runs are others.
pub fn run_property(path: &Formula, net: &Net, holds: bool) -> Result<RunProperty, Unsupported> {
    if net.folding().is_some_and(Folding::is_skeleton) {
        return Err(Unsupported::Colours);
    }
    let mut reading = Reading {
        states: States::of(path),
        formulas: Formulas::default(),
        atoms: Vec::new(),
        numbers: HashMap::new(),
    };
    let whole = reading.part(path)?;
    let mut formula = reading.formula(&whole)?;
    let Reading { mut formulas, atoms, .. } = reading;
    if !holds {
        formula = formulas.negate(formula);
    }
    Ok(simplified(formulas, formula, &atoms, net))
}

/// The runs of `net` that satisfy the formula, with what the initial marking says of it.
fn simplified(
    mut formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[RunAtom],
    net: &Net,
) -> RunProperty {
    let is_dead = net.is_dead(net.initial());
    let initially = atoms.iter().map(|atom| match atom {
        // What fires first is open, where something does.
        RunAtom::Fires(_) if !is_dead => Value::Unknown,
        atom => atom.is_true(net, net.initial(), None).into(),
    });
    let initially: Vec<Value> = initially.collect();
    let here = |atom: Atom| initially[atom.0 as usize];
    if is_dead {
        // There is one run, which repeats one letter.
        let value = formulas.value_at_end(formula, here) == Value::True;
        return RunProperty::new(&formulas, formulas.constant(value), &[]);
    }
    let given = formulas.given_here(formula, here);
    let (simple, _) = formulas.rewritten(given, LINEAR_RULES, STEPS);
    // Rewriting may bring to the first letter what was said of a later one.
    let simple = formulas.given_here(simple, here);
    RunProperty::new(&formulas, simple, atoms)
}

/// That some run of `net` satisfies `path`, or its negation where `holds` is false, over goals: of
/// ψ ∨ χ one of the two, and of F φ over a condition on markings that φ can be reached.
///
/// # Errors
/// As [`run_property`].
pub(super) fn asked(
    path: &Formula,
    net: &Net,
    holds: bool,
) -> Result<Proposition<Goal>, Unsupported> {
    Ok(over_goals(&run_property(path, net, holds)?))
}

/// That some run of `net` satisfies a formula over atoms of markings, over goals.
pub(super) fn some_run(
    formulas: Formulas,
    formula: Ltl<Linear>,
    atoms: &[Predicate],
    net: &Net,
) -> Proposition<Goal> {
    let atoms: Vec<RunAtom> = atoms.iter().cloned().map(RunAtom::Holds).collect();
    over_goals(&simplified(formulas, formula, &atoms, net))
}

fn over_goals(whole: &RunProperty) -> Proposition<Goal> {
    let (formulas, formula) = (whole.formulas(), whole.formula());
    let cases = match formulas.node(formula) {
        Node::Or(cases) => cases.to_vec(),
        _ => vec![formula],
    };
    let goals: Vec<Proposition<Goal>> = cases
        .into_iter()
        .map(|case| {
            let literal = match formulas.node(case) {
                Node::True | Node::False => {
                    return Proposition::Constant(formulas.is(case, true));
                }
                Node::Until(_, left, right) if formulas.is(*left, true) => formulas.node(*right),
                _ => &Node::True,
            };
            let sought = match literal {
                Node::Literal(literal) => match &whole.atoms()[literal.atom.0 as usize] {
                    RunAtom::Holds(it) if literal.positive => Some(it.clone()),
                    RunAtom::Holds(it) => Some(it.clone().negated()),
                    RunAtom::Fires(_) => None,
                },
                _ => None,
            };
            Proposition::Atom(match sought {
                Some(predicate) => Goal::Reach(predicate),
                None => Goal::Run(Box::new(RunProperty::new(formulas, case, whole.atoms()))),
            })
        })
        .collect();
    Proposition::junction(false, goals)
}

/// What a part of the formula is read as.
enum Part<'f> {
    /// It has no temporal operator; it becomes a predicate together with what is around it.
    State(&'f Formula),
    /// It has some.
    Path(Ltl<Linear>),
}

struct Reading {
    states: States,
    formulas: Formulas,
    atoms: Vec<RunAtom>,
    /// The atoms by number: a predicate is sorted, and the smaller of itself and its negation.
    numbers: HashMap<RunAtom, Atom>,
}

impl Reading {
    // As in `lower`, formulas are nested thousands of levels deep: what is not needed while parts
    // are read is in functions of its own.

    fn part<'f>(&mut self, formula: &'f Formula) -> Result<Part<'f>, Unsupported> {
        match formula {
            Formula::Not(part) => match self.part(part)? {
                Part::State(_) => Ok(Part::State(formula)),
                Part::Path(part) => Ok(Part::Path(self.formulas.negate(part))),
            },
            Formula::And(parts) => self.junction(formula, parts, true),
            Formula::Or(parts) => self.junction(formula, parts, false),
            Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
                let a = self.part(a)?;
                let b = self.part(b)?;
                self.connective(formula, &a, &b)
            }
            Formula::Globally(part) | Formula::Finally(part) | Formula::Next(part) => {
                let part = self.part(part)?;
                self.operator(formula, &part)
            }
            Formula::Until { before, reach } => {
                let before = self.part(before)?;
                let reach = self.part(reach)?;
                self.until(&before, &reach)
            }
            Formula::AllPaths(_) => Err(Unsupported::Temporal("A below a temporal operator")),
            Formula::ExistsPath(_) => Err(Unsupported::Temporal("E below a temporal operator")),
            Formula::Fires(transitions) => Ok(Part::Path(self.fires(transitions))),
            Formula::PlaceBound(_) => Err(Unsupported::BoundAsProperty),
            Formula::Compare { .. }
            | Formula::Fireable(_)
            | Formula::Deadlock
            | Formula::True
            | Formula::False => Ok(Part::State(formula)),
        }
    }

    /// A conjunction if `all`, or a disjunction.
    #[inline(never)]
    fn junction<'f>(
        &mut self,
        formula: &'f Formula,
        parts: &'f [Formula],
        all: bool,
    ) -> Result<Part<'f>, Unsupported> {
        let (mut states, mut paths) = (Vec::new(), Vec::new());
        for part in parts {
            match self.part(part)? {
                Part::State(part) => states.push(part),
                Part::Path(part) => paths.push(part),
            }
        }
        if paths.is_empty() {
            return Ok(Part::State(formula));
        }
        if !states.is_empty() {
            paths.push(self.states(&states, all)?);
        }
        Ok(Part::Path(if all { self.formulas.and(paths) } else { self.formulas.or(paths) }))
    }

    /// Parts without temporal operators as one atom.
    #[inline(never)]
    fn states(&mut self, parts: &[&Formula], all: bool) -> Result<Ltl<Linear>, Unsupported> {
        let parts = parts.iter().map(|part| self.states.predicate(part, true));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(self.literal(if all { Predicate::and(parts) } else { Predicate::or(parts) }))
    }

    /// An implication, an equivalence, or that one of two holds, but not both.
    #[inline(never)]
    fn connective<'f>(
        &mut self,
        formula: &'f Formula,
        a: &Part<'_>,
        b: &Part<'_>,
    ) -> Result<Part<'f>, Unsupported> {
        if matches!((a, b), (Part::State(_), Part::State(_))) {
            return Ok(Part::State(formula));
        }
        let (a, b) = (self.formula(a)?, self.formula(b)?);
        let not_a = self.formulas.negate(a);
        Ok(Part::Path(match formula {
            Formula::Implies(..) => self.formulas.or([not_a, b]),
            _ => {
                let not_b = self.formulas.negate(b);
                let same = matches!(formula, Formula::Equivalent(..));
                let (with, without) = if same { (b, not_b) } else { (not_b, b) };
                let cases = [[a, with], [not_a, without]].map(|case| self.formulas.and(case));
                self.formulas.or(cases)
            }
        }))
    }

    /// G, F or X of a part.
    #[inline(never)]
    fn operator<'f>(
        &mut self,
        formula: &Formula,
        part: &Part<'_>,
    ) -> Result<Part<'f>, Unsupported> {
        let part = self.formula(part)?;
        Ok(Part::Path(match formula {
            Formula::Globally(_) => self.formulas.always(Linear, part),
            Formula::Finally(_) => self.formulas.eventually(Linear, part),
            _ => self.formulas.next(Linear, part),
        }))
    }

    #[inline(never)]
    fn until<'f>(&mut self, before: &Part<'_>, reach: &Part<'_>) -> Result<Part<'f>, Unsupported> {
        let (before, reach) = (self.formula(before)?, self.formula(reach)?);
        Ok(Part::Path(self.formulas.until(Linear, before, reach)))
    }

    /// The part as a formula over atoms.
    fn formula(&mut self, part: &Part<'_>) -> Result<Ltl<Linear>, Unsupported> {
        match part {
            Part::State(state) => self.states(&[state], true),
            Part::Path(path) => Ok(*path),
        }
    }

    /// That the predicate holds: an atom or the negation of one, or a constant.
    fn literal(&mut self, predicate: Predicate) -> Ltl<Linear> {
        let predicate = predicate.sorted();
        if let Predicate::True | Predicate::False = predicate {
            return self.formulas.constant(predicate == Predicate::True);
        }
        let negation = predicate.clone().negated().sorted();
        let positive = predicate <= negation;
        let atom = self.atom(RunAtom::Holds(if positive { predicate } else { negation }));
        self.formulas.literal(Literal { atom, positive })
    }

    /// That one of these fires next.
    #[inline(never)]
    fn fires(&mut self, transitions: &[TransitionId]) -> Ltl<Linear> {
        let mut transitions = transitions.to_vec();
        transitions.sort_unstable();
        transitions.dedup();
        let atom = self.atom(RunAtom::Fires(transitions));
        self.formulas.atom(atom)
    }

    /// The number of an atom.
    fn atom(&mut self, atom: RunAtom) -> Atom {
        let next = Atom(self.atoms.len() as u32);
        let atoms = &mut self.atoms;
        *self.numbers.entry(atom).or_insert_with_key(|atom| {
            atoms.push(atom.clone());
            next
        })
    }
}
