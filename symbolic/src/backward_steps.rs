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

/// Steps from the target backwards: the index of a transition in the given list, and its number of
/// consecutive firings.
pub type CountedSteps = Vec<(usize, u64)>;

/// The powers of one transition, that is, blocks of consecutive firings. Each entry has the number
/// of firings and the index of their reversed effect in the list of reversed effects.
type Powers = Vec<(u64, usize)>;

impl Diagrams<'_> {
    /// Returns steps by which all members of `closed_set` reach a member of `target`. The set
    /// `closed_set` must be closed under firing. Returns `None` if some member cannot reach
    /// `target`. `transitions` are over `levels` levels.
    ///
    /// May collect garbage: the caller must [protect](Self::protect) every other set that it needs
    /// later.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached, or if a reversed firing would give more than 2⁶³ −
    /// 1 tokens.
    pub fn steps_back(
        &mut self,
        levels: u32,
        transitions: &[Vec<LevelTouch>],
        target: Set,
        closed_set: Set,
    ) -> Result<Option<CountedSteps>, Stop> {
        if closed_set.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let max_tokens = self.max_tokens_by_level(closed_set);
        let mut reversed_rows: Vec<Vec<LevelTouch>> = Vec::new();
        // One entry per transition: the reversed effects of 1, 2, 4 … firings. The entry is empty
        // if the transition has no effect, or if no member has enough tokens for it.
        let mut powers_of_transition: Vec<Powers> = Vec::new();
        for touches in transitions {
            let mut powers = Vec::new();
            if touches.iter().any(|touch| touch.change != 0) {
                let counts = std::iter::successors(Some(1u64), |count| count.checked_mul(2));
                for count in counts {
                    let Some(row) = reversed_power(touches, count, &max_tokens) else { break };
                    powers.push((count, reversed_rows.len()));
                    reversed_rows.push(row);
                }
            }
            powers_of_transition.push(powers);
        }
        let relation = TransitionRelation::with_reads(levels, &reversed_rows, false)?;
        self.prepare_cache(&relation);
        let mut suffix_of_row: HashMap<Vec<LevelTouch>, u32> = HashMap::new();
        for &suffix in &relation.transitions {
            suffix_of_row.insert(relation.touches(suffix).collect(), suffix);
        }
        let suffix_of_row: Vec<u32> = reversed_rows.iter().map(|row| suffix_of_row[row]).collect();
        self.protect(closed_set);
        let steps = self.search_backwards(
            &relation,
            (&powers_of_transition, &suffix_of_row),
            target,
            closed_set,
        );
        self.release(closed_set);
        self.clear_on_error(steps)
    }

    /// Extends `target` backwards, transition by transition, until it contains all of the closed
    /// set. Returns `None` if no transition extends it further before that. `suffix_of_row` has the
    /// suffix number of each reversed effect that `powers_of_transition` refers to.
    fn search_backwards(
        &mut self,
        relation: &TransitionRelation,
        (powers_of_transition, suffix_of_row): (&[Powers], &[u32]),
        target: Set,
        closed_set: Set,
    ) -> Result<Option<CountedSteps>, Stop> {
        let mut steps = Vec::new();
        let mut reaching = self.intersection_of(target.0, closed_set.0)?;
        loop {
            let before_round = reaching;
            for (t, powers) in powers_of_transition.iter().enumerate() {
                for &(count, row) in powers {
                    let image = self.fire(relation, 0, reaching, suffix_of_row[row])?;
                    let image = self.intersection_of(image, closed_set.0)?;
                    let extended = self.union_of(reaching, image)?;
                    // If a block adds nothing, neither does a longer block: the markings on the
                    // way are members of the closed set, so the shorter block would add them.
                    if extended == reaching {
                        break;
                    }
                    steps.push((t, count));
                    reaching = extended;
                    if reaching == closed_set.0 {
                        return Ok(Some(steps));
                    }
                }
                self.protect(Set(reaching));
                let collected = self.safe_point();
                self.release(Set(reaching));
                collected?;
            }
            if reaching == closed_set.0 {
                return Ok(Some(steps));
            }
            if reaching == before_round {
                return Ok(None);
            }
        }
    }
}

/// Returns the effect of `count` consecutive firings, reversed. Returns `None` if a level would
/// need or get more tokens than its entry in `max_tokens`, or a number overflows. Also returns
/// `None` if an upper limit of the transition excludes so many firings.
fn reversed_power(
    touches: &[LevelTouch],
    count: u64,
    max_tokens: &[u64],
) -> Option<Vec<LevelTouch>> {
    let mut row = Vec::with_capacity(touches.len());
    for touch in touches.iter().filter(|touch| !touch.is_trivial()) {
        let consumed = if touch.change < 0 { touch.change.unsigned_abs() } else { 0 };
        let pre = count.checked_sub(1)?.checked_mul(consumed)?.checked_add(touch.pre)?;
        let change = touch.change.checked_mul(i64::try_from(count).ok()?)?;
        // With an upper limit, the last firing has the most tokens if firings add tokens.
        let produced = if touch.change > 0 { touch.change.unsigned_abs() } else { 0 };
        let max = match touch.max {
            u64::MAX => u64::MAX,
            max => max.checked_sub(count.checked_sub(1)?.checked_mul(produced)?)?,
        };
        if pre > max {
            return None;
        }
        let forwards = LevelTouch { level: touch.level, pre, max, change };
        let tokens_after = pre.checked_add_signed(change)?;
        if pre.max(tokens_after) > max_tokens[touch.level as usize] {
            return None;
        }
        row.push(forwards.reversed());
    }
    Some(row)
}
