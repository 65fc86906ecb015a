//! One process of an SMT solver: what it was told, what it says, and how long it is waited for.

use crate::budget::{self, Budget, Exhausted};
use crate::guest::process::{Process, Program, Waited};
use crate::guest::{GRACE, patience};
use crate::model::{Model, Value};
use crate::smt_lib::reader::{Expression, Expressions};
use crate::smt_lib::writer::Writer;
use crate::term::{Sort, Term, Terms, Variable};
use num_bigint::BigInt;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// How often the memory of a guest at work is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// An answer has so many bytes at most, without values.
const MOST_BYTES: usize = 1 << 20;

/// A value has so many, beside the name of what has it.
const MOST_BYTES_OF_VALUE: usize = 100;

/// Said first. What a solver does not know of it, it says, and is used without.
const GREETING: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n\
                        (set-option :produce-unsat-assumptions true)\n(get-info :name)\n(get-info :version)\n";

pub(super) const DIED: &str = "it died";
pub(super) const MUTE: &str = "it does not answer";

/// A process, and what it was told.
#[derive(Debug)]
pub(super) struct Guest {
    pub(super) process: Process,
    /// What it was not told yet, up to the end of a command.
    pub(super) untold: Vec<u8>,
    expressions: Expressions,
    pub(super) writer: Writer,
    pub(super) logic: Option<&'static str>,
    /// How much it was told of each scope that it is in.
    pub(super) told: Vec<usize>,
    /// Scopes that it has to leave first.
    pub(super) leave: usize,
    /// The number of the last message.
    said: u64,
    /// Since when the answer to it is overdue, if it has not come yet.
    pub(super) owes: Option<Instant>,
    /// How much it was told in all.
    pub(super) bytes: usize,
    is_z3: bool,
    /// The option that tells it how many milliseconds a question may take, if we know of one.
    pub(super) time_limit: Option<&'static str>,
    has_cores: bool,
    /// Bytes that it may have resident.
    most_memory: u64,
}

/// There is no answer.
pub(super) enum Failure {
    /// The guest is of no use any more.
    Lost(String),
    /// It does not take the question.
    Refused(String),
    /// The budget is spent.
    Spent,
    /// It takes too much memory.
    TooMuch,
}
pub(super) use Failure::{Lost, Refused, Spent, TooMuch};

impl Guest {
    /// A process that has been greeted; its name and version.
    pub(super) fn start(program: &Program, budget: &Budget) -> Result<(Guest, String), Failure> {
        let process =
            Process::get(program).map_err(|error| Lost(format!("it does not start: {error}")))?;
        let mut guest = Guest {
            process,
            untold: GREETING.into(),
            expressions: Expressions::of_at_most(MOST_BYTES),
            writer: Writer::new(),
            logic: None,
            told: vec![0],
            leave: 0,
            said: 0,
            owes: None,
            bytes: 0,
            is_z3: false,
            time_limit: None,
            has_cores: true,
            most_memory: u64::MAX,
        };
        guest.end_message();
        let mut name = (String::new(), String::new());
        let answer = guest.answer(patience(0), Some(budget)).map_err(|failure| match failure {
            Spent if !budget.is_exhausted() => Lost(MUTE.to_owned()),
            other => other,
        })?;
        for said in answer {
            let info = |word: &str| said.after(word)?.first()?.said().map(str::to_owned);
            // Information comes in a list that begins with its keyword.
            if let Some(text) = info(":name") {
                name.0 = text;
            } else if let Some(text) = info(":version") {
                name.1 = text;
            } else if said.after("error").is_some() || said.word() == Some("unsupported") {
                guest.has_cores = false;
            }
        }
        let known = name.0.to_ascii_lowercase();
        guest.is_z3 = known.contains("z3");
        guest.time_limit = if guest.is_z3 {
            Some(":timeout")
        } else {
            known.contains("cvc5").then_some(":tlimit-per")
        };
        let name = match name {
            (name, _) if name.is_empty() => program.to_string(),
            (name, version) => format!("{name} {version}").trim().to_owned(),
        };
        Ok((guest, name))
    }

    /// It may have half of what is left, beyond what it has.
    pub(super) fn allow(&mut self, budget: &Budget) {
        self.most_memory = match budget.memory_left() {
            u64::MAX => u64::MAX,
            left => budget::child_bytes(self.process.id()).saturating_add(left / 2),
        };
    }

    /// Says which logic it is about.
    pub(super) fn begin(&mut self, logic: &'static str) {
        self.logic = Some(logic);
        self.untold.extend(format!("(set-logic {logic})\n").bytes());
        if self.is_z3 {
            // In a scope Z3 works incrementally from the first question on.
            self.untold.extend(b"(push 1)\n");
        }
    }

