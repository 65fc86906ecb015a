//! The skeleton of a coloured net: the net without colours.
//!
//! ```text
//! sort A = 1..3                              place p 3
//! var x, y: A                                place q
//! place p: A = {all}                         transition t: 2*p -> q
//! place q: A                          ⇒
//! transition t [x < y]: p{x + y} -> q{x}
//! ```
//!
//! A place holds the total number of tokens of the coloured place. A transition moves as many
//! tokens as the coloured one does, whatever the binding. Guards are dropped. If the number of
//! tokens depends on the binding (differences), there is one transition for each combination of
//! numbers that occurs.
//!
//! # Soundness
//! A firing of a coloured transition under a binding changes the totals of the places in the same
//! way as one of its skeleton transitions, which the totals enable. So the totals of every
//! reachable marking are a reachable marking of the skeleton. If a
//! [weakened](SimulatingNet::weakened) goal is unreachable in the skeleton, the goal is unreachable
//! in the coloured net, and a bound of the skeleton is a bound of the coloured net. Reachability in
//! the skeleton implies nothing.
//!
//! A transition is *decided* if the totals decide its enabledness: it has no guard, and takes
//! single tokens by patterns without constants in which no variable occurs twice. Then it is
//! enabled by the right number of tokens of any colours.
//!
//! # Sources
//! Symmetric nets and their skeletons: Chiola, Dutheillet, Franceschinis, Haddad, *Stochastic
//! well-formed colored nets and symmetric modeling applications*, IEEE Trans. Computers 42, no. 11,
//! 1993.

use super::simulating_net::SimulatingNet;
use parikh_net::coloured::{
    BoundColour, ColouredArc, ColouredNet, ColouredTransition, Folding, Guard, Multiset, Term,
    VariableId,
};
use parikh_net::{BuildError, Net, NetBuilder, PlaceId, Predicate, TransitionId};
use std::collections::BTreeSet;

/// The skeleton of a coloured net.
#[derive(Clone, Debug)]
pub struct Skeleton {
    /// The skeleton net, with the transitions whose enabledness the token totals decide.
    abstraction: SimulatingNet,
    /// True if the numbers of tokens moved by every transition are known.
    is_complete: bool,
}

/// The maximum number of bindings that are enumerated to find the numbers of tokens of the
/// differences at one transition.
const MAX_BINDINGS: u64 = 20_000;

/// The maximum number of colours that are processed for the differences at one transition, over all
/// bindings.
const MAX_WORK: u128 = 4_000_000;

/// The maximum number of colours of the multiset of an arc, if it has a difference. An initial
/// marking with a difference may have ten times as many.
const MAX_COLOURS: usize = 1_000_000;

/// The maximum number of skeleton transitions per coloured transition.
const MAX_COPIES: usize = 64;

impl Skeleton {
    /// Builds the skeleton of `coloured`.
    ///
    /// # Errors
    /// When a number of tokens is too large or cannot be computed, or when the skeleton has too
    /// many nodes.
    pub fn of(coloured: &ColouredNet) -> Result<Skeleton, BuildError> {
        let mut builder = NetBuilder::new(coloured.name());
        coloured.assumptions().iter().for_each(|it| builder.assume(it.clone()));
        for place in coloured.places() {
            let tokens = match fixed_token_count(coloured, &place.initial) {
                Some(tokens) => Some(tokens),
                // A multiset with a difference has no number of tokens known in advance, so it is
                // evaluated.
                None => coloured
                    .bag(&place.initial, &[], 10 * MAX_COLOURS)
                    .ok()
                    .map(|bag| token_count(&bag)),
            };
            let tokens = tokens.and_then(|it| u64::try_from(it).ok());
            let p = builder.place(&place.name, 0)?;
            builder.set_tokens(p, tokens.unwrap_or(u64::MAX))?;
        }
        let (mut counts, mut decided, mut complete) = (Vec::new(), Vec::new(), true);
        for transition in coloured.transitions() {
            let arcs: Vec<&ColouredArc> =
                transition.inputs.iter().chain(&transition.outputs).collect();
            let token_numbers = token_combinations(coloured, &arcs);
            complete &= token_numbers.is_some();
            // If the numbers are unknown, the transition exists only so that formulas can name it.
            let token_numbers =
                token_numbers.unwrap_or_else(|| BTreeSet::from([vec![0; arcs.len()]]));
            decided
                .push(token_numbers.len() == 1 && complete && totals_decide(coloured, transition));
            counts.push(token_numbers.len());
            for token_counts in token_numbers {
                let mut name = transition.name.clone();
                // A name with a null character occurs in no model and no command line.
                while builder.node(&name).is_some() {
                    name.push('\0');
                }
                let t = builder.transition(&name)?;
                for (arc_index, (arc, tokens)) in arcs.iter().zip(token_counts).enumerate() {
                    let place = PlaceId::new(arc.place.index());
                    match arc_index < transition.inputs.len() {
                        _ if tokens == 0 => {}
                        true => builder.take(t, place, tokens)?,
                        false => builder.put(t, place, tokens)?,
                    }
                }
            }
        }
        let places = coloured.places().iter().map(|place| (&*place.name, 1));
        let transitions = coloured.transitions().iter().map(|it| &*it.name).zip(counts);
        let folding = Folding::new(places, transitions).map_err(|_| BuildError::TooLarge)?;
        let folding = folding.with_labels(
            coloured.places().iter().map(|place| place.label.as_deref()),
            coloured.transitions().iter().map(|it| it.label.as_deref()),
        );
        builder.set_folding(folding.of_skeleton());
        Ok(Skeleton {
            abstraction: SimulatingNet::new(builder.build()?, decided),
            is_complete: complete,
        })
    }

