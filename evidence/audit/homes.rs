//! Evidence about what stays reachable wherever the net goes, for an answer.

use super::Verdict;
use super::judge::{Account, Judge};
use super::sightings::Sightings;
use crate::file::Searched;
use crate::home::Structure;
use crate::home::commoner::{check_closed, check_commoner};
use crate::home::finitely::firing_finitely;
use crate::home::liveness::asks_for_liveness;
use crate::home::returning::{Way, check_returning, sequence};
use crate::home::stays::which_stay;
use crate::home::undone::check_undone;
use crate::question::obligation::Home;
use crate::{Document, Flaw, begun_after, first_breach, words};
use parikh_net::Predicate;
use parikh_net::printable::Quoted;

/// So many markings are visited for a document, even where no search is made again.
const MARKINGS_OF_A_DOCUMENT: u64 = 1_000_000;

/// What is shown of what stays reachable.
pub(super) struct HomeAccount {
    /// What that is.
    pub(super) wanted: Vec<Predicate>,
    /// Which duty it is that each can be reached.
    pub(super) reach: Vec<Option<usize>>,
    /// Which of it is lost.
    pub(super) lost: Vec<bool>,
    /// Which of it stays reachable.
    pub(super) stays: Vec<bool>,
    /// Every firing can be undone.
    pub(super) undone: bool,
    /// What was checked, in words.
    pub(super) checked: Vec<&'static str>,
}

impl HomeAccount {
    pub(super) fn of(homes: Vec<Home>) -> Self {
        let none = vec![false; homes.len()];
        let (wanted, reach) = homes.into_iter().map(|home| (home.wanted, home.reach)).unzip();
        let (lost, stays) = (none.clone(), none);
        HomeAccount { wanted, reach, lost, stays, undone: false, checked: Vec::new() }
    }

    /// What another argument takes for granted, by its number: it may be shown as what is asked is.
    pub(super) fn premise(&mut self, wanted: &Predicate, sightings: &mut Sightings<'_>) -> usize {
        let same = |&at: &usize| self.wanted[at] == *wanted && self.reach[at].is_some();
        (0..self.wanted.len()).find(same).unwrap_or_else(|| {
            self.wanted.push(wanted.clone());
            self.reach.push(Some(sightings.add(wanted.clone())));
            self.lost.push(false);
            self.stays.push(false);
            self.wanted.len() - 1
        })
    }

    /// Takes note of those that are lost; whether there is one.
    fn lose(&mut self, lost: impl IntoIterator<Item = usize>) -> bool {
        let mut any = false;
        for at in lost {
            self.lost[at] = true;
            any = true;
        }
        any
    }
}

impl<'n> Judge<'n> {
    /// Takes note when a document about the net begun at the end of a trace refutes what was to
    /// stay reachable.
    pub(super) fn read_after(
        &mut self,
        account: &mut Account<'n>,
        document: &Document,
        trace: &str,
    ) -> Result<(), String> {
        let Some(home) = &mut account.home else {
            return Err("it is not asked what stays reachable".to_owned());
        };
        let sequence = self.shelf.trace(trace)?;
        let there = begun_after(self.net, &sequence).map_err(|error| error.to_string())?;
        if self.breach.is_none() {
            let breach = first_breach(self.net, &sequence, u64::MAX);
            self.breach = breach.map(|how| format!("along trace {}, {how}", Quoted(trace)));
        }
        self.refuse_large(document)?;
        let goes_on = &mut || self.watch.goes_on();
        let checked = document.check(&there, goes_on).map_err(|flaw| flaw.to_string())?;
        let refuted =
            |at: &usize| checked.refutes(&home.wanted[*at], &mut || self.watch.goes_on()).is_ok();
        let lost: Vec<usize> = (0..home.wanted.len()).filter(refuted).collect();
        if home.lose(lost) {
            account.assumes_units |= document.assumes_units();
        }
        Ok(())
    }

