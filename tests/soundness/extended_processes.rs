//! Soundness of processes with inhibitor and reset arcs and several final markings, with one to
//! three cases, in all four variants: against their own enumerator, and audited.

use crate::support::extended::{NetTable, TableSpace};
use crate::support::processes::random_process;
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{AnswerWitness, GoalAnswer, Plan, QuestionValue};
use parikh::engine::Role;
use parikh::evidence::audit::{Audit, AuditVerdict, AuditedAnswer};
use parikh::evidence::extended::ExtendedAudit;
use parikh::evidence::replay;
use parikh::evidence_files::EvidenceFile;
use parikh::extended::translate;
use parikh::mcc::Examination::{self, EasySoundness, RelaxedSoundness, Soundness, WeakSoundness};
use parikh::net::counted::with_counters;
use parikh::net::{ExtendedBuilder, ExtendedNet, Marking, Net, marking_text};
use parikh::run::schedule::{PhaseNet, SchedulePhase, TimePart};
use parikh::run::{self, Event, RunConfig, Schedule};
use parikh::solvers::Budget;
use parikh::structure::workflow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

/// The four soundness questions.
const KINDS: [Examination; 4] = [Soundness, WeakSoundness, RelaxedSoundness, EasySoundness];

/// A process as tables of numbers.
#[derive(Debug)]
struct Process {
    /// The net with the tokens of one case.
    table: NetTable,
    /// The final markings of a single case.
    finals: Vec<Vec<u64>>,
    /// Number of cases at the same time.
    cases: u64,
}

impl Process {
    /// Returns a process made by refinement, or a random net, with further arcs and final markings.
    /// About every fourth process has no inhibitor and no reset arcs.
    fn random(seed: u64) -> Process {
        let mut rng = Rng::with_seed(seed);
        let (mut table, mut finals) = match rng.u8(..3) {
            0 => (NetTable::random(seed), Vec::new()),
            _ => {
                let (net, last) = random_process(seed);
                (of_net(&net), vec![last.tokens().to_vec()])
            }
        };
        let (places, transitions) = (table.tokens.len(), table.transitions());
        if rng.u8(..4) == 0 {
            let no_arcs = |rows: &mut Vec<Vec<u64>>| rows.iter_mut().for_each(|row| row.fill(0));
            no_arcs(&mut table.inhibits);
            table.empties.iter_mut().for_each(|row| row.fill(false));
        } else {
            for _ in 0..rng.usize(..4) {
                let (t, p) = (rng.usize(..transitions), rng.usize(..places));
                match rng.bool() {
                    true => table.inhibits[t][p] = rng.u64(1..=2),
                    false => table.empties[t][p] = true,
                }
            }
        }
        // Most final markings are reachable with one case.
        let reached = table.explore(60, 20).map_or(Vec::new(), |space| space.markings);
        for _ in 0..rng.usize(usize::from(finals.is_empty())..3) {
            finals.push(match reached.is_empty() || rng.u8(..4) == 0 {
                true => (0..places).map(|_| rng.u64(..2)).collect(),
                false => reached[rng.usize(..reached.len())].clone(),
            });
        }
        finals.retain(|last| last.iter().any(|&tokens| tokens > 0));
        if finals.is_empty() {
            finals.push((0..places).map(|p| u64::from(p == 0)).collect());
        }
        if table.tokens.iter().all(|&tokens| tokens == 0) {
            table.tokens[rng.usize(..places)] = 1;
        }
        Process { table, finals, cases: [1, 1, 2, 3][rng.usize(..4)] }
    }

    /// Returns the table with the tokens of all cases.
    fn begun(&self) -> NetTable {
        let tokens = self.table.tokens.iter().map(|tokens| tokens * self.cases).collect();
        NetTable { tokens, ..self.table.clone() }
    }

    /// Returns the markings in which every case is in a final marking.
    fn done(&self) -> BTreeSet<Vec<u64>> {
        let mut done = BTreeSet::from([vec![0; self.table.tokens.len()]]);
        for _ in 0..self.cases {
            let longer = done.iter().flat_map(|sum| {
                let add = |last: &Vec<u64>| sum.iter().zip(last).map(|(a, b)| a + b).collect();
                self.finals.iter().map(add).collect::<Vec<Vec<u64>>>()
            });
            done = longer.collect();
        }
        done
    }
}

