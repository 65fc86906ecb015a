//! The graph of markings, made as far as anybody looks, and the letter of each marking.
//!
//! All properties of a run look at one graph: a marking is expanded once, whoever asks first. What
//! is kept is each marking, packed, the numbers of its successors, and one bit for each atom. Atoms
//! that speak of firings are true of an edge and not of a marking; edges have a *label*, the number
//! of a set of such atoms, and label 0 is the empty one. A run must not end, so a dead marking
//! leads to itself, with label 0.
//!
//! Of a graph for the [tree](Markings::for_trees) of runs, dead markings lead nowhere, and there
//! are no letters: whoever wants to know whether a condition holds in a marking
//! [asks](Markings::holds), of markings that were not expanded, too. Conditions may be long, and
//! most are asked of few markings.

mod silent;

use crate::engine::explicit::condition::Condition;
use crate::engine::explicit::judge::leaves_as_atoms;
use crate::engine::explicit::space::{Purpose, Space, Stuck};
use crate::engine::explicit::state_space::Incomplete;
use parikh_net::run_property::RunAtom;
use parikh_net::{Facts, FiringSequence, Marking, Net, Predicate, TransitionId};
use parikh_solvers::Budget;
use silent::Silent;
use std::collections::HashMap;

/// Not expanded yet.
const NEW: u32 = u32::MAX;

/// Expansions between two looks at the budget.
const POLLING: u32 = 64;

/// Where an edge leads, and its label.
pub(crate) type Successor = (u32, u32);

/// See the module.
pub(crate) struct Markings<'n> {
    space: Space<'n>,
    labels: Labels<'n>,
    budget: Budget,
    /// The atoms that hold in markings, without enabledness, each with its number.
    atoms: Vec<(usize, Predicate)>,
    /// The same and their negations as tests on packed markings, for the layout with this number.
    tests: Vec<(usize, [Condition; 2])>,
    layout: u64,
    /// By marking, where its successors begin, or [`NEW`], and how many they are.
    rows: Vec<(u32, u32)>,
    successors: Vec<Successor>,
    /// Words of a letter, and the letters of all markings; of those that were not expanded zeros,
    /// or the bits that tokens say.
    words: usize,
    letters: Vec<u64>,
    /// By marking that was not expanded, whether the bits that tokens say are in its letter.
    noted: Vec<bool>,
    /// The bits of atoms that do not mention deadness: whether these hold is known of tokens alone.
    said_by_tokens: Vec<u64>,
    enabled: Vec<u32>,
    /// The marking loaded last, where that is known, and whether it is dead, where that is.
    loaded: Option<u32>,
    loaded_dead: Option<bool>,
    expanded: u32,
    /// The firings that are not looked at, where there are any.
    silent: Option<Silent>,
    /// Whether there are letters, and dead markings lead to themselves.
    for_runs: bool,
}

impl<'n> Markings<'n> {
    /// The graph of `net`, with the initial marking in it, number 0.
    ///
    /// # Errors
    /// When there is no room even for that.
    pub(crate) fn new(
        net: &'n Net,
        facts: &Facts,
        atoms: &[RunAtom],
        budget: &Budget,
    ) -> Result<Self, Incomplete> {
        Self::of(net, facts, (atoms, true), budget)
    }

    /// The same for the tree of runs, without letters.
    ///
    /// # Errors
    /// When there is no room even for the initial marking.
    pub(crate) fn for_trees(
        net: &'n Net,
        facts: &Facts,
        conditions: &[Predicate],
        budget: &Budget,
    ) -> Result<Self, Incomplete> {
        let atoms: Vec<_> = conditions.iter().cloned().map(RunAtom::Holds).collect();
        Self::of(net, facts, (&atoms, false), budget)
    }

