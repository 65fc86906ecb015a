//! Pairs of a mover and an edge of an automaton that may occur at one position of a run.
//!
//! A *mover* is a transition, or stuttering in a dead marking. A firing needs its tokens, so before
//! it every place holds at least the tokens that it consumes, and after it at least those that it
//! produces. An atom keeps its value if the firing changes none of its places. So a pair is
//! contradictory if
//!
//! 1. a literal of the edge about which transition fires next is false of the mover;
//! 2. no marking with at least the tokens that the mover consumes satisfies what the edge reads;
//! 3. no edge may follow. An edge may not follow if no marking with at least the tokens that the
//!    mover produces satisfies what it reads. It also may not follow if it reads the negation of a
//!    literal of this edge, whose value the firing keeps.

use super::RankingFunction;
use crate::certificate::Flaw;
use parikh_net::components::components_of_rows;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Arc, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{Automaton, Cube, Marks};

/// The pairs of an automaton edge and a mover that are not yet excluded, grouped by edge. A mover
/// is a transition, or stuttering in a dead marking.
pub struct Pairs {
    /// The edges, sorted by source state and then by index among the edges of this state.
    edges: Vec<EdgePairs>,
    /// The number of states of the automaton.
    state_count: usize,
    /// The acceptance marks of the automaton.
    all_marks: Marks,
    /// The number of transitions of the net.
    transition_count: usize,
}

/// An edge with one flag per mover, which is true if the pair remains. The last flag is for
/// stuttering in dead markings.
struct EdgePairs {
    /// The source state.
    from: usize,
    /// The index of the edge among the edges of its state.
    edge_index: usize,
    /// The target state.
    to: usize,
    /// The acceptance marks of the edge.
    marks: Marks,
    /// One flag per mover: the transitions by index, then stuttering.
    remains: Vec<bool>,
    /// The number of movers whose pair remains.
    remaining_count: usize,
}

/// The reason that weights and values are not a valid ranking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RankingFlaw {
    /// The ranked sum, that is, the weighted tokens plus the value of the state or node, increases
    /// along a remaining pair.
    #[error("the ranking grows along a remaining pair")]
    Increases,
    /// A place, a state of the automaton or a node of the cover does not exist.
    #[error("the ranking names a place or a state that does not exist")]
    UnknownId,
    /// A number exceeds 127 bits.
    #[error("the numbers exceed 127 bits")]
    TooLarge,
    /// `goes_on` returned false before the end.
    #[error("the check did not finish in time")]
    Stopped,
}

/// The maximum number of pairs of an automaton edge and a mover. Each pair takes a byte of memory
/// during the check.
pub const MAX_PAIRS: usize = 1 << 28;

/// Returns the condition on the marking that a cube states: the conjunction of its literals about
/// markings, without literals about firings.
pub fn read_condition(property: &RunProperty, cube: &Cube) -> Predicate {
    let holds = cube.literals().iter().filter_map(|literal| {
        match &property.atoms()[literal.atom.0 as usize] {
            RunAtom::Holds(predicate) if literal.positive => Some(predicate.clone()),
            RunAtom::Holds(predicate) => Some(predicate.clone().negated()),
            RunAtom::Fires(_) => None,
        }
    });
    Predicate::and(holds)
}

