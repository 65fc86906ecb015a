//! `parikh report`: writes an HTML page with the results about a model and their evidence.

use super::examination::ExaminationParser;
use super::formulas::{self, GivenFormula};
use super::limits::LimitOptions;
use super::model;
use super::processes::CaseOptions;
use super::systems;
use super::terminal::{note, print_verbatim};
use super::{ProgramOutcome, UsageError, signals};
use crate::report::{
    NetReport, ReportQuestions, ReportSubject, StandardQuestion, page, page_data, report,
};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use parikh::answer::Plan;
use parikh::mcc::Examination;
use parikh::run;
use parikh::verdicts::{self, KeyNet};
use parikh_input::model::Model;
use parikh_input::read_positions;
use parikh_net::printable::counted;
use parikh_net::{ExtendedNet, Net};
use parikh_solvers::Budget;
use parikh_structure::workflow;
use parikh_systems::System;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(
    after_help = format!("{EXAMPLES}\n\n{}", formulas::LANGUAGE),
    mut_arg("timeout", |it| it.default_value("20s").help(QUESTION_TIME).long_help(QUESTION_TIME)),
)]
pub(super) struct ReportArguments {
    /// A net or a parallel system in any supported format, or the directory of a contest instance.
    model: PathBuf,
    /// The output file; `-` is stdout.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The examination, by the contest's name or its capitals as for `parikh check`; any but
    /// StateSpace, and only one. An examination about each place or transition, such as
    /// UpperBoundsAll, groups the nodes by verdict. By default the questions of interest to
    /// a model's author: deadlocks, transitions that can fire, bounds, one-safe, stable marking,
    /// liveness, reversibility; for workflow nets and nets with a final marking, soundness first.
    /// For a system by default whether it can deadlock and which labels occur; with -e, --queries
    /// or --formula, the questions and the page are about the net of the system.
    #[arg(
        short, long, value_delimiter = ',', value_parser = ExaminationParser { with_state_space: false },
        ignore_case = true, hide_possible_values = true,
        conflicts_with_all = ["formula", "formulas"]
    )]
    examination: Vec<Examination>,
    /// A query file in the contest's XML with formulas to answer. For an examination with queries,
    /// the default is EXAMINATION.xml in the directory of the model.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "formulas"])]
    queries: Option<PathBuf>,
    /// For a parallel system (.dot, .pml, .aut, .fsm): a file of properties in the format of RERS.
    /// The page is then about the system, and plays counterexamples component by component.
    #[arg(
        long, value_name = "FILE",
        conflicts_with_all = ["examination", "queries", "formula", "formulas", "last", "form"]
    )]
    properties: Option<PathBuf>,
    /// With --properties: the meaning of finite runs in LTL.
    #[arg(long, value_enum, requires = "properties", default_value = "infinite")]
    semantics: systems::FiniteRunSemantics,
    #[command(flatten)]
    formulas: formulas::FormulaOptions,
    /// For processes: a marking in which a case is done, for example 'end' or 'p + 2*q', instead of
    /// the model's final markings. Repeatable: a case may end in any of several markings.
    #[arg(long = "final", value_name = "MARKING", conflicts_with_all = ["formula", "formulas", "queries"])]
    last: Vec<String>,
    #[command(flatten)]
    timing: model::TimingOptions,
    /// A verdict file of the contest (a filled model form). Contradictions to the net become
    /// findings.
    #[arg(long, value_name = "FILE")]
    form: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitOptions,
    /// The seed of the random walks. With one thread, the same seed gives the same run.
    #[arg(long, default_value_t = 1, help_heading = super::EXPERT)]
    seed: u64,
    /// Answer nothing, and write the data of the page instead of the page, for `parikh serve`.
    #[arg(
        long, hide = true,
        conflicts_with_all = ["examination", "queries", "properties", "formula", "formulas", "form"]
    )]
    page_data: bool,
}

const EXAMPLES: &str = "\
The page is one file that needs no network. It shows the findings first, then the net, with \
witnesses to play and certificates to read line by line. If a question stays open, the page says \
so and the exit code is 3.

Examples:
  parikh report philosophers.pnml -o philosophers.html
  parikh report order.pnml -e Soundness -o order.html
  parikh report INPUTS/Peterson-PT-2 -e RC --timeout 2m -o peterson.html
  parikh report philosophers.pnml -e UpperBoundsAll -o bounds.html
  parikh report philosophers.pnml --queries questions.xml -o philosophers.html
  parikh report post.dot -o post.html
  parikh report post.dot --properties post-properties.txt -o post.html
  parikh report mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)' -o mutex.html";

const QUESTION_TIME: &str =
    "Time limit for the questions: 90s, 5m, 1h. The rest of the page takes up to six seconds more";

