//! Random formulas with every construct of the formula languages, over the names of a net.

use fastrand::Rng;

/// A formula as a tree. Places and transitions are given by name.
#[derive(Clone, Debug)]
pub(crate) enum RandomFormula {
    True,
    False,
    Deadlock,
    Compare(NumberTree, &'static str, NumberTree),
    Fireable(Vec<String>),
    Fires(Vec<String>),
    Not(Box<RandomFormula>),
    And(Vec<RandomFormula>),
    Or(Vec<RandomFormula>),
    Implies(Box<[RandomFormula; 2]>),
    /// An equivalence, negated if the flag is false.
    Alike(bool, Box<[RandomFormula; 2]>),
    All(Box<RandomFormula>),
    Exists(Box<RandomFormula>),
    Globally(Box<RandomFormula>),
    Finally(Box<RandomFormula>),
    Next(Box<RandomFormula>),
    Until(Box<[RandomFormula; 2]>),
    /// The maximum of the sum of places.
    Bound(Vec<String>),
    /// A constraint of Declare, with its activities.
    Constraint(&'static str, Vec<String>),
}

/// A numeric expression.
#[derive(Clone, Debug)]
pub(crate) enum NumberTree {
    Constant(i64),
    Tokens(Vec<String>),
    Sum(Vec<NumberTree>),
    Difference(Box<[NumberTree; 2]>),
    /// A constant times a number.
    Times(i64, Box<NumberTree>),
}

/// The constructs allowed in a formula language, and the names of the net.
#[derive(Clone, Debug)]
pub(crate) struct Vocabulary {
    pub(crate) places: Vec<String>,
    pub(crate) transitions: Vec<String>,
    /// True if formulas may mention firings and Declare constraints.
    pub(crate) has_firings: bool,
    /// True if numeric expressions are more than tokens and constants.
    pub(crate) has_arithmetic: bool,
    /// True if formulas are more than EF and AG of conjunctions of comparisons of one place.
    pub(crate) is_rich: bool,
}

pub(crate) const RELATIONS: [&str; 6] = ["<=", ">=", "<", ">", "=", "!="];

/// The constraints of Declare with one activity.
pub(crate) const ONE: [&str; 8] = [
    "existence",
    "existence2",
    "existence3",
    "absence",
    "absence2",
    "absence3",
    "exactly_one",
    "init",
];

/// The constraints of Declare with two activities.
pub(crate) const TWO: [&str; 21] = [
    "choice",
    "exclusive_choice",
    "responded_existence",
    "not_responded_existence",
    "co_existence",
    "not_co_existence",
    "response",
    "precedence",
    "succession",
    "not_response",
    "not_precedence",
    "not_succession",
    "alternate_response",
    "alternate_precedence",
    "alternate_succession",
    "chain_response",
    "chain_precedence",
    "chain_succession",
    "not_chain_response",
    "not_chain_precedence",
    "not_chain_succession",
];

/// Returns 1 to `most` random names, possibly with repetitions.
fn some(rng: &mut Rng, names: &[String], most: usize) -> Vec<String> {
    (0..rng.usize(1..=most)).map(|_| names[rng.usize(..names.len())].clone()).collect()
}

impl Vocabulary {
    /// Returns a complete formula of one logic, or one that mixes logics.
    pub(crate) fn formula(&self, rng: &mut Rng) -> RandomFormula {
        if !self.is_rich {
            let body = self.comparisons(rng, 2);
            return quantified(rng.bool(), body);
        }
        let depth = rng.usize(0..4);
        match rng.u8(..16) {
            0 => RandomFormula::Bound(some(rng, &self.places, 3)),
            1 => self.state(rng, depth),
            2..5 => {
                let body = self.state(rng, depth);
                quantified(rng.bool(), body)
            }
            5 => {
                let body = self.state(rng, 1);
                let all = rng.bool();
                quantified(all, quantified(!all, body))
            }
            6 | 7 => self.junction(rng, 2, &mut |rng| {
                let body = self.state(rng, 1);
                quantified(rng.bool(), body)
            }),
            8..11 => self.branching(rng, depth),
            11..14 => {
                let path = self.path(rng, depth);
                match rng.u8(..3) {
                    0 => RandomFormula::All(Box::new(path)),
                    1 => RandomFormula::Exists(Box::new(path)),
                    _ => path,
                }
            }
            14 => {
                // A formula that mixes both logics.
                let both = [self.branching(rng, 1), self.path(rng, 1)];
                if rng.bool() {
                    RandomFormula::And(both.to_vec())
                } else {
                    RandomFormula::Or(both.to_vec())
                }
            }
            _ => {
                let parts = [self.path(rng, 1), self.path(rng, 1)].map(Box::new);
                let parts = parts.map(|it| {
                    if rng.bool() { RandomFormula::All(it) } else { RandomFormula::Exists(it) }
                });
                RandomFormula::Alike(rng.bool(), Box::new(parts))
            }
        }
    }

    /// Returns a condition on markings.
    pub(crate) fn state(&self, rng: &mut Rng, depth: usize) -> RandomFormula {
        if depth > 0 {
            return self.junction(rng, depth, &mut |rng| self.state(rng, depth - 1));
        }
        match rng.u8(..10) {
            0 => RandomFormula::Deadlock,
            1 if rng.bool() => RandomFormula::True,
            1 => RandomFormula::False,
            2..4 if !self.transitions.is_empty() => {
                RandomFormula::Fireable(some(rng, &self.transitions, 2))
            }
            _ => {
                let relation = RELATIONS[rng.usize(..6)];
                let sides = [self.number(rng, 2), self.number(rng, 2)];
                let [left, right] = sides;
                RandomFormula::Compare(left, relation, right)
            }
        }
    }

    fn number(&self, rng: &mut Rng, depth: usize) -> NumberTree {
        let deeper = depth > 0 && self.has_arithmetic;
        match rng.u8(..8) {
            0..3 => NumberTree::Constant(rng.i64(0..4)),
            5 if deeper => {
                let parts = (0..rng.usize(1..=3)).map(|_| self.number(rng, depth - 1));
                NumberTree::Sum(parts.collect())
            }
            6 if deeper => {
                NumberTree::Difference(Box::new([(); 2].map(|()| self.number(rng, depth - 1))))
            }
            7 if deeper => NumberTree::Times(rng.i64(0..4), Box::new(self.number(rng, depth - 1))),
            _ => NumberTree::Tokens(some(rng, &self.places, 2)),
        }
    }

    /// Joins random parts by a connective.
    fn junction(
        &self,
        rng: &mut Rng,
        depth: usize,
        part: &mut dyn FnMut(&mut Rng) -> RandomFormula,
    ) -> RandomFormula {
        match rng.u8(..if depth > 0 { 7 } else { 1 }) {
            1 => RandomFormula::Not(Box::new(part(rng))),
            2 => RandomFormula::And((0..rng.usize(1..=3)).map(|_| part(rng)).collect()),
            3 => RandomFormula::Or((0..rng.usize(1..=3)).map(|_| part(rng)).collect()),
            4 => RandomFormula::Implies(Box::new([part(rng), part(rng)])),
            5 | 6 => RandomFormula::Alike(rng.bool(), Box::new([part(rng), part(rng)])),
            _ => part(rng),
        }
    }

    /// Returns a CTL formula.
    fn branching(&self, rng: &mut Rng, depth: usize) -> RandomFormula {
        if depth == 0 {
            let joined = usize::from(rng.bool());
            return self.state(rng, joined);
        }
        let part = |rng: &mut Rng| Box::new(self.branching(rng, depth - 1));
        let path = match rng.u8(..7) {
            0 => RandomFormula::Globally(part(rng)),
            1 | 2 => RandomFormula::Finally(part(rng)),
            3 => RandomFormula::Next(part(rng)),
            4 => RandomFormula::Until(Box::new([(); 2].map(|()| self.branching(rng, depth - 1)))),
            _ => return self.junction(rng, 1, &mut |rng| self.branching(rng, depth - 1)),
        };
        if rng.bool() {
            RandomFormula::All(Box::new(path))
        } else {
            RandomFormula::Exists(Box::new(path))
        }
    }

    /// Returns an LTL formula.
    fn path(&self, rng: &mut Rng, depth: usize) -> RandomFormula {
        if depth == 0 {
            return match rng.u8(..6) {
                0 | 1 if self.has_firings && !self.transitions.is_empty() => {
                    RandomFormula::Fires(some(rng, &self.transitions, 2))
                }
                2 if self.has_firings && !self.transitions.is_empty() => self.constraint(rng),
                _ => {
                    let joined = usize::from(rng.bool());
                    self.state(rng, joined)
                }
            };
        }
        let part = |rng: &mut Rng| Box::new(self.path(rng, depth - 1));
        match rng.u8(..8) {
            0 | 1 => RandomFormula::Globally(part(rng)),
            2 | 3 => RandomFormula::Finally(part(rng)),
            4 => RandomFormula::Next(part(rng)),
            5 => RandomFormula::Until(Box::new([(); 2].map(|()| self.path(rng, depth - 1)))),
            _ => self.junction(rng, 1, &mut |rng| self.path(rng, depth - 1)),
        }
    }

    fn constraint(&self, rng: &mut Rng) -> RandomFormula {
        let mut one = || self.transitions[rng.usize(..self.transitions.len())].clone();
        let both = vec![one(), one()];
        match rng.bool() {
            true => RandomFormula::Constraint(ONE[rng.usize(..ONE.len())], both[..1].to_vec()),
            false => RandomFormula::Constraint(TWO[rng.usize(..TWO.len())], both),
        }
    }

    /// Returns comparisons of one place with a number, as in the grammar of 2011.
    fn comparisons(&self, rng: &mut Rng, depth: usize) -> RandomFormula {
        if depth > 0 && rng.bool() {
            let parts = |rng: &mut Rng| -> Vec<RandomFormula> {
                (0..2).map(|_| self.comparisons(rng, depth - 1)).collect()
            };
            return match rng.u8(..3) {
                0 => RandomFormula::Not(Box::new(self.comparisons(rng, depth - 1))),
                1 => RandomFormula::And(parts(rng)),
                _ => RandomFormula::Or(parts(rng)),
            };
        }
        let relation = if rng.bool() { ">=" } else { "=" };
        let tokens = NumberTree::Tokens(some(rng, &self.places, 1));
        RandomFormula::Compare(tokens, relation, NumberTree::Constant(rng.i64(0..4)))
    }
}

/// Returns AG or EF of a formula.
fn quantified(all: bool, body: RandomFormula) -> RandomFormula {
    match all {
        true => RandomFormula::All(Box::new(RandomFormula::Globally(Box::new(body)))),
        false => RandomFormula::Exists(Box::new(RandomFormula::Finally(Box::new(body)))),
    }
}
