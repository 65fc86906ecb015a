//! Models of all kinds, and the nets that represent them.
//!
//! ```text
//! place/transition net ───────────────────────────────▶ itself
//! coloured net ─┬─ a transition for each binding ──────▶ its unfolding
//!               ├─ equivalent colours merged, then a transition for each binding
//!               │                            ─────────▶ the unfolding of its exact quotient
//!               └─ colours erased, steps with bindings ▶ the coloured net without unfolding
//! ```
//!
//! Questions refer to the nodes of one of these nets, a [`ModelView`] of the model. A model keeps
//! the views that were made, so a receiver of answers can refer to their net.

use crate::about::NetMeant;
use parikh_evidence::abstraction::ColouredModel;
use parikh_net::coloured::ColouredNet;
use parikh_net::printable::counted;
use parikh_net::{Net, TransitionId};
use parikh_solvers::Budget;
use parikh_unfolding::{UnfoldingError, UnfoldingLimits};
use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

/// A model as read from its file.
#[derive(Debug)]
pub enum Model {
    /// A place/transition net.
    Plain(Box<Net>),
    /// A coloured net.
    Coloured(Box<ColouredViews>),
}

/// A coloured net with the nets that represent it. The unfoldings and the skeleton are made on
/// first use. The unfolding of the quotient is stored by [`keep_quotient`](Self::keep_quotient).
#[derive(Debug)]
pub struct ColouredViews {
    net: ColouredNet,
    /// The unfolding with a transition for each binding (index 0), and the unfolding that builds
    /// bindings with the same inputs and outputs only once (index 1).
    unfoldings: [OnceLock<Net>; 2],
    /// The unfolding of the exact quotient, in which equivalent colours are merged.
    quotient: OnceLock<Net>,
    /// The coloured net with its skeleton, that is, the net without colours. The inner `None` means
    /// that the skeleton could not be made (see [`as_it_is`](Self::as_it_is)).
    with_skeleton: OnceLock<Option<ColouredModel>>,
}

