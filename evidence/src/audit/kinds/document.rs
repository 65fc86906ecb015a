//! Documents: certificates that no reachable marking satisfies a predicate.

use super::trace;
use crate::audit::account::AnswerObligations;
use crate::audit::desk::AuditContext;
use crate::audit::shelf::EvidenceLines;
use crate::file::DocumentLine;
use crate::{Document, Flaw, begun_after, first_breach};
use parikh_net::printable::Quoted;

/// The net of a document.
enum DocumentNet {
    /// The net of a reduction, or the original net.
    Net(Option<String>),
    /// The original net with the last marking of a trace as its initial marking.
    After(String),
}

/// Checks a document, and discharges the obligations that it proves.
pub(super) fn weigh<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
) -> Result<(), String> {
    let (document, subject) = read(&mut context.shelf, id)?;
    let on = match subject {
        DocumentNet::Net(on) => on,
        DocumentNet::After(trace) => return weigh_after(context, obligations, &document, &trace),
    };
    let net = context.shelf.net_of(on.as_deref())?;
    let goes_on = &mut || context.watch.goes_on();
    context.refuse_large(&document)?;
    let checked = document.check(net, goes_on).map_err(|flaw| flaw.to_string())?;
    let AnswerObligations { refuted, translated, .. } = obligations;
    let predicates = translated.entry(on.clone()).or_insert_with(|| {
        let translate = |(predicate, _): &_| context.shelf.translate(predicate, on.as_deref());
        refuted.iter().map(translate).collect()
    });
    let open = predicates.iter().zip(refuted).filter(|(_, (_, is_proved))| !is_proved);
    for (predicate, (_, is_proved)) in open {
        let Some(predicate) = predicate else { continue };
        if !goes_on() {
            return Err(Flaw::Stopped.to_string());
        }
        match checked.refutes_in_any_shape(predicate, goes_on) {
            Ok(()) => *is_proved = true,
            Err(Flaw::DoesNotFollow) => {}
            Err(flaw) => obligations.untold = Some(format!("document {}: {flaw}", Quoted(id))),
        }
        obligations.assumes_units |= *is_proved && document.assumes_units();
    }
    if on.is_none()
        && let Err(flaw) = obligations.trees.evaluate(&checked, &context.watch)
    {
        obligations.untold = Some(format!("document {}: {flaw}", Quoted(id)));
    }
    Ok(())
}

/// Checks a document about the net after a trace. A predicate that the document refutes there does
/// not stay reachable.
fn weigh_after<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    document: &Document,
    trace: &str,
) -> Result<(), String> {
    let Some(home) = &mut obligations.home else {
        return Err("the question is not about home properties".to_owned());
    };
    let sequence = trace::sequence(&context.shelf, trace)?;
    let net_after = begun_after(context.net, &sequence).map_err(|error| error.to_string())?;
    context.note_breach(|net| {
        let breach = first_breach(net, &sequence, u64::MAX);
        breach.map(|how| format!("along trace {}, {how}", Quoted(trace)))
    });
    context.refuse_large(document)?;
    let goes_on = &mut || context.watch.goes_on();
    let checked = document.check(&net_after, goes_on).map_err(|flaw| flaw.to_string())?;
    let refuted = |index: &usize| {
        let goes_on = &mut || context.watch.goes_on();
        checked.refutes_in_any_shape(&home.wanted[*index], goes_on).is_ok()
    };
    let lost: Vec<usize> = (0..home.wanted.len()).filter(refuted).collect();
    if home.lose(lost) {
        obligations.assumes_units |= document.assumes_units();
    }
    Ok(())
}

/// Reads a document and the net that it is about. Replays the reduction of that net first.
fn read(lines: &mut EvidenceLines<'_>, id: &str) -> Result<(Document, DocumentNet), String> {
    let DocumentLine { on, after, document } = lines.take(id)?;
    if on.is_some() && after.is_some() {
        return Err(
            "the document is about a reduced net with an unknown initial marking".to_owned()
        );
    }
    if let Some(on) = &on {
        lines.reduce(on)?;
    }
    let net = lines.net_of(on.as_deref())?;
    let document = document.resolve(net).map_err(|flaw| flaw.to_string())?;
    if document.assumes_units() && on.is_some() {
        return Err(
            "the document assumes units of a reduced net, which nothing guarantees".to_owned()
        );
    }
    let subject = match after {
        Some(trace) => DocumentNet::After(trace),
        None => DocumentNet::Net(on),
    };
    Ok((document, subject))
}
