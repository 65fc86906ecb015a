//! Nets with inhibitor, read and reset arcs at unbounded places, against their own enumerator. A
//! cap is an assumed bound of such a place. Within the caps, the translated net simulates the model
//! exactly. Beyond the caps, it can follow every run of the model. Answers agree with the
//! enumeration, and the auditor confirms them.

use crate::support::extended::NetTable;
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{AnswerWitness, GoalAnswer, Plan, QuestionValue};
use parikh::evidence::audit::AuditVerdict;
use parikh::evidence::extended::{ExtendedAudit, rebuild};
use parikh::evidence::file::{NamedBecause, NamedTranslation};
use parikh::evidence::reader::queries;
use parikh::evidence_files::EvidenceFile;
use parikh::extended::bounds::CapRooms;
use parikh::extended::{translate, translate_within_caps};
use parikh::formula::text::read_one;
use parikh::mcc::Examination;
use parikh::net::{ExtendedNet, Marking, Net, PlaceId, Predicate, TransitionId, of_model, text};
use parikh::run::{self, Event, RunConfig};
use parikh::solvers::Budget;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

/// Returns a random net as table, as model and as translation with caps. Returns `None` if all
/// places are bounded.
fn with_caps(seed: u64, rooms: CapRooms) -> Option<(NetTable, ExtendedNet, Net)> {
    let table = NetTable::random(seed);
    let model = table.net();
    if model.is_plain() {
        return None;
    }
    let net = translate_within_caps(model.clone(), 500, rooms, &Budget::unlimited());
    let net = net.unwrap_or_else(|why| panic!("seed {seed}: {why}, {table:?}"));
    net.has_caps().then_some((table, model, net))
}

/// Returns the place that has a token as long as no firing has exceeded a cap.
fn within(net: &Net) -> PlaceId {
    net.translation().unwrap().within_caps().unwrap()
}

/// Returns the caps by place.
fn caps(net: &Net) -> HashMap<usize, u64> {
    let named = NamedTranslation::of(net, net.translation().unwrap());
    let caps = named.bounds.iter().filter(|bound| bound.because == NamedBecause::Cap);
    caps.map(|bound| (net.place_named(&bound.place).unwrap().index(), bound.most)).collect()
}

/// Within the caps, the same transitions are enabled and lead to the same markings.
fn within_the_caps(seed: u64, table: &NetTable, net: &Net) {
    let (translation, within, caps) = (net.translation().unwrap(), within(net), caps(net));
    let places = table.tokens.len();
    let context = || format!("seed {seed}: {table:?}\n{}", text::print(net));
    let mut known = HashSet::from([table.tokens.clone()]);
    let mut open = vec![(table.tokens.clone(), net.initial().clone())];
    while let Some((marking, here)) = open.pop() {
        assert_eq!(&here.tokens()[..places], &marking[..], "{}", context());
        assert_eq!(here[within], 1);
        for t in 0..table.transitions() {
            let fireable = of_model(net, Predicate::Enabled(copy(net, t))).unwrap();
            let next = table.fire(&marking, t);
            assert_eq!(fireable.holds(net, &here), next.is_some(), "t{t}, {}", context());
            let copies = translation.copies(TransitionId::new(t)).map(TransitionId::new);
            let enabled: Vec<_> = copies.filter(|&copy| net.is_enabled(&here, copy)).collect();
            let stays = |next: &Vec<u64>| caps.iter().all(|(&p, &most)| next[p] <= most);
            let Some(next) = next.filter(stays) else {
                assert!(enabled.is_empty(), "t{t} in {marking:?}, {}", context());
                continue;
            };
            assert_eq!(enabled.len(), 1, "t{t} in {marking:?}, {}", context());
            let mut there = here.clone();
            net.fire(&mut there, enabled[0]).unwrap();
            assert_eq!(&there.tokens()[..places], &next[..], "{}", context());
            if known.len() < 300 && known.insert(next.clone()) {
                open.push((next, there));
            }
        }
    }
}

