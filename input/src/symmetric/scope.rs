//! The declared names of a file, with the sorts, colours and variables to which they refer.

use super::super::colour_problem::{ColourProblem, MAX_DEPTH};
use parikh_net::coloured::{ColouredNet, SortId, SortKind, Term, VariableId};
use std::collections::HashMap;

/// The sorts, constants and variables of a net by their ids, and sorts that were added for inline
/// definitions.
#[derive(Debug, Default)]
pub(super) struct DeclaredNames {
    pub(super) sorts: HashMap<Box<str>, SortId>,
    pub(super) constants: HashMap<Box<str>, Term>,
    pub(super) variables: HashMap<Box<str>, VariableId>,
    /// The sort of each range of numbers. The key is the first and the last number.
    pub(super) ranges: HashMap<(i64, i64), SortId>,
    /// The product sort of each list of component sorts.
    products: HashMap<Vec<SortId>, SortId>,
    /// The number of atomic components in tuples of each product sort. A component that is itself a
    /// tuple counts with all its components.
    components: HashMap<SortId, usize>,
    /// The sort of black tokens; `None` until it is used.
    dot: Option<SortId>,
    /// The sort of truth values; `None` until it is used.
    boolean: Option<SortId>,
}

impl DeclaredNames {
    pub(super) fn sort(&self, name: &str) -> Result<SortId, ColourProblem> {
        let unknown = || ColourProblem::Unknown { name: name.to_owned(), kind: "sort" };
        self.sorts.get(name).copied().ok_or_else(unknown)
    }

    /// Returns the colour with the id `name`. Old versions of TAPAAL write the id of the black
    /// token's sort instead of the token. Returns an error if there is no such colour.
    pub(super) fn constant(&self, name: &str) -> Result<Term, ColourProblem> {
        if let Some(constant) = self.constants.get(name) {
            return Ok(constant.clone());
        }
        match (self.sorts.get(name), self.dot) {
            (Some(&sort), Some(dot)) if sort == dot => Ok(Term::Constant { sort, colour: 0 }),
            _ => Err(ColourProblem::Unknown { name: name.to_owned(), kind: "constant" }),
        }
    }

    pub(super) fn variable(&self, name: &str) -> Result<VariableId, ColourProblem> {
        let unknown = || ColourProblem::Unknown { name: name.to_owned(), kind: "variable" };
        self.variables.get(name).copied().ok_or_else(unknown)
    }

    /// Returns the sort of the black token.
    pub(super) fn dot(&mut self, net: &mut ColouredNet) -> Result<SortId, ColourProblem> {
        match self.dot {
            Some(dot) => Ok(dot),
            None => Ok(*self.dot.insert(net.add_sort("dot", SortKind::Dot)?)),
        }
    }

    /// Returns the sort of truth values, with false before true.
    pub(super) fn boolean(&mut self, net: &mut ColouredNet) -> Result<SortId, ColourProblem> {
        if let Some(sort) = self.boolean {
            return Ok(sort);
        }
        let constants = vec!["false".into(), "true".into()];
        let kind = SortKind::Enumeration { constants, cyclic: false };
        Ok(*self.boolean.insert(net.add_sort("bool", kind)?))
    }

    /// Returns true for the sort of truth values.
    pub(super) fn is_boolean(&self, sort: SortId) -> bool {
        self.boolean == Some(sort)
    }

    /// Returns the sort of the numbers from `start` to `end`. The sort is added to the net if it is
    /// missing.
    pub(super) fn range(
        &mut self,
        net: &mut ColouredNet,
        start: i64,
        end: i64,
    ) -> Result<SortId, ColourProblem> {
        if let Some(&sort) = self.ranges.get(&(start, end)) {
            return Ok(sort);
        }
        let sort = net.add_sort(&format!("{start}..{end}"), SortKind::Range { start, end })?;
        self.ranges.insert((start, end), sort);
        Ok(sort)
    }

    /// Returns the product of two or more sorts, under the name of a declaration or a generated
    /// name. The limit on components also limits the nesting depth of tuples.
    pub(super) fn product(
        &mut self,
        net: &mut ColouredNet,
        name: Option<&str>,
        parts: Vec<SortId>,
    ) -> Result<SortId, ColourProblem> {
        if let (None, Some(&sort)) = (name, self.products.get(&parts)) {
            return Ok(sort);
        }
        let components = |sort: &SortId| self.components.get(sort).copied().unwrap_or(1);
        let components: usize = parts.iter().map(components).sum();
        if components > MAX_DEPTH {
            return Err(ColourProblem::TooManyComponents(MAX_DEPTH));
        }
        let names: Vec<&str> = parts.iter().map(|&part| net.sort(part).name()).collect();
        let written_out = format!("({})", names.join(" * "));
        let kind = SortKind::Product(parts.clone());
        let sort = net.add_sort(name.unwrap_or(&written_out), kind)?;
        self.components.insert(sort, components);
        self.products.entry(parts).or_insert(sort);
        Ok(sort)
    }
}
