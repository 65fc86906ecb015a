//! Modulo invariants: sums of tokens whose remainder no firing changes.
//!
//! If y·C ≡ 0 (mod k), then y·m ≡ y·m₀ (mod k) for every reachable m. Each place invariant is a
//! modulo invariant for every k. The others express facts that no inequality does: tokens are moved
//! in pairs, or one of two numbers is odd. Combined with bounds they allow rounding: p + q ≥ 2 with
//! p + q odd implies p + q ≥ 3.
//!
//! For a prime power k they are computed like place invariants, by clearing the columns of (C | I)
//! with rows. The pivot is an entry with the fewest factors of the prime, so that it divides the
//! other entries of its column. If the pivot itself has such factors, a multiple of its row also
//! has a zero in the column, and is kept.
//!
//! # Cost
//! Numbers stay below k, but rows may fill up. When the budget ends, the result is an error and
//! nothing is returned.
//!
//! # Sources
//! J. Desel, M.-D. Radola, *Proving non-reachability by modulo-place-invariants*, FSTTCS 1994; J.
//! Howell, *Spans in the module (Z_m)^s*, Linear and Multilinear Algebra 19, 1986 (the rows that
//! are kept).

use super::flows::sum_of;
use super::incidence::transposed_incidence;
use super::integer::Integer;
use parikh_net::{LinearSum, Marking, Net, PlaceId};
use parikh_solvers::{Budget, ExhaustionReason};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A sum whose remainder modulo `modulus` is the same in all reachable markings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuloInvariant {
    /// The sum of at least one place; one of its coefficients is 1 modulo the modulus.
    pub sum: LinearSum,
    /// The modulus, at least 2.
    pub modulus: u32,
}

impl ModuloInvariant {
    /// Returns the remainder of the sum in m₀, and so in every reachable marking.
    pub fn remainder(&self, initial: &Marking) -> i128 {
        self.sum.value(initial).rem_euclid(self.modulus.into())
    }

    /// Checks by exact arithmetic on the net that each firing adds a multiple of the modulus.
    pub fn holds(&self, net: &Net) -> bool {
        let added = |effect| -> i128 {
            let changes = net.effect(effect).iter();
            changes.map(|c| i128::from(c.delta) * i128::from(self.sum.coefficient(c.place))).sum()
        };
        net.effect_classes().all(|effect| added(effect) % i128::from(self.modulus) == 0)
    }

    /// Returns the invariant as an equation: `p + 2*q = 1 (mod 3)`.
    pub fn describe(&self, net: &Net) -> String {
        let terms = self.sum.terms().iter().map(|&(p, a)| (net.place_name(p), Integer::from(a)));
        let terms: Vec<_> = terms.collect();
        let sum = sum_of(terms.iter().map(|(name, a)| (*name, a)));
        format!("{sum} = {} (mod {})", self.remainder(net.initial()), self.modulus)
    }
}

/// The rings used: for each prime up to 13, the largest power below 64.
const RINGS: [Ring; 6] = [
    Ring { prime: 2, modulus: 32 },
    Ring { prime: 3, modulus: 27 },
    Ring { prime: 5, modulus: 25 },
    Ring { prime: 7, modulus: 49 },
    Ring { prime: 11, modulus: 11 },
    Ring { prime: 13, modulus: 13 },
];

