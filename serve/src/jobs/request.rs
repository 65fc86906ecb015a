//! The request of a job, its checks, and its command lines.

use crate::files::is_invisible;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The examinations that a job may ask, in the order of the page. Those with a query file need an
/// upload that has one, such as the archive of a contest instance.
pub(in super::super) const EXAMINATIONS: [&str; 21] = [
    "ReachabilityDeadlock",
    "OneSafe",
    "QuasiLiveness",
    "Liveness",
    "StableMarking",
    "StateSpace",
    "UpperBoundsAll",
    "QuasiLivenessAll",
    "LivenessAll",
    "StableMarkingAll",
    "Soundness",
    "WeakSoundness",
    "RelaxedSoundness",
    "EasySoundness",
    "UpperBounds",
    "ReachabilityCardinality",
    "ReachabilityFireability",
    "CTLCardinality",
    "CTLFireability",
    "LTLCardinality",
    "LTLFireability",
];

/// The file of a system's properties in the folder of a job.
pub(super) const PROPERTY_FILE: &str = "properties.txt";

/// The largest number of bytes of all formulas of a job. They become arguments of a command, whose
/// length operating systems limit.
const MOST_FORMULA_TEXT: usize = 64 << 10;

/// The kind of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in super::super) enum JobKind {
    /// Answers questions.
    #[default]
    Check,
    /// Writes a report.
    Report,
}

/// A request to answer questions about a net or to write a report.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct JobRequest {
    #[serde(default)]
    pub(in super::super) kind: JobKind,
    /// Names of [`EXAMINATIONS`].
    #[serde(default)]
    pub(in super::super) examinations: Vec<String>,
    /// Ids of nodes, to which an examination about each node is restricted.
    #[serde(default)]
    pub(in super::super) nodes: Vec<String>,
    /// Formulas, one per line, in the language of `parikh check --formula`. Lines that begin with
    /// `#` are comments.
    #[serde(default)]
    pub(in super::super) formulas: String,
    /// The properties of a parallel system, in the format of RERS: `#1:` with a formula in the next
    /// line. They exclude examinations and formulas.
    #[serde(default)]
    pub(in super::super) properties: String,
    /// The time limit in seconds.
    #[serde(default = "default_seconds")]
    pub(in super::super) seconds: f64,
    /// True if the job goes on when the page is closed.
    #[serde(default)]
    pub(in super::super) keep: bool,
}

fn default_seconds() -> f64 {
    60.0
}

/// The reason why a request is refused.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum RequestProblem {
    #[error("the request is not the expected JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("`{0}` is no examination: expected one of {list}", list = EXAMINATIONS.join(", "))]
    Examination(String),
    #[error("the request asks nothing: choose an examination or write a formula")]
    Empty,
    #[error("nodes need a single examination, no formulas, and no report")]
    Nodes,
    #[error("a report is about one examination, or about formulas")]
    SeveralExaminations,
    #[error("properties of a system cannot be combined with examinations or formulas")]
    Combined,
    #[error(
        "the formulas and nodes have more than {MOST_FORMULA_TEXT} bytes: ask them in several jobs"
    )]
    TooLong,
    #[error("a formula or a node contains the character NUL")]
    Nul,
    #[error("expected a time limit above 0 s and at most {0} s")]
    Time(u64),
}

