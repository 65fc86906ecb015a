//! `parikh check`: answers the questions of an examination about a model.

use super::beside::Beside;
use super::examination::ByName;
use super::fair::{self, FairTo, Meant};
use super::job::{Job, Watch, print_statistics};
use super::output::{self, Format, Printer};
use super::questions::Inquiry;
use super::terminal::note;
use super::{Misuse, Outcome, formulas, limits, processes, signals, systems};
use crate::input::{self, Timing};
use crate::mcc::Examination;
use crate::model::Model;
use crate::reduction::rules;
use crate::run;
use crate::structure::workflow;
use anyhow::{Context, Result, bail};
use parikh_solvers::Budget;
use parikh_solvers::dump::Dump;
use parikh_solvers::guest::Program;
use parikh_solvers::smt_chosen;
use parikh_solvers::smt_command::SmtCommand;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(group(
    clap::ArgGroup::new("asked").required(true).multiple(true).args(["examination", "formula", "formulas", "properties"])
))]
#[command(after_help = format!("{EXAMPLES}\n\n{}\n\n{}", processes::ABOUT, formulas::LANGUAGE))]
pub(super) struct Arguments {
    /// A PNML file or a net as text, compressed (.gz) or not, `-` for standard input, or a contest
    /// instance (model.pnml and query files): its directory or its archive (.tgz).
    model: PathBuf,
    /// What to ask: ReachabilityDeadlock (RD), OneSafe (OS), QuasiLiveness (QL), Liveness (L),
    /// StableMarking (SM), StateSpace (SS); with a query file ReachabilityCardinality (RC),
    /// ReachabilityFireability (RF), UpperBounds (UB), CTLCardinality (CTLC), CTLFireability
    /// (CTLF), LTLCardinality (LTLC), LTLFireability (LTLF); of processes, see below, Soundness
    /// (S), WeakSoundness (WS), RelaxedSoundness (RS), EasySoundness (ES). In any case, and also as
    /// deadlock, safe, live, stable, bounds, states, sound. Several, with commas between or one -e
    /// each, are asked one after the other, and formulas last; each has its share of the time that
    /// is left.
    #[arg(
        short,
        long,
        value_delimiter = ',',
        value_parser = ByName { with_state_space: true },
        ignore_case = true,
        hide_possible_values = true
    )]
    examination: Vec<Examination>,
    /// The query file in the contest's XML; by default EXAMINATION.xml beside the model.
    #[arg(long, requires = "examination")]
    queries: Option<PathBuf>,
    /// Of a parallel system (.dot, .pml, .aut, .fsm): a file of properties as RERS writes them,
    /// `#1:` with a formula in the next line, in LTL or CTL over labels.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["examination", "formula", "formulas", "trace", "engines"])]
    properties: Option<PathBuf>,
    /// With --properties, what finite runs count for in LTL.
    #[arg(long, value_enum, requires = "properties", default_value = "infinite")]
    semantics: systems::Semantics,
    #[command(flatten)]
    formulas: formulas::Formulas,
    /// Mean fair runs only, in formulas that speak of runs: a transition that stays enabled from
    /// somewhere on (weak), or is enabled again and again (strong), fires again and again. Of all
    /// transitions, or of some: strong:enter_1,enter_2. Repeatable.
    #[arg(long, value_name = "KIND[:TRANSITIONS]", value_parser = fair::fair_to)]
    fair: Vec<FairTo>,
    #[command(flatten)]
    cases: processes::Cases,
    /// Leave times and priorities out, which change what can be reached and are refused otherwise.
    /// The answers are those of the net without them, and say so.
    #[arg(long)]
    untimed: bool,
    /// How long it may take, reading included: 90s, 5m, 1h.
    #[arg(short, long, value_parser = limits::duration, default_value = "60s")]
    timeout: Duration,
    /// How much memory the process may use: 4G, 500M. By default 85 % of the machine's.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    /// How many engines work at the same time; by default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The only engines to take part, of coverability, siphon-trap, state-equation, explicit, pdr,
    /// bmc, bmc-wide, loops, diagrams, walk, walk-guided, runs, for liveness graph, finite-firings,
    /// undone, commoner, closed-net, downhill, regions, terminal-components,
    /// graph-of-a-reduced-net, for LTL ranking, product-walk, lasso, for CTL fixpoint, for both
    /// branching-diagrams, and k-induction, k-induction-smt, bmc-smt; by default all but the last
    /// three. What token intervals decide comes first in any case.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = run::engine_name)]
    engines: Vec<String>,
    /// Reduce nets without these rules, as `parikh reduce` names them, or families of them: dead,
    /// irrelevant, places, transitions, fusion, agglomeration; `all` for no reductions.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = rules_called)]
    without_rules: Vec<Rules>,
    /// The SMT solver that bmc-wide, bmc-smt and k-induction-smt ask: a command that reads SMT-LIB
    /// 2 from its standard input, such as 'z3 -in' or 'cvc5 --incremental --lang smt2'. By default
    /// Z3, where the program was built with it.
    #[arg(long, value_name = "COMMAND", value_parser = smt_command)]
    smt_solver: Option<Program>,
    /// How to print the answers.
    #[arg(short, long, value_enum, default_value = "text")]
    format: Format,
    /// Write the firing sequence of every answer that has one to DIR/ID.trace, for `parikh replay`.
    #[arg(long, value_name = "DIR")]
    trace: Option<PathBuf>,
    /// Find out whether there is no shorter firing sequence to what an answer shows to be
    /// reachable, by a search in breadth, which may take half of the time that is left; the answer
    /// says what came of it. Not of the largest value of a sum, of what can be lost for good, or of
    /// runs that go on for ever: those are made shorter as always, and the answer says no more.
    #[arg(long)]
    shortest: bool,
    /// Write what every answer rests on to DIR/EXAMINATION.jsonl, for `parikh-certify MODEL DIR`:
    /// firing sequences, documents that the checker accepted, the reductions they rest on.
    #[arg(long, value_name = "DIR")]
    evidence: Option<PathBuf>,
    /// Print no answer whose evidence is weaker: `searched` takes the word of a search that visited
    /// all markings that matter, `certified` does not.
    #[arg(long, value_enum, value_name = "EVIDENCE", default_value = "searched")]
    require: Require,
    /// Write every question that the state equation, bmc-wide, bmc-smt and k-induction-smt ask a
    /// solver to DIR, numbered: linear programs as .lp, clauses as .cnf, others as .smt2. A comment
    /// says which net, goal and encoding each comes from. Files of that numbering are overwritten.
    #[arg(long, value_name = "DIR")]
    dump: Option<PathBuf>,
    /// The seed of the random walks. Same seed and one thread, same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// After the answers, say on stderr what each stage did.
    #[arg(long)]
    stats: bool,
    /// Ask only the questions of these ids, of those in the files. Repeatable.
    #[arg(long, value_name = "ID")]
    id: Vec<String>,
    /// After the answers, tell the story of this one on stderr: who tried what for how long, and
    /// how it ended. Repeatable.
    #[arg(long, value_name = "ID")]
    explain: Vec<String>,
    /// With --format json, objects of the type `progress` among the answers, at most a second
    /// apart: what is open, who works, the best bounds so far, the time left.
    #[arg(long)]
    events: bool,
}

