//! Construction of a coloured net. Sorts, variables, places, transitions and arcs are checked when
//! they are added. So code that traverses a finished net need not check terms again.

use super::sort::{Sort, SortId, SortKind};
use super::term::{Guard, Multiset, Term, VariableId};
use super::{
    ColouredArc, ColouredNet, ColouredNode, ColouredPlace, ColouredPlaceId, ColouredTransition,
    ColouredTransitionId, Variable,
};
use crate::assumption::Assumption;
use std::collections::HashSet;

/// The reason why a part of a coloured net is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColourError {
    /// Two nodes share an id.
    #[error("the id `{0}` is used by two nodes")]
    DuplicateId(String),
    /// A node has no id.
    #[error("a node has an empty id")]
    EmptyId,
    /// A sort without colours.
    #[error("the sort `{0}` has no colour")]
    EmptySort(String),
    /// A sort with too many colours to count.
    #[error("the sort `{0}` has more than 2^62 colours")]
    HugeSort(String),
    /// A tuple in a term whose sorts have more than 2⁶² combinations of colours. Contains the
    /// number of components of the tuple.
    #[error("a tuple of {0} has more than 2^62 values")]
    HugeTuple(usize),
    /// A sort with two colours of one name. Contains the names of the sort and of the colour.
    #[error("the sort `{0}` has two colours with the name `{1}`")]
    DuplicateColour(String, String),
    /// A partition that does not assign each colour of its sort to exactly one block, or a sort
    /// that is used as a partition but is not one.
    #[error("the partition `{0}` must contain each colour of its sort in exactly one element")]
    BadPartition(String),
    /// A term of the wrong sort.
    #[error("found a colour of {found}, expected one of {expected}")]
    WrongSort {
        /// The sort found.
        found: String,
        /// The sort expected.
        expected: String,
    },
    /// A successor or predecessor in a sort that is not cyclic.
    #[error("the sort {0} is not cyclic, so its colours have no successor or predecessor")]
    NotCyclic(String),
    /// An order comparison between tuples.
    #[error("colours of {0} are tuples, which are not ordered")]
    NotOrdered(String),
    /// The multiset `all` where a single colour is needed.
    #[error("found `all`, which means all colours, expected one colour")]
    AllHere,
    /// A variable in an initial marking. Contains the ids of the place and the variable.
    #[error("the initial marking of place `{0}` contains the variable `{1}`")]
    Unbound(String, String),
    /// Too many sorts, variables, places or transitions: an index exceeds 32 bits.
    #[error("the net has more than 2^32 - 1 sorts, variables, places or transitions")]
    TooLarge,
}

/// The type of a term: a declared sort, or an unnamed product.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    Sort(SortId),
    Tuple(Vec<Type>),
}

impl ColouredNet {
    /// Makes an empty net with this name.
    pub fn new(name: impl Into<String>) -> Self {
        ColouredNet { name: name.into(), ..ColouredNet::default() }
    }

    /// Renames the net.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// Gives the net a label, that is, a name shown to users. Blanks around the label are dropped,
    /// and other blanks become spaces.
    pub fn set_label(&mut self, label: &str) {
        self.label = label.trim().replace(char::is_whitespace, " ");
    }

    /// Adds an assumption about the model, unless the net has it already.
    pub fn assume(&mut self, assumption: Assumption) {
        crate::assumption::add(&mut self.assumptions, assumption);
    }

