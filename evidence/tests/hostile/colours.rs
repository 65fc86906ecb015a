//! Hostile coloured models, with too many colours to enumerate.

use super::{AuditLimits, HostileKinds, Instance, answer, repeat};
use std::io::Write;

/// Returns a model with one place of a sort with this marking, and a transition that moves a
/// colour. `listed` are the places and the transitions of the unfolding that the evidence lists.
/// `counts` are the claimed numbers of places and transitions.
fn coloured(sort: &str, marked: &str, listed: &[String; 2], counts: (usize, usize)) -> Instance {
    let user = "<usersort declaration='s'/>";
    let variable = |id: &str| format!("<subterm><variable refvariable='{id}'/></subterm>");
    let mut model = format!(
        "<pnml><net id='n' type='symmetricnet'><declaration><structure><declarations>
         <namedsort id='s' name='s'>{sort}</namedsort>"
    );
    for id in ["x", "y", "z"] {
        model.push_str(&format!("<variabledecl id='{id}' name='{id}'>{user}</variabledecl>"));
    }
    model.push_str(&format!(
        "</declarations></structure></declaration>
         <place id='p'><type><structure>{user}</structure></type>
         <hlinitialMarking><structure>{marked}</structure></hlinitialMarking></place>
         <transition id='t'><condition><structure><or><subterm><equality>{0}{0}</equality></subterm>
         <subterm><inequality>{1}{2}</inequality></subterm></or></structure></condition></transition>",
        variable("x"),
        variable("y"),
        variable("z"),
    ));
    for (id, source, target) in [("a", "p", "t"), ("b", "t", "p")] {
        let inscription = "<variable refvariable='x'/>";
        let arc = format!("<arc id='{id}' source='{source}' target='{target}'><hlinscription>");
        model.push_str(&format!("{arc}<structure>{inscription}</structure></hlinscription></arc>"));
    }
    model.push_str("</net></pnml>");
    let [places, transitions] = listed;
    Instance::pnml(&model).evidence("OneSafe", ("n", counts.0, counts.1), |out| {
        let nodes = format!(r#""places": [{places}], "transitions": [{transitions}]"#);
        writeln!(out, r#"{{"unfolding": {{{nodes}}}}}"#).unwrap();
        writeln!(out, "{}", answer("OneSafe", "TRUE", "")).unwrap();
    })
}

fn range(end: u64) -> String {
    format!("<finiteintrange start='1' end='{end}'/>")
}

fn list(count: usize, name: impl FnMut(usize) -> String) -> String {
    let mut text = Vec::new();
    repeat(&mut text as &mut dyn Write, count, name);
    String::from_utf8(text).unwrap()
}

#[test]
fn colours_beyond_number() {
    let mut kinds = HostileKinds::default();
    let most = 1_000_000_000_000_000_000;
    let all = "<all><usersort declaration='s'/></all>";
    let none = "<empty/>";
    let no_names = [String::new(), String::new()];
    let too_many = "more than 20000000 colours to be tried";
    let every = coloured(&range(most), all, &no_names, (0, 0));
    kinds.expect("all of 10¹⁸ colours", AuditLimits::None, every, 3, &["OneSafe", too_many]);
    let one = [r#""p(1000000000000000000)""#.to_owned(), String::new()];
    let last = coloured(&range(most), none, &one, (1, 0)).with(&["--unfold", "200000"]);
    let too_many = "more than 200000 colours to be tried";
    kinds.expect("the last of 10¹⁸ colours", AuditLimits::None, last, 3, &["OneSafe", too_many]);
    let binding = |at: usize| format!("\"t(x=1,y=1,z={at})\"");
    let listed = [r#""p(1)""#.to_owned(), list(100_000, |at| binding(at + 1))];
    let unlisted = coloured(&range(1_000), none, &listed, (1, 100_000));
    kinds.expect(
        "names of nothing",
        AuditLimits::Enough,
        unlisted,
        1,
        &["jsonl:2", "the net listed"],
    );
    let listed = [list(1_000_000, |at| format!("\"p({at})\"")), String::new()];
    let names = coloured(&range(1_000), none, &listed, (1_000_000, 0));
    kinds.expect(
        "10⁶ names",
        AuditLimits::Enough,
        names,
        1,
        &["jsonl:2", "listed but is not a place"],
    );
    let listed = [list(1_000, |at| format!("\"p({})\"", at + 1)), r#""t(x=1,y=1,z=1)""#.to_owned()];
    let left_out = coloured(&range(1_000), none, &listed, (1_000, 1));
    let found = &["jsonl:2", "is not listed"];
    kinds.expect("10⁹ bindings that are not listed", AuditLimits::None, left_out, 1, found);
    // The number of binding kinds kept is limited by the number of names that do not occur.
    let places = list(1_000, |at| format!("\"p({})\"", at + 1));
    let listed = [places, list(100_000, |at| format!("\"t(x=0,y=0,z={at})\""))];
    let kept = coloured(&range(1_000), none, &listed, (1_000, 100_000));
    let kept = kept.with(&["--unfold", "1000000"]);
    let too_many = "more than 1000000 colours to be tried";
    kinds.expect("10⁹ bindings, 10⁵ names", AuditLimits::None, kept, 3, &["OneSafe", too_many]);
    kinds.assert_all(6);
}
