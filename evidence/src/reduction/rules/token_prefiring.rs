//! Fires a transition at the start if it is enabled initially and no other transition can disable
//! it.
//!
//! ```text
//! # deadlock
//! place a 5
//! place b 1
//! place p 1
//! transition h: 2*a + b -> p
//! transition f: 3*p -> b
//! # becomes
//! place a 3
//! place b
//! place p 2
//! transition h: 2*a + b -> p
//! transition f: 3*p -> b
//! ```
//!
//! # Conditions
//! The module `rules` explains the notation.
//!
//! Candidate: a transition t with inputs. Let k ≥ 1 be the least ⌊m₀(p) / pre(t,p)⌋ over them.
//! 1. t does not touch S.
//! 2. No other transition consumes from an input place of t.
//!
//! # Preserves
//! R, D, L.
//!
//! # Soundness
//! By (2) only t decreases its inputs. So in any run that has fired t fewer than k times, t is
//! enabled and can fire k times in total; in a dead marking it has. So every run extends to one
//! with k firings of t, with S unchanged by (1). These firings can be moved to the front, because
//! no other transition needs their inputs. For L: each marking leads to a marking of the reduced
//! net by these firings.
//!
//! # Sources
//! Rule Q of verifypn; token pre-firing in ITS-Tools is the case of a place without producers.

use super::{Candidate, Conditions, Context, Edit, Preserve};
use parikh_net::FiringStep;

/// The rule; the module documentation states the conditions.
pub const RULE: Conditions = Conditions::new("token-prefiring", Preserve::ALL, 2, check);

fn check(net: &Context<'_>, candidate: &Candidate) -> Option<Vec<Edit>> {
    let [t] = candidate.transitions[..] else { return None };
    net.require(1, !net.touches_support(t))?;
    net.require(2, net.pre(t).iter().all(|arc| net.consumer_count(arc.place) == 1))?;
    let count = net.pre(t).iter().map(|arc| net.tokens(arc.place) / arc.weight).min()?;
    let step = FiringStep { transition: t, count };
    (count > 0 && net.can_fire(step)).then(|| vec![Edit::Prefire(step)])
}
