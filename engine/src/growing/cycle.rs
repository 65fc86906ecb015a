//! Cycles that lose no tokens: closed walks through a component with all marks, after which no
//! place has fewer tokens.
//!
//! Let x ≥ 0 count how often each edge is taken. This is a closed walk if each node is left as
//! often as it is entered, and the edges with x > 0 are connected. It loses no tokens if C·x ≥ 0.
//! Two linear programs are tried for a component:
//!
//! - the x with the fewest edges that has every mark;
//! - the x that takes as many different edges as possible. If it takes all edges, they are
//!   connected. If not, no closed walk without loss takes the other edges. These edges are removed,
//!   and the components of the remaining graph are examined. So a cycle is found if there is one.
//!
//! A cycle that takes all edges of the component is fair if any cycle in the component is fair. It
//! is fair to every transition that it takes. It is weakly fair to a transition that one node
//! disables, and strongly fair to a transition that every node disables. Nodes that enable a
//! transition required by strong fairness but without an edge in the component are removed, too.

use super::prefix::run_with_cycle;
use super::product::{CoverabilityProduct, ProductEdge};
use crate::ranking::program::{Step, solve};
use parikh_net::components::components_of_rows;
use parikh_net::lasso::LassoRun;
use parikh_net::{EffectId, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::incremental_lp;
use parikh_temporal::Marks;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Maximum number of firings of a cycle.
const MAX_CYCLE_FIRINGS: u64 = 50_000;
/// Maximum number of edges of a component whose shortest cycle is searched.
const MAX_EDGES: usize = 20_000;
/// Maximum factor by which solutions are multiplied to become integers.
const MAX_FACTOR: u32 = 64;

/// Returns a run that `is_wanted` accepts and whose cycle lies in one component of the product.
/// Returns `None` if no such run is found or the budget is exhausted.
pub(super) fn find_run(
    product: &CoverabilityProduct<'_>,
    budget: &Budget,
    is_wanted: &dyn Fn(&LassoRun) -> bool,
) -> Option<LassoRun> {
    let mut edges: Vec<ProductEdge> = product.edges.clone();
    let mut unexamined: Vec<BTreeSet<u32>> = vec![(0..product.nodes().len() as u32).collect()];
    while let Some(nodes) = unexamined.pop() {
        for component in components_with_edges(&nodes, &edges) {
            if budget.is_exhausted() {
                return None;
            }
            let is_inside = |edge: &&ProductEdge| {
                component.contains(&edge.from) && component.contains(&edge.to)
            };
            let component_edges: Vec<ProductEdge> =
                edges.iter().filter(is_inside).copied().collect();
            match fair_nodes(product, &component, &component_edges) {
                None => continue,
                Some(allowed_nodes) if allowed_nodes.len() < component.len() => {
                    unexamined.push(allowed_nodes);
                    continue;
                }
                Some(_) => {}
            }
            let wanted_run = |counts: &[u64]| {
                let (node, cycle) = closed_walk(&component_edges, counts)?;
                run_with_cycle(product, node, &cycle).filter(|run| is_wanted(run))
            };
            let run = shortest_cycle(product, &component_edges, budget)
                .and_then(|counts| wanted_run(&counts));
            if run.is_some() {
                return run;
            }
            let step_of = |edge: &ProductEdge| step_of(product, edge);
            let steps: BTreeSet<Step> = component_edges.iter().map(step_of).collect();
            let Some(solution) = solve(product.net, &steps, budget) else { continue };
            let step_counts: BTreeMap<Step, f64> =
                steps.into_iter().zip(solution.step_counts).collect();
            if solution.is_full {
                let run = cycle_with_all_edges(product, &component_edges, &step_counts)
                    .and_then(|counts| wanted_run(&counts));
                if run.is_some() {
                    return run;
                }
                continue;
            }
            let is_outside = |edge: &ProductEdge| {
                !(component.contains(&edge.from) && component.contains(&edge.to))
            };
            let old_count = edges.len();
            // A step occurs at least once in the solution if any cycle without loss takes it, and
            // otherwise not at all. The threshold 0.5 allows for rounding errors.
            edges.retain(|edge| is_outside(edge) || step_counts[&step_of(edge)] > 0.5);
            if edges.len() < old_count {
                unexamined.push(component);
            }
        }
    }
    None
}

/// Returns the step of an edge: its effect class, source and target.
fn step_of(product: &CoverabilityProduct<'_>, edge: &ProductEdge) -> Step {
    (effect_class(product, edge.transition), edge.from as usize, edge.to as usize)
}

/// Returns the effect class of the transition. Returns `None` if the transition has no effect, or
/// if there is no transition because a dead marking repeats.
fn effect_class(
    product: &CoverabilityProduct<'_>,
    transition: Option<TransitionId>,
) -> Option<EffectId> {
    let class = product.net.effect_of(transition?);
    (!product.net.effect(class).is_empty()).then_some(class)
}

/// Returns the strongly connected components of the subgraph of these nodes. Only components with
/// an edge are returned.
fn components_with_edges(nodes: &BTreeSet<u32>, edges: &[ProductEdge]) -> Vec<BTreeSet<u32>> {
    let index_of_node: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
    let mut successors: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for edge in edges {
        if let (Some(&from), Some(&to)) =
            (index_of_node.get(&edge.from), index_of_node.get(&edge.to))
        {
            successors[from as usize].push(to);
        }
    }
    let component_numbers = components_of_rows(&successors, |&to| to).component_of;
    let mut nodes_by_component: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&node, &index) in &index_of_node {
        nodes_by_component.entry(component_numbers[index as usize]).or_default().insert(node);
    }
    let has_edge = |component: &BTreeSet<u32>| {
        let index = |node: &u32| index_of_node[node] as usize;
        component.len() > 1
            || component.iter().any(|node| successors[index(node)].contains(&index_of_node[node]))
    };
    nodes_by_component.into_values().filter(has_edge).collect()
}

