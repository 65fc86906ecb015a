//! The net translated from a model with inhibitor or reset arcs, with the initial marking of a
//! trace.
//!
//! Complement places and copies of transitions depend on the bounds of places, and the bounds
//! depend on the initial marking. So a trace of three cases belongs to a different translated net
//! than the model.

use anyhow::{Result, anyhow};
use parikh_net::{Marking, Net, marking_text};
use std::path::Path;

/// Returns the translation of `model` that starts in the initial marking of a trace. `net` was read
/// from `model`. Returns `net` if it has no translated arcs, or if the trace states no other
/// initial marking.
///
/// # Errors
/// The text names no marking of the model, or the model cannot be translated with this initial
/// marking.
pub(super) fn with_trace_start(net: Net, model: &Path, trace: &str) -> Result<Net> {
    if net.translation().is_none() {
        return Ok(net);
    }
    let extended = parikh_input::read_extended(model)?;
    match beginning(trace, extended.core())? {
        Some(start) if start != *extended.core().initial() => {
            let file = parikh_input::model_file(model)?.display().to_string();
            Ok(parikh_input::translated_within_caps(extended.from_marking(start), &file)?)
        }
        _ => Ok(net),
    }
}

/// Returns the initial marking that the text of a trace states, if it states one. `core` has the
/// places of the model.
///
/// # Errors
/// The text names no marking of the model.
pub(super) fn beginning(trace: &str, core: &Net) -> Result<Option<Marking>> {
    let notes = trace.lines().filter_map(|line| line.strip_prefix('#')?.split_once(':'));
    let from = notes.map(|(key, text)| (key.trim(), text.trim())).find(|(key, _)| *key == "from");
    let marking = from.map(|(_, from)| {
        marking_text::parse(from, core).map_err(|why| anyhow!("`# from: {from}`: {why}"))
    });
    marking.transpose()
}
