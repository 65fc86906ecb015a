//! Predicates, sums and properties as text for people, for messages about evidence and questions.

use num_bigint::BigUint;
use parikh_net::printable::{Quoted, counted};
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{
    Atom, Fairness, Goal, LinearSum, Net, PlaceId, Predicate, TransitionId, TreeProperty,
};
use parikh_temporal::AtomNames;
use std::fmt::Write as _;

/// Returns a goal as text.
pub fn goal(net: &Net, goal: &Goal) -> String {
    match goal {
        Goal::Reach(predicate) => format!("EF {}", self::predicate(net, predicate)),
        Goal::Home(predicate) => format!("AG EF {}", self::predicate(net, predicate)),
        Goal::Maximise(sum) => format!("the maximum of {}", linear_sum(net, sum)),
        Goal::Run(property) => format!("a run with {}", run_property(net, property)),
        Goal::Tree(property) => tree_property(net, property),
    }
}

/// Returns the text of an answered goal: the goal if `holds`, otherwise its negation. The text is
/// empty for a maximum.
pub fn claim(net: &Net, answered_goal: &Goal, holds: bool) -> String {
    match (answered_goal, holds) {
        (Goal::Maximise(_), _) => String::new(),
        (_, true) => goal(net, answered_goal),
        (Goal::Reach(predicate), false) => {
            format!("AG {}", self::predicate(net, &predicate.clone().negated()))
        }
        (Goal::Home(predicate), false) => {
            format!("EF AG {}", self::predicate(net, &predicate.clone().negated()))
        }
        (Goal::Run(property), false) => format!("no run with {}", run_property(net, property)),
        (Goal::Tree(property), false) => format!("not {}", tree_property(net, property)),
    }
}

/// Returns a property of runs as text.
pub fn run_property(net: &Net, property: &RunProperty) -> String {
    let mut names = AtomNames::default();
    for (number, atom) in property.atoms().iter().enumerate() {
        let mut text = match atom {
            RunAtom::Holds(predicate) => self::predicate(net, predicate),
            RunAtom::Fires(any) => {
                let quoted = |&t: &TransitionId| Quoted(net.transition_name(t)).to_string();
                format!("{} fires", any.iter().map(quoted).collect::<Vec<_>>().join(" or "))
            }
        };
        // Long names are shortened, so the texts of two atoms may be equal.
        while names.atom(&text).0 as usize != number {
            text.push('\'');
        }
    }
    let formula = property.formulas().text(property.formula(), &names);
    match fairness(net, property.fairness()) {
        Some(fair) => format!("{formula}, of {fair}"),
        None => formula,
    }
}

/// Describes the runs that a fairness constraint admits, for example: `runs strongly fair to `t`
/// and weakly to all others`. Returns `None` without a constraint.
pub fn fairness(net: &Net, fairness: &Fairness) -> Option<String> {
    let (weak, strong) = (fairness.weak(), fairness.strong());
    let is_all = weak.len() + strong.len() == net.transition_count();
    let named = |transitions: &[TransitionId]| {
        join_first(transitions, |&t| Quoted(net.transition_name(t)).to_string())
    };
    match (weak, strong) {
        ([], []) => None,
        (_, []) if is_all => Some("weakly fair runs".to_owned()),
        ([], _) if is_all => Some("strongly fair runs".to_owned()),
        (weak, []) => Some(format!("runs weakly fair to {}", named(weak))),
        ([], strong) => Some(format!("runs strongly fair to {}", named(strong))),
        (_, strong) if is_all => {
            Some(format!("runs strongly fair to {} and weakly to all others", named(strong)))
        }
        (weak, strong) => {
            Some(format!("runs strongly fair to {} and weakly to {}", named(strong), named(weak)))
        }
    }
}

/// Returns a branching-time property as text.
pub fn tree_property(net: &Net, property: &TreeProperty) -> String {
    let mut names = AtomNames::default();
    for (number, atom) in property.atoms().iter().enumerate() {
        let mut text = self::predicate(net, atom);
        // Long names are shortened, so the texts of two atoms may be equal.
        while names.atom(&text).0 as usize != number {
            text.push('\'');
        }
    }
    property.formulas().text(property.formula(), &names)
}

