use super::*;
use parikh_net::{Net, NodeKind};
use serde_json::json;

fn node(kind: NodeKind, id: &str) -> NamedNode {
    NamedNode { kind, id: id.to_owned(), label: None }
}

fn place(id: &str) -> NamedNode {
    node(NodeKind::Place, id)
}

fn transition(id: &str) -> NamedNode {
    node(NodeKind::Transition, id)
}

fn firings(count: u64) -> WitnessSize {
    WitnessSize { firings: count.into(), loops: false }
}

fn proof() -> ProofSummary {
    let argument = Argument::Searched { markings: 9, stubborn: false, parts: 1 };
    ProofSummary { argument, reduced: None, abstracted: false }
}

fn on_place() -> Option<Subject> {
    Some(Subject::Place(place("p")))
}

fn tokens(id: &str, tokens: u64) -> PlaceTokens {
    PlaceTokens { place: place(id), tokens }
}

fn term(factor: i64, id: &str) -> SumTerm {
    SumTerm { place: place(id), factor: factor.into() }
}

#[track_caller]
fn reads(cause: Cause, expected: &str) {
    assert_eq!(Reason::from(cause).to_string(), expected);
}

#[test]
fn causes_about_markings_have_a_sentence_each() {
    reads(Cause::NoSuchNode, "the net has no node to which the question applies");
    reads(Cause::InitialMarking { holds: true }, "the initial marking shows it");
    reads(Cause::InitialMarking { holds: false }, "the initial marking decides it");
    let witness = |size, shortest| Cause::Witness { subject: on_place(), size, shortest };
    reads(witness(None, None), "place `p`: a witness was replayed");
    reads(witness(Some(firings(0)), None), "place `p`: the initial marking shows it");
    let said = "place `p`: a witness of 2 firings was replayed, and none is shorter";
    reads(witness(Some(firings(2)), Some(true)), said);
    let loops = WitnessSize { firings: BigUint::from(10u8).pow(30), loops: true };
    let said = "place `p`: a witness of at least 10^30 firings, in loops was replayed, and whether \
                one is shorter is unknown";
    reads(witness(Some(loops), Some(false)), said);
    let unreachable = |subject, stays| Cause::Unreachable {
        subject,
        stays,
        exclusions: Vec::new(),
        proof: proof(),
    };
    let subject = Some(Subject::Transition(transition("t")));
    reads(
        unreachable(subject.clone(), false),
        "transition `t`: all 9 reachable markings were visited",
    );
    let said = "transition `t`: unreachable: all 9 reachable markings were visited";
    reads(unreachable(subject, true), said);
    let said = "a dead marking: all 9 reachable markings were visited";
    reads(unreachable(Some(Subject::DeadMarking), false), said);
    let exclusions = Vec::new();
    let said = "place `p` always holds 1 token; any other number is unreachable: all 9 reachable \
                markings were visited";
    reads(Cause::Constant { place: place("p"), tokens: 1, exclusions, proof: proof() }, said);
    let transition = transition("t");
    let said = "transition `t` has no input places and is always enabled";
    reads(Cause::AlwaysEnabled { transition }, said);
}

#[test]
fn causes_about_repeated_behaviour_have_a_sentence_each() {
    let all = "all 9 reachable markings were visited";
    reads(Cause::StaysReachable { proofs: vec![proof(), proof()] }, &format!("{all}; {all}"));
    let lost = |size| Cause::Lost { subject: None, size, proof: proof() };
    reads(lost(None), &format!("not always reachable: {all}"));
    reads(lost(Some(firings(0))), &format!("unreachable from the initial marking on: {all}"));
    reads(lost(Some(firings(1))), &format!("unreachable after 1 firing: {all}"));
    let run = |run| Cause::Run { fairness: Some("weakly fair runs".into()), run };
    reads(run(None), "of weakly fair runs: a run was replayed");
    let said = "of weakly fair runs: a run: after 1 firing, 2 firings repeat forever";
    reads(run(Some(RunSize::Repeats { prefix: 1, cycle: 2 })), said);
    let said = "of weakly fair runs: a run: after 1 firing, the marking is dead";
    reads(run(Some(RunSize::Dead { prefix: 1 })), said);
    let said = "of weakly fair runs: a run: after 0 firings, with any continuation";
    reads(run(Some(RunSize::Anything { prefix: 0 })), said);
    reads(Cause::NoRun { fairness: None, proof: proof() }, all);
    reads(Cause::Tree { proof: proof() }, all);
    let stage = |prefix| StageSize { prefix, cycle: 2 };
    let said = "after 1 firing, 2 more can repeat forever and add tokens each time";
    reads(Cause::Unbounded { stages: vec![stage(1)] }, said);
    let said = "2 cycles fire one after the other, each as often as the later ones need, and the \
                last one adds tokens each time";
    reads(Cause::Unbounded { stages: vec![stage(0), stage(0)] }, said);
}

