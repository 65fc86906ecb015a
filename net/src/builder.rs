//! Construction of a net. Nodes and arcs are added in any order and checked when they are added.
//! The compact tables of arcs are made at the end.

use crate::assumption::{self, Assumption};
use crate::coloured::Folding;
use crate::features::Features;
use crate::id::{EffectId, PlaceId, TransitionId};
use crate::marking::Marking;
use crate::names::Names;
use crate::net::{Arc, Change, Net, PlaceArc, Rows};
use crate::table::{Table, hash};
use crate::translation::Translation;
use crate::units::Units;
use std::collections::BTreeMap;

/// The reason why a node, an arc or the whole net is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Two nodes have the same id. Places and transitions share one set of ids.
    #[error("the id `{0}` is used by two nodes")]
    DuplicateId(String),
    /// An id is empty.
    #[error("a node has an empty id")]
    EmptyId,
    /// More than 2⁶³ − 1 tokens. Contains the id of the place and the number of tokens.
    #[error("place `{0}`: {1} tokens are more than 2^63 - 1")]
    TooManyTokens(String, u64),
    /// An arc of weight 0. Contains the ids of the place and of the transition.
    #[error("the arc between `{0}` and `{1}` has weight 0, expected at least 1")]
    ZeroWeight(String, String),
    /// An arc of a weight above 2⁶³ − 1, or parallel arcs whose weights add up to more. Contains
    /// the ids of the place and of the transition.
    #[error("the arcs between `{0}` and `{1}` together weigh more than 2^63 - 1")]
    WeightTooLarge(String, String),
    /// The net has 2³² or more nodes, 2³² − 1 or more arcs in one direction, or names of more than
    /// 4 GiB.
    #[error("the net has more than 2^32 - 1 nodes or arcs, or names of more than 4 GiB")]
    TooLarge,
}

/// An arc as the builder collects it, with the indices of its nodes.
#[derive(Clone, Copy)]
struct RawArc {
    transition: u32,
    place: u32,
    /// Number of tokens moved.
    weight: u64,
}

/// A net under construction, to which nodes and arcs are added in any order.
#[derive(Default)]
pub struct NetBuilder {
    name: String,
    /// The net's label. Empty if it has none.
    label: String,
    places: Names,
    transitions: Names,
    /// The labels of places, without labels that equal the place's id.
    place_labels: Vec<(PlaceId, Box<str>)>,
    /// The labels of transitions, without labels that equal the transition's id.
    transition_labels: Vec<(TransitionId, Box<str>)>,
    tokens: Vec<u64>,
    /// The arcs from places to transitions.
    pre: Vec<RawArc>,
    /// The arcs from transitions to places.
    post: Vec<RawArc>,
    units: Option<Units>,
    /// The coloured places and transitions from which the net was unfolded; `None` for other nets.
    folding: Option<Folding>,
    /// The relation to the net with inhibitor or reset arcs that this net represents; `None` for
    /// other nets.
    translation: Option<Translation>,
    /// The features that were added explicitly. [`build`](Self::build) adds the features that
    /// follow from the arcs.
    features: Features,
    /// The assumptions about the model, sorted, without repetition.
    assumptions: Vec<Assumption>,
}

/// A node found by its id. Places and transitions share one space of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NetNode {
    /// The id is a place's.
    Place(PlaceId),
    /// The id is a transition's.
    Transition(TransitionId),
}

impl NetBuilder {
    /// Makes an empty net with this name.
    pub fn new(name: impl Into<String>) -> Self {
        NetBuilder { name: name.into(), ..NetBuilder::default() }
    }

    /// Copies all nodes and arcs of `net` in order, with its name, labels, features, initial
    /// marking and assumptions. Units, final markings, folding and translation are not copied.
    ///
    /// # Errors
    /// None for a net that a builder made.
    pub fn of(net: &Net) -> Result<Self, BuildError> {
        let mut builder = NetBuilder::new(net.name());
        builder.label = net.label.clone();
        builder.add_features(net.features());
        net.assumptions().iter().for_each(|it| builder.assume(it.clone()));
        for place in net.places() {
            let added = builder.place(net.place_name(place), net.initial()[place])?;
            if let Some(label) = net.place_label(place) {
                builder.label_place(added, label);
            }
        }
        for t in net.transitions() {
            let added = builder.transition(net.transition_name(t))?;
            if let Some(label) = net.transition_label(t) {
                builder.label_transition(added, label);
            }
            net.pre(t).iter().try_for_each(|arc| builder.take(added, arc.place, arc.weight))?;
            net.post(t).iter().try_for_each(|arc| builder.put(added, arc.place, arc.weight))?;
        }
        Ok(builder)
    }

