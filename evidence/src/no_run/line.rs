//! Proofs that no run of a net has a property, as lines of files with names instead of ids.
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
//! For an argument with a cover, the line lists its nodes, and rankings have values of nodes. A
//! node gives the lower and the upper bound of each place that may hold tokens, with `null` for no
//! upper bound: `"cover": [{"state": 0, "tokens": [["a", 1, 1], ["c", 0, null]]}]`. With
//! `"dead": true`, the node consists of the dead markings within these bounds.
//!
//! Literals are atoms by their numbers from 1, negative for a negation. Formulas refer to earlier
//! formulas by their numbers from 0. `meets` lists the obligations of a state, and `untils` the
//! until formula of each mark. Resolving a line checks names and the numbers of formulas and
//! literals. The check of the proof ([`NoRun::check`]) does everything else.

use super::cover::CoverNode;
use super::{ExcludedPairs, Movers, NoRun, RankingFunction, Reason};
use crate::certificate::{Document, Flaw, NamedDocument};
use crate::kind::{EvidenceContent, EvidenceKind};
use crate::named_formula::{NamedNode, build, signed};
use crate::predicate::NamedPredicate;
use parikh_net::run_property::{RunAtom, RunProperty};
use parikh_net::{Fairness, Net, PlaceId, Predicate, TransitionId};
use parikh_temporal::{
    AtomId, Automaton, AutomatonEdge, Cube, Formula, Linear, LinearTableau, Literal, Ltl, Marks,
    Node,
};
use serde::{Deserialize, Serialize};

/// A proof that no run has a property, and this property, with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedNoRun {
    /// The atoms of the formulas, numbered from 1 in literals.
    pub atoms: Vec<NamedAtom>,
    /// Formulas over the atoms, subformulas first.
    pub formulas: Vec<NamedFormula>,
    /// The property, as an index into `formulas`.
    pub formula: usize,
    /// One entry per acceptance mark of the automaton: the index in `formulas` of the until formula
    /// that the mark belongs to. An edge without the mark postpones this until formula.
    pub untils: Vec<usize>,
    /// The initial state of the automaton.
    pub initial: usize,
    /// The states of the automaton.
    pub states: Vec<NamedState>,
    /// Transitions for which the argument's property assumes weak fairness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub weakly_fair: Vec<String>,
    /// Transitions for which the argument's property assumes strong fairness.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strongly_fair: Vec<String>,
    /// The number of steps at the beginning of each run that the checker explores explicitly. A
    /// step is a firing, or stuttering in a dead marking.
    pub opening: usize,
    /// Documents that prove exclusions of `refuted`: no reachable marking satisfies an edge's
    /// literals and enables the transition (or for stuttering, is dead). This field and the
    /// following ones correspond to fields of [`NoRun`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<NamedDocument>,
    /// Predicates that no reachable marking satisfies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<NamedPredicate>,
    /// Pairs of an automaton edge and a mover that no reachable marking allows. A mover is a
    /// transition, or stuttering in a dead marking.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refuted: Vec<NamedRefuted>,
    /// Nodes of a cover, in the order of their indices. The list is empty for a proof without a
    /// cover.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cover: Vec<NamedCoverNode>,
    /// The rankings, in the order of their application.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<NamedRanking>,
}

/// The meaning of an atom.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedAtom {
    /// The predicate holds in the marking.
    Holds(NamedPredicate),
    /// One of the listed transitions fires next.
    Fires(Vec<String>),
}

/// A formula with the numbers of its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedFormula {
    /// The constant true.
    True,
    /// The constant false.
    False,
    /// An atom, numbered from 1, or its negation as a negative number.
    Literal(i64),
    /// A conjunction.
    And(Vec<usize>),
    /// A disjunction.
    Or(Vec<usize>),
    /// The operand holds at the next position.
    Next(usize),
    /// The second operand holds at some position, and the first operand at all positions before it.
    Until(usize, usize),
    /// The second operand holds up to and including the first position where the first operand
    /// holds, or forever.
    Release(usize, usize),
}

/// A state of the automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedState {
    /// The obligations of the state, as indices in `formulas`. The state must accept every word
    /// that satisfies all these formulas.
    pub meets: Vec<usize>,
    /// The outgoing edges of the state, in the order of their indices.
    pub edges: Vec<NamedEdge>,
}

