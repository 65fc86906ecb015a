//! What may stand in a net besides what is read: a walk over all of it, before anything is read.
//!
//! Elements that are not known are refused where they are met. Here are the attributes and the
//! text. An attribute `weight` of an arc, or a number right in an `initialMarking` where a `text`
//! should be around it (or a `value`, with older tools), mean something to who wrote them; a reader
//! that passes over them reads another net. So the attributes are refused that are neither read nor
//! known to mean nothing, and so is text that is not in a `text` or `value`.
//!
//! `graphics`, `toolspecific` and `name` are for others. So are attributes with a prefix, which are
//! another language's; elements of another language are refused. A `>` or `$` too many is a slip
//! that some writers make (models of the contest among them).

use super::{BLANKS, Unreadable, elements, name, trimmed};
use parikh_net::printable::Quoted;
use roxmltree::Node;

/// Attributes that mean nothing, whatever element has them: names for people, and where a node is
/// drawn.
const FOR_PEOPLE: &[&str] = &[
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

/// Refuses attributes and text that are not known, anywhere in a net.
pub(crate) fn nothing_unknown(net: Node<'_, '_>) -> Result<(), Unreadable> {
    let of_net = net.tag_name().namespace();
    let mut unopened = vec![net];
    while let Some(node) = unopened.pop() {
        let own: &[&str] = match name(node) {
            // Times are looked at by `timing`.
            "graphics" | "toolspecific" | "name" | "delay" | "interval" => continue,
            "net" => &["id", "type"],
            "arc" => &["id", "source", "target", "type"],
            // How long TAPAAL waits before it fires in a simulation.
            "transition" => &["id", "distribution", "value"],
            "referencePlace" | "referenceTransition" => &["id", "ref"],
            "place" if node.parent().is_some_and(|around| name(around) == "marking") => &["idref"],
            "type" | "arctype" => &["id", "value"],
            // How PIPE draws arcs, tokens and remarks.
            "arcpath" => &["id", "curvePoint"],
            "token" => &["id", "enabled", "red", "green", "blue"],
            "labels" => &["id", "border", "width", "height"],
            "definition" => &["id", "defType", "expression"],
            "variable" => &["refvariable"],
            "useroperator" | "usersort" => &["declaration"],
            "numberconstant" | "finiteintrangeconstant" | "booleanconstant" => &["value"],
            "partitionelementof" => &["refpartition"],
            "finiteintrange" => &["start", "end"],
            _ => &["id"],
        };
        if node.tag_name().namespace() != of_net {
            let what = format!("`{}` is of another language than the net", name(node));
            return Err(Unreadable::at(node, what));
        }
        for attribute in node.attributes().filter(|it| it.namespace().is_none()) {
            let known = |names: &[&str]| names.contains(&attribute.name());
            let says_no = matches!(
                (attribute.name(), attribute.value()),
                ("player", "0") | ("urgent" | "isStatic", "false") | ("controllable", "true")
            );
            if !known(own) && !known(FOR_PEOPLE) && !says_no {
                let (key, around) = (attribute.name(), name(node));
                let what = format!("`{key}` of `{around}` is not known, and not guessed");
                return Err(Unreadable::at(node, what));
            }
        }
        text_in_its_place(node)?;
        unopened.extend(elements(node));
    }
    Ok(())
}

/// Text stands in a `text` or `value`, or is the kind of an arc, or says how it is drawn.
fn text_in_its_place(node: Node<'_, '_>) -> Result<(), Unreadable> {
    let of_arc = || node.parent().is_some_and(|around| name(around) == "arc");
    // `tagged` is PIPE's, and looked at where it is met.
    if ["text", "value", "tagged"].contains(&name(node))
        || matches!(name(node), "type" | "arctype") && of_arc()
    {
        return Ok(());
    }
    let texts = node.children().filter(Node::is_text).filter_map(|piece| piece.text());
    let is_slip = |text: &str| text.chars().all(|c| matches!(c, '>' | '$') || BLANKS.contains(&c));
    match texts.map(trimmed).find(|text| !is_slip(text)) {
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
    fn text_right_in_a_label_is_refused_not_read_as_nothing() {
        for content in [
            "<place id='p'><initialMarking>3</initialMarking></place>",
            "<place id='p'><initialMarking>3<text>1</text></initialMarking></place>",
            "<place id='p'><initialMarking><text>1</text><![CDATA[3]]></initialMarking></place>",
            "<place id='p'>3</place>",
            "3",
            "<page id='g'>3</page>",
            "<place id='p'/><transition id='t'/><arc source='p' target='t'><inscription>3\
             </inscription></arc>",
            "<place id='p'/><finalmarkings><marking><place idref='p'>3</place></marking>\
             </finalmarkings>",
        ] {
            let problem = problem(content);
            assert!(problem.contains("the text `3` right inside `"), "{problem}");
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
    fn references_hold_nothing() {
        let inside = "<initialMarking><text>1</text></initialMarking>";
        let reference = format!("<referencePlace id='r' ref='p'>{inside}</referencePlace>");
        let problem = problem(&format!("<place id='p'/>{reference}"));
        assert!(problem.contains("`initialMarking` inside `referencePlace`"), "{problem}");
    }
}
