//! One answer against its evidence.

use super::each::{caps, search_each};
use super::figures;
use super::homes::HomeAccount;
use super::shelf::{Shelf, Subject};
use super::sightings::Sightings;
use super::{Verdict, Watch};
use crate::certificate::markings::visit_capped;
use crate::file::{Answer, Searched, Shown};
use crate::question::obligation::Obligation;
use crate::question::{Question, Value};
use crate::reader::Unreadable;
use crate::{Flaw, check_pumping, first_breach, words};
use parikh_net::printable::Quoted;
use parikh_net::{LinearSum, Net, Predicate};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Questions by their ids; of some it is only known why they are none of ours.
pub(super) type Questions = HashMap<String, Result<Question, Unreadable>>;

/// What one file is judged by.
pub(super) struct Judge<'n> {
    pub(super) net: &'n Net,
    pub(super) shelf: Shelf<'n>,
    pub(super) asked: Questions,
    pub(super) most_visited: u64,
    /// How a trace broke the model's claim that its units are safe.
    pub(super) breach: Option<String>,
    pub(super) watch: Watch,
}

/// What is left to show for an answer.
pub(super) struct Account<'n> {
    /// The markings to be seen.
    sightings: Sightings<'n>,
    /// What no reachable marking may satisfy, and whether that is proved.
    pub(super) refuted: Vec<(Predicate, bool)>,
    /// What is to be refuted as it reads on the nets met so far.
    translated: HashMap<Option<String>, Vec<Option<Predicate>>>,
    /// The sums that have to grow, and whether they do.
    sums: Vec<(LinearSum, bool)>,
    pub(super) home: Option<HomeAccount>,
    all: bool,
    pub(super) assumes_units: bool,
    /// What kept a document from telling whether something follows.
    untold: Option<String>,
}

impl<'n> Judge<'n> {
    pub(super) fn new(
        net: &'n Net,
        shelf: Shelf<'n>,
        asked: Questions,
        most_visited: u64,
        watch: Watch,
    ) -> Self {
        Judge { net, shelf, asked, most_visited, breach: None, watch }
    }

    /// The question of this id in words, where it is not the examination that says it.
    pub(super) fn question(&self, id: &str) -> String {
        match self.asked.get(id) {
            Some(Ok(asked)) => asked.in_words(self.net).map_or_else(String::new, words::shortened),
            _ => String::new(),
        }
    }

    /// The verdict on an answer, and whether it assumes that the units are safe.
    pub(super) fn judge(&mut self, answer: &Answer) -> (Verdict, bool) {
        let asked = match self.asked.get(&answer.id) {
            None => return (Verdict::Refused("there is no such question".to_owned()), false),
            Some(Err(error)) => {
                return (Verdict::Beyond(format!("the query file, {error}")), false);
            }
            Some(Ok(asked)) => asked,
        };
        if let Some(verdict) =
            figures::judge(self.net, &mut self.shelf, asked, answer, self.most_visited, &self.watch)
        {
            return (verdict, false);
        }
        let obligation = match Value::read(&answer.value) {
            None => Err(format!("{} is no value of an answer", Quoted(&answer.value))),
            Some(value) => asked.obligation(self.net, value),
        };
        let mut account = match obligation {
            Ok(obligation) => Account::of(self.net, obligation),
            Err(why) => return (Verdict::Refused(why), false),
        };
        let initially = account.is_settled();
        if let Err(why) = self.look_at(&mut account, answer) {
            return (Verdict::Refused(why), account.assumes_units);
        }
        let assumes = account.assumes_units;
        if assumes && !answer.assumes.iter().any(|assumed| assumed == "units") {
            let why = "the evidence assumes that the model's units are safe, and the answer does \
                       not say so";
            return (Verdict::Refused(why.to_owned()), true);
        }
        let verdict = match (account.is_settled(), &answer.searched) {
            (true, _) if initially => Verdict::Confirmed("the initial marking shows it".to_owned()),
            (true, _) => Verdict::Confirmed(account.how()),
            (false, Some(searched)) if account.home.is_some() => {
                self.search_home(&mut account, searched)
            }
            (false, Some(searched)) if account.is_for_a_search() => {
                self.search_again(&mut account, searched)
            }
            (false, _) => Verdict::Refused(account.missing(self.net)),
        };
        (verdict, assumes || answer.assumes.iter().any(|assumed| assumed == "units"))
    }

