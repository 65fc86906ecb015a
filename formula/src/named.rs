//! The nodes behind names in formulas and options, for answers and messages.

use super::FormulaProblem;
use super::error::listed;
use parikh_net::printable::Printable;
use parikh_net::{Mention, NameIndex, Net, NodeKind, PlaceId};
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
/// formulas. A text in quotes means all nodes with this name. A text in quotes after the word `id`
/// means the node with this id. These two rules do not apply if some node has the whole text,
/// quotes included, as its id. Any other text means the node with this id, or else the only node
/// with this name. If no node is found, the result has the text as an id that the net lacks.
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
            let has_quotes = true;
            return Err(FormulaProblem::AmbiguousName { name, kind, candidates, has_quotes });
        }
    };
    Ok(NamedNodes::new(&text, kind, ids, mention))
}

/// Returns the one place that a text in a marking denotes, by the same rules as in formulas.
///
/// # Errors
/// When no place or more than one place is meant.
pub fn place_of_text(net: &Net, text: &str, mention: Mention) -> Result<PlaceId, FormulaProblem> {
    let index = NameIndex::new(net, NodeKind::Place);
    let (Ok(ids) | Err(ids)) = index.find(text, mention);
    match &ids[..] {
        [_, _, ..] => Err(FormulaProblem::AmbiguousName {
            name: text.to_owned(),
            kind: NodeKind::Place,
            candidates: ids.iter().map(|&id| id.to_owned()).collect(),
            has_quotes: false,
        }),
        _ => (ids.first().and_then(|id| net.place_named(id)))
            .ok_or_else(|| FormulaProblem::unknown_place(text, net, true)),
    }
}

/// Splits a list of names at its commas, and removes blanks around names. Commas between quotes do
/// not count. A backslash between quotes escapes the next character.
pub fn split_names(text: &str) -> Vec<&str> {
    let (mut names, mut start, mut is_quoted) = (Vec::new(), 0, false);
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '\\' if is_quoted => drop(letters.next()),
            ',' if !is_quoted => {
                names.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    names.push(text[start..].trim());
    names
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

/// Returns the character that a backslash and `letter` mean in a quoted name.
pub(crate) fn unescaped(letter: char) -> char {
    match letter {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        other => other,
    }
}

impl NamedNodes {
    /// Returns the nodes with `ids`, to which `text` refers as the kind of mention allows: as an
    /// id, as a name, or as a word that is either.
    pub(crate) fn new(text: &str, kind: NodeKind, ids: Vec<String>, mention: Mention) -> Self {
        let is_id = mention == Mention::Word && ids[..] == [text];
        NamedNodes { text: text.to_owned(), kind, ids, is_id }
    }

    /// Returns true if the text is the id of the only node and not the name of another node. Then
    /// messages need not explain the text.
    pub fn is_plain(&self, net: &Net) -> bool {
        let is_other = |(id, name): (&str, &str)| name == self.text && id != self.text;
        self.ids[..] == [self.text.as_str()] && !net.named_nodes(self.kind).any(is_other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names_are_split_outside_of_quotes() {
        let split = r#"a, "b, \"c\"" ,id "d,e",f"#;
        assert_eq!(split_names(split), ["a", r#""b, \"c\"""#, r#"id "d,e""#, "f"]);
        assert_eq!(split_names("a,,"), ["a", "", ""]);
    }

    #[test]
    fn options_have_the_escapes_of_formulas() {
        let mut builder = parikh_net::NetBuilder::new("n");
        let t = builder.transition("t").unwrap();
        builder.label_transition(t, "Pay\n\"now\"");
        let net = builder.build().unwrap();
        let named = nodes_of_text(&net, NodeKind::Transition, r#""Pay\n\"now\"""#).unwrap();
        assert_eq!(named.ids, ["t"]);
    }

    #[test]
    fn a_name_in_a_marking_denotes_one_place() {
        let mut builder = parikh_net::NetBuilder::new("n");
        for (id, label) in [("start", "begin"), ("p1", "start"), ("p2", "end"), ("p3", "end")] {
            let place = builder.place(id, 0).unwrap();
            builder.label_place(place, label);
        }
        let net = builder.build().unwrap();
        let place = |text, mention| {
            place_of_text(&net, text, mention).map(|p| net.place_name(p)).map_err(|e| e.to_string())
        };
        assert_eq!(place("start", Mention::Word), Ok("start"));
        assert_eq!(place("start", Mention::Name), Ok("p1"));
        assert_eq!(place("begin", Mention::Word), Ok("start"));
        assert_eq!(place("p2", Mention::Id), Ok("p2"));
        for mention in [Mention::Word, Mention::Name] {
            let error = place("end", mention).unwrap_err();
            let expected =
                "`end` is the label of 2 places: `p2`, `p3`; write the id of one of them";
            assert_eq!(error, expected);
        }
        let error = place("begin", Mention::Id).unwrap_err();
        assert!(error.ends_with("label of `start`, and an id is expected here"), "{error}");
    }
}
