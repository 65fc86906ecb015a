//! Cycles that lose nothing: closed ways through a component with all marks, along which no place
//! has fewer tokens in the end.
//!
//! Let x ≥ 0 count how often each edge is taken. It is a closed way if each node is left as often
//! as it is entered and the edges with x > 0 are connected, and it loses nothing if C·x ≥ 0. Two
//! programs are tried for a component:
//!
//! - the shortest x that has every mark;
//! - the x that takes as many edges as possible. If it takes all of them, they are connected. If
//!   not, no closed way that loses nothing takes the others, so these are left out, and the
//!   components of the rest have their turn. So a cycle is found if there is one.
//!
//! A cycle that takes all edges is fair if some cycle in the component is: to a transition that it
//! takes, or that some node (weak fairness) or every node (strong fairness) disables. Nodes that
//! enable a transition which a strongly fair run would have to take are left out, too.

use super::prefix::pumped;
use super::product::{CoverabilityProduct, ProductEdge};
use crate::ranking::program::{Step, solve};
use parikh_net::components::components_of_rows;
use parikh_net::lasso::LassoRun;
use parikh_net::{EffectId, PlaceId, TransitionId};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Interval, LinearProgram, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_chosen::keep;
use parikh_temporal::Marks;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Firings of the longest cycle.
const LONGEST: u64 = 50_000;
/// Edges of a component whose shortest cycle is looked for, at most.
const EDGES: usize = 20_000;
/// The largest number that solutions are multiplied by to be whole.
const DENOMINATOR: u32 = 64;

/// A run with a cycle in some component that `shows` accepts.
pub(super) fn find(
    product: &CoverabilityProduct<'_>,
    budget: &Budget,
    shows: &dyn Fn(&LassoRun) -> bool,
) -> Option<LassoRun> {
    let mut edges: Vec<ProductEdge> = product.edges.clone();
    let mut waiting: Vec<BTreeSet<u32>> = vec![(0..product.nodes().len() as u32).collect()];
    while let Some(nodes) = waiting.pop() {
        for component in connected(&nodes, &edges) {
            if budget.is_exhausted() {
                return None;
            }
            let is_inside = |edge: &&ProductEdge| {
                component.contains(&edge.from) && component.contains(&edge.to)
            };
            let inside: Vec<ProductEdge> = edges.iter().filter(is_inside).copied().collect();
            match fair_rest(product, &component, &inside) {
                None => continue,
                Some(rest) if rest.len() < component.len() => {
                    waiting.push(rest);
                    continue;
                }
                Some(_) => {}
            }
            let accepted = |counts: &[u64]| {
                let (node, cycle) = closed_way(&inside, counts)?;
                pumped(product, node, &cycle).filter(|run| shows(run))
            };
            let run = shortest(product, &inside, budget).and_then(|counts| accepted(&counts));
            if run.is_some() {
                return run;
            }
            let key = |edge: &ProductEdge| step(product, edge);
            let steps: BTreeSet<Step> = inside.iter().map(key).collect();
            let Some(solution) = solve(product.net, &steps, budget) else { continue };
            let taken: BTreeMap<Step, f64> = steps.into_iter().zip(solution.taken).collect();
            if solution.is_full {
                let run = each(product, &inside, &taken).and_then(|counts| accepted(&counts));
                if run.is_some() {
                    return run;
                }
                continue;
            }
            let is_outside = |edge: &ProductEdge| {
                !(component.contains(&edge.from) && component.contains(&edge.to))
            };
            let before = edges.len();
            edges.retain(|edge| is_outside(edge) || taken[&key(edge)] > 0.5);
            if edges.len() < before {
                waiting.push(component);
            }
        }
    }
    None
}

fn step(product: &CoverabilityProduct<'_>, edge: &ProductEdge) -> Step {
    (effect(product, edge.mover), edge.from as usize, edge.to as usize)
}

fn effect(product: &CoverabilityProduct<'_>, mover: Option<TransitionId>) -> Option<EffectId> {
    let class = product.net.effect_of(mover?);
    (!product.net.effect(class).is_empty()).then_some(class)
}

/// The strongly connected components of these nodes that have an edge inside.
fn connected(nodes: &BTreeSet<u32>, edges: &[ProductEdge]) -> Vec<BTreeSet<u32>> {
    let numbers: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for edge in edges {
        if let (Some(&from), Some(&to)) = (numbers.get(&edge.from), numbers.get(&edge.to)) {
            after[from as usize].push(to);
        }
    }
    let of = components_of_rows(&after, |&to| to).of;
    let mut found: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for (&node, &at) in &numbers {
        found.entry(of[at as usize]).or_default().insert(node);
    }
    let goes_on = |component: &BTreeSet<u32>| {
        let at = |node: &u32| numbers[node] as usize;
        component.len() > 1 || component.iter().any(|node| after[at(node)].contains(&numbers[node]))
    };
    found.into_values().filter(goes_on).collect()
}

/// The nodes of a component where a fair run with all marks may stay; `None` without such a run.
fn fair_rest(
    product: &CoverabilityProduct<'_>,
    component: &BTreeSet<u32>,
    inside: &[ProductEdge],
) -> Option<BTreeSet<u32>> {
    let marks = inside.iter().fold(Marks::NONE, |marks, edge| marks.or(edge.marks));
    if !Marks::all(product.automaton.marks).within(marks) {
        return None;
    }
    let fired: BTreeSet<TransitionId> = inside.iter().filter_map(|edge| edge.mover).collect();
    let enables =
        |node: &u32, t: TransitionId| product.nodes()[*node as usize].enables(product.net, t);
    let fairness = product.property.fairness();
    let mut weak = fairness.weak().iter().filter(|t| !fired.contains(t));
    if weak.any(|&t| component.iter().all(|node| enables(node, t))) {
        return None;
    }
    let strong: Vec<TransitionId> =
        fairness.strong().iter().copied().filter(|t| !fired.contains(t)).collect();
    let stays = |node: &&u32| !strong.iter().any(|&t| enables(node, t));
    Some(component.iter().filter(stays).copied().collect())
}

