//! The net of the colours and bindings found.

use super::Statistics;
use super::compile::{Compiled, Tokens, merge};
use super::possible::Possible;
use parikh_net::coloured::{ColouredNet, Folding, SortKind};
use parikh_net::{BuildError, Net, NetBuilder, PlaceId};
use std::fmt::Write as _;

/// Builds the net: colours of a place in ascending order, bindings of a transition in the order of
/// their variables' colours.
pub(super) fn net(
    coloured: &ColouredNet,
    transitions: &[Compiled],
    initial: &[Tokens],
    mut possible: Possible,
    statistics: &mut Statistics,
) -> Result<Net, BuildError> {
    let mut builder = NetBuilder::new(coloured.name());
    let mut name = String::new();
    let mut tokens: Vec<(u64, u64)> = Vec::new();
    let mut starts = Vec::with_capacity(possible.places.len());
    for (place, colours) in coloured.places().iter().zip(&mut possible.places) {
        colours.seal();
        starts.push(builder.place_count());
        let dot = *coloured.sort(place.sort).kind() == SortKind::Dot;
        for &colour in colours.all() {
            name.clear();
            name.push_str(&place.name);
            if !dot {
                name.push('(');
                coloured.write_colour(&mut name, place.sort, colour, false);
                name.push(')');
            }
            unused(&builder, &mut name);
            builder.place(&name, 0)?;
        }
    }
    for (at, bag) in initial.iter().enumerate() {
        tokens.clear();
        bag.evaluate(&[], &mut tokens);
        merge(&mut tokens);
        for &(colour, count) in tokens.iter().filter(|(_, count)| *count > 0) {
            if let Some(rank) = possible.places[at].position(colour) {
                builder.set_tokens(PlaceId::new(starts[at] + rank), count)?;
            }
        }
    }
    let mut counts = Vec::with_capacity(transitions.len());
    for (at, compiled) in transitions.iter().enumerate() {
        let before = statistics.dropped;
        let bindings = sorted(std::mem::take(&mut possible.bindings[at]), compiled.variables.len());
        let mut binding = vec![0u64; compiled.variables.len()];
        for row in 0..possible.counts[at] {
            for (slot, colour) in binding.iter_mut().enumerate() {
                *colour = u64::from(bindings[row * compiled.variables.len() + slot]);
            }
            // A place that never holds what is taken: only where inputs are no single colours.
            let lacks = compiled.takes.iter().any(|(place, taken)| {
                tokens.clear();
                taken.evaluate(&binding, &mut tokens);
                tokens.iter().any(|&(colour, count)| {
                    count > 0 && possible.places[*place].position(colour).is_none()
                })
            });
            if lacks {
                statistics.dropped += 1;
                continue;
            }
            name.clear();
            name.push_str(&coloured.transitions()[at].name);
            for (slot, &variable) in compiled.variables.iter().enumerate() {
                let variable = coloured.variable(variable);
                name.push(if slot == 0 { '(' } else { ',' });
                let _ = write!(name, "{}=", variable.name);
                coloured.write_colour(&mut name, variable.sort, binding[slot], true);
            }
            if !compiled.variables.is_empty() {
                name.push(')');
            }
            unused(&builder, &mut name);
            let t = builder.transition(&name)?;
            for (arcs, takes) in [(&compiled.takes, true), (&compiled.puts, false)] {
                for (place, moved) in arcs {
                    tokens.clear();
                    moved.evaluate(&binding, &mut tokens);
                    for &(colour, count) in tokens.iter().filter(|(_, count)| *count > 0) {
                        // Outputs were all found, inputs were looked for above.
                        let Some(rank) = possible.places[*place].position(colour) else { continue };
                        let place = PlaceId::new(starts[*place] + rank);
                        match takes {
                            true => builder.take(t, place, count)?,
                            false => builder.put(t, place, count)?,
                        }
                    }
                }
            }
        }
        counts.push(possible.counts[at] - (statistics.dropped - before));
    }
    let places = coloured.places().iter().zip(&possible.places);
    let folding = Folding::new(
        places.map(|(place, colours)| (&*place.name, colours.len())),
        coloured.transitions().iter().zip(counts).map(|(it, count)| (&*it.name, count)),
    );
    drop(possible);
    builder.set_folding(folding.map_err(|_| BuildError::TooLarge)?);
    builder.build()
}

/// Node names are unique but where a model's own ids look like ours; then one gets a mark.
fn unused(builder: &NetBuilder, name: &mut String) {
    while builder.node(name).is_some() {
        name.push('\'');
    }
}

/// The rows of `width` numbers each in ascending order.
fn sorted(bindings: Vec<u32>, width: usize) -> Vec<u32> {
    match width {
        0 => bindings,
        1 => {
            let mut bindings = bindings;
            bindings.sort_unstable();
            bindings
        }
        width => {
            let row = |at: u32| &bindings[at as usize * width..][..width];
            let mut order: Vec<u32> = (0..(bindings.len() / width) as u32).collect();
            order.sort_unstable_by(|&a, &b| row(a).cmp(row(b)));
            order.into_iter().flat_map(|at| row(at).iter().copied()).collect()
        }
    }
}
