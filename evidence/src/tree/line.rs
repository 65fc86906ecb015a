//! Labellings as lines of files, with names instead of ids.
//!
//! ```json
//! {"atoms": [{"comparison": {"sum": [["p", -1]], "bound": -1}}],
//!  "formulas": ["true", {"literal": 1}, {"until": ["E", 0, 1]}, {"release": ["A", 3, 2]}],
//!  "formula": 3,
//!  "places": ["p", "q"],
//!  "markings": [{"tokens": [0, 1], "claims": [[2, 1, "t"], [3]]},
//!               {"tokens": [1, 2], "claims": [[2], [3]]}],
//!  "given": [{"enabled": "u"}], "stays": [{"enabled": "t"}]}
//! ```
//!
//! Literals are atoms by their numbers from 1, negative for a negation. Formulas refer to earlier
//! formulas by their numbers from 0. `tokens` are pairs of a place, by its index in `places`, and
//! its tokens; other places are empty. A claim says that a formula is true of the marking. It has
//! the number of the formula and a rank (0 if left out). If the claim depends on a single next
//! marking, it also has the transition to this marking. Resolving a line does not check the
//! labelling.

use super::{LabelClaim, Labelling, TreePremises};
use crate::certificate::Flaw;
use crate::certificate::markings::unpacked;
use crate::kind::{EvidenceContent, EvidenceKind};
use crate::named_formula::{NamedNode, build, signed};
use crate::predicate::NamedPredicate;
use parikh_net::{Marking, Net, PlaceId, Predicate, TreeProperty};
use parikh_temporal::{AtomId, Ctl, Formula, Node, Quantifier};
use serde::{Deserialize, Serialize};

/// A labelling with names instead of ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLabelling {
    /// The atoms of the formulas, numbered from 1 in literals.
    pub atoms: Vec<NamedPredicate>,
    /// Formulas over the atoms, subformulas first. Claims refer to a formula by its index here.
    pub formulas: Vec<NamedCtlNode>,
    /// The property, as an index into `formulas`.
    pub formula: usize,
    /// The places that hold tokens in some marking.
    pub places: Vec<String>,
    /// The markings with the claims about them.
    pub markings: Vec<NamedLabelledMarking>,
    /// Predicates that no reachable marking satisfies, by premise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<NamedPredicate>,
    /// Predicates that are reachable from every reachable marking, by premise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stays: Vec<NamedPredicate>,
}

/// A formula with the numbers of its operands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedCtlNode {
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
    /// The operand holds after the next firing, on all paths or some path.
    Next(NamedPaths, usize),
    /// On all paths or some path, the first operand holds until the second does, which happens.
    Until(NamedPaths, usize, usize),
    /// On all paths or some path, the second operand holds up to and including the first marking
    /// where the first operand holds, or always.
    Release(NamedPaths, usize, usize),
}

/// The path quantifier of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum NamedPaths {
    /// All paths.
    A,
    /// Some path.
    E,
}

/// A marking with the claims about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedLabelledMarking {
    /// The marked places with their tokens, in one flat list: index into
    /// [`NamedLabelling::places`], number of tokens, next index, and so on.
    pub tokens: Vec<u64>,
    /// The claims.
    pub claims: Vec<NamedClaim>,
}

/// A claim about a marking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum NamedClaim {
    /// The index of the formula, the rank, and the name of the transition to the only successor
    /// that the claim depends on.
    By(usize, u32, String),
    /// The index of the formula and the rank. The claim depends on all successors or on none. A
    /// written labelling uses this form only for a rank other than 0.
    Ranked(usize, u32),
    /// The index of the formula. The rank is 0, and the claim depends on all successors or on none.
    Plain((usize,)),
}

impl EvidenceContent for NamedLabelling {
    const KIND: EvidenceKind = EvidenceKind::Labelling;
}

