//! Flows, semiflows, bounds and unit proofs, against dense elimination and enumeration.

use super::plain::*;
use parikh::net::units::Unit;
use parikh::net::{Facts, Net, NetBuilder, PlaceId, UnitId, Units, text};
use parikh::solvers::Budget;
use parikh::structure::bounds::place_bounds;
use parikh::structure::flows::{Flow, place_flows, transition_flows};
use parikh::structure::semiflows::{place_semiflows, transition_semiflows};
use parikh::structure::units::prove_units;

fn dense<Id: Copy + Ord>(flow: &Flow<Id>, ids: impl Iterator<Item = Id>) -> Vec<i128> {
    ids.map(|id| i128::from(flow.coefficient(id).to_i64().unwrap())).collect()
}

/// Returns the incidence matrix by places and effect classes.
fn by_classes(net: &Net) -> Vec<Vec<i128>> {
    let dense = dense_incidence(net);
    let first = |class| net.class(class)[0].index();
    let row = |row: &Vec<i128>| net.effect_classes().map(|class| row[first(class)]).collect();
    dense.iter().map(row).collect()
}

fn transpose(rows: &[Vec<i128>], width: usize) -> Vec<Vec<i128>> {
    (0..width).map(|at| rows.iter().map(|row| row[at]).collect()).collect()
}

#[test]
fn flows_are_a_basis_of_the_null_space() {
    for net in nets(1, 3000, RandomShape { nodes: 7, weight: 4 }) {
        let budget = Budget::unlimited();
        let matrix = dense_incidence(&net);
        let flows = place_flows(&net, &budget).unwrap();
        let dense_flows: Vec<_> = flows.iter().map(|flow| dense(flow, net.places())).collect();
        for y in &dense_flows {
            for t in 0..net.transition_count() {
                let product: i128 = y.iter().zip(&matrix).map(|(a, row)| a * row[t]).sum();
                assert_eq!(product, 0, "{}", text::print(&net));
            }
        }
        assert!(flows.iter().all(|flow| flow.holds(&net)));
        assert_eq!(flows.len(), net.place_count() - rank(&matrix), "{}", text::print(&net));
        assert_eq!(rank(&dense_flows), flows.len(), "{}", text::print(&net));

        let loops = transition_flows(&net, &budget).unwrap();
        let dense_loops: Vec<_> =
            loops.iter().map(|flow| dense(flow, net.effect_classes())).collect();
        assert!(loops.iter().all(|flow| flow.holds(&net)));
        assert_eq!(loops.len(), net.effect_count() - rank(&matrix), "{}", text::print(&net));
        assert_eq!(rank(&dense_loops), loops.len(), "{}", text::print(&net));
    }
}

#[test]
fn flows_of_huge_weights_are_exact() {
    let mut big = 0;
    for mut net in nets(2, 300, RandomShape { nodes: 6, weight: i64::MAX as u64 / 8 }) {
        // Parallel arcs add up, so some weights are beyond i64::MAX / 8, and all are legal.
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        assert!(flows.iter().all(|flow| flow.holds(&net)), "{}", text::print(&net));
        big += flows.iter().filter(|flow| flow.terms().iter().any(|term| term.1.is_big())).count();
        let loops = transition_flows(&net, &Budget::unlimited()).unwrap();
        assert!(loops.iter().all(|flow| flow.holds(&net)), "{}", text::print(&net));
        // The rank does not depend on the arithmetic: |P| − #P-flows = classes − #T-flows.
        let (by_p, by_t) = (net.place_count() - flows.len(), net.effect_count() - loops.len());
        assert_eq!(by_p, by_t, "{}", text::print(&net));
        net = text::parse(&text::print(&net)).unwrap();
        assert_eq!(place_flows(&net, &Budget::unlimited()).unwrap(), flows);
    }
    assert!(big > 20, "only {big} flows needed more than 64 bits");
}

/// Returns the semiflows of minimal support by definition: the null space on the support is a line
/// spanned by a positive vector.
fn minimal_semiflows(rows: &[Vec<i128>]) -> Vec<Vec<i128>> {
    let mut found = Vec::new();
    for subset in subsets(rows.len()).filter(|subset| !subset.is_empty()) {
        let part: Vec<_> = subset.iter().map(|&at| rows[at].clone()).collect();
        let [line] = dense_null_space(&part).try_into().unwrap_or([Vec::new()]);
        let sign = line.first().map_or(0, |x| x.signum());
        if sign != 0 && line.iter().all(|x| x.signum() == sign) {
            let mut vector = vec![0; rows.len()];
            subset.iter().zip(&line).for_each(|(&at, x)| vector[at] = x * sign);
            found.push(vector);
        }
    }
    found.sort();
    found
}