impl Pairs {
    /// Creates the pairs, except those that are found to be contradictory by the conditions of the
    /// module documentation.
    ///
    /// # Errors
    /// [`Flaw::Stopped`]; [`Flaw::TooLarge`] for more than 2²⁸ pairs or 2³¹ states.
    pub fn new(
        net: &Net,
        property: &RunProperty,
        automaton: &Automaton,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Pairs, Flaw> {
        let transitions = net.transition_count();
        let pair_count = automaton.edge_count().saturating_mul(transitions + 1);
        if pair_count > MAX_PAIRS || automaton.states.len() > 1 << 31 {
            return Err(Flaw::TooLarge("too many pairs of transitions and edges".to_owned()));
        }
        let supports: Vec<Vec<PlaceId>> = property
            .atoms()
            .iter()
            .map(|atom| match atom {
                RunAtom::Holds(predicate) => predicate.support(net),
                RunAtom::Fires(_) => Vec::new(),
            })
            .collect();
        let mut max_tokens_in_dead_markings: Vec<Option<u64>> = vec![None; net.place_count()];
        for t in net.transitions() {
            if let [arc] = net.pre(t) {
                let max_tokens = &mut max_tokens_in_dead_markings[arc.place.index()];
                *max_tokens = Some(
                    max_tokens.map_or(arc.weight - 1, |max_tokens| max_tokens.min(arc.weight - 1)),
                );
            }
        }
        let pair_check =
            PairCheck { net, property, automaton, supports, max_tokens_in_dead_markings };
        let mut edges = Vec::with_capacity(automaton.edge_count());
        for (from, state_edges) in automaton.states.iter().enumerate() {
            for (edge_index, edge) in state_edges.iter().enumerate() {
                if !goes_on() {
                    return Err(Flaw::Stopped);
                }
                let movers = net.transitions().map(Some).chain([None]);
                let remains: Vec<bool> = movers
                    .map(|mover| pair_check.is_possible(&edge.cube, edge.target, mover))
                    .collect();
                let count = remains.iter().filter(|&&left| left).count();
                edges.push(EdgePairs {
                    from,
                    edge_index,
                    to: edge.target,
                    marks: edge.marks,
                    remains,
                    remaining_count: count,
                });
            }
        }
        let (states, all_marks) = (automaton.states.len(), Marks::all(automaton.marks));
        Ok(Pairs { edges, state_count: states, all_marks, transition_count: transitions })
    }

    /// Returns true if the pair of a mover and the edge with index `edge_index` among the edges of
    /// `state` remains. The mover `None` is stuttering. Returns false if there is no such edge.
    pub fn remains(&self, state: usize, edge_index: usize, mover: Option<TransitionId>) -> bool {
        // Edges are sorted by source state and then by index among the edges of this state.
        let edge_position = self
            .edges
            .binary_search_by_key(&(state, edge_index), |edge| (edge.from, edge.edge_index));
        let mover_index = mover.map_or(self.transition_count, TransitionId::index);
        edge_position.is_ok_and(|edge| self.edges[edge].remains[mover_index])
    }

    /// Returns the number of all pairs, including the contradictory and the removed pairs.
    pub fn total(&self) -> usize {
        self.edges.len() * (self.transition_count + 1)
    }

    /// Iterates over the edges that have remaining pairs. Each item is the edge (its source state
    /// and its index there), its target state, and the movers of its remaining pairs. The mover
    /// `None` is stuttering.
    pub fn remaining(
        &self,
    ) -> impl Iterator<Item = ((usize, usize), usize, Vec<Option<TransitionId>>)> + '_ {
        self.edges.iter().filter(|edge| edge.remaining_count > 0).map(|edge| {
            let movers = (0..self.transition_count).filter(|&t| edge.remains[t]);
            let movers = movers.map(|t| Some(TransitionId::new(t)));
            let stuttering = edge.remains[self.transition_count].then_some(None);
            ((edge.from, edge.edge_index), edge.to, movers.chain(stuttering).collect())
        })
    }

    /// Removes the pair of a mover and the edge with index `edge_index` among the edges of `state`.
    /// The mover `None` is stuttering.
    pub fn remove(&mut self, state: usize, edge_index: usize, mover: Option<TransitionId>) {
        let mover = mover.map_or(self.transition_count, TransitionId::index);
        for edge in
            self.edges.iter_mut().filter(|edge| (edge.from, edge.edge_index) == (state, edge_index))
        {
            edge.remaining_count -= usize::from(std::mem::take(&mut edge.remains[mover]));
        }
    }

    /// Removes all pairs of the edge with index `edge_index` among the edges of `state`.
    pub fn remove_edge(&mut self, state: usize, edge_index: usize) {
        for edge in
            self.edges.iter_mut().filter(|edge| (edge.from, edge.edge_index) == (state, edge_index))
        {
            edge.remains.fill(false);
            edge.remaining_count = 0;
        }
    }

