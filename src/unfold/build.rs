//! The net of the colours and bindings found.

use super::compile::{Compiled, Tokens, merge};
use super::possible::Possible;
use super::{Declined, Statistics};
use parikh_net::coloured::{ColouredNet, Folding, SortId, SortKind, Variable, VariableId};
use parikh_net::{BuildError, Net, NetBuilder, PlaceId};
use parikh_solvers::Budget;
use std::sync::Arc;

/// Nodes made between two looks at the budget.
const POLLING: u64 = 1_024;

/// Builds the net: colours of a place in ascending order, bindings of a transition in the order of
/// their variables' colours.
///
/// # Errors
/// When the net has more of something than is counted, or the budget is spent.
pub(super) fn net(
    coloured: &ColouredNet,
    transitions: &[Compiled],
    initial: &[Tokens],
    mut possible: Possible,
    statistics: &mut Statistics,
    budget: &Budget,
) -> Result<Net, Declined> {
    let mut nodes = 0u64;
    let mut look = || {
        nodes += 1;
        let exhausted = nodes.is_multiple_of(POLLING).then(|| budget.exhausted()).flatten();
        exhausted.map_or(Ok(()), |exhausted| Err(Declined::Spent(exhausted)))
    };
    let mut builder = NetBuilder::new(coloured.name());
    let mut name = String::new();
    let mut tokens: Vec<(u64, u64)> = Vec::new();
    let mut starts = Vec::with_capacity(possible.places.len());
    for (place, colours) in coloured.places().iter().zip(&mut possible.places) {
        colours.seal();
        starts.push(builder.place_count());
        let dot = *coloured.sort(place.sort).kind() == SortKind::Dot;
        for &colour in colours.all() {
            look()?;
            name.clear();
            name.push_str(&place.name);
            if !dot {
                name.push('(');
                coloured.write_colour(&mut name, place.sort, colour, false);
                name.push(')');
            }
            named(&mut name, |name| builder.place(name, 0))?;
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
        let bindings = sorted(std::mem::take(&mut possible.bindings[at]), &compiled.sizes);
        let labels: Vec<Vec<String>> = (compiled.variables.iter())
            .map(|&variable| labels(coloured, variable, possible.counts[at]))
            .collect();
        let mut binding = vec![0u64; compiled.variables.len()];
        for row in 0..possible.counts[at] {
            look()?;
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
                name.push(if slot == 0 { '(' } else { ',' });
                match labels[slot].get(binding[slot] as usize) {
                    Some(known) => name.push_str(known),
                    None => {
                        let Variable { name: own, sort } = coloured.variable(variable);
                        name.push_str(&label(coloured, own, *sort, binding[slot]));
                    }
                }
            }
            if !compiled.variables.is_empty() {
                name.push(')');
            }
            let t = named(&mut name, |name| builder.transition(name))?;
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
    let folding = folding.map_err(|_| BuildError::TooLarge)?;
    builder.set_folding(folding.of(Arc::new(coloured.clone())));
    Ok(builder.build()?)
}

/// Adds a node. Names are unique but where a model's own ids look like ours; then one gets a mark.
fn named<T>(
    name: &mut String,
    mut add: impl FnMut(&str) -> Result<T, BuildError>,
) -> Result<T, BuildError> {
    loop {
        match add(name) {
            Err(BuildError::DuplicateId(_)) => name.push('\''),
            added => return added,
        }
    }
}

/// What a variable's colours look like in names, `x=red`; where there are no more of them than names.
fn labels(coloured: &ColouredNet, variable: VariableId, names: usize) -> Vec<String> {
    let Variable { name, sort } = coloured.variable(variable);
    let size = coloured.sort(*sort).size();
    let sizes = if size <= names as u64 { 0..size } else { 0..0 };
    sizes.map(|colour| label(coloured, name, *sort, colour)).collect()
}

fn label(coloured: &ColouredNet, name: &str, sort: SortId, colour: u64) -> String {
    let mut label = format!("{name}=");
    coloured.write_colour(&mut label, sort, colour, true);
    label
}

/// The bindings in ascending order. Where a binding fits one number, numbers are sorted.
fn sorted(bindings: Vec<u32>, sizes: &[u64]) -> Vec<u32> {
    let (width, all) =
        (sizes.len(), sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size)));
    if width < 2 || all.is_none() {
        return sorted_rows(bindings, width);
    }
    let number = |row: &[u32]| {
        row.iter().zip(sizes).fold(0, |number, (&colour, &size)| number * size + u64::from(colour))
    };
    let mut numbers: Vec<u64> = bindings.chunks_exact(width).map(number).collect();
    numbers.sort_unstable();
    let mut bindings = bindings;
    for (row, mut number) in bindings.chunks_exact_mut(width).zip(numbers) {
        for (colour, &size) in row.iter_mut().zip(sizes).rev() {
            *colour = (number % size) as u32;
            number /= size;
        }
    }
    bindings
}

/// The rows of `width` numbers each in ascending order.
fn sorted_rows(bindings: Vec<u32>, width: usize) -> Vec<u32> {
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
