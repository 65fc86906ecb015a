//! Arguments that no run has a property, as they stand in files: nodes by name.
//!
//! ```json
//! {"atoms": [{"holds": {"comparison": {"sum": [["p", -1]], "bound": -1}}}, {"fires": ["t", "u"]}],
//!  "formulas": ["true", {"literal": 1}, {"until": [0, 1]}, {"literal": -2}, {"and": [2, 3]}],
//!  "formula": 4,
//!  "untils": [2], "initial": 0,
//!  "states": [{"meets": [2, 3], "edges": [{"to": 1, "reads": [1, -2], "marks": [0]}]},
//!             {"meets": [], "edges": [{"to": 1, "marks": [0]}]}],
//!  "opening": 1,
//!  "documents": [{"markings": 3}],
//!  "given": [{"and": [{"enabled": "t"}, "dead"]}],
//!  "refuted": [{"edge": [0, 0], "movers": {"firing": ["t"]}, "by": {"document": 0}},
//!              {"edge": [0, 0], "movers": "nothing", "by": {"given": 0}}],
//!  "rankings": [{"state": 0, "weights": [["p", 1]], "values": [[0, 1]]}]}
//! ```
//!
//! An argument with a cover lists its nodes, and its rankings have values of nodes. Of each place
//! that may hold tokens a node has the least and the largest number, `null` for no largest:
//! `"cover": [{"state": 0, "tokens": [["a", 1, 1], ["c", 0, null]]}]`.
//!
//! Literals are atoms by their numbers from 1, negative for a negation; formulas refer to those
//! before them, from 0. What a state `meets` are its obligations, `untils` are what the marks stand
//! for. Resolving a line says nothing of whether it is right; it takes care that all numbers are
//! those of something.

use super::cover::CoverNode;
use super::{ExcludedPairs, Movers, NoRun, Ranking, Reason};
use crate::certificate::{Document, Flaw, NamedDocument};
use crate::kind::{Kept, Kind};
use crate::named_formula::{NamedNode, build, signed};
use crate::predicate::NamedPredicate;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Fairness, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{
    Atom, Automaton, AutomatonEdge, Cube, Formula, Linear, LinearTableau, Literal, Ltl, Marks, Node,
};
use serde::{Deserialize, Serialize};

/// An argument in names, and what it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedNoRun {
    /// What atoms stand for.
    pub atoms: Vec<NamedAtom>,
    /// Formulas over these, parts first.
    pub formulas: Vec<NamedFormula>,
    /// The property.
    pub formula: usize,
    /// The until of each mark.
    pub untils: Vec<usize>,
    /// Where runs of the automaton begin.
    pub initial: usize,
    /// Its states.
    pub states: Vec<NamedState>,
    /// Transitions to which runs are weakly fair, as far as the argument uses that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakly_fair: Vec<String>,
    /// Transitions to which runs are strongly fair, as far as the argument uses that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongly_fair: Vec<String>,
    /// Steps that are gone through one by one.
    pub opening: usize,
    /// See [`NoRun`], as for all that follows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<NamedDocument>,
    /// The premises.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<NamedPredicate>,
    /// Pairs that no reachable marking allows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<NamedRefuted>,
    /// Nodes of the cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cover: Vec<NamedCoverNode>,
    /// Rankings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<NamedRanking>,
}

/// What an atom stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedAtom {
    /// This holds in the marking.
    Holds(NamedPredicate),
    /// One of these fires next.
    Fires(Vec<String>),
}

/// A formula, by its parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedFormula {
    /// Always true.
    True,
    /// Never true.
    False,
    /// An atom from 1, or its negation.
    Literal(i64),
    /// All of these.
    And(Vec<usize>),
    /// One of these.
    Or(Vec<usize>),
    /// After one step.
    Next(usize),
    /// The first until the second.
    Until(usize, usize),
    /// The first releases the second.
    Release(usize, usize),
}

/// A state of the automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedState {
    /// Its obligations.
    pub meets: Vec<usize>,
    /// Its edges.
    pub edges: Vec<NamedEdge>,
}

/// An edge of the automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedEdge {
    /// Where it leads.
    pub to: usize,
    /// The literals that it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<i64>,
    /// The marks that it carries.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u32>,
}

/// Pairs of an edge that no reachable marking allows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRefuted {
    /// Its state, and its place there.
    pub edge: (usize, usize),
    /// With which movers.
    pub movers: NamedMovers,
    /// What says so.
    pub by: Reason,
}

