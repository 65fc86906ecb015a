//! The standard questions about a net, with additional questions about processes that handle cases.

use parikh::answer::Plan;
use parikh::mcc::Examination;
use parikh_input::about::NetMeant;
use parikh_net::{Marking, Net, Predicate};

/// A standard question about a net.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardQuestion {
    /// Is the process sound? The examination selects the kind of soundness.
    Process(Examination),
    /// Can a case get stuck before it is done?
    Stuck,
    /// Is a dead marking reachable?
    Deadlock,
    /// Can every transition fire, and if not, which cannot?
    Firings,
    /// Is the net bounded, and by how many tokens?
    Bounds,
    /// Does every place hold one token at most?
    OneSafe,
    /// Is there a place whose tokens never change?
    Stable,
    /// Is every transition live?
    Liveness,
    /// Is the initial marking always reachable again?
    Reversible,
}

impl StandardQuestion {
    /// The questions that are asked about every net, in the order in which they are answered.
    /// [`of_net`](Self::of_net) adds those about a process.
    pub const ABOUT_EVERY_NET: [StandardQuestion; 7] = [
        StandardQuestion::Deadlock,
        StandardQuestion::Firings,
        StandardQuestion::OneSafe,
        StandardQuestion::Bounds,
        StandardQuestion::Stable,
        StandardQuestion::Liveness,
        StandardQuestion::Reversible,
    ];

    /// Returns the questions about this net. For a process, which has final markings, the questions
    /// about soundness come first. A net can have dead transitions and also fail weak soundness, so
    /// weak soundness is a separate question.
    pub fn of_net(net: &Net) -> Vec<StandardQuestion> {
        let of_process: &[StandardQuestion] = match final_markings(net) {
            [] => &[],
            [..] => &[
                StandardQuestion::Process(Examination::Soundness),
                StandardQuestion::Process(Examination::WeakSoundness),
                StandardQuestion::Stuck,
            ],
        };
        of_process.iter().chain(&StandardQuestion::ABOUT_EVERY_NET).copied().collect()
    }

    /// Returns the standard question that an examination asks. Returns `None` if no standard
    /// question corresponds to the examination.
    pub fn of(examination: Examination) -> Option<StandardQuestion> {
        Some(match examination {
            Examination::ReachabilityDeadlock => StandardQuestion::Deadlock,
            Examination::QuasiLiveness => StandardQuestion::Firings,
            Examination::OneSafe => StandardQuestion::OneSafe,
            Examination::StableMarking => StandardQuestion::Stable,
            Examination::Liveness => StandardQuestion::Liveness,
            process if process.is_about_cases() => StandardQuestion::Process(process),
            _ => return None,
        })
    }

    /// Returns the question in words.
    pub(super) fn title(self) -> &'static str {
        match self {
            StandardQuestion::Process(Examination::WeakSoundness) => {
                "Can every case be completed without remaining tokens (weak soundness)?"
            }
            StandardQuestion::Process(Examination::EasySoundness) => {
                "Can some case be completed (easy soundness)?"
            }
            StandardQuestion::Process(Examination::RelaxedSoundness) => {
                "Is every transition on some run that completes a case (relaxed soundness)?"
            }
            StandardQuestion::Process(_) => {
                "Can every case be completed without remaining tokens, and can every transition \
                 fire (soundness)?"
            }
            StandardQuestion::Stuck => "Can a case get stuck before it is completed?",
            StandardQuestion::Deadlock => "Can the net get stuck (deadlock)?",
            StandardQuestion::Firings => "Can every transition fire (quasi-liveness)?",
            StandardQuestion::Bounds => "How many tokens can a place hold?",
            StandardQuestion::OneSafe => "Does every place hold at most one token (one-safe)?",
            StandardQuestion::Stable => {
                "Is there a place whose tokens never change (stable marking)?"
            }
            StandardQuestion::Liveness => {
                "Can every transition be enabled again from every reachable marking (liveness)?"
            }
            StandardQuestion::Reversible => "Can the net always return to its initial marking?",
        }
    }

    /// Returns the net to which the answer refers, for a page about `net`. In general this is the
    /// model. The bounds of a coloured net refer to its unfolding, because they are bounds of
    /// single colours.
    pub(super) fn net_meant(self, net: &Net) -> NetMeant {
        match (self, NetMeant::of_examination(net)) {
            (StandardQuestion::Bounds, NetMeant::Coloured) => NetMeant::Unfolding,
            (_, meant) => meant,
        }
    }

    /// Returns the identifier of the question.
    pub(super) fn id(self) -> &'static str {
        match self {
            StandardQuestion::Process(examination) => examination.name(),
            StandardQuestion::Stuck => "Stuck",
            StandardQuestion::Deadlock => "ReachabilityDeadlock",
            StandardQuestion::Firings => "QuasiLiveness",
            StandardQuestion::Bounds => "Bounds",
            StandardQuestion::OneSafe => "OneSafe",
            StandardQuestion::Stable => "StableMarking",
            StandardQuestion::Liveness => "Liveness",
            StandardQuestion::Reversible => "Reversible",
        }
    }

    /// Returns the plan of the question, that is, its goals. Returns `None` if goals cannot express
    /// the question, because a number overflows. On a net with assumed bounds of places (caps),
    /// also returns `None` for an examination that asks for more than reachability.
    pub(super) fn plan(self, net: &Net) -> Option<Plan> {
        let mut plan = Plan::default();
        match self {
            StandardQuestion::Process(examination) => {
                return Plan::of_examination(examination, net);
            }
            StandardQuestion::Deadlock => {
                return Plan::of_examination(Examination::ReachabilityDeadlock, net);
            }
            StandardQuestion::Firings => {
                return Plan::of_examination(Examination::QuasiLiveness, net);
            }
            StandardQuestion::OneSafe => return Plan::of_examination(Examination::OneSafe, net),
            StandardQuestion::Stable => {
                return Plan::of_examination(Examination::StableMarking, net);
            }
            StandardQuestion::Liveness => return Plan::of_examination(Examination::Liveness, net),
            StandardQuestion::Bounds => return Some(Plan::of_most_in_a_place(net)),
            StandardQuestion::Stuck => {
                let is_undone = final_markings(net).iter().map(|end| covers(end).negated());
                let is_stuck = [Predicate::Dead].into_iter().chain(is_undone);
                plan.ask_exists(self.id(), Predicate::and(is_stuck));
            }
            StandardQuestion::Reversible => {
                plan.ask_home(self.id(), Predicate::exactly(net.initial()))
            }
        }
        Some(plan)
    }
}

/// Returns the final markings of a net that is treated as a process. A coloured net is not treated
/// as a process, nor is a net with caps, that is, assumed bounds of places that the model may
/// exceed.
pub(super) fn final_markings(net: &Net) -> &[Marking] {
    match net.folding().is_none() && !net.has_caps() {
        true => net.final_markings(),
        false => &[],
    }
}

/// Returns the final marking of a process that has exactly one.
pub(super) fn only_final_marking(net: &Net) -> Option<&Marking> {
    match final_markings(net) {
        [done] => Some(done),
        _ => None,
    }
}

/// Returns the condition that every place has at least as many tokens as in the marking `done`.
fn covers(done: &Marking) -> Predicate {
    Predicate::and(done.marked().map(|(place, tokens)| Predicate::at_least(place, tokens)))
}
