//! Z3 through its C library: incremental, with assumptions, models and cores.
//!
//! # Settings and reasons
//! [`Z3::new`] uses the incremental core from the first check on: on contest formulas, the tactics
//! of newer versions are 7 to 40 times slower on easy formulas. [`Z3::for_logic`] uses the tactics,
//! for a late attempt on the remaining formulas.
//!
//! # Quirks (z3 0.22, Z3 5.3.3)
//! The crate keeps one context per thread, so a solver stays on the thread that created it. A
//! library older than 4.13.3 uses other numbers for operators, which is undefined behaviour in the
//! crate, so it is refused. Z3's own timeout is not used. Instead, a second thread interrupts the
//! check when the budget is exhausted, which covers time, memory and cancellation.

mod handle;

use std::collections::HashMap;
use std::time::Duration;

use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use z3::ast::{BV, Bool, Int, Real};

use crate::answer::NoAnswer;
use crate::bits::{BitSum, Sides};
use crate::budget::Budget;
use crate::model::{ModelValue, SolverModel};
use crate::smt::{SmtAnswer, SmtError, SmtSolver};
use crate::term::{Node, Sort, Term, Terms, Variable};

use handle::{CheckOutcome, Handle};

/// The oldest library version that the crate supports.
const OLDEST_VERSION: [u32; 3] = [4, 13, 3];

/// The Z3 back-end. It must stay on the thread that created it.
pub struct Z3 {
    /// The solver inside Z3.
    solver: Handle,
    /// The identity of the arena of the first term; `None` before the first term.
    arena: Option<u64>,
    /// The translated terms, indexed by term; `None` if not needed so far.
    translated: Vec<Option<Bool>>,
    /// The translated integer, real and bit-vector variables.
    numbers: HashMap<Variable, Number>,
    /// The translated Boolean variables.
    booleans: HashMap<Variable, Bool>,
    /// The assertions, in order.
    assertions: Vec<Term>,
    /// For assumptions that are not literals: a fresh Boolean that implies the term.
    guards: HashMap<Term, Bool>,
}

#[derive(Clone)]
enum Number {
    Int(Int),
    Real(Real),
    Bits(BV),
}

impl Number {
    fn to_real(&self) -> Real {
        match self {
            Number::Int(int) => int.to_real(),
            Number::Real(real) => real.clone(),
            Number::Bits(bits) => bits.to_int(false).to_real(),
        }
    }

    /// Returns the integer value, or `None` for a real number.
    fn to_int(&self) -> Option<Int> {
        match self {
            Number::Int(int) => Some(int.clone()),
            Number::Real(_) => None,
            Number::Bits(bits) => Some(bits.to_int(false)),
        }
    }
}

impl Z3 {
    /// Creates a solver without assertions that uses the incremental core.
    ///
    /// # Errors
    /// Returns [`SmtError::TooOld`] or [`SmtError::NoSolver`].
    pub fn new() -> Result<Self, SmtError> {
        Z3::with_optional_logic(None)
    }

    /// Creates a solver without assertions that uses Z3's tactics for `logic` (such as `QF_LIA`)
    /// until it is used incrementally, for example with assumptions.
    ///
    /// # Errors
    /// Returns [`SmtError::TooOld`], or [`SmtError::NoSolver`] for a logic that Z3 does not
    /// support.
    pub fn for_logic(logic: &str) -> Result<Self, SmtError> {
        Z3::with_optional_logic(Some(logic))
    }

    fn with_optional_logic(logic: Option<&str>) -> Result<Self, SmtError> {
        check_version(z3::full_version())?;
        Ok(Z3 {
            solver: Handle::new(logic).ok_or(SmtError::NoSolver)?,
            arena: None,
            translated: Vec::new(),
            numbers: HashMap::new(),
            booleans: HashMap::new(),
            assertions: Vec::new(),
            guards: HashMap::new(),
        })
    }

    /// Records the arena of the first term. Returns an error for a later term of another arena.
    fn take_arena(&mut self, terms: &Terms) -> Result<(), SmtError> {
        if *self.arena.get_or_insert(terms.identity()) == terms.identity() {
            Ok(())
        } else {
            Err(SmtError::OtherArena)
        }
    }

