//! Propositional refutations: a small clause-learning solver that writes down what it learns.
//!
//! Certificates promise that every intermediate clause follows from those before it by unit
//! propagation. Clauses learned at the first unique implication point do, so the solver's learned
//! clauses are the steps. It is given only the lemmas that matter (a SAT solver's core), so nothing
//! here is tuned.
//!
//! # Sources
//! J. P. Marques-Silva, K. A. Sakallah, *GRASP*, IEEE Trans. Computers 48, 1999; E. Goldberg,
//! Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE 2003.

use parikh_solvers::Budget;

/// The steps of a refutation; `None` when the clauses can be satisfied or the budget is spent.
pub(super) fn refute(clauses: &[Vec<i32>], budget: &Budget) -> Option<Vec<Vec<i32>>> {
    let literals = clauses.iter().flatten().map(|literal| literal.unsigned_abs() as usize);
    let variables = literals.max().unwrap_or(0);
    let mut solver = Solver::new(variables);
    for clause in clauses {
        if solver.add(clause.clone(), 0) == Added::Contradiction {
            return Some(Vec::new());
        }
    }
    let mut steps = Vec::new();
    loop {
        if let Some(conflict) = solver.propagate() {
            if solver.levels.is_empty() {
                return Some(steps);
            }
            let (learned, back) = solver.analyse(conflict);
            steps.push(learned.clone());
            solver.back_to(back);
            if solver.add(learned, back) == Added::Contradiction {
                return Some(steps);
            }
            if steps.len() % 64 == 0 && budget.is_exhausted() {
                return None;
            }
        } else if !solver.decide() {
            return None;
        }
    }
}

#[derive(PartialEq)]
enum Added {
    Fine,
    Contradiction,
}

struct Solver {
    clauses: Vec<Vec<i32>>,
    watching: Vec<Vec<usize>>,
    holds: Vec<bool>,
    trail: Vec<i32>,
    next: usize,
    /// Where each decision stands on the trail.
    levels: Vec<usize>,
    /// Per variable: the level and the clause that made its literal true.
    level_of: Vec<usize>,
    reason_of: Vec<Option<usize>>,
    /// Variables of recent conflicts weigh more.
    activity: Vec<f64>,
    bump: f64,
}

fn at(literal: i32) -> usize {
    2 * literal.unsigned_abs() as usize + usize::from(literal < 0)
}

fn variable(literal: i32) -> usize {
    literal.unsigned_abs() as usize
}

impl Solver {
    fn new(variables: usize) -> Self {
        Solver {
            clauses: Vec::new(),
            watching: vec![Vec::new(); 2 * variables + 2],
            holds: vec![false; 2 * variables + 2],
            trail: Vec::new(),
            next: 0,
            levels: Vec::new(),
            level_of: vec![0; variables + 1],
            reason_of: vec![None; variables + 1],
            activity: vec![0.0; variables + 1],
            bump: 1.0,
        }
    }

    /// Adds a clause that has at most one literal that is not false, or none that is assigned.
    fn add(&mut self, mut clause: Vec<i32>, level: usize) -> Added {
        clause.sort_unstable();
        clause.dedup();
        // Not false first, then by level from the last: the two to watch.
        clause.sort_by_key(|&literal| {
            let last = usize::MAX - self.level_of[variable(literal)];
            (self.holds[at(-literal)], last)
        });
        let free = clause.iter().filter(|&&literal| !self.holds[at(-literal)]).count();
        if free == 0 {
            return Added::Contradiction;
        }
        let index = self.clauses.len();
        let first = clause[0];
        if clause.len() > 1 {
            self.watching[at(clause[0])].push(index);
            self.watching[at(clause[1])].push(index);
        }
        let unit = free == 1 && !self.holds[at(first)];
        self.clauses.push(clause);
        if unit {
            self.assign(first, Some(index), level);
        }
        Added::Fine
    }

    fn assign(&mut self, literal: i32, reason: Option<usize>, level: usize) {
        self.holds[at(literal)] = true;
        self.level_of[variable(literal)] = level;
        self.reason_of[variable(literal)] = reason;
        self.trail.push(literal);
    }

