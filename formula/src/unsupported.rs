//! The reasons why a formula cannot be answered.

/// The reason why a formula is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedFormula {
    /// A temporal operator that neither logic allows here, or that goes beyond reachability where
    /// only reachability is supported.
    #[error(
        "{0} goes beyond what is answered: formulas of CTL, formulas of LTL below one quantifier, and \
         not what mixes them"
    )]
    Temporal(&'static str),
    /// Fairness for a formula of CTL.
    #[error("--fair is about runs, so formulas of LTL; this one is of CTL")]
    FairTree,
    /// A question about cases of a net without final markings.
    #[error("a case ends in a final marking, and the net has none: name one with --final")]
    NoFinal,
    /// A question about cases of a net with a final marking that is not dead.
    #[error(
        "something is enabled in a final marking: --cases is about processes whose cases end there"
    )]
    FinalNotDead,
    /// Numbers that do not fit 64 bits.
    #[error("the numbers of a comparison do not fit 64 bits")]
    TooLarge,
    /// A product of two token counts.
    #[error("the formula multiplies token counts with each other")]
    NonLinear,
    /// A bound used as a property.
    #[error("`place-bound` is a number, and stands where a property is expected")]
    BoundAsProperty,
    /// A question about enabled transitions in the initial marking of the skeleton of a coloured
    /// net.
    #[error("what is enabled initially is a matter of colours, which only the unfolding has")]
    Colours,
    /// A question beyond reachability for a net with inhibitor or reset arcs that was translated
    /// within caps.
    #[error(
        "places at inhibitor or reset arcs have no known bound: of such a net it is answered what can be \
         reached (EF, AG, deadlock, bounds), and not what stays reachable or what runs do"
    )]
    Caps,
    /// Nested equivalences whose expansion is too large, since each level doubles the size.
    #[error("the formula is too large without its equivalences")]
    Explosion,
}
