//! The interface of a model format.

use super::error::InputError;
use crate::extended;
use crate::extended::bounds::{CapRooms, MAX_VISITED_MARKINGS};
use parikh_net::coloured::ColouredNet;
use parikh_net::{Assumption, ExtendedNet, Net};
use parikh_solvers::Budget;
use std::io::BufRead;

/// A format of model files.
pub struct ModelFormat {
    /// The name of the format in messages.
    pub name: &'static str,
    /// Returns true if a file with this beginning may be of this format. The beginning is the first
    /// 256 KiB, or the whole file if the file is smaller.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Reads a file whose beginning `begins` accepts. Messages use the given name for the file.
    pub(super) read: fn(&mut dyn BufRead, &str) -> Result<SourceModel, ReadFailure>,
}

/// The model as the file describes it, before inhibitor and reset arcs are translated.
#[derive(Debug)]
pub enum SourceModel {
    /// A net, perhaps with inhibitor and reset arcs.
    Net(Box<ExtendedNet>),
    /// A coloured net.
    Coloured(Box<ColouredNet>),
}

impl SourceModel {
    /// Returns the model with the assumptions `more` added to its list of assumptions.
    #[must_use]
    pub(super) fn assuming(self, more: impl IntoIterator<Item = Assumption>) -> Self {
        match self {
            SourceModel::Net(net) => SourceModel::Net(Box::new(net.assuming(more))),
            SourceModel::Coloured(mut net) => {
                more.into_iter().for_each(|it| net.assume(it));
                SourceModel::Coloured(net)
            }
        }
    }
}

impl From<Net> for SourceModel {
    fn from(net: Net) -> Self {
        SourceModel::Net(Box::new(net.into()))
    }
}

impl From<ExtendedNet> for SourceModel {
    fn from(net: ExtendedNet) -> Self {
        SourceModel::Net(Box::new(net))
    }
}

impl From<ColouredNet> for SourceModel {
    fn from(net: ColouredNet) -> Self {
        SourceModel::Coloured(Box::new(net))
    }
}

/// Translates a net that may have inhibitor and reset arcs into a place/transition net. Engines and
/// reduction rules only work on the translated net. Without `caps`, a place that needs a bound and
/// has no known bound is an error. With `caps`, such a place gets a cap, that is, an assumed bound
/// that the model may exceed ([`extended::translate_within_caps`]).
///
/// # Errors
/// Returns an error if no place/transition net is found that represents the net.
pub(super) fn translated(net: ExtendedNet, file: &str, caps: bool) -> Result<Net, InputError> {
    let budget = Budget::unlimited();
    let translated = match caps {
        true => {
            extended::translate_within_caps(net, MAX_VISITED_MARKINGS, CapRooms::default(), &budget)
        }
        false => extended::translate(net, &budget),
    };
    let net = translated
        .map_err(|why| InputError::Untranslated { file: file.into(), why: Box::new(why) })?;
    if let Some(translation) = net.translation() {
        tracing::info!(
            "{file}: translated inhibitor and reset arcs into {} complement places and {} \
             transitions for {}",
            translation.complemented().len(),
            net.transition_count(),
            translation.transition_count()
        );
    }
    Ok(net)
}

/// The reason why a format did not read a file.
pub(super) enum ReadFailure {
    /// The file has an error.
    Broken(InputError),
    /// The model has times or priorities. Contains the model without times and priorities, and the
    /// error to report if the user does not allow leaving them out.
    Timed(Box<(SourceModel, InputError)>),
    /// The file is of another format. Contains the error to report if no other format reads the
    /// file.
    AnotherFormat(InputError),
}

impl From<InputError> for ReadFailure {
    fn from(error: InputError) -> Self {
        ReadFailure::Broken(error)
    }
}
