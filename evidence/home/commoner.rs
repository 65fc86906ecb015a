//! *Siphons and traps* (Commoner): in a net whose arcs into transitions weigh 1, and where the
//! places that share a transition have comparable sets of consumers (asymmetric choice), all
//! transitions are live when every siphon contains a trap that is marked initially.
//!
//! # Soundness
//! Let t be dead, in a marking in which the sets of dead transitions and of never marked places
//! have become as large as they can. With p₁• ⊆ p₂• ⊆ … its inputs, p₁• takes no less than t and is
//! dead: p₁ keeps its tokens once marked; then p₂• \ p₁• needs what t needs but p₁, and is dead,
//! and so on. All inputs marked would enable t, so one is never marked again, and whatever would
//! feed it is dead. So the places that are never marked are a siphon: empty, with a marked trap in
//! it.
//!
//! *Closed*: φ is m ≥ f, and the net with one more transition, which takes f and puts the initial
//! marking, is live by siphons and traps. Whatever the net reaches, the closed one does; from there
//! the new transition can be enabled, and up to the first such moment the net goes there by itself.
//!
//! # Sources
//! M. Hack, *Analysis of production schemata by Petri nets*, 1972 (after F. Commoner); E. Best,
//! *Structure theory of Petri nets: the free choice hiatus*, 1987.

use super::HomeFlaw;
use crate::certificate::{Flaw, check_trap};
use crate::refutation;
use parikh_net::{Marking, Net, PlaceId, Predicate, TransitionId};

/// Accepts that all transitions of the net are live, by siphons and traps.
///
/// # Errors
/// What is wrong.
pub fn check_commoner(
    net: &Net,
    traps: &[Vec<PlaceId>],
    steps: &[Vec<i32>],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    for t in net.transitions() {
        if !is_asymmetric_choice(net, t) {
            return Err(HomeFlaw::Class(t));
        }
    }
    let variable = |p: PlaceId| p.index() as i32 + 1;
    // A siphon is not empty, and whoever puts into it takes from it.
    let mut clauses: Vec<Vec<i32>> = vec![net.places().map(variable).collect()];
    for t in net.transitions() {
        // What it takes from as well serves itself.
        for arc in net.post(t).iter().filter(|arc| net.pre_weight(t, arc.place) == 0) {
            let takes = net.pre(t).iter().map(|arc| variable(arc.place));
            clauses.push([-variable(arc.place)].into_iter().chain(takes).collect());
        }
    }
    for trap in traps {
        if !goes_on() {
            return Err(HomeFlaw::After(Flaw::Stopped));
        }
        check_trap(net, 0, trap).map_err(|_| HomeFlaw::Siphons)?;
        clauses.push(trap.iter().map(|&p| -variable(p)).collect());
    }
    refutation::check(&clauses, steps, net.place_count(), goes_on).map_err(|flaw| match flaw {
        refutation::RefutationFlaw::Stopped => HomeFlaw::After(Flaw::Stopped),
        _ => HomeFlaw::Siphons,
    })
}

/// Accepts that a marking with `wanted`, which says that some marking is covered, stays reachable
/// wherever the net goes: the closed net is live.
///
/// # Errors
/// What is wrong.
pub fn check_closed(
    net: &Net,
    wanted: &Predicate,
    traps: &[Vec<PlaceId>],
    steps: &[Vec<i32>],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    let covered = covered(net, wanted).ok_or(HomeFlaw::NotCovering)?;
    let closed = parikh_net::counted::closed(net, &covered).map_err(|_| HomeFlaw::NotCovering)?;
    check_commoner(&closed, traps, steps, goes_on)
}

/// The marking f where `wanted` is m ≥ f.
pub fn covered(net: &Net, wanted: &Predicate) -> Option<Marking> {
    let parts = match wanted {
        Predicate::And(parts) => &parts[..],
        leaf => std::slice::from_ref(leaf),
    };
    let mut marking = Marking::empty(net.place_count());
    for part in parts {
        // −m(p) ≤ −f(p).
        let Predicate::Atom(atom) = part else { return None };
        let [(place, -1)] = *atom.sum.terms() else { return None };
        let tokens = u64::try_from(atom.bound.checked_neg()?).ok()?;
        marking[place] = marking[place].max(tokens);
    }
    Some(marking)
}

/// Whether the arcs into `t` weigh 1, and of each two of its inputs one has all consumers of the
/// other.
pub fn is_asymmetric_choice(net: &Net, t: TransitionId) -> bool {
    let mut inputs: Vec<PlaceId> = net.pre(t).iter().map(|arc| arc.place).collect();
    inputs.sort_by_key(|&p| net.consumers(p).len());
    let within = |few: PlaceId, many: PlaceId| {
        net.consumers(few).iter().all(|arc| net.pre_weight(arc.transition, many) > 0)
    };
    net.pre(t).iter().all(|arc| arc.weight == 1)
        && inputs.windows(2).all(|pair| within(pair[0], pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net(text: &str) -> Net {
        text::parse(text).unwrap()
    }

    #[test]
    fn what_is_live_once_closed_can_always_be_done() {
        let net = net("place i 1\nplace o\nplace x\ntransition t: i -> o\ntransition u: x -> x");
        let [o, x] = ["o", "x"].map(|name| net.place_named(name).unwrap());
        let done = Predicate::at_least(o, 1);
        let trap = vec![[0, 1].map(PlaceId::new).to_vec()];
        let goes_on = &mut || true;
        // {x} is a siphon without a token: u is dead.
        assert!(check_closed(&net, &done, &trap, &[vec![1], vec![]], goes_on).is_err());
        let alone = text::parse("place i 1\nplace o\ntransition t: i -> o").unwrap();
        let steps = [vec![1], vec![]];
        assert!(check_closed(&alone, &done, &trap, &steps, goes_on).is_ok());
        assert!(check_closed(&alone, &done, &[], &steps, goes_on).is_err());
        let two = Predicate::at_least(o, 2);
        assert!(check_closed(&alone, &two, &trap, &steps, goes_on).is_err());
        let not_covering = done.clone().negated();
        assert!(check_closed(&alone, &not_covering, &trap, &steps, goes_on).is_err());
        let both = Predicate::and([done, Predicate::at_least(x, 3)]);
        assert_eq!(covered(&net, &both).unwrap().tokens(), [0, 1, 3]);
    }

    #[test]
    fn siphons_and_traps_need_arcs_of_weight_1() {
        // Two tokens are never there at once: t is dead, though {a, b} is a marked trap.
        let heavy = net("place a 1\nplace b\ntransition t: 2*a -> 2*b\ntransition u: b -> a");
        let trap = vec![heavy.places().collect::<Vec<_>>()];
        let goes_on = &mut || true;
        let flaw = check_commoner(&heavy, &trap, &[], goes_on);
        assert!(matches!(flaw, Err(HomeFlaw::Class(_))), "{flaw:?}");
        let light = net("place a 1\nplace b\ntransition t: a -> b\ntransition u: b -> a");
        // A siphon with a has b, and the other way round.
        let steps = [vec![1], vec![]];
        assert!(check_commoner(&light, &trap, &steps, goes_on).is_ok());
        assert!(check_commoner(&light, &trap, &[], goes_on).is_err());
        assert!(check_commoner(&light, &[], &steps, goes_on).is_err());
        let empty = light.from_marking(Marking::new(vec![0, 0]));
        assert!(check_commoner(&empty, &trap, &steps, goes_on).is_err());
    }
}
