//! Reading models and questions: nets in any of the [`FORMATS`], the query files of the Model
//! Checking Contest, and its instance directories.
//!
//! Readers go through a file once and hold one element at a time. What is wrong with a file is
//! told with file, line and column, what was found and what was expected ([`InputError`]); what is
//! wrong with one formula of many is that formula's own affair ([`crate::formula::FormulaError`]).

mod colour_problem;
mod element;
mod error;
mod finals;
mod format;
mod formats;
mod graph;
mod instance;
mod known;
mod labels;
mod nupn;
mod pnml;
mod positions;
mod queries;
mod query_tree;
mod source;
mod symmetric;
mod systems;
mod text;
mod xml;

pub use colour_problem::ColourProblem;
pub use element::{Content, Element, read_element, read_element_from};
pub use error::{InputError, Location};
pub use format::Format;
pub use formats::{FORMATS, model_file, read_model};
pub use instance::InstanceDirectory;
pub use pnml::{read_net, read_net_from};
pub use positions::{read_positions, read_positions_from};
pub use queries::{Query, QueryFile, read_queries, read_queries_from};
pub use symmetric::{read_coloured, read_coloured_from};

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Opens a file to read, with how messages call it.
fn open(path: &Path) -> Result<(BufReader<File>, String), InputError> {
    let name = path.display().to_string();
    let unreadable = |cause| InputError::Unreadable { file: name.as_str().into(), cause };
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(InputError::Directory { file: name.into() });
    }
    Ok((BufReader::with_capacity(1 << 16, file), name))
}
