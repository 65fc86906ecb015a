//! The commands and options of the harness.

use clap::{Args, Parser, Subcommand};
use parikh_benchmarks::backends::Backend;
use parikh_benchmarks::engine_rows::ENGINES;
use parikh_benchmarks::exam::Exam;
use parikh_benchmarks::shard::Shard;
use parikh_encodings::Encoding;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success: no answer is wrong or contradicts another
  1  the harness itself failed (a file, an archive, the tool's program)
  2  the command line is wrong
  3  some answer is wrong (contest, summary, glance), contradicts the other file (compare), an
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
    /// Write a file that makes your shell complete `parikh-bench` commands.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages parikh-bench.1, parikh-bench-contest.1, ….
    Man {
        /// The output directory; created if necessary
        directory: PathBuf,
    },
    /// Run instances of the Model Checking Contest and score the answers
    ///
    /// Each pair of an instance and an examination is one run. The archive is unpacked to a
    /// separate directory, and the tool starts there as in the contest (with BK_EXAMINATION,
    /// BK_INPUT, BK_TOOL, BK_TIME_CONFINEMENT and BK_MEMORY_CONFINEMENT). The lines `FORMULA …` and
    /// `STATE_SPACE …` on its stdout are answers, and are recorded with their times. Lines that say
    /// that no answer was found, such as CANNOT_COMPUTE, do not count.
    ///
    /// The result file has a line per question: instance, exam, id, expected, got, verdict
    /// (ok | wrong | missing | new | unknown), seconds to the answer, wall seconds and peak memory
    /// (MB, the largest process) of the run, how the run ended, the number of the run's lines, and
    /// the techniques claimed. If the file exists, only missing runs are made, so the same command
    /// continues an interrupted contest. The table at the end covers all requested runs.
    #[command(after_help = EXIT_CODES)]
    Contest(Box<ContestArgs>),
    /// Summarise result files in tables or on a page
    ///
    /// The first file is the subject. The others are compared with it: other tools, machines or
    /// versions. The page has scores per examination, changes, plots, and each open question with
    /// the attempts to answer it.
    #[command(after_help = EXIT_CODES)]
    Summary(SummaryArgs),
    /// Merge the result files of the parts of a contest
    ///
    /// Each run must be complete and in exactly one file. Prints the table of all runs.
    #[command(after_help = EXIT_CODES)]
    Merge {
        /// The parts' result files
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The instances of the whole contest: runs that no part has are reported, with exit code 4
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
        /// The contest's examinations, for --list
        #[arg(long, value_delimiter = ',', default_value = EXAMS)]
        exams: Vec<Exam>,
        /// The merged result file; an existing file is overwritten
        #[arg(short, long, value_name = "FILE.csv")]
        out: PathBuf,
    },
    /// Write a contest as tasks for BenchExec
    ///
    /// The directory gets a task definition NAME-XX.yml for each run, the instances, a benchmark definition
    /// parikh.xml and the tool-info module contest/parikh.py. With BenchExec (pip install benchexec), run there:
    ///
    ///   PYTHONPATH=. benchexec --tool-directory RELEASE --no-compress-results parikh.xml
    ///
    /// where RELEASE/bin/parikh is the program. `collect` reads the results.
    #[command(verbatim_doc_comment)]
    Tasks(TaskArgs),
    /// Score runs of BenchExec, in a result file like that of `contest`
    ///
    /// Reads results/parikh.DATE.results.XX.xml and the logs in the same directory. BenchExec does
    /// not report the time of an answer, so the time of an answer is the end of its run.
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
        /// The result file; an existing file is overwritten
        #[arg(short, long, value_name = "FILE.csv")]
        out: PathBuf,
    },
    /// Compare two result files
    ///
    /// Only questions in both files are compared. Result files of other tools need the columns
    /// instance, exam, id, expected, got, verdict, seconds and wall, in any order.
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
    /// Compare a run with the totals of the contest's tools on one page
    ///
    /// The page has, for place/transition nets and for coloured nets, a table and a plot by
    /// examination: the share of the known answers that the run gives within each time limit, beside
    /// the share of each tool. One run with the longest limit is enough, since each answer has its
    /// time. If a result file has only some of the instances, the run's share is of the known answers
    /// of these instances, and the tools' share of the known answers of all instances in --inputs.
    #[command(after_help = EXIT_CODES)]
    Glance(GlanceArgs),
    /// Count the kinds of evidence, and the answers that the auditor confirms
    ///
    /// Each pair of an instance and an examination is one run of `parikh check --evidence`, and one
    /// of `parikh-certify` on the written files, in a separate process. The file has a line per
    /// run, and the table a line per examination: answers replayed, certified and searched
    /// according to `parikh`, and confirmed, searched, beyond (not supported by the auditor) and
    /// refused according to `parikh-certify`.
    #[command(verbatim_doc_comment)]
    Evidence(EvidenceArgs),
    /// Run each engine alone on a list of hard goals, and all of them together
    ///
    /// A line of the list names an instance, an examination and a goal. Goals with `aside` in their
    /// line are also counted separately. The first line of the table is for all engines together.
    /// Then each engine has a line: the goals that it settles, and the goals that no other engine
    /// settles alone. Each line has a result file in the directory, like those of `contest`. Existing
    /// runs are not repeated.
    #[command(after_help = EXIT_CODES)]
    Hard(TeamArgs),
    /// Run examinations with all engines and rules, and without each engine or family of rules
    ///
    /// Prints the answers that are lost and gained without it, and plots the times of the answers.
    #[command(after_help = EXIT_CODES)]
    Ablate(AblateArgs),
    /// Compare encodings and solvers, goal by goal
    ///
    /// Every back-end tries to solve every goal in every encoding from scratch. The result file has
    /// a line for each combination with its outcome: refuted, candidate, gave-up, choices (a linear
    /// program cannot express the disjunctions), uncertified, not-asked; for bmc and bmc-steps also
    /// reached and not-within. PDR is measured on the same goals. Two tables are printed: goals
    /// refuted, by encodings that can refute, and goals reached, by encodings that can reach. A goal
    /// whose answer is known is in one of them. For bounds, the goal is one more than the known
    /// maximum, so UB needs --oracle.
    #[command(after_help = EXIT_CODES)]
    Encodings(EncodingsArgs),
    /// Read every model and its formulas with the prover's reader and the auditor's reader
    ///
    /// Lists the differences between the two readers: nodes, tokens, weights, units, and the
    /// predicates of the formulas of RC, RF and UB. Formulas are compared only if the nets are
    /// equal.
    #[command(after_help = EXIT_CODES)]
    Readers {
        /// Directory with the archives NAME.tgz
        #[arg(long, value_name = "DIR")]
        inputs: PathBuf,
        /// File with the names of the instances [default: every P/T archive]
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
    },
    /// Compare orders of places for decision diagrams, and list the orders by what each adds
    ///
    /// Each net is reduced as for counting markings. The largest part of the reduced net is saturated
    /// with each order alone. The file gets a line for each net and order: instance, method, seconds,
    /// peak number of nodes and outcome. Instances in the file are not run again. The table lists the
    /// orders greedily: each time the order that completes most nets that no order above completes.
    Orders {
        /// Directory with the archives NAME.tgz
        #[arg(long, value_name = "DIR")]
        inputs: PathBuf,
        /// File with the names of the instances [default: every P/T archive]
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
        /// Time for each order of a net, in seconds
        #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "5")]
        timeout: Duration,
        /// The result file; an existing file is continued
        #[arg(short, long, value_name = "FILE.csv")]
        out: PathBuf,
    },
}

