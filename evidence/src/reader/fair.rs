//! Reads fairness assumptions from the command line, such as `weak` or `strong:t,u`.

use super::names::{NameNotation, NamedNodeKind, ids_of_name};
use super::queries::typed::parse_quoted;
use parikh_net::printable::Quoted;
use parikh_net::{Fairness, Net, TransitionId};

/// Reads fairness assumptions. Each text is `weak` or `strong`, for all transitions of `net`, or
/// has a list such as `weak:t,u` for single transitions. A name may be a label or an id, and may be
/// in quotes. With `id` before the quotes, as in `id "t"`, it is an id. The result combines all
/// assumptions.
///
/// # Errors
/// When a text is not of this form, or a name is unknown or ambiguous. Also when colours were
/// merged, or when the translation of reset arcs or of caps, that is, assumed bounds, made several
/// copies of a transition with fairness.
pub fn fairness(net: &Net, texts: &[String]) -> Result<Fairness, String> {
    let (mut weak, mut strong) = (Vec::new(), Vec::new());
    for text in texts {
        let (kind, names) = text.split_once(':').map_or((&**text, None), |(k, n)| (k, Some(n)));
        let transitions_of_kind = match kind {
            "weak" => &mut weak,
            "strong" => &mut strong,
            _ => return Err(format!("expected weak or strong, not {}", Quoted(kind))),
        };
        match names {
            None => transitions_of_kind.extend(net.transitions()),
            Some(mut rest) => loop {
                let (t, after_comma) = transitions_of_first_name(net, rest)?;
                transitions_of_kind.extend(t);
                match after_comma {
                    Some(after_comma) => rest = after_comma,
                    None => break,
                }
            },
        }
    }
    if net.is_of_quotient() && !(weak.is_empty() && strong.is_empty()) {
        return Err("fairness is about single bindings, but colours were merged".to_owned());
    }
    // The translation of reset arcs, or of caps, may split a transition into several copies.
    // Fairness to each copy would differ from fairness to the transition: one copy may stay enabled
    // forever without firing, while another copy fires.
    if let Some(translation) = net.translation()
        && weak.iter().chain(&strong).any(|&t| translation.has_other_copies(t))
    {
        let why = "fairness to a transition with several copies in the translated net is not \
                   supported";
        return Err(why.to_owned());
    }
    Ok(Fairness::new(weak, strong))
}

/// Returns the transitions of the first name in a list, and the text behind the comma after the
/// name. The text is `None` if the list ends with the name.
fn transitions_of_first_name<'t>(
    net: &Net,
    text: &'t str,
) -> Result<(Vec<TransitionId>, Option<&'t str>), String> {
    let text = text.trim_start();
    let after_keyword = text.strip_prefix("id").map(str::trim_start);
    let (in_quotes, notation) = match after_keyword.filter(|rest| rest.starts_with('"')) {
        Some(rest) => (rest, NameNotation::Id),
        None => (text, NameNotation::Quoted),
    };
    let (name, after_name, notation) = match in_quotes.starts_with('"') {
        true => {
            let (name, length) = parse_quoted(in_quotes)?;
            (name, &in_quotes[length..], notation)
        }
        false => {
            let (name, after_name) = text.split_at(text.find(',').unwrap_or(text.len()));
            (name.trim_end().to_owned(), after_name, NameNotation::Bare)
        }
    };
    let mut found_transitions = Vec::new();
    for id in ids_of_name(net, NamedNodeKind::Transitions, &name, notation)? {
        let transitions = net.transitions_named(&id);
        let unknown = || format!("the net has no transition {}", Quoted(&name));
        found_transitions.extend(transitions.ok_or_else(unknown)?);
    }
    match after_name.trim_start() {
        "" => Ok((found_transitions, None)),
        after_name => match after_name.strip_prefix(',') {
            Some(after_comma) => Ok((found_transitions, Some(after_comma))),
            None => Err(format!("expected a comma after {}", Quoted(&name))),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn all_or_some_transitions_are_meant() {
        let net =
            text::parse("place p 1\ntransition t: p -> p\ntransition \"a,b\": p -> p").unwrap();
        let read = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|&it| it.to_owned()).collect();
            let read = fairness(&net, &given)?;
            Ok::<_, String>((read.weak().len(), read.strong().len()))
        };
        assert_eq!(read(&["weak"]), Ok((2, 0)));
        assert_eq!(read(&["strong"]), Ok((0, 2)));
        assert_eq!(read(&["weak", "strong: \"a,b\" "]), Ok((1, 1)));
        assert_eq!(read(&["weak:t,\"a,b\",t"]), Ok((2, 0)));
        assert_eq!(read(&["weak:id \"a,b\", t"]), Ok((2, 0)));
        for wrong in ["fair", "weak:", "weak:a", "weak:t u", "strong:\"t", "weak:t,", "weak:\"t\"t"]
        {
            assert!(read(&[wrong]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_in_quotes_have_escapes_and_ids_have_a_keyword() {
        let net = text::parse(
            r#"place p 1
               transition "say \"hi, you\" \\": p -> p
               transition id: p -> p"#,
        );
        let net = net.unwrap();
        let read =
            |given: &str| fairness(&net, &[given.to_owned()]).map(|read| read.weak().to_vec());
        let [first, second] = [0, 1].map(TransitionId::new);
        assert_eq!(read(r#"weak:"say \"hi, you\" \\""#), Ok(vec![first]));
        assert_eq!(read(r#"weak:id "say \"hi, you\" \\", id"#), Ok(vec![first, second]));
        assert_eq!(read(r#"weak:id "id""#), Ok(vec![second]));
        assert!(read(r#"weak:"say \"hi, you"#).is_err());
    }
}
