//! Tests of a labelling made by hand, and of the rejection of wrong labellings.

use super::visit::visit_tree;
use super::*;
use crate::certificate::Flaw;
use parikh_net::{Marking, Net, Predicate, TreeProperty, text};
use parikh_temporal::{AtomId, Ctl, Formula, Quantifier};

/// Returns a net of a process that asks and is answered, or leaves forever.
fn net() -> Net {
    text::parse(
        "place idle 1\nplace asking\nplace gone\ntransition ask: idle -> asking\n\
         transition answer: asking -> idle\ntransition go: idle -> gone",
    )
    .unwrap()
}

/// Builds a property over two atoms: atom 0 holds if the process is asking, atom 1 if it has left.
fn property(
    net: &Net,
    make: impl Fn(&mut Ctl, [Formula<Quantifier>; 2]) -> Formula<Quantifier>,
) -> TreeProperty {
    let at_least = |name| Predicate::at_least(net.place_named(name).unwrap(), 1);
    let mut formulas = Ctl::default();
    let atoms = [0, 1].map(|number| formulas.atom(AtomId(number)));
    let formula = make(&mut formulas, atoms);
    TreeProperty::new(&formulas, formula, &[at_least("asking"), at_least("gone")])
}

/// Returns the marking with one token, on the place with this name.
fn marking(net: &Net, name: &str) -> Marking {
    let marked = net.place_named(name).unwrap();
    Marking::new(net.places().map(|p| u64::from(p == marked)).collect())
}

/// Returns a labelling for EF gone. The claim at the initial marking has the rank `rank` and
/// depends on the transition `by`.
fn ef_gone_labelling(net: &Net, rank: u32, by: Option<&str>) -> Labelling {
    let property =
        property(net, |formulas, [_, gone]| formulas.eventually(Quantifier::Exists, gone));
    let formula = property.formula();
    let mut labelling = Labelling::new(property, TreePremises::default());
    let by = by.map(|name| net.transition_named(name).unwrap());
    labelling.add(&marking(net, "idle"), vec![LabelClaim { formula, rank, transition: by }]);
    labelling.add(&marking(net, "gone"), vec![LabelClaim { formula, rank: 0, transition: None }]);
    labelling
}

#[test]
fn an_until_leads_to_smaller_ranks() {
    let net = net();
    let check = |labelling: Labelling| labelling.check(&net, &mut || true);
    assert_eq!(check(ef_gone_labelling(&net, 1, Some("go"))), Ok(()));
    let first = Err(LabellingFlaw::Claim { marking: 0, claim: 0 });
    assert_eq!(check(ef_gone_labelling(&net, 0, Some("go"))), first, "no smaller rank");
    assert_eq!(check(ef_gone_labelling(&net, 1, None)), first, "no firing");
    assert_eq!(check(ef_gone_labelling(&net, 1, Some("ask"))), first, "its end is not listed");
    assert_eq!(check(ef_gone_labelling(&net, 1, Some("answer"))), first, "not enabled");
    // A cycle does not lead to the goal.
    let mut round = ef_gone_labelling(&net, 1, Some("ask"));
    let formula = round.property.formula();
    let by = net.transition_named("answer");
    round.add(&marking(&net, "asking"), vec![LabelClaim { formula, rank: 0, transition: by }]);
    assert_eq!(check(round), Err(LabellingFlaw::Claim { marking: 2, claim: 0 }));
    assert_eq!(
        ef_gone_labelling(&net, 1, Some("go")).check(&net, &mut || false),
        Err(Flaw::Stopped.into())
    );
}

#[test]
fn a_release_goes_on_or_ends() {
    let net = net();
    // Some firing sequence is infinite.
    let stays = property(&net, |formulas, [_, gone]| {
        let there = formulas.negate(gone);
        formulas.always(Quantifier::Exists, there)
    });
    let formula = stays.formula();
    let claim = |by| LabelClaim { formula, rank: 0, transition: net.transition_named(by) };
    let mut left = Labelling::new(stays.clone(), TreePremises::default());
    left.add(&marking(&net, "idle"), vec![claim("go")]);
    assert!(left.check(&net, &mut || true).is_err(), "what follows is not listed");
    let mut labelling = Labelling::new(stays.clone(), TreePremises::default());
    labelling.add(&marking(&net, "idle"), vec![claim("ask")]);
    assert_eq!(silent(&net, &stays), [net.transition_named("answer").unwrap()]);
    let stands_for =
        "the formula does not see the answer, so what is before it is what is after it";
    assert_eq!(labelling.check(&net, &mut || true), Ok(()), "{stands_for}");
    let seen = property(&net, |formulas, [asking, gone]| {
        let neither = formulas.or([asking, gone]);
        let neither = formulas.negate(neither);
        formulas.eventually(Quantifier::Exists, neither)
    });
    assert!(silent(&net, &seen).is_empty(), "asking is spoken of, and idle has two consumers");
    labelling.add(&marking(&net, "asking"), vec![claim("answer")]);
    assert_eq!(labelling.check(&net, &mut || true), Ok(()));
    assert_eq!(labelling.decides(&net, &stays), Some(true));
    assert_eq!(labelling.decides(&net, &stays.negated()), Some(false));
    let other =
        property(&net, |formulas, [asking, _]| formulas.eventually(Quantifier::All, asking));
    assert_eq!(labelling.decides(&net, &other), None);
    labelling.add(&marking(&net, "idle"), Vec::new());
    let twice = LabellingFlaw::Malformed("a marking is listed twice");
    assert_eq!(labelling.check(&net, &mut || true), Err(twice));
}

