//! The auditor on coloured models: it confirms the answers of `check`, rejects answers without
//! evidence, and accepts only correct unfoldings of the model.

use crate::support::binary::TestDirectory;
use crate::support::coloured as pnml;
use crate::support::oracle;
use crate::support::scale::scaled;
use crate::unfolding::{coloured, explore};
use fastrand::Rng;
use parikh::evidence::audit::{AuditReport, AuditVerdict};
use parikh::evidence::coloured::{
    ColouredAudit, ColouredModel, RepeatLimits, RequiredBindings, UnfoldingFlaw, read,
};
use parikh::evidence::file::Unfolding;
use parikh::evidence::reader::queries;
use parikh::unfold::{UnfoldingConfig, unfold};
use parikh_generate::random_coloured;
use parikh_net::Net;
use parikh_net::coloured::{ColouredNet, text};
use parikh_solvers::Budget;
use std::collections::BTreeSet;
use std::fmt::Write as _;

pub(crate) fn model(net: &ColouredNet) -> (ColouredModel, String) {
    let file = pnml::write(net);
    match read(file.as_bytes()) {
        Ok(model) => (model, file),
        Err(error) => panic!("{error}\n{file}"),
    }
}

fn unfolded(net: &ColouredNet) -> Net {
    unfold(net, &UnfoldingConfig::default(), &Budget::unlimited()).unwrap().0
}

/// Returns the nodes, tokens and arcs of a net as text.
pub(crate) fn content(net: &Net) -> String {
    let mut content = String::new();
    for p in net.places() {
        let _ = writeln!(content, "{} {}", net.place_name(p), net.initial()[p]);
    }
    for t in net.transitions() {
        let arcs = |arcs: &[parikh_net::Arc]| -> Vec<(usize, u64)> {
            arcs.iter().map(|arc| (arc.place.index(), arc.weight)).collect()
        };
        let (pre, post) = (arcs(net.pre(t)), arcs(net.post(t)));
        let _ = writeln!(content, "{} {pre:?} {post:?}", net.transition_name(t));
    }
    content
}

#[test]
fn both_readers_and_both_unfoldings_make_the_same_net() {
    for seed in 0..scaled(1_000) {
        let net = random_coloured(seed);
        let (model, file) = model(&net);
        let again = parikh::input::read_coloured_from(file.as_bytes(), "f").unwrap();
        let flat = unfolded(&again);
        assert_eq!(content(&flat), content(&unfolded(&net)), "seed {seed}\n{file}");
        // If firings are counted, equivalent bindings are all present.
        let config = UnfoldingConfig { symmetry: false, ..UnfoldingConfig::default() };
        let all = unfold(&net, &config, &Budget::unlimited()).unwrap().0;
        let own =
            model.unfold(&Unfolding::of(&all), RequiredBindings::All, 1_000_000, &mut || true);
        assert_eq!(content(&own.unwrap()), content(&all), "seed {seed}");
        let own = model.unfold(
            &Unfolding::of(&flat),
            RequiredBindings::OnePerEffect,
            1_000_000,
            &mut || true,
        );
        let own = own.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", text::print(&net)));
        assert_eq!(content(&own), content(&flat), "seed {seed}\n{}", text::print(&net));
        let folding = |net: &Net| {
            let nodes = net.folding().unwrap();
            let places = (0..nodes.place_count()).map(|at| nodes.places(at).len());
            let transitions = (0..nodes.transition_count()).map(|at| nodes.transitions(at).len());
            (places.collect::<Vec<_>>(), transitions.collect::<Vec<_>>())
        };
        assert_eq!(folding(&own), folding(&flat), "seed {seed}");
    }
}

