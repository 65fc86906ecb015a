//! Certificates in words: one line per step, with links to the places in the step.
//!
//! A line states the condition that the checker verifies for the step (`evidence/src/certificate`).
//! A document about a reduced net uses the names of that net's nodes. Nodes with the same name in
//! the original net become links.

use super::text::Sentence;
use parikh_evidence::Document;
use parikh_evidence::certificate::bounds::{BoundStep, TokenBound};
use parikh_evidence::certificate::{
    BoundsCertificate, Induction, Lemma, LinearCertificate, Precedence, count,
};
use parikh_evidence::home::HomeArgument;
use parikh_evidence::home::undoable_firings::UndoProof;
use parikh_evidence::home::ways_back::{ReturnProof, ReturnWay};
use parikh_evidence::replay;
use parikh_net::printable::counted;
use parikh_net::{Atom, FiringSequence, Marking, Net, PlaceId, TransitionId};

/// The largest number of lines shown of one certificate.
const MAX_LINES: usize = 150;

/// The largest number of text pieces shown of one certificate.
const MAX_PIECES: usize = 4_000;

/// Describes a document in words, for readers who look at `net`. The document is about
/// `document_net`, that is, the original net or a reduced net.
pub(super) fn read(document: &Document, document_net: &Net, net: &Net) -> Vec<Sentence> {
    CertificateReader::new(document_net, net).read(document)
}

/// Describes a document in words, as [`read`] does. The document is about `document_net` with the
/// initial marking `start`. `None` is a marking that is not known.
pub(super) fn read_from(
    document: &Document,
    document_net: &Net,
    start: Option<Marking>,
    net: &Net,
) -> Vec<Sentence> {
    let reader = CertificateReader::new(document_net, net);
    CertificateReader { start, starts_later: true, ..reader }.read(document)
}

/// Describes a home-space argument in words, for a page about `net`. Such an argument proves that a
/// goal marking stays reachable or becomes unreachable. It is about `document_net`, which is `net`
/// or a reduced net.
pub(super) fn read_home_argument(
    structure: &HomeArgument,
    document_net: &Net,
    net: &Net,
) -> Vec<Sentence> {
    let mut reader = CertificateReader::new(document_net, net);
    match structure {
        HomeArgument::Finitely(weights) => {
            let sum = weights.iter().map(|&(p, weight)| (p, i128::from(weight)));
            let sum = reader.sum(&sum.collect::<Vec<_>>());
            let text = Sentence::from_words("No firing increases ")
                .push_sentence(sum)
                .push_words(", so the transitions that decrease it can fire only finitely often");
            reader.line(text);
        }
        HomeArgument::Commoner { traps, refutation } => {
            for trap in traps {
                let text = reader.places("This trap is marked initially, and stays marked: ", trap);
                reader.line(text);
            }
            reader.line(Sentence::from_words(format!(
                "Every siphon contains one of these traps: the assumption of a siphon without one \
                 leads to a contradiction in {}",
                counted(refutation.len(), "step")
            )));
            reader.line(Sentence::from_words(
                "Places that share an output transition have comparable postsets (asymmetric \
                 choice), so by Commoner's theorem every transition is live",
            ));
        }
        HomeArgument::Undone(undo_proofs) => {
            for (t, undoing) in net.transitions().zip(undo_proofs) {
                let text = Sentence::default().transition(t).push_words(" is undone by ");
                reader.line(
                    undo_sentence(text, undoing)
                        .push_words(", using only the tokens that it produced"),
                );
            }
        }
        HomeArgument::Closed { traps, refutation } => {
            reader.line(Sentence::from_words(
                "The net is closed to a cycle by an additional transition, which consumes the \
                 final marking and produces the initial marking",
            ));
            for trap in traps {
                let text = reader.places("This trap is marked initially, and stays marked: ", trap);
                reader.line(text);
            }
            reader.line(Sentence::from_words(format!(
                "Every siphon of the closed net contains one of these traps: the assumption of a \
                 siphon without one leads to a contradiction in {}. So by Commoner's theorem the \
                 closed net is live, and the final marking stays coverable in the net itself",
                counted(refutation.len(), "step")
            )));
        }
        HomeArgument::Returning(proof) => reader.returning(proof),
        HomeArgument::Lost { after, document } => {
            let firings = after.iter().map(|&(_, count)| u128::from(count)).sum::<u128>();
            reader.line(Sentence::from_words(format!(
                "The property can no longer be reached after {}; for the marking after that, and \
                 the markings reachable from it:",
                counted(firings, "firing")
            )));
            let mut sequence = FiringSequence::new();
            after.iter().for_each(|&(t, count)| sequence.push(t, count));
            let start = replay(document_net, &sequence).ok();
            reader.lines.extend(read_from(document, document_net, start, net));
        }
        HomeArgument::Visited(_) => reader.line(Sentence::from_words(
            "The checker visited all reachable markings again, and searched backwards from the \
             markings that satisfy the property",
        )),
    }
    reader.finish()
}

