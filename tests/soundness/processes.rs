//! Soundness of processes: nets after textbook examples with the expected answers and reasons, and
//! random processes against plain enumeration.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::processes::{random_process, truth, with_safe_units};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{AnswerWitness, Cause, GoalAnswer, Plan, ProcessCause, QuestionValue};
use parikh::engine::{Engine, Role, coverability, home, siphon_trap, state_equation, walk};
use parikh::evidence::replay;
use parikh::mcc::Examination::{self, EasySoundness, RelaxedSoundness, Soundness, WeakSoundness};
use parikh::net::counted::with_counters;
use parikh::net::{Marking, Net, NetBuilder, PlaceId, text};
use parikh::run::schedule::{PhaseNet, SchedulePhase, TimePart};
use parikh::run::{self, Event, RunConfig, Schedule};
use parikh::solvers::Budget;
use parikh::structure::workflow::{Workflow, cases};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// The four soundness questions.
const KINDS: [Examination; 4] = [Soundness, WeakSoundness, RelaxedSoundness, EasySoundness];

/// A net, the number of cases, the answers to [`KINDS`], and a part of the reason for soundness.
type Example = (&'static str, u64, [bool; 4], &'static str);

// Answers to `KINDS` in the same order: soundness, weak, relaxed and easy soundness.
const ALL: [bool; 4] = [true; 4];
const NOT_SOUND: [bool; 4] = [false, false, true, true];
const DEAD: [bool; 4] = [false, true, false, true];
const EASY: [bool; 4] = [false, false, false, true];
const NONE: [bool; 4] = [false; 4];

/// A time limit that suffices for small nets on a busy machine, if no walk uses its share first.
const LONG: Duration = Duration::from_secs(120);

/// The time limit for the default schedule, in which walks use their share although they find
/// nothing.
const USUAL: Duration = Duration::from_secs(6);

/// Returns a schedule that settles small nets at once.
fn searched_first() -> Schedule {
    let all = TimePart { share: 1.0, max_time: Duration::MAX, min_time: Duration::ZERO };
    Schedule {
        workers: vec![vec![
            SchedulePhase::RunOnceEngines,
            SchedulePhase::Run(Role::Search, PhaseNet::OriginalAgain, all),
            SchedulePhase::Run(Role::Homes, PhaseNet::Original, all),
        ]],
        is_repeated: false,
    }
}

