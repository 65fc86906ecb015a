//! The net that the keys of a model are about.
//!
//! The model forms define the keys on place/transition nets. The keys of a coloured net are
//! therefore about its whole unfolding, with a place for each colour of each coloured place and a
//! transition for each binding whose guard holds. The examinations `OneSafe`, `QuasiLiveness` and
//! `Liveness` ask about coloured nodes, and differ from SAFE, DEAD_TRANSITIONS and LIVE there.
//!
//! Of a net with inhibitor or reset arcs, the keys of the structure are about the place/transition
//! net that stands for it. The keys of the behaviour are about the places and transitions of the
//! model.

use super::Property;
use crate::about::NetMeant;
use crate::model::{NotUnfolded, unfolded};
use crate::structure::keys::Key;
use crate::unfold::{self, Declined};
use parikh_net::Net;
use parikh_net::coloured::ColouredNet;
use parikh_solvers::Budget;
use std::borrow::Cow;

/// The net that the keys of a model are about.
#[derive(Clone, Debug)]
pub struct KeyNet<'n> {
    net: Cow<'n, Net>,
    /// Whether `net` is the unfolding of a coloured net.
    is_unfolding: bool,
    /// Why colours and bindings that cannot occur are missing in `net`, where they are.
    left_out: Option<String>,
}

impl<'n> KeyNet<'n> {
    /// Returns the net for the keys of a model without colours: the model's net itself.
    pub fn of_net(net: Cow<'n, Net>) -> KeyNet<'n> {
        KeyNet { net, is_unfolding: false, left_out: None }
    }

    /// Returns the net for the keys of a coloured model: its whole unfolding within a million
    /// bindings, and beyond that the unfolding without the colours and bindings that cannot occur.
    ///
    /// # Errors
    /// If the second unfolding is too large, too, or `budget` is spent.
    pub fn of_coloured(
        coloured: &ColouredNet,
        budget: &Budget,
    ) -> Result<KeyNet<'static>, NotUnfolded> {
        let left_out = match whole_unfolding(coloured, budget) {
            Ok(net) => return Ok(KeyNet::of_unfolding(net, None)),
            Err(why) => why.to_string(),
        };
        let net = unfolded(coloured, &unfold::Config::default(), budget)?;
        Ok(KeyNet::of_unfolding(net, Some(left_out)))
    }

    /// Does the same as [`KeyNet::of_coloured`] for a model with the unfolding `made`, which lacks
    /// the colours and bindings that cannot occur.
    pub fn of_coloured_with(
        coloured: &ColouredNet,
        made: &Net,
        budget: &Budget,
    ) -> KeyNet<'static> {
        match whole_unfolding(coloured, budget) {
            Ok(net) => KeyNet::of_unfolding(net, None),
            Err(why) => KeyNet::of_unfolding(made.clone(), Some(why.to_string())),
        }
    }

    fn of_unfolding(net: Net, left_out: Option<String>) -> KeyNet<'static> {
        // Without its folding, questions about the net are about single colours and bindings.
        KeyNet { net: Cow::Owned(net.without_folding()), is_unfolding: true, left_out }
    }

    /// Returns the place/transition net with the nodes that explanations and traces name.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Returns true if the model is coloured.
    pub fn is_unfolding(&self) -> bool {
        self.is_unfolding
    }

    /// Returns the net that the value of a key speaks of.
    pub fn meant(&self, property: Property) -> NetMeant {
        match (self.is_unfolding, property) {
            (true, _) => NetMeant::Unfolding,
            (_, Property::Structural(_)) if self.net.translation().is_some() => {
                NetMeant::Translation
            }
            _ => NetMeant::Model,
        }
    }

    /// Returns why a key cannot be known from the net that was made.
    pub(super) fn why_unknown(&self, property: Property) -> Option<String> {
        match (property, &self.left_out) {
            (Property::Structural(Key::NestedUnits), _) if self.is_unfolding => {
                Some("a coloured net has no units; those of another form are not known".to_owned())
            }
            // Colours and bindings that cannot occur do not change these.
            (Property::Safe | Property::Deadlock | Property::Reversible, _) | (_, None) => None,
            (_, Some(why)) => Some(format!("the whole unfolding is not made: {why}")),
        }
    }
}

/// Returns the unfolding with every colour and every binding whose guard holds.
fn whole_unfolding(coloured: &ColouredNet, budget: &Budget) -> Result<Net, Declined> {
    let mut whole =
        unfold::Config { symmetry: false, fixpoint: false, ..unfold::Config::default() };
    whole.limits.bindings = 1_000_000;
    whole.limits.tries = 20_000_000;
    unfold::unfold(coloured, &whole, budget).map(|(net, _)| net)
}
