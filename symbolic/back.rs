//! How everything leads back to some members of a set: steps that whoever doubts it can go again.
//!
//! Saturation [inside a set](Diagrams::reachable_within) says quickly *whether* all members lead to
//! a target, and nothing of how. Here the same is found in steps: each takes one transition and how
//! often it fires in a row, and adds, backwards from all that was found before, the members that
//! lead there so. A transition fires once, then twice, four times and so on, as long as that adds
//! anything: where places hold many tokens, there would be as many steps as tokens.

use crate::relation::Relation;
use crate::store::{Diagrams, Set, Stop};
use crate::touch::Touch;
use std::collections::HashMap;

/// Transitions, by their places in the list that was given, and how often each fires in a row.
pub type Steps = Vec<(usize, u64)>;

/// How often a transition fires in a row, and where that row is.
type Powers = Vec<(u64, usize)>;

impl Diagrams<'_> {
    /// Steps by which all members of `all`, which no firing leaves, lead to a member of `target`;
    /// `None` where they do not. `transitions` are over `levels` levels.
    ///
    /// Collects: sets that are to be used later must be [kept](Self::keep).
    ///
    /// # Errors
    ///
    /// When the limits are reached.
    pub fn steps_back(
        &mut self,
        levels: u32,
        transitions: &[Vec<Touch>],
        target: Set,
        all: Set,
    ) -> Result<Option<Steps>, Stop> {
        if all.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let most = self.most_by_level(all);
        let mut rows: Vec<Vec<Touch>> = Vec::new();
        // By transition, its rows: fired once, twice, four times.
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
        let relation = Relation::with_reads(levels, &rows, false)?;
        self.cached_for(&relation);
        let mut suffix_of: HashMap<Vec<Touch>, u32> = HashMap::new();
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
        relation: &Relation,
        (rows_of, suffix_of): (&[Powers], &[u32]),
        target: Set,
        all: Set,
    ) -> Result<Option<Steps>, Stop> {
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

/// So many firings backwards, as a row; `None` where no member has the tokens.
fn backwards(touches: &[Touch], count: u64, most: &[u64]) -> Option<Vec<Touch>> {
    let mut row = Vec::with_capacity(touches.len());
    for touch in touches.iter().filter(|touch| touch.pre > 0 || touch.change != 0) {
        let taken = if touch.change < 0 { touch.change.unsigned_abs() } else { 0 };
        let pre = count.checked_sub(1)?.checked_mul(taken)?.checked_add(touch.pre)?;
        let change = touch.change.checked_mul(i64::try_from(count).ok()?)?;
        let forwards = Touch { level: touch.level, pre, change };
        let after = pre.checked_add_signed(change)?;
        if pre.max(after) > most[touch.level as usize] {
            return None;
        }
        row.push(forwards.reversed());
    }
    Some(row)
}
