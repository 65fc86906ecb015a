//! Compares the prover's results on random parallel systems with those of this crate's checkers,
//! which explore all joint states.

use fastrand::Rng;
use parikh_evidence::systems::properties::{PropertyFile, SystemFormula, read};
use parikh_evidence::systems::{
    ComponentView, Endings, System, branching, composed, properties, read_dot, run,
    violation_search,
};
use parikh_systems::generate::{random_branching, random_linear, random_pattern, random_system};
use parikh_systems::{
    Decider, FactorView, FiniteRuns as Counting, JointStateSpace, Justification, LabelFormula,
    write,
};

/// Returns `few` times the factor in the environment variable PARIKH_SCALE (1 by default), as the
/// number of random systems.
fn cases(few: usize) -> usize {
    let scale = std::env::var("PARIKH_SCALE").ok().and_then(|it| it.parse::<f64>().ok());
    (few as f64 * scale.unwrap_or(1.0)) as usize
}

const ENDINGS: [(Counting, Endings); 2] =
    [(Counting::Ignored, Endings::Ignored), (Counting::Stutter, Endings::Stutter)];

/// Returns a search that uses no argument about recurring labels, so that it explores all edges.
fn full_search(endings: Endings, members: &[ComponentView]) -> violation_search::NoRunSearch<'_> {
    violation_search::NoRunSearch { endings, members, recurrence: false }
}

/// Converts an engine's component for the checker.
fn member(system: &parikh_systems::System, view: &FactorView) -> ComponentView {
    let name = |&label: &_| system.label(label).to_owned();
    let labels = view.labels.as_ref().map(|all| all.iter().map(name).collect());
    ComponentView { component: view.component as usize, labels }
}

/// Returns true if a complete exploration finds a run that violates the formula with this number.
/// Returns `None` if the exploration exceeds its limits or does not support the formula.
fn has_run(
    system: &System,
    properties: &PropertyFile,
    number: u64,
    endings: Endings,
) -> Option<bool> {
    let SystemFormula::Linear(formula) = &properties.by_number[&number].0 else {
        panic!("not linear")
    };
    let all: Vec<ComponentView> =
        (0..system.components().len()).map(ComponentView::whole).collect();
    match violation_search::visit(system, formula, full_search(endings, &all), 1 << 20, &mut || {
        true
    }) {
        Ok(violation_search::ViolationSearch::NotViolated(_)) => Some(false),
        Ok(violation_search::ViolationSearch::Violated) => Some(true),
        Ok(_) => None,
        Err(_) => None,
    }
}

