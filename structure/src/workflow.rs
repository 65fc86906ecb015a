//! Workflow nets: nets that describe the handling of one case, from start to end.
//!
//! A workflow net has one source place (without producers) and one sink place (without consumers).
//! Every node is on a path from the source to the sink. A case starts with a token in the source.
//! It ends with a token in the sink and no other token. For nets with explicit markings, as
//! process-mining tools write them, the same questions make sense even if they are not workflow
//! nets.
//!
//! # Sources
//! W. van der Aalst, *The application of Petri nets to workflow management*, 1998; W. van der Aalst
//! et al., *Soundness of workflow nets: classification, decidability, and analysis*, 2011.

use parikh_evidence::description;
use parikh_net::{Assumption, Marking, Net, PlaceId, TransitionId};
use std::collections::BTreeSet;
use std::fmt;

/// The properties that decide whether a net is a workflow net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workflow {
    /// The places without producers.
    pub sources: Vec<PlaceId>,
    /// The places without consumers.
    pub sinks: Vec<PlaceId>,
    /// The nodes that no path from a source reaches.
    pub unreached: WorkflowNodes,
    /// The nodes without a path to a sink.
    pub endless: WorkflowNodes,
}

/// A set of nodes of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkflowNodes {
    /// The places.
    pub places: Vec<PlaceId>,
    /// The transitions.
    pub transitions: Vec<TransitionId>,
}

/// The reason why the initial or the final marking of the requested cases cannot be determined. A
/// case is one execution of the workflow process.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// The initial marking of a case is unknown. The field lists the violated conditions of a
    /// workflow net.
    #[error(
        "the initial marking of a case is unknown: the model has no initial marking, and the net \
         is not a workflow net: {0}; give the model an initial marking"
    )]
    Initial(String),
    /// The final marking of a case is unknown. The fields are the violated conditions of a workflow
    /// net, and an example of a final marking.
    #[error(
        "the final marking of a case is unknown: the model has no `<finalmarkings>`, and the net \
         is not a workflow net: {0}; name the final marking with --final, for example --final '{1}'"
    )]
    Final(String, String),
    /// Cases that end in different final markings have too many final markings together. The fields
    /// are the number of cases and the number of final markings of one case.
    #[error(
        "{0} cases that each end in one of {1} final markings have more than {MOST_FINALS} \
         combined final markings: use fewer cases, or fewer final markings with --final"
    )]
    TooManyFinals(u64, usize),
    /// A place would hold too many tokens. The field is the number of cases.
    #[error("{0} cases need more than 2^63 - 1 tokens on a place")]
    TooMany(u64),
}

impl Workflow {
    /// Analyses a net, in time linear in its size.
    pub fn of(net: &Net) -> Workflow {
        let sources: Vec<PlaceId> = net.places().filter(|&p| net.producers(p).is_empty()).collect();
        let sinks: Vec<PlaceId> = net.places().filter(|&p| net.consumers(p).is_empty()).collect();
        let unreached = unreached_nodes(net, &sources, true);
        let endless = unreached_nodes(net, &sinks, false);
        Workflow { unreached, endless, sources, sinks }
    }

    /// Returns the source and the sink, if the net is a workflow net.
    pub fn source_and_sink(&self) -> Option<(PlaceId, PlaceId)> {
        match (&self.sources[..], &self.sinks[..]) {
            (&[source], &[sink]) if self.unreached.is_empty() && self.endless.is_empty() => {
                Some((source, sink))
            }
            _ => None,
        }
    }

    /// Returns descriptions of the conditions of a workflow net that the net violates. Empty for a
    /// workflow net.
    pub fn violated_conditions(&self, net: &Net) -> Vec<String> {
        let mut violations = Vec::new();
        for (kind, places) in [("source", &self.sources), ("sink", &self.sinks)] {
            match places.len() {
                1 => {}
                0 => violations.push(format!("no {kind} place")),
                n => violations.push(format!(
                    "{n} {kind} places ({})",
                    description::join_first(places, |&p| description::place(net, p))
                )),
            }
        }
        // Without a source or a sink there are no paths, so path conditions are not reported.
        if !self.sources.is_empty() && !self.sinks.is_empty() {
            for (nodes, missing_path) in
                [(&self.unreached, "no path from a source"), (&self.endless, "no path to a sink")]
            {
                let names = nodes.named(net);
                let s = if names.len() == 1 { "" } else { "s" };
                if !names.is_empty() {
                    let examples = description::join_first(&names, String::clone);
                    violations
                        .push(format!("{} node{s} on {missing_path} ({examples})", names.len()));
                }
            }
        }
        violations
    }
}

