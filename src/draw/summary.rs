//! What a net too large to look at consists of: its nodes in groups, and the groups drawn as one
//! node each.
//!
//! Places are grouped by the model's units, as deep in their tree as leaves few enough groups, and
//! transitions by the units they touch; or, where no depth does, both by their names without
//! digits, which is how generated nets repeat a pattern: `fork_1`, `fork_2`, … become `fork_#`.

use super::dot::style;
use super::{Highlight, MOST_NODES, quoted};
use parikh_net::{Net, PlaceId, TransitionId, UnitId, Units};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The groups of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The groups as Graphviz draws them; none when there are too many even of them.
    pub dot: Option<String>,
    /// The same for people, a sentence a line.
    pub text: String,
}

/// A group of places or transitions.
#[derive(Clone, Debug)]
struct Group {
    name: String,
    nodes: usize,
    tokens: u128,
}

/// How the nodes are grouped.
struct Grouping {
    by: &'static str,
    places: Vec<Group>,
    transitions: Vec<Group>,
    /// By place and by transition.
    place_group: Vec<usize>,
    transition_group: Vec<usize>,
}

/// Groups listed in the text.
const LISTED: usize = 10;

/// The summary of a net, with how many nodes of each group are highlighted.
pub fn summary(net: &Net, highlight: &Highlight) -> Summary {
    let grouping = net.units().and_then(|units| by_units(net, units));
    let grouping = grouping.unwrap_or_else(|| by_names(net));
    let mut text = format!(
        "net {}: {} places, {} transitions, {} arcs\n",
        net.name(),
        net.place_count(),
        net.transition_count(),
        net.arc_count()
    );
    let mut list = |what: &str, groups: &[Group]| {
        let plural = if groups.len() == 1 { "" } else { "s" };
        let _ = write!(text, "{} group{plural} of {what} by {}", groups.len(), grouping.by);
        let mut largest: Vec<&Group> = groups.iter().collect();
        // A stable sort: groups of one size stay in the order of the model.
        largest.sort_by_key(|group| std::cmp::Reverse(group.nodes));
        for (index, group) in largest.iter().take(LISTED).enumerate() {
            let _ = write!(
                text,
                "{} {} ({})",
                if index == 0 { ":" } else { "," },
                group.name,
                group.nodes
            );
        }
        text.push_str(if groups.len() > LISTED { ", …\n" } else { "\n" });
    };
    list("places", &grouping.places);
    list("transitions", &grouping.transitions);
    let dot = (grouping.len() <= MOST_NODES).then(|| grouping.dot(net, highlight));
    Summary { dot, text }
}

/// By the units at the deepest level that leaves few enough groups; all in the root is no group.
fn by_units(net: &Net, units: &Units) -> Option<Grouping> {
    // From each unit up to the root.
    let path = |unit| std::iter::successors(Some(unit), |&unit: &UnitId| units.get(unit).parent);
    let depth = |unit| path(unit).count();
    let deepest = units.iter().map(|(unit, _)| depth(unit)).max()?;
    (2..=deepest).rev().map(|level| at_level(net, units, level)).find(|it| it.len() <= MOST_NODES)
}

/// Each place in the unit `level` units below the top that it is in, the root being level 1.
fn at_level(net: &Net, units: &Units, level: usize) -> Grouping {
    let ancestor = |unit| {
        let path = std::iter::successors(Some(unit), |&unit: &UnitId| units.get(unit).parent);
        let path: Vec<UnitId> = path.collect();
        path[path.len().saturating_sub(level)]
    };
    let mut places = Groups::default();
    let place_group: Vec<usize> = net
        .places()
        .map(|place| {
            let name = &units.get(ancestor(units.unit_of(place))).name;
            places.add(format!("unit {name}"), net.initial()[place])
        })
        .collect();
    let mut transitions = Groups::default();
    let transition_group = net
        .transitions()
        .map(|t| {
            let arcs = net.pre(t).iter().chain(net.post(t));
            let touched: BTreeSet<usize> = arcs.map(|arc| place_group[arc.place.index()]).collect();
            let names = touched.iter().map(|&group| places.groups[group].name.as_str());
            let names: Vec<&str> = names.collect();
            let all = match names.len() {
                0 => "no unit".to_owned(),
                1..=3 => names.join(" + "),
                more => format!("{} + {} others", names[0], more - 1),
            };
            transitions.add(all, 0)
        })
        .collect();
    Grouping {
        by: "units",
        places: places.groups,
        transitions: transitions.groups,
        place_group,
        transition_group,
    }
}

fn by_names(net: &Net) -> Grouping {
    let (mut places, mut transitions) = (Groups::default(), Groups::default());
    let place_group = net
        .places()
        .map(|place: PlaceId| places.add(stem(net.place_name(place)), net.initial()[place]))
        .collect();
    let transition_group = net
        .transitions()
        .map(|t: TransitionId| transitions.add(stem(net.transition_name(t)), 0))
        .collect();
    Grouping {
        by: "names without digits",
        places: places.groups,
        transitions: transitions.groups,
        place_group,
        transition_group,
    }
}

