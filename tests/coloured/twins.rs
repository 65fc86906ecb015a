//! Models that come coloured and as a place/transition net: whatever both forms are asked and both
//! answer, they answer alike. The archives are the contest's; without them nothing is tested.
//!
//! Not every question is the same of both forms:
//! - A dead marking, and the state space, are. Only the most tokens of a marking differ for BART,
//!   whose place/transition form leaves out the 62 places that never change.
//! - OneSafe counts the tokens of a coloured place together, so it may be FALSE of the coloured
//!   form alone; of the unfolding's single places it is the same question.
//! - QuasiLiveness asks for some binding of a coloured transition and for every transition of the
//!   other form: what holds of the latter holds of the former. BART's coloured form has transitions
//!   without any binding that can fire, of which the other form has nothing.
//! - StableMarking is about a coloured place's sum or about single places; neither answer gives the
//!   other. Of the unfolding's single places it is the same question but for places that never hold
//!   a token, which our unfolding leaves out and the contest's may have.

use crate::support::binary::Desk;
use crate::support::outside;
use std::collections::BTreeMap;
use std::fs::File;

/// The family, and the parameters of both forms.
const TWINS: [(&str, &str); 15] = [
    ("AirplaneLD", "0010"),
    ("BART", "002"),
    ("BridgeAndVehicles", "V04P05N02"),
    ("CryptoMiner", "D03N000"),
    ("DatabaseWithMutex", "02"),
    ("DrinkVendingMachine", "02"),
    ("LamportFastMutEx", "2"),
    ("Murphy", "D1N010"),
    ("PermAdmissibility", "01"),
    ("Peterson", "2"),
    ("Philosophers", "000005"),
    ("PhilosophersDyn", "03"),
    ("PolyORBNT", "S05J20"),
    ("SafeBus", "03"),
    ("SharedMemory", "000005"),
];

/// Unpacks an archive onto the desk, if it is there.
fn unpack(desk: &Desk, name: &str) -> Option<()> {
    let archive = File::open(outside::archive(name)?).expect("readable");
    let archive = flate2::read::GzDecoder::new(archive);
    tar::Archive::new(archive).unpack(desk.path()).expect("an archive");
    Some(())
}

/// What a model answers within 2 s: values, one a line of the contest's protocol, in the order of
/// their names, whatever was known first.
fn ask(desk: &Desk, model: &str, examination: &str) -> Option<Vec<String>> {
    let arguments = ["check", model, "-e", examination, "-t", "2s", "--format", "mcc"];
    let (_, stdout, _) = desk.said(&arguments);
    let value = |line: &str| {
        let mut words = line.split_whitespace();
        let is_answer = matches!(words.next(), Some("FORMULA" | "STATE_SPACE"));
        let name = words.next()?.to_owned();
        words.next().filter(|_| is_answer).map(|value| (name, value.to_owned()))
    };
    let values: BTreeMap<String, String> = stdout.lines().filter_map(value).collect();
    let values: Vec<String> = values.into_values().collect();
    (!values.is_empty()).then_some(values)
}

#[test]
fn both_forms_of_a_model_answer_alike() {
    let (mut compared, mut present) = (0, 0);
    for (family, parameters) in TWINS {
        let desk = Desk::new();
        let [coloured, plain] = ["COL", "PT"].map(|form| format!("{family}-{form}-{parameters}"));
        if unpack(&desk, &coloured).is_none() || unpack(&desk, &plain).is_none() {
            continue;
        }
        present += 1;
        desk.said(&["unfold", &coloured, "--every-binding", "-o", "flat.pnml"]);
        let both = |model: &str, examination: &str| {
            Some((ask(&desk, model, examination)?, ask(&desk, &plain, examination)?))
        };
        let yes = |values: &[String]| values == ["TRUE"];
        if let Some((a, b)) = both(&coloured, "ReachabilityDeadlock") {
            assert_eq!(a, b, "{family}: a dead marking");
            compared += 1;
        }
        let all_four = |(a, b): &(Vec<String>, Vec<String>)| a.len() == 4 && b.len() == 4;
        if let Some((mut a, b)) = both(&coloured, "StateSpace").filter(all_four) {
            if family == "BART" {
                let tokens: u64 = a[1].parse().expect("a number");
                a[1] = (tokens - 62).to_string();
            }
            assert_eq!(a, b, "{family}: most tokens of a place and of a marking, states, firings");
            compared += 1;
        }
        if let Some((a, b)) = both("flat.pnml", "OneSafe") {
            assert_eq!(a, b, "{family}: one-safe places");
            compared += 1;
        }
        if let Some((a, b)) = both(&coloured, "OneSafe") {
            assert!(!yes(&a) || yes(&b), "{family}: one-safe coloured places, {a:?} {b:?}");
            compared += 1;
        }
        if let Some((a, b)) = both("flat.pnml", "QuasiLiveness") {
            assert!(!yes(&b) || yes(&a), "{family}: all bindings can fire, {a:?} {b:?}");
            compared += 1;
        }
        if let Some((a, b)) = both(&coloured, "QuasiLiveness") {
            let transitions_left_out = family == "BART";
            let fits = !yes(&b) || yes(&a) || transitions_left_out;
            assert!(fits, "{family}: all transitions can fire, {a:?} {b:?}");
            compared += 1;
        }
        if let Some((a, b)) = both("flat.pnml", "StableMarking") {
            assert!(!yes(&a) || yes(&b), "{family}: places that never change, {a:?} {b:?}");
            compared += 1;
        }
    }
    // However slow the machine is, deadlocks of most are found.
    assert!(compared >= present * 3, "{compared} of {present} models");
}
