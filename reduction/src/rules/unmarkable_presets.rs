//! The search for candidates of [unmarkable
//! presets](parikh_evidence::reduction::rules::unmarkable_presets).
//!
//! # Back-translation
//! None: sequences stay unchanged.
//!
//! # Cost
//! One matrix, with a row per effect and a column per place. For each transition that a few random
//! firing sequences do not fire, a linear program on it minimises Σ y(p)·(m₀(p) − pre(t,p)). Each
//! multiplicity y(p) is between 0 and 1, both included. By Farkas' lemma the minimum is negative if
//! and only if m₀ + C·x ≥ pre(t) has no solution x ≥ 0. So the search finds what the state equation
//! over the rationals implies for single transitions. Limits of time and size ([`MAX_ARCS`]) and
//! floating-point errors may lose some of it. If there is no such y, the dual solution is such an
//! x, often also for other transitions. One y often covers many transitions, and transitions found
//! dead are removed from the matrix. The check reads the arcs of the places of the candidate, in
//! integers.

use crate::candidate;
use crate::journal::ChangedNodes;
use crate::multipliers::{MAX_ARCS, MultiplicityProgram, arc_count, integer_guesses};
use crate::search::CandidateSearch;
use parikh_evidence::reduction::{Candidate, WeightedSum, WorkNet};
use parikh_net::{Arc, Marking, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, ProgramError, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp_for_hints;

/// An optimum counts as negative only if it is at most this number.
const NEGATIVE_OPTIMUM: f64 = -1e-6;

/// The search for transitions whose input places never have enough tokens together.
#[derive(Default)]
pub(super) struct UnmarkablePresets {
    /// The time limit of the current batch; `None` before the first batch.
    budget: Option<Budget>,
}

impl CandidateSearch for UnmarkablePresets {
    fn set_time_limit(&mut self, slice: Budget) {
        self.budget = Some(slice);
    }

    fn find(&mut self, net: &WorkNet, _: &ChangedNodes, candidates: &mut Vec<Candidate>) {
        let Some(slice) = &self.budget else { return };
        if arc_count(net) > MAX_ARCS {
            return;
        }
        let suspects = unfired(net, slice);
        if suspects.is_empty() {
            return;
        }
        // The program is refused only beyond 64 bits or 2³² nodes; then nothing is found.
        if let Ok(mut search) = WeightedSumSearch::new(net, suspects) {
            search.run(slice, candidates);
        }
    }
}

/// Returns the transitions that a few random firing sequences do not fire. The sequences repeatedly
/// visit all transitions in random order and fire the enabled ones.
fn unfired(net: &WorkNet, budget: &Budget) -> Vec<TransitionId> {
    const SWEEPS_OF_A_SEQUENCE: usize = 8;
    const ARCS_LOOKED_AT: usize = 1_000_000;
    let mut rng = fastrand::Rng::with_seed(0);
    let mut order: Vec<TransitionId> = net.transitions().collect();
    let mut remaining = order.clone();
    let mut fired = vec![false; net.transition_ids()];
    let initial: Vec<u64> = (0..net.place_ids()).map(|p| net.tokens(PlaceId::new(p))).collect();
    let mut marking = initial.clone();
    let sweep_count = (ARCS_LOOKED_AT / (arc_count(net) + 1)).clamp(SWEEPS_OF_A_SEQUENCE, 128);
    for sweep in 0..sweep_count {
        if remaining.is_empty() || budget.is_exhausted() {
            break;
        }
        if sweep % SWEEPS_OF_A_SEQUENCE == 0 {
            marking.clone_from(&initial);
        }
        rng.shuffle(&mut order);
        for &t in &order {
            if net.pre(t).iter().any(|arc| marking[arc.place.index()] < arc.weight) {
                continue;
            }
            fired[t.index()] = true;
            net.pre(t).iter().for_each(|arc| marking[arc.place.index()] -= arc.weight);
            let mut overflows = false;
            for arc in net.post(t) {
                // Both are below 2⁶³.
                marking[arc.place.index()] += arc.weight;
                overflows |= marking[arc.place.index()] > Marking::MAX_TOKENS;
            }
            if overflows {
                marking.clone_from(&initial);
            }
        }
        remaining.retain(|t| !fired[t.index()]);
    }
    remaining
}

/// The search for weighted sums of tokens that prove transitions dead: a firing would take more of
/// the sum than any reachable marking has.
struct WeightedSumSearch<'n> {
    net: &'n WorkNet,
    /// The program's solver.
    lp: Box<dyn IncrementalLp>,
    /// The columns of places and the rows of effects.
    effects: MultiplicityProgram,
    /// For each row, the number of transitions with this effect that are not found dead yet.
    live_transitions: Vec<usize>,
    /// The transitions that may be dead: no random firing sequence fired them.
    suspects: Vec<TransitionId>,
    /// For each transition, true if it is found dead.
    is_dead: Vec<bool>,
    /// For each transition, true if the solver's floating-point answer shows that no weighted sum
    /// proves the transition dead.
    is_possible: Vec<bool>,
}

