//! The evidence of answers as data for the page: firing sequences to play and certificates to read.
//!
//! Sequences and documents that several goals share are stored once. Two limits keep the page
//! small. Sequences beyond the limit are left out. For a certificate beyond the limit, a line says
//! that it is left out.

use super::lit;
use super::reading;
use super::text::Sentence;
use parikh_engine::board::{
    Evidence, HomeKnowledge, KeptStructure, Knowledge, Maximum, ProvedBound, ReachKnowledge,
    Witness,
};
use parikh_evidence::replay;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::printable::counted;
use parikh_net::{FiringSequence, Net, RunProperty, Stage};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// A firing sequence, flattened: each transition's index is followed by its number of consecutive
/// firings.
pub type FlatSequence = Vec<u64>;

/// A firing sequence to play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedSequence {
    /// The index of the trace in the list of the page. `None` if the sequence has too many firings,
    /// or the page has no space left for its steps.
    pub trace: Option<usize>,
    /// The number of firings of the trace to play.
    #[serde(serialize_with = "serialize_exactly")]
    pub firings: u64,
    /// The index of the trace that repeats forever after the prefix. `None` if no trace repeats, or
    /// the repeated trace is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pump: Option<usize>,
    /// True if the repeated trace leads back to the marking in which it starts, so that the page
    /// can play it forever. The flag is independent of the page's limit on traces.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub comes_back: bool,
    /// The subformulas of the property with their values along the run. Empty if the evidence is no
    /// run, or no values are computed for the run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<lit::SubformulaValues>,
}

impl PlayedSequence {
    /// Returns the sequence of the first `firings` firings of a trace, for the page to play.
    fn of(trace: Option<usize>, firings: u64) -> PlayedSequence {
        PlayedSequence { trace, firings, pump: None, comes_back: false, parts: Vec::new() }
    }
}

/// Serialises a number so that JavaScript does not round it. Numbers from [`TOO_MANY_FIRINGS`] on
/// become text.
fn serialize_exactly<S: serde::Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
    match *number < TOO_MANY_FIRINGS {
        true => to.serialize_u64(*number),
        false => to.serialize_str(&number.to_string()),
    }
}

/// The number of firings from which a sequence is too long to play. JavaScript represents numbers
/// up to 2⁵³ exactly, and the limit leaves room for the firings of a repeated suffix.
const TOO_MANY_FIRINGS: u64 = 1 << 50;

/// A certificate described in words, for readers of the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CertificateText {
    /// The name of the proof method.
    pub kind: &'static str,
    /// The number of rule applications that lead to the certificate's net, if the certificate is
    /// about a reduced net.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced_by: Option<usize>,
    /// True if the certificate is about the net that starts at the end of the witness.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub after_witness: bool,
    /// The lines to show, about one per step. If there are too many, the last line says how many
    /// are left out. If the page is full, a single line says so.
    pub lines: Vec<Sentence>,
}

/// The evidence for a goal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GoalEvidence {
    /// The firing sequence. `None` if the evidence has no witness, a witness without firings, or an
    /// accelerated witness, that is, one with nested loops. Also `None` for a self-covering
    /// sequence in several stages. A sequence that is left out for its length is `Some`, without a
    /// trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub play: Option<PlayedSequence>,
    /// The index of the certificate in the list of the page. `None` if the evidence has no kept
    /// certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificate: Option<usize>,
    /// The stages of a self-covering sequence in several stages. Empty for other evidence.
    #[serde(skip)]
    pub stages: Vec<Stage>,
}

/// The evidence on a page.
pub(super) struct EvidenceStore<'n> {
    net: &'n Net,
    /// The firing sequences on the page. [`PlayedSequence`] refers to them by index.
    pub(super) traces: Vec<FlatSequence>,
    /// The certificates, to which answers refer by index.
    pub(super) certificates: Vec<CertificateText>,
    /// The index of each stored sequence in `traces`, by the address of the sequence. The index is
    /// `None` if the page leaves the sequence out. Keeping the sequence alive keeps its address
    /// unique.
    sequences: HashMap<*const FiringSequence, (Option<usize>, Arc<FiringSequence>)>,
    /// The index of the certificate, by the address of its document or of its home-space argument.
    /// The reference keeps this object alive, so that its address stays unique.
    documents: HashMap<*const (), (usize, KeptReference)>,
    /// The number of steps in all traces so far.
    steps: usize,
    /// The number of text pieces in all certificates so far that are not left out.
    pieces: usize,
}

/// A reference that keeps the address of a document or of a home-space argument unique.
#[expect(dead_code, reason = "kept for its address alone")]
enum KeptReference {
    Document(Arc<parikh_evidence::Document>),
    Structure(Arc<parikh_evidence::home::HomeArgument>),
}

