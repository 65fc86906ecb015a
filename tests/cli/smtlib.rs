//! Proof obligations in SMT-LIB: Z3 reads them with its own reader, and refutes each of them.

use crate::support::binary::{TestDirectory, example, stderr};
#[cfg(unix)]
use crate::support::binary::{repository, stdout};
#[cfg(feature = "z3")]
use crate::support::{oracle, scale::scaled};
use parikh_net::printable::Quoted;
use parikh_net::{NetBuilder, PlaceId};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

/// The ends of the names of the files of an answer.
const ENDINGS: [&str; 3] = ["initiation.smt2", "consecution.smt2", "safety.smt2"];

/// Checks the questions about a model, and writes the proof obligations of the answers into the
/// folder `obligations`. Returns `None` if the auditor was not built.
fn export(directory: &TestDirectory, model: &str, questions: &[&str]) -> Option<Output> {
    let mut arguments = vec!["check", model];
    arguments.extend(questions);
    arguments.extend(["--evidence", "evidence", "--timeout", "30"]);
    directory.run(&arguments);
    let program = Path::new(env!("CARGO_BIN_EXE_parikh")).with_file_name("parikh-certify");
    if !program.exists() {
        eprintln!("parikh-certify was not built: nothing is exported");
        return None;
    }
    let mut command = Command::new(program);
    command.current_dir(directory.path()).args([model, "evidence", "--smtlib", "obligations"]);
    let formulas = questions.chunks(2).filter(|pair| pair[0] == "--formula").flatten();
    Some(command.args(formulas).output().expect("it starts"))
}

/// Returns the texts of the files with proof obligations, by their names.
fn files(directory: &TestDirectory) -> BTreeMap<String, String> {
    let folder = std::fs::read_dir(directory.at("obligations")).expect("a folder");
    let names = folder.map(|entry| entry.expect("readable").file_name().into_string());
    let names = names.map(|name| name.expect("UTF-8"));
    names.map(|name| (name.clone(), directory.read(&format!("obligations/{name}")))).collect()
}

/// Returns the output of Z3's own reader.
#[cfg(feature = "z3")]
fn answer(script: &str) -> String {
    let timeout = std::time::Duration::from_secs(60);
    parikh::solvers::smt_z3::run_script(script, timeout).expect("a Z3").trim().to_owned()
}

/// Returns the output of Z3's own reader for a script that no longer promises to be unsatisfiable.
#[cfg(feature = "z3")]
fn answer_to_change(script: &str) -> String {
    answer(&script.replace("(set-info :status unsat)", ""))
}

/// Returns the lines that assert facts, and the other lines of a script around them.
#[cfg(feature = "z3")]
fn facts(script: &str) -> (Vec<&str>, Vec<&str>, Vec<&str>) {
    let mut lines = script.lines();
    let before = lines.by_ref().take_while(|line| !line.starts_with("; the facts ")).collect();
    let (mut facts, mut after) = (Vec::new(), Vec::new());
    for line in lines {
        let is_fact = after.is_empty() && line.starts_with("(assert ");
        if is_fact { &mut facts } else { &mut after }.push(line);
    }
    (before, facts, after)
}

#[test]
fn unreachable_answers_are_written_as_obligations() {
    let directory = TestDirectory::new();
    let model = example("mutex-mended.pnml").display().to_string();
    let examinations = ["-e", "ReachabilityDeadlock", "-e", "OneSafe"];
    let Some(output) = export(&directory, &model, &examinations) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = "2 of 2 confirmed answers were exported as proof obligations";
    assert!(stderr(&output).contains(summary), "{}", stderr(&output));
    let files = files(&directory);
    let expected = ["OneSafe", "ReachabilityDeadlock"]
        .map(|id| ENDINGS.map(|ending| format!("{id}.{ending}")))
        .concat();
    assert!(expected.iter().all(|name| files.contains_key(name)) && files.len() == 6);
    let content = std::fs::read(&model).expect("readable");
    let hash = parikh_files::sha256(&content);
    for (name, text) in &files {
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("; Proof obligation "), "{text}");
        let of_model = format!("; model: mutex-mended.pnml (SHA-256 {hash})");
        assert!(lines.contains(&&*of_model), "{text}");
        for line in ["(set-logic QF_LIA)", "(set-info :status unsat)", "(check-sat)"] {
            assert!(lines.contains(&line), "{line}: {text}");
        }
        let (id, _) = name.split_once('.').expect("an ending");
        for other in ENDINGS.map(|ending| format!("{id}.{ending}")) {
            assert!(*name == other || text.contains(&other), "{name} does not name {other}");
        }
        #[cfg(feature = "z3")]
        assert_eq!(answer(text), "unsat", "{name}:\n{text}");
    }
    // The claim is about each place.
    let safety = &files["OneSafe.safety.smt2"];
    assert_eq!(safety.matches("\n  (>= |").count(), 7, "{safety}");
}