impl<'n> WeightedSumSearch<'n> {
    fn new(net: &'n WorkNet, suspects: Vec<TransitionId>) -> Result<Self, ProgramError> {
        let mut effects =
            MultiplicityProgram::new(net, Interval::between(0, 1), Interval::at_most(0))?;
        let program = std::mem::replace(&mut effects.program, LinearProgram::new(Sense::Minimise));
        let mut live = vec![0; program.rows().len()];
        net.transitions().filter_map(|t| effects.row(t)).for_each(|row| live[row.index()] += 1);
        let dead = vec![false; net.transition_ids()];
        let possible = dead.clone();
        Ok(WeightedSumSearch {
            net,
            lp: incremental_lp_for_hints(program),
            effects,
            live_transitions: live,
            suspects,
            is_dead: dead,
            is_possible: possible,
        })
    }

    fn run(&mut self, budget: &Budget, candidates: &mut Vec<Candidate>) {
        for t in self.suspects.clone() {
            if budget.is_exhausted() {
                return;
            }
            if !self.is_dead[t.index()] && !self.is_possible[t.index()] {
                candidates.extend(self.refuting_sum(t, budget));
            }
        }
    }

    /// Returns a weighted sum that proves `t` dead, together with all suspects that the sum proves
    /// dead. Returns `None` if the solver finds no optimum within `budget`, the optimum is not
    /// negative, or no integer form of the solution is a proof.
    fn refuting_sum(&mut self, t: TransitionId, budget: &Budget) -> Option<Candidate> {
        let net = self.net;
        let column = |p: PlaceId| self.effects.column(p);
        // Tokens and weights are below 2⁶³.
        let tokens = self.effects.places.iter().map(|&p| (column(p), net.tokens(p) as i64));
        let need = net.pre(t).iter().map(|arc| (column(arc.place), -(arc.weight as i64)));
        let costs: Vec<_> = tokens.filter(|&(_, tokens)| tokens > 0).chain(need).collect();
        self.lp.set_objective(Sense::Minimise, &costs).ok()?;
        let LpAnswer::Optimal(optimum) = self.lp.solve_again(budget) else { return None };
        if optimum.objective > NEGATIVE_OPTIMUM {
            self.mark_possible(&optimum.multipliers?);
            return None;
        }
        let guesses = integer_guesses(&optimum.point);
        guesses.into_iter().find_map(|guess| self.refuted_by(guess))
    }

