//! Files of evidence, format `parikh-evidence-1`: one JSON object a line, one file an examination.
//!
//! ```json
//! {"evidence": {"format": "parikh-evidence-1", "net": "mutex", "places": 5, "transitions": 4, "examination": "OneSafe"}}
//! {"unfolding": {"places": ["p(red)", "p(blue)"], "transitions": ["t(x=red)"]}}
//! {"trace": {"id": "w1", "steps": [["enter1", 1], ["leave1", 1]]}}
//! {"pump": {"id": "p1", "prefix": [["enter1", 1]], "pump": [["work", 3]]}}
//! {"reduction": {"id": "r1", "log": {"format": "parikh-reduction-log-1", "…": "…"}}}
//! {"reduction": {"id": "r2", "of": "r1", "log": {"…": "…"}}}
//! {"document": {"id": "d1", "on": "r2", "format": "parikh-bounds-1", "…": "…"}}
//! {"answer": {"id": "mutex-UpperBounds-03", "value": "17", "evidence": "certified", "because": "…",
//!             "shown_by": [{"trace": "w1", "after": 2}, {"document": "d1"}]}}
//! ```
//!
//! About a coloured model, the second line lists the places and transitions of the net that the rest is
//! about, in order: the colours and bindings that were not left out. About others there is none.
//!
//! A line is written before those that refer to it. Steps are transitions by name with how often each
//! fires in a row, from the initial marking. A reduction is `of` the net of another one, a document
//! `on` the net of a reduction, in whose names it is written; without, of or on the net itself. An
//! answer lists everything that together shows it; `after` is a number of firings, and without it all
//! markings along the trace count. An answer is its question's last one in the file.

use crate::certificate::Document;
use crate::reduction::LogFile;
use parikh_net::{FiringSequence, Net};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// What this version of the format is called.
pub const FORMAT: &str = "parikh-evidence-1";

/// What the file is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// The net's name.
    pub net: String,
    /// How many places it has.
    pub places: usize,
    /// How many transitions.
    pub transitions: usize,
    /// The contest's name of what was asked.
    pub examination: String,
}

/// The nodes of an unfolding by their names, those of one coloured node together, in the order of the
/// model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unfolding {
    /// Places, `p(red,2)`; `p` where tokens are black.
    pub places: Vec<String>,
    /// Transitions, `t(x=red,y=2)`; `t` where there are no variables.
    pub transitions: Vec<String>,
}

/// What an answer stands on, the weakest part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The word of an exhaustive search.
    Searched,
    /// Documents that the checker accepted.
    Certified,
    /// Firing sequences that were replayed.
    Replayed,
}

/// An answer and the list of what shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// That of the formula, or the examination's name.
    pub id: String,
    /// `TRUE`, `FALSE`, a number, or `+inf`.
    pub value: String,
    /// What it stands on.
    pub evidence: Strength,
    /// `units` where the model's own claim of safe units is taken for granted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assumes: Vec<String>,
    /// For people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// The search whose word it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searched: Option<Searched>,
    /// Lines of the file before this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown_by: Vec<Shown>,
}

/// An exhaustive search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Searched {
    /// How many markings it visited.
    pub markings: u64,
    /// Whether markings were left out that cannot matter.
    pub stubborn: bool,
    /// The reduction whose net was searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
}

/// A reference to a line before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Shown {
    /// A firing sequence.
    Trace {
        /// Its id.
        trace: String,
        /// After how many firings to look; all along it without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<u64>,
    },
    /// What repeats for ever.
    Pump {
        /// Its id.
        pump: String,
    },
    /// A document.
    Document {
        /// Its id.
        document: String,
    },
}

impl Unfolding {
    /// That of a net.
    pub fn of(net: &Net) -> Self {
        Unfolding {
            places: net.places().map(|p| net.place_name(p).to_owned()).collect(),
            transitions: net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
        }
    }
}

/// Writes a file, line by line. Ids are given out as it goes.
#[derive(Debug)]
pub struct Writer<'n, W: Write> {
    net: &'n Net,
    out: W,
    /// Lines so far that may be referred to.
    lines: u64,
}

impl<'n, W: Write> Writer<'n, W> {
    /// Begins a file about an examination of `net`.
    ///
    /// # Errors
    /// Those of `out`, as in all that follows.
    pub fn new(net: &'n Net, examination: &str, out: W) -> io::Result<Self> {
        let mut writer = Writer { net, out, lines: 0 };
        let header = Header {
            format: FORMAT.to_owned(),
            net: net.name().to_owned(),
            places: net.place_count(),
            transitions: net.transition_count(),
            examination: examination.to_owned(),
        };
        writer.line("evidence", &header)?;
        if net.folding().is_some() {
            writer.line("unfolding", &Unfolding::of(net))?;
        }
        Ok(writer)
    }

    /// A firing sequence of the net, from its initial marking. Its id.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn trace(&mut self, sequence: &FiringSequence) -> io::Result<String> {
        let id = self.id('w');
        write!(self.out, r#"{{"trace":{{"id":"{id}","steps":"#)?;
        self.steps(sequence)?;
        self.out.write_all(b"}}\n")?;
        Ok(id)
    }

