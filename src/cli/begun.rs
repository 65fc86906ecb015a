//! The net that stands for a model with inhibitor or reset arcs, begun where a trace begins.
//!
//! Complement places and copies of transitions depend on the bounds of places, and these on the
//! initial marking. So a trace of three cases is one of another net than that of the model.

use crate::input;
use anyhow::{Result, anyhow};
use parikh_net::{Marking, Net, marking_text};
use std::path::Path;

/// Returns `net`, which was read from `model`, or the net that stands for the model begun where the
/// text of a trace says. A net that stands for no other one is returned as it is.
///
/// # Errors
/// When the text names no marking of the model, or no net stands for the model begun there.
pub(super) fn begun_where(net: Net, model: &Path, trace: &str) -> Result<Net> {
    if net.translation().is_none() {
        return Ok(net);
    }
    let extended = input::read_extended(model)?;
    match beginning(trace, extended.core())? {
        Some(marking) if marking != *extended.core().initial() => {
            let file = input::model_file(model)?.display().to_string();
            Ok(input::translated_within_caps(extended.from_marking(marking), &file)?)
        }
        _ => Ok(net),
    }
}

/// Returns the marking that the text of a trace begins in, where it says so. `core` has the places
/// of the model.
///
/// # Errors
/// When the text names no marking of the model.
pub(super) fn beginning(trace: &str, core: &Net) -> Result<Option<Marking>> {
    let notes = trace.lines().filter_map(|line| line.strip_prefix('#')?.split_once(':'));
    let from = notes.map(|(key, text)| (key.trim(), text.trim())).find(|(key, _)| *key == "from");
    let marking = from.map(|(_, from)| {
        marking_text::parse(from, core).map_err(|why| anyhow!("`# from: {from}`: {why}"))
    });
    marking.transpose()
}
