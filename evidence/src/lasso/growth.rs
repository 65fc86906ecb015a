//! Checks that a cycle that adds tokens can repeat forever with the same letters. The *letter* of a
//! position is the set of atoms that are true there.
//!
//! Let the cycle lead from m to m + d with d ≥ 0. A sequence that is enabled once is also enabled
//! with more tokens, so the cycle can repeat forever. A marking m' of the first round becomes m' +
//! k·d after k more rounds. The letters are the same in all rounds if every atom is *settled* at
//! every marking of the cycle: its value at m' + k·d is the same for all k ≥ 0. This is decided by
//! the structure of the predicate:
//!
//! - Σ a·m ≤ b changes by Σ a·d in each round. It is settled if this is 0, if it is positive and
//!   the comparison is false, or if it is negative and the comparison is true.
//! - An enabled transition stays enabled. A disabled transition is settled if it lacks tokens on a
//!   place p with d(p) = 0.
//! - No marking of the cycle is dead, as a transition of the cycle is enabled there.
//! - A conjunction is settled if all its parts are, or one part is settled and false. A disjunction
//!   is settled if all its parts are, or one part is settled and true.
//!
//! If an atom is not settled, the formula must be true whatever the value of the atom is in each
//! round ([`UnsettledAtoms::satisfies`]).

use super::LassoFlaw;
use crate::replay::Replayer;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{
    Atom as Comparison, FiringSequence, FiringStep, Marking, Net, PlaceId, Predicate, TransitionId,
};
use parikh_temporal::{AtomId, Formula, Lasso, Letter, Linear, Literal, Ltl, Node, PartValues};

/// The atoms that may differ from round to round of a cycle.
pub(super) struct UnsettledAtoms {
    /// A place whose tokens grow in each round, and on which an atom depends.
    pub(super) place: PlaceId,
    /// One entry per position in the cycle: the atoms whose values there may differ between rounds.
    pub(super) atoms: Vec<Vec<AtomId>>,
}

/// Checks that the cycle can repeat forever, that is, that it leads from `begin` to a marking `end`
/// that covers `begin`. Returns the atoms whose values may change from round to round, or `None` if
/// no value may change.
pub(super) fn check(
    net: &Net,
    property: &RunProperty,
    cycle: &FiringSequence,
    (begin, end): (&Marking, &Marking),
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<UnsettledAtoms>, LassoFlaw> {
    if let Some(place) = net.places().find(|&place| begin[place] > end[place]) {
        return Err(LassoFlaw::NotBack(net.place_name(place).to_owned()));
    }
    let places_read = property.read_places(net);
    let Some(place) = places_read.into_iter().find(|&place| begin[place] != end[place]) else {
        return Ok(None);
    };
    let growth = RoundGrowth { net, begin, end };
    let mut replayer = Replayer::from_marking(net, begin.clone());
    let mut atoms: Vec<Vec<AtomId>> = Vec::new();
    for step in cycle.steps() {
        for _ in 0..step.count {
            if atoms.len().is_multiple_of(1024) && !goes_on() {
                return Err(LassoFlaw::Stopped);
            }
            let is_unsettled = |atom: &RunAtom| match atom {
                RunAtom::Holds(it) => growth.settled_value(replayer.marking(), it).is_none(),
                RunAtom::Fires(_) => false,
            };
            let numbered = (0..).map(AtomId).zip(property.atoms());
            atoms.push(numbered.filter(|(_, it)| is_unsettled(it)).map(|(atom, _)| atom).collect());
            replayer.fire(FiringStep { count: 1, ..*step })?;
        }
    }
    let is_settled = atoms.iter().all(Vec::is_empty);
    Ok((!is_settled).then_some(UnsettledAtoms { place, atoms }))
}

impl UnsettledAtoms {
    /// Returns true if the formula of `property` is true of certain words, whatever values the
    /// unsettled atoms have at each position. The words have the given letters, and repeat them
    /// forever from position `back`. False may also mean that the check cannot show this, for
    /// example for a tautology.
    ///
    /// A formula in negation normal form that is true stays true if more literals are true.
    /// Therefore each literal becomes an atom of a new formula, and this atom is true where the
    /// literal is certainly true.
    pub(super) fn satisfies(
        &self,
        property: &RunProperty,
        letters: &[Letter],
        back: usize,
    ) -> bool {
        let literal_atom =
            |literal: Literal| AtomId(2 * literal.atom.0 + u32::from(!literal.positive));
        let mut store = Ltl::default();
        let formulas = property.formulas();
        type NodeFormulas = PartValues<Linear, Formula<Linear>>;
        let formula =
            formulas.fold(property.formula(), |_, node, operands: &NodeFormulas| match node {
                Node::True => store.constant(true),
                Node::False => store.constant(false),
                Node::Literal(literal) => store.atom(literal_atom(*literal)),
                Node::And(parts) => store.and(parts.iter().map(|part| operands[*part])),
                Node::Or(parts) => store.or(parts.iter().map(|part| operands[*part])),
                Node::Next(_, part) => store.next(Linear, operands[*part]),
                Node::Until(_, left, right) => {
                    store.until(Linear, operands[*left], operands[*right])
                }
                Node::Release(_, left, right) => {
                    store.release(Linear, operands[*left], operands[*right])
                }
            });
        let count = property.atoms().len() as u32;
        let certain_letters = letters.iter().enumerate().map(|(position, letter)| {
            let unsettled =
                position.checked_sub(back).and_then(|position| self.atoms.get(position));
            let is_certain =
                |atom: &AtomId| unsettled.is_none_or(|unsettled| !unsettled.contains(atom));
            let atoms = (0..count).map(AtomId).filter(is_certain);
            Letter::of(atoms.map(|atom| literal_atom(Literal { atom, positive: letter.has(atom) })))
        });
        let word = Lasso::new(certain_letters.collect(), back);
        word.is_some_and(|word| word.satisfies(&store, formula))
    }
}

/// The growth of each place in one round of the cycle.
struct RoundGrowth<'a> {
    /// The net that the run is about.
    net: &'a Net,
    /// The marking at the start of the cycle.
    begin: &'a Marking,
    /// The marking at the end of the cycle.
    end: &'a Marking,
}

