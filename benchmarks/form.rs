//! The contest's model forms as far as the harness needs them: the value of each key in a
//! `GenericPropertiesVerdict.xml`.
//!
//! ```xml
//! <verdict category="GENERIC" reference="ORDINARY" value="true"> … </verdict>
//! ```
//!
//! Read here and not by the library: what judges it should share nothing with it.

use crate::error::Error;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::path::Path;

/// The form beside the model in an instance's directory.
pub const FILE: &str = "GenericPropertiesVerdict.xml";

/// The values of a form by key, as they are written: `true`, `false` or `unknown`. `None` when
/// there is no such file.
///
/// # Errors
/// When the file cannot be read, or is no XML.
pub fn read(path: &Path) -> Result<Option<HashMap<String, String>>, Error> {
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::at(path)(error)),
    };
    match parse(&text) {
        Ok(values) => Ok(Some(values)),
        Err(problem) => Err(Error::Rows { path: path.to_owned(), problem: problem.to_string() }),
    }
}

fn parse(text: &[u8]) -> Result<HashMap<String, String>, quick_xml::Error> {
    let mut reader = Reader::from_reader(text);
    let mut values = HashMap::new();
    loop {
        match reader.read_event()? {
            Event::Start(tag) | Event::Empty(tag) if tag.local_name().as_ref() == "verdict" => {
                let attribute = |name| value_of(&tag, name);
                if let (Some(key), Some(value)) = (attribute("reference")?, attribute("value")?) {
                    values.insert(key, value);
                }
            }
            Event::Eof => return Ok(values),
            _ => {}
        }
    }
}

/// Keys and values are plain words: no entity occurs in them.
fn value_of(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, quick_xml::Error> {
    let attribute = tag.try_get_attribute(name)?;
    Ok(attribute.map(|attribute| attribute.value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_a_verdict_are_read() {
        let text = br#"<?xml version="1.0"?>
            <toolspecific tool="propertiesverdict" version="2.0"><modelreference modelname="A"/>
            <verdict category="GENERIC" reference="ORDINARY" value="true"><explanation>x &lt; y
            </explanation></verdict><verdict reference="SAFE" value="unknown"/></toolspecific>"#;
        let values = parse(text).unwrap();
        assert_eq!(values.len(), 2);
        assert_eq!(values["ORDINARY"], "true");
        assert_eq!(values["SAFE"], "unknown");
    }

    #[test]
    fn no_file_is_no_form() {
        assert_eq!(read(Path::new("/nonexistent/form.xml")).unwrap(), None);
    }
}
