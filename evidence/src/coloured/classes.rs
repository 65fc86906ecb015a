//! Merged colours: checks that the quotient by classes of colours is equivalent to the coloured
//! net.
//!
//! If nothing in a coloured net distinguishes some colours of a sort, a prover may work on a
//! smaller net in which these colours are merged. The evidence lists such *classes* of colours by
//! name. The first colour of a class, its *head*, represents the class: variables have only heads
//! as values, and tokens moved by an arc are counted at the heads of their colours. A colour of a
//! sort without classes is a head. The head of a tuple consists of the heads of its components. If
//! some class has colours of two parts of a partition, all parts of the partition are one class,
//! with the first part as the head.
//!
//! # Conditions
//! For all bindings b of a transition, where h(b) has the heads of b's colours:
//!
//! 1. An arc moves the same colours under b and under h(b), up to heads: the successors of a colour
//!    and of its head have the same head, and so have their parts; the operands of a difference are
//!    of a sort in which each colour is a head.
//! 2. The guard holds under b if and only if it holds under h(b).
//! 3. A multiset taken from a place is of a sort in which each colour is a head. Or it is a sum of
//!    single tokens, and each component of a token whose colour shares a class with others is a
//!    variable, possibly shifted, that occurs nowhere else in what the transition takes.
//!
//! # Soundness
//! A marking M has an image h(M), in which a place holds, of each head, as many tokens as it holds
//! of that head's class in M. If b is enabled in M, then h(b) is enabled in h(M), and leads to the
//! image of the marking to which b leads (1, 2). Conversely, let h(b) be enabled in h(M). For each
//! token that it takes, M has one of the same class. By (3) these tokens can be chosen one by one,
//! and each determines its variables. So some binding b' with h(b') = h(b) takes these tokens (1),
//! its guard holds (2), and it leads to a marking whose image is the result of h(b). So M and h(M)
//! are bisimilar: they agree on the totals of coloured places and the enabled coloured transitions,
//! now and after any firings. Hence they satisfy the same formulas of CTL* over these, have the
//! same maxima, and agree on liveness. They do not agree on the number of markings, or on fairness
//! to a single *binding*.

use super::meaning::{GuardTerm, MultisetTerm};
use super::net::{ColouredModel, GuardedTransition};
use super::sorts::{Declarations, SortStructure};
use super::tries::{ColourBudget, UnfoldingFlaw};
use parikh_net::coloured::NamedClasses;
use parikh_net::printable::Quoted;
use std::collections::{HashMap, HashSet};

/// The head of each colour, that is, the first colour of its class, which represents the class. The
/// heads are grouped by sort.
#[derive(Debug)]
pub(super) struct ClassHeads<'m> {
    /// The sorts and variables of the net.
    declarations: &'m Declarations,
    /// The heads of the colours of each sort, by sort index.
    heads: Vec<SortHeads>,
}

/// The heads of a sort's colours.
#[derive(Debug)]
enum SortHeads {
    /// Every colour is its own head.
    Identity,
    /// The head of each colour, indexed by colour.
    Table(Vec<u64>),
    /// The head of a tuple consists of the heads of its components.
    OfComponents,
}

/// A set of colours of a sort, in ascending order.
#[derive(Debug)]
pub(super) enum ColourSet {
    /// The first colours of a sort; the field is the number of colours.
    All(u64),
    /// The listed colours.
    Listed(Vec<u64>),
    /// Tuples of components from these sets, each with the size of its sort.
    Tuples(Vec<(ColourSet, u64)>),
}

impl ColourSet {
    /// Returns the number of colours.
    pub(super) fn count(&self) -> u64 {
        match self {
            ColourSet::All(count) => *count,
            ColourSet::Listed(colours) => colours.len() as u64,
            // The product does not overflow, because it is at most the size of the sort.
            ColourSet::Tuples(parts) => parts.iter().map(|(part, _)| part.count()).product(),
        }
    }

    /// Returns the colour at a position.
    pub(super) fn colour(&self, position: u64) -> u64 {
        match self {
            ColourSet::All(_) => position,
            ColourSet::Listed(colours) => colours[position as usize],
            ColourSet::Tuples(parts) => {
                let (mut colour, mut scale, mut remaining) = (0, 1, position);
                for (part, size) in parts.iter().rev() {
                    colour += scale * part.colour(remaining % part.count());
                    remaining /= part.count();
                    scale *= size;
                }
                colour
            }
        }
    }
}

