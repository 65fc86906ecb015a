//! Nets with inhibitor and reset arcs as place/transition nets that say the same: [`translate`].
//!
//! Nobody after the readers knows other arcs than plain ones. So such a net is translated at the
//! front door, where that is exact ([`parikh_net::translation`]). Where no bound is found on a
//! place that inhibits or is emptied ([`bounds`]), the net may do what no bounded net does: it is
//! refused, but for those who ask what can be reached ([`translate_within_caps`]).

pub mod bounds;
mod build;

use bounds::Rooms;
use parikh_net::{BuildError, ExtendedNet, Net};
use parikh_solvers::Budget;

/// The most transitions that copies may make of a net.
pub const MOST_COPIES: u128 = 20_000;

/// Why no place/transition net stands for a net with inhibitor or reset arcs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untranslated {
    /// A place may have no bound.
    #[error(
        "place `{place}` {role} transition `{transition}`, and no bound is known on its tokens: nets with {arcs} \
         arcs are read where the places at these arcs are bounded; bound it, or take the arc away"
    )]
    Unbounded {
        /// The place.
        place: String,
        /// What it does to the transition, or the transition to it.
        role: &'static str,
        /// The transition at the arc.
        transition: String,
        /// What the arcs are called.
        arcs: &'static str,
    },
    /// It takes too many copies of transitions.
    #[error(
        "transition `{transition}` empties places that may hold many tokens: it would take more than {most} \
         transitions to stand for each number of them"
    )]
    TooManyCopies {
        /// The first transition beyond the limit.
        transition: String,
        /// The limit.
        most: u128,
    },
    /// The result is no net: weights that do not fit.
    #[error(transparent)]
    Build(#[from] BuildError),
}

/// The place/transition net that stands for `net`: its core where it has no other arcs.
///
/// # Errors
/// When there is none, with the place or transition that is to blame.
pub fn translate(net: ExtendedNet, budget: &Budget) -> Result<Net, Untranslated> {
    translate_visiting(net, bounds::MANY, budget)
}

/// The same, where at most so many markings are visited for bounds.
///
/// # Errors
/// As [`translate`].
pub fn translate_visiting(
    net: ExtendedNet,
    most_visited: u64,
    budget: &Budget,
) -> Result<Net, Untranslated> {
    translated(net, most_visited, None, budget)
}

/// The same; where places have no bound, with caps on them that have this room. Then the net stands
/// for the model in two halves, and whoever asks more of it than what can be reached is refused
/// ([`Net::has_caps`]).
///
/// # Errors
/// When it takes too many transitions, or weights do not fit.
pub fn translate_within_caps(
    net: ExtendedNet,
    most_visited: u64,
    rooms: Rooms,
    budget: &Budget,
) -> Result<Net, Untranslated> {
    translated(net, most_visited, Some(rooms), budget)
}

/// The same, with caps that have this room where there is any.
fn translated(
    net: ExtendedNet,
    most_visited: u64,
    rooms: Option<Rooms>,
    budget: &Budget,
) -> Result<Net, Untranslated> {
    let net = match net.into_plain() {
        Ok(core) => return Ok(core),
        Err(extended) => *extended,
    };
    let bounds = bounds::find(&net, most_visited, budget);
    let Some(missing) = bounds.missing else {
        return match build::build(&net, bounds.known, None) {
            // A transition that empties many places: what they hold together is little, perhaps.
            Err(Untranslated::TooManyCopies { transition, most }) => {
                match bounds::seen(&net, most_visited, budget) {
                    Some((bounds, seen)) => build::build(&net, bounds, Some(&seen)),
                    None => Err(Untranslated::TooManyCopies { transition, most }),
                }
            }
            built => built,
        };
    };
    let Some(mut rooms) = rooms else { return Err(missing) };
    loop {
        match build::build(&net, bounds::cap(&net, &bounds.known, rooms), None) {
            Err(Untranslated::TooManyCopies { .. }) if rooms.emptied > 0 => rooms.emptied /= 2,
            built => return built,
        }
    }
}
