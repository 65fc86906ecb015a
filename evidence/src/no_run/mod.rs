//! Proofs that no run of a net has a property, and their checker.
//!
//! # The argument
//! A [`LinearTableau`] of the property accepts every word that has the property, which is checked
//! state by state ([`LinearTableau::check_complete`]). So a run with the property would follow an
//! accepting run of the automaton. At each position there is a *mover*, which is a transition or
//! the stuttering of a dead marking. There is also an edge that reads the letter, that is, the set
//! of atoms that are true there. There are finitely many such *pairs* of an edge and a mover. The
//! pairs that occur infinitely often stay in one strongly connected component of the automaton, and
//! together carry all of its marks. The checker removes pairs until no component has all marks:
//!
//! 1. Pairs that are contradictory ([`pairs`]).
//! 2. Pairs that no reachable marking allows. Either a document refutes the conjunction of the
//!    transition's enabledness and the literals of the edge. Or this conjunction contains a
//!    *premise*: a predicate that no reachable marking satisfies, which other evidence must prove.
//! 3. Pairs that occur only finitely often. A *ranking* of a component has weights y ≥ 0 of places
//!    and values z of states. The sum y·m + z(q) never increases along the remaining pairs inside
//!    the component, and decreases along some of them. The sum is bounded below by the least z, so
//!    the pairs along which it decreases are removed. This may split the component, and further
//!    rankings may apply to the smaller components.
//!
//! Components that the run cannot reach after its first steps do not matter. The checker explores
//! these first steps explicitly. It computes the reachable components before it removes pairs of
//! the third kind, because such pairs may still occur on the way.
//!
//! With a *cover* ([`cover`]) the components are those of its nodes, and rankings have values of
//! nodes instead of states. Then no first steps are explored.
//!
//! # Condition of a ranking
//! y·C(t) + z(q′) − z(q) ≤ 0 for all remaining pairs in the component, of a transition t (or
//! stuttering, with C = 0) and an edge from q to q′. Pairs for which it is at most −1 are removed.
//!
//! # Sources
//! M. Vardi, P. Wolper, *An automata-theoretic approach to automatic program verification*, 1986;
//! ranking functions by linear programs: M. Colón, H. Sipma, *Synthesis of linear ranking
//! functions*, TACAS 2001; lexicographic ones: A. Bradley, Z. Manna, H. Sipma, *Linear ranking with
//! reachability*, CAV 2005.

pub mod cover;
pub mod implied;
mod line;
pub mod pairs;
pub mod premises;
pub mod visit;

pub use line::NamedNoRun;

use crate::certificate::{Document, Flaw};
use cover::{CoverGraph, CoverNode};
use pairs::{Pairs, RankingFlaw};
use parikh_net::run_property::RunProperty;
use parikh_net::{FireError, Marking, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{Cube, LinearTableau, TableauRefusal};
use premises::Premises;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// The maximum number of cases in the check that a tableau accepts every word with its property.
const MAX_CASES: usize = 2_000_000;

/// The maximum product of the number of rankings and the number of pairs of an automaton edge and a
/// mover. The limit applies only to proofs without a cover.
const MAX_RANKED_PAIRS: usize = 1 << 33;

/// The maximum number of pairs of a marking and an automaton state that a run can have after the
/// same number of first steps.
const MAX_OPENING_NODES: usize = 100_000;

/// The maximum number of steps at the beginning of each run that the checker explores.
const MAX_OPENING_STEPS: usize = 1_000;

/// A proof that no run of a net has a property.
#[derive(Clone, Debug)]
pub struct NoRun {
    /// The automaton of the property, and the obligations of its states.
    pub tableau: LinearTableau,
    /// The number of steps at the beginning of each run that the checker explores explicitly. A
    /// step is a firing, or stuttering in a dead marking.
    pub opening_steps: usize,
    /// Documents that prove exclusions of `refuted`: no reachable marking satisfies an edge's
    /// literals and enables the transition (or for stuttering, is dead).
    pub documents: Vec<Document>,
    /// The premises: predicates that no reachable marking satisfies. The checker assumes them.
    pub premises: Vec<Predicate>,
    /// Pairs of an automaton edge and a mover that no reachable marking allows, with the reasons. A
    /// mover is a transition, or stuttering in a dead marking.
    pub refuted: Vec<ExcludedPairs>,
    /// The nodes of a cover that no run leaves. The list is empty if the states of the automaton
    /// suffice.
    pub cover: Vec<CoverNode>,
    /// The rankings, applied in order.
    pub rankings: Vec<RankingFunction>,
}

/// Pairs of one automaton edge with movers that no reachable marking allows. A mover is a
/// transition, or stuttering in a dead marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedPairs {
    /// The edge: its source state, and its index among the edges of this state.
    pub edge: (usize, usize),
    /// The movers whose pairs with this edge are excluded.
    pub movers: Movers,
    /// The document or premise that excludes the pairs.
    pub reason: Reason,
}