/// Returns the first of the transitions that stand for `t` in the translated net.
fn copy(net: &Net, t: usize) -> TransitionId {
    TransitionId::new(net.translation().unwrap().copies(TransitionId::new(t)).start)
}

/// Follows a random run of the model on the translated net. Returns true if the run passes a cap.
fn goes_along(seed: u64, table: &NetTable, net: &Net) -> bool {
    let (translation, within, caps) = (net.translation().unwrap(), within(net), caps(net));
    let over = &translation.caps().unwrap().overflow;
    let context = || format!("seed {seed}: {table:?}\n{}", text::print(net));
    let named = |what: &str, p: usize| {
        let name = format!("{what}({})", net.place_name(PlaceId::new(p)));
        net.transition_named(&name).unwrap_or_else(|| panic!("{name}, {}", context()))
    };
    // Returns true if `here` stands for `marking`: tokens up to the cap are on the place itself,
    // and all others on its overflow place. Complement places are not compared.
    let stands = |marking: &[u64], here: &Marking| {
        (0..marking.len()).map(PlaceId::new).all(|p| {
            let most = caps.get(&p.index()).copied().unwrap_or(u64::MAX);
            let rest = over.get(&p).map_or(0, |&(_, over)| here[over]);
            let all = marking[p.index()];
            here[p] == all.min(most) && rest == all - all.min(most)
        })
    };
    let mut rng = Rng::with_seed(seed);
    let (mut marking, mut here) = (table.tokens.clone(), net.initial().clone());
    for _ in 0..200 {
        let enabled = (0..table.transitions()).filter_map(|t| Some((t, table.fire(&marking, t)?)));
        let Some((t, next)) = rng.choice(enabled.collect::<Vec<_>>()) else { break };
        if here[within] == 1
            && let Some((&p, _)) = caps.iter().find(|&(&p, &most)| next[p] > most)
        {
            net.fire(&mut here, named("leave", p)).unwrap_or_else(|_| panic!("{}", context()));
        }
        let copies = translation.copies(TransitionId::new(t)).map(TransitionId::new);
        let leads = copies.filter_map(|copy| {
            let mut there = here.clone();
            net.fire(&mut there, copy).ok()?;
            for (&p, &(_, over)) in over.iter().filter(|(p, _)| table.empties[t][p.index()]) {
                while there[over] > 0 {
                    net.fire(&mut there, named("drain", p.index())).unwrap();
                }
            }
            stands(&next, &there).then_some(there)
        });
        let leads: Vec<Marking> = leads.collect();
        assert_eq!(leads.len(), 1, "t{t} in {marking:?}, {}", context());
        (marking, here) = (next, leads.into_iter().next().unwrap());
        // Comparisons with any number have the same value on both nets.
        for p in 0..marking.len() {
            let number = rng.u64(0..12);
            let least = Predicate::at_least(PlaceId::new(p), number);
            let seen = of_model(net, least).unwrap().holds(net, &here);
            assert_eq!(seen, marking[p] >= number, "p{p} >= {number} in {marking:?}");
        }
        let t = rng.usize(..table.transitions());
        let fireable = of_model(net, Predicate::Enabled(copy(net, t))).unwrap();
        assert_eq!(fireable.holds(net, &here), table.fire(&marking, t).is_some(), "{}", context());
    }
    here[within] == 0
}

