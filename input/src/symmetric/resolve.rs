//! Evaluation of a term of the file to a number, a multiset, a colour or a guard. Terms are in
//! postfix order, so one pass with a stack of values suffices.

use super::super::colour_problem::{ColourProblem, MAX_DEPTH};
use super::super::xml::{digits, trimmed};
use super::product::product;
use super::raw::{RawTerm, TermError, TermNode, integer};
use super::scope::DeclaredNames;
use parikh_net::coloured::{ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term};

/// The value of a subterm after its names are resolved.
#[derive(Debug)]
pub(super) enum TermValue {
    Number(u64),
    Sort(SortId),
    Term(Term),
    Multiset(Multiset),
    /// A constant truth value. It can be used as a condition and as a colour.
    Boolean(bool),
    Guard(Guard),
    /// No value. The element only names a set of numbers, such as the natural numbers, and
    /// contributes nothing to a term.
    Nothing,
}

impl TermValue {
    fn description(&self) -> &'static str {
        match self {
            TermValue::Number(_) => "a number",
            TermValue::Sort(_) => "a sort",
            TermValue::Term(_) => "a colour",
            TermValue::Multiset(_) => "a multiset",
            TermValue::Boolean(_) => "a truth value",
            TermValue::Guard(_) => "a condition",
            TermValue::Nothing => "the name of a set of numbers",
        }
    }
}

pub(super) struct Resolver<'n> {
    pub(super) net: &'n mut ColouredNet,
    pub(super) scope: &'n mut DeclaredNames,
}

