//! Arguments about home spaces: whether φ stays reachable wherever the net goes (AG EF φ). A transition
//! is live exactly if "it is enabled" does.
//!
//! - *Lost*: after a firing sequence, nothing with φ can be reached any more. Either nothing at all is
//!   enabled there, or a [`Document`] shows it of the net begun from that marking.
//! - *Finitely*: weights w ≥ 0 of places such that no firing raises w·m. A transition that lowers it
//!   fires at most w·m₀ times altogether, so it is not live: from wherever it was live it would fire
//!   for ever. No set of such transitions is either, taken together.
//! - *Siphons and traps* (Commoner): in a net whose arcs into transitions weigh 1, and where the places
//!   that share a transition have comparable sets of consumers (asymmetric choice), all transitions
//!   are live when every siphon contains a trap that is marked initially. For let t be dead, in a
//!   marking in which the sets of dead transitions and of never marked places have become as large as
//!   they can. With p₁• ⊆ p₂• ⊆ … its inputs, p₁• takes no less than t and is dead: p₁ keeps its
//!   tokens once marked; then p₂• \ p₁• needs what t needs but p₁, and is dead, and so on. All inputs
//!   marked would enable t, so one is never marked again, and whatever would feed it is dead. So the
//!   places that are never marked are a siphon: empty, with a marked trap in it.
//! - *Undone*: for each transition a sequence that fires from what it has produced alone and puts back
//!   exactly what it took, or several, of which always one can fire ([`crate::undone`]). Every firing can
//!   be undone wherever it happens, so from every reachable marking the initial one can be reached, and with
//!   it all that can be reached at all.
//!
//! - *Closed*: φ is m ≥ f, and the net with one more transition, which takes f and puts the initial
//!   marking, is live by siphons and traps. Whatever the net reaches, the closed one does; from there
//!   the new transition can be enabled, and up to the first such moment the net goes there by itself.
//!
//! - *Returning*: from wherever the net goes, firings lead back to one marking, or to φ itself
//!   ([`crate::returning`]).
//!
//! - *Lost*, of what a reduction left: after a firing sequence of the reduced net, as above. A reduction for
//!   the liveness of transitions keeps whether they are live, so it is lost in the net before, too, wherever that
//!   may be.
//!
//! - *Visited*: all markings, of the net or of what a reduction left of it for the liveness of its
//!   transitions; [`crate::stays`] visits them again.
//!
//! # Sources
//! M. Hack, *Analysis of production schemata by Petri nets*, 1972 (after F. Commoner); E. Best,
//! *Structure theory of Petri nets: the free choice hiatus*, 1987. Finitely: duality with repetitive
//! sequences, G. Memmi, G. Roucairol, *Linear algebra in net theory*, 1980.

use crate::certificate::{Document, Flaw, NamedDocument, check_trap};
use crate::refutation;
use crate::replay::{ReplayError, begun_after, replay};
use crate::returning::{Firings, Returning};
use crate::undone::Undoing;
use parikh_net::{FiringSequence, Marking, Net, PlaceId, Predicate, TransitionId};
use serde::{Deserialize, Serialize};

/// What shows something of home spaces from the net as a whole. See the module. Plain data: in memory its
/// nodes are ids, in a file names.
///
/// ```json
/// {"finitely": [["p", 2], ["q", 1]]}
/// {"commoner": {"traps": [["p", "q"]], "refutation": [[-1], []]}}
/// {"undone": [[["u", 1]], [["t", 1]]]}
/// {"closed": {"traps": [["p", "q"]], "refutation": [[-1], []]}}
/// {"returning": {"to": [], "way": {"downhill": {"weights": [["q", 1]], "document": {"markings": 2}}}, "along": [[["t", 1]]]}}
/// {"lost": {"after": [["t", 1]], "document": {"markings": 1}}}
/// {"visited": 48}
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Structure<P = PlaceId, T = TransitionId, D = Document> {
    /// w; 0 where not listed.
    Finitely(Vec<(P, u64)>),
    /// Marked traps, and a refutation of "a siphon contains none of them", with a variable for each
    /// place, from 1: it is in the siphon.
    Commoner {
        /// The traps.
        traps: Vec<Vec<P>>,
        /// See [`refutation::check`].
        refutation: Vec<Vec<i32>>,
    },
    /// For each transition what undoes it.
    Undone(Vec<Undoing<P, T>>),
    /// The same as for siphons and traps, of the closed net.
    Closed {
        /// The traps.
        traps: Vec<Vec<P>>,
        /// See [`refutation::check`].
        refutation: Vec<Vec<i32>>,
    },
    /// Ways back from everywhere.
    Returning(Box<Returning<P, T, D>>),
    /// After these firings it is lost.
    Lost {
        /// Transitions, and how often each fires in a row.
        after: Firings<T>,
        /// Why; about the net begun there.
        document: D,
    },
    /// The markings say it, of which no part of the net has more than so many: [`crate::stays`].
    Visited(u64),
}