impl WorkflowNodes {
    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty()
    }

    /// Returns the names of the nodes, places first.
    fn named(&self, net: &Net) -> Vec<String> {
        let places = self.places.iter().map(|&p| description::place(net, p));
        places.chain(self.transitions.iter().map(|&t| description::transition(net, t))).collect()
    }
}

/// Returns the nodes that no path from `start` reaches. The paths follow the arcs (`forwards`), or
/// go against them.
fn unreached_nodes(net: &Net, start: &[PlaceId], forwards: bool) -> WorkflowNodes {
    let mut reached_places = vec![false; net.place_count()];
    let mut reached_transitions = vec![false; net.transition_count()];
    let mut pending = start.to_vec();
    start.iter().for_each(|p| reached_places[p.index()] = true);
    while let Some(p) = pending.pop() {
        for arc in if forwards { net.consumers(p) } else { net.producers(p) } {
            let t = arc.transition;
            if std::mem::replace(&mut reached_transitions[t.index()], true) {
                continue;
            }
            for arc in if forwards { net.post(t) } else { net.pre(t) } {
                if !std::mem::replace(&mut reached_places[arc.place.index()], true) {
                    pending.push(arc.place);
                }
            }
        }
    }
    WorkflowNodes {
        places: net.places().filter(|p| !reached_places[p.index()]).collect(),
        transitions: net.transitions().filter(|t| !reached_transitions[t.index()]).collect(),
    }
}

/// Returns the assumptions that questions about cases make: about the final markings of `net`, and
/// about the initial marking of a case. `is_given` is true if the user gives the final markings.
/// For a net without final markings that is not a workflow net, the list has no assumption about
/// final markings.
pub fn assumptions(net: &Net, is_given: bool) -> Vec<Assumption> {
    let ends = Workflow::of(net).source_and_sink();
    let mut assumed: Vec<Assumption> =
        assumed_token(net).map(|(_, assumption)| assumption).into_iter().collect();
    match (is_given, net.final_markings(), ends) {
        (true, [], _) | (false, [], None) => {}
        (true, ..) => assumed.push(Assumption::OtherFinalMarking),
        (false, [], Some((_, sink))) => {
            assumed.push(Assumption::FinalToken(net.place_name(sink).to_owned()));
        }
        (false, finals, _) if finals.iter().any(|final_marking| final_marking.total() == 0) => {
            assumed.push(Assumption::EmptyFinalMarking);
        }
        (false, ..) => {}
    }
    assumed
}

/// Returns the marking with one token in the source of a workflow net without initial marking, and
/// the assumption of this token. Returns `None` for other nets.
pub fn assumed_token(net: &Net) -> Option<(Marking, Assumption)> {
    let (source, _) = Workflow::of(net).source_and_sink().filter(|_| net.initial().total() == 0)?;
    let mut marking = Marking::empty(net.place_count());
    marking[source] = 1;
    Some((marking, Assumption::InitialToken(net.place_name(source).to_owned())))
}

/// Limit on the number of final markings of several cases together.
const MOST_FINALS: usize = 1_000;

/// Returns the net that begins with `cases` cases. Its final markings are the markings in which all
/// of these cases are done, see [`initial_and_final_markings`].
///
/// # Errors
/// The errors of [`initial_and_final_markings`].
pub fn cases(net: &Net, cases: u64, chosen: &[Marking]) -> Result<Net, CaseError> {
    let (initial, finals) = initial_and_final_markings(net, cases, chosen)?;
    let assumed = assumptions(net, !chosen.is_empty());
    Ok(net.from_marking(initial).with_final_markings(finals).assuming(assumed))
}

/// Returns the marking in which `cases` cases begin, and the markings in which all of them are
/// done.
///
/// One case begins in the initial marking of `net`, or else with a token in the source. It is done
/// in any of the markings `chosen`, or else in any final marking of `net`, or else with a token in
/// the sink. Several cases begin with as many times the tokens. They are done in every sum of as
/// many final markings, since each case may end in another final marking.
///
/// # Errors
/// Returns an error if one of these markings is unknown or too large, or if there are too many
/// final markings.
pub fn initial_and_final_markings(
    net: &Net,
    cases: u64,
    chosen: &[Marking],
) -> Result<(Marking, Vec<Marking>), CaseError> {
    let workflow = Workflow::of(net);
    let source_and_sink = workflow.source_and_sink();
    let one_token_on = |place: PlaceId| {
        let mut marking = Marking::empty(net.place_count());
        marking[place] = 1;
        marking
    };
    let violated = || workflow.violated_conditions(net).join("; ");
    let example_marking = || {
        let place = workflow.sinks.first().copied().or_else(|| net.places().next_back());
        place.map_or("p".to_owned(), |p| parikh_net::marking_text::print(net, &one_token_on(p)))
    };
    let initial = match (net.initial().total(), source_and_sink) {
        (0, Some((source, _))) => one_token_on(source),
        (0, None) => return Err(CaseError::Initial(violated())),
        _ => net.initial().clone(),
    };
    let final_markings_of_case = match (chosen, net.final_markings(), source_and_sink) {
        ([], [], Some((_, sink))) => vec![one_token_on(sink)],
        ([], [], None) => return Err(CaseError::Final(violated(), example_marking())),
        ([], finals, _) => finals.to_vec(),
        (chosen, ..) => chosen.to_vec(),
    };
    let all_begun = multiplied(&initial, cases).ok_or(CaseError::TooMany(cases))?;
    let finals = match &final_markings_of_case[..] {
        [first, others @ ..] if others.iter().all(|other| other == first) => {
            vec![multiplied(first, cases).ok_or(CaseError::TooMany(cases))?]
        }
        several => sums_of_finals(several, cases)?,
    };
    Ok((all_begun, finals))
}

