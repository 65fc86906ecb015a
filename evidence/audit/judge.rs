//! One answer against its evidence.

use super::Verdict;
use super::obligations::{Asked, Duty, Value};
use super::shelf::{Shelf, sorted};
use super::sightings::Sightings;
use crate::certificate::markings::{MarkingsFlaw, visit};
use crate::file::{Answer, Searched, Shown};
use crate::reader::Unreadable;
use crate::{Claim, check_pump, first_breach, words};
use parikh_net::{LinearSum, Net, Predicate};
use std::collections::{BTreeMap, HashMap};

/// Questions by their ids; of some it is only known why they are none of ours.
pub(super) type Questions = HashMap<String, Result<Asked, Unreadable>>;

/// As many claims are tried on a document that lists none of them.
const FEW: usize = 64;

/// What one file is judged by.
pub(super) struct Judge<'n> {
    net: &'n Net,
    pub(super) shelf: Shelf<'n>,
    pub(super) asked: Questions,
    most_visited: u64,
    /// How a trace broke the model's claim that its units are safe.
    pub(super) breach: Option<String>,
}

/// What is left to show for an answer.
struct Account<'n> {
    /// The markings to be seen.
    sightings: Sightings<'n>,
    shows: usize,
    /// The claims to be proved, and whether they are.
    claims: Vec<(Claim, bool)>,
    /// The sums that have to grow, and whether they do.
    sums: Vec<(LinearSum, bool)>,
    all: bool,
    assumes_units: bool,
}

impl<'n> Judge<'n> {
    pub(super) fn new(net: &'n Net, shelf: Shelf<'n>, asked: Questions, most_visited: u64) -> Self {
        Judge { net, shelf, asked, most_visited, breach: None }
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
        let obligation = match Value::read(&answer.value) {
            None => Err(format!("`{}` is no value of an answer", answer.value)),
            Some(value) => asked.obligation(self.net, value).map_err(|error| error.to_string()),
        };
        let mut account = match obligation {
            Ok(obligation) => Account::of(self.net, obligation.duties, obligation.all),
            Err(why) => return (Verdict::Refused(why), false),
        };
        let initially = account.is_settled();
        if let Err(why) = self.look_at(&mut account, &answer.shown_by) {
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
            (false, Some(searched)) if account.is_for_a_search() => {
                self.search_again(&mut account, searched)
            }
            (false, _) => Verdict::Refused(account.missing(self.net)),
        };
        (verdict, assumes || answer.assumes.iter().any(|assumed| assumed == "units"))
    }

