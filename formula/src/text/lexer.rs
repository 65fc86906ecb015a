//! A lexer based on winnow: words, quoted names, whole numbers, and the symbols of a language. The
//! lexer never fails. Invalid text gives a token of kind [`LexemeKind::Bad`], so that the parser
//! can report its position and the expected token.

use super::TextFailure;
use crate::FormulaProblem;
use crate::error::shortened;
use crate::named::unescaped;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use winnow::ascii::digit1;
use winnow::combinator::{alt, delimited, fail, preceded, repeat};
use winnow::error::EmptyError;
use winnow::prelude::*;
use winnow::stream::LocatingSlice;
use winnow::token::{any, none_of, one_of, take_while};

type LexerInput<'t> = LocatingSlice<&'t str>;
type LexerResult<T> = winnow::Result<T, EmptyError>;

/// The lexical rules of a language.
pub(super) struct Lexis {
    /// The characters allowed inside words, besides letters, digits and `_`.
    pub(super) word_characters: &'static [char],
    /// The symbols; a symbol comes before its prefixes.
    pub(super) symbols: &'static [&'static str],
    /// True if `#` starts a comment.
    pub(super) has_comments: bool,
    /// True if the end of a line is a token.
    pub(super) has_line_tokens: bool,
    /// True if a backslash inside quotes escapes the next character.
    pub(super) has_escapes: bool,
}

/// The kind of a token, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LexemeKind<'t> {
    /// A bare name or keyword.
    Word(&'t str),
    /// The text of a name in double quotes, without the quotes.
    Quoted(Cow<'t, str>),
    /// A sequence of digits.
    Integer(&'t str),
    /// A symbol of the language.
    Symbol(&'static str),
    /// The end of a line.
    LineEnd,
    /// A character that begins no token, such as a quote without a closing quote on its line.
    Bad(char),
    /// The end of the text.
    End,
}

/// A token with its byte range in the whole text.
#[derive(Clone, Debug)]
pub(super) struct Lexeme<'t> {
    pub(super) kind: LexemeKind<'t>,
    pub(super) span: Range<usize>,
}

impl Lexeme<'_> {
    /// Describes the token for a message "found …".
    pub(super) fn description(&self) -> String {
        match &self.kind {
            LexemeKind::Word(text) | LexemeKind::Integer(text) => format!("`{}`", shortened(text)),
            LexemeKind::Quoted(name) => format!("the name \"{}\"", shortened(name)),
            LexemeKind::Symbol(symbol) => format!("`{symbol}`"),
            LexemeKind::LineEnd => "the end of the line".into(),
            LexemeKind::Bad('"') => "an unclosed quote".into(),
            LexemeKind::Bad(other) if other.is_control() => {
                format!("the control character U+{:04X}", u32::from(*other))
            }
            LexemeKind::Bad(other) => format!("`{other}`"),
            LexemeKind::End => "the end of the formula".into(),
        }
    }

    /// Returns true if the token is this symbol.
    pub(super) fn is(&self, symbol: &str) -> bool {
        matches!(self.kind, LexemeKind::Symbol(found) if found == symbol)
    }

    /// Returns true if the token is this word, without quotes.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.kind, LexemeKind::Word(found) if found == word)
    }

    /// Returns the failure that this token is not the expected one.
    pub(super) fn instead_of(&self, expected: impl Into<Cow<'static, str>>) -> TextFailure {
        let problem =
            FormulaProblem::Syntax { found: self.description(), expected: expected.into() };
        TextFailure { span: self.span.clone(), problem }
    }
}

/// A position in a text, from which tokens are read.
pub(super) struct TokenCursor<'t> {
    lexis: &'static Lexis,
    /// The whole text up to the end of the range of the cursor.
    text: &'t str,
    input: LexerInput<'t>,
    /// The byte offset, in the whole text, at which the range of the cursor begins.
    base: usize,
    /// Tokens that were read ahead, but not taken.
    lookahead: VecDeque<Lexeme<'t>>,
    /// The end of the token taken last, or the beginning of the range if no token was taken.
    last_end: usize,
}

impl<'t> TokenCursor<'t> {
    /// Returns a cursor at the beginning of `text[range]`.
    pub(super) fn new(text: &'t str, range: Range<usize>, lexis: &'static Lexis) -> Self {
        let input = LocatingSlice::new(&text[range.clone()]);
        TokenCursor {
            lexis,
            text: &text[..range.end],
            input,
            base: range.start,
            lookahead: VecDeque::new(),
            last_end: range.start,
        }
    }

    /// Returns the token at a distance from here, without taking it. The next token has distance 0.
    pub(super) fn peek_at(&mut self, distance: usize) -> &Lexeme<'t> {
        while self.lookahead.len() <= distance {
            let token = self.read();
            self.lookahead.push_back(token);
        }
        &self.lookahead[distance]
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&mut self) -> &Lexeme<'t> {
        self.peek_at(0)
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Lexeme<'t> {
        let token = self.lookahead.pop_front().unwrap_or_else(|| self.read());
        self.last_end = token.span.end;
        token
    }

    /// Takes the next token if it is this symbol.
    pub(super) fn take_if(&mut self, symbol: &str) -> Option<Lexeme<'t>> {
        self.peek().is(symbol).then(|| self.take())
    }

    /// Takes the next token, which must be this symbol. For another token, returns a failure and
    /// takes nothing.
    pub(super) fn expect(&mut self, symbol: &'static str) -> Result<Lexeme<'t>, TextFailure> {
        match self.take_if(symbol) {
            Some(token) => Ok(token),
            None => Err(self.peek().instead_of(format!("`{symbol}`"))),
        }
    }

    /// Returns the text from a byte offset on.
    pub(super) fn text_from(&self, start: usize) -> &'t str {
        &self.text[start..]
    }

    /// Returns the byte offset of the next token.
    pub(super) fn position(&mut self) -> usize {
        self.peek().span.start
    }

    /// Returns the end of the token taken last, or the beginning of the range if no token was
    /// taken.
    pub(super) fn last_end(&self) -> usize {
        self.last_end
    }

    /// Reads the next token from the input, after blanks and comments.
    fn read(&mut self) -> Lexeme<'t> {
        let lexis = self.lexis;
        let input = &mut self.input;
        // Neither parser fails: blanks may be empty, and every text has a token.
        let _ = skip_blanks(lexis, input);
        let lexeme =
            (|input: &mut LexerInput<'t>| read_kind(lexis, input)).with_span().parse_next(input);
        let (kind, span) = lexeme.unwrap_or((LexemeKind::End, 0..0));
        Lexeme { kind, span: span.start + self.base..span.end + self.base }
    }
}

