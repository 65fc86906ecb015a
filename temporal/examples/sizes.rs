//! Sizes of automata over lists of formulas, as a table in Markdown.
//!
//! ```text
//! cargo run --release -p parikh-temporal --example sizes -- [--negated] [--each] LIST...
//! ```
//!
//! A list has one LTL formula per line; empty lines and lines that begin with `#` are skipped. Each
//! formula is rewritten, translated, checked against its obligations, and simplified. `--negated`
//! uses the negations. `--each` prints a line for each formula before the table.

use parikh_temporal::{
    AtomNames, Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, LINEAR_RULES,
    LinearTableau, Ltl, Strength, TableauRefusal, parse_ltl,
};
use std::path::Path;
use std::time::{Duration, Instant};

/// Limit on the number of cases of the checker per formula.
const CASES: usize = 5_000_000;

const COLUMNS: [&str; 14] = [
    "list",
    "formulas",
    "too large",
    "states as translated",
    "states",
    "edges",
    "transitions",
    "marks",
    "deterministic",
    "terminal, weak, strong",
    "checked",
    "translated in",
    "slowest",
    "checked in",
];

/// Totals over a list.
#[derive(Default)]
struct SizeTotals {
    formulas: usize,
    too_large: usize,
    /// Number of states before simplification.
    unsimplified_states: usize,
    states: usize,
    edges: usize,
    /// Number of pairs of an edge and a letter that it reads, over the atoms of the original
    /// formula.
    transitions: u64,
    marks: usize,
    deterministic: usize,
    /// Numbers of terminal, weak and strong automata. The first includes automata that accept
    /// nothing.
    strengths: [usize; 3],
    /// Number of automata whose check needed more than [`CASES`] cases.
    unchecked: usize,
    /// Time for rewriting, translation and simplification, in total and for the slowest formula.
    translation_time: Duration,
    slowest_translation: Duration,
    /// Total time for checks.
    checking_time: Duration,
}

fn main() {
    let (mut negated, mut each, mut lists) = (false, false, Vec::new());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--negated" => negated = true,
            "--each" => each = true,
            _ => lists.push(argument),
        }
    }
    let mut rows = Vec::new();
    for list in &lists {
        let text = std::fs::read_to_string(list).unwrap_or_else(|error| {
            eprintln!("{list}: {error}; expected a file with one LTL formula a line");
            std::process::exit(2)
        });
        let mut sums = SizeTotals::default();
        for (number, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            if let Err(error) = measure(line, negated, each, &mut sums) {
                eprintln!("{list}:{}: {error}", number + 1);
                std::process::exit(2);
            }
        }
        let name =
            Path::new(list).file_stem().map_or(list.as_str().into(), |it| it.to_string_lossy());
        rows.push(row(&name, &sums));
    }
    println!("| {} |", COLUMNS.join(" | "));
    println!("|{}", "---|".repeat(COLUMNS.len()));
    rows.iter().for_each(|row| println!("{row}"));
    println!("\nPeak memory: {}", peak_memory().unwrap_or_else(|| "not known here".to_owned()));
}

fn measure(
    line: &str,
    negated: bool,
    each: bool,
    sums: &mut SizeTotals,
) -> Result<(), parikh_temporal::ParseError> {
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let mut formula = parse_ltl(line, &mut formulas, &mut names)?;
    if negated {
        formula = formulas.negate(formula);
    }
    sums.formulas += 1;
    let atoms = formulas.atoms(formula).len();
    let began = Instant::now();
    let (formula, _) = formulas.rewritten(formula, LINEAR_RULES, 100_000);
    let limits = AutomatonLimits::default();
    let made = Automaton::of(&mut formulas, formula, limits);
    let took = began.elapsed();
    sums.translation_time += took;
    sums.slowest_translation = sums.slowest_translation.max(took);
    // The tableau is only for the check.
    let made = made.and_then(|it| Ok((it, LinearTableau::new(&formulas, formula, limits)?)));
    let (automaton, tableau) = match made {
        Ok(made) => made,
        Err(AutomatonTooLarge { what, limit }) => {
            sums.too_large += 1;
            if each {
                println!("more than {limit} {what}: {line}");
            }
            return Ok(());
        }
    };
    let letters = |edge: &AutomatonEdge| 1u64 << (atoms - edge.cube.literals().len());
    let transitions: u64 = automaton.states.iter().flatten().map(letters).sum();
    sums.transitions += transitions;
    add(&automaton, &tableau, sums);
    let began = Instant::now();
    let checked = tableau
        .check_complete(&formulas, formula, CASES)
        .and_then(|()| tableau.check_sound(&formulas, formula));
    sums.checking_time += began.elapsed();
    match checked {
        Ok(()) => {}
        Err(TableauRefusal::TooManyCases(_)) => sums.unchecked += 1,
        Err(refusal) => panic!("{line}: {refusal}"),
    }
    if each {
        println!(
            "{} states, {} edges, {transitions} transitions, {} marks, {}, {took:.1?}: {line}",
            automaton.states.len(),
            automaton.edge_count(),
            automaton.marks,
            if automaton.is_deterministic() { "deterministic" } else { "nondeterministic" }
        );
    }
    Ok(())
}

fn add(automaton: &Automaton, tableau: &LinearTableau, sums: &mut SizeTotals) {
    sums.unsimplified_states += tableau.automaton.states.len();
    sums.states += automaton.states.len();
    sums.edges += automaton.edge_count();
    sums.marks += automaton.marks as usize;
    sums.deterministic += usize::from(automaton.is_deterministic());
    let strength = match automaton.strength() {
        Strength::Rejecting | Strength::Terminal => 0,
        Strength::Weak => 1,
        Strength::Strong => 2,
    };
    sums.strengths[strength] += 1;
}

fn row(name: &str, sums: &SizeTotals) -> String {
    let made = sums.formulas - sums.too_large;
    let [terminal, weak, strong] = sums.strengths;
    let columns = [
        name.to_owned(),
        sums.formulas.to_string(),
        sums.too_large.to_string(),
        sums.unsimplified_states.to_string(),
        sums.states.to_string(),
        sums.edges.to_string(),
        sums.transitions.to_string(),
        sums.marks.to_string(),
        sums.deterministic.to_string(),
        format!("{terminal}, {weak}, {strong}"),
        format!("{} of {made}", made - sums.unchecked),
        format!("{:.1?}", sums.translation_time),
        format!("{:.1?}", sums.slowest_translation),
        format!("{:.1?}", sums.checking_time),
    ];
    format!("| {} |", columns.join(" | "))
}

/// Returns the peak resident set of this process, if Linux reports it.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