/// Returns the marking with `count` times the tokens. Returns `None` if a place would hold too many
/// tokens.
fn multiplied(marking: &Marking, count: u64) -> Option<Marking> {
    let multiply =
        |&tokens: &u64| tokens.checked_mul(count).filter(|&tokens| tokens <= Marking::MAX_TOKENS);
    marking.tokens().iter().map(multiply).collect::<Option<Vec<u64>>>().map(Marking::new)
}

/// Returns the distinct sums of `count` of the markings, which must not all be equal. Each may
/// occur several times in a sum. For one case, returns `markings` in the given order.
fn sums_of_finals(markings: &[Marking], count: u64) -> Result<Vec<Marking>, CaseError> {
    if markings.len() > MOST_FINALS {
        return Err(CaseError::TooManyFinals(count, markings.len()));
    }
    let mut sums: BTreeSet<Vec<u64>> =
        markings.iter().map(|marking| marking.tokens().to_vec()).collect();
    // If two of the markings differ, there are at least n + 1 sums of n markings, so the limit
    // stops the loop early.
    for _ in 1..count {
        let mut next_sums = BTreeSet::new();
        for (sum, marking) in
            sums.iter().flat_map(|sum| markings.iter().map(move |marking| (sum, marking)))
        {
            let added = sum.iter().zip(marking.tokens()).map(|(a, b)| a.checked_add(*b));
            let added =
                added.map(|token_sum| token_sum.filter(|&tokens| tokens <= Marking::MAX_TOKENS));
            next_sums.insert(added.collect::<Option<Vec<u64>>>().ok_or(CaseError::TooMany(count))?);
            if next_sums.len() > MOST_FINALS {
                return Err(CaseError::TooManyFinals(count, markings.len()));
            }
        }
        sums = next_sums;
    }
    match count {
        // The order of the model is kept.
        1 => Ok(markings.to_vec()),
        _ => Ok(sums.into_iter().map(Marking::new).collect()),
    }
}

/// Returns the net as the net of a process, if the net itself shows when a case is done; otherwise
/// `None`.
///
/// This is so if the net has final markings, none of which is empty. The net must then also show
/// how a case begins: by its initial marking or as a workflow net.
///
/// It is also so for a workflow net with different source and sink that begins with tokens in its
/// source alone, or without tokens. A case is then done with as many tokens in the sink, at least
/// one.
///
/// The net must have the shape of the model. So for a model with inhibitor or reset arcs, `net` is
/// the core and not the translated net. An unfolding gives `None`.
pub fn as_process(net: &Net) -> Option<Net> {
    if net.folding().is_some() || net.translation().is_some() {
        return None;
    }
    match net.final_markings() {
        [_, ..] => match net.final_markings().iter().all(|final_marking| final_marking.total() > 0)
        {
            true => cases(net, 1, &[]).ok(),
            false => None,
        },
        [] => {
            let (source, sink) = Workflow::of(net).source_and_sink()?;
            let initial = net.initial();
            let case_count = initial[source].max(1);
            if initial.total() > u128::from(initial[source]) || source == sink {
                return None;
            }
            let mut final_marking = Marking::empty(net.place_count());
            final_marking[sink] = case_count;
            cases(net, 1, &[final_marking]).ok()
        }
    }
}

