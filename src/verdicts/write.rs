//! A writer for verdict files in version 2.0, in the order of the grammar.

use super::{KeyVerdict, StatedBy, VerdictFile};
use parikh_input::Element;
use parikh_net::{FiringSequence, Net};

impl VerdictFile {
    /// Returns the file in version 2.0, whatever version was read. Like the contest's files, it has
    /// no XML declaration.
    pub fn print(&self) -> String {
        let mut root = Element::new("toolspecific")
            .with_attribute("tool", "propertiesverdict")
            .with_attribute("version", "2.0");
        root.push(Element::new("modelreference").with_attribute("modelname", &self.model));
        self.verdicts.iter().for_each(|verdict| root.push(element(verdict)));
        let mut text = root.print();
        text.push('\n');
        text
    }
}

fn element(verdict: &KeyVerdict) -> Element {
    let mut element = Element::new("verdict")
        .with_attribute("category", &verdict.category.to_string())
        .with_attribute("reference", &verdict.reference)
        .with_attribute("value", &verdict.value.to_string());
    for instance in &verdict.instances {
        element.push(Element::new("modelinstance").with_attribute("reference", instance));
    }
    if let Some(explanation) = &verdict.explanation {
        element.push(Element::new("explanation").with_text(explanation));
    }
    if let Some(StatedBy { tool, version, date, reference }) = &verdict.stated_by {
        let mut stated_by = Element::new("statedby")
            .with_attribute("tool", tool)
            .with_attribute("version", version);
        for (name, value) in [("date", date), ("reference", reference)] {
            if let Some(value) = value {
                stated_by = stated_by.with_attribute(name, value);
            }
        }
        element.push(stated_by);
    }
    if !verdict.techniques.is_empty() {
        let mut techniques = Element::new("techniques");
        for technique in &verdict.techniques {
            techniques.push(Element::new("technique").with_text(technique));
        }
        element.push(techniques);
    }
    if let Some(trace) = &verdict.trace {
        let mut wrapper = Element::new("trace");
        wrapper.push(trace.clone());
        element.push(wrapper);
    }
    element
}

/// Returns a firing sequence as a trace element: `<firingsequence firings="3"><fire transition="t"
/// times="3"/>…`. The attribute `times` occurs only if a transition fires several times in a row.
pub fn firing_sequence(net: &Net, sequence: &FiringSequence) -> Element {
    let mut element =
        Element::new("firingsequence").with_attribute("firings", &sequence.firings().to_string());
    for step in sequence.steps() {
        let fire =
            Element::new("fire").with_attribute("transition", net.transition_name(step.transition));
        element.push(match step.count {
            1 => fire,
            count => fire.with_attribute("times", &count.to_string()),
        });
    }
    element
}
