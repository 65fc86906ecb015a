//! The output of `--format json` satisfies `docs/parikh.schema.json`.

use crate::support::binary::{TestDirectory, example, objects, repository, stdout};
use crate::support::schema::Schema;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

/// A net with all features that occur in the output: units, an invariant, an unbounded place, a
/// dead transition, a deadlock, a number beyond 2⁵³.
const NET: &str = "net \"all\"\nplace idle 1\nplace busy\nplace made\nplace never\nplace much \
                   9007199254740993\ntransition start: idle -> busy + made\ntransition stop: busy -> idle\n\
                   transition dead: never -> idle\ntransition end: idle ->";

fn directory() -> TestDirectory {
    let directory = TestDirectory::with(NET);
    for file in [
        "orders.pnml",
        "philosophers.pnml",
        "philosophers-coloured.pnml",
        "post.dot",
        "post-properties.txt",
        "post-branching.txt",
    ] {
        std::fs::copy(example(file), directory.at(file)).expect("copied");
    }
    directory.write("verdicts.xml", "");
    directory.write(
        "units.pnml",
        "<pnml xmlns='http://www.pnml.org/version-2009/grammar/pnml'><net id='u'><page id='g'>\
         <place id='p'><initialMarking><text>1</text></initialMarking></place><place id='q'/>\
         <transition id='t'/><arc id='a' source='p' target='t'/><arc id='b' source='t' target='q'/>\
         </page><toolspecific tool='nupn' version='1.1'><size places='2' transitions='1' arcs='2'/>\
         <structure units='1' root='u0' safe='true'><unit id='u0'><places>p q</places><subunits/></unit>\
         </structure></toolspecific></net></pnml>",
    );
    directory
}

/// The command lines whose output is checked.
const COMMANDS: &[&str] = &[
    "check model.pnml -e RD,OS,QL,L,SM,SS",
    "check model.pnml --events --formula EF(busy>=1) --formula bound(made) --formula bound(much) \
     --formula G(F(busy>=1)) --formula F(busy>=2) --formula AG(busy<=1&&much>=1)",
    "check model.pnml -e RD -t 0s",
    "check model.pnml -e UBA,QLA,LA,SMA",
    "check philosophers-coloured.pnml -e UBA,QLA,LA,SMA -t 0s",
    "check philosophers.pnml -e RD --all",
    "check orders.pnml -e Soundness,WeakSoundness,RelaxedSoundness,EasySoundness",
    "check philosophers-coloured.pnml -e RD",
    "check units.pnml -e OneSafe",
    "states philosophers.pnml",
    "states philosophers.pnml -t 0s",
    "properties model.pnml -t 10s",
    "invariants model.pnml --modulo --bounds",
    "invariants philosophers.pnml --semiflows --modulo",
    "invariants philosophers.pnml --transitions",
    "invariants units.pnml --bounds",
    "siphons model.pnml",
    "siphons philosophers.pnml --minimal --limit 1",
    "siphons philosophers.pnml --commoner",
    "traps philosophers.pnml",
    "traps philosophers.pnml --minimal",
    "reduce philosophers.pnml --preserve deadlock --log log.json",
    "reduce philosophers.pnml --check log.json",
    "reduce model.pnml --formula EF(busy>=1) --formula bound(much) --preserve reachability \
     --support much,start",
    "info model.pnml",
    "info orders.pnml",
    "info units.pnml",
    "info philosophers-coloured.pnml",
    "check post.dot --properties post-properties.txt",
    "check post.dot --properties post-branching.txt -t 0s",
    "info post.dot",
];

#[test]
fn every_command_prints_json_that_conforms_to_the_schema() {
    let (directory, schema) = (directory(), Schema::of_the_guide(&repository("docs")));
    let mut seen = BTreeSet::new();
    for line in COMMANDS {
        let mut arguments: Vec<&str> = line.split_whitespace().collect();
        arguments.extend(["--format", "json"]);
        let (code, said, error) = directory.outputs(&arguments);
        assert!([0, 3].contains(&code), "{line}: {error}");
        assert!(!said.is_empty(), "{line} says nothing: {error}");
        for object in objects(&said) {
            seen.extend(schema.kinds(&object).into_iter().map(str::to_owned));
        }
    }
    // Objects that need a larger setup, and are checked against the schema in other tests.
    let elsewhere = [
        "progress",
        "modulo",
        "dead_constant",
        "fires",
        "withdrawn",
        "withdrawn_figure",
        "false_unit_claim",
        "comparison",
        "comparison_summary",
        "audit_answer",
        "audit_summary",
        "graph",
    ];
    let missing: Vec<&str> = schema
        .alternatives()
        .into_iter()
        .filter(|kind| !seen.contains(*kind) && !elsewhere.contains(kind))
        .collect();
    assert!(missing.is_empty(), "no command prints {missing:?}");
}

