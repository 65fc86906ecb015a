//! Classes of colours that a quotient merges.

use parikh_net::coloured::{
    BoundColour, ColouredNet, Guard, Multiset, NamedClasses, SortId, SortKind, Term, VariableId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// The classes of the colours of each sort, by sort index. `None` if each colour is its own class,
/// and for sorts that are not base sorts, such as products.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColourClasses(Vec<Option<Arc<[u32]>>>);

/// The maximum number of colours of a sort with classes. In a larger sort, each colour is its own
/// class.
const MAX_COLOURS: u64 = 1_000_000;

/// The maximum number of colours that are examined to split classes, for the whole net. Each split
/// examines all colours of its sort.
const MAX_TRIED_COLOURS: u64 = 4_000_000;

impl ColourClasses {
    /// Returns the classes in which every colour is its own class.
    pub fn singletons(net: &ColouredNet) -> ColourClasses {
        ColourClasses(vec![None; net.sorts().len()])
    }

    /// Puts the colours of each base sort with the same `key` (a function of the sort and the
    /// colour) into one class. Sorts with too many colours get no classes.
    pub fn by_key(net: &ColouredNet, key: impl Fn(SortId, u64) -> u64) -> ColourClasses {
        let mut classes = ColourClasses::singletons(net);
        for (sort_index, id) in base_sorts(net) {
            let size = net.sort(id).size();
            if size > MAX_COLOURS {
                continue;
            }
            let mut numbers: HashMap<u64, u32> = HashMap::new();
            let number = |colour| {
                let next = numbers.len() as u32;
                *numbers.entry(key(id, colour)).or_insert(next)
            };
            let class_of: Arc<[u32]> = (0..size).map(number).collect();
            classes.0[sort_index] = (numbers.len() < class_of.len()).then_some(class_of);
        }
        classes
    }

    /// Returns the class number of each colour of a base sort. The classes are numbered by their
    /// first colours, in ascending order. Returns `None` if each colour is its own class, and for
    /// other sorts.
    pub fn of(&self, sort: SortId) -> Option<&Arc<[u32]>> {
        self.0[sort.index()].as_ref()
    }

    /// Returns true if every colour of every base sort is its own class.
    pub fn is_trivial(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Returns true if each base sort has only one class.
    pub fn is_skeleton(&self, net: &ColouredNet) -> bool {
        let is_one_class =
            |of: &Option<Arc<[u32]>>| of.as_ref().is_some_and(|of| of.iter().all(|&it| it == 0));
        base_sorts(net).all(|(sort_index, _)| is_one_class(&self.0[sort_index]))
    }

    /// Returns the classes by the names of the colours, for each sort with classes. Returns `None`
    /// if two sorts have the same colours and different classes.
    pub fn named(&self, net: &ColouredNet) -> Option<Vec<NamedClasses>> {
        let mut by_names: BTreeMap<Vec<String>, Option<NamedClasses>> = BTreeMap::new();
        // A larger sort has no classes, and cannot have the same colours as a sort with classes.
        let is_small = |&(_, sort): &(usize, SortId)| net.sort(sort).size() <= MAX_COLOURS;
        for (_, sort) in base_sorts(net).filter(is_small) {
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
            if *by_names.entry(names).or_insert_with(|| classes.clone()) != classes {
                return None;
            }
        }
        Some(by_names.into_values().flatten().collect())
    }

    /// Returns these classes for the sorts whose index satisfies `wanted`. Each colour of every
    /// other sort becomes its own class.
    pub fn restricted_to(&self, wanted: impl Fn(usize) -> bool) -> ColourClasses {
        let sorts = self.0.iter().enumerate();
        ColourClasses(
            sorts.map(|(sort_index, of)| of.clone().filter(|_| wanted(sort_index))).collect(),
        )
    }

    /// Returns classes whose colours no constant on an input arc and no comparison with one
    /// variable distinguishes. Neither does a partition that is applied on an arc, or in a
    /// comparison with several variables. The classes are as coarse as possible. If a limit on the
    /// number of colours is exceeded, each colour of the sort is its own class.
    pub fn by_constants(net: &ColouredNet) -> ColourClasses {
        let mut refinement =
            ClassRefinement { net, tried_colours: 0, sorts: vec![None; net.sorts().len()] };
        for (sort_index, id) in base_sorts(net) {
            let size = net.sort(id).size();
            refinement.sorts[sort_index] = (size <= MAX_COLOURS).then(|| vec![0; size as usize]);
        }
        for transition in net.transitions() {
            refinement.split_by_guard(&transition.guard);
            for arc in &transition.inputs {
                refinement.split_by_multiset(&arc.inscription, true);
            }
            for arc in &transition.outputs {
                refinement.split_by_multiset(&arc.inscription, false);
            }
        }
        let classes = refinement.sorts.into_iter().map(|class_of| {
            let class_of = class_of?;
            let count = class_of.iter().copied().collect::<BTreeSet<u32>>().len();
            (count < class_of.len()).then(|| class_of.into())
        });
        ColourClasses(classes.collect())
    }
}

/// Iterates over the base sorts (enumerations and ranges) with more than one colour, with their
/// positions.
pub fn base_sorts(net: &ColouredNet) -> impl Iterator<Item = (usize, SortId)> {
    let is_base = |id: SortId| {
        let sort = net.sort(id);
        let has_kind = matches!(sort.kind(), SortKind::Enumeration { .. } | SortKind::Range { .. });
        has_kind && sort.size() > 1
    };
    net.sort_ids().enumerate().filter(move |&(_, id)| is_base(id))
}

/// Returns the only variable of a comparison, or `None` if it has none or several.
pub(super) fn only_variable(left: &Term, right: &Term) -> Option<VariableId> {
    let mut variables = Vec::new();
    left.variables(&mut variables);
    right.variables(&mut variables);
    variables.sort_unstable();
    variables.dedup();
    let [variable] = variables[..] else { return None };
    Some(variable)
}

/// A partition of the colours of each sort, which is refined until no constant, partition or
/// comparison distinguishes colours of one class.
struct ClassRefinement<'n> {
    /// The coloured net.
    net: &'n ColouredNet,
    /// The number of colours tried so far.
    tried_colours: u64,
    /// The current class of each colour, by sort index. `None` if each colour of the sort is its
    /// own class, and for sorts that are not base sorts.
    sorts: Vec<Option<Vec<u32>>>,
}

impl ClassRefinement<'_> {
    /// Splits classes by the comparisons of a guard.
    fn split_by_guard(&mut self, guard: &Guard) {
        match guard {
            Guard::Compare(relation, left, right) => {
                let Some(variable) = only_variable(left, right) else {
                    self.split_by_partitions(left);
                    return self.split_by_partitions(right);
                };
                let net = self.net;
                self.split(net.variable(variable).sort, |colour| {
                    let binding = [BoundColour { variable, colour }];
                    let holds =
                        relation.holds(net.colour(left, &binding), net.colour(right, &binding));
                    u32::from(holds)
                });
            }
            Guard::And(parts) | Guard::Or(parts) => {
                parts.iter().for_each(|it| self.split_by_guard(it))
            }
        }
    }

    /// Splits classes by the partitions in the multiset of an arc. Splits them also by its
    /// constants if `taken`, that is, for an input arc.
    fn split_by_multiset(&mut self, multiset: &Multiset, taken: bool) {
        match multiset {
            Multiset::Tokens { term, .. } => {
                self.split_by_partitions(term);
                if taken {
                    self.split_by_constants(term);
                }
            }
            Multiset::Sum(parts) => {
                parts.iter().for_each(|part| self.split_by_multiset(part, taken))
            }
            Multiset::Difference(first, second) => {
                self.split_by_multiset(first, taken);
                self.split_by_multiset(second, taken);
            }
        }
    }

    /// Splits classes by a term that is a constant, or by the constants among the components of a
    /// tuple.
    fn split_by_constants(&mut self, term: &Term) {
        match term {
            Term::Constant { sort, colour } => self.split_by_constant(*sort, *colour),
            Term::Tuple(parts) => parts.iter().for_each(|part| self.split_by_constants(part)),
            _ => {}
        }
    }

    /// Splits classes by a constant: its colour becomes a class of its own. For a tuple, this is
    /// done for each component.
    fn split_by_constant(&mut self, sort: SortId, colour: u64) {
        match self.net.sort(sort).kind() {
            SortKind::Product(_) => {
                for (part, colour) in self.net.components(sort, colour) {
                    self.split_by_constant(part, colour);
                }
            }
            _ => self.split(sort, |other| u32::from(other == colour)),
        }
    }

    /// Splits classes by the partitions that a term applies.
    fn split_by_partitions(&mut self, term: &Term) {
        match term {
            Term::Block { partition, of } => {
                let net = self.net;
                if let SortKind::Partition { of, block_of, .. } = net.sort(*partition).kind() {
                    self.split(*of, |colour| block_of[colour as usize]);
                }
                self.split_by_partitions(of);
            }
            Term::Shift { of, .. } => self.split_by_partitions(of),
            Term::Tuple(parts) => parts.iter().for_each(|part| self.split_by_partitions(part)),
            Term::Constant { .. } | Term::Variable(_) | Term::All(_) => {}
        }
    }

    /// Splits the classes of a sort so that colours with different keys are in different classes.
    /// If too many colours have been tried, each colour of the sort becomes its own class.
    fn split(&mut self, sort: SortId, key: impl Fn(u64) -> u32) {
        let Some(class_of) = &mut self.sorts[sort.index()] else { return };
        self.tried_colours += class_of.len() as u64;
        if self.tried_colours > MAX_TRIED_COLOURS {
            self.sorts[sort.index()] = None;
            return;
        }
        let mut numbers: HashMap<(u32, u32), u32> = HashMap::new();
        for (colour, class) in (0..).zip(class_of) {
            let next = numbers.len() as u32;
            *class = *numbers.entry((*class, key(colour))).or_insert(next);
        }
    }
}