/// A name with `#` for each run of digits.
fn stem(name: &str) -> String {
    let mut stem = String::new();
    for c in name.chars() {
        match c.is_ascii_digit() {
            false => stem.push(c),
            true if !stem.ends_with('#') => stem.push('#'),
            true => {}
        }
    }
    stem
}

#[derive(Default)]
struct Groups {
    groups: Vec<Group>,
    known: BTreeMap<String, usize>,
}

impl Groups {
    /// Adds a node to the group of this name; the number of the group.
    fn add(&mut self, name: String, tokens: u64) -> usize {
        let next = self.groups.len();
        let group = *self.known.entry(name.clone()).or_insert(next);
        if group == next {
            self.groups.push(Group { name, nodes: 0, tokens: 0 });
        }
        self.groups[group].nodes += 1;
        self.groups[group].tokens += u128::from(tokens);
        group
    }
}

impl Grouping {
    fn len(&self) -> usize {
        self.places.len() + self.transitions.len()
    }

    fn dot(&self, net: &Net, highlight: &Highlight) -> String {
        let mut text = format!("digraph {} {{\n", quoted(net.name()));
        text.push_str("  rankdir=LR;\n  node [fontsize=10, fontname=\"Helvetica\"];\n");
        text.push_str("  edge [fontsize=9, arrowsize=0.6];\n");
        let caption = format!(
            "{}: {} places and {} transitions, grouped by {}; arcs with how many of the net they \
             stand for",
            net.name(),
            net.place_count(),
            net.transition_count(),
            self.by
        );
        let caption = match highlight.caption.is_empty() {
            true => caption,
            false => format!("{}\n{caption}", highlight.caption),
        };
        let count = |groups: &[Group], of: &mut dyn Iterator<Item = usize>| {
            let mut counts = vec![0usize; groups.len()];
            of.for_each(|group| counts[group] += 1);
            counts
        };
        let mut places = highlight.places.keys().map(|p| self.place_group[p.index()]);
        let bright_places = count(&self.places, &mut places);
        let mut transitions =
            highlight.transitions.keys().map(|t| self.transition_group[t.index()]);
        let bright_transitions = count(&self.transitions, &mut transitions);
        let remark = |bright: usize| match bright {
            0 => String::new(),
            bright => format!("\n{bright} highlighted"),
        };
        let _ = writeln!(text, "  label={}; labelloc=t;", quoted(&caption));
        for (index, group) in self.places.iter().enumerate() {
            let tokens = match group.tokens {
                0 => String::new(),
                1 => ", 1 token".to_owned(),
                tokens => format!(", {tokens} tokens"),
            };
            let bright = bright_places[index];
            let label = format!("{}\n{} places{tokens}{}", group.name, group.nodes, remark(bright));
            let (label, style) = (quoted(&label), style(false, bright > 0));
            let _ = writeln!(text, "  p{index} [shape=ellipse, label={label}{style}];");
        }
        for (index, group) in self.transitions.iter().enumerate() {
            let bright = bright_transitions[index];
            let label = format!("{}\n{} transitions{}", group.name, group.nodes, remark(bright));
            let (label, style) = (quoted(&label), style(false, bright > 0));
            let _ = writeln!(text, "  t{index} [shape=box, label={label}{style}];");
        }
        // By whether it leads into the place, the group of transitions, and that of places.
        let mut arcs: BTreeMap<(bool, usize, usize), usize> = BTreeMap::new();
        for t in net.transitions() {
            let group = self.transition_group[t.index()];
            for (into, side) in [(false, net.pre(t)), (true, net.post(t))] {
                for arc in side {
                    let place = self.place_group[arc.place.index()];
                    *arcs.entry((into, group, place)).or_default() += 1;
                }
            }
        }
        for ((into, t, p), count) in arcs {
            let ends = if into { format!("t{t} -> p{p}") } else { format!("p{p} -> t{t}") };
            let _ = writeln!(text, "  {ends} [label=\"{count}\"];");
        }
        text.push_str("}\n");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_what_generated_names_differ_in() {
        assert_eq!(stem("fork_12_of_3"), "fork_#_of_#");
        assert_eq!(stem("12"), "#");
    }

    #[test]
    fn many_philosophers_are_a_few_groups() {
        let (mut net, n) = (String::from("net table\n"), 100);
        for i in 0..n {
            net.push_str(&format!("place fork_{i} 1\nplace eats_{i}\n"));
        }
        for i in 0..n {
            let next = (i + 1) % n;
            net.push_str(&format!("transition take_{i}: fork_{i} + fork_{next} -> eats_{i}\n"));
            net.push_str(&format!("transition leave_{i}: eats_{i} -> fork_{i} + fork_{next}\n"));
        }
        let summary = summary(&parikh_net::text::parse(&net).unwrap(), &Highlight::default());
        assert_eq!(
            summary.text,
            "net table: 200 places, 200 transitions, 600 arcs\n\
             2 groups of places by names without digits: fork_# (100), eats_# (100)\n\
             2 groups of transitions by names without digits: take_# (100), leave_# (100)\n"
        );
        let dot = summary.dot.unwrap();
        assert!(dot.contains("p0 [shape=ellipse, label=\"fork_#\\n100 places, 100 tokens\"]"));
        assert!(dot.contains("p0 -> t0 [label=\"200\"]"), "{dot}");
    }
}
