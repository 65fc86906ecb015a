//! Terms: colours, multisets of colours and guards, as functions of a binding.

use super::sort::SortId;

/// A variable of a coloured net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(crate) u32);

impl VariableId {
    /// Its position, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A colour, or with [`Term::All`] in it every colour of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// Always the same.
    Constant {
        /// Its sort.
        sort: SortId,
        /// Its position there.
        colour: u64,
    },
    /// What the binding says.
    Variable(VariableId),
    /// So many steps after another colour of a cyclic sort; before it when negative. Never of
    /// another shift.
    Shift {
        /// That colour.
        of: Box<Term>,
        /// The steps.
        by: i64,
    },
    /// The block of a partition that a colour is in.
    Block {
        /// The partition.
        partition: SortId,
        /// The colour.
        of: Box<Term>,
    },
    /// A tuple.
    Tuple(Vec<Term>),
    /// Every colour of a sort; in a tuple, every colour in that component. Not in guards.
    All(SortId),
}

impl Term {
    /// The colour `by` steps after `of`; shifts of shifts are one.
    pub fn shift(of: Term, by: i64) -> Term {
        match of {
            Term::Shift { of, by: before } => Term::shift(*of, before.wrapping_add(by)),
            of if by == 0 => of,
            of => Term::Shift { of: Box::new(of), by },
        }
    }

    /// Appends the variables in it, in order of occurrence.
    pub fn variables(&self, into: &mut Vec<VariableId>) {
        match self {
            Term::Constant { .. } | Term::All(_) => {}
            Term::Variable(variable) => into.push(*variable),
            Term::Shift { of, .. } | Term::Block { of, .. } => of.variables(into),
            Term::Tuple(parts) => parts.iter().for_each(|part| part.variables(into)),
        }
    }

    /// The same with other variables.
    pub fn renamed(&self, rename: &impl Fn(VariableId) -> VariableId) -> Term {
        match self {
            Term::Variable(variable) => Term::Variable(rename(*variable)),
            Term::Shift { of, by } => Term::Shift { of: Box::new(of.renamed(rename)), by: *by },
            Term::Block { partition, of } => {
                Term::Block { partition: *partition, of: Box::new(of.renamed(rename)) }
            }
            Term::Tuple(parts) => {
                Term::Tuple(parts.iter().map(|part| part.renamed(rename)).collect())
            }
            leaf => leaf.clone(),
        }
    }

    /// Whether [`Term::All`] is in it.
    pub fn has_all(&self) -> bool {
        match self {
            Term::All(_) => true,
            Term::Constant { .. } | Term::Variable(_) => false,
            Term::Shift { of, .. } | Term::Block { of, .. } => of.has_all(),
            Term::Tuple(parts) => parts.iter().any(Term::has_all),
        }
    }
}

/// A multiset of colours of one sort.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Multiset {
    /// So many tokens of each colour that a term stands for.
    Of {
        /// Tokens of each.
        count: u64,
        /// The colour or colours.
        term: Term,
    },
    /// All of these together; nothing when there are none.
    Sum(Vec<Multiset>),
    /// What of the first is left without the second; of a colour that the second has more of,
    /// nothing (as in verifypn; the standard gives such a difference no meaning).
    Difference(Box<Multiset>, Box<Multiset>),
}

impl Multiset {
    /// No token.
    pub const EMPTY: Multiset = Multiset::Sum(Vec::new());

    /// One token of a term's colour.
    pub fn one(term: Term) -> Multiset {
        Multiset::Of { count: 1, term }
    }

