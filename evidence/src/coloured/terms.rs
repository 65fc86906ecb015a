//! Reads terms and conditions: the inscriptions of arcs, guards and initial markings.
//!
//! # Meaning
//! - A term of a sort is a multiset of its colours; a variable or a constant is one colour, once.
//!   `all` has every colour once, `add` is the sum, `numberof` a multiple. `subtract` removes from
//!   the first operand the tokens of the other operands; a multiplicity never falls below 0.
//! - `successor` and `predecessor` wrap around at the ends of a cyclic enumeration.
//! - A tuple has every combination of the colours of its components; multiplicities are multiplied.
//! - A number of a range is a number: where another range is expected, it is that number there. A
//!   partition element, where a colour of the partitioned sort is expected, is the multiset of all
//!   colours in it.
//! - A number without a range is a number as well. If `numberof` has two numbers, the first is the
//!   multiplicity.
//! - Comparisons are between colours of one sort, by position, or between numbers. A variable of
//!   truth values is a condition, and `true` and `false` are colours where colours are expected.
//! - A tuple of one component is that component, and `numberof` without a number has multiplicity
//!   1.

use super::elements::{MAX_DEPTH, bare_term, meaningful_elements, too_deep};
pub(super) use super::meaning::{ColourMultiset, GuardTerm, MultisetTerm, TooManyColours};
use super::sorts::{Declarations, SortStructure, integer, not_known};
use crate::reader::{Unreadable, attribute, name, only_element, parse_number, trimmed};
use roxmltree::Node;

/// Reads terms and conditions.
pub(super) struct TermReader<'d> {
    /// The declarations, to which sorts of products and ranges may be added.
    pub(super) declarations: &'d mut Declarations,
    /// The number of terms and conditions around the current one.
    pub(super) depth: usize,
}

