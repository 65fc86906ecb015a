//! What shows that tokens grow without bound: firings that can be repeated.
//!
//! A *pump* is a firing sequence after which no place has lost tokens, so that it can fire again,
//! and again. One pump is not always enough. Here `made` grows only while `ready` is left, which
//! one has to take first, and whatever fires at all after `close` takes tokens of `store` away:
//!
//! ```text
//! place open 1 · place ready · place store · place made
//! transition fill: open -> open + store
//! transition close: open -> ready
//! transition make: ready + store -> ready + made
//! ```
//!
//! So a pump may follow on others, in *stages*, and may take from what those before it put down:
//! they repeat as often as all after them need. In the net above: `fill` repeats; then `close`, and
//! `make` repeats.
//!
//! # Source
//! R. Karp, R. Miller, *Parallel program schemata*, J. Computer and System Sciences 3, 1969: a
//! place that is ω there, and the way to it.

use crate::printable::counted;
use crate::sequence::FiringSequence;

/// A pump, and what comes before it.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Pumping {
    /// Stages that come first. The first begins in the initial marking.
    pub earlier: Vec<Stage>,
    /// The last stage.
    pub last: Stage,
}

/// Firings, and what can repeat after them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Stage {
    /// What fires once.
    pub prefix: FiringSequence,
    /// What repeats.
    pub pump: FiringSequence,
}

impl Pumping {
    /// A single stage, that repeats for ever by itself.
    pub fn single(prefix: FiringSequence, pump: FiringSequence) -> Self {
        Pumping { earlier: Vec::new(), last: Stage { prefix, pump } }
    }

    /// The only stage, where there is one only.
    pub fn only(&self) -> Option<&Stage> {
        self.earlier.is_empty().then_some(&self.last)
    }

    /// All stages in order.
    pub fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.earlier.iter().chain([&self.last])
    }

    /// What it shows, in a sentence without its end.
    pub fn in_words(&self) -> String {
        match self.only() {
            Some(stage) => format!(
                "after {}, {} more can repeat for ever and add tokens each time",
                counted(stage.prefix.firings(), "firing"),
                stage.pump.firings()
            ),
            None => format!(
                "{} loops follow on one another, each repeated as often as those after it need, and \
                 the last one adds tokens each time",
                self.earlier.len() + 1
            ),
        }
    }
}
