//! Three-valued evaluation of a formula on a finite prefix of a word.
//!
//! At the position after the last letter, everything is unknown. Before it, φ U ψ is ψ here, or φ
//! here and φ U ψ at the next position, in Kleene's three values. The value true holds for every
//! infinite word with this prefix, the value false for none. Some formulas that are determined
//! remain unknown, for example p ∨ ¬p on the empty prefix.

use crate::atom::Letter;
use crate::formula::{Formula, Ltl, Node};
use crate::paths::Linear;
use crate::subformulas::PartValues;
use crate::value::PartialTruth;

impl Ltl {
    /// Returns the value of the formula on all words that begin with these letters, or unknown.
    /// Takes time formula × letters.
    pub fn value_after_prefix(&self, formula: Formula<Linear>, letters: &[Letter]) -> PartialTruth {
        let values_of_part =
            self.fold(formula, |_, node, value: &PartValues<_, Vec<PartialTruth>>| {
                let mut values_of_part = vec![PartialTruth::Unknown; letters.len() + 1];
                for (position, letter) in letters.iter().enumerate().rev() {
                    values_of_part[position] = match node {
                        Node::True => PartialTruth::True,
                        Node::False => PartialTruth::False,
                        Node::Literal(literal) => letter.satisfies(*literal).into(),
                        Node::And(operands) => operands
                            .iter()
                            .fold(PartialTruth::True, |v, &it| v.and(value[it][position])),
                        Node::Or(operands) => operands
                            .iter()
                            .fold(PartialTruth::False, |v, &it| v.or(value[it][position])),
                        Node::Next(_, part) => value[*part][position + 1],
                        Node::Until(_, left, right) => value[*right][position]
                            .or(value[*left][position].and(values_of_part[position + 1])),
                        Node::Release(_, left, right) => value[*right][position]
                            .and(value[*left][position].or(values_of_part[position + 1])),
                    };
                }
                values_of_part
            });
        values_of_part[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse_ltl;
    use crate::{AtomId, AtomNames};

    #[test]
    fn letters_decide_what_they_have_shown() {
        let mut formulas = Ltl::default();
        let mut names = AtomNames::default();
        let mut value = |text: &str, letters: &[&[u32]]| {
            let formula = parse_ltl(text, &mut formulas, &mut names).unwrap();
            let letters: Vec<Letter> =
                letters.iter().map(|it| Letter::of(it.iter().copied().map(AtomId))).collect();
            formulas.value_after_prefix(formula, &letters)
        };
        assert_eq!(value("F a", &[&[], &[], &[0]]), PartialTruth::True);
        assert_eq!(value("F a", &[&[], &[]]), PartialTruth::Unknown);
        assert_eq!(value("G a", &[&[0], &[]]), PartialTruth::False);
        assert_eq!(value("X X a", &[&[0], &[0], &[]]), PartialTruth::False);
        assert_eq!(value("a U b", &[&[0], &[0], &[1]]), PartialTruth::True);
        assert_eq!(value("a U b", &[&[0], &[], &[1]]), PartialTruth::False);
        assert_eq!(value("G F a", &[&[0], &[0]]), PartialTruth::Unknown);
        assert_eq!(value("a", &[]), PartialTruth::Unknown);
    }
}
