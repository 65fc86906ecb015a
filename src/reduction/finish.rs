//! From the working net to a net: names, maps, units, and the virtual places taken out again.

use super::back::Back;
use super::needs::Needs;
use super::outcome::{Findings, Firing};
use super::work::WorkNet;
use crate::net::units::Unit;
use crate::net::{BuildError, Net, NetBuilder, PlaceId, TransitionId, Units};
use std::collections::HashSet;

/// The reduced net and its maps.
pub(super) struct Finished {
    pub(super) net: Net,
    /// By original place: its place in the reduced net, where it still means the same.
    pub(super) places: Vec<Option<PlaceId>>,
    /// By original transition.
    pub(super) transitions: Vec<Option<TransitionId>>,
    /// By transition of the reduced net: its id in the working net.
    pub(super) final_ids: Vec<TransitionId>,
    pub(super) firings: Vec<Firing>,
}

/// Longer names of composed transitions are abbreviated.
const LONGEST_NAME: usize = 80;

pub(super) fn finish(
    original: &Net,
    work: &mut WorkNet,
    back: &Back,
    needs: &Needs,
    findings: &Findings,
) -> Result<Finished, BuildError> {
    let mut builder = NetBuilder::new(original.name());
    let final_ids: Vec<TransitionId> = work.transitions().collect();
    let firings = firings(original, work, needs, &final_ids, findings);
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
            let name = fresh(&builder, composed_name(original, back, t));
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
    if let Some(units) = units(original, work, &builder, &new_places, findings) {
        builder.set_units(units);
    }
    let blurred: HashSet<PlaceId> = work.places().filter(|&p| findings.is_blurred(p)).collect();
    let mut places = new_places;
    blurred.iter().for_each(|p| places[p.index()] = None);
    let net = builder.build()?;
    Ok(Finished { net, places, transitions, final_ids, firings })
}

/// For each protected transition, who puts tokens on its virtual place.
fn firings(
    original: &Net,
    work: &WorkNet,
    needs: &Needs,
    final_ids: &[TransitionId],
    findings: &Findings,
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
        let tokens = findings.fixed_tokens(p).unwrap_or_else(|| work.tokens(p));
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
    findings: &Findings,
) -> Option<Units> {
    let units = original.units()?;
    if work.places().any(|p| findings.is_blurred(p)) {
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
fn composed_name(original: &Net, back: &Back, t: TransitionId) -> String {
    let mut name = String::new();
    let mut open = vec![(t, 1)];
    while let Some((t, count)) = open.pop() {
        if let Some(parts) = back.stands_for(t) {
            // Powers of composed parts are rare; their name says the parts once.
            open.extend(parts.iter().rev().map(|part| (part.transition, part.count)));
            continue;
        }
        let part = original.transition_name(t);
        if name.len() + part.len() > LONGEST_NAME {
            let mut last = t;
            while let Some((t, _)) = open.first().copied() {
                last = t;
                match back.stands_for(t).and_then(<[_]>::last) {
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
