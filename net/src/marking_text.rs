//! Markings as text, as in `2*p + q`; `0` is the empty marking. A name with blanks or one of `+*·"`
//! stands in quotes, in which `"` and `\` are preceded by `\`, and `\n`, `\r` and `\t` mean a line
//! break, a carriage return and a tab. `id "p"` is an id in any case.

use crate::marking::Marking;
use crate::net::Net;
use crate::{Mention, PlaceId};
use std::fmt::Write as _;

/// Reads a marking of `net` with places by their ids, as [`print()`] writes them. A place with the
/// id `0` alone must be in quotes.
///
/// # Errors
/// If the text is not a sum of places, names an unknown place, or gives a place more than 2⁶³ − 1
/// tokens. The error is a message for users.
pub fn parse(text: &str, net: &Net) -> Result<Marking, String> {
    if text.trim() == "0" {
        return Ok(Marking::empty(net.place_count()));
    }
    parse_with(text, net, |id, _| {
        net.place_named(id).ok_or_else(|| format!("the net has no place `{id}`{}", hint(net, id)))
    })
}

/// Reads a marking of `net`. The function `find` returns the place that a text denotes in the given
/// way, or a message for users. If `find` knows a place `0`, this word is not the empty marking.
///
/// # Errors
/// If the text is not a sum of places, or gives a place more than 2⁶³ − 1 tokens, or `find` fails.
/// The error is a message for users.
pub fn parse_with(
    text: &str,
    net: &Net,
    find: impl Fn(&str, Mention) -> Result<PlaceId, String>,
) -> Result<Marking, String> {
    let mut marking = Marking::empty(net.place_count());
    let mut rest = text.trim_start();
    if rest.trim_end() == "0" && find("0", Mention::Word).is_err() {
        return Ok(marking);
    }
    loop {
        let mut count = 1;
        let (mut word, mut mention, mut after_word) = take_word(rest)?;
        if let Some(after_sign) = after_word.strip_prefix(['*', '·']) {
            let number = word.parse().ok().filter(|&number| number > 0);
            count =
                number.ok_or_else(|| format!("`{word}` before `*` is not a number of tokens"))?;
            (word, mention, after_word) = take_word(after_sign.trim_start())?;
        }
        let place = find(&word, mention)?;
        let sum = marking[place].checked_add(count).filter(|&n| n <= Marking::MAX_TOKENS);
        marking[place] = sum.ok_or_else(|| format!("more than 2^63 - 1 tokens on `{word}`"))?;
        match after_word.strip_prefix('+') {
            Some(after_plus) => rest = after_plus.trim_start(),
            None if after_word.is_empty() => return Ok(marking),
            None => return Err(format!("expected `+` before `{after_word}`, as in `2*p + q`")),
        }
    }
}

/// Returns the end of the error message for `word`, which is the id of no place. If `word` is the
/// label of a place, names the id of the place, and otherwise a similar id. Returns an empty text
/// if there is neither.
fn hint(net: &Net, word: &str) -> String {
    let labelled = net.places().find(|&place| net.place_label(place) == Some(word));
    match (labelled, crate::closest(word, net.place_names.iter())) {
        (Some(place), _) => {
            format!("; this is the label of `{}`, and ids are expected", net.place_name(place))
        }
        (None, Some(similar)) => format!("; did you mean `{similar}`?"),
        (None, None) => String::new(),
    }
}

/// Returns the first word without its quotes, the way in which it denotes a place, and the rest
/// after blanks. The word `id` and the quotes behind it count as one word.
fn take_word(text: &str) -> Result<(String, Mention, &str), String> {
    let after_keyword = text.strip_prefix("id").map(str::trim_start);
    let (in_quotes, mention) = match after_keyword.filter(|rest| rest.starts_with('"')) {
        Some(rest) => (rest, Mention::Id),
        None => (text, Mention::Name),
    };
    let Some(quoted) = in_quotes.strip_prefix('"') else {
        let end = text.find(|c: char| c.is_whitespace() || "+*·\"".contains(c));
        let (word, after_word) = text.split_at(end.unwrap_or(text.len()));
        return match word.is_empty() {
            true => Err("expected the name of a place, as in `2*p + q`".to_owned()),
            false => Ok((word.to_owned(), Mention::Word, after_word.trim_start())),
        };
    };
    let mut word = String::new();
    let mut characters = quoted.char_indices();
    while let Some((offset, c)) = characters.next() {
        match c {
            '"' => return Ok((word, mention, quoted[offset + 1..].trim_start())),
            '\\' => word.extend(characters.next().map(|(_, c)| match c {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                other => other,
            })),
            c => word.push(c),
        }
    }
    Err(format!("the quotes before `{quoted}` are not closed"))
}

