//! `parikh check`: answers questions about a model: the questions of an examination, given
//! formulas, or the properties of a parallel system.

use super::dead_markings;
use super::examination::ExaminationParser;
use super::expected;
use super::fair::{self, FairnessOption, RunRestriction};
use super::job::{InquiryJob, RunMessages, print_statistics};
use super::limits::LimitOptions;
use super::output::{AnswerFormat, AnswerPrinter};
use super::output_files::OutputDirectories;
use super::questions::RequestedQuestions;
use super::terminal::{line, note};
use super::totals::NodeTotals;
use super::{
    EXPERT, ProgramOutcome, UsageError, csv, formulas, model, processes, signals, systems,
};
use anyhow::{Context, Result, bail};
use parikh::mcc::Examination;
use parikh::run;
use parikh_engine::smt;
use parikh_input::model::Model;
use parikh_reduction::rules;
use parikh_solvers::Budget;
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use parikh_solvers::smt_chosen;
use parikh_solvers::smt_command::SmtCommand;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(group(
    clap::ArgGroup::new("asked").required(true).multiple(true).args(["examination", "formula", "formulas", "properties"])
))]
#[command(after_help = format!("{EXAMPLES}\n\n{}\n\n{}", processes::ABOUT, formulas::LANGUAGE))]
pub(super) struct CheckArguments {
    /// The model: a PNML file or a net as text, compressed (.gz) or not, `-` for standard input, or
    /// a contest instance (model.pnml and query files) as a directory or an archive (.tgz).
    model: PathBuf,
    /// The examination: ReachabilityDeadlock (RD), OneSafe (OS), QuasiLiveness (QL), Liveness (L),
    /// StableMarking (SM), StateSpace (SS); with a query file ReachabilityCardinality (RC),
    /// ReachabilityFireability (RF), UpperBounds (UB), CTLCardinality (CTLC), CTLFireability
    /// (CTLF), LTLCardinality (LTLC), LTLFireability (LTLF); for processes (see below) Soundness
    /// (S), WeakSoundness (WS), RelaxedSoundness (RS), EasySoundness (ES); about each place or
    /// transition UpperBoundsAll (UBA), QuasiLivenessAll (QLA), LivenessAll (LA), StableMarkingAll
    /// (SMA). Upper and lower case are the same. Also accepted: deadlock, safe, live, stable,
    /// bounds, states, sound. Several examinations are separated by commas or given with one -e
    /// each. They run one after the other, and formulas run last. Each has a share of the remaining
    /// time.
    #[arg(
        short,
        long,
        value_delimiter = ',',
        value_parser = ExaminationParser { with_state_space: true },
        ignore_case = true,
        hide_possible_values = true
    )]
    examination: Vec<Examination>,
    /// With ReachabilityDeadlock alone: list all dead markings, in groups by the transitions that
    /// are closest to being enabled, each with the length of a firing sequence to it, which is
    /// replayed. The last line says if the list is complete. For a coloured net, the markings are
    /// those of its unfolding.
    #[arg(long, requires = "examination")]
    all: bool,
    /// The query file in the contest's XML. By default EXAMINATION.xml in the directory of the
    /// model.
    #[arg(long, requires = "examination")]
    queries: Option<PathBuf>,
    /// For a parallel system (.dot, .pml, .aut, .fsm): a file of properties in the format of RERS,
    /// `#1:` with a formula in the next line, in LTL or CTL over labels.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["examination", "formula", "formulas", "trace", "engines"])]
    properties: Option<PathBuf>,
    /// With --properties: the meaning of finite runs in LTL.
    #[arg(long, value_enum, requires = "properties", default_value = "infinite")]
    semantics: systems::FiniteRunSemantics,
    #[command(flatten)]
    formulas: formulas::FormulaOptions,
    /// Consider only fair runs in formulas about runs. Weak fairness: a transition that stays
    /// enabled from some point on fires infinitely often. Strong fairness: a transition that is
    /// enabled infinitely often fires infinitely often. Applies to all transitions, or to some:
    /// strong:enter_1,enter_2. Repeatable.
    #[arg(long, value_name = "KIND[:TRANSITIONS]", value_parser = fair::parse_fairness)]
    fair: Vec<FairnessOption>,
    #[command(flatten)]
    cases: processes::CaseOptions,
    #[command(flatten)]
    timing: model::TimingOptions,
    #[command(flatten)]
    limits: LimitOptions,
    #[arg(
        long, value_name = "NAMES", value_delimiter = ',', value_parser = run::engine_name,
        help = engines_help(), help_heading = EXPERT
    )]
    engines: Vec<String>,
    /// Do not use these reduction rules: names of rules as in `parikh reduce`, or of the families
    /// dead, irrelevant, places, transitions, fusion, agglomeration. `all` turns reductions off.
    #[arg(
        long, value_name = "RULES", value_delimiter = ',', value_parser = rules_called,
        help_heading = EXPERT
    )]
    without_rules: Vec<RuleSelection>,
    /// The SMT solver for bmc-wide, bmc-smt and k-induction-smt: a command that reads SMT-LIB 2
    /// from its standard input, such as 'z3 -in' or 'cvc5 --incremental --lang smt2'. By default
    /// Z3, if this program was built with it.
    #[arg(long, value_name = "COMMAND", value_parser = smt_command, help_heading = EXPERT)]
    smt_solver: Option<Program>,
    /// The output format.
    #[arg(short, long, value_enum, default_value = "text")]
    format: AnswerFormat,
    /// Write the firing sequence of every answer that has one to DIR/ID.trace, for `parikh replay`.
    #[arg(long, value_name = "DIR")]
    trace: Option<PathBuf>,
    /// Check whether a shorter firing sequence shows the same, for answers that a marking is
    /// reachable. A breadth-first search may take half of the remaining time, and the answer states
    /// its result. Not for the largest value of a sum, for markings that can be lost for good, or
    /// for infinite runs: these witnesses are shortened as usual, and the answer says no more.
    #[arg(long)]
    shortest: bool,
    /// Write the evidence of every answer to DIR/EXAMINATION.jsonl, for `parikh-certify MODEL DIR`:
    /// firing sequences, certificates accepted by the checker, and the reductions they use.
    #[arg(long, value_name = "DIR")]
    evidence: Option<PathBuf>,
    /// Print no answer with weaker evidence. `searched` also accepts an exhaustive search without a
    /// certificate; `certified` does not.
    #[arg(
        long, value_enum, value_name = "EVIDENCE", default_value = "searched",
        help_heading = EXPERT
    )]
    require: RequiredEvidence,
    /// Write the queries that the state equation, bmc-wide, bmc-smt and k-induction-smt send to a
    /// solver to DIR, numbered. Linear programs are written as .lp, clauses as .cnf, others as
    /// .smt2. Queries of the state equation about derived nets, such as reduced nets, are left out.
    /// A comment in the file names its net, goal and encoding. Existing files with the same numbers
    /// are overwritten.
    #[arg(long, value_name = "DIR", help_heading = EXPERT)]
    dump: Option<PathBuf>,
    /// The seed of the random walks. With one thread, the same seed gives the same run.
    #[arg(long, default_value_t = 1, help_heading = EXPERT)]
    seed: u64,
    /// Print statistics of every stage on stderr after the answers.
    #[arg(long, help_heading = EXPERT)]
    stats: bool,
    /// Answer only the questions with this id, among the formulas in files and on the command line,
    /// or the nodes of an examination about each node. Repeatable.
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// After the answers, explain on stderr how the answer with this id was found: which engines
    /// worked on it for how long, and how each ended. Repeatable.
    #[arg(long, value_name = "ID", help_heading = EXPERT)]
    explain: Vec<String>,
    /// With --format json: also print objects of the type `progress`, at most a second apart, with
    /// the open questions, the working engines, the best bounds so far and the remaining time.
    #[arg(long, help_heading = EXPERT)]
    events: bool,
}

