//! Checks that a place/transition net is equivalent to a coloured net.
//!
//! A prover unfolds a coloured net without colours that no place ever holds, bindings that can
//! never fire, and one of two bindings with the same effect. Its proofs are about the remaining
//! net, whose places and transitions the evidence lists by name. This module rebuilds that net from
//! the coloured net and the names alone, and checks that leaving out the rest was correct.
//!
//! # Conditions
//! 1. Each name is that of a place with a colour, or of a transition with colours for its variables
//!    under which its guard holds; no name occurs twice.
//! 2. The initial marking has no token on a place that is not listed.
//! 3. Every binding that consumes only from listed places produces tokens on listed places only.
//! 4. Of these bindings, one that is not listed consumes and produces the same tokens as a listed
//!    binding of its transition.
//! 5. If firings are counted ([`RequiredBindings::All`]), all of these bindings are listed, because
//!    two bindings with the same effect are two firings.
//!
//! If colours were [merged](super::classes), all conditions are about the quotient.
//!
//! # Soundness
//! The unlisted places are an unmarked siphon: by (3), each binding that produces a token on an
//! unlisted place consumes one from an unlisted place. So they stay empty (2), and no binding that
//! takes from them ever fires. Each other binding is a transition of the net, or has the same
//! effect as one (4). So the reachable markings are the same up to places that are always empty. A
//! transition of the coloured net is enabled if and only if one of its listed bindings is. The same
//! markings are dead in both nets. By (5), as many transitions of the net are enabled as bindings.
//!
//! # Cost
//! Bindings are enumerated variable by variable. A partial binding that the guard or an unlisted
//! place excludes is not completed. The caller limits the number of tried colours. The kinds of
//! unlisted bindings without a known listed binding must not outnumber the unmatched names. So the
//! memory for them is proportional to the list.

use super::classes::{ClassHeads, ColourSet};
use super::net::{ColouredModel, GuardedTransition, SortedPlace};
use super::sorts::Declarations;
use super::terms::{ColourMultiset, GuardTerm, MultisetTerm, TooManyColours};
use super::tries::{ColourBudget, UnfoldingFlaw};
use crate::file::Unfolding;
use parikh_net::coloured::{ColourNames, Folding};
use parikh_net::printable::Quoted;
use parikh_net::{Net, NetBuilder, PlaceId, TransitionId};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// The choice of the bindings that a listed unfolding must contain, of those that take tokens only
/// from listed places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredBindings {
    /// At least one of the bindings of a transition that have the same effect, that is, consume and
    /// produce the same tokens.
    OnePerEffect,
    /// Every binding that takes only from listed places.
    All,
}

/// For each coloured place, its listed colours with the places that stand for them in the net.
type ListedColours = Vec<HashMap<u64, PlaceId>>;

/// The tokens that the arcs of one direction move, by place of the net, or the name of an unlisted
/// place (the error).
type ArcTokens = Result<Vec<(PlaceId, u64)>, String>;

/// The tokens that a binding consumes, and the tokens that it produces.
type BindingArcs = [Vec<(PlaceId, u64)>; 2];

