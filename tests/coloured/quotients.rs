//! A coloured net and its exact quotient: bisimilar, and answers through one are those through the
//! other.

use crate::pnml;
use crate::support::binary::Desk;
use crate::support::oracle;
use crate::support::scale::scaled;
use crate::without_unfolding::{model, some_classes};
use parikh::evidence::abstraction::Quotient;
use parikh::unfold;
use parikh_net::coloured::{ColouredNet, text};
use parikh_net::generate::random_coloured;
use parikh_solvers::Budget;
use std::collections::{BTreeMap, BTreeSet};

/// What coloured places hold, which coloured transitions are enabled, and where those lead.
type Folded = (Vec<u64>, BTreeSet<usize>, Vec<(usize, usize)>);

/// By marking of `space`, what coloured places hold together, which coloured transitions are
/// enabled, and where those lead.
fn folded(space: &oracle::StateSpace<'_>) -> Vec<Folded> {
    let net = space.net();
    let folding = net.folding().unwrap();
    let of = |at: usize| {
        let mut tokens = vec![0; folding.place_count()];
        for p in net.places() {
            tokens[folding.place_of(p)] += space.markings()[at][p];
        }
        let edges =
            space.fired_from(at).filter_map(|(to, t)| Some((folding.transition_of(t?), to)));
        let edges: Vec<(usize, usize)> = edges.collect();
        (tokens, edges.iter().map(|&(t, _)| t).collect(), edges)
    };
    (0..space.states()).map(of).collect()
}

/// A net in which most transitions move pairs of colours from place to place: by variables,
/// constants, `all` and mixtures of these.
fn of_pairs(seed: u64) -> ColouredNet {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut any = |of: &[&str]| of[rng.usize(..of.len())].to_owned();
    let mut lines = vec![
        "sort A = 1..2\nsort B = 1..3\nsort P = A * B\nvar a, a2: A\nvar b, b2: B".to_owned(),
        "place f: B = {all}\nplace g: A = {all}\nplace q: B\nplace done".to_owned(),
    ];
    lines.push(format!(
        "place p: P{}",
        any(&["", " = {(1,1) + (2,2)}", " = {(all,1)}", " = {(1,all)}"])
    ));
    for t in 0..4 {
        let mut arcs = |least: usize| {
            let mut all = Vec::new();
            while all.len() < least || any(&["more", "", ""]) == "more" {
                let a = any(&["a", "a", "a2", "all", "1"]);
                let b = any(&["b", "b", "b2", "all", "2"]);
                let times = any(&["", "", "", "", "2'"]);
                all.push(match &*any(&["f", "g", "q", "p", "p", "done"]) {
                    "p" => format!("p{{{times}({a},{b})}}"),
                    "g" => format!("g{{{times}{a}}}"),
                    "done" => "done{.}".to_owned(),
                    place => format!("{place}{{{times}{b}}}"),
                });
            }
            all.join(" + ")
        };
        let (takes, puts) = (arcs(1), arcs(0));
        let guard = any(&["", "", "", " [b < 3]", " [a = 1]", " [b != b2]", " [b = 1 or a = 2]"]);
        lines.push(format!("transition t{t}{guard}: {takes} -> {puts}"));
    }
    text::parse(&lines.join("\n")).unwrap_or_else(|error| panic!("{error}: {}", lines.join("\n")))
}

/// Where nothing tells the colours made one apart, the two nets are bisimilar: partition refinement
/// over the markings of both ends with their initial markings in one block. Then they satisfy the
/// same formulas of CTL* over what coloured places hold, and which coloured transitions are enabled
/// or fire.
#[test]
fn a_net_and_its_exact_quotient_are_bisimilar() {
    let (mut exact, mut smaller, mut inexact) = (0, 0, 0);
    for seed in 0..scaled(20_000) {
        let net = if seed % 8 < 4 { of_pairs(seed) } else { random_coloured(seed) };
        let classes = some_classes(&net, seed);
        let Some(quotient) = Quotient::of(&net, &classes) else { continue };
        if classes.is_trivial() {
            continue;
        }
        let config = unfold::Config { symmetry: seed % 3 == 0, ..unfold::Config::default() };
        let [whole, less] = [&net, quotient.net()]
            .map(|it| unfold::unfold(it, &config, &Budget::unlimited()).unwrap().0);
        let limits = oracle::Limits { states: 300, tokens: 1_000 };
        let spaces = (oracle::explore(&whole, limits), oracle::explore(&less, limits));
        let (Some(there), Some(here)) = spaces else { continue };
        let bisimilar = are_bisimilar(folded(&there), folded(&here));
        let shown = || format!("{}\n{}", text::print(&net), text::print(quotient.net()));
        assert!(bisimilar || !quotient.is_exact(), "seed {seed}\n{}", shown());
        exact += u64::from(quotient.is_exact());
        smaller += u64::from(quotient.is_exact() && here.states() < there.states());
        inexact += u64::from(!bisimilar);
    }
    let least = scaled(20_000) / 400;
    assert!(exact > least && smaller > least && inexact > least, "{exact} {smaller} {inexact}");
}

