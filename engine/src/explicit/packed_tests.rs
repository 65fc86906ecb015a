//! Predicates of goals compiled to tests on packed markings (keys), so that no marking is unpacked
//! for a test.
//!
//! Each place has a bit field in a word of the key. The one-bit places of a sum with equal
//! coefficients are evaluated by a mask and a population count per word. For other places, the
//! number in the field is multiplied by the coefficient. Enabledness of a transition is a
//! conjunction of atoms here ([`Predicate::to_atoms`]). Deadness is no atom, since the search
//! computes the enabled transitions anyway.
//!
//! Each test also has a distance from a marking. For an atom it is the excess of its sum over its
//! bound. For a conjunction it is the sum of the distances of its parts, and for a disjunction
//! their minimum. Deadness counts as satisfied. Without deadness, the distance is 0 exactly if the
//! test holds. It is otherwise only a heuristic.

use super::packing::Packing;
use parikh_net::{LinearSum, Net, Predicate};

/// The terms of a sum that share one coefficient, and whose places have one-bit fields in the same
/// word.
#[derive(Clone, Copy, Debug)]
struct BitTerms {
    /// Index of the word in the key of a marking.
    word: u32,
    /// The bits of the fields.
    mask: u64,
    coefficient: i64,
}

/// A term of a sum whose place has a field of two or more bits.
#[derive(Clone, Copy, Debug)]
struct FieldTerm {
    word: u32,
    shift: u8,
    low_mask: u64,
    coefficient: i64,
}

/// A linear sum over packed markings.
#[derive(Clone, Debug)]
pub(crate) struct PackedSum {
    /// The terms on one-bit fields, grouped by word and coefficient.
    bits: Vec<BitTerms>,
    /// The terms on fields of two or more bits.
    fields: Vec<FieldTerm>,
    /// The contribution of the places without a field, whose token counts never change.
    constant: i128,
    /// True if the value without `constant` and all its partial sums fit in an `i64`.
    fits_i64: bool,
}

impl PackedSum {
    /// Compiles `sum` for one layout of keys.
    pub(crate) fn new(sum: &LinearSum, packing: &Packing) -> PackedSum {
        let mut compiled =
            PackedSum { bits: Vec::new(), fields: Vec::new(), constant: 0, fits_i64: false };
        let mut magnitude: u128 = 0;
        for &(place, coefficient) in sum.terms() {
            let field = packing.field(place);
            let word = field.word;
            magnitude += u128::from(coefficient.unsigned_abs()) * u128::from(field.low_mask());
            match field.width {
                0 => {
                    compiled.constant +=
                        i128::from(coefficient) * i128::from(packing.constant(place));
                }
                1 => {
                    let is_mergeable =
                        |b: &&mut BitTerms| b.word == word && b.coefficient == coefficient;
                    match compiled.bits.iter_mut().find(is_mergeable) {
                        Some(bits) => bits.mask |= field.mask(),
                        None => {
                            compiled.bits.push(BitTerms { word, mask: field.mask(), coefficient })
                        }
                    }
                }
                _ => compiled.fields.push(FieldTerm {
                    word,
                    shift: field.shift,
                    low_mask: field.low_mask(),
                    coefficient,
                }),
            }
        }
        compiled.fits_i64 = magnitude <= i64::MAX as u128;
        compiled
    }

    /// Returns the value of the sum in the marking with this key.
    pub(crate) fn value(&self, key: &[u64]) -> i128 {
        let bits = self.bits.iter().map(|bits| {
            let count = (key[bits.word as usize] & bits.mask).count_ones();
            (bits.coefficient, u64::from(count))
        });
        let wide = self.fields.iter().map(|wide| {
            let tokens = key[wide.word as usize] >> wide.shift & wide.low_mask;
            (wide.coefficient, tokens)
        });
        if self.fits_i64 {
            // Overflow is impossible because of `fits_i64`. The wrapping operations only avoid the
            // checks.
            let products = bits.chain(wide).map(|(a, tokens)| a.wrapping_mul(tokens as i64));
            i128::from(products.fold(0, i64::wrapping_add)) + self.constant
        } else {
            let products = bits.chain(wide).map(|(a, tokens)| i128::from(a) * i128::from(tokens));
            products.sum::<i128>() + self.constant
        }
    }
}

/// A predicate over packed markings (keys), compiled for one layout of keys.
#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// The same truth value in every marking.
    Constant(bool),
    /// The sum is at most the bound.
    Atom {
        /// The left side of the inequality.
        sum: PackedSum,
        /// The right side: the sum must be at most this bound.
        bound: i128,
        /// The atom's number in the predicate, in textual order.
        number: u32,
    },
    /// No transition is enabled.
    Dead,
    /// At least one transition is enabled.
    NotDead,
    /// Conjunction of the tests.
    All(Vec<Test>),
    /// Disjunction of the tests.
    Any(Vec<Test>),
}

impl Test {
    /// Compiles a predicate whose leaves are constants, atoms and deadness. Enabledness of
    /// transitions must be rewritten before, see [`enabledness_as_atoms`].
    pub(crate) fn new(predicate: &Predicate, packing: &Packing) -> Test {
        Test::compile(predicate, packing, &mut 0)
    }

