//! The solvers of linear programs side by side, on the state equations of contest instances: the
//! maximum of every expression that RC and UB compare or ask for.
//!
//! Each back-end gets the same programs in the same order: HiGHS *hot* goes on from its last basis,
//! the others start over every time. An optimum counts as certified when rational multipliers near
//! the floating-point ones prove it in exact arithmetic; Z3 computes in exact arithmetic from the
//! start. Where two bounds are known, they must be the same.

use crate::error::Error;
use crate::exam::Exam;
use crate::goals::questions;
use crate::instance::{Instance, plain_net};
use parikh_encodings::StateEquation;
use parikh_net::{Facts, Goal, LinearSum, Net, Predicate};
use parikh_solvers::Budget;
use parikh_solvers::linear_program::{Column, LinearProgram, Sense};
use parikh_solvers::lp::{IncrementalLp, LpAnswer};
use parikh_solvers::lp_cold::Cold;
use parikh_solvers::lp_microlp::MicroLp;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What to compare.
#[derive(Clone, Debug)]
pub struct Lp {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// For each program.
    pub timeout: Duration,
    /// Nets with more places and transitions are passed over.
    pub largest: usize,
    /// Most programs of one instance.
    pub most: usize,
}

/// What a back-end made of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The optimum, rounded down, proved exactly.
    Certified(num_bigint::BigInt),
    /// An optimum in floating point without a proof.
    Uncertified,
    /// No optimum: as large as you like.
    Unbounded,
    /// No answer in time.
    GaveUp,
    /// Something that cannot be: the state equation has a solution.
    Infeasible,
}

impl Outcome {
    /// As in result files.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Certified(_) => "certified",
            Outcome::Uncertified => "uncertified",
            Outcome::Unbounded => "unbounded",
            Outcome::GaveUp => "gave-up",
            Outcome::Infeasible => "infeasible",
        }
    }
}

/// One program to one back-end.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The instance.
    pub instance: String,
    /// Columns and rows of its state equation.
    pub size: [usize; 2],
    /// Which expression, from 0.
    pub expression: usize,
    /// The back-end.
    pub backend: &'static str,
    /// What came out.
    pub outcome: Outcome,
    /// Solving, and for the first program of an instance setting up.
    pub seconds: f64,
    /// Looking for an exact proof.
    pub certify: f64,
}

/// The columns of a result file.
pub const COLUMNS: [&str; 9] = [
    "instance",
    "columns",
    "rows",
    "expression",
    "backend",
    "outcome",
    "bound",
    "seconds",
    "certify",
];

/// The line of a measurement.
pub fn fields(m: &Measurement) -> [String; 9] {
    let bound = match &m.outcome {
        Outcome::Certified(bound) => bound.to_string(),
        _ => String::new(),
    };
    [
        m.instance.clone(),
        m.size[0].to_string(),
        m.size[1].to_string(),
        m.expression.to_string(),
        m.backend.to_owned(),
        m.outcome.name().to_owned(),
        bound,
        format!("{:.6}", m.seconds),
        format!("{:.6}", m.certify),
    ]
}

impl Lp {
    /// Measures one instance; `None` when it is too large.
    ///
    /// # Errors
    /// When archive, model or queries cannot be read.
    pub fn measure(&self, name: &str) -> Result<Option<Vec<Measurement>>, Error> {
        let instance = Instance::unpack(&self.inputs, name, None)?;
        let Some(net) = plain_net(&instance)? else { return Ok(None) };
        if net.place_count() + net.transition_count() > self.largest {
            return Ok(None);
        }
        let mut sums = BTreeSet::new();
        for exam in [Exam::ReachabilityCardinality, Exam::UpperBounds] {
            for (_, question) in questions(&instance, &net, exam)? {
                question.atoms(&mut |goal| match goal {
                    Goal::Reach(goal) => expressions(goal, &mut sums),
                    Goal::Maximise(sum) => drop(sums.insert(sum.clone())),
                    _ => {}
                });
            }
        }
        let Ok(equation) = StateEquation::new(&net, &Facts::none(&net)) else { return Ok(None) };
        let objectives: Vec<Vec<(Column, i64)>> = sums
            .iter()
            .filter_map(|sum| equation.over_firings(&net, sum))
            .map(|firings| firings.coefficients)
            .take(self.most)
            .collect();
        let mut all = Vec::new();
        let program = equation.program();
        for backend in ["highs-hot", "highs-cold", "microlp"] {
            let start = Instant::now();
            let Some(mut lp) = back_end(backend, program.clone()) else { continue };
            let mut setting_up = start.elapsed();
            for (expression, costs) in objectives.iter().enumerate() {
                let (outcome, seconds, certify) = self.optimum(&mut *lp, costs);
                let seconds = seconds + std::mem::take(&mut setting_up).as_secs_f64();
                let size = [program.columns().len(), program.rows().len()];
                let instance = name.to_owned();
                let measured =
                    Measurement { instance, size, expression, backend, outcome, seconds, certify };
                all.push(measured);
            }
        }
        all.extend(self.by_z3(name, &net, program, &objectives));
        Ok(Some(all))
    }

