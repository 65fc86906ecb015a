//! Arguments that no run of a net has a property, and their checker.
//!
//! # The argument
//! A [`Tableau`] of the property accepts every word that has it, which is seen state by state
//! ([`Tableau::check_complete`]). So a run with the property would go along an accepting run of the
//! automaton: at each position some *mover*, a transition or the staying of a dead marking, and
//! some edge that reads the letter there. There are finitely many such *pairs*, and those that the
//! run meets again and again keep to one strongly connected component of the automaton and carry
//! all of its marks between them. Pairs are taken away until no component has all marks left:
//!
//! 1. Pairs that contradict themselves ([`pairs`]).
//! 2. Pairs that no reachable marking allows: a document refutes the enabledness of the transition
//!    together with what the edge reads, or a *premise* is part of both: a predicate that no
//!    reachable marking satisfies, which whoever relies on the argument has to see shown elsewhere.
//! 3. Pairs that are met finitely often. A *ranking* of a component has weights y ≥ 0 of places and
//!    values z of states such that y·m + z(q) never grows along the pairs that are left inside the
//!    component, and falls along some of them. It is never less than the least z, so those are
//!    taken away. Then components are smaller, and another ranking may do for the next.
//!
//! Components that are not reached from where the run may be after its first steps, which are gone
//! through marking by marking, do not matter. They are looked for before the third kind of pairs is
//! taken away: what is met finitely often may be met on the way.
//!
//! With a *cover* ([`cover`]) the components are those of its nodes, and rankings have values of
//! nodes instead of states. Nothing is gone through marking by marking then.
//!
//! # Condition of a ranking
//! y·C(t) + z(q′) − z(q) ≤ 0 for all pairs of t (or nothing, with C = 0) and an edge from q to q′
//! that are left in the component. Pairs for which it is at most −1 are taken away.
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

/// Cases that the checker of a tableau looks at.
const CASES: usize = 2_000_000;

/// Pairs that are looked at for all rankings together.
const RANKED: usize = 1 << 33;

/// Markings and states of the first steps that are gone through, at each step.
const OPENING: usize = 100_000;

/// The most first steps that are gone through.
const MOST_STEPS: usize = 1_000;

/// An argument that no run has a property.
#[derive(Clone, Debug)]
pub struct NoRun {
    /// Of the property: its automaton, and what its states stand for.
    pub tableau: LinearTableau,
    /// So many steps from the initial marking are gone through one by one.
    pub opening: usize,
    /// What documents show.
    pub documents: Vec<Document>,
    /// The premises: no reachable marking satisfies any of these. This is taken for granted here.
    pub given: Vec<Predicate>,
    /// Pairs that no reachable marking allows.
    pub refuted: Vec<ExcludedPairs>,
    /// Nodes that no run leaves; none where states of the automaton are enough.
    pub cover: Vec<CoverNode>,
    /// Rankings, one after the other.
    pub rankings: Vec<Ranking>,
}

/// Pairs of an edge that no reachable marking allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludedPairs {
    /// The edge: its state, and its place among the edges of that.
    pub edge: (usize, usize),
    /// With which movers.
    pub movers: Movers,
    /// What says so.
    pub by: Reason,
}

/// Why no reachable marking allows something: by its place in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A document refutes it.
    Document(usize),
    /// It contains a premise.
    Given(usize),
}

/// What moves, or stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Movers {
    /// Anything.
    All,
    /// Nothing: the marking is dead.
    Nothing,
    /// One of these transitions.
    Firing(Vec<TransitionId>),
}

