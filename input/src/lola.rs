//! Place/transition nets in the language of LoLA, a low level analyser.
//!
//! ```text
//! PLACE SAFE 1: p, q; r;            { places; the promise of SAFE is ignored }
//! MARKING p: 2, q;                  { q holds 1 }
//! TRANSITION t CONSUME p: 2, q; PRODUCE r;
//! ```
//!
//! Comments stand in braces, between `/*` and `*/`, or behind `//`. Names may contain all
//! characters but blanks and `,;:(){}`. Numbers of a place that is listed twice add up. A
//! transition with the name of a place is renamed with a prime. Fairness (`WEAK FAIR`) restricts
//! the runs, and high-level nets have sorts and functions. The reader refuses both.
//!
//! # Source
//! K. Schmidt, *LoLA: a low level analyser*, ICATPN 2000; K. Wolf, *Petri net model checking with
//! LoLA 2*, PETRI NETS 2018.

use super::error::InputError;
use super::format::ModelFormat;
use super::script::{self, Script, ScriptToken, ScriptTokens, read_text, transition_name};
use parikh_net::{Net, NetBuilder, PlaceId};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Place/transition nets of LoLA.
pub(super) const FORMAT: ModelFormat = ModelFormat {
    name: "a place/transition net of LoLA, which begins with PLACE",
    begins: |beginning| {
        let text = script::beginning(beginning);
        let first = tokens(Script { file: "", text: &text }, Some(1));
        first.is_ok_and(|first| first.first().is_some_and(|token| FIRST.contains(&&*token.text)))
    },
    read: |reader, name| {
        let text = read_text(reader, name)?;
        Ok(net(Script { file: name, text: &text })?.into())
    },
};

/// The keywords with which files of LoLA begin, including files of high-level nets.
const FIRST: [&str; 4] = ["PLACE", "SORT", "FUNCTION", "MARKING"];

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

/// Splits a text into tokens. With `max_tokens`, stops after this number of tokens. Returns an
/// error for a comment that does not end.
fn tokens(
    script: Script<'_>,
    max_tokens: Option<usize>,
) -> Result<Vec<ScriptToken<'_>>, InputError> {
    let text = script.text;
    let mut tokens = Vec::new();
    let (mut offset, mut begins_line) = (0, true);
    while let Some(c) = text[offset..].chars().next() {
        if max_tokens.is_some_and(|max_tokens| tokens.len() >= max_tokens) {
            break;
        }
        let rest = &text[offset..];
        let start = offset;
        match c {
            '\n' => (begins_line, offset) = (true, offset + 1),
            c if c.is_whitespace() => offset += c.len_utf8(),
            '{' => match rest.find('}') {
                Some(length) => offset += length + 1,
                None => {
                    return Err(script
                        .error(&(offset..offset + 1), "this comment does not end, expected `}`"));
                }
            },
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(length) => offset += length + 4,
                None => {
                    return Err(script
                        .error(&(offset..offset + 2), "this comment does not end, expected `*/`"));
                }
            },
            '/' if rest.starts_with("//") => offset += rest.find('\n').unwrap_or(rest.len()),
            ',' | ';' | ':' | '(' | ')' | '}' => offset += 1,
            _ => {
                let is_name_character = |c: char| !c.is_whitespace() && !",;:(){}".contains(c);
                offset += rest.find(|c| !is_name_character(c)).unwrap_or(rest.len());
            }
        }
        let piece = &text[start..offset];
        if c.is_whitespace() || c == '{' || piece.starts_with("//") || piece.starts_with("/*") {
            continue;
        }
        let is_word = !matches!(c, ',' | ';' | ':' | '(' | ')' | '}');
        let (text, is_quoted) = (Cow::Borrowed(piece), false);
        tokens.push(ScriptToken { text, span: start..offset, is_word, is_quoted, begins_line });
        begins_line = false;
    }
    Ok(tokens)
}

/// Reads a net.
pub(super) fn net(script: Script<'_>) -> Result<Net, InputError> {
    let tokens = ScriptTokens::new(script, tokens(script, None)?);
    let mut reader = LolaReader {
        tokens,
        builder: NetBuilder::new(""),
        places: HashMap::new(),
        transitions: HashSet::new(),
    };
    reader.places()?;
    reader.marking()?;
    while reader.tokens.peek().is_some() {
        reader.transition()?;
    }
    let whole = 0..0;
    reader.builder.build().map_err(|problem| script.build_error(&whole, &problem))
}

struct LolaReader<'t> {
    tokens: ScriptTokens<'t>,
    builder: NetBuilder,
    places: HashMap<String, PlaceId>,
    /// The names of transitions in the net, after renaming.
    transitions: HashSet<String>,
}

