//! Search for enabled bindings of coloured transitions. The search matches input arcs with the
//! available tokens, starting from a random token. So it never enumerates the colours of a variable
//! that an input determines.
//!
//! The search next matches an input with all variables bound, if there is one. Otherwise it takes
//! the input with the fewest colours on its place. In exhaustive mode it takes the input with the
//! fewest fitting colours instead. Each part of the guard is checked as soon as its variables are
//! bound.

use super::BindingConstraint;
use super::tokens::ColouredTokens;
use parikh_net::coloured::Relation;
use parikh_unfolding::{BindingCheck, ColourPattern, CompiledTransition, merge};
use std::sync::Arc;

/// Result of a search for a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BindingOutcome {
    /// A binding was found. The finder's field `binding` has it.
    Found,
    /// No binding that satisfies the constraints is enabled.
    None,
    /// The limit on inspected tokens and colours was reached.
    LimitReached,
}

/// A part of an input arc that takes tokens of a single colour. The colour depends on the binding.
#[derive(Debug)]
struct BindingInput {
    /// Index of the input place.
    place: usize,
    /// The colour of the tokens, as a function of the variables.
    pattern: ColourPattern,
    /// Number of tokens taken.
    count: u64,
}

/// A transition prepared for firing.
#[derive(Debug)]
pub(super) struct BindingRule {
    /// The transition with its guard and arcs.
    pub(super) compiled: CompiledTransition,
    /// The parts of the input arcs that take tokens of a single colour. A search matches each part
    /// with a colour on its place.
    inputs: Vec<BindingInput>,
    /// For each check of the guard, the variables that it reads.
    variables_of_check: Vec<Vec<usize>>,
    /// True if matching all `inputs` already shows that the marking has the tokens that the
    /// transition takes. Otherwise these tokens are checked separately at the end of a search.
    is_plain: bool,
}

impl BindingRule {
    pub(super) fn new(compiled: CompiledTransition) -> Self {
        let mut inputs = Vec::new();
        let mut is_plain = true;
        for (place, tokens) in &compiled.inputs {
            is_plain &= tokens.single_colours(&mut |count, pattern| {
                inputs.push(BindingInput { place: *place, pattern: pattern.clone(), count });
            });
        }
        let has_blocks = |input: &BindingInput| {
            input.pattern.variable_terms.iter().any(|leaf| leaf.blocks.is_some())
        };
        is_plain &= !inputs.iter().any(has_blocks);
        let reads = compiled.checks.iter().map(|check| {
            let mut is_read = vec![false; compiled.variables.len()];
            check.mark_variables(&mut is_read);
            (0..is_read.len()).filter(|&slot| is_read[slot]).collect()
        });
        BindingRule { variables_of_check: reads.collect(), inputs, is_plain, compiled }
    }
}

/// A search for a binding, with its buffers. It performs one search at a time.
pub(super) struct BindingFinder {
    rng: fastrand::Rng,
    /// The binding found: a colour for each variable of the rule.
    pub(super) binding: Vec<u64>,
    /// For each variable, true if it has a colour in `binding`.
    is_bound_variable: Vec<bool>,
    /// The bound variables, in the order in which they were bound.
    trail: Vec<usize>,
    /// Variables that must have a colour of a given class: the index of the variable, the number of
    /// the class, and the class of each colour.
    required_classes: Vec<(usize, u64, Arc<[u32]>)>,
    /// Indices in `BindingRule::inputs` of the inputs that are not matched yet.
    unmatched_inputs: Vec<usize>,
    /// Tokens taken by the inputs matched so far: place, colour and count.
    taken_tokens: Vec<(usize, u64, u64)>,
    /// Number of tokens and colours that may still be inspected.
    inspections_left: u64,
    /// True if the input with the fewest fitting colours is matched next. Otherwise it is the input
    /// whose place has the fewest colours, which takes less time to determine.
    is_exhaustive: bool,
    /// Buffer for the tokens of an arc.
    scratch: Vec<(u64, u64)>,
}