impl NamedLabelling {
    /// Converts a labelling of markings of `net` to names.
    pub fn of(net: &Net, labelling: &Labelling) -> NamedLabelling {
        let property = &labelling.property;
        let subformulas = property.formulas().subformulas(property.formula());
        let number = |formula: &Formula<Quantifier>| {
            // Claims are about subformulas; otherwise the number refers to nothing.
            subformulas.binary_search(formula).unwrap_or(subformulas.len())
        };
        let named = |part: &Formula<Quantifier>| named_node(property, *part, &number);
        let claim = |claim: &LabelClaim| match (claim.transition, claim.rank) {
            (Some(t), rank) => {
                let t = net.transition_name(t).to_owned();
                NamedClaim::By(number(&claim.formula), rank, t)
            }
            (None, 0) => NamedClaim::Plain((number(&claim.formula),)),
            (None, rank) => NamedClaim::Ranked(number(&claim.formula), rank),
        };
        let mut marked = vec![false; net.place_count()];
        let tokens: Vec<Vec<u64>> = labelling.markings.iter().map(|it| unpacked(it)).collect();
        for tokens in &tokens {
            marked.iter_mut().zip(tokens).for_each(|(marked, &n)| *marked |= n > 0);
        }
        let places: Vec<PlaceId> = net.places().filter(|p| marked[p.index()]).collect();
        let pairs = |tokens: &Vec<u64>| {
            let numbered =
                (0..).zip(&places).map(|(place_number, p)| [place_number, tokens[p.index()]]);
            numbered.filter(|&[_, n]| n > 0).flatten().collect()
        };
        let markings =
            tokens.iter().zip(&labelling.claims).map(|(tokens, claims)| NamedLabelledMarking {
                tokens: pairs(tokens),
                claims: claims.iter().map(claim).collect(),
            });
        let names = |all: &[Predicate]| all.iter().map(|it| NamedPredicate::of(net, it)).collect();
        NamedLabelling {
            atoms: property.atoms().iter().map(|it| NamedPredicate::of(net, it)).collect(),
            formulas: subformulas.iter().map(named).collect(),
            formula: number(&property.formula()),
            markings: markings.collect(),
            places: places.iter().map(|&p| net.place_name(p).to_owned()).collect(),
            given: names(&labelling.premises.unreachable_predicates),
            stays: names(&labelling.premises.home_predicates),
        }
    }

    /// Returns the labelling in ids of `net`, without checking its claims.
    ///
    /// # Errors
    /// When a name or a predicate cannot be resolved, or a number refers to nothing or to a later
    /// formula. Also when the token list of a marking has an odd length.
    pub fn resolve(&self, net: &Net) -> Result<Labelling, String> {
        let to_message = |flaw: Flaw| flaw.to_string();
        let predicates = |all: &[NamedPredicate]| {
            let resolved = all.iter().map(|it| Ok(it.resolve(net)?.sorted()));
            resolved.collect::<Result<Vec<_>, Flaw>>().map_err(to_message)
        };
        let atoms = predicates(&self.atoms)?;
        let mut store = Ctl::default();
        let literals: Vec<_> =
            (0..atoms.len()).map(|number| store.atom(AtomId(number as u32))).collect();
        let built = build(self.formulas.iter().map(NamedCtlNode::node), &mut store, &literals)?;
        let formula = *built.get(self.formula).ok_or("there is no such formula")?;
        let property = TreeProperty::new(&store, formula, &atoms);
        // Builds the formulas again in the store of the property, where its subformulas have their
        // ids. Atoms that the property does not use get other numbers there.
        let mut store = property.formulas().clone();
        let unused_numbers = property.atoms().len()..;
        let literals: Vec<_> = atoms
            .iter()
            .zip(unused_numbers)
            .map(|(atom, unused_number)| {
                let atom_number = property.atoms().binary_search(atom).unwrap_or(unused_number);
                store.atom(AtomId(atom_number as u32))
            })
            .collect();
        let built = build(self.formulas.iter().map(NamedCtlNode::node), &mut store, &literals)?;
        let mut labelling = {
            let premises = TreePremises {
                unreachable_predicates: predicates(&self.given)?,
                home_predicates: predicates(&self.stays)?,
            };
            Labelling::new(property, premises)
        };
        let places: Vec<PlaceId> = self
            .places
            .iter()
            .map(|name| net.place_named(name).ok_or_else(|| format!("there is no place `{name}`")))
            .collect::<Result<_, _>>()?;
        for marking in &self.markings {
            let claims = marking.claims.iter().map(|claim| claim.resolve(net, &built));
            let claims = claims.collect::<Result<_, _>>()?;
            labelling.add(&marking.resolve(net, &places)?, claims);
        }
        Ok(labelling)
    }
}

