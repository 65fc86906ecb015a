//! Transitions compiled to word arithmetic on packed markings (keys), and the computation of the
//! enabled transitions.
//!
//! *Enabledness.* Each place has a bit field in a word of the key. All fields of a word are
//! compared at once. Let `x` be the word, `y` the input weights packed in the same way, and `h` the
//! highest bits of the fields with a weight. Setting `h` in `x` and clearing it in `y` gives each
//! field a bit to borrow from. Then one subtraction compares the lower bits of all fields, and the
//! highest bits are corrected afterwards:
//!
//! ```text
//! z  = (x | h) − (y & ¬h)            no field borrows from its neighbour
//! ge = (x & ¬y) | (¬(x ^ y) & z)     at the bits h: field of x ≥ field of y
//! ```
//!
//! For one-bit fields this is `x & y == y`. If all weighted fields of a word have one bit, the code
//! computes this instead.
//!
//! *Firing* adds the packed effect to the word. The same trick checks before that no field
//! overflows.
//!
//! *Candidates.* Each transition is listed under one of its input places, and only the lists of
//! marked places are checked. The best place for a transition is the one that is marked least
//! often. So after some time the lists are rebuilt according to the visited markings
//! ([`Moves::rebuild_lists`]). An incrementally updated set of enabled transitions, as random walks
//! use it, was rejected. A search jumps between markings, so the set would have to be stored with
//! each marking.

use super::packing::Packing;
use parikh_net::{Net, PlaceId, TransitionId};

/// A check that the places in one word of a packed marking have at least the input weights of one
/// transition. Each place has a bit field of the word.
#[derive(Clone, Copy, Debug)]
struct InputCheck {
    /// Index of the word in the key of a marking.
    word: u32,
    /// True if all checked fields have one bit.
    is_one_bit: bool,
    /// The input weights, each shifted to the field of its place.
    weights: u64,
    /// The highest bits of the fields with a weight.
    high_bits: u64,
}

impl InputCheck {
    /// Returns true if the packed marking `key` passes the check.
    fn passes(&self, key: &[u64]) -> bool {
        let x = key[self.word as usize];
        if self.is_one_bit {
            return x & self.weights == self.weights;
        }
        let differences = (x | self.high_bits).wrapping_sub(self.weights & !self.high_bits);
        ((x & !self.weights) | (!(x ^ self.weights) & differences)) & self.high_bits
            == self.high_bits
    }
}

/// The changes of one word of a packed marking when a transition fires.
#[derive(Clone, Copy, Debug)]
struct WordChange {
    word: u32,
    /// The number to add to the word, modulo 2⁶⁴: the token changes of its places, each shifted to
    /// the place's field.
    delta: u64,
    /// The positive token changes only, each shifted to the place's field.
    gain: u64,
    /// The highest bits of the fields with positive changes.
    high: u64,
}

impl WordChange {
    /// Returns true if a field overflows when the positive changes are added to `word`.
    fn overflows(&self, word: u64) -> bool {
        let carries = (word & !self.high).wrapping_add(self.gain & !self.high);
        ((word & self.gain) | ((word | self.gain) & carries)) & self.high != 0
    }
}

/// A transition compiled to checks and changes of words.
#[derive(Clone, Copy, Debug)]
struct TransitionMove {
    /// Range of the input checks in [`Moves::checks`].
    checks: (u32, u32),
    /// Range of the word changes in [`Moves::changes`].
    changes: (u32, u32),
    /// True if the transition adds more to a place than its field can hold. Firing it always
    /// overflows.
    always_overflows: bool,
}

/// The error of firing a transition that gives a place more tokens than its field can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow(pub(crate) TransitionId);

/// The candidates listed under one input place, that is, transitions that are tested only if this
/// place is marked.
#[derive(Clone, Copy, Debug)]
struct CandidateList {
    /// The bits of the place's field in its word.
    mask: u64,
    /// Range of the candidates in [`Moves::entries`].
    entries: (u32, u32),
}

