//! The command line of the contest harness.

use clap::{Args, Parser, Subcommand};
use parikh_benchmarks::benchexec::{self, Tasks};
use parikh_benchmarks::contest::{Contest, read_list};
use parikh_benchmarks::encodings::{Backend, Encodings, refuting};
use parikh_benchmarks::evidence::{self, Audits};
use parikh_benchmarks::exam::Exam;
use parikh_benchmarks::generate::{Family, Format, describe, write};
use parikh_benchmarks::lp::{self, Lp};
use parikh_benchmarks::memory::Counting;
use parikh_benchmarks::reasons::Reasons;
use parikh_benchmarks::reductions::Reductions;
use parikh_benchmarks::shard::{self, Shard};
use parikh_benchmarks::structure::{Structure, place_transition_instances};
use parikh_benchmarks::teams::{self, Asked, Team, Teams};
use parikh_benchmarks::verdict::Verdict;
use parikh_benchmarks::{
    Error, cactus, compare, encodings_table, readers, reductions_table, row, signals,
    structure_table, summary, symbolic, table,
};
use parikh_encodings::Encoding;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// `reductions` measures memory by it.
#[global_allocator]
static ALLOCATOR: Counting = Counting;

const EXIT_CODES: &str = "\
Exit codes:
  0  done, and no answer is wrong or contradicts another
  1  the harness itself failed (a file, an archive, the tool's program)
  2  the command line is wrong
  3  some answer is wrong (contest, summary, structure), contradicts the other file (compare), an
     answer was refused (evidence), or two readers differ (readers)
  4  interrupted; the runs finished so far are in the result file (merge --list: some are missing)";

/// Runs contest instances through a prover, scores its answers, and compares such runs
#[derive(Parser)]
#[command(version, after_help = EXIT_CODES, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run instances of the Model Checking Contest and score the answers
    ///
    /// Each pair of an instance and an examination is one run: the archive is unpacked to a
    /// directory of its own, the tool is started there as the contest does (BK_EXAMINATION,
    /// BK_INPUT, BK_TOOL, BK_TIME_CONFINEMENT, BK_MEMORY_CONFINEMENT), and every line `FORMULA …`
    /// or `STATE_SPACE …` on its stdout is an answer, stamped with the time it came.
    ///
    /// The result file has a line per question: instance, exam, id, expected, got, verdict
    /// (ok | wrong | missing | new | unknown), seconds to the answer, wall seconds and peak memory
    /// (MB, the largest process) of the run, how the run ended, the number of the run's lines, and
    /// the techniques claimed. When the file exists, only the runs that it lacks are made, so an
    /// interrupted contest is continued by giving the same command again. The table at the end
    /// covers all runs asked for.
    #[command(after_help = EXIT_CODES)]
    Contest(Box<ContestArgs>),
    /// Sum up result files: tables, or a page
    ///
    /// The first file is what it is about, the others are other tools, other machines, other versions. The
    /// page has scores per examination, what changed, plots, and each question left open with what was tried.
    #[command(after_help = EXIT_CODES)]
    Summary(SummaryArgs),
    /// Put the result files of the parts of a contest together
    ///
    /// Each run may be in one of them only, and has to be complete. Prints the table of all.
    #[command(after_help = EXIT_CODES)]
    Merge {
        /// The parts' result files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The instances of the whole contest: runs that no part has are told, with exit code 4
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
        /// Its examinations, for --list
        #[arg(long, value_delimiter = ',', default_value = EXAMS)]
        exams: Vec<Exam>,
        /// The result file of all, written anew
        #[arg(short, long, value_name = "FILE.csv")]
        out: PathBuf,
    },
    /// Write a contest as tasks for BenchExec
    ///
    /// The directory gets a task definition NAME-XX.yml for each run, the instances, a benchmark definition
    /// parikh.xml and the tool-info module contest/parikh.py. With BenchExec (pip install benchexec), there:
    ///
    ///   PYTHONPATH=. benchexec --tool-directory RELEASE --no-compress-results parikh.xml
    ///
    /// where RELEASE/bin/parikh is the program; `collect` takes the results.
    #[command(verbatim_doc_comment)]
    Tasks(TaskArgs),
    /// Score what BenchExec ran, as a result file like that of `contest`
    ///
    /// Reads results/parikh.DATE.results.XX.xml and the logs beside it. An answer counts as of the end of its
    /// run: when it came, BenchExec does not say.
    #[command(after_help = EXIT_CODES)]
    Collect {
        /// Result files of BenchExec, one for each examination
        #[arg(required = true)]
        results: Vec<PathBuf>,
        /// Directory with the archives NAME.tgz
        #[arg(long, value_name = "DIR")]
        inputs: PathBuf,
        /// Directory with the known answers NAME-XX.out
        #[arg(long, value_name = "DIR")]
        oracle: PathBuf,
        /// The result file, written anew
        #[arg(short, long, value_name = "FILE.csv")]
        out: PathBuf,
    },
    /// Put two result files side by side
    ///
    /// Only questions that both files have are compared. Files of peers need the columns instance,
    /// exam, id, expected, got, verdict, seconds and wall, in any order.
    #[command(after_help = EXIT_CODES)]
    Compare {
        /// The first result file
        a: PathBuf,
        /// The second result file
        b: PathBuf,
        /// Count only answers given within this many seconds
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        at: Option<Duration>,
        /// Print the table only, not the list of differences
        #[arg(long)]
        no_list: bool,
    },
    /// Measure the structural algorithms on the P/T instances, and compare with the model forms
    ///
    /// For each: a basis of P-flows and of T-flows (every flow multiplied with the net again), the
    /// bounds that follow, the structural keys beside GenericPropertiesVerdict.xml, and the
    /// siphon-trap condition with its certificate checked. Keys that differ are listed with the
    /// argument and are no failure of the run: forms err.
    #[command(after_help = EXIT_CODES)]
    Structure(StructureArgs),
    /// Compare orders of places for decision diagrams on the P/T instances
    ///
    /// Each net as it is, in each order that is made for it, from the best score on: the most nodes, the time and how
    /// it ended. The result file has a line per order; the table sums up what each idea is good for,
    /// the plot shows how many sets each closes within which time.
    #[command(after_help = EXIT_CODES)]
    Symbolic(symbolic::Symbolic),
    /// Count what answers stand on, and how many an auditor confirms from the files alone
    ///
    /// Each pair of an instance and an examination is one run of `parikh check --evidence` and one of
    /// `parikh-certify`, a process of its own, on what was written. The table and the file have a line
    /// per run: answers replayed, certified and searched, as the first says; confirmed, searched,
    /// beyond and refused, as the second does.
    #[command(verbatim_doc_comment)]
    Evidence(EvidenceArgs),
    /// Run each engine alone on a list of hard goals, and all of them together
    ///
    /// A line of the list names an instance, an examination and a goal; `aside` on it has the goal counted
    /// apart, too. The first line of the table is all engines together; then for each engine how much it
    /// settles, and how much that no other one does by itself. Each has a result file of its own in the
    /// directory, like those of `contest`; runs that are there already are not made again.
    #[command(after_help = EXIT_CODES)]
    Hard(TeamArgs),
    /// Run examinations with all engines, and with each left out
    ///
    /// Prints what is lost without it and what is gained; plots the times of the answers.
    #[command(after_help = EXIT_CODES)]
    Ablate(TeamArgs),
    /// Measure the structural reductions on the P/T instances
    ///
    /// Each net is reduced to the end for the deadlock question, for all formulas of
    /// ReachabilityCardinality together and for all of ReachabilityFireability, and then for each
    /// formula alone: sizes before and after, applications of each rule, time, memory.
    #[command(after_help = EXIT_CODES)]
    Reductions(ReductionsArgs),
    /// Compare encodings and the solvers behind them, goal by goal
    ///
    /// Every goal in every encoding goes to every back-end, from scratch. The result file has a line
    /// for each (outcome: refuted, candidate, gave-up, choices for what a linear program cannot say,
    /// uncertified, not-asked); the table is printed, and the plot shows how many goals are refuted
    /// within which time. Bounds are asked for one more than the known maximum, so UB needs --oracle.
    #[command(after_help = EXIT_CODES)]
    Encodings(EncodingsArgs),
    /// Read every model and its formulas twice, by the prover's reader and by the auditor's
    ///
    /// Whatever the two read differently is listed: nodes, tokens, weights, units, and what the
    /// formulas of RC, RF and UB ask, down to the predicate.
    #[command(after_help = EXIT_CODES)]
    Readers {
        /// Directory with the archives NAME.tgz
        #[arg(long, value_name = "DIR")]
        inputs: PathBuf,
        /// File with the names of the instances [default: every P/T archive]
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
    },
    /// Compare the solvers of linear programs on the state equations of instances
    ///
    /// The maximum of each expression in the formulas of RC and UB, by HiGHS going on from its last
    /// basis, HiGHS from scratch, microlp, and Z3 over the rationals; every optimum is certified in
    /// exact arithmetic.
    #[command(after_help = EXIT_CODES)]
    Lp(LpArgs),
    /// Write a net whose answers are known
    ///
    /// The known answers go to stderr.
    Generate {
        #[command(subcommand)]
        family: Family,
        /// The file to write [default: stdout]
        #[arg(short, long, global = true, value_name = "FILE")]
        output: Option<PathBuf>,
        /// How to write it
        #[arg(long, global = true, value_enum, default_value_t = Format::Pnml)]
        format: Format,
    },
}