    /// Strikes off what the listed evidence shows. Evidence that fails is an error even where the rest
    /// would do: nobody lists it for nothing.
    fn look_at(&mut self, account: &mut Account<'n>, answer: &Answer) -> Result<(), String> {
        let (shown_by, searched) = (&answer.shown_by, answer.searched.is_some());
        // A trace is fired once, however many goals it shows.
        let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
        for shown in shown_by {
            if let Shown::Trace { trace, after } = shown {
                traces.entry(trace).or_default().push(*after);
            }
        }
        for (id, stops) in traces {
            self.fire(account, stops, id).map_err(|why| format!("trace {}: {why}", Quoted(id)))?;
        }
        // What is listed twice shows no more than once.
        let mut looked_at = HashSet::new();
        for shown in shown_by.iter().filter(|shown| looked_at.insert(*shown)) {
            match shown {
                Shown::Trace { .. } => {}
                Shown::Loops { loops: id } => {
                    self.go_round(account, id)
                        .map_err(|why| format!("loops {}: {why}", Quoted(id)))?;
                }
                Shown::Pump { pump: id } => {
                    self.pump(account, id).map_err(|why| format!("pump {}: {why}", Quoted(id)))?;
                }
                Shown::Document { document: id } => {
                    self.read(account, id)
                        .map_err(|why| format!("document {}: {why}", Quoted(id)))?;
                }
                Shown::Count { count: id } => {
                    return Err(format!("count {}: nothing is to be counted", Quoted(id)));
                }
                Shown::Structure { structure: id } => {
                    self.weigh(account, id, searched)
                        .map_err(|why| format!("structure {}: {why}", Quoted(id)))?;
                }
            }
        }
        Ok(())
    }

    /// Fires a trace and looks at it after so many firings each, or all along it.
    fn fire(
        &mut self,
        account: &mut Account<'n>,
        looks: Vec<Option<u64>>,
        id: &str,
    ) -> Result<(), String> {
        let sequence = self.shelf.trace(id)?;
        let to_the_end = looks.contains(&None);
        let mut stops: Vec<u64> = looks.into_iter().flatten().collect();
        stops.sort_unstable();
        let goes_on = &mut || self.watch.goes_on();
        account.sightings.along(&sequence, &stops, to_the_end, goes_on)?;
        if self.breach.is_none() {
            let last = stops.last().copied().filter(|_| !to_the_end);
            let breach = first_breach(self.net, &sequence, last.unwrap_or(u64::MAX));
            self.breach = breach.map(|how| format!("along trace {}, {how}", Quoted(id)));
        }
        Ok(())
    }

    /// Fires a run with loops and looks at it all along, in the first rounds of its blocks.
    fn go_round(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        if self.net.safe_units().is_some() {
            return Err("it would have to be held against the claim that units are safe".to_owned());
        }
        let run = self.shelf.loops(id)?;
        let goes_on = &mut || self.watch.goes_on();
        account.sightings.along_loops(&run, goes_on).map_err(|error| error.to_string())
    }

    fn pump(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        let pumping = self.shelf.pump(id)?;
        let growth = check_pumping(self.net, &pumping).map_err(|error| error.to_string())?;
        for (sum, grows) in &mut account.sums {
            *grows |= growth.grows(sum);
        }
        if self.breach.is_none() && self.net.safe_units().is_some() {
            let grows = growth.places().next().is_some();
            self.breach =
                grows.then(|| format!("pump {} puts ever more tokens on a place", Quoted(id)));
        }
        Ok(())
    }

