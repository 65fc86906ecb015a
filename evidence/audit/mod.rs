//! The audit: does a file of evidence show the answers that it lists?
//!
//! [`Audit::file`] goes through a file line by line. At each answer the question is looked up by its id,
//! in the query file and not in the evidence, and becomes a list of duties ([`obligations`]); the evidence
//! that the answer refers to is replayed, checked, or gone through, and what it shows is struck off the
//! list. The list is empty in the end, or the answer is not confirmed.
//!
//! # What has to be trusted
//! The arithmetic of the checkers in this crate, the argument in the head of each reduction rule, the
//! readers ([`crate::reader`]), the parsers of XML and JSON, and the compiler. Neither the prover nor
//! anything that a file says of itself: documents are asked for what the duties are, numbers of
//! markings are counted again, names are looked up.
//!
//! # Verdicts
//! [`Verdict::Refused`] is for evidence that does not show what it should: something failed a check, or is
//! missing. An answer that is only the word of an exhaustive search is [`Verdict::Searched`], unless the
//! search was small enough to be made again here. What uses the claim of the model that its units are safe
//! has to say so, and is refused all the same once any trace breaks the claim ([`Audit::finish`]).

mod cases;
mod figures;
mod homes;
mod judge;
mod obligations;
mod shelf;
mod sightings;
#[cfg(test)]
mod tests;

pub use obligations::{Asked, Obligation, Value};

use crate::file::{Answer, FORMAT, Header, Line};
use crate::reader::queries::Property;
use judge::Judge;
use parikh_net::{Marking, Net};
use shelf::{Place, Shelf};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::Path;

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The evidence shows it: by what.
    Confirmed(String),
    /// It rests on a search that was not made again: why not.
    Searched(String),
    /// The question is of a kind that this program does not know.
    Beyond(String),
    /// The evidence does not show it: why not.
    Refused(String),
}

/// One answer with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The file it stands in.
    pub file: String,
    /// Its line, from 1.
    pub line: u64,
    /// The id of the question.
    pub id: String,
    /// The value as the file has it.
    pub value: String,
    /// What became of it.
    pub verdict: Verdict,
    /// Whether it assumes that the units of the model are safe.
    pub assumes_units: bool,
}

/// Why a file cannot be read on. The answers before that line have their verdicts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct Broken {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 for the file as a whole.
    pub line: u64,
    /// What is wrong.
    pub what: String,
}

/// The questions of an examination, by whoever knows where its query file is. An error says why there
/// are none.
pub type QueryFiles<'n> = dyn FnMut(&str) -> Result<Vec<Property>, String> + 'n;

/// An audit of evidence about one net.
pub struct Audit<'n> {
    net: &'n Net,
    queries: Box<QueryFiles<'n>>,
    /// The most markings that a search that is made again may have.
    most_visited: u64,
    judged: Vec<Judged>,
    /// How a trace broke the claim that the units are safe.
    breach: Option<String>,
    /// Questions of the examinations seen so far that had no answer.
    unanswered: usize,
    incomplete: Vec<Incomplete>,
    cut_short: Vec<Broken>,
    /// When a case is done, if the model is not to be asked.
    last: Option<Marking>,
    /// Whether the net is already the one that a question about processes is about.
    derived: bool,
}

/// A file about a state space that says nothing of some of its figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: of the state space there is nothing about {}", missing.join(", "))]
pub struct Incomplete {
    /// The file.
    pub file: String,
    /// The figures, in the contest's words, by name.
    pub missing: Vec<String>,
}

/// What an audit found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The verdicts, in the order of the files.
    pub judged: Vec<Judged>,
    /// How many questions of the query files had no answer.
    pub unanswered: usize,
    /// The files about a state space without all of its figures.
    pub incomplete: Vec<Incomplete>,
    /// The files that end in the middle of a line, as an interrupted run leaves them. All that could be
    /// read was read; nothing refers to what could not.
    pub cut_short: Vec<Broken>,
}

