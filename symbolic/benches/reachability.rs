//! Benchmark of reachable sets as diagrams: saturation with and without separate read arcs.
//!
//! `cargo bench -p parikh-symbolic --bench reachability [-- FILTER]`

mod models;

use models::{Model, kanban, philosophers, slotted_ring, token_ring};
use parikh_symbolic::{Diagrams, Limits, TransitionRelation, with_stack};
use std::time::{Duration, Instant};

/// Returns the processor time of this thread in seconds, or 0 if Linux does not report it.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|text| text.parse::<f64>().ok());
    nanoseconds.unwrap_or(0.0) / 1e9
}

fn run(model: &Model, how: &str) {
    let levels = model.initial.len() as u32;
    let relation =
        TransitionRelation::with_reads(levels, &model.transitions, how != "plain").unwrap();
    let start = Instant::now();
    let stop = move |_: &_| start.elapsed() > Duration::from_secs(60);
    let report = with_stack(levels as usize, || {
        let mut diagrams = Diagrams::new(Limits { bytes: 4 << 30, stop: &stop });
        let cpu_before = cpu();
        let initial = diagrams.single(&model.initial).unwrap();
        let set = diagrams.reachable(&relation, initial);
        let time = cpu() - cpu_before;
        let figures = diagrams.figures();
        match set.and_then(|set| diagrams.count(set)) {
            Ok(count) => {
                let digits = count.to_string();
                let count = if digits.len() > 12 {
                    format!("{}.{}e{}", &digits[..1], &digits[1..3], digits.len() - 1)
                } else {
                    digits
                };
                let bytes = figures.bytes as f64 / figures.peak as f64;
                format!(
                    "{time:8.3} s  {count:>12} markings  {:>10} nodes at most  {bytes:5.1} bytes a node",
                    figures.peak
                )
            }
            Err(stop) => format!("{time:8.3} s  {stop}  {} nodes", figures.peak),
        }
    });
    println!("{:20} {how:9} {}", model.name, report.unwrap());
}

fn main() {
    let filter: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let models = [100, 300, 1000].map(philosophers).into_iter();
    let models = models.chain([20, 50, 100].map(slotted_ring));
    let models = models.chain([10, 20, 40, 100].map(kanban));
    let models = models.chain([50, 200, 500].map(token_ring));
    for model in models.filter(|m| filter.is_empty() || filter.iter().any(|f| m.name.contains(f))) {
        for how in ["saturate", "plain"] {
            run(&model, how);
        }
    }
}
