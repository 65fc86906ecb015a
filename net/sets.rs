//! Numbers that are put together, two by two.
//!
//! Source: B. Galler and M. Fischer, *An improved equivalence algorithm*, CACM 1964.

/// Disjoint sets of the numbers below a count. The least of each leads it.
#[derive(Clone, Debug)]
pub struct Sets {
    leader: Vec<usize>,
}

impl Sets {
    /// Each number alone.
    pub fn new(count: usize) -> Self {
        Self { leader: (0..count).collect() }
    }

    /// The least number that is together with this one.
    pub fn leader(&mut self, mut number: usize) -> usize {
        while self.leader[number] != number {
            self.leader[number] = self.leader[self.leader[number]];
            number = self.leader[number];
        }
        number
    }

    /// Puts the sets of two numbers together.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.leader[a.max(b)] = a.min(b);
    }

    /// The place of each number's set among all sets, in the order of their least numbers; and how
    /// many sets there are.
    pub fn numbered(mut self) -> (Vec<u32>, u32) {
        let mut count = 0;
        let mut of = vec![0; self.leader.len()];
        for number in 0..of.len() {
            let leader = self.leader(number);
            of[number] = if leader == number { count } else { of[leader] };
            count += u32::from(leader == number);
        }
        (of, count)
    }
}
