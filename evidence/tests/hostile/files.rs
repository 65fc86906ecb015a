//! Hostile models, query files, and lines of evidence.

use super::{AuditLimits, HostileKinds, Instance, MODEL, answer, repeat};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

const NEVER_ENDS: u64 = 20 << 30;

/// Writes a query file of `formulas` formulas EF φ, where `formula` writes φ.
fn queries(out: &mut dyn Write, formulas: usize, formula: impl Fn(&mut dyn Write)) {
    out.write_all(b"<property-set xmlns='http://mcc.lip6.fr/'>").unwrap();
    for at in 0..formulas {
        write!(out, "<property><id>f{at}</id><formula><exists-path><finally>").unwrap();
        formula(out);
        out.write_all(b"</finally></exists-path></formula></property>\n").unwrap();
    }
    out.write_all(b"</property-set>").unwrap();
}

/// Writes `open` as often as `depth` says, then `inside`, then `close` equally often.
fn nested(out: &mut dyn Write, depth: usize, open: &str, inside: &str, close: &str) {
    (0..depth).for_each(|_| out.write_all(open.as_bytes()).unwrap());
    out.write_all(inside.as_bytes()).unwrap();
    (0..depth).for_each(|_| out.write_all(close.as_bytes()).unwrap());
}

/// Writes a gzip file that decompresses to at least `bytes` blanks. It repeats one compressed
/// member, because compressing all blanks would take longer.
fn decompresses_to(out: &mut dyn Write, bytes: usize) {
    let block = vec![b' '; 1 << 20];
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&block).unwrap();
    let member = encoder.finish().unwrap();
    (0..=bytes / block.len()).for_each(|_| out.write_all(&member).unwrap());
}

/// Returns an instance with an answer to the formula `f0` of a query file, which is not written
/// yet.
fn query_instance() -> Instance {
    let one = |out: &mut dyn Write| writeln!(out, "{}", answer("f0", "TRUE", "")).unwrap();
    Instance::of(MODEL, "ReachabilityCardinality", one)
}

#[test]
fn special_and_endless_files_are_not_read() {
    let mut kinds = HostileKinds::default();
    let plain = || Instance::of(MODEL, "OneSafe", |_| ());
    let no_file = "this is not a regular file";
    let model = Instance::of(MODEL, "OneSafe", |_| ());
    std::fs::remove_file(model.path().join("model.pnml")).unwrap();
    kinds.expect(
        "a pipe as model",
        AuditLimits::None,
        model.pipe("model.pnml"),
        1,
        &["model.pnml", no_file],
    );
    let queries = query_instance().pipe("ReachabilityCardinality.xml");
    kinds.expect(
        "a pipe as query file",
        AuditLimits::None,
        queries,
        1,
        &["Cardinality.xml", no_file],
    );
    kinds.expect(
        "a pipe as evidence",
        AuditLimits::None,
        plain().pipe("x.jsonl"),
        1,
        &["x.jsonl:0", no_file],
    );
    let zero = query_instance().with(&["--queries", "/dev/zero"]);
    kinds.expect("/dev/zero as query file", AuditLimits::None, zero, 1, &["/dev/zero", no_file]);
    let zero = plain().with(&["/dev/zero"]);
    kinds.expect("/dev/zero as evidence", AuditLimits::None, zero, 1, &["/dev/zero", no_file]);
    let large = plain().sparse("model.pnml", "<pnml>", NEVER_ENDS);
    kinds.expect("a model of 20 GB", AuditLimits::None, large, 1, &["model.pnml", "20480 MB"]);
    let bomb = plain().file("model.pnml", |out| decompresses_to(out, 1 << 30));
    let too_large = ["model.pnml", "900 MB or more when decompressed"];
    kinds.expect(
        "a small file that is 1 GB when decompressed",
        AuditLimits::Enough,
        bomb,
        1,
        &too_large,
    );
    let large =
        query_instance().sparse("ReachabilityCardinality.xml", "<property-set>", NEVER_ENDS);
    kinds.expect(
        "a query file of 20 GB",
        AuditLimits::None,
        large,
        1,
        &["Cardinality.xml", "20480 MB"],
    );
    let large = plain().sparse("x.jsonl", "{\"evidence\": ", NEVER_ENDS);
    kinds.expect(
        "a line of 20 GB",
        AuditLimits::Clock,
        large,
        3,
        &["x.jsonl:1", "not confirmed: out of"],
    );
    kinds.assert_all(9);
}

