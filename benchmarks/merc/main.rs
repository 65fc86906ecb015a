//! `parikh-symbolic` and the crate `merc_ldd` side by side: the same nets in the same orders, one run.
//!
//! `cargo run --release [-- [--seconds S] [NET …]]`, here.
//!
//! merc_ldd has union, difference and a relational product, and no saturation: reachability is breadth-first on
//! both sides, with and without chaining, and saturation stands beside it. Its relations are diagrams themselves: that
//! of a transition lists the values before and after, which for a place of at most k tokens are k pairs. Each
//! side counts what it has found; where counts differ, the program fails.
//!
//! Union and relational product alone: of the sets after each of the first rounds all images under all transitions, and
//! their unions with these, from empty caches.
//!
//! Times are milliseconds of the processor, as others may work on the machine; memory is what the allocator hands out.

#[path = "../memory.rs"]
mod memory;
#[path = "../../symbolic/benches/models.rs"]
mod models;
mod ours;
mod theirs;

use models::{Model, kanban, philosophers, slotted_ring, token_ring};
use num_bigint::BigUint;
use std::time::Duration;

/// What one way to the reachable set took.
pub(crate) struct Found {
    pub(crate) seconds: f64,
    /// `None` where time was over.
    pub(crate) count: Option<BigUint>,
    /// The most bytes at one time.
    pub(crate) bytes: usize,
}

/// Seconds for all unions and all images, and the numbers of members of the results.
#[derive(Default)]
pub(crate) struct Operations {
    pub(crate) union: f64,
    pub(crate) product: f64,
    pub(crate) counts: Vec<BigUint>,
}

/// Seconds that this thread has had a processor: others work on the machine, too.
pub(crate) fn cpu() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes to a timespec of ours, and to nothing else.
    let failed = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(failed, 0, "the system has a clock for each thread");
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// A net with the most tokens that each place holds.
pub(crate) struct Case {
    pub(crate) model: Model,
    pub(crate) most: u64,
}

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

fn main() {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let mut limit = Duration::from_secs(60);
    if let Some(at) = names.iter().position(|name| name == "--seconds") {
        let seconds = names.get(at + 1).and_then(|text| text.parse().ok());
        limit = Duration::from_secs(seconds.expect("--seconds wants a number"));
        names.drain(at..at + 2);
    }
    let safe = |model| Case { model, most: 1 };
    let mut cases: Vec<Case> = Vec::new();
    cases.extend([4, 7, 10].map(philosophers).map(safe));
    cases.extend([3, 5, 6].map(slotted_ring).map(safe));
    cases.extend([3, 5, 8].map(|cards| Case { model: kanban(cards), most: cards }));
    cases.extend([5, 10, 15].map(token_ring).map(safe));
    println!(
        "| net | markings | | unions | products | breadth-first | chaining | saturation | MB, breadth-first |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for case in cases {
        let name = &case.model.name;
        if names.is_empty() || names.iter().any(|wanted| name.starts_with(wanted.as_str())) {
            compare(&case, limit);
        }
    }
}

fn compare(case: &Case, limit: Duration) {
    let name = &case.model.name;
    let [breadth, chaining, saturation] = ours::reach(case, limit);
    let our_operations = ours::operations(case);
    let count = saturation.count.clone().expect("saturation ends in time");
    let theirs = theirs::reach(case, limit);
    let their_operations = theirs::operations(case);
    let row = |who: &str, operations: &Operations, found: [&Found; 2], saturation: String| {
        let seconds = |found: &Found| match found.count {
            Some(_) => format!("{:.2}", found.seconds * 1e3),
            None => format!("> {}", limit.as_millis()),
        };
        let (name, count) = match who {
            "parikh" => (name.as_str(), short(&count)),
            _ => ("", String::new()),
        };
        println!(
            "| {name} | {count} | {who} | {:.3} | {:.2} | {} | {} | {saturation} | {:.1} |",
            operations.union * 1e3 / REPEATED as f64,
            operations.product * 1e3 / REPEATED as f64,
            seconds(found[0]),
            seconds(found[1]),
            found[0].bytes as f64 / 1e6
        );
    };
    let seconds = format!("{:.2}", saturation.seconds * 1e3);
    row("parikh", &our_operations, [&breadth, &chaining], seconds);
    row("merc_ldd", &their_operations, [&theirs[0], &theirs[1]], String::new());
    for found in [&breadth, &chaining, &theirs[0], &theirs[1]] {
        assert!(found.count.as_ref().is_none_or(|other| *other == count), "{name}: counts differ");
    }
    assert_eq!(our_operations.counts, their_operations.counts, "{name}: counts differ");
}

/// A number, or its first digits.
fn short(count: &BigUint) -> String {
    let digits = count.to_string();
    match digits.len() {
        0..=12 => digits,
        more => format!("{}.{}e{}", &digits[..1], &digits[1..3], more - 1),
    }
}

/// Sets as a run makes them: the markings after each of so many rounds.
pub(crate) const ROUNDS: usize = 12;

/// How often operations are repeated.
pub(crate) const REPEATED: usize = 20;
