//! The solution of an encoding that a firing sequence describes.
//!
//! A firing sequence to the first goal marking gives a value to each variable: the tokens in the
//! markings, the numbers of firings, the order of first firings, and the order in which places
//! leave an empty trap. The values are found by name. They prove nothing by themselves: the
//! assertions are evaluated with exact numbers, so a wrong value can only hide a solution.

use crate::encoded_goal::EncodedGoal;
use crate::encoding::EncodingPart;
use parikh_net::{EffectId, FiringSequence, Marking, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::model::{ModelValue, SolverModel};
use parikh_solvers::term::{Sort, Variable};
use std::collections::HashMap;

/// Limit on the number of firings times the number of places. Longer sequences are not tried.
const MAX_SIZE: u128 = 20_000_000;

/// Firings with effect from the initial marking to a marking, with all markings on the way.
struct FiringPath {
    /// The firings. Firings without effect are left out.
    firings: Vec<TransitionId>,
    /// The markings, the initial marking first.
    markings: Vec<Marking>,
}

impl FiringPath {
    /// Fires a sequence until a marking satisfies `goal`, or to its end. Returns `None` if the
    /// sequence is too long, cannot fire, or satisfies the goal nowhere.
    fn new(net: &Net, sequence: &FiringSequence, goal: &Predicate) -> Option<FiringPath> {
        let size = sequence.firings().checked_mul(net.place_count() as u128 + 1)?;
        if size > MAX_SIZE {
            return None;
        }
        let mut path = FiringPath { firings: Vec::new(), markings: vec![net.initial().clone()] };
        if goal.holds(net, net.initial()) {
            return Some(path);
        }
        for step in sequence.steps() {
            for _ in 0..step.count {
                let mut marking = path.markings.last()?.clone();
                net.fire(&mut marking, step.transition).ok()?;
                if net.delta(step.transition).is_empty() {
                    continue;
                }
                let is_goal = goal.holds(net, &marking);
                path.firings.push(step.transition);
                path.markings.push(marking);
                if is_goal {
                    return Some(path);
                }
            }
        }
        None
    }
}

/// The values of variables, by name.
#[derive(Default)]
struct SolutionValues {
    numbers: HashMap<String, u64>,
    truths: HashMap<String, bool>,
}

impl SolutionValues {
    fn set(&mut self, name: String, value: u64) {
        self.numbers.insert(name, value);
    }

    fn set_marking(&mut self, net: &Net, family: &str, marking: &Marking) {
        for place in net.places() {
            self.set(format!("{family}({})", net.place_name(place)), marking[place]);
        }
    }

    /// Writes the value of a variable to a model. A variable that occurs in no assertion needs no
    /// value. Returns false if the bit-vector of the variable is too narrow.
    fn write(&self, model: &mut SolverModel, variable: Variable, name: &str, sort: Sort) -> bool {
        match sort {
            Sort::Bool => {
                if let Some(&truth) = self.truths.get(name) {
                    model.set(variable, ModelValue::Truth(truth));
                }
            }
            Sort::Int | Sort::Real | Sort::Bits(_) => {
                if let Some(&number) = self.numbers.get(name) {
                    if matches!(sort, Sort::Bits(width) if u64::BITS - number.leading_zeros() > width)
                    {
                        return false;
                    }
                    model.set_integer(variable, number);
                }
            }
        }
        true
    }
}

impl EncodedGoal<'_> {
    /// Returns true if a firing sequence to a goal marking describes a solution of all assertions.
    /// The solution is checked with exact numbers. A maximum has the goal [`Predicate::True`].
    /// Returns false if the sequence describes no solution; the encoding may have others.
    pub fn is_solved_by(&self, sequence: &FiringSequence, goal: &Predicate) -> bool {
        let net = self.variables.net;
        let Some(values) = FiringPath::new(net, sequence, goal).and_then(|path| self.values(path))
        else {
            return false;
        };
        let terms = self.terms();
        let mut model = SolverModel::new();
        for variable in terms.variables() {
            let (name, sort) = (terms.name(variable), terms.sort(variable));
            if !values.write(&mut model, variable, name, sort) {
                return false;
            }
        }
        model.evaluate_all(terms, &self.assertions()) == Some(true)
    }

    /// Returns true if the encoding has variables for several markings. The goal is then about the
    /// last of them, and not about m.
    pub fn has_several_markings(&self) -> bool {
        self.encoding.unrolls()
    }

    /// Returns true if the encoding has a solution only if the goal is reachable.
    pub fn is_exact(&self) -> bool {
        let is_fractional = self.encoding.has(EncodingPart::Steps)
            && self.encoding.numbers == crate::Numbers::Reals;
        self.encoding.is_bounded() && !is_fractional
    }

    /// Returns the values that a path to a goal marking gives to the variables. Returns `None` if
    /// the path does not fit the number of firings or steps of the encoding.
    fn values(&self, path: FiringPath) -> Option<SolutionValues> {
        let net = self.variables.net;
        let k = self.encoding.steps as usize;
        let mut values = SolutionValues::default();
        // The number of firings before the marking m.
        let mut before = path.firings.len();
        let has = |part| self.encoding.has(part);
        if has(EncodingPart::Induction) {
            before = before.checked_sub(k)?;
            let last = path.firings[before..].iter().map(|&t| HashMap::from([(t, 1)]));
            set_steps(net, &path.markings[before], &last.collect::<Vec<_>>(), &mut values);
        }
        if self.encoding.is_bounded() {
            let mut steps: Vec<HashMap<TransitionId, u64>> = match has(EncodingPart::Steps) {
                true if path.firings.len() > k => joined_steps(net, &path),
                _ => path.firings.iter().map(|&t| HashMap::from([(t, 1)])).collect(),
            };
            if steps.len() > k {
                return None;
            }
            steps.resize(k, HashMap::new());
            set_steps(net, net.initial(), &steps, &mut values);
            return Some(values);
        }
        let marking = &path.markings[before];
        values.set_marking(net, "m", marking);
        // The time of the first firing, and the number of firings, by class.
        let mut classes: HashMap<EffectId, (u64, u64)> = HashMap::new();
        for (time, &t) in (1..).zip(&path.firings[..before]) {
            classes.entry(net.effect_of(t)).or_insert((time, 0)).1 += 1;
        }
        for effect in net.effect_classes() {
            if let Some(x) = self.variables.firings(effect) {
                let name = self.variables.terms.name(x);
                let (first, count) = classes.get(&effect).copied().unwrap_or((0, 0));
                values.set(name.to_owned(), count);
                // The name of the class begins with `x`.
                values.set(format!("first{}", &name[1..]), first);
            }
        }
        if has(EncodingPart::Traps) {
            set_leaving_places(net, marking, &mut values);
        }
        Some(values)
    }
}

