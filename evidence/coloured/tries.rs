//! How much is tried to make an unfolding again, and why there is none.

/// Why there is no net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unconfirmed {
    /// The names do not make a net that stands for the coloured one.
    #[error("{0}")]
    Wrong(String),
    /// More colours would have to be tried than was allowed.
    #[error("more than {0} colours would have to be tried to make the unfolding again")]
    TooLarge(u64),
    /// It was told to stop.
    #[error("stopped")]
    Stopped,
}

/// How many colours may still be tried.
pub(super) struct Tries<'g> {
    left: u64,
    most: u64,
    goes_on: &'g mut dyn FnMut() -> bool,
}

/// Colours tried between two questions whether to go on.
const ASKING: u64 = 1 << 10;

impl<'g> Tries<'g> {
    /// So many; it is asked now and then whether to go on.
    pub(super) fn new(most: u64, goes_on: &'g mut dyn FnMut() -> bool) -> Self {
        Tries { left: most, most, goes_on }
    }

    /// How many are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// That there would be more.
    pub(super) fn too_large(&self) -> Unconfirmed {
        Unconfirmed::TooLarge(self.most)
    }

    /// Takes note of some more.
    ///
    /// # Errors
    /// When there are to be no more.
    pub(super) fn some(&mut self, count: u64) -> Result<(), Unconfirmed> {
        self.left = self.left.checked_sub(count).ok_or(Unconfirmed::TooLarge(self.most))?;
        Ok(())
    }

    /// Takes note of one more.
    ///
    /// # Errors
    /// When there are to be no more, or when it was told to stop.
    pub(super) fn one(&mut self) -> Result<(), Unconfirmed> {
        self.some(1)?;
        match self.left.is_multiple_of(ASKING) && !(self.goes_on)() {
            true => Err(Unconfirmed::Stopped),
            false => Ok(()),
        }
    }
}