#[test]
fn models_and_query_files_may_be_nested_and_long() {
    let mut kinds = HostileKinds::default();
    let deep = query_instance().file("ReachabilityCardinality.xml", |out| {
        queries(out, 1, |out| nested(out, 1_000_000, "<negation>", "<deadlock/>", "</negation>"));
    });
    kinds.expect("10⁶ negations", AuditLimits::None, deep, 3, &["f0", "nested deeper than"]);
    let bad = query_instance().file("ReachabilityCardinality.xml", |out| {
        queries(out, 50_000, |out| out.write_all(b"<next/>").unwrap());
    });
    kinds.expect("50 000 unreadable formulas", AuditLimits::None, bad, 3, &["f0", "`next`"]);
    let model = |write: &dyn Fn(&mut dyn Write)| {
        query_instance().file("model.pnml", |out| {
            out.write_all(b"<pnml><net id='n' type='ptnet'>").unwrap();
            write(out);
            out.write_all(b"</net></pnml>").unwrap();
        })
    };
    let pages = model(&|out| nested(out, 300_000, "<page>", "<q/>", "</page>"));
    kinds.expect(
        "300 000 pages",
        AuditLimits::None,
        pages,
        1,
        &["model.pnml:1", "`q` inside `page`"],
    );
    let bomb = query_instance().file("model.pnml", |out| {
        out.write_all(b"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>]><pnml>&a;</pnml>").unwrap();
    });
    kinds.expect("a document type", AuditLimits::None, bomb, 1, &["model.pnml:1", "entity"]);
    let hashes = model(&|out| {
        (1..1000).for_each(|at| write!(out, "<place id='{}'/>", "#".repeat(at)).unwrap());
        // Without a transition, there would be nothing to prove.
        out.write_all(b"<transition id='t'/>").unwrap();
    });
    let hashes = hashes.evidence("OneSafe", ("n", 999, 1), |out| {
        let head = r#""preserves": ["reachability"], "support": [], "protected": []"#;
        for at in 0..100 {
            let log = format!(r#""log": {{{head}, "steps": []}}"#);
            let of = if at == 0 { String::new() } else { format!(r#""of": "r{}", "#, at - 1) };
            writeln!(out, r#"{{"reduction": {{"id": "r{at}", {of}{log}}}}}"#).unwrap();
        }
        writeln!(
            out,
            r#"{{"document": {{"id": "d", "on": "r99", "document": {{"markings": 1}}}}}}"#
        )
        .unwrap();
        writeln!(out, "{}", answer("OneSafe", "TRUE", r#"{"document": "d"}"#)).unwrap();
    });
    kinds.expect(
        "names of # and nothing else",
        AuditLimits::None,
        hashes,
        4,
        &["OneSafe.jsonl:103", "not shown"],
    );
    let chain = model(&|out| {
        out.write_all(b"<place id='r0'/><transition id='t'/>").unwrap();
        for at in 1..30_000 {
            let before = at - 1;
            write!(out, "<referencePlace id='r{at}' ref='r{before}'/>").unwrap();
            write!(out, "<arc id='a{at}' source='r29999' target='t'/>").unwrap();
        }
        out.write_all(b"<arc id='a' source='none' target='t'/>").unwrap();
    });
    kinds.expect(
        "references along 30 000 others",
        AuditLimits::None,
        chain,
        1,
        &["no node `none`"],
    );
    let finals = model(&|out| {
        (0..20_000).for_each(|at| write!(out, "<place id='p{at}'/>").unwrap());
        out.write_all(b"<finalmarkings>").unwrap();
        for at in 0..20_000 {
            write!(out, "<marking><place idref='p{at}'><text>1</text></place></marking>").unwrap();
        }
        out.write_all(b"</finalmarkings>").unwrap();
    });
    kinds.expect(
        "20 000 final markings",
        AuditLimits::None,
        finals,
        1,
        &["model.pnml:1", "final markings"],
    );
    kinds.assert_all(7);
}

#[test]
fn lines_of_evidence_may_be_deep_long_and_many() {
    let mut kinds = HostileKinds::default();
    let shown = answer("OneSafe", "FALSE", r#"{"trace": "w"}"#);
    let deep = Instance::of(MODEL, "OneSafe", |out| {
        out.write_all(br#"{"trace": {"id": "w", "steps": "#).unwrap();
        nested(out, 10_000_000, "[", "", "]");
        writeln!(out, "}}}}\n{shown}").unwrap();
    });
    kinds.expect("arrays 10⁷ deep", AuditLimits::None, deep, 4, &["trace `w`", "line 2"]);
    let long = Instance::of(MODEL, "OneSafe", |out| {
        writeln!(out, "{{\"trace\": {{\"id\": \"{}\"}}}}\n{shown}", "w".repeat(100 << 20)).unwrap();
    });
    kinds.expect("an id of 100 MB", AuditLimits::None, long, 4, &["trace `w`", "no earlier line"]);
    let long = Instance::pnml("").file("OneSafe.jsonl", |out| {
        let net = "n".repeat(200 << 20);
        let head = r#""places": 1, "transitions": 1, "examination": "OneSafe""#;
        let format = r#""format": "parikh-evidence-2""#;
        write!(out, r#"{{"evidence": {{{format}, "net": "{net}", {head}}}}}"#).unwrap();
    });
    let net = parikh_net::text::parse(MODEL).unwrap();
    let long = long.file("model.pnml", |out| {
        out.write_all(parikh_net::pnml::pnml(&net).as_bytes()).unwrap();
    });
    kinds.expect(
        "a header of 200 MB",
        AuditLimits::None,
        long,
        1,
        &["jsonl:1", "the file is about net"],
    );
    let twice = Instance::of(MODEL, "OneSafe", |out| {
        (0..2).for_each(|_| writeln!(out, r#"{{"trace": {{"id": "w", "steps": []}}}}"#).unwrap());
    });
    kinds.expect(
        "an id twice",
        AuditLimits::None,
        twice,
        1,
        &["jsonl:3", "this line has the same id"],
    );
    let often = Instance::of(MODEL, "OneSafe", |out| {
        (0..1000).for_each(|_| writeln!(out, "{}", answer("OneSafe", "TRUE", "")).unwrap());
    });
    kinds.expect(
        "1000 answers to a question",
        AuditLimits::None,
        often,
        4,
        &["jsonl:3", "answered again"],
    );
    let taken_back = Instance::of(MODEL, "OneSafe", |out| {
        (0..20_000).for_each(|at| writeln!(out, "{}", answer(&format!("x{at}"), "1", "")).unwrap());
        for at in 0..20_000 {
            writeln!(out, r#"{{"withdrawn": {{"id": "x{at}"}}}}"#).unwrap();
        }
    });
    kinds.expect(
        "20 000 answers taken back",
        AuditLimits::None,
        taken_back,
        3,
        &["0 of 0 answers"],
    );
    let often = Instance::of(MODEL, "OneSafe", |out| {
        writeln!(out, r#"{{"document": {{"id": "d", "document": {{"markings": 3}}}}}}"#).unwrap();
        out.write_all(br#"{"answer": {"id": "OneSafe", "value": "TRUE", "shown_by": ["#).unwrap();
        repeat(out, 100_000, |_| r#"{"document": "d"}"#.to_owned());
        writeln!(out, "]}}}}").unwrap();
    });
    kinds.expect(
        "100 000 times one reference",
        AuditLimits::None,
        often,
        4,
        &["jsonl:3", "not shown"],
    );
    let unknown = Instance::of(MODEL, "OneSafe", |out| {
        out.write_all(br#"{"answer": {"id": "OneSafe", "value": "TRUE", "shown_by": ["#).unwrap();
        repeat(out, 100_000, |at| format!(r#"{{"document": "d{at}"}}"#));
        writeln!(out, "]}}}}").unwrap();
    });
    kinds.expect(
        "100 000 references",
        AuditLimits::None,
        unknown,
        4,
        &["document `d0`", "no earlier line"],
    );
    kinds.assert_all(8);
}
