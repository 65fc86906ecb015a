//! Conditions on a letter: conjunctions of literals.

#[cfg(test)]
use crate::atom::AtomId;
use crate::atom::{Letter, Literal};

/// A conjunction of literals of different atoms. The empty cube allows any letter.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Cube(Vec<Literal>);

impl Cube {
    /// Returns the conjunction of the literals, or `None` if two of them contradict each other.
    pub fn of(literals: impl IntoIterator<Item = Literal>) -> Option<Self> {
        let mut sorted: Vec<Literal> = literals.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        let is_consistent = sorted.windows(2).all(|pair| pair[0].atom != pair[1].atom);
        is_consistent.then_some(Self(sorted))
    }

    /// Returns the literals in ascending order.
    pub fn literals(&self) -> &[Literal] {
        &self.0
    }

    /// Returns true if the letter satisfies the cube.
    pub fn holds(&self, letter: &Letter) -> bool {
        self.0.iter().all(|&literal| letter.satisfies(literal))
    }

    /// Returns a letter that satisfies the cube; atoms that need not be true are false.
    pub fn letter(&self) -> Letter {
        Letter::of(self.0.iter().filter(|literal| literal.positive).map(|literal| literal.atom))
    }

    /// Returns the conjunction of both cubes, or `None` if they contradict each other.
    pub fn and(&self, other: &Self) -> Option<Self> {
        let mut both = Vec::with_capacity(self.0.len() + other.0.len());
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(left_literal), Some(right_literal)) = (left.peek(), right.peek()) {
            match left_literal.cmp(right_literal) {
                std::cmp::Ordering::Equal => {
                    both.push(**left_literal);
                    left.next();
                    right.next();
                }
                _ if left_literal.atom == right_literal.atom => return None,
                std::cmp::Ordering::Less => both.extend(left.next()),
                std::cmp::Ordering::Greater => both.extend(right.next()),
            }
        }
        both.extend(left);
        both.extend(right);
        Some(Self(both))
    }

    /// Returns true if every letter of the other cube is a letter of this cube.
    pub fn contains(&self, other: &Self) -> bool {
        let mut other_literals = other.0.iter();
        self.0.len() <= other.0.len()
            && self.0.iter().all(|literal| other_literals.any(|other| other == literal))
    }

    /// Returns the literals of this cube that the other cube does not imply, or `None` if the cubes
    /// contradict each other.
    pub(crate) fn literals_beyond(&self, other: &Self) -> Option<Self> {
        let mut not_implied = Vec::new();
        for literal in &self.0 {
            match other.0.binary_search_by_key(&literal.atom, |other| other.atom) {
                Err(_) => not_implied.push(*literal),
                Ok(index) if other.0[index] == *literal => {}
                Ok(_) => return None,
            }
        }
        Some(Self(not_implied))
    }

    /// Returns the cube for the union of both cubes, if they differ only in the sign of one
    /// literal.
    pub fn merged(&self, other: &Self) -> Option<Self> {
        if self.0.len() != other.0.len() {
            return None;
        }
        let mut different = None;
        for (index, (one, two)) in self.0.iter().zip(&other.0).enumerate() {
            if one != two && (one.atom != two.atom || different.replace(index).is_some()) {
                return None;
            }
        }
        let mut shared = self.0.clone();
        shared.remove(different?);
        Some(Self(shared))
    }

    /// Returns the letters of this cube that are not in the other, as disjoint cubes.
    pub fn without(&self, other: &Self) -> Vec<Self> {
        let Some(required) = other.literals_beyond(self) else { return vec![self.clone()] };
        let mut parts = Vec::with_capacity(required.0.len());
        let mut remaining = self.clone();
        for &literal in &required.0 {
            parts.extend(remaining.and(&Self(vec![literal.negated()])));
            // The following cubes contain only letters that satisfy this literal.
            match remaining.and(&Self(vec![literal])) {
                Some(satisfying) => remaining = satisfying,
                None => break,
            }
        }
        parts
    }
}