    /// Adds a sort. Sorts to which its kind refers must be added before.
    ///
    /// # Errors
    /// If the sort has no colours, too many colours, or two colours of one name. Also if a
    /// partition does not cover its sort, or if there are too many sorts.
    pub fn add_sort(&mut self, name: &str, kind: SortKind) -> Result<SortId, ColourError> {
        let size = match &kind {
            SortKind::Dot => 1,
            SortKind::Enumeration { constants, .. } => {
                check_distinct(name, constants)?;
                constants.len() as u64
            }
            SortKind::Range { start, end } if start > end => 0,
            SortKind::Range { start, end } => end.abs_diff(*start).saturating_add(1),
            SortKind::Product(parts) if parts.is_empty() => 0,
            SortKind::Product(parts) => parts
                .iter()
                .map(|&part| self.sort(part).size())
                .try_fold(1u64, u64::checked_mul)
                .unwrap_or(u64::MAX),
            SortKind::Partition { of, elements, block_of } => {
                check_distinct(name, elements)?;
                let is_valid = block_of.len() as u64 == self.sort(*of).size()
                    && block_of.iter().all(|&block| (block as usize) < elements.len());
                if !is_valid {
                    return Err(ColourError::BadPartition(name.to_owned()));
                }
                elements.len() as u64
            }
        };
        if size == 0 {
            return Err(ColourError::EmptySort(name.to_owned()));
        }
        if size > 1 << 62 {
            return Err(ColourError::HugeSort(name.to_owned()));
        }
        let id = SortId(next_number(self.sorts.len())?);
        self.sorts.push(Sort { name: name.to_owned(), kind, size });
        Ok(id)
    }

    /// Adds a variable.
    ///
    /// # Errors
    /// If there are too many variables.
    pub fn add_variable(&mut self, name: &str, sort: SortId) -> Result<VariableId, ColourError> {
        let id = VariableId(next_number(self.variables.len())?);
        self.variables.push(Variable { name: name.to_owned(), sort });
        Ok(id)
    }

    /// Adds a place with its initial marking.
    ///
    /// # Errors
    /// If the id is empty or taken, or if there are too many places. Also if the marking has the
    /// wrong sort, an invalid term or a variable.
    pub fn add_place(
        &mut self,
        name: &str,
        sort: SortId,
        initial: Multiset,
    ) -> Result<ColouredPlaceId, ColourError> {
        let id = ColouredPlaceId(next_number(self.places.len())?);
        self.reserve_id(name, ColouredNode::Place(id))?;
        let (name, initially) = (name.to_owned(), Multiset::EMPTY);
        self.places.push(ColouredPlace { name, label: None, sort, initial: initially });
        self.set_initial(id, initial)?;
        Ok(id)
    }

    /// Sets the initial marking of a place.
    ///
    /// # Errors
    /// If the marking has the wrong sort, an invalid term or a variable.
    pub fn set_initial(
        &mut self,
        place: ColouredPlaceId,
        initial: Multiset,
    ) -> Result<(), ColourError> {
        self.check_multiset(&initial, self.place(place).sort)?;
        let mut variables = Vec::new();
        initial.variables(&mut variables);
        if let Some(&variable) = variables.first() {
            let (place, variable) = (self.place(place), self.variable(variable));
            return Err(ColourError::Unbound(place.name.clone(), variable.name.clone()));
        }
        self.places[place.index()].initial = initial;
        Ok(())
    }

    /// Adds a transition.
    ///
    /// # Errors
    /// If the id is empty or taken, if the guard has an invalid comparison, or if there are too
    /// many transitions.
    pub fn add_transition(
        &mut self,
        name: &str,
        guard: Guard,
    ) -> Result<ColouredTransitionId, ColourError> {
        self.check_guard(&guard)?;
        let id = ColouredTransitionId(next_number(self.transitions.len())?);
        self.reserve_id(name, ColouredNode::Transition(id))?;
        let name = name.to_owned();
        let (takes, puts) = (vec![], vec![]);
        self.transitions.push(ColouredTransition {
            name,
            label: None,
            guard,
            inputs: takes,
            outputs: puts,
        });
        Ok(id)
    }

    /// Sets the label of a place. If `label` equals the id, the place has no label afterwards.
    pub fn label_place(&mut self, place: ColouredPlaceId, label: &str) {
        let place = &mut self.places[place.index()];
        place.label = (label != place.name).then(|| label.to_owned());
    }

