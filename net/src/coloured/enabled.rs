//! Search for a binding that enables a transition. Inputs are matched with the tokens present. All
//! colours of a sort are tried only for variables that no input determines.
//!
//! The next input to match is the input with the fewest possible colours. An input without possible
//! colours ends the branch of the search immediately.

use super::evaluate::{BoundColour, ColouredFireError};
use super::marking::ColouredMarking;
use super::term::{Guard, Multiset, Term, VariableId};
use super::{ColouredNet, ColouredPlaceId, ColouredTransitionId};
use std::collections::BTreeMap;

/// The error for a search for a binding that ended without an answer. The limit of steps was
/// reached, or an inscription had too many colours or tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many bindings to try")]
pub struct GaveUp;

/// An input of a transition that consumes `count` tokens of one colour under every binding. The
/// colour depends on the binding.
struct MatchedInput<'t> {
    place: ColouredPlaceId,
    /// The term whose value is the colour of the tokens taken.
    term: &'t Term,
    /// Number of tokens taken.
    count: u64,
}

struct BindingSearch<'s> {
    net: &'s ColouredNet,
    marking: &'s ColouredMarking,
    /// The transition.
    t: ColouredTransitionId,
    /// The variables of the transition.
    variables: Vec<VariableId>,
    /// The conjuncts of the guard, each with the variables that occur in it.
    guard_conjuncts: Vec<(&'s Guard, Vec<VariableId>)>,
    /// The inputs that are not yet matched with a colour on their place.
    inputs: Vec<MatchedInput<'s>>,
    /// The colours bound so far.
    binding: BTreeMap<VariableId, u64>,
    /// The number of tokens taken by the inputs that are matched with a colour, by place and
    /// colour.
    taken_tokens: BTreeMap<(ColouredPlaceId, u64), u64>,
    /// Number of steps left. A step examines a colour on an input place, tries a colour for a
    /// variable, or checks a complete binding.
    steps_left: &'s mut u64,
}

impl ColouredNet {
    /// Returns a binding that enables `t`. Returns `None` if no binding does. `steps_left` is the
    /// limit of steps, and each step decrements it. A step examines a colour on an input place,
    /// tries a colour for a variable, or checks a complete binding.
    ///
    /// # Errors
    /// If `steps_left` reaches 0 before the search ends, or an inscription has too many colours or
    /// tokens.
    pub fn some_binding(
        &self,
        marking: &ColouredMarking,
        t: ColouredTransitionId,
        steps_left: &mut u64,
    ) -> Result<Option<Vec<BoundColour>>, GaveUp> {
        let transition = self.transition(t);
        let mut inputs = Vec::new();
        for arc in &transition.inputs {
            collect_inputs(arc.place, &arc.inscription, &mut inputs);
        }
        let parts = match &transition.guard {
            Guard::And(parts) => &parts[..],
            guard => std::slice::from_ref(guard),
        };
        let guards = parts.iter().map(|part| {
            let mut read = Vec::new();
            part.variables(&mut read);
            (part, read)
        });
        let mut search = BindingSearch {
            net: self,
            marking,
            t,
            variables: transition.variables(),
            guard_conjuncts: guards.collect(),
            inputs,
            binding: BTreeMap::new(),
            taken_tokens: BTreeMap::new(),
            steps_left,
        };
        search.match_inputs()
    }
}

/// Adds the inputs of one colour in an inscription to `inputs`. A sum contributes each of its
/// summands. Differences and terms with `all` contribute nothing, and are only checked by the
/// firing rule at the end of the search.
fn collect_inputs<'t>(
    place: ColouredPlaceId,
    multiset: &'t Multiset,
    inputs: &mut Vec<MatchedInput<'t>>,
) {
    match multiset {
        Multiset::Tokens { count, term } if *count > 0 && !term.has_all() => {
            inputs.push(MatchedInput { place, term, count: *count });
        }
        Multiset::Sum(parts) => parts.iter().for_each(|part| collect_inputs(place, part, inputs)),
        _ => {}
    }
}

