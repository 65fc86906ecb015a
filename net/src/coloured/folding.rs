//! The relation between an unfolding and its coloured net: which nodes are the colours of which
//! place, and the bindings of which transition.

use super::ColouredNet;
use crate::id::{PlaceId, TransitionId};
use crate::names::Names;
use std::ops::Range;
use std::sync::Arc;

/// The coloured places and transitions from which a net was unfolded. The colours of a coloured
/// place are consecutive places, and the bindings of a coloured transition are consecutive
/// transitions. An unfolding may leave out colours that are never marked and bindings that never
/// fire. So a coloured node may have no nodes in the unfolded net.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    places: Names,
    transitions: Names,
    /// For each coloured place, the index after the last place to which it unfolds.
    place_ends: Vec<u32>,
    /// For each coloured transition, the index after the last transition to which it unfolds.
    transition_ends: Vec<u32>,
    /// The label of each coloured place, by index. The list is empty if no labels were given.
    place_labels: Arc<[Option<Box<str>>]>,
    /// The label of each coloured transition, by index. The list is empty if no labels were given.
    transition_labels: Arc<[Option<Box<str>>]>,
    /// The coloured net; `None` if no net is attached.
    net: Option<Arc<ColouredNet>>,
    /// True if the net is a skeleton, that is, the coloured net without colours.
    is_skeleton: bool,
    /// The known classes of equivalent colours: one entry per sort with merged colours. `None` if
    /// the net is not unfolded from a quotient. Empty if the classes of a quotient were not given.
    classes: Option<Arc<[NamedClasses]>>,
    /// A source of the names of unfolded places that does not need the attached coloured net.
    /// `None` if there is no such source.
    colour_names: Option<Arc<dyn ColourNames>>,
}

/// A source of the names of the places to which coloured places unfold, such as `p(red,2)`.
pub trait ColourNames: std::fmt::Debug + Send + Sync {
    /// Returns the name of the place to which a colour of a coloured place unfolds, even if the
    /// unfolding left the place out. `place` is the index of the coloured place in the [`Folding`].
    /// A colour is written `red`, `red,2` or `(red,2)`. Returns `None` if the coloured place or the
    /// colour does not exist.
    fn unfolded(&self, place: usize, colour: &str) -> Option<String>;
}

/// The classes of equivalent colours of one sort. Each class lists the names of its colours, which
/// the quotient merges.
pub type NamedClasses = Vec<Vec<String>>;

/// The error for names of more than 4 GiB, or an unfolded net with more than 2³² − 1 places or
/// transitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than 2^32 - 1 nodes, or names of more than 4 GiB")]
pub struct FoldingTooLarge;

impl Folding {
    /// Makes a folding from coloured places and transitions in order. Each comes with the number of
    /// places or transitions to which it unfolds.
    ///
    /// # Errors
    /// If the unfolded net has too many places or transitions, or if the names need too much
    /// memory.
    pub fn new<'n>(
        places: impl IntoIterator<Item = (&'n str, usize)>,
        transitions: impl IntoIterator<Item = (&'n str, usize)>,
    ) -> Result<Self, FoldingTooLarge> {
        let names_and_ends = |names_and_counts: &mut dyn Iterator<Item = (&'n str, usize)>| {
            let (mut names, mut ends, mut total) = (Names::default(), Vec::new(), 0usize);
            for (name, count) in names_and_counts {
                names.push(name).map_err(|_| FoldingTooLarge)?;
                total += count;
                ends.push(u32::try_from(total).map_err(|_| FoldingTooLarge)?);
            }
            Ok((names, ends))
        };
        let (places, place_ends) = names_and_ends(&mut places.into_iter())?;
        let (transitions, transition_ends) = names_and_ends(&mut transitions.into_iter())?;
        Ok(Folding { places, transitions, place_ends, transition_ends, ..Folding::default() })
    }

    /// Returns the folding with a source of the names of unfolded places.
    pub fn with_colour_names(self, names: Arc<dyn ColourNames>) -> Self {
        Folding { colour_names: Some(names), ..self }
    }

    /// Returns a source of the names of unfolded places that does not need the attached coloured
    /// net. Returns `None` if the folding has no such source.
    pub fn colour_names(&self) -> Option<&dyn ColourNames> {
        self.colour_names.as_deref()
    }

    /// Returns the same folding, whose coloured places and transitions have these labels, in order.
    #[must_use]
    pub fn with_labels<'l>(
        self,
        places: impl Iterator<Item = Option<&'l str>>,
        transitions: impl Iterator<Item = Option<&'l str>>,
    ) -> Self {
        let boxed = |label: Option<&str>| label.map(Box::from);
        let (places, transitions) = (places.map(boxed).collect(), transitions.map(boxed).collect());
        Folding { place_labels: places, transition_labels: transitions, ..self }
    }

