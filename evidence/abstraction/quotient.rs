//! A coloured net with some colours made one.
//!
//! ```text
//! sort A = 1..3                                   sort A = {1}
//! sort B = 1..9                                   sort B = {1, 6}
//! place p: A * B = {(1,5) + (2,5)}        ⇒       place p: A * B = {2'(1,1)}
//! transition t [b < 6]: p{(a,b)} -> …             transition t [b = 1]: p{(a,b)} -> …
//! ```
//!
//! [`Classes`] say which. Tokens keep the classes of their colours and are counted together; `all`
//! of a sort is as many tokens of each class as it has colours. A comparison with one variable
//! becomes a choice of the variable's classes in which it holds for some colour; other comparisons
//! of what is not whole are gone.
//!
//! # Soundness
//! As of the [skeleton](super::Skeleton), which is the case that every sort is one class: each
//! firing under a binding is one here under the classes of the binding, so the classes of the
//! tokens of a reachable marking are a reachable marking here.
//!
//! A transition is *decided* if, whenever it can fire here, some binding of these classes can fire
//! in the coloured net: its guard holds for all colours of a class or for none; and what it takes
//! of classes with several colours are single tokens, each with a variable that occurs nowhere else
//! in what it takes, so that any tokens of the class will do. (Of a tuple with `all` many tokens
//! are taken that have the variable in common: any will not do.) If all transitions are decided,
//! the colours made one were never told apart: from a marking and its image here the same
//! transitions can fire, to markings and their images. The two nets are *bisimilar*.
//!
//! # Sources
//! Colours that nothing distinguishes: Bilgram, Jensen, Pedersen, Srba, Taankvist, *Methods for
//! efficient unfolding of colored Petri nets*, Fundamenta Informaticae 189, 2023 (quotienting).

use super::classes::{Classes, base_sorts, only_variable};
use parikh_net::coloured::{
    ColouredArc, ColouredNet, ColouredTransition, Guard, Multiset, NamedClasses, Relation, SortId,
    SortKind, Term, Value, VariableId,
};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A coloured net with some colours made one.
#[derive(Clone, Debug)]
pub struct Quotient {
    net: ColouredNet,
    classes: Classes,
    /// By transition, whether the classes of a binding decide that it is enabled.
    decided: Vec<bool>,
}

/// The most colours of an initial marking that is written out.
const COLOURS: usize = 1_000_000;

/// The most colours that are tried in comparisons.
const TRIED: u64 = 4_000_000;

/// The most terms that one becomes.
const TERMS: usize = 4_096;

impl Quotient {
    /// `net` with the colours of each class made one. `None` when an arc takes one multiset of
    /// these away from another, when one has a successor and there are several classes, or when
    /// numbers become too large.
    pub fn of(net: &ColouredNet, classes: &Classes) -> Option<Quotient> {
        let merger = Merger::new(net, classes)?;
        let mut made = ColouredNet::new(net.name());
        net.assumptions().iter().for_each(|it| made.assume(it.clone()));
        for (sort, kind) in net.sorts().iter().zip(&merger.kinds) {
            made.add_sort(sort.name(), kind.clone()).ok()?;
        }
        for variable in net.variables() {
            made.add_variable(&variable.name, variable.sort).ok()?;
        }
        for place in net.places() {
            let initial = match merger.multiset(&place.initial) {
                Some(initial) => initial,
                None => merger.written_out(place.sort, &place.initial)?,
            };
            let added = made.add_place(&place.name, place.sort, initial).ok()?;
            place.label.iter().for_each(|label| made.label_place(added, label));
        }
        let mut decided = Vec::new();
        for transition in net.transitions() {
            let (guard, exact) = merger.guard(&transition.guard)?;
            let t = made.add_transition(&transition.name, guard).ok()?;
            transition.label.iter().for_each(|label| made.label_transition(t, label));
            for ColouredArc { place, inscription } in &transition.takes {
                made.take(t, *place, merger.multiset(inscription)?).ok()?;
            }
            for ColouredArc { place, inscription } in &transition.puts {
                made.put(t, *place, merger.multiset(inscription)?).ok()?;
            }
            decided.push(exact && merger.any_tokens_do_for(transition));
        }
        Some(Quotient { net: made, classes: classes.clone(), decided })
    }

    /// The classes of colours that nothing tells apart: every transition of their quotient is
    /// decided.
    pub fn indistinguishable(net: &ColouredNet) -> Classes {
        let candidates = Classes::by_constants(net);
        let exact = |classes: &Classes| Quotient::of(net, classes).is_some_and(|it| it.is_exact());
        let mut chosen = BTreeSet::new();
        for (sort, _) in base_sorts(net) {
            chosen.insert(sort);
            if !exact(&candidates.only(|at| chosen.contains(&at))) {
                chosen.remove(&sort);
            }
        }
        candidates.only(|at| chosen.contains(&at))
    }

