mod runs;

use super::pnml::{self, PlainModel};
use super::queries;
use super::*;
use crate::question::Question;
use parikh_generate::{Shape, random};
use parikh_net::units::Unit;
use parikh_net::{LinearSum, Net, NetBuilder, PlaceId, Predicate, UnitId, Units};

fn read(content: &str) -> Result<PlainModel, Unreadable> {
    let file = format!("<pnml><net id='n' type='http://x/ptnet'>\n{content}\n</net></pnml>");
    pnml::read(file.as_bytes())
}

/// Asserts that the content is refused with an error in this line whose message contains `part`.
fn assert_refused(content: &str, line: u64, part: &str) {
    match read(content) {
        Err(error) => {
            assert_eq!(error.line, line, "{error}");
            assert!(error.what.contains(part), "{error}");
        }
        Ok(_) => panic!("accepted, expected: {part}"),
    }
}

const NODES: &str = "<place id='p'><initialMarking><text>1</text></initialMarking></place>
    <place id='q'/><transition id='t'/>";

#[test]
fn pages_references_and_order_do_not_matter() {
    let model = read(
        "<arc id='a' source='r' target='t' type='normal'><inscription><graphics/><text> 2 </text>
         </inscription></arc><name><text>n</text></name>
         <page id='1'><page id='2'><arc id='b' source='t' target='q'/>
         <place id='q'><name><text>p</text></name><initialMarking><text><!-- many -->1<!-- more -->0
         </text></initialMarking></place></page><transition id='t'/>
         <toolspecific tool='x' version='1'><place id='p'/></toolspecific></page>
         <referencePlace id='r' ref='s'/><referencePlace id='s' ref='p'/><place id='p'/>
         <arc id='c' source='p' target='t'/>",
    )
    .unwrap();
    let net = model.net;
    let [p, q] = ["p", "q"].map(|name| net.place_named(name).unwrap());
    let t = net.transition_named("t").unwrap();
    assert_eq!((net.place_count(), net.transition_count()), (2, 1));
    assert_eq!((net.initial()[p], net.initial()[q]), (0, 10));
    assert_eq!((net.pre_weight(t, p), net.post_weight(t, q)), (3, 1), "parallel arcs add up");
}

