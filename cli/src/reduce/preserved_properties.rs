//! The properties that a reduction has to preserve: classes of properties with nodes, and formulas.

use super::super::UsageError;
use super::{PreservedClass, ReduceArguments};
use anyhow::{Result, anyhow, bail};
use parikh_formula::{Formula, FormulaProblem, Proposition, Query, closest, lower, nodes_of_text};
use parikh_net::builder::NetNode;
use parikh_net::{Goal, Net, NodeKind, Predicate};
use parikh_reduction::{Needs, Preserve, Reduction, needs};

/// A formula given by the user, with its id. The query combines the goals of the formula.
pub(super) struct FormulaQuery {
    pub(super) id: String,
    query: Query<Goal>,
}

/// The properties to preserve, and the formulas from which they follow.
pub(super) struct PreservedProperties {
    pub(super) needs: Needs,
    pub(super) queries: Vec<FormulaQuery>,
}

impl PreservedProperties {
    pub(super) fn of(net: &Net, arguments: &ReduceArguments) -> Result<PreservedProperties> {
        let nodes = nodes_named(net, &arguments.support)?;
        let queries = formula_queries(net, arguments)?;
        let mut needs = needs_of_classes(net, &arguments.preserve, &nodes)?;
        let mut goals = Vec::new();
        queries
            .iter()
            .for_each(|queries| queries.query.atoms(&mut |goal: &Goal| goals.push(goal.clone())));
        let goal_needs = needs::of_goals(net, &goals);
        needs.support.extend(goal_needs.support);
        needs.protected.extend(goal_needs.protected);
        needs.preserve = needs.preserve | goal_needs.preserve;
        if needs.preserve == Preserve::NOTHING {
            // No rule has to preserve anything. Usually the initial marking decides all formulas,
            // so every net with this initial marking would be correct.
            if arguments.log.is_some() {
                bail!(UsageError(
                    "--log: the initial marking decides these formulas, so a reduction has nothing \
                     to preserve and a log would prove nothing; omit --log"
                        .into()
                ));
            }
            // A reduction needs some class. With an empty support, this class requires nothing.
            needs.preserve = Preserve::REACHABILITY;
        }
        Ok(PreservedProperties { needs: needs.normalised(), queries })
    }
}

/// Returns the requirements on a reduction that preserves the given classes of properties about the
/// nodes. Without classes, the requirements only list places: the places among the nodes, and the
/// input places of the transitions among the nodes.
///
/// # Errors
/// The nodes do not fit a class: reachability needs a node, liveness needs a transition, and
/// liveness alone allows no place.
fn needs_of_classes(net: &Net, classes: &[PreservedClass], nodes: &[NetNode]) -> Result<Needs> {
    let is_preserved = |class| classes.contains(&class);
    let mut needs = Needs::default();
    for (class, preserve) in [
        (PreservedClass::Reachability, Preserve::REACHABILITY),
        (PreservedClass::Deadlock, Preserve::DEADLOCK),
        (PreservedClass::Liveness, Preserve::LIVENESS),
    ] {
        if is_preserved(class) {
            needs.preserve = needs.preserve | preserve;
        }
    }
    if nodes.is_empty() && is_preserved(PreservedClass::Reachability) {
        bail!(UsageError(
            "--preserve reachability requires --support: without it, a reduction has nothing to \
             preserve"
                .into()
        ));
    }
    let sees_markings = is_preserved(PreservedClass::Reachability)
        || is_preserved(PreservedClass::Deadlock)
        || classes.is_empty();
    for node in nodes {
        match *node {
            NetNode::Place(p) if sees_markings => needs.support.push(p),
            NetNode::Place(p) => bail!(UsageError(format!(
                "--support {0}: expected a transition for --preserve liveness, and `{0}` is a place",
                net.place_name(p)
            ))),
            NetNode::Transition(t) => {
                if sees_markings {
                    needs.support.extend(net.pre(t).iter().map(|arc| arc.place));
                }
                if is_preserved(PreservedClass::Liveness) {
                    needs.protected.push(t);
                }
            }
        }
    }
    if is_preserved(PreservedClass::Liveness) && needs.protected.is_empty() {
        bail!(UsageError(
            "--preserve liveness requires --support with the transitions whose liveness is \
             preserved"
                .into()
        ));
    }
    Ok(needs)
}