    /// The clause that is false, if propagation ends in one.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(&literal) = self.trail.get(self.next) {
            self.next += 1;
            let falsified = -literal;
            let watchers = std::mem::take(&mut self.watching[at(falsified)]);
            let mut kept = Vec::with_capacity(watchers.len());
            let mut conflict = None;
            for index in watchers {
                if conflict.is_some() {
                    kept.push(index);
                    continue;
                }
                let clause = &mut self.clauses[index];
                if clause[0] == falsified {
                    clause.swap(0, 1);
                }
                let holds = &self.holds;
                match (2..clause.len()).find(|&position| !holds[at(-clause[position])]) {
                    Some(position) => {
                        clause.swap(1, position);
                        let watched = clause[1];
                        self.watching[at(watched)].push(index);
                    }
                    None => {
                        kept.push(index);
                        let other = clause[0];
                        if self.holds[at(-other)] {
                            conflict = Some(index);
                        } else if !self.holds[at(other)] {
                            self.assign(other, Some(index), self.levels.len());
                        }
                    }
                }
            }
            self.watching[at(falsified)] = kept;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// The clause learned at the first unique implication point, and the level to go back to.
    fn analyse(&mut self, conflict: usize) -> (Vec<i32>, usize) {
        let current = self.levels.len();
        let mut seen = vec![false; self.level_of.len()];
        let mut learned = Vec::new();
        let mut open = 0;
        let mut clause = conflict;
        let mut position = self.trail.len();
        let mut pivot = None;
        loop {
            for &literal in &self.clauses[clause] {
                let of = variable(literal);
                if Some(literal) == pivot || seen[of] || self.level_of[of] == 0 {
                    continue;
                }
                seen[of] = true;
                self.activity[of] += self.bump;
                if self.level_of[of] == current {
                    open += 1;
                } else {
                    learned.push(literal);
                }
            }
            // The last assigned literal of the current level that takes part.
            loop {
                position -= 1;
                if seen[variable(self.trail[position])] {
                    break;
                }
            }
            let literal = self.trail[position];
            open -= 1;
            match self.reason_of[variable(literal)] {
                Some(reason) if open > 0 => {
                    clause = reason;
                    pivot = Some(literal);
                }
                _ => {
                    learned.push(-literal);
                    break;
                }
            }
        }
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activity.iter_mut().for_each(|activity| *activity /= 1e100);
            self.bump /= 1e100;
        }
        let others = learned.iter().map(|&literal| self.level_of[variable(literal)]);
        let back = others.filter(|&level| level < current).max().unwrap_or(0);
        (learned, back)
    }

    fn back_to(&mut self, level: usize) {
        let start = self.levels[level];
        for literal in self.trail.drain(start..) {
            self.holds[at(literal)] = false;
        }
        self.levels.truncate(level);
        self.next = start;
    }

    /// Makes the most active free variable false (most stand for comparisons, and few of them need
    /// to hold). Whether there was one.
    fn decide(&mut self) -> bool {
        let free = |&v: &usize| !self.holds[2 * v] && !self.holds[2 * v + 1];
        let best = (1..self.level_of.len())
            .filter(free)
            .max_by(|&a, &b| self.activity[a].total_cmp(&self.activity[b]));
        let Some(best) = best else { return false };
        self.levels.push(self.trail.len());
        self.assign(-(best as i32), None, self.levels.len());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pigeons_do_not_fit_and_the_formula_with_one_less_does() {
        for (pigeons, fits) in [(4, true), (5, false), (6, false)] {
            let holes = if fits { 4 } else { pigeons - 1 };
            let inside = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
            let mut clauses = Vec::new();
            for pigeon in 0..pigeons {
                clauses.push((0..holes).map(|hole| inside(pigeon, hole)).collect());
                for other in 0..pigeon {
                    let apart = |hole| vec![-inside(pigeon, hole), -inside(other, hole)];
                    clauses.extend((0..holes).map(apart));
                }
            }
            assert_eq!(refute(&clauses, &Budget::unlimited()).is_none(), fits, "{pigeons}");
        }
    }

    #[test]
    fn random_formulas_agree_with_trying_all_values() {
        let mut rng = fastrand::Rng::with_seed(3);
        let mut refuted = 0;
        for _ in 0..500 {
            let literal =
                |rng: &mut fastrand::Rng| rng.i32(1..=6) * if rng.bool() { 1 } else { -1 };
            let clauses: Vec<Vec<i32>> = (0..rng.usize(5..30))
                .map(|_| (0..rng.usize(1..4)).map(|_| literal(&mut rng)).collect())
                .collect();
            let satisfiable = (0u32..64).any(|bits| {
                clauses.iter().all(|clause| {
                    clause.iter().any(|&l| (bits >> (l.unsigned_abs() - 1) & 1 == 1) == (l > 0))
                })
            });
            let steps = refute(&clauses, &Budget::unlimited());
            assert_eq!(steps.is_none(), satisfiable, "{clauses:?}");
            refuted += usize::from(steps.is_some());
        }
        assert!(refuted > 50, "{refuted}");
    }
}
