//! Union, intersection and difference, as merges of chains sorted by code; single members.

use crate::cache::Operation;
use crate::store::{Diagrams, EMPTY, ONE, Set, Stop};
use std::cmp::Ordering;

impl Diagrams<'_> {
    /// Returns a ∪ b.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn union(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        let result = self.union_of(a.0, b.0).map(Set);
        self.clear_on_error(result)
    }

    /// Returns a ∩ b.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn intersection(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        let result = self.intersection_of(a.0, b.0).map(Set);
        self.clear_on_error(result)
    }

    /// Returns a ∖ b.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn difference(&mut self, a: Set, b: Set) -> Result<Set, Stop> {
        let result = self.difference_of(a.0, b.0).map(Set);
        self.clear_on_error(result)
    }

    /// Returns the node of a ∪ b: merges the two chains, and joins the nodes below equal values.
    pub(crate) fn union_of(&mut self, a: u32, b: u32) -> Result<u32, Stop> {
        if a == b || b == EMPTY {
            return Ok(a);
        }
        if a == EMPTY {
            return Ok(b);
        }
        let (mut a, mut b) = (a.min(b), a.max(b));
        if let Some(result) = self.cache.get(Operation::Union, 0, a, b) {
            return Ok(result);
        }
        self.tick()?;
        let (head_a, head_b) = (a, b);
        let base = self.chains.len();
        let tail = loop {
            if a == b || b == EMPTY {
                break a;
            }
            if a == EMPTY {
                break b;
            }
            let (left, right) = (self.node(a), self.node(b));
            match left.value.cmp(&right.value) {
                Ordering::Less => {
                    self.push(left.value, left.down);
                    a = left.right;
                }
                Ordering::Greater => {
                    self.push(right.value, right.down);
                    b = right.right;
                }
                Ordering::Equal => {
                    let down = self.union_of(left.down, right.down)?;
                    self.push(left.value, down);
                    (a, b) = (left.right, right.right);
                }
            }
        };
        let result = self.chain(base, tail)?;
        self.cache.put(Operation::Union, 0, head_a, head_b, result);
        Ok(result)
    }

    /// Returns the node of a ∩ b.
    pub(crate) fn intersection_of(&mut self, a: u32, b: u32) -> Result<u32, Stop> {
        if a == b {
            return Ok(a);
        }
        if a == EMPTY || b == EMPTY {
            return Ok(EMPTY);
        }
        let (mut a, mut b) = (a.min(b), a.max(b));
        if let Some(result) = self.cache.get(Operation::Intersection, 0, a, b) {
            return Ok(result);
        }
        self.tick()?;
        let (head_a, head_b) = (a, b);
        let base = self.chains.len();
        let tail = loop {
            if a == b || a == EMPTY {
                break a;
            }
            if b == EMPTY {
                break EMPTY;
            }
            let (left, right) = (self.node(a), self.node(b));
            match left.value.cmp(&right.value) {
                Ordering::Less => a = left.right,
                Ordering::Greater => b = right.right,
                Ordering::Equal => {
                    let down = self.intersection_of(left.down, right.down)?;
                    self.push(left.value, down);
                    (a, b) = (left.right, right.right);
                }
            }
        };
        let result = self.chain(base, tail)?;
        self.cache.put(Operation::Intersection, 0, head_a, head_b, result);
        Ok(result)
    }

    /// Returns the node of a ∖ b.
    pub(crate) fn difference_of(&mut self, a: u32, b: u32) -> Result<u32, Stop> {
        if a == b || a == EMPTY {
            return Ok(EMPTY);
        }
        if b == EMPTY {
            return Ok(a);
        }
        if let Some(result) = self.cache.get(Operation::Difference, 0, a, b) {
            return Ok(result);
        }
        self.tick()?;
        let (head_a, head_b) = (a, b);
        let (mut a, mut b) = (a, b);
        let base = self.chains.len();
        let tail = loop {
            if a == b || a == EMPTY {
                break EMPTY;
            }
            if b == EMPTY {
                break a;
            }
            let (left, right) = (self.node(a), self.node(b));
            match left.value.cmp(&right.value) {
                Ordering::Less => {
                    self.push(left.value, left.down);
                    a = left.right;
                }
                Ordering::Greater => b = right.right,
                Ordering::Equal => {
                    let down = self.difference_of(left.down, right.down)?;
                    self.push(left.value, down);
                    (a, b) = (left.right, right.right);
                }
            }
        };
        let result = self.chain(base, tail)?;
        self.cache.put(Operation::Difference, 0, head_a, head_b, result);
        Ok(result)
    }

    /// Returns the set with the single member `vector`, given from the top level down.
    ///
    /// # Errors
    ///
    /// Returns an error when a limit is reached.
    pub fn single(&mut self, vector: &[u64]) -> Result<Set, Stop> {
        let mut set = ONE;
        for &tokens in vector.iter().rev() {
            let value = self.code(tokens);
            set = self.make_node(value, set, EMPTY)?;
        }
        Ok(Set(set))
    }

    /// Returns true if `vector` is a member.
    pub fn contains(&self, set: Set, vector: &[u64]) -> bool {
        let mut id = set.0;
        for &tokens in vector {
            let Some(value) = self.known_code(tokens) else { return false };
            while id != EMPTY && self.node(id).value < value {
                id = self.node(id).right;
            }
            if id == EMPTY || self.node(id).value != value {
                return false;
            }
            id = self.node(id).down;
        }
        id == ONE
    }

    /// Returns a member from the top level down, or `None` if the set is empty.
    pub fn member(&self, set: Set) -> Option<Vec<u64>> {
        let mut id = set.0;
        let mut vector = Vec::new();
        while id > ONE {
            let node = self.node(id);
            vector.push(self.tokens(node.value));
            id = node.down;
        }
        (id == ONE).then_some(vector)
    }

    /// Returns all members. Use it only for small sets.
    pub fn members(&self, set: Set) -> Vec<Vec<u64>> {
        let mut found = Vec::new();
        let mut vector = Vec::new();
        self.collect_members(set.0, &mut vector, &mut found);
        found
    }

    fn collect_members(&self, mut id: u32, vector: &mut Vec<u64>, found: &mut Vec<Vec<u64>>) {
        if id == ONE {
            found.push(vector.clone());
            return;
        }
        while id != EMPTY {
            let node = self.node(id);
            vector.push(self.tokens(node.value));
            self.collect_members(node.down, vector, found);
            vector.pop();
            id = node.right;
        }
    }
}
