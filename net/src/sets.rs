//! Union–find over numbers.
//!
//! Source: B. Galler and M. Fischer, *An improved equivalence algorithm*, CACM 1964.

/// A partition of the numbers from 0 to a limit into disjoint sets. The smallest member represents
/// each set.
#[derive(Clone, Debug)]
pub struct Sets {
    /// A member of the same set for each number: a smaller member, or the number itself if it is
    /// the smallest.
    leader: Vec<usize>,
}

impl Sets {
    /// Makes a set of its own for each number.
    pub fn new(count: usize) -> Self {
        Self { leader: (0..count).collect() }
    }

    /// Returns the smallest number in the same set.
    pub fn leader(&mut self, mut number: usize) -> usize {
        while self.leader[number] != number {
            self.leader[number] = self.leader[self.leader[number]];
            number = self.leader[number];
        }
        number
    }

    /// Joins the sets of two numbers.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.leader[a.max(b)] = a.min(b);
    }

    /// Numbers the sets in the order of their smallest members. Returns two results: the number of
    /// the set of each member, indexed by member, and the number of sets.
    pub fn numbered(mut self) -> (Vec<u32>, u32) {
        let mut count = 0;
        let mut set_of = vec![0; self.leader.len()];
        for number in 0..set_of.len() {
            let leader = self.leader(number);
            set_of[number] = if leader == number { count } else { set_of[leader] };
            count += u32::from(leader == number);
        }
        (set_of, count)
    }
}