    /// Adds features that do not follow from the arcs.
    pub fn add_features(&mut self, features: Features) {
        self.features = self.features.and(features);
    }

    /// Adds an assumption about the model, unless the net has it already.
    pub fn assume(&mut self, assumption: Assumption) {
        assumption::add(&mut self.assumptions, assumption);
    }

    /// Renames the net.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// Gives the net a label, that is, a name shown to users. Blanks around the label are dropped,
    /// and other blanks become spaces.
    pub fn set_label(&mut self, label: &str) {
        self.label = label.trim().replace(char::is_whitespace, " ");
    }

    /// Adds a place with its initial tokens.
    ///
    /// # Errors
    /// If the id is empty or taken, if there are too many tokens, or if the net has too many nodes
    /// or names.
    pub fn place(&mut self, id: &str, tokens: u64) -> Result<PlaceId, BuildError> {
        if tokens > Marking::MAX_TOKENS {
            return Err(BuildError::TooManyTokens(id.to_owned(), tokens));
        }
        let place = PlaceId::new(self.places.len());
        let hash = self.check_new_id(id)?;
        self.places.push_hashed(id, hash).map_err(|_| BuildError::TooLarge)?;
        self.tokens.push(tokens);
        Ok(place)
    }

    /// Adds a transition.
    ///
    /// # Errors
    /// If the id is empty or taken, or if the net has too many nodes or names.
    pub fn transition(&mut self, id: &str) -> Result<TransitionId, BuildError> {
        let transition = TransitionId::new(self.transitions.len());
        let hash = self.check_new_id(id)?;
        self.transitions.push_hashed(id, hash).map_err(|_| BuildError::TooLarge)?;
        Ok(transition)
    }

    /// Checks that an id is free and not empty, and that one more node is possible. Returns the
    /// hash of the id.
    fn check_new_id(&self, id: &str) -> Result<u32, BuildError> {
        if id.is_empty() {
            return Err(BuildError::EmptyId);
        }
        if self.places.len() + self.transitions.len() >= u32::MAX as usize {
            return Err(BuildError::TooLarge);
        }
        let hash = hash(id);
        match self.node_hashed(id, hash) {
            None => Ok(hash),
            Some(_) => Err(BuildError::DuplicateId(id.to_owned())),
        }
    }

    /// Sets the label of a place. Must be called at most once per place. A label that equals the id
    /// is not kept.
    pub fn label_place(&mut self, p: PlaceId, label: &str) {
        if label != self.places.get(p.index()) {
            self.place_labels.push((p, label.into()));
        }
    }

    /// Sets the label of a transition. Must be called at most once per transition. A label that
    /// equals the id is not kept.
    pub fn label_transition(&mut self, t: TransitionId, label: &str) {
        if label != self.transitions.get(t.index()) {
            self.transition_labels.push((t, label.into()));
        }
    }

    /// Sets the initial tokens of a place.
    ///
    /// # Errors
    /// If `tokens` exceeds 2⁶³ − 1.
    pub fn set_tokens(&mut self, p: PlaceId, tokens: u64) -> Result<(), BuildError> {
        if tokens > Marking::MAX_TOKENS {
            return Err(BuildError::TooManyTokens(self.places.get(p.index()).to_owned(), tokens));
        }
        self.tokens[p.index()] = tokens;
        Ok(())
    }

    /// Adds an input arc: `t` consumes `weight` tokens from `p`. Several arcs between the same two
    /// nodes add up.
    ///
    /// # Errors
    /// When the weight is 0 or above 2⁶³ − 1.
    pub fn take(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        let arc = self.checked_arc(t, p, weight)?;
        self.pre.push(arc);
        Ok(())
    }

    /// Adds an output arc: `t` produces `weight` tokens on `p`. Several arcs between the same two
    /// nodes add up.
    ///
    /// # Errors
    /// When the weight is 0 or above 2⁶³ − 1.
    pub fn put(&mut self, t: TransitionId, p: PlaceId, weight: u64) -> Result<(), BuildError> {
        let arc = self.checked_arc(t, p, weight)?;
        self.post.push(arc);
        Ok(())
    }

    /// Checks that an arc between these nodes may have this weight.
    pub(crate) fn check_weight(
        &self,
        t: TransitionId,
        p: PlaceId,
        weight: u64,
    ) -> Result<(), BuildError> {
        self.checked_arc(t, p, weight).map(|_| ())
    }