/// Describes how the effect of a firing is undone, by one firing sequence or by cases.
fn undo_sentence(text: Sentence, undoing: &UndoProof) -> Sentence {
    match undoing {
        UndoProof::By(steps) => text.list(steps, ", ", |text, &(u, times)| match times {
            1 => text.transition(u),
            times => text.transition(u).push_words(format!(" {times} times")),
        }),
        UndoProof::Cases { sum, cases } => {
            let places_and_cases: Vec<_> = sum.iter().zip(cases).collect();
            text.list(&places_and_cases, "; ", |text, &(&(place, _), case)| {
                undo_sentence(text, case)
                    .push_words(" (with one more token on ")
                    .place(place)
                    .push_words(")")
            })
        }
    }
}

/// The translation of one certificate into lines of text.
struct CertificateReader<'n> {
    /// The net to which the document refers.
    document_net: &'n Net,
    /// The net of the page.
    net: &'n Net,
    /// The marking in which the document starts. `None` if it is not known.
    start: Option<Marking>,
    /// True if the document starts at the end of a firing sequence, not in the initial marking.
    starts_later: bool,
    /// The lines so far. The method `line` adds lines only up to [`MAX_LINES`] and [`MAX_PIECES`].
    lines: Vec<Sentence>,
    /// The number of text pieces in the lines that the method `line` has added.
    pieces: usize,
    /// The number of lines that were not added because of the limits.
    left_out: usize,
}

