//! Why a formula cannot be answered.

/// Why a formula is no question that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// An operator where neither logic has it, or where only reachability is asked.
    #[error(
        "{0} goes beyond what is answered: formulas of CTL, formulas of LTL below one quantifier, and \
         not what mixes them"
    )]
    Temporal(&'static str),
    /// A formula of CTL about fair runs.
    #[error("--fair is about runs, so formulas of LTL; this one is of CTL")]
    FairTree,
    /// A question about cases of a net that does not say where these end.
    #[error("a case ends in a final marking, and the net has none: name one with --final")]
    NoFinal,
    /// A question about cases that may go on after their end.
    #[error(
        "something is enabled in a final marking: --cases is about processes whose cases end there"
    )]
    FinalNotDead,
    /// Numbers beyond 64 bits.
    #[error("the numbers of a comparison do not fit 64 bits")]
    TooLarge,
    /// A product of two token counts.
    #[error("the formula multiplies token counts with each other")]
    NonLinear,
    /// A bound that is used as a property.
    #[error("`place-bound` is a number, and stands where a property is expected")]
    BoundAsProperty,
    /// A question about the initial marking of a coloured net, where only its skeleton is looked
    /// at.
    #[error("what is enabled initially is a matter of colours, which only the unfolding has")]
    Colours,
    /// A question about more than what can be reached, where a net with inhibitor or reset arcs has
    /// caps.
    #[error(
        "places at inhibitor or reset arcs have no known bound: of such a net it is answered what can be \
         reached (EF, AG, deadlock, bounds), and not what stays reachable or what runs do"
    )]
    Caps,
    /// Nested equivalences, each of which doubles what it holds.
    #[error("the formula is too large without its equivalences")]
    Explosion,
}