#[cfg(feature = "z3")]
#[test]
fn obligations_of_false_claims_have_a_solution() {
    let directory = TestDirectory::new();
    let model = example("mutex-mended.pnml").display().to_string();
    if export(&directory, &model, &["-e", "OneSafe", "-e", "ReachabilityDeadlock"]).is_none() {
        return;
    }
    let files = files(&directory);
    // Without its facts, the claim does not follow. Nor does it without some single fact.
    for id in ["OneSafe", "ReachabilityDeadlock"] {
        let (before, facts, after) = facts(&files[&format!("{id}.safety.smt2")]);
        assert!(!facts.is_empty());
        assert_eq!(answer_to_change(&[before.clone(), after.clone()].concat().join("\n")), "sat");
        let without = |index: usize| {
            let others = facts.iter().enumerate().filter(|(other, _)| *other != index);
            let others = others.map(|(_, fact)| *fact).collect();
            answer_to_change(&[before.clone(), others, after.clone()].concat().join("\n"))
        };
        assert!((0..facts.len()).any(|index| without(index) == "sat"), "no fact of {id} is needed");
    }
    // A stronger claim is false: some place has a token in some reachable marking.
    let claim = files["OneSafe.safety.smt2"].replace("|critical_1| 2)", "|critical_1| 1)");
    assert_ne!(claim, files["OneSafe.safety.smt2"]);
    assert_eq!(answer_to_change(&claim), "sat");
    // With more tokens, the initial marking violates a fact.
    let initiation = &files["OneSafe.initiation.smt2"];
    let other = initiation.replace("(= |lock| 1)", "(= |lock| 2)");
    assert_ne!(&other, initiation);
    assert_eq!(answer_to_change(&other), "sat");
    // Where a firing returns two tokens, a fact is lost.
    let consecution = &files["OneSafe.consecution.smt2"];
    let other = consecution.replace("|sum 2| 1 ", "|sum 2| 2 ");
    assert_ne!(&other, consecution);
    assert_eq!(answer_to_change(&other), "sat");
}

#[test]
fn names_that_need_escapes_have_symbols_of_their_own() {
    let names = ["a|b", "a%7Cb", "a\\b", "and", "sum 1", "é", "a_b"];
    let mut builder = NetBuilder::new("names");
    let place = |(index, name): (usize, &&str)| builder.place(name, u64::from(index == 0));
    let places: Result<Vec<PlaceId>, _> = names.iter().enumerate().map(place).collect();
    let places = places.expect("places");
    // The token moves from place to place.
    for (index, &place) in places.iter().enumerate() {
        let t = builder.transition(&format!("t|{index}\\")).expect("a transition");
        builder.take(t, place, 1).expect("an arc");
        builder.put(t, places[(index + 1) % places.len()], 1).expect("an arc");
    }
    let directory = TestDirectory::with_net(&builder.build().expect("a net"));
    let Some(output) = export(&directory, "model.pnml", &["-e", "OneSafe"]) else { return };
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let files = files(&directory);
    assert_eq!(files.len(), 3, "{}", stderr(&output));
    let safety = &files["OneSafe.safety.smt2"];
    let symbols = ["a%7Cb", "a%257Cb", "a%5Cb", "%61nd", "%73um 1", "%C3%A9", "a_b"];
    for (symbol, name) in symbols.iter().zip(names) {
        assert!(safety.contains(&format!("(declare-fun |{symbol}| () Int)")), "{symbol}: {safety}");
        let legend = format!("; symbol |{symbol}| is place {}", Quoted(name));
        assert_eq!(safety.contains(&legend), *symbol != name, "{legend}: {safety}");
    }
    #[cfg(feature = "z3")]
    for (name, text) in &files {
        assert_eq!(answer(text), "unsat", "{name}:\n{text}");
    }
}

