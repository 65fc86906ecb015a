//! Hostile evidence with huge numbers of firings and markings, and huge sets.

use super::{AuditLimits, HostileKinds, Instance, MODEL, answer, repeat};
use std::io::Write;

/// Returns an instance with a trace that repeats `step`, and an answer that refers to the trace.
fn trace(model: &str, steps: usize, step: &str) -> Instance {
    Instance::of(model, "OneSafe", |out| {
        out.write_all(br#"{"trace": {"id": "w", "steps": ["#).unwrap();
        repeat(out, steps, |_| step.to_owned());
        writeln!(out, "]}}}}\n{}", answer("OneSafe", "FALSE", r#"{"trace": "w"}"#)).unwrap();
    })
}

/// Returns an instance with an accelerated sequence of `blocks` blocks, and an answer that refers
/// to it.
fn loops(blocks: usize, block: impl Fn(usize) -> String) -> Instance {
    Instance::of("place p\nplace q\ntransition t: -> p\ntransition u: -> q", "OneSafe", |out| {
        out.write_all(br#"{"loops": {"id": "l", "blocks": ["#).unwrap();
        repeat(out, blocks, block);
        writeln!(out, "]}}}}\n{}", answer("OneSafe", "TRUE", r#"{"loops": "l"}"#)).unwrap();
    })
}

/// Returns an instance with an answer and the structural argument that it refers to.
fn structure(model: &str, examination: &str, value: &str, structure: &str) -> Instance {
    Instance::of(model, examination, |out| {
        writeln!(out, r#"{{"structure": {{"id": "s", "structure": {structure}}}}}"#).unwrap();
        writeln!(out, "{}", answer(examination, value, r#"{"structure": "s"}"#)).unwrap();
    })
}

#[test]
fn firings_beyond_number() {
    let mut kinds = HostileKinds::default();
    let stays = "place p 1\ntransition t: p -> p";
    let trace_of = |model, step| trace(model, 500_000, step);
    let long = trace_of(stays, r#"["t", 9223372036854775808]"#);
    kinds.expect(
        "500 000 times 2⁶³ firings",
        AuditLimits::None,
        long,
        4,
        &["OneSafe: FALSE", "not shown"],
    );
    let grows = "place p 1\ntransition t: -> p";
    let overflow = trace_of(grows, r#"["t", 9223372036854775808]"#);
    kinds.expect(
        "2⁶³ tokens",
        AuditLimits::None,
        overflow,
        4,
        &["trace `w`", "more than 2^63 - 1 tokens"],
    );
    let arcs: String = (0..4000).map(|at| format!(" + p{at}")).collect();
    let places: String = (0..4000).map(|at| format!("place p{at} 1\n")).collect();
    let arcs = &arcs[3..];
    let wide = format!("{places}transition t: {arcs} -> {arcs}\ntransition u: {arcs} -> {arcs}");
    let wide = trace_of(&wide, r#"["t", 1], ["u", 1]"#);
    kinds.expect(
        "500 000 wide firings",
        AuditLimits::Clock,
        wide,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    let doubling = loops(100_000, |at| match at {
        0 => r#"[["t", 1]]"#.to_owned(),
        at => format!("[[{0}, 1], [{0}, 1]]", at - 1),
    });
    kinds.expect(
        "2^(10⁵) rounds",
        AuditLimits::None,
        doubling,
        4,
        &["loops `l`", "need more than"],
    );
    let digits = loops(1, |_| format!(r#"[["t", "{}"]]"#, "9".repeat(1_000_000)));
    kinds.expect("a number of 10⁶ digits", AuditLimits::None, digits, 4, &["loops `l`", "digits"]);
    let nine = "9".repeat(10_000);
    let growing = loops(3_000, |at| match at {
        0 => r#"[["t", 1], ["u", 1]]"#.to_owned(),
        at => format!(r#"[[{}, "{nine}"]]"#, at - 1),
    });
    kinds.expect(
        "3000 times 10⁴ digits more",
        AuditLimits::None,
        growing,
        4,
        &["loops `l`", "need more than"],
    );
    kinds.assert_all(6);
}

#[test]
fn markings_beyond_number() {
    let mut kinds = HostileKinds::default();
    let unbounded = "place p\nplace q\ntransition t: -> p\ntransition u: p -> p + q";
    let all = |sort: &str| {
        Instance::of(unbounded, "OneSafe", |out| {
            let markings = r#""document": {"markings": 1000000000000000000}"#;
            writeln!(out, r#"{{"trace": {{"id": "w", "steps": [["t", 1]]}}}}"#).unwrap();
            writeln!(out, r#"{{"document": {{"id": "d", {sort}{markings}}}}}"#).unwrap();
            writeln!(out, "{}", answer("OneSafe", "TRUE", r#"{"document": "d"}"#)).unwrap();
        })
    };
    let said = &["document `d`", "1000000000000000000 markings", "--visit"][..];
    kinds.expect("10¹⁸ markings", AuditLimits::None, all(""), 4, said);
    let said = &["structure `s`", "1000000000000000000 markings", "--visit"][..];
    let visited = structure(unbounded, "Liveness", "TRUE", r#"{"visited": 1000000000000000000}"#);
    kinds.expect("10¹⁸ visited", AuditLimits::None, visited, 4, said);
    let document = r#"{"markings": 1000000000000000000}"#;
    let lost = format!(r#"{{"lost": {{"after": [], "document": {document}}}}}"#);
    let lost = structure(unbounded, "Liveness", "FALSE", &lost);
    kinds.expect("10¹⁸ markings after something", AuditLimits::None, lost, 4, said);
    let back = format!(
        r#"{{"returning": {{"to": [], "way": {{"downhill": {{"weights": [], "document": {document}}}}}, "along": []}}}}"#
    );
    let back = structure(unbounded, "Liveness", "TRUE", &back);
    kinds.expect("10¹⁸ markings on the way back", AuditLimits::None, back, 4, said);
    let searched = Instance::of(unbounded, "OneSafe", |out| {
        let searched = r#""searched": {"markings": 7, "stubborn": false}"#;
        writeln!(out, r#"{{"answer": {{"id": "OneSafe", "value": "TRUE", {searched}}}}}"#).unwrap();
    });
    kinds.expect(
        "a search that never ends",
        AuditLimits::Enough,
        searched,
        4,
        &["visited again", "not true"],
    );
    let searched = |markings: u64| {
        Instance::of(unbounded, "StateSpace", |out| {
            let searched = format!(r#""searched": {{"markings": {markings}, "stubborn": false}}"#);
            for id in ["MAX_TOKEN_IN_PLACE", "STATES"] {
                writeln!(out, r#"{{"answer": {{"id": "{id}", "value": "7", {searched}}}}}"#)
                    .unwrap();
            }
        })
        .with(&["--visit", "20000"])
    };
    let found = "more than 20000 markings are reachable";
    kinds.expect("figures without end", AuditLimits::None, searched(7), 3, &["STATES", found]);
    let found = "too many to repeat";
    kinds.expect("10¹⁸ searched", AuditLimits::None, searched(1 << 60), 3, &["STATES", found]);
    let counted = |out: &mut dyn Write| {
        writeln!(out, r#"{{"count": {{"id": "c", "markings": 1000000000000000000}}}}"#).unwrap();
        writeln!(out, "{}", answer("STATES", "7", r#"{"count": "c"}"#)).unwrap();
    };
    let counted = Instance::of(unbounded, "StateSpace", counted);
    kinds.expect("10¹⁸ counted", AuditLimits::None, counted, 3, &["STATES", found]);
    let switches =
        |at| format!("place on{at} 1\nplace off{at}\ntransition t{at}: on{at} -> off{at}\n");
    let switches: String = (0..3000).map(switches).collect();
    let wide = Instance::of(&switches, "OneSafe", |out| {
        let searched = r#""searched": {"markings": 7, "stubborn": false}"#;
        writeln!(out, r#"{{"answer": {{"id": "OneSafe", "value": "TRUE", {searched}}}}}"#).unwrap();
    });
    kinds.expect(
        "markings of 6000 places",
        AuditLimits::Clock,
        wide,
        3,
        &["jsonl:", "not confirmed: out of"],
    );
    let cases = Instance::of(
        "place i 10\nplace o\ntransition t: i -> o",
        "1000000000000000000-Soundness",
        |_| (),
    );
    let said = &["Soundness.jsonl:1", "more than 2^63 - 1 tokens"];
    kinds.expect("10¹⁸ cases of 10", AuditLimits::None, cases, 1, said);
    kinds.assert_all(10);
}

/// Returns a closed set, as a decision diagram, of all markings of `places` places with 0 or 1
/// token each.
fn cube(places: usize) -> String {
    let order: Vec<String> = (0..places).map(|at| format!("\"p{at}\"")).collect();
    let mut nodes = Vec::new();
    for at in 0..places {
        let below = if at == 0 { 1 } else { 2 * at + 1 };
        nodes.push(format!("[1,{below},0]"));
        nodes.push(format!("[0,{below},{}]", 2 * at + 2));
    }
    let (order, root) = (order.join(","), nodes.len() + 1);
    format!(r#"{{"order": [{order}], "nodes": [{}], "root": {root}}}"#, nodes.join(","))
}

#[test]
fn sets_with_sums() {
    let mut kinds = HostileKinds::default();
    // Comparing sums of different powers of two needs each single value.
    let places: String = (0..44).map(|at| format!("place p{at} 1\n")).collect();
    let model = |firing: &str| format!("{places}{firing}");
    let one = model("transition t: p0 -> p0");
    let sums = Instance::of(&one, "ReachabilityCardinality", |out| {
        writeln!(
            out,
            r#"{{"document": {{"id": "d", "document": {{"closed_set": {}}}}}}}"#,
            cube(44)
        )
        .unwrap();
        writeln!(out, "{}", answer("f", "FALSE", r#"{"document": "d"}"#)).unwrap();
    });
    let sums = sums.file("ReachabilityCardinality.xml", |out| {
        out.write_all(b"<property-set><property><id>f</id><formula><exists-path><finally>")
            .unwrap();
        out.write_all(b"<conjunction>").unwrap();
        // The constraint Σ 2^(at mod 17)·p ≥ half of the total, and further sums of this kind.
        for turn in 0..3 {
            out.write_all(b"<integer-ge><tokens-count>").unwrap();
            for at in 0..44 {
                for _ in 0..1 << ((at * (turn + 1) + turn) % 13) {
                    write!(out, "<place>p{at}</place>").unwrap();
                }
            }
            out.write_all(b"</tokens-count><integer-constant>14000</integer-constant>").unwrap();
            out.write_all(b"</integer-ge>").unwrap();
        }
        out.write_all(b"</conjunction></finally></exists-path></formula></property>").unwrap();
        out.write_all(b"</property-set>").unwrap();
    });
    kinds.expect(
        "sums over a set of 88 nodes",
        AuditLimits::None,
        sums,
        4,
        &["document `d`", "too many nodes"],
    );
    let everything = model("transition t: p0 -> p0\ntransition u: p1 -> p1");
    let steps: Vec<&str> = std::iter::repeat_n(r#"["t", 1]"#, 300_000).collect();
    let way = format!(r#"{{"steps": {{"set": {}, "steps": [{}]}}}}"#, cube(44), steps.join(","));
    let back = format!(r#"{{"returning": {{"to": null, "way": {way}, "along": []}}}}"#);
    let back = structure(&everything, "Liveness", "TRUE", &back);
    kinds.expect("300 000 steps back", AuditLimits::None, back, 4, &["Liveness", "not shown"]);
    kinds.expect(
        "pairs of nodes",
        AuditLimits::None,
        pairs(),
        4,
        &["document `d`", "too many pairs of nodes"],
    );
    let huge = MODEL.replace("p 2", "p 1");
    let values = r#"{"order": ["p", "q"], "nodes": [[18446744073709551615, 1, 0], [18446744073709551615, 2, 0]], "root": 3}"#;
    let large = Instance::of(&huge, "OneSafe", |out| {
        writeln!(out, r#"{{"document": {{"id": "d", "document": {{"closed_set": {values}}}}}}}"#)
            .unwrap();
        writeln!(out, "{}", answer("OneSafe", "TRUE", r#"{"document": "d"}"#)).unwrap();
    });
    kinds.expect(
        "a set of 2⁶⁴ tokens",
        AuditLimits::None,
        large,
        4,
        &["document `d`", "initial marking"],
    );
    kinds.assert_all(4);
}

/// Returns an instance with a closed set that consists of two halves. A transition leads from the
/// upper levels of one half to the other half. In the lower levels, each half has its own sum, so
/// the number of node pairs is the product of the numbers of sums.
fn pairs() -> Instance {
    const LEVELS: usize = 30;
    let mut nodes = vec!["[0,1,0]".to_owned(), "[1,1,0]".to_owned(), "[0,1,3]".to_owned()];
    let mut half = |last: usize, by: usize, count: usize| {
        let mut below = vec![last; count];
        for _ in 0..LEVELS {
            below = (0..count)
                .map(|state| {
                    let [zero, one] = [0, 1].map(|value| below[(by * state + value) % count]);
                    nodes.push(format!("[1,{one},0]"));
                    nodes.push(format!("[0,{zero},{}]", nodes.len() + 1));
                    nodes.len() + 1
                })
                .collect();
        }
        below[0]
    };
    let halves = [half(2, 2, 601), half(4, 3, 607)];
    nodes.push(format!("[1,{},0]", halves[0]));
    nodes.push(format!("[0,{},{}]", halves[1], nodes.len() + 1));
    let order: Vec<String> = (0..LEVELS).map(|at| format!("\"m{at}\"")).collect();
    let order = format!(r#""x", {}, "y""#, order.join(","));
    let places: String = (0..LEVELS).map(|at| format!("place m{at}\n")).collect();
    let model = format!("{places}place x 1\nplace y\ntransition t: x -> y");
    Instance::of(&model, "OneSafe", |out| {
        let (all, root) = (nodes.join(","), nodes.len() + 1);
        let set = format!(r#"{{"order": [{order}], "nodes": [{all}], "root": {root}}}"#);
        writeln!(out, r#"{{"document": {{"id": "d", "document": {{"closed_set": {set}}}}}}}"#)
            .unwrap();
        writeln!(out, "{}", answer("OneSafe", "TRUE", r#"{"document": "d"}"#)).unwrap();
    })
}