impl<'m> ClassHeads<'m> {
    /// Checks the listed classes against the conditions of the module documentation, and returns
    /// the head of each colour.
    ///
    /// # Errors
    /// When a condition is violated or not shown, or the names of a list are not those of a sort's
    /// colours. Also when the limit on tried colours is exceeded or the check is stopped.
    pub(super) fn of(
        model: &'m ColouredModel,
        listed: &[NamedClasses],
        budget: &mut ColourBudget<'_>,
    ) -> Result<Self, UnfoldingFlaw> {
        let declarations = &model.declarations;
        let mut classes = ClassHeads { declarations, heads: Vec::new() };
        let mut unused: Vec<&NamedClasses> = listed.iter().collect();
        for sort in 0..declarations.sort_count() {
            let heads = match declarations.kind(sort) {
                _ if listed.is_empty() => SortHeads::Identity,
                SortStructure::Product(parts) => {
                    match parts.iter().all(|&part| classes.has_only_heads(part)) {
                        true => SortHeads::Identity,
                        false => SortHeads::OfComponents,
                    }
                }
                SortStructure::Partition { of, part_of, .. } => {
                    let mut is_kept = true;
                    for (colour, &part) in (0..).zip(part_of) {
                        budget.spend_one()?;
                        is_kept &= part_of[classes.head(*of, colour) as usize] == part;
                    }
                    let parts = declarations.size(sort) as usize;
                    if is_kept { SortHeads::Identity } else { SortHeads::Table(vec![0; parts]) }
                }
                SortStructure::Dot => SortHeads::Identity,
                SortStructure::Boolean
                | SortStructure::Constants { .. }
                | SortStructure::Range(_) => {
                    let mut sort_heads = SortHeads::Identity;
                    for named in listed {
                        if let Some(heads) = classes.listed_heads(sort, named, budget)? {
                            unused.retain(|&other| !std::ptr::eq(other, named));
                            sort_heads = SortHeads::Table(heads);
                        }
                    }
                    sort_heads
                }
            };
            classes.heads.push(heads);
        }
        if let Some(named) = unused.first() {
            let name = named.first().and_then(|class| class.first()).map_or("", String::as_str);
            let name = Quoted(name);
            return Err(wrong_unfolding(format!(
                "no sort contains {name} and the other colours of its class"
            )));
        }
        if !listed.is_empty() {
            for transition in &model.transitions {
                classes.check_transition(model, transition, budget)?;
            }
        }
        Ok(classes)
    }

    /// Returns the heads of a sort's colours, indexed by colour. Returns `None` unless the names in
    /// the classes are exactly those of all colours of the sort.
    fn listed_heads(
        &self,
        sort: usize,
        named: &NamedClasses,
        budget: &mut ColourBudget<'_>,
    ) -> Result<Option<Vec<u64>>, UnfoldingFlaw> {
        let count: usize = named.iter().map(Vec::len).sum();
        if count as u64 != self.declarations.size(sort) {
            return Ok(None);
        }
        let classes = named.iter().enumerate();
        let class_of: HashMap<&str, usize> = classes
            .flat_map(|(class, names)| names.iter().map(move |name| (&**name, class)))
            .collect();
        let (mut head_of, mut heads) = (HashMap::new(), Vec::with_capacity(count));
        for colour in 0..count as u64 {
            budget.spend_one()?;
            let mut name = String::new();
            self.declarations.write_colour(&mut name, sort, colour, true);
            let Some(class) = class_of.get(&*name) else { return Ok(None) };
            heads.push(*head_of.entry(class).or_insert(colour));
        }
        Ok(Some(heads))
    }

    /// Returns true if no sort has listed or derived classes, so that every colour is its own head.
    /// Returns false for a sort with listed classes, even if each class has one colour.
    pub(super) fn are_trivial(&self) -> bool {
        self.heads.iter().all(|heads| matches!(heads, SortHeads::Identity))
    }

    /// Returns the head of a colour.
    pub(super) fn head(&self, sort: usize, colour: u64) -> u64 {
        match &self.heads[sort] {
            SortHeads::Identity => colour,
            SortHeads::Table(heads) => heads[colour as usize],
            SortHeads::OfComponents => {
                let mut head = 0;
                for (part, colour) in self.declarations.components(sort, colour) {
                    head = head * self.declarations.size(part) + self.head(part, colour);
                }
                head
            }
        }
    }

    /// Returns all heads of a sort, as a set of colours.
    pub(super) fn heads_of(&self, sort: usize) -> ColourSet {
        match (&self.heads[sort], self.declarations.kind(sort)) {
            (SortHeads::Table(heads), _) => {
                let own_heads = (0..).zip(heads).filter(|&(colour, &head)| colour == head);
                ColourSet::Listed(own_heads.map(|(colour, _)| colour).collect())
            }
            (SortHeads::OfComponents, SortStructure::Product(parts)) => {
                let parts = parts.iter();
                let size = |part| self.declarations.size(part);
                ColourSet::Tuples(parts.map(|&part| (self.heads_of(part), size(part))).collect())
            }
            _ => ColourSet::All(self.declarations.size(sort)),
        }
    }

