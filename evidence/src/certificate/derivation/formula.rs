//! Formulas over comparisons, as a file of claims has them.

use parikh_net::{Atom, Predicate};
use std::fmt::Write as _;
use std::rc::Rc;

/// The comparison Σ a·m(p) ≤ bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inequality {
    /// The places by index, ascending, with their coefficients, which are not 0.
    pub(crate) sum: Rc<[(usize, i128)]>,
    pub(crate) bound: i128,
}

/// A formula whose leaves are comparisons: `All` is a conjunction, and `Any` a disjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    AtMost(Inequality),
    All(Vec<Formula>),
    Any(Vec<Formula>),
}

impl Inequality {
    pub(crate) fn new(sum: impl IntoIterator<Item = (usize, i128)>, bound: i128) -> Self {
        let mut sum: Vec<(usize, i128)> = sum.into_iter().collect();
        sum.sort_unstable();
        Inequality { sum: sum.into(), bound }
    }

    pub(crate) fn of(atom: &Atom) -> Self {
        let terms = atom.sum.terms().iter();
        Inequality::new(terms.map(|&(p, a)| (p.index(), a.into())), atom.bound.into())
    }

    pub(crate) fn negated(&self) -> Self {
        let sum = self.sum.iter().map(|&(place, a)| (place, -a)).collect();
        Inequality { sum, bound: -self.bound - 1 }
    }

    /// Writes the sum: the number of terms, and each place with its coefficient; then the bound.
    pub(crate) fn write(&self, out: &mut String) {
        let _ = write!(out, "{}", self.sum.len());
        self.sum.iter().for_each(|(place, a)| {
            let _ = write!(out, " {place} {a}");
        });
        let _ = write!(out, " {}", self.bound);
    }
}

impl Formula {
    /// Returns the formula of a predicate, or `None` if the predicate has other leaves than
    /// comparisons and constants.
    pub(crate) fn of(predicate: &Predicate) -> Option<Formula> {
        let all = |parts: &[Predicate]| parts.iter().map(Formula::of).collect::<Option<Vec<_>>>();
        Some(match predicate {
            Predicate::True => Formula::All(Vec::new()),
            Predicate::False => Formula::Any(Vec::new()),
            Predicate::Atom(atom) => Formula::AtMost(Inequality::of(atom)),
            Predicate::And(parts) => Formula::All(all(parts)?),
            Predicate::Or(parts) => Formula::Any(all(parts)?),
            Predicate::Enabled(_) | Predicate::Disabled(_) => return None,
            Predicate::Dead | Predicate::NotDead => return None,
        })
    }

    /// Returns the disjunction of the formulas, or the formula itself if there is only one.
    pub(crate) fn any(mut parts: Vec<Formula>) -> Formula {
        if parts.len() == 1 { parts.remove(0) } else { Formula::Any(parts) }
    }

    /// Returns the negation as the checker computes it.
    pub(crate) fn negated(&self) -> Formula {
        match self {
            Formula::AtMost(inequality) => Formula::AtMost(inequality.negated()),
            Formula::All(parts) => Formula::Any(parts.iter().map(Formula::negated).collect()),
            Formula::Any(parts) => Formula::All(parts.iter().map(Formula::negated).collect()),
        }
    }

    pub(crate) fn write(&self, out: &mut String) {
        let (word, parts) = match self {
            Formula::AtMost(inequality) => {
                out.push_str("most ");
                return inequality.write(out);
            }
            Formula::All(parts) => ("all", parts),
            Formula::Any(parts) => ("any", parts),
        };
        let _ = write!(out, "{word} {}", parts.len());
        for part in parts {
            out.push(' ');
            part.write(out);
        }
    }
}

/// Writes a predicate.
pub(crate) fn write_predicate(predicate: &Predicate, out: &mut String) {
    let (word, parts) = match predicate {
        Predicate::True => ("all", &[][..]),
        Predicate::False => ("any", &[][..]),
        Predicate::And(parts) => ("all", &parts[..]),
        Predicate::Or(parts) => ("any", &parts[..]),
        Predicate::Atom(atom) => {
            out.push_str("most ");
            return Inequality::of(atom).write(out);
        }
        Predicate::Enabled(t) => {
            let _ = write!(out, "enabled {}", t.index());
            return;
        }
        Predicate::Disabled(t) => {
            let _ = write!(out, "disabled {}", t.index());
            return;
        }
        Predicate::Dead => return out.push_str("dead"),
        Predicate::NotDead => return out.push_str("live"),
    };
    let _ = write!(out, "{word} {}", parts.len());
    for part in parts {
        out.push(' ');
        write_predicate(part, out);
    }
}
