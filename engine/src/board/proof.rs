//! Proofs that a goal is unreachable or a bound is not exceeded, as engines report them.

use parikh_evidence::Document;
use parikh_net::Provenance;
use parikh_net::printable::counted;
use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The proof of a result that does not rest on a replayed witness alone, such as "unreachable" or
/// "at most".
#[derive(Clone, Debug)]
pub struct Proof {
    /// The certificate, about the engine's net. Several goals may share it. `None` if the engine
    /// has no certificate, or if the certificate was dropped later.
    pub document: Option<Arc<Document>>,
    /// The kind of argument.
    pub argument: Argument,
    /// The number of reduction rules that were applied between the net that was read and the
    /// engine's net. `None` if these two nets are the same.
    pub reduced: Option<u64>,
    /// True if the engine's net is an abstraction of a coloured net, that is, a net in which
    /// colours are merged.
    pub abstracted: bool,
}

/// A proof without its certificate. It explains an answer to the user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct ProofSummary {
    /// The kind of argument.
    #[serde(flatten)]
    pub argument: Argument,
    /// The number of reduction rules that were applied between the net that was read and the
    /// engine's net. `None` if these two nets are the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reduced: Option<u64>,
    /// True if the engine's net is an abstraction of a coloured net.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub abstracted: bool,
}

/// The kind of an argument, with its figures. In JSON, the field `argument` holds the name of the
/// kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "argument", rename_all = "kebab-case")]
pub enum Argument {
    /// Bounds on single places exclude the goal.
    Bounds {
        /// True if the bounds use place invariants, and not the model's claim of unit-safety. With
        /// this claim, it is not known if they also use place invariants.
        place_invariants: bool,
        /// True if the bounds use the model's claim of unit-safety (NUPN).
        assumes_units: bool,
    },
    /// No reachable marking is dead: each siphon that a dead marking would leave empty contains a
    /// trap that is marked initially.
    Traps {
        /// The number of traps.
        traps: usize,
    },
    /// The state equation excludes the goal by linear arithmetic, possibly with traps, lower
    /// bounds, precedence constraints or safe units.
    StateEquation {
        /// The number of traps used.
        traps: usize,
        /// The number of lower bounds of places or weighted sums used.
        lower_bounds: usize,
        /// The number of times that a precedence constraint between firings is used.
        precedences: usize,
        /// True if the model's claim of unit-safety (NUPN) is used.
        assumes_units: bool,
    },
    /// The goal becomes unreachable: the marking at the end of the witness is dead and violates the
    /// goal.
    #[serde(rename = "dead-marking")]
    DeadMarking,
    /// The goal's transition fires finitely often: each of its firings lowers a weighted sum of
    /// tokens that no firing increases.
    #[serde(rename = "finitely-many-firings")]
    FinitelyManyFirings,
    /// All transitions are live: the net is an asymmetric-choice net in which every siphon contains
    /// an initially marked trap.
    Commoner {
        /// The number of traps.
        traps: usize,
    },
    /// The goal's target marking stays coverable: the net is live if a transition from the target
    /// to the initial marking is added. This closed net is an asymmetric-choice net in which every
    /// siphon contains an initially marked trap.
    #[serde(rename = "commoner-of-the-closed-net")]
    CommonerOfClosedNet {
        /// The number of traps.
        traps: usize,
    },
    /// Every firing can be undone by firings that need only its output tokens. So a goal that was
    /// reached stays reachable.
    #[serde(rename = "reversible-firings")]
    ReversibleFirings,
    /// From every reachable marking, firings lead back to a marking that satisfies the goal.
    #[serde(rename = "firings-lead-back")]
    FiringsLeadBack,
    /// An inductive invariant excludes the goal.
    Induction {
        /// The number of clauses.
        clauses: usize,
        /// True if the model's claim of unit-safety (NUPN) is used.
        assumes_units: bool,
    },
    /// A set of markings closed under firing, described by a decision diagram, contains no marking
    /// that satisfies the goal or exceeds the bound.
    ClosedSet {
        /// The number of nodes of the diagram.
        nodes: usize,
    },
    /// No run has the property: no run stays in a strongly connected component of the property's
    /// automaton and meets all of its acceptance marks infinitely often. A dead marking counts as
    /// repeated forever.
    NoRun {
        /// The number of ranking functions. Each is a weighted sum of tokens, plus a value per
        /// automaton state. It never increases along runs that stay in the component.
        rankings: usize,
        /// The number of other goals whose unreachability is assumed.
        given: usize,
        /// True if the model's claim of unit-safety (NUPN) is used, here or for the assumed goals.
        assumes_units: bool,
    },
    /// Markings are labelled with subformulas that hold there. Each label follows from the tokens
    /// of its marking, from other labels of the marking or of its successors, or from assumed
    /// goals.
    Labelling {
        /// The number of markings.
        markings: usize,
        /// The number of other goals on which the labels rest. Each is settled as unreachable, as
        /// staying reachable, or as reached.
        given: usize,
        /// True if the model's claim of unit-safety (NUPN) is used for the assumed goals.
        assumes_units: bool,
    },
    /// A search visited all relevant markings and evaluated the CTL formula.
    TreeSearched {
        /// The number of markings visited.
        #[serde(serialize_with = "json_number")]
        markings: u64,
        /// True if the model's claim of unit-safety (NUPN) is used for the goals whose results the
        /// search assumes.
        assumes_units: bool,
    },
    /// The CTL formula was evaluated on a decision diagram of all markings.
    TreeDescribed {
        /// The number of nodes of the diagram. `None` if the checker did not evaluate the formula
        /// on the diagram, so that the engine's evaluation is trusted.
        nodes: Option<usize>,
    },
    /// No run has the property, by evaluation on a decision diagram of all markings.
    RunsDescribed,
    /// A search followed every firing sequence that could still become a run with the property, and
    /// found no such run.
    RunsSearched {
        /// The number of markings visited.
        #[serde(serialize_with = "json_number")]
        markings: u64,
    },
    /// A search visited all reachable markings of the net without the places that only count
    /// firings. No marking contradicts the claim.
    SearchedWithoutCounters {
        /// The number of markings visited.
        #[serde(serialize_with = "json_number")]
        markings: u64,
    },
    /// A search visited all reachable markings, or with stubborn sets all relevant markings. None
    /// contradicts the claim.
    Searched {
        /// The number of markings visited.
        #[serde(serialize_with = "json_number")]
        markings: u64,
        /// True if the search used stubborn sets, which may leave out markings that do not matter
        /// to this goal.
        stubborn: bool,
        /// The number of independent parts of the net. Parts that no goal concerns are counted, but
        /// not visited. 1 for the net as a whole, 0 if nothing had to be visited.
        parts: usize,
    },
}

