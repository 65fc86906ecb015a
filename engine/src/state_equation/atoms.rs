//! The comparisons of all goals, each stored once, and the goals' predicates as trees over them.
//!
//! Enabledness is written as the tokens it needs, and a dead marking as "every transition lacks
//! some token". For the latter only transitions with minimal presets are needed: if a transition
//! lacks a token, so does every transition with a larger preset.

use parikh_net::{Atom, Net, Predicate, TransitionId};
use std::collections::HashMap;

/// Index of a comparison in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct AtomId(pub(super) u32);

impl AtomId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A predicate as a tree of conjunctions and disjunctions. The leaves are truth constants and
/// comparisons of the table [`Atoms`].
#[derive(Clone, Debug)]
pub(super) enum AtomNode {
    /// A constant truth value.
    Constant(bool),
    /// A comparison of the table.
    Atom(AtomId),
    /// A conjunction.
    And(Vec<AtomNode>),
    /// A disjunction.
    Or(Vec<AtomNode>),
}

/// A table of all comparisons used so far, without duplicates.
#[derive(Default)]
pub(super) struct Atoms {
    /// The comparisons, by `AtomId`.
    atoms: Vec<Atom>,
    /// The id of a comparison.
    ids: HashMap<Atom, AtomId>,
    /// One transition for each minimal preset, that is, a preset that contains no smaller one.
    /// Computed when a goal first mentions deadness. `None` before.
    minimal: Option<Vec<TransitionId>>,
}

