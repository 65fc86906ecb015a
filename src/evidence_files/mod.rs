//! Output of evidence files, line by line. [`parikh_evidence::file`] describes the format.

mod file;
mod names;

pub use file::EvidenceFile;
pub use names::{document_in_names, structure_in_names};

use parikh_evidence::Document;
use parikh_evidence::certificate::NamedDocument;
use parikh_evidence::file::{
    AnswerLine, CountLine, EndLine, FORMAT, LoopPart, NamedTranslation, Repetitions, Unfolding,
};
use parikh_evidence::home::{HomeArgument, NamedHomeArgument};
use parikh_evidence::kind::EvidenceKind;
use parikh_evidence::no_run::{NamedNoRun, NoRun};
use parikh_evidence::reduction::NamedLog;
use parikh_net::assumption;
use parikh_net::loops::{LoopElement, LoopRun};
use parikh_net::run_property::RunProperty;
use parikh_net::{FiringSequence, Net, PumpSequence, Stage};
use serde::Serialize;
use serde_json::json;
use std::io::{self, Write};

/// The weakest kind of evidence that an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// An unchecked exhaustive search.
    Searched,
    /// Certificates that the checker accepted.
    Certified,
    /// Replayed firing sequences.
    Replayed,
}

/// A line with a certificate, or with an argument about a home property. At most one of `on` and
/// `after` is set; without both, the line is about the net that was read.
#[derive(Default, Serialize)]
struct EvidenceAbout<'a> {
    id: &'a str,
    /// The id of the reduction that produced the net which the line is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    on: Option<&'a str>,
    /// The id of the trace whose last marking is the initial marking of the net that the line is
    /// about.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<NamedDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<NamedHomeArgument>,
}

/// The content of a line, together with the id of the line.
#[derive(Serialize)]
struct WithId<'a, T: Serialize> {
    id: &'a str,
    #[serde(flatten)]
    content: &'a T,
}

/// A writer of evidence files, which assigns ids to lines.
#[derive(Debug)]
pub struct Writer<'n, W: Write> {
    net: &'n Net,
    out: W,
    /// The number of lines with an id written so far.
    lines: u64,
}

impl<'n, W: Write> Writer<'n, W> {
    /// Begins a file about an examination of `net`.
    ///
    /// # Errors
    /// If writing to `out` fails. The other methods fail for the same reason.
    pub fn new(net: &'n Net, examination: &str, out: W) -> io::Result<Self> {
        let mut writer = Writer { net, out, lines: 0 };
        let header = json!({
            "format": FORMAT, "net": net.name(), "places": net.place_count(),
            "transitions": net.transition_count(), "examination": examination,
            "assumes": assumption::keys(net.assumptions()),
        });
        writer.line("evidence", &header)?;
        if net.folding().is_some() {
            writer.line("unfolding", &Unfolding::of(net))?;
        }
        if let Some(translation) = net.translation() {
            writer.line("translation", &NamedTranslation::of(net, translation))?;
        }
        Ok(writer)
    }

    /// Writes a firing sequence from the initial marking. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn trace(&mut self, sequence: &FiringSequence) -> io::Result<String> {
        let id = self.id(EvidenceKind::Trace);
        write!(self.out, r#"{{"trace":{{"id":"{id}","steps":"#)?;
        self.steps(sequence)?;
        self.out.write_all(b"}}\n")?;
        Ok(id)
    }

