//! One process of an SMT solver: its protocol state, its answers, and the waiting times.

use crate::budget::{self, Budget, ExhaustionReason};
use crate::guest::process::{Process, Program, WaitError};
use crate::guest::{GRACE, patience};
use crate::model::{ModelValue, SolverModel};
use crate::smt_lib::reader::{Expression, Expressions};
use crate::smt_lib::writer::Writer;
use crate::term::{Sort, Term, Terms, Variable};
use num_bigint::BigInt;
use std::time::{Duration, Instant};

/// Interval between two checks of the memory of a working process.
const MEMORY_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// Limit on the bytes of an answer, apart from values.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// Limit on the bytes of a value, apart from the name of its variable.
const MAX_VALUE_BYTES: usize = 100;

/// The first message. A solver that does not support one of the options reports it and is used
/// without it.
const GREETING: &str = "(set-option :print-success false)\n(set-option :produce-models true)\n\
                        (set-option :produce-unsat-assumptions true)\n(get-info :name)\n(get-info :version)\n";

pub(super) const DIED: &str = "the solver ended unexpectedly";
pub(super) const NO_REPLY: &str = "the solver does not respond";

/// A process, with the state of the conversation.
#[derive(Debug)]
pub(super) struct SolverProcess {
    pub(super) process: Process,
    /// Bytes for the solver that were not sent yet. They may begin inside a command whose beginning
    /// was already sent.
    pub(super) unsent: Vec<u8>,
    /// The parser of the solver's output.
    expressions: Expressions,
    /// The writer of terms, with the symbols declared in the process.
    pub(super) writer: Writer,
    /// The logic set in the process, if any.
    pub(super) logic: Option<&'static str>,
    /// Number of assertions that were sent or are in `unsent`.
    assertions_sent: usize,
    /// Number of messages sent. A message is a batch of commands that ends with `(echo "parikh
    /// NUMBER")`; the echo marks the end of the solver's reply.
    message_number: u64,
    /// Start of the wait for the reply to the last message, if the reply has not arrived. When the
    /// budget ends during the wait, the wait counts from then on.
    pub(super) awaited_since: Option<Instant>,
    /// Approximate number of bytes sent in total.
    pub(super) bytes_sent: usize,
    /// True if the solver is Z3.
    is_z3: bool,
    /// The option for the time limit of a question in milliseconds, if known for this solver.
    pub(super) time_limit: Option<&'static str>,
    /// True if the solver is expected to return unsatisfiable cores.
    has_cores: bool,
    /// Limit on the resident set in bytes; `u64::MAX` means no limit.
    max_memory: u64,
}

/// The reason for a missing answer.
pub(super) enum SolverProcessFailure {
    /// The process can no longer be used.
    Lost(String),
    /// The solver refused the question.
    Refused(String),
    /// The budget or the allowed waiting time is over.
    BudgetExhausted,
    /// The memory limit of the process or of the budget is reached.
    TooMuchMemory,
}
pub(super) use SolverProcessFailure::{BudgetExhausted, Lost, Refused, TooMuchMemory};

impl SolverProcess {
    /// Starts a process, or takes an idle one, and sends the first message. Returns the process,
    /// and the solver's name and version. The command line replaces a missing name.
    pub(super) fn start(
        program: &Program,
        budget: &Budget,
    ) -> Result<(SolverProcess, String), SolverProcessFailure> {
        let process = Process::get(program)
            .map_err(|error| Lost(format!("the solver does not start: {error}")))?;
        let mut guest = SolverProcess {
            process,
            unsent: GREETING.into(),
            expressions: Expressions::of_at_most(MAX_ANSWER_BYTES),
            writer: Writer::new(),
            logic: None,
            assertions_sent: 0,
            message_number: 0,
            awaited_since: None,
            bytes_sent: 0,
            is_z3: false,
            time_limit: None,
            has_cores: true,
            max_memory: u64::MAX,
        };
        guest.end_message();
        let mut name = (String::new(), String::new());
        let answer = guest.answer(patience(0), Some(budget)).map_err(|failure| match failure {
            BudgetExhausted if !budget.is_exhausted() => Lost(NO_REPLY.to_owned()),
            other => other,
        })?;
        for item in answer {
            let info_value =
                |word: &str| item.elements_after(word)?.first()?.content().map(str::to_owned);
            // Each item is a list that starts with its keyword.
            if let Some(text) = info_value(":name") {
                name.0 = text;
            } else if let Some(text) = info_value(":version") {
                name.1 = text;
            } else if item.elements_after("error").is_some() || item.word() == Some("unsupported") {
                guest.has_cores = false;
            }
        }
        let lower_case_name = name.0.to_ascii_lowercase();
        guest.is_z3 = lower_case_name.contains("z3");
        guest.time_limit = if guest.is_z3 {
            Some(":timeout")
        } else {
            lower_case_name.contains("cvc5").then_some(":tlimit-per")
        };
        let name = match name {
            (name, _) if name.is_empty() => program.to_string(),
            (name, version) => format!("{name} {version}").trim().to_owned(),
        };
        Ok((guest, name))
    }