    fn of(
        net: &'n Net,
        facts: &Facts,
        (atoms, for_runs): (&[RunAtom], bool),
        budget: &Budget,
    ) -> Result<Self, Incomplete> {
        let purpose = Purpose { listed: &|_| true, sequences: true, ceiling: u64::MAX };
        let holding = atoms.iter().enumerate().filter_map(|(number, atom)| match atom {
            RunAtom::Holds(predicate) => Some((number, leaves_as_atoms(predicate, net))),
            RunAtom::Fires(_) => None,
        });
        let mut space = Space::new(net, facts, purpose, budget)?;
        if !for_runs {
            space = space.with_whole_keys();
        }
        let words = if for_runs { atoms.len().div_ceil(64).max(1) } else { 0 };
        let mut markings = Markings {
            labels: Labels::new(net, atoms, words),
            budget: budget.clone(),
            atoms: holding.collect(),
            tests: Vec::new(),
            layout: space.layouts(),
            space,
            rows: vec![(NEW, 0)],
            successors: Vec::new(),
            words,
            letters: vec![0; words],
            noted: vec![false],
            said_by_tokens: vec![0; words],
            enabled: Vec::new(),
            loaded: None,
            loaded_dead: None,
            expanded: 0,
            silent: None,
            for_runs,
        };
        markings.compile();
        if for_runs {
            for (number, predicate) in &markings.atoms {
                let is_said = u64::from(!predicate.mentions_deadness());
                markings.said_by_tokens[number / 64] |= is_said << (number % 64);
            }
        }
        Ok(markings)
    }

    fn compile(&mut self) {
        self.layout = self.space.layouts();
        let packing = self.space.packing();
        let compiled = |(number, atom): &(usize, Predicate)| {
            let both = [atom.clone(), atom.clone().negated()];
            (*number, both.map(|it| Condition::new(&it, packing)))
        };
        self.tests = self.atoms.iter().map(compiled).collect();
    }

    /// From now on, this is the time and the memory that there is.
    pub(crate) fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    /// How many places the net has.
    pub(crate) fn places(&self) -> usize {
        self.labels.net.place_count()
    }

    /// How many markings are known, expanded or not.
    pub(crate) fn known(&self) -> u32 {
        self.rows.len() as u32
    }

    /// Loads a marking, to be looked at.
    fn look(&mut self, marking: u32) {
        if self.loaded != Some(marking) {
            self.space.look(marking);
            if self.layout != self.space.layouts() {
                self.compile();
            }
            (self.loaded, self.loaded_dead) = (Some(marking), None);
        }
    }

    /// Whether a condition holds in a marking, expanded or not: the one with this place among those
    /// that the graph was made for.
    pub(crate) fn holds(&mut self, marking: u32, condition: usize) -> bool {
        self.look(marking);
        let (_, [test, _]) = &self.tests[condition];
        let dead = match self.loaded_dead {
            Some(dead) => dead,
            None if test.asks_for_deadness() => {
                self.space.load(marking, &mut self.enabled);
                *self.loaded_dead.insert(self.enabled.is_empty())
            }
            None => false,
        };
        let (_, [test, _]) = &self.tests[condition];
        test.holds(self.space.key(), dead)
    }

    /// How many tokens are missing in a marking until this condition holds, and until it does not.
    pub(crate) fn distances(&mut self, marking: u32, condition: usize) -> [u64; 2] {
        self.look(marking);
        let (_, tests) = &self.tests[condition];
        tests.each_ref().map(|test| test.distance(self.space.key()))
    }

    /// The tokens of a marking.
    pub(crate) fn tokens(&mut self, marking: u32) -> Marking {
        self.look(marking);
        self.space.packing().unpack(self.space.key())
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = size_of_val(&*self.rows) + size_of_val(&*self.successors) + self.noted.len();
        self.space.store().room().taken() + (lists + size_of_val(&*self.letters)) as u64
    }

    /// How many markings were expanded.
    pub(crate) fn expanded(&self) -> u32 {
        self.expanded
    }

