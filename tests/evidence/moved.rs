//! Evidence applied to another net, another initial marking, or another question. It confirms
//! nothing false, and it is confirmed for its own question.
//!
//! (Changed lists of unfoldings are tested in `tests/coloured/audit.rs`.)

use crate::support::nets::mutilated;
use crate::support::oracle::{OracleLimits, StateSpace, explore};
use crate::support::processes::{random_process, truth, with_safe_units};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::Plan;
use parikh::engine::Role;
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::file::FORMAT;
use parikh::evidence_files::EvidenceFile;
use parikh::mcc::Examination::{self, *};
use parikh::net::counted::with_counters;
use parikh::net::{Marking, Net, NetBuilder, PlaceId, Units, text};
use parikh::run::schedule::{PhaseNet, SchedulePhase, TimePart};
use parikh::run::{self, Event, RunConfig, Schedule};
use parikh::solvers::Budget;
use parikh::structure::workflow::cases;
use parikh_generate::{Shape, random};
use serde_json::json;
use std::time::Duration;

const LIMITS: OracleLimits = OracleLimits { states: 200, tokens: 40 };

/// Questions without final markings.
const PLAIN: [Examination; 5] =
    [ReachabilityDeadlock, OneSafe, QuasiLiveness, StableMarking, Liveness];

const ABOUT_CASES: [Examination; 4] = [Soundness, WeakSoundness, RelaxedSoundness, EasySoundness];

/// A question: an examination, the number of cases, and the final marking.
#[derive(Clone)]
struct ProcessQuestion {
    examination: Examination,
    cases: u64,
    last: Marking,
}

impl ProcessQuestion {
    fn plain(examination: Examination, net: &Net) -> Self {
        ProcessQuestion { examination, cases: 1, last: Marking::empty(net.place_count()) }
    }

    fn name(&self) -> String {
        match self.cases {
            1 => self.examination.name().to_owned(),
            cases => format!("{cases}-{}", self.examination.name()),
        }
    }

    /// Returns the net with the initial and final markings of the question.
    fn begun(&self, net: &Net) -> Option<Net> {
        match self.examination.is_about_cases() {
            true => cases(net, self.cases, std::slice::from_ref(&self.last)).ok(),
            false => Some(net.clone()),
        }
    }

    /// Returns the net whose markings are explored.
    fn subject(&self, net: &Net) -> Option<Net> {
        let begun = self.begun(net)?;
        match self.examination {
            RelaxedSoundness => with_counters(&begun).ok(),
            _ => Some(begun),
        }
    }

    /// Returns the answer by definition, if the net is small.
    fn truth(&self, net: &Net) -> Option<bool> {
        let begun = self.begun(net)?;
        let space = explore(&begun, LIMITS)?;
        Some(match self.examination {
            ReachabilityDeadlock => space.deadlock(),
            OneSafe => space.most_in_place() <= 1,
            QuasiLiveness => begun.transitions().all(|t| space.fires(t)),
            StableMarking => space.stable_place(),
            Liveness => space.live(),
            about_cases => truth(&space, &begun, about_cases),
        })
    }
}

/// Returns a schedule that settles small nets at once, with every kind of evidence: proofs before
/// the search.
fn schedule() -> Schedule {
    let part = |share| TimePart { share, max_time: Duration::MAX, min_time: Duration::ZERO };
    let worker = vec![
        SchedulePhase::RunOnceEngines,
        SchedulePhase::Continue(Role::Slices, part(0.5)),
        SchedulePhase::Run(Role::Search, PhaseNet::OriginalAgain, part(1.0)),
        SchedulePhase::Run(Role::Homes, PhaseNet::Original, part(1.0)),
    ];
    Schedule { workers: vec![worker], is_repeated: false }
}

/// Returns the evidence file of a run.
fn evidence(net: &Net, question: &ProcessQuestion) -> Option<String> {
    let subject = question.subject(net)?;
    let name = question.name();
    let plan = Plan::of_examination(question.examination, &subject)?.called(&name);
    let mut file = EvidenceFile::new(&subject, &name, Vec::new()).unwrap();
    let schedule = Some(schedule());
    let config = RunConfig {
        threads: 1,
        keep_all_witnesses: true,
        keep_certificates: true,
        schedule,
        ..RunConfig::default()
    };
    let budget = Budget::lasting(Duration::from_secs(10));
    let report = run::run_net(&subject, plan, &config, &budget, |event| {
        let written = match event {
            Event::Settled { id, goal, knowledge } => file.settled(id, goal, knowledge),
            Event::Answered(answer) => file.answer(answer),
            Event::Withdrawn { id } => file.withdrawn(id),
            _ => Ok(()),
        };
        written.unwrap();
    });
    assert_eq!(report.faults, 0, "{name}\n{}", text::print(net));
    file.write_end().unwrap();
    Some(String::from_utf8(file.finish().unwrap()).unwrap())
}

