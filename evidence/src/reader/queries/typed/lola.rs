//! Translates formulas of LoLA, such as `EF (p > 2 AND NOT FIREABLE(t))` or `AG EF DEADLOCK`.
//!
//! The reader replaces each word and sign by the equivalent tokens of the `--formula` language. The
//! languages differ if a temporal operator precedes a comparison without brackets that is an
//! operand of another operator. Such a formula is refused.

use super::lexer::TypedToken;

/// Returns the meaning of a keyword of LoLA in the `--formula` language, or `None` for other words.
/// The keywords are grouped by their role in LoLA's grammar. The prover's reader has a separate
/// table.
fn translation(word: &str) -> Option<&'static str> {
    Some(match word {
        // Atomic formulas.
        "TRUE" => "true",
        "FALSE" => "false",
        "DEADLOCK" => "deadlock",
        "FIREABLE" => "fireable",
        "UNFIREABLE" => "! fireable",
        // Connectives.
        "NOT" => "!",
        "AND" => "&&",
        "OR" => "||",
        "XOR" => "xor",
        // Quantifiers over paths, and temporal operators.
        "ALLPATH" | "A" => "A",
        "EXPATH" | "E" => "E",
        "ALWAYS" | "G" => "G",
        "EVENTUALLY" | "F" => "F",
        "NEXTSTATE" | "X" => "X",
        "UNTIL" | "U" => "U",
        // A path quantifier and a temporal operator in one word.
        "AGEF" => "AG EF",
        "EFAG" => "EF AG",
        "AG" => "AG",
        "AF" => "AF",
        "AX" => "AX",
        "EG" => "EG",
        "EF" => "EF",
        "EX" => "EX",
        _ => return None,
    })
}

/// Returns the operators that a keyword before a whole formula stands for, or `None` for other
/// words.
fn goal_operators(word: &str) -> Option<&'static str> {
    Some(match word {
        "REACHABLE" => "EF",
        "INVARIANT" => "AG",
        "IMPOSSIBLE" => "AG !",
        "LIVE" => "AG EF",
        _ => return None,
    })
}

/// Returns true if the word is a keyword of LoLA that no other formula language has. Short
/// operators and `LIVE` occur in other languages, too.
fn is_lola_only(word: &str) -> bool {
    match word {
        "FORMULA" | "OR" => true,
        "LIVE" => false,
        _ => word.len() > 2 && (translation(word).is_some() || goal_operators(word).is_some()),
    }
}

/// Returns the translation of the LoLA sign at the beginning of a text into the `--formula`
/// language. The number is the length of the LoLA sign in bytes. Returns `None` if the text does
/// not begin with a sign.
fn translate_sign(text: &str) -> Option<(&'static str, usize)> {
    let other = [("<>", "!="), ("#", "!="), ("==", "="), ("&", "&&"), ("|", "||")];
    let other = other.into_iter().chain([("[", "("), ("]", ")")]);
    let same = ["<->", "->", "<=", ">=", "!=", "=", "<", ">", "+", "-", "*", "!", "(", ")", ","];
    // Of two signs, the longer one counts: `<->` and `<=` are not `<`.
    let all = other.chain(same.map(|sign| (sign, sign)));
    let found = all.filter(|(sign, _)| text.starts_with(sign)).max_by_key(|(sign, _)| sign.len());
    found.map(|(sign, meaning)| (meaning, sign.len()))
}

/// Returns true if a text is in LoLA's formula language. Such a text has no double quote outside of
/// comments. It has a keyword that only LoLA has, a semicolon, or a line that begins with `{`.
pub(super) fn is_lola_text(text: &str) -> bool {
    // In the `--formula` language, `#` begins a comment.
    let lines = || text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines().flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let has_end_sign = |line: &str| line.contains(';') || line.trim_start().starts_with('{');
    !lines().any(|line| line.contains('"'))
        && (words.any(is_lola_only) || lines().any(has_end_sign))
}

/// A word or sign of LoLA.
struct LolaToken<'t> {
    text: &'t str,
    line: u64,
    /// True for a word, false for a sign.
    is_word: bool,
}

/// Translates the formulas of a text into tokens of the `--formula` language. Returns the line and
/// the tokens of each formula.
pub(super) fn formulas(text: &str) -> Vec<(u64, Result<Vec<TypedToken>, String>)> {
    match split_words(text) {
        Err((line, what)) => vec![(line, Err(what))],
        Ok(pieces) => {
            let formulas = pieces.split(|piece| matches!(piece.text, ";" | ":"));
            let formulas = formulas.filter(|formula| !formula.is_empty());
            formulas.map(|formula| (formula[0].line, translate_formula(formula))).collect()
        }
    }
}

