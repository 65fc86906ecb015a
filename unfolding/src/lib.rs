//! Unfolding of coloured nets to place/transition nets. The unfolding has a place for each colour
//! that a coloured place may hold, and a transition for each binding that may fire. Without the
//! fixpoint ([`UnfoldingConfig::fixpoint`]), it has a place for each colour of each coloured place,
//! and a transition for each binding whose guard holds.
//!
//! ```text
//! coloured net ─▶ compile ─▶ possible: colours and bindings that may occur ─▶ build ─▶ Net with Folding
//!                              └─▶ declined: too many, or out of time
//! ```
//!
//! The omitted nodes do not matter for any question. A place that never holds a token counts 0, and
//! a binding that never fires is never enabled. Marked places without arcs are kept. Of several
//! bindings that differ by an exchange of symmetric variables, one is built ([`symmetry`]), except
//! if firings are counted.

mod build;
mod colours;
mod compile;
mod map;
mod plan;
mod possible;
mod symmetry;

pub use map::write_map;

pub use colours::ByColour;
pub use compile::BindingCheck;
pub use compile::ColourPattern;
pub use compile::CompiledTransition;
pub use compile::TermCompiler;
pub use compile::merge;
use parikh_net::coloured::{ColouredNet, Guard, Relation, Term};
use parikh_net::{BuildError, Net};
use parikh_solvers::Budget;
use parikh_solvers::budget::ExhaustionReason;
use possible::PossibleBindings;
use std::time::Instant;

/// Limits on the size of an unfolding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfoldingLimits {
    /// Maximal number of transitions.
    pub bindings: u64,
    /// Maximal number of arcs, inputs and outputs together.
    pub arcs: u64,
    /// Maximal number of colours of a place, and of the initial marking. Without the fixpoint, the
    /// maximal number of colours of all places and the initial marking together.
    pub places: u64,
    /// Maximal number of colour lookups, including unsuccessful lookups.
    pub tries: u64,
}

impl UnfoldingLimits {
    /// Limits for an unfolding that takes so little time that no other work needs to start before.
    pub const SMALL: UnfoldingLimits =
        UnfoldingLimits { bindings: 100_000, arcs: 1_000_000, places: 200_000, tries: 2_000_000 };
}

impl Default for UnfoldingLimits {
    /// Limits for about 2 GB of memory. Within a few seconds, the unfolding is built or declined.
    fn default() -> Self {
        UnfoldingLimits {
            bindings: 4_000_000,
            arcs: 40_000_000,
            places: 4_000_000,
            tries: 200_000_000,
        }
    }
}

/// Options of the unfolding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnfoldingConfig {
    /// Limits on the size.
    pub limits: UnfoldingLimits,
    /// Builds only one of several bindings that differ by an exchange of symmetric variables, and
    /// so have the same inputs and outputs. Must be off if firings are counted.
    pub symmetry: bool,
    /// Omits colours that a place never holds and bindings that never fire, as far as an
    /// over-approximation of the behaviour shows.
    pub fixpoint: bool,
}

impl Default for UnfoldingConfig {
    fn default() -> Self {
        UnfoldingConfig { limits: UnfoldingLimits::default(), symmetry: true, fixpoint: true }
    }
}

/// Reasons why a net was not unfolded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfoldingError {
    /// The unfolding exceeds the limits. The numbers were reached before the search stopped.
    #[error("at least {bindings} bindings may fire, with up to {arcs} arcs")]
    TooLarge {
        /// Number of bindings found.
        bindings: u64,
        /// Upper bound on the number of arcs of these bindings.
        arcs: u64,
    },
    /// The search for bindings exceeds this number of lookups.
    #[error("the search for bindings tries more than {0} colours")]
    Tries(u64),
    /// A place may hold more colours than the limits allow, or the initial marking has more colours
    /// in total. Without the fixpoint, all places and the initial marking together have more
    /// colours.
    #[error("the places and the initial marking have more than {0} colours")]
    Colours(u64),
    /// A variable has too many colours: colours in bindings are stored as 32-bit numbers.
    #[error("a variable has {0} colours, more than the limit of 4294967295")]
    Variable(u64),
    /// The time or the memory is exhausted.
    #[error(transparent)]
    Spent(ExhaustionReason),
    /// The unfolding is not a valid net, because a number overflows.
    #[error(transparent)]
    Net(#[from] BuildError),
}

/// Statistics of an unfolding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnfoldingStatistics {
    /// Number of pairs of variables that are kept in order because of symmetry.
    pub symmetric_pairs: usize,
    /// Number of bindings found.
    pub bindings: usize,
    /// Number of found bindings with a required colour that its place never holds.
    pub dropped: usize,
}

/// Unfolds `coloured` to a net with its [`Folding`](parikh_net::coloured::Folding).
///
/// # Errors
/// Returns an error if the unfolding exceeds the limits, a variable has too many colours, a number
/// overflows, or the budget is spent.
pub fn unfold(
    coloured: &ColouredNet,
    config: &UnfoldingConfig,
    budget: &Budget,
) -> Result<(Net, UnfoldingStatistics), UnfoldingError> {
    let start = Instant::now();
    let mut statistics = UnfoldingStatistics::default();
    let mut transitions = Vec::new();
    for transition in coloured.transitions() {
        let mut compiled = TermCompiler::transition(coloured, transition);
        if let Some(&size) = compiled.sizes.iter().find(|&&size| size > u64::from(u32::MAX)) {
            return Err(UnfoldingError::Variable(size));
        }
        if config.symmetry {
            let compiler = TermCompiler { net: coloured, variables: compiled.variables.clone() };
            for (x, y) in symmetry::ordered_pairs(coloured, transition) {
                let [x, y] = [x, y].map(Term::Variable);
                compiled.checks.push(compiler.check(&Guard::Compare(Relation::AtMost, x, y)));
                statistics.symmetric_pairs += 1;
            }
        }
        // An unsatisfiable guard needs no search for bindings.
        if compiled
            .checks
            .iter()
            .any(|check| matches!(check, BindingCheck::Or(parts) if parts.is_empty()))
        {
            compiled.checks = vec![BindingCheck::Or(Vec::new())];
        }
        transitions.push(compiled);
    }
    let compiler = TermCompiler { net: coloured, variables: Vec::new() };
    let initial: Vec<_> = coloured.places().iter().map(|it| compiler.tokens(&it.initial)).collect();
    let sizes: Vec<u64> =
        coloured.places().iter().map(|place| coloured.sort(place.sort).size()).collect();
    let possible = PossibleBindings::find(&transitions, &sizes, &initial, config, budget)?;
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
