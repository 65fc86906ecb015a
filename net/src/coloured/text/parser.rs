//! Parser of coloured nets. The sort expected at a position determines the meaning of a constant,
//! so expressions are parsed as trees first and resolved with a sort later.

use super::ColouredTextError;
use super::lexer::{ColouredToken, tokens};
use crate::coloured::{
    ColouredNet, ColouredPlaceId, Guard, Multiset, Relation, SortId, SortKind, Term,
};

/// Reads a coloured net.
///
/// # Errors
/// The first error found, with its line. Transitions are parsed after all other declarations.
pub fn parse(text: &str) -> Result<ColouredNet, ColouredTextError> {
    let mut net = ColouredNet::new("");
    let mut transitions = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let error_in_line = |problem: String| ColouredTextError { line: index + 1, problem };
        let tokens = tokens(line).map_err(error_in_line)?;
        if tokens.is_empty() {
            continue;
        }
        let mut line = LineParser { net: &mut net, tokens, position: 0 };
        match line.declaration() {
            Ok(None) => {}
            Ok(Some(rest)) => transitions.push((index + 1, rest)),
            Err(problem) => return Err(error_in_line(problem)),
        }
    }
    // Arcs may name places that are declared further down.
    for (line, tokens) in transitions {
        let mut rest = LineParser { net: &mut net, tokens, position: 0 };
        rest.transition().map_err(|problem| ColouredTextError { line, problem })?;
    }
    Ok(net)
}

/// An expression whose constants have no sort yet.
#[derive(Clone, Debug)]
enum ExpressionTree {
    Name(String),
    All,
    Shift(Box<ExpressionTree>, i64),
    Tuple(Vec<ExpressionTree>),
    Block(String, Box<ExpressionTree>),
}

enum SumTree {
    Term(u64, ExpressionTree),
    Sum(Vec<SumTree>),
    Times(u64, Box<SumTree>),
    Difference(Box<SumTree>, Box<SumTree>),
}

struct LineParser<'n> {
    net: &'n mut ColouredNet,
    tokens: Vec<ColouredToken>,
    /// The index of the next token.
    position: usize,
}

/// The maximum number of colours of a sort that a partition divides. The limit bounds the memory,
/// as the block of each colour is stored.
const MAX_PARTITIONED_COLOURS: usize = 1 << 24;

type ParseResult<T> = Result<T, String>;

