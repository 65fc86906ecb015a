//! Input files: plain, compressed, in an archive, or from standard input.
//!
//! ```text
//! model.pnml                a file; gzip-compressed files are decompressed
//! -                         standard input
//! Peterson-PT-2.tgz         an archive (.tgz, .tar.gz, .tar), searched like a directory:
//! Peterson-PT-2.tgz/UpperBounds.xml      a file at its top level or in one folder
//! ```
//!
//! The prover and the auditor both read files through this crate. They share no code that
//! interprets the content.

use flate2::bufread::MultiGzDecoder;
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Returns the SHA-256 of some content, as 64 hexadecimal digits. `sha256sum` prints the same.
pub fn sha256(content: &[u8]) -> String {
    hexadecimal(&Sha256::digest(content))
}

/// Returns the SHA-256 of all that a reader yields, as [`sha256`] does.
///
/// # Errors
/// Returns the errors of the reader.
pub fn sha256_of(mut content: impl Read) -> io::Result<String> {
    let mut hash = Sha256::new();
    io::copy(&mut content, &mut hash)?;
    Ok(hexadecimal(&hash.finalize()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

/// Number of bytes read at a time.
const BUFFER_BYTES: usize = 1 << 16;

/// Opens the file that `path` names, at its beginning. Compressed content is decompressed. Standard
/// input is kept in memory, so that it can be opened again.
///
/// # Errors
/// Returns an error if the file cannot be read, is a directory ([`io::ErrorKind::IsADirectory`]),
/// or is missing in its archive ([`io::ErrorKind::NotFound`]).
pub fn open(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    match archive_of(path) {
        Some((archive, member)) => open_member(archive, member),
        None => open_unpacked(path),
    }
}

/// Returns true if `path` is an existing file whose name ends in `.tgz`, `.tar.gz` or `.tar`. Such
/// an archive is searched like a directory.
pub fn is_archive(path: &Path) -> bool {
    let Some(name) = path.file_name() else { return false };
    let name = name.to_string_lossy().to_ascii_lowercase();
    [".tgz", ".tar.gz", ".tar"].iter().any(|end| name.ends_with(end)) && path.is_file()
}

/// Returns true if `path` is a file on the disk or in an archive. Returns false if the archive
/// cannot be read. Standard input is not a file here.
pub fn is_file(path: &Path) -> bool {
    match archive_of(path) {
        Some((archive, member)) => matches!(member_of(archive, member), Ok(Some(_))),
        None => path.is_file(),
    }
}

/// Returns the path of the file `name` that belongs to `path`. The file is inside `path` if that is
/// a directory or an archive, and otherwise in the same directory. Returns `None` if there is no
/// such file, or if `path` is standard input.
pub fn associated_file(path: &Path, name: &str) -> Option<PathBuf> {
    let file = match () {
        () if path == Path::new(STANDARD_INPUT) => return None,
        () if path.is_dir() || is_archive(path) => path.join(name),
        () => path.with_file_name(name),
    };
    is_file(&file).then_some(file)
}

/// Returns the archive that a path leads into, and the path of the file in the archive. Returns
/// `None` if the path leads into no archive.
fn archive_of(path: &Path) -> Option<(&Path, &Path)> {
    let archive = path.ancestors().skip(1).find(|ancestor| is_archive(ancestor))?;
    Some((archive, path.strip_prefix(archive).ok()?))
}

/// Opens a file that is not in an archive, or standard input.
fn open_unpacked(path: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    if path == Path::new(STANDARD_INPUT) {
        return decompressed(Cursor::new(standard_input()?));
    }
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    decompressed(BufReader::with_capacity(BUFFER_BYTES, file))
}

/// Returns a reader of the decompressed content if the content begins like a gzip file. Otherwise,
/// returns the reader unchanged.
fn decompressed<'r>(
    mut reader: impl BufRead + Send + 'r,
) -> io::Result<Box<dyn BufRead + Send + 'r>> {
    // A buffer of a pipe may have a single byte.
    let mut start = Vec::new();
    reader.by_ref().take(2).read_to_end(&mut start)?;
    let is_compressed = start == [0x1f, 0x8b];
    let reader = Cursor::new(start).chain(reader);
    Ok(match is_compressed {
        true => Box::new(BufReader::with_capacity(BUFFER_BYTES, MultiGzDecoder::new(reader))),
        false => Box::new(reader),
    })
}

/// The bytes of standard input, or the kind and the text of the error from reading standard input.
type Contents = Result<Arc<[u8]>, (io::ErrorKind, String)>;

/// Returns the content of standard input, which is read at the first call.
fn standard_input() -> io::Result<Arc<[u8]>> {
    static CONTENTS: OnceLock<Contents> = OnceLock::new();
    let contents = CONTENTS.get_or_init(|| {
        let mut bytes = Vec::new();
        match io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(bytes.into()),
            Err(error) => Err((error.kind(), error.to_string())),
        }
    });
    contents.clone().map_err(|(kind, text)| io::Error::new(kind, text))
}

