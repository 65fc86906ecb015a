//! The auditor's readers: a model and its questions, read by other means than the prover reads
//! them.
//!
//! Whatever is proved is proved of a net and of a formula, and both come from files. If the
//! prover's reader took an arc the wrong way round, all its evidence would be right, and about
//! another net. So these readers are a second opinion. They share nothing with the first: another
//! XML library (a whole tree where the first streams), another treatment of negation, and no line
//! of code; `parikh-bench readers` compares the two on any directory of models.
//!
//! Their rule is: *what is not known is refused, not skipped*. An element that might change what a
//! net means (a capacity, an inhibitor arc, a colour) is an error here, never a thing to overlook.
//!
//! | file | what it reads |
//! |---|---|
//! | [`pnml`] | place/transition nets: ISO/IEC 15909-2 |
//! | `units` | nested units (NUPN), a part of these files |
//! | `known` | what else may stand in a net, and means nothing |
//! | `pipe` | what PIPE writes in its nets besides |
//! | `finals` | final markings, as tools for process mining write them |
//! | [`fair`] | which runs questions are about, from the command line |
//! | `lola`, `tina`, `mist` | nets in the languages of these tools, from `words` |
//! | [`lts`] | labelled transition systems (`.aut`, `.fsm`), as nets and as components |
//! | `plain` | nets as text, a line a node |
//! | [`queries`] | the query files of the Model Checking Contest, and formulas as people type them, down to predicates |

pub mod fair;
mod finals;
pub(crate) mod known;
mod lola;
pub mod lts;
mod mist;
pub(crate) mod names;
pub(crate) mod pipe;
mod plain;
pub mod pnml;
pub mod queries;
pub(crate) mod references;
pub mod timing;
mod tina;
mod units;
mod words;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use parikh_net::Net;
use parikh_net::printable::Quoted;
use roxmltree::Node;
use std::borrow::Cow;
use timing::Times;

/// Reads a model without colours, in whatever language.
///
/// # Errors
/// With the line and what was expected there.
pub fn model(bytes: &[u8]) -> Result<pnml::Extended, Unreadable> {
    model_as(bytes, Times::Refused)
}

/// Reads a model as [`model`] does, with or without its times and priorities.
///
/// # Errors
/// As [`model`].
pub fn model_as(bytes: &[u8], times: Times) -> Result<pnml::Extended, Unreadable> {
    let text = words::text(bytes);
    let read = |net| Ok(pnml::Extended { net, note: None });
    match () {
        () if mist::is(&text) => read(mist::read(&text)?),
        () if lola::is(&text) => read(lola::read(&text)?),
        () if tina::is(&text) => read(tina::read(&text, times)?),
        () if plain::is(&text) => read(plain::read(&text)?.into()),
        () if lts::is(&text) => read(lts::net(&lts::read(&text)?, "")?.into()),
        () if text.trim_start().is_empty() => {
            Err(Unreadable { line: 1, what: "the file has no content".to_owned() })
        }
        () if !text.trim_start().starts_with('<') && !is_wide(bytes) => {
            let first: String =
                text.trim_start().lines().next().unwrap_or_default().chars().take(20).collect();
            let what = format!(
                "the file begins with {}; expected a net in PNML, as text, or in the language of TINA, LoLA or mist",
                Quoted(&first)
            );
            Err(Unreadable { line: 1, what })
        }
        () => pnml::read_extended(bytes, times),
    }
}

/// The language that a file of formulas is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Seen from how the file begins.
    Seen,
    /// As people type them.
    Inline,
    /// The contest's XML.
    Xml,
    /// LoLA's.
    Lola,
    /// The texts beside the contest's XML.
    Contest,
    /// The contest's grammar of 2011.
    Early,
}

/// Reads what is asked of `net`, or of its cases: a query file, formulas as people type them or
/// LoLA's, or a problem of mist with its target. A formula without a name has an empty id.
///
/// # Errors
/// As [`queries::read`] and [`queries::read_of_cases`].
pub fn questions(
    net: &Net,
    bytes: &[u8],
    language: Language,
    of_cases: bool,
) -> Result<Vec<queries::Property>, Unreadable> {
    let as_xml: queries::typed::AsXml<'_> =
        if of_cases { &queries::read_of_cases } else { &queries::read };
    let text = words::text(bytes);
    let begins = |word: &str| text.trim_start().starts_with(word);
    match language {
        Language::Inline => Ok(queries::typed::read_inline(net, &text, as_xml)),
        Language::Lola => Ok(queries::typed::read_lola(net, &text, as_xml)),
        Language::Xml => as_xml(net, bytes),
        Language::Seen if mist::is(&text) => mist::question(net, &text),
        Language::Seen if begins("<") || is_wide(bytes) => as_xml(net, bytes),
        Language::Contest => Ok(queries::typed::read_contest(net, &text, as_xml)),
        Language::Early => Ok(queries::typed::read_early(net, &text, as_xml)),
        Language::Seen => Ok(queries::typed::read(net, &text, as_xml)),
    }
}

