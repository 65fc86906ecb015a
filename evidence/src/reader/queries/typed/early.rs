//! Translates formulas in the contest's grammar of 2011.
//!
//! ```text
//! f1 = reachable not (p1 contains {1*[1]})
//! f2 = invariant (p1 contains {1*[.]}) and (p2 equals {1*[1, 2], 3*[2, 1]})
//! ```
//!
//! `reachable` is EF and `invariant` is AG. A place contains a multiset if it has at least the
//! given number of tokens of each colour. It equals a multiset if it has exactly these tokens.
//! `[.]` is a token without colour. The reader translates a formula to the `--formula` language.

use super::lexer::{TypedToken, split_formula as typed};
use super::pieces::{
    ContestLexis, ContestToken, ContestTokenKind, TranslatedProperty, split_tokens,
};
use parikh_net::Net;
use std::collections::BTreeMap;

/// The rules for splitting formulas of 2011 into tokens.
const LEXIS: ContestLexis = ContestLexis {
    inside_words: "",
    signs: &["=", "*", ",", ".", "(", ")", "[", "]", "{", "}"],
    has_escapes: true,
};

/// The words that are no names of places.
const KEYWORDS: [&str; 7] = ["reachable", "invariant", "and", "or", "not", "contains", "equals"];

/// Returns true if a text is in the contest's grammar of 2011: some line has `reachable` or
/// `invariant` behind its first `=`.
pub(super) fn is_early_text(text: &str) -> bool {
    let lines = text.lines().filter_map(|line| line.split_once('='));
    let mut verbs = lines.map(|(_, rest)| rest.split_whitespace().next());
    verbs.any(|verb| matches!(verb, Some("reachable" | "invariant")))
}

/// Returns the definitions of a text about `net`, translated to tokens of the `--formula` language.
/// A definition ends with the line in which all its brackets are closed, or before a line that
/// begins with a name and `=`.
pub(super) fn definitions(text: &str, net: &Net) -> Vec<TranslatedProperty> {
    let mut definitions: Vec<Vec<ContestToken>> = Vec::new();
    let (mut is_open, mut open_brackets) = (false, 0usize);
    for (number, line) in (1..).zip(text.lines()) {
        let line_tokens = split_tokens(line, number, &LEXIS);
        if line_tokens.is_empty() {
            is_open &= open_brackets > 0;
            continue;
        }
        let is_named =
            matches!(&line_tokens[..], [name, is, ..] if name.name().is_some() && is.is("="));
        if is_named || !is_open {
            definitions.push(Vec::new());
            open_brackets = 0;
        }
        for piece in &line_tokens {
            match piece.text.as_str() {
                "(" | "{" | "[" if piece.kind == ContestTokenKind::Sign => open_brackets += 1,
                ")" | "}" | "]" if piece.kind == ContestTokenKind::Sign => {
                    open_brackets = open_brackets.saturating_sub(1);
                }
                _ => {}
            }
        }
        is_open = open_brackets > 0;
        definitions
            .last_mut()
            .into_iter()
            .for_each(|last| last.extend(line_tokens.iter().cloned()));
    }
    let translated = |pieces: Vec<ContestToken>| {
        let first = pieces.first();
        TranslatedProperty {
            name: first.and_then(ContestToken::name).unwrap_or_default().to_owned(),
            line: first.map_or(0, |first| first.line),
            tokens: translate_definition(&pieces, net),
        }
    };
    definitions.into_iter().map(translated).collect()
}

/// Translates the tokens of a definition to tokens of the `--formula` language.
fn translate_definition(pieces: &[ContestToken], net: &Net) -> Result<Vec<TypedToken>, String> {
    let [name, equals, verb, body @ ..] = pieces else {
        return Err("expected a formula such as `name = reachable …`".to_owned());
    };
    let is_keyword = |piece: &ContestToken| KEYWORDS.iter().any(|word| piece.is(word));
    if name.name().is_none() || is_keyword(name) || !equals.is("=") {
        return Err("expected a formula such as `name = reachable …`".to_owned());
    }
    let mut tokens = match () {
        () if verb.is("reachable") => typed("EF (")?,
        () if verb.is("invariant") => typed("AG (")?,
        () => return Err("expected `reachable` or `invariant`".to_owned()),
    };
    let mut position = 0;
    while let Some(piece) = body.get(position) {
        position += 1;
        match () {
            () if piece.is("and") => tokens.push(TypedToken::Sign("&&")),
            () if piece.is("or") => tokens.push(TypedToken::Sign("||")),
            () if piece.is("not") => tokens.push(TypedToken::Sign("!")),
            () if piece.is("(") => tokens.push(TypedToken::Sign("(")),
            () if piece.is(")") => tokens.push(TypedToken::Sign(")")),
            () => {
                let place = piece.name().filter(|_| !is_keyword(piece));
                let place = place.ok_or_else(|| format!("found `{}`", piece.text))?;
                let verb = body.get(position).ok_or("the formula ends after a place")?;
                let is_equal = match () {
                    () if verb.is("contains") => false,
                    () if verb.is("equals") => true,
                    () => return Err(format!("found `{}` after a place", verb.text)),
                };
                let (counts, after_multiset) = parse_multiset(body, position + 1)?;
                position = after_multiset;
                tokens.extend(translate_comparison(net, place, is_equal, &counts)?);
            }
        }
    }
    tokens.push(TypedToken::Sign(")"));
    Ok(tokens)
}

