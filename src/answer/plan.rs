//! Plans: the goals of a run, and the questions about them.
//!
//! A goal that several questions share is stored once. Two formulas share a goal also if they
//! differ only in the order of their parts, or if they are complementary (EF φ and AG ¬φ). EF φ and
//! EF ¬φ are separate goals. The initial marking settles one of these two goals at once.
//!
//! A plan counts for each goal its relevant occurrences in open questions. It abandons the goal on
//! the board when none is left.

use super::GoalAnswer;
use super::circuit::IncrementalFormula;
use super::examinations;
use super::goal_demand::{self, GoalDemand};
use super::goal_question::{
    GoalFormula, GoalQuestion, GoalRole, JointMeaning, RoledGoal, atom, reach, reach_with_parts,
};
use super::node_questions::{NodeQuery, NodeQuestion, node_questions};
use super::question::is_kept_by_undoing;
use super::within_caps;
use crate::mcc::Examination;
use parikh_engine::board::{Board, Knowledge};
use parikh_formula::{Formula, Proposition, Query, TemporalLogic, UnsupportedFormula, lower_in};
use parikh_net::{Fairness, Goal, GoalId, LinearSum, Net, Predicate};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

/// The goals of a run and the questions about them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    goals: Vec<Goal>,
    /// Maps the hash of a goal to the ids of the goals with this hash. The goals are not the keys,
    /// because a goal may mention all places, and each key would be a second copy.
    goal_ids_by_hash: HashMap<u64, Vec<GoalId>>,
    hasher: RandomState,
    questions: Vec<GoalQuestion>,
    /// The state of the questions, by question index.
    progress: Vec<QuestionProgress>,
    /// The counts of relevant occurrences of the goals.
    demand: GoalDemand,
    /// For each goal, indexed by `GoalId`: the indices of the questions that contain the goal, in
    /// ascending order.
    asking: Vec<Vec<usize>>,
    /// The goals that ask for dead ends; see [`first`](Self::first).
    first: Vec<GoalId>,
    /// The fairness assumption for runs; see [`set_fairness`](Self::set_fairness).
    fairness: Fairness,
}

/// The state of a question.
#[derive(Clone, Debug)]
struct QuestionProgress {
    is_decided: bool,
    /// True if the answer assumes the model's claim that its units are safe.
    assumes_units: bool,
    /// True for an examination or a formula. Such a question is adapted to nets with caps, that is,
    /// assumed bounds of places ([`within_caps`]). On a net with caps, other questions stay open.
    is_adapted_to_caps: bool,
    state: QuestionState,
}

/// The knowledge about the goals of a question.
#[derive(Clone, Debug)]
enum QuestionState {
    Truth(IncrementalFormula),
    /// The goals whose maximum may still exceed the largest value seen, and the goal with this
    /// value. Empty after the question is decided.
    Largest(Vec<GoalId>),
}

/// The questions of an examination about each node.
#[derive(Clone, Debug, Default)]
pub struct NodeQuestions {
    /// The plan of the questions. The id of a question is the name of its node.
    pub plan: Plan,
    /// The nodes about which nothing can be asked on this net, by name, with the reasons.
    pub refused: Vec<(String, UnsupportedFormula)>,
}

/// A decided question with its answer. The answer is `None` if engines contradict each other on a
/// goal of its basis, or if a goal of its basis has no result.
pub type QuestionDecision<'p> = (&'p GoalQuestion, Option<GoalAnswer>);

