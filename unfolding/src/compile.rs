//! Compiles terms to arithmetic on colours. The colour of a tuple is Σ stride·component. So a term
//! becomes a constant, some variables with strides, and some components that take every value.

use parikh_net::coloured::{
    BoundColour, ColouredNet, ColouredTransition, Guard, Multiset, Relation, SortKind, Term,
    VariableId,
};
use std::sync::Arc;

/// The contribution of a variable x to a colour: stride · ((x + shift) mod size), or stride times
/// the block that contains x + shift.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableTerm {
    /// The position of the variable in its transition.
    pub slot: usize,
    /// The factor of the component in the number of a colour.
    pub stride: u64,
    /// Number of colours of the component.
    pub(crate) size: u64,
    /// The number added to the variable's colour; less than the number of its colours.
    pub(crate) shift: u64,
    /// Number of colours of the variable; `shift` wraps around at this number.
    pub(crate) variable_size: u64,
    /// The block of each colour of the variable, for a partition.
    pub blocks: Option<Arc<[u32]>>,
}

impl VariableTerm {
    /// Returns the component's value under `binding`.
    pub fn value(&self, binding: &[u64]) -> u64 {
        let mut shifted = binding[self.slot] + self.shift;
        if shifted >= self.variable_size {
            shifted -= self.variable_size;
        }
        match &self.blocks {
            None => shifted,
            Some(blocks) => u64::from(blocks[shifted as usize]),
        }
    }

    /// Returns the component of `colour` that belongs to this variable.
    pub fn component(&self, colour: u64) -> u64 {
        colour / self.stride % self.size
    }

    /// Returns the colour of the variable for which this term yields its component of `colour`. The
    /// term must have no blocks.
    pub fn solve(&self, colour: u64) -> u64 {
        let unshifted = self.component(colour) + self.variable_size - self.shift;
        if unshifted >= self.variable_size { unshifted - self.variable_size } else { unshifted }
    }
}

/// A colour as a function of the binding. With wildcard components, it stands for several colours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColourPattern {
    /// The sum of stride times value of the constant components.
    pub(crate) constant_colour: u64,
    /// The terms of variables.
    pub variable_terms: Vec<VariableTerm>,
    /// Stride, size and value of the constant components.
    pub constants: Vec<(u64, u64, u64)>,
    /// Stride and size of the wildcard components, which take every value. Wildcards with a single
    /// value are omitted.
    pub(crate) wildcards: Vec<(u64, u64)>,
}

impl ColourPattern {
    /// Returns the colour under `binding`, with 0 for components that take every value.
    pub fn colour(&self, binding: &[u64]) -> u64 {
        let leaves = self.variable_terms.iter().map(|leaf| leaf.stride * leaf.value(binding));
        self.constant_colour + leaves.sum::<u64>()
    }

    /// Returns the number of colours that the pattern stands for.
    pub(crate) fn count(&self) -> u64 {
        self.wildcards.iter().fold(1u64, |all, &(_, size)| all.saturating_mul(size))
    }

    /// Calls `f` with each colour of the pattern.
    pub(crate) fn for_each_colour(&self, binding: &[u64], mut f: impl FnMut(u64)) {
        let first = self.colour(binding);
        match &self.wildcards[..] {
            [] => f(first),
            &[(stride, size)] => (0..size).for_each(|at| f(first + stride * at)),
            wild => {
                for number in 0..self.count() {
                    let mut rest = number;
                    let mut colour = first;
                    for &(stride, size) in wild {
                        colour += stride * (rest % size);
                        rest /= size;
                    }
                    f(colour);
                }
            }
        }
    }

    /// Returns true if the constant components of `colour` agree with this pattern.
    pub fn constants_fit(&self, colour: u64) -> bool {
        self.constants.iter().all(|&(stride, size, value)| colour / stride % size == value)
    }
}

/// A multiset as a function of the binding.
#[derive(Clone, Debug)]
pub enum TokenPattern {
    /// A number of tokens of each colour of the pattern.
    Tokens(u64, ColourPattern),
    /// The sum of multisets.
    Sum(Vec<TokenPattern>),
    /// The first multiset without the tokens of the second; counts stop at 0.
    Difference(Box<TokenPattern>, Box<TokenPattern>),
}

impl TokenPattern {
    /// Appends pairs of a colour and its number of tokens to `into`. A colour may occur several
    /// times.
    pub fn evaluate(&self, binding: &[u64], into: &mut Vec<(u64, u64)>) {
        match self {
            TokenPattern::Tokens(count, pattern) => {
                pattern.for_each_colour(binding, |colour| into.push((colour, *count)))
            }
            TokenPattern::Sum(parts) => parts.iter().for_each(|part| part.evaluate(binding, into)),
            TokenPattern::Difference(first, second) => {
                let (mut minuend, mut subtrahend) = (Vec::new(), Vec::new());
                first.evaluate(binding, &mut minuend);
                second.evaluate(binding, &mut subtrahend);
                merge(&mut minuend);
                merge(&mut subtrahend);
                let mut subtrahend = subtrahend.into_iter().peekable();
                for (colour, tokens) in minuend {
                    while subtrahend.next_if(|&(other, _)| other < colour).is_some() {}
                    let subtracted = subtrahend.next_if(|&(other, _)| other == colour);
                    let remaining =
                        tokens.saturating_sub(subtracted.map_or(0, |(_, subtracted)| subtracted));
                    if remaining > 0 {
                        into.push((colour, remaining));
                    }
                }
            }
        }
    }