    /// A firing sequence, and what can repeat for ever after it. Its id.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn pump(&mut self, prefix: &FiringSequence, pump: &FiringSequence) -> io::Result<String> {
        let id = self.id('p');
        write!(self.out, r#"{{"pump":{{"id":"{id}","prefix":"#)?;
        self.steps(prefix)?;
        write!(self.out, r#","pump":"#)?;
        self.steps(pump)?;
        self.out.write_all(b"}}\n")?;
        Ok(id)
    }

    /// A reduction of the net, or `of` what another one made of it. Its id.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn reduction(&mut self, of: Option<&str>, log: &LogFile) -> io::Result<String> {
        #[derive(Serialize)]
        struct Reduction<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            of: Option<&'a str>,
            log: &'a LogFile,
        }
        let id = self.id('r');
        self.line("reduction", &Reduction { id: &id, of, log })?;
        Ok(id)
    }

    /// A document about the net, or about `on`: the id of a reduction with the net that it made. Its id.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn document(
        &mut self,
        on: Option<(&str, &Net)>,
        document: &Document,
        about: &str,
    ) -> io::Result<String> {
        let id = self.id('d');
        let text = document.print(on.map_or(self.net, |(_, net)| net), about);
        // What is printed is an object with several fields.
        let fields = text.trim_end().strip_prefix('{').unwrap_or_default();
        write!(self.out, r#"{{"document":{{"id":"{id}","#)?;
        if let Some((reduction, _)) = on {
            write!(self.out, r#""on":"{reduction}","#)?;
        }
        writeln!(self.out, "{fields}}}")?;
        Ok(id)
    }

    /// An answer. It and all before it are in the file then, whatever ends the process.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        self.line("answer", answer)?;
        self.out.flush()
    }

    /// What was written to; all of it is there.
    ///
    /// # Errors
    /// As in [`new`](Self::new).
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn id(&mut self, sort: char) -> String {
        self.lines += 1;
        format!("{sort}{}", self.lines)
    }

    fn line(&mut self, sort: &str, content: &impl Serialize) -> io::Result<()> {
        write!(self.out, r#"{{"{sort}":"#)?;
        serde_json::to_writer(&mut self.out, content)?;
        self.out.write_all(b"}\n")
    }

    fn steps(&mut self, sequence: &FiringSequence) -> io::Result<()> {
        self.out.write_all(b"[")?;
        for (at, step) in sequence.steps().iter().enumerate() {
            self.out.write_all(if at == 0 { b"[" } else { b",[" })?;
            serde_json::to_writer(&mut self.out, self.net.transition_name(step.transition))?;
            write!(self.out, ",{}]", step.count)?;
        }
        self.out.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Bounds, Claim};
    use parikh_net::{Predicate, TransitionId, text};
    use serde_json::{Value, json};

    #[test]
    fn lines_are_objects_that_refer_to_earlier_ones() {
        let net = text::parse("net n\nplace p 1\ntransition \"t \\\"1\\\"\": p -> p").unwrap();
        let mut twice = FiringSequence::new();
        twice.push(TransitionId::new(0), 2);
        let mut writer = Writer::new(&net, "OneSafe", Vec::new()).unwrap();
        let trace = writer.trace(&twice).unwrap();
        let pump = writer.pump(&FiringSequence::new(), &twice).unwrap();
        let claims = vec![Claim::Unreachable(Predicate::Dead)];
        let bounds = Document::Bounds(Bounds { claims, ..Bounds::default() });
        let document = writer.document(Some(("r9", &net)), &bounds, "it").unwrap();
        let answer = Answer {
            id: "OneSafe".to_owned(),
            value: "TRUE".to_owned(),
            evidence: Strength::Certified,
            assumes: Vec::new(),
            because: String::new(),
            searched: None,
            shown_by: vec![
                Shown::Trace { trace, after: Some(2) },
                Shown::Pump { pump },
                Shown::Document { document },
            ],
        };
        writer.answer(&answer).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let name = net.transition_name(TransitionId::new(0));
        assert_eq!(lines[1], json!({"trace": {"id": "w1", "steps": [[name, 2]]}}));
        assert_eq!(lines[2], json!({"pump": {"id": "p2", "prefix": [], "pump": [[name, 2]]}}));
        assert_eq!(lines[3]["document"]["on"], "r9");
        let (read, _) = Document::parse(&net, &lines[3]["document"].to_string()).unwrap();
        assert_eq!(read, bounds);
        assert_eq!(lines[4]["answer"]["evidence"], "certified");
        let again: Answer = serde_json::from_value(lines[4]["answer"].clone()).unwrap();
        assert_eq!(again, answer);
        let header: Header = serde_json::from_value(lines[0]["evidence"].clone()).unwrap();
        assert_eq!((&*header.format, header.places), (FORMAT, 1));
    }
}
