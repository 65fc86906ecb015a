//! Names and files: what may become part of a path, and how files are written.

use serde::{Serialize, de::DeserializeOwned};
use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

/// Makes a directory that only this user can read, with its parents.
pub(super) fn private_directory(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Returns true if a text is an id of a net: 16 hexadecimal digits.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The extensions of stored files. Readers of models look at extensions of some formats only.
const EXTENSIONS: [&str; 12] =
    ["pnml", "xml", "net", "lola", "spec", "dot", "aut", "fsm", "pml", "bpmn", "ndr", "txt"];

/// Returns the name under which an upload is stored: `model` with an extension of a list.
pub(super) fn stored_name(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let (stem, compressed) = match lower.strip_suffix(".gz") {
        Some(stem) => (stem, ".gz"),
        None => (&lower[..], ""),
    };
    let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "tar" | "tgz" => "model.tgz".to_owned(),
        known if EXTENSIONS.contains(&known) => format!("model.{known}{compressed}"),
        _ => format!("model.pnml{compressed}"),
    }
}

/// Returns true if a stored upload is a parallel system by its name.
pub(super) fn is_system(file: &str) -> bool {
    let name = file.strip_suffix(".gz").unwrap_or(file);
    matches!(name.rsplit_once('.'), Some((_, "dot" | "aut" | "fsm" | "pml")))
}

/// Writes data as JSON so that a reader finds the old file or the new one, and no half.
pub(super) fn write_json(path: &Path, data: &impl Serialize) -> io::Result<()> {
    let beside = path.with_extension("new");
    fs::write(&beside, serde_json::to_vec(data)?)?;
    fs::rename(&beside, path)
}

/// Reads data from JSON. Returns `None` if there is no such file or it does not fit.
pub(super) fn read_json<T: DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// Returns the seconds since 1970.
pub(super) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap_or_default().as_secs_f64()
}

/// Returns true for control characters, and for marks that turn the direction of text and so could
/// make a text look like another one.
pub(super) fn is_invisible(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_mark
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_uploads_never_become_paths() {
        for (name, stored) in [
            ("net.pnml", "model.pnml"),
            ("net.PNML.GZ", "model.pnml.gz"),
            ("Peterson-PT-2.tgz", "model.tgz"),
            ("a.tar.gz", "model.tgz"),
            ("post.dot", "model.dot"),
            ("../../etc/passwd", "model.pnml"),
            ("/etc/x.dot/../..", "model.pnml"),
            ("", "model.pnml"),
            ("x.exe", "model.pnml"),
            ("\0.net", "model.net"),
        ] {
            assert_eq!(stored_name(name), stored, "{name}");
        }
        assert!(is_id("0123456789abcdef"));
        for wrong in ["", "..", "0123456789abcde/", "0123456789ABCDEF", "0123456789abcdef0"] {
            assert!(!is_id(wrong), "{wrong}");
        }
    }
}
