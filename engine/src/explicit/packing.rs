//! Markings packed into words: one bit field per place, side by side in `u64` words.
//!
//! A hundred one-safe places fit in two words instead of a hundred. A marking of two words is
//! hashed, compared and copied in a few instructions. No field spans two words, so arithmetic on
//! one word does not affect its neighbour. Firing a transition is one addition per changed word
//! (see [`moves`](super::moves)).
//!
//! The width of a field follows from an upper bound of the place. Without a bound the field starts
//! as narrow as the initial marking allows, and *every firing checks for overflow*. On overflow the
//! field is widened and all markings are packed again. A wrong bound is treated in the same way, so
//! bounds make searches smaller but never wrong. Unproved bounds claimed by the model may therefore
//! be used here.
//!
//! Places that no transition changes need no field: they keep their initial token counts. Places
//! determined by others ([`derived`](super::derived)) have their fields in the last words, which
//! are not stored.

use super::derived::{Derivations, DerivedPlace};
use super::layout::{Field, Layout};
use parikh_net::{Facts, Marking, Net, PlaceId};

/// Maximum field width, since [`Marking::MAX_TOKENS`] is 2⁶³ − 1.
const MAX_FIELD_BITS: u8 = 63;

/// Maximum number of words with free bits that are considered for the next field. With more words
/// the packing is hardly tighter, but places that are close in the model, and so in its
/// transitions, are separated.
const OPEN_WORDS: usize = 8;

/// Fields of one word that move to another word with the same shift.
#[derive(Clone, Copy, Debug)]
struct FieldShift {
    /// Index of the word in the old key.
    old_word: u32,
    /// Index of the word in the new key.
    new_word: u32,
    /// The bits of the fields in the old word.
    mask: u64,
    /// Number of bits to shift to the left, or to the right if negative.
    left_shift: i8,
}

/// Converts keys from one layout to another, many fields at a time.
#[derive(Clone, Debug)]
pub(crate) struct KeyConversion(Vec<FieldShift>);

impl KeyConversion {
    /// Writes the whole key `old` to `new` in the new layout.
    pub(crate) fn apply(&self, old: &[u64], new: &mut [u64]) {
        new.fill(0);
        for shift in &self.0 {
            let bits = old[shift.old_word as usize] & shift.mask;
            let moved = if shift.left_shift >= 0 {
                bits << shift.left_shift
            } else {
                bits >> -shift.left_shift
            };
            new[shift.new_word as usize] |= moved;
        }
    }
}

/// The error of packing a marking with 2⁶³ tokens or more on a place, too many for any field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpackable;

/// The layout of packed markings (keys): the field of each place, the stored words, and the derived
/// places.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    /// The fields in a key, by place index.
    fields: Vec<Field>,
    /// Token counts of the places without a field, 0 for the others.
    constants: Vec<u64>,
    /// For each place, true if an upper bound is known. The field of such a place is widened only
    /// when this field overflows.
    is_bounded: Vec<bool>,
    /// The storage layout of keys.
    layout: Layout,
    /// The places whose fields are computed from the stored fields.
    derived: Vec<DerivedPlace>,
    /// The derived places, compiled for the current fields.
    derivations: Derivations,
}

impl Packing {
    /// Creates a layout for markings of `net`, as narrow as the upper bounds in `facts` and the
    /// initial marking allow.
    pub(crate) fn new(net: &Net, facts: &Facts) -> Self {
        let mut is_changed = vec![false; net.place_count()];
        for class in net.effect_classes() {
            net.effect(class).iter().for_each(|change| is_changed[change.place.index()] = true);
        }
        let initial = net.initial();
        let bounds: Vec<Option<u64>> =
            net.places().map(|p| Some(facts.upper_bound(p)?.tokens)).collect();
        let width = |p: PlaceId| {
            let bound = bounds[p.index()].unwrap_or(1).max(initial[p]).min(Marking::MAX_TOKENS);
            if is_changed[p.index()] { bit_count(bound.max(1)) } else { 0 }
        };
        let constant = |p: PlaceId| if is_changed[p.index()] { 0 } else { initial[p] };
        let constants = net.places().map(constant).collect();
        let bounded = bounds.iter().map(Option::is_some).collect();
        let mut packing = Packing {
            fields: Vec::new(),
            constants,
            is_bounded: bounded,
            layout: Layout { words_per_key: 1, stored: 1, is_folded: false },
            derived: Vec::new(),
            derivations: Derivations::default(),
        };
        packing.place_fields(&net.places().map(width).collect::<Vec<u8>>());
        packing
    }

