//! Times, priorities and rates of transitions, in elements of the net or in tool data.
//!
//! Priorities, and times that limit when a transition fires, change the set of reachable markings.
//! A net with them is refused, unless the user asks to read it without them. If all transitions
//! have the same priority, and all or none are immediate, the set does not change. Rates and
//! probabilities change how likely a firing is, but not whether it is possible. They are ignored,
//! and answers say so.
//!
//! | where | priorities and times | rates |
//! |---|---|---|
//! | PIPE, elements | `priority`, `timed` | `rate` |
//! | TINA, elements | `delay`, `interval` (but `[0, ∞)`) | |
//! | any tool, attributes and elements | `priority`, `timed`, `immediate`, `delay`, `interval`, `eft`, `lft` | `rate`, `weight`, `probability` |
//! | PM4Py (`StochasticPetriNet`) | `priority`; `distributionType`: `IMMEDIATE`, or bounded ones | the others |

use super::error::InputError;
use super::labels::PnmlLabel;
use super::source::TextPosition;
use super::xml::{XmlItem, XmlReader, trimmed};
use parikh_net::Assumption;
use std::collections::BTreeSet;
use std::io::BufRead;

/// The data of a tool (`toolspecific`) about a node, an arc or a net. Also the content of an
/// element `delay` or `interval`.
pub(super) struct ToolData {
    tool: String,
    /// The names and values of all attributes, and the names and texts of all inner elements. An
    /// element with an attribute `key` has the key as its name.
    entries: Vec<(String, String)>,
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the element that was opened last, with its attributes, to its end.
    pub(super) fn tool_data(
        &mut self,
        attributes: Vec<(String, String)>,
    ) -> Result<ToolData, InputError> {
        let tool = attributes.iter().find(|(name, _)| name == "tool");
        let tool = tool.map(|(_, tool)| tool.clone()).unwrap_or_default();
        let mut entries = attributes;
        let mut open_elements: Vec<(String, String)> = Vec::new();
        loop {
            match self.next()? {
                XmlItem::Open(tag) => {
                    let attributes = tag.all_attributes()?;
                    // An element such as `<property key="priority">1</property>`.
                    let key = attributes.iter().find(|(name, _)| name == "key");
                    let name = key.map_or_else(|| tag.name().to_owned(), |(_, key)| key.clone());
                    entries.extend(attributes);
                    open_elements.push((name, String::new()));
                }
                XmlItem::Text(text) => {
                    // A text in `<text>` or `<value>` belongs to the enclosing element.
                    let holder = match &open_elements[..] {
                        [.., _, (name, _)] if matches!(&**name, "text" | "value") => {
                            open_elements.len() - 2
                        }
                        all => all.len().saturating_sub(1),
                    };
                    if let Some((_, element_text)) = open_elements.get_mut(holder) {
                        element_text.push_str(&text);
                    }
                }
                XmlItem::Close => match open_elements.pop() {
                    Some((name, text)) => entries.push((name, trimmed(&text).to_owned())),
                    None => return Ok(ToolData { tool, entries }),
                },
                XmlItem::EndOfFile => return Ok(ToolData { tool, entries }),
                XmlItem::Nothing => {}
            }
        }
    }
}

/// The texts for ∞ as the upper end of an interval.
const UNLIMITED_ENDS: [&str; 6] = ["infty", "infinity", "inf", "w", "omega", "∞"];

/// Distributions under which a delay can have any length.
const UNLIMITED_DISTRIBUTIONS: [&str; 9] = [
    "exponential",
    "exp",
    "normal",
    "gaussian",
    "lognormal",
    "gamma",
    "weibull",
    "undefined",
    "none",
];

/// The priority and the times of a transition, and a flag for rates.
#[derive(Clone, Default)]
pub(super) struct TransitionUrgency {
    priority: Option<String>,
    /// The text of the label `timed` in lower case, or the same information from tool data. `None`
    /// if the file has none. Untimed transitions fire before timed transitions.
    timed: Option<String>,
    /// The part of the file that limits the firing time, for a message, such as an interval. `None`
    /// if the transition may fire at any time.
    limit: Option<String>,
    has_rate: bool,
}

impl TransitionUrgency {
    /// Records a label `priority`.
    pub(super) fn prioritise(&mut self, label: PnmlLabel) {
        self.priority = Some(label.text);
    }

    /// Records a label `timed`.
    pub(super) fn time(&mut self, label: PnmlLabel) {
        self.timed = Some(label.text.to_ascii_lowercase());
    }

    /// Records a rate of the transition.
    pub(super) fn rate(&mut self) {
        self.has_rate = true;
    }

    /// Records a firing interval, from an element `delay` or `interval`. The interval `[0, ∞)` is
    /// ignored.
    pub(super) fn limit(&mut self, name: &str, data: &ToolData) {
        if !is_unlimited(data) {
            self.limit = Some(format!("the `{name}`"));
        }
    }