#[test]
fn causes_of_several_goals_have_a_sentence_each() {
    let all = |result| Cause::AllGoals { result, goals: 3, assuming_units: 1 };
    let units = ", 1 of them given the model's safe units (NUPN)";
    let said = [
        (CommonResult::AllReachable, "all 3 goals are reachable"),
        (CommonResult::NoneReachable, "none of the 3 goals is reachable"),
        (CommonResult::AllPlacesChange, "every place can change (3 goals)"),
        (CommonResult::AllOnRuns, "each transition fires on a run to the final marking (3 goals)"),
        (
            CommonResult::AllOnRunsToSome,
            "each transition fires on a run to one of the final markings (3 goals)",
        ),
    ];
    for (result, said) in said {
        reads(all(result), &format!("{said}{units}"));
    }
    let part = |claim: &str| PartReason {
        claim: claim.to_owned(),
        because: Cause::InitialMarking { holds: true },
    };
    let initially = "the initial marking shows it";
    let parts = vec![part("a"), part("b")];
    let said = format!("a: {initially}; b: {initially}; and 4 more");
    let cut = Cause::Parts { parts: parts.clone(), more: 4 };
    assert!(!cut.mentions_safe_units() && Cause::Parts { parts, more: 0 }.mentions_safe_units());
    reads(cut, &said);
    let said = "seen after 2 firings; no more because all 9 reachable markings were visited";
    let maximum = |size| Cause::Maximum { size, proof: proof() };
    reads(maximum(Some(firings(2))), said);
    let said = "seen in the initial marking; no more because all 9 reachable markings were visited";
    reads(maximum(Some(firings(0))), said);
    reads(maximum(None), "seen; no more because all 9 reachable markings were visited");
    let said = "place `p`: seen, and none of the 7 maxima exceeds it";
    reads(Cause::Largest { subject: on_place(), maxima: 7 }, said);
}

#[test]
fn causes_of_figures_have_a_sentence_each() {
    reads(Cause::Visited { markings: 1 }, "the only reachable marking was visited");
    let said = "a decision diagram of the 1 reachable marking (the checker confirmed that no marking \
                is missing)";
    reads(Cause::Diagram { markings: 1u8.into(), closed: true }, said);
    let size = |places| NetSize { places, transitions: 1 };
    let counted = |markings, on_diagrams, repeated, reduced| Cause::Counted {
        markings,
        on_diagrams,
        repeated,
        closed: true,
        reduced,
    };
    let said = "2 markings of the net were counted, and the checker repeated the count";
    reads(counted(2, false, true, None), said);
    let said = "no marking has to be visited of a net reduced from 3 places and 1 transition to 0 \
                and 1";
    reads(counted(0, false, false, Some([size(3), size(0)])), said);
    let said = "2 markings of the net on decision diagrams (the checker confirmed that no marking \
                is missing)";
    reads(counted(2, true, false, None), said);
    let said = "the reachable markings are the solutions of 1 place invariant";
    reads(Cause::PlaceInvariants { invariants: 1, interpolated: None }, said);
    let interpolated = Some(InterpolatedValues { first: 1, period: 1, values: 4, degree: 2 });
    let said = "the reachable markings are the solutions of 2 place invariants, and 4 smaller \
                initial markings determine a polynomial of degree at most 2 in the number of tokens";
    reads(Cause::PlaceInvariants { invariants: 2, interpolated }, said);
}

