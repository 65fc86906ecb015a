//! The auditor's readers of models and questions, independent of the prover's readers.
//!
//! A proof is about a net and a formula, and both come from files. If the prover's reader reversed
//! an arc, all its evidence would be correct, but about another net. So these readers are a second
//! implementation that shares nothing with the first. They use another XML library (a tree instead
//! of a stream), another treatment of negation, and no common code. `parikh-bench readers` compares
//! the two on a directory of models.
//!
//! The readers *refuse what they do not know, and skip nothing*. An element that may change the
//! meaning of a net (a capacity, an inhibitor arc, a colour) is an error if it is not supported.
//!
//! | file | content |
//! |---|---|
//! | [`pnml`] | place/transition nets: ISO/IEC 15909-2 |
//! | `units` | nested units (NUPN), a part of these files |
//! | `prologue` | XML declarations and document types |
//! | `allowed_attributes` | known attributes and texts without meaning |
//! | `pipe` | PIPE's additions to PNML |
//! | `finals` | final markings, as tools for process mining write them |
//! | [`fair`] | fairness assumptions from the command line |
//! | [`marking`] | markings from the command line |
//! | `lola`, `tina`, `mist` | nets in the languages of these tools, with the help of `tool_words` |
//! | [`lts`] | labelled transition systems (`.aut`, `.fsm`), as nets and as components |
//! | `plain` | nets as text, one line per node |
//! | [`queries`] | the query files of the Model Checking Contest, and textual formulas, down to predicates |

pub(crate) mod allowed_attributes;
pub mod fair;
mod finals;
mod lola;
pub mod lts;
pub mod marking;
mod mist;
pub(crate) mod names;
pub(crate) mod pipe;
mod plain;
pub mod pnml;
mod prologue;
pub mod queries;
pub(crate) mod references;
pub mod timing;
mod tina;
mod tool_words;
mod units;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use parikh_net::Net;
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::borrow::Cow;
use timing::TimeTreatment;

/// Reads a model without colours, in any supported language.
///
/// # Errors
/// A syntax error, an unsupported element, or an error of the net such as a name that two nodes
/// have.
pub fn read_model(bytes: &[u8]) -> Result<pnml::ExtendedModel, Unreadable> {
    read_model_with_times(bytes, TimeTreatment::Refused)
}

/// Reads a model as [`read_model`] does. `times` says whether a net with times or priorities is
/// refused, or read without them.
///
/// # Errors
/// The errors of [`read_model`].
pub fn read_model_with_times(
    bytes: &[u8],
    times: TimeTreatment,
) -> Result<pnml::ExtendedModel, Unreadable> {
    let text = tool_words::decode_text(bytes);
    let without_note = |net| Ok(pnml::ExtendedModel { net, note: None });
    match () {
        () if mist::is_mist(&text) => without_note(mist::read(&text)?),
        () if lola::is_lola(&text) => without_note(lola::read(&text)?),
        () if tina::is_tina(&text) => without_note(tina::read(&text, times)?),
        () if plain::is_plain_text(&text) => without_note(plain::read(&text)?.into()),
        () if lts::is_transition_system(&text) => {
            without_note(lts::net(&lts::read(&text)?, "")?.into())
        }
        () if text.trim_start().is_empty() => {
            Err(Unreadable { line: 1, what: "the file has no content".to_owned() })
        }
        () if !text.trim_start().starts_with('<') && !is_utf16(bytes) => {
            let first: String =
                text.trim_start().lines().next().unwrap_or_default().chars().take(20).collect();
            let what = format!(
                "the file begins with {}; expected a net in PNML, as text, or in the language of \
                 TINA, LoLA or mist, or a labelled transition system",
                Quoted(&first)
            );
            Err(Unreadable { line: 1, what })
        }
        () => pnml::read_extended(bytes, times),
    }
}

/// The language of a file of formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormulaLanguage {
    /// The language is detected from the content of the file.
    Detected,
    /// The language of `parikh check --formula`.
    Inline,
    /// The XML of the contest.
    Xml,
    /// The language of LoLA.
    Lola,
    /// The textual formulas beside the contest's XML.
    Contest,
    /// The contest's grammar of 2011.
    Early,
}

