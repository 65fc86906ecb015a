//! Malformed coloured files: a message with the line and the error, no panic, and no excessive
//! work.

use crate::audit::content;
use crate::reader::{SORTS, arc, guarded, place, pnml, read};
use crate::support::scale::scaled;
use fastrand::Rng;
use parikh::evidence::coloured::RequiredBindings;
use parikh::evidence::file::Unfolding;
use parikh::unfold::{UnfoldingConfig, UnfoldingError, unfold};
use parikh_solvers::Budget;
use std::time::{Duration, Instant};

fn problem(declarations: &str, page: &str) -> String {
    read(&pnml(declarations, page)).unwrap_err()
}

fn sort(id: &str, kind: &str) -> String {
    format!("<namedsort id=\"{id}\" name=\"{id}\">{kind}</namedsort>")
}

#[test]
fn a_reference_with_the_id_of_a_node_is_refused_by_both_readers() {
    let page = |references: &str| {
        let ends = arc("p", "t", "<dotconstant/>") + &arc("t", "q", "<dotconstant/>");
        let nodes = place("p", "dot", "<dotconstant/>") + &place("q", "dot", "");
        format!("{nodes}<transition id=\"t\"/>{ends}{references}")
    };
    let dot = sort("dot", "<dot/>");
    let both = |references: &str| {
        let file = pnml(&dot, &page(references));
        let own = parikh::evidence::coloured::read(file.as_bytes()).err().map(|error| error.what);
        (read(&file).err(), own)
    };
    assert_eq!(both(""), (None, None));
    for (references, expected) in [
        ("<referencePlace id=\"p\" ref=\"q\"/>", "`p` is used by two nodes"),
        (
            "<referencePlace id=\"r\" ref=\"q\"/><referencePlace id=\"r\" ref=\"p\"/>",
            "`r` is used by two",
        ),
    ] {
        let (prover, auditor) = both(references);
        assert!(prover.is_some_and(|why| why.contains(expected)), "{references}");
        assert!(auditor.is_some(), "{references}");
    }
}

#[test]
fn invalid_declarations_are_reported() {
    let user = |name| format!("<usersort declaration=\"{name}\"/>");
    let product = |parts: &str| format!("<productsort>{parts}</productsort>");
    for (declarations, expected) in [
        (sort("a", &user("b")), "f:8:1: sort `a`: this net has no sort `b`"),
        (
            sort("a", &user("a")),
            "f:8:1: sort `a`: the sort `a` is defined by itself, directly or through other sorts",
        ),
        (
            sort("a", &product(&user("b"))) + "\n" + &sort("b", &product(&user("a"))),
            "f:9:1: sort `b`: the sort `b` is defined by itself, directly or through other sorts",
        ),
        (
            sort("a", "<dot/>") + &sort("a", "<dot/>"),
            "f:8:46: sort `a`: the id `a` is declared twice",
        ),
        (
            sort("a", "<finiteintrange start=\"3\" end=\"1\"/>"),
            "f:8:1: sort `a`: the sort `a` has no colour",
        ),
        (
            sort("a", "<finiteintrange start=\"x\" end=\"1\"/>"),
            "f:8:28: sort `a`: found `x`, expected a whole number",
        ),
        (sort("a", "<cyclicenumeration/>"), "f:8:1: sort `a`: the sort `a` has no colour"),
        (sort("a", "<list/>"), "f:8:28: sort `a`: the element `<list>` is unknown here"),
        (
            sort("a", "<finiteintrange start=\"0\" end=\"9223372036854775807\"/>"),
            "f:8:1: sort `a`: the sort `a` has more than 2^62 colours",
        ),
        (
            sort("a", "<finiteintrange start=\"1\" end=\"10000000000\"/>")
                + &sort("b", &product(&user("a").repeat(3))),
            "f:8:85: sort `b`: the sort `b` has more than 2^62 colours",
        ),
        (
            sort(
                "a",
                "<cyclicenumeration><feconstant id=\"c\" name=\"c\"/><feconstant id=\"c\" name=\"d\"/></cyclicenumeration>",
            ),
            "f:8:1: sort `a`: the id `c` is declared twice",
        ),
        (
            sort(
                "a",
                "<cyclicenumeration><feconstant id=\"c\" name=\"c\"/><feconstant id=\"d\" name=\"d\"/></cyclicenumeration>",
            ) + "<partition id=\"h\"><usersort declaration=\"a\"/><partitionelement id=\"e\"><useroperator declaration=\"c\"/></partitionelement></partition>",
            "f:8:137: sort `h`: the partition `h` must contain each colour of its sort in exactly \
             one element",
        ),
        (
            "<variabledecl id=\"x\"><usersort declaration=\"a\"/></variabledecl>".into(),
            "f:8:22: variable `x`: this net has no sort `a`",
        ),
        (
            "<variabledecl id=\"x\"/>".into(),
            "f:8:1: variable `x`: `<variabledecl>` has 0 operands, expected one sort",
        ),
        (
            "<namedoperator id=\"o\"/>".into(),
            "f:8:1: declaration: `<namedoperator>` is not supported: no symmetric net of the contest has it",
        ),
    ] {
        assert_eq!(problem(&declarations, ""), expected, "{declarations}");
    }
}

