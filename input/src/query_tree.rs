//! The tree of one formula, built while the elements of a query file open and close. The open
//! operators are a list, so deep nesting needs no recursion.

use parikh_formula::{
    Expression, Formula, FormulaError, FormulaProblem, MAX_DEPTH, NumberRelation,
};
use parikh_net::{PlaceId, TransitionId};

/// The kind of node that a name refers to.
#[derive(Clone, Copy)]
pub(super) enum NodeNameKind {
    Place,
    Transition,
}

/// The operator of an element with operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueryOperator {
    /// The element around a formula: `<formula>`.
    Formula,
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
    Compare(NumberRelation),
    Fireable,
    /// Parikh's own operator: the next transition of the run is one of its operands.
    Fires,
    Deadlock,
    True,
    False,
    PlaceBound,
    Tokens,
    Sum,
    Product,
    Difference,
    /// AG φ, in the form of early years.
    Invariant,
    /// EF φ, in the form of early years.
    Possibility,
    /// ¬EF φ, in the form of early years.
    Impossibility,
}

/// The elements and their operators. The name in the current language comes first, then the names
/// of other years and tools.
const ELEMENTS: [(&str, QueryOperator); 39] = [
    ("formula", QueryOperator::Formula),
    ("all-paths", QueryOperator::AllPaths),
    ("exists-path", QueryOperator::ExistsPath),
    ("globally", QueryOperator::Globally),
    ("finally", QueryOperator::Finally),
    ("next", QueryOperator::Next),
    ("until", QueryOperator::Until),
    ("before", QueryOperator::Before),
    ("reach", QueryOperator::Reach),
    ("conjunction", QueryOperator::And),
    ("disjunction", QueryOperator::Or),
    ("negation", QueryOperator::Not),
    ("implication", QueryOperator::Implies),
    ("equivalence", QueryOperator::Equivalent),
    ("exclusive-disjunction", QueryOperator::Xor),
    ("integer-le", QueryOperator::Compare(NumberRelation::AtMost)),
    ("integer-ge", QueryOperator::Compare(NumberRelation::AtLeast)),
    ("integer-lt", QueryOperator::Compare(NumberRelation::Less)),
    ("integer-gt", QueryOperator::Compare(NumberRelation::Greater)),
    ("integer-eq", QueryOperator::Compare(NumberRelation::Equal)),
    ("integer-ne", QueryOperator::Compare(NumberRelation::Unequal)),
    ("is-fireable", QueryOperator::Fireable),
    ("fires", QueryOperator::Fires),
    ("deadlock", QueryOperator::Deadlock),
    ("true", QueryOperator::True),
    ("false", QueryOperator::False),
    ("place-bound", QueryOperator::PlaceBound),
    ("tokens-count", QueryOperator::Tokens),
    ("integer-sum", QueryOperator::Sum),
    ("integer-product", QueryOperator::Product),
    ("integer-difference", QueryOperator::Difference),
    ("invariant", QueryOperator::Invariant),
    ("possibility", QueryOperator::Possibility),
    ("impossibility", QueryOperator::Impossibility),
    ("and", QueryOperator::And),
    ("or", QueryOperator::Or),
    ("not", QueryOperator::Not),
    ("xor", QueryOperator::Xor),
    ("is-deadlock", QueryOperator::Deadlock),
];

impl QueryOperator {
    /// Returns the operator of an element inside a formula.
    pub(super) fn named(name: &str) -> Option<QueryOperator> {
        ELEMENTS[1..].iter().find(|(element, _)| *element == name).map(|&(_, operator)| operator)
    }

    /// Returns the name of the element for messages.
    fn element(self) -> &'static str {
        let element = ELEMENTS.iter().find(|&&(_, operator)| operator == self);
        element.map_or("formula", |&(element, _)| element)
    }
}

/// A complete operand.
enum QueryOperand {
    Formula(Formula),
    Expression(Expression),
    Before(Formula),
    Reach(Formula),
    /// The places that one name denotes. In an unfolding, a coloured place denotes the places of
    /// all its colours. The list is empty if the unfolding left out all colours.
    Places(Vec<PlaceId>),
    Transitions(Vec<TransitionId>),
}

impl QueryOperand {
    fn description(&self) -> &'static str {
        match self {
            QueryOperand::Formula(_) => "a formula",
            QueryOperand::Expression(_) => "a number",
            QueryOperand::Before(_) => "before",
            QueryOperand::Reach(_) => "reach",
            QueryOperand::Places(_) => "place",
            QueryOperand::Transitions(_) => "transition",
        }
    }
}

struct OpenElement {
    operator: QueryOperator,
    line: u64,
    operands: Vec<QueryOperand>,
}

/// A partially read formula.
pub(super) struct FormulaTree {
    open: Vec<OpenElement>,
    /// The formula; `None` until its element is closed.
    finished: Option<Formula>,
    /// The line of the element `<formula>`.
    line: u64,
}