/// The share of the time for computing the whole unfolding, for the keys of a model form.
const UNFOLDING_SHARE: f64 = 0.2;

/// The page's remark about the net of the keys of a coloured model.
const WHOLE_UNFOLDING: &str = "The properties of the model form are about the whole unfolding, with \
                               the colours and bindings that cannot occur.";

/// The page's remark about a net translated from one with inhibitor or reset arcs.
const TRANSLATED: &str = "The model has inhibitor or reset arcs. The drawing shows the \
                          place/transition net into which it is translated. The complement place \
                          “co(p)” holds the number of tokens that p can still receive. A \
                          transition that p inhibits also needs tokens on “co(p)”. A transition \
                          that empties p has a copy “t[p=n]” for each number n of tokens on p. \
                          Answers are about the model's own places and transitions.";

pub(super) fn run(arguments: &ReportArguments) -> Result<ProgramOutcome> {
    let budget = arguments.limits.budget();
    signals::finish_on_signal(&budget);
    if let Some(properties) = &arguments.properties {
        return arguments.of_system(properties, &budget);
    }
    if let Some(examination) = arguments.examination() {
        if arguments.examination.len() > 1 {
            bail!(UsageError(
                "a page has one examination: write one page for each examination, or ask several \
                 formulas on one page"
                    .to_owned()
            ));
        }
        if examination == Examination::StateSpace {
            bail!(UsageError(format!(
                "a report does not support {examination}: use `parikh states`"
            )));
        }
        if arguments.queries.is_some() && !examination.has_queries() {
            bail!(UsageError(format!("{examination} has no query file: omit --queries")));
        }
    }
    if arguments.asks_all()
        && !arguments.page_data
        && arguments.last.is_empty()
        && arguments.form.is_none()
        && let Some(system) = systems::read_system(&arguments.model)?
    {
        return arguments.of_system_alone(&system, &budget);
    }
    let form = arguments.form.as_deref().map(verdicts::read).transpose()?;
    let timing = arguments.timing.treatment();
    let model = parikh_input::read_model_as(&arguments.model, timing)?;
    let remark = model.colours().map(|coloured| {
        format!(
            "The model is coloured ({}, {}). The drawing, the bounds and the structure are about \
             its unfolding, without colours and bindings that cannot occur. Every answer names the \
             net it is about.",
            counted(coloured.places().len(), "place"),
            counted(coloured.transitions().len(), "transition")
        )
    });
    let model = arguments.of_process(model)?;
    let computes_all_keys = !arguments.page_data && (arguments.asks_all() || form.is_some());
    let coloured = model.colours().cloned();
    let net = model.into_net(&parikh_unfolding::UnfoldingConfig::default(), &budget)?;
    let keys = match coloured.filter(|_| computes_all_keys) {
        Some(coloured) => {
            KeyNet::of_coloured_with(&coloured, &net, &budget.portion(UNFOLDING_SHARE))
        }
        None => KeyNet::of_net(Cow::Owned(net.clone())),
    };
    let remark = remark.map(|remark| match keys.is_whole_unfolding() {
        true => format!("{remark} {WHOLE_UNFOLDING}"),
        false => remark,
    });
    let remark = remark.or_else(|| net.translation().map(|_| TRANSLATED.to_owned()));
    let (net, start_remark) = arguments.recognised(net)?;
    // Pages show names without backquotes.
    let assumed = net.assumptions().iter().map(|it| format!("Assumed: {it}.").replace('`', ""));
    let remark: Vec<String> = remark.into_iter().chain(start_remark).chain(assumed).collect();
    let remark = (!remark.is_empty()).then(|| remark.join(" "));
    let questions = arguments.report_questions(&net)?;
    // If the positions cannot be read, the net is laid out.
    let positions =
        read_positions(&parikh_input::model_file(&arguments.model)?).unwrap_or_default();
    let names = model::instance_names(&arguments.model, &net);
    let name = names.first().cloned().unwrap_or_default();
    // A net without a name gets the likeliest name of the instance, such as the name of its file.
    let title = Some(net.title().trim()).filter(|own| !own.is_empty()).unwrap_or(&name);
    let subject = ReportSubject {
        net: &net,
        model: title,
        program_and_date: format!("Parikh {}, {}", env!("CARGO_PKG_VERSION"), verdicts::now()),
        remark,
        positions: &positions,
        keys: &keys,
        computes_all_keys,
        compared_file: form.as_ref().map(|file| (file, name.as_str())),
    };
    let config = arguments.config();
    let progress = ReportProgress::start();
    let page_report =
        report(&subject, questions, &config, &budget, &mut |activity| progress.show(activity));
    progress.end();
    let text = match arguments.page_data {
        true => page_data(&page_report),
        false => page(&page_report),
    };
    match arguments.output.as_os_str() == "-" {
        true => print_verbatim(&text)?,
        false => std::fs::write(&arguments.output, text)
            .with_context(|| format!("cannot write {}", arguments.output.display()))?,
    }
    let open = open_count(&page_report);
    if open > 0 {
        let are = if open == 1 { "is" } else { "are" };
        let nodes = page_report.node_verdicts.as_ref().map_or(0, |verdicts| verdicts.nodes);
        let all_questions = counted(page_report.questions.len() + nodes, "question");
        note!("parikh: {open} of {all_questions} {are} open; the page gives the reasons");
    }
    Ok(outcome(&page_report))
}

