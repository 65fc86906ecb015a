//! Some sorts erased: the coloured net with one colour of each of them.
//!
//! ```text
//! sort A = 1..3                                   sort A = 1..1
//! sort B = 1..9                                   sort B = 1..9
//! place p: A * B = {(1,5) + (2,5)}        ⇒       place p: A * B = {2'(1,5)}
//! transition t [b < 6]: p{(a,b)} -> …             transition t [b < 6]: p{(a,b)} -> …
//! ```
//!
//! Tokens keep what is left of their colours and are counted together; `all` of an erased sort is as many
//! tokens of its one colour as it had. Comparisons that read an erased colour are gone.
//!
//! # Soundness
//! As of the [skeleton](super::Skeleton), which is the case that all sorts are erased: each firing under a
//! binding is one here under what is left of the binding, so the projections of reachable markings are
//! reachable here.
//!
//! A transition is *decided* if, whenever it can fire here, some binding with these colours left can fire in
//! the coloured net: no comparison is gone, and the erased colours it takes are those of variables that
//! occur nowhere else in what it takes, one token each, so that any tokens of the colours left will do. If all
//! transitions are decided, every firing sequence here is one there, and the erased colours were never told
//! apart.

use parikh_net::coloured::{
    ColouredArc, ColouredNet, ColouredTransition, Guard, Multiset, SortId, SortKind, Term, Value,
    VariableId,
};
use std::collections::BTreeSet;

/// A coloured net with some sorts erased.
#[derive(Clone, Debug)]
pub struct Erased {
    net: ColouredNet,
    /// By transition, whether what is left of a binding decides that it is enabled.
    decided: Vec<bool>,
    /// By sort, whether all of its colours are left.
    whole: Vec<bool>,
}

/// The most colours of an initial marking that is written out.
const COLOURS: usize = 1_000_000;

impl Erased {
    /// `net` with these sorts erased, by [`SortId::index`]; partitions of an erased sort are erased,
    /// too. `None` when an arc takes one multiset of erased colours away from another, or when numbers
    /// become too large.
    pub fn of(net: &ColouredNet, erase: &[bool]) -> Option<Erased> {
        let eraser = Eraser::new(net, erase)?;
        let mut made = ColouredNet::new(net.name());
        for (sort, kind) in net.sorts().iter().zip(&eraser.kinds) {
            made.add_sort(sort.name(), kind.clone()).ok()?;
        }
        for variable in net.variables() {
            made.add_variable(&variable.name, variable.sort).ok()?;
        }
        for place in net.places() {
            let initial = match eraser.multiset(&place.initial) {
                Some(initial) => initial,
                None => eraser.written_out(place.sort, &place.initial)?,
            };
            made.add_place(&place.name, place.sort, initial).ok()?;
        }
        let mut decided = Vec::new();
        for transition in net.transitions() {
            let guard = eraser.guard(&transition.guard);
            let t = made.add_transition(&transition.name, guard).ok()?;
            for ColouredArc { place, inscription } in &transition.takes {
                made.take(t, *place, eraser.multiset(inscription)?).ok()?;
            }
            for ColouredArc { place, inscription } in &transition.puts {
                made.put(t, *place, eraser.multiset(inscription)?).ok()?;
            }
            decided.push(eraser.decides(transition));
        }
        let whole = eraser.lost.iter().map(|&lost| lost == 1).collect();
        Some(Erased { net: made, decided, whole })
    }

    /// The largest set of sorts of more than one colour that can be erased with every transition decided,
    /// by [`SortId::index`].
    pub fn indistinguishable(net: &ColouredNet) -> Vec<bool> {
        let exact = |erase: &[bool]| Erased::of(net, erase).is_some_and(|it| it.is_exact());
        let mut all = vec![false; net.sorts().len()];
        for sort in base_sorts(net) {
            all[sort] = true;
            all[sort] = exact(&all);
        }
        all
    }

    /// The net.
    pub fn net(&self) -> &ColouredNet {
        &self.net
    }

    /// By transition, whether what is left of a binding decides that it is enabled.
    pub fn decided(&self) -> &[bool] {
        &self.decided
    }

    /// Whether every firing sequence is one of the coloured net, with colours for what was erased.
    pub fn is_exact(&self) -> bool {
        self.decided.iter().all(|&decided| decided)
    }

