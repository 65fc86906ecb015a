//! A reduction whose log has been checked, so that results on the reduced net carry back.

use super::conditions::Candidate;
use super::finish::finish;
use super::log::{LogError, NamePrefixes, NamedLog};
use super::needs::Needs;
use super::redo::redo;
use super::translation::ReducedNet;
use parikh_net::{Net, Predicate};

/// A reduced net, made by checking a log: every condition of every step holds. So a predicate is
/// unreachable in the original net if its translation is unreachable in the reduced net. The same
/// holds for the claim that a predicate is reachable from every reachable marking. The original net
/// may itself be the result of a checked reduction.
#[derive(Clone, Debug)]
pub struct CheckedReduction {
    reduced: ReducedNet,
}

impl CheckedReduction {
    /// Checks `log`, whose steps reduce `net`, and returns the reduced net.
    ///
    /// # Errors
    /// The first incorrect step, an unknown name, or an empty list of preserved classes.
    /// [`LogError::NotBuilt`] if the reduced net cannot be built, and [`LogError::Stopped`] when
    /// `goes_on` returns false.
    pub fn of_log(
        net: &Net,
        log: &NamedLog,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let needs = log.needs(net)?;
        CheckedReduction::of_steps(net, &needs, log.steps(net, &needs), goes_on)
    }

    /// Checks the steps, which reduce `net` for `needs`.
    ///
    /// # Errors
    /// The errors of [`of_log`](Self::of_log).
    pub fn of_steps<'s>(
        net: &Net,
        needs: &Needs,
        steps: impl IntoIterator<Item = Result<(&'s str, Candidate), LogError>>,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let needs = needs.normalised();
        let work = redo(net, &needs, steps, &mut |_, _, _, _| (), goes_on)?;
        let prefixes = NamePrefixes::of(net);
        let mut name = |_: &_, t| prefixes.composed(t, net.transition_count());
        Ok(CheckedReduction { reduced: finish(net, &work, needs, &mut name, &mut |_, _| ())? })
    }

    /// Returns the reduced net. Its composed transitions have the names of the log.
    pub fn net(&self) -> &Net {
        &self.reduced.net
    }

    /// Returns a predicate that is reachable in the reduced net if and only if `predicate` is
    /// reachable in the original net. Returns `None` if the reduction does not preserve
    /// `predicate`, or the reduced net cannot express it. `original` is the net that was reduced.
    pub fn translate(&self, original: &Net, predicate: &Predicate) -> Option<Predicate> {
        self.reduced.translate_predicate(original, predicate)
    }

    /// Returns a predicate that is reachable from every reachable marking of the reduced net if and
    /// only if `wanted` is in the original net. Returns `None` unless `wanted` is the enabledness
    /// of a protected transition and the reduction preserves liveness.
    pub fn translate_home(&self, wanted: &Predicate) -> Option<Predicate> {
        self.reduced.translate_home(wanted)
    }
}
