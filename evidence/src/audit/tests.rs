mod formulas;
mod runs;

use super::*;
use crate::certificate::markings::visit;
use crate::question::AnswerValue;
use crate::reader::{pnml, queries};
use parikh_generate::{Shape, random, random_predicate};
use parikh_net::{FiringSequence, Marking, Predicate, text};
use serde_json::json;
use std::fmt::Write as _;
use std::io::Write as _;

const MUTEX: &str = "net mutex
    place idle1 1
    place idle2 1
    place lock 1
    place in1
    place in2
    transition enter1: idle1 + lock -> in1
    transition leave1: in1 -> idle1 + lock
    transition enter2: idle2 + lock -> in2
    transition leave2: in2 -> idle2 + lock";

/// A net with a place that grows, a place that is used up, and a place that stays constant.
const SOURCE: &str = "net source
    place p 3
    place q
    place r 1
    transition move: p + r -> q + r
    transition grow: r -> q + r";

/// Audits a file with these lines. Returns the verdicts, and the error if the file is invalid.
fn audit(
    net: &Net,
    queries: &str,
    examination: &str,
    lines: &str,
) -> (Vec<AuditedAnswer>, Option<EvidenceFileError>) {
    let (places, transitions) = (net.place_count(), net.transition_count());
    let name = net.name();
    let head = format!(
        "{{\"evidence\": {{\"format\": \"{FORMAT}\", \"net\": \"{name}\", \"places\": {places}, \
         \"transitions\": {transitions}, \"examination\": \"{examination}\"}}}}\n"
    );
    audit_bytes(net, queries, format!("{head}{lines}").as_bytes())
}

fn audit_bytes(
    net: &Net,
    queries: &str,
    bytes: &[u8],
) -> (Vec<AuditedAnswer>, Option<EvidenceFileError>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let read = move |_: &str| queries::read(net, queries.as_bytes()).map_err(|e| e.to_string());
    let mut audit = Audit::new(net, 100, Box::new(read));
    let broken = audit.file(file.path()).err();
    let report = audit.finish();
    (report.judged, broken.or(report.cut_short.into_iter().next()))
}

/// Asserts that the file is read to the end, and that its only answer is confirmed, or refused with
/// a reason that contains `refused`.
fn check(net: &str, queries: &str, examination: &str, lines: &str, refused: Option<&str>) {
    let net = text::parse(net).unwrap();
    let (judged, broken) = audit(&net, queries, examination, lines);
    assert_eq!(broken, None);
    let [answer] = &*judged else { panic!("{judged:?}") };
    match (&answer.verdict, refused) {
        (AuditVerdict::Confirmed(_), None) => {}
        (AuditVerdict::Refused(why), Some(part)) => assert!(why.contains(part), "{why}"),
        (verdict, _) => panic!("{verdict:?}\n{lines}"),
    }
}

fn confirmed(net: &str, examination: &str, lines: &str) {
    check(net, "", examination, lines, None);
}

fn refused(net: &str, examination: &str, lines: &str, why: &str) {
    check(net, "", examination, lines, Some(why));
}

fn answer(id: &str, value: &str, shown_by: &str) -> String {
    format!(
        "{{\"answer\": {{\"id\": \"{id}\", \"value\": \"{value}\", \"evidence\": \"replayed\", \"shown_by\": [{shown_by}]}}}}\n"
    )
}

fn trace(steps: &str) -> String {
    format!("{{\"trace\": {{\"id\": \"w\", \"steps\": [{steps}]}}}}\n")
}

/// Returns a document for which this number of markings has to be visited.
fn document(markings: u64) -> String {
    format!("{{\"document\": {{\"id\": \"d\", \"document\": {{\"markings\": {markings}}}}}}}\n")
}

const BY_TRACE: &str = "{\"trace\": \"w\"}";
const BY_DOCUMENT: &str = "{\"document\": \"d\"}";

