//! The reasons why a formula cannot be answered.

/// The reason why a formula is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnsupportedFormula {
    /// A temporal operator that neither LTL nor CTL allows in this position. Also an operator
    /// beyond reachability where only reachability is supported. The text names the operator.
    #[error(
        "{0} is not supported: expected a CTL formula, or an LTL formula with at most one path \
         quantifier in front"
    )]
    Temporal(&'static str),
    /// Fairness for a formula of CTL.
    #[error("--fair applies to LTL formulas, and this is a CTL formula")]
    FairTree,
    /// A question about cases of a net without final markings.
    #[error("a case ends in a final marking, but the net has none: name one with --final")]
    NoFinal,
    /// A question about cases of a net with a final marking that is not dead.
    #[error(
        "a transition is enabled in a final marking, but --cases requires that cases end there"
    )]
    FinalNotDead,
    /// Numbers that do not fit 64 bits.
    #[error("the numbers of a comparison do not fit 64 bits")]
    TooLarge,
    /// A product of two token counts.
    #[error("the formula multiplies token counts with each other")]
    NonLinear,
    /// A bound used as a property.
    #[error("found a bound, which is a number, expected a property")]
    BoundAsProperty,
    /// A question about the skeleton of a coloured net, that is, the net without colours. The
    /// question is about runs, or about transitions enabled in the initial marking.
    #[error(
        "a formula about runs, or about the transitions enabled initially, needs the unfolding"
    )]
    Colours,
    /// A question beyond reachability for a net with inhibitor or reset arcs that was translated
    /// with caps, that is, assumed bounds on places.
    #[error(
        "places at inhibitor or reset arcs have no known bound: for such a net, only reachability \
         (EF, AG, deadlock, bounds) is answered, not home properties or formulas about runs"
    )]
    Caps,
    /// Nested equivalences whose expansion is too large, since each level doubles the size.
    #[error("the formula is too large after `<->` and `xor` are replaced")]
    Explosion,
}
