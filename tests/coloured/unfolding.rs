//! The unfolding against the coloured firing rule: the same reachable markings and the same number
//! of firings, for all sorts, guards and inscriptions.

use crate::support::oracle;
use crate::support::scale::scaled;
use parikh::unfold::{UnfoldingConfig, UnfoldingError, UnfoldingLimits, unfold};
use parikh_generate::random_coloured;
use parikh_net::coloured::{
    BoundColour, ColouredFireError, ColouredMarking, ColouredNet, ColouredTransitionId, text,
};
use parikh_net::{Marking, Net};
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Returns every combination of colours for the variables of a transition, ignoring the guard.
pub(crate) fn bindings(net: &ColouredNet, t: ColouredTransitionId) -> Vec<Vec<BoundColour>> {
    let mut all = vec![Vec::new()];
    for variable in net.transition(t).variables() {
        let size = net.variable_size(variable);
        let with = |binding: &Vec<BoundColour>, colour| {
            let mut binding = binding.clone();
            binding.push(BoundColour { variable, colour });
            binding
        };
        all = all.iter().flat_map(|binding| (0..size).map(|c| with(binding, c))).collect();
    }
    all
}

/// Returns the reachable markings and the number of firings between them, or `None` if there are
/// too many.
pub(crate) fn explore(
    net: &ColouredNet,
    limit: usize,
) -> Option<(BTreeSet<ColouredMarking>, usize)> {
    let all: Vec<_> = net
        .transition_ids()
        .flat_map(|t| bindings(net, t).into_iter().map(move |b| (t, b)))
        .collect();
    let initial = net.initial(1000).unwrap();
    let mut seen = BTreeSet::from([initial.clone()]);
    let mut queue = VecDeque::from([initial]);
    let mut firings = 0;
    while let Some(marking) = queue.pop_front() {
        if net.place_ids().any(|place| marking.total(place) > 200) {
            return None;
        }
        for (t, binding) in &all {
            let mut next = marking.clone();
            match net.fire(&mut next, *t, binding) {
                Ok(()) => {
                    firings += 1;
                    if seen.insert(next.clone()) {
                        queue.push_back(next);
                    }
                }
                Err(ColouredFireError::Guard | ColouredFireError::NotEnabled { .. }) => {}
                Err(other) => panic!("{other}"),
            }
        }
        if seen.len() > limit {
            return None;
        }
    }
    Some((seen, firings))
}

/// Converts a marking of the unfolding to a coloured marking, by the names of places.
pub(crate) fn coloured(net: &ColouredNet, flat: &Net, marking: &Marking) -> ColouredMarking {
    let folding = flat.folding().unwrap();
    let mut bags = vec![BTreeMap::new(); net.places().len()];
    for (place, tokens) in marking.marked() {
        let at = folding.place_of(place);
        let owner = &net.places()[at];
        assert_eq!(folding.place_name(at), owner.name);
        let name = flat.place_name(place).strip_prefix(&*owner.name).unwrap();
        let name = name.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(".");
        bags[at].insert(net.colour_named(owner.sort, name).unwrap(), tokens);
    }
    ColouredMarking::new(bags)
}

