//! P-flows and T-flows: weighted sums of tokens that never change, and multisets of firings without
//! effect.
//!
//! A *P-flow* (place invariant) is y with y·C = 0: then y·m = y·m₀ for every reachable m. A
//! *T-flow* (transition invariant) is x with C·x = 0: firing x, in a possible order, leads back to
//! the start. A flow without negative coefficient is a *semiflow*.
//!
//! T-flows are given over effect classes, that is, over the distinct effects of transitions. Over
//! transitions there are additional trivial T-flows: t − t′ for two transitions of one class.
//!
//! A basis is complete or absent: when the budget ends, the result is an error.

use super::elimination::left_null_space;
use super::incidence::{incidence, transposed_incidence};
use super::integer::{Integer, SparseVector};
use parikh_net::{EffectId, LinearSum, Marking, Net, PlaceId};
use parikh_solvers::{Budget, ExhaustionReason};
use std::collections::HashMap;
use std::fmt::Write as _;

/// A vector of integers over places, or over effect classes, that is, classes of transitions with
/// the same effect on the marking. The ids ascend, and the vector has no zero entries and no common
/// divisor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow<Id> {
    terms: Box<[(Id, Integer)]>,
}

/// A vector y with y·C = 0.
pub type PlaceFlow = Flow<PlaceId>;

/// A vector x with C·x = 0, one entry per effect class.
pub type TransitionFlow = Flow<EffectId>;

impl<Id: Copy + Ord> Flow<Id> {
    /// Creates a flow from a vector without common divisor. `id` converts an index to an id.
    pub(crate) fn new(vector: SparseVector, id: impl Fn(usize) -> Id) -> Self {
        let terms = vector.into_iter().map(|(index, value)| (id(index as usize), value)).collect();
        Flow { terms }
    }

    /// Returns the terms by ascending id.
    pub fn terms(&self) -> &[(Id, Integer)] {
        &self.terms
    }

    /// Returns the coefficient of `id`, or 0 if it does not occur.
    pub fn coefficient(&self, id: Id) -> Integer {
        let index = self.terms.binary_search_by_key(&id, |term| term.0);
        index.map_or(Integer::ZERO, |index| self.terms[index].1.clone())
    }

    /// Returns true if no coefficient is negative.
    pub fn is_semiflow(&self) -> bool {
        self.terms.iter().all(|(_, value)| value.is_positive())
    }
}

impl PlaceFlow {
    /// Returns the value of the sum in m₀, and so in every reachable marking.
    pub fn constant(&self, initial: &Marking) -> Integer {
        self.terms.iter().fold(Integer::ZERO, |sum, (place, value)| {
            Integer::combine(&Integer::ONE, &sum, value, &Integer::from(initial[*place]))
        })
    }

    /// Returns the flow as a sum of tokens. Returns `None` if the magnitudes of the coefficients
    /// add up to more than 2⁶³ − 1.
    pub fn to_sum(&self) -> Option<LinearSum> {
        let terms: Option<Vec<_>> =
            self.terms.iter().map(|(place, value)| Some((*place, value.to_i64()?))).collect();
        LinearSum::new(terms?).ok()
    }

    /// Checks y·C = 0 by exact arithmetic on the net itself.
    pub fn holds(&self, net: &Net) -> bool {
        let mut products: HashMap<usize, Integer> = HashMap::new();
        for (place, value) in &self.terms {
            let arcs = net.consumers(*place).iter().map(|arc| (arc, Integer::from(arc.weight)));
            let arcs = arcs.map(|(arc, weight)| (arc.transition, -&weight));
            let produced = net.producers(*place).iter();
            let produced = produced.map(|arc| (arc.transition, Integer::from(arc.weight)));
            for (t, weight) in arcs.chain(produced) {
                let product = products.entry(t.index()).or_insert(Integer::ZERO);
                *product = Integer::combine(&Integer::ONE, product, value, &weight);
            }
        }
        products.values().all(Integer::is_zero)
    }

    /// Returns the flow as an equation: `idle + 2*busy = 3`.
    pub fn describe(&self, net: &Net) -> String {
        let names = self.terms.iter().map(|(place, value)| (net.place_name(*place), value));
        format!("{} = {}", sum_of(names), self.constant(net.initial()))
    }
}