    /// Translates a term, children before parents, without recursion.
    fn translate(&mut self, terms: &Terms, root: Term) -> Bool {
        if self.translated.len() < terms.len() {
            self.translated.resize(terms.len(), None);
        }
        let mut open = vec![root];
        while let Some(&term) = open.last() {
            if self.translated[term.index()].is_some() {
                open.pop();
                continue;
            }
            let translated_terms = &self.translated;
            let missing = terms
                .node(term)
                .children()
                .iter()
                .filter(|p| translated_terms[p.index()].is_none());
            let open_before = open.len();
            open.extend(missing);
            if open.len() == open_before {
                self.translated[term.index()] = Some(self.translate_node(terms, terms.node(term)));
                open.pop();
            }
        }
        self.translated_term(root).clone()
    }

    fn translated_term(&self, term: Term) -> &Bool {
        // `translate` ends only when the root is translated, and it translates children first.
        self.translated[term.index()].as_ref().expect("translated before use")
    }

    /// Translates a node whose children are translated.
    fn translate_node(&mut self, terms: &Terms, node: &Node) -> Bool {
        match node {
            Node::Truth(value) => Bool::from_bool(*value),
            Node::Boolean(variable) => self
                .booleans
                .entry(*variable)
                .or_insert_with(|| Bool::fresh_const(&symbol(terms, *variable)))
                .clone(),
            Node::Not(part) => self.translated_term(*part).not(),
            Node::And(parts) => {
                Bool::and(&parts.iter().map(|&part| self.translated_term(part)).collect::<Vec<_>>())
            }
            Node::Or(parts) => {
                Bool::or(&parts.iter().map(|&part| self.translated_term(part)).collect::<Vec<_>>())
            }
            Node::AtMost(entries, bound) => self.constraint(terms, entries, bound, true),
            Node::Equal(entries, bound) => self.constraint(terms, entries, bound, false),
        }
    }

    /// Translates Σ c·x ≤ bound if `is_at_most`, and otherwise Σ c·x = bound.
    fn constraint(
        &mut self,
        terms: &Terms,
        entries: &[(Variable, i128)],
        bound: &BigInt,
        is_at_most: bool,
    ) -> Bool {
        if let Some(Sides { width, left, right }) = Sides::of(terms, entries, bound) {
            let [left, right] = [left, right].map(|side| self.bits_sum(terms, &side, width));
            return if is_at_most { left.bvule(&right) } else { left.eq(&right) };
        }
        let numbers: Vec<Number> = entries.iter().map(|&(v, _)| self.number(terms, v)).collect();
        let integers: Option<Vec<Int>> = numbers
            .iter()
            .zip(entries)
            .map(|(number, &(_, coefficient))| match coefficient {
                1 => number.to_int(),
                _ => Some(Int::mul(&[&integer(&coefficient.into()), &number.to_int()?])),
            })
            .collect();
        if let Some(products) = integers {
            let sum = if let [only] = &products[..] { only.clone() } else { Int::add(&products) };
            let bound = integer(bound);
            return if is_at_most { sum.le(&bound) } else { sum.eq(&bound) };
        }
        let products: Vec<Real> = numbers
            .iter()
            .zip(entries)
            .map(|(number, &(_, coefficient))| {
                Real::mul(&[&integer(&coefficient.into()).to_real(), &number.to_real()])
            })
            .collect();
        let bound = integer(bound).to_real();
        let sum = Real::add(&products);
        if is_at_most { sum.le(&bound) } else { sum.eq(&bound) }
    }

    /// Translates one side of a constraint over bit-vectors.
    fn bits_sum(&mut self, terms: &Terms, sum: &BitSum, width: u32) -> BV {
        let mut total: Option<BV> = None;
        let mut add = |part: BV| {
            total = Some(match &total {
                Some(sum) => sum.bvadd(&part),
                None => part,
            });
        };
        for (variable, coefficient) in &sum.entries {
            let Number::Bits(bits) = self.number(terms, *variable) else { continue };
            let extended = bits.zero_ext(width - bits.get_size());
            add(match coefficient.is_one() {
                true => extended,
                false => extended.bvmul(constant(coefficient, width)),
            });
        }
        if !sum.constant.is_zero() || sum.entries.is_empty() {
            add(constant(&sum.constant, width));
        }
        total.unwrap_or_else(|| BV::from_u64(0, width))
    }

