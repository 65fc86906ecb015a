//! Settles properties on several threads. Each answer is checked before it is reported.
//!
//! All properties first have a short turn. Properties that stay open have a longer turn, and so on,
//! until all are settled or the time is over. A turn starts from scratch with another seed: an
//! earlier, shorter turn is only a fraction of its work.

use super::case::{PropertyFormula, SystemCase, SystemLogic};
use parikh_evidence::systems::properties::SystemFormula;
use parikh_evidence::systems::{
    ComponentView, Endings as CheckedEndings, branching, composed, none, run,
};
use parikh_net::printable::counted;
use parikh_solvers::Budget;
use parikh_systems::{
    Decider, FactorView, FiniteRuns, JointStateSpace, Justification, LabelId, NoVerdict,
};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Options for settling properties.
#[derive(Clone, Copy, Debug)]
pub struct SettleConfig {
    /// Number of properties that are worked on at the same time.
    pub threads: usize,
    /// The seed of random walks.
    pub seed: u64,
    /// The treatment of finite runs in LTL.
    pub endings: FiniteRuns,
    /// Maximal number of nodes that the checker explores per property. 1,000,000 by default.
    pub visit: usize,
    /// Maximal number of joint states for CTL. 20,000,000 by default.
    pub states: usize,
}

impl Default for SettleConfig {
    fn default() -> Self {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        SettleConfig {
            threads,
            seed: 1,
            endings: FiniteRuns::Ignored,
            visit: 1_000_000,
            states: 20_000_000,
        }
    }
}

/// The evidence of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SystemProof {
    /// A violating run: its labels, and the position where it continues after the last label.
    Run {
        /// The labels.
        labels: Vec<String>,
        /// The position after the last label; the number of labels if the run is finite.
        back: usize,
    },
    /// No run of the given components violates the formula.
    Components(Vec<FactorView>),
    /// The composition of these components has no violating run. They were composed pairwise in
    /// this order, and minimised after each step.
    Composed(Vec<FactorView>, Vec<(u32, u32)>),
    /// The reduced system has no violating run. The reduction postpones steps that the formula does
    /// not observe. The number is the count of explored joint states.
    FewerSteps(usize),
    /// The formula was evaluated on this number of joint states.
    Visited(usize),
}

/// An answer to a property.
#[derive(Clone, Debug)]
pub struct PropertyAnswer {
    /// True if the system has the property.
    pub value: bool,
    /// The evidence.
    pub shown: SystemProof,
    /// `replayed`, `certified` (the checker repeated the exploration), or `searched`.
    pub evidence: &'static str,
    /// The reason in words.
    pub reason: String,
    /// Time from the beginning to the answer.
    pub after: Duration,
}

/// The outcome for a property.
#[derive(Clone, Debug)]
pub enum SystemOutcome {
    /// The property is answered.
    Answer(Box<PropertyAnswer>),
    /// The property stays open, for this reason.
    Open(String),
    /// An answer failed its check, which is a bug.
    Fault(String),
}

/// The lengths of the turns, in seconds. The last one is repeated until the time is over.
const TURNS: [f64; 4] = [0.5, 3.0, 20.0, 120.0];

/// Settles the properties. `tell` receives each outcome once, with the index of the property.
pub fn settle(
    case: &SystemCase,
    config: &SettleConfig,
    budget: &Budget,
    tell: &(dyn Fn(usize, SystemOutcome) + Sync),
) {
    let begun = Instant::now();
    let spaces = JointSpaces::default();
    let decider = Decider::new(&case.system, config.endings);
    let mut open: Vec<(usize, String)> =
        (0..case.properties.len()).map(|at| (at, "out of time".to_owned())).collect();
    for turn in 0.. {
        if open.is_empty() || budget.is_exhausted() {
            break;
        }
        let length = TURNS[TURNS.len().min(turn + 1) - 1];
        let next = AtomicUsize::new(0);
        let left = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..config.threads.clamp(1, open.len()) {
                scope.spawn(|| {
                    while let Some(&(at, _)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let slice = budget.slice(Duration::from_secs_f64(length));
                        let config =
                            SettleConfig { seed: config.seed + 1000 * turn as u64, ..*config };
                        match settle_one(
                            case,
                            at,
                            &config,
                            &slice,
                            budget,
                            (&decider, &spaces),
                            begun,
                        ) {
                            Ok(settled) => tell(at, settled),
                            Err(why) => lock(&left).push((at, why)),
                        }
                    }
                });
            }
        });
        open = left.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        open.sort_unstable();
        // A property that is open for another reason than time stays open.
        let (final_ones, again): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(_, why)| why != OUT_OF_TIME);
        final_ones.into_iter().for_each(|(at, why)| tell(at, SystemOutcome::Open(why)));
        open = again;
    }
    open.into_iter().for_each(|(at, why)| tell(at, SystemOutcome::Open(why)));
}

