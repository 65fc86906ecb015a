//! The automaton of a formula in the format HOA v1, which tools for ω-automata read.
//!
//! ```text
//! cargo run -p parikh-temporal --example hoa -- 'G(a -> F b)'
//! ```

use parikh_temporal::{AtomNames, Automaton, AutomatonLimits, LINEAR_RULES, Ltl, parse_ltl};

fn main() {
    for text in std::env::args().skip(1) {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = match parse_ltl(&text, &mut formulas, &mut names) {
            Ok(formula) => formula,
            Err(error) => {
                eprintln!("{text}: {error}");
                std::process::exit(2)
            }
        };
        let (formula, _) = formulas.rewritten(formula, LINEAR_RULES, 100_000);
        match Automaton::of(&mut formulas, formula, AutomatonLimits::default()) {
            Ok(automaton) => print!("{}", automaton.hoa(&names)),
            Err(error) => eprintln!("{}: {error}", formulas.text(formula, &names)),
        }
    }
}
