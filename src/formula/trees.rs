//! From a formula of CTL to a property of the tree of runs.
//!
//! Its largest parts without operators of time become atoms, and what is around them a formula over
//! these; parts that are each other's negation are one atom and its negation. The rules of
//! [`parikh_temporal::BRANCHING_RULES`] make the formula simpler. Then ∧ and ∨ at the top are formulas
//! over goals; what asks for a reachable marking, for what stays reachable, or for a run
//! ([`parikh_temporal::Ctl::on_all_paths`]), is such a goal; and what the initial marking decides is left out.

use super::proposition::Proposition;
use super::runs;
use super::state::States;
use super::syntax::Formula;
use super::unsupported::Unsupported;
use parikh_net::coloured::Folding;
use parikh_net::{Goal, Net, Predicate, TreeProperty};
use parikh_temporal::{
    Atom, BRANCHING_RULES, Ctl as Formulas, Formula as Id, Literal, Ltl, Node, Quantifier, Value,
    Values,
};
use std::collections::HashMap;

type Ctl = Id<Quantifier>;

/// The most steps of rewriting.
const STEPS: usize = 20_000;

/// Whether some path from the initial marking of `net`, or `all`, satisfy `path`: an operator of time
/// over formulas of CTL.
///
/// # Errors
/// When it mixes the logics, its numbers are too large, or `net` is the skeleton of a coloured net,
/// whose runs are others.
pub fn tree_property(path: &Formula, all: bool, net: &Net) -> Result<TreeProperty, Unsupported> {
    if net.folding().is_some_and(Folding::is_skeleton) {
        return Err(Unsupported::Colours);
    }
    let mut reading = Reading {
        states: States::of(path),
        formulas: Formulas::default(),
        atoms: Vec::new(),
        numbers: HashMap::new(),
    };
    let paths = if all { Quantifier::All } else { Quantifier::Exists };
    let formula = reading.path(path, paths)?;
    let Reading { mut formulas, atoms, .. } = reading;
    let (simple, _) = formulas.rewritten(formula, BRANCHING_RULES, STEPS);
    Ok(TreeProperty::new(&formulas, simple, &atoms))
}

/// The same over goals.
///
/// # Errors
/// As [`tree_property`].
pub(super) fn asked(
    path: &Formula,
    all: bool,
    net: &Net,
) -> Result<Proposition<Goal>, Unsupported> {
    let whole = tree_property(path, all, net)?;
    let is_dead = net.is_dead(net.initial());
    let initially: Vec<bool> =
        whole.atoms().iter().map(|atom| atom.holds(net, net.initial())).collect();
    let here = |atom: Atom| Value::from(initially[atom.0 as usize]);
    let formulas = whole.formulas();
    let asked = formulas.fold(whole.formula(), |part, node, made: &Values<_, Asked>| {
        let value = match is_dead {
            true => formulas.value_at_end(part, here),
            false => formulas.value_here(part, here),
        };
        if let Some(value) = value.known() {
            return Proposition::Constant(value);
        }
        match node {
            Node::And(parts) | Node::Or(parts) => {
                let all = matches!(node, Node::And(_));
                let parts = parts.iter().map(|&part| made[part].clone());
                Proposition::junction(all, parts.collect::<Vec<_>>())
            }
            _ => single(&whole, part, net),
        }
    });
    Ok(asked)
}

type Asked = Proposition<Goal>;

/// A part with an operator of time on top, as a goal.
fn single(whole: &TreeProperty, part: Ctl, net: &Net) -> Asked {
    let formulas = whole.formulas();
    let state = |part| state(whole, part);
    if let Some(met) = eventually(formulas, part) {
        if let Some(sought) = state(met) {
            return Proposition::Atom(Goal::Reach(sought));
        }
        if let Some(kept) = always(formulas, met).and_then(state) {
            return Proposition::Atom(Goal::Home(kept.negated())).negated();
        }
    }
    if let Some(kept) = always(formulas, part) {
        if let Some(kept) = state(kept) {
            return Proposition::Atom(Goal::Reach(kept.negated())).negated();
        }
        if let Some(wanted) = eventually(formulas, kept).and_then(state) {
            return Proposition::Atom(Goal::Home(wanted));
        }
    }
    if let Some(asked) = on_paths(whole, part, net) {
        return asked;
    }
    let property = TreeProperty::new(formulas, part, whole.atoms());
    Proposition::Atom(Goal::Tree(Box::new(property)))
}

