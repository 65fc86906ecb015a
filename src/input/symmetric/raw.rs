//! Terms as the file has them: operators after their operands, in one list. However deep a term is
//! nested (contest models add up hundreds of tokens pair by pair), reading it and going through it
//! take no stack.

use super::super::error::InputError;
use super::super::source::Position;
use super::super::xml::{Item, XmlReader};
use std::io::BufRead;

/// One operator of a term, with how many of the values before it are its operands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) element: Box<str>,
    /// The attribute that matters: what is referred to, or the value; empty when there is none.
    pub(super) attribute: Box<str>,
    /// The other end of a range.
    pub(super) end: Box<str>,
    pub(super) at: Position,
    pub(super) operands: u32,
}

/// A term in postfix order, with where it begins.
#[derive(Clone, Debug)]
pub(super) struct RawTerm {
    pub(super) nodes: Vec<Node>,
    pub(super) at: Position,
}

/// Deeper terms are refused: each level costs some hundred bytes while it is open.
const DEEPEST: usize = 50_000;

impl<R: BufRead> XmlReader<R> {
    /// Reads the content of the element opened last, to its end. `<subterm>` only wraps an operand
    /// and is looked through.
    pub(super) fn term(&mut self, at: Position) -> Result<RawTerm, InputError> {
        let mut nodes = Vec::new();
        // Elements that are open, with how many operands they have so far.
        let mut open: Vec<Node> = Vec::new();
        loop {
            let file: Box<str> = self.file().into();
            match self.next()? {
                Item::Open(tag) => {
                    let at = tag.at;
                    if open.len() > DEEPEST {
                        let problem = format!("a term is nested more than {DEEPEST} deep");
                        return Err(InputError::Malformed { at: at.of(&file), problem });
                    }
                    let [variable, declaration, value, partition, start, end] =
                        tag.attributes([
                            "refvariable",
                            "declaration",
                            "value",
                            "refpartition",
                            "start",
                            "end",
                        ])?;
                    let attribute = variable.or(declaration).or(value).or(partition).or(start);
                    open.push(Node {
                        element: tag.name().into(),
                        attribute: attribute.unwrap_or_default().trim().into(),
                        end: end.unwrap_or_default().trim().into(),
                        at,
                        operands: 0,
                    });
                }
                Item::Close => {
                    let Some(node) = open.pop() else {
                        return Ok(RawTerm { nodes, at });
                    };
                    let added = match &*node.element {
                        "subterm" => node.operands,
                        _ => {
                            nodes.push(node);
                            1
                        }
                    };
                    if let Some(parent) = open.last_mut() {
                        parent.operands += added;
                    }
                }
                Item::End => return Ok(RawTerm { nodes, at }),
                Item::Text(_) | Item::Nothing => {}
            }
        }
    }

    /// Reads a label of a coloured node or arc: the term in its `<structure>`, if there is one, and
    /// whether there is a text.
    pub(super) fn coloured_label(&mut self) -> Result<(Option<RawTerm>, bool), InputError> {
        let mut term = None;
        let mut text = String::new();
        let mut has_text = false;
        loop {
            match self.next()? {
                Item::Open(tag) => {
                    let at = tag.at;
                    match tag.name() {
                        "structure" => term = Some(self.term(at)?),
                        "text" => {
                            self.text(&mut text)?;
                            has_text |= !text.trim().is_empty();
                        }
                        _ => self.skip()?,
                    }
                }
                Item::Close | Item::End => return Ok((term, has_text)),
                Item::Text(_) | Item::Nothing => {}
            }
        }
    }
}