/// Returns generators of all modulo invariants whose modulus divides 32, 27, 25, 49, 11 or 13:
/// those that do not follow from `flows` and from each other. For each prime, large moduli come
/// first. If a sum differs from a known one by a multiple of the prime, the difference divided by
/// the prime may be returned instead.
///
/// # Errors
/// Returns an error when the budget ends.
pub fn modulo_invariants(
    net: &Net,
    flows: &[LinearSum],
    budget: &Budget,
) -> Result<Vec<ModuloInvariant>, ExhaustionReason> {
    let changes = transposed_incidence(net);
    let mut invariants = Vec::new();
    for ring in RINGS {
        let places = (0..net.place_count()).map(|place| {
            let column = changes.col(place);
            let entries = column.row_indices().iter().zip(column.values());
            ring.vector(entries.map(|(&effect, &delta)| (effect, delta)))
        });
        let mut candidates: Vec<(u64, ModularVector)> = ModuloTableau::new(ring, places.collect())
            .eliminate(budget)?
            .into_iter()
            .filter_map(|y| ring.primitive(y))
            .collect();
        candidates.sort_by_key(|(modulus, y)| (Reverse(*modulus), y.len()));
        let mut span = Span { ring, rows: BTreeMap::new() };
        for flow in flows {
            let terms = flow.terms().iter().map(|&(place, a)| (place.index(), a));
            span.add(ring.vector(terms), budget)?;
        }
        let mut generators = Vec::new();
        for (modulus, y) in candidates {
            let divisor = ring.modulus / modulus;
            let scaled = ring.add_multiple(&[], divisor, &y);
            let reduced = span.reduce(scaled.clone(), divisor, budget)?;
            let Some(reduced) = ring.primitive(reduced) else { continue };
            span.add(scaled, budget)?;
            generators.push(if reduced.0 < modulus { reduced } else { (modulus, y) });
        }
        generators.sort_by_key(|(modulus, _)| Reverse(*modulus));
        for (modulus, y) in generators {
            let signed =
                |value: u64| value as i64 - if 2 * value > modulus { modulus as i64 } else { 0 };
            let terms =
                y.iter().map(|&(column, value)| (PlaceId::new(column as usize), signed(value)));
            // The cast is exact: the modulus is below 64.
            let modulus = modulus as u32;
            invariants
                .extend(LinearSum::new(terms).ok().map(|sum| ModuloInvariant { sum, modulus }));
        }
    }
    Ok(invariants)
}

/// A sparse vector with ascending positions and without zero entries. Entries are positive and
/// below the modulus.
type ModularVector = Vec<(u32, u64)>;

/// The integers modulo a prime power below 64.
#[derive(Clone, Copy, Debug)]
struct Ring {
    prime: u64,
    modulus: u64,
}

impl Ring {
    /// Returns the entries modulo the ring's modulus, as a sparse vector.
    fn vector(self, entries: impl Iterator<Item = (usize, i64)>) -> ModularVector {
        let reduced = entries
            .map(|(index, value)| (index as u32, value.rem_euclid(self.modulus as i64) as u64));
        reduced.filter(|&(_, value)| value != 0).collect()
    }

    /// Returns the largest power of the prime that divides a non-zero number.
    fn prime_power_in(self, value: u64) -> u64 {
        let mut power = 1;
        while value.is_multiple_of(power * self.prime) {
            power *= self.prime;
        }
        power
    }

    /// Returns the inverse of a number that the prime does not divide.
    fn inverse(self, value: u64) -> u64 {
        (1..self.modulus).find(|other| value * other % self.modulus == 1).unwrap_or(1)
    }

    /// Returns x + b·y.
    fn add_multiple(self, x: &[(u32, u64)], b: u64, y: &[(u32, u64)]) -> ModularVector {
        let mut sum = Vec::with_capacity(x.len() + y.len());
        let (mut i, mut j) = (0, 0);
        while i < x.len() || j < y.len() {
            let left = x.get(i).map_or(u32::MAX, |entry| entry.0);
            let right = y.get(j).map_or(u32::MAX, |entry| entry.0);
            let position = left.min(right);
            let mut value = 0;
            if left == position {
                value += x[i].1;
                i += 1;
            }
            if right == position {
                value += b * y[j].1;
                j += 1;
            }
            if !value.is_multiple_of(self.modulus) {
                sum.push((position, value % self.modulus));
            }
        }
        sum
    }

    /// Divides a vector by the power of the prime common to all entries. Returns the remaining
    /// modulus and the vector, scaled so that its first invertible entry is 1. Returns `None` for
    /// the zero vector.
    fn primitive(self, mut y: ModularVector) -> Option<(u64, ModularVector)> {
        let divisor = y.iter().map(|&(_, value)| self.prime_power_in(value)).min()?;
        let modulus = self.modulus / divisor;
        let ring = Ring { modulus, ..self };
        y.iter_mut().for_each(|(_, value)| *value /= divisor);
        let unit = y.iter().find(|(_, value)| !value.is_multiple_of(self.prime))?.1 % modulus;
        let inverse = ring.inverse(unit);
        y.iter_mut().for_each(|(_, value)| *value = *value * inverse % modulus);
        y.retain(|&(_, value)| value != 0);
        Some((modulus, y))
    }
}

