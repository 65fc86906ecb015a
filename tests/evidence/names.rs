//! Names of nodes in formulas: on nets where the name of one node is the id of another, the prover
//! agrees with enumeration, and the auditor reads the same nodes.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::answer::{GoalAnswer, Plan, QuestionValue};
use parikh::formula::text::read_one;
use parikh::net::pnml::write_pnml;
use parikh::net::{LinearSum, Net, NetBuilder, Predicate, TransitionId};
use parikh::run::{Event, RunConfig, run_net};
use parikh::solvers::Budget;
use parikh_evidence::reader::queries::{self, typed};
use parikh_generate::{Shape, random};
use std::time::Duration;

/// A node's id, with its label if there is one.
type LabelledId = (String, Option<String>);

/// Returns ids and labels from a small pool, so that they coincide in all ways.
fn nodes(rng: &mut Rng, count: usize, first: char) -> Vec<LabelledId> {
    let id = |at: usize| format!("{first}{at}");
    let label = |rng: &mut Rng| match rng.u8(..6) {
        0 => None,
        1 => Some(" ".to_owned()),
        2 => Some("two words".to_owned()),
        3 => Some("other".to_owned()),
        _ => Some(id(rng.usize(..count))),
    };
    (0..count).map(|at| (id(at), label(rng))).collect()
}

/// Returns the name of a node by an independent implementation: its label, or its id if the label
/// is missing or blank.
fn name((id, label): &LabelledId) -> &str {
    match label.as_deref() {
        Some(label) if label != " " => label,
        _ => id,
    }
}

/// Returns the same net with these ids and labels.
fn labelled(net: &Net, places: &[LabelledId], transitions: &[LabelledId]) -> Net {
    let mut builder = NetBuilder::new("n");
    for (p, (id, label)) in net.places().zip(places) {
        let added = builder.place(id, net.initial()[p]).unwrap();
        label.iter().for_each(|label| builder.label_place(added, label));
    }
    for (t, (id, label)) in net.transitions().zip(transitions) {
        let added = builder.transition(id).unwrap();
        label.iter().for_each(|label| builder.label_transition(added, label));
        net.pre(t).iter().for_each(|arc| builder.take(added, arc.place, arc.weight).unwrap());
        net.post(t).iter().for_each(|arc| builder.put(added, arc.place, arc.weight).unwrap());
    }
    builder.build().unwrap()
}

/// Returns the nodes that a text means, by the rule of the guide. Returns `None` if it is refused.
fn meant(
    nodes: &[LabelledId],
    text: &str,
    is_quoted: bool,
    is_activity: bool,
) -> Option<Vec<usize>> {
    let by_id: Vec<usize> = (0..nodes.len()).filter(|&at| nodes[at].0 == text).collect();
    let by_name: Vec<usize> = (0..nodes.len()).filter(|&at| name(&nodes[at]) == text).collect();
    match (is_quoted || is_activity, by_id.len(), by_name.len()) {
        (true, 0, 0) | (false, 0, 0) => None,
        (true, _, 0) => Some(by_id),
        (true, _, _) => Some(by_name),
        (false, 1, _) => Some(by_id),
        (false, _, 1) => Some(by_name),
        (false, _, _) => None,
    }
}

/// Returns the nodes as a formula names them by their ids.
fn exact(nodes: &[LabelledId], meant: &[usize]) -> String {
    let ids: Vec<String> = meant.iter().map(|&at| format!("id \"{}\"", nodes[at].0)).collect();
    ids.join(", ")
}

/// Returns the prover's answer to a formula within a second.
fn answer(net: &Net, text: &str) -> Option<bool> {
    let formula = read_one(text, "f", net).formula.unwrap();
    let mut plan = Plan::default();
    plan.ask_formula("f", &formula, net).unwrap();
    let config = RunConfig { threads: 1, ..RunConfig::default() };
    let budget = Budget::unlimited().slice(Duration::from_secs(1));
    let mut found = None;
    run_net(net, plan, &config, &budget, |event| {
        if let Event::Answered(GoalAnswer { value: QuestionValue::Bool(holds), .. }) = event {
            found = Some(*holds);
        }
    });
    found
}

