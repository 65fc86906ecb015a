//! Inputs that the auditor once read differently from the prover, by kind: each answer is
//! confirmed.

use crate::grammars::{audit, evidence};
use parikh::evidence::audit::{Audit, AuditVerdict};
use parikh::evidence::reader::{self, FormulaLanguage};
use parikh::input;
use std::path::Path;

/// Returns the prover's answers, after asserting that the auditor confirms each.
#[track_caller]
fn confirmed(model: &str, texts: &[&str]) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let (file, proofs) = (directory.path().join("model"), directory.path().join("Formulas.jsonl"));
    std::fs::write(&file, model).unwrap();
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let written = evidence(&input::read_model(&file).unwrap(), &texts);
    std::fs::write(&proofs, written).unwrap();
    let mut judged = audit(model.as_bytes(), &texts, &proofs).judged;
    judged.sort_by(|one, other| one.id.cmp(&other.id));
    for judged in &judged {
        assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
    }
    assert_eq!(judged.len(), texts.len(), "{judged:?}");
    judged.into_iter().map(|judged| judged.value).collect()
}

fn query(id: &str, formula: &str) -> String {
    format!("<property><id>{id}</id><formula>{formula}</formula></property>")
}

fn queries(all: &[String]) -> String {
    format!("<property-set>{}</property-set>", all.concat())
}

/// Three tokens move from `in` over `work` to `out`.
const LINE: &str = "net line\nplace in 3\nplace work\nplace out\n\
                    transition begin: in -> work\ntransition end: work -> out";

fn tokens(place: &str) -> String {
    format!("<tokens-count><place>{place}</place></tokens-count>")
}

fn constant(number: i64) -> String {
    format!("<integer-constant>{number}</integer-constant>")
}

#[test]
fn differences_products_and_nested_sums_of_query_files_are_audited() {
    let difference = |a: &str, b: &str| format!("<integer-difference>{a}{b}</integer-difference>");
    let product = |a: &str, b: &str| format!("<integer-product>{a}{b}</integer-product>");
    let sum = |parts: &[String]| format!("<integer-sum>{}</integer-sum>", parts.concat());
    let ef = |inside: &str| format!("<exists-path><finally>{inside}</finally></exists-path>");
    let equal = |a: &str, b: &str| format!("<integer-eq>{a}{b}</integer-eq>");
    let all = sum(&[tokens("in"), sum(&[tokens("work"), tokens("out")])]);
    let texts = [
        ef(&equal(&difference(&tokens("in"), &tokens("out")), &constant(-3))),
        ef(&equal(&difference(&tokens("in"), &tokens("out")), &constant(-4))),
        ef(&equal(&all, &constant(4))),
        ef(&equal(&product(&product(&constant(2), &constant(2)), &all), &constant(12))),
        ef(&equal(&difference(&constant(7), &product(&tokens("out"), &constant(2))), &constant(1))),
    ];
    let texts = texts.map(|formula| queries(&[query("q", &formula)]));
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    assert_eq!(confirmed(LINE, &texts), ["TRUE", "FALSE", "FALSE", "TRUE", "TRUE"]);
}

#[test]
fn equivalences_are_read_by_both_without_writing_their_operands_twice() {
    let texts = [
        "AG ((in >= 1 xor work >= 1) -> in + work + out = 3)",
        "AG !((in >= 4 <-> !deadlock) <-> (out = 3 xor deadlock))",
        "EF !(in = 3 <-> (work = 0 xor out >= 1))",
        "(EF in = 0) xor (EF out = 4)",
    ];
    assert_eq!(confirmed(LINE, &texts).len(), 4);
}

#[test]
fn combinations_decided_by_the_initial_marking_are_confirmed() {
    // In the only marking, both transitions are enabled and change nothing.
    let turning = "net n\nplace p 1\ntransition t: p -> p\ntransition u: p -> p";
    let texts = [
        "A (!(p = 1 U fires(t) implies (2*p - 1 - p > p xor fires(t))) && !(!fireable(t) or fires(t)))",
        "E (fires(t) || !fires(t) && fireable(t))",
        "(A F fires(t)) xor (E G !fires(t))",
        "!((A X fires(t)) xor (E X fires(u)))",
    ];
    assert_eq!(confirmed(turning, &texts).len(), 4);
}

