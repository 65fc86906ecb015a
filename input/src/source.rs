//! The input of the XML parser: converts bytes to UTF-8 and counts lines on the fly. So no file is
//! held in memory or read twice to give positions in messages.

use super::error::{InputError, Location};
use quick_xml::encoding::{DecodingReader, DetectedEncoding, detect_encoding};
use quick_xml::events::Event;
use std::io::{self, BufRead, Cursor, Read};

/// The most bytes examined for an XML declaration. Declarations of real files have 40 to 60 bytes.
const MAX_DECLARATION: usize = 1024;

/// A position in a text. Line and column count from 1, the column in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextPosition {
    pub(super) line: u64,
    pub(super) column: u64,
}

impl TextPosition {
    pub(super) const START: TextPosition = TextPosition { line: 1, column: 1 };

    pub(super) fn of(self, file: &str) -> Location {
        Location { file: file.into(), line: self.line, column: self.column }
    }

    /// Returns the position behind `passed`, which begins at this position.
    fn after(self, passed: &[u8]) -> TextPosition {
        match passed.iter().rposition(|&byte| byte == b'\n') {
            Some(last) => TextPosition {
                line: self.line + passed.iter().filter(|&&byte| byte == b'\n').count() as u64,
                column: (passed.len() - last) as u64,
            },
            None => TextPosition { column: self.column + passed.len() as u64, ..self },
        }
    }
}

type HeadAndRest<R> = io::Chain<Cursor<Vec<u8>>, R>;

/// A stream of UTF-8. Files in UTF-8 pass through unchanged, since the parser validates them.
enum Utf8Stream<R> {
    Utf8(HeadAndRest<R>),
    Decoded(Box<DecodingReader<HeadAndRest<R>>>),
    Latin(Latin1Decoder<R>),
}

/// A decoder of ISO 8859-1, where each byte is the character with that number. The library decodes
/// it as windows-1252, as browsers do, which differs for 0x80 to 0x9F.
struct Latin1Decoder<R> {
    bytes: HeadAndRest<R>,
    /// The decoded text.
    text: String,
    /// The number of bytes of `text` already consumed.
    consumed: usize,
}

impl<R: BufRead> Latin1Decoder<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.consumed == self.text.len() {
            let bytes = self.bytes.fill_buf()?;
            self.text.clear();
            self.text.extend(bytes.iter().map(|&byte| char::from(byte)));
            self.consumed = 0;
            let amount = bytes.len();
            self.bytes.consume(amount);
        }
        Ok(&self.text.as_bytes()[self.consumed..])
    }
}

/// The content of an XML file in UTF-8, with the position of the next byte.
pub(super) struct XmlSource<R> {
    text: Utf8Stream<R>,
    position: TextPosition,
    /// The first control character that XML does not allow, among the bytes read so far.
    forbidden_byte: Option<(TextPosition, u8)>,
}

