//! Terms and guards in every spelling equivalent to the plain net of `styles.rs`.

use crate::styles::{
    ALL_RING, C, L, RANGE, X, alike, level, number, op, part_of, plain, same_net, spelt, times,
};

#[test]
fn multisets_are_read_in_all_forms() {
    let empty = "<empty><usersort declaration=\"ring\"/></empty>";
    let all =
        op("add", &["<useroperator declaration=\"ra\"/>", "<useroperator declaration=\"rb\"/>", C]);
    let parts =
        op("add", &["<useroperator declaration=\"h1\"/>", "<useroperator declaration=\"h2\"/>"]);
    for marking in [
        op("add", &[ALL_RING]),
        op("subtract", &[ALL_RING]),
        op("numberof", &[ALL_RING]),
        op("numberof", &[ALL_RING, &number(1)]),
        op("scalarproduct", &[&number(1), ALL_RING]),
        op("add", &[ALL_RING, empty]),
        op("subtract", &[ALL_RING, empty]),
        op("subtract", &[&times(2, ALL_RING), ALL_RING]),
        op("add", &[ALL_RING, &times(0, C)]),
        op("successor", &[ALL_RING]),
        op(
            "add",
            &[
                &op("add", &["<useroperator declaration=\"ra\"/>"]),
                &op("subtract", &[&all, "<useroperator declaration=\"ra\"/>"]),
            ],
        ),
        all,
        parts,
    ] {
        same_net(&spelt(&[(ALL_RING, &marking)]), &plain());
    }
    let two = times(1, &level(2));
    for marking in [
        level(2),
        number(2),
        times(1, &number(2)),
        op("add", &[&number(2)]),
        op("tuple", &[&number(2)]),
        level(2).replace("start=\"1\" end=\"3\"", "end=\"9\" start=\"0\""),
    ] {
        alike(&spelt(&[(&two, &marking)]));
    }
    let back = op("predecessor", &[&op("predecessor", &[X])]);
    alike(&spelt(&[(&op("successor", &[X]), &back)]));
    let twin = spelt(&[(&two, &op("add", &[&level(1), &level(2), &level(3)]))]);
    same_net(&spelt(&[(&two, &format!("<all>{RANGE}</all>"))]), &twin);
    // `all` of a product, as a whole and per component.
    let pairs = |term: &str| {
        spelt(&[(
            "pair\"/></structure></type>",
            &format!("pair\"/></structure></type><hlinitialMarking>{term}</hlinitialMarking>"),
        )])
    };
    let each = op("tuple", &[ALL_RING, "<all><usersort declaration=\"level\"/></all>"]);
    same_net(&pairs(&each), &pairs("<all><usersort declaration=\"pair\"/></all>"));
    same_net(&pairs(&op("tuple", &[C, &number(3)])), &pairs(&op("tuple", &[C, &level(3)])));
}

#[test]
fn guards_are_read_with_every_operator() {
    let guard = op("and", &[&op("inequality", &[X, C]), &op("lessthanorequal", &[L, &level(3)])]);
    let truth =
        |value: bool| format!("<booleanconstant value=\"{value}\"><bool/></booleanconstant>");
    let (yes, no) = (truth(true), truth(false));
    let same = op("equality", &[X, C]);
    for other in [
        op("inequality", &[C, X]),
        op("not", &[&same]),
        op("lessthan", &[X, C]),
        op("lt", &[X, C]),
        op("greaterthan", &[C, X]),
        op("gt", &[C, X]),
        op("not", &[&op("greaterthanorequal", &[X, C])]),
        op("not", &[&op("geq", &[X, C])]),
        op("not", &[&op("leq", &[C, X])]),
        op("ltp", &[&part_of(X), "<useroperator declaration=\"h2\"/>"]),
        op("gtp", &[&part_of(C), &part_of(X)]),
        op("equality", &[&part_of(X), "<useroperator declaration=\"h1\"/>"]),
        op("imply", &[&same, &no]),
        op("or", &[&no, &op("and", &[&yes, &op("inequality", &[X, C])])]),
        op("and", &[&op("inequality", &[X, C]), &op("leq", &[L, &number(3)])]),
        op("and", &[&op("inequality", &[X, C]), &op("gt", &[&number(9), L])]),
        op("inequality", &[&op("tuple", &[X, L]), &op("tuple", &[C, L])]),
    ] {
        same_net(&spelt(&[(&guard, &other)]), &plain());
    }
    same_net(&spelt(&[(&guard, &yes)]), &spelt(&[(&guard, &op("equality", &[X, X]))]));
    same_net(&spelt(&[(&guard, &no)]), &spelt(&[(&guard, &op("inequality", &[X, X]))]));
}
