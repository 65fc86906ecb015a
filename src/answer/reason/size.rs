//! The sizes of witnesses and nets, as parts of reasons.

use num_bigint::BigUint;
use parikh_engine::board::{Witness, json_number};
use parikh_evidence::description;
use parikh_net::PumpSequence;
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::printable::counted;
use serde::Serialize;
use std::fmt;

/// The length of a firing sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WitnessSize {
    /// The number of firings.
    #[serde(serialize_with = "json_number")]
    pub firings: BigUint,
    /// True if the sequence is known only in accelerated form, with loops. In most cases it has too
    /// many firings to be listed.
    pub loops: bool,
}

impl WitnessSize {
    /// Returns the length of a witness.
    pub fn of(witness: &Witness) -> WitnessSize {
        match witness {
            Witness::Firings(_, firings) => {
                WitnessSize { firings: (*firings).into(), loops: false }
            }
            Witness::Loops(run, position) => {
                WitnessSize { firings: run.prefix(position).firings(), loops: true }
            }
        }
    }

    /// Returns true if the sequence is empty.
    pub fn is_initial(&self) -> bool {
        self.firings == BigUint::ZERO
    }
}

impl fmt::Display for WitnessSize {
    /// Writes the number of firings: `12 firings`, `at least 10^308 firings, in loops`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&description::firings(&self.firings))?;
        f.write_str(if self.loops { ", in loops" } else { "" })
    }
}

/// The shape of a maximal run: infinite, or ending in a dead marking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum RunSize {
    /// After a prefix, a cycle repeats forever.
    Repeats {
        /// The number of firings of the prefix.
        #[serde(serialize_with = "json_number")]
        prefix: u128,
        /// The number of firings of the cycle.
        #[serde(serialize_with = "json_number")]
        cycle: u128,
    },
    /// The run ends in a dead marking.
    Dead {
        /// The number of firings.
        #[serde(serialize_with = "json_number")]
        prefix: u128,
    },
    /// Every continuation of the prefix has the property that the question asks about.
    Anything {
        /// The number of firings of the prefix.
        #[serde(serialize_with = "json_number")]
        prefix: u128,
    },
}

impl RunSize {
    /// Returns how a run ends, with the numbers of firings of its prefix and its cycle.
    pub fn of(run: &LassoRun) -> RunSize {
        let prefix = run.prefix.firings();
        match &run.end {
            RunEnd::Repeats(cycle) => RunSize::Repeats { prefix, cycle: cycle.firings() },
            RunEnd::Dead => RunSize::Dead { prefix },
            RunEnd::Anything => RunSize::Anything { prefix },
        }
    }
}

impl fmt::Display for RunSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let after = |prefix: &u128| counted(prefix, "firing");
        match self {
            RunSize::Repeats { prefix, cycle: 1 } => {
                write!(f, "after {}, 1 firing repeats forever", after(prefix))
            }
            RunSize::Repeats { prefix, cycle } => {
                write!(f, "after {}, {cycle} firings repeat forever", after(prefix))
            }
            RunSize::Dead { prefix } => {
                write!(f, "after {}, the marking is dead", after(prefix))
            }
            RunSize::Anything { prefix } => {
                write!(f, "after {}, with any continuation", after(prefix))
            }
        }
    }
}

/// The size of a stage of a self-covering sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageSize {
    /// The number of firings of the stage before its cycle.
    #[serde(serialize_with = "json_number")]
    pub prefix: u128,
    /// The number of firings of the cycle.
    #[serde(serialize_with = "json_number")]
    pub cycle: u128,
}

impl StageSize {
    /// Returns the sizes of all stages of a sequence.
    pub fn of(pumping: &PumpSequence) -> Vec<StageSize> {
        let stages = pumping.stages();
        let size = |prefix: u128, cycle| StageSize { prefix, cycle };
        stages.map(|stage| size(stage.prefix.firings(), stage.pump.firings())).collect()
    }
}

/// Describes a self-covering sequence in a clause.
pub(super) fn pump_in_words(stages: &[StageSize]) -> String {
    match stages {
        [StageSize { prefix, cycle }] => format!(
            "after {}, {cycle} more can repeat forever and add tokens each time",
            counted(prefix, "firing")
        ),
        stages => format!(
            "{} cycles fire one after the other, each as often as the later ones need, and the last \
             one adds tokens each time",
            stages.len()
        ),
    }
}

/// The size of a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NetSize {
    /// The number of places.
    pub places: usize,
    /// The number of transitions.
    pub transitions: usize,
}
