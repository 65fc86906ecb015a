//! Terms: what arcs, guards and initial markings stand for, given a colour for each variable.
//!
//! # Meaning
//! - A term of a sort is a multiset of its colours; a variable or a constant is one colour, once.
//!   `all` has every colour once, `add` is the sum, `numberof` a multiple. Of `subtract`, what the first
//!   operand has more than the others together remains; a colour that they have more of, does not.
//! - `successor` and `predecessor` turn round at the ends of a cyclic enumeration.
//! - A tuple has every combination of the colours of its components, as often as the product says.
//! - A number of a range is a number: where another range is expected, it is that number there. A part
//!   of a partition, where a colour of the sort that it cuts is expected, is all the colours in it.
//! - Comparisons are between colours of one sort, by position, or between numbers.

use super::sorts::{Declarations, Kind, integer, not_known};
use crate::reader::{Unreadable, attribute, elements, name, number, only};
use roxmltree::Node;

/// The deepest nesting of a term. Terms are walked over by recursion.
const DEEPEST: usize = 2_000;

/// A multiset of colours of one sort: a colour with how often it is there, ascending.
pub(super) type Bag = Vec<(u64, u64)>;

/// A multiset has too many colours, or a colour too often.
#[derive(Clone, Copy, Debug)]
pub(super) struct TooMany;

/// A multiset as a function of the variables, which go by their positions.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Constant(u64),
    Variable(usize),
    /// As many colours as the sort has.
    All(u64),
    /// So many steps on, in a sort of so many colours.
    Shift(Box<Term>, u64, u64),
    /// The part of each colour.
    PartOf(Box<Term>, Vec<u64>),
    /// The components, each with the size of its sort.
    Tuple(Vec<(Term, u64)>),
    Times(u64, Box<Term>),
    Sum(Vec<Term>),
    Minus(Box<Term>, Box<Term>),
}

/// A condition on the variables.
#[derive(Clone, Debug)]
pub(super) enum Guard {
    All(Vec<Guard>),
    Any(Vec<Guard>),
    Not(Box<Guard>),
    /// Whether the sides, each a colour and what its position is counted from, are in this order.
    Compare(fn(&i128, &i128) -> bool, [(Term, i64); 2]),
}

/// Reads terms.
pub(super) struct Reader<'d> {
    pub(super) declarations: &'d mut Declarations,
    pub(super) depth: usize,
}

