//! Reports: what was found about a net, as one page to look at.
//!
//! ```text
//! net ─▶ questions (run::run_net) ─▶ Found ─┬─▶ findings: what an author would act on, worst first
//!            │                          └─▶ verdicts: the keys, and a form held against them
//!            ├─▶ shown: sequences to play, certificates to read (reading)
//!            ├─▶ structure, reductions
//!            └─▶ picture: nodes, arcs, positions          all of it ─▶ Report ─▶ page
//! ```
//!
//! A [`Report`] is plain data; [`page()`] puts it into a file with the scripts of `web/`, which
//! draw it and play it. Sentences are made here, so that they can be tested, and the scripts know
//! no logic but the firing rule. Nothing here decides anything: answers come from [`crate::run`]
//! with their evidence.

mod dead;
mod findings;
mod lit;
mod page;
mod picture;
mod questions;
mod reading;
mod reductions;
mod shown;
mod structure;
mod system;
mod text;
mod topic;
mod verdicts;

pub use findings::{Finding, Level};
pub use page::{page, system_page};
pub use picture::Picture;
pub use questions::{Asked, Bound, Fate, Question};
pub use reductions::Reduced;
pub use shown::{Certificate, Play, Shown, Steps};
pub use structure::{Shape, Shapes, Weighted};
pub use system::{Coming, Part, Row, SystemReport, system_alone, system_report};
pub use text::Text;
pub use topic::Topic;
pub use verdicts::KeyRow;

use crate::run::Config;
use crate::verdicts::{KeyNet, VerdictFile};
use parikh_net::Net;
use parikh_solvers::Budget;
use serde::Serialize;
use std::collections::HashMap;
use std::time::Duration;

/// All that a page shows.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// What the model is called.
    pub model: String,
    /// Which program made it, and when.
    pub made: String,
    /// What the net is, where that has to be said: that it is an unfolding.
    pub remark: Option<String>,
    /// What was found, worst first.
    pub findings: Vec<Finding>,
    /// Every question.
    pub questions: Vec<Question>,
    /// By transition whether it can fire, where each was asked for.
    pub fates: Vec<Option<Fate>>,
    /// By place the most tokens, likewise.
    pub bounds: Vec<Option<Bound>>,
    /// Firing sequences.
    pub traces: Vec<Steps>,
    /// Certificates.
    pub certificates: Vec<Certificate>,
    /// The net.
    pub net: Picture,
    /// Figures of the net: what, how many.
    pub figures: Vec<(&'static str, String)>,
    /// The keys of a model form.
    pub keys: Vec<KeyRow>,
    /// Invariants, siphons, traps, units.
    pub shapes: Vec<Shapes>,
    /// What reductions do.
    pub reductions: Vec<Reduced>,
    /// Claims that failed their check and were dropped: bugs of ours.
    pub faults: usize,
}

/// What a report is about.
pub struct Subject<'a> {
    /// The net.
    pub net: &'a Net,
    /// What the model is called.
    pub model: &'a str,
    /// When, in words.
    pub made: String,
    /// That the net is an unfolding, and the like.
    pub remark: Option<String>,
    /// The model's own positions, by name.
    pub positions: &'a HashMap<String, (f64, f64)>,
    /// The net that the keys of a model form are about.
    pub keys: &'a KeyNet<'a>,
    /// Whether keys are computed that do not follow from the answers.
    pub computes_all_keys: bool,
    /// A verdict file of the contest to compare with, and the instance it is read for.
    pub form: Option<(&'a VerdictFile, &'a str)>,
}

/// The share of the time that questions may take where keys of another net are computed, too.
const QUESTIONS: f64 = 0.7;

/// How long the structure may take beyond the answers, in seconds,
const STRUCTURE: Duration = Duration::from_millis(2_000);

/// the reductions,
const REDUCTIONS: Duration = Duration::from_millis(1_000);

/// and the picture.
const PICTURE: Duration = Duration::from_millis(1_500);

/// Asks what is asked within `budget`, and collects all that a page shows, which takes up to five
/// seconds beyond. `tell` hears what is being done.
pub fn report(
    subject: &Subject<'_>,
    asked: Asked,
    config: &Config,
    budget: &Budget,
    tell: &mut dyn FnMut(&str),
) -> Report {
    let net = subject.net;
    let config = for_pages(config);
    let mut store = shown::Store::new(net);
    let computes_keys = subject.computes_all_keys;
    let of_another_net = computes_keys && subject.keys.is_unfolding();
    let of_questions = if of_another_net { budget.portion(QUESTIONS) } else { budget.child() };
    let found = questions::ask(net, asked, &config, &of_questions, &mut store, tell);
    tell("the keys of a model form");
    let sources = verdicts::Sources {
        net,
        found: &found,
        of: subject.keys,
        computes_all: computes_keys,
        form: subject.form,
    };
    let keys = verdicts::keys(&sources, &config, budget);
    let findings = findings::findings(net, &found, &keys, &store);
    // What the answers left of the time is not needed: these have their own, unless all is to end.
    let own = |time| match budget.is_cancelled() {
        true => budget.child(),
        false => Budget::lasting(time),
    };
    tell("the structure");
    let shapes = structure::shapes(net, &own(STRUCTURE));
    tell("reductions");
    let reductions = reductions::reductions(net, &own(REDUCTIONS));
    tell("the picture");
    let picture = picture::picture(net, subject.positions, &own(PICTURE));
    let shown::Store { traces, certificates, .. } = store;
    let questions::Found { questions, fates, bounds, faults, .. } = found;
    Report {
        model: subject.model.to_owned(),
        made: subject.made.clone(),
        remark: subject.remark.clone(),
        findings,
        questions,
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

/// What making the witnesses of one run shorter may take in any case: somebody reads them.
const SHORTENING: Duration = Duration::from_millis(300);

/// With all that a page shows of answers.
fn for_pages(config: &Config) -> Config {
    Config {
        keep_all_witnesses: true,
        keep_documents: true,
        short_witnesses: true,
        short_witnesses_within: SHORTENING,
        reasons_by_sums: true,
        ..config.clone()
    }
}

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
