//! Checks the attributes and texts of a PNML net before anything is read.
//!
//! The readers refuse unknown elements where they meet them. This module refuses unknown attributes
//! and texts. An attribute `weight` of an arc has a meaning for its author, and so has a number
//! directly in a page. A reader that ignores them reads another net. So the check refuses
//! attributes that are neither read nor known to be meaningless, and text where no reader looks for
//! it: outside of `text`, `value` (in older tools), and the labels with numbers.
//!
//! The content of `graphics`, `toolspecific` and `name` is ignored. So is the content of the
//! elements of the tool PIPE for drawings and comments. Attributes with a prefix belong to another
//! language and are ignored, too. Elements of another language are refused. Stray `>` and `$` are
//! allowed, since some writers leave them behind, even in models of the contest.

use super::timing::is_timing_element;
use super::{BLANKS, Unreadable, elements, name, trimmed};
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// Attributes without meaning in any element: labels, and positions in drawings.
const PRESENTATION_ATTRIBUTES: &[&str] = &[
    "name",
    "label",
    "displayName",
    "description",
    "comment",
    "version",
    "active",
    "visible",
    "x",
    "y",
    "positionX",
    "positionY",
    "nameOffsetX",
    "nameOffsetY",
    "angle",
    "orientation",
];

/// Elements whose content has no meaning for firing, or is checked by the module `timing`.
const UNCHECKED_ELEMENTS: [&str; 12] = [
    "graphics",
    "toolspecific",
    "name",
    "rate",
    // TINA's second name.
    "label",
    // PIPE's drawings, classes of tokens, comments and conditions for its analyses.
    "orientation",
    "infiniteServer",
    "arcpath",
    "token",
    "labels",
    "definition",
    "stategroup",
];

/// Elements that may contain a text directly. The readers of these labels look for it there.
const LABELS_WITH_TEXT: [&str; 9] = [
    "text",
    "value",
    "tagged",
    "initialMarking",
    "finalMarking",
    "inscription",
    "capacity",
    "priority",
    "timed",
];

/// Returns an error for the first unknown attribute or text in a net. Skips the
/// [`UNCHECKED_ELEMENTS`] and those of times and priorities, with their content.
pub(crate) fn check_attributes_and_texts(net: Node<'_, '_>) -> Result<(), Unreadable> {
    let net_namespace = net.tag_name().namespace();
    let mut worklist = vec![net];
    while let Some(node) = worklist.pop() {
        let known_attributes: &[&str] = match name(node) {
            unchecked if UNCHECKED_ELEMENTS.contains(&unchecked) => continue,
            // The module `timing` checks times and priorities.
            other if is_timing_element(other) => continue,
            "net" => &["id", "type"],
            "arc" => &["id", "source", "target", "type"],
            // TAPAAL writes delays for simulations into `distribution` and `value`.
            "transition" => &["id", "distribution", "value"],
            "referencePlace" | "referenceTransition" => &["id", "ref"],
            "place" if node.parent().is_some_and(|enclosing| name(enclosing) == "marking") => {
                &["idref"]
            }
            "type" | "arctype" => &["id", "value"],
            "variable" => &["refvariable"],
            "useroperator" | "usersort" => &["declaration"],
            "numberconstant" | "finiteintrangeconstant" | "booleanconstant" => &["value"],
            "partitionelementof" => &["refpartition"],
            "finiteintrange" => &["start", "end"],
            _ => &["id"],
        };
        if node.tag_name().namespace() != net_namespace {
            let what = format!("`{}` belongs to another language than the net", name(node));
            return Err(Unreadable::at(node, what));
        }
        for attribute in node.attributes().filter(|it| it.namespace().is_none()) {
            let is_among = |names: &[&str]| names.contains(&attribute.name());
            let is_default = matches!(
                (attribute.name(), attribute.value()),
                ("player", "0") | ("urgent" | "isStatic", "false") | ("controllable", "true")
            );
            if !is_among(known_attributes) && !is_among(PRESENTATION_ATTRIBUTES) && !is_default {
                let (key, enclosing) = (attribute.name(), name(node));
                let what = format!("`{key}` of `{enclosing}` is unknown");
                return Err(Unreadable::at(node, what));
            }
        }
        check_text_position(node)?;
        worklist.extend(elements(node));
    }
    Ok(())
}

