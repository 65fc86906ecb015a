//! Groups dead transitions by cause. A transition that waits for another dead transition belongs to
//! the cause of that transition.
//!
//! A dead transition *waits* for an input place if the place initially holds fewer tokens than the
//! arc takes and only dead transitions add tokens to the place. Among several such places, it waits
//! for the one to which the fewest transitions add tokens. Transitions that wait for the same
//! place, directly or through other transitions, form one [`DeadTransitionCause`]. A *root* of a
//! cause is a transition that waits for no place, so it is dead for another reason. A *source* of a
//! cause is a place to which no transition adds tokens. Without roots and sources, the transitions
//! wait for each other. Causes whose roots are dead for the same reason, such as one sum of tokens,
//! are merged.

use super::text::Sentence;
use parikh_net::printable::counted;
use parikh_net::{Net, PlaceId, TransitionId};
use parikh_structure::excluded::{Exclusion, InvariantSums};
use parikh_structure::integer::Integer;

/// Dead transitions with a common cause. A dead transition waits for an input place that has too
/// few tokens initially, if only dead transitions add tokens to the place. Transitions that wait
/// for each other have the same cause.
pub(super) struct DeadTransitionCause {
    /// The dead transitions of the cause. The transitions in `roots` come first, in the same order.
    pub(super) members: Vec<TransitionId>,
    /// The dead transitions that wait for no place. Their reason is not the lack of tokens alone.
    pub(super) roots: Vec<TransitionId>,
    /// Places for which a transition of the cause waits, although no transition increases their
    /// tokens.
    pub(super) sources: Vec<PlaceId>,
    /// Places for which a transition of the cause waits, and whose tokens only transitions of the
    /// cause increase.
    pub(super) waited_for: Vec<PlaceId>,
    /// The reason why each transition in `roots` is dead, set by [`merge_by_reason`]. `None` until
    /// then. Also `None` if these transitions have different or unknown reasons, if `roots` is
    /// empty, or if `sources` is not empty.
    common_reason: Option<Sentence>,
}

/// Groups the given dead transitions of a net by cause. Transitions that wait for each other,
/// directly or through other transitions, have the same cause.
pub(super) fn causes(net: &Net, dead: &[TransitionId]) -> Vec<DeadTransitionCause> {
    let mut is_dead = vec![false; net.transition_count()];
    dead.iter().for_each(|t| is_dead[t.index()] = true);
    let feeders = |p: PlaceId| {
        let puts = net.producers(p).iter().map(|arc| arc.transition);
        puts.filter(move |&t| net.post_weight(t, p) > net.pre_weight(t, p))
    };
    // Returns the input place for which a dead transition waits, or `None` if it waits for no
    // place. Among several places, returns the one whose tokens the fewest transitions increase.
    let awaited_place = |t: TransitionId| {
        let arcs = net.pre(t).iter().filter(|arc| net.initial()[arc.place] < arc.weight);
        let starved = arcs.map(|arc| arc.place).filter(|&p| feeders(p).all(|t| is_dead[t.index()]));
        starved.min_by_key(|&p| feeders(p).count())
    };
    let waits_for: Vec<Option<PlaceId>> = dead.iter().map(|&t| awaited_place(t)).collect();
    // The first nodes of the union-find structure are the transitions, followed by the places. A
    // transition is joined with the place for which it waits. This place is joined with the
    // transitions that increase its tokens.
    let mut sets = DisjointSets::new(net.transition_count() + net.place_count());
    for (&t, place) in dead.iter().zip(&waits_for) {
        let Some(place) = *place else { continue };
        let place_node = net.transition_count() + place.index();
        sets.join(t.index(), place_node);
        feeders(place).for_each(|other| sets.join(place_node, other.index()));
    }
    // The causes, each with the representative of its set of nodes.
    let mut causes: Vec<(usize, DeadTransitionCause)> = Vec::new();
    for (&t, place) in dead.iter().zip(&waits_for) {
        let representative = sets.find(t.index());
        let cause_index = causes
            .iter()
            .position(|(cause_set, _)| *cause_set == representative)
            .unwrap_or_else(|| {
                let (members, roots) = (Vec::new(), Vec::new());
                let (sources, waited_for, of_all_roots) = (Vec::new(), Vec::new(), None);
                causes.push((
                    representative,
                    DeadTransitionCause {
                        members,
                        roots,
                        sources,
                        waited_for,
                        common_reason: of_all_roots,
                    },
                ));
                causes.len() - 1
            });
        let cause = &mut causes[cause_index].1;
        match *place {
            None => {
                cause.members.insert(cause.roots.len(), t);
                cause.roots.push(t);
            }
            Some(place) => {
                cause.members.push(t);
                let cause_places = match feeders(place).next() {
                    None => &mut cause.sources,
                    Some(_) => &mut cause.waited_for,
                };
                if !cause_places.contains(&place) {
                    cause_places.push(place);
                }
            }
        }
    }
    causes.into_iter().map(|(_, cause)| cause).collect()
}

