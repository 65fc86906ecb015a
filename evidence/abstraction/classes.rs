//! Which colours of each sort become one.

use parikh_net::coloured::{
    ColouredNet, Guard, Multiset, NamedClasses, SortId, SortKind, Term, Value, VariableId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// For each sort its colours in classes, each of which becomes one colour; or all as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes(Vec<Option<Arc<[u32]>>>);

/// The most colours of a sort that is cut into classes.
const COLOURS: u64 = 1_000_000;

/// The most colours that are tried in comparisons, to see which of them these tell apart.
const TRIED: u64 = 4_000_000;

impl Classes {
    /// Every colour for itself.
    pub fn none(net: &ColouredNet) -> Classes {
        Classes(vec![None; net.sorts().len()])
    }

    /// The colours of a sort that others are made of with the same `key` (of the sort and the
    /// colour) in one class, as far as sorts are not too large.
    pub fn by(net: &ColouredNet, key: impl Fn(SortId, u64) -> u64) -> Classes {
        let mut classes = Classes::none(net);
        for (at, id) in base_sorts(net) {
            let size = net.sort(id).size();
            if size > COLOURS {
                continue;
            }
            let mut numbers: HashMap<u64, u32> = HashMap::new();
            let number = |colour| {
                let next = numbers.len() as u32;
                *numbers.entry(key(id, colour)).or_insert(next)
            };
            let of: Arc<[u32]> = (0..size).map(number).collect();
            classes.0[at] = (numbers.len() < of.len()).then_some(of);
        }
        classes
    }

    /// The classes of a sort's colours, numbered in the order of their first colours; `None` when
    /// each colour is for itself.
    pub fn of(&self, sort: SortId) -> Option<&Arc<[u32]>> {
        self.0[sort.index()].as_ref()
    }

    /// Whether every colour of every sort is for itself.
    pub fn is_trivial(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Whether there is one class of each sort that others are made of.
    pub fn is_skeleton(&self, net: &ColouredNet) -> bool {
        let one =
            |of: &Option<Arc<[u32]>>| of.as_ref().is_some_and(|of| of.iter().all(|&it| it == 0));
        base_sorts(net).all(|(at, _)| one(&self.0[at]))
    }

    /// The classes of a sort's colours by their names, for each sort that has classes of several;
    /// `None` where two sorts have the same colours and different classes.
    pub fn named(&self, net: &ColouredNet) -> Option<Vec<NamedClasses>> {
        let mut all: BTreeMap<Vec<String>, Option<NamedClasses>> = BTreeMap::new();
        // A sort of more has no classes, and not the colours of one that has.
        let few = |&(_, sort): &(usize, SortId)| net.sort(sort).size() <= COLOURS;
        for (_, sort) in base_sorts(net).filter(few) {
            let names = (0..net.sort(sort).size()).map(|colour| net.colour_name(sort, colour));
            let names: Vec<String> = names.collect();
            let classes = self.of(sort).map(|classes| {
                let mut named: NamedClasses = Vec::new();
                for (name, &class) in names.iter().zip(classes.iter()) {
                    if class as usize == named.len() {
                        named.push(Vec::new());
                    }
                    named[class as usize].push(name.clone());
                }
                named
            });
            if *all.entry(names).or_insert_with(|| classes.clone()) != classes {
                return None;
            }
        }
        Some(all.into_values().flatten().collect())
    }

    /// These classes of the sorts that `wanted` says, and every colour for itself of the others.
    pub fn only(&self, wanted: impl Fn(usize) -> bool) -> Classes {
        let sorts = self.0.iter().enumerate();
        Classes(sorts.map(|(at, of)| of.clone().filter(|_| wanted(at))).collect())
    }

    /// The coarsest classes in which no constant taken, no block moved and no comparison with one
    /// variable tells two colours of one class apart.
    pub fn by_constants(net: &ColouredNet) -> Classes {
        let mut tells = Tells { net, tried: 0, sorts: vec![None; net.sorts().len()] };
        for (at, id) in base_sorts(net) {
            let size = net.sort(id).size();
            tells.sorts[at] = (size <= COLOURS).then(|| vec![0; size as usize]);
        }
        for transition in net.transitions() {
            tells.guard(&transition.guard);
            for arc in &transition.takes {
                tells.multiset(&arc.inscription, true);
            }
            for arc in &transition.puts {
                tells.multiset(&arc.inscription, false);
            }
        }
        let classes = tells.sorts.into_iter().map(|of| {
            let of = of?;
            let count = of.iter().copied().collect::<BTreeSet<u32>>().len();
            (count < of.len()).then(|| of.into())
        });
        Classes(classes.collect())
    }
}

/// The sorts that others are made of, of more than one colour, with their positions.
pub fn base_sorts(net: &ColouredNet) -> impl Iterator<Item = (usize, SortId)> {
    let base = |id: SortId| {
        let sort = net.sort(id);
        let kind = matches!(sort.kind(), SortKind::Enumeration { .. } | SortKind::Range { .. });
        kind && sort.size() > 1
    };
    net.sort_ids().enumerate().filter(move |&(_, id)| base(id))
}

/// The only variable of a comparison; `None` when there is none, or several.
pub(super) fn only_variable(left: &Term, right: &Term) -> Option<VariableId> {
    let mut variables = Vec::new();
    left.variables(&mut variables);
    right.variables(&mut variables);
    variables.sort_unstable();
    variables.dedup();
    let [variable] = variables[..] else { return None };
    Some(variable)
}

struct Tells<'n> {
    net: &'n ColouredNet,
    tried: u64,
    /// By sort the classes so far; `None` where there are to be none.
    sorts: Vec<Option<Vec<u32>>>,
}

impl Tells<'_> {
    fn guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Compare(relation, left, right) => {
                let Some(variable) = only_variable(left, right) else {
                    self.blocks(left);
                    return self.blocks(right);
                };
                let net = self.net;
                self.split(net.variable(variable).sort, |colour| {
                    let binding = [Value { variable, colour }];
                    let holds =
                        relation.holds(net.colour(left, &binding), net.colour(right, &binding));
                    u32::from(holds)
                });
            }
            Guard::And(parts) | Guard::Or(parts) => parts.iter().for_each(|it| self.guard(it)),
        }
    }

    fn multiset(&mut self, multiset: &Multiset, taken: bool) {
        match multiset {
            Multiset::Of { term, .. } => {
                self.blocks(term);
                if taken {
                    self.constants(term);
                }
            }
            Multiset::Sum(parts) => parts.iter().for_each(|part| self.multiset(part, taken)),
            Multiset::Difference(first, second) => {
                self.multiset(first, taken);
                self.multiset(second, taken);
            }
        }
    }

    fn constants(&mut self, term: &Term) {
        match term {
            Term::Constant { sort, colour } => self.constant(*sort, *colour),
            Term::Tuple(parts) => parts.iter().for_each(|part| self.constants(part)),
            _ => {}
        }
    }

    fn constant(&mut self, sort: SortId, colour: u64) {
        match self.net.sort(sort).kind() {
            SortKind::Product(_) => {
                for (part, colour) in self.net.components(sort, colour) {
                    self.constant(part, colour);
                }
            }
            _ => self.split(sort, |other| u32::from(other == colour)),
        }
    }

    fn blocks(&mut self, term: &Term) {
        match term {
            Term::Block { partition, of } => {
                let net = self.net;
                if let SortKind::Partition { of, block_of, .. } = net.sort(*partition).kind() {
                    self.split(*of, |colour| block_of[colour as usize]);
                }
                self.blocks(of);
            }
            Term::Shift { of, .. } => self.blocks(of),
            Term::Tuple(parts) => parts.iter().for_each(|part| self.blocks(part)),
            Term::Constant { .. } | Term::Variable(_) | Term::All(_) => {}
        }
    }

    /// Colours with different keys are in different classes from now on.
    fn split(&mut self, sort: SortId, key: impl Fn(u64) -> u32) {
        let Some(of) = &mut self.sorts[sort.index()] else { return };
        self.tried += of.len() as u64;
        if self.tried > TRIED {
            self.sorts[sort.index()] = None;
            return;
        }
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for (colour, class) in (0..).zip(of) {
            let next = numbers.len() as u32;
            *class = *numbers.entry((*class, key(colour))).or_insert(next);
        }
    }
}
