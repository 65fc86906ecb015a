//! Construction of the unfolding from the possible colours and bindings.

use super::compile::{CompiledTransition, TokenPattern, merge};
use super::possible::PossibleBindings;
use super::{UnfoldingError, UnfoldingStatistics};
use parikh_net::coloured::{ColouredNet, Folding, SortId, SortKind, Variable, VariableId};
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, TransitionId};
use parikh_solvers::Budget;
use std::sync::Arc;

/// Number of nodes, built or skipped, between two checks of the budget.
const NODES_PER_CHECK: u64 = 1_024;

/// Builds the net. The colours of a place are in ascending order, the bindings of a transition in
/// lexicographic order of their variables' colours.
///
/// # Errors
/// Returns an error if the net becomes too large, a number overflows, or the budget is spent.
pub(super) fn net(
    coloured: &ColouredNet,
    transitions: &[CompiledTransition],
    initial: &[TokenPattern],
    possible: PossibleBindings,
    statistics: &mut UnfoldingStatistics,
    budget: &Budget,
) -> Result<Net, UnfoldingError> {
    let mut build = UnfoldingBuilder {
        coloured,
        possible,
        budget,
        nodes: 0,
        builder: NetBuilder::new(coloured.name()),
        first_place: Vec::with_capacity(coloured.places().len()),
        name: String::new(),
        tokens: Vec::new(),
    };
    build.places()?;
    build.initial_marking(initial)?;
    let mut counts = Vec::with_capacity(transitions.len());
    for (at, compiled) in transitions.iter().enumerate() {
        let dropped = build.transitions(at, compiled)?;
        counts.push(build.possible.counts[at] - dropped);
        statistics.dropped += dropped;
    }
    let UnfoldingBuilder { possible, mut builder, .. } = build;
    builder.set_label(coloured.title());
    coloured.assumptions().iter().for_each(|it| builder.assume(it.clone()));
    let places = coloured.places().iter().zip(&possible.places);
    let folding = Folding::new(
        places.map(|(place, colours)| (&*place.name, colours.len())),
        coloured.transitions().iter().zip(counts).map(|(it, count)| (&*it.name, count)),
    );
    drop(possible);
    let folding = folding.map_err(|_| BuildError::TooLarge)?;
    let folding = folding.with_labels(
        coloured.places().iter().map(|place| place.label.as_deref()),
        coloured.transitions().iter().map(|it| it.label.as_deref()),
    );
    builder.set_folding(folding.with_coloured_net(Arc::new(coloured.clone())));
    Ok(builder.build()?)
}

/// A net under construction.
struct UnfoldingBuilder<'c> {
    coloured: &'c ColouredNet,
    /// The colours and bindings that become nodes.
    possible: PossibleBindings,
    budget: &'c Budget,
    /// Number of nodes, built or skipped, so far.
    nodes: u64,
    builder: NetBuilder,
    /// For each coloured place, the index of the place of its first colour in the unfolded net.
    first_place: Vec<usize>,
    /// The name under construction.
    name: String,
    /// A buffer for the multiset that is evaluated: pairs of a colour and its number of tokens.
    tokens: Vec<(u64, u64)>,
}

