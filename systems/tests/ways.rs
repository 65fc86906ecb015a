//! One property evaluated in three ways: on the system, on its net, and with Promela's semantics.
//!
//! The net is explored marking by marking, and its behaviour becomes a system with one component.
//! In Promela's semantics finite runs count, too. The answer for an insensitive formula differs
//! there only if the system can stop; then a finite run violates the formula. Answers of SPIN
//! itself are compared, too.

use fastrand::Rng;
use parikh_net::{Marking, Net};
use parikh_systems::generate::{random_pattern, random_system};
use parikh_systems::{
    ComponentBuilder, Decider, FiniteRuns, JointStateSpace, Justification, LabelFormula, System,
    net, read, system,
};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

/// Returns the behaviour of a net as a system with one component.
fn of_net(net: &Net, has_roots: bool) -> System {
    let mut component = ComponentBuilder::new("net");
    let mut numbers: HashMap<Marking, u32> = HashMap::new();
    let mut all: Vec<Marking> = vec![net.initial().clone()];
    numbers.insert(net.initial().clone(), component.state("0"));
    let mut at = 0;
    while let Some(marking) = all.get(at).cloned() {
        let from = at as u32;
        at += 1;
        for t in net.transitions().filter(|&t| net.is_enabled(&marking, t)) {
            let mut next = marking.clone();
            net.fire(&mut next, t).unwrap();
            let to = *numbers.entry(next.clone()).or_insert_with(|| {
                all.push(next);
                component.state(&(all.len() - 1).to_string())
            });
            match has_roots && from == 0 {
                // The joint first step is not part of a run.
                true => component.start(to),
                false => component.edge(from, net.transition_label(t).unwrap(), to),
            }
        }
    }
    if !has_roots {
        component.start(0);
    }
    system("net", vec![component]).unwrap()
}

/// Returns the system in the form of the challenge's Promela, if each component has one start
/// state.
fn promela(system: &System) -> Option<String> {
    let mut text = String::new();
    for (number, component) in system.components().iter().enumerate() {
        let [start] = component.starts() else { return None };
        let _ = write!(text, "active proctype Proc{number}()\n{{\n  int state = 0;\n  do\n");
        let _ = write!(
            text,
            "  :: state == 0 ->\n    atomic {{\n      if\n      :: p{number} ? nop ->\n        state = {};\n      \
             fi\n    }}\n",
            start + 1
        );
        for state in 0..component.states().len() as u32 {
            let _ = write!(text, "  :: state == {} ->\n    atomic {{\n      if\n", state + 1);
            for &(label, to) in component.edges(state) {
                let name = system.label(label);
                let _ = write!(
                    text,
                    "      :: p ? {name} ->\n        act ! {name};\n        state = {};\n",
                    to + 1
                );
            }
            text.push_str("      fi\n    }\n");
        }
        text.push_str("  od\n}\n");
    }
    Some(text)
}

/// Returns true if all runs satisfy the formula, otherwise false, with a flag that is true if the
/// counterexample is a finite run. The flag is `None` without counterexample. Returns `None` if the
/// formula is not decided.
fn answer(system: &System, text: &str, endings: FiniteRuns) -> Option<(bool, Option<bool>)> {
    let formula = LabelFormula::parse(text, system).unwrap();
    let justification = Decider::new(system, endings).decide(&formula, 1, &mut || true).ok()?;
    Some(match justification {
        Justification::Run(run) => (false, Some(run.cycle_start == run.labels.len())),
        _ => (true, None),
    })
}

#[test]
fn the_system_its_net_and_its_promela_file_agree() {
    let mut random = Rng::with_seed(77);
    let (mut same, mut ended, mut written) = (0, 0, 0);
    for _ in 0..600 {
        let drawn = random_system(&mut random);
        let has_roots = drawn.components().iter().any(|it| it.starts().len() > 1);
        let made = of_net(&net(&drawn, 1 << 20).unwrap(), has_roots);
        let stops = JointStateSpace::visit(&drawn, 1 << 20, &mut || true).unwrap().deadlocks() > 0;
        let spin = promela(&drawn).map(|text| {
            read::promela(&text, "x").unwrap_or_else(|error| panic!("{error}\n{text}"))
        });
        for _ in 0..3 {
            let text = random_pattern(&mut random);
            let infinite = answer(&drawn, &text, FiniteRuns::Ignored).unwrap();
            let by_net = answer(&made, &text, FiniteRuns::Ignored).unwrap();
            assert_eq!(infinite.0, by_net.0, "{text}\n{}", parikh_systems::write::dot(&drawn));
            let Some(finite) = answer(&drawn, &text, FiniteRuns::Stutter) else { continue };
            let finite_net = answer(&made, &text, FiniteRuns::Stutter).unwrap();
            assert_eq!(finite.0, finite_net.0, "{text}\n{}", parikh_systems::write::dot(&drawn));
            if let Some(spin) = &spin {
                let as_promela = answer(spin, &text, FiniteRuns::Stutter).unwrap();
                assert_eq!(finite.0, as_promela.0, "{text}");
                written += 1;
            }
            match (infinite.0, finite.0) {
                (true, false) => {
                    assert!(stops && finite.1 == Some(true), "{text}: only a run that ends");
                    ended += 1;
                }
                (false, true) => panic!("{text}: a run without end counts in Promela, too"),
                _ => same += 1,
            }
        }
    }
    assert!(same > 300 && ended > 10 && written > 300, "{same} {ended} {written}");
}

