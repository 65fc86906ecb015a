//! Small nets on which reduction rules failed, of this program or of other tools, and the limits of
//! the interface.

use crate::support::oracle;
use parikh::evidence::{check_pump, replay};
use parikh::net::{FiringSequence, Goal, LinearSum, Net, PlaceId, Predicate, TransitionId, text};
use parikh::reduction::LogStep;
use parikh::reduction::{
    BackError, FiringMap, LogError, LogFile, Needs, Preserve, Reduction, ReductionConfig, needs,
    recheck, reduce,
};
use parikh::solvers::Budget;
use std::time::Duration;

fn net(text: &str) -> Net {
    text::parse(text).unwrap()
}

fn place(net: &Net, name: &str) -> PlaceId {
    net.place_named(name).unwrap()
}

fn transition(net: &Net, name: &str) -> TransitionId {
    net.transition_named(name).unwrap()
}

fn reduced(net: &Net, needs: &Needs) -> Reduction {
    reduce(net, needs, &Budget::unlimited(), &ReductionConfig::default())
}

fn reduced_by(net: &Net, needs: &Needs, rule: &'static str) -> Reduction {
    let config = ReductionConfig { only: Some(vec![rule]), ..ReductionConfig::default() };
    reduce(net, needs, &Budget::unlimited(), &config)
}

fn has_deadlock(net: &Net) -> bool {
    oracle::explore(net, oracle::OracleLimits::default()).unwrap().deadlock()
}

