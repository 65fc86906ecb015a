//! The 21 keys of a net by our own computation: fifteen from the structure, four as goals for the
//! engines, and LIVE and REVERSIBLE from the whole reachability graph, or from a dead marking that
//! settles them.

use super::{Property, Truth};
use crate::answer::{Answer, Plan, Value};
use crate::engine::explicit::Incomplete;
use crate::engine::explicit::graph::{Graph, Search};
use crate::evidence::{first_breach, replay};
use crate::mcc::Examination;
use crate::run::{self, Config, Event};
use crate::structure::keys::{Key, KeyVerdict, structural_keys};
use parikh_net::{Facts, FiringSequence, Marking, Net, Predicate};
use parikh_solvers::Budget;
use std::cell::OnceCell;
use std::time::Duration;

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

/// The keys of a net, as far as they were found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// One for each key that was wanted.
    pub keys: Vec<Computed>,
    /// Claims that failed their check and were dropped: bugs of ours.
    pub faults: usize,
    /// How a marking broke the model's claim that its units are safe (NUPN), if one did.
    pub breach: Option<String>,
}

/// Finds the keys of `wanted`, in their order but for REVERSIBLE and LIVE, which come last, and
/// those that rest on the model's claim of safe units, which come after them; each is handed to
/// `tell` as soon as it is known. What `budget` does not suffice for is unknown.
///
/// The claim is held against every marking that is replayed or, for REVERSIBLE and LIVE, visited.
/// Once it is broken, what rested on it is found out again without it.
pub fn compute(
    net: &Net,
    wanted: &[Property],
    config: &Config,
    budget: &Budget,
    mut tell: impl FnMut(&Computed),
) -> Findings {
    let unclaimed = OnceCell::new();
    let mut computation = Computation {
        net,
        unclaimed: &unclaimed,
        config,
        budget,
        dead: None,
        starved: None,
        faults: 0,
        breach: None,
    };
    let mut keys = Vec::new();
    let mut assumed = Vec::new();
    let mut take = |computed: Computed, assumed: &mut Vec<Computed>| {
        if computed.assumes_units {
            assumed.push(computed);
        } else {
            tell(&computed);
            keys.push(computed);
        }
    };
    if wanted.iter().any(|property| matches!(property, Property::Structural(_))) {
        let structural = structural(net).filter(|computed| wanted.contains(&computed.property));
        structural.for_each(|computed| take(computed, &mut assumed));
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
        let computed = computation.by_goals(property, &budget.portion(1.0 / left as f64));
        take(computed, &mut assumed);
    }
    // What is known to be in doubt comes before the graph, which may take all the time.
    for again in [false, true] {
        if computation.breach.is_some() {
            for computed in std::mem::take(&mut assumed) {
                let property = computed.property;
                let computed = match property {
                    Property::Reversible | Property::Live => computation.by_graph(&[property]),
                    _ => vec![computation.by_goals(property, &budget.portion(0.5))],
                };
                computed.into_iter().for_each(|computed| take(computed, &mut assumed));
            }
        }
        if !again {
            let found = computation.by_graph(&by_graph);
            found.into_iter().for_each(|computed| take(computed, &mut assumed));
        }
    }
    for computed in assumed {
        tell(&computed);
        keys.push(computed);
    }
    Findings { keys, faults: computation.faults, breach: computation.breach }
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

struct Computation<'a> {
    /// The net, without the model's claim of safe units once that is broken.
    net: &'a Net,
    /// The place for that one.
    unclaimed: &'a OnceCell<Net>,
    config: &'a Config,
    budget: &'a Budget,
    /// A sequence to a dead marking, once one is known, and who found it.
    dead: Option<(FiringSequence, Vec<&'static str>)>,
    /// That some transition is never enabled, once that is known.
    starved: Option<Computed>,
    faults: usize,
    /// How the claim was broken.
    breach: Option<String>,
}

impl<'a> Computation<'a> {
    /// Nothing is assumed of the units any more.
    fn drop_claim(&mut self, breach: Option<String>) {
        let Some(breach) = breach else { return };
        let net = self.net;
        self.net = self.unclaimed.get_or_init(|| net.without_unit_claim());
        self.breach.get_or_insert(breach);
        self.starved.take_if(|starved| starved.assumes_units);
    }

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
        let report = run::run(self.net, plan, self.config, budget, |event| {
            if let Event::Answered(found) = event {
                answer = Some(found.clone());
            }
        });
        self.faults += report.faults;
        self.drop_claim(report.breach);
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
            (Property::Deadlock, true) => {
                let techniques = found.techniques.clone();
                self.dead = found.trace.clone().map(|sequence| (sequence, techniques));
            }
            (Property::DeadTransitions, true) if !(assumes_units && self.breach.is_some()) => {
                self.starved = Some(found.clone());
            }
            _ => {}
        }
        found
    }

    /// One question per place; the first place that is never marked ends the search.
    fn dead_places(&mut self, budget: &Budget) -> Computed {
        let mut plan = Plan::default();
        for place in self.net.places() {
            plan.ask_exists(self.net.place_name(place), Predicate::at_least(place, 1));
        }
        let budget = budget.child();
        let mut dead: Option<Answer> = None;
        let mut techniques = std::collections::BTreeSet::new();
        let report = run::run(self.net, plan, self.config, &budget, |event| {
            if let Event::Answered(answer) = event {
                techniques.extend(answer.techniques.iter().copied());
                if answer.value == Value::Bool(false) && dead.is_none() {
                    dead = Some(answer.clone());
                    budget.cancel();
                }
            }
        });
        self.faults += report.faults;
        self.drop_claim(report.breach);
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

    fn by_graph(&mut self, wanted: &[Property]) -> Vec<Computed> {
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
        // Most graphs that can be made at all are made at once; of the others some are infinite.
        let early = self.explore(&self.budget.slice(Duration::from_millis(500)));
        let explored = match early {
            Ok(graph) => Ok(graph),
            Err(_) => match run::find_pump(self.net, self.config, self.budget) {
                Some((prefix, pump)) => Err(format!(
                    "infinitely many markings can be reached: after {} firings, {} more can repeat \
                     for ever and add tokens each time",
                    prefix.firings(),
                    pump.firings()
                )),
                None => self
                    .explore(self.budget)
                    .map_err(|why| format!("{why} before all reachable markings were visited")),
            },
        };
        let mut graph = match explored {
            Ok(graph) => graph,
            Err(why) => {
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
                Ok(Some((text, sequence))) => {
                    self.refuted(property, text, sequence, vec!["EXPLICIT"])
                }
            });
        }
        known
    }

    /// The reachability graph. Each of its markings is held against the model's claim of safe units.
    fn explore(&mut self, budget: &Budget) -> Result<Graph<'a>, Incomplete> {
        let net = self.net;
        let mut breaking = None;
        let units = net.units().filter(|units| units.safe());
        let breaks = |marking: &Marking| units.is_some_and(|units| units.breach(marking).is_some());
        let search = units.map(|_| Search { wanted: &breaks, found: &mut breaking });
        // Packing takes the claim for a hint; what does not fit is packed anew.
        let explored = Graph::explore_looking(net, &Facts::claimed_by_model(net), budget, search);
        if let Some(breach) = breaking.and_then(|found| first_breach(net, &found, u64::MAX)) {
            tracing::warn!(
                "the model's NUPN claim is false: {breach}; nothing is assumed of its units any more"
            );
            self.drop_claim(Some(breach));
        }
        explored
    }

    /// What a dead marking or a dead transition says of LIVE and REVERSIBLE.
    fn by_what_is_known(&mut self, property: Property) -> Option<Computed> {
        let net = self.net;
        let dead = self.dead.clone();
        match property {
            Property::Live if net.transition_count() > 0 => {
                if let Some((sequence, by)) = dead {
                    let text = "a dead marking can be reached".to_owned();
                    return Some(self.refuted(property, text, sequence, by));
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
            Property::Reversible
                if dead.as_ref().is_some_and(|(sequence, _)| !sequence.is_empty()) =>
            {
                let text = "a dead marking other than the initial one can be reached".to_owned();
                let (sequence, by) = dead?;
                Some(self.refuted(property, text, sequence, by))
            }
            _ => None,
        }
    }

    /// A "no" with its firing sequence, which is replayed on the net first.
    fn refuted(
        &mut self,
        property: Property,
        explanation: String,
        sequence: FiringSequence,
        techniques: Vec<&'static str>,
    ) -> Computed {
        if let Err(error) = replay(self.net, &sequence) {
            self.faults += 1;
            tracing::error!(
                "internal error: a sequence against {property} does not replay: {error}"
            );
            return unknown(property, "an internal error: the evidence did not replay".into());
        }
        Computed {
            property,
            value: Truth::False,
            explanation,
            techniques,
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

pub(super) fn unknown(property: Property, explanation: String) -> Computed {
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

    fn values(net: &str) -> Vec<(Property, Truth)> {
        let net = text::parse(net).unwrap();
        let wanted: Vec<Property> = Property::all().skip(15).collect();
        let budget = Budget::lasting(Duration::from_secs(20));
        let found = compute(&net, &wanted, &Config::default(), &budget, |_| {});
        assert_eq!(found.faults, 0);
        found.keys.into_iter().map(|computed| (computed.property, computed.value)).collect()
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
    fn a_net_without_bound_has_no_graph_and_says_so_long_before_the_time_is_over() {
        let net = text::parse("place p 1\nplace q\nplace r\ntransition t: p -> p + q\ntransition u: q -> r\ntransition v: r -> q").unwrap();
        let budget = Budget::lasting(Duration::from_secs(600));
        let wanted = [Property::Reversible, Property::Live];
        let found = compute(&net, &wanted, &Config::default(), &budget, |_| {});
        for computed in found.keys {
            assert_eq!(computed.value, Truth::Unknown);
            let why = computed.explanation;
            assert!(why.starts_with("infinitely many markings can be reached: after "), "{why}");
        }
        assert!(!budget.is_exhausted());
    }

    #[test]
    fn explanations_say_what_it_rests_on() {
        let find = |net: &str| {
            let net = text::parse(net).unwrap();
            let wanted: Vec<Property> = Property::all().skip(15).collect();
            let budget = Budget::lasting(Duration::from_secs(20));
            compute(&net, &wanted, &Config::default(), &budget, |_| {}).keys
        };
        let key = |keys: &[Computed], key: Property| {
            keys.iter().find(|found| found.property == key).unwrap().clone()
        };
        let source = find("place p\ntransition more: -> p\ntransition less: p ->");
        let expected = "no dead marking can be reached: transition `more` takes nothing and is always \
                        enabled";
        assert_eq!(key(&source, Property::Deadlock).explanation, expected);
        // Whoever found the dead marking is named for what follows from it.
        let dead = find("place p 2\nplace q\ntransition t: p -> q");
        let by = key(&dead, Property::Deadlock).techniques;
        assert!(!by.is_empty());
        assert_eq!(key(&dead, Property::Live).techniques, by);
        assert_eq!(key(&dead, Property::Reversible).techniques, by);
        let starved = find("place p 1\nplace q\ntransition t: p -> p\ntransition u: q -> q");
        assert!(!key(&starved, Property::Live).techniques.is_empty());
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
