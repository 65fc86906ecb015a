//! The net of a model with the initial marking of a trace.
//!
//! Complement places and copies of transitions depend on the bounds of places, and the bounds
//! depend on the initial marking. So a trace that begins in another marking than the model, for
//! example with three tokens in the source of a workflow net (`--k 3`), belongs to another
//! translated net.

use super::model;
use anyhow::{Result, anyhow};
use parikh_net::{ExtendedNet, Marking, Net, marking_text};
use parikh_structure::workflow;
use std::path::Path;

/// A net with the initial marking of a trace.
pub(super) struct StartedNet {
    /// The net, which starts as the trace states.
    pub(super) net: Net,
    /// The sentence that the trace does not start in the initial marking of the model. `None` if it
    /// does.
    pub(super) remark: Option<String>,
}

/// Returns the net that starts in the initial marking of a trace. `net` was read from `model`. A
/// model with inhibitor or reset arcs is translated again, with caps only if `allows_caps`. If the
/// trace states no other initial marking, `net` is returned unchanged.
///
/// # Errors
/// The text names no marking of the model, or the model cannot be translated with this initial
/// marking.
pub(super) fn with_trace_start(
    net: Net,
    model: &Path,
    trace: &str,
    allows_caps: bool,
) -> Result<StartedNet> {
    let extended = match net.translation() {
        Some(_) => Some(parikh_input::read_extended(model)?),
        None => None,
    };
    let core = extended.as_ref().map_or(&net, ExtendedNet::core);
    let start = beginning(trace, core)?.filter(|start| start != core.initial());
    let Some(start) = start else { return Ok(StartedNet { net, remark: None }) };
    let remark = format!(
        "starting from {}, not from the initial marking of the model",
        marking_text::print(core, &start)
    );
    let token = workflow::assumed_token(core).filter(|(token, _)| *token == start);
    let assumed = token.map(|(_, assumed)| assumed);
    let net = match extended {
        None => net.from_marking(start).assuming(assumed),
        Some(extended) => {
            model::translated(extended.from_marking(start).assuming(assumed), model, allows_caps)?
        }
    };
    Ok(StartedNet { net, remark: Some(remark) })
}

/// Returns the initial marking that the text of a trace states, if it states one. Traces of
/// processes state it, because the model may have no initial marking, or one case where the trace
/// has several. `core` has the places of the model.
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
