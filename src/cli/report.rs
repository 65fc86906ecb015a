//! `parikh report`: one page to look at, with what was found and what it stands on.

use super::examination::ByName;
use super::formulas::{self, Asked as Formula};
use super::model;
use super::processes::Cases;
use super::systems;
use super::terminal::{note, whole};
use super::{Misuse, Outcome, limits, signals};
use crate::answer::Plan;
use crate::input::{self, read_positions};
use crate::mcc::Examination;
use crate::model::Model;
use crate::report::{Asked, Report, Subject, Topic, page, report};
use crate::run;
use crate::structure::workflow;
use crate::unfold;
use crate::verdicts::{self, KeyNet};
use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use parikh_net::Net;
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_systems::System;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", formulas::LANGUAGE))]
pub(super) struct Arguments {
    /// A net or a parallel system in any format that is read, or the directory of a contest
    /// instance.
    model: PathBuf,
    /// Where to; `-` is stdout.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// What to ask, by the contest's name or its capitals, as of `parikh check`; all but
    /// StateSpace, and one only. By default what a model's author wants to know: deadlocks, which
    /// transitions fire, bounds, one-safe, stable marking, liveness, reversibility; and of workflow
    /// nets and nets with a final marking first of all whether they are sound. Of a system by
    /// default whether it can stop and which labels come; what is asked with -e, --queries or
    /// --formula is about the net that it stands for, and so is the page.
    #[arg(
        short, long, value_delimiter = ',', value_parser = ByName { with_state_space: false },
        ignore_case = true, hide_possible_values = true,
        conflicts_with_all = ["formula", "formulas"]
    )]
    examination: Vec<Examination>,
    /// A query file in the contest's XML, whose formulas are asked; with an examination that has
    /// queries it is by default EXAMINATION.xml beside the model.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["formula", "formulas"])]
    queries: Option<PathBuf>,
    /// Of a parallel system (.dot, .pml, .aut, .fsm): a file of properties as RERS writes them. The
    /// page then is about the system, and plays runs against properties component by component.
    #[arg(
        long, value_name = "FILE",
        conflicts_with_all = ["examination", "queries", "formula", "formulas", "last", "form"]
    )]
    properties: Option<PathBuf>,
    /// With --properties, what finite runs count for in LTL.
    #[arg(long, value_enum, requires = "properties", default_value = "infinite")]
    semantics: systems::Semantics,
    #[command(flatten)]
    formulas: formulas::Formulas,
    /// Of processes: a marking in which a case is done, for example 'end' or 'p + 2*q', whatever
    /// the model says. Repeatable: a case may end in any of several markings.
    #[arg(long = "final", value_name = "MARKING", conflicts_with_all = ["formula", "formulas", "queries"])]
    last: Vec<String>,
    /// Leave times and priorities out, which change what can be reached and are refused otherwise.
    #[arg(long)]
    untimed: bool,
    /// A verdict file of the contest (a filled model form): where it contradicts the net is a
    /// finding.
    #[arg(long, value_name = "FILE")]
    form: Option<PathBuf>,
    /// How long the questions may take: 90s, 5m, 1h. What comes around them takes up to five
    /// seconds more.
    #[arg(short, long, value_parser = limits::duration, default_value = "20s")]
    timeout: Duration,
    /// How much memory the process may use: 4G, 500M. By default 85 % of the machine's.
    #[arg(short, long, value_parser = limits::memory)]
    memory: Option<u64>,
    /// How many engines work at the same time; by default one per processor.
    #[arg(short = 'j', long, value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: Option<u16>,
    /// The seed of the random walks. Same seed and one thread, same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const EXAMPLES: &str = "\
The page is one file that needs no network: findings first, then the net to look at, where witnesses \
are played and certificates read line by line. A question that is left open is said to be so on the \
page, and by the exit code 3.

Examples:
  parikh report philosophers.pnml -o philosophers.html
  parikh report order.pnml -e Soundness -o order.html
  parikh report INPUTS/Peterson-PT-2 -e RC --timeout 2m -o peterson.html
  parikh report philosophers.pnml --queries questions.xml -o philosophers.html
  parikh report post.dot -o post.html
  parikh report post.dot --properties post-properties.txt -o post.html
  parikh report mutex.pnml --formula 'AG !(critical1 >= 1 && critical2 >= 1)' -o mutex.html";

/// The share of the time that making the whole unfolding may take, for the keys of a model form.
const UNFOLDING: f64 = 0.2;

