//! The directory of nets.
//!
//! ```text
//! DIR/.parikh-serve.lock held while a server uses the directory
//! DIR/nets/ID/meta.json  the name of the net as its user gave it, its size, its time
//! DIR/nets/ID/model.EXT  the upload, under a name that the server chose
//! DIR/nets/ID/page.json  the data of the drawing
//! DIR/nets/ID/jobs/N/    one folder per job, see `jobs`
//! ```
//!
//! No name from a request becomes part of a path: ids are checked digit by digit, and extensions
//! come from a list.

use super::files::{is_id, private_directory, read_json, write_json};
use super::jobs::Job;
use super::net::{Net, NetMeta};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The largest number of nets in a directory.
pub(super) const MOST_NETS: usize = 1000;

/// The nets of a directory.
pub(super) struct Store {
    directory: PathBuf,
    nets: Mutex<BTreeMap<String, Arc<Net>>>,
    /// The lock of the directory, released when the server ends.
    _lock: File,
}

/// An error with the file it concerns.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {error}")]
pub struct StoreError {
    file: String,
    error: io::Error,
}

impl StoreError {
    pub(super) fn of(path: &Path) -> impl Fn(io::Error) -> StoreError {
        move |error| StoreError { file: path.display().to_string(), error }
    }
}

impl Store {
    /// Opens a directory, with the nets and jobs that an earlier server left there.
    ///
    /// # Errors
    /// The directory cannot be made or read, or another server uses it.
    pub(super) fn open(directory: &Path) -> Result<Store, StoreError> {
        let nets_directory = directory.join("nets");
        private_directory(&nets_directory).map_err(StoreError::of(&nets_directory))?;
        // An existing directory may have another mode.
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        fs::set_permissions(&nets_directory, mode).map_err(StoreError::of(&nets_directory))?;
        let lock_path = directory.join(".parikh-serve.lock");
        let lock = lock_file(&lock_path).map_err(StoreError::of(&lock_path))?;
        let operation = rustix::fs::FlockOperation::NonBlockingLockExclusive;
        rustix::fs::flock(&lock, operation).map_err(|_| StoreError {
            file: lock_path.display().to_string(),
            error: io::Error::other("another `parikh serve` uses this directory"),
        })?;
        let mut nets = BTreeMap::new();
        for entry in fs::read_dir(&nets_directory).map_err(StoreError::of(&nets_directory))? {
            let path = entry.map_err(StoreError::of(&nets_directory))?.path();
            let id = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_id(&id)
                && let Some(meta) = read_json::<NetMeta>(&path.join("meta.json"))
            {
                let jobs = Job::read_all(&path);
                nets.insert(id.clone(), Arc::new(Net::new(id, path, meta, jobs)));
            } else if id.starts_with('.') {
                // An upload that was not read to its end.
                remove(&path);
            }
        }
        Ok(Store { directory: directory.to_owned(), nets: Mutex::new(nets), _lock: lock })
    }

    fn nets(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Net>>> {
        self.nets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the nets, the newest first.
    pub(super) fn list(&self) -> Vec<Arc<Net>> {
        let mut all: Vec<Arc<Net>> = self.nets().values().cloned().collect();
        all.sort_by(|a, b| b.meta.created.total_cmp(&a.meta.created));
        all
    }

    /// Returns the net with an id.
    pub(super) fn net(&self, id: &str) -> Option<Arc<Net>> {
        self.nets().get(id).cloned()
    }

    /// Returns true if the directory has as many nets as it may have.
    pub(super) fn is_full(&self) -> bool {
        self.nets().len() >= MOST_NETS
    }

    /// Makes a folder for a new upload. It becomes a net by [`add`](Self::add).
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(super) fn new_folder(&self) -> io::Result<NewFolder> {
        let id = super::access::random_token()?[..16].to_owned();
        let path = self.directory.join("nets").join(format!(".{id}"));
        private_directory(&path)?;
        Ok(NewFolder { id, path })
    }

    /// Turns a folder with an upload into a net.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&self, folder: NewFolder, meta: NetMeta) -> io::Result<Arc<Net>> {
        let path = self.directory.join("nets").join(&folder.id);
        write_json(&folder.path.join("meta.json"), &meta)?;
        fs::rename(&folder.path, &path)?;
        let net = Arc::new(Net::new(folder.id.clone(), path, meta, Vec::new()));
        self.nets().insert(folder.id.clone(), net.clone());
        Ok(net)
    }

    /// Removes a net and cancels its jobs. Has no effect if there is no net with this id.
    pub(super) fn remove(&self, id: &str) {
        let net = self.nets().remove(id);
        if let Some(net) = net {
            net.end();
            remove(&net.folder);
        }
    }
}

/// Opens a file for locking. A file that exists keeps its content. Fails if it is a symbolic link.
fn lock_file(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::CREATE | OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?))
}

/// A folder with an upload. It is removed unless it became a net.
pub(super) struct NewFolder {
    id: String,
    pub(super) path: PathBuf,
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After `Store::add` the folder has another name, and there is nothing to remove.
        remove(&self.path);
    }
}

/// Removes a folder and its contents. A missing folder is no error.
fn remove(path: &Path) {
    if let Err(error) = fs::remove_dir_all(path)
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%error, path = %path.display(), "a folder cannot be removed");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_has_one_server_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let first = Store::open(directory.path()).unwrap();
        assert!(Store::open(directory.path()).is_err());
        drop(first);
        assert!(Store::open(directory.path()).is_ok());
    }

    #[test]
    fn files_of_the_user_stay_and_the_nets_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().unwrap();
        let [own, nets] = ["lock", "nets"].map(|name| directory.path().join(name));
        fs::write(&own, "mine").unwrap();
        fs::create_dir(&nets).unwrap();
        fs::set_permissions(&nets, fs::Permissions::from_mode(0o755)).unwrap();
        drop(Store::open(directory.path()).unwrap());
        assert_eq!(fs::read_to_string(&own).unwrap(), "mine");
        assert_eq!(fs::metadata(&nets).unwrap().permissions().mode() & 0o777, 0o700);
        let lock = directory.path().join(".parikh-serve.lock");
        fs::remove_file(&lock).unwrap();
        std::os::unix::fs::symlink(&own, &lock).unwrap();
        assert!(Store::open(directory.path()).is_err());
    }

    #[test]
    fn an_upload_that_fails_leaves_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path()).unwrap();
        let folder = store.new_folder().unwrap();
        let path = folder.path.clone();
        assert!(path.exists());
        drop(folder);
        assert!(!path.exists());
    }
}