#[test]
fn one_safe() {
    let safe = answer("OneSafe", "TRUE", BY_DOCUMENT);
    confirmed(MUTEX, "OneSafe", &(document(3) + &safe));
    // A sum of tokens that no firing increases bounds each place.
    let bounded = |sums: &[&[&str]]| {
        let step = |places: &&[&str]| {
            let weights: Vec<_> = places.iter().map(|place| (place, 1)).collect();
            let bound = |place| json!({"place": place, "upper": true, "tokens": 1});
            let bounds: Vec<_> = places.iter().map(bound).collect();
            json!({"weighted": {"weights": weights, "bounds": bounds}})
        };
        let steps: Vec<_> = sums.iter().map(step).collect();
        let bounds = json!({"assumes_units": false, "steps": steps});
        format!("{}\n", json!({"document": {"id": "d", "document": {"bounds": bounds}}}))
    };
    let sums = [&["lock", "in1", "in2"][..], &["idle2", "in2"], &["idle1", "in1"]];
    confirmed(MUTEX, "OneSafe", &(bounded(&sums) + &safe));
    refused(MUTEX, "OneSafe", &(bounded(&sums[..2]) + &safe), "idle1");
    refused(MUTEX, "OneSafe", &(bounded(&[&["in1", "in2"]]) + &safe), "increases the weighted sum");
    refused(MUTEX, "OneSafe", &(document(4) + &safe), "3 markings are reachable, not 4");
    let unsafe_ = answer("OneSafe", "FALSE", BY_TRACE);
    let two = |steps: &str| trace(steps) + &unsafe_;
    confirmed("place p 1\nplace q\ntransition t: p -> 2*q", "OneSafe", &two("[\"t\", 1]"));
    refused(MUTEX, "OneSafe", &two("[\"enter1\", 1]"), "a reachable marking with");
    refused(MUTEX, "OneSafe", &two("[\"enter1\", 2]"), "not enabled");
    // The initial marking needs no trace, and a tautology no proof.
    confirmed("place p 2", "OneSafe", &answer("OneSafe", "FALSE", ""));
    confirmed("", "OneSafe", &answer("OneSafe", "TRUE", ""));
    refused("", "OneSafe", &answer("OneSafe", "FALSE", ""), "no statement about the net");
    refused(MUTEX, "OneSafe", &answer("OneSafe", "TRUE", ""), "a proof that");
    // No other marking is reachable from a dead marking.
    confirmed("place p 1", "OneSafe", &answer("OneSafe", "TRUE", ""));
}

#[test]
fn reachability_deadlock() {
    let never = answer("ReachabilityDeadlock", "FALSE", BY_DOCUMENT);
    confirmed(MUTEX, "ReachabilityDeadlock", &(document(3) + &never));
    let stuck = MUTEX.replace("-> idle2 + lock", "-> idle2");
    refused(&stuck, "ReachabilityDeadlock", &(document(4) + &never), "no transition enabled");
    let dead = answer("ReachabilityDeadlock", "TRUE", "{\"trace\": \"w\", \"after\": 2}");
    let both = trace("[\"t\", 1], [\"u\", 1]") + &dead;
    let ring = "place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p";
    refused(ring, "ReachabilityDeadlock", &both, "no transition enabled");
    confirmed(&ring.replace("-> p", "->"), "ReachabilityDeadlock", &both);
}

#[test]
fn quasi_liveness() {
    let live = answer("QuasiLiveness", "TRUE", BY_TRACE);
    let three = "[\"enter1\", 1], [\"leave1\", 1], [\"enter2\", 1]";
    confirmed(MUTEX, "QuasiLiveness", &(trace(three) + &live));
    refused(MUTEX, "QuasiLiveness", &(trace("[\"enter1\", 1]") + &live), "`leave2` enabled");
    let net = format!("{MUTEX}\ntransition both: in1 + in2 -> in1 + in2");
    let some = answer("QuasiLiveness", "FALSE", BY_DOCUMENT);
    confirmed(&net, "QuasiLiveness", &(document(3) + &some));
    refused(MUTEX, "QuasiLiveness", &(document(3) + &some), "a proof that");
    refused(&net, "QuasiLiveness", &(trace(three) + &live), "`both` enabled");
}

#[test]
fn stable_marking() {
    let moving = answer("StableMarking", "FALSE", BY_TRACE);
    let three = trace("[\"enter1\", 1], [\"leave1\", 1], [\"enter2\", 1]");
    confirmed(MUTEX, "StableMarking", &(three.clone() + &moving));
    let one = trace("[\"enter1\", 1], [\"leave1\", 1]");
    refused(MUTEX, "StableMarking", &(one + &moving), "idle2");
    let stable = answer("StableMarking", "TRUE", BY_DOCUMENT);
    let net = "net n\nplace p 1\nplace q 1\ntransition t: p + q -> p";
    confirmed(net, "StableMarking", &(document(2) + &stable));
    refused(&net.replace("-> p", "->"), "StableMarking", &(document(2) + &stable), "a proof that");
    refused(
        "",
        "StableMarking",
        &answer("StableMarking", "TRUE", ""),
        "no statement about the net",
    );
}

/// Returns a query file about the place `q`. It asks whether q ≥ 1 and q ≥ 3 are reachable, for the
/// maximum of q, and for Boolean combinations and nestings of such formulas.
fn formulas() -> String {
    let at_least = |n: u32| {
        format!(
            "<integer-le><integer-constant>{n}</integer-constant><tokens-count><place>q</place>\
             </tokens-count></integer-le>"
        )
    };
    let property = |id: &str, formula: &str| {
        format!("<property><id>{id}</id><formula>{formula}</formula></property>")
    };
    let ef = |inside: &str| format!("<exists-path><finally>{inside}</finally></exists-path>");
    let never = |inside: &str| {
        format!("<all-paths><globally><negation>{inside}</negation></globally></all-paths>")
    };
    let list = [
        property("ef1", &ef(&at_least(1))),
        property("ef3", &ef(&at_least(3))),
        property("ag3", &never(&at_least(3))),
        property("most", "<place-bound><place>q</place></place-bound>"),
        property("now", &at_least(1)),
        property(
            "next",
            &format!(
                "<exists-path><globally><finally>{}</finally></globally></exists-path>",
                ef("<true/>")
            ),
        ),
        property(
            "both",
            &format!("<conjunction>{}{}</conjunction>", ef(&at_least(1)), never(&at_least(3))),
        ),
        property(
            "either",
            &format!("<disjunction>{}{}</disjunction>", ef(&at_least(3)), never(&at_least(1))),
        ),
        property(
            "stays",
            &format!("<all-paths><globally>{}</globally></all-paths>", ef(&at_least(2))),
        ),
    ];
    format!("<property-set>{}</property-set>", list.concat())
}