/// What a name of rules stands for.
#[derive(Clone)]
struct Rules(Vec<&'static str>);

fn rules_called(name: &str) -> Result<Rules, String> {
    rules::called(name).map(Rules)
}

/// Reads the command line of a solver.
fn smt_command(line: &str) -> Result<Program, String> {
    smt_chosen::command(line)
        .ok_or_else(|| "expected a program and its arguments, such as 'z3 -in'".to_owned())
}

/// The solver that engines are to ask, once it has answered.
fn smt_solver(arguments: &Arguments, budget: &Budget) -> Result<Option<Program>> {
    let Some(command) = &arguments.smt_solver else { return Ok(None) };
    let asks = |name: &String| name == "bmc-wide" || name.ends_with("-smt");
    if !arguments.engines.is_empty() && !arguments.engines.iter().any(asks) {
        bail!(Misuse(
            "--smt-solver is asked by bmc-wide, bmc-smt and k-induction-smt, none of which --engines \
             names"
                .to_owned()
        ));
    }
    // Before the model is read, which may take long.
    SmtCommand::start_within(command.clone(), budget)
        .map_err(|error| Misuse(format!("--smt-solver: {error}")))?;
    Ok(Some(command.clone()))
}

/// The weakest evidence that is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Require {
    /// Replayed or accepted by the checker.
    Certified,
    /// Or visited to the end by a search.
    Searched,
}

