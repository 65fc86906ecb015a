//! From the working net to a net for people: with names that say what transitions stand for, labels
//! and units.

use super::back::Back;
use parikh_evidence::reduction::{self, Needs, ReducedNet, WorkNet};
use parikh_net::units::Unit;
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId, Units};

/// Longer names of composed transitions are abbreviated.
const LONGEST_NAME: usize = 80;

/// The reduced net that `work` comes to, made of `original` for `needs`.
///
/// # Errors
/// For want of ids or of room for names.
pub(super) fn finish(
    original: &Net,
    work: &WorkNet,
    needs: Needs,
    back: &Back,
) -> Result<ReducedNet, BuildError> {
    let mut name = |builder: &NetBuilder, t| fresh(builder, composed_name(original, back, t));
    let mut complete = |builder: &mut NetBuilder, places: &[Option<PlaceId>]| {
        for p in original.places() {
            if let (Some(place), Some(label)) = (places[p.index()], original.place_label(p)) {
                builder.label_place(place, label);
            }
        }
        for (new, t) in work.transitions().enumerate() {
            if t.index() < original.transition_count()
                && let Some(label) = original.transition_label(t)
            {
                builder.label_transition(TransitionId::new(new), label);
            }
        }
        if let Some(units) = units(original, work, builder, places) {
            builder.set_units(units);
        }
    };
    reduction::finish(original, work, needs, &mut name, &mut complete)
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
    Units::new(
        shrunk.collect(),
        units.root(),
        original.safe_units().is_some(),
        &builder.initial(),
        name,
    )
    .ok()
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

/// `a.b` for a then b, `a.b_3` for repetitions, `first...last` beyond [`LONGEST_NAME`] bytes: ids
/// as XML has them, if the parts are.
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
