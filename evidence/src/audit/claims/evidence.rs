//! The evidence of a confirmed answer, as far as files of claims cover it.

use super::EvidenceSelection;
use crate::audit::context::AuditContext;
use crate::audit::kinds::trace;
use crate::certificate::derivation::{DocumentWriter, Target};
use crate::certificate::markings::visit;
use crate::depending::GoalIndex;
use crate::file::{self, AnswerLine, DocumentLine, LoopsLine, PumpLine, ReductionLine};
use crate::kind::EvidenceKind;
use crate::question::obligation::Obligation;
use crate::{Document, Flaw, Replayer, check_pumping};
use parikh_net::printable::Printable;
use parikh_net::{FiringSequence, FiringStep, Net, Predicate, PumpSequence, Stage};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

/// The maximum number of markings that a file of claims may list as evidence.
const MAX_LISTED: u64 = 20_000;

/// The maximum number of marked places that a file lists, summed over all markings.
const MAX_ENTRIES: usize = 10_000_000;

/// The maximum number of steps of a firing sequence that replaces one with nested loops.
const MAX_STEPS: usize = 100_000;

/// The evidence in a file of claims, and the statements that it proves.
pub(super) struct ClaimEvidence<'n> {
    net: &'n Net,
    pub(super) obligation: Obligation,
    /// The numbers of the statements that the evidence shows.
    pub(super) shown: BTreeSet<usize>,
    /// The numbers of the statements that documents refute.
    pub(super) refuted: BTreeSet<usize>,
    /// The writer of the documents, which numbers the facts in them.
    pub(super) writer: DocumentWriter<'n>,
    selection: EvidenceSelection,
    /// The reasons why some evidence of the answer is not in the file.
    pub(super) left_out: Vec<String>,
    /// True if some document refutes no statement as a whole. It may refute a part of a statement,
    /// together with a document that is left out.
    lacks_derivation: bool,
}

impl<'n> ClaimEvidence<'n> {
    /// Begins without evidence.
    pub(super) fn new(
        net: &'n Net,
        obligation: Obligation,
        assumes_units: bool,
        selection: EvidenceSelection,
    ) -> Self {
        ClaimEvidence {
            net,
            obligation,
            shown: BTreeSet::new(),
            refuted: BTreeSet::new(),
            writer: DocumentWriter::new(net, assumes_units),
            selection,
            left_out: Vec::new(),
            lacks_derivation: false,
        }
    }

    /// Writes the evidence that the answer refers to, as far as it is covered.
    pub(super) fn collect(
        &mut self,
        context: &mut AuditContext<'_>,
        answer: &AnswerLine,
    ) -> Result<(), String> {
        self.add_sequence(&FiringSequence::new(), &[], true);
        for (number, predicate) in (self.obligation.reach.len()..).zip(&self.obligation.refute) {
            if matches!(predicate, Predicate::False) {
                self.writer.refute_false(number);
                self.shown.insert(number);
            }
        }
        let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
        for shown in answer.shown_by.iter().filter(|shown| shown.kind == EvidenceKind::Trace) {
            traces.entry(&shown.id).or_default().push(shown.prefix_length);
        }
        for (id, stops) in traces {
            let sequence = trace::sequence(&context.lines, id)?;
            let mut counts: Vec<u64> = stops.iter().copied().flatten().collect();
            counts.sort_unstable();
            let to_the_end = stops.contains(&None);
            match self.selection {
                EvidenceSelection::Refused => {
                    let last = counts.last().copied().filter(|_| !to_the_end);
                    self.add_refused_sequence(&sequence, last)?;
                }
                _ => self.add_sequence(&sequence, &counts, to_the_end),
            }
        }
        let mut seen = BTreeSet::new();
        for shown in &answer.shown_by {
            if !seen.insert((shown.kind, &shown.id)) {
                continue;
            }
            match shown.kind {
                EvidenceKind::Trace => {}
                EvidenceKind::Loops => {
                    let loops: LoopsLine = context.lines.read(&shown.id)?;
                    match loops.resolve(self.net)?.to_sequence(MAX_STEPS) {
                        Some(sequence) => self.add_sequence(&sequence, &[], true),
                        None => self.left_out.push("nested loops are not covered".to_owned()),
                    }
                }
                EvidenceKind::Pump => self.add_pump(context, &shown.id)?,
                EvidenceKind::Document => self.add_document(context, &shown.id)?,
                kind => self.left_out.push(format!("`{}` lines are not covered", kind.name())),
            }
        }
        Ok(())
    }