    fn number(&mut self, terms: &Terms, variable: Variable) -> Number {
        let number = self.numbers.entry(variable).or_insert_with(|| {
            let name = symbol(terms, variable);
            match terms.sort(variable) {
                Sort::Real => Number::Real(Real::fresh_const(&name)),
                Sort::Bits(width) => Number::Bits(BV::fresh_const(&name, width)),
                // Boolean variables never occur in a sum: arenas return them as terms.
                Sort::Int | Sort::Bool => Number::Int(Int::fresh_const(&name)),
            }
        });
        number.clone()
    }

    /// Returns a literal that can be assumed in place of `term`, since Z3 assumes only literals.
    fn assumption(&mut self, terms: &Terms, term: Term) -> Bool {
        let is_literal = match terms.node(term) {
            Node::Boolean(_) => true,
            Node::Not(part) => matches!(terms.node(*part), Node::Boolean(_)),
            _ => false,
        };
        let translated = self.translate(terms, term);
        if is_literal {
            return translated;
        }
        if let Some(guard) = self.guards.get(&term) {
            return guard.clone();
        }
        let guard = Bool::fresh_const("assumed");
        self.solver.assert(&guard.implies(&translated));
        self.guards.insert(term, guard.clone());
        guard
    }

    /// Returns the model of the last check, with a value for every translated variable. Returns
    /// `None` if Z3 has no model, or gives no truth value or rational number for a variable.
    fn model(&self) -> Option<SolverModel> {
        let handle = self.solver.model()?;
        let mut model = SolverModel::new();
        for (&variable, boolean) in &self.booleans {
            model.set(variable, ModelValue::Truth(handle.truth(boolean)?));
        }
        for (&variable, number) in &self.numbers {
            let value = match number {
                Number::Int(int) => handle.number(int)?,
                Number::Real(real) => handle.number(real)?,
                Number::Bits(bits) => handle.number(bits)?,
            };
            model.set(variable, ModelValue::Number(value));
        }
        Some(model)
    }
}

impl SmtSolver for Z3 {
    fn name(&self) -> String {
        z3::full_version().to_owned()
    }

    fn assert(&mut self, terms: &Terms, term: Term) -> Result<(), SmtError> {
        self.take_arena(terms)?;
        let translated = self.translate(terms, term);
        self.solver.assert(&translated);
        self.assertions.push(term);
        Ok(())
    }

    fn check(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        budget: &Budget,
    ) -> Result<SmtAnswer, SmtError> {
        self.take_arena(terms)?;
        if let Some(exhausted) = budget.exhausted() {
            return Ok(SmtAnswer::NoAnswer(exhausted.into()));
        }
        let literals: Vec<Bool> =
            assumptions.iter().map(|&term| self.assumption(terms, term)).collect();
        if !self.solver.is_sound() {
            let text = "Z3 rejected an assertion".to_owned();
            return Ok(SmtAnswer::NoAnswer(NoAnswer::Failed(text)));
        }
        Ok(match self.solver.check(&literals, budget) {
            CheckOutcome::Unsatisfiable => {
                let core = assumptions.iter().zip(self.solver.core(&literals));
                let core = core.filter(|&(_, contained)| contained).map(|(&term, _)| term);
                SmtAnswer::Unsatisfiable { core: core.collect() }
            }
            CheckOutcome::Satisfiable => {
                let mut all_terms: Vec<Term> = self.assertions.clone();
                all_terms.extend_from_slice(assumptions);
                match self.model() {
                    Some(model) if model.evaluate_all(terms, &all_terms) == Some(true) => {
                        SmtAnswer::Satisfiable(model)
                    }
                    _ => {
                        let text = "Z3 answers sat, but its model is wrong".to_owned();
                        SmtAnswer::NoAnswer(NoAnswer::Failed(text))
                    }
                }
            }
            CheckOutcome::Unknown => {
                let why = NoAnswer::Unknown(self.solver.reason());
                SmtAnswer::NoAnswer(budget.exhausted().map_or(why, NoAnswer::from))
            }
        })
    }
}