#[test]
fn premises_hold_in_every_marking_and_survive_files() {
    let net = net();
    let both = property(&net, |formulas, [asking, gone]| {
        let either = [asking, gone].map(|atom| formulas.negate(atom));
        let either = formulas.or(either);
        formulas.always(Quantifier::All, either)
    });
    let never = |it: Predicate| TreePremises {
        unreachable_predicates: vec![it.sorted()],
        home_predicates: Vec::new(),
    };
    let check = |labelling: &Labelling| labelling.check(&net, &mut || true);
    let premise = Predicate::and(both.atoms().to_vec());
    assert_eq!(check(&Labelling::new(both.clone(), never(premise.clone()))), Ok(()));
    let other = Predicate::or([premise, both.atoms()[0].clone()]);
    let labelling = Labelling::new(both, never(other));
    assert!(check(&labelling).is_err(), "premises are looked up, not combined");
    let silent = property(&net, |formulas, [asking, _]| {
        let not = formulas.negate(asking);
        formulas.always(Quantifier::All, not)
    });
    let given = never(silent.atoms()[0].clone());
    let labelling = Labelling::new(silent, given);
    assert_eq!(check(&labelling), Ok(()), "given that nobody asks");
    let named = NamedLabelling::of(&net, &labelling);
    assert_eq!(named.resolve(&net), Ok(labelling));
    let led = ef_gone_labelling(&net, 1, Some("go"));
    let text = serde_json::to_string(&NamedLabelling::of(&net, &led)).unwrap();
    let named: NamedLabelling = serde_json::from_str(&text).unwrap();
    assert_eq!(named.resolve(&net), Ok(led));
}

#[test]
fn home_premises_hold_in_every_marking() {
    let net = net();
    let asked_again = property(&net, |formulas, [asking, gone]| {
        let met = formulas.or([asking, gone]);
        let possible = formulas.eventually(Quantifier::Exists, met);
        formulas.always(Quantifier::All, possible)
    });
    let check = |given: TreePremises| {
        let labelling = Labelling::new(asked_again.clone(), given);
        let named = NamedLabelling::of(&net, &labelling);
        assert_eq!(named.resolve(&net).as_ref(), Ok(&labelling));
        labelling.check(&net, &mut || true)
    };
    let stays = |it: &Predicate| TreePremises {
        unreachable_predicates: Vec::new(),
        home_predicates: vec![it.clone().sorted()],
    };
    for part in asked_again.atoms() {
        assert_eq!(check(stays(part)), Ok(()));
        assert!(check(stays(&part.clone().negated())).is_err(), "something else stays");
    }
    assert!(check(TreePremises::default()).is_err());
    let goes_on = property(&net, |formulas, [asking, gone]| {
        let any = formulas.or([asking, gone]);
        let next = formulas.next(Quantifier::Exists, any);
        formulas.always(Quantifier::All, next)
    });
    let neither = goes_on.atoms().iter().map(|atom| atom.clone().negated());
    let neither = Predicate::and(neither).sorted();
    let alive = vec![Predicate::Dead, neither.clone()];
    for (never, holds) in [(alive, true), (vec![neither], false), (vec![Predicate::Dead], false)] {
        let labelling = Labelling::new(
            goes_on.clone(),
            TreePremises { unreachable_predicates: never, home_predicates: Vec::new() },
        );
        assert_eq!(labelling.check(&net, &mut || true).is_ok(), holds);
    }
}

#[test]
fn visiting_all_markings_decides_a_property() {
    let net = net();
    let visit = |property: &TreeProperty, most| visit_tree(&net, property, most, &mut || true);
    for (paths, holds) in [(Quantifier::Exists, true), (Quantifier::All, false)] {
        let leaves = property(&net, |formulas, [_, gone]| formulas.eventually(paths, gone));
        let found = visit(&leaves, 3).unwrap();
        assert_eq!((found.markings, found.holds), (3, holds));
        let next = property(&net, |formulas, [asking, _]| {
            let asks = formulas.next(paths, asking);
            formulas.always(Quantifier::All, asks)
        });
        assert_eq!(visit(&next, 3).map(|found| found.holds), Ok(false));
    }
    let any = property(&net, |_, [asking, _]| asking);
    assert_eq!(visit(&any, 2), Err(Flaw::More(2)));
}