/// The auditor computes the same net, and rejects a cap that is too low.
fn audited(seed: u64, table: &NetTable, model: &ExtendedNet, net: &Net) {
    let named = NamedTranslation::of(net, net.translation().unwrap());
    let mut goes_on = || true;
    let again = rebuild(model, &named, 100_000, &mut goes_on);
    let again = again.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{}", text::print(net)));
    assert_eq!(text::print(&again), text::print(net), "seed {seed}");
    assert_eq!(again.translation().unwrap().within_caps(), Some(within(net)));
    for at in 0..named.bounds.len() {
        let (mut low, mut missing, mut claimed) = (named.clone(), named.clone(), named.clone());
        missing.bounds.remove(at);
        assert!(rebuild(model, &missing, 100_000, &mut goes_on).is_err(), "seed {seed}");
        if named.bounds[at].because != NamedBecause::Cap {
            continue;
        }
        let p = net.place_named(&named.bounds[at].place).unwrap().index();
        let rows = [&table.takes, &table.puts, &table.reads, &table.inhibits];
        let weights = rows.iter().flat_map(|rows| rows.iter().map(|row| row[p]));
        low.bounds[at].most = weights.chain([table.tokens[p]]).max().unwrap().saturating_sub(1);
        assert!(rebuild(model, &low, 100_000, &mut goes_on).is_err(), "seed {seed}");
        // A bound without a valid justification is rejected, even if it would be valid as a cap.
        claimed.bounds[at].because = NamedBecause::Visited(5);
        assert!(rebuild(model, &claimed, 500, &mut goes_on).is_err(), "seed {seed}");
    }
}

#[test]
fn nets_with_caps_stand_for_their_models_in_two_halves() {
    let [mut capped, mut left, mut emptied] = [0u64; 3];
    for seed in 5_000_000..5_000_000 + scaled(4_000) {
        let rooms = CapRooms { inhibiting: seed % 4, emptied: seed % 3 };
        let Some((table, model, net)) = with_caps(seed, rooms) else { continue };
        within_the_caps(seed, &table, &net);
        left += u64::from(goes_along(seed, &table, &net));
        capped += 1;
        emptied += u64::from(net.transitions().any(|t| net.transition_name(t).contains("drain(")));
        if seed % 10 == 0 {
            audited(seed, &table, &model, &net);
        }
    }
    let tried = scaled(4_000);
    let counts = format!("{capped} with caps, {left} beyond them, {emptied} emptied");
    assert!(capped > tried / 50 && left > tried / 200 && emptied > tried / 100, "{counts}");
}

/// The first markings of a model, by a breadth-first search.
struct Beginning {
    markings: Vec<Vec<u64>>,
}

impl Beginning {
    fn of(table: &NetTable) -> Beginning {
        let mut markings = vec![table.tokens.clone()];
        let mut known = HashSet::from([table.tokens.clone()]);
        let mut at = 0;
        while at < markings.len() && markings.len() < 3_000 {
            for t in 0..table.transitions() {
                if let Some(next) = table.fire(&markings[at], t)
                    && known.insert(next.clone())
                {
                    markings.push(next);
                }
            }
            at += 1;
        }
        Beginning { markings }
    }
}

type Condition = Box<dyn Fn(&NetTable, &[u64]) -> bool>;

