//! Documents: certificates that no reachable marking satisfies a predicate.

use super::trace;
use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::audit::shelf::EvidenceLines;
use crate::file::DocumentLine;
use crate::{Document, Flaw, first_breach, net_after};
use parikh_net::Predicate;
use parikh_net::printable::Quoted;

/// The maximum number of disjuncts of a claim that documents may refute one by one.
const MAX_PARTS: usize = 8;

/// The net of a document.
enum DocumentNet {
    /// The net of the reduction with this id, or the original net if `None`.
    Net(Option<String>),
    /// The original net with the last marking of the trace with this id as its initial marking.
    AfterTrace(String),
}

/// Checks a document, and discharges the obligations that it proves.
pub(super) fn check_document<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    let (document, subject) = read(&mut context.lines, id)?;
    let on = match subject {
        DocumentNet::Net(on) => on,
        DocumentNet::AfterTrace(trace) => {
            return check_document_after(context, obligations, &document, &trace);
        }
    };
    let net = context.lines.net_of(on.as_deref())?;
    let goes_on = &mut || context.watch.goes_on();
    context.refuse_large_document(&document)?;
    let checked = document.check(net, goes_on).map_err(|flaw| flaw.to_string())?;
    let AnswerObligations { claims: refuted, translated, refuted_parts, .. } = obligations;
    let predicates = translated.entry(on.clone()).or_insert_with(|| {
        let translate = |(predicate, _): &_| context.lines.translate(predicate, on.as_deref());
        refuted.iter().map(translate).collect()
    });
    let mut unevaluated = None;
    let open = predicates.iter().zip(refuted).enumerate();
    for (index, (predicate, (claim, is_proved))) in open.filter(|(_, (_, (_, done)))| !done) {
        if !goes_on() {
            return Err(Flaw::Stopped.to_string());
        }
        let mut is_refuted = |predicate: &Predicate| {
            let refuted = checked.refutes_in_any_shape(predicate, goes_on);
            match &refuted {
                Ok(()) | Err(Flaw::DoesNotFollow) => {}
                Err(flaw) => unevaluated = Some(format!("document {}: {flaw}", Quoted(id))),
            }
            refuted.is_ok()
        };
        if predicate.as_ref().is_some_and(&mut is_refuted) {
            *is_proved = true;
            obligations.assumes_units |= document.assumes_units();
            continue;
        }
        // Each disjunct may have a document of its own, about a net that need not express the whole
        // claim.
        let Predicate::Or(parts) = &*claim else { continue };
        if parts.len() > MAX_PARTS {
            continue;
        }
        let known = refuted_parts.entry(index).or_insert_with(|| vec![None; parts.len()]);
        for (part, refuted_by) in parts.iter().zip(&mut *known) {
            if refuted_by.is_none()
                && let Some(part) = context.lines.translate(part, on.as_deref())
                && is_refuted(&part)
            {
                *refuted_by = Some(document.assumes_units());
            }
        }
        if let Some(assumptions) = known.iter().copied().collect::<Option<Vec<bool>>>() {
            *is_proved = true;
            obligations.assumes_units |= assumptions.contains(&true);
        }
    }
    if unevaluated.is_some() {
        obligations.unevaluated = unevaluated;
    }
    if on.is_none()
        && let Err(flaw) = obligations.trees.evaluate(&checked, &context.watch)
    {
        obligations.unevaluated = Some(format!("document {}: {flaw}", Quoted(id)));
    }
    Ok(())
}

/// Checks a document about the net with the last marking of a trace as its initial marking. A
/// predicate that the document refutes in this net does not stay reachable.
fn check_document_after<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    document: &Document,
    trace: &str,
) -> Result<(), String> {
    let Some(home) = &mut obligations.home else {
        return Err("the question is not about home properties".to_owned());
    };
    let sequence = trace::sequence(&context.lines, trace)?;
    let net_after = net_after(context.net, &sequence).map_err(|error| error.to_string())?;
    context.note_breach(|net| {
        let breach = first_breach(net, &sequence, u64::MAX);
        breach.map(|how| format!("along trace {}, {how}", Quoted(trace)))
    });
    context.refuse_large_document(document)?;
    let goes_on = &mut || context.watch.goes_on();
    let checked = document.check(&net_after, goes_on).map_err(|flaw| flaw.to_string())?;
    let refuted = |index: &usize| {
        let goes_on = &mut || context.watch.goes_on();
        checked.refutes_in_any_shape(&home.predicates[*index], goes_on).is_ok()
    };
    let lost: Vec<usize> = (0..home.predicates.len()).filter(refuted).collect();
    if home.mark_lost(lost) {
        obligations.assumes_units |= document.assumes_units();
    }
    Ok(())
}

/// Reads a document and the net that it is about. Replays the reduction of that net first.
fn read(lines: &mut EvidenceLines<'_>, id: &str) -> Result<(Document, DocumentNet), String> {
    let DocumentLine { on, after, document } = lines.read(id)?;
    if on.is_some() && after.is_some() {
        return Err(
            "the document is about a reduced net with an unknown initial marking".to_owned()
        );
    }
    if let Some(on) = &on {
        lines.replay_reduction(on)?;
    }
    let net = lines.net_of(on.as_deref())?;
    let document = document.resolve(net).map_err(|flaw| flaw.to_string())?;
    if document.assumes_units() && on.is_some() {
        return Err(
            "the document assumes units of a reduced net, which nothing guarantees".to_owned()
        );
    }
    let subject = match after {
        Some(trace) => DocumentNet::AfterTrace(trace),
        None => DocumentNet::Net(on),
    };
    Ok((document, subject))
}
