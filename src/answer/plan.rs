//! Plans: an examination as goals.
//!
//! Formulas that come down to the same goal share it: two that differ in the order of their parts
//! only, and complementary ones, EF φ and AG ¬φ, whose answers are each other's negations. (A goal and
//! its negation need no such care: one of them holds in the initial marking.)

use super::question::{Combination, Question, Standing};
use super::sound;
use crate::board::Board;
use crate::formula::{Formula, ReachabilityQuery, Unsupported, lower};
use crate::mcc::Examination;
use parikh_net::{Goal, GoalId, LinearSum, Net, Predicate};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// The goals of a run and the questions they answer.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    goals: Vec<Goal>,
    questions: Vec<Question>,
    /// Per question its goals that are neither settled nor let go; 0 once it is decided.
    unsettled: Vec<usize>,
    decided: Vec<bool>,
    /// The questions over a range of goals, by its beginning. Ranges are equal or disjoint.
    asking: BTreeMap<usize, Vec<usize>>,
    /// Where the goals of formulas are.
    known: HashMap<Goal, usize>,
    /// Which questions were answered by the model's claim that its units are safe.
    assumed: Vec<bool>,
    /// See [`first`](Self::first).
    first: Vec<GoalId>,
}

impl Plan {
    /// The plan of an examination that needs no query file; `None` for those that do, and for
    /// those that are more than goals.
    ///
    /// Questions of soundness are about the net's one final marking; relaxed soundness wants the net with
    /// its firings [counted](parikh_net::counted).
    pub fn of_examination(examination: Examination, net: &Net) -> Option<Plan> {
        let mut plan = Plan::default();
        let name = examination.name();
        match examination {
            Examination::ReachabilityDeadlock => {
                plan.ask(name, Combination::Exists, vec![Goal::Reach(Predicate::Dead)]);
            }
            Examination::OneSafe | Examination::QuasiLiveness | Examination::StableMarking
                if net.folding().is_some() =>
            {
                let (combination, goals) = coloured_goals(examination, net)?;
                plan.ask(name, combination, goals);
            }
            Examination::OneSafe => {
                let two = |place| Goal::Reach(Predicate::at_least(place, 2));
                plan.ask(name, Combination::NoneReachable, net.places().map(two).collect());
            }
            Examination::QuasiLiveness => {
                let enabled = |t| Goal::Reach(Predicate::Enabled(t));
                plan.ask(name, Combination::AllReachable, net.transitions().map(enabled).collect());
            }
            Examination::Liveness => {
                let enabled: Vec<Predicate> = match net.folding() {
                    None => net.transitions().map(Predicate::Enabled).collect(),
                    // Some binding.
                    Some(folding) => (0..folding.transition_count())
                        .map(|t| Predicate::or(folding.transitions(t).map(Predicate::Enabled)))
                        .collect(),
                };
                plan.ask_stays(name, Combination::Stays, Predicate::Dead, enabled);
            }
            _ if examination.is_about_cases() => {
                let (combination, goals) = sound::plan(examination, net)?;
                if combination == Combination::Sound {
                    plan.first.push(GoalId::new(sound::STUCK));
                }
                plan.ask(name, combination, goals);
            }
            Examination::StableMarking => {
                let changed = |place| {
                    let initially = net.initial()[place];
                    let more = Predicate::at_least(place, initially + 1);
                    let fewer = match initially {
                        0 => Predicate::False,
                        tokens => Predicate::no_more_than(place, tokens - 1),
                    };
                    Goal::Reach(Predicate::or([more, fewer]))
                };
                plan.ask(name, Combination::SomeUnreachable, net.places().map(changed).collect());
            }
            _ => return None,
        }
        Some(plan)
    }

    /// The two figures of a state space that are maxima: the most tokens in a marking and in a place.
    pub fn of_most_tokens(net: &Net) -> Plan {
        let mut plan = Plan::default();
        if let Ok(all) = LinearSum::new(net.places().map(|place| (place, 1))) {
            plan.ask("MAX_TOKEN_PER_MARKING", Combination::Maximum, vec![Goal::Maximise(all)]);
        }
        plan.ask_most_in_a_place(net);
        plan
    }

