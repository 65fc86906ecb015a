//! Random processes, nets with units that are safe as claimed, and soundness by plain enumeration.

use super::oracle::{OracleLimits, StateSpace, explore};
use fastrand::Rng;
use parikh::mcc::Examination::{self, EasySoundness, Soundness, WeakSoundness};
use parikh::net::units::Unit;
use parikh::net::{Marking, Net, NetBuilder, PlaceId, Predicate, TransitionId, UnitId, Units};

/// Returns a random net and a final marking. Three of four nets are processes made by repeated
/// refinement of one step, with up to two random changes. The others are arbitrary nets. The final
/// marking has one token on place 1, and sometimes another token.
pub(crate) fn random_process(seed: u64) -> (Net, Marking) {
    let mut rng = Rng::with_seed(seed);
    // Arcs by transition. Place 0 is the source and place 1 the sink.
    let (mut places, mut steps) = (2, vec![(vec![0], vec![1])]);
    if rng.u8(..4) > 0 {
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..steps.len());
            let (pre, post): (Vec<usize>, Vec<usize>) = steps[at].clone();
            match rng.u8(..4) {
                // A sequence.
                0 => {
                    steps[at] = (pre, vec![places]);
                    steps.push((vec![places], post));
                    places += 1;
                }
                // A choice.
                1 => steps.push((pre, post)),
                // A parallel split and join.
                2 => {
                    steps[at] = (pre, vec![places, places + 1]);
                    steps.push((vec![places], vec![places + 2]));
                    steps.push((vec![places + 2, places + 1], post));
                    places += 3;
                }
                // A loop.
                _ => {
                    steps[at] = (pre, vec![places]);
                    steps.push((vec![places], vec![places]));
                    steps.push((vec![places], post));
                    places += 1;
                }
            }
        }
        // Up to two random changes: an arc more or less, or another transition.
        for _ in 0..rng.usize(..3) {
            let at = rng.usize(..steps.len());
            match rng.u8(..5) {
                0 => steps[at].0.push(rng.usize(..places)),
                1 => steps[at].1.push(rng.usize(..places)),
                2 => drop(steps[at].1.pop()),
                3 => drop(steps[at].0.pop()),
                _ => steps.push((vec![rng.usize(..places)], vec![rng.usize(..places)])),
            }
        }
    } else {
        places += rng.usize(1..4);
        steps.clear();
        for _ in 0..rng.usize(1..6) {
            let mut some = |least| (0..rng.usize(least..3)).map(|_| rng.usize(..places)).collect();
            steps.push((some(1), some(0)));
        }
    }
    let mut builder = NetBuilder::new("process");
    for place in 0..places {
        builder.place(&format!("p{place}"), u64::from(place == 0)).unwrap();
    }
    for (at, (pre, post)) in steps.into_iter().enumerate() {
        let t = builder.transition(&format!("t{at}")).unwrap();
        pre.into_iter().for_each(|p| builder.take(t, PlaceId::new(p), 1).unwrap());
        post.into_iter().for_each(|p| builder.put(t, PlaceId::new(p), 1).unwrap());
    }
    let net = builder.build().unwrap();
    let mut last = Marking::empty(places);
    last[PlaceId::new(1)] = 1;
    if rng.u8(..8) == 0 {
        last[PlaceId::new(rng.usize(..places))] += 1;
    }
    (net, last)
}

/// Adds random nested units, which the model claims to be safe, to a net. They are safe in every
/// reachable marking. Returns `None` if the state space is too large or no drawn tree of units is
/// safe.
pub(crate) fn with_safe_units(net: &Net, rng: &mut Rng) -> Option<Net> {
    let space = explore(net, OracleLimits { states: 400, tokens: 60 })?;
    let trees = (0..8).map(|_| {
        let units = rng.usize(1..=net.place_count().min(4));
        let mut tree: Vec<Unit> = (0..=units)
            .map(|at| Unit {
                name: format!("u{at}").into(),
                places: Vec::new(),
                parent: (at > 0).then(|| UnitId::new(if rng.bool() { 0 } else { rng.usize(..at) })),
            })
            .collect();
        net.places().for_each(|p| tree[rng.usize(1..=units)].places.push(p));
        tree
    });
    // The last resort: each place has a unit of its own, which is safe if the net is one-safe.
    let singles = std::iter::once(|| {
        let unit = |name: String, places, parent| Unit { name: name.into(), places, parent };
        let single = |p: PlaceId| unit(format!("s{}", p.index()), vec![p], Some(UnitId::new(0)));
        let root = unit("root".to_owned(), Vec::new(), None);
        std::iter::once(root).chain(net.places().map(single)).collect::<Vec<Unit>>()
    });
    let trees: Vec<Vec<Unit>> = trees.chain(singles.map(|tree| tree())).collect();
    let is_safe = |units: &Units| space.markings().iter().all(|m| units.breach(m).is_none());
    let root = UnitId::new(0);
    let units = trees.into_iter().filter_map(|tree| {
        Units::new(tree, root, true, net.initial(), |_| "").ok().filter(is_safe)
    });
    let mut builder = NetBuilder::of(net).unwrap();
    builder.set_units({ units }.next()?);
    Some(builder.build().unwrap())
}

/// Evaluates soundness by its definition, over all markings.
pub(crate) fn truth(space: &StateSpace<'_>, net: &Net, kind: Examination) -> bool {
    let f = &net.final_markings()[0];
    let is_f = Predicate::exactly(f);
    let covers = |m: &Marking| f.marked().all(|(place, tokens)| m[place] >= tokens);
    let improper = || space.markings().iter().any(|m| covers(m) && m != f);
    let weak = || space.stays(&is_f) && !improper();
    match kind {
        EasySoundness => space.contains(f),
        WeakSoundness => weak(),
        Soundness => weak() && net.transitions().all(|t| space.fires(t)),
        _ => {
            let completing = space.completing(f);
            let on_run = |t: TransitionId| {
                space.markings().iter().any(|m| {
                    let mut next = m.clone();
                    net.fire(&mut next, t).is_ok() && completing.contains(&next)
                })
            };
            net.transitions().all(on_run)
        }
    }
}
