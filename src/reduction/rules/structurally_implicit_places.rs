//! A place goes that holds, whenever it matters, at least its share of what other places hold, where
//! a linear program has to find the shares.
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
//! # Conditions
//! Focus: a place p with a multiplicity k, and other places q with multiplicities y(q). Let
//! c = k·m₀(p) − Σ y(q)·m₀(q).
//! 1. p is not in S.
//! 2. k·Δ(t,p) ≥ Σ y(q)·Δ(t,q) for every transition t.
//! 3. k·pre(t,p) ≤ Σ y(q)·pre(t,q) + c for every transition t that takes from p.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! That of [implicit places](super::implicit_places), which has k = 1, with k·m(p) for m(p). Two
//! traps of searches with SMT solvers (ITS-Tools fell into both) are none here. An implication that
//! holds only because some t is dead: (2) and (3) hold whatever is enabled, and if t is dead for want
//! of other inputs, it stays so. Places that vouch for each other: each application is checked
//! on the net without those that went before.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! One matrix, with a row per effect, a row for what each transition takes, and a column per place;
//! for each changed place with at most [`MOST`] arcs a linear program on it, of which only the bounds
//! of its transitions' rows differ: the least sum of multiplicities. It goes on from where the last
//! one ended. The check reads the rows of all places of the focus, in integers.
//!
//! # Sources
//! Silva, Teruel, Colom, *Linear algebraic and linear programming techniques for the analysis of
//! place/transition net systems*, LNCS 1491, 1998. Garcia-Vallés, Colom, *Implicit places in net
//! systems*, PNPM 1999.

use crate::net::{Arc, PlaceId, TransitionId};
use crate::reduction::change::Proposal;
use crate::reduction::journal::Dirty;
use crate::reduction::multipliers::{Effects, MOST_ARCS, integers, solver};
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;
use crate::solvers::Budget;
use parikh_solvers::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use std::collections::HashMap;

pub(super) const NAME: &str = "structurally-implicit-places";

/// Places with more arcs are left alone.
const MOST: usize = 16;

#[derive(Default)]
pub(super) struct StructurallyImplicitPlaces {
    slice: Option<Budget>,
}

impl Rule for StructurallyImplicitPlaces {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Linear
    }

    fn conditions(&self) -> u8 {
        3
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn weighs(&self) -> bool {
        true
    }

    fn allow(&mut self, slice: Budget) {
        self.slice = Some(slice);
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let Some(slice) = &self.slice else { return };
        if net.arc_count() > MOST_ARCS {
            return;
        }
        let mut candidates = dirty.places_around(net);
        candidates.retain(|&p| {
            let arcs = net.consumer_count(p) + net.producer_count(p);
            !net.in_support(p) && net.consumer_count(p) > 0 && arcs <= MOST
        });
        if candidates.is_empty() {
            return;
        }
        // Refused only beyond 64 bits or 2³² nodes: nothing is found then.
        let Ok(mut search) = Search::new(net, &candidates) else { return };
        for p in candidates {
            if slice.is_exhausted() {
                return;
            }
            foci.extend(search.vouchers(p, slice).unwrap_or_default());
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        super::implicit_places::vouched_for(net, focus)
    }
}

/// The search for places that vouch for others.
struct Search<'n> {
    net: &'n WorkNet,
    lp: Box<dyn IncrementalLp>,
    effects: Effects,
    /// The rows of (3): Σ y(q)·(pre(t,q) − m₀(q)).
    needs: HashMap<TransitionId, Row>,
}

impl<'n> Search<'n> {
    fn new(net: &'n WorkNet, candidates: &[PlaceId]) -> Result<Self, ProgramError> {
        let mut effects = Effects::of(net, Interval::NON_NEGATIVE)?;
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
        for t in candidates.iter().flat_map(|&p| net.consumers(p)) {
            if needs.contains_key(&t) {
                continue;
            }
            let taken = |arc: &Arc| (effects.column(arc.place), arc.weight as i64);
            let row = net.pre(t).iter().map(taken).chain([(tokens, -1)]);
            needs.insert(t, program.add_row(Interval::FREE, row)?);
        }
        Ok(Search { net, lp: solver(program), effects, needs })
    }

    /// Likely foci with `p` as the place to go. It vouches for nobody that comes later, then.
    fn vouchers(&mut self, p: PlaceId, budget: &Budget) -> Result<Vec<Focus>, ProgramError> {
        let net = self.net;
        let around = net.neighbours(p);
        self.lp.set_column_bounds(self.effects.column(p), Interval::exactly(0))?;
        for &t in &around {
            if let Some(row) = self.effects.row(t) {
                self.lp.set_row_bounds(row, Interval::at_most(net.effect(t, p)))?;
            }
        }
        for t in net.consumers(p) {
            // Both are below 2⁶³.
            let short = net.pre_weight(t, p) as i64 - net.tokens(p) as i64;
            if let Some(&row) = self.needs.get(&t) {
                self.lp.set_row_bounds(row, Interval::at_least(short))?;
            }
        }
        let answer = self.lp.solve_again(budget);
        for &t in &around {
            if let Some(row) = self.effects.row(t) {
                self.lp.set_row_bounds(row, Interval::at_most(0))?;
            }
        }
        for row in net.consumers(p).filter_map(|t| self.needs.get(&t)) {
            self.lp.set_row_bounds(*row, Interval::FREE)?;
        }
        let LpAnswer::Optimal(optimum) = answer else {
            self.lp.set_column_bounds(self.effects.column(p), Interval::NON_NEGATIVE)?;
            return Ok(Vec::new());
        };
        Ok(self.foci(p, optimum.point))
    }

    /// What this solution may stand for: p first, in proportion to which the others count.
    fn foci(&self, p: PlaceId, mut solution: Vec<f64>) -> Vec<Focus> {
        let Column(own) = self.effects.column(p);
        solution.truncate(self.effects.places.len());
        solution[own as usize] = 1.0;
        let guesses = integers(&solution).into_iter();
        let focus = |mut guess: Vec<(usize, u32)>| {
            let at = guess.iter().position(|&(at, _)| at == own as usize)?;
            let k = guess.remove(at).1;
            let others = guess.into_iter().map(|(at, weight)| (self.effects.places[at], weight));
            Some(Focus::weighted([(p, k)].into_iter().chain(others), []))
        };
        guesses.filter_map(focus).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("structurally_implicit_places.rs"));
    }

    #[test]
    fn a_place_with_too_few_tokens_stays() {
        // t takes lamp for the token that c has from the beginning.
        let net = "# deadlock\nplace a 1\nplace b\nplace c 1\nplace lamp\n\
                   transition s: a -> b + lamp\ntransition r: b -> c\ntransition t: c + lamp -> a";
        let stays = net.lines().skip(1).collect::<Vec<_>>().join("\n");
        example::reduces(super::NAME, net, &stays);
    }
}
