//! Translation of nets with inhibitor and reset arcs to equivalent place/transition nets:
//! [`translate`].
//!
//! Only the readers know such arcs; the other modules work on place/transition nets. So such a net
//! is translated right after reading, where the translation is exact ([`parikh_net::translation`]).
//! If a place with such arcs has no known bound ([`bounds`]), the net may be unbounded, and it is
//! refused. Only reachability questions remain possible ([`translate_within_caps`]).

pub mod bounds;
mod build;

use bounds::CapRooms;
use parikh_net::{BuildError, ExtendedNet, Net};
use parikh_solvers::Budget;

/// Limit on the number of transitions after copying. A net that has more transitions before copying
/// may keep its number. Transitions that only handle caps are not counted.
pub const MAX_COPIES: u128 = 20_000;

/// The number of transitions after copying up to which a translation is small. For a larger one,
/// the markings are visited if they are few, because a transition needs copies only for the numbers
/// of tokens that occur together.
const MAX_SMALL_TRANSLATION: usize = 1_000;

/// Reasons why a net with inhibitor or reset arcs was not translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslationError {
    /// A place may be unbounded.
    #[error(
        "place `{place}` {role} transition `{transition}`, but no bound on its tokens is known: \
         nets with {arcs} arcs are supported if the places at these arcs are bounded; bound the \
         place, or remove the arc"
    )]
    Unbounded {
        /// The name of the place.
        place: String,
        /// The verb phrase between place and transition in the message.
        role: &'static str,
        /// The name of the transition at the arc.
        transition: String,
        /// The kind of the arcs: `inhibitor` or `reset`.
        arcs: &'static str,
    },
    /// The translation needs too many copies of transitions.
    #[error(
        "transition `{transition}` empties places that can hold many tokens: its translation needs \
         more than {most} transitions, one for each number of tokens"
    )]
    TooManyCopies {
        /// The name of the first transition beyond the limit.
        transition: String,
        /// The maximal number of transitions.
        most: u128,
    },
    /// The result is not a valid net, because a number or the whole net is too large.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// Translates `net` to an equivalent place/transition net. A net without inhibitor and reset arcs
/// stays the same.
///
/// # Errors
/// Returns an error if a place with such arcs has no known bound, or if too many transitions are
/// needed. Also returns an error if a number or the whole net gets too large.
pub fn translate(net: ExtendedNet, budget: &Budget) -> Result<Net, TranslationError> {
    translate_visiting(net, bounds::MAX_VISITED_MARKINGS, budget)
}

/// Translates `net` as [`translate`] does. At most `most_visited` markings are explored for bounds.
///
/// # Errors
/// The errors of [`translate`].
pub fn translate_visiting(
    net: ExtendedNet,
    most_visited: u64,
    budget: &Budget,
) -> Result<Net, TranslationError> {
    translated(net, most_visited, None, budget)
}

/// Translates `net` as [`translate_visiting`] does, with caps of the given room on places without a
/// known bound. The room on reset places is halved as long as too many transitions are needed. With
/// caps, the result has all runs of `net`, and may have others. Its runs that stay within the caps
/// are runs of `net`. So only reachability questions are possible ([`Net::has_caps`]).
///
/// # Errors
/// Returns an error if too many transitions are needed even without room on reset places. If all
/// bounds are known, too many transitions are an error, too. Also returns an error if a number or
/// the whole net gets too large.
pub fn translate_within_caps(
    net: ExtendedNet,
    most_visited: u64,
    rooms: CapRooms,
    budget: &Budget,
) -> Result<Net, TranslationError> {
    translated(net, most_visited, Some(rooms), budget)
}

/// Translates `net`. If `rooms` is given, places without a known bound have caps.
fn translated(
    net: ExtendedNet,
    most_visited: u64,
    rooms: Option<CapRooms>,
    budget: &Budget,
) -> Result<Net, TranslationError> {
    let net = match net.into_plain() {
        Ok(core) => return Ok(core),
        Err(extended) => *extended,
    };
    let bounds = bounds::find(&net, most_visited, budget);
    let Some(missing) = bounds.missing else {
        let built = build::build(&net, bounds.bounds, None);
        let is_large = match &built {
            Ok(built) => {
                built.transition_count()
                    > MAX_SMALL_TRANSLATION.max(2 * net.core().transition_count())
            }
            Err(TranslationError::TooManyCopies { .. }) => true,
            Err(_) => false,
        };
        if !is_large {
            return built;
        }
        // The reset places of a transition may have few token vectors in reachable markings.
        return match bounds::visit_with_vectors(&net, most_visited, budget) {
            Some((bounds, seen)) => build::build(&net, bounds, Some(&seen)),
            None => built,
        };
    };
    let Some(mut rooms) = rooms else { return Err(missing) };
    loop {
        match build::build(&net, bounds::cap(&net, &bounds.bounds, rooms), None) {
            Err(TranslationError::TooManyCopies { .. }) if rooms.emptied > 0 => rooms.emptied /= 2,
            built => return built,
        }
    }
}
