//! Numbers of markings and firings from place invariants, against enumeration.
//!
//! A *family* is a net whose initial marking is n·a + c, for n = 0, 1, 2, … A proof is found for
//! one net of the family, and the checker must be right about the others: it refuses the proof, or
//! gives the numbers of the enumeration.

use crate::support::oracle::{OracleLimits, explore};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::engine::family::{FamilyFailure, prove};
use parikh::evidence::counting::StateSpaceFigures;
use parikh::evidence::counting::family::{FamilyProof, Growth};
use parikh::net::{Marking, Net, NetBuilder, PlaceId, text};
use parikh::solvers::Budget;
use std::time::Duration;

/// The limits of the enumeration.
const LIMITS: OracleLimits = OracleLimits { states: 400, tokens: 200 };

/// A net with a growing initial marking.
pub(super) struct Family {
    net: Net,
    /// The vector a.
    growth: Vec<u64>,
    /// The vector c.
    constant: Vec<u64>,
}

impl Family {
    /// Returns the family of the net whose initial marking is c.
    pub(super) fn of(net: &str, growth: &[(&str, u64)]) -> Family {
        let net = text::parse(net).unwrap();
        let mut vector = vec![0; net.place_count()];
        growth.iter().for_each(|&(p, a)| vector[net.place_named(p).unwrap().index()] = a);
        Family { constant: net.initial().tokens().to_vec(), growth: vector, net }
    }

    /// Returns the net with the initial marking n·a + c.
    pub(super) fn at(&self, n: u64) -> Net {
        let tokens = self.growth.iter().zip(&self.constant).map(|(a, c)| n * a + c);
        self.net.from_marking(Marking::new(tokens.collect()))
    }

    /// Returns the growth for a proof about the net at n.
    pub(super) fn growth_at(&self, n: u64) -> Growth {
        let tokens = self.growth.iter().enumerate().map(|(p, &a)| (PlaceId::new(p), a));
        Growth { n, tokens: tokens.filter(|it| it.1 > 0).collect() }
    }

    /// Returns `proof` for the net at n, with the growth of the family.
    pub(super) fn proof_at(&self, proof: &FamilyProof, n: u64) -> FamilyProof {
        FamilyProof { growth: Some(self.growth_at(n)), ..proof.clone() }
    }
}

/// Searches for a proof, for a limited time.
pub(super) fn search(net: &Net) -> Result<FamilyProof, FamilyFailure> {
    let budget = Budget::unlimited().slice(Duration::from_secs(200));
    prove(net, None, &budget).map(|(proof, _)| proof)
}

/// Returns the true numbers, or `None` if there are too many markings.
pub(super) fn enumerated(net: &Net, limits: OracleLimits) -> Option<StateSpaceFigures> {
    let space = explore(net, limits)?;
    Some(StateSpaceFigures { states: space.states().into(), transitions: space.firings().into() })
}

/// A random net whose processes take and return resources.
///
/// A process is in one of several states. In each state, it holds some of each resource, and counts
/// as one process or as two. The transitions preserve these sums. Some need a catalyst, that is, a
/// token that they put back; some end a process or make a copy. Others turn one product into the
/// other, with a process as a catalyst.
struct Sketch {
    builder: NetBuilder,
    /// The states: the place, the processes, and the held resources.
    states: Vec<(PlaceId, u64, Vec<u64>)>,
    resources: Vec<PlaceId>,
    products: [PlaceId; 2],
    transitions: usize,
}

impl Sketch {
    fn new(rng: &mut Rng) -> Sketch {
        let mut builder = NetBuilder::new("family");
        let resources: Vec<PlaceId> =
            (0..rng.usize(0..3)).map(|at| builder.place(&format!("r{at}"), 0).unwrap()).collect();
        let states = (0..rng.usize(2..5)).map(|at| {
            let place = builder.place(&format!("s{at}"), 0).unwrap();
            let held = resources.iter().map(|_| rng.u64(0..3).saturating_sub(1)).collect();
            let processes = if rng.u32(0..5) == 0 { 2 } else { 1 };
            (place, processes, held)
        });
        let states = states.collect();
        let products = ["q0", "q1"].map(|id| builder.place(id, 0).unwrap());
        Sketch { builder, states, resources, products, transitions: 0 }
    }

    /// Adds a transition that turns a product into the other.
    fn produce(&mut self, rng: &mut Rng) {
        let t = self.builder.transition(&format!("t{}", self.transitions)).unwrap();
        self.transitions += 1;
        let from = rng.usize(0..8) / 7;
        let catalyst = self.states[rng.usize(0..self.states.len())].0;
        for (p, is_output) in [
            (self.products[from], false),
            (self.products[1 - from], true),
            (catalyst, true),
            (catalyst, false),
        ] {
            match is_output {
                true => self.builder.put(t, p, 1).unwrap(),
                false => self.builder.take(t, p, 1).unwrap(),
            }
        }
    }

