//! The score of an order.
//!
//! The score adds two numbers, the second with weight 2. Each is divided by the number of levels so
//! that nets of all sizes compare:
//! * *spans*: the sum over all transitions of the number of levels from the first touched level to
//!   the last. Equal tails of touched levels count once, because firing computes them once (in the
//!   spirit of SOUPS). A span counts more if its upper end is high, because firing there works on
//!   the largest part of the diagram.
//! * *open invariants*: the sum over all levels of the number of invariants with places both above
//!   and below. The diagram has to remember the part above. (iRank takes the rank of these
//!   invariants; this score counts them.)

use super::{NetShape, positions};
use std::collections::HashSet;

/// Returns the score of an order; lower is better.
pub fn of(shape: &NetShape, order: &[u32]) -> f64 {
    let levels = order.len().max(1) as f64;
    let position = positions(order);
    let mut spans = 0.0;
    let mut known_tails: HashSet<Vec<u32>> = HashSet::new();
    for (takes, puts) in &shape.transitions {
        let mut touched_levels: Vec<u32> =
            takes.iter().chain(puts).map(|&place| position[place as usize]).collect();
        touched_levels.sort_unstable();
        touched_levels.dedup();
        let (Some(&first), Some(&last)) = (touched_levels.first(), touched_levels.last()) else {
            continue;
        };
        let relative_height = 1.0 - f64::from(first) / levels;
        spans += f64::from(last - first + 1) * 0.5 * (1.0 + relative_height);
        // If an earlier transition touches the same levels after its first touched level, this tail
        // is computed already and does not count again. Transitions that touch more than 16 levels
        // always count in full.
        if let Some(&second) = touched_levels.get(1)
            && touched_levels.len() <= 16
            && !known_tails.insert(touched_levels[1..].to_vec())
        {
            spans -= f64::from(last - second + 1) * 0.5 * (1.0 + relative_height);
        }
    }
    let mut flow_spans = 0.0;
    for flow in &shape.flows {
        let levels = flow.iter().map(|&place| position[place as usize]);
        if let (Some(first), Some(last)) = (levels.clone().min(), levels.max()) {
            flow_spans += f64::from(last - first);
        }
    }
    spans / levels + 2.0 * flow_spans / levels
}
