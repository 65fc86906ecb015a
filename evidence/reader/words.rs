//! Texts in other tools' languages, as a list of words and signs with their lines.

use super::Unreadable;
use parikh_net::Marking;
use parikh_net::printable::Quoted;

/// A word or a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) line: u64,
    pub(super) text: String,
    /// Whether it stood in braces, as a name.
    pub(super) braced: bool,
    /// Whether nothing stands before it in its line.
    pub(super) first: bool,
}

/// The words of a text, from the front.
pub(super) struct Words {
    words: std::iter::Peekable<std::vec::IntoIter<Word>>,
    line: u64,
}

impl Words {
    pub(super) fn new(words: Vec<Word>) -> Self {
        let line = words.last().map_or(1, |word| word.line);
        Words { words: words.into_iter().peekable(), line }
    }

    /// The next one, which stays there.
    pub(super) fn next_is(&mut self, text: &str) -> bool {
        self.words.peek().is_some_and(|word| !word.braced && word.text == text)
    }

    /// The next one as it is.
    pub(super) fn peek(&mut self) -> Option<&Word> {
        self.words.peek()
    }

    /// Takes the next one if it is this.
    pub(super) fn skip(&mut self, text: &str) -> bool {
        self.next_is(text) && self.words.next().is_some()
    }

    /// Takes the next one, whatever it is.
    pub(super) fn take(&mut self, expected: &str) -> Result<Word, Unreadable> {
        let what = || format!("the file ends where {expected} is expected");
        self.words.next().ok_or_else(|| Unreadable { line: self.line, what: what() })
    }

    /// Takes this one.
    pub(super) fn must(&mut self, text: &str) -> Result<(), Unreadable> {
        let word = self.take(text)?;
        match !word.braced && word.text == text {
            true => Ok(()),
            false => Err(word.wrong(text)),
        }
    }

    /// Takes a number.
    pub(super) fn number(&mut self, least: u64) -> Result<u64, Unreadable> {
        let word = self.take("a number")?;
        word.number().filter(|number| *number >= least).ok_or_else(|| word.wrong("a number"))
    }
}

impl Word {
    /// It stands where something else should.
    pub(super) fn wrong(&self, expected: &str) -> Unreadable {
        let what = format!("expected {expected}, found {}", Quoted(&self.text));
        Unreadable { line: self.line, what }
    }

    /// What it says in decimal digits and nothing else, if that is a number of tokens.
    pub(super) fn number(&self) -> Option<u64> {
        let digits = !self.braced && self.text.bytes().all(|byte| byte.is_ascii_digit());
        self.text.parse().ok().filter(|&number| digits && number <= Marking::MAX_TOKENS)
    }
}

/// Something is wrong in this line.
pub(super) fn wrong(line: u64, what: impl Into<String>) -> Unreadable {
    Unreadable { line, what: what.into() }
}

/// The text of a file; where it is not UTF-8, each byte is a character. Names are what bytes make
/// them.
pub(super) fn text(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}