    /// All of `parts` together; sums of sums are one.
    pub fn sum(parts: impl IntoIterator<Item = Multiset>) -> Multiset {
        let mut all = Vec::new();
        for part in parts {
            match part {
                // A sum nested a thousand deep on its left stays linear.
                Multiset::Sum(inner) if all.is_empty() => all = inner,
                Multiset::Sum(inner) => all.extend(inner),
                Multiset::Of { count: 0, .. } => {}
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.swap_remove(0),
            _ => Multiset::Sum(all),
        }
    }

    /// `first` without `second`.
    pub fn minus(first: Multiset, second: Multiset) -> Multiset {
        Multiset::Difference(Box::new(first), Box::new(second))
    }

    /// Each token `factor` times; `None` beyond 64 bits.
    pub fn times(self, factor: u64) -> Option<Multiset> {
        Some(match self {
            Multiset::Of { count, term } => {
                Multiset::Of { count: count.checked_mul(factor)?, term }
            }
            Multiset::Sum(parts) => {
                let parts: Option<Vec<_>> = parts.into_iter().map(|it| it.times(factor)).collect();
                Multiset::sum(parts?)
            }
            Multiset::Difference(a, b) => Multiset::minus(a.times(factor)?, b.times(factor)?),
        })
    }

    /// Appends the variables in it.
    pub fn variables(&self, into: &mut Vec<VariableId>) {
        match self {
            Multiset::Of { term, .. } => term.variables(into),
            Multiset::Sum(parts) => parts.iter().for_each(|part| part.variables(into)),
            Multiset::Difference(a, b) => {
                a.variables(into);
                b.variables(into);
            }
        }
    }

    /// The same with other variables.
    pub fn renamed(&self, rename: &impl Fn(VariableId) -> VariableId) -> Multiset {
        match self {
            Multiset::Of { count, term } => {
                Multiset::Of { count: *count, term: term.renamed(rename) }
            }
            Multiset::Sum(parts) => {
                Multiset::Sum(parts.iter().map(|part| part.renamed(rename)).collect())
            }
            Multiset::Difference(a, b) => Multiset::minus(a.renamed(rename), b.renamed(rename)),
        }
    }

    /// The same with the parts of sums in ascending order, so that sums that differ in no more than
    /// that are equal.
    pub fn sorted(self) -> Multiset {
        match self {
            Multiset::Sum(parts) => {
                let mut parts: Vec<_> = parts.into_iter().map(Multiset::sorted).collect();
                parts.sort_unstable();
                Multiset::Sum(parts)
            }
            Multiset::Difference(a, b) => Multiset::minus(a.sorted(), b.sorted()),
            of => of,
        }
    }
}

/// How two colours of one sort compare, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// =
    Equal,
    /// ≠
    Unequal,
    /// <
    Less,
    /// ≤
    AtMost,
    /// >
    Greater,
    /// ≥
    AtLeast,
}

impl Relation {
    /// Whether it holds between these positions.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Greater => left > right,
            Relation::AtLeast => left >= right,
        }
    }

    /// The relation that holds when this one does not.
    pub fn negated(self) -> Relation {
        match self {
            Relation::Equal => Relation::Unequal,
            Relation::Unequal => Relation::Equal,
            Relation::Less => Relation::AtLeast,
            Relation::AtMost => Relation::Greater,
            Relation::Greater => Relation::AtMost,
            Relation::AtLeast => Relation::Less,
        }
    }
}

/// A condition on a binding, in negation normal form: negation goes into the comparisons.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// A comparison.
    Compare(Relation, Term, Term),
    /// All hold; true when there are none.
    And(Vec<Guard>),
    /// At least one holds; false when there are none.
    Or(Vec<Guard>),
}

impl Guard {
    /// Holds for every binding.
    pub const TRUE: Guard = Guard::And(Vec::new());
    /// Holds for none.
    pub const FALSE: Guard = Guard::Or(Vec::new());

    /// The conjunction; conjunctions of conjunctions are one.
    pub fn and(parts: impl IntoIterator<Item = Guard>) -> Guard {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Guard::And(inner) if all.is_empty() => all = inner,
                Guard::And(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.swap_remove(0),
            _ => Guard::And(all),
        }
    }

    /// The disjunction.
    pub fn or(parts: impl IntoIterator<Item = Guard>) -> Guard {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Guard::Or(inner) if all.is_empty() => all = inner,
                Guard::Or(inner) => all.extend(inner),
                part => all.push(part),
            }
        }
        match all.len() {
            1 => all.swap_remove(0),
            _ => Guard::Or(all),
        }
    }

    /// The negation.
    pub fn negated(self) -> Guard {
        match self {
            Guard::Compare(relation, left, right) => {
                Guard::Compare(relation.negated(), left, right)
            }
            Guard::And(parts) => Guard::or(parts.into_iter().map(Guard::negated)),
            Guard::Or(parts) => Guard::and(parts.into_iter().map(Guard::negated)),
        }
    }

    /// Appends the variables in it.
    pub fn variables(&self, into: &mut Vec<VariableId>) {
        match self {
            Guard::Compare(_, left, right) => {
                left.variables(into);
                right.variables(into);
            }
            Guard::And(parts) | Guard::Or(parts) => {
                parts.iter().for_each(|part| part.variables(into));
            }
        }
    }

    /// The same with other variables, and the parts of junctions and the sides of symmetric
    /// comparisons in ascending order.
    pub fn renamed(&self, rename: &impl Fn(VariableId) -> VariableId) -> Guard {
        let sorted = |parts: &[Guard]| {
            let mut parts: Vec<Guard> = parts.iter().map(|part| part.renamed(rename)).collect();
            parts.sort_unstable();
            parts
        };
        match self {
            Guard::Compare(relation, left, right) => {
                let (left, right) = (left.renamed(rename), right.renamed(rename));
                match relation {
                    Relation::Equal | Relation::Unequal if right < left => {
                        Guard::Compare(*relation, right, left)
                    }
                    Relation::Greater => Guard::Compare(Relation::Less, right, left),
                    Relation::AtLeast => Guard::Compare(Relation::AtMost, right, left),
                    _ => Guard::Compare(*relation, left, right),
                }
            }
            Guard::And(parts) => Guard::And(sorted(parts)),
            Guard::Or(parts) => Guard::Or(sorted(parts)),
        }
    }
}