#[test]
fn graphs_and_comparisons_are_in_the_schema_too() {
    let (directory, schema) = (directory(), Schema::of_the_guide(&repository("docs")));
    directory.succeeds(&["graph", "philosophers.pnml", "-o", "graph.json"]);
    assert_eq!(schema.check("graph", &directory.json("graph.json")), Ok(()));
    directory.run(&["graph", "model.pnml", "-o", "graph.json"]);
    assert_eq!(schema.check("graph", &directory.json("graph.json")), Ok(()));
    let verdicts = directory.succeeds(&["properties", "philosophers.pnml", "--format", "xml"]);
    directory.write("verdicts.xml", &verdicts);
    let compare = ["verdicts", "compare", "verdicts.xml", "philosophers.pnml", "--format", "json"];
    let compared = objects(&directory.succeeds(&compare));
    let kinds = |object: &Value| schema.kinds(object).into_iter().map(str::to_owned).collect();
    let kinds: BTreeSet<String> =
        compared.iter().flat_map(|it| -> Vec<String> { kinds(it) }).collect();
    let expected = ["comparison", "comparison_summary"].map(str::to_owned);
    assert_eq!(kinds, BTreeSet::from(expected));
}

fn asked(directory: &TestDirectory, arguments: &[&str]) -> Vec<Value> {
    let (_, said, _) = directory.outputs(&[arguments, &["--format", "json"]].concat());
    objects(&said).into_iter().filter(|it| it["type"] == "answer").collect()
}

#[test]
fn witnesses_and_nodes_are_in_their_answers() {
    let directory = directory();
    let formulas = [
        "--formula",
        "w: EF (made >= 3)",
        "--formula",
        "u: bound(made)",
        "--formula",
        "l: F (busy >= 2)",
    ];
    let answers = asked(&directory, &[&["check", "model.pnml"], &formulas[..]].concat());
    let of = |id: &str| answers.iter().find(|it| it["id"] == id).unwrap_or_else(|| panic!("{id}"));
    let fired = &of("w")["witness"];
    assert_eq!(fired["kind"], "firings");
    let starts = fired["steps"].as_array().unwrap().iter().filter(|it| **it == "start").count();
    assert!(starts >= 3, "{fired}");
    assert_eq!(of("w")["nodes"], json!({"places": ["made"], "transitions": []}));
    let pump = &of("u")["witness"];
    assert_eq!((&of("u")["value"], &pump["kind"]), (&json!("+inf"), &json!("pump")));
    assert!(pump["stages"][0]["repeat"].as_array().unwrap().contains(&json!("start")), "{pump}");
    let lasso = &of("l")["witness"];
    assert_eq!((&of("l")["value"], &lasso["kind"]), (&json!("FALSE"), &json!("lasso")));
    assert!(["dead", "repeats", "anything"].contains(&lasso["end"].as_str().unwrap()), "{lasso}");
    let dead = asked(&directory, &["check", "model.pnml", "-e", "QL"]);
    assert_eq!(dead[0]["nodes"], json!({"places": [], "transitions": ["dead"]}));
    // All places of the sum in the reason.
    directory
        .write("sum.net", "pl i (1)\npl o\ntr c i -> o\ntr a x -> y\ntr b y -> z\ntr d z -> x\n");
    let dead = asked(&directory, &["check", "sum.net", "-e", "QL"]);
    let because = &dead[0]["because"];
    assert_eq!(
        (&because["kind"], &because["subject"]),
        (&json!("unreachable"), &json!({"transition": "a"}))
    );
    let term = |place: &str| json!({"place": place, "factor": 1});
    let terms = ["x", "y", "z"].map(term);
    let sum = json!({"relation": "constant", "terms": terms, "value": 0});
    assert_eq!(because["exclusions"][0]["sum"], sum, "{because}");
    assert!(dead[0]["reason"].as_str().unwrap().contains("`x` + `y` + `z` = 0"), "{}", dead[0]);
    assert_eq!(dead[0]["nodes"]["places"], json!(["x", "y", "z"]), "{}", dead[0]);
    let stuck = asked(&directory, &["check", "orders.pnml", "-e", "S"]);
    assert_eq!(stuck[0]["value"], "FALSE");
    assert_eq!(stuck[0]["because"]["kind"], "tokens-left-behind", "{}", stuck[0]);
    assert!(!stuck[0]["nodes"]["places"].as_array().unwrap().is_empty(), "{}", stuck[0]);
}

