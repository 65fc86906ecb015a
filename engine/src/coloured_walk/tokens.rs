//! Markings of coloured nets for walks. The tokens of a place can be found by colour, and listed
//! from any position.

use parikh_unfolding::{ByColour, merge};

/// The tokens of a place.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceTokens {
    /// Colours with their token counts, in no order.
    colours: Vec<(u64, u64)>,
    /// For each colour, its position in `colours`.
    positions: ByColour<u32>,
}

impl PlaceTokens {
    /// Returns the number of different colours.
    pub(super) fn len(&self) -> usize {
        self.colours.len()
    }

    /// Returns the colour at a position below [`len`](Self::len), with its token count. Changes of
    /// the marking may move colours to other positions.
    pub(super) fn entry(&self, position: usize) -> (u64, u64) {
        self.colours[position]
    }

    /// Returns the token count of a colour.
    pub(super) fn tokens(&self, colour: u64) -> u64 {
        self.positions.get(&colour).map_or(0, |&at| self.colours[at as usize].1)
    }

    /// Adds tokens of a colour.
    pub(super) fn put(&mut self, colour: u64, tokens: u64) {
        match self.positions.get(&colour) {
            Some(&position) => self.colours[position as usize].1 += tokens,
            None => {
                self.positions.insert(colour, self.colours.len() as u32);
                self.colours.push((colour, tokens));
            }
        }
    }

    /// Removes tokens of a colour. There must be at least as many, but a colour without tokens is
    /// ignored.
    pub(super) fn take(&mut self, colour: u64, tokens: u64) {
        let Some(&position) = self.positions.get(&colour) else { return };
        let remaining = &mut self.colours[position as usize].1;
        *remaining -= tokens;
        if *remaining == 0 {
            self.positions.remove(&colour);
            self.colours.swap_remove(position as usize);
            if let Some(&(moved, _)) = self.colours.get(position as usize) {
                self.positions.insert(moved, position);
            }
        }
    }
}

/// A marking: the tokens of each place, by place index.
pub(super) type ColouredTokens = Vec<PlaceTokens>;

/// Returns the marking with these tokens: for each place, colours with token counts. Equal colours
/// are added up, and colours with count 0 are dropped.
pub(super) fn marking_of(bags: impl IntoIterator<Item = Vec<(u64, u64)>>) -> ColouredTokens {
    let place_tokens = |mut bag: Vec<(u64, u64)>| {
        merge(&mut bag);
        let mut place = PlaceTokens::default();
        bag.into_iter()
            .filter(|it| it.1 > 0)
            .for_each(|(colour, tokens)| place.put(colour, tokens));
        place
    };
    bags.into_iter().map(place_tokens).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_added_and_removed() {
        let mut place = PlaceTokens::default();
        for colour in [7, 3, 7, 9] {
            place.put(colour, 1);
        }
        assert_eq!((place.len(), place.tokens(7), place.tokens(4)), (3, 2, 0));
        place.take(3, 1);
        place.take(7, 2);
        assert_eq!((place.len(), place.entry(0), place.tokens(7)), (1, (9, 1), 0));
    }
}