#[test]
fn a_run_may_add_tokens_where_only_what_the_formula_does_not_need_depends_on_them() {
    let growing = "net n\nplace p 1\nplace q\ntransition t: p -> p + q\ntransition u: 2*q -> q";
    let texts = ["A X ((fireable(t) xor q >= 9) U F fires(u))"];
    assert_eq!(confirmed(growing, &texts), ["FALSE"]);
}

#[test]
fn markings_visited_for_cases_of_a_property_are_visited_for_the_whole() {
    let net = "net n\nplace p 1\nplace q 1\nplace r 1\ntransition t: r -> q\ntransition u: r ->";
    let texts = [
        "E !(enabled(u, t) && (p >= p - q || fireable(t)) <-> (p = p xor fires(t, u)) && enabled(t, u) U deadlock)",
    ];
    assert_eq!(confirmed(net, &texts).len(), 1);
}

#[test]
fn a_colour_that_never_has_a_token_is_known_to_the_auditor() {
    let model = crate::support::coloured::write(
        &parikh::net::coloured::text::parse(
            "net n\nsort Light = {red, green, blue}\nsort Pair = Light * Light\nvar x: Light\n\
             place p: Light = {red + green}\nplace q: Light\nplace r: Pair\n\
             transition t: p{x} -> q{x}",
        )
        .unwrap(),
    );
    let texts = [
        "EF p(blue) >= 1",
        "AG p(blue) + q(red) <= 1",
        "bound(q(blue))",
        "EF r(red,blue) >= 1",
        "f = reachable (q equals {1*[red], 1*[green]})",
        "f = invariant (q contains {1*[blue]})",
    ];
    let values = confirmed(&model, &texts);
    assert_eq!(values, ["FALSE", "TRUE", "0", "FALSE", "TRUE", "FALSE"]);
}

#[test]
fn both_readers_decompose_nested_path_quantifiers() {
    let texts = ["AG in <= 3 && X work = 1", "E (F out = 3 && AG in <= 3)", "A (EF out = 3)"];
    assert_eq!(confirmed(LINE, &texts), ["TRUE", "TRUE", "TRUE"]);
}

#[test]
fn formulas_with_equal_ids_are_distinguished_by_their_order() {
    let reached = |place: &str, number: i64| {
        let inside = format!("<integer-eq>{}{}</integer-eq>", tokens(place), constant(number));
        format!("<exists-path><finally>{inside}</finally></exists-path>")
    };
    let id = "default-name";
    let file = queries(&[
        query(id, &reached("out", 3)),
        query(id, &reached("out", 4)),
        query("default-name-2", &reached("work", 1)),
        query(id, &reached("in", 4)),
    ]);
    let expected = [
        (id, "TRUE"),
        ("default-name-2", "TRUE"),
        ("default-name-3", "FALSE"),
        ("default-name-4", "FALSE"),
    ];
    let directory = crate::support::binary::TestDirectory::with(LINE);
    directory.write("q.xml", &file);
    let asked = ["check", "model.pnml", "-e", "RC", "--queries", "q.xml", "--evidence", "out"];
    let said = directory.succeeds(&asked);
    for (id, value) in expected {
        assert!(said.contains(&format!("{id}: {value} ")), "{said}");
    }
    let model = std::fs::read(directory.at("model.pnml")).unwrap();
    let verdicts = verdicts(&model, &file, &directory.at("out/ReachabilityCardinality.jsonl"));
    assert_eq!(verdicts.len(), 4);
    for verdict in verdicts {
        assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{verdict:?}");
    }
}

fn verdicts(model: &[u8], queries: &str, proofs: &Path) -> Vec<AuditVerdict> {
    let net = reader::read_model(model).unwrap().net.into_plain().unwrap();
    let asked = |_: &str| {
        let questions =
            reader::read_questions(&net, queries.as_bytes(), FormulaLanguage::Detected, false);
        questions.map_err(|error| error.to_string())
    };
    let mut audit = Audit::new(&net, 1_000, Box::new(asked));
    audit.file(proofs).unwrap();
    audit.finish().judged.into_iter().map(|it| it.verdict).collect()
}