#[cfg(unix)]
#[test]
fn the_script_reports_claims_that_a_solver_does_not_refute() {
    let directory = TestDirectory::new();
    let script = repository("scripts/third-opinion.sh");
    // The solver prints the content of the file.
    let run = |solver: &str, folder: &str| {
        let mut command = Command::new(&script);
        command.args(["--solver", solver, "--timeout", "1", folder]).current_dir(directory.path());
        let output = command.output().expect("a shell");
        (output.status.code(), stdout(&output))
    };
    directory.write("good/a.initiation.smt2", "unsat\n");
    directory.write("good/a.consecution.smt2", "unsat\n");
    directory.write("good/a.safety.smt2", "unsat\n");
    directory.write("part/d.initiation.smt2", "unsat\n");
    directory.write("late/b.safety.smt2", "unknown\n");
    directory.write("wrong/c.consecution.smt2", "sat\n");
    directory.write("wrong/c.safety.smt2", "(error \"a sort\")\n");
    directory.write("slow.sh", "sleep 60\n");
    let (code, text) = run("cat", "good");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with("3 of 3 files are unsat, 1 of 1 answers are proved; "), "{text}");
    let (code, text) = run("cat", "late");
    assert_eq!(code, Some(4), "{text}");
    assert!(
        text.starts_with("late/b.safety.smt2: unknown\n0 of 1 files are unsat, 0 of 1 "),
        "{text}"
    );
    let (code, text) = run("cat", ".");
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("./wrong/c.consecution.smt2: sat\n"), "{text}");
    assert!(text.contains("./wrong/c.safety.smt2: wrong ((error \"a sort\")"), "{text}");
    assert!(text.contains("4 of 7 files are unsat, 1 of 4 answers are proved; "), "{text}");
    let (code, text) = run("sh slow.sh", "good");
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("good/a.initiation.smt2: timeout\n"), "{text}");
    assert_eq!(run("cat", "slow.sh").0, Some(2), "no files");
    assert_eq!(run("", "good").0, Some(2), "no solver");
}

#[test]
fn answers_without_obligations_are_named_with_the_reason() {
    let directory = TestDirectory::new();
    let model = example("philosophers.pnml").display().to_string();
    let Some(output) = export(&directory, &model, &["-e", "ReachabilityDeadlock"]) else { return };
    let reason = "`ReachabilityDeadlock` was not exported as proof obligations: no document shows \
                  that something is unreachable";
    assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    assert!(files(&directory).is_empty());
    let directory = TestDirectory::new();
    let model = example("trip.pnml").display().to_string();
    let Some(output) = export(&directory, &model, &["-e", "OneSafe"]) else { return };
    let reason = "`OneSafe` was not exported as proof obligations: inhibitor or reset arcs are \
                  translated";
    assert!(stderr(&output).contains(reason), "{}", stderr(&output));
}

#[cfg(feature = "z3")]
#[test]
fn obligations_agree_with_enumeration_on_random_nets() {
    let (mut unreachable, mut reachable, mut proved) = (0, 0, 0);
    for seed in 0..scaled(12) {
        let net = parikh_generate::random(seed, &parikh_generate::Shape::small(seed));
        let limits = oracle::OracleLimits::default();
        let Some(space) = oracle::explore(&net, limits) else { continue };
        let sums: Vec<parikh_net::LinearSum> = (0..4)
            .map(|k| {
                let mut rng = fastrand::Rng::with_seed(seed * 4 + k);
                parikh_generate::random_sum(&mut rng, &net, true)
            })
            .filter(|sum| !sum.is_zero())
            .collect();
        let mut questions = Vec::new();
        let mut expected = Vec::new();
        for sum in &sums {
            let terms = sum.terms().iter();
            let terms: Vec<String> =
                terms.map(|&(p, a)| format!("{a}*{}", net.place_name(p))).collect();
            let most = space.maximum(sum);
            for bound in [most, most + 1] {
                questions.push(format!("EF ({} >= {bound})", terms.join(" + ")));
                expected.push(bound > most);
            }
        }
        let directory = TestDirectory::with_net(&net);
        let arguments: Vec<&str> = questions.iter().flat_map(|it| ["--formula", it]).collect();
        if export(&directory, "model.pnml", &arguments).is_none() {
            return;
        }
        let files = files(&directory);
        for (number, is_unreachable) in (1..).zip(expected) {
            let name = |ending| format!("Formulas.formula-{number}.{ending}");
            match is_unreachable {
                true => unreachable += 1,
                false => reachable += 1,
            }
            let scripts = ENDINGS.map(|ending| files.get(&name(ending)));
            if scripts[0].is_none() {
                continue;
            }
            assert!(is_unreachable, "seed {seed}: {}", questions[number - 1]);
            for (ending, script) in ENDINGS.iter().zip(scripts) {
                let script = script.expect("three files");
                assert_eq!(answer(script), "unsat", "seed {seed}, {}:\n{script}", name(ending));
            }
            proved += 1;
        }
    }
    assert!(reachable > 10 && proved * 2 > unreachable, "{proved} of {unreachable}, {reachable}");
}