    /// Returns the net. Its places are the coloured places in order, and its folding lists the
    /// transitions of each coloured transition.
    pub fn net(&self) -> &Net {
        self.abstraction.net()
    }

    /// Returns the skeleton as an abstraction of the coloured net.
    pub fn abstraction(&self) -> &SimulatingNet {
        &self.abstraction
    }

    /// Returns true if invariants of the skeleton hold for the totals of the coloured net. This is
    /// false if the numbers of tokens moved by some transition are unknown.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns the index of the coloured transition that a skeleton transition belongs to.
    pub fn coloured_transition(&self, t: TransitionId) -> usize {
        self.net().folding().map_or(0, |folding| folding.transition_of(t))
    }

    /// Returns the places that a predicate over the net's nodes depends on. A deadlock counts as
    /// depending on no place, because it is recognised when no transition fires.
    pub fn places_of(&self, predicate: &Predicate) -> Vec<PlaceId> {
        let mentions_deadlock = predicate.mentions_deadness();
        match predicate {
            Predicate::And(parts) | Predicate::Or(parts) if mentions_deadlock => {
                let mut places: Vec<_> =
                    parts.iter().flat_map(|part| self.places_of(part)).collect();
                places.sort_unstable();
                places.dedup();
                places
            }
            _ if mentions_deadlock => Vec::new(),
            predicate => predicate.support(self.net()),
        }
    }
}

/// Returns the number of tokens of a multiset of colours.
fn token_count(bag: &parikh_net::coloured::Bag) -> u128 {
    bag.values().map(|&tokens| u128::from(tokens)).sum()
}

/// Returns the number of tokens of a multiset under every binding, or `None` if it contains a
/// difference.
fn fixed_token_count(net: &ColouredNet, multiset: &Multiset) -> Option<u128> {
    match multiset {
        Multiset::Tokens { count, term } => {
            Some(u128::from(*count).saturating_mul(colour_count(net, term)))
        }
        Multiset::Sum(parts) => parts
            .iter()
            .try_fold(0u128, |sum, part| Some(sum.saturating_add(fixed_token_count(net, part)?))),
        Multiset::Difference(..) => None,
    }
}

/// Returns the number of colours that are processed to evaluate a multiset.
fn processed_colours(net: &ColouredNet, multiset: &Multiset) -> u128 {
    match multiset {
        Multiset::Tokens { term, .. } => colour_count(net, term),
        Multiset::Sum(parts) => {
            parts.iter().fold(0, |sum, part| sum.saturating_add(processed_colours(net, part)))
        }
        Multiset::Difference(first, second) => {
            processed_colours(net, first).saturating_add(processed_colours(net, second))
        }
    }
}

