//! Prints a random net of synchronised automata.
//!
//! ```text
//! cargo run -p parikh-generate --example automata -- 5 48 10000 115 1 > automata.parikh
//! ```

use parikh_generate::{Automata, synchronised_automata};

fn main() {
    let arguments = std::env::args().skip(1).map(|argument| argument.parse());
    let numbers: Result<Vec<u32>, _> = arguments.collect();
    let Ok([automata, states, transitions, targets, seed]) = numbers.as_deref() else {
        eprintln!("expected: AUTOMATA STATES TRANSITIONS TARGETS SEED");
        std::process::exit(2);
    };
    let size = Automata {
        automata: *automata,
        states: *states,
        transitions: *transitions,
        targets: *targets,
    };
    print!("{}", parikh_net::text::print(&synchronised_automata(u64::from(*seed), size)));
}
