//! Terms: colours, multisets of colours and guards as functions of a binding.

use super::sort::SortId;

/// A variable of a coloured net.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub(crate) u32);

impl VariableId {
    /// Returns the variable's position among the variables of the net, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A colour, or a set of colours if [`Term::All`] occurs in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Term {
    /// A constant.
    Constant {
        /// The constant's sort.
        sort: SortId,
        /// The colour's position in the sort.
        colour: u64,
    },
    /// The colour of a variable in the binding.
    Variable(VariableId),
    /// The colour `by` steps after another colour of a cyclic sort, or before it if negative. The
    /// operand is never a shift.
    Shift {
        /// The operand.
        of: Box<Term>,
        /// The number of steps.
        by: i64,
    },
    /// The block of a partition that contains a colour.
    Block {
        /// The partition.
        partition: SortId,
        /// The colour.
        of: Box<Term>,
    },
    /// A tuple.
    Tuple(Vec<Term>),
    /// All colours of a sort; in a tuple, all colours of that component. Not allowed in guards,
    /// shifts and blocks.
    All(SortId),
}

impl Term {
    /// Makes the colour `by` steps after `of`; nested shifts are merged.
    pub fn shift(of: Term, by: i64) -> Term {
        match of {
            Term::Shift { of, by: inner_shift } => Term::shift(*of, inner_shift.wrapping_add(by)),
            of if by == 0 => of,
            of => Term::Shift { of: Box::new(of), by },
        }
    }

    /// Appends the variables in order of occurrence.
    pub fn variables(&self, into: &mut Vec<VariableId>) {
        match self {
            Term::Constant { .. } | Term::All(_) => {}
            Term::Variable(variable) => into.push(*variable),
            Term::Shift { of, .. } | Term::Block { of, .. } => of.variables(into),
            Term::Tuple(parts) => parts.iter().for_each(|part| part.variables(into)),
        }
    }

    /// Returns the term with renamed variables.
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

    /// Returns true if [`Term::All`] occurs in the term.
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
    /// A number of tokens of each colour of a term.
    Tokens {
        /// The number of tokens per colour.
        count: u64,
        /// The term.
        term: Term,
    },
    /// The sum; empty if there are no parts.
    Sum(Vec<Multiset>),
    /// The first multiset minus the second, at least 0 for each colour (as in verifypn; the
    /// standard leaves this case undefined).
    Difference(Box<Multiset>, Box<Multiset>),
}

impl Multiset {
    /// The empty multiset.
    pub const EMPTY: Multiset = Multiset::Sum(Vec::new());

    /// Makes one token of a term's colour, or of each of its colours if [`Term::All`] occurs in it.
    pub fn single(term: Term) -> Multiset {
        Multiset::Tokens { count: 1, term }
    }

    /// Makes the sum of `parts`. Nested sums are flattened, and [`Multiset::Tokens`] with count 0
    /// are left out. If one summand remains, it is returned itself.
    pub fn sum(parts: impl IntoIterator<Item = Multiset>) -> Multiset {
        let mut summands = Vec::new();
        for part in parts {
            match part {
                // The vector is reused, so that a sum nested a thousand levels on its left takes
                // linear time.
                Multiset::Sum(inner) if summands.is_empty() => summands = inner,
                Multiset::Sum(inner) => summands.extend(inner),
                Multiset::Tokens { count: 0, .. } => {}
                part => summands.push(part),
            }
        }
        match summands.len() {
            1 => summands.swap_remove(0),
            _ => Multiset::Sum(summands),
        }
    }

    /// Makes `first` minus `second`.
    pub fn minus(first: Multiset, second: Multiset) -> Multiset {
        Multiset::Difference(Box::new(first), Box::new(second))
    }