impl Resolver<'_> {
    /// Returns the sort that a term names.
    pub(super) fn sort(&mut self, term: &RawTerm) -> Result<SortId, TermError> {
        match self.value(term)? {
            TermValue::Sort(sort) => Ok(sort),
            other => Err(whole_term_error(term, &other, "a sort")),
        }
    }

    /// Returns the sorts that several terms name, one after the other in `terms`.
    pub(super) fn sorts(&mut self, terms: &RawTerm) -> Result<Vec<SortId>, TermError> {
        let mut sorts = Vec::new();
        for value in self.values(terms)? {
            match value {
                TermValue::Sort(sort) => sorts.push(sort),
                other => return Err(whole_term_error(terms, &other, "a sort")),
            }
        }
        Ok(sorts)
    }

    /// Returns the colours that several terms represent, one after the other in `terms`.
    pub(super) fn colours(&mut self, terms: &RawTerm) -> Result<Vec<Term>, TermError> {
        let mut colours = Vec::new();
        for value in self.values(terms)? {
            match self.as_colour(value).map_err(|problem| (terms.position, problem))? {
                TermValue::Term(term) => colours.push(term),
                other => return Err(whole_term_error(terms, &other, "a colour")),
            }
        }
        Ok(colours)
    }

    /// Returns the multiset over `sort` that a term represents.
    pub(super) fn multiset(&mut self, term: &RawTerm, sort: SortId) -> Result<Multiset, TermError> {
        let value = self.value(term)?;
        let fail = |problem| (term.position, problem);
        let multiset = match self.as_colour(value).map_err(fail)? {
            TermValue::Multiset(multiset) => multiset,
            TermValue::Term(term) => Multiset::single(term),
            other => return Err(whole_term_error(term, &other, "a multiset of colours")),
        };
        self.fitted(multiset, sort).map_err(fail)
    }

    /// Returns the guard that a term represents.
    pub(super) fn guard(&mut self, term: &RawTerm) -> Result<Guard, TermError> {
        let value = self.value(term)?;
        let guard = self.as_guard(value).map_err(|problem| (term.position, problem))?;
        guard.map_err(|value| whole_term_error(term, &value, "a condition"))
    }

    /// Returns the value of a single term. No term or several terms are an error.
    fn value(&mut self, term: &RawTerm) -> Result<TermValue, TermError> {
        let mut values = self.values(term)?;
        match (values.pop(), values.is_empty()) {
            (Some(value), true) => Ok(value),
            (None, _) => {
                let expected = "a term in `<structure>`";
                Err((term.position, ColourProblem::WholeTerm { found: "nothing", expected }))
            }
            (Some(_), false) => {
                let expected = "one in `<structure>`";
                Err((term.position, ColourProblem::WholeTerm { found: "several terms", expected }))
            }
        }
    }

    /// Returns the values of several terms, one after the other in `term`.
    fn values(&mut self, term: &RawTerm) -> Result<Vec<TermValue>, TermError> {
        // Each value with the depth of its tree.
        let mut stack: Vec<(TermValue, usize)> = Vec::new();
        for node in &term.nodes {
            let operands = stack.split_off(stack.len() - node.operands as usize);
            let operand_depth = operands.iter().map(|&(_, depth)| depth).max().unwrap_or(0);
            let operands: Vec<TermValue> = operands.into_iter().map(|(value, _)| value).collect();
            // Nested sums, multiples and shifts are flattened, and wrappers with one operand
            // vanish. All other operators add a level to the tree of the result.
            let is_flattened = match &*node.element {
                "add" | "numberof" | "successor" | "predecessor" | "scalarproduct"
                | "multisetsort" => true,
                "tuple" | "productsort" => operands.len() == 1,
                _ => false,
            };
            let depth = if is_flattened { operand_depth } else { operand_depth + 1 };
            if depth > MAX_DEPTH {
                return Err((node.position, ColourProblem::TooDeep(MAX_DEPTH)));
            }
            let value = self.apply(node, operands).map_err(|problem| (node.position, problem))?;
            stack.push((value, depth));
        }
        Ok(stack.into_iter().map(|(value, _)| value).collect())
    }

    /// Applies an operator to the values of its operands.
    fn apply(
        &mut self,
        node: &TermNode,
        operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        let name = &*node.attribute;
        Ok(match &*node.element {
            "variable" => TermValue::Term(Term::Variable(self.scope.variable(name)?)),
            "useroperator" => TermValue::Term(self.scope.constant(name)?),
            "dotconstant" => {
                let sort = self.scope.dot(self.net)?;
                TermValue::Term(Term::Constant { sort, colour: 0 })
            }
            "finiteintrangeconstant" => self.range_constant(node, operands)?,
            "booleanconstant" => match trimmed(name) {
                "true" | "1" => TermValue::Boolean(true),
                "false" | "0" => TermValue::Boolean(false),
                other => return Err(ColourProblem::BadNumber(other.to_owned())),
            },
            "usersort" => TermValue::Sort(self.scope.sort(name)?),
            "dot" => TermValue::Sort(self.scope.dot(self.net)?),
            "bool" => TermValue::Sort(self.scope.boolean(self.net)?),
            "finiteintrange" => {
                let (start, end) = node.range_bounds()?;
                TermValue::Sort(self.scope.range(self.net, start, end)?)
            }
            "productsort" => self.product_sort(node, operands)?,
            "multisetsort" => only_operand(node, operands)?,
            "numberconstant" => {
                let bad = || ColourProblem::BadNumber(name.to_owned());
                TermValue::Number(digits(name).ok_or_else(bad)?)
            }
            "positive" | "natural" | "integer" => TermValue::Nothing,
            "numberof" | "scalarproduct" => self.times(node, operands)?,
            "all" => match only_operand(node, operands)? {
                TermValue::Sort(sort) => TermValue::Term(Term::All(sort)),
                other => return Err(operand_error(node, &other, "a sort")),
            },
            "empty" => TermValue::Multiset(Multiset::EMPTY),
            "add" => TermValue::Multiset(Multiset::sum(self.as_multisets(node, operands)?)),
            "subtract" => {
                let mut parts = self.as_multisets(node, operands)?.into_iter();
                let first =
                    parts.next().ok_or_else(|| operand_count_error(node, 0, "at least one"))?;
                match parts.as_slice() {
                    [] => TermValue::Multiset(first),
                    _ => TermValue::Multiset(Multiset::minus(first, Multiset::sum(parts))),
                }
            }
            "tuple" => self.tuple(node, operands)?,
            "successor" | "predecessor" => {
                let offset = if &*node.element == "successor" { 1 } else { -1 };
                match only_operand(node, operands)? {
                    // The successor is a bijection, so all colours stay all colours.
                    TermValue::Term(Term::All(sort)) => TermValue::Term(Term::All(sort)),
                    TermValue::Term(term) => TermValue::Term(Term::shift(term, offset)),
                    other => return Err(operand_error(node, &other, "a colour")),
                }
            }
            "partitionelementof" => {
                let operand = only_operand(node, operands)?;
                let of = Box::new(self.colour(node, operand)?);
                let unknown = |_| ColourProblem::Unknown { name: name.into(), kind: "partition" };
                let partition = self.scope.sort(name).map_err(unknown)?;
                TermValue::Term(Term::Block { partition, of })
            }
            _ => self.condition(node, operands)?,
        })
    }

    /// Applies an operator of conditions, and refuses unknown operators.
    fn condition(
        &mut self,
        node: &TermNode,
        operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        Ok(match &*node.element {
            "equality" => self.compare(node, Relation::Equal, operands)?,
            "inequality" => self.compare(node, Relation::Unequal, operands)?,
            "lessthan" | "lt" | "ltp" => self.compare(node, Relation::Less, operands)?,
            "lessthanorequal" | "leq" => self.compare(node, Relation::AtMost, operands)?,
            "greaterthan" | "gt" | "gtp" => self.compare(node, Relation::Greater, operands)?,
            "greaterthanorequal" | "geq" => self.compare(node, Relation::AtLeast, operands)?,
            "and" => TermValue::Guard(Guard::and(self.as_guards(node, operands)?)),
            "or" => TermValue::Guard(Guard::or(self.as_guards(node, operands)?)),
            "not" => {
                let operand = only_operand(node, operands)?;
                let guards = self.as_guards(node, vec![operand])?;
                TermValue::Guard(Guard::and(guards).negated())
            }
            "imply" => {
                let found = operands.len();
                let parts: [Guard; 2] = self
                    .as_guards(node, operands)?
                    .try_into()
                    .map_err(|_| operand_count_error(node, found, "two"))?;
                let [first, then] = parts;
                TermValue::Guard(Guard::or([first.negated(), then]))
            }
            "cardinality" | "cardinalityof" | "contains" | "addition" | "subtraction" | "mult"
            | "div" | "mod" | "stringconstant" | "listconstant" | "unparsed" => {
                return Err(ColourProblem::Unsupported(node.element.to_string()));
            }
            other => return Err(ColourProblem::UnknownElement(other.to_owned())),
        })
    }

    /// Returns the product of sorts. The product of one sort is that sort.
    fn product_sort(
        &mut self,
        node: &TermNode,
        operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        let mut parts = Vec::with_capacity(operands.len());
        for value in operands {
            match value {
                TermValue::Sort(sort) => parts.push(sort),
                other => return Err(operand_error(node, &other, "a sort")),
            }
        }
        match parts[..] {
            [] => Err(operand_count_error(node, 0, "at least one")),
            [sort] => Ok(TermValue::Sort(sort)),
            _ => Ok(TermValue::Sort(self.scope.product(self.net, None, parts)?)),
        }
    }

    /// Returns the colour that a constant of a range represents.
    fn range_constant(
        &mut self,
        node: &TermNode,
        operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        let value = integer(&node.attribute)?;
        let sort = match only_operand(node, operands)? {
            TermValue::Sort(sort) => sort,
            other => return Err(operand_error(node, &other, "a range")),
        };
        let SortKind::Range { start, end } = *self.net.sort(sort).kind() else {
            return Err(operand_error(node, &TermValue::Sort(sort), "a range"));
        };
        if !(start..=end).contains(&value) {
            return Err(ColourProblem::OutOfRange(value, self.net.sort(sort).name().to_owned()));
        }
        Ok(TermValue::Term(Term::Constant { sort, colour: value.abs_diff(start) }))
    }

    /// Converts an operand to a colour. A number becomes a constant of a range with only that
    /// number, and a truth value a constant of the sort of truth values.
    pub(super) fn colour(
        &mut self,
        node: &TermNode,
        value: TermValue,
    ) -> Result<Term, ColourProblem> {
        match self.as_colour(value)? {
            TermValue::Term(term) => Ok(term),
            other => Err(operand_error(node, &other, "a colour")),
        }
    }

    /// Converts a number or a truth value to a constant. All other values are returned unchanged.
    fn as_colour(&mut self, value: TermValue) -> Result<TermValue, ColourProblem> {
        Ok(match value {
            TermValue::Number(number) => {
                let fits = i64::try_from(number);
                let number = fits.map_err(|_| ColourProblem::BadNumber(number.to_string()))?;
                let sort = self.scope.range(self.net, number, number)?;
                TermValue::Term(Term::Constant { sort, colour: 0 })
            }
            TermValue::Boolean(value) => TermValue::Term(self.boolean(value)?),
            other => other,
        })
    }

    fn boolean(&mut self, value: bool) -> Result<Term, ColourProblem> {
        let sort = self.scope.boolean(self.net)?;
        Ok(Term::Constant { sort, colour: value.into() })
    }

    fn as_multiset(
        &mut self,
        node: &TermNode,
        value: TermValue,
    ) -> Result<Multiset, ColourProblem> {
        match self.as_colour(value)? {
            TermValue::Multiset(multiset) => Ok(multiset),
            TermValue::Term(term) => Ok(Multiset::single(term)),
            other => Err(operand_error(node, &other, "a multiset of colours")),
        }
    }

    fn as_multisets(
        &mut self,
        node: &TermNode,
        values: Vec<TermValue>,
    ) -> Result<Vec<Multiset>, ColourProblem> {
        values.into_iter().map(|value| self.as_multiset(node, value)).collect()
    }

    /// Converts a value to a guard. Truth values are guards, and so are variables of the sort of
    /// truth values. The outer error is a failure to add the sort of truth values to the net. The
    /// inner error contains the unchanged value if it is no guard.
    fn as_guard(&mut self, value: TermValue) -> Result<Result<Guard, TermValue>, ColourProblem> {
        Ok(match value {
            TermValue::Guard(guard) => Ok(guard),
            TermValue::Boolean(true) => Ok(Guard::TRUE),
            TermValue::Boolean(false) => Ok(Guard::FALSE),
            TermValue::Term(Term::Variable(variable))
                if self.scope.is_boolean(self.net.variable(variable).sort) =>
            {
                let holds = self.boolean(true)?;
                Ok(Guard::Compare(Relation::Equal, Term::Variable(variable), holds))
            }
            other => Err(other),
        })
    }

    fn as_guards(
        &mut self,
        node: &TermNode,
        values: Vec<TermValue>,
    ) -> Result<Vec<Guard>, ColourProblem> {
        let mut guards = Vec::with_capacity(values.len());
        for value in values {
            let guard = self.as_guard(value)?;
            guards.push(guard.map_err(|value| operand_error(node, &value, "a condition"))?);
        }
        Ok(guards)
    }

    /// Multiplies a colour or multiset by a number, in either order of the operands. Without a
    /// number, the factor is 1. Returns an error unless there is exactly one colour or multiset,
    /// and at most one factor. Also returns an error if a count exceeds 64 bits, or if a multiset
    /// with variables is multiplied by 0.
    fn times(
        &mut self,
        node: &TermNode,
        mut operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        let operand_count = operands.len();
        let expected = "a number and a colour";
        let is_number = |value: &TermValue| matches!(value, TermValue::Number(_));
        let factor = match operands.iter().position(is_number) {
            Some(at) => operands.remove(at),
            None => TermValue::Number(1),
        };
        let (TermValue::Number(factor), [_]) = (&factor, &operands[..]) else {
            return Err(operand_count_error(node, operand_count, expected));
        };
        let multisets = self.as_multisets(node, operands)?;
        if *factor == 0 && multisets.iter().any(has_variables) {
            return Err(operand_error(node, &TermValue::Number(0), NONE_OF_A_VARIABLE));
        }
        let product = multisets.into_iter().next().and_then(|multiset| multiset.times(*factor));
        Ok(TermValue::Multiset(product.ok_or(ColourProblem::TooManyTokens)?))
    }

    /// Builds a tuple of colours, or the product of components that are multisets. A tuple of one
    /// component is that component.
    fn tuple(
        &mut self,
        node: &TermNode,
        mut operands: Vec<TermValue>,
    ) -> Result<TermValue, ColourProblem> {
        match operands.len() {
            0 => return Err(operand_count_error(node, 0, "at least one")),
            1 => return Ok(operands.remove(0)),
            _ => {}
        }
        let mut values = Vec::with_capacity(operands.len());
        for value in operands {
            values.push(self.as_colour(value)?);
        }
        if !values.iter().all(|value| matches!(value, TermValue::Term(_))) {
            let parts = self.as_multisets(node, values)?;
            let is_empty = parts.contains(&Multiset::EMPTY);
            if is_empty && parts.iter().any(has_variables) {
                return Err(operand_error(
                    node,
                    &TermValue::Multiset(Multiset::EMPTY),
                    NONE_OF_A_VARIABLE,
                ));
            }
            return Ok(TermValue::Multiset(product(parts)?));
        }
        let terms = values.into_iter().filter_map(|value| match value {
            TermValue::Term(term) => Some(term),
            _ => None,
        });
        Ok(TermValue::Term(Term::Tuple(terms.collect())))
    }
}