    /// Makes the successors and the letter of a marking known.
    ///
    /// # Errors
    /// When the budget is spent, or there is no room for a successor.
    pub(crate) fn expand(&mut self, marking: u32) -> Result<(), Incomplete> {
        let at = marking as usize;
        while self.rows[at].0 == NEW {
            if self.expanded.is_multiple_of(POLLING) {
                self.budget.exhausted().map_or(Ok(()), Err)?;
            }
            self.space.load(marking, &mut self.enabled);
            if self.layout != self.space.layouts() {
                self.compile();
            }
            let dead = self.enabled.is_empty();
            if self.for_runs {
                self.note_letter(at, dead);
            }
            self.labels.choose(&mut self.enabled);
            (self.loaded, self.loaded_dead) = (Some(marking), Some(dead));
            let begin = self.successors.len();
            if begin + self.enabled.len() >= NEW as usize {
                return Err(Stuck::Full.into());
            }
            if dead && self.for_runs {
                self.successors.push((marking, 0));
            }
            let (successors, labels) = (&mut self.successors, &self.labels);
            let mut fired = self.enabled.iter();
            let add = |to| {
                let label = fired.next().map_or(0, |&t| labels.of(t));
                successors.push((to, label));
            };
            if self.space.expand_edges(marking, &self.enabled, add)? {
                self.successors.truncate(begin);
                self.loaded = None;
                continue;
            }
            if self.silent.is_some() {
                self.identify(marking, begin)?;
            }
            // First what a run can repeat at once.
            self.successors[begin..].sort_by_key(|&(to, _)| to != marking);
            self.rows[at] = (begin as u32, (self.successors.len() - begin) as u32);
            self.expanded += 1;
            self.make_room();
        }
        Ok(())
    }

    /// Makes room for what is kept of each marking of the store.
    pub(super) fn make_room(&mut self) {
        let known = self.space.store().len() as usize;
        self.rows.resize(known, (NEW, 0));
        self.letters.resize(known * self.words, 0);
        self.noted.resize(known, false);
    }

    /// Where a firing leads from a marking, or what stands for that; nothing where it is not
    /// possible. Of firings that are not looked at it is the marking itself.
    ///
    /// # Errors
    /// When there is no room for where it leads.
    pub(crate) fn after(
        &mut self,
        marking: u32,
        t: TransitionId,
    ) -> Result<Option<u32>, Incomplete> {
        let next = self.after_firing(marking, t)?;
        let Some(silent) = &self.silent else { return Ok(next) };
        match next {
            Some(next) => Ok(Some(self.representative(next, None)?)),
            None if silent.all.binary_search(&(t.index() as u32)).is_ok() => Ok(Some(marking)),
            None => Ok(None),
        }
    }

    /// Where a firing leads from a marking; nothing where it is not possible.
    fn after_firing(&mut self, marking: u32, t: TransitionId) -> Result<Option<u32>, Incomplete> {
        let chosen = [t.index() as u32];
        let mut reached = None;
        self.loaded = None;
        loop {
            self.space.load(marking, &mut self.enabled);
            if !self.enabled.contains(&chosen[0]) {
                return Ok(None);
            }
            if !self.space.expand_edges(marking, &chosen, |number| reached = Some(number))? {
                break;
            }
        }
        self.make_room();
        Ok(reached)
    }

    /// Whether there is time and memory left.
    ///
    /// # Errors
    /// When there is not.
    pub(crate) fn look_at_budget(&self) -> Result<(), Incomplete> {
        Ok(self.budget.exhausted().map_or(Ok(()), Err)?)
    }

    /// Writes down which atoms hold in the marking loaded last.
    fn note_letter(&mut self, at: usize, dead: bool) {
        let letter = &mut self.letters[at * self.words..][..self.words];
        letter.fill(0);
        for (number, [test, _]) in &self.tests {
            letter[number / 64] |= u64::from(test.holds(self.space.key(), dead)) << (number % 64);
        }
    }

    /// Where a marking that was expanded leads, and first to itself if it does. That is nowhere
    /// only of dead markings, where the graph is for trees.
    pub(crate) fn successors(&self, marking: u32) -> &[Successor] {
        let (begin, count) = self.rows[marking as usize];
        self.successors.get(begin as usize..).map_or(&[], |row| &row[..count as usize])
    }

    /// The atoms that hold in a marking that was expanded, one bit each.
    pub(crate) fn letter(&self, marking: u32) -> &[u64] {
        &self.letters[marking as usize * self.words..][..self.words]
    }