impl Reader<'_> {
    /// The term at `node`, of which a multiset of `sort` is expected.
    pub(super) fn term(&mut self, node: Node<'_, '_>, sort: usize) -> Result<Term, Unreadable> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let what = format!("terms nested deeper than {DEEPEST} are not read");
            return Err(Unreadable::at(node, what));
        }
        let term = self.term_here(node, sort);
        self.depth -= 1;
        term
    }

    fn term_here(&mut self, node: Node<'_, '_>, sort: usize) -> Result<Term, Unreadable> {
        let is = |found: usize| match found == sort {
            true => Ok(()),
            false => Err(Unreadable::at(node, "this is of another sort than is expected here")),
        };
        Ok(match name(node) {
            "variable" => {
                let variable = self.declarations.variable(node)?;
                is(self.declarations.variables[variable].sort)?;
                Term::Variable(variable)
            }
            "useroperator" => {
                let (own, colour) = self.declarations.constant(node)?;
                match self.declarations.kind(own) {
                    Kind::Partition { of, part_of, .. } if *of == sort => {
                        let members = (0..).zip(part_of).filter(|&(_, &part)| part == colour);
                        Term::Sum(members.map(|(member, _)| Term::Constant(member)).collect())
                    }
                    _ => {
                        is(own)?;
                        Term::Constant(colour)
                    }
                }
            }
            "dotconstant" => match self.declarations.kind(sort) {
                Kind::Dot => Term::Constant(0),
                _ => return Err(Unreadable::at(node, "a black token where colours are expected")),
            },
            "finiteintrangeconstant" => {
                let value = integer(node, "value")?;
                let own = self.declarations.sort(only(node, elements(node), "range")?)?;
                self.declarations.in_range(node, value, own)?;
                Term::Constant(self.declarations.in_range(node, value, sort)?)
            }
            "all" => {
                is(self.declarations.sort(only(node, elements(node), "sort")?)?)?;
                Term::All(self.declarations.size(sort))
            }
            "empty" => Term::Sum(Vec::new()),
            "tuple" => {
                let Kind::Product(parts) = self.declarations.kind(sort) else {
                    return Err(Unreadable::at(node, "a tuple where none is expected"));
                };
                let parts = parts.clone();
                let inside: Vec<_> = operands(node)?;
                if inside.len() != parts.len() {
                    let what =
                        format!("expected a tuple of {}, found {}", parts.len(), inside.len());
                    return Err(Unreadable::at(node, what));
                }
                let mut terms = Vec::new();
                for (inside, part) in inside.into_iter().zip(parts) {
                    terms.push((self.term(inside, part)?, self.declarations.size(part)));
                }
                Term::Tuple(terms)
            }
            "add" => {
                let mut sum = Vec::new();
                for inside in operands(node)? {
                    // Sums of sums are one: files nest them pair by pair.
                    match self.term(inside, sort)? {
                        Term::Sum(parts) if sum.is_empty() => sum = parts,
                        Term::Sum(parts) => sum.extend(parts),
                        part => sum.push(part),
                    }
                }
                Term::Sum(sum)
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
                Term::Minus(Box::new(first), Box::new(Term::Sum(parts)))
            }
            "numberof" | "scalarproduct" => {
                let inside = operands(node)?;
                let is_number = |node: &Node<'_, '_>| name(*node) == "numberconstant";
                let (times, of) = match inside[..] {
                    [first, second] if is_number(&first) => (first, second),
                    [first, second] if is_number(&second) => (second, first),
                    _ => return Err(Unreadable::at(node, "expected a number and a term")),
                };
                let times = number(times, attribute(times, "value")?)?;
                Term::Times(times, Box::new(self.term(of, sort)?))
            }
            "successor" | "predecessor" => {
                let size = self.declarations.size(sort);
                let Kind::Constants { cyclic: true, .. } = self.declarations.kind(sort) else {
                    return Err(Unreadable::at(node, "only cyclic enumerations have neighbours"));
                };
                let of = self.term(operand(node)?, sort)?;
                let by = if name(node) == "successor" { 1 } else { size - 1 };
                Term::Shift(Box::new(of), by, size)
            }
            "partitionelementof" => {
                is(self.declarations.sort_of_id(node, "refpartition")?)?;
                let Kind::Partition { of, part_of, .. } = self.declarations.kind(sort) else {
                    return Err(Unreadable::at(node, "this is no partition"));
                };
                let (of, part_of) = (*of, part_of.clone());
                Term::PartOf(Box::new(self.term(operand(node)?, of)?), part_of)
            }
            _ => return Err(not_known(node)),
        })
    }

    /// The position of a number in a range.
    /// The condition at `node`.
    pub(super) fn guard(&mut self, node: Node<'_, '_>) -> Result<Guard, Unreadable> {
        self.depth += 1;
        if self.depth > DEEPEST {
            let what = format!("conditions nested deeper than {DEEPEST} are not read");
            return Err(Unreadable::at(node, what));
        }
        let guard = match name(node) {
            "and" => Guard::All(self.guards(node)?),
            "or" => Guard::Any(self.guards(node)?),
            "not" => Guard::Not(Box::new(self.guard(operand(node)?)?)),
            "imply" => match <[Guard; 2]>::try_from(self.guards(node)?) {
                Ok([first, then]) => Guard::Any(vec![Guard::Not(Box::new(first)), then]),
                Err(_) => return Err(Unreadable::at(node, "expected two operands")),
            },
            "booleanconstant" => match attribute(node, "value")? {
                "true" => Guard::All(Vec::new()),
                "false" => Guard::Any(Vec::new()),
                _ => return Err(Unreadable::at(node, "expected `true` or `false`")),
            },
            "equality" => self.compare(node, i128::eq)?,
            "inequality" => self.compare(node, i128::ne)?,
            "lessthan" | "ltp" => self.compare(node, i128::lt)?,
            "lessthanorequal" => self.compare(node, i128::le)?,
            "greaterthan" | "gtp" => self.compare(node, i128::gt)?,
            "greaterthanorequal" => self.compare(node, i128::ge)?,
            _ => return Err(not_known(node)),
        };
        self.depth -= 1;
        Ok(guard)
    }

    fn guards(&mut self, node: Node<'_, '_>) -> Result<Vec<Guard>, Unreadable> {
        operands(node)?.into_iter().map(|inside| self.guard(inside)).collect()
    }

    fn compare(
        &mut self,
        node: Node<'_, '_>,
        holds: fn(&i128, &i128) -> bool,
    ) -> Result<Guard, Unreadable> {
        let [left, right] = operands(node)?[..] else {
            return Err(Unreadable::at(node, "expected two operands"));
        };
        let sorts = [self.sort_of(left)?, self.sort_of(right)?];
        let start = |reader: &Self, sort: usize| match reader.declarations.kind(sort) {
            Kind::Range(start) => Some(*start),
            _ => None,
        };
        let sides = match sorts.map(|sort| start(self, sort)) {
            // Numbers, each of its own range.
            [Some(a), Some(b)] => {
                [(self.term(left, sorts[0])?, a), (self.term(right, sorts[1])?, b)]
            }
            _ => [(self.term(left, sorts[0])?, 0), (self.term(right, sorts[0])?, 0)],
        };
        let ordered = !matches!(self.declarations.kind(sorts[0]), Kind::Product(_));
        if !ordered && !matches!(name(node), "equality" | "inequality") {
            return Err(Unreadable::at(node, "tuples are not ordered"));
        }
        match sides.iter().all(|(term, _)| term.is_one_colour()) {
            true => Ok(Guard::Compare(holds, sides)),
            false => Err(Unreadable::at(node, "expected one colour on either side")),
        }
    }

    /// The sort of a term of one colour.
    fn sort_of(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        match name(node) {
            "variable" => {
                let variable = self.declarations.variable(node)?;
                Ok(self.declarations.variables[variable].sort)
            }
            "useroperator" => Ok(self.declarations.constant(node)?.0),
            "dotconstant" => self.declarations.dot(node),
            "finiteintrangeconstant" => {
                self.declarations.sort(only(node, elements(node), "range")?)
            }
            // Both keep the sort, so the way down is a loop.
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
                if self.depth > DEEPEST {
                    return Err(Unreadable::at(node, "this is nested too deep"));
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

/// The operands of an operator, each of which may be wrapped into a `subterm`.
fn operands<'a, 'i>(node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, Unreadable> {
    let unwrapped = |inside: Node<'a, 'i>| match name(inside) {
        "subterm" => only(inside, elements(inside), "term"),
        _ => Ok(inside),
    };
    elements(node).map(unwrapped).collect()
}

fn operand<'a, 'i>(node: Node<'a, 'i>) -> Result<Node<'a, 'i>, Unreadable> {
    match operands(node)?[..] {
        [one] => Ok(one),
        _ => Err(Unreadable::at(node, "expected one operand")),
    }
}

impl Term {
    /// Whether it is one colour, once, whatever the variables are.
    pub(super) fn is_one_colour(&self) -> bool {
        match self {
            Term::Constant(_) | Term::Variable(_) => true,
            Term::Shift(of, ..) | Term::PartOf(of, _) => of.is_one_colour(),
            Term::Tuple(parts) => parts.iter().all(|(part, _)| part.is_one_colour()),
            Term::All(_) | Term::Times(..) | Term::Sum(_) | Term::Minus(..) => false,
        }
    }

    /// Appends its variables.
    pub(super) fn variables(&self, into: &mut Vec<usize>) {
        match self {
            Term::Constant(_) | Term::All(_) => {}
            Term::Variable(variable) => into.push(*variable),
            Term::Shift(of, ..) | Term::PartOf(of, _) | Term::Times(_, of) => of.variables(into),
            Term::Tuple(parts) => parts.iter().for_each(|(part, _)| part.variables(into)),
            Term::Sum(parts) => parts.iter().for_each(|part| part.variables(into)),
            Term::Minus(first, second) => {
                first.variables(into);
                second.variables(into);
            }
        }
    }

    /// The multiset, where the variables have these colours.
    ///
    /// # Errors
    /// When it has more than `most` colours, or 2⁶³ or more of one.
    pub(super) fn evaluate(&self, binding: &[u64], most: usize) -> Result<Bag, TooMany> {
        let bag = match self {
            Term::Constant(colour) => vec![(*colour, 1)],
            Term::Variable(variable) => vec![(binding[*variable], 1)],
            Term::All(size) if *size > most as u64 => return Err(TooMany),
            Term::All(size) => (0..*size).map(|colour| (colour, 1)).collect(),
            Term::Shift(of, by, size) => {
                let of = of.evaluate(binding, most)?;
                // Both are below 2⁶².
                merged(of.into_iter().map(|(colour, n)| ((colour + by) % size, n)).collect())?
            }
            Term::PartOf(of, part_of) => {
                let of = of.evaluate(binding, most)?;
                merged(of.into_iter().map(|(colour, n)| (part_of[colour as usize], n)).collect())?
            }
            Term::Tuple(parts) => {
                let mut tuples = vec![(0, 1)];
                for (part, size) in parts {
                    let part = part.evaluate(binding, most)?;
                    if tuples.len().saturating_mul(part.len()) > most {
                        return Err(TooMany);
                    }
                    let mut longer = Vec::with_capacity(tuples.len() * part.len());
                    for &(tuple, n) in &tuples {
                        for &(colour, m) in &part {
                            longer.push((tuple * size + colour, fits(u64::checked_mul(n, m))?));
                        }
                    }
                    tuples = longer;
                }
                tuples
            }
            Term::Times(0, _) => Vec::new(),
            Term::Times(times, of) => {
                let mut bag = of.evaluate(binding, most)?;
                for (_, n) in &mut bag {
                    *n = fits(n.checked_mul(*times))?;
                }
                bag
            }
            Term::Sum(parts) => {
                let mut sum = Vec::new();
                for part in parts {
                    sum.extend(part.evaluate(binding, most)?);
                }
                merged(sum)?
            }
            Term::Minus(first, second) => {
                let mut bag = first.evaluate(binding, most)?;
                for (colour, n) in second.evaluate(binding, most)? {
                    if let Ok(at) = bag.binary_search_by_key(&colour, |&(colour, _)| colour) {
                        bag[at].1 = bag[at].1.saturating_sub(n);
                    }
                }
                bag.retain(|&(_, n)| n > 0);
                bag
            }
        };
        if bag.len() > most { Err(TooMany) } else { Ok(bag) }
    }

    /// The colour, of a term that is one.
    pub(super) fn colour(&self, binding: &[u64]) -> u64 {
        match self {
            Term::Constant(colour) => *colour,
            Term::Variable(variable) => binding[*variable],
            Term::Shift(of, by, size) => (of.colour(binding) + by) % size,
            Term::PartOf(of, part_of) => part_of[of.colour(binding) as usize],
            Term::Tuple(parts) => {
                parts.iter().fold(0, |tuple, (part, size)| tuple * size + part.colour(binding))
            }
            // No colour; whoever calls has looked.
            Term::All(_) | Term::Times(..) | Term::Sum(_) | Term::Minus(..) => 0,
        }
    }
}

impl Guard {
    /// Appends its variables.
    pub(super) fn variables(&self, into: &mut Vec<usize>) {
        match self {
            Guard::All(parts) | Guard::Any(parts) => {
                parts.iter().for_each(|part| part.variables(into));
            }
            Guard::Not(of) => of.variables(into),
            Guard::Compare(_, sides) => sides.iter().for_each(|(side, _)| side.variables(into)),
        }
    }

    /// Whether it holds.
    pub(super) fn holds(&self, binding: &[u64]) -> bool {
        match self {
            Guard::All(parts) => parts.iter().all(|part| part.holds(binding)),
            Guard::Any(parts) => parts.iter().any(|part| part.holds(binding)),
            Guard::Not(of) => !of.holds(binding),
            Guard::Compare(holds, sides) => {
                let [a, b] = sides
                    .each_ref()
                    .map(|(side, start)| i128::from(*start) + i128::from(side.colour(binding)));
                holds(&a, &b)
            }
        }
    }
}

/// The same with each colour once.
fn merged(mut bag: Bag) -> Result<Bag, TooMany> {
    bag.sort_unstable();
    let mut merged: Bag = Vec::with_capacity(bag.len());
    for (colour, n) in bag {
        match merged.last_mut() {
            Some((last, sum)) if *last == colour => *sum = fits(sum.checked_add(n))?,
            _ => merged.push((colour, n)),
        }
    }
    Ok(merged)
}

fn fits(number: Option<u64>) -> Result<u64, TooMany> {
    number.filter(|&number| number < 1 << 63).ok_or(TooMany)
}
