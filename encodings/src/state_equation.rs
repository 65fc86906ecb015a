//! The state equation: m = m₀ + C·x, m ≥ 0, x ≥ 0.
//!
//! After any firings, each place holds its initial tokens, plus the tokens added, minus the tokens
//! taken; x counts the firings of each effect class. Every reachable marking satisfies the equation
//! with some x, so a marking without solution is unreachable. A marking with a solution need not be
//! reachable; it is only a candidate.
//!
//! The marking is not a variable here: m(p) is m₀(p) + Σ C(p,e)·x(e). The program has one column
//! per effect class and one row per place. The row states m(p) ≥ 0, and m(p) ≤ u if a bound u is
//! known. A linear sum Σ a·m(p) becomes a vector over x and a constant
//! ([`StateEquation::firing_sum`]). To require m(p) ≥ w, the lower bound of the row is raised.
//! This keeps the shape of the program, so the simplex method can continue from its last basis.
//!
//! # Sources
//! T. Murata, *Petri nets: properties, analysis and applications*, Proc. IEEE 77, 1989, §V.A.

use crate::variables::Variables;
use parikh_net::{EffectId, Facts, LinearSum, Net, PlaceId, Provenance};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::linear_program::{Column, Interval, LinearProgram, ProgramError, Row, Sense};
use parikh_solvers::term::Term;

/// The state equation of a net as a linear program with objective 0.
#[derive(Clone, Debug)]
pub struct StateEquation {
    /// The linear program, in which row p belongs to place p.
    program: LinearProgram,
    /// The column of each effect class, by class index. `None` for the class without effect.
    columns: Vec<Option<Column>>,
}

/// A linear sum of tokens as a function of firings: constant + Σ coefficient·x.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FiringSum {
    /// The value of the sum in m₀.
    pub constant: i128,
    /// The change of the sum by one firing, by column. Classes that do not change the sum are left
    /// out.
    pub coefficients: Vec<(Column, i64)>,
}

impl StateEquation {
    /// Builds the program, with one column per class with an effect and one row per place. A row
    /// states m(p) ≥ 0, and the proved upper bound of its place if a bound below 2⁶³ is known.
    ///
    /// # Errors
    /// Returns an error if the net is too large for a linear program.
    pub fn new(net: &Net, facts: &Facts) -> Result<Self, ProgramError> {
        let mut program = LinearProgram::new(Sense::Maximise);
        let mut columns = Vec::with_capacity(net.effect_count());
        let mut by_place: Vec<Vec<(Column, i64)>> = vec![Vec::new(); net.place_count()];
        for effect in net.effect_classes() {
            let changes = net.effect(effect);
            if changes.is_empty() {
                columns.push(None);
                continue;
            }
            let column = program.add_column(Interval::at_least(0))?;
            columns.push(Some(column));
            for change in changes {
                by_place[change.place.index()].push((column, change.delta));
            }
        }
        for (place, entries) in net.places().zip(by_place) {
            let interval = Self::token_interval(
                net,
                place,
                0,
                facts.upper_bound_within(place, Provenance::PROVED),
            );
            program.add_row(interval, entries)?;
        }
        Ok(StateEquation { program, columns })
    }

    /// Returns the program. Row p belongs to place p.
    pub fn program(&self) -> &LinearProgram {
        &self.program
    }

    /// Returns the row of a place.
    pub fn row(place: PlaceId) -> Row {
        Row(place.index() as u32)
    }

    /// Returns the column that counts the firings of a class, or `None` for the class without
    /// effect.
    pub fn column(&self, effect: EffectId) -> Option<Column> {
        self.columns[effect.index()]
    }

    /// Returns the interval of the row of `place` that states low ≤ m(p) ≤ high. A bound of 2⁶³ or
    /// more is left out. The interval is relative to the initial tokens, because the row is the
    /// change of the place.
    pub fn token_interval(net: &Net, place: PlaceId, low: u64, high: Option<u64>) -> Interval {
        // The cast is lossless: initial token counts are below 2⁶³. A bound of 2⁶³ or more is
        // dropped.
        let initial_tokens = net.initial()[place] as i64;
        let relative =
            |tokens: u64| i64::try_from(tokens).ok().map(|tokens| tokens - initial_tokens);
        Interval { lower: relative(low), upper: high.and_then(relative) }
    }