impl FormulaTree {
    /// Returns an empty tree for an element `<formula>` that was opened in this line.
    pub(super) fn new(line: u64) -> Self {
        let whole = OpenElement { operator: QueryOperator::Formula, line, operands: Vec::new() };
        FormulaTree { open: vec![whole], finished: None, line }
    }

    pub(super) fn open(
        &mut self,
        operator: QueryOperator,
        line: u64,
    ) -> Result<(), FormulaProblem> {
        if self.open.len() > MAX_DEPTH {
            return Err(FormulaProblem::TooDeep);
        }
        self.open.push(OpenElement { operator, line, operands: Vec::new() });
        Ok(())
    }

    pub(super) fn places(&mut self, places: Vec<PlaceId>) -> Result<(), FormulaProblem> {
        self.add(QueryOperand::Places(places))
    }

    pub(super) fn transitions(
        &mut self,
        transitions: Vec<TransitionId>,
    ) -> Result<(), FormulaProblem> {
        self.add(QueryOperand::Transitions(transitions))
    }

    pub(super) fn constant(&mut self, text: &str) -> Result<(), FormulaProblem> {
        let bad = |_| FormulaProblem::BadNumber(text.to_owned());
        let number = text.parse().map_err(bad)?;
        self.add(QueryOperand::Expression(Expression::Constant(number)))
    }

