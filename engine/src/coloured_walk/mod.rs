//! Walks on a coloured net without unfolding: bindings are found by matching arcs with the
//! available tokens. All goals about single markings are watched during the walk.
//!
//! A walk prefers transitions after which the distance to one goal is smallest. The distance
//! considers only the total token counts of places. Sometimes the walk fires a random transition.
//! It ends when the distance has not decreased for some time. Other walks follow firing sequences
//! of abstractions, with any available bindings that the abstraction permits.
//!
//! Each marking that is reported for a goal is replayed by the coloured firing rule before it
//! counts (see [`crate::board`]).

mod bindings;
mod tokens;
mod walker;

use crate::board::{Board, Technique};
use bindings::BindingRule;
use parikh_evidence::abstraction::ColouredModel;
use parikh_net::coloured::{BoundColour, ColouredTransitionId};
use parikh_net::printable::counted;
use parikh_net::{GoalId, MarkingGoal, Net, PlaceId, Predicate, SortedGoals, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::locked;
use parikh_unfolding::{CompiledTransition, TermCompiler};
use std::sync::{Arc, Mutex};
use tokens::ColouredTokens;
use walker::{ColouredStepResult, ColouredWalker};

/// The contest's name of the technique.
pub const TECHNIQUE: Technique = "RANDOM_WALK";

/// A firing sequence of an abstraction that reaches a goal there, as a hint for walks.
#[derive(Clone, Debug)]
pub struct ColouredHint {
    /// The goal.
    pub goal: GoalId,
    /// The steps: the index of a coloured transition, the abstraction's constraints on its binding,
    /// and the number of firings.
    pub steps: Vec<(usize, Vec<BindingConstraint>, u64)>,
}

/// A constraint on the colour of one variable in a binding.
#[derive(Clone, Debug)]
pub enum BindingConstraint {
    /// The variable has exactly the given colour.
    Colour(BoundColour),
    /// A variable has a colour of a class. The first field has the variable and, as its colour, the
    /// number of the class. The array maps colours to classes.
    Class(BoundColour, Arc<[u32]>),
}

/// Hints that no walk is following at the moment, each with its remaining attempts.
#[derive(Debug, Default)]
pub struct ColouredHints(Mutex<Vec<(ColouredHint, u32)>>);

/// Number of walks per hint. Each walk may find other bindings, which may lead further.
const ATTEMPTS_PER_HINT: u32 = 8;

impl ColouredHints {
    /// Adds a hint.
    pub fn add(&self, hint: ColouredHint) {
        self.push(hint, ATTEMPTS_PER_HINT);
    }

    /// Adds a hint with this number of remaining attempts.
    fn push(&self, hint: ColouredHint, attempts_left: u32) {
        locked(&self.0).push((hint, attempts_left));
    }

    /// Removes the hint that was added or put back last, and returns it with its remaining
    /// attempts. Returns `None` if there is no hint.
    fn take(&self) -> Option<(ColouredHint, u32)> {
        locked(&self.0).pop()
    }
}

/// A goal about single markings, which the walks test. It was open when the walks began.
struct WatchedColouredGoal {
    /// The goal's id on the board.
    id: GoalId,
    /// The goal, over the places and transitions of the skeleton.
    goal: MarkingGoal,
}

/// Data that does not change during walks.
struct WalkContext<'t> {
    /// The coloured net with its skeleton, that is, the net without colours.
    model: &'t ColouredModel,
    /// The board of the goals.
    board: &'t Board<'t>,
    /// The net without colours. Its token counts are the totals of the coloured places.
    skeleton: &'t Net,
    /// The ids of the coloured transitions.
    transitions: Vec<ColouredTransitionId>,
    /// The coloured transitions, prepared for firing.
    rules: Vec<BindingRule>,
    /// For each coloured transition, its effect on the total token counts of places. It is the
    /// effect of the first of its transitions in the skeleton.
    effects: Vec<Vec<(PlaceId, i64)>>,
    /// For each place, its consuming transitions.
    consumers: Vec<Vec<usize>>,
    /// The initial marking.
    initial: ColouredTokens,
    /// The watched goals.
    goals: Vec<WatchedColouredGoal>,
    /// For each place, the indices in `goals` of the goals that depend on its tokens. Dependence
    /// through deadness does not count, because the walk tests deadness separately.
    goals_of_place: Vec<Vec<usize>>,
    /// For each coloured transition, the indices in `goals` of the goals that hold in every marking
    /// that enables the transition.
    goals_of_firing: Vec<Vec<usize>>,
}