impl BindingFinder {
    pub(super) fn new(seed: u64) -> Self {
        BindingFinder {
            rng: fastrand::Rng::with_seed(seed),
            binding: Vec::new(),
            is_bound_variable: Vec::new(),
            trail: Vec::new(),
            required_classes: Vec::new(),
            unmatched_inputs: Vec::new(),
            taken_tokens: Vec::new(),
            inspections_left: 0,
            is_exhaustive: false,
            scratch: Vec::new(),
        }
    }

    /// Searches for a binding of `rule` that satisfies `constraints` and is enabled in `marking`.
    /// Inspects at most about `max_inspected` tokens and colours. Constraints on variables that the
    /// transition does not have are ignored. With `is_exhaustive`, inputs with few fitting colours
    /// are matched first. This takes more time per input, but excludes bindings earlier.
    pub(super) fn find(
        &mut self,
        rule: &BindingRule,
        marking: &ColouredTokens,
        max_inspected: u64,
        is_exhaustive: bool,
        constraints: &[BindingConstraint],
    ) -> BindingOutcome {
        (self.inspections_left, self.is_exhaustive) = (max_inspected, is_exhaustive);
        let variables = rule.compiled.variables.len();
        self.binding.clear();
        self.binding.resize(variables, 0);
        self.is_bound_variable.clear();
        self.is_bound_variable.resize(variables, false);
        self.trail.clear();
        self.taken_tokens.clear();
        self.unmatched_inputs.clear();
        self.unmatched_inputs.extend(0..rule.inputs.len());
        self.required_classes.clear();
        for constraint in constraints {
            let (BindingConstraint::Colour(value) | BindingConstraint::Class(value, _)) =
                constraint;
            let Ok(slot) = rule.compiled.variables.binary_search(&value.variable) else { continue };
            match constraint {
                BindingConstraint::Colour(value) => self.bind(slot, value.colour),
                BindingConstraint::Class(value, classes) => {
                    self.required_classes.push((slot, value.colour, Arc::clone(classes)));
                }
            }
        }
        if !self.checks_hold(rule, 0, true) || !self.checks_hold(rule, 0, false) {
            return BindingOutcome::None;
        }
        self.match_inputs(rule, marking)
    }

    /// Matches the remaining inputs and binds the remaining variables. Tries other tokens if this
    /// fails.
    fn match_inputs(&mut self, rule: &BindingRule, marking: &ColouredTokens) -> BindingOutcome {
        let Some(position) = self.next_input(rule, marking) else {
            return self.bind_remaining(rule, marking);
        };
        if self.inspections_left == 0 {
            return BindingOutcome::LimitReached;
        }
        let input_index = self.unmatched_inputs.swap_remove(position);
        let input = &rule.inputs[input_index];
        let place = &marking[input.place];
        let outcome = if self.is_bound(&input.pattern) {
            let colour = input.pattern.colour(&self.binding);
            self.match_input(rule, marking, input_index, colour, place.tokens(colour))
        } else {
            let mut outcome = BindingOutcome::None;
            let start = if place.len() == 0 { 0 } else { self.rng.usize(..place.len()) };
            for position in (start..place.len()).chain(0..start) {
                let (colour, tokens) = place.entry(position);
                outcome = self.match_input(rule, marking, input_index, colour, tokens);
                if outcome != BindingOutcome::None {
                    break;
                }
            }
            outcome
        };
        if outcome == BindingOutcome::None {
            self.unmatched_inputs.push(input_index);
            let last = self.unmatched_inputs.len() - 1;
            self.unmatched_inputs.swap(position, last);
        }
        outcome
    }

    /// Matches an input to this colour, if the colour fits, and continues the search. The place of
    /// the input has `tokens` tokens of this colour.
    fn match_input(
        &mut self,
        rule: &BindingRule,
        marking: &ColouredTokens,
        input_index: usize,
        colour: u64,
        tokens: u64,
    ) -> BindingOutcome {
        let trail_length = self.trail.len();
        let mut outcome = BindingOutcome::None;
        if self.try_bind_input(rule, input_index, colour, tokens) {
            let input = &rule.inputs[input_index];
            self.taken_tokens.push((input.place, colour, input.count));
            outcome = self.match_inputs(rule, marking);
            self.taken_tokens.pop();
        } else if self.inspections_left == 0 {
            outcome = BindingOutcome::LimitReached;
        }
        if outcome != BindingOutcome::Found {
            self.unbind_since(trail_length);
        }
        outcome
    }

