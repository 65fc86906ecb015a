//! Nets with inhibitor, read and reset arcs, against their own enumerator. The translated net
//! simulates the model step by step, the auditor computes the same translation, and answers agree
//! with the enumeration.

use crate::support::extended::{NetTable, TableSpace};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{Plan, QuestionValue};
use parikh::evidence::extended::rebuild;
use parikh::evidence::file::{NamedBecause, NamedTranslation};
use parikh::extended::{TranslationError, translate, translate_visiting};
use parikh::mcc::Examination;
use parikh::net::{ExtendedNet, Marking, Net, TransitionId, pnml, text};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Explores model and translation in parallel, up to `most` markings. Compares the enabled
/// transitions and the next markings.
fn side_by_side(seed: u64, table: &NetTable, net: &Net, most: usize) {
    let translation = net.translation().unwrap();
    let places = table.tokens.len();
    let bound = |p: usize| {
        translation.bounds().iter().find(|bound| bound.place.index() == p).unwrap().max_tokens
    };
    let context = || format!("seed {seed}: {table:?}\n{}", text::print(net));
    let mut known = HashSet::from([table.tokens.clone()]);
    let mut open = vec![(table.tokens.clone(), net.initial().clone())];
    while let Some((marking, here)) = open.pop() {
        assert_eq!(&here.tokens()[..places], &marking[..], "{}", context());
        for (at, p) in translation.complemented().iter().enumerate() {
            let rest = bound(p.index()).checked_sub(marking[p.index()]);
            assert_eq!(Some(here.tokens()[places + at]), rest, "{}", context());
        }
        for t in 0..table.transitions() {
            let copies = translation.copies(TransitionId::new(t)).map(TransitionId::new);
            let enabled: Vec<_> = copies.filter(|&copy| net.is_enabled(&here, copy)).collect();
            let Some(next) = table.fire(&marking, t) else {
                assert!(enabled.is_empty(), "t{t} in {marking:?}, {}", context());
                continue;
            };
            assert_eq!(enabled.len(), 1, "t{t} in {marking:?}, {}", context());
            assert_eq!(translation.model_transition(enabled[0]).index(), t);
            let mut there = here.clone();
            net.fire(&mut there, enabled[0]).unwrap();
            if known.len() < most && known.insert(next.clone()) {
                open.push((next, there));
            } else {
                assert_eq!(&there.tokens()[..places], &next[..], "{}", context());
            }
        }
    }
}

/// The auditor computes the same net, and rejects any bound lowered by one.
fn audited(seed: u64, model: &ExtendedNet, net: &Net) {
    let translation = net.translation().unwrap();
    let named = NamedTranslation::of(net, translation);
    let again = rebuild(model, &named, 1_000_000, &mut || true);
    let again = again.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", text::print(net)));
    assert_eq!(text::print(&again), text::print(net), "seed {seed}");
    for at in 0..named.bounds.len() {
        let mut wrong = named.clone();
        let bound = &mut wrong.bounds[at];
        let Some(less) = bound.most.checked_sub(1) else { continue };
        bound.most = less;
        let made = rebuild(model, &wrong, 1_000_000, &mut || true);
        assert!(made.is_err(), "seed {seed}: a bound of {less} on {}", named.bounds[at].place);
        wrong.bounds.remove(at);
        assert!(rebuild(model, &wrong, 1_000_000, &mut || true).is_err());
    }
}

#[test]
fn translated_nets_behave_like_their_models() {
    let [mut small, mut refused, mut plain, mut by_sums, mut copied] = [0u64; 5];
    for seed in 0..scaled(10_000) {
        let table = NetTable::random(seed);
        let net = table.net();
        if net.is_plain() {
            plain += 1;
            continue;
        }
        let space = table.explore(1_000, 60);
        // If almost no markings are explored, bounds come from semiflows and capacities.
        let is_visited = seed % 4 > 0;
        let most_visited = if is_visited { 2_000 } else { 2 };
        match translate_visiting(net.clone(), most_visited, &Budget::unlimited()) {
            Ok(stands) => {
                side_by_side(seed, &table, &stands, 500);
                if seed % 10 == 0 {
                    audited(seed, &net, &stands);
                }
                small += u64::from(space.is_some());
                let named = NamedTranslation::of(&stands, stands.translation().unwrap());
                let sums = |it: &NamedBecause| !matches!(it, NamedBecause::Visited(_));
                by_sums += u64::from(named.bounds.iter().any(|bound| sums(&bound.because)));
                copied += u64::from(stands.transition_count() > table.transitions());
            }
            Err(TranslationError::Unbounded { place, .. }) => {
                assert!(
                    !is_visited || space.is_none(),
                    "seed {seed}: {place} is bounded, {table:?}"
                );
                refused += 1;
            }
            Err(other) => panic!("seed {seed}: {other}"),
        }
    }
    let tried = scaled(10_000);
    assert!(
        small > tried / 3 && refused > tried / 50,
        "{small} small, {refused} refused, {plain} plain"
    );
    assert!(
        by_sums > tried / 100 && copied > tried / 20,
        "{by_sums} by sums, {copied} with copies"
    );
}

