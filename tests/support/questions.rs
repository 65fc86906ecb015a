//! Random formulas with every construct of the formula languages, over the names of a net.

use fastrand::Rng;

/// A formula as a tree. Places and transitions are given by name.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    True,
    False,
    Deadlock,
    Compare(Number, &'static str, Number),
    Fireable(Vec<String>),
    Fires(Vec<String>),
    Not(Box<Form>),
    And(Vec<Form>),
    Or(Vec<Form>),
    Implies(Box<[Form; 2]>),
    /// An equivalence, negated if the flag is false.
    Alike(bool, Box<[Form; 2]>),
    All(Box<Form>),
    Exists(Box<Form>),
    Globally(Box<Form>),
    Finally(Box<Form>),
    Next(Box<Form>),
    Until(Box<[Form; 2]>),
    /// The maximum of the sum of places.
    Bound(Vec<String>),
    /// A constraint of Declare, with its activities.
    Constraint(&'static str, Vec<String>),
}

/// A numeric expression.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Constant(i64),
    Tokens(Vec<String>),
    Sum(Vec<Number>),
    Difference(Box<[Number; 2]>),
    /// A constant times a number.
    Times(i64, Box<Number>),
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

const ONE: [&str; 6] = ["existence", "existence2", "absence", "absence2", "exactly_one", "init"];

const TWO: [&str; 16] = [
    "choice",
    "exclusive_choice",
    "responded_existence",
    "co_existence",
    "not_co_existence",
    "response",
    "precedence",
    "succession",
    "not_succession",
    "alternate_response",
    "alternate_precedence",
    "alternate_succession",
    "chain_response",
    "chain_precedence",
    "chain_succession",
    "not_chain_succession",
];

fn some(rng: &mut Rng, names: &[String], most: usize) -> Vec<String> {
    (0..rng.usize(1..=most)).map(|_| names[rng.usize(..names.len())].clone()).collect()
}

impl Vocabulary {
    /// Returns a complete formula of one logic, or one that mixes logics.
    pub(crate) fn formula(&self, rng: &mut Rng) -> Form {
        if !self.is_rich {
            let body = self.comparisons(rng, 2);
            return quantified(rng.bool(), body);
        }
        let depth = rng.usize(0..4);
        match rng.u8(..16) {
            0 => Form::Bound(some(rng, &self.places, 3)),
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
                    0 => Form::All(Box::new(path)),
                    1 => Form::Exists(Box::new(path)),
                    _ => path,
                }
            }
            14 => {
                // A formula that mixes both logics.
                let both = [self.branching(rng, 1), self.path(rng, 1)];
                if rng.bool() { Form::And(both.to_vec()) } else { Form::Or(both.to_vec()) }
            }
            _ => {
                let parts = [self.path(rng, 1), self.path(rng, 1)].map(Box::new);
                let parts =
                    parts.map(|it| if rng.bool() { Form::All(it) } else { Form::Exists(it) });
                Form::Alike(rng.bool(), Box::new(parts))
            }
        }
    }

    /// Returns a condition on markings.
    pub(crate) fn state(&self, rng: &mut Rng, depth: usize) -> Form {
        if depth > 0 {
            return self.junction(rng, depth, &mut |rng| self.state(rng, depth - 1));
        }
        match rng.u8(..10) {
            0 => Form::Deadlock,
            1 if rng.bool() => Form::True,
            1 => Form::False,
            2..4 if !self.transitions.is_empty() => Form::Fireable(some(rng, &self.transitions, 2)),
            _ => {
                let relation = RELATIONS[rng.usize(..6)];
                let sides = [self.number(rng, 2), self.number(rng, 2)];
                let [left, right] = sides;
                Form::Compare(left, relation, right)
            }
        }
    }

    fn number(&self, rng: &mut Rng, depth: usize) -> Number {
        let deeper = depth > 0 && self.has_arithmetic;
        match rng.u8(..8) {
            0..3 => Number::Constant(rng.i64(0..4)),
            5 if deeper => {
                let parts = (0..rng.usize(1..=3)).map(|_| self.number(rng, depth - 1));
                Number::Sum(parts.collect())
            }
            6 if deeper => {
                Number::Difference(Box::new([(); 2].map(|()| self.number(rng, depth - 1))))
            }
            7 if deeper => Number::Times(rng.i64(0..4), Box::new(self.number(rng, depth - 1))),
            _ => Number::Tokens(some(rng, &self.places, 2)),
        }
    }

    /// Joins random parts by a connective.
    fn junction(
        &self,
        rng: &mut Rng,
        depth: usize,
        part: &mut dyn FnMut(&mut Rng) -> Form,
    ) -> Form {
        match rng.u8(..if depth > 0 { 7 } else { 1 }) {
            1 => Form::Not(Box::new(part(rng))),
            2 => Form::And((0..rng.usize(1..=3)).map(|_| part(rng)).collect()),
            3 => Form::Or((0..rng.usize(1..=3)).map(|_| part(rng)).collect()),
            4 => Form::Implies(Box::new([part(rng), part(rng)])),
            5 | 6 => Form::Alike(rng.bool(), Box::new([part(rng), part(rng)])),
            _ => part(rng),
        }
    }

    /// Returns a CTL formula.
    fn branching(&self, rng: &mut Rng, depth: usize) -> Form {
        if depth == 0 {
            let joined = usize::from(rng.bool());
            return self.state(rng, joined);
        }
        let part = |rng: &mut Rng| Box::new(self.branching(rng, depth - 1));
        let path = match rng.u8(..7) {
            0 => Form::Globally(part(rng)),
            1 | 2 => Form::Finally(part(rng)),
            3 => Form::Next(part(rng)),
            4 => Form::Until(Box::new([(); 2].map(|()| self.branching(rng, depth - 1)))),
            _ => return self.junction(rng, 1, &mut |rng| self.branching(rng, depth - 1)),
        };
        if rng.bool() { Form::All(Box::new(path)) } else { Form::Exists(Box::new(path)) }
    }

    /// Returns an LTL formula.
    fn path(&self, rng: &mut Rng, depth: usize) -> Form {
        if depth == 0 {
            return match rng.u8(..6) {
                0 | 1 if self.has_firings && !self.transitions.is_empty() => {
                    Form::Fires(some(rng, &self.transitions, 2))
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
            0 | 1 => Form::Globally(part(rng)),
            2 | 3 => Form::Finally(part(rng)),
            4 => Form::Next(part(rng)),
            5 => Form::Until(Box::new([(); 2].map(|()| self.path(rng, depth - 1)))),
            _ => self.junction(rng, 1, &mut |rng| self.path(rng, depth - 1)),
        }
    }

    fn constraint(&self, rng: &mut Rng) -> Form {
        let mut one = || self.transitions[rng.usize(..self.transitions.len())].clone();
        let both = vec![one(), one()];
        match rng.bool() {
            true => Form::Constraint(ONE[rng.usize(..ONE.len())], both[..1].to_vec()),
            false => Form::Constraint(TWO[rng.usize(..TWO.len())], both),
        }
    }

    /// Returns comparisons of one place with a number, as in the grammar of 2011.
    fn comparisons(&self, rng: &mut Rng, depth: usize) -> Form {
        if depth > 0 && rng.bool() {
            let parts = |rng: &mut Rng| -> Vec<Form> {
                (0..2).map(|_| self.comparisons(rng, depth - 1)).collect()
            };
            return match rng.u8(..3) {
                0 => Form::Not(Box::new(self.comparisons(rng, depth - 1))),
                1 => Form::And(parts(rng)),
                _ => Form::Or(parts(rng)),
            };
        }
        let relation = if rng.bool() { ">=" } else { "=" };
        let tokens = Number::Tokens(some(rng, &self.places, 1));
        Form::Compare(tokens, relation, Number::Constant(rng.i64(0..4)))
    }
}

/// Returns AG or EF of a formula.
fn quantified(all: bool, body: Form) -> Form {
    match all {
        true => Form::All(Box::new(Form::Globally(Box::new(body)))),
        false => Form::Exists(Box::new(Form::Finally(Box::new(body)))),
    }
}
