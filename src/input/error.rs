//! What can be wrong with an input file, said so that its owner can mend it: where, what was found,
//! what was expected, and what to do.

use super::colour_problem::ColourProblem;
use crate::extended::Untranslated;
use crate::formula::FormulaError;
use parikh_net::BuildError;
use std::fmt;

/// A position in an input file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The file as it was named by the caller.
    pub file: Box<str>,
    /// Counted from 1.
    pub line: u64,
    /// Counted in bytes of the text as UTF-8, from 1.
    pub column: u64,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why an input was refused as a whole.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The system cannot open or read it.
    #[error("{file}: cannot be read: {cause}")]
    Unreadable {
        /// The file or directory.
        file: Box<str>,
        /// What the system said.
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
        "{file}: this is a {kind}, expected XML; unpack it first ({advice}), and name the file or \
         directory that comes out"
    )]
    Packed {
        /// The file.
        file: Box<str>,
        /// What it is.
        kind: &'static str,
        /// How it is unpacked.
        advice: &'static str,
    },
    /// A file without a byte.
    #[error("{file}: the file has no content, expected a model")]
    NoContent {
        /// The file.
        file: Box<str>,
    },
    /// Of no format that models are read in.
    #[error(
        "{file}:{line}: the file begins with `{found}`, expected one of: {}",
        formats.join("; ")
    )]
    UnknownFormat {
        /// The file.
        file: Box<str>,
        /// The first line that is not blank, counted from 1.
        line: u64,
        /// The beginning of this line.
        found: String,
        /// The formats that Parikh reads, one line each.
        formats: Vec<String>,
    },
    /// A line of a net as text.
    #[error("{file}:{line}: {problem}")]
    Text {
        /// The file.
        file: Box<str>,
        /// Counted from 1.
        line: usize,
        /// What was found and what was expected.
        problem: String,
    },
    /// A file that another tool wrote, and is known not to be read.
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
    /// A piece of a net in another tool's language.
    #[error("{at}: {problem}")]
    Script {
        /// The piece.
        at: Location,
        /// What was found and what was expected.
        problem: String,
        /// Its line, and carets below it.
        excerpt: Box<[String; 2]>,
    },
    /// A net with inhibitor or reset arcs that no place/transition net stands for.
    #[error("{file}: {why}")]
    Untranslated {
        /// The file.
        file: Box<str>,
        /// What is to blame.
        #[source]
        why: Box<Untranslated>,
    },
    /// Nothing in it, or nothing but blanks and comments.
    #[error("{file}: the file has no content, expected an element `<{expected}>`")]
    Empty {
        /// The file.
        file: Box<str>,
        /// The root element that this kind of file has.
        expected: &'static str,
    },
    /// Not well-formed.
    #[error("{at}: malformed XML: {problem}")]
    Malformed {
        /// Where the offending piece begins.
        at: Location,
        /// What is wrong.
        problem: String,
    },
    /// The XML declaration names an encoding that nobody knows.
    #[error("{at}: unknown encoding `{found}`, expected for example UTF-8 or ISO-8859-1")]
    UnknownEncoding {
        /// The declaration.
        at: Location,
        /// What it says.
        found: String,
    },
    /// Well-formed so far, but of another kind.
    #[error("{at}: found {found}, expected `<{expected}>`; is this the right file?")]
    WrongRoot {
        /// Where the content begins.
        at: Location,
        /// How it begins.
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
    #[error("{at}: a second `<net>` begins here, expected one net in a file; split the file")]
    SeveralNets {
        /// The second net.
        at: Location,
    },
    /// A net inside a page, as WoPeD writes the net of a sub-process.
    #[error(
        "{at}: a `<net>` begins inside page `{page}`: this is a sub-process, as WoPeD writes it, which Parikh \
         does not read; replace it by its places and transitions in WoPeD, and save the net again"
    )]
    SubProcess {
        /// The inner net.
        at: Location,
        /// The id of the page around it.
        page: String,
    },
    /// A net inside an element that holds none.
    #[error(
        "{at}: a `<net>` begins inside `<{around}>`, expected it right inside `<pnml>` or in a \
         `<module>`; move it there"
    )]
    HiddenNet {
        /// The net.
        at: Location,
        /// The element around it.
        around: String,
    },
    /// A net with coloured tokens.
    #[error("{at}: this is a coloured net (found {found}), expected a place/transition net")]
    Coloured {
        /// The first sign of colours.
        at: Location,
        /// That sign.
        found: String,
    },
    /// An arc that does something else than move tokens.
    #[error(
        "{at}: arc `{arc}` has the type `{found}`, expected `normal`, `inhibitor`, `read` or `reset`; \
         write its meaning with arcs of these types"
    )]
    UnsupportedArc {
        /// The arc.
        at: Location,
        /// Its id, or its ends when it has none.
        arc: String,
        /// Its type.
        found: String,
    },
    /// An arc of a coloured net that does something else than move tokens.
    #[error(
        "{at}: arc `{arc}` of a coloured net has the type `{found}`, expected `normal`: inhibitor, read and \
         reset arcs are read in nets without colours only; unfold the net with the tool that wrote it, or \
         write the test with a complementary place"
    )]
    ColouredArc {
        /// The arc.
        at: Location,
        /// Its id, or its ends when it has none.
        arc: String,
        /// Its type.
        found: String,
    },
    /// Text where none has a meaning.
    #[error("{at}: the text `{found}` stands where none is expected")]
    StrayText {
        /// Where it is.
        at: Location,
        /// How it begins.
        found: String,
    },
    /// Something else that changes what the net means.
    #[error("{at}: {found} is not supported; {advice}")]
    Unsupported {
        /// Where it is.
        at: Location,
        /// What it is.
        found: String,
        /// What to do.
        advice: &'static str,
    },
    /// An attribute that has to be there.
    #[error("{at}: `<{element}>` has no attribute `{attribute}`")]
    MissingAttribute {
        /// The element.
        at: Location,
        /// Its name.
        element: &'static str,
        /// The attribute's name.
        attribute: &'static str,
    },
    /// A label of which there may be one.
    #[error("{at}: {owner} has a second `<{label}>`, expected at most one")]
    Repeated {
        /// The second one.
        at: Location,
        /// The node or arc.
        owner: String,
        /// The label's element.
        label: &'static str,
    },
    /// Not a count of tokens or a weight.
    #[error("{at}: {owner}: found `{found}`, expected a whole number from {least} to 2^63 - 1")]
    BadNumber {
        /// The label that holds it.
        at: Location,
        /// The node or arc, and which of its labels.
        owner: String,
        /// The text in place of the number.
        found: String,
        /// The smallest number allowed.
        least: u64,
    },
    /// An arc from or to nothing.
    #[error("{at}: arc `{arc}` has the end `{node}`, but no place or transition has this id")]
    UnknownEnd {
        /// The arc.
        at: Location,
        /// Its id, or its ends when it has none.
        arc: String,
        /// The id that is not there.
        node: String,
    },
    /// An arc between two places or two transitions.
    #[error(
        "{at}: arc `{arc}` goes from `{source_node}` to `{target_node}`, both {kind}, expected a \
         place and a transition"
    )]
    SameKind {
        /// The arc.
        at: Location,
        /// Its id, or its ends when it has none.
        arc: String,
        /// Its source.
        source_node: String,
        /// Its target.
        target_node: String,
        /// `places` or `transitions`.
        kind: &'static str,
    },
    /// A reference node that refers to nothing, or to a node of the other kind.
    #[error("{at}: the reference `{node}` refers to `{target}`, which is no {kind} of this net")]
    UnknownReference {
        /// The reference node.
        at: Location,
        /// Its id.
        node: String,
        /// What it refers to.
        target: String,
        /// `place` or `transition`.
        kind: &'static str,
    },
    /// References that refer to each other.
    #[error("{at}: the reference `{node}` refers to itself, directly or through others")]
    ReferenceCycle {
        /// A reference node of the cycle, or one that leads to it.
        at: Location,
        /// Its id.
        node: String,
    },
    /// Something is wrong with a declaration or a term of a coloured net.
    #[error("{at}: {owner}: {problem}")]
    Colours {
        /// The operator or the declaration; the whole term where no single one is to blame.
        at: Location,
        /// The sort, variable, place, transition or arc it belongs to.
        owner: String,
        /// What is wrong.
        #[source]
        problem: Box<ColourProblem>,
    },
    /// The nodes or arcs do not make a net.
    #[error("{at}: {problem}")]
    Net {
        /// The node or arc; the net where no single one is to blame.
        at: Location,
        /// What is wrong.
        #[source]
        problem: BuildError,
    },
    /// A query file of which no formula fits the net.
    #[error(
        "{file}: every one of the {formulas} formulas names places or transitions that the net \
         does not have; is this the query file of another model? The first: {first}"
    )]
    OtherModel {
        /// The query file.
        file: Box<str>,
        /// How many formulas it has.
        formulas: usize,
        /// What is wrong with the first.
        #[source]
        first: FormulaError,
    },
    /// An instance directory without its net.
    #[error(
        "{directory}: the directory has no model.pnml; expected a PNML file or the directory of a contest \
         instance"
    )]
    NoModel {
        /// The directory.
        directory: Box<str>,
    },
    /// An instance directory without formulas for an examination.
    #[error("{directory}: no `{examination}.xml` in this directory, expected one with formulas")]
    NoQueries {
        /// The directory.
        directory: Box<str>,
        /// The examination's name.
        examination: String,
    },
}
