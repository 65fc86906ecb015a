//! Problems with input files. Each message gives the position, the text found, the text expected,
//! and a remedy.

use super::colour_problem::ColourProblem;
use crate::extended::TranslationError;
use parikh_formula::FormulaError;
use parikh_net::BuildError;
use std::fmt;

/// A position in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as the caller names it.
    pub file: Box<str>,
    /// The line, counted from 1.
    pub line: u64,
    /// The column, counted in bytes of the text in UTF-8, from 1.
    pub column: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The reason why an input is refused as a whole.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file that cannot be opened, read or decompressed.
    #[error("{file}: cannot be read: {cause}")]
    Unreadable {
        /// The file or directory.
        file: Box<str>,
        /// The error of opening or reading.
        #[source]
        cause: std::io::Error,
    },
    /// A directory where a file is expected.
    #[error("{file}: this is a directory, expected an XML file")]
    Directory {
        /// The directory.
        file: Box<str>,
    },
    /// A packed file where XML is expected.
    #[error(
        "{file}: this is a {kind}, expected XML; unpack it first ({advice}), and give the unpacked \
         file or directory"
    )]
    Packed {
        /// The file.
        file: Box<str>,
        /// The kind of packed file.
        kind: &'static str,
        /// Commands to unpack the file.
        advice: &'static str,
    },
    /// An empty file.
    #[error("{file}: the file has no content, expected a model")]
    NoContent {
        /// The file.
        file: Box<str>,
    },
    /// A file whose format is not recognised.
    #[error(
        "{file}:{line}: the file begins with `{found}`, expected one of: {}",
        formats.join("; ")
    )]
    UnknownFormat {
        /// The file.
        file: Box<str>,
        /// The first line that is not blank, counted from 1.
        line: u64,
        /// The beginning of that line in the file.
        found: String,
        /// The formats that Parikh reads, one line each.
        formats: Vec<String>,
    },
    /// A problem in a line of a net in Parikh's textual format.
    #[error("{file}:{line}: {problem}")]
    Text {
        /// The file.
        file: Box<str>,
        /// The line, counted from 1.
        line: usize,
        /// The text found and the text expected.
        problem: String,
    },
    /// A file in another tool's format that Parikh recognises and does not read.
    #[error(
        "{file}:{line}: this is {kind} (found `{found}`), which Parikh does not read: {advice}"
    )]
    Foreign {
        /// The file.
        file: Box<str>,
        /// The line that shows the format, counted from 1.
        line: u64,
        /// The keyword or element that shows the format.
        found: String,
        /// The kind of file and its tool.
        kind: &'static str,
        /// The export or conversion that gives a file Parikh reads.
        advice: &'static str,
    },
    /// A problem in a net written in another tool's textual language.
    #[error("{at}: {problem}")]
    Script {
        /// The position of the problem.
        at: Location,
        /// The text found and the text expected.
        problem: String,
        /// The line of the problem, and a line with carets below the problem.
        excerpt: Box<[String; 2]>,
    },
    /// A net with inhibitor or reset arcs for which no equivalent place/transition net is known.
    #[error("{file}: {why}")]
    Untranslated {
        /// The file.
        file: Box<str>,
        /// The reason.
        #[source]
        why: Box<TranslationError>,
    },
    /// A file with nothing but blanks and comments.
    #[error("{file}: the file has no content, expected an element `<{expected}>`")]
    Empty {
        /// The file.
        file: Box<str>,
        /// The root element that this kind of file has.
        expected: &'static str,
    },
    /// A file that is not well-formed XML, or uses XML that the reader does not support.
    #[error("{at}: malformed XML: {problem}")]
    Malformed {
        /// The position of the malformed piece.
        at: Location,
        /// The problem.
        problem: String,
    },
    /// An XML declaration with an unknown encoding.
    #[error("{at}: unknown encoding `{found}`, expected for example UTF-8 or ISO-8859-1")]
    UnknownEncoding {
        /// The position of the XML declaration.
        at: Location,
        /// The encoding's name in the declaration.
        found: String,
    },
    /// A file whose content begins with another element than the expected root, or with text.
    #[error("{at}: found {found}, expected `<{expected}>`; is this the right file?")]
    WrongRoot {
        /// The position of the root element. For text, the beginning of the file.
        at: Location,
        /// The first piece of the content.
        found: String,
        /// The root element that this kind of file has.
        expected: &'static str,
    },
    /// A PNML file without a net.
    #[error("{file}: no `<net>` in the file, expected one right inside `<pnml>`")]
    NoNet {
        /// The file.
        file: Box<str>,
    },
    /// A PNML file with several nets.
    #[error("{at}: a second `<net>` begins here, expected one net per file; split the file")]
    SeveralNets {
        /// The position of the second net.
        at: Location,
    },
    /// A net inside a page, as WoPeD writes the net of a sub-process.
    #[error(
        "{at}: a `<net>` begins inside page `{page}`: this is a sub-process, as WoPeD writes it, \
         and Parikh does not read sub-processes; replace it by its places and transitions in \
         WoPeD, and save the net again"
    )]
    SubProcess {
        /// The position of the inner net.
        at: Location,
        /// The id of the page around it.
        page: String,
    },
    /// A net inside an element that must not contain one.
    #[error(
        "{at}: a `<net>` begins inside `<{around}>`, expected it right inside `<pnml>` or in a \
         `<module>`; move it there"
    )]
    HiddenNet {
        /// The position of the inner net.
        at: Location,
        /// The enclosing element.
        around: String,
    },
    /// A net with coloured tokens.
    #[error("{at}: this is a coloured net (found {found}), expected a place/transition net")]
    Coloured {
        /// The position of the first sign of colours.
        at: Location,
        /// The sign of colours.
        found: String,
    },
    /// An arc of an unknown type.
    #[error(
        "{at}: arc `{arc}` has the type `{found}`, expected `normal`, `inhibitor`, `read` or \
         `reset`; express it with arcs of these types"
    )]
    UnsupportedArc {
        /// The position of the arc.
        at: Location,
        /// The arc's id, or source and target if the id is missing.
        arc: String,
        /// The arc's type.
        found: String,
    },
    /// An arc of a coloured net with another type than `normal`.
    #[error(
        "{at}: arc `{arc}` of a coloured net has the type `{found}`, expected `normal`: inhibitor, \
         read and reset arcs are supported only in nets without colours; unfold the net with the \
         tool that wrote it, or express the test by a complementary place"
    )]
    ColouredArc {
        /// The position of the arc.
        at: Location,
        /// The arc's id, or source and target if the id is missing.
        arc: String,
        /// The arc's type.
        found: String,
    },
    /// Text where text has no meaning.
    #[error("{at}: found the text `{found}` where no text is expected")]
    StrayText {
        /// The position of the text.
        at: Location,
        /// The beginning of the text.
        found: String,
    },
    /// An unsupported construct. The file could have another meaning without the construct.
    #[error("{at}: {found} is not supported; {advice}")]
    Unsupported {
        /// The position of the construct.
        at: Location,
        /// The construct.
        found: String,
        /// The remedy.
        advice: &'static str,
    },
    /// A missing attribute.
    #[error("{at}: `<{element}>` has no attribute `{attribute}`")]
    MissingAttribute {
        /// The position of the element.
        at: Location,
        /// The element's name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
    },
    /// A second label where at most one is allowed.
    #[error("{at}: {owner} has a second `<{label}>`, expected at most one")]
    Repeated {
        /// The position of the second label.
        at: Location,
        /// The node or arc.
        owner: String,
        /// The label's element.
        label: &'static str,
    },
    /// A text that is not a valid number of tokens or arc weight.
    #[error("{at}: {owner}: found `{found}`, expected a whole number from {least} to 2^63 - 1")]
    BadNumber {
        /// The position of the label with the number.
        at: Location,
        /// The node or arc, with the name of the label.
        owner: String,
        /// The text in place of the number.
        found: String,
        /// The smallest number allowed.
        least: u64,
    },
    /// An arc whose source or target does not exist.
    #[error("{at}: arc `{arc}` is connected to `{node}`, but no place or transition has this id")]
    UnknownEnd {
        /// The position of the arc.
        at: Location,
        /// The arc's id, or source and target if the id is missing.
        arc: String,
        /// The undeclared id.
        node: String,
    },
    /// An arc between two places, or between two transitions.
    #[error(
        "{at}: arc `{arc}` goes from `{source_node}` to `{target_node}`, both {kind}, expected a \
         place and a transition"
    )]
    SameKind {
        /// The position of the arc.
        at: Location,
        /// The arc's id, or source and target if the id is missing.
        arc: String,
        /// The arc's source.
        source_node: String,
        /// The arc's target.
        target_node: String,
        /// `places` or `transitions`.
        kind: &'static str,
    },
    /// A reference node whose target does not exist or is of the other kind. Also a final marking
    /// that names an unknown place.
    #[error(
        "{at}: the reference `{node}` refers to `{target}`, but this net has no {kind} with \
             this id"
    )]
    UnknownReference {
        /// The position of the reference node, or of the place in the final marking.
        at: Location,
        /// The reference node's id, or `final marking`.
        node: String,
        /// The id that is not found.
        target: String,
        /// `place` or `transition`.
        kind: &'static str,
    },
    /// A cycle of reference nodes.
    #[error("{at}: the reference `{node}` refers to itself, directly or through other references")]
    ReferenceCycle {
        /// The position of a reference node on the cycle, or of one that leads to the cycle.
        at: Location,
        /// The reference node's id.
        node: String,
    },
    /// A problem with a declaration or a term of a coloured net.
    #[error("{at}: {owner}: {problem}")]
    Colours {
        /// The position of the operator or declaration, or of the whole term.
        at: Location,
        /// The sort, variable, place, transition or arc that contains the problem.
        owner: String,
        /// The problem.
        #[source]
        problem: Box<ColourProblem>,
    },
    /// Nodes or arcs that do not make a valid net.
    #[error("{at}: {problem}")]
    Net {
        /// The position of the node or arc, or of the net.
        at: Location,
        /// The problem.
        #[source]
        problem: BuildError,
    },
    /// A query file of at least two formulas, all of which name unknown nodes.
    #[error(
        "{file}: all {formulas} formulas name places or transitions that the net does not have; is \
         this the query file of another model? The first error: {first}"
    )]
    OtherModel {
        /// The query file.
        file: Box<str>,
        /// The number of formulas in the file.
        formulas: usize,
        /// The problem with the first formula.
        #[source]
        first: FormulaError,
    },
    /// An instance directory without `model.pnml`.
    #[error(
        "{directory}: the directory has no model.pnml; expected a PNML file or the directory of a contest \
         instance"
    )]
    NoModel {
        /// The directory.
        directory: Box<str>,
    },
}
