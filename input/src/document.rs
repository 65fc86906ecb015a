//! The outline of a PNML file: `<pnml>` around one `<net>`.
//!
//! Some tools put a `<module>` around the net, and the reader looks inside. The reader refuses a
//! net anywhere else, and a second net anywhere: skipping a net would silently drop a part of the
//! model. Some tools, such as Wendy, write `<finalmarkings>` beside the net.

use super::error::InputError;
use super::source::TextPosition;
use super::xml::{XmlItem, XmlReader};
use std::io::BufRead;

/// The opening tag of a net.
pub(super) struct NetTag {
    pub(super) position: TextPosition,
    pub(super) id: String,
    /// The address of the net's type; empty if the file has none.
    pub(super) kind: String,
}

/// A part of a PNML file that the reader has to read.
pub(super) enum DocumentPart {
    /// The net.
    Net(NetTag),
    /// An element `finalmarkings` beside the net, at this position.
    FinalMarkings(TextPosition),
}

impl<R: BufRead> XmlReader<R> {
    /// Advances to the next part of a file whose root element is open, and opens its element.
    /// Returns `None` at the end of the file.
    ///
    /// # Errors
    /// When the XML is malformed, or the file has a second net. Also when an element outside the
    /// net may have a meaning or contains a net. Also when the net or a module has another prefix
    /// than the root element. Also when an unknown attribute of the net may have a meaning.
    pub(super) fn next_part(&mut self) -> Result<Option<DocumentPart>, InputError> {
        let prefix = self.prefix().to_owned();
        loop {
            let is_in_module = self.depth() > 1;
            let tag = match self.next()? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close | XmlItem::Text(_) | XmlItem::Nothing => continue,
                XmlItem::EndOfFile => return Ok(None),
            };
            match tag.name() {
                "net" | "module" | "finalmarkings" if tag.prefix() != prefix => {
                    return Err(tag.of_another_language());
                }
                "net" => {
                    let at = tag.position;
                    tag.check_attributes()?;
                    let [id, kind] = tag.attributes(["id", "type"])?;
                    self.has_net = true;
                    let (id, kind) = (id.unwrap_or_default(), kind.unwrap_or_default());
                    return Ok(Some(DocumentPart::Net(NetTag { position: at, id, kind })));
                }
                "finalmarkings" => {
                    tag.check_attributes()?;
                    return Ok(Some(DocumentPart::FinalMarkings(tag.position)));
                }
                "module" => {}
                _ => {
                    tag.check_outside(is_in_module)?;
                    let around = tag.qualified_name().to_owned();
                    self.skip_without_net(&around)?;
                }
            }
        }
    }

    /// Skips to the end of the element opened last, and refuses a net inside it.
    fn skip_without_net(&mut self, around: &str) -> Result<(), InputError> {
        let file: Box<str> = self.file().into();
        let outside = self.depth().saturating_sub(1);
        while self.depth() > outside {
            match self.next()? {
                XmlItem::Open(tag) if tag.name() == "net" => {
                    let at = tag.position.of(&file);
                    return Err(InputError::HiddenNet { at, around: around.to_owned() });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Adds the enclosing page, if there is one, to an error about a second net. WoPeD writes the net
/// of a sub-process into a page.
pub(super) fn in_page(error: InputError, pages: &[String]) -> InputError {
    match (error, pages.last()) {
        (InputError::SeveralNets { at }, Some(page)) => {
            InputError::SubProcess { at, page: page.clone() }
        }
        (error, _) => error,
    }
}
