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
use crate::{begun_after, first_breach};
use parikh_net::Predicate;

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
    let net = shelf.net_of(on)?;
    // What the net of a reduction does not express, it says nothing of.
    let (at, wanted): (Vec<usize>, Vec<Predicate>) = (0..)
        .zip(&home.wanted)
        .filter_map(|(at, wanted)| Some((at, shelf.translate_home(wanted, on)?)))
        .unzip();
    let watch = desk.watch.clone();
    let goes_on = &mut || watch.goes_on();
    let checked = match &structure {
        Structure::Finitely(weights) => {
            if let Ok(finite) = firing_finitely(net, weights) {
                let is_lost = |(_, wanted): &(usize, &Predicate)| finite.check(wanted).is_ok();
                let lost = at.into_iter().zip(&wanted).filter(is_lost);
                home.lose(lost.map(|(at, _)| at));
            }
            ""
        }
        Structure::Commoner { traps, refutation } => {
            check_commoner(net, traps, refutation, goes_on).map_err(|flaw| flaw.to_string())?;
            for (at, wanted) in at.into_iter().zip(&wanted) {
                home.stays[at] |= asks_for_liveness(wanted);
            }
            "siphons and traps checked"
        }
        Structure::Closed { traps, refutation } => {
            // Of several things that are asked, it is about those that it shows.
            let mut flaw = None;
            for (&at, wanted) in at.iter().zip(&wanted) {
                match check_closed(net, wanted, traps, refutation, goes_on) {
                    Ok(()) => home.stays[at] = true,
                    Err(it) => flaw = Some(it.to_string()),
                }
            }
            if let Some(flaw) = flaw.filter(|_| !at.iter().any(|&at| home.stays[at])) {
                return Err(flaw);
            }
            "siphons and traps of the closed net checked"
        }
        // What reductions keep of what can be reached is another matter.
        Structure::Undone(_) if on.is_some() => {
            return Err("that firings are undone is to be said of the net itself".to_owned());
        }
        Structure::Undone(steps) => {
            check_undone(net, steps, goes_on).map_err(|flaw| flaw.to_string())?;
            home.undone = true;
            "every firing can be undone"
        }
        Structure::Returning(ways) => {
            if let Way::Downhill { document, .. } = &ways.way {
                desk.refuse_large(document)?;
            }
            let asked: Vec<&Predicate> = wanted.iter().collect();
            let kept = check_returning(net, ways, &asked, goes_on);
            for (at, kept) in at.into_iter().zip(kept.map_err(|flaw| flaw.to_string())?) {
                home.stays[at] |= kept;
            }
            "ways back from everywhere checked"
        }
        Structure::Lost { after, document } => {
            let after = sequence(after);
            if document.assumes_units() {
                return Err("the document assumes safe units".to_owned());
            }
            desk.refuse_large(document)?;
            // Once for all that is asked: the set may be large, and the transitions many.
            let there = begun_after(net, &after).map_err(|error| error.to_string())?;
            let checked = document.check(&there, goes_on).map_err(|flaw| flaw.to_string())?;
            let refuted = |(_, wanted): &(usize, &Predicate)| {
                checked.refutes(wanted, &mut || watch.goes_on()).is_ok()
            };
            let lost = at.into_iter().zip(&wanted).filter(refuted);
            if !home.lose(lost.map(|(at, _)| at)) {
                return Err("nothing that is asked is lost there".to_owned());
            }
            if on.is_none() && desk.breach.is_none() {
                let breach = first_breach(net, &after, u64::MAX);
                desk.breach = breach.map(|how| format!("on the way to what is lost, {how}"));
            }
            "what comes after a sequence checked"
        }
        Structure::Visited(markings) if searched && *markings > desk.most_visited => "",
        Structure::Visited(markings) => {
            desk.refuse_more(*markings)?;
            let told = which_stay(net, *markings, &wanted, goes_on);
            for (at, stays) in at.into_iter().zip(told.map_err(|flaw| flaw.to_string())?) {
                home.stays[at] |= stays == Some(true);
                home.lost[at] |= stays == Some(false);
            }
            match on {
                Some(_) => "all markings of the reduced net visited again",
                None => "all markings visited again",
            }
        }
    };
    if !checked.is_empty() && !home.checked.contains(&checked) {
        home.checked.push(checked);
    }
    Ok(())
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
