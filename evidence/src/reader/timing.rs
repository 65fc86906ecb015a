//! Examines times, priorities and rates of transitions in PNML, and tool data.
//!
//! Priorities, and times that limit when a transition fires, change the set of reachable markings.
//! A net with them is refused, or read without them if the caller requests it. They occur in
//! elements of a node, or in the attributes and elements of a `toolspecific`. If all transitions
//! have the same priority, and all or none are immediate, the set does not change. Priorities of
//! places, arcs and the net cannot be compared, so they are refused. Rates, weights and
//! probabilities do not change the set, except for the rate 0, which is refused like a time.

use super::{Unreadable, elements, name, optional_attribute, trimmed};
use parikh_net::Assumption;
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// The treatment of times and priorities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeTreatment {
    /// A net with times or priorities is refused.
    #[default]
    Refused,
    /// Times and priorities are left out.
    LeftOut,
}

/// The times, priorities and rates of a net, and its tool data.
pub(crate) struct NetTiming {
    /// The assumptions made by ignoring tool data and rates, without repetition.
    assumptions: Vec<Assumption>,
    /// The first error about times or priorities; `None` if there is none. One kind of error is a
    /// time that limits when a transition fires. The second kind is a `priority` or `timed` of a
    /// transition that differs from the first transition's. The third kind is a time or a priority
    /// outside of all transitions.
    refusal: Option<Unreadable>,
}

