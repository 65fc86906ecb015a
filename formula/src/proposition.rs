//! Boolean formulas over atoms.
//!
//! All questions are reduced to *atoms*, such as the goals "a marking is reachable" or "φ stays
//! reachable". An atom is true or false of the whole net. A [`Proposition`] combines atoms by
//! negation, conjunction, disjunction and equivalence. A [`Query`] asks for the truth of a
//! proposition, or for the largest of several maxima. The type of the atoms is generic:
//! [`lower`](super::lower()) returns propositions over goals, and plans use the numbers of these
//! goals.

/// A Boolean formula over atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proposition<A> {
    /// A constant truth value.
    Constant(bool),
    /// The atom is true.
    Atom(A),
    /// The operand is false.
    Not(Box<Proposition<A>>),
    /// All operands are true. An empty conjunction is true.
    And(Vec<Proposition<A>>),
    /// At least one operand is true. An empty disjunction is false.
    Or(Vec<Proposition<A>>),
    /// Both operands are true, or both are false.
    Iff(Box<[Proposition<A>; 2]>),
    /// A main proposition, and consequences that it implies. The value is that of the main
    /// proposition. A false consequence shows early that the main proposition is false. The
    /// consequences are not needed to show that the main proposition is true.
    WithConsequences(Box<Proposition<A>>, Vec<Proposition<A>>),
}

/// A question over atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Query<A> {
    /// The question for the truth value of a proposition.
    Truth(Proposition<A>),
    /// The question for the largest of the maxima for which the atoms stand. The answer is 0 if
    /// there are no atoms.
    Largest(Vec<A>),
}

