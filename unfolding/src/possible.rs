//! The colours that places may hold, and the bindings that may fire. They form the least sets with
//! two properties. Initial colours are possible. A binding whose guard holds and whose input
//! colours are possible makes its output colours possible. Tokens are never removed in this
//! computation, so it overapproximates the behaviour.
//!
//! Colours are processed one after the other. A new colour of an input of a transition binds some
//! of its variables. The other variables are bound along a [`JoinPlan`], by
//! lookups among the processed colours of the other inputs. A binding is found when the last of its
//! input colours is processed. If two inputs have the same new colour, the earlier input counts as
//! last. So every binding is found exactly once, and no search for duplicates is needed.
//!
//! Without the fixpoint, places hold all their colours from the start.
//!
//! Inputs without a single colour (`all`, differences) are not awaited. Bindings that lack such
//! inputs are omitted when the net is built.

use super::UnfoldingError;
use super::colours::PossibleColours;
use super::compile::{CompiledTransition, TokenPattern, merge};
use super::plan::{JoinInput, JoinPlan, JoinStep, plan};
use parikh_solvers::Budget;

/// Number of colour lookups between two checks of the budget.
const LOOKUPS_PER_CHECK: u64 = 1 << 12;

/// The possible colours and bindings, that is, the colours and bindings that the unfolding may
/// need.
pub(super) struct PossibleBindings {
    /// The possible colours, by place index.
    pub(super) places: Vec<PossibleColours>,
    /// The bindings of each transition, concatenated, with one colour per variable.
    pub(super) bindings: Vec<Vec<u32>>,
    /// Number of bindings, by transition index.
    pub(super) counts: Vec<usize>,
}

/// The search for the bindings of one transition.
struct BindingRule<'c> {
    transition: &'c CompiledTransition,
    /// The summands of input arcs that are a single colour.
    inputs: Vec<JoinInput>,
    /// A plan for each input. A transition without inputs of single colours has one plan.
    plans: Vec<JoinPlan>,
}

/// The state of the search.
struct PossibleSearch<'b> {
    /// The bindings found, as in [`PossibleBindings::bindings`].
    bindings: Vec<Vec<u32>>,
    /// Number of bindings found, by transition index.
    counts: Vec<usize>,
    /// Output colours that may be new, each preceded by the index of its place.
    output_colours: Vec<(usize, u64)>,
    /// A buffer for evaluated multisets: pairs of a colour and its number of tokens.
    tokens: Vec<(u64, u64)>,
    /// Number of bindings found, of all transitions.
    total: u64,
    /// Upper bound on the number of arcs of the bindings found.
    arcs: u64,
    /// Number of colour lookups.
    lookups: u64,
    limits: super::UnfoldingLimits,
    budget: &'b Budget,
}

impl PossibleBindings {
    /// Computes the possible colours and bindings.
    ///
    /// # Errors
    /// If the limits are exceeded, or if the budget is spent.
    pub(super) fn find(
        transitions: &[CompiledTransition],
        sizes: &[u64],
        initial: &[TokenPattern],
        config: &super::UnfoldingConfig,
        budget: &Budget,
    ) -> Result<PossibleBindings, UnfoldingError> {
        let limits = config.limits;
        let mut places: Vec<PossibleColours> =
            sizes.iter().map(|&size| PossibleColours::new(size)).collect();
        let rules: Vec<BindingRule<'_>> = transitions
            .iter()
            .map(|transition| BindingRule::new(transition, &mut places))
            .collect();
        // The inputs that each place supplies, as transition and input index.
        let mut inputs_of_place: Vec<Vec<(usize, usize)>> = vec![Vec::new(); places.len()];
        for (t, rule) in rules.iter().enumerate() {
            for (input_index, input) in rule.inputs.iter().enumerate() {
                inputs_of_place[input.place].push((t, input_index));
            }
        }
        let mut search = PossibleSearch {
            bindings: vec![Vec::new(); transitions.len()],
            counts: vec![0; transitions.len()],
            output_colours: Vec::new(),
            tokens: Vec::new(),
            total: 0,
            arcs: 0,
            lookups: 0,
            limits,
            budget,
        };
        let mut colours = 0u64;
        for (place, tokens) in initial.iter().enumerate() {
            colours = colours.saturating_add(tokens.size());
            if colours > limits.places {
                return Err(UnfoldingError::Colours(limits.places));
            }
            search.tokens.clear();
            tokens.evaluate(&[], &mut search.tokens);
            merge(&mut search.tokens);
            for &(colour, _) in &search.tokens {
                places[place].add(colour);
            }
        }
        if !config.fixpoint {
            for (place, &size) in places.iter_mut().zip(sizes) {
                colours = colours.saturating_add(size);
                if colours > limits.places {
                    return Err(UnfoldingError::Colours(limits.places));
                }
                for colour in 0..size {
                    place.add(colour);
                }
            }
        }
        for (t, rule) in rules.iter().enumerate() {
            if rule.inputs.is_empty() {
                let mut binding = vec![0; rule.transition.variables.len()];
                rule.complete(t, 0, 0, 0, &mut binding, &places, &mut search)?;
                search.add_output_colours(&mut places)?;
            }
        }
        // Places that may have unprocessed colours.
        let mut pending_places: Vec<usize> = (0..places.len()).rev().collect();
        while let Some(place) = pending_places.pop() {
            while let Some(colour) = places[place].process_next() {
                for &(t, input_index) in &inputs_of_place[place] {
                    rules[t].bind_new_colour(t, input_index, colour, &places, &mut search)?;
                }
                let grown = search.add_output_colours(&mut places)?;
                pending_places.extend(grown.into_iter().filter(|&other| other != place));
            }
        }
        Ok(PossibleBindings { places, bindings: search.bindings, counts: search.counts })
    }
}

