//! Markings packed into words: a field of bits per place, fields side by side in `u64` words.
//!
//! A hundred one-safe places fit two words instead of a hundred, and a marking that is two words
//! is hashed, compared and copied in a few instructions. A field never straddles two words, so
//! that arithmetic on one word never needs its neighbour: firing a transition is one addition per
//! word it touches (see [`moves`](super::moves)).
//!
//! How wide must a field be? A bound says so; without one the field starts as narrow as the initial
//! marking allows and *every firing checks that no field overflows*. One that would is widened, and
//! the markings packed so far are packed anew. A bound that turns out to be wrong is treated the
//! same: bounds make searches small, never wrong. So what the model merely claims of its places is
//! welcome here, and nothing rests on it.
//!
//! Places that no transition changes need no field at all: their tokens are those of the initial
//! marking. Those that follow from others ([`derived`](super::derived)) have their fields in the
//! last words, which are not stored.

use super::derived::{Derivations, Derived};
use super::layout::{Field, Layout};
use parikh_net::{Facts, Marking, Net, PlaceId};

/// Widest field: [`Marking::MAX_TOKENS`] is 2⁶³ − 1.
const WIDEST: u8 = 63;

/// How many words with room left the layout considers for the next field. More pack tighter by
/// next to nothing and tear apart places that are close in the model, and so in its transitions.
const OPEN_WORDS: usize = 8;

/// Fields of one word that move to another word, all by as many bits.
#[derive(Clone, Copy, Debug)]
struct Shift {
    from: u32,
    to: u32,
    mask: u64,
    /// To the left if positive.
    by: i8,
}

/// Carries keys from one layout to another, many fields at a time.
#[derive(Clone, Debug)]
pub(crate) struct Carry(Vec<Shift>);

impl Carry {
    /// Writes to `new` what `old` holds.
    pub(crate) fn apply(&self, old: &[u64], new: &mut [u64]) {
        new.fill(0);
        for shift in &self.0 {
            let bits = old[shift.from as usize] & shift.mask;
            let moved = if shift.by >= 0 { bits << shift.by } else { bits >> -shift.by };
            new[shift.to as usize] |= moved;
        }
    }
}

/// A place holds more tokens than any field can: 2⁶³ or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpackable;

/// A layout of fields.
#[derive(Clone, Debug)]
pub(crate) struct Packing {
    fields: Vec<Field>,
    /// Tokens of the places without a field; 0 elsewhere.
    constants: Vec<u64>,
    /// Whether a bound was given for the place: those are widened on their own overflow only.
    bounded: Vec<bool>,
    layout: Layout,
    derived: Vec<Derived>,
    derivations: Derivations,
}

impl Packing {
    /// The layout for the reachable markings of `net`, as narrow as `facts` and the initial
    /// marking allow.
    pub(crate) fn new(net: &Net, facts: &Facts) -> Self {
        let mut changes = vec![false; net.place_count()];
        for class in net.effect_classes() {
            net.effect(class).iter().for_each(|change| changes[change.place.index()] = true);
        }
        let initial = net.initial();
        let bounds: Vec<Option<u64>> =
            net.places().map(|p| Some(facts.upper_bound(p)?.tokens)).collect();
        let width = |p: PlaceId| {
            let bound = bounds[p.index()].unwrap_or(1).max(initial[p]).min(Marking::MAX_TOKENS);
            if changes[p.index()] { bits(bound.max(1)) } else { 0 }
        };
        let constant = |p: PlaceId| if changes[p.index()] { 0 } else { initial[p] };
        let constants = net.places().map(constant).collect();
        let bounded = bounds.iter().map(Option::is_some).collect();
        let mut packing = Packing {
            fields: Vec::new(),
            constants,
            bounded,
            layout: Layout { words: 1, stored: 1, folded: false },
            derived: Vec::new(),
            derivations: Derivations::default(),
        };
        packing.lay_out(&net.places().map(width).collect::<Vec<u8>>());
        packing
    }