/// Writes a marking in the form that [`parse`] reads.
pub fn print(net: &Net, marking: &Marking) -> String {
    let mut text = String::new();
    for (place, tokens) in marking.marked() {
        if !text.is_empty() {
            text.push_str(" + ");
        }
        if tokens != 1 {
            let _ = write!(text, "{tokens}*");
        }
        let name = net.place_name(place);
        // The word `0` alone is the empty marking.
        match name == "0" || name.contains(|c: char| c.is_whitespace() || "+*·\"".contains(c)) {
            true => {
                let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
                let escaped = escaped.replace('\n', "\\n").replace('\r', "\\r");
                let _ = write!(text, "\"{}\"", escaped.replace('\t', "\\t"));
            }
            false => text.push_str(name),
        }
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NetBuilder;

    #[test]
    fn printed_markings_are_read_back_and_errors_are_reported() {
        let mut builder = NetBuilder::new("n");
        for name in ["p", "two words", "a+b", "q\"\\", "2", "0", "\t1\r\n2"] {
            builder.place(name, 0).unwrap();
        }
        builder.label_place(crate::PlaceId::new(0), "Begin");
        let net = builder.build().unwrap();
        let all = Marking::new(vec![1, 2, 3, 4, 5, 6, 7]);
        let alone = |place: usize| {
            let mut marking = Marking::empty(7);
            marking[crate::PlaceId::new(place)] = 1;
            marking
        };
        for marking in [all, Marking::empty(7), alone(4), alone(5), alone(6)] {
            let text = print(&net, &marking);
            assert!(!text.contains('\n'), "{text}");
            assert_eq!(parse(&text, &net), Ok(marking));
        }
        let four = Marking::new(vec![4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(parse(" p+ 2 * p +p", &net), Ok(four));
        for (text, wrong) in [
            ("p q", "expected `+` before `q`"),
            ("p +", "expected the name of a place"),
            ("x*p", "`x` before `*` is not a number"),
            ("0*p", "`0` before `*` is not a number"),
            ("\"p", "not closed"),
            ("pp", "the net has no place `pp`; did you mean `p`?"),
            (
                "Begin",
                "the net has no place `Begin`; this is the label of `p`, and ids are expected",
            ),
            ("9223372036854775807*p + p", "more than 2^63 - 1 tokens on `p`"),
        ] {
            let error = parse(text, &net).unwrap_err();
            assert!(error.contains(wrong), "{text}: {error}");
        }
    }

    #[test]
    fn words_quoted_names_and_ids_are_distinguished() {
        let mut builder = NetBuilder::new("n");
        let place = builder.place("p", 0).unwrap();
        let net = builder.build().unwrap();
        for (text, expected) in [
            ("2 * p", vec![("p", Mention::Word)]),
            ("\"p\\n\\\\\" + id", vec![("p\n\\", Mention::Name), ("id", Mention::Word)]),
            ("2*id \"a+b\" + id\"c\"", vec![("a+b", Mention::Id), ("c", Mention::Id)]),
        ] {
            let mentions = std::cell::RefCell::new(Vec::new());
            let find = |name: &str, mention| {
                mentions.borrow_mut().push((name.to_owned(), mention));
                Ok(place)
            };
            parse_with(text, &net, find).unwrap();
            let expected: Vec<(String, Mention)> =
                expected.into_iter().map(|(name, mention)| (name.to_owned(), mention)).collect();
            assert_eq!(mentions.into_inner(), expected, "{text}");
        }
    }
}
