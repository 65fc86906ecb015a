//! A coloured net in which some colours are merged.
//!
//! ```text
//! sort A = 1..3                                   sort A = {1}
//! sort B = 1..9                                   sort B = {1, 6}
//! place p: A * B = {(1,5) + (2,5)}        ⇒       place p: A * B = {2'(1,1)}
//! transition t [b < 6]: p{(a,b)} -> …             transition t [b = 1]: p{(a,b)} -> …
//! ```
//!
//! [`ColourClasses`] define the merged colours. Tokens keep the classes of their colours and are
//! counted together; `all` of a sort is, for each class, as many tokens as the class has colours. A
//! comparison with one variable becomes a disjunction of the classes in which it holds for some
//! colour. Other comparisons of merged sorts are dropped.
//!
//! # Soundness
//! As for the [skeleton](super::Skeleton), which is the case that every sort is one class. Each
//! firing under a binding is a firing of the quotient under the classes of the binding. So the
//! classes of the tokens of a reachable marking are a reachable marking of the quotient.
//!
//! A transition is *decided* if, whenever it is enabled in the quotient, some binding of these
//! classes is enabled in the coloured net. There are two conditions. Each comparison in its guard
//! holds for all colours of a class or for none. Tokens that it takes of merged sorts are single
//! tokens, and each merged component is a variable that occurs nowhere else in what the transition
//! takes, or the only colour of its class. So any token of the class suffices. (A tuple with `all`
//! takes many tokens with a common variable, so it does not qualify.)
//! If all transitions are decided, nothing distinguishes the merged colours: a marking and its
//! image in the quotient enable the same transitions, which lead to markings and their images. The
//! two nets are *bisimilar*.
//!
//! # Sources
//! Indistinguishable colours: Bilgram, Jensen, Pedersen, Srba, Taankvist, *Methods for efficient
//! unfolding of colored Petri nets*, Fundamenta Informaticae 189, 2023 (quotienting).