    /// Returns the position in `unmatched_inputs` of the input to match next, or `None` if all
    /// inputs are matched.
    fn next_input(&mut self, rule: &BindingRule, marking: &ColouredTokens) -> Option<usize> {
        let is_bound_input = |&position: &usize| {
            self.is_bound(&rule.inputs[self.unmatched_inputs[position]].pattern)
        };
        if let Some(position) = (0..self.unmatched_inputs.len()).find(is_bound_input) {
            return Some(position);
        }
        let mut fewest: Option<(usize, usize)> = None;
        for position in 0..self.unmatched_inputs.len() {
            let input = self.unmatched_inputs[position];
            let smallest_count = fewest.map_or(usize::MAX, |(smallest_count, _)| smallest_count);
            let count = match self.is_exhaustive {
                false => marking[rule.inputs[input].place].len(),
                true => self.count_fitting(rule, marking, input, smallest_count),
            };
            if count < smallest_count {
                fewest = Some((count, position));
            }
        }
        fewest.map(|(_, position)| position)
    }

    /// Returns the number of colours that fit an input, counted up to `max_count` and as long as
    /// inspections are left.
    fn count_fitting(
        &mut self,
        rule: &BindingRule,
        marking: &ColouredTokens,
        input: usize,
        max_count: usize,
    ) -> usize {
        let place = &marking[rule.inputs[input].place];
        let mut count = 0;
        for position in 0..place.len() {
            let (colour, tokens) = place.entry(position);
            let trail_length = self.trail.len();
            count += usize::from(self.try_bind_input(rule, input, colour, tokens));
            self.unbind_since(trail_length);
            if count >= max_count || self.inspections_left == 0 {
                // The exact number is not needed. Either another input has no more fitting colours,
                // or the search ends because no inspections are left.
                return count;
            }
        }
        count
    }

    /// Returns true if all variables of the pattern are bound.
    fn is_bound(&self, pattern: &ColourPattern) -> bool {
        pattern.variable_terms.iter().all(|leaf| self.is_bound_variable[leaf.slot])
    }

    /// Returns true if an input can take its tokens with this colour. Its place has `tokens` tokens
    /// of this colour. Binds the variables of the input. Exception: the colour may depend only on
    /// the block of a variable's colour, that is, its class in a partition. Such a variable is not
    /// bound. If the result is false, the caller must unbind the variables. The result is also
    /// false if no inspections are left.
    fn try_bind_input(
        &mut self,
        rule: &BindingRule,
        input: usize,
        colour: u64,
        tokens: u64,
    ) -> bool {
        if self.inspections_left == 0 {
            return false;
        }
        self.inspections_left -= 1;
        let BindingInput { place, pattern, count } = &rule.inputs[input];
        let already_taken = self.taken_tokens.iter().filter(|it| (it.0, it.1) == (*place, colour));
        if tokens < count + already_taken.map(|it| it.2).sum::<u64>()
            || !pattern.constants_fit(colour)
        {
            return false;
        }
        let trail_length = self.trail.len();
        for term in pattern.variable_terms.iter().filter(|leaf| leaf.blocks.is_none()) {
            if self.is_bound_variable[term.slot] {
                if term.value(&self.binding) != term.component(colour) {
                    return false;
                }
            } else {
                self.bind(term.slot, term.solve(colour));
            }
        }
        // The block of a variable's colour does not determine the colour.
        let bound_blocks = pattern.variable_terms.iter().filter(|leaf| leaf.blocks.is_some());
        let mut bound_blocks = bound_blocks.filter(|leaf| self.is_bound_variable[leaf.slot]);
        bound_blocks.all(|leaf| leaf.value(&self.binding) == leaf.component(colour))
            && self.checks_hold(rule, trail_length, false)
    }

    /// Binds a variable to a colour.
    fn bind(&mut self, slot: usize, colour: u64) {
        self.binding[slot] = colour;
        self.is_bound_variable[slot] = true;
        self.trail.push(slot);
    }