/// What moves, or stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedMovers {
    /// Anything.
    All,
    /// Nothing.
    Nothing,
    /// One of these.
    Firing(Vec<String>),
}

/// A node of a cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCoverNode {
    /// The state.
    pub state: usize,
    /// Places that may hold tokens, with the least and the largest number.
    pub tokens: Vec<(String, u64, Option<u64>)>,
}

/// Weights of places and values of states or nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRanking {
    /// A state or node of the component.
    pub state: usize,
    /// Weights.
    pub weights: Vec<(String, u64)>,
    /// Values.
    pub values: Vec<(usize, i64)>,
}

impl Kept for NamedNoRun {
    const KIND: Kind = Kind::NoRun;
}

impl NamedNoRun {
    /// An argument about `net` that no run has the property; `document` gives documents in names.
    pub fn of(
        net: &Net,
        property: &RunProperty,
        argument: &NoRun,
        document: &dyn Fn(&Document) -> NamedDocument,
    ) -> NamedNoRun {
        let names = |any: &[TransitionId]| -> Vec<String> {
            any.iter().map(|&t| net.transition_name(t).to_owned()).collect()
        };
        let predicate = |it: &Predicate| NamedPredicate::of(net, it);
        let atoms = property.atoms().iter().map(|atom| match atom {
            RunAtom::Holds(it) => NamedAtom::Holds(predicate(it)),
            RunAtom::Fires(any) => NamedAtom::Fires(names(any)),
        });
        let parts = Parts::of(property);
        let automaton = &argument.tableau.automaton;
        let states = automaton.states.iter().zip(&argument.tableau.obligations);
        let states = states.map(|(edges, meets)| NamedState {
            meets: parts.numbers(meets),
            edges: edges.iter().map(|edge| NamedEdge::of(edge, automaton.marks)).collect(),
        });
        let refuted = argument.refuted.iter().map(|refuted| NamedRefuted {
            edge: refuted.edge,
            movers: match &refuted.movers {
                Movers::All => NamedMovers::All,
                Movers::Nothing => NamedMovers::Nothing,
                Movers::Firing(any) => NamedMovers::Firing(names(any)),
            },
            by: refuted.by,
        });
        let rankings = argument.rankings.iter().map(|ranking| {
            let weights = ranking.weights.iter();
            NamedRanking {
                state: ranking.state,
                weights: weights.map(|&(p, y)| (net.place_name(p).to_owned(), y)).collect(),
                values: ranking.values.clone(),
            }
        });
        // Only a cover uses that runs are fair.
        let fairness = Some(property.fairness()).filter(|_| !argument.cover.is_empty());
        NamedNoRun {
            weakly_fair: fairness.map_or_else(Vec::new, |it| names(it.weak())),
            strongly_fair: fairness.map_or_else(Vec::new, |it| names(it.strong())),
            atoms: atoms.collect(),
            formulas: parts.named(property.formulas()),
            formula: parts.number(property.formula()),
            untils: parts.numbers(&argument.tableau.untils),
            initial: automaton.initial,
            states: states.collect(),
            opening: argument.opening,
            documents: argument.documents.iter().map(document).collect(),
            given: argument.given.iter().map(predicate).collect(),
            refuted: refuted.collect(),
            cover: argument.cover.iter().map(|node| NamedCoverNode::of(net, node)).collect(),
            rankings: rankings.collect(),
        }
    }

    /// The property and the argument, in ids of `net`; nothing of it is checked yet.
    ///
    /// # Errors
    /// When a name or a number is not that of anything.
    pub fn resolve(&self, net: &Net) -> Result<(RunProperty, NoRun), String> {
        let about = self.about(net)?;
        let formulas = |numbers: &[usize]| all(numbers, |&number| about.formula(number));
        let states = all(&self.states, |state| all(&state.edges, |edge| about.edge(edge)))?;
        let marks = u32::try_from(self.untils.len()).map_err(|_| "too many marks".to_owned())?;
        let tableau = LinearTableau {
            automaton: Automaton { states, initial: self.initial, marks },
            obligations: all(&self.states, |state| formulas(&state.meets))?,
            untils: formulas(&self.untils)?,
        };
        let said = |flaw: Flaw| flaw.to_string();
        let argument = NoRun {
            tableau,
            opening: self.opening,
            documents: all(&self.documents, |it| it.resolve(net)).map_err(said)?,
            given: all(&self.given, |it| Ok(it.resolve(net)?.sorted())).map_err(said)?,
            refuted: all(&self.refuted, |it| it.resolve(net)).map_err(said)?,
            cover: all(&self.cover, |it| it.resolve(net)).map_err(said)?,
            rankings: all(&self.rankings, |it| it.resolve(net)).map_err(said)?,
        };
        let fair = |names| transitions(net, names).map_err(said);
        let fairness = Fairness::new(fair(&self.weakly_fair)?, fair(&self.strongly_fair)?);
        Ok((about.property.under(fairness), argument))
    }

