//! Terms as the file has them: operators after their operands, in one list. However deep a term is
//! nested (contest models add up hundreds of tokens pair by pair), reading it and going through it
//! take no stack.

use super::super::colour_problem::ColourProblem;
use super::super::error::InputError;
use super::super::source::Position;
use super::super::xml::{Item, Tag, XmlReader, trimmed};
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

/// What is wrong with a term, and where.
pub(super) type Failed = (Position, ColourProblem);

/// Sorts and terms nested deeper, wrappers counted, are refused: each level costs some hundred
/// bytes while it is open.
const DEEPEST: usize = 50_000;

impl RawTerm {
    /// How many terms there are side by side.
    pub(super) fn count(&self) -> usize {
        let inside: usize = self.nodes.iter().map(|node| node.operands as usize).sum();
        self.nodes.len() - inside
    }

    /// The ids of the sorts that it names.
    pub(super) fn sorts(&self) -> impl Iterator<Item = &str> {
        let named = self.nodes.iter().filter(|node| &*node.element == "usersort");
        named.map(|node| &*node.attribute)
    }
}

impl Node {
    /// The element that was opened last; it has no operands yet.
    pub(super) fn new(tag: &Tag<'_>) -> Result<Node, InputError> {
        tag.check_attributes()?;
        // Of these an element knows one, but for the ends of a range.
        let [variable, declaration, value, partition, start, end] = tag.attributes([
            "refvariable",
            "declaration",
            "value",
            "refpartition",
            "start",
            "end",
        ])?;
        let attribute = variable.or(declaration).or(value).or(partition).or(start);
        Ok(Node {
            element: tag.name().into(),
            attribute: attribute.unwrap_or_default().into(),
            end: end.unwrap_or_default().into(),
            at: tag.at,
            operands: 0,
        })
    }

    /// The ends of a range, both included.
    pub(super) fn ends(&self) -> Result<(i64, i64), ColourProblem> {
        Ok((integer(&self.attribute)?, integer(&self.end)?))
    }

    /// Whether it is there for its content only: `<subterm>` around an operand, and `<structure>`.
    /// Some writers have several of them, one in the other.
    fn only_wraps(&self) -> bool {
        matches!(&*self.element, "subterm" | "structure")
    }
}

/// A whole number.
pub(super) fn integer(text: &str) -> Result<i64, ColourProblem> {
    trimmed(text).parse().map_err(|_| ColourProblem::BadNumber(text.to_owned()))
}

/// Whether an element is decoration, wherever it stands.
pub(super) fn is_decoration(element: &str) -> bool {
    matches!(element, "graphics" | "toolspecific")
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the content of the element opened last, to its end: any number of terms.
    pub(super) fn term(&mut self, at: Position) -> Result<RawTerm, InputError> {
        self.terms(at, Vec::new())
    }

    /// Reads the term whose outermost operator was opened last.
    pub(super) fn term_of(&mut self, operator: Node) -> Result<RawTerm, InputError> {
        self.terms(operator.at, vec![operator])
    }

    /// Reads on until the last of the elements that are `open` ends; when there are none, until the
    /// element around ends.
    fn terms(&mut self, at: Position, mut open: Vec<Node>) -> Result<RawTerm, InputError> {
        let mut nodes = Vec::new();
        let is_one = !open.is_empty();
        loop {
            let file: Box<str> = self.file().into();
            match self.markup()? {
                Item::Open(tag) if is_decoration(tag.name()) => self.skip()?,
                Item::Open(tag) => {
                    if open.len() > DEEPEST {
                        let at = tag.at.of(&file);
                        let problem = format!("a term is nested more than {DEEPEST} deep");
                        return Err(InputError::Malformed { at, problem });
                    }
                    // How many operands it has is counted as they end.
                    open.push(Node::new(&tag)?);
                }
                Item::Close => {
                    let Some(node) = open.pop() else {
                        return Ok(RawTerm { nodes, at });
                    };
                    let added = match node.only_wraps() {
                        true => node.operands,
                        false => {
                            nodes.push(node);
                            1
                        }
                    };
                    match open.last_mut() {
                        Some(parent) => parent.operands += added,
                        None if is_one => return Ok(RawTerm { nodes, at }),
                        None => {}
                    }
                }
                Item::End => return Ok(RawTerm { nodes, at }),
                Item::Text(_) | Item::Nothing => {}
            }
        }
    }

    /// Reads the terms in the element opened last and in the `<structure>`s there, to its end, and
    /// whether there is a text. Without any term, none.
    pub(super) fn coloured_label(&mut self) -> Result<(Option<RawTerm>, bool), InputError> {
        let mut term: Option<RawTerm> = None;
        let mut text = String::new();
        let mut has_text = false;
        loop {
            match self.markup()? {
                Item::Open(tag) => match tag.name() {
                    "text" => {
                        self.text(&mut text)?;
                        has_text |= !trimmed(&text).is_empty();
                    }
                    "name" => self.skip()?,
                    other if is_decoration(other) => self.skip()?,
                    other => {
                        let (at, is_structure) = (tag.at, other == "structure");
                        let operator = Node::new(&tag)?;
                        let more = match is_structure {
                            true => self.term(at)?,
                            false => self.term_of(operator)?,
                        };
                        // That there is one and no more is for whoever resolves it.
                        match &mut term {
                            Some(term) => term.nodes.extend(more.nodes),
                            None => term = Some(more),
                        }
                    }
                },
                Item::Close | Item::End => return Ok((term, has_text)),
                Item::Text(_) | Item::Nothing => {}
            }
        }
    }
}
