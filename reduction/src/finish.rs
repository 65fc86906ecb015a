//! Conversion of the working net to the final net, with descriptive transition names, labels and
//! units.

use super::back_translation::BackTranslation;
use parikh_evidence::reduction::{self, Needs, ReducedNet, WorkNet};
use parikh_net::units::Unit;
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId, Units};

/// Approximate limit on the length of a composed transition's name, in bytes. Longer names are
/// abbreviated.
const MAX_NAME_LENGTH: usize = 80;

/// Builds the reduced net from `work`, which was derived from `original` for `needs`.
///
/// # Errors
/// Returns an error if ids or memory for names run out.
pub(super) fn finish(
    original: &Net,
    work: &WorkNet,
    needs: Needs,
    back: &BackTranslation,
) -> Result<ReducedNet, BuildError> {
    let mut name = |builder: &NetBuilder, t| unique_name(builder, composed_name(original, back, t));
    let mut complete = |builder: &mut NetBuilder, places: &[Option<PlaceId>]| {
        for p in original.places() {
            if let (Some(place), Some(label)) = (places[p.index()], original.place_label(p)) {
                builder.label_place(place, label);
            }
        }
        for (new_index, t) in work.transitions().enumerate() {
            if t.index() < original.transition_count()
                && let Some(label) = original.transition_label(t)
            {
                builder.label_transition(TransitionId::new(new_index), label);
            }
        }
        if let Some(units) = remaining_units(original, work, builder, places) {
            builder.set_units(units);
        }
    };
    reduction::finish(original, work, needs, &mut name, &mut complete)
}

/// Returns the original units, restricted to the places that remain in the reduced net. Each
/// reachable marking of the reduced net agrees on these places with a reachable marking of the
/// original net. So a claim that the units are safe still holds. After tokens of a place were
/// merged or scaled this is not so, and the function returns `None`. Also returns `None` if the
/// original net has no units, or if the restricted units are not valid.
fn remaining_units(
    original: &Net,
    work: &WorkNet,
    builder: &NetBuilder,
    places: &[Option<PlaceId>],
) -> Option<Units> {
    let units = original.units()?;
    if work.places().any(|p| work.has_changed_meaning(p)) {
        return None;
    }
    let remaining_units = units.iter().map(|(_, unit)| Unit {
        name: unit.name.clone(),
        places: unit.places.iter().filter_map(|p| places[p.index()]).collect(),
        parent: unit.parent,
    });
    let name = |p: PlaceId| builder.place_name(p);
    // The check fails if a remaining place is in no unit, or if the initial marking violates the
    // claim. Then the units are dropped, which is always sound.
    Units::new(
        remaining_units.collect(),
        units.root(),
        original.safe_units().is_some(),
        &builder.initial(),
        name,
    )
    .ok()
}

/// Returns the name `base`. If another node has this name, a number is appended.
fn unique_name(builder: &NetBuilder, base: String) -> String {
    let mut name = base.clone();
    let mut number = 2;
    while builder.node(&name).is_some() {
        name = format!("{base}_{number}");
        number += 1;
    }
    name
}

/// Returns the name of a composed transition: `a.b` for a then b, `a.b_3` for repetitions of an
/// original transition. If the name would exceed about [`MAX_NAME_LENGTH`] bytes, it has the first
/// parts, `...` and the last part, as in `first...last`. The name is a valid XML id if the parts
/// are, unless the first part alone exceeds the limit.
fn composed_name(original: &Net, back: &BackTranslation, t: TransitionId) -> String {
    let mut name = String::new();
    let mut stack = vec![(t, 1)];
    while let Some((t, count)) = stack.pop() {
        if let Some(steps) = back.expansion(t) {
            // Repetitions of composed parts are rare; their name lists the parts once.
            stack.extend(steps.iter().rev().map(|step| (step.transition, step.count)));
            continue;
        }
        let step_name = original.transition_name(t);
        if name.len() + step_name.len() > MAX_NAME_LENGTH {
            let mut last_transition = t;
            while let Some((t, _)) = stack.first().copied() {
                last_transition = t;
                match back.expansion(t).and_then(<[_]>::last) {
                    Some(step) => stack = vec![(step.transition, 1)],
                    None => break,
                }
            }
            let last_transition = original.transition_name(last_transition);
            return format!("{name}...{last_transition}");
        }
        if !name.is_empty() {
            name.push('.');
        }
        name.push_str(step_name);
        if count > 1 {
            name.push_str(&format!("_{count}"));
        }
    }
    name
}
