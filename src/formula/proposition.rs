//! Questions as formulas over what is asked of the reachable markings.
//!
//! Whatever is asked comes down to *atoms*: goals, that a marking can be reached or that something
//! stays reachable. Each is true or false of a net as a whole. A [`Proposition`] combines them by
//! negation, conjunction, disjunction and equivalence, a [`Query`] asks whether one is true, or for
//! the largest of several maxima. The type of the atoms is left open: [`lower`](super::lower())
//! makes propositions over goals, and plans number these goals.

/// A Boolean formula over atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition<A> {
    /// What needs no atom, for the initial marking decides it.
    Constant(bool),
    /// The atom is true.
    Atom(A),
    /// The part is false.
    Not(Box<Proposition<A>>),
    /// All parts are true; of none, true.
    And(Vec<Proposition<A>>),
    /// Some part is true; of none, false.
    Or(Vec<Proposition<A>>),
    /// Both parts are true, or both are false.
    Iff(Box<[Proposition<A>; 2]>),
    /// The first is true. It implies each of the others, so that any of these may show earlier that
    /// it is false, and none is needed to show that it is true.
    Main(Box<Proposition<A>>, Vec<Proposition<A>>),
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query<A> {
    /// Whether this is true.
    Truth(Proposition<A>),
    /// The largest of these maxima; of none, 0.
    Largest(Vec<A>),
}

impl<A> Proposition<A> {
    /// The negation, without two negations in a row.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Proposition::Constant(value) => Proposition::Constant(!value),
            Proposition::Not(part) => *part,
            part => Proposition::Not(Box::new(part)),
        }
    }

    /// That all of `parts` are true, or that some of them is; constants are gone, and a junction of
    /// one part is that part.
    pub fn junction(all: bool, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut left = Vec::new();
        for part in parts {
            match part {
                Proposition::Constant(value) if value == all => {}
                Proposition::Constant(value) => return Proposition::Constant(value),
                Proposition::And(parts) if all => left.extend(parts),
                Proposition::Or(parts) if !all => left.extend(parts),
                part => left.push(part),
            }
        }
        match (left.len(), all) {
            (0, _) => Proposition::Constant(all),
            (1, _) => left.remove(0),
            (_, true) => Proposition::And(left),
            (_, false) => Proposition::Or(left),
        }
    }

    /// `main`, which implies these.
    pub fn implying(main: Self, others: impl IntoIterator<Item = Self>) -> Self {
        let others: Vec<Self> = others.into_iter().collect();
        if others.iter().any(|other| matches!(other, Proposition::Constant(false))) {
            return Proposition::Constant(false);
        }
        let says_something = |other: &Self| !matches!(other, Proposition::Constant(_));
        let others: Vec<Self> = others.into_iter().filter(says_something).collect();
        match main {
            main if others.is_empty() => main,
            constant @ Proposition::Constant(_) => constant,
            main => Proposition::Main(Box::new(main), others),
        }
    }

    /// The same, which `other` says as well: either may show it.
    #[must_use]
    pub fn equal_to(self, other: Self) -> Self
    where
        A: Clone,
    {
        let below = Proposition::implying(self, [other.clone()]);
        Proposition::implying(below.negated(), [other.negated()]).negated()
    }

    /// The same without what is said to follow from its parts.
    #[must_use]
    pub fn without_consequences(self) -> Self {
        let all = |parts: Vec<Self>| parts.into_iter().map(Self::without_consequences).collect();
        match self {
            Proposition::Constant(_) | Proposition::Atom(_) => self,
            Proposition::Not(part) => part.without_consequences().negated(),
            Proposition::And(parts) => Proposition::And(all(parts)),
            Proposition::Or(parts) => Proposition::Or(all(parts)),
            Proposition::Iff(both) => {
                Proposition::Iff(Box::new((*both).map(Self::without_consequences)))
            }
            Proposition::Main(main, _) => main.without_consequences(),
        }
    }

    /// That both are true or both are false.
    pub fn equivalence(one: Self, other: Self) -> Self {
        match (one, other) {
            (Proposition::Constant(true), part) | (part, Proposition::Constant(true)) => part,
            (Proposition::Constant(false), part) | (part, Proposition::Constant(false)) => {
                part.negated()
            }
            (one, other) => Proposition::Iff(Box::new([one, other])),
        }
    }

    /// The only atom, and whether the proposition is true when that is; `None` where there are
    /// several, or none.
    pub fn only_atom(&self) -> Option<(&A, bool)> {
        match self {
            Proposition::Atom(atom) => Some((atom, true)),
            Proposition::Not(part) => part.only_atom().map(|(atom, then)| (atom, !then)),
            _ => None,
        }
    }

    /// The same proposition with something else in the place of each atom, of consequences before
    /// those of their main part.
    pub fn replace<B>(self, by: &mut impl FnMut(A) -> Proposition<B>) -> Proposition<B> {
        let mut all = |parts: Vec<Self>| parts.into_iter().map(|part| part.replace(by)).collect();
        match self {
            Proposition::Constant(value) => Proposition::Constant(value),
            Proposition::And(parts) => Proposition::And(all(parts)),
            Proposition::Or(parts) => Proposition::Or(all(parts)),
            Proposition::Main(main, consequences) => {
                let consequences = all(consequences);
                Proposition::Main(Box::new(main.replace(by)), consequences)
            }
            Proposition::Atom(atom) => by(atom),
            Proposition::Not(part) => Proposition::Not(Box::new(part.replace(by))),
            Proposition::Iff(both) => {
                Proposition::Iff(Box::new((*both).map(|part| part.replace(by))))
            }
        }
    }

    /// Shows each atom, of consequences before those of their main part.
    pub fn atoms(&self, show: &mut impl FnMut(&A)) {
        match self {
            Proposition::Constant(_) => {}
            Proposition::Atom(atom) => show(atom),
            Proposition::Not(part) => part.atoms(show),
            Proposition::And(parts) | Proposition::Or(parts) => {
                parts.iter().for_each(|part| part.atoms(show));
            }
            Proposition::Iff(both) => both.iter().for_each(|part| part.atoms(show)),
            Proposition::Main(main, consequences) => {
                consequences.iter().for_each(|part| part.atoms(show));
                main.atoms(show);
            }
        }
    }

    /// Whether it is true, given which atoms are.
    pub fn value(&self, of: &impl Fn(&A) -> bool) -> bool {
        match self {
            Proposition::Constant(value) => *value,
            Proposition::Atom(atom) => of(atom),
            Proposition::Not(part) => !part.value(of),
            Proposition::And(parts) => parts.iter().all(|part| part.value(of)),
            Proposition::Or(parts) => parts.iter().any(|part| part.value(of)),
            Proposition::Iff(both) => both[0].value(of) == both[1].value(of),
            Proposition::Main(main, _) => main.value(of),
        }
    }
}

impl<A> Query<A> {
    /// Shows each atom.
    pub fn atoms(&self, show: &mut impl FnMut(&A)) {
        match self {
            Query::Truth(proposition) => proposition.atoms(show),
            Query::Largest(atoms) => atoms.iter().for_each(show),
        }
    }

    /// The only atom, and whether the answer is TRUE when that is true; `None` where there are
    /// several, or none.
    pub fn only_atom(&self) -> Option<(&A, bool)> {
        match self {
            Query::Truth(proposition) => proposition.only_atom(),
            Query::Largest(atoms) => match &atoms[..] {
                [atom] => Some((atom, true)),
                _ => None,
            },
        }
    }
}