    /// Strikes off what a document refutes.
    fn read(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        let (document, subject) = self.shelf.document(id)?;
        let on = match subject {
            Subject::Net(on) => on,
            Subject::After(trace) => return self.read_after(account, &document, &trace),
        };
        let net = self.shelf.net_of(on.as_deref())?;
        let goes_on = &mut || self.watch.goes_on();
        self.refuse_large(&document)?;
        let checked = document.check(net, goes_on).map_err(|flaw| flaw.to_string())?;
        let Account { refuted, translated, .. } = account;
        let here = translated.entry(on.clone()).or_insert_with(|| {
            let translate = |(predicate, _): &_| self.shelf.translate(predicate, on.as_deref());
            refuted.iter().map(translate).collect()
        });
        let open = here.iter().zip(refuted).filter(|(_, (_, done))| !done);
        for (predicate, (_, done)) in open {
            let Some(predicate) = predicate else { continue };
            if !goes_on() {
                return Err(Flaw::Stopped.to_string());
            }
            match checked.refutes(predicate, goes_on) {
                Ok(()) => *done = true,
                Err(Flaw::DoesNotFollow) => {}
                Err(flaw) => account.untold = Some(format!("document {}: {flaw}", Quoted(id))),
            }
            account.assumes_units |= *done && document.assumes_units();
        }
        Ok(())
    }

    /// Makes a search again that is said to have shown the rest: of the original net, and leaving out
    /// nothing. The other one may have left out what cannot matter, or have searched a smaller net; how
    /// many markings it saw only tells whether it is worth while to try.
    pub(super) fn search_again(&self, account: &mut Account<'n>, searched: &Searched) -> Verdict {
        let (net, most) = (self.net, self.most_visited);
        let unvisited = |reachable: &str| {
            let stubborn = if searched.stubborn { " that matter" } else { "" };
            let visited = searched.markings;
            Verdict::Searched(format!("{visited} markings{stubborn} were visited; {reachable}"))
        };
        if searched.markings > most {
            return unvisited("more than are visited again");
        }
        let Account { refuted, sightings, all, .. } = account;
        // Where one thing is enough, a marking that is seen on the way may be it.
        let is_enough = !*all && sightings.open() > 0;
        let seen_before = sightings.seen();
        let open = refuted.iter_mut().filter(|(_, done)| !*done);
        let mut left: Vec<&mut (Predicate, bool)> = open.collect();
        // What a marking satisfies is gone; an answer that needs one of several may still stand.
        let mut satisfied = None;
        let caps = if is_enough { Vec::new() } else { caps(net, left.iter().map(|(it, _)| it)) };
        let found = visit_capped(net, &caps, most, |marking| {
            left.retain(|(predicate, _)| {
                let holds = predicate.holds(net, marking);
                if holds {
                    satisfied = Some(in_words(net, predicate));
                }
                !holds
            });
            if is_enough {
                sightings.look_anywhere(marking);
            }
            let may_tell = !left.is_empty() && (satisfied.is_none() || !*all);
            self.watch.goes_on() && (may_tell || is_enough && sightings.seen() == seen_before)
        });
        if sightings.seen() > seen_before {
            return Verdict::Confirmed(
                "markings were visited again until one showed it".to_owned(),
            );
        }
        if left.is_empty() && is_enough && found.is_ok() {
            return Verdict::Refused("visited again: nothing of it is shown".to_owned());
        }
        match (found, satisfied) {
            (Ok(visited), _) => {
                let count = visited.count();
                left.into_iter().for_each(|(_, done)| *done = true);
                Verdict::Confirmed(format!("all {count} markings were visited again"))
            }
            (Err(Flaw::Stopped), Some(what)) => {
                Verdict::Refused(format!("visited again: it is not true that {what}"))
            }
            (Err(Flaw::More(_)), _) if !*all && !is_enough && caps.iter().any(Option::is_some) => {
                search_each(net, account, most, &self.watch, unvisited)
            }
            (Err(Flaw::More(most)), _) => unvisited(&format!("more than {most} are reachable")),
            (Err(flaw), _) => Verdict::Refused(format!("visited again: {flaw}")),
        }
    }
}

