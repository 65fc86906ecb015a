//! A row [in propositions](parikh_encodings::propositional), and the SAT solver of this program.
//!
//! Steps are of many firings, and components of place invariants and units are one of n: of the
//! ways to make tokens bits that finds most (`benchmarks/results/encodings.md`). A place without a
//! bound has no more values than can be written down; what needs more is not found.

use super::{Extended, Row, Said};
use crate::engine::Assignment;
use crate::structure::intervals::Intervals;
use parikh_encodings::encoding::TooManyValues;
use parikh_encodings::propositional::components::SafeComponent;
use parikh_encodings::propositional::{
    MaybeLiteral, StepSemantics, TokenEncoding, TokenRange, Unrolling,
};
use parikh_net::{GoalId, Net, Predicate, Provenance};
use parikh_solvers::Budget;
use parikh_solvers::cnf::{Clauses, Literal};
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;
use std::collections::BTreeMap;
use std::time::Duration;

/// So many literals in clauses may be written down, about 200 MB with what the solver makes of
/// them.
const MOST_LITERALS: usize = 12_000_000;

/// One step of more is nothing that can be waited for.
const MOST_OF_A_STEP: usize = 2_000_000;

/// See the module.
pub(super) struct Propositions<'g> {
    net: &'g Net,
    told: CountingSolver,
    unrolled: Unrolling<'g>,
    /// Of each goal what was asked last: after how many steps, and the literal.
    asked: BTreeMap<GoalId, (usize, Predicate, MaybeLiteral)>,
    questions: u64,
}

/// The solver, and how much it was told.
struct CountingSolver {
    sat: BatSat,
    literals: usize,
}

impl Clauses for CountingSolver {
    fn variable(&mut self) -> Literal {
        self.sat.variable()
    }

    fn clause(&mut self, clause: &[Literal]) {
        self.literals += clause.len() + 1;
        self.sat.clause(clause);
    }
}

impl<'g> Propositions<'g> {
    /// The initial marking.
    pub(super) fn new(work: &Assignment<'g>) -> Self {
        let (net, facts) = (work.ground.net(), work.ground.facts());
        // Nobody speaks for the units of a derived net.
        let claimed = work.ground.parent().is_none() && work.board.breach().is_none();
        let rests_on = if claimed { Provenance::UnitsClaimed } else { Provenance::PROVED };
        let intervals = Intervals::new(net, facts);
        let level = intervals.within(rests_on);
        let ends = net.places().map(|p| -> TokenRange { (level.low(p), level.high(p)) }).collect();
        let mut components = SafeComponent::of_flows(net, &facts.flows);
        if claimed {
            components.extend(SafeComponent::of_units(net));
        }
        let mut told = CountingSolver { sat: BatSat::new(), literals: 0 };
        let (values, firing) = (TokenEncoding::OneOfN, StepSemantics::Steps);
        let unrolled = Unrolling::new(net, ends, components, values, firing, &mut told);
        let (unrolled, asked) = (unrolled.within_range(), BTreeMap::new());
        Propositions { net, told, unrolled, asked, questions: 0 }
    }
}

impl Propositions<'_> {
    /// What follows from the last marking satisfying the predicate, written down once.
    fn goal(&mut self, id: GoalId, predicate: &Predicate) -> Result<MaybeLiteral, TooManyValues> {
        let steps = self.unrolled.steps();
        match self.asked.get(&id) {
            Some((then, asked, goal)) if *then == steps && asked == predicate => Ok(*goal),
            _ => {
                let atoms = predicate.to_atoms(self.net);
                let goal = self.unrolled.goal(&atoms, &mut self.told)?;
                self.asked.insert(id, (steps, predicate.clone(), goal));
                Ok(goal)
            }
        }
    }
}

impl Row for Propositions<'_> {
    const NAME: &'static str = "bmc";
    const FIRST_SLICE: (Duration, Duration) =
        (Duration::from_millis(5), Duration::from_millis(100));

    /// 1, 2, 3, 4, 6, 9, …: a row that is much longer than needed takes much longer.
    fn longer(steps: usize) -> usize {
        steps + (steps / 2).max(1)
    }

    fn steps(&self) -> usize {
        self.unrolled.steps()
    }

    fn extend_to(&mut self, steps: usize, budget: &Budget) -> Extended {
        while self.unrolled.steps() < steps {
            if budget.is_exhausted() {
                return Extended::InPart;
            }
            let more = self.unrolled.literals_of_a_step();
            if more > MOST_OF_A_STEP || self.told.literals + more > MOST_LITERALS {
                let steps = self.unrolled.steps();
                return Extended::TooLong(format!("more than {steps} steps take too many clauses"));
            }
            if let Err(TooManyValues) = self.unrolled.unroll(&mut self.told) {
                return Extended::TooLong(TooManyValues::WHY.to_owned());
            }
        }
        Extended::ToTheEnd
    }

    fn ask(&mut self, id: GoalId, predicate: &Predicate, budget: &Budget) -> Said {
        // The last step may have taken more than was thought; goals have room all the same.
        if self.told.literals > MOST_LITERALS + MOST_OF_A_STEP {
            return Said::Never("what is asked takes too many clauses".to_owned());
        }
        let assumed = match self.goal(id, predicate) {
            // With more steps it has as many values, or more.
            Err(TooManyValues) => return Said::Never(TooManyValues::WHY.to_owned()),
            Ok(MaybeLiteral::Is(false)) if self.unrolled.is_stable() => {
                let why = match self.unrolled.is_narrowed() {
                    true => "no more than 65 values of a place are looked at",
                    false => "no number of steps leads to such numbers of tokens",
                };
                return Said::Never(why.to_owned());
            }
            Ok(MaybeLiteral::Is(false)) => return Said::NotWithin,
            Ok(MaybeLiteral::Is(true)) => Vec::new(),
            Ok(MaybeLiteral::Open(goal)) => vec![goal],
        };
        self.questions += 1;
        match self.told.sat.solve(&assumed, budget) {
            SatAnswer::NoAnswer(_) => Said::Unfinished,
            SatAnswer::Unsatisfiable { .. } => Said::NotWithin,
            SatAnswer::Satisfiable(values) => Said::Reached(Some(self.unrolled.fired(&values))),
        }
    }

    fn statistics(&self) -> String {
        let Propositions { unrolled, told, questions, .. } = self;
        format!("{} steps of {} literals, {questions} questions", unrolled.steps(), told.literals)
    }
}