/// An argument in names.
pub type NamedStructure = Structure<String, String, NamedDocument>;

impl NamedStructure {
    /// The argument in ids of `net`; nothing of it is checked yet.
    ///
    /// # Errors
    /// When a name is not known.
    pub fn resolve(&self, net: &Net) -> Result<Structure, Flaw> {
        let place = |name: &String| {
            let place = net.place_named(name);
            place.ok_or_else(|| Flaw::NoSuchName("place", name.clone()))
        };
        let transition = |name: &String| {
            let t = net.transition_named(name);
            t.ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
        };
        let sets = |sets: &Vec<Vec<String>>| -> Result<Vec<Vec<PlaceId>>, Flaw> {
            sets.iter().map(|set| set.iter().map(place).collect()).collect()
        };
        Ok(match self {
            Structure::Finitely(weights) => {
                let weights = weights.iter().map(|(name, weight)| Ok((place(name)?, *weight)));
                Structure::Finitely(weights.collect::<Result<_, Flaw>>()?)
            }
            Structure::Commoner { traps, refutation } => {
                Structure::Commoner { traps: sets(traps)?, refutation: refutation.clone() }
            }
            Structure::Closed { traps, refutation } => {
                Structure::Closed { traps: sets(traps)?, refutation: refutation.clone() }
            }
            Structure::Undone(all) => {
                let undoing = all.iter().map(|undoing| undoing.renamed(&place, &transition));
                Structure::Undone(undoing.collect::<Result<_, Flaw>>()?)
            }
            Structure::Returning(ways) => {
                let ways = ways.renamed(&place, &transition, &|document| document.resolve(net))?;
                Structure::Returning(Box::new(ways))
            }
            Structure::Lost { after, document } => {
                let after = after.iter().map(|(t, count)| Ok((transition(t)?, *count)));
                let after = after.collect::<Result<_, Flaw>>()?;
                Structure::Lost { after, document: document.resolve(net)? }
            }
            Structure::Visited(markings) => Structure::Visited(*markings),
        })
    }
}

