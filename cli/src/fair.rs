//! Options that restrict the runs considered: `--fair weak`, `--fair strong:enter_1,enter_2`,
//! `--cases`.

use parikh_formula::{FormulaProblem, NamedNodes, nodes_of_text};
use parikh_net::{Fairness, Net, NodeKind, TransitionId};

/// The value of one option `--fair`: weak or strong fairness, towards all transitions or only some.
#[derive(Clone, Debug)]
pub(super) struct FairnessOption {
    /// True for strong fairness, false for weak fairness.
    strong: bool,
    /// Ids or labels of transitions, possibly in quotes. `None` for all transitions.
    names: Option<Vec<String>>,
}

/// The restriction of runs for formulas.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunRestriction<'a> {
    /// Fairness constraints. Without constraints, unfair runs are considered, too.
    pub(super) fair: &'a [FairnessOption],
    /// True if only runs that end in a final marking are considered.
    pub(super) cases: bool,
}

/// Parses a value of `--fair`.
pub(super) fn parse_fairness(text: &str) -> Result<FairnessOption, String> {
    let (kind, names) = match text.split_once(':') {
        Some((kind, names)) => (kind, Some(listed(names)?)),
        None => (text, None),
    };
    match kind {
        "weak" => Ok(FairnessOption { strong: false, names }),
        "strong" => Ok(FairnessOption { strong: true, names }),
        _ => {
            Err("expected `weak` or `strong`, optionally followed by `:` and transitions"
                .to_owned())
        }
    }
}

/// Splits names at commas. A name that contains commas is quoted, and a backslash inside quotes
/// escapes the next character. Quotation marks and backslashes stay in the names. Returns a message
/// for the user if a name is empty or a quotation does not end.
fn listed(text: &str) -> Result<Vec<String>, String> {
    let (mut names, mut name, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if is_quoted => {
                name.push(letter);
                name.extend(letters.next());
            }
            '"' => {
                is_quoted = !is_quoted;
                name.push(letter);
            }
            ',' if !is_quoted => names.push(std::mem::take(&mut name)),
            other => name.push(other),
        }
    }
    names.push(name);
    let names: Vec<String> = names.into_iter().map(|name| name.trim().to_owned()).collect();
    match is_quoted || names.iter().any(String::is_empty) {
        true => Err("expected names of transitions separated by commas".to_owned()),
        false => Ok(names),
    }
}

/// Combines the fairness constraints of all options for the transitions of `net`. Also returns the
/// nodes that the names denote, except for names that are plain ids and need no explanation.
///
/// # Errors
/// A name denotes no transition, or an unquoted name denotes several transitions. Also an error:
/// the constraints include a transition that the translation of reset arcs has copied. They include
/// it by its name, or because they are for all transitions.
pub(super) fn fairness(
    options: &[FairnessOption],
    net: &Net,
) -> Result<(Fairness, Vec<NamedNodes>), FormulaProblem> {
    let mut named_nodes = Vec::new();
    // The transitions with weak fairness, and the transitions with strong fairness.
    let mut weak_and_strong: [Vec<TransitionId>; 2] = Default::default();
    for FairnessOption { strong, names } in options {
        let transitions = &mut weak_and_strong[usize::from(*strong)];
        let Some(names) = names else {
            transitions.extend(net.transitions());
            continue;
        };
        for name in names {
            let named = nodes_of_text(net, NodeKind::Transition, name)?;
            for id in &named.ids {
                let unknown = || FormulaProblem::unknown_transition(id, net, true);
                transitions.extend(net.transitions_named(id).ok_or_else(unknown)?);
            }
            if !named.is_plain(net) && !named_nodes.contains(&named) {
                named_nodes.push(named);
            }
        }
    }
    // Reset arcs are translated by copying transitions. A run that is fair to a transition need not
    // be fair to each of its copies.
    if let Some(translation) = net.translation()
        && let Some(&copy) =
            weak_and_strong.iter().flatten().find(|&&t| translation.has_other_copies(t))
    {
        let name = translation.transition_name(translation.model_transition(copy));
        return Err(FormulaProblem::FairToCopies(name.to_owned()));
    }
    let [weak, strong] = weak_and_strong;
    Ok((Fairness::new(weak, strong), named_nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_evidence::reader::fair::fairness as audited;
    use parikh_net::{ExtendedBuilder, text};
    use parikh_solvers::Budget;

    #[test]
    fn kinds_and_names_are_read() {
        let net = text::parse(
            "place p 1\ntransition t: p -> p\ntransition \"a,b\": p -> p\ntransition u: p -> p",
        );
        let net = net.unwrap();
        let read = |all: &[&str]| {
            let all: Vec<FairnessOption> =
                all.iter().map(|text| parse_fairness(text).unwrap()).collect();
            fairness(&all, &net).map(|(fairness, _)| fairness)
        };
        let sizes = |all: &[&str]| {
            let fairness = read(all).unwrap();
            (fairness.weak().len(), fairness.strong().len())
        };
        assert_eq!(sizes(&["weak"]), (3, 0));
        assert_eq!(sizes(&["weak", "strong:t, \"a,b\""]), (1, 2));
        assert_eq!(sizes(&["weak:t,u,t"]), (2, 0));
        let unknown = read(&["strong:p"]).unwrap_err().to_string();
        assert!(unknown.contains("no transition `p`; it is a place"), "{unknown}");
        for wrong in ["fair", "weak:", "weak:t,,u", "strong:\"t", "", "weak,strong"] {
            assert!(parse_fairness(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn quoted_names_and_ids_are_those_of_the_auditor() {
        let net = text::parse(
            r#"place p 1
               transition "say \"hi, you\" \\": p -> p
               transition id: p -> p"#,
        );
        let net = net.unwrap();
        for (names, count) in [
            (r#"weak:"say \"hi, you\" \\""#, 1),
            (r#"weak:id "say \"hi, you\" \\", id"#, 2),
            (r#"weak:id "id""#, 1),
        ] {
            let read = fairness(&[parse_fairness(names).unwrap()], &net).unwrap().0;
            assert_eq!(read.weak().len(), count, "{names}");
            let audited = audited(&net, &[names.to_owned()]).unwrap();
            assert_eq!(read.weak(), audited.weak(), "{names}");
        }
    }

    #[test]
    fn fairness_to_a_transition_with_several_copies_is_refused() {
        let mut builder = ExtendedBuilder::new("n");
        let p = builder.core.place("p", 2).unwrap();
        let [empty, fill] = ["empty", "fill"].map(|name| builder.core.transition(name).unwrap());
        builder.reset(empty, p);
        builder.core.put(fill, p, 1).unwrap();
        builder.inhibit(fill, p, 3).unwrap();
        let net = builder.build().unwrap();
        let net = parikh_input::extended::translate(net, &Budget::unlimited()).unwrap();
        let asked = |text: &str| {
            let read = fairness(&[parse_fairness(text).unwrap()], &net);
            (read.is_ok(), audited(&net, &[text.to_owned()]).is_ok())
        };
        assert_eq!(asked("weak:fill"), (true, true));
        assert_eq!(asked("weak:empty"), (false, false));
        assert_eq!(asked("strong"), (false, false));
        let refused = fairness(&[parse_fairness("strong").unwrap()], &net).unwrap_err().to_string();
        assert!(refused.starts_with("transition `empty` has a reset arc"), "{refused}");
    }
}
