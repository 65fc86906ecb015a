//! What can be wrong with the colours of a net.

use parikh_net::coloured::ColourError;

/// Differences, tuples, partitions, and conditions of alternating kind are trees, which whoever
/// walks over them may do by recursion: at this depth no stack overflows. Products of products are
/// as deep as they have components at most, so this is the most of these, too.
pub(super) const DEEPEST: usize = 200;

/// Sums inside tuples may multiply out to so many terms.
pub(super) const LARGEST: usize = 1_000_000;

/// What is wrong with a declaration or a term.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColourProblem {
    /// An element that is no operator or sort of symmetric nets, or none that is supported.
    #[error("`<{0}>` is not known here")]
    UnknownElement(String),
    /// A part of the standard that is left out.
    #[error("`<{0}>` is not supported: no symmetric net of the contest has it")]
    Unsupported(String),
    /// The wrong number of operands.
    #[error("`<{element}>` has {found} operands, expected {expected}")]
    Operands {
        /// The operator.
        element: String,
        /// How many it has.
        found: usize,
        /// How many it has to have.
        expected: &'static str,
    },
    /// An operand of the wrong kind.
    #[error("`<{element}>` has {found} as an operand, expected {expected}")]
    Operand {
        /// The operator.
        element: String,
        /// What was found.
        found: &'static str,
        /// What has to be there.
        expected: &'static str,
    },
    /// The whole is of the wrong kind.
    #[error("found {found}, expected {expected}")]
    Whole {
        /// What it is.
        found: &'static str,
        /// What it has to be.
        expected: &'static str,
    },
    /// A reference to nothing.
    #[error("`{name}` is no {kind} of this net")]
    Unknown {
        /// What is referred to.
        name: String,
        /// `sort`, `variable`, `constant`, `partition`.
        kind: &'static str,
    },
    /// Two declarations of one id.
    #[error("the id `{0}` is declared twice")]
    Declared(String),
    /// A sort that is made of itself.
    #[error("the sort `{0}` is made of itself, directly or through others")]
    Cycle(String),
    /// A partition of nothing.
    #[error("`<partition>` has to say once which sort it cuts")]
    CutsNothing,
    /// Products of products that are too wide.
    #[error("tuples of this sort have more than {0} components, those of components counted")]
    TooManyComponents(usize),
    /// Not a number.
    #[error("found `{0}`, expected a whole number")]
    BadNumber(String),
    /// A constant outside its range.
    #[error("{0} is not in the range of {1}")]
    OutOfRange(i64, String),
    /// Operators nested too deep that do not join into one.
    #[error("operators are nested more than {0} deep")]
    TooDeep(usize),
    /// Sums in the components of tuples multiply out to too much.
    #[error("sums inside tuples multiply out to more than {0} terms")]
    TooLarge(usize),
    /// Tokens beyond 64 bits.
    #[error("the tokens of a multiset do not fit 64 bits")]
    TooManyTokens,
    /// A label whose meaning is only in its text.
    #[error("there is a text, but no `<structure>` to read")]
    NoStructure,
    /// The parts do not fit together.
    #[error(transparent)]
    Colours(#[from] ColourError),
}