/// Why nothing is shown.
#[derive(Debug, thiserror::Error)]
pub enum HomeFlaw {
    /// The sequence does not fire.
    #[error("the firing sequence: {0}")]
    Sequence(#[from] ReplayError),
    /// What is to be lost is there, or something else can still happen.
    #[error("at the end of the sequence something is enabled, or what is lost is there")]
    NotLost,
    /// The document about what comes after the sequence, or of the ways back.
    #[error(transparent)]
    After(#[from] Flaw),
    /// A place, or the effect of a transition, is beyond the net or 127 bits.
    #[error("weights of places that do not exist, or beyond 127 bits")]
    Weights,
    /// A firing raises the weighted sum, or one that is to be finite does not lower it.
    #[error("the weighted sum does not bound the firings of {0:?}")]
    Raises(TransitionId),
    /// The question is not about the enabledness of transitions.
    #[error("it is not about the liveness of a transition")]
    NotLiveness,
    /// The net is not of the class.
    #[error("the inputs of {0:?} are no asymmetric choice, or an arc into it weighs more than 1")]
    Class(TransitionId),
    /// A set is no marked trap, or the refutation is none.
    #[error("some siphon may contain no marked trap")]
    Siphons,
    /// A firing lowers a sum that is said to stay.
    #[error("the weighted sum falls when {0:?} fires")]
    Lowers(TransitionId),
    /// The question is not whether some marking stays coverable, or the net cannot be closed.
    #[error("it is not about covering a marking for ever")]
    NotCovering,
    /// The ways back are not as they should be.
    #[error("the ways back: {0}")]
    Way(&'static str),
    /// Does not undo it.
    #[error("what is said to undo {0:?} does not")]
    NotUndone(TransitionId),
}

/// Accepts that nothing with `wanted` can be reached after `sequence`: by the document, which is about
/// the net begun there, or because nothing is enabled there.
///
/// # Errors
/// What is wrong.
pub fn check_lost(
    net: &Net,
    sequence: &FiringSequence,
    wanted: &Predicate,
    document: Option<&Document>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<(), HomeFlaw> {
    let end = replay(net, sequence)?;
    match document {
        None if net.is_dead(&end) && !wanted.holds(net, &end) => Ok(()),
        None => Err(HomeFlaw::NotLost),
        Some(document) => {
            let there = begun_after(net, sequence)?;
            Ok(document.check(&there, goes_on)?.refutes(wanted, goes_on)?)
        }
    }
}

/// Whether `wanted` stays reachable wherever the net goes if all transitions are live.
pub fn asks_for_liveness(wanted: &Predicate) -> bool {
    one_of(wanted).is_some_and(|asked| !asked.is_empty())
}

/// The transitions of which `wanted` says that one is enabled, where it says no more.
#[must_use]
pub fn one_of(wanted: &Predicate) -> Option<Vec<TransitionId>> {
    let parts = match wanted {
        Predicate::Or(parts) => &parts[..],
        leaf => std::slice::from_ref(leaf),
    };
    let transition = |part: &Predicate| match part {
        Predicate::Enabled(t) => Some(*t),
        _ => None,
    };
    parts.iter().map(transition).collect()
}

/// Accepts that not always one of the transitions that `wanted` asks for can fire again: by the weights.
///
/// # Errors
/// What is wrong.
pub fn check_finitely(
    net: &Net,
    weights: &[(PlaceId, u64)],
    wanted: &Predicate,
) -> Result<(), HomeFlaw> {
    firing_finitely(net, weights)?.check(wanted)
}

/// The transitions that fire only so many times, by transition: they lower a weighted sum that none raises.
pub struct FiringFinitely(Vec<bool>);

/// Those that lower the sum with these weights.
///
/// # Errors
/// Where some transition raises it.
pub fn firing_finitely(net: &Net, weights: &[(PlaceId, u64)]) -> Result<FiringFinitely, HomeFlaw> {
    let mut weight = vec![0u64; net.place_count()];
    for &(place, w) in weights {
        *weight.get_mut(place.index()).ok_or(HomeFlaw::Weights)? = w;
    }
    let mut lowers = vec![false; net.transition_count()];
    for t in net.transitions() {
        let sum = |arcs: &[parikh_net::Arc]| {
            let term = |arc: &parikh_net::Arc| {
                i128::from(weight[arc.place.index()]).checked_mul(i128::from(arc.weight))
            };
            arcs.iter().try_fold(0i128, |sum, arc| sum.checked_add(term(arc)?))
        };
        let (taken, put) = (sum(net.pre(t)), sum(net.post(t)));
        let (taken, put) = (taken.ok_or(HomeFlaw::Weights)?, put.ok_or(HomeFlaw::Weights)?);
        if put > taken {
            return Err(HomeFlaw::Raises(t));
        }
        lowers[t.index()] = put < taken;
    }
    Ok(FiringFinitely(lowers))
}

impl FiringFinitely {
    /// Accepts that all transitions that `wanted` asks for are among them.
    ///
    /// # Errors
    /// With the first that is not.
    pub fn check(&self, wanted: &Predicate) -> Result<(), HomeFlaw> {
        let lowers = |t: &TransitionId| self.0.get(t.index()).is_some_and(|&lowers| lowers);
        match one_of(wanted).ok_or(HomeFlaw::NotLiveness)?.into_iter().find(|t| !lowers(t)) {
            Some(t) => Err(HomeFlaw::Raises(t)),
            None => Ok(()),
        }
    }
}

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

/// Accepts that a marking with `wanted`, which says that some marking is covered, stays reachable wherever
/// the net goes: the closed net is live.
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

/// Whether the arcs into `t` weigh 1, and of each two of its inputs one has all consumers of the other.
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
    use parikh_net::{Marking, text};

    fn net(text: &str) -> Net {
        text::parse(text).unwrap()
    }

    fn enabled(net: &Net, name: &str) -> Predicate {
        Predicate::Enabled(net.transition_named(name).unwrap())
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
    fn weights_must_fall() {
        let net = net(
            "place a 2\nplace b\ntransition t: a -> b\ntransition u: b -> b\ntransition s: -> b",
        );
        let weights = |a, b| {
            let weights = [(PlaceId::new(0), a), (PlaceId::new(1), b)];
            check_finitely(&net, &weights, &enabled(&net, "t")).is_ok()
        };
        assert!(weights(1, 0) && !weights(0, 0) && !weights(2, 1) && !weights(1, 1));
        let of = |name| check_finitely(&net, &[(PlaceId::new(0), 1)], &enabled(&net, name)).is_ok();
        assert!(of("t") && !of("u") && !of("s"));
        let either = Predicate::or([enabled(&net, "t"), enabled(&net, "u")]);
        assert!(check_finitely(&net, &[(PlaceId::new(0), 1)], &either).is_err());
        let beyond = [(PlaceId::new(2), 1)];
        assert!(check_finitely(&net, &beyond, &enabled(&net, "t")).is_err());
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
