//! Checks of arguments about the whole net: which predicates stay reachable, which do not, and
//! whether every firing can be undone.

use crate::audit::account::AnswerObligations;
use crate::audit::context::AuditContext;
use crate::audit::shelf::EvidenceLines;
use crate::file::StructureLine;
use crate::home::HomeArgument;
use crate::home::commoner::{check_closed, check_commoner};
use crate::home::finite_firings::find_finite_firings;
use crate::home::liveness::asks_for_liveness;
use crate::home::undoable_firings::check_undone;
use crate::home::visited_markings::find_staying;
use crate::home::ways_back::{ReturnWay, check_returning, sequence};
use crate::{Document, first_breach, net_after};
use parikh_net::{Net, Predicate, TransitionId};

/// The conclusion of an argument. Predicates are indices among the home obligations.
#[derive(Default)]
struct StructureConclusion {
    /// The indices of the predicates that the argument proves to stay reachable.
    staying_predicates: Vec<usize>,
    /// The predicates that do not stay reachable.
    lost_predicates: Vec<usize>,
    /// True if every firing can be undone.
    is_reversible: bool,
    /// A description of the check; empty if reports need not mention it.
    checked: &'static str,
}

/// The net of an argument, and the predicates of the answer translated to this net, with their
/// indices.
struct StructureNet<'s> {
    /// The net that the argument is about.
    net: &'s Net,
    /// True if this is the original net.
    is_original: bool,
    /// The translated predicates, each with its index among the home obligations. Predicates that
    /// the reduction does not preserve are left out.
    predicates: Vec<(usize, Predicate)>,
}

impl StructureNet<'_> {
    /// Returns the indices of the predicates that satisfy a condition.
    fn indices_where(&self, mut is_so: impl FnMut(&Predicate) -> bool) -> Vec<usize> {
        self.predicates
            .iter()
            .filter(|(_, wanted)| is_so(wanted))
            .map(|(index, _)| *index)
            .collect()
    }
}

/// Checks an argument about the whole net, and discharges the obligations that it shows. `searched`
/// is true if the answer also relies on a search. Then an argument that visits too many markings to
/// repeat is skipped.
pub(super) fn check_structure<'n>(
    context: &mut AuditContext<'n>,
    obligations: &mut AnswerObligations<'n>,
    id: &str,
    searched: bool,
) -> Result<(), String> {
    let (structure, on) = read(&mut context.lines, id)?;
    let Some(home) = &mut obligations.home else {
        return Err("the question is not about home properties".to_owned());
    };
    let (on, lines) = (on.as_deref(), &context.lines);
    // A predicate that cannot be translated to the net of the reduction is not covered.
    let translate = |(index, wanted)| Some((index, lines.translate_home(wanted, on)?));
    let predicates = (0..).zip(&home.predicates).filter_map(translate).collect();
    let subject = StructureNet { net: lines.net_of(on)?, is_original: on.is_none(), predicates };
    let is_too_large = |markings: &u64| searched && *markings > context.max_markings;
    let StructureConclusion {
        staying_predicates: stay,
        lost_predicates: lost,
        is_reversible: undone,
        checked,
    } = match &structure {
        HomeArgument::Visited(markings) if is_too_large(markings) => StructureConclusion::default(),
        structure => conclusion(context, &subject, structure)?,
    };
    if let HomeArgument::Lost { after, .. } = &structure
        && subject.is_original
        && context.breach.is_none()
    {
        let breach = first_breach(context.net, &sequence(after), u64::MAX);
        context.breach = breach.map(|how| format!("on the firing sequence to the loss, {how}"));
    }
    stay.into_iter().for_each(|index| home.stays_reachable[index] = true);
    home.mark_lost(lost);
    home.is_reversible |= undone;
    if !checked.is_empty() && !home.checked.contains(&checked) {
        home.checked.push(checked);
    }
    Ok(())
}