impl LineParser<'_> {
    fn peek(&self) -> Option<&ColouredToken> {
        self.tokens.get(self.position)
    }

    fn eat(&mut self, mark: &'static str) -> bool {
        let is_found = matches!(self.peek(), Some(ColouredToken::Mark(found)) if *found == mark);
        self.position += usize::from(is_found);
        is_found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is_found =
            matches!(self.peek(), Some(ColouredToken::Name(name, false)) if name == word);
        self.position += usize::from(is_found);
        is_found
    }

    fn expected<T>(&self, expected: &str) -> ParseResult<T> {
        Err(match self.peek() {
            Some(token) => format!("found {token}, expected {expected}"),
            None => format!("the line ends, expected {expected}"),
        })
    }

    fn expect(&mut self, mark: &'static str) -> ParseResult<()> {
        if self.eat(mark) { Ok(()) } else { self.expected(&format!("`{mark}`")) }
    }

    fn name(&mut self, what: &str) -> ParseResult<String> {
        match self.peek() {
            Some(ColouredToken::Name(name, _)) => {
                let name = name.clone();
                self.position += 1;
                Ok(name)
            }
            _ => self.expected(what),
        }
    }

    fn expect_end(&self) -> ParseResult<()> {
        if self.position == self.tokens.len() {
            Ok(())
        } else {
            self.expected("the end of the line")
        }
    }

    /// Parses a declaration of the net's name, a sort, a variable or a place, and returns `None`.
    /// For a transition, returns its unparsed tokens, which are parsed when all places are known.
    fn declaration(&mut self) -> ParseResult<Option<Vec<ColouredToken>>> {
        let keyword = self.name("a keyword")?;
        match keyword.as_str() {
            "net" => {
                let name = self.name("a name").unwrap_or_default();
                self.net.set_name(name);
            }
            "sort" => self.sort()?,
            "var" => self.variables()?,
            "place" => self.place()?,
            "transition" => return Ok(Some(self.tokens.split_off(1))),
            other => {
                return Err(format!(
                    "found `{other}`, expected `net`, `sort`, `var`, `place` or `transition`"
                ));
            }
        }
        self.expect_end()?;
        Ok(None)
    }

    fn sort_named(&mut self) -> ParseResult<SortId> {
        let name = self.name("a sort")?;
        self.net.sort_named(&name).ok_or_else(|| format!("`{name}` is not a sort"))
    }

    /// Parses the declaration of a sort.
    fn sort(&mut self) -> ParseResult<()> {
        let name = self.name("the sort's name")?;
        self.expect("=")?;
        let kind = if self.eat_word("cyclic") {
            SortKind::Enumeration { constants: self.constants()?, cyclic: true }
        } else if self.eat_word("partition") {
            self.partition()?
        } else if matches!(self.peek(), Some(ColouredToken::Mark("{"))) {
            SortKind::Enumeration { constants: self.constants()?, cyclic: false }
        } else if self.eat_word(".") {
            SortKind::Dot
        } else if matches!(self.tokens.get(self.position + 1), Some(ColouredToken::Mark("..")))
            || matches!(self.peek(), Some(ColouredToken::Mark("-")))
        {
            let start = self.integer()?;
            self.expect("..")?;
            SortKind::Range { start, end: self.integer()? }
        } else {
            self.eat("*");
            let mut parts = vec![self.sort_named()?];
            while self.eat("*") {
                parts.push(self.sort_named()?);
            }
            SortKind::Product(parts)
        };
        self.net.add_sort(&name, kind).map(|_| ()).map_err(|error| error.to_string())
    }

    fn integer(&mut self) -> ParseResult<i64> {
        let sign = if self.eat("-") { "-" } else { "" };
        let digits = self.name("a number")?;
        format!("{sign}{digits}").parse().map_err(|_| format!("`{digits}` is not a whole number"))
    }

    fn constants(&mut self) -> ParseResult<Vec<Box<str>>> {
        self.expect("{")?;
        let mut constants = vec![self.name("a constant")?.into()];
        while self.eat(",") {
            constants.push(self.name("a constant")?.into());
        }
        self.expect("}")?;
        Ok(constants)
    }

    /// Parses the blocks of a partition of a sort.
    fn partition(&mut self) -> ParseResult<SortKind> {
        let of = self.sort_named()?;
        let size = self.net.sort(of).size();
        let size = usize::try_from(size).ok().filter(|&size| size <= MAX_PARTITIONED_COLOURS);
        let size = size.ok_or("a partition of more than 2^24 colours is not supported")?;
        let mut block_of = vec![u32::MAX; size];
        let mut elements: Vec<Box<str>> = Vec::new();
        self.expect("{")?;
        loop {
            elements.push(self.name("a block's name")?.into());
            self.expect(":")?;
            while matches!(self.peek(), Some(ColouredToken::Name(..))) {
                let name = self.name("a colour")?;
                let colour = self.net.colour_named(of, &name);
                let colour = colour.ok_or_else(|| format!("`{name}` is not a colour there"))?;
                let block = &mut block_of[colour as usize];
                if *block != u32::MAX {
                    return Err(format!("`{name}` is listed twice, expected one block"));
                }
                *block = elements.len() as u32 - 1;
            }
            if !self.eat(";") {
                break;
            }
        }
        self.expect("}")?;
        Ok(SortKind::Partition { of, elements, block_of })
    }

    fn variables(&mut self) -> ParseResult<()> {
        let mut names = vec![self.name("a variable")?];
        while self.eat(",") {
            names.push(self.name("a variable")?);
        }
        self.expect(":")?;
        let sort = self.sort_named()?;
        for name in names {
            if self.net.variable_named(&name).is_some() {
                return Err(format!("two variables have the name `{name}`"));
            }
            self.net.add_variable(&name, sort).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn place(&mut self) -> ParseResult<()> {
        let name = self.name("the place's id")?;
        let sort = match self.eat(":") {
            true => self.sort_named()?,
            false => self.dot_sort()?,
        };
        let initial = match self.eat("=") {
            true => self.braced(sort)?,
            false => Multiset::EMPTY,
        };
        self.net.add_place(&name, sort, initial).map(|_| ()).map_err(|error| error.to_string())
    }

    fn dot_sort(&mut self) -> ParseResult<SortId> {
        let sorts = self.net.sorts();
        match sorts.iter().position(|sort| *sort.kind() == SortKind::Dot) {
            Some(index) => Ok(SortId(index as u32)),
            None => self.net.add_sort("dot", SortKind::Dot).map_err(|error| error.to_string()),
        }
    }

    /// Parses the rest of a line that declares a transition, after the keyword.
    fn transition(&mut self) -> ParseResult<()> {
        let name = self.name("the transition's id")?;
        let guard = match self.eat("[") {
            true => {
                let guard = self.guard()?;
                self.expect("]")?;
                guard
            }
            false => Guard::TRUE,
        };
        let t = self.net.add_transition(&name, guard).map_err(|error| error.to_string())?;
        if self.eat(":") {
            for (place, inscription) in self.arcs()? {
                self.net.take(t, place, inscription).map_err(|error| error.to_string())?;
            }
            self.expect("->")?;
            for (place, inscription) in self.arcs()? {
                self.net.put(t, place, inscription).map_err(|error| error.to_string())?;
            }
        }
        self.expect_end()
    }

    /// Parses the places on one side of an arrow, with their inscriptions.
    fn arcs(&mut self) -> ParseResult<Vec<(ColouredPlaceId, Multiset)>> {
        let mut arcs = Vec::new();
        while matches!(self.peek(), Some(ColouredToken::Name(..))) {
            let name = self.name("a place")?;
            let place = self.net.place_named(&name);
            let place = place.ok_or_else(|| format!("this net has no place `{name}`"))?;
            let sort = self.net.place(place).sort;
            let inscription = match (self.peek(), self.net.sort(sort).kind()) {
                (Some(ColouredToken::Mark("{")), _) => self.braced(sort)?,
                (_, SortKind::Dot) => Multiset::single(Term::Constant { sort, colour: 0 }),
                _ => return self.expected("`{` and a multiset of colours"),
            };
            arcs.push((place, inscription));
            if !self.eat("+") {
                break;
            }
        }
        Ok(arcs)
    }

    fn braced(&mut self, sort: SortId) -> ParseResult<Multiset> {
        self.expect("{")?;
        let sum = self.sum()?;
        self.expect("}")?;
        self.multiset(&sum, sort)
    }

    /// Parses a multiset, whose constants have no sort yet. It may be empty.
    fn sum(&mut self) -> ParseResult<SumTree> {
        if matches!(self.peek(), Some(ColouredToken::Mark("}" | "]"))) {
            return Ok(SumTree::Sum(Vec::new()));
        }
        let mut sum = self.operand()?;
        loop {
            if self.eat("+") {
                let next = self.operand()?;
                match &mut sum {
                    SumTree::Sum(parts) => parts.push(next),
                    _ => sum = SumTree::Sum(vec![sum, next]),
                }
            } else if self.eat("-") {
                sum = SumTree::Difference(Box::new(sum), Box::new(self.operand()?));
            } else {
                return Ok(sum);
            }
        }
    }

    /// Parses an operand of a sum or difference of multisets, as in `2'c`, `[x + y]` or `x`.
    fn operand(&mut self) -> ParseResult<SumTree> {
        if let (Some(ColouredToken::Name(count, false)), Some(ColouredToken::Mark("'"))) =
            (self.peek(), self.tokens.get(self.position + 1))
        {
            let count =
                count.parse().map_err(|_| format!("`{count}` is not a number of tokens"))?;
            self.position += 2;
            return Ok(match self.operand()? {
                SumTree::Term(1, tree) => SumTree::Term(count, tree),
                other => SumTree::Times(count, Box::new(other)),
            });
        }
        if self.eat("[") {
            let sum = self.sum()?;
            self.expect("]")?;
            return Ok(sum);
        }
        Ok(SumTree::Term(1, self.expression()?))
    }

    /// Parses a term, whose constants have no sort yet.
    fn expression(&mut self) -> ParseResult<ExpressionTree> {
        let mut tree = if self.eat("(") {
            let mut parts = vec![self.expression()?];
            while self.eat(",") {
                parts.push(self.expression()?);
            }
            self.expect(")")?;
            ExpressionTree::Tuple(parts)
        } else if self.eat_word("all") {
            ExpressionTree::All
        } else if self.eat("-") {
            ExpressionTree::Name(format!("-{}", self.name("a number")?))
        } else {
            let name = self.name("a colour or a variable")?;
            match self.eat("(") {
                true => {
                    let of = self.expression()?;
                    self.expect(")")?;
                    ExpressionTree::Block(name, Box::new(of))
                }
                false => ExpressionTree::Name(name),
            }
        };
        loop {
            if self.eat("++") {
                tree = ExpressionTree::Shift(Box::new(tree), 1);
            } else if self.eat("--") {
                tree = ExpressionTree::Shift(Box::new(tree), -1);
            } else {
                return Ok(tree);
            }
        }
    }

    fn guard(&mut self) -> ParseResult<Guard> {
        let mut parts = vec![self.conjunction()?];
        while self.eat_word("or") {
            parts.push(self.conjunction()?);
        }
        Ok(Guard::or(parts))
    }

    fn conjunction(&mut self) -> ParseResult<Guard> {
        let mut parts = vec![self.comparison()?];
        while self.eat_word("and") {
            parts.push(self.comparison()?);
        }
        Ok(Guard::and(parts))
    }

    /// Parses a comparison, a negation, a guard in brackets, or `all`, which is the true guard.
    fn comparison(&mut self) -> ParseResult<Guard> {
        if self.eat_word("not") {
            return Ok(self.comparison()?.negated());
        }
        if self.eat_word("all") {
            return Ok(Guard::TRUE);
        }
        if self.eat("[") {
            let guard = self.guard()?;
            self.expect("]")?;
            return Ok(guard);
        }
        let left = self.expression()?;
        let relations = [
            ("=", Relation::Equal),
            ("!=", Relation::Unequal),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("<", Relation::Less),
            (">", Relation::Greater),
        ];
        let Some(&(_, relation)) = relations.iter().find(|(sign, _)| self.eat(sign)) else {
            return self.expected("a comparison");
        };
        let right = self.expression()?;
        self.compare(relation, &left, &right)
    }

    /// Converts a comparison of parsed terms to a guard. Two tuples of unknown sorts are compared
    /// part by part.
    fn compare(
        &self,
        relation: Relation,
        left: &ExpressionTree,
        right: &ExpressionTree,
    ) -> ParseResult<Guard> {
        if let Some(sort) = self.sort_of(left).or_else(|| self.sort_of(right)) {
            let (left, right) = (self.term(left, sort)?, self.term(right, sort)?);
            return Ok(Guard::Compare(relation, left, right));
        }
        match (relation, left, right) {
            (
                Relation::Equal | Relation::Unequal,
                ExpressionTree::Tuple(a),
                ExpressionTree::Tuple(b),
            ) if a.len() == b.len() => {
                let parts = a.iter().zip(b).map(|(a, b)| self.compare(relation, a, b));
                let parts = parts.collect::<ParseResult<Vec<Guard>>>()?;
                Ok(if relation == Relation::Equal { Guard::and(parts) } else { Guard::or(parts) })
            }
            (_, ExpressionTree::Tuple(_), ExpressionTree::Tuple(_)) => {
                Err("tuples are compared by `=` or `!=`, and have equally many parts".to_owned())
            }
            _ => Err("a guard compares two constants, expected a variable".to_owned()),
        }
    }

    /// Returns the sort of a parsed term. Returns `None` for constants, shifted constants, tuples
    /// and `all`, and for a block of an unknown partition.
    fn sort_of(&self, tree: &ExpressionTree) -> Option<SortId> {
        match tree {
            ExpressionTree::Name(name) => {
                self.net.variable_named(name).map(|variable| self.net.variable(variable).sort)
            }
            ExpressionTree::Shift(of, _) => self.sort_of(of),
            ExpressionTree::Block(partition, _) => self.net.sort_named(partition),
            ExpressionTree::All | ExpressionTree::Tuple(_) => None,
        }
    }

    /// Converts a parsed multiset to a multiset of colours of `sort`.
    fn multiset(&self, sum: &SumTree, sort: SortId) -> ParseResult<Multiset> {
        Ok(match sum {
            SumTree::Term(count, tree) => {
                Multiset::Tokens { count: *count, term: self.term(tree, sort)? }
            }
            SumTree::Sum(parts) => {
                let parts: ParseResult<Vec<_>> =
                    parts.iter().map(|part| self.multiset(part, sort)).collect();
                Multiset::sum(parts?)
            }
            SumTree::Times(factor, of) => self
                .multiset(of, sort)?
                .times(*factor)
                .ok_or("the number of tokens does not fit 64 bits")?,
            SumTree::Difference(a, b) => {
                Multiset::minus(self.multiset(a, sort)?, self.multiset(b, sort)?)
            }
        })
    }

    /// Converts a parsed term to a term of `sort`.
    fn term(&self, tree: &ExpressionTree, sort: SortId) -> ParseResult<Term> {
        Ok(match tree {
            ExpressionTree::All => Term::All(sort),
            ExpressionTree::Name(name) => match self.net.variable_named(name) {
                Some(variable) => Term::Variable(variable),
                None => {
                    let colour = self.net.colour_named(sort, name).ok_or_else(|| {
                        let sort = self.net.sort(sort).name();
                        format!("`{name}` is neither a colour of `{sort}` nor a variable")
                    })?;
                    Term::Constant { sort, colour }
                }
            },
            ExpressionTree::Shift(of, by) => Term::shift(self.term(of, sort)?, *by),
            ExpressionTree::Block(partition, of) => {
                let id = self.net.sort_named(partition);
                let Some((id, SortKind::Partition { of: sort, .. })) =
                    id.map(|id| (id, self.net.sort(id).kind()))
                else {
                    return Err(format!("`{partition}` is not a partition"));
                };
                Term::Block { partition: id, of: Box::new(self.term(of, *sort)?) }
            }
            ExpressionTree::Tuple(trees) => match self.net.sort(sort).kind() {
                SortKind::Product(parts) if parts.len() == trees.len() => {
                    let parts = trees.iter().zip(parts);
                    let parts: ParseResult<Vec<_>> =
                        parts.map(|(tree, part)| self.term(tree, *part)).collect();
                    Term::Tuple(parts?)
                }
                _ => {
                    let (found, sort) = (trees.len(), self.net.sort(sort).name());
                    return Err(format!("found a tuple of {found}, expected a colour of `{sort}`"));
                }
            },
        })
    }
}
