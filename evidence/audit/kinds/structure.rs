//! Structures: arguments about what stays reachable wherever the net goes.

use crate::audit::account::Account;
use crate::audit::desk::Desk;
use crate::audit::shelf::Shelf;
use crate::file::AboutAll;
use crate::home::Structure;
use crate::home::commoner::{check_closed, check_commoner};
use crate::home::finitely::firing_finitely;
use crate::home::liveness::asks_for_liveness;
use crate::home::returning::{Way, check_returning, sequence};
use crate::home::stays::which_stay;
use crate::home::undone::check_undone;
use crate::{Document, begun_after, first_breach};
use parikh_net::{Net, Predicate, TransitionId};

/// What an argument shows, each part of what is asked by its number in the account.
#[derive(Default)]
struct Conclusion {
    stay: Vec<usize>,
    lost: Vec<usize>,
    /// Every firing can be undone.
    undone: bool,
    /// What was checked, in words; nothing where it is not worth a word.
    checked: &'static str,
}

/// What is asked, as it reads on the net of an argument, and that net.
struct Subject<'s> {
    net: &'s Net,
    /// Whether that is the net that was read.
    is_original: bool,
    asked: Vec<(usize, Predicate)>,
}

impl Subject<'_> {
    /// Those of which this is true.
    fn those(&self, mut is_so: impl FnMut(&Predicate) -> bool) -> Vec<usize> {
        self.asked.iter().filter(|(_, wanted)| is_so(wanted)).map(|(at, _)| *at).collect()
    }
}

/// Takes note of what an argument about a net as a whole shows. `searched` is whether the
/// answer is said to rest on a search, which may be too large to be made again.
pub(super) fn weigh<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    id: &str,
    searched: bool,
) -> Result<(), String> {
    let (structure, on) = read(&mut desk.shelf, id)?;
    let Some(home) = &mut account.home else {
        return Err("it is not asked what stays reachable".to_owned());
    };
    let (on, shelf) = (on.as_deref(), &desk.shelf);
    // What the net of a reduction does not express, it says nothing of.
    let here = |(at, wanted)| Some((at, shelf.translate_home(wanted, on)?));
    let asked = (0..).zip(&home.wanted).filter_map(here).collect();
    let subject = Subject { net: shelf.net_of(on)?, is_original: on.is_none(), asked };
    let is_too_large = |markings: &u64| searched && *markings > desk.most_visited;
    let Conclusion { stay, lost, undone, checked } = match &structure {
        Structure::Visited(markings) if is_too_large(markings) => Conclusion::default(),
        structure => conclusion(desk, &subject, structure)?,
    };
    if let Structure::Lost { after, .. } = &structure
        && subject.is_original
        && desk.breach.is_none()
    {
        let breach = first_breach(desk.net, &sequence(after), u64::MAX);
        desk.breach = breach.map(|how| format!("on the way to what is lost, {how}"));
    }
    stay.into_iter().for_each(|at| home.stays[at] = true);
    home.lose(lost);
    home.undone |= undone;
    if !checked.is_empty() && !home.checked.contains(&checked) {
        home.checked.push(checked);
    }
    Ok(())
}

