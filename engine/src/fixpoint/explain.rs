//! Extracts the labelling of a value: exactly the configurations that it needs.
//!
//! If the formula is true, the claims are about its parts. If it is false, they are about the
//! negations of its parts, which are the parts of the negated formula. So all claims of a labelling
//! have the same value.

use super::parts::{FormulaPart, PartSet, members};
use super::search::FixpointSearch;
use parikh_evidence::tree::{LabelClaim, Labelling, TreePremises};
use parikh_net::{TransitionId, TreeProperty};
use parikh_temporal::{AtomId, Formula, Node, Paths as _, Quantifier};
use std::collections::HashMap;

/// Limit on the number of claims.
const CLAIMS: usize = 100_000;

/// Limit on the number of markings times places.
const TOKENS: usize = 4_000_000;

/// The successors that a claim depends on.
enum Onward {
    Nothing,
    /// The successor with the given number.
    One(u32),
    All,
}

impl FixpointSearch<'_, '_> {
    /// Returns a labelling that explains the value of `property` at the initial marking. Returns
    /// `None` if it would be too large. `everywhere` are parts known in all reachable markings
    /// because of `given`.
    pub(super) fn explain(
        &mut self,
        property: &TreeProperty,
        everywhere: (PartSet, PartSet),
        given: TreePremises,
    ) -> Option<Labelling> {
        let value = self.value()?;
        let claimed = if value { property.clone() } else { property.negated() };
        let formulas = self.claimed_formulas(property, &claimed, value);
        let known = if value { everywhere.0 } else { everywhere.1 };
        let mut ranks: HashMap<usize, Vec<u32>> = HashMap::new();
        let mut wanted: HashMap<u32, PartSet> = HashMap::new();
        let mut claims: HashMap<u32, Vec<LabelClaim>> = HashMap::new();
        let mut row = Vec::new();
        let want =
            |wanted: &mut HashMap<u32, PartSet>, row: &mut Vec<_>, at: u32, parts: PartSet| {
                let all = wanted.entry(at).or_insert(0);
                let new = parts & !*all;
                *all |= new;
                if new != 0 {
                    row.push((at, new));
                }
            };
        let initial = self.graph.initial();
        want(&mut wanted, &mut row, initial, 1 << self.parts.root());
        let mut count = 0;
        while let Some((at, parts)) = row.pop() {
            for part in members(parts & !known) {
                let (here, onward, there) = self.support(part, at, value, &mut ranks)?;
                want(&mut wanted, &mut row, at, here);
                if let FormulaPart::Constant(_)
                | FormulaPart::Literal { .. }
                | FormulaPart::And(_)
                | FormulaPart::Or(_) = self.parts.all[part]
                {
                    continue;
                }
                let by = self.lead(&mut wanted, &mut row, at, (&onward, there), &want)?;
                let rank = ranks.get(&part).map_or(0, |ranks| ranks[at as usize]);
                claims.entry(at).or_default().push(LabelClaim {
                    formula: formulas[part],
                    rank,
                    transition: by,
                });
                count += 1;
                if count > CLAIMS || wanted.len() * self.graph.places() > TOKENS {
                    return None;
                }
            }
        }
        let mut labelling = Labelling::new(claimed, given);
        // Markings without claims are listed too, because the checker evaluates atoms there.
        let mut all: Vec<u32> = wanted.into_keys().collect();
        all.sort_unstable();
        for at in all {
            let claims = claims.remove(&at).unwrap_or_default();
            labelling.add(&self.graph.tokens(at), claims);
        }
        Some(labelling)
    }

    /// Returns, by part, the claimed formula: the part or its negation.
    fn claimed_formulas(
        &self,
        property: &TreeProperty,
        claimed: &TreeProperty,
        value: bool,
    ) -> Vec<Formula<Quantifier>> {
        let mut store = claimed.formulas().clone();
        let atoms: Vec<Formula<Quantifier>> = property
            .atoms()
            .iter()
            .map(|atom| {
                let at = claimed.atoms().binary_search(atom).unwrap_or(claimed.atoms().len());
                store.atom(AtomId(at as u32))
            })
            .collect();
        let in_store = |&part: &Formula<Quantifier>| {
            let copy = |atom: AtomId| atoms[atom.0 as usize];
            let copy = property.formulas().copy_to(part, &mut store, copy);
            if value { copy } else { store.negate(copy) }
        };
        let claimed: Vec<_> = self.parts.formulas.iter().map(in_store).collect();
        debug_assert!(!matches!(store.node(claimed[0]), Node::Next(..)));
        claimed
    }

