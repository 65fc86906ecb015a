//! Workflow nets: nets that describe the handling of one case, from start to end.
//!
//! A workflow net has one source place (without producers), one sink place (without consumers), and
//! every node is on a path from the source to the sink. A case starts with a token in the source.
//! It ends with a token in the sink and no other token. For nets with explicit markings, as
//! process-mining tools write them, the same questions make sense even if they are not workflow
//! nets.
//!
//! # Sources
//! W. van der Aalst, *The application of Petri nets to workflow management*, 1998; W. van der Aalst
//! et al., *Soundness of workflow nets: classification, decidability, and analysis*, 2011.

use crate::evidence::words;
use parikh_net::{Assumption, Marking, Net, PlaceId, TransitionId};
use std::fmt;

/// The properties that decide whether a net is a workflow net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workflow {
    /// The places without producers.
    pub sources: Vec<PlaceId>,
    /// The places without consumers.
    pub sinks: Vec<PlaceId>,
    /// The nodes that no path from a source reaches.
    pub unreached: Nodes,
    /// The nodes without a path to a sink.
    pub endless: Nodes,
}

/// A set of nodes of a net.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The places.
    pub places: Vec<PlaceId>,
    /// The transitions.
    pub transitions: Vec<TransitionId>,
}

/// The reason why the net defines no case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCase {
    /// The initial marking of a case is unknown.
    #[error(
        "it is not known where a case begins: the model has no initial marking, and the net is no workflow \
         net: {0}; give the model an initial marking"
    )]
    Initial(String),
    /// The final marking of a case is unknown.
    #[error(
        "it is not known when a case is done: the model has no `<finalmarkings>`, and the net is no \
         workflow net: {0}; name the final marking with --final, for example --final '{1}'"
    )]
    Final(String, String),
    /// The model has more than one final marking.
    #[error("the model has {0} final markings; choose one with --final, for example --final '{1}'")]
    Several(usize, String),
    /// A place would hold too many tokens.
    #[error("{0} cases take more than 2^63 - 1 tokens to a place")]
    TooMany(u64),
}

impl Workflow {
    /// Analyses a net, in time linear in its size.
    pub fn of(net: &Net) -> Workflow {
        let sources: Vec<PlaceId> = net.places().filter(|&p| net.producers(p).is_empty()).collect();
        let sinks: Vec<PlaceId> = net.places().filter(|&p| net.consumers(p).is_empty()).collect();
        let unreached = beyond_reach(net, &sources, true);
        let endless = beyond_reach(net, &sinks, false);
        Workflow { unreached, endless, sources, sinks }
    }

    /// Returns the source and the sink, if the net is a workflow net.
    pub fn ends(&self) -> Option<(PlaceId, PlaceId)> {
        match (&self.sources[..], &self.sinks[..]) {
            (&[source], &[sink]) if self.unreached.is_empty() && self.endless.is_empty() => {
                Some((source, sink))
            }
            _ => None,
        }
    }

    /// Returns descriptions of the violated conditions of a workflow net; empty if it is one.
    pub fn lacks(&self, net: &Net) -> Vec<String> {
        let mut lacks = Vec::new();
        for (what, places) in [("source", &self.sources), ("sink", &self.sinks)] {
            match places.len() {
                1 => {}
                0 => lacks.push(format!("no {what} place")),
                n => lacks.push(format!(
                    "{n} {what} places ({})",
                    words::some(places, |&p| words::place(net, p))
                )),
            }
        }
        // Without a source or a sink there are no paths, so path conditions are not reported.
        if !self.sources.is_empty() && !self.sinks.is_empty() {
            for (nodes, off) in
                [(&self.unreached, "no path from a source"), (&self.endless, "no path to a sink")]
            {
                let named = nodes.named(net);
                let s = if named.len() == 1 { "" } else { "s" };
                if !named.is_empty() {
                    let some = words::some(&named, String::clone);
                    lacks.push(format!("{} node{s} on {off} ({some})", named.len()));
                }
            }
        }
        lacks
    }
}