/// Examples after van der Aalst, 1998 and 2011.
const TEXTBOOK: &[Example] = &[
    // A sequence.
    ("place i\nplace p\nplace o\ntransition a: i -> p\ntransition b: p -> o", 1, ALL, "each of the 2 transitions"),
    // A choice with a matching join.
    ("place i\nplace p\nplace o\ntransition a: i -> p\ntransition b: i -> p\ntransition c: p -> o", 1, ALL, "every case"),
    // Two parallel branches with a synchronising join.
    ("place i\nplace p\nplace q\nplace r\nplace s\nplace o\ntransition fork: i -> p + q\ntransition a: p -> r
      transition b: q -> s\ntransition join: r + s -> o", 1, ALL, "nothing is left behind"),
    // A loop with an exit.
    ("place i\nplace p\nplace q\nplace o\ntransition a: i -> p\ntransition do: p -> q\ntransition again: q -> p
      transition done: q -> o", 1, ALL, "can always be completed"),
    // A free choice in each branch, and a loop in one.
    ("place i\nplace p\nplace q\nplace r\nplace s\nplace o\ntransition fork: i -> p + q\ntransition a: p -> r
      transition b: p -> r\ntransition c: q -> s\ntransition d: s -> q\ntransition join: r + s -> o", 1, ALL, "can always be completed"),
    // A choice with a synchronising join: it waits for the branch that was not chosen.
    ("place i\nplace p\nplace q\nplace o\ntransition a: i -> p\ntransition b: i -> q\ntransition join: p + q -> o", 1,
     NONE, ""),
    // Two choices that need not agree: the case gets stuck or is done.
    ("place i\nplace c\nplace d\nplace p\nplace q\nplace r\nplace s\nplace o\ntransition fork: i -> c + d
      transition a: c -> p\ntransition b: c -> q\ntransition x: d -> r\ntransition y: d -> s
      transition join1: p + r -> o\ntransition join2: q + s -> o", 1, NOT_SOUND, "gets stuck after 3 firings"),
    // A parallel split whose join accepts one branch: a token stays behind.
    ("place i\nplace p\nplace q\nplace o\ntransition fork: i -> p + q\ntransition a: p -> o\ntransition b: q -> o
      transition both: p + q -> o", 1, EASY, "leaves tokens behind"),
    // A parallel split without a join: both tokens arrive at the end.
    ("place i\nplace p\nplace q\nplace o\ntransition fork: i -> p + q\ntransition a: p -> o\ntransition b: q -> o", 1,
     NONE, ""),
    // A cycle without an exit, unless another branch is chosen.
    ("place i\nplace q\nplace r\nplace s\nplace o\ntransition astray: i -> q\ntransition both: i -> r + s
      transition on: q -> r\ntransition back: r -> q\ntransition out: r + s -> o", 1, EASY,
     "can no longer be completed after "),
    // A join that waits for two tokens, of which only one exists.
    ("place i\nplace p\nplace q\nplace o\ntransition a: i -> p\ntransition b: i -> q\ntransition never: p + q -> o
      transition c: p -> o\ntransition d: q -> o", 1, DEAD, "transition `never` can never fire"),
    // A loop that produces a token per round: unbounded.
    ("place i\nplace p\nplace q\nplace o\ntransition a: i -> p\ntransition more: p -> p + q\ntransition done: p -> o
      transition use: p + q -> p", 1, NOT_SOUND, "leaves tokens behind on `q`"),
    // The same loop, and the last transition consumes one produced token.
    ("place i\nplace p\nplace q\nplace o\ntransition a: i -> p + q\ntransition more: p -> p + q
      transition done: p + q -> o", 1, EASY, "leaves tokens behind on `q`"),
    // Parallel branches of three cases at once: it does not matter which case a token belongs to.
    ("place i\nplace p\nplace q\nplace r\nplace s\nplace o\ntransition fork: i -> p + q\ntransition a: p -> r
      transition b: q -> s\ntransition join: r + s -> o", 3, ALL, "nothing is left behind"),
    // With one case, `cheat` never has the two tokens that it needs. With two cases, it may take
    // the tokens of both; then both get stuck.
    ("place i\nplace c\nplace p\nplace q\nplace o\ntransition begin: i -> p + c\ntransition first: p + c -> q
      transition end: q -> o\ntransition cheat: 2*p -> o", 1, DEAD, "`cheat`"),
    ("place i\nplace c\nplace p\nplace q\nplace o\ntransition begin: i -> p + c\ntransition first: p + c -> q
      transition end: q -> o\ntransition cheat: 2*p -> o", 2, EASY, "gets stuck"),
    // With two cases, `two` may take one token of each case. Then q keeps tokens forever.
    ("place i\nplace p\nplace q\nplace r\nplace o\ntransition fork: i -> p + q\ntransition two: 2*p -> r
      transition one: p + q -> o\ntransition after: r -> o", 2, EASY, "gets stuck"),
    // Weights: two tokens are produced and two are consumed.
    ("place i\nplace p\nplace o\ntransition a: i -> 2*p\ntransition b: 2*p -> o", 1, ALL, "every case"),
    // Three tokens are produced and two are consumed.
    ("place i\nplace p\nplace o\ntransition a: i -> 3*p\ntransition b: 2*p -> o", 1, NONE, ""),
    // A milestone: b is enabled only until a fires. Not free-choice, and sound.
    ("place i\nplace p\nplace q\nplace m\nplace r\nplace s\nplace o\ntransition fork: i -> p + q + m
      transition b: q + m -> s + m\ntransition a: p + m + s -> r\ntransition join: r -> o", 1, ALL, "every case"),
    // The same milestone, but a may fire first.
    ("place i\nplace p\nplace q\nplace m\nplace r\nplace s\nplace o\ntransition fork: i -> p + q + m
      transition b: q + m -> s + m\ntransition a: p + m -> r\ntransition join: r + s -> o", 1, NOT_SOUND, "gets stuck"),
    // A cancelled case is done, and one of its branches continues.
    ("place i\nplace p\nplace q\nplace r\nplace o\ntransition fork: i -> p + q\ntransition cancel: p -> o
      transition a: p -> r\ntransition finish: r + q -> o", 1, EASY, "leaves tokens behind on `q`"),
];

/// Returns the net for a question.
fn asked(net: &Net, cases_: u64, last: Option<&Marking>, kind: Examination) -> Net {
    let finals = last.cloned().map_or(Vec::new(), |last| vec![last]);
    let begun =
        cases(net, cases_, &finals).unwrap_or_else(|why| panic!("{why}: {}", text::print(net)));
    if kind == RelaxedSoundness { with_counters(&begun).unwrap() } else { begun }
}

/// Returns the answer, after checking the markings in its reason. `None` if the question stays
/// open.
fn answer(net: &Net, kind: Examination, time: Duration) -> Option<GoalAnswer> {
    answer_by(RunConfig::default().engines, net, kind, time)
}

/// Returns the answer of these engines, as [`answer`] does.
fn answer_by(
    engines: &'static [Engine],
    net: &Net,
    kind: Examination,
    time: Duration,
) -> Option<GoalAnswer> {
    let plan = Plan::of_examination(kind, net).unwrap();
    let schedule = (time == LONG).then(searched_first);
    let config = RunConfig {
        threads: 1,
        keep_all_witnesses: true,
        schedule,
        engines,
        ..RunConfig::default()
    };
    let budget = Budget::unlimited().slice(time);
    let mut found: Option<GoalAnswer> = None;
    let report = run::run_net(net, plan, &config, &budget, |event| {
        if let Event::Answered(answer) = event {
            assert!(found.replace(answer.clone()).is_none(), "{kind} is answered twice");
        }
    });
    assert_eq!(report.faults, 0, "{kind}: {}", text::print(net));
    let answer = found?;
    if let Some(AnswerWitness::Firings(sequence)) = &answer.exhibit {
        let end = replay(net, sequence).unwrap();
        let f = &net.final_markings()[0];
        let covers = f.marked().all(|(place, tokens)| end[place] >= tokens);
        let Cause::Process(cause) = &answer.reason.cause else { panic!("{}", answer.reason) };
        if matches!(cause, ProcessCause::CaseStuck { .. }) {
            assert!(net.is_dead(&end) && !covers, "{}", answer.reason);
        } else if matches!(cause, ProcessCause::TokensLeftBehind { .. }) {
            assert!(covers && end.total() > f.total(), "{}", answer.reason);
        }
    }
    Some(answer)
}

#[test]
fn textbook_examples_are_answered_with_the_right_reason() {
    assert!(TEXTBOOK.len() >= 20);
    for (net, cases, expected, why) in TEXTBOOK {
        let net = text::parse(net).unwrap();
        assert!(
            Workflow::of(&net).source_and_sink().is_some(),
            "no workflow net: {}",
            text::print(&net)
        );
        for (kind, expected) in KINDS.into_iter().zip(expected) {
            let subject = asked(&net, *cases, None, kind);
            let found = answer(&subject, kind, USUAL).or_else(|| answer(&subject, kind, LONG));
            let found = found.unwrap_or_else(|| panic!("{kind} is open: {}", text::print(&net)));
            let GoalAnswer { value, reason, .. } = &found;
            let about = format!("{kind} of {}\n{reason}", text::print(&net));
            assert_eq!(*value, QuestionValue::Bool(*expected), "{about}");
            assert!(kind != Soundness || reason.to_string().contains(why), "{about}");
        }
    }
}

/// Counters of the checked answers by question and value, and of the questions about processes too
/// large to enumerate whose answers are not checked.
#[derive(Default)]
struct AnswerTally {
    seen: HashMap<(Examination, bool), u64>,
    open: u64,
    /// Number of processes with a true claim about their units.
    claiming: u64,
}

impl AnswerTally {
    /// Asks all questions about a random process, and compares the answers with enumeration.
    fn ask(&mut self, seed: u64) {
        let (mut net, last) = random_process(seed);
        let mut rng = Rng::with_seed(seed);
        let many = [1, 1, 1, 1, 2, 2, 3][rng.usize(..7)];
        if rng.u8(..3) == 0 && Workflow::of(&net).source_and_sink().is_some() {
            net = net.from_marking(Marking::empty(net.place_count()));
        }
        if let Some(claiming) = with_safe_units(&net, &mut rng).filter(|_| rng.u8(..4) > 0) {
            net = claiming;
            self.claiming += 1;
        }
        let begun = asked(&net, many, Some(&last), Soundness);
        let space = explore(&begun, OracleLimits { states: 400, tokens: 60 });
        for kind in KINDS {
            // An unbounded process may leave questions open; its answers are checked as well.
            let short = Duration::from_millis(if seed.is_multiple_of(5) { 40 } else { 8 });
            let time = if space.is_some() { LONG } else { short };
            let found = answer(&asked(&net, many, Some(&last), kind), kind, time);
            let about = || format!("{kind} of seed {seed}: {}", text::print(&begun));
            match (&space, found) {
                (Some(space), Some(found)) => {
                    let truth = truth(space, &begun, kind);
                    assert_eq!(
                        found.value,
                        QuestionValue::Bool(truth),
                        "{}: {}",
                        about(),
                        found.reason
                    );
                    let is_claimed = net.units().is_some();
                    assert!(is_claimed || !found.assumes_units, "{}", about());
                    *self.seen.entry((kind, truth)).or_default() += 1;
                }
                (Some(_), None) => panic!("open: {}", about()),
                (None, Some(found)) if matches!(kind, Soundness | WeakSoundness) => {
                    let is_large = found.value == QuestionValue::Bool(true);
                    assert!(!is_large, "{}: {}", about(), found.reason);
                }
                (None, _) => self.open += 1,
            }
        }
    }
}

/// Runs wait more than they compute, so several run at a time.
const AT_A_TIME: u64 = 16;

#[test]
fn soundness_of_random_processes_agrees_with_enumeration() {
    let all = scaled(10_000);
    let mut found = AnswerTally::default();
    std::thread::scope(|scope| {
        let share = |first: u64| {
            let mut found = AnswerTally::default();
            (first..all).step_by(AT_A_TIME as usize).for_each(|seed| found.ask(seed));
            found
        };
        let shares: Vec<_> =
            (0..AT_A_TIME).map(|first| scope.spawn(move || share(first))).collect();
        for share in shares {
            let share = share.join().expect("no process of this share is wrong");
            let AnswerTally { seen, open, claiming } = share;
            found.claiming += claiming;
            seen.into_iter().for_each(|(key, times)| *found.seen.entry(key).or_default() += times);
            found.open += open;
        }
    });
    assert!(found.claiming > all / 5, "{} of {all} claim something", found.claiming);
    for kind in KINDS {
        for truth in [true, false] {
            let count = found.seen.get(&(kind, truth)).copied().unwrap_or(0);
            assert!(count > 80, "{kind} {truth}: {:?}, {} too large", found.seen, found.open);
        }
    }
}

#[test]
fn a_process_of_thousands_of_free_choices_is_sound_by_its_structure() {
    // 60 parallel branches, each a sequence of choices: 11^60 markings.
    let mut builder = NetBuilder::new("wide");
    let [i, o] = ["i", "o"].map(|name| builder.place(name, 0).unwrap());
    let [fork, join] = ["fork", "join"].map(|name| builder.transition(name).unwrap());
    builder.take(fork, i, 1).unwrap();
    builder.put(join, o, 1).unwrap();
    for branch in 0..60 {
        let row: Vec<PlaceId> =
            (0..11).map(|step| builder.place(&format!("p{branch}.{step}"), 0).unwrap()).collect();
        builder.put(fork, row[0], 1).unwrap();
        builder.take(join, row[10], 1).unwrap();
        for (step, ends) in row.windows(2).enumerate() {
            for way in 0..3 {
                let t = builder.transition(&format!("t{branch}.{step}.{way}")).unwrap();
                builder.take(t, ends[0], 1).unwrap();
                builder.put(t, ends[1], 1).unwrap();
            }
        }
    }
    let net = asked(&builder.build().unwrap(), 1, None, Soundness);
    // Another engine may prove the same from weights of the places.
    const ENGINES: &[Engine] = &[
        coverability::ENGINE,
        siphon_trap::ENGINE,
        home::closed_net::ENGINE,
        state_equation::ENGINE,
        walk::ENGINE,
    ];
    let found = answer_by(ENGINES, &net, Soundness, 10 * USUAL).expect("an answer");
    assert_eq!(found.value, QuestionValue::Bool(true));
    let reason = found.reason.to_string();
    assert!(reason.contains("with a transition back to the initial marking"), "{reason}");
    let techniques: BTreeSet<&str> = found.techniques.iter().copied().collect();
    assert!(techniques.contains("SIPHON_TRAP"), "{techniques:?}");
}