use super::classes::{ColourClasses, base_sorts, only_variable};
use parikh_net::coloured::{
    BoundColour, ColouredArc, ColouredNet, ColouredTransition, Guard, Multiset, NamedClasses,
    Relation, SortId, SortKind, Term, VariableId,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The quotient of a coloured net by classes of colours.
#[derive(Clone, Debug)]
pub struct Quotient {
    net: ColouredNet,
    classes: ColourClasses,
    /// One entry per transition: true if the transition satisfies the conditions of the module
    /// documentation, so that it is decided. Then each of its firings in the quotient stands for a
    /// firing in the coloured net.
    decided_transitions: Vec<bool>,
}

/// The maximum number of colours in the initial marking of a place, if it is enumerated.
const MAX_COLOURS: usize = 1_000_000;

/// The maximum number of colours that are tried to evaluate comparisons, for the whole net.
const MAX_TRIED_COLOURS: u64 = 4_000_000;

/// The maximum number of tuples of classes that replace one tuple of colours, or `all` of a product
/// sort. If there are more, no quotient is built. Also the maximum number of classes of a variable
/// in a comparison. A comparison whose variable has more classes is dropped.
const MAX_TERMS: usize = 4_096;

impl Quotient {
    /// Merges the colours of each class. Returns `None` if a number or a list of terms becomes too
    /// large. Also returns `None` if a term has no single quotient term where one is needed. Also
    /// returns `None` if an arc has a difference of multisets of merged colours, or a successor in
    /// a merged sort with several classes.
    pub fn of(net: &ColouredNet, classes: &ColourClasses) -> Option<Quotient> {
        let builder = QuotientBuilder::new(net, classes)?;
        let mut quotient = ColouredNet::new(net.name());
        net.assumptions().iter().for_each(|it| quotient.assume(it.clone()));
        for (sort, kind) in net.sorts().iter().zip(&builder.kinds) {
            quotient.add_sort(sort.name(), kind.clone()).ok()?;
        }
        for variable in net.variables() {
            quotient.add_variable(&variable.name, variable.sort).ok()?;
        }
        for place in net.places() {
            let initial = match builder.multiset(&place.initial) {
                Some(initial) => initial,
                None => builder.enumerate_initial(place.sort, &place.initial)?,
            };
            let added = quotient.add_place(&place.name, place.sort, initial).ok()?;
            place.label.iter().for_each(|label| quotient.label_place(added, label));
        }
        let mut decided = Vec::new();
        for transition in net.transitions() {
            let (guard, exact) = builder.guard(&transition.guard)?;
            let t = quotient.add_transition(&transition.name, guard).ok()?;
            transition.label.iter().for_each(|label| quotient.label_transition(t, label));
            for ColouredArc { place, inscription } in &transition.inputs {
                quotient.take(t, *place, builder.multiset(inscription)?).ok()?;
            }
            for ColouredArc { place, inscription } in &transition.outputs {
                quotient.put(t, *place, builder.multiset(inscription)?).ok()?;
            }
            decided.push(exact && builder.takes_any_tokens(transition));
        }
        Some(Quotient { net: quotient, classes: classes.clone(), decided_transitions: decided })
    }

    /// Returns classes of colours whose quotient is exact, that is, each firing in the quotient
    /// stands for a firing in the coloured net. The candidates are the classes of
    /// [`ColourClasses::by_constants`]. Sort by sort, the function keeps the candidate classes of a
    /// sort if the quotient is still exact.
    pub fn indistinguishable(net: &ColouredNet) -> ColourClasses {
        let candidates = ColourClasses::by_constants(net);
        let is_exact_for =
            |classes: &ColourClasses| Quotient::of(net, classes).is_some_and(|it| it.is_exact());
        let mut chosen = BTreeSet::new();
        for (sort, _) in base_sorts(net) {
            chosen.insert(sort);
            if !is_exact_for(&candidates.restricted_to(|sort_index| chosen.contains(&sort_index))) {
                chosen.remove(&sort);
            }
        }
        candidates.restricted_to(|sort_index| chosen.contains(&sort_index))
    }

    /// Returns the quotient net.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// Returns one entry per transition: true if it satisfies the conditions of the module
    /// documentation, so that it is decided. Then each of its firings in the quotient stands for a
    /// firing in the coloured net.
    pub fn decided_transitions(&self) -> &[bool] {
        &self.decided_transitions
    }

    /// Returns true if all transitions are decided, so that the quotient is bisimilar to the
    /// coloured net. Then both have the same firing sequences up to the classes of colours, and the
    /// same linear-time and branching-time properties. False means only that this is not shown.
    pub fn is_exact(&self) -> bool {
        self.decided_transitions.iter().all(|&decided| decided)
    }

    /// Returns the classes as a file of evidence lists them. Returns `None` if the names do not
    /// determine the classes ([`ColourClasses::named`]), or if a transition has lost variables, so
    /// that the names of its bindings changed. `net` is the original net.
    pub fn named_classes(&self, net: &ColouredNet) -> Option<Vec<NamedClasses>> {
        let pairs = net.transitions().iter().zip(self.net.transitions());
        for (original, merged) in pairs {
            if original.variables() != merged.variables() {
                return None;
            }
        }
        self.classes.named(net)
    }

    /// Returns the classes of a variable's colours. Returns `None` if each colour is its own class,
    /// and for a variable of a product sort.
    pub fn classes(&self, variable: VariableId) -> Option<&Arc<[u32]>> {
        self.classes.of(self.net.variable(variable).sort)
    }
}

/// The effect of the classes on a sort.
enum SortQuotient {
    /// No colour of the sort is merged.
    Unmerged,
    /// The class of each colour, and the size of each class.
    Classes(Arc<[u32]>, Vec<u64>),
    /// A product sort, of which some component sort has merged colours.
    Product,
}

/// A quotient under construction.
struct QuotientBuilder<'n> {
    net: &'n ColouredNet,
    /// The kind of each sort in the quotient.
    kinds: Vec<SortKind>,
    /// The effect of the classes on each sort, by sort index.
    sorts: Vec<SortQuotient>,
    /// The number of colours tried in comparisons so far.
    tried_colours: Cell<u64>,
}