#[test]
fn answers_about_runs_are_those_of_visiting_everything() {
    let mut random = Rng::with_seed(33);
    let (mut holds, mut fails, mut small, mut recurrent, mut parts) = (0, 0, 0, 0, 0);
    for _ in 0..cases(1250) {
        let drawn = random_system(&mut random);
        let text = write::dot(&drawn);
        let engine = parikh_systems::read::dot(&text, "random").unwrap();
        let system = read_dot(text.as_bytes()).unwrap();
        let formulas: Vec<String> = (0..4)
            .map(|_| {
                let depth = random.usize(1..=3);
                match random.u8(0..3) {
                    0 => random_pattern(&mut random),
                    _ => random_linear(&mut random, depth),
                }
            })
            .collect();
        let file: String =
            (1..).zip(&formulas).map(|(at, it): (u32, _)| format!("#{at}:\n({it})\n\n")).collect();
        let properties = read(file.as_bytes()).unwrap();
        for (number, text) in (1..).zip(&formulas) {
            let formula = LabelFormula::parse(text, &engine).unwrap();
            for (counting, endings) in ENDINGS {
                let decider = Decider::new(&engine, counting);
                let Ok(justification) = decider.decide(&formula, 1, &mut || true) else {
                    assert!(counting == Counting::Stutter && formula.has_next(), "{text}");
                    continue;
                };
                let Some(is_violated) = has_run(&system, &properties, number, endings) else {
                    continue;
                };
                let SystemFormula::Linear(linear) = &properties.by_number[&number].0 else {
                    panic!()
                };
                match justification {
                    Justification::Run(found) => {
                        assert!(is_violated, "{text} {endings:?}\n{}", write::dot(&drawn));
                        let labels: Vec<String> =
                            found.labels.iter().map(|&it| engine.label(it).to_owned()).collect();
                        run::check(&system, linear, endings, &labels, found.cycle_start)
                            .unwrap_or_else(|why| panic!("{why}: {text}\n{}", write::dot(&drawn)));
                        fails += 1;
                    }
                    Justification::Composed { members, order, .. } => {
                        assert!(!is_violated, "{text} {endings:?}\n{}", write::dot(&drawn));
                        let members: Vec<ComponentView> =
                            members.iter().map(|it| member(&engine, it)).collect();
                        let pairs: Vec<_> =
                            order.iter().map(|&(a, b)| (a as usize, b as usize)).collect();
                        let order = composed::CompositionOrder { members: &members, pairs: &pairs };
                        let seen = composed::visit(&system, linear, order, 1 << 20, &mut || true);
                        assert!(
                            matches!(seen, Ok(violation_search::ViolationSearch::NotViolated(_))),
                            "{text}: {seen:?}"
                        );
                        holds += 1;
                    }
                    Justification::PartialOrderReduction { .. } => {
                        assert!(!is_violated, "{text} {endings:?}\n{}", write::dot(&drawn));
                        holds += 1;
                    }
                    Justification::Components { members, .. } => {
                        assert!(!is_violated, "{text} {endings:?}\n{}", write::dot(&drawn));
                        let few: Vec<ComponentView> =
                            members.iter().map(|it| member(&engine, it)).collect();
                        parts += usize::from(few.iter().any(|it| it.labels.is_some()));
                        small += usize::from(few.len() < system.components().len());
                        let recurrence = endings == Endings::Ignored;
                        let claim =
                            violation_search::NoRunSearch { endings, members: &few, recurrence };
                        let seen =
                            violation_search::visit(&system, linear, claim, 1 << 20, &mut || true);
                        recurrent += usize::from(
                            seen == Ok(violation_search::ViolationSearch::NotViolated(0)),
                        );
                        assert!(
                            matches!(seen, Ok(violation_search::ViolationSearch::NotViolated(_))),
                            "{text}: {seen:?}"
                        );
                        holds += 1;
                    }
                }
            }
        }
    }
    assert!(
        holds > fails / 10
            && fails > holds / 10
            && small > holds / 10
            && recurrent > 10
            && parts > 10,
        "{holds} {fails} {small} {recurrent} {parts}"
    );
}

#[test]
fn answers_about_states_are_those_of_plain_fixpoints() {
    let mut random = Rng::with_seed(34);
    let mut values = [0, 0];
    for _ in 0..cases(400) {
        let drawn = random_system(&mut random);
        let text = write::dot(&drawn);
        let engine = parikh_systems::read::dot(&text, "random").unwrap();
        let system = read_dot(text.as_bytes()).unwrap();
        let space = JointStateSpace::visit(&engine, 1 << 20, &mut || true).unwrap();
        let plain = branching::JointSpace::visit(&system, 1 << 20, &mut || true).unwrap();
        assert_eq!(space.states(), plain.len());
        for _ in 0..8 {
            let depth = random.usize(1..=4);
            let text = format!("AG true & ({})", random_branching(&mut random, depth));
            let formula = parikh_systems::read::branching(&text, &engine).unwrap();
            let properties = read(format!("#1:\n{text}\n").as_bytes()).unwrap();
            let SystemFormula::Branching(branching) = &properties.by_number[&1].0 else {
                panic!("{text}")
            };
            let value = space.satisfies(&formula);
            assert_eq!(plain.satisfies(branching, &mut || true), Some(value), "{text}\n{drawn:?}");
            values[usize::from(value)] += 1;
        }
    }
    assert!(values.iter().all(|&it| it > 500 || cases(400) < 400), "{values:?}");
}

#[test]
fn chains_of_equivalences_are_evaluated_in_time() {
    let system =
        read_dot(b"digraph G {\nsubgraph a {\n0->1 [label=\"\"];\n1->1 [label=\"a]b\"];\n}\n}")
            .unwrap();
    let space = branching::JointSpace::visit(&system, 10, &mut || true).unwrap();
    for operator in [" <=> ", " xor "] {
        for (last, expected) in [("<\"a]b\">true", true), ("[\"a]b\"]false", false)] {
            // An even number of false operands does not change the value of the last operand.
            let text = format!("#1:\n{}{last}\n", format!("<a>true{operator}").repeat(100));
            let properties = read(text.as_bytes()).unwrap();
            let SystemFormula::Branching(formula) = &properties.by_number[&1].0 else { panic!() };
            assert_eq!(space.satisfies(formula, &mut || true), Some(expected), "{text}");
        }
    }
}

