//! What is to be added up over the markings of the reduced net.
//!
//! Each of its markings stands for a product of numbers, one for each place ([`Weights`]): STATES
//! is their sum. A transition of the net before is enabled in those that meet what it takes from
//! each place, which changes some factors of the product; the sum over all transitions and all
//! markings is TRANSITIONS. No arc of the reduced net matters for it, only the equations.
//!
//! The reduced net may fall into parts that have no transition in common. Their markings combine
//! freely, so sums over the whole are products of sums over the parts.

use super::equations::{Equations, NodeId, Tokens};
use super::weights::{Demands, Function, WeightError, Weights};
use num_bigint::BigUint;
use parikh_net::{BuildError, Net, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap};

/// Sums to be made over parts of a reduced net, and what follows from them.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The parts.
    pub parts: Vec<CountedComponent>,
    /// The functions in their products.
    pub weights: Weights,
    /// What every marking counts besides.
    factor: BigUint,
    /// Transitions of the net before: how many, times a number, and for some parts the product.
    groups: Vec<(BigUint, Vec<(usize, usize)>)>,
}

/// A part of the reduced net that shares no transition with the others.
#[derive(Clone, Debug)]
pub struct CountedComponent {
    /// The net.
    pub net: Net,
    /// By place what a marking counts; 1 where nothing is said. Ascending.
    pub counts: Vec<(PlaceId, Function)>,
    /// What is to be summed over its markings. The first is what they count, without conditions.
    pub products: Vec<Product>,
}

/// A product over places: that of a part, with some of its factors changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Product {
    /// It is 0 where a place holds less. Ascending.
    pub least: Vec<(PlaceId, u64)>,
    /// The factors that are others here. Ascending.
    pub changed: Vec<(PlaceId, Function)>,
}

/// The figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// How many markings can be reached.
    pub states: BigUint,
    /// How many pairs of such a marking and a transition that is enabled in it.
    pub transitions: BigUint,
}

/// Why there is no formula.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFormula {
    /// These places of the working net went because several others tell what they hold; but how
    /// often a marking counts depends on it.
    #[error("the number of markings depends on several places at once")]
    Coupled(Vec<PlaceId>),
    /// A number is not known.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A part is no net.
    #[error(transparent)]
    Net(#[from] BuildError),
}

/// What a demand of a transition comes to at the nodes above it.
type Bounds = HashMap<NodeId, u64>;

impl Formula {
    /// For the markings of `original`, of which these equations say how they are linked to those of
    /// `reduced`, whose places are these of the working net.
    pub(super) fn of(
        original: &Net,
        mut equations: Equations,
        reduced: &Net,
        places: &[PlaceId],
    ) -> Result<Formula, NoFormula> {
        equations.substitute();
        let mut weights = Weights::new(&equations);
        let mut coupled: Vec<PlaceId> = Vec::new();
        let mut factor = BigUint::from(1u8);
        for (node, it) in equations.nodes.iter().enumerate() {
            let Tokens::Told(told) = &it.tokens else { continue };
            if told.sum.len() > 1 && weights.counts(node) {
                coupled.push(it.place);
            } else if told.sum.is_empty() && weights.counts(node) {
                factor *= weights.constant(&equations, node, Vec::new())?;
            }
        }
        let (mut parts, mut place_of) =
            (Vec::new(), vec![(0, PlaceId::new(0)); reduced.place_count()]);
        // A transition without arcs changes nothing.
        for part in reduced.parts()?.into_iter().filter(|part| !part.places.is_empty()) {
            for (here, p) in part.net.places().zip(&part.places) {
                place_of[p.index()] = (parts.len(), here);
            }
            let products = vec![Product::default()];
            parts.push(CountedComponent { net: part.net, counts: Vec::new(), products });
        }
        let mut node_at: HashMap<NodeId, (usize, PlaceId)> = HashMap::new();
        for (p, &place) in reduced.places().zip(places) {
            let node = equations.node(place);
            let (part, at) = place_of[p.index()];
            node_at.insert(node, (part, at));
            if weights.counts(node) {
                let function = weights.function(node, Vec::new());
                parts[part].counts.push((at, function));
            }
        }
        let mut formula = Formula { parts, weights, factor, groups: Vec::new() };
        let groups = formula.firings(original, &equations, &node_at, &mut coupled)?;
        if !coupled.is_empty() {
            coupled.sort_unstable();
            coupled.dedup();
            return Err(NoFormula::Coupled(coupled));
        }
        formula.groups = groups.into_iter().map(|(key, times)| (times, key)).collect();
        Ok(formula)
    }