    /// Marks the suspects that no weighted sum can prove dead. The negated dual solution is a
    /// vector x of firing counts with m₀ + C·x ≥ pre(t). If m₀ + C·x also has enough tokens for
    /// another suspect, no sum proves this suspect dead. Because of floating-point errors, a dead
    /// transition may be marked and then missed.
    fn mark_possible(&mut self, multipliers: &[f64]) {
        const TOLERANCE: f64 = 1e-6;
        let mut marking: Vec<f64> =
            self.effects.places.iter().map(|&p| self.net.tokens(p) as f64).collect();
        for ((_, changes, _), multiplier) in self.lp.program().iter_rows().zip(multipliers) {
            if *multiplier < 0.0 {
                for &(column, change) in changes {
                    marking[column.index()] -= change as f64 * multiplier;
                }
            }
        }
        for &t in &self.suspects {
            let has_tokens = |arc: &Arc| {
                let tokens = marking[self.effects.column(arc.place).index()];
                tokens >= arc.weight as f64 - TOLERANCE
            };
            self.is_possible[t.index()] |= self.net.pre(t).iter().all(has_tokens);
        }
    }

    /// Returns the weighted sum as a candidate, with the suspects that need more of the sum than
    /// the initial marking has. Marks these suspects as dead. Returns `None` if there is no such
    /// suspect. Also returns `None` if a transition increases the sum. Transitions that are found
    /// dead, or that need more of the sum than the initial marking has, do not count.
    fn refuted_by(&mut self, weights: Vec<(usize, u32)>) -> Option<Candidate> {
        let places =
            weights.into_iter().map(|(column, weight)| (self.effects.places[column], weight));
        let mut candidate = candidate::weighted(places, []);
        let sum = WeightedSum::of(self.net, candidate.weighted_places());
        let is_dead = |t: TransitionId| self.is_dead[t.index()];
        let never_increases = |(&t, &(need, change)): (&TransitionId, &(i128, i128))| {
            change <= 0 || need > sum.tokens || is_dead(t)
        };
        if !sum.transition_effects.iter().all(never_increases) {
            return None;
        }
        let refuted =
            self.suspects.iter().filter(|&&t| sum.required_tokens(t) > sum.tokens && !is_dead(t));
        candidate.transitions = refuted.copied().collect();
        for &t in &candidate.transitions {
            self.is_dead[t.index()] = true;
            let Some(row) = self.effects.row(t) else { continue };
            self.live_transitions[row.index()] -= 1;
            if self.live_transitions[row.index()] == 0 {
                // The row exists. If the change failed, further sums would only be harder to find.
                let _ = self.lp.set_row_bounds(row, Interval::FREE);
            }
        }
        (!candidate.transitions.is_empty()).then_some(candidate)
    }
}

#[cfg(test)]
mod tests {
    use crate::example;

    #[test]
    fn multiplicities_need_not_be_one() {
        // 2·a + 3·b is at most 6, and t needs 7 of it.
        let net = "# deadlock\nplace a 3\nplace b\ntransition s: 3*a -> 2*b\n\
                   transition r: 2*b -> 3*a\ntransition t: 2*a + b -> 2*a + b";
        let after = "place a 3\nplace b\ntransition s: 3*a -> 2*b\ntransition r: 2*b -> 3*a";
        example::reduces("unmarkable-presets", net, after);
        let more = net.replace("place a 3", "place a 6");
        let stays = more.lines().skip(1).collect::<Vec<_>>().join("\n");
        example::reduces("unmarkable-presets", &more, &stays);
    }

    #[test]
    fn consumers_of_places_fed_only_by_dead_transitions_are_dead() {
        // Only meet feeds w, and meet needs two tokens where there is one; more needs three of w.
        let net = "# reachability over a\nplace a 1\nplace b\nplace w 2\nplace x\n\
                   transition s: a -> b\ntransition r: b -> a\ntransition meet: a + b -> 2*w\n\
                   transition v: w -> x\ntransition y: x -> w\ntransition more: 2*w + x -> a";
        let after = "place a 1\nplace b\nplace w 2\nplace x\ntransition s: a -> b\n\
                     transition r: b -> a\ntransition v: w -> x\ntransition y: x -> w";
        example::reduces("unmarkable-presets", net, after);
    }
}
