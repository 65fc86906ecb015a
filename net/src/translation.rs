//! The relation between a net with inhibitor or reset arcs and the place/transition net that
//! represents it.
//!
//! ```text
//! m(p) < w                         complement place co(p), which holds B - m(p), is read: >= B - w + 1
//! t empties p                      a copy of t for each k tokens that p may hold: it takes k from p and
//!                                  B - k from co(p), and puts B there
//! ```
//!
//! B is a bound on p in *the net with these arcs*. With it the two nets behave alike: a marking m
//! of the first corresponds to m with B - m(p) on each co(p) of the second, and the same
//! transitions are enabled in both, each by one of its copies. So every question about the first
//! can be asked of the second, in terms of the model's places and transitions.
//!
//! The translation is correct only if the bounds hold. Each bound has its reason, [`BoundReason`].
//!
//! # Caps
//! A place p without a known bound gets a *cap*: a number c that no weight of an arc at p exceeds.
//! The cap takes the role of the bound, and the tokens of p beyond it are on another place,
//! `over(p)`:
//!
//! ```text
//! p, co(p), over(p)                min(m(p), c), c - min(m(p), c), and m(p) - min(m(p), c)
//! within, beyond                   a token is on `within` until a cap is passed
//! leave(p)                         moves it from `within` to `beyond`; it reads c + 1 - d tokens of p,
//!                                  where no transition that does not empty p adds more than d to it
//! t raises p by d                  copies that put g of the d tokens on over(p), for g = 1, …, d; they
//!                                  read `beyond`, and leave c tokens on p
//! t lowers p by k                  copies that take h of the k tokens from over(p), for h = 1, …, k;
//!                                  they need c tokens on p
//! drain(p)                         takes a token from over(p), where some transition empties p
//! ```
//!
//! In addition there are the copies described above, with B = c. The net with caps represents the
//! model in two ways:
//!
//! * *A run that ends with a token on `within` is a run of the model.* No transition puts a token
//!   on `within`, so it was marked all the time. So no firing read `beyond`, all over(p) are empty,
//!   and all firings are copies of the kind described above. By induction p holds m(p) and co(p)
//!   holds c - m(p). A firing that would take p beyond c is disabled by co(p). So each firing is
//!   one of the model.
//! * *Each run of the model is a run of this net.* Here p, co(p) and over(p) represent the markings
//!   of the model as in the first line of the table. Before the first firing that takes some p
//!   beyond c, p holds at least c + 1 - d tokens, and `leave(p)` is fired. An inhibitor arc has a
//!   weight of at most c, so min(m(p), c) shows whether it inhibits. A transition that raises p
//!   puts on over(p) only the tokens that do not fit on p. A transition that lowers p takes tokens
//!   from over(p) first. A transition that empties p is represented by the copy for min(m(p), c),
//!   and then over(p) is drained.
//!
//! (The net allows more: it may take tokens from p instead of over(p). The tokens left on over(p)
//! cannot be used until p holds c tokens again.)
//!
//! So for φ over the model's places, a witness for φ ∧ within >= 1 shows that the model reaches φ,
//! and a refutation of φ shows that it does not. Here [`of_model`](crate::of_model()) translates φ:
//! m(p) is p + over(p), and a comparison of m(p) with a number up to c is a comparison of p. The
//! enabledness of a transition of the model is such a condition as well. It may be that neither a
//! witness nor a refutation exists, so a question may stay open although both goals are settled.
//! The largest value of a sum e over the model's places is asked as the largest value of 2·e +
//! within. The value 2n + 1 means that e is at most n, and is n in a marking within the caps; an
//! even value means nothing. Other questions are not asked of such a net, since home spaces and
//! runs involve markings within and beyond the caps at once.
//!
//! # Source
//! Complement places are folklore (T. Murata, *Petri nets: properties, analysis and applications*,
//! Proc. IEEE, 1989, section V); reset arcs of bounded places by copies, C. Dufourd, A. Finkel, Ph.
//! Schnoebelen, *Reset nets between decidability and undecidability*, ICALP 1998, say what is lost
//! where places have no bound.

use crate::id::{PlaceId, TransitionId};
use crate::names::Names;
use std::collections::BTreeMap;
use std::ops::Range;

