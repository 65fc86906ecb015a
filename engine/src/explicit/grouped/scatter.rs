//! A permutation of words that makes regular sets of markings look random.
//!
//! Hash tables place a marking by the highest bits of its permuted word, and store only the other
//! bits. A permutation can be inverted, so the marking is not stored otherwise.

/// Odd factors of the two multiplications.
const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// A permutation of the words with a given number of bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordPermutation {
    /// Mask of the bits of a word.
    mask: u64,
    /// Distance by which high bits are added to low bits, at least half of the bits. Then the
    /// operation is its own inverse.
    half: u32,
    /// The inverses of the factors modulo 2⁶⁴.
    inverses: [u64; 2],
}

impl WordPermutation {
    /// Creates the permutation of words with `bits` bits, from 1 to 64.
    pub(super) fn new(bits: u32) -> Self {
        // Newton's iteration doubles the number of correct low bits, and a factor is its own
        // inverse modulo 8.
        let inverse = |factor: u64| {
            let step = |x: u64, _| x.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(x)));
            (0..5).fold(factor, step)
        };
        WordPermutation {
            mask: u64::MAX >> (u64::BITS - bits),
            half: bits.div_ceil(2),
            inverses: FACTORS.map(inverse),
        }
    }

    /// Returns the permuted word.
    pub(super) fn scatter(self, word: u64) -> u64 {
        let mut x = word.wrapping_mul(FACTORS[0]) & self.mask;
        x ^= x >> self.half;
        x = x.wrapping_mul(FACTORS[1]) & self.mask;
        x ^ (x >> self.half)
    }

    /// Returns the word that [`scatter`](Self::scatter) maps to `scattered`.
    pub(super) fn gather(self, scattered: u64) -> u64 {
        let mut x = scattered ^ (scattered >> self.half);
        x = x.wrapping_mul(self.inverses[1]) & self.mask;
        x ^= x >> self.half;
        x.wrapping_mul(self.inverses[0]) & self.mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_comes_back() {
        let mut rng = fastrand::Rng::with_seed(3);
        for bits in 2..=64 {
            let scatter = WordPermutation::new(bits);
            for _ in 0..1000 {
                let word = rng.u64(..) >> (64 - bits);
                let scattered = scatter.scatter(word);
                assert!(scattered <= u64::MAX >> (64 - bits));
                assert_eq!(scatter.gather(scattered), word);
            }
        }
    }
}
