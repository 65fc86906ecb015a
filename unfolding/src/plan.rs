//! The order in which the variables of a transition are bound, starting from a new colour of one
//! input. Steps without choices come first: checks, lookups and assignments. The input with the
//! fewest choices comes next. A branch over the colours of a single variable comes last.

use super::colours::PossibleColours;
use super::compile::{BindingCheck, ColourPattern, CompiledTransition};

/// A step towards a complete binding.
#[derive(Debug)]
pub(super) enum JoinStep {
    /// Continues only if the check with this index holds.
    Check(usize),
    /// Continues only if the colour of the driver, whose variables are all bound, equals the new
    /// colour. The driver is the input whose new colour starts the plan.
    EqualsNewColour,
    /// Continues only if the colour of this input, whose variables are all bound, is possible and
    /// processed already.
    Member {
        /// The index of the input among the inputs that are a single colour.
        input: usize,
        /// True if the input has the place of the driver and comes before the driver. Its colour
        /// must then differ from the new colour, or the binding would be found twice.
        earlier: bool,
    },
    /// Branches over the processed colours of this input that agree with the bound variables.
    Join {
        /// The index of the input among the inputs that are a single colour.
        input: usize,
        /// True if the input has the place of the driver and comes before the driver. Its colour
        /// must then differ from the new colour, or the binding would be found twice.
        earlier: bool,
        /// The colour index of the input's place, for the lookup by key.
        index: usize,
        /// The leaves, that is, variable terms of the pattern by index, that form the key. The
        /// constant components follow in the key.
        key: Vec<usize>,
        /// The leaves whose variables are bound in this step.
        binds: Vec<usize>,
        /// The leaves that are only compared: another leaf binds their variable in this step, or
        /// they have a block. Leaves with variables bound before this step are part of the key
        /// instead.
        compares: Vec<usize>,
    },
    /// Binds the single variable on one side of an equation to the colour of the other side,
    /// shifted back. `check` is the index of the equation; `left` is true if the variable is on its
    /// left side.
    Assign { check: usize, left: bool },
    /// Branches over all colours of the variable with this position.
    EachColour(usize),
}

/// The steps that complete bindings from a new colour of the input `driver`.
#[derive(Debug)]
pub(super) struct JoinPlan {
    /// The leaves of the driver (variable terms of its pattern, by index) that bind a variable.
    /// Leaves with a block bind nothing.
    pub(super) binds: Vec<usize>,
    /// The leaves of the driver that are only compared, because other leaves bind their variables.
    /// Leaves with a block are not listed: [`JoinStep::EqualsNewColour`] compares them.
    pub(super) compares: Vec<usize>,
    /// The steps after the driver's variables are bound.
    pub(super) steps: Vec<JoinStep>,
}

/// An input arc summand of a single colour.
#[derive(Debug)]
pub(super) struct JoinInput {
    /// The index of the place.
    pub(super) place: usize,
    /// The colour as a function of the binding.
    pub(super) pattern: ColourPattern,
}

/// The state of the planning for one driver.
struct JoinPlanner<'p> {
    transition: &'p CompiledTransition,
    inputs: &'p [JoinInput],
    places: &'p mut [PossibleColours],
    /// The input whose new colour starts the plan; `None` if no input of the transition is a single
    /// colour.
    driver: Option<usize>,
    /// True for the variables bound so far, by position.
    bound: Vec<bool>,
    /// True for the checks that have a step, by index.
    checked: Vec<bool>,
    /// True for the inputs that have a step, by index.
    joined: Vec<bool>,
    steps: Vec<JoinStep>,
}

/// Plans the steps for a new colour of `driver`, or for a transition without inputs of single
/// colours.
pub(super) fn plan(
    transition: &CompiledTransition,
    inputs: &[JoinInput],
    driver: Option<usize>,
    places: &mut [PossibleColours],
) -> JoinPlan {
    let mut planner = JoinPlanner {
        transition,
        inputs,
        places,
        driver,
        bound: vec![false; transition.variables.len()],
        checked: vec![false; transition.checks.len()],
        joined: vec![false; inputs.len()],
        steps: Vec::new(),
    };
    let (mut binds, mut compares) = (Vec::new(), Vec::new());
    let mut equality_is_unchecked = false;
    if let Some(driver) = driver {
        planner.joined[driver] = true;
        (binds, compares) = planner.bind(driver);
        equality_is_unchecked =
            inputs[driver].pattern.variable_terms.iter().any(|leaf| leaf.blocks.is_some());
    }
    loop {
        planner.add_checks();
        if let (true, Some(driver)) = (equality_is_unchecked, driver)
            && planner.is_bound(&inputs[driver].pattern)
        {
            planner.steps.push(JoinStep::EqualsNewColour);
            equality_is_unchecked = false;
        }
        if planner.add_member() || planner.add_assignment() || planner.add_join() {
            continue;
        }
        // If no input determines a variable, the variable with the fewest colours comes first.
        let open = (0..planner.bound.len()).filter(|&slot| !planner.bound[slot]);
        let Some(slot) = open.min_by_key(|&slot| transition.sizes[slot]) else { break };
        planner.bound[slot] = true;
        planner.steps.push(JoinStep::EachColour(slot));
    }
    JoinPlan { binds, compares, steps: planner.steps }
}

