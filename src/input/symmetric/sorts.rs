//! The declarations of a coloured net: sorts, which may be made of sorts declared below them,
//! partitions, and variables.

use super::super::error::InputError;
use super::super::source::Position;
use super::super::xml::{Item, Tag, XmlReader};
use super::problem::ColourProblem;
use parikh_net::coloured::{ColouredNet, SortId, SortKind, Term, VariableId};
use std::collections::{HashMap, HashSet};
use std::io::BufRead;

/// A colour of an enumeration or an element of a partition, as declared.
#[derive(Debug)]
struct Constant {
    id: Box<str>,
    name: Box<str>,
}

/// What a sort is declared as.
#[derive(Debug)]
enum Declared {
    Dot,
    Enumeration {
        constants: Vec<Constant>,
        cyclic: bool,
    },
    Range(i64, i64),
    Product(Vec<Part>),
    /// Another name of a sort.
    Same(Box<str>),
    Partition {
        of: Box<str>,
        elements: Vec<(Constant, Vec<Member>)>,
    },
}

/// A sort where it is used: by name, or written out.
#[derive(Debug)]
enum Part {
    Named(Box<str>),
    Dot,
    Range(i64, i64),
}

#[derive(Debug)]
struct Declaration {
    id: Box<str>,
    name: Box<str>,
    at: Position,
    kind: Declared,
}

#[derive(Debug)]
struct VariableDeclaration {
    id: Box<str>,
    name: Box<str>,
    at: Position,
    sort: Part,
}

/// All declarations as they are read.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    sorts: Vec<Declaration>,
    variables: Vec<VariableDeclaration>,
}

/// What ids stand for, once everything is read.
#[derive(Debug, Default)]
pub(super) struct Scope {
    sorts: HashMap<Box<str>, SortId>,
    constants: HashMap<Box<str>, Term>,
    variables: HashMap<Box<str>, VariableId>,
    ranges: HashMap<(i64, i64), SortId>,
    dot: Option<SortId>,
}

type Located<T> = Result<T, (Position, String, ColourProblem)>;

impl Scope {
    pub(super) fn sort(&self, name: &str) -> Result<SortId, ColourProblem> {
        let unknown = || ColourProblem::Unknown { name: name.to_owned(), kind: "sort" };
        self.sorts.get(name).copied().ok_or_else(unknown)
    }

    pub(super) fn constant(&self, name: &str) -> Result<Term, ColourProblem> {
        let unknown = || ColourProblem::Unknown { name: name.to_owned(), kind: "constant" };
        self.constants.get(name).cloned().ok_or_else(unknown)
    }

    pub(super) fn variable(&self, name: &str) -> Result<VariableId, ColourProblem> {
        let unknown = || ColourProblem::Unknown { name: name.to_owned(), kind: "variable" };
        self.variables.get(name).copied().ok_or_else(unknown)
    }

    /// The sort of the black token.
    pub(super) fn dot(&mut self, net: &mut ColouredNet) -> Result<SortId, ColourProblem> {
        match self.dot {
            Some(dot) => Ok(dot),
            None => Ok(*self.dot.insert(net.add_sort("dot", SortKind::Dot)?)),
        }
    }

    /// The sort of a range that is written out.
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
}

impl Declarations {
    /// Reads an element `<declaration>`, which was opened last, to its end.
    pub(super) fn read<R: BufRead>(&mut self, xml: &mut XmlReader<R>) -> Result<(), InputError> {
        let mut open = 1;
        while open > 0 {
            let file: Box<str> = xml.file().into();
            let tag = match xml.next()? {
                Item::Open(tag) => tag,
                Item::Close => {
                    open -= 1;
                    continue;
                }
                Item::Text(_) | Item::Nothing | Item::End => continue,
            };
            let at = tag.at;
            let declared = |owner: String, problem: ColourProblem| InputError::Colours {
                at: at.of(&file),
                owner,
                problem: problem.into(),
            };
            match tag.name() {
                "structure" | "declarations" => open += 1,
                "namedsort" => {
                    let (id, name) = named(&tag, "namedsort")?;
                    match sort_kind(xml, &id)? {
                        Some(kind) => self.sorts.push(Declaration { id, name, at, kind }),
                        None => {
                            let owner = format!("sort `{id}`");
                            let problem = ColourProblem::UnknownElement("namedsort".into());
                            return Err(declared(owner, problem));
                        }
                    }
                }
                "partition" => {
                    let (id, name) = named(&tag, "partition")?;
                    let kind = partition(xml, &id, at)?;
                    self.sorts.push(Declaration { id, name, at, kind });
                }
                "variabledecl" => {
                    let (id, name) = named(&tag, "variabledecl")?;
                    let parts = parts(xml, &format!("variable `{id}`"))?;
                    let [sort] = <[Part; 1]>::try_from(parts).map_err(|parts| {
                        let problem = ColourProblem::Operands {
                            element: "variabledecl".into(),
                            found: parts.len(),
                            expected: "one sort",
                        };
                        declared(format!("variable `{id}`"), problem)
                    })?;
                    self.variables.push(VariableDeclaration { id, name, at, sort });
                }
                "namedoperator" | "arbitrarysort" | "unparsed" => {
                    let problem = ColourProblem::Unsupported(tag.name().to_owned());
                    return Err(declared("declaration".into(), problem));
                }
                _ => xml.skip()?,
            }
        }
        Ok(())
    }

