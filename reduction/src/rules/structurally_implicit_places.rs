//! The search for structurally implicit places, a case of [implicit
//! places](parikh_evidence::reduction::rules::implicit_places) in which a linear program finds the
//! multiplicities.
//!
//! ```text
//! # deadlock
//! place a 2
//! place b
//! place c
//! place half 1
//! transition s: 2*a -> 2*b + half
//! transition r: 2*b -> 2*c
//! transition t: 2*c + half -> 2*a
//! # becomes
//! place a 2
//! place b
//! place c
//! transition s: 2*a -> 2*b
//! transition r: 2*b -> 2*c
//! transition t: 2*c -> 2*a
//! ```
//!
//! Twice half is never less than b + c, and t takes 2 of c where it takes one of half.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! One matrix, with a row per effect, a row for the input arcs of each transition, and a column per
//! place. For each changed place with at most [`MAX_ARCS_OF_PLACE`] arcs, a linear program on this
//! matrix minimises the sum of multiplicities; only the bounds of the rows of its transitions
//! differ. Each solve continues from the last one. The check reads the arcs of all places of the
//! candidate, in integers.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::multipliers::{MAX_ARCS, MultiplicityProgram, arc_count, integer_guesses};
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WorkNet};
use parikh_net::{Arc, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp_for_hints;
use std::collections::HashMap;

/// Limit on the number of arcs of a place. Places with more arcs are skipped.
const MAX_ARCS_OF_PLACE: usize = 16;

/// The search for places that a weighted sum of other places makes implicit, or determines exactly.
#[derive(Default)]
pub(super) struct StructurallyImplicitPlaces {
    /// The time limit of the current batch; `None` before the first batch.
    budget: Option<Budget>,
    /// For the rule [redundant places](parikh_evidence::reduction::rules::redundant_places), by
    /// which a sum of other places must determine the tokens exactly: the places that are not
    /// removed. `None` for the rule [implicit
    /// places](parikh_evidence::reduction::rules::implicit_places).
    kept_if_exact: Option<Vec<PlaceId>>,
}

impl StructurallyImplicitPlaces {
    /// Creates the search for places whose tokens other places determine exactly. The places in
    /// `protected_places` are not removed.
    pub(super) fn exactly(protected_places: Vec<PlaceId>) -> Self {
        StructurallyImplicitPlaces { budget: None, kept_if_exact: Some(protected_places) }
    }
}

impl CandidateSearch for StructurallyImplicitPlaces {
    fn set_time_limit(&mut self, slice: Budget) {
        self.budget = Some(slice);
    }

    fn find(&mut self, net: &WorkNet, dirty: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let Some(slice) = &self.budget else { return };
        if arc_count(net) > MAX_ARCS {
            return;
        }
        let mut removable = dirty.places_around(net);
        removable.retain(|&p| {
            let arcs = net.consumer_count(p) + net.producer_count(p);
            let is_kept = self.kept_if_exact.as_ref().is_some_and(|kept| kept.contains(&p));
            let is_removable = self.kept_if_exact.is_some() || net.consumer_count(p) > 0;
            !net.in_support(p) && !is_kept && is_removable && arcs <= MAX_ARCS_OF_PLACE
        });
        if removable.is_empty() {
            return;
        }
        // The program is refused only beyond 64 bits or 2³² nodes; then nothing is found.
        let Ok(mut search) =
            LinearImplicitPlaceSearch::new(net, &removable, self.kept_if_exact.is_some())
        else {
            return;
        };
        for p in removable {
            if slice.is_exhausted() {
                return;
            }
            candidates.extend(search.search(p, slice).unwrap_or_default());
        }
    }
}

/// A linear program, adapted to one place p after the other. Its solution is a weighted sum of
/// other places that makes p implicit or determines the tokens of p exactly.
struct LinearImplicitPlaceSearch<'n> {
    net: &'n WorkNet,
    /// The program's solver.
    lp: Box<dyn IncrementalLp>,
    /// The columns of places and the rows of effects.
    effects: MultiplicityProgram,
    /// For each consumer t of a removable place, the row Σ y(q)·(pre(t,q) − m₀(q)). It expresses
    /// condition (3) of implicit places.
    consumer_rows: HashMap<TransitionId, Row>,
    /// Returns the interval for the change of the sum by a firing, given the change of p: exactly
    /// this change for redundant places, at most this change for implicit places.
    interval_of: fn(i64) -> Interval,
}