impl<'n> Account<'n> {
    /// What the initial marking shows, and what no marking satisfies, is struck off at once.
    fn of(net: &'n Net, obligation: Obligation) -> Self {
        let Obligation { reach, refute, grow, home, all } = obligation;
        let home = home.map(HomeAccount::of);
        let refuted = refute.into_iter().map(|predicate| {
            let obvious = predicate == Predicate::False;
            (predicate, obvious)
        });
        Account {
            sightings: Sightings::new(net, reach),
            refuted: refuted.collect(),
            translated: HashMap::new(),
            sums: grow.into_iter().map(|sum| (sum, false)).collect(),
            home,
            all,
            assumes_units: false,
            untold: None,
        }
    }

    fn proved(&self) -> usize {
        self.refuted.iter().filter(|(_, done)| *done).count()
    }

    fn grown(&self) -> usize {
        self.sums.iter().filter(|(_, grows)| *grows).count()
    }

    /// How much is not shown.
    fn open(&self) -> usize {
        let (proved, grown) = (self.proved(), self.grown());
        self.sightings.open() + self.refuted.len() - proved + self.sums.len() - grown
    }

    pub(super) fn is_settled(&self) -> bool {
        if let Some(home) = &self.home {
            return match home.asked.kept {
                true => self.all_stays(home) && (!self.all || self.open() == 0),
                false => home.lost || self.sightings.seen() + self.proved() > 0,
            };
        }
        match self.all {
            true => self.open() == 0,
            false => self.sightings.seen() + self.proved() + self.grown() > 0,
        }
    }

    /// Whether all that is to stay reachable does: what was reached does where every firing can be undone.
    fn all_stays(&self, home: &HomeAccount) -> bool {
        let seen = |at, wanted| home.undone && self.sightings.has_seen(at, wanted);
        let mut all = home.stays.iter().zip(&home.asked.wanted).enumerate();
        all.all(|(at, (stays, wanted))| *stays || seen(at, wanted))
    }

    /// Whether nothing is left that an exhaustive search could not show.
    pub(super) fn is_for_a_search(&self) -> bool {
        !self.refuted.is_empty()
            && self.grown() == self.sums.len()
            && (!self.all || self.sightings.open() == 0)
    }

    fn how(&self) -> String {
        let seen = self.sightings.seen();
        let counts = [(seen, "marking", "shown"), (self.proved(), "claim", "proved")];
        let mut parts: Vec<String> = counts
            .iter()
            .filter(|(number, ..)| *number > 0)
            .map(|(number, what, done)| {
                format!("{number} {what}{} {done}", if *number == 1 { "" } else { "s" })
            })
            .collect();
        if self.grown() > 0 {
            parts.push("the sum grows for ever".to_owned());
        }
        if let Some(home) = &self.home {
            parts.extend(home.checked.iter().map(|checked| (*checked).to_owned()));
            if home.lost {
                parts.push("it is lost".to_owned());
            }
        }
        parts.join(", ")
    }

    /// What is missing, as far as it can be said in a line.
    pub(super) fn missing(&self, net: &Net) -> String {
        let kept = |home: &HomeAccount| home.asked.kept && self.all_stays(home);
        if let Some(home) = self.home.as_ref().filter(|home| !(self.all && kept(home))) {
            return match home.asked.kept {
                true => "not shown: that all of it stays reachable".to_owned(),
                false => "not shown: that something of it is lost".to_owned(),
            };
        }
        let unproved = self.refuted.iter().find(|(_, done)| !done);
        let what = match (self.sightings.missing(), unproved) {
            (Some(goal), _) => {
                words::shortened(format!("a reachable marking with {}", words::formula(net, goal)))
            }
            (None, Some((predicate, _))) => format!("a proof that {}", in_words(net, predicate)),
            (None, None) if self.sums.is_empty() => "the net has nothing that could show it".into(),
            (None, None) => "a pump that makes the sum grow".into(),
        };
        let untold = self.untold.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        match (self.open(), self.all) {
            (0 | 1, _) => format!("not shown: {what}{untold}"),
            (open, true) => format!("not shown: {what} (and {} more){untold}", open - 1),
            (open, false) => format!("not shown: {what} (or one of {} others){untold}", open - 1),
        }
    }
}

pub(super) fn in_words(net: &Net, refuted: &Predicate) -> String {
    words::shortened(format!("no reachable marking has {}", words::formula(net, refuted)))
}
