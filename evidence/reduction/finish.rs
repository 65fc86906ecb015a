//! From the working net to a net: names, maps, and the virtual places taken out again.

use super::needs::Needs;
use super::translation::{Firing, ReducedNet};
use super::work::WorkNet;
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId};

/// Completes a net before it is built: given what was made so far, and what became of each original
/// place.
pub type Finishing<'f> = dyn FnMut(&mut NetBuilder, &[Option<PlaceId>]) + 'f;

/// The reduced net that `work` comes to, made of `original` for `needs`. `name` is asked for the
/// names of composed transitions, of which no node may have one already; what else there is to a
/// net, such as labels, is left to `complete`.
///
/// # Errors
/// For want of ids or of room for names, or when a name is taken.
pub fn finish(
    original: &Net,
    work: &WorkNet,
    needs: Needs,
    name: &mut dyn FnMut(&NetBuilder, TransitionId) -> String,
    complete: &mut Finishing<'_>,
) -> Result<ReducedNet, BuildError> {
    let mut builder = NetBuilder::new(original.name());
    let final_ids: Vec<TransitionId> = work.transitions().collect();
    let mut places = vec![None; work.place_ids()];
    for p in work.places().filter(|p| p.index() < original.place_count()) {
        places[p.index()] = Some(builder.place(original.place_name(p), work.tokens(p))?);
    }
    // Ids ascend: original names come first, so that no composed one takes them.
    for &t in &final_ids {
        let new = match t.index() < original.transition_count() {
            true => builder.transition(original.transition_name(t))?,
            false => {
                let name = name(&builder, t);
                builder.transition(&name)?
            }
        };
        // Arcs of live transitions end at live places; the virtual ones have no counterpart.
        for (p, taken, put) in work.arcs(t) {
            let Some(place) = places[p.index()] else { continue };
            if taken > 0 {
                builder.take(new, place, taken)?;
            }
            if put > 0 {
                builder.put(new, place, put)?;
            }
        }
    }
    places.truncate(original.place_count());
    complete(&mut builder, &places);
    for (p, place) in places.iter_mut().enumerate() {
        *place = place.filter(|_| !work.is_blurred(PlaceId::new(p)));
    }
    let constant = |&p: &PlaceId| Some((p, work.constant(p)?));
    let fixed = needs.support.iter().filter_map(constant).collect();
    let firings = (original.place_count()..work.place_ids()).map(PlaceId::new);
    let firings = firings.map(|p| firing(work, p, &final_ids)).collect();
    Ok(ReducedNet { net: builder.build()?, needs, places, final_ids, fixed, firings })
}

/// Who puts tokens on the virtual place `p` of a protected transition.
fn firing(work: &WorkNet, p: PlaceId, final_ids: &[TransitionId]) -> Firing {
    let producers = work.producers(p).filter(|&t| work.effect(t, p) > 0);
    // Final ids ascend, as the working ids do. A place that is gone has no producers, and keeps its
    // tokens.
    let carriers = producers.filter_map(|t| final_ids.binary_search(&t).ok());
    let carriers = carriers.map(TransitionId::new).collect();
    if work.tokens(p) > 0 { Firing::Fired(carriers) } else { Firing::By(carriers) }
}