    /// The most tokens that any place holds.
    pub fn of_most_in_a_place(net: &Net) -> Plan {
        let mut plan = Plan::default();
        plan.ask_most_in_a_place(net);
        plan
    }

    fn ask_most_in_a_place(&mut self, net: &Net) {
        let places = net.places().map(|place| Goal::Maximise(LinearSum::place(place)));
        self.ask("MAX_TOKEN_IN_PLACE", Combination::Largest, places.collect());
    }

    /// The same plan, whose one question is called so.
    pub fn called(mut self, id: &str) -> Plan {
        self.questions.iter_mut().for_each(|question| question.id = id.to_owned());
        self
    }

    /// A question for each of these goals by itself, called by its number: the goal's id.
    pub fn of_goals(goals: impl IntoIterator<Item = Goal>) -> Plan {
        let mut plan = Plan::default();
        for goal in goals {
            let combination = match goal {
                Goal::Reach(_) => Combination::Exists,
                Goal::Maximise(_) => Combination::Maximum,
                Goal::Home(_) => Combination::Stays,
            };
            plan.ask(&plan.goals.len().to_string(), combination, vec![goal]);
        }
        plan
    }

    /// Adds a formula as it is written.
    ///
    /// # Errors
    /// Why it cannot be answered: it is no reachability question, or names what `net` does not have.
    pub fn ask_formula(
        &mut self,
        id: &str,
        formula: &Formula,
        net: &Net,
    ) -> Result<(), Unsupported> {
        match lower(formula, net)? {
            ReachabilityQuery::Possible(predicate) => self.ask_exists(id, predicate),
            ReachabilityQuery::Never(predicate) => self.ask_never(id, predicate),
            ReachabilityQuery::Bound(sum) => self.ask_maximum(id, sum),
            ReachabilityQuery::Home(predicate) => self.ask_home(id, predicate, true),
            ReachabilityQuery::NoHome(predicate) => self.ask_home(id, predicate, false),
            ReachabilityQuery::Initially(predicate) => {
                let holds = predicate.holds(net, net.initial());
                self.ask_exists(id, Predicate::constant(holds));
            }
        }
        Ok(())
    }

    /// Adds EF φ.
    pub fn ask_exists(&mut self, id: &str, predicate: Predicate) {
        self.ask_one(id, Combination::Exists, Goal::Reach(predicate.sorted()));
    }

    /// Adds AG ψ, given φ = ¬ψ.
    pub fn ask_never(&mut self, id: &str, negated: Predicate) {
        self.ask_one(id, Combination::Never, Goal::Reach(negated.sorted()));
    }

    /// Adds the maximum of a sum.
    pub fn ask_maximum(&mut self, id: &str, sum: LinearSum) {
        self.ask_one(id, Combination::Maximum, Goal::Maximise(sum));
    }

    /// Adds AG EF φ, or its negation.
    pub fn ask_home(&mut self, id: &str, predicate: Predicate, holds: bool) {
        let combination = if holds { Combination::Stays } else { Combination::Lost };
        let dead_end = Predicate::and([Predicate::Dead, predicate.clone().negated()]);
        self.ask_stays(id, combination, dead_end, vec![predicate]);
    }

    /// Adds that each of `wanted` stays reachable wherever the net goes. In a dead end none of them
    /// holds.
    fn ask_stays(
        &mut self,
        id: &str,
        combination: Combination,
        dead_end: Predicate,
        wanted: Vec<Predicate>,
    ) {
        if wanted.is_empty() {
            return self.ask(id, combination, Vec::new());
        }
        self.first.push(GoalId::new(self.goals.len()));
        let possible = wanted.iter().cloned().map(Goal::Reach);
        let homes = wanted.iter().cloned().map(Goal::Home);
        self.ask(
            id,
            combination,
            [Goal::Reach(dead_end)].into_iter().chain(possible).chain(homes).collect(),
        );
    }

    /// The goals that are worth a try by themselves before the others have their turn: dead ends, which
    /// refute most of what should stay reachable.
    pub fn first(&self) -> &[GoalId] {
        &self.first
    }

    fn ask_one(&mut self, id: &str, combination: Combination, goal: Goal) {
        match self.known.get(&goal) {
            Some(&at) => self.ask_for(id, combination, at..at + 1),
            None => {
                self.known.insert(goal.clone(), self.goals.len());
                self.ask(id, combination, vec![goal]);
            }
        }
    }