    /// The layout for very many markings, where some places follow from others: these are not
    /// stored, and what still takes more than two words is folded into one. `None` if that is no
    /// less.
    pub(crate) fn compacted(&self, derived: Vec<Derived>) -> Option<Packing> {
        let widths: Vec<u8> = self.fields.iter().map(|field| field.width).collect();
        let mut compact = self.clone();
        compact.derived = derived;
        compact.lay_out(&widths);
        if compact.layout.stored == self.layout.stored {
            compact = self.clone();
        }
        compact.layout.folded = compact.layout.stored > 2;
        (compact.layout != self.layout).then_some(compact)
    }

    /// Places fields of these widths, first fit in the order of the places; those of derived places
    /// behind all others.
    fn lay_out(&mut self, widths: &[u8]) {
        let mut is_derived = vec![false; widths.len()];
        self.derived.iter().for_each(|derived| is_derived[derived.place.index()] = true);
        let only = |those: bool| {
            let pick = |(&width, &is): (&u8, &bool)| if is == those { width } else { 0 };
            widths.iter().zip(&is_derived).map(pick).collect::<Vec<u8>>()
        };
        let (mut fields, end) = first_fit(&only(false), 0);
        // A key of no words would leave nothing to store; one word costs nothing.
        self.layout.stored = (end as usize).max(1);
        let (last, end) = first_fit(&only(true), self.layout.stored as u32);
        self.layout.words = end as usize;
        for Derived { place, .. } in &self.derived {
            fields[place.index()] = last[place.index()];
        }
        self.fields = fields;
        self.derivations = Derivations::compile(&self.derived, &self.fields, &self.constants);
    }

    /// What of a key is stored, and how.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Completes a key of which the stored words are given.
    pub(crate) fn derive(&self, key: &mut [u64]) {
        if self.layout.stored < self.layout.words {
            key[self.layout.stored..].fill(0);
            self.derivations.apply(key);
        }
    }

    /// Words of a packed marking, at least 1.
    pub(crate) fn words(&self) -> usize {
        self.layout.words
    }

    /// Where the tokens of `p` are.
    pub(crate) fn field(&self, p: PlaceId) -> Field {
        self.fields[p.index()]
    }

    /// The tokens of a place without a field.
    pub(crate) fn constant(&self, p: PlaceId) -> u64 {
        self.constants[p.index()]
    }

    /// The tokens of `p` in a packed marking.
    pub(crate) fn tokens(&self, key: &[u64], p: PlaceId) -> u64 {
        let field = self.fields[p.index()];
        if field.width == 0 {
            return self.constants[p.index()];
        }
        key[field.word as usize] >> field.shift & field.low_mask()
    }

    /// Packs `tokens(p)` for every place; each fits its field.
    pub(crate) fn pack(&self, tokens: impl Fn(PlaceId) -> u64, key: &mut [u64]) {
        key.fill(0);
        for (index, field) in self.fields.iter().enumerate().filter(|(_, field)| field.width > 0) {
            key[field.word as usize] |= tokens(PlaceId::new(index)) << field.shift;
        }
    }

    /// The marking behind a whole `key`.
    pub(crate) fn unpack(&self, key: &[u64]) -> Marking {
        let places = (0..self.fields.len()).map(PlaceId::new);
        Marking::new(places.map(|p| self.tokens(key, p)).collect())
    }