/// The reduction rules denoted by one value of `--without-rules`: a rule, the rules of a family, or
/// all rules.
#[derive(Clone)]
struct RuleSelection(Vec<&'static str>);

fn rules_called(name: &str) -> Result<RuleSelection, String> {
    rules::searches_named(name).map(RuleSelection)
}

/// Parses the command line of a solver.
fn smt_command(line: &str) -> Result<Program, String> {
    smt_chosen::command(line)
        .ok_or_else(|| "expected a program and its arguments, such as 'z3 -in'".to_owned())
}

/// Returns the command of the SMT solver that the engines use. The solver is started once as a
/// test. Returns `None` if `--smt-solver` is not given.
///
/// # Errors
/// The solver cannot be started, or `--engines` selects no engine that uses it.
fn smt_solver(arguments: &CheckArguments, budget: &Budget) -> Result<Option<Program>> {
    let Some(command) = &arguments.smt_solver else { return Ok(None) };
    let needs_solver = |name: &String| smt::ENGINES.iter().any(|engine| engine.name == name);
    if !arguments.engines.is_empty() && !arguments.engines.iter().any(needs_solver) {
        bail!(UsageError(
            "--smt-solver is used only by the engines bmc-wide, bmc-smt and k-induction-smt, and \
             --engines selects none of these"
                .to_owned()
        ));
    }
    // The solver is tested first, because reading the model may take long.
    SmtCommand::start_within(command.clone(), budget)
        .map_err(|error| UsageError(format!("--smt-solver: {error}")))?;
    Ok(Some(command.clone()))
}

/// The weakest evidence with which an answer is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum RequiredEvidence {
    /// The evidence was replayed or accepted by the checker.
    Certified,
    /// An exhaustive search is accepted, too.
    Searched,
}

