//! Certificates as JSON, with the model's names.
//!
//! ```json
//! {
//!   "format": "parikh-certificate-1",
//!   "net": "mutex",
//!   "about": "Mutex-PT-02-ReachabilityFireability-07",
//!   "claim": {"unreachable": {"and": [{"at_most": {"sum": [["in1", -1]], "bound": -1}}, "…"]}},
//!   "assumes_safe_units": false,
//!   "atoms": [{"sum": [["in1", -1]], "bound": -1}],
//!   "traps": [["p", "q"]],
//!   "lemmas": [{"atoms": [[0, 1]], "weights": [["lock", 1], ["in1", 1]]}],
//!   "steps": []
//! }
//! ```
//!
//! With `"counters": [["t", "u"]]`, sets of transitions whose firings are counted, the places
//! `firings#0`, `firings#1` … count them. Numbers beyond 53 bits are strings of digits. Unknown fields
//! and names are errors.

use super::{Certificate, Claim, Flaw, Lemma, counters};
use parikh_net::{Atom, LinearSum, Net, PlaceId, Predicate, TransitionId, UnitId};
use serde::{Deserialize, Serialize};

/// The format of sums of inequalities.
pub const FORMAT: &str = "parikh-certificate-1";

/// Why a file is no certificate for the net.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not the JSON expected; says where.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// Another version, or something else entirely.
    #[error("the format is `{0}`; expected `{FORMAT}`, or that of another kind of certificate")]
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
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    net: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    about: String,
    claim: ClaimText,
    assumes_safe_units: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    counters: Vec<Vec<String>>,
    atoms: Vec<AtomText>,
    #[serde(default)]
    traps: Vec<Vec<String>>,
    lemmas: Vec<LemmaText>,
    #[serde(default)]
    steps: Vec<Vec<i32>>,
}

/// A claim in names.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimText {
    /// No reachable marking satisfies it.
    Unreachable(Formula),
    /// The sum never exceeds the bound.
    AtMost(AtomText),
}

/// A predicate in names.
#[allow(missing_docs, reason = "named as the variants of `Predicate`")]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Formula {
    True,
    False,
    AtMost(AtomText),
    Enabled(String),
    Disabled(String),
    Dead,
    NotDead,
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

/// Σ ≤ bound.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtomText {
    sum: Vec<(String, i64)>,
    bound: i64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct LemmaText {
    atoms: Vec<(usize, Integer)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    traps: Vec<(usize, Integer)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    units: Vec<(String, Integer)>,
    #[serde(default)]
    weights: Vec<(String, Integer)>,
}

/// An integer that is a JSON number while every reader holds it exactly, else a string.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub enum Integer {
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
    /// The number.
    ///
    /// # Errors
    /// When the digits are none.
    pub fn value(&self) -> Result<i128, FileError> {
        match self {
            Integer::Small(value) => Ok((*value).into()),
            Integer::Large(text) => text
                .parse()
                .map_err(|_| serde::de::Error::custom(format!("`{text}` is no 128-bit integer")))
                .map_err(FileError::Json),
        }
    }
}