/// Merges the causes without sources whose roots all have the same reason. A root is a dead
/// transition that waits for no place. A source is a place for which a transition waits, although
/// no transition increases its tokens. Also merges the causes that are single roots if there are
/// more than [`MAX_SEPARATE_CAUSES`] of them. Returns the causes sorted by the number of
/// transitions, largest first. `reason` explains a root, and returns `None` if no reason is known.
pub(super) fn merge_by_reason(
    causes: Vec<DeadTransitionCause>,
    reason: &dyn Fn(TransitionId) -> Option<Sentence>,
) -> Vec<DeadTransitionCause> {
    let mut merged: Vec<DeadTransitionCause> = Vec::new();
    for mut cause in causes {
        let mut reasons = cause.roots.iter().map(|&root| reason(root));
        let first = reasons.next().flatten();
        let common_reason =
            first.filter(|first| reasons.all(|reason| reason.as_ref() == Some(first)));
        cause.common_reason = common_reason.filter(|_| cause.sources.is_empty());
        let has_same_reason = |existing: &&mut DeadTransitionCause| {
            existing.common_reason.is_some() && existing.common_reason == cause.common_reason
        };
        match merged.iter_mut().find(has_same_reason) {
            Some(existing) => existing.merge(cause),
            None => merged.push(cause),
        }
    }
    let mut merged = merge_single_transitions(merged);
    merged.sort_by_key(|cause| std::cmp::Reverse(cause.members.len()));
    merged
}

/// Merges the causes that consist of a single dead transition, which waits for no place, if there
/// are more than [`MAX_SEPARATE_CAUSES`] such causes.
fn merge_single_transitions(causes: Vec<DeadTransitionCause>) -> Vec<DeadTransitionCause> {
    let (single, mut merged): (Vec<DeadTransitionCause>, Vec<DeadTransitionCause>) =
        causes.into_iter().partition(|cause| cause.members.len() == 1 && cause.roots.len() == 1);
    if single.len() <= MAX_SEPARATE_CAUSES {
        merged.extend(single);
        return merged;
    }
    let joint = single.into_iter().reduce(|mut joint, other| {
        joint.merge(other);
        DeadTransitionCause { common_reason: None, ..joint }
    });
    merged.extend(joint);
    merged
}

/// Disjoint sets (union-find). The representative of a set is its smallest member.
struct DisjointSets(Vec<usize>);

impl DisjointSets {
    fn new(count: usize) -> DisjointSets {
        DisjointSets((0..count).collect())
    }

    /// Returns the representative of the set that contains the node.
    fn find(&mut self, mut node: usize) -> usize {
        while self.0[node] != node {
            self.0[node] = self.0[self.0[node]];
            node = self.0[node];
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.find(one), self.find(other));
        self.0[one.max(other)] = one.min(other);
    }
}

impl DeadTransitionCause {
    /// Adds the transitions and the awaited places of another cause, whose `sources` are empty.
    fn merge(&mut self, mut other: DeadTransitionCause) {
        let waiting = other.members.split_off(other.roots.len());
        self.members.splice(self.roots.len()..self.roots.len(), other.members);
        self.members.extend(waiting);
        self.roots.extend(other.roots);
        self.waited_for.extend(other.waited_for);
    }

    /// Returns the common reason of all transitions in `roots`. Returns `None` if there are fewer
    /// than two, or if they have no common reason.
    fn shared_reason(&self) -> Option<&Sentence> {
        self.common_reason.as_ref().filter(|_| self.roots.len() > 1)
    }

