//! `parikh encode`: writes a goal in any encoding for other solvers.

mod question;
mod status;

use super::formulas::{self, FormulaOptions, GivenFormula};
use super::{ProgramOutcome, limits, model, signals};
use anyhow::{Context, Result, bail};
use parikh_encodings::{Encoding, EncodingPart};
use parikh_evidence::description;
use parikh_formula::{Formula, Proposition, Query, linear_sum, lower, lower_state, text};
use parikh_net::printable::{Printable, counted};
use parikh_net::{Goal, Net};
use question::{BitEncoding, EncodeLogic, EncodedQuery, QueryForm, SolverFormat};
use status::QueryStatus;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("asked").required(true).args(["goal", "queries"])))]
#[command(after_help = format!("{}\n\n{EXAMPLES}\n\n{}", parts_help(), formulas::LANGUAGE))]
pub(super) struct EncodeArguments {
    /// A net in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// The goal: 'EF φ', 'AG φ' (the query is a violation), a property φ of markings to be reached,
    /// `deadlock`, or `max p1 + 2*p2`. The language is described below.
    #[arg(long, value_name = "GOAL")]
    goal: Option<String>,
    /// A file of formulas: the contest's XML, or any other that `check --formulas` reads.
    #[arg(long, value_name = "FILE", requires = "id")]
    queries: Option<PathBuf>,
    /// The id of the formula in the file.
    #[arg(long, requires = "queries")]
    id: Option<String>,
    /// Parts of the encoding, joined by `+`; they are described below.
    #[arg(short, long, default_value = "state-equation")]
    encoding: Encoding,
    /// The logic: real arithmetic, integer arithmetic, bit-vectors, or propositional logic.
    #[arg(short, long, value_enum, ignore_case = true, default_value = "LRA")]
    logic: EncodeLogic,
    /// In propositional logic: the encoding of tokens as bits. By default `order`.
    #[arg(long, value_enum)]
    values: Option<BitEncoding>,
    /// The bound k: the number of firings that bmc and k-induction unroll, and of steps that
    /// bmc-steps unrolls. By default 1. Other encodings have no bound, and refuse this option.
    #[arg(short = 'k', long, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    steps: Option<u32>,
    /// The largest number of traps that the part listed-traps lists. By default 100. Other parts
    /// refuse this option.
    #[arg(long, value_name = "N")]
    traps: Option<usize>,
    /// The output language. By default it follows from the ending of the file name, and otherwise
    /// is smt2, or cnf in propositional logic.
    #[arg(short, long, value_enum)]
    format: Option<SolverFormat>,
    /// The output file. By default stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// Time limit for computing flows, bounds of places and traps.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// Determine the answer to the query within this time, such as 10s, and write it into the file
    /// as `(set-info :status …)` and in the head. It is `unknown` if it is not certain, and without
    /// this option.
    #[arg(long, value_name = "TIME", value_parser = limits::duration)]
    status: Option<Duration>,
}

const EXAMPLES: &str = "\
Examples:
  parikh encode net.pnml --goal 'EF (p1 >= 2 && !fireable(t3))' -o goal.smt2
  parikh encode net.pnml --goal deadlock -e state-equation+traps+read-feed -l LIA -o dead.smt2
  parikh encode net.pnml --goal 'max p1 + p2' -e state-equation+listed-traps -o bound.lp
  parikh encode net.pnml --queries ReachabilityCardinality.xml --id ID -e bmc -k 20 | z3 -in
  parikh encode net.pnml --goal deadlock -e bmc-steps -k 20 -l SAT --values log -o dead.cnf";

fn parts_help() -> String {
    let mut text = "Parts of encodings:\n".to_owned();
    for part in EncodingPart::ALL {
        text += &format!("  {:15} {}\n", part.name(), part.explanation());
    }
    text + "\n\
            A comment at the head of each file explains the results \
            and the variables."
}

/// The goal to encode, with its description for users.
struct EncodeGoal {
    goal: Goal,
    text: String,
}