    /// How often each set of products counts firings, one product of each part. Where places are
    /// coupled, they are added to `coupled`, and no more is found out.
    fn firings(
        &mut self,
        original: &Net,
        equations: &Equations,
        node_at: &HashMap<NodeId, (usize, PlaceId)>,
        coupled: &mut Vec<PlaceId>,
    ) -> Result<HashMap<Vec<(usize, usize)>, BigUint>, NoFormula> {
        let mut numbers = vec![HashMap::new(); self.parts.len()];
        let mut groups: HashMap<Vec<(usize, usize)>, BigUint> = HashMap::new();
        let mut is_dead = vec![false; original.transition_count()];
        equations.dead.iter().for_each(|t| is_dead[t.index()] = true);
        for t in original.transitions().filter(|t| !is_dead[t.index()]) {
            let Some(demands) = demands(original, t, equations, &self.weights, coupled) else {
                continue;
            };
            if !coupled.is_empty() {
                continue;
            }
            let mut times = self.factor.clone();
            let mut products: BTreeMap<usize, Product> = BTreeMap::new();
            for (node, (least, demands)) in demands {
                match node_at.get(&node) {
                    None => {
                        let weights = &mut self.weights;
                        times /= weights.constant(equations, node, Vec::new())?;
                        times *= weights.constant(equations, node, demands)?;
                    }
                    Some(&(part, place)) => {
                        let product = products.entry(part).or_default();
                        if least > 0 {
                            product.least.push((place, least));
                        }
                        if self.weights.counts(node) {
                            let function = self.weights.function(node, demands);
                            product.changed.push((place, function));
                        }
                    }
                }
            }
            let mut key = Vec::with_capacity(products.len());
            for (part, mut product) in products {
                product.least.sort_unstable();
                product.changed.sort_unstable();
                if product == Product::default() {
                    continue;
                }
                let known = &mut self.parts[part].products;
                let number = *numbers[part].entry(product).or_insert_with_key(|product| {
                    known.push(product.clone());
                    known.len() - 1
                });
                key.push((part, number));
            }
            *groups.entry(key).or_default() += times;
        }
        Ok(groups)
    }

    /// The figures, given for each part the sum of each of its products over its markings.
    pub fn figures(&self, sums: &[Vec<BigUint>]) -> Figures {
        let every = |(at, _): (usize, &CountedComponent)| &sums[at][0];
        let markings: BigUint = self.parts.iter().enumerate().map(every).product();
        let mut transitions = BigUint::ZERO;
        for (times, products) in &self.groups {
            let mut sum = &markings * times;
            for &(part, product) in products {
                // Every part has a marking, and every marking counts.
                sum /= &sums[part][0];
                sum *= &sums[part][product];
            }
            transitions += sum;
        }
        Figures { states: markings * &self.factor, transitions }
    }
}

impl CountedComponent {
    /// A text that is equal only for parts that are equal but for the names of their nodes.
    pub fn fingerprint(&self) -> String {
        let net = &self.net;
        let rows = net.transitions().map(|t| (net.pre(t), net.post(t)));
        let rows: Vec<_> = rows.collect();
        format!("{:?} {rows:?} {:?} {:?}", net.initial(), self.counts, self.products)
    }
}