const EXAMPLES: &str = "\
Examples:
  parikh check philosophers.pnml -e ReachabilityDeadlock --trace traces
  parikh check INPUTS/Peterson-PT-2 -e RC --timeout 5m --format json
  parikh check philosophers.pnml -e UpperBoundsAll,QuasiLivenessAll --format csv
  parikh check mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)'
  parikh check problem101.dot --properties problem101-properties.txt";

pub(super) fn run(arguments: &CheckArguments) -> Result<ProgramOutcome> {
    if let Some(properties) = &arguments.properties {
        return systems::check(&arguments.about_system(properties));
    }
    let budget = arguments.limits.budget();
    let report_open = || {
        expected::report_open_questions();
        dead_markings::end_at_once();
        note!("parikh: stopped before all questions were answered");
    };
    signals::cancel_on_signal(&budget, report_open);
    signals::leave_after(&budget, report_open);
    arguments.refuse_misuse()?;
    let smt_solver = smt_solver(arguments, &budget)?;
    let inquiries = arguments.inquiries()?;
    let (traces, files) = (arguments.trace.as_deref(), arguments.evidence.as_deref());
    let directories = OutputDirectories { traces, files };
    for inquiry in &inquiries {
        directories.prepare(&inquiry.name())?;
    }
    let model = arguments.read()?;
    if arguments.format == AnswerFormat::Csv {
        line(csv::COLUMNS);
    }
    let config = arguments.config(smt_solver)?;
    let mut pending: VecDeque<RequestedQuestions<'_>> = inquiries.into();
    let mut worst = ProgramOutcome::Complete;
    // An error in one examination is reported after the others have been answered. Only the first
    // of several errors is reported.
    let mut first_error = None;
    while let Some(inquiry) = pending.pop_front() {
        let budget = budget.portion(1.0 / (pending.len() + 1) as f64);
        let later_names = pending.iter().map(RequestedQuestions::name).collect();
        match ask(arguments, &model, inquiry, later_names, &config, &budget, directories) {
            Ok(outcome) => worst = worst.max(outcome),
            Err(error) if pending.is_empty() && first_error.is_none() => return Err(error),
            Err(error) => drop(first_error.get_or_insert(error)),
        }
    }
    match first_error {
        None => Ok(worst),
        Some(error) => Err(error),
    }
}

