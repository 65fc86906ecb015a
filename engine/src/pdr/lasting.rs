//! Cubes shared by the provers of all goals on a net. No reachable marking is in these cubes,
//! because no firing enters them from outside.
//!
//! PDR frames do not depend on the goal. When two consecutive frames are equal, their cubes are
//! excluded forever, whatever the goal is. The next goal on the same net starts with these cubes.
//! If many goals are similar, as the maxima of symmetric places are, the first proof is most of
//! every other proof. Provers number their sums independently, so shared cubes are stored as
//! comparisons.

use super::terms::{BoundTerms, Cube, cube};
use parikh_net::Atom;
use std::collections::HashSet;

/// Limit on the number of shared cubes. Each cube becomes a clause in every solver.
const MAX_SHARED_CUBES: usize = 2000;

/// The cubes shared between the goals of one net: no firing enters them.
#[derive(Default)]
pub(super) struct SharedCubes {
    /// The cubes in the order of discovery, each as comparisons.
    cubes: Vec<Vec<Atom>>,
    /// The same cubes, for tests of membership.
    known_cubes: HashSet<Vec<Atom>>,
}

impl SharedCubes {
    /// Adds cubes that no firing enters from outside. Adds either all new cubes or no cube, because
    /// the proof of one cube may depend on the others. Adds no cube if a number exceeds 64 bits or
    /// there would be too many cubes.
    pub(super) fn add(&mut self, cubes: &[Cube], terms: &BoundTerms<'_>) {
        let to_atoms = |cube: &Cube| -> Option<Vec<Atom>> {
            cube.iter().map(|&bound| terms.atom(bound)).collect()
        };
        let Some(new_cubes) = cubes.iter().map(to_atoms).collect::<Option<Vec<_>>>() else {
            return;
        };
        let mut new_cubes: Vec<Vec<Atom>> = new_cubes;
        new_cubes.retain(|cube| !self.known_cubes.contains(cube));
        if self.cubes.len() + new_cubes.len() <= MAX_SHARED_CUBES {
            self.known_cubes.extend(new_cubes.iter().cloned());
            self.cubes.extend(new_cubes);
        }
    }
}

/// The shared cubes that one prover has imported.
#[derive(Default)]
pub(super) struct ImportedCubes {
    /// The imported cubes, as bounds on the prover's own terms.
    cubes: Vec<Cube>,
    /// Length of the shared list at the last import.
    imported_count: usize,
}

impl ImportedCubes {
    /// Imports and returns the cubes added to the shared list since the last call.
    pub(super) fn import(&mut self, proved: &SharedCubes, terms: &mut BoundTerms<'_>) -> Vec<Cube> {
        let mut new_cubes = Vec::new();
        for atoms in &proved.cubes[self.imported_count..] {
            let bounds: Option<Vec<_>> = atoms.iter().map(|atom| terms.bound(atom)).collect();
            // Each comparison was made from a bound, so the conversion succeeds.
            let Some(bounds) = bounds else { continue };
            let imported = cube(bounds);
            self.cubes.push(imported.clone());
            new_cubes.push(imported);
        }
        self.imported_count = proved.cubes.len();
        new_cubes
    }

    pub(super) fn cubes(&self) -> impl Iterator<Item = &Cube> {
        self.cubes.iter()
    }
}
