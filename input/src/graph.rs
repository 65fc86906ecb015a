//! The nodes and arcs of a PNML file before the net is built. Arcs between known nodes go straight
//! into the builder. Arcs before their nodes, and arcs at reference nodes, wait until the whole
//! file is read.

use super::error::InputError;
use super::source::TextPosition;
use parikh_net::builder::NetNode;
use parikh_net::{BuildError, ExtendedBuilder, PlaceId};
use std::collections::HashMap;

/// The two kinds of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PnmlNodeKind {
    Place,
    Transition,
}

impl PnmlNodeKind {
    fn of(node: NetNode) -> Self {
        match node {
            NetNode::Place(_) => PnmlNodeKind::Place,
            NetNode::Transition(_) => PnmlNodeKind::Transition,
        }
    }
}

/// A reference node of PNML: it stands for another node, usually a node of another page.
struct ReferenceNode {
    id: Box<str>,
    target: Box<str>,
    kind: PnmlNodeKind,
    position: TextPosition,
    /// The place or transition that the reference represents; `None` until the reference is
    /// resolved.
    node: Option<NetNode>,
}

/// An arc as written in the file.
pub(super) struct ArcText {
    /// The id; `None` if the file has none.
    pub(super) id: Option<String>,
    pub(super) source: String,
    pub(super) target: String,
    pub(super) weight: u64,
    pub(super) kind: ArcKind,
    pub(super) position: TextPosition,
}

/// The effect of an arc.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArcKind {
    /// The arc moves tokens.
    Normal,
    /// The transition needs the tokens, and consumes none.
    Read,
    /// The transition needs fewer tokens than the weight.
    Inhibitor,
    /// The transition empties the place.
    Reset,
}

impl ArcKind {
    /// Returns the name of the type in files.
    fn name(self) -> &'static str {
        match self {
            ArcKind::Normal => "normal",
            ArcKind::Read => "read",
            ArcKind::Inhibitor => "inhibitor",
            ArcKind::Reset => "reset",
        }
    }
}

impl ArcText {
    /// Returns the arc's id, or source and target if the id is missing, for messages.
    pub(super) fn name(&self) -> String {
        let ends = || format!("{} -> {}", self.source, self.target);
        self.id.clone().unwrap_or_else(ends)
    }
}

/// The nodes and arcs of a PNML file read so far.
pub(super) struct PnmlGraph {
    file: Box<str>,
    pub(super) builder: ExtendedBuilder,
    references: Vec<ReferenceNode>,
    /// The index in `references` of each reference node, by id.
    reference_named: HashMap<Box<str>, usize>,
    /// The arcs whose source or target is not read yet or is a reference node. The method
    /// [`resolve_all`](Self::resolve_all) adds these arcs to the net.
    waiting_arcs: Vec<ArcText>,
    /// The number of arcs in the file; parallel arcs count separately.
    pub(super) arcs: usize,
    pub(super) transitions: usize,
}

impl PnmlGraph {
    pub(super) fn new(file: &str) -> Self {
        PnmlGraph {
            file: file.into(),
            builder: ExtendedBuilder::default(),
            references: Vec::new(),
            reference_named: HashMap::new(),
            waiting_arcs: Vec::new(),
            arcs: 0,
            transitions: 0,
        }
    }

    fn net_error(&self, at: TextPosition, problem: BuildError) -> InputError {
        InputError::Net { at: at.of(&self.file), problem }
    }

    /// Returns an error if a reference node has this id.
    fn check_id(&self, id: &str, at: TextPosition) -> Result<(), InputError> {
        match self.reference_named.contains_key(id) {
            true => Err(self.net_error(at, BuildError::DuplicateId(id.into()))),
            false => Ok(()),
        }
    }

    pub(super) fn place(
        &mut self,
        id: &str,
        tokens: u64,
        label: Option<&str>,
        at: TextPosition,
    ) -> Result<(), InputError> {
        self.check_id(id, at)?;
        let place =
            self.builder.core.place(id, tokens).map_err(|problem| self.net_error(at, problem))?;
        if let Some(label) = label {
            self.builder.core.label_place(place, label);
        }
        Ok(())
    }

    pub(super) fn transition(
        &mut self,
        id: &str,
        label: Option<&str>,
        at: TextPosition,
    ) -> Result<(), InputError> {
        self.check_id(id, at)?;
        let added =
            self.builder.core.transition(id).map_err(|problem| self.net_error(at, problem))?;
        if let Some(label) = label {
            self.builder.core.label_transition(added, label);
        }
        self.transitions += 1;
        Ok(())
    }

    pub(super) fn reference(
        &mut self,
        id: String,
        target: String,
        kind: PnmlNodeKind,
        at: TextPosition,
    ) -> Result<(), InputError> {
        if id.is_empty() {
            return Err(self.net_error(at, BuildError::EmptyId));
        }
        if self.builder.core.node(&id).is_some() {
            return Err(self.net_error(at, BuildError::DuplicateId(id)));
        }
        self.check_id(&id, at)?;
        let id: Box<str> = id.into();
        self.reference_named.insert(id.clone(), self.references.len());
        let target = target.into();
        self.references.push(ReferenceNode { id, target, kind, position: at, node: None });
        Ok(())
    }