/// Returns a random condition on markings: in the language of `--formula`, in that of query files,
/// and as a value.
fn condition(rng: &mut Rng, table: &NetTable) -> (String, String, Condition) {
    let (t, p) = (rng.usize(..table.transitions()), rng.usize(..table.tokens.len()));
    let n = rng.u64(1..4);
    let is_dead =
        |table: &NetTable, m: &[u64]| (0..table.transitions()).all(|t| table.fire(m, t).is_none());
    let tokens = format!("<tokens-count><place>p{p}</place></tokens-count>");
    let number = format!("<integer-constant>{n}</integer-constant>");
    match rng.u8(0..6) {
        0 => (
            format!("p{p} >= {n}"),
            format!("<integer-ge>{tokens}{number}</integer-ge>"),
            Box::new(move |_, m| m[p] >= n),
        ),
        1 => (
            format!("p{p} = {n} && fireable(t{t})"),
            format!(
                "<conjunction><integer-eq>{tokens}{number}</integer-eq>\
                 <is-fireable><transition>t{t}</transition></is-fireable></conjunction>"
            ),
            Box::new(move |table, m| m[p] == n && table.fire(m, t).is_some()),
        ),
        2 => (
            format!("fireable(t{t})"),
            format!("<is-fireable><transition>t{t}</transition></is-fireable>"),
            Box::new(move |table, m| table.fire(m, t).is_some()),
        ),
        3 => (
            format!("!fireable(t{t}) && p{p} < {n}"),
            format!(
                "<conjunction><negation><is-fireable><transition>t{t}</transition></is-fireable>\
                 </negation><integer-lt>{tokens}{number}</integer-lt></conjunction>"
            ),
            Box::new(move |table, m| m[p] < n && table.fire(m, t).is_none()),
        ),
        4 => ("deadlock".to_owned(), "<deadlock/>".to_owned(), Box::new(is_dead)),
        _ => (
            format!("!deadlock && p{p} >= {n}"),
            format!(
                "<conjunction><negation><deadlock/></negation>\
                 <integer-ge>{tokens}{number}</integer-ge></conjunction>"
            ),
            Box::new(move |table, m| m[p] >= n && !is_dead(table, m)),
        ),
    }
}

/// Replays the firings of an answer on the model, with all kinds of arcs. Returns the markings, or
/// `None` if the answer has no finite sequence.
fn replayed(table: &NetTable, net: &Net, answer: &GoalAnswer) -> Option<Vec<Vec<u64>>> {
    let sequence = match answer.exhibit.as_ref()? {
        AnswerWitness::Firings(sequence) => sequence.clone(),
        AnswerWitness::Loops(run) => run.to_sequence(100_000)?,
        AnswerWitness::Pump(_) | AnswerWitness::Lasso(_) => return None,
    };
    let mut markings = vec![table.tokens.clone()];
    for step in sequence.steps() {
        let t = net.translation().unwrap().model_transition(step.transition).index();
        for _ in 0..step.count {
            let next = table.fire(markings.last().unwrap(), t);
            markings.push(next.unwrap_or_else(|| panic!("t{t} is not enabled: {table:?}")));
        }
    }
    Some(markings)
}

/// Returns the auditor's verdicts on an evidence file, or its error.
fn verdicts(model: &ExtendedNet, path: &Path, xml: &str) -> Result<Vec<AuditVerdict>, String> {
    let read =
        |net: &Net, _: &str| queries::read(net, xml.as_bytes()).map_err(|error| error.to_string());
    let mut audit = ExtendedAudit::new(model, 10_000, Box::new(read));
    audit.file(path).map_err(|broken| broken.to_string())?;
    Ok(audit.finish().judged.into_iter().map(|it| it.verdict).collect())
}

