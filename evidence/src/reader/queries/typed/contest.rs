//! Translates the textual formulas that the contest publishes beside its XML.
//!
//! ```text
//! Property Mutex-PT-02-ReachabilityCardinality-00
//!   "Automatically generated"
//!   is:
//!     A (G (tokens-count("in1", "in2") <= 1))
//!   end.
//! ```
//!
//! The reader replaces each token by the equivalent tokens of the `--formula` language.
//! `tokens-count(…)` and `#tokens(…)` become `tokens(…)`, and `place-bound(…)` becomes `bound(…)`.
//! `is-fireable(…)`, `"t"?` and `("t", "u")?` become `fireable(…)`. `U` has the lowest precedence.

use super::lexer::TypedToken;
use super::pieces::{
    ContestLexis, ContestToken, ContestTokenKind, TranslatedProperty, split_tokens,
};

/// The rules for splitting the contest's textual formulas into tokens.
const LEXIS: ContestLexis = ContestLexis {
    inside_words: "-",
    signs: &[
        "<->", "<=", ">=", "!=", "->", "<", ">", "=", "+", "-", "*", "&", "|", "!", "(", ")", ",",
        "?", "#", ":", ".",
    ],
    has_escapes: false,
};

/// The signs of the contest's texts that have the same meaning in the `--formula` language.
const SIGNS: [&str; 17] =
    ["<->", "<=", ">=", "!=", "->", "<", ">", "=", "+", "-", "*", "&", "|", "!", "(", ")", ","];

/// The words of the contest's texts, each with its translation into the `--formula` language.
const WORD_TRANSLATIONS: [(&str, &str); 14] = [
    ("A", "A"),
    ("E", "E"),
    ("G", "G"),
    ("F", "F"),
    ("X", "X"),
    ("U", "U"),
    ("true", "true"),
    ("false", "false"),
    ("deadlock", "deadlock"),
    ("tokens", "tokens"),
    ("tokens-count", "tokens"),
    ("is-fireable", "fireable"),
    ("bound", "bound"),
    ("place-bound", "bound"),
];

/// The keyword at the beginning of each property.
const PROPERTY_KEYWORD: &str = "Property";