impl<'n> LinearImplicitPlaceSearch<'n> {
    fn new(net: &'n WorkNet, removable: &[PlaceId], exactly: bool) -> Result<Self, ProgramError> {
        let within: fn(i64) -> Interval =
            if exactly { Interval::exactly } else { Interval::at_most };
        let mut effects = MultiplicityProgram::new(net, Interval::NON_NEGATIVE, within(0))?;
        let mut program =
            std::mem::replace(&mut effects.program, LinearProgram::new(Sense::Minimise));
        program.set_objective(
            Sense::Minimise,
            effects.places.iter().map(|&p| (effects.column(p), 1)),
        )?;
        let tokens = program.add_column(Interval::NON_NEGATIVE)?;
        // Tokens and weights are below 2⁶³.
        let marked = effects.places.iter().map(|&p| (effects.column(p), net.tokens(p) as i64));
        program.add_row(Interval::exactly(0), marked.chain([(tokens, -1)]))?;
        let mut needs = HashMap::new();
        for t in removable.iter().flat_map(|&p| net.consumers(p)) {
            if needs.contains_key(&t) {
                continue;
            }
            let input_term = |arc: &Arc| (effects.column(arc.place), arc.weight as i64);
            let row = net.pre(t).iter().map(input_term).chain([(tokens, -1)]);
            needs.insert(t, program.add_row(Interval::FREE, row)?);
        }
        Ok(LinearImplicitPlaceSearch {
            net,
            lp: incremental_lp_for_hints(program),
            effects,
            consumer_rows: needs,
            interval_of: within,
        })
    }

    /// Returns candidates that probably remove `p`, or none if the program has no optimum. If it
    /// has an optimum, the multiplicity of `p` remains fixed at 0, so no sum for a later place
    /// contains `p`.
    fn search(&mut self, p: PlaceId, budget: &Budget) -> Result<Vec<Candidate>, ProgramError> {
        let net = self.net;
        let adjacent = net.neighbours(p);
        self.lp.set_column_bounds(self.effects.column(p), Interval::exactly(0))?;
        for &t in &adjacent {
            if let Some(row) = self.effects.row(t) {
                self.lp.set_row_bounds(row, (self.interval_of)(net.effect(t, p)))?;
            }
        }
        for t in net.consumers(p) {
            // Both numbers are below 2⁶³.
            let shortage = net.pre_weight(t, p) as i64 - net.tokens(p) as i64;
            if let Some(&row) = self.consumer_rows.get(&t) {
                self.lp.set_row_bounds(row, Interval::at_least(shortage))?;
            }
        }
        let answer = self.lp.solve_again(budget);
        for &t in &adjacent {
            if let Some(row) = self.effects.row(t) {
                self.lp.set_row_bounds(row, (self.interval_of)(0))?;
            }
        }
        for row in net.consumers(p).filter_map(|t| self.consumer_rows.get(&t)) {
            self.lp.set_row_bounds(*row, Interval::FREE)?;
        }
        let LpAnswer::Optimal(optimum) = answer else {
            self.lp.set_column_bounds(self.effects.column(p), Interval::NON_NEGATIVE)?;
            return Ok(Vec::new());
        };
        Ok(self.candidates(p, optimum.point))
    }

    /// Returns the candidates that a solution may represent: p first, then the other places in
    /// proportion.
    fn candidates(&self, p: PlaceId, mut solution: Vec<f64>) -> Vec<Candidate> {
        let Column(own_column) = self.effects.column(p);
        solution.truncate(self.effects.places.len());
        solution[own_column as usize] = 1.0;
        let guesses = integer_guesses(&solution).into_iter();
        let candidate = |mut guess: Vec<(usize, u32)>| {
            let index = guess.iter().position(|&(index, _)| index == own_column as usize)?;
            let multiplicity = guess.remove(index).1;
            let implying =
                guess.into_iter().map(|(index, weight)| (self.effects.places[index], weight));
            Some(candidate::weighted([(p, multiplicity)].into_iter().chain(implying), []))
        };
        guesses.filter_map(candidate).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn a_place_with_too_few_tokens_stays() {
        // t takes lamp for the token that c holds initially.
        let net = "# deadlock\nplace a 1\nplace b\nplace c 1\nplace lamp\n\
                   transition s: a -> b + lamp\ntransition r: b -> c\ntransition t: c + lamp -> a";
        let stays = net.lines().skip(1).collect::<Vec<_>>().join("\n");
        example::reduces("structurally-implicit-places", net, &stays);
    }
}