impl Atoms {
    pub(super) fn get(&self, id: AtomId) -> &Atom {
        &self.atoms[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Returns the id of a comparison, which is added if it is new.
    pub(super) fn intern(&mut self, atom: Atom) -> AtomId {
        if let Some(&id) = self.ids.get(&atom) {
            return id;
        }
        // The number of comparisons in memory is far below 2³².
        let id = AtomId(self.atoms.len() as u32);
        self.ids.insert(atom.clone(), id);
        self.atoms.push(atom);
        id
    }

    /// Returns a predicate as a tree of comparisons, after adding these to the table. Deadness and
    /// enabledness are expressed by comparisons of token counts.
    pub(super) fn tree(&mut self, net: &Net, predicate: &Predicate) -> AtomNode {
        match predicate {
            Predicate::True => AtomNode::Constant(true),
            Predicate::False => AtomNode::Constant(false),
            Predicate::Atom(atom) => AtomNode::Atom(self.intern(atom.clone())),
            Predicate::And(operands) => {
                and(operands.iter().map(|operand| self.tree(net, operand)).collect())
            }
            Predicate::Or(operands) => {
                or(operands.iter().map(|operand| self.tree(net, operand)).collect())
            }
            Predicate::Enabled(_) | Predicate::Disabled(_) => {
                let expanded = predicate.to_atoms(net);
                self.tree(net, &expanded)
            }
            Predicate::Dead => {
                let minimal = self.minimal.take().unwrap_or_else(|| minimal_presets(net));
                let lacking = minimal.iter().map(|&t| self.tree(net, &Predicate::Disabled(t)));
                let tree = and(lacking.collect());
                self.minimal = Some(minimal);
                tree
            }
            // The certificate checker expands "not dead" with the presets of all transitions, so
            // the tree does the same. The tree of `Dead` uses minimal presets only: a tree with
            // fewer conjuncts is at most easier to satisfy.
            Predicate::NotDead => {
                let expanded = predicate.to_atoms(net);
                self.tree(net, &expanded)
            }
        }
    }
}

fn and(mut operands: Vec<AtomNode>) -> AtomNode {
    operands.retain(|operand| !matches!(operand, AtomNode::Constant(true)));
    if operands.iter().any(|operand| matches!(operand, AtomNode::Constant(false))) {
        return AtomNode::Constant(false);
    }
    match operands.len() {
        0 => AtomNode::Constant(true),
        1 => operands.swap_remove(0),
        _ => AtomNode::And(operands),
    }
}

fn or(mut operands: Vec<AtomNode>) -> AtomNode {
    operands.retain(|operand| !matches!(operand, AtomNode::Constant(false)));
    if operands.iter().any(|operand| matches!(operand, AtomNode::Constant(true))) {
        return AtomNode::Constant(true);
    }
    match operands.len() {
        0 => AtomNode::Constant(false),
        1 => operands.swap_remove(0),
        _ => AtomNode::Or(operands),
    }
}

impl AtomNode {
    /// Returns true if the predicate holds when exactly the comparisons accepted by `holds` are
    /// true.
    pub(super) fn holds(&self, holds: &mut impl FnMut(AtomId) -> bool) -> bool {
        match self {
            AtomNode::Constant(value) => *value,
            AtomNode::Atom(atom) => holds(*atom),
            AtomNode::And(operands) => operands.iter().all(|operand| operand.holds(holds)),
            AtomNode::Or(operands) => operands.iter().any(|operand| operand.holds(holds)),
        }
    }

    /// Calls `visit` for every comparison in the tree, with repetitions.
    pub(super) fn visit(&self, visit: &mut impl FnMut(AtomId)) {
        match self {
            AtomNode::Constant(_) => {}
            AtomNode::Atom(atom) => visit(*atom),
            AtomNode::And(operands) | AtomNode::Or(operands) => {
                operands.iter().for_each(|operand| operand.visit(visit))
            }
        }
    }

    /// Returns every comparison in the tree once, ascending.
    pub(super) fn atoms(&self) -> Vec<AtomId> {
        let mut all = Vec::new();
        self.visit(&mut |atom| all.push(atom));
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns one transition for each minimal preset, that is, a preset (with arc weights) that
/// contains no smaller one.
fn minimal_presets(net: &Net) -> Vec<TransitionId> {
    // If one preset is contained in another one, so is its rarest place, that is, the place with
    // the fewest consumers. Transitions are listed under the rarest place of their preset. So only
    // the lists of the places in a preset must be searched for smaller presets.
    let mut by_rarest_place: Vec<Vec<TransitionId>> = vec![Vec::new(); net.place_count()];
    for t in net.transitions() {
        let rarest = net.pre(t).iter().min_by_key(|arc| net.consumers(arc.place).len());
        match rarest {
            Some(arc) => by_rarest_place[arc.place.index()].push(t),
            // The transition is always enabled, so no marking is dead.
            None => return vec![t],
        }
    }
    let is_preset_contained = |small: TransitionId, large: TransitionId| {
        net.pre(small).iter().all(|arc| net.pre_weight(large, arc.place) >= arc.weight)
    };
    let is_minimal = |&t: &TransitionId| {
        let candidates = net.pre(t).iter().flat_map(|arc| &by_rarest_place[arc.place.index()]);
        !candidates.into_iter().any(|&candidate| {
            candidate != t
                && is_preset_contained(candidate, t)
                && (candidate < t || !is_preset_contained(t, candidate))
        })
    };
    net.transitions().filter(is_minimal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    #[test]
    fn only_minimal_presets_count_for_deadness() {
        let net = text::parse(
            "place p\nplace q
             transition a: p -> q\ntransition b: p + q -> q\ntransition c: 2*p -> q
             transition same: p -> 2*q\ntransition d: 2*q -> p",
        )
        .unwrap();
        let names = |list: Vec<TransitionId>| -> Vec<String> {
            list.into_iter().map(|t| net.transition_name(t).to_owned()).collect()
        };
        assert_eq!(names(minimal_presets(&net)), ["a", "d"]);
    }

    #[test]
    fn trees_agree_with_their_predicates() {
        let net =
            text::parse("place p 1\nplace q\ntransition a: p -> q\ntransition b: 2*q ->").unwrap();
        let mut atoms = Atoms::default();
        for (p, q) in [(0, 0), (1, 0), (0, 2), (3, 1)] {
            let marking = parikh_net::Marking::new(vec![p, q]);
            for predicate in [Predicate::Dead, Predicate::NotDead] {
                let tree = atoms.tree(&net, &predicate);
                let holds = tree.holds(&mut |atom| atoms.get(atom).holds(&marking));
                assert_eq!(holds, predicate.holds(&net, &marking), "{p} {q}");
            }
        }
    }
}
