//! Formulas of LTL on finite words: the cases of a process.
//!
//! A *case* is a firing sequence from the initial marking to a final marking. Final markings are
//! dead, so the case ends there. Its word has a letter for each marking with the firing that leaves
//! it, and a last letter for the final marking, which nothing leaves. A run that comes to a dead
//! marking repeats it. So the word of a case, with its last letter repeated, is the word of a run.
//! G, F and U say the same of both words, since every letter after the last one is the last one
//! again. Only X differs: nothing comes after the last letter of a case, so X φ does not hold
//! there.
//!
//! ```text
//! of every case, φ    is    of every run,  F final -> φ'
//! of some case, φ     is    of some run,   F final && φ'
//! ```
//!
//! Here φ' has `!deadlock && X` in place of each `X`, and `final` is the disjunction of the final
//! markings. Final markings of a net that stands for one with inhibitor or reset arcs speak of the
//! model's places.
//!
//! # Source
//! G. De Giacomo, M. Vardi, *Linear temporal logic and linear dynamic logic on finite traces*,
//! IJCAI 2013.

use super::syntax::{Expression, Formula, Relation};
use super::unsupported::Unsupported;
use parikh_net::{Marking, Net};

/// What a formula asks of the cases of `net`, as a formula of its runs.
///
/// # Errors
/// When the net has no final marking, one that is not dead, or path quantifiers stand inside.
pub fn of_cases(formula: &Formula, net: &Net) -> Result<Formula, Unsupported> {
    let finals = net.final_markings();
    if finals.is_empty() {
        return Err(Unsupported::NoFinal);
    }
    // What exceeds the bounds of places is not reached.
    let is_dead = |last| net.marking_of_model(last).is_none_or(|whole| net.is_dead(&whole));
    if !finals.iter().all(is_dead) {
        return Err(Unsupported::FinalNotDead);
    }
    let mut each =
        finals.iter().map(|last| is_marking(net, last)).collect::<Result<Vec<_>, _>>()?;
    let last = match each.len() {
        1 => each.remove(0),
        _ => Formula::Or(each),
    };
    let is_final = Box::new(Formula::Finally(Box::new(last)));
    Ok(match formula {
        Formula::ExistsPath(path) => {
            let both = Formula::And(vec![*is_final, of_words(path)?]);
            Formula::ExistsPath(Box::new(both))
        }
        Formula::AllPaths(path) => {
            Formula::AllPaths(Box::new(Formula::Implies(is_final, Box::new(of_words(path)?))))
        }
        path => Formula::AllPaths(Box::new(Formula::Implies(is_final, Box::new(of_words(path)?)))),
    })
}

/// That the marking is this one.
fn is_marking(net: &Net, marking: &Marking) -> Result<Formula, Unsupported> {
    let compare = |left, relation, tokens| -> Result<Formula, Unsupported> {
        let right = i64::try_from(tokens).map_err(|_| Unsupported::TooLarge)?;
        Ok(Formula::Compare { left, relation, right: Expression::Constant(right) })
    };
    let marked = marking.marked().map(|(place, tokens)| {
        compare(Expression::Tokens(vec![place]), Relation::AtLeast, u128::from(tokens))
    });
    let all = Expression::Tokens(net.model_places().collect());
    let no_more = compare(all, Relation::AtMost, marking.total());
    Ok(Formula::And(marked.chain([no_more]).collect::<Result<_, _>>()?))
}

/// φ' of φ: see the module.
fn of_words(formula: &Formula) -> Result<Formula, Unsupported> {
    let part = |part: &Formula| of_words(part).map(Box::new);
    let all = |parts: &[Formula]| parts.iter().map(of_words).collect::<Result<Vec<_>, _>>();
    Ok(match formula {
        Formula::Next(it) => {
            let goes_on = Formula::Not(Box::new(Formula::Deadlock));
            Formula::And(vec![goes_on, Formula::Next(part(it)?)])
        }
        Formula::AllPaths(_) => return Err(Unsupported::Temporal("A inside a formula of cases")),
        Formula::ExistsPath(_) => return Err(Unsupported::Temporal("E inside a formula of cases")),
        Formula::Globally(it) => Formula::Globally(part(it)?),
        Formula::Finally(it) => Formula::Finally(part(it)?),
        Formula::Not(it) => Formula::Not(part(it)?),
        Formula::And(parts) => Formula::And(all(parts)?),
        Formula::Or(parts) => Formula::Or(all(parts)?),
        Formula::Implies(a, b) => Formula::Implies(part(a)?, part(b)?),
        Formula::Equivalent(a, b) => Formula::Equivalent(part(a)?, part(b)?),
        Formula::Xor(a, b) => Formula::Xor(part(a)?, part(b)?),
        Formula::Until { before, reach } => {
            Formula::Until { before: part(before)?, reach: part(reach)? }
        }
        leaf => leaf.clone(),
    })
}
