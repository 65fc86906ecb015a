//! Times, priorities and rates of transitions, and tool data.
//!
//! Priorities, and times that limit when a transition fires, change the set of reachable markings.
//! A net with them is refused, or read without them if the caller requests it. They occur in
//! elements of the net (`priority`, `timed`, `delay`, `interval`), or in the attributes and
//! elements of a `toolspecific`. If all transitions have the same priority, and all or none are
//! immediate, the set does not change. Rates, weights and probabilities never change it.

use super::{Unreadable, elements, name, optional, trimmed};
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
    /// The error for the first transition with a time that limits when it fires, or whose
    /// `priority` or `timed` differs from that of the first transition. `None` if the net has no
    /// such transition.
    refusal: Option<Unreadable>,
}

impl NetTiming {
    /// Examines a net and its pages.
    pub(crate) fn of(net: Node<'_, '_>) -> Self {
        let mut net_timing = NetTiming { assumptions: Vec::new(), refusal: None };
        let mut first_order = None;
        let mut unopened = vec![net];
        while let Some(container) = unopened.pop() {
            for node in elements(container) {
                match name(node) {
                    "page" => unopened.push(node),
                    "toolspecific" if optional(node, "tool") == Some("nupn") => {}
                    "toolspecific" => net_timing.tool(node),
                    "place" | "arc" | "transition" => {
                        elements(node)
                            .filter(|it| name(*it) == "toolspecific")
                            .for_each(|tool| net_timing.tool(tool));
                        if name(node) == "transition" {
                            net_timing.transition(node, &mut first_order);
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

    fn assume(&mut self, assumption: Assumption) {
        if !self.assumptions.contains(&assumption) {
            self.assumptions.push(assumption);
        }
    }

    /// Records the assumptions made by ignoring the tool data of a `toolspecific`.
    fn tool(&mut self, node: Node<'_, '_>) {
        let tool = optional(node, "tool").unwrap_or_default();
        self.assume(Assumption::ToolSpecific(tool.to_owned()));
        if tool_values(node).iter().any(|(key, _)| key == "probability") {
            self.assume(Assumption::Rates);
        }
    }

    /// Records the times and priorities of a transition. `first_order` has the values of `priority`
    /// and `timed` of the first transition, from its labels or its tool data. Those of later
    /// transitions must be equal. It is `None` before the first transition, which sets it.
    fn transition(&mut self, node: Node<'_, '_>, first_order: &mut Option<FiringOrder>) {
        let mut timing = TransitionTiming::default();
        if optional(node, "distribution").is_some() {
            timing.has_rate = true;
        }
        for inside in elements(node) {
            match name(inside) {
                "priority" => timing.order.0 = Some(text_of(inside)),
                "timed" => timing.order.1 = Some(text_of(inside).to_ascii_lowercase()),
                "rate" => timing.has_rate = true,
                "delay" | "interval" if !is_endless(&tool_values(inside)) => {
                    timing.is_limited = true
                }
                "toolspecific" => timing.add(&tool_values(inside)),
                _ => {}
            }
        }
        if timing.has_rate {
            self.assume(Assumption::Rates);
        }
        let differs = *first_order.get_or_insert_with(|| timing.order.clone()) != timing.order;
        if (timing.is_limited || differs) && self.refusal.is_none() {
            let id = Quoted(optional(node, "id").unwrap_or_default());
            let what = match timing.is_limited {
                true => format!("the transition {id} has a time, which limits when it fires"),
                false => {
                    format!("expected the `priority` and `timed` of the transitions before {id}")
                }
            };
            self.refusal =
                Some(Unreadable::at(node, what + "; --untimed ignores times and priorities"));
        }
    }
}

/// The values of `priority` and `timed` of a transition, from its labels or its tool data. Each is
/// `None` if the transition has no such value.
type FiringOrder = (Option<String>, Option<String>);

/// The times and priorities of a transition.
#[derive(Default)]
struct TransitionTiming {
    /// The values of `priority` and `timed`, from labels or tool data.
    order: FiringOrder,
    /// True if a time limits when the transition fires.
    is_limited: bool,
    /// True if the transition has a rate, weight or probability.
    has_rate: bool,
}

impl TransitionTiming {
    /// Adds the priorities, times and rates in tool data, which is a list of keys with values.
    fn add(&mut self, tool_values: &[(String, String)]) {
        for (key, value) in tool_values {
            let key: String = key.chars().filter(|c| c.is_alphanumeric()).collect();
            let lower_case = value.to_ascii_lowercase();
            match key.to_ascii_lowercase().as_str() {
                "priority" | "prio" | "prioritylevel" => self.order.0 = Some(value.clone()),
                "timed" => self.order.1 = Some(lower_case),
                "immediate" => self.order.1 = Some((lower_case != "true").to_string()),
                "distributiontype" | "distribution" | "transitiontype" => {
                    self.distribution(&lower_case)
                }
                "eft" | "earliestfiringtime" => {
                    self.is_limited |= !["", "0", "0.0"].contains(&lower_case.as_str());
                }
                "lft" | "latestfiringtime" => {
                    self.is_limited |= !lower_case.is_empty() && !is_infinity(&lower_case)
                }
                "delay" | "interval" | "timeinterval" | "staticinterval" => {
                    self.is_limited |= !value.is_empty() || !is_endless(tool_values);
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

    /// Adds a distribution of delays. Distributions that allow any delay do not limit firing.
    fn distribution(&mut self, kind: &str) {
        match kind {
            "" => {}
            "immediate" | "imm" => self.order.1 = Some("false".to_owned()),
            "exponential" | "exp" | "normal" | "gaussian" | "lognormal" | "gamma" | "weibull"
            | "undefined" | "none" => {
                self.order.1 = Some("true".to_owned());
                self.has_rate = true;
            }
            _ => self.is_limited = true,
        }
    }
}

/// Returns the attributes and elements in a `toolspecific` or a similar element, with their values
/// and texts. An element with an attribute `key` is listed under the value of this attribute.
fn tool_values(node: Node<'_, '_>) -> Vec<(String, String)> {
    let mut keys_and_values = Vec::new();
    for inside in node.descendants().filter(Node::is_element) {
        let own_attributes = inside.attributes().filter(|it| it.namespace().is_none());
        keys_and_values
            .extend(own_attributes.map(|it| (it.name().to_owned(), it.value().to_owned())));
        let is_label =
            inside.parent_element() != Some(node) && ["text", "value"].contains(&name(inside));
        if inside != node && !is_label {
            let key = optional(inside, "key").unwrap_or_else(|| name(inside));
            keys_and_values.push((key.to_owned(), text_of(inside)));
        }
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

/// Returns true if the numbers (`cn` or `ci`) in an element describe the interval [0, ∞).
fn is_endless(tool_values: &[(String, String)]) -> bool {
    let numbers = tool_values.iter().filter(|(key, _)| key == "cn" || key == "ci");
    let numbers: Vec<&str> = numbers.map(|(_, text)| text.as_str()).collect();
    matches!(&numbers[..], ["0" | "0.0", upper_end] if is_infinity(upper_end))
}
