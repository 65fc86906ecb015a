//! The kinds of evidence that files hold, each a line of its own that answers refer to.
//!
//! A new kind is a variant here with its row, a type that its lines are read as ([`Kept`]), and the
//! file in `audit/kinds` that says what such a line shows.

use serde::Deserialize;

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A firing sequence from the initial marking.
    Trace,
    /// A firing sequence, and what can repeat for ever after it.
    Pump,
    /// A run with loops, of more firings than are written down.
    Loops,
    /// A run that never ends.
    Lasso,
    /// How a smaller net is made, for documents about it.
    Reduction,
    /// An argument that some markings are not reachable.
    Document,
    /// An argument about what stays reachable.
    Structure,
    /// An argument that no run has a property.
    NoRun,
    /// That visiting markings shows that no run has a property.
    Visited,
    /// Markings with what is true of them, about the tree of runs.
    Labelling,
    /// A count of markings.
    Count,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 11] = [
        Kind::Trace,
        Kind::Pump,
        Kind::Loops,
        Kind::Lasso,
        Kind::Reduction,
        Kind::Document,
        Kind::Structure,
        Kind::NoRun,
        Kind::Visited,
        Kind::Labelling,
        Kind::Count,
    ];

    /// What it is called in files, and the letter that the ids of its lines begin with.
    const fn row(self) -> (&'static str, char) {
        match self {
            Kind::Trace => ("trace", 'w'),
            Kind::Pump => ("pump", 'p'),
            Kind::Loops => ("loops", 'l'),
            Kind::Lasso => ("lasso", 'o'),
            Kind::Reduction => ("reduction", 'r'),
            Kind::Document => ("document", 'd'),
            Kind::Structure => ("structure", 's'),
            Kind::NoRun => ("no_run", 'n'),
            Kind::Visited => ("visited", 'v'),
            Kind::Labelling => ("labelling", 'b'),
            Kind::Count => ("count", 'c'),
        }
    }

    /// What it is called in files.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The letter that the ids of its lines begin with.
    pub const fn letter(self) -> char {
        self.row().1
    }

    /// The kind that is called so.
    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What lines of one kind are read as.
pub trait Kept: for<'d> Deserialize<'d> {
    /// The kind.
    const KIND: Kind;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_letters_tell_kinds_apart() {
        let names: HashSet<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        let letters: HashSet<_> = Kind::ALL.iter().map(|kind| kind.letter()).collect();
        assert_eq!((names.len(), letters.len()), (Kind::ALL.len(), Kind::ALL.len()));
        assert_eq!(Kind::named("no_run"), Some(Kind::NoRun));
        assert_eq!(Kind::named("evidence"), None);
    }
}