    /// Unbinds all variables that were bound after the first `trail_length` entries of the trail.
    fn unbind_since(&mut self, trail_length: usize) {
        for slot in self.trail.drain(trail_length..) {
            self.is_bound_variable[slot] = false;
        }
    }

    /// Tests the guard for the variables that were bound after the first `trail_length` variables
    /// of the trail. Returns true if two conditions hold. All checks hold that read one of these
    /// variables and no unbound variable. And each of these variables has a colour of its required
    /// class. With `only_constant`, the checks without variables are tested instead.
    fn checks_hold(&self, rule: &BindingRule, trail_length: usize, only_constant: bool) -> bool {
        let newly_bound = &self.trail[trail_length..];
        let in_class = |(slot, class, classes): &(usize, u64, Arc<[u32]>)| {
            let colour = self.binding[*slot] as usize;
            !newly_bound.contains(slot)
                || classes.get(colour).is_some_and(|&it| u64::from(it) == *class)
        };
        if !self.required_classes.iter().all(in_class) {
            return false;
        }
        rule.compiled.checks.iter().zip(&rule.variables_of_check).all(|(check, reads)| {
            let is_relevant = match only_constant {
                true => reads.is_empty(),
                false => reads.iter().any(|slot| newly_bound.contains(slot)),
            };
            !is_relevant
                || !reads.iter().all(|&slot| self.is_bound_variable[slot])
                || check.holds(&self.binding)
        })
    }

    /// Binds the variables that no input has bound, after all inputs are matched. Then checks that
    /// the marking has all tokens that the binding takes, unless the matched inputs show this.
    fn bind_remaining(&mut self, rule: &BindingRule, marking: &ColouredTokens) -> BindingOutcome {
        let sizes = &rule.compiled.sizes;
        let unbound = (0..sizes.len()).filter(|&slot| !self.is_bound_variable[slot]);
        let Some(slot) = unbound.min_by_key(|&slot| sizes[slot]) else {
            return match rule.is_plain || self.has_all_tokens(rule, marking) {
                true => BindingOutcome::Found,
                false => BindingOutcome::None,
            };
        };
        if let Some((slot, colour)) = self.determined_variable(rule) {
            return self.try_colour(rule, marking, slot, colour);
        }
        let start = self.rng.u64(..sizes[slot]);
        for colour in (start..sizes[slot]).chain(0..start) {
            let outcome = self.try_colour(rule, marking, slot, colour);
            if outcome != BindingOutcome::None {
                return outcome;
            }
        }
        BindingOutcome::None
    }

    /// Binds a variable to a colour and continues with the remaining variables, if the guard
    /// permits.
    fn try_colour(
        &mut self,
        rule: &BindingRule,
        marking: &ColouredTokens,
        slot: usize,
        colour: u64,
    ) -> BindingOutcome {
        if self.inspections_left == 0 {
            return BindingOutcome::LimitReached;
        }
        self.inspections_left -= 1;
        let trail_length = self.trail.len();
        self.bind(slot, colour);
        let outcome = match self.checks_hold(rule, trail_length, false) {
            true => self.bind_remaining(rule, marking),
            false => BindingOutcome::None,
        };
        if outcome != BindingOutcome::Found {
            self.unbind_since(trail_length);
        }
        outcome
    }

    /// Returns an unbound variable that is alone on one side of an equation of the guard, if the
    /// other side has only bound variables. Also returns the colour that the equation gives to the
    /// variable. Returns `None` if there is no such equation.
    fn determined_variable(&self, rule: &BindingRule) -> Option<(usize, u64)> {
        for check in &rule.compiled.checks {
            let BindingCheck::Compare(Relation::Equal, left, right) = check else { continue };
            for (side, other_side) in [(left, right), (right, left)] {
                let [term] = &side.variable_terms[..] else { continue };
                let is_simple =
                    side.constants.is_empty() && term.blocks.is_none() && term.stride == 1;
                if is_simple && !self.is_bound_variable[term.slot] && self.is_bound(other_side) {
                    return Some((term.slot, term.solve(other_side.colour(&self.binding))));
                }
            }
        }
        None
    }

