//! Random coloured nets by seed: every kind of sort and term, in sizes that enumeration can handle.

use fastrand::Rng;
use parikh_net::coloured::{
    ColouredNet, Guard, Multiset, Relation, SortId, SortKind, Term, VariableId,
};

/// Returns the coloured net of this seed, which is the same on every machine for the same version
/// of fastrand and this file. The net has a sort of each kind with 1–4 colours and products of them
/// (up to 12), 1–4 places, and 2–5 transitions with up to 7 variables. In four of five nets no
/// firing increases the number of tokens.
///
/// # Known answers
/// None.
pub fn random_coloured(seed: u64) -> ColouredNet {
    let mut rng = Rng::with_seed(seed);
    let sketch = Sketch { net: ColouredNet::new(format!("coloured-{seed}")), rng: &mut rng };
    // Everything added is of the right sort by construction.
    sketch.build().expect("a random coloured net is well-formed")
}

struct Sketch<'r> {
    net: ColouredNet,
    /// The generator of random numbers.
    rng: &'r mut Rng,
}

type Made<T> = Result<T, parikh_net::coloured::ColourError>;

impl Sketch<'_> {
    /// Adds sorts, variables, places and transitions.
    fn build(mut self) -> Made<ColouredNet> {
        let sorts = self.sorts()?;
        let mut variables = Vec::new();
        for (index, &sort) in sorts.iter().enumerate() {
            for letter in ["x", "y", "z"].iter().take(self.rng.usize(1..=3)) {
                variables.push(self.net.add_variable(&format!("{letter}{index}"), sort)?);
            }
        }
        let places = self.rng.usize(1..=4);
        for index in 0..places {
            let sort = sorts[self.rng.usize(0..sorts.len())];
            // Few tokens, since each additional token multiplies the markings.
            let initial = match self.rng.usize(0..8) {
                0 | 1 => Multiset::EMPTY,
                3 if self.net.sort(sort).size() <= 4 => Multiset::single(Term::All(sort)),
                4 => {
                    let two_tokens =
                        [self.constant(sort), self.constant(sort)].map(Multiset::single);
                    Multiset::sum(two_tokens)
                }
                _ => Multiset::Tokens { count: self.rng.u64(1..=2), term: self.constant(sort) },
            };
            self.net.add_place(&format!("p{index}"), sort, initial)?;
        }
        let never_grows = self.rng.usize(0..5) > 0;
        for index in 0..self.rng.usize(2..=5) {
            // Few variables, so that they occur in several terms.
            let mut chosen_variables = variables.clone();
            self.rng.shuffle(&mut chosen_variables);
            chosen_variables.truncate(self.rng.usize(0..=7));
            let guard = if self.rng.usize(0..3) == 0 {
                self.guard(&chosen_variables, 2)
            } else {
                Guard::TRUE
            };
            let t = self.net.add_transition(&format!("t{index}"), guard)?;
            let inputs = self.rng.usize(0..=2).max(usize::from(never_grows));
            for _ in 0..inputs {
                let place = self.net.place_ids().nth(self.rng.usize(0..places)).expect("a place");
                let sort = self.net.place(place).sort;
                let depth = [0, 0, 0, 1, 2][self.rng.usize(0..5)];
                let inscription = self.multiset(sort, &chosen_variables, depth);
                self.net.take(t, place, inscription.clone())?;
                if never_grows && self.rng.usize(0..5) > 0 {
                    // The tokens taken move on to a place of the same sort, perhaps the same place.
                    let places_of_sort: Vec<_> = self
                        .net
                        .place_ids()
                        .filter(|&it| self.net.place(it).sort == sort)
                        .collect();
                    self.net.put(
                        t,
                        places_of_sort[self.rng.usize(0..places_of_sort.len())],
                        inscription,
                    )?;
                }
            }
            for _ in 0..if never_grows { 0 } else { self.rng.usize(0..=2) } {
                let place = self.net.place_ids().nth(self.rng.usize(0..places)).expect("a place");
                let inscription = self.multiset(self.net.place(place).sort, &chosen_variables, 2);
                self.net.put(t, place, inscription)?;
            }
        }
        Ok(self.net)
    }

    /// Adds a sort of each kind, and up to two products.
    fn sorts(&mut self) -> Made<Vec<SortId>> {
        let names = |prefix: &str, count: usize| -> Vec<Box<str>> {
            (0..count).map(|index| format!("{prefix}{index}").into()).collect()
        };
        let dot = self.net.add_sort("dot", SortKind::Dot)?;
        let constants = names("a", self.rng.usize(1..=3));
        let plain =
            self.net.add_sort("Plain", SortKind::Enumeration { constants, cyclic: false })?;
        let constants = names("c", self.rng.usize(1..=4));
        let ring_size = constants.len();
        let ring = self.net.add_sort("Ring", SortKind::Enumeration { constants, cyclic: true })?;
        let start = self.rng.i64(-2..=2);
        let end = start + self.rng.i64(0..=2);
        let range = self.net.add_sort("Range", SortKind::Range { start, end })?;
        let blocks = self.rng.usize(1..=2);
        let block_of = (0..ring_size).map(|_| self.rng.u32(0..blocks as u32)).collect();
        let elements = names("b", blocks);
        let kind = SortKind::Partition { of: ring, elements, block_of };
        let partition = self.net.add_sort("Block", kind)?;
        let mut sorts = vec![dot, plain, ring, range, partition];
        for index in 0..2 {
            let parts: Vec<SortId> =
                (0..2).map(|_| sorts[self.rng.usize(0..sorts.len())]).collect();
            let size: u64 = parts.iter().map(|&part| self.net.sort(part).size()).product();
            if size <= 12 {
                sorts.push(self.net.add_sort(&format!("Pair{index}"), SortKind::Product(parts))?);
            }
        }
        Ok(sorts)
    }

    fn constant(&mut self, sort: SortId) -> Term {
        Term::Constant { sort, colour: self.rng.u64(0..self.net.sort(sort).size()) }
    }

    /// Makes a random term of a sort, preferably with one of the chosen variables.
    fn term(&mut self, sort: SortId, chosen_variables: &[VariableId], may_be_all: bool) -> Term {
        let variables_of_sort: Vec<VariableId> = chosen_variables
            .iter()
            .copied()
            .filter(|&v| self.net.variable(v).sort == sort)
            .collect();
        let kind = self.net.sort(sort).kind().clone();
        match self.rng.usize(0..8) {
            0 if may_be_all => return Term::All(sort),
            1 => return self.constant(sort),
            2..5 if !variables_of_sort.is_empty() => {
                let variable =
                    Term::Variable(variables_of_sort[self.rng.usize(0..variables_of_sort.len())]);
                return match kind {
                    SortKind::Enumeration { cyclic: true, .. } if self.rng.bool() => {
                        let by = [-1, 1, 2][self.rng.usize(0..3)];
                        Term::shift(variable, by)
                    }
                    _ => variable,
                };
            }
            _ => {}
        }
        match kind {
            SortKind::Product(parts) => Term::Tuple(
                parts.iter().map(|&part| self.term(part, chosen_variables, may_be_all)).collect(),
            ),
            SortKind::Partition { of, .. } => {
                let of = Box::new(self.term(of, chosen_variables, false));
                Term::Block { partition: sort, of }
            }
            _ if !variables_of_sort.is_empty() => {
                Term::Variable(variables_of_sort[self.rng.usize(0..variables_of_sort.len())])
            }
            _ => self.constant(sort),
        }
    }

    /// Makes a random multiset of a sort. `depth` bounds the nesting of sums and differences.
    fn multiset(
        &mut self,
        sort: SortId,
        chosen_variables: &[VariableId],
        depth: usize,
    ) -> Multiset {
        match self.rng.usize(0..6) {
            0 if depth > 0 => {
                let first = match self.rng.bool() {
                    true => Multiset::single(Term::All(sort)),
                    false => self.multiset(sort, chosen_variables, depth - 1),
                };
                Multiset::minus(first, self.multiset(sort, chosen_variables, depth - 1))
            }
            1 | 2 if depth > 0 => {
                let parts = (0..2).map(|_| self.multiset(sort, chosen_variables, depth - 1));
                Multiset::sum(parts.collect::<Vec<_>>())
            }
            _ => {
                let may_be_all = self.rng.usize(0..8) == 0;
                let term = self.term(sort, chosen_variables, may_be_all);
                Multiset::Tokens { count: 1 + u64::from(self.rng.usize(0..5) == 0), term }
            }
        }
    }

    /// Makes a random guard. `depth` bounds the nesting of conjunctions and disjunctions.
    fn guard(&mut self, chosen_variables: &[VariableId], depth: usize) -> Guard {
        if depth > 0 && self.rng.usize(0..3) == 0 {
            let parts =
                [self.guard(chosen_variables, depth - 1), self.guard(chosen_variables, depth - 1)];
            return if self.rng.bool() { Guard::and(parts) } else { Guard::or(parts) };
        }
        let Some(&variable) = chosen_variables.first() else { return Guard::TRUE };
        let variable = chosen_variables
            .get(self.rng.usize(0..chosen_variables.len()))
            .copied()
            .unwrap_or(variable);
        let sort = self.net.variable(variable).sort;
        // The left side determines the sort.
        let left = match self.term(sort, chosen_variables, false) {
            Term::Tuple(_) | Term::Constant { .. } => Term::Variable(variable),
            term => term,
        };
        let right = self.term(sort, chosen_variables, false);
        let relations = [
            Relation::Equal,
            Relation::Unequal,
            Relation::Unequal,
            Relation::AtMost,
            Relation::Less,
            Relation::AtLeast,
            Relation::Greater,
        ];
        let relation_count = if self.net.sort(sort).is_ordered() { relations.len() } else { 3 };
        Guard::Compare(relations[self.rng.usize(0..relation_count)], left, right)
    }
}
