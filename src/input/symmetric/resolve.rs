//! From a term as the file has it to what it stands for: a number, a multiset, a colour or a guard.
//! Operators come after their operands, so one pass with a stack of values does it.

use super::super::source::Position;
use super::problem::ColourProblem;
use super::raw::{Node, RawTerm};
use super::sorts::Scope;
use parikh_net::coloured::{ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term};

/// What part of a term stands for.
#[derive(Debug)]
enum Value {
    Number(u64),
    Sort(SortId),
    Term(Term),
    Multiset(Multiset),
    Guard(Guard),
    /// An element that only says which numbers are meant.
    Nothing,
}

impl Value {
    fn found(&self) -> &'static str {
        match self {
            Value::Number(_) => "a number",
            Value::Sort(_) => "a sort",
            Value::Term(_) => "a colour",
            Value::Multiset(_) => "a multiset",
            Value::Guard(_) => "a condition",
            Value::Nothing => "the name of a set of numbers",
        }
    }
}

/// Differences, tuples, partitions, and conditions of alternating kind are trees, which whoever walks
/// over them may do by recursion: at this depth no stack overflows.
const DEEPEST: usize = 200;

/// Sums inside tuples may multiply out to so many terms.
const LARGEST: usize = 1_000_000;

pub(super) struct Resolver<'n> {
    pub(super) net: &'n mut ColouredNet,
    pub(super) scope: &'n mut Scope,
}

type Failed = (Position, ColourProblem);

