//! Components: sets of places that together hold exactly one token, or at most one.
//!
//! State-machine components of a net appear as place invariants Σ m(p) = 1 with coefficients 1.
//! Nested units that the model claims to be safe (NUPN) hold at most one token; results that use
//! them depend on that claim.

use super::tokens::{MaybeLiteral, at_most_one};
use crate::flows::check_flow;
use parikh_net::{LinearSum, Net, PlaceId, TransitionId};
use parikh_solvers::cnf::{Clauses, Literal};
use std::collections::BTreeMap;

/// A set of places that together always hold exactly one token, or at most one token. For a nested
/// unit, this is only a claim of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeComponent {
    /// The places of the component, at least two.
    pub places: Vec<PlaceId>,
    /// True if the component may also hold no token.
    pub may_be_empty: bool,
}

impl SafeComponent {
    /// Returns the components among the sums in `flows`. Such a sum is a place invariant with at
    /// least two places, all coefficients 1, and the value 1 in the initial marking.
    pub fn of_flows<'a>(
        net: &Net,
        flows: impl IntoIterator<Item = &'a LinearSum>,
    ) -> Vec<SafeComponent> {
        let is_component = |flow: &&LinearSum| {
            let terms = flow.terms();
            terms.len() > 1
                && terms.iter().all(|&(_, a)| a == 1)
                && flow.value(net.initial()) == 1
                && check_flow(net, flow).is_ok()
        };
        let places = |flow: &LinearSum| flow.terms().iter().map(|&(place, _)| place).collect();
        let component = |flow| SafeComponent { places: places(flow), may_be_empty: false };
        flows.into_iter().filter(is_component).map(component).collect()
    }

    /// Returns the units with more than one place as components. Returns none unless the model
    /// claims that its units are safe.
    pub fn of_units(net: &Net) -> Vec<SafeComponent> {
        let Some(units) = net.safe_units() else { return Vec::new() };
        let units = units.iter().map(|(_, unit)| unit.places.clone());
        let component = |places| SafeComponent { places, may_be_empty: true };
        units.filter(|places| places.len() > 1).map(component).collect()
    }

    /// Adds the clauses that at most one place of the component is marked in one marking, and at
    /// least one unless the component may be empty. `marked` gives the literal that a place is
    /// marked. Adds no clause if a place is known to be marked.
    pub(super) fn add_clauses(
        &self,
        clauses: &mut impl Clauses,
        marked: impl Fn(PlaceId) -> MaybeLiteral,
    ) {
        let mut open_literals: Vec<Literal> = Vec::with_capacity(self.places.len());
        for &place in &self.places {
            match marked(place) {
                MaybeLiteral::Is(true) => return,
                MaybeLiteral::Is(false) => {}
                MaybeLiteral::Open(literal) => open_literals.push(literal),
            }
        }
        at_most_one(clauses, &open_literals);
        if !self.may_be_empty {
            clauses.clause(&open_literals);
        }
    }
}

/// A component whose marked place is encoded as a number: the index of the place, or the number of
/// places if none is marked.
#[derive(Clone, Debug)]
pub(super) struct CodedComponent {
    /// The places, ascending. The number of a place is its index here.
    pub(super) places: Vec<PlaceId>,
    /// True if the component may hold no token.
    pub(super) may_be_empty: bool,
    /// The transitions that change which place of the component is marked.
    pub(super) moves: Vec<TokenMove>,
}

/// A transition that moves the token of a component.
#[derive(Clone, Copy, Debug)]
pub(super) struct TokenMove {
    /// The transition.
    pub(super) transition: TransitionId,
    /// True if the component held no token before the move.
    pub(super) arrives: bool,
    /// The number of the place that has the token after the move, or the number for "no place is
    /// marked" if the component loses its token.
    pub(super) target_number: usize,
}

impl CodedComponent {
    /// Returns the number of the initially marked place, or the number for "no place is marked".
    pub(super) fn initial_number(&self, net: &Net) -> usize {
        let marked = self.places.iter().position(|&place| net.initial()[place] > 0);
        marked.unwrap_or(self.empty_number())
    }

    /// Returns the number for "no place is marked".
    pub(super) fn empty_number(&self) -> usize {
        self.places.len()
    }

    /// Returns the bits of a number, lowest first. There are as many bits as the greatest number of
    /// the component needs.
    pub(super) fn bits(&self, number: usize) -> impl Iterator<Item = bool> + use<> {
        let greatest = self.places.len() - usize::from(!self.may_be_empty);
        let width = greatest.checked_ilog2().map_or(0, |log| log + 1);
        (0..width).map(move |bit| number >> bit & 1 == 1)
    }

    /// Returns the literals that together state that the binary number in `code` is `number`.
    /// `code` has a literal per bit, lowest first.
    pub(super) fn number_literals(&self, number: usize, code: &[Literal]) -> Vec<Literal> {
        let bits = self.bits(number).zip(code);
        bits.map(|(is_set, &bit)| if is_set { bit } else { !bit }).collect()
    }
}

/// Returns disjoint coded components, and one flag per transition. The flag is true if the
/// transition needs or produces more than one token of a component. Such a transition never fires.
/// Components with more places are chosen first. A component loses the places that it shares with a
/// component chosen earlier, and then it may be empty. It is left out if it has fewer than two
/// places left.
pub(super) fn code_components(
    net: &Net,
    mut components: Vec<SafeComponent>,
) -> (Vec<CodedComponent>, Vec<bool>) {
    let mut coded_components: Vec<CodedComponent> = Vec::new();
    // For each place, by index: the index of its component, and the number of the place in the
    // component. `None` if the place is in no component.
    let mut position_of: Vec<Option<(usize, usize)>> = vec![None; net.place_count()];
    components.sort_by_key(|component| std::cmp::Reverse(component.places.len()));
    for SafeComponent { mut places, mut may_be_empty } in components {
        let size_before = places.len();
        places.retain(|place| position_of[place.index()].is_none());
        places.sort_unstable();
        may_be_empty |= places.len() < size_before;
        if places.len() > 1 {
            let numbered = places.iter().enumerate();
            numbered.for_each(|(number, place)| {
                position_of[place.index()] = Some((coded_components.len(), number))
            });
            coded_components.push(CodedComponent { places, may_be_empty, moves: Vec::new() });
        }
    }
    let mut never_fires = vec![false; net.transition_count()];
    for t in net.transitions() {
        // For each component with an arc of t: the number of the input place, and of the output
        // place, of t in the component.
        let mut touched: BTreeMap<usize, [Option<usize>; 2]> = BTreeMap::new();
        for (side, arcs) in [net.pre(t), net.post(t)].into_iter().enumerate() {
            for arc in arcs {
                let Some((component, number)) = position_of[arc.place.index()] else { continue };
                let source_and_target = touched.entry(component).or_default();
                never_fires[t.index()] |=
                    arc.weight > 1 || source_and_target[side].replace(number).is_some();
            }
        }
        for (component, [from, to]) in touched.into_iter().filter(|(_, [from, to])| from != to) {
            let moved_component = &mut coded_components[component];
            let to = to.unwrap_or(moved_component.empty_number());
            moved_component.moves.push(TokenMove {
                transition: t,
                arrives: from.is_none(),
                target_number: to,
            });
        }
    }
    (coded_components, never_fires)
}
