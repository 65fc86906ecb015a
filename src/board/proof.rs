//! Why a goal cannot be reached, or a bound cannot be exceeded: what engines hand over.

use crate::evidence::Document;
use parikh_net::Provenance;
use parikh_net::printable::counted;
use std::fmt;
use std::sync::Arc;

/// The argument behind an "unreachable" or an "at most".
#[derive(Clone, Debug)]
pub struct Proof {
    /// The argument in full, to be checked by others, about the net that the engine works on. One
    /// document may be for many goals. `None` when there is only the engine's word.
    pub document: Option<Arc<Document>>,
    /// The argument in a few words.
    pub argument: Argument,
    /// How often reductions applied a rule to make the engine's net of the one that was read;
    /// `None` when it is that one.
    pub reduced: Option<u64>,
    /// Whether that is an abstraction of a coloured net, where colours are erased.
    pub abstracted: bool,
}

/// What kind of argument it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Bounds on the tokens of each place contradict it; what they rest on.
    Bounds(Provenance),
    /// No marking can be dead: each set of places that a dead marking would leave empty contains a
    /// trap that is marked initially; this many of them.
    Traps(usize),
    /// Linear arithmetic: the state equation, traps and safe units exclude it.
    StateEquation {
        /// How many traps it uses.
        traps: usize,
        /// How many lower bounds of places or weighted sums it uses.
        lower_bounds: usize,
        /// How often it uses what has to come first.
        precedences: usize,
        /// Whether the model's own claim of unit-safety (NUPN) was used.
        assumes_units: bool,
    },
    /// Nothing is enabled any more.
    DeadEnd,
    /// Some weighted sum of tokens, which no firing raises, bounds the firings.
    Finitely,
    /// All siphons of an asymmetric choice net contain one of so many traps that are marked
    /// initially.
    Commoner(usize),
    /// The net closed by a transition from what is to be covered to the initial marking is live,
    /// for the same reason.
    Closed(usize),
    /// Every firing can be undone by others that need nothing but what it has produced.
    Undone,
    /// From everywhere firings lead back to where it can be done again.
    Returning,
    /// An inductive invariant excludes it.
    Induction {
        /// Of so many clauses.
        clauses: usize,
        /// Whether the model's own claim of unit-safety (NUPN) was used.
        assumes_units: bool,
    },
    /// A set of markings that no firing leaves, described by so many nodes of a decision diagram,
    /// has no such marking.
    ClosedSet {
        /// The nodes.
        nodes: usize,
    },
    /// No run goes on for ever in a component of the property's automaton with all its marks.
    NoRun {
        /// So many rankings show it.
        rankings: usize,
        /// It rests on so many other goals that cannot be reached.
        given: usize,
        /// Whether the model's own claim of unit-safety (NUPN) was used, here or for those.
        assumes_units: bool,
    },
    /// Markings with what is true of each, which follows from the others.
    Labelling {
        /// How many markings.
        markings: usize,
        /// It rests on so many other goals that cannot be reached.
        given: usize,
        /// Whether the model's own claim of unit-safety (NUPN) was used for those.
        assumes_units: bool,
    },
    /// All markings that matter were visited, so many, and what is true of each found.
    TreeSearched {
        /// How many markings were visited.
        markings: u64,
        /// Whether the model's own claim of unit-safety (NUPN) was used for what was known before.
        assumes_units: bool,
    },
    /// What is true of which of all markings, described by so many nodes of a decision diagram, was
    /// found from the set of them.
    TreeDescribed {
        /// The nodes; nothing where the checker was not given them.
        nodes: Option<usize>,
    },
    /// From the set of all markings it was found that no run has the property.
    RunsDescribed,
    /// All markings along which the property might still come true were visited, so many; no run
    /// among them has it.
    RunsSearched {
        /// How many markings were visited.
        markings: u64,
    },
    /// Every reachable marking was visited and none contradicts the claim.
    Searched {
        /// How many markings were visited.
        markings: u64,
        /// Whether stubborn sets left out markings that cannot matter to this goal.
        stubborn: bool,
        /// How many parts the net falls into, each of which was visited by itself; 1 for the net as
        /// a whole, 0 where nothing had to be visited.
        parts: usize,
    },
}

impl Proof {
    /// By this argument about the net that the engine works on.
    pub fn new(argument: Argument, document: Option<Arc<Document>>) -> Proof {
        Proof { document, argument, reduced: None, abstracted: false }
    }

    /// By a search that visited so many markings, and all that there are.
    pub fn searched(markings: u64, stubborn: bool) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn, parts: 1 }, None)
    }

    /// By a search that visited so many markings, all that there are of so many parts of the net;
    /// where none was asked for anything, nothing is left that could matter.
    pub fn of_parts(markings: u64, parts: usize) -> Proof {
        Proof::new(Argument::Searched { markings, stubborn: false, parts }, None)
    }

    /// The same claim about the net that so many applications of rules made the engine's net of.
    #[must_use]
    pub fn of_reduced(self, applications: u64) -> Proof {
        Proof { reduced: Some(self.reduced.unwrap_or(0) + applications), ..self }
    }

    /// The same claim about the coloured net that the net is an abstraction of.
    #[must_use]
    pub fn of_abstraction(self) -> Proof {
        Proof { abstracted: true, ..self }
    }

    /// Whether it rests on the model's own claim that its units are safe (NUPN).
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

    /// The kind in a few words.
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

/// For people, as the reason of an answer.
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

/// One of so many marked traps, in words.
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