#[test]
fn numbers_are_numbers_up_to_2_to_the_53_and_digits_beyond() {
    let directory = directory();
    let formulas = ["--formula", "much: bound(much)", "--formula", "busy: bound(busy)"];
    let answers = asked(&directory, &[&["check", "model.pnml"], &formulas[..]].concat());
    let value =
        |id: &str| answers.iter().find(|it| it["id"] == id).expect("answered")["value"].clone();
    assert_eq!((value("much"), value("busy")), (json!("9007199254740993"), json!(1)));
}

#[test]
fn the_nodes_arcs_and_marking_of_a_net_are_listed() {
    let directory = TestDirectory::with("net \"n\"\nplace p 2\nplace q\ntransition t: 2*p -> q");
    let info = &objects(&directory.succeeds(&["info", "model.pnml", "--format", "json"]))[0];
    assert_eq!(info["marking"], json!({"p": 2}));
    assert_eq!(
        info["nodes"]["places"],
        json!([{"id": "p", "name": null}, {"id": "q", "name": null}])
    );
    let arcs =
        json!([{"from": "p", "to": "t", "weight": 2}, {"from": "t", "to": "q", "weight": 1}]);
    assert_eq!(info["arc_list"], arcs);
}

#[test]
fn models_are_read_from_standard_input_compressed_files_and_archives() {
    let directory = directory();
    let zipped = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).expect("compressed");
        encoder.finish().expect("compressed")
    };
    let model = std::fs::read(directory.at("philosophers-coloured.pnml")).expect("readable");
    std::fs::write(directory.at("model.pnml.gz"), zipped(&model)).expect("written");
    let queries = std::fs::read(example("philosophers-queries.xml")).expect("readable");
    let plain = std::fs::read(directory.at("philosophers.pnml")).expect("readable");
    let mut archive = tar::Builder::new(Vec::new());
    for (name, bytes) in
        [("Ph-PT-2/model.pnml", &plain), ("Ph-PT-2/ReachabilityCardinality.xml", &queries)]
    {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, &bytes[..]).expect("added");
    }
    let archive = archive.into_inner().expect("an archive");
    std::fs::write(directory.at("Ph-PT-2.tgz"), zipped(&archive)).expect("written");

    let deadlock =
        |model: &str| asked(&directory, &["check", model, "-e", "RD"])[0]["value"].clone();
    assert_eq!(deadlock("model.pnml.gz"), deadlock("philosophers-coloured.pnml"));
    assert_eq!(deadlock("Ph-PT-2.tgz"), "TRUE");
    let answers = asked(&directory, &["check", "Ph-PT-2.tgz", "-e", "RC"]);
    assert_eq!(answers.len(), 3, "the queries are in the archive");
    let error = directory.fails_with(1, &["check", "Ph-PT-2.tgz", "-e", "UB"]);
    assert!(error.contains("no UpperBounds.xml"), "{error}");

    // A coloured model is read twice, also from standard input.
    let mut command = directory.command(&["check", "-", "-e", "RD", "--format", "json"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().expect("a pipe").write_all(&model).expect("written");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(objects(&stdout(&output))[0]["value"], deadlock("philosophers-coloured.pnml"));
}

#[test]
fn several_examinations_are_asked_in_one_call_each_with_its_evidence() {
    let directory = directory();
    let arguments = [
        "check",
        "orders.pnml",
        "-e",
        "RD",
        "-e",
        "OS,Soundness",
        "--formula",
        "own: EF (n6 >= 1)",
    ];
    let answers = asked(&directory, &[&arguments[..], &["--evidence", "proofs"]].concat());
    let of = |answer: &Value| [answer["examination"].clone(), answer["id"].clone()];
    let found: Vec<_> = answers.iter().map(of).collect();
    let expected =
        [["ReachabilityDeadlock"; 2], ["OneSafe"; 2], ["Soundness"; 2], ["Formulas", "own"]];
    assert_eq!(found, expected.map(|pair| pair.map(Value::from)));
    for file in ["ReachabilityDeadlock", "OneSafe", "Soundness", "Formulas"] {
        assert!(directory.at(&format!("proofs/{file}.jsonl")).is_file(), "{file}");
    }
    for (arguments, words) in [
        ("check orders.pnml -e RD -e RD", "given twice"),
        ("check orders.pnml -e RD,OS --id x", "a single examination"),
        ("check orders.pnml -e RC,RF --queries q.xml", "one file"),
        ("check orders.pnml -e RD,OS --k 2", "not to ReachabilityDeadlock, OneSafe"),
    ] {
        let arguments: Vec<&str> = arguments.split_whitespace().collect();
        let error = directory.fails_with(2, &arguments);
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
    // A question that cannot be asked does not affect the others.
    let (code, said, error) =
        directory.outputs(&["check", "philosophers.pnml", "-e", "Soundness,RD"]);
    assert_eq!(code, 1, "{error}");
    assert!(said.starts_with("ReachabilityDeadlock: TRUE"), "{said}");
}
