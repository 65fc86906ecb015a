//! Predicates on markings as terms, for any marking.
//!
//! Predicates are in negation normal form over comparisons of integers. Over the reals there are
//! therefore no strict inequalities: m(p) > 1 becomes m(p) ≥ 2, which excludes fractions between 1
//! and 2.
//!
//! "Nothing is enabled" requires of each transition that some input place lacks tokens. A
//! transition whose preset contains the preset of another is disabled with it, so only *minimal*
//! presets count. On contest nets these are often a tenth of the transitions.

use parikh_net::{Atom, Net, PlaceId, Predicate, TransitionId};
use parikh_solvers::linear_expression::LinearExpression;
use parikh_solvers::term::{Term, Terms, Variable};

/// The tokens of a place in some marking: an optional variable plus a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenTerm {
    /// The unknown part of the number. `None` for a known number.
    pub variable: Option<Variable>,
    /// The constant to add.
    pub offset: i64,
}

impl TokenTerm {
    /// Returns a known number of tokens.
    pub fn constant(tokens: i64) -> Self {
        TokenTerm { variable: None, offset: tokens }
    }
}

impl From<Variable> for TokenTerm {
    fn from(variable: Variable) -> Self {
        TokenTerm { variable: Some(variable), offset: 0 }
    }
}

/// Returns the term that is true exactly if `predicate` holds in a marking. `tokens_at` gives the
/// tokens of each place in that marking. The numbers of tokens must be below 2⁶³.
pub fn predicate_term(
    terms: &mut Terms,
    net: &Net,
    predicate: &Predicate,
    tokens_at: &dyn Fn(PlaceId) -> TokenTerm,
) -> Term {
    match predicate {
        Predicate::True => terms.truth(true),
        Predicate::False => terms.truth(false),
        Predicate::Atom(atom) => comparison(terms, atom, tokens_at),
        Predicate::Enabled(t) => enabled(terms, net, *t, tokens_at),
        Predicate::Disabled(t) => disabled(terms, net, *t, tokens_at),
        Predicate::Dead => {
            let minimal = minimal_presets(net);
            let terms_of_all: Vec<Term> =
                minimal.iter().map(|&t| disabled(terms, net, t, tokens_at)).collect();
            terms.and(terms_of_all)
        }
        Predicate::NotDead => {
            let minimal = minimal_presets(net);
            let terms_of_any: Vec<Term> =
                minimal.iter().map(|&t| enabled(terms, net, t, tokens_at)).collect();
            terms.or(terms_of_any)
        }
        Predicate::And(operands) => {
            let terms_of_all: Vec<Term> = operands
                .iter()
                .map(|operand| predicate_term(terms, net, operand, tokens_at))
                .collect();
            terms.and(terms_of_all)
        }
        Predicate::Or(operands) => {
            let terms_of_any: Vec<Term> = operands
                .iter()
                .map(|operand| predicate_term(terms, net, operand, tokens_at))
                .collect();
            terms.or(terms_of_any)
        }
    }
}

/// Returns the term that a comparison holds in the marking given by `tokens_at`.
fn comparison(terms: &mut Terms, atom: &Atom, tokens_at: &dyn Fn(PlaceId) -> TokenTerm) -> Term {
    let mut sum = LinearExpression::new();
    for &(place, a) in atom.sum.terms() {
        let tokens = tokens_at(place);
        if let Some(variable) = tokens.variable {
            sum.add(a, variable);
        }
        sum.add_product(a, tokens.offset);
    }
    terms.at_most(sum, atom.bound)
}

/// Returns the term that every input place of `t` holds enough tokens.
pub fn enabled(
    terms: &mut Terms,
    net: &Net,
    t: TransitionId,
    tokens_at: &dyn Fn(PlaceId) -> TokenTerm,
) -> Term {
    let arcs = net.pre(t).iter();
    let conditions: Vec<Term> =
        arcs.map(|arc| at_least(terms, tokens_at(arc.place), arc.weight)).collect();
    terms.and(conditions)
}

/// Returns the term that some input place of `t` has too few tokens.
fn disabled(
    terms: &mut Terms,
    net: &Net,
    t: TransitionId,
    tokens_at: &dyn Fn(PlaceId) -> TokenTerm,
) -> Term {
    let mut shortages = Vec::with_capacity(net.pre(t).len());
    for arc in net.pre(t) {
        let tokens = tokens_at(arc.place);
        let sum = to_expression(tokens);
        shortages.push(terms.at_most(sum, arc.weight - 1));
    }
    terms.or(shortages)
}

/// Returns the term tokens ≥ count.
pub fn at_least(terms: &mut Terms, tokens: TokenTerm, count: u64) -> Term {
    terms.at_least(to_expression(tokens), count)
}

/// Returns the number of tokens as an expression.
fn to_expression(tokens: TokenTerm) -> LinearExpression {
    let sum = tokens.variable.map(LinearExpression::variable).unwrap_or_default();
    sum.plus_constant(tokens.offset)
}