/// Why a file, or a part of it, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct Unreadable {
    /// Where, from 1.
    pub line: u64,
    /// What was found, and what was expected.
    pub what: String,
}

impl Unreadable {
    /// About `node`.
    pub(crate) fn at(node: Node<'_, '_>, what: impl Into<String>) -> Self {
        Unreadable::at_byte(node.document().input_text().as_bytes(), node.range().start, what)
    }

    /// About the byte at `position`.
    fn at_byte(text: &[u8], position: usize, what: impl Into<String>) -> Self {
        let before = &text[..position.min(text.len())];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Unreadable { line, what: what.into() }
    }
}

/// Reads a labelled transition system in the format of Aldebaran or mCRL2's `.fsm`. Returns `None`
/// if the file is in neither.
///
/// # Errors
/// With the line and what was expected there.
pub fn transition_system(bytes: &[u8]) -> Result<Option<lts::TransitionSystem>, Unreadable> {
    let text = words::text(bytes);
    // A line of a remark in another language may look like a separator of `.fsm`.
    let is_other = || mist::is(&text) || lola::is(&text) || tina::is(&text) || plain::is(&text);
    (lts::is(&text) && !is_other()).then(|| lts::read(&text)).transpose()
}

/// The text of a file in the encoding that its XML declaration names, UTF-16 where the file begins
/// as that, and else UTF-8. In ISO-8859-1 each byte is the character of that number.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Unreadable> {
    if let Some(text) = wide(bytes) {
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
        let what = format!("the encoding is {found}; expected for example UTF-8 or ISO-8859-1");
        return Err(Unreadable { line: 1, what });
    };
    // The standard for encodings of web pages calls ISO-8859-1 what is windows-1252.
    if encoding == WINDOWS_1252 && !declared.contains("1252") {
        return Ok(Cow::Owned(bytes.iter().map(|&byte| char::from(byte)).collect()));
    }
    // What is declared as UTF-16, and has its declaration in ASCII, is declared wrongly.
    if encoding == UTF_8 || !encoding.is_ascii_compatible() {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            Unreadable::at_byte(bytes, error.valid_up_to(), "this is not UTF-8 text")
        })?;
        return Ok(Cow::Borrowed(text));
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes);
    let what = || format!("this is no text in the encoding {}", Quoted(&declared));
    text.ok_or_else(|| Unreadable { line: 1, what: what() })
}

/// Whether a file begins with the mark of UTF-16, or with `<` in UTF-16.
fn is_wide(bytes: &[u8]) -> bool {
    wide_unit(bytes).is_some()
}

/// How a unit of UTF-16 is made of two bytes, and how long the mark in front is.
fn wide_unit(bytes: &[u8]) -> Option<(fn([u8; 2]) -> u16, usize)> {
    match bytes {
        [0xFF, 0xFE, ..] => Some((u16::from_le_bytes, 2)),
        [0xFE, 0xFF, ..] => Some((u16::from_be_bytes, 2)),
        [b'<', 0, b'?', 0, ..] => Some((u16::from_le_bytes, 0)),
        [0, b'<', 0, b'?', ..] => Some((u16::from_be_bytes, 0)),
        _ => None,
    }
}

/// The text of a file in UTF-16.
fn wide(bytes: &[u8]) -> Option<Result<String, Unreadable>> {
    let (unit, mark) = wide_unit(bytes)?;
    let pairs = bytes[mark..].chunks(2);
    let units = pairs.map(|pair| unit([pair[0], *pair.get(1).unwrap_or(&0)]));
    let text: Result<String, _> = char::decode_utf16(units).collect();
    let what = "this is not UTF-16 text".to_owned();
    Some(text.map_err(|_| Unreadable { line: 1, what }))
}

/// What the XML declaration calls the encoding, in lower case; empty when it does not.
fn declared_encoding(bytes: &[u8]) -> String {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
    let declaration = head.strip_prefix("<?xml").and_then(|rest| rest.split("?>").next());
    let after = declaration.and_then(|text| text.split_once("encoding"));
    let quoted =
        after.map_or("", |(_, rest)| rest.trim_start_matches(BLANKS).trim_start_matches('='));
    quoted.split(['"', '\'']).nth(1).unwrap_or("").to_ascii_lowercase()
}