    /// Adds a transition from one state to another.
    fn step(&mut self, rng: &mut Rng) {
        let [from, to] = [(); 2].map(|()| rng.usize(0..self.states.len()));
        if from == to {
            return;
        }
        let t = self.builder.transition(&format!("t{}", self.transitions)).unwrap();
        self.transitions += 1;
        let (from, to) = (&self.states[from], &self.states[to]);
        // k tokens of `from` stand for as many processes as l tokens of `to`.
        let (k, l) = match (from.1, to.1) {
            (1, 2) => (2, 1),
            (2, 1) => (1, 2),
            _ => (1, 1),
        };
        let mut takes = vec![(from.0, k)];
        let mut puts = vec![(to.0, l)];
        for (at, &resource) in self.resources.iter().enumerate() {
            let (before, after) = (k * from.2[at], l * to.2[at]);
            takes.push((resource, after.saturating_sub(before)));
            puts.push((resource, before.saturating_sub(after)));
        }
        match rng.u32(0..12) {
            // A catalyst.
            0..3 => {
                let it = self.states[rng.usize(0..self.states.len())].0;
                takes.push((it, 1));
                puts.push((it, 1));
            }
            // The process ends, or is copied.
            3 => puts[0].1 = rng.u64(0..3),
            _ => {}
        }
        takes.retain(|it| it.1 > 0);
        puts.retain(|it| it.1 > 0);
        takes.into_iter().for_each(|(p, weight)| self.builder.take(t, p, weight).unwrap());
        puts.into_iter().for_each(|(p, weight)| self.builder.put(t, p, weight).unwrap());
    }
}

fn random_family(rng: &mut Rng) -> Family {
    let mut sketch = Sketch::new(rng);
    for _ in 0..rng.u32(1..6) {
        sketch.step(rng);
        if rng.u32(0..3) == 0 {
            sketch.produce(rng);
        }
    }
    let net = sketch.builder.build().unwrap();
    let places = net.place_count();
    // Many places are empty at first.
    let growth = (0..places).map(|_| rng.u64(0..4).saturating_sub(2)).collect();
    let constant = (0..places).map(|_| rng.u64(0..5).saturating_sub(2)).collect();
    Family { net, growth, constant }
}

#[derive(Debug, Default)]
struct Tally {
    cases: u64,
    proved: u64,
    interpolated: u64,
    with_sequences: u64,
    with_counters: u64,
}

/// Checks a proof at several n. Returns the number of interpolated figures.
pub(super) fn check_at_all(family: &Family, proof: &FamilyProof) -> u64 {
    let mut interpolated = 0;
    for n in 0..12 {
        let net = family.at(n);
        let Some(expected) = enumerated(&net, LIMITS) else { break };
        let context = || format!("n = {n}, {proof:?}\n{}", text::print(&net));
        for proof in [FamilyProof { growth: None, ..proof.clone() }, family.proof_at(proof, n)] {
            if let Ok(found) = proof.check(&net, &mut || true) {
                assert_eq!(found.figures, expected, "{}", context());
                interpolated += u64::from(found.interpolated.is_some());
            }
        }
    }
    // Beyond the enumeration, the polynomial agrees with a count of all solutions.
    for n in [17, 30] {
        let net = family.at(n);
        let direct = FamilyProof { growth: None, ..proof.clone() };
        let (direct, grown) = (direct.check(&net, &mut || true), family.proof_at(proof, n));
        if let (Ok(direct), Ok(grown)) = (direct, grown.check(&net, &mut || true)) {
            assert_eq!(direct.figures, grown.figures, "{n} {proof:?}\n{}", text::print(&net));
            interpolated += u64::from(grown.interpolated.is_some());
        }
    }
    interpolated
}

#[test]
fn figures_of_random_families_are_those_of_enumeration() {
    let mut rng = Rng::with_seed(47);
    let mut tally = Tally::default();
    for _ in 0..scaled(300) {
        let family = random_family(&mut rng);
        let n = rng.u64(1..5);
        tally.cases += 1;
        let net = family.at(n);
        let Ok(proof) = search(&net) else { continue };
        if let Some(expected) = enumerated(&net, LIMITS) {
            let found = proof.check(&net, &mut || true).unwrap();
            assert_eq!(found.figures, expected, "{proof:?}\n{}", text::print(&net));
        }
        tally.proved += 1;
        tally.with_sequences += u64::from(!proof.sequences.is_empty());
        tally.with_counters += u64::from(!proof.counters.is_empty());
        tally.interpolated += check_at_all(&family, &proof);
    }
    println!("{tally:?}");
    assert!(tally.proved * 5 > tally.cases, "{tally:?}");
    assert!(tally.interpolated > tally.proved, "{tally:?}");
    assert!(tally.with_sequences > 0 && tally.with_counters > 0, "{tally:?}");
}

