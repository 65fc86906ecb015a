//! The tree of one formula, built while the elements of a query file open and close. The open
//! operators are a list, so deep nesting needs no recursion.

use crate::formula::{Expression, Formula, FormulaError, FormulaProblem, MAX_DEPTH, Relation};
use parikh_net::{PlaceId, TransitionId};

/// The kind of node that a name refers to.
#[derive(Clone, Copy)]
pub(super) enum Name {
    Place,
    Transition,
}

/// The operator of an element with operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    /// The element around a formula: `<formula>`.
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
    /// Parikh's own operator: the next transition is one of these.
    Fires,
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

/// The elements and their operators. The name in the current language comes first, then the names
/// of other years and tools.
const ELEMENTS: [(&str, Operator); 39] = [
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
    ("fires", Operator::Fires),
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
    /// Returns the operator of an element inside a formula.
    pub(super) fn named(name: &str) -> Option<Operator> {
        ELEMENTS[1..].iter().find(|(element, _)| *element == name).map(|&(_, operator)| operator)
    }

    /// Returns the name of the element for messages.
    fn element(self) -> &'static str {
        let element = ELEMENTS.iter().find(|&&(_, operator)| operator == self);
        element.map_or("formula", |&(element, _)| element)
    }
}

/// A complete operand.
enum Part {
    Formula(Formula),
    Expression(Expression),
    Before(Formula),
    Reach(Formula),
    /// The places of one name. A coloured place gives all its colours, perhaps none.
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

/// A partially read formula.
pub(super) struct Tree {
    open: Vec<Open>,
    /// The formula, once its element is closed.
    whole: Option<Formula>,
    line: u64,
}

impl Tree {
    /// Returns an empty tree for an element `<formula>` that was opened in this line.
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