    /// Records the priorities, times and rates in tool data.
    pub(super) fn add_tool_data(&mut self, data: &ToolData) {
        for (name, value) in &data.entries {
            let letters = name.chars().filter(|c| c.is_alphanumeric());
            let key = letters.collect::<String>().to_ascii_lowercase();
            let lower_case = value.to_ascii_lowercase();
            match &*key {
                "priority" | "prio" | "prioritylevel" => self.priority = Some(value.clone()),
                "timed" => self.timed = Some(lower_case),
                "immediate" => self.timed = Some((lower_case != "true").to_string()),
                "distributiontype" | "distribution" | "transitiontype" => match &*lower_case {
                    "" => {}
                    "immediate" | "imm" => self.timed = Some("false".to_owned()),
                    it if UNLIMITED_DISTRIBUTIONS.contains(&it) => {
                        self.timed = Some("true".to_owned());
                        self.has_rate = true;
                    }
                    _ => self.limit = Some(format!("the distribution `{value}`")),
                },
                "delay" | "interval" | "timeinterval" | "staticinterval" if value.is_empty() => {
                    self.limit(name, data);
                }
                "eft" | "earliestfiringtime" if matches!(&*lower_case, "" | "0" | "0.0") => {}
                "lft" | "latestfiringtime"
                    if lower_case.is_empty() || UNLIMITED_ENDS.contains(&&*lower_case) => {}
                "delay" | "interval" | "timeinterval" | "staticinterval" | "eft" | "lft"
                | "earliestfiringtime" | "latestfiringtime" => {
                    self.limit = Some(format!("the `{name}`"));
                }
                "rate"
                | "rates"
                | "weight"
                | "probability"
                | "lambda"
                | "firingrate"
                | "firingweight"
                | "distributionparameters" => self.has_rate = true,
                _ => {}
            }
        }
    }
}

/// Returns true if the interval of an element is `[0, ∞)`.
fn is_unlimited(data: &ToolData) -> bool {
    let numbers = data.entries.iter().filter(|(name, _)| matches!(&**name, "cn" | "ci"));
    let numbers: Vec<&str> = numbers.map(|(_, text)| text.as_str()).collect();
    matches!(&numbers[..], ["0" | "0.0", last] if UNLIMITED_ENDS.contains(last))
}

/// The times, priorities and rates of a partially read net.
#[derive(Default)]
pub(super) struct NetUrgency {
    /// The priority and the label `timed` of the first transition, to compare with later
    /// transitions. `None` before the first transition.
    first: Option<(Option<String>, Option<String>)>,
    /// The error for the first transition with a limited firing time, or with another priority or
    /// label `timed` than the first transition. `None` if there is none.
    refusal: Option<InputError>,
    has_rates: bool,
    /// The names of the tools with data in the net.
    tools: BTreeSet<String>,
}

impl NetUrgency {
    /// Adds a transition. A limit on its firing time refuses the net, and so does a priority or
    /// `timed` other than those of the first transition.
    pub(super) fn add(
        &mut self,
        urgency: TransitionUrgency,
        transition: &str,
        at: TextPosition,
        file: &str,
    ) {
        let TransitionUrgency { priority, timed, limit, has_rate } = urgency;
        self.has_rates |= has_rate;
        let precedence = (priority, timed);
        let differs = *self.first.get_or_insert_with(|| precedence.clone()) != precedence;
        let (found, advice) = match limit {
            Some(limit) => (
                format!("{limit} of transition `{transition}`"),
                "times change which markings are reachable; --untimed ignores them",
            ),
            None if differs => (
                format!(
                    "the `priority` or `timed` of transition `{transition}`, other than before,"
                ),
                "priorities change which markings are reachable; give all transitions the same \
                 priority, or ignore times and priorities with --untimed",
            ),
            None => return,
        };
        self.refusal.get_or_insert_with(|| InputError::Unsupported {
            at: at.of(file),
            found,
            advice,
        });
    }

    /// Records the tool's name for data of a tool anywhere in the net. Also records a rate if the
    /// data contain a probability.
    pub(super) fn add_tool_data(&mut self, data: &ToolData) {
        self.tools.insert(data.tool.clone());
        self.has_rates |= data.entries.iter().any(|(name, _)| name == "probability");
    }

    /// Records a rate of a part of the net.
    pub(super) fn rate(&mut self) {
        self.has_rates = true;
    }

    /// Returns the assumptions for answers about the net, and the error that refuses the net if its
    /// times or priorities may change the reachable markings.
    pub(super) fn finish(self) -> (Vec<Assumption>, Option<InputError>) {
        let tools = self.tools.into_iter().map(Assumption::ToolSpecific);
        (tools.chain(self.has_rates.then_some(Assumption::Rates)).collect(), self.refusal)
    }
}