/// Parses the nodes of `--support`: ids or labels separated by commas. A name may contain commas,
/// so an argument that is a node's name as a whole denotes this node.
fn nodes_named(net: &Net, arguments: &[String]) -> Result<Vec<NetNode>> {
    let mut nodes = Vec::new();
    for argument in arguments {
        let named_as_whole =
            nodes_called(net, argument).map_err(|why| anyhow!("--support: {why}"))?;
        if !named_as_whole.is_empty() {
            nodes.extend(named_as_whole);
            continue;
        }
        for (index, name) in argument.split(',').map(str::trim).enumerate() {
            let named = nodes_called(net, name).map_err(|why| anyhow!("--support: {why}"))?;
            if named.is_empty() {
                let problem = unknown(net, name);
                bail!("--support {argument}, name {}: {problem}", index + 1);
            }
            nodes.extend(named);
        }
    }
    Ok(nodes)
}

/// Returns the node with this id, or else the nodes that this label denotes in a formula.
fn nodes_called(net: &Net, name: &str) -> Result<Vec<NetNode>, FormulaProblem> {
    let place = |id: &str| net.place_named(id).map(NetNode::Place);
    let transition = |id: &str| net.transition_named(id).map(NetNode::Transition);
    if let Some(node) = place(name).or_else(|| transition(name)) {
        return Ok(vec![node]);
    }
    let places = nodes_of_text(net, NodeKind::Place, name)?;
    let transitions = nodes_of_text(net, NodeKind::Transition, name)?;
    let places = places.ids.iter().filter_map(|id| place(id));
    Ok(places.chain(transitions.ids.iter().filter_map(|id| transition(id))).collect())
}

/// Returns the message that no node has this name, with a suggestion.
fn unknown(net: &Net, name: &str) -> String {
    let places = net.places().map(|p| net.place_name(p));
    let ids = places.chain(net.transitions().map(|t| net.transition_name(t)));
    let hint = closest(name, ids).map_or(String::new(), |id| format!("; did you mean `{id}`?"));
    format!("the net has no place or transition `{name}`{hint}")
}

/// Reads the formulas of the command line and translates them into queries.
fn formula_queries(net: &Net, arguments: &ReduceArguments) -> Result<Vec<FormulaQuery>> {
    if arguments.formulas.formula.is_empty() && arguments.formulas.formulas.is_empty() {
        return Ok(Vec::new());
    }
    let mut queries = Vec::new();
    for formula in arguments.formulas.read_and_print_notes(net)? {
        let id = formula.id;
        let query = match formula.formula {
            Ok(formula) => lower(&formula, net).map_err(|problem| problem.to_string()),
            Err(problem) => Err(problem),
        };
        match query {
            Ok(query) => {
                refuse_home_spaces(&id, &query)?;
                queries.push(FormulaQuery { id, query });
            }
            Err(problem) => {
                bail!(UsageError(format!(
                    "formula {id}: {problem}; a reduction cannot preserve it"
                )))
            }
        }
    }
    Ok(queries)
}

/// Refuses a home property (AG EF) that no reduction preserves, which is any but the liveness of a
/// transition.
fn refuse_home_spaces(id: &str, query: &Query<Goal>) -> Result<()> {
    let mut has_other_home = false;
    query.atoms(&mut |goal: &Goal| {
        let is_liveness = matches!(goal, Goal::Home(Predicate::Enabled(_)));
        has_other_home |= matches!(goal, Goal::Home(_)) && !is_liveness;
    });
    if has_other_home {
        bail!(UsageError(format!(
            "formula {id}: a reduction preserves AG EF only in front of fireable(t), for one \
             transition t"
        )));
    }
    Ok(())
}

impl FormulaQuery {
    /// Translates the query to the reduced net. Returns `None` if a goal cannot be translated: a
    /// number exceeds 64 bits there, or no rule preserves goals of its kind. Also returns `None` if
    /// a translated goal has no form as a formula.
    pub(super) fn translate(&self, net: &Net, reduction: &Reduction) -> Option<TranslatedQuery> {
        let reduced_net = &reduction.net;
        match &self.query {
            Query::Truth(proposition) => {
                let formula =
                    on_reduced(proposition, &|goal| Some(reduction.translate(net, goal)?.goal))?;
                Some(TranslatedQuery {
                    formula: Some(formula.print(reduced_net).to_string()),
                    constant: None,
                })
            }
            Query::Largest(goals) => {
                let translated = reduction.translate(net, goals.first()?)?;
                let Goal::Maximise(sum) = translated.goal else { return None };
                // The formula of a bound mentions each place as often as its coefficient says.
                let places = sum.terms().iter();
                let places = places.flat_map(|&(p, times)| {
                    std::iter::repeat_n(p, usize::try_from(times).unwrap_or(0))
                });
                let places: Vec<_> = places.collect();
                let bound = |places| Formula::PlaceBound(places).print(reduced_net).to_string();
                let formula = (!places.is_empty()).then(|| bound(places));
                Some(TranslatedQuery { formula, constant: Some(translated.constant) })
            }
        }
    }
}