pub(crate) const EXAMS: &str = "RD,RC,RF,UB,OS,QL,SM";

#[derive(Args)]
pub(crate) struct SummaryArgs {
    /// Result files of `contest`, of `collect` or of another tool
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Count only answers given within this many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) at: Option<Duration>,
    /// Write the page as one self-contained file
    #[arg(short = 'o', long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// An earlier result file: the page shows the changes since then
    #[arg(long, value_name = "FILE.csv", requires = "html")]
    pub(crate) last: Option<PathBuf>,
    /// The logs of the first file's contest (`contest --logs`), for the reasons of open questions
    #[arg(long, value_name = "DIR", requires = "html")]
    pub(crate) logs: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct GlanceArgs {
    /// Result files of `contest`; each run is in exactly one file
    #[arg(required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Directory with the archives NAME.tgz of all instances
    #[arg(long, value_name = "DIR")]
    pub(crate) inputs: PathBuf,
    /// Directory with the known answers NAME-XX.out
    #[arg(long, value_name = "DIR")]
    pub(crate) oracle: PathBuf,
    /// The totals of the tools, with the columns kind (PT or COL), examination, tool, answers, errors;
    /// the tool BVT is all tools together
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) contest: PathBuf,
    /// Time limits in seconds; the longest should be the limit of the runs
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', value_parser = seconds, default_value = "1,5,60")]
    pub(crate) at: Vec<Duration>,
    /// Date, build and machine of the runs, for the page: "2026-11-30, release build of 1a2b3c4, 2 cores"
    #[arg(long, value_name = "TEXT")]
    pub(crate) measured: String,
    /// The page. Its plots have the same name with -pt.svg and -col.svg. Existing files are overwritten
    #[arg(short, long, value_name = "FILE.md")]
    pub(crate) out: PathBuf,
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
    /// File with the names of the instances, one per line; `#` starts a comment
    #[arg(long, value_name = "FILE")]
    pub(crate) list: PathBuf,
    /// Examinations, by initials or names
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
    /// Make only the runs of one part: 3/40 is the third of 40 parts, for example on 40 machines.
    /// `merge` merges the result files of the parts
    #[arg(long, value_name = "PART/PARTS", default_value = "1/1")]
    pub(crate) shard: Shard,
    /// Wall seconds of each run. Then its process group gets SIGTERM, and later answers do not count
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Seconds from SIGTERM to SIGKILL
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) grace: Duration,
    /// Address space of each process in MB (RLIMIT_AS) [default: unlimited; the tool gets BK_MEMORY_CONFINEMENT=16384]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) memory: Option<u64>,
    /// The number of runs at the same time
    #[arg(long, value_name = "N", default_value = "1")]
    pub(crate) jobs: usize,
    /// The result file; an existing file is continued
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
    /// Directory for each run's stdout and stderr, NAME-XX.out and NAME-XX.err
    #[arg(long, value_name = "DIR")]
    pub(crate) logs: Option<PathBuf>,
    /// The `parikh` to run, as `parikh mcc` [default: parikh in the directory of this program]
    #[arg(long, value_name = "PATH", conflicts_with = "command")]
    pub(crate) parikh: Option<PathBuf>,
    /// Another tool to run: a shell command, started in the directory of the instance
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
    /// Directory with the known answers NAME-XX.out; results that contradict them are wrong
    #[arg(long, value_name = "DIR")]
    pub(crate) oracle: Option<PathBuf>,
    /// File with the names of the instances
    #[arg(long, value_name = "FILE", required_unless_present = "goals")]
    pub(crate) list: Option<PathBuf>,
    /// File with a goal per line, such as benchmarks/hard.txt: use only these goals
    #[arg(long, value_name = "FILE", conflicts_with = "list")]
    pub(crate) goals: Option<PathBuf>,
    /// Examinations: RC, RF, RD, UB
    #[arg(long, value_delimiter = ',', default_value = "RC,RF,RD,UB")]
    pub(crate) exams: Vec<Exam>,
    /// Encodings, named as in `parikh encode`; the others are compared with the first
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "state-equation,flows,state-equation+bounds,state-equation+traps,\
            state-equation+listed-traps,state-equation+read-feed,state-equation+causal-order,\
            state-equation+predecessor,state-equation+k-induction,state-equation+traps+read-feed"
    )]
    pub(crate) encodings: Vec<Encoding>,
    /// k of bmc, bmc-steps and k-induction; each value is a separate encoding
    #[arg(long, value_name = "K", value_delimiter = ',', default_value = "1",
        value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) steps: Vec<u32>,
    /// Back-ends: highs, microlp, z3-lra, z3-lia, z3-bv (bit-vectors), z3-guest (z3-lia in a worker
    /// process of `parikh`), sat-order, sat-one-of-n and sat-log (bmc and bmc-steps in propositional
    /// logic, with the built-in SAT solver), and SMT solvers started by a command: command:LINE over
    /// the integers, command-lra:LINE over the reals, command-bv:LINE over bit-vectors
    #[arg(long, value_delimiter = ',', default_value = "highs,microlp,z3-lra,z3-lia")]
    pub(crate) backends: Vec<Backend>,
    /// Engines of Parikh on the same goals, as rows of the same tables: pdr, k-induction. Without a
    /// value, no engines
    #[arg(long, value_name = "ENGINES", value_delimiter = ',', num_args = 0.., default_value = "pdr",
        value_parser = clap::builder::PossibleValuesParser::new(ENGINES))]
    pub(crate) engines: Vec<String>,
    /// The program of the worker process of z3-guest [default: parikh in the directory of this program]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) parikh: Option<PathBuf>,
    /// Wall seconds per query
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// Use only goals that are known to be unreachable
    #[arg(long, requires = "oracle")]
    pub(crate) unreachable: bool,
    /// Skip nets with more places and transitions than this
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(crate) largest: usize,
    /// The largest number of goals of one examination of one instance
    #[arg(long, value_name = "N", default_value = "16")]
    pub(crate) most: usize,
    /// The largest number of traps for listed-traps
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) traps: usize,
    /// The result file; an existing file is overwritten
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
    /// The plot of the goals refuted [default: none]
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot_refuted: Option<PathBuf>,
    /// The plot of the goals reached [default: none]
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) plot_reached: Option<PathBuf>,
    /// A scatter plot of the seconds for each goal that is refuted or reached: the first
    /// combination of encoding and back-end against the second [default: none]
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
    /// Examinations, by initials or names
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    pub(crate) exams: Vec<Exam>,
    /// Time limit of `parikh check` in seconds
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// The `parikh` to run [default: parikh in the directory of this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) parikh: Option<PathBuf>,
    /// The checker that is proved in Coq: also count the answers that it accepts [default: none]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) proved: Option<PathBuf>,
    /// An SMT solver with its options: also count the answers whose proof obligations it refutes
    /// [default: none]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) smt_solver: Option<String>,
    /// Time limit of the SMT solver for one file in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) smt_timeout: Duration,
    /// The result file; an existing file is overwritten
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
    /// File with a goal per line, such as benchmarks/hard.txt
    #[arg(long, value_name = "FILE", required_unless_present = "list")]
    pub(crate) goals: Option<PathBuf>,
    /// File with the names of instances, to run whole examinations
    #[arg(long, value_name = "FILE", conflicts_with = "goals")]
    pub(crate) list: Option<PathBuf>,
    /// Examinations, by initials or names, for --list
    #[arg(long, value_delimiter = ',', default_value = "RD,RC,RF,UB,OS,QL,SM")]
    pub(crate) exams: Vec<Exam>,
    /// Only these engines, alone or excluded [default: all, including those that run only by name (hard)]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parikh::run::engine_name)]
    pub(crate) engines: Vec<String>,
    /// Wall seconds per examination
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,
    /// The number of runs at the same time
    #[arg(long, default_value = "1")]
    pub(crate) jobs: usize,
    /// The `parikh` to run [default: parikh in the directory of this program]
    #[arg(long, value_name = "PATH")]
    pub(crate) parikh: Option<PathBuf>,
    /// The directory of the result files and the plot; use a separate directory for each timeout
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Args)]
pub(crate) struct AblateArgs {
    #[command(flatten)]
    pub(crate) of: TeamArgs,
    /// Exclude only these rules or families of rules: dead, irrelevant, places, transitions, fusion,
    /// agglomeration, all [default: with --engines none, otherwise each family, and all]
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rules_called)]
    pub(crate) rules: Vec<String>,
}

/// Checks that a name is the name of a rule or of a family of rules, and returns it.
fn rules_called(name: &str) -> Result<String, String> {
    parikh::reduction::rules::searches_named(name).map(|_| name.to_owned())
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a positive number of seconds");
    let number: f64 = text.parse().map_err(|_| wrong())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() && number <= 1e9 => Ok(duration),
        _ => Err(wrong()),
    }
}