/// Returns proofs that differ from `proof` in one number, transition, or part.
fn tampered(net: &Net, proof: &FamilyProof) -> Vec<FamilyProof> {
    let mut all = Vec::new();
    let mut change = |edit: &dyn Fn(&mut FamilyProof)| {
        let mut changed = proof.clone();
        edit(&mut changed);
        all.push(changed);
    };
    for by in [-1, 1, 7] {
        for (at, terms) in proof.equations.iter().enumerate() {
            (0..terms.len()).for_each(|term| change(&|it| it.equations[at][term].1 += by));
        }
        (0..proof.weights.len()).for_each(|at| change(&|it| it.weights[at].1 += by));
        for (at, multipliers) in proof.combinations.iter().enumerate() {
            (0..multipliers.len()).for_each(|index| change(&|it| it.combinations[at][index] += by));
        }
        for (at, counter) in proof.counters.iter().enumerate() {
            (0..counter.weights.len())
                .for_each(|index| change(&|it| it.counters[at].weights[index].1 += by));
        }
        let Some(growth) = &proof.growth else { continue };
        let plus = |value: &mut u64| *value = value.saturating_add_signed(by);
        change(&|it| it.growth.iter_mut().for_each(|it| plus(&mut it.n)));
        for at in 0..growth.tokens.len() {
            change(&|it| it.growth.iter_mut().for_each(|it| plus(&mut it.tokens[at].1)));
        }
    }
    (0..proof.equations.len()).for_each(|at| change(&|it| drop(it.equations.remove(at))));
    (0..proof.weights.len()).for_each(|at| change(&|it| _ = it.weights.remove(at)));
    (0..proof.counters.len()).for_each(|at| change(&|it| drop(it.counters.remove(at))));
    for (at, sequence) in proof.sequences.iter().enumerate() {
        change(&|it| drop(it.sequences.remove(at)));
        change(&|it| it.sequences[at].reverse());
        for index in 0..sequence.len() {
            change(&|it| _ = it.sequences[at].remove(index));
            for t in net.transitions() {
                change(&|it| it.sequences[at][index] = t);
            }
        }
    }
    all
}

/// Requires that tampered proofs are refused or give the numbers of the enumeration. Returns the
/// number of refused ones, and the number of all.
fn refused(net: &Net, proof: &FamilyProof, expected: &StateSpaceFigures) -> (usize, usize) {
    let (mut refused, mut all) = (0, 0);
    for changed in tampered(net, proof) {
        all += 1;
        match changed.check(net, &mut || true) {
            Ok(found) => assert_eq!(&found.figures, expected, "{changed:?}\n{}", text::print(net)),
            Err(_) => refused += 1,
        }
    }
    (refused, all)
}

#[test]
fn tampered_proofs_are_refused_or_true() {
    let mut rng = Rng::with_seed(48);
    let (mut refused_count, mut all, mut with_sequences) = (0, 0, 0);
    for _ in 0..scaled(30) {
        let family = random_family(&mut rng);
        let n = rng.u64(2..5);
        let net = family.at(n);
        let Some(expected) = enumerated(&net, LIMITS) else { continue };
        let Ok(proof) = search(&net) else { continue };
        with_sequences += usize::from(!proof.sequences.is_empty());
        let proof = family.proof_at(&proof, n);
        let found = refused(&net, &proof, &expected);
        (refused_count, all) = (refused_count + found.0, all + found.1);
    }
    println!("{refused_count} of {all} refused, {with_sequences} proofs with sequences");
    assert!(refused_count * 4 > all, "{refused_count} of {all}");
}

/// A cascade of two levels, as in models of signalling: an activated enzyme of the first level
/// activates the second one. The proof needs sequences.
pub(super) const CASCADE: &str = "place e\nplace x 1\nplace xe\nplace y\nplace f\nplace yf\n\
     place u 1\nplace uy\nplace v\nplace g\nplace vg\n\
     transition k1: x + e -> xe\ntransition k2: xe -> x + e\ntransition k3: xe -> y + e\n\
     transition k4: y + f -> yf\ntransition k5: yf -> y + f\ntransition k6: yf -> x + f\n\
     transition k7: u + y -> uy\ntransition k8: uy -> u + y\ntransition k9: uy -> v + y\n\
     transition k10: v + g -> vg\ntransition k11: vg -> v + g\ntransition k12: vg -> u + g";

#[test]
fn a_cascade_is_proved_by_sequences() {
    let family = Family::of(CASCADE, &[("e", 1), ("f", 1), ("x", 2), ("u", 1), ("g", 1)]);
    let net = family.at(1);
    let proof = search(&net).unwrap();
    assert!(!proof.sequences.is_empty(), "{proof:?}");
    let expected = enumerated(&net, OracleLimits::default()).unwrap();
    assert_eq!(proof.check(&net, &mut || true).unwrap().figures, expected);
    let (refused, all) = refused(&net, &family.proof_at(&proof, 1), &expected);
    assert!(refused * 4 > all, "{refused} of {all}");
    // Without sequences, the proof is refused.
    let without = FamilyProof { sequences: Vec::new(), ..proof };
    assert!(without.check(&net, &mut || true).is_err());
    // A large net of the family, by a polynomial.
    let net = family.at(1_000_000);
    let proof = search(&net).unwrap();
    let found = proof.check(&net, &mut || true).unwrap();
    assert!(found.interpolated.is_some_and(|it| it.degree == 6), "{found:?}");
}