/// Returns the nodes of a component that a fair run with all acceptance marks may visit infinitely
/// often. Returns `None` if the component lacks an acceptance mark, or if weak fairness excludes
/// every run that stays in the component. The set is empty if strong fairness excludes every node.
fn fair_nodes(
    product: &CoverabilityProduct<'_>,
    component: &BTreeSet<u32>,
    component_edges: &[ProductEdge],
) -> Option<BTreeSet<u32>> {
    let marks = component_edges.iter().fold(Marks::NONE, |marks, edge| marks.or(edge.marks));
    if !Marks::all(product.automaton.marks).is_subset(marks) {
        return None;
    }
    let fired: BTreeSet<TransitionId> =
        component_edges.iter().filter_map(|edge| edge.transition).collect();
    let is_enabled =
        |node: &u32, t: TransitionId| product.nodes()[*node as usize].enables(product.net, t);
    let fairness = product.property.fairness();
    let mut unfired_weak = fairness.weak().iter().filter(|t| !fired.contains(t));
    if unfired_weak.any(|&t| component.iter().all(|node| is_enabled(node, t))) {
        return None;
    }
    let unfired_strong: Vec<TransitionId> =
        fairness.strong().iter().copied().filter(|t| !fired.contains(t)).collect();
    let may_stay = |node: &&u32| !unfired_strong.iter().any(|&t| is_enabled(node, t));
    Some(component.iter().filter(may_stay).copied().collect())
}

/// Returns how often each edge is taken on a cycle with all acceptance marks that loses no tokens.
/// This is a solution of a linear program with the fewest edges, multiplied by a factor that makes
/// it integer. The cycle may be disconnected. Returns `None` if there are too many edges, if the
/// linear program gives no optimum, or if its solution cannot be scaled to integers.
fn shortest_cycle(
    product: &CoverabilityProduct<'_>,
    component_edges: &[ProductEdge],
    budget: &Budget,
) -> Option<Vec<u64>> {
    if component_edges.len() > MAX_EDGES {
        return None;
    }
    let mut program = LinearProgram::new(Sense::Minimise);
    let mut terms_of_place: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
    let mut terms_of_node: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut terms_of_mark: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut costs = Vec::new();
    for edge in component_edges {
        let column = program.add_column(Interval::NON_NEGATIVE).ok()?;
        costs.push((column, 1));
        for change in edge.transition.map_or(&[][..], |t| product.net.delta(t)) {
            terms_of_place.entry(change.place).or_default().push((column, change.delta));
        }
        if edge.from != edge.to {
            terms_of_node.entry(edge.from).or_default().push((column, -1));
            terms_of_node.entry(edge.to).or_default().push((column, 1));
        }
        for mark in edge.marks.numbers().filter(|&mark| mark < product.automaton.marks) {
            terms_of_mark.entry(mark).or_default().push((column, 1));
        }
    }
    // Without marks, the cycle must have at least one edge.
    if terms_of_mark.is_empty() {
        terms_of_mark.insert(0, costs.clone());
    }
    for row in terms_of_place.into_values() {
        program.add_row(Interval::at_least(0), row).ok()?;
    }
    for row in terms_of_node.into_values() {
        program.add_row(Interval::exactly(0), row).ok()?;
    }
    for row in terms_of_mark.into_values() {
        program.add_row(Interval::at_least(1), row).ok()?;
    }
    program.set_objective(Sense::Minimise, costs).ok()?;
    match incremental_lp(program).solve_again(budget) {
        LpAnswer::Optimal(optimum) => scaled_to_integers(&optimum.point),
        _ => None,
    }
}