/// A bound on a place in every reachable marking of a net with inhibitor or reset arcs. With the
/// reason [`BoundReason::Cap`], it is an assumed bound that the net may exceed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslationBound {
    /// The place.
    pub place: PlaceId,
    /// The known or assumed bound on the number of tokens.
    pub max_tokens: u64,
    /// The reason.
    pub reason: BoundReason,
}

/// The reason why a place is bounded, or that its bound is only assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BoundReason {
    /// A search visited all reachable markings. The number of visited markings is given.
    Visited(u64),
    /// A search visited all reachable markings. The number of visited markings is given. A
    /// transition that empties places has a copy for each combination of token counts on these
    /// places in a visited marking that enables it. Copies for all combinations up to the bounds
    /// would be too many.
    VisitedResetCounts(u64),
    /// Every transition that adds to the place is inhibited by it or resets it:
    /// [`bound_by_inhibitors`](crate::extended::bound_by_inhibitors).
    Capacity,
    /// A weighted sum of tokens that no transition increases by its plain arcs bounds the place.
    /// The list has the places of the sum, each with a factor of at least 1.
    Weights(Vec<(PlaceId, u64)>),
    /// The bound is a cap, that is, an assumed bound: the place may hold more tokens, and tokens
    /// beyond the cap are counted on another place.
    Cap,
}

/// A range of tokens that a transition of a model requires of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnablingRange {
    /// The place.
    pub place: PlaceId,
    /// The smallest number of tokens allowed.
    pub min_tokens: u64,
    /// The first number of tokens that is too large, at least 1; `None` without an upper limit.
    pub first_excluded: Option<u64>,
}

/// The error for names of more than 4 GiB, or more than 2³² − 1 names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names of more than 4 GiB")]
pub struct NamesTooLarge;

/// The relation of the nodes of a translated net to those of the model. The first places of the
/// translated net are the model's.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The number of places of the model.
    places: usize,
    /// The names of the model's transitions.
    transitions: Names,
    /// The bounds that the translation rests on, by ascending place.
    bounds: Vec<TranslationBound>,
    /// The known bounds of places with inhibitor or reset arcs. Caps are not among them.
    known_bounds: BTreeMap<PlaceId, u64>,
    /// The places with a complement. The complements follow the model's places in the translated
    /// net, in this order.
    complemented: Vec<PlaceId>,
    /// For each transition of the model, the index after its last copy among the transitions of the
    /// translated net.
    copy_ends: Vec<usize>,
    /// The caps, that is, assumed bounds of places; `None` if all bounds are known.
    caps: Option<Caps>,
}

/// The caps of a net: assumed bounds of places whose bounds are unknown.
#[derive(Clone, Debug)]
pub struct Caps {
    /// The place whose token shows that no firing has exceeded a cap. A transition `leave` takes
    /// the token before the first firing that exceeds a cap, or earlier.
    pub within_place: PlaceId,
    /// For each place with a cap, the cap and the overflow place. The overflow place has the tokens
    /// beyond the cap.
    pub overflow: BTreeMap<PlaceId, (u64, PlaceId)>,
    /// The enabling condition of each transition of the model: ranges of tokens on the model's
    /// places, all of which must hold. No limit of a range exceeds the cap of its place.
    pub enabled: Vec<Vec<EnablingRange>>,
}

impl Translation {
    /// Makes the translation of a model with `places` places, with the given transitions and
    /// numbers of copies, bounds, and places with complements.
    ///
    /// # Errors
    /// If the names take more than 4 GiB, or there are more than 2³² − 1 names.
    pub fn new<'n>(
        places: usize,
        transitions: impl IntoIterator<Item = (&'n str, usize)>,
        bounds: Vec<TranslationBound>,
        complemented: Vec<PlaceId>,
    ) -> Result<Self, NamesTooLarge> {
        let (mut names, mut ends, mut end) = (Names::default(), Vec::new(), 0);
        for (name, copies) in transitions {
            names.push(name).map_err(|_| NamesTooLarge)?;
            end += copies;
            ends.push(end);
        }
        let known = bounds.iter().filter(|it| it.reason != BoundReason::Cap);
        Ok(Translation {
            places,
            transitions: names,
            known_bounds: known.map(|it| (it.place, it.max_tokens)).collect(),
            bounds,
            complemented,
            copy_ends: ends,
            caps: None,
        })
    }

