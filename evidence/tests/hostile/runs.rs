//! Hostile arguments that no run has a property.

use super::{AuditLimits, HostileKinds, Instance, answer};
use serde_json::{Value, json};

const EXAMINATION: &str = "LTLCardinality";

/// Returns an instance with an argument that no run of a net satisfies F G ¬(q ≥ 1). The fields in
/// `other` replace those of the argument. The net has `transitions` transitions.
fn argument_instance(transitions: usize, other: &[(&str, Value)]) -> Instance {
    let firing = |at| format!("transition t{at}: p -> p\n");
    let model =
        "place p 1\nplace q\n".to_owned() + &(0..transitions).map(firing).collect::<String>();
    let mut argument = json!({
        "id": "x",
        "atoms": [{"holds": {"comparison": {"sum": [["q", -1]], "bound": -1}}}],
        "formulas": ["true", "false", {"literal": -1}, {"release": [1, 2]}, {"until": [0, 3]}],
        "formula": 4, "untils": [4], "initial": 0, "opening": 0,
        "states": [{"meets": [4], "edges": edges(1)}, {"meets": [3], "edges": [edge_to_second_state()]}],
    });
    for (key, value) in other {
        argument[*key] = value.clone();
    }
    let shown = r#"{"no_run": "x"}"#;
    let instance = Instance::of(&model, EXAMINATION, |out| {
        writeln!(out, "{}", json!({ "no_run": argument })).unwrap();
        writeln!(out, "{}", answer("asked", "TRUE", shown)).unwrap();
    });
    instance.file("LTLCardinality.xml", |out| {
        let q = "<integer-le><integer-constant>1</integer-constant><tokens-count><place>q</place>\
                 </tokens-count></integer-le>";
        write!(
            out,
            "<property-set><property><id>asked</id><formula><all-paths><globally><finally>{q}\
             </finally></globally></all-paths></formula></property></property-set>"
        )
        .unwrap();
    })
}

/// Returns an edge to the second state of the automaton. It requires ¬(q ≥ 1).
fn edge_to_second_state() -> Value {
    json!({"to": 1, "reads": [-1], "marks": [0]})
}

/// Returns the edges of the first state, repeated `times` times.
fn edges(times: usize) -> Value {
    (0..times).flat_map(|_| [json!({"to": 0}), edge_to_second_state()]).collect()
}

#[test]
fn arguments_about_runs() {
    let mut kinds = HostileKinds::default();
    // Unchanged, the argument is incomplete, and the auditor says why.
    let open = argument_instance(3, &[]);
    kinds.expect(
        "an argument without rankings",
        AuditLimits::None,
        open,
        4,
        &["a run may stay \
        forever"],
    );
    let states = |count: usize| -> Value {
        let more = (0..count).map(|_| json!({"meets": [3], "edges": [edge_to_second_state()]}));
        [json!({"meets": [4], "edges": edges(1)})].into_iter().chain(more).collect()
    };
    let many = argument_instance(20_000, &[("states", states(100_000))]);
    kinds.expect(
        "100 000 states, 20 000 transitions",
        AuditLimits::None,
        many,
        4,
        &["pairs of trans"],
    );
    let ranking = json!({"state": 0, "weights": [["p", 1]], "values": []});
    let rankings: Value = (0..200_000).map(|_| ranking.clone()).collect();
    let many = argument_instance(20_000, &[("rankings", rankings)]);
    kinds.expect("200 000 rankings", AuditLimits::None, many, 4, &["too many rankings"]);
    let far = argument_instance(3, &[("opening", json!(u64::MAX / 2))]);
    kinds.expect(
        "an opening of 2^63 steps",
        AuditLimits::None,
        far,
        4,
        &["reach too many markings"],
    );
    kinds.assert_all(4);
}