    /// Returns an upper bound on the number of entries during [`evaluate`](Self::evaluate).
    pub fn size(&self) -> u64 {
        match self {
            TokenPattern::Tokens(_, pattern) => pattern.count(),
            TokenPattern::Sum(parts) => {
                parts.iter().map(TokenPattern::size).fold(0, u64::saturating_add)
            }
            TokenPattern::Difference(a, b) => a.size().saturating_add(b.size()),
        }
    }

    /// Calls `f` with the count and the pattern of each summand that is a single colour. Returns
    /// true if the multiset consists of these summands.
    pub fn single_colours(&self, f: &mut impl FnMut(u64, &ColourPattern)) -> bool {
        match self {
            TokenPattern::Tokens(0, _) => true,
            TokenPattern::Tokens(count, pattern) if pattern.wildcards.is_empty() => {
                f(*count, pattern);
                true
            }
            TokenPattern::Sum(parts) => {
                // Not `all`: every part must be visited.
                let mut all_single = true;
                parts.iter().for_each(|part| all_single &= part.single_colours(f));
                all_single
            }
            _ => false,
        }
    }

    /// Appends the patterns of the summands that are a single colour. The multiset contains these
    /// colours under every binding. Differences of multisets are skipped.
    pub(crate) fn needed_colours<'t>(&'t self, into: &mut Vec<&'t ColourPattern>) {
        match self {
            TokenPattern::Tokens(1.., pattern) if pattern.wildcards.is_empty() => {
                into.push(pattern)
            }
            TokenPattern::Sum(parts) => parts.iter().for_each(|part| part.needed_colours(into)),
            _ => {}
        }
    }
}

/// Adds up the entries of each colour and sorts by colour. Sums saturate at `u64::MAX`.
pub fn merge(tokens: &mut Vec<(u64, u64)>) {
    tokens.sort_unstable_by_key(|&(colour, _)| colour);
    tokens.dedup_by(|later, kept| {
        let is_same_colour = later.0 == kept.0;
        if is_same_colour {
            kept.1 = kept.1.saturating_add(later.1);
        }
        is_same_colour
    });
}

/// A condition on a binding.
#[derive(Clone, Debug)]
pub enum BindingCheck {
    /// A relation between the numbers of two colours.
    Compare(Relation, ColourPattern, ColourPattern),
    /// True if all conditions are true.
    And(Vec<BindingCheck>),
    /// True if at least one condition is true.
    Or(Vec<BindingCheck>),
}

impl BindingCheck {
    /// Returns true if `binding` satisfies the condition.
    pub fn holds(&self, binding: &[u64]) -> bool {
        match self {
            BindingCheck::Compare(relation, left, right) => {
                relation.holds(left.colour(binding), right.colour(binding))
            }
            BindingCheck::And(parts) => parts.iter().all(|part| part.holds(binding)),
            BindingCheck::Or(parts) => parts.iter().any(|part| part.holds(binding)),
        }
    }

    /// Marks the variables that the condition reads.
    pub fn mark_variables(&self, into: &mut [bool]) {
        match self {
            BindingCheck::Compare(_, left, right) => {
                left.variable_terms
                    .iter()
                    .chain(&right.variable_terms)
                    .for_each(|leaf| into[leaf.slot] = true);
            }
            BindingCheck::And(parts) | BindingCheck::Or(parts) => {
                parts.iter().for_each(|part| part.mark_variables(into))
            }
        }
    }
}

/// A transition compiled for the unfolding.
#[derive(Debug)]
pub struct CompiledTransition {
    /// The variables of the transition, in the order of a binding.
    pub variables: Vec<VariableId>,
    /// Number of colours per variable.
    pub sizes: Vec<u64>,
    /// The conditions on a binding, all of which must hold: the guard, and an order of symmetric
    /// variables.
    pub checks: Vec<BindingCheck>,
    /// The input multisets, each with the index of its place.
    pub inputs: Vec<(usize, TokenPattern)>,
    /// The output multisets, each with the index of its place.
    pub outputs: Vec<(usize, TokenPattern)>,
}

/// A compiler of the terms of one transition.
pub struct TermCompiler<'n> {
    /// The net of the transition.
    pub net: &'n ColouredNet,
    /// The variables of the transition, in the order of a binding.
    pub variables: Vec<VariableId>,
}

