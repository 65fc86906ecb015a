//! Soundness questions about workflow nets: from the name of the question to the net that it is
//! about.
//!
//! `Soundness` and its relatives are about a case (a process instance) from its beginning to its
//! end.
//!
//! - A case begins in the model's initial marking. If the model has none, it begins with a token in
//!   the only place without input transitions.
//! - A case is done in any of the final markings: those given to the auditor, or else those of the
//!   model, or else a token in the only place without output transitions.
//! - `3-Soundness` is about three cases. They begin with three times the tokens, and each may end
//!   in another final marking. So the final markings of three cases are all sums of three final
//!   markings.
//! - `RelaxedSoundness` is a question about runs, and is asked of the net with counters of firings.
//!
//! Such a question is asked only of a [`CaseNet`]. Its markings and its counters were made for the
//! question, and are never confused with similar places or markings of a model.
//!
//! For a model with inhibitor or reset arcs, the cases are added first ([`extended_with_cases`]).
//! Then the model is translated to a net, whose final markings are about the model's places.

use super::Question;
use parikh_net::counted::with_counters;
use parikh_net::{Assumption, ExtendedNet, LinearSum, Marking, Net, PlaceId, Predicate};

/// The net for a soundness question.
pub(crate) struct CaseNet {
    /// The net with its initial and final markings.
    net: Net,
    /// The kind of the question, one of `KINDS`.
    kind: &'static str,
    /// The number of places of the model. They are the first places of the net.
    model_place_count: usize,
    /// The index of the first place that counts firings. It is the number of places if the kind of
    /// the question needs no counters.
    first_counter: usize,
}

/// The kinds of soundness questions.
const KINDS: [&str; 4] = ["Soundness", "WeakSoundness", "RelaxedSoundness", "EasySoundness"];

/// Returns the kind of a soundness question and its number of cases: 1 for a kind alone, and N for
/// `N-Kind` with N > 1. Returns `None` for other names, such as `1-Soundness`, and for numbers with
/// leading zeros.
pub(crate) fn kind(name: &str) -> Option<(&'static str, u64)> {
    let (cases, kind) = match name.split_once('-') {
        Some((cases, kind)) => {
            // Each question has one name: no sign, no leading zeros.
            let number = cases.parse().ok().filter(|&number| number > 1)?;
            (Some(number).filter(|number: &u64| number.to_string() == cases)?, kind)
        }
        None => (1, name),
    };
    KINDS.into_iter().find(|known| *known == kind).map(|kind| (kind, cases))
}

