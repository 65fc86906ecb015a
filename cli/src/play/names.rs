//! Names of transitions in a game: ids, quoted as in a trace, or labels.

use super::super::trace_file::{quote, unquote};
use parikh_net::{Net, TransitionId, closest};

/// Returns the id of a transition, quoted as in a trace if necessary. The user can type the result
/// after the command `fire`.
pub(super) fn quoted_name(net: &Net, t: TransitionId) -> String {
    quote(net.transition_name(t))
}

/// Returns the transition with a typed id, or else with a typed label, as in a formula.
///
/// # Errors
/// No transition has the name, or several transitions have it.
pub(super) fn find(net: &Net, typed: &str) -> Result<TransitionId, String> {
    let unquoted = if typed.len() > 1 { unquote(typed) } else { None };
    let name = unquoted.as_deref().unwrap_or(typed);
    if let Some(t) = net.transition_named(typed).or_else(|| net.transition_named(name)) {
        return Ok(t);
    }
    let same_name: Vec<TransitionId> =
        net.transitions().filter(|&t| net.name_of_transition(t) == name).collect();
    match same_name[..] {
        [t] => Ok(t),
        [] if typed.contains(char::is_control) => Err(
            "the line contains control characters; for arrow keys and a history, start `rlwrap \
             parikh play …`"
                .to_owned(),
        ),
        [] => {
            let closest_name = closest(name, net.transitions().map(|t| net.transition_name(t)));
            let suggestion =
                closest_name.map(|closest_name| format!("; did you mean {}?", quote(closest_name)));
            Err(format!(
                "the net has no transition {}{}",
                quote(name),
                suggestion.unwrap_or_default()
            ))
        }
        _ => {
            let first_names: Vec<String> =
                same_name.iter().take(MAX_SHOWN).map(|&t| quoted_name(net, t)).collect();
            let more = same_name.len() - first_names.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let first_names = first_names.join(", ");
            Err(format!(
                "{} is the label of {} transitions: {first_names}{more}; use an id",
                quote(name),
                same_name.len()
            ))
        }
    }
}

/// The largest number of transitions with the same label listed in a message.
const MAX_SHOWN: usize = 8;

/// Splits a typed line into a name and the number of firings after it. Returns `None` if the last
/// word is no number, or if the line has only one word.
pub(super) fn with_times(typed: &str) -> Option<(&str, usize)> {
    let (name, times) = typed.rsplit_once(char::is_whitespace)?;
    Some((name.trim_end(), times.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::NetBuilder;

    #[test]
    fn transitions_are_found_by_id_in_quotes_and_by_name() {
        let mut builder = NetBuilder::new("n");
        for name in ["t1", "t2", "t3", "go there", "#x"] {
            builder.transition(name).unwrap();
        }
        for (index, label) in [(0, "Pay the bill"), (1, "Wait"), (2, "Wait")] {
            builder.label_transition(TransitionId::new(index), label);
        }
        let net = builder.build().unwrap();
        let found = |typed: &str| find(&net, typed).map(TransitionId::index);
        for (typed, index) in
            [("t1", 0), ("Pay the bill", 0), ("\"Pay the bill\"", 0), ("go there", 3), ("#x", 4)]
        {
            assert_eq!(found(typed), Ok(index), "{typed}");
        }
        for t in net.transitions() {
            assert_eq!(find(&net, &quoted_name(&net, t)), Ok(t));
        }
        assert_eq!(
            found("Wait"),
            Err("Wait is the label of 2 transitions: t2, t3; use an id".to_owned())
        );
        assert!(found("\u{1b}[A").unwrap_err().contains("rlwrap"));
        assert_eq!(
            found("go their"),
            Err("the net has no transition \"go their\"; did you mean \"go there\"?".to_owned())
        );
        assert_eq!(with_times("go there 5"), Some(("go there", 5)));
        assert_eq!(with_times("go there"), None);
    }
}
