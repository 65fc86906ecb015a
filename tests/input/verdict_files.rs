//! Verdict files: written and read back, valid by the contest's grammar, and error messages for
//! invalid files.

use crate::support::binary::repository;
use crate::support::outside::{archives, skipped};
use crate::support::scale::cases;
use parikh::input::Element;
use parikh::mcc::Examination;
use parikh::verdicts::{
    Category, FormatVersion, KeyProperty, KeyVerdict, StatedBy, TECHNIQUES, Truth, VerdictFile,
    VerdictValue, read_from,
};
use proptest::prelude::*;
use std::process::Command;

fn read(text: &str) -> Result<VerdictFile, String> {
    read_from(text.as_bytes(), "f").map_err(|error| error.to_string())
}

/// Returns a complete file around some verdicts, which begin in line 3.
fn file(version: &str, verdicts: &str) -> String {
    format!(
        "<toolspecific tool=\"propertiesverdict\" version=\"{version}\">\n\
         <modelreference modelname=\"m\"/>\n{verdicts}\n</toolspecific>"
    )
}

#[track_caller]
fn wrong(version: &str, verdicts: &str, expected: &str) {
    assert_eq!(read(&file(version, verdicts)), Err(expected.to_owned()));
}

const SAFE: &str = "<verdict category=\"GENERIC\" reference=\"SAFE\" value=\"true\"";

fn full() -> VerdictFile {
    let mut trace = Element::new("x:anything").with_attribute("xmlns:x", "http://example.org");
    trace.push(
        Element::new("step").with_attribute("name", "a < \"b\" & c").with_text(" mixed & text "),
    );
    VerdictFile {
        version: FormatVersion::V2,
        model: "Model <&> \"name\"".into(),
        verdicts: vec![
            KeyVerdict {
                category: Category::Generic,
                reference: "SOURCE_TRANSITION".into(),
                value: VerdictValue::Truth(Truth::Unknown),
                instances: vec!["Model-PT-1".into(), "Model-PT-2".into()],
                explanation: Some("true on 8 instance(s) out of 9,\nsee é".into()),
                stated_by: Some(StatedBy {
                    tool: "Parikh".into(),
                    version: "0.1".into(),
                    date: Some("2021-04-30T09:49:19.563+02:00".into()),
                    reference: Some("https://example.org/a?b=c&d=e".into()),
                }),
                techniques: TECHNIQUES.map(str::to_owned).to_vec(),
                trace: Some(trace),
            },
            KeyVerdict {
                category: Category::Examination(Examination::StateSpace),
                reference: "STATE_SPACE STATES".into(),
                value: VerdictValue::Text("123".into()),
                instances: Vec::new(),
                explanation: Some(String::new()),
                stated_by: None,
                techniques: Vec::new(),
                trace: None,
            },
            KeyVerdict {
                category: Category::Other("my own".into()),
                reference: "anything".into(),
                value: VerdictValue::Text("true".into()),
                instances: Vec::new(),
                explanation: None,
                stated_by: None,
                techniques: Vec::new(),
                trace: Some(Element::new("empty")),
            },
        ],
    }
}

#[test]
fn printed_files_are_read_back_unchanged() {
    assert_eq!(read(&full().print()), Ok(full()));
}

#[test]
fn version_1_becomes_version_2() {
    let verdict = |value: &str| {
        format!(
            "<verdict category='GENERIC' reference=' QUASI_LIVE ' value='{value}'>\
             <explanation>trust me</explanation></verdict>"
        )
    };
    for (old, new) in [("true", Truth::False), ("false", Truth::True), ("unknown", Truth::Unknown)]
    {
        let read = read(&file("1.0", &verdict(old))).unwrap();
        assert_eq!(read.version, FormatVersion::V1);
        assert_eq!(read.verdicts[0].reference, "DEAD_TRANSITIONS");
        assert_eq!(read.verdicts[0].value, VerdictValue::Truth(new));
        let explanation = format!("QUASI_LIVE is {old}: trust me");
        assert_eq!(read.verdicts[0].explanation.as_deref(), Some(explanation.as_str()));
        let again = self::read(&read.print()).unwrap();
        assert_eq!((again.version, again.verdicts), (FormatVersion::V2, read.verdicts));
    }
    wrong(
        "2.0",
        &verdict("true"),
        "f:3:1: the key `QUASI_LIVE` belongs to version 1.0, expected `DEAD_TRANSITIONS`, its \
         opposite",
    );
    wrong(
        "1.0",
        "<verdict category='GENERIC' reference='DEAD_PLACES' value='true'/>",
        "f:3:1: the key `DEAD_PLACES` belongs to version 2.0, but the file has version 1.0",
    );
}

