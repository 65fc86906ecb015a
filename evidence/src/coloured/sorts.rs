//! Sorts, their constants, and the variables: the declarations of a symmetric net.
//!
//! A colour is its position in its sort, from 0. A tuple (a, b) of sorts with m and n colours is
//! a·n + b, so the colours of a product are positions, too. Sorts with the same structure are one
//! sort: the black token, truth values, ranges with the same ends, products of the same sorts.
//! Enumerations and partitions are equal only to themselves. A product of one sort is that sort.

use super::elements::{MAX_DEPTH, bare_sort, bare_term, meaningful_elements, too_deep};
use crate::reader::{
    Unreadable, attribute, name, only_element, optional_attribute, parse_number, trimmed,
};
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// The maximum number of colours of a sort.
const MAX_COLOURS: u64 = 1 << 62;

/// A sort of colours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColourSort {
    /// The structure of the sort.
    pub(super) kind: SortStructure,
    /// The number of colours.
    pub(super) size: u64,
    /// The number of components of its colours, counted recursively; 1 if the sort is no product.
    components: usize,
}

/// The structure of a sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SortStructure {
    /// The sort of black tokens, with one colour.
    Dot,
    /// The truth values: false, then true.
    Boolean,
    /// An enumeration, with its constants in the order of their declaration.
    Constants { id: String, names: Vec<String>, cyclic: bool },
    /// A range of integers, beginning at the given integer.
    Range(i64),
    /// A product of the sorts with these indices.
    Product(Vec<usize>),
    /// A partition of the sort with the index `of`: the names of its elements, and the element of
    /// each colour of that sort.
    Partition { id: String, names: Vec<String>, of: usize, part_of: Vec<u64> },
}

/// A declared variable.
#[derive(Clone, Debug)]
pub(super) struct SortedVariable {
    /// The name of the variable in names of unfolded transitions.
    pub(super) name: String,
    /// The index of the sort.
    pub(super) sort: usize,
}

/// The declared sorts, constants and variables of a net.
#[derive(Clone, Debug, Default)]
pub(super) struct Declarations {
    /// The sorts, by index. A sort refers only to earlier sorts.
    sorts: Vec<ColourSort>,
    /// The variables, by index.
    pub(super) variables: Vec<SortedVariable>,
    /// The sort of each declared sort id.
    sort_ids: HashMap<String, usize>,
    /// The sort and the colour of each constant id.
    constants: HashMap<String, (usize, u64)>,
    /// The index in `variables`, by variable id.
    variable_ids: HashMap<String, usize>,
}

impl Declarations {
    /// Reads the elements inside `<declarations>`. A sort is processed after the sorts that it
    /// refers to.
    pub(super) fn read(nodes: Vec<Node<'_, '_>>) -> Result<Self, Unreadable> {
        let mut declarations = Declarations::default();
        let is_sort = |node: &Node<'_, '_>| matches!(name(*node), "namedsort" | "partition");
        let (mut undeclared, variables): (Vec<_>, Vec<_>) = nodes.into_iter().partition(is_sort);
        while let Some(&first) = undeclared.first() {
            let count_before = undeclared.len();
            let mut still_undeclared = Vec::new();
            for node in undeclared {
                if !declarations.declare(node)? {
                    still_undeclared.push(node);
                }
            }
            if still_undeclared.len() == count_before {
                let what = "this sort is defined by itself or by an undeclared sort";
                return Err(Unreadable::at(first, what));
            }
            undeclared = still_undeclared;
        }
        let mut names = HashSet::new();
        for node in variables {
            if name(node) != "variabledecl" {
                return Err(not_known(node));
            }
            let id = attribute(node, "id")?;
            let display_name =
                optional_attribute(node, "name").map(trimmed).filter(|it| !it.is_empty());
            let display_name = display_name.unwrap_or(id);
            let sort = declarations.sort(only_element(node, meaningful_elements(node), "sort")?)?;
            // Of two variables that share a name, the second is named by its id.
            let name = if names.insert(display_name) { display_name } else { id };
            let index = declarations.variables.len();
            declarations.variables.push(SortedVariable { name: name.to_owned(), sort });
            unique(node, declarations.variable_ids.insert(id.to_owned(), index))?;
        }
        Ok(declarations)
    }

