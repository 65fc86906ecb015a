//! Files of evidence, format `parikh-evidence-2`: one JSON object a line, one file an examination.
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
//! The first line also says what is assumed about the model, in the words of
//! [`parikh_net::Assumption`]; whoever checks finds the same in the model.
//!
//! About a coloured model, the second line lists the places and transitions of the net that the
//! rest is about, in order: the colours and bindings that were not left out. About a model with
//! inhibitor or reset arcs, it has the bounds, and caps, by which the net was made that the rest is
//! about ([`NamedTranslation`]). About others there is none.
//!
//! A line is written before those that refer to it. Steps are transitions by name with how often
//! each fires in a row, from the initial marking. Loops are blocks of firings: each turn of a block
//! is a transition by name, or an earlier block by its number from 0, and how often in a row, in
//! quotes where that takes more than 64 bits; the last block is what happens from the initial
//! marking on ([`LoopRun`]). A pump may follow on `earlier` ones, which repeat as often as it needs
//! ([`parikh_net::PumpSequence`]). A reduction ([`NamedLog`]) is `of` the net of another one, a document
//! ([`NamedDocument`]) `on` the net of a reduction, in whose names it is written; without, of or on
//! the net itself. A lasso ([`NamedLasso`](crate::lasso::NamedLasso)) is a run that never ends, and
//! what comes after its prefix: firings that repeat, nothing, or whatever. An argument that no run
//! has a property ([`NamedNoRun`](crate::no_run::NamedNoRun)) says which one, and may rest on
//! predicates that no reachable marking satisfies, which other evidence of the same answer has to
//! show. `visited` says that there are so few markings along runs which may have what is asked that
//! whoever checks visits them ([`VisitedRuns`]). A document `after` a trace is about the net begun
//! from the marking at its end. A structure ([`NamedStructure`]) is an argument about what stays
//! reachable wherever the net goes, `on` the net of a reduction or on the net itself. A count
//! ([`Count`]) says that these are the markings of the net of a reduction that keeps every marking,
//! from which the figures of a state space follow. An answer lists everything that together shows
//! it; `after` is a number of firings, and without it all markings along the trace count. What else
//! a line says is for people.
//!
//! A question has one answer. Where an answer turns out to rest on a false claim of the model, a
//! `withdrawn` line says that it does not stand; after that the question may be answered again. The
//! last line, `end`, says how many answers were printed and stand: as many as the file has that are
//! not withdrawn. A file without it is of a run that was cut short, or that could not write on, and
//! what was printed may not all be there.

use crate::certificate::NamedDocument;
use crate::home::NamedStructure;
use crate::kind::{Kept, Kind};
use crate::reduction::NamedLog;
use num_bigint::BigUint;
use parikh_net::coloured::{Folding, NamedClasses};
use parikh_net::loops::{LoopElement, LoopRun, Turn};
use parikh_net::printable::Quoted;
use parikh_net::translation::Because;
use parikh_net::{FiringSequence, Net, Translation};
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// What this version of the format is called.
pub const FORMAT: &str = "parikh-evidence-2";

/// Any line, of which as much is read as is needed to find it again.
#[derive(Debug)]
pub enum Line {
    /// The first line.
    Header(Header),
    /// The second line, about a coloured model: an [`Unfolding`], which whoever made the net has
    /// read.
    Unfolding,
    /// The second line, about a model with inhibitor or reset arcs:
    /// a [`NamedTranslation`], likewise.
    Translation,
    /// Evidence of some kind, by its id.
    Kept(Kind, String),
    /// An answer.
    Answer(Answer),
    /// The id of a question whose answer before does not stand.
    Withdrawn(String),
    /// The last line.
    End(End),
}

impl<'d> Deserialize<'d> for Line {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Line, D::Error> {
        from.deserialize_map(LineVisitor)
    }
}

/// Reads the one entry of a line: its name says what is in it.
struct LineVisitor;