impl Resolver<'_> {
    /// The sort that a term names.
    pub(super) fn sort(&mut self, term: &RawTerm) -> Result<SortId, Failed> {
        match self.value(term)? {
            Value::Sort(sort) => Ok(sort),
            other => Err(whole(term, &other, "a sort")),
        }
    }

    /// The multiset of a sort that a term stands for.
    pub(super) fn multiset(&mut self, term: &RawTerm, sort: SortId) -> Result<Multiset, Failed> {
        let value = self.value(term)?;
        let Some(multiset) = as_multiset(value) else {
            return Err((
                term.at,
                ColourProblem::Whole { found: "something else", expected: "a multiset of colours" },
            ));
        };
        self.fitted(multiset, sort).map_err(|problem| (term.at, problem))
    }

    /// The guard that a term stands for.
    pub(super) fn guard(&mut self, term: &RawTerm) -> Result<Guard, Failed> {
        match self.value(term)? {
            Value::Guard(guard) => Ok(guard),
            other => Err(whole(term, &other, "a condition")),
        }
    }

    fn value(&mut self, term: &RawTerm) -> Result<Value, Failed> {
        // Values with how deep their trees are.
        let mut stack: Vec<(Value, usize)> = Vec::new();
        for node in &term.nodes {
            let operands = stack.split_off(stack.len() - node.operands as usize);
            let deepest = operands.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
            let operands: Vec<Value> = operands.into_iter().map(|(value, _)| value).collect();
            // Sums of sums and the like are one; the others are one deeper.
            let flat = matches!(
                &*node.element,
                "add" | "numberof" | "successor" | "predecessor" | "scalarproduct"
            );
            let depth = if flat { deepest } else { deepest + 1 };
            if depth > DEEPEST {
                return Err((node.at, ColourProblem::TooDeep(DEEPEST)));
            }
            let value = self.apply(node, operands).map_err(|problem| (node.at, problem))?;
            stack.push((value, depth));
        }
        match (stack.pop(), stack.is_empty()) {
            (Some((value, _)), true) => Ok(value),
            (None, _) => Err((
                term.at,
                ColourProblem::Whole { found: "nothing", expected: "a term in `<structure>`" },
            )),
            _ => Err((
                term.at,
                ColourProblem::Whole { found: "several terms", expected: "one in `<structure>`" },
            )),
        }
    }

    fn apply(&mut self, node: &Node, operands: Vec<Value>) -> Result<Value, ColourProblem> {
        let name = &*node.attribute;
        Ok(match &*node.element {
            "variable" => Value::Term(Term::Variable(self.scope.variable(name)?)),
            "useroperator" => Value::Term(self.scope.constant(name)?),
            "dotconstant" => {
                let sort = self.scope.dot(self.net)?;
                Value::Term(Term::Constant { sort, colour: 0 })
            }
            "finiteintrangeconstant" => self.range_constant(node, operands)?,
            "booleanconstant" => match name {
                "true" | "1" => Value::Guard(Guard::TRUE),
                "false" | "0" => Value::Guard(Guard::FALSE),
                other => return Err(ColourProblem::BadNumber(other.to_owned())),
            },
            "usersort" => Value::Sort(self.scope.sort(name)?),
            "dot" => Value::Sort(self.scope.dot(self.net)?),
            "finiteintrange" => {
                let (start, end) = (integer(name)?, integer(&node.end)?);
                Value::Sort(self.scope.range(self.net, start, end)?)
            }
            "multisetsort" => one(node, operands)?,
            "numberconstant" => {
                Value::Number(name.parse().map_err(|_| ColourProblem::BadNumber(name.to_owned()))?)
            }
            "positive" | "natural" | "integer" | "bool" => Value::Nothing,
            "numberof" | "scalarproduct" => times(node, operands)?,
            "all" => match one(node, operands)? {
                Value::Sort(sort) => Value::Term(Term::All(sort)),
                other => return Err(operand(node, &other, "a sort")),
            },
            "empty" => Value::Multiset(Multiset::EMPTY),
            "add" => {
                let parts: Result<Vec<_>, _> =
                    operands.into_iter().map(|value| multiset(node, value)).collect();
                Value::Multiset(Multiset::sum(parts?))
            }
            "subtract" => {
                let mut parts = operands.into_iter().map(|value| multiset(node, value));
                let first = parts.next().ok_or_else(|| count(node, 0, "at least one"))??;
                let rest: Result<Vec<_>, _> = parts.collect();
                match rest? {
                    rest if rest.is_empty() => Value::Multiset(first),
                    rest => Value::Multiset(Multiset::minus(first, Multiset::sum(rest))),
                }
            }
            "tuple" => tuple(node, operands)?,
            "successor" | "predecessor" => {
                let by = if &*node.element == "successor" { 1 } else { -1 };
                match one(node, operands)? {
                    // Every colour is the successor of one.
                    Value::Term(Term::All(sort)) => Value::Term(Term::All(sort)),
                    Value::Term(term) => Value::Term(Term::shift(term, by)),
                    other => return Err(operand(node, &other, "a colour")),
                }
            }
            "partitionelementof" => match one(node, operands)? {
                Value::Term(of) => {
                    let partition = self.scope.sort(name).map_err(|_| ColourProblem::Unknown {
                        name: name.to_owned(),
                        kind: "partition",
                    })?;
                    Value::Term(Term::Block { partition, of: Box::new(of) })
                }
                other => return Err(operand(node, &other, "a colour")),
            },
            "equality" => self.compare(node, Relation::Equal, operands)?,
            "inequality" => self.compare(node, Relation::Unequal, operands)?,
            "lessthan" | "ltp" => self.compare(node, Relation::Less, operands)?,
            "lessthanorequal" => self.compare(node, Relation::AtMost, operands)?,
            "greaterthan" | "gtp" => self.compare(node, Relation::Greater, operands)?,
            "greaterthanorequal" => self.compare(node, Relation::AtLeast, operands)?,
            "and" => Value::Guard(Guard::and(guards(node, operands)?)),
            "or" => Value::Guard(Guard::or(guards(node, operands)?)),
            "not" => match one(node, operands)? {
                Value::Guard(guard) => Value::Guard(guard.negated()),
                other => return Err(operand(node, &other, "a condition")),
            },
            "imply" => {
                let found = operands.len();
                let parts: [Guard; 2] =
                    guards(node, operands)?.try_into().map_err(|_| count(node, found, "two"))?;
                let [first, then] = parts;
                Value::Guard(Guard::or([first.negated(), then]))
            }
            "cardinality" | "cardinalityof" | "contains" | "addition" | "subtraction" | "mult"
            | "div" | "mod" | "stringconstant" | "listconstant" | "unparsed" => {
                return Err(ColourProblem::Unsupported(node.element.to_string()));
            }
            other => return Err(ColourProblem::UnknownElement(other.to_owned())),
        })
    }

    fn range_constant(
        &mut self,
        node: &Node,
        operands: Vec<Value>,
    ) -> Result<Value, ColourProblem> {
        let value = integer(&node.attribute)?;
        let sort = match one(node, operands)? {
            Value::Sort(sort) => sort,
            other => return Err(operand(node, &other, "a range")),
        };
        let SortKind::Range { start, end } = *self.net.sort(sort).kind() else {
            return Err(operand(node, &Value::Sort(sort), "a range"));
        };
        if !(start..=end).contains(&value) {
            return Err(ColourProblem::OutOfRange(value, self.net.sort(sort).name().to_owned()));
        }
        Ok(Value::Term(Term::Constant { sort, colour: value.abs_diff(start) }))
    }

    fn compare(
        &mut self,
        node: &Node,
        relation: Relation,
        operands: Vec<Value>,
    ) -> Result<Value, ColourProblem> {
        let found = operands.len();
        let [left, right] =
            <[Value; 2]>::try_from(operands).map_err(|_| count(node, found, "two"))?;
        let (left, right) = match (left, right) {
            (Value::Term(left), Value::Term(right)) => (left, right),
            (Value::Term(_), other) | (other, _) => {
                return Err(operand(node, &other, "a colour"));
            }
        };
        // A number written with a range of its own is meant as a number.
        let (left, right) = match (self.number(&left), self.number(&right)) {
            (None, Some(number)) => match self.in_range_of(&left, number, relation) {
                Err(decided) => return Ok(Value::Guard(decided)),
                Ok(Some(constant)) => (left, constant),
                Ok(None) => (left, right),
            },
            (Some(number), None) => match self.in_range_of(&right, number, flipped(relation)) {
                Err(decided) => return Ok(Value::Guard(decided)),
                Ok(Some(constant)) => (constant, right),
                Ok(None) => (left, right),
            },
            (Some(a), Some(b)) => {
                // Ordered alike: both are shifted to be positions.
                let [a, b] = [a, b].map(|it| i128::from(it) - i128::from(i64::MIN));
                return Ok(Value::Guard(decided(relation.holds(a as u64, b as u64))));
            }
            (None, None) => (left, right),
        };
        Ok(Value::Guard(Guard::Compare(relation, left, right)))
    }

    /// The number that a constant of a range stands for.
    fn number(&self, term: &Term) -> Option<i64> {
        let Term::Constant { sort, colour } = term else { return None };
        match self.net.sort(*sort).kind() {
            SortKind::Range { start, .. } => Some(start.wrapping_add_unsigned(*colour)),
            _ => None,
        }
    }

    /// `number` as a constant of the range that `term` is of, if it is of one; what
    /// `term relation number` comes to when the number lies outside.
    fn in_range_of(
        &self,
        term: &Term,
        number: i64,
        relation: Relation,
    ) -> Result<Option<Term>, Guard> {
        let Term::Variable(variable) = term else { return Ok(None) };
        let sort = self.net.variable(*variable).sort;
        let SortKind::Range { start, end } = *self.net.sort(sort).kind() else {
            return Ok(None);
        };
        if number < start {
            return Err(decided(relation.holds(1, 0)));
        }
        if number > end {
            return Err(decided(relation.holds(0, 1)));
        }
        Ok(Some(Term::Constant { sort, colour: number.abs_diff(start) }))
    }

    /// A multiset whose constants are of the sort that stands where they do: numbers of ranges of that
    /// range, and an element of a partition, where colours of the sort that it cuts are expected, all
    /// of its colours (as in VehicularWifi, which adds elements up to larger parts).
    fn fitted(&self, multiset: Multiset, sort: SortId) -> Result<Multiset, ColourProblem> {
        Ok(match multiset {
            Multiset::Of { count, term } => {
                let terms = self.fitted_terms(term, sort)?;
                Multiset::sum(terms.into_iter().map(|term| Multiset::Of { count, term }))
            }
            Multiset::Sum(parts) => {
                let parts: Result<Vec<_>, _> =
                    parts.into_iter().map(|part| self.fitted(part, sort)).collect();
                Multiset::sum(parts?)
            }
            Multiset::Difference(a, b) => {
                Multiset::minus(self.fitted(*a, sort)?, self.fitted(*b, sort)?)
            }
        })
    }

    /// The terms that one stands for together.
    fn fitted_terms(&self, term: Term, sort: SortId) -> Result<Vec<Term>, ColourProblem> {
        match (term, self.net.sort(sort).kind()) {
            (Term::Tuple(terms), SortKind::Product(parts)) if terms.len() == parts.len() => {
                let mut tuples = vec![Vec::with_capacity(parts.len())];
                for (term, &part) in terms.into_iter().zip(parts) {
                    let terms = self.fitted_terms(term, part)?;
                    if tuples.len().saturating_mul(terms.len()) > LARGEST {
                        return Err(ColourProblem::TooLarge(LARGEST));
                    }
                    let with = |tuple: &Vec<Term>, term: &Term| {
                        let mut tuple = tuple.clone();
                        tuple.push(term.clone());
                        tuple
                    };
                    tuples = tuples
                        .iter()
                        .flat_map(|tuple| terms.iter().map(move |term| with(tuple, term)))
                        .collect();
                }
                Ok(tuples.into_iter().map(Term::Tuple).collect())
            }
            (term @ Term::Constant { sort: own, colour }, kind) => {
                if let SortKind::Partition { of, block_of, .. } = self.net.sort(own).kind()
                    && *of == sort
                {
                    let members = (0..).zip(block_of).filter(|&(_, &b)| u64::from(b) == colour);
                    return Ok(members
                        .map(|(colour, _)| Term::Constant { sort, colour })
                        .collect());
                }
                let (Some(number), &SortKind::Range { start, end }) = (self.number(&term), kind)
                else {
                    return Ok(vec![term]);
                };
                if !(start..=end).contains(&number) {
                    let name = self.net.sort(sort).name().to_owned();
                    return Err(ColourProblem::OutOfRange(number, name));
                }
                Ok(vec![Term::Constant { sort, colour: number.abs_diff(start) }])
            }
            (term, _) => Ok(vec![term]),
        }
    }
}

