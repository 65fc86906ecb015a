//! Modified copies of nets.

use fastrand::Rng;
use parikh_net::{Net, NetBuilder, PlaceId, text};

/// Returns the net with at most one random change: of tokens, an arc, or a weight. Nothing changes
/// if the chosen transition lacks the arc to be changed.
pub(crate) fn mutilated(net: &Net, rng: &mut Rng) -> Net {
    loop {
        let drawn = randomly_changed(net, rng);
        if text::print(&drawn) != text::print(net) {
            return drawn;
        }
    }
}

/// Returns the net with a random change, which may have no effect: an arc may be missing.
fn randomly_changed(net: &Net, rng: &mut Rng) -> Net {
    let mut builder = NetBuilder::new(net.name());
    let lucky = rng.usize(..net.place_count());
    // 0: one more token. 1: the first input arc of a transition is left out. 2: its first output
    // arc is heavier by 1. 3: it has another output arc.
    let kind = rng.usize(..4);
    for place in net.places() {
        let more = u64::from(kind == 0 && place.index() == lucky);
        builder.place(net.place_name(place), net.initial()[place] + more).unwrap();
    }
    let chosen = rng.usize(..net.transition_count().max(1));
    for t in net.transitions() {
        let own = builder.transition(net.transition_name(t)).unwrap();
        let touched = t.index() == chosen;
        for (position, arc) in net.pre(t).iter().enumerate() {
            if !(touched && kind == 1 && position == 0) {
                builder.take(own, arc.place, arc.weight).unwrap();
            }
        }
        for (position, arc) in net.post(t).iter().enumerate() {
            let more = u64::from(touched && kind == 2 && position == 0);
            builder.put(own, arc.place, arc.weight + more).unwrap();
        }
        if touched && kind == 3 {
            builder.put(own, PlaceId::new(lucky), 1).unwrap();
        }
    }
    builder.build().unwrap()
}
