//! An instance of the Model Checking Contest: a directory with `model.pnml`, one `.xml` file of
//! formulas per examination, and small flag files.
//!
//! The reader never opens `GenericPropertiesVerdict.xml`, which many instances contain. It holds
//! results of other tools, partly wrong, and the contest forbids its use in the examinations that
//! it answers.

use super::error::InputError;
use super::queries::{QueryFile, read_queries};
use super::read_net;
use parikh_net::Net;
use std::path::{Path, PathBuf};

/// The directory of a contest instance. Files are read on request.
#[derive(Clone, Debug)]
pub struct InstanceDirectory {
    path: PathBuf,
    coloured: Option<bool>,
}

impl InstanceDirectory {
    /// Opens an instance directory.
    ///
    /// # Errors
    /// When the directory cannot be read or has no `model.pnml`.
    pub fn open(path: &Path) -> Result<Self, InputError> {
        let name = || path.display().to_string().into_boxed_str();
        std::fs::read_dir(path).map_err(|cause| InputError::Unreadable { file: name(), cause })?;
        if !path.join("model.pnml").is_file() {
            return Err(InputError::NoModel { directory: name() });
        }
        let flag = std::fs::read_to_string(path.join("iscolored")).unwrap_or_default();
        let coloured = match flag.trim() {
            "TRUE" => Some(true),
            "FALSE" => Some(false),
            // Directories made by hand need no flag files.
            _ => None,
        };
        Ok(InstanceDirectory { path: path.to_owned(), coloured })
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the name of the directory, which the contest uses as the instance's name. Returns
    /// `None` for paths without a name, such as `/`.
    pub fn name(&self) -> Option<&str> {
        self.path.file_name()?.to_str()
    }

    /// Returns the value of the flag file `iscolored`, if the file exists.
    pub fn is_coloured(&self) -> Option<bool> {
        self.coloured
    }

    /// Reads the net.
    ///
    /// # Errors
    /// As [`read_net`].
    pub fn model(&self) -> Result<Net, InputError> {
        read_net(&self.path.join("model.pnml"))
    }

    /// Returns the path of the formulas of an examination, if the instance has the file.
    /// Examinations about the whole net (`OneSafe`, `StateSpace`, …) usually have none.
    pub fn query_file(&self, examination: &str) -> Option<PathBuf> {
        // Examination names come from the environment. Only a plain name may become a path.
        let plain = examination.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !plain || examination.starts_with("GenericProperties") {
            return None;
        }
        Some(self.path.join(format!("{examination}.xml"))).filter(|path| path.is_file())
    }

    /// Reads the formulas of an examination.
    ///
    /// # Errors
    /// When there is no such file, and as [`read_queries`].
    pub fn queries(&self, examination: &str, net: &Net) -> Result<QueryFile, InputError> {
        let missing = || InputError::NoQueries {
            directory: self.path.display().to_string().into(),
            examination: examination.to_owned(),
        };
        read_queries(&self.query_file(examination).ok_or_else(missing)?, net)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NET: &str = "<pnml><net id='n'><place id='p'/></net></pnml>";
    const QUERIES: &str = "<property-set><property><id>q-00</id><formula><place-bound>
        <place>p</place></place-bound></formula></property></property-set>";

    #[test]
    fn an_instance_gives_its_model_and_its_formulas_but_no_verdicts() {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::write(directory.path().join(name), text).unwrap();
        };
        write("model.pnml", NET);
        write("iscolored", "FALSE\n");
        write("UpperBounds.xml", QUERIES);
        write("GenericPropertiesVerdict.xml", QUERIES);
        let instance = InstanceDirectory::open(directory.path()).unwrap();
        assert_eq!(instance.is_coloured(), Some(false));
        assert_eq!(instance.name(), directory.path().file_name().unwrap().to_str());
        let net = instance.model().unwrap();
        assert_eq!(instance.queries("UpperBounds", &net).unwrap().queries[0].id, "q-00");
        for absent in ["GenericPropertiesVerdict", "OneSafe", "../x", ""] {
            let problem = instance.queries(absent, &net).unwrap_err().to_string();
            let shown = directory.path().display();
            let expected = format!(
                "{shown}: the directory has no `{absent}.xml`, expected a file with formulas"
            );
            assert_eq!(problem, expected);
        }
    }

    #[test]
    fn a_directory_without_a_model_and_no_directory_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let shown = directory.path().display();
        assert_eq!(
            InstanceDirectory::open(directory.path()).unwrap_err().to_string(),
            format!(
                "{shown}: the directory has no model.pnml; expected a PNML file or the directory of a \
                 contest instance"
            )
        );
        let missing = InstanceDirectory::open(&directory.path().join("none")).unwrap_err();
        assert!(missing.to_string().starts_with(&format!("{shown}/none: cannot be read: ")));
    }
}
