//! The reachability graph, built on demand, with the set of true atoms (the *letter*) of each
//! marking.
//!
//! Several properties of a net can share one graph: a marking is then expanded once, whichever
//! property needs it first. The graph stores the packed marking, the numbers of its successors, and
//! one bit per atom. Atoms about firings belong to an edge instead of a marking. Edges have a
//! *label*, the number of a set of such atoms, and label 0 is the empty set. Runs are infinite, so
//! a dead marking has an edge to itself with label 0.
//!
//! In a graph for the [computation tree](Markings::for_trees), dead markings have no successors,
//! and there are no letters. Conditions are [evaluated](Markings::holds) on request, also for
//! unexpanded markings, because conditions may be long and most are needed for few markings.

mod silent;

use crate::explicit::ExplorationError;
use crate::explicit::condition::Condition;
use crate::explicit::packed_tests::enabledness_as_atoms;
use crate::explicit::space::{Space, SpaceError, SpaceOptions};
use parikh_net::run_property::RunAtom;
use parikh_net::{Facts, FiringSequence, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use silent::InvisibleTransitions;
use std::collections::HashMap;

/// Index of the first successor of a marking that is not expanded yet.
const UNEXPANDED: u32 = u32::MAX;

/// Number of expansions between two checks of the budget.
const EXPANSIONS_PER_CHECK: u32 = 64;

/// An edge: the number of the successor marking, and the number of the edge's label, that is, of a
/// set of atoms about firings.
pub(crate) type Successor = (u32, u32);

/// A reachability graph. See the module documentation.
pub(crate) struct Markings<'n> {
    /// The store of packed markings, with the firing rule.
    space: Space<'n>,
    /// The labels of edges.
    labels: Labels<'n>,
    budget: Budget,
    /// The atoms on markings, each with its index in the list of atoms, which is its bit position
    /// in a letter. Atoms about enabled transitions are rewritten as comparisons of token counts.
    atoms: Vec<(usize, Predicate)>,
    /// The tests of atoms on packed markings, compiled for one version of the packing. Each entry
    /// has the atom's index as in `atoms`, the test of the atom, and the test of its negation.
    tests: Vec<(usize, [Condition; 2])>,
    /// Version of the packing for which the tests were compiled.
    layout_version: u64,
    /// For each marking, the index of its first successor, or [`UNEXPANDED`], and the number of its
    /// successors.
    successor_ranges: Vec<(u32, u32)>,
    /// The successors of all expanded markings.
    successors: Vec<Successor>,
    /// Number of 64-bit words of a letter. 0 in a graph for computation trees.
    words_per_letter: usize,
    /// The letters of all markings, one after another. Bits of atoms about firings are 0. The
    /// letter of an unexpanded marking usually is all zeros, or contains only the bits of atoms
    /// that do not mention deadness. It has the bits of all atoms on markings if an attempt to
    /// expand the marking failed. A graph for computation trees has no letters.
    letters: Vec<u64>,
    /// For each marking, true if its letter was computed from token counts while the marking was
    /// unexpanded. Such a letter contains the bits of atoms that do not mention deadness. The entry
    /// stays true after the expansion of the marking.
    has_token_letter: Vec<bool>,
    /// A mask with the letter bits of the atoms that do not mention deadness. Token counts alone
    /// decide these atoms, without computing the enabled transitions.
    token_decided_mask: Vec<u64>,
    /// Buffer for the enabled transitions of the marking for which they were computed last. If no
    /// atom is about firings, an expansion keeps only one of them per effect class.
    enabled: Vec<u32>,
    /// Number of the marking that the space's key contains. `None` if the key may contain another
    /// marking.
    loaded: Option<u32>,
    /// True if the marking loaded last is dead. `None` if this is unknown.
    is_loaded_dead: Option<bool>,
    /// Number of expanded markings.
    expanded: u32,
    /// The invisible transitions, if the graph identifies markings that differ only by their
    /// firings. `None` for a graph with all markings.
    invisible_transitions: Option<InvisibleTransitions>,
    /// True if the graph is for runs: it has letters, and each dead marking has an edge to itself.
    /// False if the graph is for computation trees.
    for_runs: bool,
}

