//! Legends: the meaning of the variables of a written goal, for the head of its file.

use crate::encoded_goal::EncodedGoal;
use crate::encoding::EncodingPart;
use crate::variables::Variables;
use parikh_net::Net;
use parikh_net::printable::QuotedInFull;
use parikh_solvers::symbols;
use std::fmt::Write as _;

/// The form of names in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    /// Symbols of SMT-LIB.
    SmtLib,
    /// Names in LP format.
    Lp,
    /// Names in the comments of DIMACS. They have the escapes of SMT-LIB.
    Dimacs,
}

impl Notation {
    /// Returns the name of a place or a transition as it occurs inside the names of variables.
    pub fn escaped(self, name: &str) -> String {
        match self {
            Notation::SmtLib | Notation::Dimacs => symbols::escaped_in_smt(name),
            Notation::Lp => symbols::escaped_in_lp(name),
        }
    }

    /// Returns the name of a variable, without the bars around some symbols of SMT-LIB.
    fn variable(self, name: &str) -> String {
        match self {
            Notation::SmtLib | Notation::Dimacs => symbols::escaped_in_smt(name),
            Notation::Lp => symbols::lp_name(name),
        }
    }

    /// Returns lines for the places and transitions whose names have escapes in this notation.
    pub(crate) fn escaped_names(self, net: &Net) -> String {
        let mut text = String::new();
        let mut add = |kind: &str, name: &str| {
            let escaped = self.escaped(name);
            if escaped != name {
                let _ = writeln!(text, "  {escaped} is {kind} {}", QuotedInFull(name));
            }
        };
        net.places().for_each(|place| add("place", net.place_name(place)));
        net.transitions().for_each(|t| add("transition", net.transition_name(t)));
        match text.is_empty() {
            true => text,
            false => format!(
                "names, where % and two digits stand for a byte in UTF-8, as in URLs:\n{text}"
            ),
        }
    }
}

/// A kind of variables with a common meaning.
struct VariableKind {
    /// The beginning of the variables' names.
    prefix: &'static str,
    /// The node in the variables' names: `p` for a place, `t` for a transition, `i,t` for a
    /// transition in the step i.
    node: &'static str,
    meaning: String,
}

impl EncodedGoal<'_> {
    /// Explains the variables in the notation of a file: each kind of variable, the classes of
    /// transitions that share a variable, and the names with escapes.
    pub fn legend(&self, notation: Notation) -> String {
        let mut text = "variables:\n".to_owned();
        for VariableKind { prefix, node, meaning } in self.variable_kinds() {
            let pattern = match notation {
                Notation::Lp => format!("{prefix}.{node}"),
                Notation::SmtLib | Notation::Dimacs => format!("{prefix}({node})"),
            };
            let _ = writeln!(text, "  {pattern}: {meaning}");
        }
        if notation == Notation::SmtLib {
            text += "  t!n: an abbreviation of a part of an assertion, if there is one\n";
        }
        if self.encoding.has(EncodingPart::StateEquation) {
            text += &classes(&self.variables, notation);
        }
        text + &notation.escaped_names(self.variables.net)
    }

    /// Returns the kinds of variables that the encoding may use.
    fn variable_kinds(&self) -> Vec<VariableKind> {
        let has = |part| self.encoding.has(part);
        let k = self.encoding.steps;
        let mut kinds = Vec::new();
        let mut add = |prefix, node, meaning: &str| {
            kinds.push(VariableKind { prefix, node, meaning: meaning.to_owned() });
        };
        if !self.encoding.is_bounded() {
            let marking = match (&self.objective, has(EncodingPart::Induction)) {
                (Some(_), _) => "the marking m, whose sum is maximised".to_owned(),
                (None, true) => format!("the marking m, which {k} firings lead to a goal marking"),
                (None, false) => "the marking m, which satisfies the goal".to_owned(),
            };
            add("m", "p", &format!("the number of tokens of place p in {marking}"));
        }
        if has(EncodingPart::StateEquation) {
            add(
                "x",
                "t",
                "the number of firings of transition t between the initial marking and m",
            );
        }
        if has(EncodingPart::Traps) {
            add("left", "p", "if true, place p is not in the largest trap that is empty in m");
            add(
                "rank",
                "p",
                "the position of place p in an order of the places outside that trap: some \
                 transition takes from p and puts only into marked places or places of lower rank",
            );
        }
        if has(EncodingPart::CausalOrder) {
            add("first", "t", "the time of the first firing of transition t");
        }
        let marking = "A place that no transition changes has none.";
        if has(EncodingPart::Unrolling) {
            add("fire", "i,t", "1 if transition t is the firing number i, otherwise 0");
            add("mi", "p", &format!("the number of tokens of place p after i firings. {marking}"));
        }
        if has(EncodingPart::Steps) {
            add("fire", "i,t", "the number of firings of transition t in step i");
            add("lefti", "p", "the number of tokens of place p that no firing of step i takes");
            add("mi", "p", &format!("the number of tokens of place p after i steps. {marking}"));
        }
        if has(EncodingPart::Induction) {
            add("fire", "i,t", "1 if transition t is the firing number i after m, otherwise 0");
            let text = format!("the number of tokens of place p, i firings after m. {marking}");
            add("mi", "p", &text);
        }
        kinds
    }
}

/// The number of characters in a line of the legend, from which on a list of names continues in the
/// next line.
const LEGEND_WIDTH: usize = 96;

/// Returns lines for the classes of transitions that share the variable of their first transition,
/// because they have the same effect. Each class is listed in full, if necessary in several lines.
fn classes(variables: &Variables<'_>, notation: Notation) -> String {
    let net = variables.net;
    let mut text = String::new();
    for effect in net.effect_classes() {
        let Some(x) = variables.firings(effect) else { continue };
        let class = net.class(effect);
        if class.len() > 1 {
            let variable = notation.variable(variables.terms.name(x));
            let mut line = format!("  {variable}: all of");
            for (position, &t) in class.iter().enumerate() {
                let name = QuotedInFull(net.transition_name(t)).to_string();
                // A line that goes on in the next line ends with a comma.
                if position > 0 {
                    line.push(',');
                    if line.chars().count() + name.chars().count() > LEGEND_WIDTH {
                        let _ = writeln!(text, "{line}");
                        line = "   ".to_owned();
                    }
                }
                let _ = write!(line, " {name}");
            }
            let _ = writeln!(text, "{line}");
        }
    }
    match text.is_empty() {
        true => text,
        false => format!("transitions with the same effect, which share a variable:\n{text}"),
    }
}