impl<R: BufRead> XmlSource<R> {
    /// Detects the encoding from the first bytes. `DecodingReader` could detect it alone. However,
    /// it panics on a declaration longer than 64 bytes, and decodes the text after a shorter one as
    /// UTF-8 (quick-xml 0.42).
    pub(super) fn new(mut reader: R, file: &str) -> Result<Self, InputError> {
        let mut head = Vec::with_capacity(MAX_DECLARATION);
        (&mut reader)
            .take(MAX_DECLARATION as u64)
            .read_to_end(&mut head)
            .map_err(|cause| InputError::Unreadable { file: file.into(), cause })?;
        if let Some((kind, advice)) = packed_kind(&head) {
            return Err(InputError::Packed { file: file.into(), kind, advice });
        }
        let is_utf16 = match detect_encoding(&head) {
            Some(DetectedEncoding::Utf8Bom) => {
                head.drain(..DetectedEncoding::Utf8Bom.bom_len());
                false
            }
            Some(DetectedEncoding::AsciiCompatible) | None => false,
            Some(_) => true,
        };
        let declared = if is_utf16 { None } else { declared_encoding(&head) };
        let all_bytes = |head| Cursor::new(head).chain(reader);
        let text = match declared {
            // UTF-16: the decoder detects the encoding again.
            None if is_utf16 => Utf8Stream::Decoded(Box::new(DecodingReader::new(all_bytes(head)))),
            None => Utf8Stream::Utf8(all_bytes(head)),
            Some((_, Some(encoding))) if encoding.name() == "UTF-8" => {
                Utf8Stream::Utf8(all_bytes(head))
            }
            // ASCII is a part of UTF-8, and the parser refuses other bytes.
            Some((name, _)) if name.to_ascii_lowercase().contains("ascii") => {
                Utf8Stream::Utf8(all_bytes(head))
            }
            Some((name, Some(encoding)))
                if encoding.name() == "windows-1252" && !name.contains("1252") =>
            {
                Utf8Stream::Latin(Latin1Decoder {
                    bytes: all_bytes(head),
                    text: String::new(),
                    consumed: 0,
                })
            }
            // The declared encoding does not contain ASCII, but the declaration itself is in ASCII.
            // So the declared encoding is wrong. Some programs declare UTF-16 because their strings
            // in memory are in UTF-16.
            Some((_, Some(encoding))) if !encoding.is_ascii_compatible() => {
                Utf8Stream::Utf8(all_bytes(head))
            }
            Some((_, Some(encoding))) => {
                let mut decoder = DecodingReader::new(all_bytes(head));
                decoder.set_encoding(encoding);
                Utf8Stream::Decoded(Box::new(decoder))
            }
            Some((found, None)) => {
                let at = TextPosition::START.of(file);
                return Err(InputError::UnknownEncoding { at, found });
            }
        };
        Ok(XmlSource { text, position: TextPosition::START, forbidden_byte: None })
    }
}

/// Returns true if a file with this beginning may be XML: its first character is `<`, in any
/// encoding. Also returns true for empty and packed files, about which the XML readers report an
/// error.
pub(super) fn may_be_xml(beginning: &[u8]) -> bool {
    let is_text = |byte: &&u8| {
        !matches!(byte, b'\0' | b'\t' | b'\n' | b'\r' | b' ' | 0xef | 0xbb | 0xbf | 0xfe | 0xff)
    };
    packed_kind(beginning).is_some()
        || beginning.iter().find(is_text).is_none_or(|&byte| byte == b'<')
}

/// Returns the kind of packed file with this beginning, and the commands to unpack it. Returns
/// `None` if the file is not packed. Contest instances come as `.tgz`.
fn packed_kind(head: &[u8]) -> Option<(&'static str, &'static str)> {
    let kinds: [(&[u8], &str, &str); 4] = [
        (b"\x1f\x8b", "gzip file or .tgz archive", "tar -xzf, or gunzip"),
        (b"PK\x03\x04", "zip archive", "unzip"),
        (b"BZh", "bzip2 file", "tar -xjf, or bunzip2"),
        (b"\xfd7zXZ\x00", "xz file", "tar -xJf, or unxz"),
    ];
    let kind = kinds.iter().find(|(start, ..)| head.starts_with(start));
    kind.map(|&(_, kind, advice)| (kind, advice))
}

/// The declared name of an encoding, and the encoding if the name is known.
type DeclaredEncoding = (String, Option<&'static encoding_rs::Encoding>);

/// Returns the encoding that the XML declaration names. Returns `None` if there is no valid
/// declaration, or if it names no encoding.
fn declared_encoding(head: &[u8]) -> Option<DeclaredEncoding> {
    let mut buffer = Vec::new();
    match quick_xml::Reader::from_reader(head).read_event_into(&mut buffer) {
        Ok(Event::Decl(declaration)) => {
            let name = declaration.encoding()?.ok()?.into_owned();
            Some((name, declaration.encoder()))
        }
        // The reader finds an error in the declaration again, with its position.
        _ => None,
    }
}

impl<R> XmlSource<R> {
    pub(super) fn position(&self) -> TextPosition {
        self.position
    }

    /// Returns the first control character that XML does not allow, among the bytes read so far.
    pub(super) fn forbidden_byte(&self) -> Option<(TextPosition, u8)> {
        self.forbidden_byte
    }
}

impl<R: BufRead> Utf8Stream<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self {
            Utf8Stream::Utf8(reader) => reader.fill_buf(),
            Utf8Stream::Decoded(reader) => reader.fill_buf(),
            Utf8Stream::Latin(reader) => reader.fill_buf(),
        }
    }
}

