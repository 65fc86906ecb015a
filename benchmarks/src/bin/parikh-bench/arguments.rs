//! The commands and options of the harness.

use clap::{Args, Parser, Subcommand};
use parikh_benchmarks::backends::Backend;
use parikh_benchmarks::exam::Exam;
use parikh_benchmarks::shard::Shard;
use parikh_encodings::Encoding;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done, and no answer is wrong or contradicts another
  1  the harness itself failed (a file, an archive, the tool's program)
  2  the command line is wrong
  3  some answer is wrong (contest, summary), contradicts the other file (compare), an
     answer was refused (evidence), or two readers differ (readers)
  4  interrupted; the runs finished so far are in the result file (merge --list: some are missing)";

/// Runs contest instances through a prover, scores its answers, and compares such runs
#[derive(Parser)]
#[command(
    name = "parikh-bench", version, propagate_version = true, after_help = EXIT_CODES,
    disable_help_subcommand = true
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: BenchCommand,
}

#[derive(Subcommand)]
pub(crate) enum BenchCommand {
    /// Write a file that teaches your shell to complete `parikh-bench`.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages parikh-bench.1, parikh-bench-contest.1, ….
    Man {
        /// The output directory; created if absent
        directory: PathBuf,
    },
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
        /// The contest's examinations, for --list
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
    /// Run examinations with all engines and rules, and with each engine or family of rules left out
    ///
    /// Prints what is lost without it and what is gained; plots the times of the answers.
    #[command(after_help = EXIT_CODES)]
    Ablate(AblateArgs),
    /// Compare encodings and the solvers behind them, goal by goal
    ///
    /// Every goal in every encoding goes to every back-end, from scratch. The result file has a line
    /// for each, with its outcome: refuted, candidate, gave-up, choices for what a linear program cannot
    /// say, uncertified, not-asked; of bmc reached and not-within. The table is printed, and the plot shows
    /// how many goals are refuted within which time. Bounds are asked for one more than the known maximum,
    /// so UB needs --oracle.
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
}

pub(crate) const EXAMS: &str = "RD,RC,RF,UB,OS,QL,SM";

#[derive(Args)]
pub(crate) struct SummaryArgs {
    /// Result files, of `contest`, of `collect` or of a peer
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Count only answers given within this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) at: Option<Duration>,
    /// Write the page: one file that asks for no other
    #[arg(short = 'o', long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// An earlier result file: the page tells what changed since
    #[arg(long, value_name = "FILE.csv", requires = "html")]
    pub(crate) last: Option<PathBuf>,
    /// The logs of the first file's contest (`contest --logs`): why questions were left open
    #[arg(long, value_name = "DIR", requires = "html")]
    pub(crate) logs: Option<PathBuf>,
}

/// The runs of a contest.
#[derive(Args)]
pub(crate) struct RunList {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    pub(crate) oracle: PathBuf,
    /// File with the names of the instances, one a line, `#` before comments
    #[arg(long, value_name = "FILE")]
    pub(crate) list: PathBuf,
    /// Examinations, by their capitals or names
    #[arg(long, value_delimiter = ',', default_value = EXAMS)]
    pub(crate) exams: Vec<Exam>,
}

#[derive(Args)]
pub(crate) struct TaskArgs {
    #[command(flatten)]
    pub(crate) of: RunList,
    /// Wall seconds per run
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Memory per run in MB
    #[arg(long, value_name = "MB", default_value = "16384", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: u64,
    /// Processor cores per run
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) cores: u16,
    /// The output directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct ContestArgs {
    #[command(flatten)]
    pub(crate) of: RunList,
    /// Make only the runs of one part of so many, as in 3/40, for many machines at a time; `merge` puts
    /// the parts' result files together
    #[arg(long, value_name = "PART/PARTS", default_value = "1/1")]
    pub(crate) shard: Shard,
    /// Wall seconds of each run: then SIGTERM to its process group, and later answers do not count
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Seconds from SIGTERM to SIGKILL
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) grace: Duration,
    /// Address space of each process in MB (RLIMIT_AS) [default: unlimited, the tool is told 16384]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: Option<u64>,
    /// Runs at a time
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) jobs: usize,
    /// The result file, continued when it exists
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
    /// Directory for each run's stdout and stderr, NAME-XX.out and NAME-XX.err
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// The `parikh` to run, as `parikh mcc` [default: the one beside this program]
    #[arg(long, value_name = "PATH", conflicts_with = "command")]
    pub(crate) parikh: Option<PathBuf>,
    /// Another tool to run, a command of the shell, in the directory of the instance
    #[arg(long, value_name = "CMD")]
    pub(crate) command: Option<OsString>,
    /// The value of BK_TOOL for the tool
    #[arg(long, value_name = "NAME", default_value = "parikh")]
    pub(crate) tool: String,
}