impl Nodes {
    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.transitions.is_empty()
    }

    fn named(&self, net: &Net) -> Vec<String> {
        let places = self.places.iter().map(|&p| words::place(net, p));
        places.chain(self.transitions.iter().map(|&t| words::transition(net, t))).collect()
    }
}

/// Returns the nodes that are not reachable from these places, forwards (`ahead`) or backwards.
fn beyond_reach(net: &Net, from: &[PlaceId], ahead: bool) -> Nodes {
    let mut places = vec![false; net.place_count()];
    let mut transitions = vec![false; net.transition_count()];
    let mut waiting = from.to_vec();
    from.iter().for_each(|p| places[p.index()] = true);
    while let Some(p) = waiting.pop() {
        for arc in if ahead { net.consumers(p) } else { net.producers(p) } {
            let t = arc.transition;
            if std::mem::replace(&mut transitions[t.index()], true) {
                continue;
            }
            for arc in if ahead { net.post(t) } else { net.pre(t) } {
                if !std::mem::replace(&mut places[arc.place.index()], true) {
                    waiting.push(arc.place);
                }
            }
        }
    }
    Nodes {
        places: net.places().filter(|p| !places[p.index()]).collect(),
        transitions: net.transitions().filter(|t| !transitions[t.index()]).collect(),
    }
}

/// Returns what questions about cases assume about the final markings of `net`, and about where a
/// case begins; other final markings may be `given`. The net may have no case at all.
pub fn assumptions(net: &Net, is_given: bool) -> Vec<Assumption> {
    let ends = Workflow::of(net).ends();
    let mut all: Vec<Assumption> = assumed_source(net).map(|(_, it)| it).into_iter().collect();
    match (is_given, net.final_markings(), ends) {
        (true, [], _) | (false, [], None) => {}
        (true, ..) => all.push(Assumption::OtherFinalMarking),
        (false, [], Some((_, sink))) => {
            all.push(Assumption::FinalToken(net.place_name(sink).to_owned()));
        }
        (false, finals, _) if finals.iter().any(|last| last.total() == 0) => {
            all.push(Assumption::EmptyFinalMarking);
        }
        (false, ..) => {}
    }
    all
}

/// Returns the source of a workflow net without initial marking, and that its token is assumed.
fn assumed_source(net: &Net) -> Option<(PlaceId, Assumption)> {
    let (source, _) = Workflow::of(net).ends().filter(|_| net.initial().total() == 0)?;
    Some((source, Assumption::InitialToken(net.place_name(source).to_owned())))
}

/// Returns the net with a token in its source, and says that it is assumed, if the net is a
/// workflow net without initial marking.
pub fn with_assumed_token(net: &Net) -> Option<Net> {
    let (source, assumption) = assumed_source(net)?;
    let mut marking = Marking::empty(net.place_count());
    marking[source] = 1;
    Some(net.from_marking(marking).assuming([assumption]))
}