/// Returns the number of open questions, where each node of an examination about each node counts.
fn open_count(report: &NetReport) -> usize {
    let questions = report.questions.iter().filter(|question| question.value.is_none()).count();
    questions + report.node_verdicts.as_ref().map_or(0, |verdicts| verdicts.open)
}

fn outcome(report: &NetReport) -> ProgramOutcome {
    if report.faults > 0 {
        ProgramOutcome::InternalError
    } else if open_count(report) > 0 {
        ProgramOutcome::Incomplete
    } else {
        ProgramOutcome::Complete
    }
}

impl ReportArguments {
    /// Writes the report on a system with its properties.
    fn of_system(&self, properties: &Path, budget: &Budget) -> Result<ProgramOutcome> {
        let defaults = parikh::systems::SettleConfig::default();
        let config = parikh::systems::SettleConfig {
            threads: self.limits.threads(),
            seed: self.seed,
            endings: self.semantics.endings(),
            ..defaults
        };
        systems::report(&self.model, properties, &self.output, &config, budget)
    }

    /// Writes the report on a system without properties.
    fn of_system_alone(&self, system: &System, budget: &Budget) -> Result<ProgramOutcome> {
        let progress = ReportProgress::start();
        let mut tell = |activity: &str| progress.show(activity);
        let page_report = systems::report_alone(system, &self.config(), budget, &mut tell);
        progress.end();
        systems::write_report(&page_report, &self.output)
    }

    fn config(&self) -> run::RunConfig {
        let threads = self.limits.threads();
        run::RunConfig { threads, seed: self.seed, ..run::RunConfig::default() }
    }

    /// Returns the model with the final markings of `--final`, or for an examination about cases
    /// with the model's own. Returns other models unchanged.
    fn of_process(&self, model: Model) -> Result<Model> {
        match (
            self.examination().filter(|examination| examination.is_about_cases()),
            &self.last[..],
        ) {
            (None, []) => Ok(model),
            // The page shows the net as prepared for soundness, whatever the examination is. The
            // net prepared for relaxed soundness has additional places that count firings.
            (_, last) => CaseOptions::done_in(last.to_vec()).prepared_model(
                &model,
                Examination::Soundness,
                &self.model,
            ),
        }
    }

    /// Returns the net as the net of a process, and a remark for the page. Returns the net
    /// unchanged if no question depends on when a case is done, or if [`workflow::as_process`]
    /// recognises no process. A model with inhibitor or reset arcs is translated again.
    ///
    /// A workflow net without tokens gets a token in its source, and the remark says so. This
    /// happens only for the default questions and without `--form`. Such a net is otherwise
    /// returned unchanged.
    ///
    /// # Errors
    /// The model cannot be read again, or cannot be translated with the markings of a case.
    fn recognised(&self, net: Net) -> Result<(Net, Option<String>)> {
        let depends_on_cases = |examination| {
            matches!(examination, Examination::ReachabilityDeadlock | Examination::Liveness)
        };
        let is_relevant = self.asks_all() || self.examination().is_some_and(depends_on_cases);
        if !is_relevant || !self.last.is_empty() || net.folding().is_some() {
            return Ok((net, None));
        }
        let extended = match net.translation() {
            Some(_) => Some(parikh_input::read_extended(&self.model)?),
            None => None,
        };
        let core = extended.as_ref().map_or(&net, ExtendedNet::core);
        let Some(process) = workflow::as_process(core) else { return Ok((net, None)) };
        let is_begun = process.initial() == core.initial();
        if !(is_begun || self.asks_all() && self.form.is_none()) {
            return Ok((net, None));
        }
        let remark = (!is_begun).then(|| {
            let start_text = parikh_net::marking_text::print(&process, process.initial());
            format!(
                "The model has no initial marking. It is a workflow net, and the page is about one \
                 case, which begins in {start_text}. The properties of the model form are about \
                 the net without tokens."
            )
        });
        let assumed = workflow::assumptions(core, false);
        let process = match extended {
            None => process.assuming(assumed),
            Some(extended) => {
                let begun = extended.from_marking(process.initial().clone());
                let begun = begun.with_final_markings(process.final_markings().to_vec());
                model::translated(begun.assuming(assumed), &self.model, false)?
            }
        };
        Ok((process, remark))
    }

