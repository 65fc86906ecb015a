//! Test of insensitivity: does a formula depend only on the labels that it names? That is, can
//! steps with other labels be inserted and removed anywhere in a word without changing its value?
//!
//! `G(a -> F b)` is insensitive. `X a` is not, and neither is `G a`, which forbids other steps. The
//! test is compositional and incomplete: some insensitive formulas are not detected.
//!
//! *Silent* steps are those with labels that the formula does not name. A formula is *steady* if
//! its value at a step that is not silent does not change when silent steps are inserted or removed
//! later. For a steady formula, the test determines its value at silent steps:
//!
//! - A label is steady and false at silent steps; its negation is true.
//! - φ ∧ ψ, if both are steady: false if one of them is; true if both are; equal to the value at
//!   the next step if both are. φ ∨ ψ likewise with true and false exchanged.
//! - X φ, if φ equals its value at the next step: steady. If the step after is silent, φ there
//!   equals φ at the step after that; otherwise nothing was inserted.
//! - φ U ψ, if ψ is false and φ is true at silent steps: a silent step neither ends nor breaks the
//!   waiting. Also if ψ equals its value at the next step, and φ is true or equals its value at the
//!   next step: the waiting ends or breaks at a silent step only if it does so at the next step
//!   that is not silent. In both cases the formula is steady and equals its value at the next step.
//! - φ R ψ is ¬(¬φ U ¬ψ).
//!
//! A steady formula that equals its value at the next step at all silent steps is insensitive.
//!
//! Source: the idea is stutter invariance, D. Peled and T. Wilke, *Stutter-invariant temporal
//! properties are expressible without the next-time operator*, IPL 1997; here for letters that may
//! be absent.

use parikh_temporal::{AtomId, Formula, Linear, Ltl, Node};

/// Known properties of a steady formula at silent steps, that is, steps with labels that the
/// formula does not name. A formula is steady if later silent steps do not change its value at
/// other steps. Several of the properties may hold. A flag that is false means that the property is
/// not shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct SilentStepValue {
    /// The formula is false at all silent steps.
    is_false: bool,
    /// The formula is true at all silent steps.
    is_true: bool,
    /// The value equals the value at the next step.
    is_next: bool,
}

impl SilentStepValue {
    const FALSE: SilentStepValue =
        SilentStepValue { is_false: true, is_true: false, is_next: false };
    const UNKNOWN: SilentStepValue =
        SilentStepValue { is_false: false, is_true: false, is_next: false };
    const NEXT: SilentStepValue =
        SilentStepValue { is_false: false, is_true: false, is_next: true };

    fn constant(value: bool) -> SilentStepValue {
        SilentStepValue { is_false: !value, is_true: value, is_next: true }
    }

    fn negated(self) -> SilentStepValue {
        SilentStepValue { is_false: self.is_true, is_true: self.is_false, is_next: self.is_next }
    }

    fn and(self, other: SilentStepValue) -> SilentStepValue {
        SilentStepValue {
            is_false: self.is_false || other.is_false,
            is_true: self.is_true && other.is_true,
            is_next: self.is_next && other.is_next,
        }
    }

    /// Returns the properties of `self U end` at silent steps. Returns `None` if this formula is
    /// not shown to be steady.
    fn until(self, end: SilentStepValue) -> Option<SilentStepValue> {
        let keeps_waiting = end.is_false && self.is_true;
        let is_postponed = end.is_next && (self.is_true || self.is_next);
        (keeps_waiting || is_postponed).then_some(SilentStepValue::NEXT)
    }
}

/// Returns true if the formula is shown to depend only on the labels that it names: its value at
/// every step with an unnamed label equals its value at the next step.
/// `never_holds` returns true for the atoms that correspond to no label.
pub(crate) fn is_insensitive(
    formulas: &Ltl,
    formula: Formula<Linear>,
    never_holds: impl Fn(AtomId) -> bool,
) -> bool {
    value_at_silent_steps(formulas, formula, &never_holds).is_some_and(|it| it.is_next)
}

