//! Questions about processes: from the name of the question to the net that it is about.
//!
//! `Soundness` and its relatives ask about a case from its beginning to its end. A case begins in
//! the model's initial marking, or, where the model has none, with a token in the only place to
//! which nothing puts. It is done in any of the final markings: those that the auditor is given, or
//! those of the model, or a token in the only place from which nothing takes. `3-Soundness` is
//! about three cases. They begin with three times the tokens, and each of them may end in another
//! final marking. So the final markings of three cases are all sums of three final markings.
//! `RelaxedSoundness` is a question about runs, and is asked of the net whose firings are counted.
//!
//! Only a [`CaseNet`] is asked such a question: its markings and its counters are there because it
//! was made for the question, and are no places or markings of a model that look the same.
//!
//! A model with inhibitor or reset arcs is begun first ([`extended_with_cases`]). Then the net is
//! made that stands for it, and final markings speak of the model's places in it.

use super::Question;
use parikh_net::counted::counted;
use parikh_net::{Assumption, ExtendedNet, LinearSum, Marking, Net, PlaceId, Predicate};

/// The net that a question about processes is about.
pub(crate) struct CaseNet {
    net: Net,
    kind: &'static str,
    /// How many of its places are those of the model; they come first.
    own: usize,
    /// The index of its first place that counts firings.
    counters: usize,
}

/// The kinds of such questions.
const KINDS: [&str; 4] = ["Soundness", "WeakSoundness", "RelaxedSoundness", "EasySoundness"];

/// The kind of a question, and of how many cases, from its name; `None` of others.
pub(crate) fn kind(name: &str) -> Option<(&'static str, u64)> {
    let (cases, kind) = match name.split_once('-') {
        Some((cases, kind)) => {
            // One name for each question: no sign, no zeros in front.
            let number = cases.parse().ok().filter(|&number| number > 1)?;
            (Some(number).filter(|number: &u64| number.to_string() == cases)?, kind)
        }
        None => (1, name),
    };
    KINDS.into_iter().find(|known| *known == kind).map(|kind| (kind, cases))
}

impl CaseNet {
    /// The net that such a question about `net` is about. A case is done in any of the markings
    /// `chosen`, if there are some.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of(
        (kind, cases): (&'static str, u64),
        net: &Net,
        chosen: &[Marking],
    ) -> Result<CaseNet, String> {
        let (begins, finals) = ends(net, cases, chosen)?;
        CaseNet::of_begun(kind, net.from_marking(begins).with_final_markings(finals))
    }

    /// The same of a net that begins with the cases, and whose final markings are those in which
    /// all cases are done.
    ///
    /// # Errors
    /// When firings cannot be counted.
    pub(crate) fn of_begun(kind: &'static str, begun: Net) -> Result<CaseNet, String> {
        let (own, counters) = (begun.model_places().len(), begun.place_count());
        let net = match kind {
            "RelaxedSoundness" => counted(&begun).map_err(|error| error.to_string())?,
            _ => begun,
        };
        Ok(CaseNet { net, kind, own, counters })
    }

    pub(crate) fn into_net(self) -> Net {
        self.net
    }

