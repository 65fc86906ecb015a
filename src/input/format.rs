//! What a format of models is.

use super::error::InputError;
use crate::model::Model;
use std::io::BufRead;

/// A format of models.
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// Whether a file that begins so may be of this format; a beginning is some thousands of bytes,
    /// or the whole file.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Reads a file of which it may be; the name is how messages call it.
    pub(super) read: fn(&mut dyn BufRead, &str) -> Result<Model, Unread>,
}

/// Why a format did not read a file.
pub(super) enum Unread {
    /// Something is wrong with the file.
    Broken(InputError),
    /// It is of another format: what would be wrong with it otherwise.
    AnotherFormat(InputError),
}

impl From<InputError> for Unread {
    fn from(error: InputError) -> Self {
        Unread::Broken(error)
    }
}