/// The largest number of steps in all traces of a page together.
const MAX_TRACE_STEPS: usize = 60_000;

/// The largest number of text pieces in all certificates of a page together.
const MAX_CERTIFICATE_PIECES: usize = 25_000;

impl<'n> EvidenceStore<'n> {
    pub(super) fn new(net: &'n Net) -> Self {
        EvidenceStore {
            net,
            traces: Vec::new(),
            certificates: Vec::new(),
            sequences: HashMap::new(),
            documents: HashMap::new(),
            steps: 0,
            pieces: 0,
        }
    }

    /// Stores the evidence of a settled goal.
    pub(super) fn store_goal(&mut self, knowledge: &Knowledge) -> GoalEvidence {
        match knowledge {
            Knowledge::Reach(ReachKnowledge::Reached { witness, .. }) => {
                self.store_witness(witness.as_ref())
            }
            Knowledge::Reach(ReachKnowledge::Unreachable { proof, evidence, .. }) => GoalEvidence {
                certificate: self.store_certificate(evidence, proof.kind()),
                ..GoalEvidence::default()
            },
            Knowledge::Home(HomeKnowledge::StaysReachable { proof, evidence, .. }) => {
                GoalEvidence {
                    certificate: self.store_certificate(evidence, proof.kind()),
                    ..GoalEvidence::default()
                }
            }
            Knowledge::Home(HomeKnowledge::BecomesUnreachable {
                witness, proof, evidence, ..
            }) => {
                let mut shown = self.store_witness(witness.as_ref());
                shown.certificate = match (&proof.document, evidence) {
                    (Some(document), Evidence::Certified(_)) => {
                        let start = match witness {
                            None => Some(self.net.initial().clone()),
                            Some(witness) => witness
                                .to_sequence()
                                .and_then(|sequence| replay(self.net, &sequence).ok()),
                        };
                        let lines = reading::read_from(document, self.net, start, self.net);
                        Some(self.add_certificate(proof.kind(), None, true, lines))
                    }
                    _ => self.store_certificate(evidence, proof.kind()),
                };
                shown
            }
            Knowledge::Maximum(Maximum { unbounded: Some((pumping, _)), .. }) => {
                // A self-covering sequence with several stages is described in words. The page
                // cannot play it, because the numbers of repetitions are not fixed.
                let Some(Stage { prefix, pump }) = pumping.only() else {
                    return GoalEvidence {
                        stages: pumping.stages().cloned().collect(),
                        ..GoalEvidence::default()
                    };
                };
                let (prefix, firings) = (Arc::new(prefix.clone()), prefix.firings());
                let firings = u64::try_from(firings).unwrap_or(u64::MAX);
                let mut play = PlayedSequence::of(self.store_trace(&prefix), firings);
                play.pump = self.store_trace(&Arc::new(pump.clone()));
                GoalEvidence { play: Some(play), ..GoalEvidence::default() }
            }
            Knowledge::Maximum(Maximum { largest_seen: seen, proved, .. }) => {
                let witness = seen.as_ref().and_then(|seen| seen.witness.as_ref());
                let mut shown = self.store_witness(witness);
                if let Some(ProvedBound { proof, evidence, .. }) = proved {
                    shown.certificate = self.store_certificate(evidence, proof.kind());
                }
                shown
            }
            _ => GoalEvidence::default(),
        }
    }

    /// Stores a run that satisfies the property, for the page to play. A run without a cycle is
    /// played like any firing sequence.
    pub(super) fn store_run(&mut self, property: &RunProperty, run: &LassoRun) -> GoalEvidence {
        let firings = u64::try_from(run.prefix.firings()).unwrap_or(u64::MAX);
        let mut play = PlayedSequence::of(self.store_trace(&Arc::new(run.prefix.clone())), firings);
        if let RunEnd::Repeats(cycle) = &run.end {
            play.pump = self.store_trace(&Arc::new(cycle.clone()));
            let end = replay(self.net, &run.rounds(1)).ok();
            play.comes_back = end.is_some() && end == replay(self.net, &run.prefix).ok();
        }
        // The truth values repeat with the cycle only if the cycle leads back to its first marking.
        if play.comes_back || run.end == RunEnd::Dead {
            play.parts = lit::subformula_values(self.net, property, run);
        }
        GoalEvidence { play: Some(play), ..GoalEvidence::default() }
    }

    /// Returns true if both certificates are absent or equal, that is, with the same method, the
    /// same number of rule applications, and the same lines.
    pub(super) fn have_same_text(&self, one: Option<usize>, other: Option<usize>) -> bool {
        match (one, other) {
            (Some(one), Some(other)) => self.certificates[one] == self.certificates[other],
            (one, other) => one == other,
        }
    }