    /// Returns the total weight of the input arcs added so far, for each transition and place that
    /// is a key of `pairs`. Keys without an arc are left out.
    pub(crate) fn input_weights(
        &self,
        pairs: &BTreeMap<(TransitionId, PlaceId), u64>,
    ) -> BTreeMap<(TransitionId, PlaceId), u128> {
        let mut weights = BTreeMap::new();
        for arc in &self.pre {
            let pair =
                (TransitionId::new(arc.transition as usize), PlaceId::new(arc.place as usize));
            if pairs.contains_key(&pair) {
                *weights.entry(pair).or_default() += u128::from(arc.weight);
            }
        }
        weights
    }

    fn checked_arc(&self, t: TransitionId, p: PlaceId, weight: u64) -> Result<RawArc, BuildError> {
        if weight == 0 {
            let (place, transition) = self.ids_of_arc(t.index(), p.index());
            return Err(BuildError::ZeroWeight(place, transition));
        }
        if weight > Marking::MAX_TOKENS {
            let (place, transition) = self.ids_of_arc(t.index(), p.index());
            return Err(BuildError::WeightTooLarge(place, transition));
        }
        Ok(RawArc { transition: t.index() as u32, place: p.index() as u32, weight })
    }

    fn ids_of_arc(&self, t: usize, p: usize) -> (String, String) {
        (self.places.get(p).to_owned(), self.transitions.get(t).to_owned())
    }

    /// Returns the node with this id, if it was added.
    pub fn node(&self, id: &str) -> Option<NetNode> {
        self.node_hashed(id, hash(id))
    }

    fn node_hashed(&self, id: &str, hash: u32) -> Option<NetNode> {
        let place = self.places.find_hashed(id, hash).map(PlaceId::new).map(NetNode::Place);
        place.or_else(|| {
            self.transitions.find_hashed(id, hash).map(TransitionId::new).map(NetNode::Transition)
        })
    }

    /// Returns the number of places added so far.
    pub fn place_count(&self) -> usize {
        self.places.len()
    }

    /// Returns the id of a place.
    pub fn place_name(&self, p: PlaceId) -> &str {
        self.places.get(p.index())
    }

    /// Returns the initial marking of the places added so far.
    pub fn initial(&self) -> Marking {
        Marking::new(self.tokens.clone())
    }

    /// Attaches the nested units. They must have been made by [`Units::new`] for the places of this
    /// net.
    pub fn set_units(&mut self, units: Units) {
        self.units = Some(units);
    }

    /// Attaches the coloured places and transitions from which the net was unfolded.
    pub fn set_folding(&mut self, folding: Folding) {
        self.folding = Some(folding);
    }

    /// Attaches the relation to the net with inhibitor or reset arcs that this net represents.
    pub fn set_translation(&mut self, translation: Translation) {
        self.translation = Some(translation);
    }

    /// Builds the net.
    ///
    /// # Errors
    /// If parallel arcs together exceed 2⁶³ − 1, or there are too many arcs.
    pub fn build(mut self) -> Result<Net, BuildError> {
        if self.pre.len().max(self.post.len()) >= u32::MAX as usize {
            return Err(BuildError::TooLarge);
        }
        let places = self.places.len();
        let transitions = self.transitions.len();

        let mut raw_arcs = std::mem::take(&mut self.pre);
        merge_parallel(&mut raw_arcs).map_err(|arc| self.weight_error(arc))?;
        let pre = rows_by_transition(transitions, &raw_arcs);
        let consumers = rows_by_place(places, &raw_arcs);
        drop(raw_arcs);
        let mut raw_arcs = std::mem::take(&mut self.post);
        merge_parallel(&mut raw_arcs).map_err(|arc| self.weight_error(arc))?;
        let post = rows_by_transition(transitions, &raw_arcs);
        let producers = rows_by_place(places, &raw_arcs);
        drop(raw_arcs);

        if pre.entries().iter().chain(post.entries()).any(|arc| arc.weight > 1) {
            self.features = self.features.and(Features::WEIGHTS);
        }
        let (effect_of, effects, classes) = effect_classes(transitions, &pre, &post);
        self.place_labels.sort_by_key(|&(place, _)| place);
        self.transition_labels.sort_by_key(|&(transition, _)| transition);
        Ok(Net {
            name: self.name,
            label: self.label,
            place_names: self.places,
            transition_names: self.transitions,
            place_labels: self.place_labels,
            transition_labels: self.transition_labels,
            pre,
            post,
            consumers,
            producers,
            effect_of,
            effects,
            classes,
            features: self.features,
            assumptions: self.assumptions,
            initial: Marking::new(self.tokens),
            final_markings: Vec::new(),
            units: self.units,
            folding: self.folding.map(std::sync::Arc::new),
            translation: self.translation.map(std::sync::Arc::new),
        })
    }

