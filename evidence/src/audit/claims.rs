//! Files of claims: confirmed answers with their evidence, for the checker that is proved in Coq.
//!
//! `docs/proved-checker.md` describes the format. A file repeats the proof obligations of an answer
//! as numbered statements, and says which of them suffice. Evidence that the proved checker does
//! not know is left out. If the rest does not show the answer, no file is written, and the export
//! records the reason.

use super::context::AuditContext;
use super::kinds::trace;
use crate::Document;
use crate::certificate::derivation::{DocumentWriter, Target, write_predicate};
use crate::certificate::markings::visit;
use crate::depending::GoalIndex;
use crate::file::{self, AnswerLine, DocumentLine, LoopsLine, PumpLine, ReductionLine};
use crate::kind::EvidenceKind;
use crate::question::obligation::{NeededProofs, Obligation};
use crate::question::{AnswerValue, Question};
use crate::{Flaw, Replayer, check_pumping};
use parikh_net::printable::{Printable, Quoted};
use parikh_net::{FiringSequence, FiringStep, Net, Predicate, PumpSequence, Stage};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of markings that a file lists.
const MAX_LISTED: u64 = 20_000;

/// The maximum number of marked places that a file lists, summed over all markings.
const MAX_ENTRIES: usize = 10_000_000;

/// The maximum number of steps of a firing sequence that replaces one with nested loops.
const MAX_STEPS: usize = 100_000;

/// A folder for files of claims, with the results so far. Clones share them.
#[derive(Clone, Debug)]
pub struct ClaimExport {
    folder: PathBuf,
    results: Arc<Mutex<ClaimResults>>,
}

/// The results of an export.
#[derive(Clone, Debug, Default)]
pub struct ClaimResults {
    /// The names of the files that were written.
    pub written: BTreeSet<String>,
    /// The confirmed answers without a file: the id of the question, and the reason.
    pub left_out: Vec<(String, String)>,
    /// The message about the last file that could not be written; `None` if all files were written.
    pub failure: Option<String>,
}

impl ClaimExport {
    /// Exports to a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// When the folder cannot be created.
    pub fn to(folder: PathBuf) -> std::io::Result<ClaimExport> {
        std::fs::create_dir_all(&folder)?;
        Ok(ClaimExport { folder, results: Arc::default() })
    }

    /// Returns the results so far.
    pub fn results(&self) -> ClaimResults {
        self.results.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Writes a file, or records the reason why there is none.
    pub(super) fn add(&self, examination: &str, id: &str, file: Result<String, String>) {
        let mut results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match file {
            Ok(text) => text,
            Err(reason) => return results.left_out.push((id.to_owned(), reason)),
        };
        let full_name =
            if examination == id { id.to_owned() } else { format!("{examination}.{id}") };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let stem: String = full_name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
        let mut name = format!("{stem}.claim");
        for number in 2.. {
            if !results.written.contains(&name) {
                break;
            }
            name = format!("{stem}.{number}.claim");
        }
        match std::fs::write(self.folder.join(&name), text) {
            Ok(()) => _ = results.written.insert(name),
            Err(error) => results.failure = Some(format!("{}: {error}", Printable(&name))),
        }
    }
}

/// A combination of statements, which are numbered.
enum Claim {
    Statement(usize),
    Connective { all: bool, parts: Vec<Claim> },
}

impl Claim {
    /// Returns a formula over proof obligations as a claim about numbered statements. The
    /// statements are the predicates to reach, then the predicates to refute, then the sums that
    /// grow. Disjuncts with other obligations are left out. Returns `None` if a conjunct has other
    /// obligations, or if no disjunct is left.
    fn of(needed: &NeededProofs, reach_count: usize, refute_count: usize) -> Option<Claim> {
        let parts = |parts: &[NeededProofs]| -> Vec<Option<Claim>> {
            parts.iter().map(|part| Claim::of(part, reach_count, refute_count)).collect()
        };
        match needed {
            NeededProofs::Reach(index) => Some(Claim::Statement(*index)),
            NeededProofs::Refute(index) => Some(Claim::Statement(reach_count + index)),
            NeededProofs::All(all) => {
                let parts = parts(all).into_iter().collect::<Option<_>>()?;
                Some(Claim::Connective { all: true, parts })
            }
            NeededProofs::Any(any) => {
                let parts: Vec<Claim> = parts(any).into_iter().flatten().collect();
                (!parts.is_empty()).then_some(Claim::Connective { all: false, parts })
            }
            NeededProofs::Grow(index) => Some(Claim::Statement(reach_count + refute_count + index)),
            NeededProofs::StaysReachable(_)
            | NeededProofs::NotStaysReachable(_)
            | NeededProofs::Run(_)
            | NeededProofs::NoRun(_)
            | NeededProofs::Tree(_) => None,
        }
    }

