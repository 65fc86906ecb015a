//! Evidence about models with inhibitor and reset arcs, and in other tools' languages. It is
//! written by `parikh`, confirmed by the auditor from the same file, and rejected with a changed
//! bound or answer.

use crate::support::binary::TestDirectory;
use crate::support::extended::NetTable;
use crate::support::scale::scaled;
use parikh::evidence::audit::AuditVerdict;
use parikh::evidence::extended::ExtendedAudit;
use parikh::evidence::file::FORMAT;
use parikh::evidence::question::Question;
use parikh::evidence::reader;
use parikh::evidence::reader::queries::AuditedProperty;
use parikh::net::pnml::write_extended;
use parikh::net::{LinearSum, Net};
use serde_json::json;

const EXAMINATIONS: [&str; 9] = [
    "ReachabilityDeadlock",
    "OneSafe",
    "QuasiLiveness",
    "StableMarking",
    "Liveness",
    "UpperBoundsAll",
    "QuasiLivenessAll",
    "StableMarkingAll",
    "LivenessAll",
];

/// Returns the auditor's verdicts on an evidence file about a model.
fn verdicts(
    directory: &TestDirectory,
    model: &str,
    file: &str,
) -> Result<Vec<AuditVerdict>, String> {
    let bytes = std::fs::read(directory.at(model)).unwrap();
    let net = reader::read_model(&bytes).unwrap().net;
    let questions = |net: &_, _: &str| {
        reader::read_questions(net, &bytes, reader::FormulaLanguage::Detected, false)
            .map_err(|it| it.to_string())
    };
    let judged = match net.into_plain() {
        Err(extended) => {
            let mut audit = ExtendedAudit::new(&extended, 100_000, Box::new(questions));
            audit.file(&directory.at(file)).map_err(|broken| broken.to_string())?;
            audit.finish().judged
        }
        Ok(net) => {
            let asked = |name: &str| questions(&net, name);
            let mut audit = parikh::evidence::audit::Audit::new(&net, 100_000, Box::new(asked));
            audit.file(&directory.at(file)).map_err(|broken| broken.to_string())?;
            audit.finish().judged
        }
    };
    Ok(judged.into_iter().map(|it| it.verdict).collect())
}

#[test]
fn answers_about_nets_with_such_arcs_are_confirmed_and_changed_ones_refused() {
    let (mut confirmed, mut refused) = (0, 0);
    for seed in 0..scaled(12) {
        let table = NetTable::random(2_000_000 + seed);
        if table.net().is_plain() || table.explore(200, 30).is_none() {
            continue;
        }
        let directory = TestDirectory::new();
        let mut written = String::new();
        write_extended(&table.net(), &mut written).unwrap();
        directory.write("model.pnml", &written);
        for examination in EXAMINATIONS {
            let asked = ["check", "model.pnml", "-e", examination, "--evidence", "out", "-j", "1"];
            let said = directory.succeeds(&asked);
            let file = format!("out/{examination}.jsonl");
            let verdicts = verdicts(&directory, "model.pnml", &file).unwrap();
            let is = |it: &AuditVerdict| matches!(it, AuditVerdict::Confirmed(_));
            let is_about_each = examination.ends_with("All");
            assert!(
                (verdicts.len() == 1 || is_about_each) && verdicts.iter().all(is),
                "{said}{verdicts:?}\n{written}"
            );
            confirmed += 1;
        }
        let right = directory.read("out/ReachabilityDeadlock.jsonl");
        for (from, to) in [("\"most\":2", "\"most\":1"), ("\"most\":1", "\"most\":0")] {
            if right.contains(from) {
                directory.write("wrong/ReachabilityDeadlock.jsonl", &right.replacen(from, to, 1));
                let wrong = verdicts(&directory, "model.pnml", "wrong/ReachabilityDeadlock.jsonl");
                assert!(wrong.is_err(), "{wrong:?}");
                refused += 1;
            }
        }
        let second = right.lines().nth(1).unwrap();
        assert!(second.starts_with("{\"translation\":"), "{second}");
        directory
            .write("wrong/ReachabilityDeadlock.jsonl", &right.replace(&format!("{second}\n"), ""));
        assert!(verdicts(&directory, "model.pnml", "wrong/ReachabilityDeadlock.jsonl").is_err());
    }
    assert!(confirmed >= 15 && refused > 0, "{confirmed} confirmed, {refused} refused");
}