    fn weight_error(&self, arc: RawArc) -> BuildError {
        let (place, transition) = self.ids_of_arc(arc.transition as usize, arc.place as usize);
        BuildError::WeightTooLarge(place, transition)
    }
}

/// Sorts arcs by (transition, place) and adds up parallel arcs. Returns an arc as the error if the
/// weights of its parallel arcs add up to more than 2⁶³ − 1.
fn merge_parallel(arcs: &mut Vec<RawArc>) -> Result<(), RawArc> {
    // Most readers add arcs transition by transition; then only the arcs of each transition are
    // sorted.
    match arcs.is_sorted_by_key(|arc| arc.transition) {
        true => arcs
            .chunk_by_mut(|a, b| a.transition == b.transition)
            .for_each(|row| row.sort_unstable_by_key(|arc| arc.place)),
        false => arcs.sort_unstable_by_key(|arc| (arc.transition, arc.place)),
    }
    let mut overflow = None;
    arcs.dedup_by(|later, kept| {
        let is_parallel = later.transition == kept.transition && later.place == kept.place;
        if is_parallel {
            match kept.weight.checked_add(later.weight) {
                Some(sum) if sum <= Marking::MAX_TOKENS => kept.weight = sum,
                _ => overflow = Some(*kept),
            }
        }
        is_parallel
    });
    overflow.map_or(Ok(()), Err)
}

/// Cuts arcs sorted by (transition, place) into one row per transition.
fn rows_by_transition(transitions: usize, arcs: &[RawArc]) -> Rows<Arc> {
    let mut rows = Rows::with_capacity(transitions, arcs.len());
    let mut arcs_left = arcs.iter().peekable();
    for t in 0..transitions as u32 {
        while let Some(arc) = arcs_left.next_if(|arc| arc.transition == t) {
            rows.push(Arc { place: PlaceId::new(arc.place as usize), weight: arc.weight });
        }
        rows.end_row();
    }
    rows
}

/// Converts arcs sorted by (transition, place) to one row per place, each by ascending transition.
fn rows_by_place(places: usize, arcs: &[RawArc]) -> Rows<PlaceArc> {
    // Counting sort: `next_position` is the position of the next arc of each place.
    let mut next_position = vec![0u32; places + 1];
    arcs.iter().for_each(|arc| next_position[arc.place as usize + 1] += 1);
    for place in 1..=places {
        next_position[place] += next_position[place - 1];
    }
    let mut order = vec![0u32; arcs.len()];
    for (arc_index, arc) in (0..).zip(arcs) {
        let slot = &mut next_position[arc.place as usize];
        order[*slot as usize] = arc_index;
        *slot += 1;
    }
    let mut rows = Rows::with_capacity(places, arcs.len());
    let mut sorted_arcs = order.into_iter().map(|arc_index| arcs[arc_index as usize]).peekable();
    for p in 0..places as u32 {
        while let Some(arc) = sorted_arcs.next_if(|arc| arc.place == p) {
            let transition = TransitionId::new(arc.transition as usize);
            rows.push(PlaceArc { transition, weight: arc.weight });
        }
        rows.end_row();
    }
    rows
}

/// The effect class of each transition, the changes of tokens by each class, and the transitions of
/// each class. An effect class contains all transitions with the same effect.
type EffectClasses = (Vec<EffectId>, Rows<Change>, Rows<TransitionId>);

/// Groups transitions by post − pre. Classes are numbered in the order of their first transitions.
fn effect_classes(transitions: usize, pre: &Rows<Arc>, post: &Rows<Arc>) -> EffectClasses {
    let mut class_table = Table::default();
    let mut effects: Rows<Change> = Rows::with_capacity(transitions, transitions * 2);
    let (mut class_count, mut delta) = (0u32, Vec::new());
    let mut effect_of = Vec::with_capacity(transitions);
    for t in 0..transitions {
        difference(pre.row(t), post.row(t), &mut delta);
        let hash = hash(&delta);
        let class =
            class_table.find(hash, |class| *effects.row(class) == *delta).unwrap_or_else(|| {
                class_table.insert(hash, class_count);
                delta.iter().for_each(|&change| effects.push(change));
                effects.end_row();
                class_count += 1;
                class_count as usize - 1
            });
        effect_of.push(EffectId::new(class));
    }
    let mut order: Vec<TransitionId> = (0..transitions).map(TransitionId::new).collect();
    order.sort_by_key(|t| effect_of[t.index()]);
    let mut classes = Rows::with_capacity(class_count as usize, transitions);
    let mut sorted_transitions = order.into_iter().peekable();
    for class in 0..class_count as usize {
        while let Some(t) = sorted_transitions.next_if(|t| effect_of[t.index()].index() == class) {
            classes.push(t);
        }
        classes.end_row();
    }
    (effect_of, effects, classes)
}

