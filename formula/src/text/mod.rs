//! The textual formula languages: Parikh's inline language ([`TextLanguage::Inline`]), the
//! contest's current texts ([`TextLanguage::Contest`]) and those of 2011
//! ([`TextLanguage::Mcc2011`]), and LoLA's formulas ([`TextLanguage::Lola`]).
//!
//! All readers return the same trees as the reader of query files. Tokens come from `lexer`. The
//! parser `precedence` handles operators and parentheses with a stack on the heap. The modules
//! `inline`, `contest` and [`mcc2011`] define the languages. Errors have line, column and a caret
//! ([`TextError`]), and only affect their own formula.

mod contest;
mod diagnostic;
pub(super) mod inline;
mod lexer;
mod lola;
pub mod mcc2011;
mod operands;
mod precedence;

pub use diagnostic::TextError;

use super::named::NamedNodes;
use super::{Formula, FormulaProblem};
use diagnostic::NamedText;
use lexer::{LexemeKind, TokenCursor};
use operands::{NameResolver, NodeTexts};
use parikh_net::Net;
use std::ops::Range;
use winnow::ascii::space0;
use winnow::combinator::terminated;
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::token::take_while;

/// A formula language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLanguage {
    /// Parikh's own language: `EF (p >= 2 && !fireable(t))`.
    Inline,
    /// The `.txt` files beside the contest's XML files, in both dialects.
    Contest,
    /// The contest's grammar of 2011: `f = reachable (p contains {2*[.]})`.
    Mcc2011,
    /// LoLA's: `EF (p > 2 AND NOT FIREABLE(t))`.
    Lola,
}

/// A formula of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFormula {
    /// The name of the formula for its answer; empty if the text has none. Another formula of the
    /// text may have the same name.
    pub id: String,
    /// The formula as its author wrote it, without its name. Empty if the formula is not in the
    /// inline language.
    pub written: String,
    /// The author's comment on the formula. Only the contest's texts may have one.
    pub description: Option<String>,
    /// The formula, or the error in it.
    pub formula: Result<Formula, TextError>,
    /// Remarks for the author: a surprising precedence, or deviations from the grammar of 2011.
    pub remarks: Vec<TextError>,
    /// The nodes to which names in the formula refer. Names that are just ids are left out.
    pub named: Vec<NamedNodes>,
}

/// A problem with its byte range in the text.
#[derive(Clone, Debug)]
struct TextFailure {
    span: Range<usize>,
    problem: FormulaProblem,
}

/// Detects the language of a text.
pub fn detect(text: &str) -> TextLanguage {
    let start = text.trim_start();
    if start.strip_prefix("Property").is_some_and(|rest| rest.starts_with([' ', '\t'])) {
        return TextLanguage::Contest;
    }
    if lola::is_lola(text) {
        return TextLanguage::Lola;
    }
    // `name = reachable` is not valid in the inline language, where `=` compares numbers.
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let mut verbs = lines.map(|(_, rest)| rest.split_whitespace().next());
    match verbs.any(|verb| matches!(verb, Some("reachable" | "invariant"))) {
        true => TextLanguage::Mcc2011,
        false => TextLanguage::Inline,
    }
}

/// Reads the formulas of a text about `net`. Messages use `file` for the text. With `strict`,
/// deviations from the grammar of 2011 give remarks.
pub fn read(
    text: &str,
    file: &str,
    language: TextLanguage,
    net: &Net,
    strict: bool,
) -> Vec<TextFormula> {
    let source = NamedText::new(file, text);
    let texts = match language {
        TextLanguage::Inline => NodeTexts::WordsAndQuotedNames,
        TextLanguage::Lola => NodeTexts::Words,
        TextLanguage::Contest | TextLanguage::Mcc2011 => NodeTexts::Ids,
    };
    let mut names = NameResolver::new(net, texts);
    let mut formulas = Vec::new();
    match language {
        TextLanguage::Inline => {
            for range in entry_ranges(text) {
                formulas.push(inline_formula(&source, range, &mut names));
            }
        }
        TextLanguage::Contest => {
            for range in contest::properties(text) {
                let property = contest::property(text, range, &mut names);
                let (id, description) = (property.id.to_owned(), property.description);
                let formula = match id.is_empty() {
                    true => {
                        Err(TextFailure { span: property.id_span, problem: FormulaProblem::NoId })
                    }
                    false => property.formula,
                };
                let formula = formula.map_err(|failure| source.error(failure));
                let (written, remarks, named) = Default::default();
                let read = TextFormula { id, written, description, formula, remarks, named };
                formulas.push(read);
            }
        }
        TextLanguage::Lola => {
            for translated in lola::formulas(text) {
                let formula = translated.and_then(|it| lola_formula(&it, &mut names));
                let formula = formula.map_err(|failure| source.error(failure));
                let (id, written, description, remarks) = Default::default();
                let named = names.take_named();
                let read = TextFormula { id, written, description, formula, remarks, named };
                formulas.push(read);
            }
        }
        TextLanguage::Mcc2011 => {
            for read in mcc2011::definitions(text) {
                let formula = read
                    .definition
                    .and_then(|definition| mcc2011::resolve(&definition, &mut names))
                    .map_err(|failure| source.error(failure));
                let remarks = if strict { read.remarks } else { Vec::new() };
                let remarks = remarks.into_iter().map(|remark| source.error(remark)).collect();
                let (written, description, named) = Default::default();
                let id = read.name;
                let read = TextFormula { id, written, description, formula, remarks, named };
                formulas.push(read);
            }
        }
    }
    formulas
}