/// Whether the first of these markings and the first of those are in one block of the coarsest
/// bisimulation.
fn are_bisimilar(there: Vec<Folded>, here: Vec<Folded>) -> bool {
    let first_here = there.len();
    let mut all = there;
    all.extend(here.into_iter().map(|(tokens, enabled, edges)| {
        let edges = edges.into_iter().map(|(t, to)| (t, to + first_here)).collect();
        (tokens, enabled, edges)
    }));
    let mut blocks = number(all.iter().map(|(tokens, enabled, _)| (tokens, enabled)));
    loop {
        let signature = |at: usize| -> (usize, BTreeSet<(usize, usize)>) {
            (blocks[at], all[at].2.iter().map(|&(t, to)| (t, blocks[to])).collect())
        };
        let refined = number((0..all.len()).map(signature));
        if refined == blocks {
            return blocks[0] == blocks[first_here];
        }
        blocks = refined;
    }
}

/// The same number for equal items, in the order in which they come.
fn number<T: Ord>(items: impl Iterator<Item = T>) -> Vec<usize> {
    let mut numbers = BTreeMap::new();
    let number_of = |item| {
        let next = numbers.len();
        *numbers.entry(item).or_insert(next)
    };
    items.map(number_of).collect()
}

/// `all` goes with one colour of another sort: tokens of any two will not do.
#[test]
fn what_goes_with_all_is_told_apart() {
    let model = model(
        "sort A = 1..2
         sort B = 1..9
         sort P = A * B
         var x: B
         place f: B = {all}
         place one = {.}
         place two = {.}
         place p: P
         place done
         transition m1: f{x} + one{.} -> p{(1,x)}
         transition m2: f{x} + two{.} -> p{(2,x)}
         transition t: p{(all,x)} -> done{.}",
    );
    assert!(Quotient::indistinguishable(model.net()).is_trivial());
}

/// Parcels of 1,500 kinds that are sent, lost or delivered; nothing tells kinds apart. The
/// unfolding is large, and the quotient small.
const POST: &str = "sort K = 1..1500
    var k: K
    place shelf: K = {all}
    place way: K
    place home: K
    place free = {.}
    transition send: shelf{k} + free{.} -> way{k}
    transition lose: way{k} -> shelf{k} + free{.}
    transition deliver: way{k} -> home{k} + free{.}
    transition again: home{k} -> home{k}";

#[test]
fn formulas_about_runs_go_to_the_quotient_unless_bindings_matter() {
    let desk = Desk::new();
    desk.write("model.pnml", &pnml::write(&text::parse(POST).unwrap()));
    let apart = "where colours that nothing tells apart are one";
    let formulas = [
        ("EX (fireable(deliver) && EX home >= 1)", "TRUE"),
        ("A X X (way = 1)", "FALSE"),
        ("E F A G (home >= 1)", "TRUE"),
        ("A G (A X (way <= 1))", "TRUE"),
        ("A F (home >= 1)", "FALSE"),
    ];
    for (formula, value) in formulas {
        let ask = |more: &[&str]| {
            let asked =
                [&["check", "model.pnml", "-t", "60s", "--formula", formula], more].concat();
            desk.fine(&asked)
        };
        let merged = ask(&[]);
        assert!(merged.contains(&format!("formula-1: {value} — ")), "{merged}");
        let whole = ask(&["--trace", "runs"]);
        assert!(whole.contains(&format!("formula-1: {value} — ")), "{whole}");
        assert!(!whole.contains(apart), "{whole}");
        if formula.contains('X') && !formula.starts_with("A G") {
            assert!(merged.contains(apart) && merged.contains("[certified"), "{merged}");
        }
    }
    // Of one kind alone: that is told apart.
    let one = desk.fine(&["check", "model.pnml", "--formula", "EX way(7) >= 1"]);
    assert!(one.contains("TRUE") && !one.contains(apart), "{one}");
    // Fairness is about each binding.
    let fair = ["check", "model.pnml", "-t", "5s", "--fair", "weak", "--formula", "F (home >= 1)"];
    assert!(!desk.said(&fair).1.contains(apart));
}
