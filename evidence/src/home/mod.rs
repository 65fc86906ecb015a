//! Arguments about home spaces, that is, about the question whether a predicate φ stays reachable.
//! It *stays reachable* if it is reachable from every reachable marking (AG EF φ). A transition is
//! live if and only if its enabledness stays reachable.
//!
//! | argument | file | proves |
//! |---|---|---|
//! | a weighted sum bounds the firings | [`finite_firings`] | transitions are not live |
//! | siphons and traps (Commoner) | [`commoner`] | all transitions are live |
//! | siphons and traps of the closed net | [`commoner`] | a marking stays coverable |
//! | every firing can be undone | [`undoable_firings`] | every reachable predicate stays reachable |
//! | firings lead back from everywhere | [`ways_back`] | predicates along firings from the home marking stay reachable |
//! | after a firing sequence φ is unreachable | [`unreachable_after`] | φ does not stay reachable |
//! | all markings were visited | [`visited_markings`] | either answer |
//!
//! An argument is about the original net, or about a reduced net. A reduction for the liveness of
//! transitions keeps which transitions are live. So if a transition is not live in the reduced net,
//! it is not live in the original net.

pub mod commoner;
pub mod finite_firings;
mod flaw;
pub mod liveness;
pub mod undoable_firings;
pub mod unreachable_after;
pub mod visited_markings;
pub mod ways_back;

pub use flaw::HomeFlaw;

use crate::certificate::{Document, Flaw, NamedDocument};
use parikh_net::{Net, PlaceId, TransitionId};
use serde::{Deserialize, Serialize};
use undoable_firings::UndoProof;
use ways_back::{CountedFirings, ReturnProof};

/// An argument about home spaces; the [module](self) documentation lists the kinds. In memory,
/// places and transitions are ids; in a file they are names.
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
pub enum HomeArgument<P = PlaceId, T = TransitionId, D = Document> {
    /// The weights of a sum that no transition increases, so that transitions that decrease it are
    /// not live. The weight of other places is 0.
    Finitely(Vec<(P, u64)>),
    /// Marked traps, and a refutation of "some siphon contains none of the traps". Variable i + 1
    /// says that place i is in the siphon.
    Commoner {
        /// The marked traps.
        traps: Vec<Vec<P>>,
        /// The steps of the refutation, for [`crate::refutation::check`].
        refutation: Vec<Vec<i32>>,
    },
    /// For each transition, by index, a way to undo its firings.
    Undone(Vec<UndoProof<P, T>>),
    /// A proof that a marking m ≥ f stays reachable, by siphons and traps of the closed net. This
    /// net has one more transition, which consumes f and produces the initial marking.
    Closed {
        /// The marked traps.
        traps: Vec<Vec<P>>,
        /// The steps of the refutation, for [`crate::refutation::check`].
        refutation: Vec<Vec<i32>>,
    },
    /// A proof that firings lead from every reachable marking to a home marking, or to markings
    /// that satisfy the predicate.
    Returning(Box<ReturnProof<P, T, D>>),
    /// A firing sequence after which the predicate is unreachable.
    Lost {
        /// The firing sequence: transitions, each with the number of its firings in a row.
        after: CountedFirings<T>,
        /// The proof that the predicate is unreachable in the net that begins after the sequence.
        document: D,
    },
    /// The checker searches all markings ([`visited_markings`]) to decide the question. The number
    /// limits the markings of the net, or of each component if the predicates are about the
    /// enabledness of transitions. A predicate that depends on a larger component is not decided.
    Visited(u64),
}

/// An argument with names instead of ids.
pub type NamedHomeArgument = HomeArgument<String, String, NamedDocument>;

impl NamedHomeArgument {
    /// Returns the argument in ids of `net`, without checking it.
    ///
    /// # Errors
    /// When a name is not known, or a comparison or a net with counters in a document is too large.
    pub fn resolve(&self, net: &Net) -> Result<HomeArgument, Flaw> {
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
            HomeArgument::Finitely(weights) => {
                let weights = weights.iter().map(|(name, weight)| Ok((place(name)?, *weight)));
                HomeArgument::Finitely(weights.collect::<Result<_, Flaw>>()?)
            }
            HomeArgument::Commoner { traps, refutation } => {
                HomeArgument::Commoner { traps: sets(traps)?, refutation: refutation.clone() }
            }
            HomeArgument::Closed { traps, refutation } => {
                HomeArgument::Closed { traps: sets(traps)?, refutation: refutation.clone() }
            }
            HomeArgument::Undone(all) => {
                let undoing = all.iter().map(|undoing| undoing.renamed(&place, &transition));
                HomeArgument::Undone(undoing.collect::<Result<_, Flaw>>()?)
            }
            HomeArgument::Returning(ways) => {
                let ways = ways.renamed(&place, &transition, &|document| document.resolve(net))?;
                HomeArgument::Returning(Box::new(ways))
            }
            HomeArgument::Lost { after, document } => {
                let after = after.iter().map(|(t, count)| Ok((transition(t)?, *count)));
                let after = after.collect::<Result<_, Flaw>>()?;
                HomeArgument::Lost { after, document: document.resolve(net)? }
            }
            HomeArgument::Visited(markings) => HomeArgument::Visited(*markings),
        })
    }
}
