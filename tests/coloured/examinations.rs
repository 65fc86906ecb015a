//! Answers to examinations on coloured nets, against the coloured firing rule. The tokens of a
//! place are the sum over its colours, and a transition is enabled if one of its bindings is.

use crate::unfolding::{bindings, explore};
use parikh::answer::{Plan, QuestionValue};
use parikh::mcc::Examination;
use parikh::run::{self, Event, RunConfig};
use parikh::unfold::{self, unfold};
use parikh_net::coloured::{ColouredMarking, ColouredNet, text};
use parikh_net::{LinearSum, Predicate};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

fn enabled(net: &ColouredNet, marking: &ColouredMarking) -> Vec<bool> {
    let fires = |t| {
        let mut all = bindings(net, t).into_iter();
        all.any(|binding| net.fire(&mut marking.clone(), t, &binding).is_ok())
    };
    net.transition_ids().map(fires).collect()
}

/// Returns the expected answers by the name of the examination or formula, given all reachable
/// markings.
pub(crate) fn expected(
    net: &ColouredNet,
    markings: &BTreeSet<ColouredMarking>,
) -> BTreeMap<String, QuestionValue> {
    let initial = net.initial(1000).unwrap();
    let totals = |marking: &ColouredMarking| -> Vec<u128> {
        net.place_ids().map(|place| marking.total(place)).collect()
    };
    let first = totals(&initial);
    let all: Vec<Vec<u128>> = markings.iter().map(totals).collect();
    let firing: Vec<Vec<bool>> = markings.iter().map(|it| enabled(net, it)).collect();
    let places = 0..net.places().len();
    let most = |place: usize| all.iter().map(|it| it[place]).max().unwrap_or(0);
    let mut expected: BTreeMap<String, QuestionValue> = BTreeMap::new();
    let mut bool = |examination: Examination, value| {
        expected.insert(examination.name().to_owned(), QuestionValue::Bool(value));
    };
    bool(Examination::OneSafe, places.clone().all(|place| most(place) <= 1));
    bool(
        Examination::StableMarking,
        places.clone().any(|place| all.iter().all(|it| it[place] == first[place])),
    );
    let mut transitions = 0..net.transitions().len();
    bool(Examination::QuasiLiveness, transitions.all(|t| firing.iter().any(|it| it[t])));
    let dead = firing.iter().any(|it| it.iter().all(|fires| !fires));
    bool(Examination::ReachabilityDeadlock, dead);
    for place in places.clone() {
        let (name, most) = (&net.places()[place].name, QuestionValue::Number(most(place) as i128));
        expected.insert(format!("most {name}"), most.clone());
        expected.insert(format!("UpperBoundsAll {name}"), most);
        let is_stable = all.iter().all(|it| it[place] == first[place]);
        expected.insert(format!("StableMarkingAll {name}"), QuestionValue::Bool(is_stable));
    }
    for (t, transition) in net.transitions().iter().enumerate() {
        let can = firing.iter().any(|it| it[t]);
        for kind in ["fires", "QuasiLivenessAll"] {
            expected.insert(format!("{kind} {}", transition.name), QuestionValue::Bool(can));
        }
    }
    expected
}

#[test]
fn answers_on_random_coloured_nets_are_those_of_enumeration() {
    let mut answered = BTreeMap::new();
    for seed in 0..250 {
        let net = parikh_generate::random_coloured(seed);
        let Some((markings, _)) = explore(&net, 150) else { continue };
        let expected = expected(&net, &markings);

        let config = unfold::UnfoldingConfig::default();
        let (flat, _) = unfold(&net, &config, &Budget::unlimited()).unwrap();
        let mut formulas = Plan::default();
        for place in net.places() {
            let colours = flat.places_named(&place.name).unwrap();
            let sum = LinearSum::new(colours.into_iter().map(|it| (it, 1))).unwrap();
            formulas.ask_maximum(&format!("most {}", place.name), sum);
        }
        for transition in net.transitions() {
            let fires = flat.transitions_named(&transition.name).unwrap();
            let fires = Predicate::or(fires.into_iter().map(Predicate::Enabled));
            formulas.ask_exists(&format!("fires {}", transition.name), fires);
        }
        let examinations = [
            Examination::OneSafe,
            Examination::StableMarking,
            Examination::QuasiLiveness,
            Examination::ReachabilityDeadlock,
        ];
        let each_node = [
            Examination::UpperBoundsAll,
            Examination::QuasiLivenessAll,
            Examination::StableMarkingAll,
        ];
        let plan = |it| Plan::of_examination(it, &flat).unwrap();
        let plans = examinations.map(|it| (String::new(), plan(it))).into_iter();
        let each_node = each_node.map(|it| (format!("{it} "), plan(it)));
        for (start, plan) in plans.chain([(String::new(), formulas)]).chain(each_node) {
            let config = RunConfig { threads: 1, ..RunConfig::default() };
            let budget = Budget::unlimited().slice(Duration::from_secs(60));
            let report = run::run_net(&flat, plan, &config, &budget, |event| {
                if let Event::Answered(answer) = event {
                    let id = format!("{start}{}", answer.id);
                    let right = &expected[&id];
                    assert_eq!(
                        &answer.value,
                        right,
                        "seed {seed}, {}\n{}",
                        answer.id,
                        text::print(&net)
                    );
                    *answered
                        .entry(format!(
                            "{:?}",
                            (answer.value == QuestionValue::Bool(true), id.split(' ').next())
                        ))
                        .or_insert(0) += 1;
                }
            });
            assert_eq!(report.faults, 0, "seed {seed}\n{}", text::print(&net));
            let open: Vec<_> = report.unanswered.iter().map(|it| &it.id).collect();
            assert!(open.is_empty(), "seed {seed}: {open:?}\n{}", text::print(&net));
        }
    }
    // Four examinations, three about each node and two kinds of formulas were answered; maxima are
    // never TRUE.
    assert!(answered.len() >= 16, "{answered:?}");
}
