//! *Siphons and traps* (Commoner's theorem): consider an *asymmetric choice* net whose arcs into
//! transitions have weight 1. Here any two places with a common output transition have comparable
//! sets of output transitions. If every siphon contains a trap that is marked initially, all
//! transitions are live.
//!
//! # Soundness
//! Let t be dead in a marking after which the sets of dead transitions and of permanently unmarked
//! places no longer grow. Order the inputs of t so that p₁• ⊆ p₂• ⊆ …. Suppose that all inputs
//! could be marked. Each transition in p₁• also needs all other inputs of t, so it is dead, and p₁
//! keeps its tokens once marked. Then each transition in p₂• \ p₁• needs all inputs of t but p₁,
//! and is dead, and so on. All inputs marked would enable t, so one input is permanently unmarked,
//! and every transition that would feed it is dead. So the permanently unmarked places are a
//! siphon. It is empty, although it contains a marked trap: a contradiction.
//!
//! *Closed*: φ is m ≥ f. The closed net has one more transition, which consumes f and produces the
//! initial marking, and it is live by siphons and traps. Every marking reachable in the net is
//! reachable in the closed net. From there the new transition can be enabled, and up to the first
//! such moment only transitions of the net itself have fired.
//!
//! # Sources
//! M. Hack, *Analysis of production schemata by Petri nets*, 1972 (after F. Commoner); E. Best,
//! *Structure theory of Petri nets: the free choice hiatus*, 1987.

use super::HomeFlaw;
use crate::certificate::{Flaw, check_trap};
use crate::refutation;
use parikh_net::{Marking, Net, PlaceId, Predicate, TransitionId};

/// Checks that all transitions of the net are live, by siphons and traps. Each of `traps` must be
/// an initially marked trap. `steps` refute that some siphon contains none of the traps, as in
/// [`refutation::check`]. Variable i + 1 says that place i is in the siphon.
///
/// # Errors
/// The first flaw of the argument, or a stop by `goes_on`.
pub fn check_commoner(
    net: &Net,
    traps: &[Vec<PlaceId>],
    steps: &[Vec<i32>],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    for t in net.transitions() {
        if !is_asymmetric_choice(net, t) {
            return Err(HomeFlaw::NotAsymmetricChoice(t));
        }
    }
    let variable = |p: PlaceId| p.index() as i32 + 1;
    // A siphon is not empty, and each transition that produces into it consumes from it.
    let mut clauses: Vec<Vec<i32>> = vec![net.places().map(variable).collect()];
    for t in net.transitions() {
        // A transition that consumes from the place satisfies the condition already.
        for arc in net.post(t).iter().filter(|arc| net.pre_weight(t, arc.place) == 0) {
            let inputs = net.pre(t).iter().map(|arc| variable(arc.place));
            clauses.push([-variable(arc.place)].into_iter().chain(inputs).collect());
        }
    }
    for trap in traps {
        if !goes_on() {
            return Err(HomeFlaw::Document(Flaw::Stopped));
        }
        check_trap(net, 0, trap).map_err(|_| HomeFlaw::Siphons)?;
        clauses.push(trap.iter().map(|&p| -variable(p)).collect());
    }
    refutation::check(&clauses, steps, net.place_count(), goes_on).map_err(|flaw| match flaw {
        refutation::RefutationFlaw::Stopped => HomeFlaw::Document(Flaw::Stopped),
        _ => HomeFlaw::Siphons,
    })
}

/// Checks that `wanted`, which must have the form m ≥ f, is reachable from every reachable marking.
/// The argument is that the closed net is live, which `traps` and `steps` prove as in
/// [`check_commoner`]. The closed net has one more transition, which consumes f and produces the
/// initial marking.
///
/// # Errors
/// The first flaw of the argument, or a stop by `goes_on`.
pub fn check_closed(
    net: &Net,
    wanted: &Predicate,
    traps: &[Vec<PlaceId>],
    steps: &[Vec<i32>],
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    let covered = covered_marking(net, wanted).ok_or(HomeFlaw::NotCovering)?;
    let closed =
        parikh_net::counted::with_restart(net, &covered).map_err(|_| HomeFlaw::NotCovering)?;
    check_commoner(&closed, traps, steps, goes_on)
}

/// Returns the marking f if `wanted` has the form m ≥ f, that is, a conjunction of lower bounds on
/// places. Returns `None` for other forms.
pub fn covered_marking(net: &Net, wanted: &Predicate) -> Option<Marking> {
    let parts = match wanted {
        Predicate::And(parts) => &parts[..],
        leaf => std::slice::from_ref(leaf),
    };
    let mut marking = Marking::empty(net.place_count());
    for part in parts {
        // The inequality −m(p) ≤ −f(p).
        let Predicate::Atom(atom) = part else { return None };
        let [(place, -1)] = *atom.sum.terms() else { return None };
        let tokens = u64::try_from(atom.bound.checked_neg()?).ok()?;
        marking[place] = marking[place].max(tokens);
    }
    Some(marking)
}

/// Returns true if the arcs into `t` have weight 1, and of any two of its inputs one has all output
/// transitions of the other.
pub fn is_asymmetric_choice(net: &Net, t: TransitionId) -> bool {
    let mut inputs: Vec<PlaceId> = net.pre(t).iter().map(|arc| arc.place).collect();
    inputs.sort_by_key(|&p| net.consumers(p).len());
    let has_all_consumers = |few: PlaceId, many: PlaceId| {
        net.consumers(few).iter().all(|arc| net.pre_weight(arc.transition, many) > 0)
    };
    net.pre(t).iter().all(|arc| arc.weight == 1)
        && inputs.windows(2).all(|pair| has_all_consumers(pair[0], pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn net(text: &str) -> Net {
        text::parse(text).unwrap()
    }

    #[test]
    fn liveness_of_the_closed_net_proves_completion() {
        let net = net("place i 1\nplace o\nplace x\ntransition t: i -> o\ntransition u: x -> x");
        let [o, x] = ["o", "x"].map(|name| net.place_named(name).unwrap());
        let done = Predicate::at_least(o, 1);
        let trap = vec![[0, 1].map(PlaceId::new).to_vec()];
        let goes_on = &mut || true;
        // {x} is an unmarked siphon, so u is dead.
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
        assert_eq!(covered_marking(&net, &both).unwrap().tokens(), [0, 1, 3]);
    }

    #[test]
    fn siphons_and_traps_need_arcs_of_weight_1() {
        // a never holds two tokens, so t is dead, although {a, b} is a marked trap.
        let heavy = net("place a 1\nplace b\ntransition t: 2*a -> 2*b\ntransition u: b -> a");
        let trap = vec![heavy.places().collect::<Vec<_>>()];
        let goes_on = &mut || true;
        let flaw = check_commoner(&heavy, &trap, &[], goes_on);
        assert!(matches!(flaw, Err(HomeFlaw::NotAsymmetricChoice(_))), "{flaw:?}");
        let light = net("place a 1\nplace b\ntransition t: a -> b\ntransition u: b -> a");
        // A siphon that contains a contains b, and vice versa.
        let steps = [vec![1], vec![]];
        assert!(check_commoner(&light, &trap, &steps, goes_on).is_ok());
        assert!(check_commoner(&light, &trap, &[], goes_on).is_err());
        assert!(check_commoner(&light, &[], &steps, goes_on).is_err());
        let empty = light.from_marking(Marking::new(vec![0, 0]));
        assert!(check_commoner(&empty, &trap, &steps, goes_on).is_err());
    }
}