    /// Sets the label of a transition. If `label` equals the id, the transition has no label
    /// afterwards.
    pub fn label_transition(&mut self, t: ColouredTransitionId, label: &str) {
        let transition = &mut self.transitions[t.index()];
        transition.label = (label != transition.name).then(|| label.to_owned());
    }

    /// Adds an arc: `t` consumes the tokens of `inscription` from `place`.
    ///
    /// # Errors
    /// If the inscription is not of the place's sort, or has an invalid term.
    pub fn take(
        &mut self,
        t: ColouredTransitionId,
        place: ColouredPlaceId,
        inscription: Multiset,
    ) -> Result<(), ColourError> {
        self.check_multiset(&inscription, self.place(place).sort)?;
        self.transitions[t.index()].inputs.push(ColouredArc { place, inscription });
        Ok(())
    }

    /// Adds an arc: `t` produces the tokens of `inscription` on `place`.
    ///
    /// # Errors
    /// If the inscription is not of the place's sort, or has an invalid term.
    pub fn put(
        &mut self,
        t: ColouredTransitionId,
        place: ColouredPlaceId,
        inscription: Multiset,
    ) -> Result<(), ColourError> {
        self.check_multiset(&inscription, self.place(place).sort)?;
        self.transitions[t.index()].outputs.push(ColouredArc { place, inscription });
        Ok(())
    }

    fn reserve_id(&mut self, name: &str, node: ColouredNode) -> Result<(), ColourError> {
        if name.is_empty() {
            return Err(ColourError::EmptyId);
        }
        if self.nodes.contains_key(name) {
            return Err(ColourError::DuplicateId(name.to_owned()));
        }
        self.nodes.insert(name.into(), node);
        Ok(())
    }

    /// Checks that all terms in a multiset are valid and of a sort.
    ///
    /// # Errors
    /// If a term is of another sort or invalid. The error describes the first such term.
    pub fn check_multiset(&self, multiset: &Multiset, sort: SortId) -> Result<(), ColourError> {
        match multiset {
            Multiset::Tokens { term, .. } => self.check_term(term, sort),
            Multiset::Sum(parts) => {
                parts.iter().try_for_each(|part| self.check_multiset(part, sort))
            }
            Multiset::Difference(a, b) => {
                self.check_multiset(a, sort)?;
                self.check_multiset(b, sort)
            }
        }
    }

    /// Checks that a term is of a sort.
    ///
    /// # Errors
    /// If the term is of another sort or invalid.
    pub fn check_term(&self, term: &Term, sort: SortId) -> Result<(), ColourError> {
        let found = self.type_of(term)?;
        if self.conforms(&found, sort) {
            return Ok(());
        }
        Err(ColourError::WrongSort {
            found: self.type_name(&found),
            expected: self.type_name(&Type::Sort(sort)),
        })
    }

    /// Checks that each comparison in a guard is valid. Both sides must be valid terms without
    /// `all`, of the same sort or of sorts with equal colours. The comparisons `<`, `<=`, `>` and
    /// `>=` are invalid for tuples.
    ///
    /// # Errors
    /// The first invalid comparison.
    pub fn check_guard(&self, guard: &Guard) -> Result<(), ColourError> {
        match guard {
            Guard::Compare(relation, left, right) => {
                if left.has_all() || right.has_all() {
                    return Err(ColourError::AllHere);
                }
                let (a, b) = (self.type_of(left)?, self.type_of(right)?);
                if !self.have_equal_colours(&a, &b) {
                    return Err(ColourError::WrongSort {
                        found: self.type_name(&b),
                        expected: self.type_name(&a),
                    });
                }
                let has_order = matches!(a, Type::Sort(sort) if self.sort(sort).is_ordered());
                let is_equality =
                    matches!(relation, super::Relation::Equal | super::Relation::Unequal);
                match has_order || is_equality {
                    true => Ok(()),
                    false => Err(ColourError::NotOrdered(self.type_name(&a))),
                }
            }
            Guard::And(parts) | Guard::Or(parts) => {
                parts.iter().try_for_each(|part| self.check_guard(part))
            }
        }
    }

