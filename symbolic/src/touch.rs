//! The effect of a transition at a level, and lists of effects.

use crate::restrict::LevelInterval;

/// The effect of a transition at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelTouch {
    /// The level, 0 at the top.
    pub level: u32,
    /// Tokens that the transition needs at this level.
    pub pre: u64,
    /// Largest number of tokens at this level with which the transition is enabled, at least `pre`.
    /// `u64::MAX` for no such limit.
    pub max: u64,
    /// Change of the number of tokens. `pre + change` is at least 0.
    pub change: i64,
}

impl LevelTouch {
    /// Creates the effect of a transition that has no upper limit on the tokens at this level.
    pub fn new(level: u32, pre: u64, change: i64) -> LevelTouch {
        LevelTouch { level, pre, max: u64::MAX, change }
    }

    /// Returns the values of the level with which the transition is enabled there.
    pub fn condition(self) -> LevelInterval {
        LevelInterval { level: self.level, least: self.pre, most: self.max }
    }

    /// Returns true if the transition is enabled at this level with `tokens` tokens.
    #[inline]
    pub(crate) fn admits(self, tokens: u64) -> bool {
        (self.pre..=self.max).contains(&tokens)
    }

    /// Returns true if the transition neither needs nor changes the tokens at this level.
    pub(crate) fn is_trivial(self) -> bool {
        self.pre == 0 && self.max == u64::MAX && self.change == 0
    }

    /// Returns the effect of the reversed transition: it needs `pre + change` tokens, at most
    /// `max + change`, and undoes the change.
    pub(crate) fn reversed(self) -> LevelTouch {
        let pre = self.pre.saturating_add_signed(self.change);
        let max = match self.max {
            u64::MAX => u64::MAX,
            max => max.saturating_add_signed(self.change),
        };
        LevelTouch { level: self.level, pre, max, change: -self.change }
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
