//! What the structural algorithms of Parikh find on contest instances, and how fast.
//!
//! Each P/T archive is unpacked, its model read by Parikh's reader, and then, each under the limit:
//! a basis of P-flows and one of T-flows, every flow multiplied with the net again; the bounds that
//! follow; the structural keys, beside those of the model's [`form`]; and the siphon–trap
//! condition, whose certificate is checked and whose conclusion is put beside the oracle.
//!
//! Two bases come from two eliminations of one matrix, so their sizes give its rank twice; that
//! they agree is checked too.

use crate::error::Error;
use crate::exam::Exam;
use crate::instance::Instance;
use crate::{form, oracle};
use parikh::structure::bounds::place_bounds;
use parikh::structure::commoner::{SiphonTrap, SiphonTrapProperty, siphon_trap};
use parikh::structure::flows::{place_flows, transition_flows};
use parikh::structure::keys::structural_keys;
use parikh_net::Net;
use parikh_solvers::{Budget, Exhausted};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What to measure.
#[derive(Clone, Debug)]
pub struct Structure {
    /// Directory with the archives `NAME.tgz`.
    pub inputs: PathBuf,
    /// Directory with the known answers, if those are wanted.
    pub oracle: Option<PathBuf>,
    /// For each basis, and for the bounds.
    pub timeout: Duration,
    /// For the siphon–trap condition.
    pub siphon_trap: Duration,
    /// A ceiling on the process' resident set, in bytes.
    pub memory: u64,
}

/// A result or why there is none, and the seconds it took.
#[derive(Clone, Debug)]
pub struct Timed<T> {
    /// What came out, or what was exhausted.
    pub result: Result<T, Exhausted>,
    /// Wall time.
    pub seconds: f64,
}

impl<T> Timed<T> {
    fn of(run: impl FnOnce() -> Result<T, Exhausted>) -> Self {
        let start = Instant::now();
        let result = run();
        Timed { result, seconds: start.elapsed().as_secs_f64() }
    }
}

/// A basis of flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Basis {
    /// How many flows.
    pub flows: usize,
    /// How many of them the net refutes: none, or there is a mistake.
    pub refuted: usize,
}

/// How a key stands to its form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// The same value.
    Agrees,
    /// The form does not know.
    Unknown,
    /// There is no form, or the form has no such key.
    Absent,
    /// Another value: ours with the reason.
    Differs(String),
}

/// The answer to the siphon–trap condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadlock {
    /// No dead marking can be reached: so many traps, and the certificate holds.
    Excluded(usize),
    /// The condition does not hold: nothing follows.
    Open,
    /// The certificate was refused: a mistake.
    Refused(String),
}

/// The figures of one instance.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Its name.
    pub instance: String,
    /// Places, transitions, effect classes.
    pub size: [usize; 3],
    /// Seconds to read the model.
    pub read: f64,
    /// A basis of P-flows.
    pub place_flows: Timed<Basis>,
    /// A basis of T-flows over effect classes.
    pub transition_flows: Timed<Basis>,
    /// Seconds to multiply all of them with the net.
    pub check: f64,
    /// Whether both bases give the same rank; nothing when one is missing.
    pub ranks_agree: Option<bool>,
    /// Places with an upper bound, constant places.
    pub bounds: Timed<[usize; 2]>,
    /// The keys by their names.
    pub keys: Vec<(&'static str, Agreement)>,
    /// No dead marking by siphons and traps?
    pub siphon_trap: Timed<Deadlock>,
    /// The oracle's answer to ReachabilityDeadlock, or nothing.
    pub oracle: String,
}

impl Structure {
    /// Measures one instance.
    ///
    /// # Errors
    /// When the archive, the model, the form or the oracle cannot be read.
    pub fn measure(&self, name: &str) -> Result<Measurement, Error> {
        let instance = Instance::unpack(&self.inputs, name, None)?;
        let model = instance.path().join("model.pnml");
        let start = Instant::now();
        let net = parikh::input::read_net(&model).map_err(|problem| Error::Rows {
            path: self.inputs.join(format!("{name}.tgz")),
            problem: problem.to_string(),
        })?;
        let read = start.elapsed().as_secs_f64();
        let budget = |time| Budget::lasting(time).with_memory_ceiling(self.memory);
        let place = Timed::of(|| place_flows(&net, &budget(self.timeout)));
        let transition = Timed::of(|| transition_flows(&net, &budget(self.timeout)));
        let start = Instant::now();
        let place_basis = place.result.as_ref().map(|flows| {
            let refuted = flows.iter().filter(|flow| !flow.holds(&net)).count();
            Basis { flows: flows.len(), refuted }
        });
        let transition_basis = transition.result.as_ref().map(|flows| {
            let refuted = flows.iter().filter(|flow| !flow.holds(&net)).count();
            Basis { flows: flows.len(), refuted }
        });
        let check = start.elapsed().as_secs_f64();
        let ranks_agree = place_basis.ok().zip(transition_basis.ok()).map(|(p, t)| {
            // Not subtracted: a wrong basis may be too large.
            net.place_count() + t.flows == net.effect_count() + p.flows
        });
        let bounds = Timed::of(|| {
            let flows = place.result.as_ref().map_or(&[][..], |flows| flows);
            let bounds = place_bounds(&net, flows, &budget(self.timeout));
            let bounded = net.places().filter(|&p| bounds.upper(p).is_some()).count();
            Ok([bounded, bounds.constant_places().len()])
        });
        Ok(Measurement {
            instance: name.to_owned(),
            size: [net.place_count(), net.transition_count(), net.effect_count()],
            read,
            check,
            ranks_agree,
            place_flows: Timed {
                result: place_basis.map_err(|reason| *reason),
                seconds: place.seconds,
            },
            transition_flows: Timed {
                result: transition_basis.map_err(|reason| *reason),
                seconds: transition.seconds,
            },
            bounds,
            keys: compare_keys(&net, &instance.path().join(form::FILE))?,
            siphon_trap: exclude_deadlocks(&net, &budget(self.siphon_trap)),
            oracle: self.deadlock_by_oracle(name)?,
        })
    }