/// The reason that no reachable marking allows a pair of an automaton edge and a mover: the index
/// of a document or premise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The document with this index proves that no reachable marking satisfies the edge's literals
    /// and enables the transition (or for stuttering, is dead).
    Document(usize),
    /// No reachable marking satisfies the premise with this index. Each conjunct of the premise
    /// occurs in the edge's literals, or says that the transition is enabled (or for stuttering,
    /// that the marking is dead).
    Given(usize),
}

/// Movers, that is, transitions that may fire at a position of a run, or the stuttering of a dead
/// marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Movers {
    /// Every transition of the net, and stuttering in a dead marking.
    All,
    /// Only stuttering, that is, the repetition of a dead marking.
    Nothing,
    /// The listed transitions.
    Firing(Vec<TransitionId>),
}

/// A ranking: weights of places, and values of automaton states or of nodes of the cover. The
/// ranked sum is the weighted sum of the tokens plus the value of the current state or node. The
/// module documentation states the condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankingFunction {
    /// A state of the strongly connected component of the automaton to which the ranking applies.
    /// With a cover, a node of the component of the cover.
    pub state: usize,
    /// Weights of places; the weight of other places is 0.
    pub weights: Vec<(PlaceId, u64)>,
    /// Values of states or nodes of the component; other values are 0.
    pub values: Vec<(usize, i64)>,
}