#[test]
fn unsupported_elements_are_refused_with_their_line() {
    let with = |rest: &str| format!("{NODES}\n{rest}");
    assert_refused(&with("<arc source='p' target='q'/>"), 4, "one kind");
    assert_refused(&with("<arc source='p' target='x'/>"), 4, "no node `x`");
    assert_refused(&with("<arc source='p'/>"), 4, "no attribute `target`");
    assert_refused(&with("<arc source='p' target='t' type='inhibitor'/>"), 1, "plain arcs");
    assert_refused(
        &with("<arc source='p' target='t'><type value='transport'/></arc>"),
        4,
        "transport",
    );
    let weight = |text: &str| {
        with(&format!("<arc source='p' target='t'><inscription>{text}</inscription></arc>"))
    };
    assert_refused(&weight("<text>0</text>"), 4, "weight 0");
    assert_refused(&weight("<text>-1</text>"), 4, "number");
    assert_refused(&weight("<text>1e3</text>"), 4, "number");
    // Tools write an empty text where they mean no label.
    assert!(read(&weight("<text/>")).is_ok() && read(&weight("<value/>")).is_ok());
    assert_refused(&weight("<text>99999999999999999999</text>"), 4, "number");
    assert_refused(&weight("<text>9223372036854775808</text>"), 4, "2^63");
    assert_refused(&weight("<text>2</text><value>3</value>"), 4, "a second number that differs");
    assert_refused(&weight("<text>2</text>3"), 4, "a second number that differs");
    assert!(read(&weight("<text>2</text><value>2</value>")).is_ok());
    assert_refused(&weight("<value>Default,2,Red,1</value>"), 4, "class `Default` only");
    assert_refused(&with("<place id='t'/>"), 3, "used by two");
    assert_refused(
        &with("<place id='u'><capacity><text>3</text></capacity></place>"),
        4,
        "no capacity",
    );
    assert_refused(&with("<transition id='u'><priority/></transition>"), 4, "`priority`");
    assert_refused(&with("<place id='u'><hlinitialMarking/></place>"), 4, "is unknown");
    assert_refused(&with("<place/>"), 4, "no attribute `id`");
    assert!(read(&with("<declaration/>")).is_ok());
    assert_refused(&with("<declaration><structure/></declaration>"), 4, "is unknown");
    assert_refused(
        &with("<referencePlace id='r' ref='r'/><arc source='r' target='t'/>"),
        4,
        "itself",
    );
    assert_refused("<place id='p'>", 3, "well-formed");
    for (file, part) in [
        ("", "well-formed"),
        ("<pnml/>", "expected one `net`"),
        ("<net/>", "expected `pnml`"),
        ("<pnml><net id='a'/><net id='b'/></pnml>", "expected one `net`"),
        ("<pnml><net type='http://x/symmetricnet'/></pnml>", "symmetricnet"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><pnml><net/>&b;</pnml>", "well-formed"),
        ("<pnml><priorities/><net/></pnml>", "`priorities` inside `pnml` is unknown"),
        ("<?xml version='1.0' encoding='UTF-7'?><pnml/>", "utf-7"),
    ] {
        let error = pnml::read(file.as_bytes()).unwrap_err();
        assert!(error.what.contains(part), "{error}");
    }
    assert!(pnml::read(b"<pnml>\n\xFF</pnml>").unwrap_err().to_string().contains("line 2"));
}

#[test]
fn each_reference_resolves_to_one_node() {
    let with = |references: &str| {
        let refers = |pair: &str| {
            let (from, to) = pair.split_once('>').unwrap();
            format!("<referencePlace id='{from}' ref='{to}'/>")
        };
        let references: String = references.split_whitespace().map(refers).collect();
        format!("{NODES}{references}\n<arc source='r' target='t'/>")
    };
    for chain in ["r>p", "r>s s>p", "s>u r>s u>v v>p"] {
        let net = read(&with(chain)).unwrap().net;
        let (p, t) = (PlaceId::new(0), net.transition_named("t").unwrap());
        assert_eq!(net.pre_weight(t, p), 1, "{chain}");
    }
    // A cycle is an error even if no arc uses it.
    for circle in ["r>r", "r>s s>r", "r>s s>u u>s", "u>s s>u r>s x>r", "s>s r>p", "s>u u>s r>p"] {
        assert_refused(&with(circle), 3, "refers to itself");
    }
    assert_refused(&with("r>nowhere"), 3, "refers to `nowhere`, which is not a place");
    assert_refused(&with("r>t"), 3, "refers to `t`, which is not a place");
    assert_refused(&with("r>p r>q"), 3, "used twice");
    assert_refused(&with("r>p p>q"), 3, "the same id as a node");
}

#[test]
fn the_declared_encoding_is_used() {
    let latin =
        b"<?xml version='1.0' encoding='ISO-8859-1'?><pnml><net><place id='\xE9'/></net></pnml>";
    let net = pnml::read(latin).unwrap().net;
    assert!(net.place_named("\u{E9}").is_some());
    let utf = "\u{FEFF}<pnml><net><place id='\u{E9}&lt;&#x61;'/></net></pnml>";
    assert!(pnml::read(utf.as_bytes()).unwrap().net.place_named("\u{E9}<a").is_some());
}

#[test]
fn text_in_utf_16_has_whole_characters() {
    let text = "place p 1\ntransition t: p -> p\n# 1";
    let bytes: Vec<u8> =
        "\u{FEFF}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    assert!(read_model(&bytes).is_ok());
    let error = read_model(&bytes[..bytes.len() - 1]).unwrap_err();
    assert!(error.what.contains("not UTF-16 text"), "{error}");
}

#[test]
fn only_the_blanks_of_xml_are_trimmed_from_names() {
    let net = read(
        "<place id='\u{A0}p'><initialMarking><text>7</text></initialMarking></place>
        <place id='p'/>",
    );
    let net = net.unwrap().net;
    let bound_question = |name: &str| {
        let bound = format!("<place-bound><place>\n {name}\t</place></place-bound>");
        question_of(&net, &bound).unwrap()
    };
    let of = |place| Question::Maximum(LinearSum::new([(PlaceId::new(place), 1)]).unwrap());
    assert_eq!(bound_question("\u{A0}p"), of(0));
    assert_eq!(bound_question("p"), of(1));
}

#[test]
fn nesting_costs_no_stack() {
    let deep = 300_000;
    let pages = format!("{}{NODES}{}", "<page>".repeat(deep), "</page>".repeat(deep));
    assert_eq!(read(&pages).unwrap().net.place_count(), 2);
    let net = read(NODES).unwrap().net;
    for (operator, expected) in [("negation", true), ("conjunction", false)] {
        for (depth, fits) in
            [(queries::MAX_DEPTH, true), (queries::MAX_DEPTH + 1, false), (deep, false)]
        {
            let (start, end) = (format!("<{operator}>"), format!("</{operator}>"));
            let leaf = "<is-fireable><transition>t</transition></is-fireable>";
            let inside = format!("{}{leaf}{}", start.repeat(depth), end.repeat(depth));
            let asked = question_of(&net, &inside);
            assert_eq!(asked.is_ok(), fits || expected, "{operator} {depth}");
        }
    }
}

/// Returns a query file with these formulas, in XML.
fn file_of(formulas: &[&str]) -> String {
    let property = |(index, formula): (usize, &&str)| {
        format!(
            "<property><id>f{index}</id><description/>\n<formula>{formula}</formula></property>"
        )
    };
    let properties: String = formulas.iter().enumerate().map(property).collect();
    format!("<property-set xmlns='http://mcc.lip6.fr/'>{properties}</property-set>")
}

/// Returns the question of the only formula of a query file.
fn question_of(net: &Net, formula: &str) -> Result<Question, Unreadable> {
    queries::read(net, file_of(&[formula]).as_bytes()).unwrap().remove(0).question
}

/// Returns the main question of a formula. If the formula has the equivalent question about its CTL
/// property as an alternative, leaves this alternative out.
fn main_question(net: &Net, formula: &str) -> Result<Question, Unreadable> {
    Ok(match question_of(net, formula)? {
        Question::WithImplications { main, implied_by: shown_by, implied: shows } => {
            assert!(matches!(shown_by[..], [Question::Tree(_)]) && shown_by == shows);
            *main
        }
        plain => plain,
    })
}

const MARKED: &str = "<integer-le><integer-constant>1</integer-constant><tokens-count>
    <place>q</place></tokens-count></integer-le>";

#[test]
fn quantifiers_and_negations_become_reachability_questions() {
    let net = read(NODES).unwrap().net;
    let q = net.place_named("q").unwrap();
    let goal = Predicate::at_least(q, 1);
    let reach =
        |goal: &Predicate, then| Ok(Question::Reach { goals: vec![goal.clone()], all: true, then });
    let ef = |inside: &str| format!("<exists-path><finally>{inside}</finally></exists-path>");
    let ag = |inside: &str| format!("<all-paths><globally>{inside}</globally></all-paths>");
    let not = |inside: &str| format!("<negation>{inside}</negation>");
    let negated = goal.clone().negated();
    assert_eq!(question_of(&net, &ef(MARKED)), reach(&goal, true));
    assert_eq!(question_of(&net, &ag(MARKED)), reach(&negated, false));
    assert_eq!(question_of(&net, &not(&ef(MARKED))), reach(&goal, false));
    assert_eq!(question_of(&net, &not(&ag(MARKED))), reach(&negated, true));
    assert_eq!(question_of(&net, &ag(&not(MARKED))), reach(&goal, false));
    assert_eq!(question_of(&net, MARKED), Ok(Question::Initially(goal.clone())));
    assert_eq!(question_of(&net, &ef("<deadlock/>")), reach(&Predicate::Dead, true));
    let bound = "<place-bound><place>p</place><place>q</place><place>q</place></place-bound>";
    let sum = LinearSum::new([(PlaceId::new(0), 1), (q, 2)]).unwrap();
    assert_eq!(question_of(&net, bound), Ok(Question::Maximum(sum)));
    assert_eq!(question_of(&net, &ef(&ef(MARKED))), reach(&goal, true));
    assert_eq!(question_of(&net, &ag(&ag(MARKED))), reach(&negated, false));
    let both = ef(&format!("<conjunction>{MARKED}{}</conjunction>", ag(MARKED)));
    let lost = Question::Not(Box::new(Question::StaysReachable(vec![negated])));
    assert_eq!(main_question(&net, &both), Ok(lost));
    let next = |inside: &str| format!("<exists-path><next>{inside}</next></exists-path>");
    // A condition after one firing is rewritten as a condition on the marking before it.
    for after_one in [next(MARKED), not(&next(MARKED))] {
        let asked = question_of(&net, &ag(&after_one));
        assert!(matches!(asked, Ok(Question::Reach { then: false, .. })), "{asked:?}");
    }
    let eg = |inside: &str| format!("<exists-path><globally>{inside}</globally></exists-path>");
    assert!(matches!(
        question_of(&net, &ag(&next(&eg(MARKED)))),
        Ok(Question::WithImplications { .. })
    ));
    for beyond in [
        next(&format!("<conjunction>{}{bound}</conjunction>", ef(MARKED))),
        ef(&format!("<next>{}</next>", ef(MARKED))),
        not(bound),
        format!("<conjunction>{}{bound}</conjunction>", ef(MARKED)),
    ] {
        assert!(question_of(&net, &beyond).is_err(), "{beyond}");
    }
}

#[test]
fn formulas_over_questions_are_read_with_their_negations_at_the_questions() {
    let net = read(NODES).unwrap().net;
    let goal = Predicate::at_least(net.place_named("q").unwrap(), 1);
    let negated = goal.clone().negated();
    let ef = format!("<exists-path><finally>{MARKED}</finally></exists-path>");
    let ag = format!("<all-paths><globally>{MARKED}</globally></all-paths>");
    let inside = |around: &str, with: &str, inside: &str| {
        format!("<{around}><{with}>{inside}</{with}></{around}>")
    };
    let reach =
        |goal: &Predicate, then| Question::Reach { goals: vec![goal.clone()], all: true, then };
    let stays = |wanted: &Predicate| Question::StaysReachable(vec![wanted.clone()]);
    let lost = |wanted| Question::Not(Box::new(stays(wanted)));
    let assert_question = |formula: &str, question| {
        assert_eq!(main_question(&net, formula), Ok(question), "{formula}");
    };
    assert_question(&inside("all-paths", "globally", &ef), stays(&goal));
    assert_question(&inside("exists-path", "finally", &ag), lost(&negated));
    let no_ef = format!("<negation>{ef}</negation>");
    assert_question(&inside("exists-path", "finally", &no_ef), lost(&goal));
    let no_ag = format!("<negation>{ag}</negation>");
    assert_question(&inside("all-paths", "globally", &no_ag), stays(&negated));
    assert_question(
        &format!("<negation>{}</negation>", inside("all-paths", "globally", &ef)),
        lost(&goal),
    );
    let junction = |all, parts| Question::Connective { all, parts };
    assert_question(
        &format!("<conjunction>{ef}{MARKED}{ag}</conjunction>"),
        junction(
            true,
            vec![reach(&goal, true), Question::Initially(goal.clone()), reach(&negated, false)],
        ),
    );
    assert_question(
        &format!("<negation><implication>{ef}{ag}</implication></negation>"),
        junction(true, vec![reach(&goal, true), reach(&negated, true)]),
    );
    assert_question(
        &format!("<implication>{ef}<disjunction>{ag}{ef}</disjunction></implication>"),
        junction(
            false,
            vec![
                reach(&goal, false),
                junction(false, vec![reach(&negated, false), reach(&goal, true)]),
            ],
        ),
    );
}

#[test]
fn logical_operators_agree_with_truth_tables() {
    let net = read(NODES).unwrap().net;
    let constant = |value: bool| if value { "<true/>" } else { "<false/>" };
    type NamedOperator = (&'static str, fn(bool, bool) -> bool);
    let binary: [NamedOperator; 3] = [
        ("conjunction", |a, b| a && b),
        ("disjunction", |a, b| a || b),
        ("implication", |a, b| !a || b),
    ];
    for (operator, meaning) in binary {
        for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
            let (x, y) = (constant(a), constant(b));
            let plain = format!("<{operator}>{x}{y}</{operator}>");
            let value = |value| Ok(Question::Initially(Predicate::constant(value)));
            assert_eq!(question_of(&net, &plain), value(meaning(a, b)), "{plain}");
            let twice = format!("<disjunction><negation>{plain}</negation><false/></disjunction>");
            assert_eq!(question_of(&net, &twice), value(!meaning(a, b)), "{twice}");
        }
    }
    type NamedRelation = (&'static str, fn(&u64, &u64) -> bool);
    let relations: [NamedRelation; 6] = [
        ("le", u64::le),
        ("lt", u64::lt),
        ("ge", u64::ge),
        ("gt", u64::gt),
        ("eq", u64::eq),
        ("ne", u64::ne),
    ];
    // p has one token, q none. The test compares 2·p + q with constants on both sides.
    let tokens = "<tokens-count><place>p</place><place>q</place><place>p</place></tokens-count>";
    for (relation, holds) in relations {
        for k in 0..5 {
            let constant = format!("<integer-constant>{k}</integer-constant>");
            let more = format!("<integer-sum>{constant}{tokens}{constant}</integer-sum>");
            for (left, right, a, b) in [
                (tokens, &*constant, 2, k),
                (&*constant, tokens, k, 2),
                (&*more, &*constant, 2 + 2 * k, k),
                (tokens, &*more, 2, 2 + 2 * k),
            ] {
                let formula = format!("<integer-{relation}>{left}{right}</integer-{relation}>");
                let Ok(Question::Initially(predicate)) = question_of(&net, &formula) else {
                    panic!("{formula}");
                };
                assert_eq!(predicate.holds(&net, net.initial()), holds(&a, &b), "{formula}");
            }
        }
    }
}

#[test]
fn malformed_queries_are_errors_of_their_own_formula() {
    let net = read(NODES).unwrap().net;
    for (formula, part) in [
        ("", "one formula"),
        ("<conjunction/>", "0 operands"),
        ("<negation><true/><true/></negation>", "one formula"),
        ("<disjunction><negation><true/><true/></negation></disjunction>", "2 operands"),
        ("<implication><true/></implication>", "1 operands"),
        ("<is-fireable/>", "at least one transition"),
        ("<is-fireable><transition>p</transition></is-fireable>", "no transition `p`"),
        ("<is-fireable><place>t</place></is-fireable>", "no transition `t`"),
        ("<place-bound/>", "at least one place"),
        ("<place-bound><place>x</place></place-bound>", "no place `x`"),
        ("<integer-le><true/><true/></integer-le>", "tokens-count"),
        ("<integer-le><integer-sum/><integer-sum/></integer-le>", "at least one operand"),
        (
            "<integer-le><integer-sum><integer-sum/></integer-sum><true/></integer-le>",
            "integer-sum",
        ),
        ("<integer-le><integer-constant>1</integer-constant></integer-le>", "two operands"),
        ("<no-such/>", "state formula"),
        ("<exists-path/>", "one formula"),
    ] {
        let error = question_of(&net, formula).unwrap_err();
        assert!(error.what.contains(part), "{formula}: {error}");
        assert_eq!(error.line, 2);
    }
    let file = file_of(&["<no-such/>", MARKED]);
    let read = queries::read(&net, file.as_bytes()).unwrap();
    assert!(read[0].question.is_err() && read[1].question.is_ok());
    for file in ["<property/>", "<property-set><x/></property-set>", "<property-set><property/>"] {
        assert!(queries::read(&net, file.as_bytes()).is_err());
    }
}

#[test]
fn a_property_without_id_or_formula_leaves_the_others_readable() {
    let net = read(NODES).unwrap().net;
    let file = format!(
        "\n<!DOCTYPE property-set [<!ELEMENT id ANY>]><property-set>
         <property><formula>{MARKED}</formula></property>
         <property><id> </id><formula>{MARKED}</formula></property>
         <property><id>b</id></property>
         <property><id>c</id><formula>{MARKED}</formula><formula>{MARKED}</formula></property>
         <property><id>d</id><formula>{MARKED}</formula></property></property-set>"
    );
    let properties = queries::read(&net, file.as_bytes()).unwrap();
    let ids: Vec<&str> = properties.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ids, ["", "", "b", "c", "d"]);
    let read: Vec<bool> = properties.iter().map(|it| it.question.is_ok()).collect();
    assert_eq!(read, [false, false, false, false, true]);
}

#[test]
fn a_state_formula_about_cases_is_about_all_cases() {
    let mut builder = NetBuilder::new("n");
    let i = builder.place("i", 1).unwrap();
    builder.place("o", 0).unwrap();
    let t = builder.transition("t").unwrap();
    builder.take(t, i, 1).unwrap();
    let net = builder.build().unwrap();
    let net = net.with_final_markings(vec![parikh_net::Marking::new(vec![0, 2])]);
    let bound = "<integer-ge><tokens-count><place>i</place></tokens-count>
        <integer-constant>5</integer-constant></integer-ge>";
    let question = |formula: &str| {
        let file = file_of(&[formula]);
        queries::read_of_cases(&net, file.as_bytes()).unwrap().remove(0).question.unwrap()
    };
    // No case may exist, so the initial marking does not decide the question.
    let on_all_paths = question(&format!("<all-paths>{bound}</all-paths>"));
    assert!(matches!(on_all_paths, Question::NoRun(_)));
    assert!(matches!(question(bound), Question::NoRun(_)));
    assert!(matches!(question(&format!("<negation>{bound}</negation>")), Question::NoRun(_)));
}

/// Returns the net with one unit per place. The unit of the first place is the root, and directly
/// contains all others. Returns `None` if the units are not valid.
fn with_units(net: &Net, safe: bool) -> Option<Net> {
    let unit = |index: usize| Unit {
        name: format!("u{index}").into(),
        places: vec![PlaceId::new(index)],
        parent: (index > 0).then(|| UnitId::new(0)),
    };
    let all = (0..net.place_count()).map(unit).collect();
    let name = |place| net.place_name(place);
    let units = Units::new(all, UnitId::new(0), safe, net.initial(), name).ok()?;
    let mut builder = NetBuilder::new(net.name());
    for p in net.places() {
        builder.place(net.place_name(p), net.initial()[p]).unwrap();
    }
    for t in net.transitions() {
        builder.transition(net.transition_name(t)).unwrap();
        net.pre(t).iter().for_each(|arc| builder.take(t, arc.place, arc.weight).unwrap());
        net.post(t).iter().for_each(|arc| builder.put(t, arc.place, arc.weight).unwrap());
    }
    builder.set_units(units);
    Some(builder.build().unwrap())
}

#[test]
fn random_nets_are_read_back_unchanged() {
    let mut claims = 0;
    for seed in 0..500 {
        let net = random(seed, &Shape::small(seed));
        let units = [None, with_units(&net, false), with_units(&net, true)];
        claims += usize::from(units[2].is_some());
        for written in units.into_iter().flatten().chain([net]) {
            let file = parikh_net::pnml::pnml(&written);
            let model = pnml::read(file.as_bytes()).unwrap();
            assert_eq!(model.note, None);
            assert_eq!(parikh_net::pnml::pnml(&model.net), file);
            assert_eq!(model.net.units(), written.units());
        }
    }
    assert!(claims > 10, "{claims}");
}

#[test]
fn invalid_units_are_left_out() {
    let section = |size: &str, units: &str| {
        format!(
            "{NODES}<toolspecific tool='nupn' version='1.1'>{size}<structure units='2' root='r' \
             safe='true'>{units}</structure></toolspecific>"
        )
    };
    let size = "<size places='2' transitions='1' arcs='0'/>";
    let right = "<unit id='r'><places/><subunits>u</subunits></unit>
                 <unit id='u'><places>p\nq</places><subunits/></unit>";
    let model = read(&section(size, right)).unwrap();
    assert!(model.note.is_none() && model.net.safe_units().is_some());
    for (size, units, part) in [
        ("<size places='3' transitions='1' arcs='0'/>", right.to_owned(), "3 places"),
        (size, right.replace("q<", "<"), "no unit"),
        (size, right.replace("q<", "q p<"), "more than one unit"),
        (size, right.replace("q<", "x<"), "no place `x`"),
        (size, right.replace("<subunits>u", "<subunits>"), "below the root"),
        (size, right.replace("id='u'", "id='r'"), "two units"),
        (size, right.replace("<subunits/>", "<subunits>u</subunits>"), "inside two"),
        (size, "<unit id='r'><places>p q</places><subunits/></unit>".to_owned(), "2 units"),
    ] {
        let model = read(&section(size, &units)).unwrap();
        let note = model.note.expect(part);
        assert!(note.contains(part), "{note}");
        assert!(model.net.units().is_none());
    }
}

#[test]
fn no_mutilated_file_panics() {
    let right = "<toolspecific tool='nupn'><size places='2' transitions='1' arcs='1'/><structure
        units='1' root='u' safe='true'><unit id='u'><places>p q</places></unit></structure>
        </toolspecific><arc id='a' source='p' target='t'><inscription><text>2</text></inscription></arc>";
    let model = format!("<pnml><net id='n'>{NODES}{right}</net></pnml>").into_bytes();
    assert!(pnml::read(&model).is_ok_and(|model| model.note.is_none()));
    let net = read(NODES).unwrap().net;
    let ef = format!("<exists-path><finally><negation>{MARKED}</negation></finally></exists-path>");
    let formulas = file_of(&[&ef, "<place-bound><place>p</place></place-bound>"]).into_bytes();
    let mut rng = fastrand::Rng::with_seed(1);
    let mut read_mutilated = |file: &[u8], read: &dyn Fn(&[u8])| {
        for at in 0..file.len() {
            read(&file[..at]);
            let mut changed = file.to_vec();
            changed[at] = *rng.choice(b"<>/='&;! 09-pq\xFF\n").unwrap();
            read(&changed);
            changed.drain(at..(at + rng.usize(1..20)).min(file.len()));
            read(&changed);
        }
    };
    read_mutilated(&model, &|file| drop(pnml::read(file)));
    read_mutilated(&formulas, &|file| drop(queries::read(&net, file)));
}