/// Returns the transitions with minimal presets, ascending. A preset is minimal if no other preset
/// is smaller. A smaller preset takes at most as many tokens from every place, and fewer tokens
/// from some place. If several transitions have the same minimal preset, one of them is returned.
pub fn minimal_presets(net: &Net) -> Vec<TransitionId> {
    let mut by_size: Vec<TransitionId> = net.transitions().collect();
    let weight = |t| net.pre(t).iter().map(|arc| u128::from(arc.weight)).sum::<u128>();
    by_size.sort_by_key(|&t| (net.pre(t).len(), weight(t), t));
    // The transitions with minimal presets, by the first place of the preset. If the preset of t
    // contains such a preset, the first place of that preset is an input place of t.
    let mut kept_by_first_place: Vec<Vec<TransitionId>> = vec![Vec::new(); net.place_count()];
    let mut minimal = Vec::new();
    for t in by_size {
        // A transition without input places comes first in the order. Every other preset contains
        // its empty preset.
        let Some(first) = net.pre(t).first() else { return vec![t] };
        let is_subset = |&candidate: &TransitionId| {
            net.pre(candidate).iter().all(|a| a.weight <= net.pre_weight(t, a.place))
        };
        let is_covered = net
            .pre(t)
            .iter()
            .any(|arc| kept_by_first_place[arc.place.index()].iter().any(is_subset));
        if !is_covered {
            kept_by_first_place[first.place.index()].push(t);
            minimal.push(t);
        }
    }
    minimal.sort_unstable();
    minimal
}

/// Returns conjunctions of comparisons whose disjunction is equivalent to `predicate`. A linear
/// program can decide each conjunction. Returns `None` if an intermediate result has more than
/// `limit` conjunctions. The intermediate results are those of the predicates inside `predicate`,
/// and of the first operands of an `And` or `Or`. A single comparison is within every limit.
pub fn cubes(net: &Net, predicate: &Predicate, limit: usize) -> Option<Vec<Vec<Atom>>> {
    match predicate {
        Predicate::True => Some(vec![Vec::new()]),
        Predicate::False => Some(Vec::new()),
        Predicate::Atom(atom) => Some(vec![vec![atom.clone()]]),
        Predicate::Dead | Predicate::NotDead => {
            let minimal = minimal_presets(net).into_iter();
            let operands: Predicate = match predicate {
                Predicate::Dead => Predicate::and(minimal.map(Predicate::Disabled)),
                _ => Predicate::or(minimal.map(Predicate::Enabled)),
            };
            cubes(net, &operands, limit)
        }
        Predicate::Enabled(_) | Predicate::Disabled(_) => {
            cubes(net, &predicate.to_atoms(net), limit)
        }
        Predicate::Or(operands) => {
            let mut result = Vec::new();
            for operand in operands {
                result.extend(cubes(net, operand, limit)?);
                if result.len() > limit {
                    return None;
                }
            }
            Some(result)
        }
        Predicate::And(operands) => {
            let mut result: Vec<Vec<Atom>> = vec![Vec::new()];
            for operand in operands {
                let operand_cubes = cubes(net, operand, limit)?;
                if result.len().checked_mul(operand_cubes.len())? > limit {
                    return None;
                }
                let join = |cube: &Vec<Atom>| {
                    let cube = cube.clone();
                    operand_cubes
                        .iter()
                        .map(move |operand_cube| [&cube[..], operand_cube].concat())
                        .collect::<Vec<_>>()
                };
                result = result.iter().flat_map(join).collect();
            }
            Some(result)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Marking, text};

    fn net() -> Net {
        text::parse(
            "place p 1
             place q 2
             transition small: p -> q
             transition twin: p -> p
             transition large: 2*p + q -> q
             transition other: 3*q -> p",
        )
        .unwrap()
    }

    #[test]
    fn only_minimal_presets_are_asked() {
        let net = net();
        let names: Vec<&str> =
            minimal_presets(&net).into_iter().map(|t| net.transition_name(t)).collect();
        assert_eq!(names, ["small", "other"]);
        let source = text::parse("place p\ntransition s: -> p\ntransition t: p ->").unwrap();
        assert_eq!(minimal_presets(&source), [source.transition_named("s").unwrap()]);
    }

    #[test]
    fn predicates_are_equivalent_to_their_cubes() {
        let net = net();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let large = net.transition_named("large").unwrap();
        let both = Predicate::and([Predicate::at_least(p, 1), Predicate::Disabled(large)]);
        let mixed = Predicate::or([both, Predicate::NotDead.negated()]);
        for predicate in [Predicate::Dead, Predicate::NotDead, mixed] {
            let cubes = cubes(&net, &predicate, 100).unwrap();
            for tokens in [[0, 0], [0, 2], [0, 3], [1, 0], [1, 2], [2, 0], [2, 1], [3, 5]] {
                let marking = Marking::new(tokens.to_vec());
                let truth = predicate.holds(&net, &marking);
                let mut terms = Terms::new();
                let at = |place: PlaceId| TokenTerm::constant(marking[place] as i64);
                assert_eq!(predicate_term(&mut terms, &net, &predicate, &at), terms.truth(truth));
                let cube = |cube: &Vec<Atom>| cube.iter().all(|atom| atom.holds(&marking));
                assert_eq!(cubes.iter().any(cube), truth);
            }
        }
        let wide = Predicate::and((0..9).map(|k| {
            Predicate::or([Predicate::at_least(p, k + 1), Predicate::at_least(q, k + 1)])
        }));
        assert_eq!(super::cubes(&net, &wide, 100), None);
    }
}