/// Answers the questions of one inquiry, that is, of an examination or of the formulas given.
/// `later_names` has the names of the inquiries after it.
fn ask(
    arguments: &CheckArguments,
    model: &Model,
    inquiry: RequestedQuestions<'_>,
    later_names: Vec<String>,
    config: &run::RunConfig,
    budget: &Budget,
    beside: OutputDirectories<'_>,
) -> Result<ProgramOutcome> {
    // Questions about cases need a net with a final marking. The examination EasySoundness stands
    // for formulas about cases, because its net has no additional places that count firings.
    let prepared_model = match inquiry {
        RequestedQuestions::Process(examination, _) => {
            Some(arguments.cases.prepared_model(model, examination, &arguments.model)?)
        }
        _ if arguments.cases.one_by_one => Some(arguments.cases.prepared_model(
            model,
            Examination::EasySoundness,
            &arguments.model,
        )?),
        _ => None,
    };
    let printer = AnswerPrinter::new(arguments.format, config.threads > 1);
    let printer = printer.of_examination(inquiry.name(), later_names);
    let printer = printer.with_totals(inquiry.each_node().and_then(NodeTotals::of));
    let messages = RunMessages {
        prints_statistics: arguments.stats,
        prints_events: arguments.events,
        explain: arguments.explain.clone(),
        only: arguments.id.clone(),
    };
    let restriction = RunRestriction { fair: &arguments.fair, cases: arguments.cases.one_by_one };
    if arguments.all {
        dead_markings::begin(model, arguments.format);
    }
    // The list of dead markings gets at least half of the time.
    let answer_budget = if arguments.all { budget.portion(0.5) } else { budget.clone() };
    let job = InquiryJob {
        inquiry,
        restriction,
        budget: &answer_budget,
        config: config.clone(),
        messages,
        printer,
        directories: beside,
        last_answer: RefCell::default(),
        is_followed: arguments.all,
    };
    let report = job.run(prepared_model.as_ref().unwrap_or(model))?;
    if arguments.stats {
        print_statistics(&report);
    }
    let outcome = ProgramOutcome::of(&report);
    if !arguments.all {
        return Ok(outcome);
    }
    let answer = job.last_answer.take();
    let listed = dead_markings::list(model, answer.as_ref(), budget);
    Ok(outcome.max(listed))
}

/// Returns the help of `--engines`, with the names of all engines.
fn engines_help() -> String {
    let [default, on_request] = run::engine_names().map(|names| names.join(", "));
    format!(
        "Use only these engines, separated by commas. By default: {default}. On request only: \
         {on_request}. Token intervals are always tried first"
    )
}

impl CheckArguments {
    /// Returns the arguments of a check of a system with its properties.
    fn about_system<'a>(&'a self, properties: &'a Path) -> systems::SystemArguments<'a> {
        systems::SystemArguments {
            model: &self.model,
            properties,
            semantics: self.semantics,
            limits: &self.limits,
            seed: self.seed,
            format: self.format,
            evidence: self.evidence.as_deref(),
            certified_only: self.require == RequiredEvidence::Certified,
        }
    }

    /// Reads the model. All questions share one initial marking. If one question is about cases, a
    /// workflow net without an initial marking starts with a token in its source for all questions.
    fn read(&self) -> Result<Model> {
        let path = &self.model;
        let model = parikh_input::read_model_within_caps(path, self.timing.treatment())?;
        let of_cases = |it: &Examination| it.is_about_cases();
        match self.cases.one_by_one || self.examination.iter().any(of_cases) {
            true => processes::with_assumed_token(model, path, true),
            false => Ok(model),
        }
    }