#[test]
fn evidence_about_nets_in_other_languages_is_confirmed() {
    let directory = TestDirectory::new();
    directory.write("m.lola", "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;");
    directory.write(
        "m.net",
        "net n\ntr put idle buffer?-3 -> buffer\ntr get buffer -> done\npl done -> back\ntr back -> idle\npl idle (4)",
    );
    // Tokens move between `free` and `a`. No rule adds to b, so the target cannot be reached.
    let spec = "vars free a b\nrules free >= 1 -> free' = free - 1, a' = a + 1;\n\
                a >= 1 -> a' = a - 1, free' = free + 1;\ninit free >= 1, a = 0, b = 0\ntarget b >= 1\n a >= 1, b >= 1";
    directory.write("m.spec", spec);
    directory.write("reached.spec", &spec.replace("target b >= 1\n", "target a >= 3\n"));
    for model in ["m.lola", "m.net"] {
        for examination in EXAMINATIONS {
            directory.succeeds(&[
                "check",
                model,
                "-e",
                examination,
                "--evidence",
                model.strip_prefix("m.").unwrap(),
            ]);
            let file = format!("{}/{examination}.jsonl", &model[2..]);
            let verdicts = verdicts(&directory, model, &file).unwrap();
            let is = |it: &AuditVerdict| matches!(it, AuditVerdict::Confirmed(_));
            assert!(
                !verdicts.is_empty() && verdicts.iter().all(is),
                "{model}, {examination}: {verdicts:?}"
            );
        }
    }
    for (model, expected) in [("m.spec", "target: FALSE"), ("reached.spec", "target: TRUE")] {
        let said = directory.succeeds(&["check", model, "--formulas", model, "--evidence", "spec"]);
        assert!(said.starts_with(expected), "{said}");
        let verdicts = verdicts(&directory, model, "spec/Formulas.jsonl").unwrap();
        assert!(matches!(verdicts[..], [AuditVerdict::Confirmed(_)]), "{model}: {verdicts:?}");
    }
}