impl Weights {
    /// How often a node counts that holds the same in every marking.
    fn constant(
        &mut self,
        equations: &Equations,
        node: NodeId,
        demands: Demands,
    ) -> Result<BigUint, WeightError> {
        let tokens = equations.constant(node).ok_or(WeightError::NotWhole)?;
        let function = self.function(node, demands);
        self.at(function, tokens)
    }
}

/// By root what `t` demands of the nodes below it, and the least that the root holds then. `None`
/// when it never fires. Roots that are told by several others, whose demands do not follow from the
/// rest, are coupled.
fn demands(
    original: &Net,
    t: TransitionId,
    equations: &Equations,
    weights: &Weights,
    coupled: &mut Vec<PlaceId>,
) -> Option<BTreeMap<NodeId, (u64, Demands)>> {
    let nodes = &equations.nodes;
    // From the leaves upwards: what is below comes later in the order of the forest.
    let mut waiting: BTreeMap<std::cmp::Reverse<usize>, NodeId> = BTreeMap::new();
    let mut bounds = Bounds::new();
    let mut below: HashMap<NodeId, Demands> = HashMap::new();
    for arc in original.pre(t) {
        let leaf = arc.place.index();
        bounds.insert(leaf, arc.weight);
        below.insert(leaf, vec![(weights.position(leaf), arc.weight)]);
        waiting.insert(std::cmp::Reverse(weights.position(leaf)), leaf);
    }
    let mut roots: BTreeMap<NodeId, (u64, Demands)> = BTreeMap::new();
    while let Some((_, node)) = waiting.pop_first() {
        let bound = bounds.get(&node).copied().unwrap_or(0);
        let demands = below.remove(&node).unwrap_or_default();
        let above = match &nodes[node].tokens {
            Tokens::PartOf(whole) => {
                let sum = bounds.entry(*whole).or_default();
                *sum = sum.saturating_add(bound);
                *whole
            }
            Tokens::Told(told) if told.sum.len() == 1 => {
                let (by, _) = told.sum[0];
                let least = told.least_teller(bound);
                let known = bounds.entry(by).or_default();
                *known = least.max(*known);
                by
            }
            _ => {
                roots.insert(node, (bound, demands));
                continue;
            }
        };
        below.entry(above).or_default().extend(demands);
        waiting.insert(std::cmp::Reverse(weights.position(above)), above);
    }
    let (mut fires, mut known) = (true, HashMap::new());
    roots.retain(|&root, (bound, _)| match &nodes[root].tokens {
        Tokens::Told(told) if told.sum.len() > 1 => {
            if least(equations, root, &bounds, DEEPEST, &mut known) < *bound {
                coupled.push(nodes[root].place);
            }
            false
        }
        Tokens::Told(_) => {
            fires &= equations.constant(root).is_some_and(|tokens| tokens >= *bound);
            // Where it counts once only, it does so then.
            weights.counts(root)
        }
        _ => true,
    });
    fires.then_some(roots)
}

/// How far it is followed who tells whom, to see that a demand follows from others.
const DEEPEST: usize = 16;

/// The least that others tell of a node where they meet their demands. `known` is what was found
/// out of others and is asked for again: as many ways may lead to them as there are paths.
fn least(
    equations: &Equations,
    node: NodeId,
    bounds: &Bounds,
    deepest: usize,
    known: &mut HashMap<(NodeId, usize), u64>,
) -> u64 {
    let Tokens::Told(told) = &equations.nodes[node].tokens else { return 0 };
    if deepest == 0 {
        return 0;
    }
    let mut sum = 0i128;
    for &(other, weight) in &told.sum {
        let at = (other, deepest - 1);
        let least = match known.get(&at) {
            Some(&least) => least,
            None => {
                let bound = bounds.get(&other).copied().unwrap_or(0);
                let least = least(equations, other, bounds, deepest - 1, known).max(bound);
                known.insert(at, least);
                least
            }
        };
        sum = sum.saturating_add(i128::from(weight).saturating_mul(least.into()));
    }
    told.at_least(sum)
}
