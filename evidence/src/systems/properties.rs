//! Reads property files for the auditor.
//!
//! Each property begins with a line `#7:`, which may end with a solution, and its formula is on the
//! lines up to the next such line. Other lines that begin with `#` are ignored. A file is about CTL
//! if one of its formulas has syntax that only CTL has: a label in brackets, or `AG`, `EG`, `AF`,
//! `EF`, `AX`, `EX`, `A(` or `E(`. Otherwise it is about LTL.

use super::branching::LabelCtl;
pub use super::terms::LabelLtl;
use super::terms::{LabelToken, parse_branching, parse_linear, tokens};
use crate::reader::Unreadable;
use std::collections::BTreeMap;

/// The formula of a property.
#[derive(Clone, Debug)]
pub enum SystemFormula {
    /// An LTL formula that every run must satisfy.
    Linear(Box<LabelLtl>),
    /// A CTL formula that every initial joint state must satisfy.
    Branching(LabelCtl),
}

/// The properties of a file by number.
#[derive(Clone, Debug)]
pub struct PropertyFile {
    /// The formula and its text, by number.
    pub by_number: BTreeMap<u64, (SystemFormula, String)>,
}

/// Reads a property file.
///
/// # Errors
/// When the bytes are not UTF-8, or the file has no property. Also when a property has a syntax
/// error or occurs twice.
pub fn read(bytes: &[u8]) -> Result<PropertyFile, Unreadable> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Unreadable { line: 1, what: "expected text in UTF-8".to_owned() })?;
    let mut texts: Vec<(u64, u64, String)> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        if let Some(rest) = content.trim_start().strip_prefix('#') {
            let number = rest.split(':').next().filter(|_| rest.contains(':'));
            if let Some(number) = number.and_then(|number| number.trim().parse().ok()) {
                texts.push((number, line, String::new()));
            }
            continue;
        }
        match texts.last_mut() {
            Some((_, _, formula)) => {
                formula.push_str(content);
                formula.push('\n');
            }
            None if content.trim().is_empty() => {}
            None => {
                return Err(Unreadable { line, what: "expected a line such as `#1:`".to_owned() });
            }
        }
    }
    let mut parsed = Vec::new();
    for (number, line, text) in texts {
        let unreadable = |what| Unreadable { line, what: format!("property {number}: {what}") };
        parsed.push((number, line, tokens(&text).map_err(unreadable)?, text));
    }
    let is_ctl = parsed.iter().any(|(_, _, tokens, _)| tokens.iter().any(LabelToken::is_branching));
    let mut by_number = BTreeMap::new();
    for (number, line, tokens, text) in parsed {
        let unreadable = |what| Unreadable { line, what: format!("property {number}: {what}") };
        let formula = match is_ctl {
            true => SystemFormula::Branching(parse_branching(&tokens).map_err(unreadable)?),
            false => SystemFormula::Linear(Box::new(parse_linear(&tokens).map_err(unreadable)?)),
        };
        if by_number.insert(number, (formula, text.trim().to_owned())).is_some() {
            return Err(unreadable("occurs twice".to_owned()));
        }
    }
    if by_number.is_empty() {
        return Err(Unreadable { line: 1, what: "the file has no property".to_owned() });
    }
    Ok(PropertyFile { by_number })
}