impl Plan {
    /// Creates the plan of an examination without a query file. An examination about each node has
    /// a question per node ([`of_each_node`](Self::of_each_node)), other examinations have one
    /// question with the name of the examination. Returns `None` if the examination
    /// needs a query file, if goals cannot express it, or if a number overflows. For soundness
    /// examinations, it also returns `None` if the net has no final markings or the formula is too
    /// large. On a net with caps, that is, assumed bounds of places, it also returns `None` for
    /// examinations beyond reachability.
    ///
    /// Soundness examinations are about the final markings of the net. Relaxed soundness requires
    /// the net with its firings [counted](parikh_net::counted).
    pub fn of_examination(examination: Examination, net: &Net) -> Option<Plan> {
        if let Some(NodeQuestions { plan, refused }) = Plan::of_each_node(examination, net) {
            return refused.is_empty().then_some(plan);
        }
        let mut plan = Plan::default();
        let (whole, formula) = examinations::examination_formula(examination, net)?;
        let formula = within_caps::adapt_formula(formula, net).ok()?;
        plan.ask(examination.name(), whole, formula);
        plan.set_adapted_to_caps(true);
        Some(plan)
    }

    /// Creates the questions of an examination about each node, in the order of the model's nodes.
    /// Returns `None` for other examinations.
    ///
    /// On a net with caps, that is, assumed bounds of places, all questions of LivenessAll are
    /// refused.
    pub fn of_each_node(examination: Examination, net: &Net) -> Option<NodeQuestions> {
        let NodeQuestions { mut plan, mut refused } = NodeQuestions::default();
        for (node, NodeQuestion { name, query }) in
            node_questions(examination, net)?.into_iter().enumerate()
        {
            match query {
                Ok(NodeQuery::Maximum(goal)) => plan.ask_largest(name, vec![goal]),
                Ok(NodeQuery::Formula(meaning, formula)) => plan.ask(name, meaning, formula),
                Err(reason) => {
                    refused.push((name.to_owned(), reason));
                    continue;
                }
            }
            plan.set_node(Some(node));
            plan.set_adapted_to_caps(true);
        }
        Some(NodeQuestions { plan, refused })
    }

    /// Creates the plan with two questions of the examination StateSpace: the most tokens in a
    /// marking, and the most tokens in a place.
    pub fn of_most_tokens(net: &Net) -> Plan {
        let mut plan = Plan::default();
        if let Ok(all) = LinearSum::new(net.model_places().map(|place| (place, 1))) {
            plan.ask_maximum("MAX_TOKEN_PER_MARKING", all);
        }
        plan.ask_most_in_a_place(net);
        plan
    }

    /// Creates the plan for the most tokens in any place.
    pub fn of_most_in_a_place(net: &Net) -> Plan {
        let mut plan = Plan::default();
        plan.ask_most_in_a_place(net);
        plan
    }

    fn ask_most_in_a_place(&mut self, net: &Net) {
        let places = net.model_places().map(|it| Goal::Maximise(LinearSum::place(it)));
        self.ask_largest("MAX_TOKEN_IN_PLACE", places.collect());
    }

    /// Sets the id of every question to `id`. Meant for a plan with one question.
    pub fn called(mut self, id: &str) -> Plan {
        self.questions.iter_mut().for_each(|question| question.id = id.to_owned());
        self
    }

    /// Creates a plan with a question per goal. The id of a question is the index of its goal.
    /// Duplicate goals stay separate.
    pub fn of_goals(goals: impl IntoIterator<Item = Goal>) -> Plan {
        let mut plan = Plan::default();
        for goal in goals {
            plan.goal_ids_by_hash.clear();
            let id = plan.goals.len().to_string();
            match goal {
                Goal::Maximise(_) => plan.ask_largest(&id, vec![goal]),
                _ => {
                    plan.ask(&id, JointMeaning::Formula, atom(goal, GoalRole::QuestionPart));
                }
            }
        }
        plan
    }

    /// Restricts the runs of all formulas added later to fair runs. Reachability does not change:
    /// every firing sequence can be continued fairly.
    pub fn set_fairness(&mut self, fairness: Fairness) {
        self.fairness = fairness;
    }

    /// Returns the fairness assumption for runs.
    pub fn fairness(&self) -> &Fairness {
        &self.fairness
    }