const EXAMS: &str = "RD,RC,RF,UB,OS,QL,SM";

#[derive(Args)]
struct SummaryArgs {
    /// Result files, of `contest`, of `collect` or of a peer
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Count only answers given within this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    at: Option<Duration>,
    /// Write the page: one file that asks for no other
    #[arg(short = 'o', long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// An earlier result file: the page tells what changed since
    #[arg(long, value_name = "FILE.csv", requires = "html")]
    last: Option<PathBuf>,
    /// The logs of the first file's contest (`contest --logs`): why questions were left open
    #[arg(long, value_name = "DIR", requires = "html")]
    logs: Option<PathBuf>,
}

#[derive(Args)]
struct TaskArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    oracle: PathBuf,
    /// File with the names of the instances, one a line, `#` before comments
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// Examinations, by their capitals or names
    #[arg(long, value_delimiter = ',', default_value = EXAMS)]
    exams: Vec<Exam>,
    /// Wall seconds of each run
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// Memory of each run in MB
    #[arg(long, value_name = "MB", default_value = "16384", value_parser = clap::value_parser!(u64).range(1..))]
    memory: u64,
    /// Processor cores of each run
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(1..))]
    cores: u16,
    /// Where everything is written
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

#[derive(Args)]
struct ContestArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    oracle: PathBuf,
    /// File with the names of the instances, one a line, `#` before comments
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// Examinations, by their capitals or names
    #[arg(long, value_delimiter = ',', default_value = EXAMS)]
    exams: Vec<Exam>,
    /// Make only the runs of one part of so many, as in 3/40, for many machines at a time; `merge` puts
    /// the parts' result files together
    #[arg(long, value_name = "PART/PARTS", default_value = "1/1")]
    shard: Shard,
    /// Wall seconds of each run: then SIGTERM to its process group, and later answers do not count
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// Seconds from SIGTERM to SIGKILL
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    grace: Duration,
    /// Address space of each process in MB (RLIMIT_AS) [default: unlimited, the tool is told 16384]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    memory: Option<u64>,
    /// Runs at a time
    #[arg(long, value_name = "N", default_value = "1")]
    jobs: usize,
    /// The result file, continued when it exists
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// Directory for each run's stdout and stderr, NAME-XX.out and NAME-XX.err
    #[arg(long, value_name = "DIR")]
    logs: Option<PathBuf>,
    /// Where instances are unpacked [default: the system's temporary directory]
    #[arg(long, value_name = "DIR")]
    temporary: Option<PathBuf>,
    /// The `parikh` to run, as `parikh mcc` [default: the one beside this program]
    #[arg(long, value_name = "PATH", conflicts_with = "command")]
    parikh: Option<PathBuf>,
    /// Another tool to run, a command of the shell, in the directory of the instance
    #[arg(long, value_name = "CMD")]
    command: Option<OsString>,
    /// What the tool is told as BK_TOOL
    #[arg(long, value_name = "NAME", default_value = "parikh")]
    tool: String,
}