/// The same as a question about runs, where there is one.
fn on_paths(whole: &TreeProperty, part: Ctl, net: &Net) -> Option<Asked> {
    let mut formulas = whole.formulas().clone();
    let negation = formulas.negate(part);
    let mut atoms = whole.atoms().to_vec();
    let dead = Atom(atoms.len() as u32);
    atoms.push(Predicate::Dead);
    let some_run_violates = |all: Ctl| {
        let mut linear = Ltl::default();
        let kept = formulas.on_all_paths(all, &mut linear, dead)?;
        let violated = linear.negate(kept);
        Some(runs::some_run(linear, violated, &atoms, net))
    };
    some_run_violates(part).map(Proposition::negated).or_else(|| some_run_violates(negation))
}

/// The φ of EF φ.
fn eventually(formulas: &Formulas, formula: Ctl) -> Option<Ctl> {
    match *formulas.node(formula) {
        Node::Until(Quantifier::Exists, left, met) if formulas.is(left, true) => Some(met),
        _ => None,
    }
}

/// The φ of AG φ.
fn always(formulas: &Formulas, formula: Ctl) -> Option<Ctl> {
    match *formulas.node(formula) {
        Node::Release(Quantifier::All, left, kept) if formulas.is(left, false) => Some(kept),
        _ => None,
    }
}

/// A part without operators of time.
fn state(whole: &TreeProperty, part: Ctl) -> Option<Predicate> {
    whole.formulas().fold(part, |_, node, made: &Values<_, Option<Predicate>>| {
        let all = |parts: &[Ctl]| parts.iter().map(|&part| made[part].clone()).collect();
        match node {
            Node::True => Some(Predicate::True),
            Node::False => Some(Predicate::False),
            Node::Literal(literal) => {
                let atom = whole.atoms()[literal.atom.0 as usize].clone();
                Some(if literal.positive { atom } else { atom.negated() })
            }
            Node::And(parts) => {
                let parts: Option<Vec<_>> = all(parts);
                Some(Predicate::and(parts?))
            }
            Node::Or(parts) => {
                let parts: Option<Vec<_>> = all(parts);
                Some(Predicate::or(parts?))
            }
            Node::Next(..) | Node::Until(..) | Node::Release(..) => None,
        }
    })
}

/// What a part of the formula is read as.
enum Part<'f> {
    /// It has no operator of time; it becomes a predicate together with what is around it.
    State(&'f Formula),
    /// It has some.
    Tree(Ctl),
}

struct Reading {
    states: States,
    formulas: Formulas,
    atoms: Vec<Predicate>,
    /// By predicate, sorted and the smaller of itself and its negation, the atom.
    numbers: HashMap<Predicate, Atom>,
}

impl Reading {
    // As in `lower`, formulas are nested thousands of levels deep: what is not needed while parts
    // are read is in functions of its own.

