//! LTL formulas over labels, and the automata of their negations.
//!
//! At each step exactly one label holds: the label of the step. Only the labels that the
//! automaton's edges name are distinguished; all others form one *kind*, the last one. A
//! [`KindAutomaton`] reads kinds. It is derived from an automaton that reads letters. Edges that
//! require two labels at once, or a label that does not exist, are dropped. A cube becomes the set
//! of kinds that it allows.

use crate::insensitive::is_insensitive;
use crate::system::{LabelId, System};
use parikh_temporal::{
    AtomId, AtomNames, Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, Cube, Formula,
    Letter, Linear, Ltl, Marks, Node, ParseError, parse_ltl,
};

/// An LTL formula over the labels of a system.
#[derive(Clone, Debug)]
pub struct LabelFormula {
    formulas: Ltl,
    formula: Formula<Linear>,
    names: AtomNames,
    /// The label of each atom. `None` for a name that no label has; such an atom never holds.
    labels: Vec<Option<LabelId>>,
    /// Number of labels of the system.
    label_count: usize,
}

impl LabelFormula {
    /// Parses a formula in Spot's syntax.
    ///
    /// # Errors
    /// Returns an error if the text is not a formula.
    pub fn parse(text: &str, system: &System) -> Result<Self, ParseError> {
        let (mut formulas, mut names) = (Ltl::default(), AtomNames::default());
        let formula = parse_ltl(text, &mut formulas, &mut names)?;
        let label =
            |atom_number| names.name(AtomId(atom_number)).and_then(|name| system.label_named(name));
        let labels = (0..names.len() as u32).map(label).collect();
        Ok(Self { formulas, formula, names, labels, label_count: system.label_count() })
    }

    /// Returns the names that no label of the system has; they never hold.
    pub fn unknown_names(&self) -> Vec<&str> {
        let unknown = (0..).zip(&self.labels).filter(|(_, label)| label.is_none());
        unknown.filter_map(|(atom_number, _)| self.names.name(AtomId(atom_number))).collect()
    }

    /// Returns true if the formula contains a next operator.
    pub fn has_next(&self) -> bool {
        let parts = self.formulas.subformulas(self.formula);
        parts.into_iter().any(|part| matches!(self.formulas.node(part), Node::Next(..)))
    }

    /// Returns the letter of a step with this label. Without a label, or with a label that the
    /// formula does not name, the letter is empty.
    pub fn letter(&self, label: Option<LabelId>) -> Letter {
        let atoms = (0..).zip(&self.labels);
        let named = atoms.filter(|(_, atom_label)| label.is_some() && **atom_label == label);
        Letter::of(named.map(|(atom_number, _)| AtomId(atom_number)))
    }

    /// Evaluates the formula on the infinite word of these labels, which repeats from `back` on.
    /// `None` in the word is a step without label. Returns `None` if nothing repeats.
    pub fn holds_of(&self, word: &[Option<LabelId>], back: usize) -> Option<bool> {
        let letters = word.iter().map(|&label| self.letter(label)).collect();
        let lasso = parikh_temporal::Lasso::new(letters, back)?;
        Some(lasso.satisfies(&self.formulas, self.formula))
    }

    /// Returns true if it is shown that steps with unnamed labels can be inserted and removed
    /// anywhere without changing the value. False means that this is not known.
    pub(crate) fn is_insensitive(&self) -> bool {
        let never = |atom: AtomId| self.labels[atom.0 as usize].is_none();
        is_insensitive(&self.formulas, self.formula, never)
    }

    /// Builds the automaton of the label sequences that violate the formula.
    ///
    /// # Errors
    /// Returns an error if the automaton would be too large.
    pub fn negation(&self) -> Result<KindAutomaton, AutomatonTooLarge> {
        let mut formulas = self.formulas.clone();
        let (simpler, _) = formulas.rewritten(self.formula, parikh_temporal::LINEAR_RULES, 1000);
        let negated = formulas.negate(simpler);
        let automaton = Automaton::of(&mut formulas, negated, AutomatonLimits::default())?;
        KindAutomaton::new(&automaton, &self.labels, self.label_count)
    }
}

