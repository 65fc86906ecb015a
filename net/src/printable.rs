//! Safe output of text from files.
//!
//! Names, ids and paths may hold any character: an escape sequence that a terminal executes, a line
//! break that forges a line of output, or a mark that changes the direction of text. All output for
//! users goes through one of these:
//!
//! - [`Printable`], for a line: harmful characters are shown as escapes, `\u{9b}`, `\n`, `\t`.
//! - [`Word`], for an id in a line that programs read: white space and backslashes are escaped as
//!   well, so that the id is one word and two ids never become the same word.
//! - [`Quoted`], for a name inside a sentence: it stands between backquotes, cannot end them, and
//!   is shortened, so that the name cannot pass for a part of the sentence. [`QuotedInFull`] does
//!   not shorten it.
//! - [`EscapedXml`], for XML: in elements and in attributes.
//! - [`json`], for JSON: strings keep their value with JSON's own escapes.
//!
//! ```
//! use parikh_net::printable::{Printable, Quoted, Word, json};
//!
//! assert_eq!(Printable("a b\u{1b}[31m\n").to_string(), r"a b\u{1b}[31m\n");
//! assert_eq!(Word("a b\\").to_string(), r"a\u{20}b\u{5c}");
//! assert_eq!(Quoted("p`: TRUE").to_string(), r"`p\u{60}: TRUE`");
//! assert_eq!(json("{\"id\":\"\u{9b}\"}".to_owned()), r#"{"id":"\u009b"}"#);
//! ```

use std::fmt::{self, Display, Write};

/// A text shown in one line: harmful characters and line breaks are written as escapes.
#[derive(Clone, Copy, Debug)]
pub struct Printable<T>(pub T);

/// A text shown as one word: white space and backslashes are written as escapes, too.
#[derive(Clone, Copy, Debug)]
pub struct Word<T>(pub T);

/// A name shown inside a sentence: between backquotes, with escapes, and shortened if it is long.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(pub &'a str);

/// A name as shown by [`Quoted`], but never shortened. Different names are shown differently.
#[derive(Clone, Copy, Debug)]
pub struct QuotedInFull<'a>(pub &'a str);

/// The largest number of characters of a name inside a sentence.
const MAX_NAME_CHARACTERS: usize = 120;

/// Returns true for characters that a terminal or reader may interpret: control characters (C0, DEL
/// and C1), Unicode's line and paragraph separators, and marks that change the direction of text.
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' // ends of lines and paragraphs
            | '\u{061c}' | '\u{200e}' | '\u{200f}' // marks of a direction
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // embeddings, overrides, isolates
        )
}

/// Returns a count with its noun: `1 firing`, `12 firings`, `3 properties`.
///
/// ```
/// use parikh_net::printable::counted;
///
/// assert_eq!(counted(0, "place"), "0 places");
/// assert_eq!(counted(1, "place"), "1 place");
/// assert_eq!(counted(2, "property"), "2 properties");
/// ```
pub fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    match noun.strip_suffix('y') {
        _ if count == "1" => format!("1 {noun}"),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ => format!("{count} {noun}s"),
    }
}

/// Escapes harmful characters in the strings of serialized JSON. Line breaks between values stay;
/// strings have none.
pub fn json(serialized: String) -> String {
    let is_escaped = |c: char| is_harmful(c) && c != '\n';
    if !serialized.contains(is_escaped) {
        return serialized;
    }
    let mut text = String::with_capacity(serialized.len() + 16);
    for c in serialized.chars() {
        // All harmful characters fit in 16 bits.
        let _ = match is_escaped(c) {
            true => write!(text, "\\u{:04x}", u32::from(c)),
            false => text.write_char(c),
        };
    }
    text
}

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(EscapingWriter { out: f, is_also_escaped: |_| false }, "{}", self.0)
    }
}

impl<T: Display> Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            EscapingWriter { out: f, is_also_escaped: |c| c.is_whitespace() || c == '\\' },
            "{}",
            self.0
        )
    }
}

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = self.0.char_indices().nth(MAX_NAME_CHARACTERS).map(|(end, _)| end);
        write_quoted(&self.0[..end.unwrap_or(self.0.len())], end.is_some(), f)
    }
}

impl Display for QuotedInFull<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_quoted(self.0, false, f)
    }
}

