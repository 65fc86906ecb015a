//! The way back from an unfolding: which of its nodes are the colours of which place, and the
//! bindings of which transition.

use super::ColouredNet;
use crate::id::{PlaceId, TransitionId};
use crate::names::Names;
use std::ops::Range;
use std::sync::Arc;

/// The coloured nodes that a place/transition net was unfolded from. The colours of a coloured
/// place are consecutive places of the net, the bindings of a coloured transition consecutive
/// transitions; those that no firing sequence can ever mark or fire are left out, so a row may be
/// empty.
#[derive(Clone, Debug, Default)]
pub struct Folding {
    places: Names,
    transitions: Names,
    place_ends: Vec<u32>,
    transition_ends: Vec<u32>,
    net: Option<Arc<ColouredNet>>,
    is_skeleton: bool,
    classes: Option<Arc<[NamedClasses]>>,
    colour_names: Option<Arc<dyn ColourNames>>,
}

/// The names that the colours of coloured places have.
pub trait ColourNames: std::fmt::Debug + Send + Sync {
    /// Returns the name of the place that a colour of a coloured place unfolds to, whether or not
    /// the place was left out; `None` where the place's sort has no such colour. A colour is `red`,
    /// `red,2` or `(red,2)`.
    fn unfolded(&self, place: usize, colour: &str) -> Option<String>;
}

/// The classes of a sort's colours of which each was made one, by the colours' names.
pub type NamedClasses = Vec<Vec<String>>;

/// A coloured net has more than 4 GiB of names, or more than 2³² − 1 nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than 2^32 - 1 nodes, or names of more than 4 GiB")]
pub struct TooLarge;

impl Folding {
    /// The folding with these coloured places and transitions, each with the number of nodes it
    /// unfolds to, in order.
    ///
    /// # Errors
    /// When there are too many.
    pub fn new<'n>(
        places: impl IntoIterator<Item = (&'n str, usize)>,
        transitions: impl IntoIterator<Item = (&'n str, usize)>,
    ) -> Result<Self, TooLarge> {
        let rows = |rows: &mut dyn Iterator<Item = (&'n str, usize)>| {
            let (mut names, mut ends, mut end) = (Names::default(), Vec::new(), 0usize);
            for (name, count) in rows {
                names.push(name).map_err(|_| TooLarge)?;
                end += count;
                ends.push(u32::try_from(end).map_err(|_| TooLarge)?);
            }
            Ok((names, ends))
        };
        let (places, place_ends) = rows(&mut places.into_iter())?;
        let (transitions, transition_ends) = rows(&mut transitions.into_iter())?;
        Ok(Folding { places, transitions, place_ends, transition_ends, ..Folding::default() })
    }

    /// The same, where colours have these names.
    pub fn with_colour_names(self, names: Arc<dyn ColourNames>) -> Self {
        Folding { colour_names: Some(names), ..self }
    }

    /// The names of colours, where they are known without the coloured net.
    pub fn colour_names(&self) -> Option<&dyn ColourNames> {
        self.colour_names.as_deref()
    }

    /// The same of a net without colours, whose places hold what all colours hold together.
    pub fn of_skeleton(self) -> Self {
        Folding { is_skeleton: true, ..self }
    }

    /// Whether it is that: which transitions are enabled is then a matter of the colours, and not
    /// told.
    pub fn is_skeleton(&self) -> bool {
        self.is_skeleton
    }

    /// The same of a net in which some colours were made one: of each sort that has such classes
    /// all of its colours, if that is to be said of it at all.
    pub fn of_quotient(self, classes: Vec<NamedClasses>) -> Self {
        Folding { classes: Some(classes.into()), ..self }
    }

    /// The classes of colours that were made one; `None` where none were. A place or a transition
    /// stands for several colours there, and is none that a formula may name.
    pub fn classes(&self) -> Option<&[NamedClasses]> {
        self.classes.as_deref()
    }

    /// The same of this net, whose colours have names then.
    pub fn of(self, net: Arc<ColouredNet>) -> Self {
        Folding { net: Some(net), ..self }
    }

    /// The coloured net, where it is known.
    pub fn coloured(&self) -> Option<&ColouredNet> {
        self.net.as_deref()
    }

    /// How many coloured places there are.
    pub fn place_count(&self) -> usize {
        self.place_ends.len()
    }

    /// How many coloured transitions there are.
    pub fn transition_count(&self) -> usize {
        self.transition_ends.len()
    }

    /// The name of a coloured place.
    pub fn place_name(&self, index: usize) -> &str {
        self.places.get(index)
    }

    /// The name of a coloured transition.
    pub fn transition_name(&self, index: usize) -> &str {
        self.transitions.get(index)
    }

    /// The places that a coloured place unfolds to.
    pub fn places(&self, index: usize) -> impl ExactSizeIterator<Item = PlaceId> + use<> {
        row(&self.place_ends, index).map(PlaceId::new)
    }

    /// The transitions that a coloured transition unfolds to.
    pub fn transitions(&self, index: usize) -> impl ExactSizeIterator<Item = TransitionId> + use<> {
        row(&self.transition_ends, index).map(TransitionId::new)
    }

    /// The coloured place of this name.
    pub fn place_named(&self, name: &str) -> Option<usize> {
        self.places.find(name)
    }

    /// The coloured transition of this name.
    pub fn transition_named(&self, name: &str) -> Option<usize> {
        self.transitions.find(name)
    }

    /// The coloured place that a place is a colour of.
    pub fn place_of(&self, place: PlaceId) -> usize {
        self.place_ends.partition_point(|&end| end as usize <= place.index())
    }

    /// The coloured transition that a transition is a binding of.
    pub fn transition_of(&self, transition: TransitionId) -> usize {
        self.transition_ends.partition_point(|&end| end as usize <= transition.index())
    }
}

fn row(ends: &[u32], index: usize) -> Range<usize> {
    let start = if index == 0 { 0 } else { ends[index - 1] };
    start as usize..ends[index] as usize
}