    /// Multiplies every count by `factor`. Returns `None` on overflow of 64 bits.
    pub fn times(self, factor: u64) -> Option<Multiset> {
        Some(match self {
            Multiset::Tokens { count, term } => {
                Multiset::Tokens { count: count.checked_mul(factor)?, term }
            }
            Multiset::Sum(parts) => {
                let parts: Option<Vec<_>> = parts.into_iter().map(|it| it.times(factor)).collect();
                Multiset::sum(parts?)
            }
            Multiset::Difference(a, b) => Multiset::minus(a.times(factor)?, b.times(factor)?),
        })
    }

    /// Appends the variables.
    pub fn variables(&self, into: &mut Vec<VariableId>) {
        match self {
            Multiset::Tokens { term, .. } => term.variables(into),
            Multiset::Sum(parts) => parts.iter().for_each(|part| part.variables(into)),
            Multiset::Difference(a, b) => {
                a.variables(into);
                b.variables(into);
            }
        }
    }

    /// Returns the multiset with renamed variables.
    pub fn renamed(&self, rename: &impl Fn(VariableId) -> VariableId) -> Multiset {
        match self {
            Multiset::Tokens { count, term } => {
                Multiset::Tokens { count: *count, term: term.renamed(rename) }
            }
            Multiset::Sum(parts) => {
                Multiset::Sum(parts.iter().map(|part| part.renamed(rename)).collect())
            }
            Multiset::Difference(a, b) => Multiset::minus(a.renamed(rename), b.renamed(rename)),
        }
    }

    /// Returns the multiset with the summands of each sum sorted. So sums that differ only in the
    /// order of their summands become equal.
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

/// A comparison of two colours of the same sort, by position.
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
    /// Returns true if the comparison holds between these positions.
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

    /// Returns the negated comparison.
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

/// A condition on bindings. Negations are pushed into the comparisons, as in `≠` for `=`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// A comparison.
    Compare(Relation, Term, Term),
    /// The conjunction; true without parts.
    And(Vec<Guard>),
    /// The disjunction; false without parts.
    Or(Vec<Guard>),
}

impl Guard {
    /// The guard true for every binding.
    pub const TRUE: Guard = Guard::And(Vec::new());
    /// The guard false for every binding.
    pub const FALSE: Guard = Guard::Or(Vec::new());

    /// Makes the conjunction. Nested conjunctions are flattened. If one conjunct remains, it is
    /// returned itself.
    pub fn and(parts: impl IntoIterator<Item = Guard>) -> Guard {
        let mut conjuncts = Vec::new();
        for part in parts {
            match part {
                Guard::And(inner) if conjuncts.is_empty() => conjuncts = inner,
                Guard::And(inner) => conjuncts.extend(inner),
                part => conjuncts.push(part),
            }
        }
        match conjuncts.len() {
            1 => conjuncts.swap_remove(0),
            _ => Guard::And(conjuncts),
        }
    }

    /// Makes the disjunction. Nested disjunctions are flattened. If one disjunct remains, it is
    /// returned itself.
    pub fn or(parts: impl IntoIterator<Item = Guard>) -> Guard {
        let mut disjuncts = Vec::new();
        for part in parts {
            match part {
                Guard::Or(inner) if disjuncts.is_empty() => disjuncts = inner,
                Guard::Or(inner) => disjuncts.extend(inner),
                part => disjuncts.push(part),
            }
        }
        match disjuncts.len() {
            1 => disjuncts.swap_remove(0),
            _ => Guard::Or(disjuncts),
        }
    }

    /// Returns the negation.
    pub fn negated(self) -> Guard {
        match self {
            Guard::Compare(relation, left, right) => {
                Guard::Compare(relation.negated(), left, right)
            }
            Guard::And(parts) => Guard::or(parts.into_iter().map(Guard::negated)),
            Guard::Or(parts) => Guard::and(parts.into_iter().map(Guard::negated)),
        }
    }

    /// Appends the variables.
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

    /// Returns the guard with renamed variables. Sorts the parts of conjunctions and disjunctions,
    /// and the sides of `=` and `≠`. Turns `>` and `≥` into `<` and `≤`.
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
