//! Random small systems and formulas, for tests.

use crate::builder::{ComponentBuilder, system};
use crate::system::System;
use fastrand::Rng;

/// A system of two to six components with a few states each: labels of one, two or three owners,
/// several edges with one label from a state, dead ends, and sometimes several start states.
pub fn random_system(random: &mut Rng) -> System {
    let count = random.usize(2..=6);
    let most = if count > 4 { 3 } else { 4 };
    let mut drafts: Vec<ComponentBuilder> = (0..count)
        .map(|at| {
            let mut draft = ComponentBuilder::new(&format!("component{at}"));
            for state in 0..random.usize(1..=most) {
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
        let mut all: Vec<usize> = (0..count).collect();
        random.shuffle(&mut all);
        for &owner in all.iter().take(owners) {
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
    system("random", drafts).expect("components have states and start states")
}

/// A formula of LTL over the labels `l0` to `l5`, as text.
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

/// A formula of CTL over the labels `l0` to `l5`, as text.
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
