//! Figures of a state space that come of visiting markings: visited again.

use super::shelf::Shelf;
use super::{Verdict, Watch};
use crate::Flaw;
use crate::certificate::markings::visit;
use crate::counting::{self, CountError, Figures, Formula};
use crate::file::{Answer, Shown};
use crate::question::{Question, Value};
use crate::words;
use parikh_net::printable::Quoted;
use parikh_net::{LinearSum, Net};
use std::slice;

/// The verdict on an answer that says how many there are of something, or how large a sum becomes by the word
/// of a search alone; `None` on others.
pub(super) fn judge(
    net: &Net,
    shelf: &mut Shelf<'_>,
    asked: &Question,
    answer: &Answer,
    most: u64,
    watch: &Watch,
) -> Option<Verdict> {
    if answer.value == Value::Infinite.to_string() {
        return None;
    }
    let by_search = answer.searched.is_some() && answer.shown_by.is_empty();
    match asked {
        Question::HowMany { firings } => Some(count(net, shelf, answer, *firings, (most, watch))),
        Question::Largest(sum) if by_search => {
            Some(largest(net, slice::from_ref(sum), answer, (most, watch)))
        }
        Question::LargestOf(sums) if by_search => Some(largest(net, sums, answer, (most, watch))),
        _ => None,
    }
}

/// Whether there are as many markings, or firings, as the answer says.
fn count(
    net: &Net,
    shelf: &mut Shelf<'_>,
    answer: &Answer,
    firings: bool,
    (most, watch): (u64, &Watch),
) -> Verdict {
    let found = match (&answer.shown_by[..], &answer.searched) {
        ([Shown::Count { count }], _) => {
            shelf.count(count).map_err(|why| format!("count {}: {why}", Quoted(count)))
        }
        ([], Some(searched)) => match Formula::of_net(net) {
            Ok(formula) => Ok((formula, searched.markings)),
            Err(why) => Err(why.to_string()),
        },
        _ => Err("not shown: how many there are".to_owned()),
    };
    let (mut formula, markings) = match found {
        Ok(found) => found,
        Err(why) => return Verdict::Refused(why),
    };
    if markings > most {
        return too_many(markings);
    }
    match counting::count(&mut formula, most, &mut || watch.goes_on()) {
        Ok((Figures { states, transitions }, visited)) => {
            let number = if firings { transitions } else { states };
            match number.to_string() == answer.value {
                true => Verdict::Confirmed(format!("{visited} markings were visited again")),
                false => Verdict::Refused(words::shortened(format!("counted again: {number}"))),
            }
        }
        Err(CountError::Flaw(Flaw::More(most))) => {
            Verdict::Searched(format!("more than {most} markings are reachable"))
        }
        Err(error) => Verdict::Refused(format!("counted again: {error}")),
    }
}

/// Whether the largest of the sums is what the answer says.
fn largest(
    net: &Net,
    sums: &[LinearSum],
    answer: &Answer,
    (most, watch): (u64, &Watch),
) -> Verdict {
    let markings = answer.searched.as_ref().map_or(0, |searched| searched.markings);
    if markings > most {
        return too_many(markings);
    }
    let mut largest = 0;
    let visited = visit(net, most, |marking| {
        largest = sums.iter().map(|sum| sum.value(marking)).fold(largest, i128::max);
        watch.goes_on()
    });
    match visited {
        Ok(visited) if largest.to_string() == answer.value => {
            let visited = visited.count();
            Verdict::Confirmed(format!("all {visited} markings were visited again"))
        }
        Ok(_) => Verdict::Refused(format!("visited again: {largest}")),
        Err(Flaw::More(most)) => {
            Verdict::Searched(format!("more than {most} markings are reachable"))
        }
        Err(flaw) => Verdict::Refused(format!("visited again: {flaw}")),
    }
}

fn too_many(markings: u64) -> Verdict {
    Verdict::Searched(format!("{markings} markings were visited; more than are visited again"))
}