impl RoundGrowth<'_> {
    /// Returns the value of a predicate at `marking` in all rounds, or `None` if it may differ.
    fn settled_value(&self, marking: &Marking, predicate: &Predicate) -> Option<bool> {
        match predicate {
            Predicate::True | Predicate::NotDead => Some(true),
            Predicate::False | Predicate::Dead => Some(false),
            Predicate::And(parts) => self.connective_value(marking, parts, false),
            Predicate::Or(parts) => self.connective_value(marking, parts, true),
            Predicate::Enabled(t) => self.enabled_value(marking, *t),
            Predicate::Disabled(t) => self.enabled_value(marking, *t).map(|enabled| !enabled),
            Predicate::Atom(atom) => self.comparison_value(marking, atom),
        }
    }

    /// Returns the value in all rounds of the disjunction of `parts` if `deciding` is true, or of
    /// their conjunction if it is false. Returns `None` if the value may differ.
    fn connective_value(
        &self,
        marking: &Marking,
        parts: &[Predicate],
        deciding: bool,
    ) -> Option<bool> {
        let mut result = Some(!deciding);
        for part in parts {
            match self.settled_value(marking, part) {
                Some(value) if value == deciding => return Some(deciding),
                Some(_) => {}
                None => result = None,
            }
        }
        result
    }

    /// Returns true if `t` is enabled at `marking` in all rounds, and false if it is disabled in
    /// all rounds. Returns `None` if this may differ.
    fn enabled_value(&self, marking: &Marking, t: TransitionId) -> Option<bool> {
        let mut lacking = self.net.pre(t).iter().filter(|arc| marking[arc.place] < arc.weight);
        let Some(first) = lacking.next() else { return Some(true) };
        let is_unchanged = |place| self.begin[place] == self.end[place];
        let stays_disabled =
            is_unchanged(first.place) || lacking.any(|arc| is_unchanged(arc.place));
        stays_disabled.then_some(false)
    }

    /// Returns the value of a comparison in all rounds, or `None` if it may differ or the numbers
    /// exceed 128 bits.
    fn comparison_value(
        &self,
        marking: &Marking,
        Comparison { sum, bound }: &Comparison,
    ) -> Option<bool> {
        let (mut value, mut change) = (0i128, 0i128);
        for &(place, factor) in sum.terms() {
            let factor = i128::from(factor);
            let gained = i128::from(self.end[place]) - i128::from(self.begin[place]);
            value = value.checked_add(factor.checked_mul(marking[place].into())?)?;
            change = change.checked_add(factor.checked_mul(gained)?)?;
        }
        let holds = value <= i128::from(*bound);
        let settled = change == 0 || (change > 0) != holds;
        settled.then_some(holds)
    }
}