const EXAMPLES: &str = "\
Examples:
  parikh check philosophers.pnml -e ReachabilityDeadlock --trace traces
  parikh check INPUTS/Peterson-PT-2 -e RC --timeout 5m --format json
  parikh check mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)'
  parikh check problem101.dot --properties problem101-properties.txt";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    if let Some(properties) = &arguments.properties {
        return systems::check(&arguments.about_system(properties));
    }
    let budget = limits::budget(Some(arguments.timeout), arguments.memory);
    let say_so = || {
        output::say_what_is_open();
        note!("parikh: left before the rest was answered");
    };
    signals::cancel_on_signal(&budget, say_so);
    signals::leave_after(&budget, say_so);
    arguments.refuse_misuse()?;
    let smt_solver = smt_solver(arguments, &budget)?;
    let inquiries = arguments.inquiries()?;
    let (traces, files) = (arguments.trace.as_deref(), arguments.evidence.as_deref());
    let beside = Beside { traces, files };
    for inquiry in &inquiries {
        beside.make_room(&inquiry.name())?;
    }
    let model = arguments.read()?;
    let config = arguments.config(smt_solver)?;
    let mut left: VecDeque<Inquiry<'_>> = inquiries.into();
    let mut worst = Outcome::Complete;
    // What is wrong with one examination is said when the others are answered.
    let mut wrong = None;
    while let Some(inquiry) = left.pop_front() {
        let budget = budget.portion(1.0 / (left.len() + 1) as f64);
        let later = left.iter().map(Inquiry::name).collect();
        match ask(arguments, &model, inquiry, later, &config, &budget, beside) {
            Ok(outcome) => worst = worst.max(outcome),
            Err(error) if left.is_empty() && wrong.is_none() => return Err(error),
            Err(error) => drop(wrong.get_or_insert(error)),
        }
    }
    match wrong {
        None => Ok(worst),
        Some(error) => Err(error),
    }
}

/// Asks the questions of one inquiry, behind which others come.
fn ask(
    arguments: &Arguments,
    model: &Model,
    inquiry: Inquiry<'_>,
    later: Vec<String>,
    config: &run::Config,
    budget: &Budget,
    beside: Beside<'_>,
) -> Result<Outcome> {
    let begun = match inquiry {
        Inquiry::Process(examination, _) => {
            Some(arguments.cases.begun(model, examination, &arguments.model)?)
        }
        _ if arguments.cases.one_by_one => {
            Some(arguments.cases.begun(model, Examination::EasySoundness, &arguments.model)?)
        }
        _ => None,
    };
    let printer = Printer::new(arguments.format, config.threads > 1);
    let printer = printer.of_examination(inquiry.name(), later);
    let watch = Watch {
        statistics: arguments.stats,
        events: arguments.events,
        explain: arguments.explain.clone(),
        only: arguments.id.clone(),
    };
    let meant = Meant { fair: &arguments.fair, cases: arguments.cases.one_by_one };
    let job = Job { inquiry, meant, budget, config: config.clone(), watch, printer, beside };
    let report = job.run(begun.as_ref().unwrap_or(model))?;
    if arguments.stats {
        print_statistics(&report);
    }
    Ok(Outcome::of(&report))
}

impl Arguments {
    /// The same for a system with its properties.
    fn about_system<'a>(&'a self, properties: &'a Path) -> systems::Arguments<'a> {
        systems::Arguments {
            model: &self.model,
            properties,
            semantics: self.semantics,
            timeout: self.timeout,
            memory: self.memory,
            threads: self.threads,
            seed: self.seed,
            format: self.format,
            evidence: self.evidence.as_deref(),
            certified_only: self.require == Require::Certified,
        }
    }

    /// Reads the model. One initial marking is for all questions: where one of them is about cases,
    /// the token that a workflow net without initial marking begins with is there for all.
    fn read(&self) -> Result<Model> {
        let path = &self.model;
        let timing = Timing::of_option(self.untimed);
        let model = input::read_model_within_caps(path, timing)?;
        let of_cases = |it: &Examination| it.is_about_cases();
        let Model::Plain(net) = &model else { return Ok(model) };
        if !self.cases.one_by_one && !self.examination.iter().any(of_cases) {
            return Ok(model);
        }
        let begun = match net.translation() {
            None => workflow::assumed_token(net)
                .map(|(initial, assumed)| net.from_marking(initial).assuming([assumed])),
            Some(_) => {
                let extended = input::read_extended(path)?;
                let token = workflow::assumed_token(extended.core());
                let begun = token.map(|(initial, assumed)| {
                    let file = input::model_file(path)?.display().to_string();
                    let begun = extended.from_marking(initial).assuming([assumed]);
                    input::translated_within_caps(begun, &file)
                });
                begun.transpose()?
            }
        };
        Ok(begun.map_or(model, Model::from))
    }

