//! Formulas of LTL on finite words: the cases of a process.
//!
//! A *case* is a row of firings from the initial marking to the final one, which is dead: it ends
//! there. Its word has a letter for each marking with the firing that leaves it, and a last one,
//! the final marking, that nothing leaves. A run that comes to a dead marking repeats it, so the
//! word of a case with its last letter again and again is the word of a run; and since whatever
//! comes after the last letter is the last letter again, G, F and U say the same of both. Only X
//! differs: after the last letter of a case there is nothing, so X φ does not hold there. So
//!
//! ```text
//! of every case, φ    is    of every run,  F final -> φ'
//! of some case, φ     is    of some run,   F final && φ'
//! ```
//!
//! where φ' has `!deadlock && X` in place of each `X`.
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
/// When the net has not one final marking, that is not dead, or path quantifiers stand inside.
pub fn of_cases(formula: &Formula, net: &Net) -> Result<Formula, Unsupported> {
    let last = match net.final_markings() {
        [last] if net.is_dead(last) => last,
        [_] => return Err(Unsupported::FinalNotDead),
        _ => return Err(Unsupported::NotOneFinal),
    };
    let is_final = Box::new(Formula::Finally(Box::new(is_marking(net, last)?)));
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
    let all = Expression::Tokens(net.places().collect());
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
