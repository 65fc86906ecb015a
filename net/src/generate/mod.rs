//! Parametric nets with known answers, and random nets and goals by seed.
//!
//! Engines, rules and encodings are tested on these nets, benchmarks increase their parameters, and
//! [`pnml`] feeds them to the command line. There is one file per family; each states the known
//! answers with the argument, and returns them as data beside the net ([`KnownNet`]), so that a
//! test can iterate over all families ([`specimens`]).
//!
//! Sizes are `u32`; a net with more nodes than the builder accepts (2³² − 1) panics.

mod answers;
mod binary_counter;
mod coloured;
mod counters;
mod cycles;
mod grid;
mod mutual_exclusion;
mod odometer;
mod philosophers;
mod producer_consumer;
mod random;
mod random_formula;
mod random_goal;
mod sketch;
mod token_ring;

pub use crate::pnml::{pnml, write_pnml};
pub use answers::{Answers, KnownCount, KnownNet};
pub use binary_counter::binary_counter;
pub use coloured::random_coloured;
pub use counters::counters;
pub use cycles::{cycles, hundred_places};
pub use grid::grid;
pub use mutual_exclusion::mutual_exclusion;
pub use odometer::{net as odometer_net, odometer};
pub use philosophers::philosophers;
pub use producer_consumer::producer_consumer;
pub use random::{RandomKind, Shape, random, random_with};
pub use random_formula::{random_ctl, random_fairness, random_ltl};
pub use random_goal::{random_goal, random_goals, random_predicate, random_sum};
pub use token_ring::token_ring;

/// Returns every family at small parameters, with at most 10⁴ reachable markings or infinitely
/// many.
pub fn specimens() -> Vec<KnownNet> {
    let mut nets = Vec::new();
    nets.extend((2..=6).map(philosophers));
    nets.extend((1..=6).map(token_ring));
    nets.extend(
        [(1, 0), (1, 1), (3, 0), (3, 1), (4, 2), (3, 5)].map(|(n, k)| mutual_exclusion(n, k)),
    );
    nets.extend(
        [(2, 1, 1), (5, 2, 3), (7, 2, 2), (13, 3, 6)].map(|(c, a, b)| producer_consumer(c, a, b)),
    );
    nets.extend((1..=3).map(counters));
    nets.extend((1..=8).map(binary_counter));
    nets.extend([(1, 2), (3, 4), (2, 30)].map(|(digits, base)| odometer(digits, base)));
    nets.extend(
        [(1, 1, 2), (3, 2, 1), (2, 2, 3), (3, 3, 2), (2, 1, 0)].map(|(w, h, k)| grid(w, h, k)),
    );
    nets.extend([(1, 2), (3, 4), (5, 3)].map(|(n, l)| cycles(n, l, false)));
    nets.extend([(1, 2), (3, 4), (5, 3)].map(|(n, l)| cycles(n, l, true)));
    nets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_specimen_has_its_own_name() {
        let mut names: Vec<String> =
            specimens().iter().map(|specimen| specimen.net.name().to_owned()).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
