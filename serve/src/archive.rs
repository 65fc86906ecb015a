//! The evidence of a job as one archive.

use flate2::{Compression, write::GzEncoder};
use std::io;
use std::path::Path;

/// Returns the files of a directory as an archive (`.tar.gz`) with one directory `evidence`.
///
/// # Errors
/// A file cannot be read.
pub(super) fn archive(directory: &Path) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    archive.mode(tar::HeaderMode::Deterministic);
    let mut files: Vec<_> = std::fs::read_dir(directory)?.collect::<Result<_, _>>()?;
    files.sort_by_key(std::fs::DirEntry::file_name);
    for file in files.iter().filter(|file| file.path().is_file()) {
        archive.append_path_with_name(file.path(), Path::new("evidence").join(file.file_name()))?;
    }
    archive.into_inner()?.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_archive_has_the_files_of_the_directory() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("OneSafe.jsonl"), "{}\n").unwrap();
        let bytes = archive(directory.path()).unwrap();
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let names: Vec<_> =
            read.entries().unwrap().map(|it| it.unwrap().path().unwrap().into_owned()).collect();
        assert_eq!(names, [Path::new("evidence/OneSafe.jsonl")]);
    }
}