impl ColouredModel {
    /// Returns the net of the listed places and transitions, if it is equivalent to this coloured
    /// net. At most `max_colours` colours are tried, and `goes_on` is called regularly.
    ///
    /// # Errors
    /// When the net is not equivalent, more colours would have to be tried, or `goes_on` returns
    /// false. Also when colours are merged and `bindings` is [`RequiredBindings::All`].
    pub fn unfold(
        &self,
        listed: &Unfolding,
        bindings: RequiredBindings,
        max_colours: u64,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Net, UnfoldingFlaw> {
        let mut builder = NetBuilder::new(&self.name);
        self.assumptions.iter().for_each(|it| builder.assume(it.clone()));
        let mut budget = ColourBudget::new(max_colours, goes_on);
        let classes = ClassHeads::of(self, &listed.classes, &mut budget)?;
        if !classes.are_trivial() && bindings == RequiredBindings::All {
            return Err(wrong_unfolding("colours are merged, but firings are counted by bindings"));
        }
        let (places, place_counts) = self.places(listed, &classes, &mut builder, &mut budget)?;
        let mut first = 0;
        let mut transition_counts = Vec::new();
        for transition in &self.transitions {
            let names = names_of(&listed.transitions[first..], &transition.id);
            for name in names {
                builder.transition(name).map_err(wrong_unfolding)?;
            }
            let mut search =
                BindingEnumeration::new(self, &classes, transition, &places, names, &mut budget);
            search.run()?;
            let arcs = search.finish(bindings)?;
            for (transition_index, [takes, puts]) in (first..).zip(arcs) {
                let t = TransitionId::new(transition_index);
                takes
                    .into_iter()
                    .try_for_each(|(p, n)| builder.take(t, p, n))
                    .map_err(wrong_unfolding)?;
                puts.into_iter()
                    .try_for_each(|(p, n)| builder.put(t, p, n))
                    .map_err(wrong_unfolding)?;
            }
            first += names.len();
            transition_counts.push(names.len());
        }
        if let Some(name) = listed.transitions.get(first) {
            return Err(no_such(name, "transition"));
        }
        let places = self.places.iter().map(|place| &*place.id).zip(place_counts);
        let transitions = self.transitions.iter().map(|it| &*it.id).zip(transition_counts);
        let folding = Folding::new(places, transitions).map_err(wrong_unfolding)?.with_labels(
            self.places.iter().map(|place| place.label.as_deref()),
            self.transitions.iter().map(|it| it.label.as_deref()),
        );
        let folding = folding.with_colour_names(Arc::new(UnfoldedNames::of(self)));
        builder.set_folding(match classes.are_trivial() {
            true => folding,
            false => folding.of_quotient(listed.classes.clone()),
        });
        builder.build().map_err(wrong_unfolding)
    }

    /// Adds the listed places with their initial tokens, and checks conditions 1 and 2 of the
    /// module documentation for places. Returns the listed colours, and the number of listed places
    /// of each coloured place.
    ///
    /// # Errors
    /// When a listed name is no place or occurs twice, a marked place is not listed, or a number of
    /// tokens is too large. Also when the limit on tried colours is exceeded or the check is
    /// stopped.
    fn places(
        &self,
        listed: &Unfolding,
        classes: &ClassHeads<'_>,
        builder: &mut NetBuilder,
        budget: &mut ColourBudget<'_>,
    ) -> Result<(ListedColours, Vec<usize>), UnfoldingFlaw> {
        let (mut places, mut counts, mut first) = (Vec::new(), Vec::new(), 0);
        for place in &self.places {
            let names = names_of(&listed.places[first..], &place.id);
            let mut positions: HashMap<&str, PlaceId> = HashMap::new();
            for (at, name) in (first..).zip(names) {
                builder.place(name, 0).map_err(wrong_unfolding)?;
                positions.insert(name, PlaceId::new(at));
            }
            let mut colours = HashMap::new();
            let heads = classes.heads_of(place.sort);
            for at in 0..heads.count() {
                let colour = heads.colour(at);
                if positions.is_empty() {
                    break;
                }
                budget.spend_one()?;
                if let Some(at) = positions.remove(&*self.place_name(place, colour)) {
                    colours.insert(colour, at);
                }
            }
            if let Some(name) = positions.keys().next() {
                return Err(no_such(name, "place"));
            }
            let mut initial: BTreeMap<u64, u64> = BTreeMap::new();
            for (colour, tokens) in evaluated(&place.initial, &[], budget)? {
                let sum = initial.entry(classes.head(place.sort, colour)).or_default();
                *sum = sum.checked_add(tokens).ok_or_else(|| wrong_unfolding(TOO_MANY))?;
            }
            for (colour, tokens) in initial {
                let Some(&at) = colours.get(&colour) else {
                    let name = self.place_name(place, colour);
                    return Err(wrong_unfolding(format!(
                        "{} is marked but not listed",
                        Quoted(&name)
                    )));
                };
                builder.set_tokens(at, tokens).map_err(wrong_unfolding)?;
            }
            first += names.len();
            counts.push(names.len());
            places.push(colours);
        }
        match listed.places.get(first) {
            Some(name) => Err(no_such(name, "place")),
            None => Ok((places, counts)),
        }
    }

    /// Returns the name of the place that stands for a colour of a coloured place.
    fn place_name(&self, place: &SortedPlace, colour: u64) -> String {
        self.declarations.unfolded_name(&place.id, place.sort, colour)
    }

    /// Returns the name of a binding's transition. `binding` has one colour per declared variable.
    fn binding_name(&self, transition: &GuardedTransition, binding: &[u64]) -> String {
        let mut name = transition.id.clone();
        for (position, &variable) in transition.variables.iter().enumerate() {
            let declared = &self.declarations.variables[variable];
            let _ = write!(name, "{}{}=", if position == 0 { '(' } else { ',' }, declared.name);
            self.declarations.write_colour(&mut name, declared.sort, binding[variable], true);
        }
        if !transition.variables.is_empty() {
            name.push(')');
        }
        name
    }
}

/// The names of unfolded places. A coloured place and the text of a colour determine a name.
#[derive(Debug)]
struct UnfoldedNames {
    declarations: Declarations,
    /// The id and the sort of each coloured place.
    places: Vec<(String, usize)>,
}

impl UnfoldedNames {
    fn of(model: &ColouredModel) -> Self {
        let places = model.places.iter().map(|place| (place.id.clone(), place.sort));
        UnfoldedNames { declarations: model.declarations.clone(), places: places.collect() }
    }
}

impl ColourNames for UnfoldedNames {
    fn unfolded(&self, place: usize, colour: &str) -> Option<String> {
        let (id, sort) = self.places.get(place)?;
        let colour = self.declarations.colour_named(*sort, colour)?;
        Some(self.declarations.unfolded_name(id, *sort, colour))
    }
}

/// A condition that is tested once its variables have colours.
enum BindingTest<'m> {
    /// The guard must hold.
    Guard(&'m GuardTerm),
    /// The colour taken from this place must be listed.
    Listed(usize, &'m MultisetTerm),
}

/// The enumeration of the bindings of a transition.
struct BindingEnumeration<'m, 's, 'g> {
    model: &'m ColouredModel,
    classes: &'s ClassHeads<'m>,
    transition: &'m GuardedTransition,
    places: &'s ListedColours,
    /// The listed names that no binding has matched so far, with their positions in the list.
    unmatched: HashMap<&'s str, usize>,
    budget: &'s mut ColourBudget<'g>,
    /// The steps of the search. Each has the variable to assign, and the conditions to test then.
    /// The first step assigns no variable (`None`).
    assignments: Vec<(Option<usize>, Vec<BindingTest<'m>>)>,
    /// The current colour of each declared variable.
    binding: Vec<u64>,
    /// The arcs of each listed transition, by its position in the list.
    arcs: Vec<BindingArcs>,
    /// The effects of the listed bindings found so far, that is, the tokens that each binding
    /// consumes and produces.
    listed_effects: HashSet<BindingArcs>,
    /// The effects of unlisted bindings for which no listed binding with the same effect is known
    /// yet. Each effect has the name of one of its unlisted bindings.
    unlisted: HashMap<BindingArcs, String>,
    /// The name of the first unlisted binding that was found; `None` if there is none.
    unlisted_name: Option<String>,
}

impl<'m, 's, 'g> BindingEnumeration<'m, 's, 'g> {
    fn new(
        model: &'m ColouredModel,
        classes: &'s ClassHeads<'m>,
        transition: &'m GuardedTransition,
        places: &'s ListedColours,
        names: &'s [String],
        budget: &'s mut ColourBudget<'g>,
    ) -> Self {
        let mut tests: Vec<(Vec<usize>, BindingTest<'m>)> = Vec::new();
        let mut guards = vec![&transition.guard];
        while let Some(guard) = guards.pop() {
            match guard {
                GuardTerm::All(parts) => guards.extend(parts),
                part => {
                    tests.push((variables(|into| part.variables(into)), BindingTest::Guard(part)))
                }
            }
        }
        for (place, term) in &transition.inputs {
            let mut parts = vec![term];
            while let Some(part) = parts.pop() {
                match part {
                    MultisetTerm::Sum(inside) => parts.extend(inside),
                    MultisetTerm::Times(1.., of) => parts.push(of),
                    part if part.is_one_colour() => {
                        let read = variables(|into| part.variables(into));
                        tests.push((read, BindingTest::Listed(*place, part)));
                    }
                    // A part that is not a single colour is only tested when the binding is
                    // complete.
                    _ => {}
                }
            }
        }
        let assignments = order_variables(model, &transition.variables, tests);
        BindingEnumeration {
            model,
            classes,
            transition,
            places,
            unmatched: names.iter().enumerate().map(|(at, name)| (&**name, at)).collect(),
            budget,
            assignments,
            binding: vec![0; model.declarations.variables.len()],
            arcs: vec![BindingArcs::default(); names.len()],
            listed_effects: HashSet::new(),
            unlisted: HashMap::new(),
            unlisted_name: None,
        }
    }

    /// Enumerates the bindings by depth-first search over the variables.
    fn run(&mut self) -> Result<(), UnfoldingFlaw> {
        // The colours to try at each step. `next_positions` has one entry per step that was begun:
        // the position of its next colour.
        let variables = &self.model.declarations.variables;
        let candidates: Vec<ColourSet> = self
            .assignments
            .iter()
            .map(|(variable, _)| match variable {
                None => ColourSet::All(1),
                Some(step) => self.classes.heads_of(variables[*step].sort),
            })
            .collect();
        let mut next_positions = vec![0u64];
        while let Some(step) = next_positions.len().checked_sub(1) {
            if next_positions[step] == candidates[step].count() {
                next_positions.pop();
                continue;
            }
            if let Some(variable) = self.assignments[step].0 {
                self.binding[variable] = candidates[step].colour(next_positions[step]);
            }
            next_positions[step] += 1;
            self.budget.spend_one()?;
            if !self.assignments[step].1.iter().all(|test| self.holds(test)) {
                continue;
            }
            match step + 1 == self.assignments.len() {
                true => self.complete()?,
                false => next_positions.push(0),
            }
        }
        Ok(())
    }

    /// Returns true if the condition holds under the current binding.
    fn holds(&self, test: &BindingTest<'_>) -> bool {
        match test {
            BindingTest::Guard(guard) => guard.holds(&self.binding),
            BindingTest::Listed(place, term) => {
                self.places[*place].contains_key(&self.head(*place, term.colour(&self.binding)))
            }
        }
    }

    /// Returns the head of a colour on a place, that is, the first of the colours merged with it.
    fn head(&self, place: usize, colour: u64) -> u64 {
        self.classes.head(self.model.places[place].sort, colour)
    }

    /// Processes a complete binding whose guard holds. Ignores a binding that takes from an
    /// unlisted place.
    ///
    /// # Errors
    /// When the binding puts tokens on an unlisted place, or there are more unlisted effects than
    /// unmatched names. Also when the limit on tried colours is exceeded.
    fn complete(&mut self) -> Result<(), UnfoldingFlaw> {
        let Ok(takes) = self.moved_tokens(&self.transition.inputs)? else { return Ok(()) };
        let name = self.model.binding_name(self.transition, &self.binding);
        let puts = self.moved_tokens(&self.transition.outputs)?.map_err(|place| {
            let [name, place] = [&*name, &*place].map(Quoted);
            UnfoldingFlaw::Wrong(format!("{name} produces tokens on {place}, which is not listed"))
        })?;
        let arcs = [takes, puts];
        match self.unmatched.remove(&*name) {
            Some(listed_index) => {
                self.unlisted.remove(&arcs);
                self.listed_effects.insert(arcs.clone());
                self.arcs[listed_index] = arcs;
            }
            None => {
                self.unlisted_name.get_or_insert_with(|| name.clone());
                if !self.listed_effects.contains(&arcs) {
                    self.unlisted.entry(arcs).or_insert(name);
                }
            }
        }
        // Each unlisted effect needs a listed binding of its own that has not been matched yet.
        match self.unlisted.len() > self.unmatched.len() {
            true => Err(self.not_listed()),
            false => Ok(()),
        }
    }

    /// Returns the flaw that an unlisted binding has the effect of no listed binding.
    fn not_listed(&self) -> UnfoldingFlaw {
        let name = self.unlisted.values().min().map_or("", String::as_str);
        UnfoldingFlaw::Wrong(format!("{} is not listed", Quoted(name)))
    }

    /// Returns the tokens that the current binding moves along these arcs. The inner error is the
    /// name of an unlisted place at one of the arcs.
    fn moved_tokens(&mut self, arcs: &[(usize, MultisetTerm)]) -> Result<ArcTokens, UnfoldingFlaw> {
        let mut moved: Vec<(PlaceId, u64)> = Vec::new();
        for (place, term) in arcs {
            for (colour, tokens) in evaluated(term, &self.binding, self.budget)? {
                let colour = self.head(*place, colour);
                let Some(&listed_place) = self.places[*place].get(&colour) else {
                    return Ok(Err(self.model.place_name(&self.model.places[*place], colour)));
                };
                match moved.iter_mut().find(|(other, _)| *other == listed_place) {
                    None => moved.push((listed_place, tokens)),
                    Some((_, sum)) => {
                        *sum = sum.checked_add(tokens).ok_or_else(|| wrong_unfolding(TOO_MANY))?;
                    }
                }
            }
        }
        moved.sort_unstable();
        Ok(Ok(moved))
    }

    /// Returns the tokens that each listed transition consumes and produces, by its position in the
    /// list.
    ///
    /// # Errors
    /// When a listed name matches no binding, or an unlisted binding has the effect of no listed
    /// binding (condition 4 of the module documentation). For [`RequiredBindings::All`], also when
    /// any binding is unlisted (condition 5).
    fn finish(self, bindings: RequiredBindings) -> Result<Vec<BindingArcs>, UnfoldingFlaw> {
        if let Some(name) = self.unmatched.keys().min() {
            return Err(no_such(name, "transition that can fire"));
        }
        if !self.unlisted.is_empty() {
            return Err(self.not_listed());
        }
        match self.unlisted_name {
            Some(name) if bindings == RequiredBindings::All => Err(UnfoldingFlaw::Wrong(format!(
                "{} is not listed, but firings are counted by bindings",
                Quoted(&name)
            ))),
            _ => Ok(self.arcs),
        }
    }
}

/// Orders the variables so that conditions exclude partial bindings early. The next condition is
/// always the one with the fewest combinations of colours for its unassigned variables. `tests` has
/// the variables of each condition.
///
/// Each step of the result is a variable, and the conditions whose last variable it is. The first
/// step has no variable (`None`), and the conditions without variables.
fn order_variables<'m>(
    model: &ColouredModel,
    variables: &[usize],
    mut tests: Vec<(Vec<usize>, BindingTest<'m>)>,
) -> Vec<(Option<usize>, Vec<BindingTest<'m>>)> {
    let size =
        |variable: usize| model.declarations.size(model.declarations.variables[variable].sort);
    let mut unassigned = variables.to_vec();
    let mut steps = vec![(None, Vec::new())];
    loop {
        let (ready, not_ready): (Vec<_>, Vec<_>) =
            tests.into_iter().partition(|(read, _)| !read.iter().any(|it| unassigned.contains(it)));
        tests = not_ready;
        if let Some((_, conditions)) = steps.last_mut() {
            conditions.extend(ready.into_iter().map(|(_, test)| test));
        }
        let unassigned_of = |read: &[usize]| -> Vec<usize> {
            read.iter().copied().filter(|it| unassigned.contains(it)).collect()
        };
        let combinations = |read: &[usize]| {
            unassigned_of(read).iter().fold(1u128, |all, &it| all.saturating_mul(size(it).into()))
        };
        // If no condition is left, the remaining variables follow by the sizes of their sorts.
        let best = tests.iter().min_by_key(|(read, _)| combinations(read));
        let candidates = best.map_or_else(|| unassigned.clone(), |(read, _)| unassigned_of(read));
        let Some(variable) = candidates.into_iter().min_by_key(|&it| size(it)) else {
            return steps;
        };
        unassigned.retain(|&it| it != variable);
        steps.push((Some(variable), Vec::new()));
    }
}

/// Returns the variables that `append` collects, ascending, without duplicates.
fn variables(append: impl FnOnce(&mut Vec<usize>)) -> Vec<usize> {
    let mut collected = Vec::new();
    append(&mut collected);
    collected.sort_unstable();
    collected.dedup();
    collected
}

/// Returns the leading names that belong to a node: its id, alone or before parentheses.
fn names_of<'l>(names: &'l [String], id: &str) -> &'l [String] {
    let is_own = |name: &String| {
        name.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('('))
    };
    &names[..names.iter().take_while(|name| is_own(name)).count()]
}

/// Evaluates a multiset under a binding, within the limit on tried colours. A multiplicity of 2⁶³
/// or more counts as an exceeded limit.
fn evaluated(
    term: &MultisetTerm,
    binding: &[u64],
    budget: &mut ColourBudget<'_>,
) -> Result<ColourMultiset, UnfoldingFlaw> {
    let max_colours = usize::try_from(budget.remaining_colours()).unwrap_or(usize::MAX);
    let bag = term.evaluate(binding, max_colours).map_err(|TooManyColours| budget.too_large())?;
    budget.spend(bag.len() as u64)?;
    Ok(bag)
}

/// The message for a number of tokens that is too large.
const TOO_MANY: &str = "a binding moves 2^63 tokens or more";

fn wrong_unfolding(what: impl ToString) -> UnfoldingFlaw {
    UnfoldingFlaw::Wrong(what.to_string())
}

fn no_such(name: &str, kind: &str) -> UnfoldingFlaw {
    let name = Quoted(name);
    UnfoldingFlaw::Wrong(format!(
        "{name} is listed but is not a {kind} of the model, or is listed twice"
    ))
}