/// Weights of places and values of states, or of nodes of the cover; see the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking {
    /// A state of the component, or a node where there is a cover.
    pub state: usize,
    /// Weights of places; of others 0.
    pub weights: Vec<(PlaceId, u64)>,
    /// Values of states or nodes of the component; of others 0.
    pub values: Vec<(usize, i64)>,
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum NoRunFlaw {
    /// The automaton may miss a run.
    #[error("the automaton: {0}")]
    Automaton(#[from] TableauRefusal),
    /// A document is wrong, or does not refute what it is said to.
    #[error(transparent)]
    Document(#[from] Flaw),
    /// A premise does not exclude what it is said to.
    #[error("premise {0} does not exclude what it is said to")]
    Premise(usize),
    /// Something that is referred to does not exist.
    #[error("no such {0}")]
    NoSuch(&'static str),
    /// A ranking is none.
    #[error("ranking {0}: {1}")]
    Ranking(usize, RankingFlaw),
    /// A node of the cover is wrong.
    #[error("node {0} of the cover: {1}")]
    Cover(usize, &'static str),
    /// Too many markings in the first steps, or one with more tokens than are counted.
    #[error("the first steps lead too far")]
    Opening,
    /// Some component still has all marks.
    #[error("a run may go on for ever in state {0} of the automaton")]
    Left(usize),
}

impl ExcludedPairs {
    /// Takes these pairs away, each when `excluded` accepts that no reachable marking allows it,
    /// given what its mover says of the marking.
    fn each(
        &self,
        net: &Net,
        pairs: &mut Pairs,
        mut excluded: impl FnMut(Predicate) -> Result<(), NoRunFlaw>,
    ) -> Result<(), NoRunFlaw> {
        let (state, at) = self.edge;
        match &self.movers {
            Movers::All => {
                excluded(Predicate::True)?;
                pairs.take_edge(state, at);
            }
            Movers::Nothing => {
                excluded(Predicate::Dead)?;
                pairs.take(state, at, None);
            }
            Movers::Firing(any) => {
                for &t in any {
                    if t.index() >= net.transition_count() {
                        return Err(NoRunFlaw::NoSuch("transition"));
                    }
                    excluded(Predicate::Enabled(t))?;
                    pairs.take(state, at, Some(t));
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
    /// Whether it takes for granted that the model's units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        self.documents.iter().any(Document::assumes_units)
    }

    /// Accepts that no run of `net` has the property, if no reachable marking satisfies any of the
    /// premises ([`given`](Self::given)). Who asks has to see that shown.
    ///
    /// # Errors
    /// What is wrong, or [`Flaw::Stopped`].
    pub fn check(
        &self,
        net: &Net,
        property: &RunProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NoRunFlaw> {
        self.tableau.check_complete(property.formulas(), property.formula(), CASES)?;
        let mut pairs = Pairs::new(net, property, &self.tableau.automaton, goes_on)?;
        self.refute(net, property, &mut pairs, goes_on)?;
        if !self.cover.is_empty() {
            return self.check_cover(net, property, &pairs, goes_on);
        }
        // What a ranking takes away may still be met on the way to a component.
        let reached = pairs.reached(&self.after_opening(net, property, goes_on)?);
        if self.rankings.len().saturating_mul(pairs.total()) > RANKED {
            return Err(Flaw::TooLarge("so many rankings of so many pairs".to_owned()).into());
        }
        for (number, ranking) in self.rankings.iter().enumerate() {
            pairs.rank(net, ranking, goes_on).map_err(|flaw| match flaw {
                RankingFlaw::Stopped => Flaw::Stopped.into(),
                flaw => NoRunFlaw::Ranking(number, flaw),
            })?;
        }
        match pairs.accepting_state(&reached, &[]) {
            Some(state) => Err(NoRunFlaw::Left(state)),
            None => Ok(()),
        }
    }

    /// Accepts that no run stays in the cover, whose pairs are these.
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
            Some(node) => Err(NoRunFlaw::Left(self.cover[node].state)),
            None => Ok(()),
        }
    }

    /// Takes away what documents and premises exclude.
    fn refute(
        &self,
        net: &Net,
        property: &RunProperty,
        pairs: &mut Pairs,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<(), NoRunFlaw> {
        let by_document = |number| move |it: &&ExcludedPairs| it.by == Reason::Document(number);
        for (number, document) in self.documents.iter().enumerate() {
            let checked = document.check(net, goes_on)?;
            for refuted in self.refuted.iter().filter(by_document(number)) {
                let reads = pairs::reads(property, self.cube(refuted.edge)?);
                refuted.each(net, pairs, |mover| {
                    let here = Predicate::and([reads.clone(), mover]);
                    checked.refutes(&here, goes_on).map_err(NoRunFlaw::from)
                })?;
            }
        }
        let premises = Premises::new(property, &self.given);
        for refuted in &self.refuted {
            let number = match refuted.by {
                Reason::Document(number) if number < self.documents.len() => continue,
                Reason::Document(_) => return Err(NoRunFlaw::NoSuch("document")),
                Reason::Given(number) if number < self.given.len() => number,
                Reason::Given(_) => return Err(NoRunFlaw::NoSuch("premise")),
            };
            let cube = self.cube(refuted.edge)?;
            refuted.each(net, pairs, |mover| match premises.exclude(number, cube, &mover) {
                true => Ok(()),
                false => Err(NoRunFlaw::Premise(number)),
            })?;
        }
        Ok(())
    }

    /// What an edge reads.
    fn cube(&self, (state, at): (usize, usize)) -> Result<&Cube, NoRunFlaw> {
        let edges = self.tableau.automaton.states.get(state);
        let edge = edges.and_then(|edges| edges.get(at));
        edge.map(|edge| &edge.cube).ok_or(NoRunFlaw::NoSuch("edge"))
    }

    /// The states of the automaton in which a run may be after its first steps, ascending.
    fn after_opening(
        &self,
        net: &Net,
        property: &RunProperty,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<usize>, NoRunFlaw> {
        if self.opening > MOST_STEPS {
            return Err(NoRunFlaw::Opening);
        }
        let automaton = &self.tableau.automaton;
        let mut front = HashSet::from([(net.initial().clone(), automaton.initial)]);
        for _ in 0..self.opening {
            let mut next = HashSet::new();
            for (marking, state) in &front {
                let mut step = |end: Marking, firing| {
                    let letter = property.letter(net, marking, firing);
                    let edges = automaton.states[*state].iter();
                    for edge in edges.filter(|edge| edge.cube.holds(&letter)) {
                        next.insert((end.clone(), edge.target));
                    }
                };
                if net.is_dead(marking) {
                    step(marking.clone(), None);
                }
                for t in net.transitions().filter(|&t| net.is_enabled(marking, t)) {
                    let mut end = marking.clone();
                    net.fire(&mut end, t)?;
                    step(end, Some(t));
                }
                if next.len() > OPENING {
                    return Err(NoRunFlaw::Opening);
                }
                if !goes_on() {
                    return Err(Flaw::Stopped.into());
                }
            }
            front = next;
        }
        let mut states: Vec<usize> = front.into_iter().map(|(_, state)| state).collect();
        states.sort_unstable();
        states.dedup();
        Ok(states)
    }
}
