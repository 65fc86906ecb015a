//! Questions about processes: from the name of the question to the net that it is about.
//!
//! `Soundness` and its relatives ask about a case from its beginning to its end. A case begins in the
//! model's initial marking, or, where the model has none, with a token in the only place to which nothing
//! puts. It is done in the final marking: the one that the auditor is given, or the one of the model, or a
//! token in the only place from which nothing takes. `3-Soundness` is about three cases: both markings three
//! times. `RelaxedSoundness` is a question about runs, and is asked of the net whose firings are counted.

use parikh_net::counted::counted;
use parikh_net::{Marking, Net, PlaceId};

/// The kinds of such questions.
const KINDS: [&str; 4] = ["Soundness", "WeakSoundness", "RelaxedSoundness", "EasySoundness"];

/// The kind of a question, and of how many cases, from its name; `None` of others.
pub(super) fn kind(name: &str) -> Option<(&'static str, u64)> {
    let (cases, kind) = match name.split_once('-') {
        Some((cases, kind)) => (cases.parse().ok().filter(|&cases| cases > 1)?, kind),
        None => (1, name),
    };
    KINDS.into_iter().find(|known| *known == kind).map(|kind| (kind, cases))
}

/// The net that such a question is about.
///
/// # Errors
/// Why there is none.
pub(super) fn net_of(
    (kind, cases): (&str, u64),
    net: &Net,
    chosen: Option<&Marking>,
) -> Result<Net, String> {
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
    let begun = net.from_marking(of_all(begins)?).with_final_markings(vec![of_all(ends)?]);
    match kind {
        "RelaxedSoundness" => counted(&begun).map_err(|error| error.to_string()),
        _ => Ok(begun),
    }
}