impl JoinPlanner<'_> {
    /// Returns true if all variables of the pattern are bound.
    fn is_bound(&self, pattern: &ColourPattern) -> bool {
        pattern.variable_terms.iter().all(|leaf| self.bound[leaf.slot])
    }

    /// Binds the unbound variables of an input, except variables that occur only in blocks. Returns
    /// the leaves that bind, and the leaves that only compare. Leaves with a block are in neither
    /// list.
    fn bind(&mut self, input: usize) -> (Vec<usize>, Vec<usize>) {
        let (mut binds, mut compares) = (Vec::new(), Vec::new());
        for (leaf_index, leaf) in self.inputs[input].pattern.variable_terms.iter().enumerate() {
            match (self.bound[leaf.slot], &leaf.blocks) {
                (false, None) => {
                    self.bound[leaf.slot] = true;
                    binds.push(leaf_index);
                }
                (true, _) => compares.push(leaf_index),
                (false, Some(_)) => {}
            }
        }
        // A leaf with blocks is compared later, with the whole colour.
        compares.retain(|&leaf_index| {
            self.inputs[input].pattern.variable_terms[leaf_index].blocks.is_none()
        });
        (binds, compares)
    }

    /// Adds the checks that have no step yet and whose variables are all bound.
    fn add_checks(&mut self) {
        for (check_index, check) in self.transition.checks.iter().enumerate() {
            let mut read = vec![false; self.bound.len()];
            check.mark_variables(&mut read);
            let is_ready = read.iter().zip(&self.bound).all(|(&read, &bound)| bound || !read);
            if is_ready && !self.checked[check_index] {
                self.checked[check_index] = true;
                self.steps.push(JoinStep::Check(check_index));
            }
        }
    }

    /// Returns true if the input comes before the driver and has the same place. Its colour must
    /// then differ from the new colour.
    fn must_differ_from_new(&self, input: usize) -> bool {
        let place = |input: usize| self.inputs[input].place;
        self.driver.is_some_and(|driver| input < driver && place(input) == place(driver))
    }

    /// Adds a lookup for an input that has no step yet and whose variables are all bound. Returns
    /// false if there is no such input.
    fn add_member(&mut self) -> bool {
        for input in 0..self.inputs.len() {
            if !self.joined[input] && self.is_bound(&self.inputs[input].pattern) {
                self.joined[input] = true;
                let earlier = self.must_differ_from_new(input);
                self.steps.push(JoinStep::Member { input, earlier });
                return true;
            }
        }
        false
    }

    /// Adds an assignment x = f(y) for an equation that has no step yet. One side must be a single
    /// unbound variable x, and all variables of the other side must be bound. Returns false if
    /// there is no such equation.
    fn add_assignment(&mut self) -> bool {
        use parikh_net::coloured::Relation::Equal;
        for (check_index, check) in self.transition.checks.iter().enumerate() {
            let BindingCheck::Compare(Equal, left, right) = check else { continue };
            if self.checked[check_index] {
                continue;
            }
            for (assigned_side, known_side, is_left) in [(left, right, true), (right, left, false)]
            {
                let [leaf] = &assigned_side.variable_terms[..] else { continue };
                let is_plain_variable =
                    assigned_side.constants.is_empty() && leaf.blocks.is_none() && leaf.stride == 1;
                if is_plain_variable && !self.bound[leaf.slot] && self.is_bound(known_side) {
                    self.bound[leaf.slot] = true;
                    self.checked[check_index] = true;
                    self.steps.push(JoinStep::Assign { check: check_index, left: is_left });
                    return true;
                }
            }
        }
        false
    }

    /// Adds a branch over the processed colours of the input with the fewest choices. Inputs with
    /// an unbound variable that occurs only in a block are skipped. Returns false if every input is
    /// joined or skipped.
    fn add_join(&mut self) -> bool {
        let mut best: Option<(u128, usize)> = None;
        for (input, it) in self.inputs.iter().enumerate() {
            let is_unbound = |slot: usize| !self.bound[slot];
            // A block does not determine the variable's colour.
            let is_blocked = it.pattern.variable_terms.iter().any(|leaf| {
                let plain = |other: &super::compile::VariableTerm| {
                    other.blocks.is_none() && other.slot == leaf.slot
                };
                leaf.blocks.is_some()
                    && is_unbound(leaf.slot)
                    && !it.pattern.variable_terms.iter().any(plain)
            });
            if self.joined[input] || is_blocked {
                continue;
            }
            let choices = it.pattern.variable_terms.iter().filter(|leaf| is_unbound(leaf.slot));
            let choices: u128 = choices.map(|leaf| u128::from(leaf.size)).product();
            if best.is_none_or(|(min_choices, _)| choices < min_choices) {
                best = Some((choices, input));
            }
        }
        let Some((_, input)) = best else { return false };
        let earlier = self.must_differ_from_new(input);
        let leaves = &self.inputs[input].pattern.variable_terms;
        let key: Vec<usize> =
            (0..leaves.len()).filter(|&leaf_index| self.bound[leaves[leaf_index].slot]).collect();
        let mut components: Vec<(u64, u64)> = key
            .iter()
            .map(|&leaf_index| (leaves[leaf_index].stride, leaves[leaf_index].size))
            .collect();
        let constants = self.inputs[input].pattern.constants.iter();
        components.extend(constants.map(|&(stride, size, _)| (stride, size)));
        let index = self.places[self.inputs[input].place].index(&components);
        let (binds, mut compares) = self.bind(input);
        compares.retain(|leaf_index| !key.contains(leaf_index));
        // Leaves with a block of a variable bound here are compared afterwards.
        let blocks = self.inputs[input].pattern.variable_terms.iter().enumerate();
        compares.extend(
            blocks
                .filter(|(leaf_index, leaf)| leaf.blocks.is_some() && !key.contains(leaf_index))
                .map(|(leaf_index, _)| leaf_index),
        );
        self.joined[input] = true;
        self.steps.push(JoinStep::Join { input, earlier, index, key, binds, compares });
        true
    }
}
