//! Settles properties on several threads. Each answer is checked before it is reported.
//!
//! All properties first have a short turn. Properties that stay open have a longer turn, and so on,
//! until all are settled or the time is over. A turn starts from scratch with another seed. Little
//! is lost by this, because all earlier turns together are shorter.

use super::case::{PropertyFormula, SystemCase, SystemLogic};
use super::reason::{SystemGrade, SystemReason};
use crate::run::OpenCause;
use parikh_evidence::systems::properties::SystemFormula;
use parikh_evidence::systems::{
    ComponentView, Endings as CheckedEndings, branching, composed, run, violation_search,
};
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
    /// Maximal number of nodes that the checker explores for an LTL property, and of joint states
    /// that it explores for all CTL properties together. 1,000,000 by default.
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
    /// A violating run: its labels, and the position at which it continues after its last label.
    Run {
        /// The labels.
        labels: Vec<String>,
        /// The position in `labels` at which the run continues after its last label; the number of
        /// labels if the run is finite.
        back: usize,
    },
    /// No run of the given components violates the formula. The list has views of components, some
    /// restricted to a part of the labels. It is empty if the engine had to search no component.
    Components(Vec<FactorView>),
    /// The composition of these components has no violating run. They were composed pairwise and
    /// minimised after each step. A composed pair consists of two numbers. A number is an index in
    /// the list of components, or the length of this list plus the index of an earlier pair.
    Composed(Vec<FactorView>, Vec<(u32, u32)>),
    /// The reduced system has no violating run. The reduction postpones steps that the formula does
    /// not observe. The number is the count of visited pairs of a joint state and an automaton
    /// state.
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
    pub proof: SystemProof,
    /// The strength of the evidence.
    pub grade: SystemGrade,
    /// The reason.
    pub reason: SystemReason,
    /// Time from the beginning to the answer.
    pub elapsed_time: Duration,
}

/// The outcome for a property.
#[derive(Clone, Debug)]
pub enum SystemOutcome {
    /// The property is answered.
    Answer(Box<PropertyAnswer>),
    /// The property stays open, for this reason.
    Open(OpenCause),
    /// An answer failed its check, or the checker reads the formula in another logic. Both are
    /// bugs.
    Fault(String),
}

/// The lengths of the turns, in seconds. The last one is repeated until no property is left to
/// settle or the time is over.
const TURN_SECONDS: [f64; 4] = [0.5, 3.0, 20.0, 120.0];