/// Writes a name between backquotes. If `is_cut`, the name goes on, which `…` shows.
fn write_quoted(name: &str, is_cut: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_char('`')?;
    let also = |c: char| matches!(c, '`' | '\\') || c.is_whitespace() && c != ' ';
    EscapingWriter { out: f, is_also_escaped: also }.write_str(name)?;
    f.write_str(if is_cut { "…`" } else { "`" })
}

/// A text escaped for elements and attributes of XML. Tabs, line breaks and harmful characters are
/// written by number: XML readers turn tabs and line breaks into blanks, and terminals interpret
/// harmful characters. Characters that XML does not allow become U+FFFD.
#[derive(Clone, Copy, Debug)]
pub struct EscapedXml<'t>(pub &'t str);

impl Display for EscapedXml<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\t' | '\n' | '\r' => write!(f, "&#{};", u32::from(c))?,
                '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => f.write_char('\u{fffd}')?,
                c if is_harmful(c) => write!(f, "&#{};", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// A writer that escapes on the way to `out`.
struct EscapingWriter<'a, 'f> {
    /// The formatter that receives the escaped text.
    out: &'a mut fmt::Formatter<'f>,
    /// Decides which characters are escaped in addition to harmful ones.
    is_also_escaped: fn(char) -> bool,
}

impl Write for EscapingWriter<'_, '_> {
    /// Writes a text, with escapes in place of the selected characters.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let also = self.is_also_escaped;
        let is_escaped = |c: char| is_harmful(c) || also(c);
        let mut rest = text;
        while let Some(escaped_start) = rest.find(is_escaped) {
            let (plain, tail) = rest.split_at(escaped_start);
            self.out.write_str(plain)?;
            let mut tail = tail.chars();
            match tail.next() {
                Some('\n') => self.out.write_str("\\n")?,
                Some('\t') => self.out.write_str("\\t")?,
                Some('\r') => self.out.write_str("\\r")?,
                Some(c) => write!(self.out, "{}", c.escape_unicode())?,
                None => {}
            }
            rest = tail.as_str();
        }
        self.out.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmful_characters_are_escaped() {
        let harmful = "\0\u{1b}\u{7f}\u{80}\u{85}\u{9b}\u{9f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}\
                       \u{200e}\u{200f}\u{61c}\r\n\t";
        let shown = Printable(harmful).to_string();
        assert!(shown.is_ascii() && !shown.contains(is_harmful), "{shown}");
        assert!(
            shown.starts_with(r"\u{0}\u{1b}\u{7f}\u{80}") && shown.ends_with(r"\r\n\t"),
            "{shown}"
        );
        assert_eq!(Printable("größer als ω, \\ ok").to_string(), "größer als ω, \\ ok");
        assert_eq!(Printable(format_args!("{}|{}", "a\nb", 7)).to_string(), "a\\nb|7");
    }

    #[test]
    fn an_id_is_one_word_and_its_own() {
        let ids = [
            "a b",
            "a\\u{20}b",
            "a\u{a0}b",
            "a\nb",
            "a\\nb",
            "a-b_C.1",
            "FORMULA x TRUE TECHNIQUES y",
        ];
        let words: Vec<String> = ids.iter().map(|id| Word(id).to_string()).collect();
        assert!(words.iter().all(|word| !word.contains(char::is_whitespace)), "{words:?}");
        let different: std::collections::HashSet<&String> = words.iter().collect();
        assert_eq!(different.len(), ids.len(), "{words:?}");
        assert_eq!(words[5], ids[5]);
    }

    #[test]
    fn a_name_in_a_sentence_cannot_end_its_quotation() {
        assert_eq!(Quoted("p 1").to_string(), "`p 1`");
        assert_eq!(Quoted("p`: TRUE\u{a0}\\\n").to_string(), r"`p\u{60}: TRUE\u{a0}\u{5c}\n`");
        let long = Quoted(&"ä".repeat(500)).to_string();
        assert_eq!(long, format!("`{}…`", "ä".repeat(120)));
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let written = "{\n \"a\": \"\u{9b}\u{202e}é\\n\"\n}".to_owned();
        assert_eq!(json(written), "{\n \"a\": \"\\u009b\\u202eé\\n\"\n}");
    }
}