    /// Adds a formula, in the logic that its syntax determines ([`TemporalLogic::of`]).
    ///
    /// # Errors
    /// If the formula is unsupported: see [`ask_formula_in`](Self::ask_formula_in).
    pub fn ask_formula(
        &mut self,
        id: &str,
        formula: &Formula,
        net: &Net,
    ) -> Result<(), UnsupportedFormula> {
        self.ask_formula_in(id, formula, net, TemporalLogic::of(formula))
    }

    /// Adds a formula, in the given logic.
    ///
    /// # Errors
    /// If goals cannot express the formula, if the formula mixes logics, or if a number is too
    /// large. If a fairness assumption is set and the formula needs CTL. On a net with caps, that
    /// is, assumed bounds of places, also if the formula asks for more than reachability.
    pub fn ask_formula_in(
        &mut self,
        id: &str,
        formula: &Formula,
        net: &Net,
        logic: TemporalLogic,
    ) -> Result<(), UnsupportedFormula> {
        match lower_in(formula, net, logic)? {
            Query::Truth(mut proposition) => {
                if !self.fairness.is_none() {
                    // The added consequences are about all runs, not only fair ones, so they are
                    // dropped.
                    proposition = proposition.without_consequences();
                    let mut has_tree = false;
                    proposition.atoms(&mut |goal| has_tree |= matches!(goal, Goal::Tree(_)));
                    if has_tree {
                        return Err(UnsupportedFormula::FairTree);
                    }
                }
                let formula = proposition.replace(&mut |goal| match goal {
                    Goal::Home(predicate) => examinations::home(predicate.sorted()),
                    Goal::Reach(predicate) => reach_with_parts(predicate.sorted()),
                    Goal::Run(property) => {
                        let property = property.with_fairness(self.fairness.clone());
                        atom(Goal::Run(Box::new(property)), GoalRole::QuestionPart)
                    }
                    goal => atom(goal, GoalRole::QuestionPart),
                });
                let formula = within_caps::adapt_formula(formula, net)?;
                let first = self.goals.len();
                self.ask(id, JointMeaning::Formula, formula);
                (first..self.goals.len()).for_each(|goal| self.aid(GoalId::new(goal), net));
            }
            Query::Largest(goals) => {
                let goals = goals.into_iter().map(|goal| within_caps::largest_of(goal, net));
                self.ask_largest(id, goals.collect::<Result<_, _>>()?);
            }
        }
        self.set_adapted_to_caps(true);
        Ok(())
    }

    /// Records for the question added last the node that it is about: the index of the node among
    /// the places or transitions of the model.
    fn set_node(&mut self, node: Option<usize>) {
        if let Some(question) = self.questions.last_mut() {
            question.node = node;
        }
    }

    /// Records for the question added last if it is adapted to nets with caps.
    fn set_adapted_to_caps(&mut self, is_adapted: bool) {
        if let Some(progress) = self.progress.last_mut() {
            progress.is_adapted_to_caps = is_adapted;
        }
    }

    /// Adds the goals that help to settle `goal`.
    fn aid(&mut self, goal: GoalId, net: &Net) {
        let aids = goal_demand::aids(&self.goals[goal.index()], net);
        if !aids.is_empty() {
            let aids = aids.into_iter().map(|aid| self.goal(aid)).collect();
            self.demand.aid(goal, aids);
        }
    }

    /// Adds the question EF `predicate`.
    pub fn ask_exists(&mut self, id: &str, predicate: Predicate) {
        self.ask(id, JointMeaning::Formula, reach(predicate.sorted()));
    }

    /// Adds the question AG ψ, given its negation ¬ψ.
    pub fn ask_never(&mut self, id: &str, negated: Predicate) {
        self.ask(id, JointMeaning::Formula, reach(negated.sorted()).negated());
    }

    /// Adds the question for the maximum of a sum.
    pub fn ask_maximum(&mut self, id: &str, sum: LinearSum) {
        self.ask_largest(id, vec![Goal::Maximise(sum)]);
    }

    /// Adds the question AG EF `predicate`.
    pub fn ask_home(&mut self, id: &str, predicate: Predicate) {
        self.ask(id, JointMeaning::Formula, examinations::home(predicate.sorted()));
    }