    fn deadlock_by_oracle(&self, name: &str) -> Result<String, Error> {
        let Some(directory) = &self.oracle else { return Ok(String::new()) };
        let questions = oracle::read(directory, name, Exam::ReachabilityDeadlock)?;
        let first = questions.into_iter().flatten().next();
        Ok(first.map(|question| question.expected).unwrap_or_default())
    }
}

fn compare_keys(net: &Net, file: &Path) -> Result<Vec<(&'static str, Agreement)>, Error> {
    let values = form::read(file)?.unwrap_or_default();
    let compare = |own: bool, explanation: String, form: Option<&str>| match form {
        None => Agreement::Absent,
        Some("true") if own => Agreement::Agrees,
        Some("false") if !own => Agreement::Agrees,
        Some("true" | "false") => Agreement::Differs(format!("{own}: {explanation}")),
        Some(_) => Agreement::Unknown,
    };
    let verdicts = structural_keys(net).into_iter();
    let compared = verdicts.map(|verdict| {
        let name = verdict.key.name();
        let form = values.get(name).map(String::as_str);
        (name, compare(verdict.value, verdict.explanation, form))
    });
    Ok(compared.collect())
}

/// The check of the certificate is timed with the search: an answer is not one before.
fn exclude_deadlocks(net: &Net, budget: &Budget) -> Timed<Deadlock> {
    Timed::of(|| match siphon_trap(net, SiphonTrapProperty::DeadMarkings, budget)? {
        SiphonTrap::Fails(_) => Ok(Deadlock::Open),
        SiphonTrap::Holds(certificate) => match certificate.check(net, budget) {
            Ok(()) if certificate.excludes_deadlocks(net) => {
                Ok(Deadlock::Excluded(certificate.traps.len()))
            }
            Ok(()) => Ok(Deadlock::Open),
            Err(problem) => match budget.exhausted() {
                Some(reason) => Err(reason),
                None => Ok(Deadlock::Refused(problem.to_string())),
            },
        },
    })
}

/// The P/T instances among the archives of a directory, by name.
///
/// # Errors
/// When the directory cannot be read.
pub fn place_transition_instances(inputs: &Path) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(inputs).map_err(Error::at(inputs))? {
        let entry = entry.map_err(Error::at(inputs))?;
        let file = entry.file_name();
        let name = file.to_str().and_then(|file| file.strip_suffix(".tgz"));
        // The contest's names: MODEL-PT-PARAMETER and MODEL-COL-PARAMETER.
        names.extend(name.filter(|name| name.contains("-PT-")).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::instance::tests::pack;
    use parikh_net::{generate, text};

    const RING: &str = "place p 1\nplace q\ntransition a: p -> q\ntransition b: q -> p";

    /// What is measured on a marked ring, with a form that errs about one key.
    pub(crate) fn ring() -> Measurement {
        let (inputs, oracle) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let form = r#"<toolspecific><verdict reference="ORDINARY" value="true"/>
            <verdict reference="CONNECTED" value="unknown"/>
            <verdict reference="SINK_PLACE" value="true"/></toolspecific>"#;
        let model = generate::pnml(&text::parse(RING).unwrap());
        pack(inputs.path(), "Ring-PT-1", &[("model.pnml", &model), (form::FILE, form)]);
        pack(inputs.path(), "Ring-COL-1", &[("model.pnml", &model)]);
        let answer =
            "Ring-PT-1 ReachabilityDeadlock\nFORMULA ReachabilityDeadlock FALSE TECHNIQUES O\n";
        std::fs::write(oracle.path().join("Ring-PT-1-RD.out"), answer).unwrap();
        assert_eq!(place_transition_instances(inputs.path()).unwrap(), ["Ring-PT-1"]);
        let structure = Structure {
            inputs: inputs.path().to_owned(),
            oracle: Some(oracle.path().to_owned()),
            timeout: Duration::from_secs(60),
            siphon_trap: Duration::from_secs(60),
            memory: u64::MAX,
        };
        structure.measure("Ring-PT-1").unwrap()
    }

    #[test]
    fn a_ring_has_one_flow_of_each_kind_and_never_stops() {
        let ring = ring();
        let one = Basis { flows: 1, refuted: 0 };
        assert_eq!(ring.place_flows.result, Ok(one));
        assert_eq!(ring.transition_flows.result, Ok(one));
        assert_eq!((ring.ranks_agree, ring.bounds.result), (Some(true), Ok([2, 0])));
        assert_eq!(ring.siphon_trap.result, Ok(Deadlock::Excluded(1)));
        assert_eq!(ring.oracle, "FALSE");
    }

    #[test]
    fn keys_are_put_beside_the_form() {
        let ring = ring();
        let of = |key| ring.keys.iter().find(|(name, _)| *name == key).unwrap().1.clone();
        assert_eq!(of("ORDINARY"), Agreement::Agrees);
        assert_eq!(of("CONNECTED"), Agreement::Unknown);
        assert_eq!(of("LOOP_FREE"), Agreement::Absent);
        let differs = Agreement::Differs("false: there is no sink place".to_owned());
        assert_eq!(of("SINK_PLACE"), differs);
    }
}