fn decided(holds: bool) -> Guard {
    if holds { Guard::TRUE } else { Guard::FALSE }
}

fn flipped(relation: Relation) -> Relation {
    match relation {
        Relation::Less => Relation::Greater,
        Relation::Greater => Relation::Less,
        Relation::AtMost => Relation::AtLeast,
        Relation::AtLeast => Relation::AtMost,
        same => same,
    }
}

fn as_multiset(value: Value) -> Option<Multiset> {
    match value {
        Value::Multiset(multiset) => Some(multiset),
        Value::Term(term) => Some(Multiset::one(term)),
        _ => None,
    }
}

fn multiset(node: &Node, value: Value) -> Result<Multiset, ColourProblem> {
    match value {
        Value::Multiset(multiset) => Ok(multiset),
        Value::Term(term) => Ok(Multiset::one(term)),
        other => Err(operand(node, &other, "a multiset of colours")),
    }
}

/// A number and a multiset, in either order.
fn times(node: &Node, operands: Vec<Value>) -> Result<Value, ColourProblem> {
    let found = operands.len();
    let operands: [Value; 2] =
        operands.try_into().map_err(|_| count(node, found, "a number and a colour"))?;
    let (factor, of) = match operands {
        [Value::Number(factor), of] | [of, Value::Number(factor)] => (factor, of),
        [first, _] => return Err(operand(node, &first, "a number")),
    };
    let product = multiset(node, of)?.times(factor).ok_or(ColourProblem::TooManyTokens)?;
    Ok(Value::Multiset(product))
}

