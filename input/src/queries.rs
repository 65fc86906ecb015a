//! The reader of the contest's query files, of all years. A file has any number of properties,
//! usually sixteen. An error in one property does not affect the others. A truncated file still
//! gives the properties before the break.

use super::error::InputError;
use super::query_tree::{FormulaTree, NodeNameKind, QueryOperator};
use super::xml::{XmlItem, XmlReader, trimmed};
use parikh_formula::{Formula, FormulaError, FormulaProblem};
use parikh_net::Net;
use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

/// A property of a query file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    /// The name of the property as written in the file, for the line with its answer. A number is
    /// appended to a repeated name ([`make_ids_unique`]). Empty if the property has no name.
    pub id: String,
    /// The author's comment.
    pub description: Option<String>,
    /// The formula, or the error in the formula.
    pub formula: Result<Formula, FormulaError>,
}

/// The content of a query file.
#[derive(Debug)]
pub struct QueryFile {
    /// The properties in the order of the file.
    pub queries: Vec<Query>,
    /// The error that ended the file early, if any. The properties before the error are complete
    /// and are returned.
    pub cut_short: Option<InputError>,
}

/// Reads the properties of a query file about `net`.
///
/// # Errors
/// When the file cannot be read, is not a query file, or breaks off before the end of its first
/// property. Also when the file has at least two formulas and all of them name nodes that the net
/// does not have.
pub fn read_queries(path: &Path, net: &Net) -> Result<QueryFile, InputError> {
    let (reader, file) = super::open(path)?;
    read_queries_from(reader, &file, net)
}

/// Reads the properties of a query file from `reader`. Messages use `name` for the file.
///
/// # Errors
/// The errors of [`read_queries`].
pub fn read_queries_from(
    reader: impl BufRead,
    name: &str,
    net: &Net,
) -> Result<QueryFile, InputError> {
    let mut reader = QueryReader {
        xml: XmlReader::new(reader, name)?,
        net,
        text: String::new(),
        suggestions_left: 50,
    };
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
    make_ids_unique(&mut queries.iter_mut().map(|query| &mut query.id).collect::<Vec<_>>());
    match of_another_model(&queries) {
        Some(first) => {
            Err(InputError::OtherModel { file: name.into(), formulas: queries.len(), first })
        }
        None => Ok(QueryFile { queries, cut_short }),
    }
}

/// Makes equal ids different. The first stays, and the others become `ID-2`, `ID-3` and so on, in
/// order, without collisions with existing ids. Empty ids stay. Some tools write query files whose
/// formulas all have one default id. The auditor numbers equal ids in the same way.
pub fn make_ids_unique(ids: &mut [&mut String]) {
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

/// Returns the first error if every formula names unknown nodes. A single formula does not count,
/// since its name may just be misspelt.
fn of_another_model(queries: &[Query]) -> Option<FormulaError> {
    let mut unknown_name_errors = queries.iter().map(|query| match &query.formula {
        Err(error) => match error.problem {
            FormulaProblem::UnknownPlace { .. } | FormulaProblem::UnknownTransition { .. } => {
                Some(error)
            }
            _ => None,
        },
        Ok(_) => None,
    });
    let first = unknown_name_errors.next()??;
    (queries.len() > 1 && unknown_name_errors.all(|error| error.is_some())).then(|| first.clone())
}

struct QueryReader<'n, R> {
    xml: XmlReader<R>,
    net: &'n Net,
    /// The text read last.
    text: String,
    /// The number of unknown names that still get a suggestion. Each suggestion searches the whole
    /// net.
    suggestions_left: usize,
}