#[derive(Args)]
struct StructureArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// Directory with the known answers NAME-RD.out
    #[arg(long, value_name = "DIR")]
    oracle: Option<PathBuf>,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Wall seconds for each basis of flows
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// Wall seconds for the siphon-trap condition
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds)]
    siphon_trap: Duration,
    /// Most megabytes resident
    #[arg(long, value_name = "MB", default_value = "8192")]
    memory: u64,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
}

#[derive(Args)]
struct EncodingsArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out; what contradicts them is wrong
    #[arg(long, value_name = "DIR")]
    oracle: Option<PathBuf>,
    /// File with the names of the instances
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// Examinations: RC, RF, RD, UB
    #[arg(long, value_delimiter = ',', default_value = "RC,RF,RD,UB")]
    exams: Vec<Exam>,
    /// Encodings, as `parikh encode` names them; the first is what others are compared with
    #[arg(
        long,
        value_delimiter = ',',
        value_parser = refuting,
        default_value = "state-equation,flows,state-equation+bounds,state-equation+traps,\
            state-equation+listed-traps,state-equation+read-feed,state-equation+causal-order,\
            state-equation+predecessor,state-equation+k-induction,state-equation+traps+read-feed"
    )]
    encodings: Vec<Encoding>,
    /// Back-ends: highs, microlp, z3-lra, z3-lia
    #[arg(long, value_delimiter = ',', default_value = "highs,microlp,z3-lra,z3-lia")]
    backends: Vec<Backend>,
    /// Wall seconds for each question
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    timeout: Duration,
    /// Ask only goals that are known to be unreachable
    #[arg(long, requires = "oracle")]
    unreachable: bool,
    /// Pass over nets with more places and transitions
    #[arg(long, value_name = "N", default_value = "2000")]
    largest: usize,
    /// Most goals of one examination of one instance
    #[arg(long, value_name = "N", default_value = "16")]
    most: usize,
    /// Most traps that listed-traps lists
    #[arg(long, value_name = "N", default_value = "100")]
    traps: usize,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
    /// The plot [default: none]
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