    fn ask(&mut self, id: &str, combination: Combination, goals: Vec<Goal>) {
        let range = self.goals.len()..self.goals.len() + goals.len();
        self.goals.extend(goals);
        self.ask_for(id, combination, range);
    }

    fn ask_for(&mut self, id: &str, combination: Combination, range: Range<usize>) {
        self.unsettled.push(range.len());
        self.decided.push(false);
        self.assumed.push(false);
        if !range.is_empty() {
            self.asking.entry(range.start).or_default().push(self.questions.len());
        }
        self.questions.push(Question { id: id.to_owned(), combination, goals: range });
    }

    /// All goals in order; a [`GoalId`] is the position in this list.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// The questions in the order they were asked.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// The questions without a decision yet.
    pub fn open_questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().zip(&self.decided).filter(|(_, decided)| !**decided).map(|(q, _)| q)
    }

    /// The questions that ask for a goal, one or more of which may be decided already.
    pub fn asking(&self, goal: GoalId) -> impl Iterator<Item = &Question> {
        self.asking_at(goal).iter().map(|&at| &self.questions[at])
    }

    fn asking_at(&self, goal: GoalId) -> &[usize] {
        let last = self.asking.range(..=goal.index()).next_back();
        last.map_or(&[], |(_, questions)| questions)
    }

    /// Takes note of a settled goal. The questions that this decides, with their answers; the goals
    /// that they do not need any more are abandoned on the board.
    pub fn settle(&mut self, board: &Board<'_>, settled: GoalId) -> Vec<(&Question, Standing)> {
        let mut decided = Vec::new();
        for at in self.asking_at(settled).to_vec() {
            if self.decided[at] {
                continue;
            }
            self.unsettled[at] = self.unsettled[at].saturating_sub(1);
            let standing = self.questions[at].standing(board, settled, self.unsettled[at]);
            self.decide(board, at, standing, &mut decided);
        }
        decided.into_iter().map(|(at, standing)| (&self.questions[at], standing)).collect()
    }

    /// The questions that are decided by what is known of goals that are not settled, with their answers.
    pub fn look(&mut self, board: &Board<'_>) -> Vec<(&Question, Standing)> {
        let mut decided = Vec::new();
        for at in 0..self.questions.len() {
            if self.decided[at] || self.questions[at].combination != Combination::Largest {
                continue;
            }
            let standing = self.questions[at].largest(board);
            self.decide(board, at, standing, &mut decided);
        }
        decided.into_iter().map(|(at, standing)| (&self.questions[at], standing)).collect()
    }

    /// Writes down how the question at `at` stands, if that is not open.
    fn decide(
        &mut self,
        board: &Board<'_>,
        at: usize,
        standing: Standing,
        decided: &mut Vec<(usize, Standing)>,
    ) {
        if let Standing::Open = standing {
            return;
        }
        self.decided[at] = true;
        self.assumed[at] = matches!(&standing, Standing::Answered(answer) if answer.assumes_units);
        // Questions that share goals have one goal each, which is settled.
        self.questions[at].goal_ids().for_each(|goal| board.abandon(goal));
        decided.push((at, standing));
    }

    /// What is to be asked again when the model's claim of safe units proves false: the questions
    /// without a decision and those that the claim answered; and how many the latter are.
    pub fn without_unit_claim(&self) -> (Plan, usize) {
        let again = self.again(|at| !self.decided[at] || self.assumed[at]);
        (again, self.assumed.iter().filter(|&&assumed| assumed).count())
    }

    /// The questions that are not called so, all undecided.
    pub fn without(&self, ids: &HashSet<String>) -> Plan {
        self.again(|at| !ids.contains(&self.questions[at].id))
    }

    /// Some of the questions, by their number, and the goals of these.
    fn again(&self, is_asked: impl Fn(usize) -> bool) -> Plan {
        let mut again = Plan::default();
        for (at, question) in self.questions.iter().enumerate() {
            if is_asked(at) {
                match &self.goals[question.goals.clone()] {
                    [goal] => again.ask_one(&question.id, question.combination, goal.clone()),
                    goals => {
                        use Combination::{Lost, Sound, Stays};
                        if matches!(question.combination, Stays | Lost | Sound) {
                            again.first.push(GoalId::new(again.goals.len()));
                        }
                        again.ask(&question.id, question.combination, goals.to_vec());
                    }
                }
            }
        }
        again
    }

    /// The answers of questions without a single goal, such as one-safe on a net without places.
    pub fn vacuous(&mut self) -> Vec<super::Answer> {
        let mut answers = Vec::new();
        for (at, question) in self.questions.iter().enumerate() {
            if !question.goals.is_empty() || self.decided[at] {
                continue;
            }
            self.decided[at] = true;
            let value = match question.combination {
                Combination::Largest => super::Value::Number(0),
                // Liveness of no transition among them.
                combination => super::Value::Bool(combination != Combination::SomeUnreachable),
            };
            answers.push(super::Answer {
                id: question.id.clone(),
                value,
                techniques: vec!["TOPOLOGICAL"],
                reason: "the net has no such node".to_owned(),
                assumes_units: false,
                grade: super::Grade::Replayed,
                rests_on: 0..0,
                witness: None,
                loops: None,
                pump: None,
            });
        }
        answers
    }
}

