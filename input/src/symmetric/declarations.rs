//! Declarations in the order of the file: sorts, partitions and variables. A sort is a term like
//! those of arcs ([`RawTerm`]): a name or an inline definition.

use super::super::colour_problem::ColourProblem;
use super::super::error::InputError;
use super::super::source::TextPosition;
use super::super::xml::{XmlItem, XmlReader, XmlTag, trimmed};
use super::raw::{RawTerm, TermNode, is_decoration};
use std::io::BufRead;

/// A colour of an enumeration or an element of a partition, as declared.
#[derive(Debug)]
pub(super) struct DeclaredConstant {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
}

/// The declared content of a sort.
#[derive(Debug)]
pub(super) enum SortDefinition {
    Enumeration {
        constants: Vec<DeclaredConstant>,
        cyclic: bool,
    },
    /// Another name of a sort, or a name for an inline definition.
    Sort(RawTerm),
    /// A partition of the sort `of`. Each element has a term with the element's colours.
    Partition {
        of: RawTerm,
        elements: Vec<(DeclaredConstant, RawTerm)>,
    },
}

#[derive(Debug)]
pub(super) struct SortDeclaration {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    pub(super) position: TextPosition,
    pub(super) kind: SortDefinition,
}

#[derive(Debug)]
pub(super) struct VariableDeclaration {
    pub(super) id: Box<str>,
    pub(super) name: Box<str>,
    pub(super) position: TextPosition,
    pub(super) sort: RawTerm,
}

/// The declarations read so far.
#[derive(Debug, Default)]
pub(super) struct Declarations {
    pub(super) sorts: Vec<SortDeclaration>,
    pub(super) variables: Vec<VariableDeclaration>,
}

impl SortDeclaration {
    /// Returns the ids of the sorts that the definition refers to.
    pub(super) fn referenced_sorts(&self) -> impl Iterator<Item = &str> {
        let (term, elements): (Option<&RawTerm>, &[(DeclaredConstant, RawTerm)]) = match &self.kind
        {
            SortDefinition::Enumeration { .. } => (None, &[]),
            SortDefinition::Sort(term) => (Some(term), &[]),
            SortDefinition::Partition { of, elements } => (Some(of), elements),
        };
        term.into_iter().chain(elements.iter().map(|(_, members)| members)).flat_map(RawTerm::sorts)
    }
}

impl Declarations {
    /// Reads the element `<declaration>` that was opened last, to its end.
    pub(super) fn read<R: BufRead>(&mut self, xml: &mut XmlReader<R>) -> Result<(), InputError> {
        let mut open_elements = 1;
        while open_elements > 0 {
            let file: Box<str> = xml.file().into();
            let tag = match xml.markup()? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close => {
                    open_elements -= 1;
                    continue;
                }
                XmlItem::Text(_) | XmlItem::Nothing | XmlItem::EndOfFile => continue,
            };
            let at = tag.position;
            let error = |owner: String, problem: ColourProblem| InputError::Colours {
                at: at.of(&file),
                owner,
                problem: problem.into(),
            };
            match tag.name() {
                "structure" | "declarations" => {
                    tag.check_attributes()?;
                    open_elements += 1;
                }
                "namedsort" => {
                    let (id, name) = id_and_name(&tag, "namedsort")?;
                    let Some(kind) = sort_kind(xml, &id)? else {
                        return Err(error(format!("sort `{id}`"), no_sort("namedsort", 0)));
                    };
                    self.sorts.push(SortDeclaration { id, name, position: at, kind });
                }
                "partition" => {
                    let (id, name) = id_and_name(&tag, "partition")?;
                    let Some(kind) = partition(xml)? else {
                        return Err(error(format!("partition `{id}`"), ColourProblem::NotOneSort));
                    };
                    self.sorts.push(SortDeclaration { id, name, position: at, kind });
                }
                "variabledecl" => {
                    let (id, name) = id_and_name(&tag, "variabledecl")?;
                    let sort = xml.term(at)?;
                    if sort.count() != 1 {
                        let problem = no_sort("variabledecl", sort.count());
                        return Err(error(format!("variable `{id}`"), problem));
                    }
                    self.variables.push(VariableDeclaration { id, name, position: at, sort });
                }
                "namedoperator" | "arbitrarysort" | "unparsed" => {
                    let problem = ColourProblem::Unsupported(tag.name().to_owned());
                    return Err(error("declaration".into(), problem));
                }
                _ => {
                    tag.check_passed_over(&["text"])?;
                    xml.skip()?;
                }
            }
        }
        Ok(())
    }
}

