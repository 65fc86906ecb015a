//! Formulas as people type them: the language of `parikh check --formula`, and LoLA's.
//!
//! ```text
//! mutex: AG !(critical_1 >= 1 && critical_2 >= 1)
//! G (fires(ask) -> F fires(answer))
//! most:  bound(p + q)
//! ```
//!
//! A formula is turned into the contest's XML and read as that. The language is described where
//! people look for it, in `parikh check --help`; how tightly operators bind stands in `grammar`. A
//! formula with an operator of time outside of every path quantifier is about all runs.
//!
//! Three things are beyond the contest's XML, and the readers beside this one take them: numbers
//! times tokens (`integer-product`), sums of several numbers (`integer-sum`), and `fires`.

mod constraints;
mod contest;
mod early;
mod grammar;
mod lola;
mod operators;
mod pieces;
mod words;

use super::super::Unreadable;
use super::{Property, number_equal_ids};
use grammar::Reading;
use parikh_net::Net;

/// The longest formula in XML, in bytes: `<->` and `xor` write both of their operands twice.
const LONGEST: usize = 1 << 26;

/// Reads the XML of one formula about the net: of all runs, or of cases only.
pub type AsXml<'a> = &'a dyn Fn(&Net, &[u8]) -> Result<Vec<Property>, Unreadable>;

/// Reads the formulas of a text, in the language that it looks like. A formula without a name has
/// an empty id.
pub fn read(net: &Net, text: &str, as_xml: AsXml<'_>) -> Vec<Property> {
    match () {
        () if contest::is(text) => read_contest(net, text, as_xml),
        () if lola::is(text) => read_lola(net, text, as_xml),
        () if early::is(text) => read_early(net, text, as_xml),
        () => read_inline(net, text, as_xml),
    }
}

/// Reads the contest's own texts, which stand beside its XML.
pub fn read_contest(net: &Net, text: &str, as_xml: AsXml<'_>) -> Vec<Property> {
    let asked = contest::properties(text).into_iter();
    let property = |it: pieces::Translated| {
        let tokens =
            it.tokens.map(|tokens| Reading::new(net, tokens).with_ids_only().with_loosest_until());
        property(it.name, it.line, tokens, as_xml)
    };
    asked.map(property).collect()
}

/// Reads formulas in the contest's grammar of 2011.
pub fn read_early(net: &Net, text: &str, as_xml: AsXml<'_>) -> Vec<Property> {
    let asked = early::definitions(text, net).into_iter();
    let property = |it: pieces::Translated| {
        let tokens = it.tokens.map(|tokens| Reading::new(net, tokens).with_ids_only());
        property(it.name, it.line, tokens, as_xml)
    };
    asked.map(property).collect()
}

/// Reads formulas as people type them: one a line, and an indented line continues the one before.
pub fn read_inline(net: &Net, text: &str, as_xml: AsXml<'_>) -> Vec<Property> {
    let entries = entries(text).into_iter();
    entries.map(|(line, text)| entry(net, line, &text, as_xml)).collect()
}

/// Reads LoLA's formulas.
pub fn read_lola(net: &Net, text: &str, as_xml: AsXml<'_>) -> Vec<Property> {
    let formulas = lola::formulas(text).into_iter();
    let property = |(line, tokens): (u64, Result<_, String>)| {
        let reading = tokens.map(|tokens| Reading::of_words(net, tokens));
        property(String::new(), line, reading, as_xml)
    };
    formulas.map(property).collect()
}

/// Reads one formula, perhaps with its name before it. It may be of several lines.
pub fn read_one(net: &Net, text: &str, as_xml: AsXml<'_>) -> Property {
    entry(net, 1, text, as_xml)
}

/// Calls each formula without a name `formula-N` after its place among all, or after the next
/// number that no other one has. Names that are there already get numbers from the second on.
pub fn name_the_others(properties: &mut [Property]) {
    let mut taken: std::collections::HashSet<String> =
        properties.iter().map(|it| it.id.clone()).collect();
    for (at, property) in properties.iter_mut().enumerate().filter(|(_, it)| it.id.is_empty()) {
        let mut names = (at + 1..).map(|number| format!("formula-{number}"));
        property.id = names.find(|name| !taken.contains(name)).unwrap_or_default();
        taken.insert(property.id.clone());
    }
    number_equal_ids(properties);
}

/// The entries of a file, each with its first line: one begins where a line has neither a blank nor
/// a closing bracket in front.
fn entries(text: &str) -> Vec<(u64, String)> {
    let mut entries: Vec<(u64, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let content = line.trim();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        match entries.last_mut() {
            Some((_, entry)) if line.starts_with([' ', '\t', ')', ']']) => {
                entry.push('\n');
                entry.push_str(line);
            }
            _ => entries.push((number, line.to_owned())),
        }
    }
    entries
}

fn entry(net: &Net, line: u64, text: &str, as_xml: AsXml<'_>) -> Property {
    let (id, formula) = label(text).unwrap_or(("", text));
    let reading = words::tokens(formula).map(|tokens| Reading::new(net, tokens));
    property(id.to_owned(), line, reading, as_xml)
}

/// The name before the colon, and what stands behind it.
fn label(text: &str) -> Option<(&str, &str)> {
    let (name, formula) = text.split_once(':')?;
    let name = name.trim();
    let inside = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (!name.is_empty() && name.chars().all(inside)).then_some((name, formula))
}

fn property(
    id: String,
    line: u64,
    reading: Result<Reading<'_>, String>,
    as_xml: AsXml<'_>,
) -> Property {
    let question = (|| {
        let reading = reading?;
        let net = reading.net();
        let formula = reading.whole()?;
        let xml = format!(
            "<property-set><property><id>{}</id><formula>{formula}</formula></property></property-set>",
            words::escaped(if id.is_empty() { "formula" } else { &id }),
        );
        let read = as_xml(net, xml.as_bytes()).map_err(|error| error.what)?;
        let first = read.into_iter().next().ok_or("there is no formula")?;
        first.question.map_err(|error| error.what)
    })();
    Property { id, question: question.map_err(|what: String| Unreadable { line, what }) }
}