impl<R: BufRead> QueryReader<'_, R> {
    /// Reads the next property below the root; returns `None` at the end of the file.
    fn next_query(&mut self) -> Result<Option<Query>, InputError> {
        loop {
            match self.xml.next()? {
                XmlItem::Open(tag) if tag.name() == "property" => {
                    let line = tag.position.line;
                    return self.property(line).map(Some);
                }
                XmlItem::Open(tag) => {
                    return Err(InputError::Unsupported {
                        at: tag.position.of(tag.file),
                        found: format!("an element `{}` beside properties", tag.qualified_name()),
                        advice: "expected `<property>`",
                    });
                }
                XmlItem::Close | XmlItem::Text(_) | XmlItem::Nothing => {}
                XmlItem::EndOfFile => return Ok(None),
            }
        }
    }

    fn property(&mut self, line: u64) -> Result<Query, InputError> {
        let mut id = None;
        let mut description = None;
        let mut formula = None;
        loop {
            let tag = match self.xml.next()? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close | XmlItem::EndOfFile => break,
                XmlItem::Text(_) | XmlItem::Nothing => continue,
            };
            let line = tag.position.line;
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
        let failed = |problem| Err(FormulaError { line, problem });
        let id = id.unwrap_or_default();
        let formula = match formula {
            _ if id.is_empty() => failed(FormulaProblem::NoId),
            None => failed(FormulaProblem::NoFormula),
            Some(formula) => formula,
        };
        Ok(Query { id, description, formula })
    }

    fn trimmed_text(&mut self) -> Result<String, InputError> {
        self.xml.text(&mut self.text)?;
        Ok(trimmed(&self.text).to_owned())
    }

    /// Reads the element `<formula>` that was opened last. The outer error ends the file, and the
    /// inner error concerns only this formula. The reader goes on to the end of the element even
    /// after an inner error, because the next property follows there.
    fn formula(&mut self, line: u64) -> Result<Result<Formula, FormulaError>, InputError> {
        let mut tree = FormulaTree::new(line);
        let mut first_error: Option<FormulaError> = None;
        let mut open_elements = 1;
        while open_elements > 0 {
            let tag = match self.xml.next()? {
                XmlItem::Open(tag) => tag,
                XmlItem::Close => {
                    open_elements -= 1;
                    if first_error.is_none() {
                        first_error = tree.close().err();
                    }
                    continue;
                }
                XmlItem::Text(_) | XmlItem::Nothing | XmlItem::EndOfFile => continue,
            };
            if first_error.is_some() {
                self.xml.skip()?;
                continue;
            }
            let line = tag.position.line;
            let step = match tag.name() {
                "place" => self.name(NodeNameKind::Place, &mut tree)?,
                "transition" => self.name(NodeNameKind::Transition, &mut tree)?,
                "integer-constant" => {
                    self.xml.text(&mut self.text)?;
                    tree.constant(trimmed(&self.text))
                }
                name => match QueryOperator::named(name) {
                    Some(operator) => {
                        open_elements += 1;
                        tree.open(operator, line)
                    }
                    None => {
                        let problem = FormulaProblem::UnknownOperator(name.to_owned());
                        self.xml.skip()?;
                        Err(problem)
                    }
                },
            };
            first_error = step.map_err(|problem| FormulaError { line, problem }).err();
        }
        Ok(match first_error {
            Some(error) => Err(error),
            None => tree.finish(),
        })
    }

    /// Reads the name of a node, and adds the node to `tree`. The outer error ends the file, and
    /// the inner error concerns only this formula.
    fn name(
        &mut self,
        kind: NodeNameKind,
        tree: &mut FormulaTree,
    ) -> Result<Result<(), FormulaProblem>, InputError> {
        self.xml.text(&mut self.text)?;
        let name = trimmed(&self.text);
        let may_suggest = self.suggestions_left > 0;
        Ok(match kind {
            NodeNameKind::Place => match self.net.places_named(name) {
                Some(places) => tree.places(places),
                None => {
                    self.suggestions_left = self.suggestions_left.saturating_sub(1);
                    Err(FormulaProblem::unknown_place(name, self.net, may_suggest))
                }
            },
            NodeNameKind::Transition => match self.net.transitions_named(name) {
                Some(transitions) => tree.transitions(transitions),
                None => {
                    self.suggestions_left = self.suggestions_left.saturating_sub(1);
                    Err(FormulaProblem::unknown_transition(name, self.net, may_suggest))
                }
            },
        })
    }
}
