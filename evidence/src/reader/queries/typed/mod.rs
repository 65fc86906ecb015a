//! Reads textual formulas in the language of `parikh check --formula`, in LoLA's, and in those of
//! the contest.
//!
//! ```text
//! mutex: AG !(critical_1 >= 1 && critical_2 >= 1)
//! G (fires(ask) -> F fires(answer))
//! most:  bound(p + q)
//! ```
//!
//! A formula is translated to the contest's XML, and then read as XML. `parikh check --help`
//! describes the language, and `grammar` has the precedences. A formula with a temporal operator
//! outside of all path quantifiers is about all runs.
//!
//! The XML has three extensions for these languages: numbers times tokens (`integer-product`), sums
//! of several numbers (`integer-sum`), and `fires`.

mod constraints;
mod contest;
mod early;
mod grammar;
mod lexer;
mod lola;
mod operators;
mod pieces;

use super::super::Unreadable;
use super::{AuditedProperty, number_equal_ids};
use grammar::FormulaParser;
pub(in crate::reader) use lexer::parse_quoted;
use parikh_net::Net;

/// The maximum length of a formula in XML, in bytes. Constraints of Declare may repeat the XML of
/// their operands.
const MAX_XML_BYTES: usize = 1 << 26;

/// A reader of a query file in XML. Its arguments are the net and the file. The properties are
/// about all runs, or about cases only, that is, firing sequences that end in a final marking.
pub type XmlQueryReader<'a> = &'a dyn Fn(&Net, &[u8]) -> Result<Vec<AuditedProperty>, Unreadable>;

/// Reads the formulas of a text in the detected language. A formula without a name has an empty id.
pub fn read(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> Vec<AuditedProperty> {
    match () {
        () if contest::is_contest_text(text) => read_contest(net, text, as_xml),
        () if lola::is_lola_text(text) => read_lola(net, text, as_xml),
        () if early::is_early_text(text) => read_early(net, text, as_xml),
        () => read_inline(net, text, as_xml),
    }
}

/// Reads the textual formulas that the contest publishes beside its XML.
pub fn read_contest(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> Vec<AuditedProperty> {
    let translated = contest::properties(text).into_iter();
    let property = |it: pieces::TranslatedProperty| {
        let tokens = it
            .tokens
            .map(|tokens| FormulaParser::new(net, tokens).with_ids_only().with_loosest_until());
        read_property(it.name, it.line, tokens, as_xml)
    };
    translated.map(property).collect()
}

/// Reads formulas in the contest's grammar of 2011.
pub fn read_early(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> Vec<AuditedProperty> {
    let translated = early::definitions(text, net).into_iter();
    let property = |it: pieces::TranslatedProperty| {
        let tokens = it.tokens.map(|tokens| FormulaParser::new(net, tokens).with_ids_only());
        read_property(it.name, it.line, tokens, as_xml)
    };
    translated.map(property).collect()
}

/// Reads formulas in the `--formula` language, one per line. A line that starts with a blank or a
/// closing bracket continues the line before it. Empty lines and lines that begin with `#` are left
/// out.
pub fn read_inline(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> Vec<AuditedProperty> {
    let entries = split_entries(text).into_iter();
    entries.map(|(line, text)| read_entry(net, line, &text, as_xml)).collect()
}

/// Reads formulas in the language of LoLA.
pub fn read_lola(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> Vec<AuditedProperty> {
    let formulas = lola::formulas(text).into_iter();
    let property = |(line, tokens): (u64, Result<_, String>)| {
        let parser = tokens.map(|tokens| FormulaParser::of_words(net, tokens));
        read_property(String::new(), line, parser, as_xml)
    };
    formulas.map(property).collect()
}

/// Reads one formula, perhaps with its name before it. The formula may have several lines.
pub fn read_one(net: &Net, text: &str, as_xml: XmlQueryReader<'_>) -> AuditedProperty {
    read_entry(net, 1, text, as_xml)
}

/// Names each formula without a name `formula-N`, where N is its position among all formulas, or
/// the next number that is free. Repeated names get numbers from the second on.
pub fn name_unnamed(properties: &mut [AuditedProperty]) {
    let mut used_ids: std::collections::HashSet<String> =
        properties.iter().map(|it| it.id.clone()).collect();
    for (index, property) in properties.iter_mut().enumerate().filter(|(_, it)| it.id.is_empty()) {
        let mut names = (index + 1..).map(|number| format!("formula-{number}"));
        property.id = names.find(|name| !used_ids.contains(name)).unwrap_or_default();
        used_ids.insert(property.id.clone());
    }
    number_equal_ids(properties);
}

/// Returns the entries of a file, each with its first line. An entry begins with a line that does
/// not start with a blank or a closing bracket. Empty lines and lines that begin with `#` are left
/// out.
fn split_entries(text: &str) -> Vec<(u64, String)> {
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

/// Reads one formula, which begins in `line`, perhaps with its name and a colon before it.
fn read_entry(net: &Net, line: u64, text: &str, as_xml: XmlQueryReader<'_>) -> AuditedProperty {
    let (id, formula) = split_label(text).unwrap_or(("", text));
    let parser = lexer::split_formula(formula).map(|tokens| FormulaParser::new(net, tokens));
    read_property(id.to_owned(), line, parser, as_xml)
}

/// Returns the name before the first colon, and the text behind the colon. Returns `None` if no
/// name and colon begin the text.
fn split_label(text: &str) -> Option<(&str, &str)> {
    let (name, formula) = text.split_once(':')?;
    let name = name.trim();
    let is_name_character = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    (!name.is_empty() && name.chars().all(is_name_character)).then_some((name, formula))
}

/// Translates a formula to XML, and reads the property from the XML. Errors are in the given line.
fn read_property(
    id: String,
    line: u64,
    parser: Result<FormulaParser<'_>, String>,
    as_xml: XmlQueryReader<'_>,
) -> AuditedProperty {
    let question = (|| {
        let parser = parser?;
        let net = parser.net();
        let formula = parser.parse()?;
        let xml = format!(
            "<property-set><property><id>{}</id><formula>{formula}</formula></property></property-set>",
            lexer::escaped(if id.is_empty() { "formula" } else { &id }),
        );
        let properties = as_xml(net, xml.as_bytes()).map_err(|error| error.what)?;
        let first = properties.into_iter().next().ok_or("there is no formula")?;
        first.question.map_err(|error| error.what)
    })();
    AuditedProperty { id, question: question.map_err(|what: String| Unreadable { line, what }) }
}
