//! The styles of other tools. Each style is a net in that style with an equivalent plain net, its
//! *twin*. Both readers read both nets, the unfoldings are equal, and `parikh check` gives equal
//! answers. The auditor confirms the evidence about the net from its own reading of the file. The
//! folder `tests/data/styles/` has a complete file for each of four tools.
//!
//! | writer | its habits, from its sources and from files of it in public repositories |
//! |---|---|
//! | GreatSPN's editor (`PNMLFormat.java`) | every token is a `tuple`, also of one component, `all` inside of it; places of black tokens have no `type`; `dot` declared as `Dot` only where there is such a place; numbers as `finiteintrangeconstant` with the ends of the declared range; names are ids; no partitions. Its `true` in guards (`<numberconstant value="true">`, never closed) is no XML |
//! | ePNK | ids `id1`, `id2`; `text` behind `structure`, `graphics` in every label, in `declaration` as well; several declarations, on the page and behind the nodes; `dot` and `productsort` written out in a `type`, `multisetsort` around; no inscription means one black token; types `pt-hlpng` and `highlevelnet`; `ltp` and `gtp` for parts, `lt`, `leq`, `gt`, `geq` for numbers; sums and conjunctions pair by pair |
//! | PNML Framework, CPN-AMI and Coloane through it | declarations on the outermost page; `natural` in counts; markings as one `add` of `numberof`s; names of the form `html` or with blanks, distinguished by ids; a `name` may be empty |
//! | TAPAAL (`verifypn`) | type `ptnet` for coloured nets too; `end` before `start`; the black token as `useroperator` of the sort `dot`; `add` of one; `type="normal"` of arcs; a stray `>` between elements |
//! | AdamMC | no names of sorts, partitions and constants |
//! | contest models by hand and by script | `subterm` in `subterm` (FileSystem); elements of a partition for all their colours (VehicularWifi) |
//! | exporters for CPN Tools | inscriptions as ML in `text` only; what they mean is not guessed, and refused with its line (`nonsense.rs`) |

use crate::audit::content;
use crate::reader::{arc, guarded, place, pnml, read};
use crate::support::binary::TestDirectory;
use parikh::evidence::audit::AuditVerdict;
use parikh::evidence::coloured::{
    ColouredAudit, ColouredModel, RepeatLimits, RequiredBindings, is_coloured,
};
use parikh::evidence::file::Unfolding;
use parikh::evidence::reader::queries;
use parikh::unfold::{UnfoldingConfig, unfold};
use parikh_net::Net;
use parikh_solvers::Budget;

pub(crate) const DECLARED: &str = r#"<namedsort id="dot" name="dot"><dot/></namedsort>
<namedsort id="ring" name="Ring"><cyclicenumeration><feconstant id="ra" name="a"/><feconstant id="rb" name="b"/><feconstant id="rc" name="c"/></cyclicenumeration></namedsort>
<namedsort id="level" name="Level"><finiteintrange start="1" end="3"/></namedsort>
<namedsort id="pair" name="Pair"><productsort><usersort declaration="ring"/><usersort declaration="level"/></productsort></namedsort>
<partition id="half" name="Half"><usersort declaration="ring"/><partitionelement id="h1" name="h1"><useroperator declaration="ra"/><useroperator declaration="rb"/></partitionelement><partitionelement id="h2" name="h2"><useroperator declaration="rc"/></partitionelement></partition>
<variabledecl id="vx" name="x"><usersort declaration="ring"/></variabledecl>
<variabledecl id="vl" name="l"><usersort declaration="level"/></variabledecl>"#;

pub(crate) const X: &str = "<variable refvariable=\"vx\"/>";
pub(crate) const L: &str = "<variable refvariable=\"vl\"/>";
pub(crate) const C: &str = "<useroperator declaration=\"rc\"/>";
pub(crate) const DOT: &str = "<dotconstant/>";
pub(crate) const RANGE: &str = "<finiteintrange start=\"1\" end=\"3\"/>";
pub(crate) const ALL_RING: &str = "<all><usersort declaration=\"ring\"/></all>";

pub(crate) fn op(name: &str, operands: &[&str]) -> String {
    let operands: String = operands.iter().map(|it| format!("<subterm>{it}</subterm>")).collect();
    format!("<{name}>{operands}</{name}>")
}

pub(crate) fn level(value: u64) -> String {
    format!("<finiteintrangeconstant value=\"{value}\">{RANGE}</finiteintrangeconstant>")
}

pub(crate) fn number(value: u64) -> String {
    format!("<numberconstant value=\"{value}\"><positive/></numberconstant>")
}

