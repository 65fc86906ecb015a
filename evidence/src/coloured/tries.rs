//! The limit on the work to rebuild an unfolding, and the reasons that there is none.

/// The reason that an unfolding is not confirmed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfoldingFlaw {
    /// The listed names are not shown to give a net that is equivalent to the coloured net.
    #[error("{0}")]
    Wrong(String),
    /// The check must try more colours than allowed, or the multiplicity of a colour is 2⁶³ or
    /// more. The field is the maximum number of tried colours.
    #[error("repeating the unfolding needs more than {0} colours to be tried")]
    TooLarge(u64),
    /// `goes_on` returned false.
    #[error("stopped")]
    Stopped,
}

/// A counter of the colours that may still be tried.
pub(super) struct ColourBudget<'g> {
    /// The number of colours that may still be tried.
    remaining: u64,
    /// The limit at the start.
    limit: u64,
    /// The callback that returns false to stop the check.
    goes_on: &'g mut dyn FnMut() -> bool,
}

/// The interval of calls of `goes_on`: `spend_one` calls it when the number of remaining colours is
/// a multiple of this.
const POLL_INTERVAL: u64 = 1 << 10;

impl<'g> ColourBudget<'g> {
    /// Creates a counter with this limit. [`spend_one`](Self::spend_one) calls `goes_on` regularly.
    pub(super) fn new(max_colours: u64, goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        ColourBudget { remaining: max_colours, limit: max_colours, goes_on }
    }

    /// Returns the number of colours that may still be tried.
    pub(super) fn remaining_colours(&self) -> u64 {
        self.remaining
    }

    /// Returns the error that the limit is exceeded.
    pub(super) fn too_large(&self) -> UnfoldingFlaw {
        UnfoldingFlaw::TooLarge(self.limit)
    }

    /// Counts `count` colours.
    ///
    /// # Errors
    /// When the limit is exceeded.
    pub(super) fn spend(&mut self, count: u64) -> Result<(), UnfoldingFlaw> {
        self.remaining =
            self.remaining.checked_sub(count).ok_or(UnfoldingFlaw::TooLarge(self.limit))?;
        Ok(())
    }

    /// Counts one colour.
    ///
    /// # Errors
    /// When the limit is exceeded, or `goes_on` returns false.
    pub(super) fn spend_one(&mut self) -> Result<(), UnfoldingFlaw> {
        self.spend(1)?;
        match self.remaining.is_multiple_of(POLL_INTERVAL) && !(self.goes_on)() {
            true => Err(UnfoldingFlaw::Stopped),
            false => Ok(()),
        }
    }
}