/// Tests the challenge's files, if they are present: one problem as `.dot` and as Promela.
#[test]
fn a_problem_of_the_challenge_is_the_same_in_both_files() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/rers");
    for number in [101, 102] {
        let file = |name: String| std::fs::read_to_string(shared.join(name)).ok();
        let (Some(dot), Some(pml), Some(listed)) = (
            file(format!("challenge2017/problem{number}.dot")),
            file(format!("promela2017/problem{number}.pml")),
            file(format!("challenge2017/problem{number}-properties.txt")),
        ) else {
            continue;
        };
        let dot = read::dot(&dot, "x").unwrap();
        let pml = read::promela(&pml, "x").unwrap();
        assert_eq!((dot.state_count(), dot.edge_count()), (pml.state_count(), pml.edge_count()));
        let stops =
            JointStateSpace::visit(&dot, 1 << 22, &mut || true).is_none_or(|it| it.deadlocks() > 0);
        for property in read::properties(&listed).unwrap() {
            let infinite = answer(&dot, &property.formula, FiniteRuns::Ignored).unwrap();
            let by_pml = answer(&pml, &property.formula, FiniteRuns::Ignored).unwrap();
            assert_eq!(infinite.0, by_pml.0, "{number} {}", property.number);
            let Some(spin) = answer(&dot, &property.formula, FiniteRuns::Stutter) else { continue };
            let spin_pml = answer(&pml, &property.formula, FiniteRuns::Stutter).unwrap();
            assert_eq!(spin.0, spin_pml.0, "{number} {}", property.number);
            assert!(infinite.0 == spin.0 || stops, "{number} {}", property.number);
        }
    }
}

/// SPIN's answers for the 20 properties of each Promela problem, in order; 1 is TRUE. The answers
/// for 105, and for 102 of 2017, are from reports of Evrostos, which calls SPIN. The others are
/// from SPIN 6.5.2 (`benchmarks/spin-verdicts.sh`). Where both exist, they agree.
const SPIN: [(&str, &str); 7] = [
    ("promela2016/problem101", "10101110111100110010"),
    ("promela2016/problem102", "10101110111100111101"),
    ("promela2016/problem103", "10100000010110001110"),
    ("promela2016/problem104", "00111001111000001111"),
    ("promela2016/problem105", "10110101100001100100"),
    ("promela2017/problem101", "01010010000010010101"),
    ("promela2017/problem102", "10100100100011111011"),
];

/// Tests the challenge's Promela files, if they are present.
#[test]
fn answers_about_promela_agree_with_spin() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/rers");
    let (mut compared, mut by_end) = (0, 0);
    for (name, verdicts) in SPIN {
        let file =
            |ending: &str| std::fs::read_to_string(shared.join(format!("{name}{ending}"))).ok();
        let (Some(pml), Some(listed)) = (file(".pml"), file("-properties.txt")) else {
            eprintln!("{name}: not in ../shared/rers, so not compared with SPIN");
            continue;
        };
        let system = read::promela(&pml, name).unwrap();
        let mut said = String::new();
        for property in read::properties(&listed).unwrap() {
            let (holds, ends) = answer(&system, &property.formula, FiniteRuns::Stutter).unwrap();
            said.push(if holds { '1' } else { '0' });
            // If only infinite runs count, a different answer must come from a finite run.
            let (infinite, _) = answer(&system, &property.formula, FiniteRuns::Ignored).unwrap();
            if infinite != holds {
                assert_eq!((holds, ends), (false, Some(true)), "{name} {}", property.number);
                by_end += 1;
            }
        }
        assert_eq!(said, verdicts, "{name}");
        compared += said.len();
    }
    eprintln!("{compared} properties as SPIN says, {by_end} of them FALSE by runs that end alone");
}