#[test]
fn a_list_is_accepted_only_if_its_net_represents_the_model() {
    let (mut taken, mut counted, mut refused) = (0, 0, 0);
    for seed in 0..scaled(1_500) {
        let net = random_coloured(seed);
        let Some((markings, firings)) = explore(&net, 100) else { continue };
        let (model, _) = model(&net);
        let all = Unfolding::of(&unfolded(&net));
        let mut rng = Rng::with_seed(seed);
        for _ in 0..6 {
            let mut listed = all.clone();
            for _ in 0..rng.usize(1..=2) {
                let nodes = match rng.bool() {
                    true => &mut listed.places,
                    false => &mut listed.transitions,
                };
                if nodes.is_empty() {
                    continue;
                }
                let [at, other] = [(); 2].map(|()| rng.usize(0..nodes.len()));
                match rng.usize(0..6) {
                    0 => nodes.swap(at, other),
                    1 => nodes[at] = nodes[other].clone(),
                    2 => nodes[at] = nodes[at].replacen(['a', '0'], "1", 1),
                    _ => drop(nodes.remove(at)),
                }
            }
            let unfold = |bindings| model.unfold(&listed, bindings, 1_000_000, &mut || true);
            let Ok(flat) = unfold(RequiredBindings::OnePerEffect) else {
                refused += 1;
                continue;
            };
            let shown = || format!("seed {seed}, {listed:?}\n{}", text::print(&net));
            let limits = oracle::OracleLimits { states: 10_000, tokens: 1_000 };
            let space = oracle::explore(&flat, limits).unwrap_or_else(|| panic!("{}", shown()));
            let there: BTreeSet<_> =
                space.markings().iter().map(|marking| coloured(&net, &flat, marking)).collect();
            assert_eq!(there, markings, "{}", shown());
            taken += u64::from(listed != all);
            // Firings can be counted on the listed unfolding only if it has all bindings.
            if unfold(RequiredBindings::All).is_ok() {
                assert_eq!(space.firings(), firings, "{}", shown());
                counted += u64::from(listed != all);
            }
        }
    }
    // Permitted omissions and reorderings are accepted.
    assert!(taken > 100 && counted > 50 && refused > 1_000, "{taken} {counted} {refused}");
}

const QUESTIONS: [&str; 10] = [
    "UpperBoundsAll",
    "QuasiLivenessAll",
    "LivenessAll",
    "StableMarkingAll",
    "OneSafe",
    "QuasiLiveness",
    "StableMarking",
    "ReachabilityDeadlock",
    "UpperBounds",
    "ReachabilityFireability",
];

