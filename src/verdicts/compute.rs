//! The 21 keys of a net by our own computation: fifteen from the structure, four as goals for the
//! engines, and LIVE and REVERSIBLE from the whole reachability graph, or from a dead marking that
//! settles them.

use super::{Property, Truth};
use crate::answer::{Answer, Plan, Value};
use crate::evidence::replay;
use crate::explicit::graph::Graph;
use crate::mcc::Examination;
use crate::pipeline::{self, Config, Event};
use crate::structure::keys::{Key, KeyVerdict, structural_keys};
use parikh_net::{Facts, FiringSequence, Net, Predicate};
use parikh_solvers::Budget;

/// What was found of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed {
    /// The key.
    pub property: Property,
    /// Whether the net has the property.
    pub value: Truth,
    /// Why, or why it is not known; a sentence without full stop.
    pub explanation: String,
    /// The engines it rests on.
    pub techniques: Vec<&'static str>,
    /// Whether it rests on the model's own claim that its units are safe (NUPN).
    pub assumes_units: bool,
    /// A firing sequence that shows it, where one does.
    pub trace: Option<FiringSequence>,
}

/// Finds the keys of `wanted`, in their order but for REVERSIBLE and LIVE, which come last; each
/// is handed to `tell` as soon as it is known. What `budget` does not suffice for is unknown.
pub fn compute(
    net: &Net,
    wanted: &[Property],
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(&Computed),
) -> Vec<Computed> {
    let mut computation = Computation { net, config, budget, dead: None, starved: None };
    let mut found = Vec::new();
    if wanted.iter().any(|property| matches!(property, Property::Structural(_))) {
        for verdict in structural(net) {
            if wanted.contains(&verdict.property) {
                tell(&verdict);
                found.push(verdict);
            }
        }
    }
    let mut by_graph = Vec::new();
    let mut goals = Vec::new();
    for &property in wanted {
        match property {
            Property::Structural(_) => {}
            Property::Reversible | Property::Live => by_graph.push(property),
            property => goals.push(property),
        }
    }
    for (index, &property) in goals.iter().enumerate() {
        // The graph is one more question.
        let left = goals.len() - index + usize::from(!by_graph.is_empty());
        let verdict = computation.by_goals(property, &share(budget, left));
        tell(&verdict);
        found.push(verdict);
    }
    for verdict in computation.by_graph(&by_graph) {
        tell(&verdict);
        found.push(verdict);
    }
    found
}

/// The structural keys in the form of this module: the one place that knows both.
fn structural(net: &Net) -> impl Iterator<Item = Computed> {
    let reads_units = |key| key == Key::NestedUnits && net.units().is_some();
    structural_keys(net).into_iter().map(move |KeyVerdict { key, value, explanation }| Computed {
        property: Property::Structural(key),
        value: value.into(),
        explanation,
        techniques: vec![if reads_units(key) { "USE_NUPN" } else { "TOPOLOGICAL" }],
        assumes_units: false,
        trace: None,
    })
}

/// One part of the time left, when there are `parts` of them.
fn share(budget: &Budget, parts: usize) -> Budget {
    match budget.remaining() {
        Some(left) => budget.slice(left / parts.max(1) as u32),
        None => budget.child(),
    }
}

struct Computation<'a> {
    net: &'a Net,
    config: &'a Config,
    budget: &'a Budget,
    /// A sequence to a dead marking, once one is known.
    dead: Option<FiringSequence>,
    /// That some transition is never enabled, once that is known.
    starved: Option<Computed>,
}

