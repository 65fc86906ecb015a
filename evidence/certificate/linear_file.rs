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

use super::counters;
use super::lemma::Lemma;
use super::linear::LinearCertificate;
use super::text::{
    AtomText, ClaimText, FileError, Integer, atom_of, atom_text, claim_of, claim_text, collect,
    place_named, transition_named,
};
use parikh_net::{Atom, Net, PlaceId, TransitionId, UnitId};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// The format of sums of inequalities.
pub(super) const FORMAT: &str = "parikh-certificate-1";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, skip_serializing, rename = "id")]
    _id: IgnoredAny,
    #[serde(default, skip_serializing, rename = "on")]
    _on: IgnoredAny,
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

impl LinearCertificate {
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
            _id: IgnoredAny,
            _on: IgnoredAny,
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
    pub fn parse(net: &Net, text: &str) -> Result<(LinearCertificate, String), FileError> {
        let file: File = serde_json::from_str(text)?;
        if file.format != FORMAT {
            return Err(FileError::Format(file.format));
        }
        let counters: Vec<Vec<TransitionId>> =
            collect(&file.counters, |set| collect(set, |name| transition_named(net, name)))?;
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
        let certificate = LinearCertificate {
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
