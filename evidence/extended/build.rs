//! The place/transition net that stands for a net with inhibitor and reset arcs, by bounds that
//! were checked.
//!
//! What is made is described, and shown to be exact, in [`parikh_net::translation`]. Here it is
//! made copy by copy: first what a copy supposes each place to hold, where its transition empties
//! places; then what it takes and puts.

use parikh_net::translation::{Translation, complement_name, copy_name};
use parikh_net::{BuildError, ExtendedNet, Net, NetBuilder, PlaceId, TransitionId};
use std::collections::BTreeMap;

/// The most transitions that are made.
const MOST: usize = 200_000;

/// Makes the net.
///
/// # Errors
/// When it is too large, or weights do not fit.
pub(super) fn build(net: &ExtendedNet, bounds: &BTreeMap<PlaceId, u64>) -> Result<Net, String> {
    let core = net.core();
    let failed = |error: BuildError| error.to_string();
    let most = |p: PlaceId| bounds.get(&p).copied().unwrap_or(0);
    let mut made = NetBuilder::new(core.name());
    for p in core.places() {
        made.place(core.place_name(p), core.initial()[p]).map_err(failed)?;
    }
    let mut complements: BTreeMap<PlaceId, PlaceId> = BTreeMap::new();
    for (&p, &bound) in bounds {
        let asks = |t: TransitionId| {
            let inhibits = net.inhibitors(t).iter().any(|it| it.place == p && it.weight <= bound);
            inhibits || (bound > 0 && net.resets(t).contains(&p))
        };
        if !core.transitions().any(asks) {
            continue;
        }
        let taken = |name: &str| made.node(name).is_some() || core.transition_named(name).is_some();
        let name = complement_name(core.place_name(p), taken);
        let rest = bound.checked_sub(core.initial()[p]).ok_or("a bound below what is there")?;
        complements.insert(p, made.place(&name, rest).map_err(failed)?);
    }
    let mut copies = Vec::new();
    for t in core.transitions() {
        let emptied: Vec<PlaceId> =
            net.resets(t).iter().copied().filter(|&p| most(p) > 0).collect();
        let mut supposed: Vec<Vec<u64>> = vec![Vec::new()];
        // The place that comes first counts fastest.
        for &p in emptied.iter().rev() {
            let least = core.pre_weight(t, p);
            let room = net.inhibitor_weight(t, p).map_or(most(p), |weight| most(p).min(weight - 1));
            let numbers = least..=room.max(least);
            let size = usize::try_from(room.max(least) - least).unwrap_or(usize::MAX);
            if size.saturating_add(1).saturating_mul(supposed.len()) > MOST {
                return Err(format!("more than {MOST} copies of a transition"));
            }
            let longer = supposed.iter().flat_map(|rest| {
                numbers.clone().map(move |number| {
                    let mut all = vec![number];
                    all.extend(rest);
                    all
                })
            });
            supposed = longer.collect();
        }
        copies.push(supposed.len());
        for held in &supposed {
            let held: BTreeMap<PlaceId, u64> =
                emptied.iter().copied().zip(held.iter().copied()).collect();
            let name = match supposed.len() {
                1 => core.transition_name(t).to_owned(),
                _ => {
                    let said: Vec<(&str, u64)> =
                        held.iter().map(|(&p, &n)| (core.place_name(p), n)).collect();
                    let taken = |name: &str| {
                        made.node(name).is_some() || core.transition_named(name).is_some()
                    };
                    copy_name(core.transition_name(t), &said, taken)
                }
            };
            let copy = made.transition(&name).map_err(failed)?;
            for (p, takes, puts) in arcs(net, t, &held, bounds, &complements) {
                if takes > 0 {
                    made.take(copy, p, takes).map_err(failed)?;
                }
                if puts > 0 {
                    made.put(copy, p, puts).map_err(failed)?;
                }
            }
        }
    }
    let complemented = complements.into_keys().collect();
    let names = core.transitions().map(|t| core.transition_name(t)).zip(copies);
    let translation = Translation::new(core.place_count(), names, Vec::new(), complemented);
    made.set_translation(translation.map_err(|error| error.to_string())?);
    made.build().map_err(failed)
}

/// Of each place, what a copy of `t` takes and puts that supposes these numbers of tokens.
fn arcs(
    net: &ExtendedNet,
    t: TransitionId,
    held: &BTreeMap<PlaceId, u64>,
    bounds: &BTreeMap<PlaceId, u64>,
    complements: &BTreeMap<PlaceId, PlaceId>,
) -> Vec<(PlaceId, u64, u64)> {
    let mut arcs = Vec::new();
    for p in net.core().places() {
        let (takes, puts) = (net.core().pre_weight(t, p), net.core().post_weight(t, p));
        let most = bounds.get(&p).copied().unwrap_or(0);
        // m(p) < w is m(co(p)) > most − w.
        let needs = match net.inhibitor_weight(t, p) {
            Some(weight) if weight <= most => most - weight + 1,
            _ => 0,
        };
        let supposed = held.get(&p).copied();
        arcs.push((p, supposed.unwrap_or(takes), puts));
        let Some(&complement) = complements.get(&p) else { continue };
        arcs.push(match supposed {
            Some(number) => {
                let all = most.saturating_sub(number);
                (complement, all.max(needs), most.saturating_sub(puts))
            }
            None if puts >= takes => {
                let needs = needs.max(puts - takes);
                (complement, needs, needs - (puts - takes))
            }
            None => (complement, needs, needs + (takes - puts)),
        });
    }
    arcs
}