/// Limit on the number of paths along unnamed labels, from one state of an automaton.
const MAX_UNNAMED_PATHS: usize = 1 << 10;

/// An edge of an automaton that reads kinds, that is, classes of labels that the automaton does not
/// distinguish.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct KindEdge {
    /// The target state.
    pub target: u32,
    /// The acceptance marks on the edge.
    pub marks: Marks,
    /// The kinds that the edge reads, as a bit set: bit k stands for kind k.
    pub kinds: u64,
}

/// An automaton that reads kinds, that is, classes of labels that it does not distinguish. No edge
/// leads to a state that accepts nothing. The initial state has no edges if no word is accepted.
#[derive(Clone, Debug)]
pub struct KindAutomaton {
    /// The edges of each state, indexed by state.
    pub states: Vec<Vec<KindEdge>>,
    /// The initial state.
    pub initial: u32,
    /// All acceptance marks. An accepting run carries each mark infinitely often.
    pub required_marks: Marks,
    /// The minimum number of edges from each state to an accepting strongly connected component;
    /// `u32::MAX` if none is reachable.
    pub distance: Vec<u32>,
    /// The labels that have a kind of their own, that is, the labels that the edges of the
    /// formula's automaton name.
    pub(crate) labels: Vec<LabelId>,
    /// The kind of each label of the system.
    pub(crate) kinds: Vec<u8>,
    /// The kind of labels without a kind of their own. In an automaton with phases
    /// ([`crate::recurrence::with_phases`]), no label has this kind.
    pub(crate) other_kind: u32,
}

impl KindAutomaton {
    /// Returns the number of kinds.
    pub fn kinds(&self) -> u32 {
        let largest_kind = self.kinds.iter().copied().max().unwrap_or(0);
        u32::from(largest_kind).max(self.other_kind) + 1
    }

    /// Returns the kind of labels without a kind of their own, which is also the kind of an empty
    /// letter.
    pub fn other_kind(&self) -> u32 {
        self.other_kind
    }

    /// Returns the labels that have a kind of their own.
    pub fn labels(&self) -> &[LabelId] {
        &self.labels
    }

    /// Returns the kind of a label.
    pub fn kind(&self, label: LabelId) -> u32 {
        u32::from(self.kinds[label.index()])
    }

