//! Groups of open goals that share a reduced net.
//!
//! A reduction must keep the places that its goals read. A dozen formulas together read nearly
//! every place, so the net hardly shrinks, but most formulas alone concern a small part of the net.
//! On the other hand, an examination with a goal per node would reduce the net a hundred thousand
//! times. So if there are few goals, two goals share a group only if their reductions must preserve
//! the same properties of the net. If there are many, consecutive goals share a group: neighbours
//! in the model often need the same places and transitions.

use parikh_net::{GoalId, MarkingGoal, Net};
use parikh_reduction::{Needs, needs};

/// Largest number of goals in a group. Each witness of a reduced net is translated for each goal
/// separately, so the cost grows with the group.
pub(super) const MAX_GROUP_SIZE: usize = 400;

/// Largest number of groups for at most `TARGET_GROUPS` · [`MAX_GROUP_SIZE`] goals. More goals give
/// more groups.
const TARGET_GROUPS: usize = 64;

/// Partitions the goals into groups. The order of the goals stays.
pub(super) fn partition_goals(
    net: &Net,
    goals: &[(GoalId, MarkingGoal)],
) -> Vec<Vec<(GoalId, MarkingGoal)>> {
    let group_size = goals.len().div_ceil(TARGET_GROUPS).clamp(1, MAX_GROUP_SIZE);
    if group_size > 1 {
        return goals.chunks(group_size).map(<[_]>::to_vec).collect();
    }
    let mut groups: Vec<(Needs, Vec<(GoalId, MarkingGoal)>)> = Vec::new();
    for goal in goals {
        let needs = needs::of_goals(net, [&goal.1.clone().into()]);
        match groups.iter_mut().find(|(group_needs, _)| *group_needs == needs) {
            Some((_, group)) => group.push(goal.clone()),
            None => groups.push((needs, vec![goal.clone()])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_net::{Predicate, TransitionId, text};

    #[test]
    fn goals_with_the_same_needs_share_a_net_and_many_come_in_batches() {
        let net = text::parse("place p 1\nplace q\ntransition t: p -> q").unwrap();
        let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
        let at_least = |place, tokens| MarkingGoal::Reach(Predicate::at_least(place, tokens));
        let listed = |goals: Vec<MarkingGoal>| -> Vec<(GoalId, MarkingGoal)> {
            goals.into_iter().enumerate().map(|(at, goal)| (GoalId::new(at), goal)).collect()
        };
        let few = listed(vec![at_least(p, 2), at_least(q, 2), at_least(p, 3)]);
        let positions = |goals: &[(GoalId, MarkingGoal)]| -> Vec<usize> {
            goals.iter().map(|(id, _)| id.index()).collect()
        };
        let groups: Vec<_> =
            partition_goals(&net, &few).iter().map(|group| positions(group)).collect();
        assert_eq!(groups, [vec![0, 2], vec![1]]);
        let fires = MarkingGoal::Reach(Predicate::Enabled(TransitionId::new(0)));
        let many = partition_goals(&net, &listed(vec![fires; 1000]));
        assert_eq!((many.len(), many[0].len()), (63, 16));
        assert_eq!(positions(&many.concat()), (0..1000).collect::<Vec<_>>());
        assert!(partition_goals(&net, &[]).is_empty());
    }
}