    /// Sets the memory limit of the process: its current resident set, plus half of the memory that
    /// the budget has left. For a budget without a memory limit, that is more than any machine has.
    pub(super) fn set_memory_limit(&mut self, budget: &Budget) {
        self.max_memory = match budget.memory_left() {
            u64::MAX => u64::MAX,
            left => budget::child_bytes(self.process.id()).saturating_add(left / 2),
        };
    }

    /// Sets the logic.
    pub(super) fn set_logic(&mut self, logic: &'static str) {
        self.logic = Some(logic);
        self.unsent.extend(format!("(set-logic {logic})\n").bytes());
        if self.is_z3 {
            // Inside a scope, Z3 works incrementally from the first question on.
            self.unsent.extend(b"(push 1)\n");
        }
    }

    /// Prepares the assertions that were not sent yet, and returns the assumptions as
    /// literals. Returns `None` if they need a wider logic than the current one.
    pub(super) fn prepare_assertions(
        &mut self,
        terms: &Terms,
        assertions: &[Term],
        assumptions: &[Term],
    ) -> Option<Vec<String>> {
        let mut out = Vec::new();
        // Writing to a vector cannot fail.
        self.writer.assert(terms, &assertions[self.assertions_sent..], &mut out).ok()?;
        self.assertions_sent = assertions.len();
        let literals = self.writer.guard(terms, assumptions, &mut out).ok()?;
        let logic = self.writer.logic();
        match self.logic {
            None => self.set_logic(logic),
            Some(current_logic) if current_logic == logic || is_wider(current_logic, logic) => {}
            Some(_) => return None,
        }
        self.unsent.append(&mut out);
        Some(literals)
    }

    /// Asks whether the assertions are satisfiable together with these literals.
    pub(super) fn check_sat(
        &mut self,
        literals_to_assume: &[String],
        budget: &Budget,
    ) -> Result<Vec<Expression>, SolverProcessFailure> {
        if let Some(option) = self.time_limit {
            // The limit is in milliseconds; the largest value means no limit.
            let milliseconds = budget
                .remaining()
                .map_or(u128::from(u32::MAX), |remaining_time| remaining_time.as_millis() + 1);
            let milliseconds = milliseconds.min(u32::MAX.into());
            self.unsent.extend(format!("(set-option {option} {milliseconds})\n").bytes());
        }
        self.unsent.extend(
            match literals_to_assume {
                [] => "(check-sat)\n".to_owned(),
                literals => format!("(check-sat-assuming ({}))\n", literals.join(" ")),
            }
            .bytes(),
        );
        self.exchange(0, budget)
    }

