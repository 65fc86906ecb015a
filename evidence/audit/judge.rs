//! One answer against its evidence.

use super::figures;
use super::homes::HomeAccount;
use super::runs::{self, RunAccount};
use super::shelf::{Shelf, Subject};
use super::sightings::Sightings;
use super::trees::{self, TreeAccount};
use super::{Verdict, Watch};
use crate::file::{Answer, Shown};
use crate::question::obligation::{Need, Obligation};
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
    pub(super) sightings: Sightings<'n>,
    /// What no reachable marking may satisfy, and whether that is proved.
    pub(super) refuted: Vec<(Predicate, bool)>,
    /// What is to be refuted as it reads on the nets met so far.
    translated: HashMap<Option<String>, Vec<Option<Predicate>>>,
    /// The sums that have to grow, and whether they do.
    sums: Vec<(LinearSum, bool)>,
    pub(super) home: Option<HomeAccount>,
    /// The properties of runs.
    pub(super) runs: RunAccount,
    /// The properties of the tree of runs.
    pub(super) trees: TreeAccount,
    /// Which of all this it takes.
    need: Need,
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
            (false, Some(searched)) if !account.open_trees().is_empty() => {
                self.search_trees(&mut account, searched)
            }
            (false, Some(searched)) if !account.open_runs().is_empty() => {
                self.search_runs(&mut account, searched)
            }
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

    /// Strikes off what the listed evidence shows. Evidence that fails is an error even where the
    /// rest would do: nobody lists it for nothing.
    fn look_at(&mut self, account: &mut Account<'n>, answer: &Answer) -> Result<(), String> {
        let (shown_by, searched) = (&answer.shown_by, answer.searched.is_some());
        // What is listed twice shows no more than once.
        let mut looked_at = HashSet::new();
        // What such an argument rests on becomes a duty, which traces and documents may do.
        for shown in shown_by {
            match shown {
                Shown::NoRun { no_run: id } if looked_at.insert(shown) => {
                    self.weigh_runs(account, id)
                        .map_err(|why| format!("no_run {}: {why}", Quoted(id)))?;
                }
                Shown::Labelling { labelling: id } if looked_at.insert(shown) => {
                    self.weigh_tree(account, id)
                        .map_err(|why| format!("labelling {}: {why}", Quoted(id)))?;
                }
                _ => {}
            }
        }
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
        for shown in shown_by.iter().filter(|shown| looked_at.insert(*shown)) {
            match shown {
                Shown::Trace { .. } | Shown::NoRun { .. } | Shown::Labelling { .. } => {}
                Shown::Lasso { lasso: id } => {
                    self.follow(account, id)
                        .map_err(|why| format!("lasso {}: {why}", Quoted(id)))?;
                }
                Shown::Loops { loops: id } => {
                    self.go_round(account, id)
                        .map_err(|why| format!("loops {}: {why}", Quoted(id)))?;
                }
                Shown::Pump { pump: id } => {
                    self.pump(account, id).map_err(|why| format!("pump {}: {why}", Quoted(id)))?;
                }
                Shown::Visited { visited: id } => {
                    self.visit_runs(account, id)
                        .map_err(|why| format!("visited {}: {why}", Quoted(id)))?;
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

    /// Follows a run that never ends.
    fn follow(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        if account.runs.is_empty() {
            return Err("nothing is asked of runs".to_owned());
        }
        let run = self.shelf.lasso(id)?;
        account.runs.follow(self.net, &run, &self.watch)?;
        if self.breach.is_none() {
            let breach = runs::breach(self.net, &run);
            self.breach = breach.map(|how| format!("along lasso {}, {how}", Quoted(id)));
        }
        Ok(())
    }

    /// Checks an argument that no run has a property.
    fn weigh_runs(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        if account.runs.is_empty() {
            return Err("nothing is asked of runs".to_owned());
        }
        let (property, argument) = self.shelf.no_run(id)?;
        argument.documents.iter().try_for_each(|document| self.refuse_large(document))?;
        let Account { runs, refuted, assumes_units, .. } = account;
        runs.weigh(self.net, (&property, &argument), refuted, &self.watch)?;
        *assumes_units |= argument.assumes_units();
        Ok(())
    }

    /// Checks markings with what is true of them.
    fn weigh_tree(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        if account.trees.is_empty() {
            return Err("nothing is asked of the tree of runs".to_owned());
        }
        let labelling = self.shelf.labelling(id)?;
        let Account { trees, refuted, home, sightings, .. } = account;
        let mut homes = Vec::new();
        for wanted in &labelling.given.stays {
            let home = home.get_or_insert_with(|| HomeAccount::of(Vec::new()));
            homes.push(home.premise(wanted, sightings));
        }
        trees.weigh(self.net, (&labelling, homes), refuted, &self.watch)
    }

    /// Visits the markings along runs that may have the properties of which nothing is shown yet.
    fn visit_runs(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        if account.runs.is_empty() {
            return Err("nothing is asked of runs".to_owned());
        }
        let markings = self.shelf.visited(id)?;
        self.refuse_more(markings)?;
        let duties = account.open_runs();
        let visits = account.runs.visit(self.net, &duties, markings, &self.watch)?;
        match (visits.run, visits.left) {
            // Of several properties, it is about those that no run has.
            _ if visits.shown || duties.is_empty() => Ok(()),
            (Some(all), _) => Err(format!("some run is without {all}")),
            (None, left) => Err(left.unwrap_or_default()),
        }
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
}

impl<'n> Account<'n> {
    /// What the initial marking shows, and what no marking satisfies, is struck off at once.
    fn of(net: &'n Net, obligation: Obligation) -> Self {
        let Obligation { reach, refute, grow, homes, runs, trees, need } = obligation;
        let home = (!homes.is_empty()).then(|| HomeAccount::of(homes));
        // Where the initial marking is dead, no other is reachable.
        let alone = net.is_dead(net.initial());
        let refuted = refute.into_iter().map(|predicate| {
            let fails = alone && !predicate.holds(net, net.initial());
            let obvious = predicate == Predicate::False || fails;
            (predicate, obvious)
        });
        Account {
            sightings: Sightings::new(net, reach),
            refuted: refuted.collect(),
            translated: HashMap::new(),
            sums: grow.into_iter().map(|sum| (sum, false)).collect(),
            home,
            runs: RunAccount::of(runs),
            trees: TreeAccount::of(trees),
            need,
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

    /// Whether what is to stay reachable does.
    fn stays(&self, at: usize) -> bool {
        self.home.as_ref().is_some_and(|home| {
            // What was reached stays reachable where every firing can be undone.
            let reached = || home.reach[at].is_some_and(|at| self.sightings.has_seen(at));
            home.stays[at] || home.undone && reached()
        })
    }

    fn premises<'s>(&'s self, stays: &'s dyn Fn(usize) -> bool) -> trees::Shown<'s> {
        trees::Shown { claims: &self.refuted, stays }
    }

    /// Whether a duty is done.
    fn is_done(&self, duty: &Need) -> bool {
        match *duty {
            Need::Reach(at) => self.sightings.has_seen(at),
            Need::Refute(at) => self.refuted[at].1,
            Need::Grow(at) => self.sums[at].1,
            Need::Stays(at) => self.stays(at),
            Need::Lost(at) => self.home.as_ref().is_some_and(|home| home.lost[at]),
            Need::Run(_) | Need::NoRun(_) => self.runs.is_done(duty, &self.refuted),
            Need::Tree(at) => self.trees.is_done(at, self.premises(&|at| self.stays(at))),
            Need::All(_) | Need::One(_) => false,
        }
    }

    pub(super) fn is_settled(&self) -> bool {
        self.need.is_met(&|duty| self.is_done(duty))
    }

    /// Whether it would be settled if these duties were done, too.
    pub(super) fn may_be_met(&self, others: &dyn Fn(&Need) -> bool) -> bool {
        self.need.is_met(&|duty| self.is_done(duty) || others(duty))
    }

    /// Whether nothing is left that an exhaustive search could not show.
    pub(super) fn is_for_a_search(&self) -> bool {
        !self.refuted.is_empty() && self.may_be_met(&|duty| matches!(duty, Need::Refute(_)))
    }

    /// The properties that no run must have, as far as that is open and matters.
    pub(super) fn open_runs(&self) -> Vec<usize> {
        let open = self.need.open(&|duty| self.is_done(duty));
        let no_run = |duty: &&Need| if let Need::NoRun(at) = **duty { Some(at) } else { None };
        open.iter().filter_map(no_run).collect()
    }

    /// The properties that the tree of runs must have, as far as that is open and matters.
    pub(super) fn open_trees(&self) -> Vec<usize> {
        let open = self.need.open(&|duty| self.is_done(duty));
        let tree = |duty: &&Need| if let Need::Tree(at) = **duty { Some(at) } else { None };
        open.iter().filter_map(tree).collect()
    }

    /// Something that is lost and that it takes to stay reachable.
    pub(super) fn lost_and_wanted(&self) -> Option<&Predicate> {
        let home = self.home.as_ref()?;
        self.need.open(&|duty| self.is_done(duty)).into_iter().find_map(|duty| match *duty {
            Need::Stays(at) if home.lost[at] => Some(&home.wanted[at]),
            _ => None,
        })
    }

    /// Whether of what stays reachable, all that is left to be shown is that some of it is lost.
    pub(super) fn wants_losses_only(&self) -> bool {
        let open = self.need.open(&|duty| self.is_done(duty));
        open.iter().any(|duty| matches!(duty, Need::Lost(_)))
            && !open.iter().any(|duty| matches!(duty, Need::Stays(_)))
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
        parts.extend(self.runs.in_words(&self.refuted));
        parts.extend(self.trees.in_words(self.premises(&|at| self.stays(at))));
        if let Some(home) = &self.home {
            parts.extend(home.checked.iter().map(|checked| (*checked).to_owned()));
            if home.lost.contains(&true) {
                parts.push("it is lost".to_owned());
            }
        }
        parts.join(", ")
    }

    /// What is missing, as far as it can be said in a line.
    pub(super) fn missing(&self, net: &Net) -> String {
        let open = self.need.open(&|duty| self.is_done(duty));
        let what = match open.first() {
            Some(Need::Stays(_)) => return "not shown: that all of it stays reachable".to_owned(),
            Some(Need::Lost(_)) => return "not shown: that something of it is lost".to_owned(),
            Some(duty @ (Need::Run(_) | Need::NoRun(_))) => {
                self.runs.missing(net, duty, &self.refuted).unwrap_or_default()
            }
            Some(&&Need::Tree(at)) => {
                self.trees.missing(net, at, self.premises(&|at| self.stays(at)))
            }
            Some(&&Need::Reach(at)) => {
                let goal = words::formula(net, self.sightings.goal(at));
                words::shortened(format!("a reachable marking with {goal}"))
            }
            Some(&&Need::Refute(at)) => {
                format!("a proof that {}", in_words(net, &self.refuted[at].0))
            }
            Some(Need::Grow(_)) => "a pump that makes the sum grow".into(),
            Some(Need::All(_) | Need::One(_)) | None => {
                "the net has nothing that could show it".into()
            }
        };
        let untold = self.untold.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        let others = open.len().saturating_sub(1);
        match (others, &self.need) {
            (0, _) => format!("not shown: {what}{untold}"),
            (_, Need::One(_)) => format!("not shown: {what} (or one of {others} others){untold}"),
            _ => format!("not shown: {what} (and {others} more){untold}"),
        }
    }
}

pub(super) fn in_words(net: &Net, refuted: &Predicate) -> String {
    words::shortened(format!("no reachable marking has {}", words::formula(net, refuted)))
}
