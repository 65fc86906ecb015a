//! Formulas on the command line and in files, for `check --formula` and `--formulas`.

use super::terminal::note;
use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use parikh_formula::text::{self, TextError, TextFormula, TextLanguage};
use parikh_formula::{Formula, FormulaProblem, NamedNodes};
use parikh_net::Net;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(super) struct FormulaOptions {
    /// A formula, optionally with a name in front: 'mutex: AG !(c1 >= 1 && c2 >= 1)'. Repeatable.
    /// The language is described below.
    #[arg(long, value_name = "FORMULA")]
    pub(super) formula: Vec<String>,
    /// A file of formulas: in the language of --formula, one per line; in a format of the contest
    /// (.xml, .txt, or the grammar of 2011); in LoLA's language; or a problem of mist, for its
    /// target. Repeatable.
    #[arg(long, value_name = "FILE")]
    pub(super) formulas: Vec<PathBuf>,
    /// The language of the files. By default it is detected from the beginning of a file.
    #[arg(long, value_enum, requires = "formulas")]
    language: Option<LanguageName>,
    /// Report what the grammar of 2011 does not allow, although Parikh reads it.
    #[arg(long = "strict-2011", requires = "formulas", help_heading = super::EXPERT)]
    strict: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LanguageName {
    /// The language of --formula.
    Inline,
    /// The contest's XML.
    Xml,
    /// The contest's .txt files.
    Contest,
    /// The contest's grammar of 2011.
    #[value(name = "2011")]
    Mcc2011,
    /// LoLA's language.
    Lola,
}

/// The language of `--formula`, for the end of the help.
pub(super) const LANGUAGE: &str = "\
Formulas:
  EF φ, AG φ, AG EF φ, AF φ, EG φ, A (φ U ψ), …     a path quantifier and an operator (CTL)
  A G (φ -> F ψ), G φ, F φ, X φ, φ U ψ     on all runs (LTL); with E in front, on some run
  φ && ψ, φ || ψ, !φ, φ -> ψ, φ <-> ψ, φ xor ψ      also and, or, not
  p1 + 2*p2 <= 3                                    tokens of places; also >= < > = !=
  fireable(t1, t2)                                  at least one of them is enabled
  fires(t1, t2)                                     one of them fires next (LTL only)
  deadlock                                          no transition is enabled
  bound(p1 + p2)                                    the maximum of the sum, a number
  waiting, t1                                       a node's id, or else its name (its label)
  \"Pay invoice\"                                     in quotes, all nodes with this name
  id \"p-1\"                                          an id and no name
  Precedence, highest first: *   + -   <= >= < > = !=   ! EF AG …   U   &&   xor   ||   ->   <->
  so EF a >= 1 && b >= 1 is (EF a >= 1) && (b >= 1); usually EF (a >= 1 && b >= 1) is meant";

/// A formula given by the user.
pub(super) struct GivenFormula {
    pub(super) id: String,
    /// The formula as its author wrote it. Empty if it is not in the language of `--formula`.
    pub(super) written: String,
    /// The formula, or an error message in one line.
    pub(super) formula: Result<Formula, String>,
    /// The nodes that names in the formula denote.
    pub(super) named: Vec<NamedNodes>,
}

impl FormulaOptions {
    /// Returns the options for one file of formulas.
    pub(super) fn of_file(file: &Path) -> Self {
        let formulas = vec![file.to_owned()];
        FormulaOptions { formula: Vec::new(), formulas, language: None, strict: false }
    }

    /// Returns true if a formula or a file of formulas is given.
    pub(super) fn are_given(&self) -> bool {
        !self.formula.is_empty() || !self.formulas.is_empty()
    }

    /// Reads all formulas, with unique ids. Errors in single formulas are printed on stderr.
    ///
    /// # Errors
    /// A file cannot be read, the files contain no formula, or no formula could be read. Also an
    /// error: each of several formulas in a file names a node that the net does not have.
    pub(super) fn read_and_print_notes(&self, net: &Net) -> Result<Vec<GivenFormula>> {
        let mut notes = Vec::new();
        let formulas = self.read(net, &mut notes);
        notes.iter().for_each(|line| note!("{line}"));
        formulas
    }

    /// Reads all formulas, with unique ids. Errors in single formulas are appended to `notes`.
    ///
    /// # Errors
    /// A file cannot be read, the files contain no formula, or no formula could be read. Also an
    /// error: each of several formulas in a file names a node that the net does not have.
    pub(super) fn read(&self, net: &Net, notes: &mut Vec<String>) -> Result<Vec<GivenFormula>> {
        let mut collector = FormulaCollector { formulas: Vec::new(), ids: HashSet::new(), notes };
        for text in &self.formula {
            collector.add(text::read_one(text, "--formula", net));
        }
        for file in &self.formulas {
            self.read_file(file, net, &mut collector)?;
        }
        collector.name_the_others();
        let given = collector.formulas;
        if given.is_empty() {
            bail!("{} contains no formula", self.formulas[0].display());
        }
        if given.iter().all(|asked| asked.formula.is_err()) {
            bail!("none of the formulas could be read");
        }
        Ok(given)
    }

    /// Reads the formulas of a file into `collector`.
    fn read_file(
        &self,
        file: &Path,
        net: &Net,
        collector: &mut FormulaCollector<'_>,
    ) -> Result<()> {
        let name = file.display().to_string();
        let bytes = std::fs::read(file).with_context(|| format!("{name}: cannot be read"))?;
        let is_xml = || {
            // Text in UTF-16 can only be XML, because no other language is read in UTF-16.
            let starts_of_utf16 = [&b"\xff\xfe"[..], b"\xfe\xff", b"\0<"];
            let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
            starts_of_utf16.iter().any(|start| bytes.starts_with(start))
                || text.trim_ascii_start().starts_with(b"<")
        };
        if self.language.map_or_else(is_xml, |language| language == LanguageName::Xml) {
            let queries = parikh_input::read_queries_from(&bytes[..], &name, net)?;
            if let Some(error) = queries.cut_short {
                collector.note(format!(
                    "parikh: {error}; only the formulas before this place are answered"
                ));
            }
            for query in queries.queries {
                collector.add_query(query.id, query.formula.map_err(|e| format!("{name}: {e}")));
            }
            return Ok(());
        }
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
            anyhow::anyhow!("{name}:{line}: expected text in UTF-8")
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if let Some(target) = parikh_input::target_of(text, &name) {
            collector.add(text::read_one(&target?, &name, net));
            return Ok(());
        }
        let language = match self.language {
            Some(LanguageName::Inline) => TextLanguage::Inline,
            Some(LanguageName::Contest) => TextLanguage::Contest,
            Some(LanguageName::Mcc2011) => TextLanguage::Mcc2011,
            Some(LanguageName::Lola) => TextLanguage::Lola,
            Some(LanguageName::Xml) | None => text::detect(text),
        };
        let formulas = text::read(text, &name, language, net, self.strict);
        if let Some(first) = of_another_model(&formulas) {
            bail!(
                "{name}: all {} formulas name places or transitions that the net does not have; \
                 does the file belong to another model? The first error: {first}",
                formulas.len()
            );
        }
        formulas.into_iter().for_each(|formula| collector.add(formula));
        Ok(())
    }
}

/// Returns the first error if there are several formulas and each names a node that the net does
/// not have. The formulas then probably belong to another model. Returns `None` otherwise.
fn of_another_model(formulas: &[TextFormula]) -> Option<&TextError> {
    let mut unknown_name_errors = formulas.iter().map(|formula| {
        formula.formula.as_ref().err().filter(|error| {
            matches!(
                error.problem,
                FormulaProblem::UnknownPlace { .. } | FormulaProblem::UnknownTransition { .. }
            )
        })
    });
    let first = unknown_name_errors.next()??;
    (formulas.len() > 1 && unknown_name_errors.all(|error| error.is_some())).then_some(first)
}

/// Returns the error message for a formula, with the position, line by line.
pub(super) fn error_lines(error: &TextError) -> Vec<String> {
    let mut lines = vec![format!("parikh: {error}")];
    lines.extend(error.excerpt());
    lines
}

/// The formulas read so far.
struct FormulaCollector<'n> {
    formulas: Vec<GivenFormula>,
    /// The ids in use.
    ids: HashSet<String>,
    /// Messages about the formulas.
    notes: &'n mut Vec<String>,
}