    /// Whether a variable's colours are what they were.
    pub fn is_whole(&self, variable: VariableId) -> bool {
        self.whole[self.net.variable(variable).sort.index()]
    }
}

/// The sorts that others are made of, of more than one colour.
pub fn base_sorts(net: &ColouredNet) -> impl Iterator<Item = usize> {
    let base =
        |kind: &SortKind| matches!(kind, SortKind::Enumeration { .. } | SortKind::Range { .. });
    let sorts = net.sorts().iter().enumerate();
    sorts.filter(move |(_, sort)| base(sort.kind()) && sort.size() > 1).map(|(at, _)| at)
}

struct Eraser<'n> {
    net: &'n ColouredNet,
    kinds: Vec<SortKind>,
    /// By sort, how many of its colours become one.
    lost: Vec<u64>,
}

impl<'n> Eraser<'n> {
    fn new(net: &'n ColouredNet, erase: &[bool]) -> Option<Self> {
        let mut eraser = Eraser { net, kinds: Vec::new(), lost: Vec::new() };
        for (sort, &erase) in net.sorts().iter().zip(erase) {
            let kind = sort.kind().clone();
            let (kind, lost) = match kind {
                SortKind::Dot => (kind, 1),
                SortKind::Product(ref parts) => {
                    let lost = parts
                        .iter()
                        .try_fold(1u64, |lost, part| lost.checked_mul(eraser.lost[part.index()]));
                    (kind, lost?)
                }
                SortKind::Enumeration { mut constants, cyclic } if erase => {
                    constants.truncate(1);
                    (SortKind::Enumeration { constants, cyclic }, sort.size())
                }
                SortKind::Range { start, .. } if erase => {
                    (SortKind::Range { start, end: start }, sort.size())
                }
                SortKind::Partition { of, mut elements, .. }
                    if erase || eraser.lost[of.index()] > 1 =>
                {
                    elements.truncate(1);
                    let size = net.sort(of).size() / eraser.lost[of.index()];
                    let block_of = vec![0; usize::try_from(size).ok()?];
                    (SortKind::Partition { of, elements, block_of }, sort.size())
                }
                kind => (kind, 1),
            };
            eraser.kinds.push(kind);
            eraser.lost.push(lost);
        }
        Some(eraser)
    }

    fn is_lost(&self, term: &Term) -> bool {
        let lost = |sort: SortId| self.lost[sort.index()] > 1;
        match term {
            Term::Constant { sort, .. } | Term::All(sort) => lost(*sort),
            Term::Variable(variable) => lost(self.net.variable(*variable).sort),
            Term::Shift { of, .. } => self.is_lost(of),
            Term::Block { partition, .. } => lost(*partition),
            Term::Tuple(parts) => parts.iter().any(|part| self.is_lost(part)),
        }
    }

    /// What is left of a colour.
    fn colour(&self, sort: SortId, colour: u64) -> u64 {
        let lost = self.lost[sort.index()];
        match self.net.sort(sort).kind() {
            SortKind::Product(_) => {
                let components = self.net.components(sort, colour);
                components.into_iter().fold(0, |colour, (part, component)| {
                    let size = self.net.sort(part).size() / self.lost[part.index()];
                    colour * size + self.colour(part, component)
                })
            }
            _ if lost > 1 => 0,
            _ => colour,
        }
    }

    /// What is left of a term, and how many of its colours are each of what is left.
    fn term(&self, term: &Term) -> Option<(Term, u64)> {
        Some(match term {
            Term::Constant { sort, colour } => {
                (Term::Constant { sort: *sort, colour: self.colour(*sort, *colour) }, 1)
            }
            Term::Variable(_) => (term.clone(), 1),
            Term::Shift { of, by } => (Term::shift(self.term(of)?.0, *by), 1),
            Term::Block { partition, of } => match self.is_lost(term) {
                true => (Term::Constant { sort: *partition, colour: 0 }, 1),
                false => {
                    let of = Box::new(self.term(of)?.0);
                    (Term::Block { partition: *partition, of }, 1)
                }
            },
            Term::Tuple(parts) => {
                let mut factor = 1u64;
                let mut left = Vec::new();
                for part in parts {
                    let (term, times) = self.term(part)?;
                    factor = factor.checked_mul(times)?;
                    left.push(term);
                }
                (Term::Tuple(left), factor)
            }
            Term::All(sort) => (term.clone(), self.lost[sort.index()]),
        })
    }