/// What a page says about a net that stands for one with inhibitor or reset arcs.
const TRANSLATED: &str = "The model has inhibitor or reset arcs. The drawing shows the \
     place/transition net that stands for it. The place “co(p)” holds as many tokens as p may still \
     get, and a transition that p inhibits takes from it. A transition that empties p has a copy \
     “t[p=n]” for each number of tokens there. Answers are about the model's own places and \
     transitions.";

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let budget = limits::budget(Some(arguments.timeout), arguments.memory);
    signals::finish_on_signal(&budget);
    if let Some(properties) = &arguments.properties {
        return arguments.of_system(properties, &budget);
    }
    if let Some(examination) = arguments.examination() {
        if arguments.examination.len() > 1 {
            bail!(Misuse(
                "a page is about one examination: make one page of each, or ask formulas, several \
                 of which stand on one page"
                    .to_owned()
            ));
        }
        if examination == Examination::StateSpace {
            bail!(Misuse(format!("a report has no place for {examination}: ask `parikh states`")));
        }
        if arguments.queries.is_some() && !examination.has_queries() {
            bail!(Misuse(format!("{examination} has no queries: leave --queries out")));
        }
    }
    if arguments.asks_all()
        && arguments.last.is_empty()
        && arguments.form.is_none()
        && let Some(system) = systems::read_system(&arguments.model)?
    {
        return arguments.of_system_alone(&system, &budget);
    }
    let form = arguments.form.as_deref().map(verdicts::read).transpose()?;
    let timing = input::Timing::of_option(arguments.untimed);
    let model = input::read_model_as(&arguments.model, timing)?;
    let remark = model.colours().map(|coloured| {
        format!(
            "The model is coloured ({}, {}). The drawing, bounds and structure are those of its \
             unfolding, without the colours and bindings that cannot occur. Every answer says \
             which net it is about.",
            counted(coloured.places().len(), "place"),
            counted(coloured.transitions().len(), "transition")
        )
    });
    let model = arguments.of_process(model)?;
    let computes_all_keys = arguments.asks_all() || form.is_some();
    let coloured = model.colours().cloned();
    let net = model.into_net(&unfold::Config::default(), &budget)?;
    let keys = match coloured.filter(|_| computes_all_keys) {
        Some(coloured) => KeyNet::of_coloured_with(&coloured, &net, &budget.portion(UNFOLDING)),
        None => KeyNet::of_net(Cow::Owned(net.clone())),
    };
    let remark = remark.or_else(|| net.translation().map(|_| TRANSLATED.to_owned()));
    let (net, begun) = arguments.recognised(net);
    let remark = remark.or(begun);
    let assumed = net.assumptions().iter().map(|it| format!("Assumed: {it}."));
    let remark: Vec<String> = remark.into_iter().chain(assumed).collect();
    let remark = (!remark.is_empty()).then(|| remark.join(" "));
    let asked = arguments.asked(&net)?;
    // Positions are for the eye: without them, the net is laid out.
    let positions = read_positions(&input::model_file(&arguments.model)?).unwrap_or_default();
    let names = model::instance_names(&arguments.model, &net);
    let name = names.first().cloned().unwrap_or_default();
    // A net without a name goes by the name of its file.
    let title = Some(net.name().trim()).filter(|own| !own.is_empty()).unwrap_or(&name);
    let subject = Subject {
        net: &net,
        model: title,
        made: format!("Parikh {}, {}", env!("CARGO_PKG_VERSION"), verdicts::now()),
        remark,
        positions: &positions,
        keys: &keys,
        computes_all_keys,
        form: form.as_ref().map(|file| (file, name.as_str())),
    };
    let config = arguments.config();
    let progress = Progress::start();
    let made = report(&subject, asked, &config, &budget, &mut |doing| progress.show(doing));
    progress.end();
    match arguments.output.as_os_str() == "-" {
        true => whole(&page(&made))?,
        false => std::fs::write(&arguments.output, page(&made))
            .with_context(|| format!("cannot write {}", arguments.output.display()))?,
    }
    let open = made.questions.iter().filter(|question| question.value.is_none()).count();
    if open > 0 {
        let are = if open == 1 { "is" } else { "are" };
        let all = counted(made.questions.len(), "question");
        note!("parikh: {open} of {all} {are} open; the page says why");
    }
    Ok(outcome(&made))
}

fn outcome(report: &Report) -> Outcome {
    if report.faults > 0 {
        Outcome::InternalError
    } else if report.questions.iter().any(|question| question.value.is_none()) {
        Outcome::Incomplete
    } else {
        Outcome::Complete
    }
}

impl Arguments {
    /// Reports of a system with its properties.
    fn of_system(&self, properties: &Path, budget: &Budget) -> Result<Outcome> {
        let defaults = crate::systems::Config::default();
        let config = crate::systems::Config {
            threads: self.threads.map_or(defaults.threads, usize::from),
            seed: self.seed,
            endings: self.semantics.endings(),
            ..defaults
        };
        systems::report(&self.model, properties, &self.output, &config, budget)
    }

