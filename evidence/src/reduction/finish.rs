//! Turns the working net into the reduced net: names it, maps its ids to those of the original net,
//! and removes the virtual places.

use super::needs::Needs;
use super::translation::{FiringMap, ReducedNet};
use super::work::WorkNet;
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId};

/// A callback that completes a net before it is built. It receives the builder and the new place of
/// each original place, or `None` if the place was removed.
pub type NetCompletion<'f> = dyn FnMut(&mut NetBuilder, &[Option<PlaceId>]) + 'f;

/// Builds the reduced net of `work`, made from `original` for `needs`. `name` returns the names of
/// composed transitions, which must be unused. `complete` adds everything else, such as labels.
///
/// # Errors
/// When there are too many nodes or arcs, names take too much memory, or a name is in use.
pub fn finish(
    original: &Net,
    work: &WorkNet,
    needs: Needs,
    name: &mut dyn FnMut(&NetBuilder, TransitionId) -> String,
    complete: &mut NetCompletion<'_>,
) -> Result<ReducedNet, BuildError> {
    let mut builder = NetBuilder::new(original.name());
    let final_ids: Vec<TransitionId> = work.transitions().collect();
    let mut places = vec![None; work.place_ids()];
    for p in work.places().filter(|p| p.index() < original.place_count()) {
        places[p.index()] = Some(builder.place(original.place_name(p), work.tokens(p))?);
    }
    // Ids ascend, so the original names are added first and no composed name takes them.
    for &t in &final_ids {
        let new_transition = match t.index() < original.transition_count() {
            true => builder.transition(original.transition_name(t))?,
            false => {
                let name = name(&builder, t);
                builder.transition(&name)?
            }
        };
        // The reduced net has no virtual places, that is, the working net's places that count the
        // firings of protected transitions. Arcs to other places end at places that remain.
        for (p, taken, put) in work.arcs(t) {
            let Some(place) = places[p.index()] else { continue };
            if taken > 0 {
                builder.take(new_transition, place, taken)?;
            }
            if put > 0 {
                builder.put(new_transition, place, put)?;
            }
        }
    }
    places.truncate(original.place_count());
    complete(&mut builder, &places);
    for (p, place) in places.iter_mut().enumerate() {
        *place = place.filter(|_| !work.has_changed_meaning(PlaceId::new(p)));
    }
    let constant = |&p: &PlaceId| Some((p, work.constant(p)?));
    let constant_tokens = needs.support.iter().filter_map(constant).collect();
    let firings = (original.place_count()..work.place_ids()).map(PlaceId::new);
    let firings = firings.map(|p| firing_map(work, p, &final_ids)).collect();
    Ok(ReducedNet {
        net: builder.build()?,
        needs,
        places,
        working_ids: final_ids,
        constant_tokens,
        firings,
    })
}

/// Returns the transitions of the reduced net whose firing includes the protected transition with
/// the virtual place `p`. They are those that add tokens to `p`. If `p` is marked, the reduction
/// itself has already fired the protected transition ([`FiringMap::Fired`]).
fn firing_map(work: &WorkNet, p: PlaceId, final_ids: &[TransitionId]) -> FiringMap {
    let producers = work.producers(p).filter(|&t| work.effect(t, p) > 0);
    // Final ids ascend like the working ids. A removed place has no producers and keeps its tokens.
    let carriers = producers.filter_map(|t| final_ids.binary_search(&t).ok());
    let carriers = carriers.map(TransitionId::new).collect();
    if work.tokens(p) > 0 { FiringMap::Fired(carriers) } else { FiringMap::Carriers(carriers) }
}
