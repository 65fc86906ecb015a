//! The session of the state equation in the portfolio: keeps its program, lemmas and traps between
//! slices.

use super::{Engine, SliceProgress, StateEquationConfig};
use crate::{Assignment, Hint, Role, Session, Sides, Takes, Task};
use parikh_solvers::Budget;

/// The registry entry of the engine.
pub const ENGINE: crate::Engine = crate::Engine {
    name: "state equation",
    technique: "STATE_EQUATION",
    sides: Sides::Over,
    role: Role::Slices,
    takes: Takes::MARKINGS,
    start: |work| {
        let config = StateEquationConfig {
            // On a derived net the dumped files would claim to be about the original net.
            dump: work.dump.clone().filter(|_| work.ground.parent().is_none()),
            ..StateEquationConfig::default()
        };
        let (net, facts) = (work.ground.net(), work.ground.facts());
        let engine = Engine::with_facts(net, facts, work.ground.goals(), &config);
        let engine = engine.map_err(|error| error.to_string())?;
        Ok(Box::new(Equation { work, engine }))
    },
};

struct Equation<'g> {
    work: Assignment<'g>,
    engine: Engine<'g>,
}

impl Session for Equation<'_> {
    fn slice(&mut self, budget: &Budget) -> SliceProgress {
        let Assignment { ground, board, seed, .. } = self.work;
        let task = Task::on(ground, board, budget, seed);
        self.engine.slice(budget, &task, board.over("STATE_EQUATION").on(ground))
    }

    fn deepen(&mut self) -> bool {
        let Assignment { ground, board, seed, .. } = self.work;
        let unlimited = Budget::unlimited();
        self.engine.deepen(&Task::on(ground, board, &unlimited, seed))
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