#[derive(Args)]
struct LpArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Wall seconds for each program
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    timeout: Duration,
    /// Pass over nets with more places and transitions
    #[arg(long, value_name = "N", default_value = "2000")]
    largest: usize,
    /// Most programs of one instance
    #[arg(long, value_name = "N", default_value = "20")]
    most: usize,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
}

#[derive(Args)]
struct ReductionsArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Wall seconds for each reduction
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// Wall seconds for the formulas of one file alone; those not begun by then are left out
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    alone: Duration,
    /// Seconds that a reduction may take without being listed as slow
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    slow: Duration,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
}

#[derive(Args)]
struct EvidenceArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Examinations, by their capitals or names
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    exams: Vec<Exam>,
    /// What `parikh check` is given
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    timeout: Duration,
    /// The `parikh` to run [default: the one beside this program]
    #[arg(long, value_name = "PATH")]
    parikh: Option<PathBuf>,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    out: PathBuf,
}

#[derive(Args)]
struct TeamArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    oracle: PathBuf,
    /// File with a goal a line, such as benchmarks/hard.txt
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    goals: Option<PathBuf>,
    /// File with the names of instances, of which whole examinations are asked
    #[arg(long, value_name = "FILE", conflicts_with = "goals")]
    list: Option<PathBuf>,
    /// Examinations, by their capitals or names, for --list
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    exams: Vec<Exam>,
    /// Only these engines, alone or left out [default: all, also those that take part only by name (hard)]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parikh::run::engine_name)]
    engines: Vec<String>,
    /// What each examination gets
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    timeout: Duration,
    /// Runs at a time
    #[arg(long, default_value = "1")]
    jobs: usize,
    /// The `parikh` to run [default: the one beside this program]
    #[arg(long, value_name = "PATH")]
    parikh: Option<PathBuf>,
    /// The directory of the result files and the plot; another one for another timeout
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no positive number of seconds");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() && number <= 1e9 => Ok(duration),
        _ => Err(wrong()),
    }
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Contest(args) => contest(*args),
        Command::Summary(args) => sum_up(args),
        Command::Merge { files, list, exams, out } => {
            put_together(&files, list.as_deref(), &exams, &out)
        }
        Command::Tasks(args) => tasks(args),
        Command::Collect { results, inputs, oracle, out } => {
            collect(&results, &inputs, &oracle, &out)
        }
        Command::Compare { a, b, at, no_list } => side_by_side([a, b], at, !no_list),
        Command::Structure(args) => structure(args),
        Command::Symbolic(args) => args.run(),
        Command::Evidence(args) => audit(args),
        Command::Hard(args) => in_teams(args, false),
        Command::Ablate(args) => in_teams(args, true),
        Command::Reductions(args) => reductions(args),
        Command::Encodings(args) => encodings(args),
        Command::Lp(args) => lp(args),
        Command::Readers { inputs, list } => read_twice(&inputs, list.as_deref()),
        Command::Generate { family, output, format } => match family.make() {
            Ok((net, known)) => write(&net, format, output.as_deref()).map(|()| {
                if let Some(known) = known {
                    eprint!("{}", describe(&known));
                }
                0
            }),
            Err(misfit) => {
                eprintln!("error: {misfit}");
                return ExitCode::from(2);
            }
        },
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(1)
        }
    }
}