/// The net to whose nodes questions, goals and witnesses refer.
#[derive(Clone, Copy, Debug)]
pub enum ModelView<'m> {
    /// The model itself, a place/transition net.
    Model(&'m Net),
    /// The unfolding of a coloured net.
    Unfolding(&'m Net),
    /// The unfolding of a coloured net with equivalent colours merged.
    Quotient(&'m Net),
    /// A coloured net without unfolding. Places and transitions are those of its skeleton, and
    /// firings are steps with bindings.
    Coloured(&'m ColouredModel),
}

/// The error for a coloured net that was not unfolded, with the sizes and limits for the message.
/// The unfolding exceeds the limits, a variable has 2³² or more colours, a number overflows, or the
/// budget is spent.
#[derive(Clone, Debug, thiserror::Error)]
pub struct NotUnfolded {
    /// The number of places before guards are evaluated: the sum of the numbers of colours of all
    /// places.
    places: u128,
    /// The number of transitions before guards are evaluated: the number of bindings of all
    /// transitions.
    transitions: u128,
    most_places: u64,
    most_bindings: u64,
    #[source]
    cause: UnfoldingError,
}

impl fmt::Display for NotUnfolded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cause {
            UnfoldingError::Spent(_) | UnfoldingError::Variable(_) | UnfoldingError::Net(_) => {
                f.write_str("the coloured net was not unfolded")
            }
            UnfoldingError::TooLarge { .. }
            | UnfoldingError::Tries(_)
            | UnfoldingError::Colours(_) => write!(
                f,
                "the coloured net is too large to be unfolded: before guards are evaluated it has \
                 {} places and {} transitions, and the limits are {} and {}",
                approximately(self.places),
                approximately(self.transitions),
                approximately(u128::from(self.most_places)),
                approximately(u128::from(self.most_bindings))
            ),
        }
    }
}

impl Model {
    /// Returns the name of the net.
    pub fn name(&self) -> &str {
        match self {
            Model::Plain(net) => net.name(),
            Model::Coloured(coloured) => coloured.net.name(),
        }
    }

    /// Describes the size of the model in words.
    pub fn sizes(&self) -> String {
        match self {
            Model::Plain(net) => format!(
                "{}, {}, {}",
                counted(net.place_count(), "place"),
                counted(net.transition_count(), "transition"),
                counted(net.arc_count(), "arc")
            ),
            Model::Coloured(coloured) => format!(
                "{}, {}",
                counted(coloured.net.places().len(), "coloured place"),
                counted(coloured.net.transitions().len(), "coloured transition")
            ),
        }
    }

    /// Returns the coloured net, if the model is one.
    pub fn colours(&self) -> Option<&ColouredNet> {
        match self {
            Model::Plain(_) => None,
            Model::Coloured(coloured) => Some(&coloured.net),
        }
    }

    /// Returns the place/transition net of the model, unfolded if the model is coloured.
    ///
    /// # Errors
    /// The unfolding of a coloured net exceeds the limits, a variable has 2³² or more colours, a
    /// number overflows, or the budget is spent.
    pub fn into_net(
        self,
        config: &parikh_unfolding::UnfoldingConfig,
        budget: &Budget,
    ) -> Result<Net, NotUnfolded> {
        match self {
            Model::Plain(net) => Ok(*net),
            Model::Coloured(coloured) => unfolded(&coloured.net, config, budget),
        }
    }
}

impl ColouredViews {
    /// Returns the coloured net.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// Returns the unfolding, without places and transitions that are found to be unused in all
    /// reachable markings. With `symmetry`, bindings with the same inputs and outputs are built
    /// only once. If the unfolding was made before, it is returned whatever the limits and the
    /// budget.
    ///
    /// # Errors
    /// The errors of [`Model::into_net`].
    pub fn unfolding(
        &self,
        symmetry: bool,
        limits: UnfoldingLimits,
        budget: &Budget,
    ) -> Result<&Net, NotUnfolded> {
        let slot = &self.unfoldings[usize::from(symmetry)];
        if let Some(net) = slot.get() {
            return Ok(net);
        }
        let config = parikh_unfolding::UnfoldingConfig {
            limits,
            symmetry,
            ..parikh_unfolding::UnfoldingConfig::default()
        };
        let net = unfolded(&self.net, &config, budget)?;
        Ok(slot.get_or_init(|| net))
    }

    /// Returns the unfolding in which bindings with the same inputs and outputs are built only
    /// once. Returns `None` if this unfolding was not made yet. This unfolding serves questions
    /// about markings, and not questions about single bindings.
    pub fn existing_unfolding(&self) -> Option<&Net> {
        self.unfoldings[1].get()
    }

    /// Returns the unfolding of the exact quotient, if it was made.
    pub fn quotient(&self) -> Option<&Net> {
        self.quotient.get()
    }

    /// Stores the unfolding of the exact quotient, unless one is stored already. Returns the stored
    /// net.
    pub fn keep_quotient(&self, net: Net) -> &Net {
        self.quotient.get_or_init(|| net)
    }

    /// Returns the coloured net with its skeleton, that is, the net without colours. Returns `None`
    /// if a number of tokens in the skeleton is too large or cannot be computed. Also returns
    /// `None` if the skeleton has too many nodes.
    pub fn as_it_is(&self) -> Option<&ColouredModel> {
        self.with_skeleton.get_or_init(|| ColouredModel::new(self.net.clone()).ok()).as_ref()
    }
}

impl<'m> ModelView<'m> {
    /// Returns the net to whose places and transitions questions refer.
    pub fn net(self) -> &'m Net {
        match self {
            ModelView::Model(net) | ModelView::Unfolding(net) | ModelView::Quotient(net) => net,
            ModelView::Coloured(model) => model.skeleton().net(),
        }
    }

    /// Returns the net to which answers refer: the model as in its file, plain or coloured,
    /// whatever net the engines work on.
    pub fn net_meant(self) -> NetMeant {
        match self {
            ModelView::Model(_) => NetMeant::Model,
            ModelView::Unfolding(_) | ModelView::Quotient(_) | ModelView::Coloured(_) => {
                NetMeant::Coloured
            }
        }
    }

    /// Returns the name of a transition. In a coloured net without unfolding, `t` is instead the
    /// number of a step, that is, of a transition with a binding. Then the name of the step is
    /// returned.
    pub fn transition_name(self, t: TransitionId) -> Cow<'m, str> {
        match self {
            ModelView::Coloured(model) => model.step_name(t).into(),
            _ => self.net().transition_name(t).into(),
        }
    }
}

impl From<Net> for Model {
    fn from(net: Net) -> Self {
        Model::Plain(Box::new(net))
    }
}

impl From<ColouredNet> for Model {
    fn from(net: ColouredNet) -> Self {
        let (unfoldings, quotient, as_it_is) = Default::default();
        Model::Coloured(Box::new(ColouredViews {
            net,
            unfoldings,
            quotient,
            with_skeleton: as_it_is,
        }))
    }
}

/// Returns the unfolding of a coloured net.
///
/// # Errors
/// The errors of [`Model::into_net`]. The error states the sizes.
pub fn unfolded(
    net: &ColouredNet,
    config: &parikh_unfolding::UnfoldingConfig,
    budget: &Budget,
) -> Result<Net, NotUnfolded> {
    let (places, transitions) = (net.colour_count(), net.binding_count());
    let UnfoldingLimits { places: most_places, bindings: most_bindings, .. } = config.limits;
    let not_unfolded =
        |why| NotUnfolded { places, transitions, most_places, most_bindings, cause: why };
    parikh_unfolding::unfold(net, config, budget).map(|(net, _)| net).map_err(not_unfolded)
}

/// Formats a count: `12345`, or `1.2·10^7` from a million on. `u128::MAX` stands for an overflow.
fn approximately(count: u128) -> String {
    match count {
        u128::MAX => "more than 10^38".to_owned(),
        0..1_000_000 => count.to_string(),
        count => format!("{:.1e}", count as f64).replace('e', "·10^"),
    }
}