#[test]
fn quoted_names_that_are_ids_of_other_nodes_denote_the_named_nodes() {
    let (mut answered, mut several, mut refused) = ([0, 0], 0, 0);
    for seed in 0..scaled(1_000) {
        let mut rng = Rng::with_seed(seed);
        let plain = random(seed, &Shape::small(seed));
        let places = nodes(&mut rng, plain.place_count(), 'p');
        let transitions = nodes(&mut rng, plain.transition_count(), 't');
        let net = labelled(&plain, &places, &transitions);
        let mut file = String::new();
        write_pnml(&net, &mut file).unwrap();
        let audited = parikh_evidence::reader::pnml::read(file.as_bytes()).unwrap().net;
        let space = explore(&net, OracleLimits { states: 500, tokens: 50 });
        for _ in 0..4 {
            let is_of_places = rng.bool();
            let of = if is_of_places { &places } else { &transitions };
            let (is_quoted, is_activity) = (rng.bool(), !is_of_places && rng.u8(..3) == 0);
            let node = &of[rng.usize(..of.len())];
            let mut text = if rng.bool() { node.0.clone() } else { name(node).to_owned() };
            if text == "two words" && !is_quoted {
                text = "other".to_owned();
            }
            let written = if is_quoted { format!("\"{text}\"") } else { text.clone() };
            let least = rng.u64(1..3);
            let formula = |nodes: &str| match (is_of_places, is_activity) {
                (true, _) => format!("EF tokens({nodes}) >= {least}"),
                (false, false) => format!("EF fireable({nodes})"),
                (false, true) => format!("E F fires({nodes})"),
            };
            let asked = match is_activity {
                true => format!("E existence({written})"),
                false => formula(&written),
            };
            let by_auditor = typed::read_one(&audited, &asked, &queries::read).question;
            let Some(meant) = meant(of, &text, is_quoted, is_activity) else {
                assert!(read_one(&asked, "f", &net).formula.is_err(), "{seed}: {asked}");
                assert!(by_auditor.is_err(), "{seed}: {asked}: {by_auditor:?}");
                refused += 1;
                continue;
            };
            let plainly = formula(&exact(of, &meant));
            let first = read_one(&asked, "f", &net).formula;
            assert_eq!(first, read_one(&plainly, "f", &net).formula, "{seed}: {asked}");
            let second = typed::read_one(&audited, &plainly, &queries::read).question;
            assert_eq!(by_auditor, second, "{seed}: {asked}");
            several += usize::from(meant.len() > 1);
            let (Some(space), Some(found)) = (&space, answer(&net, &asked)) else { continue };
            let expected = match is_of_places {
                true => {
                    let sum = meant.iter().map(|&at| (net.places().nth(at).unwrap(), 1));
                    space.maximum(&LinearSum::new(sum).unwrap()) >= i128::from(least)
                }
                false => {
                    let any = meant.iter().map(|&at| Predicate::Enabled(TransitionId::new(at)));
                    space.reaches(&Predicate::or(any))
                }
            };
            assert_eq!(found, expected, "{seed}: {asked}\n{file}");
            answered[usize::from(found)] += 1;
        }
    }
    assert!(answered[0] > 50 && answered[1] > 200, "{answered:?}");
    assert!(several > 100 && refused > 50, "{several} {refused}");
}

#[test]
fn formulas_that_are_printed_read_back_where_an_id_is_the_name_of_another_node() {
    let mut builder = NetBuilder::new("n");
    for (id, label) in [("a b", "x"), ("y", "a b"), ("z", "y")] {
        let place = builder.place(id, 0).unwrap();
        builder.label_place(place, label);
    }
    let net = builder.build().unwrap();
    for text in ["EF id \"a b\" >= 1", "EF \"a b\" >= 1", "EF y >= 1", "EF tokens(x, z) >= 1"] {
        let formula = read_one(text, "f", &net).formula.unwrap();
        let printed = formula.print(&net).to_string();
        assert_eq!(read_one(&printed, "f", &net).formula, Ok(formula), "{text}: {printed}");
    }
}
