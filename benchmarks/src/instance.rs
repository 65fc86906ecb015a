//! Contest instances: archives `NAME.tgz` with one directory `NAME/` inside.

use crate::error::Error;
use crate::exam::Exam;
use crate::note;
use parikh::Model;
use parikh_net::Net;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A private, writable copy of an instance, removed when dropped.
#[derive(Debug)]
pub struct Instance {
    /// The instance's name.
    name: String,
    /// The temporary directory, which holds the directory `NAME/`.
    directory: TempDir,
}

impl Instance {
    /// Unpacks `NAME.tgz` from `inputs` into a new temporary directory. Each run has its own copy,
    /// since tools may write into their working directory.
    ///
    /// # Errors
    /// If the archive cannot be read, the copy cannot be written, or the archive holds no model.
    pub fn unpack(inputs: &Path, name: &str) -> Result<Instance, Error> {
        let directory = tempfile::Builder::new().prefix("parikh-bench-").tempdir();
        let directory = directory.map_err(Error::at(std::env::temp_dir()))?;
        unpack_to(inputs, name, directory.path())?;
        Ok(Instance { name: name.to_owned(), directory })
    }

    /// Returns the instance's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory with `model.pnml` and the query files.
    pub fn path(&self) -> PathBuf {
        self.directory.path().join(&self.name)
    }

    /// Returns the ids of the formulas of an examination, in the order of its query file; `None` if
    /// the file does not exist.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn formulas(&self, exam: Exam) -> Result<Option<Vec<String>>, Error> {
        let path = self.path().join(format!("{}.xml", exam.long()));
        match File::open(&path) {
            Ok(file) => formula_ids(BufReader::new(file)).map(Some).map_err(Error::at(&path)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(Error::File { path, source }),
        }
    }
}

/// Reads the place/transition net of an instance. Returns `None`, with a line on stderr, if the
/// model is coloured.
///
/// # Errors
/// If the model cannot be read.
pub fn plain_net(instance: &Instance) -> Result<Option<Net>, Error> {
    let path = instance.path().join("model.pnml");
    match parikh::input::read_model(&path) {
        Ok(Model::Plain(net)) => Ok(Some(*net)),
        Ok(Model::Coloured(_)) => {
            note!("{}: skipped: the model is coloured", instance.name());
            Ok(None)
        }
        Err(problem) => Err(Error::Rows { path, problem: problem.to_string() }),
    }
}

/// Unpacks `NAME.tgz` from `inputs` to `NAME/` in an existing directory.
///
/// # Errors
/// If the archive cannot be read, the copy cannot be written, or the archive holds no model.
pub fn unpack_to(inputs: &Path, name: &str, directory: &Path) -> Result<(), Error> {
    let archive = inputs.join(format!("{name}.tgz"));
    let file = File::open(&archive).map_err(Error::at(&archive))?;
    let unzipped = flate2::read::MultiGzDecoder::new(BufReader::new(file));
    tar::Archive::new(unzipped).unpack(directory).map_err(Error::at(&archive))?;
    match directory.join(name).join("model.pnml").is_file() {
        true => Ok(()),
        false => Err(Error::Archive { path: archive, instance: name.to_owned() }),
    }
}

/// Returns the texts of all `id` elements. The file is scanned and not parsed: query files have up
/// to 30 MB, and the harness must not depend on the reader under test.
fn formula_ids(mut xml: impl BufRead) -> std::io::Result<Vec<String>> {
    let mut ids = Vec::new();
    let mut piece = Vec::new();
    loop {
        // One piece ends with the next `<`: it is text, or a tag with the text after it.
        piece.clear();
        if xml.read_until(b'<', &mut piece)? == 0 {
            return Ok(ids);
        }
        let text = String::from_utf8_lossy(&piece);
        if let Some((tag, content)) = text.split_once('>') {
            // Some editions use a prefix for the contest's namespace.
            let name = tag.rsplit(':').next().unwrap_or(tag).trim_end();
            if name == "id" && !tag.starts_with('/') {
                ids.push(unescape(content.trim_end_matches('<').trim()));
            }
        }
    }
}