    /// Returns the goals that ask for dead ends. A dead end is a dead marking in which no condition
    /// holds that should stay reachable, or which covers no final marking. A reachable dead end
    /// refutes the home property or the soundness that is asked. The run analyses these goals
    /// first.
    pub fn first(&self) -> &[GoalId] {
        &self.first
    }

    fn ask(&mut self, id: &str, whole: JointMeaning, formula: GoalFormula) {
        let proposition = formula.replace(&mut |(goal, role)| {
            Proposition::Atom(RoledGoal { goal: self.goal(goal), role })
        });
        self.add(id, whole, Query::Truth(proposition));
    }

    fn ask_largest(&mut self, id: &str, goals: Vec<Goal>) {
        let aim = |goal| RoledGoal { goal: self.goal(goal), role: GoalRole::QuestionPart };
        let aims = goals.into_iter().map(aim).collect();
        self.add(id, JointMeaning::Formula, Query::Largest(aims));
    }

    /// Returns the id of a goal, if the plan contains it. Goals added by
    /// [`of_goals`](Self::of_goals) are not found, except the last.
    fn id_of(&self, goal: &Goal) -> Option<GoalId> {
        let same = self.goal_ids_by_hash.get(&self.hasher.hash_one(goal))?;
        same.iter().copied().find(|known| self.goals[known.index()] == *goal)
    }

    /// Returns the id of a goal, which is added unless [`id_of`](Self::id_of) finds it.
    fn goal(&mut self, goal: Goal) -> GoalId {
        if let Some(known) = self.id_of(&goal) {
            return known;
        }
        let id = GoalId::new(self.goals.len());
        self.goal_ids_by_hash.entry(self.hasher.hash_one(&goal)).or_default().push(id);
        self.goals.push(goal);
        self.demand.add();
        self.asking.push(Vec::new());
        id
    }

    fn add(&mut self, id: &str, whole: JointMeaning, query: Query<RoledGoal>) {
        let at = self.questions.len();
        let mut goals = Vec::new();
        query.atoms(&mut |aim| {
            self.demand.add_occurrence(aim.goal);
            let asking = &mut self.asking[aim.goal.index()];
            if asking.last() != Some(&at) {
                asking.push(at);
                goals.push(aim.goal);
            }
            // A goal about a dead end is listed in `first`.
            let is_first = matches!(aim.role, GoalRole::DeadEnd | GoalRole::Stuck);
            if is_first && !self.first.contains(&aim.goal) {
                self.first.push(aim.goal);
            }
        });
        let state = match &query {
            Query::Truth(proposition) => {
                QuestionState::Truth(IncrementalFormula::of(proposition, &mut |goal| {
                    self.demand.remove_occurrence(goal)
                }))
            }
            Query::Largest(_) => QuestionState::Largest(goals.clone()),
        };
        self.progress.push(QuestionProgress {
            is_decided: false,
            assumes_units: false,
            is_adapted_to_caps: false,
            state,
        });
        let (id, node) = (id.to_owned(), None);
        self.questions.push(GoalQuestion { id, query, joint_meaning: whole, node, goals });
    }

    /// Returns all goals, indexed by [`GoalId`].
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Returns the questions in the order of their addition.
    pub fn questions(&self) -> &[GoalQuestion] {
        &self.questions
    }

    /// Returns the undecided questions.
    pub fn open_questions(&self) -> impl Iterator<Item = &GoalQuestion> {
        let all = self.questions.iter().zip(&self.progress);
        all.filter(|(_, progress)| !progress.is_decided).map(|(question, _)| question)
    }

    /// Returns the questions that contain a goal. Some may be decided already.
    pub fn asking(&self, goal: GoalId) -> impl Iterator<Item = &GoalQuestion> {
        self.asking[goal.index()].iter().map(|&at| &self.questions[at])
    }