/// Returns the net that handles `cases` cases. Its initial marking is the model's, or a token in
/// the source. Its final marking is `chosen`, or the model's, or a token in the sink. Both are
/// multiplied by `cases`.
///
/// # Errors
/// Returns the reason why there is no such net.
pub fn cases(net: &Net, cases: u64, chosen: Option<&Marking>) -> Result<Net, NoCase> {
    let workflow = Workflow::of(net);
    let ends = workflow.ends();
    let one = |place: PlaceId| {
        let mut marking = Marking::empty(net.place_count());
        marking[place] = 1;
        marking
    };
    let lacks = || workflow.lacks(net).join("; ");
    let example = || {
        let place = workflow.sinks.first().copied().or_else(|| net.places().next_back());
        place.map_or("p".to_owned(), |p| parikh_net::marking_text::print(net, &one(p)))
    };
    let initial = match (net.initial().total(), ends) {
        (0, Some((source, _))) => one(source),
        (0, None) => return Err(NoCase::Initial(lacks())),
        _ => net.initial().clone(),
    };
    let done = match (chosen, net.final_markings(), ends) {
        (Some(chosen), ..) => chosen.clone(),
        (None, [one], _) => one.clone(),
        (None, [], Some((_, sink))) => one(sink),
        (None, [], None) => return Err(NoCase::Final(lacks(), example())),
        (None, all, _) => {
            let first = parikh_net::marking_text::print(net, &all[0]);
            return Err(NoCase::Several(all.len(), first));
        }
    };
    let times = |marking: Marking| {
        let times = |&tokens: &u64| {
            tokens.checked_mul(cases).filter(|&tokens| tokens <= Marking::MAX_TOKENS)
        };
        let tokens: Option<Vec<u64>> = marking.tokens().iter().map(times).collect();
        tokens.map(Marking::new).ok_or(NoCase::TooMany(cases))
    };
    Ok(net.from_marking(times(initial)?).with_final_markings(vec![times(done)?]))
}

/// Returns the net with its final marking, if it is recognisable as a process. Either it has
/// exactly one final marking, or it is a workflow net whose initial tokens are only in its source
/// (or absent). The final marking then has as many tokens in the sink.
pub fn recognised(net: &Net) -> Option<Net> {
    if net.folding().is_some() || net.translation().is_some() {
        return None;
    }
    match net.final_markings() {
        [done] if done.total() > 0 => cases(net, 1, None).ok(),
        [] => {
            let (source, sink) = Workflow::of(net).ends()?;
            let initial = net.initial();
            let begun = initial[source].max(1);
            if initial.total() > u128::from(initial[source]) || source == sink {
                return None;
            }
            let mut done = Marking::empty(net.place_count());
            done[sink] = begun;
            cases(net, 1, Some(&done)).ok()
        }
        _ => None,
    }
}

impl fmt::Display for Workflow {
    /// Writes whether the net is a workflow net, without names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.ends().is_some() { "a workflow net" } else { "no workflow net" })
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
            recognised(&net(text)).map(|net| {
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
    fn what_a_net_lacks_to_be_a_workflow_net_is_said() {
        let lacks = |text: &str| {
            let net = net(text);
            let workflow = Workflow::of(&net);
            assert_eq!(workflow.ends().is_some(), workflow.lacks(&net).is_empty());
            workflow.lacks(&net).join("; ")
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
        let two = cases(&plain, 2, None).unwrap();
        assert_eq!(both(&two), (m([2, 0, 0]), vec![m([0, 0, 2])]));
        let named = plain.clone().with_final_markings(vec![m([0, 1, 0])]);
        let own = named.from_marking(m([3, 0, 0]));
        assert_eq!(both(&cases(&own, 1, None).unwrap()), (m([3, 0, 0]), vec![m([0, 1, 0])]));
        let chosen = m([0, 0, 1]);
        assert_eq!(cases(&own, 1, Some(&chosen)).unwrap().final_markings(), [chosen]);
        let several = plain.clone().with_final_markings(vec![m([0, 1, 0]), m([0, 0, 1])]);
        assert_eq!(cases(&several, 1, None).unwrap_err(), NoCase::Several(2, "p".into()));
        assert!(matches!(cases(&plain, u64::MAX, None), Err(NoCase::TooMany(_))));
        let cycle = net("place i\nplace o\ntransition t: i -> o\ntransition u: o -> i");
        assert!(matches!(cases(&cycle, 1, None), Err(NoCase::Initial(_))));
        let error = cases(&cycle.from_marking(Marking::new(vec![1, 0])), 1, None).unwrap_err();
        assert!(error.to_string().contains("no source place; no sink place"), "{error}");
        assert!(error.to_string().contains("--final 'o'"), "{error}");
    }
}
