//! Rules of well-formed XML that the parser does not check, and the auditor's parser does:
//! characters, attributes, namespace prefixes, and the order of the prologue. Skipped elements obey
//! them, too.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

/// The white space of XML. Unicode has more white space, which may occur in names.
pub(super) const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

/// Returns true if XML does not allow a character.
pub(super) fn is_forbidden_character(c: char) -> bool {
    c < ' ' && !BLANKS.contains(&c) || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Returns the problem with a character that XML does not allow.
pub(super) fn forbidden_character(code: impl Into<u32>) -> String {
    let code = code.into();
    format!("the character U+{code:04X}, which XML does not allow; remove it")
}

/// Checks the raw text between two tags.
///
/// # Errors
/// The problem, if the text is not allowed there.
pub(super) fn check_text(text: &str) -> Result<(), String> {
    match text.chars().find(|&c| is_forbidden_character(c)) {
        Some(c) => Err(forbidden_character(c)),
        None if text.contains("]]>") => Err("`]]>` outside of a CDATA section".into()),
        None => Ok(()),
    }
}

/// The furthest part of the prologue that the reader has passed. The prologue ends with the opening
/// tag of the root element.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
pub(super) enum PrologueState {
    /// Nothing but blanks and comments is read. Some tools write these before the XML declaration.
    #[default]
    Start,
    /// The XML declaration is read, or an instruction that may not come before it.
    Declared,
    /// The document type is read.
    Typed,
    /// The opening tag of the root element is read, so the prologue is over.
    Ended,
}

impl PrologueState {
    /// Passes an event.
    ///
    /// # Errors
    /// The problem, if the event is a declaration or a document type at the wrong place.
    pub(super) fn pass(&mut self, event: &Event<'_>) -> Result<(), &'static str> {
        let next = match event {
            Event::Decl(_) if *self > PrologueState::Start => {
                return Err("an XML declaration here, expected it only at the beginning");
            }
            Event::DocType(_) if *self >= PrologueState::Typed => {
                return Err("a document type here, expected one before the root element");
            }
            Event::Decl(_) | Event::PI(_) if *self < PrologueState::Declared => {
                PrologueState::Declared
            }
            Event::DocType(_) => PrologueState::Typed,
            Event::Start(_) | Event::Empty(_) => PrologueState::Ended,
            _ => return Ok(()),
        };
        *self = next;
        Ok(())
    }
}

/// The namespace prefixes that the open elements declare. Each entry has the depth of an element
/// and its prefixes.
#[derive(Default)]
pub(super) struct NamespaceScopes(Vec<(usize, Vec<Box<str>>)>);

impl NamespaceScopes {
    /// Checks the opening tag of an element at `depth`, and adds the prefixes that it declares.
    ///
    /// # Errors
    /// The problem, if an attribute is malformed or a prefix is not declared.
    pub(super) fn open(&mut self, start: &BytesStart<'_>, depth: usize) -> Result<(), String> {
        if lacks_blank_between_attributes(start.attributes_raw()) {
            return Err("two attributes without a blank between them".to_owned());
        }
        let mut declared = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| error.to_string())?;
            let key = attribute.key.as_ref();
            if attribute.value.contains('<') {
                return Err(format!("the character `<` in the attribute `{key}`; write `&lt;`"));
            }
            if attribute.value.contains(['&', '\u{fffe}', '\u{ffff}']) {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                let value = value.map_err(|error| error.to_string())?;
                if let Some(c) = value.chars().find(|&c| is_forbidden_character(c)) {
                    return Err(forbidden_character(c));
                }
            }
            if let Some(prefix) = key.strip_prefix("xmlns:") {
                declared.push(prefix.into());
            }
        }
        if !declared.is_empty() {
            self.0.push((depth, declared));
        }
        // Most tags have no colon, and need no second pass.
        if !start.contains(':') {
            return Ok(());
        }
        let name = start.name();
        self.check_prefix(name.as_ref())?;
        for attribute in start.attributes().flatten() {
            self.check_prefix(attribute.key.as_ref())?;
        }
        Ok(())
    }

    /// Removes the prefixes that the element at `depth` + 1 declared, because the element has
    /// ended.
    pub(super) fn close(&mut self, depth: usize) {
        self.0.pop_if(|(declared_at, _)| *declared_at > depth);
    }

    /// Checks that the prefix of a name is declared.
    fn check_prefix(&self, name: &str) -> Result<(), String> {
        let Some((prefix, _)) = name.split_once(':') else { return Ok(()) };
        let is_declared = |(_, prefixes): &(usize, Vec<Box<str>>)| {
            prefixes.iter().any(|declared| **declared == *prefix)
        };
        match matches!(prefix, "xml" | "xmlns") || self.0.iter().any(is_declared) {
            true => Ok(()),
            false => Err(format!(
                "the prefix of `{name}` is not declared; add `xmlns:{prefix}=…` to the root element"
            )),
        }
    }
}