/// Splits a text into words and signs. Returns the line and a message for an unknown character.
fn split_words(text: &str) -> Result<Vec<LolaToken<'_>>, (u64, String)> {
    let mut pieces = Vec::new();
    let (mut rest, mut line) = (text, 1);
    while let Some(c) = rest.chars().next() {
        let is_word_character = |c: char| c.is_alphanumeric() || "_.'$~@".contains(c);
        // The end of a comment does not overlap its beginning: `/*/` is no whole comment.
        let length_through = |begin: &str, end: &str| {
            let at = rest[begin.len()..].find(end);
            at.map_or(rest.len(), |at| begin.len() + at + end.len())
        };
        let (length, is_piece) = match c {
            c if c.is_whitespace() => (c.len_utf8(), false),
            '{' => (length_through("{", "}"), false),
            '/' if rest.starts_with("/*") => (length_through("/*", "*/"), false),
            ';' | ':' => (1, true),
            c if is_word_character(c) => {
                (rest.find(|c| !is_word_character(c)).unwrap_or(rest.len()), true)
            }
            c => match translate_sign(rest) {
                Some((_, length)) => (length, true),
                None => {
                    return Err((line, format!("unexpected character {c:?} in a formula of LoLA")));
                }
            },
        };
        if is_piece {
            pieces.push(LolaToken { text: &rest[..length], line, is_word: is_word_character(c) });
        }
        line += rest[..length].matches('\n').count() as u64;
        rest = &rest[length..];
    }
    Ok(pieces)
}

/// Appends the tokens of `text`, which is in the `--formula` language.
fn push(tokens: &mut Vec<TypedToken>, text: &str) -> Result<(), String> {
    tokens.extend(super::lexer::split_formula(text)?);
    Ok(())
}

/// Translates the tokens of a formula to tokens of the `--formula` language.
fn translate_formula(pieces: &[LolaToken<'_>]) -> Result<Vec<TypedToken>, String> {
    let mut tokens = Vec::new();
    let mut pieces = match pieces {
        [first, rest @ ..] if first.text == "FORMULA" => rest,
        all => all,
    };
    let goal_keyword = pieces.first().and_then(|first| goal_operators(first.text));
    if let Some(operators) = goal_keyword {
        push(&mut tokens, operators)?;
        push(&mut tokens, "(")?;
        pieces = &pieces[1..];
    }
    // The number of open brackets inside a list of transitions.
    let mut list_depth = 0u32;
    for (index, piece) in pieces.iter().enumerate() {
        match piece.text {
            "(" if list_depth > 0
                || index > 0 && matches!(pieces[index - 1].text, "FIREABLE" | "UNFIREABLE") =>
            {
                list_depth += 1
            }
            ")" => list_depth = list_depth.saturating_sub(1),
            _ => {}
        }
        if !piece.is_word {
            push(
                &mut tokens,
                translate_sign(piece.text).map_or(piece.text, |(meaning, _)| meaning),
            )?;
            continue;
        }
        match translation(piece.text).filter(|_| list_depth == 0) {
            Some(translation) => {
                check_brackets(translation, &pieces[index + 1..])?;
                push(&mut tokens, translation)?;
            }
            None if list_depth == 0
                && matches!(piece.text, "INITIAL" | "oo" | "FORMULA" | "COMPUTE" | "MAX") =>
            {
                return Err(format!("`{}` is unknown here", piece.text));
            }
            None if list_depth == 0 && piece.text.bytes().all(|byte| byte.is_ascii_digit()) => {
                tokens.push(TypedToken::Number(piece.text.to_owned()));
            }
            None => tokens.push(TypedToken::Name(piece.text.to_owned())),
        }
    }
    if goal_keyword.is_some() {
        push(&mut tokens, ")")?;
    }
    Ok(tokens)
}

/// Returns an error if a comparison without brackets follows a temporal operator and is an operand
/// of another operator.
fn check_brackets(operator: &str, following: &[LolaToken<'_>]) -> Result<(), String> {
    let is_temporal = |text: &str| text.bytes().all(|byte| b"AEGFX ".contains(&byte));
    let is_operand = |piece: &LolaToken<'_>| piece.is_word && translation(piece.text).is_none();
    let is_sign = |piece: &&LolaToken<'_>| matches!(piece.text, "NOT" | "!" | "-");
    let next = following.iter().find(|piece| !is_sign(piece));
    if !is_temporal(operator) || !next.is_some_and(is_operand) {
        return Ok(());
    }
    let mut open_brackets = 0u32;
    for piece in following {
        match piece.text {
            "(" | "[" => open_brackets += 1,
            ")" | "]" if open_brackets == 0 => break,
            ")" | "]" => open_brackets -= 1,
            "AND" | "OR" | "XOR" | "UNTIL" | "U" | "->" | "<->" | "&" | "|"
                if open_brackets == 0 =>
            {
                let what = "the operand of the previous temporal operator needs brackets";
                return Err(format!("`{}`: {what}", piece.text));
            }
            _ => {}
        }
    }
    Ok(())
}