/// Returns the node of a subformula, with the numbers of its operands.
fn named_node(
    property: &TreeProperty,
    part: Formula<Quantifier>,
    number: &dyn Fn(&Formula<Quantifier>) -> usize,
) -> NamedCtlNode {
    match property.formulas().node(part) {
        Node::True => NamedCtlNode::True,
        Node::False => NamedCtlNode::False,
        Node::Literal(literal) => NamedCtlNode::Literal(signed(*literal)),
        Node::And(all) => NamedCtlNode::And(all.iter().map(number).collect()),
        Node::Or(any) => NamedCtlNode::Or(any.iter().map(number).collect()),
        Node::Next(paths, inner) => NamedCtlNode::Next(NamedPaths::of(*paths), number(inner)),
        Node::Until(paths, left, right) => {
            NamedCtlNode::Until(NamedPaths::of(*paths), number(left), number(right))
        }
        Node::Release(paths, left, right) => {
            NamedCtlNode::Release(NamedPaths::of(*paths), number(left), number(right))
        }
    }
}

impl NamedCtlNode {
    fn node(&self) -> NamedNode<'_, Quantifier> {
        match self {
            NamedCtlNode::True => NamedNode::Constant(true),
            NamedCtlNode::False => NamedNode::Constant(false),
            &NamedCtlNode::Literal(literal) => NamedNode::Literal(literal),
            NamedCtlNode::And(all) => NamedNode::And(all),
            NamedCtlNode::Or(any) => NamedNode::Or(any),
            &NamedCtlNode::Next(paths, inner) => NamedNode::Next(paths.quantifier(), inner),
            &NamedCtlNode::Until(paths, left, right) => {
                NamedNode::Until(paths.quantifier(), left, right)
            }
            &NamedCtlNode::Release(paths, left, right) => {
                NamedNode::Release(paths.quantifier(), left, right)
            }
        }
    }
}

impl NamedPaths {
    fn of(paths: Quantifier) -> Self {
        match paths {
            Quantifier::All => NamedPaths::A,
            Quantifier::Exists => NamedPaths::E,
        }
    }

    fn quantifier(self) -> Quantifier {
        match self {
            NamedPaths::A => Quantifier::All,
            NamedPaths::E => Quantifier::Exists,
        }
    }
}

impl NamedLabelledMarking {
    /// Returns the marking. `places` are the places of the labelling, to which the indices refer.
    fn resolve(&self, net: &Net, places: &[PlaceId]) -> Result<Marking, String> {
        let mut tokens = vec![0; net.place_count()];
        let (pairs, unpaired) = self.tokens.as_chunks::<2>();
        if !unpaired.is_empty() {
            return Err("a place without tokens in a marking".to_owned());
        }
        for &[place, number] in pairs {
            let place =
                usize::try_from(place).ok().and_then(|place_number| places.get(place_number));
            tokens[place.ok_or("a marking names no place")?.index()] = number;
        }
        Ok(Marking::new(tokens))
    }
}

impl NamedClaim {
    /// Returns the claim in ids. `built` are the formulas of the labelling.
    fn resolve(&self, net: &Net, built: &[Formula<Quantifier>]) -> Result<LabelClaim, String> {
        let (formula, rank, transition) = match self {
            NamedClaim::By(formula, rank, transition) => (*formula, *rank, Some(transition)),
            NamedClaim::Ranked(formula, rank) => (*formula, *rank, None),
            NamedClaim::Plain((formula,)) => (*formula, 0, None),
        };
        let formula = *built.get(formula).ok_or("a claim without a formula")?;
        let named = |name: &String| {
            net.transition_named(name).ok_or_else(|| format!("there is no transition `{name}`"))
        };
        Ok(LabelClaim { formula, rank, transition: transition.map(named).transpose()? })
    }
}
