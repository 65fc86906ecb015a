//! Bounded model checking: is the goal reached in k steps, for k = 0, 1, 2, …?
//!
//! The net is unrolled in propositions ([`parikh_encodings::propositional`]), in steps of many transitions
//! each, and with the components that place invariants show and units claim. Each round adds a step to the same
//! solver, and asks whether the last marking satisfies the goal.
//!
//! It only ever finds witnesses. Steps are fewer than firings, so that witnesses of processes side by side are found
//! sooner; they are not the shortest.

use super::decide::{Decide, End};
use super::solver::Lesson;
use super::terms::Terms;
use parikh_encodings::propositional::components::Component;
use parikh_encodings::propositional::{Ends, Firing, Known, TooManyValues, Unrolled, Values};
use parikh_net::Predicate;
use parikh_solvers::Budget;
use parikh_solvers::sat::{SatAnswer, SatSolver};
use parikh_solvers::sat_batsat::BatSat;

/// At work on one question.
pub(super) struct Bmc<'n> {
    terms: Terms<'n>,
    predicate: Predicate,
    sat: BatSat,
    unrolled: Unrolled<'n>,
    /// Whether the goal was asked of the last marking.
    asked: bool,
    questions: u64,
}

impl<'n> Decide<'n> for Bmc<'n> {
    const FINDS: &'static str = "steps";

    fn new(terms: Terms<'n>, predicate: Predicate) -> Self {
        let net = terms.net;
        let mut sat = BatSat::new();
        let flows = terms.rows().filter(|&(term, _)| terms.is_flow(term));
        let mut components = Component::of_flows(net, flows.map(|(_, sum)| sum));
        if terms.assumes_units {
            components.extend(Component::of_units(net));
        }
        let end = |end: Option<i128>| end.and_then(|tokens| u64::try_from(tokens).ok());
        let ends = |p: usize| -> Ends { (end(terms.low(p)).unwrap_or(0), end(terms.high(p))) };
        let ends = (0..net.place_count()).map(ends).collect();
        let (values, firing) = (Values::OneOfN, Firing::Steps);
        let unrolled = Unrolled::new(net, ends, components, values, firing, &mut sat);
        Bmc { terms, predicate, sat, unrolled, asked: false, questions: 0 }
    }

    fn run(&mut self, budget: &Budget) -> End {
        loop {
            if !self.asked {
                let assumed = match self.unrolled.goal(&self.predicate, &mut self.sat) {
                    Err(TooManyValues) => return End::NoMore(TooManyValues::WHY),
                    Ok(Known::Is(false)) => None,
                    Ok(Known::Is(true)) => Some(Vec::new()),
                    Ok(Known::Open(goal)) => Some(vec![goal]),
                };
                self.questions += 1;
                match assumed.map(|assumed| self.sat.solve(&assumed, budget)) {
                    Some(SatAnswer::NoAnswer(_)) => return End::Unfinished,
                    Some(SatAnswer::Satisfiable(values)) => {
                        return End::Reached(self.unrolled.fired(&values));
                    }
                    Some(SatAnswer::Unsatisfiable { .. }) | None => self.asked = true,
                }
            }
            if budget.is_exhausted() {
                return End::Unfinished;
            }
            if let Err(TooManyValues) = self.unrolled.unroll(&mut self.sat) {
                return End::NoMore(TooManyValues::WHY);
            }
            self.asked = false;
        }
    }

    fn predicate(&self) -> &Predicate {
        &self.predicate
    }

    fn into_parts(self) -> (Terms<'n>, Vec<Lesson>) {
        (self.terms, Vec::new())
    }

    fn so_far(&self) -> (u64, u64) {
        (self.unrolled.steps() as u64, self.questions)
    }
}
