//! Coloured nets as place/transition nets: a place for each colour that a coloured place may ever
//! hold, a transition for each binding that may ever fire.
//!
//! ```text
//! coloured net ─▶ compile ─▶ possible: the colours and bindings there may be ─▶ build ─▶ Net with Folding
//!                              └─▶ declined: too many of them, or out of time
//! ```
//!
//! What is left out cannot be seen by any question: a place that never holds a token counts 0, a
//! binding that never fires is never enabled. Tokens on places that nothing is connected to stay.
//! Bindings that take and put the same are made once ([`symmetry`]), except where firings are
//! counted.

mod build;
mod colours;
mod compile;
mod map;
mod plan;
mod possible;
mod symmetry;

pub use map::write_map;

pub(crate) use colours::ByColour;
pub(crate) use compile::{Check, Compiled, Compiler, Pattern, merge};
use parikh_net::coloured::{ColouredNet, Guard, Relation, Term};
use parikh_net::{BuildError, Net};
use parikh_solvers::Budget;
use parikh_solvers::budget::Exhausted;
use possible::Possible;
use std::time::Instant;

/// How large an unfolding may become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most transitions.
    pub bindings: u64,
    /// The most arcs, both directions.
    pub arcs: u64,
    /// The most colours of one place, and in the initial marking.
    pub places: u64,
    /// The most colours looked up on the way, fruitless ones included.
    pub tries: u64,
}

impl Limits {
    /// What is made in so short a time that nothing else is worth beginning before.
    pub const SMALL: Limits =
        Limits { bindings: 100_000, arcs: 1_000_000, places: 200_000, tries: 2_000_000 };
}

impl Default for Limits {
    /// About 2 GB of net, found in a few seconds or declined in them.
    fn default() -> Self {
        Limits { bindings: 4_000_000, arcs: 40_000_000, places: 4_000_000, tries: 200_000_000 }
    }
}

/// How a net is unfolded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// How large it may become.
    pub limits: Limits,
    /// Make bindings that take and put the same only once. Not where firings are counted.
    pub symmetry: bool,
    /// Leave out what no marking can have: colours that a place never holds, bindings that never
    /// fire.
    pub fixpoint: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { limits: Limits::default(), symmetry: true, fixpoint: true }
    }
}

/// Why a net was not unfolded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Declined {
    /// Beyond the limits; so many were counted by then.
    #[error("more than {bindings} bindings may fire, with more than {arcs} arcs")]
    TooLarge {
        /// Bindings counted.
        bindings: u64,
        /// Arcs of these.
        arcs: u64,
    },
    /// A place may hold more colours than the limits allow, or all places hold more in the
    /// beginning.
    #[error("more than {0} colours in one place, or in the initial marking")]
    Colours(u64),
    /// Bindings are rows of 32-bit numbers.
    #[error("a variable has {0} colours, and 4294967295 are the most that bindings are made of")]
    Variable(u64),
    /// Out of time, or of memory.
    #[error(transparent)]
    Spent(Exhausted),
    /// What came out is no net that can be counted with.
    #[error(transparent)]
    Net(#[from] BuildError),
}

/// Figures of an unfolding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Pairs of variables that are kept in order because exchanging them changes nothing.
    pub symmetric_pairs: usize,
    /// Bindings that were found.
    pub bindings: usize,
    /// Those of them that lack an input after all.
    pub dropped: usize,
}

/// The net that `coloured` stands for, with its [`Folding`](parikh_net::coloured::Folding).
///
/// # Errors
/// When it is larger than the limits allow, or the budget is spent.
pub fn unfold(
    coloured: &ColouredNet,
    config: &Config,
    budget: &Budget,
) -> Result<(Net, Statistics), Declined> {
    let start = Instant::now();
    let mut statistics = Statistics::default();
    let mut transitions = Vec::new();
    for transition in coloured.transitions() {
        let mut compiled = Compiler::transition(coloured, transition);
        if let Some(&size) = compiled.sizes.iter().find(|&&size| size > u64::from(u32::MAX)) {
            return Err(Declined::Variable(size));
        }
        if config.symmetry {
            let compiler = Compiler { net: coloured, variables: compiled.variables.clone() };
            for (x, y) in symmetry::ordered_pairs(coloured, transition) {
                let [x, y] = [x, y].map(Term::Variable);
                compiled.checks.push(compiler.check(&Guard::Compare(Relation::AtMost, x, y)));
                statistics.symmetric_pairs += 1;
            }
        }
        // What no binding satisfies needs no search.
        if compiled.checks.iter().any(|check| matches!(check, Check::Or(parts) if parts.is_empty()))
        {
            compiled.checks = vec![Check::Or(Vec::new())];
        }
        transitions.push(compiled);
    }
    let compiler = Compiler { net: coloured, variables: Vec::new() };
    let initial: Vec<_> = coloured.places().iter().map(|it| compiler.tokens(&it.initial)).collect();
    let sizes: Vec<u64> =
        coloured.places().iter().map(|place| coloured.sort(place.sort).size()).collect();
    let possible = Possible::find(&transitions, &sizes, &initial, config, budget)?;
    statistics.bindings = possible.counts.iter().sum();
    let found = start.elapsed();
    let net = build::net(coloured, &transitions, &initial, possible, &mut statistics, budget)?;
    tracing::info!(
        "unfolded: {} places, {} transitions, {} arcs, {} bindings lack an input, {:.2?} ({:.2?} \
         for the bindings)",
        net.place_count(),
        net.transition_count(),
        net.arc_count(),
        statistics.dropped,
        start.elapsed(),
        found
    );
    Ok((net, statistics))
}