    fn optimum(&self, lp: &mut dyn IncrementalLp, costs: &[(Column, i64)]) -> (Outcome, f64, f64) {
        let start = Instant::now();
        let answer = match lp.set_objective(Sense::Maximise, costs) {
            Ok(()) => lp.solve_again(&Budget::lasting(self.timeout)),
            Err(_) => return (Outcome::GaveUp, 0.0, 0.0),
        };
        let seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let outcome = match answer {
            LpAnswer::Optimal(optimum) => match optimum.certify(lp.program()) {
                Ok(certified) => Outcome::Certified(certified.integer_bound()),
                Err(_) => Outcome::Uncertified,
            },
            LpAnswer::Unbounded => Outcome::Unbounded,
            LpAnswer::Infeasible(_) => Outcome::Infeasible,
            LpAnswer::NoAnswer(_) => Outcome::GaveUp,
        };
        (outcome, seconds, start.elapsed().as_secs_f64())
    }

    #[cfg(feature = "z3")]
    fn by_z3(
        &self,
        name: &str,
        net: &Net,
        program: &LinearProgram,
        objectives: &[Vec<(Column, i64)>],
    ) -> Vec<Measurement> {
        let script = script(program);
        let measure = |(expression, costs): (usize, &Vec<(Column, i64)>)| {
            let start = Instant::now();
            let mut text = script.clone();
            let _ = write!(text, "(maximize (+ 0.0");
            for (column, cost) in costs {
                let _ = write!(text, " (* {} x{})", decimal(*cost), column.0);
            }
            text += "))\n(check-sat)\n(get-objectives)\n";
            let answer = parikh_solvers::smt_z3::run_script(&text, self.timeout);
            let outcome = answer.map_or(Outcome::GaveUp, |answer| objective(&answer));
            Measurement {
                instance: name.to_owned(),
                size: [program.columns().len(), net.place_count()],
                expression,
                backend: "z3",
                outcome,
                seconds: start.elapsed().as_secs_f64(),
                certify: 0.0,
            }
        };
        objectives.iter().enumerate().map(measure).collect()
    }

    #[cfg(not(feature = "z3"))]
    fn by_z3(
        &self,
        _: &str,
        _: &Net,
        _: &LinearProgram,
        _: &[Vec<(Column, i64)>],
    ) -> Vec<Measurement> {
        Vec::new()
    }
}

#[cfg(feature = "highs")]
fn back_end(name: &str, program: LinearProgram) -> Option<Box<dyn IncrementalLp>> {
    use parikh_solvers::lp_highs::{Highs, HighsModel};
    match name {
        "highs-hot" => Some(Box::new(HighsModel::new(program))),
        "highs-cold" => Some(Box::new(Cold::new(Highs, program))),
        _ => Some(Box::new(Cold::new(MicroLp::new(), program))),
    }
}

#[cfg(not(feature = "highs"))]
fn back_end(name: &str, program: LinearProgram) -> Option<Box<dyn IncrementalLp>> {
    let microlp = || Box::new(Cold::new(MicroLp::new(), program)) as Box<dyn IncrementalLp>;
    (name == "microlp").then(microlp)
}

