//! The questions of the contest's examinations, by name.
//!
//! For a coloured net, the questions are about its coloured places and transitions, although the
//! net here is the unfolding. A coloured place holds the tokens of all its colours together, and a
//! coloured transition can fire if one of its bindings can.

use super::Question;
use parikh_net::coloured::Folding;
use parikh_net::{LinearSum, Net, Predicate, TransitionId};

impl Question {
    /// Returns the question of an examination without a query file. Returns `None` for other
    /// examinations, or if a number overflows.
    pub fn by_examination(examination: &str, net: &Net) -> Option<Question> {
        let reach = |goals, all, then| Some(Question::Reach { goals, all, then });
        match (examination, net.folding()) {
            ("ReachabilityDeadlock", _) => reach(vec![Predicate::Dead], true, true),
            (_, Some(nodes)) => by_coloured_examination(examination, net, nodes),
            ("OneSafe", None) => {
                let goals = net.model_places().map(|it| Predicate::at_least(it, 2)).collect();
                reach(goals, false, false)
            }
            ("QuasiLiveness", None) => reach(enabled_copies(net), true, true),
            ("Liveness", None) => Some(Question::StaysReachable(enabled_copies(net))),
            ("StableMarking", None) => {
                let changed = |place| {
                    let initial_tokens = net.initial()[place];
                    let more = Predicate::at_least(place, initial_tokens + 1);
                    let fewer = match initial_tokens.checked_sub(1) {
                        Some(less) => Predicate::no_more_than(place, less),
                        None => Predicate::False,
                    };
                    Predicate::or([more, fewer]).sorted()
                };
                reach(net.model_places().map(changed).collect(), true, false)
            }
            (_, None) => None,
        }
    }

    /// Returns the contest's name and the question of each figure of a state space. The figures are
    /// the numbers of markings and firings, and the largest numbers of tokens in a marking and in a
    /// place.
    pub fn of_state_space(net: &Net) -> [(&'static str, Question); 4] {
        let places = || net.model_places().map(LinearSum::place);
        [
            ("STATES", Question::Count { firings: false }),
            ("TRANSITIONS", Question::Count { firings: true }),
            ("MAX_TOKEN_PER_MARKING", Question::Maximum(Question::all_tokens(net))),
            ("MAX_TOKEN_IN_PLACE", Question::MaximumOf(places().collect())),
        ]
    }
}

/// Returns, for each transition of the model, the predicate that at least one of its copies in
/// `net` is enabled. The translation of inhibitor or reset arcs makes several copies of a
/// transition.
fn enabled_copies(net: &Net) -> Vec<Predicate> {
    let some = |copies: Vec<TransitionId>| {
        Predicate::or(copies.into_iter().map(Predicate::Enabled)).sorted()
    };
    net.model_transitions().map(some).collect()
}

/// Returns the question of an examination about the unfolding `net` of a coloured net. Returns
/// `None` for examinations other than OneSafe, QuasiLiveness, Liveness and StableMarking, or if a
/// number overflows.
fn by_coloured_examination(examination: &str, net: &Net, nodes: &Folding) -> Option<Question> {
    let tokens = |place| LinearSum::new(nodes.places(place).map(|colour| (colour, 1))).ok();
    let places = 0..nodes.place_count();
    let (goals, all, then): (Option<Vec<Predicate>>, _, _) = match examination {
        "OneSafe" => {
            let two = |place| Some(Predicate::at_most(tokens(place)?.negated(), -2));
            (places.map(two).collect(), false, false)
        }
        "QuasiLiveness" => {
            let some = |t| Some(Predicate::or(nodes.transitions(t).map(Predicate::Enabled)));
            ((0..nodes.transition_count()).map(some).collect(), true, true)
        }
        "Liveness" => {
            let some = |t| Predicate::or(nodes.transitions(t).map(Predicate::Enabled));
            return Some(Question::StaysReachable(
                (0..nodes.transition_count()).map(some).collect(),
            ));
        }
        "StableMarking" => {
            let changed = |place| {
                let sum = tokens(place)?;
                let initial_tokens = i64::try_from(sum.value(net.initial())).ok()?;
                let more = Predicate::at_most(sum.negated(), -initial_tokens.checked_add(1)?);
                let fewer = match initial_tokens.checked_sub(1) {
                    Some(less) if less >= 0 => Predicate::at_most(sum, less),
                    _ => Predicate::False,
                };
                Some(Predicate::or([more, fewer]).sorted())
            };
            (places.map(changed).collect(), true, false)
        }
        _ => return None,
    };
    Some(Question::Reach { goals: goals?, all, then })
}