#[test]
fn errors_have_their_position() {
    wrong("3.0", &format!("{SAFE}/>"), "f:1:1: found version `3.0`, expected `1.0` or `2.0`");
    wrong("2.0", "", "f:1:1: no `<verdict>`, expected at least one");
    wrong(
        "2.0",
        &SAFE.replace("true\"", "1\"/>"),
        "f:3:1: found value `1`, expected `true`, `false` or `unknown`",
    );
    wrong(
        "2.0",
        "<verdict category='GENERIC' value='true'/>",
        "f:3:1: `<verdict>` has no attribute `reference`\n\
         f:3:1: `` is not a key, expected one of ORDINARY, SIMPLE_FREE_CHOICE, \
         EXTENDED_FREE_CHOICE, STATE_MACHINE, MARKED_GRAPH, CONNECTED, STRONGLY_CONNECTED, \
         SOURCE_PLACE, SINK_PLACE, SOURCE_TRANSITION, SINK_TRANSITION, LOOP_FREE, CONSERVATIVE, \
         SUBCONSERVATIVE, NESTED_UNITS, SAFE, DEAD_PLACES, DEAD_TRANSITIONS, DEADLOCK, REVERSIBLE, \
         LIVE",
    );
    wrong(
        "2.0",
        &format!("{SAFE}>\n<statedby tool='t' version='1'/>\n<explanation/></verdict>"),
        "f:5:1: found `<explanation>` after `<statedby>`, expected it before",
    );
    wrong(
        "2.0",
        &format!("{SAFE}><explanation/><explanation/></verdict>"),
        "f:3:73: a second `<explanation>`, expected at most one",
    );
    wrong(
        "2.0",
        &format!("{SAFE}><techniques><technique>MAGIC</technique></techniques></verdict>"),
        "f:3:71: `MAGIC` is not a technique, expected one of SEQUENTIAL_PROCESSING, \
         PARALLEL_PROCESSING, COLLATERAL_PROCESSING, ABSTRACTIONS, DECISION_DIAGRAMS, EXPLICIT, \
         NET_UNFOLDING, UNFOLDING_TO_PT, STRUCTURAL_REDUCTION, SAT_SMT, STATE_COMPRESSION, \
         STUBBORN_SETS, SYMMETRIES, TOPOLOGICAL, USE_NUPN, IMPLICIT",
    );
    wrong(
        "2.0",
        &format!(
            "{SAFE}><statedby tool='t' version='1' date='yesterday' reference='me'/></verdict>"
        ),
        "f:3:59: found date `yesterday`, expected one like `2018-01-01T10:00:05Z`\n\
         f:3:59: found reference `me`, expected a valid `http://…` or `https://…`",
    );
    wrong(
        "2.0",
        &format!("{SAFE}><trace/>why</verdict><verdikt/>"),
        "f:3:1: the text `why` in `<verdict>`, expected elements only\n\
         f:3:59: an empty `<trace>`, expected one element in it\n\
         f:3:80: found `<verdikt>`, expected `<verdict>`",
    );
    wrong(
        "2.0",
        &format!("{SAFE} color='red'/>"),
        "f:3:1: `<verdict>` has an attribute `color`, which the format does not have",
    );
    assert_eq!(
        read(
            "<toolspecific tool='nupn' version='2.0'><verdict category='a' reference='b' value='c'/></toolspecific>"
        ),
        Err("f:1:1: found tool `nupn`, expected `propertiesverdict`\n\
             f:1:1: no `<modelreference>`, expected one as the first element"
            .into())
    );
    assert_eq!(
        read("<pnml/>"),
        Err("f:1:1: found `<pnml>`, expected `<toolspecific>`; is this the right file?".into())
    );
}

/// Returns true if the file is valid by the contest's grammar. Returns `None` without a validator.
fn is_valid(text: &str) -> Option<bool> {
    let grammar = repository("tests/data/verdict.rng");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdict.xml");
    std::fs::write(&path, text).unwrap();
    let output =
        Command::new("xmllint").arg("--noout").arg("--relaxng").arg(grammar).arg(path).output();
    match output {
        Ok(output) => Some(output.status.success()),
        Err(_) => {
            skipped("xmllint is not installed: nothing was validated");
            None
        }
    }
}

fn stated(attribute: &str) -> String {
    file("2.0", &format!("{SAFE}><statedby tool='t' version='1' {attribute}/></verdict>"))
}

#[test]
fn values_that_the_grammar_allows_are_accepted() {
    for fine in [
        stated("date='2018-01-01T24:00:00Z'"),
        stated("date='2020-02-29T10:00:05.5-00:00'"),
        stated("reference='https://[::1]:80/x%20y?z#w'"),
        file("2.0", &SAFE.replace("true\"", " true\n\"/>")),
    ] {
        assert!(read(&fine).is_ok(), "{fine}: {:?}", read(&fine));
        assert_ne!(is_valid(&fine), Some(false), "{fine}");
    }
}

