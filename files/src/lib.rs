//! Files as people name them: as they are, compressed, in an archive, or from standard input.
//!
//! ```text
//! model.pnml                a file; one that gzip compressed is read as what it holds
//! -                         standard input
//! Peterson-PT-2.tgz         an archive (.tgz, .tar.gz, .tar), which is looked at like a directory:
//! Peterson-PT-2.tgz/UpperBounds.xml      what is in it, at its top or in the one folder below
//! ```
//!
//! Whoever reads a model goes through here, the prover and the auditor, who share nothing of what
//! they make of the bytes.

use flate2::bufread::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Number of bytes read at a time.
const BUFFER: usize = 1 << 16;

/// Opens what `path` names, to be read from its beginning. Standard input is kept, and can be
/// opened again.
///
/// # Errors
/// When it cannot be read, is a directory ([`io::ErrorKind::IsADirectory`]), or is not in its
/// archive ([`io::ErrorKind::NotFound`]).
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    match archive_of(path) {
        Some((archive, member)) => open_member(archive, member),
        None => open_alone(path),
    }
}

/// Returns true if `path` is an archive, which is searched like a directory.
pub fn is_archive(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_ascii_lowercase();
    [".tgz", ".tar.gz", ".tar"].iter().any(|end| name.ends_with(end)) && path.is_file()
}

/// Returns true if there is a file of this name: on its own, or in its archive. An archive that
/// cannot be read has none.
pub fn is_file(path: &Path) -> bool {
    match archive_of(path) {
        Some((archive, member)) => matches!(member_of(archive, member), Ok(Some(_))),
        None => path.is_file(),
    }
}

/// Where something lies that belongs to what `path` names: inside it, where that is a directory or
/// an archive, and else beside it. Nothing lies beside standard input.
pub fn beside(path: &Path, name: &str) -> Option<PathBuf> {
    let file = match () {
        () if path == Path::new(STANDARD_INPUT) => return None,
        () if path.is_dir() || is_archive(path) => path.join(name),
        () => path.with_file_name(name),
    };
    is_file(&file).then_some(file)
}

/// The archive that a path leads into, and what it names there.
fn archive_of(path: &Path) -> Option<(&Path, &Path)> {
    let archive = path.ancestors().skip(1).find(|above| is_archive(above))?;
    Some((archive, path.strip_prefix(archive).ok()?))
}

fn open_alone(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    if path == Path::new(STANDARD_INPUT) {
        return decompressed(Cursor::new(standard_input()?));
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    decompressed(BufReader::with_capacity(BUFFER, file))
}

/// What gzip compressed is decompressed, and all else is as it is.
fn decompressed<'r>(
    mut reader: impl BufRead + Send + 'r,
) -> io::Result<Box<dyn BufRead + Send + 'r>> {
    Ok(match reader.fill_buf()?.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(BufReader::with_capacity(BUFFER, MultiGzDecoder::new(reader))),
        false => Box::new(reader),
    })
}

/// The bytes read, or the error of reading.
type Contents = Result<Arc<[u8]>, (io::ErrorKind, String)>;

/// All of standard input.
fn standard_input() -> io::Result<Arc<[u8]>> {
    static READ: OnceLock<Contents> = OnceLock::new();
    let read = READ.get_or_init(|| {
        let mut bytes = Vec::new();
        match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes.into()),
            Err(error) => Err((error.kind(), error.to_string())),
        }
    });
    read.clone().map_err(|(kind, text)| io::Error::new(kind, text))
}

/// Where a file begins in its archive, and how long it is, in bytes of the decompressed archive.
struct Extent {
    start: u64,
    length: u64,
}

fn open_member(archive: &Path, member: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let Some(Extent { start, length }) = member_of(archive, member)? else {
        let what = format!("the archive has no {}", member.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    };
    let mut reader = open_alone(archive)?;
    let skipped = io::copy(&mut reader.by_ref().take(start), &mut io::sink())?;
    match skipped == start {
        true => decompressed(reader.take(length)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Where `member` lies in an archive: under this very name, or in one folder, as the contest packs
/// its instances.
fn member_of(archive: &Path, member: &Path) -> io::Result<Option<Extent>> {
    let mut archive = tar::Archive::new(open_alone(archive)?);
    for entry in archive.entries()? {
        let entry = entry?;
        let path = entry.path()?;
        let path = path.strip_prefix(".").unwrap_or(&path);
        let in_a_folder = || path.components().skip(1).eq(member.components());
        if entry.header().entry_type().is_file() && (path == member || in_a_folder()) {
            return Ok(Some(Extent { start: entry.raw_file_position(), length: entry.size() }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write as _;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn text(path: &Path) -> io::Result<String> {
        let mut text = String::new();
        open(path)?.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn files_are_read_as_what_they_hold() {
        let at = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| {
            std::fs::write(at.path().join(name), bytes).unwrap();
            at.path().join(name)
        };
        assert_eq!(text(&write("plain", b"a net")).unwrap(), "a net");
        assert_eq!(text(&write("model.pnml.gz", &compressed(b"a net"))).unwrap(), "a net");
        assert_eq!(text(&write("empty", b"")).unwrap(), "");
        // Two members of a gzip file are one file.
        let twice = [compressed(b"a "), compressed(b"net")].concat();
        assert_eq!(text(&write("twice.gz", &twice)).unwrap(), "a net");
        assert_eq!(text(at.path()).unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(text(&at.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
        let cut = &compressed(b"a net")[..12];
        assert!(text(&write("cut.gz", cut)).is_err());
    }

    #[test]
    fn an_archive_is_looked_at_like_a_directory() {
        let at = tempfile::tempdir().unwrap();
        let long = format!("{}/model.pnml", "long".repeat(60));
        let archives: [&[(&str, &[u8])]; 3] = [
            &[
                ("X-PT-1/iscolored", b"FALSE"),
                ("X-PT-1/model.pnml", b"a net"),
                ("X-PT-1/q.xml", b"q"),
            ],
            &[("./model.pnml", b"a net"), ("./q.xml", b"q")],
            &[(&long, b"a net"), ("q.xml", &compressed(b"q"))],
        ];
        for (number, files) in archives.into_iter().enumerate() {
            for (end, packed) in [("tgz", compressed(&archive(files))), ("tar", archive(files))] {
                let path = at.path().join(format!("X-PT-{number}.{end}"));
                std::fs::write(&path, packed).unwrap();
                assert!(is_archive(&path) && !is_archive(&path.join("model.pnml")));
                assert_eq!(text(&path.join("model.pnml")).unwrap(), "a net");
                assert_eq!(text(&beside(&path, "q.xml").unwrap()).unwrap(), "q");
                assert_eq!(beside(&path.join("model.pnml"), "q.xml"), Some(path.join("q.xml")));
                assert_eq!(beside(&path, "none.xml"), None);
                let none = text(&path.join("none.xml")).unwrap_err();
                assert_eq!(none.to_string(), "the archive has no none.xml");
            }
        }
        let broken = at.path().join("broken.tgz");
        std::fs::write(&broken, b"no archive at all").unwrap();
        assert!(text(&broken.join("model.pnml")).is_err());
    }
}
