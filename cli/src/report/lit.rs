//! The truth values of a property's subformulas along an infinite run or a run to a dead marking.
//! The page highlights each subformula at the positions where it holds.

use super::text::Sentence;
use parikh_evidence::{Replayer, description};
use parikh_net::lasso::{LassoRun, RunEnd};
use parikh_net::{FiringStep, Net, RunProperty};
use parikh_temporal::{Lasso, Letter, Node};
use serde::Serialize;

/// A subformula with its truth values along a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SubformulaValues {
    /// The subformula as text, with the quotation marks of the page.
    pub text: Sentence,
    /// A character per position of the run: `1` where the subformula holds, `0` where it does not.
    /// The positions end with the first cycle or with the dead marking.
    pub holds: String,
}

/// The largest number of subformulas shown, beginning with the whole formula.
const MAX_SUBFORMULAS: usize = 12;
/// The largest number of firings, including one cycle, of a run whose subformulas are evaluated.
const MAX_POSITIONS: u128 = 5_000;

/// Returns the subformulas with their values along a run, at most [`MAX_SUBFORMULAS`]. A subformula
/// comes after the formulas that contain it. Constant subformulas are left out. The list is empty
/// if the run has an open end or an empty cycle, or cannot be replayed. It is also empty if the
/// prefix and one cycle together have more than [`MAX_POSITIONS`] firings.
pub(super) fn subformula_values(
    net: &Net,
    property: &RunProperty,
    run: &LassoRun,
) -> Vec<SubformulaValues> {
    let Some(word) = lasso_word(net, property, run) else { return Vec::new() };
    let formulas = property.formulas();
    let mut subformulas = formulas.subformulas(property.formula());
    subformulas.reverse();
    subformulas.retain(|&part| !matches!(formulas.node(part), Node::True | Node::False));
    subformulas.truncate(MAX_SUBFORMULAS);
    let values_of = |formula| SubformulaValues {
        text: Sentence::message(&description::run_property(
            net,
            &RunProperty::new(formulas, formula, property.atoms()),
        )),
        holds: word
            .values(formulas, formula)
            .into_iter()
            .map(|holds| if holds { '1' } else { '0' })
            .collect(),
    };
    subformulas.into_iter().map(values_of).collect()
}

/// Evaluates the atoms of the property at each position of the run. Returns `None` if the run is
/// too long, has an open end or an empty cycle, or cannot be replayed.
fn lasso_word(net: &Net, property: &RunProperty, run: &LassoRun) -> Option<Lasso> {
    let (cycle, is_dead) = match &run.end {
        RunEnd::Repeats(cycle) => (Some(cycle), false),
        RunEnd::Dead => (None, true),
        RunEnd::Anything => return None,
    };
    let firings = run.prefix.firings() + cycle.map_or(0, |cycle| cycle.firings());
    if firings > MAX_POSITIONS {
        return None;
    }
    let (mut replayer, mut letters) = (Replayer::new(net), Vec::<Letter>::new());
    let mut cycle_start = 0;
    for (steps, is_cycle) in [(Some(&run.prefix), false), (cycle, true)] {
        if is_cycle {
            cycle_start = letters.len();
        }
        for step in steps.into_iter().flat_map(|steps| steps.steps()) {
            for _ in 0..step.count {
                letters.push(property.letter(net, replayer.marking(), Some(step.transition)));
                replayer.fire(FiringStep { count: 1, ..*step }).ok()?;
            }
        }
    }
    if is_dead {
        letters.push(property.letter(net, replayer.marking(), None));
    }
    Lasso::new(letters, cycle_start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_formula::{Formula, run_property, text::read_one};
    use parikh_net::text;

    #[test]
    fn subformulas_hold_at_the_right_positions() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q\ntransition u: q -> p");
        let net = net.unwrap();
        let formula: Formula = read_one("X G F q >= 1", "f", &net).formula.unwrap();
        let property = run_property(&formula, &net, true).unwrap();
        let fired = |name| [net.transition_named(name).unwrap()].into_iter().collect();
        let mut cycle: parikh_net::FiringSequence = fired("u");
        cycle.extend(&fired("t"));
        let run = LassoRun { prefix: fired("t"), end: RunEnd::Repeats(cycle) };
        let parts = subformula_values(&net, &property, &run);
        assert_eq!(parts.last().map(|part| &*part.holds), Some("010"), "{parts:?}");
        assert_eq!(parts[0].holds, "111");
        let texts = serde_json::to_string(&parts).unwrap();
        assert!(texts.contains("“q”") && !texts.contains('`'), "{texts}");
        let open = LassoRun { end: RunEnd::Anything, ..run };
        assert!(super::subformula_values(&net, &property, &open).is_empty());
    }
}