/// A bug of ITS-Tools: its reduction removed q as irrelevant for deadlocks, but kept t. Then t
/// consumed the token of p without q, and caused a deadlock that the net does not have.
#[test]
fn a_token_thief_makes_no_deadlock() {
    let net = net("place p 1\nplace a\nplace r 1\nplace s\nplace q\nplace x
        transition t1: p -> a\ntransition t2: a -> p\ntransition v: r -> s
        transition u: r + s -> q\ntransition t: p + q -> x");
    assert!(!has_deadlock(&net));
    assert!(!has_deadlock(&reduced(&net, &needs::deadlock()).net));
}

/// The number of firings of t that replaces a firing of u was computed as a sum beyond 63 bits.
#[test]
fn largest_allowed_weights_are_compared() {
    let most = i64::MAX;
    let net = net(&format!(
        "place p 1\nplace q\nplace r\ntransition t: p -> p + {most}*q\n\
         transition u: p + r -> p + {most}*q + r"
    ));
    let needs = needs::reachability([place(&net, "q")]);
    let reduction = reduced_by(&net, &needs, "weaker-transitions");
    assert_eq!(reduction.net.transition_count(), 1);
}

/// A bug of ITS-Tools: it reported a deadlock if the net had no strongly connected component.
#[test]
fn a_source_transition_means_no_deadlock() {
    let net = net("place p\ntransition t: -> p");
    let reduction = reduced(&net, &needs::deadlock());
    assert_eq!((reduction.net.transition_count(), reduction.net.arc_count()), (1, 0));
}

/// A bug of verifypn: its pre-agglomeration allowed producers that compete for inputs. Postponing
/// one of them also postpones the choice between them, which may change liveness.
#[test]
fn competing_producers_are_not_postponed_for_liveness() {
    let net = net("place a 1\nplace b 1\nplace p\nplace c
        transition t1: a -> p\ntransition t2: b -> p\ntransition t3: a + b -> p
        transition t4: p -> c\ntransition t5: 2*c -> a + b");
    let rule = "pre-agglomeration";
    assert_eq!(reduced_by(&net, &needs::deadlock(), rule).log.len(), 1);
    let live = needs::liveness([transition(&net, "t5")]);
    assert_eq!(reduced_by(&net, &live, rule).log.len(), 0);
}

/// A bug of ITS-Tools: of two places with equal arcs, the one with fewer tokens must stay, in
/// either order.
#[test]
fn the_scarcer_of_two_equal_places_stays() {
    for (p, q) in [(1, 2), (2, 1), (1, 1)] {
        let net = net(&format!(
            "place p {p}\nplace q {q}\nplace r\nplace s 5\nplace x
             transition t: p + q + s -> r + x\ntransition u: r + x + 2*s -> p + q"
        ));
        let reduction = reduced_by(&net, &needs::deadlock(), "parallel-places");
        let kept = reduction.map_place(place(&net, "p")).is_some();
        let other = reduction.map_place(place(&net, "q")).is_some();
        assert!(kept != other, "one and not both: {p} {q}");
        let scarcer = if kept { p } else { q };
        assert_eq!(scarcer, p.min(q));
    }
}

/// A bug of ITS-Tools: fusing places with equal futures merged transitions, so that their
/// quasi-liveness could no longer be decided.
#[test]
fn twins_that_are_asked_for_are_not_fused() {
    let net = net("place a 1\nplace p\nplace q\nplace x
        transition left: a -> p\ntransition f: p -> x\ntransition g: q -> x
        transition never: a + x -> q");
    let [f, g] = ["f", "g"].map(|name| transition(&net, name));
    let reduction = reduced(&net, &needs::quasi_liveness([f, g]));
    let space = oracle::explore(&reduction.net, oracle::OracleLimits::default()).unwrap();
    for (t, fires) in [(f, true), (g, false)] {
        let goal = reduction.translate_predicate(&net, &Predicate::Enabled(t)).unwrap();
        assert_eq!(space.reaches(&goal), fires);
    }
}

/// A bug of ITS-Tools: its free agglomeration did not require that the producer has no other
/// outputs.
#[test]
fn a_producer_with_other_outputs_is_not_postponed() {
    let net = net("place a 1\nplace b\nplace p\nplace x
        transition h: a -> p + x\ntransition f: p + b -> b");
    let needs = needs::reachability([place(&net, "x")]);
    assert_eq!(reduced_by(&net, &needs, "free-agglomeration").log.len(), 0);
}

#[test]
fn a_protected_transition_that_cannot_fire_is_found_dead() {
    let net = net("place a 1\nplace q\nplace x
        transition t: 2*a -> q\ntransition g: q -> x\ntransition f: a -> x");
    let g = transition(&net, "g");
    let reduction = reduced(&net, &needs::quasi_liveness([g]));
    assert!(reduction.dead_transitions.contains(&g));
    let goal = reduction.translate_predicate(&net, &Predicate::Enabled(g)).unwrap();
    assert_eq!(goal, Predicate::False);
}

#[test]
fn findings_of_reductions_settle_goals_of_the_original_net() {
    let net = net("place p 1\nplace q\nplace lock 3\nplace dead
        transition t: p + lock -> q + lock\ntransition u: q + dead -> p");
    let reduction = reduced(&net, &needs::deadlock());
    assert_eq!(reduction.dead_transitions, [transition(&net, "u")]);
    let constant = [(place(&net, "lock"), 3), (place(&net, "dead"), 0)];
    assert_eq!(reduction.constant_places, constant);
}

#[test]
fn constants_of_the_support_enter_translated_goals() {
    let net = net("place p 2\nplace q\nplace lock 3
        transition t: p + lock -> q + lock");
    let sum = LinearSum::new([(place(&net, "q"), 2), (place(&net, "lock"), 1)]).unwrap();
    let goal = Goal::Maximise(sum);
    let reduction = reduced(&net, &needs::of_goals(&net, [&goal]));
    let translated = reduction.translate(&net, &goal).unwrap();
    assert_eq!(translated.constant, 3);
    let space = oracle::explore(&reduction.net, oracle::OracleLimits::default()).unwrap();
    assert_eq!(space.answer(&translated.goal), oracle::GoalTruth::Maximum(4));
    // A goal that the reduction was not made for is not translated.
    let other = Goal::Reach(Predicate::at_least(place(&net, "p"), 1));
    assert_eq!(reduction.translate(&net, &other), None);
}

#[test]
fn a_spent_budget_leaves_a_valid_net() {
    let net = net("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
    let budget = Budget::unlimited();
    budget.cancel();
    let needs = needs::quasi_liveness([transition(&net, "u")]);
    let reduction = reduce(&net, &needs, &budget, &ReductionConfig::default());
    assert!(reduction.statistics.cut_short);
    assert_eq!(text::print(&reduction.net), text::print(&net));
    assert_eq!(
        reduction.firing(transition(&net, "u")),
        Some(&FiringMap::Carriers(vec![TransitionId::new(1)]))
    );
}

#[test]
fn prefix_and_pump_are_translated_back() {
    let net = net("place a 1\nplace p\nplace q\nplace r\nplace x
        transition start: a -> p\ntransition pq: p -> q\ntransition qp: q -> p
        transition work: q -> r\ntransition done: r -> p + x");
    let needs = needs::reachability([place(&net, "x")]);
    let reduction = reduced(&net, &needs);
    let grows = reduction
        .net
        .transitions()
        .find(|&t| !reduction.net.delta(t).is_empty())
        .expect("something puts to x");
    let pump: FiringSequence = [grows].into_iter().collect();
    let (prefix, pump) = reduction
        .back_translation
        .pump(&FiringSequence::new(), &pump, &Budget::unlimited())
        .unwrap();
    let mut both = prefix;
    both.extend(&pump);
    assert_eq!(replay(&net, &both).unwrap()[place(&net, "x")], 1);
}

/// After one round, the token is on another fused place, so the cycle consists of two rounds.
#[test]
fn a_pump_through_fused_places_returns_to_its_first_place() {
    for (source, rule) in [
        (
            "place p 1\nplace q\nplace x\ntransition ab: p -> q\ntransition ba: q -> p
             transition f: p -> q + x",
            "fused-cycles",
        ),
        (
            "place p 1\nplace q\nplace z 1\nplace x
             transition f: p + z -> q + x + z\ntransition g: q + z -> p + x + z",
            "equal-futures",
        ),
    ] {
        let net = net(source);
        let x = place(&net, "x");
        let reduction = reduced_by(&net, &needs::reachability([x]), rule);
        assert_eq!(reduction.log.len(), 1, "{rule}");
        let f: FiringSequence = [transition(&reduction.net, "f")].into_iter().collect();
        for prefix in [FiringSequence::new(), f.clone()] {
            let back = reduction.back_translation.pump(&prefix, &f, &Budget::unlimited());
            let (prefix, pump) = back.unwrap();
            let (before, after) = check_pump(&net, &prefix, &pump).unwrap();
            assert!(after[x] > before[x], "{rule}");
        }
    }
}

/// A billion postponed firings are a few steps, also through fused places.
#[test]
fn many_firings_are_translated_in_few_steps() {
    let many = 1_000_000_000u64;
    let postponed = net(&format!(
        "place a {many}\nplace b 1\nplace c\nplace p\nplace d 1
         transition h: a -> p\ntransition f: p + b -> 2*c\ntransition g: c + d -> b"
    ));
    let reduction = reduced_by(&postponed, &needs::deadlock(), "pre-agglomeration");
    let small = &reduction.net;
    let merged = small.transitions().find(|&t| small.transition_name(t) != "g").unwrap();
    let run: FiringSequence = [merged, transition(small, "g"), merged].into_iter().collect();
    assert!(small.is_dead(&replay(small, &run).unwrap()));
    let back = reduction.back_translation.deadlock(&postponed, &run, &Budget::unlimited()).unwrap();
    assert!(back.steps().len() < 100, "{}", back.steps().len());
    assert_eq!(back.firings(), u128::from(many) + 3);
    assert!(postponed.is_dead(&replay(&postponed, &back).unwrap()));

    let fused = net(&format!(
        "place p {many}\nplace q\nplace x\ntransition ab: p -> q\ntransition ba: q -> p
         transition f: q -> x"
    ));
    let x = place(&fused, "x");
    let reduction = reduced_by(&fused, &needs::reachability([x]), "fused-cycles");
    let mut run = FiringSequence::new();
    run.push(transition(&reduction.net, "f"), many);
    let back = reduction.back_translation.sequence(&run, &Budget::unlimited()).unwrap();
    assert_eq!(back.steps().len(), 2);
    assert_eq!(replay(&fused, &back).unwrap()[x], many);
}

/// One step of the reduced net needs an unlimited sequence in the original net.
#[test]
fn the_back_translation_ends_with_the_budget() {
    let net = net("place p 1\nplace q\nplace x\ntransition ab: p -> q\ntransition ba: q -> p
         transition f: p -> q + x");
    let needs = needs::reachability([place(&net, "x")]);
    let reduction = reduced_by(&net, &needs, "fused-cycles");
    let mut run = FiringSequence::new();
    run.push(transition(&reduction.net, "f"), 1 << 40);
    for budget in
        [Budget::lasting(Duration::from_millis(20)), Budget::unlimited().with_memory_ceiling(1)]
    {
        let back = reduction.back_translation.sequence(&run, &budget);
        assert!(matches!(back, Err(BackError::OutOfBudget(_))), "{back:?}");
        let back = reduction.back_translation.pump(&FiringSequence::new(), &run, &budget);
        assert!(matches!(back, Err(BackError::OutOfBudget(_))), "{back:?}");
    }
}

#[test]
fn a_pump_is_repeated_until_fused_places_have_their_tokens_again() {
    // Each firing of c moves the token of p, q and r on, and it is back after three.
    let net = net("place p 1\nplace q\nplace r\nplace x
        transition pq: p -> q + x\ntransition qr: q -> r + x\ntransition rp: r -> p + x
        transition a: p -> q\ntransition b: q -> r\ntransition c: r -> p");
    let needs = needs::reachability([place(&net, "x")]);
    let reduction = reduced(&net, &needs);
    let small = &reduction.net;
    let mut turned = 0;
    for t in small.transitions().filter(|&t| !small.delta(t).is_empty()) {
        let pump: FiringSequence = [t].into_iter().collect();
        check_pump(small, &FiringSequence::new(), &pump).unwrap();
        let (prefix, pump) = reduction
            .back_translation
            .pump(&FiringSequence::new(), &pump, &Budget::unlimited())
            .unwrap();
        check_pump(&net, &prefix, &pump).unwrap();
        turned += usize::from(pump.firings() > 1);
    }
    assert!(turned > 0, "{}", text::print(small));
}

#[test]
fn huge_weights_and_repetitions_do_not_overflow() {
    let most = i64::MAX;
    let net = net(&format!(
        "place a 3\nplace p\nplace q\nplace r
         transition h: a -> {most}*p\ntransition f: p -> {most}*q\ntransition g: {most}*q -> r"
    ));
    let needs = needs::reachability([place(&net, "r")]);
    let reduction = reduced(&net, &needs);
    assert!(reduction.statistics.rules.iter().all(|rule| rule.refused == 0));
    assert_eq!(recheck(&net, &needs, &reduction.log, &reduction.net), Ok(()));
}

#[test]
fn a_log_is_written_as_json_and_checked_again() {
    let net = net("place a 2\nplace p\nplace q\nplace r\nplace x
        transition h: a -> p\ntransition f: p -> q + r\ntransition g: q -> x
        transition k: r -> r");
    let needs = Needs {
        support: vec![place(&net, "x")],
        protected: vec![transition(&net, "k")],
        preserve: Preserve::REACHABILITY | Preserve::DEADLOCK,
    };
    let reduction = reduced(&net, &needs);
    let file = reduction.log.to_file(&net, reduction.needs(), &reduction.net);
    let json = serde_json::to_string(&file).unwrap();
    let file: LogFile = serde_json::from_str(&json).unwrap();
    let (again, log) = file.resolve(&net).unwrap();
    assert_eq!((&again, &log), (&needs, &reduction.log));
    assert_eq!(recheck(&net, &again, &log, &reduction.net), Ok(()));

    // An invalid step is detected, and so is a missing step.
    let mut wrong = file.clone();
    wrong.log.steps[0] = LogStep {
        rule: "implicit-places".into(),
        places: vec!["x".into()],
        transitions: Vec::new(),
        weights: Vec::new(),
    };
    let (_, log) = wrong.resolve(&net).unwrap();
    let refused = LogError::ConditionFails { step: 1, rule: "implicit-places" };
    assert_eq!(recheck(&net, &again, &log, &reduction.net), Err(refused));
    let mut short = file;
    short.log.steps.pop();
    let (_, log) = short.resolve(&net).unwrap();
    assert_eq!(recheck(&net, &again, &log, &reduction.net), Err(LogError::OtherNet));
}

/// A candidate that names its only producer twice must not count as having two producers. Removing
/// p would leave k without input, and x empty forever.
#[test]
fn a_node_named_twice_in_a_log_does_not_count_twice() {
    let net = net("place a\nplace b 1\nplace p\nplace x
        transition h: a -> p\ntransition k: b -> p\ntransition f: p -> x");
    let needs = needs::reachability([place(&net, "x")]);
    let step = |rule: &str, transitions: &[&str]| LogStep {
        rule: rule.into(),
        places: vec!["p".into()],
        transitions: transitions.iter().map(|&name| name.into()).collect(),
        weights: Vec::new(),
    };
    let mut file = reduced_by(&net, &needs, "sink-places").log.to_file(&net, &needs, &net);
    for (rule, transitions) in [
        ("free-agglomeration", &["h", "h"][..]),
        ("free-agglomeration", &["h", "h", "k"]),
        ("partial-post-agglomeration", &["f", "f"]),
    ] {
        file.log.steps = vec![step(rule, transitions)];
        let (_, log) = file.resolve(&net).unwrap();
        let refused = LogError::ConditionFails { step: 1, rule };
        assert_eq!(recheck(&net, &needs, &log, &net), Err(refused));
    }
    // With distinct nodes the step is valid, and only the resulting net differs.
    file.log.steps = vec![step("free-agglomeration", &["h", "k"])];
    let (_, log) = file.resolve(&net).unwrap();
    assert_eq!(recheck(&net, &needs, &log, &net), Err(LogError::OtherNet));
}

/// Transition `meet` needs 3 tokens of idle + busy, of which there are 2, as the multiplicities
/// show. Multiples of these are accepted, wrong ones are rejected, and most rules have none.
#[test]
fn multiplicities_in_a_log_are_checked() {
    let net = net("place idle 2\nplace busy\nplace pair\ntransition start: idle -> busy
        transition stop: busy -> idle\ntransition meet: 2*busy + idle -> pair
        transition part: pair -> 2*busy + idle");
    let needs = needs::deadlock();
    let reduction = reduced_by(&net, &needs, "unmarkable-presets");
    assert_eq!(reduction.net.transition_count(), 2);
    let right = reduction.log.to_file(&net, &needs, &reduction.net);
    assert_eq!(right.log.steps[0].weights, [1, 1, 3]);
    let again = |change: &dyn Fn(&mut LogStep)| {
        let mut file = right.clone();
        change(&mut file.log.steps[0]);
        let json = serde_json::to_string(&file).unwrap();
        let file: LogFile = serde_json::from_str(&json).unwrap();
        let (_, log) = file.resolve(&net).unwrap();
        recheck(&net, &needs, &log, &reduction.net)
    };
    let refused = |rule: &'static str| Err(LogError::ConditionFails { step: 1, rule });
    assert_eq!(again(&|_| ()), Ok(()));
    assert_eq!(again(&|step| step.weights = vec![2, 2, 6]), Ok(()));
    for wrong in [&[][..], &[1, 1], &[1, 1, 3, 1], &[0, 1, 3], &[1, 0, 3], &[1, 1, 2]] {
        let outcome = again(&|step| step.weights = wrong.to_vec());
        assert_eq!(outcome, refused("unmarkable-presets"), "{wrong:?}");
    }
    let outcome = again(&|step| step.transitions.push("start".into()));
    assert_eq!(outcome, refused("unmarkable-presets"));
    for rule in ["dead-transitions", "implicit-places"] {
        assert_eq!(again(&|step| step.rule = rule.into()), refused(rule));
    }
    // Transition `meet` keeps the sum, so `part` is dead by the same sum without it.
    let outcome = again(&|step| step.transitions.retain(|name| name == "part"));
    assert_eq!(outcome, Err(LogError::OtherNet));
}

/// Rules that remember visited nodes once missed most of them: of a thousand equal transitions, 21
/// were left.
#[test]
fn no_equal_transitions_remain() {
    for count in [4, 100, 1_000] {
        let transitions = (0..count).map(|i| format!("transition t{i}: p -> x\n"));
        let equal = net(&format!("place x\nplace p 1\n{}", transitions.collect::<String>()));
        let needs = needs::reachability([place(&equal, "x")]);
        assert_eq!(reduced_by(&equal, &needs, "same-effect").net.transition_count(), 1);
    }
    let branches = (0..100).map(|i| format!("place p{i} 1\ntransition t{i}: p{i} -> x\n"));
    let net = net(&format!("place x\n{}", branches.collect::<String>()));
    let needs = needs::reachability([place(&net, "x")]);
    let config = ReductionConfig {
        only: Some(vec!["equal-futures", "same-effect"]),
        ..ReductionConfig::default()
    };
    let reduction = reduce(&net, &needs, &Budget::unlimited(), &config);
    assert_eq!((reduction.net.place_count(), reduction.net.transition_count()), (2, 1));
}

#[test]
fn nodes_with_names_like_generated_ones_are_distinguished_in_a_log() {
    // A log uses `#1` for the first composed transition, and `fired d` for the counter of d.
    let net = net("place a 2\nplace b\nplace c\nplace e\nplace \"fired d\"\nplace never
        place \"fired fired d\" 1
        transition \"#1\": a -> b\ntransition u: b -> c\ntransition \"##2\": c -> e
        place f\ntransition \"#5\": b -> f\ntransition w: f -> e
        transition t: e -> \"fired d\"\ntransition v: \"fired d\" -> a
        transition d: never + \"fired fired d\" -> a");
    let needs = needs::quasi_liveness([transition(&net, "t"), transition(&net, "d")]);
    let reduction = reduced(&net, &needs);
    let file = reduction.log.to_file(&net, &needs, &reduction.net);
    let names = |wanted: &str| {
        let nodes =
            file.log.steps.iter().flat_map(|step| step.places.iter().chain(&step.transitions));
        nodes.filter(|name| *name == wanted).count()
    };
    // The log contains both the generated names and the similar names of the net.
    let composed = file.log.steps.iter().flat_map(|step| &step.transitions);
    let composed = composed.filter(|name| name.starts_with("###")).count();
    assert!(composed > 0 && names("fired fired fired d") > 0, "{:?}", file.log.steps);
    assert!(names("fired fired d") > 0, "{:?}", file.log.steps);
    let (again, log) = file.resolve(&net).unwrap();
    assert_eq!((&again, &log), (&needs, &reduction.log));
    assert_eq!(recheck(&net, &again, &log, &reduction.net), Ok(()));
}
