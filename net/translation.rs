//! The way back from a place/transition net to the net with inhibitor or reset arcs that it stands
//! for.
//!
//! ```text
//! m(p) < w                         complement place co(p), which holds B - m(p), is read: >= B - w + 1
//! t empties p                      a copy of t for each k tokens that p may hold: it takes k from p and
//!                                  B - k from co(p), and puts B there
//! ```
//!
//! B is a bound on p in *the net with these arcs*. With it the two nets are one: each marking m of
//! one is the marking m with B - m(p) on each co(p) of the other, and in it the same transitions
//! are enabled, each by one of its copies. So whatever is asked of the one can be asked of the
//! other, in terms of the model's places and transitions.
//!
//! The bounds are what is to be believed: each has its [`Because`].
//!
//! # Caps
//! A place p whose bound nobody knows gets a *cap*, a number c that no weight of an arc at p
//! exceeds. It is taken for its bound, and what the place holds beyond is on another place,
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
//! besides the copies of above for B = c. It stands for the model in two halves:
//!
//! * *A run that ends with a token on `within` is a run of the model.* Nothing puts a token there,
//!   so it was there all the time, nothing read `beyond`, and all over(p) are empty: all firings
//!   are copies of above. By induction p holds m(p) and co(p) holds c - m(p), as for bounds, but
//!   that what would take p beyond c waits for co(p). So each firing is one of the model.
//! * *Each run of the model is a run of this net*, in which the markings of the model come with p,
//!   co(p) and over(p) as the first line says. Before the first firing that takes some p beyond c,
//!   p holds at least c + 1 - d tokens, and `leave(p)` is fired. Inhibitor arcs have weights up to
//!   c: that they do not inhibit is seen of min(m(p), c). What raises p from m to m + d puts on
//!   over(p) what does not fit on p, and nothing else; what lowers it takes from over(p) first,
//!   where there is something only if p holds c. What empties p is the copy for min(m(p), c), and
//!   then over(p) is drained.
//!
//! (The net does more than that: it may take from p what it should take from over(p). What was left
//! there is of no use until p holds c tokens again.)
//!
//! So of φ over the model's places, a witness for φ ∧ within >= 1 shows that the model reaches φ,
//! and a refutation of φ that it does not, where φ is read as [`of_model`](crate::of_model()) has
//! it: m(p) is p + over(p), and the comparison of m(p) with a number up to c is one of p. That t is
//! enabled in the model is such a condition, too. There may be neither witness nor refutation: a
//! question may stay open though both goals are settled. What a sum e over the model's places is at
//! most, is asked as the largest value of 2·e + within: 2n + 1 says that e is at most n, and is n
//! in a marking within the caps; an even number says nothing. Nothing else is asked of such a net:
//! what stays reachable and what runs do takes both halves at once.
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

/// A bound on a place in every marking that a net with inhibitor or reset arcs reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The place.
    pub place: PlaceId,
    /// What it holds at most.
    pub most: u64,
    /// Why.
    pub because: Because,
}

/// Why a place holds no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// The net has this many markings, or fewer: they were visited.
    Visited(u64),
    /// Who adds to the place is inhibited by it: [`capacity`](crate::extended::capacity).
    Capacity,
    /// No transition raises this sum of tokens, by its plain arcs; each place with its factor, at
    /// least 1.
    Weights(Vec<(PlaceId, u64)>),
    /// It may hold more: this is a cap, up to which its tokens are counted on the place itself.
    Cap,
}

/// What a transition of a model asks of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The place.
    pub place: PlaceId,
    /// It holds at least so many tokens.
    pub least: u64,
    /// It holds fewer than so many, if anybody asks; at least 1.
    pub below: Option<u64>,
}

/// Names of more than 4 GiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("names of more than 4 GiB")]
pub struct TooLarge;

/// What a net was translated from, as far as nodes have to be told apart: of the place/transition
/// net, the first places are the model's.
#[derive(Clone, Debug)]
pub struct Translation {
    /// How many places the model has.
    places: usize,
    /// The model's transitions.
    transitions: Names,
    bounds: Vec<Bound>,
    /// The places with a complement, in the order of their complements, which come after all other
    /// places.
    complemented: Vec<PlaceId>,
    /// Where the copies of each transition end.
    ends: Vec<usize>,
    caps: Option<Caps>,
}

