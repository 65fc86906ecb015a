//! Questions about runs, and the evidence that their answers need.

use super::*;
use crate::no_run::{ExcludedPairs, Movers, NamedNoRun, NoRun, Reason};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_temporal::{AtomNames, AutomatonLimits, LinearTableau, Ltl, parse_ltl};

/// A queue: a customer waits, is served, and may wait again. Another customer takes turns that
/// change nothing, and may do so forever.
const QUEUE: &str = "net queue
    place waits 1
    place served
    place other 1
    transition serve: waits -> served
    transition again: served -> waits
    transition turn: other -> other";

fn at_least(place: &str, tokens: u32) -> String {
    format!(
        "<integer-le><integer-constant>{tokens}</integer-constant><tokens-count><place>{place}\
         </place></tokens-count></integer-le>"
    )
}

/// Returns a query file with formulas about all runs. `again`: served again and again. `never`: no
/// marking has two tokens on `served` and five tokens on `waits` do not follow. `some`: served at
/// some time. `twice`: never served. `now`: waiting at some time. `next`: served in the second
/// marking.
fn questions() -> String {
    let all = |id: &str, inside: &str| {
        format!(
            "<property><id>{id}</id><formula><all-paths>{inside}</all-paths></formula></property>"
        )
    };
    let served = at_least("served", 1);
    let list = [
        all("again", &format!("<globally><finally>{served}</finally></globally>")),
        all(
            "never",
            &format!(
                "<globally><implication>{}<next>{}</next></implication></globally>",
                at_least("served", 2),
                at_least("waits", 5)
            ),
        ),
        all("some", &format!("<finally>{served}</finally>")),
        all(
            "twice",
            &format!("<negation><finally><finally>{served}</finally></finally></negation>"),
        ),
        all("now", &format!("<finally>{}</finally>", at_least("waits", 1))),
        all("next", &format!("<next>{served}</next>")),
    ];
    format!("<property-set>{}</property-set>", list.concat())
}

fn lasso(prefix: &str, end: &str) -> String {
    format!("{{\"lasso\": {{\"id\": \"o\", \"prefix\": [{prefix}], {end}}}}}\n")
}

const BY_LASSO: &str = "{\"lasso\": \"o\"}";
const BY_NO_RUN: &str = "{\"no_run\": \"n\"}";

fn judge(id: &str, value: &str, evidence: &str, shown_by: &str, why: Option<&str>) {
    let lines = evidence.to_owned() + &answer(id, value, shown_by);
    check(QUEUE, &questions(), "Some", &lines, why);
}

#[test]
fn a_run_that_never_ends_shows_that_not_all_have_something() {
    let turning = lasso("[\"serve\", 1], [\"again\", 1]", "\"repeats\": [[\"turn\", 3]]");
    judge("again", "FALSE", &turning, BY_LASSO, None);
    judge("again", "TRUE", &turning, BY_LASSO, Some("that all runs satisfy A GF\"`served` ≥ 1\""));
    judge("again", "FALSE", "", "", Some("a run that violates A GF\"`served` ≥ 1\""));
    judge("some", "FALSE", &turning, BY_LASSO, Some("does not satisfy the property"));
    let serving = lasso("", "\"repeats\": [[\"serve\", 1], [\"again\", 1]]");
    judge("again", "FALSE", &serving, BY_LASSO, Some("does not satisfy the property"));
    let dead = lasso("", "\"dead\": true");
    judge("again", "FALSE", &dead, BY_LASSO, Some("is not dead"));
    let two = lasso("", "\"dead\": true, \"whatever\": true");
    judge("again", "FALSE", &two, BY_LASSO, Some("expected one of"));
    judge("again", "FALSE", &lasso("", "\"repeats\": [[\"go\", 1]]"), BY_LASSO, Some("`go`"));
    let whatever = lasso("[\"serve\", 1]", "\"whatever\": true");
    judge("twice", "FALSE", &whatever, BY_LASSO, None);
    judge("next", "FALSE", &lasso("[\"turn\", 1]", "\"whatever\": true"), BY_LASSO, None);
    // A trace suffices for a property of markings.
    judge("twice", "FALSE", &trace("[\"serve\", 1]"), BY_TRACE, None);
    judge("again", "FALSE", &trace("[\"turn\", 1]"), BY_TRACE, Some("a run that violates"));
    // The initial marking decides the question.
    judge("now", "TRUE", "", "", None);
    judge("now", "FALSE", &turning, BY_LASSO, Some("the question is not about runs"));
}