/// A transition in a candidate list, with a copy of its first input check. Most transitions have
/// only one check.
#[derive(Clone, Copy, Debug)]
struct MoveEntry {
    first_check: InputCheck,
    /// Index of the transition.
    transition: u32,
    /// Range of the remaining checks in [`Moves::checks`].
    other_checks: (u32, u32),
}

/// The transitions of a net, compiled for one packing.
pub(crate) struct Moves {
    /// The compiled transitions, by transition index.
    moves: Vec<TransitionMove>,
    /// The input checks of all transitions, one transition after another.
    checks: Vec<InputCheck>,
    /// The word changes of all transitions, one transition after another.
    changes: Vec<WordChange>,
    /// The transitions that [`enabled`](Self::enabled) may report. Transitions that can never be
    /// enabled in this packing are left out.
    candidates: Vec<TransitionId>,
    /// Indices of the candidate transitions without an input place whose token count can change.
    /// They are always enabled.
    always_enabled: Vec<u32>,
    /// The candidates of all lists, one list after another.
    entries: Vec<MoveEntry>,
    /// The candidate lists, one per place under which a candidate is listed.
    lists: Vec<CandidateList>,
    /// For each bit of a key, the index of the candidate list of its field. Only meaningful for the
    /// bits in `listed_bits`.
    list_of_bit: Vec<u32>,
    /// For each word, the bits of the fields with a candidate list.
    listed_bits: Vec<u64>,
}

impl Moves {
    /// Compiles all transitions of `net`. [`enabled`](Self::enabled) reports only transitions for
    /// which `listed` is true.
    pub(crate) fn new(
        net: &Net,
        packing: &Packing,
        listed: impl Fn(TransitionId) -> bool,
    ) -> Moves {
        let mut moves = Moves {
            moves: Vec::with_capacity(net.transition_count()),
            checks: Vec::new(),
            changes: Vec::new(),
            candidates: Vec::new(),
            always_enabled: Vec::new(),
            entries: Vec::new(),
            lists: Vec::new(),
            list_of_bit: Vec::new(),
            listed_bits: Vec::new(),
        };
        for t in net.transitions() {
            let can_be_enabled = moves.compile(net, packing, t);
            if can_be_enabled && listed(t) {
                moves.candidates.push(t);
            }
        }
        moves.rebuild_lists(net, packing, |p| u64::from(net.initial()[p] > 0));
        moves
    }

    /// Appends the compiled checks and changes of `t`. Returns false if `t` can never be enabled in
    /// this packing.
    fn compile(&mut self, net: &Net, packing: &Packing, t: TransitionId) -> bool {
        let mut can_be_enabled = true;
        let first_check = self.checks.len();
        for arc in net.pre(t) {
            let field = packing.field(arc.place);
            if field.width == 0 {
                can_be_enabled &= packing.constant(arc.place) >= arc.weight;
                continue;
            }
            can_be_enabled &= arc.weight <= field.low_mask();
            let checks = &mut self.checks;
            let index = find_or_append(
                checks,
                first_check,
                |check| check.word == field.word,
                || InputCheck { word: field.word, is_one_bit: true, weights: 0, high_bits: 0 },
            );
            // A weight that is too large gives a wrong value here, but then the transition is no
            // candidate.
            checks[index].weights |= (arc.weight & field.low_mask()) << field.shift;
            checks[index].high_bits |= field.high_bit();
            checks[index].is_one_bit &= field.width == 1;
        }
        let first_word_change = self.changes.len();
        let mut always_overflows = false;
        for change in net.delta(t) {
            let field = packing.field(change.place);
            let word_changes = &mut self.changes;
            let index = find_or_append(
                word_changes,
                first_word_change,
                |patch| patch.word == field.word,
                || WordChange { word: field.word, delta: 0, gain: 0, high: 0 },
            );
            let word_change = &mut word_changes[index];
            word_change.delta =
                word_change.delta.wrapping_add((change.delta as u64) << field.shift);
            if change.delta > 0 {
                always_overflows |= change.delta as u64 > field.low_mask();
                word_change.gain |= (change.delta as u64 & field.low_mask()) << field.shift;
                word_change.high |= field.high_bit();
            }
        }
        self.moves.push(TransitionMove {
            checks: (first_check as u32, self.checks.len() as u32),
            changes: (first_word_change as u32, self.changes.len() as u32),
            always_overflows,
        });
        can_be_enabled
    }