    /// What the line is about.
    fn about(&self, net: &Net) -> Result<About, String> {
        let atoms = self.resolved_atoms(net)?;
        let mut store = Ltl::default();
        let literals: Vec<Formula<Linear>> =
            (0..atoms.len()).map(|number| store.atom(Atom(number as u32))).collect();
        let built = build(self.formulas.iter().map(NamedFormula::node), &mut store, &literals)?;
        let formula = built.get(self.formula).ok_or("there is no such formula")?;
        let property = RunProperty::new(&store, *formula, &atoms);
        let spoken_of = |atom| property.atoms().binary_search(atom).ok();
        let spoken_of = |atom| spoken_of(atom).map(|number| Atom(number as u32));
        let spoken_of: Vec<Option<Atom>> = atoms.iter().map(spoken_of).collect();
        // The same again in the store of the property, where its parts have their numbers. Atoms
        // that it does not speak of are others there.
        let mut store = property.formulas().clone();
        let others = property.atoms().len()..;
        let literals = spoken_of.iter().zip(others).map(|(spoken_of, other)| {
            let atom = spoken_of.unwrap_or(Atom(other as u32));
            store.atom(atom)
        });
        let literals: Vec<Formula<Linear>> = literals.collect();
        let built = build(self.formulas.iter().map(NamedFormula::node), &mut store, &literals)?;
        let parts = property.formulas().below(property.formula());
        let formulas = built.into_iter().map(|it| parts.binary_search(&it).is_ok().then_some(it));
        Ok(About { formulas: formulas.collect(), spoken_of, property })
    }

    fn resolved_atoms(&self, net: &Net) -> Result<Vec<RunAtom>, String> {
        let resolve = |atom: &NamedAtom| {
            Ok(match atom {
                NamedAtom::Holds(it) => RunAtom::Holds(it.resolve(net)?.sorted()),
                NamedAtom::Fires(names) => {
                    let mut any = transitions(net, names)?;
                    any.sort_unstable();
                    any.dedup();
                    RunAtom::Fires(any)
                }
            })
        };
        all(&self.atoms, resolve).map_err(|flaw: Flaw| flaw.to_string())
    }
}

/// What a line is about: its numbers, and what they are there.
struct About {
    property: RunProperty,
    /// By atom of the line that of the property.
    spoken_of: Vec<Option<Atom>>,
    /// By formula of the line the part of the property that it is.
    formulas: Vec<Option<Formula<Linear>>>,
}

impl About {
    fn formula(&self, number: usize) -> Result<Formula<Linear>, String> {
        let formula = self.formulas.get(number).copied().flatten();
        formula.ok_or_else(|| format!("formula {number} is no part of the property"))
    }

    fn literal(&self, number: i64) -> Result<Literal, String> {
        let at = (number.unsigned_abs() as usize).checked_sub(1);
        let atom = at.and_then(|at| self.spoken_of.get(at).copied().flatten());
        let atom = atom.ok_or_else(|| format!("the property has no atom {number}"))?;
        Ok(Literal { atom, positive: number > 0 })
    }

    fn edge(&self, edge: &NamedEdge) -> Result<AutomatonEdge, String> {
        let literals = all(&edge.reads, |&number| self.literal(number))?;
        let cube = Cube::of(literals).ok_or("an edge reads an atom and its negation")?;
        let mut marks = Marks::NONE;
        for &mark in &edge.marks {
            if mark >= 64 {
                return Err("there are 64 marks at most".to_owned());
            }
            marks = marks.with(mark);
        }
        Ok(AutomatonEdge { target: edge.to, marks, cube })
    }
}

/// The parts of a property's formula, by their numbers in a line.
struct Parts(Vec<Formula<Linear>>);

impl Parts {
    fn of(property: &RunProperty) -> Parts {
        Parts(property.formulas().below(property.formula()))
    }

