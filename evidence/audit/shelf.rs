//! Where the evidence of a file is kept: in the file. Only the places of the lines are remembered, and a
//! line is read again when an answer refers to it, so that a file may be much larger than the memory.
//! Reductions are the exception: one that was gone through stays, because many documents rest on it.

use super::Watch;
use super::source::Place;
use crate::Document;
use crate::counting::{CountError, Formula};
use crate::file::{
    About, AboutAll, Count, Loops, Pump, Reduction, Steps, Trace, VisitedRuns, sequence,
};
use crate::home::Structure;
use crate::lasso::NamedLasso;
use crate::no_run::{NamedNoRun, NoRun};
use crate::reduction::{CheckedReduction, LogError};
use crate::tree::{Labelling, NamedLabelling};
use parikh_net::lasso::LassoRun;
use parikh_net::printable::Quoted;
use parikh_net::run_property::RunProperty;
use parikh_net::{FiringSequence, LoopRun, Net, Predicate, Pumping, Stage};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

/// The net that a document is about.
pub(super) enum Subject {
    /// That of a reduction; nothing for the original net.
    Net(Option<String>),
    /// The original net, begun at the end of a trace.
    After(String),
}

/// The evidence of one file about `net`.
pub(super) struct Shelf<'n> {
    net: &'n Net,
    file: Arc<File>,
    /// By sort and id.
    places: HashMap<(&'static str, String), Place>,
    reductions: HashMap<String, Reduced>,
    watch: Watch,
}

/// On what a reduction rests.
#[derive(Deserialize)]
struct Rests {
    of: Option<String>,
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
    pub(super) fn put(&mut self, sort: &'static str, id: String, at: Place) -> Result<(), String> {
        match self.places.insert((sort, id), at) {
            Some(first) => Err(format!("the id of this line is that of line {}", first.line)),
            None => Ok(()),
        }
    }

    /// A firing sequence.
    pub(super) fn trace(&mut self, id: &str) -> Result<FiringSequence, String> {
        let trace: Trace = self.take("trace", id)?;
        sequence(self.net, &trace.steps)
    }

    /// A run with loops.
    pub(super) fn loops(&mut self, id: &str) -> Result<LoopRun, String> {
        let loops: Loops = self.take("loops", id)?;
        loops.resolve(self.net)
    }

    /// A firing sequence, and what repeats after it.
    pub(super) fn pump(&mut self, id: &str) -> Result<Pumping, String> {
        let Pump { earlier, prefix, pump } = self.take("pump", id)?;
        let stage = |prefix: &Steps, pump: &Steps| -> Result<Stage, String> {
            Ok(Stage { prefix: sequence(self.net, prefix)?, pump: sequence(self.net, pump)? })
        };
        let stages = earlier.iter().map(|before| stage(&before.prefix, &before.pump));
        Ok(Pumping { earlier: stages.collect::<Result<_, _>>()?, last: stage(&prefix, &pump)? })
    }

    /// A run that never ends.
    pub(super) fn lasso(&mut self, id: &str) -> Result<LassoRun, String> {
        let lasso: NamedLasso = self.take("lasso", id)?;
        lasso.resolve(self.net)
    }

    /// An argument that no run has a property, and the property.
    pub(super) fn no_run(&mut self, id: &str) -> Result<(RunProperty, NoRun), String> {
        let no_run: NamedNoRun = self.take("no_run", id)?;
        no_run.resolve(self.net)
    }

    /// Markings with what is true of them.
    pub(super) fn labelling(&mut self, id: &str) -> Result<Labelling, String> {
        let labelling: NamedLabelling = self.take("labelling", id)?;
        labelling.resolve(self.net)
    }

    /// How many markings are to be visited along runs.
    pub(super) fn visited(&mut self, id: &str) -> Result<u64, String> {
        let VisitedRuns { markings, .. } = self.take("visited", id)?;
        Ok(markings)
    }

