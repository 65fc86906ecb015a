//! The nodes that names in formulas and options stand for, as answers and messages repeat them.

use parikh_net::printable::Printable;
use parikh_net::{Net, NodeKind};
use std::fmt;

/// A name in a formula, and the nodes that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedNodes {
    /// The name as it stands in the formula, without quotes.
    pub text: String,
    /// The kind of nodes.
    pub kind: NodeKind,
    /// The ids of the nodes, in the order of the net.
    pub ids: Vec<String>,
}

/// The most ids that a line shows.
const SHOWN: usize = 8;

impl fmt::Display for NamedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = if self.ids.len() == 1 { "" } else { "s" };
        write!(f, "\"{}\" means {}{s} ", Printable(&self.text), self.kind.word())?;
        ids(f, &self.ids)
    }
}

impl NamedNodes {
    /// Returns true if the text is an id that is nobody else's name: nothing has to be said of it.
    pub fn is_plain(&self, net: &Net) -> bool {
        let is_other = |(id, name): (&str, &str)| name == self.text && id != self.text;
        self.ids[..] == [self.text.as_str()] && !net.named_nodes(self.kind).any(is_other)
    }
}

/// Writes the first ids, and the number of the others.
pub(super) fn ids(f: &mut impl fmt::Write, ids: &[String]) -> fmt::Result {
    for (at, id) in ids.iter().take(SHOWN).enumerate() {
        write!(f, "{}`{}`", if at > 0 { ", " } else { "" }, Printable(id))?;
    }
    match ids.len().checked_sub(SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => write!(f, " and {more} more"),
    }
}