#[test]
fn encodings_other_than_utf_8_are_read_by_both() {
    let text = |encoding: &str| {
        format!(
            "<?xml version=\"1.0\" encoding=\"{encoding}\"?><pnml><net id=\"n\" \
             type=\"http://www.pnml.org/version-2009/grammar/ptnet\"><page id=\"g\"><place id=\"p~\">\
             <initialMarking><text>1</text></initialMarking></place><place id=\"q\"/><transition id=\"t\"/>\
             <arc id=\"a\" source=\"p~\" target=\"t\"/><arc id=\"b\" source=\"t\" target=\"q\"/></page></net></pnml>"
        )
    };
    // The byte of a euro sign in this encoding, which is not valid UTF-8.
    for (encoding, byte) in [
        ("windows-1252", 0x80),
        ("ISO-8859-15", 0xA4),
        ("ISO-8859-1", 0x80),
        ("latin1", 0xE9),
        ("windows-1251", 0xE9),
        ("koi8-r", 0xC1),
        ("us-ascii", b'x'),
        ("utf-16", b'x'),
    ] {
        let bytes: Vec<u8> =
            text(encoding).bytes().map(|it| if it == b'~' { byte } else { it }).collect();
        let own = reader::read_model(&bytes).unwrap_or_else(|error| panic!("{encoding}: {error}"));
        let other = input::read_net_from(&bytes[..], "f").unwrap();
        let name = |net: &parikh::net::Net| net.place_name(parikh::net::PlaceId::new(0)).to_owned();
        assert_eq!(name(own.net.core()), name(&other), "{encoding}");
    }
    let wide: Vec<u8> =
        text("utf-16").replace('~', "é").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(reader::read_model(&wide).is_ok());
    assert!(reader::read_model(&text("klingon").into_bytes()).is_err());
    let broken: Vec<u8> =
        text("utf-8").bytes().map(|it| if it == b'~' { 0xE9 } else { it }).collect();
    assert!(reader::read_model(&broken).is_err());
}

#[test]
fn a_conjunction_is_confirmed_if_its_parts_have_proofs_of_different_kinds() {
    // An inductive set proves b ≤ 3: `burst` is never enabled. The state equation with the lower
    // bound stock ≥ 2 proves taken ≤ given.
    let net = "place raw 4\nplace a\nplace b\nplace stock 2\nplace taken\nplace given
        transition react: 4*raw -> a + 3*b\ntransition burst: 2*a + b -> 3*a + 2*b
        transition back_a: a -> raw\ntransition back_b: b -> raw
        transition take: b + 3*stock -> b + 2*stock + taken
        transition give: stock -> 2*stock + given";
    let texts = ["AG (b <= 3 && taken <= given)", "(AG b <= 3) && AG taken <= given"];
    assert_eq!(confirmed(net, &texts), ["TRUE", "TRUE"]);
}

#[test]
fn an_argument_about_a_part_of_a_question_may_suffice_for_all_of_it() {
    let net = "place p 1\nplace q\nplace r\ntransition t: q -> r\ntransition u: p -> p + r";
    let texts = ["A (G !fires(t) && F G !fires(t))", "E (fires(t) || G F fires(t))"];
    assert_eq!(confirmed(net, &texts), ["TRUE", "FALSE"]);
}

#[test]
fn line_breaks_in_names_are_written_with_a_backslash() {
    let net = "<pnml><net id='n' type='http://www.pnml.org/version-2009/grammar/ptnet'>
        <place id='n1'><name><text>To\npay</text></name>
        <initialMarking><text>1</text></initialMarking></place>
        <transition id='n2'><name><text>Pay\ninvoice</text></name></transition>
        <arc id='a' source='n1' target='n2'/></net></pnml>";
    let texts = [r#"F fires("Pay\ninvoice")"#, r#"EF "To\npay" >= 2"#];
    assert_eq!(confirmed(net, &texts), ["TRUE", "FALSE"]);
}
