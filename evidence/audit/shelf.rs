//! Where the evidence of a file is kept: in the file. Only the places of the lines are remembered,
//! and a line is read again when an answer refers to it, so that a file may be much larger than the
//! memory. Reductions are the exception: one that was gone through stays, because many documents
//! rest on it.

use super::Watch;
use super::source::Place;
use crate::file::Reduction;
use crate::kind::{Kept, Kind};
use crate::reduction::{CheckedReduction, LogError};
use parikh_net::printable::Quoted;
use parikh_net::{Net, Predicate};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The evidence of one file about `net`.
pub(super) struct Shelf<'n> {
    net: &'n Net,
    file: Arc<File>,
    /// By kind and id.
    places: HashMap<(Kind, String), Place>,
    reductions: HashMap<String, Reduced>,
    watch: Watch,
}

/// On what a reduction rests.
#[derive(Deserialize)]
struct Rests {
    of: Option<String>,
}

impl Kept for Rests {
    const KIND: Kind = Kind::Reduction;
}

/// A net that a checked reduction made of another.
struct Reduced {
    /// The reduction that made the other net; nothing when it is the original one.
    of: Option<String>,
    by: CheckedReduction,
}

impl<'n> Shelf<'n> {
    pub(super) fn new(net: &'n Net, file: Arc<File>, watch: Watch) -> Self {
        Shelf { net, file, places: HashMap::new(), reductions: HashMap::new(), watch }
    }

    /// Remembers a line.
    pub(super) fn put(&mut self, kind: Kind, id: String, at: Place) -> Result<(), String> {
        match self.places.insert((kind, id), at) {
            Some(first) => Err(format!("the id of this line is that of line {}", first.line)),
            None => Ok(()),
        }
    }

    /// The original net.
    pub(super) fn net(&self) -> &'n Net {
        self.net
    }

    /// A predicate of the original net as it reads on the net of a reduction that was gone through;
    /// nothing when the reduction was not made for it.
    pub(super) fn translate(&self, predicate: &Predicate, on: Option<&str>) -> Option<Predicate> {
        let mut here = predicate.clone();
        for Reduced { of, by } in self.way_to(on)? {
            here = by.translate(self.net_of(of.as_deref()).ok()?, &here)?;
        }
        Some(here)
    }

    /// What stays reachable on the net of a reduction if and only if this does on the original one.
    pub(super) fn translate_home(&self, wanted: &Predicate, on: Option<&str>) -> Option<Predicate> {
        let mut here = wanted.clone();
        for Reduced { by, .. } in self.way_to(on)? {
            here = by.translate_home(&here)?;
        }
        Some(here)
    }

    /// The reductions from the original net to that of this one, which were gone through.
    fn way_to(&self, on: Option<&str>) -> Option<Vec<&Reduced>> {
        let (mut way, mut next) = (Vec::new(), on);
        while let Some(id) = next {
            let reduced = self.reductions.get(id)?;
            next = reduced.of.as_deref();
            way.push(reduced);
        }
        way.reverse();
        Some(way)
    }

    /// The net of a reduction that was gone through, or the original net.
    pub(super) fn net_of(&self, on: Option<&str>) -> Result<&Net, String> {
        let Some(on) = on else { return Ok(self.net) };
        let reduced = self.reductions.get(on).map(|reduced| reduced.by.net());
        reduced.ok_or_else(|| format!("reduction {} was not gone through", Quoted(on)))
    }

    /// Goes through a reduction and those that it rests on, each once.
    pub(super) fn reduce(&mut self, id: &str) -> Result<(), String> {
        // A reduction rests on one of an earlier line, so the way ends.
        let mut way = Vec::new();
        let mut next = Some(id.to_owned());
        let mut line = u64::MAX;
        while let Some(id) = next.filter(|id| !self.reductions.contains_key(id)) {
            let place = self.place(Kind::Reduction, &id)?;
            if place.line >= line {
                return Err(format!("reduction {} comes after one that rests on it", Quoted(&id)));
            }
            line = place.line;
            if !self.watch.goes_on() {
                return Err(LogError::Stopped.to_string());
            }
            next = self.take::<Rests>(&id)?.of;
            way.push(id);
        }
        while let Some(id) = way.pop() {
            let Reduction { of, log } = self.take(&id)?;
            let goes_on = &mut || self.watch.goes_on();
            let by = CheckedReduction::of_log(self.net_of(of.as_deref())?, &log, goes_on);
            let by = by.map_err(|error| format!("reduction {}: {error}", Quoted(&id)))?;
            self.reductions.insert(id, Reduced { of, by });
        }
        Ok(())
    }

    fn place(&self, kind: Kind, id: &str) -> Result<Place, String> {
        let place = self.places.get(&(kind, id.to_owned())).copied();
        place.ok_or_else(|| format!("no line `{}` with this id comes before this one", kind.name()))
    }

    /// Reads a line again.
    pub(super) fn take<T: Kept>(&self, id: &str) -> Result<T, String> {
        let place = self.place(T::KIND, id)?;
        let mut bytes = vec![0; place.length];
        let read = self.file.read_exact_at(&mut bytes, place.start);
        let line =
            read.map_err(serde_json::Error::io).and_then(|()| serde_json::from_slice(&bytes));
        let line: Result<HashMap<String, T>, _> = line;
        let mut line =
            line.map_err(|error| format!("line {}: {}", place.line, Quoted(&error.to_string())))?;
        let name = T::KIND.name();
        line.remove(name).ok_or_else(|| format!("line {}: no {name}", place.line))
    }
}