/// Checks an argument and returns its conclusion.
fn conclusion(
    context: &AuditContext<'_>,
    subject: &StructureNet<'_>,
    structure: &HomeArgument,
) -> Result<StructureConclusion, String> {
    let goes_on = &mut || context.watch.goes_on();
    let net = subject.net;
    Ok(match structure {
        HomeArgument::Finitely(weights) => {
            let finite = find_finite_firings(net, weights).map_err(|flaw| flaw.to_string())?;
            let is_lost = |wanted: &_| finite.check(wanted).is_ok();
            StructureConclusion {
                lost_predicates: subject.indices_where(is_lost),
                ..StructureConclusion::default()
            }
        }
        HomeArgument::Commoner { traps, refutation } => {
            check_commoner(net, traps, refutation, goes_on).map_err(|flaw| flaw.to_string())?;
            let stay = subject.indices_where(asks_for_liveness);
            StructureConclusion {
                staying_predicates: stay,
                checked: "siphons and traps checked",
                ..StructureConclusion::default()
            }
        }
        HomeArgument::Closed { traps, refutation } => {
            let (mut stay, mut flaw) = (Vec::new(), None);
            for (index, wanted) in &subject.predicates {
                match check_closed(net, wanted, traps, refutation, goes_on) {
                    Ok(()) => stay.push(*index),
                    Err(it) => flaw = Some(it.to_string()),
                }
            }
            // The argument need not cover all predicates of the answer, but at least one.
            if let Some(flaw) = flaw.filter(|_| stay.is_empty()) {
                return Err(flaw);
            }
            let checked = "siphons and traps of the closed net checked";
            StructureConclusion {
                staying_predicates: stay,
                checked,
                ..StructureConclusion::default()
            }
        }
        // Reductions do not preserve that firings can be undone.
        HomeArgument::Undone(_) if !subject.is_original => {
            return Err(
                "an argument that firings are undone must be about the original net".to_owned()
            );
        }
        HomeArgument::Undone(steps) => {
            check_undone(net, steps, goes_on).map_err(|flaw| flaw.to_string())?;
            let checked = "every firing can be undone";
            StructureConclusion { is_reversible: true, checked, ..StructureConclusion::default() }
        }
        HomeArgument::Returning(ways) => {
            if let ReturnWay::Downhill { document, .. } = &ways.way {
                context.refuse_large_document(document)?;
            }
            let predicates: Vec<&Predicate> =
                subject.predicates.iter().map(|(_, wanted)| wanted).collect();
            let kept = check_returning(net, ways, &predicates, goes_on)
                .map_err(|flaw| flaw.to_string())?;
            let mut kept = kept.into_iter();
            // The results are in the order in which `indices_where` visits the predicates.
            let stay = subject.indices_where(|_| kept.next() == Some(true));
            let checked = "firing sequences back from all markings checked";
            StructureConclusion {
                staying_predicates: stay,
                checked,
                ..StructureConclusion::default()
            }
        }
        HomeArgument::Lost { after, document } => lost_after(context, subject, after, document)?,
        HomeArgument::Visited(markings) => {
            context.refuse_many_markings(*markings)?;
            let predicates: Vec<Predicate> =
                subject.predicates.iter().map(|(_, wanted)| wanted.clone()).collect();
            let results = find_staying(net, *markings, &predicates, goes_on)
                .map_err(|flaw| flaw.to_string())?;
            // The results are in the order in which `indices_where` visits the predicates.
            let with_result = |stays: bool| {
                let mut results = results.iter();
                subject.indices_where(|_| results.next() == Some(&Some(stays)))
            };
            let checked = match subject.is_original {
                false => "all markings of the reduced net visited again",
                true => "all markings visited again",
            };
            StructureConclusion {
                staying_predicates: with_result(true),
                lost_predicates: with_result(false),
                checked,
                ..StructureConclusion::default()
            }
        }
    })
}

/// Checks a document about the net after a firing sequence, and returns the predicates that the
/// document refutes in this net. These do not stay reachable.
///
/// # Errors
/// When the sequence or the document is wrong, or the document refutes no predicate. Also when the
/// document assumes safe units or requires too many markings to be visited, or the audit is
/// stopped.
fn lost_after(
    context: &AuditContext<'_>,
    subject: &StructureNet<'_>,
    after: &[(TransitionId, u64)],
    document: &Document,
) -> Result<StructureConclusion, String> {
    if document.assumes_units() {
        return Err("the document assumes safe units".to_owned());
    }
    context.refuse_large_document(document)?;
    let goes_on = &mut || context.watch.goes_on();
    // The document is checked once for all predicates: its set of markings may be large, and there
    // may be many predicates.
    let net_after = net_after(subject.net, &sequence(after)).map_err(|error| error.to_string())?;
    let checked = document.check(&net_after, goes_on).map_err(|flaw| flaw.to_string())?;
    let lost = subject.indices_where(|wanted| {
        checked.refutes_in_any_shape(wanted, &mut || context.watch.goes_on()).is_ok()
    });
    if lost.is_empty() {
        return Err("no goal of the question becomes unreachable there".to_owned());
    }
    let checked = "the markings after a sequence checked";
    Ok(StructureConclusion { lost_predicates: lost, checked, ..StructureConclusion::default() })
}

/// Reads an argument about the whole net, and the id of its reduction, which is replayed first.
fn read(lines: &mut EvidenceLines<'_>, id: &str) -> Result<(HomeArgument, Option<String>), String> {
    let StructureLine { on, structure } = lines.read(id)?;
    if let Some(on) = &on {
        lines.replay_reduction(on)?;
    }
    let structure = structure.resolve(lines.net_of(on.as_deref())?);
    Ok((structure.map_err(|flaw| flaw.to_string())?, on))
}