    fn is_shown(&self, shown: &BTreeSet<usize>) -> bool {
        match self {
            Claim::Statement(number) => shown.contains(number),
            Claim::Connective { all: true, parts } => parts.iter().all(|it| it.is_shown(shown)),
            Claim::Connective { parts, .. } => parts.iter().any(|it| it.is_shown(shown)),
        }
    }

    fn write(&self, out: &mut String) {
        match self {
            Claim::Statement(number) => {
                let _ = write!(out, "statement {number}");
            }
            Claim::Connective { all, parts } => {
                let _ = write!(out, "{} {}", if *all { "all" } else { "any" }, parts.len());
                for part in parts {
                    out.push(' ');
                    part.write(out);
                }
            }
        }
    }
}

/// Names the first obligation that no statement can express. Returns `None` if there is none.
fn other_obligation(needed: &NeededProofs) -> Option<&'static str> {
    match needed {
        NeededProofs::All(parts) | NeededProofs::Any(parts) => {
            parts.iter().find_map(other_obligation)
        }
        NeededProofs::Reach(_) | NeededProofs::Refute(_) | NeededProofs::Grow(_) => None,
        NeededProofs::StaysReachable(_) | NeededProofs::NotStaysReachable(_) => {
            Some("predicates that stay reachable")
        }
        NeededProofs::Run(_) | NeededProofs::NoRun(_) => Some("runs"),
        NeededProofs::Tree(_) => Some("the tree of runs"),
    }
}

/// The evidence of a file, and the statements that it shows.
struct ClaimEvidence<'n> {
    net: &'n Net,
    obligation: Obligation,
    shown: BTreeSet<usize>,
    /// The text of the evidence so far, and the numbers of its facts.
    writer: DocumentWriter<'n>,
    /// The reasons why evidence was left out.
    left_out: Vec<String>,
}

/// Returns the text of the file about a confirmed answer.
///
/// # Errors
/// The reason why the proved checker would not accept the answer.
pub(super) fn claim_file(
    context: &mut AuditContext<'_>,
    question: &Question,
    answer: &AnswerLine,
    assumes_units: bool,
) -> Result<String, String> {
    let net = context.net;
    let refuse = |why: &str| Err(why.to_owned());
    if net.is_of_quotient() {
        return refuse("colours are merged");
    }
    if net.translation().is_some() {
        return refuse("inhibitor or reset arcs are translated");
    }
    if matches!(question, Question::Count { .. }) {
        return refuse("numbers of markings are not covered");
    }
    let value = AnswerValue::read(&answer.value).ok_or("the answer has no value")?;
    let obligation = question.obligation(net, value)?;
    let claim = Claim::of(&obligation.needed, obligation.reach.len(), obligation.refute.len());
    let claim = claim.ok_or_else(|| {
        let what = other_obligation(&obligation.needed).unwrap_or("nothing");
        format!("statements about {what} are not covered")
    })?;
    let mut evidence = ClaimEvidence {
        net,
        obligation,
        shown: BTreeSet::new(),
        writer: DocumentWriter::new(net, assumes_units),
        left_out: Vec::new(),
    };
    evidence.collect(context, answer)?;
    let is_initially_dead = net.is_dead(net.initial());
    if !claim.is_shown(&evidence.shown) && (answer.searched.is_some() || is_initially_dead) {
        evidence.list_markings();
    }
    if !claim.is_shown(&evidence.shown) {
        let first = evidence.left_out.into_iter().next();
        return Err(first.unwrap_or_else(|| "the evidence has another form".to_owned()));
    }
    let mut text = String::new();
    let _ = writeln!(text, "# {}: {}", Quoted(&answer.id), Printable(&question.in_words(net)));
    let _ = writeln!(text, "# answer: {}", Printable(&answer.value));
    write_net(net, &mut text);
    evidence.writer.write_assumptions(&mut text);
    let Obligation { reach, refute, grow, .. } = &evidence.obligation;
    let _ = writeln!(text, "statements {}", reach.len() + refute.len() + grow.len());
    let statements = reach.iter().map(|it| ("reachable", it));
    for (word, predicate) in statements.chain(refute.iter().map(|it| ("unreachable", it))) {
        let _ = write!(text, "{word} ");
        write_predicate(predicate, &mut text);
        text.push('\n');
    }
    for sum in grow {
        let _ = write!(text, "unbounded {}", sum.terms().len());
        for (place, a) in sum.terms() {
            let _ = write!(text, " {} {a}", place.index());
        }
        text.push('\n');
    }
    text.push_str("claim ");
    claim.write(&mut text);
    text.push('\n');
    text.push_str(&evidence.writer.text);
    text.push_str("end\n");
    Ok(text)
}

