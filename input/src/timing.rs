//! Times, priorities and rates of transitions, in elements of the net or in tool data.
//!
//! Priorities, and times that limit when a transition fires, change the set of reachable markings.
//! A net with them is refused, unless the user asks to read it without them. If all transitions
//! have the same priority, and all or none are immediate, the set does not change. Rates and
//! probabilities change how likely a firing is, but not whether it is possible. They are ignored,
//! and answers say so.
//!
//! A transition with the rate 0 never fires, so this zero counts as a time. A probability or weight
//! of 0 often means that none is set.
//!
//! The words in the table are the names of elements of a node, and of entries in the tool data of a
//! node, an arc or the net. They are compared in lower case, and only by their letters and digits.
//! Priorities in tool data of other things than transitions cannot be compared, so they are
//! refused.
//!
//! | meaning | words |
//! |---|---|
//! | priority | `priority`, `prio`, `priorityLevel`, `priorities`, `pr` |
//! | precedence | `timed`, `immediate` |
//! | shortest time, refused unless 0 | `eft`, `time`, `duration`, `firingTime`, `minTime`, … |
//! | longest time, refused unless ∞ | `lft`, `maxTime`, `deadline`, … |
//! | interval, refused unless `[0, ∞)` | `delay`, `interval`, `timeInterval`, `staticInterval` |
//! | other times | `urgent`, `invariant` |
//! | distribution, in tool data | `distributionType`, `distribution`, `transitionType`, `type`, `kind` |
//! | rate, in tool data | `rate`, `weight`, `probability`, `lambda`, … |
//!
//! PIPE, TINA and IOPT tools write elements. PM4Py and ProM (`StochasticPetriNet`), GreatSPN,
//! TAPAAL, WoPeD and Yasper write tool data.

use super::error::InputError;
use super::source::TextPosition;
use super::xml::{XmlItem, XmlReader, trimmed};
use parikh_net::Assumption;
use std::collections::BTreeSet;
use std::io::BufRead;

/// The data of a tool (`toolspecific`) about a node, an arc or a net. Also an element with a time,
/// a priority or a rate.
pub(super) struct ToolData {
    tool: String,
    /// The names and values of all attributes, and the names and texts of all inner elements. An
    /// element with an attribute `key` has the key as its name. The value of an element is `None`
    /// if it has no text, but other attributes or elements inside.
    entries: Vec<(String, Option<String>)>,
}

/// An element that is partially read.
struct OpenElement {
    name: String,
    text: String,
    /// True if the element has attributes other than `key` and `id`, or contains elements other
    /// than `<text>` and `<value>`.
    is_structured: bool,
}

impl OpenElement {
    fn new(name: &str, attributes: &[(String, String)]) -> Self {
        // An element such as `<property key="priority">1</property>`.
        let key = attributes.iter().find(|(attribute, _)| attribute == "key");
        let name = key.map_or(name, |(_, key)| key).to_owned();
        let is_structured = attributes.iter().any(|(it, _)| !matches!(&**it, "key" | "id"));
        OpenElement { name, text: String::new(), is_structured }
    }

    fn into_entry(self) -> (String, Option<String>) {
        let text = trimmed(&self.text);
        let value = (!text.is_empty() || !self.is_structured).then(|| text.to_owned());
        (self.name, value)
    }
}

impl<R: BufRead> XmlReader<R> {
    /// Reads the element `toolspecific` that was opened last, with its attributes, to its end.
    pub(super) fn tool_data(
        &mut self,
        attributes: Vec<(String, String)>,
    ) -> Result<ToolData, InputError> {
        self.data(Vec::new(), attributes)
    }

    /// Reads the element with a time, a priority or a rate that was opened last, to its end.
    pub(super) fn timing_element(
        &mut self,
        name: &str,
        attributes: Vec<(String, String)>,
    ) -> Result<ToolData, InputError> {
        self.data(vec![OpenElement::new(name, &attributes)], attributes)
    }

    /// Reads to the end of the element that was opened last. `open_elements` contains this element
    /// if it gives an entry itself, and is empty otherwise.
    fn data(
        &mut self,
        mut open_elements: Vec<OpenElement>,
        attributes: Vec<(String, String)>,
    ) -> Result<ToolData, InputError> {
        let outermost = open_elements.len();
        let tool = attributes.iter().find(|(name, _)| name == "tool");
        let tool = tool.map(|(_, tool)| tool.clone()).unwrap_or_default();
        let with_value = |(name, value)| (name, Some(value));
        let mut entries: Vec<_> = attributes.into_iter().map(with_value).collect();
        loop {
            match self.next()? {
                XmlItem::Open(tag) => {
                    let attributes = tag.all_attributes()?;
                    if let (Some(parent), false) = (open_elements.last_mut(), is_text(tag.name())) {
                        parent.is_structured = true;
                    }
                    open_elements.push(OpenElement::new(tag.name(), &attributes));
                    entries.extend(attributes.into_iter().map(with_value));
                }
                XmlItem::Text(text) => {
                    // A text in `<text>` or `<value>` belongs to the enclosing element.
                    let holder = match &open_elements[..] {
                        [.., _, element] if is_text(&element.name) => open_elements.len() - 2,
                        all => all.len().saturating_sub(1),
                    };
                    if let Some(element) = open_elements.get_mut(holder) {
                        element.text.push_str(&text);
                    }
                }
                XmlItem::Close => match open_elements.pop() {
                    Some(element) => {
                        entries.push(element.into_entry());
                        if outermost > 0 && open_elements.is_empty() {
                            return Ok(ToolData { tool, entries });
                        }
                    }
                    None => return Ok(ToolData { tool, entries }),
                },
                XmlItem::EndOfFile => return Ok(ToolData { tool, entries }),
                XmlItem::Nothing => {}
            }
        }
    }
}