/// The program given, or the one beside this.
fn parikh_program(given: Option<PathBuf>) -> Result<PathBuf, Error> {
    let beside = || {
        let own = std::env::current_exe().map_err(Error::at("/proc/self/exe"))?;
        Ok(own.with_file_name("parikh"))
    };
    // The tool runs in another directory, so a relative path would not find it.
    let path = given.map_or_else(beside, Ok)?;
    path.canonicalize().map_err(Error::at(&path))
}

/// All engines together, and each alone, or all but each.
fn in_teams(args: TeamArgs, leave_out: bool) -> Result<u8, Error> {
    let asked = match (&args.goals, &args.list) {
        (Some(goals), _) => teams::read_goals(goals)?,
        (None, list) => {
            let instances = list.as_deref().map(read_list).transpose()?.unwrap_or_default();
            let of = |instance: String| {
                args.exams.iter().map(move |&exam| Asked::whole(instance.clone(), exam))
            };
            instances.into_iter().flat_map(of).collect()
        }
    };
    let [by_default, by_name] = parikh::run::engine_names();
    let chosen = match (args.engines.is_empty(), leave_out) {
        (false, _) => args.engines.clone(),
        (true, true) => by_default.clone(),
        (true, false) => by_default.iter().chain(&by_name).cloned().collect(),
    };
    let mut all = vec![Team { name: "all".to_owned(), engines: Vec::new() }];
    all.extend(chosen.into_iter().map(|engine| match leave_out {
        false => Team { name: engine.clone(), engines: vec![engine] },
        true => Team {
            name: format!("without-{engine}"),
            engines: by_default.iter().filter(|other| **other != engine).cloned().collect(),
        },
    }));
    let parikh = parikh_program(args.parikh.clone())?;
    let TeamArgs { inputs, oracle, timeout, jobs, out, .. } = args;
    let run = Teams { inputs, oracle, asked, teams: all, parikh, timeout, jobs, out };
    signals::catch();
    let results = run.run()?;
    print!("{}", run.table(&results));
    let title = if leave_out { "With each engine left out" } else { "Each engine alone" };
    let plot = run.out.join("engines.svg");
    let svg = cactus::plot(title, "goals settled", &teams::curves(&results));
    std::fs::write(&plot, svg).map_err(Error::at(&plot))?;
    if signals::interrupted() {
        return Ok(4);
    }
    let mut rows = results.iter().flat_map(|(_, rows)| rows);
    Ok(if rows.any(|row| row.verdict == Verdict::Wrong) { 3 } else { 0 })
}