impl BindingSearch<'_> {
    /// Assigns colours to the remaining inputs by backtracking. The next input is the input with
    /// the fewest possible colours. Returns `None` if no binding completes the current assignment.
    fn match_inputs(&mut self) -> Result<Option<Vec<BoundColour>>, GaveUp> {
        let mut most_constrained: Option<(usize, Vec<u64>)> = None;
        for input in 0..self.inputs.len() {
            let possible_colours = self.possible_colours(input)?;
            if most_constrained
                .as_ref()
                .is_none_or(|(_, fewest_colours)| possible_colours.len() < fewest_colours.len())
            {
                most_constrained = Some((input, possible_colours));
            }
        }
        let Some((input, colours)) = most_constrained else { return self.bind_other_variables() };
        let input = self.inputs.swap_remove(input);
        for colour in colours {
            let old_binding = self.binding.clone();
            self.bind_to_colour(input.term, colour);
            *self.taken_tokens.entry((input.place, colour)).or_insert(0) += input.count;
            let found = self.match_inputs()?;
            if let Some(taken) = self.taken_tokens.get_mut(&(input.place, colour)) {
                *taken -= input.count;
            }
            self.binding = old_binding;
            if found.is_some() {
                return Ok(found);
            }
        }
        self.inputs.push(input);
        Ok(None)
    }

    /// Returns the colours that an input, given by its index in `inputs`, may take from its place.
    /// A colour must agree with the bound variables and the guard. Also, the place must hold enough
    /// tokens of the colour besides those already taken. Returns an error if no steps are left.
    fn possible_colours(&mut self, input: usize) -> Result<Vec<u64>, GaveUp> {
        let MatchedInput { place, term, count } = self.inputs[input];
        let mut possible_colours = Vec::new();
        let marking = self.marking;
        for (&colour, &tokens) in marking.bag(place) {
            self.count_step()?;
            let taken = self.taken_tokens.get(&(place, colour)).copied().unwrap_or(0);
            // The inputs together may consume more tokens than 64 bits hold.
            if tokens.checked_sub(taken).is_none_or(|left| left < count) {
                continue;
            }
            let old_binding = self.binding.clone();
            if self.bind_to_colour(term, colour) && self.guards_hold() {
                possible_colours.push(colour);
            }
            self.binding = old_binding;
        }
        Ok(possible_colours)
    }

    /// Binds the variables of a term so that the term evaluates to `colour`. Returns false if no
    /// values of the unbound variables give this colour; some variables may then be bound. Returns
    /// true without a comparison for a block of a partition with an unbound variable.
    fn bind_to_colour(&mut self, term: &Term, colour: u64) -> bool {
        if !self.unify(term, colour) {
            return false;
        }
        // The block of a colour does not determine the colour, so a block binds no variable. A term
        // is only compared with `colour` when all its variables are bound.
        let mut read_variables = Vec::new();
        term.variables(&mut read_variables);
        !read_variables.iter().all(|variable| self.binding.contains_key(variable))
            || self.net.colour(term, &self.bound_colours()) == colour
    }

    /// Binds the variables of a term so that the term has the value `colour`. Blocks of partitions
    /// are not compared. Returns false if a bound variable or a constant has another value.
    fn unify(&mut self, term: &Term, colour: u64) -> bool {
        match term {
            Term::Constant { colour: constant, .. } => *constant == colour,
            Term::Variable(variable) => *self.binding.entry(*variable).or_insert(colour) == colour,
            Term::Shift { of, by } => {
                let size = i128::from(self.net.term_size(of));
                let shifted_back = (i128::from(colour) - i128::from(*by)).rem_euclid(size);
                self.unify(of, shifted_back as u64)
            }
            Term::Block { .. } | Term::All(_) => true,
            Term::Tuple(parts) => {
                let mut remaining = colour;
                for part in parts.iter().rev() {
                    let size = self.net.term_size(part);
                    if !self.unify(part, remaining % size) {
                        return false;
                    }
                    remaining /= size;
                }
                true
            }
        }
    }

    /// Returns true if no conjunct of the guard is violated. Conjuncts with unbound variables are
    /// not evaluated.
    fn guards_hold(&self) -> bool {
        let values = self.bound_colours();
        let is_bound = |variable| self.binding.contains_key(variable);
        let mut parts = self.guard_conjuncts.iter();
        parts.all(|(part, variables)| {
            !variables.iter().all(is_bound) || self.net.holds(part, &values)
        })
    }

    fn bound_colours(&self) -> Vec<BoundColour> {
        let value = |(&variable, &colour)| BoundColour { variable, colour };
        self.binding.iter().map(value).collect()
    }

    /// Completes a binding when a colour is assigned to every input. Tries the colours of the
    /// unbound variables, and applies the full firing rule. Returns `None` if no completion enables
    /// the transition.
    fn bind_other_variables(&mut self) -> Result<Option<Vec<BoundColour>>, GaveUp> {
        let unbound = self.variables.iter().filter(|it| !self.binding.contains_key(it)).copied();
        let Some(variable) = unbound.min_by_key(|&it| self.net.variable_size(it)) else {
            self.count_step()?;
            let values = self.bound_colours();
            return match self.net.check_enabled(self.marking, self.t, &values) {
                Ok(_) => Ok(Some(values)),
                Err(ColouredFireError::TooMany(_)) => Err(GaveUp),
                Err(_) => Ok(None),
            };
        };
        for colour in 0..self.net.variable_size(variable) {
            self.count_step()?;
            self.binding.insert(variable, colour);
            if self.guards_hold()
                && let Some(found) = self.bind_other_variables()?
            {
                return Ok(Some(found));
            }
        }
        self.binding.remove(&variable);
        Ok(None)
    }

    fn count_step(&mut self) -> Result<(), GaveUp> {
        *self.steps_left = self.steps_left.checked_sub(1).ok_or(GaveUp)?;
        Ok(())
    }
}