impl Proof {
    /// Makes a proof by an argument about the engine's net. `document` is the certificate, if there
    /// is one.
    pub fn new(argument: Argument, document: Option<Arc<Document>>) -> Proof {
        Proof { document, argument, reduced: None, abstracted: false }
    }

    /// Makes a proof by an exhaustive search of `markings` markings, without a certificate.
    /// `stubborn` is true if the search used stubborn sets.
    pub fn searched(markings: u64, stubborn: bool) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn, parts: 1 }, None)
    }

    /// Makes a proof by an exhaustive search of `markings` markings in a net of `parts` independent
    /// parts. With 0 parts, nothing had to be visited.
    pub fn of_parts(markings: u64, parts: usize) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn: false, parts }, None)
    }

    /// Adds `applications` to the number of applied reduction rules in `reduced`, and returns the
    /// proof. `None` counts as 0.
    #[must_use]
    pub fn with_reductions(self, applications: u64) -> Proof {
        Proof { reduced: Some(self.reduced.unwrap_or(0) + applications), ..self }
    }

    /// Marks the proof as a proof about an abstraction of a coloured net, and returns it.
    #[must_use]
    pub fn of_abstraction(self) -> Proof {
        Proof { abstracted: true, ..self }
    }

    /// Returns true if the proof rests on the model's claim that its units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        self.argument.assumes_units()
    }

    /// Returns the proof without its certificate.
    pub fn summary(&self) -> ProofSummary {
        let Proof { argument, reduced, abstracted, .. } = self;
        ProofSummary { argument: argument.clone(), reduced: *reduced, abstracted: *abstracted }
    }

    /// Returns the name of the kind in a few words.
    pub fn kind(&self) -> &'static str {
        match (&self.argument, self.reduced.is_some()) {
            (Argument::Bounds { .. }, false) => "intervals",
            (Argument::Bounds { .. }, true) => "intervals, reduced",
            (Argument::Traps { .. }, false) => "siphons and traps",
            (Argument::Traps { .. }, true) => "siphons and traps, reduced",
            (Argument::StateEquation { .. }, false) => "state equation",
            (Argument::StateEquation { .. }, true) => "state equation, reduced",
            (Argument::DeadMarking, _) => "dead end",
            (Argument::FinitelyManyFirings, _) => "finitely many firings",
            (Argument::Commoner { .. }, _) => "Commoner's condition",
            (Argument::CommonerOfClosedNet { .. }, _) => "Commoner's condition, closed",
            (Argument::ReversibleFirings, _) => "firings undone",
            (Argument::FiringsLeadBack, false) => "ways back",
            (Argument::FiringsLeadBack, true) => "ways back, reduced",
            (Argument::Induction { .. }, false) => "induction",
            (Argument::Induction { .. }, true) => "induction, reduced",
            (Argument::ClosedSet { .. }, false) => "closed set",
            (Argument::ClosedSet { .. }, true) => "closed set, reduced",
            (Argument::NoRun { .. }, _) => "rankings",
            (Argument::RunsSearched { .. }, _) => "exhaustive search of runs",
            (Argument::RunsDescribed, _) => "sets of markings",
            (Argument::Labelling { .. }, _) => "labelling",
            (Argument::TreeSearched { .. }, _) => "exhaustive labelling",
            (Argument::TreeDescribed { .. }, _) => "sets of markings",
            (
                Argument::Searched { stubborn: false, .. }
                | Argument::SearchedWithoutCounters { .. },
                false,
            ) => "exhaustive search",
            (
                Argument::Searched { stubborn: false, .. }
                | Argument::SearchedWithoutCounters { .. },
                true,
            ) => "exhaustive search, reduced",
            (Argument::Searched { stubborn: true, .. }, false) => {
                "exhaustive search with stubborn sets"
            }
            (Argument::Searched { stubborn: true, .. }, true) => {
                "exhaustive search with stubborn sets, reduced"
            }
        }
    }
}