/// Sets the variables of consecutive steps, which begin in `start`.
fn set_steps(
    net: &Net,
    start: &Marking,
    steps: &[HashMap<TransitionId, u64>],
    values: &mut SolutionValues,
) {
    let mut marking = start.clone();
    for (number, step) in (1..).zip(steps) {
        for t in net.transitions() {
            let name = format!("fire({number},{})", net.transition_name(t));
            values.set(name, step.get(&t).copied().unwrap_or(0));
        }
        let mut left = marking.clone();
        for (&t, &count) in step {
            for change in net.delta(t) {
                let tokens = count * change.delta.unsigned_abs();
                match change.delta < 0 {
                    true => {
                        left[change.place] -= tokens;
                        marking[change.place] -= tokens;
                    }
                    false => marking[change.place] += tokens,
                }
            }
        }
        values.set_marking(net, &format!("left{number}"), &left);
        values.set_marking(net, &format!("m{number}"), &marking);
    }
}

/// Joins consecutive firings of a path to steps, as many as possible from the left. The tokens that
/// a step takes are there before the step, and what its transitions read remains.
fn joined_steps(net: &Net, path: &FiringPath) -> Vec<HashMap<TransitionId, u64>> {
    let mut steps: Vec<HashMap<TransitionId, u64>> = Vec::new();
    let mut left = net.initial().clone();
    // The largest number of tokens that a transition of the step reads, by place index.
    let mut read = vec![0; net.place_count()];
    for (&t, marking) in path.firings.iter().zip(&path.markings) {
        let taken = |place| net.pre_weight(t, place).saturating_sub(net.post_weight(t, place));
        let reads = |place| net.pre_weight(t, place).min(net.post_weight(t, place));
        let fits = |left: &Marking, read: &[u64]| {
            net.pre(t).iter().all(|arc| {
                let needed = read[arc.place.index()].max(reads(arc.place));
                left[arc.place].checked_sub(taken(arc.place)).is_some_and(|rest| rest >= needed)
            })
        };
        if steps.is_empty() || !fits(&left, &read) {
            steps.push(HashMap::new());
            left = marking.clone();
            read.fill(0);
        }
        for arc in net.pre(t) {
            left[arc.place] -= taken(arc.place);
            let needed = &mut read[arc.place.index()];
            *needed = (*needed).max(reads(arc.place));
        }
        if let Some(step) = steps.last_mut() {
            *step.entry(t).or_default() += 1;
        }
    }
    steps
}

/// Sets left(p) and rank(p): the places that leave the largest trap among the empty places of a
/// marking, in an order in which each may leave.
fn set_leaving_places(net: &Net, marking: &Marking, values: &mut SolutionValues) {
    let mut rank: Vec<Option<u64>> = vec![None; net.place_count()];
    let mut time = 0;
    let mut open: Vec<PlaceId> = net.places().collect();
    while let Some(place) = open.pop() {
        let may_leave = net.consumers(place).iter().any(|arc| {
            net.post(arc.transition).iter().all(|output| {
                let has_left = rank[output.place.index()].is_some();
                output.place != place && (marking[output.place] > 0 || has_left)
            })
        });
        if may_leave && rank[place.index()].is_none() {
            time += 1;
            rank[place.index()] = Some(time);
            let producers = net.producers(place).iter().map(|arc| arc.transition);
            open.extend(producers.flat_map(|t| net.pre(t)).map(|input| input.place));
        }
    }
    for place in net.places() {
        let (name, rank) = (net.place_name(place), rank[place.index()]);
        values.truths.insert(format!("left({name})"), rank.is_some());
        values.set(format!("rank({name})"), rank.unwrap_or(0));
    }
}