fn no_sort(element: &str, found: usize) -> ColourProblem {
    ColourProblem::Operands { element: element.to_owned(), found, expected: "one sort" }
}

fn id_and_name(
    tag: &XmlTag<'_>,
    element: &'static str,
) -> Result<(Box<str>, Box<str>), InputError> {
    tag.check_attributes()?;
    let [id, name] = tag.attributes(["id", "name"])?;
    let id = tag.required(id, element, "id")?;
    let name = name.filter(|name| !trimmed(name).is_empty()).unwrap_or_else(|| id.clone());
    Ok((id.into(), trimmed(&name).into()))
}

/// Reads the definition of a named sort, to the end of `<namedsort>`. Returns `None` if the element
/// contains no definition.
fn sort_kind<R: BufRead>(
    xml: &mut XmlReader<R>,
    id: &str,
) -> Result<Option<SortDefinition>, InputError> {
    let mut kind = None;
    loop {
        let file: Box<str> = xml.file().into();
        let tag = match xml.markup()? {
            XmlItem::Open(tag) => tag,
            XmlItem::Close | XmlItem::EndOfFile => return Ok(kind),
            XmlItem::Text(_) | XmlItem::Nothing => continue,
        };
        let at = tag.position;
        let declared = match tag.name() {
            name @ ("cyclicenumeration" | "finiteenumeration") => {
                tag.check_attributes()?;
                let cyclic = name == "cyclicenumeration";
                SortDefinition::Enumeration { constants: constants(xml)?, cyclic }
            }
            other if other == "name" || is_decoration(other) => {
                xml.skip()?;
                continue;
            }
            _ => {
                let operator = TermNode::new(&tag)?;
                SortDefinition::Sort(xml.term_of(operator)?)
            }
        };
        if kind.replace(declared).is_some() {
            return Err(InputError::Colours {
                at: at.of(&file),
                owner: format!("sort `{id}`"),
                problem: Box::new(ColourProblem::Declared(id.to_owned())),
            });
        }
    }
}

/// Reads `<feconstant>` elements to the end of the element opened last.
fn constants<R: BufRead>(xml: &mut XmlReader<R>) -> Result<Vec<DeclaredConstant>, InputError> {
    let mut constants = Vec::new();
    loop {
        match xml.markup()? {
            XmlItem::Open(tag) if tag.name() == "feconstant" => {
                let (id, name) = id_and_name(&tag, "feconstant")?;
                constants.push(DeclaredConstant { id, name });
                xml.decorations()?;
            }
            XmlItem::Open(tag) => {
                tag.check_passed_over(&[])?;
                xml.skip()?;
            }
            XmlItem::Close | XmlItem::EndOfFile => return Ok(constants),
            XmlItem::Text(_) | XmlItem::Nothing => {}
        }
    }
}

/// Reads a partition to its end. Returns `None` unless the partition names exactly one sort.
fn partition<R: BufRead>(xml: &mut XmlReader<R>) -> Result<Option<SortDefinition>, InputError> {
    let (mut partitioned_sorts, mut elements) = (Vec::new(), Vec::new());
    loop {
        let tag = match xml.markup()? {
            XmlItem::Open(tag) => tag,
            XmlItem::Close | XmlItem::EndOfFile => break,
            XmlItem::Text(_) | XmlItem::Nothing => continue,
        };
        let at = tag.position;
        match tag.name() {
            "partitionelement" => {
                let (id, name) = id_and_name(&tag, "partitionelement")?;
                elements.push((DeclaredConstant { id, name }, xml.term(at)?));
            }
            other if other == "name" || is_decoration(other) => xml.skip()?,
            _ => {
                let operator = TermNode::new(&tag)?;
                partitioned_sorts.push(xml.term_of(operator)?);
            }
        }
    }
    match <[RawTerm; 1]>::try_from(partitioned_sorts) {
        Ok([partitioned_sort]) => {
            Ok(Some(SortDefinition::Partition { of: partitioned_sort, elements }))
        }
        Err(_) => Ok(None),
    }
}