/// Returns the lines of evidence that a prover would write for the goals, with the index of the
/// goal as the id.
fn evidence_for(net: &Net, found: &[(Marking, FiringSequence)], goals: &[Predicate]) -> String {
    let mut lines = String::new();
    for (index, goal) in goals.iter().enumerate() {
        let line = match found.iter().find(|(m, _)| goal.holds(net, m)) {
            Some((_, way)) => {
                let step = |step: &parikh_net::FiringStep| {
                    json!([net.transition_name(step.transition), step.count])
                };
                let steps: Vec<_> = way.steps().iter().map(step).collect();
                json!({"trace": {"id": index.to_string(), "steps": steps}})
            }
            None => {
                let markings = json!({"markings": found.len()});
                json!({"document": {"id": index.to_string(), "document": markings}})
            }
        };
        let _ = writeln!(lines, "{line}");
    }
    lines
}

/// Returns the verdict on the only answer of `lines`, to the question `f`.
fn judged(net: &Net, question: &Question, lines: &str) -> AuditedAnswer {
    let property = || AuditedProperty { id: "f".to_owned(), question: Ok(question.clone()) };
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let head = json!({"evidence": {"format": FORMAT, "net": net.name(),
        "places": net.place_count(), "transitions": net.transition_count(),
        "examination": "Some"}});
    write!(file, "{head}\n{lines}").unwrap();
    let mut audit = Audit::new(net, 60, Box::new(|_| Ok(vec![property()])));
    audit.file(file.path()).unwrap();
    audit.finish().judged.remove(0)
}

#[test]
fn formulas_and_bounds() {
    let small = "net small\nplace p 2\nplace q\ntransition t: p -> q";
    let judge = |id: &str, value: &str, evidence: &str, shown_by: &str, why: Option<&str>| {
        let lines = evidence.to_owned() + &answer(id, value, shown_by);
        check(small, &formulas(), "Some", &lines, why);
    };
    let twice = trace("[\"t\", 2]");
    let proof = document(3);
    judge("ef1", "TRUE", &twice, BY_TRACE, None);
    judge("ef1", "TRUE", &twice, "{\"trace\": \"w\", \"after\": 1}", None);
    judge("ef1", "TRUE", &twice, "{\"trace\": \"w\", \"after\": 0}", Some("a reachable marking"));
    judge("ef1", "TRUE", &twice, "{\"trace\": \"w\", \"after\": 3}", Some("ends after 2"));
    judge("ef1", "TRUE", &twice, "{\"trace\": \"v\"}", Some("no earlier line `trace`"));
    judge("ef3", "TRUE", &twice, BY_TRACE, Some("a reachable marking"));
    judge("ef3", "FALSE", &proof, BY_DOCUMENT, None);
    judge("ef1", "FALSE", &proof, BY_DOCUMENT, Some("a proof that"));
    judge("ag3", "TRUE", &proof, BY_DOCUMENT, None);
    judge("ag3", "TRUE", &twice, BY_TRACE, Some("a proof that"));
    judge("ag3", "FALSE", &twice, BY_TRACE, Some("a reachable marking"));
    let both = [BY_TRACE, BY_DOCUMENT].join(",");
    judge("most", "2", &(twice.clone() + &proof), &both, None);
    judge("most", "1", &(twice.clone() + &proof), &both, Some("has `q` ≥ 2"));
    judge("most", "2", &twice, BY_TRACE, Some("has `q` ≥ 3"));
    judge("most", "2", &proof, BY_DOCUMENT, Some("a reachable marking"));
    judge("most", "3", &(twice.clone() + &proof), &both, Some("a reachable marking"));
    judge("most", "TRUE", &twice, BY_TRACE, Some("a number"));
    judge("most", "2.0", &twice, BY_TRACE, Some("not a value"));
    judge("ef1", "1", &twice, BY_TRACE, Some("TRUE or FALSE"));
    judge("now", "FALSE", "", "", None);
    judge("now", "TRUE", &twice, BY_TRACE, Some("the question: FALSE"));
    judge("other", "TRUE", &twice, BY_TRACE, Some("no such question"));
    let net = text::parse(small).unwrap();
    let (judged, _) = audit(&net, &formulas(), "Some", &answer("next", "TRUE", ""));
    assert!(matches!(judged[0].verdict, AuditVerdict::Unsupported(_)));
    // A question has one answer, unless the first one is withdrawn.
    let [first, second] = [answer("ef1", "FALSE", ""), answer("ef1", "TRUE", BY_TRACE)];
    let two =
        format!("{}{first}{{\"withdrawn\": {{\"id\": \"ef1\"}}}}\n{second}", trace("[\"t\", 2]"));
    check(small, &formulas(), "Some", &two, None);
    let two = trace("[\"t\", 2]") + &first + &second;
    check(small, &formulas(), "Some", &two, Some("a proof that"));
}