#[test]
fn invalid_terms_are_reported() {
    let x = "<variable refvariable=\"vx\"/>";
    let l = "<variable refvariable=\"vl\"/>";
    let on_ring =
        |term: &str| place("q", "ring", "") + "<transition id=\"t\"/>\n" + &arc("q", "t", term);
    for (page, expected) in [
        (on_ring(l), "arc `q-t`: found a colour of `Level`, expected one of `Ring`"),
        (on_ring("<variable refvariable=\"zz\"/>"), "arc `q-t`: this net has no variable `zz`"),
        (on_ring("<useroperator declaration=\"zz\"/>"), "arc `q-t`: this net has no constant `zz`"),
        (on_ring("<frobnicate/>"), "arc `q-t`: the element `<frobnicate>` is unknown here"),
        (
            on_ring("<cardinality/>"),
            "arc `q-t`: `<cardinality>` is not supported: no symmetric net of the contest has it",
        ),
        (
            on_ring(&format!("<tuple><subterm>{x}</subterm><subterm>{x}</subterm></tuple>")),
            "arc `q-t`: found a colour of (`Ring`, `Ring`), expected one of `Ring`",
        ),
        (
            on_ring(&format!("<successor><subterm>{l}</subterm></successor>")),
            "arc `q-t`: the sort `Level` is not cyclic, so its colours have no successor or predecessor",
        ),
        (
            on_ring("<numberof><subterm><numberconstant value=\"2\"/></subterm></numberof>"),
            "arc `q-t`: `<numberof>` has 1 operands, expected a number and a colour",
        ),
        (
            on_ring(&format!("<equality><subterm>{x}</subterm><subterm>{x}</subterm></equality>")),
            "arc `q-t`: found a condition, expected a multiset of colours",
        ),
        (on_ring(""), "arc `q-t`: found nothing, expected a term in `<structure>`"),
        (
            on_ring(&format!("{x}{x}")),
            "arc `q-t`: found several terms, expected one in `<structure>`",
        ),
        (
            on_ring("<all><usersort declaration=\"zz\"/></all>"),
            "arc `q-t`: this net has no sort `zz`",
        ),
        (place("q", "zz", ""), "place `q`: this net has no sort `zz`"),
        (
            place("q", "ring", x),
            "place `q`: the initial marking of place `q` contains the variable `x`",
        ),
        (
            place("q", "ring", "<numberconstant value=\"-1\"/>"),
            "place `q`: found `-1`, expected a whole number",
        ),
        (
            place("q", "ring", "") + &place("q", "ring", ""),
            "place `q`: the id `q` is used by two nodes",
        ),
        (guarded("t", x), "transition `t`: found a colour, expected a condition"),
        (
            guarded(
                "t",
                &format!("<equality><subterm>{x}</subterm><subterm>{l}</subterm></equality>"),
            ),
            "transition `t`: found a colour of `Level`, expected one of `Ring`",
        ),
        (
            guarded("t", &format!("<equality><subterm>{x}</subterm></equality>")),
            "transition `t`: `<equality>` has 1 operands, expected two",
        ),
        (
            guarded("t", &format!("<not><subterm>{x}</subterm></not>")),
            "transition `t`: `<not>` has a colour as an operand, expected a condition",
        ),
        (
            "<transition id=\"t\"><condition><text>x = y</text></condition></transition>".into(),
            "transition `t`: found `<text>` only, expected `<structure>`",
        ),
        (
            place("q", "ring", "")
                + "<transition id=\"t\"/><arc id=\"a\" source=\"q\" target=\"t\"/>",
            "arc `a`: found no inscription, expected one, because the place has colours",
        ),
    ] {
        let found = problem(SORTS, &page);
        assert!(found.starts_with("f:"), "{found}");
        let line: usize = found.split(':').nth(1).unwrap().parse().unwrap();
        assert!((5..=8).contains(&line), "{found}\n{page}");
        assert!(found.ends_with(expected), "{found}\n{expected}");
    }
    assert!(
        problem(SORTS, "<arc id=\"a\" source=\"q\" target=\"t\"/>").contains("is connected to `q`")
    );
    let net = |arc: &str| place("q", "ring", "") + "<transition id=\"t\"/>" + arc;
    let all = "<structure><all><usersort declaration=\"ring\"/></all></structure>";
    let coloured = format!("<hlinscription>{all}</hlinscription>");
    let plain = "<inscription><text>1</text></inscription>";
    for kind in ["inhibitor", "Inhibitor", "inhibitorArc", "reset", "read", "test"] {
        for weight in ["", &coloured, plain] {
            let arc = "source=\"q\" target=\"t\"";
            for file in [
                format!("<arc {arc} type=\"{kind}\">{weight}</arc>"),
                format!("<arc {arc} type=\"{kind}\"><type value=\"normal\"/>{weight}</arc>"),
                format!("<arc {arc}><type value=\"{kind}\"/>{weight}</arc>"),
                format!("<arc {arc}>{weight}<type value=\"{kind}\"/></arc>"),
                format!("<arc {arc}>{weight}<type>{kind}</type></arc>"),
                format!("<arc {arc}>{weight}<arctype><text>{kind}</text></arctype></arc>"),
                format!("<arc {arc}><arctype><text> {kind} </text></arctype>{weight}</arc>"),
                format!("<arc {arc}>{weight}<arctype>{kind}</arctype></arc>"),
            ] {
                let problem = problem(SORTS, &net(&file));
                let found = format!("arc `q -> t` of a coloured net has the type `{kind}`");
                assert!(problem.contains(&found), "{problem}");
                assert!(problem.contains("complementary place"), "{problem}");
            }
        }
    }
    let element = problem(SORTS, &net("<inhibitorArc source=\"q\" target=\"t\"/>"));
    assert!(
        element.contains("an element `inhibitorArc` is not supported; expected `<arc"),
        "{element}"
    );
}