    /// Returns the configurations from which the value of a part follows: parts at the same
    /// marking, and parts at some or all successors.
    fn support(
        &mut self,
        place: usize,
        at: u32,
        value: bool,
        ranks: &mut HashMap<usize, Vec<u32>>,
    ) -> Option<(PartSet, Onward, PartSet)> {
        let part = self.parts.all[place];
        let known = if value { self.yes[at as usize] } else { self.no[at as usize] };
        let has = |part: usize| known >> part & 1 == 1;
        let nothing = (0, Onward::Nothing, 0);
        Some(match part {
            FormulaPart::Constant(_) | FormulaPart::Literal { .. } => nothing,
            FormulaPart::And(parts) if value => (parts, Onward::Nothing, 0),
            FormulaPart::Or(parts) if !value => (parts, Onward::Nothing, 0),
            // One operand is sufficient. The first one is taken: parts are listed before the parts
            // that contain them, so it tends to be the simplest.
            FormulaPart::And(parts) | FormulaPart::Or(parts) => {
                (1 << members(parts & known).next()?, Onward::Nothing, 0)
            }
            FormulaPart::Next(paths, inner) => {
                let paths = if value { paths } else { paths.dual() };
                (0, self.onward(at, paths, inner, value, None)?, 1 << inner)
            }
            // A true until and a false release are least fixpoints, so their claims have ranks.
            FormulaPart::Until(paths, left, right) | FormulaPart::Release(paths, left, right)
                if matches!(part, FormulaPart::Until(..)) == value =>
            {
                let paths = if value { paths } else { paths.dual() };
                let ranks = ranks
                    .entry(place)
                    .or_insert_with(|| self.ranks(place, paths, (left, right), value));
                if has(right) {
                    return Some((1 << right, Onward::Nothing, 0));
                }
                let onward = self.onward(at, paths, place, value, Some(ranks))?;
                (1 << left, onward, 1 << place)
            }
            FormulaPart::Until(paths, left, right) | FormulaPart::Release(paths, left, right) => {
                let paths = if value { paths } else { paths.dual() };
                if has(left) && has(right) {
                    return Some((1 << left | 1 << right, Onward::Nothing, 0));
                }
                let onward = match self.is_dead(at) {
                    true => Onward::Nothing,
                    false => self.onward(at, paths, place, value, None)?,
                };
                (1 << right, onward, 1 << place)
            }
        })
    }

    /// Returns the successors that a claim needs: for an existential path the successor with the
    /// value and the smallest rank, otherwise all successors.
    fn onward(
        &self,
        at: u32,
        paths: Quantifier,
        part: usize,
        value: bool,
        ranks: Option<&Vec<u32>>,
    ) -> Option<Onward> {
        if paths == Quantifier::All {
            return Some(Onward::All);
        }
        let sets = if value { &self.yes } else { &self.no };
        let successors = self.graph.successors(at).iter().map(|&(to, _)| to);
        let with = successors.filter(|&to| sets[to as usize] >> part & 1 == 1);
        let to = with.min_by_key(|&to| ranks.map_or(0, |ranks| ranks[to as usize]))?;
        Some(Onward::One(to))
    }

    /// Adds the parts needed at the successors of a claim. Returns the firing if the claim needs a
    /// single successor.
    fn lead(
        &mut self,
        wanted: &mut HashMap<u32, PartSet>,
        row: &mut Vec<(u32, PartSet)>,
        at: u32,
        (onward, there): (&Onward, PartSet),
        want: &impl Fn(&mut HashMap<u32, PartSet>, &mut Vec<(u32, PartSet)>, u32, PartSet),
    ) -> Option<Option<TransitionId>> {
        match *onward {
            Onward::Nothing => Some(None),
            Onward::One(to) => {
                want(wanted, row, to, there);
                Some(Some(self.graph.firing(at, to, 0)??))
            }
            Onward::All => {
                if !self.is_dead(at) {
                    for &(to, _) in self.graph.successors(at) {
                        want(wanted, row, to, there);
                    }
                }
                Some(None)
            }
        }
    }
}