impl<'n> QuotientBuilder<'n> {
    /// Computes the kind of each sort in the quotient. Returns `None` if a number of colours is too
    /// large.
    fn new(net: &'n ColouredNet, classes: &ColourClasses) -> Option<Self> {
        let mut builder = QuotientBuilder {
            net,
            kinds: Vec::new(),
            sorts: Vec::new(),
            tried_colours: Cell::new(0),
        };
        for (id, sort) in net.sort_ids().zip(net.sorts()) {
            let (kind, merged) = match (sort.kind().clone(), classes.of(id)) {
                (SortKind::Product(parts), _) => {
                    let is_whole = |part: &SortId| {
                        matches!(builder.sorts[part.index()], SortQuotient::Unmerged)
                    };
                    let merged = if parts.iter().all(is_whole) {
                        SortQuotient::Unmerged
                    } else {
                        SortQuotient::Product
                    };
                    (SortKind::Product(parts), merged)
                }
                (SortKind::Partition { of, elements, block_of }, classes) => {
                    builder.partition(of, elements, &block_of, classes.is_some())?
                }
                (kind, None) => (kind, SortQuotient::Unmerged),
                (kind, Some(classes)) => {
                    let mut constants: Vec<Box<str>> = Vec::new();
                    let mut sizes: Vec<u64> = Vec::new();
                    for (colour, &class) in classes.iter().enumerate() {
                        if class as usize == sizes.len() {
                            constants.push(net.colour_name(id, colour as u64).into());
                            sizes.push(0);
                        }
                        sizes[class as usize] += 1;
                    }
                    let cyclic = matches!(kind, SortKind::Enumeration { cyclic: true, .. });
                    let kind = SortKind::Enumeration { constants, cyclic };
                    (kind, SortQuotient::Classes(Arc::clone(classes), sizes))
                }
            };
            builder.kinds.push(kind);
            builder.sorts.push(merged);
        }
        Some(builder)
    }

    /// Returns the quotient of a partition sort. The elements stay distinct if each class of the
    /// sort `of` lies in one element, and if the partition sort itself has no classes
    /// (`has_classes` is false). Otherwise all elements are merged into one. Returns `None` if a
    /// number of colours is too large.
    fn partition(
        &self,
        of: SortId,
        mut elements: Vec<Box<str>>,
        block_of: &[u32],
        has_classes: bool,
    ) -> Option<(SortKind, SortQuotient)> {
        let size = usize::try_from(self.size(of)?).ok()?;
        // The element of the partition in which the first colour of each class of `of` lies.
        let mut blocks: Vec<Option<u32>> = vec![None; size];
        let mut is_kept = !has_classes;
        for (colour, &block) in (0..).zip(block_of) {
            let class = self.class_of(of, colour)? as usize;
            is_kept &= *blocks[class].get_or_insert(block) == block;
        }
        if is_kept {
            let block_of = blocks.into_iter().collect::<Option<Vec<u32>>>()?;
            return Some((SortKind::Partition { of, elements, block_of }, SortQuotient::Unmerged));
        }
        let count = elements.len();
        elements.truncate(1);
        let kind = SortKind::Partition { of, elements, block_of: vec![0; size] };
        Some((kind, SortQuotient::Classes(vec![0; count].into(), vec![count as u64])))
    }

    /// Returns the number of colours of a sort in the quotient, or `None` on overflow.
    fn size(&self, sort: SortId) -> Option<u64> {
        match (&self.sorts[sort.index()], self.net.sort(sort).kind()) {
            (SortQuotient::Classes(_, sizes), _) => Some(sizes.len() as u64),
            (SortQuotient::Product, SortKind::Product(parts)) => {
                parts.iter().try_fold(1u64, |size, &part| size.checked_mul(self.size(part)?))
            }
            _ => Some(self.net.sort(sort).size()),
        }
    }

    /// Returns the colour in the quotient that replaces a colour of the sort, or `None` on
    /// overflow. It is the number of its class, or the colour itself if the sort is not merged. The
    /// components of a product are replaced one by one.
    fn class_of(&self, sort: SortId, colour: u64) -> Option<u64> {
        match &self.sorts[sort.index()] {
            SortQuotient::Unmerged => Some(colour),
            SortQuotient::Classes(classes, _) => Some(classes[colour as usize].into()),
            SortQuotient::Product => {
                let components = self.net.components(sort, colour);
                components.into_iter().try_fold(0u64, |colour, (part, component)| {
                    let shifted = colour.checked_mul(self.size(part)?)?;
                    shifted.checked_add(self.class_of(part, component)?)
                })
            }
        }
    }