#[test]
fn semiflows_are_those_of_minimal_support() {
    for net in nets(3, 1500, RandomShape { nodes: 7, weight: 3 }) {
        let rows = by_classes(&net);
        let found = place_semiflows(&net, 10_000, &Budget::unlimited());
        assert!(found.is_complete());
        let mut vectors: Vec<_> =
            found.flows.iter().map(|flow| dense(flow, net.places())).collect();
        vectors.sort();
        assert_eq!(vectors, minimal_semiflows(&rows), "{}", text::print(&net));

        let found = transition_semiflows(&net, 10_000, &Budget::unlimited());
        assert!(found.is_complete());
        let mut vectors: Vec<_> =
            found.flows.iter().map(|flow| dense(flow, net.effect_classes())).collect();
        vectors.sort();
        let columns = transpose(&rows, net.effect_count());
        assert_eq!(vectors, minimal_semiflows(&columns), "{}", text::print(&net));
    }
}

#[test]
fn cut_short_semiflows_are_some_of_the_minimal_ones() {
    for net in nets(4, 500, RandomShape { nodes: 7, weight: 2 }) {
        let all = place_semiflows(&net, 10_000, &Budget::unlimited()).flows;
        for limit in 0..6 {
            let some = place_semiflows(&net, limit, &Budget::unlimited());
            assert!(some.flows.iter().all(|flow| all.contains(flow)), "{}", text::print(&net));
            assert!(!some.is_complete() || some.flows == all, "{}", text::print(&net));
        }
    }
}

#[test]
fn bounds_hold_in_every_reachable_marking() {
    let (mut bounded, mut tight) = (0, 0);
    for net in nets(5, 3000, RandomShape { nodes: 6, weight: 3 }) {
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        let bounds = place_bounds(&net, &flows, &Budget::unlimited());
        let (markings, all) = reachable(&net, 500);
        let mut facts = Facts::empty(&net);
        bounds.write(&mut facts);
        for p in net.places() {
            let most = markings.iter().map(|m| m[p]).max().unwrap();
            let least = markings.iter().map(|m| m[p]).min().unwrap();
            assert!(bounds.lower(p) <= least, "{} {p:?}", text::print(&net));
            assert_eq!(facts.upper_bound(p).map(|bound| bound.tokens), bounds.upper(p));
            assert_eq!(facts.lower_bound(p).tokens, bounds.lower(p));
            if let Some(upper) = bounds.upper(p) {
                assert!(most <= upper, "{} {p:?} {:?}", text::print(&net), bounds.steps());
                bounded += 1;
                tight += usize::from(all && most == upper);
            }
        }
        for p in bounds.constant_places() {
            assert!(markings.iter().all(|m| m[p] == net.initial()[p]), "{}", text::print(&net));
        }
    }
    assert!(bounded > 3000 && tight > 2000, "{bounded} bounds, {tight} of them tight");
}

/// Returns the net with its places distributed to a root unit and a unit below it.
fn with_units(net: &Net, random: &mut fastrand::Rng) -> Option<Net> {
    let mut builder = NetBuilder::new("n");
    for p in net.places() {
        builder.place(net.place_name(p), net.initial()[p].min(1)).unwrap();
    }
    for t in net.transitions() {
        builder.transition(net.transition_name(t)).unwrap();
        net.pre(t).iter().for_each(|arc| builder.take(t, arc.place, arc.weight).unwrap());
        net.post(t).iter().for_each(|arc| builder.put(t, arc.place, arc.weight).unwrap());
    }
    let (upper, lower): (Vec<PlaceId>, Vec<PlaceId>) = net.places().partition(|_| random.bool());
    let unit = |name: &str, places, parent| Unit { name: name.into(), places, parent };
    let tree = vec![unit("root", upper, None), unit("below", lower, Some(UnitId::new(0)))];
    let units = Units::new(tree, UnitId::new(0), true, &builder.initial(), |_| "").ok()?;
    builder.set_units(units);
    builder.build().ok()
}

#[test]
fn proved_units_are_safe_in_every_reachable_marking() {
    let mut random = fastrand::Rng::with_seed(6);
    let mut proved = 0;
    for net in nets(7, 6000, RandomShape { nodes: 4, weight: 2 }) {
        let Some(net) = with_units(&net, &mut random) else { continue };
        let flows = place_flows(&net, &Budget::unlimited()).unwrap();
        let bounds = place_bounds(&net, &flows, &Budget::unlimited());
        let units = net.units().unwrap();
        let (markings, _) = reachable(&net, 200);
        for proof in prove_units(&net, &flows, &bounds, &Budget::unlimited()).unwrap() {
            let own = &units.get(proof.unit).places;
            let around = match units.get(proof.unit).parent {
                Some(parent) => units.get(parent).places.clone(),
                None => Vec::new(),
            };
            proved += usize::from(proof.is_complete() && own.len() > 1);
            for m in &markings {
                let marked = own.iter().filter(|&&p| m[p] > 0).count();
                assert!(!proof.one_safe || own.iter().all(|&p| m[p] <= 1));
                assert!(!proof.exclusive || marked <= 1, "{}", text::print(&net));
                let above = around.iter().any(|&p| m[p] > 0);
                assert!(!proof.excludes_ancestors || marked == 0 || !above);
            }
        }
    }
    assert!(proved > 30, "only {proved} units of several places proved");
}
