//! A reader for verdict files that checks their structure. The reader continues after an error, and
//! reports all errors with their positions.
//!
//! The published grammar is looser than intended in two places. Its third form of a verdict allows
//! any text as category, including `GENERIC`, so that it does not restrict the keys. Its pattern
//! for dates is meant to require a time zone, but a wrong character class prevents this. In this
//! reader, `GENERIC` means the keys (with `SOURCE_TRANSITION`, which the grammar lacks and all real
//! files have), and a date is any `xsd:dateTime`.
//!
//! A verdict of version 1.0 on `QUASI_LIVE` becomes the opposite verdict on `DEAD_TRANSITIONS`.

use super::{
    Category, FormatVersion, KeyProperty, KeyVerdict, StatedBy, TECHNIQUES, Truth, VerdictFile,
    VerdictValue, date,
};
use parikh_input::{Content, Element, InputError, Location, read_element, read_element_from};
use std::fmt;
use std::io::BufRead;
use std::path::Path;

/// An error in a verdict file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictProblem {
    /// The position of the wrong element, or of the element with the wrong contents.
    pub position: Location,
    /// The actual and the expected contents.
    pub text: String,
}

impl fmt::Display for VerdictProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.text)
    }
}

/// The reasons for rejecting a file.
#[derive(Debug, thiserror::Error)]
pub enum InvalidVerdicts {
    /// The file cannot be read, or is no verdict file.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The verdict file violates the grammar.
    #[error("{}", Lines(.0))]
    Problems(Vec<VerdictProblem>),
}

struct Lines<'a>(&'a [VerdictProblem]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            write!(f, "{}{problem}", if index > 0 { "\n" } else { "" })?;
        }
        Ok(())
    }
}

/// Reads a verdict file.
///
/// # Errors
/// The file cannot be read or violates the grammar.
pub fn read(path: &Path) -> Result<VerdictFile, InvalidVerdicts> {
    let root = read_element(path, ROOT)?;
    VerdictReader::new(&path.display().to_string()).read_file(&root)
}

/// Reads a verdict file from `reader`. Messages use `name` as the name of the file.
///
/// # Errors
/// The errors of [`read`].
pub fn read_from(reader: impl BufRead, name: &str) -> Result<VerdictFile, InvalidVerdicts> {
    let root = read_element_from(reader, name, ROOT)?;
    VerdictReader::new(name).read_file(&root)
}

const ROOT: &str = "toolspecific";

/// Removes XML white space at both ends. Other blanks are part of the text.
fn trimmed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\r', '\n'])
}

/// Returns true if a reference begins with `http://` or `https://` and satisfies the rules that
/// hold for URLs of every scheme. A URL has no blanks at the ends, and every `%` stands before two
/// hexadecimal digits. Brackets only enclose an IPv6 address, and `#` occurs at most once.
fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let Some(rest) = rest else { return false };
    let is_hex =
        |code: &str| code.len() >= 2 && code.bytes().take(2).all(|digit| digit.is_ascii_hexdigit());
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let path = &rest[host.len()..];
    let is_address = match host.rsplit_once('@').map_or(host, |(_, host)| host).strip_prefix('[') {
        Some(address) => address.split_once(']').is_some_and(|(address, port)| {
            address.parse::<std::net::Ipv6Addr>().is_ok() && !port.contains(['[', ']'])
        }),
        None => !host.contains(['[', ']']),
    };
    trimmed(text) == text
        && is_address
        && !path.contains(['[', ']'])
        && text.matches('#').count() <= 1
        && text.split('%').skip(1).all(is_hex)
}

struct VerdictReader<'f> {
    file: &'f str,
    problems: Vec<VerdictProblem>,
}

impl<'f> VerdictReader<'f> {
    fn new(file: &'f str) -> Self {
        VerdictReader { file, problems: Vec::new() }
    }

    fn report(&mut self, element: &Element, text: String) {
        let Element { line, column, .. } = *element;
        self.problems.push(VerdictProblem {
            position: Location { file: self.file.into(), line, column },
            text,
        });
    }

    fn read_file(mut self, root: &Element) -> Result<VerdictFile, InvalidVerdicts> {
        self.reject_other_attributes(root, &["tool", "version"]);
        let tool = self.required(root, "tool");
        if tool != "propertiesverdict" {
            self.report(root, format!("found tool `{tool}`, expected `propertiesverdict`"));
        }
        let version = match self.required(root, "version").as_str() {
            "1.0" => FormatVersion::V1,
            "2.0" => FormatVersion::V2,
            other => {
                self.report(root, format!("found version `{other}`, expected `1.0` or `2.0`"));
                FormatVersion::V2
            }
        };
        self.reject_text(root);
        let mut model = None;
        let mut verdicts = Vec::new();
        for (index, child) in root.children().enumerate() {
            match child.local_name() {
                "modelreference" if index == 0 => {
                    self.reject_other_attributes(child, &["modelname"]);
                    self.reject_contents(child);
                    model = Some(self.required(child, "modelname"));
                }
                "modelreference" => {
                    let text = "found `<modelreference>` here, expected it once, as the first \
                                element"
                        .to_owned();
                    self.report(child, text);
                    model.get_or_insert_default();
                }
                "verdict" => verdicts.push(self.verdict(child, version)),
                other => {
                    self.report(child, format!("found `<{other}>`, expected `<verdict>`"));
                }
            }
        }
        if model.is_none() {
            self.report(root, "no `<modelreference>`, expected one as the first element".into());
        }
        if verdicts.is_empty() {
            self.report(root, "no `<verdict>`, expected at least one".into());
        }
        if !self.problems.is_empty() {
            self.problems.sort_by_key(|problem| (problem.position.line, problem.position.column));
            return Err(InvalidVerdicts::Problems(self.problems));
        }
        Ok(VerdictFile { version, model: model.unwrap_or_default(), verdicts })
    }

