//! Formulas of LoLA: `EF (p > 2 AND NOT FIREABLE(t))`, `AG EF DEADLOCK`,
//! `ALLPATH ALWAYS (p = 1 -> EVENTUALLY q = 1)`.
//!
//! The formulas are translated word by word into the inline language, and then read. Errors are
//! reported at their positions in the original file. Several formulas of a file are separated by
//! `;` or `:`. Older versions have keywords for whole formulas (`REACHABLE φ`, `INVARIANT φ`,
//! `IMPOSSIBLE φ`, `LIVE φ`), which are supported. `INITIAL`, `oo` and other keywords are refused.
//!
//! The two languages have different precedences of temporal operators. Where the difference
//! matters, an error asks for parentheses.

use super::TextFailure;
use crate::FormulaProblem;
use std::fmt::Write as _;
use std::ops::Range;

/// The keywords with their translation into the inline language.
const KEYWORDS: [(&str, &str); 29] = [
    ("AND", "&&"),
    ("OR", "||"),
    ("XOR", "xor"),
    ("NOT", "!"),
    ("TRUE", "true"),
    ("FALSE", "false"),
    ("DEADLOCK", "deadlock"),
    ("FIREABLE", "fireable"),
    ("UNFIREABLE", "! fireable"),
    ("ALLPATH", "A"),
    ("EXPATH", "E"),
    ("ALWAYS", "G"),
    ("EVENTUALLY", "F"),
    ("NEXTSTATE", "X"),
    ("UNTIL", "U"),
    ("A", "A"),
    ("E", "E"),
    ("G", "G"),
    ("F", "F"),
    ("X", "X"),
    ("U", "U"),
    ("AG", "AG"),
    ("AF", "AF"),
    ("AX", "AX"),
    ("EG", "EG"),
    ("EF", "EF"),
    ("EX", "EX"),
    ("AGEF", "AG EF"),
    ("EFAG", "EF AG"),
];

/// The keywords for whole formulas, with the beginning of their translation.
const FORMULA_KEYWORDS: [(&str, &str); 4] =
    [("REACHABLE", "EF ("), ("INVARIANT", "AG ("), ("IMPOSSIBLE", "AG !("), ("LIVE", "AG EF (")];

/// Keywords of LoLA that the inline language does not have. The function `is_lola` uses these words
/// to detect the language of a text.
const LOLA_ONLY_WORDS: [&str; 21] = [
    "XOR",
    "TRUE",
    "FALSE",
    "UNTIL",
    "NEXTSTATE",
    "UNFIREABLE",
    "FORMULA",
    "REACHABLE",
    "INVARIANT",
    "IMPOSSIBLE",
    "FIREABLE",
    "ALLPATH",
    "EXPATH",
    "ALWAYS",
    "EVENTUALLY",
    "AND",
    "OR",
    "NOT",
    "DEADLOCK",
    "AGEF",
    "EFAG",
];

/// The signs with their translation into the inline language. Each sign comes before the signs that
/// are its prefixes.
const SIGNS: [(&str, &str); 22] = [
    ("<->", "<->"),
    ("->", "->"),
    ("<=", "<="),
    (">=", ">="),
    ("!=", "!="),
    ("<>", "!="),
    ("#", "!="),
    ("==", "="),
    ("=", "="),
    ("<", "<"),
    (">", ">"),
    ("+", "+"),
    ("-", "-"),
    ("*", "*"),
    ("!", "!"),
    ("&", "&&"),
    ("|", "||"),
    ("(", "("),
    (")", ")"),
    ("[", "("),
    ("]", ")"),
    (",", ","),
];

/// A formula translated into the inline language.
pub(super) struct InlineTranslation {
    /// The translation in the inline language.
    pub(super) text: String,
    /// For each translated token, its byte offset in `text`, and the range of the token in the
    /// original file.
    pieces: Vec<(usize, Range<usize>)>,
}