/// Settles the properties. `on_outcome` receives each outcome once, with the index of the property.
pub fn settle(
    case: &SystemCase,
    config: &SettleConfig,
    budget: &Budget,
    on_outcome: &(dyn Fn(usize, SystemOutcome) + Sync),
) {
    let begun = Instant::now();
    let spaces = JointSpaces::default();
    let decider = Decider::new(&case.system, config.endings);
    let mut open: Vec<(usize, OpenCause)> =
        (0..case.properties.len()).map(|at| (at, OpenCause::OutOfTime)).collect();
    for turn in 0.. {
        if open.is_empty() || budget.is_exhausted() {
            break;
        }
        let length = TURN_SECONDS[TURN_SECONDS.len().min(turn + 1) - 1];
        let next = AtomicUsize::new(0);
        let left = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..config.threads.clamp(1, open.len()) {
                scope.spawn(|| {
                    while let Some(&(at, _)) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let slice = budget.slice(Duration::from_secs_f64(length));
                        let seed = config.seed.wrapping_add(1000 * turn as u64);
                        let config = SettleConfig { seed, ..*config };
                        match settle_one(
                            case,
                            at,
                            &config,
                            &slice,
                            budget,
                            (&decider, &spaces),
                            begun,
                        ) {
                            Ok(settled) => on_outcome(at, settled),
                            Err(why) => lock(&left).push((at, why)),
                        }
                    }
                });
            }
        });
        open = left.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        open.sort_unstable_by_key(|&(at, _)| at);
        // A property that is open for another reason than time stays open.
        let (final_ones, again): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|(_, why)| *why != OpenCause::OutOfTime);
        final_ones.into_iter().for_each(|(at, why)| on_outcome(at, SystemOutcome::Open(why)));
        open = again;
    }
    open.into_iter().for_each(|(at, why)| on_outcome(at, SystemOutcome::Open(why)));
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The explored joint states, for the engines and for the checker. They are computed at their first
/// use. A stored `None` means that there are too many states, or that the time was over.
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
) -> Result<SystemOutcome, OpenCause> {
    let number = case.properties[at].number;
    let formula = &case.checked_properties.by_number[&number].0;
    let answer = |checked: CheckedAnswer| {
        let (after, CheckedAnswer { value, proof: shown, grade, reason }) =
            (begun.elapsed(), checked);
        SystemOutcome::Answer(Box::new(PropertyAnswer {
            value,
            proof: shown,
            grade,
            reason,
            elapsed_time: after,
        }))
    };
    match (&case.questions[at], formula) {
        (PropertyFormula::Linear(question), SystemFormula::Linear(formula)) => {
            let found = decider.decide(question, config.seed, &mut || !slice.is_exhausted());
            let justification = found.map_err(|why| match why {
                NoVerdict::Stopped => OpenCause::OutOfTime,
                why => OpenCause::Failed { message: why.to_string() },
            })?;
            let checked = linear_checked(case, config, formula, justification, budget);
            Ok(match checked {
                Ok(checked) => answer(checked),
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
                let message = format!("more than {most} joint states, or out of time");
                OpenCause::Failed { message }
            })?;
            let value = space.satisfies(question);
            let states = space.states();
            let checked = spaces.checker.get_or_init(|| {
                branching::JointSpace::visit(&case.checked_system, config.visit, &mut goes_on)
            });
            let again = checked.as_ref().and_then(|it| it.satisfies(formula, &mut goes_on));
            let grade = match again {
                Some(_) => SystemGrade::Certified,
                None => SystemGrade::Searched,
            };
            let (shown, reason) =
                (SystemProof::Visited(states), SystemReason::Evaluated { joint_states: states });
            Ok(match again {
                Some(again) if again != value => {
                    SystemOutcome::Fault("the checker evaluates the formula differently".to_owned())
                }
                _ => answer(CheckedAnswer { value, proof: shown, grade, reason }),
            })
        }
        _ => Ok(SystemOutcome::Fault("the checker reads a formula of another logic".to_owned())),
    }
}

/// A checked answer.
struct CheckedAnswer {
    value: bool,
    proof: SystemProof,
    grade: SystemGrade,
    reason: SystemReason,
}