    /// Rebuilds the candidate lists. `marked_count` estimates how often a place is marked. Each
    /// candidate is listed under its input place with the smallest estimate, among places whose
    /// token count can change. Candidates without such a place are always enabled.
    pub(crate) fn rebuild_lists(
        &mut self,
        net: &Net,
        packing: &Packing,
        marked_count: impl Fn(PlaceId) -> u64,
    ) {
        let mut place_and_transition: Vec<(PlaceId, TransitionId)> =
            Vec::with_capacity(self.candidates.len());
        self.always_enabled.clear();
        for &t in &self.candidates {
            let inputs = net.pre(t).iter().map(|arc| arc.place);
            let changing = inputs.filter(|&p| packing.field(p).width > 0);
            match changing.min_by_key(|&p| (marked_count(p), net.consumers(p).len(), p)) {
                Some(place) => place_and_transition.push((place, t)),
                None => self.always_enabled.push(t.index() as u32),
            }
        }
        place_and_transition.sort_unstable();
        self.entries.clear();
        self.lists.clear();
        self.list_of_bit = vec![0; 64 * packing.words_per_key()];
        self.listed_bits = vec![0; packing.words_per_key()];
        for same_place in place_and_transition.chunk_by(|a, b| a.0 == b.0) {
            let field = packing.field(same_place[0].0);
            let start = self.entries.len() as u32;
            for &(_, t) in same_place {
                let (first, end) = self.moves[t.index()].checks;
                self.entries.push(MoveEntry {
                    first_check: self.checks[first as usize],
                    transition: t.index() as u32,
                    other_checks: (first + 1, end),
                });
            }
            let first_bit = field.word as usize * 64 + field.shift as usize;
            let list = self.lists.len() as u32;
            self.list_of_bit[first_bit..first_bit + field.width as usize].fill(list);
            self.listed_bits[field.word as usize] |= field.mask();
            let entries = (start, self.entries.len() as u32);
            self.lists.push(CandidateList { mask: field.mask(), entries });
        }
    }

    /// Replaces the contents of `enabled_transitions` by the indices of the candidates that are
    /// enabled in the marking with this key. Their order depends only on the key and the candidate
    /// lists. Returns the number of candidates in the lists of marked places, which were all
    /// checked.
    pub(crate) fn enabled(&self, key: &[u64], enabled_transitions: &mut Vec<u32>) -> usize {
        enabled_transitions.clear();
        enabled_transitions.extend_from_slice(&self.always_enabled);
        let mut checked = 0;
        for (word, &bits_with_list) in self.listed_bits.iter().enumerate() {
            let mut marked_bits = key[word] & bits_with_list;
            while marked_bits != 0 {
                let bit = marked_bits.trailing_zeros() as usize;
                let list = self.lists[self.list_of_bit[word * 64 + bit] as usize];
                marked_bits &= !list.mask;
                let entries = &self.entries[list.entries.0 as usize..list.entries.1 as usize];
                checked += entries.len();
                for entry in entries {
                    let other_checks = entry.other_checks.0 as usize..entry.other_checks.1 as usize;
                    if entry.first_check.passes(key)
                        && self.checks[other_checks].iter().all(|check| check.passes(key))
                    {
                        enabled_transitions.push(entry.transition);
                    }
                }
            }
        }
        checked
    }