    /// Adds a sort. Returns false if it refers to a sort that is not yet known.
    fn declare(&mut self, node: Node<'_, '_>) -> Result<bool, Unreadable> {
        let id = attribute(node, "id")?;
        let (sort, members) = if name(node) == "partition" {
            match self.partition(node, id)? {
                Some(made) => made,
                None => return Ok(false),
            }
        } else {
            let definition = only_element(node, unnamed(node), "definition")?;
            match name(definition) {
                "cyclicenumeration" | "finiteenumeration" => {
                    let (ids, names) = constants(unnamed(definition), "feconstant")?;
                    let size = ids.len() as u64;
                    let cyclic = name(definition) == "cyclicenumeration";
                    let kind = SortStructure::Constants { id: id.to_owned(), names, cyclic };
                    (self.add(definition, kind, size)?, ids)
                }
                _ => match self.known_sort(definition)? {
                    Some(sort) => (sort, Vec::new()),
                    None => return Ok(false),
                },
            }
        };
        for (colour, constant) in (0..).zip(members) {
            unique(node, self.constants.insert(constant, (sort, colour)))?;
        }
        unique(node, self.sort_ids.insert(id.to_owned(), sort))?;
        Ok(true)
    }

    /// Reads a partition, whose elements list the constants in them. Returns the index of the
    /// partition and the ids of its elements. Returns `None` if the partitioned sort is not yet
    /// known.
    fn partition(
        &mut self,
        node: Node<'_, '_>,
        id: &str,
    ) -> Result<Option<(usize, Vec<String>)>, Unreadable> {
        let (parts, sorts): (Vec<_>, Vec<_>) =
            unnamed(node).partition(|&inside| name(inside) == "partitionelement");
        let [of] = sorts[..] else {
            return Err(Unreadable::at(node, "expected exactly one sort to partition"));
        };
        let Some(of) = self.known_sort(of)? else { return Ok(None) };
        let (ids, names) = constants(parts.iter().copied(), "partitionelement")?;
        let mut part_of = HashMap::new();
        for (part, &element) in (0..).zip(&parts) {
            for member in meaningful_elements(element) {
                let member = bare_term(member)?;
                let (sort, colour) = match name(member) {
                    "useroperator" => self.constant(member)?,
                    "finiteintrangeconstant" | "numberconstant" => {
                        (of, self.in_range(member, integer(member, "value")?, of)?)
                    }
                    _ => return Err(not_known(member)),
                };
                if sort != of {
                    return Err(Unreadable::at(
                        member,
                        "this is not a colour of the partitioned sort",
                    ));
                }
                unique(member, part_of.insert(colour, part))?;
            }
        }
        let part_of: Option<Vec<u64>> = match self.size(of) == part_of.len() as u64 {
            true => (0..self.size(of)).map(|colour| part_of.get(&colour).copied()).collect(),
            false => None,
        };
        let missing = || Unreadable::at(node, "a colour of the partitioned sort is in no part");
        let part_of = part_of.ok_or_else(missing)?;
        let size = ids.len() as u64;
        let kind = SortStructure::Partition { id: id.to_owned(), names, of, part_of };
        Ok(Some((self.add(node, kind, size)?, ids)))
    }

    /// Returns the sort of an element, or `None` if it refers to an undeclared sort.
    fn known_sort(&mut self, node: Node<'_, '_>) -> Result<Option<usize>, Unreadable> {
        self.sort_within(node, 0)
    }