impl<'n> Markings<'n> {
    /// Creates the graph of `net` for runs, with letters over `atoms`. It contains the initial
    /// marking, whose number is 0.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the initial marking.
    pub(crate) fn new(
        net: &'n Net,
        facts: &Facts,
        atoms: &[RunAtom],
        budget: &Budget,
    ) -> Result<Self, ExplorationError> {
        Self::create(net, facts, (atoms, true), budget)
    }

    /// Creates the graph for computation trees, without letters. [`holds`](Self::holds) evaluates a
    /// condition by its index in `conditions`.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the initial marking.
    pub(crate) fn for_trees(
        net: &'n Net,
        facts: &Facts,
        conditions: &[Predicate],
        budget: &Budget,
    ) -> Result<Self, ExplorationError> {
        let atoms: Vec<_> = conditions.iter().cloned().map(RunAtom::Holds).collect();
        Self::create(net, facts, (&atoms, false), budget)
    }

    fn create(
        net: &'n Net,
        facts: &Facts,
        (atoms, for_runs): (&[RunAtom], bool),
        budget: &Budget,
    ) -> Result<Self, ExplorationError> {
        let space_options =
            SpaceOptions { listed: &|_| true, needs_sequences: true, max_bytes: u64::MAX };
        let conditions = atoms.iter().enumerate().filter_map(|(number, atom)| match atom {
            RunAtom::Holds(predicate) => Some((number, enabledness_as_atoms(predicate, net))),
            RunAtom::Fires(_) => None,
        });
        let mut space = Space::new(net, facts, space_options, budget)?;
        if !for_runs {
            space = space.with_whole_keys();
        }
        let words = if for_runs { atoms.len().div_ceil(64).max(1) } else { 0 };
        let mut markings = Markings {
            labels: Labels::new(net, atoms, words),
            budget: budget.clone(),
            atoms: conditions.collect(),
            tests: Vec::new(),
            layout_version: space.layout_version(),
            space,
            successor_ranges: vec![(UNEXPANDED, 0)],
            successors: Vec::new(),
            words_per_letter: words,
            letters: vec![0; words],
            has_token_letter: vec![false],
            token_decided_mask: vec![0; words],
            enabled: Vec::new(),
            loaded: None,
            is_loaded_dead: None,
            expanded: 0,
            invisible_transitions: None,
            for_runs,
        };
        markings.compile_tests();
        if for_runs {
            for (number, predicate) in &markings.atoms {
                let is_decided = u64::from(!predicate.mentions_deadness());
                markings.token_decided_mask[number / 64] |= is_decided << (number % 64);
            }
        }
        Ok(markings)
    }

    /// Compiles the tests of all atoms for the current packing of token counts into bits.
    fn compile_tests(&mut self) {
        self.layout_version = self.space.layout_version();
        let packing = self.space.packing();
        let compile_atom = |(number, atom): &(usize, Predicate)| {
            let signs = [atom.clone(), atom.clone().negated()];
            (*number, signs.map(|it| Condition::new(&it, packing)))
        };
        self.tests = self.atoms.iter().map(compile_atom).collect();
    }

    /// Sets the limits on time and memory.
    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// Returns the number of places of the net.
    pub(crate) fn places(&self) -> usize {
        self.labels.net.place_count()
    }

    /// Returns the number of known markings, expanded or not.
    pub(crate) fn marking_count(&self) -> u32 {
        self.successor_ranges.len() as u32
    }

    /// Loads a marking into the space's key, and recompiles the tests if the packing has changed.
    fn load(&mut self, marking: u32) {
        if self.loaded != Some(marking) {
            self.space.load_marking_only(marking);
            if self.layout_version != self.space.layout_version() {
                self.compile_tests();
            }
            (self.loaded, self.is_loaded_dead) = (Some(marking), None);
        }
    }

    /// Returns true if a condition holds in a marking, expanded or not. The condition is given by
    /// its index in the list that the graph was created with. Atoms about firings do not count in
    /// this index.
    pub(crate) fn holds(&mut self, marking: u32, condition: usize) -> bool {
        self.load(marking);
        let (_, [test, _]) = &self.tests[condition];
        let is_dead = match self.is_loaded_dead {
            Some(is_dead) => is_dead,
            None if test.depends_on_deadness() => {
                self.space.load(marking, &mut self.enabled);
                *self.is_loaded_dead.insert(self.enabled.is_empty())
            }
            None => false,
        };
        let (_, [test, _]) = &self.tests[condition];
        test.holds(self.space.key(), is_dead)
    }