    /// Returns the reason why the evidence does not show the claim.
    pub(super) fn reason(self) -> String {
        let form = match self.lacks_derivation {
            true => "a document has no derivation",
            false => "the evidence has another form",
        };
        self.left_out.into_iter().next().unwrap_or_else(|| form.to_owned())
    }

    /// Writes a firing sequence with the goals that it reaches. Goals are evaluated after the
    /// numbers of firings in `stops` and, if `to_the_end` or if there are several goals, after each
    /// step. The sequence ends before the first step that cannot fire.
    fn add_sequence(&mut self, sequence: &FiringSequence, stops: &[u64], to_the_end: bool) {
        let goals = &self.obligation.reach;
        let mut replayer = Replayer::new(self.net);
        let mut index = GoalIndex::new(self.net.place_count());
        let mut actions: Vec<String> = Vec::new();
        let mut last_goal = 0;
        for (number, goal) in goals.iter().enumerate() {
            if self.shown.contains(&number) {
                continue;
            }
            if goal.holds(self.net, self.net.initial()) {
                self.shown.insert(number);
                actions.push(format!("goal {number}"));
                last_goal = actions.len();
            } else {
                index.add(number, goal.support(self.net));
            }
        }
        let evaluates_each_step = to_the_end || goals.len() > 1;
        let mut stops = stops.iter().copied().peekable();
        'steps: for step in sequence.steps() {
            let mut remaining = step.count;
            while remaining > 0 {
                while stops.next_if(|&stop| stop <= replayer.fired()).is_some() {}
                // A step is split at the stops inside it.
                let until_stop = stops.peek().map_or(u64::MAX, |stop| stop - replayer.fired());
                let count = remaining.min(until_stop);
                if replayer.fire(FiringStep { transition: step.transition, count }).is_err() {
                    break 'steps;
                }
                remaining -= count;
                actions.push(format!("fire {} {count}", step.transition.index()));
                for change in self.net.delta(step.transition) {
                    index.note_change(change.place, |goal| !self.shown.contains(&goal));
                }
                if evaluates_each_step || count == until_stop {
                    let marking = replayer.marking();
                    let (net, shown) = (self.net, &mut self.shown);
                    index.evaluate_changed(|number| {
                        if !shown.contains(&number) && goals[number].holds(net, marking) {
                            shown.insert(number);
                            actions.push(format!("goal {number}"));
                            last_goal = actions.len();
                        }
                    });
                }
            }
        }
        // Firings after the last goal prove nothing.
        actions.truncate(last_goal);
        self.write_sequence(&actions);
    }

    /// Writes the first `length` firings of a sequence, enabled or not; `None` stands for all. If
    /// there is only one goal, it follows.
    fn add_refused_sequence(
        &mut self,
        sequence: &FiringSequence,
        length: Option<u64>,
    ) -> Result<(), String> {
        let (mut actions, mut remaining) = (Vec::new(), length.unwrap_or(u64::MAX));
        for step in sequence.steps() {
            let count = step.count.min(remaining);
            remaining -= count;
            if count > 0 {
                actions.push(format!("fire {} {count}", step.transition.index()));
            }
        }
        if length.is_some() && remaining > 0 {
            return Err("a sequence ends before the stated firing".to_owned());
        }
        if self.obligation.reach.len() == 1 {
            actions.push("goal 0".to_owned());
        }
        self.write_sequence(&actions);
        Ok(())
    }

    fn write_sequence(&mut self, actions: &[String]) {
        if actions.is_empty() {
            return;
        }
        let _ = write!(self.writer.text, "sequence {}", actions.len());
        for (position, action) in actions.iter().enumerate() {
            let separator = if position % 8 == 0 { '\n' } else { ' ' };
            let _ = write!(self.writer.text, "{separator}{action}");
        }
        self.writer.text.push('\n');
    }

    /// Writes a self-covering sequence with the sums that it increases.
    fn add_pump(&mut self, context: &AuditContext<'_>, id: &str) -> Result<(), String> {
        let PumpLine { earlier, prefix, pump } = context.lines.read(id)?;
        if !earlier.is_empty() {
            self.left_out.push("self-covering sequences in stages are not covered".to_owned());
            return Ok(());
        }
        let last = Stage {
            prefix: file::sequence(self.net, &prefix)?,
            pump: file::sequence(self.net, &pump)?,
        };
        let pumping = PumpSequence { earlier: Vec::new(), last };
        let growth = check_pumping(self.net, &pumping).map_err(|error| error.to_string())?;
        let first = self.obligation.reach.len() + self.obligation.refute.len();
        for (number, sum) in (first..).zip(&self.obligation.grow) {
            if !growth.grows(sum) || !self.shown.insert(number) {
                continue;
            }
            let _ = write!(self.writer.text, "pump {number}");
            for sequence in [&pumping.last.prefix, &pumping.last.pump] {
                let _ = write!(self.writer.text, "\n{}", sequence.steps().len());
                for step in sequence.steps() {
                    let _ = write!(self.writer.text, " {} {}", step.transition.index(), step.count);
                }
            }
            self.writer.text.push('\n');
        }
        Ok(())
    }

    /// Writes a document, if it is about the net itself. A document about a reduced net is written
    /// if it holds for the net itself, too.
    fn add_document(&mut self, context: &mut AuditContext<'_>, id: &str) -> Result<(), String> {
        let DocumentLine { on, after, document } = context.lines.read(id)?;
        if after.is_some() {
            self.left_out.push("documents after a trace are not covered".to_owned());
            return Ok(());
        }
        let resolved = document.resolve(self.net).map_err(|flaw: Flaw| flaw.to_string());
        let document = match (on, resolved) {
            (None, resolved) => resolved?,
            (Some(_), Ok(document)) if self.is_about_the_net(context, &document) => document,
            (Some(on), _) => {
                let rules = rules_of(context, on)?;
                self.left_out.push(format!("reductions are not covered: {}", rules.join(", ")));
                return Ok(());
            }
        };
        let refute = self.obligation.refute.clone();
        let first = self.obligation.reach.len();
        let targets: Vec<Target<'_>> =
            (first..).zip(&refute).filter(|(number, _)| !self.shown.contains(number)).collect();
        let (length, count) = (self.writer.text.len(), self.writer.fact_count());
        let result = match &document {
            Document::Linear(linear) => self.writer.linear(linear, &targets),
            Document::Bounds(bounds) => self.writer.bounds(bounds, &targets),
            Document::Induction(induction) => self.writer.induction(induction, &targets),
            Document::Markings(_) | Document::ClosedSet(_) => {
                self.list_markings();
                return Ok(());
            }
        };
        match result {
            Ok(refuted) => {
                let is_useless = refuted.is_empty() && !targets.is_empty();
                if is_useless && self.selection != EvidenceSelection::Refused {
                    self.lacks_derivation = true;
                }
                self.shown.extend(&refuted);
                self.refuted.extend(refuted);
            }
            Err(why) => {
                self.writer.truncate(length, count);
                self.left_out.push(why.to_owned());
            }
        }
        Ok(())
    }

    /// Returns true if a document about a reduced net is accepted for the net itself, and refutes a
    /// statement that is still open. This is common if the reduction has only left out nodes.
    fn is_about_the_net(&self, context: &AuditContext<'_>, document: &Document) -> bool {
        if matches!(document, Document::Markings(_) | Document::ClosedSet(_)) {
            return false;
        }
        let goes_on = &mut || context.watch.goes_on();
        let Ok(checked) = document.check(self.net, goes_on) else { return false };
        let first = self.obligation.reach.len();
        (first..)
            .zip(&self.obligation.refute)
            .filter(|(number, _)| !self.shown.contains(number))
            .any(|(_, predicate)| checked.refutes_in_any_shape(predicate, goes_on).is_ok())
    }

    /// Lists all reachable markings, if they are few, with the statements that they refute.
    pub(super) fn list_markings(&mut self) {
        if self.selection != EvidenceSelection::Claim {
            self.left_out.push("the answer rests on a list of all reachable markings".to_owned());
            return;
        }
        let mut markings: Vec<Vec<u64>> = Vec::new();
        let mut entries = 0;
        let visited = visit(self.net, MAX_LISTED, |marking| {
            entries += marking.tokens().iter().filter(|&&tokens| tokens > 0).count();
            markings.push(marking.tokens().to_vec());
            entries <= MAX_ENTRIES
        });
        if let Err(flaw) = visited {
            self.left_out.push(match flaw {
                Flaw::More(listed) => format!("more than {listed} markings are not listed"),
                Flaw::Stopped => {
                    format!("markings with more than {MAX_ENTRIES} marked places are not listed")
                }
                flaw => format!("the markings are not listed: {flaw}"),
            });
            return;
        }
        let first = self.obligation.reach.len();
        let as_markings: Vec<parikh_net::Marking> =
            markings.iter().cloned().map(parikh_net::Marking::new).collect();
        let is_refuted = |predicate: &Predicate| {
            as_markings.iter().all(|marking| !predicate.holds(self.net, marking))
        };
        let refuted: Vec<usize> = (first..)
            .zip(&self.obligation.refute)
            .filter(|(number, it)| !self.shown.contains(number) && is_refuted(it))
            .map(|(number, _)| number)
            .collect();
        if refuted.is_empty() {
            return;
        }
        let numbers: HashMap<&[u64], usize> =
            markings.iter().map(|tokens| &tokens[..]).zip(0..).collect();
        let mut text = format!("markings {}\n", markings.len());
        for (tokens, marking) in markings.iter().zip(&as_markings) {
            let marked = || (0..).zip(tokens).filter(|(_, tokens)| **tokens > 0);
            let _ = write!(text, "marking {}", marked().count());
            marked().for_each(|(place, tokens): (usize, _)| {
                let _ = write!(text, " {place} {tokens}");
            });
            let mut successors = Vec::new();
            for t in self.net.transitions().filter(|&t| self.net.is_enabled(marking, t)) {
                let mut successor = tokens.clone();
                for change in self.net.delta(t) {
                    let place = change.place.index();
                    successor[place] = successor[place].wrapping_add_signed(change.delta);
                }
                successors.extend(numbers.get(&successor[..]).map(|number| number.to_string()));
            }
            let _ = writeln!(text, " {} {}", successors.len(), successors.join(" "));
        }
        let listed: Vec<String> = refuted.iter().map(usize::to_string).collect();
        let _ = writeln!(text, "{} {}", listed.len(), listed.join(" "));
        self.writer.text.push_str(&text);
        self.shown.extend(refuted);
    }
}

