//! Replaces the prologue of an XML file by blanks: the XML declaration and the document type.
//!
//! The XML library refuses a declaration behind blanks or comments, or without a version, and some
//! tools write these. It also refuses document types. So blanks replace both before the file is
//! parsed, and lines keep their numbers. Declared entities are not expanded, because nested
//! entities can expand to any size: a reference to one is an error of the library.

use super::{BLANKS, Unreadable};
use std::borrow::Cow;

/// Replaces the XML declaration and the document type by blanks. Both may stand behind blanks and
/// comments, and the document type behind instructions. A construct without end stays.
///
/// # Errors
/// When the document type declares attributes, because they are not in the file.
pub(super) fn blank_prologue(text: Cow<'_, str>) -> Result<Cow<'_, str>, Unreadable> {
    let mut text = text;
    let start = after_comments(&text);
    if text[start..].starts_with("<?xml")
        && text[start + 5..].starts_with(BLANKS)
        && let Some(length) = text[start..].find("?>")
    {
        blank(&mut text, start, start + length + 2);
    }
    let start = after_instructions(&text);
    if let Some(length) = document_type_length(&text[start..]) {
        if text[start..start + length].contains("<!ATTLIST") {
            let what = "this document type declares attributes, which is not supported";
            return Err(Unreadable::at_byte(text.as_bytes(), start, what));
        }
        blank(&mut text, start, start + length);
    }
    Ok(text)
}

/// Replaces the bytes from `start` to `end` by blanks, except line ends.
fn blank(text: &mut Cow<'_, str>, start: usize, end: usize) {
    let blanks: String =
        text[start..end].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }).collect();
    text.to_mut().replace_range(start..end, &blanks);
}

/// Returns the position behind the blanks and comments at the beginning of a text.
fn after_comments(text: &str) -> usize {
    position_after(text, &[("<!--", "-->")])
}

/// Returns the position behind the blanks, comments and instructions at the beginning of a text.
fn after_instructions(text: &str) -> usize {
    position_after(text, &[("<!--", "-->"), ("<?", "?>")])
}

/// Returns the position behind the blanks at the beginning of a text, and behind the constructs
/// with one of these beginnings and ends.
fn position_after(text: &str, constructs: &[(&str, &str)]) -> usize {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(BLANKS);
        let behind = constructs.iter().find_map(|(start, end)| {
            let inside = rest.strip_prefix(start)?;
            Some(inside.split_once(end)?.1)
        });
        match behind {
            Some(behind) => rest = behind,
            None => return text.len() - rest.len(),
        }
    }
}

/// Returns the length in bytes of the document type at the beginning of a text. Returns `None` if
/// there is none, or if it has no end.
fn document_type_length(text: &str) -> Option<usize> {
    const START: &str = "<!DOCTYPE";
    let is_document_type =
        text.get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START));
    if !is_document_type {
        return None;
    }
    let mut position = START.len();
    let mut is_in_subset = false;
    loop {
        let rest = &text[position..];
        // Texts in quotes, comments and instructions may contain brackets and `>`.
        let skipped = [("<!--", "-->"), ("<?", "?>"), ("\"", "\""), ("'", "'")];
        if let Some((start, end)) = skipped.iter().find(|(start, _)| rest.starts_with(start)) {
            position += start.len() + rest[start.len()..].find(end)? + end.len();
            continue;
        }
        let next = rest.chars().next()?;
        position += next.len_utf8();
        match next {
            '[' => is_in_subset = true,
            ']' => is_in_subset = false,
            '>' if !is_in_subset => return Some(position),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_read(file: &str) -> bool {
        super::super::pnml::read(file.as_bytes()).is_ok()
    }

    #[test]
    fn prologues_of_all_tools_are_passed() {
        for prologue in [
            "\n\n<?xml version='1.0' encoding='UTF-8'?>\n",
            "<!-- made by hand -->\n<?xml version='1.0'?>",
            "<?xml encoding='UTF-8'?>",
            "<?xml version='1.0' standalone='yes' encoding='UTF-8'?>",
            "<!DOCTYPE pnml>",
            "<!DOCTYPE pnml SYSTEM 'a>b.dtd'>",
            "<?xml version='1.0'?>\n<?style a?><!-- c -->\n<!DOCTYPE pnml [\n\
             <!ENTITY a \"]>\"> <!-- ]> ' --> <!ELEMENT pnml ANY>\n]>\n",
        ] {
            assert!(is_read(&format!("{prologue}<pnml><net/></pnml>")), "{prologue}");
        }
    }

    #[test]
    fn blanking_keeps_line_numbers() {
        let text = "\n<?xml\nversion='1.0'?>\n<!DOCTYPE a [\n\n]><a/>";
        let blanked = blank_prologue(Cow::Borrowed(text)).unwrap();
        assert_eq!(blanked.len(), text.len());
        assert_eq!(blanked.split_whitespace().collect::<String>(), "<a/>");
        assert_eq!(blanked.lines().count(), text.lines().count());
    }

    #[test]
    fn entities_and_declared_attributes_are_refused() {
        for file in [
            "<!DOCTYPE pnml [<!ENTITY a '1'>]><pnml><net>&a;</net></pnml>",
            "<!DOCTYPE pnml [<!ATTLIST net id CDATA 'n'>]><pnml><net/></pnml>",
            "<!DOCTYPE pnml [<pnml><net/></pnml>",
            "<!DOCTYPE pnml><!DOCTYPE pnml><pnml><net/></pnml>",
            "<pnml><?xml version='1.0'?><net/></pnml>",
            "<?xml version='1.0'?><?xml version='1.0'?><pnml><net/></pnml>",
        ] {
            assert!(!is_read(file), "{file}");
        }
    }
}