    /// Writes a self-covering sequence, with its stages. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn pump(&mut self, pumping: &PumpSequence) -> io::Result<String> {
        let id = self.id(EvidenceKind::Pump);
        write!(self.out, r#"{{"pump":{{"id":"{id}","#)?;
        for (index, stage) in pumping.earlier.iter().enumerate() {
            self.out.write_all(if index == 0 { br#""earlier":[{"# } else { b",{" })?;
            self.stage(stage)?;
        }
        self.out.write_all(if pumping.earlier.is_empty() { b"" } else { b"]," })?;
        self.stage(&pumping.last)?;
        self.out.write_all(b"}\n")?;
        Ok(id)
    }

    /// Writes the fields of a stage and the closing brace; the caller writes the opening brace.
    fn stage(&mut self, stage: &Stage) -> io::Result<()> {
        self.out.write_all(br#""prefix":"#)?;
        self.steps(&stage.prefix)?;
        self.out.write_all(br#","pump":"#)?;
        self.steps(&stage.pump)?;
        self.out.write_all(b"}")
    }

    /// Writes an accelerated sequence. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn loops(&mut self, run: &LoopRun) -> io::Result<String> {
        let id = self.id(EvidenceKind::Loops);
        write!(self.out, r#"{{"loops":{{"id":"{id}","blocks":["#)?;
        for (at, block) in run.blocks().iter().enumerate() {
            self.out.write_all(if at == 0 { b"[" } else { b",[" })?;
            for (at, repeated) in block.iter().enumerate() {
                let part = match repeated.element {
                    LoopElement::Block(block) => LoopPart::Block(block),
                    LoopElement::Fire(t) => LoopPart::Fire(self.net.transition_name(t).to_owned()),
                };
                let times = match u64::try_from(&repeated.times) {
                    Ok(times) => Repetitions::Few(times),
                    Err(_) => Repetitions::Many(repeated.times.to_string()),
                };
                self.out.write_all(if at == 0 { b"" } else { b"," })?;
                serde_json::to_writer(&mut self.out, &(part, times))?;
            }
            self.out.write_all(b"]")?;
        }
        self.out.write_all(b"]}}\n")?;
        Ok(id)
    }

    /// Writes evidence of a kind. `content` names nodes by their names in the net. Returns the id
    /// of the line. Lines that cite this evidence must also cite the evidence of its premises.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn put(&mut self, kind: EvidenceKind, content: &impl Serialize) -> io::Result<String> {
        let id = self.id(kind);
        self.line(kind.name(), &WithId { id: &id, content })?;
        Ok(id)
    }

    /// Writes an argument that no run has the property. Returns its id. Lines that cite the
    /// argument must also cite the refutations of its premises ([`NoRun::premises`]).
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn no_run(&mut self, property: &RunProperty, argument: &NoRun) -> io::Result<String> {
        let document = |document: &Document| document_in_names(document, self.net);
        let content = NamedNoRun::of(self.net, property, argument, &document);
        self.put(EvidenceKind::NoRun, &content)
    }

    /// Writes a reduction of the net, or of the result of another reduction `of`. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn reduction(&mut self, of: Option<&str>, log: &NamedLog) -> io::Result<String> {
        #[derive(Serialize)]
        struct ReductionLine<'a> {
            id: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            of: Option<&'a str>,
            log: &'a NamedLog,
        }
        let id = self.id(EvidenceKind::Reduction);
        self.line("reduction", &ReductionLine { id: &id, of, log })?;
        Ok(id)
    }

    /// Writes a number of markings, of the net or of the net that a reduction made. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn count(&mut self, on: Option<String>, markings: u64) -> io::Result<String> {
        let id = self.id(EvidenceKind::Count);
        self.line("count", &CountLine { id: id.clone(), on, markings })?;
        Ok(id)
    }

