//! Numbered facts, and derivations that facts contradict each other.
//!
//! The checker in `proofs/Refutation.v` numbers facts as it learns them. A conjunction becomes the
//! facts of its parts. This module keeps the same numbers.

use super::formula::{Formula, Inequality};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// The number of a fact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactNumber {
    /// A fact that holds in every reachable marking, by its number.
    Global(usize),
    /// A fact inside an argument about one marking, counted from the end of the global facts.
    Local(usize),
}

impl FactNumber {
    /// Returns the number `count` after this one.
    fn after(self, count: usize) -> FactNumber {
        match self {
            FactNumber::Global(number) => FactNumber::Global(number + count),
            FactNumber::Local(number) => FactNumber::Local(number + count),
        }
    }

    /// Returns the number in the file, where local facts begin at `base`.
    fn in_file(self, base: usize) -> usize {
        match self {
            FactNumber::Global(number) => number,
            FactNumber::Local(number) => base + number,
        }
    }
}

/// A known formula, with the numbers of its facts. A comparison or a disjunction has one number. A
/// conjunction has only the numbers of its parts.
#[derive(Clone, Debug)]
pub(super) enum Fact {
    Comparison(FactNumber, Inequality),
    All(Rc<[Fact]>),
    Any(FactNumber, Rc<[Formula]>),
}

/// Known bounds as facts. The key is the index of a place, and true for an upper bound.
pub(super) type KnownBounds = HashMap<(usize, bool), Fact>;

impl Fact {
    /// Returns true if all numbers of the fact are global and below `end`.
    pub(super) fn is_before(&self, end: usize) -> bool {
        match self {
            Fact::Comparison(FactNumber::Global(number), _)
            | Fact::Any(FactNumber::Global(number), _) => *number < end,
            Fact::All(facts) => facts.iter().all(|fact| fact.is_before(end)),
            Fact::Comparison(..) | Fact::Any(..) => false,
        }
    }
}

/// An allocator of numbers for new facts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbering {
    next: FactNumber,
}

impl Numbering {
    /// Creates an allocator for local facts, with `count` numbers taken.
    pub(super) fn local(count: usize) -> Self {
        Numbering { next: FactNumber::Local(count) }
    }

    /// Creates an allocator for global facts, with `count` numbers taken.
    pub(super) fn global(count: usize) -> Self {
        Numbering { next: FactNumber::Global(count) }
    }

    /// Returns how many numbers are taken.
    pub(super) fn count(&self) -> usize {
        match self.next {
            FactNumber::Global(number) | FactNumber::Local(number) => number,
        }
    }

    /// Adds the facts that a formula states, and gives them numbers.
    pub(super) fn push(&mut self, formula: &Formula) -> Fact {
        let number = self.next;
        match formula {
            Formula::All(parts) => Fact::All(parts.iter().map(|part| self.push(part)).collect()),
            Formula::AtMost(inequality) => {
                self.next = number.after(1);
                Fact::Comparison(number, inequality.clone())
            }
            Formula::Any(parts) => {
                self.next = number.after(1);
                Fact::Any(number, parts.clone().into())
            }
        }
    }
}

/// Facts in a weighted sum, each with its multiplier.
pub(super) type Multiples = Vec<(FactNumber, i128)>;

/// A line of a derivation, which adds one fact.
#[derive(Clone, Debug)]
pub(super) enum Line {
    /// A comparison that follows from a sum of multiples of facts, divided by `divisor` and
    /// rounded.
    Bound { inequality: Inequality, divisor: i128, terms: Multiples },
    /// A formula whose negation leads to a contradiction.
    Cut { formula: Formula, refutation: Derivation },
}

/// The contradiction at the end of a derivation.
#[derive(Clone, Debug)]
pub(super) enum Conclusion {
    /// The sum of multiples of facts has a negative bound and no negative coefficient. No marking
    /// satisfies such a comparison.
    Sum(Multiples),
    /// Each case of a disjunction leads to a contradiction.
    Cases(FactNumber, Vec<Derivation>),
}

/// A derivation of a contradiction.
#[derive(Clone, Debug)]
pub(super) struct Derivation {
    pub(super) lines: Vec<Line>,
    pub(super) conclusion: Conclusion,
}

impl From<Conclusion> for Derivation {
    fn from(conclusion: Conclusion) -> Self {
        Derivation { lines: Vec::new(), conclusion }
    }
}

