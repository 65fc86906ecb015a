//! The audit of evidence about a coloured model: of each file first the net that it speaks about, then the
//! answers, as those about any net.

use super::{ColouredModel, Unconfirmed};
use crate::audit::{Audit, Broken, Judged, Report, Verdict};
use crate::file::{Answer, Unfolding};
use crate::reader::queries::Property;
use parikh_net::Net;
use serde::Deserialize;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// What may be done again.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most colours that are tried to make an unfolding again.
    pub tried: u64,
    /// The most markings that a search that is made again may have.
    pub visited: u64,
}

/// The questions about a net that an examination asks, by whoever knows where its query file is.
pub type Queries<'m> = dyn Fn(&Net, &str) -> Result<Vec<Property>, String> + 'm;

/// Audits files of evidence about one coloured model.
pub struct ColouredAudit<'m> {
    model: &'m ColouredModel,
    limits: Limits,
    /// The questions of an examination, of a net.
    queries: Box<Queries<'m>>,
    /// The unfolding that was made last: the files of a run list the same.
    made: Option<(Unfolding, Net)>,
    report: Report,
}

impl<'m> ColouredAudit<'m> {
    /// An audit of evidence about `model`.
    pub fn new(model: &'m ColouredModel, limits: Limits, queries: Box<Queries<'m>>) -> Self {
        ColouredAudit { model, limits, queries, made: None, report: Report::default() }
    }

    /// Goes through one file.
    ///
    /// # Errors
    /// When it is no evidence about this model, or has a line that is none.
    pub fn file(&mut self, path: &Path) -> Result<(), Broken> {
        let listed = listed(path)?;
        if self.made.as_ref().is_none_or(|(made, _)| *made != listed) {
            match self.model.unfold(&listed, self.limits.tried) {
                Ok(net) => self.made = Some((listed, net)),
                Err(Unconfirmed::Wrong(what)) => {
                    return Err(broken(
                        path,
                        2,
                        format!("the net listed is not the model's: {what}"),
                    ));
                }
                Err(too_large @ Unconfirmed::TooLarge(_)) => {
                    let why = format!("certified on the unfolding; {too_large}");
                    self.report.judged.extend(unjudged(path, &why)?);
                    return Ok(());
                }
            }
        }
        let Some((_, net)) = &self.made else { return Ok(()) };
        let queries = Box::new(|examination: &str| (self.queries)(net, examination));
        let mut audit = Audit::new(net, self.limits.visited, queries);
        let read = audit.file(path);
        let Report { judged, unanswered, incomplete, cut_short } = audit.finish();
        self.report.judged.extend(judged);
        self.report.unanswered += unanswered;
        self.report.incomplete.extend(incomplete);
        self.report.cut_short.extend(cut_short);
        read
    }

    /// What was found.
    pub fn finish(self) -> Report {
        self.report
    }
}

/// Each line of a file with its number, from 1.
fn lines(path: &Path) -> Result<impl Iterator<Item = (u64, String)>, Broken> {
    let file = File::open(path).map_err(|error| broken(path, 0, error.to_string()))?;
    Ok((1..).zip(BufReader::new(file).lines().map_while(Result::ok)))
}

/// The nodes that a file is about.
fn listed(path: &Path) -> Result<Unfolding, Broken> {
    #[derive(Deserialize)]
    struct Line {
        unfolding: Unfolding,
    }
    let wrong = |what: String| {
        broken(path, 2, format!("expected {{\"unfolding\": …}}, as the model is coloured: {what}"))
    };
    match lines(path)?.nth(1) {
        None => Err(wrong("the file ends before".to_owned())),
        Some((_, line)) => match serde_json::from_str::<Line>(&line) {
            Ok(line) => Ok(line.unfolding),
            Err(error) => Err(wrong(error.to_string())),
        },
    }
}

/// The answers of a file, the last one to each question, with no verdict but `why`.
fn unjudged(path: &Path, why: &str) -> Result<Vec<Judged>, Broken> {
    #[derive(Deserialize)]
    struct Line {
        answer: Option<Answer>,
    }
    let mut judged: Vec<Judged> = Vec::new();
    for (number, line) in lines(path)? {
        let Ok(Line { answer: Some(answer) }) = serde_json::from_str(&line) else { continue };
        judged.retain(|earlier| earlier.id != answer.id);
        judged.push(Judged {
            file: path.display().to_string(),
            line: number,
            id: answer.id,
            value: answer.value,
            verdict: Verdict::Beyond(why.to_owned()),
            assumes_units: false,
        });
    }
    Ok(judged)
}

fn broken(path: &Path, line: u64, what: String) -> Broken {
    Broken { file: path.display().to_string(), line, what }
}