    /// Sends the prepared output and reads the answer. The answer is expected to have at most about
    /// `bytes` bytes of values. A reply that is late remains outstanding. Returns [`Refused`] if
    /// the solver reports an error.
    fn exchange(
        &mut self,
        bytes: usize,
        budget: &Budget,
    ) -> Result<Vec<Expression>, SolverProcessFailure> {
        self.end_message();
        self.expressions = Expressions::of_at_most(MAX_ANSWER_BYTES + bytes);
        self.awaited_since = Some(Instant::now());
        self.bytes_sent = self.bytes_sent.saturating_add(self.unsent.len());
        let patience = patience(self.unsent.len() / 10);
        self.send(patience, Some(budget))?;
        let answer = match self.answer(Duration::MAX, Some(budget)) {
            Err(BudgetExhausted) if budget.exhausted() != Some(ExhaustionReason::Memory) => {
                self.awaited_since = Some(Instant::now());
                self.answer(GRACE, None)
            }
            other => other,
        }?;
        let mut errors = answer.iter().filter_map(|item| item.elements_after("error"));
        match errors.next() {
            Some(error) => {
                Err(Refused(error.first().and_then(Expression::content).unwrap_or("").to_owned()))
            }
            None => Ok(answer),
        }
    }

    /// Appends the command that marks the end of the answer to this message.
    fn end_message(&mut self) {
        self.message_number += 1;
        self.unsent.extend(format!("(echo \"parikh {}\")\n", self.message_number).bytes());
    }