fn audit(args: EvidenceArgs) -> Result<u8, Error> {
    let instances = match &args.list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(&args.inputs)?,
    };
    let parikh = parikh_program(args.parikh)?;
    let run = Audits { inputs: args.inputs, parikh, timeout: args.timeout };
    let failed = |error: csv::Error| Error::at(&args.out)(error.into());
    let mut file = csv::Writer::from_path(&args.out).map_err(failed)?;
    file.write_record(evidence::COLUMNS).map_err(failed)?;
    signals::catch();
    let mut all = Vec::new();
    for name in &instances {
        for &exam in &args.exams {
            if signals::interrupted() {
                break;
            }
            let measurement = run.measure(name, exam)?;
            let fields = evidence::fields(&measurement);
            file.write_record(&fields).map_err(failed)?;
            file.flush().map_err(Error::at(&args.out))?;
            if measurement.is_wrong() {
                eprintln!("WRONG {}", fields.join(" "));
            }
            all.push(measurement);
        }
        eprintln!("{name}");
    }
    print!("{}", evidence::print(&all));
    if signals::interrupted() {
        return Ok(4);
    }
    Ok(if all.iter().any(evidence::Measurement::is_wrong) { 3 } else { 0 })
}

fn read_twice(inputs: &Path, list: Option<&Path>) -> Result<u8, Error> {
    let instances = match list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(inputs)?,
    };
    signals::catch();
    let (mut nets, mut formulas, mut different, mut seconds) = (0, 0, 0, [0.0; 2]);
    for name in &instances {
        if signals::interrupted() {
            return Ok(4);
        }
        let measurement = readers::compare(inputs, name)?;
        for difference in &measurement.differences {
            println!("{name}: {difference}");
        }
        nets += 1;
        formulas += measurement.formulas;
        different += usize::from(!measurement.differences.is_empty());
        seconds.iter_mut().zip(measurement.seconds).for_each(|(sum, more)| *sum += more);
        eprintln!("{name} {:?} {:.2?} s", measurement.size, measurement.seconds);
    }
    println!(
        "{nets} models and {formulas} formulas read twice, {different} models differ; \
         {:.1} s by the prover's reader, {:.1} s by the auditor's",
        seconds[0], seconds[1]
    );
    Ok(if different > 0 { 3 } else { 0 })
}

fn contest(args: ContestArgs) -> Result<u8, Error> {
    let command = match args.command {
        Some(command) => vec!["sh".into(), "-c".into(), command],
        None => {
            vec![parikh_program(args.parikh)?.into(), "mcc".into()]
        }
    };
    signals::catch();
    let rows = Contest {
        inputs: args.inputs,
        oracle: args.oracle,
        instances: read_list(&args.list)?,
        exams: args.exams,
        shard: args.shard,
        command,
        tool: args.tool,
        timeout: args.timeout,
        grace: args.grace,
        memory: args.memory,
        jobs: args.jobs,
        out: args.out,
        logs: args.logs,
        temporary: args.temporary,
    }
    .run()?;
    print!("{}", table::print(&rows));
    if signals::interrupted() {
        eprintln!("interrupted; the same command continues");
        return Ok(4);
    }
    Ok(code_for(&rows))
}

fn put_together(
    files: &[PathBuf],
    list: Option<&Path>,
    exams: &[Exam],
    out: &Path,
) -> Result<u8, Error> {
    let rows = shard::merge(files)?;
    std::fs::write(out, row::print(&rows, true)).map_err(Error::at(out))?;
    print!("{}", table::print(&rows));
    let instances = list.map(read_list).transpose()?.unwrap_or_default();
    let lacking = shard::lacking(&rows, &instances, exams);
    if let Some((name, exam)) = lacking.first() {
        eprintln!("{} runs are in no part, the first of {name} {exam}", lacking.len());
        return Ok(4);
    }
    Ok(code_for(&rows))
}

fn tasks(args: TaskArgs) -> Result<u8, Error> {
    let count = Tasks {
        inputs: args.inputs,
        oracle: args.oracle,
        instances: read_list(&args.list)?,
        exams: args.exams,
        timeout: args.timeout,
        memory: args.memory,
        cores: args.cores,
        out: args.out,
    }
    .write()?;
    eprintln!("{count} tasks");
    Ok(0)
}