    /// Compiles a predicate. Its first atom gets the number `next`, which is increased by one for
    /// each atom.
    fn compile(predicate: &Predicate, packing: &Packing, next: &mut u32) -> Test {
        let mut compile_all = |parts: &[Predicate]| {
            parts.iter().map(|part| Test::compile(part, packing, next)).collect()
        };
        match predicate {
            Predicate::And(parts) => Test::All(compile_all(parts)),
            Predicate::Or(parts) => Test::Any(compile_all(parts)),
            Predicate::True => Test::Constant(true),
            Predicate::False => Test::Constant(false),
            Predicate::Dead => Test::Dead,
            Predicate::NotDead => Test::NotDead,
            Predicate::Atom(atom) => {
                let number = *next;
                *next += 1;
                let sum = PackedSum::new(&atom.sum, packing);
                Test::Atom { sum, bound: i128::from(atom.bound), number }
            }
            Predicate::Enabled(_) | Predicate::Disabled(_) => {
                unreachable!("enabledness_as_atoms rewrites enabledness")
            }
        }
    }

    /// Returns true if the test holds in the marking with this key. `is_dead` says whether the
    /// marking is dead.
    pub(crate) fn holds(&self, key: &[u64], is_dead: bool) -> bool {
        match self {
            Test::Constant(holds) => *holds,
            Test::Atom { sum, bound, .. } => sum.value(key) <= *bound,
            Test::Dead => is_dead,
            Test::NotDead => !is_dead,
            Test::All(parts) => parts.iter().all(|part| part.holds(key, is_dead)),
            Test::Any(parts) => parts.iter().any(|part| part.holds(key, is_dead)),
        }
    }

    /// Returns an estimate of how far the marking with this key is from satisfying the test. An
    /// atom counts the excess of its sum over its bound. A conjunction adds the distances of its
    /// parts, and a disjunction takes their minimum. Deadness counts as satisfied. The constant
    /// false is `u64::MAX` away.
    pub(crate) fn distance(&self, key: &[u64]) -> u64 {
        match self {
            Test::Constant(false) => u64::MAX,
            Test::Constant(true) | Test::Dead | Test::NotDead => 0,
            Test::Atom { sum, bound, .. } => {
                u64::try_from((sum.value(key) - bound).max(0)).unwrap_or(u64::MAX)
            }
            Test::All(parts) => {
                parts.iter().map(|part| part.distance(key)).fold(0, u64::saturating_add)
            }
            Test::Any(parts) => {
                parts.iter().map(|part| part.distance(key)).min().unwrap_or(u64::MAX)
            }
        }
    }
}

/// Returns an equivalent predicate in which comparisons of token counts (atoms) replace the
/// enabledness of transitions. Deadness stays as it is.
pub(crate) fn enabledness_as_atoms(predicate: &Predicate, net: &Net) -> Predicate {
    match predicate {
        Predicate::Dead | Predicate::NotDead => predicate.clone(),
        Predicate::And(parts) => Predicate::and(parts.iter().map(|p| enabledness_as_atoms(p, net))),
        Predicate::Or(parts) => Predicate::or(parts.iter().map(|p| enabledness_as_atoms(p, net))),
        leaf => leaf.to_atoms(net),
    }
}

/// Returns the sums of the atoms of a predicate, in the order in which [`Test`] numbers them.
pub(crate) fn sums_of(predicate: &Predicate) -> Vec<&LinearSum> {
    match predicate {
        Predicate::Atom(atom) => vec![&atom.sum],
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().flat_map(sums_of).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Facts, text};

    #[test]
    fn compiled_tests_agree_with_predicates() {
        let net = text::parse(
            "place a 1\nplace b\nplace c 5\nplace fixed 3\nplace d 4611686018427387904
             transition t: a + fixed -> b + fixed\ntransition u: 2*c -> c + b
             transition v: d + b ->",
        )
        .unwrap();
        let mut packing = Packing::new(&net, &Facts::empty(&net));
        let b = net.place_named("b").unwrap();
        let mut rng = fastrand::Rng::with_seed(3);
        for round in 0..2000 {
            if round == 1000 {
                packing = packing.widened(b, 9, true).unwrap();
            }
            let mut marking = net.initial().clone();
            for p in net.places().filter(|&p| packing.field(p).width > 0) {
                marking[p] = rng.u64(0..=packing.field(p).low_mask());
            }
            let leaf = |rng: &mut fastrand::Rng| match rng.u8(0..4) {
                0 => Predicate::Enabled(rng.choice(net.transitions()).unwrap()),
                1 => Predicate::Disabled(rng.choice(net.transitions()).unwrap()),
                2 => Predicate::Dead,
                _ => {
                    let terms = net.places().map(|p| (p, rng.i64(-2..3)));
                    let sum = LinearSum::new(terms.take(4)).unwrap();
                    Predicate::at_most(sum, rng.i64(-9..9))
                }
            };
            let [x, y, z] = [(); 3].map(|()| leaf(&mut rng));
            let predicate = Predicate::or([Predicate::and([x, y.negated()]), z]);
            let mut key = vec![0; packing.words_per_key()];
            packing.pack(|p| marking[p], &mut key);
            let atoms = enabledness_as_atoms(&predicate, &net);
            let test = Test::new(&atoms, &packing);
            let holds = predicate.holds(&net, &marking);
            assert_eq!(test.holds(&key, net.is_dead(&marking)), holds);
            if !predicate.mentions_deadness() {
                assert_eq!(test.distance(&key) == 0, holds);
            }
            let sum = LinearSum::new(net.places().map(|p| (p, rng.i64(-3..4)))).unwrap();
            assert_eq!(PackedSum::new(&sum, &packing).value(&key), sum.value(&marking));
        }
    }
}