    /// Returns `sum` as a function of firings. Returns `None` if a coefficient does not fit 64
    /// bits, or an intermediate result does not fit 128 bits.
    pub fn firing_sum(&self, net: &Net, sum: &LinearSum) -> Option<FiringSum> {
        let mut changes_by_class: std::collections::BTreeMap<EffectId, i128> = Default::default();
        for &(place, coefficient) in sum.terms() {
            let adjacent = net.consumers(place).iter().chain(net.producers(place));
            let mut classes: Vec<EffectId> =
                adjacent.map(|arc| net.effect_of(arc.transition)).collect();
            classes.sort_unstable();
            classes.dedup();
            for effect in classes {
                let effect_changes = net.effect(effect);
                if let Ok(index) =
                    effect_changes.binary_search_by_key(&place, |change| change.place)
                {
                    let term_change =
                        i128::from(coefficient).checked_mul(effect_changes[index].delta.into())?;
                    let entry = changes_by_class.entry(effect).or_default();
                    *entry = entry.checked_add(term_change)?;
                }
            }
        }
        let mut coefficients = Vec::with_capacity(changes_by_class.len());
        for (effect, term_change) in changes_by_class {
            let term_change = i64::try_from(term_change).ok()?;
            // A class that changes a place has a column.
            if let (Some(column), true) = (self.column(effect), term_change != 0) {
                coefficients.push((column, term_change));
            }
        }
        Some(FiringSum { constant: sum.value(net.initial()), coefficients })
    }
}

/// Returns m(p) = m₀(p) + Σ C(p,e)·x(e) for every place, as terms with the marking as variables.
pub fn constraints(variables: &mut Variables<'_>) -> Vec<Term> {
    let net = variables.net;
    let mut token_sums: Vec<LinearExpression> =
        net.places().map(|place| LinearExpression::constant(net.initial()[place])).collect();
    for effect in net.effect_classes() {
        if let Some(x) = variables.firings(effect) {
            for change in net.effect(effect) {
                token_sums[change.place.index()].add(change.delta, x);
            }
        }
    }
    let mut equations = Vec::with_capacity(token_sums.len());
    for (place, value) in net.places().zip(token_sums) {
        let tokens = variables.tokens(place);
        equations.push(variables.terms.equal(tokens, value));
    }
    equations
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Marking, text};

    fn net() -> Net {
        text::parse(
            "place p 3
             place q
             place lock 1
             transition move: p + lock -> q + lock
             transition same: p -> q
             transition back: 2*q -> p
             transition look: lock -> lock",
        )
        .unwrap()
    }

    #[test]
    fn columns_are_effects_and_rows_are_places() {
        let net = net();
        let equation = StateEquation::new(&net, &Facts::empty(&net)).unwrap();
        // `move` and `same` share a column; `look` has none.
        assert_eq!(equation.program().columns().len(), 2);
        assert_eq!(equation.program().rows().len(), 3);
        assert_eq!(equation.program().rows()[0].lower, Some(-3));
        assert!(equation.program().admits(&[2, 1]));
        assert!(!equation.program().admits(&[1, 1]));
    }

    #[test]
    fn a_sum_over_firings_has_the_value_of_the_marking_they_lead_to() {
        let net = net();
        let equation = StateEquation::new(&net, &Facts::empty(&net)).unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let sum = LinearSum::new([(p, 2), (q, -1)]).unwrap();
        let firings = equation.firing_sum(&net, &sum).unwrap();
        let x = [2i128, 1];
        let gained: i128 =
            firings.coefficients.iter().map(|&(c, a)| i128::from(a) * x[c.index()]).sum();
        // Two moves and one back: p = 3 − 2 + 1, q = 2 − 2.
        assert_eq!(firings.constant + gained, sum.value(&Marking::new(vec![2, 0, 1])));
    }
}
