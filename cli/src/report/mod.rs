//! Reports: the results about a net, collected on one HTML page.
//!
//! ```text
//! net ─▶ questions (run::run_net) ─▶ ReportResults ─┬─▶ findings: results to act on, worst first
//!            │                                       └─▶ verdicts: the keys, compared with a verdict file
//!            ├─▶ evidence: sequences to play, certificates to read (reading)
//!            ├─▶ structure, reductions
//!            └─▶ picture: nodes, arcs, positions       all of it ─▶ NetReport ─▶ page
//! ```
//!
//! A [`NetReport`] is plain data. [`page()`] writes the data into a file together with the scripts
//! of `web/`, which draw and play the net. Rust code composes the sentences, so that tests can
//! check them. The scripts implement only the firing rule. This module decides no question: the
//! answers come from [`parikh::run`] with their evidence.

mod dead;
mod evidence;
mod findings;
mod lit;
mod page;
mod picture;
mod questions;
mod reading;
mod reductions;
mod structure;
mod system;
mod text;
mod topic;
mod verdicts;

pub use evidence::{CertificateText, FlatSequence, GoalEvidence, PlayedSequence};
pub use findings::{ReportFinding, Severity};
pub use page::{NetPageParts, net_page_parts, page, page_data, system_page};
pub use picture::NetPicture;
pub use questions::{
    AnsweredQuestion, NodeVerdicts, PlaceMaximum, ReportQuestions, SharedReason, TransitionFate,
    VerdictGroup, VerdictNode,
};
pub use reductions::ReductionSummary;
pub use structure::{StructureSet, StructureSets, WeightedNode};
pub use system::{
    ComponentNames, LabelOccurrence, SystemQuestion, SystemReport, system_alone, system_report,
};
pub use text::Sentence;
pub use topic::StandardQuestion;
pub use verdicts::KeyRow;

use parikh::run::RunConfig;
use parikh::verdicts::{KeyNet, VerdictFile};
use parikh_net::Net;
use parikh_solvers::Budget;
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;

/// The contents of a page.
#[derive(Clone, Debug, Serialize)]
pub struct NetReport {
    /// The name of the model.
    pub model: String,
    /// The program that made the report, and the date.
    pub made: String,
    /// A remark about the net, for example that the net is an unfolding.
    pub remark: Option<Sentence>,
    /// The findings in the order of their [`Severity`], bad and open results first.
    pub findings: Vec<ReportFinding>,
    /// The questions with their answers.
    pub questions: Vec<AnsweredQuestion>,
    /// The verdicts of an examination about each node. `None` if the page is about other questions.
    pub node_verdicts: Option<NodeVerdicts>,
    /// For each transition of the net, by index, the answer whether it can fire. An entry is `None`
    /// if this is open. The list is empty if the transitions were not examined one by one.
    pub fates: Vec<Option<TransitionFate>>,
    /// For each place of the model, by index, the largest number of tokens on it. An entry is
    /// `None` if this is open. The list is empty if the places were not examined one by one.
    pub bounds: Vec<Option<PlaceMaximum>>,
    /// The firing sequences to play. Each [`PlayedSequence`] refers to them by index.
    pub traces: Vec<FlatSequence>,
    /// The certificates, to which answers refer by index.
    pub certificates: Vec<CertificateText>,
    /// The net.
    pub net: NetPicture,
    /// Sizes of the net, as pairs of a name and a value.
    pub figures: Vec<(&'static str, String)>,
    /// The keys of a model form, that is, the 21 properties in a contest model form.
    pub keys: Vec<KeyRow>,
    /// Invariants, siphons, traps and units, each kind with its list of sets.
    pub shapes: Vec<StructureSets>,
    /// Results of structural reductions.
    pub reductions: Vec<ReductionSummary>,
    /// The number of results that failed their check and were dropped. Each of them is a bug of
    /// Parikh.
    pub faults: usize,
}

/// The net of a report, with data about the model.
pub struct ReportSubject<'a> {
    /// The net.
    pub net: &'a Net,
    /// The name of the model.
    pub model: &'a str,
    /// The program and the date, in words.
    pub program_and_date: String,
    /// A remark about the net, for example that the net is an unfolding. Names may stand in
    /// backquotes.
    pub remark: Option<String>,
    /// The positions of nodes given by the model, by name.
    pub positions: &'a HashMap<String, (f64, f64)>,
    /// The net whose keys are shown, that is, the 21 properties in a contest model form.
    pub keys: &'a KeyNet<'a>,
    /// If true, the keys (properties of a model form) that do not follow from the answers are
    /// computed.
    pub computes_all_keys: bool,
    /// A verdict file of the contest to compare the keys (properties of a model form) with, and the
    /// instance whose verdicts are read from it. `None` if nothing is compared.
    pub compared_file: Option<(&'a VerdictFile, &'a str)>,
}