pub(super) fn run(arguments: &EncodeArguments) -> Result<ProgramOutcome> {
    let form = QueryForm::new(arguments)?;
    let budget = limits::budget(None, None);
    signals::cancel_on_signal(&budget, || ());
    let facts_budget = budget.slice(arguments.timeout);
    let net = arguments.timing.net(&arguments.model)?;
    let hash = model_hash(&arguments.model)?;
    let subject = requested_goal(arguments, &net)?;
    let mut question = EncodedQuery::new(&net, &subject, &form, &facts_budget)?;
    let status = arguments.status.map_or(QueryStatus::NOT_ASKED, |time| {
        QueryStatus::determine(&net, &subject, &mut question, &budget.slice(time))
    });
    let head = head_comment(&hash, &net, &subject, &form, &question, &status);
    let (format, answer) = (form.format, status.answer);
    match &arguments.output {
        None => match question.write(format, &head, answer, &mut io::stdout().lock()) {
            // A closed pipe is no error: the reader has read enough.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            result => result?,
        },
        Some(path) => write_whole(path, |out| question.write(format, &head, answer, out))
            .with_context(|| path.display().to_string())?,
    }
    Ok(ProgramOutcome::Complete)
}

/// Writes a file under a temporary name, `PATH.unfinished`, and renames it when it is complete. So
/// a solver never reads half of a formula, which would be a different formula. Special files
/// (`/dev/stdout`, a pipe) are written directly.
fn write_whole(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let is_special = path.metadata().is_ok_and(|there| !there.is_file());
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".unfinished");
    let target = if is_special { path } else { Path::new(&temporary) };
    let mut out = BufWriter::new(File::create(target)?);
    let mut result = write(&mut out).and_then(|()| out.flush());
    if !is_special {
        result = result.and_then(|()| std::fs::rename(target, path));
        if result.is_err() {
            let _ = std::fs::remove_file(target);
        }
    }
    result
}

/// Returns a line about the SHA-256 of the decompressed model file. A pipe can be read only once,
/// so it has no hash.
///
/// # Errors
/// The model cannot be read.
fn model_hash(model: &Path) -> Result<String> {
    let file = parikh_input::model_file(model)?;
    let is_special = file.metadata().is_ok_and(|there| !there.is_file());
    if is_special {
        return Ok("read from a pipe".to_owned());
    }
    let hash = parikh_files::open(&file).and_then(parikh_files::sha256_of);
    Ok(format!("SHA-256 {}", hash.with_context(|| file.display().to_string())?))
}

/// Returns the comment at the head of the file: the net, the goal, the encoding, the meaning of the
/// results, and the meaning of the variables. It names no path, so a model has the same head
/// wherever its file is. `model` is the line about the model file.
fn head_comment(
    model: &str,
    net: &Net,
    subject: &EncodeGoal,
    form: &QueryForm,
    question: &EncodedQuery<'_>,
    status: &QueryStatus,
) -> String {
    let encoding = &form.encoding;
    let name = if net.name().is_empty() { "(unnamed)" } else { net.name() };
    let mut origin = String::new();
    if net.folding().is_some() {
        origin += ", unfolded from a coloured net";
    }
    if net.translation().is_some() {
        origin += ", inhibitor and reset arcs translated: co(p) is the complement of place p";
    }
    let assumptions: String = net
        .assumptions()
        .iter()
        .map(|assumption| format!("assumed: {}\n", Printable(&assumption.to_string())))
        .collect();
    // A name may contain line breaks, which would end the comment.
    format!(
        "net: {}, {}, {}{origin}\nmodel: {model}\n{assumptions}goal: {}\nencoding: {encoding}, \
         {}\n{}\nstatus: {} ({})\n{}written by parikh {}\n",
        Printable(name),
        counted(net.place_count(), "place"),
        counted(net.transition_count(), "transition"),
        Printable(&subject.text),
        question.shape(encoding),
        question.meaning(),
        status.answer,
        status.reason,
        question.legend(form.format),
        env!("CARGO_PKG_VERSION"),
    )
}

