//! A coloured net as a scene: places with their sorts and initial multisets, transitions with their
//! guards, arcs with their inscriptions, and a legend of sorts and variables below.

use super::scene::{LineEnds, NodeForm, Scene, SceneLine, SceneNode};
use crate::names::DisplayNames;
use parikh_net::coloured::{
    ColouredArc, ColouredNet, Guard, Multiset, Sort, SortKind, text as coloured_text,
};
use std::collections::HashSet;
use std::fmt::Write as _;

/// The largest number of letters of an inscription, guard or list of colours. Inscriptions of some
/// models have hundreds of terms.
const MAX_LETTERS: usize = 60;

/// Returns the scene of a coloured net. Nodes whose ids are in `highlighted` are highlighted.
pub fn coloured(net: &ColouredNet, highlighted: &HashSet<&str>) -> Scene {
    let mut scene = Scene {
        name: net.title().to_owned(),
        caption: legend(net),
        caption_below: true,
        ..Scene::default()
    };
    let names = DisplayNames::of_coloured(net).with_shared();
    for (at, place) in net.places().iter().enumerate() {
        let sort = net.sort(place.sort);
        let mut name = names.places[at].clone();
        if *sort.kind() != SortKind::Dot {
            let _ = write!(name, " : {}", sort.name());
        }
        let initial = match &place.initial {
            Multiset::Sum(parts) if parts.is_empty() => String::new(),
            initial => inscription(net, initial),
        };
        scene.nodes.push(SceneNode {
            id: format!("p{at}"),
            form: NodeForm::Ellipse,
            is_marked: !initial.is_empty(),
            inner_text: initial,
            outer_text: name,
            has_hidden_arcs: false,
            is_highlighted: highlighted.contains(&*place.name),
        });
    }
    let place_count = scene.nodes.len();
    for (at, transition) in net.transitions().iter().enumerate() {
        let mut name = names.transitions[at].clone();
        if transition.guard != Guard::TRUE {
            let _ = write!(name, "\n[{}]", clip(coloured_text::guard(net, &transition.guard)));
        }
        scene.nodes.push(SceneNode {
            id: format!("t{at}"),
            form: NodeForm::Box,
            inner_text: name,
            outer_text: String::new(),
            has_hidden_arcs: false,
            is_highlighted: highlighted.contains(&*transition.name),
            is_marked: false,
        });
    }
    for (at, transition) in net.transitions().iter().enumerate() {
        let mut draw = |arc: &ColouredArc, is_input: bool| {
            let (place, t) = (arc.place.index(), place_count + at);
            let (from, to) = if is_input { (place, t) } else { (t, place) };
            let label = inscription(net, &arc.inscription);
            scene.lines.push(SceneLine { from, to, label, ends: LineEnds::Arrow });
        };
        transition.inputs.iter().for_each(|arc| draw(arc, true));
        transition.outputs.iter().for_each(|arc| draw(arc, false));
    }
    scene
}

fn inscription(net: &ColouredNet, multiset: &Multiset) -> String {
    clip(coloured_text::multiset(net, multiset))
}

/// Returns the legend of sorts and variables, such as `Pair = Ring × Level` and `x, y : Ring`, one
/// per line.
fn legend(net: &ColouredNet) -> String {
    let mut lines: Vec<String> = Vec::new();
    for sort in net.sorts().iter().filter(|sort| *sort.kind() != SortKind::Dot) {
        lines.push(format!("{} = {}", sort.name(), clip(colours(net, sort))));
    }
    for (at, sort) in net.sorts().iter().enumerate() {
        let of_sort = net.variables().iter().filter(|variable| variable.sort.index() == at);
        let names: Vec<&str> = of_sort.map(|variable| &*variable.name).collect();
        if !names.is_empty() {
            lines.push(format!("{} : {}", names.join(", "), sort.name()));
        }
    }
    lines.join("\n")
}

/// Describes the colours of a sort, for the legend.
fn colours(net: &ColouredNet, sort: &Sort) -> String {
    // More names would be cut anyway.
    let first_names = |names: &[Box<str>]| {
        let names: Vec<&str> = names.iter().take(MAX_LETTERS).map(|name| &**name).collect();
        names.join(", ")
    };
    match sort.kind() {
        SortKind::Dot => "●".to_owned(),
        SortKind::Enumeration { constants, cyclic: true } => {
            format!("cyclic {}", first_names(constants))
        }
        SortKind::Enumeration { constants, cyclic: false } => first_names(constants),
        SortKind::Range { start, end } => format!("{start}..{end}"),
        SortKind::Product(parts) => {
            let names: Vec<&str> = parts.iter().map(|&part| net.sort(part).name()).collect();
            names.join(" × ")
        }
        SortKind::Partition { of, elements, .. } => {
            format!("parts of {}: {}", net.sort(*of).name(), first_names(elements))
        }
    }
}

/// Cuts a text after [`MAX_LETTERS`] letters.
fn clip(text: String) -> String {
    match text.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::super::dot;
    use super::*;

    #[test]
    fn sorts_guards_and_inscriptions_are_drawn() {
        let net = coloured_text::parse(
            "net n
             sort Ring = cyclic {a, b}
             sort Level = 1..3
             sort Pair = Ring * Level
             var x: Ring
             var l: Level
             place p: Pair = {2'(a,1)}
             place done
             transition t [l < 3]: p{(x,l)} -> p{(x++,3)} + done",
        );
        let drawn = dot(&coloured(&net.unwrap(), &HashSet::from(["t"])));
        for line in [
            "label=\"Ring = cyclic a, b\\nLevel = 1..3\\nPair = Ring × Level\\nx : Ring\\nl : Level\"; labelloc=b;",
            "p0 [shape=ellipse, label=\"2'(a,1)\", xlabel=\"p : Pair\"];",
            "p1 [shape=ellipse, label=\"\", xlabel=\"done\"];",
            "t0 [shape=box, height=0.3, label=\"t\\n[l < 3]\", style=filled",
            "p0 -> t0 [label=\"(x,l)\"];",
            "t0 -> p0 [label=\"(x++,3)\"];",
            "t0 -> p1 [label=\".\"];",
        ] {
            assert!(drawn.contains(line), "{line}\n{drawn}");
        }
    }

    #[test]
    fn long_terms_are_cut() {
        let constants: Vec<String> = (0..200).map(|at| format!("c{at}")).collect();
        let (all, sum) = (constants.join(", "), constants.join(" + "));
        let net = format!("sort A = {{{all}}}\nplace p: A = {{{sum}}}");
        let drawn = dot(&coloured(&coloured_text::parse(&net).unwrap(), &HashSet::new()));
        assert!(drawn.contains("c0 + c1") && drawn.contains(" …") && drawn.len() < 500, "{drawn}");
    }
}
