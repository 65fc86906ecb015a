//! Evidence files, format `parikh-evidence-2`: one JSON object per line, one file per examination.
//!
//! ```json
//! {"evidence": {"format": "parikh-evidence-2", "net": "mutex", "places": 5, "transitions": 4, "examination": "OneSafe", "assumes": []}}
//! {"unfolding": {"places": ["p(red)", "p(blue)"], "transitions": ["t(x=red)"],
//!                "classes": [[["red", "green"], ["blue"]]]}}
//! {"translation": {"bounds": [{"place": "p", "most": 3, "because": {"weights": [["p", 1], ["q", 2]]}}]}}
//! {"trace": {"id": "w1", "steps": [["enter1", 1], ["leave1", 1]]}}
//! {"pump": {"id": "p1", "prefix": [["enter1", 1]], "pump": [["work", 3]]}}
//! {"pump": {"id": "p2", "earlier": [{"prefix": [], "pump": [["fill", 1]]}], "prefix": [["close", 1]], "pump": [["make", 1]]}}
//! {"loops": {"id": "l1", "blocks": [[["put", 1], ["take", 2]], [["enter1", 1], [0, "36893488147419103232"]]]}}
//! {"reduction": {"id": "r1", "log": {"preserves": ["reachability"], "support": ["in1"], "protected": [],
//!                                    "steps": [{"rule": "implicit-places", "places": ["done"]}]}}}
//! {"reduction": {"id": "r2", "of": "r1", "log": {"…": "…"}}}
//! {"lasso": {"id": "o1", "prefix": [["enter1", 1]], "repeats": [["leave1", 1], ["enter1", 1]]}}
//! {"document": {"id": "d1", "on": "r2", "document": {"bounds": {"…": "…"}}}}
//! {"document": {"id": "d2", "after": "w1", "document": {"markings": 7}}}
//! {"structure": {"id": "s1", "structure": {"finitely": [["idle1", 1]]}}}
//! {"structure": {"id": "s2", "on": "r4", "structure": {"visited": 48}}}
//! {"no_run": {"id": "n1", "atoms": ["…"], "formulas": ["…"], "formula": 2, "states": ["…"], "…": "…"}}
//! {"visited": {"id": "v1", "markings": 48}}
//! {"labelling": {"id": "b1", "atoms": ["…"], "formulas": ["…"], "formula": 3, "markings": ["…"], "…": "…"}}
//! {"count": {"id": "c1", "on": "r3", "markings": 12}}
//! {"answer": {"id": "mutex-UpperBounds-03", "value": "17", "evidence": "certified", "because": "…",
//!             "shown_by": [{"trace": "w1", "after": 2}, {"document": "d1"}]}}
//! {"withdrawn": {"id": "mutex-UpperBounds-03"}}
//! {"end": {"answers": 15}}
//! ```
//!
//! The first line also lists the assumptions about the model, as the keys of
//! [`parikh_net::Assumption`]. A checker finds the same assumptions in the model.
//!
//! For a coloured model, the second line lists in order the places and transitions of the unfolding
//! that the evidence is about; unused colours and bindings are left out. For a model with inhibitor
//! or reset arcs, the second line has the bounds and caps by which the net of the evidence was made
//! ([`NamedTranslation`]). Other models have no second line.
//!
//! A line stands before all lines that refer to it. The lines are:
//!
//! - `trace`: a firing sequence from the initial marking. Each step is a transition by name, and
//!   how often it fires in a row.
//! - `loops`: an accelerated sequence ([`LoopRun`]), as blocks. Each element of a block is a
//!   transition by name, or an earlier block by its number from 0, with the number of repetitions
//!   (in quotes if it needs more than 64 bits). The last block starts at the initial marking.
//! - `pump`: a self-covering sequence. `earlier` stages repeat as often as the later ones need
//!   ([`parikh_net::PumpSequence`]).
//! - `reduction` ([`NamedLog`]): a net transformation, `of` the net of another reduction or of the
//!   net itself.
//! - `document` ([`NamedDocument`]): a refutation, `on` the net of a reduction, in whose names it
//!   is written, or on the net itself. A document `after` a trace is about the net with the marking
//!   at the end of the trace as its initial marking.
//! - `lasso` ([`NamedLasso`](crate::lasso::NamedLasso)): an infinite run. Its prefix is followed by
//!   firings that repeat, by a dead marking, or by any run.
//! - `no_run` ([`NamedNoRun`](crate::no_run::NamedNoRun)): a proof that no run has a certain
//!   property. It may use predicates that no reachable marking satisfies, which other evidence of
//!   the same answer has to prove.
//! - `visited` ([`NoRunByVisit`]): no run has the property, and the runs that may still have it
//!   visit so few markings that the checker visits these itself.
//! - `structure` ([`NamedHomeArgument`]): a proof about what stays reachable from all reachable
//!   markings, `on` the net of a reduction or on the net itself.
//! - `count` ([`CountLine`]): the number of markings of the net of a reduction that keeps every
//!   marking. The figures of the state space follow from it.
//! - `answer`: the answer to a question, with all evidence that together proves it. `after` is a
//!   number of firings of a trace; without it, the markings after each step of the trace count.
//!   Further entries are only information for the reader.
//!
//! A question has one answer. If an answer turns out to rest on a false claim of the model, a
//! `withdrawn` line takes it back, and the question may be answered again. The last line, `end`,
//! has the number of answers that were printed and not withdrawn, which equals the number of such
//! answers in the file. If it is missing, the run was interrupted or could not write, and answers
//! may be missing from the file.

