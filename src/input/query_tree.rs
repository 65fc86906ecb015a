//! The tree of one formula, grown from the elements of a query file as they open and close. The
//! open operators are a list, so the depth of the file costs no stack.

use crate::formula::{Expression, Formula, FormulaError, FormulaProblem, MAX_DEPTH, Relation};
use parikh_net::{PlaceId, TransitionId};

/// Which node a name is of.
#[derive(Clone, Copy)]
pub(super) enum Name {
    Place,
    Transition,
}

/// What an element with operands stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// The whole: `<formula>`.
    Whole,
    AllPaths,
    ExistsPath,
    Globally,
    Finally,
    Next,
    Until,
    Before,
    Reach,
    And,
    Or,
    Not,
    Implies,
    Equivalent,
    Xor,
    Compare(Relation),
    Fireable,
    Deadlock,
    True,
    False,
    PlaceBound,
    Tokens,
    Sum,
    Product,
    Difference,
    /// The forms of early years: AG φ, EF φ and ¬EF φ.
    Invariant,
    Possibility,
    Impossibility,
}

/// Each operator's element of the current language first, then the names of other years and tools.
const ELEMENTS: [(&str, Operator); 38] = [
    ("formula", Operator::Whole),
    ("all-paths", Operator::AllPaths),
    ("exists-path", Operator::ExistsPath),
    ("globally", Operator::Globally),
    ("finally", Operator::Finally),
    ("next", Operator::Next),
    ("until", Operator::Until),
    ("before", Operator::Before),
    ("reach", Operator::Reach),
    ("conjunction", Operator::And),
    ("disjunction", Operator::Or),
    ("negation", Operator::Not),
    ("implication", Operator::Implies),
    ("equivalence", Operator::Equivalent),
    ("exclusive-disjunction", Operator::Xor),
    ("integer-le", Operator::Compare(Relation::AtMost)),
    ("integer-ge", Operator::Compare(Relation::AtLeast)),
    ("integer-lt", Operator::Compare(Relation::Less)),
    ("integer-gt", Operator::Compare(Relation::Greater)),
    ("integer-eq", Operator::Compare(Relation::Equal)),
    ("integer-ne", Operator::Compare(Relation::Unequal)),
    ("is-fireable", Operator::Fireable),
    ("deadlock", Operator::Deadlock),
    ("true", Operator::True),
    ("false", Operator::False),
    ("place-bound", Operator::PlaceBound),
    ("tokens-count", Operator::Tokens),
    ("integer-sum", Operator::Sum),
    ("integer-product", Operator::Product),
    ("integer-difference", Operator::Difference),
    ("invariant", Operator::Invariant),
    ("possibility", Operator::Possibility),
    ("impossibility", Operator::Impossibility),
    ("and", Operator::And),
    ("or", Operator::Or),
    ("not", Operator::Not),
    ("xor", Operator::Xor),
    ("is-deadlock", Operator::Deadlock),
];

impl Operator {
    /// The operator of an element inside a formula.
    pub(super) fn named(name: &str) -> Option<Operator> {
        ELEMENTS[1..].iter().find(|(element, _)| *element == name).map(|&(_, operator)| operator)
    }

    /// The element in messages.
    fn element(self) -> &'static str {
        let element = ELEMENTS.iter().find(|&&(_, operator)| operator == self);
        element.map_or("formula", |&(element, _)| element)
    }
}

/// Something complete inside an operator.
enum Part {
    Formula(Formula),
    Expression(Expression),
    Before(Formula),
    Reach(Formula),
    /// What one name stands for; of a coloured node all its colours or bindings, perhaps none.
    Places(Vec<PlaceId>),
    Transitions(Vec<TransitionId>),
}

impl Part {
    fn found(&self) -> &'static str {
        match self {
            Part::Formula(_) => "a formula",
            Part::Expression(_) => "a number",
            Part::Before(_) => "before",
            Part::Reach(_) => "reach",
            Part::Places(_) => "place",
            Part::Transitions(_) => "transition",
        }
    }
}

