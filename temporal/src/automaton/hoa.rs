//! Automata as text, in the Hanoi Omega-Automata format, version 1, which other tools read.
//!
//! Source: Babiak and others, "The Hanoi Omega-Automata format", CAV 2015.

use super::{Automaton, Marks};
use crate::atom::AtomId;
use crate::text::AtomNames;

impl Automaton {
    /// Returns the automaton in the format HOA v1. An atom without a name is called `p` followed by
    /// its number.
    pub fn hoa(&self, names: &AtomNames) -> String {
        let atoms = self.atoms();
        let mut text = format!("HOA: v1\nStates: {}\nStart: {}\n", self.states.len(), self.initial);
        text.push_str(&format!("AP: {}", atoms.len()));
        for &atom in &atoms {
            let AtomId(number) = atom;
            let name = names.name(atom).map_or_else(|| format!("p{number}"), str::to_owned);
            text.push_str(&format!(" \"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")));
        }
        let acceptance = match self.marks {
            0 => "acc-name: all\nAcceptance: 0 t".to_owned(),
            1 => "acc-name: Buchi\nAcceptance: 1 Inf(0)".to_owned(),
            count => {
                let listed: Vec<_> = (0..count).map(|mark| format!("Inf({mark})")).collect();
                format!(
                    "acc-name: generalized-Buchi {count}\nAcceptance: {count} {}",
                    listed.join(" & ")
                )
            }
        };
        text.push_str(&format!(
            "\n{acceptance}\nproperties: trans-labels explicit-labels trans-acc{}\n--BODY--\n",
            if self.is_deterministic() { " deterministic" } else { "" }
        ));
        for (state, edges) in self.states.iter().enumerate() {
            text.push_str(&format!("State: {state}\n"));
            for edge in edges {
                let literal = |literal: &crate::Literal| {
                    let index = atoms.binary_search(&literal.atom).expect("an atom of an edge");
                    format!("{}{index}", if literal.positive { "" } else { "!" })
                };
                let label: Vec<_> = edge.cube.literals().iter().map(literal).collect();
                let label = if label.is_empty() { "t".to_owned() } else { label.join(" & ") };
                text.push_str(&format!("[{label}] {}", edge.target));
                let marks = edge.marks.and(Marks::all(self.marks));
                if marks != Marks::NONE {
                    let listed: Vec<_> = marks.numbers().map(|mark| mark.to_string()).collect();
                    text.push_str(&format!(" {{{}}}", listed.join(" ")));
                }
                text.push('\n');
            }
        }
        text.push_str("--END--\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::{AtomNames, AutomatonLimits, LinearTableau, Ltl, parse_ltl};

    #[test]
    fn infinitely_often_is_one_state() {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parse_ltl("GFa & GF b", &mut formulas, &mut names).expect("a formula");
        let tableau =
            LinearTableau::new(&formulas, formula, AutomatonLimits::default()).expect("small");
        assert_eq!(
            tableau.automaton.simplified().hoa(&names),
            "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: generalized-Buchi 2\n\
             Acceptance: 2 Inf(0) & Inf(1)\n\
             properties: trans-labels explicit-labels trans-acc deterministic\n--BODY--\nState: 0\n\
             [!0 & !1] 0\n[0 & !1] 0 {0}\n[!0 & 1] 0 {1}\n[0 & 1] 0 {0 1}\n--END--\n"
        );
    }
}