impl Argument {
    /// Returns the argument that bounds on single places exclude the goal. `rests_on` is the
    /// weakest provenance of these bounds.
    pub fn bounds(rests_on: Provenance) -> Argument {
        Argument::Bounds {
            place_invariants: rests_on == Provenance::Flows,
            assumes_units: rests_on.assumes_units(),
        }
    }

    /// Returns true if the argument rests on the model's claim that its units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        match *self {
            Argument::Bounds { assumes_units, .. }
            | Argument::StateEquation { assumes_units, .. }
            | Argument::Induction { assumes_units, .. }
            | Argument::NoRun { assumes_units, .. }
            | Argument::Labelling { assumes_units, .. }
            | Argument::TreeSearched { assumes_units, .. } => assumes_units,
            _ => false,
        }
    }
}

/// Serializes an integer. From −2⁵³ to 2⁵³ it becomes a JSON number, which every JSON reader
/// represents exactly. Otherwise it becomes a string of its digits.
///
/// Returns an error if the serializer fails.
pub fn json_number<S: Serializer>(
    number: &impl fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let digits = number.to_string();
    match digits.parse::<i64>() {
        Ok(small) if small.unsigned_abs() <= 1 << 53 => serializer.serialize_i64(small),
        _ => serializer.serialize_str(&digits),
    }
}

/// The end of a sentence about a proof that assumes safe units.
const UNITS: &str = ", given the model's safe units (NUPN)";

/// Writes the proof as a clause of a sentence.
impl fmt::Display for ProofSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.abstracted {
            f.write_str("even with colours merged, ")?;
        }
        if let Some(applications) = self.reduced {
            write!(f, "on the net after {}, ", counted(applications, "reduction"))?;
        }
        self.argument.fmt(f)
    }
}

/// The traps of an argument as text: "the marked trap" or "one of n marked traps". The field is the
/// number of traps.
struct TrapPhrase(usize);

impl fmt::Display for TrapPhrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("the marked trap"),
            traps => write!(f, "one of {traps} marked traps"),
        }
    }
}