    /// Strikes off what the listed evidence shows. Evidence that fails is an error even where the rest
    /// would do: nobody lists it for nothing.
    fn look_at(&mut self, account: &mut Account<'n>, shown_by: &[Shown]) -> Result<(), String> {
        // A trace is fired once, however many goals it shows.
        let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
        for shown in shown_by {
            if let Shown::Trace { trace, after } = shown {
                traces.entry(trace).or_default().push(*after);
            }
        }
        for (id, stops) in traces {
            self.fire(account, stops, id).map_err(|why| format!("trace {id}: {why}"))?;
        }
        let mut translated = HashMap::new();
        for shown in shown_by {
            match shown {
                Shown::Trace { .. } => {}
                Shown::Pump { pump: id } => {
                    self.pump(account, id).map_err(|why| format!("pump {id}: {why}"))?;
                }
                Shown::Document { document: id } => {
                    let read = self.read(account, id, &mut translated);
                    read.map_err(|why| format!("document {id}: {why}"))?;
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
        let fired = account.sightings.along(&sequence, &stops, to_the_end);
        fired.map_err(|error| error.to_string())?;
        if self.breach.is_none() {
            let last = stops.last().copied().filter(|_| !to_the_end);
            let breach = first_breach(self.net, &sequence, last.unwrap_or(u64::MAX));
            self.breach = breach.map(|how| format!("along trace {id}, {how}"));
        }
        Ok(())
    }

    fn pump(&mut self, account: &mut Account<'n>, id: &str) -> Result<(), String> {
        let [prefix, pump] = self.shelf.pump(id)?;
        let (before, after) =
            check_pump(self.net, &prefix, &pump).map_err(|error| error.to_string())?;
        for (sum, grows) in &mut account.sums {
            *grows |= sum.value(&after) > sum.value(&before);
        }
        if self.breach.is_none() && self.net.units().is_some_and(|units| units.safe()) {
            let grows = before != after;
            self.breach = grows.then(|| format!("pump {id} puts ever more tokens on a place"));
        }
        Ok(())
    }

    /// Strikes off the claims that a document proves. `translated` has the claims of this answer as
    /// they read on the nets met so far.
    fn read(
        &mut self,
        account: &mut Account<'n>,
        id: &str,
        translated: &mut HashMap<Option<String>, HashMap<Claim, Vec<usize>>>,
    ) -> Result<(), String> {
        let (document, on) = self.shelf.document(id)?;
        if !translated.contains_key(&on) {
            let mut here: HashMap<Claim, Vec<usize>> = HashMap::new();
            for (index, (claim, _)) in account.claims.iter().enumerate() {
                if let Some(claim) = self.shelf.translate(claim, on.as_deref())? {
                    here.entry(claim).or_default().push(index);
                }
            }
            translated.insert(on.clone(), here);
        }
        let here = &translated[&on];
        let net = self.shelf.net_of(on.as_deref())?;
        let checked = document.check_steps(net, &mut || true).map_err(|flaw| flaw.to_string())?;
        // The claims that are listed are taken as a hint where to look, and for nothing else. Without
        // a good one, all are tried, if they are few.
        let mut candidates: Vec<(&Claim, &Vec<usize>)> = document
            .claims()
            .iter()
            .filter_map(|&listed| here.get_key_value(&sorted(listed.clone())))
            .collect();
        let hinted = !candidates.is_empty();
        if !hinted && here.len() <= FEW {
            candidates = here.iter().collect();
        }
        for (claim, indices) in candidates {
            match checked.proves(claim, &mut || true) {
                Ok(()) => {
                    indices.iter().for_each(|&index| account.claims[index].1 = true);
                    account.assumes_units |= document.assumes_units();
                }
                Err(flaw) if hinted => return Err(flaw.to_string()),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Makes a search again that is said to have shown the rest: of the original net, and leaving out
    /// nothing. The other one may have left out what cannot matter, or have searched a smaller net; how
    /// many markings it saw only tells whether it is worth while to try.
    fn search_again(&self, account: &mut Account<'n>, searched: &Searched) -> Verdict {
        let (net, most) = (self.net, self.most_visited);
        let unvisited = |reachable: &str| {
            let stubborn = if searched.stubborn { " that matter" } else { "" };
            let visited = searched.markings;
            Verdict::Searched(format!("{visited} markings{stubborn} were visited; {reachable}"))
        };
        if searched.markings > most {
            return unvisited("more than are visited again");
        }
        let open = account.claims.iter().enumerate().filter(|(_, (_, proved))| !proved);
        let mut refuted: Vec<(usize, Predicate)> =
            open.map(|(index, (claim, _))| (index, claim.refuted())).collect();
        // A claim that a marking breaks is gone; an answer that needs one of several may still stand.
        let mut broken = None;
        let found = visit(net, most, |marking| {
            refuted.retain(|(index, goal)| {
                let holds = goal.holds(net, marking);
                if holds {
                    broken = Some(*index);
                }
                !holds
            });
            !refuted.is_empty() && (broken.is_none() || !account.all)
        });
        match (found, broken) {
            (Ok(count), _) => {
                refuted.iter().for_each(|(index, _)| account.claims[*index].1 = true);
                Verdict::Confirmed(format!("all {count} markings were visited again"))
            }
            (Err(MarkingsFlaw::Stopped), Some(index)) => Verdict::Refused(format!(
                "visited again: it is not true that {}",
                in_words(net, &account.claims[index].0)
            )),
            (Err(MarkingsFlaw::More(most)), _) => {
                unvisited(&format!("more than {most} are reachable"))
            }
            (Err(flaw), _) => Verdict::Refused(format!("visited again: {flaw}")),
        }
    }
}

impl<'n> Account<'n> {
    /// What the initial marking shows, and what is true of any marking, is struck off at once.
    fn of(net: &'n Net, duties: Vec<Duty>, all: bool) -> Self {
        let (mut goals, mut claims, mut sums) = (Vec::new(), Vec::new(), Vec::new());
        for duty in duties {
            match duty {
                Duty::Show(goal) => goals.push(goal),
                Duty::Prove(claim) => {
                    let obvious = claim.refuted() == Predicate::False;
                    claims.push((sorted(claim), obvious));
                }
                Duty::Grow(sum) => sums.push((sum, false)),
            }
        }
        let shows = goals.len();
        let sightings = Sightings::new(net, goals);
        Account { sightings, shows, claims, sums, all, assumes_units: false }
    }

    fn proved(&self) -> usize {
        self.claims.iter().filter(|(_, proved)| *proved).count()
    }

    fn grown(&self) -> usize {
        self.sums.iter().filter(|(_, grows)| *grows).count()
    }

    fn is_settled(&self) -> bool {
        let done = self.sightings.seen() + self.proved() + self.grown();
        match self.all {
            true => done == self.shows + self.claims.len() + self.sums.len(),
            false => done > 0,
        }
    }

    /// Whether nothing is left that an exhaustive search could not show.
    fn is_for_a_search(&self) -> bool {
        !self.claims.is_empty()
            && self.grown() == self.sums.len()
            && (!self.all || self.sightings.seen() == self.shows)
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
        parts.join(", ")
    }

    /// What is missing, as far as it can be said in a line.
    fn missing(&self, net: &Net) -> String {
        let unproved = self.claims.iter().find(|(_, proved)| !proved);
        let what = match (self.sightings.missing(), unproved) {
            (Some(goal), _) => {
                format!("a reachable marking with {}", words::formula(net, goal))
            }
            (None, Some((claim, _))) => format!("a proof that {}", in_words(net, claim)),
            (None, None) if self.sums.is_empty() => {
                "the net has nothing that could show it".to_owned()
            }
            (None, None) => "a pump that makes the sum grow".to_owned(),
        };
        let open = self.shows + self.claims.len() + self.sums.len()
            - (self.sightings.seen() + self.proved() + self.grown());
        let what = shortened(&what);
        match (open, self.all) {
            (0 | 1, _) => format!("not shown: {what}"),
            (_, true) => format!("not shown: {what} (and {} more)", open - 1),
            (_, false) => format!("not shown: {what} (or one of {} others)", open - 1),
        }
    }
}

fn in_words(net: &Net, claim: &Claim) -> String {
    shortened(&match claim {
        Claim::Unreachable(goal) => {
            format!("no reachable marking has {}", words::formula(net, goal))
        }
        Claim::AtMost(sum, bound) => format!("{} ≤ {bound}", words::linear(net, sum)),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}
