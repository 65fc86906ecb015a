//! Speed and memory of counting all markings by visits.
//!
//! `cargo bench --no-default-features -p parikh-benchmarks --bench counting -- THREADS NET`
//!
//! `NET` is a file in Parikh's text format, for example of the generator `automata`:
//!
//! `cargo run --release -p parikh-generate --example automata -- 5 48 10000 115 1 > NET`

use parikh::engine::explicit;
use parikh::net::{Facts, text};
use parikh::solvers::Budget;
use std::time::Instant;

/// Returns the number after `name` in `/proc/self/status`, in kB.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    // Without arguments, there is nothing to measure.
    let [threads, path] = &words[..] else { return };
    let threads = threads.parse().expect("a number of threads");
    let net = text::parse(&std::fs::read_to_string(path).expect("a file")).expect("a net");
    let begin = Instant::now();
    let space = explicit::count(&net, &Facts::empty(&net), threads, &Budget::unlimited());
    let seconds = begin.elapsed().as_secs_f64();
    let space = space.expect("enough memory");
    let peak_bytes = status("VmHWM") * 1024.0;
    println!(
        "{}: {threads} threads, {} markings, {} firings, {seconds:.1} s, {:.2} M markings/s, \
         {:.2} GB, {:.1} bytes per marking",
        net.name(),
        space.states,
        space.firings,
        space.states as f64 / seconds / 1e6,
        peak_bytes / 1e9,
        peak_bytes / space.states as f64,
    );
}