/// Returns true if every letter is in one of the cubes. Takes time 2^(number of atoms) in the worst
/// case.
pub(crate) fn cover_all_letters(cubes: &[&Cube]) -> bool {
    // Each case fixes the values of some atoms: it has the cubes that do not contradict these
    // values, and the literals for these values.
    let mut cases: Vec<(Vec<&Cube>, Vec<Literal>)> = vec![(cubes.to_vec(), Vec::new())];
    while let Some((cubes, decided)) = cases.pop() {
        let undecided =
            |cube: &&Cube| cube.0.iter().find(|literal| !decided.contains(literal)).copied();
        let Some(shortest) = cubes.iter().min_by_key(|cube| cube.0.len()) else { return false };
        // A cube whose literals are all decided contains every letter of this case.
        if cubes.iter().any(|cube| undecided(cube).is_none()) {
            continue;
        }
        let Some(Literal { atom, .. }) = undecided(shortest) else { continue };
        for literal in [Literal::positive(atom), Literal::negative(atom)] {
            let possible = cubes.iter().filter(|cube| !cube.0.contains(&literal.negated()));
            let mut decided = decided.clone();
            decided.push(literal);
            cases.push((possible.copied().collect(), decided));
        }
    }
    true
}

/// Returns the cube of the literals `1`, `-2`, …: atom 1 true, atom 2 false.
#[cfg(test)]
pub(crate) fn cube(literals: &[i32]) -> Cube {
    let literal =
        |&number: &i32| Literal { atom: AtomId(number.unsigned_abs()), positive: number > 0 };
    Cube::of(literals.iter().map(literal)).expect("no contradiction")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_sets_of_letters() {
        let all: Vec<Cube> = (0..27)
            .map(|code: i32| {
                let signs = [code % 3, code / 3 % 3, code / 9];
                let of = |(at, sign): (i32, i32)| [0, at, -at][sign as usize];
                let literals: Vec<i32> = (1..4).zip(signs).map(of).filter(|&it| it != 0).collect();
                cube(&literals)
            })
            .collect();
        let letters: Vec<Letter> = (0..8)
            .map(|code: u32| Letter::of((1..4).filter(|at| code >> (at - 1) & 1 == 1).map(AtomId)))
            .collect();
        let meant =
            |cube: &Cube| letters.iter().map(|letter| cube.holds(letter)).collect::<Vec<_>>();
        for one in &all {
            assert!(one.holds(&one.letter()));
            for two in &all {
                let (ones, twos) = (meant(one), meant(two));
                let pairs = || ones.iter().zip(&twos);
                let both: Vec<bool> = pairs().map(|(a, b)| a & b).collect();
                let either: Vec<bool> = pairs().map(|(a, b)| a | b).collect();
                let rest: Vec<bool> = pairs().map(|(a, b)| a & !b).collect();
                assert_eq!(one.and(two).map_or(vec![false; 8], |it| meant(&it)), both);
                assert_eq!(one.contains(two), pairs().all(|(a, b)| a | !b));
                if let Some(merged) = one.merged(two) {
                    assert_eq!(meant(&merged), either);
                }
                let without = one.without(two);
                let times = |at: usize| without.iter().filter(|part| meant(part)[at]).count();
                let counts: Vec<usize> = (0..8).map(times).collect();
                assert_eq!(counts, rest.iter().map(|&it| it.into()).collect::<Vec<usize>>());
                assert_eq!(cover_all_letters(&[one, two]), either.iter().all(|&it| it));
            }
        }
        assert!(!cover_all_letters(&[]));
        assert!(cover_all_letters(&[
            &cube(&[1, 2]),
            &cube(&[-1, 3]),
            &cube(&[1, -2]),
            &cube(&[-1, -3])
        ]));
    }
}