/// Returns a predicate as text.
pub fn predicate(net: &Net, predicate: &Predicate) -> String {
    let joined = |parts: &[Predicate], separator: &str| {
        let parts: Vec<String> = parts.iter().map(|part| self::predicate(net, part)).collect();
        format!("({})", parts.join(separator))
    };
    match predicate {
        Predicate::True => "true".to_owned(),
        Predicate::False => "false".to_owned(),
        Predicate::Atom(Atom { sum, bound }) => match sum.terms().iter().all(|&(_, a)| a < 0) {
            true => format!("{} ≥ {}", linear_sum(net, &sum.negated()), -i128::from(*bound)),
            false => format!("{} ≤ {bound}", linear_sum(net, sum)),
        },
        Predicate::Enabled(t) => format!("{} enabled", Quoted(net.transition_name(*t))),
        Predicate::Disabled(t) => format!("{} disabled", Quoted(net.transition_name(*t))),
        Predicate::Dead => "no transition enabled".to_owned(),
        Predicate::NotDead => "some transition enabled".to_owned(),
        Predicate::And(parts) => joined(parts, " ∧ "),
        Predicate::Or(parts) => joined(parts, " ∨ "),
    }
}

/// Returns the statement that no run has `property`, for example `A G "`p` ≥ 1"` for the property F
/// ¬(p ≥ 1).
pub fn of_runs(net: &Net, property: &RunProperty) -> String {
    format!("A {}", run_property(net, &property.negated()))
}

/// Returns a linear sum as text.
pub fn linear_sum(net: &Net, sum: &LinearSum) -> String {
    let mut text = String::new();
    for (position, &(place, a)) in sum.terms().iter().enumerate() {
        let sign = match (position, a < 0) {
            (0, false) => "",
            (0, true) => "−",
            (_, false) => " + ",
            (_, true) => " − ",
        };
        text.push_str(sign);
        if a.unsigned_abs() != 1 {
            let _ = write!(text, "{}·", a.unsigned_abs());
        }
        let _ = write!(text, "{}", Quoted(net.place_name(place)));
    }
    if text.is_empty() { "0".to_owned() } else { text }
}

/// Returns the id of a place, followed by its label if it has one.
pub fn place(net: &Net, p: PlaceId) -> String {
    with_label(net.place_name(p), net.place_label(p))
}

/// Returns the id of a transition, followed by its label if it has one.
pub fn transition(net: &Net, t: TransitionId) -> String {
    with_label(net.transition_name(t), net.transition_label(t))
}

fn with_label(id: &str, label: Option<&str>) -> String {
    match label.map(str::trim).filter(|label| !label.is_empty()) {
        Some(label) => format!("{} ({})", Quoted(id), label.replace(char::is_whitespace, " ")),
        None => Quoted(id).to_string(),
    }
}

/// Joins the texts of the first five elements, and adds the number of the remaining elements.
pub fn join_first<T>(elements: &[T], words: impl Fn(&T) -> String) -> String {
    let mut text: Vec<String> = elements.iter().take(5).map(words).collect();
    if elements.len() > text.len() {
        text.push(format!("and {} more", elements.len() - text.len()));
    }
    text.join(", ")
}

/// Returns the subject and verb of a sentence about `count` markings: `1 marking was`, `12 markings
/// were`.
pub fn markings_were(count: u64) -> String {
    match count {
        1 => "1 marking was".to_owned(),
        u64::MAX => "2^64 - 1 markings or more were".to_owned(),
        _ => format!("{count} markings were"),
    }
}

/// Returns the subject and verb of a sentence about all of `count` markings: `the only marking
/// was`, `all 12 markings were`.
pub fn all_markings_were(count: u64) -> String {
    match count {
        1 => "the only marking was".to_owned(),
        _ => format!("all {count} markings were"),
    }
}

/// Returns a number of firings, rounded if it is large: `12 firings`, `at least 10^308 firings`.
pub fn firings(count: &BigUint) -> String {
    let firings = count.to_string();
    match firings.len() {
        ..20 => counted(firings, "firing"),
        digits => format!("at least 10^{} firings", digits - 1),
    }
}

/// The addition to messages that are about the quotient of a coloured net, that is, the net in
/// which equivalent colours are merged.
pub const OF_QUOTIENT: &str = "with equivalent colours merged";

/// Shortens a text to 200 characters and marks the cut with `…`. If the cut falls inside a quoted
/// name, a closing quote is added.
pub(crate) fn shortened(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(200) else { return text };
    let is_quoted = text[..end].matches('`').count() % 2 == 1;
    format!("{}{} …", &text[..end], if is_quoted { "`" } else { "" })
}
