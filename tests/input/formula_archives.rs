//! The contest's text files and XML files contain the same formulas, and every printed formula can
//! be read back.
//!
//! The test uses the contest's smallest archives, and all archives with `PARIKH_SCALE=20` (half a
//! minute).

use crate::support::outside::archives;
use flate2::read::GzDecoder;
use parikh::formula::text::{TextLanguage, detect, read, read_one};
use parikh::input::{read_net_from, read_queries_from};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const FILES: [&str; 7] = [
    "UpperBounds",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
    "ReachabilityCardinality",
    "ReachabilityFireability",
];

/// Number of archives at scale 1.
const USUAL: u64 = 15;

fn contents(archive: &Path) -> HashMap<String, Vec<u8>> {
    let mut files = HashMap::new();
    let mut archive = tar::Archive::new(GzDecoder::new(File::open(archive).unwrap()));
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(path.file_name().unwrap().to_string_lossy().into_owned(), bytes);
    }
    files
}

#[test]
fn texts_are_the_same_trees_as_their_xml_and_prints_read_back() {
    let (mut instances, mut formulas, mut printed) = (0, 0, 0);
    for archive in archives(USUAL) {
        let files = contents(&archive);
        let shown = archive.display();
        let net = read_net_from(&files["model.pnml"][..], "model.pnml").unwrap();
        instances += 1;
        for name in FILES {
            let queries = match read_queries_from(&files[&format!("{name}.xml")][..], name, &net) {
                Ok(queries) => queries.queries,
                Err(error) => panic!("{shown} {name}: {error}"),
            };
            let text = std::str::from_utf8(&files[&format!("{name}.txt")]).unwrap();
            assert_eq!(detect(text), TextLanguage::Contest, "{shown} {name}");
            let texts = read(text, name, TextLanguage::Contest, &net, true);
            assert_eq!(texts.len(), queries.len(), "{shown} {name}");
            for (text, query) in texts.iter().zip(&queries) {
                let expected = query.formula.as_ref().unwrap();
                match &text.formula {
                    Ok(formula) => {
                        assert!(formula == expected, "{shown} {}: another tree", query.id)
                    }
                    Err(error) => panic!("{shown} {}: {error:#}", query.id),
                }
                formulas += 1;
                // These files contain no conjunctions or disjunctions of a single operand.
                let print = expected.print(&net).to_string();
                match read_one(&print, "print", &net).formula {
                    Ok(formula) => assert!(formula == *expected, "{shown} {}: {print}", query.id),
                    Err(error) => panic!("{shown} {}: {error:#}", query.id),
                }
                printed += 1;
            }
        }
    }
    println!(
        "{formulas} formulas of {instances} instances are the same; {printed} prints read back"
    );
}