    /// Returns true if a sort has no listed or derived classes, so that each colour is a head.
    fn has_only_heads(&self, sort: usize) -> bool {
        matches!(self.heads[sort], SortHeads::Identity)
    }

    /// Returns the sort of a variable.
    fn variable_sort(&self, variable: usize) -> usize {
        self.declarations.variables[variable].sort
    }

    /// Checks the three conditions of the module documentation for a transition.
    ///
    /// # Errors
    /// [`UnfoldingFlaw::Wrong`] if a condition is violated or not shown; an error if the limit on
    /// tried colours is exceeded or the check is stopped.
    fn check_transition(
        &self,
        model: &ColouredModel,
        transition: &GuardedTransition,
        budget: &mut ColourBudget<'_>,
    ) -> Result<(), UnfoldingFlaw> {
        let may_distinguish = |by: &str| {
            let id = Quoted(&transition.id);
            wrong_unfolding(format!("{by} of {id} may distinguish colours that were merged"))
        };
        if !self.guard_respects_heads(&transition.guard, budget)? {
            return Err(may_distinguish("the guard"));
        }
        for (place, term) in transition.inputs.iter().chain(&transition.outputs) {
            if !self.respects_heads(term, model.places[*place].sort, budget)? {
                return Err(may_distinguish("an arc"));
            }
        }
        let mut seen = HashSet::new();
        let takes_any_token = |(place, term): &(usize, MultisetTerm)| {
            self.accepts_any_tokens(term, model.places[*place].sort, &mut seen)
        };
        match transition.inputs.iter().all(takes_any_token) {
            true => Ok(()),
            false => Err(may_distinguish("what is taken by an arc")),
        }
    }

    /// Returns true if a term with colours of `sort` satisfies condition 1 of the module
    /// documentation. False may also mean that this is not shown.
    ///
    /// # Errors
    /// When the limit on tried colours is exceeded or the check is stopped.
    fn respects_heads(
        &self,
        term: &MultisetTerm,
        sort: usize,
        budget: &mut ColourBudget<'_>,
    ) -> Result<bool, UnfoldingFlaw> {
        Ok(match term {
            MultisetTerm::Constant(_) | MultisetTerm::Variable(_) | MultisetTerm::All(_) => true,
            MultisetTerm::Shift(of, by, size) => {
                self.keeps_classes([sort, sort], &|colour| (colour + by) % size, budget)?
                    && self.respects_heads(of, sort, budget)?
            }
            MultisetTerm::PartOf(of, part_of) => {
                let SortStructure::Partition { of: cut, .. } = self.declarations.kind(sort) else {
                    return Ok(false);
                };
                self.keeps_classes([*cut, sort], &|colour| part_of[colour as usize], budget)?
                    && self.respects_heads(of, *cut, budget)?
            }
            MultisetTerm::Tuple(terms) => {
                let SortStructure::Product(parts) = self.declarations.kind(sort) else {
                    return Ok(false);
                };
                for ((term, _), &part) in terms.iter().zip(parts) {
                    if !self.respects_heads(term, part, budget)? {
                        return Ok(false);
                    }
                }
                terms.len() == parts.len()
            }
            MultisetTerm::Times(_, of) => self.respects_heads(of, sort, budget)?,
            MultisetTerm::Sum(terms) => {
                for term in terms {
                    if !self.respects_heads(term, sort, budget)? {
                        return Ok(false);
                    }
                }
                true
            }
            MultisetTerm::Minus(first, second) => {
                self.has_only_heads(sort)
                    && self.respects_heads(first, sort, budget)?
                    && self.respects_heads(second, sort, budget)?
            }
        })
    }