const OUT_OF_TIME: &str = "out of time";

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The explored joint states, for the engines and for the checker. They are computed at their first
/// use.
#[derive(Default)]
struct JointSpaces {
    engine: OnceLock<Option<JointStateSpace>>,
    checker: OnceLock<Option<branching::JointSpace>>,
}

/// Settles a property, or returns why it stays open.
fn settle_one(
    case: &SystemCase,
    at: usize,
    config: &SettleConfig,
    slice: &Budget,
    budget: &Budget,
    (decider, spaces): (&Decider<'_>, &JointSpaces),
    begun: Instant,
) -> Result<SystemOutcome, String> {
    let number = case.properties[at].number;
    let formula = &case.checked_properties.all[&number].0;
    let answer = |value, shown, evidence, reason| {
        let after = begun.elapsed();
        SystemOutcome::Answer(Box::new(PropertyAnswer { value, shown, evidence, reason, after }))
    };
    match (&case.questions[at], formula) {
        (PropertyFormula::Linear(question), SystemFormula::Linear(formula)) => {
            let found = decider.decide(question, config.seed, &mut || !slice.is_exhausted());
            let working_nets = found.map_err(|why| match why {
                NoVerdict::Stopped => OUT_OF_TIME.to_owned(),
                why => why.to_string(),
            })?;
            let checked = linear_checked(case, config, formula, working_nets, budget);
            Ok(match checked {
                Ok((value, shown, evidence, reason)) => answer(value, shown, evidence, reason),
                Err(why) => SystemOutcome::Fault(why),
            })
        }
        (PropertyFormula::Branching(question), SystemFormula::Branching(formula)) => {
            let mut goes_on = || !budget.is_exhausted();
            let space = spaces
                .engine
                .get_or_init(|| JointStateSpace::visit(&case.system, config.states, &mut goes_on));
            let most = config.states;
            let space = space.as_ref().ok_or_else(|| {
                format!("the joint states are more than {most}, or more than there was time for")
            })?;
            let value = space.satisfies(question);
            let states = space.states();
            let checked = spaces.checker.get_or_init(|| {
                branching::JointSpace::visit(&case.checked_system, config.visit, &mut goes_on)
            });
            let again = checked.as_ref().and_then(|it| it.satisfies(formula, &mut goes_on));
            let reason = format!("evaluated on all {states} joint states");
            Ok(match again {
                Some(again) if again != value => {
                    SystemOutcome::Fault("the checker evaluates the formula otherwise".to_owned())
                }
                Some(_) => answer(value, SystemProof::Visited(states), "certified", reason),
                None => answer(value, SystemProof::Visited(states), "searched", reason),
            })
        }
        _ => Ok(SystemOutcome::Fault("the checker reads a formula of another logic".to_owned())),
    }
}

type CheckedResult = (bool, SystemProof, &'static str, String);

/// Checks a result of an engine for an LTL property.
fn linear_checked(
    case: &SystemCase,
    config: &SettleConfig,
    formula: &parikh_evidence::systems::properties::LabelLtl,
    working_nets: Justification,
    budget: &Budget,
) -> Result<CheckedResult, String> {
    let endings = match config.endings {
        FiniteRuns::Ignored => CheckedEndings::Ignored,
        FiniteRuns::Stutter => CheckedEndings::Stutter,
    };
    let system = &case.checked_system;
    match working_nets {
        Justification::Run(found) => {
            let labels: Vec<String> =
                found.labels.iter().map(|&label| case.system.label(label).to_owned()).collect();
            let back = found.back;
            run::check(system, formula, endings, &labels, back)?;
            let reason = match labels.len() - back {
                0 => format!("a run of {} ends and is against it", counted(back, "label")),
                cycle => format!(
                    "a run is against it: {}, then {cycle} for ever",
                    counted(back, "label")
                ),
            };
            Ok((false, SystemProof::Run { labels, back }, "replayed", reason))
        }
        Justification::Composed { members, order, states } => {
            composed_checked(case, config, formula, (members, order, states), budget)
        }
        Justification::PartialOrderReduction { visited } => {
            let reason = format!(
                "no run is against it, steps put off that it does not see ({visited} joint states)"
            );
            Ok((true, SystemProof::FewerSteps(visited), "searched", reason))
        }
        Justification::Components { mut members, visited } => {
            let recurrence = endings == CheckedEndings::Ignored;
            let most = if visited > 4 * config.visit { 0 } else { config.visit };
            let mut goes_on = || !budget.is_exhausted();
            let mut again = |members: &[FactorView]| {
                let members: Vec<ComponentView> =
                    members.iter().map(|it| member(case, it)).collect();
                let claim = none::NoRunSearch { endings, members: &members, recurrence };
                match most {
                    0 => none::ViolationSearch::More,
                    // Without an automaton, the checker cannot repeat the exploration, and the
                    // answer counts as searched.
                    _ => none::visit(system, formula, claim, most, &mut goes_on)
                        .unwrap_or(none::ViolationSearch::More),
                }
            };
            let mut seen = again(&members);
            let whole = FactorView::all_of(&case.system);
            if matches!(seen, none::ViolationSearch::Some) && members != whole {
                // The checker and the engine exclude different infinite runs, so a run of some
                // components may exist only for the checker. A run of all components is a run of
                // the system.
                seen = again(&whole);
                members = whole;
            }
            let of = named(case, &members);
            let (evidence, reason) = match seen {
                none::ViolationSearch::None(0) => {
                    let reason =
                        "no run is against it: what it would do for ever, components cannot";
                    ("certified", reason.to_owned())
                }
                none::ViolationSearch::None(nodes) => {
                    ("certified", format!("no run is against it, {of} ({nodes} joint states)"))
                }
                none::ViolationSearch::Some => {
                    return Err("the checker finds a run against it".to_owned());
                }
                none::ViolationSearch::More | none::ViolationSearch::Stopped => {
                    ("searched", format!("no run is against it, {of} ({visited} joint states)"))
                }
            };
            Ok((true, SystemProof::Components(members), evidence, reason))
        }
    }
}

/// Checks a result about the pairwise composition, by repeating the composition.
fn composed_checked(
    case: &SystemCase,
    config: &SettleConfig,
    formula: &parikh_evidence::systems::properties::LabelLtl,
    (members, order, states): (Vec<FactorView>, Vec<(u32, u32)>, usize),
    budget: &Budget,
) -> Result<CheckedResult, String> {
    let few: Vec<ComponentView> = members.iter().map(|it| member(case, it)).collect();
    let pairs: Vec<_> = order.iter().map(|&(a, b)| (a as usize, b as usize)).collect();
    let claim = composed::CompositionOrder { members: &few, pairs: &pairs };
    let mut goes_on = || !budget.is_exhausted();
    let system = &case.checked_system;
    // Without an automaton, the checker cannot repeat the exploration, and the answer counts as
    // searched.
    let seen = composed::visit(system, formula, claim, config.visit, &mut goes_on)
        .unwrap_or(none::ViolationSearch::More);
    let reason = |states| {
        format!(
            "no run is against it, of the system put together two by two ({states} joint states)"
        )
    };
    let (evidence, reason) = match seen {
        none::ViolationSearch::None(_) => ("certified", reason(states)),
        none::ViolationSearch::Some => return Err("the checker finds a run against it".to_owned()),
        none::ViolationSearch::More | none::ViolationSearch::Stopped => {
            ("searched", reason(states))
        }
    };
    Ok((true, SystemProof::Composed(members, order), evidence, reason))
}

/// Converts a component, or the visible part of one, for the checker.
fn member(case: &SystemCase, view: &FactorView) -> ComponentView {
    let name = |&label: &LabelId| case.system.label(label).to_owned();
    let labels = view.labels.as_ref().map(|all| all.iter().map(name).collect());
    ComponentView { component: view.component as usize, labels }
}

/// Returns the components of a claim in words.
fn named(case: &SystemCase, members: &[FactorView]) -> String {
    let mut components: Vec<u32> = members.iter().map(|it| it.component).collect();
    components.dedup();
    let parts = members.iter().filter(|it| it.labels.is_some()).count();
    match (&components[..], parts) {
        (all, 0) if all.len() == case.system.components().len() => "of the system".to_owned(),
        ([one], 0) => format!("of component {one}, whatever the others do"),
        ([one], 1) => format!("of a part of component {one}, whatever the others do"),
        ([one], few) => format!("of {few} parts of component {one}, whatever the others do"),
        (few, 0) => format!("of {} components, whatever the others do", few.len()),
        (few, parts) => {
            format!("of {parts} parts of {} components, whatever the others do", few.len())
        }
    }
}

impl SystemLogic {
    /// Returns the semantics of a property in words.
    pub fn semantics(self, endings: FiniteRuns) -> &'static str {
        match (self, endings) {
            (SystemLogic::Ltl, FiniteRuns::Ignored) => {
                "LTL over infinite traces only (RERS on .dot and .pnml)"
            }
            (SystemLogic::Ltl, FiniteRuns::Stutter) => {
                "LTL where finite runs repeat their last label (RERS on Promela, SPIN)"
            }
            (SystemLogic::Ctl, _) => "CTL over all maximal paths, after the empty first step",
        }
    }
}