struct Open {
    operator: Operator,
    line: u64,
    parts: Vec<Part>,
}

/// A formula as far as it was read.
pub(super) struct Tree {
    open: Vec<Open>,
    /// The formula, once its element is closed.
    whole: Option<Formula>,
    line: u64,
}

impl Tree {
    /// Nothing yet; the element `<formula>` was opened in this line.
    pub(super) fn new(line: u64) -> Self {
        let whole = Open { operator: Operator::Whole, line, parts: Vec::new() };
        Tree { open: vec![whole], whole: None, line }
    }

    pub(super) fn open(&mut self, operator: Operator, line: u64) -> Result<(), FormulaProblem> {
        if self.open.len() > MAX_DEPTH {
            return Err(FormulaProblem::TooDeep);
        }
        self.open.push(Open { operator, line, parts: Vec::new() });
        Ok(())
    }

    pub(super) fn places(&mut self, places: Vec<PlaceId>) -> Result<(), FormulaProblem> {
        self.add(Part::Places(places))
    }

    pub(super) fn transitions(
        &mut self,
        transitions: Vec<TransitionId>,
    ) -> Result<(), FormulaProblem> {
        self.add(Part::Transitions(transitions))
    }

    pub(super) fn constant(&mut self, text: &str) -> Result<(), FormulaProblem> {
        let bad = |_| FormulaProblem::BadNumber(text.to_owned());
        let number = text.parse().map_err(bad)?;
        self.add(Part::Expression(Expression::Constant(number)))
    }