/// Returns the entry at `position`, or 0.
fn entry(vector: &[(u32, u64)], position: u32) -> u64 {
    vector.binary_search_by_key(&position, |entry| entry.0).map_or(0, |index| vector[index].1)
}

/// A row of the matrix (C, I), where C has one row per place and one column per effect class, and I
/// is the identity matrix.
struct ModuloRow {
    /// The part of the row that belongs to C, indexed by effect class.
    matrix_part: ModularVector,
    /// The part of the row that belongs to I: coefficients of places. This combination of the rows
    /// of C gives `matrix_part`.
    combination: ModularVector,
}

/// The matrix (C | I) during elimination.
struct ModuloTableau {
    ring: Ring,
    /// The rows. `None` for a row that was dropped.
    rows: Vec<Option<ModuloRow>>,
    /// For each column, the rows that have, or once had, an entry there.
    rows_of: Vec<Vec<u32>>,
}

impl ModuloTableau {
    fn new(ring: Ring, places: Vec<ModularVector>) -> Self {
        let columns =
            places.iter().flatten().map(|&(column, _)| column as usize + 1).max().unwrap_or(0);
        let mut tableau =
            ModuloTableau { ring, rows: Vec::new(), rows_of: vec![Vec::new(); columns] };
        for (place, left) in places.into_iter().enumerate() {
            tableau.add_row(ModuloRow { matrix_part: left, combination: vec![(place as u32, 1)] });
        }
        tableau
    }

    /// Adds a row.
    fn add_row(&mut self, row: ModuloRow) {
        for &(column, _) in &row.matrix_part {
            self.rows_of[column as usize].push(self.rows.len() as u32);
        }
        self.rows.push(Some(row));
    }

    /// Clears all columns, and returns the right halves of the remaining rows.
    fn eliminate(mut self, budget: &Budget) -> Result<Vec<ModularVector>, ExhaustionReason> {
        // Short columns first: they cause little fill-in.
        let mut columns: Vec<u32> = (0..self.rows_of.len() as u32).collect();
        columns.sort_by_key(|&column| self.rows_of[column as usize].len());
        for column in columns {
            self.clear_column(column, budget)?;
        }
        Ok(self.rows.into_iter().flatten().map(|row| row.combination).collect())
    }

    /// Clears a column by one pivot row, which is dropped. If the prime divides the pivot, the
    /// multiple of the row with a zero in the column is added.
    fn clear_column(&mut self, column: u32, budget: &Budget) -> Result<(), ExhaustionReason> {
        let ring = self.ring;
        let mut rows = std::mem::take(&mut self.rows_of[column as usize]);
        rows.sort_unstable();
        rows.dedup();
        let value = |row_index: &u32| {
            self.rows[*row_index as usize].as_ref().map_or(0, |row| entry(&row.matrix_part, column))
        };
        let entries: Vec<(u32, u64)> = rows
            .into_iter()
            .map(|row_index| (row_index, value(&row_index)))
            .filter(|&(_, value)| value != 0)
            .collect();
        let size = |row_index: u32| {
            self.rows[row_index as usize]
                .as_ref()
                .map_or(0, |row| row.matrix_part.len() + row.combination.len())
        };
        let Some(&(row_index, pivot_value)) = entries.iter().min_by_key(|&&(row_index, value)| {
            (ring.prime_power_in(value), size(row_index), row_index)
        }) else {
            return Ok(());
        };
        let Some(pivot) = self.rows[row_index as usize].take() else { return Ok(()) };
        let power = ring.prime_power_in(pivot_value);
        let inverse = ring.inverse(pivot_value / power);
        for &(other_index, value) in entries.iter().filter(|entry| entry.0 != row_index) {
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            let Some(row) = self.rows[other_index as usize].take() else { continue };
            // value / power is an integer, and value + b·pivot_value is 0 modulo the modulus.
            let b = (ring.modulus - value / power * inverse % ring.modulus) % ring.modulus;
            let (rows_of, before) = (&mut self.rows_of, &row.matrix_part);
            let left = ring.add_multiple(before, b, &pivot.matrix_part);
            for &(column, _) in left.iter().filter(|(column, _)| entry(before, *column) == 0) {
                rows_of[column as usize].push(other_index);
            }
            let right = ring.add_multiple(&row.combination, b, &pivot.combination);
            self.rows[other_index as usize] =
                Some(ModuloRow { matrix_part: left, combination: right });
        }
        if power > 1 {
            let factor = ring.modulus / power;
            self.add_row(ModuloRow {
                matrix_part: ring.add_multiple(&[], factor, &pivot.matrix_part),
                combination: ring.add_multiple(&[], factor, &pivot.combination),
            });
        }
        Ok(())
    }
}