impl<A> Proposition<A> {
    /// Returns the negation. Double negations are removed.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Proposition::Constant(value) => Proposition::Constant(!value),
            Proposition::Not(part) => *part,
            part => Proposition::Not(Box::new(part)),
        }
    }

    /// Returns the conjunction of `parts` if `all`, or their disjunction. Constants are simplified,
    /// operands of the same kind are flattened, and a junction of one operand is that operand.
    pub fn junction(all: bool, parts: impl IntoIterator<Item = Self>) -> Self {
        let mut simplified = Vec::new();
        for part in parts {
            match part {
                Proposition::Constant(value) if value == all => {}
                Proposition::Constant(value) => return Proposition::Constant(value),
                Proposition::And(parts) if all => simplified.extend(parts),
                Proposition::Or(parts) if !all => simplified.extend(parts),
                part => simplified.push(part),
            }
        }
        match (simplified.len(), all) {
            (0, _) => Proposition::Constant(all),
            (1, _) => simplified.remove(0),
            (_, true) => Proposition::And(simplified),
            (_, false) => Proposition::Or(simplified),
        }
    }

    /// Returns `main` with the propositions `consequences`, which it implies. A false consequence
    /// makes the result false. True consequences are dropped, and a constant `main` is returned
    /// without consequences.
    pub fn implying(main: Self, consequences: impl IntoIterator<Item = Self>) -> Self {
        let consequences: Vec<Self> = consequences.into_iter().collect();
        if consequences
            .iter()
            .any(|consequence| matches!(consequence, Proposition::Constant(false)))
        {
            return Proposition::Constant(false);
        }
        let is_not_constant = |consequence: &Self| !matches!(consequence, Proposition::Constant(_));
        let consequences: Vec<Self> = consequences.into_iter().filter(is_not_constant).collect();
        match main {
            main if consequences.is_empty() => main,
            constant @ Proposition::Constant(_) => constant,
            main => Proposition::WithConsequences(Box::new(main), consequences),
        }
    }

    /// Returns the proposition with an equivalent proposition `other`, so that either of the two
    /// can show the value.
    #[must_use]
    pub fn equal_to(self, other: Self) -> Self
    where
        A: Clone,
    {
        let implied = Proposition::implying(self, [other.clone()]);
        Proposition::implying(implied.negated(), [other.negated()]).negated()
    }

    /// Returns the proposition without consequences.
    #[must_use]
    pub fn without_consequences(self) -> Self {
        let strip_all =
            |parts: Vec<Self>| parts.into_iter().map(Self::without_consequences).collect();
        match self {
            Proposition::Constant(_) | Proposition::Atom(_) => self,
            Proposition::Not(part) => part.without_consequences().negated(),
            Proposition::And(parts) => Proposition::And(strip_all(parts)),
            Proposition::Or(parts) => Proposition::Or(strip_all(parts)),
            Proposition::Iff(both) => {
                Proposition::Iff(Box::new((*both).map(Self::without_consequences)))
            }
            Proposition::WithConsequences(main, _) => main.without_consequences(),
        }
    }

    /// Returns the equivalence of two propositions.
    pub fn equivalence(one: Self, other: Self) -> Self {
        match (one, other) {
            (Proposition::Constant(true), part) | (part, Proposition::Constant(true)) => part,
            (Proposition::Constant(false), part) | (part, Proposition::Constant(false)) => {
                part.negated()
            }
            (one, other) => Proposition::Iff(Box::new([one, other])),
        }
    }

    /// Returns the only atom, and the value of the proposition if the atom is true. Returns `None`
    /// unless the proposition is an atom or a negated atom.
    pub fn only_atom(&self) -> Option<(&A, bool)> {
        match self {
            Proposition::Atom(atom) => Some((atom, true)),
            Proposition::Not(part) => part.only_atom().map(|(atom, then)| (atom, !then)),
            _ => None,
        }
    }

    /// Replaces each atom by a proposition. Consequences are visited before the proposition that
    /// implies them.
    pub fn replace<B>(self, replacement: &mut impl FnMut(A) -> Proposition<B>) -> Proposition<B> {
        let mut replace_all =
            |parts: Vec<Self>| parts.into_iter().map(|part| part.replace(replacement)).collect();
        match self {
            Proposition::Constant(value) => Proposition::Constant(value),
            Proposition::And(parts) => Proposition::And(replace_all(parts)),
            Proposition::Or(parts) => Proposition::Or(replace_all(parts)),
            Proposition::WithConsequences(main, consequences) => {
                let consequences = replace_all(consequences);
                Proposition::WithConsequences(Box::new(main.replace(replacement)), consequences)
            }
            Proposition::Atom(atom) => replacement(atom),
            Proposition::Not(part) => Proposition::Not(Box::new(part.replace(replacement))),
            Proposition::Iff(both) => {
                Proposition::Iff(Box::new((*both).map(|part| part.replace(replacement))))
            }
        }
    }

    /// Calls `show` on each atom. Consequences are visited before the proposition that implies
    /// them.
    pub fn atoms(&self, show: &mut impl FnMut(&A)) {
        match self {
            Proposition::Constant(_) => {}
            Proposition::Atom(atom) => show(atom),
            Proposition::Not(part) => part.atoms(show),
            Proposition::And(parts) | Proposition::Or(parts) => {
                parts.iter().for_each(|part| part.atoms(show));
            }
            Proposition::Iff(both) => both.iter().for_each(|part| part.atoms(show)),
            Proposition::WithConsequences(main, consequences) => {
                consequences.iter().for_each(|part| part.atoms(show));
                main.atoms(show);
            }
        }
    }

    /// Returns the value of the proposition under an assignment of the atoms.
    pub fn value(&self, atom_value: &impl Fn(&A) -> bool) -> bool {
        match self {
            Proposition::Constant(value) => *value,
            Proposition::Atom(atom) => atom_value(atom),
            Proposition::Not(part) => !part.value(atom_value),
            Proposition::And(parts) => parts.iter().all(|part| part.value(atom_value)),
            Proposition::Or(parts) => parts.iter().any(|part| part.value(atom_value)),
            Proposition::Iff(both) => both[0].value(atom_value) == both[1].value(atom_value),
            Proposition::WithConsequences(main, _) => main.value(atom_value),
        }
    }
}

impl<A> Query<A> {
    /// Calls `show` on every atom of the query.
    pub fn atoms(&self, show: &mut impl FnMut(&A)) {
        match self {
            Query::Truth(proposition) => proposition.atoms(show),
            Query::Largest(atoms) => atoms.iter().for_each(show),
        }
    }

    /// Returns the only atom, and the truth value of the query if the atom is true. The value is
    /// true for a single maximum. Returns `None` unless the query is an atom, a negated atom or a
    /// single maximum.
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