    /// Adds everything to the net, sorts after those they are made of.
    pub(super) fn settle(self, net: &mut ColouredNet) -> Located<Scope> {
        let mut scope = Scope::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (index, sort) in self.sorts.iter().enumerate() {
            if known.insert(&sort.id, index).is_some() {
                let problem = ColourProblem::Declared(sort.id.to_string());
                return Err((sort.at, format!("sort `{}`", sort.id), problem));
            }
        }
        // Depth first along what sorts are made of, with a stack of our own.
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; self.sorts.len()];
        for start in 0..self.sorts.len() {
            let mut stack = vec![start];
            while let Some(&index) = stack.last() {
                let declaration = &self.sorts[index];
                let fail =
                    |problem| (declaration.at, format!("sort `{}`", declaration.id), problem);
                if marks[index] == Mark::Done {
                    stack.pop();
                    continue;
                }
                let first_visit = marks[index] == Mark::New;
                marks[index] = Mark::Open;
                let mut waits = false;
                for name in declaration.kind.made_of() {
                    let Some(&other) = known.get(name) else {
                        let problem =
                            ColourProblem::Unknown { name: name.to_owned(), kind: "sort" };
                        return Err(fail(problem));
                    };
                    match marks[other] {
                        Mark::Done => {}
                        Mark::New if first_visit => {
                            stack.push(other);
                            waits = true;
                        }
                        // Still open on the way here, or again: a cycle.
                        _ => return Err(fail(ColourProblem::Cycle(declaration.id.to_string()))),
                    }
                }
                if !waits {
                    declare(net, &mut scope, declaration).map_err(fail)?;
                    marks[index] = Mark::Done;
                    stack.pop();
                }
            }
        }
        let mut names: HashSet<&str> = HashSet::new();
        for variable in &self.variables {
            let fail = |problem| (variable.at, format!("variable `{}`", variable.id), problem);
            let sort = part_sort(net, &mut scope, &variable.sort).map_err(fail)?;
            // People know the name; where two variables share it, only the ids tell them apart.
            let name = if names.insert(&variable.name) { &variable.name } else { &variable.id };
            let id = net.add_variable(name, sort).map_err(|error| fail(error.into()))?;
            if scope.variables.insert(variable.id.clone(), id).is_some() {
                return Err(fail(ColourProblem::Declared(variable.id.to_string())));
            }
        }
        Ok(scope)
    }
}

impl Declared {
    /// The names of the sorts it is made of.
    fn made_of(&self) -> Vec<&str> {
        match self {
            Declared::Dot | Declared::Enumeration { .. } | Declared::Range(..) => Vec::new(),
            Declared::Same(of) | Declared::Partition { of, .. } => vec![of],
            Declared::Product(parts) => parts
                .iter()
                .filter_map(|part| match part {
                    Part::Named(name) => Some(&**name),
                    _ => None,
                })
                .collect(),
        }
    }
}

fn part_sort(
    net: &mut ColouredNet,
    scope: &mut Scope,
    part: &Part,
) -> Result<SortId, ColourProblem> {
    match part {
        Part::Named(name) => scope.sort(name),
        Part::Dot => scope.dot(net),
        Part::Range(start, end) => scope.range(net, *start, *end),
    }
}