/// Returns the property of runs that the LTL formula `text` describes. Its atoms are `w` (waits ≥
/// 5) and `s` (served ≥ 2).
fn property(net: &Net, text: &str) -> RunProperty {
    let holds = |place, tokens| {
        RunAtom::Holds(Predicate::at_least(net.place_named(place).unwrap(), tokens))
    };
    let atoms = [holds("waits", 5), holds("served", 2)];
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    for name in ["w", "s"] {
        names.atom(name);
    }
    let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
    RunProperty::new(&formulas, formula, &atoms)
}

/// Returns an argument that no run has the property, if no reachable marking satisfies the
/// predicates in `given`.
fn argument(net: &Net, property: &RunProperty, given: Vec<Predicate>) -> String {
    let tableau =
        LinearTableau::new(property.formulas(), property.formula(), AutomatonLimits::default())
            .unwrap();
    let premises = crate::no_run::premises::Premises::new(property, &given);
    let mut refuted = Vec::new();
    for (state, edges) in tableau.automaton.states.iter().enumerate() {
        for (at, edge) in edges.iter().enumerate() {
            if let Some(premise) = premises.find_excluding(&edge.cube, &Predicate::True) {
                let by = Reason::Given(premise);
                refuted.push(ExcludedPairs { edge: (state, at), movers: Movers::All, reason: by });
            }
        }
    }
    let (documents, cover, rankings) = (Vec::new(), Vec::new(), Vec::new());
    let argument =
        NoRun { tableau, opening_steps: 0, documents, premises: given, refuted, cover, rankings };
    let line = NamedNoRun::of(net, property, &argument, &|_| unreachable!());
    let mut line = serde_json::to_value(line).unwrap();
    line["id"] = json!("n");
    format!("{}\n", json!({"no_run": line}))
}

#[test]
fn an_argument_shows_that_all_have_something_and_its_premises_are_duties() {
    let net = text::parse(QUEUE).unwrap();
    let two = Predicate::at_least(net.place_named("served").unwrap(), 2);
    let asked = property(&net, "F (s & X !w)");
    let no_run = argument(&net, &asked, vec![two.clone()]);
    let both = format!("{BY_DOCUMENT}, {BY_NO_RUN}");
    judge("never", "TRUE", &(no_run.clone() + &document(2)), &both, None);
    judge(
        "never",
        "TRUE",
        &no_run,
        BY_NO_RUN,
        Some(
            "that no reachable marking has `served` ≥ 2, a premise of the proof that all runs satisfy A G(",
        ),
    );
    judge("never", "TRUE", &document(2), BY_DOCUMENT, Some("that all runs satisfy A G("));
    judge("never", "FALSE", &(no_run.clone() + &document(2)), &both, Some("a run that violates"));
    judge("again", "TRUE", &no_run, BY_NO_RUN, Some("about another formula"));
    // Without the premise, the argument does not exclude the run.
    let bare = argument(&net, &asked, Vec::new());
    judge("never", "TRUE", &bare, BY_NO_RUN, Some("may stay forever in state"));
    // The argument may be about a more general property: under the premise, both are equivalent to
    // false.
    let more = argument(&net, &property(&net, "F s"), vec![two.clone()]);
    judge("never", "TRUE", &(more.clone() + &document(2)), &both, None);
    let nothing = argument(&net, &property(&net, "0"), vec![two.clone()]);
    judge("never", "TRUE", &(nothing.clone() + &document(2)), &both, None);
    judge("never", "TRUE", &nothing, BY_NO_RUN, Some("a premise of"));
    let less = argument(&net, &property(&net, "F (s & X X !w)"), vec![two.clone().negated()]);
    judge("never", "TRUE", &(less + &document(2)), &both, Some("no_run `n`"));
    // Two arguments, each about some of the runs.
    let many = Predicate::at_least(net.place_named("waits").unwrap(), 5);
    let with = Predicate::and([two.clone(), many.clone()]).sorted();
    let without = Predicate::and([two.clone(), many.negated()]).sorted();
    let one = argument(&net, &property(&net, "F (s & w & X !w)"), vec![with]);
    let other = argument(&net, &property(&net, "F (s & !w & X !w)"), vec![without]);
    let other = other.replacen("\"id\":\"n\"", "\"id\":\"m\"", 1);
    let cases = format!("{both}, {{\"no_run\": \"m\"}}");
    judge("never", "TRUE", &format!("{one}{other}{}", document(2)), &cases, None);
    judge("never", "TRUE", &(one + &document(2)), &both, Some("about another formula"));
    let alone = "{\"no_run\": \"m\"}";
    judge("never", "TRUE", &(other + &document(2)), alone, Some("about another formula"));
    // Atoms outside of the property have no meaning, and are refused.
    let odd = no_run.replacen("\"edges\":[{", "\"edges\":[{\"reads\":[7],", 1);
    judge("never", "TRUE", &(odd + &document(2)), &both, Some("no_run `n`"));
    let strange = no_run.replacen("waits", "nobody", 1);
    judge("never", "TRUE", &(strange + &document(2)), &both, Some("nobody"));
}