impl<'d> Visitor<'d> for LineVisitor {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a line of evidence, {\"name\": …}")
    }

    fn visit_map<M: MapAccess<'d>>(self, mut map: M) -> Result<Line, M::Error> {
        let Some(name) = map.next_key::<String>()? else {
            return Err(M::Error::custom("a line of nothing"));
        };
        let line = match &*name {
            "evidence" => Line::Header(map.next_value()?),
            "unfolding" => map.next_value::<IgnoredAny>().map(|_| Line::Unfolding)?,
            "translation" => map.next_value::<IgnoredAny>().map(|_| Line::Translation)?,
            "answer" => Line::Answer(map.next_value()?),
            "withdrawn" => Line::Withdrawn(map.next_value::<Named>()?.id),
            "end" => Line::End(map.next_value()?),
            name => match Kind::named(name) {
                Some(kind) => Line::Kept(kind, map.next_value::<Named>()?.id),
                None => return Err(M::Error::custom(format!("unknown line {}", Quoted(name)))),
            },
        };
        match map.next_key::<IgnoredAny>()? {
            None => Ok(line),
            Some(_) => Err(M::Error::custom("two lines in one")),
        }
    }
}

/// What the file is about.
#[derive(Debug, Default, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The net's name.
    pub net: String,
    /// How many places it has.
    pub places: usize,
    /// How many transitions.
    pub transitions: usize,
    /// The contest's name of what was asked.
    pub examination: String,
    /// What is assumed about the model, as the keys of [`parikh_net::Assumption`] in order; `None`
    /// if the file does not say.
    #[serde(default)]
    pub assumes: Option<Vec<String>>,
}

impl Header {
    /// Returns true if the file says that the token in the source is assumed.
    pub(crate) fn has_assumed_token(&self) -> bool {
        self.assumes.iter().flatten().any(|key| key == "initial-token")
    }
}

/// The nodes of an unfolding by their names, those of one coloured node together, in the order of
/// the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfolding {
    /// Places, `p(red,2)`; `p` where tokens are black.
    pub places: Vec<String>,
    /// Transitions, `t(x=red,y=2)`; `t` where there are no variables.
    pub transitions: Vec<String>,
    /// Of each sort of which colours were made one, as nothing tells them apart, all colours in
    /// classes. Nodes have the names of the first ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<NamedClasses>,
}

/// Something to be referred to.
#[derive(Debug, Deserialize)]
struct Named {
    id: String,
}

/// Transitions by name, and how often each fires in a row.
pub type Steps = Vec<(String, u64)>;

/// A firing sequence from the initial marking.
#[derive(Debug, Deserialize)]
pub struct Trace {
    /// The sequence.
    pub steps: Steps,
}

/// A firing sequence from the initial marking, and what can repeat for ever after it; or the last
/// of several stages ([`parikh_net::PumpSequence`]).
#[derive(Debug, Deserialize)]
pub struct Pump {
    /// The stages before this one.
    #[serde(default)]
    pub earlier: Vec<Stage>,
    /// What comes first.
    pub prefix: Steps,
    /// What repeats.
    pub pump: Steps,
}

/// A stage of a pump.
#[derive(Debug, Deserialize)]
pub struct Stage {
    /// What comes first.
    pub prefix: Steps,
    /// What repeats.
    pub pump: Steps,
}

/// A run with loops from the initial marking.
#[derive(Debug, Deserialize)]
pub struct Loops {
    /// Its blocks.
    pub blocks: Vec<Vec<(Repeated, Times)>>,
}

/// What a turn of a block repeats.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Repeated {
    /// An earlier block.
    Block(usize),
    /// A transition.
    Fire(String),
}

/// How often something is repeated.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Times {
    /// In 64 bits.
    Few(u64),
    /// In decimal digits.
    Many(String),
}

/// A reduction.
#[derive(Debug, Deserialize)]
pub struct Reduction {
    /// The reduction whose net it is of.
    pub of: Option<String>,
    /// How it goes.
    pub log: NamedLog,
}