    /// Those of a checked tableau are parts of the formula; else the number is that of nothing.
    fn number(&self, formula: Formula<Linear>) -> usize {
        self.0.binary_search(&formula).unwrap_or(self.0.len())
    }

    fn numbers(&self, formulas: &[Formula<Linear>]) -> Vec<usize> {
        formulas.iter().map(|&formula| self.number(formula)).collect()
    }

    fn named(&self, formulas: &Ltl) -> Vec<NamedFormula> {
        let named = |&formula: &Formula<Linear>| match formulas.node(formula) {
            Node::True => NamedFormula::True,
            Node::False => NamedFormula::False,
            Node::Literal(literal) => NamedFormula::Literal(signed(*literal)),
            Node::And(all) => NamedFormula::And(self.numbers(all)),
            Node::Or(any) => NamedFormula::Or(self.numbers(any)),
            Node::Next(_, inner) => NamedFormula::Next(self.number(*inner)),
            Node::Until(_, left, right) => {
                NamedFormula::Until(self.number(*left), self.number(*right))
            }
            Node::Release(_, left, right) => {
                NamedFormula::Release(self.number(*left), self.number(*right))
            }
        };
        self.0.iter().map(named).collect()
    }
}

impl NamedFormula {
    fn node(&self) -> NamedNode<'_, Linear> {
        match self {
            NamedFormula::True => NamedNode::Constant(true),
            NamedFormula::False => NamedNode::Constant(false),
            &NamedFormula::Literal(literal) => NamedNode::Literal(literal),
            NamedFormula::And(all) => NamedNode::And(all),
            NamedFormula::Or(any) => NamedNode::Or(any),
            &NamedFormula::Next(inner) => NamedNode::Next(Linear, inner),
            &NamedFormula::Until(left, right) => NamedNode::Until(Linear, left, right),
            &NamedFormula::Release(left, right) => NamedNode::Release(Linear, left, right),
        }
    }
}

impl NamedEdge {
    fn of(edge: &AutomatonEdge, marks: u32) -> NamedEdge {
        NamedEdge {
            to: edge.target,
            reads: edge.cube.literals().iter().map(|&literal| signed(literal)).collect(),
            marks: edge.marks.numbers().filter(|&mark| mark < marks).collect(),
        }
    }
}

impl NamedRefuted {
    fn resolve(&self, net: &Net) -> Result<ExcludedPairs, Flaw> {
        let movers = match &self.movers {
            NamedMovers::All => Movers::All,
            NamedMovers::Nothing => Movers::Nothing,
            NamedMovers::Firing(names) => Movers::Firing(transitions(net, names)?),
        };
        Ok(ExcludedPairs { edge: self.edge, movers, by: self.by })
    }
}

impl NamedCoverNode {
    fn of(net: &Net, node: &CoverNode) -> NamedCoverNode {
        let interval = |place: PlaceId| (node.low[place.index()], node.high[place.index()]);
        let marked = net.places().filter(|&place| interval(place) != (0, Some(0)));
        let tokens = marked.map(|place| {
            let (low, high) = interval(place);
            (net.place_name(place).to_owned(), low, high)
        });
        NamedCoverNode { state: node.state, tokens: tokens.collect() }
    }

    fn resolve(&self, net: &Net) -> Result<CoverNode, Flaw> {
        let mut low = vec![0; net.place_count()];
        let mut high = vec![Some(0); net.place_count()];
        for (name, least, most) in &self.tokens {
            let place = net.place_named(name);
            let place = place.ok_or_else(|| Flaw::NoSuchName("place", name.clone()))?;
            (low[place.index()], high[place.index()]) = (*least, *most);
        }
        Ok(CoverNode { state: self.state, low, high })
    }
}

impl NamedRanking {
    fn resolve(&self, net: &Net) -> Result<Ranking, Flaw> {
        let weight = |(name, weight): &(String, u64)| match net.place_named(name) {
            Some(place) => Ok((place, *weight)),
            None => Err(Flaw::NoSuchName("place", name.clone())),
        };
        let weights = all(&self.weights, weight)?;
        Ok(Ranking { state: self.state, weights, values: self.values.clone() })
    }
}

fn transitions(net: &Net, names: &[String]) -> Result<Vec<TransitionId>, Flaw> {
    all(names, |name| {
        let t = net.transition_named(name);
        t.ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
    })
}

/// All of them, or the first error.
fn all<A, B, E>(list: &[A], resolve: impl Fn(&A) -> Result<B, E>) -> Result<Vec<B>, E> {
    list.iter().map(resolve).collect()
}