/// An edge of the automaton.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedEdge {
    /// The target state.
    pub to: usize,
    /// The literals that the edge requires: atoms numbered from 1, negative for a negation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<i64>,
    /// The numbers of the acceptance marks of the edge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<u32>,
}

/// Pairs of one automaton edge with movers that no reachable marking allows. A mover is a
/// transition, or stuttering in a dead marking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRefuted {
    /// The source state of the edge, and the index of the edge among the edges of this state.
    pub edge: (usize, usize),
    /// The movers whose pairs with this edge are excluded.
    pub movers: NamedMovers,
    /// The document or premise that excludes the pairs.
    pub by: Reason,
}

/// Movers, that is, transitions that may fire at a position of a run, or the stuttering of a dead
/// marking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedMovers {
    /// Every transition of the net, and stuttering in a dead marking.
    All,
    /// Only stuttering, that is, the repetition of a dead marking.
    Nothing,
    /// The listed transitions.
    Firing(Vec<String>),
}

/// A node of a cover.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedCoverNode {
    /// The state of the automaton.
    pub state: usize,
    /// Places that may hold tokens: the name, the least number of tokens, and the largest (`None`
    /// without an upper bound). Places that are not listed hold no tokens.
    pub tokens: Vec<(String, u64, Option<u64>)>,
    /// True if only the dead markings within these bounds belong to the node.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dead: bool,
}

/// A ranking: weights of places, and values of automaton states or of nodes of the cover. See
/// [`RankingFunction`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedRanking {
    /// A state of the component to which the ranking applies, or a node of it if there is a cover.
    pub state: usize,
    /// Names and weights of places; the weight of other places is 0.
    pub weights: Vec<(String, u64)>,
    /// Pairs of a state's number and its value, or with a cover, of a node's number and its value.
    /// Other values are 0.
    pub values: Vec<(usize, i64)>,
}

impl EvidenceContent for NamedNoRun {
    const KIND: EvidenceKind = EvidenceKind::NoRun;
}

impl NamedNoRun {
    /// Converts a proof that no run of `net` has the property to names. `document` converts a
    /// document to names.
    pub fn of(
        net: &Net,
        property: &RunProperty,
        argument: &NoRun,
        document: &dyn Fn(&Document) -> NamedDocument,
    ) -> NamedNoRun {
        let names = |ids: &[TransitionId]| -> Vec<String> {
            ids.iter().map(|&t| net.transition_name(t).to_owned()).collect()
        };
        let predicate = |it: &Predicate| NamedPredicate::of(net, it);
        let atoms = property.atoms().iter().map(|atom| match atom {
            RunAtom::Holds(it) => NamedAtom::Holds(predicate(it)),
            RunAtom::Fires(ids) => NamedAtom::Fires(names(ids)),
        });
        let subformulas = NumberedSubformulas::of(property);
        let automaton = &argument.tableau.automaton;
        let states = automaton.states.iter().zip(&argument.tableau.obligations);
        let states = states.map(|(edges, meets)| NamedState {
            meets: subformulas.numbers(meets),
            edges: edges.iter().map(|edge| NamedEdge::of(edge, automaton.marks)).collect(),
        });
        let refuted = argument.refuted.iter().map(|refuted| NamedRefuted {
            edge: refuted.edge,
            movers: match &refuted.movers {
                Movers::All => NamedMovers::All,
                Movers::Nothing => NamedMovers::Nothing,
                Movers::Firing(ids) => NamedMovers::Firing(names(ids)),
            },
            by: refuted.reason,
        });
        let rankings = argument.rankings.iter().map(|ranking| {
            let weights = ranking.weights.iter();
            NamedRanking {
                state: ranking.state,
                weights: weights.map(|&(p, y)| (net.place_name(p).to_owned(), y)).collect(),
                values: ranking.values.clone(),
            }
        });
        // Only an argument with a cover uses fairness.
        let fairness = Some(property.fairness()).filter(|_| !argument.cover.is_empty());
        NamedNoRun {
            weakly_fair: fairness.map_or_else(Vec::new, |it| names(it.weak())),
            strongly_fair: fairness.map_or_else(Vec::new, |it| names(it.strong())),
            atoms: atoms.collect(),
            formulas: subformulas.named(property.formulas()),
            formula: subformulas.number(property.formula()),
            untils: subformulas.numbers(&argument.tableau.untils),
            initial: automaton.initial,
            states: states.collect(),
            opening: argument.opening_steps,
            documents: argument.documents.iter().map(document).collect(),
            given: argument.premises.iter().map(predicate).collect(),
            refuted: refuted.collect(),
            cover: argument.cover.iter().map(|node| NamedCoverNode::of(net, node)).collect(),
            rankings: rankings.collect(),
        }
    }