    /// Of a marking, expanded or not: which atoms hold, one bit each, and for which atoms that is
    /// known, which are those that do not mention deadness.
    pub(crate) fn said_by_tokens(&mut self, marking: u32) -> (&[u64], &[u64]) {
        let at = marking as usize;
        if self.rows[at].0 == NEW && !self.noted[at] {
            self.look(marking);
            let letter = &mut self.letters[at * self.words..][..self.words];
            letter.fill(0);
            // A test that does not ask for deadness in this layout may do so in the next.
            let said = |number: usize| self.said_by_tokens[number / 64] >> (number % 64) & 1 == 1;
            for (number, [test, _]) in self.tests.iter().filter(|(number, _)| said(*number)) {
                let holds = u64::from(test.holds(self.space.key(), false));
                letter[number / 64] |= holds << (number % 64);
            }
            self.noted[at] = true;
        }
        (self.letter(marking), &self.said_by_tokens)
    }

    /// The atoms that are true of edges with this label, one bit each.
    pub(crate) fn fired(&self, label: u32) -> &[u64] {
        &self.labels.sets[label as usize]
    }

    /// The firings from the first of these markings along edges with these labels. Where a dead
    /// marking repeats nothing fires. `None` where there is no such edge.
    pub(crate) fn firings(&mut self, from: u32, edges: &[Successor]) -> Option<FiringSequence> {
        let mut sequence = FiringSequence::new();
        let mut at = from;
        for &(to, label) in edges {
            if let Some(t) = self.firing(at, to, label)? {
                sequence.push(t, 1);
            }
            at = to;
        }
        Some(sequence)
    }

    /// The transition of an edge, if there is such an edge; the inner `None` where the marking is
    /// dead and stays.
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
            // Markings may be packed anew meanwhile; then nothing was fired.
            while self.space.expand_edges(from, &[t], |number| reached = Some(number)).ok()? {
                self.space.load(from, &mut self.enabled);
            }
            let reached = match reached {
                Some(reached) if self.silent.is_some() => {
                    self.loaded = None;
                    let instead = self.representative(reached, None).ok()?;
                    self.loaded = None;
                    self.space.load(from, &mut self.enabled);
                    Some(instead)
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

/// The labels of edges, and which transitions make different ones.
struct Labels<'n> {
    net: &'n Net,
    /// By label the atoms that are true, one bit each.
    sets: Vec<Vec<u64>>,
    /// By transition its label; nothing where no atom speaks of firings.
    of: Vec<u32>,
    /// By effect the round in which it was chosen last, where no atom speaks of firings.
    chosen: Vec<u64>,
    round: u64,
}

impl<'n> Labels<'n> {
    fn new(net: &'n Net, atoms: &[RunAtom], words: usize) -> Self {
        let mut sets = vec![vec![0; words]];
        let mut of = Vec::new();
        if atoms.iter().any(|atom| matches!(atom, RunAtom::Fires(_))) {
            let mut true_of = vec![sets[0].clone(); net.transition_count()];
            for (number, atom) in atoms.iter().enumerate() {
                let RunAtom::Fires(any) = atom else { continue };
                any.iter().for_each(|t| true_of[t.index()][number / 64] |= 1 << (number % 64));
            }
            let mut numbers = HashMap::from([(sets[0].clone(), 0)]);
            for set in true_of {
                let next = sets.len() as u32;
                let number = *numbers.entry(set.clone()).or_insert(next);
                if number == next {
                    sets.push(set);
                }
                of.push(number);
            }
        }
        Labels { net, sets, of, chosen: vec![0; net.effect_count()], round: 0 }
    }

    fn of(&self, t: u32) -> u32 {
        self.of.get(t as usize).copied().unwrap_or(0)
    }

    /// Keeps of the enabled transitions one for each effect, where labels do not tell them apart.
    fn choose(&mut self, enabled: &mut Vec<u32>) {
        if !self.of.is_empty() {
            return;
        }
        self.round += 1;
        enabled.retain(|&t| {
            let class = self.net.effect_of(TransitionId::new(t as usize));
            std::mem::replace(&mut self.chosen[class.index()], self.round) != self.round
        });
    }
}
