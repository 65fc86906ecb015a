//! What answers stand on, as the page has it: firing sequences to be played, certificates to be
//! read.
//!
//! Sequences and documents that goals share are kept once. A page has to stay small, so there are
//! limits on both; what is beyond is left out, and said to be.

use super::lit;
use super::reading;
use super::text::Text;
use crate::board::{Evidence, Home, KeptStructure, Knowledge, Maximum, Reach, Witness};
use crate::evidence::replay;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Net, RunProperty, Stage};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// A firing sequence: transitions, each followed by how often it fires in a row.
pub type Steps = Vec<u64>;

/// What is to be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Play {
    /// Which of the traces; none where it is too long for a page.
    pub trace: Option<usize>,
    /// How many firings of it.
    #[serde(serialize_with = "exactly")]
    pub firings: u64,
    /// The trace that repeats for ever after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pump: Option<usize>,
    /// Whether that leads back to the same marking each time, so that it is played for ever.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub comes_back: bool,
    /// What holds along it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<lit::Part>,
}

impl Play {
    /// So many firings of a trace, and nothing after it.
    fn of(trace: Option<usize>, firings: u64) -> Play {
        Play { trace, firings, pump: None, comes_back: false, parts: Vec::new() }
    }
}

/// A number as a page reads it without rounding: beyond what its own numbers hold exactly as text.
fn exactly<S: serde::Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    match *number < COUNTED {
        true => to.serialize_u64(*number),
        false => to.serialize_str(&number.to_string()),
    }
}

/// Longer sequences, with what repeats after them, are more than a page counts exactly, which is up
/// to 2⁵³.
const COUNTED: u64 = 1 << 50;

/// A certificate in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Certificate {
    /// The kind of argument.
    pub kind: &'static str,
    /// Rules applied to make the net that it is about, where that is not the one that was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced_by: Option<usize>,
    /// Whether it is about the net begun at the end of the witness.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_witness: bool,
    /// A line a step.
    pub lines: Vec<Text>,
}

/// What shows one goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// The firing sequence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<Play>,
    /// The certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<usize>,
    /// The stages of a pump that has several.
    #[serde(skip)]
    pub stages: Vec<Stage>,
}

/// Everything shown.
pub(super) struct Store<'n> {
    net: &'n Net,
    pub(super) traces: Vec<Steps>,
    pub(super) certificates: Vec<Certificate>,
    /// Sequences by address, which stays theirs as long as they are kept here.
    sequences: HashMap<*const FiringSequence, (Option<usize>, Arc<FiringSequence>)>,
    documents: HashMap<*const (), (usize, Kept)>,
    steps: usize,
    pieces: usize,
}

/// What keeps an address taken.
#[expect(dead_code, reason = "kept for its address alone")]
enum Kept {
    Document(Arc<crate::evidence::Document>),
    Structure(Arc<crate::evidence::home::Structure>),
}

/// Steps of all traces of a page together.
const MOST_STEPS: usize = 60_000;

/// Pieces of text of all certificates of a page together.
const MOST_PIECES: usize = 25_000;