/// Skips blanks and comments.
fn skip_blanks(lexis: &Lexis, input: &mut LexerInput<'_>) -> LexerResult<()> {
    let is_blank = |c: char| c.is_whitespace() && !(lexis.has_line_tokens && c == '\n');
    loop {
        let blanks = take_while(0.., is_blank).parse_next(input)?;
        let comment = match lexis.has_comments && input.starts_with('#') {
            true => take_while(0.., |c| c != '\n').parse_next(input)?,
            false => "",
        };
        if blanks.is_empty() && comment.is_empty() {
            return Ok(());
        }
    }
}

/// Reads one token. Every text has a first token.
fn read_kind<'t>(lexis: &'static Lexis, input: &mut LexerInput<'t>) -> LexerResult<LexemeKind<'t>> {
    if input.is_empty() {
        return Ok(LexemeKind::End);
    }
    let is_inside_word =
        |c: char| c.is_alphanumeric() || c == '_' || lexis.word_characters.contains(&c);
    alt((
        (one_of(|c: char| c.is_alphabetic() || c == '_'), take_while(0.., is_inside_word))
            .take()
            .map(LexemeKind::Word),
        digit1.map(LexemeKind::Integer),
        |input: &mut LexerInput<'t>| quoted(lexis, input).map(LexemeKind::Quoted),
        |input: &mut LexerInput<'t>| symbol(lexis, input).map(LexemeKind::Symbol),
        '\n'.value(LexemeKind::LineEnd),
        any.map(LexemeKind::Bad),
    ))
    .parse_next(input)
}

/// Reads a name in double quotes, and resolves its escapes: `\n`, `\r` and `\t` mean a line break,
/// a carriage return and a tab, and a backslash before another character means this character.
fn quoted<'t>(lexis: &Lexis, input: &mut LexerInput<'t>) -> LexerResult<Cow<'t, str>> {
    let is_plain = |c: char| c != '"' && c != '\n' && !(lexis.has_escapes && c == '\\');
    let without_escapes = delimited('"', take_while(0.., is_plain), '"').map(Cow::Borrowed);
    if !lexis.has_escapes {
        return { without_escapes }.parse_next(input);
    }
    let character = alt((none_of(['"', '\\', '\n']), preceded('\\', any.map(unescaped))));
    let with_escapes = delimited('"', repeat(0.., character), '"').map(Cow::<str>::Owned);
    alt((without_escapes, with_escapes)).parse_next(input)
}

/// Reads the symbol at the beginning of the input. The list has each symbol before its prefixes,
/// so the longest symbol is found.
fn symbol(lexis: &Lexis, input: &mut LexerInput<'_>) -> LexerResult<&'static str> {
    for &symbol in lexis.symbols {
        if input.starts_with(symbol) {
            return symbol.value(symbol).parse_next(input);
        }
    }
    fail.parse_next(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    static LEXIS: Lexis = Lexis {
        word_characters: &['.'],
        symbols: &["->", "-", ">=", "("],
        has_comments: true,
        has_line_tokens: false,
        has_escapes: true,
    };

    fn kinds(text: &str) -> Vec<LexemeKind<'_>> {
        let mut cursor = TokenCursor::new(text, 0..text.len(), &LEXIS);
        std::iter::from_fn(|| Some(cursor.take().kind))
            .take_while(|k| *k != LexemeKind::End)
            .collect()
    }

    #[test]
    fn every_kind_is_read() {
        let read = kinds("p.1->-12>= # no (\n(\"a \\\"b\"\"c\\nd\\\\\" 'é");
        let expected = [
            LexemeKind::Word("p.1"),
            LexemeKind::Symbol("->"),
            LexemeKind::Symbol("-"),
            LexemeKind::Integer("12"),
            LexemeKind::Symbol(">="),
            LexemeKind::Symbol("("),
            LexemeKind::Quoted("a \"b".into()),
            LexemeKind::Quoted("c\nd\\".into()),
            LexemeKind::Bad('\''),
            LexemeKind::Word("é"),
        ];
        assert_eq!(read, expected);
        assert_eq!(kinds("\"open\n"), [LexemeKind::Bad('"'), LexemeKind::Word("open")]);
    }

    #[test]
    fn spans_count_from_the_beginning_of_the_whole_text() {
        let mut cursor = TokenCursor::new("xx\n  p1 (", 3..9, &LEXIS);
        assert_eq!(cursor.peek_at(1).span, 8..9);
        assert_eq!(cursor.take().span, 5..7);
        assert_eq!(cursor.last_end(), 7);
        assert_eq!(cursor.take().span, 8..9);
        assert_eq!(cursor.take().span, 9..9);
    }
}
