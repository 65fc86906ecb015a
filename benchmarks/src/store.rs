//! A result file that grows run by run and stays valid if the harness is stopped at any moment.
//!
//! The rows of a run are appended in one write, and each states how many rows the run has. So a run
//! that was cut short by a crash or a full disk is recognised when the file is opened again. The
//! run is removed: the rest is written beside the file and renamed over it, and the run is made
//! again.
//!
//! The file is locked while it is open: two contests that continue it at the same time would make
//! runs twice.

use crate::error::Error;
use crate::exam::Exam;
use crate::row::{self, ResultRow};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An open result file.
#[derive(Debug)]
pub struct ResultStore {
    /// The path of the file.
    path: PathBuf,
    /// The file, open for appending.
    file: LockedFile,
    /// The rows read from the file, and the rows appended since.
    rows: Vec<ResultRow>,
    /// The number of rows of each run in the file.
    row_counts: HashMap<(String, Exam), usize>,
}

impl ResultStore {
    /// Opens the file, or creates it with its line of column names. Removes the runs that were not
    /// written completely.
    ///
    /// # Errors
    /// If the file cannot be read or written, another process has it open, it is not a result file
    /// of this harness, or a row is malformed. A result file of another tool is never changed.
    pub fn open(path: &Path) -> Result<ResultStore, Error> {
        let mut options = OpenOptions::new();
        let file =
            options.create(true).read(true).append(true).open(path).map_err(Error::at(path))?;
        let mut file = LockedFile::new(file).map_err(Error::at(path))?;
        // Another process may have replaced the file before the lock was acquired.
        let inode = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let own_inode = file.0.metadata().map(inode).map_err(Error::at(path))?;
        if std::fs::metadata(path).map(inode).map_err(Error::at(path))? != own_inode {
            return Err(Error::at(path)(locked_error()));
        }
        let mut text = Vec::new();
        file.0.read_to_end(&mut text).map_err(Error::at(path))?;
        let (rows, is_intact) = match text.is_empty() {
            true => (Vec::new(), false),
            false => complete_runs(path, &text)?,
        };
        if !is_intact {
            file = replace(path, &row::print(&rows, true)).map_err(Error::at(path))?;
        }
        let mut done = HashMap::new();
        rows.iter().for_each(|row| *done.entry((row.instance.clone(), row.exam)).or_default() += 1);
        Ok(ResultStore { path: path.to_owned(), file, rows, row_counts: done })
    }

    /// Returns true if the file has the run of this instance and examination.
    pub fn holds(&self, instance: &str, exam: Exam) -> bool {
        self.row_counts.contains_key(&(instance.to_owned(), exam))
    }

    /// Appends the rows of one run and sets their count.
    ///
    /// # Errors
    /// If the rows cannot be written.
    pub fn append(&mut self, mut run: Vec<ResultRow>) -> Result<(), Error> {
        let count = run.len();
        run.iter_mut().for_each(|row| row.rows = Some(count));
        let text = row::print(&run, false);
        self.file.0.write_all(&text).map_err(Error::at(&self.path))?;
        if let Some(row) = run.first() {
            self.row_counts.insert((row.instance.clone(), row.exam), count);
        }
        self.rows.extend(run);
        Ok(())
    }

    /// Returns all rows, those of earlier sessions first.
    pub fn rows(&self) -> &[ResultRow] {
        &self.rows
    }
}

/// Returns the rows of the runs that were written completely. The flag is true if the text has no
/// other rows and ends with a complete line. Returns an error if the line of column names or a row
/// is malformed.
fn complete_runs(path: &Path, text: &[u8]) -> Result<(Vec<ResultRow>, bool), Error> {
    let fail = |problem: String| Error::Rows { path: path.to_owned(), problem };
    let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let header = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    if header.strip_suffix(b"\r").unwrap_or(header) != row::COLUMNS.join(",").as_bytes() {
        let problem = "the first line does not belong to a result file of `parikh-bench contest`; \
                       the file was not changed";
        return Err(fail(problem.to_owned()));
    }
    let rows = row::parse(&text[..end]).map_err(fail)?;
    let mut counts: HashMap<(&str, Exam), usize> = HashMap::new();
    rows.iter().for_each(|row| *counts.entry((&row.instance, row.exam)).or_default() += 1);
    let is_complete =
        |row: &ResultRow| row.rows == counts.get(&(&*row.instance, row.exam)).copied();
    // A row whose stated count differs from the number of rows of its run invalidates the whole
    // run.
    let mut suspects: Vec<(String, Exam)> = Vec::new();
    for row in rows.iter().filter(|row| !is_complete(row)) {
        suspects.push((row.instance.clone(), row.exam));
    }
    suspects.sort_unstable();
    suspects.dedup();
    let is_intact = suspects.is_empty() && end == text.len();
    let is_suspect =
        |row: &ResultRow| suspects.binary_search(&(row.instance.clone(), row.exam)).is_ok();
    Ok((rows.iter().filter(|row| !is_suspect(row)).cloned().collect(), is_intact))
}