#[test]
fn searches_for_runs_are_repeated() {
    let searched = |id: &str, value: &str, markings: u64| {
        let by = format!(
            "\"searched\": {{\"markings\": {markings}, \"stubborn\": false}}, \"shown_by\""
        );
        let net = text::parse(QUEUE).unwrap();
        let lines = answer(id, value, "").replace("\"shown_by\"", &by);
        audit(&net, &questions(), "Some", &lines).0.remove(0).verdict
    };
    let confirmed = |verdict| matches!(verdict, AuditVerdict::Confirmed(_));
    let refused = |verdict, part: &str| match verdict {
        AuditVerdict::Refused(why) => assert!(why.contains(part), "{why}"),
        other => panic!("{other:?}"),
    };
    assert!(confirmed(searched("never", "TRUE", 2)));
    refused(searched("again", "TRUE", 2), "visited again: some run violates A GF");
    refused(searched("next", "TRUE", 2), "visited again");
    refused(searched("again", "FALSE", 2), "a run that violates");
    assert!(matches!(searched("never", "TRUE", 101), AuditVerdict::Searched(_)));
    let growing =
        text::parse(&format!("{QUEUE}\ntransition grow: other -> other + waits")).unwrap();
    let by = "\"searched\": {\"markings\": 5, \"stubborn\": false}, \"shown_by\"";
    let lines = answer("never", "TRUE", "").replace("\"shown_by\"", by);
    let verdict = audit(&growing, &questions(), "Some", &lines).0.remove(0).verdict;
    // On the way to two tokens on `served`, there are infinitely many markings.
    assert!(matches!(verdict, AuditVerdict::Searched(_)), "{verdict:?}");
}

#[test]
fn evidence_by_a_visit_is_checked_by_a_visit() {
    let visited =
        |markings: u64| format!("{{\"visited\": {{\"id\": \"v\", \"markings\": {markings}}}}}\n");
    let by = "{\"visited\": \"v\"}";
    judge("never", "TRUE", &visited(2), by, None);
    // The number only estimates the work, and no conclusion depends on it.
    judge("never", "TRUE", &visited(1), by, None);
    judge("again", "TRUE", &visited(2), by, Some("some run violates A GF"));
    judge("never", "FALSE", &visited(2), by, Some("a run that violates"));
    judge("never", "TRUE", &visited(1 << 40), by, Some("more than the limit of 1000000"));
    judge("never", "TRUE", &visited(2), "{\"visited\": \"w\"}", Some("no earlier line `visited`"));
    // The search does not continue from markings where the property is already false.
    let net = "net n\nplace p 1\nplace q\ntransition t: p -> q\ntransition grow: q -> 2*q";
    let next = |inside: &str| format!("<next>{inside}</next>");
    let formula = next(&format!(
        "<conjunction>{}<finally>{}</finally></conjunction>",
        at_least("q", 1),
        at_least("q", 1)
    ));
    let file = format!(
        "<property-set><property><id>f</id><formula><all-paths>{formula}</all-paths></formula>\
         </property></property-set>"
    );
    check(net, &file, "Some", &(visited(2) + &answer("f", "TRUE", by)), None);
}