    /// Converts the line to ids of `net`. Returns the property and the proof, without checking the
    /// proof.
    ///
    /// # Errors
    /// When a name is not known, or a number refers to no atom, subformula or earlier formula. Also
    /// when an edge reads an atom and its negation, a comparison is too large, or there are too
    /// many marks. Also when a document cannot be resolved.
    pub fn resolve(&self, net: &Net) -> Result<(RunProperty, NoRun), String> {
        let resolved_line = self.resolve_property(net)?;
        let formulas =
            |numbers: &[usize]| resolve_each(numbers, |&number| resolved_line.formula(number));
        let states = resolve_each(&self.states, |state| {
            resolve_each(&state.edges, |edge| resolved_line.edge(edge))
        })?;
        let marks = u32::try_from(self.untils.len()).map_err(|_| "too many marks".to_owned())?;
        let tableau = LinearTableau {
            automaton: Automaton { states, initial: self.initial, marks },
            obligations: resolve_each(&self.states, |state| formulas(&state.meets))?,
            untils: formulas(&self.untils)?,
        };
        let to_message = |flaw: Flaw| flaw.to_string();
        let argument = NoRun {
            tableau,
            opening_steps: self.opening,
            documents: resolve_each(&self.documents, |it| it.resolve(net)).map_err(to_message)?,
            premises: resolve_each(&self.given, |it| Ok(it.resolve(net)?.sorted()))
                .map_err(to_message)?,
            refuted: resolve_each(&self.refuted, |it| it.resolve(net)).map_err(to_message)?,
            cover: resolve_each(&self.cover, |it| it.resolve(net)).map_err(to_message)?,
            rankings: resolve_each(&self.rankings, |it| it.resolve(net)).map_err(to_message)?,
        };
        let fair_transitions = |names| transitions(net, names).map_err(to_message);
        let fairness = Fairness::new(
            fair_transitions(&self.weakly_fair)?,
            fair_transitions(&self.strongly_fair)?,
        );
        Ok((resolved_line.property.with_fairness(fairness), argument))
    }

    /// Resolves the atoms and formulas of the line, and builds the property.
    fn resolve_property(&self, net: &Net) -> Result<ResolvedLine, String> {
        let atoms = self.resolved_atoms(net)?;
        let mut store = Ltl::default();
        let literals: Vec<Formula<Linear>> =
            (0..atoms.len()).map(|number| store.atom(AtomId(number as u32))).collect();
        let line_formulas =
            build(self.formulas.iter().map(NamedFormula::node), &mut store, &literals)?;
        let formula = line_formulas.get(self.formula).ok_or("there is no such formula")?;
        let property = RunProperty::new(&store, *formula, &atoms);
        let spoken_of = |atom| property.atoms().binary_search(atom).ok();
        let spoken_of = |atom| spoken_of(atom).map(|number| AtomId(number as u32));
        let property_atoms: Vec<Option<AtomId>> = atoms.iter().map(spoken_of).collect();
        // Builds the formulas again in the store of the property, where the subformulas of the
        // property have their ids. Atoms that the property does not use get other numbers in this
        // store.
        let mut store = property.formulas().clone();
        let unused_numbers = property.atoms().len()..;
        let literals =
            property_atoms.iter().zip(unused_numbers).map(|(spoken_of, unused_number)| {
                let atom = spoken_of.unwrap_or(AtomId(unused_number as u32));
                store.atom(atom)
            });
        let literals: Vec<Formula<Linear>> = literals.collect();
        let built = build(self.formulas.iter().map(NamedFormula::node), &mut store, &literals)?;
        let subformulas = property.formulas().subformulas(property.formula());
        let formulas =
            built.into_iter().map(|it| subformulas.binary_search(&it).is_ok().then_some(it));
        Ok(ResolvedLine { formulas: formulas.collect(), property_atoms, property })
    }