/// Returns the table of a plain net.
fn of_net(net: &Net) -> NetTable {
    let row = |of: &dyn Fn(parikh::net::PlaceId) -> u64| net.places().map(of).collect::<Vec<u64>>();
    let takes = net.transitions().map(|t| row(&|p| net.pre_weight(t, p))).collect();
    let puts = net.transitions().map(|t| row(&|p| net.post_weight(t, p))).collect();
    let none = vec![vec![0; net.place_count()]; net.transition_count()];
    NetTable {
        tokens: net.initial().tokens().to_vec(),
        takes,
        puts,
        reads: none.clone(),
        inhibits: none,
        empties: vec![vec![false; net.place_count()]; net.transition_count()],
    }
}

/// Evaluates soundness by its definition, over all markings.
fn truth(
    space: &TableSpace,
    transitions: usize,
    done: &BTreeSet<Vec<u64>>,
    kind: Examination,
) -> bool {
    let covers = |m: &Vec<u64>| {
        done.iter().any(|last| last.iter().zip(m).all(|(tokens, held)| held >= tokens))
    };
    // For each marking, true if a final marking is reachable.
    let mut completing: Vec<bool> = space.markings.iter().map(|m| done.contains(m)).collect();
    loop {
        let more = |at: &usize| space.firings[*at].iter().any(|&(_, to)| completing[to]);
        let next: Vec<usize> =
            (0..completing.len()).filter(|at| !completing[*at]).filter(more).collect();
        if next.is_empty() {
            break;
        }
        next.into_iter().for_each(|at| completing[at] = true);
    }
    let weak = || {
        completing.iter().all(|&it| it)
            && space.markings.iter().all(|m| !covers(m) || done.contains(m))
    };
    match kind {
        EasySoundness => completing[0],
        WeakSoundness => weak(),
        Soundness => weak() && (0..transitions).all(|t| space.fires(t)),
        _ => (0..transitions).all(|t| {
            space.firings.iter().flatten().any(|&(fired, to)| fired == t && completing[to])
        }),
    }
}

/// Returns the answer about the translation of a process, with its evidence; `None` if the question
/// stays open. The search runs first, except with `usual`, which runs the default schedule.
fn answer(net: &Net, kind: Examination, cases: u64, usual: bool) -> Option<(GoalAnswer, Vec<u8>)> {
    let name = match cases {
        1 => kind.name().to_owned(),
        n => format!("{n}-{kind}"),
    };
    let plan = Plan::of_examination(kind, net).unwrap().called(&name);
    let keep =
        RunConfig { keep_certificates: true, keep_all_witnesses: true, ..RunConfig::default() };
    let all = TimePart { share: 1.0, max_time: Duration::MAX, min_time: Duration::ZERO };
    let search = SchedulePhase::Run(Role::Search, PhaseNet::OriginalAgain, all);
    let homes = SchedulePhase::Run(Role::Homes, PhaseNet::Original, all);
    let searched_first = Schedule {
        workers: vec![vec![SchedulePhase::RunOnceEngines, search, homes]],
        is_repeated: false,
    };
    let schedule = (!usual).then_some(searched_first);
    let config = RunConfig { threads: 1, schedule, ..keep };
    let mut file = EvidenceFile::new(net, &name, Vec::new()).unwrap();
    let mut found: Option<GoalAnswer> = None;
    let budget = Budget::unlimited().slice(Duration::from_secs(120));
    let report = run::run_net(net, plan, &config, &budget, |event| match event {
        Event::Settled { id, goal, knowledge } => file.settled(id, goal, knowledge).unwrap(),
        Event::Answered(answer) => {
            file.answer(answer).unwrap();
            assert!(found.replace(answer.clone()).is_none(), "{name} is answered twice");
        }
        _ => {}
    });
    assert_eq!(report.faults, 0, "{name}");
    file.write_end().unwrap();
    Some((found?, file.finish().unwrap()))
}

/// Returns the auditor's verdict on evidence about a model.
fn audited(model: &ExtendedNet, finals: &[Marking], name: &str, evidence: &[u8]) -> AuditedAnswer {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(format!("{name}.jsonl"));
    std::fs::write(&path, evidence).unwrap();
    audited_file(model, finals, &path)
}

fn audited_file(model: &ExtendedNet, finals: &[Marking], path: &Path) -> AuditedAnswer {
    let none = |what: &str| Err(format!("no formulas of {what}"));
    let mut report = match model.clone().into_plain() {
        Ok(net) => {
            let audit = Audit::new(&net, 10_000, Box::new(|it: &str| none(it)));
            let mut audit = audit.with_final_markings(finals.to_vec());
            audit.file(path).unwrap_or_else(|broken| panic!("{broken}"));
            audit.finish()
        }
        Err(model) => {
            let audit = ExtendedAudit::new(&model, 10_000, Box::new(|_: &Net, it: &str| none(it)));
            let mut audit = audit.with_final_markings(finals.to_vec());
            audit.file(path).unwrap_or_else(|broken| panic!("{broken}"));
            audit.finish()
        }
    };
    report.judged.remove(0)
}

