//! The reader of the contest's query files, of all years. A file has sixteen properties or any
//! other number; what is wrong with one of them stays with that one, and a file that breaks off
//! still gives the properties before the break.

use super::error::InputError;
use super::query_tree::{Name, Operator, Tree};
use super::xml::{Item, XmlReader, trimmed};
use crate::formula::{Formula, FormulaError, FormulaProblem};
use parikh_net::Net;
use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

/// One property of a query file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// What the answer has to be called, verbatim; empty when the property has none.
    pub id: String,
    /// The author's remark.
    pub description: Option<String>,
    /// The formula, or what is wrong with it.
    pub formula: Result<Formula, FormulaError>,
}

/// What a query file holds.
#[derive(Debug)]
pub struct QueryFile {
    /// The properties in the order of the file.
    pub queries: Vec<Query>,
    /// Why the file could not be read to its end; the properties before that are complete.
    pub cut_short: Option<InputError>,
}

/// Reads the properties of a query file about `net`.
///
/// # Errors
/// When the file cannot be read, is no query file, breaks before the end of its first property,
/// or has two formulas or more of which every one names nodes that the net does not have.
pub fn read_queries(path: &Path, net: &Net) -> Result<QueryFile, InputError> {
    let (reader, file) = super::open(path)?;
    read_queries_from(reader, &file, net)
}

/// Reads the properties of a query file from `reader`; `name` is how messages call it.
///
/// # Errors
/// As [`read_queries`].
pub fn read_queries_from(
    reader: impl BufRead,
    name: &str,
    net: &Net,
) -> Result<QueryFile, InputError> {
    let mut reader =
        QueryReader { xml: XmlReader::new(reader, name)?, net, text: String::new(), guesses: 50 };
    reader.xml.root("property-set")?;
    let mut queries = Vec::new();
    let cut_short = loop {
        match reader.next_query() {
            Ok(Some(query)) => queries.push(query),
            Ok(None) => break None,
            Err(problem) if queries.is_empty() => return Err(problem),
            Err(problem) => break Some(problem),
        }
    };
    tell_apart(&mut queries.iter_mut().map(|query| &mut query.id).collect::<Vec<_>>());
    match of_another_model(&queries) {
        Some(first) => {
            Err(InputError::OtherModel { file: name.into(), formulas: queries.len(), first })
        }
        None => Ok(QueryFile { queries, cut_short }),
    }
}

/// Makes equal ids different: the first stays, and the others become `ID-2`, `ID-3` and so on, in
/// their order, with numbers that make no id that is there. Some tools write query files in which
/// all formulas have one default id. The auditor numbers equal ids in the same way.
pub fn tell_apart(ids: &mut [&mut String]) {
    let mut taken: HashSet<String> = ids.iter().map(|id| id.to_string()).collect();
    let mut seen = HashSet::new();
    for id in ids.iter_mut().filter(|id| !id.is_empty()) {
        if !seen.insert(id.clone()) {
            let mut others = (2u64..).map(|number| format!("{id}-{number}"));
            if let Some(other) = others.find(|other| !taken.contains(other)) {
                taken.insert(other.clone());
                seen.insert(other.clone());
                **id = other;
            }
        }
    }
}

/// The first problem, when every formula names nodes that are not there. One formula alone may
/// just have a slip in a name.
fn of_another_model(queries: &[Query]) -> Option<FormulaError> {
    let mut unknown = queries.iter().map(|query| match &query.formula {
        Err(error) => match error.problem {
            FormulaProblem::UnknownPlace { .. } | FormulaProblem::UnknownTransition { .. } => {
                Some(error)
            }
            _ => None,
        },
        Ok(_) => None,
    });
    let first = unknown.next()??;
    (queries.len() > 1 && unknown.all(|error| error.is_some())).then(|| first.clone())
}

struct QueryReader<'n, R> {
    xml: XmlReader<R>,
    net: &'n Net,
    /// The text read last.
    text: String,
    /// How many more wrong names get a guess of what was meant, each of which looks at the whole
    /// net.
    guesses: usize,
}

