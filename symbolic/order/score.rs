//! How promising an order is.
//!
//! Two numbers, each per level so that nets of all sizes compare:
//! * *spans*: over all transitions, how many levels there are from the first to the last touched
//!   one, equal tails of touched levels counted once (as firing computes them once), in the spirit
//!   of SOUPS; the upper end counts more where it is high, for what fires there is fired on the
//!   largest part of the diagram;
//! * *open invariants*: over all levels, how many invariants have places both above and below: what
//!   is above has to be remembered (iRank takes the rank of these; here they are counted).

use super::{Shape, positions};
use std::collections::HashSet;

/// Low is good.
pub fn of(shape: &Shape, order: &[u32]) -> f64 {
    let levels = order.len().max(1) as f64;
    let position = positions(order);
    let mut spans = 0.0;
    let mut tails: HashSet<Vec<u32>> = HashSet::new();
    for (takes, puts) in &shape.transitions {
        let mut touched: Vec<u32> =
            takes.iter().chain(puts).map(|&place| position[place as usize]).collect();
        touched.sort_unstable();
        touched.dedup();
        let (Some(&first), Some(&last)) = (touched.first(), touched.last()) else { continue };
        let height = 1.0 - f64::from(first) / levels;
        spans += f64::from(last - first + 1) * 0.5 * (1.0 + height);
        // The part below the first touched level is free if another transition has it.
        if let Some(&second) = touched.get(1)
            && touched.len() <= 16
            && !tails.insert(touched[1..].to_vec())
        {
            spans -= f64::from(last - second + 1) * 0.5 * (1.0 + height);
        }
    }
    let mut open = 0.0;
    for flow in &shape.flows {
        let levels = flow.iter().map(|&place| position[place as usize]);
        if let (Some(first), Some(last)) = (levels.clone().min(), levels.max()) {
            open += f64::from(last - first);
        }
    }
    spans / levels + 2.0 * open / levels
}