impl Line {
    /// Returns the formula that this line proves.
    pub(super) fn formula(&self) -> Formula {
        match self {
            Line::Bound { inequality, .. } => Formula::AtMost(inequality.clone()),
            Line::Cut { formula, .. } => formula.clone(),
        }
    }

    /// Writes the line as a consequence of facts: its formula, and a contradiction from the
    /// negation of the formula. The negation has the number `own`.
    pub(super) fn write_consequence(&self, own: usize, out: &mut String) {
        self.formula().write(out);
        out.push(' ');
        match self {
            Line::Bound { divisor, terms, .. } => {
                let own = (FactNumber::Global(own), *divisor);
                let terms = terms.iter().copied().chain([own]).collect();
                Derivation::from(Conclusion::Sum(terms)).write(0, out);
            }
            Line::Cut { refutation, .. } => refutation.write(0, out),
        }
    }
}

impl Derivation {
    /// Writes the derivation. Local facts begin at the number `base`.
    pub(super) fn write(&self, base: usize, out: &mut String) {
        for line in &self.lines {
            match line {
                Line::Bound { inequality, divisor, terms } => {
                    out.push_str("bound ");
                    inequality.write(out);
                    let _ = write!(out, " {divisor} ");
                    write_multiples(terms, base, out);
                }
                Line::Cut { formula, refutation } => {
                    out.push_str("cut ");
                    formula.write(out);
                    out.push(' ');
                    refutation.write(base, out);
                }
            }
            out.push('\n');
        }
        match &self.conclusion {
            Conclusion::Sum(terms) => {
                out.push_str("sum ");
                write_multiples(terms, base, out);
            }
            Conclusion::Cases(fact, cases) => {
                let _ = write!(out, "cases {} {}", fact.in_file(base), cases.len());
                for case in cases {
                    out.push(' ');
                    case.write(base, out);
                }
            }
        }
    }
}

/// Writes facts with multipliers.
fn write_multiples(terms: &Multiples, base: usize, out: &mut String) {
    let _ = write!(out, "{}", terms.len());
    for (fact, multiplier) in terms {
        let _ = write!(out, " {} {multiplier}", fact.in_file(base));
    }
}

/// Returns the contradiction of two facts, one of which implies the negation of the other. `new`
/// numbers the facts of the cases. Without a second fact, the first one contradicts that no place
/// holds fewer than 0 tokens. Returns `None` if there is no contradiction of this form.
pub(super) fn contradiction(
    one: &Fact,
    other: Option<&Fact>,
    new: Numbering,
) -> Option<Conclusion> {
    let Some(other) = other else {
        let Fact::Comparison(number, inequality) = one else { return None };
        let is_negative = inequality.bound < 0 && inequality.sum.iter().all(|&(_, a)| a > 0);
        return is_negative.then(|| Conclusion::Sum(vec![(*number, 1)]));
    };
    match (one, other) {
        (Fact::Comparison(one, left), Fact::Comparison(other, right)) => {
            // With these multipliers, the coefficients cancel each other.
            let (times_left, times_right) = match (&*left.sum, &*right.sum) {
                (&[(p, a)], &[(q, b)]) if p == q && (a > 0) != (b > 0) => {
                    let divisor = gcd(a.unsigned_abs(), b.unsigned_abs()) as i128;
                    (b.abs() / divisor, a.abs() / divisor)
                }
                (a, b) if a.iter().zip(b).all(|(a, b)| a.0 == b.0 && a.1 == -b.1) => (1, 1),
                _ => return None,
            };
            let bound = left.bound.checked_mul(times_left)?;
            let bound = bound.checked_add(right.bound.checked_mul(times_right)?)?;
            let is_contradictory = left.sum.len() == right.sum.len() && bound < 0;
            let terms = vec![(*one, times_left), (*other, times_right)];
            is_contradictory.then_some(Conclusion::Sum(terms))
        }
        (Fact::All(facts), Fact::Any(number, cases))
        | (Fact::Any(number, cases), Fact::All(facts))
            if facts.len() == cases.len() =>
        {
            let case = |(fact, case): (&Fact, &Formula)| {
                let mut new = new;
                let assumed = new.push(case);
                Some(Derivation::from(contradiction(fact, Some(&assumed), new)?))
            };
            let cases = facts.iter().zip(&**cases).map(case).collect::<Option<_>>()?;
            Some(Conclusion::Cases(*number, cases))
        }
        _ => None,
    }
}

/// Returns the greatest common divisor of two positive numbers.
pub(super) fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