impl TermReader<'_> {
    /// Reads the term at `node`, which must be a multiset of `sort`.
    pub(super) fn term(
        &mut self,
        node: Node<'_, '_>,
        sort: usize,
    ) -> Result<MultisetTerm, Unreadable> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(node));
        }
        let term = self.bare_term(bare_term(node)?, sort);
        self.depth -= 1;
        term
    }

    /// Reads a term without wrappers, which must be a multiset of `sort`.
    fn bare_term(&mut self, node: Node<'_, '_>, sort: usize) -> Result<MultisetTerm, Unreadable> {
        let check_sort = |found: usize| match found == sort {
            true => Ok(()),
            false => Err(Unreadable::at(node, "the sort differs from the expected one")),
        };
        Ok(match name(node) {
            "variable" => {
                let variable = self.declarations.variable(node)?;
                check_sort(self.declarations.variables[variable].sort)?;
                MultisetTerm::Variable(variable)
            }
            "useroperator" => {
                let (own, colour) = self.declarations.constant(node)?;
                match self.declarations.kind(own) {
                    SortStructure::Partition { of, part_of, .. } if *of == sort => {
                        let members = (0..).zip(part_of).filter(|&(_, &part)| part == colour);
                        MultisetTerm::Sum(
                            members.map(|(member, _)| MultisetTerm::Constant(member)).collect(),
                        )
                    }
                    _ => {
                        check_sort(own)?;
                        MultisetTerm::Constant(colour)
                    }
                }
            }
            "dotconstant" => match self.declarations.kind(sort) {
                SortStructure::Dot => MultisetTerm::Constant(0),
                _ => return Err(Unreadable::at(node, "a black token where colours are expected")),
            },
            "finiteintrangeconstant" => {
                let value = integer(node, "value")?;
                let own = self.declarations.sort(only_element(
                    node,
                    meaningful_elements(node),
                    "range",
                )?)?;
                self.declarations.in_range(node, value, own)?;
                MultisetTerm::Constant(self.declarations.in_range(node, value, sort)?)
            }
            "numberconstant" => MultisetTerm::Constant(self.declarations.in_range(
                node,
                integer(node, "value")?,
                sort,
            )?),
            "booleanconstant" => {
                check_sort(self.declarations.boolean(node)?)?;
                MultisetTerm::Constant(truth_value(node)?.into())
            }
            "all" => {
                check_sort(self.declarations.sort(only_element(
                    node,
                    meaningful_elements(node),
                    "sort",
                )?)?)?;
                MultisetTerm::All(self.declarations.size(sort))
            }
            "empty" => MultisetTerm::Sum(Vec::new()),
            "partitionelementof" => {
                check_sort(self.declarations.sort_of_id(node, "refpartition")?)?;
                self.partition_element(node, sort)?
            }
            _ => return self.operation(node, sort),
        })
    }

    /// Reads the term at `node`, an operator with operands.
    fn operation(&mut self, node: Node<'_, '_>, sort: usize) -> Result<MultisetTerm, Unreadable> {
        match name(node) {
            "tuple" => self.tuple(node, sort),
            "add" => {
                let mut sum = Vec::new();
                for inside in operands(node)? {
                    // Flatten nested sums, because files nest sums pairwise.
                    match self.term(inside, sort)? {
                        MultisetTerm::Sum(parts) if sum.is_empty() => sum = parts,
                        MultisetTerm::Sum(parts) => sum.extend(parts),
                        part => sum.push(part),
                    }
                }
                Ok(MultisetTerm::Sum(sum))
            }
            "subtract" => {
                let mut parts = Vec::new();
                for inside in operands(node)? {
                    parts.push(self.term(inside, sort)?);
                }
                if parts.is_empty() {
                    return Err(Unreadable::at(node, "expected at least one operand"));
                }
                let first = parts.remove(0);
                Ok(MultisetTerm::Minus(Box::new(first), Box::new(MultisetTerm::Sum(parts))))
            }
            "numberof" | "scalarproduct" => self.multiple(node, sort),
            "successor" | "predecessor" => self.neighbour(node, sort),
            _ => Err(not_known(node)),
        }
    }

    /// Reads a tuple of terms.
    fn tuple(&mut self, node: Node<'_, '_>, sort: usize) -> Result<MultisetTerm, Unreadable> {
        let SortStructure::Product(parts) = self.declarations.kind(sort) else {
            return Err(Unreadable::at(node, "a tuple where none is expected"));
        };
        let parts = parts.clone();
        let inside: Vec<_> = operands(node)?;
        if inside.len() != parts.len() {
            let what = format!("expected a tuple of {}, found {}", parts.len(), inside.len());
            return Err(Unreadable::at(node, what));
        }
        let mut terms = Vec::new();
        for (inside, part) in inside.into_iter().zip(parts) {
            terms.push((self.term(inside, part)?, self.declarations.size(part)));
        }
        Ok(MultisetTerm::Tuple(terms))
    }

    /// Reads a multiple of a term: a number and a term in either order, or the term alone.
    fn multiple(&mut self, node: Node<'_, '_>, sort: usize) -> Result<MultisetTerm, Unreadable> {
        let inside = operands(node)?;
        let is_number = |node: &Node<'_, '_>| name(*node) == "numberconstant";
        let (times, of) = match inside[..] {
            [first, second] if is_number(&first) => (first, second),
            [first, second] if is_number(&second) => (second, first),
            [once] if !is_number(&once) => return self.term(once, sort),
            _ => return Err(Unreadable::at(node, "expected a number and a term")),
        };
        let times = parse_number(times, attribute(times, "value")?)?;
        Ok(MultisetTerm::Times(times, Box::new(self.term(of, sort)?)))
    }

    /// Reads the successor or predecessor of a colour.
    fn neighbour(&mut self, node: Node<'_, '_>, sort: usize) -> Result<MultisetTerm, Unreadable> {
        let size = self.declarations.size(sort);
        let SortStructure::Constants { cyclic: true, .. } = self.declarations.kind(sort) else {
            return Err(Unreadable::at(node, "only cyclic enumerations have neighbours"));
        };
        let of = self.term(operand(node)?, sort)?;
        let by = if name(node) == "successor" { 1 } else { size - 1 };
        Ok(MultisetTerm::Shift(Box::new(of), by, size))
    }

    /// Reads the term for the partition element that contains a colour.
    fn partition_element(
        &mut self,
        node: Node<'_, '_>,
        sort: usize,
    ) -> Result<MultisetTerm, Unreadable> {
        let SortStructure::Partition { of, part_of, .. } = self.declarations.kind(sort) else {
            return Err(Unreadable::at(node, "this is not a partition"));
        };
        let (of, part_of) = (*of, part_of.clone());
        Ok(MultisetTerm::PartOf(Box::new(self.term(operand(node)?, of)?), part_of))
    }

    /// Reads the condition at `node`.
    pub(super) fn guard(&mut self, node: Node<'_, '_>) -> Result<GuardTerm, Unreadable> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(node));
        }
        let node = bare_term(node)?;
        let guard = match name(node) {
            "and" => GuardTerm::All(self.guards(node)?),
            "or" => GuardTerm::Any(self.guards(node)?),
            "not" => GuardTerm::Not(Box::new(self.guard(operand(node)?)?)),
            "imply" => match <[GuardTerm; 2]>::try_from(self.guards(node)?) {
                Ok([first, then]) => GuardTerm::Any(vec![GuardTerm::Not(Box::new(first)), then]),
                Err(_) => return Err(Unreadable::at(node, "expected two operands")),
            },
            "booleanconstant" => match truth_value(node)? {
                true => GuardTerm::All(Vec::new()),
                false => GuardTerm::Any(Vec::new()),
            },
            "variable" => {
                let holds = (MultisetTerm::Constant(1), 0);
                let boolean = self.declarations.boolean(node)?;
                GuardTerm::Compare(i128::eq, [(self.term(node, boolean)?, 0), holds])
            }
            "equality" => self.compare(node, i128::eq)?,
            "inequality" => self.compare(node, i128::ne)?,
            "lessthan" | "lt" | "ltp" => self.compare(node, i128::lt)?,
            "lessthanorequal" | "leq" => self.compare(node, i128::le)?,
            "greaterthan" | "gt" | "gtp" => self.compare(node, i128::gt)?,
            "greaterthanorequal" | "geq" => self.compare(node, i128::ge)?,
            _ => return Err(not_known(node)),
        };
        self.depth -= 1;
        Ok(guard)
    }

    /// Reads the operands of a Boolean operator.
    fn guards(&mut self, node: Node<'_, '_>) -> Result<Vec<GuardTerm>, Unreadable> {
        operands(node)?.into_iter().map(|inside| self.guard(inside)).collect()
    }

    /// Reads a comparison of two terms of one colour.
    fn compare(
        &mut self,
        node: Node<'_, '_>,
        holds: fn(&i128, &i128) -> bool,
    ) -> Result<GuardTerm, Unreadable> {
        let [left, right] = operands(node)?[..] else {
            return Err(Unreadable::at(node, "expected two operands"));
        };
        let sorts = [self.sort_of(left)?, self.sort_of(right)?];
        let start = |reader: &Self, sort: usize| match reader.declarations.kind(sort) {
            SortStructure::Range(start) => Some(*start),
            _ => None,
        };
        let sides = match sorts.map(|sort| start(self, sort)) {
            // Integers of ranges are compared by value, so the start of its range is added to the
            // position of each colour.
            [Some(a), Some(b)] => {
                [(self.term(left, sorts[0])?, a), (self.term(right, sorts[1])?, b)]
            }
            _ => [(self.term(left, sorts[0])?, 0), (self.term(right, sorts[0])?, 0)],
        };
        let is_ordered = !matches!(self.declarations.kind(sorts[0]), SortStructure::Product(_));
        if !is_ordered && !matches!(name(node), "equality" | "inequality") {
            return Err(Unreadable::at(node, "tuples are not ordered"));
        }
        match sides.iter().all(|(term, _)| term.is_one_colour()) {
            true => Ok(GuardTerm::Compare(holds, sides)),
            false => Err(Unreadable::at(node, "expected one colour on either side")),
        }
    }

    /// Returns the sort of a term of one colour.
    fn sort_of(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        match name(node) {
            "variable" => {
                let variable = self.declarations.variable(node)?;
                Ok(self.declarations.variables[variable].sort)
            }
            "useroperator" => Ok(self.declarations.constant(node)?.0),
            "dotconstant" => self.declarations.dot(node),
            "finiteintrangeconstant" => {
                self.declarations.sort(only_element(node, meaningful_elements(node), "range")?)
            }
            "numberconstant" => self.declarations.number(node),
            "booleanconstant" => self.declarations.boolean(node),
            // `successor` and `predecessor` keep the sort, so a loop suffices.
            "successor" | "predecessor" => {
                let mut inside = node;
                while matches!(name(inside), "successor" | "predecessor") {
                    inside = operand(inside)?;
                }
                self.sort_of(inside)
            }
            "partitionelementof" => self.declarations.sort_of_id(node, "refpartition"),
            "tuple" => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(too_deep(node));
                }
                let mut parts = Vec::new();
                for inside in operands(node)? {
                    parts.push(self.sort_of(inside)?);
                }
                self.depth -= 1;
                self.declarations.product(node, parts)
            }
            _ => Err(not_known(node)),
        }
    }
}

/// Returns the operands of an operator, without wrappers.
fn operands<'a, 'i>(node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, Unreadable> {
    meaningful_elements(node).map(bare_term).collect()
}

/// Reads a truth value.
fn truth_value(node: Node<'_, '_>) -> Result<bool, Unreadable> {
    match trimmed(attribute(node, "value")?) {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Unreadable::at(node, "expected `true` or `false`")),
    }
}

/// Returns the operand of an operator that has exactly one.
fn operand<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    match operands(node)?[..] {
        [one] => Ok(one),
        _ => Err(Unreadable::at(node, "expected one operand")),
    }
}
