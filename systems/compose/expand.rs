//! Runs of what is seen as runs of the system.
//!
//! A word of labels that are seen at a node has a run in the graph of the node before it was made
//! smaller, which shows the labels that its two parts share; what each part sees of that is a word
//! of its own. So the way goes down to single components, and up again: the runs of two parts are
//! put together along what both see.

use super::Node;
use super::graph::Graph;
use crate::search::Run;
use crate::system::LabelId;
use parikh_net::components::components;
use std::collections::HashMap;

/// Labels that are seen: first a way, then a round again and again. Where the round is empty, steps
/// that are not seen may come for ever.
#[derive(Debug)]
struct Word {
    way: Vec<LabelId>,
    round: Vec<LabelId>,
    for_ever: bool,
}

/// Longer runs are not made.
const MOST: usize = 1 << 20;

/// Nor are runs looked for among more states with how much of a word was read.
const MOST_REACHED: usize = 1 << 24;

/// A step: its label if it has one, from where and to where.
type Step = (Option<LabelId>, u32, u32);

/// A run of the components of a node whose labels that are seen at the node are those of a word.
fn run(nodes: &[Node], at: usize, word: &Word) -> Option<Run> {
    let node = &nodes[at];
    let (steps, back) = path(&node.whole, &node.seen.labels, word)?;
    let Some((a, b)) = node.parts else {
        let labels: Vec<LabelId> = steps.iter().filter_map(|step| step.0).collect();
        return Some(Run { labels, back });
    };
    let mut moves = Vec::with_capacity(steps.len());
    for &(label, from, to) in &steps {
        let ((before, _), (after, _)) = (node.pairs[from as usize], node.pairs[to as usize]);
        // A step that is not seen and stays is one of a part that may stay.
        let is_first = before != after || (from == to && nodes[a].seen.stays(before));
        moves.push(match label {
            Some(label) => Move::Label(label),
            None if is_first => Move::Unseen(0),
            None => Move::Unseen(1),
        });
    }
    parts(nodes, &[a, b], &moves, back)
}

/// A run of the components of these nodes that makes these moves, from `back` on again and again.
pub(super) fn parts(nodes: &[Node], of: &[usize], moves: &[Move], back: usize) -> Option<Run> {
    let mut parts = Vec::new();
    for (which, &part) in of.iter().enumerate() {
        let seen = |moves: &[Move]| -> Vec<LabelId> {
            let labels = moves.iter().filter_map(|it| match it {
                Move::Label(label) => Some(*label),
                Move::Unseen(_) => None,
            });
            labels.filter(|&label| nodes[part].seen.owns(label)).collect()
        };
        let word = Word {
            way: seen(&moves[..back]),
            round: seen(&moves[back..]),
            for_ever: moves[back..].contains(&Move::Unseen(which)),
        };
        let run = run(nodes, part, &word)?;
        parts.push(Part { run, seen: &nodes[part].seen, at: 0 });
    }
    merged(moves, back, &mut parts)
}

/// A step of nodes side by side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    Label(LabelId),
    /// A step of this part that is not seen.
    Unseen(usize),
}

/// A part that goes along its run.
struct Part<'n> {
    run: Run,
    seen: &'n Graph,
    at: usize,
}

impl Part<'_> {
    /// Its next label, and it is one further.
    fn next(&mut self) -> Option<LabelId> {
        let label = *self.run.labels.get(self.at)?;
        self.at += 1;
        if self.at == self.run.labels.len() {
            self.at = self.run.back;
        }
        Some(label)
    }

    fn sees(&self, label: LabelId) -> bool {
        self.seen.owns(label)
    }

    /// Its next label if that is none that is seen.
    fn next_unseen(&mut self) -> Option<LabelId> {
        let label = *self.run.labels.get(self.at)?;
        if self.sees(label) { None } else { self.next() }
    }
}