/// Returns the query files: the bound of each place, and the fireability of each transition.
fn queries_about(net: &ColouredNet) -> [(&'static str, String); 2] {
    let property = |id: String, formula: String| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let bounds = net.places().iter().map(|place| {
        let name = &place.name;
        property(format!("b-{name}"), format!("<place-bound><place>{name}</place></place-bound>"))
    });
    let fires = net.transitions().iter().map(|t| {
        let formula = format!(
            "<exists-path><finally><is-fireable><transition>{}</transition></is-fireable></finally></exists-path>",
            t.name
        );
        property(format!("f-{}", t.name), formula)
    });
    let set = |properties: String| {
        format!("<property-set xmlns=\"http://mcc.lip6.fr/\">{properties}</property-set>")
    };
    [("UpperBounds", set(bounds.collect())), ("ReachabilityFireability", set(fires.collect()))]
}

pub(crate) fn audit(
    directory: &TestDirectory,
    model: &ColouredModel,
    examination: &str,
    tried: u64,
) -> (AuditReport, String) {
    let query_file = |net: &Net, examination: &str| {
        let text = directory.read(&format!("{examination}.xml"));
        queries::read(net, text.as_bytes()).map_err(|error| error.to_string())
    };
    let limits = RepeatLimits { max_tried_colours: tried, max_markings: 10_000 };
    let mut audit = ColouredAudit::new(model, limits, Box::new(query_file));
    let broken = audit.file(&directory.at(&format!("proofs/{examination}.jsonl"))).err();
    (audit.finish(), broken.map(|broken| broken.to_string()).unwrap_or_default())
}

#[test]
fn answers_about_random_coloured_nets_are_confirmed_and_their_opposites_are_not() {
    let (mut confirmed, mut refused) = (0, 0);
    for seed in 0..scaled(12) {
        let net = random_coloured(seed);
        if explore(&net, 100).is_none() {
            continue;
        }
        let (model, file) = model(&net);
        let directory = TestDirectory::new();
        directory.write("model.pnml", &file);
        for (name, text) in queries_about(&net) {
            directory.write(&format!("{name}.xml"), &text);
        }
        for examination in QUESTIONS {
            let arguments =
                ["check", "model.pnml", "-e", examination, "--evidence", "proofs", "-t", "20s"];
            let (_, _, stderr) = directory.outputs(&arguments);
            let shown = || format!("seed {seed}, {examination}\n{stderr}\n{}", text::print(&net));
            let (report, broken) = audit(&directory, &model, examination, 1_000_000);
            assert_eq!(broken, "", "{}", shown());
            assert!(!report.judged.is_empty(), "{}", shown());
            for judged in &report.judged {
                let right = matches!(judged.verdict, AuditVerdict::Confirmed(_));
                assert!(right, "{judged:?}\n{}", shown());
                confirmed += 1;
            }
            // The opposite answers, and numbers that are one too large.
            let name = format!("proofs/{examination}.jsonl");
            let right = directory.read(&name);
            let mut wrong = right.replace("\"value\":\"TRUE\"", "\"value\":\"?\"");
            wrong = wrong.replace("\"value\":\"FALSE\"", "\"value\":\"TRUE\"");
            wrong = wrong.replace("\"value\":\"?\"", "\"value\":\"FALSE\"");
            for number in (0..50).rev() {
                let value = |number: i32| format!("\"value\":\"{number}\"");
                wrong = wrong.replace(&value(number), &value(number + 1));
            }
            assert_ne!(wrong, right, "{}", shown());
            directory.write(&name, &wrong);
            for judged in audit(&directory, &model, examination, 1_000_000).0.judged {
                let no = matches!(judged.verdict, AuditVerdict::Refused(_));
                assert!(no, "{judged:?}\n{}", shown());
                refused += 1;
            }
        }
    }
    assert!(confirmed > 60 && refused == confirmed, "{confirmed} {refused}");
}

#[test]
fn evidence_of_another_net_is_refused_and_large_nets_exceed_limits() {
    let ring = "net n
         sort Node = cyclic {a, b, c}
         var x: Node
         place at: Node = {a}
         place off
         transition step: at{x} -> at{x++}";
    let (net, other) =
        (text::parse(ring).unwrap(), ring.to_owned() + "\ntransition fall: at{c} -> off");
    let (own, file) = model(&net);
    let (other, _) = model(&text::parse(&other).unwrap());
    let directory = TestDirectory::new();
    directory.write("model.pnml", &file);
    directory.succeeds(&[
        "check",
        "model.pnml",
        "-e",
        "ReachabilityDeadlock",
        "--evidence",
        "proofs",
    ]);
    let verdicts = |model: &ColouredModel, tried: u64| {
        let (report, broken) = audit(&directory, model, "ReachabilityDeadlock", tried);
        (report.judged.into_iter().map(|it| it.verdict).collect::<Vec<_>>(), broken)
    };
    assert!(matches!(verdicts(&own, 1000).0[..], [AuditVerdict::Confirmed(_)]));
    let (none, broken) = verdicts(&other, 1000);
    assert!(
        none.is_empty() && broken.contains(":2: the net listed is not the model's"),
        "{broken}"
    );
    let (beyond, broken) = verdicts(&own, 3);
    let [AuditVerdict::Unsupported(why)] = &beyond[..] else { panic!("{beyond:?}") };
    assert!(why.starts_with("certified on the unfolding") && broken.is_empty(), "{why} {broken}");
    // Evidence without an unfolding, as if the model had no colours.
    let text = directory.read("proofs/ReachabilityDeadlock.jsonl");
    let without: Vec<&str> = text.lines().filter(|it| !it.starts_with("{\"unfolding\"")).collect();
    directory.write("proofs/ReachabilityDeadlock.jsonl", &without.join("\n"));
    assert!(verdicts(&own, 1000).1.contains("expected {\"unfolding\": …}"));
}

#[test]
fn the_auditors_reader_refuses_unknown_elements() {
    let (_, file) = model(&random_coloured(3));
    for (from, to, expected) in [
        ("<place id=", "<capacity/><place id=", "`capacity` is unknown here"),
        ("<variabledecl", "<namedoperator id=\"o\"/><variabledecl", "`namedoperator` is unknown"),
        ("<dotconstant/>", "<cardinality/>", "`cardinality` is unknown here"),
        ("source=\"", "type=\"inhibitor\" source=\"", "expected a plain arc"),
        ("</place>", "<initialMarking/></place>", "`initialMarking` is unknown here"),
    ] {
        let changed = file.replacen(from, to, 1);
        if changed != file {
            let error = read(changed.as_bytes()).unwrap_err();
            assert!(error.what.contains(expected) && error.line > 3, "{error}");
        }
    }
    let deep = |depth: usize| {
        let sort = "<namedsort id=\"dot\"><dot/></namedsort>";
        let term = "<add>".repeat(depth) + "<dotconstant/>" + &"</add>".repeat(depth);
        crate::reader::pnml(sort, &crate::reader::place("p", "dot", &term))
    };
    assert!(read(deep(100).as_bytes()).is_ok());
    assert!(read(deep(100_000).as_bytes()).unwrap_err().what.contains("nested deeper"));
    let (ring, _) = model(&text::parse("sort N = 1..1000000000\nplace p: N = {all}").unwrap());
    let listed = Unfolding { places: vec!["p(1)".into()], transitions: vec![], classes: vec![] };
    assert_eq!(
        ring.unfold(&listed, RequiredBindings::OnePerEffect, 1000, &mut || true).unwrap_err(),
        UnfoldingFlaw::TooLarge(1000)
    );
}

/// A net in which two bindings of `t` have the same effect.
const ALIKE: &str = "net n
     sort N = {a, b}
     var x: N
     place p: N = {a}
     place off
     place seen
     transition t [x = a or x = b]: p{a} -> off";

#[test]
fn evidence_for_counts_lists_all_bindings() {
    let net = text::parse(ALIKE).unwrap();
    let (model, file) = model(&net);
    let directory = TestDirectory::new();
    directory.write("model.pnml", &file);
    let said =
        directory.succeeds(&["check", "model.pnml", "-e", "StateSpace", "--evidence", "proofs"]);
    assert!(said.contains("transitions: 2"), "{said}");
    let (report, broken) = audit(&directory, &model, "StateSpace", 1000);
    assert_eq!((report.judged.len(), &*broken), (4, ""));
    let right = directory.read("proofs/StateSpace.jsonl");
    let wrong =
        right.replace("\"transitions\":2", "\"transitions\":1").replace(",\"t(x=b)\"", "").replace(
            "\"id\":\"TRANSITIONS\",\"value\":\"2\"",
            "\"id\":\"TRANSITIONS\",\"value\":\"1\"",
        );
    assert_ne!(right, wrong);
    directory.write("proofs/StateSpace.jsonl", &wrong);
    let (report, broken) = audit(&directory, &model, "StateSpace", 1000);
    assert!(report.judged.is_empty() && broken.contains("`t(x=b)` is not listed"), "{broken}");
    // For other questions, one of the bindings is enough.
    directory.succeeds(&["check", "model.pnml", "-e", "QuasiLiveness", "--evidence", "proofs"]);
    let one = directory.read("proofs/QuasiLiveness.jsonl");
    let one = one.replace("\"transitions\":2", "\"transitions\":1").replace(",\"t(x=b)\"", "");
    directory.write("proofs/QuasiLiveness.jsonl", &one);
    let (report, broken) = audit(&directory, &model, "QuasiLiveness", 1000);
    let [judged] = &report.judged[..] else { panic!("{broken}") };
    assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
}

#[test]
fn soundness_is_not_asked_of_a_coloured_model() {
    let net = text::parse(ALIKE).unwrap();
    let (model, file) = model(&net);
    let directory = TestDirectory::new();
    directory.write("model.pnml", &file);
    directory.succeeds(&["check", "model.pnml", "-e", "QuasiLiveness", "--evidence", "proofs"]);
    let text =
        directory.read("proofs/QuasiLiveness.jsonl").replace("QuasiLiveness", "EasySoundness");
    for value in ["TRUE", "FALSE"] {
        directory.write(
            "proofs/EasySoundness.jsonl",
            &text.replace("\"TRUE\"", &format!("\"{value}\"")),
        );
        let (report, broken) = audit(&directory, &model, "EasySoundness", 1000);
        assert!(report.judged.is_empty(), "{:?}", report.judged);
        assert!(broken.contains("EasySoundness is not supported for a coloured model"), "{broken}");
    }
}

#[test]
fn a_variable_that_a_guard_does_not_need_counts_in_the_number_of_firings() {
    // The variable x is compared with a number outside of its range. The comparison is true for all
    // five colours, each of which is a binding.
    let declarations = "<namedsort id=\"dot\"><dot/></namedsort><namedsort id=\"N\">\
        <finiteintrange start=\"1\" end=\"5\"/></namedsort><variabledecl id=\"x\"><usersort \
        declaration=\"N\"/></variabledecl>";
    let number = "<subterm><finiteintrangeconstant value=\"6\"><finiteintrange start=\"1\" end=\"9\"/>\
        </finiteintrangeconstant></subterm>";
    let guard =
        format!("<lessthan><subterm><variable refvariable=\"x\"/></subterm>{number}</lessthan>");
    let page = crate::reader::place("p", "dot", "<dotconstant/>")
        + &crate::reader::guarded("t", &guard)
        + &crate::reader::arc("p", "t", "<dotconstant/>");
    let file = crate::reader::pnml(declarations, &page);
    let model = read(file.as_bytes()).unwrap();
    let directory = TestDirectory::new();
    directory.write("model.pnml", &file);
    let said =
        directory.succeeds(&["check", "model.pnml", "-e", "StateSpace", "--evidence", "proofs"]);
    assert!(said.contains("transitions: 5"), "{said}");
    let (report, broken) = audit(&directory, &model, "StateSpace", 1000);
    assert_eq!(broken, "");
    let confirmed = |it: &parikh::evidence::audit::AuditedAnswer| {
        matches!(it.verdict, AuditVerdict::Confirmed(_))
    };
    assert!(report.judged.len() == 4 && report.judged.iter().all(confirmed), "{:?}", report.judged);
}
