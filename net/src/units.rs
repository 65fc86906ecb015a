//! Nested units (NUPN): a tree of units, each place in exactly one of them.
//!
//! In a *unit-safe* net every reachable marking is one-safe, marks at most one own place of each
//! unit, and never marks a unit together with one of its transitive sub-units: the places along any
//! chain from the root to a leaf exclude each other. The model makes this claim; Parikh uses it as
//! an assumption that evidence must name.
//!
//! The claim is about the markings reachable from the *model's* initial marking only. Another
//! initial marking may have two tokens where the claim allows one. So a claim stores the marking
//! that it speaks of. A net returns its units as safe only with that initial marking, see
//! [`Net::safe_units`].
//!
//! [`Net::safe_units`]: crate::Net::safe_units
//!
//! Source: H. Garavel, *Nested-Unit Petri Nets*, JLAMP 104, 2019.

use crate::id::{PlaceId, UnitId};
use crate::marking::Marking;

/// A unit of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The model's id of the unit.
    pub name: Box<str>,
    /// The unit's own places, without those of sub-units, ascending.
    pub places: Vec<PlaceId>,
    /// The enclosing unit; `None` for the root.
    pub parent: Option<UnitId>,
}

/// The unit tree of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units {
    units: Vec<Unit>,
    /// The root of the tree, which encloses all other units.
    root: UnitId,
    /// The marking for which the model claims safety: the units are safe in all markings reachable
    /// from it. `None` without the claim.
    safe_from: Option<Marking>,
    /// The unit of each place, indexed by place.
    unit_of: Vec<UnitId>,
}

/// A violation of unit-safety: places of one unit and its enclosing units hold more than one token
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The unit that has too many tokens, by itself or together with its enclosing units.
    pub unit: UnitId,
    /// The number of tokens on the unit's own places, at least 2. If `with_units_around` is true,
    /// tokens on the places of all enclosing units are counted, too.
    pub tokens: u128,
    /// True if the places of enclosing units are counted.
    pub counts_enclosing_units: bool,
}

/// The reason why a unit structure is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitsError {
    /// A place is in no unit.
    #[error("place `{0}` is in no unit")]
    PlaceWithoutUnit(String),
    /// A place is listed twice.
    #[error("place `{0}` is in more than one unit")]
    PlaceInTwoUnits(String),
    /// The units do not form one tree below the root.
    #[error("unit `{0}` is not below the root unit exactly once")]
    NotATree(String),
    /// The structure claims unit-safety, but the initial marking violates it.
    #[error(
        "the units are claimed to be safe, but the initial marking of place `{0}` violates the \
         claim"
    )]
    InitiallyUnsafe(String),
}