    /// What is asked of it; nothing when a number does not fit.
    pub(crate) fn question(&self) -> Option<Question> {
        let net = &self.net;
        let own = LinearSum::new(net.places().take(self.own).map(|place| (place, 1))).ok()?;
        // In ascending order, as the prover has them: proofs are about formulas as they are
        // written.
        let mut finals: Vec<&Marking> = net.final_markings().iter().collect();
        finals.sort_unstable_by_key(|last| last.tokens());
        let ends = finals.iter().map(|last| {
            let tokens = i64::try_from(last.total()).ok()?;
            let covered = Predicate::and(last.marked().map(|(p, n)| Predicate::at_least(p, n)));
            Some((covered, Predicate::at_most(own.clone(), tokens)))
        });
        let ends: Vec<(Predicate, Predicate)> = ends.collect::<Option<_>>()?;
        let exactly = Predicate::or(
            ends.iter().map(|(done, no_more)| Predicate::and([done.clone(), no_more.clone()])),
        );
        Some(match self.kind {
            "EasySoundness" => Question::Reach { goals: vec![exactly], all: true, then: true },
            "RelaxedSoundness" => {
                let fired = |place| Predicate::at_least(place, 1);
                let with = |place| Predicate::and([exactly.clone(), fired(place)]);
                let goals = net.places().skip(self.counters).map(with).collect();
                Question::Reach { goals, all: true, then: true }
            }
            kind => {
                // Some final marking is covered, and it is none of those that cover that one.
                let beyond = |(at, (covered, no_more)): (usize, &(Predicate, Predicate))| {
                    let covers = |other: &usize| {
                        let tokens = finals[*other].tokens().iter().zip(finals[at].tokens());
                        *other != at && tokens.into_iter().all(|(more, fewer)| more >= fewer)
                    };
                    let others = (0..finals.len()).filter(covers).map(|other| {
                        let (covered, no_more) = ends[other].clone();
                        Predicate::and([covered, no_more]).negated()
                    });
                    let more = no_more.clone().negated();
                    Predicate::and([covered.clone(), more].into_iter().chain(others))
                };
                let improper = Predicate::or(ends.iter().enumerate().map(beyond));
                let done = Predicate::or(ends.iter().map(|(covered, _)| covered.clone()));
                let live = kind == "Soundness";
                let transitions = net.model_transitions().filter(|_| live);
                let others = transitions
                    .map(|copies| Predicate::or(copies.into_iter().map(Predicate::Enabled)));
                Question::Sound { done, improper, others: others.collect() }
            }
        })
    }
}

/// The net with one case at its beginning, and the markings in which it is done as its final ones:
/// those `chosen`, if there are some.
///
/// # Errors
/// Why there is none.
pub fn with_one_case(net: &Net, chosen: &[Marking]) -> Result<Net, String> {
    let (begins, finals) = ends(net, 1, chosen)?;
    let assumed = assumptions(net, !chosen.is_empty());
    Ok(net.from_marking(begins).with_final_markings(finals).assuming(assumed))
}

/// Returns what is assumed where cases of this model are asked about: where they begin, and when
/// they are done, if no final markings are `given`.
pub(crate) fn assumptions(net: &Net, given: bool) -> Vec<Assumption> {
    let name = |place: PlaceId| net.place_name(place).to_owned();
    let mut assumed = Vec::new();
    if net.initial().total() == 0
        && let Some(source) = only_place(net, |p| net.producers(p).is_empty())
    {
        assumed.push(Assumption::InitialToken(name(source)));
    }
    let finals = net.final_markings();
    if given && !finals.is_empty() {
        assumed.push(Assumption::OtherFinalMarking);
    } else if !given && finals.iter().any(|last| last.total() == 0) {
        assumed.push(Assumption::EmptyFinalMarking);
    } else if !given
        && finals.is_empty()
        && let Some(sink) = only_place(net, |p| net.consumers(p).is_empty())
    {
        assumed.push(Assumption::FinalToken(name(sink)));
    }
    assumed
}

/// Returns the only place that is like this.
fn only_place(net: &Net, is: impl Fn(PlaceId) -> bool) -> Option<PlaceId> {
    let mut places = net.places().filter(|&p| is(p));
    places.next().filter(|_| places.next().is_none())
}

/// Returns the net with a token in its only source, if the model has no initial marking; the net
/// says that the token is assumed.
///
/// # Errors
/// When it has an initial marking, or not one source.
pub(crate) fn with_assumed_token(net: &Net) -> Result<Net, String> {
    let (marking, assumed) = assumed_token(net)?;
    Ok(net.from_marking(marking).assuming([assumed]))
}

/// Returns the model with inhibitor or reset arcs, likewise.
///
/// # Errors
/// As [`with_assumed_token`].
pub(crate) fn extended_with_assumed_token(model: &ExtendedNet) -> Result<ExtendedNet, String> {
    let (marking, assumed) = assumed_token(model.core())?;
    Ok(model.clone().from_marking(marking).assuming([assumed]))
}

