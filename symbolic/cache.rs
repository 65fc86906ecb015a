//! Results of operations, as many as fit: a table in which a new result overwrites what is at its
//! place.
//!
//! A result that was overwritten is computed again, so the cache decides how long something takes
//! and never what comes out.

/// What was computed. The number of a suffix (or 0) is in the lower bits, so a key is three
/// numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Operation {
    Union = 1,
    Intersection = 2,
    Difference = 3,
    /// All that transitions below make of a node; the third number is its context.
    Saturate = 4,
    /// A firing, and then all that transitions below make of it; the third number is its context.
    SaturateFired = 5,
    /// The firing alone.
    Fire = 6,
    /// As the two above, inside a set.
    SaturateWithin = 7,
    SaturateFiredWithin = 8,
    /// A firing of any transition, inside a set.
    FireAnyWithin = 9,
    /// A firing, inside a set.
    FireWithin = 10,
}

const KIND_SHIFT: u32 = 28;
/// Suffixes are numbered below this.
pub(crate) const SUFFIXES: u32 = 1 << KIND_SHIFT;

#[derive(Clone, Copy)]
struct Line {
    /// 0 for none.
    operation: u32,
    a: u32,
    b: u32,
    result: u32,
}

pub(crate) struct Cache {
    lines: Vec<Line>,
    /// How many results gave way to others since it last grew.
    lost: usize,
}

const NONE: Line = Line { operation: 0, a: 0, b: 0, result: 0 };

impl Cache {
    pub(crate) fn new(lines: usize) -> Self {
        Cache { lines: vec![NONE; lines], lost: 0 }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lines.len() * size_of::<Line>()
    }

    #[inline]
    fn place(&self, operation: u32, a: u32, b: u32) -> usize {
        hash(a, b, operation) as usize & (self.lines.len() - 1)
    }

    #[inline]
    pub(crate) fn get(&self, kind: Operation, suffix: u32, a: u32, b: u32) -> Option<u32> {
        let operation = (kind as u32) << KIND_SHIFT | suffix;
        let line = self.lines[self.place(operation, a, b)];
        (line.operation == operation && line.a == a && line.b == b).then_some(line.result)
    }

    #[inline]
    pub(crate) fn put(&mut self, kind: Operation, suffix: u32, a: u32, b: u32, result: u32) {
        let operation = (kind as u32) << KIND_SHIFT | suffix;
        let place = self.place(operation, a, b);
        let line = &mut self.lines[place];
        self.lost += usize::from(line.operation != 0);
        *line = Line { operation, a, b, result };
    }

    /// Whether so many results were lost that a larger one would pay.
    #[inline]
    pub(crate) fn is_crowded(&self) -> bool {
        self.lost > self.lines.len()
    }

    /// Twice the lines; results stay.
    pub(crate) fn double(&mut self) {
        self.lost = 0;
        let lines = vec![NONE; self.lines.len() * 2];
        for line in std::mem::replace(&mut self.lines, lines) {
            if line.operation != 0 {
                let place = self.place(line.operation, line.a, line.b);
                self.lines[place] = line;
            }
        }
    }

    /// Forgets everything: contexts and suffixes are numbered per relation.
    pub(crate) fn clear(&mut self) {
        self.lines.fill(NONE);
    }

    /// Forgets what speaks of nodes that are gone.
    pub(crate) fn retain(&mut self, alive: impl Fn(u32) -> bool) {
        for line in &mut self.lines {
            let kind = line.operation >> KIND_SHIFT;
            // The second number is a context there, no node.
            let plain = kind == Operation::Saturate as u32
                || kind == Operation::SaturateFired as u32
                || kind == Operation::Fire as u32;
            if line.operation != 0
                && !(alive(line.a) && alive(line.result) && (plain || alive(line.b)))
            {
                *line = NONE;
            }
        }
    }
}

/// Scatters three numbers, for tables.
#[inline]
pub(crate) fn hash(a: u32, b: u32, c: u32) -> u64 {
    let first = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let both = (first ^ (first >> 29) ^ u64::from(c)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    both ^ (both >> 32)
}
