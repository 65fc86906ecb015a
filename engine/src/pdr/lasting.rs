//! Cubes that hold for all goals on a net, because no firing enters them from outside.
//!
//! PDR frames do not depend on the goal. When two consecutive frames are equal, their cubes are
//! excluded forever, whatever the goal is. The next goal on the same net starts with these cubes.
//! If many goals are similar, as the maxima of symmetric places are, the first proof is most of
//! every other proof. Provers number their sums independently, so shared cubes are stored as
//! comparisons.

use super::terms::{BoundTerms, Cube, cube};
use parikh_net::Atom;
use std::collections::HashSet;

/// Limit on the number of shared cubes. Each one becomes a clause in every solver.
const MOST: usize = 2000;

/// The cubes proved so far, for all goals.
#[derive(Default)]
pub(super) struct SharedCubes {
    cubes: Vec<Vec<Atom>>,
    known: HashSet<Vec<Atom>>,
}

impl SharedCubes {
    /// Adds cubes that are jointly never entered. Adds all or none, because the cubes may depend on
    /// each other.
    pub(super) fn add(&mut self, cubes: &[Cube], terms: &BoundTerms<'_>) {
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

/// The shared cubes that one prover has imported.
#[derive(Default)]
pub(super) struct ImportedCubes {
    cubes: Vec<Cube>,
    /// Length of the shared list at the last import.
    seen: usize,
}

impl ImportedCubes {
    /// Imports and returns the cubes added to the shared list since the last call.
    pub(super) fn learn(&mut self, proved: &SharedCubes, terms: &mut BoundTerms<'_>) -> Vec<Cube> {
        let mut new = Vec::new();
        for atoms in &proved.cubes[self.seen..] {
            let bounds: Option<Vec<_>> = atoms.iter().map(|atom| terms.bound(atom)).collect();
            // Each comparison was made from a bound, so the conversion succeeds.
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