    /// Returns two estimated distances for a marking: roughly the number of tokens that are missing
    /// or too many for the condition, and for its negation. The condition is given as in
    /// [`holds`](Self::holds). Conditions on deadness count as satisfied. A constant condition that
    /// is false has distance `u64::MAX`.
    pub(crate) fn distances(&mut self, marking: u32, condition: usize) -> [u64; 2] {
        self.load(marking);
        let (_, tests) = &self.tests[condition];
        tests.each_ref().map(|test| test.distance(self.space.key()))
    }

    /// Returns the token counts of a marking.
    pub(crate) fn tokens(&mut self, marking: u32) -> Marking {
        self.load(marking);
        self.space.packing().unpack(self.space.key())
    }

    /// Returns the approximate memory of the graph in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = size_of_val(&*self.successor_ranges)
            + size_of_val(&*self.successors)
            + self.has_token_letter.len();
        self.space.store().memory().used_bytes() + (lists + size_of_val(&*self.letters)) as u64
    }

    /// Returns the number of expanded markings.
    pub(crate) fn expanded(&self) -> u32 {
        self.expanded
    }

    /// Computes the successors and the letter of a marking. Does nothing if the marking is expanded
    /// already.
    ///
    /// # Errors
    /// Returns an error if the budget is exhausted, if there is no memory for a successor, or if a
    /// place would get 2⁶³ tokens or more. Also returns an error if the numbers of markings or
    /// edges would exceed 32 bits.
    pub(crate) fn expand(&mut self, marking: u32) -> Result<(), ExplorationError> {
        let index = marking as usize;
        while self.successor_ranges[index].0 == UNEXPANDED {
            if self.expanded.is_multiple_of(EXPANSIONS_PER_CHECK) {
                self.budget.exhausted().map_or(Ok(()), Err)?;
            }
            self.space.load(marking, &mut self.enabled);
            if self.layout_version != self.space.layout_version() {
                self.compile_tests();
            }
            let is_dead = self.enabled.is_empty();
            if self.for_runs {
                self.store_letter(index, is_dead);
            }
            self.labels.keep_one_per_effect(&mut self.enabled);
            (self.loaded, self.is_loaded_dead) = (Some(marking), Some(is_dead));
            let begin = self.successors.len();
            if begin + self.enabled.len() >= UNEXPANDED as usize {
                return Err(SpaceError::Full.into());
            }
            if is_dead && self.for_runs {
                self.successors.push((marking, 0));
            }
            let (successors, labels) = (&mut self.successors, &self.labels);
            let mut fired_transitions = self.enabled.iter();
            let add_edge = |to| {
                let label = fired_transitions.next().map_or(0, |&t| labels.of(t));
                successors.push((to, label));
            };
            // True means that all markings were repacked to make room and that the expansion must
            // be repeated.
            if self.space.expand_edges(marking, &self.enabled, add_edge)? {
                self.successors.truncate(begin);
                self.loaded = None;
                continue;
            }
            if self.invisible_transitions.is_some() {
                self.replace_by_representatives(marking, begin)?;
            }
            // Self-loops come first: `false` sorts before `true`.
            self.successors[begin..].sort_by_key(|&(to, _)| to != marking);
            self.successor_ranges[index] = (begin as u32, (self.successors.len() - begin) as u32);
            self.expanded += 1;
            self.extend_vectors();
        }
        Ok(())
    }

    /// Extends the vectors that have an entry per marking to all markings of the store.
    pub(super) fn extend_vectors(&mut self) {
        let known = self.space.store().len() as usize;
        self.successor_ranges.resize(known, (UNEXPANDED, 0));
        self.letters.resize(known * self.words_per_letter, 0);
        self.has_token_letter.resize(known, false);
    }

    /// Returns the marking after a firing, or its representative. Returns `None` if the firing is
    /// impossible. For an invisible firing that is impossible, returns the marking itself.
    ///
    /// # Errors
    /// Returns an error if there is no memory for the result, or if a place would get 2⁶³ tokens or
    /// more.
    pub(crate) fn marking_after(
        &mut self,
        marking: u32,
        t: TransitionId,
    ) -> Result<Option<u32>, ExplorationError> {
        let next = self.after_firing(marking, t)?;
        let Some(invisible) = &self.invisible_transitions else { return Ok(next) };
        match next {
            Some(next) => Ok(Some(self.representative(next, None)?)),
            None if invisible.transitions.binary_search(&(t.index() as u32)).is_ok() => {
                Ok(Some(marking))
            }
            None => Ok(None),
        }
    }

    /// Returns the marking after a firing, or `None` if it is impossible.
    fn after_firing(
        &mut self,
        marking: u32,
        t: TransitionId,
    ) -> Result<Option<u32>, ExplorationError> {
        let firing = [t.index() as u32];
        let mut reached = None;
        self.loaded = None;
        loop {
            self.space.load(marking, &mut self.enabled);
            if !self.enabled.contains(&firing[0]) {
                return Ok(None);
            }
            // True means that all markings were repacked and that the firing must be repeated.
            if !self.space.expand_edges(marking, &firing, |number| reached = Some(number))? {
                break;
            }
        }
        self.extend_vectors();
        Ok(reached)
    }

    /// Returns an error if the budget is exhausted.
    ///
    /// # Errors
    /// Returns an error if time or memory is exhausted.
    pub(crate) fn check_budget(&self) -> Result<(), ExplorationError> {
        Ok(self.budget.exhausted().map_or(Ok(()), Err)?)
    }

    /// Stores the letter of the marking loaded last. `index` is the number of the marking.
    fn store_letter(&mut self, index: usize, is_dead: bool) {
        let letter = &mut self.letters[index * self.words_per_letter..][..self.words_per_letter];
        letter.fill(0);
        for (number, [test, _]) in &self.tests {
            letter[number / 64] |=
                u64::from(test.holds(self.space.key(), is_dead)) << (number % 64);
        }
    }

    /// Returns the successors of an expanded marking, a self-loop first. Among expanded markings,
    /// only dead markings in a graph for computation trees have none. Returns an empty list for an
    /// unexpanded marking.
    pub(crate) fn successors(&self, marking: u32) -> &[Successor] {
        let (begin, count) = self.successor_ranges[marking as usize];
        self.successors.get(begin as usize..).map_or(&[], |row| &row[..count as usize])
    }

    /// Returns the letter of an expanded marking. The bit of an atom on markings is 1 if the atom
    /// holds. Bits of atoms about firings are 0.
    pub(crate) fn letter(&self, marking: u32) -> &[u64] {
        &self.letters[marking as usize * self.words_per_letter..][..self.words_per_letter]
    }

    /// Returns a letter and a mask for a marking, expanded or not. The mask has the bits of atoms
    /// that do not mention deadness, so token counts decide them. For these bits, the letter has
    /// the value of the atom. Its other bits are meaningful only for an expanded marking.
    pub(crate) fn letter_from_tokens(&mut self, marking: u32) -> (&[u64], &[u64]) {
        let index = marking as usize;
        if self.successor_ranges[index].0 == UNEXPANDED && !self.has_token_letter[index] {
            self.load(marking);
            let letter =
                &mut self.letters[index * self.words_per_letter..][..self.words_per_letter];
            letter.fill(0);
            // A test that does not depend on deadness in this layout may do so in the next layout.
            let is_decided =
                |number: usize| self.token_decided_mask[number / 64] >> (number % 64) & 1 == 1;
            for (number, [test, _]) in self.tests.iter().filter(|(number, _)| is_decided(*number)) {
                let holds = u64::from(test.holds(self.space.key(), false));
                letter[number / 64] |= holds << (number % 64);
            }
            self.has_token_letter[index] = true;
        }
        (self.letter(marking), &self.token_decided_mask)
    }

    /// Returns the atoms that hold on edges with this label, as one bit each.
    pub(crate) fn label_atoms(&self, label: u32) -> &[u64] {
        &self.labels.sets[label as usize]
    }

    /// Returns the transitions fired along these edges from marking `from`. The self-loop of a dead
    /// marking fires nothing. Returns `None` if an edge does not exist, or if a marking cannot be
    /// recomputed within the limits.
    pub(crate) fn firings(&mut self, from: u32, edges: &[Successor]) -> Option<FiringSequence> {
        let mut sequence = FiringSequence::new();
        let mut current = from;
        for &(to, label) in edges {
            if let Some(t) = self.firing(current, to, label)? {
                sequence.push(t, 1);
            }
            current = to;
        }
        Some(sequence)
    }

    /// Returns the transition of an edge from `from` to `to` with this label. The inner `None`
    /// stands for the self-loop of a dead marking. Returns the outer `None` if no transition gives
    /// this edge, or if a marking cannot be recomputed within the limits.
    pub(crate) fn firing(
        &mut self,
        from: u32,
        to: u32,
        label: u32,
    ) -> Option<Option<TransitionId>> {
        self.loaded = None;
        self.space.load(from, &mut self.enabled);
        if self.enabled.is_empty() && from == to {
            return Some(None);
        }
        for t in self.enabled.clone() {
            if self.labels.of(t) != label {
                continue;
            }
            let mut reached = None;
            // Storing a marking may repack all markings. In this case nothing was fired, and the
            // firing is repeated.
            while self.space.expand_edges(from, &[t], |number| reached = Some(number)).ok()? {
                self.space.load(from, &mut self.enabled);
            }
            let reached = match reached {
                Some(reached) if self.invisible_transitions.is_some() => {
                    self.loaded = None;
                    let representative = self.representative(reached, None).ok()?;
                    self.loaded = None;
                    self.space.load(from, &mut self.enabled);
                    Some(representative)
                }
                other => other,
            };
            if reached == Some(to) {
                return Some(Some(TransitionId::new(t as usize)));
            }
        }
        None
    }
}