    /// Returns the examination, if one is given.
    fn examination(&self) -> Option<Examination> {
        self.examination.first().copied()
    }

    /// Returns true if no option selects questions.
    fn asks_all(&self) -> bool {
        let formulas = self.formulas.formula.is_empty() && self.formulas.formulas.is_empty();
        self.examination.is_empty() && self.queries.is_none() && formulas
    }

    fn report_questions(&self, net: &Net) -> Result<ReportQuestions> {
        if self.page_data {
            return Ok(ReportQuestions::Topics(Vec::new()));
        }
        if let Some(examination) = self.examination() {
            if examination.is_about_each_node() {
                return Ok(ReportQuestions::EachNode(examination));
            }
            return match StandardQuestion::of(examination) {
                Some(topic) => Ok(ReportQuestions::Topics(vec![topic])),
                None => {
                    let default_file = || model::query_file(&self.model, examination.name());
                    let is_given = self.queries.is_some();
                    of_queries(&self.queries.clone().map_or_else(default_file, Ok)?, net, is_given)
                }
            };
        }
        if let Some(file) = &self.queries {
            return of_queries(file, net, true);
        }
        if self.asks_all() {
            return Ok(ReportQuestions::Topics(StandardQuestion::of_net(net)));
        }
        let given_formulas = self.formulas.read_and_print_notes(net)?;
        let formulas = given_formulas.into_iter().map(|given| {
            let title = title(&given, net);
            (given.id, given.formula, title)
        });
        Ok(planned(formulas, net, true))
    }
}

/// Returns the formulas of a query file. `are_requirements` is true if an option names the file.
/// Then the page reports a false formula as a problem. It is false for the query file of a contest
/// instance, whose formulas nobody requires to be true.
fn of_queries(file: &Path, net: &Net, are_requirements: bool) -> Result<ReportQuestions> {
    let queries = parikh_input::read_queries(file, net)?;
    if let Some(error) = &queries.cut_short {
        note!("parikh: {error}; only the formulas before this place are answered");
    } else if queries.queries.is_empty() {
        bail!("{}: the file contains no formula", file.display());
    }
    let formulas = queries.queries.into_iter();
    let formulas = formulas.map(|query| {
        let title = query.formula.as_ref().map(|formula| formula.print(net).to_string());
        let title = title.unwrap_or_default();
        (query.id, query.formula.map_err(|error| error.to_string()), title)
    });
    Ok(planned(formulas, net, are_requirements))
}

/// Returns the title of a formula on the page: the formula with ids. If names in the formula need
/// an explanation, the title is the formula as its author wrote it, followed by the nodes of each
/// name. The title is empty if the formula cannot be read.
fn title(given: &GivenFormula, net: &Net) -> String {
    let Ok(formula) = &given.formula else { return String::new() };
    if given.named.is_empty() {
        return formula.print(net).to_string();
    }
    let written = match given.written.is_empty() {
        true => formula.print(net).to_string(),
        false => given.written.split_whitespace().collect::<Vec<_>>().join(" "),
    };
    // Pages show names without backquotes.
    let nodes = given.named.iter().map(|it| format!("; {it}").replace('`', ""));
    written + &nodes.collect::<String>()
}

/// Returns the formulas as a plan, and the refused formulas with the reasons. An entry of
/// `formulas` has the id, the formula or the error in it, and the title on the page. A formula with
/// the id of an earlier formula is refused.
fn planned(
    formulas: impl Iterator<Item = (String, Result<parikh_formula::Formula, String>, String)>,
    net: &Net,
    are_requirements: bool,
) -> ReportQuestions {
    let (mut plan, mut written, mut refused) = (Plan::default(), HashMap::new(), Vec::new());
    let mut ids = HashSet::new();
    for (id, formula, title) in formulas {
        let planned = match (ids.insert(id.clone()), &formula) {
            (false, _) => Err("another formula has the same id".to_owned()),
            (true, Err(reason)) => Err(reason.clone()),
            (true, Ok(formula)) => {
                written.insert(id.clone(), title);
                plan.ask_formula(&id, formula, net).map_err(|error| error.to_string())
            }
        };
        refused.extend(planned.err().map(|reason| (id, reason)));
    }
    ReportQuestions::Formulas { plan: Box::new(plan), written, refused, are_requirements }
}

/// A progress line on stderr, shown only on a terminal.
struct ReportProgress(ProgressBar);

impl ReportProgress {
    fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        ReportProgress(bar)
    }

    fn show(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
