//! Questions about processes: from the name of the question to the net that it is about.
//!
//! `Soundness` and its relatives ask about a case from its beginning to its end. A case begins in
//! the model's initial marking, or, where the model has none, with a token in the only place to
//! which nothing puts. It is done in the final marking: the one that the auditor is given, or the
//! one of the model, or a token in the only place from which nothing takes. `3-Soundness` is about
//! three cases: both markings three times. `RelaxedSoundness` is a question about runs, and is
//! asked of the net whose firings are counted.
//!
//! Only a [`CaseNet`] is asked such a question: its markings and its counters are there because it
//! was made for the question, and are no places or markings of a model that look the same.

use super::Question;
use parikh_net::Assumption;
use parikh_net::counted::counted;
use parikh_net::{LinearSum, Marking, Net, PlaceId, Predicate};

/// The net that a question about processes is about.
pub(crate) struct CaseNet {
    net: Net,
    kind: &'static str,
    last: Marking,
    /// How many of its places are those of the model; the others count firings.
    own: usize,
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
    /// The net that such a question about `net` is about; a case is done in the marking `chosen`,
    /// if any.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) fn of(
        (kind, cases): (&'static str, u64),
        net: &Net,
        chosen: Option<&Marking>,
    ) -> Result<CaseNet, String> {
        let own = net.place_count();
        let (begins, last) = ends(net, cases, chosen)?;
        let begun = net.from_marking(begins).with_final_markings(vec![last.clone()]);
        let net = match kind {
            "RelaxedSoundness" => counted(&begun).map_err(|error| error.to_string())?,
            _ => begun,
        };
        Ok(CaseNet { net, kind, last, own })
    }

    pub(crate) fn into_net(self) -> Net {
        self.net
    }

    /// What is asked of it; nothing when a number does not fit.
    pub(crate) fn question(&self) -> Option<Question> {
        let (net, f) = (&self.net, &self.last);
        let own = LinearSum::new(net.places().take(self.own).map(|place| (place, 1))).ok()?;
        let tokens = i64::try_from(f.total()).ok()?;
        let done = Predicate::and(f.marked().map(|(place, n)| Predicate::at_least(place, n)));
        let no_more = Predicate::at_most(own, tokens);
        let exactly = Predicate::and([done.clone(), no_more.clone()]);
        Some(match self.kind {
            "EasySoundness" => Question::Reach { goals: vec![exactly], all: true, then: true },
            "RelaxedSoundness" => {
                let fired = |place| Predicate::at_least(place, 1);
                let with = |place| Predicate::and([exactly.clone(), fired(place)]);
                let goals = net.places().skip(self.own).map(with).collect();
                Question::Reach { goals, all: true, then: true }
            }
            kind => {
                let improper = Predicate::and([done.clone(), no_more.negated()]);
                let live = kind == "Soundness";
                let others = net.transitions().filter(|_| live).map(Predicate::Enabled).collect();
                Question::Sound { done, improper, others }
            }
        })
    }
}

/// The net with one case at its beginning, and the marking in which it is done as its final one:
/// `chosen`, if any.
///
/// # Errors
/// Why there is none.
pub fn with_one_case(net: &Net, chosen: Option<&Marking>) -> Result<Net, String> {
    let assumed = assumptions(net, chosen.is_some());
    let begun = CaseNet::of(("Soundness", 1), net, chosen).map(CaseNet::into_net)?;
    Ok(begun.assuming(assumed))
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
    let source = only_place(net, |p| net.producers(p).is_empty());
    match source.filter(|_| net.initial().total() == 0) {
        Some(source) => {
            let mut marking = Marking::empty(net.place_count());
            marking[source] = 1;
            let assumed = Assumption::InitialToken(net.place_name(source).to_owned());
            Ok(net.from_marking(marking).assuming([assumed]))
        }
        None => Err("the model has an initial marking, or not one source place".to_owned()),
    }
}

/// The markings in which so many cases begin, and are done.
fn ends(net: &Net, cases: u64, chosen: Option<&Marking>) -> Result<(Marking, Marking), String> {
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
        (Some(chosen), _) => chosen.clone(),
        (None, []) => only(nobody_takes.collect(), "final")?,
        (None, [one]) => one.clone(),
        (None, several) => {
            let count = several.len();
            return Err(format!("the model has {count} final markings: choose one with --final"));
        }
    };
    let of_all = |marking: Marking| {
        let times = |tokens: &u64| tokens.checked_mul(cases);
        let tokens: Option<Vec<u64>> = marking.tokens().iter().map(times).collect();
        let fit = |tokens: &Vec<u64>| tokens.iter().all(|&n| n <= Marking::MAX_TOKENS);
        tokens.filter(fit).map(Marking::new).ok_or_else(|| "more than 2^63 - 1 tokens".to_owned())
    };
    Ok((of_all(begins)?, of_all(ends)?))
}
