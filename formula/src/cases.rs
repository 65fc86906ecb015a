//! Formulas of LTL on finite words: the cases of a process.
//!
//! A *case* is a firing sequence from the initial marking to a final marking. Final markings are
//! dead, so the case ends there. The word of a case has a letter for each marking, with the
//! transition that fires there. The last letter is the final marking, where nothing fires. A run
//! that reaches a dead marking repeats that marking. So repeating the last letter of the word of a
//! case gives the word of a run. G, F and U have the same values on the two words. Only X differs:
//! no letter follows the last letter of a case, so X φ does not hold there.
//!
//! ```text
//! of every case, φ    is    of every run,  F final -> φ'
//! of some case, φ     is    of some run,   F final && φ'
//! ```
//!
//! Here φ' has `!deadlock && X` in place of each `X`, and `final` is the disjunction of the final
//! markings. If the net is the translation of a net with inhibitor or reset arcs, final markings
//! are over the model's places.
//!
//! # Source
//! G. De Giacomo, M. Vardi, *Linear temporal logic and linear dynamic logic on finite traces*,
//! IJCAI 2013.

use super::syntax::{Expression, Formula, NumberRelation};
use super::unsupported::UnsupportedFormula;
use parikh_net::{Marking, Net};

/// Translates a formula about the cases of `net`, that is, its runs that end in a final marking,
/// into a formula about all runs.
///
/// # Errors
/// Returns an error if the net has no final marking, or if a final marking is not dead or has too
/// many tokens. Also returns an error if the formula has path quantifiers inside.
pub fn of_cases(formula: &Formula, net: &Net) -> Result<Formula, UnsupportedFormula> {
    let finals = net.final_markings();
    if finals.is_empty() {
        return Err(UnsupportedFormula::NoFinal);
    }
    // The result of `marking_of_model` is `None` for a final marking that exceeds a known bound of
    // a place. The model cannot reach such a marking, so the marking need not be dead.
    let is_dead = |last| net.marking_of_model(last).is_none_or(|whole| net.is_dead(&whole));
    if !finals.iter().all(is_dead) {
        return Err(UnsupportedFormula::FinalNotDead);
    }
    let mut each =
        finals.iter().map(|last| is_marking(net, last)).collect::<Result<Vec<_>, _>>()?;
    let final_formula = match each.len() {
        1 => each.remove(0),
        _ => Formula::Or(each),
    };
    let is_final = Box::new(Formula::Finally(Box::new(final_formula)));
    Ok(match formula {
        Formula::ExistsPath(path) => {
            let both = Formula::And(vec![*is_final, over_letters(path)?]);
            Formula::ExistsPath(Box::new(both))
        }
        Formula::AllPaths(path) => {
            Formula::AllPaths(Box::new(Formula::Implies(is_final, Box::new(over_letters(path)?))))
        }
        path => {
            Formula::AllPaths(Box::new(Formula::Implies(is_final, Box::new(over_letters(path)?))))
        }
    })
}

/// Returns the formula that holds in exactly this marking.
fn is_marking(net: &Net, marking: &Marking) -> Result<Formula, UnsupportedFormula> {
    let compare = |left, relation, tokens| -> Result<Formula, UnsupportedFormula> {
        let right = i64::try_from(tokens).map_err(|_| UnsupportedFormula::TooLarge)?;
        Ok(Formula::Compare { left, relation, right: Expression::Constant(right) })
    };
    let marked = marking.marked().map(|(place, tokens)| {
        compare(Expression::Tokens(vec![place]), NumberRelation::AtLeast, u128::from(tokens))
    });
    let all_places = Expression::Tokens(net.model_places().collect());
    let total_at_most = compare(all_places, NumberRelation::AtMost, marking.total());
    Ok(Formula::And(marked.chain([total_at_most]).collect::<Result<_, _>>()?))
}

/// Replaces each `X` in the formula by `!deadlock && X`. Returns an error if the formula has path
/// quantifiers.
fn over_letters(formula: &Formula) -> Result<Formula, UnsupportedFormula> {
    let convert = |part: &Formula| over_letters(part).map(Box::new);
    let convert_all =
        |parts: &[Formula]| parts.iter().map(over_letters).collect::<Result<Vec<_>, _>>();
    Ok(match formula {
        Formula::Next(it) => {
            let goes_on = Formula::Not(Box::new(Formula::Deadlock));
            Formula::And(vec![goes_on, Formula::Next(convert(it)?)])
        }
        Formula::AllPaths(_) => {
            return Err(UnsupportedFormula::Temporal("A inside a formula of cases"));
        }
        Formula::ExistsPath(_) => {
            return Err(UnsupportedFormula::Temporal("E inside a formula of cases"));
        }
        Formula::Globally(it) => Formula::Globally(convert(it)?),
        Formula::Finally(it) => Formula::Finally(convert(it)?),
        Formula::Not(it) => Formula::Not(convert(it)?),
        Formula::And(parts) => Formula::And(convert_all(parts)?),
        Formula::Or(parts) => Formula::Or(convert_all(parts)?),
        Formula::Implies(a, b) => Formula::Implies(convert(a)?, convert(b)?),
        Formula::Equivalent(a, b) => Formula::Equivalent(convert(a)?, convert(b)?),
        Formula::Xor(a, b) => Formula::Xor(convert(a)?, convert(b)?),
        Formula::Until { before, reach } => {
            Formula::Until { before: convert(before)?, reach: convert(reach)? }
        }
        leaf => leaf.clone(),
    })
}