impl InlineTranslation {
    /// Returns the range in the original file of a range in the translated text.
    pub(super) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        let piece_index =
            |byte: usize| self.pieces.partition_point(|&(start, _)| start <= byte).max(1) - 1;
        let range_of = |piece_index: usize| {
            self.pieces.get(piece_index).map_or(0..0, |(_, span)| span.clone())
        };
        range_of(piece_index(span.start)).start
            ..range_of(piece_index(span.end.max(span.start + 1) - 1)).end
    }

    fn push(&mut self, text: &str, span: Range<usize>) {
        self.pieces.push((self.text.len(), span));
        self.text.push_str(text);
        self.text.push(' ');
    }
}

/// Returns true if a text looks like formulas of LoLA. It has no double quotes, and has a word of
/// `LOLA_ONLY_WORDS`, a `;`, or a line that begins with `{`.
pub(super) fn is_lola(text: &str) -> bool {
    // In the inline language, `#` begins a comment.
    let lines = || text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let is_its_own = |line: &str| line.contains(';') || line.trim_start().starts_with('{');
    !lines().any(|line| line.contains('"'))
        && (words.any(|word| LOLA_ONLY_WORDS.contains(&word)) || lines().any(is_its_own))
}

/// A token of the original file.
#[derive(Clone)]
struct LolaPiece<'t> {
    text: &'t str,
    span: Range<usize>,
    /// True for names, keywords and numbers, false for signs.
    is_word: bool,
}

/// Translates the formulas of a text, each separately. Returns a single error if the text contains
/// a character that is not in the language.
pub(super) fn formulas(text: &str) -> Vec<Result<InlineTranslation, TextFailure>> {
    let pieces = match tokens(text) {
        Ok(pieces) => pieces,
        Err(failure) => return vec![Err(failure)],
    };
    let formulas = pieces.split(|piece| matches!(piece.text, ";" | ":"));
    formulas.filter(|formula| !formula.is_empty()).map(translate).collect()
}

/// Splits a text into words and signs, without blanks and comments.
fn tokens(text: &str) -> Result<Vec<LolaPiece<'_>>, TextFailure> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let inside = |c: char| c.is_alphanumeric() || "_.'$~@".contains(c);
        let length = match c {
            c if c.is_whitespace() => c.len_utf8(),
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            // The end does not overlap the beginning: `/*/` is no whole comment.
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            ';' | ':' => 1,
            c if inside(c) => rest.find(|c| !inside(c)).unwrap_or(rest.len()),
            _ => match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
                Some((sign, _)) => sign.len(),
                None => {
                    let span = at..at + c.len_utf8();
                    return Err(syntax(span, &format!("`{c}`"), "a formula of LoLA"));
                }
            },
        };
        if !c.is_whitespace() && c != '{' && c != '/' {
            let span = at..at + length;
            pieces.push(LolaPiece { text: &rest[..length], span, is_word: inside(c) });
        }
        at += length;
    }
    Ok(pieces)
}

/// Returns the failure "found …, expected …" at a position.
fn syntax(span: Range<usize>, found: &str, expected: &str) -> TextFailure {
    let (found, expected) = (found.to_owned(), expected.to_owned().into());
    TextFailure { span, problem: FormulaProblem::Syntax { found, expected } }
}

