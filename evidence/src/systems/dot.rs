//! Reads the `.dot` files of the RERS challenge for the auditor.
//!
//! A component begins with `subgraph` and ends with its closing brace. Inside, `a -> b [… label="x"
//! …]` is an edge. An edge with the empty label leads from a root, which is not a state, to an
//! initial state. Unknown content is rejected.

use super::{System, SystemComponent};
use crate::reader::Unreadable;
use std::collections::{BTreeMap, BTreeSet};

/// Reads a system.
///
/// # Errors
/// A syntax error or an invalid component, with its line. Also bytes that are not UTF-8.
pub fn read(bytes: &[u8]) -> Result<System, Unreadable> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Unreadable { line: 1, what: "expected text in UTF-8".to_owned() })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut cursor = DotCursor { rest: text, line: 1 };
    cursor.skip_blanks()?;
    cursor.expect("digraph")?;
    cursor.skip_blanks()?;
    if !cursor.rest.starts_with('{') {
        cursor.take_name()?;
    }
    cursor.expect("{")?;
    let mut components = Vec::new();
    let mut state_names = BTreeSet::new();
    loop {
        cursor.skip_blanks()?;
        if cursor.rest.starts_with('}') {
            break;
        }
        if cursor.rest.starts_with(';') {
            cursor.expect(";")?;
            continue;
        }
        let word = cursor.take_name()?;
        cursor.skip_blanks()?;
        match word.as_str() {
            "subgraph" => components.push(component(&mut cursor, &mut state_names)?),
            "graph" | "node" | "edge" => drop(cursor.take_attributes()?),
            _ if cursor.rest.starts_with('=') => {
                cursor.expect("=")?;
                cursor.take_name()?;
            }
            _ => return Err(cursor.error("expected `subgraph`")),
        }
    }
    cursor.expect("}")?;
    cursor.skip_blanks()?;
    if !cursor.rest.is_empty() {
        return Err(cursor.error("expected the end of the file"));
    }
    System::new(components).map_err(|what| cursor.error(&what))
}

