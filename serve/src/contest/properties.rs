//! Properties in the language of PetriVizu, translated to the language of `parikh check --formula`.
//!
//! ```text
//! property "mutex" [reach] : AG !(c1 >= 1 && c2 >= 1);
//! property full [bounds] : c1 + c2;
//! ```
//!
//! The grammar is that of `Properties.g4` in PetriVizu. In a few places the parser accepts more
//! than the grammar, such as repeated signs `!`.

use std::collections::HashMap;
use std::rc::Rc;

/// A question of a property file, translated for `parikh check`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) logic: Logic,
    /// The formula in the language of `parikh check --formula`.
    pub(super) formula: String,
}

/// The logic of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Logic {
    Reachability,
    Bounds,
    Ctl,
    Ltl,
}

/// An error in a list of properties.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("properties, line {line}: expected {expected}, found `{found}`")]
pub(super) struct PropertyError {
    line: usize,
    expected: &'static str,
    found: String,
}

/// The depth of nesting, so that no formula exhausts the stack.
const DEEPEST: usize = 200;

/// The largest number of bytes of a translated formula, since atoms may multiply it.
const LONGEST: usize = 64 << 10;

/// The largest number of bytes of all translated formulas, with those of atoms.
const LONGEST_TOTAL: usize = 1 << 20;

/// Parses a list of properties.
///
/// # Errors
/// The text does not follow the grammar, refers to an unknown atom, or is nested too deeply.
pub(super) fn parse(text: &str) -> Result<Vec<Property>, PropertyError> {
    let mut parser = Parser {
        text,
        at: 0,
        atoms: HashMap::new(),
        output: String::new(),
        total: 0,
        depth: 0,
        allows_until: false,
    };
    let mut properties = Vec::new();
    while !parser.peek().is_empty() {
        parser.expect("property", "`property`")?;
        let name = parser.name("a name")?.to_owned();
        parser.expect("[", "`[`")?;
        let logic = parser.take();
        parser.expect("]", "`]`")?;
        parser.expect(":", "`:`")?;
        parser.allows_until = logic == "ltl";
        let logic = match logic {
            "bounds" => {
                parser.write("bound(")?;
                parser.sum()?;
                parser.write(")")?;
                Some(Logic::Bounds)
            }
            "reach" => {
                let operator = parser.take();
                if !matches!(operator, "EF" | "AG") {
                    return Err(parser.error_at("`EF` or `AG`", operator));
                }
                parser.write(operator)?;
                parser.in_brackets(" (", Parser::implication)?;
                Some(Logic::Reachability)
            }
            "ctl" => {
                parser.path()?;
                Some(Logic::Ctl)
            }
            "ltl" => {
                parser.in_brackets("A (", Parser::implication)?;
                Some(Logic::Ltl)
            }
            "atom" => {
                parser.implication()?;
                None
            }
            other => return Err(parser.error_at("reach, bounds, ctl, ltl or atom", other)),
        };
        parser.expect(";", "`;`")?;
        let formula = std::mem::take(&mut parser.output);
        parser.total += formula.len();
        match logic {
            Some(logic) => properties.push(Property { name, logic, formula }),
            None => drop(parser.atoms.insert(name, Rc::from(formula))),
        }
    }
    Ok(properties)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// The formulas of the atoms so far, by name.
    atoms: HashMap<String, Rc<str>>,
    /// The translation of the current formula so far.
    output: String,
    /// The number of bytes of the formulas before the current one.
    total: usize,
    depth: usize,
    /// True if `U` may stand between formulas without a quantifier, as in LTL.
    allows_until: bool,
}

impl<'t> Parser<'t> {
    /// Returns the position after white space.
    fn skip(&self) -> usize {
        self.text.len() - self.text[self.at..].trim_start().len()
    }