impl UnfoldingBuilder<'_> {
    /// Checks the budget once in [`NODES_PER_CHECK`] calls.
    fn check_budget(&mut self) -> Result<(), UnfoldingError> {
        self.nodes += 1;
        let is_due = self.nodes.is_multiple_of(NODES_PER_CHECK);
        let exhausted = is_due.then(|| self.budget.exhausted()).flatten();
        exhausted.map_or(Ok(()), |exhausted| Err(UnfoldingError::Spent(exhausted)))
    }

    /// Adds a place for each colour of each coloured place.
    fn places(&mut self) -> Result<(), UnfoldingError> {
        for (place_index, place) in self.coloured.places().iter().enumerate() {
            self.possible.places[place_index].seal();
            self.first_place.push(self.builder.place_count());
            let is_dot = *self.coloured.sort(place.sort).kind() == SortKind::Dot;
            for rank in 0..self.possible.places[place_index].len() {
                self.check_budget()?;
                let colour = self.possible.places[place_index].colours()[rank];
                self.name.clear();
                self.name.push_str(&place.name);
                if !is_dot {
                    self.name.push('(');
                    self.coloured.write_colour(&mut self.name, place.sort, colour, false);
                    self.name.push(')');
                }
                add_node(&mut self.name, |name| self.builder.place(name, 0))?;
            }
        }
        Ok(())
    }

    /// Sets the initial tokens of each colour.
    fn initial_marking(&mut self, initial: &[TokenPattern]) -> Result<(), UnfoldingError> {
        for (place_index, multiset) in initial.iter().enumerate() {
            self.tokens.clear();
            multiset.evaluate(&[], &mut self.tokens);
            merge(&mut self.tokens);
            for &(colour, count) in self.tokens.iter().filter(|(_, count)| *count > 0) {
                if let Some(rank) = self.possible.places[place_index].position(colour) {
                    self.builder
                        .set_tokens(PlaceId::new(self.first_place[place_index] + rank), count)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a transition for each possible binding of a coloured transition. Returns the number of
    /// possible bindings that are skipped because an input place never holds a required colour.
    fn transitions(
        &mut self,
        transition_index: usize,
        compiled: &CompiledTransition,
    ) -> Result<usize, UnfoldingError> {
        let (count, width) = (self.possible.counts[transition_index], compiled.variables.len());
        let bindings =
            sorted(std::mem::take(&mut self.possible.bindings[transition_index]), &compiled.sizes);
        let labels = compiled.variables.iter();
        let labels: Vec<Vec<String>> =
            labels.map(|&variable| labels_of(self.coloured, variable, count)).collect();
        let mut binding = vec![0u64; width];
        let mut dropped = 0;
        for row in 0..count {
            self.check_budget()?;
            for (slot, colour) in binding.iter_mut().enumerate() {
                *colour = u64::from(bindings[row * width + slot]);
            }
            if self.lacks_an_input(compiled, &binding) {
                dropped += 1;
                continue;
            }
            self.name_binding(transition_index, compiled, &labels, &binding);
            let t = add_node(&mut self.name, |name| self.builder.transition(name))?;
            self.arcs(t, compiled, &binding)?;
        }
        Ok(dropped)
    }

    /// Returns true if the binding requires a colour that its place never holds. The search for
    /// bindings has checked the inputs of a single colour. It has not checked inputs of all colours
    /// and differences of multisets.
    fn lacks_an_input(&mut self, compiled: &CompiledTransition, binding: &[u64]) -> bool {
        compiled.inputs.iter().any(|(place, taken)| {
            self.tokens.clear();
            taken.evaluate(binding, &mut self.tokens);
            self.tokens.iter().any(|&(colour, count)| {
                count > 0 && self.possible.places[*place].position(colour).is_none()
            })
        })
    }

    /// Writes the name of a transition with its binding to the buffer. `labels` has, for each
    /// variable, the texts from [`labels_of`].
    fn name_binding(
        &mut self,
        transition_index: usize,
        compiled: &CompiledTransition,
        labels: &[Vec<String>],
        binding: &[u64],
    ) {
        self.name.clear();
        self.name.push_str(&self.coloured.transitions()[transition_index].name);
        for (slot, &variable) in compiled.variables.iter().enumerate() {
            self.name.push(if slot == 0 { '(' } else { ',' });
            match labels[slot].get(binding[slot] as usize) {
                Some(text) => self.name.push_str(text),
                None => {
                    let Variable { name: variable_name, sort } = self.coloured.variable(variable);
                    self.name.push_str(&label(self.coloured, variable_name, *sort, binding[slot]));
                }
            }
        }
        if !compiled.variables.is_empty() {
            self.name.push(')');
        }
    }

    /// Adds the arcs of a transition for its binding.
    fn arcs(
        &mut self,
        t: TransitionId,
        compiled: &CompiledTransition,
        binding: &[u64],
    ) -> Result<(), UnfoldingError> {
        for (arcs, is_input) in [(&compiled.inputs, true), (&compiled.outputs, false)] {
            for (place_index, moved) in arcs {
                self.tokens.clear();
                moved.evaluate(binding, &mut self.tokens);
                for &(colour, count) in self.tokens.iter().filter(|(_, count)| *count > 0) {
                    // All output colours are possible, and the inputs were checked before.
                    let Some(rank) = self.possible.places[*place_index].position(colour) else {
                        continue;
                    };
                    let place = PlaceId::new(self.first_place[*place_index] + rank);
                    match is_input {
                        true => self.builder.take(t, place, count)?,
                        false => self.builder.put(t, place, count)?,
                    }
                }
            }
        }
        Ok(())
    }
}

/// Adds a node. Appends apostrophes to the name until no other node has it. A collision is possible
/// because an id in the model may look like a name that the unfolding makes, such as `p(red)`.
fn add_node<T>(
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

/// Returns the text of each colour of a variable in names of bindings, such as `x=red`, by colour.
/// Returns an empty list if the variable has more colours than `names`, the number of bindings.
/// Most of these texts would not be used.
fn labels_of(coloured: &ColouredNet, variable: VariableId, names: usize) -> Vec<String> {
    let Variable { name, sort } = coloured.variable(variable);
    let size = coloured.sort(*sort).size();
    let sizes = if size <= names as u64 { 0..size } else { 0..0 };
    sizes.map(|colour| label(coloured, name, *sort, colour)).collect()
}

/// Returns a variable and its colour as text in the name of a binding: `x=red`.
fn label(coloured: &ColouredNet, name: &str, sort: SortId, colour: u64) -> String {
    let mut label = format!("{name}=");
    coloured.write_colour(&mut label, sort, colour, true);
    label
}

/// Sorts the bindings in lexicographic order. Each binding is a row of one colour per variable, and
/// `sizes` has the number of colours of each variable. If fewer than 2⁶⁴ combinations of colours
/// exist, each binding is converted to a number, and the numbers are sorted, which is faster.
fn sorted(bindings: Vec<u32>, sizes: &[u64]) -> Vec<u32> {
    let (width, binding_count) = (
        sizes.len(),
        sizes.iter().try_fold(1u64, |binding_count, &size| binding_count.checked_mul(size)),
    );
    if width < 2 || binding_count.is_none() {
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

/// Sorts rows of `width` numbers in lexicographic order.
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
