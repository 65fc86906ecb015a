//! Infinite runs: witnesses that some run has a property.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::first_breach;
use crate::lasso::NamedLasso;
use parikh_net::Net;
use parikh_net::lasso::LassoRun;
use parikh_net::printable::Quoted;

/// Replays an infinite run, and records the properties that it has.
pub(super) fn check_lasso<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    if obligations.runs.is_empty() {
        return Err("the question is not about runs".to_owned());
    }
    let lasso: NamedLasso = context.lines.read(id)?;
    let run = lasso.resolve(context.net)?;
    obligations.runs.check_run(context.net, &run, &context.watch)?;
    context.note_breach(|net| {
        breach(net, &run).map(|how| format!("along lasso {}, {how}", Quoted(id)))
    });
    Ok(())
}

/// Describes how a run violates the claim of safe units. Two rounds of the cycle suffice: a place
/// that gains tokens in each round has two tokens then.
fn breach(net: &Net, run: &LassoRun) -> Option<String> {
    net.safe_units()?;
    first_breach(net, &run.rounds(2), u64::MAX)
}

#[cfg(test)]
mod tests {
    use crate::reader::pnml;
    use parikh_net::FiringSequence;
    use parikh_net::lasso::{LassoRun, RunEnd};

    /// The check covers the prefix and the cycle of a run, and growth of tokens in the cycle.
    #[test]
    fn runs_break_the_claim_of_safe_units_on_their_way_or_in_the_end() {
        let model =
            "<pnml><net id='n'><place id='p'><initialMarking><text>1</text></initialMarking>
            </place><place id='q'/><transition id='t'/><arc source='p' target='t'/>
            <arc source='t' target='q'/><transition id='u'/><arc source='q' target='u'/>
            <arc source='u' target='p'/><transition id='v'/><arc source='p' target='v'/>
            <arc source='v' target='p'/><arc source='v' target='q'/>
            <toolspecific tool='nupn'><structure units='1' root='u' safe='true'><unit id='u'>
            <places>p q</places></unit></structure></toolspecific></net></pnml>";
        let net = pnml::read(model.as_bytes()).unwrap().net;
        let firings = |names: &[&str]| -> FiringSequence {
            names.iter().map(|name| net.transition_named(name).unwrap()).collect()
        };
        let breach = |prefix: &[&str], end: RunEnd| {
            super::breach(&net, &LassoRun { prefix: firings(prefix), end })
        };
        assert_eq!(breach(&["t"], RunEnd::Repeats(firings(&["u", "t"]))), None);
        assert_eq!(breach(&["t", "u"], RunEnd::Anything), None);
        assert!(breach(&["v"], RunEnd::Anything).is_some());
        assert!(breach(&["t", "u"], RunEnd::Repeats(firings(&["v"]))).is_some());
    }
}
