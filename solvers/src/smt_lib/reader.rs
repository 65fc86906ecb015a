//! Parser for SMT-LIB 2 answers: expressions, one after another, from a stream that may stop
//! anywhere.

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::Zero;

/// Limit on the number of parentheses open at the end of the received bytes. Beyond it the answer
/// is an error.
const MAX_DEPTH: usize = 1000;

/// Limit on the digits of a number; a longer number is rejected. Reading millions of digits would
/// take too long.
const MAX_DIGITS: usize = 1000;

/// A word, a quoted text, or a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    /// The word as written, without the bars around some symbols.
    Word(String),
    /// The text between the quotation marks.
    Text(String),
    /// The elements between the parentheses.
    List(Vec<Expression>),
}
use Expression::{List, Text, Word};

impl Expression {
    /// Returns the word, or `None` for other expressions.
    pub(crate) fn word(&self) -> Option<&str> {
        match self {
            Word(word) => Some(word),
            Text(_) | List(_) => None,
        }
    }

    /// Returns the content of a word or text, or `None` for a list.
    pub(crate) fn content(&self) -> Option<&str> {
        match self {
            Word(content) | Text(content) => Some(content),
            List(_) => None,
        }
    }

    /// Returns the elements after the first, if the expression is a list that begins with the word
    /// `head`. Returns `None` for any other expression.
    pub(crate) fn elements_after(&self, head: &str) -> Option<&[Expression]> {
        match self {
            List(parts) if parts.first().and_then(Expression::word) == Some(head) => {
                Some(&parts[1..])
            }
            _ => None,
        }
    }

    /// Returns the unsigned value of a bit-vector in any notation: `#b101`, `#x5`, `(_ bv5 3)`.
    /// Returns `None` for another expression, or beyond [`MAX_DIGITS`] digits.
    pub(crate) fn bits(&self) -> Option<BigUint> {
        let digits = |text: &str, base| {
            let is_short = text.len() <= MAX_DIGITS;
            is_short.then(|| BigUint::parse_bytes(text.as_bytes(), base)).flatten()
        };
        if let Some(word) = self.word() {
            let binary = word.strip_prefix("#b").and_then(|text| digits(text, 2));
            return binary.or_else(|| word.strip_prefix("#x").and_then(|text| digits(text, 16)));
        }
        match self.elements_after("_")? {
            [value, _] => value.word()?.strip_prefix("bv").and_then(|text| digits(text, 10)),
            _ => None,
        }
    }

    /// Returns the value of a number in one of these notations: `7`, `-7`, `0.5`, `(- 7)`, `(+ 7)`,
    /// `(/ 1 3)`, `1/3`, `(to_real 7)`. Returns `None` for another expression, for a denominator 0,
    /// or for a number of more than [`MAX_DIGITS`] characters.
    pub(crate) fn number(&self) -> Option<BigRational> {
        match self {
            Word(word) => decimal(word),
            Text(_) => None,
            List(parts) => match (parts.first()?.word()?, &parts[1..]) {
                ("-", [number]) => Some(-number.number()?),
                ("to_real" | "+", [number]) => number.number(),
                ("/", [numerator, denominator]) => {
                    quotient(numerator.number()?, denominator.number()?)
                }
                _ => None,
            },
        }
    }
}

fn quotient(numerator: BigRational, denominator: BigRational) -> Option<BigRational> {
    if denominator.is_zero() { None } else { Some(numerator / denominator) }
}

/// Parses a decimal number or a fraction of two decimal numbers. Returns `None` for another text,
/// for a denominator 0, or for a number of more than [`MAX_DIGITS`] characters.
fn decimal(word: &str) -> Option<BigRational> {
    if let Some((numerator, denominator)) = word.split_once('/') {
        return quotient(decimal(numerator)?, decimal(denominator)?);
    }
    let (integer_digits, fraction_digits) = word.split_once('.').unwrap_or((word, ""));
    let digits = integer_digits.strip_prefix('-').unwrap_or(integer_digits);
    let has_only_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if digits.is_empty()
        || !has_only_digits(digits)
        || !has_only_digits(fraction_digits)
        || word.len() > MAX_DIGITS
    {
        return None;
    }
    let denominator = BigInt::from(10).pow(u32::try_from(fraction_digits.len()).ok()?);
    Some(BigRational::new(format!("{integer_digits}{fraction_digits}").parse().ok()?, denominator))
}

