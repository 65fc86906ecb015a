//! Terms as written in the file, in postfix order: operators follow their operands in one list.
//! Contest models add up hundreds of tokens pair by pair. Reading and traversing such a deep term
//! needs no recursion.

use super::super::colour_problem::ColourProblem;
use super::super::error::InputError;
use super::super::source::TextPosition;
use super::super::xml::{XmlItem, XmlReader, XmlTag, trimmed};
use std::io::BufRead;

/// An operator in a term in postfix order. Its operands are the last `operands` complete subterms
/// before it.
#[derive(Clone, Debug)]
pub(super) struct TermNode {
    pub(super) element: Box<str>,
    /// The attribute of the operator: a referenced id or a value; empty if there is none.
    pub(super) attribute: Box<str>,
    /// The upper end of a range; empty for other operators.
    pub(super) range_end: Box<str>,
    pub(super) position: TextPosition,
    pub(super) operands: u32,
}

/// One term or a list of terms, in postfix order, with the position in the file.
#[derive(Clone, Debug)]
pub(super) struct RawTerm {
    pub(super) nodes: Vec<TermNode>,
    pub(super) position: TextPosition,
}

/// A problem with a term, with its position.
pub(super) type TermError = (TextPosition, ColourProblem);

/// The greatest nesting depth of sorts and terms, including wrappers. Each open level costs some
/// hundred bytes.
const MAX_DEPTH: usize = 50_000;

impl RawTerm {
    /// Returns the number of terms in the list that are not operands of another term.
    pub(super) fn count(&self) -> usize {
        let inside: usize = self.nodes.iter().map(|node| node.operands as usize).sum();
        self.nodes.len() - inside
    }

    /// Returns the ids of the sorts that the term names.
    pub(super) fn sorts(&self) -> impl Iterator<Item = &str> {
        let named = self.nodes.iter().filter(|node| &*node.element == "usersort");
        named.map(|node| &*node.attribute)
    }
}

impl TermNode {
    /// Returns the operator of the element opened last, without operands so far.
    pub(super) fn new(tag: &XmlTag<'_>) -> Result<TermNode, InputError> {
        tag.check_attributes()?;
        // The element has at most one of the first five attributes. Only a range has both `start`
        // and `end`.
        let [variable, declaration, value, partition, start, end] = tag.attributes([
            "refvariable",
            "declaration",
            "value",
            "refpartition",
            "start",
            "end",
        ])?;
        let attribute = variable.or(declaration).or(value).or(partition).or(start);
        Ok(TermNode {
            element: tag.name().into(),
            attribute: attribute.unwrap_or_default().into(),
            range_end: end.unwrap_or_default().into(),
            position: tag.position,
            operands: 0,
        })
    }

    /// Returns the first and the last number of a range. Fails if the text of either is no integer.
    pub(super) fn range_bounds(&self) -> Result<(i64, i64), ColourProblem> {
        Ok((integer(&self.attribute)?, integer(&self.range_end)?))
    }

    /// Returns true if the element is only a wrapper around its content: `<subterm>` or
    /// `<structure>`. Some writers nest several wrappers.
    fn is_wrapper(&self) -> bool {
        matches!(&*self.element, "subterm" | "structure")
    }
}

/// Parses a whole number.
pub(super) fn integer(text: &str) -> Result<i64, ColourProblem> {
    trimmed(text).parse().map_err(|_| ColourProblem::BadNumber(text.to_owned()))
}

/// Returns true if an element is ignored everywhere.
pub(super) fn is_decoration(element: &str) -> bool {
    matches!(element, "graphics" | "toolspecific")
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the content of the element opened last, to its end. The content may be any number of
    /// terms.
    pub(super) fn term(&mut self, at: TextPosition) -> Result<RawTerm, InputError> {
        self.terms(at, Vec::new())
    }

    /// Reads the term whose outermost operator was opened last.
    pub(super) fn term_of(&mut self, operator: TermNode) -> Result<RawTerm, InputError> {
        self.terms(operator.position, vec![operator])
    }

    /// Reads terms until the outermost element of `open` ends, that is, the first in the list. If
    /// `open` is empty, reads until the enclosing element ends.
    fn terms(&mut self, at: TextPosition, mut open: Vec<TermNode>) -> Result<RawTerm, InputError> {
        let mut nodes = Vec::new();
        let is_single_term = !open.is_empty();
        loop {
            let file: Box<str> = self.file().into();
            match self.markup()? {
                XmlItem::Open(tag) if is_decoration(tag.name()) => self.skip()?,
                XmlItem::Open(tag) => {
                    if open.len() > MAX_DEPTH {
                        let at = tag.position.of(&file);
                        let problem = format!("a term is nested more than {MAX_DEPTH} deep");
                        return Err(InputError::Malformed { at, problem });
                    }
                    // The number of operands is 0 here, and is increased when an operand ends.
                    open.push(TermNode::new(&tag)?);
                }
                XmlItem::Close => {
                    let Some(node) = open.pop() else {
                        return Ok(RawTerm { nodes, position: at });
                    };
                    let added = match node.is_wrapper() {
                        true => node.operands,
                        false => {
                            nodes.push(node);
                            1
                        }
                    };
                    match open.last_mut() {
                        Some(parent) => parent.operands += added,
                        None if is_single_term => return Ok(RawTerm { nodes, position: at }),
                        None => {}
                    }
                }
                XmlItem::EndOfFile => return Ok(RawTerm { nodes, position: at }),
                XmlItem::Text(_) | XmlItem::Nothing => {}
            }
        }
    }

    /// Reads the terms in the element opened last and in its `<structure>` elements, to its end.
    /// Returns `None` if there is neither a term nor a `<structure>`. An empty `<structure>` gives
    /// a list without terms. The boolean is true if an element `<text>` is not blank.
    pub(super) fn coloured_label(&mut self) -> Result<(Option<RawTerm>, bool), InputError> {
        let mut term: Option<RawTerm> = None;
        let mut text = String::new();
        let mut has_text = false;
        loop {
            match self.markup()? {
                XmlItem::Open(tag) => match tag.name() {
                    "text" => {
                        self.text(&mut text)?;
                        has_text |= !trimmed(&text).is_empty();
                    }
                    "name" => self.skip()?,
                    other if is_decoration(other) => self.skip()?,
                    other => {
                        let (at, is_structure) = (tag.position, other == "structure");
                        let operator = TermNode::new(&tag)?;
                        let next_terms = match is_structure {
                            true => self.term(at)?,
                            false => self.term_of(operator)?,
                        };
                        // The resolver reports several terms as an error.
                        match &mut term {
                            Some(term) => term.nodes.extend(next_terms.nodes),
                            None => term = Some(next_terms),
                        }
                    }
                },
                XmlItem::Close | XmlItem::EndOfFile => return Ok((term, has_text)),
                XmlItem::Text(_) | XmlItem::Nothing => {}
            }
        }
    }
}