/// Returns how often a cycle through all edges of a component takes each edge, at least once.
/// `step_counts` is a solution in which every step occurs, that is, every combination of effect
/// class, source and target. Returns `None` if the step counts cannot be scaled to integers or a
/// number overflows.
fn cycle_with_all_edges(
    product: &CoverabilityProduct<'_>,
    component_edges: &[ProductEdge],
    step_counts: &BTreeMap<Step, f64>,
) -> Option<Vec<u64>> {
    let counts: Vec<f64> = step_counts.values().copied().collect();
    let counts: BTreeMap<Step, u64> =
        step_counts.keys().copied().zip(scaled_to_integers(&counts)?).collect();
    let mut edges_of_step: BTreeMap<Step, Vec<usize>> = BTreeMap::new();
    for (edge_index, edge) in component_edges.iter().enumerate() {
        edges_of_step.entry(step_of(product, edge)).or_default().push(edge_index);
    }
    // Edges of the same step share its count. All counts are multiplied by the largest number of
    // edges of a step, so that every edge is taken at least once. The first edge of a step is taken
    // for the rest of the count.
    let max_edges_per_step = edges_of_step.values().map(Vec::len).max()? as u64;
    let mut edge_counts = vec![0; component_edges.len()];
    for (step, edges) in edges_of_step {
        edges.iter().for_each(|&edge_index| edge_counts[edge_index] = 1);
        let count = counts[&step].checked_mul(max_edges_per_step)?;
        edge_counts[edges[0]] += count.checked_sub(edges.len() as u64)?;
    }
    Some(edge_counts)
}

/// Returns the numbers multiplied by the smallest factor that makes them integers. Returns `None`
/// if no factor up to [`MAX_FACTOR`] does, or if a number is negative or too large.
fn scaled_to_integers(numbers: &[f64]) -> Option<Vec<u64>> {
    (1..=MAX_FACTOR).find_map(|factor| {
        let to_integer = |number: &f64| {
            let product = number * f64::from(factor);
            let rounded = product.round();
            let is_near = (product - rounded).abs() < 1e-6 * product.abs().max(1.0);
            (is_near && (0.0..1e15).contains(&rounded)).then_some(rounded as u64)
        };
        numbers.iter().map(to_integer).collect()
    })
}

/// Returns a closed walk that takes each edge as often as `counts` says: its first node, and the
/// transitions of its edges in order. Returns `None` if no such walk exists, or if it is empty or
/// longer than [`MAX_CYCLE_FIRINGS`].
fn closed_walk(edges: &[ProductEdge], counts: &[u64]) -> Option<(u32, Vec<Option<TransitionId>>)> {
    let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count))?;
    if total == 0 || total > MAX_CYCLE_FIRINGS {
        return None;
    }
    let mut leaving: HashMap<u32, Vec<usize>> = HashMap::new();
    for (edge_index, edge) in
        edges.iter().enumerate().filter(|&(edge_index, _)| counts[edge_index] > 0)
    {
        leaving.entry(edge.from).or_default().push(edge_index);
    }
    let mut remaining = counts.to_vec();
    let start = *leaving.keys().min()?;
    // Hierholzer: the edges on the stack lead from the beginning to the node on its top.
    let (mut stack, mut walk) = (vec![(start, None)], Vec::new());
    while let Some(&(node, incoming)) = stack.last() {
        let next = leaving.get_mut(&node).and_then(|edges| {
            while edges.last().is_some_and(|&edge_index| remaining[edge_index] == 0) {
                edges.pop();
            }
            edges.last().copied()
        });
        match next {
            Some(edge_index) => {
                remaining[edge_index] -= 1;
                stack.push((edges[edge_index].to, Some(edge_index)));
            }
            None => {
                walk.extend(incoming);
                stack.pop();
            }
        }
    }
    walk.reverse();
    let is_closed = walk.first().is_some_and(|&edge_index| edges[edge_index].from == start)
        && walk.windows(2).all(|pair| edges[pair[0]].to == edges[pair[1]].from)
        && walk.last().is_some_and(|&edge_index| edges[edge_index].to == start);
    let takes_every_edge = walk.len() as u64 == total;
    (is_closed && takes_every_edge)
        .then(|| (start, walk.iter().map(|&edge_index| edges[edge_index].transition).collect()))
}
