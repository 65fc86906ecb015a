//! Whole XML files as trees, for small files of free form: verdict files.

use super::error::{InputError, Location};
use super::well_formed::BLANKS;
use super::xml::{XmlItem, XmlReader};
use parikh_net::printable::EscapedXml;
use std::fmt::Write as _;
use std::io::BufRead;
use std::path::Path;

/// An XML element with its attributes and content, without comments. Equality ignores the position
/// in the file.
#[derive(Clone, Debug)]
pub struct Element {
    /// The name as written, with its prefix.
    pub name: String,
    /// The attributes in order, including namespace declarations.
    pub attributes: Vec<(String, String)>,
    /// Elements and text in order. The reader leaves blank text out of elements that have no other
    /// text.
    pub content: Vec<Content>,
    /// The line where the element begins, counted from 1; 0 if the element is from no file.
    pub line: u64,
    /// The column where the element begins, counted in bytes from 1; 0 if the element is from no
    /// file.
    pub column: u64,
}

impl PartialEq for Element {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
            && self.attributes == other.attributes
            && self.content == other.content
    }
}

impl Eq for Element {}

/// A child of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// An element.
    Element(Element),
    /// A piece of text, not empty.
    Text(String),
}

/// The greatest nesting depth that is read. The limit ensures that recursion over a tree does not
/// overflow the stack.
const MAX_DEPTH: usize = 500;

impl Element {
    /// Returns an empty element.
    pub fn new(name: &str) -> Self {
        Element {
            name: name.to_owned(),
            attributes: Vec::new(),
            content: Vec::new(),
            line: 0,
            column: 0,
        }
    }

