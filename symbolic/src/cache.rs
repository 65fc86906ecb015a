//! The cache of operation results: a table of limited size in which a new result overwrites the old
//! one in its line.
//!
//! An overwritten result is computed again, so the cache affects only the running time, never the
//! outcome.

/// The kind of a cached operation. A key consists of three numbers: the kind combined with the
/// number of a suffix (or 0) in the lower bits, and two operands. A suffix is the part of a
/// transition from some level down.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Operation {
    Union = 1,
    Intersection = 2,
    Difference = 3,
    /// Closure of a node under the transitions of its level and below. The third number of the key
    /// is the context, that is, the number of the set of these transitions.
    Saturate = 4,
    /// A firing, followed by the closure under the transitions below. The third number of the key
    /// is the context.
    SaturateFired = 5,
    /// A firing without closure.
    Fire = 6,
    /// `Saturate` inside a set. The third number of the key is the set.
    SaturateWithin = 7,
    /// `SaturateFired` inside a set. The third number of the key is the set.
    SaturateFiredWithin = 8,
    /// A firing of any transition, inside a set.
    FireAnyWithin = 9,
    /// A firing of one transition, inside a set.
    FireWithin = 10,
}

const KIND_SHIFT: u32 = 28;
/// Exclusive upper bound of suffix numbers.
pub(crate) const MAX_SUFFIXES: u32 = 1 << KIND_SHIFT;

#[derive(Clone, Copy)]
struct CacheLine {
    /// Kind and suffix; 0 in an empty line.
    operation: u32,
    /// The first operand: a node.
    a: u32,
    /// The second operand: a node, a context, or 0.
    b: u32,
    /// The resulting node.
    result: u32,
}

pub(crate) struct Cache {
    /// The lines. Their number is a power of two.
    lines: Vec<CacheLine>,
    /// Number of results overwritten since the cache last grew.
    overwritten: usize,
}

const EMPTY_LINE: CacheLine = CacheLine { operation: 0, a: 0, b: 0, result: 0 };

impl Cache {
    pub(crate) fn new(lines: usize) -> Self {
        Cache { lines: vec![EMPTY_LINE; lines], overwritten: 0 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<CacheLine>()
    }

    #[inline]
    fn index(&self, operation: u32, a: u32, b: u32) -> usize {
        hash(a, b, operation) as usize & (self.lines.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, kind: Operation, suffix: u32, a: u32, b: u32) -> Option<u32> {
        let operation = (kind as u32) << KIND_SHIFT | suffix;
        let line = self.lines[self.index(operation, a, b)];
        (line.operation == operation && line.a == a && line.b == b).then_some(line.result)
    }

    #[inline]
    pub(crate) fn put(&mut self, kind: Operation, suffix: u32, a: u32, b: u32, result: u32) {
        let operation = (kind as u32) << KIND_SHIFT | suffix;
        let index = self.index(operation, a, b);
        let line = &mut self.lines[index];
        self.overwritten += usize::from(line.operation != 0);
        *line = CacheLine { operation, a, b, result };
    }

    /// Returns true if so many results were overwritten that a larger cache would pay.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        self.overwritten > self.lines.len()
    }

    /// Doubles the number of lines and keeps the results.
    pub(crate) fn double(&mut self) {
        self.overwritten = 0;
        let lines = vec![EMPTY_LINE; self.lines.len() * 2];
        for line in std::mem::replace(&mut self.lines, lines) {
            if line.operation != 0 {
                let index = self.index(line.operation, line.a, line.b);
                self.lines[index] = line;
            }
        }
    }

    /// Removes all results. Needed for a new relation, because contexts and suffixes are numbered
    /// per relation.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(EMPTY_LINE);
    }

    /// Removes results that mention freed nodes.
    pub(crate) fn retain(&mut self, is_alive: impl Fn(u32) -> bool) {
        for line in &mut self.lines {
            let kind = line.operation >> KIND_SHIFT;
            // For these kinds the second operand is no node: it is a context or unused.
            let has_no_second_node = kind == Operation::Saturate as u32
                || kind == Operation::SaturateFired as u32
                || kind == Operation::Fire as u32;
            if line.operation != 0
                && !(is_alive(line.a)
                    && is_alive(line.result)
                    && (has_no_second_node || is_alive(line.b)))
            {
                *line = EMPTY_LINE;
            }
        }
    }
}

/// Returns a hash of three numbers.
#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u64 {
    let first = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (first ^ (first >> 29) ^ u64::from(c)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}