impl<'t> LolaReader<'t> {
    fn places(&mut self) -> Result<(), InputError> {
        if self.tokens.peek().is_some_and(|it| it.is("SORT") || it.is("FUNCTION")) {
            let what = "PLACE: this is a high-level net of LoLA; unfold it first, and give the \
                        unfolded net";
            return Err(self.tokens.instead_of(what));
        }
        self.tokens.expect("PLACE")?;
        loop {
            self.safety()?;
            loop {
                if self.tokens.peek().is_some_and(|it| it.is(";")) {
                    break;
                }
                let name = self.name("the name of a place")?;
                let place = self.builder.place(&name.text, 0);
                let place = place
                    .map_err(|problem| self.tokens.script.build_error(&name.span, &problem))?;
                self.places.insert(name.text.into_owned(), place);
                if self.tokens.peek().is_some_and(|it| it.is(":")) {
                    let what = "`,` or `;`: places with sorts belong to high-level nets; unfold \
                                the net first";
                    return Err(self.tokens.instead_of(what));
                }
                if !self.tokens.take(",") {
                    break;
                }
            }
            if !self.tokens.take(";") {
                return Err(self.tokens.instead_of("`,` or `;`"));
            }
            if self.tokens.take("MARKING") {
                return Ok(());
            }
            self.tokens.take("PLACE");
        }
    }

    /// Reads `SAFE:` or `SAFE n:` if this text comes next. `SAFE` promises a bound of the places
    /// that follow, and the promise is ignored.
    fn safety(&mut self) -> Result<(), InputError> {
        if !self.tokens.take("SAFE") {
            return Ok(());
        }
        let digits = |token: &ScriptToken<'_>| token.text.bytes().all(|byte| byte.is_ascii_digit());
        if self.tokens.peek().is_some_and(|token| token.is_word && digits(token)) {
            self.tokens.next();
        }
        self.tokens.expect(":").map(|_| ())
    }

    fn marking(&mut self) -> Result<(), InputError> {
        let mut marking: HashMap<PlaceId, u64> = HashMap::new();
        if self.tokens.take(";") {
            return Ok(());
        }
        loop {
            let (place, name) = self.place()?;
            let tokens = self.weight(0)?;
            // The tokens of a place that is listed twice add up, as in LoLA 2. A sum above 2⁶³ − 1
            // is an error of the builder.
            let sum = marking.entry(place).or_default();
            *sum = sum.saturating_add(tokens);
            let result = self.builder.set_tokens(place, *sum);
            result.map_err(|problem| self.tokens.script.build_error(&name.span, &problem))?;
            if self.tokens.take(";") {
                return Ok(());
            }
            if !self.tokens.take(",") {
                return Err(self.tokens.instead_of("`,` or `;`"));
            }
            if self.tokens.take(";") {
                return Ok(());
            }
        }
    }

    fn transition(&mut self) -> Result<(), InputError> {
        if self.tokens.peek().is_some_and(|it| it.is("FORMULA") || it.is("ANALYSE")) {
            let what = "TRANSITION: put formulas into a separate file, and name it with --formulas";
            return Err(self.tokens.instead_of(what));
        }
        self.tokens.expect("TRANSITION")?;
        let name = self.name("the name of a transition")?;
        let next = self.tokens.peek();
        if next.is_some_and(|it| it.is("WEAK") || it.is("STRONG") || it.is("FAIR")) {
            let what = "CONSUME: fairness in the net is not supported, because Parikh considers \
                        all runs; remove the keyword";
            return Err(self.tokens.instead_of(what));
        }
        let is_place = |name: &str| self.places.contains_key(name);
        let unique_name =
            transition_name(&name.text, is_place, |name| self.transitions.contains(name));
        if unique_name != name.text {
            tracing::warn!(
                "a place also has the name {}: the transition is renamed to {unique_name}",
                name.text
            );
        }
        let t = self.builder.transition(&unique_name);
        let t = t.map_err(|problem| self.tokens.script.build_error(&name.span, &problem))?;
        self.transitions.insert(unique_name);
        for consumes in [true, false] {
            self.tokens.expect(if consumes { "CONSUME" } else { "PRODUCE" })?;
            if self.tokens.take(";") {
                continue;
            }
            loop {
                let (place, place_name) = self.place()?;
                let weight = self.weight(1)?;
                let added = match consumes {
                    true => self.builder.take(t, place, weight),
                    false => self.builder.put(t, place, weight),
                };
                added.map_err(|problem| {
                    self.tokens.script.build_error(&place_name.span, &problem)
                })?;
                if self.tokens.take(";") {
                    break;
                }
                if !self.tokens.take(",") {
                    return Err(self.tokens.instead_of("`,` or `;`"));
                }
                if self.tokens.take(";") {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Reads the number behind a colon; returns 1 without a colon.
    fn weight(&mut self, min: u64) -> Result<u64, InputError> {
        match self.tokens.take(":") {
            true => self.tokens.number(min).map(|(number, _)| number),
            false => Ok(1),
        }
    }

    fn name(&mut self, expected: &str) -> Result<ScriptToken<'t>, InputError> {
        match self.tokens.peek() {
            Some(token) if KEYWORDS.contains(&&*token.text) => {
                Err(self.tokens.instead_of(expected))
            }
            _ => self.tokens.word(expected),
        }
    }

    fn place(&mut self) -> Result<(PlaceId, ScriptToken<'t>), InputError> {
        let name = self.name("the name of a place, or `;`")?;
        match self.places.get(&*name.text) {
            Some(&place) => Ok((place, name)),
            None => Err(self.tokens.unexpected_token(&name, "a declared place")),
        }
    }
}