/// Limit on the number of colours in the initial marking of a place.
const MAX_INITIAL_COLOURS: u64 = 1_000_000;

impl<'t> WalkContext<'t> {
    /// Creates the context.
    ///
    /// # Errors
    /// The reason, if the initial marking of a place has too many colours, or if the skeleton does
    /// not record its coloured transitions.
    fn new(model: &'t ColouredModel, board: &'t Board<'t>) -> Result<Self, &'static str> {
        let (net, skeleton) = (model.net(), model.skeleton().net());
        let folding =
            skeleton.folding().ok_or("the skeleton does not record its coloured transitions")?;
        let compiler = TermCompiler { net, variables: Vec::new() };
        let mut initial = Vec::new();
        for place in net.places() {
            let tokens = compiler.tokens(&place.initial);
            if tokens.size() > MAX_INITIAL_COLOURS {
                return Err("the initial marking has too many colours for walks");
            }
            let mut bag = Vec::new();
            tokens.evaluate(&[], &mut bag);
            initial.push(bag);
        }
        let compiled: Vec<CompiledTransition> =
            net.transitions().iter().map(|it| TermCompiler::transition(net, it)).collect();
        let mut consumers = vec![Vec::new(); net.places().len()];
        let mut effects = Vec::new();
        for (t, compiled) in compiled.iter().enumerate() {
            for (place, _) in &compiled.inputs {
                if consumers[*place].last() != Some(&t) {
                    consumers[*place].push(t);
                }
            }
            let first = folding.transitions(t).next();
            let effect = first.map(|first| {
                let mut places: Vec<PlaceId> =
                    skeleton.pre(first).iter().map(|it| it.place).collect();
                places.extend(skeleton.post(first).iter().map(|it| it.place));
                places.sort_unstable();
                places.dedup();
                let change = |place| {
                    let (post, pre) =
                        (skeleton.post_weight(first, place), skeleton.pre_weight(first, place));
                    (place, post as i64 - pre as i64)
                };
                places.into_iter().map(change).filter(|it| it.1 != 0).collect()
            });
            effects.push(effect.unwrap_or_default());
        }
        // Walks show only goals about single markings, so only those goals are watched.
        let open = board.open_goals().into_iter().map(|id| (id, board.goal(id).clone()));
        let open = open.collect::<SortedGoals>().markings.into_iter();
        let goals: Vec<WatchedColouredGoal> =
            open.map(|(id, goal)| WatchedColouredGoal { id, goal }).collect();
        let mut goals_of_place = vec![Vec::new(); net.places().len()];
        let mut goals_of_firing = vec![Vec::new(); net.transitions().len()];
        for (goal_index, watched) in goals.iter().enumerate() {
            let support = match &watched.goal {
                MarkingGoal::Reach(predicate) => {
                    for t in enabling_transitions(predicate) {
                        goals_of_firing[folding.transition_of(t)].push(goal_index);
                    }
                    model.skeleton().places_of(predicate)
                }
                MarkingGoal::Maximise(sum) => sum.terms().iter().map(|&(place, _)| place).collect(),
            };
            support.into_iter().for_each(|place| goals_of_place[place.index()].push(goal_index));
        }
        Ok(WalkContext {
            model,
            board,
            skeleton,
            transitions: net.transition_ids().collect(),
            rules: compiled.into_iter().map(BindingRule::new).collect(),
            effects,
            consumers,
            initial: tokens::marking_of(initial),
            goals,
            goals_of_place,
            goals_of_firing,
        })
    }

    /// Returns the index of the coloured transition of a transition of the skeleton.
    fn coloured_transition(&self, t: TransitionId) -> usize {
        self.model.skeleton().coloured_transition(t)
    }
}

/// Returns transitions whose enabledness alone makes a predicate true: those in the disjuncts of
/// the predicate.
fn enabling_transitions(predicate: &Predicate) -> Vec<TransitionId> {
    match predicate {
        Predicate::Enabled(t) => vec![*t],
        Predicate::Or(parts) => parts.iter().flat_map(enabling_transitions).collect(),
        _ => Vec::new(),
    }
}

/// Number of firings between two checks of the budget.
const POLLING_INTERVAL: u64 = 32;

/// Maximum number of firings of a walk, not counting the firings that follow a hint. Those have a
/// separate limit of the same size.
const MAX_WALK_FIRINGS: u64 = 1 << 20;

/// Walks until no goal of `board` that concerns single markings is open, or `budget` is exhausted.
/// The board must belong to `model`. Does not walk if the initial marking has too many colours, or
/// if the skeleton does not record its coloured transitions. Returns a one-line summary.
pub fn run(
    model: &ColouredModel,
    board: &Board<'_>,
    hints: &ColouredHints,
    budget: &Budget,
    seed: u64,
) -> String {
    let context = match WalkContext::new(model, board) {
        Ok(context) => context,
        Err(why) => return why.to_owned(),
    };
    let witness_reporter = board.witness_reporter(TECHNIQUE);
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut walker = ColouredWalker::new(&context, seed);
    let mut order = Vec::new();
    let mut walks = 0u64;
    let is_over = || board.open_count() == 0 || budget.is_exhausted();
    while !is_over() {
        walks += 1;
        walker.restart();
        walker.report_pending(&witness_reporter);
        let open_goals: Vec<usize> = (0..context.goals.len())
            .filter(|&index| board.is_open(context.goals[index].id))
            .collect();
        if open_goals.is_empty() {
            break;
        }
        let mut target = (rng.usize(..4) > 0).then(|| open_goals[rng.usize(..open_goals.len())]);
        if let Some((hint, attempts_left)) = hints.take() {
            target = context.goals.iter().position(|watched| watched.id == hint.goal);
            let is_usable = follow_hint(&mut walker, &hint, &is_over);
            walker.report_pending(&witness_reporter);
            if attempts_left > 1 && board.is_open(hint.goal) {
                hints.push(hint, attempts_left - 1);
            }
            if !is_usable {
                continue;
            }
        }
        let max_steps_without_gain = 64 << (walks % 7);
        let random_share = [0.0, 0.05, 0.2, 0.5][rng.usize(..4)];
        let (mut smallest_distance, mut last_gain) = (i128::MAX, 0);
        for step in 0..MAX_WALK_FIRINGS {
            if step.is_multiple_of(POLLING_INTERVAL) && is_over() {
                break;
            }
            if let Some(goal) = target {
                let distance = walker.distance(goal);
                if distance < smallest_distance {
                    (smallest_distance, last_gain) = (distance, step);
                }
            }
            if step - last_gain > max_steps_without_gain {
                break;
            }
            let step_target = if rng.f64() < random_share { None } else { target };
            walker.order_transitions(step_target, &mut order);
            if walker.step(&order) != ColouredStepResult::Fired {
                break;
            }
            if walker.should_report() {
                walker.report_pending(&witness_reporter);
            }
        }
        walker.report_pending(&witness_reporter);
    }
    let (walks, firings) = (counted(walks, "walk"), counted(walker.firings, "firing"));
    format!("{walks} on the coloured net, {firings}")
}

/// Fires the steps of a hint. If no binding for a step is found, continues with the next step.
/// Tries fewer than [`MAX_WALK_FIRINGS`] firings. Stops early if `is_over` returns true. Returns
/// false if a place would get too many tokens, so that the current marking is unusable.
fn follow_hint(
    walker: &mut ColouredWalker<'_>,
    hint: &ColouredHint,
    is_over: &impl Fn() -> bool,
) -> bool {
    let mut remaining = MAX_WALK_FIRINGS;
    for (t, constraints, count) in &hint.steps {
        for _ in 0..*count {
            remaining -= 1;
            if remaining == 0 || (remaining.is_multiple_of(POLLING_INTERVAL) && is_over()) {
                return true;
            }
            match walker.step_with(*t, constraints) {
                ColouredStepResult::Fired => {}
                ColouredStepResult::TooManyTokens => return false,
                ColouredStepResult::Dead | ColouredStepResult::Stuck => break,
            }
        }
    }
    true
}