/// Joins parts of an enumeration: `a`, `a and b`, `a, b and c`.
fn enumerated(parts: &[&str]) -> String {
    match parts {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        _ => parts.concat(),
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Bounds { place_invariants: true, .. } => {
                f.write_str("place invariants and structural bounds exclude it")?;
            }
            Argument::Bounds { .. } => f.write_str("structural bounds exclude it")?,
            Argument::Traps { traps: 0 } => {
                f.write_str("a dead marking would leave no siphon empty")?;
            }
            Argument::Traps { traps } => {
                let trap_phrase = TrapPhrase(*traps);
                write!(
                    f,
                    "every siphon that a dead marking would leave empty contains {trap_phrase}"
                )?;
            }
            Argument::DeadMarking => f.write_str("that marking is dead")?,
            Argument::FinitelyManyFirings => {
                f.write_str("a weighted sum of tokens that never increases bounds its firings")?;
            }
            Argument::Commoner { traps: 0 } => {
                f.write_str("this is an asymmetric-choice net without siphons")?;
            }
            Argument::Commoner { traps } => {
                let trap_phrase = TrapPhrase(*traps);
                write!(f, "in this asymmetric-choice net, every siphon contains {trap_phrase}")?;
            }
            Argument::CommonerOfClosedNet { traps: 0 } => {
                f.write_str("with a transition back to the initial marking, ")?;
                f.write_str("this is an asymmetric-choice net without siphons")?;
            }
            Argument::CommonerOfClosedNet { traps } => {
                let trap_phrase = TrapPhrase(*traps);
                f.write_str("with a transition back to the initial marking, ")?;
                write!(
                    f,
                    "this is an asymmetric-choice net where every siphon contains {trap_phrase}"
                )?;
            }
            Argument::ReversibleFirings => {
                f.write_str("every firing can be undone by other firings")?
            }
            Argument::FiringsLeadBack => {
                f.write_str("from every reachable marking, firings lead back to such a marking")?;
            }
            Argument::StateEquation { traps, lower_bounds, precedences, .. } => {
                let used = [
                    (*traps, "traps"),
                    (*lower_bounds, "lower bounds"),
                    (*precedences, "the order of firings"),
                ];
                let used: Vec<&str> = used
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(_, name)| name)
                    .collect();
                match used[..] {
                    [] => f.write_str("the state equation has no solution")?,
                    _ => {
                        write!(f, "the state equation with {} has no solution", enumerated(&used))?
                    }
                }
            }
            Argument::Induction { clauses, .. } => {
                let clauses = counted(clauses, "clause");
                write!(f, "an inductive invariant of {clauses} excludes it")?;
            }
            Argument::ClosedSet { nodes } => {
                let nodes = counted(nodes, "node");
                write!(
                    f,
                    "a set of markings that no firing leaves (a decision diagram of {nodes}) "
                )?;
                f.write_str("excludes it")?;
            }
            Argument::NoRun { rankings, given, .. } => {
                match (rankings, given) {
                    (0, 0) => f.write_str("no run satisfies it forever")?,
                    (0, _) => f.write_str("the reachable markings exclude such runs")?,
                    (1, _) => f.write_str("a weighted sum of tokens decreases along such runs")?,
                    (n, _) => write!(f, "{n} weighted sums of tokens decrease along such runs")?,
                }
                write_given(f, *given)?;
            }
            Argument::Labelling { markings, given, .. } => {
                match markings {
                    0 | 1 => f.write_str("the initial marking shows it")?,
                    n => write!(f, "it follows from the labels of {n} markings")?,
                }
                write_given(f, *given)?;
            }
            Argument::TreeSearched { markings: 1, .. } => {
                f.write_str("the only relevant marking was visited")?;
            }
            Argument::TreeSearched { markings, .. } => {
                write!(f, "all {markings} relevant markings were visited")?;
            }
            Argument::TreeDescribed { nodes: Some(nodes) } => {
                let nodes = counted(nodes, "node");
                write!(f, "evaluated on a decision diagram of all reachable markings ({nodes})")?;
            }
            Argument::TreeDescribed { nodes: None } | Argument::RunsDescribed => {
                f.write_str("evaluated on a decision diagram of all reachable markings")?;
            }
            Argument::RunsSearched { markings: 1 } => {
                f.write_str("the only marking along such runs was visited")?;
            }
            Argument::RunsSearched { markings } => {
                write!(f, "all {markings} markings along such runs were visited")?;
            }
            Argument::SearchedWithoutCounters { markings: 1 } => {
                f.write_str("the only marking without the places that count firings was visited")?;
            }
            Argument::SearchedWithoutCounters { markings } => {
                write!(f, "all {markings} markings without the places that count firings were ")?;
                f.write_str("visited")?;
            }
            Argument::Searched { parts: 0, .. } => f.write_str("no marking has to be visited")?,
            Argument::Searched { markings: 1, stubborn: false, parts: 1 } => {
                f.write_str("the only reachable marking was visited")?;
            }
            Argument::Searched { markings, stubborn: false, parts: 1 } => {
                write!(f, "all {markings} reachable markings were visited")?;
            }
            Argument::Searched { markings: 1, stubborn: false, parts } => {
                write!(
                    f,
                    "the only reachable marking of {parts} independent parts of the net was "
                )?;
                f.write_str("visited")?;
            }
            Argument::Searched { markings, stubborn: false, parts } => {
                write!(
                    f,
                    "all {markings} reachable markings of {parts} independent parts of the "
                )?;
                f.write_str("net were visited")?;
            }
            Argument::Searched { markings: 1, stubborn: true, .. } => {
                f.write_str("the only relevant marking was visited (stubborn sets)")?;
            }
            Argument::Searched { markings, stubborn: true, .. } => {
                write!(f, "all {markings} relevant markings were visited (stubborn sets)")?;
            }
        }
        f.write_str(if self.assumes_units() { UNITS } else { "" })
    }
}

/// Writes how many results about other goals an argument assumes. Writes nothing for 0.
fn write_given(f: &mut fmt::Formatter<'_>, premise_count: usize) -> fmt::Result {
    match premise_count {
        0 => Ok(()),
        given => write!(f, ", given {} about reachable markings", counted(given, "fact")),
    }
}