#[test]
fn infinite_bounds() {
    let pump = |prefix: &str, pump: &str| {
        format!("{{\"pump\": {{\"id\": \"w\", \"prefix\": [{prefix}], \"pump\": [{pump}]}}}}\n")
            + &answer("most", "+inf", "{\"pump\": \"w\"}")
    };
    let judge = |lines: &str, why| check(SOURCE, &formulas(), "Some", lines, why);
    judge(&pump("[\"move\", 3]", "[\"grow\", 1]"), None);
    judge(&pump("", "[\"grow\", 7]"), None);
    judge(&pump("", "[\"move\", 1]"), Some("loses tokens"));
    judge(&pump("[\"grow\", 1]", ""), Some("increases the sum"));
    judge(&pump("[\"move\", 4]", "[\"grow\", 1]"), Some("not enabled"));
    judge(&answer("most", "+inf", ""), Some("increases the sum"));
    let other = pump("", "[\"grow\", 1]").replace("+inf", "3");
    judge(&other, Some("a reachable marking"));
}

#[test]
fn only_repeated_searches_confirm_an_answer() {
    let net = text::parse(MUTEX).unwrap();
    let judge = |markings: u64, stubborn: bool, value: &str| {
        let lines = answer("ReachabilityDeadlock", value, "").replace(
            "\"shown_by\"",
            &format!(
                "\"searched\": {{\"markings\": {markings}, \"stubborn\": {stubborn}}}, \"shown_by\""
            ),
        );
        audit(&net, "", "ReachabilityDeadlock", &lines).0.remove(0).verdict
    };
    assert!(matches!(judge(3, false, "FALSE"), AuditVerdict::Confirmed(_)));
    assert!(matches!(judge(2, true, "FALSE"), AuditVerdict::Confirmed(_)));
    assert!(
        matches!(judge(2, false, "FALSE"), AuditVerdict::Confirmed(_)),
        "of a smaller net, say"
    );
    assert!(matches!(judge(101, false, "FALSE"), AuditVerdict::Searched(_)));
    assert!(matches!(judge(3, false, "TRUE"), AuditVerdict::Refused(_)));
    let dying = text::parse(&MUTEX.replace("-> idle2 + lock", "-> idle2")).unwrap();
    let line = answer("ReachabilityDeadlock", "FALSE", "").replace(
        "\"shown_by\"",
        "\"searched\": {\"markings\": 5, \"stubborn\": false}, \"shown_by\"",
    );
    let verdict = audit(&dying, "", "ReachabilityDeadlock", &line).0.remove(0).verdict;
    assert!(
        matches!(&verdict, AuditVerdict::Refused(why) if why.contains("not true")),
        "{verdict:?}"
    );
    // Here one of several claims suffices, and another one is false.
    let net = text::parse("net n\nplace p 1\nplace q\nplace r\ntransition t: p -> q").unwrap();
    let line = answer("StableMarking", "TRUE", "").replace(
        "\"shown_by\"",
        "\"searched\": {\"markings\": 2, \"stubborn\": false}, \"shown_by\"",
    );
    let verdict = audit(&net, "", "StableMarking", &line).0.remove(0).verdict;
    assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{verdict:?}");
}

