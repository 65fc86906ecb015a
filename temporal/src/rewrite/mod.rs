//! Rewriting of formulas to simpler equivalent formulas.
//!
//! A [`RewriteRule`] looks at the top of a formula and returns an equivalent formula if it applies.
//! Rules are applied bottom-up, and again to their results, until none applies. Each rule has its
//! proof at its function in `shared` and `until` (rules of both logics), `linear` or `branching`.
//! Tests compare each rule alone with the evaluators, on its own example with random formulas in
//! place of the atoms.
//!
//! *Equivalent* means: on every infinite word for linear formulas; at every state of every graph
//! for branching formulas, with finite maximal paths at states without successor.
//!
//! Rules make a formula smaller, or move operators in one direction: X and parts that do not depend
//! on the position move outwards in LTL; EX and AX move inwards in CTL. The number of steps is
//! limited nevertheless.
//!
//! Sources: Somenzi, Bloem, "Efficient Büchi automata from LTL formulae", CAV 2000; Etessami,
//! Holzmann, "Optimizing Büchi automata", CONCUR 2000; Bønneland and others, "Simplification of CTL
//! formulae for efficient model checking of Petri nets", Petri Nets 2018. Every rule is proved
//! here, because some published tables contain wrong rules (AG EF AG EF φ is not EF AG EF φ).

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

/// A rewrite rule for the top of a formula.
#[derive(Clone, Copy, Debug)]
pub struct RewriteRule<P> {
    /// The name of the rule.
    pub name: &'static str,
    /// An example formula to which the rule applies, as text.
    pub example: &'static str,
    /// The result of the rule on the example.
    pub example_result: &'static str,
    /// Returns an equivalent formula if the rule applies to the top of this formula.
    pub apply: fn(&mut Formulas<P>, Formula<P>) -> Option<Formula<P>>,
}

/// A single application of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RewriteStep<P> {
    /// The name of the rule.
    pub rule: &'static str,
    /// The rewritten part of the formula.
    pub original: Formula<P>,
    /// The replacement, used for all occurrences of the part.
    pub replacement: Formula<P>,
}

/// A pending task of the rewriting.
enum RewriteTask<P> {
    /// Rewrite a formula.
    Visit(Formula<P>),
    /// The parts are rewritten; try the rules on the formula itself.
    ApplyRules(Formula<P>),
    /// The first formula was rewritten to the second; copy the final result of the second formula
    /// to the first.
    CopyResult(Formula<P>, Formula<P>),
}

impl<P: Paths> Formulas<P> {
    /// Rewrites a formula until no rule applies or `max_steps` rules were applied. Returns the
    /// result and the applied steps.
    pub fn rewritten(
        &mut self,
        formula: Formula<P>,
        rules: &[RewriteRule<P>],
        max_steps: usize,
    ) -> (Formula<P>, Vec<RewriteStep<P>>) {
        let mut results: HashMap<Formula<P>, Formula<P>> = HashMap::new();
        let mut applied_steps = Vec::new();
        let mut tasks = vec![RewriteTask::Visit(formula)];
        while let Some(task) = tasks.pop() {
            match task {
                RewriteTask::Visit(part) if results.contains_key(&part) => {}
                RewriteTask::Visit(part) => {
                    tasks.push(RewriteTask::ApplyRules(part));
                    crate::formula::for_each_part(self.node(part), |inner| {
                        tasks.push(RewriteTask::Visit(inner));
                    });
                }
                RewriteTask::ApplyRules(part) => {
                    let new = self.replace_parts(part, |inner| results[&inner]);
                    let next_step = (applied_steps.len() < max_steps)
                        .then(|| rules.iter().find_map(|rule| self.apply(rule, new)))
                        .flatten();
                    let Some(step) = next_step else {
                        results.insert(new, new);
                        results.insert(part, new);
                        continue;
                    };
                    applied_steps.push(step);
                    tasks.extend([
                        RewriteTask::CopyResult(part, step.replacement),
                        RewriteTask::Visit(step.replacement),
                    ]);
                }
                RewriteTask::CopyResult(part, new) => {
                    let result = results[&new];
                    results.insert(part, result);
                }
            }
        }
        (results[&formula], applied_steps)
    }

    /// Applies a rule to the top of a formula. Returns `None` if the rule does not apply or changes
    /// nothing.
    fn apply(&mut self, rule: &RewriteRule<P>, before: Formula<P>) -> Option<RewriteStep<P>> {
        let after = (rule.apply)(self, before).filter(|&after| after != before)?;
        Some(RewriteStep { rule: rule.name, original: before, replacement: after })
    }
}
