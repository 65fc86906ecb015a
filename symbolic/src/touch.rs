//! The effect of a transition at a level, and lists of effects.

/// The effect of a transition at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelTouch {
    /// The level, 0 at the top.
    pub level: u32,
    /// Tokens that the transition needs at this level.
    pub pre: u64,
    /// Change of the number of tokens. `pre + change` is at least 0.
    pub change: i64,
}

impl LevelTouch {
    /// Returns the effect of the reversed transition: it needs `pre + change` tokens and undoes the
    /// change.
    pub(crate) fn reversed(self) -> LevelTouch {
        let post = self.pre.saturating_add_signed(self.change);
        LevelTouch { level: self.level, pre: post, change: -self.change }
    }
}

/// A list of touches: its first touch, and the number of the rest of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Suffix {
    /// The topmost touch.
    pub(crate) touch: LevelTouch,
    /// The number of the suffix with the touches below.
    pub(crate) next: u32,
}

/// The suffix without touches.
pub(crate) const EMPTY_SUFFIX: u32 = 0;
