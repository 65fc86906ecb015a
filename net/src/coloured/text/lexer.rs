//! Tokens of a line.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ColouredToken {
    /// A name or a number. The flag is true if the text was in quotes, so that it is no keyword.
    Name(String, bool),
    Mark(&'static str),
}

impl fmt::Display for ColouredToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ColouredToken::Name(name, _) => write!(f, "`{name}`"),
            ColouredToken::Mark(mark) => write!(f, "`{mark}`"),
        }
    }
}

/// The signs of the language. The lexer takes the first sign in this list with which the rest of
/// the line begins. So a sign stands before every shorter sign that it begins with.
const MARKS: [&str; 24] = [
    "++", "--", "->", "..", "!=", "<=", ">=", "{", "}", "(", ")", "[", "]", ":", ";", ",", "=",
    "<", ">", "+", "-", "*", "'", "|",
];

/// Returns true for characters of names without quotes. Such a name may also have single dots
/// between these characters.
pub(super) fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '@'
}

/// Splits a line into tokens. `#` outside of quotes starts a comment. Returns a message if a quote
/// is not closed or a character begins no token.
pub(super) fn tokens(line: &str) -> Result<Vec<ColouredToken>, String> {
    let mut tokens = Vec::new();
    let mut rest = line.trim_start();
    while let Some(c) = rest.chars().next() {
        if c == '#' {
            break;
        }
        if c == '"' {
            let (name, after_quote) = read_quoted(&rest[1..])?;
            tokens.push(ColouredToken::Name(name, true));
            rest = after_quote;
        } else if is_plain(c) {
            let mut end = rest.find(|c| !is_plain(c)).unwrap_or(rest.len());
            // A name may contain a dot, but not the two dots of a range.
            while rest[end..].starts_with('.') && rest[end + 1..].starts_with(is_plain) {
                let after_dot = &rest[end + 1..];
                end += 1 + after_dot.find(|c| !is_plain(c)).unwrap_or(after_dot.len());
            }
            tokens.push(ColouredToken::Name(rest[..end].to_owned(), false));
            rest = &rest[end..];
        } else if let Some(mark) = MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            tokens.push(ColouredToken::Mark(mark));
            rest = &rest[mark.len()..];
        } else if c == '.' {
            tokens.push(ColouredToken::Name(".".to_owned(), false));
            rest = &rest[1..];
        } else {
            return Err(format!(
                "found `{c}`, expected a name or an operator; quote names that contain this \
                 character"
            ));
        }
        rest = rest.trim_start();
    }
    Ok(tokens)
}

fn read_quoted(text: &str) -> Result<(String, &str), String> {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '"' => return Ok((name, &text[offset + 1..])),
            '\\' => name.extend(chars.next().map(|(_, c)| match c {
                'n' => '\n',
                'r' => '\r',
                c => c,
            })),
            c => name.push(c),
        }
    }
    Err("a quoted name is not closed".into())
}

/// A name in its written form, quoted if necessary.
pub(super) struct WrittenName<'n>(pub(super) &'n str);

const KEYWORDS: [&str; 6] = ["all", "and", "or", "not", "cyclic", "partition"];

impl fmt::Display for WrittenName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain_name =
            || self.0.split('.').all(|it| !it.is_empty() && it.chars().all(is_plain));
        if !KEYWORDS.contains(&self.0) && is_plain_name() {
            return f.write_str(self.0);
        }
        let escaped = self.0.replace('\\', "\\\\").replace('"', "\\\"");
        write!(f, "\"{}\"", escaped.replace('\n', "\\n").replace('\r', "\\r"))
    }
}
