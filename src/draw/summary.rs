//! What a net too large to look at consists of: its nodes in groups, and the groups drawn as one
//! node each.

use super::dot::style;
use super::grouping::{Group, Grouping};
use super::{Highlight, MOST_NODES, quoted};
use parikh_net::Net;
use std::fmt::Write as _;

/// The groups of a net.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The groups as Graphviz draws them; none when there are too many even of them.
    pub dot: Option<String>,
    /// The same for people, a sentence a line.
    pub text: String,
}

/// Groups listed in the text.
const LISTED: usize = 10;

/// The summary of a net, with how many nodes of each group are highlighted.
pub fn summary(net: &Net, highlight: &Highlight) -> Summary {
    let grouping = Grouping::of(net);
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

impl Grouping {
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
        for ((into, t, p), count) in self.arcs(net) {
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