/// The position of a file in its archive, in bytes of the decompressed archive.
struct Extent {
    /// The offset of the first byte.
    start: u64,
    /// The length of the file.
    length: u64,
}

/// Opens the file `member` of an archive. Returns an error if the archive has no such file, or
/// cannot be read.
fn open_member(archive: &Path, member: &Path) -> io::Result<Box<dyn BufRead + Send>> {
    let Some(Extent { start, length }) = member_of(archive, member)? else {
        let what = format!("the archive has no {}", member.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, what));
    };
    let mut reader = open_unpacked(archive)?;
    let skipped = io::copy(&mut reader.by_ref().take(start), &mut io::sink())?;
    match skipped == start {
        true => decompressed(reader.take(length)),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns the position of the first regular file in an archive whose path is `member`, or `member`
/// inside one folder of any name. Archives of the Model Checking Contest have such a folder.
/// Returns `None` if the archive has no such file.
fn member_of(archive: &Path, member: &Path) -> io::Result<Option<Extent>> {
    let mut archive = tar::Archive::new(open_unpacked(archive)?);
    for entry in archive.entries()? {
        let entry = entry?;
        let path = entry.path()?;
        let path = path.strip_prefix(".").unwrap_or(&path);
        let is_in_folder = || path.components().skip(1).eq(member.components());
        if entry.header().entry_type().is_file() && (path == member || is_in_folder()) {
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

    /// A reader that returns a single byte at a time.
    struct Dripping<'b>(&'b [u8]);

    impl Read for Dripping<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let length = into.len().min(1);
            self.0.read(&mut into[..length])
        }
    }

    #[test]
    fn a_pipe_may_begin_with_a_single_byte() {
        let packed = compressed(b"a net");
        for (bytes, expected) in
            [(&packed[..], &b"a net"[..]), (b"a net", b"a net"), (b"\x1f", b"\x1f"), (b"", b"")]
        {
            let mut read = Vec::new();
            let pipe = BufReader::new(Dripping(bytes));
            decompressed(pipe).unwrap().read_to_end(&mut read).unwrap();
            assert_eq!(read, expected);
        }
    }

    #[test]
    fn the_content_decides_how_a_file_is_read() {
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
    fn archives_are_searched_like_directories() {
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
                assert_eq!(text(&associated_file(&path, "q.xml").unwrap()).unwrap(), "q");
                assert_eq!(
                    associated_file(&path.join("model.pnml"), "q.xml"),
                    Some(path.join("q.xml"))
                );
                assert_eq!(associated_file(&path, "none.xml"), None);
                let none = text(&path.join("none.xml")).unwrap_err();
                assert_eq!(none.to_string(), "the archive has no none.xml");
            }
        }
        let broken = at.path().join("broken.tgz");
        std::fs::write(&broken, b"no archive at all").unwrap();
        assert!(text(&broken.join("model.pnml")).is_err());
    }
}