    /// `None` when erased colours are in a difference.
    fn multiset(&self, multiset: &Multiset) -> Option<Multiset> {
        Some(match multiset {
            Multiset::Of { count, term } => {
                let (term, factor) = self.term(term)?;
                Multiset::Of { count: count.checked_mul(factor)?, term }
            }
            Multiset::Sum(parts) => Multiset::Sum(
                parts.iter().map(|part| self.multiset(part)).collect::<Option<Vec<_>>>()?,
            ),
            Multiset::Difference(first, second) => {
                if self.loses(first) || self.loses(second) {
                    return None;
                }
                Multiset::minus(self.multiset(first)?, self.multiset(second)?)
            }
        })
    }

    fn loses(&self, multiset: &Multiset) -> bool {
        match multiset {
            Multiset::Of { term, .. } => self.is_lost(term),
            Multiset::Sum(parts) => parts.iter().any(|part| self.loses(part)),
            Multiset::Difference(first, second) => self.loses(first) || self.loses(second),
        }
    }

    /// What is left of an initial marking, colour by colour.
    fn written_out(&self, sort: SortId, initial: &Multiset) -> Option<Multiset> {
        let bag = self.net.bag(initial, &[] as &[Value], COLOURS).ok()?;
        let token = |(colour, count): (u64, u64)| {
            let term = Term::Constant { sort, colour: self.colour(sort, colour) };
            Multiset::Of { count, term }
        };
        Some(Multiset::sum(bag.into_iter().map(token)))
    }

    /// The guard without the comparisons that read an erased colour: it holds whenever the guard does.
    fn guard(&self, guard: &Guard) -> Guard {
        match guard {
            Guard::Compare(_, left, right) if self.is_lost(left) || self.is_lost(right) => {
                Guard::TRUE
            }
            Guard::Compare(relation, left, right) => match (self.term(left), self.term(right)) {
                (Some((left, _)), Some((right, _))) => Guard::Compare(*relation, left, right),
                _ => Guard::TRUE,
            },
            Guard::And(parts) => Guard::and(parts.iter().map(|part| self.guard(part))),
            Guard::Or(parts) => {
                let parts: Vec<Guard> = parts.iter().map(|part| self.guard(part)).collect();
                if parts.contains(&Guard::TRUE) { Guard::TRUE } else { Guard::or(parts) }
            }
        }
    }

    fn reads_erased(&self, guard: &Guard) -> bool {
        match guard {
            Guard::Compare(_, left, right) => self.is_lost(left) || self.is_lost(right),
            Guard::And(parts) | Guard::Or(parts) => parts.iter().any(|it| self.reads_erased(it)),
        }
    }

    fn decides(&self, transition: &ColouredTransition) -> bool {
        let mut seen = BTreeSet::new();
        !self.reads_erased(&transition.guard)
            && transition.takes.iter().all(|arc| self.any_tokens_do(&arc.inscription, &mut seen))
    }

    /// Whether any tokens will do for the erased colours of what is taken.
    fn any_tokens_do(&self, multiset: &Multiset, seen: &mut BTreeSet<VariableId>) -> bool {
        match multiset {
            Multiset::Of { count: 0, .. } => true,
            Multiset::Of { count, term } => {
                !self.is_lost(term) || (*count == 1 && self.is_free(term, seen))
            }
            Multiset::Sum(parts) => parts.iter().all(|part| self.any_tokens_do(part, seen)),
            // Has no erased colours.
            Multiset::Difference(..) => true,
        }
    }

    /// Whether the erased components of a term are variables not `seen` before.
    fn is_free(&self, term: &Term, seen: &mut BTreeSet<VariableId>) -> bool {
        match term {
            term if !self.is_lost(term) => true,
            Term::Variable(variable) => seen.insert(*variable),
            Term::Shift { of, .. } => self.is_free(of, seen),
            Term::Tuple(parts) => parts.iter().all(|part| self.is_free(part, seen)),
            Term::Constant { .. } | Term::Block { .. } | Term::All(_) => false,
        }
    }
}
