//! A transition that is enabled from the start, and that nobody can disable, fires at once.
//!
//! ```text
//! # deadlock
//! place a 5
//! place b 1
//! place p 1
//! transition h: 2*a + b -> p
//! transition f: 3*p -> b
//! # becomes
//! place a 3
//! place b
//! place p 2
//! transition h: 2*a + b -> p
//! transition f: 3*p -> b
//! ```
//!
//! # Conditions
//! Focus: a transition t with inputs. Let k ≥ 1 be the least ⌊m₀(p) / pre(t,p)⌋ over them.
//! 1. t does not touch S.
//! 2. No other transition takes from an input place of t.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! By (2) only t lowers its inputs, so in any run that has fired t fewer than k times, t
//! is enabled, and can fire k times in all; in a dead marking it has. So every run extends to one
//! with k firings of t, S staying the same by (1), and these can be moved to the front: nobody else
//! needs their inputs. For L: each marking leads to one of the reduced net by these firings.
//!
//! # Back-translation
//! tᵏ is in the prefix.
//!
//! # Cost
//! The inputs of a changed transition, once each: in a ring of such transitions the tokens would
//! move for ever.
//!
//! # Sources
//! Rule Q of verifypn; token pre-firing in ITS-Tools is the case of a place without producers.

use crate::net::{Step, TransitionId};
use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;
use std::collections::HashSet;

pub(super) const NAME: &str = "token-prefiring";

#[derive(Default)]
pub(super) struct TokenPrefiring {
    /// Those that had their turn.
    found: HashSet<TransitionId>,
}

impl Rule for TokenPrefiring {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Product
    }

    fn conditions(&self) -> u8 {
        2
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        for t in dirty.transitions_around(net, 8) {
            let ready = !net.pre(t).is_empty()
                && net.pre(t).iter().all(|arc| {
                    net.tokens(arc.place) >= arc.weight
                        && net.consumer_count(arc.place) == 1
                        && net.post_weight(t, arc.place) == 0
                });
            // Composed ones are not: they come without end around a ring.
            let original = t.index() < net.original_transitions();
            if ready && original && self.found.insert(t) {
                foci.push(Focus::transitions([t]));
            }
        }
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let [t] = focus.transitions[..] else { return None };
        net.require(1, !net.touches_support(t))?;
        net.require(2, net.pre(t).iter().all(|arc| net.consumer_count(arc.place) == 1))?;
        let count = net.pre(t).iter().map(|arc| net.tokens(arc.place) / arc.weight).min()?;
        let step = Step { transition: t, count };
        (count > 0 && net.can_fire(step)).then(|| Proposal::of(Edit::Prefire(step)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("token_prefiring.rs"));
    }
}