/// Counters of the answers by question and value, of processes with too many markings, and of
/// answers that the auditor confirmed or left to a search. Also the open questions: on a machine
/// with much other work, an answer may need more than its time limit.
#[derive(Default)]
struct ProcessTally {
    seen: HashMap<(Examination, bool), u64>,
    large: u64,
    confirmed: u64,
    searched: u64,
    open: Vec<String>,
}

impl ProcessTally {
    /// Asks the four questions about a random process.
    fn ask(&mut self, seed: u64) {
        let process = Process::random(seed);
        let begun = process.begun();
        let Some(space) = begun.explore(300, 60) else {
            self.large += 1;
            return;
        };
        let model = process.table.net();
        let finals: Vec<Marking> =
            process.finals.iter().map(|last| Marking::new(last.clone())).collect();
        let (initial, all) =
            workflow::initial_and_final_markings(model.core(), process.cases, &finals).unwrap();
        let done = process.done();
        let said: BTreeSet<Vec<u64>> = all.iter().map(|last| last.tokens().to_vec()).collect();
        assert_eq!(said, done, "seed {seed}: {process:?}");
        let stands = model.clone().from_marking(initial).with_final_markings(all);
        let stands = translate(stands, &Budget::unlimited());
        let stands = stands.unwrap_or_else(|why| panic!("seed {seed}: {why}, {process:?}"));
        for kind in KINDS {
            let net = match kind {
                RelaxedSoundness => with_counters(&stands).unwrap(),
                _ => stands.clone(),
            };
            let about = || format!("{kind} of seed {seed}: {process:?}");
            let found = answer(&net, kind, process.cases, seed.is_multiple_of(16));
            let Some((found, evidence)) = found else {
                self.open.push(about());
                continue;
            };
            let truth = truth(&space, begun.transitions(), &done, kind);
            assert_eq!(found.value, QuestionValue::Bool(truth), "{}: {}", found.reason, about());
            *self.seen.entry((kind, truth)).or_default() += 1;
            if let Some(AnswerWitness::Firings(run)) = &found.exhibit {
                let end = replay(&net, run).unwrap();
                let own = Marking::new(end.tokens()[..begun.tokens.len()].to_vec());
                if kind == EasySoundness && truth {
                    assert!(done.contains(own.tokens()), "{}", about());
                    let named = format!("`{}`", marking_text::print(&net, &own));
                    let is_named = done.len() == 1 || found.reason.to_string().contains(&named);
                    assert!(is_named, "{named}: {}, {}", found.reason, about());
                }
            }
            if seed.is_multiple_of(4) {
                let judged = audited(&model, &finals, &found.id, &evidence);
                match judged.verdict {
                    AuditVerdict::Confirmed(_) => self.confirmed += 1,
                    AuditVerdict::Refused(_) => panic!("{judged:?}, {}", about()),
                    _ => self.searched += 1,
                }
            }
        }
    }
}

/// Runs wait more than they compute, so several run at a time.
const AT_A_TIME: u64 = 8;

#[test]
fn soundness_of_random_processes_agrees_with_enumeration() {
    let all = scaled(300);
    let mut found = ProcessTally::default();
    std::thread::scope(|scope| {
        let share = |first: u64| {
            let mut found = ProcessTally::default();
            (first..all).step_by(AT_A_TIME as usize).for_each(|seed| found.ask(seed));
            found
        };
        let shares: Vec<_> =
            (0..AT_A_TIME).map(|first| scope.spawn(move || share(first))).collect();
        for share in shares {
            let ProcessTally { seen, large, confirmed, searched, open } =
                share.join().expect("no process of this share is wrong");
            seen.into_iter().for_each(|(key, times)| *found.seen.entry(key).or_default() += times);
            found.large += large;
            found.confirmed += confirmed;
            found.searched += searched;
            found.open.extend(open);
        }
    });
    let ProcessTally { seen, large, confirmed, searched, open } = &found;
    eprintln!("{seen:?}; {large} too large; {confirmed} confirmed, {searched} searched");
    eprintln!("{} open: {open:#?}", open.len());
    assert!(open.len() as u64 <= all / 1000, "{} open: {open:#?}", open.len());
    assert!(*large < all / 3 && confirmed > searched, "{large}, {confirmed}, {searched}");
    for kind in KINDS {
        for truth in [true, false] {
            let count = seen.get(&(kind, truth)).copied().unwrap_or(0);
            assert!(count > all / 50, "{kind} {truth}: {seen:?}");
        }
    }
}