/// The sums that a predicate compares, each turned so that its first coefficient is positive.
fn expressions(predicate: &Predicate, sums: &mut BTreeSet<LinearSum>) {
    match predicate {
        Predicate::Atom(atom) => {
            let positive = atom.sum.terms().first().is_some_and(|&(_, a)| a > 0);
            sums.insert(if positive { atom.sum.clone() } else { atom.sum.negated() });
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().for_each(|part| expressions(part, sums));
        }
        _ => {}
    }
}

/// The constraints of a program as a script, without an objective.
#[cfg(feature = "z3")]
fn script(program: &LinearProgram) -> String {
    let mut text = String::new();
    let ends =
        |text: &mut String, value: &str, interval: parikh_solvers::linear_program::Interval| {
            if let Some(lower) = interval.lower {
                let _ = writeln!(text, "(assert (>= {value} {}))", decimal(lower));
            }
            if let Some(upper) = interval.upper {
                let _ = writeln!(text, "(assert (<= {value} {}))", decimal(upper));
            }
        };
    for (index, &interval) in program.columns().iter().enumerate() {
        let _ = writeln!(text, "(declare-const x{index} Real)");
        ends(&mut text, &format!("x{index}"), interval);
    }
    for (_, entries, interval) in program.iter_rows() {
        let mut sum = "(+ 0.0".to_owned();
        for (column, a) in entries {
            let _ = write!(sum, " (* {} x{})", decimal(*a), column.0);
        }
        sum.push(')');
        ends(&mut text, &sum, interval);
    }
    text
}

#[cfg(feature = "z3")]
fn decimal(number: i64) -> String {
    match number < 0 {
        true => format!("(- {}.0)", number.unsigned_abs()),
        false => format!("{number}.0"),
    }
}

/// What Z3 says of the one objective: `sat (objectives (SUM VALUE))`, a value being `oo`, `7`,
/// `7.0`, `(- 7.0)`, `(/ 7.0 2.0)`.
#[cfg(feature = "z3")]
fn objective(answer: &str) -> Outcome {
    use num_bigint::BigInt;
    use num_integer::Integer as _;
    if answer.starts_with("unsat") {
        return Outcome::Infeasible;
    }
    let Some(objectives) =
        answer.strip_prefix("sat").and_then(|rest| rest.split_once("objectives"))
    else {
        return Outcome::GaveUp;
    };
    let words: Vec<&str> = objectives
        .1
        .split(|c: char| c.is_whitespace() || c == '(' || c == ')')
        .filter(|word| !word.is_empty())
        .collect();
    let number = |word: &str| word.trim_end_matches(".0").parse::<BigInt>().ok();
    // From the end: the sum comes before, and has no fractions.
    let value = match words[..] {
        [.., "oo"] => return Outcome::Unbounded,
        [.., "-", "/", a, b] | [.., "/", "-", a, b] => {
            number(a).zip(number(b)).map(|(a, b)| (-a).div_floor(&b))
        }
        [.., "/", a, b] => number(a).zip(number(b)).map(|(a, b)| a.div_floor(&b)),
        // `x0) (- 7)` and `(* 2 x0) 7` look alike but for the minus before the value.
        [.., last] => {
            let negative = objectives.1.trim_end_matches([')', '\n', ' ']);
            let negative = negative.strip_suffix(last).is_some_and(|rest| rest.ends_with("(- "));
            number(last).map(|value| if negative { -value } else { value })
        }
        [] => None,
    };
    value.map_or(Outcome::GaveUp, Outcome::Certified)
}

/// Expressions on which certified bounds differ: none, or there is a mistake.
pub fn disagreements(all: &[Measurement]) -> Vec<String> {
    let mut found = Vec::new();
    for m in all {
        let other = |n: &&Measurement| {
            let both = |a: &Outcome, b: &Outcome| match (a, b) {
                (Outcome::Certified(a), Outcome::Certified(b)) => a < b,
                (Outcome::Certified(_), Outcome::Unbounded) => true,
                _ => false,
            };
            (&n.instance, n.expression) == (&m.instance, m.expression)
                && both(&m.outcome, &n.outcome)
        };
        if let Some(n) = all.iter().find(other) {
            found.push(format!(
                "{} expression {}: {} says {:?}, {} says {:?}",
                m.instance, m.expression, m.backend, m.outcome, n.backend, n.outcome
            ));
        }
    }
    found
}