    /// Removes the pairs inside the component of the state `ranking.state` along which the ranking
    /// decreases. Returns their number. The ranking is valid if it increases along no remaining
    /// pair inside this component.
    ///
    /// # Errors
    /// The reason that the ranking is not valid, or [`RankingFlaw::Stopped`]. Some pairs may have
    /// been removed by then, so `self` must not be used any more.
    pub fn rank(
        &mut self,
        net: &Net,
        ranking: &RankingFunction,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<usize, RankingFlaw> {
        let mut weight = vec![0u64; net.place_count()];
        for &(place, y) in &ranking.weights {
            *weight.get_mut(place.index()).ok_or(RankingFlaw::UnknownId)? = y;
        }
        let mut value = vec![0i64; self.state_count];
        for &(state, z) in &ranking.values {
            *value.get_mut(state).ok_or(RankingFlaw::UnknownId)? = z;
        }
        let changes = net.transitions().map(|t| {
            net.delta(t).iter().try_fold(0i128, |sum, change| {
                let y = i128::from(weight[change.place.index()]);
                sum.checked_add(y.checked_mul(i128::from(change.delta))?)
            })
        });
        // Stuttering changes nothing.
        let changes: Option<Vec<i128>> = changes.chain([Some(0)]).collect();
        let changes = changes.ok_or(RankingFlaw::TooLarge)?;
        let component = self.components();
        let ranked_component = *component.get(ranking.state).ok_or(RankingFlaw::UnknownId)?;
        let is_inside = |edge: &&mut EdgePairs| {
            component[edge.from] == ranked_component && component[edge.to] == ranked_component
        };
        let mut removed_count = 0;
        for edge in self.edges.iter_mut().filter(is_inside) {
            if !goes_on() {
                return Err(RankingFlaw::Stopped);
            }
            let value_change = i128::from(value[edge.to]) - i128::from(value[edge.from]);
            for (left, change) in edge.remains.iter_mut().zip(&changes).filter(|(left, _)| **left) {
                let sum = change.checked_add(value_change).ok_or(RankingFlaw::TooLarge)?;
                if sum > 0 {
                    return Err(RankingFlaw::Increases);
                }
                if sum < 0 {
                    *left = false;
                    edge.remaining_count -= 1;
                    removed_count += 1;
                }
            }
        }
        Ok(removed_count)
    }

    /// Returns, for each state, true if it is one of `initial_states`, or a path of edges with
    /// remaining pairs leads to it from one.
    pub fn reachable_states(&self, initial_states: &[usize]) -> Vec<bool> {
        let mut successors: Vec<Vec<usize>> = vec![Vec::new(); self.state_count];
        for edge in self.edges.iter().filter(|edge| edge.remaining_count > 0) {
            successors[edge.from].push(edge.to);
        }
        let mut reached = vec![false; self.state_count];
        let mut frontier = initial_states.to_vec();
        initial_states.iter().for_each(|&state| reached[state] = true);
        while let Some(state) = frontier.pop() {
            for &next in &successors[state] {
                if !std::mem::replace(&mut reached[next], true) {
                    frontier.push(next);
                }
            }
        }
        reached
    }

    /// Returns a state with `among` true whose strongly connected component contains no state of
    /// `except`. Edges inside this component that start at states with `among` true and have a
    /// remaining pair must together carry all acceptance marks. There must be at least one such
    /// edge. Returns `None` if there is no such state.
    pub fn accepting_state(&self, among: &[bool], except: &[usize]) -> Option<usize> {
        let component = self.components();
        let mut marks: Vec<Option<Marks>> = vec![None; self.state_count];
        for edge in self.edges.iter().filter(|edge| edge.remaining_count > 0 && among[edge.from]) {
            if component[edge.from] == component[edge.to] {
                let component_marks = &mut marks[component[edge.from]];
                *component_marks = Some(component_marks.unwrap_or(Marks::NONE).or(edge.marks));
            }
        }
        let has_all = |state: &usize| {
            among[*state]
                && marks[component[*state]].is_some_and(|marks| self.all_marks.is_subset(marks))
        };
        let is_allowed =
            |state: &usize| except.iter().all(|&excluded| component[excluded] != component[*state]);
        (0..self.state_count).filter(has_all).find(is_allowed)
    }

    /// Returns, by state, the number of its strongly connected component along edges with a
    /// remaining pair.
    pub fn components(&self) -> Vec<usize> {
        let mut successors: Vec<Vec<u32>> = vec![Vec::new(); self.state_count];
        for edge in self.edges.iter().filter(|edge| edge.remaining_count > 0) {
            // The cast is safe: `new` refuses automata of more than 2³¹ states.
            successors[edge.from].push(edge.to as u32);
        }
        let decomposition = components_of_rows(&successors, |&to| to);
        decomposition.component_of.into_iter().map(|component| component as usize).collect()
    }
}

/// The data that decide whether a pair is contradictory.
struct PairCheck<'a> {
    net: &'a Net,
    property: &'a RunProperty,
    automaton: &'a Automaton,
    /// One entry per atom: the places on which its predicate depends. The list is empty for an atom
    /// about firings.
    supports: Vec<Vec<PlaceId>>,
    /// One entry per place: an upper bound on its tokens in dead markings, or `None` if the place
    /// is not the only input of any transition.
    max_tokens_in_dead_markings: Vec<Option<u64>>,
}