impl<'n> CertificateReader<'n> {
    /// Makes a reader of a document that starts in the initial marking of `document_net`.
    fn new(document_net: &'n Net, net: &'n Net) -> CertificateReader<'n> {
        CertificateReader {
            document_net,
            net,
            start: Some(document_net.initial().clone()),
            starts_later: false,
            lines: Vec::new(),
            pieces: 0,
            left_out: 0,
        }
    }

    /// Returns the lines that describe `document`.
    fn read(mut self, document: &Document) -> Vec<Sentence> {
        match document {
            Document::Bounds(bounds) => self.bounds(bounds),
            Document::Linear(certificate) => self.linear(certificate),
            Document::Induction(induction) => self.induction(induction),
            Document::Markings(count) => {
                let markings = match self.starts_later {
                    true => format!("{count} markings reachable from that marking"),
                    false => format!("{count} reachable markings"),
                };
                self.line(Sentence::from_words(format!(
                    "The checker visited all {markings} again, and none is a goal marking"
                )));
            }
            Document::ClosedSet(set) => {
                let start = if self.starts_later { "that" } else { "the initial" };
                self.line(Sentence::from_words(format!(
                    "A decision diagram of {} describes a set of markings. The set contains \
                     {start} marking, no firing leaves it, and it contains no goal marking",
                    counted(set.nodes.len(), "node")
                )));
            }
        }
        self.finish()
    }

    /// Returns the words for the time of the marking in which the document starts.
    fn at_start(&self) -> &'static str {
        if self.starts_later { "in that marking" } else { "initially" }
    }

    /// Adds a line. Beyond [`MAX_LINES`] or [`MAX_PIECES`], only counts the line as left out.
    fn line(&mut self, text: Sentence) {
        if self.lines.len() >= MAX_LINES || self.pieces >= MAX_PIECES {
            self.left_out += 1;
            return;
        }
        self.pieces += text.len();
        self.lines.push(text);
    }

    /// Returns the lines, with a last line about the lines left out.
    fn finish(mut self) -> Vec<Sentence> {
        if self.left_out > 0 {
            let left_out = counted(self.left_out, "more line");
            self.lines.push(Sentence::from_words(format!(
                "… and {left_out}; parikh check --evidence DIR writes all of it"
            )));
        }
        self.lines
    }

    /// Appends a place: a link if the page's net has a place of this name, and the name otherwise.
    fn place(&self, text: Sentence, place: PlaceId) -> Sentence {
        // Ids from the number of the net's places on denote counters of firings, which certificates
        // use as additional places.
        if place.index() >= self.document_net.place_count() {
            return text.push_words(format!(
                "firings#{}",
                place.index() - self.document_net.place_count()
            ));
        }
        let name = self.document_net.place_name(place);
        match self.net.place_named(name) {
            Some(original) => text.place(original),
            None => text.push_words(name),
        }
    }

    /// Appends a transition, as [`place`](Self::place) does.
    fn transition(&self, text: Sentence, t: TransitionId) -> Sentence {
        let name = self.document_net.transition_name(t);
        match self.net.transition_named(name) {
            Some(original) => text.transition(original),
            None => text.push_words(name),
        }
    }

    /// Describes the proof that a goal marking stays reachable from every reachable marking.
    fn returning(&mut self, proof: &ReturnProof) {
        match &proof.way {
            ReturnWay::Downhill { weights, document } => {
                let sum = weights.iter().map(|&(p, weight)| (p, i128::from(weight)));
                let sum = self.sum(&sum.collect::<Vec<_>>());
                let text = Sentence::from_words("Any sequence of transitions that decrease ")
                    .push_sentence(sum);
                self.line(text.push_words(
                    " ends in a marking in which none of them is enabled. For these markings:",
                ));
                for line in read(document, self.document_net, self.net) {
                    self.line(line);
                }
            }
            ReturnWay::Steps { set, steps } => self.line(Sentence::from_words(format!(
                "A decision diagram of {} describes a set of markings. The set contains the \
                 initial marking, and no firing leaves it. From every marking of the set, firings \
                 lead to the goal, as {} show",
                counted(set.nodes.len(), "node"),
                counted(steps.len(), "step")
            ))),
        }
        if let Some(target_firings) = &proof.to {
            let after = target_firings.iter().map(|&(_, count)| u128::from(count)).sum::<u128>();
            self.line(Sentence::from_words(format!(
                "So a marking that covers the marking after {} stays reachable, and with it all \
                 firings enabled from there",
                counted(after, "firing")
            )));
        }
    }

    fn places(&self, words: &str, places: &[PlaceId]) -> Sentence {
        Sentence::from_words(words).list(places, ", ", |text, &place| self.place(text, place))
    }

    /// Writes a weighted sum of places: `2·p + q − 3·r`.
    fn sum(&self, terms: &[(PlaceId, i128)]) -> Sentence {
        if terms.is_empty() {
            return Sentence::from_words("0");
        }
        let mut first = true;
        Sentence::default().list(terms, "", |text, &(place, weight)| {
            let sign = match (std::mem::take(&mut first), weight < 0) {
                (true, false) => "",
                (true, true) => "−",
                (false, false) => " + ",
                (false, true) => " − ",
            };
            let text = match weight.unsigned_abs() {
                1 => text.push_words(sign),
                factor => text.push_words(format!("{sign}{factor}·")),
            };
            self.place(text, place)
        })
    }

    /// Writes a linear inequality over token counts.
    fn comparison(&self, atom: &Atom) -> Sentence {
        let terms: Vec<_> = atom.sum.terms().iter().map(|&(p, a)| (p, i128::from(a))).collect();
        match terms.iter().all(|&(_, a)| a < 0) {
            // A sum with negative coefficients only is written as "≥" with positive coefficients.
            true => {
                let negated: Vec<_> = terms.iter().map(|&(p, a)| (p, -a)).collect();
                self.sum(&negated).push_words(format!(" ≥ {}", -i128::from(atom.bound)))
            }
            false => self.sum(&terms).push_words(format!(" ≤ {}", atom.bound)),
        }
    }

    /// Appends an upper or a lower bound of a place: `p ≤ 3`, `p ≥ 1`.
    fn bound(&self, text: Sentence, bound: &TokenBound) -> Sentence {
        let sign = if bound.upper { "≤" } else { "≥" };
        self.place(text, bound.place).push_words(format!(" {sign} {}", bound.tokens))
    }

    /// Writes a line for each derivation step of bounds.
    fn bounds(&mut self, bounds: &BoundsCertificate) {
        for step in &bounds.steps {
            let text = match step {
                BoundStep::Inductive(bounds) => Sentence::from_words(format!(
                    "True {}, and every permitted firing preserves it: ",
                    self.at_start()
                ))
                .list(bounds, ", ", |text, bound| self.bound(text, bound)),
                BoundStep::Weighted { weights, bounds } => {
                    Sentence::from_words("No firing increases ")
                        .push_sentence(self.sum(weights))
                        .push_words(self.value_at_start(weights))
                        .push_words("; so ")
                        .list(bounds, ", ", |text, bound| self.bound(text, bound))
                }
                BoundStep::SafeUnits(places) => self.places(
                    "Assuming the model's claim that its units are safe (NUPN), at most one token \
                     is on ",
                    places,
                ),
            };
            self.line(text);
        }
    }

    /// Says the value of a sum in the marking in which the document starts. Firing counters are 0
    /// there. Returns an empty string on overflow, or if the marking is not known.
    fn value_at_start(&self, terms: &[(PlaceId, i128)]) -> String {
        let value = self.start.as_ref().and_then(|start| {
            terms.iter().try_fold(0i128, |sum, &(place, weight)| {
                let tokens = match place.index() < self.document_net.place_count() {
                    true => start[place],
                    false => 0,
                };
                sum.checked_add(weight.checked_mul(i128::from(tokens))?)
            })
        });
        value.map_or(String::new(), |value| format!(", which is {value} {}", self.at_start()))
    }

    /// Writes the lines of a linear certificate.
    fn linear(&mut self, certificate: &LinearCertificate) {
        if count(self.document_net, &certificate.counters).is_ok() {
            for (at, set) in certificate.counters.iter().enumerate() {
                let text = Sentence::from_words(format!("firings#{at} counts the firings of "));
                let text = text.list(set, ", ", |text, &t| self.transition(text, t));
                self.line(text);
            }
        }
        for trap in &certificate.traps {
            let text =
                self.places("A marked trap stays marked, so at least one token is on ", trap);
            self.line(text);
        }
        self.bounds(&certificate.bounds);
        for bound in &certificate.lower_bounds {
            let weights: Vec<(PlaceId, i128)> =
                bound.weights.iter().map(|&(place, weight)| (place, weight.into())).collect();
            let text = Sentence::from_words("Every reachable marking has ")
                .push_sentence(self.sum(&weights));
            self.line(
                text.push_words(format!(" ≥ {}: no firing leads below this bound", bound.tokens)),
            );
        }
        for precedence in &certificate.precedences {
            let text = self.precedence(precedence, &certificate.atoms);
            self.line(text);
        }
        for lemma in &certificate.lemmas {
            let text = self.lemma(lemma, certificate);
            self.line(text);
        }
        if !certificate.steps.is_empty() {
            self.line(Sentence::from_words("Conclusions, case by case:"));
        }
        for step in &certificate.steps {
            let text = self.clause(step, &certificate.atoms);
            self.line(text);
        }
    }

    /// Writes a lemma about places that are empty or marked, with two inequalities of which one
    /// holds in every reachable marking.
    fn precedence(&self, precedence: &Precedence, atoms: &[Atom]) -> Sentence {
        let words = match precedence {
            Precedence::Unfed { .. } => {
                "These places stay empty until a transition outside of \
                                         them adds a token, "
            }
            Precedence::Kept { .. } => {
                "A trap that stays marked after a transition added a token, "
            }
        };
        let text = self.places(words, precedence.places()).push_words(": ");
        let atoms: Vec<&Atom> = precedence.atoms().iter().filter_map(|&at| atoms.get(at)).collect();
        text.list(&atoms, ", or ", |text, atom| text.push_sentence(self.comparison(atom)))
    }

    /// Writes a lemma: inequalities that never hold together, and the reasons.
    fn lemma(&self, lemma: &Lemma, certificate: &LinearCertificate) -> Sentence {
        let atoms: Vec<&Atom> =
            lemma.atoms.iter().filter_map(|&(at, _)| certificate.atoms.get(at)).collect();
        let text = match atoms.len() {
            1 => Sentence::from_words("Never: "),
            _ => Sentence::from_words("Never true together: "),
        };
        let text = text.list(&atoms, "; ", |text, atom| text.push_sentence(self.comparison(atom)));
        let text = match lemma.weights.is_empty() {
            true => text,
            false => text
                .push_words(" — because no firing increases ")
                .push_sentence(self.sum(&lemma.weights))
                .push_words(self.value_at_start(&lemma.weights)),
        };
        let text = match lemma.traps.len() {
            0 => text,
            1 => text.push_words(", and a trap stays marked"),
            many => text.push_words(format!(", and {many} traps stay marked")),
        };
        let text = match lemma.lower_bounds.len() {
            0 => text,
            1 => text.push_words(", and a lower bound"),
            many => text.push_words(format!(", and {many} lower bounds")),
        };
        match lemma.units.is_empty() {
            true => text,
            false => text.push_words(", assuming that the model's units are safe (NUPN)"),
        }
    }

    /// Writes a disjunction of literals: `One of these holds: a; or b`. A literal is the number of
    /// an atom, counted from 1, and negative for the negated atom. Larger numbers denote
    /// subformulas.
    fn clause(&self, clause: &[i32], atoms: &[Atom]) -> Sentence {
        if clause.is_empty() {
            return Sentence::from_words("A contradiction: no goal marking is reachable");
        }
        Sentence::from_words("One of these holds: ").list(clause, "; or ", |text, &literal| {
            let at = (literal.unsigned_abs() as usize).wrapping_sub(1);
            match (atoms.get(at), literal > 0) {
                (Some(atom), true) => text.push_sentence(self.comparison(atom)),
                (Some(atom), false) => text.push_sentence(self.comparison(&atom.negated())),
                // Variables whose numbers exceed those of the atoms stand for subformulas of the
                // question.
                (None, true) => text.push_words("a subformula of the question"),
                (None, false) => text.push_words("not a subformula of the question"),
            }
        })
    }

    /// Writes the lines of an inductive invariant.
    fn induction(&mut self, induction: &Induction) {
        self.bounds(&induction.bounds);
        for &(at, modulus) in &induction.remainders {
            let Some(atom) = induction.atoms.get(at) else { continue };
            let terms: Vec<_> = atom.sum.terms().iter().map(|&(p, a)| (p, i128::from(a))).collect();
            self.line(
                self.sum(&terms).push_words(format!(" changes only by multiples of {modulus}")),
            );
        }
        if !induction.clauses.is_empty() {
            self.line(Sentence::from_words(format!(
                "All of these are true {}, and every firing from a marking where all are true \
                 preserves all of them:",
                self.at_start()
            )));
        }
        for clause in &induction.clauses {
            let text = self.clause(clause, &induction.atoms);
            self.line(text);
        }
        self.line(Sentence::from_words("The goal contradicts them"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{LinearSum, text};

    fn plain(lines: &[Sentence], net: &Net) -> Vec<String> {
        let json: Vec<Vec<serde_json::Value>> =
            serde_json::from_value(serde_json::to_value(lines).unwrap()).unwrap();
        let piece = |piece: serde_json::Value| match (piece["p"].as_u64(), piece["t"].as_u64()) {
            (Some(p), _) => net.place_name(PlaceId::new(p as usize)).to_owned(),
            (_, Some(t)) => net.transition_name(TransitionId::new(t as usize)).to_owned(),
            _ => piece.as_str().unwrap_or_default().to_owned(),
        };
        json.into_iter().map(|line| line.into_iter().map(piece).collect()).collect()
    }

    #[test]
    fn documents_are_read_in_words() {
        let net = text::parse("place p 1\nplace q\nplace r\ntransition t: p -> q").unwrap();
        let [p, q, r] = ["p", "q", "r"].map(|name| net.place_named(name).unwrap());
        let bound = |place, tokens| TokenBound { place, upper: true, tokens };
        let bounds = Document::Bounds(BoundsCertificate {
            assumes_units: false,
            steps: vec![
                BoundStep::Inductive(vec![bound(r, 0)]),
                BoundStep::Weighted { weights: vec![(p, 2), (q, 2)], bounds: vec![bound(q, 1)] },
                BoundStep::SafeUnits(vec![p]),
            ],
        });
        assert_eq!(
            plain(&read(&bounds, &net, &net), &net),
            [
                "True initially, and every permitted firing preserves it: r ≤ 0",
                "No firing increases 2·p + 2·q, which is 2 initially; so q ≤ 1",
                "Assuming the model's claim that its units are safe (NUPN), at most one token is \
                 on p",
            ]
        );
        let sum = LinearSum::new([(p, -1), (q, -1)]).unwrap();
        let linear = Document::Linear(LinearCertificate {
            assumes_units: false,
            counters: Vec::new(),
            precedences: Vec::new(),
            bounds: BoundsCertificate::default(),
            lower_bounds: vec![],
            atoms: vec![Atom { sum, bound: -2 }],
            traps: vec![vec![q]],
            lemmas: vec![Lemma {
                atoms: vec![(0, 1)],
                weights: vec![(p, 1), (q, 1)],
                ..Lemma::default()
            }],
            steps: vec![vec![-1], vec![]],
        });
        assert_eq!(
            plain(&read(&linear, &net, &net), &net),
            [
                "A marked trap stays marked, so at least one token is on q",
                "Never: p + q ≥ 2 — because no firing increases p + q, which is 1 initially",
                "Conclusions, case by case:",
                "One of these holds: p + q ≤ 1",
                "A contradiction: no goal marking is reachable",
            ]
        );
        let finitely = read_home_argument(&HomeArgument::Finitely(vec![(p, 1)]), &net, &net);
        assert!(plain(&finitely, &net)[0].starts_with("No firing increases p, so"));
        let document = Document::Markings(2);
        let weights = vec![(p, 3)];
        let way = ReturnWay::Downhill { weights, document: document.clone() };
        let returning = ReturnProof { to: Some(vec![]), way, along: Vec::new() };
        let ways = read_home_argument(&HomeArgument::Returning(Box::new(returning)), &net, &net);
        let ways = plain(&ways, &net);
        assert!(
            ways[0].starts_with("Any sequence of transitions that decrease 3·p ends in"),
            "{ways:?}"
        );
        assert!(ways[2].starts_with("So a marking that covers the marking after 0 firings"));
        // After t, the sum and the bounds have the values of that marking.
        let lost = HomeArgument::Lost { after: vec![(TransitionId::new(0), 1)], document: bounds };
        let lost = plain(&read_home_argument(&lost, &net, &net), &net);
        assert!(lost[0].contains("after 1 firing; for the marking after that"), "{lost:?}");
        assert!(lost[1].starts_with("True in that marking, and"), "{lost:?}");
        assert!(lost[2].contains("q, which is 2 in that marking; so q ≤ 1"), "{lost:?}");
        let step = BoundStep::Weighted { weights: vec![(p, 1)], bounds: vec![bound(p, 0)] };
        let step = BoundsCertificate { assumes_units: false, steps: vec![step] };
        let after = replay(&net, &net.transitions().collect()).ok();
        let later = read_from(&Document::Bounds(step.clone()), &net, after, &net);
        let expected = "No firing increases p, which is 0 in that marking; so p ≤ 0";
        assert_eq!(plain(&later, &net), [expected]);
        let unknown = read_from(&Document::Bounds(step), &net, None, &net);
        assert_eq!(plain(&unknown, &net), ["No firing increases p; so p ≤ 0"]);
        let lost = HomeArgument::Lost { after: vec![(TransitionId::new(0), 7)], document };
        assert!(plain(&read_home_argument(&lost, &net, &net), &net)[0].contains("after 7 firings"));
    }

    #[test]
    fn endless_documents_are_cut() {
        let net = text::parse("place p\ntransition t: p -> p").unwrap();
        let p = PlaceId::new(0);
        let steps = vec![BoundStep::SafeUnits(vec![p]); 500];
        let bounds = Document::Bounds(BoundsCertificate { assumes_units: true, steps });
        let lines = plain(&read(&bounds, &net, &net), &net);
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert!(lines[MAX_LINES].contains("350 more lines"), "{}", lines[MAX_LINES]);
    }
}
