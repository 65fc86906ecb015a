//! Parser for property files of RERS: numbered formulas, some with solutions.
//!
//! ```text
//! #1: true
//! ( (!a W b) )
//!
//! #2:
//! ( G(a => F(b)) )
//! ```
//!
//! A formula extends to the next number. Other lines that begin with `#` are comments.

use super::error::ReadError;
use parikh_temporal::ParseError;
use std::collections::HashSet;

/// A property from a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyLine {
    /// The number of the property.
    pub number: u64,
    /// The solution, if the file gives one.
    pub solution: Option<bool>,
    /// The formula as text.
    pub formula: String,
    /// Byte offset of the formula in the file.
    pub offset: usize,
}

impl PropertyLine {
    /// Translates an error in this LTL formula into an error in the file.
    pub fn error(&self, file: &str, error: &ParseError) -> ReadError {
        let before = self.formula.chars().take(error.column.saturating_sub(1));
        let offset: usize = before.map(char::len_utf8).sum();
        ReadError::at(file, self.offset + offset, error.expected, error.found.clone())
    }
}

/// Parses a property file. Formulas are not parsed.
///
/// # Errors
/// Returns the position of the first error.
pub fn properties(text: &str) -> Result<Vec<PropertyLine>, ReadError> {
    let mut found_properties: Vec<PropertyLine> = Vec::new();
    let mut numbers = HashSet::new();
    let mut offset = 0;
    let mut header = 0;
    for line in text.split_inclusive('\n') {
        let begin = offset;
        offset += line.len();
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix('#') {
            let Some((number, solution)) = numbered(rest) else {
                continue;
            };
            if let Some(last) = found_properties.last().filter(|last| last.formula.is_empty()) {
                return Err(missing(text, header, last));
            }
            if !numbers.insert(number) {
                let found = format!("#{number} a second time");
                return Err(ReadError::at(text, begin, "a number of its own", found));
            }
            let solution = match solution {
                "" | "unknown" => None,
                "true" => Some(true),
                "false" => Some(false),
                other => {
                    let offset_of_word = begin + line.find(other).unwrap_or(0);
                    let expected = "`true`, `false`, `unknown` or nothing after the number";
                    let found = format!("`{}`", other.chars().take(40).collect::<String>());
                    return Err(ReadError::at(text, offset_of_word, expected, found));
                }
            };
            header = begin;
            found_properties.push(PropertyLine {
                number,
                solution,
                formula: String::new(),
                offset,
            });
        } else if !trimmed.is_empty() {
            let expected = "a number such as `#1:` before the first formula";
            let found = format!("`{}`", trimmed.chars().take(40).collect::<String>());
            let last = found_properties
                .last_mut()
                .ok_or_else(|| ReadError::at(text, begin, expected, found))?;
            if last.formula.is_empty() {
                last.offset = begin + (line.len() - line.trim_start().len());
            }
            // Lines between two lines of a formula are empty or comments. Blanks of the same length
            // replace them, so that positions in the formula stay positions in the file.
            let end = begin + line.trim_end().len();
            let copied = last.offset + last.formula.len();
            let (skipped, rest) = text[copied..end].split_at(begin.max(copied) - copied);
            last.formula.extend(skipped.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
            last.formula.push_str(rest);
        }
    }
    match found_properties.last() {
        None => {
            let expected = "properties such as `#1:` with a formula in the next line";
            Err(ReadError::at(text, text.len(), expected, "no property in the file"))
        }
        Some(last) if last.formula.is_empty() => Err(missing(text, header, last)),
        Some(_) => Ok(found_properties),
    }
}

/// Splits a header without its `#` into the number and the text after the colon, without a remark
/// such as `(not blank invariant)`. Returns `None` unless a number stands before the first colon.
fn numbered(rest: &str) -> Option<(u64, &str)> {
    let (number, rest) = rest.split_once(':')?;
    let rest = rest.trim();
    let remark = rest.find('(').unwrap_or(rest.len());
    Some((number.trim().parse().ok()?, rest[..remark].trim_end()))
}

/// Returns the error for a header without a formula. `header` is its byte offset.
fn missing(text: &str, header: usize, property: &PropertyLine) -> ReadError {
    let found = format!("no formula of property {}", property.number);
    ReadError::at(text, header, "a formula after this line", found)
}
