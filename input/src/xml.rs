//! The XML stream of all readers: opened elements, closed elements and text. A self-closed element
//! looks like an empty one, and entities and CDATA look like text. Other XML constructs are hidden.
//! Elements are identified by their local names. In nets, elements need the prefix of the root
//! element, since other prefixes belong to other languages.

use super::error::InputError;
use super::source::{TextPosition, XmlSource};
use super::well_formed::{
    BLANKS, NamespaceScopes, PrologueState, check_text, forbidden_character, is_forbidden_character,
};
use quick_xml::XmlVersion;
use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use std::borrow::Cow;
use std::io::BufRead;
use std::str::FromStr;

/// Trims the blanks around a text.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(BLANKS)
}

/// Returns true if a text is blank except for stray `>` and `$`. Some writers leave these behind,
/// even in models of the contest.
fn is_stray_text(text: &str) -> bool {
    text.chars().all(|c| matches!(c, '>' | '$') || BLANKS.contains(&c))
}

/// Returns the words of a text, separated by blanks.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(BLANKS).filter(|word| !word.is_empty())
}

/// Parses a number of decimal digits, with blanks around it. Returns `None` if the text is no such
/// number, or if the number does not fit `T`.
pub(super) fn digits<T: FromStr>(text: &str) -> Option<T> {
    let digits = trimmed(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// An item of the stream.
pub(super) enum XmlItem<'b> {
    /// An element begins.
    Open(XmlTag<'b>),
    /// The innermost open element ends.
    Close,
    /// A piece of text. One text may come in several pieces.
    Text(Cow<'b, str>),
    /// A comment, a declaration or another construct without text and elements. Where text is an
    /// error, also a blank or stray text.
    Nothing,
    /// The end of the file, with every element closed.
    EndOfFile,
}

/// The opening tag of an element.
pub(super) struct XmlTag<'b> {
    start: BytesStart<'b>,
    pub(super) position: TextPosition,
    pub(super) file: &'b str,
}

impl XmlTag<'_> {
    /// Returns the local name.
    pub(super) fn name(&self) -> &str {
        self.start.local_name().into_inner()
    }

    /// Returns the name, including the prefix.
    pub(super) fn qualified_name(&self) -> &str {
        self.start.name().into_inner()
    }

    /// Returns the prefix; empty if there is none.
    pub(super) fn prefix(&self) -> &str {
        self.start.name().prefix().map_or("", |prefix| prefix.into_inner())
    }

    /// Returns the name of the first attribute whose name and raw value satisfy a predicate.
    /// Returns `None` if no attribute does. Returns an error if a malformed attribute comes first.
    pub(super) fn find_attribute(
        &self,
        is_like_this: impl Fn(&str, &str) -> bool,
    ) -> Result<Option<String>, InputError> {
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(|e| self.malformed(e))?;
            let key = attribute.key.as_ref();
            if is_like_this(key, &attribute.value) {
                return Ok(Some(key.to_owned()));
            }
        }
        Ok(None)
    }

    /// Returns the names and values of all attributes in order, including namespace declarations.
    pub(super) fn all_attributes(&self) -> Result<Vec<(String, String)>, InputError> {
        let mut all = Vec::new();
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(|e| self.malformed(e))?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|e| self.malformed(e))?.into_owned();
            all.push((attribute.key.as_ref().to_owned(), value));
        }
        Ok(all)
    }

    /// Returns the values of the attributes with these names; `None` for each missing attribute.
    pub(super) fn attributes<const N: usize>(
        &self,
        names: [&str; N],
    ) -> Result<[Option<String>; N], InputError> {
        let mut values = [const { None }; N];
        for attribute in self.start.attributes() {
            let attribute = attribute.map_err(|e| self.malformed(e))?;
            let key = attribute.key.as_ref();
            if let Some(at) = names.iter().position(|&name| name == key) {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                values[at] = Some(value.map_err(|e| self.malformed(e))?.into_owned());
            }
        }
        Ok(values)
    }

    /// Returns `value`, the value of an attribute of this element. Returns an error if the value is
    /// missing; the names of the element and the attribute serve the message.
    pub(super) fn required(
        &self,
        value: Option<String>,
        element: &'static str,
        attribute: &'static str,
    ) -> Result<String, InputError> {
        let at = || self.position.of(self.file);
        value.ok_or_else(|| InputError::MissingAttribute { at: at(), element, attribute })
    }

    fn malformed(&self, problem: impl ToString) -> InputError {
        InputError::Malformed { at: self.position.of(self.file), problem: problem.to_string() }
    }
}

