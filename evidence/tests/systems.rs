//! Parallel systems: what the prover finds of random ones is held against these checkers, which
//! visit everything, and against all short runs.

use fastrand::Rng;
use parikh_evidence::systems::properties::{Formula, Properties, read};
use parikh_evidence::systems::{Endings, Member, System, branching, none, read_dot, run};
use parikh_systems::generate::{random_branching, random_linear, random_pattern, random_system};
use parikh_systems::{Decider, Endings as Counting, Grounds, LabelFormula, Space, View, write};

/// How many random systems, times the factor in PARIKH_SCALE.
fn cases(few: usize) -> usize {
    let scale = std::env::var("PARIKH_SCALE").ok().and_then(|it| it.parse::<f64>().ok());
    (few as f64 * scale.unwrap_or(1.0)) as usize
}

const ENDINGS: [(Counting, Endings); 2] =
    [(Counting::Ignored, Endings::Ignored), (Counting::Stutter, Endings::Stutter)];

/// All is to be visited, and nothing known before.
fn plain(endings: Endings, members: &[Member]) -> none::Claim<'_> {
    none::Claim { endings, members, recurrence: false }
}

/// What the engine has seen, for the checker.
fn member(system: &parikh_systems::System, view: &View) -> Member {
    let name = |&label: &_| system.label(label).to_owned();
    let labels = view.labels.as_ref().map(|all| all.iter().map(name).collect());
    Member { component: view.component as usize, labels }
}

/// Whether there is a run against the formula, as visiting everything says.
fn has_run(
    system: &System,
    properties: &Properties,
    number: u64,
    endings: Endings,
) -> Option<bool> {
    let Formula::Linear(formula) = &properties.all[&number].0 else { panic!("not linear") };
    let all: Vec<Member> = (0..system.components().len()).map(Member::whole).collect();
    match none::visit(system, formula, plain(endings, &all), 1 << 20, &mut || true) {
        Ok(none::Visited::None(_)) => Some(false),
        Ok(none::Visited::Some) => Some(true),
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
                let Ok(grounds) = decider.decide(&formula, 1, &mut || true) else {
                    assert!(counting == Counting::Stutter && formula.has_next(), "{text}");
                    continue;
                };
                let Some(against) = has_run(&system, &properties, number, endings) else {
                    continue;
                };
                let Formula::Linear(linear) = &properties.all[&number].0 else { panic!() };
                match grounds {
                    Grounds::Run(found) => {
                        assert!(against, "{text} {endings:?}\n{}", write::dot(&drawn));
                        let labels: Vec<String> =
                            found.labels.iter().map(|&it| engine.label(it).to_owned()).collect();
                        run::check(&system, linear, endings, &labels, found.back)
                            .unwrap_or_else(|why| panic!("{why}: {text}\n{}", write::dot(&drawn)));
                        fails += 1;
                    }
                    Grounds::FewerSteps { .. } => {
                        assert!(!against, "{text} {endings:?}\n{}", write::dot(&drawn));
                        holds += 1;
                    }
                    Grounds::Components { members, .. } => {
                        assert!(!against, "{text} {endings:?}\n{}", write::dot(&drawn));
                        let few: Vec<Member> =
                            members.iter().map(|it| member(&engine, it)).collect();
                        parts += usize::from(few.iter().any(|it| it.labels.is_some()));
                        small += usize::from(few.len() < system.components().len());
                        let recurrence = endings == Endings::Ignored;
                        let claim = none::Claim { endings, members: &few, recurrence };
                        let seen = none::visit(&system, linear, claim, 1 << 20, &mut || true);
                        recurrent += usize::from(seen == Ok(none::Visited::None(0)));
                        assert!(matches!(seen, Ok(none::Visited::None(_))), "{text}: {seen:?}");
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
        let space = Space::visit(&engine, 1 << 20, &mut || true).unwrap();
        let plain = branching::Space::visit(&system, 1 << 20, &mut || true).unwrap();
        assert_eq!(space.states(), plain.len());
        for _ in 0..8 {
            let depth = random.usize(1..=4);
            let text = format!("AG true & ({})", random_branching(&mut random, depth));
            let formula = parikh_systems::read::branching(&text, &engine).unwrap();
            let properties = read(format!("#1:\n{text}\n").as_bytes()).unwrap();
            let Formula::Branching(branching) = &properties.all[&1].0 else { panic!("{text}") };
            let value = space.satisfies(&formula);
            assert_eq!(plain.satisfies(branching, &mut || true), Some(value), "{text}\n{drawn:?}");
            values[usize::from(value)] += 1;
        }
    }
    assert!(values.iter().all(|&it| it > 500 || cases(400) < 400), "{values:?}");
}

#[test]
fn what_is_seen_of_components_is_limited() {
    let text = "digraph G {
  subgraph one {\n0->1 [label=\"\"];\n1->2 [label=\"a\"];\n2->1 [label=\"b\"];\n  }
  subgraph two {\n3->4 [label=\"\"];\n3->5 [label=\"\"];\n4->5 [label=\"c\"];\n  }
}
";
    let system = read_dot(text.as_bytes()).unwrap();
    let properties = read(b"#1:\n(G(!c))\n").unwrap();
    let Formula::Linear(formula) = &properties.all[&1].0 else { panic!() };
    let seen = |component, labels: &[&str]| Member {
        component,
        labels: Some(labels.iter().map(|&it| it.to_owned()).collect()),
    };
    let visit = |members: &[Member], endings| {
        none::visit(&system, formula, plain(endings, members), 100, &mut || true)
    };
    let infinite = Endings::Ignored;
    assert!(visit(&[seen(0, &["a"]), seen(0, &["b"])], infinite).is_ok());
    for members in [
        &[seen(0, &["a"]), seen(0, &["a", "b"])][..],
        &[Member::whole(0), seen(0, &["a"])],
        &[Member::whole(0), Member::whole(0)],
        &[Member::whole(1), Member::whole(0)],
        &[Member::whole(2)],
        &[seen(0, &[])],
        &[seen(1, &["c"])],
    ] {
        assert!(visit(members, infinite).is_err(), "{members:?}");
    }
    assert!(visit(&[seen(0, &["a"])], Endings::Stutter).is_err());
}
