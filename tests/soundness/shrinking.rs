//! The net printed for a failure on a random net is small.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::shrinking::shrinking;
use parikh::net::{LinearSum, Net};
use parikh_generate::{self as generate, Shape};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;

#[test]
fn a_failure_is_shown_on_a_net_of_five_nodes() {
    // The condition fails if some place can have two more tokens than initially.
    let wrong = |net: &Net| {
        let Some(space) = explore(net, OracleLimits { states: 500, tokens: 60 }) else { return };
        let most = |p| space.maximum(&LinearSum::place(p)) - i128::from(net.initial()[p]);
        assert!(net.places().all(|p| most(p) < 2), "two more on a place");
    };
    let (mut failures, mut sizes) = (0, Vec::new());
    for seed in 0..60 {
        let net = generate::random(seed, &Shape::small(seed));
        let last: Mutex<Option<Net>> = Mutex::new(None);
        let test = |net: &Net| {
            *last.lock().unwrap() = Some(net.clone());
            wrong(net);
        };
        if panic::catch_unwind(AssertUnwindSafe(|| shrinking(&net, test))).is_err() {
            failures += 1;
            let least = last.into_inner().unwrap_or_else(|poison| poison.into_inner()).unwrap();
            sizes.push(least.place_count() + least.transition_count());
        }
    }
    assert!(failures > 5, "{failures}");
    assert!(sizes.iter().all(|&size| size <= 5), "{sizes:?}");
}