/// Reads the definitions of a text in the language of 2011 with unresolved names, and the remarks
/// on each.
pub fn read_definitions(
    text: &str,
    file: &str,
) -> Vec<(Result<mcc2011::Definition, TextError>, Vec<TextError>)> {
    let source = NamedText::new(file, text);
    let shown = |read: mcc2011::ReadDefinition| {
        let definition = read.definition.map_err(|failure| source.error(failure));
        let remarks = read.remarks.into_iter().map(|remark| source.error(remark)).collect();
        (definition, remarks)
    };
    mcc2011::definitions(text).into_iter().map(shown).collect()
}

/// Reads one formula in the inline language, which may have several lines.
pub fn read_one(text: &str, file: &str, net: &Net) -> TextFormula {
    let source = NamedText::new(file, text);
    let mut names = NameResolver::new(net, NodeTexts::WordsAndQuotedNames);
    inline_formula(&source, 0..text.len(), &mut names)
}

/// Returns the byte ranges of the entries of an inline file. An entry begins with the first line,
/// or with a line that does not start with a blank or a closing bracket. Blank lines and comment
/// lines begin no entry.
fn entry_ranges(text: &str) -> Vec<Range<usize>> {
    let mut entries: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let content = line.trim();
        let is_continuation = line.starts_with([' ', '\t', ')', ']']);
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        match entries.last_mut() {
            Some(last) if is_continuation => last.end = range.end,
            _ => entries.push(range),
        }
    }
    // Trailing blanks and line ends do not belong to the formula.
    for range in &mut entries {
        range.end = range.start + text[range.clone()].trim_end().len();
    }
    entries
}

/// Reads `name: formula` or a formula alone.
fn inline_formula(
    source: &NamedText<'_>,
    range: Range<usize>,
    names: &mut NameResolver<'_>,
) -> TextFormula {
    let text = &source.text[range.clone()];
    let (id, body) = match name_before_colon(text) {
        Some((id, end)) => (id, range.start + end..range.end),
        None => ("", range.clone()),
    };
    let written = source.text[body.clone()].trim().to_owned();
    let mut cursor = TokenCursor::new(source.text, body, &inline::LEXIS);
    let mut remarks = Vec::new();
    let formula = match cursor.peek().kind {
        LexemeKind::End => Err(TextFailure {
            span: cursor.peek().span.clone(),
            problem: FormulaProblem::NoFormula,
        }),
        _ => inline::formula(&mut cursor, names, &mut remarks),
    };
    TextFormula {
        id: id.to_owned(),
        written,
        description: None,
        formula: formula.map_err(|failure| source.error(failure)),
        remarks: remarks.into_iter().map(|remark| source.error(remark)).collect(),
        named: names.take_named(),
    }
}

/// Reads a formula of LoLA that was translated into the inline language.
fn lola_formula(
    translated: &lola::InlineTranslation,
    names: &mut NameResolver<'_>,
) -> Result<Formula, TextFailure> {
    let text = &translated.text;
    let mut cursor = TokenCursor::new(text, 0..text.len(), &inline::LEXIS);
    let formula = inline::formula(&mut cursor, names, &mut Vec::new());
    formula.map_err(|TextFailure { span, problem }| TextFailure {
        span: translated.origin(&span),
        problem,
    })
}

/// Returns the name before the colon, and the byte offset behind the colon. Returns `None` if the
/// text does not begin with a name and a colon.
fn name_before_colon(text: &str) -> Option<(&str, usize)> {
    let mut rest = text.trim_start();
    let inside = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut label = terminated(take_while(1.., inside), (space0, ':'));
    let id: Result<&str, EmptyError> = label.parse_next(&mut rest);
    Some((id.ok()?, text.len() - rest.len()))
}