/// Adds one sort, all that it is made of being there.
fn declare(
    net: &mut ColouredNet,
    scope: &mut Scope,
    declaration: &Declaration,
) -> Result<(), ColourProblem> {
    let name = if declaration.name.is_empty() { &declaration.id } else { &declaration.name };
    let mut constants: Vec<&Constant> = Vec::new();
    let sort = match &declaration.kind {
        Declared::Dot => scope.dot(net)?,
        Declared::Same(of) => scope.sort(of)?,
        Declared::Range(start, end) => {
            let sort = net.add_sort(name, SortKind::Range { start: *start, end: *end })?;
            scope.ranges.entry((*start, *end)).or_insert(sort);
            sort
        }
        Declared::Enumeration { constants: declared, cyclic } => {
            constants.extend(declared);
            let kind = SortKind::Enumeration { constants: names(declared.iter()), cyclic: *cyclic };
            net.add_sort(name, kind)?
        }
        Declared::Product(parts) => {
            let parts: Result<Vec<_>, _> =
                parts.iter().map(|part| part_sort(net, scope, part)).collect();
            net.add_sort(name, SortKind::Product(parts?))?
        }
        Declared::Partition { of, elements } => {
            let of = scope.sort(of)?;
            let bad = || parikh_net::coloured::ColourError::BadPartition(name.to_string());
            let size = usize::try_from(net.sort(of).size()).ok().filter(|&size| size <= 1 << 24);
            let mut block_of = vec![u32::MAX; size.ok_or_else(bad)?];
            for (block, (_, members)) in (0..).zip(elements) {
                for member in members {
                    let colour = match (member, net.sort(of).kind()) {
                        (Member::Constant(id), _) => match scope.constant(id)? {
                            Term::Constant { sort, colour } if sort == of => colour,
                            _ => return Err(bad().into()),
                        },
                        (Member::Number(value), SortKind::Range { start, end })
                            if (start..=end).contains(&value) =>
                        {
                            value.abs_diff(*start)
                        }
                        (Member::Number(_), _) => return Err(bad().into()),
                    };
                    if block_of[colour as usize] != u32::MAX {
                        return Err(bad().into());
                    }
                    block_of[colour as usize] = block;
                }
            }
            constants.extend(elements.iter().map(|(constant, _)| constant));
            let elements = names(elements.iter().map(|(constant, _)| constant));
            net.add_sort(name, SortKind::Partition { of, elements, block_of })?
        }
    };
    for (colour, constant) in (0..).zip(constants) {
        let term = Term::Constant { sort, colour };
        if scope.constants.insert(constant.id.clone(), term).is_some() {
            return Err(ColourProblem::Declared(constant.id.to_string()));
        }
    }
    scope.sorts.insert(declaration.id.clone(), sort);
    Ok(())
}

/// A colour in an element of a partition, as it is written.
#[derive(Debug)]
enum Member {
    /// By the id of a constant.
    Constant(Box<str>),
    /// A number, of a range.
    Number(i64),
}

/// What people call the constants of one sort: their names, or the ids when two share a name.
fn names<'c>(constants: impl Iterator<Item = &'c Constant> + Clone) -> Vec<Box<str>> {
    let mut seen = HashSet::new();
    match constants.clone().all(|it| !it.name.is_empty() && seen.insert(&it.name)) {
        true => constants.map(|constant| constant.name.clone()).collect(),
        false => constants.map(|constant| constant.id.clone()).collect(),
    }
}

fn named(tag: &Tag<'_>, element: &'static str) -> Result<(Box<str>, Box<str>), InputError> {
    let [id, name] = tag.attributes(["id", "name"])?;
    let id = tag.required(id, element, "id")?;
    let name = name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| id.clone());
    Ok((id.into(), name.trim().into()))
}

/// Reads the definition of a named sort, to the end of `<namedsort>`; none when there is none.
fn sort_kind<R: BufRead>(xml: &mut XmlReader<R>, id: &str) -> Result<Option<Declared>, InputError> {
    let mut kind = None;
    loop {
        let file: Box<str> = xml.file().into();
        let tag = match xml.next()? {
            Item::Open(tag) => tag,
            Item::Close | Item::End => return Ok(kind),
            Item::Text(_) | Item::Nothing => continue,
        };
        let at = tag.at;
        let fail = |problem: ColourProblem| InputError::Colours {
            at: at.of(&file),
            owner: format!("sort `{id}`"),
            problem: problem.into(),
        };
        let declared = match tag.name() {
            "dot" => {
                xml.skip()?;
                Declared::Dot
            }
            "finiteintrange" => {
                let (start, end) = range(&tag)?.map_err(fail)?;
                xml.skip()?;
                Declared::Range(start, end)
            }
            "usersort" => {
                let [declaration] = tag.attributes(["declaration"])?;
                let of = tag.required(declaration, "usersort", "declaration")?;
                xml.skip()?;
                Declared::Same(of.into())
            }
            "productsort" => Declared::Product(parts(xml, &format!("sort `{id}`"))?),
            name @ ("cyclicenumeration" | "finiteenumeration") => {
                let cyclic = name == "cyclicenumeration";
                Declared::Enumeration { constants: constants(xml)?, cyclic }
            }
            "name" | "graphics" | "toolspecific" => {
                xml.skip()?;
                continue;
            }
            other => {
                return Err(fail(ColourProblem::UnknownElement(other.to_owned())));
            }
        };
        if kind.replace(declared).is_some() {
            return Err(fail(ColourProblem::Declared(id.to_owned())));
        }
    }
}