    pub(super) fn arc(&mut self, arc: ArcText) -> Result<(), InputError> {
        self.arcs += 1;
        match (self.builder.core.node(&arc.source), self.builder.core.node(&arc.target)) {
            (Some(source), Some(target)) => self.join(&arc, source, target),
            _ => {
                self.waiting_arcs.push(arc);
                Ok(())
            }
        }
    }

    fn join(&mut self, arc: &ArcText, source: NetNode, target: NetNode) -> Result<(), InputError> {
        let added = match (source, target) {
            (NetNode::Place(p), NetNode::Transition(t)) => match arc.kind {
                ArcKind::Normal => self.builder.core.take(t, p, arc.weight),
                ArcKind::Read => self.builder.read(t, p, arc.weight),
                ArcKind::Inhibitor => self.builder.inhibit(t, p, arc.weight),
                ArcKind::Reset => {
                    self.builder.reset(t, p);
                    Ok(())
                }
            },
            (NetNode::Transition(t), NetNode::Place(p)) if arc.kind == ArcKind::Normal => {
                self.builder.core.put(t, p, arc.weight)
            }
            (NetNode::Transition(_), NetNode::Place(_)) => {
                return Err(InputError::Unsupported {
                    at: arc.position.of(&self.file),
                    found: format!(
                        "`{}` as the type of arc `{}`, which leads from a transition,",
                        arc.kind.name(),
                        arc.name()
                    ),
                    advice: "arcs that test or empty places lead from a place to a transition",
                });
            }
            (source, _) => {
                return Err(InputError::SameKind {
                    at: arc.position.of(&self.file),
                    arc: arc.name(),
                    source_node: arc.source.clone(),
                    target_node: arc.target.clone(),
                    kind: match PnmlNodeKind::of(source) {
                        PnmlNodeKind::Place => "places",
                        PnmlNodeKind::Transition => "transitions",
                    },
                });
            }
        };
        added.map_err(|problem| self.net_error(arc.position, problem))
    }

    /// Resolves all reference nodes. Then adds the arcs in `waiting_arcs` to the net.
    pub(super) fn resolve_all(&mut self) -> Result<(), InputError> {
        for index in 0..self.references.len() {
            self.resolve(index)?;
        }
        for arc in std::mem::take(&mut self.waiting_arcs) {
            let source = self.arc_end(&arc, &arc.source)?;
            let target = self.arc_end(&arc, &arc.target)?;
            self.join(&arc, source, target)?;
        }
        Ok(())
    }

    /// Returns the node with the id `id`, or the node that the reference node with this id
    /// represents. Returns an error if there is no such node.
    fn arc_end(&self, arc: &ArcText, id: &str) -> Result<NetNode, InputError> {
        let referenced_node = || self.references[*self.reference_named.get(id)?].node;
        self.builder.core.node(id).or_else(referenced_node).ok_or_else(|| InputError::UnknownEnd {
            at: arc.position.of(&self.file),
            arc: arc.name(),
            node: id.to_owned(),
        })
    }

    /// Returns the place with an id, or the place that the reference node with this id represents.
    /// Returns `None` if no place or reference to a place has the id. References must be resolved
    /// before.
    pub(super) fn place_named(&self, id: &str) -> Option<PlaceId> {
        let referenced_node = || self.references[*self.reference_named.get(id)?].node;
        match self.builder.core.node(id).or_else(referenced_node) {
            Some(NetNode::Place(place)) => Some(place),
            _ => None,
        }
    }

    /// Follows the chain of references from `start` to its node. All references on the chain are
    /// resolved together, so the total time is linear in the length of all chains.
    fn resolve(&mut self, start: usize) -> Result<(), InputError> {
        let mut chain = Vec::new();
        let mut index = start;
        let node = loop {
            let reference = &self.references[index];
            if let Some(node) = reference.node {
                break node;
            }
            if chain.len() > self.references.len() {
                let ReferenceNode { id, position: at, .. } = &self.references[start];
                let (at, node) = (at.of(&self.file), id.to_string());
                return Err(InputError::ReferenceCycle { at, node });
            }
            chain.push(index);
            if let Some(node) = self.builder.core.node(&reference.target) {
                break node;
            }
            match self.reference_named.get(&reference.target) {
                Some(&next) => index = next,
                None => return Err(self.refers_to_nothing(index)),
            }
        };
        for index in chain {
            if self.references[index].kind != PnmlNodeKind::of(node) {
                return Err(self.refers_to_nothing(index));
            }
            self.references[index].node = Some(node);
        }
        Ok(())
    }

    /// Returns the error for a reference node whose target does not exist or is of the wrong kind.
    /// The target of a reference place must be a place, and the target of a reference transition
    /// must be a transition.
    fn refers_to_nothing(&self, index: usize) -> InputError {
        let ReferenceNode { id, target, kind, position: at, .. } = &self.references[index];
        InputError::UnknownReference {
            at: at.of(&self.file),
            node: id.to_string(),
            target: target.to_string(),
            kind: match kind {
                PnmlNodeKind::Place => "place",
                PnmlNodeKind::Transition => "transition",
            },
        }
    }
}
