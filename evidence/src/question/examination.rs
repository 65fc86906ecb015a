//! The questions of the contest's examinations, by name.
//!
//! For a coloured net, the questions are about its coloured places and transitions, although the
//! net here is the unfolding. A coloured place holds the tokens of all its colours together, and a
//! coloured transition can fire if one of its bindings can.

use super::Question;
use parikh_net::coloured::Folding;
use parikh_net::{LinearSum, Net, PlaceId, Predicate, TransitionId};

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
                reach(changes_of_places(net).into_iter().collect::<Option<_>>()?, true, false)
            }
            (_, None) => None,
        }
    }

    /// Returns the questions of an examination about each place or each transition, with the names
    /// of the nodes as ids. A question is `None` if a number overflows. Returns `None` for other
    /// examinations.
    pub fn about_each_node(
        examination: &str,
        net: &Net,
    ) -> Option<Vec<(String, Option<Question>)>> {
        let reach = |goal, then| Question::Reach { goals: vec![goal], all: true, then };
        let (names, questions): (_, Vec<Option<Question>>) = match examination {
            "UpperBoundsAll" => {
                let tokens = tokens_of_places(net).into_iter();
                (place_names(net), tokens.map(|sum| sum.map(Question::Maximum)).collect())
            }
            "StableMarkingAll" => {
                let changed = changes_of_places(net).into_iter();
                (place_names(net), changed.map(|goal| Some(reach(goal?, false))).collect())
            }
            "QuasiLivenessAll" => {
                let enabled = enabled_transitions(net).into_iter();
                (transition_names(net), enabled.map(|goal| Some(reach(goal, true))).collect())
            }
            "LivenessAll" => {
                let live = |goal| Some(Question::StaysReachable(vec![goal]));
                let enabled = enabled_transitions(net).into_iter();
                (transition_names(net), enabled.map(live).collect())
            }
            _ => return None,
        };
        Some(names.into_iter().zip(questions).collect())
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

/// Returns the predicate that a place does not hold its initial number of tokens.
fn changed(net: &Net, place: PlaceId) -> Predicate {
    let initial_tokens = net.initial()[place];
    let more = Predicate::at_least(place, initial_tokens + 1);
    let fewer = match initial_tokens.checked_sub(1) {
        Some(less) => Predicate::no_more_than(place, less),
        None => Predicate::False,
    };
    Predicate::or([more, fewer]).sorted()
}

/// Returns the names of the model's places.
fn place_names(net: &Net) -> Vec<String> {
    match net.folding() {
        Some(nodes) => (0..nodes.place_count()).map(|p| nodes.place_name(p).to_owned()).collect(),
        None => net.model_places().map(|place| net.place_name(place).to_owned()).collect(),
    }
}

/// Returns the names of the model's transitions.
fn transition_names(net: &Net) -> Vec<String> {
    match (net.folding(), net.translation()) {
        (Some(nodes), _) => {
            (0..nodes.transition_count()).map(|t| nodes.transition_name(t).to_owned()).collect()
        }
        (None, Some(model)) => {
            let name = |t| model.transition_name(TransitionId::new(t)).to_owned();
            (0..model.transition_count()).map(name).collect()
        }
        (None, None) => net.transitions().map(|t| net.transition_name(t).to_owned()).collect(),
    }
}

/// Returns, for each transition of the model, the predicate that it is enabled.
fn enabled_transitions(net: &Net) -> Vec<Predicate> {
    match net.folding() {
        Some(nodes) => enabled_bindings(nodes),
        None => enabled_copies(net),
    }
}

/// Returns the tokens of each place of the model. An entry is `None` if a number overflows.
fn tokens_of_places(net: &Net) -> Vec<Option<LinearSum>> {
    match net.folding() {
        Some(nodes) => (0..nodes.place_count()).map(|place| tokens(nodes, place)).collect(),
        None => net.model_places().map(|place| Some(LinearSum::place(place))).collect(),
    }
}

/// Returns, for each place of the model, the predicate that it does not hold its initial number of
/// tokens. An entry is `None` if a number overflows.
fn changes_of_places(net: &Net) -> Vec<Option<Predicate>> {
    match net.folding() {
        Some(nodes) => {
            (0..nodes.place_count()).map(|place| coloured_changed(net, nodes, place)).collect()
        }
        None => net.model_places().map(|place| Some(changed(net, place))).collect(),
    }
}

/// Returns, for each coloured transition, the predicate that one of its bindings is enabled.
fn enabled_bindings(nodes: &Folding) -> Vec<Predicate> {
    let some = |t| Predicate::or(nodes.transitions(t).map(Predicate::Enabled));
    (0..nodes.transition_count()).map(some).collect()
}

/// Returns the tokens of a coloured place, all colours together. Returns `None` if a number
/// overflows.
fn tokens(nodes: &Folding, place: usize) -> Option<LinearSum> {
    LinearSum::new(nodes.places(place).map(|colour| (colour, 1))).ok()
}

/// Returns the predicate that a coloured place does not hold its initial number of tokens. Returns
/// `None` if a number overflows.
fn coloured_changed(net: &Net, nodes: &Folding, place: usize) -> Option<Predicate> {
    let sum = tokens(nodes, place)?;
    let initial_tokens = i64::try_from(sum.value(net.initial())).ok()?;
    let more = Predicate::at_most(sum.clone().negated(), -initial_tokens.checked_add(1)?);
    let fewer = match initial_tokens.checked_sub(1) {
        Some(less) if less >= 0 => Predicate::at_most(sum, less),
        _ => Predicate::False,
    };
    Some(Predicate::or([more, fewer]).sorted())
}

/// Returns the question of an examination about the unfolding `net` of a coloured net. Returns
/// `None` for examinations other than OneSafe, QuasiLiveness, Liveness and StableMarking, or if a
/// number overflows.
fn by_coloured_examination(examination: &str, net: &Net, nodes: &Folding) -> Option<Question> {
    let places = 0..nodes.place_count();
    let (goals, all, then): (Option<Vec<Predicate>>, _, _) = match examination {
        "OneSafe" => {
            let two = |place| Some(Predicate::at_most(tokens(nodes, place)?.negated(), -2));
            (places.map(two).collect(), false, false)
        }
        "QuasiLiveness" => (Some(enabled_bindings(nodes)), true, true),
        "Liveness" => return Some(Question::StaysReachable(enabled_bindings(nodes))),
        "StableMarking" => (changes_of_places(net).into_iter().collect(), true, false),
        _ => return None,
    };
    Some(Question::Reach { goals: goals?, all, then })
}