    fn part<'f>(&mut self, formula: &'f Formula) -> Result<Part<'f>, Unsupported> {
        match formula {
            Formula::Not(part) => match self.part(part)? {
                Part::State(_) => Ok(Part::State(formula)),
                Part::Tree(part) => Ok(Part::Tree(self.formulas.negate(part))),
            },
            Formula::And(parts) => self.junction(formula, parts, true),
            Formula::Or(parts) => self.junction(formula, parts, false),
            Formula::Implies(a, b) | Formula::Equivalent(a, b) | Formula::Xor(a, b) => {
                let a = self.part(a)?;
                let b = self.part(b)?;
                self.connective(formula, &a, &b)
            }
            Formula::AllPaths(path) => Ok(Part::Tree(self.path(path, Quantifier::All)?)),
            Formula::ExistsPath(path) => Ok(Part::Tree(self.path(path, Quantifier::Exists)?)),
            Formula::PlaceBound(_) => Err(Unsupported::BoundAsProperty),
            Formula::Fires(_) => Err(Unsupported::Temporal("`fires` in CTL")),
            Formula::Globally(_) | Formula::Finally(_) | Formula::Next(_) => {
                Err(Unsupported::Temporal("an operator of time without a quantifier, in CTL,"))
            }
            Formula::Until { .. } => Err(Unsupported::Temporal("U without a quantifier, in CTL,")),
            Formula::Compare { .. }
            | Formula::Fireable(_)
            | Formula::Deadlock
            | Formula::True
            | Formula::False => Ok(Part::State(formula)),
        }
    }

    /// What is directly below a quantifier.
    fn path(&mut self, path: &Formula, paths: Quantifier) -> Result<Ctl, Unsupported> {
        match path {
            Formula::Globally(part) | Formula::Finally(part) | Formula::Next(part) => {
                let part = self.part(part)?;
                self.operator(path, paths, &part)
            }
            Formula::Until { before, reach } => {
                let before = self.part(before)?;
                let reach = self.part(reach)?;
                self.until(paths, &before, &reach)
            }
            // E ¬F φ = E G ¬φ, and so on: dual operators.
            Formula::Not(part) => {
                let dual = match paths {
                    Quantifier::All => Quantifier::Exists,
                    Quantifier::Exists => Quantifier::All,
                };
                let inside = self.path(part, dual)?;
                Ok(self.formulas.negate(inside))
            }
            state => {
                let part = self.part(state)?;
                self.formula(&part)
            }
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
        let (mut states, mut trees) = (Vec::new(), Vec::new());
        for part in parts {
            match self.part(part)? {
                Part::State(part) => states.push(part),
                Part::Tree(part) => trees.push(part),
            }
        }
        if trees.is_empty() {
            return Ok(Part::State(formula));
        }
        if !states.is_empty() {
            trees.push(self.states(&states, all)?);
        }
        Ok(Part::Tree(if all { self.formulas.and(trees) } else { self.formulas.or(trees) }))
    }

    /// Parts without operators of time as one atom.
    #[inline(never)]
    fn states(&mut self, parts: &[&Formula], all: bool) -> Result<Ctl, Unsupported> {
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
        Ok(Part::Tree(match formula {
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
    fn operator(
        &mut self,
        formula: &Formula,
        paths: Quantifier,
        part: &Part<'_>,
    ) -> Result<Ctl, Unsupported> {
        let part = self.formula(part)?;
        Ok(match formula {
            Formula::Globally(_) => self.formulas.always(paths, part),
            Formula::Finally(_) => self.formulas.eventually(paths, part),
            _ => self.formulas.next(paths, part),
        })
    }

    #[inline(never)]
    fn until(
        &mut self,
        paths: Quantifier,
        before: &Part<'_>,
        reach: &Part<'_>,
    ) -> Result<Ctl, Unsupported> {
        let (before, reach) = (self.formula(before)?, self.formula(reach)?);
        Ok(self.formulas.until(paths, before, reach))
    }

    /// The part as a formula over atoms.
    fn formula(&mut self, part: &Part<'_>) -> Result<Ctl, Unsupported> {
        match part {
            Part::State(state) => self.states(&[state], true),
            Part::Tree(tree) => Ok(*tree),
        }
    }

    /// That the predicate holds: an atom or the negation of one, or a constant.
    fn literal(&mut self, predicate: Predicate) -> Ctl {
        let predicate = predicate.sorted();
        if let Predicate::True | Predicate::False = predicate {
            return self.formulas.constant(predicate == Predicate::True);
        }
        let negation = predicate.clone().negated().sorted();
        let positive = predicate <= negation;
        let key = if positive { predicate } else { negation };
        let next = Atom(self.atoms.len() as u32);
        let atoms = &mut self.atoms;
        let atom = *self.numbers.entry(key).or_insert_with_key(|key| {
            atoms.push(key.clone());
            next
        });
        self.formulas.literal(Literal { atom, positive })
    }
}
