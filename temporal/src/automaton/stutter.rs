//! Sensitivity of a language to repeated letters.
//!
//! A word is a *lengthening* of another if it results from repeating letters, each finitely often.
//! A language may be closed under lengthening, under *shortening* (the converse), or under both;
//! then it is *stutter-invariant*. The language of every formula without X is stutter-invariant; so
//! are those of some formulas with X.
//!
//! Reductions of a system that skip steps shorten its words. If all runs of the reduced system have
//! a property that is closed under lengthening, all runs of the original system have it. If a run
//! of the reduced system violates a property that is closed under shortening, a run of the original
//! system violates it.
//!
//! Both closures are decided with two automata, one for the formula and one for its negation: is
//! there a word of one automaton with a lengthening accepted by the other? A state of the product
//! consists of a state of each automaton and the letter that is being repeated. In a step, both
//! automata read a letter, or only the automaton of the long word reads the same letter again. The
//! letter itself is not needed, only the literals required of it so far, as a cube. Repetitions are
//! finite, so an additional mark is on the steps of both.
//!
//! Source: Michaud, Duret-Lutz, "Practical stutter-invariance checks for ω-regular languages", SPIN
//! 2015; Paviot-Adet, Poitrenaud, Renault, Thierry-Mieg, "LTL under reductions with weaker
//! conditions than stutter invariance", FORTE 2022, which calls closure under shortening
//! *shortening-insensitive*.

use super::cube::Cube;
use super::{Automaton, AutomatonEdge, AutomatonLimits, AutomatonTooLarge, Marks};
use crate::formula::{Formula, Ltl};
use crate::lasso::Lasso;
use crate::paths::Linear;
use std::collections::HashMap;

/// The closure properties of the language of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Insensitivity {
    /// True if removing repetitions of letters keeps the formula true.
    pub shortening: bool,
    /// True if repeating letters keeps the formula true.
    pub lengthening: bool,
}

impl Insensitivity {
    /// Determines the closure properties of a formula.
    ///
    /// # Errors
    ///
    /// Returns an error if one of the automata would be too large.
    pub fn of(
        formulas: &mut Ltl,
        formula: Formula<Linear>,
        limits: AutomatonLimits,
    ) -> Result<Self, AutomatonTooLarge> {
        let negation = formulas.negate(formula);
        let satisfying = Automaton::of(formulas, formula, limits)?;
        let violating = Automaton::of(formulas, negation, limits)?;
        Ok(Self {
            shortening: lengthened(&violating, &satisfying, limits)?.is_none(),
            lengthening: lengthened(&satisfying, &violating, limits)?.is_none(),
        })
    }

    /// Returns true if both hold: words that differ only in repetitions are all in the language or
    /// all outside.
    pub fn is_stutter_invariant(self) -> bool {
        self.shortening && self.lengthening
    }
}

/// Returns a word that `short` accepts, and a lengthening of it that `long` accepts, if there are
/// any.
///
/// # Errors
///
/// Returns an error if the product of the two automata would be too large.
pub fn lengthened(
    short: &Automaton,
    long: &Automaton,
    limits: AutomatonLimits,
) -> Result<Option<(Lasso, Lasso)>, AutomatonTooLarge> {
    let product = product(short, long, limits)?;
    Ok(product.find_run().map(|(run, back)| words(&run, back, product.marks - 1)))
}

/// Builds the product described in the module documentation. Its last mark is on the steps of both
/// automata. The cube of an edge holds all literals required of the current letter so far.
fn product(
    short: &Automaton,
    long: &Automaton,
    limits: AutomatonLimits,
) -> Result<Automaton, AutomatonTooLarge> {
    let marks = short.marks + long.marks + 1;
    if marks > 64 {
        return Err(AutomatonTooLarge::MARKS);
    }
    let shifted_marks = |edge: &AutomatonEdge| Marks(edge.marks.0 << short.marks);
    let first = (short.initial, long.initial, None::<Cube>);
    let mut numbers = HashMap::from([(first.clone(), 0)]);
    let mut open = vec![first];
    let mut states: Vec<Vec<AutomatonEdge>> = Vec::new();
    let mut count = 0;
    while states.len() < open.len() {
        let (short_state, long_state, letter) = open[states.len()].clone();
        let mut steps: Vec<(usize, &AutomatonEdge, Marks, Cube)> = Vec::new();
        for long_edge in &long.states[long_state] {
            for short_edge in &short.states[short_state] {
                let joint_marks = short_edge.marks.or(shifted_marks(long_edge)).with(marks - 1);
                let cube = short_edge.cube.and(&long_edge.cube);
                steps.extend(cube.map(|cube| (short_edge.target, long_edge, joint_marks, cube)));
            }
            let repeated = letter.as_ref().and_then(|letter| letter.and(&long_edge.cube));
            steps.extend(
                repeated.map(|cube| (short_state, long_edge, shifted_marks(long_edge), cube)),
            );
        }
        let mut edges = Vec::with_capacity(steps.len());
        for (short_state, long_edge, marks, cube) in steps {
            let next = (short_state, long_edge.target, Some(cube.clone()));
            let target = *numbers.entry(next).or_insert_with_key(|next| {
                open.push(next.clone());
                open.len() - 1
            });
            edges.push(AutomatonEdge { target, marks, cube });
        }
        count += edges.len();
        states.push(edges);
        AutomatonTooLarge::refuse(open.len(), limits.states, "states")?;
        AutomatonTooLarge::refuse(count, limits.edges, "edges")?;
    }
    Ok(Automaton { states, initial: 0, marks })
}

/// Returns the two words of an accepting run of the product, the short one first. `both` is the
/// mark on steps of both automata.
fn words(run: &[AutomatonEdge], back: usize, joint_mark: u32) -> (Lasso, Lasso) {
    // The cycle is rotated to start with a step of both automata, that is, with a new letter.
    let cycle_start = (back..run.len()).find(|&index| run[index].marks.has(joint_mark));
    let cycle_start = cycle_start.expect("the loop has all marks");
    let rotated: Vec<&AutomatonEdge> = run.iter().chain(&run[back..cycle_start]).collect();
    let (mut short, mut long) = (Vec::new(), Vec::new());
    let mut short_back = 0;
    for block in rotated.chunk_by(|_, next| !next.marks.has(joint_mark)) {
        if long.len() == cycle_start {
            short_back = short.len();
        }
        // The last edge of a block has all literals required of the letter.
        let letter = block[block.len() - 1].cube.letter();
        short.push(letter.clone());
        long.extend(std::iter::repeat_n(letter, block.len()));
    }
    let lasso = |letters, back| Lasso::new(letters, back).expect("a loop is not empty");
    (lasso(short, short_back), lasso(long, cycle_start))
}