#[test]
fn the_unfolding_reaches_the_same_markings_as_the_coloured_net() {
    let (mut compared, mut interesting) = (0, 0);
    for seed in 0..scaled(5_000) {
        let net = random_coloured(seed);
        let Some((markings, firings)) = explore(&net, 400) else { continue };
        for symmetry in [false, true] {
            let config = UnfoldingConfig { symmetry, ..UnfoldingConfig::default() };
            let (flat, _) = unfold(&net, &config, &Budget::unlimited()).unwrap();
            let shown = || format!("seed {seed}, symmetry {symmetry}\n{}", text::print(&net));
            let limits = oracle::OracleLimits { states: 10_000, tokens: 1_000 };
            let space = oracle::explore(&flat, limits).unwrap_or_else(|| panic!("{}", shown()));
            let there: BTreeSet<_> =
                space.markings().iter().map(|marking| coloured(&net, &flat, marking)).collect();
            assert_eq!(there, markings, "{}", shown());
            let enabled = |marking: &Marking| {
                flat.transitions().filter(|&t| flat.is_enabled(marking, t)).count()
            };
            let flat_firings: usize = space.markings().iter().map(enabled).sum();
            match symmetry {
                false => assert_eq!(flat_firings, firings, "{}", shown()),
                true => assert!(flat_firings <= firings, "{}", shown()),
            }
        }
        compared += 1;
        interesting += u64::from(markings.len() > 2);
    }
    assert!(compared * 3 > scaled(5_000), "{compared}");
    assert!(interesting * 10 > scaled(5_000), "{interesting}");
}

#[test]
fn random_coloured_nets_survive_their_text() {
    for seed in 0..500 {
        let net = random_coloured(seed);
        let printed = text::print(&net);
        let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(text::print(&again), printed);
    }
}

fn flat(net: &str) -> Net {
    unfold(&text::parse(net).unwrap(), &UnfoldingConfig::default(), &Budget::unlimited()).unwrap().0
}

#[test]
fn only_needed_nodes_are_made_and_named_by_their_colours() {
    let net = flat(
        "sort Colour = {red, green, blue}
         sort Level = 1..3
         sort Pair = Colour * Level
         var x: Colour
         var l: Level
         place p: Pair = {(red,1)}
         place q: Colour = {blue}
         place done
         transition t [l < 3]: p{(x,l)} -> p{(x,3)} + done
         transition never: q{red} -> done",
    );
    let places: Vec<&str> = net.places().map(|place| net.place_name(place)).collect();
    assert_eq!(places, ["p(red,1)", "p(red,3)", "q(blue)", "done"]);
    let transitions: Vec<&str> = net.transitions().map(|t| net.transition_name(t)).collect();
    assert_eq!(transitions, ["t(x=red,l=1)"]);
    let named = |name| net.places_named(name).map(|places| places.len());
    assert_eq!(
        (named("p"), named("q"), named("done"), named("r")),
        (Some(2), Some(1), Some(1), None)
    );
    assert_eq!(net.transitions_named("never"), Some(vec![]));
}

#[test]
fn equivalent_bindings_are_made_once() {
    let model = "sort A = 1..4
                 var x, y, z: A
                 place p: A = {all}
                 place q: A
                 transition t: p{x + y + z} -> q{x + y + z}
                 transition u [x != y]: p{x + y} -> q{x}";
    let net = flat(model);
    let count = |name| net.transitions_named(name).unwrap().len();
    // Multisets of three out of four colours; ordered pairs of different colours.
    assert_eq!((count("t"), count("u")), (20, 12));
}

#[test]
fn too_large_unfoldings_are_refused_with_their_size() {
    let model = "sort A = 1..100000
                 sort B = A * A
                 var x, y: A
                 place p: A = {all}
                 place q: B
                 transition t: p{x + y} -> q{(x,y)}";
    let net = text::parse(model).unwrap();
    assert_eq!((net.colour_count(), net.binding_count()), (10_000_100_000, 10_000_000_000));
    let limits = UnfoldingLimits { bindings: 1000, ..UnfoldingLimits::default() };
    let config = UnfoldingConfig { limits, ..UnfoldingConfig::default() };
    let declined = unfold(&net, &config, &Budget::unlimited()).unwrap_err();
    assert_eq!(declined, UnfoldingError::TooLarge { bindings: 1001, arcs: 3003 });
    let huge = "sort A = 1..1000000000\nplace p: A = {all}";
    let declined =
        unfold(&text::parse(huge).unwrap(), &UnfoldingConfig::default(), &Budget::unlimited());
    assert!(matches!(declined, Err(UnfoldingError::Colours(4_000_000))), "{declined:?}");
}