/// Checks an argument.
fn conclusion(
    desk: &Desk<'_>,
    subject: &Subject<'_>,
    structure: &Structure,
) -> Result<Conclusion, String> {
    let goes_on = &mut || desk.watch.goes_on();
    let net = subject.net;
    Ok(match structure {
        Structure::Finitely(weights) => {
            let finite = firing_finitely(net, weights).ok();
            let is_lost = |wanted: &_| finite.as_ref().is_some_and(|it| it.check(wanted).is_ok());
            Conclusion { lost: subject.those(is_lost), ..Conclusion::default() }
        }
        Structure::Commoner { traps, refutation } => {
            check_commoner(net, traps, refutation, goes_on).map_err(|flaw| flaw.to_string())?;
            let stay = subject.those(asks_for_liveness);
            Conclusion { stay, checked: "siphons and traps checked", ..Conclusion::default() }
        }
        Structure::Closed { traps, refutation } => {
            let (mut stay, mut flaw) = (Vec::new(), None);
            for (at, wanted) in &subject.asked {
                match check_closed(net, wanted, traps, refutation, goes_on) {
                    Ok(()) => stay.push(*at),
                    Err(it) => flaw = Some(it.to_string()),
                }
            }
            // Of several things that are asked, it is about those that it shows.
            if let Some(flaw) = flaw.filter(|_| stay.is_empty()) {
                return Err(flaw);
            }
            let checked = "siphons and traps of the closed net checked";
            Conclusion { stay, checked, ..Conclusion::default() }
        }
        // What reductions keep of what can be reached is another matter.
        Structure::Undone(_) if !subject.is_original => {
            return Err("that firings are undone is to be said of the net itself".to_owned());
        }
        Structure::Undone(steps) => {
            check_undone(net, steps, goes_on).map_err(|flaw| flaw.to_string())?;
            let checked = "every firing can be undone";
            Conclusion { undone: true, checked, ..Conclusion::default() }
        }
        Structure::Returning(ways) => {
            if let Way::Downhill { document, .. } = &ways.way {
                desk.refuse_large(document)?;
            }
            let asked: Vec<&Predicate> = subject.asked.iter().map(|(_, wanted)| wanted).collect();
            let kept =
                check_returning(net, ways, &asked, goes_on).map_err(|flaw| flaw.to_string())?;
            let mut kept = kept.into_iter();
            let stay = subject.those(|_| kept.next() == Some(true));
            let checked = "ways back from everywhere checked";
            Conclusion { stay, checked, ..Conclusion::default() }
        }
        Structure::Lost { after, document } => lost_after(desk, subject, after, document)?,
        Structure::Visited(markings) => {
            desk.refuse_more(*markings)?;
            let asked: Vec<Predicate> =
                subject.asked.iter().map(|(_, wanted)| wanted.clone()).collect();
            let told =
                which_stay(net, *markings, &asked, goes_on).map_err(|flaw| flaw.to_string())?;
            let those = |stays: bool| {
                let mut told = told.iter();
                subject.those(|_| told.next() == Some(&Some(stays)))
            };
            let checked = match subject.is_original {
                false => "all markings of the reduced net visited again",
                true => "all markings visited again",
            };
            Conclusion { stay: those(true), lost: those(false), checked, ..Conclusion::default() }
        }
    })
}

/// Checks a document about the net begun at the end of a sequence.
fn lost_after(
    desk: &Desk<'_>,
    subject: &Subject<'_>,
    after: &[(TransitionId, u64)],
    document: &Document,
) -> Result<Conclusion, String> {
    if document.assumes_units() {
        return Err("the document assumes safe units".to_owned());
    }
    desk.refuse_large(document)?;
    let goes_on = &mut || desk.watch.goes_on();
    // Once for all that is asked: the set may be large, and the transitions many.
    let there = begun_after(subject.net, &sequence(after)).map_err(|error| error.to_string())?;
    let checked = document.check(&there, goes_on).map_err(|flaw| flaw.to_string())?;
    let lost = subject
        .those(|wanted| checked.refutes_in_any_shape(wanted, &mut || desk.watch.goes_on()).is_ok());
    if lost.is_empty() {
        return Err("nothing that is asked is lost there".to_owned());
    }
    let checked = "what comes after a sequence checked";
    Ok(Conclusion { lost, checked, ..Conclusion::default() })
}

/// An argument about a net as a whole, and the reduction that made it. That was gone through.
fn read(shelf: &mut Shelf<'_>, id: &str) -> Result<(Structure, Option<String>), String> {
    let AboutAll { on, structure } = shelf.take(id)?;
    if let Some(on) = &on {
        shelf.reduce(on)?;
    }
    let structure = structure.resolve(shelf.net_of(on.as_deref())?);
    Ok((structure.map_err(|flaw| flaw.to_string())?, on))
}
