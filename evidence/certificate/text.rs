//! Claims, predicates and numbers as they stand in files, with the model's names.
//!
//! A predicate is a tree of `and` and `or` as one reads it, as long as it is not deep: readers of JSON
//! refuse deep nesting, and so does ours. One that is nested more than [`SHALLOW`] levels is written
//! as a list, `{"postfix": [leaf, leaf, {"and": 2}, …]}`: each junction behind its parts, with their
//! number. Files may use either form. Beyond [`DEEPEST`] levels a predicate is refused.

use super::claim::Claim;
use super::linear::Flaw;
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate, TransitionId};
use serde::{Deserialize, Serialize};

/// Predicates nested deeper are written as a list.
const SHALLOW: usize = 20;

/// The deepest nesting that is read: more than twice what formulas may have. Some functions of
/// predicates recurse; at this depth none needs a megabyte of stack.
const DEEPEST: usize = 5_000;

/// Why a file is no certificate for the net.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not the JSON expected; says where.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version, or something else entirely.
    #[error("the format is `{0}`, which is none of a certificate")]
    Format(String),
    /// A name that the model does not have.
    #[error("the model has no {0} `{1}`")]
    NoSuchName(&'static str, String),
    /// The counters cannot be added to the net.
    #[error("{0}")]
    Counters(#[from] Flaw),
    /// The coefficients of a sum are too large.
    #[error("{0}")]
    Sum(#[from] parikh_net::SumError),
    /// A predicate as a list that is none.
    #[error(
        "a junction in a postfix list has more parts than come before it, or parts are left over"
    )]
    Postfix,
    /// A predicate that is nested too deep.
    #[error("a predicate is nested more than {DEEPEST} levels deep")]
    TooDeep,
}

/// A claim in names.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ClaimText {
    /// No reachable marking satisfies it.
    Unreachable(Formula),
    /// The sum never exceeds the bound.
    AtMost(AtomText),
}

/// A predicate in names.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Formula {
    True,
    False,
    AtMost(AtomText),
    Enabled(String),
    Disabled(String),
    Dead,
    NotDead,
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Postfix(Vec<Item>),
}

/// A part of a predicate as a list.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Item {
    True,
    False,
    AtMost(AtomText),
    Enabled(String),
    Disabled(String),
    Dead,
    NotDead,
    /// Of so many before it.
    And(usize),
    Or(usize),
}

/// Σ ≤ bound.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AtomText {
    sum: Vec<(String, i64)>,
    bound: i64,
}

/// An integer that is a JSON number while every reader holds it exactly, else a string.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Integer {
    /// Below 2⁵³.
    Small(i64),
    /// Its digits.
    Large(String),
}

impl From<i128> for Integer {
    fn from(value: i128) -> Self {
        match i64::try_from(value) {
            Ok(small) if small.unsigned_abs() < 1 << 53 => Integer::Small(small),
            _ => Integer::Large(value.to_string()),
        }
    }
}

impl Integer {
    pub(super) fn value(&self) -> Result<i128, FileError> {
        match self {
            Integer::Small(value) => Ok((*value).into()),
            Integer::Large(text) => text
                .parse()
                .map_err(|_| serde::de::Error::custom(format!("`{text}` is no 128-bit integer")))
                .map_err(FileError::Json),
        }
    }
}

pub(super) fn claim_text(net: &Net, claim: &Claim) -> ClaimText {
    match claim {
        Claim::Unreachable(predicate) if depth(predicate) <= SHALLOW => {
            ClaimText::Unreachable(formula(net, predicate))
        }
        Claim::Unreachable(predicate) => {
            ClaimText::Unreachable(Formula::Postfix(postfix(net, predicate)))
        }
        Claim::AtMost(sum, bound) => ClaimText::AtMost(atom_text(net, sum, *bound)),
    }
}

pub(super) fn claim_of(net: &Net, text: &ClaimText) -> Result<Claim, FileError> {
    Ok(match text {
        ClaimText::Unreachable(Formula::Postfix(items)) => {
            Claim::Unreachable(predicate_of_postfix(net, items)?)
        }
        ClaimText::Unreachable(formula) => Claim::Unreachable(predicate(net, formula)?),
        ClaimText::AtMost(text) => {
            let Atom { sum, bound } = atom_of(net, text)?;
            Claim::AtMost(sum, bound)
        }
    })
}