use crate::certificate::NamedDocument;
use crate::home::NamedHomeArgument;
use crate::kind::{EvidenceContent, EvidenceKind};
use crate::reduction::NamedLog;
use num_bigint::BigUint;
use parikh_net::coloured::{Folding, NamedClasses};
use parikh_net::loops::{LoopElement, LoopRun, RepeatedElement};
use parikh_net::printable::Quoted;
use parikh_net::translation::BoundReason;
use parikh_net::{FiringSequence, Net, Translation};
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// The name of this version of the format.
pub const FORMAT: &str = "parikh-evidence-2";

/// A line of the file. Evidence lines are parsed only as far as their kind and id.
#[derive(Debug)]
pub enum EvidenceLine {
    /// The first line.
    Header(FileHeader),
    /// The second line for a coloured model, an [`Unfolding`]. Its content is read elsewhere, when
    /// the net is made.
    Unfolding,
    /// The second line for a model with inhibitor or reset arcs, a [`NamedTranslation`]. Its
    /// content is read elsewhere, when the net is made.
    Translation,
    /// A line of evidence, by its kind and id.
    Evidence(EvidenceKind, String),
    /// An answer.
    Answer(AnswerLine),
    /// The id of a question whose earlier answer is withdrawn.
    Withdrawn(String),
    /// The last line.
    End(EndLine),
}

impl<'d> Deserialize<'d> for EvidenceLine {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<EvidenceLine, D::Error> {
        from.deserialize_map(LineVisitor)
    }
}

/// Deserializes a line: an object with a single entry, whose key determines the content.
struct LineVisitor;

impl<'d> Visitor<'d> for LineVisitor {
    type Value = EvidenceLine;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line of evidence, {\"name\": …}")
    }

    fn visit_map<M: MapAccess<'d>>(self, mut map: M) -> Result<EvidenceLine, M::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(M::Error::custom("an empty line object"));
        };
        let line = match &*name {
            "evidence" => EvidenceLine::Header(map.next_value()?),
            "unfolding" => map.next_value::<IgnoredAny>().map(|_| EvidenceLine::Unfolding)?,
            "translation" => map.next_value::<IgnoredAny>().map(|_| EvidenceLine::Translation)?,
            "answer" => EvidenceLine::Answer(map.next_value()?),
            "withdrawn" => EvidenceLine::Withdrawn(map.next_value::<LineId>()?.id),
            "end" => EvidenceLine::End(map.next_value()?),
            name => match EvidenceKind::named(name) {
                Some(kind) => EvidenceLine::Evidence(kind, map.next_value::<LineId>()?.id),
                None => return Err(M::Error::custom(format!("unknown line {}", Quoted(name)))),
            },
        };
        match map.next_key::<IgnoredAny>()? {
            None => Ok(line),
            Some(_) => Err(M::Error::custom("two kinds of evidence in one line")),
        }
    }
}

/// The first line: the model and the examination that the file is about.
#[derive(Debug, Default, Deserialize)]
pub struct FileHeader {
    /// The version of the format, [`FORMAT`].
    pub format: String,
    /// The net's name.
    pub net: String,
    /// The number of places of the net that the evidence is about.
    pub places: usize,
    /// The number of transitions of the net that the evidence is about.
    pub transitions: usize,
    /// The name of the examination, for example `OneSafe` or `3-Soundness`.
    pub examination: String,
    /// The assumptions about the model, as keys of [`parikh_net::Assumption`] in order. `None` if
    /// the file does not list them.
    #[serde(default)]
    pub assumes: Option<Vec<String>>,
}