/// What is known of a net with caps.
#[derive(Clone, Debug)]
pub struct Caps {
    /// The place that is marked while no cap was passed.
    pub within: PlaceId,
    /// Where the tokens of places beyond their caps are, with the caps.
    pub over: BTreeMap<PlaceId, (u64, PlaceId)>,
    /// When each transition of the model is enabled there, over the model's places; no number in it
    /// is above the cap of its place.
    pub enabled: Vec<Vec<Window>>,
}

impl Translation {
    /// The translation of a model of so many places, and of transitions of these names with so many
    /// copies each; by these bounds, with complements of these places.
    ///
    /// # Errors
    /// When the names take more than 4 GiB.
    pub fn new<'n>(
        places: usize,
        transitions: impl IntoIterator<Item = (&'n str, usize)>,
        bounds: Vec<Bound>,
        complemented: Vec<PlaceId>,
    ) -> Result<Self, TooLarge> {
        let (mut names, mut ends, mut end) = (Names::default(), Vec::new(), 0);
        for (name, copies) in transitions {
            names.push(name).map_err(|_| TooLarge)?;
            end += copies;
            ends.push(end);
        }
        Ok(Translation { places, transitions: names, bounds, complemented, ends, caps: None })
    }

    /// The same of a net with caps.
    #[must_use]
    pub fn with_caps(self, caps: Caps) -> Self {
        Translation { caps: Some(caps), ..self }
    }

    /// What there is to be known of the caps. Nothing where there are none: then the net does what
    /// the model does.
    pub fn caps(&self) -> Option<&Caps> {
        self.caps.as_ref()
    }

    /// The place that is marked while no cap was passed, where there are caps.
    pub fn within_caps(&self) -> Option<PlaceId> {
        self.caps.as_ref().map(|caps| caps.within)
    }

    /// How many places the model has.
    pub fn place_count(&self) -> usize {
        self.places
    }

    /// How many transitions the model has.
    pub fn transition_count(&self) -> usize {
        self.ends.len()
    }

    /// The name of a transition of the model.
    pub fn transition_name(&self, t: TransitionId) -> &str {
        self.transitions.get(t.index())
    }

    /// The model's transition of this name.
    pub fn transition_named(&self, name: &str) -> Option<TransitionId> {
        self.transitions.find(name).map(TransitionId::new)
    }

    /// The bounds that it rests on, by ascending place.
    pub fn bounds(&self) -> &[Bound] {
        &self.bounds
    }

    /// The places with a complement: the k-th of them has the k-th of the places after the model's.
    pub fn complemented(&self) -> &[PlaceId] {
        &self.complemented
    }

    /// The indices of the transitions that stand for `t`.
    pub fn copies(&self, t: TransitionId) -> Range<usize> {
        let start = t.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends.get(t.index()).copied().unwrap_or(start)
    }

    /// Whether `copy` is one of several that stand for the same transition of the model. What is
    /// said of each of them is then not what is said of that transition: a run that is fair to it
    /// need not be fair to each copy.
    pub fn is_shared(&self, copy: TransitionId) -> bool {
        self.copies(self.origin(copy)).len() > 1
    }

    /// The transition of the model that a transition stands for.
    pub fn origin(&self, copy: TransitionId) -> TransitionId {
        TransitionId::new(self.ends.partition_point(|&end| end <= copy.index()))
    }
}

/// What a complement place is called: `co(p)`, with as many primes as it takes to be nobody else's
/// name.
pub fn complement_name(place: &str, is_taken: impl Fn(&str) -> bool) -> String {
    unused(format!("co({place})"), is_taken)
}

/// What a copy of a transition is called: `t[p=2,q=0]` where it empties p and q, `t[over(p)+1]`
/// where it puts a token on over(p), with primes likewise.
pub fn copy_name(
    transition: &str,
    held: &[(&str, u64)],
    over: &[(&str, i64)],
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let held = held.iter().map(|(place, tokens)| format!("{place}={tokens}"));
    let over = over.iter().map(|(place, change)| format!("over({place}){change:+}"));
    let said: Vec<String> = held.chain(over).collect();
    unused(format!("{transition}[{}]", said.join(",")), is_taken)
}

/// What else is called so in a net with caps: two places, and with a place in brackets what is
/// about that place.
pub fn cap_name(what: &str, place: Option<&str>, is_taken: impl Fn(&str) -> bool) -> String {
    unused(place.map_or_else(|| what.to_owned(), |place| format!("{what}({place})")), is_taken)
}

fn unused(mut name: String, is_taken: impl Fn(&str) -> bool) -> String {
    while is_taken(&name) {
        name.push('\'');
    }
    name
}