/// Returns the name of a variable for Z3's logs. Zero bytes cannot be passed to C.
fn symbol(terms: &Terms, variable: Variable) -> String {
    terms.name(variable).replace('\0', "_")
}

fn constant(value: &BigUint, width: u32) -> BV {
    match u64::try_from(value) {
        Ok(small) => BV::from_u64(small, width),
        Err(_) => BV::from_str(width, &value.to_string()).expect("Z3 reads decimal numbers"),
    }
}

fn integer(value: &BigInt) -> Int {
    match i64::try_from(value) {
        Ok(small) => Int::from_i64(small),
        // The text is an integer, which Z3 reads at any size.
        Err(_) => value.to_string().parse().expect("Z3 reads decimal integers"),
    }
}

/// Checks the version text of Z3: "Z3 5.3.3.0", or only the numbers.
fn check_version(version: &str) -> Result<(), SmtError> {
    let numbers = version.split(|c: char| !c.is_ascii_digit() && c != '.');
    let version_number = numbers.into_iter().find(|word| word.contains('.')).unwrap_or("");
    let version_numbers: Vec<u32> =
        version_number.split('.').map(|part| part.parse().unwrap_or(0)).collect();
    if version_numbers.as_slice() >= OLDEST_VERSION.as_slice() {
        return Ok(());
    }
    let needed = OLDEST_VERSION.map(|part| part.to_string()).join(".");
    Err(SmtError::TooOld { found: version.to_owned(), needed })
}

/// Returns the output of Z3's own reader for a script: `sat`, `unsat`, `unknown`, errors, and the
/// objectives after a `(maximize …)`. The output is empty if the script cannot be passed to C, or
/// if Z3 returns no text. The function serves to check that the scripts of this crate are valid for
/// other readers.
///
/// # Errors
/// Returns [`SmtError::TooOld`].
pub fn run_script(script: &str, timeout: Duration) -> Result<String, SmtError> {
    check_version(z3::full_version())?;
    // The state of earlier scripts would remain without a reset.
    let script = format!("(reset)\n(set-option :timeout {})\n{script}", timeout.as_millis());
    Ok(handle::eval(&script))
}