    /// Replaces the known bounds of places. By default, they are the bounds that the translation
    /// rests on, without caps.
    #[must_use]
    pub fn with_known_bounds(self, known_bounds: BTreeMap<PlaceId, u64>) -> Self {
        Translation { known_bounds, ..self }
    }

    /// Returns the known bounds of places with inhibitor or reset arcs, without caps.
    pub fn known_bounds(&self) -> &BTreeMap<PlaceId, u64> {
        &self.known_bounds
    }

    /// Adds caps, that is, assumed bounds of places.
    #[must_use]
    pub fn with_caps(self, caps: Caps) -> Self {
        Translation { caps: Some(caps), ..self }
    }

    /// Returns the caps; `None` if there are none, so that the net behaves like the model.
    pub fn caps(&self) -> Option<&Caps> {
        self.caps.as_ref()
    }

    /// Returns the place whose token shows that no cap, that is, no assumed bound, is exceeded.
    /// Without the token, a cap may be exceeded. Returns `None` if the translation has no caps.
    pub fn within_caps(&self) -> Option<PlaceId> {
        self.caps.as_ref().map(|caps| caps.within_place)
    }

    /// Returns the number of places of the model.
    pub fn place_count(&self) -> usize {
        self.places
    }

    /// Returns the number of transitions of the model.
    pub fn transition_count(&self) -> usize {
        self.copy_ends.len()
    }

    /// Returns the name of a transition of the model.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        self.transitions.get(t.index())
    }

    /// Returns the transition of the model with this name. Returns `None` if there is none.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transitions.find(name).map(TransitionId::new)
    }

    /// Returns the bounds that the translation rests on, by ascending place.
    pub fn bounds(&self) -> &[TranslationBound] {
        &self.bounds
    }

    /// Returns the places with a complement; the k-th complement is the k-th place after the
    /// model's places.
    pub fn complemented(&self) -> &[PlaceId] {
        &self.complemented
    }

    /// Returns the indices of the copies of the model's transition `t` among the transitions of the
    /// translated net. For the first id after the model's transitions, returns an empty range.
    pub fn copies(&self, t: TransitionId) -> Range<usize> {
        let start = t.index().checked_sub(1).map_or(0, |before| self.copy_ends[before]);
        start..self.copy_ends.get(t.index()).copied().unwrap_or(start)
    }

    /// Returns true if `copy` is one of several copies of a transition. Then a statement about one
    /// copy is weaker or stronger than the statement about the transition. For example, a run that
    /// is fair to the transition need not be fair to each copy.
    pub fn has_other_copies(&self, copy: TransitionId) -> bool {
        self.copies(self.model_transition(copy)).len() > 1
    }

    /// Returns the transition of the model that `copy` represents. For a transition that only
    /// handles caps, and represents none, returns the first id after the model's transitions.
    pub fn model_transition(&self, copy: TransitionId) -> TransitionId {
        TransitionId::new(self.copy_ends.partition_point(|&end| end <= copy.index()))
    }
}

/// Returns the name of a complement place: `co(p)`. Apostrophes are appended until `is_taken`
/// returns false for the name.
pub fn complement_name(place: &str, is_taken: impl Fn(&str) -> bool) -> String {
    unused_name(format!("co({place})"), is_taken)
}

/// Returns the name of a copy of a transition. The copy `t[p=2,q=0]` empties p and q when they hold
/// 2 and 0 tokens, as in `held`. The copy `t[over(p)+1]` puts a token on over(p), the place for
/// tokens beyond the cap of p, as in `over`; a negative number is taken. Apostrophes are appended
/// until `is_taken` returns false for the name.
pub fn copy_name(
    transition: &str,
    held: &[(&str, u64)],
    over: &[(&str, i64)],
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let held = held.iter().map(|(place, tokens)| format!("{place}={tokens}"));
    let over = over.iter().map(|(place, change)| format!("over({place}){change:+}"));
    let annotations: Vec<String> = held.chain(over).collect();
    unused_name(format!("{transition}[{}]", annotations.join(",")), is_taken)
}

/// Returns the name of a place or transition that only handles caps: `what`, or `what(place)` if a
/// place is given. Apostrophes are appended until `is_taken` returns false for the name.
pub fn cap_name(what: &str, place: Option<&str>, is_taken: impl Fn(&str) -> bool) -> String {
    unused_name(place.map_or_else(|| what.to_owned(), |place| format!("{what}({place})")), is_taken)
}

fn unused_name(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}