impl TermCompiler<'_> {
    /// Translates a transition of `net`.
    pub fn transition(net: &ColouredNet, transition: &ColouredTransition) -> CompiledTransition {
        let compiler = TermCompiler { net, variables: transition.variables() };
        let arcs = |arcs: &[parikh_net::coloured::ColouredArc]| {
            arcs.iter()
                .map(|arc| (arc.place.index(), compiler.tokens(&arc.inscription)))
                .collect::<Vec<_>>()
        };
        let checks = match &transition.guard {
            Guard::And(parts) => parts.iter().map(|part| compiler.check(part)).collect(),
            guard => vec![compiler.check(guard)],
        };
        CompiledTransition {
            sizes: compiler.variables.iter().map(|&it| net.variable_size(it)).collect(),
            checks,
            inputs: arcs(&transition.inputs),
            outputs: arcs(&transition.outputs),
            variables: compiler.variables,
        }
    }

    /// Translates a multiset.
    pub fn tokens(&self, multiset: &Multiset) -> TokenPattern {
        match multiset {
            Multiset::Tokens { count, term } => TokenPattern::Tokens(*count, self.pattern(term)),
            Multiset::Sum(parts) => {
                TokenPattern::Sum(parts.iter().map(|part| self.tokens(part)).collect())
            }
            Multiset::Difference(a, b) => {
                TokenPattern::Difference(Box::new(self.tokens(a)), Box::new(self.tokens(b)))
            }
        }
    }

    /// Translates a guard.
    pub(crate) fn check(&self, guard: &Guard) -> BindingCheck {
        match guard {
            Guard::Compare(relation, left, right) => {
                BindingCheck::Compare(*relation, self.pattern(left), self.pattern(right))
            }
            Guard::And(parts) => {
                BindingCheck::And(parts.iter().map(|part| self.check(part)).collect())
            }
            Guard::Or(parts) => {
                BindingCheck::Or(parts.iter().map(|part| self.check(part)).collect())
            }
        }
    }

    /// Translates a term.
    fn pattern(&self, term: &Term) -> ColourPattern {
        let mut pattern = ColourPattern::default();
        self.add_term(term, 1, &mut pattern);
        pattern
    }

    /// Adds a term to a pattern. `stride` is the factor of the term in the number of the whole
    /// colour.
    fn add_term(&self, term: &Term, stride: u64, pattern: &mut ColourPattern) {
        let net = self.net;
        let size = net.term_size(term);
        match term {
            Term::Tuple(parts) => {
                let mut stride = stride;
                for part in parts.iter().rev() {
                    self.add_term(part, stride, pattern);
                    stride *= net.term_size(part);
                }
            }
            Term::All(_) => {
                if size > 1 {
                    pattern.wildcards.push((stride, size));
                }
            }
            term => {
                let (variable, shift, blocks) = self.variable_part(term);
                match variable {
                    None => {
                        // A constant term does not depend on the binding.
                        let value = net.colour(term, &[] as &[BoundColour]);
                        pattern.constant_colour += stride * value;
                        pattern.constants.push((stride, size, value));
                    }
                    Some(variable) => {
                        let of = net.variable_size(variable);
                        let shift = i128::from(shift).rem_euclid(i128::from(of)) as u64;
                        // Every variable of the term is a variable of the transition.
                        let slot = self.variables.binary_search(&variable).unwrap_or(0);
                        pattern.variable_terms.push(VariableTerm {
                            slot,
                            stride,
                            size,
                            shift,
                            variable_size: of,
                            blocks,
                        });
                    }
                }
            }
        }
    }

    /// Returns three properties of a term that is no tuple: its variable, the shift of the
    /// variable, and the block of each colour. The variable is `None` for a constant. The blocks
    /// are `None` if no partition is applied. Nested blocks are composed.
    fn variable_part(&self, term: &Term) -> (Option<VariableId>, i64, Option<Arc<[u32]>>) {
        match term {
            Term::Variable(variable) => (Some(*variable), 0, None),
            // Partitions are not cyclic, so a shifted term has no blocks.
            Term::Shift { of, by } => {
                let (variable, shift, blocks) = self.variable_part(of);
                (variable, shift.wrapping_add(*by), blocks)
            }
            Term::Block { partition, of } => {
                let (variable, shift, inner) = self.variable_part(of);
                let blocks = match (self.net.sort(*partition).kind(), inner) {
                    (SortKind::Partition { block_of, .. }, None) => Some(Arc::from(&block_of[..])),
                    (SortKind::Partition { block_of, .. }, Some(inner)) => {
                        Some(inner.iter().map(|&block| block_of[block as usize]).collect())
                    }
                    (_, inner) => inner,
                };
                (variable, shift, blocks)
            }
            Term::Constant { .. } | Term::Tuple(_) | Term::All(_) => (None, 0, None),
        }
    }
}
