//! Coloured nets: the symmetric nets of ISO/IEC 15909-2, with finite colours.
//!
//! A place holds a multiset of colours of its sort. A transition has variables, a guard over them,
//! and arcs inscribed with terms for multisets of colours. A *binding* gives every variable of a
//! transition a colour. The unfolding is a place/transition net. In the full unfolding, each
//! binding that satisfies the guard is a transition.
//!
//! A colour is the position it has in its sort, a `u64` from 0. Colours of a product are numbered
//! with the last component running fastest, so a pair (a, b) of sorts of sizes m and n is a·n + b.
//!
//! ```
//! use parikh_net::coloured::{self, BoundColour};
//!
//! let net = coloured::text::parse("
//!     net ring
//!     sort Node = cyclic {a, b, c}
//!     var x: Node
//!     place at: Node = {a}
//!     transition step: at{x} -> at{x++}
//! ").unwrap();
//! let at = net.place_named("at").unwrap();
//! let step = net.transition_named("step").unwrap();
//! let mut marking = net.initial(100).unwrap();
//! net.fire(&mut marking, step, &[BoundColour { variable: net.variable_named("x").unwrap(), colour: 0 }]).unwrap();
//! assert_eq!(marking.tokens(at, 1), 1);
//! ```

mod build;
mod enabled;
mod evaluate;
mod folding;
mod marking;
mod sort;
mod term;
pub mod text;

pub use build::ColourError;
pub use enabled::GaveUp;
pub use evaluate::{BoundColour, ColouredFireError, TooMany};
pub use folding::{ColourNames, Folding, NamedClasses};
pub use marking::{Bag, ColouredMarking};
pub use sort::{Sort, SortId, SortKind};
pub use term::{Guard, Multiset, Relation, Term, VariableId};

use crate::assumption::Assumption;
use std::collections::HashMap;

macro_rules! coloured_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Returns the index in the net's list of places or transitions, from 0.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

coloured_id!(
    /// A place of a coloured net.
    ColouredPlaceId
);
coloured_id!(
    /// A transition of a coloured net.
    ColouredTransitionId
);

/// A variable of a net. Any transition may use it; its scope is one transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in terms and bindings.
    pub name: String,
    /// The sort whose colours are the values of the variable.
    pub sort: SortId,
}

/// A place with its sort and initial marking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredPlace {
    /// The id in the model.
    pub name: String,
    /// The name shown to people. `None` if the model gives no name, or a name that equals the id.
    pub label: Option<String>,
    /// The sort whose colours the tokens of the place have.
    pub sort: SortId,
    /// The initial marking, a multiset term without variables.
    pub initial: Multiset,
}

/// An arc in the list of inputs or outputs of its transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredArc {
    /// The place of the arc.
    pub place: ColouredPlaceId,
    /// The tokens moved under a binding. Several arcs between the same nodes add up.
    pub inscription: Multiset,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredTransition {
    /// The id in the model.
    pub name: String,
    /// The name shown to people. `None` if the model gives no name, or a name that equals the id.
    pub label: Option<String>,
    /// The condition on bindings.
    pub guard: Guard,
    /// The input arcs, in the order in which they were added.
    pub inputs: Vec<ColouredArc>,
    /// The output arcs, in the order in which they were added.
    pub outputs: Vec<ColouredArc>,
}