    /// How to carry packed markings over to another layout of the same places, whose fields are
    /// no narrower.
    pub(crate) fn carry_to(&self, wider: &Packing) -> Carry {
        let mut shifts: Vec<Shift> = Vec::new();
        for (from, to) in self.fields.iter().zip(&wider.fields).filter(|(from, _)| from.width > 0) {
            let shift = to.shift as i8 - from.shift as i8;
            let same = |s: &&mut Shift| (s.from, s.to, s.by) == (from.word, to.word, shift);
            // Fields that stay side by side are most often neighbours in the order of places too.
            match shifts.iter_mut().rev().take(4 * OPEN_WORDS).find(same) {
                Some(shift) => shift.mask |= from.mask(),
                None => {
                    let mask = from.mask();
                    shifts.push(Shift { from: from.word, to: to.word, mask, by: shift });
                }
            }
        }
        Carry(shifts)
    }

    /// A layout in which `place` has room for `tokens`. Its field at least doubles, so that a
    /// place is widened six times at most. With `all`, so does every field without a bound.
    ///
    /// # Errors
    /// When there are more tokens than any field can hold.
    pub(crate) fn widened(
        &self,
        place: PlaceId,
        tokens: u64,
        all: bool,
    ) -> Result<Packing, Unpackable> {
        if tokens > Marking::MAX_TOKENS {
            return Err(Unpackable);
        }
        let twice = |width: u8| (2 * width).min(WIDEST);
        let width = |(index, field): (usize, &Field)| {
            if index == place.index() {
                bits(tokens).max(twice(field.width))
            } else if all && !self.bounded[index] {
                twice(field.width)
            } else {
                field.width
            }
        };
        let widths: Vec<u8> = self.fields.iter().enumerate().map(width).collect();
        let mut wider = self.clone();
        wider.lay_out(&widths);
        Ok(wider)
    }
}

/// Fields of these widths, first fit, in words from this one on; and the word behind the last one.
fn first_fit(widths: &[u8], first: u32) -> (Vec<Field>, u32) {
    // Words with room: (word, bits used).
    let mut open: Vec<(u32, u8)> = Vec::with_capacity(OPEN_WORDS + 1);
    let mut end = first;
    let mut fields = Vec::with_capacity(widths.len());
    for &width in widths {
        if width == 0 {
            fields.push(Field { word: 0, shift: 0, width });
            continue;
        }
        let at = open.iter().position(|&(_, used)| used + width <= 64).unwrap_or_else(|| {
            if open.len() == OPEN_WORDS {
                // The fullest word is the least useful.
                let fullest = (0..open.len()).max_by_key(|&at| open[at].1).unwrap_or(0);
                open.remove(fullest);
            }
            open.push((end, 0));
            end += 1;
            open.len() - 1
        });
        let (word, used) = &mut open[at];
        fields.push(Field { word: *word, shift: *used, width });
        *used += width;
    }
    (fields, end)
}

/// Bits needed to write `tokens`, at most [`WIDEST`].
fn bits(tokens: u64) -> u8 {
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
        let narrow = Packing::new(&net, &Facts::none(&net));
        assert_eq!(narrow.words(), 2);
        let mut key = vec![0; narrow.words()];
        narrow.pack(|p| net.initial()[p], &mut key);
        assert_eq!(&narrow.unpack(&key), net.initial());
        let c = net.place_named("c").unwrap();
        for all in [false, true] {
            let wide = narrow.widened(c, 70_000, all).unwrap();
            assert!(wide.field(c).width >= 17);
            let mut wider = vec![0; wide.words()];
            narrow.carry_to(&wide).apply(&key, &mut wider);
            assert_eq!(&wide.unpack(&wider), net.initial());
        }
        assert_eq!(narrow.widened(c, 1 << 63, false).unwrap_err(), Unpackable);
    }

    #[test]
    fn bounds_fix_the_width() {
        let net = text::parse("place p\nplace q\ntransition t: -> p + q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let mut facts = Facts::none(&net);
        facts.bound_above(p, 1000, Provenance::Flows);
        facts.bound_above(q, 0, Provenance::UnitsClaimed);
        let packing = Packing::new(&net, &facts);
        assert_eq!((packing.field(p).width, packing.field(q).width), (10, 1));
        assert_eq!(packing.words(), 1);
    }
}