fn guards(node: &Node, operands: Vec<Value>) -> Result<Vec<Guard>, ColourProblem> {
    let guard = |value| match value {
        Value::Guard(guard) => Ok(guard),
        other => Err(operand(node, &other, "a condition")),
    };
    operands.into_iter().map(guard).collect()
}

/// A tuple of colours; with multisets in it, the product of them.
fn tuple(node: &Node, operands: Vec<Value>) -> Result<Value, ColourProblem> {
    if operands.is_empty() {
        return Err(count(node, 0, "at least one"));
    }
    if operands.iter().all(|value| matches!(value, Value::Term(_))) {
        let terms = operands.into_iter().filter_map(|value| match value {
            Value::Term(term) => Some(term),
            _ => None,
        });
        return Ok(Value::Term(Term::Tuple(terms.collect())));
    }
    let parts: Result<Vec<_>, _> = operands.into_iter().map(|it| multiset(node, it)).collect();
    let parts = parts?;
    let terms = parts.iter().try_fold(1usize, |all, part| all.checked_mul(size(part).max(1)));
    if terms.is_none_or(|terms| terms > LARGEST) {
        return Err(ColourProblem::TooLarge(LARGEST));
    }
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or(Multiset::EMPTY);
    let mut product = lifted(first, &|term| Term::Tuple(vec![term]));
    for part in parts {
        product = multiplied(&product, &part)?;
    }
    Ok(Value::Multiset(product))
}