#[test]
fn written_files_are_valid_by_the_grammar_and_mistaken_ones_are_not() {
    assert_ne!(is_valid(&full().print()), Some(false));
    // The grammar rejects the files that our reader rejects, which shows that the validation is
    // effective.
    for mistaken in [
        file("3.0", &format!("{SAFE}/>")),
        file("2.0", ""),
        file("2.0", &SAFE.replace("true\"", "1\"/>")),
        file("2.0", &SAFE.replace("SAFE", "QUASI_LIVE").replace("true\"", "true\"/>")),
        file("2.0", &format!("{SAFE}><trace/></verdict>")),
        file("2.0", &format!("{SAFE}><statedby tool='t' version='1' date='yesterday'/></verdict>")),
        file("2.0", &format!("{SAFE}><statedby tool='t' version='1'/><explanation/></verdict>")),
        file("2.0", &format!("{SAFE}><techniques/></verdict>")),
        file("2.0", &SAFE.replace("true\"", "true\u{a0}\"/>")),
        file("2.0", &format!("{SAFE}/>"))
            .replace("<toolspecific", "<toolspecific xmlns='http://x'"),
        file("2.0", &format!("{SAFE}><explanation>&#1;</explanation></verdict>")),
        stated("date='2021-02-29T10:00:05Z'"),
        stated("date='2018-01-01T10:00:05Z05:00'"),
        stated("reference=' http://x'"),
        stated("reference='http://['"),
        stated("reference='http://x%zz'"),
        stated("reference='http://x#y#z'"),
    ] {
        assert!(read(&mistaken).is_err(), "{mistaken}");
        assert_ne!(is_valid(&mistaken), Some(true), "{mistaken}");
    }
    let right = file("2.0", &format!("{SAFE}/>"));
    assert!(read(&right).is_ok());
    assert_ne!(is_valid(&right), Some(false));
}

#[test]
fn real_files_are_read_with_all_their_keys() {
    let (mut files, mut keys) = (0, 0);
    for archive in archives(10) {
        let mut entries =
            tar::Archive::new(flate2::read::GzDecoder::new(std::fs::File::open(&archive).unwrap()));
        for entry in entries.entries().unwrap() {
            let entry = entry.unwrap();
            if !entry.path().unwrap().ends_with("GenericPropertiesVerdict.xml") {
                continue;
            }
            let read = read_from(std::io::BufReader::new(entry), "real");
            let read = read.unwrap_or_else(|error| panic!("{}: {error}", archive.display()));
            let name = archive.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(parikh::verdicts::is_about(&read.model, &name), "{name}: {}", read.model);
            let known = |verdict: &&KeyVerdict| KeyProperty::named(&verdict.reference).is_some();
            assert_eq!(read.verdicts.iter().filter(known).count(), read.verdicts.len());
            // Some models lack a verdict on one key.
            assert!(read.verdicts.len() >= 20, "{name}: {}", read.verdicts.len());
            assert_eq!(self::read(&read.print()), Ok(read.clone()));
            files += 1;
            keys += read.verdicts.len();
        }
    }
    println!("{files} real files read, {keys} verdicts");
}

fn text() -> impl Strategy<Value = String> {
    // Attributes and explanations are read without surrounding blanks.
    "[ -~éß\n\t]{0,12}".prop_map(|text: String| text.trim().to_owned())
}

fn verdict() -> impl Strategy<Value = KeyVerdict> {
    let property = prop::sample::select(KeyProperty::all().collect::<Vec<_>>());
    let truth = prop::sample::select(vec![Truth::True, Truth::False, Truth::Unknown]);
    let generic = (property, truth).prop_map(|(property, truth)| {
        (Category::Generic, property.name().to_owned(), VerdictValue::Truth(truth))
    });
    let other = ("[a-z]{1,8}", text(), text()).prop_map(|(category, key, value)| {
        (Category::Other(category), key, VerdictValue::Text(value))
    });
    let stated_by = (text(), text()).prop_map(|(tool, version)| StatedBy {
        tool,
        version,
        date: Some(parikh::verdicts::now()),
        reference: None,
    });
    let techniques = prop::sample::subsequence(TECHNIQUES.to_vec(), 0..4);
    let trace = (text(), text())
        .prop_map(|(value, text)| Element::new("a").with_attribute("x", &value).with_text(&text));
    (
        prop_oneof![generic, other],
        prop::collection::vec(text(), 0..3),
        prop::option::of(text()),
        prop::option::of(stated_by),
        techniques,
        prop::option::of(trace),
    )
        .prop_map(
            |(
                (category, reference, value),
                instances,
                explanation,
                stated_by,
                techniques,
                trace,
            )| {
                let techniques = techniques.into_iter().map(str::to_owned).collect();
                KeyVerdict {
                    category,
                    reference,
                    value,
                    instances,
                    explanation,
                    stated_by,
                    techniques,
                    trace,
                }
            },
        )
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn random_files_are_read_back(
        model in text(),
        verdicts in prop::collection::vec(verdict(), 1..4),
    ) {
        let file = VerdictFile { version: FormatVersion::V2, model, verdicts };
        prop_assert_eq!(read(&file.print()), Ok(file));
    }
}
