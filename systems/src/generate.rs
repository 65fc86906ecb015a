//! Random small systems and formulas for tests.

use crate::builder::{ComponentBuilder, system};
use crate::system::System;
use fastrand::Rng;

/// Returns a system of at most six components. Labels have one, two or three owners. States may
/// have several edges with one label or none, and some components have several start states. Some
/// components are products of several small ones. The others have at most four states.
pub fn random_system(random: &mut Rng) -> System {
    let count = random.usize(2..=6);
    let max_states = if count > 4 { 3 } else { 4 };
    let mut drafts: Vec<ComponentBuilder> = (0..count)
        .map(|at| {
            let mut draft = ComponentBuilder::new(&format!("component{at}"));
            for state in 0..random.usize(1..=max_states) {
                draft.state(&format!("{at}_{state}"));
            }
            draft
        })
        .collect();
    for label in 0..random.usize(2..=count + 3) {
        let owners = match random.usize(0..6) {
            0..3 => 1,
            3..5 => 2,
            _ => 3,
        };
        let mut shuffled: Vec<usize> = (0..count).collect();
        random.shuffle(&mut shuffled);
        for &owner in shuffled.iter().take(owners) {
            let draft = &mut drafts[owner];
            let states = draft.states.len() as u32;
            for _ in 0..random.usize(1..=3) {
                let (from, to) = (random.u32(0..states), random.u32(0..states));
                draft.edge(from, &format!("l{label}"), to);
            }
        }
    }
    for draft in &mut drafts {
        let states = draft.states.len() as u32;
        draft.start(random.u32(0..states));
        if random.u8(0..8) == 0 {
            draft.start(random.u32(0..states));
        }
    }
    let mut components: Vec<ComponentBuilder> = Vec::new();
    for draft in drafts {
        match components.pop() {
            Some(last) if random.u8(0..4) == 0 && share_no_label(&last, &draft) => {
                components.push(side_by_side(&last, &draft));
            }
            last => components.extend(last.into_iter().chain([draft])),
        }
    }
    system("random", components).expect("components have states and start states")
}

fn share_no_label(one: &ComponentBuilder, other: &ComponentBuilder) -> bool {
    one.edges.iter().all(|(_, label, _)| other.edges.iter().all(|it| it.1 != *label))
}

/// Returns the product of two components without shared labels.
fn side_by_side(one: &ComponentBuilder, other: &ComponentBuilder) -> ComponentBuilder {
    let mut product = ComponentBuilder::new(&one.name);
    let (first_count, second_count) = (one.states.len() as u32, other.states.len() as u32);
    let pair_number = |first: u32, second: u32| first * second_count + second;
    for first in &one.states {
        for second in &other.states {
            product.state(&format!("{first}_{second}"));
        }
    }
    for (from, label, to) in &one.edges {
        (0..second_count).for_each(|second| {
            product.edge(pair_number(*from, second), label, pair_number(*to, second))
        });
    }
    for (from, label, to) in &other.edges {
        (0..first_count).for_each(|first| {
            product.edge(pair_number(first, *from), label, pair_number(first, *to))
        });
    }
    for &first in &one.starts {
        other.starts.iter().for_each(|&second| product.start(pair_number(first, second)));
    }
    product
}

/// Returns the text of a random LTL formula over the labels `l0` to `l5`.
pub fn random_linear(random: &mut Rng, depth: usize) -> String {
    let label = |random: &mut Rng| format!("l{}", random.u8(0..6));
    if depth == 0 {
        return match random.u8(0..8) {
            0 => "true".to_owned(),
            1 => format!("!{}", label(random)),
            _ => label(random),
        };
    }
    let operator = random.u8(0..14);
    let part = |random: &mut Rng| random_linear(random, depth - 1);
    match operator {
        0 => format!("!({})", part(random)),
        1 => format!("X({})", part(random)),
        2 | 3 => format!("F({})", part(random)),
        4 | 5 => format!("G({})", part(random)),
        6 => format!("({}) & ({})", part(random), part(random)),
        7 => format!("({}) | ({})", part(random), part(random)),
        8 => format!("({}) => ({})", part(random), part(random)),
        9 => format!("({}) R ({})", part(random), part(random)),
        10 => format!("({}) M ({})", part(random), part(random)),
        11 => format!("({}) W ({})", part(random), part(random)),
        12 => format!("({}) <=> ({})", part(random), part(random)),
        _ => format!("({}) U ({})", part(random), part(random)),
    }
}

/// Returns a random LTL formula in the style of the RERS challenge. Most of these formulas depend
/// only on the labels that they name.
pub fn random_pattern(random: &mut Rng) -> String {
    let label = |random: &mut Rng| format!("l{}", random.u8(0..6));
    let [a, b, c, d] = [(); 4].map(|()| label(random));
    match random.u8(0..10) {
        0 => format!("G({a} => F({b}))"),
        1 => format!("G(!{a})"),
        2 => format!("F({a} & X(!{b} U {a}))"),
        3 => format!("(!{a} W ({b} | {c}))"),
        4 => format!("G(({a} & (!{b} W {c})) => F({d} & (!{a} W {c})))"),
        5 => format!("G(F({a} & X(!{b} U {c})))"),
        6 => format!("(({a} => G(!{b})) W ({c} | {d}))"),
        7 => format!("(G(F({a})) => G(F({b})))"),
        8 => format!("F(G(!{a}))"),
        _ => format!("(F({a}) & G({a} => X(!{a} U {b})))"),
    }
}

/// Returns the text of a random CTL formula over the labels `l0` to `l5`.
pub fn random_branching(random: &mut Rng, depth: usize) -> String {
    if depth == 0 {
        return ["true", "false"][random.usize(0..2)].to_owned();
    }
    let label = format!("l{}", random.u8(0..6));
    let operator = random.u8(0..18);
    let part = |random: &mut Rng| random_branching(random, depth - 1);
    match operator {
        0 => format!("({}) & ({})", part(random), part(random)),
        1 => format!("({}) | ({})", part(random), part(random)),
        2 => format!("({}) => ({})", part(random), part(random)),
        3 => format!("({}) <=> ({})", part(random), part(random)),
        4 => format!("[]({})", part(random)),
        5 => format!("<>({})", part(random)),
        6 | 7 => format!("[{label}]({})", part(random)),
        8 | 9 => format!("<{label}>({})", part(random)),
        10 => format!("A(({}) U ({}))", part(random), part(random)),
        11 => format!("E(({}) U ({}))", part(random), part(random)),
        12 => format!("A(({}) W ({}))", part(random), part(random)),
        13 => format!("E(({}) W ({}))", part(random), part(random)),
        14 => format!("AG ({})", part(random)),
        15 => format!("EG ({})", part(random)),
        16 => format!("AF ({})", part(random)),
        _ => format!("EF ({})", part(random)),
    }
}