/// The share of the time for the questions if the keys (properties of a model form) of an unfolding
/// are computed, too.
const QUESTION_SHARE: f64 = 0.7;

/// Time limit for computing invariants, siphons, traps and units, in addition to the budget for
/// answers.
const STRUCTURE_TIME: Duration = Duration::from_millis(2_000);

/// Time limit for the reductions, in addition to the budget for answers.
const REDUCTION_TIME: Duration = Duration::from_millis(1_000);

/// Time limit for the picture, in addition to the budget for answers.
const PICTURE_TIME: Duration = Duration::from_millis(1_500);

/// Answers the questions within `budget` and collects the contents of a page. The collection takes
/// up to six seconds more, for constant sums, the structure, the reductions and the picture.
/// `on_step` receives the name of each step before the step begins.
pub fn report(
    subject: &ReportSubject<'_>,
    asked: ReportQuestions,
    config: &RunConfig,
    budget: &Budget,
    on_step: &mut dyn FnMut(&str),
) -> NetReport {
    let net = subject.net;
    let config = for_pages(config);
    let mut store = evidence::EvidenceStore::new(net);
    let computes_keys = subject.computes_all_keys;
    let keys_of_unfolding = computes_keys && subject.keys.is_unfolding();
    let question_budget =
        if keys_of_unfolding { budget.portion(QUESTION_SHARE) } else { budget.child() };
    let results = questions::ask(net, asked, &config, &question_budget, &mut store, on_step);
    on_step("the keys of a model form");
    let sources = verdicts::KeySources {
        net,
        results: &results,
        key_net: subject.keys,
        computes_all: computes_keys,
        compared_file: subject.compared_file,
    };
    let keys = verdicts::keys(&sources, &config, budget);
    let findings = findings::findings(net, &results, &keys, &store);
    // The budget for answers may be spent by now, so each step gets its own time limit. After a
    // cancellation, the steps get the cancelled budget.
    let step_budget = |time| match budget.is_cancelled() {
        true => budget.child(),
        false => Budget::lasting(time),
    };
    on_step("the structure");
    let shapes = structure::shapes(net, &step_budget(STRUCTURE_TIME));
    on_step("reductions");
    let reductions = reductions::reductions(net, &step_budget(REDUCTION_TIME));
    on_step("the picture");
    let picture = picture::picture(net, subject.positions, &step_budget(PICTURE_TIME));
    let evidence::EvidenceStore { traces, certificates, .. } = store;
    let questions::ReportResults { questions, node_verdicts, fates, bounds, faults, .. } = results;
    NetReport {
        model: subject.model.to_owned(),
        made: subject.program_and_date.clone(),
        remark: subject.remark.as_deref().map(Sentence::message),
        findings,
        questions,
        node_verdicts,
        fates,
        bounds,
        traces,
        certificates,
        net: picture,
        figures: figures(net),
        keys: keys.rows,
        shapes,
        reductions,
        faults: faults + keys.faults,
    }
}

/// The time that shortening the witnesses of one run may take, even if its share of the time of the
/// run is smaller. Short witnesses matter here, because people read them on the page.
const SHORTENING_TIME: Duration = Duration::from_millis(300);

/// Returns the configuration for the runs of a page. It keeps all witnesses and certificates,
/// shortens the witnesses, and explains results by place invariants where possible.
fn for_pages(config: &RunConfig) -> RunConfig {
    RunConfig {
        keep_all_witnesses: true,
        keep_certificates: true,
        short_witnesses: true,
        short_witnesses_within: SHORTENING_TIME,
        reasons_by_sums: true,
        ..config.clone()
    }
}

/// Returns the sizes of the net as pairs of a name and a value.
fn figures(net: &Net) -> Vec<(&'static str, String)> {
    let heaviest = net
        .transitions()
        .flat_map(|t| net.pre(t).iter().chain(net.post(t)))
        .map(|arc| arc.weight)
        .max();
    let widest = net.transitions().map(|t| net.pre(t).len() + net.post(t).len()).max();
    let mut figures = vec![
        ("places", net.place_count().to_string()),
        ("transitions", net.transition_count().to_string()),
        ("arcs", net.arc_count().to_string()),
        ("tokens initially", net.initial().total().to_string()),
    ];
    figures.extend(heaviest.filter(|&most| most > 1).map(|it| ("heaviest arc", it.to_string())));
    figures.extend(widest.map(|it| ("most arcs of a transition", it.to_string())));
    figures.extend(net.units().map(|units| ("units", units.len().to_string())));
    if let Some(folding) = net.folding() {
        figures.push(("coloured places", folding.place_count().to_string()));
        figures.push(("coloured transitions", folding.transition_count().to_string()));
    }
    figures
}
