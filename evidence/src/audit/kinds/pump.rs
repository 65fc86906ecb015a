//! Pumps: firing sequences that can repeat forever and make sums grow without bound.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::check_pumping;
use crate::file::{PumpLine, Steps, sequence};
use parikh_net::printable::Quoted;
use parikh_net::{Net, PumpSequence, Stage};

/// Replays the prefix and the pump of each stage, and records the sums that grow.
pub(super) fn check_pump_line<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    let PumpLine { earlier, prefix, pump } = context.lines.read(id)?;
    let net = context.net;
    let stage = |prefix: &Steps, pump: &Steps| -> Result<Stage, String> {
        Ok(Stage { prefix: sequence(net, prefix)?, pump: sequence(net, pump)? })
    };
    let stages =
        earlier.iter().map(|earlier_stage| stage(&earlier_stage.prefix, &earlier_stage.pump));
    let earlier = stages.collect::<Result<_, _>>()?;
    let pumping = PumpSequence { earlier, last: stage(&prefix, &pump)? };
    if passes_a_cap(net, &pumping) {
        return Err(format!("pump {} exceeds a token cap of the translated net", Quoted(id)));
    }
    let growth = check_pumping(net, &pumping).map_err(|error| error.to_string())?;
    for (sum, grows) in &mut obligations.sums {
        *grows |= growth.grows(sum);
    }
    context.note_breach(|net| {
        let grows = net.safe_units().is_some() && growth.places().next().is_some();
        grows.then(|| format!("pump {} adds tokens without bound", Quoted(id)))
    });
    Ok(())
}

/// Returns true if some firing exceeds a cap, that is, an assumed bound on a place. Such a firing
/// takes the token of the place that is marked as long as no cap is exceeded.
fn passes_a_cap(net: &Net, pumping: &PumpSequence) -> bool {
    let stage_passes = |stage: &Stage| {
        let mut steps = stage.prefix.steps().iter().chain(stage.pump.steps());
        steps.any(|step| net.exceeds_cap(step.transition))
    };
    pumping.earlier.iter().chain([&pumping.last]).any(stage_passes)
}