/// The position and state of the scan of a stream.
#[derive(Debug, Default)]
struct Scanner {
    /// The offset of the next byte.
    position: usize,
    /// Number of open parentheses.
    depth: usize,
    /// The lexical state before the next byte.
    state: LexState,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum LexState {
    /// Between tokens.
    #[default]
    BetweenTokens,
    /// Inside a word.
    Word,
    /// Inside a symbol between bars.
    Bars,
    /// Inside a quoted text.
    Text,
    /// Inside a comment.
    Comment,
}

impl Scanner {
    /// Returns the offset of the end of the next complete top-level expression, or `None` if
    /// `bytes` contain only a part of it.
    fn next_end(&mut self, bytes: &[u8]) -> Option<usize> {
        while let Some(&byte) = bytes.get(self.position) {
            let ends_word = byte.is_ascii_whitespace() || b"()\";|".contains(&byte);
            if self.state == LexState::Word && ends_word {
                self.state = LexState::BetweenTokens;
                if self.depth == 0 {
                    return Some(self.position);
                }
            }
            self.position += 1;
            let previous_state = self.state;
            self.state = match (previous_state, byte) {
                (LexState::Bars, b'|') | (LexState::Text, b'"') => LexState::BetweenTokens,
                (LexState::Comment, b'\n') => LexState::BetweenTokens,
                (LexState::BetweenTokens, b'|') => LexState::Bars,
                (LexState::BetweenTokens, b'"') => LexState::Text,
                (LexState::BetweenTokens, b';') => LexState::Comment,
                (LexState::BetweenTokens, b'(') => {
                    self.depth += 1;
                    previous_state
                }
                (LexState::BetweenTokens, b')') => {
                    self.depth = self.depth.saturating_sub(1);
                    previous_state
                }
                (LexState::BetweenTokens, byte) if !byte.is_ascii_whitespace() => LexState::Word,
                _ => previous_state,
            };
            let is_closed = self.state == LexState::BetweenTokens
                && (matches!(previous_state, LexState::Bars | LexState::Text) || byte == b')');
            if is_closed && self.depth == 0 {
                return Some(self.position);
            }
        }
        None
    }
}

/// A parser of expressions from incoming bytes.
#[derive(Debug, Default)]
pub(crate) struct Expressions {
    /// The scan of the incomplete expression.
    scanner: Scanner,
    /// Number of bytes that may still be read.
    allowed: usize,
}

/// The error for bytes that are not an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidExpression;

impl Expressions {
    /// Creates a parser for at most `bytes` bytes in total; further input is an error.
    pub(crate) fn of_at_most(bytes: usize) -> Self {
        Expressions { scanner: Scanner::default(), allowed: bytes }
    }

    /// Takes the first complete expression off `bytes`, or returns `None` if there is none yet.
    /// Returns an error if the input is too long, is not an expression, or ends inside too many
    /// open parentheses. Bytes that were scanned are not scanned again when more bytes arrive.
    pub(crate) fn first(
        &mut self,
        bytes: &mut Vec<u8>,
    ) -> Option<Result<Expression, InvalidExpression>> {
        let end = self.scanner.next_end(bytes);
        if self.scanner.depth > MAX_DEPTH || end.unwrap_or(bytes.len()) > self.allowed {
            self.scanner = Scanner::default();
            bytes.clear();
            return Some(Err(InvalidExpression));
        }
        self.allowed -= end?;
        let expression_bytes: Vec<u8> = bytes.drain(..end?).collect();
        self.scanner = Scanner::default();
        Some(expression(&expression_bytes).ok_or(InvalidExpression))
    }
}

/// Parses `bytes` as exactly one expression.
fn expression(bytes: &[u8]) -> Option<Expression> {
    let mut open_lists: Vec<Vec<Expression>> = vec![Vec::new()];
    let mut offset = 0;
    while let Some(&byte) = bytes.get(offset) {
        let rest = &bytes[offset + 1..];
        let length_until = |end: u8| rest.iter().position(|&byte| byte == end);
        let string = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        offset += 1;
        let element = match byte {
            byte if byte.is_ascii_whitespace() => continue,
            b';' => {
                offset += length_until(b'\n').unwrap_or(rest.len());
                continue;
            }
            b'(' => {
                open_lists.push(Vec::new());
                continue;
            }
            b')' => List(open_lists.pop()?),
            b'|' | b'"' => {
                let length = length_until(byte)?;
                offset += length + 1;
                let content = string(&rest[..length]);
                if byte == b'|' { Word(content) } else { Text(content) }
            }
            _ => {
                let ends_word = |byte: &u8| byte.is_ascii_whitespace() || b"()\";|".contains(byte);
                let length = rest.iter().position(ends_word).unwrap_or(rest.len());
                offset += length;
                Word(string(&bytes[offset - length - 1..offset]))
            }
        };
        open_lists.last_mut()?.push(element);
    }
    match (open_lists.pop()?, open_lists.is_empty()) {
        (mut top_level, true) if top_level.len() == 1 => top_level.pop(),
        _ => None,
    }
}

/// A splitter of incoming bytes into complete commands.
#[cfg(feature = "z3")]
#[derive(Debug, Default)]
pub(crate) struct Commands {
    /// The scan of the received bytes.
    scanner: Scanner,
    /// The bytes of commands that are not complete yet.
    received: Vec<u8>,
}

#[cfg(feature = "z3")]
impl Commands {
    /// Appends `bytes`, and returns the complete commands that were not returned before. Returns
    /// `None` if no command is complete. Also returns `None`, and drops the commands, if their text
    /// is not UTF-8.
    pub(crate) fn complete_commands(&mut self, bytes: &[u8]) -> Option<String> {
        self.received.extend_from_slice(bytes);
        let end = std::iter::from_fn(|| self.scanner.next_end(&self.received)).last()?;
        self.scanner.position -= end;
        let complete: Vec<u8> = self.received.drain(..end).collect();
        String::from_utf8(complete).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, at_once: usize) -> Vec<Result<Expression, InvalidExpression>> {
        let (mut expressions, mut heard, mut found) =
            (Expressions::of_at_most(text.len()), Vec::new(), Vec::new());
        for part in text.as_bytes().chunks(at_once) {
            heard.extend_from_slice(part);
            found.extend(std::iter::from_fn(|| expressions.first(&mut heard)));
        }
        found
    }