    /// Returns the layout for very many markings. Places in `derived` are not stored if this saves
    /// stored words, and more than two stored words are folded into one. Returns `None` if neither
    /// changes the layout.
    pub(crate) fn compacted(&self, derived: Vec<DerivedPlace>) -> Option<Packing> {
        let widths: Vec<u8> = self.fields.iter().map(|field| field.width).collect();
        let mut compact = self.clone();
        compact.derived = derived;
        compact.place_fields(&widths);
        if compact.layout.stored == self.layout.stored {
            compact = self.clone();
        }
        compact.layout.is_folded = compact.layout.stored > 2;
        (compact.layout != self.layout).then_some(compact)
    }

    /// Assigns fields of these widths in bits, one per place, first fit in the order of the places.
    /// The fields of derived places come last, in words that are not stored.
    fn place_fields(&mut self, widths: &[u8]) {
        let mut is_derived = vec![false; widths.len()];
        self.derived.iter().for_each(|derived| is_derived[derived.place.index()] = true);
        let widths_of = |wants_derived: bool| {
            let pick = |(&width, &is_derived_place): (&u8, &bool)| {
                if is_derived_place == wants_derived { width } else { 0 }
            };
            widths.iter().zip(&is_derived).map(pick).collect::<Vec<u8>>()
        };
        let (mut fields, end) = first_fit(&widths_of(false), 0);
        // At least one word is stored, so that a key is never empty.
        self.layout.stored = (end as usize).max(1);
        let (derived_fields, end) = first_fit(&widths_of(true), self.layout.stored as u32);
        self.layout.words_per_key = end as usize;
        for DerivedPlace { place, .. } in &self.derived {
            fields[place.index()] = derived_fields[place.index()];
        }
        self.fields = fields;
        self.derivations = Derivations::compile(&self.derived, &self.fields, &self.constants);
    }

    /// Returns the storage layout of keys.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Computes the words of a key that are not stored, which contain the derived places, from its
    /// stored words.
    pub(crate) fn derive(&self, key: &mut [u64]) {
        if self.layout.stored < self.layout.words_per_key {
            key[self.layout.stored..].fill(0);
            self.derivations.apply(key);
        }
    }

    /// Returns the number of words of a key, at least 1.
    pub(crate) fn words_per_key(&self) -> usize {
        self.layout.words_per_key
    }

    /// Returns the field of `p`.
    pub(crate) fn field(&self, p: PlaceId) -> Field {
        self.fields[p.index()]
    }

    /// Returns the token count of a place without a field.
    pub(crate) fn constant(&self, p: PlaceId) -> u64 {
        self.constants[p.index()]
    }

    /// Returns the token count of `p` in a packed marking.
    pub(crate) fn tokens(&self, key: &[u64], p: PlaceId) -> u64 {
        let field = self.fields[p.index()];
        if field.width == 0 {
            return self.constants[p.index()];
        }
        key[field.word as usize] >> field.shift & field.low_mask()
    }

    /// Writes `tokens(p)` to the field of each place p in `key`, a whole key. Each count must fit
    /// its field.
    pub(crate) fn pack(&self, tokens: impl Fn(PlaceId) -> u64, key: &mut [u64]) {
        key.fill(0);
        for (index, field) in self.fields.iter().enumerate().filter(|(_, field)| field.width > 0) {
            key[field.word as usize] |= tokens(PlaceId::new(index)) << field.shift;
        }
    }

    /// Returns the marking with this whole key, including the words that are not stored.
    pub(crate) fn unpack(&self, key: &[u64]) -> Marking {
        let places = (0..self.fields.len()).map(PlaceId::new);
        Marking::new(places.map(|p| self.tokens(key, p)).collect())
    }

    /// Returns the conversion of whole keys to another layout of the same places, whose fields are
    /// at least as wide.
    pub(crate) fn conversion_to(&self, wider: &Packing) -> KeyConversion {
        let mut shifts: Vec<FieldShift> = Vec::new();
        for (from, to) in self.fields.iter().zip(&wider.fields).filter(|(from, _)| from.width > 0) {
            let shift = to.shift as i8 - from.shift as i8;
            let is_same_shift = |s: &&mut FieldShift| {
                (s.old_word, s.new_word, s.left_shift) == (from.word, to.word, shift)
            };
            // Fields with the same shift are usually neighbours in the order of places too.
            match shifts.iter_mut().rev().take(4 * OPEN_WORDS).find(is_same_shift) {
                Some(shift) => shift.mask |= from.mask(),
                None => {
                    let mask = from.mask();
                    shifts.push(FieldShift {
                        old_word: from.word,
                        new_word: to.word,
                        mask,
                        left_shift: shift,
                    });
                }
            }
        }
        KeyConversion(shifts)
    }