fn range(tag: &Tag<'_>) -> Result<Result<(i64, i64), ColourProblem>, InputError> {
    let [start, end] = tag.attributes(["start", "end"])?;
    let start = tag.required(start, "finiteintrange", "start")?;
    let end = tag.required(end, "finiteintrange", "end")?;
    let number =
        |text: &str| text.trim().parse().map_err(|_| ColourProblem::BadNumber(text.to_owned()));
    Ok(number(&start).and_then(|start| Ok((start, number(&end)?))))
}

/// Reads `<feconstant>`s to the end of the element opened last.
fn constants<R: BufRead>(xml: &mut XmlReader<R>) -> Result<Vec<Constant>, InputError> {
    let mut constants = Vec::new();
    loop {
        match xml.next()? {
            Item::Open(tag) if tag.name() == "feconstant" => {
                let (id, name) = named(&tag, "feconstant")?;
                constants.push(Constant { id, name });
                xml.skip()?;
            }
            Item::Open(_) => xml.skip()?,
            Item::Close | Item::End => return Ok(constants),
            Item::Text(_) | Item::Nothing => {}
        }
    }
}

/// Reads the sorts in the element opened last, to its end.
fn parts<R: BufRead>(xml: &mut XmlReader<R>, owner: &str) -> Result<Vec<Part>, InputError> {
    let mut parts = Vec::new();
    loop {
        let file: Box<str> = xml.file().into();
        let tag = match xml.next()? {
            Item::Open(tag) => tag,
            Item::Close | Item::End => return Ok(parts),
            Item::Text(_) | Item::Nothing => continue,
        };
        let at = tag.at;
        let fail = |problem: ColourProblem| InputError::Colours {
            at: at.of(&file),
            owner: owner.to_owned(),
            problem: problem.into(),
        };
        parts.push(match tag.name() {
            "usersort" => {
                let [declaration] = tag.attributes(["declaration"])?;
                Part::Named(tag.required(declaration, "usersort", "declaration")?.into())
            }
            "dot" => Part::Dot,
            "finiteintrange" => {
                let (start, end) = range(&tag)?.map_err(fail)?;
                Part::Range(start, end)
            }
            other => return Err(fail(ColourProblem::UnknownElement(other.to_owned()))),
        });
        xml.skip()?;
    }
}

fn partition<R: BufRead>(
    xml: &mut XmlReader<R>,
    id: &str,
    at: Position,
) -> Result<Declared, InputError> {
    let (mut of, mut elements) = (None, Vec::new());
    let file: Box<str> = xml.file().into();
    let fail = |problem: ColourProblem| InputError::Colours {
        at: at.of(&file),
        owner: format!("partition `{id}`"),
        problem: Box::new(problem),
    };
    loop {
        match xml.next()? {
            Item::Open(tag) => match tag.name() {
                "usersort" => {
                    let [declaration] = tag.attributes(["declaration"])?;
                    of = Some(tag.required(declaration, "usersort", "declaration")?);
                    xml.skip()?;
                }
                "partitionelement" => {
                    let (id, name) = named(&tag, "partitionelement")?;
                    elements.push((Constant { id, name }, members(xml, &fail)?));
                }
                _ => xml.skip()?,
            },
            Item::Close | Item::End => break,
            Item::Text(_) | Item::Nothing => {}
        }
    }
    match of {
        Some(of) => Ok(Declared::Partition { of: of.into(), elements }),
        None => Err(fail(ColourProblem::Operands {
            element: "partition".into(),
            found: 0,
            expected: "the sort that it cuts",
        })),
    }
}

/// The colours in an element of a partition, which was opened last.
fn members<R: BufRead>(
    xml: &mut XmlReader<R>,
    fail: &impl Fn(ColourProblem) -> InputError,
) -> Result<Vec<Member>, InputError> {
    let mut members = Vec::new();
    loop {
        match xml.next()? {
            Item::Open(tag) => {
                match tag.name() {
                    "useroperator" => {
                        let [declaration] = tag.attributes(["declaration"])?;
                        let id = tag.required(declaration, "useroperator", "declaration")?;
                        members.push(Member::Constant(id.into()));
                    }
                    "finiteintrangeconstant" => {
                        let [value] = tag.attributes(["value"])?;
                        let value = tag.required(value, "finiteintrangeconstant", "value")?;
                        let bad = |_| fail(ColourProblem::BadNumber(value.to_string()));
                        members.push(Member::Number(value.trim().parse().map_err(bad)?));
                    }
                    other => return Err(fail(ColourProblem::UnknownElement(other.to_owned()))),
                }
                xml.skip()?;
            }
            Item::Close | Item::End => return Ok(members),
            Item::Text(_) | Item::Nothing => {}
        }
    }
}