impl Certificate {
    /// The certificate as JSON; `about` says what asked for it, such as a formula's id.
    pub fn print(&self, net: &Net, about: &str) -> String {
        let counting = counters::count(net, &self.counters).ok();
        let all = counting.as_deref().unwrap_or(net);
        let name = |place: PlaceId| all.place_name(place).to_owned();
        let atom = |atom: &Atom| atom_text(all, &atom.sum, atom.bound);
        let transition_name = |&t: &TransitionId| net.transition_name(t).to_owned();
        let pairs = |list: &[(usize, i128)]| {
            list.iter().map(|&(index, factor)| (index, factor.into())).collect()
        };
        let unit_name = |unit: UnitId| match net.units() {
            Some(units) => units.get(unit).name.to_string(),
            None => String::new(),
        };
        let lemma = |lemma: &Lemma| LemmaText {
            atoms: pairs(&lemma.atoms),
            traps: pairs(&lemma.traps),
            units: lemma.units.iter().map(|&(u, factor)| (unit_name(u), factor.into())).collect(),
            weights: lemma.weights.iter().map(|&(p, weight)| (name(p), weight.into())).collect(),
        };
        let file = File {
            format: FORMAT.to_owned(),
            net: net.name().to_owned(),
            about: about.to_owned(),
            claim: claim_text(net, &self.claim),
            assumes_safe_units: self.assumes_units,
            counters: self
                .counters
                .iter()
                .map(|set| set.iter().map(transition_name).collect())
                .collect(),
            atoms: self.atoms.iter().map(atom).collect(),
            traps: self.traps.iter().map(|trap| trap.iter().copied().map(name).collect()).collect(),
            lemmas: self.lemmas.iter().map(lemma).collect(),
            steps: self.steps.clone(),
        };
        // Fails only for maps with keys that are no strings and writers that fail; neither occurs.
        let mut text = serde_json::to_string(&file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads a certificate about `net`; nothing of it is checked yet. What it was asked for comes
    /// with it.
    ///
    /// # Errors
    /// Anything that is not as [`print`](Self::print) writes it.
    pub fn parse(net: &Net, text: &str) -> Result<(Certificate, String), FileError> {
        let file: File = serde_json::from_str(text)?;
        if file.format != FORMAT {
            return Err(FileError::Format(file.format));
        }
        let counters: Vec<Vec<TransitionId>> = collect(&file.counters, |set| {
            collect(set, |name| {
                let known = net.transition_named(name);
                known.ok_or_else(|| FileError::NoSuchName("transition", name.clone()))
            })
        })?;
        let counting = counters::count(net, &counters)?;
        let all = &*counting;
        let units: std::collections::HashMap<&str, UnitId> = match net.units() {
            Some(units) => units.iter().map(|(id, unit)| (&*unit.name, id)).collect(),
            None => Default::default(),
        };
        let pairs = |list: &[(usize, Integer)]| -> Result<Vec<_>, FileError> {
            list.iter().map(|(index, factor)| Ok((*index, factor.value()?))).collect()
        };
        let lemma = |lemma: &LemmaText| -> Result<Lemma, FileError> {
            let unit = |name: &str| {
                let known = units.get(name).copied();
                known.ok_or_else(|| FileError::NoSuchName("unit", name.to_owned()))
            };
            Ok(Lemma {
                atoms: pairs(&lemma.atoms)?,
                traps: pairs(&lemma.traps)?,
                units: collect(&lemma.units, |(name, factor)| Ok((unit(name)?, factor.value()?)))?,
                weights: collect(&lemma.weights, |(name, weight)| {
                    Ok((place_named(all, name)?, weight.value()?))
                })?,
            })
        };
        let certificate = Certificate {
            claim: claim_of(net, &file.claim)?,
            assumes_units: file.assumes_safe_units,
            counters,
            atoms: collect(&file.atoms, |text| atom_of(all, text))?,
            traps: collect(&file.traps, |trap| collect(trap, |name| place_named(all, name)))?,
            lemmas: collect(&file.lemmas, lemma)?,
            steps: file.steps,
        };
        Ok((certificate, file.about))
    }
}

/// A claim in names.
pub fn claim_text(net: &Net, claim: &Claim) -> ClaimText {
    match claim {
        Claim::Unreachable(predicate) => ClaimText::Unreachable(formula(net, predicate)),
        Claim::AtMost(sum, bound) => ClaimText::AtMost(atom_text(net, sum, *bound)),
    }
}

/// The claim that is meant.
///
/// # Errors
/// With the first name that is not known.
pub fn claim_of(net: &Net, text: &ClaimText) -> Result<Claim, FileError> {
    Ok(match text {
        ClaimText::Unreachable(formula) => Claim::Unreachable(predicate(net, formula)?),
        ClaimText::AtMost(text) => {
            let Atom { sum, bound } = atom_of(net, text)?;
            Claim::AtMost(sum, bound)
        }
    })
}

/// All of them, or the first error.
///
/// # Errors
/// The first one.
pub fn collect<A, B>(
    list: &[A],
    convert: impl Fn(&A) -> Result<B, FileError>,
) -> Result<Vec<B>, FileError> {
    list.iter().map(convert).collect()
}

/// The place of this name.
///
/// # Errors
/// When there is none.
pub fn place_named(net: &Net, name: &str) -> Result<PlaceId, FileError> {
    net.place_named(name).ok_or_else(|| FileError::NoSuchName("place", name.to_owned()))
}

fn atom_text(net: &Net, sum: &LinearSum, bound: i64) -> AtomText {
    let term = |&(place, a): &(PlaceId, i64)| (net.place_name(place).to_owned(), a);
    AtomText { sum: sum.terms().iter().map(term).collect(), bound }
}

fn atom_of(net: &Net, text: &AtomText) -> Result<Atom, FileError> {
    let terms = collect(&text.sum, |(name, a)| Ok((place_named(net, name)?, *a)))?;
    Ok(Atom { sum: LinearSum::new(terms)?, bound: text.bound })
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
    let transition = |name: &String| {
        let known = net.transition_named(name);
        known.ok_or_else(|| FileError::NoSuchName("transition", name.clone()))
    };
    Ok(match formula {
        Formula::True => Predicate::True,
        Formula::False => Predicate::False,
        Formula::AtMost(text) => {
            let Atom { sum, bound } = atom_of(net, text)?;
            Predicate::at_most(sum, bound)
        }
        Formula::Enabled(name) => Predicate::Enabled(transition(name)?),
        Formula::Disabled(name) => Predicate::Disabled(transition(name)?),
        Formula::Dead => Predicate::Dead,
        Formula::NotDead => Predicate::NotDead,
        Formula::And(parts) => Predicate::and(collect(parts, |part| predicate(net, part))?),
        Formula::Or(parts) => Predicate::or(collect(parts, |part| predicate(net, part))?),
    })
}