impl<'n> Audit<'n> {
    /// An audit of evidence about `net`. Searches of up to `most_visited` markings are made again.
    pub fn new(net: &'n Net, most_visited: u64, queries: Box<QueryFiles<'n>>) -> Self {
        Audit {
            net,
            queries,
            most_visited,
            judged: Vec::new(),
            breach: None,
            unanswered: 0,
            incomplete: Vec::new(),
            cut_short: Vec::new(),
            last: None,
            derived: false,
        }
    }

    /// In questions about processes, a case is done in this marking, whatever the model says.
    #[must_use]
    pub fn with_final_marking(self, last: Marking) -> Self {
        Audit { last: Some(last), ..self }
    }

    /// Goes through one file.
    ///
    /// # Errors
    /// When it is no evidence file about this net, or has a line that is none.
    pub fn file(&mut self, path: &Path) -> Result<(), Broken> {
        let file = path.display().to_string();
        if !self.derived
            && let Some(kind) = self.about_cases(path)
        {
            let broken = |what| Broken { file: file.clone(), line: 1, what };
            return self.of_cases(kind, path).map_err(broken)?;
        }
        let (mut place, mut judge) = (Place { start: 0, length: 0, line: 0 }, None);
        let mut answered = HashMap::new();
        let read = self.lines(path, &file, &mut place, &mut judge, &mut answered);
        if let Some(judge) = judge {
            let open = judge.asked.keys().filter(|id| !answered.contains_key(*id));
            let mut open: Vec<&String> = open.collect();
            open.sort_unstable();
            self.unanswered += open.len();
            let figures = judge.asked.values().any(|it| matches!(it, Ok(Asked::HowMany { .. })));
            if figures && !open.is_empty() {
                let missing = open.into_iter().cloned().collect();
                self.incomplete.push(Incomplete { file: file.clone(), missing });
            }
            self.breach = self.breach.take().or(judge.breach);
        }
        let broken = |what| Broken { file, line: place.line, what };
        match read {
            Ok(End::Whole) => Ok(()),
            Ok(End::CutShort(what)) => {
                self.cut_short.push(broken(what));
                Ok(())
            }
            Err(what) => Err(broken(what)),
        }
    }

    /// The question about processes that a file is about, if it is one.
    fn about_cases(&self, path: &Path) -> Option<(&'static str, u64)> {
        let mut line = String::new();
        // What is wrong with the file will be told when it is read.
        BufReader::new(File::open(path).ok()?).take(1 << 16).read_line(&mut line).ok()?;
        match serde_json::from_str(&line).ok()? {
            Line::Evidence(header) => cases::kind(&header.examination),
            _ => None,
        }
    }