    /// Returns true if no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.states[self.initial as usize].is_empty()
    }

    /// Returns a flag for each state: true if it accepts the word that repeats a label of this kind
    /// forever.
    pub(crate) fn accept_for_ever(&self, kind: u32) -> Vec<bool> {
        let reads = |it: &&KindEdge| it.kinds >> kind & 1 == 1;
        let rows: Vec<Vec<KindEdge>> =
            self.states.iter().map(|row| row.iter().filter(reads).copied().collect()).collect();
        let restricted = Self { states: rows, distance: Vec::new(), ..self.clone() };
        restricted.distances().into_iter().map(|it| it < u32::MAX).collect()
    }

    /// Returns an automaton that stays in its state at unnamed labels. It accepts the same words if
    /// unnamed labels can be inserted and removed anywhere.
    ///
    /// Consider first a word with infinitely many named labels. It is accepted if and only if the
    /// word without its unnamed labels is. Another word is accepted if and only if its named
    /// labels, followed by an unnamed label forever, are. So each state reads the named labels as
    /// before. If a state accepts an unnamed label forever, it has an edge to an additional last
    /// state, which accepts only unnamed labels forever.
    pub(crate) fn staying_at_unnamed_labels(&self) -> Self {
        let other_bit = 1 << self.other_kind;
        // Without marks, every infinite run is accepting. The new automaton then needs a mark, so
        // that a run that stays in one state at unnamed labels is not accepting.
        let is_safe = self.required_marks == Marks::NONE;
        let required_marks = if is_safe { Marks(1) } else { self.required_marks };
        let sink = self.states.len() as u32;
        let accepts_forever = self.accept_for_ever(self.other_kind);
        let mut states: Vec<Vec<KindEdge>> = Vec::new();
        for ((state, row), accepts_forever) in (0..).zip(&self.states).zip(accepts_forever) {
            let named_moves = row.iter().map(|it| KindEdge {
                kinds: it.kinds & !other_bit,
                marks: if is_safe { required_marks } else { it.marks },
                ..*it
            });
            let mut moves: Vec<KindEdge> = named_moves.filter(|it| it.kinds != 0).collect();
            moves.push(KindEdge { target: state, marks: Marks::NONE, kinds: other_bit });
            if accepts_forever {
                moves.push(KindEdge { target: sink, marks: Marks::NONE, kinds: other_bit });
            }
            states.push(merge_moves(moves));
        }
        states.push(vec![KindEdge { target: sink, marks: required_marks, kinds: other_bit }]);
        let mut staying_automaton =
            Self { states, required_marks, distance: Vec::new(), ..self.clone() };
        staying_automaton.prune();
        staying_automaton
    }

    /// Returns an automaton that accepts every word that differs from an accepted word only by
    /// insertions and removals of unnamed labels. Returns `None` if it would be too large.
    ///
    /// Unnamed labels may be read without a step: moves that are possible after them are possible
    /// before them, with the marks on the way. A path is skipped if a known path to the same state
    /// has all its marks, since that path accepts everything that the skipped path accepts. At an
    /// actual unnamed label, the automaton [stays in its state](Self::staying_at_unnamed_labels).
    pub(crate) fn loosened(&self) -> Option<Self> {
        let other_bit = 1 << self.other_kind;
        let mut states = Vec::new();
        for (from, row) in (0..).zip(&self.states) {
            let mut unnamed_paths: Vec<(u32, Marks)> = vec![(from, Marks::NONE)];
            let mut next = 0;
            while let Some(&(state, marks)) = unnamed_paths.get(next) {
                next += 1;
                for step in
                    self.states[state as usize].iter().filter(|it| it.kinds & other_bit != 0)
                {
                    let path = (step.target, marks.or(step.marks));
                    let is_dominating =
                        |known: &(u32, Marks)| known.0 == path.0 && path.1.is_subset(known.1);
                    if !unnamed_paths.iter().any(is_dominating) {
                        unnamed_paths.push(path);
                    }
                }
                if unnamed_paths.len() > MAX_UNNAMED_PATHS {
                    return None;
                }
            }
            let mut moves: Vec<KindEdge> =
                row.iter().map(|it| KindEdge { kinds: it.kinds & other_bit, ..*it }).collect();
            for &(state, marks) in &unnamed_paths {
                moves.extend(self.states[state as usize].iter().map(|it| KindEdge {
                    target: it.target,
                    marks: marks.or(it.marks),
                    kinds: it.kinds & !other_bit,
                }));
            }
            states.push(merge_moves(moves.into_iter().filter(|it| it.kinds != 0).collect()));
        }
        Some(Self { states, distance: Vec::new(), ..self.clone() }.staying_at_unnamed_labels())
    }

    /// Translates an automaton over atoms to an automaton over kinds of labels. `atoms` has the
    /// label of each atom; `None` means that no label has the atom's name. Returns an error if the
    /// edges name more than 63 labels.
    fn new(
        automaton: &Automaton,
        atoms: &[Option<LabelId>],
        label_count: usize,
    ) -> Result<Self, AutomatonTooLarge> {
        // An edge that requires two labels at once, or a label that does not exist, is never taken.
        // An edge that requires one existing label needs no negative literals.
        let reading_single_label = |edge: &AutomatonEdge| -> Option<AutomatonEdge> {
            let mut positive = edge.cube.literals().iter().filter(|literal| literal.positive);
            let Some(&required_literal) = positive.next() else {
                let has_label =
                    |literal: &&parikh_temporal::Literal| atoms[literal.atom.0 as usize].is_some();
                let cube = Cube::of(edge.cube.literals().iter().filter(has_label).copied())?;
                return Some(AutomatonEdge { cube, ..edge.clone() });
            };
            if positive.next().is_some() || atoms[required_literal.atom.0 as usize].is_none() {
                return None;
            }
            Some(AutomatonEdge { cube: Cube::of([required_literal])?, ..edge.clone() })
        };
        let states = automaton
            .states
            .iter()
            .map(|row| row.iter().filter_map(reading_single_label).collect());
        let automaton = Automaton { states: states.collect(), ..automaton.clone() }.simplified();
        let mut named: Vec<(AtomId, LabelId)> = Vec::new();
        for atom in automaton.atoms() {
            named.extend(atoms[atom.0 as usize].map(|label| (atom, label)));
        }
        if named.len() > 63 {
            return Err(AutomatonTooLarge { what: "labels", limit: 63 });
        }
        let readable_kinds = |cube: &Cube| {
            let letters = named.iter().map(|&(atom, _)| Letter::of([atom]));
            let letters = letters.chain([Letter::default()]);
            let satisfied = (0..).zip(letters).filter(|(_, letter)| cube.holds(letter));
            satisfied.fold(0u64, |readable_kinds, (kind, _): (u32, _)| readable_kinds | 1 << kind)
        };
        let row = |edges: &Vec<AutomatonEdge>| {
            let moves = edges.iter().map(|edge| KindEdge {
                target: edge.target as u32,
                marks: edge.marks,
                kinds: readable_kinds(&edge.cube),
            });
            merge_moves(moves.filter(|it| it.kinds != 0).collect())
        };
        let other = named.len() as u32;
        let mut kind_of_label = vec![other as u8; label_count];
        for (kind, (_, label)) in (0..).zip(&named) {
            kind_of_label[label.index()] = kind;
        }
        let mut automaton_of_kinds = Self {
            states: automaton.states.iter().map(row).collect(),
            initial: automaton.initial as u32,
            required_marks: Marks::all(automaton.marks),
            labels: named.into_iter().map(|(_, label)| label).collect(),
            kinds: kind_of_label,
            other_kind: other,
            distance: Vec::new(),
        };
        automaton_of_kinds.prune();
        Ok(automaton_of_kinds)
    }

    /// Removes edges to states that accept nothing, and computes `distance` for each state.
    pub(crate) fn prune(&mut self) {
        let distance = self.distances();
        for row in &mut self.states {
            row.retain(|it| distance[it.target as usize] < u32::MAX);
        }
        self.distance = distance;
    }

    /// Returns the number of edges from each state to a strongly connected component with all
    /// marks, or `u32::MAX` if there is no path.
    fn distances(&self) -> Vec<u32> {
        let sccs = parikh_net::components::components_of_rows(&self.states, |it| it.target);
        let mut marks_of_scc: Vec<Option<Marks>> = vec![None; sccs.count as usize];
        for (from, row) in self.states.iter().enumerate() {
            for step in row
                .iter()
                .filter(|it| sccs.component_of[it.target as usize] == sccs.component_of[from])
            {
                let scc_marks = &mut marks_of_scc[sccs.component_of[from] as usize];
                *scc_marks = Some(scc_marks.unwrap_or_default().or(step.marks));
            }
        }
        let is_in_accepting_scc = |state: usize| {
            marks_of_scc[sccs.component_of[state] as usize]
                .is_some_and(|it| self.required_marks.is_subset(it))
        };
        let unreachable = u32::MAX;
        let mut distance: Vec<u32> = (0..self.states.len())
            .map(|state_number| if is_in_accepting_scc(state_number) { 0 } else { unreachable })
            .collect();
        loop {
            let mut has_changed = false;
            for (from, row) in self.states.iter().enumerate() {
                let nearest = row.iter().map(|it| distance[it.target as usize]).min();
                let through_successor = nearest.unwrap_or(unreachable).saturating_add(1);
                if through_successor < distance[from] {
                    distance[from] = through_successor;
                    has_changed = true;
                }
            }
            if !has_changed {
                return distance;
            }
        }
    }
}

/// Merges edges with the same target and marks into one edge, which reads the kinds of all of
/// them. Sorts the edges.
pub(crate) fn merge_moves(mut moves: Vec<KindEdge>) -> Vec<KindEdge> {
    moves.sort_unstable();
    let mut joined: Vec<KindEdge> = Vec::new();
    for step in moves {
        match joined.last_mut() {
            Some(last) if (last.target, last.marks) == (step.target, step.marks) => {
                last.kinds |= step.kinds;
            }
            _ => joined.push(step),
        }
    }
    joined
}
