//! Predicates compiled for very many evaluations on packed markings.
//!
//! A condition is equivalent to a [`Test`](super::packed_tests::Test), which searches use because
//! it numbers its atoms. Here comparisons of one-bit places become bit masks. A conjunction of such
//! conditions takes two comparisons per word. So the enabledness of a transition in a safe net
//! takes two comparisons for each word with an input place.
//!
//! A condition also has a distance from each marking. For required bits it is the number of wrong
//! bits, and for a sum its excess over the bound. A conjunction adds the distances of its parts,
//! and a disjunction takes their minimum. Deadness counts as satisfied. Without deadness, the
//! distance is 0 exactly if the condition holds. It is otherwise only a heuristic.

use super::packed_tests::PackedSum;
use super::packing::Packing;
use parikh_net::{Atom, Predicate};

/// A predicate over packed markings (keys), compiled for one layout of keys.
#[derive(Clone, Debug)]
pub(crate) enum Condition {
    /// The same truth value in every marking.
    Constant(bool),
    /// The sum is at most the bound.
    AtMost(PackedSum, i128),
    /// With true: no transition is enabled. With false: at least one transition is enabled.
    Dead(bool),
    /// A condition on the bits in `masks`. If `all` is true, every bit must have its required
    /// value. If `all` is false, at least one bit must have its required value.
    BitValues { all: bool, masks: Vec<Mask> },
    /// Conjunction of the conditions.
    All(Vec<Condition>),
    /// Disjunction of the conditions.
    Any(Vec<Condition>),
}

/// Required values of some bits of one word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mask {
    /// Index of the word in the key of a marking.
    word: u32,
    /// Bits required to be set.
    set: u64,
    /// Bits required to be clear.
    clear: u64,
}

impl Mask {
    /// Returns the bits that do not have their required value in the marking with this key.
    fn wrong_bits(self, key: &[u64]) -> u64 {
        let word = key[self.word as usize];
        (self.set & !word) | (self.clear & word)
    }

    /// Returns true if at least one bit has its required value in the marking with this key.
    fn has_right_bit(self, key: &[u64]) -> bool {
        let word = key[self.word as usize];
        (self.set & word) | (self.clear & !word) != 0
    }
}

impl Condition {
    /// Compiles a predicate whose leaves are constants, atoms and deadness. Enabledness of
    /// transitions must be rewritten before, see
    /// [`enabledness_as_atoms`](super::packed_tests::enabledness_as_atoms).
    pub(crate) fn new(predicate: &Predicate, packing: &Packing) -> Condition {
        match predicate {
            Predicate::True => Condition::Constant(true),
            Predicate::False => Condition::Constant(false),
            Predicate::Dead => Condition::Dead(true),
            Predicate::NotDead => Condition::Dead(false),
            Predicate::Atom(atom) => Self::compile_atom(atom, packing),
            Predicate::And(parts) => Self::compile_parts(true, parts, packing),
            Predicate::Or(parts) => Self::compile_parts(false, parts, packing),
            Predicate::Enabled(_) | Predicate::Disabled(_) => {
                unreachable!("enabledness_as_atoms rewrites enabledness")
            }
        }
    }

    /// Compiles an atom, that is, a comparison of a sum of token counts. An atom over a single
    /// place that never changes becomes a constant. If the place has a one-bit field, the atom
    /// becomes a constant or a bit mask. Other atoms become sums.
    fn compile_atom(atom: &Atom, packing: &Packing) -> Condition {
        let bound = i128::from(atom.bound);
        if let [(place, coefficient)] = *atom.sum.terms() {
            let (field, coefficient) = (packing.field(place), i128::from(coefficient));
            let holds = |tokens: u64| coefficient * i128::from(tokens) <= bound;
            match field.width {
                0 => return Condition::Constant(holds(packing.constant(place))),
                1 => {
                    let (set, clear) = match (holds(0), holds(1)) {
                        (true, false) => (0, field.mask()),
                        (false, true) => (field.mask(), 0),
                        (value, _) => return Condition::Constant(value),
                    };
                    let masks = vec![Mask { word: field.word, set, clear }];
                    return Condition::BitValues { all: true, masks };
                }
                _ => {}
            }
        }
        Condition::AtMost(PackedSum::new(&atom.sum, packing), bound)
    }

    /// Compiles a conjunction (`is_conjunction`) or disjunction. Conditions on a single bit, and
    /// bit masks of the same kind, are merged into one list of masks.
    fn compile_parts(is_conjunction: bool, parts: &[Predicate], packing: &Packing) -> Condition {
        let (mut masks, mut other_parts): (Vec<Mask>, Vec<Condition>) = (Vec::new(), Vec::new());
        for part in parts {
            match Self::new(part, packing) {
                Condition::Constant(value) if value == is_conjunction => {}
                Condition::Constant(value) => return Condition::Constant(value),
                Condition::BitValues { all: kind, masks: part_masks }
                    if kind == is_conjunction || is_single_bit(&part_masks) =>
                {
                    for Mask { word, set, clear } in part_masks {
                        match masks.iter_mut().find(|mask| mask.word == word) {
                            Some(mask) => {
                                mask.set |= set;
                                mask.clear |= clear;
                            }
                            None => masks.push(Mask { word, set, clear }),
                        }
                    }
                }
                other => other_parts.push(other),
            }
        }
        if other_parts.is_empty() {
            return match masks.is_empty() {
                true => Condition::Constant(is_conjunction),
                false => Condition::BitValues { all: is_conjunction, masks },
            };
        }
        if !masks.is_empty() {
            other_parts.insert(0, Condition::BitValues { all: is_conjunction, masks });
        }
        if is_conjunction { Condition::All(other_parts) } else { Condition::Any(other_parts) }
    }