    /// Returns a layout in which `place` has space for `tokens` tokens. Its field at least doubles,
    /// up to [`MAX_FIELD_BITS`] bits, so that a place is widened at most six times. With
    /// `widens_all`, the fields of all places without a bound double too.
    ///
    /// # Errors
    /// Returns an error if the token count exceeds every field.
    pub(crate) fn widened(
        &self,
        place: PlaceId,
        tokens: u64,
        widens_all: bool,
    ) -> Result<Packing, Unpackable> {
        if tokens > Marking::MAX_TOKENS {
            return Err(Unpackable);
        }
        let doubled = |width: u8| (2 * width).min(MAX_FIELD_BITS);
        let width = |(index, field): (usize, &Field)| {
            if index == place.index() {
                bit_count(tokens).max(doubled(field.width))
            } else if widens_all && !self.is_bounded[index] {
                doubled(field.width)
            } else {
                field.width
            }
        };
        let widths: Vec<u8> = self.fields.iter().enumerate().map(width).collect();
        let mut wider = self.clone();
        wider.place_fields(&widths);
        Ok(wider)
    }
}

/// Assigns fields of these widths in bits, first fit, in words from index `first` on. Returns the
/// fields, and the index after the last used word. A field of width 0 takes no space.
fn first_fit(widths: &[u8], first: u32) -> (Vec<Field>, u32) {
    // Words with free bits: (word, bits used).
    let mut open_words: Vec<(u32, u8)> = Vec::with_capacity(OPEN_WORDS + 1);
    let mut end = first;
    let mut fields = Vec::with_capacity(widths.len());
    for &width in widths {
        if width == 0 {
            fields.push(Field { word: 0, shift: 0, width });
            continue;
        }
        let index =
            open_words.iter().position(|&(_, used)| used + width <= 64).unwrap_or_else(|| {
                if open_words.len() == OPEN_WORDS {
                    // The fullest word is the least useful.
                    let fullest =
                        (0..open_words.len()).max_by_key(|&index| open_words[index].1).unwrap_or(0);
                    open_words.remove(fullest);
                }
                open_words.push((end, 0));
                end += 1;
                open_words.len() - 1
            });
        let (word, used) = &mut open_words[index];
        fields.push(Field { word: *word, shift: *used, width });
        *used += width;
    }
    (fields, end)
}

/// Returns the number of bits of `tokens`.
fn bit_count(tokens: u64) -> u8 {
    (64 - tokens.leading_zeros()) as u8
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Provenance, text};

    #[test]
    fn markings_survive_packing_and_widening() {
        let net = text::parse(
            "place a 3\nplace constant 1000000\nplace b 1\nplace huge 9223372036854775807\nplace c
             transition t: a + constant -> b + constant\ntransition u: huge + b -> c",
        )
        .unwrap();
        let narrow = Packing::new(&net, &Facts::empty(&net));
        assert_eq!(narrow.words_per_key(), 2);
        let mut key = vec![0; narrow.words_per_key()];
        narrow.pack(|p| net.initial()[p], &mut key);
        assert_eq!(&narrow.unpack(&key), net.initial());
        let c = net.place_named("c").unwrap();
        for all in [false, true] {
            let wide = narrow.widened(c, 70_000, all).unwrap();
            assert!(wide.field(c).width >= 17);
            let mut wider = vec![0; wide.words_per_key()];
            narrow.conversion_to(&wide).apply(&key, &mut wider);
            assert_eq!(&wide.unpack(&wider), net.initial());
        }
        assert_eq!(narrow.widened(c, 1 << 63, false).unwrap_err(), Unpackable);
    }

    #[test]
    fn bounds_fix_the_width() {
        let net = text::parse("place p\nplace q\ntransition t: -> p + q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let mut facts = Facts::empty(&net);
        facts.bound_above(p, 1000, Provenance::Flows);
        facts.bound_above(q, 0, Provenance::UnitsClaimed);
        let packing = Packing::new(&net, &facts);
        assert_eq!((packing.field(p).width, packing.field(q).width), (10, 1));
        assert_eq!(packing.words_per_key(), 1);
    }
}