fn assumed_token(net: &Net) -> Result<(Marking, Assumption), String> {
    let source = only_place(net, |p| net.producers(p).is_empty());
    let source = source.filter(|_| net.initial().total() == 0);
    let source = source.ok_or("the model has an initial marking, or not one source place")?;
    let mut marking = Marking::empty(net.place_count());
    marking[source] = 1;
    Ok((marking, Assumption::InitialToken(net.place_name(source).to_owned())))
}

/// The model with inhibitor or reset arcs with `cases` cases at its beginning, likewise.
///
/// # Errors
/// Why there is none.
pub fn extended_with_cases(
    model: &ExtendedNet,
    cases: u64,
    chosen: &[Marking],
) -> Result<ExtendedNet, String> {
    let (begins, finals) = ends(model.core(), cases, chosen)?;
    let assumed = assumptions(model.core(), !chosen.is_empty());
    Ok(model.clone().from_marking(begins).with_final_markings(finals).assuming(assumed))
}

/// The most final markings of several cases together.
const MOST_FINALS: usize = 1_000;

/// The marking in which so many cases begin, and those in which they are done.
fn ends(net: &Net, cases: u64, chosen: &[Marking]) -> Result<(Marking, Vec<Marking>), String> {
    let only = |mut places: Vec<PlaceId>, what: &str| match (places.pop(), places.pop()) {
        (Some(place), None) => {
            let mut marking = Marking::empty(net.place_count());
            marking[place] = 1;
            Ok(marking)
        }
        _ => Err(format!("the model has no {what} marking, and not one {what} place")),
    };
    let nobody_puts = net.places().filter(|&p| net.producers(p).is_empty());
    let nobody_takes = net.places().filter(|&p| net.consumers(p).is_empty());
    let begins = match net.initial().marked().next() {
        Some(_) => net.initial().clone(),
        None => only(nobody_puts.collect(), "initial")?,
    };
    let ends = match (chosen, net.final_markings()) {
        ([], []) => vec![only(nobody_takes.collect(), "final")?],
        ([], of_model) => of_model.to_vec(),
        (chosen, _) => chosen.to_vec(),
    };
    Ok((times(&begins, cases)?, sums(&ends, cases)?))
}

const TOO_MANY_TOKENS: &str = "more than 2^63 - 1 tokens";

/// The marking so many times.
fn times(marking: &Marking, count: u64) -> Result<Marking, String> {
    let fits = |tokens: &u64| *tokens <= Marking::MAX_TOKENS;
    let tokens = marking.tokens().iter().map(|tokens| tokens.checked_mul(count).filter(fits));
    let tokens: Option<Vec<u64>> = tokens.collect();
    tokens.map(Marking::new).ok_or_else(|| TOO_MANY_TOKENS.to_owned())
}

/// All sums of `count` of the markings: of the first so many times, and of the others as often as
/// is left.
fn sums(markings: &[Marking], count: u64) -> Result<Vec<Marking>, String> {
    let too_many = || format!("{count} cases have more than {MOST_FINALS} final markings together");
    let Some((first, others)) = markings.split_first() else { return Ok(Vec::new()) };
    if others.is_empty() {
        return Ok(vec![times(first, count)?]);
    }
    if markings.len() > MOST_FINALS || count >= MOST_FINALS as u64 {
        return Err(too_many());
    }
    let mut all: Vec<Marking> = Vec::new();
    for of_first in (0..=count).rev() {
        let begun = times(first, of_first)?;
        let rest = match count - of_first {
            0 => vec![Marking::empty(begun.tokens().len())],
            left => sums(others, left)?,
        };
        for rest in rest {
            let both = begun.tokens().iter().zip(rest.tokens()).map(|(a, b)| a.checked_add(*b));
            let both = both.map(|sum| sum.filter(|&tokens| tokens <= Marking::MAX_TOKENS));
            let sum: Option<Vec<u64>> = both.collect();
            let sum = Marking::new(sum.ok_or(TOO_MANY_TOKENS)?);
            if !all.contains(&sum) {
                all.push(sum);
            }
            if all.len() > MOST_FINALS {
                return Err(too_many());
            }
        }
    }
    Ok(all)
}