fn collect(results: &[PathBuf], inputs: &Path, oracle: &Path, out: &Path) -> Result<u8, Error> {
    let mut rows = Vec::new();
    for file in results {
        rows.extend(benchexec::collect(file, inputs, oracle)?);
    }
    std::fs::write(out, row::print(&rows, true)).map_err(Error::at(out))?;
    print!("{}", table::print(&rows));
    Ok(code_for(&rows))
}

fn code_for(rows: &[row::Row]) -> u8 {
    if table::sum_up(rows).1.wrong > 0 { 3 } else { 0 }
}

fn read(path: &Path, at: Option<Duration>) -> Result<Vec<row::Row>, Error> {
    let rows = row::read(path)?;
    Ok(match at {
        Some(limit) => compare::at(&rows, limit.as_secs_f64()),
        None => rows,
    })
}

fn sum_up(args: SummaryArgs) -> Result<u8, Error> {
    // Files are called by their names, or by their paths where two have the same name.
    let every: Vec<&PathBuf> = args.files.iter().chain(&args.last).collect();
    let name = |path: &PathBuf| match path.file_stem() {
        Some(stem) if every.iter().filter(|it| it.file_stem() == Some(stem)).count() == 1 => {
            stem.to_string_lossy().into_owned()
        }
        _ => path.display().to_string(),
    };
    let run = |path: &PathBuf| -> Result<summary::Run, Error> {
        Ok(summary::Run { name: name(path), rows: read(path, args.at)? })
    };
    let runs = args.files.iter().map(run).collect::<Result<Vec<_>, _>>()?;
    for run in &runs {
        if runs.len() > 1 {
            println!("{}", run.name);
        }
        print!("{}", table::print(&run.rows));
    }
    if let Some(page) = &args.html {
        let last = args.last.as_ref().map(run).transpose()?;
        let mut reasons = Reasons::of(args.logs.as_deref());
        let html = summary::html(&runs, last.as_ref(), &mut reasons)?;
        std::fs::write(page, html).map_err(Error::at(page))?;
    }
    Ok(code_for(&runs[0].rows))
}

fn side_by_side(files: [PathBuf; 2], at: Option<Duration>, list: bool) -> Result<u8, Error> {
    let [a, b] = &files;
    let rows = [read(a, at)?, read(b, at)?];
    let comparison = compare::compare(&rows[0], &rows[1]);
    println!("A = {}\nB = {}", a.display(), b.display());
    print!("{}", comparison.print_table());
    if list {
        print!("{}", comparison.print_differences());
    }
    Ok(if comparison.contradicts() { 3 } else { 0 })
}

fn structure(args: StructureArgs) -> Result<u8, Error> {
    let instances = match &args.list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(&args.inputs)?,
    };
    let structure = Structure {
        inputs: args.inputs,
        oracle: args.oracle,
        timeout: args.timeout,
        siphon_trap: args.siphon_trap,
        memory: args.memory.saturating_mul(1 << 20),
    };
    let failed = |error: csv::Error| Error::at(&args.out)(error.into());
    let mut file = csv::Writer::from_path(&args.out).map_err(failed)?;
    signals::catch();
    let mut all = Vec::new();
    for name in &instances {
        if signals::interrupted() {
            break;
        }
        let measurement = structure.measure(name)?;
        if all.is_empty() {
            file.write_record(structure_table::header(&measurement)).map_err(failed)?;
        }
        let fields = structure_table::fields(&measurement);
        file.write_record(&fields).map_err(failed)?;
        file.flush().map_err(Error::at(&args.out))?;
        if structure_table::is_wrong(&measurement) {
            eprintln!("WRONG {}", fields.join(" "));
        }
        all.push(measurement);
        eprintln!("{}/{} {name}", all.len(), instances.len());
    }
    print!("{}", structure_table::print(&all));
    if signals::interrupted() {
        return Ok(4);
    }
    Ok(if all.iter().any(structure_table::is_wrong) { 3 } else { 0 })
}

