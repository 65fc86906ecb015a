//! The kinds of evidence in evidence files. Each piece of evidence is one line, and answers refer
//! to it by its id.
//!
//! A new kind needs a variant and a row here, a type with [`EvidenceContent`] that its lines are
//! parsed as, and a file in `audit/kinds` that defines what such a line proves.

use serde::Deserialize;

/// A kind of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceKind {
    /// A firing sequence from the initial marking.
    Trace,
    /// A firing sequence, and firings that can repeat forever after it.
    Pump,
    /// An accelerated sequence: nested loops of firings, usually too long to write out.
    Loops,
    /// A run: a prefix, and a cycle, a dead marking or any continuation after it.
    Lasso,
    /// The steps by which a reduced net is made, for documents about that net.
    Reduction,
    /// A proof that no reachable marking satisfies certain predicates.
    Document,
    /// A proof about the whole net: predicates stay reachable from every reachable marking, or do
    /// not.
    Structure,
    /// A proof that no run has a property.
    NoRun,
    /// The statement that no run has a property, with a number of markings that the checker may
    /// visit to prove it.
    Visited,
    /// Markings labelled with the subformulas that hold there, for branching-time properties.
    Labelling,
    /// The number of markings that were visited to count the reachable markings.
    Count,
    /// A proof that the reachable markings are the solutions of place invariants, which determine
    /// their number.
    Family,
}

impl EvidenceKind {
    /// The kinds of evidence.
    pub const ALL: [EvidenceKind; 12] = [
        EvidenceKind::Trace,
        EvidenceKind::Pump,
        EvidenceKind::Loops,
        EvidenceKind::Lasso,
        EvidenceKind::Reduction,
        EvidenceKind::Document,
        EvidenceKind::Structure,
        EvidenceKind::NoRun,
        EvidenceKind::Visited,
        EvidenceKind::Labelling,
        EvidenceKind::Count,
        EvidenceKind::Family,
    ];

    /// Returns the kind's name in files, and the first letter of the ids of its lines.
    const fn name_and_letter(self) -> (&'static str, char) {
        match self {
            EvidenceKind::Trace => ("trace", 'w'),
            EvidenceKind::Pump => ("pump", 'p'),
            EvidenceKind::Loops => ("loops", 'l'),
            EvidenceKind::Lasso => ("lasso", 'o'),
            EvidenceKind::Reduction => ("reduction", 'r'),
            EvidenceKind::Document => ("document", 'd'),
            EvidenceKind::Structure => ("structure", 's'),
            EvidenceKind::NoRun => ("no_run", 'n'),
            EvidenceKind::Visited => ("visited", 'v'),
            EvidenceKind::Labelling => ("labelling", 'b'),
            EvidenceKind::Count => ("count", 'c'),
            EvidenceKind::Family => ("family", 'f'),
        }
    }

    /// Returns the kind's name in files.
    pub const fn name(self) -> &'static str {
        self.name_and_letter().0
    }

    /// Returns the first letter of the ids of the kind's lines.
    pub const fn letter(self) -> char {
        self.name_and_letter().1
    }

    /// Returns the kind with this name in files, or `None` for an unknown name.
    pub fn named(name: &str) -> Option<EvidenceKind> {
        EvidenceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A type that the lines of one kind of evidence are parsed as.
pub trait EvidenceContent: for<'d> Deserialize<'d> {
    /// The kind of the lines.
    const KIND: EvidenceKind;
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_letters_of_kinds_are_unique() {
        let names: HashSet<_> = EvidenceKind::ALL.iter().map(|kind| kind.name()).collect();
        let letters: HashSet<_> = EvidenceKind::ALL.iter().map(|kind| kind.letter()).collect();
        assert_eq!(
            (names.len(), letters.len()),
            (EvidenceKind::ALL.len(), EvidenceKind::ALL.len())
        );
        assert_eq!(EvidenceKind::named("no_run"), Some(EvidenceKind::NoRun));
        assert_eq!(EvidenceKind::named("evidence"), None);
    }
}