    /// Returns true if at least one coloured place or transition has a label.
    pub fn has_labels(&self) -> bool {
        self.place_labels.iter().chain(&*self.transition_labels).any(Option::is_some)
    }

    /// Returns the label of a coloured place, or `None` if it has none.
    pub fn place_label(&self, index: usize) -> Option<&str> {
        self.place_labels.get(index)?.as_deref()
    }

    /// Returns the label of a coloured transition, or `None` if it has none.
    pub fn transition_label(&self, index: usize) -> Option<&str> {
        self.transition_labels.get(index)?.as_deref()
    }

    /// Marks the net as a skeleton: a net without colours, whose places count tokens of all
    /// colours.
    pub fn of_skeleton(self) -> Self {
        Folding { is_skeleton: true, ..self }
    }

    /// Returns true for a skeleton, in which enabledness of the coloured transitions cannot be
    /// decided.
    pub fn is_skeleton(&self) -> bool {
        self.is_skeleton
    }

    /// Marks the net as unfolded from a quotient. `classes` has an entry for each sort with merged
    /// colours: its classes, each with the names of its colours. Callers that need no names of
    /// classes may pass an empty list.
    pub fn of_quotient(self, classes: Vec<NamedClasses>) -> Self {
        Folding { classes: Some(classes.into()), ..self }
    }

    /// Returns the known classes of merged colours. Returns `None` if the net is not unfolded from
    /// a quotient. In a quotient, a place or transition may stand for several colours or bindings,
    /// and formulas cannot name it.
    pub fn classes(&self) -> Option<&[NamedClasses]> {
        self.classes.as_deref()
    }

    /// Attaches the coloured net, from which the names of colours can be computed.
    pub fn with_coloured_net(self, net: Arc<ColouredNet>) -> Self {
        Folding { net: Some(net), ..self }
    }

    /// Returns the coloured net, if it is attached.
    pub fn coloured(&self) -> Option<&ColouredNet> {
        self.net.as_deref()
    }

    /// Returns the number of coloured places.
    pub fn place_count(&self) -> usize {
        self.place_ends.len()
    }

    /// Returns the number of coloured transitions.
    pub fn transition_count(&self) -> usize {
        self.transition_ends.len()
    }

    /// Returns the name of a coloured place.
    pub fn place_name(&self, index: usize) -> &str {
        self.places.get(index)
    }

    /// Returns the name of a coloured transition.
    pub fn transition_name(&self, index: usize) -> &str {
        self.transitions.get(index)
    }

    /// Returns the places to which a coloured place unfolds.
    pub fn places(&self, index: usize) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        index_range(&self.place_ends, index).map(PlaceId::new)
    }

    /// Returns the transitions to which a coloured transition unfolds.
    pub fn transitions(&self, index: usize) -> impl ExactSizeIterator<Item = TransitionId> + use<> {
        index_range(&self.transition_ends, index).map(TransitionId::new)
    }

    /// Returns the index of the coloured place with this name.
    pub fn place_named(&self, name: &str) -> Option<usize> {
        self.places.find(name)
    }

    /// Returns the index of the coloured transition with this name.
    pub fn transition_named(&self, name: &str) -> Option<usize> {
        self.transitions.find(name)
    }

    /// Returns the index of the coloured place that unfolds to `place` and perhaps to other places.
    pub fn place_of(&self, place: PlaceId) -> usize {
        self.place_ends.partition_point(|&end| end as usize <= place.index())
    }

    /// Returns the index of the coloured transition that unfolds to `transition` and perhaps to
    /// other transitions.
    pub fn transition_of(&self, transition: TransitionId) -> usize {
        self.transition_ends.partition_point(|&end| end as usize <= transition.index())
    }
}

fn index_range(ends: &[u32], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    start as usize..ends[index] as usize
}
