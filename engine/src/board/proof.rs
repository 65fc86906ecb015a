//! Proofs that a goal is unreachable or a bound is not exceeded, as engines report them.

use parikh_evidence::Document;
use parikh_net::Provenance;
use parikh_net::printable::counted;
use std::fmt;
use std::sync::Arc;

/// The argument behind an "unreachable" or an "at most".
#[derive(Clone, Debug)]
pub struct Proof {
    /// The certificate, about the engine's net. Several goals may share it. `None` if the engine
    /// has no certificate.
    pub document: Option<Arc<Document>>,
    /// The kind of argument.
    pub argument: Argument,
    /// The number of rule applications that reduced the net that was read to the engine's net;
    /// `None` if the engine works on the net that was read.
    pub reduced: Option<u64>,
    /// True if the engine's net is an abstraction of a coloured net, with colours erased.
    pub abstracted: bool,
}

/// The kind of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Bounds on single places exclude the goal; the field is the provenance of the bounds.
    Bounds(Provenance),
    /// No marking is dead: each set of places that a dead marking would leave empty contains a trap
    /// that is marked initially. The field is the number of traps.
    Traps(usize),
    /// The state equation, traps and safe units exclude the goal by linear arithmetic.
    StateEquation {
        /// The number of traps used.
        traps: usize,
        /// The number of lower bounds of places or weighted sums used.
        lower_bounds: usize,
        /// The number of uses of precedence constraints between firings.
        precedences: usize,
        /// True if the model's claim of unit-safety (NUPN) is used.
        assumes_units: bool,
    },
    /// The marking is dead.
    DeadEnd,
    /// A weighted sum of tokens that no firing increases bounds the number of firings.
    Finitely,
    /// Every siphon of an asymmetric-choice net contains one of this many initially marked traps.
    Commoner(usize),
    /// The net closed by a transition from the target to the initial marking is live, for the same
    /// reason.
    Closed(usize),
    /// Every firing can be undone by firings that need only its output tokens.
    Undone,
    /// From every marking, firings lead back to a marking where the transition can fire again.
    Returning,
    /// An inductive invariant excludes the goal.
    Induction {
        /// The number of clauses.
        clauses: usize,
        /// True if the model's claim of unit-safety (NUPN) is used.
        assumes_units: bool,
    },
    /// A set of markings closed under firing, described by a decision diagram, contains no such
    /// marking.
    ClosedSet {
        /// The number of nodes of the diagram.
        nodes: usize,
    },
    /// No infinite run stays in a component of the property's automaton and visits all its
    /// acceptance marks.
    NoRun {
        /// The number of rankings.
        rankings: usize,
        /// The number of other goals whose unreachability is assumed.
        given: usize,
        /// True if the model's claim of unit-safety (NUPN) is used, here or for the assumed goals.
        assumes_units: bool,
    },
    /// Markings labelled with subformulas that follow from each other.
    Labelling {
        /// The number of markings.
        markings: usize,
        /// The number of other goals whose unreachability is assumed.
        given: usize,
        /// True if the model's claim of unit-safety (NUPN) is used for the assumed goals.
        assumes_units: bool,
    },
    /// A search visited all relevant markings and evaluated the formula.
    TreeSearched {
        /// The number of markings visited.
        markings: u64,
        /// True if the model's claim of unit-safety (NUPN) is used for facts known before.
        assumes_units: bool,
    },
    /// The formula was evaluated on a decision diagram of all markings.
    TreeDescribed {
        /// The number of nodes; `None` if the checker did not get the diagram.
        nodes: Option<usize>,
    },
    /// No run has the property, by evaluation on a decision diagram of all markings.
    RunsDescribed,
    /// A search visited all markings along which the property may still hold; no run has it.
    RunsSearched {
        /// The number of markings visited.
        markings: u64,
    },
    /// A search visited every reachable marking; none contradicts the claim.
    Searched {
        /// The number of markings visited.
        markings: u64,
        /// True if stubborn sets left out markings that do not matter to this goal.
        stubborn: bool,
        /// The number of independent parts of the net, each visited separately; 1 for the net as a
        /// whole, 0 if nothing had to be visited.
        parts: usize,
    },
}