impl JobRequest {
    /// Parses and checks a request.
    ///
    /// # Errors
    /// The text is no JSON of this form, or the request asks nothing or too much.
    pub(in super::super) fn parse(text: &[u8]) -> Result<JobRequest, RequestProblem> {
        let mut request: JobRequest = serde_json::from_slice(text)?;
        let unknown = |name: &&String| !EXAMINATIONS.contains(&name.as_str());
        if let Some(name) = request.examinations.iter().find(unknown) {
            return Err(RequestProblem::Examination(name.chars().take(60).collect()));
        }
        let mut seen = Vec::new();
        request.examinations.retain(|name| {
            let is_new = !seen.contains(name);
            seen.push(name.clone());
            is_new
        });
        let nodes = request.nodes.iter().map(String::len).sum::<usize>();
        if nodes + request.formulas.len() + request.properties.len() > MOST_FORMULA_TEXT {
            return Err(RequestProblem::TooLong);
        }
        if request.formulas.contains('\0') || request.nodes.iter().any(|node| node.contains('\0')) {
            return Err(RequestProblem::Nul);
        }
        let has_formulas = request.formula_lines().next().is_some();
        let has_properties = !request.properties.trim().is_empty();
        let has_examinations = !request.examinations.is_empty();
        if has_properties && (has_formulas || has_examinations) {
            return Err(RequestProblem::Combined);
        }
        let is_single =
            request.examinations.len() == 1 && !has_formulas && request.kind == JobKind::Check;
        if !request.nodes.is_empty() && !is_single {
            return Err(RequestProblem::Nodes);
        }
        match request.kind {
            JobKind::Check if !has_formulas && !has_examinations && !has_properties => {
                Err(RequestProblem::Empty)
            }
            JobKind::Report
                if request.examinations.len() > 1 || has_formulas && has_examinations =>
            {
                Err(RequestProblem::SeveralExaminations)
            }
            _ => Ok(request),
        }
    }

    /// Returns the time limit.
    ///
    /// # Errors
    /// The limit is no positive number, or larger than `most`.
    pub(in super::super) fn time(&self, most: Duration) -> Result<Duration, RequestProblem> {
        let time = Duration::try_from_secs_f64(self.seconds).ok();
        time.filter(|time| !time.is_zero() && *time <= most)
            .ok_or(RequestProblem::Time(most.as_secs()))
    }