/// Returns the goal that `--goal` states, or the goal of the formula with the id `--id` in the file
/// `--queries`.
fn requested_goal(arguments: &EncodeArguments, net: &Net) -> Result<EncodeGoal> {
    let Some(goal) = &arguments.goal else {
        // Clap ensures that both options are given together.
        let (file, id) = (arguments.queries.as_ref(), arguments.id.as_deref());
        let (Some(file), Some(id)) = (file, id) else { bail!("--queries FILE needs --id ID") };
        let formulas = FormulaOptions::of_file(file).read_and_print_notes(net)?;
        let ids: Vec<&str> = formulas.iter().map(|formula| formula.id.as_str()).take(3).collect();
        let first_ids = ids.join(", ");
        let given: Option<GivenFormula> = formulas.into_iter().find(|formula| formula.id == id);
        let Some(given) = given else {
            bail!(
                "{}: no formula has the id `{id}`; the first ids are {first_ids}",
                file.display()
            );
        };
        let formula = given.formula.map_err(|error| anyhow::anyhow!("formula {id}: {error}"))?;
        return of_formula(net, &formula, id, false);
    };
    if let Some(sum) = goal.trim_start().strip_prefix("max ") {
        // The sum is parsed as part of a comparison, which is the smallest formula that contains a
        // sum.
        let formula = read(net, &format!("{sum} >= 0"))?;
        let Formula::Compare { left, .. } = formula else {
            bail!("--goal: expected `max` followed by a sum of places, found `{goal}`");
        };
        let (sum, constant) = linear_sum(&left).context("--goal")?;
        let text = match constant {
            0 => format!("the maximum of {}", description::linear_sum(net, &sum)),
            // The encoding maximises the sum without the constant.
            _ => format!(
                "the maximum of {} (the results below are about this sum; add {constant})",
                description::linear_sum(net, &sum)
            ),
        };
        return Ok(EncodeGoal { goal: Goal::Maximise(sum), text });
    }
    of_formula(net, &read(net, goal)?, goal, true)
}

fn read(net: &Net, formula: &str) -> Result<Formula> {
    Ok(text::read_one(formula, "--goal", net).formula?)
}

/// Returns the goal of a formula. If `allows_state` is true, a formula without path quantifier is a
/// property of markings, and the goal is to reach a marking with this property. For a formula AG φ,
/// the goal is a marking that violates φ.
///
/// # Errors
/// The formula cannot be translated, has no goal or several goals, or is about a home property or
/// about runs.
fn of_formula(net: &Net, formula: &Formula, name: &str, allows_state: bool) -> Result<EncodeGoal> {
    let describe = |predicate| {
        let text: String = description::predicate(net, predicate);
        match text.char_indices().nth(2000) {
            Some((end, _)) => format!("{} …", &text[..end]),
            None => text,
        }
    };
    if let (true, Ok(predicate)) = (allows_state, lower_state(formula)) {
        let text = format!("{name}: EF {}", describe(&predicate));
        return Ok(EncodeGoal { goal: Goal::Reach(predicate), text });
    }
    let query = lower(formula, net).with_context(|| name.to_owned())?;
    let text = match query.only_atom() {
        Some((Goal::Reach(predicate), true)) => format!("{name}: EF {}", describe(predicate)),
        Some((Goal::Reach(predicate), false)) => {
            format!("{name}: violated by EF {}", describe(predicate))
        }
        Some((Goal::Maximise(sum), _)) => {
            format!("{name}: the maximum of {}", description::linear_sum(net, sum))
        }
        Some((Goal::Home(_), _)) => {
            bail!(
                "{name} is a home property, not the reachability of one marking, so it cannot be \
                   encoded"
            )
        }
        Some((_, _)) => {
            bail!(
                "{name} is about runs, not about the reachability of one marking, so it cannot \
                   be encoded"
            )
        }
        None if matches!(query, Query::Truth(Proposition::Constant(_))) => {
            bail!(
                "{name} is decided by the initial marking, so there is nothing to encode: use \
                   `parikh check`"
            )
        }
        None => bail!("{name} combines several goals, and an encoding has one goal"),
    };
    let goal = query.only_atom().map(|(goal, _)| goal.clone());
    goal.map(|goal| EncodeGoal { goal, text }).context("the formula has no goal")
}
