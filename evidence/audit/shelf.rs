//! Where the evidence of a file is kept: in the file. Only the places of the lines are remembered, and a
//! line is read again when an answer refers to it, so that a file may be much larger than the memory.
//! Reductions are the exception: one that was gone through stays, because many documents rest on it.

use super::lines::{Pump, Steps, Trace};
use crate::reduction::{CheckedReduction, LogFile};
use crate::{Claim, Document};
use parikh_net::{FiringSequence, Net};
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::rc::Rc;

/// The four sorts of lines that are referred to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sort {
    Trace,
    Pump,
    Reduction,
    Document,
}

/// A line in the file: where it begins, how long it is, its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) start: u64,
    pub(super) length: usize,
    pub(super) line: u64,
}

/// The evidence of one file about `net`.
pub(super) struct Shelf<'n> {
    net: &'n Net,
    file: File,
    places: HashMap<(Sort, String), Place>,
    reductions: HashMap<String, Rc<Reduced>>,
}

/// A net that a checked log made of another.
struct Reduced {
    /// The reduction that made the other net; nothing when it is the original one.
    of: Option<String>,
    by: CheckedReduction,
}

impl<'n> Shelf<'n> {
    pub(super) fn new(net: &'n Net, file: File) -> Self {
        Shelf { net, file, places: HashMap::new(), reductions: HashMap::new() }
    }

    /// Remembers a line.
    pub(super) fn put(&mut self, sort: Sort, id: String, place: Place) -> Result<(), String> {
        match self.places.insert((sort, id), place) {
            Some(first) => Err(format!("the id of this line is that of line {}", first.line)),
            None => Ok(()),
        }
    }

    /// A firing sequence.
    pub(super) fn trace(&mut self, id: &str) -> Result<FiringSequence, String> {
        let trace: Trace = self.take(Sort::Trace, id)?;
        sequence(self.net, &trace.steps)
    }

    /// A firing sequence, and what repeats after it.
    pub(super) fn pump(&mut self, id: &str) -> Result<[FiringSequence; 2], String> {
        let pump: Pump = self.take(Sort::Pump, id)?;
        Ok([sequence(self.net, &pump.prefix)?, sequence(self.net, &pump.pump)?])
    }

    /// A document and the reduction whose net it is about, which was gone through; nothing for the
    /// original net.
    pub(super) fn document(&mut self, id: &str) -> Result<(Document, Option<String>), String> {
        let mut fields: Map<String, Json> = self.take(Sort::Document, id)?;
        fields.remove("id");
        let on = match fields.remove("on") {
            None => None,
            Some(Json::String(on)) => Some(on),
            Some(_) => return Err("`on` is no id of a reduction".to_owned()),
        };
        if let Some(on) = &on {
            self.reduce(on)?;
        }
        let text = Json::Object(fields).to_string();
        let net = self.net_of(on.as_deref())?;
        let (document, _) = Document::parse(net, &text).map_err(|error| error.to_string())?;
        if document.assumes_units() && on.is_some() {
            return Err("it assumes units of a reduced net, for which nobody speaks".to_owned());
        }
        Ok((document, on))
    }

    /// A claim about the original net as it reads on the net of a reduction; nothing when the
    /// reduction was not made for it.
    pub(super) fn translate(
        &mut self,
        claim: &Claim,
        on: Option<&str>,
    ) -> Result<Option<Claim>, String> {
        let Some(on) = on else { return Ok(Some(claim.clone())) };
        let mut way = vec![self.reduce(on)?];
        while let Some(of) = way.last().and_then(|last| last.of.clone()) {
            way.push(self.reduce(&of)?);
        }
        let (mut net, mut claim) = (self.net, claim.clone());
        for reduced in way.iter().rev() {
            match reduced.by.translate(net, &claim) {
                Some(translated) => claim = translated,
                None => return Ok(None),
            }
            net = reduced.by.net();
        }
        Ok(Some(sorted(claim)))
    }

    /// The net of a reduction that was gone through, or the original net.
    pub(super) fn net_of(&self, on: Option<&str>) -> Result<&Net, String> {
        match on {
            None => Ok(self.net),
            Some(on) => match self.reductions.get(on) {
                Some(reduced) => Ok(reduced.by.net()),
                None => Err(format!("reduction {on} was not gone through")),
            },
        }
    }

    /// Goes through a reduction and those that it rests on, each once.
    fn reduce(&mut self, id: &str) -> Result<Rc<Reduced>, String> {
        #[derive(Deserialize)]
        struct Line {
            of: Option<String>,
            log: LogFile,
        }
        // A reduction rests on one of an earlier line, so the way ends.
        let mut way = Vec::new();
        let mut next = Some(id.to_owned());
        let mut line = u64::MAX;
        while let Some(id) = next.filter(|id| !self.reductions.contains_key(id)) {
            let place = self.place(Sort::Reduction, &id)?;
            if place.line >= line {
                return Err(format!("reduction {id} comes after one that rests on it"));
            }
            line = place.line;
            let read: Line = self.take(Sort::Reduction, &id)?;
            next = read.of.clone();
            way.push((id, read));
        }
        while let Some((id, read)) = way.pop() {
            let net = self.net_of(read.of.as_deref())?;
            let by = CheckedReduction::of_file(net, &read.log, &mut || true);
            let by = by.map_err(|error| format!("reduction {id}: {error}"))?;
            self.reductions.insert(id, Rc::new(Reduced { of: read.of, by }));
        }
        Ok(Rc::clone(&self.reductions[id]))
    }

    fn place(&self, sort: Sort, id: &str) -> Result<Place, String> {
        let place = self.places.get(&(sort, id.to_owned()));
        place
            .copied()
            .ok_or_else(|| format!("there is no such {sort:?} before this line").to_lowercase())
    }

    /// Reads a line again.
    fn take<T: for<'d> Deserialize<'d>>(&mut self, sort: Sort, id: &str) -> Result<T, String> {
        let place = self.place(sort, id)?;
        let wrong = |error: &dyn std::fmt::Display| format!("line {}: {error}", place.line);
        let mut bytes = vec![0; place.length];
        self.file.seek(SeekFrom::Start(place.start)).map_err(|error| wrong(&error))?;
        self.file.read_exact(&mut bytes).map_err(|error| wrong(&error))?;
        let mut line: HashMap<String, T> =
            serde_json::from_slice(&bytes).map_err(|error| wrong(&error))?;
        let content = line.drain().next().map(|(_, content)| content);
        content.ok_or_else(|| wrong(&"nothing"))
    }
}

/// The same claim with the parts of its predicate in order, so that claims can be compared.
pub(super) fn sorted(claim: Claim) -> Claim {
    match claim {
        Claim::Unreachable(predicate) => Claim::Unreachable(predicate.sorted()),
        bound => bound,
    }
}

fn sequence(net: &Net, steps: &Steps) -> Result<FiringSequence, String> {
    let mut sequence = FiringSequence::new();
    for (name, count) in steps {
        let t = net.transition_named(name);
        let t = t.ok_or_else(|| format!("the net has no transition `{name}`"))?;
        sequence.push(t, *count);
    }
    Ok(sequence)
}