fn encodings(args: EncodingsArgs) -> Result<u8, Error> {
    let instances = read_list(&args.list)?;
    let encodings = Encodings {
        inputs: args.inputs,
        oracle: args.oracle,
        exams: args.exams,
        encodings: args.encodings,
        backends: args.backends,
        timeout: args.timeout,
        unreachable_only: args.unreachable,
        largest: args.largest,
        most: args.most,
        traps: args.traps,
    };
    let measured = over(&instances, &args.out, &encodings_table::COLUMNS, |name| {
        Ok(encodings.measure(name)?.map(|all| {
            let lines = all.iter().map(|m| encodings_table::fields(m).to_vec()).collect();
            (all, lines)
        }))
    })?;
    for m in measured.iter().filter(|m| m.wrong) {
        eprintln!("WRONG {}", encodings_table::fields(m).join(" "));
    }
    print!("{}", encodings_table::print(&measured));
    if let Some(path) = &args.plot {
        let curves = encodings_table::curves(&measured);
        let plot = cactus::plot(
            "Goals refuted, by encoding and back-end",
            "questions refuted, each within",
            &curves,
        );
        std::fs::write(path, plot).map_err(Error::at(path))?;
    }
    Ok(match measured.iter().any(|m| m.wrong) {
        true => 3,
        false if signals::interrupted() => 4,
        false => 0,
    })
}

fn lp(args: LpArgs) -> Result<u8, Error> {
    let instances = match &args.list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(&args.inputs)?,
    };
    let lp =
        Lp { inputs: args.inputs, timeout: args.timeout, largest: args.largest, most: args.most };
    let measured = over(&instances, &args.out, &lp::COLUMNS, |name| {
        Ok(lp.measure(name)?.map(|all| {
            let lines = all.iter().map(|m| lp::fields(m).to_vec()).collect();
            (all, lines)
        }))
    })?;
    print!("{}", lp::print(&measured));
    let disagreements = lp::disagreements(&measured);
    disagreements.iter().for_each(|disagreement| eprintln!("WRONG {disagreement}"));
    Ok(match disagreements.is_empty() {
        false => 3,
        true if signals::interrupted() => 4,
        true => 0,
    })
}

/// What is measured of an instance, and its lines of the result file.
type Measured<M> = Option<(Vec<M>, Vec<Vec<String>>)>;

/// Measures every instance, with a line of the result file for each measurement as it is made.
fn over<M>(
    instances: &[String],
    out: &Path,
    columns: &[&str],
    measure: impl Fn(&str) -> Result<Measured<M>, Error>,
) -> Result<Vec<M>, Error> {
    let failed = |error: csv::Error| Error::at(out)(error.into());
    let mut file = csv::Writer::from_path(out).map_err(failed)?;
    file.write_record(columns).map_err(failed)?;
    signals::catch();
    let mut all = Vec::new();
    let mut passed_over = 0;
    for (index, name) in instances.iter().enumerate() {
        if signals::interrupted() {
            break;
        }
        match measure(name)? {
            Some((measured, lines)) => {
                for line in lines {
                    file.write_record(line).map_err(failed)?;
                }
                file.flush().map_err(Error::at(out))?;
                all.extend(measured);
            }
            None => passed_over += 1,
        }
        eprintln!("{}/{} {name}", index + 1, instances.len());
    }
    eprintln!("{passed_over} of {} instances are too large and passed over", instances.len());
    Ok(all)
}

fn reductions(args: ReductionsArgs) -> Result<u8, Error> {
    let instances = match &args.list {
        Some(list) => read_list(list)?,
        None => place_transition_instances(&args.inputs)?,
    };
    let reductions = Reductions { inputs: args.inputs, timeout: args.timeout, alone: args.alone };
    let failed = |error: csv::Error| Error::at(&args.out)(error.into());
    let mut file = csv::Writer::from_path(&args.out).map_err(failed)?;
    file.write_record(reductions_table::header()).map_err(failed)?;
    signals::catch();
    let mut all = Vec::new();
    for (at, name) in instances.iter().enumerate() {
        if signals::interrupted() {
            break;
        }
        for measurement in reductions.measure(name)? {
            file.write_record(reductions_table::fields(&measurement)).map_err(failed)?;
            all.push(measurement);
        }
        file.flush().map_err(Error::at(&args.out))?;
        eprintln!("{}/{} {name}", at + 1, instances.len());
    }
    print!("{}", reductions_table::print(&all, args.slow.as_secs_f64()));
    Ok(if signals::interrupted() { 4 } else { 0 })
}