/// Writes a net with its initial marking. Names stand in comments.
fn write_net(net: &Net, out: &mut String) {
    let _ = writeln!(out, "parikh-claim 1\nplaces {}", net.place_count());
    for place in net.places() {
        let _ = writeln!(out, "# place {}: {}", place.index(), Quoted(net.place_name(place)));
    }
    let marked: Vec<_> = net.places().filter(|&place| net.initial()[place] > 0).collect();
    let _ = write!(out, "initial {}", marked.len());
    for place in marked {
        let _ = write!(out, " {} {}", place.index(), net.initial()[place]);
    }
    let _ = writeln!(out, "\ntransitions {}", net.transition_count());
    for t in net.transitions() {
        out.push_str("transition");
        for arcs in [net.pre(t), net.post(t)] {
            let _ = write!(out, " {}", arcs.len());
            for arc in arcs {
                let _ = write!(out, " {} {}", arc.place.index(), arc.weight);
            }
        }
        let _ = writeln!(out, " # {}: {}", t.index(), Quoted(net.transition_name(t)));
    }
}

impl ClaimEvidence<'_> {
    /// Writes the evidence that the answer refers to, as far as it is covered.
    fn collect(
        &mut self,
        context: &mut AuditContext<'_>,
        answer: &AnswerLine,
    ) -> Result<(), String> {
        self.add_sequence(&FiringSequence::new(), &[], true);
        let mut traces: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
        for shown in answer.shown_by.iter().filter(|shown| shown.kind == EvidenceKind::Trace) {
            traces.entry(&shown.id).or_default().push(shown.prefix_length);
        }
        for (id, stops) in traces {
            let sequence = trace::sequence(&context.lines, id)?;
            let mut counts: Vec<u64> = stops.iter().copied().flatten().collect();
            counts.sort_unstable();
            self.add_sequence(&sequence, &counts, stops.contains(&None));
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

    /// Writes a document, if it is about the net itself.
    fn add_document(&mut self, context: &mut AuditContext<'_>, id: &str) -> Result<(), String> {
        let DocumentLine { on, after, document } = context.lines.read(id)?;
        if let Some(on) = on {
            let rules = rules_of(context, on)?;
            self.left_out.push(format!("reductions are not covered: {}", rules.join(", ")));
            return Ok(());
        }
        if after.is_some() {
            self.left_out.push("documents after a trace are not covered".to_owned());
            return Ok(());
        }
        let document = document.resolve(self.net).map_err(|flaw: Flaw| flaw.to_string())?;
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
                if refuted.is_empty() && !targets.is_empty() {
                    self.left_out.push("a document has no derivation".to_owned());
                }
                self.shown.extend(refuted);
            }
            Err(why) => {
                self.writer.truncate(length, count);
                self.left_out.push(why.to_owned());
            }
        }
        Ok(())
    }

    /// Lists all reachable markings, if they are few, with the statements that they refute.
    fn list_markings(&mut self) {
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
            let mut evidence = ClaimEvidence {
                net: &net,
                obligation,
                shown: BTreeSet::new(),
                writer: DocumentWriter::new(&net, false),
                left_out: Vec::new(),
            };
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