/// Translates one formula, given as the tokens of the file.
fn translate(pieces: &[LolaPiece<'_>]) -> Result<InlineTranslation, TextFailure> {
    let mut out = InlineTranslation { text: String::new(), pieces: Vec::new() };
    let mut pieces = match pieces {
        [first, rest @ ..] if first.text == "FORMULA" => rest,
        all => all,
    };
    let mut end_span = None;
    if let [first, rest @ ..] = pieces
        && let Some((_, begin)) = FORMULA_KEYWORDS.iter().find(|(word, _)| *word == first.text)
    {
        out.push(begin, first.span.clone());
        (pieces, end_span) = (rest, Some(first.span.clone()));
    }
    for (index, piece) in pieces.iter().enumerate() {
        let LolaPiece { text, span, is_word } = piece.clone();
        if !is_word {
            let sign = SIGNS.iter().find(|(sign, _)| *sign == text);
            out.push(sign.map_or(text, |(_, translation)| translation), span);
            continue;
        }
        // In the list of `FIREABLE(…)`, every word is the name of a transition, even a keyword.
        let is_list =
            index > 0 && matches!(pieces[index - 1].text, "(" | ",") && in_fireable(pieces, index);
        match KEYWORDS.iter().find(|(word, _)| *word == text && !is_list) {
            Some((_, translation)) => {
                if is_temporal(text) {
                    ask_for_parentheses(pieces, index)?;
                }
                out.push(translation, span);
            }
            None if matches!(text, "INITIAL" | "oo" | "FORMULA" | "COMPUTE" | "MAX")
                || FORMULA_KEYWORDS.iter().any(|(word, _)| *word == text) =>
            {
                return Err(syntax(span, &format!("`{text}`"), "a keyword that Parikh supports"));
            }
            None if text.bytes().all(|byte| byte.is_ascii_digit()) && !is_list => {
                out.push(text, span)
            }
            None => {
                let mut name = String::new();
                let _ = write!(name, "\"{text}\"");
                out.push(&name, span);
            }
        }
    }
    if let Some(span) = end_span {
        out.push(")", span);
    }
    Ok(out)
}

/// Returns true if the last opening parenthesis before the piece follows `FIREABLE` or
/// `UNFIREABLE`. The parenthesis may have been closed before the piece.
fn in_fireable(pieces: &[LolaPiece<'_>], at: usize) -> bool {
    let open = pieces[..at].iter().rposition(|piece| piece.text == "(");
    open.and_then(|open| open.checked_sub(1))
        .is_some_and(|before| matches!(pieces[before].text, "FIREABLE" | "UNFIREABLE"))
}

/// Returns true if the keyword is a path quantifier, or a temporal operator that stands before its
/// only operand. Returns false for `UNTIL` and `U`.
fn is_temporal(word: &str) -> bool {
    let words = ["ALLPATH", "EXPATH", "ALWAYS", "EVENTUALLY", "NEXTSTATE", "AGEF", "EFAG"];
    let short = ["A", "E", "G", "F", "X", "AG", "AF", "AX", "EG", "EF", "EX"];
    words.contains(&word) || short.contains(&word)
}

/// Checks the operand of the temporal operator at `operator_index`. Returns an error if the operand
/// is a comparison without parentheses and a logical operator follows: `EF p > 2 AND q > 2`. The
/// two languages would read such a formula differently.
fn ask_for_parentheses(pieces: &[LolaPiece<'_>], operator_index: usize) -> Result<(), TextFailure> {
    let is_sign = |piece: &&LolaPiece<'_>| matches!(piece.text, "NOT" | "!" | "-");
    let Some(next) = pieces[operator_index + 1..].iter().find(|piece| !is_sign(piece)) else {
        return Ok(());
    };
    let is_operand = next.is_word && !KEYWORDS.iter().any(|(word, _)| *word == next.text);
    if !is_operand {
        return Ok(());
    }
    let mut open_groups = 0i64;
    for piece in &pieces[operator_index + 1..] {
        match piece.text {
            "(" | "[" => open_groups += 1,
            ")" | "]" => open_groups -= 1,
            "AND" | "OR" | "XOR" | "UNTIL" | "U" | "->" | "<->" | "&" | "|" if open_groups == 0 => {
                let expected = "parentheses around the operand of the previous operator";
                return Err(syntax(piece.span.clone(), &format!("`{}`", piece.text), expected));
            }
            _ => {}
        }
        if open_groups < 0 {
            break;
        }
    }
    Ok(())
}