    /// Resolves the atoms of this evidence-file line, in their order.
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
        resolve_each(&self.atoms, resolve).map_err(|flaw: Flaw| flaw.to_string())
    }
}

/// The property that a line is about, with its atoms and subformulas by the line's numbers.
struct ResolvedLine {
    property: RunProperty,
    /// One entry per atom of the line: the atom of the property, or `None` if the property does not
    /// use it.
    property_atoms: Vec<Option<AtomId>>,
    /// One entry per formula of the line: the subformula of the property, or `None` if it is not
    /// one.
    formulas: Vec<Option<Formula<Linear>>>,
}

impl ResolvedLine {
    /// Returns the formula with this number in the line, as a subformula of the property.
    fn formula(&self, number: usize) -> Result<Formula<Linear>, String> {
        let formula = self.formulas.get(number).copied().flatten();
        formula.ok_or_else(|| format!("formula {number} is not a subformula of the property"))
    }

    /// Converts a literal of the line, that is, an atom numbered from 1 or its negation as a
    /// negative number.
    fn literal(&self, number: i64) -> Result<Literal, String> {
        let index = (number.unsigned_abs() as usize).checked_sub(1);
        let atom = index.and_then(|index| self.property_atoms.get(index).copied().flatten());
        let atom = atom.ok_or_else(|| format!("the property has no atom {number}"))?;
        Ok(Literal { atom, positive: number > 0 })
    }

    /// Converts an edge of the line. The checker tests later whether its target exists.
    fn edge(&self, edge: &NamedEdge) -> Result<AutomatonEdge, String> {
        let literals = resolve_each(&edge.reads, |&number| self.literal(number))?;
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

/// The subformulas of a property, sorted by id. The number of a subformula in a line is its index
/// here.
struct NumberedSubformulas(Vec<Formula<Linear>>);

impl NumberedSubformulas {
    fn of(property: &RunProperty) -> NumberedSubformulas {
        NumberedSubformulas(property.formulas().subformulas(property.formula()))
    }

    /// Returns the number of a subformula. Formulas of a checked tableau are subformulas. For
    /// another formula, returns the number of subformulas, which is no valid number.
    fn number(&self, formula: Formula<Linear>) -> usize {
        self.0.binary_search(&formula).unwrap_or(self.0.len())
    }

    fn numbers(&self, formulas: &[Formula<Linear>]) -> Vec<usize> {
        formulas.iter().map(|&formula| self.number(formula)).collect()
    }

    /// Returns the subformulas with the numbers of their operands, in the order of their numbers.
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
        Ok(ExcludedPairs { edge: self.edge, movers, reason: self.by })
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
        NamedCoverNode { state: node.state, tokens: tokens.collect(), dead: node.is_dead }
    }

    fn resolve(&self, net: &Net) -> Result<CoverNode, Flaw> {
        let mut low = vec![0; net.place_count()];
        let mut high = vec![Some(0); net.place_count()];
        for (name, min, max) in &self.tokens {
            let place = net.place_named(name);
            let place = place.ok_or_else(|| Flaw::NoSuchName("place", name.clone()))?;
            (low[place.index()], high[place.index()]) = (*min, *max);
        }
        Ok(CoverNode { state: self.state, low, high, is_dead: self.dead })
    }
}

impl NamedRanking {
    fn resolve(&self, net: &Net) -> Result<RankingFunction, Flaw> {
        let weight = |(name, weight): &(String, u64)| match net.place_named(name) {
            Some(place) => Ok((place, *weight)),
            None => Err(Flaw::NoSuchName("place", name.clone())),
        };
        let weights = resolve_each(&self.weights, weight)?;
        Ok(RankingFunction { state: self.state, weights, values: self.values.clone() })
    }
}

/// Returns the transitions with these names, or an error for an unknown name.
fn transitions(net: &Net, names: &[String]) -> Result<Vec<TransitionId>, Flaw> {
    resolve_each(names, |name| {
        let t = net.transition_named(name);
        t.ok_or_else(|| Flaw::NoSuchName("transition", name.clone()))
    })
}

/// Resolves each element. Returns the first error, if any.
fn resolve_each<A, B, E>(list: &[A], resolve: impl Fn(&A) -> Result<B, E>) -> Result<Vec<B>, E> {
    list.iter().map(resolve).collect()
}
