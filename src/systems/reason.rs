//! The reason of an answer about a system as data, and its text.

use parikh_net::printable::counted;
use serde::Serialize;
use std::fmt;

/// The strength of the evidence of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SystemGrade {
    /// The checker replayed a run.
    Replayed,
    /// The checker repeated the exploration.
    Certified,
    /// The answer rests on a search that the checker did not repeat.
    Searched,
}

/// The reason of an answer. Serialized, the field `kind` has the variant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum SystemReason {
    /// A run violates the formula.
    Run {
        /// The number of labels before the cycle.
        prefix: usize,
        /// The number of labels of the cycle; 0 if the run is finite.
        cycle: usize,
    },
    /// No run of some components violates the formula.
    NoRunOfComponents {
        /// The components.
        components: Vec<u32>,
        /// True if these are all components.
        is_all: bool,
        /// The number of views that are restricted to some labels of their component. A component
        /// can have several such views.
        parts: usize,
        /// The number of explored pairs of a joint state and an automaton state.
        joint_states: usize,
    },
    /// The checker explored no joint state. No word violates the formula, or single components
    /// exclude the infinite part of every violating run.
    NoInfiniteRun,
    /// The pairwise composition of components has no violating run.
    NoRunOfComposition {
        /// The number of states of all graphs before minimisation, plus the number of nodes of the
        /// search afterwards.
        joint_states: usize,
    },
    /// The reduced system, which postpones unobserved steps, has no violating run.
    NoRunOfReduced {
        /// The number of explored pairs of a joint state and an automaton state.
        joint_states: usize,
    },
    /// The formula was evaluated on all joint states.
    Evaluated {
        /// The number of joint states.
        joint_states: usize,
    },
}

impl fmt::Display for SystemGrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SystemGrade::Replayed => "replayed",
            SystemGrade::Certified => "certified",
            SystemGrade::Searched => "searched",
        })
    }
}

impl fmt::Display for SystemReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SystemReason::Run { prefix, cycle: 0 } => {
                write!(f, "a run of {} ends and violates it", counted(prefix, "label"))
            }
            SystemReason::Run { prefix, cycle } => {
                let prefix = counted(prefix, "label");
                write!(f, "a run violates it: {prefix}, then a cycle of {cycle} forever")
            }
            SystemReason::NoRunOfComponents { components, is_all, parts, joint_states } => {
                f.write_str("no run ")?;
                match (&components[..], parts) {
                    (_, 0) if *is_all => f.write_str("of the system")?,
                    ([one], 0) => write!(f, "of component {one} alone")?,
                    ([one], 1) => write!(f, "of a part of component {one} alone")?,
                    ([one], few) => write!(f, "of {few} parts of component {one} alone")?,
                    (few, 0) => write!(f, "of {} components alone", few.len())?,
                    (few, parts) => {
                        write!(f, "of {parts} parts of {} components alone", few.len())?;
                    }
                }
                write!(f, " violates it ({})", product_states(joint_states))
            }
            SystemReason::NoInfiniteRun => {
                f.write_str("no run violates it: some components have no such infinite run")
            }
            SystemReason::NoRunOfComposition { joint_states } => {
                let states = counted(joint_states, "joint state");
                write!(f, "no run violates it, by pairwise composition ({states})")
            }
            SystemReason::NoRunOfReduced { joint_states } => {
                let states = product_states(joint_states);
                write!(f, "no run violates it, with unobserved steps postponed ({states})")
            }
            SystemReason::Evaluated { joint_states } => {
                write!(f, "evaluated on all {}", counted(joint_states, "joint state"))
            }
        }
    }
}

/// Returns a number of pairs of a joint state and a state of the formula's automaton, with its
/// noun.
fn product_states(count: &usize) -> String {
    format!("{} of the product with the automaton", counted(count, "state"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_about_systems_have_a_sentence_each() {
        let run = |cycle| SystemReason::Run { prefix: 1, cycle };
        let of = |components: &[u32], is_all, parts| SystemReason::NoRunOfComponents {
            components: components.to_vec(),
            is_all,
            parts,
            joint_states: 7,
        };
        let said = [
            (run(0), "a run of 1 label ends and violates it"),
            (run(2), "a run violates it: 1 label, then a cycle of 2 forever"),
            (
                of(&[0, 1], true, 0),
                "no run of the system violates it (7 states of the product with the automaton)",
            ),
            (
                of(&[1], false, 0),
                "no run of component 1 alone violates it (7 states of the product with the automaton)",
            ),
            (
                of(&[1], false, 1),
                "no run of a part of component 1 alone violates it (7 states of the product with the automaton)",
            ),
            (
                of(&[0, 1], false, 2),
                "no run of 2 parts of 2 components alone violates it (7 states of the product with the automaton)",
            ),
            (
                SystemReason::NoInfiniteRun,
                "no run violates it: some components have no such infinite run",
            ),
            (
                SystemReason::NoRunOfComposition { joint_states: 1 },
                "no run violates it, by pairwise composition (1 joint state)",
            ),
            (
                SystemReason::NoRunOfReduced { joint_states: 7 },
                "no run violates it, with unobserved steps postponed (7 states of the product with the automaton)",
            ),
            (SystemReason::Evaluated { joint_states: 7 }, "evaluated on all 7 joint states"),
        ];
        for (reason, expected) in said {
            assert_eq!(reason.to_string(), expected);
        }
        let json = serde_json::to_value(run(2)).unwrap();
        assert_eq!(json, serde_json::json!({"kind": "run", "prefix": 1, "cycle": 2}));
    }
}