    /// Refuses contradictory options before any file is read.
    fn refuse_misuse(&self) -> Result<()> {
        let refuse = |why: String| Err(UsageError(why).into());
        let asks_by_case = self.cases.one_by_one;
        let examinations = &self.examination;
        let names = examinations.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
        if let Some(duplicate) =
            (1..examinations.len()).find(|&at| examinations[..at].contains(&examinations[at]))
        {
            return refuse(format!("the examination {} is given twice", examinations[duplicate]));
        }
        if asks_by_case && self.cases.number > 1 {
            return refuse(
                "--k applies to soundness only; with --cases, formulas are about one case"
                    .to_owned(),
            );
        }
        let about_soundness = examinations.iter().any(|it| it.is_about_cases());
        if self.cases.are_asked_about() && !about_soundness && !asks_by_case {
            return refuse(match examinations.is_empty() {
                true => {
                    "--k and --final apply to soundness only; --final can also be combined with \
                     --cases"
                        .to_owned()
                }
                false => format!("--k and --final apply to soundness, not to {names}"),
            });
        }
        let is_other = |it: &Examination| !it.is_about_cases();
        if self.cases.number > 1 && (examinations.iter().any(is_other) || self.formulas.are_given())
        {
            let why = "--k applies to soundness only and changes the initial marking, which all \
                       questions of a command share: ask the other questions in another command, \
                       without --k";
            return refuse(why.to_owned());
        }
        if self.queries.is_some() {
            match examinations.iter().filter(|it| it.has_queries()).count() {
                0 => return refuse(format!("{names} has no query file: omit --queries")),
                1 => {}
                _ => {
                    return refuse(format!(
                        "--queries names one file, but {names} have one query \
                                            file each"
                    ));
                }
            }
        }
        let are_about_runs = examinations.iter().all(|it| it.is_about_runs());
        if (!self.fair.is_empty() || asks_by_case) && !are_about_runs {
            let option = if asks_by_case { "--cases" } else { "--fair" };
            return refuse(format!(
                "{option} applies to runs only: LTLCardinality, LTLFireability or --formula"
            ));
        }
        let selects_questions = !self.id.is_empty() || !self.explain.is_empty();
        if selects_questions && examinations.len() + usize::from(self.formulas.are_given()) > 1 {
            let why = "--id and --explain require a single examination";
            return refuse(why.to_owned());
        }
        if (selects_questions || self.events) && examinations[..] == [Examination::StateSpace] {
            let why = "--id, --explain and --events apply to questions, and StateSpace has none";
            return refuse(why.to_owned());
        }
        if self.all
            && (examinations[..] != [Examination::ReachabilityDeadlock]
                || self.formulas.are_given())
        {
            return refuse(
                "--all applies to the examination ReachabilityDeadlock alone".to_owned(),
            );
        }
        if self.all && !matches!(self.format, AnswerFormat::Text | AnswerFormat::Json) {
            return refuse("--all requires --format text or json".to_owned());
        }
        if self.all && self.require == RequiredEvidence::Certified {
            let why = "--all cannot be combined with --require certified: no certificate shows \
                       that the list is complete";
            return refuse(why.to_owned());
        }
        if self.format == AnswerFormat::Mcc
            && let Some(other) = examinations.iter().find(|it| it.is_about_each_node())
        {
            return refuse(format!("--format mcc is the contest's, which has no {other}"));
        }
        if self.events && self.format != AnswerFormat::Json {
            return refuse("--events requires --format json".to_owned());
        }
        Ok(())
    }

    /// Returns the inquiries in the order in which they are answered: one per examination, then one
    /// for all formulas given.
    fn inquiries(&self) -> Result<Vec<RequestedQuestions<'_>>> {
        let requested = |&examination: &Examination| match &self.queries {
            _ if examination.is_about_cases() => {
                Ok(RequestedQuestions::Process(examination, self.cases.number))
            }
            Some(file) if examination.has_queries() => {
                Ok(RequestedQuestions::Queries(examination, file.clone()))
            }
            _ => RequestedQuestions::of_instance(examination, &self.model),
        };
        let mut inquiries = self.examination.iter().map(requested).collect::<Result<Vec<_>>>()?;
        inquiries.extend(
            self.formulas.are_given().then_some(RequestedQuestions::Formulas(&self.formulas)),
        );
        Ok(inquiries)
    }

    /// Returns the configuration of a run.
    fn config(&self, smt_solver: Option<Program>) -> Result<run::RunConfig> {
        let defaults = run::RunConfig::default();
        let dump = self.dump.as_ref().map(|directory| {
            Dump::create(directory)
                .with_context(|| format!("cannot create {}", directory.display()))
        });
        Ok(run::RunConfig {
            threads: self.limits.threads(),
            seed: self.seed,
            // An inquiry about cases needs the witness for the message about a case that gets
            // stuck. JSON objects contain the witness. Otherwise a run about many nodes would drop
            // its witnesses before they are written as traces.
            keep_all_witnesses: self.evidence.is_some()
                || self.format == AnswerFormat::Json
                || self.examination.iter().any(|it| it.is_about_cases())
                || self.trace.is_some()
                    && self.examination.iter().any(|it| it.is_about_each_node()),
            keep_certificates: self.evidence.is_some(),
            show_bindings: self.trace.is_some() || self.shortest,
            short_witnesses: true,
            reasons_by_sums: true,
            shortest_witnesses: self.shortest,
            certified_only: self.require == RequiredEvidence::Certified,
            dump: dump.transpose()?,
            smt_solver,
            engines: match self.engines.as_slice() {
                [] => defaults.engines,
                names => run::engines_named(names),
            },
            without_rules: self
                .without_rules
                .iter()
                .flat_map(|RuleSelection(all)| all)
                .copied()
                .collect(),
            ..defaults
        })
    }
}
