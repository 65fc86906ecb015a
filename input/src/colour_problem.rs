//! Problems with the colours of a net.

use parikh_net::coloured::ColourError;

/// The greatest nesting depth of differences, tuples, partitions, and conditions of alternating
/// kind. Functions recurse over these trees, and at this depth no stack overflows. The greatest
/// number of components of a product is the same, because each nested product adds components.
pub(super) const MAX_DEPTH: usize = 200;

/// The most terms to which sums inside tuples may multiply out.
pub(super) const MAX_TERMS: usize = 1_000_000;

/// A problem with a declaration or a term of a coloured net.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColourProblem {
    /// An element that is not an operator or sort of symmetric nets, or not a supported one.
    #[error("the element `<{0}>` is unknown here")]
    UnknownElement(String),
    /// A construct of the standard that Parikh does not support.
    #[error("`<{0}>` is not supported: no symmetric net of the contest has it")]
    Unsupported(String),
    /// The wrong number of operands.
    #[error("`<{element}>` has {found} operands, expected {expected}")]
    Operands {
        /// The name of the operator's XML element.
        element: String,
        /// The number of operands found.
        found: usize,
        /// The number of operands expected.
        expected: &'static str,
    },
    /// An operand of the wrong kind.
    #[error("`<{element}>` has {found} as an operand, expected {expected}")]
    Operand {
        /// The name of the operator's XML element.
        element: String,
        /// The operand found.
        found: &'static str,
        /// The operand expected.
        expected: &'static str,
    },
    /// A whole term that is missing, of the wrong kind, or one of several.
    #[error("found {found}, expected {expected}")]
    WholeTerm {
        /// The kind of term found, or `nothing`, `several terms` or `no inscription`.
        found: &'static str,
        /// The kind of term expected.
        expected: &'static str,
    },
    /// A reference to a name that is not declared.
    #[error("this net has no {kind} `{name}`")]
    Unknown {
        /// The undeclared name.
        name: String,
        /// The kind of the missing declaration: `sort`, `variable`, `constant` or `partition`.
        kind: &'static str,
    },
    /// A second declaration of the same id.
    #[error("the id `{0}` is declared twice")]
    Declared(String),
    /// A sort whose definition contains the sort itself.
    #[error("the sort `{0}` is defined by itself, directly or through other sorts")]
    Cycle(String),
    /// A partition that does not name exactly one sort.
    #[error("`<partition>`: expected exactly one sort to partition")]
    NotOneSort,
    /// A product with too many components.
    #[error("tuples of this sort have more than {0} components, including nested ones")]
    TooManyComponents(usize),
    /// A text that is not a whole number or not a truth value, or a number that does not fit 64
    /// bits.
    #[error("found `{0}`, expected a whole number")]
    BadNumber(String),
    /// A constant outside the range of its sort.
    #[error("{0} is not in the range of {1}")]
    OutOfRange(i64, String),
    /// Operators that are nested too deep and cannot be flattened.
    #[error("operators are nested more than {0} deep")]
    TooDeep(usize),
    /// Sums in the components of tuples that multiply out to too many terms.
    #[error("sums inside tuples multiply out to more than {0} terms")]
    TooLarge(usize),
    /// A multiset with more tokens than fit 64 bits.
    #[error("the tokens of a multiset do not fit 64 bits")]
    TooManyTokens,
    /// A label with a text but without a `<structure>`.
    #[error("found `<text>` only, expected `<structure>`")]
    NoStructure,
    /// An inconsistency that the coloured net's own checks found.
    #[error(transparent)]
    Colours(#[from] ColourError),
}