impl<'n> Store<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        Store {
            net,
            traces: Vec::new(),
            certificates: Vec::new(),
            sequences: HashMap::new(),
            documents: HashMap::new(),
            steps: 0,
            pieces: 0,
        }
    }

    /// What shows a settled goal.
    pub(super) fn of(&mut self, knowledge: &Knowledge) -> Shown {
        match knowledge {
            Knowledge::Reach(Reach::Reached { witness, .. }) => self.witness(witness.as_ref()),
            Knowledge::Reach(Reach::Unreachable { proof, evidence, .. }) => {
                Shown { certificate: self.certificate(evidence, proof.kind()), ..Shown::default() }
            }
            Knowledge::Home(Home::Kept { proof, evidence, .. }) => {
                Shown { certificate: self.certificate(evidence, proof.kind()), ..Shown::default() }
            }
            Knowledge::Home(Home::Lost { witness, proof, evidence, .. }) => {
                let mut shown = self.witness(witness.as_ref());
                shown.certificate = match (&proof.document, evidence) {
                    (Some(document), Evidence::Certified(_)) => {
                        let lines = reading::read(document, self.net, self.net);
                        Some(self.add(proof.kind(), None, true, lines))
                    }
                    _ => self.certificate(evidence, proof.kind()),
                };
                shown
            }
            Knowledge::Maximum(Maximum { unbounded: Some((pumping, _)), .. }) => {
                // Stages are told, and not played: how often each repeats is nobody's choice but
                // the player's.
                let Some(Stage { prefix, pump }) = pumping.only() else {
                    return Shown {
                        stages: pumping.stages().cloned().collect(),
                        ..Shown::default()
                    };
                };
                let (prefix, firings) = (Arc::new(prefix.clone()), prefix.firings());
                let firings = u64::try_from(firings).unwrap_or(u64::MAX);
                let mut play = Play::of(self.trace(&prefix), firings);
                play.pump = self.trace(&Arc::new(pump.clone()));
                Shown { play: Some(play), ..Shown::default() }
            }
            Knowledge::Maximum(Maximum { seen, proved, evidence, .. }) => {
                let witness = seen.as_ref().and_then(|(_, witness, _)| witness.as_ref());
                let mut shown = self.witness(witness);
                if let (Some(evidence), Some((_, proof, _))) = (evidence, proved) {
                    shown.certificate = self.certificate(evidence, proof.kind());
                }
                shown
            }
            _ => Shown::default(),
        }
    }

    /// A run with a property, to be played; one without a loop as any firing sequence.
    pub(super) fn run(&mut self, property: &RunProperty, run: &LassoRun) -> Shown {
        let firings = u64::try_from(run.prefix.firings()).unwrap_or(u64::MAX);
        let mut play = Play::of(self.trace(&Arc::new(run.prefix.clone())), firings);
        if let RunEnd::Repeats(cycle) = &run.end {
            play.pump = self.trace(&Arc::new(cycle.clone()));
            let end = replay(self.net, &run.rounds(1)).ok();
            play.comes_back = end.is_some() && end == replay(self.net, &run.prefix).ok();
        }
        if play.comes_back || run.end == RunEnd::Dead {
            play.parts = lit::parts(self.net, property, run);
        }
        Shown { play: Some(play), ..Shown::default() }
    }

    /// Whether two certificates are none, or read the same.
    pub(super) fn read_alike(&self, one: Option<usize>, other: Option<usize>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => self.certificates[one] == self.certificates[other],
            (one, other) => one == other,
        }
    }

    fn witness(&mut self, witness: Option<&Witness>) -> Shown {
        // A run with loops is not played: it has more firings than anybody looks at.
        let play = match witness {
            Some(Witness::Firings(sequence, firings)) if *firings > 0 => {
                Some(Play::of(self.trace(sequence), *firings))
            }
            _ => None,
        };
        Shown { play, ..Shown::default() }
    }

    fn trace(&mut self, sequence: &Arc<FiringSequence>) -> Option<usize> {
        let address = Arc::as_ptr(sequence);
        if let Some((known, _)) = self.sequences.get(&address) {
            return *known;
        }
        let steps = sequence.steps();
        let few = sequence.firings() < COUNTED.into();
        let fits = self.steps + steps.len() <= MOST_STEPS && few;
        let trace = fits.then_some(self.traces.len());
        if fits {
            self.steps += steps.len();
            let flat = steps.iter().flat_map(|step| [step.transition.index() as u64, step.count]);
            self.traces.push(flat.collect());
        }
        self.sequences.insert(address, (trace, sequence.clone()));
        trace
    }

    fn certificate(&mut self, evidence: &Evidence, kind: &'static str) -> Option<usize> {
        let (address, kept) = match evidence {
            Evidence::Certified(Some(shown)) => {
                let address = Arc::as_ptr(&shown.document).cast::<()>();
                (address, Kept::Document(shown.document.clone()))
            }
            Evidence::Argued(Some(KeptStructure { structure, .. })) => {
                let address = Arc::as_ptr(structure).cast::<()>();
                (address, Kept::Structure(structure.clone()))
            }
            // There is nothing to be read, or it is not kept.
            _ => return None,
        };
        if let Some((known, _)) = self.documents.get(&address) {
            return Some(*known);
        }
        let (on, lines) = match evidence {
            Evidence::Certified(Some(shown)) => {
                let of = shown.on.as_ref().map_or(self.net, |on| &on.net);
                (shown.on.as_ref(), reading::read(&shown.document, of, self.net))
            }
            Evidence::Argued(Some(KeptStructure { structure, on })) => {
                let of = on.as_ref().map_or(self.net, |on| &on.net);
                (on.as_ref(), reading::read_structure(structure, of, self.net))
            }
            _ => return None,
        };
        let logs = std::iter::successors(on, |log| log.of.as_ref());
        let reduced_by = on.map(|_| logs.map(|log| log.log.steps.len()).sum());
        let added = self.add(kind, reduced_by, false, lines);
        self.documents.insert(address, (added, kept));
        Some(added)
    }

    fn add(
        &mut self,
        kind: &'static str,
        reduced_by: Option<usize>,
        after_witness: bool,
        mut lines: Vec<Text>,
    ) -> usize {
        if lines.is_empty() {
            lines.push(Text::words(
                "No step is needed: it contradicts what it is asked of by itself",
            ));
        }
        let pieces: usize = lines.iter().map(Text::len).sum();
        if self.pieces + pieces > MOST_PIECES {
            lines = vec![Text::words(format!(
                "{}, left out because this page has many; parikh check --evidence DIR writes all",
                counted(lines.len(), "line")
            ))];
        } else {
            self.pieces += pieces;
        }
        self.certificates.push(Certificate { kind, reduced_by, after_witness, lines });
        self.certificates.len() - 1
    }
}