    #[test]
    fn expressions_are_read_from_input_in_pieces() {
        let text =
            "sat\n ((x (- 3)) (|y (z| (/ 1.0 3.0)))  ; not this )\n(error \"line 1: (no\")unsat ";
        let word = |text: &str| Word(text.to_owned());
        for at_once in [1, 2, 3, 7, 1000] {
            let found = all(text, at_once);
            assert_eq!(found.len(), 4, "{found:?}");
            assert_eq!(found[0], Ok(word("sat")));
            let Ok(List(values)) = &found[1] else { panic!("{found:?}") };
            assert_eq!(values[0], List(vec![word("x"), List(vec![word("-"), word("3")])]));
            let List(second) = &values[1] else { panic!() };
            assert_eq!(second[0], word("y (z"));
            assert_eq!(second[1].number(), Some(BigRational::new(1.into(), 3.into())));
            let error = Text("line 1: (no".to_owned());
            assert_eq!(found[2].as_ref().unwrap().elements_after("error"), Some(&[error][..]));
        }
    }

    #[test]
    fn numbers_are_exact_in_every_notation() {
        let value = |text: &str| all(&format!("{text} "), 9)[0].clone().unwrap().number();
        let ratio = |a: i64, b: i64| Some(BigRational::new(a.into(), b.into()));
        assert_eq!(value("7"), ratio(7, 1));
        assert_eq!(value("-7"), ratio(-7, 1));
        assert_eq!(value("(- 7.25)"), ratio(-29, 4));
        assert_eq!(value("(- (/ 1 3))"), ratio(-1, 3));
        assert_eq!(value("(/ (- 1) 3)"), ratio(-1, 3));
        assert_eq!(value("-1/3"), ratio(-1, 3));
        assert_eq!(value("(to_real 4)"), ratio(4, 1));
        let long = "7".repeat(100_000);
        assert_eq!(value(&long), None);
        for text in ["x", "1e5", "(/ 1 0)", "--7", "\"7\"", "(* 2 3)", "1.", "."] {
            let wanted = if text == "1." { ratio(1, 1) } else { None };
            assert_eq!(value(text), wanted, "{text}");
        }
    }

    #[test]
    fn input_beyond_the_allowed_bytes_is_an_error() {
        let said = |text: &str, allowed: usize| {
            let mut expressions = Expressions::of_at_most(allowed);
            let mut heard = text.as_bytes().to_vec();
            let found = std::iter::from_fn(|| expressions.first(&mut heard));
            found.map(|found| found.is_ok()).collect::<Vec<_>>()
        };
        assert_eq!(said("sat (x)", 7), [true, true]);
        assert_eq!(said("sat (x)", 6), [true, false]);
        assert_eq!(said(&";".repeat(100), 99), [false]);
        assert_eq!(said(&" ".repeat(100), 100), []);
    }

    #[test]
    fn numbers_of_bits_are_read_as_they_are_written() {
        let value = |text: &str| all(text, 100).pop().unwrap().unwrap().bits();
        for (text, expected) in [("#b0101 ", 5u32), ("#xfF ", 255), ("(_ bv12 8)", 12)] {
            assert_eq!(value(text), Some(expected.into()), "{text}");
        }
        for none in ["5 ", "#b2 ", "#x ", "#o7 ", "(_ bv-1 8)", "(_ bv1)", "(bv1 8)", "#b-1 "] {
            assert_eq!(value(none), None, "{none}");
        }
    }

    #[test]
    fn invalid_expressions_are_refused_without_panics() {
        assert!(all(&"(".repeat(5000), 100).contains(&Err(InvalidExpression)));
        assert_eq!(all(") ", 10), [Err(InvalidExpression)]);
        assert_eq!(all("(never whole", 3), []);
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..20_000 {
            let length = random.usize(..30);
            let text: String = (0..length)
                .map(|_| *random.choice(b"(()) |\";ab1.-/\n").unwrap() as char)
                .collect();
            all(&text, 1 + random.usize(..9))
                .iter()
                .flatten()
                .for_each(|found| drop(found.number()));
        }
    }
}