/// Returns a file that rests only on the claim that the units of the net are safe. It is the
/// simplest forgery, and valid if the answer follows from the claim.
fn by_claim(net: &Net, question: &ProcessQuestion, value: bool) -> Option<String> {
    let subject = question.subject(net)?;
    let name = question.name();
    let own: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    let head = json!({"evidence": {"format": FORMAT, "net": subject.name(),
        "places": subject.place_count(), "transitions": subject.transition_count(),
        "examination": name}});
    let steps = json!([{"safe_units": own}]);
    let bounds = json!({"bounds": {"assumes_units": true, "steps": steps}});
    let document = json!({"document": {"id": "d", "document": bounds}});
    let answer = json!({"answer": {"id": name, "value": if value { "TRUE" } else { "FALSE" },
        "assumes": ["units"], "shown_by": [{"document": "d"}]}});
    Some(format!("{head}\n{document}\n{answer}\n"))
}

/// Audits evidence files against nets.
struct EvidenceCheck {
    directory: tempfile::TempDir,
    judged: u64,
    confirmed: u64,
    /// Number of confirmed answers that assume the claim.
    assuming: u64,
}

impl EvidenceCheck {
    fn new() -> Self {
        EvidenceCheck {
            directory: tempfile::tempdir().unwrap(),
            judged: 0,
            confirmed: 0,
            assuming: 0,
        }
    }

    /// Returns the verdict on a file about `net`, with the final marking `last` for processes.
    fn judge(
        &mut self,
        net: &Net,
        question: &ProcessQuestion,
        file: &str,
    ) -> Option<AuditedAnswer> {
        let path = self.directory.path().join(format!("{}.jsonl", question.name()));
        std::fs::write(&path, file).unwrap();
        let audit = Audit::new(net, 10_000, Box::new(|_| Err("no formulas".to_owned())));
        let mut audit = audit.with_final_markings(vec![question.last.clone()]);
        let _ = audit.file(&path);
        self.judged += 1;
        audit.finish().judged.pop()
    }

    /// Audits files that rest only on the model's claim.
    fn hold_to_claim(&mut self, net: &Net, question: &ProcessQuestion) {
        for value in [true, false] {
            if let Some(file) = by_claim(net, question, value) {
                self.hold(net, question, &file);
            }
        }
    }

    /// Asserts that a file written for something else confirms nothing false about `net`.
    fn hold(&mut self, net: &Net, question: &ProcessQuestion, file: &str) {
        let Some(judged) = self.judge(net, question, file) else { return };
        let AuditVerdict::Confirmed(how) = &judged.verdict else { return };
        // Without a marking of its own, a process is judged with the token that the file assumes.
        let assumed = file.contains("\"initial-token\"") && !question.examination.is_about_cases();
        let begun = assumed.then(|| cases(net, 1, &[]).ok()).flatten();
        let Some(truth) = question.truth(begun.as_ref().unwrap_or(net)) else { return };
        self.confirmed += 1;
        self.assuming += u64::from(judged.assumes_units);
        let holds = judged.value == if truth { "TRUE" } else { "FALSE" };
        // An answer that assumes a false claim may be false.
        let excused = judged.assumes_units && !claim_holds(net);
        assert!(
            holds || excused,
            "{}: {} {how}\n{file}{}",
            question.name(),
            judged.value,
            text::print(net)
        );
    }
}

/// Returns true if the model's unit claim is true from its initial marking. The claim is about this
/// marking only.
fn claim_holds(net: &Net) -> bool {
    let Some(units) = net.units() else { return true };
    let safe = |space: StateSpace<'_>| space.markings().iter().all(|m| units.breach(m).is_none());
    explore(net, LIMITS).is_none_or(safe)
}

/// Returns a net and a question with a known answer, and the evidence of a run.
fn case(seed: u64) -> Option<(Net, ProcessQuestion, String)> {
    let mut rng = Rng::with_seed(seed);
    let (net, question) = match rng.bool() {
        true => {
            let net = random(seed, &Shape::small(seed));
            let question = ProcessQuestion::plain(PLAIN[rng.usize(..PLAIN.len())], &net);
            (net, question)
        }
        false => {
            let (mut net, last) = random_process(seed);
            if rng.u8(..4) == 0 {
                net = net.from_marking(Marking::empty(net.place_count()));
            }
            let examination = ABOUT_CASES[rng.usize(..4)];
            (net, ProcessQuestion { examination, cases: rng.u64(1..=3), last })
        }
    };
    let net = match with_safe_units(&net, &mut rng) {
        Some(claiming) if rng.bool() => claiming,
        _ => net,
    };
    question.truth(&net)?;
    let file = evidence(&net, &question)?;
    Some((net, question, file))
}