    /// Refuses what makes no sense together, before anything is read.
    fn refuse_misuse(&self) -> Result<()> {
        let misuse = |why: String| Err(Misuse(why).into());
        let of_cases = self.cases.one_by_one;
        let all = &self.examination;
        let called = all.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
        if let Some(twice) = (1..all.len()).find(|&at| all[..at].contains(&all[at])) {
            return misuse(format!("{} is asked twice", all[twice]));
        }
        if of_cases && self.cases.number > 1 {
            return misuse("--k is about soundness: formulas of --cases are about one".to_owned());
        }
        let about_soundness = all.iter().any(|it| it.is_about_cases());
        if self.cases.are_asked_about() && !about_soundness && !of_cases {
            return misuse(match all.is_empty() {
                true => {
                    "--k and --final are about soundness; --final also goes with --cases".to_owned()
                }
                false => format!("--k and --final are about soundness, not {called}"),
            });
        }
        let is_other = |it: &Examination| !it.is_about_cases();
        if self.cases.number > 1 && (all.iter().any(is_other) || self.formulas.are_given()) {
            let why = "--k is about soundness, and the questions of one command are about one initial marking: \
                       ask the others without --k";
            return misuse(why.to_owned());
        }
        if self.queries.is_some() {
            match all.iter().filter(|it| it.has_queries()).count() {
                0 => return misuse(format!("{called} has no queries: leave --queries out")),
                1 => {}
                _ => return misuse(format!("--queries is one file, and {called} have one each")),
            }
        }
        let is_of_time = |it: &Examination| it.name().starts_with("LTL");
        if (!self.fair.is_empty() || of_cases) && !all.iter().all(is_of_time) {
            let option = if of_cases { "--cases" } else { "--fair" };
            return misuse(format!(
                "{option} is about runs: LTLCardinality, LTLFireability, --formula"
            ));
        }
        let of_one = !self.id.is_empty() || !self.explain.is_empty();
        if of_one && all.len() + usize::from(self.formulas.are_given()) > 1 {
            let why = "--id and --explain are about the questions of one examination";
            return misuse(why.to_owned());
        }
        if (of_one || self.events) && all[..] == [Examination::StateSpace] {
            let why = "StateSpace has figures: --id, --explain and --events are about questions";
            return misuse(why.to_owned());
        }
        if self.events && self.format != Format::Json {
            return misuse("--events are objects: --format json goes with them".to_owned());
        }
        Ok(())
    }

    /// What is asked, in this order.
    fn inquiries(&self) -> Result<Vec<Inquiry<'_>>> {
        let of = |&examination: &Examination| match &self.queries {
            _ if examination.is_about_cases() => {
                Ok(Inquiry::Process(examination, self.cases.number))
            }
            Some(file) if examination.has_queries() => {
                Ok(Inquiry::Queries(examination, file.clone()))
            }
            _ => Inquiry::of_instance(examination, &self.model),
        };
        let mut inquiries = self.examination.iter().map(of).collect::<Result<Vec<_>>>()?;
        inquiries.extend(self.formulas.are_given().then_some(Inquiry::Formulas(&self.formulas)));
        Ok(inquiries)
    }

    /// How it is worked on.
    fn config(&self, smt_solver: Option<Program>) -> Result<run::Config> {
        let defaults = run::Config::default();
        let dump = self.dump.as_ref().map(|directory| {
            Dump::into(directory).with_context(|| format!("cannot create {}", directory.display()))
        });
        Ok(run::Config {
            threads: self.threads.map_or(defaults.threads, usize::from),
            seed: self.seed,
            // Where a case got stuck is said from the run that led there; objects have witnesses.
            keep_all_witnesses: self.evidence.is_some()
                || self.format == Format::Json
                || self.examination.iter().any(|it| it.is_about_cases()),
            keep_documents: self.evidence.is_some(),
            show_bindings: self.trace.is_some() || self.shortest,
            short_witnesses: true,
            reasons_by_sums: true,
            shortest_witnesses: self.shortest,
            certified_only: self.require == Require::Certified,
            dump: dump.transpose()?,
            smt_solver,
            engines: match self.engines.as_slice() {
                [] => defaults.engines,
                names => run::engines_named(names),
            },
            without_rules: self.without_rules.iter().flat_map(|Rules(all)| all).copied().collect(),
            ..defaults
        })
    }
}