impl Computation<'_> {
    fn by_goals(&mut self, property: Property, budget: &Budget) -> Computed {
        if property == Property::DeadPlaces {
            return self.dead_places(budget);
        }
        let (examination, positive) = match property {
            Property::Deadlock => (Examination::ReachabilityDeadlock, true),
            Property::Safe => (Examination::OneSafe, true),
            _ => (Examination::QuasiLiveness, false),
        };
        // These three have a plan of their own.
        let plan = Plan::of_examination(examination, self.net).unwrap_or_default();
        let mut answer: Option<Answer> = None;
        let report = pipeline::run(self.net, plan, self.config, budget, |event| {
            if let Event::Answered(found) = event {
                answer = Some(found.clone());
            }
        });
        let Some(answer) = answer else {
            let why = report.unanswered.into_iter().next().map(|question| question.reason);
            return unknown(property, why.unwrap_or_else(|| "the engines disagree".into()));
        };
        let holds = (answer.value == Value::Bool(true)) == positive;
        let explanation = match (property, holds) {
            (Property::Safe, true) if answer.assumes_units => {
                "no place can hold two tokens, if the model's units are safe (NUPN), as it claims"
                    .to_owned()
            }
            (Property::Safe, true) => "no place can hold two tokens".to_owned(),
            (Property::DeadTransitions, false) => "every transition can be enabled".to_owned(),
            (Property::Deadlock, _) => {
                let why = answer.reason.trim_start_matches("a dead marking: ");
                let whether = if holds { "a dead marking" } else { "no dead marking" };
                format!("{whether} can be reached: {why}")
            }
            _ => answer.reason,
        };
        let trace = answer.witness.map(|(_, sequence)| sequence);
        let assumes_units = answer.assumes_units;
        let techniques = techniques_of(answer.techniques, assumes_units);
        let value = holds.into();
        let found = Computed { property, value, explanation, techniques, assumes_units, trace };
        match (property, holds) {
            (Property::Deadlock, true) => self.dead.clone_from(&found.trace),
            (Property::DeadTransitions, true) => self.starved = Some(found.clone()),
            _ => {}
        }
        found
    }

    /// One question per place; the first place that is never marked ends the search.
    fn dead_places(&self, budget: &Budget) -> Computed {
        let mut plan = Plan::default();
        for place in self.net.places() {
            plan.ask_exists(self.net.place_name(place), Predicate::at_least(place, 1));
        }
        let budget = budget.child();
        let mut dead: Option<Answer> = None;
        let mut techniques = std::collections::BTreeSet::new();
        let report = pipeline::run(self.net, plan, self.config, &budget, |event| {
            if let Event::Answered(answer) = event {
                techniques.extend(answer.techniques.iter().copied());
                if answer.value == Value::Bool(false) && dead.is_none() {
                    dead = Some(answer.clone());
                    budget.cancel();
                }
            }
        });
        let property = Property::DeadPlaces;
        if let Some(Answer { id, reason, techniques: by, assumes_units, .. }) = dead {
            let explanation = if reason.starts_with("place `") {
                format!("{reason}, so it is never marked")
            } else {
                format!("place `{id}` is never marked: {reason}")
            };
            let techniques = techniques_of(by, assumes_units);
            let value = Truth::True;
            let trace = None;
            return Computed { property, value, explanation, techniques, assumes_units, trace };
        }
        match report.unanswered.first() {
            None if report.answered == self.net.place_count() => Computed {
                property,
                value: Truth::False,
                explanation: "every place can be marked".into(),
                techniques: techniques.into_iter().collect(),
                assumes_units: false,
                trace: None,
            },
            first => {
                let why = first.map_or("the engines disagree", |question| &question.reason);
                let open = report.unanswered.len();
                unknown(property, format!("{why}; {open} places are left"))
            }
        }
    }

    fn by_graph(&self, wanted: &[Property]) -> Vec<Computed> {
        let (mut known, mut open) = (Vec::new(), Vec::new());
        for &property in wanted {
            match self.by_what_is_known(property) {
                Some(computed) => known.push(computed),
                None => open.push(property),
            }
        }
        if open.is_empty() {
            return known;
        }
        let facts = Facts::from_model(self.net);
        let explored = Graph::explore(self.net, &facts, self.budget);
        let mut graph = match explored {
            Ok(graph) => graph,
            Err(why) => {
                let why = format!("{why} before all reachable markings were visited");
                known.extend(open.into_iter().map(|property| unknown(property, why.clone())));
                return known;
            }
        };
        let states = graph.states();
        for property in open {
            let lost = match property {
                Property::Reversible => Ok(graph.no_return().map(|sequence| {
                    let firings = sequence.firings();
                    let text = format!(
                        "after {firings} firings the initial marking cannot be reached any more"
                    );
                    (text, sequence)
                })),
                _ => {
                    let own: Vec<u32> = self.net.transitions().map(|t| t.index() as u32).collect();
                    graph.never_again(&own, own.len()).map(|lost| {
                        let (t, sequence) = lost?;
                        let t = parikh_net::TransitionId::new(t as usize);
                        let text = format!(
                            "after {} firings transition `{}` can never be enabled again",
                            sequence.firings(),
                            self.net.transition_name(t)
                        );
                        Some((text, sequence))
                    })
                }
            };
            known.push(match lost {
                Err(why) => unknown(property, why.to_string()),
                Ok(None) => Computed {
                    property,
                    value: Truth::True,
                    explanation: format!("all {states} reachable markings were visited"),
                    techniques: vec!["EXPLICIT"],
                    assumes_units: false,
                    trace: None,
                },
                Ok(Some((text, sequence))) => self.refuted(property, text, sequence, "EXPLICIT"),
            });
        }
        known
    }

    /// What a dead marking or a dead transition says of LIVE and REVERSIBLE.
    fn by_what_is_known(&self, property: Property) -> Option<Computed> {
        let net = self.net;
        let dead = self.dead.as_ref();
        match property {
            Property::Live if net.transition_count() > 0 => {
                if let Some(sequence) = dead {
                    let text = "a dead marking can be reached".to_owned();
                    return Some(self.refuted(property, text, sequence.clone(), "RANDOM_WALK"));
                }
                let starved = self.starved.as_ref()?;
                Some(Computed {
                    property,
                    value: Truth::False,
                    explanation: format!(
                        "a transition can never be enabled: {}",
                        starved.explanation
                    ),
                    ..starved.clone()
                })
            }
            // A dead initial marking is the only one; then the graph is quickly made.
            Property::Reversible if dead.is_some_and(|sequence| !sequence.is_empty()) => {
                let text = "a dead marking other than the initial one can be reached".to_owned();
                Some(self.refuted(property, text, dead?.clone(), "RANDOM_WALK"))
            }
            _ => None,
        }
    }

    /// A "no" with its firing sequence, which is replayed on the net first.
    fn refuted(
        &self,
        property: Property,
        explanation: String,
        sequence: FiringSequence,
        technique: &'static str,
    ) -> Computed {
        if let Err(error) = replay(self.net, &sequence) {
            tracing::error!(
                "internal error: a sequence against {property} does not replay: {error}"
            );
            return unknown(property, "an internal error: the evidence did not replay".into());
        }
        Computed {
            property,
            value: Truth::False,
            explanation,
            techniques: vec![technique],
            assumes_units: false,
            trace: Some(sequence),
        }
    }
}

