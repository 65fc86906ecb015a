//! What was proved for one question and holds whatever is asked: cubes that no firing enters.
//!
//! Frames know nothing of the goal: when two of them are the same, their cubes are blocked for
//! ever, not just where this goal is concerned. So the next question on the same net begins with
//! them, and where many are alike, as maxima of places with the same part in a model are, the first
//! proof is most of every other. Provers number sums as they come up, so what they share is written
//! as comparisons.

use super::terms::{Cube, Terms, cube};
use parikh_net::Atom;
use std::collections::HashSet;

/// So many cubes are shared: each is a clause in every solver.
const MOST: usize = 2000;

/// The cubes proved so far for all questions.
#[derive(Default)]
pub(super) struct Proved {
    cubes: Vec<Vec<Atom>>,
    known: HashSet<Vec<Atom>>,
}

impl Proved {
    /// Takes in cubes that together are never entered. All of them or none: one may rest on
    /// another.
    pub(super) fn add(&mut self, cubes: &[Cube], terms: &Terms<'_>) {
        let written = |cube: &Cube| -> Option<Vec<Atom>> {
            cube.iter().map(|&bound| terms.atom(bound)).collect()
        };
        let Some(new) = cubes.iter().map(written).collect::<Option<Vec<_>>>() else { return };
        let mut new: Vec<Vec<Atom>> = new;
        new.retain(|cube| !self.known.contains(cube));
        if self.cubes.len() + new.len() <= MOST {
            self.known.extend(new.iter().cloned());
            self.cubes.extend(new);
        }
    }
}

/// Those of them that one prover has taken in.
#[derive(Default)]
pub(super) struct Lasting {
    cubes: Vec<Cube>,
    /// How many of the list were looked at.
    seen: usize,
}

impl Lasting {
    /// Takes in what is new of the list; this part of it.
    pub(super) fn learn(&mut self, proved: &Proved, terms: &mut Terms<'_>) -> Vec<Cube> {
        let mut new = Vec::new();
        for atoms in &proved.cubes[self.seen..] {
            let bounds: Option<Vec<_>> = atoms.iter().map(|atom| terms.bound(atom)).collect();
            // Every comparison was a bound before.
            let Some(bounds) = bounds else { continue };
            let own = cube(bounds);
            self.cubes.push(own.clone());
            new.push(own);
        }
        self.seen = proved.cubes.len();
        new
    }

    pub(super) fn cubes(&self) -> impl Iterator<Item = &Cube> {
        self.cubes.iter()
    }
}
