//! Questions about a model.

use super::OpenQuestion;
use crate::answer::Plan;
use parikh_input::model::{ModelView, NotUnfolded};
use parikh_net::{Goal, Net};
use std::error::Error;

/// Questions, independent of the net on which they are asked.
///
/// A function from a net to a [`Plan`] implements this trait. It is called for each [`ModelView`]
/// of the model that is analysed; a coloured net may have several. Questions asked of different
/// views have the same ids.
pub trait Questions {
    /// The error if the questions cannot be asked on a net.
    type Error: From<NotUnfolded>;

    /// Returns the questions for the net of a view.
    ///
    /// # Errors
    /// If the questions cannot be asked on this net.
    fn for_view(&self, view: ModelView<'_>) -> Result<QuestionsOnNet, Self::Error>;
}

/// The questions for one net.
#[derive(Clone, Debug, Default)]
pub struct QuestionsOnNet {
    /// The questions that can be asked.
    pub plan: Plan,
    /// The questions that cannot be asked, with reasons.
    pub refused: Vec<OpenQuestion>,
    /// The number of questions that are refused only because this net has no colours. They would be
    /// accepted on an unfolding. These questions are about runs, about the computation tree, or
    /// about transitions enabled in the initial marking.
    pub lacking_colours: usize,
}

impl QuestionsOnNet {
    /// Returns true if the net without colours is not enough. Either some question is refused for
    /// this reason, or some question is about home properties, which cannot be transferred from
    /// abstractions to the coloured net.
    pub(super) fn needs_colours(&self) -> bool {
        self.lacking_colours > 0 || self.plan.goals().iter().any(|it| matches!(it, Goal::Home(_)))
    }

    /// Returns true if every refused question is refused only because the net has no colours. Then
    /// every question can be asked on an unfolding, or on an exact quotient.
    pub(super) fn lacks_only_colours(&self) -> bool {
        self.lacking_colours == self.refused.len()
    }

    /// Returns the ids of all questions.
    pub(super) fn ids(&self) -> Vec<String> {
        let planned = self.plan.questions().iter().map(|question| &question.id);
        planned.chain(self.refused.iter().map(|question| &question.id)).cloned().collect()
    }
}

impl From<Plan> for QuestionsOnNet {
    fn from(plan: Plan) -> Self {
        QuestionsOnNet { plan, ..QuestionsOnNet::default() }
    }
}

impl<F, E> Questions for F
where
    F: Fn(&Net) -> Result<Plan, E>,
    E: From<NotUnfolded>,
{
    type Error = E;

    fn for_view(&self, view: ModelView<'_>) -> Result<QuestionsOnNet, E> {
        Ok(self(view.net())?.into())
    }
}

/// A plan refers to the nodes of one net by index. So the model must be this net: a plan is refused
/// for a coloured model.
impl Questions for Plan {
    type Error = Box<dyn Error + Send + Sync>;

    fn for_view(&self, view: ModelView<'_>) -> Result<QuestionsOnNet, Self::Error> {
        match view {
            ModelView::Model(_) => Ok(self.clone().into()),
            ModelView::Unfolding(_) | ModelView::Quotient(_) | ModelView::Coloured(_) => {
                Err("a plan belongs to one net: for a coloured net, use a function from nets to \
                     plans"
                    .into())
            }
        }
    }
}