/// All of them, or the first error.
pub(super) fn collect<A, B>(
    list: &[A],
    convert: impl Fn(&A) -> Result<B, FileError>,
) -> Result<Vec<B>, FileError> {
    list.iter().map(convert).collect()
}

pub(super) fn place_named(net: &Net, name: &str) -> Result<PlaceId, FileError> {
    net.place_named(name).ok_or_else(|| FileError::NoSuchName("place", name.to_owned()))
}

pub(super) fn transition_named(net: &Net, name: &str) -> Result<TransitionId, FileError> {
    net.transition_named(name).ok_or_else(|| FileError::NoSuchName("transition", name.to_owned()))
}

pub(super) fn atom_text(net: &Net, sum: &LinearSum, bound: i64) -> AtomText {
    let term = |&(place, a): &(PlaceId, i64)| (net.place_name(place).to_owned(), a);
    AtomText { sum: sum.terms().iter().map(term).collect(), bound }
}

pub(super) fn atom_of(net: &Net, text: &AtomText) -> Result<Atom, FileError> {
    let terms = collect(&text.sum, |(name, a)| Ok((place_named(net, name)?, *a)))?;
    Ok(Atom { sum: LinearSum::new(terms)?, bound: text.bound })
}

/// How many junctions are nested at most, without recursion.
fn depth(predicate: &Predicate) -> usize {
    let (mut deepest, mut open) = (0, vec![(predicate, 0)]);
    while let Some((predicate, depth)) = open.pop() {
        deepest = deepest.max(depth);
        if let Predicate::And(parts) | Predicate::Or(parts) = predicate {
            open.extend(parts.iter().map(|part| (part, depth + 1)));
        }
    }
    deepest
}

fn formula(net: &Net, predicate: &Predicate) -> Formula {
    let all = |parts: &[Predicate]| parts.iter().map(|part| formula(net, part)).collect();
    match predicate {
        Predicate::True => Formula::True,
        Predicate::False => Formula::False,
        Predicate::Atom(atom) => Formula::AtMost(atom_text(net, &atom.sum, atom.bound)),
        Predicate::Enabled(t) => Formula::Enabled(net.transition_name(*t).to_owned()),
        Predicate::Disabled(t) => Formula::Disabled(net.transition_name(*t).to_owned()),
        Predicate::Dead => Formula::Dead,
        Predicate::NotDead => Formula::NotDead,
        Predicate::And(parts) => Formula::And(all(parts)),
        Predicate::Or(parts) => Formula::Or(all(parts)),
    }
}

fn predicate(net: &Net, formula: &Formula) -> Result<Predicate, FileError> {
    Ok(match formula {
        Formula::True => Predicate::True,
        Formula::False => Predicate::False,
        Formula::AtMost(text) => comparison(net, text)?,
        Formula::Enabled(name) => Predicate::Enabled(transition_named(net, name)?),
        Formula::Disabled(name) => Predicate::Disabled(transition_named(net, name)?),
        Formula::Dead => Predicate::Dead,
        Formula::NotDead => Predicate::NotDead,
        Formula::And(parts) => Predicate::and(collect(parts, |part| predicate(net, part))?),
        Formula::Or(parts) => Predicate::or(collect(parts, |part| predicate(net, part))?),
        Formula::Postfix(items) => predicate_of_postfix(net, items)?,
    })
}

fn comparison(net: &Net, text: &AtomText) -> Result<Predicate, FileError> {
    let Atom { sum, bound } = atom_of(net, text)?;
    Ok(Predicate::at_most(sum, bound))
}

fn postfix(net: &Net, predicate: &Predicate) -> Vec<Item> {
    // Junctions before their parts and last parts first, and then the other way round.
    let (mut items, mut open) = (Vec::new(), vec![predicate]);
    while let Some(predicate) = open.pop() {
        if let Predicate::And(parts) | Predicate::Or(parts) = predicate {
            open.extend(parts);
        }
        items.push(match predicate {
            Predicate::True => Item::True,
            Predicate::False => Item::False,
            Predicate::Atom(atom) => Item::AtMost(atom_text(net, &atom.sum, atom.bound)),
            Predicate::Enabled(t) => Item::Enabled(net.transition_name(*t).to_owned()),
            Predicate::Disabled(t) => Item::Disabled(net.transition_name(*t).to_owned()),
            Predicate::Dead => Item::Dead,
            Predicate::NotDead => Item::NotDead,
            Predicate::And(parts) => Item::And(parts.len()),
            Predicate::Or(parts) => Item::Or(parts.len()),
        });
    }
    items.reverse();
    items
}

