//! Hostile certificates, refutations, reductions, and arguments about home spaces.

use super::{AuditLimits, HostileKinds, Instance, answer, repeat};
use std::io::Write;

/// Returns an instance with an answer to an examination, and the line of evidence that it refers
/// to. The line has the kind `sort` and the content `line`.
fn instance_with(model: &str, examination: &str, value: &str, sort: &str, line: &str) -> Instance {
    Instance::of(model, examination, |out| {
        writeln!(out, r#"{{"{sort}": {{"id": "x", "{sort}": {line}}}}}"#).unwrap();
        writeln!(out, "{}", answer(examination, value, &format!(r#"{{"{sort}": "x"}}"#))).unwrap();
    })
}

/// Returns an instance with an answer to OneSafe that a document proves.
fn document(model: &str, document: &str) -> Instance {
    instance_with(model, "OneSafe", "TRUE", "document", document)
}

/// Returns a list of items without brackets. `thing` returns the item with an index.
fn list(count: usize, thing: impl FnMut(usize) -> String) -> String {
    let mut text = Vec::new();
    repeat(&mut text as &mut dyn Write, count, thing);
    String::from_utf8(text).unwrap()
}

/// Returns a net of `places` places in a cycle, through which one token moves.
fn cyclic_net(places: usize) -> String {
    let place = |at| format!("place p{at} {}\n", usize::from(at == 0));
    let go = |at| format!("transition t{at}: p{at} -> p{}\n", (at + 1) % places);
    (0..places).map(place).chain((0..places).map(go)).collect()
}

/// Returns a net with many transitions that all need the same token and produce on another place.
fn star(transitions: usize) -> String {
    let firing = |at| format!("transition t{at}: p -> p + q\n");
    "place p 1\nplace q\n".to_owned() + &(0..transitions).map(firing).collect::<String>()
}

/// Returns a document of the kind `linear` with these atoms and further fields.
fn linear(atoms: &str, rest: &str) -> String {
    format!(
        r#"{{"linear": {{"assumes_units": false, "counters": [], "atoms": [{atoms}], {rest}}}}}"#
    )
}

#[test]
fn certificates_of_many_parts() {
    let mut kinds = HostileKinds::default();
    let large = i128::MAX;
    let lemma = |weights: &str| {
        format!(r#"{{"atoms": [], "traps": [], "units": [], "weights": [{weights}]}}"#)
    };
    let one = lemma(&list(300_000, |at| format!(r#"["p{}", {large}]"#, at % 2)));
    let sums = linear("", &format!(r#""traps": [], "lemmas": [{one}], "steps": []"#));
    kinds.expect(
        "weights of 127 bits",
        AuditLimits::None,
        document(&cyclic_net(2), &sums),
        4,
        &["too large"],
    );
    let many = list(100_000, |_| lemma(r#"["p", 1]"#));
    let many = linear("", &format!(r#""traps": [], "lemmas": [{many}], "steps": []"#));
    kinds.expect(
        "100 000 lemmas",
        AuditLimits::None,
        document(&cyclic_net(2), &many),
        4,
        &["no place"],
    );
    let traps = format!(
        r#""traps": [{}], "lemmas": [], "steps": []"#,
        list(200_000, |_| r#"["p"]"#.into())
    );
    let traps = document(&star(30_000), &linear("", &traps));
    kinds.expect(
        "200 000 traps",
        AuditLimits::Clock,
        traps,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    let atom = r#"{"sum": [["p0", 1]], "bound": 0}"#;
    let first =
        list(50_000, |_| r#"{"unfed": {"places": ["p1"], "idle": 0, "fed": 0}}"#.to_owned());
    let first = format!(r#""traps": [], "precedences": [{first}], "lemmas": [], "steps": []"#);
    let first = document(&cyclic_net(2), &linear(atom, &first));
    kinds.expect(
        "50 000 precedences",
        AuditLimits::None,
        first,
        4,
        &["document `x`", "precedence 0"],
    );
    let bounds = r#"{"inductive": [{"place": "p", "upper": false, "tokens": 0}]}"#;
    let bounds = list(50_000, |_| bounds.to_owned());
    let bounds = format!(r#"{{"bounds": {{"assumes_units": false, "steps": [{bounds}]}}}}"#);
    let bounds = document(&star(30_000), &bounds);
    kinds.expect(
        "50 000 bounds",
        AuditLimits::Clock,
        bounds,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    let atoms = list(1000, |at| format!(r#"{{"sum": [["p{at}", 1]], "bound": 1}}"#));
    let clauses = list(100_000, |at| format!("[{}, {}]", at % 1000 + 1, (at + 7) % 1000 + 1));
    let parts = r#""bounds": {"assumes_units": false, "steps": []}"#;
    let rest = r#""steps": [], "ending": []"#;
    let clauses = format!(
        r#"{{"induction": {{{parts}, "atoms": [{atoms}], "clauses": [{clauses}], {rest}}}}}"#
    );
    let clauses = document(&cyclic_net(1000), &clauses);
    kinds.expect(
        "an induction of 100 000 clauses",
        AuditLimits::None,
        clauses,
        4,
        &["document `x`", "may make it false"],
    );
    kinds.assert_all(6);
}

#[test]
fn refutations_that_take_long() {
    let mut kinds = HostileKinds::default();
    // The only siphon of a cyclic row of places is the whole row.
    let traps = r#"[]"#;
    let steps = list(600_000, |_| "[1, -9000]".to_owned());
    let round = format!(r#"{{"commoner": {{"traps": {traps}, "refutation": [{steps}]}}}}"#);
    let round = instance_with(&cyclic_net(9_000), "Liveness", "TRUE", "structure", &round);
    kinds.expect(
        "600 000 ways round",
        AuditLimits::Clock,
        round,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    kinds.assert_all(1);
}

#[test]
fn reductions_that_take_long() {
    let mut kinds = HostileKinds::default();
    let log = |steps: &str| {
        format!(
            r#""log": {{"preserves": ["reachability"], "support": [], "protected": [], "steps": [{steps}]}}"#
        )
    };
    let reduced = |model: &str, count: usize, steps: &str| {
        Instance::of(model, "OneSafe", |out| {
            for at in 0..count {
                let of = if at == 0 { String::new() } else { format!(r#""of": "r{}", "#, at - 1) };
                writeln!(out, r#"{{"reduction": {{"id": "r{at}", {of}{}}}}}"#, log(steps)).unwrap();
            }
            let last = count - 1;
            let document = r#""document": {"bounds": {"assumes_units": false, "steps": []}}"#;
            writeln!(out, r#"{{"document": {{"id": "d", "on": "r{last}", {document}}}}}"#).unwrap();
            writeln!(out, "{}", answer("OneSafe", "TRUE", r#"{"document": "d"}"#)).unwrap();
        })
    };
    let chain = reduced(&cyclic_net(2), 50_000, "");
    kinds.expect("50 000 reductions of each other", AuditLimits::None, chain, 4, &["not shown"]);
    let bogus = r#"{"rule": "implicit-places", "places": ["p0"]}"#;
    let bogus = reduced(&cyclic_net(2), 1, &list(100_000, |_| bogus.to_owned()));
    let said = &["reduction `r0`", "step 1", "implicit-places"];
    kinds.expect("100 000 bogus steps", AuditLimits::None, bogus, 4, said);
    let (puts, takes) = (
        |at| format!("transition a{at}: x{at} -> p\n"),
        |at| format!("transition b{at}: p -> y{at}\n"),
    );
    let places = |at| format!("place x{at}\nplace y{at}\n");
    let product: String = (0..4000).flat_map(|at| [places(at), puts(at), takes(at)]).collect();
    let merged = r#"{"rule": "post-agglomeration", "places": ["p"]}"#;
    let merged = reduced(&format!("place p\n{product}"), 1, merged);
    let said = &["reduction `r0`", "step 1", "post-agglomeration"];
    kinds.expect("16 million agglomerated transitions", AuditLimits::None, merged, 4, said);
    // 12 layers of 10 places, each implied by all places of the next layer: 10¹² paths.
    let layer = |layer: usize| -> String {
        let tokens = if layer == 0 { 3 } else { 1 };
        (0..10).map(|at| format!("place l{layer}_{at} {tokens}\n")).collect()
    };
    let all = |sign: &str| -> String {
        (0..120).map(|at| format!("{sign}l{}_{}", at / 10, at % 10)).collect::<Vec<_>>().join(" + ")
    };
    let places: String = (0..12).map(layer).collect();
    let model = format!(
        "{places}place go 1\nplace gone\ntransition t: go + {0} -> gone + {0}\ntransition u: 2*l0_0 -> 2*l0_0",
        all("")
    );
    let steps = list(110, |at| {
        let (layer, at) = (at / 10, at % 10);
        let others = list(10, |other| format!("\"l{}_{other}\"", layer + 1));
        let weights = list(11, |other| if other == 0 { "10".into() } else { "1".into() });
        format!(
            r#"{{"rule": "redundant-places", "places": ["l{layer}_{at}", {others}], "weights": [{weights}]}}"#
        )
    });
    let told = Instance::of(&model, "StateSpace", |out| {
        let log = log(&steps).replace("reachability", "markings");
        writeln!(out, r#"{{"reduction": {{"id": "r", {log}}}}}"#).unwrap();
        writeln!(out, r#"{{"count": {{"id": "c", "on": "r", "markings": 2}}}}"#).unwrap();
        writeln!(out, "{}", answer("STATES", "7", r#"{"count": "c"}"#)).unwrap();
    });
    kinds.expect("10¹² ways to tell", AuditLimits::None, told, 4, &["STATES"]);
    kinds.assert_all(4);
}

#[test]
fn arguments_about_home_spaces() {
    let mut kinds = HostileKinds::default();
    let deep = |depth: usize, inside: &str| {
        let (open, close) = (r#"{"sum": [["p0", 1]], "cases": ["#, "]}");
        format!("{}{inside}{}", open.repeat(depth), close.repeat(depth))
    };
    let undone = |undoing: &str| format!(r#"{{"undone": [{undoing}, []]}}"#);
    let nested = undone(&deep(100_000, "[]"));
    let nested = instance_with(&cyclic_net(2), "Liveness", "TRUE", "structure", &nested);
    kinds.expect(
        "cases 10⁵ deep",
        AuditLimits::None,
        nested,
        4,
        &["structure `x`", "recursion limit"],
    );
    let wide = list(300_000, |_| r#"["t0", 1]"#.to_owned());
    let nested = undone(&deep(50, &format!("[{wide}]")));
    let nested = instance_with(&cyclic_net(2), "Liveness", "TRUE", "structure", &nested);
    kinds.expect("much inside of 50 cases", AuditLimits::None, nested, 4, &["structure `x`"]);
    let pairs: String = (0..3_000)
        .map(|at| format!("place x{at} 1\nplace y{at}\ntransition a{at}: x{at} -> y{at}\ntransition b{at}: y{at} -> x{at}\n"))
        .collect();
    let every = list(3_000, |at| match at {
        2_999 => "[], []".to_owned(),
        at => format!(r#"[["b{at}", 1]], [["a{at}", 1]]"#),
    });
    let every = format!(r#"{{"undone": [{every}]}}"#);
    let every = instance_with(&pairs, "Liveness", "TRUE", "structure", &every);
    kinds.expect(
        "6000 firings to be undone",
        AuditLimits::None,
        every,
        4,
        &["structure `x`", "undo t5998"],
    );
    let finitely =
        instance_with(&cyclic_net(20_000), "Liveness", "FALSE", "structure", r#"{"finitely": []}"#);
    kinds.expect("weights for 20 000 transitions", AuditLimits::None, finitely, 4, &["not shown"]);
    let order: Vec<String> = (0..1000).map(|at| format!("\"p{at}\"")).collect();
    let nodes = list(1000, |at| format!("[1, {}, 0]", at + 1));
    let mut model: String =
        (0..1000).map(|at| format!("place p{at} 1\ntransition t{at}: p{at} -> p{at}\n")).collect();
    model.push_str("transition never: 2*p0 ->");
    let set = format!(r#"{{"order": [{}], "nodes": [{nodes}], "root": 1001}}"#, order.join(","));
    let way = format!(r#"{{"steps": {{"set": {set}, "steps": []}}}}"#);
    let ways = format!(r#"{{"returning": {{"to": null, "way": {way}, "along": []}}}}"#);
    let ways = instance_with(&model, "Liveness", "TRUE", "structure", &ways);
    kinds.expect(
        "a set for 1000 transitions",
        AuditLimits::None,
        ways,
        4,
        &["not shown", "all goals stay"],
    );
    kinds.assert_all(5);
}

#[test]
fn many_questions_and_many_documents() {
    let mut kinds = HostileKinds::default();
    let many = Instance::of(&cyclic_net(20_000), "QuasiLiveness", |out| {
        let mut all = Vec::new();
        for at in 0..6_000 {
            let document = r#""document": {"bounds": {"assumes_units": false, "steps": []}}"#;
            writeln!(out, r#"{{"document": {{"id": "d{at}", {document}}}}}"#).unwrap();
            all.push(format!(r#"{{"document": "d{at}"}}"#));
        }
        writeln!(out, "{}", answer("QuasiLiveness", "FALSE", &all.join(","))).unwrap();
    });
    kinds.expect(
        "6000 documents about 20 000 goals",
        AuditLimits::Clock,
        many,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    kinds.assert_all(1);
}