    fn verdict(&mut self, element: &Element, version: FormatVersion) -> KeyVerdict {
        self.reject_other_attributes(element, &["category", "reference", "value"]);
        let category = match self.required(element, "category").as_str() {
            "GENERIC" => Category::Generic,
            name => match name.parse() {
                // Verdict files contain full names of examinations only. Short names in capitals
                // are for the command line.
                Ok(examination) if format!("{examination}") == name => {
                    Category::Examination(examination)
                }
                _ => Category::Other(name.to_owned()),
            },
        };
        let mut verdict = KeyVerdict {
            reference: self.required(element, "reference"),
            value: VerdictValue::Text(self.required(element, "value")),
            category,
            instances: Vec::new(),
            explanation: None,
            stated_by: None,
            techniques: Vec::new(),
            trace: None,
        };
        self.reject_text(element);
        let mut max_rank = 0;
        for child in element.children() {
            let order = ["modelinstance", "explanation", "statedby", "techniques", "trace"];
            let name = child.local_name();
            let Some(rank) = order.iter().position(|&known| known == name) else {
                let expected = order.map(|name| format!("`<{name}>`")).join(", ");
                self.report(child, format!("found `<{name}>`, expected one of {expected}"));
                continue;
            };
            if rank < max_rank {
                let after = order[max_rank];
                self.report(
                    child,
                    format!("found `<{name}>` after `<{after}>`, expected it before"),
                );
            } else if rank == max_rank && rank > 0 && self.has_element(&verdict, name) {
                self.report(child, format!("a second `<{name}>`, expected at most one"));
            }
            max_rank = max_rank.max(rank);
            match name {
                "modelinstance" => {
                    self.reject_other_attributes(child, &["reference"]);
                    self.reject_contents(child);
                    verdict.instances.push(self.required(child, "reference"));
                }
                "explanation" => {
                    self.reject_other_attributes(child, &[]);
                    self.reject_children(child);
                    verdict.explanation = Some(child.text());
                }
                "statedby" => verdict.stated_by = Some(self.stated_by(child)),
                "techniques" => verdict.techniques = self.techniques(child, version),
                _ => verdict.trace = self.trace(child),
            }
        }
        if verdict.category == Category::Generic {
            self.key(element, &mut verdict, version);
        }
        verdict
    }

    fn has_element(&self, verdict: &KeyVerdict, name: &str) -> bool {
        match name {
            "explanation" => verdict.explanation.is_some(),
            "statedby" => verdict.stated_by.is_some(),
            "techniques" => !verdict.techniques.is_empty(),
            _ => verdict.trace.is_some(),
        }
    }

    /// Reads a verdict on a key. Reports a value that is no truth value, and a key that the version
    /// of the format lacks. A `QUASI_LIVE` of version 1.0 becomes the opposite `DEAD_TRANSITIONS`.
    fn key(&mut self, element: &Element, verdict: &mut KeyVerdict, version: FormatVersion) {
        let truth = match verdict.value.to_string().as_str() {
            "true" => Truth::True,
            "false" => Truth::False,
            "unknown" => Truth::Unknown,
            other => {
                let text = format!("found value `{other}`, expected `true`, `false` or `unknown`");
                self.report(element, text);
                Truth::Unknown
            }
        };
        verdict.value = VerdictValue::Truth(truth);
        match (verdict.reference.as_str(), version) {
            ("QUASI_LIVE", FormatVersion::V1) => {
                verdict.reference = KeyProperty::DeadTransitions.name().to_owned();
                verdict.value = VerdictValue::Truth(truth.negated());
                if let Some(explanation) = &mut verdict.explanation {
                    // The explanation in the file is about `QUASI_LIVE`, the opposite of the stored
                    // key, so this name and its value are put before the text.
                    *explanation = format!("QUASI_LIVE is {truth}: {explanation}");
                }
            }
            ("QUASI_LIVE", FormatVersion::V2) => self.report(
                element,
                "the key `QUASI_LIVE` belongs to version 1.0, expected `DEAD_TRANSITIONS`, its \
                 opposite"
                    .into(),
            ),
            (key @ ("DEAD_TRANSITIONS" | "DEAD_PLACES"), FormatVersion::V1) => {
                let text = format!(
                    "the key `{key}` belongs to version 2.0, but the file has \
                                    version 1.0"
                );
                self.report(element, text);
            }
            (key, _) if KeyProperty::named(key).is_none() => {
                let all: Vec<_> = KeyProperty::all().map(KeyProperty::name).collect();
                let text = format!("`{key}` is not a key, expected one of {}", all.join(", "));
                self.report(element, text);
            }
            _ => {}
        }
    }