/// How often each edge is taken on the shortest cycle with all marks that loses nothing, not
/// necessarily connected.
fn shortest(
    product: &CoverabilityProduct<'_>,
    inside: &[ProductEdge],
    budget: &Budget,
) -> Option<Vec<u64>> {
    if inside.len() > EDGES {
        return None;
    }
    let mut program = LinearProgram::new(Sense::Minimise);
    let mut of_places: BTreeMap<PlaceId, Vec<_>> = BTreeMap::new();
    let mut of_nodes: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut of_marks: BTreeMap<u32, Vec<_>> = BTreeMap::new();
    let mut costs = Vec::new();
    for edge in inside {
        let column = program.add_column(Interval::NON_NEGATIVE).ok()?;
        costs.push((column, 1));
        for change in edge.mover.map_or(&[][..], |t| product.net.delta(t)) {
            of_places.entry(change.place).or_default().push((column, change.delta));
        }
        if edge.from != edge.to {
            of_nodes.entry(edge.from).or_default().push((column, -1));
            of_nodes.entry(edge.to).or_default().push((column, 1));
        }
        for mark in edge.marks.numbers().filter(|&mark| mark < product.automaton.marks) {
            of_marks.entry(mark).or_default().push((column, 1));
        }
    }
    if of_marks.is_empty() {
        of_marks.insert(0, costs.clone());
    }
    for row in of_places.into_values() {
        program.add_row(Interval::at_least(0), row).ok()?;
    }
    for row in of_nodes.into_values() {
        program.add_row(Interval::exactly(0), row).ok()?;
    }
    for row in of_marks.into_values() {
        program.add_row(Interval::at_least(1), row).ok()?;
    }
    program.set_objective(Sense::Minimise, costs).ok()?;
    match keep(program).solve_again(budget) {
        LpAnswer::Optimal(optimum) => whole(&optimum.point),
        _ => None,
    }
}

/// How often each edge is taken, all of them at least once, where a solution takes every step.
fn each(
    product: &CoverabilityProduct<'_>,
    inside: &[ProductEdge],
    taken: &BTreeMap<Step, f64>,
) -> Option<Vec<u64>> {
    let counts: Vec<f64> = taken.values().copied().collect();
    let counts: BTreeMap<Step, u64> = taken.keys().copied().zip(whole(&counts)?).collect();
    let mut alike: BTreeMap<Step, Vec<usize>> = BTreeMap::new();
    for (at, edge) in inside.iter().enumerate() {
        alike.entry(step(product, edge)).or_default().push(at);
    }
    // Edges that do the same share the count of their step.
    let most = alike.values().map(Vec::len).max()? as u64;
    let mut all = vec![0; inside.len()];
    for (step, edges) in alike {
        edges.iter().for_each(|&at| all[at] = 1);
        let count = counts[&step].checked_mul(most)?;
        all[edges[0]] += count.checked_sub(edges.len() as u64)?;
    }
    Some(all)
}

/// The numbers times the least factor that makes them whole.
fn whole(numbers: &[f64]) -> Option<Vec<u64>> {
    (1..=DENOMINATOR).find_map(|factor| {
        let whole = |number: &f64| {
            let product = number * f64::from(factor);
            let rounded = product.round();
            let is_near = (product - rounded).abs() < 1e-6 * product.abs().max(1.0);
            (is_near && (0.0..1e15).contains(&rounded)).then_some(rounded as u64)
        };
        numbers.iter().map(whole).collect()
    })
}

/// A closed way that takes each edge so often, with the node where it begins. `None` if there is
/// none, or it is too long.
fn closed_way(edges: &[ProductEdge], counts: &[u64]) -> Option<(u32, Vec<Option<TransitionId>>)> {
    let total = counts.iter().try_fold(0u64, |sum, &count| sum.checked_add(count))?;
    if total == 0 || total > LONGEST {
        return None;
    }
    let mut leaving: HashMap<u32, Vec<usize>> = HashMap::new();
    for (at, edge) in edges.iter().enumerate().filter(|&(at, _)| counts[at] > 0) {
        leaving.entry(edge.from).or_default().push(at);
    }
    let mut left = counts.to_vec();
    let begin = *leaving.keys().min()?;
    // Hierholzer: the edges on the stack lead from the beginning to the node on its top.
    let (mut stack, mut way) = (vec![(begin, None)], Vec::new());
    while let Some(&(node, came)) = stack.last() {
        let next = leaving.get_mut(&node).and_then(|edges| {
            while edges.last().is_some_and(|&at| left[at] == 0) {
                edges.pop();
            }
            edges.last().copied()
        });
        match next {
            Some(at) => {
                left[at] -= 1;
                stack.push((edges[at].to, Some(at)));
            }
            None => {
                way.extend(came);
                stack.pop();
            }
        }
    }
    way.reverse();
    let closes = way.first().is_some_and(|&at| edges[at].from == begin)
        && way.windows(2).all(|pair| edges[pair[0]].to == edges[pair[1]].from)
        && way.last().is_some_and(|&at| edges[at].to == begin);
    let is_all = way.len() as u64 == total;
    (closes && is_all).then(|| (begin, way.iter().map(|&at| edges[at].mover).collect()))
}