    /// Adds a complete operand to the innermost open operator. Returns an error if the operand is
    /// of a wrong kind.
    fn add(&mut self, part: Part) -> Result<(), FormulaProblem> {
        use Operator as O;
        let Some(Open { operator, parts, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        let (fits, expected) = match operator {
            O::Tokens | O::PlaceBound => (matches!(part, Part::Places(_)), "places"),
            O::Fireable | O::Fires => (matches!(part, Part::Transitions(_)), "transitions"),
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

    /// Closes the innermost open operator.
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

    /// Returns the formula after its element was closed.
    pub(super) fn finish(self) -> Result<Formula, FormulaError> {
        let missing = FormulaError { line: self.line, problem: FormulaProblem::NoFormula };
        self.whole.ok_or(missing)
    }
}

/// Applies an operator to its operands, whose kinds [`Tree::add`] has checked.
fn complete(operator: Operator, parts: Vec<Part>) -> Result<Part, FormulaProblem> {
    use Operator as O;
    let operands = Operands::of(operator, parts);
    match operator {
        O::Before => Ok(Part::Before(*operands.one()?)),
        O::Reach => Ok(Part::Reach(*operands.one()?)),
        O::Tokens | O::Sum | O::Product | O::Difference => {
            Ok(Part::Expression(operands.expression()?))
        }
        _ => Ok(Part::Formula(operands.formula()?)),
    }
}

/// An operator with its operands, sorted by kind.
struct Operands {
    operator: Operator,
    /// The number of operands.
    found: usize,
    formulas: Vec<Formula>,
    numbers: Vec<Expression>,
    places: Vec<PlaceId>,
    transitions: Vec<TransitionId>,
    before: Option<Formula>,
    reach: Option<Formula>,
}

impl Operands {
    fn of(operator: Operator, parts: Vec<Part>) -> Self {
        let mut all = Operands {
            operator,
            found: parts.len(),
            formulas: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            transitions: Vec::new(),
            before: None,
            reach: None,
        };
        for part in parts {
            match part {
                Part::Formula(formula) => all.formulas.push(formula),
                Part::Expression(number) => all.numbers.push(number),
                Part::Places(named) => all.places.extend(named),
                Part::Transitions(named) => all.transitions.extend(named),
                Part::Before(formula) => all.before = Some(formula),
                Part::Reach(formula) => all.reach = Some(formula),
            }
        }
        all
    }

    /// Builds the formula of the operator.
    fn formula(self) -> Result<Formula, FormulaProblem> {
        use Formula as F;
        use Operator as O;
        Ok(match self.operator {
            O::Whole => *self.one()?,
            O::AllPaths => F::AllPaths(self.one()?),
            O::ExistsPath => F::ExistsPath(self.one()?),
            O::Globally => F::Globally(self.one()?),
            O::Finally => F::Finally(self.one()?),
            O::Next => F::Next(self.one()?),
            O::Until => {
                let wants = self.wants("2, one before and one reach");
                let (Some(before), Some(reach), 2) = (self.before, self.reach, self.found) else {
                    return Err(wants);
                };
                F::Until { before: Box::new(before), reach: Box::new(reach) }
            }
            O::And => F::And(self.some()?.formulas),
            O::Or => F::Or(self.some()?.formulas),
            O::Not => F::Not(self.one()?),
            O::Implies => {
                let [first, second] = self.two()?;
                F::Implies(first, second)
            }
            O::Equivalent => {
                let [first, second] = self.two()?;
                F::Equivalent(first, second)
            }
            O::Xor => {
                let [first, second] = self.two()?;
                F::Xor(first, second)
            }
            O::Compare(relation) => {
                let [left, right] = self.two_numbers()?;
                F::Compare { left, relation, right }
            }
            O::Fireable => F::Fireable(self.some()?.transitions),
            O::Fires => F::Fires(self.some()?.transitions),
            O::PlaceBound => F::PlaceBound(self.some()?.places),
            O::Invariant => F::AllPaths(Box::new(F::Globally(self.one()?))),
            O::Possibility => F::ExistsPath(Box::new(F::Finally(self.one()?))),
            O::Impossibility => F::Not(Box::new(F::ExistsPath(Box::new(F::Finally(self.one()?))))),
            O::Deadlock => F::Deadlock,
            O::True => F::True,
            O::False => F::False,
            O::Before | O::Reach | O::Tokens | O::Sum | O::Product | O::Difference => {
                return Err(self.wants("none"));
            }
        })
    }

    /// Builds the expression of the operator.
    fn expression(self) -> Result<Expression, FormulaProblem> {
        Ok(match self.operator {
            Operator::Sum => Expression::Sum(self.some()?.numbers),
            Operator::Product => Expression::Product(self.some()?.numbers),
            Operator::Difference => {
                let [left, right] = self.two_numbers()?;
                Expression::Difference(Box::new(left), Box::new(right))
            }
            _ => Expression::Tokens(self.some()?.places),
        })
    }

    /// Returns the error for a wrong number of operands.
    fn wants(&self, expected: &'static str) -> FormulaProblem {
        let (operator, found) = (self.operator.element(), self.found);
        FormulaProblem::WrongArity { operator, found, expected }
    }

    /// Returns the operands if there is at least one, and an error otherwise.
    fn some(self) -> Result<Self, FormulaProblem> {
        if self.found > 0 { Ok(self) } else { Err(self.wants("at least 1")) }
    }

    fn one(self) -> Result<Box<Formula>, FormulaProblem> {
        let wants = self.wants("1");
        <[Formula; 1]>::try_from(self.formulas).map(|[one]| Box::new(one)).map_err(|_| wants)
    }

    fn two(self) -> Result<[Box<Formula>; 2], FormulaProblem> {
        let wants = self.wants("2");
        <[Formula; 2]>::try_from(self.formulas).map(|two| two.map(Box::new)).map_err(|_| wants)
    }

    fn two_numbers(self) -> Result<[Expression; 2], FormulaProblem> {
        let wants = self.wants("2");
        <[Expression; 2]>::try_from(self.numbers).map_err(|_| wants)
    }
}