#[test]
fn only_reachability_is_answered_for_unbounded_inhibiting_places() {
    let directory = TestDirectory::new();
    // An unbounded number of readers, and a writer who waits until they have left.
    directory.write(
        "rw.net",
        "net rw\ntr come writer?-1 -> readers\ntr go readers ->\ntr lock free readers?-1 -> writer\n\
         tr unlock writer -> free\npl free (1)",
    );
    directory.write(
        "asked",
        "apart: AG !(readers >= 1 && writer >= 1)\nmany: EF (readers >= 5 && !fireable(lock))\n\
         writer: bound(writer)\nreaders: bound(readers)\nback: AG EF readers = 0\nsome: EF writer = 2\n\
         gone: E F G readers = 0",
    );
    let asked = ["check", "rw.net", "--formulas", "asked", "--evidence", "out"];
    let (_, said, refused) = directory.outputs(&asked);
    // The translated net over-approximates beyond a cap, so growth there proves nothing about the
    // model.
    assert!(said.contains("readers: unknown"), "{said}");
    let reason = "places at inhibitor or reset arcs have no known bound";
    assert!(refused.contains(&format!("back: {reason}")), "{refused}");
    assert!(refused.contains(&format!("gone: {reason}")), "{refused}");
    let file = directory.read("out/Formulas.jsonl");
    for (id, value) in [("apart", "TRUE"), ("many", "TRUE"), ("writer", "1"), ("some", "FALSE")] {
        let answer = format!("{{\"answer\":{{\"id\":\"{id}\",\"value\":\"{value}\"");
        assert!(file.contains(&answer), "{answer}\n{file}");
    }
    for (examination, value) in [
        ("ReachabilityDeadlock", "FALSE"),
        ("OneSafe", "FALSE"),
        ("QuasiLiveness", "TRUE"),
        ("StableMarking", "FALSE"),
    ] {
        let said = directory.succeeds(&["check", "rw.net", "-e", examination, "--evidence", "out"]);
        assert!(said.starts_with(&format!("{examination}: {value}")), "{said}");
        let path = format!("out/{examination}.jsonl");
        let judged = verdicts(&directory, "rw.net", &path).unwrap();
        assert!(matches!(judged[..], [AuditVerdict::Confirmed(_)]), "{examination}: {judged:?}");
        // Another value, another cap, no cap.
        let right = directory.read(&path);
        let [yes, no] = ["TRUE", "FALSE"].map(|it| format!("\"value\":\"{it}\""));
        let turned = match right.contains(&yes) {
            true => right.replace(&yes, &no),
            false => right.replace(&no, &yes),
        };
        directory.write(&format!("wrong/{examination}.jsonl"), &turned);
        let judged = verdicts(&directory, "rw.net", &format!("wrong/{examination}.jsonl")).unwrap();
        assert!(matches!(judged[..], [AuditVerdict::Refused(_)]), "{examination}: {judged:?}");
        for (from, to) in [("\"most\":101", "\"most\":0"), ("\"cap\"", "\"capacity\"")] {
            assert!(right.contains(from), "{right}");
            directory.write(&format!("wrong/{examination}.jsonl"), &right.replace(from, to));
            assert!(verdicts(&directory, "rw.net", &format!("wrong/{examination}.jsonl")).is_err());
        }
    }
    for examination in ["Liveness", "StateSpace"] {
        let (_, open, refused) = directory.outputs(&["check", "rw.net", "-e", examination]);
        assert!(format!("{open}{refused}").contains(reason), "{open}{refused}");
    }
    // A witness is a run of the model, by the rule with all arcs.
    directory.succeeds(&[
        "check",
        "rw.net",
        "--formula",
        "q: EF readers >= 3",
        "--trace",
        "traces",
    ]);
    let replayed = directory.succeeds(&["replay", "rw.net", "traces/q.trace"]);
    assert!(replayed.contains("3 firings replayed"), "{replayed}");
    directory.write("beyond.trace", &format!("{}leave(readers)\n", "come\n".repeat(101)));
    let refused = directory.fails_with(1, &["replay", "rw.net", "beyond.trace"]);
    assert!(refused.contains("token cap"), "{refused}");
}

/// On a net with caps, a maximum from a search may differ from the model's in either direction.
#[test]
fn a_number_by_the_word_of_a_search_is_not_taken_of_a_net_with_caps() {
    let directory = TestDirectory::new();
    directory.write("x.net", "net x\ntr fill s -> p\ntr t q p?-1 -> r\npl s (3)\npl q (1)");
    let bytes = std::fs::read(directory.at("x.net")).unwrap();
    let extended = reader::read_model(&bytes).unwrap().net.into_plain().unwrap_err();
    for value in ["1", "2", "3"] {
        let header = json!({"evidence": {
            "format": FORMAT, "net": "x", "places": 8, "transitions": 4, "examination": "Formulas",
        }});
        let caps =
            json!({"translation": {"bounds": [{"place": "p", "most": 1, "because": "cap"}]}});
        let searched = json!({"markings": 20, "stubborn": false});
        let answer = json!({"answer": {"id": "b", "value": value, "searched": searched}});
        directory.write("forged.jsonl", &format!("{header}\n{caps}\n{answer}\n"));
        let questions = |net: &Net, _: &str| {
            let p = LinearSum::place(net.place_named("p").unwrap());
            Ok(vec![AuditedProperty { id: "b".to_owned(), question: Ok(Question::Maximum(p)) }])
        };
        let mut audit = ExtendedAudit::new(&extended, 100_000, Box::new(questions));
        audit.file(&directory.at("forged.jsonl")).unwrap();
        let judged = audit.finish().judged;
        let is_refused =
            |it: &AuditVerdict| matches!(it, AuditVerdict::Refused(_) | AuditVerdict::Searched(_));
        assert!(judged.len() == 1 && is_refused(&judged[0].verdict), "{value}: {judged:?}");
    }
}