    /// Returns the headline of the finding: the dead transition or the number of dead transitions,
    /// and a reason. The reason is the common reason of all `roots`, or the reason of the only
    /// transition in `roots` or place in `sources`. Without both, it is that the members wait for
    /// each other, or that the only member waits for itself. If all members are roots without a
    /// common reason, the headline says that the reasons differ. Otherwise the headline has no
    /// reason. `why` explains a root.
    pub(super) fn title(
        &self,
        net: &Net,
        why: &dyn Fn(TransitionId) -> Option<Sentence>,
    ) -> Sentence {
        let dead = match self.members.as_slice() {
            [one] => {
                Sentence::from_words("Transition ").transition(*one).push_words(" can never fire")
            }
            roots_only => {
                Sentence::from_words(format!("{} transitions can never fire", roots_only.len()))
            }
        };
        if let Some(why) = self.shared_reason() {
            let roots_only = self.roots.len() == self.members.len();
            return dead
                .push_words(if roots_only { " because " } else { ": " })
                .push_sentence(why.clone());
        }
        let because = match (self.roots.as_slice(), self.sources.as_slice()) {
            ([root], []) => why(*root).map(|why| match self.members.len() {
                1 => Sentence::from_words(" because ").push_sentence(why),
                _ => Sentence::from_words(" because ")
                    .transition(*root)
                    .push_words(" cannot: ")
                    .push_sentence(why),
            }),
            ([], [place]) => {
                Some(Sentence::from_words(" because ").push_sentence(never_filled(net, *place)))
            }
            ([], []) if self.members.len() == 1 => self.waits_for_itself(net),
            ([], []) => Some(
                Sentence::from_words(" because they wait for each other")
                    .push_sentence(self.circle(net)),
            ),
            (roots, []) if roots.len() == self.members.len() => {
                Some(Sentence::from_words(", for different reasons"))
            }
            _ => None,
        };
        because.into_iter().fold(dead, Sentence::push_sentence)
    }

    /// Says that the only member needs more tokens than a place holds initially, and that no other
    /// transition adds tokens to the place. Returns `None` if there is no such place.
    fn waits_for_itself(&self, net: &Net) -> Option<Sentence> {
        let (&t, &place) = self.members.first().zip(self.waited_for.first())?;
        let needed = counted(net.pre_weight(t, place), "token");
        let held = match net.initial()[place] {
            0 => ", which is empty initially, and only ".to_owned(),
            tokens => format!(", which holds {tokens} initially, and only "),
        };
        let text = Sentence::from_words(format!(" because it needs {needed} on "));
        let text = text.place(place).push_words(held).transition(t);
        Some(text.push_words(" adds tokens there"))
    }

    /// Names the places for which the members wait while only members add tokens, for a cause
    /// without roots and sources.
    fn circle(&self, net: &Net) -> Sentence {
        let empty = self.waited_for.iter().all(|&p| net.initial()[p] == 0);
        let text = Sentence::from_words(match (self.waited_for.len(), empty) {
            (1, true) => {
                ": every transition that puts a token on this initially empty place also \
                          takes one from it: "
            }
            (_, true) => {
                ": every transition that puts a token on one of these initially empty \
                          places also takes one from them: "
            }
            (_, false) => ": only these transitions add tokens, and too few tokens are on ",
        });
        text.list(&self.waited_for, ", ", |text, &place| text.place(place))
    }

    /// Returns the sentences below the headline. If several `roots` have a common reason, the first
    /// sentence lists the roots. Otherwise, if there is more than one root or source, each gets a
    /// sentence with its reason if it is known. At most [`MAX_REASONS`] roots and [`MAX_REASONS`]
    /// `sources` are explained, and a further sentence counts the others. If the cause has several
    /// members and some wait for a place, the last sentence lists those members.
    pub(super) fn details(
        &self,
        net: &Net,
        why: &dyn Fn(TransitionId) -> Option<Sentence>,
    ) -> Vec<Sentence> {
        let mut details = Vec::new();
        if self.shared_reason().is_some() {
            let roots_only = self.roots.len() == self.members.len();
            let text = Sentence::from_words(if roots_only {
                "These are "
            } else {
                "These transitions can never \
                fire for this reason: "
            });
            details.push(text.list(&self.roots, ", ", |text, &t| text.transition(t)));
        } else if self.roots.len() + self.sources.len() > 1 {
            for &root in self.roots.iter().take(MAX_REASONS) {
                let text = Sentence::default().transition(root).push_words(" can never fire");
                details.push(
                    why(root)
                        .into_iter()
                        .fold(text, |text, why| text.push_words(" because ").push_sentence(why)),
                );
            }
            let sources = self.sources.iter().take(MAX_REASONS);
            details.extend(sources.map(|&place| never_filled(net, place)));
            let listed = self.roots.len().min(MAX_REASONS) + self.sources.len().min(MAX_REASONS);
            let more = self.roots.len() + self.sources.len() - listed;
            if more > 0 {
                details.push(Sentence::from_words(format!("and {more} more reasons of this kind")));
            }
        }
        let waiting = &self.members[self.roots.len()..];
        if self.members.len() > 1 && !waiting.is_empty() {
            let text = match (self.roots.len(), self.sources.is_empty()) {
                (0, _) => Sentence::from_words("These are "),
                _ => Sentence::from_words(
                    "Therefore these transitions never get the tokens they need: ",
                ),
            };
            details.push(text.list(waiting, ", ", |text, &t| text.transition(t)));
        }
        details
    }
}

