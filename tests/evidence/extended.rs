//! Evidence about models with inhibitor and reset arcs, and in other tools' languages: written by
//! `parikh`, confirmed by the auditor from the same file, and refused where a bound or an answer is
//! another one.

use crate::support::binary::Desk;
use crate::support::extended::Table;
use crate::support::scale::scaled;
use parikh::evidence::audit::Verdict;
use parikh::evidence::extended::ExtendedAudit;
use parikh::evidence::reader;
use parikh::net::pnml::write_extended;

const EXAMINATIONS: [&str; 5] =
    ["ReachabilityDeadlock", "OneSafe", "QuasiLiveness", "StableMarking", "Liveness"];

/// The verdicts of the auditor on a file, of a model.
fn verdicts(desk: &Desk, model: &str, file: &str) -> Result<Vec<Verdict>, String> {
    let bytes = std::fs::read(desk.at(model)).unwrap();
    let net = reader::model(&bytes).unwrap().net;
    let questions = |net: &_, _: &str| reader::questions(net, &bytes).map_err(|it| it.to_string());
    let judged = match net.into_plain() {
        Err(extended) => {
            let mut audit = ExtendedAudit::new(&extended, 100_000, Box::new(questions));
            audit.file(&desk.at(file)).map_err(|broken| broken.to_string())?;
            audit.finish().judged
        }
        Ok(net) => {
            let asked = |name: &str| questions(&net, name);
            let mut audit = parikh::evidence::audit::Audit::new(&net, 100_000, Box::new(asked));
            audit.file(&desk.at(file)).map_err(|broken| broken.to_string())?;
            audit.finish().judged
        }
    };
    Ok(judged.into_iter().map(|it| it.verdict).collect())
}

#[test]
fn answers_about_nets_with_such_arcs_are_confirmed_and_changed_ones_refused() {
    let (mut confirmed, mut refused) = (0, 0);
    for seed in 0..scaled(12) {
        let table = Table::random(2_000_000 + seed);
        if table.net().is_plain() || table.explore(200, 30).is_none() {
            continue;
        }
        let desk = Desk::new();
        let mut written = String::new();
        write_extended(&table.net(), &mut written).unwrap();
        desk.write("model.pnml", &written);
        for examination in EXAMINATIONS {
            let asked = ["check", "model.pnml", "-e", examination, "--evidence", "out", "-j", "1"];
            let said = desk.fine(&asked);
            let file = format!("out/{examination}.jsonl");
            let verdicts = verdicts(&desk, "model.pnml", &file).unwrap();
            let is = |it: &Verdict| matches!(it, Verdict::Confirmed(_));
            assert!(
                verdicts.len() == 1 && verdicts.iter().all(is),
                "{said}{verdicts:?}\n{written}"
            );
            confirmed += 1;
        }
        let right = desk.read("out/ReachabilityDeadlock.jsonl");
        for (from, to) in [("\"most\":2", "\"most\":1"), ("\"most\":1", "\"most\":0")] {
            if right.contains(from) {
                desk.write("wrong/ReachabilityDeadlock.jsonl", &right.replacen(from, to, 1));
                let wrong = verdicts(&desk, "model.pnml", "wrong/ReachabilityDeadlock.jsonl");
                assert!(wrong.is_err(), "{wrong:?}");
                refused += 1;
            }
        }
        let second = right.lines().nth(1).unwrap();
        assert!(second.starts_with("{\"translation\":"), "{second}");
        desk.write("wrong/ReachabilityDeadlock.jsonl", &right.replace(&format!("{second}\n"), ""));
        assert!(verdicts(&desk, "model.pnml", "wrong/ReachabilityDeadlock.jsonl").is_err());
    }
    assert!(confirmed >= 15 && refused > 0, "{confirmed} confirmed, {refused} refused");
}

#[test]
fn evidence_about_nets_in_other_languages_is_confirmed() {
    let desk = Desk::new();
    desk.write("m.lola", "PLACE p, q; MARKING p: 2; TRANSITION t CONSUME p; PRODUCE q;");
    desk.write(
        "m.net",
        "net n\ntr put idle buffer?-3 -> buffer\ntr get buffer -> done\npl done -> back\ntr back -> idle\npl idle (4)",
    );
    // Readers and a writer: two places are marked together only if the lock is broken.
    let spec = "vars free a b\nrules free >= 1 -> free' = free - 1, a' = a + 1;\n\
                a >= 1 -> a' = a - 1, free' = free + 1;\ninit free >= 1, a = 0, b = 0\ntarget b >= 1\n a >= 1, b >= 1";
    desk.write("m.spec", spec);
    desk.write("reached.spec", &spec.replace("target b >= 1\n", "target a >= 3\n"));
    for model in ["m.lola", "m.net"] {
        for examination in EXAMINATIONS {
            desk.fine(&[
                "check",
                model,
                "-e",
                examination,
                "--evidence",
                model.strip_prefix("m.").unwrap(),
            ]);
            let file = format!("{}/{examination}.jsonl", &model[2..]);
            let verdicts = verdicts(&desk, model, &file).unwrap();
            assert!(
                matches!(verdicts[..], [Verdict::Confirmed(_)]),
                "{model}, {examination}: {verdicts:?}"
            );
        }
    }
    for (model, expected) in [("m.spec", "target: FALSE"), ("reached.spec", "target: TRUE")] {
        let said = desk.fine(&["check", model, "--formulas", model, "--evidence", "spec"]);
        assert!(said.starts_with(expected), "{said}");
        let verdicts = verdicts(&desk, model, "spec/Formulas.jsonl").unwrap();
        assert!(matches!(verdicts[..], [Verdict::Confirmed(_)]), "{model}: {verdicts:?}");
    }
}
