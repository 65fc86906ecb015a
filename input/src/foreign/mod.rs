//! Recognition of files in other tools' formats that Parikh does not read. The refusal names the
//! format and gives a remedy.
//!
//! A file is recognised by its content: by elements and attributes of XML, or by the keywords of a
//! language. Comments (remarks) in front and the order of keywords do not matter, since they vary
//! within one format. The address of a namespace does not matter, since several tools share one.
//!
//! | file | content |
//! |---|---|
//! | `sample` | the beginning of a file, split into lines without remarks or into tags |
//! | `xml_formats` | formats in XML, from their elements |
//! | `text_formats` | formats in a language of their own, from their keywords |

mod sample;
mod text_formats;
mod xml_formats;

use super::error::InputError;

use sample::{ForeignFormat, Sample};

/// Returns the refusal of a file with this beginning if another tool's format in XML is recognised.
pub(super) fn xml_refusal(file: &str, beginning: &[u8]) -> Option<InputError> {
    refusal(file, beginning, xml_formats::FORMATS)
}

/// Returns the refusal of a file with this beginning if another tool's format in a language of its
/// own is recognised. Nets in languages that Parikh reads may have remarks and names that look like
/// keywords of other languages. So the caller asks only after the readers have failed.
pub(super) fn text_refusal(file: &str, beginning: &[u8]) -> Option<InputError> {
    refusal(file, beginning, text_formats::FORMATS)
}

fn refusal(file: &str, beginning: &[u8], formats: &[ForeignFormat]) -> Option<InputError> {
    let text = sample::decoded(beginning);
    let sample = Sample::of(&text);
    let mut found =
        formats.iter().filter_map(|format| Some((format, (format.find_sign)(&sample)?)));
    found.next().map(|(format, sign)| InputError::Foreign {
        file: file.into(),
        line: sign.line,
        found: sign.text.chars().take(40).collect(),
        kind: format.name,
        advice: format.advice,
    })
}
