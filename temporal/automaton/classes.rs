//! How hard it is to see that a run is accepted.
//!
//! | strength | a component whose … | a run is accepted when it … |
//! |---|---|---|
//! | terminal | states accept every word | comes there |
//! | weak | cycles all have all marks | stays there |
//! | strong | cycles have all marks between them | meets all of them again and again there |
//!
//! An automaton is as hard as its hardest component that accepts anything: with a terminal one,
//! looking for a run is looking for a reachable state.
//!
//! Source: Bloem, Ravi, Somenzi, "Efficient decision procedures for model checking of linear time
//! logic properties", CAV 1999.

use super::Automaton;
use super::emptiness::Components;

/// Of a component, or of an automaton; see the head of the module.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// No run is accepted there.
    Rejecting,
    /// Every word is accepted there.
    Terminal,
    /// Every run that stays there is accepted.
    Weak,
    /// Some runs that stay there are accepted, others are not.
    Strong,
}

impl Automaton {
    /// The strength of the component of each state.
    pub fn strengths(&self) -> Vec<Strength> {
        let found = Components::new(self, |_| true);
        let weak = self.weak_components(&found);
        let universal = self.universal_components(&found);
        let of = |component: usize| match () {
            () if universal[component] => Strength::Terminal,
            () if weak[component] => Strength::Weak,
            () if found.is_accepting(component, self) => Strength::Strong,
            () => Strength::Rejecting,
        };
        found.of.iter().map(|&component| of(component)).collect()
    }

    /// The hardest strength of a component that is there.
    pub fn strength(&self) -> Strength {
        self.strengths().into_iter().max().unwrap_or(Strength::Rejecting)
    }
}