/// What the engines used, and the model's claim if it was.
fn techniques_of(mut engines: Vec<&'static str>, assumes_units: bool) -> Vec<&'static str> {
    engines.extend(assumes_units.then_some("USE_NUPN"));
    engines
}

fn unknown(property: Property, explanation: String) -> Computed {
    Computed {
        property,
        value: Truth::Unknown,
        explanation,
        techniques: Vec::new(),
        assumes_units: false,
        trace: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;
    use std::time::Duration;

    fn values(net: &str) -> Vec<(Property, Truth)> {
        let net = text::parse(net).unwrap();
        let wanted: Vec<Property> = Property::all().skip(15).collect();
        let budget = Budget::lasting(Duration::from_secs(20));
        let found = compute(&net, &wanted, &Config::default(), &budget, |_| {});
        found.into_iter().map(|computed| (computed.property, computed.value)).collect()
    }

    #[test]
    fn a_cycle_has_every_good_property() {
        let found = values("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let expected = [
            (Property::Safe, Truth::True),
            (Property::DeadPlaces, Truth::False),
            (Property::DeadTransitions, Truth::False),
            (Property::Deadlock, Truth::False),
            (Property::Reversible, Truth::True),
            (Property::Live, Truth::True),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_line_with_a_dead_end_has_none() {
        let found = values(
            "place p 2\nplace q\nplace r\nplace s\ntransition t: p -> q\ntransition u: r -> s",
        );
        let expected = [
            (Property::Safe, Truth::False),
            (Property::DeadPlaces, Truth::True),
            (Property::DeadTransitions, Truth::True),
            (Property::Deadlock, Truth::True),
            (Property::Reversible, Truth::False),
            (Property::Live, Truth::False),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_dead_beginning_is_reversible_and_a_net_without_transitions_is_live() {
        let found = values("place p\nplace q\ntransition t: p -> q");
        assert!(found.contains(&(Property::Reversible, Truth::True)), "{found:?}");
        assert!(found.contains(&(Property::Live, Truth::False)), "{found:?}");
        let found = values("place p 1");
        assert!(found.contains(&(Property::Live, Truth::True)), "{found:?}");
    }

    #[test]
    fn reversible_and_live_are_told_apart() {
        let found = values(
            "place a 1\nplace b\nplace c\ntransition x: a -> b\ntransition y: b -> c\n\
             transition z: c -> b",
        );
        assert!(found.contains(&(Property::Reversible, Truth::False)), "{found:?}");
        assert!(found.contains(&(Property::Live, Truth::False)), "{found:?}");
        assert!(found.contains(&(Property::Deadlock, Truth::False)), "{found:?}");
    }
}