impl<'c> BindingRule<'c> {
    fn new(transition: &'c CompiledTransition, places: &mut [PossibleColours]) -> Self {
        let mut inputs: Vec<JoinInput> = Vec::new();
        for (place, tokens) in &transition.inputs {
            let mut needed = Vec::new();
            tokens.needed_colours(&mut needed);
            for pattern in needed {
                if !inputs.iter().any(|it| it.place == *place && it.pattern == *pattern) {
                    inputs.push(JoinInput { place: *place, pattern: pattern.clone() });
                }
            }
        }
        let plans = match inputs.len() {
            0 => vec![plan(transition, &inputs, None, places)],
            n => (0..n).map(|driver| plan(transition, &inputs, Some(driver), places)).collect(),
        };
        BindingRule { transition, inputs, plans }
    }

    /// Finds the bindings in which the input `driver` takes the new colour, and the other inputs
    /// take processed colours. Earlier inputs of the same place take other colours, so that no
    /// binding is found twice.
    fn bind_new_colour(
        &self,
        t: usize,
        driver: usize,
        colour: u64,
        places: &[PossibleColours],
        search: &mut PossibleSearch<'_>,
    ) -> Result<(), UnfoldingError> {
        search.count_lookup()?;
        let (plan, pattern) = (&self.plans[driver], &self.inputs[driver].pattern);
        if !pattern.constants_fit(colour) {
            return Ok(());
        }
        let mut binding = vec![0; self.transition.variables.len()];
        for &leaf_index in &plan.binds {
            let leaf = &pattern.variable_terms[leaf_index];
            binding[leaf.slot] = leaf.solve(colour);
        }
        let agrees = |&leaf_index: &usize| {
            let leaf = &pattern.variable_terms[leaf_index];
            leaf.value(&binding) == leaf.component(colour)
        };
        if !plan.compares.iter().all(agrees) {
            return Ok(());
        }
        self.complete(t, driver, 0, colour, &mut binding, places, search)
    }