#[test]
fn sums_that_exclude_tokens_are_written_as_equations() {
    let reads = |sum, never_together: Vec<PlaceTokens>, expected: &str| {
        let exclusions = vec![TokenExclusion { never_together, sum }];
        let cause = Cause::Unreachable { subject: None, stays: false, exclusions, proof: proof() };
        let expected = format!("{expected} (all 9 reachable markings were visited)");
        reads(cause, &expected);
    };
    let both = || vec![tokens("p", 1), tokens("q", 1)];
    let terms = || vec![term(1, "p"), term(-2, "q")];
    let constant = ExcludingSum::Constant { terms: terms(), value: 1.into() };
    let said = "`p` − 2·`q` = 1, so `p` and `q` are never marked together";
    reads(Some(constant), both(), said);
    let at_most = ExcludingSum::AtMost { terms: terms(), value: 1.into() };
    let said = "`p` − 2·`q` never exceeds 1, so 1 token on `p` and 2 tokens on `q` never occur \
                together";
    reads(Some(at_most), vec![tokens("p", 1), tokens("q", 2)], said);
    let said = "`p` and `q` are never marked together, as a weighted sum of tokens on 40 places \
                never increases";
    reads(Some(ExcludingSum::Long { places: 40 }), both(), said);
    reads(None, vec![tokens("p", 1)], "`p` never holds a token");
    reads(None, vec![tokens("p", 3)], "`p` never holds 3 tokens");
}

#[test]
fn causes_about_processes_have_a_sentence_each() {
    let all = "all 9 reachable markings were visited";
    let reads = |cause, expected: &str| reads(Cause::Process(cause), expected);
    let held = || Some(vec![tokens("p", 1), tokens("q", 2)]);
    let (size, shortest) = (Some(firings(3)), Some(true));
    let said = "a case gets stuck after 3 firings, and none is shorter, with tokens on `p`, `q` (2 \
                tokens): no transition is enabled, and the case is not done";
    reads(ProcessCause::CaseStuck { size: size.clone(), shortest, tokens: held() }, said);
    let said = "a case is done in `o` after 3 firings and leaves tokens behind on `p`, `q` (2 \
                tokens)";
    let final_marking = Some("o".to_owned());
    let behind = ProcessCause::TokensLeftBehind {
        size: size.clone(),
        shortest: None,
        tokens: held(),
        final_marking: final_marking.clone(),
    };
    reads(behind, said);
    let never = |final_markings, firings, is_dead| ProcessCause::NeverCompleted {
        final_markings,
        example: ExampleEnd { firings, is_dead, tokens: vec![tokens("p", 1)] },
        proof: proof(),
    };
    let said = "the final marking is unreachable (no transition is enabled initially, with tokens on `p`): ";
    reads(never(1, 0, true), &format!("{said}{all}"));
    let said = "all final markings are unreachable (for example, a case goes on after 1 firing, with \
                tokens on `p`): ";
    reads(never(2, 1, false), &format!("{said}{all}"));
    let said = "a case can no longer be completed after 3 firings, with tokens on `p`, `q` (2 \
                tokens), and goes on: ";
    let lost = |size| ProcessCause::CompletionLost { size, tokens: held(), proof: proof() };
    reads(lost(size.clone()), &format!("{said}{all}"));
    reads(lost(None), &format!("a case cannot always be completed: {all}"));
    let dead = |count: usize| ProcessCause::DeadTransitions {
        transitions: (0..count).map(|at| transition(&format!("t{at}"))).collect(),
        proof: proof(),
    };
    reads(dead(1), &format!("transition `t0` can never fire: {all}"));
    let said = "transitions `t0`, `t1`, `t2`, `t3`, `t4`, and 2 more can never fire: ";
    reads(dead(7), &format!("{said}{all}"));
    let (size, shortest) = (Some(firings(3)), None);
    let completes = |size| ProcessCause::Completes { size, shortest, final_marking: None };
    reads(completes(size.clone()), "a run of 3 firings to the final marking was replayed");
    reads(completes(None), "a run to the final marking was replayed");
    let labelled = NamedNode { label: Some("Ship".into()), ..transition("t") };
    let on_run = ProcessCause::OnRun { transition: labelled, size, shortest, final_marking };
    reads(on_run, "transition `t` (Ship) fires on a run of 3 firings to the final marking `o`");
    let on_none =
        ProcessCause::OnNoRun { transition: transition("t"), final_markings: 2, proof: proof() };
    reads(on_none, &format!("transition `t` is on no run to any of the final markings: {all}"));
    let sound = ProcessCause::Sound {
        final_markings: vec!["o".into(), "p".into()],
        more: 2,
        example: Some(ReachedEnd { final_marking: "o".into(), size: firings(3) }),
        transitions: 4,
        proof: Some(proof()),
    };
    let said = "every case can always be completed in `o` or `p` or 2 more (for example in `o` after \
                3 firings), nothing is left behind, and each of the 4 transitions can fire: ";
    reads(sound, &format!("{said}{all}"));
}