/// Checks a result of an engine for an LTL property. Returns an error if the check refutes the
/// result.
fn linear_checked(
    case: &SystemCase,
    config: &SettleConfig,
    formula: &parikh_evidence::systems::properties::LabelLtl,
    justification: Justification,
    budget: &Budget,
) -> Result<CheckedAnswer, String> {
    let endings = match config.endings {
        FiniteRuns::Ignored => CheckedEndings::Ignored,
        FiniteRuns::Stutter => CheckedEndings::Stutter,
    };
    let system = &case.checked_system;
    match justification {
        Justification::Run(found) => {
            let labels: Vec<String> =
                found.labels.iter().map(|&label| case.system.label(label).to_owned()).collect();
            let back = found.cycle_start;
            run::check(system, formula, endings, &labels, back)?;
            let reason = SystemReason::Run { prefix: back, cycle: labels.len() - back };
            let (shown, grade) = (SystemProof::Run { labels, back }, SystemGrade::Replayed);
            Ok(CheckedAnswer { value: false, proof: shown, grade, reason })
        }
        Justification::Composed { members, order, states } => {
            let composition = Composition { members, order, states };
            composed_checked(case, config, formula, composition, budget)
        }
        Justification::PartialOrderReduction { visited } => {
            let reason = SystemReason::NoRunOfReduced { joint_states: visited };
            let (shown, grade) = (SystemProof::FewerSteps(visited), SystemGrade::Searched);
            Ok(CheckedAnswer { value: true, proof: shown, grade, reason })
        }
        Justification::Components { mut members, visited } => {
            let recurrence = endings == CheckedEndings::Ignored;
            let most = if visited > 4 * config.visit { 0 } else { config.visit };
            let mut goes_on = || !budget.is_exhausted();
            let mut again = |members: &[FactorView]| {
                let members: Vec<ComponentView> =
                    members.iter().map(|it| component_view(case, it)).collect();
                let claim =
                    violation_search::NoRunSearch { endings, members: &members, recurrence };
                match most {
                    0 => violation_search::ViolationSearch::More,
                    // After an error, for example without an automaton, the checker cannot repeat
                    // the exploration. The answer then counts as searched.
                    _ => violation_search::visit(system, formula, claim, most, &mut goes_on)
                        .unwrap_or(violation_search::ViolationSearch::More),
                }
            };
            let mut seen = again(&members);
            let whole = FactorView::all_of(&case.system);
            if matches!(seen, violation_search::ViolationSearch::Violated) && members != whole {
                // The checker and the engine exclude different infinite runs of components. So the
                // checker may find a violating run of `members` that the engine excludes. A run of
                // all components is a run of the system, so the check is repeated with all
                // components.
                seen = again(&whole);
                members = whole;
            }
            let no_run = |joint_states| {
                let mut components: Vec<u32> = members.iter().map(|it| it.component).collect();
                components.dedup();
                SystemReason::NoRunOfComponents {
                    parts: members.iter().filter(|it| it.labels.is_some()).count(),
                    is_all: components.len() == case.system.components().len(),
                    components,
                    joint_states,
                }
            };
            let (grade, reason) = match seen {
                violation_search::ViolationSearch::NotViolated(0) => {
                    (SystemGrade::Certified, SystemReason::NoInfiniteRun)
                }
                violation_search::ViolationSearch::NotViolated(nodes) => {
                    (SystemGrade::Certified, no_run(nodes))
                }
                violation_search::ViolationSearch::Violated => {
                    return Err("the checker finds a run that violates it".to_owned());
                }
                violation_search::ViolationSearch::More
                | violation_search::ViolationSearch::Stopped => {
                    (SystemGrade::Searched, no_run(visited))
                }
            };
            let shown = SystemProof::Components(members);
            Ok(CheckedAnswer { value: true, proof: shown, grade, reason })
        }
    }
}

/// A result about the pairwise composition.
struct Composition {
    members: Vec<FactorView>,
    /// The composed pairs in order. A number is an index in `members`, or the length of `members`
    /// plus the index of an earlier pair.
    order: Vec<(u32, u32)>,
    /// The number of states of all graphs before minimisation, plus the number of nodes of the
    /// search afterwards.
    states: usize,
}

/// Checks a result about the pairwise composition, by repeating the composition. If the checker
/// cannot finish, the answer counts as searched. Returns an error if the checker finds a violating
/// run.
fn composed_checked(
    case: &SystemCase,
    config: &SettleConfig,
    formula: &parikh_evidence::systems::properties::LabelLtl,
    composition: Composition,
    budget: &Budget,
) -> Result<CheckedAnswer, String> {
    let Composition { members, order, states } = composition;
    let few: Vec<ComponentView> = members.iter().map(|it| component_view(case, it)).collect();
    let pairs: Vec<_> = order.iter().map(|&(a, b)| (a as usize, b as usize)).collect();
    let claim = composed::CompositionOrder { members: &few, pairs: &pairs };
    let mut goes_on = || !budget.is_exhausted();
    let system = &case.checked_system;
    // After an error, for example without an automaton, the checker cannot repeat the exploration.
    // The answer then counts as searched.
    let seen = composed::visit(system, formula, claim, config.visit, &mut goes_on)
        .unwrap_or(violation_search::ViolationSearch::More);
    let grade = match seen {
        violation_search::ViolationSearch::NotViolated(_) => SystemGrade::Certified,
        violation_search::ViolationSearch::Violated => {
            return Err("the checker finds a run that violates it".to_owned());
        }
        violation_search::ViolationSearch::More | violation_search::ViolationSearch::Stopped => {
            SystemGrade::Searched
        }
    };
    let reason = SystemReason::NoRunOfComposition { joint_states: states };
    Ok(CheckedAnswer { value: true, proof: SystemProof::Composed(members, order), grade, reason })
}

/// Converts a component, or the visible part of one, for the checker.
fn component_view(case: &SystemCase, view: &FactorView) -> ComponentView {
    let name = |&label: &LabelId| case.system.label(label).to_owned();
    let labels = view.labels.as_ref().map(|all| all.iter().map(name).collect());
    ComponentView { component: view.component as usize, labels }
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