/// Reads questions about `net`. The file is a query file, a file of textual formulas, or a problem
/// of mist with its target. With `of_cases`, query files and textual formulas are about the cases
/// of the net, that is, the firing sequences that end in a final marking. The question of a problem
/// of mist is always about reachable markings. A formula without a name has an empty id.
///
/// # Errors
/// The errors of [`queries::read`] and [`queries::read_of_cases`], or an error in a problem of
/// mist. An error in a textual formula is reported in its own property.
pub fn read_questions(
    net: &Net,
    bytes: &[u8],
    language: FormulaLanguage,
    of_cases: bool,
) -> Result<Vec<queries::AuditedProperty>, Unreadable> {
    let as_xml: queries::typed::XmlQueryReader<'_> =
        if of_cases { &queries::read_of_cases } else { &queries::read };
    let text = tool_words::decode_text(bytes);
    let begins = |word: &str| text.trim_start().starts_with(word);
    match language {
        FormulaLanguage::Inline => Ok(queries::typed::read_inline(net, &text, as_xml)),
        FormulaLanguage::Lola => Ok(queries::typed::read_lola(net, &text, as_xml)),
        FormulaLanguage::Xml => as_xml(net, bytes),
        FormulaLanguage::Detected if mist::is_mist(&text) => mist::question(net, &text),
        FormulaLanguage::Detected if begins("<") || is_utf16(bytes) => as_xml(net, bytes),
        FormulaLanguage::Contest => Ok(queries::typed::read_contest(net, &text, as_xml)),
        FormulaLanguage::Early => Ok(queries::typed::read_early(net, &text, as_xml)),
        FormulaLanguage::Detected => Ok(queries::typed::read(net, &text, as_xml)),
    }
}

/// The reason why a file, or a part of it, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unreadable {
    /// The line, from 1, or 0 if the error belongs to no line.
    pub line: u64,
    /// The description of the error.
    pub what: String,
}

impl Unreadable {
    /// Returns an error in the line of `node`.
    pub(crate) fn at(node: Node<'_, '_>, what: impl Into<String>) -> Self {
        Unreadable::at_byte(node.document().input_text().as_bytes(), node.range().start, what)
    }

    /// Returns an error in the line that contains the byte `position`.
    fn at_byte(text: &[u8], position: usize, what: impl Into<String>) -> Self {
        let before = &text[..position.min(text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Unreadable { line, what: what.into() }
    }
}

/// Reads a labelled transition system in the format of Aldebaran or mCRL2's `.fsm`. Returns `None`
/// if the file is in neither format, or in another supported language.
///
/// # Errors
/// A syntax error, with its line and the expected text.
pub fn transition_system(bytes: &[u8]) -> Result<Option<lts::TransitionSystem>, Unreadable> {
    let text = tool_words::decode_text(bytes);
    // A comment line of another language may look like a separator of `.fsm`.
    let is_in_other_language = || {
        mist::is_mist(&text)
            || lola::is_lola(&text)
            || tina::is_tina(&text)
            || plain::is_plain_text(&text)
    };
    (lts::is_transition_system(&text) && !is_in_other_language())
        .then(|| lts::read(&text))
        .transpose()
}

/// Decodes an XML file, with blanks in place of its XML declaration and its document type.
///
/// # Errors
/// When the encoding is unknown, when the bytes are not text in the encoding, or when the document
/// type declares attributes. The elements of the file would lack such attributes.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    prologue::blank_prologue(decode_bytes(bytes)?)
}

/// Decodes a file in the encoding of its XML declaration. The encoding is UTF-16 if the file begins
/// like UTF-16, and UTF-8 by default. In ISO-8859-1 each byte is the character with that number.
/// Returns an error for an unknown encoding, and for bytes that are not text in the encoding.
fn decode_bytes(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    if let Some(text) = decode_utf16(bytes) {
        return text.map(Cow::Owned);
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let declared = declared_encoding(bytes);
    let encoding = match declared.as_str() {
        "" | "utf8" => Some(UTF_8),
        ascii if ascii.contains("ascii") => Some(UTF_8),
        name => Encoding::for_label(name.as_bytes()),
    };
    let Some(encoding) = encoding else {
        let found = Quoted(&declared);
        let message = format!("the encoding is {found}; expected for example UTF-8 or ISO-8859-1");
        return Err(Unreadable { line: 1, what: message });
    };
    // The encoding standard of the web decodes ISO-8859-1 as windows-1252.
    if encoding == WINDOWS_1252 && !declared.contains("1252") {
        return Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()));
    }
    // A declaration of UTF-16 that is readable as ASCII is wrong.
    if encoding == UTF_8 || !encoding.is_ascii_compatible() {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Unreadable::at_byte(bytes, error.valid_up_to(), "this is not UTF-8 text")
        })?;
        return Ok(Cow::Borrowed(text));
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let message = || format!("this is not text in the encoding {}", Quoted(&declared));
    text.ok_or_else(|| Unreadable { line: 1, what: message() })
}

