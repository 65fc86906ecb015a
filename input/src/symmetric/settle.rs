//! Construction of the net from the content of a file: declarations first, then places, transitions
//! and arcs.

use super::super::colour_problem::ColourProblem;
use super::super::error::InputError;
use super::super::source::TextPosition;
use super::raw::TermError;
use super::resolve::Resolver;
use super::scope::DeclaredNames;
use super::{
    SymmetricArc, SymmetricParts, SymmetricPlace, SymmetricReference, SymmetricTransition,
};
use parikh_net::BuildError;
use parikh_net::coloured::{
    ColouredNet, ColouredNode, ColouredPlaceId, ColouredTransitionId, Guard, Multiset, SortId,
    SortKind, Term,
};
use std::collections::HashMap;

impl SymmetricParts {
    /// Builds the net.
    pub(super) fn settle(self, file: &str) -> Result<ColouredNet, InputError> {
        let mut net = ColouredNet::new(self.name);
        net.set_label(&self.label);
        let scope = self.declarations.settle(&mut net).map_err(|(at, owner, problem)| {
            InputError::Colours { at: at.of(file), owner, problem: problem.into() }
        })?;
        let mut construction = NetConstruction { net, scope, references: self.references, file };
        for place in self.places {
            construction.place(place)?;
        }
        for transition in self.transitions {
            construction.transition(transition)?;
        }
        construction.check_references()?;
        for arc in self.arcs {
            construction.arc(arc)?;
        }
        Ok(construction.net)
    }
}

/// A net under construction.
struct NetConstruction<'f> {
    net: ColouredNet,
    scope: DeclaredNames,
    references: HashMap<String, SymmetricReference>,
    file: &'f str,
}

impl NetConstruction<'_> {
    fn colour_error(&self, at: TextPosition, owner: String, problem: ColourProblem) -> InputError {
        InputError::Colours { at: at.of(self.file), owner, problem: problem.into() }
    }

    fn resolver(&mut self) -> Resolver<'_> {
        Resolver { net: &mut self.net, scope: &mut self.scope }
    }

    fn place(&mut self, place: SymmetricPlace) -> Result<(), InputError> {
        let at = place.initial.as_ref().map_or(place.position, |term| term.position);
        let result = self.sort_and_tokens(&place).and_then(|(sort, initial)| {
            let added = self.net.add_place(&place.id, sort, initial);
            let added = added.map_err(|problem| (at, problem.into()))?;
            if let Some(label) = &place.label {
                self.net.label_place(added, label);
            }
            Ok(())
        });
        result.map_err(|(at, problem)| {
            self.colour_error(at, format!("place `{}`", place.id), problem)
        })
    }

    fn sort_and_tokens(&mut self, place: &SymmetricPlace) -> Result<(SortId, Multiset), TermError> {
        let mut resolver = self.resolver();
        let sort = match &place.sort {
            Some(term) => resolver.sort(term)?,
            None => {
                resolver.scope.dot(resolver.net).map_err(|problem| (place.position, problem))?
            }
        };
        let initial = match &place.initial {
            Some(term) => resolver.multiset(term, sort)?,
            None => Multiset::EMPTY,
        };
        Ok((sort, initial))
    }

    fn transition(&mut self, transition: SymmetricTransition) -> Result<(), InputError> {
        let at = transition.guard.as_ref().map_or(transition.position, |term| term.position);
        let guard = match &transition.guard {
            Some(term) => self.resolver().guard(term),
            None => Ok(Guard::TRUE),
        };
        let result = guard.and_then(|guard| {
            let added = self.net.add_transition(&transition.id, guard);
            let added = added.map_err(|problem| (at, problem.into()))?;
            if let Some(label) = &transition.label {
                self.net.label_transition(added, label);
            }
            Ok(())
        });
        let owner = || format!("transition `{}`", transition.id);
        result.map_err(|(at, problem)| self.colour_error(at, owner(), problem))
    }

    /// Returns an error if a reference node has the id of a place or transition, because arcs to
    /// that id would be ambiguous.
    fn check_references(&self) -> Result<(), InputError> {
        match self.references.iter().find(|(id, _)| self.net.node(id).is_some()) {
            None => Ok(()),
            Some((id, SymmetricReference { position: at, .. })) => {
                let problem = BuildError::DuplicateId(id.clone());
                Err(InputError::Net { at: at.of(self.file), problem })
            }
        }
    }

    fn arc(&mut self, arc: SymmetricArc) -> Result<(), InputError> {
        let (place, t, is_input) = self.arc_ends(&arc)?;
        let at = arc.inscription.as_ref().map_or(arc.position, |term| term.position);
        let result = self.inscription(&arc, place).and_then(|inscription| {
            let added = match is_input {
                true => self.net.take(t, place, inscription),
                false => self.net.put(t, place, inscription),
            };
            added.map_err(|problem| (at, problem.into()))
        });
        result
            .map_err(|(at, problem)| self.colour_error(at, format!("arc `{}`", arc.name), problem))
    }

    /// Returns the place and the transition of an arc. The boolean is true if the arc leads from
    /// the place to the transition.
    fn arc_ends(
        &self,
        arc: &SymmetricArc,
    ) -> Result<(ColouredPlaceId, ColouredTransitionId, bool), InputError> {
        let at = || arc.position.of(self.file);
        let end = |name: &str| {
            represented_node(&self.net, &self.references, name).ok_or_else(|| {
                InputError::UnknownEnd { at: at(), arc: arc.name.clone(), node: name.to_owned() }
            })
        };
        match (end(&arc.source)?, end(&arc.target)?) {
            (ColouredNode::Place(p), ColouredNode::Transition(t)) => Ok((p, t, true)),
            (ColouredNode::Transition(t), ColouredNode::Place(p)) => Ok((p, t, false)),
            (source, _) => Err(InputError::SameKind {
                at: at(),
                arc: arc.name.clone(),
                source_node: arc.source.clone(),
                target_node: arc.target.clone(),
                kind: match source {
                    ColouredNode::Place(_) => "places",
                    ColouredNode::Transition(_) => "transitions",
                },
            }),
        }
    }

    fn inscription(
        &mut self,
        arc: &SymmetricArc,
        place: ColouredPlaceId,
    ) -> Result<Multiset, TermError> {
        let sort = self.net.place(place).sort;
        match &arc.inscription {
            Some(term) => self.resolver().multiset(term, sort),
            // A missing inscription stands for one black token at a place of black tokens, as in
            // place/transition nets.
            None if *self.net.sort(sort).kind() == SortKind::Dot => {
                Ok(Multiset::single(Term::Constant { sort, colour: 0 }))
            }
            None => {
                let expected = "one, because the place has colours";
                Err((arc.position, ColourProblem::WholeTerm { found: "no inscription", expected }))
            }
        }
    }
}

/// Returns the node with this id, or the node that the reference node with this id represents.
/// Returns `None` if there is no such node, or if the references form a cycle.
fn represented_node(
    net: &ColouredNet,
    references: &HashMap<String, SymmetricReference>,
    name: &str,
) -> Option<ColouredNode> {
    let mut name = name;
    for _ in 0..=references.len() {
        match net.node(name) {
            Some(node) => return Some(node),
            None => name = &references.get(name)?.target,
        }
    }
    None
}