impl NetTiming {
    /// Examines the transitions, places, arcs and tool data of a net and its pages.
    pub(crate) fn of(net: Node<'_, '_>) -> Self {
        let mut net_timing = NetTiming { assumptions: Vec::new(), refusal: None };
        let mut first_order = None;
        let mut worklist = vec![net];
        while let Some(container) = worklist.pop() {
            for node in elements(container) {
                match name(node) {
                    "page" => worklist.push(node),
                    "toolspecific" if optional_attribute(node, "tool") == Some("nupn") => {}
                    "toolspecific" => {
                        net_timing.record_tool_data(node);
                        net_timing.refuse_if_timed(node, "the net");
                    }
                    "transition" => net_timing.record_transition(node, &mut first_order),
                    "place" | "arc" => {
                        for inside in elements(node) {
                            if name(inside) == "toolspecific" {
                                net_timing.record_tool_data(inside);
                            }
                            if name(inside) == "toolspecific" || is_timing_element(name(inside)) {
                                net_timing.refuse_if_timed(inside, "a place or an arc");
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        net_timing
    }

    /// Returns the assumptions for answers about the net.
    ///
    /// # Errors
    /// When times or different priorities of transitions may change the reachable markings, unless
    /// they are left out.
    pub(crate) fn assumptions(self, times: TimeTreatment) -> Result<Vec<Assumption>, Unreadable> {
        let NetTiming { mut assumptions, refusal } = self;
        match (refusal, times) {
            (Some(refusal), TimeTreatment::Refused) => return Err(refusal),
            (Some(_), TimeTreatment::LeftOut) => assumptions.push(Assumption::Untimed),
            (None, _) => {}
        }
        Ok(assumptions)
    }

    /// Adds an assumption, unless it is already there.
    fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// Records the assumptions made by ignoring the tool data of a `toolspecific`.
    fn record_tool_data(&mut self, node: Node<'_, '_>) {
        let tool = optional_attribute(node, "tool").unwrap_or_default();
        self.assume(Assumption::ToolSpecific(tool.to_owned()));
        if tool_values(node).iter().any(|(key, _)| key == "probability") {
            self.assume(Assumption::Rates);
        }
    }

    /// Records a refusal of the net if `node`, an element outside of all transitions, has a time or
    /// a priority. `owner` says where, for the message.
    fn refuse_if_timed(&mut self, node: Node<'_, '_>, owner: &str) {
        let mut timing = TransitionTiming::default();
        timing.add(&tool_values(node));
        if timing.is_limited || timing.priority_and_timed != FiringOrder::default() {
            self.refuse(node, format!("a time or a priority of {owner}"));
        }
    }

    /// Records a refusal of the net at `node`, unless there already is one.
    fn refuse(&mut self, node: Node<'_, '_>, what: String) {
        let advice = "; --untimed ignores times and priorities";
        self.refusal.get_or_insert_with(|| Unreadable::at(node, what + advice));
    }

    /// Records the times and priorities of a transition. `first_order` has the values of `priority`
    /// and `timed` of the first transition, from its labels or its tool data. Those of later
    /// transitions must be equal. It is `None` before the first transition, which sets it.
    fn record_transition(&mut self, node: Node<'_, '_>, first_order: &mut Option<FiringOrder>) {
        let mut timing = TransitionTiming::default();
        if optional_attribute(node, "distribution").is_some() {
            timing.has_rate = true;
        }
        for inside in elements(node) {
            match name(inside) {
                "toolspecific" => {
                    self.record_tool_data(inside);
                    timing.add(&tool_values(inside));
                }
                "rate" => timing.add(&tool_values(inside)),
                other if is_timing_element(other) => timing.add(&tool_values(inside)),
                _ => {}
            }
        }
        if timing.has_rate {
            self.assume(Assumption::Rates);
        }
        let differs = *first_order.get_or_insert_with(|| timing.priority_and_timed.clone())
            != timing.priority_and_timed;
        let id = Quoted(optional_attribute(node, "id").unwrap_or_default());
        if timing.is_limited {
            let what = format!("the transition {id} has a time, which limits when it fires");
            self.refuse(node, what);
        } else if differs {
            let what =
                format!("expected the `priority` and `timed` of the transitions before {id}");
            self.refuse(node, what);
        }
    }
}

/// The values of `priority` and `timed` of a transition, from its labels or its tool data. Each is
/// `None` if the transition has no such value.
type FiringOrder = (Option<String>, Option<String>);

/// The times, priorities and rates of a transition.
#[derive(Default)]
struct TransitionTiming {
    /// The values of `priority` and `timed`, from labels or tool data.
    priority_and_timed: FiringOrder,
    /// True if a time limits when the transition fires.
    is_limited: bool,
    /// True if the transition has a rate, weight or probability.
    has_rate: bool,
}

impl TransitionTiming {
    /// Adds the priorities, times and rates among the keys and values of an element.
    fn add(&mut self, tool_values: &[(String, Option<String>)]) {
        for (key, value) in tool_values {
            let key = plain_key(key);
            let Some(value) = value else {
                // The value is in attributes or elements inside.
                self.is_limited |= match key.as_str() {
                    key if INTERVALS.contains(&key) => !is_endless(tool_values),
                    key => is_timing_key(key) || DISTRIBUTIONS.contains(&key),
                };
                self.add_rate(&key, "");
                continue;
            };
            let lower_case = value.to_ascii_lowercase();
            match key.as_str() {
                key if PRIORITIES.contains(&key) => self.priority_and_timed.0 = Some(value.clone()),
                "timed" => self.priority_and_timed.1 = Some(flag(&lower_case, ["true", "false"])),
                "immediate" => {
                    self.priority_and_timed.1 = Some(flag(&lower_case, ["false", "true"]))
                }
                "urgent" => self.is_limited |= !["false", "0", "no"].contains(&lower_case.as_str()),
                "invariant" => {
                    let end = lower_case.trim_start_matches(['<', '=', ' ']);
                    self.is_limited |= lower_case.starts_with('<') && !is_infinity(end);
                }
                "type" | "kind" => self.add_kind(&lower_case),
                key if DISTRIBUTIONS.contains(&key) => self.add_distribution(&lower_case),
                key if LEAST_TIMES.contains(&key) => {
                    self.is_limited |= !["", "0", "0.0"].contains(&lower_case.as_str());
                }
                key if GREATEST_TIMES.contains(&key) => {
                    self.is_limited |= !lower_case.is_empty() && !is_infinity(&lower_case);
                }
                key if INTERVALS.contains(&key) => {
                    self.is_limited |= !value.is_empty() || !is_endless(tool_values);
                }
                key => self.add_rate(key, value),
            }
        }
    }

    /// Adds a rate, weight or probability. Adds nothing for other keys.
    fn add_rate(&mut self, key: &str, value: &str) {
        let is_zero = value.parse::<f64>() == Ok(0.0);
        match key {
            "rate" | "rates" | "lambda" | "firingrate" => {
                self.has_rate = true;
                self.is_limited |= is_zero;
            }
            "weight" | "firingweight" | "probability" | "distributionparameters" => {
                self.has_rate = true;
            }
            _ => {}
        }
    }

    /// Adds a distribution of delays. Distributions that allow any delay do not limit firing.
    fn add_distribution(&mut self, kind: &str) {
        match kind {
            "" => {}
            "immediate" | "imm" => self.priority_and_timed.1 = Some("false".to_owned()),
            "exponential" | "exp" | "normal" | "gaussian" | "lognormal" | "gamma" | "weibull"
            | "undefined" | "none" => {
                self.priority_and_timed.1 = Some("true".to_owned());
                self.has_rate = true;
            }
            _ => self.is_limited = true,
        }
    }

    /// Adds the `type` or `kind` of a transition. Tools use these keys for other information, too,
    /// so other values have no effect.
    fn add_kind(&mut self, kind: &str) {
        match kind {
            "immediate" | "imm" | "exponential" | "exp" => self.add_distribution(kind),
            "timed" => self.add_distribution("exp"),
            "deterministic" | "det" | "uniform" | "general" | "gen" => self.is_limited = true,
            _ => {}
        }
    }
}

/// The keys of priorities.
const PRIORITIES: [&str; 5] = ["priority", "prio", "prioritylevel", "priorities", "pr"];

/// The keys for the shortest time that an enabled transition waits before it fires. The time 0 is
/// no limit.
const LEAST_TIMES: [&str; 15] = [
    "eft",
    "earliestfiringtime",
    "time",
    "duration",
    "firingtime",
    "firingduration",
    "firingdelay",
    "processingtime",
    "servicetime",
    "executiontime",
    "holdingtime",
    "waitingtime",
    "mintime",
    "mindelay",
    "minduration",
];

/// The keys for the longest time that an enabled transition waits before it fires. The time ∞ is no
/// limit.
const GREATEST_TIMES: [&str; 6] =
    ["lft", "latestfiringtime", "maxtime", "maxdelay", "maxduration", "deadline"];

/// The keys of intervals. The interval [0, ∞) is no limit.
const INTERVALS: [&str; 5] =
    ["delay", "interval", "timeinterval", "staticinterval", "firinginterval"];

/// The keys of distributions of delays.
const DISTRIBUTIONS: [&str; 3] = ["distributiontype", "distribution", "transitiontype"];

/// Returns the letters and digits of a key, in lower case and without other characters.
fn plain_key(key: &str) -> String {
    key.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_ascii_lowercase()
}

/// Returns true if the key, without signs and in lower case, states a time or a priority.
fn is_timing_key(key: &str) -> bool {
    let words: [&[&str]; 4] = [&PRIORITIES, &LEAST_TIMES, &GREATEST_TIMES, &INTERVALS];
    words.concat().contains(&key) || ["timed", "immediate", "urgent", "invariant"].contains(&key)
}

/// Returns true if an element of this name states a time or a priority.
pub(crate) fn is_timing_element(name: &str) -> bool {
    is_timing_key(&plain_key(name))
}

/// Returns the first of `names` for a true flag and the second for a false flag. A flag without
/// text is true. Returns other texts as they are.
fn flag(text: &str, names: [&str; 2]) -> String {
    match text {
        "" | "true" | "1" | "yes" => names[0].to_owned(),
        "false" | "0" | "no" => names[1].to_owned(),
        other => other.to_owned(),
    }
}

/// Returns the attributes and elements in a `toolspecific`, or in an element with a time or a rate,
/// with their values and texts. An element with an attribute `key` is listed under the value of
/// this attribute. The value is `None` for an element without text that has other attributes or
/// elements.
fn tool_values(node: Node<'_, '_>) -> Vec<(String, Option<String>)> {
    let is_label = |it: &Node<'_, '_>| {
        ["text", "value"].contains(&name(*it)) && optional_attribute(*it, "key").is_none()
    };
    let mut keys_and_values = Vec::new();
    for inside in node.descendants().filter(Node::is_element) {
        let own_attributes = || inside.attributes().filter(|it| it.namespace().is_none());
        keys_and_values
            .extend(own_attributes().map(|it| (it.name().to_owned(), Some(it.value().to_owned()))));
        // The `toolspecific` itself is no entry, and a text belongs to the element around it.
        if name(inside) == "toolspecific" && inside == node || inside != node && is_label(&inside) {
            continue;
        }
        let key = optional_attribute(inside, "key").unwrap_or_else(|| name(inside));
        let text = text_of(inside);
        let is_structured = own_attributes().any(|it| !["key", "id"].contains(&it.name()))
            || elements(inside).any(|it| !is_label(&it));
        let value = (!text.is_empty() || !is_structured).then_some(text);
        keys_and_values.push((key.to_owned(), value));
    }
    keys_and_values
}

/// Returns the text in an element, and in the `text` or `value` directly inside.
fn text_of(node: Node<'_, '_>) -> String {
    let pieces = |node: Node<'_, '_>| -> String {
        node.children().filter(Node::is_text).filter_map(|it| it.text()).collect()
    };
    let text_elements = elements(node).filter(|it| ["text", "value"].contains(&name(*it)));
    let text: String = std::iter::once(pieces(node)).chain(text_elements.map(pieces)).collect();
    trimmed(&text).to_owned()
}

fn is_infinity(text: &str) -> bool {
    ["infty", "infinity", "inf", "w", "omega", "∞"].contains(&text)
}

/// Returns true if the numbers (keys `cn` and `ci`, as in MathML) in an element describe the
/// interval [0, ∞).
fn is_endless(tool_values: &[(String, Option<String>)]) -> bool {
    let numbers = tool_values.iter().filter(|(key, _)| key == "cn" || key == "ci");
    let numbers: Vec<&str> = numbers.map(|(_, text)| text.as_deref().unwrap_or("")).collect();
    matches!(&numbers[..], ["0" | "0.0", upper_end] if is_infinity(upper_end))
}
