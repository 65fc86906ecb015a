//! From the working net to a net: names, maps, units, and the virtual places taken out again.

use super::needs::Needs;
use super::translation::{Firing, ReducedNet};
use super::work::WorkNet;
use parikh_net::units::Unit;
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId, Units};

/// Longer names of composed transitions are abbreviated.
const LONGEST_NAME: usize = 80;

/// The reduced net that `work` comes to, made of `original` for `needs`. The rows by place of `work`
/// are gone then.
///
/// # Errors
/// For want of ids or of room for names.
pub fn finish(original: &Net, work: &mut WorkNet, needs: Needs) -> Result<ReducedNet, BuildError> {
    let mut builder = NetBuilder::new(original.name());
    let final_ids: Vec<TransitionId> = work.transitions().collect();
    let firings = firings(original, work, &needs, &final_ids);
    work.forget_rows_of_places();
    let is_virtual = |p: PlaceId| p.index() >= original.place_count();
    let mut new_places = vec![None; original.place_count()];
    for p in work.places().filter(|&p| !is_virtual(p)) {
        let place = builder.place(original.place_name(p), work.tokens(p))?;
        if let Some(label) = original.place_label(p) {
            builder.label_place(place, label);
        }
        new_places[p.index()] = Some(place);
    }
    // Original names first, so that no composed one takes them.
    let mut transitions = vec![None; original.transition_count()];
    for &t in &final_ids {
        let new = if t.index() < original.transition_count() {
            let new = builder.transition(original.transition_name(t))?;
            if let Some(label) = original.transition_label(t) {
                builder.label_transition(new, label);
            }
            transitions[t.index()] = Some(new);
            new
        } else {
            let name = fresh(&builder, composed_name(original, work, t));
            builder.transition(&name)?
        };
        for arc in work.pre(t).iter().filter(|arc| !is_virtual(arc.place)) {
            // Arcs of live transitions end at live places.
            if let Some(place) = new_places[arc.place.index()] {
                builder.take(new, place, arc.weight)?;
            }
        }
        for arc in work.post(t).iter().filter(|arc| !is_virtual(arc.place)) {
            if let Some(place) = new_places[arc.place.index()] {
                builder.put(new, place, arc.weight)?;
            }
        }
    }
    if let Some(units) = units(original, work, &builder, &new_places) {
        builder.set_units(units);
    }
    let blurred = |p: usize| work.is_blurred(PlaceId::new(p));
    let mut places = new_places;
    (0..places.len()).filter(|&p| blurred(p)).for_each(|p| places[p] = None);
    let constant = |&p: &PlaceId| Some((p, work.constant(p)?));
    let fixed = needs.support.iter().filter_map(constant).collect();
    Ok(ReducedNet { net: builder.build()?, needs, places, transitions, final_ids, fixed, firings })
}

/// For each protected transition, who puts tokens on its virtual place.
fn firings(
    original: &Net,
    work: &WorkNet,
    needs: &Needs,
    final_ids: &[TransitionId],
) -> Vec<Firing> {
    let of_virtual = |at: usize| {
        let p = PlaceId::new(original.place_count() + at);
        let carriers: Vec<TransitionId> = if work.has_place(p) {
            let producers = work.producers(p).filter(|&t| work.effect(t, p) > 0);
            // Final ids ascend, as the working ids do.
            producers
                .filter_map(|t| final_ids.binary_search(&t).ok())
                .map(TransitionId::new)
                .collect()
        } else {
            Vec::new()
        };
        // A place that is gone keeps its tokens.
        let tokens = work.tokens(p);
        if tokens > 0 { Firing::Fired(carriers) } else { Firing::By(carriers) }
    };
    (0..needs.protected.len()).map(of_virtual).collect()
}

/// The units over the places that are left. Every marking of the reduced net agrees on them with a
/// reachable one of the original net, unless places were fused: then the units are given up.
fn units(
    original: &Net,
    work: &WorkNet,
    builder: &NetBuilder,
    places: &[Option<PlaceId>],
) -> Option<Units> {
    let units = original.units()?;
    if work.places().any(|p| work.is_blurred(p)) {
        return None;
    }
    let shrunk = units.iter().map(|(_, unit)| Unit {
        name: unit.name.clone(),
        places: unit.places.iter().filter_map(|p| places[p.index()]).collect(),
        parent: unit.parent,
    });
    let name = |p: PlaceId| builder.place_name(p);
    // A refusal would mean that the markings disagree; going without units is always right.
    Units::new(shrunk.collect(), units.root(), units.safe(), &builder.initial(), name).ok()
}

/// `wanted`, or with a number behind it when another node has that name.
fn fresh(builder: &NetBuilder, wanted: String) -> String {
    let mut name = wanted.clone();
    let mut number = 2;
    while builder.node(&name).is_some() {
        name = format!("{wanted}_{number}");
        number += 1;
    }
    name
}

/// `a.b` for a then b, `a.b_3` for repetitions, `first...last` beyond [`LONGEST_NAME`] bytes: ids as
/// XML has them, if the parts are.
fn composed_name(original: &Net, work: &WorkNet, t: TransitionId) -> String {
    let mut name = String::new();
    let mut open = vec![(t, 1)];
    while let Some((t, count)) = open.pop() {
        if let Some(parts) = work.stands_for(t) {
            // Powers of composed parts are rare; their name says the parts once.
            open.extend(parts.iter().rev().map(|part| (part.transition, part.count)));
            continue;
        }
        let part = original.transition_name(t);
        if name.len() + part.len() > LONGEST_NAME {
            let mut last = t;
            while let Some((t, _)) = open.first().copied() {
                last = t;
                match work.stands_for(t).and_then(<[_]>::last) {
                    Some(part) => open = vec![(part.transition, 1)],
                    None => break,
                }
            }
            let last = original.transition_name(last);
            return format!("{name}...{last}");
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(part);
        if count > 1 {
            name.push_str(&format!("_{count}"));
        }
    }
    name
}