    /// Returns true if the condition holds in the marking with this key. `is_dead` says whether the
    /// marking is dead.
    pub(crate) fn holds(&self, key: &[u64], is_dead: bool) -> bool {
        match self {
            Condition::Constant(holds) => *holds,
            Condition::AtMost(sum, bound) => sum.value(key) <= *bound,
            Condition::Dead(wants_dead) => is_dead == *wants_dead,
            Condition::BitValues { all: true, masks } => {
                masks.iter().all(|mask| mask.wrong_bits(key) == 0)
            }
            Condition::BitValues { all: false, masks } => {
                masks.iter().any(|mask| mask.has_right_bit(key))
            }
            Condition::All(parts) => parts.iter().all(|part| part.holds(key, is_dead)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(key, is_dead)),
        }
    }

    /// Returns true if the condition depends on deadness.
    pub(crate) fn depends_on_deadness(&self) -> bool {
        match self {
            Condition::Dead(_) => true,
            Condition::All(parts) | Condition::Any(parts) => {
                parts.iter().any(Condition::depends_on_deadness)
            }
            Condition::Constant(_) | Condition::AtMost(..) | Condition::BitValues { .. } => false,
        }
    }

    /// Returns an estimate of how far the marking with this key is from satisfying the condition. A
    /// sum counts its excess over the bound, and bits that must all be right count the wrong bits.
    /// If one right bit is enough and none is right, the distance is 1. A conjunction adds the
    /// distances of its parts, and a disjunction takes their minimum. Deadness counts as satisfied.
    /// The constant false is `u64::MAX` away.
    pub(crate) fn distance(&self, key: &[u64]) -> u64 {
        match self {
            Condition::Constant(false) => u64::MAX,
            Condition::Constant(true) | Condition::Dead(_) => 0,
            Condition::AtMost(sum, bound) => {
                u64::try_from((sum.value(key) - bound).max(0)).unwrap_or(u64::MAX)
            }
            Condition::BitValues { all: true, masks } => {
                masks.iter().map(|mask| u64::from(mask.wrong_bits(key).count_ones())).sum()
            }
            Condition::BitValues { all: false, masks } => {
                u64::from(!masks.iter().any(|mask| mask.has_right_bit(key)))
            }
            Condition::All(parts) => {
                parts.iter().map(|part| part.distance(key)).fold(0, u64::saturating_add)
            }
            Condition::Any(parts) => {
                parts.iter().map(|part| part.distance(key)).min().unwrap_or(u64::MAX)
            }
        }
    }
}

/// Returns true if the masks constrain exactly one bit to exactly one value. Then "all bits" and
/// "any bit" mean the same.
fn is_single_bit(masks: &[Mask]) -> bool {
    matches!(masks, [mask] if mask.set.count_ones() + mask.clear.count_ones() == 1)
}

#[cfg(test)]
mod tests {
    use super::super::packed_tests::enabledness_as_atoms;
    use super::*;
    use parikh_net::{Facts, LinearSum, text};

    #[test]
    fn conditions_agree_with_predicates() {
        let net = text::parse(
            "place a 1\nplace b\nplace c 5\nplace fixed 3\nplace e 1\nplace f
             transition t: a + fixed -> b + fixed\ntransition u: 2*c -> c + b
             transition v: e + b -> f\ntransition w: f + a -> e",
        )
        .unwrap();
        let mut packing = Packing::new(&net, &Facts::empty(&net));
        let b = net.place_named("b").unwrap();
        let mut rng = fastrand::Rng::with_seed(3);
        let mut seen = [0; 2];
        for round in 0..4000 {
            if round == 2000 {
                packing = packing.widened(b, 9, false).unwrap();
            }
            let mut marking = net.initial().clone();
            for p in net.places().filter(|&p| packing.field(p).width > 0) {
                marking[p] = rng.u64(0..=packing.field(p).low_mask());
            }
            let leaf = |rng: &mut fastrand::Rng| match rng.u8(0..6) {
                0 => Predicate::Enabled(rng.choice(net.transitions()).unwrap()),
                1 => Predicate::Disabled(rng.choice(net.transitions()).unwrap()),
                2 => Predicate::Dead,
                3 => {
                    let terms = net.places().map(|p| (p, rng.i64(-2..3)));
                    let sum = LinearSum::new(terms.take(4)).unwrap();
                    Predicate::at_most(sum, rng.i64(-9..9))
                }
                _ => Predicate::at_least(rng.choice(net.places()).unwrap(), rng.u64(0..3)),
            };
            let mut pair = |all: bool| {
                let parts: Vec<_> = (0..rng.usize(1..4))
                    .map(|_| if rng.bool() { leaf(&mut rng) } else { leaf(&mut rng).negated() })
                    .collect();
                if all { Predicate::and(parts) } else { Predicate::or(parts) }
            };
            let (x, y, z) = (pair(true), pair(false), pair(true));
            let predicate = Predicate::or([Predicate::and([x, y.negated()]), z]);
            let mut key = vec![0; packing.words_per_key()];
            packing.pack(|p| marking[p], &mut key);
            let condition = Condition::new(&enabledness_as_atoms(&predicate, &net), &packing);
            let holds = predicate.holds(&net, &marking);
            assert_eq!(condition.holds(&key, net.is_dead(&marking)), holds, "{predicate:?}");
            if !condition.depends_on_deadness() {
                assert_eq!(condition.distance(&key) == 0, holds, "{predicate:?}");
                seen[usize::from(holds)] += 1;
            }
        }
        assert!(seen[0] > 500 && seen[1] > 500, "{seen:?}");
    }
}