fn predicate_of_postfix(net: &Net, items: &[Item]) -> Result<Predicate, FileError> {
    // Predicates with how deep they are nested.
    let mut done: Vec<(Predicate, usize)> = Vec::new();
    for item in items {
        let leaf = match item {
            Item::And(count) | Item::Or(count) => {
                let first = done.len().checked_sub(*count).ok_or(FileError::Postfix)?;
                let depth = 1 + done[first..].iter().map(|&(_, depth)| depth).max().unwrap_or(0);
                if depth > DEEPEST {
                    return Err(FileError::TooDeep);
                }
                let parts = done.drain(first..).map(|(part, _)| part);
                let junction = match item {
                    Item::And(_) => Predicate::and(parts.collect::<Vec<_>>()),
                    _ => Predicate::or(parts.collect::<Vec<_>>()),
                };
                done.push((junction, depth));
                continue;
            }
            Item::True => Predicate::True,
            Item::False => Predicate::False,
            Item::AtMost(text) => comparison(net, text)?,
            Item::Enabled(name) => Predicate::Enabled(transition_named(net, name)?),
            Item::Disabled(name) => Predicate::Disabled(transition_named(net, name)?),
            Item::Dead => Predicate::Dead,
            Item::NotDead => Predicate::NotDead,
        };
        done.push((leaf, 0));
    }
    let (predicate, _) = done.pop().filter(|_| done.is_empty()).ok_or(FileError::Postfix)?;
    Ok(predicate)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p ≥ 1 ∧ (p ≤ 5 ∨ (p ≥ 2 ∧ …)).
    fn nested(p: PlaceId, levels: usize) -> Predicate {
        (0..levels).fold(Predicate::at_least(p, 7), |inner, level| match level % 2 {
            0 => Predicate::or([Predicate::no_more_than(p, level as u64), inner]),
            _ => Predicate::and([inner, Predicate::at_least(p, level as u64)]),
        })
    }

    #[test]
    fn any_nesting_is_written_and_read_back() {
        let net = parikh_net::text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let p = net.place_named("p").unwrap();
        for levels in [0, 1, 2, SHALLOW, SHALLOW + 1, 60, 200, 2_000, DEEPEST] {
            let claim = Claim::Unreachable(nested(p, levels));
            let json = serde_json::to_string(&claim_text(&net, &claim)).unwrap();
            assert_eq!(json.contains("postfix"), levels > SHALLOW, "{levels}");
            let read: ClaimText = serde_json::from_str(&json).unwrap();
            assert_eq!(claim_of(&net, &read).unwrap(), claim, "{levels}");
        }
    }

    #[test]
    fn deeper_nesting_and_lists_that_do_not_add_up_are_refused() {
        let net = parikh_net::text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let read = |json: &str| claim_of(&net, &serde_json::from_str(json).unwrap());
        let items: String = (0..100_000)
            .map(|level| format!(r#", {{"enabled": "t"}}, {{"{}": 2}}"#, ["and", "or"][level % 2]))
            .collect();
        let deep = format!(r#"{{"unreachable": {{"postfix": [{{"disabled": "t"}}{items}]}}}}"#);
        assert!(matches!(read(&deep), Err(FileError::TooDeep)));
        for list in [r#"{"and": 1}"#, r#""dead", "dead""#, r#""dead", {"or": 2}"#, ""] {
            let json = format!(r#"{{"unreachable": {{"postfix": [{list}]}}}}"#);
            assert!(matches!(read(&json), Err(FileError::Postfix)), "{list}");
        }
        let fine = read(r#"{"unreachable": {"postfix": ["dead", {"enabled": "t"}, {"and": 2}]}}"#);
        let t = TransitionId::new(0);
        let both = Predicate::and([Predicate::Dead, Predicate::Enabled(t)]);
        assert_eq!(fine.unwrap(), Claim::Unreachable(both));
    }
}