pub(crate) fn part_of(term: &str) -> String {
    op("partitionelementof", &[term])
        .replace("<partitionelementof>", "<partitionelementof refpartition=\"half\">")
}

pub(crate) fn times(count: u64, term: &str) -> String {
    op("numberof", &[&number(count), term])
}

/// Returns the plain net: tokens on a ring that move one at a time until all are `c`.
pub(crate) fn plain() -> String {
    let pair = op("tuple", &[X, L]);
    let guard = op("and", &[&op("inequality", &[X, C]), &op("lessthanorequal", &[L, &level(3)])]);
    let page = place("at", "ring", ALL_RING)
        + &place("lev", "level", &times(1, &level(2)))
        + &place("pp", "pair", "")
        + &place("part", "half", "")
        + &place("idle", "dot", &times(2, DOT))
        + &guarded("go", &guard)
        + "<transition id=\"back\"/>\n"
        + &arc("at", "go", X)
        + &arc("lev", "go", L)
        + &arc("idle", "go", DOT)
        + &arc("go", "pp", &pair)
        + &arc("go", "part", &part_of(X))
        + &arc("pp", "back", &pair)
        + &arc("part", "back", &part_of(X))
        + &arc("back", "at", &op("successor", &[X]))
        + &arc("back", "lev", L)
        + &arc("back", "idle", DOT);
    pnml(DECLARED, &page)
}

/// Returns the plain net with other spellings, after asserting that each original spelling occurs.
#[track_caller]
pub(crate) fn spelt(spellings: &[(&str, &str)]) -> String {
    let mut file = plain();
    for (from, to) in spellings {
        assert!(file.contains(from), "{from}\n{file}");
        file = file.replace(from, to);
    }
    file
}

