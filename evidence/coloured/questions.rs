//! What the contest's examinations ask of the nodes of a coloured net: a place holds the tokens of all
//! its colours together, a transition can fire when one of its bindings can.

use crate::audit::Asked;
use parikh_net::coloured::Folding;
use parikh_net::{LinearSum, Net, Predicate};

/// What an examination asks about the unfolding `net` of a coloured net; `None` for one that asks about
/// no node, or when a number does not fit.
pub(crate) fn by_examination(examination: &str, net: &Net, nodes: &Folding) -> Option<Asked> {
    let tokens = |place| LinearSum::new(nodes.places(place).map(|colour| (colour, 1))).ok();
    let places = 0..nodes.place_count();
    let (goals, all, then): (Option<Vec<Predicate>>, _, _) = match examination {
        "OneSafe" => {
            let two = |place| Some(Predicate::at_most(tokens(place)?.negated(), -2));
            (places.map(two).collect(), false, false)
        }
        "QuasiLiveness" => {
            let some = |t| Some(Predicate::or(nodes.transitions(t).map(Predicate::Enabled)));
            ((0..nodes.transition_count()).map(some).collect(), true, true)
        }
        "Liveness" => {
            let some = |t| Predicate::or(nodes.transitions(t).map(Predicate::Enabled));
            return Some(Asked::Stays((0..nodes.transition_count()).map(some).collect()));
        }
        "StableMarking" => {
            let changed = |place| {
                let sum = tokens(place)?;
                let initially = i64::try_from(sum.value(net.initial())).ok()?;
                let more = Predicate::at_most(sum.negated(), -initially.checked_add(1)?);
                let fewer = match initially.checked_sub(1) {
                    Some(less) if less >= 0 => Predicate::at_most(sum, less),
                    _ => Predicate::False,
                };
                Some(Predicate::or([more, fewer]).sorted())
            };
            (places.map(changed).collect(), true, false)
        }
        _ => return None,
    };
    Some(Asked::Reach { goals: goals?, all, then })
}
