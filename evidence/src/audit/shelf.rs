//! Access to the evidence of a file. Only the positions of the lines are kept in memory, and a line
//! is read again when an answer refers to it. So a file may be much larger than the memory.
//! Replayed reductions are kept, because many documents depend on them.

use super::AuditWatch;
use super::source::LinePosition;
use crate::file::ReductionLine;
use crate::kind::{EvidenceContent, EvidenceKind};
use crate::reduction::{CheckedReduction, LogError};
use parikh_net::printable::Quoted;
use parikh_net::{Net, Predicate};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The evidence of one file about `net`.
pub(super) struct EvidenceLines<'n> {
    /// The net that the evidence is about.
    net: &'n Net,
    /// The open file, from which lines are read again.
    file: Arc<File>,
    /// The position of each line, by kind and id.
    positions: HashMap<(EvidenceKind, String), LinePosition>,
    /// The replayed reductions and their nets, by id.
    reductions: HashMap<String, DerivedNet>,
    /// The watch that limits time and memory.
    watch: AuditWatch,
}

/// The reduction that a reduction depends on.
#[derive(Deserialize)]
struct ReductionBase {
    /// The id of the reduction whose net this one reduces further; `None` for the original net.
    of: Option<String>,
}

impl EvidenceContent for ReductionBase {
    const KIND: EvidenceKind = EvidenceKind::Reduction;
}

/// A net derived by a checked reduction.
struct DerivedNet {
    /// The id of the reduction whose net this reduction starts from; `None` for the original net.
    base: Option<String>,
    /// The reductions that were replayed, with their nets.
    checked_reduction: CheckedReduction,
}

impl<'n> EvidenceLines<'n> {
    pub(super) fn new(net: &'n Net, file: Arc<File>, watch: AuditWatch) -> Self {
        EvidenceLines { net, file, positions: HashMap::new(), reductions: HashMap::new(), watch }
    }

    /// Records the position of a line. Fails if an earlier line has the same kind and id.
    pub(super) fn add(
        &mut self,
        kind: EvidenceKind,
        id: String,
        position: LinePosition,
    ) -> Result<(), String> {
        match self.positions.insert((kind, id), position) {
            Some(first) => Err(format!("this line has the same id as line {}", first.line)),
            None => Ok(()),
        }
    }

    /// Returns the original net.
    pub(super) fn net(&self) -> &'n Net {
        self.net
    }

    /// Translates a predicate of the original net to the net of the replayed reduction `on`
    /// (`None`: the original net). Returns `None` if a reduction on the way does not preserve the
    /// predicate, has a net that cannot express it, or was not replayed.
    pub(super) fn translate(&self, predicate: &Predicate, on: Option<&str>) -> Option<Predicate> {
        let mut translated = predicate.clone();
        for DerivedNet { base: of, checked_reduction: by } in self.reductions_to(on)? {
            translated = by.translate(self.net_of(of.as_deref()).ok()?, &translated)?;
        }
        Some(translated)
    }

    /// Translates a predicate to the net of the replayed reduction `on`, such that it stays
    /// reachable there if and only if it does in the original net. Returns `None` as `translate`
    /// does.
    pub(super) fn translate_home(&self, wanted: &Predicate, on: Option<&str>) -> Option<Predicate> {
        let mut translated = wanted.clone();
        for DerivedNet { checked_reduction: by, .. } in self.reductions_to(on)? {
            translated = by.translate_home(&translated)?;
        }
        Some(translated)
    }

    /// Returns the replayed reductions from the original net to the net of the reduction `on`, in
    /// order. Returns `None` if a reduction was not replayed.
    fn reductions_to(&self, on: Option<&str>) -> Option<Vec<&DerivedNet>> {
        let (mut ancestors, mut next) = (Vec::new(), on);
        while let Some(id) = next {
            let reduced = self.reductions.get(id)?;
            next = reduced.base.as_deref();
            ancestors.push(reduced);
        }
        ancestors.reverse();
        Some(ancestors)
    }

    /// Returns the net of a replayed reduction, or the original net.
    pub(super) fn net_of(&self, on: Option<&str>) -> Result<&Net, String> {
        let Some(on) = on else { return Ok(self.net) };
        let reduced = self.reductions.get(on).map(|reduced| reduced.checked_reduction.net());
        reduced.ok_or_else(|| format!("reduction {} was not replayed", Quoted(on)))
    }

    /// Replays a reduction and the reductions that it depends on, each once.
    pub(super) fn replay_reduction(&mut self, id: &str) -> Result<(), String> {
        // A reduction only depends on an earlier line, so the loop ends.
        let mut missing = Vec::new();
        let mut next = Some(id.to_owned());
        let mut line = u64::MAX;
        while let Some(id) = next.filter(|id| !self.reductions.contains_key(id)) {
            let position = self.position(EvidenceKind::Reduction, &id)?;
            if position.line >= line {
                return Err(format!(
                    "reduction {} comes after a reduction that depends on it",
                    Quoted(&id)
                ));
            }
            line = position.line;
            if !self.watch.goes_on() {
                return Err(LogError::Stopped.to_string());
            }
            next = self.read::<ReductionBase>(&id)?.of;
            missing.push(id);
        }
        while let Some(id) = missing.pop() {
            let ReductionLine { of, log } = self.read(&id)?;
            let goes_on = &mut || self.watch.goes_on();
            let reduction = CheckedReduction::of_log(self.net_of(of.as_deref())?, &log, goes_on);
            let reduction =
                reduction.map_err(|error| format!("reduction {}: {error}", Quoted(&id)))?;
            self.reductions.insert(id, DerivedNet { base: of, checked_reduction: reduction });
        }
        Ok(())
    }

    /// Returns the position of an earlier line of this kind with this id.
    fn position(&self, kind: EvidenceKind, id: &str) -> Result<LinePosition, String> {
        let position = self.positions.get(&(kind, id.to_owned())).copied();
        position.ok_or_else(|| format!("no earlier line `{}` has this id", kind.name()))
    }

    /// Reads the line with this kind and id again, and returns its content.
    pub(super) fn read<T: EvidenceContent>(&self, id: &str) -> Result<T, String> {
        let position = self.position(T::KIND, id)?;
        let mut bytes = vec![0; position.length];
        let read = self.file.read_exact_at(&mut bytes, position.start);
        let line =
            read.map_err(serde_json::Error::io).and_then(|()| serde_json::from_slice(&bytes));
        let line: Result<HashMap<String, T>, _> = line;
        let mut line = line
            .map_err(|error| format!("line {}: {}", position.line, Quoted(&error.to_string())))?;
        let name = T::KIND.name();
        line.remove(name).ok_or_else(|| format!("line {}: no {name}", position.line))
    }
}
