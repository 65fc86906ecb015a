//! A ring of stations that pass a token, the right to be critical.

use super::answers::{Answers, KnownCount, KnownNet};
use super::sketch::Sketch;

/// Makes `stations` stations on a ring. A waiting station with the token may enter; an idle station
/// passes the token on, reading `idle` through a self-loop.
///
/// ```text
/// place idle 1    place wait    place critical    place token    # the token is at station 0
/// transition request: idle -> wait
/// transition enter:   wait + token -> critical
/// transition leave:   critical -> idle + next_token
/// transition pass:    idle + token -> idle + next_token
/// ```
///
/// # Known answers
/// One-safe, live, no deadlock. Markings: the token at one of n stations and any set waiting,
/// n·2ⁿ, or one station critical and any of the others waiting, n·2ⁿ⁻¹; all are reachable, since
/// the token goes round while all are idle. Firings: `request` n·(n·2ⁿ⁻¹ + (n−1)·2ⁿ⁻²) and each of
/// the other three n·2ⁿ⁻¹. The most tokens n + 1, while nobody is critical.
///
/// # Panics
/// Without stations.
pub fn token_ring(stations: u32) -> KnownNet {
    assert!(stations >= 1, "a ring needs a station");
    let mut sketch = Sketch::new(format!("token-ring-{stations}"));
    let places: Vec<_> = (0..stations)
        .map(|i| {
            let names = ["idle", "wait", "critical", "token"];
            let tokens = [1, 0, 0, u32::from(i == 0)];
            [0, 1, 2, 3].map(|k| sketch.place(&format!("{}_{i}", names[k]), tokens[k]))
        })
        .collect();
    for (i, &[idle, wait, critical, token]) in places.iter().enumerate() {
        let next = places[(i + 1) % places.len()][3];
        sketch.transition(&format!("request_{i}"), &[(idle, 1)], &[(wait, 1)]);
        sketch.transition(&format!("enter_{i}"), &[(wait, 1), (token, 1)], &[(critical, 1)]);
        sketch.transition(&format!("leave_{i}"), &[(critical, 1)], &[(idle, 1), (next, 1)]);
        let idle_and_token = [(idle, 1), (token, 1)];
        sketch.transition(&format!("pass_{i}"), &idle_and_token, &[(idle, 1), (next, 1)]);
    }
    let n = u128::from(stations);
    let half = KnownCount::power(2, stations - 1);
    let others_waiting = match stations {
        1 => KnownCount::Exactly(0),
        _ => KnownCount::power(2, stations - 2).times(n * (n - 1)),
    };
    let known = Answers {
        states: half.times(3 * n),
        firings: half.times(n * n).plus(others_waiting).plus(half.times(3 * n)),
        most_in_place: Some(1),
        most_in_marking: Some(u64::from(stations) + 1),
        deadlock: false,
        quasi_live: true,
        live: true,
        stable_place: false,
    };
    KnownNet { net: sketch.build(), known }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_comes_round() {
        let KnownNet { net, known } = token_ring(4);
        assert_eq!(known.states, KnownCount::Exactly(96));
        let mut marking = net.initial().clone();
        for i in 0..4 {
            let pass = net.transition_named(&format!("pass_{i}")).unwrap();
            net.fire(&mut marking, pass).unwrap();
        }
        assert_eq!(&marking, net.initial());
    }
}
