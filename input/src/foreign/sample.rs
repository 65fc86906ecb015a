//! The beginning of a file, prepared for recognition.

use std::borrow::Cow;

/// A format that Parikh does not read.
pub(super) struct ForeignFormat {
    /// The format and its tool with an indefinite article, for messages: `a drawing of Renew
    /// (.rnw)`.
    pub(super) name: &'static str,
    /// The advice for users: an export or a conversion that yields a file in a format Parikh reads.
    pub(super) advice: &'static str,
    /// Returns the first line or tag of a sample that is typical of this format. Returns `None` if
    /// the sample has no such line or tag.
    pub(super) find_sign: fn(&Sample<'_>) -> Option<FormatSign>,
}

/// A piece of a file that shows its format.
pub(super) struct FormatSign {
    /// The line, counted from 1.
    pub(super) line: u64,
    /// The text as quoted in messages.
    pub(super) text: String,
}

/// A line that is not blank and not a remark.
#[derive(Clone, Copy)]
pub(super) struct SampleLine<'t> {
    /// The line number, counted from 1.
    pub(super) number: u64,
    /// The text without surrounding blanks.
    pub(super) text: &'t str,
}

impl<'t> SampleLine<'t> {
    /// Returns the first word.
    pub(super) fn first(&self) -> &'t str {
        self.text.split_whitespace().next().unwrap_or_default()
    }

    /// Returns the line as evidence for a format, to be quoted in a message.
    pub(super) fn sign(&self) -> FormatSign {
        FormatSign { line: self.number, text: self.text.to_owned() }
    }
}

/// The opening tag of an element.
pub(super) struct SampleTag<'t> {
    /// The line number, counted from 1.
    pub(super) line: u64,
    /// The name, including the prefix.
    pub(super) qualified_name: &'t str,
    /// The attributes as written.
    pub(super) attributes: &'t str,
}

impl<'t> SampleTag<'t> {
    /// Returns the local name, without the prefix.
    pub(super) fn name(&self) -> &'t str {
        self.qualified_name.rsplit(':').next().unwrap_or_default()
    }

    /// Returns the names and values of the attributes.
    pub(super) fn attributes(&self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            let (name, behind) = rest.split_once('=')?;
            let behind = behind.trim_start();
            let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, behind) = behind[1..].split_once(quote)?;
            rest = behind;
            Some((name.trim(), value))
        })
    }

    /// Returns the value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&'t str> {
        self.attributes().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Returns the tag as evidence for a format, to be quoted in a message.
    pub(super) fn sign(&self) -> FormatSign {
        FormatSign { line: self.line, text: format!("<{}>", self.qualified_name) }
    }
}

/// The beginning of a file.
pub(super) struct Sample<'t> {
    /// The lines of a file that is not XML, without blank lines and remarks. Empty for a file in
    /// XML.
    pub(super) lines: Vec<SampleLine<'t>>,
    /// The opening tags of a file in XML, in order, without those inside `toolspecific`. Empty for
    /// other files.
    pub(super) tags: Vec<SampleTag<'t>>,
    /// The text, remarks included.
    pub(super) text: &'t str,
}

impl<'t> Sample<'t> {
    /// Splits a text into lines, or into tags if it is XML.
    pub(super) fn of(text: &'t str) -> Self {
        match text.trim_start().starts_with('<') {
            true => Sample { lines: Vec::new(), tags: tags(text), text },
            false => Sample { lines: lines(text), tags: Vec::new(), text },
        }
    }

    /// Returns the root element if it has this name.
    pub(super) fn root(&self, name: &str) -> Option<&SampleTag<'t>> {
        self.tags.first().filter(|root| root.name() == name)
    }

    /// Returns the first tag with one of these names.
    pub(super) fn tag(&self, names: &[&str]) -> Option<&SampleTag<'t>> {
        self.tags.iter().find(|tag| names.contains(&tag.name()))
    }

    /// Returns the first line.
    pub(super) fn first(&self) -> Option<&SampleLine<'t>> {
        self.lines.first()
    }

    /// Returns the first line whose first word is one of `words`.
    pub(super) fn line(&self, words: &[&str]) -> Option<&SampleLine<'t>> {
        self.lines.iter().find(|line| words.contains(&line.first()))
    }

    /// Returns the first line that contains this text.
    pub(super) fn containing(&self, text: &str) -> Option<&SampleLine<'t>> {
        self.lines.iter().find(|line| line.text.contains(text))
    }

    /// Returns the words of all lines.
    pub(super) fn words(&self) -> impl Iterator<Item = &'t str> {
        self.lines.iter().flat_map(|line| line.text.split_whitespace())
    }
}

/// Decodes the beginning of a file: UTF-16 if a byte order mark says so, UTF-8 otherwise. Invalid
/// bytes become U+FFFD. Keywords are ASCII in all formats.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            return String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        }
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// The signs that begin a remark up to the end of the line, in the languages of other tools.
const LINE_REMARKS: [&str; 5] = ["//", "--", "#", "%", "/*/"];

/// The begin and the end of remarks that may extend over several lines, in the languages of other
/// tools.
const LONG_REMARKS: [(&str, &str); 3] = [("/*", "*/"), ("(*", "*)"), ("{", "}")];

