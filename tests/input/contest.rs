//! Some instances of the contest, if its archives lie beside the repository.

use crate::support::outside;
use parikh::formula::lower;
use parikh::input::{InputError, read_net, read_queries};
use std::fs::File;
use std::path::PathBuf;

/// Returns the unpacked archive, if it is present.
fn unpacked(name: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let archive = File::open(outside::archive(name)?).expect("readable");
    let directory = tempfile::tempdir().unwrap();
    tar::Archive::new(flate2::read::GzDecoder::new(archive)).unpack(directory.path()).unwrap();
    let instance = directory.path().join(name);
    Some((directory, instance))
}

#[test]
fn real_instances_are_read_and_their_reachability_lowered() {
    // Nested units; an unfolded coloured net; blanks before `=`; names that differ from ids.
    let names = [
        "AutoFlight-PT-01a",
        "AirplaneLD-PT-0010",
        "RefineWMG-PT-002002",
        "DBSingleClientW-PT-d0m04",
    ];
    for name in names {
        let Some((_directory, path)) = unpacked(name) else { continue };
        let net = read_net(&path.join("model.pnml")).unwrap();
        for (examination, reachability) in [
            ("UpperBounds", true),
            ("ReachabilityCardinality", true),
            ("ReachabilityFireability", true),
            ("CTLCardinality", false),
            ("CTLFireability", false),
            ("LTLCardinality", false),
            ("LTLFireability", false),
        ] {
            let file = read_queries(&path.join(format!("{examination}.xml")), &net).unwrap();
            assert!(file.cut_short.is_none());
            assert_eq!(file.queries.len(), 16);
            for query in file.queries {
                assert!(query.id.starts_with(&format!("{name}-{examination}-")), "{}", query.id);
                let lowered = lower(&query.formula.unwrap(), &net);
                assert!(lowered.is_ok() || !reachability, "{}", query.id);
            }
        }
    }
}

#[test]
fn a_real_coloured_instance_is_refused_at_its_net_element() {
    let Some((_directory, path)) = unpacked("AirplaneLD-COL-0010") else { return };
    let net = read_net(&path.join("model.pnml"));
    assert!(matches!(net, Err(InputError::Coloured { at, .. }) if at.line < 10));
}