/// Returns the number of colours of a term.
fn colour_count(net: &ColouredNet, term: &Term) -> u128 {
    match term {
        Term::All(sort) => net.sort(*sort).size().into(),
        Term::Tuple(parts) => {
            parts.iter().fold(1, |product, part| product.saturating_mul(colour_count(net, part)))
        }
        _ => 1,
    }
}

/// Returns the combinations of numbers of tokens that the arcs of one transition move, with one
/// number per arc in the order of `arcs`. Returns `None` if a limit is exceeded or a number is too
/// large.
fn token_combinations(net: &ColouredNet, arcs: &[&ColouredArc]) -> Option<BTreeSet<Vec<u64>>> {
    let fixed: Vec<Option<u128>> =
        arcs.iter().map(|arc| fixed_token_count(net, &arc.inscription)).collect();
    let mut variables: Vec<VariableId> = Vec::new();
    for (arc, _) in arcs.iter().zip(&fixed).filter(|(_, fixed)| fixed.is_none()) {
        arc.inscription.variables(&mut variables);
    }
    variables.sort_unstable();
    variables.dedup();
    let sizes: Vec<u64> = variables.iter().map(|&variable| net.variable_size(variable)).collect();
    let bindings = sizes.iter().try_fold(1u64, |all, &size| all.checked_mul(size))?;
    if bindings > MAX_BINDINGS {
        return None;
    }
    let mut combinations = BTreeSet::new();
    let mut work = 0u128;
    for number in 0..bindings {
        // The colours of the binding are the digits of `number`, with the sizes of the sorts as
        // radices.
        let mut remaining = number;
        let values = variables.iter().zip(&sizes).map(|(&variable, &size)| {
            let colour = remaining % size;
            remaining /= size;
            BoundColour { variable, colour }
        });
        let binding: Vec<BoundColour> = values.collect();
        let counts = arcs.iter().zip(&fixed).map(|(arc, fixed)| {
            let tokens = match fixed {
                Some(tokens) => *tokens,
                None => {
                    work += processed_colours(net, &arc.inscription);
                    if work > MAX_WORK {
                        return None;
                    }
                    token_count(&net.bag(&arc.inscription, &binding, MAX_COLOURS).ok()?)
                }
            };
            u64::try_from(tokens).ok()
        });
        combinations.insert(counts.collect::<Option<Vec<u64>>>()?);
        if combinations.len() > MAX_COPIES {
            return None;
        }
    }
    Some(combinations)
}

/// Returns true if the token totals of the input places decide whether some binding of the
/// transition is enabled. False may also mean that the criterion is too weak: the guard must be the
/// constant true, and the input arcs must accept any tokens.
fn totals_decide(net: &ColouredNet, transition: &ColouredTransition) -> bool {
    let mut seen = BTreeSet::new();
    transition.guard == Guard::TRUE
        && transition.inputs.iter().all(|arc| accepts_any_tokens(net, &arc.inscription, &mut seen))
}

/// Returns true if any tokens, as many as the multiset has, equal the multiset under some binding.
/// `seen` has the variables of earlier terms, which are bound already. False may also mean that the
/// criterion is too weak, as for every difference.
fn accepts_any_tokens(
    net: &ColouredNet,
    multiset: &Multiset,
    seen: &mut BTreeSet<VariableId>,
) -> bool {
    match multiset {
        Multiset::Tokens { count: 0, .. } => true,
        Multiset::Tokens { count, term } => match net.term_size(term) {
            1 => true,
            _ => *count == 1 && is_free(net, term, seen),
        },
        Multiset::Sum(parts) => parts.iter().all(|part| accepts_any_tokens(net, part, seen)),
        Multiset::Difference(..) => false,
    }
}

/// Returns true if the term takes every colour of its sort under some binding of variables not in
/// `seen`. Adds these variables to `seen`. Returns false for each element of a partition with
/// several elements.
fn is_free(net: &ColouredNet, term: &Term, seen: &mut BTreeSet<VariableId>) -> bool {
    match term {
        _ if net.term_size(term) == 1 => true,
        Term::Variable(variable) => seen.insert(*variable),
        Term::Shift { of, .. } => is_free(net, of, seen),
        Term::Tuple(parts) => parts.iter().all(|part| is_free(net, part, seen)),
        Term::Constant { .. } | Term::Block { .. } | Term::All(_) => false,
    }
}