#[test]
fn assumptions_are_declared_and_not_broken() {
    let model = |transition: &str| {
        let file = format!(
            "<pnml><net id='n'><place id='p'><initialMarking><text>1</text></initialMarking></place>
             <place id='q'/><transition id='t'/><arc source='p' target='t'/>
             <arc source='t' target='q'>{transition}</arc><toolspecific tool='nupn'>
             <structure units='1' root='u' safe='true'><unit id='u'><places>p q</places></unit>
             </structure></toolspecific></net></pnml>"
        );
        pnml::read(file.as_bytes()).unwrap().net
    };
    let steps = json!([{"safe_units": ["p", "q"]}]);
    let bounds = json!({"bounds": {"assumes_units": true, "steps": steps}});
    let document = format!("{}\n", json!({"document": {"id": "d", "document": bounds}}));
    let plain = document.clone() + &answer("OneSafe", "TRUE", BY_DOCUMENT);
    let declared = plain.replace("\"shown_by\"", "\"assumes\": [\"units\"], \"shown_by\"");
    let safe = model("");
    let verdict = |net: &Net, lines: &str| audit(net, "", "OneSafe", lines).0.remove(0);
    let judged = verdict(&safe, &declared);
    assert!(
        matches!(judged.verdict, AuditVerdict::Confirmed(_)) && judged.assumes_units,
        "{judged:?}"
    );
    assert!(matches!(verdict(&safe, &plain).verdict, AuditVerdict::Refused(_)));
    // A claim that is false in a marking the auditor visits, and a claim that the trace of another
    // answer violates.
    let broken = model("<inscription><text>2</text></inscription>");
    let verdict = verdict(&broken, &declared).verdict;
    assert!(
        matches!(&verdict, AuditVerdict::Refused(why) if why.contains("hold 2 tokens")),
        "{verdict:?}"
    );
    let file = |examination: &str, lines: &str| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(
            file,
            "{{\"evidence\": {{\"format\": \"{FORMAT}\", \"net\": \"n\", \"places\": 2, \
             \"transitions\": 1, \"examination\": \"{examination}\"}}}}\n{lines}"
        )
        .unwrap();
        file
    };
    let first = file("OneSafe", &declared);
    let second = file(
        "ReachabilityDeadlock",
        &(trace("[\"t\", 1]") + &answer("ReachabilityDeadlock", "TRUE", BY_TRACE)),
    );
    let mut audit = Audit::new(&broken, 100, Box::new(|_| Err(String::new())));
    audit.file(first.path()).unwrap();
    audit.file(second.path()).unwrap();
    let judged = audit.finish().judged;
    assert!(matches!(&judged[0].verdict, AuditVerdict::Refused(why) if why.contains("2 tokens")));
    assert!(matches!(judged[1].verdict, AuditVerdict::Confirmed(_)));
}

#[test]
fn counters_of_firings_are_capped_in_a_visit() {
    // The loop at p may fire forever, and u does not lead to the end: r stays marked.
    let loops = "net n\nplace p 1\nplace q\nplace r\ntransition t: p -> q\n\
                 transition u: p -> r\ntransition l: p -> p";
    let searched = |count: u64| {
        let line = answer("RelaxedSoundness", "FALSE", "");
        let by =
            format!("\"searched\": {{\"markings\": {count}, \"stubborn\": false}}, \"shown_by\"");
        line.replace("\"shown_by\"", &by)
    };
    let verdict = |net: &str, last: [u64; 3]| {
        let net = text::parse(net).unwrap();
        let head = format!(
            "{{\"evidence\": {{\"format\": \"{FORMAT}\", \"net\": \"n\", \"places\": 6, \
             \"transitions\": 3, \"examination\": \"RelaxedSoundness\"}}}}\n"
        );
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all((head + &searched(3)).as_bytes()).unwrap();
        let audit = Audit::new(&net, 100, Box::new(|_| Err(String::new())));
        let mut audit = audit.with_final_markings(vec![Marking::new(last.to_vec())]);
        audit.file(file.path()).unwrap();
        audit.finish().judged.remove(0).verdict
    };
    let judged = verdict(loops, [0, 1, 0]);
    assert!(matches!(judged, AuditVerdict::Confirmed(_)), "{judged:?}");
    // If every transition leads to the end, the auditor finds that, too.
    let judged = verdict(&loops.replace("p -> r", "q -> q"), [0, 1, 0]);
    assert!(
        matches!(&judged, AuditVerdict::Refused(why) if why.contains("not true")),
        "{judged:?}"
    );
}

/// Returns a process of one step whose model claims that its two places form a safe unit.
fn process_with_a_unit(tokens: &str) -> Net {
    let file = format!(
        "<pnml><net id='n'><place id='i'>{tokens}</place><place id='o'/><transition id='t'/>
         <arc source='i' target='t'/><arc source='t' target='o'/><toolspecific tool='nupn'>
         <structure units='1' root='u' safe='true'><unit id='u'><places>i o</places></unit>
         </structure></toolspecific></net></pnml>"
    );
    pnml::read(file.as_bytes()).unwrap().net
}