    /// A document and which net it is about. A reduction was gone through.
    pub(super) fn document(&mut self, id: &str) -> Result<(Document, Subject), String> {
        let About { on, after, document } = self.take("document", id)?;
        if on.is_some() && after.is_some() {
            return Err("it is about a reduced net begun elsewhere, which nobody knows".to_owned());
        }
        if let Some(on) = &on {
            self.reduce(on)?;
        }
        let net = self.net_of(on.as_deref())?;
        let document = document.resolve(net).map_err(|flaw| flaw.to_string())?;
        if document.assumes_units() && on.is_some() {
            return Err("it assumes units of a reduced net, for which nobody speaks".to_owned());
        }
        let subject = match after {
            Some(trace) => Subject::After(trace),
            None => Subject::Net(on),
        };
        Ok((document, subject))
    }

    /// An argument about a net as a whole, and the reduction that made it. That was gone through.
    pub(super) fn structure(&mut self, id: &str) -> Result<(Structure, Option<String>), String> {
        let AboutAll { on, structure } = self.take("structure", id)?;
        if let Some(on) = &on {
            self.reduce(on)?;
        }
        let structure = structure.resolve(self.net_of(on.as_deref())?);
        Ok((structure.map_err(|flaw| flaw.to_string())?, on))
    }

    /// A formula for the figures of the original net, from a count and the reduction that it is on; and how
    /// many markings it says that there are to be visited.
    pub(super) fn count(&mut self, id: &str) -> Result<(Formula, u64), String> {
        let Count { on, markings, .. } = self.take("count", id)?;
        let formula = match on {
            None => Formula::of_net(self.net).map_err(CountError::from),
            Some(on) => {
                let Reduction { of, log } = self.take("reduction", &on)?;
                if of.is_some() {
                    return Err(format!("reduction {} is not of the net itself", Quoted(&on)));
                }
                Formula::of_log(self.net, &log, &mut || self.watch.goes_on())
            }
        };
        Ok((formula.map_err(|error| error.to_string())?, markings))
    }

    /// A predicate of the original net as it reads on the net of a reduction that was gone through; nothing
    /// when the reduction was not made for it.
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
    fn reduce(&mut self, id: &str) -> Result<(), String> {
        // A reduction rests on one of an earlier line, so the way ends.
        let mut way = Vec::new();
        let mut next = Some(id.to_owned());
        let mut line = u64::MAX;
        while let Some(id) = next.filter(|id| !self.reductions.contains_key(id)) {
            let place = self.place("reduction", &id)?;
            if place.line >= line {
                return Err(format!("reduction {} comes after one that rests on it", Quoted(&id)));
            }
            line = place.line;
            if !self.watch.goes_on() {
                return Err(LogError::Stopped.to_string());
            }
            next = self.take::<Rests>("reduction", &id)?.of;
            way.push(id);
        }
        while let Some(id) = way.pop() {
            let Reduction { of, log } = self.take("reduction", &id)?;
            let goes_on = &mut || self.watch.goes_on();
            let by = CheckedReduction::of_log(self.net_of(of.as_deref())?, &log, goes_on);
            let by = by.map_err(|error| format!("reduction {}: {error}", Quoted(&id)))?;
            self.reductions.insert(id, Reduced { of, by });
        }
        Ok(())
    }

    fn place(&self, sort: &'static str, id: &str) -> Result<Place, String> {
        let place = self.places.get(&(sort, id.to_owned())).copied();
        place.ok_or_else(|| format!("no line `{sort}` with this id comes before this one"))
    }

    /// Reads a line again.
    fn take<T>(&mut self, sort: &'static str, id: &str) -> Result<T, String>
    where
        T: for<'d> Deserialize<'d>,
    {
        let place = self.place(sort, id)?;
        let mut bytes = vec![0; place.length];
        let read = self.file.read_exact_at(&mut bytes, place.start);
        let line =
            read.map_err(serde_json::Error::io).and_then(|()| serde_json::from_slice(&bytes));
        let line: Result<HashMap<String, T>, _> = line;
        let mut line =
            line.map_err(|error| format!("line {}: {}", place.line, Quoted(&error.to_string())))?;
        line.remove(sort).ok_or_else(|| format!("line {}: no {sort}", place.line))
    }
}