/// A reader that makes one pass over a file, and holds one opening tag or one text at a time.
pub(super) struct XmlReader<R> {
    reader: quick_xml::Reader<XmlSource<R>>,
    buffer: Vec<u8>,
    file: Box<str>,
    /// The prefix of the root element; empty if there is none.
    prefix: Box<str>,
    /// The number of open elements.
    depth: usize,
    /// The namespace prefixes that the open elements declare.
    scopes: NamespaceScopes,
    prologue: PrologueState,
    /// True if the element opened last was self-closed (`<a/>`), so that the next item is its end.
    owes_close: bool,
    root_closed: bool,
    /// True once the net of the file has begun. A second net is refused anywhere.
    pub(super) has_net: bool,
}

impl<R: BufRead> XmlReader<R> {
    pub(super) fn new(reader: R, file: &str) -> Result<Self, InputError> {
        let mut reader = quick_xml::Reader::from_reader(XmlSource::new(reader, file)?);
        reader.config_mut().check_comments = true;
        Ok(XmlReader {
            reader,
            buffer: Vec::new(),
            file: file.into(),
            prefix: "".into(),
            depth: 0,
            scopes: NamespaceScopes::default(),
            prologue: PrologueState::default(),
            owes_close: false,
            root_closed: false,
            has_net: false,
        })
    }

    /// Returns the number of open elements.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the prefix of the root element.
    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the name of the file in messages.
    pub(super) fn file(&self) -> &str {
        &self.file
    }