/// Replaces the five predefined entities of XML by their characters.
fn unescape(text: &str) -> String {
    let unescaped = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    unescaped.replace("&apos;", "'").replace("&amp;", "&")
}

/// Place/transition nets or coloured nets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetKind {
    /// Place/transition nets, `PT` in names of instances.
    PlaceTransition,
    /// Coloured nets, `COL` in names of instances.
    Coloured,
}

impl NetKind {
    /// Both kinds.
    pub const ALL: [NetKind; 2] = [NetKind::PlaceTransition, NetKind::Coloured];

    /// Returns the part of the names of instances: `PT` or `COL`.
    pub fn short(self) -> &'static str {
        match self {
            NetKind::PlaceTransition => "PT",
            NetKind::Coloured => "COL",
        }
    }

    /// Returns the kind of an instance with a name MODEL-PT-PARAMETER or MODEL-COL-PARAMETER, and
    /// `None` for other names.
    pub fn of(instance: &str) -> Option<NetKind> {
        NetKind::ALL.into_iter().find(|kind| instance.contains(&format!("-{}-", kind.short())))
    }
}

/// Returns the names of the instances among the archives of a directory, sorted.
///
/// # Errors
/// When the directory cannot be read.
pub fn instances(inputs: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(inputs).map_err(Error::at(inputs))? {
        let file = entry.map_err(Error::at(inputs))?.file_name();
        let name = file.to_str().and_then(|file| file.strip_suffix(".tgz"));
        names.extend(name.map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// Returns the names of the P/T instances among the archives of a directory, sorted.
///
/// # Errors
/// When the directory cannot be read.
pub fn place_transition_instances(inputs: &Path) -> Result<Vec<String>, Error> {
    let mut names = instances(inputs)?;
    names.retain(|name| NetKind::of(name) == Some(NetKind::PlaceTransition));
    Ok(names)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Writes `NAME.tgz` with the given files.
    pub(crate) fn pack(inputs: &Path, name: &str, files: &[(&str, &str)]) {
        let file = File::create(inputs.join(format!("{name}.tgz"))).unwrap();
        let zipped = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        let mut archive = tar::Builder::new(zipped);
        for (path, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(text.len() as u64);
            header.set_mode(0o644);
            archive.append_data(&mut header, format!("{name}/{path}"), text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();
    }

    #[test]
    fn an_archive_is_unpacked_and_its_copy_removed() {
        let inputs = tempfile::tempdir().unwrap();
        let queries = "<property-set xmlns:mcc='m'><property><id>A-1 &amp; 2</id><formula/></property>\n\
                       <mcc:property>\n<mcc:id>\n A-2 </mcc:id></mcc:property></property-set>";
        pack(inputs.path(), "A-PT-1", &[("model.pnml", "<pnml/>"), ("UpperBounds.xml", queries)]);
        let instance = Instance::unpack(inputs.path(), "A-PT-1").unwrap();
        let path = instance.path();
        assert_eq!(std::fs::read_to_string(path.join("model.pnml")).unwrap(), "<pnml/>");
        let formulas = instance.formulas(Exam::UpperBounds).unwrap();
        assert_eq!(formulas, Some(vec!["A-1 & 2".to_owned(), "A-2".to_owned()]));
        assert_eq!(instance.formulas(Exam::OneSafe).unwrap(), None);
        drop(instance);
        assert!(!path.exists());
    }

    #[test]
    fn missing_archives_and_models_are_named() {
        let inputs = tempfile::tempdir().unwrap();
        let missing = Instance::unpack(inputs.path(), "B").unwrap_err().to_string();
        assert!(missing.contains("B.tgz"), "{missing}");
        pack(inputs.path(), "C", &[("readme", "")]);
        let empty = Instance::unpack(inputs.path(), "C").unwrap_err();
        assert!(matches!(empty, Error::Archive { .. }), "{empty}");
    }
}