    /// Returns the sort like `known_sort`, inside `depth` products.
    fn sort_within(
        &mut self,
        node: Node<'_, '_>,
        depth: usize,
    ) -> Result<Option<usize>, Unreadable> {
        let node = bare_sort(node)?;
        let sort = match name(node) {
            "usersort" => {
                return Ok(self.sort_ids.get(attribute(node, "declaration")?).copied());
            }
            "dot" => self.dot(node),
            "bool" => self.boolean(node),
            "finiteintrange" => {
                let [start, end] = [integer(node, "start")?, integer(node, "end")?];
                let size = if start > end { 0 } else { end.abs_diff(start).saturating_add(1) };
                self.add(node, SortStructure::Range(start), size)
            }
            "productsort" if depth == MAX_DEPTH => return Err(too_deep(node)),
            "productsort" => {
                let mut parts = Vec::new();
                for part in meaningful_elements(node) {
                    match self.sort_within(part, depth + 1)? {
                        Some(part) => parts.push(part),
                        None => return Ok(None),
                    }
                }
                self.product(node, parts)
            }
            _ => return Err(not_known(node)),
        };
        sort.map(Some)
    }

    /// Returns the sort that an element names or describes.
    pub(super) fn sort(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        let known = self.known_sort(node)?;
        known.ok_or_else(|| Unreadable::at(node, "this sort is not declared"))
    }

    /// Returns the sort of black tokens.
    pub(super) fn dot(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        self.add(node, SortStructure::Dot, 1)
    }

    /// Returns the sort of truth values.
    pub(super) fn boolean(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        self.add(node, SortStructure::Boolean, 2)
    }

    /// Returns the range that contains only the number in an element.
    pub(super) fn number(&mut self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        self.add(node, SortStructure::Range(integer(node, "value")?), 1)
    }

    /// Returns the product sort of the component sorts `parts`.
    pub(super) fn product(
        &mut self,
        node: Node<'_, '_>,
        parts: Vec<usize>,
    ) -> Result<usize, Unreadable> {
        let sizes = parts.iter().map(|&part| self.size(part));
        let size = if parts.is_empty() { 0 } else { sizes.fold(1, u64::saturating_mul) };
        let components: usize = parts.iter().map(|&part| self.sorts[part].components).sum();
        if components > MAX_DEPTH {
            let what = format!("tuples of more than {MAX_DEPTH} components are not supported");
            return Err(Unreadable::at(node, what));
        }
        self.add_sort(node, ColourSort { kind: SortStructure::Product(parts), size, components })
    }

    /// Adds a sort that is no product, unless an equal sort exists, and returns its index.
    fn add(
        &mut self,
        node: Node<'_, '_>,
        kind: SortStructure,
        size: u64,
    ) -> Result<usize, Unreadable> {
        self.add_sort(node, ColourSort { kind, size, components: 1 })
    }

    /// Adds a sort, unless an equal sort exists, and returns its index.
    fn add_sort(&mut self, node: Node<'_, '_>, sort: ColourSort) -> Result<usize, Unreadable> {
        if sort.size == 0 || sort.size > MAX_COLOURS {
            return Err(Unreadable::at(node, "this sort has no colours, or more than 2^62"));
        }
        Ok(self.sorts.iter().position(|known| *known == sort).unwrap_or_else(|| {
            self.sorts.push(sort);
            self.sorts.len() - 1
        }))
    }

    /// Returns the structure of a sort.
    pub(super) fn kind(&self, sort: usize) -> &SortStructure {
        &self.sorts[sort].kind
    }

    /// Returns the number of sorts. A sort refers only to earlier sorts.
    pub(super) fn sort_count(&self) -> usize {
        self.sorts.len()
    }

    /// Returns the components of a colour of a product, each as its sort and its colour. Returns an
    /// empty list if the sort is no product.
    pub(super) fn components(&self, sort: usize, colour: u64) -> Vec<(usize, u64)> {
        let SortStructure::Product(parts) = self.kind(sort) else { return Vec::new() };
        let (mut components, mut remaining) = (Vec::with_capacity(parts.len()), colour);
        for &part in parts.iter().rev() {
            components.push((part, remaining % self.size(part)));
            remaining /= self.size(part);
        }
        components.reverse();
        components
    }