/// Returns the output of Z3's own reader for the next commands of a continued conversation. Returns
/// `None` if the library is too old, the text cannot be passed to C, or Z3 returns no text.
pub(crate) fn converse(commands: &str) -> Option<String> {
    check_version(z3::full_version()).ok()?;
    handle::eval_again(commands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_expression::LinearExpression;
    use num_rational::BigRational;
    use std::time::Duration;

    #[test]
    fn an_old_library_is_refused() {
        assert!(check_version(z3::full_version()).is_ok(), "{}", z3::full_version());
        assert!(check_version("Z3 5.3.3.0").is_ok() && check_version("4.13.3").is_ok());
        assert!(check_version("Z3 4.8.12.0").is_err() && check_version("nonsense").is_err());
    }

    #[test]
    fn assumptions_models_and_cores_work_together() {
        let mut terms = Terms::new();
        let (x, y) = (terms.integer("x"), terms.integer("y"));
        let sum = terms.at_most(LinearExpression::new().plus(1, x).plus(1, y), 10);
        let (high, low, odd) = (terms.at_least(x, 8), terms.at_least(y, 3), terms.boolean("odd"));
        let mut z3 = Z3::new().unwrap();
        let budget = Budget::unlimited();
        z3.assert(&terms, sum).unwrap();
        let core = match z3.check(&terms, &[odd, high, low], &budget).unwrap() {
            SmtAnswer::Unsatisfiable { core } => core,
            other => panic!("{other:?}"),
        };
        assert_eq!(core, [high, low]);
        let SmtAnswer::Satisfiable(model) = z3.check(&terms, &[low], &budget).unwrap() else {
            panic!()
        };
        assert!(model.integer(y).unwrap() >= 3.into());
        z3.assert(&terms, high).unwrap();
        let answer = z3.check(&terms, &[low], &budget).unwrap();
        assert_eq!(answer, SmtAnswer::Unsatisfiable { core: vec![low] });
        assert_eq!(z3.assert(&Terms::new(), sum), Err(SmtError::OtherArena));
    }

    #[test]
    fn huge_numbers_and_fractions_are_returned_exactly() {
        let mut terms = Terms::new();
        let (x, y) = (terms.integer("x"), terms.real("y"));
        let huge = LinearExpression::constant(u64::MAX).plus_constant(u64::MAX);
        let first = terms.equal(x, huge.clone());
        let second =
            terms.equal(LinearExpression::new().plus(-3, y).plus(1, x), huge.plus_constant(1));
        let mut z3 = Z3::new().unwrap();
        z3.assert(&terms, first).unwrap();
        z3.assert(&terms, second).unwrap();
        let answer = z3.check(&terms, &[], &Budget::unlimited()).unwrap();
        let SmtAnswer::Satisfiable(model) = answer else { panic!("{answer:?}") };
        assert_eq!(model.integer(x), Some(BigInt::from(u64::MAX) * 2));
        assert_eq!(model.number(y), Some(&BigRational::new((-1).into(), 3.into())));
    }

    /// A pigeonhole problem with integers: too hard at this size, so Z3 answers unknown.
    fn hopeless(terms: &mut Terms) -> Vec<Term> {
        let pigeons: i32 = 14;
        let mut asserted = Vec::new();
        let place: Vec<Variable> =
            (0..pigeons).map(|pigeon| terms.integer(&format!("p{pigeon}"))).collect();
        for (position, &pigeon) in place.iter().enumerate() {
            asserted.push(terms.at_least(pigeon, 1));
            asserted.push(terms.at_most(pigeon, pigeons - 1));
            for &other in &place[..position] {
                let same = terms.equal(pigeon, other);
                asserted.push(terms.not(same));
            }
        }
        asserted
    }

    #[test]
    fn a_check_ends_with_its_budget_and_the_next_one_works() {
        let mut terms = Terms::new();
        let asserted = hopeless(&mut terms);
        let mut z3 = Z3::new().unwrap();
        for _ in 0..3 {
            let budget = Budget::lasting(Duration::from_millis(50));
            let answer = z3.check(&terms, &asserted, &budget).unwrap();
            assert!(matches!(answer, SmtAnswer::NoAnswer(NoAnswer::Exhausted(_))), "{answer:?}");
            let answer = z3.check(&terms, &asserted[..1], &Budget::unlimited()).unwrap();
            assert!(matches!(answer, SmtAnswer::Satisfiable(_)), "{answer:?}");
        }
    }

    #[test]
    fn budgets_that_end_near_the_end_of_a_check_do_no_harm() {
        let mut terms = Terms::new();
        let x = terms.integer("x");
        let term = terms.at_least(x, 1);
        let mut z3 = Z3::new().unwrap();
        for round in 0..200 {
            let budget = Budget::lasting(Duration::from_micros(round * 5));
            let answer = z3.check(&terms, &[term], &budget).unwrap();
            assert!(!matches!(answer, SmtAnswer::NoAnswer(NoAnswer::Failed(_))), "{answer:?}");
        }
        let answer = z3.check(&terms, &[term], &Budget::unlimited()).unwrap();
        assert!(matches!(answer, SmtAnswer::Satisfiable(_)), "{answer:?}");
    }

    #[test]
    fn solvers_with_tactics_answer() {
        let mut terms = Terms::new();
        let x = terms.integer("x");
        let (low, high) = (terms.at_least(x, 1), terms.at_most(x, 0));
        let mut z3 = Z3::for_logic("QF_LIA").unwrap();
        z3.assert(&terms, low).unwrap();
        let budget = Budget::unlimited();
        assert!(matches!(z3.check(&terms, &[], &budget).unwrap(), SmtAnswer::Satisfiable(_)));
        z3.assert(&terms, high).unwrap();
        let answer = z3.check(&terms, &[], &budget).unwrap();
        assert_eq!(answer, SmtAnswer::Unsatisfiable { core: vec![] });
    }
}
