//! The assumptions that a net carries from its reader to the answers about it.

use crate::assumption::{Assumption, add};
use crate::net::Net;

impl Net {
    /// Returns the assumptions about the model, in ascending order, each assumption once.
    /// [`Assumption::SafeUnits`] is not in the list, because only some answers rest on it.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Returns the net with further assumptions about its model.
    #[must_use]
    pub fn assuming(mut self, added: impl IntoIterator<Item = Assumption>) -> Net {
        added.into_iter().for_each(|it| add(&mut self.assumptions, it));
        self
    }
}