impl FileHeader {
    /// Returns true if the file says that a token in the source place of the net is assumed.
    pub(crate) fn has_assumed_token(&self) -> bool {
        self.assumes.iter().flatten().any(|key| key == "initial-token")
    }
}

/// The places and transitions of an unfolding by name. The nodes of one coloured node are adjacent,
/// in the order of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfolding {
    /// The places, as `p(red,2)`, or `p` for a place without colours.
    pub places: Vec<String>,
    /// The transitions, as `t(x=red,y=2)`, or `t` for a transition without variables.
    pub transitions: Vec<String>,
    /// For each sort with merged colours, the classes of equivalent colours. Nodes are named by the
    /// first colour of each class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<NamedClasses>,
}

/// The id of a line. Other entries are ignored.
#[derive(Debug, Deserialize)]
struct LineId {
    id: String,
}

/// Transitions by name, each with the number of firings in a row.
pub type Steps = Vec<(String, u64)>;

/// A firing sequence from the initial marking.
#[derive(Debug, Deserialize)]
pub struct TraceLine {
    /// The sequence.
    pub steps: Steps,
}

/// A firing sequence from the initial marking, and firings that can repeat forever after it. With
/// `earlier` stages, it is the last stage ([`parikh_net::PumpSequence`]).
#[derive(Debug, Deserialize)]
pub struct PumpLine {
    /// Earlier stages of the sequence.
    #[serde(default)]
    pub earlier: Vec<PumpStage>,
    /// The firings before the pump.
    pub prefix: Steps,
    /// The repeated firings.
    pub pump: Steps,
}

/// An earlier stage of a pumping sequence.
#[derive(Debug, Deserialize)]
pub struct PumpStage {
    /// The firings before the pump.
    pub prefix: Steps,
    /// The repeated firings.
    pub pump: Steps,
}

/// An accelerated sequence from the initial marking.
#[derive(Debug, Deserialize)]
pub struct LoopsLine {
    /// The blocks. A block refers only to earlier blocks, and the last block is the whole run.
    pub blocks: Vec<Vec<(LoopPart, Repetitions)>>,
}

/// An element of a block, which is repeated.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum LoopPart {
    /// An earlier block.
    Block(usize),
    /// A transition.
    Fire(String),
}

/// A number of repetitions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Repetitions {
    /// A number in 64 bits.
    Few(u64),
    /// A number in decimal digits, usually of more than 64 bits.
    Many(String),
}

/// A reduction.
#[derive(Debug, Deserialize)]
pub struct ReductionLine {
    /// The reduction whose net is reduced further; the original net if absent.
    pub of: Option<String>,
    /// The steps of the reduction.
    pub log: NamedLog,
}

/// The content of a line with a document. The ids of two other lines identify the net that the
/// document is about: a reduction, and a trace to the initial marking.
#[derive(Debug, Deserialize)]
pub struct DocumentLine {
    /// The reduction whose net the document is about; the original net if absent.
    pub on: Option<String>,
    /// The trace whose last marking is the initial marking of the net; if absent, the net keeps its
    /// own initial marking.
    pub after: Option<String>,
    /// The document.
    pub document: NamedDocument,
}

/// An argument about the predicates that stay reachable from all reachable markings.
#[derive(Debug, Deserialize)]
pub struct StructureLine {
    /// The reduction whose net the argument is about; the original net if absent.
    pub on: Option<String>,
    /// The argument.
    pub structure: NamedHomeArgument,
}

/// The statement that no run has a property, to be checked by visiting the markings along the runs
/// that may still have it.
#[derive(Debug, Serialize, Deserialize)]
pub struct NoRunByVisit {
    /// The number of markings that the checker may visit for each property. If the checker's own
    /// limit is larger, that limit applies.
    pub markings: u64,
}

/// The number of reachable markings, counted on a reduced net.
#[derive(Debug, Serialize, Deserialize)]
pub struct CountLine {
    /// The id of the line.
    pub id: String,
    /// The reduction whose net is counted, which keeps every marking; the original net if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The number of markings that were visited, summed over the components of the reduced net.
    pub markings: u64,
}

/// An assumption of a single answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerAssumption {
    /// The model's claim that its units are safe (NUPN).
    Units,
}