/// Refuses text outside of the [`LABELS_WITH_TEXT`], unless it is the type of an arc or the number
/// of a place in a final marking. Stray `>` and `$` are allowed.
fn check_text_position(node: Node<'_, '_>) -> Result<(), Unreadable> {
    let is_in = |key| node.parent().is_some_and(|enclosing| name(enclosing) == key);
    if LABELS_WITH_TEXT.contains(&name(node))
        || matches!(name(node), "type" | "arctype") && is_in("arc")
        || name(node) == "place" && is_in("marking")
    {
        return Ok(());
    }
    let texts = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
    let is_harmless =
        |text: &str| text.chars().all(|c| matches!(c, '>' | '$') || BLANKS.contains(&c));
    match texts.map(trimmed).find(|text| !is_harmless(text)) {
        None => Ok(()),
        Some(text) => {
            let what = format!("the text {} right inside `{}`", Quoted(text), name(node));
            Err(Unreadable::at(node, what + "; expected it inside a `text`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::reader::pnml;

    fn problem(content: &str) -> String {
        let file = format!("<pnml><net id='n' type='http://x/ptnet'>\n{content}\n</net></pnml>");
        pnml::read(file.as_bytes()).map(|model| format!("{:?}", model.net)).unwrap_err().to_string()
    }

    #[test]
    fn text_outside_of_labels_is_refused() {
        for content in ["<place id='p'>3</place>", "3", "<page id='g'>3</page>"] {
            let problem = problem(content);
            assert!(problem.contains("the text `3` right inside `"), "{problem}");
        }
    }

    #[test]
    fn numbers_right_in_a_label_are_read() {
        let read = |content: &str| {
            let file = format!("<pnml><net id='n' type='http://x/ptnet'>{content}</net></pnml>");
            pnml::read(file.as_bytes()).map(|model| model.net)
        };
        let net = read(
            "<place id='p'><initialMarking> 3 <graphics/></initialMarking></place>
             <place id='q'><initialMarking>3<text>3</text></initialMarking>
             <finalMarking>2</finalMarking></place><transition id='t'><timed>false</timed>
             <rate>1.0</rate></transition><labels id='l'>a note</labels>
             <arc source='p' target='t'><inscription>2</inscription></arc>
             <finalmarkings><marking><place idref='p'>4</place></marking></finalmarkings>",
        )
        .unwrap();
        let [p, q] = ["p", "q"].map(|id| net.place_named(id).unwrap());
        let t = net.transition_named("t").unwrap();
        assert_eq!((net.initial()[p], net.initial()[q], net.pre_weight(t, p)), (3, 3, 2));
        let finals: Vec<_> = net.final_markings().iter().map(|it| (it[p], it[q])).collect();
        assert_eq!(finals, [(4, 0), (0, 2)]);
        for inside in ["3<text>1</text>", "<text>1</text><![CDATA[3]]>", "<text>1</text>2"] {
            let content =
                format!("<place id='p'><initialMarking>{inside}</initialMarking></place>");
            let problem = problem(&content);
            assert!(problem.contains("a second number that differs"), "{problem}");
        }
    }

    #[test]
    fn attributes_that_may_mean_something_are_refused() {
        for (content, key) in [
            ("<place id='p' initialMarking='3'/>", "initialMarking"),
            ("<place id='p' capacity='0'/>", "capacity"),
            ("<place id='p'><initialMarking value='3'/></place>", "value"),
            ("<place id='p'/><transition id='t' priority='1'/>", "priority"),
            (
                "<place id='p'/><transition id='t'/><arc source='p' target='t' weight='2'/>",
                "weight",
            ),
            ("<page id='g' tokens='2'/>", "tokens"),
        ] {
            let problem = problem(content);
            assert!(problem.contains(&format!("`{key}` of `")), "{problem}");
        }
        let plain = "<pnml xmlns:a='b'><net id='n' a:weight='7' xml:lang='en'><page id='g' name='n'>
            > <place id='p' name='p' x='1'><graphics weight='1'>3</graphics></place></page></net></pnml>";
        assert_eq!(pnml::read(plain.as_bytes()).unwrap().net.place_count(), 1);
    }

    #[test]
    fn reference_nodes_with_content_are_refused() {
        let inside = "<initialMarking><text>1</text></initialMarking>";
        let reference = format!("<referencePlace id='r' ref='p'>{inside}</referencePlace>");
        let problem = problem(&format!("<place id='p'/>{reference}"));
        assert!(problem.contains("`initialMarking` inside `referencePlace`"), "{problem}");
    }
}