fn unfolded(file: &str) -> Net {
    let net = read(file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    unfold(&net, &UnfoldingConfig::default(), &Budget::unlimited()).unwrap().0
}

fn audited(file: &str) -> ColouredModel {
    assert!(is_coloured(file.as_bytes()), "{file}");
    let model = parikh::evidence::coloured::read(file.as_bytes());
    model.unwrap_or_else(|error| panic!("{error}\n{file}"))
}

const EXAMINATIONS: [&str; 4] =
    ["ReachabilityDeadlock", "OneSafe", "StateSpace", "ReachabilityCardinality"];

/// Queries: a token is on its way, and two are.
const QUERIES: &str = "<property-set xmlns=\"http://mcc.lip6.fr/\">
<property><id>one</id><formula><exists-path><finally><integer-le><integer-constant>1</integer-constant>
<tokens-count><place>pp</place></tokens-count></integer-le></finally></exists-path></formula></property>
<property><id>two</id><formula><exists-path><finally><integer-le><integer-constant>2</integer-constant>
<tokens-count><place>pp</place></tokens-count></integer-le></finally></exists-path></formula></property>
</property-set>";

/// Returns the answers about a file, one per line, each confirmed by the auditor from the same
/// file.
fn answers(file: &str) -> String {
    let directory = TestDirectory::new();
    directory.write("model.pnml", file);
    directory.write("ReachabilityCardinality.xml", QUERIES);
    let model = audited(file);
    let mut answers = String::new();
    for examination in EXAMINATIONS {
        let said = directory.succeeds(&[
            "check",
            "model.pnml",
            "-e",
            examination,
            "--evidence",
            "proofs",
            "-t",
            "60s",
            "--format",
            "mcc",
        ]);
        // The techniques differ between runs and are removed.
        let mut lines: Vec<&str> =
            said.lines().map(|line| line.split(" TECHNIQUES").next().unwrap_or_default()).collect();
        lines.sort_unstable();
        answers += &(lines.join("\n") + "\n");
        let query_file = |net: &Net, _: &str| {
            queries::read(net, QUERIES.as_bytes()).map_err(|error| error.to_string())
        };
        let limits = RepeatLimits { max_tried_colours: 1_000_000, max_markings: 10_000 };
        let mut audit = ColouredAudit::new(&model, limits, Box::new(query_file));
        audit.file(&directory.at(&format!("proofs/{examination}.jsonl"))).unwrap();
        let report = audit.finish();
        assert!(!report.judged.is_empty(), "{examination}\n{file}");
        for judged in report.judged {
            assert!(matches!(judged.verdict, AuditVerdict::Confirmed(_)), "{judged:?}\n{file}");
        }
    }
    answers
}

/// Asserts that both readers read the twin's net from the file.
#[track_caller]
pub(crate) fn same_net(file: &str, twin: &str) {
    let (flat, expected) = (unfolded(file), content(&unfolded(twin)));
    assert_eq!(content(&flat), expected, "{file}");
    for it in [file, twin] {
        let own = audited(it).unfold(
            &Unfolding::of(&flat),
            RequiredBindings::OnePerEffect,
            1_000_000,
            &mut || true,
        );
        let own = own.unwrap_or_else(|error| panic!("{error}\n{it}"));
        assert_eq!(content(&own), expected, "{it}");
    }
}

/// Asserts that the net and all answers equal those of the plain net.
#[track_caller]
pub(crate) fn alike(file: &str) {
    same_net(file, &plain());
    static EXPECTED: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    let expected = EXPECTED.get_or_init(|| answers(&plain()));
    assert!(expected.contains("FORMULA one TRUE") && expected.contains("FORMULA two FALSE"));
    assert_eq!(answers(file), *expected, "{file}");
}

#[test]
fn each_writers_file_is_read_as_its_plain_twin() {
    alike(include_str!("../data/styles/epnk.pnml"));
    alike(include_str!("../data/styles/pnml-framework.pnml"));
    // These styles have no partitions.
    let twin = spelt(&[
        (&place("part", "half", ""), ""),
        (&arc("go", "part", &part_of(X)), ""),
        (&arc("part", "back", &part_of(X)), ""),
    ]);
    for file in
        [include_str!("../data/styles/greatspn.pnml"), include_str!("../data/styles/tapaal.pnml")]
    {
        same_net(file, &twin);
        assert_eq!(answers(file), answers(&twin), "{file}");
    }
}

#[test]
fn tuples_and_products_of_one_component_are_that_component() {
    let tuple = |term: &str| op("tuple", &[term]);
    let guard = op("inequality", &[X, C]);
    alike(&spelt(&[
        (&guard, &op("inequality", &[&tuple(X), &tuple(&tuple(C))])),
        (ALL_RING, &tuple(ALL_RING)),
        (&times(1, &level(2)), &times(1, &tuple(&level(2)))),
        (&op("successor", &[X]), &tuple(&op("successor", &[&tuple(X)]))),
        (&format!("<structure>{X}"), &format!("<structure>{}", tuple(X))),
        (&format!("<structure>{DOT}"), &format!("<structure>{}", tuple(DOT))),
    ]));
    let product = |sort: &str| format!("<productsort>{sort}</productsort>");
    let user = |id: &str| format!("<usersort declaration=\"{id}\"/>");
    let pair = user("ring") + &user("level");
    alike(&spelt(&[
        (&pair, &(product(&user("ring")) + &product(&product(&user("level"))))),
        ("<dot/></namedsort>", &format!("{}</namedsort>", product("<dot/>"))),
        (
            &format!("<structure>{}", user("ring")),
            &format!("<structure>{}", product(&user("only"))),
        ),
        (&format!("x\">{}", user("ring")), &format!("x\">{}", product(&user("only")))),
        (
            "<variabledecl id=\"vl\"",
            &format!(
                "<namedsort id=\"only\" name=\"Only\">{}</namedsort><variabledecl id=\"vl\"",
                product(&user("ring"))
            ),
        ),
    ]));
}

#[test]
fn any_number_of_wrapper_elements_is_skipped() {
    alike(&spelt(&[
        ("<subterm>", "<subterm> <subterm>\n<subterm><!-- so -->"),
        ("</subterm>", "</subterm>\t</subterm></subterm>"),
    ]));
    alike(&spelt(&[
        ("<structure>", "<structure><structure>"),
        ("</structure>", "</structure></structure>"),
    ]));
    alike(&spelt(&[("<structure>", ""), ("</structure>", "")]));
    alike(&spelt(&[("<subterm>", ""), ("</subterm>", "")]));
    alike(&spelt(&[("<declarations>", ""), ("</declarations>", "")]));
}

#[test]
fn graphics_and_tool_data_between_elements_are_ignored() {
    let data = "<graphics><offset x=\"1\" y=\"2\"/></graphics><toolspecific tool=\"t\" version=\"1\">\
                <variable refvariable=\"none\"/></toolspecific>";
    let with = |element: &str| format!("<{element}>{data}");
    for element in ["structure", "subterm", "tuple", "productsort", "hlinscription", "type", "dot"]
    {
        let (plain, more) = (format!("<{element}>"), with(element));
        match element {
            "dot" => alike(&spelt(&[("<dot/>", &(more + "</dot>"))])),
            _ => same_net(&spelt(&[(&plain, &more)]), &self::plain()),
        }
    }
    same_net(&spelt(&[("<structure>", "<structure>&#xD;\n ><![CDATA[ > ]]>")]), &plain());
    same_net(&spelt(&[("</namedsort>", "$</namedsort>")]), &plain());
}

#[test]
fn inline_sorts_are_read_everywhere() {
    let user = |id: &str| format!("<usersort declaration=\"{id}\"/>");
    let product = format!("<productsort>{}{RANGE}</productsort>", user("ring"));
    let multisets = |sort: &str| format!("<multisetsort>{sort}</multisetsort>");
    alike(&spelt(&[
        (&format!("<structure>{}", user("pair")), &format!("<structure>{}", multisets(&product))),
        (&format!("<structure>{}", user("level")), &format!("<structure>{RANGE}")),
        (&format!("<structure>{}", user("dot")), "<structure><dot/>"),
        (&format!("l\">{}", user("level")), &format!("l\">{RANGE}")),
        (ALL_RING, &format!("<all>{}</all>", multisets(&user("ring")))),
    ]));
    // Sorts that name other sorts, declared after the sorts that use them.
    let named = |id: &str, of: &str| format!("<namedsort id=\"{id}\">{}</namedsort>", user(of));
    alike(&spelt(&[
        (&format!("x\">{}", user("ring")), &format!("x\">{}", user("r3"))),
        (
            &format!("half\" name=\"Half\">{}", user("ring")),
            &format!("half\" name=\"Half\">{}", user("r2")),
        ),
        (&level(2), &level(2).replace(RANGE, &user("lv"))),
        (
            "<namedsort id=\"dot\"",
            &(named("r3", "r2")
                + &named("lv", "level")
                + &named("r2", "ring")
                + "<namedsort id=\"dot\""),
        ),
    ]));
    let apart = "</declarations></structure></declaration><declaration><text>more</text>\
                 <structure><declarations>";
    alike(&spelt(&[
        ("<variabledecl id=\"vl\"", &format!("{apart}<variabledecl id=\"vl\"")),
        ("<partition id", &format!("{apart}<partition id")),
    ]));
    let declared = format!(
        "<declaration><structure><declarations>{DECLARED}</declarations></structure></declaration>"
    );
    alike(&spelt(&[
        (DECLARED, ""),
        ("<page id=\"page\">", &format!("<page id=\"page\">{declared}<page id=\"inner\">")),
        ("</page>", "</page></page>"),
    ]));
}

#[test]
fn black_tokens_are_read_in_all_spellings() {
    let user = "<usersort declaration=\"dot\"/>";
    let with_type = format!("<type><text>t</text><structure>{user}</structure></type>");
    let declared = "<namedsort id=\"dot\" name=\"dot\"><dot/></namedsort>";
    let hlinscription =
        format!("<hlinscription><text>t</text><structure>{DOT}</structure></hlinscription>");
    alike(&spelt(&[(&with_type, ""), (declared, "")]));
    alike(&spelt(&[(&with_type, "<type><structure><dot/></structure></type>"), (declared, "")]));
    alike(&spelt(&[(&hlinscription, "")]));
    alike(&spelt(&[(&hlinscription, "<hlinscription><text/></hlinscription>")]));
    alike(&spelt(&[(DOT, "<useroperator declaration=\"dot\"/>")]));
    alike(&spelt(&[(DOT, &format!("<all>{user}</all>"))]));
    alike(&spelt(&[(&times(2, DOT), &op("add", &[DOT, DOT]))]));
}

#[test]
fn truth_values_are_colours_too() {
    let net = |sort: &str, no: &str, yes: &str, b: &str| {
        let declared = format!(
            "<namedsort id=\"truth\" name=\"T\">{sort}</namedsort><variabledecl id=\"vb\" name=\"b\">\
             <usersort declaration=\"truth\"/></variabledecl>"
        );
        let page = place("pp", "truth", &times(2, no))
            + &guarded("t", &op("not", &[b]))
            + &arc("pp", "t", "<variable refvariable=\"vb\"/>")
            + &arc("t", "pp", yes);
        pnml(&declared, &page)
    };
    let variable = "<variable refvariable=\"vb\"/>";
    let [no, yes] = ["false", "true"].map(|value| format!("<booleanconstant value=\"{value}\"/>"));
    let styled = net("<bool/>", &no, &yes, variable);
    let constants = "<feconstant id=\"false\"/><feconstant id=\"true\"/>";
    let [f, t] = ["false", "true"].map(|id| format!("<useroperator declaration=\"{id}\"/>"));
    let twin = net(
        &format!("<finiteenumeration>{constants}</finiteenumeration>"),
        &f,
        &t,
        &op("equality", &[variable, &t]),
    );
    same_net(&styled, &twin);
    assert_eq!(answers(&styled), answers(&twin));
}
