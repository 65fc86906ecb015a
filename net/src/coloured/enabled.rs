//! Search for a binding that enables a transition: inputs are matched with the tokens present, and
//! the colours of a sort are enumerated only for variables that no input determines.
//!
//! The next input is the one with the fewest fitting tokens; an input without any ends the branch
//! immediately.

use super::evaluate::{BoundColour, ColouredFireError};
use super::marking::ColouredMarking;
use super::term::{Guard, Multiset, Term, VariableId};
use super::{ColouredNet, ColouredPlaceId, ColouredTransitionId};
use std::collections::BTreeMap;

/// The error for a search that used up its steps without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many bindings to try")]
pub struct GaveUp;

/// Tokens of a single colour that a transition takes under every binding.
struct MatchedInput<'t> {
    place: ColouredPlaceId,
    /// The term of the colour.
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
    /// The conjuncts of the guard with their variables.
    guards: Vec<(&'s Guard, Vec<VariableId>)>,
    /// The inputs that are not matched yet.
    inputs: Vec<MatchedInput<'s>>,
    /// The colours bound so far.
    binding: BTreeMap<VariableId, u64>,
    /// The tokens taken by the inputs matched so far.
    taken_tokens: BTreeMap<(ColouredPlaceId, u64), u64>,
    /// Number of steps left: tokens to examine and colours to try.
    steps_left: &'s mut u64,
}

impl ColouredNet {
    /// Returns a binding that enables `t`, or `None` if there is none. Each token examined and each
    /// colour tried decrements `looks`.
    ///
    /// # Errors
    /// If `looks` reaches 0 first.
    pub fn some_binding(
        &self,
        marking: &ColouredMarking,
        t: ColouredTransitionId,
        looks: &mut u64,
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
            guards: guards.collect(),
            inputs,
            binding: BTreeMap::new(),
            taken_tokens: BTreeMap::new(),
            steps_left: looks,
        };
        search.match_inputs()
    }
}

/// Collects the tokens of single colours that an inscription takes under every binding. A sum
/// contributes each of its summands. Differences and terms with `all` contribute nothing; the
/// firing rule checks them at the end.
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
    /// Matches the remaining inputs, the one with the fewest possible colours first.
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

    /// Returns the colours on the place that an input may take, given the variables bound and the
    /// tokens taken so far.
    fn possible_colours(&mut self, input: usize) -> Result<Vec<u64>, GaveUp> {
        let MatchedInput { place, term, count } = self.inputs[input];
        let mut possible_colours = Vec::new();
        let marking = self.marking;
        for (&colour, &tokens) in marking.bag(place) {
            self.count_step()?;
            let taken = self.taken_tokens.get(&(place, colour)).copied().unwrap_or(0);
            if tokens < taken + count {
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

    /// Binds the variables of a term so that it evaluates to this colour. Returns false if that is
    /// impossible.
    fn bind_to_colour(&mut self, term: &Term, colour: u64) -> bool {
        if !self.unify(term, colour) {
            return false;
        }
        // A block does not determine its variable, so it is compared once the variable is bound.
        let mut read_variables = Vec::new();
        term.variables(&mut read_variables);
        !read_variables.iter().all(|variable| self.binding.contains_key(variable))
            || self.net.colour(term, &self.bound_colours()) == colour
    }

    /// Binds the variables of a term so that it has this colour, without comparing blocks. Returns
    /// false if a bound variable or a constant differs.
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

    /// Returns true if all guard conjuncts with bound variables hold.
    fn guards_hold(&self) -> bool {
        let values = self.bound_colours();
        let is_bound = |variable| self.binding.contains_key(variable);
        let mut parts = self.guards.iter();
        parts.all(|(part, variables)| {
            !variables.iter().all(is_bound) || self.net.holds(part, &values)
        })
    }

    fn bound_colours(&self) -> Vec<BoundColour> {
        let value = |(&variable, &colour)| BoundColour { variable, colour };
        self.binding.iter().map(value).collect()
    }

    /// Handles the case that all inputs are matched: enumerates the other variables, then applies
    /// the full firing rule.
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