/// Returns true for the elements whose text belongs to the enclosing element.
fn is_text(element: &str) -> bool {
    matches!(element, "text" | "value")
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

/// The words for a distribution of delays.
const DISTRIBUTION_WORDS: [&str; 3] = ["distributiontype", "distribution", "transitiontype"];

/// Distributions that limit a delay, where a tool names the kind of a transition.
const LIMITED_KINDS: [&str; 5] = ["deterministic", "det", "uniform", "general", "gen"];

/// The meaning of a word for times and priorities.
enum TimingWord {
    Priority,
    /// Says that a transition is timed.
    Timed,
    /// Says that a transition is immediate.
    Immediate,
    /// The shortest time. The time 0 is no limit.
    Shortest,
    /// The longest time. The time ∞ is no limit.
    Longest,
    /// An interval. The interval `[0, ∞)` is no limit.
    Interval,
    /// Says that a transition fires without delay.
    Urgent,
    /// TAPAAL's upper end of the age of tokens. `< inf` is no limit.
    Invariant,
}

impl TimingWord {
    /// Returns the meaning of a word in lower case. Returns `None` for words that are not about
    /// times and priorities.
    fn of(key: &str) -> Option<Self> {
        Some(match key {
            "priority" | "prio" | "prioritylevel" | "priorities" | "pr" => TimingWord::Priority,
            "timed" => TimingWord::Timed,
            "immediate" => TimingWord::Immediate,
            "eft" | "earliestfiringtime" | "time" | "duration" | "firingtime"
            | "firingduration" | "firingdelay" | "processingtime" | "servicetime"
            | "executiontime" | "holdingtime" | "waitingtime" | "mintime" | "mindelay"
            | "minduration" => TimingWord::Shortest,
            "lft" | "latestfiringtime" | "maxtime" | "maxdelay" | "maxduration" | "deadline" => {
                TimingWord::Longest
            }
            "delay" | "interval" | "timeinterval" | "staticinterval" | "firinginterval" => {
                TimingWord::Interval
            }
            "urgent" => TimingWord::Urgent,
            "invariant" => TimingWord::Invariant,
            _ => return None,
        })
    }
}

/// Returns the letters and digits of a name in lower case.
fn key_of(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

/// Returns true for the name of an element with a time or a priority, in any known spelling.
pub(super) fn is_timing_element(name: &str) -> bool {
    TimingWord::of(&key_of(name)).is_some()
}

/// The priority and the times of a transition, and a flag for rates.
#[derive(Clone, Default)]
pub(super) struct TransitionUrgency {
    priority: Option<String>,
    /// `true` or `false`, or another text in lower case. `None` if the file has no such
    /// information. Untimed transitions fire before timed transitions.
    timed: Option<String>,
    /// The part of the file that limits the firing time, for a message, such as an interval. `None`
    /// if the transition may fire at any time.
    limit: Option<String>,
    has_rate: bool,
}

impl TransitionUrgency {
    /// Records the priorities, times and rates in an element or in tool data.
    pub(super) fn add_data(&mut self, data: &ToolData) {
        for (name, value) in &data.entries {
            let key = key_of(name);
            let word = TimingWord::of(&key);
            let Some(value) = value else {
                // The value is in attributes or elements inside.
                match word {
                    Some(TimingWord::Interval) if is_unlimited(data) => {}
                    None if !DISTRIBUTION_WORDS.contains(&&*key) => self.add_rate(name, &key, ""),
                    _ => self.limit = Some(format!("the `{name}`")),
                }
                continue;
            };
            let lower_case = value.to_ascii_lowercase();
            let limits = match word {
                Some(TimingWord::Priority) => {
                    self.priority = Some(value.clone());
                    false
                }
                Some(TimingWord::Timed) => {
                    self.timed = Some(truth_value(lower_case));
                    false
                }
                Some(TimingWord::Immediate) => {
                    self.timed = Some(match &*truth_value(lower_case) {
                        "true" => "false".to_owned(),
                        "false" => "true".to_owned(),
                        other => other.to_owned(),
                    });
                    false
                }
                Some(TimingWord::Shortest) => !matches!(&*lower_case, "" | "0" | "0.0"),
                Some(TimingWord::Longest) => {
                    !lower_case.is_empty() && !UNLIMITED_ENDS.contains(&&*lower_case)
                }
                Some(TimingWord::Interval) => !value.is_empty() || !is_unlimited(data),
                Some(TimingWord::Urgent) => truth_value(lower_case) != "false",
                Some(TimingWord::Invariant) => {
                    let end = lower_case.trim_start_matches(['<', '=', ' ']);
                    lower_case.starts_with('<') && !UNLIMITED_ENDS.contains(&end)
                }
                None => {
                    self.add_rate(name, &key, value);
                    false
                }
            };
            if limits {
                self.limit = Some(format!("the `{name}`"));
            }
        }
    }

    /// Records a distribution of delays, or a rate.
    fn add_rate(&mut self, name: &str, key: &str, value: &str) {
        let lower_case = value.to_ascii_lowercase();
        let is_zero = value.parse::<f64>() == Ok(0.0);
        match key {
            it if DISTRIBUTION_WORDS.contains(&it) => match &*lower_case {
                "" => {}
                "immediate" | "imm" => self.timed = Some("false".to_owned()),
                it if UNLIMITED_DISTRIBUTIONS.contains(&it) => {
                    self.timed = Some("true".to_owned());
                    self.has_rate = true;
                }
                _ => self.limit = Some(format!("the distribution `{value}`")),
            },
            // Other tools write other information under these words.
            "type" | "kind" => match &*lower_case {
                "immediate" | "imm" => self.timed = Some("false".to_owned()),
                "exponential" | "exp" | "timed" => {
                    self.timed = Some("true".to_owned());
                    self.has_rate = true;
                }
                it if LIMITED_KINDS.contains(&it) => {
                    self.limit = Some(format!("the `{name}` `{value}`"));
                }
                _ => {}
            },
            "rate" | "rates" | "lambda" | "firingrate" => {
                self.has_rate = true;
                if is_zero {
                    self.limit = Some(format!("the `{name}` 0"));
                }
            }
            // PM4Py writes the weight 0 by default, and WoPeD the probability 0.
            "weight" | "firingweight" | "probability" | "distributionparameters" => {
                self.has_rate = true;
            }
            _ => {}
        }
    }
}

/// Returns `true` or `false` for a truth value in lower case, and other texts as they are. An empty
/// element, such as `<immediate/>`, means `true`.
fn truth_value(text: String) -> String {
    match &*text {
        "" | "1" | "yes" => "true".to_owned(),
        "0" | "no" => "false".to_owned(),
        _ => text,
    }
}

/// Returns true if the interval of an element is `[0, ∞)`.
fn is_unlimited(data: &ToolData) -> bool {
    let numbers = data.entries.iter().filter(|(name, _)| matches!(&**name, "cn" | "ci"));
    let numbers: Vec<&str> = numbers.map(|(_, text)| text.as_deref().unwrap_or("")).collect();
    matches!(&numbers[..], ["0" | "0.0", last] if UNLIMITED_ENDS.contains(last))
}

/// The advice for a net with times.
const TIMES: &str = "times change which markings are reachable; --untimed ignores them";

/// The advice for a net with priorities.
const PRIORITIES: &str = "priorities change which markings are reachable; give all transitions the \
                          same priority, or ignore times and priorities with --untimed";

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
        let owner = || format!("transition `{transition}`");
        if let Some(limit) = limit {
            self.refuse(format!("{limit} of {}", owner()), TIMES, at, file);
        } else if differs {
            let found = format!("the `priority` or `timed` of {}, other than before,", owner());
            self.refuse(found, PRIORITIES, at, file);
        }
    }

    /// Records the tool's name for data of a tool anywhere in the net. Also records a rate if the
    /// data contain a probability.
    pub(super) fn add_tool(&mut self, data: &ToolData) {
        self.tools.insert(data.tool.clone());
        self.has_rates |= data.entries.iter().any(|(name, _)| name == "probability");
    }

    /// Records the times and priorities in tool data of a place, of an arc or of the net. Any of
    /// these refuses the net, because they cannot be compared with those of transitions.
    pub(super) fn add_tool_data(
        &mut self,
        data: &ToolData,
        owner: &str,
        at: TextPosition,
        file: &str,
    ) {
        self.add_tool(data);
        self.add_data(data, owner, at, file);
    }

    /// Records an element of a place or an arc with a time or a priority. Such an element refuses
    /// the net, unless its time is no limit.
    pub(super) fn add_data(&mut self, data: &ToolData, owner: &str, at: TextPosition, file: &str) {
        let mut urgency = TransitionUrgency::default();
        urgency.add_data(data);
        if let Some(limit) = urgency.limit {
            self.refuse(format!("{limit} of {owner}"), TIMES, at, file);
        } else if urgency.priority.is_some() || urgency.timed.is_some() {
            let found = format!("a priority, or a timed or immediate transition, of {owner}");
            self.refuse(found, PRIORITIES, at, file);
        }
    }

    fn refuse(&mut self, found: String, advice: &'static str, at: TextPosition, file: &str) {
        self.refusal.get_or_insert_with(|| InputError::Unsupported {
            at: at.of(file),
            found,
            advice,
        });
    }

    /// Records that some part of the net has a rate.
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
