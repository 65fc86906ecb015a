//! Readers of models and questions: nets in any of the [`FORMATS`], the query files of the Model
//! Checking Contest, and its instance directories.
//!
//! Readers of XML make one pass over a file and hold one element at a time. Readers of other
//! languages read the whole text first. An error gives file, line and column, the text found and
//! the text expected ([`InputError`]). An error in one formula of many only affects that formula
//! ([`parikh_formula::FormulaError`]).

pub mod about;
mod colour_problem;
mod document;
mod element;
mod error;
pub mod extended;
mod finals;
mod foreign;
mod format;
mod formats;
mod graph;
mod known_markup;
mod labels;
mod lola;
mod mist;
pub mod model;
mod nupn;
mod pipe;
mod pnml;
mod positions;
mod queries;
mod query_tree;
mod script;
mod source;
mod symmetric;
mod systems;
mod text;
mod timing;
mod tina;
mod well_formed;
mod xml;

pub use colour_problem::ColourProblem;
pub use element::{Content, Element, read_element, read_element_from};
pub use error::{InputError, Location};
pub use format::{ModelFormat, SourceModel};
pub use formats::{
    FORMATS, TimingTreatment, model_file, read_extended, read_model, read_model_as,
    read_model_within_caps, read_source, read_source_as, translated_model, translated_within_caps,
};
pub use mist::target_of;
pub use pnml::{read_net, read_net_from};
pub use positions::{read_positions, read_positions_from};
pub use queries::{Query, QueryFile, make_ids_unique, read_queries, read_queries_from};
pub use symmetric::read_coloured_from;

use std::io::{BufRead, ErrorKind};
use std::path::Path;

/// Opens a file for reading, decompressed if necessary. Also returns the name of the file for
/// messages.
fn open(path: &Path) -> Result<(Box<dyn BufRead + Send>, String), InputError> {
    let name = match path.as_os_str() {
        it if it == parikh_files::STANDARD_INPUT => "standard input".to_owned(),
        _ => path.display().to_string(),
    };
    match parikh_files::open(path) {
        Ok(reader) => Ok((reader, name)),
        Err(cause) if cause.kind() == ErrorKind::IsADirectory => {
            Err(InputError::Directory { file: name.into() })
        }
        Err(cause) => Err(InputError::Unreadable { file: name.into(), cause }),
    }
}
