//! Models: what is read, of whatever kind, and the nets that stand for it.
//!
//! ```text
//! place/transition net ───────────────────────────────▶ itself
//! coloured net ─┬─ a transition for each binding ──────▶ its unfolding
//!               ├─ colours that nothing tells apart made one, then a transition for each binding
//!               │                            ─────────▶ the unfolding of its exact quotient
//!               └─ colours erased, steps with bindings ▶ the coloured net as it is
//! ```
//!
//! Questions are written over the nodes of one of these nets, a [`View`] of the model. A model
//! keeps the views that were made, so that whoever is told of answers may hold on to the net that
//! they are about.

use crate::about::NetMeant;
use crate::evidence::abstraction::ColouredModel;
use crate::unfold::{self, Declined, Limits};
use parikh_net::coloured::ColouredNet;
use parikh_net::printable::counted;
use parikh_net::{Net, TransitionId};
use parikh_solvers::Budget;
use std::borrow::Cow;
use std::sync::OnceLock;

/// A model as its file has it.
#[derive(Debug)]
pub enum Model {
    /// A place/transition net.
    Plain(Box<Net>),
    /// A coloured net.
    Coloured(Box<Coloured>),
}

/// A coloured net with the nets that stand for it, each made when it is first asked for.
#[derive(Debug)]
pub struct Coloured {
    net: ColouredNet,
    /// With a transition for each binding, and with one for bindings that do the same.
    unfoldings: [OnceLock<Net>; 2],
    quotient: OnceLock<Net>,
    as_it_is: OnceLock<Option<ColouredModel>>,
}

/// The net whose nodes questions, goals and witnesses name.
#[derive(Clone, Copy, Debug)]
pub enum View<'m> {
    /// The model itself, a place/transition net.
    Model(&'m Net),
    /// The unfolding of a coloured net.
    Unfolding(&'m Net),
    /// The unfolding of a coloured net in which colours that nothing tells apart are one.
    Quotient(&'m Net),
    /// A coloured net as it is: places and transitions are those of its skeleton, and firings are
    /// steps with their bindings.
    Coloured(&'m ColouredModel),
}

/// Why a coloured net has no unfolding.
#[derive(Clone, Debug, thiserror::Error)]
#[error(
    "the coloured net is not unfolded: without looking at guards it has {} places and {} transitions, and \
     {} and {} are the limits",
    approximately(*.places),
    approximately(*.transitions),
    approximately(u128::from(*.most_places)),
    approximately(u128::from(*.most_bindings))
)]
pub struct NotUnfolded {
    /// The colours of all places.
    places: u128,
    /// The bindings of all transitions, before guards.
    transitions: u128,
    most_places: u64,
    most_bindings: u64,
    #[source]
    why: Declined,
}

impl Model {
    /// The name of the net.
    pub fn name(&self) -> &str {
        match self {
            Model::Plain(net) => net.name(),
            Model::Coloured(coloured) => coloured.net.name(),
        }
    }

    /// How large it is, in words.
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

    /// The coloured net, where it is one.
    pub fn colours(&self) -> Option<&ColouredNet> {
        match self {
            Model::Plain(_) => None,
            Model::Coloured(coloured) => Some(&coloured.net),
        }
    }

    /// The place/transition net that it is or stands for.
    ///
    /// # Errors
    /// When a coloured net is larger than the limits allow, or the budget is spent.
    pub fn into_net(self, config: &unfold::Config, budget: &Budget) -> Result<Net, NotUnfolded> {
        match self {
            Model::Plain(net) => Ok(*net),
            Model::Coloured(coloured) => unfolded(&coloured.net, config, budget),
        }
    }
}

impl Coloured {
    /// The net itself.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// Its unfolding, without what no marking can have.
    ///
    /// # Errors
    /// As [`Model::into_net`].
    pub fn unfolding(
        &self,
        symmetry: bool,
        limits: Limits,
        budget: &Budget,
    ) -> Result<&Net, NotUnfolded> {
        let made = &self.unfoldings[usize::from(symmetry)];
        if let Some(net) = made.get() {
            return Ok(net);
        }
        let config = unfold::Config { limits, symmetry, ..unfold::Config::default() };
        let net = unfolded(&self.net, &config, budget)?;
        Ok(made.get_or_init(|| net))
    }

    /// The unfolding that was made for questions about markings, if it was.
    pub fn made(&self) -> Option<&Net> {
        self.unfoldings[1].get()
    }

    /// The unfolding of its exact quotient, if it was worked on.
    pub fn quotient(&self) -> Option<&Net> {
        self.quotient.get()
    }

    /// Keeps the unfolding of the exact quotient.
    pub(crate) fn keep_quotient(&self, net: Net) -> &Net {
        self.quotient.get_or_init(|| net)
    }

    /// The coloured net as it is; `None` where its skeleton is no net that can be counted with.
    pub fn as_it_is(&self) -> Option<&ColouredModel> {
        self.as_it_is.get_or_init(|| ColouredModel::new(self.net.clone()).ok()).as_ref()
    }
}

impl<'m> View<'m> {
    /// The net whose nodes are named.
    pub fn net(self) -> &'m Net {
        match self {
            View::Model(net) | View::Unfolding(net) | View::Quotient(net) => net,
            View::Coloured(model) => model.skeleton().net(),
        }
    }

    /// Returns the net that answers speak of: the model, whatever net is worked on.
    pub fn net_meant(self) -> NetMeant {
        match self {
            View::Model(_) => NetMeant::Model,
            View::Unfolding(_) | View::Quotient(_) | View::Coloured(_) => NetMeant::Coloured,
        }
    }

    /// The name of a transition, or of a step with its binding.
    pub fn transition_name(self, t: TransitionId) -> Cow<'m, str> {
        match self {
            View::Coloured(model) => model.step_name(t).into(),
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
        Model::Coloured(Box::new(Coloured { net, unfoldings, quotient, as_it_is }))
    }
}

/// The unfolding of a coloured net; why not, with its sizes.
///
/// # Errors
/// As [`Model::into_net`].
pub fn unfolded(
    net: &ColouredNet,
    config: &unfold::Config,
    budget: &Budget,
) -> Result<Net, NotUnfolded> {
    let (places, transitions) = (net.colour_count(), net.binding_count());
    let Limits { places: most_places, bindings: most_bindings, .. } = config.limits;
    let not = |why| NotUnfolded { places, transitions, most_places, most_bindings, why };
    unfold::unfold(net, config, budget).map(|(net, _)| net).map_err(not)
}

/// A count as people read it: 12345, 1.2·10⁷.
fn approximately(count: u128) -> String {
    match count {
        u128::MAX => "more than 10^38".to_owned(),
        0..1_000_000 => count.to_string(),
        count => format!("{:.1e}", count as f64).replace('e', "·10^"),
    }
}
