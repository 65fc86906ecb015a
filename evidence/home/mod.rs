//! Arguments about home spaces: whether φ stays reachable wherever the net goes (AG EF φ). A
//! transition is live exactly if "it is enabled" does.
//!
//! | argument | file | shows |
//! |---|---|---|
//! | a weighted sum bounds the firings | [`finitely`] | transitions are not live |
//! | siphons and traps (Commoner) | [`commoner`] | all transitions are live |
//! | the same of the net closed to a cycle | [`commoner`] | a marking stays coverable |
//! | every firing can be undone | [`undone`] | what can be reached at all stays reachable |
//! | firings lead back from everywhere | [`returning`] | what can be done there can be done again |
//! | after a firing sequence it cannot be reached | [`lost`] | it is lost |
//! | all markings were visited | [`stays`] | which of both |
//!
//! An argument is about the net that was read, or about what a reduction left of it. A reduction
//! for the liveness of transitions keeps whether they are live: so what is lost in the reduced net
//! is lost in the net before, wherever that may be.

pub mod commoner;
pub mod finitely;
mod flaw;
pub mod liveness;
pub mod lost;
pub mod returning;
pub mod stays;
pub mod undone;

pub use flaw::HomeFlaw;

use crate::certificate::{Document, Flaw, NamedDocument};
use parikh_net::{Net, PlaceId, TransitionId};
use returning::{Firings, Returning};
use serde::{Deserialize, Serialize};
use undone::Undoing;

/// What shows something of home spaces from the net as a whole. See the module. Plain data: in
/// memory its nodes are ids, in a file names.
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
        /// See [`crate::refutation::check`].
        refutation: Vec<Vec<i32>>,
    },
    /// For each transition what undoes it.
    Undone(Vec<Undoing<P, T>>),
    /// The same as for siphons and traps, of the closed net.
    Closed {
        /// The traps.
        traps: Vec<Vec<P>>,
        /// See [`crate::refutation::check`].
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
    /// The markings say it, of which no part of the net has more than so many: [`stays`].
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
