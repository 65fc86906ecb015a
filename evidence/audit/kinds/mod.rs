//! What evidence of each kind shows of an answer: one file a kind.
//!
//! Each takes a line from the shelf, checks it, and strikes off the account what it shows.

mod document;
mod labelling;
mod lasso;
mod loops;
mod no_run;
mod pump;
mod structure;
mod trace;
mod visited;

use super::account::Account;
use super::desk::Desk;
use crate::file::Answer;
use crate::kind::Kind;
use parikh_net::printable::Quoted;
use std::collections::{BTreeMap, HashSet};

/// Strikes off what the listed evidence shows. Evidence that fails is an error even where the
/// rest would do: nobody lists it for nothing.
pub(super) fn look_at<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    answer: &Answer,
) -> Result<(), String> {
    let searched = answer.searched.is_some();
    // A trace is fired once, however many goals it shows; what else is listed twice shows no more
    // than once.
    let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    let mut others = Vec::new();
    let mut listed = HashSet::new();
    for shown in &answer.shown_by {
        match shown.kind {
            Kind::Trace => traces.entry(&shown.id).or_default().push(shown.after),
            _ if listed.insert(shown) => others.push((shown.kind, &*shown.id)),
            _ => {}
        }
    }
    // Arguments with premises come first: each premise becomes a duty, which any other line may
    // fulfil.
    let (resting, rest): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(kind, _)| matches!(kind, Kind::NoRun | Kind::Labelling));
    for (kind, id) in resting {
        weigh(desk, account, (kind, id), searched)?;
    }
    let Account { runs, refuted, .. } = &mut *account;
    let joined = runs.join(desk.net, refuted, &desk.watch);
    joined.map_err(|(id, why)| failed(Kind::NoRun, &id, &why))?;
    for (id, stops) in traces {
        trace::weigh(desk, account, stops, id).map_err(|why| failed(Kind::Trace, id, &why))?;
    }
    rest.into_iter().try_for_each(|line| weigh(desk, account, line, searched))
}

/// Strikes off what one line shows that is no trace. `searched` is whether the answer is said to
/// rest on a search, which may be too large to be made again.
fn weigh<'n>(
    desk: &mut Desk<'n>,
    account: &mut Account<'n>,
    (kind, id): (Kind, &str),
    searched: bool,
) -> Result<(), String> {
    let weighed = match kind {
        Kind::Trace => trace::weigh(desk, account, vec![None], id),
        Kind::Pump => pump::weigh(desk, account, id),
        Kind::Loops => loops::weigh(desk, account, id),
        Kind::Lasso => lasso::weigh(desk, account, id),
        Kind::Document => document::weigh(desk, account, id),
        Kind::Structure => structure::weigh(desk, account, id, searched),
        Kind::NoRun => no_run::weigh(desk, account, id),
        Kind::Visited => visited::weigh(desk, account, id),
        Kind::Labelling => labelling::weigh(desk, account, id),
        Kind::Count => Err("nothing is to be counted".to_owned()),
        Kind::Reduction => Err("a reduction shows nothing by itself".to_owned()),
    };
    weighed.map_err(|why| failed(kind, id, &why))
}

fn failed(kind: Kind, id: &str, why: &str) -> String {
    format!("{} {}: {why}", kind.name(), Quoted(id))
}
