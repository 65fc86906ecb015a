//! Construction of sorts from declarations. A sort is added to the net after the sorts in its
//! definition, which may be declared later in the file.
//!
//! A product of one sort is that sort, and a tuple of one colour is that colour. GreatSPN writes
//! all tokens as tuples, even those of one component. Inline definitions of sorts are equivalent to
//! named ones.

use super::super::colour_problem::ColourProblem;
use super::super::source::TextPosition;
use super::declarations::{Declarations, DeclaredConstant, SortDeclaration, SortDefinition};
use super::raw::{RawTerm, TermError};
use super::resolve::Resolver;
use super::scope::DeclaredNames;
use parikh_net::coloured::{ColouredNet, SortId, SortKind, Term};
use std::collections::{HashMap, HashSet};

/// A result whose error has the position, the declaration's name for messages, and the problem.
type SortResult<T> = Result<T, (TextPosition, String, ColourProblem)>;

impl Declarations {
    /// Adds all declarations to the net, each sort after the sorts in its definition.
    pub(super) fn settle(self, net: &mut ColouredNet) -> SortResult<DeclaredNames> {
        let mut scope = DeclaredNames::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (index, sort) in self.sorts.iter().enumerate() {
            if known.insert(&sort.id, index).is_some() {
                let problem = ColourProblem::Declared(sort.id.to_string());
                return Err((sort.position, format!("sort `{}`", sort.id), problem));
            }
        }
        // A depth-first search over the definitions, with an explicit stack.
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut progress = vec![Mark::New; self.sorts.len()];
        for start in 0..self.sorts.len() {
            let mut stack = vec![start];
            while let Some(&index) = stack.last() {
                let declaration = &self.sorts[index];
                let fail =
                    |problem| (declaration.position, format!("sort `{}`", declaration.id), problem);
                if progress[index] == Mark::Done {
                    stack.pop();
                    continue;
                }
                let first_visit = progress[index] == Mark::New;
                progress[index] = Mark::Open;
                let mut has_unfinished_sort = false;
                for name in declaration.referenced_sorts() {
                    let Some(&other) = known.get(name) else {
                        let problem =
                            ColourProblem::Unknown { name: name.to_owned(), kind: "sort" };
                        return Err(fail(problem));
                    };
                    match progress[other] {
                        Mark::Done => {}
                        Mark::New if first_visit => {
                            stack.push(other);
                            has_unfinished_sort = true;
                        }
                        // The sort `other` is on the path of the depth-first search, so the
                        // definitions form a cycle.
                        _ => return Err(fail(ColourProblem::Cycle(declaration.id.to_string()))),
                    }
                }
                if !has_unfinished_sort {
                    declare(net, &mut scope, declaration).map_err(|(at, problem)| {
                        (at, format!("sort `{}`", declaration.id), problem)
                    })?;
                    progress[index] = Mark::Done;
                    stack.pop();
                }
            }
        }
        let mut names: HashSet<&str> = HashSet::new();
        for variable in &self.variables {
            let fail =
                |problem| (variable.position, format!("variable `{}`", variable.id), problem);
            let sort = Resolver { net, scope: &mut scope }
                .sort(&variable.sort)
                .map_err(|(at, problem)| (at, format!("variable `{}`", variable.id), problem))?;
            // The name is only a label. If two variables share a name, the ids distinguish them.
            let name = if names.insert(&variable.name) { &variable.name } else { &variable.id };
            let id = net.add_variable(name, sort).map_err(|error| fail(error.into()))?;
            if scope.variables.insert(variable.id.clone(), id).is_some() {
                return Err(fail(ColourProblem::Declared(variable.id.to_string())));
            }
        }
        Ok(scope)
    }
}