    /// Reports of a system of which nothing in particular is asked.
    fn of_system_alone(&self, system: &System, budget: &Budget) -> Result<Outcome> {
        let progress = Progress::start();
        let mut tell = |doing: &str| progress.show(doing);
        let made = systems::report_alone(system, &self.config(), budget, &mut tell);
        progress.end();
        systems::write_report(&made, &self.output)
    }

    fn config(&self) -> run::Config {
        let defaults = run::Config::default();
        let threads = self.threads.map_or(defaults.threads, usize::from);
        run::Config { threads, seed: self.seed, ..defaults }
    }

    /// The model with the marking in which a case is done, where it is asked for.
    fn of_process(&self, model: Model) -> Result<Model> {
        match (self.examination().filter(|asked| asked.is_about_cases()), &self.last[..]) {
            (None, []) => Ok(model),
            // Firings are counted where that is asked for, and not on the page.
            (_, last) => {
                Cases::done_in(last.to_vec()).begun(&model, Examination::Soundness, &self.model)
            }
        }
    }

    /// The net as that of a process, if it is one, with what has to be said of that. Where a case
    /// begins is taken for granted only in a net without any token, of which all questions are
    /// asked.
    fn recognised(&self, net: Net) -> (Net, Option<String>) {
        match workflow::recognised(&net) {
            Some(begun) if begun.initial() == net.initial() => {
                (begun.assuming(workflow::assumptions(&net, false)), None)
            }
            Some(begun) if self.asks_all() && self.form.is_none() => {
                let at = parikh_net::marking_text::print(&begun, begun.initial());
                let remark = format!(
                    "The model has no initial marking. It is a workflow net, and the page is about \
                     one case, which begins in {at}. The keys are about the net as it is written."
                );
                (begun.assuming(workflow::assumptions(&net, false)), Some(remark))
            }
            _ => (net, None),
        }
    }

    /// What is asked, where it is an examination.
    fn examination(&self) -> Option<Examination> {
        self.examination.first().copied()
    }

    /// Whether nothing in particular is asked.
    fn asks_all(&self) -> bool {
        let formulas = self.formulas.formula.is_empty() && self.formulas.formulas.is_empty();
        self.examination.is_empty() && self.queries.is_none() && formulas
    }

    fn asked(&self, net: &Net) -> Result<Asked> {
        if let Some(examination) = self.examination() {
            return match Topic::of(examination) {
                Some(topic) => Ok(Asked::Topics(vec![topic])),
                None => {
                    let beside = || model::query_file(&self.model, examination.name());
                    let own = self.queries.is_some();
                    of_queries(&self.queries.clone().map_or_else(beside, Ok)?, net, own)
                }
            };
        }
        if let Some(file) = &self.queries {
            return of_queries(file, net, true);
        }
        if self.asks_all() {
            return Ok(Asked::Topics(Topic::of_net(net)));
        }
        let asked = self.formulas.read_aloud(net)?;
        let formulas = asked.into_iter().map(|Formula { id, formula, .. }| (id, formula));
        Ok(planned(formulas, net, true))
    }
}

/// Returns the formulas of a query file. They are requirements unless they lie beside the model of
/// a contest.
fn of_queries(file: &Path, net: &Net, are_requirements: bool) -> Result<Asked> {
    let queries = input::read_queries(file, net)?;
    if let Some(error) = &queries.cut_short {
        note!("parikh: {error}; the formulas before it are answered");
    } else if queries.queries.is_empty() {
        bail!("{}: there is no formula in the file", file.display());
    }
    let formulas = queries.queries.into_iter();
    let formulas =
        formulas.map(|query| (query.id, query.formula.map_err(|error| error.to_string())));
    Ok(planned(formulas, net, are_requirements))
}

/// Formulas as a plan; what cannot be asked, with why not.
fn planned(
    formulas: impl Iterator<Item = (String, Result<crate::formula::Formula, String>)>,
    net: &Net,
    are_requirements: bool,
) -> Asked {
    let (mut plan, mut written, mut refused) = (Plan::default(), HashMap::new(), Vec::new());
    let mut ids = HashSet::new();
    for (id, formula) in formulas {
        let planned = match (ids.insert(id.clone()), &formula) {
            (false, _) => Err("an earlier formula has the same id".to_owned()),
            (true, Err(reason)) => Err(reason.clone()),
            (true, Ok(formula)) => {
                written.insert(id.clone(), formula.print(net).to_string());
                plan.ask_formula(&id, formula, net).map_err(|error| error.to_string())
            }
        };
        refused.extend(planned.err().map(|reason| (id, reason)));
    }
    Asked::Formulas { plan: Box::new(plan), written, refused, are_requirements }
}

/// A line on stderr while work goes on, only on a terminal.
struct Progress(ProgressBar);

impl Progress {
    fn start() -> Self {
        let bar = ProgressBar::new_spinner();
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(bar)
    }

    fn show(&self, doing: &str) {
        self.0.set_message(doing.to_owned());
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