impl ColouredTransition {
    /// Returns the variables to which a binding of the transition gives colours, ascending. These
    /// are the variables of the guard and of the inscriptions.
    pub fn variables(&self) -> Vec<VariableId> {
        let mut found = Vec::new();
        self.guard.variables(&mut found);
        for arc in self.inputs.iter().chain(&self.outputs) {
            arc.inscription.variables(&mut found);
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A coloured net with its initial marking. Sorts, variables, nodes and arcs are checked when they
/// are added by methods such as [`ColouredNet::add_place`].
#[derive(Clone, Debug, Default)]
pub struct ColouredNet {
    name: String,
    /// The label of the net. Empty if the model gives none.
    label: String,
    /// The sorts, each after the sorts that it is made of.
    sorts: Vec<Sort>,
    /// The variables, indexed by [`VariableId`].
    variables: Vec<Variable>,
    places: Vec<ColouredPlace>,
    transitions: Vec<ColouredTransition>,
    nodes: HashMap<Box<str>, ColouredNode>,
    /// The assumptions about the model, sorted, without repetition.
    assumptions: Vec<Assumption>,
}

/// A node found by its id. Places and transitions share one space of ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColouredNode {
    /// The id is a place's.
    Place(ColouredPlaceId),
    /// The id is a transition's.
    Transition(ColouredTransitionId),
}

impl ColouredNet {
    /// Returns the net's name; empty if it has none.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the label (the PNML name) or, without a label, the name. Empty if the net has
    /// neither.
    pub fn title(&self) -> &str {
        if self.label.is_empty() { &self.name } else { &self.label }
    }

    /// Returns the assumptions about the model, in order, each assumption once.
    pub fn assumptions(&self) -> &[Assumption] {
        &self.assumptions
    }

    /// Returns all sorts, each after the sorts that it is made of.
    pub fn sorts(&self) -> &[Sort] {
        &self.sorts
    }

    /// Returns the variables.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// Returns all places, indexed by [`ColouredPlaceId`].
    pub fn places(&self) -> &[ColouredPlace] {
        &self.places
    }

    /// Returns all transitions, indexed by [`ColouredTransitionId`].
    pub fn transitions(&self) -> &[ColouredTransition] {
        &self.transitions
    }

    /// Returns the ids of all sorts in order.
    pub fn sort_ids(&self) -> impl ExactSizeIterator<Item = SortId> + use<> {
        (0..self.sorts.len() as u32).map(SortId)
    }

    /// Returns the ids of all places in order.
    pub fn place_ids(&self) -> impl ExactSizeIterator<Item = ColouredPlaceId> + use<> {
        (0..self.places.len() as u32).map(ColouredPlaceId)
    }

    /// Returns the ids of all transitions in order.
    pub fn transition_ids(&self) -> impl ExactSizeIterator<Item = ColouredTransitionId> + use<> {
        (0..self.transitions.len() as u32).map(ColouredTransitionId)
    }

    /// Returns a sort.
    pub fn sort(&self, sort: SortId) -> &Sort {
        &self.sorts[sort.index()]
    }

    /// Returns a variable.
    pub fn variable(&self, variable: VariableId) -> &Variable {
        &self.variables[variable.index()]
    }

    /// Returns a place.
    pub fn place(&self, place: ColouredPlaceId) -> &ColouredPlace {
        &self.places[place.index()]
    }

    /// Returns a transition.
    pub fn transition(&self, transition: ColouredTransitionId) -> &ColouredTransition {
        &self.transitions[transition.index()]
    }

    /// Returns the node with the given id.
    pub fn node(&self, name: &str) -> Option<ColouredNode> {
        self.nodes.get(name).copied()
    }

    /// Returns the place with the given id.
    pub fn place_named(&self, name: &str) -> Option<ColouredPlaceId> {
        match self.node(name)? {
            ColouredNode::Place(place) => Some(place),
            ColouredNode::Transition(_) => None,
        }
    }

    /// Returns the transition with the given id.
    pub fn transition_named(&self, name: &str) -> Option<ColouredTransitionId> {
        match self.node(name)? {
            ColouredNode::Transition(transition) => Some(transition),
            ColouredNode::Place(_) => None,
        }
    }

    /// Returns the variable with the given name.
    pub fn variable_named(&self, name: &str) -> Option<VariableId> {
        let index = self.variables.iter().position(|variable| variable.name == name)?;
        Some(VariableId(index as u32))
    }

    /// Returns the sort with the given name.
    pub fn sort_named(&self, name: &str) -> Option<SortId> {
        let index = self.sorts.iter().position(|sort| sort.name == name)?;
        Some(SortId(index as u32))
    }

    /// Returns the number of arcs in both directions.
    pub fn arc_count(&self) -> usize {
        self.transitions.iter().map(|t| t.inputs.len() + t.outputs.len()).sum()
    }

    /// Returns the number of places of the full unfolding: the sum of the sizes of the places'
    /// sorts.
    pub fn colour_count(&self) -> u128 {
        self.places.iter().map(|place| u128::from(self.sort(place.sort).size())).sum()
    }

    /// Returns the number of bindings without regard to guards: for each transition the product of
    /// the sizes of its variables' sorts. Returns `u128::MAX` if a product or the sum of the
    /// products overflows.
    pub fn binding_count(&self) -> u128 {
        let bindings_of = |transition: &ColouredTransition| {
            let sizes = transition.variables().into_iter().map(|v| self.variable_size(v));
            sizes.fold(1u128, |product, size| product.saturating_mul(u128::from(size)))
        };
        self.transitions.iter().map(bindings_of).fold(0, u128::saturating_add)
    }

    /// Returns the number of colours of a variable.
    pub fn variable_size(&self, variable: VariableId) -> u64 {
        self.sort(self.variable(variable).sort).size()
    }

    /// Returns the name of a colour: `red`, `3`, `(red,3)`, `.` for the black token.
    pub fn colour_name(&self, sort: SortId, colour: u64) -> String {
        let mut text = String::new();
        self.write_colour(&mut text, sort, colour, true);
        text
    }

    /// Appends a colour's name. If the colour is a tuple, it gets its parentheses only if
    /// `has_parentheses`. Tuples inside of it always have parentheses.
    pub fn write_colour(
        &self,
        text: &mut String,
        sort: SortId,
        colour: u64,
        has_parentheses: bool,
    ) {
        use std::fmt::Write as _;
        match self.sort(sort).kind() {
            SortKind::Dot => text.push('.'),
            SortKind::Enumeration { constants, .. } => text.push_str(&constants[colour as usize]),
            // No overflow: the colour is below the range's size.
            SortKind::Range { start, .. } => {
                let _ = write!(text, "{}", start.wrapping_add_unsigned(colour));
            }
            SortKind::Partition { elements, .. } => text.push_str(&elements[colour as usize]),
            SortKind::Product(parts) => {
                if has_parentheses {
                    text.push('(');
                }
                let mut stride = self.sort(sort).size();
                let mut remaining = colour;
                for (index, &part) in parts.iter().enumerate() {
                    if index > 0 {
                        text.push(',');
                    }
                    stride /= self.sort(part).size();
                    self.write_colour(text, part, remaining / stride, true);
                    remaining %= stride;
                }
                if has_parentheses {
                    text.push(')');
                }
            }
        }
    }

    /// Returns the name of a place's colour in an unfolding: `p(red,2)`; `p` if tokens are black.
    pub fn unfolded_name(&self, place: &ColouredPlace, colour: u64) -> String {
        let mut name = place.name.clone();
        if *self.sort(place.sort).kind() != SortKind::Dot {
            name.push('(');
            self.write_colour(&mut name, place.sort, colour, false);
            name.push(')');
        }
        name
    }

    /// Returns the colour with this name, as written by [`colour_name`](Self::colour_name). Blanks
    /// around its parts are ignored. The outer parentheses of a tuple may be absent, and the black
    /// token may be written `dot`.
    pub fn colour_named(&self, sort: SortId, name: &str) -> Option<u64> {
        let name = name.trim();
        let position_of_name =
            |names: &[Box<str>]| names.iter().position(|it| **it == *name).map(|at| at as u64);
        match self.sort(sort).kind() {
            SortKind::Dot => matches!(name, "." | "dot").then_some(0),
            SortKind::Enumeration { constants, .. } => position_of_name(constants),
            SortKind::Partition { elements, .. } => position_of_name(elements),
            SortKind::Range { start, end } => {
                let value =
                    name.parse::<i64>().ok().filter(|value| (start..=end).contains(&value))?;
                Some(value.abs_diff(*start))
            }
            SortKind::Product(parts) => {
                let names = split_top_level(without_parentheses(name));
                if names.len() != parts.len() {
                    return None;
                }
                let mut colour = 0;
                for (part, name) in parts.iter().zip(names) {
                    colour = colour * self.sort(*part).size() + self.colour_named(*part, name)?;
                }
                Some(colour)
            }
        }
    }
}

impl ColouredNet {
    /// Parses a transition with a binding, as in `t(x=2,y=red)`. Blanks are allowed; without
    /// variables the parentheses may be absent.
    ///
    /// # Errors
    /// A message, if there is no such transition, variable or colour, or a variable is missing or
    /// repeated. Also if a `)` or a `=` is missing.
    pub fn binding_named(
        &self,
        text: &str,
    ) -> Result<(ColouredTransitionId, Vec<BoundColour>), String> {
        let text = text.trim();
        // An id may contain parentheses: the longest matching id counts.
        let name_ends = std::iter::once(text.len())
            .chain(text.rmatch_indices('(').map(|(name_end, _)| name_end));
        let found = name_ends.filter_map(|name_end| {
            Some((self.transition_named(text[..name_end].trim())?, name_end))
        });
        let (t, name_end) =
            { found }.next().ok_or_else(|| format!("`{text}` is not a transition"))?;
        let assignments = text[name_end..].trim();
        let assignments = match assignments.strip_prefix('(') {
            Some(rest) => rest.strip_suffix(')').ok_or_else(|| format!("`{text}` lacks a `)`"))?,
            None => "",
        };
        let variables = self.transition(t).variables();
        let mut binding: Vec<BoundColour> = Vec::new();
        for part in split_top_level(assignments).into_iter().filter(|part| !part.trim().is_empty())
        {
            let (name, colour) = part
                .split_once('=')
                .ok_or_else(|| format!("found `{part}`, expected VARIABLE=COLOUR"))?;
            let name = name.trim();
            let variable = variables.iter().find(|&&v| self.variable(v).name == name);
            let &variable =
                variable.ok_or_else(|| format!("`{name}` is not a variable of this transition"))?;
            let sort = self.variable(variable).sort;
            let colour = self.colour_named(sort, colour).ok_or_else(|| {
                format!("`{}` is not a colour of `{}`", colour.trim(), self.sort(sort).name())
            })?;
            if binding.iter().any(|value| value.variable == variable) {
                return Err(format!("`{name}` has two colours"));
            }
            binding.push(BoundColour { variable, colour });
        }
        match variables.iter().find(|&&v| !binding.iter().any(|value| value.variable == v)) {
            Some(&unbound) => Err(format!("`{}` has no colour", self.variable(unbound).name)),
            None => Ok((t, binding)),
        }
    }
}

/// Removes one pair of parentheses that encloses the whole text. Returns the text unchanged if no
/// pair encloses it, as in `(a,b),(c,d)`.
fn without_parentheses(text: &str) -> &str {
    let Some(inside) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0i32;
    let closes_early = inside.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inside }
}

/// Splits at commas outside of parentheses.
pub(crate) fn split_top_level(text: &str) -> Vec<&str> {
    let (mut pieces, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (offset, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                pieces.push(&text[start..offset]);
                start = offset + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