/// What XML calls white space. Unicode has more, all of which may stand in a name.
const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// A text without blanks around it.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_matches(BLANKS)
}

/// The tree of an XML file. Nothing here needs document types, and entities that are made of
/// entities can be as large as they like: types that declare some are refused, and so are
/// attributes that nobody wrote.
pub(crate) fn tree(text: &str) -> Result<roxmltree::Document<'_>, Unreadable> {
    let allow_dtd = !text.contains("<!ENTITY") && !text.contains("<!ATTLIST");
    let options = roxmltree::ParsingOptions { allow_dtd, ..Default::default() };
    roxmltree::Document::parse_with_options(text, options).map_err(|error| Unreadable {
        line: u64::from(error.pos().row),
        what: format!("this is not well-formed XML: {error}"),
    })
}

/// The name of an element without its namespace, which tools write differently, or not at all.
pub(crate) fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The elements right inside `node`.
pub(crate) fn elements<'a, 'input>(
    node: Node<'a, 'input>,
) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

/// The only one of these elements; they are inside `node`.
pub(crate) fn only<'a, 'input>(
    node: Node<'a, 'input>,
    mut inside: impl Iterator<Item = Node<'a, 'input>>,
    expected: &str,
) -> Result<Node<'a, 'input>, Unreadable> {
    match (inside.next(), inside.next()) {
        (Some(one), None) => Ok(one),
        _ => Err(Unreadable::at(node, format!("expected one {expected} in `{}`", name(node)))),
    }
}

/// The only element inside `node` that has this name.
pub(crate) fn child<'a, 'input>(
    node: Node<'a, 'input>,
    key: &str,
) -> Result<Node<'a, 'input>, Unreadable> {
    only(node, elements(node).filter(|&inside| name(inside) == key), &format!("`{key}`"))
}

/// The characters right inside `node`, which comments may have cut into pieces, without blanks
/// around them.
fn text(node: Node<'_, '_>) -> Result<String, Unreadable> {
    if let Some(element) = elements(node).next() {
        let what = format!("expected text inside `{}`, found `{}`", name(node), name(element));
        return Err(Unreadable::at(element, what));
    }
    let pieces = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
    Ok(trimmed(&pieces.collect::<String>()).to_owned())
}

/// An attribute of this very name: one with a prefix is another language's.
pub(crate) fn optional<'a>(node: Node<'a, '_>, key: &str) -> Option<&'a str> {
    let own = node.attributes().find(|it| it.namespace().is_none() && it.name() == key);
    own.map(|it| it.value())
}

/// An attribute that has to be there.
pub(crate) fn attribute<'a>(node: Node<'a, '_>, key: &str) -> Result<&'a str, Unreadable> {
    optional(node, key)
        .ok_or_else(|| Unreadable::at(node, format!("`{}` has no attribute `{key}`", name(node))))
}

/// An element that might change what the file means.
pub(crate) fn unknown(found: Node<'_, '_>, around: Node<'_, '_>) -> Unreadable {
    let (inside, around) = (name(found), name(around));
    let what = format!("`{inside}` inside `{around}` is not known, and not guessed");
    Unreadable::at(found, what)
}

/// A number in decimal digits and nothing else: no sign, no point, no exponent.
pub(crate) fn number<T: std::str::FromStr>(
    node: Node<'_, '_>,
    digits: &str,
) -> Result<T, Unreadable> {
    let digits = trimmed(digits);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = if plain { digits.parse().ok() } else { None };
    value.ok_or_else(|| {
        let found = Quoted(digits);
        Unreadable::at(node, format!("expected a number of at most 64 bits, found {found}"))
    })
}

/// The number in the `text` of a label, or of a place in a final marking.
fn in_text(label: Node<'_, '_>, default: u64) -> Result<u64, Unreadable> {
    let mut value = None;
    for inside in elements(label) {
        match name(inside) {
            // Tools write nothing there where they mean no label.
            "text" | "value" if value.is_none() && text(inside)?.is_empty() => {}
            "text" | "value" if value.is_none() => value = Some(pipe::tokens(inside)?),
            "graphics" | "toolspecific" => {}
            _ => return Err(unknown(inside, label)),
        }
    }
    Ok(value.unwrap_or(default))
}

#[cfg(test)]
mod tests;