#[test]
fn a_claim_for_one_case_does_not_apply_to_two() {
    let one = process_with_a_unit("<initialMarking><text>1</text></initialMarking>");
    let none = process_with_a_unit("");
    let steps = json!([{"safe_units": ["i", "o"]}]);
    let bounds = json!({"bounds": {"assumes_units": true, "steps": steps}});
    let document = format!("{}\n", json!({"document": {"id": "d", "document": bounds}}));
    let judge = |net: &Net, examination: &str, value: &str, lines: &str, shown: &str| {
        let answer = answer(examination, value, shown);
        let answer = answer.replace("\"shown_by\"", "\"assumes\": [\"units\"], \"shown_by\"");
        audit(net, "", examination, &(lines.to_owned() + &answer)).0.remove(0).verdict
    };
    // Two cases put two tokens on one place, and places outside of the claim are not safe.
    for (net, examination) in
        [(&one, "2-EasySoundness"), (&none, "EasySoundness"), (&none, "2-Soundness")]
    {
        let verdict = judge(net, examination, "FALSE", &document, BY_DOCUMENT);
        assert!(matches!(verdict, AuditVerdict::Refused(_)), "{examination}: {verdict:?}");
        // Evidence that violates no claim about this net is not a breach.
        let firings = if examination.starts_with('2') { 2 } else { 1 };
        if !examination.ends_with("-Soundness") {
            let way = trace(&format!("[\"t\", {firings}]"));
            let verdict = judge(net, examination, "TRUE", &way, BY_TRACE);
            assert!(matches!(verdict, AuditVerdict::Confirmed(_)), "{examination}: {verdict:?}");
        }
    }
    // The claim carries over to the net after a trace, and to no other marking.
    assert!(one.from_marking_after(&FiringSequence::new()).unwrap().safe_units().is_some());
    assert!(one.from_marking(Marking::new(vec![0, 2])).safe_units().is_none());
    assert!(one.from_marking(Marking::new(vec![0, 1])).safe_units().is_none());
    let mut way = FiringSequence::new();
    way.push(one.transition_named("t").unwrap(), 1);
    let there = one.from_marking_after(&way).unwrap();
    assert_eq!(there.safe_units().unwrap().safe_from().unwrap().tokens(), [0, 1]);
    way.push(one.transition_named("t").unwrap(), 1);
    assert!(one.from_marking_after(&way).is_err());
}

#[test]
fn questions_about_cases_are_judged_on_the_net_of_cases() {
    let net = text::parse(
        "net n\nplace i 1\nplace p\nplace o\ntransition t: i -> p\ntransition u: p -> o\ntransition v: p -> 2*o",
    )
    .unwrap();
    let head = |places: usize, examination: &str, name: &str| {
        format!(
            "{{\"evidence\": {{\"format\": \"{FORMAT}\", \"net\": \"n\", \"places\": {places}, \
             \"transitions\": 3, {name}\"examination\": \"{examination}\"}}}}\n"
        )
    };
    let long = format!("\"because\": \"{}\", ", "x".repeat(70_000));
    for (before, name) in [("", ""), ("\n", ""), (" \n\t\n", ""), ("", &*long)] {
        let verdict = |examination: &str, lines: &str| {
            let places = if examination == "RelaxedSoundness" { 6 } else { 3 };
            let file = format!("{before}{}{lines}", head(places, examination, name));
            audit_bytes(&net, "", file.as_bytes()).0.remove(0).verdict
        };
        let improper = trace("[\"t\", 1], [\"v\", 1]");
        let weak = |value| improper.clone() + &answer("WeakSoundness", value, BY_TRACE);
        let verdict_of = verdict("WeakSoundness", &weak("FALSE"));
        assert!(matches!(verdict_of, AuditVerdict::Confirmed(_)), "{verdict_of:?}");
        let verdict_of = verdict("WeakSoundness", &weak("TRUE"));
        assert!(matches!(verdict_of, AuditVerdict::Refused(_)), "{verdict_of:?}");
        let visited = json!({"structure": {"id": "s", "structure": {"visited": 4}}});
        let lines =
            format!("{visited}\n{}", answer("WeakSoundness", "TRUE", "{\"structure\": \"s\"}"));
        let verdict_of = verdict("WeakSoundness", &lines);
        assert!(matches!(verdict_of, AuditVerdict::Refused(_)), "{verdict_of:?}");
        // No run with v ends with a single token on `o`, so this trace does not suffice.
        let way = trace("[\"t\", 1], [\"u\", 1]") + &answer("RelaxedSoundness", "TRUE", BY_TRACE);
        let verdict_of = verdict("RelaxedSoundness", &way);
        assert!(matches!(verdict_of, AuditVerdict::Refused(_)), "{verdict_of:?}");
    }
    // The chosen final marking is used.
    let easy = answer("EasySoundness", "TRUE", "");
    let file = format!("\n{}{easy}", head(3, "EasySoundness", ""));
    let mut named = tempfile::NamedTempFile::new().unwrap();
    named.write_all(file.as_bytes()).unwrap();
    for (last, confirmed) in [([1, 0, 0], true), ([0, 0, 1], false)] {
        let audit = Audit::new(&net, 100, Box::new(|_| Err(String::new())));
        let mut audit = audit.with_final_markings(vec![Marking::new(last.to_vec())]);
        audit.file(named.path()).unwrap();
        let verdict = audit.finish().judged.remove(0).verdict;
        assert_eq!(matches!(verdict, AuditVerdict::Confirmed(_)), confirmed, "{verdict:?}");
    }
}