    /// Adds a complete part to the innermost open operator, where it has to make sense.
    fn add(&mut self, part: Part) -> Result<(), FormulaProblem> {
        use Operator as O;
        let Some(Open { operator, parts, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        let (fits, expected) = match operator {
            O::Tokens | O::PlaceBound => (matches!(part, Part::Places(_)), "places"),
            O::Fireable => (matches!(part, Part::Transitions(_)), "transitions"),
            O::Compare(_) | O::Sum | O::Product | O::Difference => {
                (matches!(part, Part::Expression(_)), "numbers")
            }
            O::Until => (matches!(part, Part::Before(_) | Part::Reach(_)), "before and reach"),
            O::Deadlock | O::True | O::False => (false, "nothing"),
            O::Whole => (matches!(part, Part::Formula(_)), "a formula"),
            _ => {
                let bound = matches!(part, Part::Formula(Formula::PlaceBound(_)));
                (matches!(part, Part::Formula(_)) && !bound, "formulas")
            }
        };
        if !fits {
            let found = match &part {
                Part::Formula(Formula::PlaceBound(_)) => "place-bound",
                part => part.found(),
            };
            return Err(FormulaProblem::Misplaced { found, inside: operator.element(), expected });
        }
        parts.push(part);
        Ok(())
    }

    /// The innermost open operator ends.
    pub(super) fn close(&mut self) -> Result<(), FormulaError> {
        let Some(Open { operator, line, parts }) = self.open.pop() else {
            return Ok(());
        };
        let wrong = |problem| FormulaError { line, problem };
        match complete(operator, parts).map_err(wrong)? {
            Part::Formula(formula) if operator == Operator::Whole => self.whole = Some(formula),
            part => self.add(part).map_err(wrong)?,
        }
        Ok(())
    }

    /// The formula, after its element was closed.
    pub(super) fn finish(self) -> Result<Formula, FormulaError> {
        let missing = FormulaError { line: self.line, problem: FormulaProblem::NoFormula };
        self.whole.ok_or(missing)
    }
}

/// The operator with its operands, which [`Tree::add`] let in by their kind.
fn complete(operator: Operator, parts: Vec<Part>) -> Result<Part, FormulaProblem> {
    use Formula as F;
    use Operator as O;
    let found = parts.len();
    let arity =
        |expected| FormulaProblem::WrongArity { operator: operator.element(), found, expected };
    let at_least_one = || if found > 0 { Ok(()) } else { Err(arity("at least 1")) };
    let (mut formulas, mut numbers) = (Vec::new(), Vec::new());
    let (mut places, mut transitions) = (Vec::new(), Vec::new());
    let (mut before, mut reach) = (None, None);
    for part in parts {
        match part {
            Part::Formula(formula) => formulas.push(formula),
            Part::Expression(number) => numbers.push(number),
            Part::Places(named) => places.extend(named),
            Part::Transitions(named) => transitions.extend(named),
            Part::Before(formula) => before = Some(formula),
            Part::Reach(formula) => reach = Some(formula),
        }
    }
    let one = |formulas: Vec<F>| match <[F; 1]>::try_from(formulas) {
        Ok([formula]) => Ok(Box::new(formula)),
        Err(_) => Err(arity("1")),
    };
    let two = |formulas: Vec<F>| match <[F; 2]>::try_from(formulas) {
        Ok([first, second]) => Ok((Box::new(first), Box::new(second))),
        Err(_) => Err(arity("2")),
    };
    let two_numbers =
        |numbers: Vec<Expression>| <[Expression; 2]>::try_from(numbers).map_err(|_| arity("2"));
    let formula = match operator {
        O::Whole => *one(formulas)?,
        O::AllPaths => F::AllPaths(one(formulas)?),
        O::ExistsPath => F::ExistsPath(one(formulas)?),
        O::Globally => F::Globally(one(formulas)?),
        O::Finally => F::Finally(one(formulas)?),
        O::Next => F::Next(one(formulas)?),
        O::Until => match (before, reach, found) {
            (Some(before), Some(reach), 2) => {
                F::Until { before: Box::new(before), reach: Box::new(reach) }
            }
            _ => return Err(arity("2, one before and one reach")),
        },
        O::Before => return Ok(Part::Before(*one(formulas)?)),
        O::Reach => return Ok(Part::Reach(*one(formulas)?)),
        O::And => {
            at_least_one()?;
            F::And(formulas)
        }
        O::Or => {
            at_least_one()?;
            F::Or(formulas)
        }
        O::Not => F::Not(one(formulas)?),
        O::Implies => {
            let (first, second) = two(formulas)?;
            F::Implies(first, second)
        }
        O::Equivalent => {
            let (first, second) = two(formulas)?;
            F::Equivalent(first, second)
        }
        O::Xor => {
            let (first, second) = two(formulas)?;
            F::Xor(first, second)
        }
        O::Compare(relation) => {
            let [left, right] = two_numbers(numbers)?;
            F::Compare { left, relation, right }
        }
        O::Fireable => {
            at_least_one()?;
            F::Fireable(transitions)
        }
        O::Deadlock => F::Deadlock,
        O::True => F::True,
        O::False => F::False,
        O::PlaceBound => {
            at_least_one()?;
            F::PlaceBound(places)
        }
        O::Tokens => {
            at_least_one()?;
            return Ok(Part::Expression(Expression::Tokens(places)));
        }
        O::Sum => {
            at_least_one()?;
            return Ok(Part::Expression(Expression::Sum(numbers)));
        }
        O::Product => {
            at_least_one()?;
            return Ok(Part::Expression(Expression::Product(numbers)));
        }
        O::Difference => {
            let [left, right] = two_numbers(numbers)?;
            let (left, right) = (Box::new(left), Box::new(right));
            return Ok(Part::Expression(Expression::Difference(left, right)));
        }
        O::Invariant => F::AllPaths(Box::new(F::Globally(one(formulas)?))),
        O::Possibility => F::ExistsPath(Box::new(F::Finally(one(formulas)?))),
        O::Impossibility => F::Not(Box::new(F::ExistsPath(Box::new(F::Finally(one(formulas)?))))),
    };
    Ok(Part::Formula(formula))
}