/// An answer with references to its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerLine {
    /// The id of the formula, or the name of the examination.
    pub id: String,
    /// `TRUE`, `FALSE`, a number, or `+inf`.
    pub value: String,
    /// The assumptions of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<AnswerAssumption>,
    /// The exhaustive search that the answer rests on, alone or together with the evidence in
    /// `shown_by`. Absent if the evidence proves the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<ExhaustiveSearch>,
    /// References to earlier lines of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<EvidenceReference>,
}

/// The last line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndLine {
    /// The number of answers that were printed and not withdrawn.
    pub answers: u64,
}

/// An exhaustive search of the reachable markings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExhaustiveSearch {
    /// The number of visited markings.
    pub markings: u64,
    /// True if the search used stubborn sets.
    pub stubborn: bool,
}

/// A reference to an earlier line: `{"trace": "w1", "after": 2}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EvidenceReference {
    /// The kind of the line.
    pub kind: EvidenceKind,
    /// The id of the line, shared between references.
    pub id: Arc<str>,
    /// The number of firings of a trace after which its marking counts. Without it, the markings
    /// after each step of the trace count, that is, after one transition's firings in a row.
    pub prefix_length: Option<u64>,
}

impl EvidenceReference {
    /// Returns a reference to a whole line.
    pub fn new(kind: EvidenceKind, id: impl Into<Arc<str>>) -> Self {
        EvidenceReference { kind, id: id.into(), prefix_length: None }
    }
}

impl Serialize for EvidenceReference {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry(self.kind.name(), &*self.id)?;
        if let Some(after) = self.prefix_length {
            map.serialize_entry("after", &after)?;
        }
        map.end()
    }
}

impl<'d> Deserialize<'d> for EvidenceReference {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<EvidenceReference, D::Error> {
        from.deserialize_map(ReferenceVisitor)
    }
}

/// Deserializes a reference: a kind with an id, and optionally `after` for a trace.
struct ReferenceVisitor;

impl<'d> Visitor<'d> for ReferenceVisitor {
    type Value = EvidenceReference;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reference to evidence, {\"kind\": \"id\"}")
    }

    fn visit_map<M: MapAccess<'d>>(self, mut map: M) -> Result<EvidenceReference, M::Error> {
        let (mut line, mut after) = (None, None);
        while let Some(name) = map.next_key::<String>()? {
            match (&*name, EvidenceKind::named(&name)) {
                ("after", _) if after.is_none() => after = Some(map.next_value::<Option<u64>>()?),
                (_, Some(kind)) if line.is_none() => {
                    line = Some((kind, map.next_value::<String>()?))
                }
                _ => {
                    return Err(M::Error::custom(format!("unknown reference {}", Quoted(&name))));
                }
            }
        }
        let after = after.flatten();
        match line {
            Some((kind, _)) if after.is_some() && kind != EvidenceKind::Trace => {
                Err(M::Error::custom(format!("`after` with a {}", kind.name())))
            }
            Some((kind, id)) => Ok(EvidenceReference { kind, id: id.into(), prefix_length: after }),
            None => Err(M::Error::custom("an empty reference")),
        }
    }
}

impl LoopsLine {
    /// Returns the run in the transitions of `net`.
    ///
    /// # Errors
    /// When a transition is not known, or the blocks form no run.
    pub fn resolve(&self, net: &Net) -> Result<LoopRun, String> {
        let repeated = |(part, times): &(LoopPart, Repetitions)| {
            let part = match part {
                LoopPart::Block(block) => LoopElement::Block(*block),
                LoopPart::Fire(name) => {
                    let t = net.transition_named(name);
                    LoopElement::Fire(
                        t.ok_or_else(|| format!("the net has no transition {}", Quoted(name)))?,
                    )
                }
            };
            let times = match times {
                Repetitions::Few(times) => BigUint::from(*times),
                Repetitions::Many(digits) => parse_repetitions(digits)?,
            };
            Ok::<RepeatedElement, String>(RepeatedElement { element: part, times })
        };
        let block =
            |elements: &Vec<_>| elements.iter().map(repeated).collect::<Result<Vec<_>, _>>();
        let blocks = self.blocks.iter().map(block).collect::<Result<Vec<_>, _>>()?;
        LoopRun::new(blocks).map_err(|error| error.to_string())
    }
}

/// Returns the firing sequence in the transitions of `net`.
///
/// # Errors
/// When the net has no such transition.
pub fn sequence(net: &Net, steps: &Steps) -> Result<FiringSequence, String> {
    let mut sequence = FiringSequence::new();
    for (name, count) in steps {
        let t = net.transition_named(name);
        let t = t.ok_or_else(|| format!("the net has no transition {}", Quoted(name)))?;
        sequence.push(t, *count);
    }
    Ok(sequence)
}

