//! The nodes behind names in formulas and options, for answers and messages.

use super::FormulaProblem;
use super::error::listed;
use super::text::lexer::unescaped;
use parikh_net::printable::Printable;
use parikh_net::{Mention, NameIndex, Net, NodeKind};
use std::borrow::Cow;
use std::fmt;

/// A name in a formula, with the nodes that it refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNodes {
    /// The name in the formula, without quotes.
    pub text: String,
    /// The kind of nodes.
    pub kind: NodeKind,
    /// The ids of the nodes, in the order of the net.
    pub ids: Vec<String>,
    /// True if the text is a word that was read as an id, false if it was read as a name.
    pub is_id: bool,
}

impl fmt::Display for NamedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.ids.len() == 1 { "" } else { "s" };
        let quote = if self.is_id { "" } else { "\"" };
        let (text, kind) = (Printable(&self.text), self.kind.word());
        write!(f, "{quote}{text}{quote} means {kind}{s} {}", listed(&self.ids))
    }
}

/// Returns the nodes of one kind that a text in an option refers to, by the same rules as in
/// formulas. A text in quotes means all nodes with this name, and with `id` before the quotes, the
/// node with this id. Both do not apply if a node has the whole text as its id. Any other text means
/// the node with this id, or else the only node with this name. The ids returned may not exist in
/// the net.
///
/// # Errors
/// When the text is not in quotes, no node has it as its id, and several nodes have it as their
/// name.
pub fn nodes_of_text(net: &Net, kind: NodeKind, text: &str) -> Result<NamedNodes, FormulaProblem> {
    let index = NameIndex::new(net, kind);
    let after_keyword = text.strip_prefix("id").map(str::trim_start);
    if let Some(id) = after_keyword.and_then(in_quotes).filter(|_| !index.has_id(text)) {
        let (ids, text) = (vec![id.clone().into_owned()], id.into_owned());
        return Ok(NamedNodes { ids, text, kind, is_id: true });
    }
    let (text, mention) = match in_quotes(text).filter(|_| !index.has_id(text)) {
        Some(inside) => (inside, Mention::Name),
        None => (Cow::Borrowed(text), Mention::Word),
    };
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    let ids = match index.find(&text, mention) {
        Ok(ids) => owned(ids),
        Err(none) if none.is_empty() => vec![text.clone().into_owned()],
        Err(several) => {
            let (name, candidates) = (text.into_owned(), owned(several));
            return Err(FormulaProblem::AmbiguousName { name, kind, candidates });
        }
    };
    Ok(NamedNodes::new(&text, kind, ids, mention))
}

/// Returns the text between two quotes, with its escapes resolved as in formulas. Returns `None` if
/// the text is not in quotes, if a quote inside is not escaped, or if the closing quote is escaped.
fn in_quotes(text: &str) -> Option<Cow<'_, str>> {
    let quoted = text.strip_prefix('"')?.strip_suffix('"')?;
    if !quoted.contains(['"', '\\']) {
        return Some(quoted.into());
    }
    let (mut name, mut letters) = (String::new(), quoted.chars());
    while let Some(c) = letters.next() {
        match c {
            '"' => return None,
            '\\' => name.push(unescaped(letters.next()?)),
            other => name.push(other),
        }
    }
    Some(name.into())
}

impl NamedNodes {
    /// Returns the nodes with `ids`, which `text` denotes in this way.
    pub(crate) fn new(text: &str, kind: NodeKind, ids: Vec<String>, mention: Mention) -> Self {
        let is_id = mention == Mention::Word && ids[..] == [text];
        NamedNodes { text: text.to_owned(), kind, ids, is_id }
    }

    /// Returns true if the text is an id and not the name of another node, so that it needs no
    /// explanation.
    pub fn is_plain(&self, net: &Net) -> bool {
        let is_other = |(id, name): (&str, &str)| name == self.text && id != self.text;
        self.ids[..] == [self.text.as_str()] && !net.named_nodes(self.kind).any(is_other)
    }
}
