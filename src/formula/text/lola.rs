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

use super::Failure;
use crate::formula::FormulaProblem;
use std::fmt::Write as _;
use std::ops::Range;

/// The keywords with their translation into the inline language.
const WORDS: [(&str, &str); 29] = [
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
const WHOLE: [(&str, &str); 4] =
    [("REACHABLE", "EF ("), ("INVARIANT", "AG ("), ("IMPOSSIBLE", "AG !("), ("LIVE", "AG EF (")];

/// The keywords that no other formula language has.
const OWN: [&str; 21] = [
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

/// The signs with their translation. A sign comes before its prefixes.
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
pub(super) struct Translated {
    pub(super) text: String,
    /// For each piece, its byte offset in `text`, and its range in the original file.
    pieces: Vec<(usize, Range<usize>)>,
}

impl Translated {
    /// Returns the range in the original file of a range in the translated text.
    pub(super) fn origin(&self, span: &Range<usize>) -> Range<usize> {
        let at = |byte: usize| self.pieces.partition_point(|&(start, _)| start <= byte).max(1) - 1;
        let of = |at: usize| self.pieces.get(at).map_or(0..0, |(_, span)| span.clone());
        of(at(span.start)).start..of(at(span.end.max(span.start + 1) - 1)).end
    }

    fn push(&mut self, text: &str, span: Range<usize>) {
        self.pieces.push((self.text.len(), span));
        self.text.push_str(text);
        self.text.push(' ');
    }
}

/// Returns true if a text is in the language of LoLA.
pub(super) fn is(text: &str) -> bool {
    // In the inline language, `#` begins a comment.
    let lines = || text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let is_its_own = |line: &str| line.contains(';') || line.trim_start().starts_with('{');
    !lines().any(|line| line.contains('"'))
        && (words.any(|word| OWN.contains(&word)) || lines().any(is_its_own))
}

/// A token of the original file.
#[derive(Clone)]
struct Piece<'t> {
    text: &'t str,
    span: Range<usize>,
    is_word: bool,
}

/// Translates the formulas of a text.
pub(super) fn formulas(text: &str) -> Vec<Result<Translated, Failure>> {
    let pieces = match pieces(text) {
        Ok(pieces) => pieces,
        Err(failure) => return vec![Err(failure)],
    };
    let formulas = pieces.split(|piece| matches!(piece.text, ";" | ":"));
    formulas.filter(|formula| !formula.is_empty()).map(translated).collect()
}

fn pieces(text: &str) -> Result<Vec<Piece<'_>>, Failure> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let inside = |c: char| c.is_alphanumeric() || "_.'$~@".contains(c);
        let length = match c {
            c if c.is_whitespace() => c.len_utf8(),
            '{' => rest.find('}').map_or(rest.len(), |end| end + 1),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
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
            pieces.push(Piece { text: &rest[..length], span, is_word: inside(c) });
        }
        at += length;
    }
    Ok(pieces)
}

fn syntax(span: Range<usize>, found: &str, expected: &str) -> Failure {
    let (found, expected) = (found.to_owned(), expected.to_owned().into());
    Failure { span, problem: FormulaProblem::Syntax { found, expected } }
}

fn translated(pieces: &[Piece<'_>]) -> Result<Translated, Failure> {
    let mut out = Translated { text: String::new(), pieces: Vec::new() };
    let mut pieces = match pieces {
        [first, rest @ ..] if first.text == "FORMULA" => rest,
        all => all,
    };
    let mut end = None;
    if let [first, rest @ ..] = pieces
        && let Some((_, begin)) = WHOLE.iter().find(|(word, _)| *word == first.text)
    {
        out.push(begin, first.span.clone());
        (pieces, end) = (rest, Some(first.span.clone()));
    }
    for (at, piece) in pieces.iter().enumerate() {
        let Piece { text, span, is_word } = piece.clone();
        if !is_word {
            let sign = SIGNS.iter().find(|(sign, _)| *sign == text);
            out.push(sign.map_or(text, |(_, own)| own), span);
            continue;
        }
        let is_list = at > 0 && matches!(pieces[at - 1].text, "(" | ",") && in_fireable(pieces, at);
        match WORDS.iter().find(|(word, _)| *word == text && !is_list) {
            Some((_, own)) => {
                if is_temporal(text) {
                    ask_for_parentheses(pieces, at)?;
                }
                out.push(own, span);
            }
            None if matches!(text, "INITIAL" | "oo" | "FORMULA" | "COMPUTE" | "MAX")
                || WHOLE.iter().any(|(word, _)| *word == text) =>
            {
                return Err(syntax(span, &format!("`{text}`"), "a keyword that Parikh supports"));
            }
            None if text.bytes().all(|byte| byte.is_ascii_digit()) => out.push(text, span),
            None => {
                let mut name = String::new();
                let _ = write!(name, "\"{text}\"");
                out.push(&name, span);
            }
        }
    }
    if let Some(span) = end {
        out.push(")", span);
    }
    Ok(out)
}

/// Returns true if the piece is inside the parentheses of `FIREABLE` or `UNFIREABLE`.
fn in_fireable(pieces: &[Piece<'_>], at: usize) -> bool {
    let open = pieces[..at].iter().rposition(|piece| piece.text == "(");
    open.and_then(|open| open.checked_sub(1))
        .is_some_and(|before| matches!(pieces[before].text, "FIREABLE" | "UNFIREABLE"))
}

fn is_temporal(word: &str) -> bool {
    let words = ["ALLPATH", "EXPATH", "ALWAYS", "EVENTUALLY", "NEXTSTATE", "AGEF", "EFAG"];
    let short = ["A", "E", "G", "F", "X", "AG", "AF", "AX", "EG", "EF", "EX"];
    words.contains(&word) || short.contains(&word)
}

/// Returns an error if a comparison without parentheses directly follows a temporal operator and
/// another operator follows the comparison.
fn ask_for_parentheses(pieces: &[Piece<'_>], at: usize) -> Result<(), Failure> {
    let is_sign = |piece: &&Piece<'_>| matches!(piece.text, "NOT" | "!" | "-");
    let Some(next) = pieces[at + 1..].iter().find(|piece| !is_sign(piece)) else { return Ok(()) };
    let is_operand = next.is_word && !WORDS.iter().any(|(word, _)| *word == next.text);
    if !is_operand {
        return Ok(());
    }
    let mut open = 0i64;
    for piece in &pieces[at + 1..] {
        match piece.text {
            "(" | "[" => open += 1,
            ")" | "]" => open -= 1,
            "AND" | "OR" | "XOR" | "UNTIL" | "U" | "->" | "<->" | "&" | "|" if open == 0 => {
                let expected = "parentheses around the operand of the previous operator";
                return Err(syntax(piece.span.clone(), &format!("`{}`", piece.text), expected));
            }
            _ => {}
        }
        if open < 0 {
            break;
        }
    }
    Ok(())
}
