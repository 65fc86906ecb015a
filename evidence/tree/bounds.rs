//! Properties of runs between which a property of their tree lies ([`Ctl::linear_bounds`]).
//!
//! What is asked begins with E or A. With E, some run that has the first property shows it, and
//! where no run has the second it is false. With A it is the negation of one with E. Of EX and AX,
//! what single markings show ([`implied_by`]) is used, too.

use super::implied::implied_by;
use parikh_net::run_property::RunAtom;
use parikh_net::{Net, Predicate, RunProperty};
use parikh_temporal::{Atom, Ctl, Formula, LinearBounds, Literal, Ltl, Node, Quantifier};
use std::collections::HashMap;

/// What runs say of a part of a formula of CTL that begins with an operator of time.
#[derive(Clone, Debug)]
pub struct RunBounds {
    /// Whether the part begins with E. Otherwise its negation does, which the rest is about.
    pub exists: bool,
    /// That some run has this property shows the part (or its negation). Nothing where no run can
    /// have it.
    pub shown_by: Option<RunProperty>,
    /// That no run has one of these properties shows that the part (or its negation) is false.
    /// Those that every run has are left out.
    pub shows: Vec<RunProperty>,
}

/// What runs say of `part`; `None` where it does not begin with an operator of time.
pub fn run_bounds(
    net: &Net,
    formulas: &Ctl,
    part: Formula<Quantifier>,
    atoms: &[Predicate],
) -> Option<RunBounds> {
    let exists = match formulas.node(part) {
        Node::Next(paths, _) | Node::Until(paths, ..) | Node::Release(paths, ..) => {
            *paths == Quantifier::Exists
        }
        _ => return None,
    };
    let mut formulas = formulas.clone();
    let asked = if exists { part } else { formulas.negate(part) };
    let mut atoms = atoms.to_vec();
    let known = next_conditions(net, &mut formulas, asked, &mut atoms);
    let dead = Atom(atoms.len() as u32);
    atoms.push(Predicate::Dead);
    let mut linear = Ltl::default();
    let next = |part: Formula<Quantifier>| known.get(&part).copied();
    let LinearBounds { shown_by, shows } = formulas.linear_bounds(asked, &mut linear, dead, &next);
    let atoms: Vec<RunAtom> = atoms.into_iter().map(RunAtom::Holds).collect();
    let property = |formula| RunProperty::new(&linear, formula, &atoms);
    Some(RunBounds {
        exists,
        shown_by: (!linear.is(shown_by, false)).then(|| property(shown_by)),
        shows: shows.into_iter().filter(|&it| !linear.is(it, true)).map(property).collect(),
    })
}

/// By part of `asked` that is EX φ or AX φ, a condition that the first implies, or that implies the
/// second: each is an atom more.
fn next_conditions(
    net: &Net,
    formulas: &mut Ctl,
    asked: Formula<Quantifier>,
    atoms: &mut Vec<Predicate>,
) -> HashMap<Formula<Quantifier>, Literal> {
    let parts = formulas.below(asked);
    let mut wanted = Vec::new();
    for &part in &parts {
        if let Node::Next(paths, _) = *formulas.node(part) {
            let is_some = paths == Quantifier::Exists;
            let shown = if is_some { formulas.negate(part) } else { part };
            wanted.push((part, shown, !is_some));
        }
    }
    let mut below: Vec<_> = wanted.iter().flat_map(|&(_, it, _)| formulas.below(it)).collect();
    below.sort_unstable();
    below.dedup();
    let implied = implied_by(formulas, atoms, &below, net);
    let mut known = HashMap::new();
    for (part, shown, positive) in wanted {
        let Ok(at) = below.binary_search(&shown) else { continue };
        if implied[at] != Predicate::False {
            let atom = Atom(atoms.len() as u32);
            atoms.push(implied[at].clone());
            known.insert(part, Literal { atom, positive });
        }
    }
    known
}