/// Returns a proposition as a formula, with its goals translated to the reduced net. Returns `None`
/// if a goal cannot be translated or written as a formula.
fn on_reduced(
    proposition: &Proposition<Goal>,
    translate: &impl Fn(&Goal) -> Option<Goal>,
) -> Option<Formula> {
    let convert = |part: &Proposition<Goal>| on_reduced(part, translate);
    let convert_all =
        |parts: &[Proposition<Goal>]| parts.iter().map(convert).collect::<Option<Vec<_>>>();
    Some(match proposition {
        Proposition::Constant(true) => Formula::True,
        Proposition::Constant(false) => Formula::False,
        Proposition::Atom(goal) => match translate(goal)? {
            Goal::Reach(predicate) => Formula::possible(&predicate),
            Goal::Home(predicate) => Formula::stays_possible(&predicate),
            _ => return None,
        },
        Proposition::Not(negation_operand) => match &**negation_operand {
            // A negated reachability goal is written as AG of the negated predicate.
            Proposition::Atom(goal @ Goal::Reach(_)) => {
                let Goal::Reach(negated) = translate(goal)? else { return None };
                let always = Formula::of_predicate(&negated.negated());
                Formula::AllPaths(Box::new(Formula::Globally(Box::new(always))))
            }
            negation_operand => Formula::Not(Box::new(convert(negation_operand)?)),
        },
        Proposition::And(parts) => Formula::And(convert_all(parts)?),
        Proposition::Or(parts) => Formula::Or(convert_all(parts)?),
        Proposition::Iff(both) => {
            let [one, other] = [convert(&both[0])?, convert(&both[1])?];
            Formula::Equivalent(Box::new(one), Box::new(other))
        }
        Proposition::WithConsequences(main, _) => convert(main)?,
    })
}

/// A query translated to the reduced net.
pub(super) struct TranslatedQuery {
    /// The formula in the language of `--formula`. `None` for a bound whose places were all
    /// removed.
    pub(super) formula: Option<String>,
    /// The number to add to the answer of a bound for the removed places, whose tokens are
    /// constant. Without remaining places, this is the answer. `None` for other formulas.
    pub(super) constant: Option<i128>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn support_of_a_transition_is_its_input_places_or_itself() {
        let net = parikh_net::text::parse(
            "place p 1\nplace q\nplace \"a,b\"\ntransition t: p + q -> \"a,b\"",
        );
        let net = net.unwrap();
        let of = |classes: &[PreservedClass], names: &str| {
            needs_of_classes(&net, classes, &nodes_named(&net, &[names.to_owned()])?)
        };
        let [p, q, comma] = ["p", "q", "a,b"].map(|name| net.place_named(name).unwrap());
        let t = net.transition_named("t").unwrap();
        assert_eq!(of(&[PreservedClass::Reachability], "t").unwrap().support, [p, q]);
        assert_eq!(of(&[PreservedClass::Reachability], "a,b").unwrap().support, [comma]);
        let live = of(&[PreservedClass::Liveness], "t").unwrap();
        assert_eq!((live.support.len(), live.protected), (0, vec![t]));
        let both = of(&[PreservedClass::Liveness, PreservedClass::Deadlock], "t,q").unwrap();
        assert_eq!((both.support, both.protected), (vec![p, q, q], vec![t]));
        let problem = format!("{:#}", of(&[PreservedClass::Liveness], "q").unwrap_err());
        assert!(problem.contains("`q` is a place"), "{problem}");
        let problem = format!("{:#}", of(&[PreservedClass::Deadlock], "p, x").unwrap_err());
        assert!(problem.contains("name 2") && problem.contains("transition `x`"), "{problem}");
    }
}