/// Returns true if a file begins with the byte order mark of UTF-16, or with `<?` in UTF-16.
fn is_utf16(bytes: &[u8]) -> bool {
    utf16_unit(bytes).is_some()
}

/// A conversion of two bytes to a code unit of UTF-16.
type CodeUnitDecoder = fn([u8; 2]) -> u16;

/// Returns the conversion of two bytes to a code unit of UTF-16, and the length of the byte order
/// mark in bytes (0 or 2). Returns `None` if the file does not begin like UTF-16.
fn utf16_unit(bytes: &[u8]) -> Option<(CodeUnitDecoder, usize)> {
    match bytes {
        [0xFF, 0xFE, ..] => Some((u16::from_le_bytes, 2)),
        [0xFE, 0xFF, ..] => Some((u16::from_be_bytes, 2)),
        [b'<', 0, b'?', 0, ..] => Some((u16::from_le_bytes, 0)),
        [0, b'<', 0, b'?', ..] => Some((u16::from_be_bytes, 0)),
        _ => None,
    }
}

/// Decodes a file in UTF-16; returns `None` for other files.
fn decode_utf16(bytes: &[u8]) -> Option<Result<String, Unreadable>> {
    let (to_unit, mark_length) = utf16_unit(bytes)?;
    let (pairs, rest) = bytes[mark_length..].as_chunks();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().copied().map(to_unit)).collect();
    // A byte is left over if the file is cut in the middle of a character.
    let text = text.ok().filter(|_| rest.is_empty());
    let what = "this is not UTF-16 text".to_owned();
    Some(text.ok_or(Unreadable { line: 1, what }))
}

/// Returns the name of the encoding in the XML declaration, in lower case. Returns an empty text if
/// no encoding is declared.
fn declared_encoding(bytes: &[u8]) -> String {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
    let declaration = head.strip_prefix("<?xml").and_then(|rest| rest.split("?>").next());
    let after_keyword = declaration.and_then(|text| text.split_once("encoding"));
    let quoted = after_keyword
        .map_or("", |(_, rest)| rest.trim_start_matches(BLANKS).trim_start_matches('='));
    quoted.split(['"', '\'']).nth(1).unwrap_or("").to_ascii_lowercase()
}

/// The white space of XML. Unicode has more white space, which may occur in names.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Trims the blanks around a text.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(BLANKS)
}

/// Parses an XML file to a tree.
pub(crate) fn parse_xml(text: &str) -> Result<roxmltree::Document<'_>, Unreadable> {
    roxmltree::Document::parse(text).map_err(|error| Unreadable {
        line: u64::from(error.pos().row),
        what: format!("this is not well-formed XML: {error}"),
    })
}

