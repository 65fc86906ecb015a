//! A place from which nobody takes, and that nobody asks for, goes.
//!
//! ```text
//! # deadlock
//! place p 1
//! place done
//! transition a: p -> 3*done
//! # becomes
//! place p 1
//! transition a: p ->
//! ```
//!
//! # Conditions
//! Focus: a place p.
//! 1. p is not in S.
//! 2. pre(t,p) = 0 for every transition t.
//!
//! # Preserves
//! R, D, L, and every reachable marking of the other places.
//!
//! # Soundness
//! By (2) p blocks nobody, so both nets have the same runs.
//!
//! # Back-translation
//! None.
//!
//! # Cost
//! Constant for each place whose arcs changed.
//!
//! # Sources
//! Berthelot, *Checking properties of nets using transformations*, APN 1985, as a redundant place;
//! LoLA's sink places.

use crate::reduction::change::{Edit, Proposal};
use crate::reduction::journal::Dirty;
use crate::reduction::needs::Preserve;
use crate::reduction::rule::{Context, Focus, Rule, Stage};
use crate::reduction::work::WorkNet;

pub(super) const NAME: &str = "sink-places";

pub(super) struct SinkPlaces;

impl Rule for SinkPlaces {
    fn name(&self) -> &'static str {
        NAME
    }

    fn preserves(&self) -> Preserve {
        Preserve::REACHABILITY.and(Preserve::DEADLOCK).and(Preserve::LIVENESS)
    }

    fn stage(&self) -> Stage {
        Stage::Cheap
    }

    fn conditions(&self) -> u8 {
        2
    }

    fn is_lossless(&self) -> bool {
        true
    }

    fn find(&mut self, net: &WorkNet, dirty: &Dirty, foci: &mut Vec<Focus>) {
        let may = |p: &&_| !net.in_support(**p) && net.consumer_count(**p) == 0;
        foci.extend(dirty.places.iter().filter(may).map(|&p| Focus::place(p)));
    }

    fn check(&self, net: &Context<'_>, focus: &Focus) -> Option<Proposal> {
        let p = focus.as_place()?;
        net.require(1, !net.in_support(p))?;
        net.require(2, net.consumer_count(p) == 0)?;
        Some(Proposal::of(Edit::RemovePlace(p)))
    }
}

#[cfg(test)]
mod tests {
    use crate::reduction::example;

    #[test]
    fn the_example_of_the_header() {
        example::check(super::NAME, include_str!("sink_places.rs"));
    }
}