impl PairCheck<'_> {
    /// Checks the pair of a mover and an edge with `cube` to the state `target`. Returns false if
    /// one of the three conditions of the module documentation shows that the pair is
    /// contradictory. The tests of predicates are approximate, so true may also mean that this is
    /// unknown.
    fn is_possible(&self, cube: &Cube, target: usize, mover: Option<TransitionId>) -> bool {
        let (taken, put): (&[Arc], &[Arc]) = match mover {
            Some(t) => (self.net.pre(t), self.net.post(t)),
            None => (&[], &[]),
        };
        if !self.is_read(cube, taken, mover) {
            return false;
        }
        let follows = |next: &Cube| {
            self.may_hold_all(next, put, mover.is_none().then_some(true))
                && !self.contradicts(cube, next, mover)
        };
        self.automaton.states[target].iter().any(|edge| follows(&edge.cube))
    }

    /// Returns false if condition 1 of the module documentation, or an approximate test of
    /// condition 2, makes the pair contradictory. `taken` are the input arcs of the mover.
    fn is_read(&self, cube: &Cube, taken: &[Arc], mover: Option<TransitionId>) -> bool {
        let firing_literals_hold = cube.literals().iter().all(|literal| {
            match &self.property.atoms()[literal.atom.0 as usize] {
                RunAtom::Fires(any) => {
                    mover.is_some_and(|t| any.binary_search(&t).is_ok()) == literal.positive
                }
                RunAtom::Holds(_) => true,
            }
        });
        firing_literals_hold && self.may_hold_all(cube, taken, Some(mover.is_none()))
    }

    /// Returns true if `may_hold` is true for each literal of the cube about markings, tested
    /// alone. The markings considered hold, on each place, at least the weight of its arc in
    /// `tokens`. So true does not imply that one marking satisfies all literals. `dead` is true for
    /// dead markings, false for others, and `None` if that is not known.
    fn may_hold_all(&self, cube: &Cube, tokens: &[Arc], dead: Option<bool>) -> bool {
        cube.literals().iter().all(|literal| {
            match &self.property.atoms()[literal.atom.0 as usize] {
                RunAtom::Fires(_) => true,
                RunAtom::Holds(predicate) if literal.positive => {
                    self.may_hold(predicate, tokens, dead)
                }
                RunAtom::Holds(predicate) => {
                    self.may_hold(&predicate.clone().negated(), tokens, dead)
                }
            }
        })
    }

    /// Returns false only if the predicate holds in no marking where each place holds at least the
    /// weight of its arc in `tokens`. True may also mean that this is unknown. `dead` is as in
    /// `may_hold_all`.
    fn may_hold(&self, predicate: &Predicate, tokens: &[Arc], dead: Option<bool>) -> bool {
        match predicate {
            Predicate::False => false,
            Predicate::NotDead | Predicate::Enabled(_) => dead != Some(true),
            Predicate::Dead => dead != Some(false),
            Predicate::True => true,
            Predicate::And(parts) => parts.iter().all(|part| self.may_hold(part, tokens, dead)),
            Predicate::Or(parts) => parts.iter().any(|part| self.may_hold(part, tokens, dead)),
            Predicate::Disabled(t) => {
                let has = |arc: &Arc| min_tokens(tokens, arc.place) >= arc.weight;
                !self.net.pre(*t).iter().all(has)
            }
            Predicate::Atom(atom) => {
                let mut min_sum = 0i128;
                for &(place, coefficient) in atom.sum.terms() {
                    let max_tokens = self.max_tokens_in_dead_markings[place.index()]
                        .filter(|_| dead == Some(true));
                    let tokens = match (coefficient < 0, max_tokens) {
                        (false, _) => min_tokens(tokens, place),
                        (true, Some(max_tokens)) => max_tokens,
                        (true, None) => return true,
                    };
                    min_sum += i128::from(coefficient) * i128::from(tokens);
                }
                min_sum <= i128::from(atom.bound)
            }
        }
    }

    /// Returns true if two consecutive edges read a literal about markings and its negation,
    /// although the mover between the edges keeps the atom's value.
    fn contradicts(&self, cube: &Cube, next: &Cube, mover: Option<TransitionId>) -> bool {
        cube.literals().iter().any(|literal| {
            let number = literal.atom.0 as usize;
            matches!(self.property.atoms()[number], RunAtom::Holds(_))
                && next.literals().contains(&literal.negated())
                && mover.is_none_or(|t| self.leaves_unchanged(t, &self.supports[number]))
        })
    }

    /// Returns true if a firing of `t` changes none of `places`, which are sorted.
    fn leaves_unchanged(&self, t: TransitionId, places: &[PlaceId]) -> bool {
        let mut changed = self.net.delta(t).iter();
        changed.all(|change| places.binary_search(&change.place).is_err())
    }
}

/// Returns the weight of the arc of `place` among `tokens`, or 0 without such an arc. In
/// `may_hold`, it is a lower bound of the tokens of `place`.
fn min_tokens(tokens: &[Arc], place: PlaceId) -> u64 {
    tokens.iter().find(|arc| arc.place == place).map_or(0, |arc| arc.weight)
}