/// Returns the local name of an element. Tools write namespaces in different ways, or not at all.
pub(crate) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// Returns the child elements of `node`.
pub(crate) fn elements<'a, 'input>(
    node: Node<'a, 'input>,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

/// Returns the only element of an iterator over elements inside `node`. Returns an error that names
/// `expected` if there is no element or a second one.
pub(crate) fn only_element<'a, 'input>(
    node: Node<'a, 'input>,
    mut candidates: impl Iterator<Item = Node<'a, 'input>>,
    expected: &str,
) -> Result<Node<'a, 'input>, Unreadable> {
    match (candidates.next(), candidates.next()) {
        (Some(element), None) => Ok(element),
        _ => Err(Unreadable::at(node, format!("expected one {expected} in `{}`", name(node)))),
    }
}

/// Returns the only child element of `node` with the name `key`, or an error if there is none or a
/// second one.
pub(crate) fn child<'a, 'input>(
    node: Node<'a, 'input>,
    key: &str,
) -> Result<Node<'a, 'input>, Unreadable> {
    only_element(node, elements(node).filter(|&inside| name(inside) == key), &format!("`{key}`"))
}

/// Returns the text directly in `node`, trimmed, or an error if `node` contains an element.
/// Comments may split the text into pieces.
fn text(node: Node<'_, '_>) -> Result<String, Unreadable> {
    if let Some(element) = elements(node).next() {
        let what = format!("expected text inside `{}`, found `{}`", name(node), name(element));
        return Err(Unreadable::at(element, what));
    }
    let pieces = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
    Ok(trimmed(&pieces.collect::<String>()).to_owned())
}

/// Returns the value of an attribute without a prefix, or `None` if it is missing. Prefixed
/// attributes belong to other languages.
pub(crate) fn optional_attribute<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let attribute = node.attributes().find(|it| it.namespace().is_none() && it.name() == key);
    attribute.map(|it| it.value())
}

/// Returns the value of an attribute without a prefix, or an error if it is missing.
pub(crate) fn attribute<'a>(node: Node<'a, '_>, key: &str) -> Result<&'a str, Unreadable> {
    optional_attribute(node, key)
        .ok_or_else(|| Unreadable::at(node, format!("`{}` has no attribute `{key}`", name(node))))
}

/// Returns the error for the unknown element `found` inside `parent`. Unknown elements are refused
/// because they may have a meaning.
pub(crate) fn unknown_element(found: Node<'_, '_>, parent: Node<'_, '_>) -> Unreadable {
    let (found_name, parent) = (name(found), name(parent));
    let what = format!("`{found_name}` inside `{parent}` is unknown");
    Unreadable::at(found, what)
}

/// Parses a number of decimal digits: no sign, no point, no exponent. Errors are at `node`.
pub(crate) fn parse_number<T: std::str::FromStr>(
    node: Node<'_, '_>,
    digits: &str,
) -> Result<T, Unreadable> {
    let digits = trimmed(digits);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = if is_decimal { digits.parse().ok() } else { None };
    value.ok_or_else(|| {
        let found = Quoted(digits);
        Unreadable::at(node, format!("expected a number of at most 64 bits, found {found}"))
    })
}

/// Returns the number in a label, or in a place of a final marking. The number stands in a `text`
/// or `value`, or directly in the label. Returns `default` if there is no number. Several numbers
/// must be equal.
fn number_in_text(label: Node<'_, '_>, default: u64) -> Result<u64, Unreadable> {
    let mut contents: Vec<(Node<'_, '_>, String)> = Vec::new();
    for inside in elements(label) {
        match name(inside) {
            "text" | "value" => contents.push((inside, text(inside)?)),
            "graphics" | "toolspecific" => {}
            _ => return Err(unknown_element(inside, label)),
        }
    }
    let pieces = label.children().filter(Node::is_text).filter_map(|piece| piece.text());
    let direct: String = pieces.collect();
    let is_stray = |c: char| BLANKS.contains(&c) || matches!(c, '>' | '$');
    if !direct.chars().all(is_stray) {
        contents.push((label, trimmed(&direct).to_owned()));
    }
    let mut value = None;
    for (node, content) in contents {
        // Tools write an empty text where they mean no label.
        if content.is_empty() && value.is_none() {
            continue;
        }
        let tokens = pipe::tokens(node, &content)?;
        if value.replace(tokens).is_some_and(|other| other != tokens) {
            return Err(Unreadable::at(node, "a second number that differs from the first"));
        }
    }
    Ok(value.unwrap_or(default))
}

#[cfg(test)]
mod tests;