/// The span of some vectors modulo a prime power, as rows with different first positions. A
/// multiple of a row may be non-zero although its first entry is 0 modulo the prime power. The
/// remaining rows then span this multiple, too.
struct Span {
    ring: Ring,
    /// The rows by their first position, where each has a power of the prime.
    rows: BTreeMap<u32, ModularVector>,
}

impl Span {
    /// Adds a vector to the span.
    fn add(&mut self, vector: ModularVector, budget: &Budget) -> Result<(), ExhaustionReason> {
        let ring = self.ring;
        let mut pending = vec![vector];
        while let Some(mut vector) = pending.pop() {
            while let Some(&(first, value)) = vector.first() {
                if let Some(reason) = budget.exhausted() {
                    return Err(reason);
                }
                let power = ring.prime_power_in(value);
                if let Some(row) = self.rows.get(&first)
                    && row[0].1 <= power
                {
                    vector = ring.add_multiple(&vector, ring.modulus - value / row[0].1, row);
                    continue;
                }
                let row = ring.add_multiple(&[], ring.inverse(value / power), &vector);
                if power > 1 {
                    pending.push(ring.add_multiple(&[], ring.modulus / power, &row));
                }
                // The previous row, reduced by the new one, is processed next.
                vector = self.rows.insert(first, row).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// Reduces a vector by the rows of the span, from its first entry on. A row reduces an entry at
    /// its first position if the power of the prime there divides the entry. Irreducible entries
    /// that are divisible by more than `max_power` stay and are passed over. At any other
    /// irreducible entry, the reduction stops. The result is empty for a vector in the span.
    fn reduce(
        &self,
        mut vector: ModularVector,
        max_power: u64,
        budget: &Budget,
    ) -> Result<ModularVector, ExhaustionReason> {
        let mut passed_entries = 0;
        while let Some(&(position, value)) = vector.get(passed_entries) {
            if let Some(reason) = budget.exhausted() {
                return Err(reason);
            }
            let power = self.ring.prime_power_in(value);
            match self.rows.get(&position) {
                Some(row) if row[0].1 <= power => {
                    let factor = self.ring.modulus - value / row[0].1;
                    vector = self.ring.add_multiple(&vector, factor, row);
                }
                _ if power <= max_power => break,
                _ => passed_entries += 1,
            }
        }
        Ok(vector)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::text;

    fn found(net: &Net) -> Vec<(Vec<(&str, i64)>, u64)> {
        let found = modulo_invariants(net, &[], &Budget::unlimited()).unwrap();
        assert!(found.iter().all(|found| found.holds(net)));
        let named = found.iter().map(|found| {
            let terms = found.sum.terms().iter().map(|&(p, a)| (net.place_name(p), a));
            (terms.collect(), u64::from(found.modulus))
        });
        named.collect()
    }

    #[test]
    fn sums_changed_by_even_numbers_stay_odd() {
        // Single tokens move between a and b, and between c and d. From a and b to c and d, tokens
        // move in pairs only.
        let net = text::parse(
            "place a 1\nplace b 100\nplace c 1\nplace d 100\n\
             transition t: a -> b\ntransition u: 2*b -> a + b\n\
             transition v: a + b -> c + d\ntransition w: c -> d\ntransition x: d -> c",
        )
        .unwrap();
        let flow = LinearSum::new(net.places().map(|p| (p, 1))).unwrap();
        let found = modulo_invariants(&net, &[flow], &Budget::unlimited()).unwrap();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].describe(&net), "c + d = 1 (mod 2)");
        let wrong = ModuloInvariant { modulus: 4, ..found[0].clone() };
        assert!(!wrong.holds(&net));
        assert_eq!(found[0].sum.terms().len(), 2);
    }

    #[test]
    fn invariants_modulo_different_prime_powers_are_found() {
        let net = text::parse(
            "place p 3\nplace q 1\ntransition t: 4*p ->\ntransition u: -> 6*p\ntransition v: 9*q ->",
        );
        let net = net.unwrap();
        assert_eq!(found(&net), [(vec![("p", 1)], 2), (vec![("q", 1)], 9)]);
        let net = text::parse("place p 3\nplace q 1\ntransition t: p -> 3*q\ntransition u: 8*q ->")
            .unwrap();
        assert_eq!(found(&net), [(vec![("p", 1), ("q", 3)], 8)]);
        let none =
            text::parse("place p\nplace q\ntransition t: p -> q\ntransition u: -> p").unwrap();
        assert_eq!(found(&none), []);
    }

    /// Compares with all sums of three places modulo 32.
    #[test]
    fn all_invariants_modulo_32_are_found() {
        const K: i64 = 32;
        let number = |y: [i64; 3]| ((y[0] * K + y[1]) * K + y[2]) as usize;
        let all = || (0..K * K * K).map(|y| [y / (K * K), y / K % K, y % K]);
        let mut rng = fastrand::Rng::with_seed(41);
        let mut several = 0;
        for _ in 0..500 {
            let mut text = "place a 1\nplace b 2\nplace c\n".to_owned();
            for t in 0..rng.usize(1..4) {
                let mut side =
                    || ["a", "b", "c"].map(|p| format!("{}*{p}", rng.u32(1..10))).join(" + ");
                text += &format!("transition t{t}: {} -> {}\n", side(), side());
            }
            let net = text::parse(&text).unwrap();
            let budget = Budget::unlimited();
            let flows = super::super::flows::place_flows(&net, &budget).unwrap();
            let flows: Vec<LinearSum> = flows.iter().filter_map(|flow| flow.to_sum()).collect();
            let found = modulo_invariants(&net, &flows, &budget).unwrap();
            assert!(found.iter().all(|found| found.holds(&net)), "{text}");
            // Invariants of smaller moduli are multiplied to be invariants modulo 32.
            let of = |sum: &LinearSum, times: i64| {
                [0, 1, 2].map(|p| sum.coefficient(PlaceId::new(p)) * times)
            };
            let even = found.iter().filter(|found| found.modulus.is_multiple_of(2));
            let even = even.map(|found| of(&found.sum, K / i64::from(found.modulus)));
            let generators: Vec<[i64; 3]> =
                flows.iter().map(|flow| of(flow, 1)).chain(even).collect();
            several += usize::from(generators.len() > flows.len() + 1);
            let mut is_spanned = vec![false; (K * K * K) as usize];
            let mut waiting = vec![[0; 3]];
            while let Some(y) = waiting.pop() {
                if !std::mem::replace(&mut is_spanned[number(y)], true) {
                    let sum = |g: &[i64; 3]| [0, 1, 2].map(|p| (y[p] + g[p]).rem_euclid(K));
                    waiting.extend(generators.iter().map(sum));
                }
            }
            let holds = |y: &[i64; 3]| {
                net.effect_classes().all(|effect| {
                    let changes = net.effect(effect).iter();
                    changes.map(|c| c.delta * y[c.place.index()]).sum::<i64>() % K == 0
                })
            };
            for y in all() {
                assert_eq!(is_spanned[number(y)], holds(&y), "{y:?} of {found:?}\n{text}");
            }
        }
        assert!(several > 10, "{several}");
    }
}
