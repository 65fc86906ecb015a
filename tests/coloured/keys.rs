//! Keys of a model form: a report and `parikh properties` give the same value for each key.

use crate::support::binary::{TestDirectory, example};
use crate::support::scale::scaled;
use parikh::about::NetMeant;
use parikh::net::Net;
use parikh::net::coloured::ColouredNet;
use parikh::run::RunConfig;
use parikh::solvers::Budget;
use parikh::verdicts::{ComputedKey, KeyNet, KeyProperty, Truth};
use parikh::{Model, unfold};
use parikh_cli::report::{KeyRow, ReportQuestions, ReportSubject, StandardQuestion, report};
use parikh_generate::{Shape, random, random_coloured};
use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

/// Returns the keys that `parikh properties` finds.
fn computed(keys: &KeyNet<'_>) -> Vec<ComputedKey> {
    let wanted: Vec<KeyProperty> = KeyProperty::all().collect();
    let budget = Budget::lasting(Duration::from_secs(10));
    let found = keys.compute(&wanted, &[], &RunConfig::default(), &budget, |_| {});
    assert_eq!(found.faults, 0);
    found.keys
}

/// Returns the keys of a report about `net`.
fn reported(net: &Net, keys: &KeyNet<'_>) -> Vec<KeyRow> {
    let subject = ReportSubject {
        net,
        model: "m",
        program_and_date: String::new(),
        remark: None,
        positions: &HashMap::new(),
        keys,
        computes_all_keys: true,
        compared_file: None,
    };
    let asked = ReportQuestions::Topics(StandardQuestion::ABOUT_EVERY_NET.to_vec());
    let budget = Budget::lasting(Duration::from_secs(10));
    let made = report(&subject, asked, &RunConfig::default(), &budget, &mut |_| {});
    assert_eq!(made.faults, 0);
    made.keys
}

/// Compares all keys. Returns the number of behavioural keys that both know.
fn agree(of: &str, computed: &[ComputedKey], reported: &[KeyRow]) -> u64 {
    let mut known = 0;
    for property in KeyProperty::all() {
        let ours = computed.iter().find(|key| key.property == property).unwrap();
        let theirs = reported.iter().find(|key| key.key == property.name()).unwrap();
        assert_eq!(ours.net, theirs.net, "{of}: {property}");
        if ours.value != Truth::Unknown && theirs.value != Truth::Unknown {
            assert_eq!(ours.value, theirs.value, "{of}: {property}: {ours:?} {theirs:?}");
            known += u64::from(!matches!(property, KeyProperty::Structural(_)));
        }
    }
    known
}

#[test]
fn a_report_and_properties_agree_on_every_key_of_random_coloured_nets() {
    let (mut nets, mut known) = (0, 0);
    let mut seed = 0;
    while nets < scaled(10) {
        seed += 1;
        let coloured: ColouredNet = random_coloured(seed);
        let budget = Budget::lasting(Duration::from_secs(10));
        let whole = KeyNet::of_coloured(&coloured, &budget).unwrap();
        if whole.net().transition_count() > 60 {
            continue;
        }
        nets += 1;
        let model = Model::from(coloured.clone());
        let net = model.into_net(&unfold::UnfoldingConfig::default(), &budget).unwrap();
        let keys = KeyNet::of_coloured_with(&coloured, &net, &budget);
        known += agree(&format!("seed {seed}"), &computed(&whole), &reported(&net, &keys));
    }
    assert!(known >= nets * 5, "{known} keys of {nets} nets are known");
}

#[test]
fn a_report_and_properties_agree_on_every_key_of_random_nets() {
    let (nets, mut known) = (scaled(20), 0);
    for seed in 0..nets {
        let net = random(seed, &Shape::small(seed));
        let keys = KeyNet::of_net(Cow::Borrowed(&net));
        known += agree(&format!("seed {seed}"), &computed(&keys), &reported(&net, &keys));
    }
    assert!(known >= nets * 5, "{known} keys of {nets} nets are known");
}

#[test]
fn a_coloured_net_that_is_safe_by_colours_has_one_value_of_safe_everywhere() {
    let directory = TestDirectory::new();
    directory.write(
        "model.pnml",
        &std::fs::read_to_string(example("philosophers-coloured.pnml")).unwrap(),
    );
    // The coloured place `think` holds three tokens of three colours.
    let answer = directory.succeeds(&["check", "model.pnml", "-e", "OneSafe", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(answer.lines().next().unwrap()).unwrap();
    assert_eq!((&answer["value"], &answer["net"]), (&"FALSE".into(), &"coloured".into()));
    let form = directory.outputs(&["properties", "model.pnml", "--format", "xml"]).1;
    assert!(form.contains("reference=\"SAFE\" value=\"true\""), "{form}");
    assert!(form.contains("of the unfolding of the coloured net: no place can hold"), "{form}");
    directory.write("form.xml", &form);
    directory.succeeds(&["report", "model.pnml", "-o", "r.html", "--form", "form.xml"]);
    let page = directory.read("r.html");
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    let data: serde_json::Value =
        serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    let keys = data["keys"].as_array().unwrap();
    for key in keys.iter().filter(|key| key["key"] != "NESTED_UNITS") {
        assert_eq!(key["value"], key["form"], "{key}");
        assert_eq!(key["net"], NetMeant::Unfolding.key(), "{key}");
    }
    assert!(!page.contains("The form says"), "a conflict");
}
