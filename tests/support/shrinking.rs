//! Minimisation of failures: a test that fails on a random net of forty nodes usually also fails on
//! a net of five. The smaller net is found, and the test fails on this net.
//!
//! Transitions, places, arcs, weights and tokens are removed one at a time, while the test still
//! panics at the same line. (Many tests panic for another reason on an empty net.) If a test draws
//! other random values, it must draw them again from the same seed for each net.

use parikh_net::{Net, NetBuilder, text};
use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// Maximal number of nets tried for a failure.
const TRIALS: usize = 3_000;

thread_local! {
    /// True while panics of this thread are expected and printed nowhere.
    static QUIET: Cell<bool> = const { Cell::new(false) };
    /// The file and line of the last silent panic.
    static LINE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Runs `test` on `net`. If it panics, runs it again on a minimised net that makes it panic at the
/// same line.
pub(crate) fn shrinking<T>(net: &Net, mut test: impl FnMut(&Net) -> T) -> T {
    let line = match quietly(|| test(net)) {
        Ok(value) => return value,
        Err(line) => line,
    };
    let least = least(net, |net| quietly(|| test(net)).is_err_and(|at| at == line));
    eprintln!(
        "on a random net something failed at {line}; now the same on\n{}",
        text::print(&least)
    );
    test(&least);
    panic!("it failed at {line}, but not a second time");
}

/// Returns a minimal net for which `fails` returns true, starting from such a net.
pub(crate) fn least(net: &Net, mut fails: impl FnMut(&Net) -> bool) -> Net {
    let mut least = NetParts::of(net);
    let mut trials = 0;
    let mut smaller = |parts: &NetParts| {
        parts.smaller().into_iter().find(|parts| {
            trials += 1;
            trials <= TRIALS && fails(&parts.net())
        })
    };
    while let Some(parts) = smaller(&least) {
        least = parts;
    }
    least.net()
}

/// Returns the result of `work`, or the line at which it panicked.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let aloud = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if QUIET.get() {
                LINE.set(info.location().map(ToString::to_string).unwrap_or_default());
            } else {
                aloud(info);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(false);
    result.map_err(|_| LINE.take())
}

/// One side of a transition: indices of places, and weights.
type TransitionSide = Vec<(usize, u64)>;

/// A net from which parts can be removed.
#[derive(Clone)]
struct NetParts {
    name: String,
    /// Names and initial tokens.
    places: Vec<(String, u64)>,
    /// Names, inputs and outputs.
    transitions: Vec<(String, [TransitionSide; 2])>,
}

impl NetParts {
    fn of(net: &Net) -> NetParts {
        let name = |p| (net.place_name(p).to_owned(), net.initial()[p]);
        let sides = |t| {
            [net.pre(t), net.post(t)]
                .map(|row| row.iter().map(|arc| (arc.place.index(), arc.weight)).collect())
        };
        NetParts {
            name: net.name().to_owned(),
            places: net.places().map(name).collect(),
            transitions: net
                .transitions()
                .map(|t| (net.transition_name(t).to_owned(), sides(t)))
                .collect(),
        }
    }

    fn net(&self) -> Net {
        let mut builder = NetBuilder::new(self.name.as_str());
        let places: Vec<_> = self
            .places
            .iter()
            .map(|(name, tokens)| builder.place(name, *tokens).expect("a part of a net"))
            .collect();
        for (name, [taken, put]) in &self.transitions {
            let t = builder.transition(name).expect("a part of a net");
            for &(p, weight) in taken {
                builder.take(t, places[p], weight).expect("a part of a net");
            }
            for &(p, weight) in put {
                builder.put(t, places[p], weight).expect("a part of a net");
            }
        }
        builder.build().expect("a part of a net")
    }

    /// Returns all nets with one element less. Large removals come first.
    fn smaller(&self) -> Vec<NetParts> {
        let with = |change: &dyn Fn(&mut NetParts)| {
            let mut parts = self.clone();
            change(&mut parts);
            parts
        };
        let mut all = Vec::new();
        for t in 0..self.transitions.len() {
            all.push(with(&|parts| _ = parts.transitions.remove(t)));
        }
        for p in 0..self.places.len() {
            all.push(with(&|parts| parts.remove_place(p)));
        }
        for (t, (_, sides)) in self.transitions.iter().enumerate() {
            for (side, row) in sides.iter().enumerate() {
                for (at, &(_, weight)) in row.iter().enumerate() {
                    all.push(with(&|parts| _ = parts.transitions[t].1[side].remove(at)));
                    if weight > 1 {
                        all.push(with(&|parts| parts.transitions[t].1[side][at].1 = 1));
                    }
                }
            }
        }
        for (p, &(_, tokens)) in self.places.iter().enumerate() {
            let fewer = [0, tokens / 2, tokens.saturating_sub(1)];
            for fewer in fewer.into_iter().filter(|&fewer| fewer < tokens) {
                all.push(with(&|parts| parts.places[p].1 = fewer));
            }
        }
        all
    }

    /// Removes a place and the arcs at the place.
    fn remove_place(&mut self, p: usize) {
        self.places.remove(p);
        for side in self.transitions.iter_mut().flat_map(|(_, sides)| sides) {
            side.retain(|&(place, _)| place != p);
            side.iter_mut().filter(|(place, _)| *place > p).for_each(|(place, _)| *place -= 1);
        }
    }
}