    /// Stores the firing sequence of a witness. Returns empty evidence without a witness, for a
    /// witness without firings, and for an accelerated witness, that is, one with nested loops.
    fn store_witness(&mut self, witness: Option<&Witness>) -> GoalEvidence {
        // An accelerated sequence is not played, because it usually has too many firings.
        let play = match witness {
            Some(Witness::Firings(sequence, firings)) if *firings > 0 => {
                Some(PlayedSequence::of(self.store_trace(sequence), *firings))
            }
            _ => None,
        };
        GoalEvidence { play, ..GoalEvidence::default() }
    }

    /// Stores a firing sequence as a trace and returns the index of the trace. Returns `None` if
    /// the sequence has at least [`TOO_MANY_FIRINGS`] firings, or if all traces together would have
    /// more than [`MAX_TRACE_STEPS`] steps.
    fn store_trace(&mut self, sequence: &Arc<FiringSequence>) -> Option<usize> {
        let address = Arc::as_ptr(sequence);
        if let Some((known_trace, _)) = self.sequences.get(&address) {
            return *known_trace;
        }
        let steps = sequence.steps();
        let is_countable = sequence.firings() < TOO_MANY_FIRINGS.into();
        let fits = self.steps + steps.len() <= MAX_TRACE_STEPS && is_countable;
        let trace = fits.then_some(self.traces.len());
        if fits {
            self.steps += steps.len();
            let flat = steps.iter().flat_map(|step| [step.transition.index() as u64, step.count]);
            self.traces.push(flat.collect());
        }
        self.sequences.insert(address, (trace, sequence.clone()));
        trace
    }

    /// Describes the certificate of an answer in words, and stores the words. The certificate is a
    /// document or a home-space argument. Returns the index of the certificate. Returns `None` if
    /// the evidence has neither document nor argument, or if the engine did not keep it.
    fn store_certificate(&mut self, evidence: &Evidence, kind: &'static str) -> Option<usize> {
        let (address, reference) = match evidence {
            Evidence::Certified(Some(shown)) => {
                let address = Arc::as_ptr(&shown.document).cast::<()>();
                (address, KeptReference::Document(shown.document.clone()))
            }
            Evidence::Argued(Some(KeptStructure { structure, .. })) => {
                let address = Arc::as_ptr(structure).cast::<()>();
                (address, KeptReference::Structure(structure.clone()))
            }
            // The evidence has no document, or the document was not kept.
            _ => return None,
        };
        if let Some((index, _)) = self.documents.get(&address) {
            return Some(*index);
        }
        let (reduction_log, lines) = match evidence {
            Evidence::Certified(Some(shown)) => {
                let document_net =
                    shown.derivation.as_ref().map_or(self.net, |reduction_log| &reduction_log.net);
                (shown.derivation.as_ref(), reading::read(&shown.document, document_net, self.net))
            }
            Evidence::Argued(Some(KeptStructure { structure, derivation: reduction_log })) => {
                let document_net =
                    reduction_log.as_ref().map_or(self.net, |reduction_log| &reduction_log.net);
                (
                    reduction_log.as_ref(),
                    reading::read_home_argument(structure, document_net, self.net),
                )
            }
            _ => return None,
        };
        let logs = std::iter::successors(reduction_log, |log| log.parent.as_ref());
        let reduced_by = reduction_log.map(|_| logs.map(|log| log.log.steps.len()).sum());
        let certificate_index = self.add_certificate(kind, reduced_by, false, lines);
        self.documents.insert(address, (certificate_index, reference));
        Some(certificate_index)
    }

    /// Appends a certificate and returns its index. A certificate that would exceed
    /// [`MAX_CERTIFICATE_PIECES`] is replaced by one line.
    fn add_certificate(
        &mut self,
        kind: &'static str,
        reduced_by: Option<usize>,
        after_witness: bool,
        mut lines: Vec<Sentence>,
    ) -> usize {
        if lines.is_empty() {
            lines.push(Sentence::from_words(
                "No step is needed: the goal is contradictory by itself",
            ));
        }
        let pieces: usize = lines.iter().map(Sentence::len).sum();
        if self.pieces + pieces > MAX_CERTIFICATE_PIECES {
            lines = vec![Sentence::from_words(format!(
                "{}, omitted to keep the page small; parikh check --evidence DIR writes all",
                counted(lines.len(), "line")
            ))];
        } else {
            self.pieces += pieces;
        }
        self.certificates.push(CertificateText { kind, reduced_by, after_witness, lines });
        self.certificates.len() - 1
    }
}