    /// Adds a complete operand to the innermost open operator. Returns an error if the operand is
    /// of a wrong kind.
    fn add(&mut self, part: QueryOperand) -> Result<(), FormulaProblem> {
        use QueryOperator as O;
        let Some(OpenElement { operator, operands: parts, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        let (fits, expected) = match operator {
            O::Tokens | O::PlaceBound => (matches!(part, QueryOperand::Places(_)), "places"),
            O::Fireable | O::Fires => (matches!(part, QueryOperand::Transitions(_)), "transitions"),
            O::Compare(_) | O::Sum | O::Product | O::Difference => {
                (matches!(part, QueryOperand::Expression(_)), "numbers")
            }
            O::Until => (
                matches!(part, QueryOperand::Before(_) | QueryOperand::Reach(_)),
                "before and reach",
            ),
            O::Deadlock | O::True | O::False => (false, "nothing"),
            O::Formula => (matches!(part, QueryOperand::Formula(_)), "a formula"),
            _ => {
                let is_bound = matches!(part, QueryOperand::Formula(Formula::PlaceBound(_)));
                (matches!(part, QueryOperand::Formula(_)) && !is_bound, "formulas")
            }
        };
        if !fits {
            let found = match &part {
                QueryOperand::Formula(Formula::PlaceBound(_)) => "place-bound",
                part => part.description(),
            };
            return Err(FormulaProblem::Misplaced { found, inside: operator.element(), expected });
        }
        parts.push(part);
        Ok(())
    }

    /// Closes the innermost open operator.
    pub(super) fn close(&mut self) -> Result<(), FormulaError> {
        let Some(OpenElement { operator, line, operands: parts }) = self.open.pop() else {
            return Ok(());
        };
        let error = |problem| FormulaError { line, problem };
        match apply_operator(operator, parts).map_err(error)? {
            QueryOperand::Formula(formula) if operator == QueryOperator::Formula => {
                self.finished = Some(formula)
            }
            part => self.add(part).map_err(error)?,
        }
        Ok(())
    }

    /// Returns the formula. Returns an error if the element `<formula>` was not closed.
    pub(super) fn finish(self) -> Result<Formula, FormulaError> {
        let missing = FormulaError { line: self.line, problem: FormulaProblem::NoFormula };
        self.finished.ok_or(missing)
    }
}

/// Applies an operator to its operands, whose kinds [`FormulaTree::add`] has checked.
fn apply_operator(
    operator: QueryOperator,
    parts: Vec<QueryOperand>,
) -> Result<QueryOperand, FormulaProblem> {
    use QueryOperator as O;
    let operands = OperatorOperands::of(operator, parts);
    match operator {
        O::Before => Ok(QueryOperand::Before(*operands.one_formula()?)),
        O::Reach => Ok(QueryOperand::Reach(*operands.one_formula()?)),
        O::Tokens | O::Sum | O::Product | O::Difference => {
            Ok(QueryOperand::Expression(operands.expression()?))
        }
        _ => Ok(QueryOperand::Formula(operands.formula()?)),
    }
}

/// An operator with its operands, sorted by kind.
struct OperatorOperands {
    operator: QueryOperator,
    /// The number of operands.
    operand_count: usize,
    formulas: Vec<Formula>,
    numbers: Vec<Expression>,
    places: Vec<PlaceId>,
    transitions: Vec<TransitionId>,
    before: Option<Formula>,
    reach: Option<Formula>,
}

impl OperatorOperands {
    fn of(operator: QueryOperator, parts: Vec<QueryOperand>) -> Self {
        let mut sorted = OperatorOperands {
            operator,
            operand_count: parts.len(),
            formulas: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            transitions: Vec::new(),
            before: None,
            reach: None,
        };
        for part in parts {
            match part {
                QueryOperand::Formula(formula) => sorted.formulas.push(formula),
                QueryOperand::Expression(number) => sorted.numbers.push(number),
                QueryOperand::Places(named) => sorted.places.extend(named),
                QueryOperand::Transitions(named) => sorted.transitions.extend(named),
                QueryOperand::Before(formula) => sorted.before = Some(formula),
                QueryOperand::Reach(formula) => sorted.reach = Some(formula),
            }
        }
        sorted
    }

    /// Builds the formula of the operator.
    fn formula(self) -> Result<Formula, FormulaProblem> {
        use Formula as F;
        use QueryOperator as O;
        Ok(match self.operator {
            O::Formula => *self.one_formula()?,
            O::AllPaths => F::AllPaths(self.one_formula()?),
            O::ExistsPath => F::ExistsPath(self.one_formula()?),
            O::Globally => F::Globally(self.one_formula()?),
            O::Finally => F::Finally(self.one_formula()?),
            O::Next => F::Next(self.one_formula()?),
            O::Until => {
                let wants = self.arity_error("2, one before and one reach");
                let (Some(before), Some(reach), 2) = (self.before, self.reach, self.operand_count)
                else {
                    return Err(wants);
                };
                F::Until { before: Box::new(before), reach: Box::new(reach) }
            }
            O::And => F::And(self.at_least_one()?.formulas),
            O::Or => F::Or(self.at_least_one()?.formulas),
            O::Not => F::Not(self.one_formula()?),
            O::Implies => {
                let [first, second] = self.two_formulas()?;
                F::Implies(first, second)
            }
            O::Equivalent => {
                let [first, second] = self.two_formulas()?;
                F::Equivalent(first, second)
            }
            O::Xor => {
                let [first, second] = self.two_formulas()?;
                F::Xor(first, second)
            }
            O::Compare(relation) => {
                let [left, right] = self.two_numbers()?;
                F::Compare { left, relation, right }
            }
            O::Fireable => F::Fireable(self.at_least_one()?.transitions),
            O::Fires => F::Fires(self.at_least_one()?.transitions),
            O::PlaceBound => F::PlaceBound(self.at_least_one()?.places),
            O::Invariant => F::AllPaths(Box::new(F::Globally(self.one_formula()?))),
            O::Possibility => F::ExistsPath(Box::new(F::Finally(self.one_formula()?))),
            O::Impossibility => {
                F::Not(Box::new(F::ExistsPath(Box::new(F::Finally(self.one_formula()?)))))
            }
            O::Deadlock => F::Deadlock,
            O::True => F::True,
            O::False => F::False,
            O::Before | O::Reach | O::Tokens | O::Sum | O::Product | O::Difference => {
                return Err(self.arity_error("none"));
            }
        })
    }

    /// Builds the expression of the operator.
    fn expression(self) -> Result<Expression, FormulaProblem> {
        Ok(match self.operator {
            QueryOperator::Sum => Expression::Sum(self.at_least_one()?.numbers),
            QueryOperator::Product => Expression::Product(self.at_least_one()?.numbers),
            QueryOperator::Difference => {
                let [left, right] = self.two_numbers()?;
                Expression::Difference(Box::new(left), Box::new(right))
            }
            _ => Expression::Tokens(self.at_least_one()?.places),
        })
    }

    /// Returns the error for a wrong number of operands.
    fn arity_error(&self, expected: &'static str) -> FormulaProblem {
        let (operator, found) = (self.operator.element(), self.operand_count);
        FormulaProblem::WrongArity { operator, found, expected }
    }

    /// Returns the operands if there is at least one, and an error otherwise.
    fn at_least_one(self) -> Result<Self, FormulaProblem> {
        if self.operand_count > 0 { Ok(self) } else { Err(self.arity_error("at least 1")) }
    }

    fn one_formula(self) -> Result<Box<Formula>, FormulaProblem> {
        let arity_error = self.arity_error("1");
        <[Formula; 1]>::try_from(self.formulas).map(|[one]| Box::new(one)).map_err(|_| arity_error)
    }

    fn two_formulas(self) -> Result<[Box<Formula>; 2], FormulaProblem> {
        let arity_error = self.arity_error("2");
        <[Formula; 2]>::try_from(self.formulas)
            .map(|two| two.map(Box::new))
            .map_err(|_| arity_error)
    }

    fn two_numbers(self) -> Result<[Expression; 2], FormulaProblem> {
        let arity_error = self.arity_error("2");
        <[Expression; 2]>::try_from(self.numbers).map_err(|_| arity_error)
    }
}