    /// Changes `key` to the marking after firing `t`, which must be enabled.
    ///
    /// # Errors
    /// Returns an error if a field would overflow. The key is then invalid.
    pub(crate) fn fire(&self, t: u32, key: &mut [u64]) -> Result<(), Overflow> {
        let compiled = self.moves[t as usize];
        if compiled.always_overflows {
            return Err(Overflow(TransitionId::new(t as usize)));
        }
        for word_change in &self.changes[compiled.changes.0 as usize..compiled.changes.1 as usize] {
            let word = word_change.word as usize;
            let old_word = key[word];
            if word_change.overflows(old_word) {
                return Err(Overflow(TransitionId::new(t as usize)));
            }
            key[word] = old_word.wrapping_add(word_change.delta);
        }
        Ok(())
    }
}

/// Returns the index of the first entry, from index `first` on, that satisfies `is_wanted`. If
/// there is none, appends `make()` and returns its index.
fn find_or_append<T>(
    entries: &mut Vec<T>,
    first: usize,
    is_wanted: impl Fn(&T) -> bool,
    make: impl FnOnce() -> T,
) -> usize {
    match entries[first..].iter().position(is_wanted) {
        Some(index) => first + index,
        None => {
            entries.push(make());
            entries.len() - 1
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Facts, Marking, NetBuilder};

    /// Compares enabledness and firing with the net's own functions, for random nets, markings and
    /// field widths.
    #[test]
    fn word_arithmetic_agrees_with_the_net() {
        let mut rng = fastrand::Rng::with_seed(7);
        for _ in 0..3000 {
            let mut builder = NetBuilder::new("n");
            let places: Vec<PlaceId> = (0..rng.usize(1..9))
                .map(|i| builder.place(&format!("p{i}"), rng.u64(0..4)).unwrap())
                .collect();
            for i in 0..6 {
                let t = builder.transition(&format!("t{i}")).unwrap();
                for &p in &places {
                    if rng.u8(0..3) == 0 {
                        builder.take(t, p, rng.u64(1..9)).unwrap();
                    }
                    if rng.u8(0..3) == 0 {
                        builder.put(t, p, rng.u64(1..9)).unwrap();
                    }
                }
            }
            let net = builder.build().unwrap();
            let mut packing = Packing::new(&net, &Facts::empty(&net));
            for &p in &places {
                let bits = rng.u8(1..20);
                packing = packing.widened(p, rng.u64(1..1 << bits), false).unwrap();
            }
            let moves = Moves::new(&net, &packing, |_| true);
            let mut marking = net.initial().clone();
            for &p in &places {
                let field = packing.field(p);
                if field.width > 0 {
                    marking[p] = rng.u64(0..=12).min(field.low_mask());
                    if rng.u8(0..6) == 0 {
                        marking[p] = field.low_mask() - rng.u64(0..=1);
                    }
                }
            }
            let mut key = vec![0; packing.words_per_key()];
            packing.pack(|p| marking[p], &mut key);
            let mut enabled = Vec::new();
            moves.enabled(&key, &mut enabled);
            enabled.sort_unstable();
            let expected: Vec<u32> = net
                .transitions()
                .filter(|&t| net.is_enabled(&marking, t))
                .map(|t| t.index() as u32)
                .collect();
            assert_eq!(enabled, expected);
            for t in enabled {
                let mut after: Marking = marking.clone();
                net.fire(&mut after, TransitionId::new(t as usize)).unwrap();
                let fits = |&p: &PlaceId| {
                    let field = packing.field(p);
                    field.width == 0 || after[p] <= field.low_mask()
                };
                let mut fired = key.clone();
                match moves.fire(t, &mut fired) {
                    Ok(()) => assert_eq!(packing.unpack(&fired), after),
                    Err(_) => assert!(!places.iter().all(fits)),
                }
            }
        }
    }
}