/// Writes a new file beside `path`, locks it, and renames it over `path`. So at every moment `path`
/// is either the old file or the complete new file.
fn replace(path: &Path, text: &[u8]) -> std::io::Result<LockedFile> {
    let new_path = path.with_extension("csv.new");
    let _ = std::fs::remove_file(&new_path);
    let mut file =
        LockedFile::new(OpenOptions::new().create_new(true).append(true).open(&new_path)?)?;
    file.0.write_all(text)?;
    std::fs::rename(&new_path, path)?;
    Ok(file)
}

/// A file that is locked for this process until it is closed, however the process ends.
///
/// The lock is released explicitly. A program that another thread is starting holds copies of all
/// descriptors for a moment, and would hold the lock that long.
#[derive(Debug)]
struct LockedFile(File);

impl LockedFile {
    /// Locks a file. Fails if the file is already locked, usually by another process. On a file
    /// system without locks, succeeds without a lock.
    fn new(file: File) -> std::io::Result<LockedFile> {
        // SAFETY: flock takes numbers only, and the descriptor is open.
        match unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } {
            0 => Ok(LockedFile(file)),
            _ => match std::io::Error::last_os_error() {
                error if error.kind() == std::io::ErrorKind::WouldBlock => Err(locked_error()),
                // Some file systems have no locks; there, nothing prevents two writers.
                error if matches!(error.raw_os_error(), Some(libc::ENOLCK | libc::ENOTSUP)) => {
                    Ok(LockedFile(file))
                }
                error => Err(error),
            },
        }
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // SAFETY: flock takes numbers only, and the descriptor is open. Without locks there is
        // nothing to release.
        unsafe { libc::flock(self.0.as_raw_fd(), libc::LOCK_UN) };
    }
}

/// Returns the error for a file that another process has locked.
fn locked_error() -> std::io::Error {
    std::io::Error::other(
        "another contest is writing this file; wait until it ends, or use another file",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::tests::answered;

    fn two_runs(path: &Path) -> ResultStore {
        let mut store = ResultStore::open(path).unwrap();
        let run =
            |instance| ["f", "g"].map(|f| answered(instance, f, "TRUE", "TRUE", 1.0)).to_vec();
        store.append(run("A")).unwrap();
        store.append(run("B")).unwrap();
        store
    }

    #[test]
    fn runs_are_found_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.csv");
        let rows = two_runs(&path).rows().to_vec();
        let store = ResultStore::open(&path).unwrap();
        assert_eq!(store.rows(), rows);
        assert!(store.holds("A", Exam::ReachabilityCardinality));
        assert!(!store.holds("A", Exam::UpperBounds));
    }

    #[test]
    fn a_run_cut_at_any_byte_is_dropped_and_the_others_stay() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.csv");
        two_runs(&path);
        let text = std::fs::read(&path).unwrap();
        let ends: Vec<usize> = (0..text.len()).filter(|&at| text[at] == b'\n').collect();
        let start_of_b = ends[2] + 1;
        for cut in start_of_b..text.len() {
            std::fs::write(&path, &text[..cut]).unwrap();
            let mut store = ResultStore::open(&path).unwrap();
            assert!(store.holds("A", Exam::ReachabilityCardinality), "cut at {cut}");
            assert!(!store.holds("B", Exam::ReachabilityCardinality), "cut at {cut}");
            let again = ["f", "g"].map(|f| answered("B", f, "TRUE", "TRUE", 1.0)).to_vec();
            store.append(again).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), text);
        }
    }

    #[test]
    fn two_do_not_write_one_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out.csv");
        let store = two_runs(&path);
        let refused = ResultStore::open(&path).unwrap_err().to_string();
        assert!(refused.contains("another contest"), "{refused}");
        drop(store);
        assert_eq!(ResultStore::open(&path).unwrap().rows().len(), 4);
    }

    #[test]
    fn other_files_are_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("peer.csv");
        let text = "instance,exam,id,expected,got,verdict,seconds,wall\n";
        std::fs::write(&path, text).unwrap();
        assert!(ResultStore::open(&path).unwrap_err().to_string().contains("was not changed"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}