    /// The net.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// By transition, whether the classes of a binding decide that it is enabled.
    pub fn decided(&self) -> &[bool] {
        &self.decided
    }

    /// Whether it is bisimilar to the coloured net, with a marking's classes as its image: every
    /// firing sequence is one of the coloured net, with colours of these classes, and it has the
    /// same properties of runs and of their tree.
    pub fn is_exact(&self) -> bool {
        self.decided.iter().all(|&decided| decided)
    }

    /// The classes as a file of evidence lists them. `None` where that would not say it all: see
    /// [`Classes::named`]; or variables that tell nothing apart any more are gone from a
    /// transition, and so from the names of its bindings. `net` is what this was made of.
    pub fn named_classes(&self, net: &ColouredNet) -> Option<Vec<NamedClasses>> {
        let pairs = net.transitions().iter().zip(self.net.transitions());
        for (before, after) in pairs {
            if before.variables() != after.variables() {
                return None;
            }
        }
        self.classes.named(net)
    }

    /// The classes of a variable's colours; `None` when each is for itself.
    pub fn classes(&self, variable: VariableId) -> Option<&Arc<[u32]>> {
        self.classes.of(self.net.variable(variable).sort)
    }
}

/// What becomes of a sort.
enum Merged {
    /// Its colours are left.
    Whole,
    /// Its colours by class, and how many each class has.
    Classes(Arc<[u32]>, Vec<u64>),
    /// A product of such sorts.
    Product,
}

struct Merger<'n> {
    net: &'n ColouredNet,
    kinds: Vec<SortKind>,
    sorts: Vec<Merged>,
    /// Colours tried in comparisons so far.
    tried: Cell<u64>,
}