/// Changes the initial marking. The model's unit claim is then about the new marking.
fn with_tokens(net: &Net, rng: &mut Rng) -> Option<Net> {
    let mut marking = net.initial().clone();
    for _ in 0..rng.usize(1..=2) {
        let place = PlaceId::new(rng.usize(..net.place_count().max(1)));
        let tokens = marking.tokens().get(place.index()).copied()?;
        marking[place] = if rng.bool() { tokens + 1 } else { tokens.saturating_sub(1) };
    }
    claiming_as(net, &net.from_marking(marking))
}

/// Gives `other` the units of `net`, claimed to be safe. Returns `None` if the initial marking
/// violates the claim.
fn claiming_as(net: &Net, other: &Net) -> Option<Net> {
    let mut builder = NetBuilder::of(other).ok()?;
    if let Some(units) = net.units() {
        let tree = units.iter().map(|(_, unit)| unit.clone()).collect();
        let claimed = Units::new(tree, units.root(), true, other.initial(), |_| "");
        builder.set_units(claimed.ok()?);
    }
    builder.build().ok()
}

/// Runs one class of changes on many cases.
fn campaign(
    count: u64,
    mut each: impl FnMut(&mut EvidenceCheck, &Net, &ProcessQuestion, &str, &mut Rng),
) {
    let mut court = EvidenceCheck::new();
    let mut written = 0;
    for seed in 0..scaled(count) {
        let Some((net, question, file)) = case(seed) else { continue };
        let mut rng = Rng::with_seed(!seed);
        written += 1;
        each(&mut court, &net, &question, &file, &mut rng);
        court.hold_to_claim(&net, &question);
    }
    let EvidenceCheck { judged, confirmed, assuming, .. } = court;
    println!("{written} files, {judged} judged, {confirmed} confirmed, {assuming} on a claim");
    assert!(written > count / 3 && judged > written && confirmed > written / 10 && assuming > 0);
}

#[test]
fn at_home_evidence_is_confirmed() {
    let mut court = EvidenceCheck::new();
    let (mut written, mut confirmed) = (0, 0);
    for seed in 0..scaled(300) {
        let Some((net, question, file)) = case(seed) else { continue };
        let about = || format!("seed {seed}, {}\n{file}{}", question.name(), text::print(&net));
        let judged = court.judge(&net, &question, &file).unwrap_or_else(|| panic!("{}", about()));
        // After a search on a reduced net, the full net may have too many markings for the auditor.
        let right =
            matches!(judged.verdict, AuditVerdict::Confirmed(_) | AuditVerdict::Searched(_));
        assert!(right, "{:?} {}", judged.verdict, about());
        confirmed += u64::from(!matches!(judged.verdict, AuditVerdict::Searched(_)));
        court.hold(&net, &question, &file);
        written += 1;
    }
    assert!(confirmed * 10 > written * 9 && written > 100, "{written} {confirmed}");
}

#[test]
fn evidence_about_another_net_confirms_no_false_answer() {
    campaign(120, |court, net, question, file, rng| {
        for _ in 0..18 {
            if let Some(other) = claiming_as(net, &mutilated(net, rng)) {
                court.hold(&other, question, file);
            }
        }
    });
}

#[test]
fn evidence_about_another_marking_confirms_no_false_answer() {
    campaign(120, |court, net, question, file, rng| {
        for _ in 0..18 {
            if let Some(other) = with_tokens(net, rng) {
                court.hold(&other, question, file);
                court.hold_to_claim(&other, question);
            }
        }
    });
}

#[test]
fn evidence_for_another_question_confirms_nothing_false() {
    let turned = |file: &str| {
        let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
        if file.contains(yes) { file.replace(yes, no) } else { file.replace(no, yes) }
    };
    campaign(120, |court, net, question, file, rng| {
        court.hold(net, question, &turned(file));
        for examination in PLAIN.into_iter().chain(ABOUT_CASES) {
            let mut other = ProcessQuestion { examination, ..question.clone() };
            if examination.is_about_cases() {
                other.cases = rng.u64(1..=3);
                let place = PlaceId::new(rng.usize(..net.place_count().max(1)));
                if rng.u8(..3) == 0 && place.index() < net.place_count() {
                    other.last = Marking::empty(net.place_count());
                    other.last[place] = 1;
                }
            } else {
                other.cases = 1;
            }
            let Some(subject) = other.subject(net) else { continue };
            // The header must be correct. The field `because` is free text.
            let head = file.lines().next().unwrap_or_default();
            let mut forged: serde_json::Value = serde_json::from_str(head).unwrap();
            forged["evidence"]["places"] = subject.place_count().into();
            let rest = file.replacen(head, &forged.to_string(), 1);
            let rest =
                rest.replace(&format!("\"{}\"", question.name()), &format!("\"{}\"", other.name()));
            court.hold_to_claim(net, &other);
            court.hold(net, &other, &rest);
            court.hold(net, &other, &turned(&rest));
        }
    });
}