/// Computes post − pre of two rows sorted by place, without zeros. No overflow: both weights are
/// below 2⁶³.
fn difference(pre: &[Arc], post: &[Arc], delta: &mut Vec<Change>) {
    delta.clear();
    let (mut i, mut j) = (0, 0);
    while i < pre.len() || j < post.len() {
        let from = pre.get(i).map(|arc| arc.place);
        let to = post.get(j).map(|arc| arc.place);
        let place = match (from, to) {
            (Some(a), Some(b)) => a.min(b),
            (a, b) => a.or(b).expect("one of the rows has an entry left"),
        };
        let mut change = 0;
        if from == Some(place) {
            change -= pre[i].weight as i64;
            i += 1;
        }
        if to == Some(place) {
            change += post[j].weight as i64;
            j += 1;
        }
        if change != 0 {
            delta.push(Change { place, delta: change });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parallel_arcs_add_up_and_self_loops_have_no_effect() {
        let mut builder = NetBuilder::new("n");
        let p = builder.place("p", 3).unwrap();
        let q = builder.place("q", 0).unwrap();
        let t = builder.transition("t").unwrap();
        for _ in 0..2 {
            builder.take(t, p, 1).unwrap();
        }
        builder.put(t, q, 5).unwrap();
        builder.take(t, q, 5).unwrap();
        let net = builder.build().unwrap();
        assert_eq!(net.pre(t), [Arc { place: p, weight: 2 }, Arc { place: q, weight: 5 }]);
        assert_eq!(net.delta(t), [Change { place: p, delta: -2 }]);
        assert_eq!(net.consumers(q), [PlaceArc { transition: t, weight: 5 }]);
        assert_eq!((net.pre_weight(t, p), net.post_weight(t, p)), (2, 0));
    }

    #[test]
    fn transitions_of_one_effect_share_a_class() {
        let mut builder = NetBuilder::new("n");
        let p = builder.place("p", 1).unwrap();
        let q = builder.place("q", 0).unwrap();
        let names = ["a", "b", "c"];
        let [a, b, c] = names.map(|name| builder.transition(name).unwrap());
        builder.take(a, p, 1).unwrap();
        builder.put(b, p, 1).unwrap();
        // c is a with a test of q.
        builder.take(c, p, 1).unwrap();
        builder.take(c, q, 1).unwrap();
        builder.put(c, q, 1).unwrap();
        let net = builder.build().unwrap();
        assert_eq!(net.effect_count(), 2);
        assert_eq!(net.class(net.effect_of(a)), [a, c]);
        assert_eq!(net.class(net.effect_of(b)), [b]);
    }

    #[test]
    fn invalid_nodes_and_arcs_are_refused_by_name() {
        let mut builder = NetBuilder::new("n");
        let p = builder.place("p", 0).unwrap();
        let t = builder.transition("t").unwrap();
        assert_eq!(builder.transition("p"), Err(BuildError::DuplicateId("p".into())));
        assert_eq!(builder.place("", 0), Err(BuildError::EmptyId));
        let zero = builder.take(t, p, 0).unwrap_err().to_string();
        assert!(zero.contains("`p` and `t` has weight 0"), "{zero}");
        assert!(matches!(builder.place("q", u64::MAX), Err(BuildError::TooManyTokens(..))));
        builder.put(t, p, i64::MAX as u64).unwrap();
        builder.put(t, p, 1).unwrap();
        assert_eq!(
            builder.build().unwrap_err(),
            BuildError::WeightTooLarge("p".into(), "t".into())
        );
    }

    #[test]
    fn the_empty_net_is_valid() {
        let net = NetBuilder::new("").build().unwrap();
        assert_eq!((net.place_count(), net.transition_count(), net.effect_count()), (0, 0, 0));
        assert!(net.is_dead(net.initial()));
    }
}
