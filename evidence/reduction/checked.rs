//! A reduction that was gone through: what holds of the reduced net carries back.

use super::conditions::Candidate;
use super::finish::finish;
use super::log::{LogError, MadeUp, NamedLog};
use super::needs::Needs;
use super::redo::redo;
use super::translation::ReducedNet;
use parikh_net::{Net, Predicate};

/// The checker's own reduced net. Made only by going through a log, every condition of every step
/// checked; so what is never reached on its net is, translated, never reached on the net that the
/// log began with, and what stays reachable stays so. That net may itself be one that was reduced:
/// one reduction is gone through after the other.
#[derive(Clone, Debug)]
pub struct CheckedReduction {
    reduced: ReducedNet,
}

impl CheckedReduction {
    /// Goes through `log`, which reduces `net`.
    ///
    /// # Errors
    /// With the first step that does not hold; [`LogError::Stopped`] when it does not go on.
    pub fn of_log(
        net: &Net,
        log: &NamedLog,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let needs = log.needs(net)?;
        CheckedReduction::of_steps(net, &needs, log.steps(net, &needs), goes_on)
    }

    /// Goes through these steps, which reduce `net` for `needs`.
    ///
    /// # Errors
    /// As [`of_log`](Self::of_log).
    pub fn of_steps<'s>(
        net: &Net,
        needs: &Needs,
        steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let needs = needs.normalised();
        let work = redo(net, &needs, steps, &mut |_, _, _, _| (), goes_on)?;
        let made_up = MadeUp::of(net);
        let mut name = |_: &_, t| made_up.composed(t, net.transition_count());
        let reduced = finish(net, &work, needs, &mut name, &mut |_, _| ());
        Ok(CheckedReduction { reduced: reduced.map_err(|_| LogError::OtherNet)? })
    }

    /// The reduced net. In it the composed transitions have the names that the log gives them.
    pub fn net(&self) -> &Net {
        &self.reduced.net
    }

    /// A predicate that some reachable marking of the reduced net satisfies exactly if one of the
    /// original net satisfies `predicate`; `None` when the reduction was not made for it, or it
    /// cannot be said there. `original` is the net that was reduced, whose nodes it names.
    pub fn translate(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        self.reduced.translate_predicate(original, predicate)
    }

    /// What stays reachable wherever the reduced net goes exactly if `wanted` does in the original
    /// one; `None` as in [`translate`](Self::translate).
    pub fn translate_home(&self, wanted: &Predicate) -> Option<Predicate> {
        self.reduced.translate_home(wanted)
    }
}