/// Returns true if a text is in the contest's textual language: it begins with the word `Property`.
pub(super) fn is_contest_text(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix(PROPERTY_KEYWORD);
    rest.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Returns the properties of a text, translated to tokens of the `--formula` language. Each
/// property begins on a new line.
pub(super) fn properties(text: &str) -> Vec<TranslatedProperty> {
    // For each property, its line, its name, and the text behind the name.
    let mut properties: Vec<(u64, &str, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let named = line.trim_start().strip_prefix(PROPERTY_KEYWORD);
        match named.filter(|rest| rest.starts_with([' ', '\t'])) {
            Some(name) => properties.push((number, name.trim(), String::new())),
            None => {
                if let Some((.., body)) = properties.last_mut() {
                    body.push_str(line);
                    body.push('\n');
                }
            }
        }
    }
    let translated = |(line, name, body): (u64, &str, String)| {
        let tokens = match name {
            "" => Err("the property has no name".to_owned()),
            _ => translate_tokens(&split_tokens(&body, line + 1, &LEXIS)),
        };
        TranslatedProperty { name: name.to_owned(), line, tokens }
    };
    properties.into_iter().map(translated).collect()
}

/// Translates the tokens of a property to tokens of the `--formula` language.
fn translate_tokens(pieces: &[ContestToken]) -> Result<Vec<TypedToken>, String> {
    let pieces = match pieces {
        [first, rest @ ..] if first.kind == ContestTokenKind::Quoted => rest,
        all => all,
    };
    let formula = match pieces {
        [keyword, colon, formula @ .., end, stop]
            if keyword.is("is") && colon.is(":") && end.is("end") && stop.is(".") =>
        {
            formula
        }
        _ => return Err("expected a formula between `is:` and `end.`".to_owned()),
    };
    let mut tokens = Vec::new();
    let mut cursor = 0;
    while let Some(piece) = formula.get(cursor) {
        // Returns true if the sign at `cursor` may open a list of names: a name and a comma or a
        // closing parenthesis follow.
        let is_list = |cursor: usize| {
            let (name, behind) = (formula.get(cursor + 1), formula.get(cursor + 2));
            name.is_some_and(|name| name.kind == ContestTokenKind::Quoted)
                && behind.is_some_and(|behind| behind.is(",") || behind.is(")"))
        };
        // Behind one of these keywords, names in parentheses are the operands of the keyword. They
        // do not begin a list such as `("t", "u")?`.
        let follows_list_keyword = |cursor: usize| {
            let list_keywords = ["tokens", "tokens-count", "is-fireable", "bound", "place-bound"];
            formula[..cursor].last().is_some_and(|it| list_keywords.iter().any(|word| it.is(word)))
        };
        match piece.kind {
            // A list of transitions means that at least one of them is enabled.
            ContestTokenKind::Sign
                if piece.is("(") && is_list(cursor) && !follows_list_keyword(cursor) =>
            {
                let end =
                    formula[cursor..].iter().position(|it| it.is(")")).map(|end| cursor + end);
                let end = end.ok_or("a list of transitions is not closed")?;
                add_fireable(&formula[cursor + 1..end], &mut tokens)?;
                cursor = after_question_mark(formula, end + 1)?;
                continue;
            }
            ContestTokenKind::Quoted
                if formula.get(cursor + 1).is_some_and(|next| next.is("?")) =>
            {
                add_fireable(&formula[cursor..=cursor], &mut tokens)?;
                cursor = after_question_mark(formula, cursor + 1)?;
                continue;
            }
            ContestTokenKind::Quoted => tokens.push(TypedToken::Name(piece.text.clone())),
            ContestTokenKind::Number => tokens.push(TypedToken::Number(piece.text.clone())),
            ContestTokenKind::Sign
                if piece.is("#") && formula.get(cursor + 1).is_some_and(|it| it.is("tokens")) => {}
            ContestTokenKind::Sign => {
                let sign = SIGNS.iter().find(|sign| piece.is(sign));
                tokens.push(TypedToken::Sign(sign.ok_or_else(|| unknown_token(piece))?));
            }
            ContestTokenKind::Word => {
                let word = WORD_TRANSLATIONS.iter().find(|(word, _)| piece.is(word));
                let (_, translation) = word.ok_or_else(|| unknown_token(piece))?;
                tokens.push(TypedToken::Word((*translation).to_owned()));
            }
            ContestTokenKind::Unknown => return Err(unknown_token(piece)),
        }
        cursor += 1;
    }
    Ok(tokens)
}

fn unknown_token(piece: &ContestToken) -> String {
    format!("`{}` is not a word of the contest's textual format", piece.text)
}

/// Translates a list of transitions to the atom that at least one of these transitions is enabled.
/// Appends the tokens of the atom to `tokens`.
fn add_fireable(list: &[ContestToken], tokens: &mut Vec<TypedToken>) -> Result<(), String> {
    tokens.extend([TypedToken::Word("fireable".to_owned()), TypedToken::Sign("(")]);
    for piece in list {
        tokens.push(match piece.kind {
            ContestTokenKind::Quoted => TypedToken::Name(piece.text.clone()),
            _ if piece.is(",") => TypedToken::Sign(","),
            _ => return Err(format!("found `{}` in a list of transitions", piece.text)),
        });
    }
    tokens.push(TypedToken::Sign(")"));
    Ok(())
}

/// Returns the position behind the question mark at `position`, or an error if there is no question
/// mark.
fn after_question_mark(formula: &[ContestToken], position: usize) -> Result<usize, String> {
    match formula.get(position).is_some_and(|it| it.is("?")) {
        true => Ok(position + 1),
        false => Err("expected `?` after transitions".to_owned()),
    }
}