/// Returns the properties of the formula at silent steps, or `None` if it is not shown to be
/// steady.
fn value_at_silent_steps(
    formulas: &Ltl,
    formula: Formula<Linear>,
    never_holds: &dyn Fn(AtomId) -> bool,
) -> Option<SilentStepValue> {
    let value_of = |part: Formula<Linear>| value_at_silent_steps(formulas, part, never_holds);
    match formulas.node(formula) {
        Node::True => Some(SilentStepValue::constant(true)),
        Node::False => Some(SilentStepValue::constant(false)),
        Node::Literal(literal) => {
            let atom = match never_holds(literal.atom) {
                true => SilentStepValue::constant(false),
                false => SilentStepValue::FALSE,
            };
            Some(if literal.positive { atom } else { atom.negated() })
        }
        Node::And(parts) => parts
            .iter()
            .try_fold(SilentStepValue::constant(true), |all, &part| Some(all.and(value_of(part)?))),
        Node::Or(parts) => {
            let none = SilentStepValue::constant(true);
            let all =
                parts.iter().try_fold(none, |all, &part| Some(all.and(value_of(part)?.negated())));
            all.map(SilentStepValue::negated)
        }
        Node::Next(_, part) => {
            value_of(*part).filter(|it| it.is_next).map(|_| SilentStepValue::UNKNOWN)
        }
        Node::Until(_, wait, end) => value_of(*wait)?.until(value_of(*end)?),
        Node::Release(_, release, kept) => {
            value_of(*release)?.negated().until(value_of(*kept)?.negated())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_insensitive;
    use parikh_temporal::{AtomNames, Lasso, Letter, Ltl, parse_ltl};

    fn sees_its_labels_only(text: &str) -> bool {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
        is_insensitive(&formulas, formula, |_| false)
    }

    #[test]
    fn typical_formulas_are_classified() {
        for text in [
            "true",
            "G(!a)",
            "F(a & X(!b U a))",
            "!a W (b | c)",
            "G((a & (!b W c)) -> F(d & (!e W f)))",
            "G(F(a & X(!b U a)))",
            "((a -> G(!b)) W (c | d))",
            "G(a -> X(!a U b))",
        ] {
            assert!(sees_its_labels_only(text), "{text}");
        }
        for text in ["a", "G(a)", "X(!a)", "G(a -> X(!a))", "a U b", "G(F(!a))", "F(X(a))"] {
            assert!(!sees_its_labels_only(text), "{text}");
        }
    }

    /// Compares the test with words: words that differ only in silent steps must have the same
    /// value.
    #[test]
    fn insensitive_formulas_do_not_distinguish_equivalent_words() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut tried, mut known) = (0, 0);
        for _ in 0..20_000 {
            let depth = random.usize(1..=4);
            let text = crate::generate::random_linear(&mut random, depth);
            let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
            let formula = parse_ltl(&text, &mut formulas, &mut names).unwrap();
            tried += 1;
            if !is_insensitive(&formulas, formula, |_| false) {
                continue;
            }
            known += usize::from(text.contains('l'));
            let labels = names.len() as u32;
            let word = |random: &mut fastrand::Rng, most| -> Vec<Option<u32>> {
                let one = |random: &mut fastrand::Rng| {
                    Some(random.u32(0..=labels)).filter(|&it| it < labels)
                };
                (0..random.usize(0..=most)).map(|_| one(random)).collect()
            };
            let (prefix, cycle) = (word(&mut random, 4), word(&mut random, 3));
            // A cycle of silent steps stays non-empty.
            let cycle = if cycle.is_empty() { vec![None] } else { cycle };
            let changed = |random: &mut fastrand::Rng, part: &[Option<u32>]| {
                let mut changed = Vec::new();
                for letter in part {
                    (0..random.usize(0..=2)).for_each(|_| changed.push(None));
                    if letter.is_some() || random.bool() {
                        changed.push(*letter);
                    }
                }
                changed
            };
            let value = |prefix: &[Option<u32>], cycle: &[Option<u32>]| {
                let letter = |it: &Option<u32>| Letter::of(it.map(parikh_temporal::AtomId));
                let letters = prefix.iter().chain(cycle).map(letter).collect();
                Lasso::new(letters, prefix.len()).unwrap().satisfies(&formulas, formula)
            };
            let other_prefix = changed(&mut random, &prefix);
            let mut other_cycle = changed(&mut random, &cycle);
            if other_cycle.is_empty() {
                other_cycle.push(None);
            }
            assert_eq!(
                value(&prefix, &cycle),
                value(&other_prefix, &other_cycle),
                "{text}: {prefix:?} {cycle:?}"
            );
        }
        assert!(known > 500, "{known} of {tried}");
    }
}