/// Reads a component, beginning at its name. `state_names` has the names of the states of earlier
/// components. Adds the names of this component, and returns an error if one occurs twice.
fn component(
    cursor: &mut DotCursor<'_>,
    state_names: &mut BTreeSet<String>,
) -> Result<SystemComponent, Unreadable> {
    if !cursor.rest.starts_with('{') {
        cursor.take_name()?;
        cursor.skip_blanks()?;
    }
    cursor.expect("{")?;
    let mut names: Vec<String> = Vec::new();
    let mut edges: Vec<(String, String, String)> = Vec::new();
    loop {
        cursor.skip_blanks()?;
        if cursor.rest.starts_with('}') {
            cursor.expect("}")?;
            break;
        }
        if cursor.rest.starts_with(';') {
            cursor.expect(";")?;
            continue;
        }
        let from = cursor.take_name()?;
        cursor.skip_blanks()?;
        if cursor.rest.starts_with("->") {
            cursor.expect("->")?;
            cursor.skip_blanks()?;
            let to = cursor.take_name()?;
            let attributes = cursor.take_attributes()?;
            let label = attributes.get("label").cloned();
            let label = label.ok_or_else(|| cursor.error("expected an edge with a label"))?;
            names.extend([from.clone(), to.clone()]);
            edges.push((from, label, to));
        } else if cursor.rest.starts_with('=') {
            cursor.expect("=")?;
            cursor.skip_blanks()?;
            cursor.take_name()?;
        } else {
            cursor.take_attributes()?;
            if !matches!(from.as_str(), "graph" | "node" | "edge") {
                names.push(from);
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    if let Some(twice) = names.iter().find(|name| state_names.contains(*name)) {
        return Err(cursor.error(&format!("`{twice}` is a state of another component, too")));
    }
    state_names.extend(names.iter().cloned());
    without_root(names, &edges).map_err(|what| cursor.error(&what))
}

/// Builds the component of the states and edges, without its root, that is, the source of the edges
/// with an empty label. An edge has its source, its label and its target. Without a root, the only
/// state without incoming edges is initial.
fn without_root(
    mut names: Vec<String>,
    edges: &[(String, String, String)],
) -> Result<SystemComponent, String> {
    let roots: BTreeSet<&String> =
        edges.iter().filter(|edge| edge.1.is_empty()).map(|edge| &edge.0).collect();
    if roots.len() > 1 {
        return Err("empty labels lead from several states".to_owned());
    }
    let mut starts: Vec<&String> =
        edges.iter().filter(|edge| edge.1.is_empty()).map(|edge| &edge.2).collect();
    let not_entered: Vec<String>;
    match roots.first() {
        Some(&root) => {
            let touches = |edge: &(String, String, String)| {
                edge.2 == *root || (edge.0 == *root && !edge.1.is_empty())
            };
            if edges.iter().any(touches) {
                return Err("an edge with a label leads from or to the root".to_owned());
            }
            names.retain(|name| name != root);
        }
        None => {
            let entered: BTreeSet<&String> = edges.iter().map(|edge| &edge.2).collect();
            not_entered = names.iter().filter(|name| !entered.contains(name)).cloned().collect();
            if not_entered.len() != 1 {
                return Err("expected an edge with an empty label or exactly one state without \
                            incoming edges"
                    .into());
            }
            starts.extend(&not_entered);
        }
    }
    let numbers: BTreeMap<&String, usize> = names.iter().zip(0..).collect();
    Ok(SystemComponent {
        states: names.len(),
        starts: starts.into_iter().map(|name| numbers[name]).collect(),
        edges: edges
            .iter()
            .filter(|edge| !edge.1.is_empty())
            .map(|(from, label, to)| (numbers[from], label.clone(), numbers[to]))
            .collect(),
    })
}

/// Reads the text in quotes at the beginning of `text`. Returns its content, and its length in
/// bytes with the quotes. Only quotes and backslashes can be escaped. Returns `None` if the closing
/// quote is missing.
pub(super) fn quoted(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut letters = text.char_indices().skip(1);
    loop {
        match letters.next()? {
            (at, '"') => return Some((name, at + 1)),
            (_, '\\') => match letters.next()? {
                (_, escaped @ ('"' | '\\')) => name.push(escaped),
                (_, other) => name.extend(['\\', other]),
            },
            (_, letter) => name.push(letter),
        }
    }
}

/// The text that is not read yet.
struct DotCursor<'t> {
    rest: &'t str,
    /// The number of the current line.
    line: u64,
}

impl DotCursor<'_> {
    /// Returns an error in the current line.
    fn error(&self, what: &str) -> Unreadable {
        Unreadable { line: self.line, what: what.to_owned() }
    }

    /// Skips this number of bytes, and counts the line ends in them.
    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count() as u64;
        self.rest = &self.rest[bytes..];
    }

    /// Skips blanks and comments, including lines that begin with `#`.
    fn skip_blanks(&mut self) -> Result<(), Unreadable> {
        let mut begins_line = self.line == 1;
        loop {
            let blank = self.rest.len() - self.rest.trim_start().len();
            begins_line |= self.rest[..blank].contains('\n');
            self.skip(blank);
            let length = match () {
                () if self.rest.starts_with("/*") => {
                    let end = self.rest[2..].find("*/");
                    end.ok_or_else(|| self.error("expected the end of a comment"))? + 4
                }
                () if self.rest.starts_with("//")
                    || (begins_line && self.rest.starts_with('#')) =>
                {
                    self.rest.find('\n').unwrap_or(self.rest.len())
                }
                () => return Ok(()),
            };
            self.skip(length);
        }
    }

    /// Skips blanks and then the given word or sign, or returns an error if it does not follow.
    fn expect(&mut self, word: &str) -> Result<(), Unreadable> {
        self.skip_blanks()?;
        if !self.rest.starts_with(word) {
            return Err(self.error(&format!("expected `{word}`")));
        }
        self.skip(word.len());
        Ok(())
    }

    /// Reads a name, a number or a quoted text.
    fn take_name(&mut self) -> Result<String, Unreadable> {
        self.skip_blanks()?;
        if self.rest.starts_with('"') {
            let quoted = quoted(self.rest);
            let (name, length) =
                quoted.ok_or_else(|| self.error("expected the end of a text in quotes"))?;
            self.skip(length);
            return Ok(name);
        }
        let sign = usize::from(self.rest.starts_with('-'));
        let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = self.rest[sign..].find(|c| !inside(c)).unwrap_or(self.rest.len() - sign);
        if length == 0 {
            return Err(self.error("expected a name"));
        }
        let name = self.rest[..sign + length].to_owned();
        self.skip(sign + length);
        Ok(name)
    }

    /// Reads the attributes in brackets. There may be no brackets, or several.
    fn take_attributes(&mut self) -> Result<BTreeMap<String, String>, Unreadable> {
        let mut all = BTreeMap::new();
        loop {
            self.skip_blanks()?;
            if !self.rest.starts_with('[') {
                return Ok(all);
            }
            self.expect("[")?;
            loop {
                self.skip_blanks()?;
                if self.rest.starts_with(']') {
                    self.expect("]")?;
                    break;
                }
                let key = self.take_name()?;
                self.expect("=")?;
                let value = self.take_name()?;
                all.insert(key, value);
                self.skip_blanks()?;
                if self.rest.starts_with([',', ';']) {
                    self.skip(1);
                }
            }
        }
    }
}
