//! What each marking was first reached from.
//!
//! A search in breadth expands markings in the order of their numbers, so the parents of markings,
//! one after the other, never descend: they are written as steps, a bit 0 for each step up and a
//! bit 1 for each marking. With one bit for each marking and one for each that was expanded, a
//! parent takes two bits at most, where its number takes 32. The parent of a marking is the number
//! of zeros before its own one (P. Elias, *Efficient storage and retrieval by content and address
//! of static files*, J. ACM 21(2), 1974). The first parent that does descend turns all of them into
//! plain numbers.

use super::room::{Full, Room, reserved};
use super::set::NONE;

/// Words of steps between two counts of the ones before them.
const SAMPLED: usize = 32;
/// A chunk of plain numbers holds 2^14.
const SHIFT: u32 = 14;

/// The parents of markings 1, 2, 3 …; marking 0 has none.
pub(crate) struct Parents {
    kind: Kind,
    len: u32,
    room: Room,
}

enum Kind {
    Steps(Steps),
    Plain(Vec<Vec<u32>>),
}

/// A word is added to `bits` when it is begun, a count to `before` with each [`SAMPLED`]th.
#[derive(Default)]
struct Steps {
    bits: Vec<u64>,
    /// Bits written.
    end: u64,
    /// Ones before word [`SAMPLED`] · i.
    before: Vec<u32>,
    last: u32,
    /// Bytes taken.
    taken: u64,
}

impl Parents {
    /// Those of the initial marking: none.
    pub(crate) fn new(room: &Room) -> Self {
        Parents { kind: Kind::Steps(Steps::default()), len: 0, room: room.clone() }
    }

    /// How many there are: one for each marking but the initial one.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Adds the parent of the next marking.
    ///
    /// # Errors
    /// When there is no room.
    pub(crate) fn push(&mut self, parent: u32) -> Result<(), Full> {
        if let Kind::Steps(steps) = &self.kind
            && parent < steps.last
        {
            self.write_out()?;
        }
        match &mut self.kind {
            Kind::Steps(steps) => steps.push(parent, self.len, &self.room)?,
            Kind::Plain(chunks) => push_plain(chunks, self.len, parent, &self.room)?,
        }
        self.len += 1;
        Ok(())
    }

    /// The parent of a marking; [`NONE`] for the initial one.
    pub(crate) fn of(&self, number: u32) -> u32 {
        let Some(at) = number.checked_sub(1) else { return NONE };
        match &self.kind {
            Kind::Steps(steps) => steps.parent(at),
            Kind::Plain(chunks) => {
                chunks[(at >> SHIFT) as usize][(at & ((1 << SHIFT) - 1)) as usize]
            }
        }
    }

    /// Turns steps into plain numbers.
    fn write_out(&mut self) -> Result<(), Full> {
        let Kind::Steps(steps) = &self.kind else { return Ok(()) };
        let mut chunks = Vec::new();
        if let Err(full) = write_plain(steps, &mut chunks, &self.room) {
            self.room.give_back((chunks.len() * (4 << SHIFT)) as u64);
            return Err(full);
        }
        self.room.give_back(steps.taken);
        self.kind = Kind::Plain(chunks);
        Ok(())
    }
}

fn write_plain(steps: &Steps, chunks: &mut Vec<Vec<u32>>, room: &Room) -> Result<(), Full> {
    let (mut parent, mut at) = (0, 0);
    for bit in 0..steps.end {
        match steps.bits[(bit / 64) as usize] >> (bit % 64) & 1 {
            0 => parent += 1,
            _ => {
                push_plain(chunks, at, parent, room)?;
                at += 1;
            }
        }
    }
    Ok(())
}

impl Drop for Parents {
    fn drop(&mut self) {
        self.room.give_back(match &self.kind {
            Kind::Steps(steps) => steps.taken,
            Kind::Plain(chunks) => (chunks.len() * (4 << SHIFT)) as u64,
        });
    }
}

fn push_plain(chunks: &mut Vec<Vec<u32>>, at: u32, parent: u32, room: &Room) -> Result<(), Full> {
    if (at >> SHIFT) as usize == chunks.len() {
        room.take(4 << SHIFT)?;
        chunks.push(reserved(1 << SHIFT)?);
    }
    chunks[(at >> SHIFT) as usize].push(parent);
    Ok(())
}

impl Steps {
    /// Room for a bit at `end`, the number of ones so far being `ones`.
    fn begin_words(&mut self, end: u64, ones: u32, room: &Room) -> Result<(), Full> {
        while self.bits.len() as u64 <= end / 64 {
            let words = self.bits.len();
            if words == self.bits.capacity() {
                // A quarter more, and the counts with it.
                let more = (words / 4).max(64);
                let counts = more / SAMPLED + 1;
                let bytes = (more * 8 + counts * 4) as u64;
                room.take(bytes)?;
                self.taken += bytes;
                self.bits.try_reserve_exact(more).map_err(|_| Full)?;
                self.before.try_reserve_exact(counts).map_err(|_| Full)?;
            }
            if words.is_multiple_of(SAMPLED) {
                self.before.push(ones);
            }
            self.bits.push(0);
        }
        Ok(())
    }

    fn push(&mut self, parent: u32, ones: u32, room: &Room) -> Result<(), Full> {
        let at = self.end + u64::from(parent - self.last);
        self.begin_words(at, ones, room)?;
        self.bits[(at / 64) as usize] |= 1 << (at % 64);
        (self.end, self.last) = (at + 1, parent);
        Ok(())
    }

    /// The zeros before the `at`th one, from 0.
    fn parent(&self, at: u32) -> u32 {
        let sample = self.before.partition_point(|&ones| ones <= at) - 1;
        let mut left = at - self.before[sample];
        let mut word = sample * SAMPLED;
        while left >= self.bits[word].count_ones() {
            left -= self.bits[word].count_ones();
            word += 1;
        }
        let mut bits = self.bits[word];
        (0..left).for_each(|_| bits &= bits - 1);
        (word as u64 * 64 + u64::from(bits.trailing_zeros()) - u64::from(at)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_read_back_in_any_order_of_coming() {
        let mut rng = fastrand::Rng::with_seed(3);
        for descends_at in [50_000, 40_000, 1, 0] {
            let room = Room::unlimited();
            let mut parents = Parents::new(&room);
            let mut expected: Vec<u32> = Vec::new();
            let mut parent = 0;
            for at in 0..50_000_u32 {
                // Long runs of siblings, and long ones of markings without a child.
                parent = match rng.u8(0..100) {
                    0 => parent + rng.u32(0..300),
                    1..40 => parent + 1,
                    _ => parent,
                };
                if at >= descends_at {
                    parent = rng.u32(0..=at);
                }
                parents.push(parent).unwrap();
                expected.push(parent);
            }
            assert_eq!(parents.of(0), NONE);
            let numbers = (1..).zip(&expected);
            numbers.for_each(|(number, &parent)| assert_eq!(parents.of(number), parent));
            let bytes = room.taken();
            assert_eq!(bytes < 50_000, descends_at == 50_000, "{bytes}");
            drop(parents);
            assert_eq!(room.taken(), 0);
        }
    }
}