#[test]
fn answers_about_nets_with_caps_are_true_and_confirmed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("Formulas.jsonl");
    let [mut confirmed, mut beyond, mut open, mut refused] = [0u64; 4];
    let [mut numbers, mut infinite] = [0u64; 2];
    let mut values = [0u64; 2];
    for seed in 6_000_000..6_000_000 + scaled(600) {
        let rooms = match seed % 2 {
            0 => CapRooms::default(),
            _ => CapRooms { inhibiting: 3, emptied: 2 },
        };
        let Some((table, model, net)) = with_caps(seed, rooms) else { continue };
        let beginning = Beginning::of(&table);
        let mut rng = Rng::with_seed(seed);
        let mut plan = Plan::default();
        let (mut asked, mut xml) = (Vec::new(), String::new());
        for id in 0..4 {
            let (text, inside, holds) = condition(&mut rng, &table);
            let always = rng.bool();
            let text = if always { format!("AG !({text})") } else { format!("EF ({text})") };
            let formula = read_one(&text, "test", &net).formula.unwrap();
            plan.ask_formula(&id.to_string(), &formula, &net).unwrap();
            let formula = match always {
                true => format!(
                    "<all-paths><globally><negation>{inside}</negation></globally></all-paths>"
                ),
                false => format!("<exists-path><finally>{inside}</finally></exists-path>"),
            };
            xml += &format!("<property><id>{id}</id><formula>{formula}</formula></property>");
            asked.push((text, always, holds));
        }
        for p in 0..table.tokens.len() {
            let formula = read_one(&format!("bound(p{p})"), "test", &net).formula.unwrap();
            plan.ask_formula(&format!("p{p}"), &formula, &net).unwrap();
            xml += &format!(
                "<property><id>p{p}</id><formula><place-bound><place>p{p}</place></place-bound>\
                 </formula></property>"
            );
        }
        let xml = format!("<property-set>{xml}</property-set>");
        let mut file = EvidenceFile::new(&net, "Formulas", Vec::new()).unwrap();
        let config = RunConfig {
            threads: 1,
            keep_certificates: true,
            keep_all_witnesses: true,
            ..RunConfig::default()
        };
        let budget = Budget::lasting(Duration::from_millis(700));
        let mut answers: HashMap<String, GoalAnswer> = HashMap::new();
        let report = run::run_net(&net, plan, &config, &budget, |event| match event {
            Event::Settled { id, goal, knowledge } => file.settled(id, goal, knowledge).unwrap(),
            Event::Answered(answer) => {
                file.answer(answer).unwrap();
                answers.insert(answer.id.clone(), answer.clone());
            }
            _ => {}
        });
        let said = |what: &str| format!("seed {seed}, {what}: {table:?}\n{}", text::print(&net));
        assert_eq!(report.faults, 0, "{}", said("faults"));
        open += report.unanswered.len() as u64;
        for (id, (text, always, holds)) in asked.iter().enumerate() {
            let Some(answer) = answers.get(&id.to_string()) else { continue };
            let QuestionValue::Bool(value) = answer.value else { panic!("{}", said(text)) };
            values[usize::from(value)] += 1;
            match value != *always {
                // A witness is replayed by the rule with all arcs.
                true => {
                    if let Some(markings) = replayed(&table, &net, answer) {
                        assert!(holds(&table, markings.last().unwrap()), "{}", said(text));
                    } else {
                        assert!(holds(&table, &table.tokens), "{}", said(text));
                    }
                }
                false => {
                    let met = beginning.markings.iter().find(|m| holds(&table, m));
                    assert!(met.is_none(), "{met:?} {}", said(text));
                }
            }
        }
        for p in 0..table.tokens.len() {
            let Some(answer) = answers.get(&format!("p{p}")) else { continue };
            let seen = beginning.markings.iter().map(|marking| marking[p]).max().unwrap();
            match answer.value {
                QuestionValue::Number(number) => {
                    numbers += 1;
                    assert!(i128::from(seen) <= number, "{}", said(&answer.id));
                    let shown = replayed(&table, &net, answer);
                    let last = shown.map_or(table.tokens[p], |it| it.last().unwrap()[p]);
                    assert_eq!(i128::from(last), number, "{}", said(&answer.id));
                }
                _ => infinite += 1,
            }
        }
        file.write_end().unwrap();
        let written = file.finish().unwrap();
        std::fs::write(&path, &written).unwrap();
        let judged = verdicts(&model, &path, &xml).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(judged.len(), answers.len());
        for verdict in &judged {
            match verdict {
                AuditVerdict::Confirmed(_) => confirmed += 1,
                AuditVerdict::Refused(_) => panic!("{verdict:?}, {}", said("audit")),
                _ => beyond += 1,
            }
        }
        // The auditor rejects each answer with the opposite value.
        let written = String::from_utf8(written).unwrap();
        for (from, to) in [("TRUE", "FALSE"), ("FALSE", "TRUE")] {
            let (from, to) = (format!("\"value\":\"{from}\""), format!("\"value\":\"{to}\""));
            if !written.contains(&from) {
                continue;
            }
            let lines = written
                .lines()
                .filter(|line| !line.contains(&to))
                .map(|line| line.replace(&from, &to) + "\n");
            std::fs::write(&path, lines.collect::<String>()).unwrap();
            let judged = verdicts(&model, &path, &xml).unwrap();
            let turned = judged.iter().filter(|it| matches!(it, AuditVerdict::Refused(_))).count();
            assert!(turned >= written.matches(&from).count(), "{judged:?}, {}", said("turned"));
            refused += turned as u64;
        }
    }
    let counts = format!(
        "{confirmed} confirmed, {beyond} beyond, {open} open, {values:?}, {numbers} numbers, {infinite} infinite, \
         {refused} refused"
    );
    eprintln!("{counts}");
    let tried = scaled(600);
    assert!(confirmed > tried / 10 && values[0].min(values[1]) > tried / 20, "{counts}");
    assert!(
        beyond * 20 <= confirmed && numbers > 0 && infinite > 0 && refused > tried / 10,
        "{counts}"
    );
}

