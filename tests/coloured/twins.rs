//! Models that exist as a coloured net and as a place/transition net: answers about both forms
//! agree. The archives are the contest's; without them nothing is tested.
//!
//! Not every question is equivalent for both forms:
//! - The deadlock question and the state space are. Only the most tokens of a marking differ for
//!   BART, whose place/transition form lacks the 62 places that never change.
//! - OneSafe adds up the colours of a coloured place, so it may be FALSE for the coloured form
//!   only. On the unfolding's places, the question is equivalent.
//! - QuasiLiveness is about some binding of each coloured transition, and about every transition of
//!   the other form. If it holds for the latter, it holds for the former. BART's coloured form has
//!   transitions without fireable bindings, which the other form lacks.
//! - StableMarking is about sums of coloured places or about single places, and neither answer
//!   implies the other. On the unfolding's places, the question is equivalent except for places
//!   that never hold a token, which our unfolding omits.

use crate::support::binary::TestDirectory;
use crate::support::outside;
use std::collections::BTreeMap;
use std::fs::File;

/// The families, with the parameters of both forms.
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

/// Unpacks an archive into the directory, if the archive is present.
fn unpack(directory: &TestDirectory, name: &str) -> Option<()> {
    let archive = File::open(outside::archive(name)?).expect("readable");
    let archive = flate2::read::GzDecoder::new(archive);
    tar::Archive::new(archive).unpack(directory.path()).expect("an archive");
    Some(())
}

/// Returns the values of the answers about a model within 2 s, sorted by the names of the
/// questions. Returns `None` if there is no answer.
fn ask(directory: &TestDirectory, model: &str, examination: &str) -> Option<Vec<String>> {
    let arguments = ["check", model, "-e", examination, "-t", "2s", "--format", "mcc"];
    let (_, stdout, _) = directory.outputs(&arguments);
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
fn both_forms_of_a_model_have_the_same_answers() {
    let (mut compared, mut present) = (0, 0);
    for (family, parameters) in TWINS {
        let directory = TestDirectory::new();
        let [coloured, plain] = ["COL", "PT"].map(|form| format!("{family}-{form}-{parameters}"));
        if unpack(&directory, &coloured).is_none() || unpack(&directory, &plain).is_none() {
            continue;
        }
        present += 1;
        directory.outputs(&["unfold", &coloured, "--every-binding", "-o", "flat.pnml"]);
        let both = |model: &str, examination: &str| {
            Some((ask(&directory, model, examination)?, ask(&directory, &plain, examination)?))
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
    // Even on a slow machine, most deadlock questions are answered.
    assert!(compared >= present * 3, "{compared} of {present} models");
}