    /// Returns true if the marking has all tokens that the binding takes.
    fn has_all_tokens(&mut self, rule: &BindingRule, marking: &ColouredTokens) -> bool {
        let mut places: Vec<usize> = rule.compiled.inputs.iter().map(|it| it.0).collect();
        places.sort_unstable();
        places.dedup();
        places.into_iter().all(|place| {
            self.scratch.clear();
            let arcs = rule.compiled.inputs.iter().filter(|it| it.0 == place);
            arcs.for_each(|(_, tokens)| tokens.evaluate(&self.binding, &mut self.scratch));
            merge(&mut self.scratch);
            self.inspections_left = self.inspections_left.saturating_sub(self.scratch.len() as u64);
            self.scratch.iter().all(|&(colour, count)| marking[place].tokens(colour) >= count)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coloured_walk::tokens;
    use parikh_generate::random_coloured;
    use parikh_net::coloured::{BoundColour, ColouredMarking, text};
    use parikh_unfolding::TermCompiler;

    /// Returns every combination of colours for the variables of a rule.
    fn all_bindings(rule: &BindingRule) -> Vec<Vec<BoundColour>> {
        let mut all = vec![Vec::new()];
        for (&variable, &size) in rule.compiled.variables.iter().zip(&rule.compiled.sizes) {
            let with = |binding: &Vec<BoundColour>, colour| {
                let mut binding = binding.clone();
                binding.push(BoundColour { variable, colour });
                binding
            };
            all = all.iter().flat_map(|binding| (0..size).map(|c| with(binding, c))).collect();
        }
        all
    }

    #[test]
    fn a_binding_is_found_exactly_if_the_firing_rule_allows_one() {
        let (mut found, mut none) = (0, 0);
        for seed in 0..500 {
            let net = random_coloured(seed);
            let transitions = net.transition_ids().zip(net.transitions());
            let rules: Vec<_> = transitions
                .map(|(t, transition)| {
                    (t, BindingRule::new(TermCompiler::transition(&net, transition)))
                })
                .collect();
            let mut finder = BindingFinder::new(seed);
            let mut rng = fastrand::Rng::with_seed(seed);
            let mut marking: ColouredMarking = net.initial(1000).unwrap();
            for _ in 0..30 {
                let bags = net.place_ids().map(|place| {
                    marking.bag(place).iter().map(|(&colour, &tokens)| (colour, tokens)).collect()
                });
                let there = tokens::marking_of(bags);
                let mut next = None;
                for (t, rule) in &rules {
                    let fires = |binding: &[BoundColour]| {
                        let mut after = marking.clone();
                        net.fire(&mut after, *t, binding).is_ok().then_some(after)
                    };
                    let mut bindings = all_bindings(rule);
                    rng.shuffle(&mut bindings);
                    let known = bindings.iter().find_map(|binding| fires(binding));
                    let shown = || format!("seed {seed}\n{}", text::print(&net));
                    for exhaustive in [false, true] {
                        let answer = finder.find(rule, &there, 1 << 40, exhaustive, &[]);
                        let expected = if known.is_some() {
                            BindingOutcome::Found
                        } else {
                            BindingOutcome::None
                        };
                        assert_eq!(answer, expected, "{}", shown());
                        if answer == BindingOutcome::Found {
                            let values = rule.compiled.variables.iter().zip(&finder.binding);
                            let binding: Vec<BoundColour> = values
                                .map(|(&variable, &colour)| BoundColour { variable, colour })
                                .collect();
                            assert!(fires(&binding).is_some(), "{}", shown());
                            found += 1;
                        } else {
                            none += 1;
                        }
                        // A search that reaches its limit never claims that there is no binding.
                        let short = finder.find(rule, &there, rng.u64(0..20), exhaustive, &[]);
                        assert!(
                            short == expected || short == BindingOutcome::LimitReached,
                            "{}",
                            shown()
                        );
                    }
                    next = next.or(known);
                }
                let Some(after) = next else { break };
                if net.place_ids().any(|place| after.total(place) > 100) {
                    break;
                }
                marking = after;
            }
        }
        assert!(found > 1_000 && none > 1_000, "{found} {none}");
    }
}