    /// Returns true if a function from the first sort to the second maps colours of one class to
    /// colours of one class.
    fn keeps_classes(
        &self,
        [from, to]: [usize; 2],
        function: &dyn Fn(u64) -> u64,
        budget: &mut ColourBudget<'_>,
    ) -> Result<bool, UnfoldingFlaw> {
        if self.has_only_heads(from) {
            return Ok(true);
        }
        for colour in 0..self.declarations.size(from) {
            budget.spend_one()?;
            let [image, head_image] =
                [colour, self.head(from, colour)].map(|at| self.head(to, function(at)));
            if image != head_image {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a guard satisfies condition 2 of the module documentation. False may also
    /// mean that the criterion is too weak: each comparison is checked by itself.
    ///
    /// # Errors
    /// When the limit on tried colours is exceeded or the check is stopped.
    fn guard_respects_heads(
        &self,
        guard: &GuardTerm,
        budget: &mut ColourBudget<'_>,
    ) -> Result<bool, UnfoldingFlaw> {
        match guard {
            GuardTerm::All(parts) | GuardTerm::Any(parts) => {
                for part in parts {
                    if !self.guard_respects_heads(part, budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            GuardTerm::Not(of) => self.guard_respects_heads(of, budget),
            GuardTerm::Compare(_, sides) => {
                let mut variables = Vec::new();
                guard.variables(&mut variables);
                variables.sort_unstable();
                variables.dedup();
                if let [variable] = variables[..] {
                    return self.function_equals_at_heads(
                        variable,
                        &|binding| guard.holds(binding),
                        budget,
                    );
                }
                Ok(self.term_equals_at_heads(&sides[0].0, budget)?
                    && self.term_equals_at_heads(&sides[1].0, budget)?)
            }
        }
    }

    /// Returns true if a term of one colour has the same value under each binding and under the
    /// heads of the binding's colours. False may also mean that this is not shown.
    fn term_equals_at_heads(
        &self,
        term: &MultisetTerm,
        budget: &mut ColourBudget<'_>,
    ) -> Result<bool, UnfoldingFlaw> {
        if let MultisetTerm::Tuple(parts) = term {
            for (part, _) in parts {
                if !self.term_equals_at_heads(part, budget)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let mut variables = Vec::new();
        term.variables(&mut variables);
        match variables[..] {
            [] => Ok(true),
            [variable] => {
                self.function_equals_at_heads(variable, &|binding| term.colour(binding), budget)
            }
            _ => Ok(variables
                .iter()
                .all(|&variable| self.has_only_heads(self.variable_sort(variable)))),
        }
    }

    /// Returns true if a function of one variable has the same value at each colour and at its
    /// head.
    fn function_equals_at_heads<T: PartialEq>(
        &self,
        variable: usize,
        value: &dyn Fn(&[u64]) -> T,
        budget: &mut ColourBudget<'_>,
    ) -> Result<bool, UnfoldingFlaw> {
        let sort = self.variable_sort(variable);
        if self.has_only_heads(sort) {
            return Ok(true);
        }
        let mut binding = vec![0; self.declarations.variables.len()];
        let mut value_at = |colour| {
            binding[variable] = colour;
            value(&binding)
        };
        for colour in 0..self.declarations.size(sort) {
            budget.spend_one()?;
            if value_at(colour) != value_at(self.head(sort, colour)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns true if a term with colours of `sort`, taken from a place, satisfies condition 3 of
    /// the module documentation. `seen` has the variables of earlier terms, and gets the variables
    /// of this term whose colours share a class.
    fn accepts_any_tokens(
        &self,
        term: &MultisetTerm,
        sort: usize,
        seen: &mut HashSet<usize>,
    ) -> bool {
        match term {
            _ if self.has_only_heads(sort) => true,
            MultisetTerm::Times(0, _) => true,
            MultisetTerm::Times(1, of) => self.accepts_any_tokens(of, sort, seen),
            MultisetTerm::Sum(parts) => {
                parts.iter().all(|part| self.accepts_any_tokens(part, sort, seen))
            }
            term => self.is_any_colour(term, sort, seen),
        }
    }

    /// Returns true if a term is one colour, and each of its components that shares a class with
    /// other colours is an unseen variable, possibly shifted. Adds the variables of these
    /// components to `seen`.
    fn is_any_colour(&self, term: &MultisetTerm, sort: usize, seen: &mut HashSet<usize>) -> bool {
        match (term, self.declarations.kind(sort)) {
            // By condition 1, a shift maps classes to classes, and it is a bijection. So each
            // colour of a class comes from one colour of one class.
            (MultisetTerm::Shift(of, ..), _) => self.is_any_colour(of, sort, seen),
            (MultisetTerm::Variable(variable), _) => {
                self.has_only_heads(sort) || seen.insert(*variable)
            }
            (MultisetTerm::Constant(colour), _) => {
                self.has_only_heads(sort) || self.is_only_of_class(sort, *colour)
            }
            (MultisetTerm::Tuple(terms), SortStructure::Product(parts)) => {
                let mut parts = terms.iter().zip(parts);
                parts.all(|((term, _), &part)| self.is_any_colour(term, part, seen))
            }
            _ => self.has_only_heads(sort) && term.is_one_colour(),
        }
    }

    /// Returns true if a colour is the only one of its class.
    fn is_only_of_class(&self, sort: usize, colour: u64) -> bool {
        match &self.heads[sort] {
            SortHeads::Identity => true,
            SortHeads::Table(heads) => {
                let head = heads[colour as usize];
                heads.iter().filter(|&&other| other == head).count() == 1
            }
            SortHeads::OfComponents => {
                let mut components = self.declarations.components(sort, colour).into_iter();
                components.all(|(part, colour)| self.is_only_of_class(part, colour))
            }
        }
    }
}

fn wrong_unfolding(what: String) -> UnfoldingFlaw {
    UnfoldingFlaw::Wrong(what)
}