#[derive(Args)]
pub(crate) struct EncodingsArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out; what contradicts them is wrong
    #[arg(long, value_name = "DIR")]
    pub(crate) oracle: Option<PathBuf>,
    /// File with the names of the instances
    #[arg(long, value_name = "FILE", required_unless_present = "goals")]
    pub(crate) list: Option<PathBuf>,
    /// File with a goal a line, such as benchmarks/hard.txt: only these, of all their instances
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) goals: Option<PathBuf>,
    /// Examinations: RC, RF, RD, UB
    #[arg(long, value_delimiter = ',', default_value = "RC,RF,RD,UB")]
    pub(crate) exams: Vec<Exam>,
    /// Encodings, as `parikh encode` names them; the first is what others are compared with
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "state-equation,flows,state-equation+bounds,state-equation+traps,\
            state-equation+listed-traps,state-equation+read-feed,state-equation+causal-order,\
            state-equation+predecessor,state-equation+k-induction,state-equation+traps+read-feed"
    )]
    pub(crate) encodings: Vec<Encoding>,
    /// k of bmc, bmc-steps and k-induction; several make each of these an encoding of its own
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) steps: Vec<u32>,
    /// Back-ends: highs, microlp, z3-lra, z3-lia, z3-bv (bit-vectors), z3-guest (z3-lia in a process of its own,
    /// which is `parikh`), sat-order, sat-one-of-n and sat-log (bmc and bmc-steps in propositions, by the SAT solver
    /// of the product), and SMT solvers that are commands: command:LINE over the integers, command-lra:LINE over the
    /// reals, command-bv:LINE over bit-vectors
    #[arg(long, value_delimiter = ',', default_value = "highs,microlp,z3-lra,z3-lia")]
    pub(crate) backends: Vec<Backend>,
    /// The program that z3-guest runs in [default: parikh beside this program]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) parikh: Option<PathBuf>,
    /// Wall seconds per question
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Ask only goals that are known to be unreachable
    #[arg(long, requires = "oracle")]
    pub(crate) unreachable: bool,
    /// Pass over nets with more places and transitions
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(crate) largest: usize,
    /// Most goals of one examination of one instance
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) most: usize,
    /// Largest number of traps for listed-traps
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) traps: usize,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
    /// The plot [default: none]
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot: Option<PathBuf>,
    /// A plot of the seconds of each question, of the first encoding and back-end asked against the second
    /// [default: none]
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) scatter: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct EvidenceArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: PathBuf,
    /// File with the names of the instances [default: every P/T archive]
    #[arg(long, value_name = "FILE")]
    pub(crate) list: Option<PathBuf>,
    /// Examinations, by their capitals or names
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    pub(crate) exams: Vec<Exam>,
    /// Seconds that `parikh check` is given
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// The `parikh` to run [default: the one beside this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) parikh: Option<PathBuf>,
    /// The result file, written anew
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct TeamArgs {
    /// Directory with the archives NAME.tgz
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    pub(crate) oracle: PathBuf,
    /// File with a goal a line, such as benchmarks/hard.txt
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    pub(crate) goals: Option<PathBuf>,
    /// File with the names of instances, of which whole examinations are asked
    #[arg(long, value_name = "FILE", conflicts_with = "goals")]
    pub(crate) list: Option<PathBuf>,
    /// Examinations, by their capitals or names, for --list
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    pub(crate) exams: Vec<Exam>,
    /// Only these engines, alone or left out [default: all, also those that take part only by name (hard)]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parikh::run::engine_name)]
    pub(crate) engines: Vec<String>,
    /// Wall seconds per examination
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Runs at a time
    #[arg(long, default_value = "1")]
    pub(crate) jobs: usize,
    /// The `parikh` to run [default: the one beside this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) parikh: Option<PathBuf>,
    /// The directory of the result files and the plot; another one for another timeout
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct AblateArgs {
    #[command(flatten)]
    pub(crate) of: TeamArgs,
    /// Only these rules are left out, or families of them: dead, irrelevant, places, transitions, fusion,
    /// agglomeration, all [default: with --engines none, else each family, and all]
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rules_called)]
    pub(crate) rules: Vec<String>,
}

/// The name of a rule or a family.
fn rules_called(name: &str) -> Result<String, String> {
    parikh::reduction::rules::called(name).map(|_| name.to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no positive number of seconds");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() && number <= 1e9 => Ok(duration),
        _ => Err(wrong()),
    }
}
