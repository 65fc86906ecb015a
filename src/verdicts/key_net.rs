//! The net to which the keys of a model refer.
//!
//! The model forms define the keys on place/transition nets. So the keys of a coloured net refer to
//! its whole unfolding, with a place for each colour of each coloured place and a transition for
//! each binding whose guard holds. The examinations `OneSafe`, `QuasiLiveness` and `Liveness` refer
//! to coloured nodes instead. On coloured nets they therefore differ from SAFE, DEAD_TRANSITIONS
//! and LIVE.
//!
//! For a net with inhibitor or reset arcs, the structural keys refer to the translated
//! place/transition net. The behavioural keys refer to the places and transitions of the model.

use super::KeyProperty;
use parikh_input::about::NetMeant;
use parikh_input::model::{NotUnfolded, unfolded};
use parikh_net::Net;
use parikh_net::coloured::ColouredNet;
use parikh_solvers::Budget;
use parikh_structure::keys::Key;
use parikh_unfolding::UnfoldingError;
use std::borrow::Cow;

/// The net to which the keys of a model refer.
#[derive(Clone, Debug)]
pub struct KeyNet<'n> {
    net: Cow<'n, Net>,
    /// True if `net` is the unfolding of a coloured net.
    is_unfolding: bool,
    /// The reason why the unfolding leaves out colours and bindings that cannot occur. `None` if
    /// the unfolding is complete, and for a model without colours.
    omission_reason: Option<String>,
}

impl<'n> KeyNet<'n> {
    /// Returns the net for the keys of a model without colours: the model's net itself.
    pub fn of_net(net: Cow<'n, Net>) -> KeyNet<'n> {
        KeyNet { net, is_unfolding: false, omission_reason: None }
    }

    /// Returns the net for the keys of a coloured model. This is its whole unfolding, if that has
    /// at most a million bindings and stays within the other limits. Otherwise, it is the unfolding
    /// without colours and bindings that cannot occur.
    ///
    /// # Errors
    /// The second unfolding is too large, too, or `budget` is spent.
    pub fn of_coloured(
        coloured: &ColouredNet,
        budget: &Budget,
    ) -> Result<KeyNet<'static>, NotUnfolded> {
        let left_out = match whole_unfolding(coloured, budget) {
            Ok(net) => return Ok(KeyNet::of_unfolding(net, None)),
            Err(why) => why.to_string(),
        };
        let net = unfolded(coloured, &parikh_unfolding::UnfoldingConfig::default(), budget)?;
        Ok(KeyNet::of_unfolding(net, Some(left_out)))
    }

    /// Like [`KeyNet::of_coloured`], for a model whose unfolding `made` exists already. This
    /// unfolding leaves out colours and bindings that cannot occur. It is used if the whole
    /// unfolding cannot be built.
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

    fn of_unfolding(net: Net, omission_reason: Option<String>) -> KeyNet<'static> {
        // The folding maps the nodes of the net to the coloured net. Without the folding, questions
        // refer to single colours and bindings.
        KeyNet { net: Cow::Owned(net.without_folding()), is_unfolding: true, omission_reason }
    }

    /// Returns the place/transition net with the nodes that explanations and traces name.
    pub fn net(&self) -> &Net {
        &self.net
    }

    /// Returns true if the model is coloured.
    pub fn is_unfolding(&self) -> bool {
        self.is_unfolding
    }

    /// Returns true if the model is coloured and the net also has colours and bindings that cannot
    /// occur.
    pub fn is_whole_unfolding(&self) -> bool {
        self.is_unfolding && self.omission_reason.is_none()
    }

    /// Returns the net to which the value of a key refers.
    pub fn net_meant(&self, property: KeyProperty) -> NetMeant {
        match (self.is_unfolding, property) {
            (true, _) => NetMeant::Unfolding,
            (_, KeyProperty::Structural(_)) if self.net.translation().is_some() => {
                NetMeant::Translation
            }
            _ => NetMeant::Model,
        }
    }

    /// Returns the reason why a key cannot be computed from the constructed net, or `None` if it
    /// can.
    pub(super) fn why_unknown(&self, property: KeyProperty) -> Option<String> {
        match (property, &self.omission_reason) {
            (KeyProperty::Structural(Key::NestedUnits), _) if self.is_unfolding => Some(
                "a coloured net has no units, and the units of its unfolding are unknown"
                    .to_owned(),
            ),
            // Colours and bindings that cannot occur do not change these keys.
            (KeyProperty::Safe | KeyProperty::Deadlock | KeyProperty::Reversible, _)
            | (_, None) => None,
            (_, Some(why)) => Some(format!("the complete unfolding cannot be built: {why}")),
        }
    }
}

/// Returns the unfolding with every colour and every binding whose guard holds. Returns an error
/// for more than a million bindings, beyond another limit, or if `budget` is spent.
fn whole_unfolding(coloured: &ColouredNet, budget: &Budget) -> Result<Net, UnfoldingError> {
    let mut whole = parikh_unfolding::UnfoldingConfig {
        symmetry: false,
        fixpoint: false,
        ..parikh_unfolding::UnfoldingConfig::default()
    };
    whole.limits.bindings = 1_000_000;
    whole.limits.tries = 20_000_000;
    parikh_unfolding::unfold(coloured, &whole, budget).map(|(net, _)| net)
}