/// Adds one sort. The sorts in its definition must be present.
fn declare(
    net: &mut ColouredNet,
    scope: &mut DeclaredNames,
    declaration: &SortDeclaration,
) -> Result<(), TermError> {
    let fail = |problem: ColourProblem| (declaration.position, problem);
    let name = if declaration.name.is_empty() { &declaration.id } else { &declaration.name };
    let mut constants: Vec<&DeclaredConstant> = Vec::new();
    let sort = match &declaration.kind {
        SortDefinition::Sort(term) => named_sort(net, scope, name, declaration.position, term)?,
        SortDefinition::Enumeration { constants: declared, cyclic } => {
            constants.extend(declared);
            let kind = SortKind::Enumeration { constants: names(declared.iter()), cyclic: *cyclic };
            net.add_sort(name, kind).map_err(|error| fail(error.into()))?
        }
        SortDefinition::Partition { of, elements } => {
            let of = Resolver { net, scope }.sort(of)?;
            let block_of = blocks(net, scope, declaration, of, elements)?;
            constants.extend(elements.iter().map(|(constant, _)| constant));
            let elements = names(elements.iter().map(|(constant, _)| constant));
            let kind = SortKind::Partition { of, elements, block_of };
            net.add_sort(name, kind).map_err(|error| fail(error.into()))?
        }
    };
    for (colour, constant) in (0..).zip(constants) {
        let term = Term::Constant { sort, colour };
        if scope.constants.insert(constant.id.clone(), term).is_some() {
            return Err(fail(ColourProblem::Declared(constant.id.to_string())));
        }
    }
    scope.sorts.insert(declaration.id.clone(), sort);
    Ok(())
}
/// Returns the sort that a term names or defines. For a range or a product of several sorts, adds a
/// new sort with the name `name`.
fn named_sort(
    net: &mut ColouredNet,
    scope: &mut DeclaredNames,
    name: &str,
    at: TextPosition,
    term: &RawTerm,
) -> Result<SortId, TermError> {
    let (last, inside) = match term.nodes.split_last() {
        Some((last, inside)) => (last, inside),
        None => return Resolver { net, scope }.sort(term),
    };
    match &*last.element {
        "finiteintrange" => {
            let (start, end) = last.range_bounds().map_err(|problem| (last.position, problem))?;
            let sort = net.add_sort(name, SortKind::Range { start, end });
            let sort = sort.map_err(|error| (at, error.into()))?;
            scope.ranges.entry((start, end)).or_insert(sort);
            Ok(sort)
        }
        "productsort" if last.operands > 1 => {
            let inside = RawTerm { nodes: inside.to_vec(), position: term.position };
            let parts = Resolver { net, scope }.sorts(&inside)?;
            scope.product(net, Some(name), parts).map_err(|problem| (at, problem))
        }
        _ => Resolver { net, scope }.sort(term),
    }
}

/// Returns for each colour of the sort `of` the index of its element in the partition, or
/// `u32::MAX` if no element contains the colour. Returns an error if a colour is in an element
/// twice or in two elements, or if a member is not a colour of `of`. Also returns an error if `of`
/// has more than 2²⁴ colours.
fn blocks(
    net: &mut ColouredNet,
    scope: &mut DeclaredNames,
    declaration: &SortDeclaration,
    of: SortId,
    elements: &[(DeclaredConstant, RawTerm)],
) -> Result<Vec<u32>, TermError> {
    let bad_partition = || {
        let error = parikh_net::coloured::ColourError::BadPartition(declaration.name.to_string());
        (declaration.position, error.into())
    };
    let size = usize::try_from(net.sort(of).size()).ok().filter(|&size| size <= 1 << 24);
    let mut block_of = vec![u32::MAX; size.ok_or_else(bad_partition)?];
    for (block, (_, members)) in (0..).zip(elements) {
        let mut resolver = Resolver { net, scope };
        for member in resolver.colours(members)? {
            let colour = match member {
                Term::Constant { sort, colour } if sort == of => colour,
                // A constant of another range is converted by its number.
                other => match (resolver.number(&other), resolver.net.sort(of).kind()) {
                    (Some(number), SortKind::Range { start, end })
                        if (start..=end).contains(&&number) =>
                    {
                        number.abs_diff(*start)
                    }
                    _ => return Err(bad_partition()),
                },
            };
            if block_of[colour as usize] != u32::MAX {
                return Err(bad_partition());
            }
            block_of[colour as usize] = block;
        }
    }
    Ok(block_of)
}

/// Returns the names of the constants of one sort for people, or their ids if names are missing or
/// repeated.
fn names<'c>(constants: impl Iterator<Item = &'c DeclaredConstant> + Clone) -> Vec<Box<str>> {
    let mut seen = HashSet::new();
    match constants.clone().all(|it| !it.name.is_empty() && seen.insert(&it.name)) {
        true => constants.map(|constant| constant.name.clone()).collect(),
        false => constants.map(|constant| constant.id.clone()).collect(),
    }
}