fn only_operand(node: &TermNode, operands: Vec<TermValue>) -> Result<TermValue, ColourProblem> {
    let operand_count = operands.len();
    let [value] = <[TermValue; 1]>::try_from(operands)
        .map_err(|_| operand_count_error(node, operand_count, "one"))?;
    Ok(value)
}

pub(super) fn operand_count_error(
    node: &TermNode,
    found: usize,
    expected: &'static str,
) -> ColourProblem {
    ColourProblem::Operands { element: node.element.to_string(), found, expected }
}

fn operand_error(node: &TermNode, value: &TermValue, expected: &'static str) -> ColourProblem {
    ColourProblem::Operand {
        element: node.element.to_string(),
        found: value.description(),
        expected,
    }
}

fn whole_term_error(term: &RawTerm, value: &TermValue, expected: &'static str) -> TermError {
    (term.position, ColourProblem::WholeTerm { found: value.description(), expected })
}

/// The text of the expectation in the error for a variable that is multiplied by 0 or combined with
/// the empty multiset. The term is empty, but dropping it could remove the variable from the
/// transition. Then the transition would have one binding instead of one per colour.
const NONE_OF_A_VARIABLE: &str = "at least one token, because a variable is combined with it";

fn has_variables(multiset: &Multiset) -> bool {
    let mut variables = Vec::new();
    multiset.variables(&mut variables);
    !variables.is_empty()
}
