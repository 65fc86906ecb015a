//! What transitions do at a level, and lists of that.

/// What a transition does at one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Touch {
    /// The level, 0 at the top.
    pub level: u32,
    /// Tokens it needs there.
    pub pre: u64,
    /// Tokens it adds there, or takes if negative: `pre + change` is at least 0.
    pub change: i64,
}

impl Touch {
    /// The same, backwards: what it leaves at least, and the change undone.
    pub(crate) fn reversed(self) -> Touch {
        let post = self.pre.saturating_add_signed(self.change);
        Touch { level: self.level, pre: post, change: -self.change }
    }
}

/// A list of touches: the first one, and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Suffix {
    pub(crate) touch: Touch,
    pub(crate) next: u32,
}

/// The suffix without touches.
pub(crate) const END: u32 = 0;