impl Proof {
    /// Makes a proof by an argument about the engine's net.
    pub fn new(argument: Argument, document: Option<Arc<Document>>) -> Proof {
        Proof { document, argument, reduced: None, abstracted: false }
    }

    /// Makes a proof by an exhaustive search of `markings` markings.
    pub fn searched(markings: u64, stubborn: bool) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn, parts: 1 }, None)
    }

    /// Makes a proof by an exhaustive search of independent parts of the net; with no relevant
    /// part, nothing had to be visited.
    pub fn of_parts(markings: u64, parts: usize) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn: false, parts }, None)
    }

    /// Returns the same proof about the net from which reductions made the engine's net.
    #[must_use]
    pub fn of_reduced(self, applications: u64) -> Proof {
        Proof { reduced: Some(self.reduced.unwrap_or(0) + applications), ..self }
    }

    /// Returns the same proof about the coloured net of which the engine's net is an abstraction.
    #[must_use]
    pub fn of_abstraction(self) -> Proof {
        Proof { abstracted: true, ..self }
    }

    /// Returns true if the proof rests on the model's claim that its units are safe (NUPN).
    pub fn assumes_units(&self) -> bool {
        match self.argument {
            Argument::Bounds(rests_on) => rests_on.assumes_units(),
            Argument::StateEquation { assumes_units, .. }
            | Argument::Induction { assumes_units, .. }
            | Argument::NoRun { assumes_units, .. }
            | Argument::Labelling { assumes_units, .. }
            | Argument::TreeSearched { assumes_units, .. } => assumes_units,
            _ => false,
        }
    }

    /// Returns the kind in a few words.
    pub fn kind(&self) -> &'static str {
        match (&self.argument, self.reduced.is_some()) {
            (Argument::Bounds(_), false) => "intervals",
            (Argument::Bounds(_), true) => "intervals, reduced",
            (Argument::Traps(_), false) => "siphons and traps",
            (Argument::Traps(_), true) => "siphons and traps, reduced",
            (Argument::StateEquation { .. }, false) => "state equation",
            (Argument::StateEquation { .. }, true) => "state equation, reduced",
            (Argument::DeadEnd, _) => "dead end",
            (Argument::Finitely, _) => "finitely many firings",
            (Argument::Commoner(_), _) => "Commoner's condition",
            (Argument::Closed(_), _) => "Commoner's condition, closed",
            (Argument::Undone, _) => "firings undone",
            (Argument::Returning, false) => "ways back",
            (Argument::Returning, true) => "ways back, reduced",
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
            (Argument::Searched { stubborn: false, .. }, false) => "exhaustive search",
            (Argument::Searched { stubborn: false, .. }, true) => "exhaustive search, reduced",
            (Argument::Searched { stubborn: true, .. }, false) => {
                "exhaustive search with stubborn sets"
            }
            (Argument::Searched { stubborn: true, .. }, true) => {
                "exhaustive search with stubborn sets, reduced"
            }
        }
    }
}

const UNITS: &str = ", given the model's safe units (NUPN)";

/// Writes the reason of an answer for users.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.abstracted {
            f.write_str("even with colours made one, ")?;
        }
        if let Some(applications) = self.reduced {
            write!(f, "on the net after {}, ", counted(applications, "reduction"))?;
        }
        self.argument.fmt(f)
    }
}

/// One of several marked traps, as text.
struct OneOf(usize);

