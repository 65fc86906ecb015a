//! Reads everything it is given and counts: contest archives (`.tgz`), instance directories, nets
//! (`.pnml`). One line for each net that stands alone, a summary at the end, exit code 1 when
//! anything was refused that should not be.
//!
//!     cargo run --release --no-default-features --example read_inputs -- ../shared/mcc/inputs/*

use parikh::formula::lower;
use parikh::input::{InputError, read_net_from, read_queries_from};
use parikh_net::Net;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const EXAMINATIONS: [&str; 7] = [
    "UpperBounds",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
];

#[derive(Default)]
struct Counts {
    nets: usize,
    with_units: usize,
    coloured: usize,
    query_files: usize,
    /// Counts by examination: formulas, well read, lowered to reachability.
    formulas: BTreeMap<&'static str, [usize; 3]>,
    failures: usize,
    slowest: (f64, String),
}

impl Counts {
    fn fail(&mut self, problem: impl std::fmt::Display) {
        eprintln!("{problem}");
        self.failures += 1;
    }

    fn timed(&mut self, name: &str, start: Instant) -> f64 {
        let seconds = start.elapsed().as_secs_f64();
        if seconds > self.slowest.0 {
            self.slowest = (seconds, name.to_owned());
        }
        seconds
    }

    fn net(&mut self, name: &str, bytes: &[u8]) -> Option<Net> {
        let start = Instant::now();
        match read_net_from(bytes, name) {
            Ok(net) => {
                self.timed(name, start);
                self.nets += 1;
                self.with_units += usize::from(net.units().is_some());
                let nupn = bytes.windows(12).any(|window| window == b"<structure u");
                if nupn && net.units().is_none() {
                    self.fail(format!("{name}: units were left out"));
                }
                Some(net)
            }
            Err(InputError::Coloured { .. }) => {
                self.coloured += 1;
                None
            }
            Err(problem) => {
                self.fail(problem);
                None
            }
        }
    }

    fn queries(&mut self, examination: &'static str, name: &str, bytes: &[u8], net: &Net) {
        let start = Instant::now();
        let file = match read_queries_from(bytes, name, net) {
            Ok(file) => file,
            Err(problem) => return self.fail(problem),
        };
        self.timed(name, start);
        self.query_files += 1;
        if let Some(problem) = file.cut_short {
            self.fail(problem);
        }
        let must_lower = examination.starts_with("Reach") || examination == "UpperBounds";
        for query in file.queries {
            let counts = self.formulas.entry(examination).or_default();
            counts[0] += 1;
            match query.formula.as_ref().map(|formula| lower(formula, net)) {
                Ok(lowered) => {
                    counts[1] += 1;
                    counts[2] += usize::from(lowered.is_ok());
                    if let (true, Err(problem)) = (must_lower, lowered) {
                        self.fail(format!("{}: {problem}", query.id));
                    }
                }
                Err(problem) => self.fail(format!("{name}: {problem}")),
            }
        }
    }

    fn files(&mut self, name: &str, files: &BTreeMap<String, Vec<u8>>) {
        let Some(model) = files.get("model.pnml") else {
            return self.fail(format!("{name}: no model.pnml"));
        };
        let Some(net) = self.net(&format!("{name}/model.pnml"), model) else { return };
        for examination in EXAMINATIONS {
            let file = format!("{examination}.xml");
            if let Some(bytes) = files.get(&file) {
                self.queries(examination, &format!("{name}/{file}"), bytes, &net);
            }
        }
    }
}

fn archive(path: &Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let file = BufReader::new(File::open(path)?);
    for entry in tar::Archive::new(flate2::read::GzDecoder::new(file)).entries()? {
        let mut entry = entry?;
        let name = entry.path()?.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        files.insert(name.unwrap_or_default(), bytes);
    }
    Ok(files)
}

fn directory(path: &Path) -> std::io::Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        files
            .insert(entry.file_name().to_string_lossy().into_owned(), std::fs::read(entry.path())?);
    }
    Ok(files)
}

fn main() -> ExitCode {
    let mut counts = Counts::default();
    for argument in std::env::args().skip(1) {
        let path = Path::new(&argument);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if argument.ends_with(".pnml") {
            // Through the file, as users do, so that memory can be measured.
            let start = Instant::now();
            match parikh::input::read_net(path) {
                Ok(net) => println!(
                    "{argument}: {} places, {} transitions, {} arcs, {:.2} s",
                    net.place_count(),
                    net.transition_count(),
                    net.arc_count(),
                    counts.timed(&argument, start)
                ),
                Err(problem) => counts.fail(problem),
            }
            continue;
        }
        let files = if argument.ends_with(".tgz") { archive(path) } else { directory(path) };
        match files {
            Ok(files) => counts.files(&name, &files),
            Err(problem) => counts.fail(format!("{argument}: {problem}")),
        }
    }
    println!(
        "{} nets ({} with units), {} coloured ones refused, {} query files, {} failures; \
         slowest: {:.2} s for {}",
        counts.nets,
        counts.with_units,
        counts.coloured,
        counts.query_files,
        counts.failures,
        counts.slowest.0,
        counts.slowest.1
    );
    for (examination, [all, read, lowered]) in counts.formulas {
        println!("{examination}: {all} formulas, {read} read, {lowered} lowered");
    }
    ExitCode::from(u8::from(counts.failures > 0))
}