    /// Returns the next token. It is empty at the end.
    fn peek(&self) -> &'t str {
        let rest = &self.text[self.skip()..];
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let Some(first) = rest.chars().next() else { return "" };
        let length = match first {
            '"' => rest[1..].find(['"', '\n']).map_or(rest.len(), |end| end + 2),
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            _ => match ["<=", ">=", "==", "!=", "&&", "||", "->"]
                .iter()
                .find(|it| rest.starts_with(**it))
            {
                Some(operator) => operator.len(),
                None => first.len_utf8(),
            },
        };
        &rest[..length]
    }

    fn take(&mut self) -> &'t str {
        let token = self.peek();
        self.at = self.skip() + token.len();
        token
    }

    fn accept(&mut self, token: &str) -> bool {
        let is_next = self.peek() == token;
        if is_next {
            self.take();
        }
        is_next
    }

    fn error_at(&self, expected: &'static str, found: &str) -> PropertyError {
        let line = 1 + self.text[..self.at].matches('\n').count();
        PropertyError { line, expected, found: found.chars().take(40).collect() }
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<(), PropertyError> {
        let found = self.take();
        if found == token { Ok(()) } else { Err(self.error_at(expected, found)) }
    }

    /// Returns an error if the translation is too long with `more` further bytes.
    fn check_length(&self, more: usize) -> Result<(), PropertyError> {
        let length = self.output.len() + more;
        if length > LONGEST {
            return Err(self.error_at("a formula of at most 65536 bytes", "more"));
        }
        if self.total + length > LONGEST_TOTAL {
            return Err(self.error_at("at most 1048576 bytes of formulas", "more"));
        }
        Ok(())
    }

    /// Appends text to the translation. Fails as soon as the translation is too long.
    fn write(&mut self, text: &str) -> Result<(), PropertyError> {
        self.check_length(text.len())?;
        self.output.push_str(text);
        Ok(())
    }

    /// Writes `open`, which ends with a bracket, the translation of `inside`, and a bracket.
    fn in_brackets(
        &mut self,
        open: &str,
        inside: impl FnOnce(&mut Self) -> Result<(), PropertyError>,
    ) -> Result<(), PropertyError> {
        self.write(open)?;
        inside(self)?;
        self.write(")")
    }

    /// Puts what was written since the position `start` into brackets. Only the operand itself
    /// moves, so the cost is its length.
    fn bracket_from(&mut self, start: usize) -> Result<(), PropertyError> {
        self.check_length(2)?;
        self.output.insert(start, '(');
        self.output.push(')');
        Ok(())
    }

    /// Parses operands with an operator between them. At most `most` operators are accepted.
    fn operands(
        &mut self,
        operator: &str,
        most: usize,
        operand: fn(&mut Self) -> Result<(), PropertyError>,
    ) -> Result<(), PropertyError> {
        let start = self.output.len();
        operand(self)?;
        for number in 0..most {
            if !self.accept(operator) {
                break;
            }
            if number == 0 {
                self.bracket_from(start)?;
            }
            self.write(" ")?;
            self.write(operator)?;
            self.in_brackets(" (", operand)?;
        }
        Ok(())
    }

    /// Parses a name, in quotes or not.
    fn name(&mut self, expected: &'static str) -> Result<&'t str, PropertyError> {
        let token = self.take();
        let quoted = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let is_word = token.starts_with(|c: char| c.is_alphabetic() || c == '_');
        match quoted.or(is_word.then_some(token)) {
            Some(name) if !name.is_empty() && !name.contains(['\\', '"']) => Ok(name),
            _ => Err(self.error_at(expected, token)),
        }
    }

    /// Parses the formula after a quantifier of CTL, or a formula without one.
    fn path(&mut self) -> Result<(), PropertyError> {
        let quantifier = self.peek();
        if !matches!(quantifier, "A" | "E") {
            return self.implication();
        }
        self.take();
        self.write(quantifier)?;
        self.in_brackets(" ((", Parser::implication)?;
        self.expect("U", "`U`")?;
        self.in_brackets(" U (", Parser::implication)?;
        self.write(")")
    }

    fn implication(&mut self) -> Result<(), PropertyError> {
        self.operands("->", 1, Parser::disjunction)
    }

    fn disjunction(&mut self) -> Result<(), PropertyError> {
        self.operands("||", usize::MAX, Parser::conjunction)
    }

    fn conjunction(&mut self) -> Result<(), PropertyError> {
        self.operands("&&", usize::MAX, Parser::until)
    }

    fn until(&mut self) -> Result<(), PropertyError> {
        match self.allows_until {
            true => self.operands("U", 1, Parser::unary),
            false => self.unary(),
        }
    }

    fn unary(&mut self) -> Result<(), PropertyError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error_at("at most 200 levels of nesting", "more"));
        }
        let token = self.peek();
        match token {
            "AG" | "AF" | "AX" | "EG" | "EF" | "EX" | "F" | "G" | "X" | "!" => {
                self.take();
                self.write(token)?;
                self.in_brackets(" (", Parser::unary)?;
            }
            "(" => {
                self.take();
                self.in_brackets("(", Parser::path)?;
                self.expect(")", "`)`")?;
            }
            "true" | "false" => {
                self.take();
                self.write(token)?;
            }
            "@" => {
                self.take();
                let name = self.name("the name of an atom")?;
                let atom = self.atoms.get(name).cloned();
                let atom =
                    atom.ok_or_else(|| self.error_at("an atom that is defined above", name))?;
                self.in_brackets("(", |parser| parser.write(&atom))?;
            }
            _ => self.comparison()?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn comparison(&mut self) -> Result<(), PropertyError> {
        self.sum()?;
        let operator = self.take();
        if !matches!(operator, "<=" | "<" | ">=" | ">" | "==" | "!=") {
            return Err(self.error_at("a comparison: <= < >= > == !=", operator));
        }
        self.write(" ")?;
        self.write(operator)?;
        self.write(" ")?;
        self.sum()
    }

    fn sum(&mut self) -> Result<(), PropertyError> {
        self.term()?;
        while self.accept("+") {
            self.write(" + ")?;
            self.term()?;
        }
        Ok(())
    }

    fn term(&mut self) -> Result<(), PropertyError> {
        let token = self.peek();
        if !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_digit()) {
            self.take();
            return self.write(token);
        }
        let name = self.name("a place or a number")?;
        self.write("id \"")?;
        self.write(name)?;
        self.write("\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn formula(text: &str) -> String {
        parse(text).unwrap().pop().unwrap().formula
    }

    #[test]
    fn properties_are_translated() {
        for (property, translated) in [
            ("[reach] : EF \"P1\" + P2 <= 5", "EF (id \"P1\" + id \"P2\" <= 5)"),
            ("[reach] : AG (P1 > 5)", "AG ((id \"P1\" > 5))"),
            ("[bounds] : P1 + P2", "bound(id \"P1\" + id \"P2\")"),
            ("[ctl] : E (P1 <= 1) U (P2 > 3)", "E (((id \"P1\" <= 1)) U ((id \"P2\" > 3)))"),
            ("[ctl] : \"A\"==0 && AX(P1 <= 10)", "(id \"A\" == 0) && (AX ((id \"P1\" <= 10)))"),
            ("[ltl] : ! ( G(P1 <= 10))", "A (! ((G ((id \"P1\" <= 10)))))"),
            ("[ltl] : F(P2 > 3 U P1 <= 10)", "A (F (((id \"P2\" > 3) U (id \"P1\" <= 10))))"),
        ] {
            assert_eq!(formula(&format!("property x {property};")), translated);
        }
    }

    #[test]
    fn atoms_are_replaced_by_their_formulas() {
        let text = "property a [atom] : p >= 1; property \"q\" [reach] : EF !@a;";
        let expected = Property {
            name: "q".into(),
            logic: Logic::Reachability,
            formula: "EF (! ((id \"p\" >= 1)))".into(),
        };
        assert_eq!(parse(text), Ok(vec![expected]));
    }

    #[test]
    fn errors_have_a_line() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        let expected = "properties, line 2: expected `]`, found `:`";
        assert_eq!(message("property a\n[reach : EF p >= 1;"), expected);
        assert!(message("property a [reach] : EF @b;").contains("an atom that is defined above"));
        assert!(message("property a [reach] : p >= 1;").contains("`EF` or `AG`"));
        assert!(message("junk").contains("expected `property`"));
        let deep = format!("property a [reach] : EF {} p > 1;", "(".repeat(100_000));
        assert!(message(&deep).contains("nesting"));
        let mut atoms = "property a0 [atom] : p >= 1;".to_owned();
        for level in 1..40 {
            let below = level - 1;
            atoms += &format!("property a{level} [atom] : @a{below} && @a{below};");
        }
        assert!(message(&atoms).contains("at most 65536 bytes"));
        let long = format!("property q [reach] : EF p >= 1{};", " && p >= 1".repeat(400_000));
        assert!(message(&long).contains("at most 65536 bytes"));
        let wide = format!("property a [atom] : p >= 1{};", " && p >= 1".repeat(3000));
        let many = wide + &"property q [reach] : EF @a;".repeat(40_000);
        assert!(message(&many).contains("at most 1048576 bytes of formulas"));
        for cut in 0..atoms.len().min(400) {
            let _ = parse(&atoms[..cut]);
        }
        assert!(parse("property \"x\\\" [reach] : EF p >= 1;").is_err());
    }
}