/// One line per back-end.
pub fn print(all: &[Measurement]) -> String {
    let mut text = "| back-end | programs | certified | unbounded | uncertified | gave up | median ms | \
                    95 % ms | worst s | total s | certifying s |\n|---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for backend in ["highs-hot", "highs-cold", "microlp", "z3"] {
        let mine: Vec<&Measurement> = all.iter().filter(|m| m.backend == backend).collect();
        let count = |name: &str| mine.iter().filter(|m| m.outcome.name() == name).count();
        let mut seconds: Vec<f64> = mine.iter().map(|m| m.seconds).collect();
        seconds.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (seconds.len() as f64 * share) as usize;
            seconds.get(index).or(seconds.last()).copied().unwrap_or(0.0)
        };
        let _ = writeln!(
            text,
            "| {backend} | {} | {} | {} | {} | {} | {:.3} | {:.2} | {:.2} | {:.2} | {:.2} |",
            mine.len(),
            count("certified"),
            count("unbounded"),
            count("uncertified") + count("infeasible"),
            count("gave-up"),
            at(0.5) * 1e3,
            at(0.95) * 1e3,
            at(1.0),
            seconds.iter().sum::<f64>(),
            mine.iter().map(|m| m.certify).sum::<f64>(),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_net::{generate, text};

    #[cfg(feature = "z3")]
    #[test]
    fn what_z3_says_of_an_objective_is_read_exactly() {
        let certified = |value: i32| Outcome::Certified(value.into());
        let of = |value: &str| {
            objective(&format!(
                "sat\n(objectives\n ((+ 0.0 (* (- 2.0) x1) (* 3.0 x0)) {value})\n)\n"
            ))
        };
        assert_eq!(of("7.0"), certified(7));
        assert_eq!(of("70"), certified(70));
        assert_eq!(of("(- 7.0)"), certified(-7));
        assert_eq!(of("(/ 7.0 2.0)"), certified(3));
        assert_eq!(of("(- (/ 7.0 2.0))"), certified(-4));
        assert_eq!(of("oo"), Outcome::Unbounded);
        assert_eq!(objective("unknown\n(objectives\n (x0 7)\n)"), Outcome::GaveUp);
    }

    #[test]
    fn all_back_ends_find_the_same_optima() {
        let directory = tempfile::tempdir().unwrap();
        let net = text::parse(
            "place p 3\nplace q\nplace r\ntransition a: 2*p -> q\ntransition b: q -> 2*p
             transition c: -> r",
        );
        let bound = |id: &str, places: &[&str]| {
            let places: String = places.iter().map(|p| format!("<place>{p}</place>")).collect();
            format!(
                "<property><id>{id}</id><formula><place-bound>{places}</place-bound></formula>\
                 </property>"
            )
        };
        let bounds = [bound("B-0", &["q"]), bound("B-1", &["p", "q"]), bound("B-2", &["r"])];
        let queries = format!("<property-set>{}</property-set>", bounds.concat());
        let model = generate::pnml(&net.unwrap());
        let cardinality = "<property-set><property><id>C</id><formula><exists-path><finally>\
                           <deadlock/></finally></exists-path></formula></property></property-set>";
        let files = [
            ("model.pnml", &*model),
            ("UpperBounds.xml", &*queries),
            ("ReachabilityCardinality.xml", cardinality),
        ];
        pack(directory.path(), "B", &files);
        let lp = Lp {
            inputs: directory.path().to_owned(),
            timeout: Duration::from_secs(60),
            largest: 100,
            most: 10,
        };
        let all = lp.measure("B").unwrap().unwrap();
        assert_eq!(disagreements(&all), Vec::<String>::new());
        for backend in ["highs-hot", "highs-cold", "microlp", "z3"] {
            let outcomes: Vec<&str> =
                all.iter().filter(|m| m.backend == backend).map(|m| m.outcome.name()).collect();
            let built = match backend {
                "z3" => cfg!(feature = "z3"),
                "microlp" => true,
                _ => cfg!(feature = "highs"),
            };
            let expected = ["certified", "certified", "unbounded"];
            let mut sorted = outcomes.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, if built { &expected[..] } else { &[] }, "{backend}");
        }
        assert!(print(&all).contains("| microlp | 3 | 2 | 1 | 0 | 0 |"), "{}", print(&all));
    }
}