    /// Returns the number of colours of a sort.
    pub(super) fn size(&self, sort: usize) -> u64 {
        self.sorts[sort].size
    }

    /// Returns the sort and the colour of the constant that an element refers to. Some tools refer
    /// to the black token by the id of its sort.
    pub(super) fn constant(&self, node: Node<'_, '_>) -> Result<(usize, u64), Unreadable> {
        let id = attribute(node, "declaration")?;
        let black = || {
            let sort = self.sort_ids.get(id).copied();
            sort.filter(|&sort| *self.kind(sort) == SortStructure::Dot).map(|sort| (sort, 0))
        };
        let constant = self.constants.get(id).copied().or_else(black);
        constant.ok_or_else(|| Unreadable::at(node, format!("{} is not a constant", Quoted(id))))
    }

    /// Returns the colour of a number in a range.
    pub(super) fn in_range(
        &self,
        node: Node<'_, '_>,
        value: i64,
        sort: usize,
    ) -> Result<u64, Unreadable> {
        match self.kind(sort) {
            SortStructure::Range(start)
                if value >= *start && value.abs_diff(*start) < self.size(sort) =>
            {
                Ok(value.abs_diff(*start))
            }
            SortStructure::Range(_) => {
                Err(Unreadable::at(node, format!("{value} is not in the range")))
            }
            _ => Err(Unreadable::at(node, "a number where none is expected")),
        }
    }

    /// Returns the variable that an element refers to.
    pub(super) fn variable(&self, node: Node<'_, '_>) -> Result<usize, Unreadable> {
        let id = attribute(node, "refvariable")?;
        let variable = self.variable_ids.get(id).copied();
        variable.ok_or_else(|| Unreadable::at(node, format!("{} is not a variable", Quoted(id))))
    }

    /// Returns the sort with the id in the attribute `key`.
    pub(super) fn sort_of_id(&self, node: Node<'_, '_>, key: &str) -> Result<usize, Unreadable> {
        let id = attribute(node, key)?;
        let sort = self.sort_ids.get(id).copied();
        sort.ok_or_else(|| Unreadable::at(node, format!("{} is not declared", Quoted(id))))
    }

    /// Parses a colour: `red`, `3`, `red,3` or `(red,3)`, with optional blanks around each part.
    /// Returns `None` if the sort has no such colour.
    pub(super) fn colour_named(&self, sort: usize, text: &str) -> Option<u64> {
        let text = text.trim();
        let position = |names: &[String]| names.iter().position(|it| it == text);
        match self.kind(sort) {
            SortStructure::Dot => matches!(text, "." | "dot").then_some(0),
            SortStructure::Boolean => {
                ["false", "true"].iter().position(|it| *it == text).map(|at| at as u64)
            }
            SortStructure::Constants { names, .. } | SortStructure::Partition { names, .. } => {
                position(names).map(|at| at as u64)
            }
            SortStructure::Range(start) => {
                let value: i64 = text.parse().ok().filter(|value| value >= start)?;
                Some(value.abs_diff(*start)).filter(|colour| *colour < self.size(sort))
            }
            SortStructure::Product(sorts) => {
                let parts = components_of(text)?;
                if parts.len() != sorts.len() {
                    return None;
                }
                sorts.iter().zip(parts).try_fold(0, |colour, (&sort, part)| {
                    Some(colour * self.size(sort) + self.colour_named(sort, part)?)
                })
            }
        }
    }

    /// Returns the name in an unfolding of the place `id` with a colour of its sort.
    pub(super) fn unfolded_name(&self, id: &str, sort: usize, colour: u64) -> String {
        let mut name = id.to_owned();
        if !matches!(self.kind(sort), SortStructure::Dot) {
            name.push('(');
            self.write_colour(&mut name, sort, colour, false);
            name.push(')');
        }
        name
    }