    /// Writes a certificate about the net with the end of a trace as its initial marking. Returns
    /// its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn document_after(&mut self, trace: &str, document: &Document) -> io::Result<String> {
        let id = self.id(EvidenceKind::Document);
        let document = Some(document_in_names(document, self.net));
        let after = Some(trace);
        self.line(
            "document",
            &EvidenceAbout { id: &id, after, document, ..EvidenceAbout::default() },
        )?;
        Ok(id)
    }

    /// Writes an argument about what stays reachable in the net, or in the net that the reduction
    /// `on` made. Returns its id.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn structure(
        &mut self,
        on: Option<(&str, &Net)>,
        structure: &HomeArgument,
    ) -> io::Result<String> {
        let id = self.id(EvidenceKind::Structure);
        let of = on.map_or(self.net, |(_, net)| net);
        let structure = Some(structure_in_names(structure, of));
        let on = on.map(|(id, _)| id);
        self.line(
            "structure",
            &EvidenceAbout { id: &id, on, structure, ..EvidenceAbout::default() },
        )?;
        Ok(id)
    }

    /// Writes a certificate. It is about the net that a reduction made if `on` has the id of the
    /// reduction and this net, and otherwise about the net of the file. Returns the id of the
    /// certificate in the file.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn document(
        &mut self,
        on: Option<(&str, &Net)>,
        document: &Document,
    ) -> io::Result<String> {
        let id = self.id(EvidenceKind::Document);
        let document = Some(document_in_names(document, on.map_or(self.net, |(_, net)| net)));
        let on = on.map(|(id, _)| id);
        self.line(
            "document",
            &EvidenceAbout { id: &id, on, document, ..EvidenceAbout::default() },
        )?;
        Ok(id)
    }

    /// Writes an answer with its kind of evidence and its reason, and flushes the output, so that
    /// the file is complete up to here whatever ends the process.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn answer(
        &mut self,
        answer: &AnswerLine,
        strength: Strength,
        reason: &str,
    ) -> io::Result<()> {
        #[derive(Serialize)]
        struct EvidenceLine<'a> {
            #[serde(flatten)]
            answer: &'a AnswerLine,
            evidence: Strength,
            #[serde(skip_serializing_if = "str::is_empty")]
            because: &'a str,
        }
        self.line("answer", &EvidenceLine { answer, evidence: strength, because: reason })?;
        self.out.flush()
    }

    /// Writes that an earlier answer to this question is withdrawn.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn withdrawn(&mut self, id: &str) -> io::Result<()> {
        self.line("withdrawn", &json!({ "id": id }))?;
        self.out.flush()
    }

    /// Writes the last line: the number of valid answers.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn write_end(&mut self, answers: u64) -> io::Result<()> {
        self.line("end", &EndLine { answers })?;
        self.out.flush()
    }

    /// Flushes and returns the output.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new).
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn id(&mut self, kind: EvidenceKind) -> String {
        self.lines += 1;
        format!("{}{}", kind.letter(), self.lines)
    }

    fn line(&mut self, kind: &str, content: &impl Serialize) -> io::Result<()> {
        write!(self.out, r#"{{"{kind}":"#)?;
        serde_json::to_writer(&mut self.out, content)?;
        self.out.write_all(b"}\n")
    }

    fn steps(&mut self, sequence: &FiringSequence) -> io::Result<()> {
        self.out.write_all(b"[")?;
        for (index, step) in sequence.steps().iter().enumerate() {
            self.out.write_all(if index == 0 { b"[" } else { b",[" })?;
            serde_json::to_writer(&mut self.out, self.net.transition_name(step.transition))?;
            write!(self.out, ",{}]", step.count)?;
        }
        self.out.write_all(b"]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_evidence::certificate::BoundsCertificate;
    use parikh_evidence::file::{DocumentLine, EvidenceReference};
    use parikh_net::{TransitionId, text};
    use serde_json::Value;

    #[test]
    fn lines_are_objects_that_refer_to_earlier_ones() {
        let net = text::parse("net n\nplace p 1\ntransition \"t \\\"1\\\"\": p -> p").unwrap();
        let mut twice = FiringSequence::new();
        twice.push(TransitionId::new(0), 2);
        let mut writer = Writer::new(&net, "OneSafe", Vec::new()).unwrap();
        let trace = writer.trace(&twice).unwrap();
        let single = PumpSequence::single(FiringSequence::new(), twice.clone());
        let pump = writer.pump(&single).unwrap();
        let bounds =
            Document::Bounds(BoundsCertificate { assumes_units: false, steps: Vec::new() });
        let document = writer.document(Some(("r9", &net)), &bounds).unwrap();
        let answer = AnswerLine {
            id: "OneSafe".to_owned(),
            value: "TRUE".to_owned(),
            assumes: Vec::new(),
            searched: None,
            shown_by: vec![
                EvidenceReference {
                    prefix_length: Some(2),
                    ..EvidenceReference::new(EvidenceKind::Trace, trace)
                },
                EvidenceReference::new(EvidenceKind::Pump, pump),
                EvidenceReference::new(EvidenceKind::Document, document),
            ],
        };
        writer.answer(&answer, Strength::Certified, "").unwrap();
        writer.withdrawn("OneSafe").unwrap();
        writer.write_end(0).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let name = net.transition_name(TransitionId::new(0));
        assert_eq!(lines[0]["evidence"]["places"], 1);
        assert_eq!(lines[1], json!({"trace": {"id": "w1", "steps": [[name, 2]]}}));
        assert_eq!(lines[2], json!({"pump": {"id": "p2", "prefix": [], "pump": [[name, 2]]}}));
        let read: DocumentLine = serde_json::from_value(lines[3]["document"].clone()).unwrap();
        assert_eq!(read.on.as_deref(), Some("r9"));
        assert_eq!(read.document.resolve(&net), Ok(bounds));
        let shown = json!([{"trace": "w1", "after": 2}, {"pump": "p2"}, {"document": "d3"}]);
        assert_eq!(
            lines[4],
            json!({"answer": {
                "id": "OneSafe", "value": "TRUE", "evidence": "certified", "shown_by": shown,
            }})
        );
        assert_eq!(
            lines[5..],
            [json!({"withdrawn": {"id": "OneSafe"}}), json!({"end": {"answers": 0}})]
        );
        let again: AnswerLine = serde_json::from_value(lines[4]["answer"].clone()).unwrap();
        assert_eq!(again, answer);
    }
}