/// Returns the names of the rules of a reduction and of those that it depends on, sorted.
fn rules_of(context: &AuditContext<'_>, on: String) -> Result<Vec<String>, String> {
    let mut rules = BTreeSet::new();
    let mut next = Some(on);
    while let Some(id) = next {
        let ReductionLine { of, log } = context.lines.read(&id)?;
        rules.extend(log.steps.into_iter().map(|step| Printable(&step.rule).to_string()));
        next = of;
    }
    Ok(rules.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn goals_between_the_steps_and_before_an_error_are_written() {
        let net = text::parse("place p 10\nplace q\ntransition t: p -> q").unwrap();
        let (t, q) = (net.transition_named("t").unwrap(), net.place_named("q").unwrap());
        let five = Predicate::and([Predicate::at_least(q, 5), Predicate::no_more_than(q, 5)]);
        let written = |reach: &[Predicate], stops: &[u64], to_the_end: bool| {
            let obligation = Obligation { reach: reach.to_vec(), ..Obligation::default() };
            let mut evidence =
                ClaimEvidence::new(&net, obligation, false, EvidenceSelection::Claim);
            let mut sequence = FiringSequence::new();
            sequence.push(t, 11);
            evidence.add_sequence(&sequence, stops, to_the_end);
            (evidence.shown.len(), evidence.writer.text)
        };
        let text = "sequence 2\nfire 0 5 goal 0\n".to_owned();
        for to_the_end in [false, true] {
            assert_eq!(written(std::slice::from_ref(&five), &[5], to_the_end), (1, text.clone()));
        }
        let both = [five, Predicate::at_least(q, 8)];
        let text = "sequence 4\nfire 0 5 goal 0 fire 0 3 goal 1\n".to_owned();
        assert_eq!(written(&both, &[5, 8], true), (2, text));
    }
}