#[test]
fn questions_beyond_reachability_are_refused() {
    let (_, _, net) = (7_000_000..).find_map(|seed| with_caps(seed, CapRooms::default())).unwrap();
    for formula in ["AG EF p0 >= 1", "A F p0 >= 1", "E G p0 >= 1", "AG EX p0 >= 1", "AX p0 = 0"] {
        let formula = read_one(formula, "test", &net).formula.unwrap();
        let refused = Plan::default().ask_formula("x", &formula, &net).unwrap_err();
        assert!(refused.to_string().starts_with("places at inhibitor or reset arcs"), "{refused}");
    }
    for examination in [Examination::Liveness, Examination::StableMarking] {
        let is_refused = Plan::of_examination(examination, &net).is_none();
        assert_eq!(is_refused, examination == Examination::Liveness, "{examination}");
    }
    let report = run::state_space(&net, &RunConfig::default(), &Budget::unlimited(), |_| {});
    assert_eq!(report.unanswered.len(), 4);
    // The names of added places are not available in questions.
    for name in ["within", "beyond", "co(p0)", "over(p0)"] {
        assert_eq!(net.places_named(name), None);
    }
    let over = net.transitions().map(|t| net.transition_name(t)).find(|it| it.contains('['));
    assert_eq!(net.transitions_named(over.unwrap()), None);
}

#[test]
fn only_adapted_questions_of_a_plan_are_answered() {
    let (_, _, net) = (7_000_000..).find_map(|seed| with_caps(seed, CapRooms::default())).unwrap();
    let p0 = net.place_named("p0").unwrap();
    let formula = read_one("EF (p0 >= 1 || p0 = 0)", "test", &net).formula.unwrap();
    let mut plan = Plan::default();
    plan.ask_formula("adapted", &formula, &net).unwrap();
    // Both hold in the initial marking, but this goal may be reached beyond a cap.
    plan.ask_exists("not adapted", Predicate::exactly(net.initial()));
    plan.ask_maximum("maximum", parikh::net::LinearSum::place(p0));
    let mut answered = Vec::new();
    let (config, budget) = (RunConfig::default(), Budget::lasting(Duration::from_secs(2)));
    let report = run::run_net(&net, plan, &config, &budget, |event| {
        if let Event::Answered(answer) = event {
            answered.push(answer.id.clone());
        }
    });
    assert_eq!(answered, ["adapted"]);
    assert_eq!(report.unanswered.len(), 2);
}

#[test]
fn a_net_whose_places_are_bounded_has_no_caps() {
    for seed in 0..scaled(300) {
        let table = NetTable::random(seed);
        let Ok(exact) = translate(table.net(), &Budget::unlimited()) else { continue };
        let rooms = CapRooms::default();
        let same = translate_within_caps(table.net(), 200_000, rooms, &Budget::unlimited());
        assert_eq!(text::print(&same.unwrap()), text::print(&exact), "seed {seed}");
    }
}