impl<R: BufRead> BufRead for XmlSource<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.text.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        // The consumed bytes are in the buffer already, so this call reads nothing and cannot fail.
        let buffer = self.text.fill_buf().unwrap_or_default();
        let buffered = buffer.len();
        let passed = &buffer[..amount.min(buffered)];
        let is_forbidden = |&byte: &u8| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
        let first_forbidden = passed.iter().position(is_forbidden);
        if let (Some(index), None) = (first_forbidden, self.forbidden_byte) {
            self.forbidden_byte = Some((self.position.after(&passed[..index]), passed[index]));
        }
        self.position = self.position.after(passed);
        match &mut self.text {
            Utf8Stream::Utf8(reader) => reader.consume(amount),
            Utf8Stream::Decoded(reader) => reader.consume(amount),
            Utf8Stream::Latin(reader) => reader.consumed += amount.min(buffered),
        }
    }
}

impl<R: BufRead> Read for XmlSource<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let available = self.text.fill_buf()?;
        let amount = available.len().min(into.len());
        into[..amount].copy_from_slice(&available[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(bytes: &[u8]) -> String {
        let mut text = String::new();
        XmlSource::new(bytes, "f").unwrap().read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn the_declared_encoding_is_used_however_long_the_declaration() {
        for blanks in [1, 100, 900] {
            let blanks = " ".repeat(blanks);
            let head = format!("<?xml version='1.0'{blanks}encoding='ISO-8859-1'?><n>");
            let bytes = [head.as_bytes(), b"caf\xe9</n>"].concat();
            assert_eq!(decoded(&bytes), format!("{head}café</n>"));
        }
    }

    #[test]
    fn a_byte_of_iso_8859_1_is_the_character_of_its_number() {
        for (name, expected) in
            [("ISO-8859-1", "\u{80}\u{9f}é"), ("latin1", "\u{80}\u{9f}é"), ("windows-1252", "€Ÿé")]
        {
            let head = format!("<?xml version='1.0' encoding='{name}'?><n>");
            let bytes = [head.as_bytes(), b"\x80\x9f\xe9"].concat();
            assert_eq!(decoded(&bytes), format!("{head}{expected}"), "{name}");
        }
        let ascii = "<?xml version='1.0' encoding='US-ASCII'?><é/>";
        assert_eq!(decoded(ascii.as_bytes()), ascii);
    }

    #[test]
    fn byte_order_marks_vanish_and_utf_16_is_decoded() {
        assert_eq!(decoded(b"\xef\xbb\xbf<n/>"), "<n/>");
        let mut wide = vec![0xff, 0xfe];
        "<?xml version='1.0' encoding='UTF-16'?><é/>"
            .encode_utf16()
            .for_each(|unit| wide.extend(unit.to_le_bytes()));
        assert_eq!(decoded(&wide), "<?xml version='1.0' encoding='UTF-16'?><é/>");
    }

    #[test]
    fn a_false_declaration_of_utf_16_is_seen_through() {
        let text = "<?xml version='1.0' encoding='utf-16'?><é/>";
        assert_eq!(decoded(text.as_bytes()), text);
    }

    #[test]
    fn an_unknown_encoding_is_named() {
        let bytes = &b"<?xml version='1.0' encoding='klingon'?><n/>"[..];
        assert_eq!(
            XmlSource::new(bytes, "f").err().unwrap().to_string(),
            "f:1:1: unknown encoding `klingon`, expected for example UTF-8 or ISO-8859-1"
        );
    }

    #[test]
    fn compressed_files_are_recognised() {
        let problem = XmlSource::new(&b"\x1f\x8b\x08\x00"[..], "a.tgz").err().unwrap().to_string();
        assert!(problem.starts_with("a.tgz: this is a gzip file or .tgz archive"), "{problem}");
        assert!(problem.contains("unpack it first (tar -xzf"), "{problem}");
        assert!(packed_kind(b"<?xml").is_none() && packed_kind(b"").is_none());
    }

    #[test]
    fn lines_and_columns_are_counted() {
        let mut source = XmlSource::new(&b"ab\ncd\n\nef"[..], "f").unwrap();
        for (amount, line, column) in [(2, 1, 3), (1, 2, 1), (4, 4, 1), (1, 4, 2)] {
            source.fill_buf().unwrap();
            source.consume(amount);
            assert_eq!(source.position(), TextPosition { line, column });
        }
    }
}
