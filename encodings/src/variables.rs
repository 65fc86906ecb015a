//! The variables shared by the parts of an encoding: m(p) for every place, x(e) for every effect
//! class. They are named after places and transitions, so that the output is readable.

use parikh_net::{EffectId, Facts, LinearSum, Net, PlaceId, Provenance};
use parikh_solvers::bits::bits_needed;
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Terms, Variable};
use std::fmt;

/// The kind of numbers for tokens and firings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Numbers {
    /// Linear arithmetic over the reals (LRA): the relaxation.
    Reals,
    /// Linear arithmetic over the integers (LIA).
    Integers,
    /// Bit-vectors whose widths follow the proved bounds; numbers without a bound are integers.
    Bits,
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Numbers::Reals => "LRA",
            Numbers::Integers => "LIA",
            Numbers::Bits => "BV",
        })
    }
}

/// The net, the term arena and the variables of one encoding.
#[derive(Debug)]
pub struct Variables<'n> {
    /// The net.
    pub net: &'n Net,
    /// The arena with the terms of the encoding.
    pub terms: Terms,
    /// The kind of numbers.
    numbers: Numbers,
    /// Proved upper bounds of the tokens, by place index. `None` if no bound is proved.
    bounds: Vec<Option<u64>>,
    /// The variable m(p) of each place, by place index.
    marking: Vec<Variable>,
    /// The variable x(e) of each effect class, by class index. `None` for the class without effect.
    firings: Vec<Option<Variable>>,
}

impl<'n> Variables<'n> {
    /// Creates a variable for every place, and for every effect class with an effect. The proved
    /// bounds among `facts` determine the widths of bit-vectors.
    pub fn new(net: &'n Net, numbers: Numbers, facts: &Facts) -> Self {
        let bound = |place| facts.upper_bound_within(place, Provenance::PROVED);
        let mut variables = Variables {
            net,
            terms: Terms::new(),
            numbers,
            bounds: net.places().map(bound).collect(),
            marking: Vec::with_capacity(net.place_count()),
            firings: Vec::with_capacity(net.effect_count()),
        };
        for place in net.places() {
            let max_tokens = variables.bounds[place.index()];
            let variable =
                variables.number_up_to(&format!("m({})", net.place_name(place)), max_tokens);
            variables.marking.push(variable);
        }
        for effect in net.effect_classes() {
            let has_effect = !net.effect(effect).is_empty();
            let variable = has_effect.then(|| variables.class_number("x", effect));
            variables.firings.push(variable);
        }
        variables
    }

    /// Creates a variable of the encoding's kind of numbers, without an upper bound.
    pub fn number(&mut self, name: &str) -> Variable {
        self.number_up_to(name, None)
    }

    /// Creates a variable of the encoding's kind of numbers for values from 0 to `max_value`, or
    /// without an upper bound for `None`. The variable's type may allow other values.
    pub fn number_up_to(&mut self, name: &str, max_value: Option<u64>) -> Variable {
        match (self.numbers, max_value) {
            (Numbers::Reals, _) => self.terms.real(name),
            (Numbers::Bits, Some(max_value)) => self.terms.bits(name, bits_needed(max_value)),
            (Numbers::Bits, None) | (Numbers::Integers, _) => self.terms.integer(name),
        }
    }

    /// Returns the proved upper bound of each place, by place index. `None` if no bound is proved.
    pub fn bounds(&self) -> &[Option<u64>] {
        &self.bounds
    }

    /// Returns the variable m(p) for the tokens of `place`.
    pub fn tokens(&self, place: PlaceId) -> Variable {
        self.marking[place.index()]
    }

    /// Returns the variable x(e) for the firings of the transitions in an effect class e, or `None`
    /// for the class without effect.
    pub fn firings(&self, effect: EffectId) -> Option<Variable> {
        self.firings[effect.index()]
    }

    /// Creates a variable that belongs to an effect class. It is named "kind(t)" for a class with
    /// one transition t, and "kind(t) and n more" for a larger class with first transition t. So
    /// names of one kind are unique.
    pub fn class_number(&mut self, kind: &str, effect: EffectId) -> Variable {
        let class = self.net.class(effect);
        let name = self.net.transition_name(class[0]);
        let name = match class.len() {
            1 => format!("{kind}({name})"),
            count => format!("{kind}({name}) and {} more", count - 1),
        };
        self.number(&name)
    }

    /// Returns the sum Σ a·m(p) as an expression over m.
    pub fn sum(&self, sum: &LinearSum) -> LinearExpression {
        let mut tokens = LinearExpression::new();
        sum.terms().iter().for_each(|&(place, a)| tokens.add(a, self.tokens(place)));
        tokens
    }

    /// Returns the constraints m ≥ 0, and x ≥ 0 if the encoding has firings.
    pub fn domain(&mut self, with_firings: bool) -> Vec<Term> {
        let mut variables = self.marking.clone();
        if with_firings {
            variables.extend(self.firings.iter().flatten());
        }
        variables.into_iter().map(|variable| self.terms.at_least(variable, 0)).collect()
    }
}