#[test]
fn a_repeated_search_also_checks_required_reachability() {
    // Tokens are left behind, and no document shows otherwise.
    let net = text::parse(
        "net n\nplace p0 1\nplace p1 1\nplace p2\ntransition t0: p0 -> p1 + p2
         transition t1: p0 -> p1\ntransition t2: p2 -> p1",
    )
    .unwrap();
    let last = Marking::new(vec![0, 2, 0]);
    for (examination, value, confirmed) in [
        ("Soundness", "FALSE", true),
        ("WeakSoundness", "FALSE", true),
        ("WeakSoundness", "TRUE", false),
    ] {
        let searched = "\"searched\": {\"markings\": 3, \"stubborn\": false}, \"shown_by\"";
        let line = answer(examination, value, "").replace("\"shown_by\"", searched);
        let head = json!({"evidence": {"format": FORMAT, "net": "n", "places": 3,
            "transitions": 3, "examination": examination}});
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "{head}\n{line}").unwrap();
        let audit = Audit::new(&net, 100, Box::new(|_| Err(String::new())));
        let mut audit = audit.with_final_markings(vec![last.clone()]);
        audit.file(file.path()).unwrap();
        let verdict = audit.finish().judged.remove(0).verdict;
        assert_eq!(matches!(verdict, AuditVerdict::Confirmed(_)), confirmed, "{verdict:?}");
        assert!(confirmed || matches!(verdict, AuditVerdict::Refused(_)), "{verdict:?}");
    }
}

#[test]
fn a_limit_of_a_visit_leaves_an_answer_open() {
    use super::visit_limits::open_because;
    use crate::Flaw;
    assert_eq!(open_because(Flaw::More(9)), Ok("more than 9 are reachable".to_owned()));
    let edges = Flaw::TooLarge("too many firings between markings".to_owned());
    assert_eq!(open_because(edges), Ok("there are too many firings between markings".to_owned()));
    assert!(open_because(Flaw::Overflow).is_err());
    assert!(open_because(Flaw::Stopped).is_err());
}

#[test]
fn weights_that_some_firing_increases_are_refused() {
    let net = "net n\nplace a 2\nplace b\ntransition t: a -> b\ntransition s: b -> 2*b";
    let lines = |place: &str| {
        let structure = json!({"id": "s", "structure": {"finitely": [[place, 1]]}});
        let line = json!({ "structure": structure });
        format!("{line}\n{}", answer("Liveness", "FALSE", "{\"structure\": \"s\"}"))
    };
    confirmed(net, "Liveness", &lines("a"));
    refused(net, "Liveness", &lines("b"), "structure `s`: ");
}

#[test]
fn numbers_have_one_spelling() {
    for (text, value) in
        [("0", Some(0)), ("17", Some(17)), ("007", None), ("+1", None), ("-1", None)]
    {
        assert_eq!(AnswerValue::read(text), value.map(AnswerValue::Number), "{text}");
    }
    let names = ["Soundness", "2-Soundness", "02-Soundness", "+2-Soundness", "1-Soundness"];
    assert_eq!(names.map(|name| cases::kind(name).is_some()), [true, true, false, false, false]);
}

#[test]
fn a_stopped_audit_confirms_nothing_further() {
    let net = text::parse(MUTEX).unwrap();
    let (places, transitions) = (net.place_count(), net.transition_count());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let head = json!({"evidence": {"format": FORMAT, "net": "mutex", "places": places,
        "transitions": transitions, "examination": "OneSafe"}});
    write!(file, "{head}\n{}{}", document(3), answer("OneSafe", "TRUE", BY_DOCUMENT)).unwrap();
    let watch = AuditWatch::default();
    let audit = Audit::new(&net, 100, Box::new(|_| Err(String::new())));
    let mut audit = audit.with_watch(watch.clone());
    watch.stop(ExhaustedLimit::Time);
    audit.file(file.path()).unwrap();
    let report = audit.finish();
    assert!(report.judged.is_empty(), "{:?}", report.judged);
    let (here, out_of) = report.stopped.unwrap();
    assert_eq!((here.line, out_of), (2, ExhaustedLimit::Time));
}

#[test]
fn a_wrong_net_or_invalid_line_ends_the_audit_of_a_file() {
    let net = text::parse(MUTEX).unwrap();
    let refused = |bytes: &str, line: u64, part: &str| {
        let (_, broken) = audit_bytes(&net, "", bytes.as_bytes());
        let broken = broken.expect(part);
        assert!(broken.line == line && broken.what.contains(part), "{broken}");
    };
    let head = |net: &str, places: &str, format: &str| {
        format!(
            "{{\"evidence\": {{\"format\": \"{format}\", \"net\": \"{net}\", \"places\": {places}, \
             \"transitions\": 4, \"examination\": \"OneSafe\"}}}}\n"
        )
    };
    let right = head("mutex", "5", FORMAT);
    refused("", 0, "the file is empty");
    refused("\n\n", 2, "the file is empty");
    refused(&head("mutes", "5", FORMAT), 1, "mutes");
    refused(&head("mutex", "6", FORMAT), 1, "6 places");
    refused(&head("mutex", "5", "parikh-evidence-1"), 1, "the format is");
    refused(&head("mutex", "1e400", FORMAT), 1, "column");
    refused(&head("mutex", "-5", FORMAT), 1, "column");
    refused(&trace(""), 1, "first");
    refused(&right.replace("OneSafe", "Some"), 1, "well-formed");
    refused(&(right.clone() + &right), 2, "second");
    refused(&(right.clone() + "\n{\"trace\": {\"id\": 5}}\n"), 3, "column");
    refused(&(right.clone() + "{\"other\": {}}\n"), 2, "column");
    refused(&(right.clone() + "{\"trace\": {\"id\": \"w\", \"st"), 2, "the file ends inside");
    refused(&(right.clone() + &trace("") + &trace("")), 3, "line 2");
    let deep = format!("{right}{{\"trace\": {}", "[".repeat(1_000_000));
    refused(&deep, 2, "");
    // An interrupted run is distinguished from an invalid file.
    for (rest, cut) in [("{\"trace\"", true), ("{\"trace\"\n", false), ("{]", false)] {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        write!(file, "{right}{rest}").unwrap();
        let mut audit = Audit::new(&net, 100, Box::new(|_| Err(String::new())));
        assert_eq!(audit.file(file.path()).is_ok(), cut, "{rest}");
        assert_eq!(audit.finish().cut_short.len(), usize::from(cut), "{rest}");
    }
    // An error inside a line is found when an answer refers to the line.
    let line = "{\"trace\": {\"id\": \"w\", \"steps\": [[\"enter1\", 1e99]]}}\n";
    let (judged, broken) =
        audit(&net, "", "OneSafe", &(line.to_owned() + &answer("OneSafe", "FALSE", BY_TRACE)));
    assert!(broken.is_none() && matches!(judged[0].verdict, AuditVerdict::Refused(_)));
}

