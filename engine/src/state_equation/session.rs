//! The session of the state equation in the portfolio: keeps its program, lemmas and traps between
//! slices.

use super::{Engine, SliceProgress, StateEquationConfig};
use crate::{Assignment, Hint, ResultKinds, Role, Session, SupportedGoals, Task};
use parikh_solvers::Budget;

/// The registry entry of the engine.
pub const ENGINE: crate::Engine = crate::Engine {
    name: "state equation",
    technique: "STATE_EQUATION",
    result_kinds: ResultKinds::Proofs,
    role: Role::Slices,
    supported: SupportedGoals::MARKINGS,
    start: |work| {
        let config = StateEquationConfig {
            // On a derived net nothing is dumped, because the headers of the files describe goals
            // of the original net.
            dump: work.dump.clone().filter(|_| work.working_net.parent().is_none()),
            ..StateEquationConfig::default()
        };
        let (net, facts) = (work.working_net.net(), work.working_net.facts());
        let engine = Engine::with_facts(net, facts, work.working_net.goals(), &config);
        let engine = engine.map_err(|error| error.to_string())?;
        Ok(Box::new(StateEquationSession { work, engine }))
    },
};

struct StateEquationSession<'g> {
    work: Assignment<'g>,
    engine: Engine<'g>,
}

impl Session for StateEquationSession<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let Assignment { working_net, board, seed, .. } = self.work;
        let task = Task::on(working_net, board, budget, seed);
        self.engine.slice(budget, &task, board.proof_reporter("STATE_EQUATION").on(working_net))
    }

    fn deepen(&mut self) -> bool {
        let Assignment { working_net, board, seed, .. } = self.work;
        let unlimited = Budget::unlimited();
        self.engine.deepen(&Task::on(working_net, board, &unlimited, seed))
    }

    fn candidates(&self) -> Vec<Hint> {
        let open = |goal| self.work.board.is_open(goal);
        let candidates = self.engine.candidates().filter(|candidate| open(candidate.goal));
        candidates.map(|found| Hint { goal: found.goal, firings: found.firings }).collect()
    }

    fn statistics(&self) -> String {
        self.engine.statistics().to_string()
    }
}
