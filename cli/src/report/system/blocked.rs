//! Explanations of a deadlock of a system: the components for which each component waits.

use parikh_systems::{LabelId, System};

/// The largest number of components described.
const MAX_COMPONENTS: usize = 24;
/// The largest number of labels listed for one component.
const MAX_LABELS: usize = 6;

/// Describes for each component in a joint state the labels of its edges and the components that
/// block them. Returns one line per component, for at most [`MAX_COMPONENTS`] components. A last
/// line counts the components left out.
pub(super) fn blocked(system: &System, joint: &[u32]) -> Vec<String> {
    let line = |(component_index, &state): (usize, &u32)| {
        let component = &system.components()[component_index];
        let (name, title) = (component.name(), component.title(state));
        let mut labels: Vec<LabelId> = component.edges(state).iter().map(|edge| edge.0).collect();
        labels.dedup();
        if labels.is_empty() {
            return format!("{name} is in {title}, which has no outgoing edge");
        }
        let waiting = labels.iter().take(MAX_LABELS).map(|&label| {
            let blockers = blocking_owners(system, joint, label).join(", ");
            format!("“{}” waits for {blockers}", system.label(label))
        });
        let more = match labels.len().saturating_sub(MAX_LABELS) {
            0 => String::new(),
            more => format!(", and {more} more labels"),
        };
        format!("{name} is in {title}: {}{more}", waiting.collect::<Vec<_>>().join("; "))
    };
    let mut lines: Vec<String> = joint.iter().enumerate().take(MAX_COMPONENTS).map(line).collect();
    if joint.len() > MAX_COMPONENTS {
        lines.push(format!("… and {} more components", joint.len() - MAX_COMPONENTS));
    }
    lines
}

/// Returns the names of the label's owners that have no edge with the label in their current state.
fn blocking_owners<'s>(system: &'s System, joint: &[u32], label: LabelId) -> Vec<&'s str> {
    let owners = system.owners(label).iter().map(|&component_index| component_index as usize);
    let blockers = owners.filter(|&component_index| {
        let edges = system.components()[component_index].edges(joint[component_index]);
        edges.iter().all(|edge| edge.0 != label)
    });
    blockers.map(|component_index| system.components()[component_index].name()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parikh_systems::read;

    #[test]
    fn blocked_components_are_explained() {
        let text = "digraph G {\nsubgraph one {\nr->0 [label=\"\"];\n0->1 [label=\"a\"];\n1->0 [label=\"b\"];\n}\n\
                    subgraph two {\nq->x [label=\"\"];\nx->y [label=\"a\"];\nx->x [label=\"b\"];\n}\n}\n";
        let system = read::dot(text, "n").unwrap();
        // After `a`, the component `one` waits for the component `two` to take part in `b`.
        let said = blocked(&system, &[1, 1]);
        assert_eq!(
            said,
            ["one is in 1: “b” waits for two", "two is in y, which has no outgoing edge"]
        );
    }
}