    /// Takes note of what an argument about a net as a whole shows. `searched` is whether the
    /// answer is said to rest on a search, which may be too large to be made again.
    pub(super) fn weigh(
        &mut self,
        account: &mut Account<'n>,
        id: &str,
        searched: bool,
    ) -> Result<(), String> {
        let (structure, on) = self.shelf.structure(id)?;
        let Some(home) = &mut account.home else {
            return Err("it is not asked what stays reachable".to_owned());
        };
        let (on, shelf) = (on.as_deref(), &self.shelf);
        let net = shelf.net_of(on)?;
        // What the net of a reduction does not express, it says nothing of.
        let (at, wanted): (Vec<usize>, Vec<Predicate>) = (0..)
            .zip(&home.wanted)
            .filter_map(|(at, wanted)| Some((at, shelf.translate_home(wanted, on)?)))
            .unzip();
        let watch = self.watch.clone();
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
                    self.refuse_large(document)?;
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
                self.refuse_large(document)?;
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
                if on.is_none() && self.breach.is_none() {
                    let breach = first_breach(net, &after, u64::MAX);
                    self.breach = breach.map(|how| format!("on the way to what is lost, {how}"));
                }
                "what comes after a sequence checked"
            }
            Structure::Visited(markings) if searched && *markings > self.most_visited => "",
            Structure::Visited(markings) => {
                self.refuse_more(*markings)?;
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

    /// Visits all markings to see what stays reachable.
    pub(super) fn search_home(&self, account: &mut Account<'n>, searched: &Searched) -> Verdict {
        let Some(home) = &mut account.home else {
            return Verdict::Refused(account.missing(self.net));
        };
        let visited = searched.markings;
        if visited > self.most_visited {
            let why = format!("{visited} markings were visited; more than are visited again");
            return Verdict::Searched(why);
        }
        let told =
            which_stay(self.net, self.most_visited, &home.wanted, &mut || self.watch.goes_on());
        let told = match told {
            Ok(told) => told,
            Err(Flaw::More(most)) => return too_many(visited, most),
            Err(flaw) => return Verdict::Refused(format!("visited again: {flaw}")),
        };
        for (at, stays) in told.iter().enumerate() {
            home.stays[at] |= *stays == Some(true);
            home.lost[at] |= *stays == Some(false);
        }
        let is_open = |(stays, lost): (&bool, &bool)| !stays && !lost;
        let is_known = !home.stays.iter().zip(&home.lost).any(is_open);
        if account.is_settled() {
            return Verdict::Confirmed("all markings were visited again".to_owned());
        }
        if let Some(lost) = account.lost_and_wanted() {
            let lost = words::formula(self.net, lost);
            return Verdict::Refused(words::shortened(format!(
                "visited again: not for ever {lost}"
            )));
        }
        match () {
            () if !is_known => too_many(visited, self.most_visited),
            // Something else was asked beside it, may not be reached, or is and must not.
            () if account.is_for_a_search() => self.search_again(account, searched),
            () if account.wants_losses_only() => {
                Verdict::Refused("visited again: all of it stays reachable".to_owned())
            }
            () => Verdict::Refused(account.missing(self.net)),
        }
    }

    /// Refuses a document for which more markings would have to be visited than is allowed.
    pub(super) fn refuse_large(&self, document: &Document) -> Result<(), String> {
        match document {
            &Document::Markings(markings) => self.refuse_more(markings),
            _ => Ok(()),
        }
    }

    /// The same of a number of markings.
    pub(super) fn refuse_more(&self, markings: u64) -> Result<(), String> {
        let most = self.most_visited.max(MARKINGS_OF_A_DOCUMENT);
        match markings > most {
            true => {
                Err(format!("{markings} markings are to be visited; it may be {most} (--visit)"))
            }
            false => Ok(()),
        }
    }
}

fn too_many(visited: u64, most: u64) -> Verdict {
    Verdict::Searched(format!("{visited} markings were visited; more than {most} are reachable"))
}