/// The first words of languages in which braces enclose remarks: those of LoLA and its relatives.
const BRACES_ENCLOSE_REMARKS: [&str; 2] = ["PLACE", "INTERFACE"];

/// Returns the lines of a text, except blank lines and remarks. A remark is only recognised at the
/// beginning of a line, or directly after another remark. A remark in braces is only recognised in
/// front of the first line, and in LoLA's relatives. Lines that begin with `#place`, `#trans`,
/// `#endtr` or `#define`, keywords of PROD, are not remarks.
fn lines(text: &str) -> Vec<SampleLine<'_>> {
    let mut lines = Vec::new();
    let (mut rest, mut number) = (text, 1);
    loop {
        let trimmed = rest.trim_start();
        number += newlines(&rest[..rest.len() - trimmed.len()]);
        if trimmed.is_empty() {
            return lines;
        }
        let line = trimmed.lines().next().unwrap_or_default();
        let is_prod =
            ["#place", "#trans", "#endtr", "#define"].iter().any(|word| line.starts_with(word));
        let has_braced_remarks =
            |first: &SampleLine<'_>| BRACES_ENCLOSE_REMARKS.contains(&first.first());
        let braces_enclose_remarks = lines.first().is_none_or(has_braced_remarks);
        let long = LONG_REMARKS.iter().find(|(begin, _)| {
            line.starts_with(begin) && (*begin != "{" || braces_enclose_remarks)
        });
        let end = long.and_then(|(begin, end)| {
            Some(trimmed[begin.len()..].find(end)? + begin.len() + end.len())
        });
        let length = match end {
            Some(length) => length,
            None => {
                if is_prod || !LINE_REMARKS.iter().any(|begin| line.starts_with(begin)) {
                    lines.push(SampleLine { number, text: line.trim_end() });
                }
                line.len()
            }
        };
        number += newlines(&trimmed[..length]);
        rest = &trimmed[length..];
    }
}

fn newlines(text: &str) -> u64 {
    text.bytes().filter(|&byte| byte == b'\n').count() as u64
}

/// Returns the opening tags of a text in XML.
fn tags(text: &str) -> Vec<SampleTag<'_>> {
    let mut tags = Vec::new();
    let (mut at, mut line, mut counted) = (0, 1, 0);
    while let Some(found) = text[at..].find('<') {
        let begin = at + found;
        line += newlines(&text[counted..begin]);
        counted = begin;
        let rest = &text[begin..];
        let skipped =
            [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"), ("</", ">")];
        let end = match skipped.iter().find(|(open, _)| rest.starts_with(open)) {
            Some((_, close)) => rest.find(close).map(|it| it + close.len()),
            None => tag_length(rest),
        };
        let Some(length) = end else { return tags };
        at = begin + length;
        if skipped.iter().any(|(open, _)| rest.starts_with(open)) {
            continue;
        }
        let inside = rest[1..length - 1].trim_end_matches('/');
        let name_end = inside.find(char::is_whitespace).unwrap_or(inside.len());
        let (qualified_name, attributes) = inside.split_at(name_end);
        if qualified_name == "toolspecific" && !rest[..length].ends_with("/>") {
            match text[at..].find("</toolspecific") {
                Some(end) => at += end,
                None => return tags,
            }
            continue;
        }
        tags.push(SampleTag { line, qualified_name, attributes });
    }
    tags
}

/// Returns the length of a tag in bytes. A `>` in quotes does not end the tag. Returns `None` if
/// the tag does not end.
fn tag_length(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '>') => return Some(at + 1),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_every_language_are_left_out_and_lines_counted() {
        let text = "-- a\n// b\n# c\n% d\n/* e\nf */ { g\n} place x\n\n(* h *) trans y\n#place z";
        let lines: Vec<_> = lines(text).iter().map(|line| (line.number, line.text)).collect();
        assert_eq!(lines, [(7, "place x"), (9, "trans y"), (10, "#place z")]);
    }

    #[test]
    fn braces_after_the_first_line_enclose_remarks_only_in_languages_like_lola() {
        let texts = |text| super::lines(text).iter().map(|it| it.text).collect::<Vec<_>>();
        assert_eq!(texts("pn [n]\n{\nplaces:\n}"), ["pn [n]", "{", "places:", "}"]);
        assert_eq!(texts("{ a }\nPLACE\n{ b }\nINTERNAL p;"), ["PLACE", "INTERNAL p;"]);
    }

    #[test]
    fn tags_have_their_attributes_and_lines() {
        let text = "<?xml?><!-- <no/> -->\n<a:b x='1>' y = \"2\"/>\n<toolspecific><no/></toolspecific><c/>";
        let tags = tags(text);
        let names: Vec<_> = tags.iter().map(|tag| (tag.line, tag.qualified_name)).collect();
        assert_eq!(names, [(2, "a:b"), (3, "c")]);
        assert_eq!((tags[0].name(), tags[0].attribute("y")), ("b", Some("2")));
        assert_eq!(tags[0].attribute("x"), Some("1>"));
    }
}
