//! What is asked of a model.

use super::Unanswered;
use crate::answer::Plan;
use crate::model::{NotUnfolded, View};
use parikh_net::{Goal, Net};
use std::error::Error;

/// Questions, before it is known which net they are put to.
///
/// A function from a net to a [`Plan`] is one: it is called for each [`View`] of the model that is
/// worked on, of which a coloured net may have two. Questions that are asked of both have the same
/// ids there.
pub trait Questions {
    /// Why there are no questions.
    type Error: From<NotUnfolded>;

    /// The questions as they read on the net of a view.
    ///
    /// # Errors
    /// When nothing can be asked there.
    fn on(&self, view: View<'_>) -> Result<Wording, Self::Error>;
}

/// Questions as they read on one net.
#[derive(Clone, Debug, Default)]
pub struct Wording {
    /// Those that can be asked.
    pub plan: Plan,
    /// Those that cannot, with why not.
    pub refused: Vec<Unanswered>,
    /// How many of these only because colours, erased in this net, matter to them: they are about
    /// runs, or what is enabled initially.
    pub want_colours: usize,
}

impl Wording {
    /// Whether the net as it is, its colours erased, is not enough: some question lacks colours, or
    /// asks what stays reachable, of which nothing is carried over from abstractions.
    pub(super) fn wants_more(&self) -> bool {
        self.want_colours > 0 || self.plan.goals().iter().any(|it| matches!(it, Goal::Home(_)))
    }

    /// Whether everything can be asked in a net that has colours, or tells as much.
    pub(super) fn lacks_nothing_but_colours(&self) -> bool {
        self.want_colours == self.refused.len()
    }

    /// What all questions are called.
    pub(super) fn ids(&self) -> Vec<String> {
        let asked = self.plan.questions().iter().map(|question| &question.id);
        asked.chain(self.refused.iter().map(|question| &question.id)).cloned().collect()
    }
}

impl From<Plan> for Wording {
    fn from(plan: Plan) -> Self {
        Wording { plan, ..Wording::default() }
    }
}

impl<F, E> Questions for F
where
    F: Fn(&Net) -> Result<Plan, E>,
    E: From<NotUnfolded>,
{
    type Error = E;

    fn on(&self, view: View<'_>) -> Result<Wording, E> {
        Ok(self(view.net())?.into())
    }
}

/// A plan names the nodes of one net, which is the model.
impl Questions for Plan {
    type Error = Box<dyn Error + Send + Sync>;

    fn on(&self, view: View<'_>) -> Result<Wording, Self::Error> {
        match view {
            View::Model(_) => Ok(self.clone().into()),
            View::Unfolding(_) | View::Quotient(_) | View::Coloured(_) => {
                Err("a plan is about one net: ask a coloured one by a function from nets to plans"
                    .into())
            }
        }
    }
}