    /// Returns the type of a term, or an error if a part of the term is invalid.
    fn type_of(&self, term: &Term) -> Result<Type, ColourError> {
        Ok(match term {
            Term::Constant { sort, .. } | Term::All(sort) => Type::Sort(*sort),
            Term::Variable(variable) => Type::Sort(self.variable(*variable).sort),
            Term::Shift { of, .. } => {
                let operand_type = self.type_of(of)?;
                match (&operand_type, of.has_all()) {
                    (_, true) => return Err(ColourError::AllHere),
                    (Type::Sort(sort), _) if self.sort(*sort).is_cyclic() => operand_type,
                    _ => return Err(ColourError::NotCyclic(self.type_name(&operand_type))),
                }
            }
            Term::Block { partition, of } => {
                if of.has_all() {
                    return Err(ColourError::AllHere);
                }
                match self.sort(*partition).kind() {
                    SortKind::Partition { of: sort, .. } => self.check_term(of, *sort)?,
                    _ => return Err(ColourError::BadPartition(self.sort(*partition).name.clone())),
                }
                Type::Sort(*partition)
            }
            Term::Tuple(parts) => {
                // This refuses parts whose sizes overflow.
                let types = parts.iter().map(|it| self.type_of(it)).collect::<Result<_, _>>()?;
                // A tuple need not have a declared sort, which `add_sort` would refuse.
                let sizes = parts.iter().map(|part| u128::from(self.term_size(part)));
                let size = sizes.fold(1u128, |size, part| size.saturating_mul(part));
                if size > 1 << 62 {
                    return Err(ColourError::HugeTuple(parts.len()));
                }
                Type::Tuple(types)
            }
        })
    }

    fn conforms(&self, found: &Type, sort: SortId) -> bool {
        self.have_equal_colours(found, &Type::Sort(sort))
    }

    /// Returns true if two types have the same colours: the same declared sort, two sorts of the
    /// black token, equal ranges, or products of such types.
    fn have_equal_colours(&self, a: &Type, b: &Type) -> bool {
        let parts = |kind: &Type| match kind {
            Type::Tuple(parts) => Some(parts.clone()),
            Type::Sort(sort) => match self.sort(*sort).kind() {
                SortKind::Product(parts) => Some(parts.iter().map(|&it| Type::Sort(it)).collect()),
                _ => None,
            },
        };
        match (a, b) {
            (Type::Sort(a), Type::Sort(b)) if a == b => true,
            (a, b) => match (parts(a), parts(b)) {
                (Some(a), Some(b)) => {
                    a.len() == b.len()
                        && a.iter().zip(&b).all(|(a, b)| self.have_equal_colours(a, b))
                }
                (None, None) => {
                    let (Type::Sort(a), Type::Sort(b)) = (a, b) else { return false };
                    match (self.sort(*a).kind(), self.sort(*b).kind()) {
                        (SortKind::Dot, SortKind::Dot) => true,
                        (a @ SortKind::Range { .. }, b @ SortKind::Range { .. }) => a == b,
                        _ => false,
                    }
                }
                _ => false,
            },
        }
    }

    fn type_name(&self, kind: &Type) -> String {
        match kind {
            Type::Sort(sort) => format!("`{}`", self.sort(*sort).name),
            Type::Tuple(parts) => {
                let names: Vec<String> = parts.iter().map(|part| self.type_name(part)).collect();
                format!("({})", names.join(", "))
            }
        }
    }
}

fn next_number(count: usize) -> Result<u32, ColourError> {
    u32::try_from(count).map_err(|_| ColourError::TooLarge)
}

fn check_distinct(sort: &str, names: &[Box<str>]) -> Result<(), ColourError> {
    let mut seen_names = HashSet::with_capacity(names.len());
    match names.iter().find(|name| !seen_names.insert(&***name)) {
        Some(name) => Err(ColourError::DuplicateColour(sort.to_owned(), name.to_string())),
        None => Ok(()),
    }
}