/// The largest number of transitions in `roots`, and of places in `sources`, whose reasons are
/// listed for one cause. The page shows the first of these reasons at once and folds the others.
const MAX_REASONS: usize = 40;

/// The largest number of causes with a single dead transition, which waits for no place, that have
/// separate findings. If there are more, they share one finding.
const MAX_SEPARATE_CAUSES: usize = 3;

/// Says that no transition increases the tokens of the place. Every transition that produces tokens
/// on the place, if there is one, consumes at least as many from it.
fn never_filled(net: &Net, place: PlaceId) -> Sentence {
    let text = Sentence::default().place(place);
    let text = match net.initial()[place] {
        0 => text.push_words(" is empty initially, and "),
        tokens => {
            let tokens = counted(usize::try_from(tokens).unwrap_or(usize::MAX), "token");
            text.push_words(format!(" has {tokens} initially, and "))
        }
    };
    match (net.producers(place).is_empty(), net.initial()[place]) {
        (true, 0) => text.push_words("no transition puts a token there"),
        (true, _) => text.push_words("no transition puts more tokens there"),
        (false, _) => text.push_words(
            "every transition that puts tokens there takes at least as many \
                                from it",
        ),
    }
}

/// The largest number of terms of a sum written out in a headline.
const MAX_TERMS: usize = 12;

/// Explains by a constant sum of tokens why a transition never fires: "p and q are never marked
/// together: p + q + r = 1". Returns `None` if no known sum excludes the transition.
pub(super) fn exclusion_sentence(
    net: &Net,
    sums: &InvariantSums,
    t: TransitionId,
) -> Option<Sentence> {
    let exclusion = sums.exclude(net, t)?;
    let together = exclusion.required_tokens();
    let has_unit_weights = together.iter().all(|&(_, weight)| weight == 1);
    let places_joined = |between| {
        Sentence::default().list(together, between, |text, &(place, weight)| {
            if has_unit_weights {
                text.place(place)
            } else {
                text.push_words(format!("{weight}·")).place(place)
            }
        })
    };
    let text = match (together, has_unit_weights) {
        ([_], true) => places_joined("").push_words(" never holds a token"),
        ([(place, weight)], false) => {
            Sentence::default().place(*place).push_words(format!(" never holds {weight} tokens"))
        }
        (_, true) => places_joined(" and ").push_words(" are never marked together"),
        (_, false) => places_joined(" and ").push_words(" never occur together"),
    };
    Some(match exclusion.sum.terms().len() <= MAX_TERMS {
        true => text.push_words(": ").push_sentence(sum(net, &exclusion)),
        false => text.push_words(format!(
            ", because a weighted sum of tokens on {} places never changes",
            exclusion.sum.terms().len()
        )),
    })
}

/// Writes the sum as an equation: `p + 2·q = 1 always`.
fn sum(net: &Net, exclusion: &Exclusion<'_>) -> Sentence {
    let terms = exclusion.sum.terms();
    let text = Sentence::default().list(terms, " + ", |text, (place, factor)| {
        let is_one = *factor == Integer::ONE;
        let text = if is_one { text } else { text.push_words(format!("{factor}·")) };
        text.place(*place)
    });
    text.push_words(format!(" = {} always", exclusion.sum.constant(net.initial())))
}