/// The number of tokens of each colour. The empty text is the colour of black tokens.
type ColourCounts = BTreeMap<String, i64>;

/// Parses a multiset `{ 1*[.], … }` that begins at the index `from` of `body`. Returns the number
/// of tokens of each colour and the index behind the multiset.
fn parse_multiset(body: &[ContestToken], from: usize) -> Result<(ColourCounts, usize), String> {
    let invalid_multiset = || "expected tokens such as `{2*[.]}`".to_owned();
    let end = body[from.min(body.len())..]
        .iter()
        .position(|it| it.is("}"))
        .ok_or_else(invalid_multiset)?;
    let between_braces = match &body[from..from + end] {
        [open, between_braces @ ..] if open.is("{") => between_braces,
        _ => return Err(invalid_multiset()),
    };
    let mut counts = ColourCounts::new();
    let mut remaining = between_braces;
    while !remaining.is_empty() {
        let [count, times, open, rest @ ..] = remaining else { return Err(invalid_multiset()) };
        if count.kind != ContestTokenKind::Number || !times.is("*") || !open.is("[") {
            return Err(invalid_multiset());
        }
        let end = rest.iter().position(|it| it.is("]")).ok_or_else(invalid_multiset)?;
        let components: Vec<&[ContestToken]> = rest[..end].split(|it| it.is(",")).collect();
        let colour = match &components[..] {
            [[dot]] if dot.is(".") => String::new(),
            components => {
                let component = |part: &&[ContestToken]| match part {
                    [token]
                        if matches!(
                            token.kind,
                            ContestTokenKind::Word
                                | ContestTokenKind::Quoted
                                | ContestTokenKind::Number
                        ) =>
                    {
                        Some(token.text.clone())
                    }
                    _ => None,
                };
                let parts = components.iter().map(component).collect::<Option<Vec<_>>>();
                parts.ok_or_else(invalid_multiset)?.join(",")
            }
        };
        let number: i64 = count.text.parse().map_err(|_| "a number is too large".to_owned())?;
        let sum = counts.entry(colour).or_default();
        *sum = sum.checked_add(number).ok_or("a number is too large")?;
        remaining = match &rest[end + 1..] {
            [] => &[],
            [comma, more @ ..] if comma.is(",") && !more.is_empty() => more,
            _ => return Err(invalid_multiset()),
        };
    }
    Ok((counts, from + end + 1))
}

/// Translates the comparison of a place with a multiset. The place equals the multiset if
/// `is_equal`, or else contains it.
fn translate_comparison(
    net: &Net,
    place: &str,
    is_equal: bool,
    counts: &ColourCounts,
) -> Result<Vec<TypedToken>, String> {
    let name = || TypedToken::Name(place.to_owned());
    let relation = TypedToken::Sign(if is_equal { "=" } else { ">=" });
    let number = |count: i64| TypedToken::Number(count.to_string());
    let folding = net.folding().filter(|folding| folding.place_named(place).is_some());
    let mut conjuncts: Vec<Vec<TypedToken>> = Vec::new();
    if folding.is_none() {
        if counts.keys().any(|colour| !colour.is_empty()) {
            return Err(format!("place `{place}` has no colours"));
        }
        let total = counts.values().try_fold(0i64, |sum, &count| sum.checked_add(count));
        let total = total.ok_or("a number is too large")?;
        conjuncts.push(vec![name(), relation, number(total)]);
    } else {
        // Returns the tokens of the formula for the tokens of one colour.
        let tokens_of_colour = |colour: &str| -> Vec<TypedToken> {
            let colour = if colour.is_empty() { "." } else { colour };
            vec![
                name(),
                TypedToken::Sign("("),
                TypedToken::Name(colour.to_owned()),
                TypedToken::Sign(")"),
            ]
        };
        for (colour, &count) in counts {
            let mut conjunct = tokens_of_colour(colour);
            conjunct.extend([relation.clone(), number(count)]);
            conjuncts.push(conjunct);
        }
        if is_equal {
            let mut other_tokens = vec![name()];
            for colour in counts.keys() {
                other_tokens.push(TypedToken::Sign("-"));
                other_tokens.extend(tokens_of_colour(colour));
            }
            other_tokens.extend([TypedToken::Sign("="), number(0)]);
            conjuncts.push(other_tokens);
        }
    }
    let mut tokens = vec![TypedToken::Sign("(")];
    for (index, conjunct) in conjuncts.iter().enumerate() {
        if index > 0 {
            tokens.push(TypedToken::Sign("&&"));
        }
        tokens.extend(conjunct.iter().cloned());
    }
    if conjuncts.is_empty() {
        tokens.push(TypedToken::Word("true".to_owned()));
    }
    tokens.push(TypedToken::Sign(")"));
    Ok(tokens)
}