impl fmt::Display for OneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("the marked trap"),
            traps => write!(f, "one of {traps} marked traps"),
        }
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Bounds(rests_on) => {
                if rests_on.assumes_units() {
                    f.write_str("the model's safe units (NUPN, assumed), ")?;
                }
                if *rests_on >= Provenance::Flows {
                    f.write_str("place invariants and ")?;
                }
                f.write_str("the arcs bound the tokens too tightly for more")
            }
            Argument::Traps(traps) => {
                write!(f, "every siphon that could run empty contains {}", OneOf(*traps))
            }
            Argument::DeadEnd => f.write_str("nothing is enabled there"),
            Argument::Finitely => {
                f.write_str("a weighted sum of tokens, which no firing raises, bounds its firings")
            }
            Argument::Commoner(traps) => {
                let one = OneOf(*traps);
                write!(f, "the choices are asymmetric, and every siphon contains {one}")
            }
            Argument::Closed(traps) => write!(
                f,
                "with a transition back to the beginning the choices are asymmetric, and every siphon \
                 contains {}",
                OneOf(*traps)
            ),
            Argument::Undone => {
                f.write_str("every firing can be undone by others, wherever it happens")
            }
            Argument::Returning => {
                f.write_str("from wherever it goes, firings lead back to where that can be done")
            }
            Argument::StateEquation { traps, lower_bounds, precedences, assumes_units } => {
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
                f.write_str(&match used[..] {
                    [] => "the state equation excludes it".to_owned(),
                    [one] => format!("the state equation and {one} exclude it"),
                    [first, last] => format!("the state equation, {first} and {last} exclude it"),
                    _ => format!("the state equation, {} exclude it", used.join(" and ")),
                })?;
                f.write_str(if *assumes_units { UNITS } else { "" })
            }
            Argument::Induction { clauses, assumes_units } => {
                let clauses = counted(clauses, "clause");
                write!(f, "an inductive invariant of {clauses} excludes it")?;
                f.write_str(if *assumes_units { UNITS } else { "" })
            }
            Argument::ClosedSet { nodes } => write!(
                f,
                "no firing leaves a set of markings, described by {} of a diagram, that excludes it",
                counted(nodes, "node")
            ),
            Argument::NoRun { rankings, given, assumes_units } => {
                match (rankings, given) {
                    (0, 0) => f.write_str("no run can go on like that")?,
                    (0, _) => f.write_str("what can be reached excludes such runs")?,
                    (1, _) => f.write_str("a weighted sum of tokens falls along such runs")?,
                    (n, _) => write!(f, "{n} weighted sums of tokens fall along such runs")?,
                }
                if *given > 0 {
                    let given = counted(given, "fact");
                    write!(f, ", given {given} about what can be reached")?;
                }
                f.write_str(if *assumes_units { UNITS } else { "" })
            }
            Argument::Labelling { markings, given, assumes_units } => {
                match markings {
                    0 | 1 => f.write_str("the initial marking shows it")?,
                    n => write!(f, "it follows from what is true of {n} markings")?,
                }
                if *given > 0 {
                    let given = counted(given, "fact");
                    write!(f, ", given {given} about what can be reached")?;
                }
                f.write_str(if *assumes_units { UNITS } else { "" })
            }
            Argument::TreeSearched { markings, assumes_units } => {
                match markings {
                    1 => f.write_str("the only marking that matters was visited")?,
                    n => write!(f, "all {n} markings that matter were visited")?,
                }
                f.write_str(if *assumes_units { UNITS } else { "" })
            }
            Argument::TreeDescribed { nodes: Some(nodes) } => write!(
                f,
                "evaluated on the set of all markings, described by {} of a diagram",
                counted(nodes, "node")
            ),
            Argument::TreeDescribed { nodes: None } | Argument::RunsDescribed => {
                f.write_str("evaluated on a diagram of all markings")
            }
            Argument::RunsSearched { markings: 1 } => {
                f.write_str("the only marking along such runs was visited")
            }
            Argument::RunsSearched { markings } => {
                write!(f, "all {markings} markings along such runs were visited")
            }
            Argument::Searched { parts: 0, .. } => f.write_str("nothing is left to be visited"),
            Argument::Searched { markings: 1, stubborn: false, parts: 1 } => {
                f.write_str("the only reachable marking was visited")
            }
            Argument::Searched { markings, stubborn: false, parts: 1 } => {
                write!(f, "all {markings} reachable markings were visited")
            }
            Argument::Searched { markings, stubborn: false, parts } => write!(
                f,
                "all {markings} reachable markings of those of its {parts} parts that matter were visited"
            ),
            Argument::Searched { markings: 1, stubborn: true, .. } => {
                f.write_str("the only marking that matters was visited (stubborn sets)")
            }
            Argument::Searched { markings, stubborn: true, .. } => {
                write!(f, "all {markings} markings that matter were visited (stubborn sets)")
            }
        }
    }
}