    /// Returns the next item.
    pub(super) fn next(&mut self) -> Result<XmlItem<'_>, InputError> {
        self.step(true)
    }

    /// Returns the next item where text and elements of other languages are errors. Stray `>` and
    /// `$` are allowed, since some writers leave them behind.
    pub(super) fn markup(&mut self) -> Result<XmlItem<'_>, InputError> {
        let prefix = self.prefix.clone();
        match self.step(false)? {
            XmlItem::Open(tag) if tag.prefix() != &*prefix => Err(tag.of_another_language()),
            item => Ok(item),
        }
    }

    /// Returns the next item. Unless `may_be_text` is true, text other than blanks and stray
    /// characters such as `>` and `$` is an error.
    fn step(&mut self, may_be_text: bool) -> Result<XmlItem<'_>, InputError> {
        if std::mem::take(&mut self.owes_close) {
            self.depth = self.depth.saturating_sub(1);
            self.scopes.close(self.depth);
            self.root_closed |= self.depth == 0;
            return Ok(XmlItem::Close);
        }
        self.buffer.clear();
        // Text before an element is an item of its own, so the next item begins at the position of
        // the reader.
        let at = self.reader.get_ref().position();
        let file = &*self.file;
        let malformed = |problem: String| InputError::Malformed { at: at.of(file), problem };
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(cause)) => {
                // The parser shares its error, so the message needs a copy of its kind and text.
                let cause = std::io::Error::new(cause.kind(), cause.to_string());
                return Err(InputError::Unreadable { file: file.into(), cause });
            }
            Err(quick_xml::Error::Encoding(problem)) => {
                let advice = "state the encoding of the file in its XML declaration";
                return Err(malformed(format!("{problem}; {advice}")));
            }
            Err(problem) => return Err(malformed(problem.to_string())),
        };
        if let Some((at, byte)) = self.reader.get_ref().forbidden_byte() {
            return Err(InputError::Malformed {
                at: at.of(file),
                problem: forbidden_character(byte),
            });
        }
        self.prologue.pass(&event).map_err(|problem| malformed(problem.to_owned()))?;
        if let Event::Start(start) | Event::Empty(start) = &event {
            self.scopes.open(start, self.depth + 1).map_err(malformed)?;
        }
        let stray = || malformed("text outside the root element".into());
        let item = match event {
            Event::Start(_) | Event::Empty(_) if self.root_closed => {
                return Err(malformed("a second root element".into()));
            }
            Event::Start(ref start) | Event::Empty(ref start)
                if self.has_net && start.local_name().into_inner() == "net" =>
            {
                return Err(InputError::SeveralNets { at: at.of(file) });
            }
            Event::Start(start) => {
                self.depth += 1;
                XmlItem::Open(XmlTag { start, position: at, file })
            }
            Event::Empty(start) => {
                self.depth += 1;
                self.owes_close = true;
                XmlItem::Open(XmlTag { start, position: at, file })
            }
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                self.scopes.close(self.depth);
                self.root_closed |= self.depth == 0;
                XmlItem::Close
            }
            Event::Text(text) => {
                check_text(&text).map_err(malformed)?;
                let text = text.xml10_content();
                if self.depth == 0 && self.root_closed && !trimmed(&text).is_empty() {
                    return Err(stray());
                }
                XmlItem::Text(text)
            }
            Event::CData(_) | Event::GeneralRef(_) if self.depth == 0 => return Err(stray()),
            Event::CData(text) => XmlItem::Text(text.xml10_content()),
            Event::GeneralRef(reference) => {
                let resolved = match reference.resolve_char_ref() {
                    Ok(Some(character)) if is_forbidden_character(character) => {
                        return Err(malformed(forbidden_character(character)));
                    }
                    Ok(Some(character)) => Some(Cow::Owned(character.to_string())),
                    Ok(None) => resolve_xml_entity(&reference).map(Cow::Borrowed),
                    Err(problem) => return Err(malformed(problem.to_string())),
                };
                let unknown = || malformed(format!("unknown entity `&{};`", &*reference));
                XmlItem::Text(resolved.ok_or_else(unknown)?)
            }
            Event::Eof if self.depth > 0 => {
                let open = self.depth;
                return Err(malformed(format!(
                    "the file ends, but {open} elements are still open; was it cut off?"
                )));
            }
            Event::Eof => XmlItem::EndOfFile,
            Event::DocType(kind) if kind.contains("<!ATTLIST") => {
                let what = "a document type that declares attributes, which is not supported";
                return Err(malformed(what.to_owned()));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {
                XmlItem::Nothing
            }
        };
        match item {
            XmlItem::Text(_) if may_be_text => Ok(item),
            XmlItem::Text(text) if !is_stray_text(&text) => {
                let found: String = trimmed(&text).chars().take(20).collect();
                Err(InputError::StrayText { at: at.of(file), found })
            }
            XmlItem::Text(_) => Ok(XmlItem::Nothing),
            item => Ok(item),
        }
    }

    /// Advances to the root element, which must be named `expected`.
    pub(super) fn root(&mut self, expected: &'static str) -> Result<(), InputError> {
        let file: Box<str> = self.file.clone();
        loop {
            let found = match self.next()? {
                XmlItem::Open(tag) if tag.name() == expected => {
                    self.prefix = tag.prefix().into();
                    return Ok(());
                }
                XmlItem::Open(tag) => (tag.position, format!("`<{}>`", tag.name())),
                XmlItem::Text(text) if !trimmed(&text).is_empty() => {
                    let line = trimmed(&text).lines().next().unwrap_or_default();
                    let beginning: String = line.chars().take(20).collect();
                    (TextPosition::START, format!("the text `{beginning}`"))
                }
                XmlItem::EndOfFile => return Err(InputError::Empty { file, expected }),
                XmlItem::Text(_) | XmlItem::Nothing | XmlItem::Close => continue,
            };
            return Err(InputError::WrongRoot { at: found.0.of(&file), found: found.1, expected });
        }
    }

    /// Skips to the end of the element opened last.
    pub(super) fn skip(&mut self) -> Result<(), InputError> {
        let outside = self.depth.saturating_sub(1);
        while self.depth > outside {
            self.next()?;
        }
        Ok(())
    }

    /// Reads the text of the element opened last, up to its end, and replaces the content of
    /// `into`. Elements inside are skipped. Returns true if there were elements inside.
    pub(super) fn text(&mut self, into: &mut String) -> Result<bool, InputError> {
        into.clear();
        self.text_after(into)
    }

    /// Reads the text as [`text`](Self::text) does, but appends to `into`.
    pub(super) fn text_after(&mut self, into: &mut String) -> Result<bool, InputError> {
        let mut has_elements = false;
        loop {
            match self.next()? {
                XmlItem::Text(text) => into.push_str(&text),
                XmlItem::Open(_) => {
                    has_elements = true;
                    self.skip()?;
                }
                XmlItem::Close | XmlItem::EndOfFile => return Ok(has_elements),
                XmlItem::Nothing => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(text: &str) -> Result<String, InputError> {
        let mut xml = XmlReader::new(text.as_bytes(), "f")?;
        let mut steps = String::new();
        loop {
            match xml.next()? {
                XmlItem::Open(tag) => {
                    steps.push_str(&format!("({}@{} ", tag.name(), tag.position.line))
                }
                XmlItem::Close => steps.push(')'),
                XmlItem::Text(text) => steps.push_str(text.trim()),
                XmlItem::Nothing => {}
                XmlItem::EndOfFile => return Ok(steps),
            }
        }
    }

    #[test]
    fn prefixes_entities_cdata_and_self_closing_tags_are_resolved() {
        let text = "<?xml version='1.0'?><!DOCTYPE a><!-- c -->\n<x:a xmlns:x='u'>\n <b/><c>1&lt;<![CDATA[<2]]>&#x33;</c></x:a>\n";
        assert_eq!(steps(text).unwrap(), "(a@2 (b@3 )(c@3 1<<23))");
    }

    #[test]
    fn malformed_files_are_located() {
        let problem = |text: &str| steps(text).unwrap_err().to_string();
        assert_eq!(
            problem("<a>\n  <b>\n</a>"),
            "f:3:1: malformed XML: ill-formed document: expected `</b>`, but `</a>` was found"
        );
        assert_eq!(
            problem("<a>\n  <b>"),
            "f:2:6: malformed XML: the file ends, but 2 elements are still open; was it cut off?"
        );
        assert_eq!(
            problem("<a>\n\n  <b x='1\n"),
            "f:3:3: malformed XML: syntax error: attribute value not closed: `'` not found before end of input"
        );
        assert_eq!(problem("<a>&nbsp;</a>"), "f:1:4: malformed XML: unknown entity `&nbsp;`");
        assert_eq!(problem("<a/><b/>"), "f:1:5: malformed XML: a second root element");
        assert_eq!(problem("<a/> b"), "f:1:5: malformed XML: text outside the root element");
        let Err(invalid) = XmlReader::new(&b"<a>\xff</a>"[..], "f").unwrap().root("b") else {
            panic!("the root is another");
        };
        assert_eq!(
            invalid.to_string(),
            "f:1:1: found `<a>`, expected `<b>`; is this the right file?"
        );
    }

    #[test]
    fn attributes_are_unescaped_and_repeated_ones_refused() {
        let mut xml =
            XmlReader::new(&b"<a x = \"1&amp;2\" y='' xmlns:x='u' x:z='3'/>"[..], "f").unwrap();
        let Ok(XmlItem::Open(tag)) = xml.next() else { panic!("an element") };
        let values = tag.attributes(["x", "y", "z"]).unwrap();
        assert_eq!(values, [Some("1&2".into()), Some(String::new()), None]);
        let mut xml = XmlReader::new(&b"<a x='1' x='2'/>"[..], "f").unwrap();
        assert!(matches!(xml.next(), Err(InputError::Malformed { .. })));
    }
}