/// Returns a process of `branches` branches with four places each. One transition resets all
/// places.
fn cancellation(branches: usize) -> (ExtendedNet, Vec<Marking>) {
    let mut net = ExtendedBuilder::new("region");
    let mut place = |name: &str, tokens| net.core.place(name, tokens).unwrap();
    let [i, w, o] = [("i", 1), ("w", 0), ("o", 0)].map(|(name, tokens)| place(name, tokens));
    let rows: Vec<Vec<_>> = (0..branches)
        .map(|row| (0..4).map(|at| place(&format!("p{row}.{at}"), 0)).collect())
        .collect();
    let mut transition = |name: &str| net.core.transition(name).unwrap();
    let [split, cancel, join] = ["split", "cancel", "join"].map(&mut transition);
    let steps: Vec<Vec<_>> = (0..branches)
        .map(|row| (0..3).map(|at| transition(&format!("t{row}.{at}"))).collect())
        .collect();
    for (t, from, to) in [(split, i, w), (cancel, w, o), (join, w, o)] {
        net.core.take(t, from, 1).unwrap();
        net.core.put(t, to, 1).unwrap();
    }
    for (row, steps) in rows.iter().zip(&steps) {
        net.core.put(split, row[0], 1).unwrap();
        net.core.take(join, row[3], 1).unwrap();
        row.iter().for_each(|&p| net.reset(cancel, p));
        for (at, &t) in steps.iter().enumerate() {
            net.core.take(t, row[at], 1).unwrap();
            net.core.put(t, row[at + 1], 1).unwrap();
        }
    }
    let model = net.build().unwrap();
    let mut last = Marking::empty(model.core().place_count());
    last[o] = 1;
    (model, vec![last])
}

#[test]
fn a_cancellation_region_has_one_copy_per_reachable_combination_of_tokens() {
    // Of 2^12 and 2^20 combinations, 4^3 and 4^5 occur.
    for branches in [3, 5] {
        assert_all_sound(branches);
    }
}

fn assert_all_sound(branches: usize) {
    let (model, finals) = cancellation(branches);
    let (initial, all) = workflow::initial_and_final_markings(model.core(), 1, &finals).unwrap();
    let begun = model.clone().from_marking(initial).with_final_markings(all);
    let stands = translate(begun, &Budget::unlimited()).unwrap();
    for kind in KINDS {
        let net = match kind {
            RelaxedSoundness => with_counters(&stands).unwrap(),
            _ => stands.clone(),
        };
        let found = answer(&net, kind, 1, true);
        let (found, evidence) = found.unwrap_or_else(|| panic!("{kind} is open"));
        assert_eq!(found.value, QuestionValue::Bool(true), "{kind}: {}", found.reason);
        let judged = audited(&model, &finals, &found.id, &evidence);
        assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
    }
}

#[test]
fn a_wrong_answer_about_a_process_with_such_arcs_is_refused_by_the_auditor() {
    let mut turned = 0;
    for seed in (10_000_000..).take(60) {
        let process = Process::random(seed);
        let Some(_) = process.begun().explore(60, 20) else { continue };
        let model = process.table.net();
        let finals: Vec<Marking> =
            process.finals.iter().map(|last| Marking::new(last.clone())).collect();
        let (initial, all) =
            workflow::initial_and_final_markings(model.core(), process.cases, &finals).unwrap();
        let stands = model.clone().from_marking(initial).with_final_markings(all);
        let net = translate(stands, &Budget::unlimited()).unwrap();
        let found = answer(&net, Soundness, process.cases, false);
        let (found, evidence) = found.unwrap_or_else(|| panic!("open: {seed}"));
        let text = String::from_utf8(evidence).unwrap();
        let (yes, no) = ("\"value\":\"TRUE\"", "\"value\":\"FALSE\"");
        let other = if text.contains(yes) { text.replace(yes, no) } else { text.replace(no, yes) };
        assert_ne!(other, text);
        let judged = audited(&model, &finals, &found.id, other.as_bytes());
        assert!(!matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}, seed {seed}");
        turned += 1;
    }
    assert!(turned > 20, "{turned}");
}