    /// Writes a colour as in names of unfolded nodes: `red`, `3`, `(red,3)`. The outermost tuple
    /// has parentheses only if `enclosed`.
    pub(super) fn write_colour(&self, text: &mut String, sort: usize, colour: u64, enclosed: bool) {
        match self.kind(sort) {
            SortStructure::Dot => text.push('.'),
            SortStructure::Boolean => text.push_str(if colour == 0 { "false" } else { "true" }),
            SortStructure::Constants { names, .. } | SortStructure::Partition { names, .. } => {
                text.push_str(&names[colour as usize]);
            }
            SortStructure::Range(start) => {
                let _ = write!(text, "{}", i128::from(*start) + i128::from(colour));
            }
            SortStructure::Product(_) => {
                text.push_str(if enclosed { "(" } else { "" });
                let components = self.components(sort, colour);
                for (at, (part, colour)) in components.into_iter().enumerate() {
                    text.push_str(if at == 0 { "" } else { "," });
                    self.write_colour(text, part, colour, true);
                }
                text.push_str(if enclosed { ")" } else { "" });
            }
        }
    }
}

/// Splits a tuple at the commas outside of inner parentheses. Parentheses around the whole tuple
/// are optional. Returns `None` if parentheses do not match.
fn components_of(text: &str) -> Option<Vec<&str>> {
    let mut inside = text;
    if let Some(within) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        // `(a,b),(c,d)` begins and ends with parentheses that do not enclose the whole tuple.
        let mut open = 1i64;
        let is_closed_within = within.chars().any(|c| {
            open += i64::from(c == '(') - i64::from(c == ')');
            open == 0
        });
        if !is_closed_within {
            inside = within;
        }
    }
    let (mut parts, mut start, mut open) = (Vec::new(), 0, 0i64);
    for (at, c) in inside.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            ',' if open == 0 => {
                parts.push(&inside[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        if open < 0 {
            return None;
        }
    }
    parts.push(&inside[start..]);
    (open == 0).then_some(parts)
}

/// Iterates over the content of a declaration, except its name.
fn unnamed<'a, 'i>(node: Node<'a, 'i>) -> impl Iterator<Item = Node<'a, 'i>> {
    meaningful_elements(node).filter(|&inside| name(inside) != "name")
}

/// Returns the ids and names of the declared constants. If two share a name, ids replace names.
fn constants<'a, 'i: 'a>(
    nodes: impl Iterator<Item = Node<'a, 'i>>,
    element: &str,
) -> Result<(Vec<String>, Vec<String>), Unreadable> {
    let (mut ids, mut names) = (Vec::new(), Vec::new());
    for node in nodes {
        if name(node) != element {
            return Err(not_known(node));
        }
        let id = attribute(node, "id")?.to_owned();
        let display_name =
            optional_attribute(node, "name").map(trimmed).filter(|it| !it.is_empty());
        names.push(display_name.unwrap_or(&id).to_owned());
        ids.push(id);
    }
    let are_distinct = names.iter().collect::<HashSet<_>>().len() == names.len();
    let names = if are_distinct { names } else { ids.clone() };
    Ok((ids, names))
}

/// Parses an integer in an attribute, which may be negative.
pub(super) fn integer(node: Node<'_, '_>, key: &str) -> Result<i64, Unreadable> {
    let text = trimmed(attribute(node, key)?);
    match text.strip_prefix('-') {
        None => parse_number(node, text),
        Some(digits) => parse_number::<i64>(node, digits).map(|value| -value),
    }
}

/// Returns the error that an element is not supported at this position.
pub(super) fn not_known(node: Node<'_, '_>) -> Unreadable {
    let what = format!("the element `{}` is unknown here", name(node));
    Unreadable::at(node, what)
}

/// Returns an error if the inserted name replaced an `earlier` declaration.
fn unique<T>(node: Node<'_, '_>, earlier: Option<T>) -> Result<(), Unreadable> {
    match earlier {
        None => Ok(()),
        Some(_) => Err(Unreadable::at(node, "this name was declared before")),
    }
}
