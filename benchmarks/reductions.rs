//! What the structural reductions of Parikh leave of contest instances, and at what cost.
//!
//! Each P/T archive is unpacked, its model and queries are read by Parikh's readers, and the net is
//! reduced to the fixpoint for three questions: is there a deadlock; all formulas of
//! ReachabilityCardinality together; all of ReachabilityFireability together. Then the net is
//! reduced for each formula alone, which is what a pipeline can do for the last ones open.
//!
//! Nothing is solved here: a reduction decides some formulas by the way, but that is not counted.

use crate::error::Error;
use crate::exam::Exam;
use crate::instance::{Instance, plain_net};
use crate::memory::peak_of;
use parikh::formula::lower;
use parikh::reduction::{Config, RuleStatistics, Size, Statistics, needs, reduce};
use parikh_net::{Goal, Net};
use parikh_solvers::Budget;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Reductions {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// For each reduction.
    pub timeout: Duration,
    /// For all formulas alone of one examination of one instance; those that are not begun by then
    /// are left out. Zero leaves all out.
    pub alone: Duration,
}

/// What a net is reduced for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Whether a dead marking can be reached.
    Deadlock,
    /// The formulas of ReachabilityCardinality.
    Cardinality,
    /// The formulas of ReachabilityFireability.
    Fireability,
}

impl Purpose {
    /// All three.
    pub const ALL: [Purpose; 3] = [Purpose::Deadlock, Purpose::Cardinality, Purpose::Fireability];

    /// In the result file.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Deadlock => "deadlock",
            Purpose::Cardinality => "RC",
            Purpose::Fireability => "RF",
        }
    }

    fn exam(self) -> Option<Exam> {
        match self {
            Purpose::Deadlock => None,
            Purpose::Cardinality => Some(Exam::ReachabilityCardinality),
            Purpose::Fireability => Some(Exam::ReachabilityFireability),
        }
    }
}

/// One reduction of one instance, and those for single formulas.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// The instance.
    pub instance: String,
    /// What for.
    pub purpose: Purpose,
    /// Formulas it was for; 1 for the deadlock.
    pub goals: usize,
    /// Sizes, counts per rule, time.
    pub statistics: Statistics,
    /// Bytes of the net; 0 when they are not counted.
    pub net_bytes: usize,
    /// Most bytes that the reduction took besides the net it began with, the result included.
    pub peak_bytes: usize,
    /// Per formula measured alone: transitions after and whether it came to the end, with seconds.
    pub alone: Vec<Alone>,
}

/// The reduction for one formula.
#[derive(Clone, Copy, Debug)]
pub struct Alone {
    /// The net after.
    pub after: Size,
    /// Wall time.
    pub seconds: f64,
}

/// `after` for each of `before`; nothing of nothing is 1.
pub fn ratio(before: usize, after: usize) -> f64 {
    if before == 0 { 1.0 } else { after as f64 / before as f64 }
}

/// The middle one, the mean of the middle two; nothing when there are none.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let (at, odd) = (values.len() / 2, values.len() % 2 == 1);
    match values.len() {
        0 => None,
        _ if odd => Some(values[at]),
        _ => Some(f64::midpoint(values[at - 1], values[at])),
    }
}

impl Measurement {
    /// Transitions after for each before.
    pub fn transition_ratio(&self) -> f64 {
        ratio(self.statistics.before.transitions, self.statistics.after.transitions)
    }

    /// Places after for each before.
    pub fn place_ratio(&self) -> f64 {
        ratio(self.statistics.before.places, self.statistics.after.places)
    }

    /// The median transition ratio of formulas alone.
    pub fn alone_ratio(&self) -> Option<f64> {
        let before = self.statistics.before.transitions;
        median(self.alone.iter().map(|one| ratio(before, one.after.transitions)).collect())
    }

    /// Memory taken for each byte of the net, if bytes were counted.
    pub fn memory_ratio(&self) -> Option<f64> {
        (self.net_bytes > 0).then(|| self.peak_bytes as f64 / self.net_bytes as f64)
    }

    /// The rule that took longest.
    pub fn slowest_rule(&self) -> Option<&RuleStatistics> {
        self.statistics.rules.iter().max_by_key(|rule| rule.time)
    }
}