    /// Goes through a file on the net that its question is about.
    fn of_cases(
        &mut self,
        kind: (&'static str, u64),
        path: &Path,
    ) -> Result<Result<(), Broken>, String> {
        let net = cases::net_of(kind, self.net, self.last.as_ref())?;
        let none = |_: &str| Err("there is no query file for it".to_owned());
        let mut audit = Audit::new(&net, self.most_visited, Box::new(none));
        audit.derived = true;
        let ended = audit.file(path);
        self.judged.extend(audit.judged);
        self.breach = self.breach.take().or(audit.breach);
        self.unanswered += audit.unanswered;
        self.incomplete.extend(audit.incomplete);
        self.cut_short.extend(audit.cut_short);
        Ok(ended)
    }

    /// Reads the lines of a file; `place` is the one that is being read, `answered` has the positions
    /// of the verdicts by the ids of their questions.
    fn lines(
        &mut self,
        path: &Path,
        file: &str,
        place: &mut Place,
        judge: &mut Option<Judge<'n>>,
        answered: &mut HashMap<String, usize>,
    ) -> Result<End, String> {
        let open = || File::open(path).map_err(|error| error.to_string());
        let mut reader = BufReader::with_capacity(1 << 16, open()?);
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            place.start += place.length as u64;
            place.length =
                reader.read_until(b'\n', &mut bytes).map_err(|error| error.to_string())?;
            if place.length == 0 {
                return match judge {
                    Some(_) => Ok(End::Whole),
                    None => Ok(End::CutShort("nothing is in the file".to_owned())),
                };
            }
            place.line += 1;
            if bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line: Line = match serde_json::from_slice(bytes.trim_ascii_end()) {
                Ok(line) => line,
                Err(error) if error.is_eof() && bytes.last() != Some(&b'\n') => {
                    return Ok(End::CutShort("the file breaks off in this line".to_owned()));
                }
                Err(error) => return Err(read(&error)),
            };
            let Some(judge) = judge else {
                let Line::Evidence(header) = line else {
                    return Err("expected {\"evidence\": …} first".to_owned());
                };
                let asked = self.asked(&header)?;
                let shelf = Shelf::new(self.net, open()?);
                *judge = Some(Judge::new(self.net, shelf, asked, self.most_visited));
                continue;
            };
            let (sort, id) = match line {
                Line::Evidence(_) => return Err("a second {\"evidence\": …}".to_owned()),
                Line::Unfolding(_) if self.net.folding().is_some() && place.line == 2 => continue,
                Line::Unfolding(_) => return Err("an unfolding that nobody asked for".to_owned()),
                Line::Trace(named) => ("trace", named.id),
                Line::Pump(named) => ("pump", named.id),
                Line::Loops(named) => ("loops", named.id),
                Line::Reduction(named) => ("reduction", named.id),
                Line::Document(named) => ("document", named.id),
                Line::Structure(named) => ("structure", named.id),
                Line::Count(named) => ("count", named.id),
                Line::Withdrawn(_) | Line::End(_) => continue,
                Line::Answer(answer) => {
                    let (verdict, assumes_units) = judge.judge(&answer);
                    let (file, line) = (file.to_owned(), place.line);
                    let Answer { id, value, .. } = answer;
                    // Of several answers to one question the last counts: a run corrects itself.
                    if let Some(earlier) = answered.insert(id.clone(), self.judged.len()) {
                        self.judged.remove(earlier);
                        answered.values_mut().for_each(|at| *at -= usize::from(*at > earlier));
                    }
                    self.judged.push(Judged { file, line, id, value, verdict, assumes_units });
                    continue;
                }
            };
            judge.shelf.put(sort, id, *place)?;
        }
    }

    /// The questions of the examination that a file is about, by their ids.
    fn asked(&mut self, header: &Header) -> Result<judge::Questions, String> {
        if header.format != FORMAT {
            return Err(format!("the format is `{}`; expected `{FORMAT}`", header.format));
        }
        let net = self.net;
        let about = (&*header.net, header.places, header.transitions);
        let is = (net.name(), net.place_count(), net.transition_count());
        if about != is {
            return Err(format!(
                "this is about a net `{}` of {} places and {} transitions; the model is `{}` of {} \
                 and {}",
                about.0, about.1, about.2, is.0, is.1, is.2
            ));
        }
        if header.examination == "StateSpace" {
            let asked = Asked::of_state_space(net).map(|(key, asked)| (key.to_owned(), Ok(asked)));
            return Ok(HashMap::from(asked));
        }
        if let Some(asked) = Asked::by_examination(&header.examination, net) {
            return Ok(HashMap::from([(header.examination.clone(), Ok(asked))]));
        }
        let properties = (self.queries)(&header.examination)?;
        let count = properties.len();
        let asked: judge::Questions =
            properties.into_iter().map(|property| (property.id, property.asked)).collect();
        match asked.len() == count {
            true => Ok(asked),
            false => Err("two properties of the query file have one id".to_owned()),
        }
    }

    /// What was found. No answer is confirmed that rests on a claim of the model that some trace has
    /// broken.
    pub fn finish(mut self) -> Report {
        if let Some(breach) = self.breach {
            for answer in self.judged.iter_mut().filter(|answer| answer.assumes_units) {
                let why = format!("it assumes that the model's units are safe; {breach}");
                answer.verdict = Verdict::Refused(why);
            }
        }
        Report {
            judged: self.judged,
            unanswered: self.unanswered,
            incomplete: self.incomplete,
            cut_short: self.cut_short,
        }
    }
}

/// How a file ends.
enum End {
    Whole,
    /// In the middle of a line, or before the first one.
    CutShort(String),
}

/// What is wrong with a line of JSON. Its line is always 1; we know better.
fn read(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    match error.is_eof() {
        true => format!("the line breaks off: {what}"),
        false => format!("{what}, column {}", error.column()),
    }
}