fn size(multiset: &Multiset) -> usize {
    match multiset {
        Multiset::Of { .. } => 1,
        Multiset::Sum(parts) => parts.iter().map(size).sum(),
        Multiset::Difference(a, b) => size(a) + size(b),
    }
}

fn lifted(multiset: Multiset, lift: &impl Fn(Term) -> Term) -> Multiset {
    match multiset {
        Multiset::Of { count, term } => Multiset::Of { count, term: lift(term) },
        Multiset::Sum(parts) => Multiset::sum(parts.into_iter().map(|part| lifted(part, lift))),
        Multiset::Difference(a, b) => Multiset::minus(lifted(*a, lift), lifted(*b, lift)),
    }
}

/// The product of a multiset of tuples and one of further components. It goes into sums, and into
/// differences too: max(0, a − b)·c = max(0, a·c − b·c) for counts.
fn multiplied(tuples: &Multiset, more: &Multiset) -> Result<Multiset, ColourProblem> {
    Ok(match (tuples, more) {
        (Multiset::Sum(parts), more) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|it| multiplied(it, more)).collect();
            Multiset::sum(parts?)
        }
        (Multiset::Difference(a, b), more) => {
            Multiset::minus(multiplied(a, more)?, multiplied(b, more)?)
        }
        (tuples, Multiset::Sum(parts)) => {
            let parts: Result<Vec<_>, _> = parts.iter().map(|it| multiplied(tuples, it)).collect();
            Multiset::sum(parts?)
        }
        (tuples, Multiset::Difference(a, b)) => {
            Multiset::minus(multiplied(tuples, a)?, multiplied(tuples, b)?)
        }
        (Multiset::Of { count: a, term }, Multiset::Of { count: b, term: last }) => {
            let mut terms = match term {
                Term::Tuple(terms) => terms.clone(),
                other => vec![other.clone()],
            };
            terms.push(last.clone());
            let count = a.checked_mul(*b).ok_or(ColourProblem::TooManyTokens)?;
            Multiset::Of { count, term: Term::Tuple(terms) }
        }
    })
}

fn one(node: &Node, operands: Vec<Value>) -> Result<Value, ColourProblem> {
    let found = operands.len();
    let [value] = <[Value; 1]>::try_from(operands).map_err(|_| count(node, found, "one"))?;
    Ok(value)
}

fn integer(text: &str) -> Result<i64, ColourProblem> {
    text.parse().map_err(|_| ColourProblem::BadNumber(text.to_owned()))
}

fn count(node: &Node, found: usize, expected: &'static str) -> ColourProblem {
    ColourProblem::Operands { element: node.element.to_string(), found, expected }
}

fn operand(node: &Node, value: &Value, expected: &'static str) -> ColourProblem {
    ColourProblem::Operand { element: node.element.to_string(), found: value.found(), expected }
}

fn whole(term: &RawTerm, value: &Value, expected: &'static str) -> Failed {
    (term.at, ColourProblem::Whole { found: value.found(), expected })
}
