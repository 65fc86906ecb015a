//! What a format of models is.

use super::error::InputError;
use crate::extended;
use crate::extended::bounds::{MANY, Rooms};
use parikh_net::coloured::ColouredNet;
use parikh_net::{Assumption, ExtendedNet, Net};
use parikh_solvers::Budget;
use std::io::BufRead;

/// A format of models.
pub struct Format {
    /// What it is called.
    pub name: &'static str,
    /// Whether a file that begins so may be of this format; a beginning is some thousands of bytes,
    /// or the whole file.
    pub(super) begins: fn(&[u8]) -> bool,
    /// Reads a file of which it may be; the name is how messages call it.
    pub(super) read: fn(&mut dyn BufRead, &str) -> Result<SourceModel, Unread>,
}

/// The model as its file has it, before it is asked which net stands for it.
#[derive(Debug)]
pub enum SourceModel {
    /// A net, perhaps with inhibitor and reset arcs.
    Net(Box<ExtendedNet>),
    /// A coloured net.
    Coloured(Box<ColouredNet>),
}

impl SourceModel {
    /// Returns the same model, about which these things are assumed, too.
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

/// The net that stands for one that may have inhibitor and reset arcs. Whatever comes after the
/// readers, engines and reduction rules among them, only ever sees this net. With `caps`, it may
/// stand for that one in two halves ([`extended::translate_within_caps`]).
///
/// # Errors
/// When it has, and no place/transition net stands for it.
pub(super) fn translated(net: ExtendedNet, file: &str, caps: bool) -> Result<Net, InputError> {
    let budget = Budget::unlimited();
    let translated = match caps {
        true => extended::translate_within_caps(net, MANY, Rooms::default(), &budget),
        false => extended::translate(net, &budget),
    };
    let net = translated
        .map_err(|why| InputError::Untranslated { file: file.into(), why: Box::new(why) })?;
    if let Some(translation) = net.translation() {
        tracing::info!(
            "{file}: inhibitor and reset arcs by {} complement places and {} transitions for {}",
            translation.complemented().len(),
            net.transition_count(),
            translation.transition_count()
        );
    }
    Ok(net)
}

/// Why a format did not read a file.
pub(super) enum Unread {
    /// Something is wrong with the file.
    Broken(InputError),
    /// The model has times or priorities: the model without them, and the refusal of the model with
    /// them.
    Timed(SourceModel, InputError),
    /// It is of another format: what would be wrong with it otherwise.
    AnotherFormat(InputError),
}

impl From<InputError> for Unread {
    fn from(error: InputError) -> Self {
        Unread::Broken(error)
    }
}