impl Units {
    /// Checks a unit tree over the places of a net with the marking `initial`. `is_safe` is true if
    /// the model claims that the units are safe in all markings reachable from `initial`. `name`
    /// returns a place's name for messages.
    ///
    /// # Errors
    /// If a place is missing or repeated, or the units do not form a tree with the given root. Also
    /// if a claimed safety does not hold initially.
    pub fn new<'n>(
        units: Vec<Unit>,
        root: UnitId,
        is_safe: bool,
        initial: &Marking,
        name: impl Fn(PlaceId) -> &'n str,
    ) -> Result<Self, UnitsError> {
        let mut unit_of: Vec<Option<UnitId>> = vec![None; initial.tokens().len()];
        for (index, unit) in units.iter().enumerate() {
            for &place in &unit.places {
                let slot = &mut unit_of[place.index()];
                if slot.replace(UnitId::new(index)).is_some() {
                    return Err(UnitsError::PlaceInTwoUnits(name(place).to_owned()));
                }
            }
        }
        let missing = |index: usize| UnitsError::PlaceWithoutUnit(name(PlaceId::new(index)).into());
        let unit_of = unit_of
            .into_iter()
            .enumerate()
            .map(|(index, unit)| unit.ok_or_else(|| missing(index)))
            .collect::<Result<Vec<_>, _>>()?;
        let safe_from = is_safe.then(|| initial.clone());
        let checked = Units { units, root, safe_from, unit_of };
        checked.check_tree()?;
        if is_safe && let Some(place) = checked.unsafe_place(initial) {
            return Err(UnitsError::InitiallyUnsafe(name(place).to_owned()));
        }
        Ok(checked)
    }

    /// Checks that the units form a tree below the root.
    fn check_tree(&self) -> Result<(), UnitsError> {
        // From each unit, the chain of parents must reach the root. A chain that is longer than the
        // number of units contains a cycle.
        let mut reaches_root = vec![false; self.units.len()];
        reaches_root[self.root.index()] = self.get(self.root).parent.is_none();
        for start in 0..self.units.len() {
            let mut chain = Vec::new();
            let mut unit = start;
            while !reaches_root[unit] {
                chain.push(unit);
                match self.units[unit].parent {
                    Some(parent) if chain.len() <= self.units.len() => unit = parent.index(),
                    _ => return Err(UnitsError::NotATree(self.units[start].name.to_string())),
                }
            }
            chain.into_iter().for_each(|unit| reaches_root[unit] = true);
        }
        Ok(())
    }

    /// Returns a violation of unit-safety in `marking`, whether or not the model claims safety.
    /// Returns `None` if the marking has none.
    pub fn breach(&self, marking: &Marking) -> Option<Breach> {
        let unit = self.unit_of(self.unsafe_place(marking)?);
        let tokens_of = |unit: UnitId| -> u128 {
            self.get(unit).places.iter().map(|&place| u128::from(marking[place])).sum()
        };
        let own_tokens = tokens_of(unit);
        if own_tokens > 1 {
            return Some(Breach { unit, tokens: own_tokens, counts_enclosing_units: false });
        }
        let chain = std::iter::successors(Some(unit), |&unit| self.get(unit).parent);
        Some(Breach { unit, tokens: chain.map(tokens_of).sum(), counts_enclosing_units: true })
    }

    /// Returns the tree without the claim that it is safe.
    pub fn unclaimed(&self) -> Units {
        Units { safe_from: None, ..self.clone() }
    }

    /// Returns the tree with the claim about `reached`, a marking reachable from the one that the
    /// claim speaks of. The claim is dropped if `reached` itself violates it.
    pub(crate) fn claimed_from(&self, reached: &Marking) -> Units {
        let holds = self.safe_from.is_some() && self.unsafe_place(reached).is_none();
        Units { safe_from: holds.then(|| reached.clone()), ..self.clone() }
    }

    /// Returns a marked place that shows that `marking` is not unit-safe. Returns `None` if the
    /// marking is unit-safe.
    fn unsafe_place(&self, marking: &Marking) -> Option<PlaceId> {
        let mut is_marked = vec![false; self.units.len()];
        for (place, tokens) in marking.marked() {
            let is_marked_already =
                std::mem::replace(&mut is_marked[self.unit_of(place).index()], true);
            if tokens > 1 || is_marked_already {
                return Some(place);
            }
        }
        let has_marked_ancestor = |place: PlaceId| {
            let enclosing = self.get(self.unit_of(place)).parent;
            std::iter::successors(enclosing, |&unit| self.get(unit).parent)
                .any(|unit| is_marked[unit.index()])
        };
        marking.marked().map(|(place, _)| place).find(|&place| has_marked_ancestor(place))
    }

    /// Returns the number of units, including the root.
    pub fn len(&self) -> usize {
        self.units.len()
    }

    /// Returns false: there is always a root.
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// Returns the unit with the given id.
    pub fn get(&self, unit: UnitId) -> &Unit {
        &self.units[unit.index()]
    }

    /// Returns all units in the order of the model.
    pub fn iter(&self) -> impl Iterator<Item = (UnitId, &Unit)> {
        self.units.iter().enumerate().map(|(index, unit)| (UnitId::new(index), unit))
    }

    /// Returns the root unit.
    pub fn root(&self) -> UnitId {
        self.root
    }

    /// Returns the marking from which on the model claims unit-safety. Without the claim the tree
    /// says nothing about markings. To use the claim for a net, call [`Net::safe_units`], which
    /// checks that the net has this initial marking.
    ///
    /// [`Net::safe_units`]: crate::Net::safe_units
    pub fn safe_from(&self) -> Option<&Marking> {
        self.safe_from.as_ref()
    }

    /// Returns true if `place` belongs to a unit. Only places that were added to the net after the
    /// units were checked, such as counters, belong to no unit.
    pub fn covers(&self, place: PlaceId) -> bool {
        place.index() < self.unit_of.len()
    }

    /// Returns the unit to which `place` belongs.
    pub fn unit_of(&self, place: PlaceId) -> UnitId {
        self.unit_of[place.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(name: &str, places: &[usize], parent: Option<usize>) -> Unit {
        let places = places.iter().map(|&p| PlaceId::new(p)).collect();
        Unit { name: name.into(), places, parent: parent.map(UnitId::new) }
    }

    fn units(tree: Vec<Unit>, safe: bool, tokens: &[u64]) -> Result<Units, UnitsError> {
        let marking = Marking::new(tokens.to_vec());
        let names = ["a", "b", "c"];
        Units::new(tree, UnitId::new(0), safe, &marking, |p| names[p.index()])
    }

    #[test]
    fn a_tree_with_every_place_once_is_accepted() {
        let tree =
            vec![unit("root", &[], None), unit("u", &[0, 1], Some(0)), unit("v", &[2], Some(1))];
        let taken = units(tree, true, &[0, 1, 0]).unwrap();
        assert_eq!(taken.unit_of(PlaceId::new(2)), UnitId::new(2));
        assert_eq!(taken.len(), 3);
    }

    #[test]
    fn missing_and_repeated_places_are_named() {
        let missing = vec![unit("root", &[0, 1], None)];
        assert_eq!(units(missing, false, &[0; 3]), Err(UnitsError::PlaceWithoutUnit("c".into())));
        let twice = vec![unit("root", &[0, 1, 2], None), unit("u", &[1], Some(0))];
        assert_eq!(units(twice, false, &[0; 3]), Err(UnitsError::PlaceInTwoUnits("b".into())));
    }

    #[test]
    fn a_cycle_of_units_and_a_second_root_are_refused() {
        let cycle =
            vec![unit("r", &[0, 1, 2], None), unit("u", &[], Some(2)), unit("v", &[], Some(1))];
        assert_eq!(units(cycle, false, &[0; 3]), Err(UnitsError::NotATree("u".into())));
        let two = vec![unit("r", &[0, 1, 2], None), unit("s", &[], None)];
        assert_eq!(units(two, false, &[0; 3]), Err(UnitsError::NotATree("s".into())));
    }

    #[test]
    fn a_breach_names_the_unit_and_its_tokens() {
        let tree = vec![unit("root", &[0], None), unit("u", &[1, 2], Some(0))];
        let units = units(tree, true, &[1, 0, 0]).unwrap();
        let breach = |tokens: [u64; 3]| units.breach(&Marking::new(tokens.to_vec()));
        let of = |unit, tokens, with_units_around| {
            Some(Breach {
                unit: UnitId::new(unit),
                tokens,
                counts_enclosing_units: with_units_around,
            })
        };
        assert_eq!(breach([0, 1, 0]), None);
        assert_eq!(breach([3, 0, 0]), of(0, 3, false));
        assert_eq!(breach([0, 1, 1]), of(1, 2, false));
        assert_eq!(breach([1, 0, 1]), of(1, 2, true));
        assert_eq!(units.unclaimed().safe_from(), None);
    }

    #[test]
    fn a_claim_of_safety_is_checked_on_the_initial_marking() {
        let tree = || vec![unit("root", &[0], None), unit("u", &[1, 2], Some(0))];
        assert_eq!(units(tree(), true, &[0, 1, 1]), Err(UnitsError::InitiallyUnsafe("c".into())));
        assert_eq!(units(tree(), true, &[1, 1, 0]), Err(UnitsError::InitiallyUnsafe("b".into())));
        assert_eq!(units(tree(), true, &[2, 0, 0]), Err(UnitsError::InitiallyUnsafe("a".into())));
        assert!(units(tree(), false, &[1, 1, 2]).is_ok());
    }
}