/// The maximum number of digits in a number of repetitions.
pub const MAX_DIGITS: usize = 10_000;

/// Parses a number of repetitions, which consists of decimal digits only.
///
/// # Errors
/// When the text has no digit, another character, or more than [`MAX_DIGITS`] digits.
pub fn parse_repetitions(digits: &str) -> Result<BigUint, String> {
    if digits.len() > MAX_DIGITS {
        return Err(format!("a number of repetitions with more than {MAX_DIGITS} digits"));
    }
    let is_decimal = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = is_decimal.then(|| BigUint::parse_bytes(digits.as_bytes(), 10)).flatten();
    number.ok_or_else(|| format!("{} is not a number of repetitions", Quoted(digits)))
}

/// The bounds and caps by which a net with inhibitor or reset arcs was translated, with names. A
/// cap is a number of tokens up to which the translated net is exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTranslation {
    /// The bounds. Each place with an inhibitor or reset arc must have exactly one.
    pub bounds: Vec<NamedBound>,
}

/// An upper bound on the tokens of a place, or a cap if `because` says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBound {
    /// The name of the place.
    pub place: String,
    /// The upper bound or the cap.
    pub most: u64,
    /// The justification of the bound, or the statement that it is a cap.
    pub because: NamedBecause,
}

/// The justification of an upper bound, or the statement that it is a cap: [`BoundReason`] with
/// names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBecause {
    /// The bound holds in all reachable markings of the net. The field is the number of markings
    /// that the translator visited. The checker visits them again, within its own limit, and
    /// ignores the field.
    Visited(u64),
    /// Like `Visited`, but the translation copies transitions only for combinations of tokens that
    /// occur together in a visited marking.
    Seen(u64),
    /// Every transition that increases the tokens of the place leaves at most the bound there. The
    /// reason is that the place inhibits the transition, or the transition resets the place.
    Capacity,
    /// The weights of a sum of tokens that no transition increases.
    Weights(Vec<(String, u64)>),
    /// The number is a cap. The place may hold more tokens, and the translated net behaves like the
    /// model as long as it does not.
    Cap,
}

impl NamedTranslation {
    /// Writes a translation with names. The first places of the translated net are the places of
    /// `core`.
    pub fn of(core: &Net, translation: &Translation) -> Self {
        let because = |because: &BoundReason| match because {
            BoundReason::Visited(markings) => NamedBecause::Visited(*markings),
            BoundReason::VisitedResetCounts(markings) => NamedBecause::Seen(*markings),
            BoundReason::Capacity => NamedBecause::Capacity,
            BoundReason::Cap => NamedBecause::Cap,
            BoundReason::Weights(weights) => NamedBecause::Weights(
                weights
                    .iter()
                    .map(|&(p, weight)| (core.place_name(p).to_owned(), weight))
                    .collect(),
            ),
        };
        let bounds = translation.bounds().iter().map(|bound| NamedBound {
            place: core.place_name(bound.place).to_owned(),
            most: bound.max_tokens,
            because: because(&bound.reason),
        });
        NamedTranslation { bounds: bounds.collect() }
    }
}

impl Unfolding {
    /// Returns the place and transition names of an unfolding, and its classes of merged colours.
    pub fn of(net: &Net) -> Self {
        Unfolding {
            places: net.places().map(|p| net.place_name(p).to_owned()).collect(),
            transitions: net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
            classes: net.folding().and_then(Folding::classes).unwrap_or_default().to_vec(),
        }
    }
}

impl EvidenceContent for TraceLine {
    const KIND: EvidenceKind = EvidenceKind::Trace;
}

impl EvidenceContent for PumpLine {
    const KIND: EvidenceKind = EvidenceKind::Pump;
}

impl EvidenceContent for LoopsLine {
    const KIND: EvidenceKind = EvidenceKind::Loops;
}

impl EvidenceContent for ReductionLine {
    const KIND: EvidenceKind = EvidenceKind::Reduction;
}

impl EvidenceContent for DocumentLine {
    const KIND: EvidenceKind = EvidenceKind::Document;
}

impl EvidenceContent for StructureLine {
    const KIND: EvidenceKind = EvidenceKind::Structure;
}

impl EvidenceContent for NoRunByVisit {
    const KIND: EvidenceKind = EvidenceKind::Visited;
}

impl EvidenceContent for CountLine {
    const KIND: EvidenceKind = EvidenceKind::Count;
}
