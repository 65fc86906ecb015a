//! A list of steps by which every member of a set reaches a target set. A checker can replay the
//! steps.
//!
//! Saturation [inside a set](Diagrams::reachable_within) quickly decides *whether* all members
//! reach a target, but gives no firings. This module finds the answer step by step, backwards from
//! the target. Each step takes one transition and a number of consecutive firings, and adds the
//! members from which these firings lead into the set found so far. A transition fires once, then
//! 2, 4, 8 … times, as long as that adds members. With single firings, places with many tokens
//! would need as many steps as tokens.

use crate::relation::TransitionRelation;
use crate::store::{Diagrams, Set, Stop};
use crate::touch::LevelTouch;
use std::collections::HashMap;

/// Steps: the index of a transition in the given list, and its number of consecutive firings.
pub type CountedSteps = Vec<(usize, u64)>;

/// The powers of one transition: a number of consecutive firings, and the index of the combined
/// effect in the list of rows.
type Powers = Vec<(u64, usize)>;

impl Diagrams<'_> {
    /// Returns steps by which all members of `all` reach a member of `target`. The set `all` must
    /// be closed under firing. Returns `None` if some member cannot reach `target`. `transitions`
    /// are over `levels` levels.
    ///
    /// May collect: the caller must [keep](Self::keep) every other set that it needs later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn steps_back(
        &mut self,
        levels: u32,
        transitions: &[Vec<LevelTouch>],
        target: Set,
        all: Set,
    ) -> Result<Option<CountedSteps>, Stop> {
        if all.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let most = self.most_by_level(all);
        let mut rows: Vec<Vec<LevelTouch>> = Vec::new();
        // One entry per transition: the rows for 1, 2, 4 … firings.
        let mut rows_of: Vec<Powers> = Vec::new();
        for touches in transitions {
            let mut powers = Vec::new();
            if touches.iter().any(|touch| touch.change != 0) {
                let counts = std::iter::successors(Some(1u64), |count| count.checked_mul(2));
                for count in counts {
                    let Some(row) = backwards(touches, count, &most) else { break };
                    powers.push((count, rows.len()));
                    rows.push(row);
                }
            }
            rows_of.push(powers);
        }
        let relation = TransitionRelation::with_reads(levels, &rows, false)?;
        self.cached_for(&relation);
        let mut suffix_of: HashMap<Vec<LevelTouch>, u32> = HashMap::new();
        for &suffix in &relation.transitions {
            suffix_of.insert(relation.touches(suffix).collect(), suffix);
        }
        let suffix_of: Vec<u32> = rows.iter().map(|row| suffix_of[row]).collect();
        self.keep(all);
        let steps = self.go_back(&relation, (&rows_of, &suffix_of), target, all);
        self.release(all);
        self.clean(steps)
    }

    fn go_back(
        &mut self,
        relation: &TransitionRelation,
        (rows_of, suffix_of): (&[Powers], &[u32]),
        target: Set,
        all: Set,
    ) -> Result<Option<CountedSteps>, Stop> {
        let mut steps = Vec::new();
        let mut found = self.intersection_of(target.0, all.0)?;
        loop {
            let before_round = found;
            for (t, powers) in rows_of.iter().enumerate() {
                for &(count, row) in powers {
                    let image = self.fire(relation, 0, found, suffix_of[row])?;
                    let image = self.intersection_of(image, all.0)?;
                    let more = self.union_of(found, image)?;
                    if more == found {
                        break;
                    }
                    steps.push((t, count));
                    found = more;
                    if found == all.0 {
                        return Ok(Some(steps));
                    }
                }
                self.keep(Set(found));
                let collected = self.safe_point();
                self.release(Set(found));
                collected?;
            }
            if found == all.0 {
                return Ok(Some(steps));
            }
            if found == before_round {
                return Ok(None);
            }
        }
    }
}

/// Returns the effect of `count` consecutive firings, reversed. Returns `None` if no member has
/// enough tokens for them.
fn backwards(touches: &[LevelTouch], count: u64, most: &[u64]) -> Option<Vec<LevelTouch>> {
    let mut row = Vec::with_capacity(touches.len());
    for touch in touches.iter().filter(|touch| touch.pre > 0 || touch.change != 0) {
        let taken = if touch.change < 0 { touch.change.unsigned_abs() } else { 0 };
        let pre = count.checked_sub(1)?.checked_mul(taken)?.checked_add(touch.pre)?;
        let change = touch.change.checked_mul(i64::try_from(count).ok()?)?;
        let forwards = LevelTouch { level: touch.level, pre, change };
        let after = pre.checked_add_signed(change)?;
        if pre.max(after) > most[touch.level as usize] {
            return None;
        }
        row.push(forwards.reversed());
    }
    Some(row)
}
