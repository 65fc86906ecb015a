//! A few real instances, where the contest's archives lie beside the repository. All of them are
//! read by `cargo run --release --example read_inputs -- …/inputs/*.tgz`.

use parikh::formula::lower;
use parikh::input::InstanceDirectory;
use std::fs::File;
use std::path::Path;

#[test]
fn real_instances_are_read_and_their_reachability_lowered() {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/mcc/inputs");
    for name in ["AutoFlight-PT-01a", "AirplaneLD-PT-0010", "TokenRing-PT-005"] {
        let Ok(archive) = File::open(inputs.join(format!("{name}.tgz"))) else { continue };
        let directory = tempfile::tempdir().unwrap();
        tar::Archive::new(flate2::read::GzDecoder::new(archive)).unpack(directory.path()).unwrap();
        let instance = InstanceDirectory::open(&directory.path().join(name)).unwrap();
        assert_eq!(instance.is_coloured(), Some(false));
        let net = instance.model().unwrap();
        for examination in
            ["UpperBounds", "ReachabilityCardinality", "ReachabilityFireability", "CTLCardinality"]
        {
            let file = instance.queries(examination, &net).unwrap();
            assert!(file.cut_short.is_none());
            assert_eq!(file.queries.len(), 16);
            for query in file.queries {
                assert!(query.id.starts_with(&format!("{name}-{examination}-")), "{}", query.id);
                let lowered = lower(&query.formula.unwrap(), &net);
                assert!(lowered.is_ok() || examination.starts_with("CTL"), "{}", query.id);
            }
        }
    }
}
