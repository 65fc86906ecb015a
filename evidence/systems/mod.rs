//! Evidence about parallel systems of labelled transition systems, with readers of its own.
//!
//! Everything here is plain: strings for labels, one vector for a joint state, and no packing. It
//! shares no line with the readers and engines of `parikh-systems`; formulas of LTL, their value on
//! a word that repeats, and the check of an automaton against its formula are those of
//! `parikh-temporal`, as for nets.
//!
//! | file | what |
//! |---|---|
//! | `system` | components and what they can do together |
//! | `dot`, `properties`, `terms` | the files of RERS, and formulas as they are written |
//! | `run` | whether a system has a run with these labels, component by component |
//! | `view` | components seen through some of their labels |
//! | `none` | whether some of the components have no run against a formula: all are visited |
//! | `composed` | the same of all components, put together two by two with states merged |
//! | `negation`, `recurrence` | the automaton of a negation, and what a run against a formula may do for ever |
//! | `branching` | CTL over labels, on all joint states |
//! | `audit` | files of evidence held against that |

pub mod audit;
pub mod branching;
pub mod composed;
mod dot;
mod negation;
pub mod none;
pub mod properties;
mod recurrence;
pub mod run;
mod system;
mod terms;
mod view;

pub use dot::read as read_dot;
pub use system::{Component, System};
pub use view::Member;

/// What finite runs count for in LTL.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endings {
    /// Nothing: only infinite runs are looked at.
    Ignored,
    /// The last label holds for ever, and before the first one nothing does. Repetitions are not
    /// counted, so this is for formulas without next only.
    Stutter,
}

impl Endings {
    /// How evidence files call it.
    pub fn name(self) -> &'static str {
        match self {
            Endings::Ignored => "infinite traces",
            Endings::Stutter => "spin",
        }
    }
}
