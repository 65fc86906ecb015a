//! `parikh automaton`: prints the size of the automaton of an LTL formula, and writes or draws the
//! automaton.

use super::terminal::{line, note, print_verbatim};
use super::{ProgramOutcome, SyntaxError, UsageError, pixels, signals};
use anyhow::{Context, Result, bail};
use parikh_pictures::draw::automaton::{dot, svg};
use parikh_solvers::Budget;
use parikh_temporal::{
    AtomNames, Automaton, AutomatonLimits, Ltl, ParseError, Strength, parse_ltl,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct AutomatonArguments {
    /// An LTL formula over any names, in Spot's syntax: 'G(a -> F b)'.
    formula: String,
    /// The output file: FILE.svg or FILE.png (a picture), FILE.dot (for Graphviz), FILE.hoa (a
    /// format that other tools read), or `-` for HOA on stdout. By default only the sizes are
    /// printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    pixels: pixels::PixelOptions,
    /// Use the negation of the formula. A model checker searches for runs that this automaton
    /// accepts, to show that some run violates the formula.
    #[arg(long)]
    negated: bool,
}

const EXAMPLES: &str = "\
A generalised Büchi automaton accepts a word if a run on the word visits every acceptance mark \
infinitely often. Marks are written {0 1} after the label of an edge. The class of an automaton \
limits how accepting runs can look:
  terminal   every accepting run reaches a state that accepts every continuation
  weak       in each strongly connected component, all cycles are accepting or none is
  strong     some component has both accepting and non-accepting cycles
In a picture, states that accept every continuation are green. States in components without an \
accepting cycle are grey.

Examples:
  parikh automaton 'G(request -> F answer)'
  parikh automaton --negated 'G(request -> F answer)' -o automaton.svg
  parikh automaton '!(p U q)' -o - | autfilt --stats=%s";

/// Time limit for improving the layout of a picture.
const LAYOUT: Duration = Duration::from_secs(10);

pub(super) fn run(arguments: &AutomatonArguments) -> Result<ProgramOutcome> {
    let kind = AutomatonOutput::of(arguments.output.as_deref())?;
    if arguments.pixels.sets_size() && kind != AutomatonOutput::Png {
        bail!(UsageError("--scale and --width require an output file FILE.png".to_owned()));
    }
    let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
    let formula = parse_ltl(&arguments.formula, &mut formulas, &mut names);
    let formula = formula.map_err(|error| misspelt(&arguments.formula, &error))?;
    let formula = if arguments.negated { formulas.negate(formula) } else { formula };
    let title = formulas.text(formula, &names);
    let automaton = match Automaton::of(&mut formulas, formula, AutomatonLimits::default()) {
        Ok(automaton) => automaton,
        Err(why) => {
            note!("parikh: no output was written: {why}");
            return Ok(ProgramOutcome::Incomplete);
        }
    };
    let budget = Budget::unlimited().slice(LAYOUT);
    let written = match kind {
        AutomatonOutput::Sizes => None,
        AutomatonOutput::Hoa => Some(automaton.hoa(&names)),
        AutomatonOutput::Dot => Some(dot(&automaton, &names, &title)),
        AutomatonOutput::Svg | AutomatonOutput::Png => {
            Some(svg(&automaton, &names, &title, &budget))
        }
    };
    match (&arguments.output, written) {
        (Some(file), Some(text)) if file.as_os_str() == "-" => {
            print_verbatim(&text)?;
            note!("parikh: {title}: {}", sizes(&automaton));
            return Ok(ProgramOutcome::Complete);
        }
        (Some(file), Some(picture)) if kind == AutomatonOutput::Png => {
            pixels::write(file, &picture, arguments.pixels.size())?;
        }
        (Some(file), Some(text)) => {
            signals::stay();
            std::fs::write(file, text)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        _ => {}
    }
    line(&format!("{title}: {}", sizes(&automaton)));
    Ok(ProgramOutcome::Complete)
}

/// Returns the error for a formula that cannot be parsed: the reason, the formula, and a line with
/// a caret below the wrong column.
fn misspelt(text: &str, error: &ParseError) -> SyntaxError {
    let caret = format!("{}^", " ".repeat(error.column.saturating_sub(1)));
    SyntaxError { why: error.to_string(), where_in_the_text: [text.to_owned(), caret] }
}

/// Describes the size and the acceptance condition of an automaton.
fn sizes(automaton: &Automaton) -> String {
    let count = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        number => format!("{number} {what}s"),
    };
    let class = match automaton.strength() {
        Strength::Rejecting => "empty language",
        Strength::Terminal => "terminal",
        Strength::Weak => "weak",
        Strength::Strong => "strong",
    };
    let choice = if automaton.is_deterministic() { "deterministic" } else { "nondeterministic" };
    let parts = [
        count(automaton.states.len(), "state"),
        count(automaton.edge_count(), "edge"),
        count(automaton.marks as usize, "mark"),
    ];
    format!("{}; {class}, {choice}", parts.join(", "))
}

/// The form of the output, by the ending of the file name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AutomatonOutput {
    Sizes,
    Hoa,
    Dot,
    Svg,
    Png,
}

impl AutomatonOutput {
    fn of(file: Option<&Path>) -> Result<AutomatonOutput> {
        let Some(file) = file else { return Ok(AutomatonOutput::Sizes) };
        if file.as_os_str() == "-" {
            return Ok(AutomatonOutput::Hoa);
        }
        Ok(match pixels::extension(file).as_deref() {
            Some("svg") => AutomatonOutput::Svg,
            Some("png") => AutomatonOutput::Png,
            Some("dot" | "gv") => AutomatonOutput::Dot,
            Some("hoa") => AutomatonOutput::Hoa,
            _ => bail!(UsageError(format!(
                "{}: expected a name that ends in .svg, .png, .dot or .hoa",
                file.display()
            ))),
        })
    }
}