    /// Returns the formulas, without empty lines and comments.
    fn formula_lines(&self) -> impl Iterator<Item = &str> {
        let lines = self.formulas.lines().map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    /// Returns an option for each formula.
    pub(in super::super) fn formula_options(&self) -> impl Iterator<Item = String> {
        self.formula_lines().map(|formula| format!("--formula={formula}"))
    }

    /// Returns the options that select the questions. `properties` is the path of the properties of
    /// a system.
    fn questions(&self, properties: &str) -> Vec<String> {
        let mut words = Vec::new();
        if !self.examinations.is_empty() {
            words.push(format!("--examination={}", self.examinations.join(",")));
        }
        words.extend(self.nodes.iter().map(|node| format!("--id={node}")));
        words.extend(self.formula_options());
        if !self.properties.trim().is_empty() {
            words.push(format!("--properties={properties}"));
        }
        words
    }

    /// Returns the arguments of the command, run in the folder of the net. `job` is the path of the
    /// job's folder there.
    pub(super) fn arguments(&self, model: &str, job: &str, limits: &[String]) -> Vec<String> {
        let mut words: Vec<String> = match self.kind {
            JobKind::Check => vec!["check".into(), model.into()],
            JobKind::Report => vec!["report".into(), model.into()],
        };
        words.extend(self.questions(&format!("{job}/{PROPERTY_FILE}")));
        words.extend(match self.kind {
            JobKind::Check => vec![
                "--format".into(),
                "json".into(),
                "--evidence".into(),
                format!("{job}/evidence"),
            ],
            JobKind::Report => vec!["-o".into(), format!("{job}/report.html")],
        });
        words.extend(limits.iter().cloned());
        words
    }

    /// Returns the command line that repeats the run, for a shell.
    pub(super) fn command_line(&self, net_name: &str) -> String {
        let command = if self.kind == JobKind::Report { "report" } else { "check" };
        let mut words =
            vec!["parikh".to_owned(), command.to_owned(), quoted(&plain_file(net_name))];
        words.extend(self.questions(PROPERTY_FILE).iter().map(|word| quoted(word)));
        words.extend(["--timeout".to_owned(), format!("{}s", self.seconds)]);
        words.join(" ")
    }
}

impl JobRequest {
    /// Returns the command line that checks the evidence of the job, in the directory of the
    /// unpacked archive. `model` is the name of the model there.
    pub(super) fn audit_line(&self, model: &str) -> String {
        let is_system = super::super::files::is_system(model);
        // The auditor reads nets. Properties of a system are checked on the system itself.
        let (before, file) = match is_system && self.properties.trim().is_empty() {
            true => (format!("parikh convert {model} -o model.pnml && "), "model.pnml"),
            false => (String::new(), model),
        };
        let mut words = vec![format!("{before}parikh-certify {file} evidence")];
        let questions = self.questions(PROPERTY_FILE);
        let is_given = |word: &&String| word.starts_with("--formula=");
        words.extend(questions.iter().filter(is_given).map(|word| quoted(word)));
        if !self.properties.trim().is_empty() {
            words.push(format!("--queries={PROPERTY_FILE}"));
        }
        words.join(" ")
    }
}

/// Returns the name of a file so that it is not read as an option.
fn plain_file(name: &str) -> String {
    if name.starts_with('-') { format!("./{name}") } else { name.to_owned() }
}

/// Quotes a word for a shell. Characters that a terminal would not show are escaped as bash, zsh
/// and ksh read them (`$'\n'`), so that a pasted command line is one line.
fn quoted(word: &str) -> String {
    if word.chars().any(is_invisible) {
        let escape = |c: char| match c {
            '\n' => r"\n".to_owned(),
            '\'' | '\\' => format!("\\{c}"),
            // The bytes of a character, each with two digits, are the same in all these shells.
            c if is_invisible(c) => {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")).collect()
            }
            c => c.to_string(),
        };
        return format!("$'{}'", word.chars().map(escape).collect::<String>());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/=,".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_checked() {
        let problem = |text: &str| JobRequest::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(problem("{}").starts_with("the request asks nothing"));
        assert!(
            problem(r##"{"formulas": "# only a comment"}"##)
                .starts_with("the request asks nothing")
        );
        assert!(problem("[1]").starts_with("the request is not the expected JSON"));
        assert!(problem(r#"{"examinations": ["--help"]}"#).starts_with("`--help` is no exam"));
        assert!(problem(r#"{"examinations": ["OneSafe"], "x": 1}"#).contains("unknown field"));
        let request = JobRequest::parse(br#"{"formulas": "EF p >= 1", "seconds": 1e9}"#).unwrap();
        assert!(request.time(Duration::from_secs(60)).is_err());
        let negative = JobRequest { seconds: -1.0, ..request.clone() };
        assert!(negative.time(Duration::from_secs(60)).is_err());
        let usual = JobRequest { seconds: 2.5, ..request };
        assert_eq!(usual.time(Duration::from_secs(60)).unwrap(), Duration::from_millis(2500));
    }

    #[test]
    fn the_command_line_repeats_the_run_in_a_shell() {
        let text = br#"{"examinations": ["OneSafe", "OneSafe"], "formulas": "\nit's: EF p >= 1\n", "seconds": 5}"#;
        let request = JobRequest::parse(text).unwrap();
        assert_eq!(
            request.command_line("a net.pnml"),
            r"parikh check 'a net.pnml' --examination=OneSafe '--formula=it'\''s: EF p >= 1' --timeout 5s"
        );
        let hidden =
            JobRequest { formulas: "EF id \"a\u{3}\u{202e}\" > 1'".into(), ..request.clone() };
        let expected = r#"$'--formula=EF id "a\x03\xe2\x80\xae" > 1\''"#;
        assert!(hidden.command_line("n").contains(expected), "{}", hidden.command_line("n"));
        let nodes = JobRequest { nodes: vec!["a\nb".into()], ..request.clone() };
        assert!(nodes.command_line("n").contains(r"$'--id=a\nb'"));
        assert!(request.command_line("-rf").starts_with("parikh check ./-rf "));
        assert_eq!(
            request.arguments("model.pnml", "jobs/1", &[]).join(" "),
            "check model.pnml --examination=OneSafe --formula=it's: EF p >= 1 --format json \
             --evidence jobs/1/evidence"
        );
    }
}