    /// Prepares what it has not been told of `scopes`, and of what is assumed: as literals. Nothing
    /// when they need a wider logic than the one that it was told.
    pub(super) fn tell(
        &mut self,
        terms: &Terms,
        scopes: &[Vec<Term>],
        assumptions: &[Term],
    ) -> Option<Vec<String>> {
        let mut out = Vec::new();
        let write = |writer: &mut Writer, out: &mut Vec<u8>, told: &mut Vec<usize>| {
            for (depth, asserted) in scopes.iter().enumerate() {
                if depth == told.len() {
                    told.push(0);
                    writer.push();
                    writeln!(out, "(push 1)")?;
                }
                let news = &asserted[told[depth]..];
                if !news.is_empty() {
                    writer.assert(terms, news, out)?;
                    told[depth] = asserted.len();
                }
            }
            writer.guard(terms, assumptions, out)
        };
        if self.leave > 0 {
            out.extend(format!("(pop {})\n", std::mem::take(&mut self.leave)).bytes());
        }
        // Vectors take everything.
        let assumed = write(&mut self.writer, &mut out, &mut self.told).ok()?;
        let logic = self.writer.logic();
        match self.logic {
            None => self.begin(logic),
            Some(known) if known == logic || is_wider(known, logic) => {}
            Some(_) => return None,
        }
        self.untold.append(&mut out);
        Some(assumed)
    }

    /// Asks whether all can be true together with these literals.
    pub(super) fn ask(
        &mut self,
        assumed: &[String],
        budget: &Budget,
    ) -> Result<Vec<Expression>, Failure> {
        if let Some(option) = self.time_limit {
            // In milliseconds; the greatest is for ever.
            let left = budget.remaining().map_or(u128::from(u32::MAX), |left| left.as_millis() + 1);
            let left = left.min(u32::MAX.into());
            self.untold.extend(format!("(set-option {option} {left})\n").bytes());
        }
        self.untold.extend(
            match assumed {
                [] => "(check-sat)\n".to_owned(),
                literals => format!("(check-sat-assuming ({}))\n", literals.join(" ")),
            }
            .bytes(),
        );
        self.exchange(0, budget)
    }

    /// Says what is prepared, and hears the answer, which has not many more than so many `bytes`.
    /// What does not come in time is owed.
    fn exchange(&mut self, bytes: usize, budget: &Budget) -> Result<Vec<Expression>, Failure> {
        self.end_message();
        self.expressions = Expressions::of_at_most(MOST_BYTES + bytes);
        self.owes = Some(Instant::now());
        self.bytes = self.bytes.saturating_add(self.untold.len());
        let patience = patience(self.untold.len() / 10);
        self.say(patience, Some(budget))?;
        let answer = match self.answer(Duration::MAX, Some(budget)) {
            Err(Spent) if budget.exhausted() != Some(Exhausted::Memory) => {
                self.owes = Some(Instant::now());
                self.answer(GRACE, None)
            }
            other => other,
        }?;
        let mut errors = answer.iter().filter_map(|said| said.after("error"));
        match errors.next() {
            Some(error) => {
                Err(Refused(error.first().and_then(Expression::said).unwrap_or("").to_owned()))
            }
            None => Ok(answer),
        }
    }

    fn end_message(&mut self) {
        self.said += 1;
        self.untold.extend(format!("(echo \"parikh {}\")\n", self.said).bytes());
    }