/// The goals of an examination about the nodes of a coloured net, on its unfolding: a place holds
/// what its colours hold together, and a transition can fire when some binding can.
fn coloured_goals(examination: Examination, net: &Net) -> Option<(Combination, Vec<Goal>)> {
    let folding = net.folding()?;
    // One term per colour, of which there are fewer than 2³².
    let tokens =
        |place: usize| LinearSum::new(folding.places(place).map(|colour| (colour, 1))).ok();
    let places = 0..folding.place_count();
    let goals: Option<Vec<Goal>> = match examination {
        Examination::OneSafe => places
            .map(|place| Some(Predicate::at_most(tokens(place)?.negated(), -2)))
            .map(|two| two.map(Goal::Reach))
            .collect(),
        Examination::StableMarking => places
            .map(|place| {
                let sum = tokens(place)?;
                let initially = i64::try_from(sum.value(net.initial())).ok()?;
                let fewer = match initially {
                    0 => Predicate::False,
                    tokens => Predicate::at_most(sum.clone(), tokens - 1),
                };
                let more = Predicate::at_most(sum.negated(), -initially.checked_add(1)?);
                // A place without colours is one that never holds a token.
                let changed = match sum.is_zero() {
                    true => Predicate::False,
                    false => Predicate::or([more, fewer]),
                };
                Some(Goal::Reach(changed))
            })
            .collect(),
        _ => (0..folding.transition_count())
            .map(|t| Predicate::or(folding.transitions(t).map(Predicate::Enabled)))
            .map(|enabled| Some(Goal::Reach(enabled)))
            .collect(),
    };
    let combination = match examination {
        Examination::OneSafe => Combination::NoneReachable,
        Examination::StableMarking => Combination::SomeUnreachable,
        _ => Combination::AllReachable,
    };
    Some((combination, goals?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{Answer, Value};
    use crate::board::Proof;
    use parikh_net::{FiringSequence, text};

    fn net() -> Net {
        text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p").unwrap()
    }

    fn answer(plan: &mut Plan, board: &Board<'_>, goal: usize) -> Option<Answer> {
        match plan.settle(board, GoalId::new(goal)).pop() {
            Some((_, Standing::Answered(answer))) => Some(*answer),
            _ => None,
        }
    }

    fn proof() -> Proof {
        Proof::searched(2, false)
    }

    #[test]
    fn quasi_liveness_needs_all_and_fails_with_one() {
        let net = net();
        let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        let t = net.transition_named("t").unwrap();
        board.under("W").reached(GoalId::new(0), FiringSequence::new());
        assert!(answer(&mut plan, &board, 0).is_none());
        board.under("W").reached(GoalId::new(1), [t].into_iter().collect());
        let all = answer(&mut plan, &board, 1).unwrap();
        assert_eq!((all.value, all.techniques), (Value::Bool(true), vec!["W"]));

        let mut plan = Plan::of_examination(Examination::QuasiLiveness, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        board.over("X").unreachable(GoalId::new(1), proof());
        let one = answer(&mut plan, &board, 1).unwrap();
        assert_eq!(one.value, Value::Bool(false));
        assert!(one.reason.contains("transition `u`"), "{}", one.reason);
        assert_eq!(board.open_count(), 0);
    }

    #[test]
    fn one_safe_needs_all_refuted_and_stable_marking_one() {
        let net = net();
        let mut plan = Plan::of_examination(Examination::OneSafe, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        board.over("X").unreachable(GoalId::new(0), proof());
        assert!(answer(&mut plan, &board, 0).is_none());
        board.over("X").unreachable(GoalId::new(1), proof());
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(true));

        let mut plan = Plan::of_examination(Examination::StableMarking, &net).unwrap();
        let board = Board::new(&net, plan.goals().to_vec());
        let t = net.transition_named("t").unwrap();
        for goal in 0..2 {
            board.under("W").reached(GoalId::new(goal), [t].into_iter().collect());
        }
        assert!(answer(&mut plan, &board, 0).is_none());
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(false));
    }

    #[test]
    fn formulas_and_maxima_answer_by_their_one_goal() {
        let net = net();
        let q = net.place_named("q").unwrap();
        let t = net.transition_named("t").unwrap();
        let mut plan = Plan::default();
        plan.ask_exists("ef", Predicate::at_least(q, 1));
        plan.ask_never("ag", Predicate::at_least(q, 2).negated());
        plan.ask_maximum("max", LinearSum::place(q));
        let board = Board::new(&net, plan.goals().to_vec());
        for goal in 0..3 {
            board.under("W").reached(GoalId::new(goal), [t].into_iter().collect());
        }
        board.over("X").at_most(GoalId::new(2), 1, proof());
        assert_eq!(answer(&mut plan, &board, 0).unwrap().value, Value::Bool(true));
        assert_eq!(answer(&mut plan, &board, 1).unwrap().value, Value::Bool(false));
        let max = answer(&mut plan, &board, 2).unwrap();
        assert_eq!((max.value, max.techniques), (Value::Number(1), vec!["W", "X"]));
        assert_eq!(plan.open_questions().count(), 0);
    }

    #[test]
    fn formulas_with_the_same_goal_share_it_and_are_all_answered() {
        let net = net();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let t = net.transition_named("t").unwrap();
        let [in_p, in_q] = [p, q].map(|place| Predicate::at_least(place, 1));
        let mut plan = Plan::default();
        plan.ask_exists("one", Predicate::or([in_q.clone(), Predicate::at_least(p, 2)]));
        plan.ask_maximum("max", LinearSum::place(q));
        plan.ask_never("complement", Predicate::or([Predicate::at_least(p, 2), in_q]));
        plan.ask_maximum("again", LinearSum::place(q));
        plan.ask_exists("another", in_p);
        assert_eq!(plan.goals().len(), 3);
        let board = Board::new(&net, plan.goals().to_vec());
        board.under("W").reached(GoalId::new(0), [t].into_iter().collect());
        let answers: Vec<_> = plan
            .settle(&board, GoalId::new(0))
            .into_iter()
            .map(|(question, standing)| match standing {
                Standing::Answered(answer) => (question.id.clone(), answer.value),
                other => panic!("{other:?}"),
            })
            .collect();
        let expected = [("one", true), ("complement", false)];
        assert_eq!(answers, expected.map(|(id, value)| (id.to_owned(), Value::Bool(value))));
        assert!(plan.settle(&board, GoalId::new(0)).is_empty());
        let asking: Vec<_> = plan.asking(GoalId::new(1)).map(|question| &question.id).collect();
        assert_eq!(asking, ["max", "again"]);
        assert_eq!(plan.open_questions().count(), 3);
    }

    #[test]
    fn a_net_of_nothing_is_vacuously_safe_and_quasi_live_but_has_no_stable_place() {
        let net = text::parse("").unwrap();
        for (examination, value) in [
            (Examination::OneSafe, true),
            (Examination::QuasiLiveness, true),
            (Examination::StableMarking, false),
        ] {
            let mut plan = Plan::of_examination(examination, &net).unwrap();
            let answers = plan.vacuous();
            assert_eq!(answers[0].value, Value::Bool(value), "{examination}");
        }
    }
}