impl CaseNet {
    /// Returns the net for a soundness question about `net`, given by its kind and its number of
    /// cases, that is, process instances. If `chosen_finals` is not empty, its markings are the
    /// final markings of one case.
    ///
    /// # Errors
    /// A message, when the begin or the end of a case is not determined, or numbers are too large.
    pub(crate) fn of(
        (kind, cases): (&'static str, u64),
        net: &Net,
        chosen_finals: &[Marking],
    ) -> Result<CaseNet, String> {
        let (initial_marking, finals) = case_markings(net, cases, chosen_finals)?;
        CaseNet::with_case_markings(
            kind,
            net.from_marking(initial_marking).with_final_markings(finals),
        )
    }

    /// Returns the net for a question of this kind, given a net that begins with the cases and has
    /// final markings in which all cases are done.
    ///
    /// # Errors
    /// When firings cannot be counted.
    pub(crate) fn with_case_markings(kind: &'static str, case_net: Net) -> Result<CaseNet, String> {
        let (model_place_count, first_counter) =
            (case_net.model_places().len(), case_net.place_count());
        let net = match kind {
            "RelaxedSoundness" => with_counters(&case_net).map_err(|error| error.to_string())?,
            _ => case_net,
        };
        Ok(CaseNet { net, kind, model_place_count, first_counter })
    }

    pub(crate) fn into_net(self) -> Net {
        self.net
    }

    /// Returns the question of this kind about the net, or `None` when a number overflows.
    pub(crate) fn question(&self) -> Option<Question> {
        let net = &self.net;
        let model_tokens =
            LinearSum::new(net.places().take(self.model_place_count).map(|place| (place, 1)))
                .ok()?;
        // The order is ascending, as in the prover, because proofs depend on the order of a
        // formula's parts.
        let mut finals: Vec<&Marking> = net.final_markings().iter().collect();
        finals.sort_unstable_by_key(|final_marking| final_marking.tokens());
        let final_predicates = finals.iter().map(|final_marking| {
            let tokens = i64::try_from(final_marking.total()).ok()?;
            let covered =
                Predicate::and(final_marking.marked().map(|(p, n)| Predicate::at_least(p, n)));
            Some((covered, Predicate::at_most(model_tokens.clone(), tokens)))
        });
        let final_predicates: Vec<(Predicate, Predicate)> =
            final_predicates.collect::<Option<_>>()?;
        let is_final = Predicate::or(
            final_predicates
                .iter()
                .map(|(done, no_more)| Predicate::and([done.clone(), no_more.clone()])),
        );
        Some(match self.kind {
            "EasySoundness" => Question::Reach { goals: vec![is_final], all: true, then: true },
            "RelaxedSoundness" => {
                let fired = |place| Predicate::at_least(place, 1);
                let with = |place| Predicate::and([is_final.clone(), fired(place)]);
                let goals = net.places().skip(self.first_counter).map(with).collect();
                Question::Reach { goals, all: true, then: true }
            }
            kind => {
                // The marking covers a final marking and has more tokens in total, and it is not
                // itself another final marking.
                let improper_end =
                    |(index, (covered, no_more)): (usize, &(Predicate, Predicate))| {
                        let covers = |other: &usize| {
                            let tokens = finals[*other].tokens().iter().zip(finals[index].tokens());
                            *other != index && tokens.into_iter().all(|(more, fewer)| more >= fewer)
                        };
                        let others = (0..finals.len()).filter(covers).map(|other| {
                            let (covered, no_more) = final_predicates[other].clone();
                            Predicate::and([covered, no_more]).negated()
                        });
                        let more = no_more.clone().negated();
                        Predicate::and([covered.clone(), more].into_iter().chain(others))
                    };
                let improper = Predicate::or(final_predicates.iter().enumerate().map(improper_end));
                let done =
                    Predicate::or(final_predicates.iter().map(|(covered, _)| covered.clone()));
                let needs_transitions = kind == "Soundness";
                let transitions = net.model_transitions().filter(|_| needs_transitions);
                let others = transitions
                    .map(|copies| Predicate::or(copies.into_iter().map(Predicate::Enabled)));
                Question::Sound { done, improper, others: others.collect() }
            }
        })
    }
}

/// Returns the net with one case at its beginning. Its final markings are those in which the case
/// is done: `chosen_finals`, or the model's final markings if `chosen_finals` is empty. If the
/// model has none either, the final marking is a token in the only place without output
/// transitions.
///
/// # Errors
/// A message, when the begin or the end of a case is not determined, or numbers are too large.
pub fn with_one_case(net: &Net, chosen_finals: &[Marking]) -> Result<Net, String> {
    let (initial_marking, finals) = case_markings(net, 1, chosen_finals)?;
    let assumed = assumptions(net, !chosen_finals.is_empty());
    Ok(net.from_marking(initial_marking).with_final_markings(finals).assuming(assumed))
}

/// Returns the assumptions of a question about cases of this model: where cases begin, and when
/// they are done. `are_finals_given` is true if the final markings were given to the auditor.
pub(crate) fn assumptions(net: &Net, are_finals_given: bool) -> Vec<Assumption> {
    let name = |place: PlaceId| net.place_name(place).to_owned();
    let mut assumed = Vec::new();
    if net.initial().total() == 0
        && let Some(source) = only_place(net, |p| net.producers(p).is_empty())
    {
        assumed.push(Assumption::InitialToken(name(source)));
    }
    let finals = net.final_markings();
    if are_finals_given && !finals.is_empty() {
        assumed.push(Assumption::OtherFinalMarking);
    } else if !are_finals_given && finals.iter().any(|last| last.total() == 0) {
        assumed.push(Assumption::EmptyFinalMarking);
    } else if !are_finals_given
        && finals.is_empty()
        && let Some(sink) = only_place(net, |p| net.consumers(p).is_empty())
    {
        assumed.push(Assumption::FinalToken(name(sink)));
    }
    assumed
}

/// Returns the only place for which `is` returns true, or `None` if there is no such place or more
/// than one.
fn only_place(net: &Net, is: impl Fn(PlaceId) -> bool) -> Option<PlaceId> {
    let mut places = net.places().filter(|&p| is(p));
    places.next().filter(|_| places.next().is_none())
}

/// Returns the net with a token in its only source place, if the model has no initial marking. The
/// net records this assumption.
///
/// # Errors
/// When the model has an initial marking, or not exactly one source place.
pub(crate) fn with_assumed_token(net: &Net) -> Result<Net, String> {
    let (marking, assumed) = assumed_token(net)?;
    Ok(net.from_marking(marking).assuming([assumed]))
}

/// Returns the model with inhibitor or reset arcs with a token in its only source place.
///
/// # Errors
/// When the model has an initial marking, or not exactly one source place.
pub(crate) fn extended_with_assumed_token(model: &ExtendedNet) -> Result<ExtendedNet, String> {
    let (marking, assumed) = assumed_token(model.core())?;
    Ok(model.clone().from_marking(marking).assuming([assumed]))
}

/// Returns the initial marking with a token in the only source place, and this assumption.
fn assumed_token(net: &Net) -> Result<(Marking, Assumption), String> {
    let source = only_place(net, |p| net.producers(p).is_empty());
    let source = source.filter(|_| net.initial().total() == 0);
    let source = source.ok_or("the model has an initial marking, or not one source place")?;
    let mut marking = Marking::empty(net.place_count());
    marking[source] = 1;
    Ok((marking, Assumption::InitialToken(net.place_name(source).to_owned())))
}

/// Returns the model with inhibitor or reset arcs, with `cases` cases at its beginning and the
/// final markings of all cases. If `chosen_finals` is not empty, its markings are the final
/// markings of one case.
///
/// # Errors
/// A message, when the begin or the end of a case is not determined, or numbers are too large.
pub fn extended_with_cases(
    model: &ExtendedNet,
    cases: u64,
    chosen_finals: &[Marking],
) -> Result<ExtendedNet, String> {
    let (initial_marking, finals) = case_markings(model.core(), cases, chosen_finals)?;
    let assumed = assumptions(model.core(), !chosen_finals.is_empty());
    Ok(model.clone().from_marking(initial_marking).with_final_markings(finals).assuming(assumed))
}

/// The maximum number of final markings of all cases together. If one case has several final
/// markings, the number of cases must be smaller than this limit.
const MAX_FINAL_MARKINGS: usize = 1_000;

/// Returns the marking in which `cases` cases begin, and the markings in which they are done. If
/// `chosen_finals` is not empty, its markings are the final markings of one case. Returns a message
/// if the begin or the end of a case is not determined, or if numbers are too large.
fn case_markings(
    net: &Net,
    cases: u64,
    chosen_finals: &[Marking],
) -> Result<(Marking, Vec<Marking>), String> {
    let only_place_marked =
        |mut places: Vec<PlaceId>, what: &str, arcs: &str| match (places.pop(), places.pop()) {
            (Some(place), None) => {
                let mut marking = Marking::empty(net.place_count());
                marking[place] = 1;
                Ok(marking)
            }
            _ => Err(format!(
                "the model has no {what} marking, and not exactly one place without {arcs} arcs"
            )),
        };
    let source_places = net.places().filter(|&p| net.producers(p).is_empty());
    let sink_places = net.places().filter(|&p| net.consumers(p).is_empty());
    let initial_marking = match net.initial().marked().next() {
        Some(_) => net.initial().clone(),
        None => only_place_marked(source_places.collect(), "initial", "incoming")?,
    };
    let final_markings_of_case = match (chosen_finals, net.final_markings()) {
        ([], []) => vec![only_place_marked(sink_places.collect(), "final", "outgoing")?],
        ([], of_model) => of_model.to_vec(),
        (chosen, _) => chosen.to_vec(),
    };
    Ok((times(&initial_marking, cases)?, sums(&final_markings_of_case, cases)?))
}

/// The message for a sum that is too large.
const TOO_MANY_TOKENS: &str = "more than 2^63 - 1 tokens";

/// Returns the marking multiplied by `count`.
fn times(marking: &Marking, count: u64) -> Result<Marking, String> {
    let fits = |tokens: &u64| *tokens <= Marking::MAX_TOKENS;
    let tokens = marking.tokens().iter().map(|tokens| tokens.checked_mul(count).filter(fits));
    let tokens: Option<Vec<u64>> = tokens.collect();
    tokens.map(Marking::new).ok_or_else(|| TOO_MANY_TOKENS.to_owned())
}

/// Returns the distinct sums of `count` markings, each of which may occur several times in a sum.
fn sums(markings: &[Marking], count: u64) -> Result<Vec<Marking>, String> {
    let too_many =
        || format!("{count} cases have more than {MAX_FINAL_MARKINGS} final markings together");
    let Some((first, others)) = markings.split_first() else { return Ok(Vec::new()) };
    if others.is_empty() {
        return Ok(vec![times(first, count)?]);
    }
    if markings.len() > MAX_FINAL_MARKINGS || count >= MAX_FINAL_MARKINGS as u64 {
        return Err(too_many());
    }
    let mut distinct_sums: Vec<Marking> = Vec::new();
    // The first marking occurs `first_count` times, and the other markings make up the rest.
    for first_count in (0..=count).rev() {
        let first_part = times(first, first_count)?;
        let remaining_sums = match count - first_count {
            0 => vec![Marking::empty(first_part.tokens().len())],
            remaining_count => sums(others, remaining_count)?,
        };
        for remaining_sum in remaining_sums {
            let both = first_part
                .tokens()
                .iter()
                .zip(remaining_sum.tokens())
                .map(|(a, b)| a.checked_add(*b));
            let both = both.map(|sum| sum.filter(|&tokens| tokens <= Marking::MAX_TOKENS));
            let sum: Option<Vec<u64>> = both.collect();
            let sum = Marking::new(sum.ok_or(TOO_MANY_TOKENS)?);
            if !distinct_sums.contains(&sum) {
                distinct_sums.push(sum);
            }
            if distinct_sums.len() > MAX_FINAL_MARKINGS {
                return Err(too_many());
            }
        }
    }
    Ok(distinct_sums)
}