/// A document and the net that it is about.
#[derive(Debug, Deserialize)]
pub struct About {
    /// The reduction whose net it is.
    pub on: Option<String>,
    /// The trace at whose end the net begins.
    pub after: Option<String>,
    /// The document.
    pub document: NamedDocument,
}

/// An argument about the net as a whole.
#[derive(Debug, Deserialize)]
pub struct AboutAll {
    /// The reduction whose net it is.
    pub on: Option<String>,
    /// The argument.
    pub structure: NamedStructure,
}

/// That no run has what runs must not have, as visiting the markings along those that still may
/// shows.
#[derive(Debug, Serialize, Deserialize)]
pub struct VisitedRuns {
    /// The most markings that are to be visited.
    pub markings: u64,
}

/// A count of all markings, those of a reduced net.
#[derive(Debug, Serialize, Deserialize)]
pub struct Count {
    /// Its id.
    pub id: String,
    /// The reduction whose net is left; it keeps every marking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// How many markings of the parts of that net were visited.
    pub markings: u64,
}

/// An answer and the list of what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// That of the formula, or the examination's name.
    pub id: String,
    /// `TRUE`, `FALSE`, a number, or `+inf`.
    pub value: String,
    /// `units` where the model's own claim of safe units is taken for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<String>,
    /// The search whose word it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// Lines of the file before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<EvidenceReference>,
}

/// The end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// How many answers were printed and stand.
    pub answers: u64,
}

/// An exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// How many markings it visited.
    pub markings: u64,
    /// Whether markings were left out that cannot matter.
    pub stubborn: bool,
}

/// A reference to a line before: `{"trace": "w1", "after": 2}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EvidenceReference {
    /// Of which kind that line is.
    pub kind: Kind,
    /// Its id, which all that refer to it may share.
    pub id: Arc<str>,
    /// After how many firings of a trace to look; all along it without.
    pub after: Option<u64>,
}

impl EvidenceReference {
    /// A line as a whole.
    pub fn new(kind: Kind, id: impl Into<Arc<str>>) -> Self {
        EvidenceReference { kind, id: id.into(), after: None }
    }
}

impl Serialize for EvidenceReference {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        map.serialize_entry(self.kind.name(), &*self.id)?;
        if let Some(after) = self.after {
            map.serialize_entry("after", &after)?;
        }
        map.end()
    }
}

impl<'d> Deserialize<'d> for EvidenceReference {
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<EvidenceReference, D::Error> {
        from.deserialize_map(ShownVisitor)
    }
}

/// Reads a reference: one kind with an id, and `after` where that is a trace.
struct ShownVisitor;

impl<'d> Visitor<'d> for ShownVisitor {
    type Value = EvidenceReference;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a reference to evidence, {\"kind\": \"id\"}")
    }

    fn visit_map<M: MapAccess<'d>>(self, mut map: M) -> Result<EvidenceReference, M::Error> {
        let (mut line, mut after) = (None, None);
        while let Some(name) = map.next_key::<String>()? {
            match (&*name, Kind::named(&name)) {
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
            Some((kind, _)) if after.is_some() && kind != Kind::Trace => {
                Err(M::Error::custom(format!("`after` with a {}", kind.name())))
            }
            Some((kind, id)) => Ok(EvidenceReference { kind, id: id.into(), after }),
            None => Err(M::Error::custom("a reference to nothing")),
        }
    }
}