    /// Returns the element with one more attribute.
    pub fn with_attribute(mut self, name: &str, value: &str) -> Self {
        self.attributes.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the element with a text appended.
    pub fn with_text(mut self, text: &str) -> Self {
        if !text.is_empty() {
            self.content.push(Content::Text(text.to_owned()));
        }
        self
    }

    /// Appends an element.
    pub fn push(&mut self, child: Element) {
        self.content.push(Content::Element(child));
    }

    /// Returns the local name, without the prefix.
    pub fn local_name(&self) -> &str {
        self.name.rsplit(':').next().unwrap_or_default()
    }

    /// Returns the value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Returns the child elements.
    pub fn children(&self) -> impl Iterator<Item = &Element> {
        self.content.iter().filter_map(|content| match content {
            Content::Element(child) => Some(child),
            Content::Text(_) => None,
        })
    }

    /// Returns the text directly in the element, without surrounding white space (the four
    /// characters of XML).
    pub fn text(&self) -> String {
        let mut joined = String::new();
        for content in &self.content {
            if let Content::Text(text) = content {
                joined.push_str(text);
            }
        }
        joined.trim_matches(BLANKS).to_owned()
    }

    /// Prints the element, indented by two blanks per level. Reading the result usually gives an
    /// equal element. But adjacent texts are joined, and text that is only blank may be lost.
    pub fn print(&self) -> String {
        let mut text = String::new();
        self.print_into(0, &mut text);
        text
    }

    fn print_into(&self, level: usize, text: &mut String) {
        text.push('<');
        text.push_str(&self.name);
        for (name, value) in &self.attributes {
            let _ = write!(text, " {name}=\"{}\"", EscapedXml(value));
        }
        if self.content.is_empty() {
            text.push_str("/>");
            return;
        }
        text.push('>');
        // Beside text, line ends would be content.
        let is_indented = self.content.iter().all(|content| matches!(content, Content::Element(_)));
        for content in &self.content {
            match content {
                Content::Text(own) => {
                    for (at, line) in own.split('\n').enumerate() {
                        let _ =
                            write!(text, "{}{}", if at == 0 { "" } else { "\n" }, EscapedXml(line));
                    }
                }
                Content::Element(child) => {
                    if is_indented {
                        let _ = write!(text, "\n{:1$}", "", 2 * (level + 1));
                    }
                    child.print_into(level + 1, text);
                }
            }
        }
        if is_indented {
            let _ = write!(text, "\n{:1$}", "", 2 * level);
        }
        let _ = write!(text, "</{}>", self.name);
    }
}

/// Reads a whole file whose root element is named `root`. Elements keep their positions for
/// messages.
///
/// # Errors
/// When the file cannot be read, is malformed or nested too deep, or has no or another root
/// element.
pub fn read_element(path: &Path, root: &'static str) -> Result<Element, InputError> {
    let (reader, name) = super::open(path)?;
    read_element_from(reader, &name, root)
}

/// Reads a whole file from `reader`. Messages use `name` for the file.
///
/// # Errors
/// The errors of [`read_element`].
pub fn read_element_from(
    reader: impl BufRead,
    name: &str,
    root: &'static str,
) -> Result<Element, InputError> {
    let mut xml = XmlReader::new(reader, name)?;
    let mut open_elements: Vec<Element> = Vec::new();
    loop {
        let finished = match xml.next()? {
            XmlItem::Open(tag) => {
                let at = tag.position.of(name);
                if open_elements.is_empty() && tag.name() != root {
                    let found = format!("`<{}>`", tag.name());
                    return Err(InputError::WrongRoot { at, found, expected: root });
                }
                if open_elements.len() == MAX_DEPTH {
                    let found = format!("nesting of more than {MAX_DEPTH} elements");
                    let advice = "reduce the nesting";
                    return Err(InputError::Unsupported { at, found, advice });
                }
                let Location { line, column, .. } = at;
                let (name, attributes) = (tag.qualified_name().to_owned(), tag.all_attributes()?);
                open_elements.push(Element { name, attributes, content: Vec::new(), line, column });
                continue;
            }
            XmlItem::Text(text) => {
                match open_elements.last_mut() {
                    Some(element) if !text.is_empty() => match element.content.last_mut() {
                        Some(Content::Text(previous)) => previous.push_str(&text),
                        _ => element.content.push(Content::Text(text.into_owned())),
                    },
                    Some(_) => {}
                    // Blank text before the root element.
                    None if text.trim().is_empty() => {}
                    None => {
                        let found = "text".to_owned();
                        let at = Location { file: name.into(), line: 1, column: 1 };
                        return Err(InputError::WrongRoot { at, found, expected: root });
                    }
                }
                continue;
            }
            XmlItem::Nothing => continue,
            XmlItem::EndOfFile => {
                return Err(InputError::Empty { file: name.into(), expected: root });
            }
            XmlItem::Close => open_elements.pop(),
        };
        let Some(mut finished) = finished else { continue };
        let is_blank = |content: &Content| match content {
            Content::Text(text) => text.trim_matches(BLANKS).is_empty(),
            Content::Element(_) => true,
        };
        if finished.content.iter().all(is_blank) {
            finished.content.retain(|content| matches!(content, Content::Element(_)));
        }
        match open_elements.last_mut() {
            Some(parent) => parent.push(finished),
            None => {
                // Reading to the end refuses a second root element.
                while !matches!(xml.next()?, XmlItem::EndOfFile) {}
                return Ok(finished);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Element, String> {
        read_element_from(text.as_bytes(), "f", "a").map_err(|error| error.to_string())
    }

    #[test]
    fn printed_elements_are_read_back_unchanged() {
        let mut root = Element::new("a")
            .with_attribute("x", "1 < \"2\"\n\t& 'é'")
            .with_attribute("xmlns:p", "u");
        root.push(Element::new("p:b").with_text("  text & <more>\r\n"));
        let mut mixed = Element::new("c").with_text("one ");
        mixed.push(Element::new("d"));
        root.push(mixed);
        root.push(Element::new("e"));
        assert_eq!(read(&root.print()), Ok(root.clone()));
        assert_eq!(root.children().next().unwrap().local_name(), "b");
        assert_eq!(
            root.print(),
            "<a x=\"1 &lt; &quot;2&quot;&#10;&#9;&amp; 'é'\" xmlns:p=\"u\">\n  <p:b>  text &amp; \
             &lt;more&gt;&#13;\n</p:b>\n  <c>one <d/></c>\n  <e/>\n</a>"
        );
    }

    #[test]
    fn blanks_are_those_of_xml_and_control_characters_are_refused() {
        assert_eq!(read("<a> x\u{a0}\n</a>").unwrap().text(), "x\u{a0}");
        for (text, column) in [("<a>&#1;</a>", 4), ("<a x='&#1;'/>", 1)] {
            let refused = format!(
                "f:1:{column}: malformed XML: the character U+0001, which XML does not allow; \
                 remove it"
            );
            assert_eq!(read(text), Err(refused));
        }
    }

    #[test]
    fn elements_and_errors_have_positions() {
        let root = read("<a>\n  <b/>\n</a>").unwrap();
        let child = root.children().next().unwrap();
        assert_eq!((child.line, child.column), (2, 3));
        assert_eq!(
            read("<b/>"),
            Err("f:1:1: found `<b>`, expected `<a>`; is this the right file?".into())
        );
        assert_eq!(read("<a/><a/>"), Err("f:1:5: malformed XML: a second root element".into()));
        assert_eq!(read(""), Err("f: the file has no content, expected an element `<a>`".into()));
        let deep = format!("<a>{}", "<b>".repeat(1000));
        assert!(read(&deep).unwrap_err().contains("nesting of more than 500 elements"));
    }
}