    /// Says what is untold, within the budget.
    pub(super) fn say(
        &mut self,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<(), Failure> {
        match self.process.say(&mut self.untold, patience, budget) {
            Ok(()) => Ok(()),
            Err(Waited::Dead) => Err(Lost(DIED.to_owned())),
            Err(Waited::Enough) if budget.is_some_and(Budget::is_exhausted) => Err(Spent),
            Err(Waited::Enough) => Err(Lost("it does not listen".to_owned())),
        }
    }

    /// All it says up to the end of its answer to the last message.
    pub(super) fn answer(
        &mut self,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<Vec<Expression>, Failure> {
        let nonsense = || Lost("what it says is no SMT-LIB 2".to_owned());
        let begun = Instant::now();
        // A part of the message may be left to say.
        self.say(patience, budget)?;
        let end = format!("parikh {}", self.said);
        let mut heard = Vec::new();
        loop {
            let left = patience.saturating_sub(begun.elapsed()).min(GLANCE);
            let expressions = &mut self.expressions;
            match self.process.hear(|bytes| expressions.first(bytes), left, budget) {
                Ok(Ok(said)) => {
                    // Some print the quotation marks, others two words.
                    let words = heard.last().and_then(Expression::word) == Some("parikh")
                        && said.word().is_some_and(|number| number == &end["parikh ".len()..]);
                    if words {
                        heard.pop();
                    }
                    if words || said.said() == Some(&end) {
                        self.owes = None;
                        return Ok(heard);
                    }
                    if said.after("echo").is_some() {
                        return Err(nonsense());
                    }
                    heard.push(said);
                }
                Ok(Err(_)) => return Err(nonsense()),
                Err(Waited::Dead) => return Err(Lost(DIED.to_owned())),
                Err(Waited::Enough) => {
                    if self.most_memory < u64::MAX
                        && budget::child_bytes(self.process.id()) > self.most_memory
                    {
                        return Err(TooMuch);
                    }
                    match budget.and_then(Budget::exhausted) {
                        // Perhaps it is who has it.
                        Some(Exhausted::Memory) => return Err(TooMuch),
                        Some(_) => return Err(Spent),
                        None if begun.elapsed() >= patience => return Err(Spent),
                        None => {}
                    }
                }
            }
        }
    }

    /// The values of all variables; `None` if they are not what was asked for.
    pub(super) fn model(
        &mut self,
        terms: &Terms,
        budget: &Budget,
    ) -> Result<Option<Model>, Failure> {
        let variables: Vec<Variable> = self.writer.variables().collect();
        let mut model = Model::new();
        if variables.is_empty() {
            return Ok(Some(model));
        }
        self.untold.extend(b"(get-value (");
        let mut bytes = 0;
        for &variable in &variables {
            let symbol = self.writer.symbol(variable);
            bytes += symbol.len() + MOST_BYTES_OF_VALUE;
            self.untold.extend(symbol.bytes());
            self.untold.push(b' ');
        }
        self.untold.extend(b"))\n");
        let answer = self.exchange(bytes, budget)?;
        let values = match answer.as_slice() {
            [Expression::List(values)] if values.len() == variables.len() => values,
            _ => return Ok(None),
        };
        for (&variable, pair) in variables.iter().zip(values) {
            let Expression::List(pair) = pair else { return Ok(None) };
            let [_, value] = pair.as_slice() else { return Ok(None) };
            let value = match terms.sort(variable) {
                Sort::Bool => match value.word() {
                    Some("true") => Some(Value::Truth(true)),
                    Some("false") => Some(Value::Truth(false)),
                    _ => None,
                },
                Sort::Int | Sort::Real => value.number().map(Value::Number),
                Sort::Bits(width) => {
                    let fits = value.bits().filter(|bits| bits.bits() <= width.into());
                    fits.map(|bits| Value::Number(BigInt::from(bits).into()))
                }
            };
            let Some(value) = value else { return Ok(None) };
            if terms.sort(variable) == Sort::Int
                && matches!(&value, Value::Number(number) if !number.is_integer())
            {
                return Ok(None);
            }
            model.set(variable, value);
        }
        Ok(Some(model))
    }

    /// Which of the literals are in the core; all where it has none.
    pub(super) fn core(
        &mut self,
        assumed: &[String],
        budget: &Budget,
    ) -> Result<Vec<bool>, Failure> {
        if assumed.is_empty() || !self.has_cores {
            return Ok(vec![true; assumed.len()]);
        }
        self.untold.extend(b"(get-unsat-assumptions)\n");
        let bytes = assumed.iter().map(|literal| literal.len() + 1).sum();
        let answer = match self.exchange(bytes, budget) {
            Err(Refused(_)) => Vec::new(),
            other => other?,
        };
        let [Expression::List(core)] = answer.as_slice() else {
            self.has_cores = false;
            return Ok(vec![true; assumed.len()]);
        };
        let is_in_core = |literal: &String| {
            let negated = literal.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')'));
            let symbol = |text: &str| text.trim_matches('|').to_owned();
            core.iter().any(|said| match negated {
                None => said.word() == Some(&symbol(literal)),
                Some(name) => said.after("not").is_some_and(|rest| {
                    rest.first().and_then(Expression::word) == Some(&symbol(name))
                }),
            })
        };
        Ok(assumed.iter().map(is_in_core).collect())
    }

    /// Why it does not know.
    pub(super) fn reason(&mut self, budget: &Budget) -> Result<String, Failure> {
        if budget.is_exhausted() {
            return Ok(String::new());
        }
        self.untold.extend(b"(get-info :reason-unknown)\n");
        let answer = match self.exchange(0, budget) {
            Err(Refused(_)) => Vec::new(),
            other => other?,
        };
        let reason = answer.first().and_then(|said| said.after(":reason-unknown")?.first()?.said());
        Ok(reason.unwrap_or("without a reason").to_owned())
    }
}

/// Whether a logic has all that the other one has.
fn is_wider(logic: &str, other: &str) -> bool {
    logic == "ALL" || other == "QF_UF" || logic == "QF_LIRA" && other.starts_with("QF_L")
}