impl Loops {
    /// The run, in the transitions of `net`.
    ///
    /// # Errors
    /// When the net has no such transition, or the blocks are none of a run.
    pub fn resolve(&self, net: &Net) -> Result<LoopRun, String> {
        let turn = |(part, times): &(Repeated, Times)| {
            let part = match part {
                Repeated::Block(block) => LoopElement::Block(*block),
                Repeated::Fire(name) => {
                    let t = net.transition_named(name);
                    LoopElement::Fire(
                        t.ok_or_else(|| format!("the net has no transition {}", Quoted(name)))?,
                    )
                }
            };
            let times = match times {
                Times::Few(times) => BigUint::from(*times),
                Times::Many(digits) => number_of_times(digits)?,
            };
            Ok::<Turn, String>(Turn { part, times })
        };
        let block = |turns: &Vec<_>| turns.iter().map(turn).collect::<Result<Vec<_>, _>>();
        let blocks = self.blocks.iter().map(block).collect::<Result<Vec<_>, _>>()?;
        LoopRun::new(blocks).map_err(|error| error.to_string())
    }
}

/// A firing sequence, in the transitions of `net`.
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

/// A number of times has so many digits at most.
pub const MOST_DIGITS: usize = 10_000;

/// How often something is repeated, in decimal digits and nothing else.
///
/// # Errors
/// What is wrong with it.
pub fn number_of_times(digits: &str) -> Result<BigUint, String> {
    if digits.len() > MOST_DIGITS {
        return Err(format!("a number of times of more than {MOST_DIGITS} digits"));
    }
    let number = digits.bytes().all(|digit| digit.is_ascii_digit());
    let number = number.then(|| BigUint::parse_bytes(digits.as_bytes(), 10)).flatten();
    number.ok_or_else(|| format!("{} is no number of times", Quoted(digits)))
}

/// The bounds by which a net was translated, with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedTranslation {
    /// One for each place that inhibits or is emptied.
    pub bounds: Vec<NamedBound>,
}

/// A bound on a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedBound {
    /// The place.
    pub place: String,
    /// What it holds at most.
    pub most: u64,
    /// Why.
    pub because: NamedBecause,
}

/// Why a place holds no more: [`Because`] with names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedBecause {
    /// The net has so few markings that they can be visited.
    Visited(u64),
    /// The same, and copies are made only for what places hold together in one of these markings.
    Seen(u64),
    /// Who adds to the place is inhibited by it.
    Capacity,
    /// A sum that no transition raises.
    Weights(Vec<(String, u64)>),
    /// It may hold more: a cap, within which the net that was made does what the model does.
    Cap,
}

impl NamedTranslation {
    /// That of a net's translation, whose first places are the model's.
    pub fn of(core: &Net, translation: &Translation) -> Self {
        let because = |because: &Because| match because {
            Because::Visited(markings) => NamedBecause::Visited(*markings),
            Because::Seen(markings) => NamedBecause::Seen(*markings),
            Because::Capacity => NamedBecause::Capacity,
            Because::Cap => NamedBecause::Cap,
            Because::Weights(weights) => NamedBecause::Weights(
                weights
                    .iter()
                    .map(|&(p, weight)| (core.place_name(p).to_owned(), weight))
                    .collect(),
            ),
        };
        let bounds = translation.bounds().iter().map(|bound| NamedBound {
            place: core.place_name(bound.place).to_owned(),
            most: bound.most,
            because: because(&bound.because),
        });
        NamedTranslation { bounds: bounds.collect() }
    }
}

impl Unfolding {
    /// That of a net.
    pub fn of(net: &Net) -> Self {
        Unfolding {
            places: net.places().map(|p| net.place_name(p).to_owned()).collect(),
            transitions: net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
            classes: net.folding().and_then(Folding::classes).unwrap_or_default().to_vec(),
        }
    }
}

impl Kept for Trace {
    const KIND: Kind = Kind::Trace;
}

impl Kept for Pump {
    const KIND: Kind = Kind::Pump;
}

impl Kept for Loops {
    const KIND: Kind = Kind::Loops;
}

impl Kept for Reduction {
    const KIND: Kind = Kind::Reduction;
}

impl Kept for About {
    const KIND: Kind = Kind::Document;
}

impl Kept for AboutAll {
    const KIND: Kind = Kind::Structure;
}

impl Kept for VisitedRuns {
    const KIND: Kind = Kind::Visited;
}

impl Kept for Count {
    const KIND: Kind = Kind::Count;
}