impl<R: BufRead> QueryReader<'_, R> {
    /// The next property below the root; none at the end of the file.
    fn next_query(&mut self) -> Result<Option<Query>, InputError> {
        loop {
            match self.xml.next()? {
                Item::Open(tag) if tag.name() == "property" => {
                    let line = tag.at.line;
                    return self.property(line).map(Some);
                }
                Item::Open(_) => self.xml.skip()?,
                Item::Close | Item::Text(_) | Item::Nothing => {}
                Item::End => return Ok(None),
            }
        }
    }

    fn property(&mut self, line: u64) -> Result<Query, InputError> {
        let mut id = None;
        let mut description = None;
        let mut formula = None;
        loop {
            let tag = match self.xml.next()? {
                Item::Open(tag) => tag,
                Item::Close | Item::End => break,
                Item::Text(_) | Item::Nothing => continue,
            };
            let line = tag.at.line;
            match tag.name() {
                "id" => id = Some(self.trimmed_text()?),
                "description" => description = Some(self.trimmed_text()?),
                "formula" if formula.is_none() => formula = Some(self.formula(line)?),
                "formula" => {
                    let problem = FormulaProblem::SecondFormula;
                    formula = Some(Err(FormulaError { line, problem }));
                    self.xml.skip()?;
                }
                _ => self.xml.skip()?,
            }
        }
        let wrong = |problem| Err(FormulaError { line, problem });
        let id = id.unwrap_or_default();
        let formula = match formula {
            _ if id.is_empty() => wrong(FormulaProblem::NoId),
            None => wrong(FormulaProblem::NoFormula),
            Some(formula) => formula,
        };
        Ok(Query { id, description, formula })
    }

    fn trimmed_text(&mut self) -> Result<String, InputError> {
        self.xml.text(&mut self.text)?;
        Ok(trimmed(&self.text).to_owned())
    }

    /// Reads the element `<formula>` that was opened last, to its end even when the formula is
    /// wrong halfway: that is where the next property goes on.
    fn formula(&mut self, line: u64) -> Result<Result<Formula, FormulaError>, InputError> {
        let mut tree = Tree::new(line);
        let mut wrong: Option<FormulaError> = None;
        let mut open = 1;
        while open > 0 {
            let tag = match self.xml.next()? {
                Item::Open(tag) => tag,
                Item::Close => {
                    open -= 1;
                    if wrong.is_none() {
                        wrong = tree.close().err();
                    }
                    continue;
                }
                Item::Text(_) | Item::Nothing | Item::End => continue,
            };
            if wrong.is_some() {
                self.xml.skip()?;
                continue;
            }
            let line = tag.at.line;
            let step = match tag.name() {
                "place" => self.name(Name::Place, &mut tree)?,
                "transition" => self.name(Name::Transition, &mut tree)?,
                "integer-constant" => {
                    self.xml.text(&mut self.text)?;
                    tree.constant(trimmed(&self.text))
                }
                name => match Operator::named(name) {
                    Some(operator) => {
                        open += 1;
                        tree.open(operator, line)
                    }
                    None => {
                        let problem = FormulaProblem::UnknownOperator(name.to_owned());
                        self.xml.skip()?;
                        Err(problem)
                    }
                },
            };
            wrong = step.map_err(|problem| FormulaError { line, problem }).err();
        }
        Ok(match wrong {
            Some(error) => Err(error),
            None => tree.finish(),
        })
    }

    /// Reads the name of a node.
    fn name(
        &mut self,
        kind: Name,
        tree: &mut Tree,
    ) -> Result<Result<(), FormulaProblem>, InputError> {
        self.xml.text(&mut self.text)?;
        let name = trimmed(&self.text);
        let guess = self.guesses > 0;
        Ok(match kind {
            Name::Place => match self.net.places_named(name) {
                Some(places) => tree.places(places),
                None => {
                    self.guesses = self.guesses.saturating_sub(1);
                    Err(FormulaProblem::unknown_place(name, self.net, guess))
                }
            },
            Name::Transition => match self.net.transitions_named(name) {
                Some(transitions) => tree.transitions(transitions),
                None => {
                    self.guesses = self.guesses.saturating_sub(1);
                    Err(FormulaProblem::unknown_transition(name, self.net, guess))
                }
            },
        })
    }
}
