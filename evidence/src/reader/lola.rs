//! Reads nets in the language of the tool LoLA.
//!
//! A file has `PLACE` with names, `MARKING` with names and numbers, and `TRANSITION` with consumed
//! and produced places. Entries are separated by commas, and lists end with semicolons. A name
//! without a number has 1. Numbers of a place listed twice add up. The reader ignores declared
//! bounds (`SAFE`), and refuses fairness and sorts. If a transition has the name of a place, primes
//! are appended to its name.

use super::Unreadable;
use super::tool_words::{ToolWord, ToolWords, error_in_line};
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, PlaceId};
use std::collections::{BTreeMap, BTreeSet};

/// Returns true if a text is a net in LoLA's language.
pub(super) fn is_lola(text: &str) -> bool {
    split_words(text).is_ok_and(|words| {
        let first = words.first().map(|word| word.text.as_str());
        matches!(first, Some("PLACE" | "SORT" | "FUNCTION" | "MARKING"))
    })
}

/// Splits a text into words and signs, without comments.
fn split_words(text: &str) -> Result<Vec<ToolWord>, Unreadable> {
    let mut words: Vec<ToolWord> = Vec::new();
    let (mut line, mut is_in_braces, mut word_text, mut comment_line) =
        (1, false, String::new(), 0);
    let mut finish_word = |word_text: &mut String, line| {
        if !word_text.is_empty() {
            let text = std::mem::take(word_text);
            words.push(ToolWord { line, text, is_braced: false, is_first_of_line: false });
        }
    };
    let mut rest = text.chars().peekable();
    let (mut is_in_line_comment, mut is_in_block_comment) = (false, false);
    while let Some(c) = rest.next() {
        // Inside a block comment, only line ends and `*/` matter.
        if is_in_block_comment {
            line += u64::from(c == '\n');
            is_in_block_comment = !(c == '*' && rest.next_if_eq(&'/').is_some());
            continue;
        }
        if c == '/'
            && word_text.is_empty()
            && !is_in_braces
            && !is_in_line_comment
            && rest.next_if_eq(&'*').is_some()
        {
            (is_in_block_comment, comment_line) = (true, line);
            continue;
        }
        let starts_line_comment = c == '/' && word_text.is_empty() && rest.peek() == Some(&'/');
        is_in_line_comment |= starts_line_comment && !is_in_braces;
        match c {
            '\n' => {
                finish_word(&mut word_text, line);
                line += 1;
                is_in_line_comment = false;
            }
            _ if is_in_line_comment => {}
            '}' if is_in_braces => is_in_braces = false,
            _ if is_in_braces => {}
            '{' => {
                finish_word(&mut word_text, line);
                (is_in_braces, comment_line) = (true, line);
            }
            c if c.is_whitespace() => finish_word(&mut word_text, line),
            ',' | ';' | ':' | '(' | ')' | '}' => {
                finish_word(&mut word_text, line);
                word_text.push(c);
                finish_word(&mut word_text, line);
            }
            c => word_text.push(c),
        }
    }
    finish_word(&mut word_text, line);
    match is_in_braces || is_in_block_comment {
        true => Err(error_in_line(comment_line, "an unclosed comment")),
        false => Ok(words),
    }
}

/// Reads a net in LoLA's language.
///
/// # Errors
/// A syntax error, with its line and the expected text. Also an error of the net, such as a name
/// that two nodes have.
pub(super) fn read(text: &str) -> Result<ExtendedNet, Unreadable> {
    let mut words = ToolWords::new(split_words(text)?);
    let mut net = ExtendedBuilder::default();
    let mut places: BTreeMap<String, PlaceId> = BTreeMap::new();
    words.expect("PLACE")?;
    while !words.skip("MARKING") {
        words.skip("PLACE");
        if words.skip("SAFE") && !words.skip(":") {
            words.number(0)?;
            words.expect(":")?;
        }
        if words.skip(";") {
            continue;
        }
        loop {
            let word = take_name(&mut words)?;
            let place = net.core.place(&word.text, 0).map_err(|error| refused(&word, &error))?;
            places.insert(word.text, place);
            if take_separator(&mut words)? {
                break;
            }
        }
    }
    let mut initial: BTreeMap<PlaceId, u64> = BTreeMap::new();
    for (place, tokens, word) in read_entries(&mut words, &places)? {
        // Each entry adds tokens. The builder refuses a sum of 2⁶³ or more.
        let before = initial.get(&place).copied().unwrap_or(0);
        let sum = before.saturating_add(tokens);
        initial.insert(place, sum);
        net.core.set_tokens(place, sum).map_err(|error| refused(&word, &error))?;
    }
    let mut transitions = BTreeSet::new();
    while words.peek().is_some() {
        words.expect("TRANSITION")?;
        let word = take_name(&mut words)?;
        let mut transition_id = word.text.clone();
        if places.contains_key(&transition_id) {
            while places.contains_key(&transition_id) || transitions.contains(&transition_id) {
                transition_id.push('\'');
            }
        }
        let t = net.core.transition(&transition_id).map_err(|error| refused(&word, &error))?;
        transitions.insert(transition_id);
        words.expect("CONSUME")?;
        for (place, weight, word) in read_entries(&mut words, &places)? {
            net.core.take(t, place, weight).map_err(|error| refused(&word, &error))?;
        }
        words.expect("PRODUCE")?;
        for (place, weight, word) in read_entries(&mut words, &places)? {
            net.core.put(t, place, weight).map_err(|error| refused(&word, &error))?;
        }
    }
    net.build().map_err(|error| error_in_line(1, error.to_string()))
}

/// Turns an error of the net's builder into an error in the line of `word`.
fn refused(word: &ToolWord, error: &BuildError) -> Unreadable {
    error_in_line(word.line, error.to_string())
}

/// Takes a name, which is neither a keyword nor a sign.
fn take_name(words: &mut ToolWords) -> Result<ToolWord, Unreadable> {
    const KEYWORDS: [&str; 10] = [
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
    let is_sign = [",", ";", ":", "(", ")", "}"].contains(&word.text.as_str());
    match is_sign || KEYWORDS.contains(&word.text.as_str()) {
        true => Err(word.unexpected("a name")),
        false => Ok(word),
    }
}

/// Takes a comma, a semicolon or both. Returns true if there was a semicolon.
fn take_separator(words: &mut ToolWords) -> Result<bool, Unreadable> {
    match words.take("`,` or `;`")? {
        word if word.text == "," => Ok(words.skip(";")),
        word if word.text == ";" => Ok(true),
        word => Err(word.unexpected("`,` or `;`")),
    }
}

/// Reads a list of places, each perhaps with a colon and a number, up to the semicolon. Returns for
/// each entry the place, the number (1 if the entry has none), and the word that names the place.
fn read_entries(
    words: &mut ToolWords,
    places: &BTreeMap<String, PlaceId>,
) -> Result<Vec<(PlaceId, u64, ToolWord)>, Unreadable> {
    let mut list = Vec::new();
    if words.skip(";") {
        return Ok(list);
    }
    loop {
        let word = take_name(words)?;
        let place = *places.get(&word.text).ok_or_else(|| word.unexpected("a place"))?;
        let number = if words.skip(":") { words.number(0)? } else { 1 };
        list.push((place, number, word));
        if take_separator(words)? {
            return Ok(list);
        }
    }
}
