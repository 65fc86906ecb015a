//! The strength of an automaton: the difficulty of detecting that a run is accepting.
//!
//! | strength | property of the component | a run is accepting when it … |
//! |---|---|---|
//! | terminal | its states accept every word | reaches the component |
//! | weak | every cycle has all marks | stays in the component |
//! | strong | its cycles together have all marks | visits every mark infinitely often there |
//!
//! The strength of an automaton is the maximum over its accepting components. For a terminal
//! automaton, the search for an accepting run is a search for a reachable state.
//!
//! Source: Bloem, Ravi, Somenzi, "Efficient decision procedures for model checking of linear time
//! logic properties", CAV 1999.

use super::Automaton;
use super::emptiness::Components;

/// The strength of a component or an automaton; see the module documentation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Strength {
    /// No run that stays in the component is accepting.
    Rejecting,
    /// Every state of the component is shown to accept every word.
    Terminal,
    /// Every run that stays in the component is accepting.
    Weak,
    /// Some runs that stay in the component are accepting, others are not.
    Strong,
}

impl Automaton {
    /// Returns the strength of the component of each state.
    pub fn strengths(&self) -> Vec<Strength> {
        let components = Components::new(self, |_| true);
        let weak = self.weak_components(&components);
        let universal = self.universal_components(&components);
        let strength_of = |component: usize| match () {
            () if universal[component] => Strength::Terminal,
            () if weak[component] => Strength::Weak,
            () if components.is_accepting(component, self) => Strength::Strong,
            () => Strength::Rejecting,
        };
        components.component_of.iter().map(|&component| strength_of(component)).collect()
    }

    /// Returns the largest strength of a component.
    pub fn strength(&self) -> Strength {
        self.strengths().into_iter().max().unwrap_or(Strength::Rejecting)
    }
}