#[test]
fn combinations_of_tokens_that_never_occur_have_no_copies() {
    let mut copied = 0;
    for seed in 0..scaled(300) {
        let mut table = NetTable::random(seed);
        let transitions = table.transitions();
        let mut rng = Rng::with_seed(seed);
        // Three places with many tokens that one transition resets: 29 · 29 · 29 combinations.
        let empties = rng.usize(..transitions);
        for _ in 0..3 {
            table.tokens.push(28);
            for t in 0..transitions {
                table.takes[t].push(u64::from(rng.u8(..4) == 0));
                table.puts[t].push(0);
                table.reads[t].push(0);
                table.inhibits[t].push(0);
                table.empties[t].push(t == empties);
            }
        }
        if table.explore(2_000, 60).is_none() {
            continue;
        }
        let net = table.net();
        let stands = translate_visiting(net.clone(), 20_000, &Budget::unlimited());
        let stands = stands.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
        side_by_side(seed, &table, &stands, 300);
        let named = NamedTranslation::of(&stands, stands.translation().unwrap());
        let is_seen = |it: &NamedBecause| matches!(it, NamedBecause::Seen(_));
        assert!(named.bounds.iter().all(|bound| is_seen(&bound.because)), "seed {seed}");
        audited(seed, &net, &stands);
        copied += u64::from(stands.transition_count() > transitions);
    }
    assert!(copied > scaled(300) / 10, "{copied}");
}

/// Runs a plan and returns all answers by id.
fn answers(seed: u64, net: &Net, plan: Plan) -> HashMap<String, QuestionValue> {
    let config = RunConfig { threads: 1, ..RunConfig::default() };
    let budget = Budget::unlimited().slice(Duration::from_secs(120));
    let mut answers = HashMap::new();
    let report = run::run_net(net, plan, &config, &budget, |event| {
        if let Event::Answered(answer) = event {
            answers.insert(answer.id.clone(), answer.value.clone());
        }
    });
    assert_eq!(report.faults, 0, "seed {seed}: {}", text::print(net));
    assert!(report.unanswered.is_empty(), "seed {seed}: {:?}", report.unanswered);
    answers
}

fn examined(seed: u64, table: &NetTable, net: &Net, space: &TableSpace) {
    let all = 0..table.transitions();
    let expected = [
        (Examination::ReachabilityDeadlock, space.deadlock()),
        (Examination::OneSafe, space.most_in_place() <= 1),
        (Examination::QuasiLiveness, all.clone().all(|t| space.fires(t))),
        (Examination::Liveness, all.clone().all(|t| space.live(t))),
        (Examination::StableMarking, space.stable_place()),
    ];
    for (examination, expected) in expected {
        let plan = Plan::of_examination(examination, net).unwrap();
        let found = answers(seed, net, plan);
        let value = found[examination.name()].clone();
        assert_eq!(value, QuestionValue::Bool(expected), "seed {seed}, {examination}: {table:?}");
    }
    let found = answers(seed, net, Plan::of_most_tokens(net));
    let most = [space.most_in_marking(), space.most_in_place()];
    for (key, most) in ["MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE"].into_iter().zip(most) {
        assert_eq!(found[key], QuestionValue::Number(most.into()), "seed {seed}, {key}: {table:?}");
    }
    let (config, budget) = (RunConfig { threads: 1, ..RunConfig::default() }, Budget::unlimited());
    let mut figures = HashMap::new();
    let budget = budget.slice(Duration::from_secs(120));
    let report = run::state_space(net, &config, &budget, |event| {
        if let Event::Figure(figure, _) = event {
            figures.insert(figure.id.clone(), figure.value.to_string());
        }
    });
    assert_eq!(report.faults, 0, "seed {seed}: {table:?}");
    let firings: usize = space.firings.iter().map(Vec::len).sum();
    for (key, number) in [
        ("STATES", space.markings.len() as u64),
        ("TRANSITIONS", firings as u64),
        ("MAX_TOKEN_PER_MARKING", most[0]),
        ("MAX_TOKEN_IN_PLACE", most[1]),
    ] {
        assert_eq!(figures.get(key), Some(&number.to_string()), "seed {seed}, {key}: {table:?}");
    }
}

#[test]
fn answers_about_translated_nets_agree_with_enumeration() {
    let mut examinations = 0;
    for seed in 0..scaled(40) {
        let table = NetTable::random(1_000_000 + seed);
        let Some(space) = table.explore(200, 30) else { continue };
        let stands = translate(table.net(), &Budget::unlimited()).unwrap();
        examined(seed, &table, &stands, &space);
        examinations += 1;
    }
    assert!(examinations > 13, "{examinations} nets");
}

#[test]
fn the_rule_with_all_arcs_is_the_enumerators() {
    for seed in 0..scaled(1_000) {
        let table = NetTable::random(seed);
        let net = table.net();
        let mut marking = Marking::new(table.tokens.clone());
        for step in 0..20 {
            let t = (seed as usize + step) % table.transitions();
            let expected = table.fire(marking.tokens(), t);
            let fired = net.fire(&mut marking, TransitionId::new(t)).is_ok();
            assert_eq!(fired, expected.is_some(), "seed {seed}");
            if let Some(expected) = expected {
                assert_eq!(marking.tokens(), expected, "seed {seed}");
            }
        }
    }
}

#[test]
fn written_nets_are_read_back_unchanged() {
    for seed in 0..200 {
        let net = NetTable::random(seed).net();
        let mut written = String::new();
        pnml::write_extended(&net, &mut written).unwrap();
        let again = parikh::evidence::reader::read_model(written.as_bytes()).unwrap().net;
        let mut twice = String::new();
        pnml::write_extended(&again, &mut twice).unwrap();
        assert_eq!(written, twice);
    }
}