/// The labels of edges. If no atom is about firings, also selects one enabled transition per effect
/// class, that is, per change of the marking.
struct Labels<'n> {
    net: &'n Net,
    /// For each label, its set of atoms about firings, as one bit each.
    sets: Vec<Vec<u64>>,
    /// The label of each transition. Empty if no atom is about firings.
    label_of: Vec<u32>,
    /// For each effect class, the value of `round` when a transition of the class was last kept.
    /// Used only if no atom is about firings.
    last_round: Vec<u64>,
    /// Number of calls of `keep_one_per_effect`.
    round: u64,
}

impl<'n> Labels<'n> {
    fn new(net: &'n Net, atoms: &[RunAtom], words: usize) -> Self {
        let mut sets = vec![vec![0; words]];
        let mut label_of = Vec::new();
        if atoms.iter().any(|atom| matches!(atom, RunAtom::Fires(_))) {
            let mut atoms_of = vec![sets[0].clone(); net.transition_count()];
            for (number, atom) in atoms.iter().enumerate() {
                let RunAtom::Fires(transitions) = atom else { continue };
                transitions
                    .iter()
                    .for_each(|t| atoms_of[t.index()][number / 64] |= 1 << (number % 64));
            }
            let mut numbers = HashMap::from([(sets[0].clone(), 0)]);
            for set in atoms_of {
                let next = sets.len() as u32;
                let number = *numbers.entry(set.clone()).or_insert(next);
                if number == next {
                    sets.push(set);
                }
                label_of.push(number);
            }
        }
        Labels { net, sets, label_of, last_round: vec![0; net.effect_count()], round: 0 }
    }

    /// Returns the label of a transition.
    fn of(&self, t: u32) -> u32 {
        self.label_of.get(t as usize).copied().unwrap_or(0)
    }

    /// Keeps only one enabled transition of each effect class, that is, of the transitions with the
    /// same change of the marking. Does nothing if some atom is about firings.
    fn keep_one_per_effect(&mut self, enabled: &mut Vec<u32>) {
        if !self.label_of.is_empty() {
            return;
        }
        self.round += 1;
        enabled.retain(|&t| {
            let class = self.net.effect_of(TransitionId::new(t as usize));
            std::mem::replace(&mut self.last_round[class.index()], self.round) != self.round
        });
    }
}
