//! The evidence of a job as one archive, with the files that it is about.

use flate2::{Compression, write::GzEncoder};
use std::io;
use std::path::Path;

/// Returns an archive (`.tar.gz`) with the files `about`, such as the model, and a directory
/// `evidence` of the files of `directory`. Missing files are left out.
///
/// # Errors
/// A file cannot be read.
pub(super) fn archive(directory: &Path, about: &[&Path]) -> io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    archive.mode(tar::HeaderMode::Deterministic);
    for file in about.iter().filter(|file| file.is_file()) {
        archive.append_path_with_name(file, file.file_name().unwrap_or_default())?;
    }
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
        let model = directory.path().join("model.net");
        std::fs::write(&model, "net n\n").unwrap();
        let evidence = directory.path().join("evidence");
        std::fs::create_dir(&evidence).unwrap();
        std::fs::write(evidence.join("OneSafe.jsonl"), "{}\n").unwrap();
        let bytes = archive(&evidence, &[&model, Path::new("/nowhere")]).unwrap();
        let mut read = tar::Archive::new(flate2::read::GzDecoder::new(&bytes[..]));
        let names: Vec<_> =
            read.entries().unwrap().map(|it| it.unwrap().path().unwrap().into_owned()).collect();
        assert_eq!(names, [Path::new("model.net"), Path::new("evidence/OneSafe.jsonl")]);
    }
}