impl FormulaCollector<'_> {
    fn note(&mut self, line: String) {
        self.notes.push(line);
    }

    /// Adds a formula, with the messages about it.
    fn add(&mut self, formula: TextFormula) {
        for remark in &formula.remarks {
            self.note(format!("parikh: note: {remark}"));
            self.notes.extend(remark.excerpt());
        }
        if let Err(error) = &formula.formula {
            self.notes.extend(error_lines(error));
        }
        let read = formula.formula.map_err(|error| error.to_string());
        self.push(GivenFormula {
            id: formula.id,
            written: formula.written,
            formula: read,
            named: formula.named,
        });
    }

    /// Adds a formula of a query file in XML. Another formula may have the same id until
    /// `name_the_others` makes the ids unique.
    fn add_query(&mut self, id: String, formula: Result<Formula, String>) {
        if let Err(error) = &formula {
            self.note(format!("parikh: formula {id}: {error}"));
        }
        self.ids.insert(id.clone());
        let (written, named) = Default::default();
        self.formulas.push(GivenFormula { id, written, formula, named });
    }

    /// Names each formula without a name `formula-N`. N is the position of the formula, counted
    /// from 1, or the next number whose name is free. Of several formulas with the same name, all
    /// but the first get a number after the name.
    fn name_the_others(&mut self) {
        for (index, asked) in
            self.formulas.iter_mut().enumerate().filter(|(_, it)| it.id.is_empty())
        {
            let mut names = (index + 1..).map(|number| format!("formula-{number}"));
            // There are at most as many used numbers as formulas, so a free number exists.
            asked.id = names.find(|name| !self.ids.contains(name)).unwrap_or_default();
            self.ids.insert(asked.id.clone());
        }
        parikh_input::make_ids_unique(
            &mut self.formulas.iter_mut().map(|it| &mut it.id).collect::<Vec<_>>(),
        );
    }

    /// Adds a formula of `--formula` or of a file that is not XML. Another formula may have the
    /// same name until `name_the_others` makes the names unique.
    fn push(&mut self, given: GivenFormula) {
        if !given.id.is_empty() {
            self.ids.insert(given.id.clone());
        }
        self.formulas.push(given);
    }
}