    /// Executes the plan from step `step_index` by recursion. The number of steps limits the depth.
    #[allow(clippy::too_many_arguments, reason = "the state of one search")]
    fn complete(
        &self,
        t: usize,
        driver: usize,
        step_index: usize,
        new_colour: u64,
        binding: &mut [u64],
        places: &[PossibleColours],
        search: &mut PossibleSearch<'_>,
    ) -> Result<(), UnfoldingError> {
        let Some(step) = self.plans[driver].steps.get(step_index) else {
            return self.record(t, binding, places, search);
        };
        match step {
            JoinStep::Check(check) => {
                if !self.transition.checks[*check].holds(binding) {
                    return Ok(());
                }
            }
            JoinStep::EqualsNewColour => {
                if self.inputs[driver].pattern.colour(binding) != new_colour {
                    return Ok(());
                }
            }
            JoinStep::Member { input, earlier } => {
                let JoinInput { place, pattern } = &self.inputs[*input];
                let colour = pattern.colour(binding);
                if (*earlier && colour == new_colour) || !places[*place].is_processed(colour) {
                    return Ok(());
                }
            }
            JoinStep::Assign { check, left } => {
                let super::compile::BindingCheck::Compare(_, a, b) =
                    &self.transition.checks[*check]
                else {
                    return Ok(());
                };
                let (bound_side, known_side) = if *left { (a, b) } else { (b, a) };
                let leaf = &bound_side.variable_terms[0];
                binding[leaf.slot] = leaf.solve(known_side.colour(binding));
            }
            JoinStep::EachColour(slot) => {
                for colour in 0..self.transition.sizes[*slot] {
                    binding[*slot] = colour;
                    search.count_lookup()?;
                    self.complete(t, driver, step_index + 1, new_colour, binding, places, search)?;
                }
                return Ok(());
            }
            JoinStep::Join { input, earlier, index, key, binds, compares } => {
                let JoinInput { place, pattern } = &self.inputs[*input];
                let key_number = key.iter().fold(0, |key_number, &leaf_index| {
                    let leaf = &pattern.variable_terms[leaf_index];
                    key_number * leaf.size + leaf.value(binding)
                });
                let constants = pattern.constants.iter();
                let key_number = constants
                    .fold(key_number, |key_number, &(_, size, value)| key_number * size + value);
                for &colour in places[*place].colours_with_key(*index, key_number) {
                    search.count_lookup()?;
                    if *earlier && colour == new_colour {
                        continue;
                    }
                    for &leaf_index in binds {
                        let leaf = &pattern.variable_terms[leaf_index];
                        binding[leaf.slot] = leaf.solve(colour);
                    }
                    let agrees = |&leaf_index: &usize| {
                        let leaf = &pattern.variable_terms[leaf_index];
                        leaf.value(binding) == leaf.component(colour)
                    };
                    if compares.iter().all(agrees) {
                        self.complete(
                            t,
                            driver,
                            step_index + 1,
                            new_colour,
                            binding,
                            places,
                            search,
                        )?;
                    }
                }
                return Ok(());
            }
        }
        self.complete(t, driver, step_index + 1, new_colour, binding, places, search)
    }

    /// Records a binding and its output colours.
    fn record(
        &self,
        t: usize,
        binding: &[u64],
        places: &[PossibleColours],
        search: &mut PossibleSearch<'_>,
    ) -> Result<(), UnfoldingError> {
        search.total += 1;
        search.counts[t] += 1;
        let arcs = self.transition.inputs.iter().chain(&self.transition.outputs);
        search.arcs = arcs.fold(search.arcs, |sum, (_, tokens)| sum.saturating_add(tokens.size()));
        if search.total > search.limits.bindings || search.arcs > search.limits.arcs {
            return Err(search.too_large());
        }
        // The number of colours was checked at compilation.
        search.bindings[t].extend(binding.iter().map(|&colour| colour as u32));
        for (place, tokens) in &self.transition.outputs {
            search.tokens.clear();
            tokens.evaluate(binding, &mut search.tokens);
            for &(colour, count) in &search.tokens {
                if count > 0 && places[*place].position(colour).is_none() {
                    search.output_colours.push((*place, colour));
                }
            }
        }
        Ok(())
    }
}

impl PossibleSearch<'_> {
    /// Returns the error that the unfolding exceeds the limits.
    fn too_large(&self) -> UnfoldingError {
        UnfoldingError::TooLarge { bindings: self.total, arcs: self.arcs }
    }

    /// Counts a lookup, and checks the budget regularly.
    fn count_lookup(&mut self) -> Result<(), UnfoldingError> {
        self.lookups += 1;
        if self.lookups.is_multiple_of(LOOKUPS_PER_CHECK)
            && let Some(exhausted) = self.budget.exhausted()
        {
            return Err(UnfoldingError::Spent(exhausted));
        }
        match self.lookups > self.limits.tries {
            true => Err(UnfoldingError::Tries(self.limits.tries)),
            false => Ok(()),
        }
    }

    /// Adds the recorded output colours to their places. Returns the places with new colours.
    fn add_output_colours(
        &mut self,
        places: &mut [PossibleColours],
    ) -> Result<Vec<usize>, UnfoldingError> {
        let mut grown = Vec::new();
        for (place, colour) in std::mem::take(&mut self.output_colours) {
            if places[place].add(colour) {
                if grown.last() != Some(&place) && !grown.contains(&place) {
                    grown.push(place);
                }
                if places[place].len() as u64 > self.limits.places {
                    return Err(UnfoldingError::Colours(self.limits.places));
                }
            }
        }
        Ok(grown)
    }
}