#[test]
fn the_states_of_abstractions_are_limited() {
    let text = "digraph G {
  subgraph one {\n0->1 [label=\"\"];\n1->2 [label=\"a\"];\n2->1 [label=\"b\"];\n  }
  subgraph two {\n3->4 [label=\"\"];\n3->5 [label=\"\"];\n4->5 [label=\"c\"];\n  }
}
";
    let system = read_dot(text.as_bytes()).unwrap();
    let properties = read(b"#1:\n(G(!c))\n").unwrap();
    let SystemFormula::Linear(formula) = &properties.by_number[&1].0 else { panic!() };
    let abstracted = |component, labels: &[&str]| ComponentView {
        component,
        labels: Some(labels.iter().map(|&it| it.to_owned()).collect()),
    };
    let visit = |members: &[ComponentView], endings| {
        violation_search::visit(&system, formula, full_search(endings, members), 100, &mut || true)
    };
    let infinite = Endings::Ignored;
    assert!(visit(&[abstracted(0, &["a"]), abstracted(0, &["b"])], infinite).is_ok());
    for members in [
        &[abstracted(0, &["a"]), abstracted(0, &["a", "b"])][..],
        &[ComponentView::whole(0), abstracted(0, &["a"])],
        &[ComponentView::whole(0), ComponentView::whole(0)],
        &[ComponentView::whole(1), ComponentView::whole(0)],
        &[ComponentView::whole(2)],
        &[abstracted(0, &[])],
        &[abstracted(1, &["c"])],
    ] {
        assert!(visit(members, infinite).is_err(), "{members:?}");
    }
    assert!(visit(&[abstracted(0, &["a"])], Endings::Stutter).is_err());
}

/// Composes random components pairwise in a random order. If the result has no violating run,
/// neither has the system.
#[test]
fn compositions_in_any_order_keep_every_run() {
    let mut random = Rng::with_seed(35);
    let (mut none, mut some, mut lost) = (0, 0, 0);
    for _ in 0..cases(600) {
        let drawn = random_system(&mut random);
        let system = read_dot(write::dot(&drawn).as_bytes()).unwrap();
        let count = system.components().len();
        for _ in 0..4 {
            let depth = random.usize(1..=3);
            let is_pattern = random.bool();
            let text = match is_pattern {
                true => random_pattern(&mut random),
                false => random_linear(&mut random, depth),
            };
            let properties = read(format!("#1:\n({text})\n").as_bytes()).unwrap();
            let is_violated = has_run(&system, &properties, 1, Endings::Ignored);
            let (Some(is_violated), SystemFormula::Linear(formula)) =
                (is_violated, &properties.by_number[&1].0)
            else {
                continue;
            };
            let mut open: Vec<usize> = (0..count).collect();
            let mut pairs = Vec::new();
            while open.len() > 1 && random.u8(0..8) > 0 {
                let one = open.swap_remove(random.usize(0..open.len()));
                let other = open.swap_remove(random.usize(0..open.len()));
                open.push(count + pairs.len());
                pairs.push((one, other));
            }
            let members: Vec<ComponentView> = (0..count).map(ComponentView::whole).collect();
            let order = composed::CompositionOrder { members: &members, pairs: &pairs };
            let description = || format!("{text} {pairs:?}\n{}", write::dot(&drawn));
            match composed::visit(&system, formula, order, 1 << 20, &mut || true).unwrap() {
                violation_search::ViolationSearch::NotViolated(_) => {
                    assert!(!is_violated, "{}", description());
                    none += 1;
                }
                violation_search::ViolationSearch::Violated => {
                    let engine = LabelFormula::parse(&text, &drawn).unwrap();
                    let decided = Decider::new(&drawn, Counting::Ignored);
                    let justification = decided.decide(&engine, 1, &mut || true).unwrap();
                    // The engine's own compositions are tested elsewhere.
                    assert!(
                        is_violated || !matches!(justification, Justification::Composed { .. }),
                        "{}",
                        description()
                    );
                    some += usize::from(is_violated);
                    lost += usize::from(!is_violated);
                }
                other => panic!("{other:?}: {}", description()),
            }
        }
    }
    assert!(none > 100 && some > 100, "{none} {some} {lost}");
    assert!(lost * 2 < none, "{none} {some} {lost}");
}

#[test]
fn an_order_composes_each_graph_once() {
    let text = "digraph G {
  subgraph one {\n0->1 [label=\"\"];\n1->2 [label=\"a\"];\n2->1 [label=\"b\"];\n  }
  subgraph two {\n3->4 [label=\"\"];\n4->5 [label=\"b\"];\n5->4 [label=\"c\"];\n  }
}
";
    let system = read_dot(text.as_bytes()).unwrap();
    let properties = read(b"#1:\n(G(c => F(a)))\n").unwrap();
    let SystemFormula::Linear(formula) = &properties.by_number[&1].0 else { panic!() };
    let visit = |members: &[ComponentView], pairs: &[(usize, usize)]| {
        let order = composed::CompositionOrder { members, pairs };
        composed::visit(&system, formula, order, 100, &mut || true)
    };
    let all = [ComponentView::whole(0), ComponentView::whole(1)];
    assert!(matches!(
        visit(&all, &[(0, 1)]),
        Ok(violation_search::ViolationSearch::NotViolated(_))
    ));
    assert!(matches!(visit(&all, &[]), Ok(violation_search::ViolationSearch::NotViolated(_))));
    for pairs in [&[(0, 0)][..], &[(0, 2)], &[(0, 1), (0, 1)], &[(0, 1), (2, 2)], &[(7, 1)]] {
        assert!(visit(&all, pairs).is_err(), "{pairs:?}");
    }
    // The first component alone does not restrict the label `c`.
    assert!(visit(&all[..1], &[]).is_err());
    assert!(visit(&[ComponentView::whole(1), ComponentView::whole(0)], &[(0, 1)]).is_err());
    let stopped = composed::CompositionOrder { members: &all, pairs: &[(0, 1)] };
    assert_eq!(
        composed::visit(&system, formula, stopped, 100, &mut || false),
        Ok(violation_search::ViolationSearch::Stopped)
    );
    let order = composed::CompositionOrder { members: &all, pairs: &[(0, 1)] };
    assert_eq!(
        composed::visit(&system, formula, order, 1, &mut || true),
        Ok(violation_search::ViolationSearch::More)
    );
}

/// Texts with removed or inserted parts are read, or refused with an existing line number.
#[test]
fn broken_texts_are_refused_with_their_line() {
    const DOT: &str = "digraph G {\n  subgraph a {\n0 [label=\"0\" style=filled];\n0->1 [label=\"\"];\n\
                       1->2 [label=\"work\" color=black];\n2->1 [label=\"rest\"];\n  }\n}\n";
    const LTL: &str = "#1: true\n( (work => F(rest)) )\n\n#2:\n( !rest U work )\n";
    const CTL: &str = "#1:\nAG([work]<>true)\n\n#2:\nE(<rest>true W [work]false)\n";
    let pieces = ["\"", "[", "]", "->", "{", "}", "(", ")", "#7:", "é", "\n", "U", "<", "!", "A("];
    let mut random = Rng::with_seed(36);
    let mut broken = [0; 2];
    for round in 0..1200 {
        let text = [DOT, LTL, CTL][round % 3];
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..letters.len().max(1));
            match random.u8(0..3) {
                0 if !letters.is_empty() => drop(letters.remove(at)),
                1 => letters.truncate(at),
                _ => {
                    let piece = pieces[random.usize(0..pieces.len())];
                    let at = at.min(letters.len());
                    letters.splice(at..at, piece.chars());
                }
            }
        }
        let changed: String = letters.into_iter().collect();
        let error = match round % 3 {
            0 => read_dot(changed.as_bytes()).err().map(|it| it.to_string()),
            _ => properties::read(changed.as_bytes()).err().map(|it| it.to_string()),
        };
        if let Some(error) = error {
            broken[usize::from(round % 3 > 0)] += 1;
            let line = error.split(|it: char| !it.is_ascii_digit()).find(|it| !it.is_empty());
            let line: usize = line.unwrap_or_else(|| panic!("{error}")).parse().unwrap();
            let lines = changed.lines().count() + 1;
            assert!((1..=lines).contains(&line), "{error}\n{changed}");
        }
    }
    assert!(broken.iter().all(|&it| it > 100), "{broken:?}");
}
