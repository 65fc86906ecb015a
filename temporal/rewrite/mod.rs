//! Equal formulas that are simpler.
//!
//! A [`Rule`] looks at the top of a formula and says what it is equal to, if it knows better. Rules
//! are tried from the bottom up, again on what they make, until none has anything to say. Each
//! stands with its argument in `shared` (rules of both logics), `linear` or `branching`; each is
//! tried alone against the evaluators, on its own example with random formulas in place of the
//! atoms.
//!
//! *Equal* is meant everywhere: on every infinite word for linear formulas, at every state of every
//! graph for branching ones, with finite maximal paths where a state has no successor.
//!
//! Rules either make a formula smaller, or move operators in one direction: X and what does not
//! depend on the position outwards in LTL, EX and AX inwards in CTL. The number of steps is limited
//! all the same.
//!
//! Sources: Somenzi, Bloem, "Efficient Büchi automata from LTL formulae", CAV 2000; Etessami,
//! Holzmann, "Optimizing Büchi automata", CONCUR 2000; Bønneland and others, "Simplification of CTL
//! formulae for efficient model checking of Petri nets", Petri Nets 2018. None is taken from a
//! table unproved: others' tables had rules that do not hold (AG EF AG EF φ is not EF AG EF φ).

mod branching;
mod implied;
mod linear;
mod shared;
mod until;

pub use branching::BRANCHING_RULES;
pub use linear::LINEAR_RULES;

use crate::formula::{Formula, Formulas};
use crate::paths::Paths;
use std::collections::HashMap;

/// What a formula is equal to, by its top.
#[derive(Clone, Copy, Debug)]
pub struct Rule<P> {
    /// What the rule is called.
    pub name: &'static str,
    /// A formula to which it applies, as text.
    pub before: &'static str,
    /// What it makes of that.
    pub after: &'static str,
    /// An equal formula, if the rule applies to the top of this one.
    pub apply: fn(&mut Formulas<P>, Formula<P>) -> Option<Formula<P>>,
}

/// That a rule was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step<P> {
    /// The name of the rule.
    pub rule: &'static str,
    /// A part of the formula as it was by then.
    pub before: Formula<P>,
    /// What it was replaced by, everywhere.
    pub after: Formula<P>,
}

/// What is still to be done.
enum Task<P> {
    /// Rewrite a formula.
    Visit(Formula<P>),
    /// Its parts are rewritten: look at the formula itself.
    Leave(Formula<P>),
    /// The first is what has become of the second.
    Same(Formula<P>, Formula<P>),
}

impl<P: Paths> Formulas<P> {
    /// An equal formula to which no rule applies, or which took so many `steps`; and which they
    /// were.
    pub fn rewritten(
        &mut self,
        formula: Formula<P>,
        rules: &[Rule<P>],
        steps: usize,
    ) -> (Formula<P>, Vec<Step<P>>) {
        let mut done: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        let mut taken = Vec::new();
        let mut tasks = vec![Task::Visit(formula)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(part) if done.contains_key(&part) => {}
                Task::Visit(part) => {
                    tasks.push(Task::Leave(part));
                    crate::formula::for_each_part(self.node(part), |inner| {
                        tasks.push(Task::Visit(inner));
                    });
                }
                Task::Leave(part) => {
                    let new = self.with_parts(part, |inner| done[&inner]);
                    let applied = (taken.len() < steps)
                        .then(|| rules.iter().find_map(|rule| self.apply(rule, new)))
                        .flatten();
                    let Some(step) = applied else {
                        done.insert(new, new);
                        done.insert(part, new);
                        continue;
                    };
                    taken.push(step);
                    tasks.extend([Task::Same(part, step.after), Task::Visit(step.after)]);
                }
                Task::Same(part, new) => {
                    let result = done[&new];
                    done.insert(part, result);
                }
            }
        }
        (done[&formula], taken)
    }

    fn apply(&mut self, rule: &Rule<P>, before: Formula<P>) -> Option<Step<P>> {
        let after = (rule.apply)(self, before).filter(|&after| after != before)?;
        Some(Step { rule: rule.name, before, after })
    }
}
