//! Evidence about parallel compositions of labelled transition systems, with its own readers.
//!
//! The code is simple on purpose: labels are strings, a joint state is a vector, and nothing is
//! packed. It shares no code with the readers and engines of `parikh-systems`. LTL formulas, their
//! evaluation on a lasso, and the check of an automaton against its formula are those of
//! `parikh-temporal`, as for nets.
//!
//! | file | content |
//! |---|---|
//! | `system` | components and their joint steps |
//! | `dot`, `properties`, `terms` | the file formats of RERS, and the syntax of formulas |
//! | `run` | checks a run component by component |
//! | `view` | abstractions of components to some of their labels |
//! | `violation_search` | decides by a search that some of the components have no violating run |
//! | `composed` | the same for all components, composed pairwise with equivalent states merged |
//! | `negation`, `recurrence` | the automaton of a negation, and the possible infinite behaviour of a violating run |
//! | `branching` | CTL over labels, on all joint states |
//! | `audit` | audits files of evidence |

pub mod audit;
pub mod branching;
pub mod composed;
mod dot;
mod negation;
pub mod properties;
mod recurrence;
pub mod run;
mod system;
mod terms;
mod view;
pub mod violation_search;

pub use dot::read as read_dot;
pub use system::{System, SystemComponent};
pub use view::ComponentView;

/// The treatment of finite runs in LTL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endings {
    /// Finite runs are ignored.
    Ignored,
    /// A finite run repeats its last label forever. Every run has a position before its first
    /// label, at which no label holds. The length of a finite run is lost, so this is only for
    /// formulas without next.
    Stutter,
}

impl Endings {
    /// Returns the name in evidence files.
    pub fn name(self) -> &'static str {
        match self {
            Endings::Ignored => "infinite traces",
            Endings::Stutter => "spin",
        }
    }
}