    /// Decides the questions that have their value without any goal, before any engine starts. An
    /// example is one-safeness of a net without places. Abandons the goals on the board that no
    /// question needs. Calls `decided` for each decided question.
    pub fn begin(&mut self, board: &Board<'_>, mut decided: impl FnMut(QuestionDecision<'_>)) {
        self.demand.begin(board);
        for at in 0..self.questions.len() {
            let is_decided = match &self.progress[at].state {
                QuestionState::Truth(circuit) => circuit.value().is_some(),
                QuestionState::Largest(goals) => goals.is_empty(),
            };
            if is_decided {
                self.decide_by(board, at, None, &mut decided);
            }
        }
    }

    /// Updates the plan after a goal is settled. Calls `decided` for each question that this goal
    /// decides. Abandons the goals on the board that no open question needs any more. Does nothing
    /// if engines contradict each other on the goal. A question for the largest of several maxima
    /// is decided here only if the goal is unbounded.
    ///
    /// One goal may decide many questions, and each answer has a witness of its own. So an answer
    /// is passed on as soon as it exists, and the answers are not collected.
    pub fn settle(
        &mut self,
        board: &Board<'_>,
        settled: GoalId,
        mut decided: impl FnMut(QuestionDecision<'_>),
    ) {
        let Some(knowledge) = board.knowledge(settled) else { return };
        self.demand.settled(board, settled);
        for at in self.asking[settled.index()].clone() {
            if self.progress[at].is_decided {
                continue;
            }
            let is_of_several = self.questions[at].goals.len() > 1;
            match (&mut self.progress[at].state, knowledge.truth()) {
                (QuestionState::Truth(circuit), Some(value)) => {
                    let wanted = &mut self.demand;
                    circuit.settle(settled, value, &mut |goal| wanted.release(board, goal));
                }
                // A question for the largest of several maxima is decided by `decide_open_maxima`,
                // which the run calls regularly.
                (QuestionState::Largest(_), None) if is_of_several && !is_unbounded(&knowledge) => {
                    continue;
                }
                _ => {}
            }
            self.decide_by(board, at, Some(settled), &mut decided);
        }
    }

    /// Decides questions for a largest maximum from bounds of goals that are still open. Calls
    /// `decided` for each decided question.
    pub fn decide_open_maxima(
        &mut self,
        board: &Board<'_>,
        mut decided: impl FnMut(QuestionDecision<'_>),
    ) {
        for at in 0..self.questions.len() {
            let QuestionProgress { is_decided, state, .. } = &self.progress[at];
            if !is_decided && matches!(state, QuestionState::Largest(_)) {
                self.decide_by(board, at, None, &mut decided);
            }
        }
    }

    /// Answers an open question by index if the knowledge on the board decides it: marks the
    /// question as decided, and calls `decided`. `settled` is the goal that was just settled, if
    /// any.
    fn decide_by(
        &mut self,
        board: &Board<'_>,
        at: usize,
        settled: Option<GoalId>,
        decided: &mut impl FnMut(QuestionDecision<'_>),
    ) {
        if let Some(decision) = self.decision(board, at, settled) {
            decided(decision);
        }
    }

    /// Returns an open question with its answer, and marks it as decided. Returns `None` if the
    /// knowledge on the board does not decide the question. `settled` is the goal that was just
    /// settled, if any.
    fn decision(
        &mut self,
        board: &Board<'_>,
        at: usize,
        settled: Option<GoalId>,
    ) -> Option<QuestionDecision<'_>> {
        if board.net().has_caps() && !self.progress[at].is_adapted_to_caps {
            return None;
        }
        let question = &self.questions[at];
        let progress = &mut self.progress[at];
        let wanted = &mut self.demand;
        let answer = match &mut progress.state {
            QuestionState::Truth(circuit) => {
                let value = circuit.value()?;
                let basis = circuit.basis(&|aim| is_kept_by_undoing(board, aim));
                *circuit = IncrementalFormula::default();
                question.truth(board, value, &basis)
            }
            QuestionState::Largest(goals) => {
                let unbounded = settled.and_then(|goal| question.infinite(board, goal));
                let answer = match unbounded {
                    Some(answer) => Some(answer),
                    None => {
                        let (largest, of) = largest(board, question, goals, wanted)?;
                        let largest = within_caps::largest(largest, board.net())?;
                        question.number(board, largest, of)
                    }
                };
                goals.drain(..).for_each(|goal| wanted.release(board, goal));
                answer
            }
        };
        progress.is_decided = true;
        progress.assumes_units = answer.as_ref().is_some_and(|answer| answer.assumes_units);
        Some((question, answer))
    }

    /// Creates the plan for a second run after the model's claim of safe units proves false. The
    /// plan has the undecided questions, and the questions whose answers assume the claim. Also
    /// returns the number of answers that assume the claim.
    pub fn without_unit_claim(&self) -> (Plan, usize) {
        let is_asked = |at: usize| {
            let QuestionProgress { is_decided, assumes_units, .. } = self.progress[at];
            !is_decided || assumes_units
        };
        let revoked = self.progress.iter().filter(|progress| progress.assumes_units).count();
        (self.restricted_to(is_asked), revoked)
    }

    /// Returns the plan without the questions of these ids. All its questions are undecided.
    pub fn without_questions(&self, ids: &HashSet<String>) -> Plan {
        self.restricted_to(|at| !ids.contains(&self.questions[at].id))
    }

    /// Creates a plan of the selected questions (by index) and their goals.
    fn restricted_to(&self, is_asked: impl Fn(usize) -> bool) -> Plan {
        let mut again = Plan::default();
        let goal = |aim: RoledGoal| self.goals[aim.goal.index()].clone();
        let kept_questions = self.questions.iter().enumerate().filter(|(at, _)| is_asked(*at));
        for (at, GoalQuestion { id, query, joint_meaning: whole, .. }) in kept_questions {
            match query.clone() {
                Query::Truth(proposition) => {
                    let formula = proposition.replace(&mut |aim| atom(goal(aim), aim.role));
                    again.ask(id, *whole, formula);
                }
                Query::Largest(aims) => {
                    again.ask_largest(id, aims.into_iter().map(goal).collect());
                }
            }
            again.set_node(self.questions[at].node);
            again.set_adapted_to_caps(self.progress[at].is_adapted_to_caps);
        }
        // The second plan keeps the goals that help to settle its goals (aids).
        for at in 0..again.goals.len() {
            let same = self.id_of(&again.goals[at]);
            if let Some(aids) = same.and_then(|goal| self.demand.aids(goal)) {
                let aids = aids.iter().map(|aid| again.goal(self.goals[aid.index()].clone()));
                let aids = aids.collect();
                again.demand.aid(GoalId::new(at), aids);
            }
        }
        again
    }
}

fn is_unbounded(knowledge: &Knowledge) -> bool {
    matches!(knowledge, Knowledge::Maximum(maximum) if maximum.unbounded.is_some())
}

/// Returns the largest maximum and its goal, once every goal has a proved upper bound of at most
/// the largest value seen. Before, returns `None`. Goals with such a bound, except the goal that
/// has the value, are removed from `open` and released. A question without goals has the maximum 0
/// and no goal.
fn largest(
    board: &Board<'_>,
    question: &GoalQuestion,
    open: &mut Vec<GoalId>,
    wanted: &mut GoalDemand,
) -> Option<(i128, Option<GoalId>)> {
    if question.goals.is_empty() {
        return Some((0, None));
    }
    let seen = question.goals.iter().filter_map(|&id| Some((board.largest_seen(id)?, id)));
    let (largest, of) = seen.max_by_key(|&(seen, id)| (seen, std::cmp::Reverse(id)))?;
    let is_below = |id: GoalId| board.proved(id).is_some_and(|proved| proved <= largest);
    open.retain(|&id| {
        let stays = id == of || !is_below(id);
        if !stays {
            wanted.release(board, id);
        }
        stays
    });
    open.iter().all(|&id| is_below(id)).then_some((largest, Some(of)))
}

#[cfg(test)]
mod tests;