    fn stated_by(&mut self, element: &Element) -> StatedBy {
        self.reject_other_attributes(element, &["tool", "version", "date", "reference"]);
        self.reject_contents(element);
        let optional = |name| element.attribute(name).map(|value: &str| trimmed(value).to_owned());
        let stated = StatedBy {
            tool: self.required(element, "tool"),
            version: self.required(element, "version"),
            date: optional("date"),
            // The grammar allows no blanks around the URL, so it is not trimmed.
            reference: element.attribute("reference").map(str::to_owned),
        };
        if let Some(found) = stated.date.as_ref().filter(|text| !date::is_valid(text)) {
            let text = format!("found date `{found}`, expected one like `2018-01-01T10:00:05Z`");
            self.report(element, text);
        }
        if let Some(found) = stated.reference.as_ref().filter(|text| !is_url(text)) {
            let text =
                format!("found reference `{found}`, expected a valid `http://…` or `https://…`");
            self.report(element, text);
        }
        stated
    }

    fn techniques(&mut self, element: &Element, version: FormatVersion) -> Vec<String> {
        self.reject_other_attributes(element, &[]);
        self.reject_text(element);
        let mut techniques = Vec::new();
        for child in element.children() {
            if child.local_name() != "technique" {
                let found = child.local_name();
                self.report(child, format!("found `<{found}>`, expected `<technique>`"));
                continue;
            }
            self.reject_other_attributes(child, &[]);
            self.reject_children(child);
            let name = child.text();
            let known = match version {
                FormatVersion::V1 => &TECHNIQUES[..TECHNIQUES.len() - 1],
                FormatVersion::V2 => &TECHNIQUES[..],
            };
            if !known.contains(&name.as_str()) {
                let text =
                    format!("`{name}` is not a technique, expected one of {}", known.join(", "));
                self.report(child, text);
            }
            techniques.push(name);
        }
        if techniques.is_empty() {
            self.report(element, "no `<technique>`, expected at least one".into());
        }
        techniques
    }

    fn trace(&mut self, element: &Element) -> Option<Element> {
        self.reject_other_attributes(element, &[]);
        self.reject_text(element);
        let mut children = element.children();
        match (children.next(), children.next()) {
            (Some(only), None) => Some(only.clone()),
            (None, _) => {
                self.report(element, "an empty `<trace>`, expected one element in it".into());
                None
            }
            (Some(first), Some(second)) => {
                self.report(second, "a second element in `<trace>`, expected one".into());
                Some(first.clone())
            }
        }
    }

    /// Returns the value of a required attribute, without XML white space at the ends. Reports a
    /// missing attribute, and then returns the empty string.
    fn required(&mut self, element: &Element, name: &str) -> String {
        match element.attribute(name) {
            Some(value) => trimmed(value).to_owned(),
            None => {
                let own = element.local_name();
                self.report(element, format!("`<{own}>` has no attribute `{name}`"));
                String::new()
            }
        }
    }

    /// Reports the first unknown attribute, and an element of another namespace.
    fn reject_other_attributes(&mut self, element: &Element, known: &[&str]) {
        let namespace = element.attribute("xmlns").filter(|namespace| !namespace.is_empty());
        if namespace.is_some() || element.name.contains(':') {
            let (own, namespace_name) = (&element.name, namespace.unwrap_or("its prefix"));
            self.report(
                element,
                format!("`<{own}>` is in the namespace of {namespace_name}, expected none"),
            );
        }
        let is_other =
            |name: &str| !known.contains(&name) && name != "xmlns" && !name.starts_with("xmlns:");
        let other = element.attributes.iter().find(|(name, _)| is_other(name));
        if let Some((name, _)) = other {
            let own = element.local_name();
            self.report(
                element,
                format!("`<{own}>` has an attribute `{name}`, which the format does not have"),
            );
        }
    }

    fn reject_text(&mut self, element: &Element) {
        if element.content.iter().any(|content| matches!(content, Content::Text(_))) {
            let own = element.local_name();
            let text: String = element.text().chars().take(20).collect();
            self.report(element, format!("the text `{text}` in `<{own}>`, expected elements only"));
        }
    }

    fn reject_children(&mut self, element: &Element) {
        if let Some(child) = element.children().next() {
            let (own, found) = (element.local_name(), child.local_name());
            self.report(child, format!("found `<{found}>` in `<{own}>`, expected text only"));
        }
    }

    fn reject_contents(&mut self, element: &Element) {
        self.reject_text(element);
        if let Some(child) = element.children().next() {
            let (own, found) = (element.local_name(), child.local_name());
            self.report(child, format!("found `<{found}>` in `<{own}>`, expected nothing"));
        }
    }
}
