//! LoLA's language for place/transition nets.
//!
//! A file has `PLACE` with names, `MARKING` with names and numbers, and `TRANSITION` with consumed
//! and produced places. Entries are separated by commas, and lists end with semicolons. A name
//! without a number has 1. The reader ignores promises of `SAFE`, and refuses fairness and sorts. A
//! transition with the name of a place is renamed with a prime.

use super::Unreadable;
use super::words::{ToolWord, ToolWords, wrong};
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, PlaceId};
use std::collections::{BTreeMap, BTreeSet};

/// Returns true if a text is in this language.
pub(super) fn is(text: &str) -> bool {
    words(text).is_ok_and(|words| {
        let first = words.first().map(|word| word.text.as_str());
        matches!(first, Some("PLACE" | "SORT" | "FUNCTION" | "MARKING"))
    })
}

fn words(text: &str) -> Result<Vec<ToolWord>, Unreadable> {
    let mut words: Vec<ToolWord> = Vec::new();
    let (mut line, mut open, mut begun, mut opened) = (1, false, String::new(), 0);
    let mut finish = |begun: &mut String, line| {
        if !begun.is_empty() {
            let text = std::mem::take(begun);
            words.push(ToolWord { line, text, braced: false, first: false });
        }
    };
    let mut rest = text.chars().peekable();
    let (mut comment, mut long) = (false, false);
    while let Some(c) = rest.next() {
        // Inside `/*` and `*/`, only line ends matter.
        if long {
            line += u64::from(c == '\n');
            long = !(c == '*' && rest.next_if_eq(&'/').is_some());
            continue;
        }
        if c == '/' && begun.is_empty() && !open && !comment && rest.next_if_eq(&'*').is_some() {
            (long, opened) = (true, line);
            continue;
        }
        let slashes = c == '/' && begun.is_empty() && rest.peek() == Some(&'/');
        comment |= slashes && !open;
        match c {
            '\n' => {
                finish(&mut begun, line);
                line += 1;
                comment = false;
            }
            _ if comment => {}
            '}' if open => open = false,
            _ if open => {}
            '{' => {
                finish(&mut begun, line);
                (open, opened) = (true, line);
            }
            c if c.is_whitespace() => finish(&mut begun, line),
            ',' | ';' | ':' | '(' | ')' | '}' => {
                finish(&mut begun, line);
                begun.push(c);
                finish(&mut begun, line);
            }
            c => begun.push(c),
        }
    }
    finish(&mut begun, line);
    match open || long {
        true => Err(wrong(opened, "an unclosed comment")),
        false => Ok(words),
    }
}

/// Reads a net.
///
/// # Errors
/// A syntax error, with its line and the expected text.
pub(super) fn read(text: &str) -> Result<ExtendedNet, Unreadable> {
    let mut words = ToolWords::new(words(text)?);
    let mut net = ExtendedBuilder::default();
    let mut places: BTreeMap<String, PlaceId> = BTreeMap::new();
    words.must("PLACE")?;
    while !words.skip("MARKING") {
        words.skip("PLACE");
        if words.skip("SAFE") && !words.skip(":") {
            words.number(0)?;
            words.must(":")?;
        }
        if words.skip(";") {
            continue;
        }
        loop {
            let word = name(&mut words)?;
            let place = net.core.place(&word.text, 0).map_err(|error| refused(&word, &error))?;
            places.insert(word.text, place);
            if end_of_list(&mut words)? {
                break;
            }
        }
    }
    let mut marked = BTreeSet::new();
    for (place, tokens, word) in list(&mut words, &places)? {
        if !marked.insert(place) {
            return Err(word.wrong("each place once"));
        }
        net.core.set_tokens(place, tokens).map_err(|error| refused(&word, &error))?;
    }
    let mut transitions = BTreeSet::new();
    while words.peek().is_some() {
        words.must("TRANSITION")?;
        let word = name(&mut words)?;
        let mut own = word.text.clone();
        if places.contains_key(&own) {
            while places.contains_key(&own) || transitions.contains(&own) {
                own.push('\'');
            }
        }
        let t = net.core.transition(&own).map_err(|error| refused(&word, &error))?;
        transitions.insert(own);
        words.must("CONSUME")?;
        for (place, weight, word) in list(&mut words, &places)? {
            net.core.take(t, place, weight).map_err(|error| refused(&word, &error))?;
        }
        words.must("PRODUCE")?;
        for (place, weight, word) in list(&mut words, &places)? {
            net.core.put(t, place, weight).map_err(|error| refused(&word, &error))?;
        }
    }
    net.build().map_err(|error| wrong(1, error.to_string()))
}

fn refused(word: &ToolWord, error: &BuildError) -> Unreadable {
    wrong(word.line, error.to_string())
}

fn name(words: &mut ToolWords) -> Result<ToolWord, Unreadable> {
    const OWN: [&str; 10] = [
        "PLACE",
        "MARKING",
        "TRANSITION",
        "CONSUME",
        "PRODUCE",
        "SAFE",
        "WEAK",
        "STRONG",
        "FAIR",
        "FINAL",
    ];
    let word = words.take("a name")?;
    let sign = [",", ";", ":", "(", ")", "}"].contains(&word.text.as_str());
    match sign || OWN.contains(&word.text.as_str()) {
        true => Err(word.wrong("a name")),
        false => Ok(word),
    }
}

/// Takes a comma, a semicolon or both. Returns true if there was a semicolon.
fn end_of_list(words: &mut ToolWords) -> Result<bool, Unreadable> {
    match words.take("`,` or `;`")? {
        word if word.text == "," => Ok(words.skip(";")),
        word if word.text == ";" => Ok(true),
        word => Err(word.wrong("`,` or `;`")),
    }
}

/// Reads places with numbers, up to a semicolon.
fn list(
    words: &mut ToolWords,
    places: &BTreeMap<String, PlaceId>,
) -> Result<Vec<(PlaceId, u64, ToolWord)>, Unreadable> {
    let mut list = Vec::new();
    if words.skip(";") {
        return Ok(list);
    }
    loop {
        let word = name(words)?;
        let place = *places.get(&word.text).ok_or_else(|| word.wrong("a place"))?;
        let number = if words.skip(":") { words.number(0)? } else { 1 };
        list.push((place, number, word));
        if end_of_list(words)? {
            return Ok(list);
        }
    }
}