impl fmt::Display for Workflow {
    /// Writes "a workflow net" or "no workflow net", without names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.source_and_sink().is_some() {
            "a workflow net"
        } else {
            "no workflow net"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net(text: &str) -> Net {
        text::parse(text).unwrap()
    }

    #[test]
    fn a_process_shows_by_its_shape_or_its_final_marking() {
        let ends = |text: &str| {
            as_process(&net(text)).map(|net| {
                let one = |marking: &Marking| parikh_net::marking_text::print(&net, marking);
                (one(net.initial()), one(&net.final_markings()[0]))
            })
        };
        let both = |i: &str, o: &str| Some((i.to_owned(), o.to_owned()));
        assert_eq!(ends("place i\nplace o\ntransition t: i -> o"), both("i", "o"));
        assert_eq!(ends("place i 3\nplace o\ntransition t: i -> o"), both("3*i", "3*o"));
        // With other tokens, a cycle or an isolated place, the final marking is unknown.
        assert_eq!(ends("place i 1\nplace o 1\ntransition t: i -> o"), None);
        assert_eq!(ends("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p"), None);
        assert_eq!(ends("place p 1"), None);
    }

    #[test]
    fn equal_final_markings_count_once() {
        let net = net("place i\nplace o\ntransition t: i -> o");
        let end = Marking::new(vec![0, 1]);
        let count = 1_000_000_000_000_000_000;
        let (_, finals) = initial_and_final_markings(&net, count, &[end.clone(), end]).unwrap();
        assert_eq!(finals, [Marking::new(vec![0, count])]);
    }

    #[test]
    fn violated_conditions_of_workflow_nets_are_listed() {
        let lacks = |text: &str| {
            let net = net(text);
            let workflow = Workflow::of(&net);
            assert_eq!(
                workflow.source_and_sink().is_some(),
                workflow.violated_conditions(&net).is_empty()
            );
            workflow.violated_conditions(&net).join("; ")
        };
        assert_eq!(lacks("place i\nplace o\ntransition t: i -> o"), "");
        assert_eq!(
            lacks("place i\nplace j\nplace o\ntransition t: i + j -> o"),
            "2 source places (`i`, `j`)"
        );
        assert_eq!(lacks("place i\ntransition t: i -> i"), "no source place; no sink place");
        assert_eq!(
            lacks("place i\nplace o\nplace x\ntransition t: i -> o\ntransition u: x -> x"),
            "2 nodes on no path from a source (`x`, `u`); 2 nodes on no path to a sink (`x`, `u`)"
        );
        assert_eq!(
            lacks("place i\nplace o\ntransition t: i -> o\ntransition u: -> o"),
            "1 node on no path from a source (`u`)"
        );
        assert_eq!(
            lacks("place i\nplace o\ntransition t: i -> o\ntransition u: i ->"),
            "1 node on no path to a sink (`u`)"
        );
    }

    #[test]
    fn markings_are_the_models_or_else_one_token_at_either_end() {
        let plain = net("place i\nplace p\nplace o\ntransition t: i -> p\ntransition u: p -> o");
        let both = |net: &Net| (net.initial().clone(), net.final_markings().to_vec());
        let m = |tokens: [u64; 3]| Marking::new(tokens.to_vec());
        let two = cases(&plain, 2, &[]).unwrap();
        assert_eq!(both(&two), (m([2, 0, 0]), vec![m([0, 0, 2])]));
        let named = plain.clone().with_final_markings(vec![m([0, 1, 0])]);
        let own = named.from_marking(m([3, 0, 0]));
        assert_eq!(both(&cases(&own, 1, &[]).unwrap()), (m([3, 0, 0]), vec![m([0, 1, 0])]));
        let chosen = m([0, 0, 1]);
        let only = std::slice::from_ref(&chosen);
        assert_eq!(cases(&own, 1, only).unwrap().final_markings(), only);
        let several = plain.clone().with_final_markings(vec![m([0, 1, 0]), m([0, 0, 1])]);
        let ends = |cases| initial_and_final_markings(&several, cases, &[]);
        assert_eq!(ends(1).unwrap().1, [m([0, 1, 0]), m([0, 0, 1])]);
        // Each of two cases may end in another marking.
        assert_eq!(ends(2).unwrap().1, [m([0, 0, 2]), m([0, 1, 1]), m([0, 2, 0])]);
        assert_eq!(ends(1_000_000).unwrap_err(), CaseError::TooManyFinals(1_000_000, 2));
        assert!(matches!(cases(&plain, u64::MAX, &[]), Err(CaseError::TooMany(_))));
        let cycle = net("place i\nplace o\ntransition t: i -> o\ntransition u: o -> i");
        assert!(matches!(cases(&cycle, 1, &[]), Err(CaseError::Initial(_))));
        let error = cases(&cycle.from_marking(Marking::new(vec![1, 0])), 1, &[]).unwrap_err();
        assert!(error.to_string().contains("no source place; no sink place"), "{error}");
        assert!(error.to_string().contains("--final 'o'"), "{error}");
    }
}
