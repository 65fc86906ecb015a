//! A reduction that was gone through: what holds of the reduced net carries back.

use super::fingerprint::Fingerprint;
use super::finish::finish;
use super::log::{Log, LogError, LogFile};
use super::needs::Needs;
use super::redo::redo;
use super::translation::ReducedNet;
use crate::certificate::Claim;
use parikh_net::Net;

/// The checker's own reduced net. Made only by going through a log, every condition of every step
/// checked; so whatever is proved of its net holds, translated, of the net that the log began with.
/// That net may itself be one that was reduced: claims are translated one reduction after the other.
#[derive(Clone, Debug)]
pub struct CheckedReduction {
    reduced: ReducedNet,
}

impl CheckedReduction {
    /// Goes through `log`, which reduces `net` for `needs`.
    ///
    /// # Errors
    /// With the first step that does not hold; [`LogError::Stopped`] when it does not go on.
    pub fn of_log(
        net: &Net,
        needs: &Needs,
        log: &Log,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let needs = needs.normalised();
        let mut work = redo(net, &needs, log, &mut (), goes_on)?;
        let reduced = finish(net, &mut work, needs).map_err(|_| LogError::OtherNet)?;
        Ok(CheckedReduction { reduced })
    }

    /// Goes through the log of a file, which has to be about `net` and to end where it says.
    ///
    /// # Errors
    /// As [`of_log`](Self::of_log), and when a name is not known or a net is another one.
    pub fn of_file(
        net: &Net,
        file: &LogFile,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<CheckedReduction, LogError> {
        let (needs, log) = file.resolve(net)?;
        let checked = CheckedReduction::of_log(net, &needs, &log, goes_on)?;
        let same = Fingerprint::of(checked.net()) == file.reduced;
        if same { Ok(checked) } else { Err(LogError::OtherNet) }
    }

    /// The reduced net.
    pub fn net(&self) -> &Net {
        &self.reduced.net
    }

    /// The claim as it reads on the reduced net; `None` when the reduction was not made for it, or it
    /// cannot be said there. `original` is the net that was reduced, whose nodes it names.
    pub fn translate(&self, original: &Net, claim: &Claim) -> Option<Claim> {
        self.reduced.translate_claim(original, claim)
    }
}