impl TransitionFlow {
    /// Checks C·x = 0 by exact arithmetic on the net itself.
    pub fn holds(&self, net: &Net) -> bool {
        let mut changes: HashMap<PlaceId, Integer> = HashMap::new();
        for (class, value) in &self.terms {
            for change in net.effect(*class) {
                let sum = changes.entry(change.place).or_insert(Integer::ZERO);
                let delta = Integer::from(change.delta);
                *sum = Integer::combine(&Integer::ONE, sum, value, &delta);
            }
        }
        changes.values().all(Integer::is_zero)
    }

    /// Returns the flow as a sum: `start + stop`, each class named after its first transition.
    pub fn describe(&self, net: &Net) -> String {
        let name = |class: EffectId| net.transition_name(net.class(class)[0]);
        sum_of(self.terms.iter().map(|(class, value)| (name(*class), value)))
    }
}

/// Returns the text of Σ a·name.
pub(super) fn sum_of<'a>(terms: impl Iterator<Item = (&'a str, &'a Integer)>) -> String {
    let mut text = String::new();
    for (name, value) in terms {
        match (text.is_empty(), value.is_negative()) {
            (true, false) => {}
            (true, true) => text.push('-'),
            (false, false) => text.push_str(" + "),
            (false, true) => text.push_str(" - "),
        }
        let magnitude = value.magnitude();
        if magnitude != Integer::ONE {
            let _ = write!(text, "{magnitude}*");
        }
        text.push_str(name);
    }
    text
}

/// Returns a basis of all P-flows, |P| − rank(C) vectors in a deterministic order.
///
/// # Errors
/// Returns an error when the budget ends; there is no partial result.
pub fn place_flows(net: &Net, budget: &Budget) -> Result<Vec<PlaceFlow>, ExhaustionReason> {
    let basis = left_null_space(&incidence(net), budget)?;
    let flows: Vec<_> = basis.into_iter().map(|vector| Flow::new(vector, PlaceId::new)).collect();
    debug_assert!(flows.iter().all(|flow| flow.holds(net)));
    Ok(flows)
}

/// Returns a basis of all T-flows over effect classes, in a deterministic order. Its size is the
/// number of classes minus rank(C).
///
/// # Errors
/// Returns an error when the budget ends; there is no partial result.
pub fn transition_flows(
    net: &Net,
    budget: &Budget,
) -> Result<Vec<TransitionFlow>, ExhaustionReason> {
    let basis = left_null_space(&transposed_incidence(net), budget)?;
    let flows: Vec<_> = basis.into_iter().map(|vector| Flow::new(vector, EffectId::new)).collect();
    debug_assert!(flows.iter().all(|flow| flow.holds(net)));
    Ok(flows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn sums_are_written_with_real_names() {
        let net = text::parse(
            "place idle 3\nplace busy\nplace lock 1\n\
             transition start: 2*idle + lock -> busy\ntransition stop: busy -> 2*idle + lock",
        )
        .unwrap();
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        let sums: Vec<String> = flows.iter().map(|flow| flow.describe(&net)).collect();
        assert_eq!(sums, ["idle + 2*busy = 3", "busy + lock = 1"]);
        let loops = transition_flows(&net, &Budget::unlimited()).unwrap();
        let loops: Vec<String> = loops.iter().map(|flow| flow.describe(&net)).collect();
        assert_eq!(loops, ["start + stop"]);
    }

    #[test]
    fn a_class_without_effect_and_a_constant_place_are_flows_alone() {
        let net =
            text::parse("place p 2\nplace q\ntransition t: p -> p\ntransition u: -> q").unwrap();
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        assert_eq!(flows.len(), 1);
        assert_eq!(flows[0].describe(&net), "p = 2");
        let loops = transition_flows(&net, &Budget::unlimited()).unwrap();
        assert_eq!(loops.iter().map(|flow| flow.describe(&net)).collect::<Vec<_>>(), ["t"]);
    }

    #[test]
    fn weights_near_the_limit_give_exact_flows() {
        let w = i64::MAX;
        let v = w - 1;
        let net = text::parse(&format!(
            "place a 1\nplace b\nplace c\nplace d\n\
             transition ab: {v}*a -> {w}*b\ntransition bc: {v}*b -> {w}*c\n\
             transition cd: {v}*c -> {w}*d"
        ))
        .unwrap();
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        assert_eq!(flows.len(), 1);
        assert!(flows[0].holds(&net) && flows[0].terms().iter().any(|term| term.1.is_big()));
        assert_eq!(flows[0].to_sum(), None);
    }
}