    /// Sends the prepared output within the budget.
    pub(super) fn send(
        &mut self,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<(), SolverProcessFailure> {
        match self.process.send(&mut self.unsent, patience, budget) {
            Ok(()) => Ok(()),
            Err(WaitError::Dead) => Err(Lost(DIED.to_owned())),
            Err(WaitError::TimeOver) if budget.is_some_and(Budget::is_exhausted) => {
                Err(BudgetExhausted)
            }
            Err(WaitError::TimeOver) => Err(Lost("the solver does not read its input".to_owned())),
        }
    }

    /// Returns all expressions up to the end of the answer to the last message. Returns
    /// [`BudgetExhausted`] if the answer is incomplete when `patience` or the budget ends, and
    /// [`TooMuchMemory`] if a memory limit is reached first. Returns [`Lost`] if the process ends
    /// or its output is malformed.
    pub(super) fn answer(
        &mut self,
        patience: Duration,
        budget: Option<&Budget>,
    ) -> Result<Vec<Expression>, SolverProcessFailure> {
        let not_smt_lib = || Lost("the output of the solver is not SMT-LIB 2".to_owned());
        let start = Instant::now();
        // A part of the message may still be unsent.
        self.send(patience, budget)?;
        let end_mark = format!("parikh {}", self.message_number);
        let mut expressions_read = Vec::new();
        loop {
            let wait = patience.saturating_sub(start.elapsed()).min(MEMORY_CHECK_INTERVAL);
            let expressions = &mut self.expressions;
            match self.process.receive(|bytes| expressions.first(bytes), wait, budget) {
                Ok(Ok(expression)) => {
                    // Some solvers print the quotation marks; others print two words.
                    let is_end_in_two_words = expressions_read.last().and_then(Expression::word)
                        == Some("parikh")
                        && expression
                            .word()
                            .is_some_and(|number| number == &end_mark["parikh ".len()..]);
                    if is_end_in_two_words {
                        expressions_read.pop();
                    }
                    if is_end_in_two_words || expression.content() == Some(&end_mark) {
                        self.awaited_since = None;
                        return Ok(expressions_read);
                    }
                    // A program that only repeats its input, such as `cat`, is not a solver.
                    if expression.elements_after("echo").is_some() {
                        return Err(not_smt_lib());
                    }
                    expressions_read.push(expression);
                }
                Ok(Err(_)) => return Err(not_smt_lib()),
                Err(WaitError::Dead) => return Err(Lost(DIED.to_owned())),
                Err(WaitError::TimeOver) => {
                    if self.max_memory < u64::MAX
                        && budget::child_bytes(self.process.id()) > self.max_memory
                    {
                        return Err(TooMuchMemory);
                    }
                    match budget.and_then(Budget::exhausted) {
                        // The memory limit covers this process and the solver's process. The
                        // solver's process may be the one that uses the memory.
                        Some(ExhaustionReason::Memory) => return Err(TooMuchMemory),
                        Some(_) => return Err(BudgetExhausted),
                        None if start.elapsed() >= patience => return Err(BudgetExhausted),
                        None => {}
                    }
                }
            }
        }
    }

    /// Returns the values of all declared variables, or `None` if the answer is malformed.
    pub(super) fn model(
        &mut self,
        terms: &Terms,
        budget: &Budget,
    ) -> Result<Option<SolverModel>, SolverProcessFailure> {
        let variables: Vec<Variable> = self.writer.variables().collect();
        let mut model = SolverModel::new();
        if variables.is_empty() {
            return Ok(Some(model));
        }
        self.unsent.extend(b"(get-value (");
        let mut bytes = 0;
        for &variable in &variables {
            let symbol = self.writer.symbol(variable);
            bytes += symbol.len() + MAX_VALUE_BYTES;
            self.unsent.extend(symbol.bytes());
            self.unsent.push(b' ');
        }
        self.unsent.extend(b"))\n");
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
                    Some("true") => Some(ModelValue::Truth(true)),
                    Some("false") => Some(ModelValue::Truth(false)),
                    _ => None,
                },
                Sort::Int | Sort::Real => value.number().map(ModelValue::Number),
                Sort::Bits(width) => {
                    let fitting_bits = value.bits().filter(|bits| bits.bits() <= width.into());
                    fitting_bits.map(|bits| ModelValue::Number(BigInt::from(bits).into()))
                }
            };
            let Some(value) = value else { return Ok(None) };
            if terms.sort(variable) == Sort::Int
                && matches!(&value, ModelValue::Number(number) if !number.is_integer())
            {
                return Ok(None);
            }
            model.set(variable, value);
        }
        Ok(Some(model))
    }

    /// Returns one flag per literal: true if it is in the core. All flags are true without support
    /// for cores, or if the solver's answer is not a list of these literals.
    pub(super) fn core(
        &mut self,
        literals: &[String],
        budget: &Budget,
    ) -> Result<Vec<bool>, SolverProcessFailure> {
        if literals.is_empty() || !self.has_cores {
            return Ok(vec![true; literals.len()]);
        }
        self.unsent.extend(b"(get-unsat-assumptions)\n");
        let bytes = literals.iter().map(|literal| literal.len() + 1).sum();
        let answer = match self.exchange(bytes, budget) {
            Err(Refused(_)) => Vec::new(),
            other => other?,
        };
        let [Expression::List(core)] = answer.as_slice() else {
            self.has_cores = false;
            return Ok(vec![true; literals.len()]);
        };
        let is_literal = |element: &Expression, literal: &String| {
            let negated = literal.strip_prefix("(not ").and_then(|rest| rest.strip_suffix(')'));
            let symbol = |text: &str| text.trim_matches('|').to_owned();
            match negated {
                None => element.word() == Some(&symbol(literal)),
                Some(name) => element.elements_after("not").is_some_and(|rest| {
                    rest.first().and_then(Expression::word) == Some(&symbol(name))
                }),
            }
        };
        let mut is_in_core = vec![false; literals.len()];
        for element in core {
            let mut is_known = false;
            for (literal, is_in_core) in literals.iter().zip(&mut is_in_core) {
                if is_literal(element, literal) {
                    (is_known, *is_in_core) = (true, true);
                }
            }
            // Without the unknown element, the core may be satisfiable.
            if !is_known {
                return Ok(vec![true; literals.len()]);
            }
        }
        Ok(is_in_core)
    }

    /// Returns the solver's reason for "unknown". The text is empty if the budget is exhausted.
    pub(super) fn reason(&mut self, budget: &Budget) -> Result<String, SolverProcessFailure> {
        if budget.is_exhausted() {
            return Ok(String::new());
        }
        self.unsent.extend(b"(get-info :reason-unknown)\n");
        let answer = match self.exchange(0, budget) {
            Err(Refused(_)) => Vec::new(),
            other => other?,
        };
        let reason = answer
            .first()
            .and_then(|said| said.elements_after(":reason-unknown")?.first()?.content());
        Ok(reason.unwrap_or("no reason given").to_owned())
    }
}

/// Returns true if `logic` includes another logic `other`.
fn is_wider(logic: &str, other: &str) -> bool {
    logic == "ALL" || other == "QF_UF" || logic == "QF_LIRA" && other.starts_with("QF_L")
}