impl<'n> Merger<'n> {
    fn new(net: &'n ColouredNet, classes: &Classes) -> Option<Self> {
        let mut merger = Merger { net, kinds: Vec::new(), sorts: Vec::new(), tried: Cell::new(0) };
        for (id, sort) in net.sort_ids().zip(net.sorts()) {
            let (kind, merged) = match (sort.kind().clone(), classes.of(id)) {
                (SortKind::Product(parts), _) => {
                    let whole = |part: &SortId| matches!(merger.sorts[part.index()], Merged::Whole);
                    let merged =
                        if parts.iter().all(whole) { Merged::Whole } else { Merged::Product };
                    (SortKind::Product(parts), merged)
                }
                (SortKind::Partition { of, elements, block_of }, classes) => {
                    merger.partition(of, elements, &block_of, classes.is_some())?
                }
                (kind, None) => (kind, Merged::Whole),
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
                    (kind, Merged::Classes(Arc::clone(classes), sizes))
                }
            };
            merger.kinds.push(kind);
            merger.sorts.push(merged);
        }
        Some(merger)
    }

    /// A partition stays one where its blocks are made of whole classes; else its blocks are one.
    fn partition(
        &self,
        of: SortId,
        mut elements: Vec<Box<str>>,
        block_of: &[u32],
        erase: bool,
    ) -> Option<(SortKind, Merged)> {
        let size = usize::try_from(self.size(of)?).ok()?;
        let mut blocks: Vec<Option<u32>> = vec![None; size];
        let mut whole = !erase;
        for (colour, &block) in (0..).zip(block_of) {
            let class = self.colour(of, colour)? as usize;
            whole &= *blocks[class].get_or_insert(block) == block;
        }
        if whole {
            let block_of = blocks.into_iter().collect::<Option<Vec<u32>>>()?;
            return Some((SortKind::Partition { of, elements, block_of }, Merged::Whole));
        }
        let count = elements.len();
        elements.truncate(1);
        let kind = SortKind::Partition { of, elements, block_of: vec![0; size] };
        Some((kind, Merged::Classes(vec![0; count].into(), vec![count as u64])))
    }

    /// How many colours are left of a sort.
    fn size(&self, sort: SortId) -> Option<u64> {
        match (&self.sorts[sort.index()], self.net.sort(sort).kind()) {
            (Merged::Classes(_, sizes), _) => Some(sizes.len() as u64),
            (Merged::Product, SortKind::Product(parts)) => {
                parts.iter().try_fold(1u64, |size, &part| size.checked_mul(self.size(part)?))
            }
            _ => Some(self.net.sort(sort).size()),
        }
    }

    /// What becomes of a colour.
    fn colour(&self, sort: SortId, colour: u64) -> Option<u64> {
        match &self.sorts[sort.index()] {
            Merged::Whole => Some(colour),
            Merged::Classes(classes, _) => Some(classes[colour as usize].into()),
            Merged::Product => {
                let components = self.net.components(sort, colour);
                components.into_iter().try_fold(0u64, |colour, (part, component)| {
                    let before = colour.checked_mul(self.size(part)?)?;
                    before.checked_add(self.colour(part, component)?)
                })
            }
        }
    }

    fn is_whole(&self, term: &Term) -> bool {
        let whole = |sort: SortId| matches!(self.sorts[sort.index()], Merged::Whole);
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => whole(*sort),
            Term::Variable(variable) => whole(self.net.variable(*variable).sort),
            Term::Shift { of, .. } => self.is_whole(of),
            Term::Block { partition, .. } => whole(*partition),
            Term::Tuple(parts) => parts.iter().all(|part| self.is_whole(part)),
        }
    }

    /// What becomes of a term, with how many of its colours are each of these.
    fn terms(&self, term: &Term) -> Option<Vec<(Term, u64)>> {
        let one = |term: Term| Some(vec![(term, 1)]);
        match term {
            Term::Constant { sort, colour } => {
                one(Term::Constant { sort: *sort, colour: self.colour(*sort, *colour)? })
            }
            Term::Variable(_) => one(term.clone()),
            Term::Shift { of, by } => {
                let of = self.term(of)?;
                let successors = self.is_whole(&of) || self.classes_of(&of) == Some(1);
                successors.then(|| Term::shift(of, *by)).and_then(one)
            }
            Term::Block { partition, of } => match self.is_whole(term) {
                true => one(Term::Block { partition: *partition, of: Box::new(self.term(of)?) }),
                false => one(Term::Constant { sort: *partition, colour: 0 }),
            },
            Term::Tuple(parts) => {
                let parts = parts.iter().map(|part| self.terms(part));
                tuples(parts.collect::<Option<Vec<_>>>()?)
            }
            Term::All(sort) => match (&self.sorts[sort.index()], self.net.sort(*sort).kind()) {
                (Merged::Classes(_, sizes), _) => {
                    let constant =
                        |colour: usize| Term::Constant { sort: *sort, colour: colour as u64 };
                    let terms = sizes.iter().enumerate();
                    Some(terms.map(|(class, &size)| (constant(class), size)).collect())
                }
                (Merged::Product, SortKind::Product(parts)) => {
                    let parts = parts.iter().map(|&part| self.terms(&Term::All(part)));
                    tuples(parts.collect::<Option<Vec<_>>>()?)
                }
                _ => one(term.clone()),
            },
        }
    }

    /// How many colours are left of a term's sort, which is no product.
    fn classes_of(&self, term: &Term) -> Option<u64> {
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => self.size(*sort),
            Term::Variable(variable) => self.size(self.net.variable(*variable).sort),
            Term::Shift { of, .. } => self.classes_of(of),
            Term::Block { partition, .. } => self.size(*partition),
            Term::Tuple(_) => None,
        }
    }

    /// What becomes of a term without [`Term::All`].
    fn term(&self, term: &Term) -> Option<Term> {
        let mut terms = self.terms(term)?;
        (terms.len() == 1 && terms[0].1 == 1).then(|| terms.swap_remove(0).0)
    }

    /// `None` when colours that are not whole are in a difference.
    fn multiset(&self, multiset: &Multiset) -> Option<Multiset> {
        Some(match multiset {
            Multiset::Of { count, term } => {
                let terms = self.terms(term)?.into_iter();
                let terms = terms.map(|(term, times)| {
                    Some(Multiset::Of { count: count.checked_mul(times)?, term })
                });
                Multiset::sum(terms.collect::<Option<Vec<_>>>()?)
            }
            Multiset::Sum(parts) => Multiset::Sum(
                parts.iter().map(|part| self.multiset(part)).collect::<Option<Vec<_>>>()?,
            ),
            Multiset::Difference(first, second) => {
                if !self.all_whole(first) || !self.all_whole(second) {
                    return None;
                }
                Multiset::minus(self.multiset(first)?, self.multiset(second)?)
            }
        })
    }

    fn all_whole(&self, multiset: &Multiset) -> bool {
        match multiset {
            Multiset::Of { term, .. } => self.is_whole(term),
            Multiset::Sum(parts) => parts.iter().all(|part| self.all_whole(part)),
            Multiset::Difference(first, second) => self.all_whole(first) && self.all_whole(second),
        }
    }

    /// What is left of an initial marking, colour by colour.
    fn written_out(&self, sort: SortId, initial: &Multiset) -> Option<Multiset> {
        let bag = self.net.bag(initial, &[] as &[Value], COLOURS).ok()?;
        let tokens = bag.into_iter().map(|(colour, count)| {
            let term = Term::Constant { sort, colour: self.colour(sort, colour)? };
            Some(Multiset::Of { count, term })
        });
        Some(Multiset::sum(tokens.collect::<Option<Vec<_>>>()?))
    }

    /// What holds of the classes of a binding whenever the guard holds; and whether it holds only
    /// then.
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

    fn guards(&self, parts: &[Guard]) -> Option<(Vec<Guard>, bool)> {
        let parts = parts.iter().map(|part| self.guard(part)).collect::<Option<Vec<_>>>()?;
        let exact = parts.iter().all(|(_, exact)| *exact);
        Some((parts.into_iter().map(|(part, _)| part).collect(), exact))
    }

    fn comparison(&self, relation: Relation, left: &Term, right: &Term) -> Option<(Guard, bool)> {
        if self.is_whole(left) && self.is_whole(right) {
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
        self.tried.set(self.tried.get().saturating_add(size));
        if self.tried.get() > TRIED || classes > TERMS as u64 {
            return Some((Guard::TRUE, false));
        }
        // By class, whether it holds for some colour, and whether for some it does not.
        let mut seen = vec![(false, false); classes as usize];
        for colour in 0..size {
            let binding = [Value { variable, colour }];
            let (left, right) = (self.net.colour(left, &binding), self.net.colour(right, &binding));
            let (holds, fails) = &mut seen[self.colour(sort, colour)? as usize];
            if relation.holds(left, right) { *holds = true } else { *fails = true }
        }
        let exact = !seen.contains(&(true, true));
        if seen.iter().all(|&(holds, _)| holds) {
            return Some((Guard::TRUE, exact));
        }
        let is = |class: usize| {
            let class = Term::Constant { sort, colour: class as u64 };
            Guard::Compare(Relation::Equal, Term::Variable(variable), class)
        };
        let holding = (0..seen.len()).filter(|&class| seen[class].0);
        Some((Guard::or(holding.map(is)), exact))
    }

    fn any_tokens_do_for(&self, transition: &ColouredTransition) -> bool {
        let mut seen = BTreeSet::new();
        transition.takes.iter().all(|arc| self.any_tokens_do(&arc.inscription, &mut seen))
    }

    /// Whether any tokens of its classes will do for what is taken.
    fn any_tokens_do(&self, multiset: &Multiset, seen: &mut BTreeSet<VariableId>) -> bool {
        match multiset {
            Multiset::Of { count: 0, .. } => true,
            Multiset::Of { count, term } => {
                let is_one = *count == 1 && !term.has_all();
                self.is_whole(term) || (is_one && self.is_free(term, seen))
            }
            Multiset::Sum(parts) => parts.iter().all(|part| self.any_tokens_do(part, seen)),
            // All of it is whole.
            Multiset::Difference(..) => true,
        }
    }

    /// Whether the components of a term that are not whole are variables not `seen` before, or
    /// constants that are classes of their own.
    fn is_free(&self, term: &Term, seen: &mut BTreeSet<VariableId>) -> bool {
        match term {
            term if self.is_whole(term) => true,
            Term::Variable(variable) => seen.insert(*variable),
            Term::Shift { of, .. } => self.is_free(of, seen),
            Term::Tuple(parts) => parts.iter().all(|part| self.is_free(part, seen)),
            Term::Constant { sort, colour } => self.is_alone(*sort, *colour),
            Term::Block { .. } | Term::All(_) => false,
        }
    }

    /// Whether a colour is the only one of its class.
    fn is_alone(&self, sort: SortId, colour: u64) -> bool {
        match &self.sorts[sort.index()] {
            Merged::Whole => true,
            Merged::Classes(classes, sizes) => sizes[classes[colour as usize] as usize] == 1,
            Merged::Product => {
                let components = self.net.components(sort, colour);
                components.into_iter().all(|(part, colour)| self.is_alone(part, colour))
            }
        }
    }
}

/// Every tuple with a component of each of these.
fn tuples(parts: Vec<Vec<(Term, u64)>>) -> Option<Vec<(Term, u64)>> {
    let mut all: Vec<(Vec<Term>, u64)> = vec![(Vec::new(), 1)];
    for part in parts {
        if all.len().checked_mul(part.len())? > TERMS {
            return None;
        }
        let mut longer = Vec::with_capacity(all.len() * part.len());
        for (tuple, times) in &all {
            for (term, more) in &part {
                let mut tuple = tuple.clone();
                tuple.push(term.clone());
                longer.push((tuple, times.checked_mul(*more)?));
            }
        }
        all = longer;
    }
    Some(all.into_iter().map(|(tuple, times)| (Term::Tuple(tuple), times)).collect())
}