#[test]
fn deep_and_large_terms_are_refused_before_they_cost_anything() {
    let x = "<variable refvariable=\"vx\"/>";
    let deep =
        |open: &str, close: &str, depth: usize| open.repeat(depth) + x + &close.repeat(depth);
    let start = Instant::now();
    for (term, expected) in [
        (
            deep("<tuple><subterm>", &format!("</subterm>{x}</tuple>"), 10_000),
            "nested more than 200 deep",
        ),
        (
            deep(
                "<subtract><subterm>",
                &format!("</subterm><subterm>{x}</subterm></subtract>"),
                5_000,
            ),
            "nested more than 200 deep",
        ),
        (deep("<add>", "</add>", 100_000), "nested more than 50000 deep"),
    ] {
        let page = place("q", "ring", "") + "<transition id=\"t\"/>\n" + &arc("q", "t", &term);
        let found = problem(SORTS, &page);
        assert!(found.contains(expected), "{found}");
    }
    let sum = format!("<add>{}</add>", format!("<subterm>{x}</subterm>").repeat(200));
    let tuple = format!("<tuple>{}</tuple>", format!("<subterm>{sum}</subterm>").repeat(3));
    let page = place("q", "ring", "") + "<transition id=\"t\"/>\n" + &arc("q", "t", &tuple);
    assert!(problem(SORTS, &page).contains("multiply out to more than"));
    // A large range is stored as two numbers.
    let range = sort("a", "<finiteintrange start=\"1\" end=\"1000000000000\"/>");
    assert!(
        read(&pnml(&range, &place("q", "a", "<all><usersort declaration=\"a\"/></all>"))).is_ok()
    );
    // A million colours, in pairs and triples: the size is checked before colours are created.
    let million = sort("a", "<finiteintrange start=\"1\" end=\"1000000\"/>");
    let user = "<usersort declaration=\"a\"/>";
    let pairs = million + &sort("b", &format!("<productsort>{}</productsort>", user.repeat(2)));
    let all =
        format!("<tuple>{}</tuple>", format!("<subterm><all>{user}</all></subterm>").repeat(2));
    let net = read(&pnml(&pairs, &place("q", "b", &all))).unwrap();
    let declined = unfold(&net, &UnfoldingConfig::default(), &Budget::unlimited());
    assert!(matches!(declined, Err(UnfoldingError::Colours(_) | UnfoldingError::Variable(_))));
    assert!(net.initial(1_000_000).is_err());
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Returns a correct file with every construct.
fn sample() -> String {
    let x = "<variable refvariable=\"vx\"/>";
    let sum = format!(
        "<add><subterm><numberof><subterm><numberconstant value=\"2\"><positive/></numberconstant></subterm><subterm>{x}</subterm></numberof></subterm><subterm><successor><subterm>{x}</subterm></successor></subterm></add>"
    );
    let page = place("q", "ring", "<all><usersort declaration=\"ring\"/></all>")
        + &place(
            "r",
            "pair",
            "<tuple><subterm><useroperator declaration=\"ra\"/></subterm><subterm><all><usersort declaration=\"level\"/></all></subterm></tuple>",
        )
        + &guarded(
            "t",
            "<and><subterm><inequality><subterm><variable refvariable=\"vx\"/></subterm><subterm><variable refvariable=\"vy\"/></subterm></inequality></subterm><subterm><lessthan><subterm><variable refvariable=\"vl\"/></subterm><subterm><finiteintrangeconstant value=\"3\"><finiteintrange start=\"1\" end=\"3\"/></finiteintrangeconstant></subterm></lessthan></subterm></and>",
        )
        + &arc("q", "t", &sum)
        + &arc(
            "t",
            "r",
            "<tuple><subterm><variable refvariable=\"vy\"/></subterm><subterm><variable refvariable=\"vl\"/></subterm></tuple>",
        );
    pnml(SORTS, &page)
}

/// Two hundred files with one to three mutations each. Both readers give a net or a message, and if
/// both give a net, it is the same net.
#[test]
fn two_hundred_broken_files_give_a_net_or_a_message() {
    let sample = sample();
    assert!(read(&sample).is_ok());
    let (mut refused, mut same) = (0, 0);
    for seed in 0..scaled(200) {
        let mut rng = Rng::with_seed(seed);
        let mut text = sample.clone();
        for _ in 0..rng.usize(1..=3) {
            text = changed(&text, &mut rng);
        }
        let audited = parikh::evidence::coloured::read(text.as_bytes());
        if let Err(error) = &audited {
            assert!(error.line >= 1 && error.line <= text.lines().count() as u64, "{error}");
        }
        match read(&text) {
            Ok(net) => {
                drop(parikh_net::coloured::text::print(&net));
                let Ok(model) = audited else { continue };
                let flat =
                    unfold(&net, &UnfoldingConfig::default(), &Budget::unlimited()).unwrap().0;
                let own = model.unfold(
                    &Unfolding::of(&flat),
                    RequiredBindings::OnePerEffect,
                    1_000_000,
                    &mut || true,
                );
                let own = own.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
                assert_eq!(content(&own), content(&flat), "seed {seed}\n{text}");
                same += 1;
            }
            Err(message) => {
                refused += 1;
                let line = message.strip_prefix("f:").and_then(|rest| rest.split(':').next());
                let line: Option<usize> = line.and_then(|line| line.parse().ok());
                assert!(line.is_some_and(|line| line <= text.lines().count()), "{message}");
            }
        }
    }
    assert!(refused > 100 && same > 10, "{refused} {same}");
}

/// Applies one mutation: removes, duplicates, renames or replaces an element, or exchanges an
/// attribute's value.
fn changed(text: &str, rng: &mut Rng) -> String {
    let elements: Vec<(usize, usize)> = elements(text);
    let (start, end) = elements[rng.usize(0..elements.len())];
    let (from, to) = elements[rng.usize(0..elements.len())];
    let element = &text[start..end];
    let replacement = match rng.usize(0..5) {
        0 => String::new(),
        1 => element.repeat(2),
        2 => text[from..to].to_owned(),
        3 => {
            let name = element[1..].split([' ', '>', '/']).next().unwrap_or_default();
            let names =
                ["variable", "tuple", "add", "dot", "numberof", "all", "usersort", "equality"];
            element.replace(name, names[rng.usize(0..names.len())])
        }
        _ => {
            let values: Vec<&str> = text.split('"').skip(1).step_by(2).collect();
            let [old, new] = [(); 2].map(|()| values[rng.usize(0..values.len())]);
            element.replace(&format!("\"{old}\""), &format!("\"{new}\""))
        }
    };
    format!("{}{replacement}{}", &text[..start], &text[end..])
}

/// Returns the byte ranges of the elements inside the net.
fn elements(text: &str) -> Vec<(usize, usize)> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let mut at = text.find("<page").unwrap_or(0);
    while let Some(next) = text[at..].find('<') {
        let start = at + next;
        let Some(length) = text[start..].find('>') else { break };
        let end = start + length + 1;
        if text[start..].starts_with("</") {
            if let Some(start) = open.pop() {
                all.push((start, end));
            }
        } else if text[..end].ends_with("/>") {
            all.push((start, end));
        } else {
            open.push(start);
        }
        at = end;
    }
    all
}