/// The reason that a proof is rejected.
#[derive(Debug, thiserror::Error)]
pub enum NoRunFlaw {
    /// The automaton is not shown to accept all words with the property, for example because the
    /// check has too many cases.
    #[error("the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
    /// A document is wrong or does not refute its pair. Or a limit of the check is exceeded, a
    /// number overflows, or `goes_on` returned false.
    #[error(transparent)]
    Document(#[from] Flaw),
    /// The premise with this index is given as the reason to exclude a pair of an edge and a mover,
    /// but does not exclude it.
    #[error("premise {0} does not exclude its pair")]
    Premise(usize),
    /// The proof refers to an atom, edge, document, premise or transition that does not exist.
    #[error("no such {0}")]
    NoSuch(&'static str),
    /// The ranking with this index is not valid, for the given reason.
    #[error("ranking {0}: {1}")]
    Ranking(usize, RankingFlaw),
    /// The node of the cover with this index is wrong.
    #[error("node {0} of the cover: {1}")]
    Cover(usize, &'static str),
    /// No node of the cover contains the initial marking.
    #[error("no node of the cover contains the initial marking")]
    NoInitialNode,
    /// The number of first steps is too large, or these steps lead to a marking with too many
    /// tokens. Or they lead to too many pairs of a marking and an automaton state.
    #[error("the first steps reach too many markings or tokens")]
    Opening,
    /// The strongly connected component that contains this automaton state still carries all
    /// acceptance marks. With a cover, the component is one of the cover, and contains a node with
    /// this state.
    #[error("a run may stay forever in state {0} of the automaton")]
    AcceptingComponent(usize),
}

impl ExcludedPairs {
    /// Removes the pairs of the edge with each mover, after `excluded` has accepted the mover's
    /// condition. This condition says that the transition is enabled, or for stuttering, that the
    /// marking is dead. For [`Movers::All`], the condition is the constant true, and all pairs are
    /// removed together.
    ///
    /// # Errors
    /// The first error of `excluded`, or an unknown transition. The earlier pairs stay removed.
    fn remove_from(
        &self,
        net: &Net,
        pairs: &mut Pairs,
        mut excluded: impl FnMut(Predicate) -> Result<(), NoRunFlaw>,
    ) -> Result<(), NoRunFlaw> {
        let (state, edge_index) = self.edge;
        match &self.movers {
            Movers::All => {
                excluded(Predicate::True)?;
                pairs.remove_edge(state, edge_index);
            }
            Movers::Nothing => {
                excluded(Predicate::Dead)?;
                pairs.remove(state, edge_index, None);
            }
            Movers::Firing(any) => {
                for &t in any {
                    if t.index() >= net.transition_count() {
                        return Err(NoRunFlaw::NoSuch("transition"));
                    }
                    excluded(Predicate::Enabled(t))?;
                    pairs.remove(state, edge_index, Some(t));
                }
            }
        }
        Ok(())
    }
}

impl From<FireError> for NoRunFlaw {
    fn from(_: FireError) -> Self {
        NoRunFlaw::Opening
    }
}

impl NoRun {
    /// Returns true if the proof assumes that the model's units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        self.documents.iter().any(Document::assumes_units)
    }

    /// Checks that no run of `net` has the property, if no reachable marking satisfies a premise
    /// of the argument. The caller must make sure that the premises are proved.
    ///
    /// # Errors
    /// The first flaw, or [`Flaw::Stopped`].
    pub fn check(
        &self,
        net: &Net,
        property: &RunProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NoRunFlaw> {
        self.tableau.check_complete(property.formulas(), property.formula(), MAX_CASES)?;
        // A file may hold an automaton that reads atoms which the property lacks.
        let edges = self.tableau.automaton.states.iter().flatten();
        let mut literals = edges.flat_map(|edge| edge.cube.literals());
        if literals.any(|literal| literal.atom.0 as usize >= property.atoms().len()) {
            return Err(NoRunFlaw::NoSuch("atom"));
        }
        let mut pairs = Pairs::new(net, property, &self.tableau.automaton, goes_on)?;
        self.refute(net, property, &mut pairs, goes_on)?;
        if !self.cover.is_empty() {
            return self.check_cover(net, property, &pairs, goes_on);
        }
        // The reachable states are computed before the rankings remove pairs. A run may follow such
        // pairs finitely often, on its way to a component.
        let reachable_states = pairs.reachable_states(&self.after_opening(net, property, goes_on)?);
        if self.rankings.len().saturating_mul(pairs.total()) > MAX_RANKED_PAIRS {
            return Err(Flaw::TooLarge("too many rankings and pairs".to_owned()).into());
        }
        for (number, ranking) in self.rankings.iter().enumerate() {
            pairs.rank(net, ranking, goes_on).map_err(|flaw| match flaw {
                RankingFlaw::Stopped => Flaw::Stopped.into(),
                flaw => NoRunFlaw::Ranking(number, flaw),
            })?;
        }
        match pairs.accepting_state(&reachable_states, &[]) {
            Some(state) => Err(NoRunFlaw::AcceptingComponent(state)),
            None => Ok(()),
        }
    }

    /// Checks that the cover satisfies the conditions of [`cover`] and that the rankings are valid.
    /// Then checks that no component of its nodes still has all marks. `pairs` are the pairs that
    /// no document and no premise excludes.
    fn check_cover(
        &self,
        net: &Net,
        property: &RunProperty,
        pairs: &Pairs,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NoRunFlaw> {
        let automaton = &self.tableau.automaton;
        let mut graph = CoverGraph::new(net, property, automaton, pairs, &self.cover, goes_on)?;
        for (number, ranking) in self.rankings.iter().enumerate() {
            if !goes_on() {
                return Err(Flaw::Stopped.into());
            }
            graph.rank(ranking, goes_on).map_err(|flaw| match flaw {
                RankingFlaw::Stopped => Flaw::Stopped.into(),
                flaw => NoRunFlaw::Ranking(number, flaw),
            })?;
        }
        match graph.accepting_node(&[]) {
            Some(node) => Err(NoRunFlaw::AcceptingComponent(self.cover[node].state)),
            None => Ok(()),
        }
    }

    /// Checks the documents, and removes the pairs of an edge and a mover that documents or
    /// premises exclude.
    ///
    /// # Errors
    /// When a document is wrong, a document or premise does not exclude a pair that names it as the
    /// reason, or an index is unknown. Also when the check exceeds a limit, or `goes_on` returns
    /// false.
    fn refute(
        &self,
        net: &Net,
        property: &RunProperty,
        pairs: &mut Pairs,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NoRunFlaw> {
        let by_document = |number| move |it: &&ExcludedPairs| it.reason == Reason::Document(number);
        for (number, document) in self.documents.iter().enumerate() {
            let checked = document.check(net, goes_on)?;
            for refuted in self.refuted.iter().filter(by_document(number)) {
                let reads = pairs::read_condition(property, self.cube(refuted.edge)?);
                refuted.remove_from(net, pairs, |mover| {
                    let condition = Predicate::and([reads.clone(), mover]);
                    checked.refutes(&condition, goes_on).map_err(NoRunFlaw::from)
                })?;
            }
        }
        let premises = Premises::new(property, &self.premises);
        for refuted in &self.refuted {
            let number = match refuted.reason {
                Reason::Document(number) if number < self.documents.len() => continue,
                Reason::Document(_) => return Err(NoRunFlaw::NoSuch("document")),
                Reason::Given(number) if number < self.premises.len() => number,
                Reason::Given(_) => return Err(NoRunFlaw::NoSuch("premise")),
            };
            let cube = self.cube(refuted.edge)?;
            refuted.remove_from(net, pairs, |mover| {
                match premises.excludes(number, cube, &mover) {
                    true => Ok(()),
                    false => Err(NoRunFlaw::Premise(number)),
                }
            })?;
        }
        Ok(())
    }

    /// Returns the cube of an edge, given by its source state and its index among the edges of this
    /// state.
    fn cube(&self, (state, edge_index): (usize, usize)) -> Result<&Cube, NoRunFlaw> {
        let edges = self.tableau.automaton.states.get(state);
        let edge = edges.and_then(|edges| edges.get(edge_index));
        edge.map(|edge| &edge.cube).ok_or(NoRunFlaw::NoSuch("edge"))
    }

    /// Returns the states in which the automaton may be after `opening_steps` steps from the
    /// initial marking, ascending.
    fn after_opening(
        &self,
        net: &Net,
        property: &RunProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<usize>, NoRunFlaw> {
        if self.opening_steps > MAX_OPENING_STEPS {
            return Err(NoRunFlaw::Opening);
        }
        let automaton = &self.tableau.automaton;
        let mut frontier = HashSet::from([(net.initial().clone(), automaton.initial)]);
        for _ in 0..self.opening_steps {
            let mut next = HashSet::new();
            for (marking, state) in &frontier {
                let mut add_successors = |successor: Marking, firing| {
                    let letter = property.letter(net, marking, firing);
                    let edges = automaton.states[*state].iter();
                    for edge in edges.filter(|edge| edge.cube.holds(&letter)) {
                        next.insert((successor.clone(), edge.target));
                    }
                };
                if net.is_dead(marking) {
                    add_successors(marking.clone(), None);
                }
                for t in net.transitions().filter(|&t| net.is_enabled(marking, t)) {
                    let mut successor = marking.clone();
                    net.fire(&mut successor, t)?;
                    add_successors(successor, Some(t));
                }
                if next.len() > MAX_OPENING_NODES {
                    return Err(NoRunFlaw::Opening);
                }
                if !goes_on() {
                    return Err(Flaw::Stopped.into());
                }
            }
            frontier = next;
        }
        let mut states: Vec<usize> = frontier.into_iter().map(|(_, state)| state).collect();
        states.sort_unstable();
        states.dedup();
        Ok(states)
    }
}