impl Reductions {
    /// Measures one instance for all purposes it has queries for; nothing of a coloured one.
    ///
    /// # Errors
    /// When the archive, the model or a query file cannot be read.
    pub fn measure(&self, name: &str) -> Result<Vec<Measurement>, Error> {
        let instance = Instance::unpack(&self.inputs, name, None)?;
        let unreadable = |problem: parikh::input::InputError| Error::Rows {
            path: self.inputs.join(format!("{name}.tgz")),
            problem: problem.to_string(),
        };
        let Some(net) = plain_net(&instance)? else { return Ok(Vec::new()) };
        let (_, net_bytes) = peak_of(|| drop(net.clone()));
        let mut all = Vec::new();
        for purpose in Purpose::ALL {
            let goals = match purpose.exam() {
                None => vec![Goal::Reach(parikh_net::Predicate::Dead)],
                Some(exam) => {
                    let file = instance.path().join(format!("{}.xml", exam.long()));
                    match file.is_file() {
                        true => goals_of(&file, &net).map_err(unreadable)?,
                        false => continue,
                    }
                }
            };
            let whole = peak_of(|| self.reduce(&net, &goals));
            let (statistics, peak_bytes) = whole;
            let mut alone = Vec::new();
            let start = Instant::now();
            let single = purpose.exam().is_some();
            for goal in goals.iter().filter(|_| single) {
                if start.elapsed() >= self.alone {
                    break;
                }
                let one = self.reduce(&net, std::slice::from_ref(goal));
                alone.push(Alone { after: one.after, seconds: one.time.as_secs_f64() });
            }
            all.push(Measurement {
                instance: name.to_owned(),
                purpose,
                goals: goals.len(),
                statistics,
                net_bytes,
                peak_bytes,
                alone,
            });
        }
        Ok(all)
    }

    fn reduce(&self, net: &Net, goals: &[Goal]) -> Statistics {
        let needs = needs::of_goals(net, goals);
        let budget = Budget::lasting(self.timeout);
        reduce(net, &needs, &budget, &Config::default()).statistics
    }
}

/// The formulas that ask about reachable markings, as goals.
fn goals_of(file: &Path, net: &Net) -> Result<Vec<Goal>, parikh::input::InputError> {
    let queries = parikh::input::read_queries(file, net)?.queries;
    let questions = queries.iter().filter_map(|query| query.formula.as_ref().ok());
    let questions = questions.filter_map(|formula| lower(formula, net).ok());
    let mut goals = Vec::new();
    questions.for_each(|question| question.atoms(&mut |goal: &Goal| goals.push(goal.clone())));
    Ok(goals)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_net::{generate, text};

    const CHAIN: &str = "place o 1\nplace p\nplace q\nplace r\nplace s\n\
                         transition z: o -> p\ntransition a: p -> q\n\
                         transition b: q -> r\ntransition c: r -> s";

    /// What is measured on a chain of four transitions, asked about its middle and its end.
    pub(crate) fn chain() -> Vec<Measurement> {
        let inputs = tempfile::tempdir().unwrap();
        let model = generate::pnml(&text::parse(CHAIN).unwrap());
        let of = |place: &str| {
            format!(
                "<property><id>{place}</id><formula><exists-path><finally><integer-le>\
                 <integer-constant>1</integer-constant><tokens-count><place>{place}</place>\
                 </tokens-count></integer-le></finally></exists-path></formula></property>"
            )
        };
        let queries = format!("<property-set>{}{}</property-set>", of("s"), of("q"));
        let files =
            [("model.pnml", model.as_str()), ("ReachabilityCardinality.xml", queries.as_str())];
        pack(inputs.path(), "Chain-PT-1", &files);
        let reductions = Reductions {
            inputs: inputs.path().to_owned(),
            timeout: Duration::from_secs(60),
            alone: Duration::from_secs(60),
        };
        reductions.measure("Chain-PT-1").unwrap()
    }

    #[test]
    fn a_chain_shrinks_to_what_is_asked() {
        let all = chain();
        assert_eq!(all.iter().map(|m| m.purpose.name()).collect::<Vec<_>>(), ["deadlock", "RC"]);
        let [deadlock, formulas] = &all[..] else { panic!("two rows") };
        assert_eq!((deadlock.goals, deadlock.alone.len()), (1, 0));
        // Only p goes: q is left empty with s empty still, so b and c may not be one.
        assert_eq!((formulas.goals, formulas.statistics.after.transitions), (2, 3));
        // For s all four are one; for q, z and a are one, and b takes from it.
        let alone: Vec<usize> = formulas.alone.iter().map(|one| one.after.transitions).collect();
        assert_eq!(alone, [1, 2]);
        assert!((formulas.transition_ratio() - 0.75).abs() < 1e-9);
        assert_eq!(formulas.memory_ratio(), None, "tests have the plain allocator");
    }

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(Vec::new()), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert!((ratio(0, 0) - 1.0).abs() < 1e-9);
    }
}