/// The runs of parts as one, along what is seen of both.
fn merged(moves: &[Move], back: usize, parts: &mut [Part<'_>]) -> Option<Run> {
    let mut labels = Vec::new();
    let mut at = 0;
    let mut rounds: HashMap<Vec<usize>, usize> = HashMap::new();
    loop {
        if at == moves.len() {
            if back == moves.len() {
                return Some(Run { back: labels.len(), labels });
            }
            at = back;
        }
        if at == back {
            let here: Vec<usize> = parts.iter().map(|part| part.at).collect();
            if let Some(&before) = rounds.get(&here) {
                return Some(Run { labels, back: before });
            }
            rounds.insert(here, labels.len());
        }
        match *moves.get(at)? {
            Move::Label(label) => {
                for part in parts.iter_mut().filter(|part| part.sees(label)) {
                    while let Some(unseen) = part.next_unseen() {
                        labels.push(unseen);
                        if labels.len() > MOST {
                            return None;
                        }
                    }
                    if part.next() != Some(label) {
                        return None;
                    }
                }
                labels.push(label);
            }
            Move::Unseen(which) => labels.extend(parts[which].next_unseen()),
        }
        at += 1;
        if labels.len() > MOST {
            return None;
        }
    }
}

/// Steps of a graph that show a word of the labels that are seen, and where they go on after the
/// last: at their end where the word ends and nothing comes for ever.
fn path(graph: &Graph, seen: &[LabelId], word: &Word) -> Option<(Vec<Step>, usize)> {
    let length = word.way.len() + word.round.len();
    let reached = Reached::new(graph, seen, word)?;
    let count = reached.all.len() as u32;
    if word.round.is_empty() && !word.for_ever {
        let end = (0..count).find(|&it| reached.at(it) == length)?;
        let steps = reached.way_to(end);
        let back = steps.len();
        return Some((steps, back));
    }
    let rows = &reached.rows;
    let next = |node: u32, k: u32| rows[node as usize].get(k as usize).map(|it| it.1);
    let found = components(count, next);
    // A step that closes a round, inside a component: the last letter, or any where there is none.
    let closes = |from: u32, to: u32, label: Option<LabelId>| {
        let last = match word.round.last() {
            None => reached.at(from) == length,
            Some(&last) => reached.at(from) == length - 1 && label == Some(last),
        };
        last && found.of[from as usize] == found.of[to as usize]
    };
    let (from, label, to) = (0..count).find_map(|from| {
        let row = rows[from as usize].iter();
        row.filter(|&&(label, to)| closes(from, to, label)).map(|it| (from, it.0, it.1)).next()
    })?;
    let mut steps = reached.way_to(to);
    let back = steps.len();
    let round = inside(rows, &found.of, to, from)?;
    steps.extend(round.into_iter().map(|(a, label, b)| reached.step(a, label, b)));
    steps.push(reached.step(from, label, to));
    Some((steps, back))
}

/// States of a graph with how much of a word was read, as far as they are reached.
struct Reached {
    /// A state and how much was read.
    all: Vec<(u32, usize)>,
    /// Of each, the node and the step by which it was reached first.
    before: Vec<Option<(u32, Step)>>,
    /// Of each, labels and where they lead.
    rows: Vec<Vec<(Option<LabelId>, u32)>>,
}

impl Reached {
    /// `None` if they are too many.
    fn new(graph: &Graph, seen: &[LabelId], word: &Word) -> Option<Self> {
        let letters: Vec<LabelId> = word.way.iter().chain(&word.round).copied().collect();
        let mut known: HashMap<(u32, usize), u32> = HashMap::new();
        let mut reached = Self { all: Vec::new(), before: Vec::new(), rows: Vec::new() };
        for &start in &graph.starts {
            if known.insert((start, 0), reached.all.len() as u32).is_none() {
                reached.all.push((start, 0));
                reached.before.push(None);
            }
        }
        while let Some(&(state, at)) = reached.all.get(reached.rows.len()) {
            if reached.all.len() > MOST_REACHED {
                return None;
            }
            let from = reached.rows.len() as u32;
            let mut row = Vec::new();
            for &(label, to) in &graph.edges[state as usize] {
                let is_seen = label.is_some_and(|label| seen.binary_search(&label).is_ok());
                let next = match is_seen {
                    false => at,
                    true if label != letters.get(at).copied() => continue,
                    true if at + 1 == letters.len() && !word.round.is_empty() => word.way.len(),
                    true => at + 1,
                };
                let new = reached.all.len() as u32;
                let its = *known.entry((to, next)).or_insert(new);
                if its == new {
                    reached.all.push((to, next));
                    reached.before.push(Some((from, (label, state, to))));
                }
                row.push((label, its));
            }
            reached.rows.push(row);
        }
        Some(reached)
    }

    /// How much of the word was read at a node.
    fn at(&self, node: u32) -> usize {
        self.all[node as usize].1
    }

    /// The steps by which a node was reached first.
    fn way_to(&self, mut node: u32) -> Vec<Step> {
        let mut steps = Vec::new();
        while let Some((before, step)) = self.before[node as usize] {
            steps.push(step);
            node = before;
        }
        steps.reverse();
        steps
    }

    fn step(&self, from: u32, label: Option<LabelId>, to: u32) -> Step {
        (label, self.all[from as usize].0, self.all[to as usize].0)
    }
}

/// The shortest way from one node to another inside their component.
fn inside(
    rows: &[Vec<(Option<LabelId>, u32)>],
    of: &[u32],
    from: u32,
    to: u32,
) -> Option<Vec<(u32, Option<LabelId>, u32)>> {
    let mut before: HashMap<u32, (u32, Option<LabelId>)> = HashMap::new();
    let mut open = vec![from];
    let mut next = 0;
    while from != to && !before.contains_key(&to) {
        let node = *open.get(next)?;
        next += 1;
        for &(label, after) in &rows[node as usize] {
            let stays = of[after as usize] == of[from as usize];
            if stays && after != from && !before.contains_key(&after) {
                before.insert(after, (node, label));
                open.push(after);
            }
        }
    }
    let (mut steps, mut at) = (Vec::new(), to);
    while at != from {
        let (earlier, label) = *before.get(&at)?;
        steps.push((earlier, label, at));
        at = earlier;
    }
    steps.reverse();
    Some(steps)
}