#[test]
fn no_mutilated_file_panics_or_confirms_the_opposite() {
    let net = text::parse(MUTEX).unwrap();
    let lines = document(3)
        + &trace("[\"enter1\", 1], [\"leave1\", 1], [\"enter2\", 1]")
        + &answer("OneSafe", "TRUE", &[BY_DOCUMENT, BY_TRACE].join(","));
    let head = format!(
        "{{\"evidence\": {{\"format\": \"{FORMAT}\", \"net\": \"mutex\", \"places\": 5, \
         \"transitions\": 4, \"examination\": \"OneSafe\"}}}}\n"
    );
    let file = (head + &lines).into_bytes();
    assert!(matches!(audit_bytes(&net, "", &file).0[0].verdict, AuditVerdict::Confirmed(_)));
    let mut rng = fastrand::Rng::with_seed(1);
    for cut in 0..file.len() {
        audit_bytes(&net, "", &file[..cut]);
        let mut flipped = file.clone();
        flipped[cut] = *rng.choice(b"{}[]\",:-0159eatx\\\xFF \n").unwrap();
        for judged in audit_bytes(&net, "", &flipped).0 {
            let right = judged.id == "OneSafe" && judged.value == "TRUE";
            assert!(right || !matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}");
        }
    }
}

/// Returns a shortest firing sequence to each reachable marking, if there are few markings.
fn enumerate(net: &Net) -> Option<Vec<(Marking, FiringSequence)>> {
    visit(net, 60, |_| true).ok()?;
    let mut found = vec![(net.initial().clone(), FiringSequence::new())];
    let mut next = 0;
    while next < found.len() {
        for t in net.transitions() {
            let (mut marking, mut way) = found[next].clone();
            if net.fire(&mut marking, t).is_ok() && !found.iter().any(|(m, _)| *m == marking) {
                way.push(t, 1);
                found.push((marking, way));
            }
        }
        next += 1;
    }
    Some(found)
}

#[test]
fn evidence_confirms_true_answers_of_its_own_question_only() {
    let (mut right, mut foreign) = (0, 0);
    for seed in 0..400 {
        let net = random(seed, &Shape::small(seed));
        let Some(found) = enumerate(&net) else { continue };
        let mut rng = fastrand::Rng::with_seed(seed);
        let goals: Vec<Predicate> =
            (0..5).map(|_| random_predicate(&mut rng, &net, 2).sorted()).collect();
        let witness = |goal: &Predicate| found.iter().find(|(m, _)| goal.holds(&net, m));
        let lines = evidence_for(&net, &found, &goals);
        for (index, goal) in goals.iter().enumerate() {
            for (other, shown) in goals.iter().enumerate() {
                for value in [true, false] {
                    let sort = if witness(shown).is_some() { "trace" } else { "document" };
                    let by = format!("{{\"{sort}\": \"{other}\"}}");
                    let question =
                        Question::Reach { goals: vec![goal.clone()], all: true, then: true };
                    let line = answer("f", &AnswerValue::Holds(value).to_string(), &by);
                    let judged = judged(&net, &question, &format!("{lines}{line}"));
                    let confirmed = matches!(judged.verdict, AuditVerdict::Confirmed(_));
                    let truth = witness(goal).is_some();
                    assert!(!confirmed || truth == value, "{judged:?}");
                    if index == other {
                        assert_eq!(confirmed, truth == value, "{judged:?}");
                        right += usize::from(confirmed);
                    } else {
                        foreign += 1;
                    }
                }
            }
        }
    }
    assert!(right > 500 && foreign > 1000, "{right} {foreign}");
}