/// Returns true if a value is directly followed by another attribute, as in `a="1"b="2"`.
fn lacks_blank_between_attributes(raw_attributes: &str) -> bool {
    let (mut open_quote, mut is_after_value) = (None, false);
    for byte in raw_attributes.bytes() {
        match open_quote {
            Some(quote) if byte == quote => (open_quote, is_after_value) = (None, true),
            Some(_) => {}
            None if is_after_value && !byte.is_ascii_whitespace() => return true,
            None => {
                is_after_value = false;
                open_quote = matches!(byte, b'"' | b'\'').then_some(byte);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use crate::xml::{XmlItem, XmlReader};

    /// Reads a whole file. Returns the message of the first error, or an empty text.
    fn problem(text: &str) -> String {
        let mut xml = XmlReader::new(text.as_bytes(), "f").unwrap();
        loop {
            match xml.next() {
                Ok(XmlItem::EndOfFile) => return String::new(),
                Ok(_) => {}
                Err(error) => return error.to_string(),
            }
        }
    }

    #[test]
    fn characters_that_xml_forbids_are_refused_everywhere() {
        for (text, at) in [
            ("<a>\n<b>x\u{1}</b></a>", "f:2:5"),
            ("<a>\n<b c='\u{1}'/></a>", "f:2:7"),
            ("<a>\n<!-- \u{1} --></a>", "f:2:6"),
            ("<a>\n<b c='&#1;'/></a>", "f:2:1"),
            ("<a>\n&#1;</a>", "f:2:1"),
        ] {
            let expected = "malformed XML: the character U+0001, which XML does not allow";
            let problem = problem(text);
            assert!(problem.starts_with(&format!("{at}: {expected}")), "{text}: {problem}");
        }
        assert!(problem("<a>\u{fffe}</a>").contains("U+FFFE"));
        assert_eq!(problem("<a b='\t\u{85}'>\r\n\u{7f}</a>"), "");
    }

    #[test]
    fn prefixes_must_be_declared_by_the_element_or_one_around_it() {
        for text in ["<p:a/>", "<a p:b='1'/>", "<a><b xmlns:p='u'/><p:c/></a>"] {
            assert!(problem(text).contains("is not declared; add `xmlns:p=…`"), "{text}");
        }
        for text in [
            "<p:a xmlns:p='u'><p:b p:c='1'/></p:a>",
            "<a xml:lang='en'><b xmlns:p='u'><p:c/></b></a>",
            "<a xmlns:p='u'><b xmlns:q='u'/><p:c/></a>",
        ] {
            assert_eq!(problem(text), "");
        }
    }

    #[test]
    fn malformed_attributes_are_refused_in_any_element() {
        for (text, part) in [
            ("<a><b c='1'd='2'/></a>", "two attributes without a blank between them"),
            ("<a><b c='1' c='2'/></a>", "f:1:4: malformed XML"),
            ("<a><b c='<'/></a>", "the character `<` in the attribute `c`"),
            ("<a><b c=1/></a>", "f:1:4: malformed XML"),
            ("<a>]]></a>", "`]]>` outside of a CDATA section"),
        ] {
            let problem = problem(text);
            assert!(problem.contains(part), "{text}: {problem}");
        }
        assert_eq!(problem("<a b = '1'\n c=\"'\" ><d e=''/></a>"), "");
    }

    #[test]
    fn the_declaration_may_follow_blanks_and_comments_only() {
        for text in ["\n<?xml version='1.0'?><a/>", "<!-- c -->\n<?xml version='1.0'?><a/>"] {
            assert_eq!(problem(text), "");
        }
        for text in [
            "<a><?xml version='1.0'?></a>",
            "<?xml version='1.0'?><?xml version='1.0'?><a/>",
            "<!DOCTYPE a><?xml version='1.0'?><a/>",
        ] {
            assert!(problem(text).contains("an XML declaration here"), "{text}");
        }
        assert!(problem("<!DOCTYPE a><!DOCTYPE a><a/>").contains("a document type here"));
    }
}