#[test]
fn a_witness_that_was_not_kept_is_not_the_initial_marking() {
    let reads = |cause, expected: &str| reads(Cause::Process(cause), expected);
    let stuck = |size| ProcessCause::CaseStuck { size, shortest: None, tokens: None };
    let said = "a case gets stuck: no transition is enabled, and the case is not done";
    reads(stuck(None), said);
    let said = "a case gets stuck initially: no transition is enabled, and the case is not done";
    reads(stuck(Some(firings(0))), said);
    let behind = ProcessCause::TokensLeftBehind {
        size: None,
        shortest: None,
        tokens: None,
        final_marking: None,
    };
    reads(behind, "a case is done and leaves tokens behind");
}

#[test]
fn notes_follow_the_cause() {
    let said = |note| Reason { cause: Cause::NoSuchNode, notes: vec![note] }.to_string();
    let all = [
        (ReasonNote::ColouredPlaces, "; a coloured place counts all of its colours"),
        (
            ReasonNote::ColouredTransitions,
            "; a coloured transition is enabled when one of its bindings is",
        ),
        (
            ReasonNote::TokensPerColour,
            "; in each place, the tokens of each colour are counted separately",
        ),
        (ReasonNote::MergedColours, ", with equivalent colours merged"),
    ];
    for (note, expected) in all {
        assert_eq!(
            said(note),
            format!("the net has no node to which the question applies{expected}")
        );
    }
}

#[test]
fn a_serialized_reason_has_its_kind_and_its_data() {
    let sum = Some(ExcludingSum::Constant { terms: vec![term(1, "p")], value: 1.into() });
    let exclusions = vec![TokenExclusion { never_together: vec![tokens("p", 2)], sum }];
    let argument = Argument::bounds(parikh_net::Provenance::Flows);
    let proof = ProofSummary { argument, reduced: Some(3), abstracted: false };
    let cause = Cause::Unreachable { subject: on_place(), stays: false, exclusions, proof };
    let reason = Reason { cause, notes: vec![ReasonNote::ColouredPlaces] };
    let expected = json!({
        "kind": "unreachable",
        "subject": {"place": "p"},
        "stays": false,
        "exclusions": [{
            "never_together": [{"place": "p", "tokens": 2}],
            "sum": {"relation": "constant", "terms": [{"place": "p", "factor": 1}], "value": 1},
        }],
        "proof": {
            "argument": "bounds", "place_invariants": true, "assumes_units": false, "reduced": 3,
        },
        "notes": ["coloured-places"],
    });
    assert_eq!(serde_json::to_value(reason).unwrap(), expected);
    let stuck = ProcessCause::CaseStuck {
        size: Some(WitnessSize { firings: BigUint::from(10u8).pow(20), loops: true }),
        shortest: None,
        tokens: Some(vec![tokens("p", u64::MAX)]),
    };
    let expected = json!({
        "kind": "case-stuck",
        "size": {"firings": "100000000000000000000", "loops": true},
        "shortest": null,
        "tokens": [{"place": "p", "tokens": "18446744073709551615"}],
    });
    assert_eq!(serde_json::to_value(Reason::from(Cause::Process(stuck))).unwrap(), expected);
}

#[test]
fn the_subject_can_be_left_out() {
    let witness = |subject| Reason::from(Cause::Witness { subject, size: None, shortest: None });
    assert_eq!(witness(on_place()).without_subject(), witness(None));
}

#[test]
fn a_label_follows_the_id_and_a_copy_has_the_name_of_its_original() {
    let net: Net = parikh_net::text::parse("place p\ntransition t: p ->").unwrap();
    let t = net.transition_named("t").unwrap();
    assert_eq!(NamedNode::labelled_transition(&net, t), transition("t"));
    let mut text = ReasonText::default();
    text.node(&NamedNode { label: Some("Order".into()), ..place("p") });
    assert_eq!(text.to_string(), "`p` (Order)");
}