    /// Returns true if no colours of the term's sort, or of the sorts of its components, are
    /// merged. For the element of a partition, the sort is the partition, and the sort that it
    /// divides may have merged colours.
    fn is_unmerged(&self, term: &Term) -> bool {
        let is_whole_sort =
            |sort: SortId| matches!(self.sorts[sort.index()], SortQuotient::Unmerged);
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => is_whole_sort(*sort),
            Term::Variable(variable) => is_whole_sort(self.net.variable(*variable).sort),
            Term::Shift { of, .. } => self.is_unmerged(of),
            Term::Block { partition, .. } => is_whole_sort(*partition),
            Term::Tuple(parts) => parts.iter().all(|part| self.is_unmerged(part)),
        }
    }

    /// Returns the terms that replace a term, each with its multiplicity. Returns `None` if there
    /// are too many, if a number overflows, or for a successor in a merged sort with several
    /// classes. Also returns `None` if no single term replaces the operand of a successor or of a
    /// partition.
    fn terms(&self, term: &Term) -> Option<Vec<(Term, u64)>> {
        let single = |term: Term| Some(vec![(term, 1)]);
        match term {
            Term::Constant { sort, colour } => {
                single(Term::Constant { sort: *sort, colour: self.class_of(*sort, *colour)? })
            }
            Term::Variable(_) => single(term.clone()),
            Term::Shift { of, by } => {
                let of = self.term(of)?;
                let is_defined = self.is_unmerged(&of) || self.classes_of(&of) == Some(1);
                is_defined.then(|| Term::shift(of, *by)).and_then(single)
            }
            Term::Block { partition, of } => match self.is_unmerged(term) {
                true => single(Term::Block { partition: *partition, of: Box::new(self.term(of)?) }),
                false => single(Term::Constant { sort: *partition, colour: 0 }),
            },
            Term::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.terms(part));
                tuples(parts.collect::<Option<Vec<_>>>()?)
            }
            Term::All(sort) => match (&self.sorts[sort.index()], self.net.sort(*sort).kind()) {
                (SortQuotient::Classes(_, sizes), _) => {
                    let constant =
                        |colour: usize| Term::Constant { sort: *sort, colour: colour as u64 };
                    let terms = sizes.iter().enumerate();
                    Some(terms.map(|(class, &size)| (constant(class), size)).collect())
                }
                (SortQuotient::Product, SortKind::Product(parts)) => {
                    let parts = parts.iter().map(|&part| self.terms(&Term::All(part)));
                    tuples(parts.collect::<Option<Vec<_>>>()?)
                }
                _ => single(term.clone()),
            },
        }
    }

    /// Returns the number of colours that the sort of a term has in the quotient. Returns `None`
    /// for a tuple, or if the number overflows.
    fn classes_of(&self, term: &Term) -> Option<u64> {
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => self.size(*sort),
            Term::Variable(variable) => self.size(self.net.variable(*variable).sort),
            Term::Shift { of, .. } => self.classes_of(of),
            Term::Block { partition, .. } => self.size(*partition),
            Term::Tuple(_) => None,
        }
    }

    /// Returns the single term that replaces a term. Returns `None` if several terms or copies
    /// replace it, or if it cannot be replaced.
    fn term(&self, term: &Term) -> Option<Term> {
        let mut terms = self.terms(term)?;
        (terms.len() == 1 && terms[0].1 == 1).then(|| terms.swap_remove(0).0)
    }

    /// Returns the multiset in the quotient. Returns `None` if a difference has merged colours, if
    /// a term cannot be replaced, or if a number overflows.
    fn multiset(&self, multiset: &Multiset) -> Option<Multiset> {
        Some(match multiset {
            Multiset::Tokens { count, term } => {
                let terms = self.terms(term)?.into_iter();
                let terms = terms.map(|(term, times)| {
                    Some(Multiset::Tokens { count: count.checked_mul(times)?, term })
                });
                Multiset::sum(terms.collect::<Option<Vec<_>>>()?)
            }
            Multiset::Sum(parts) => Multiset::Sum(
                parts.iter().map(|part| self.multiset(part)).collect::<Option<Vec<_>>>()?,
            ),
            Multiset::Difference(first, second) => {
                if !self.is_unmerged_multiset(first) || !self.is_unmerged_multiset(second) {
                    return None;
                }
                Multiset::minus(self.multiset(first)?, self.multiset(second)?)
            }
        })
    }

    /// Returns true if no sort of the multiset's terms is merged.
    fn is_unmerged_multiset(&self, multiset: &Multiset) -> bool {
        match multiset {
            Multiset::Tokens { term, .. } => self.is_unmerged(term),
            Multiset::Sum(parts) => parts.iter().all(|part| self.is_unmerged_multiset(part)),
            Multiset::Difference(first, second) => {
                self.is_unmerged_multiset(first) && self.is_unmerged_multiset(second)
            }
        }
    }

    /// Returns the quotient of an initial marking, enumerated colour by colour. Returns `None` if
    /// it has too many colours, or if a number overflows.
    fn enumerate_initial(&self, sort: SortId, initial: &Multiset) -> Option<Multiset> {
        let bag = self.net.bag(initial, &[] as &[BoundColour], MAX_COLOURS).ok()?;
        let tokens = bag.into_iter().map(|(colour, count)| {
            let term = Term::Constant { sort, colour: self.class_of(sort, colour)? };
            Some(Multiset::Tokens { count, term })
        });
        Some(Multiset::sum(tokens.collect::<Option<Vec<_>>>()?))
    }

    /// Returns a condition on the classes of the variables' colours, and true if the condition is
    /// exact. The condition holds whenever the guard holds for some colours in these classes. An
    /// exact condition holds only if the guard holds for all colours in these classes. Returns
    /// `None` if a number of colours overflows, or if no single term of the quotient replaces a
    /// term.
    fn guard(&self, guard: &Guard) -> Option<(Guard, bool)> {
        match guard {
            Guard::Compare(relation, left, right) => self.comparison(*relation, left, right),
            Guard::And(parts) => {
                let (parts, exact) = self.guards(parts)?;
                Some((Guard::and(parts), exact))
            }
            Guard::Or(parts) => {
                let (parts, exact) = self.guards(parts)?;
                let holds = parts.contains(&Guard::TRUE);
                Some((if holds { Guard::TRUE } else { Guard::or(parts) }, exact))
            }
        }
    }

    /// Returns the conditions of several guards on the classes, and true if every condition is
    /// exact, as defined at `guard`. Returns `None` if `guard` returns `None` for some guard.
    fn guards(&self, parts: &[Guard]) -> Option<(Vec<Guard>, bool)> {
        let parts = parts.iter().map(|part| self.guard(part)).collect::<Option<Vec<_>>>()?;
        let exact = parts.iter().all(|(_, exact)| *exact);
        Some((parts.into_iter().map(|(part, _)| part).collect(), exact))
    }

    /// Returns the condition of a comparison on the classes, and true if it is exact, as defined at
    /// `guard`. Returns `None` if a number of colours overflows, or if no single term of the
    /// quotient replaces a term.
    fn comparison(&self, relation: Relation, left: &Term, right: &Term) -> Option<(Guard, bool)> {
        if self.is_unmerged(left) && self.is_unmerged(right) {
            return Some((Guard::Compare(relation, self.term(left)?, self.term(right)?), true));
        }
        let Some(variable) = only_variable(left, right) else {
            let mut variables = Vec::new();
            left.variables(&mut variables);
            right.variables(&mut variables);
            if variables.is_empty() {
                let holds = relation.holds(self.net.colour(left, &[]), self.net.colour(right, &[]));
                return Some((if holds { Guard::TRUE } else { Guard::FALSE }, true));
            }
            return Some((Guard::TRUE, false));
        };
        let sort = self.net.variable(variable).sort;
        let (size, classes) = (self.net.variable_size(variable), self.size(sort)?);
        self.tried_colours.set(self.tried_colours.get().saturating_add(size));
        if self.tried_colours.get() > MAX_TRIED_COLOURS || classes > MAX_TERMS as u64 {
            return Some((Guard::TRUE, false));
        }
        // For each class: true if the comparison holds for some colour of the class, and true if it
        // fails for some colour of the class.
        let mut outcomes = vec![(false, false); classes as usize];
        for colour in 0..size {
            let binding = [BoundColour { variable, colour }];
            let (left, right) = (self.net.colour(left, &binding), self.net.colour(right, &binding));
            let (holds, fails) = &mut outcomes[self.class_of(sort, colour)? as usize];
            if relation.holds(left, right) { *holds = true } else { *fails = true }
        }
        let exact = !outcomes.contains(&(true, true));
        if outcomes.iter().all(|&(holds, _)| holds) {
            return Some((Guard::TRUE, exact));
        }
        let equals = |class: usize| {
            let class = Term::Constant { sort, colour: class as u64 };
            Guard::Compare(Relation::Equal, Term::Variable(variable), class)
        };
        let holding = (0..outcomes.len()).filter(|&class| outcomes[class].0);
        Some((Guard::or(holding.map(equals)), exact))
    }

    /// Returns true if the choice of colours inside a class never blocks the transition. That is,
    /// if the quotient enables it, any input tokens of the required classes match some binding in
    /// the coloured net. Guards are not considered. False may also mean that the criterion is too
    /// weak.
    fn takes_any_tokens(&self, transition: &ColouredTransition) -> bool {
        let mut seen = BTreeSet::new();
        transition.inputs.iter().all(|arc| self.accepts_any_tokens(&arc.inscription, &mut seen))
    }

    /// Returns true if any tokens of the required classes match the multiset of an input arc under
    /// some binding. `seen` has the variables of earlier terms, whose colours are already fixed.
    /// The function adds merged variables of this multiset to `seen`.
    fn accepts_any_tokens(&self, multiset: &Multiset, seen: &mut BTreeSet<VariableId>) -> bool {
        match multiset {
            Multiset::Tokens { count: 0, .. } => true,
            Multiset::Tokens { count, term } => {
                let is_one = *count == 1 && !term.has_all();
                self.is_unmerged(term) || (is_one && self.is_free(term, seen))
            }
            Multiset::Sum(parts) => parts.iter().all(|part| self.accepts_any_tokens(part, seen)),
            // Both operands have no merged colours, because `multiset` refuses all other
            // differences.
            Multiset::Difference(..) => true,
        }
    }

    /// Returns true if each merged component of a term is a variable, possibly shifted, or a
    /// constant that is the only colour of its class. The variables must not occur in an earlier
    /// term (`seen`), nor twice in this term.
    fn is_free(&self, term: &Term, seen: &mut BTreeSet<VariableId>) -> bool {
        match term {
            term if self.is_unmerged(term) => true,
            Term::Variable(variable) => seen.insert(*variable),
            Term::Shift { of, .. } => self.is_free(of, seen),
            Term::Tuple(parts) => parts.iter().all(|part| self.is_free(part, seen)),
            Term::Constant { sort, colour } => self.is_only_of_class(*sort, *colour),
            Term::Block { .. } | Term::All(_) => false,
        }
    }

    /// Returns true if a colour is the only one of its class.
    fn is_only_of_class(&self, sort: SortId, colour: u64) -> bool {
        match &self.sorts[sort.index()] {
            SortQuotient::Unmerged => true,
            SortQuotient::Classes(classes, sizes) => sizes[classes[colour as usize] as usize] == 1,
            SortQuotient::Product => {
                let components = self.net.components(sort, colour);
                components.into_iter().all(|(part, colour)| self.is_only_of_class(part, colour))
            }
        }
    }
}

/// Returns every tuple with one term of each component, with multiplicities. Returns `None` if
/// there are too many tuples, or on overflow.
fn tuples(parts: Vec<Vec<(Term, u64)>>) -> Option<Vec<(Term, u64)>> {
    let mut tuples_so_far: Vec<(Vec<Term>, u64)> = vec![(Vec::new(), 1)];
    for part in parts {
        if tuples_so_far.len().checked_mul(part.len())? > MAX_TERMS {
            return None;
        }
        let mut longer = Vec::with_capacity(tuples_so_far.len() * part.len());
        for (tuple, times) in &tuples_so_far {
            for (term, factor) in &part {
                let mut tuple = tuple.clone();
                tuple.push(term.clone());
                longer.push((tuple, times.checked_mul(*factor)?));
            }
        }
        tuples_so_far = longer;
    }
    Some(tuples_so_far.into_iter().map(|(tuple, times)| (Term::Tuple(tuple), times)).collect())
}
