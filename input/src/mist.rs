//! Coverability problems in the language of mist (`.spec`): counters, guarded rules, initial
//! counts, targets.
//!
//! ```text
//! vars       x y z
//! rules      x >= 2, z = 0 -> x' = x - 1, y' = y + 3, z' = 1;
//! init       x >= 1, y = 0, z in [0, 4]
//! target     y >= 2, z >= 1          # these together, or
//!            x = 0                   # this
//! invariants x = 1, y = 1
//! ```
//!
//! A variable is a place. The rules are transitions `r1`, `r2`, … in order. `x >= c` in a guard is
//! a read arc where the rule takes less. `x <= c`, as part of `x = c` or `x in [a, c]`, is an
//! inhibitor arc of weight c + 1. `x' = c` is a reset arc. Rules that move all tokens of one place
//! to another (`y' = y + x, x' = 0`, a transfer) cannot be expressed with such arcs, and are
//! refused. The language itself refuses a variable with two limits in one list, and a variable that
//! may fall below 0. So does the reader.
//!
//! If there are several initial markings, the net chooses one first. While a place `init` holds a
//! token, a transition `init_x` adds tokens to x, up to the bound of x if there is one. The
//! transition `start` moves the token from `init` to `run`, and every rule reads `run`. So the
//! markings with a token on `run` are exactly those reachable from an initial marking. Deadlocks
//! and runs are those of the rules.
//!
//! The targets are formulas: `parikh check FILE.spec --formulas FILE.spec`. Invariants are hints
//! for another tool. The reader checks their syntax and ignores them.
//!
//! # Source
//! G. Delzanno, J.-F. Raskin, L. Van Begin, *CSTs (covering sharing trees): compact data structures
//! for parameterized verification*, STTT 5, 2004; P. Ganty's mist and its collection of problems.

use super::error::InputError;
use super::format::ModelFormat;
use super::script::{self, Script, ScriptToken, ScriptTokens, read_text};
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, Marking, PlaceId, TransitionId};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Coverability problems of mist.
pub(super) const FORMAT: ModelFormat = ModelFormat {
    name: "a coverability problem of mist, which begins with `vars`",
    begins: |beginning| is_problem(&script::beginning(beginning)),
    read: |reader, name| {
        let text = read_text(reader, name)?;
        Ok(problem(Script { file: name, text: &text })?.net.into())
    },
};

/// Returns true if the first word of a file with this beginning, outside of comments, is `vars`.
/// Then the file is read as a problem of mist.
pub(super) fn is_problem(text: &str) -> bool {
    let mut words =
        text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
    words.next() == Some("vars")
}

/// The content of a problem file.
pub(super) struct CoverabilityProblem {
    pub(super) net: ExtendedNet,
    /// The targets: a disjunction of lists, each a conjunction of limits.
    pub(super) targets: Vec<Vec<VariableLimit>>,
}

/// The limits of one variable.
pub(super) struct VariableLimit {
    pub(super) variable: String,
    /// The smallest value allowed.
    pub(super) min: u64,
    /// The largest value allowed; `None` without an upper limit.
    pub(super) max: Option<u64>,
    span: Range<usize>,
}

const KEYWORDS: [&str; 5] = ["vars", "rules", "init", "target", "invariants"];

fn tokens(script: Script<'_>) -> Result<Vec<ScriptToken<'_>>, InputError> {
    let text = script.text;
    let mut tokens = Vec::new();
    let (mut offset, mut begins_line) = (0, true);
    while let Some(c) = text[offset..].chars().next() {
        let (rest, start) = (&text[offset..], offset);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        match c {
            '\n' => (begins_line, offset) = (true, offset + 1),
            c if c.is_whitespace() => offset += c.len_utf8(),
            '#' => offset += rest.find('\n').unwrap_or(rest.len()),
            c if is_word(c) => offset += rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("->") || rest.starts_with(">=") => offset += 2,
            ',' | ';' | '=' | '\'' | '+' | '-' | '[' | ']' => offset += 1,
            _ => {
                let what = format!(
                    "found `{c}`, expected a name, a number or a symbol of mist's language"
                );
                return Err(script.error(&(offset..offset + c.len_utf8()), what));
            }
        }
        if c.is_whitespace() || c == '#' {
            continue;
        }
        let text = Cow::Borrowed(&text[start..offset]);
        let (is_word, is_quoted) = (is_word(c), false);
        tokens.push(ScriptToken { text, span: start..offset, is_word, is_quoted, begins_line });
        begins_line = false;
    }
    Ok(tokens)
}

/// Reads a problem.
pub(super) fn problem(script: Script<'_>) -> Result<CoverabilityProblem, InputError> {
    let tokens = ScriptTokens::new(script, tokens(script)?);
    let (places, rules) = (HashMap::new(), 0);
    let mut reader =
        MistReader { tokens, builder: ExtendedBuilder::default(), places, rules, run: None };
    reader.tokens.expect("vars")?;
    reader.variables()?;
    reader.tokens.expect("rules")?;
    // The rules come before the initial markings in the file, but are built after them. If there
    // are several initial markings, every rule reads the place `run`, which must be built first.
    let mut rules = Vec::new();
    while reader.tokens.peek().is_some_and(|it| !it.is("init")) {
        rules.push(reader.rule()?);
    }
    reader.tokens.expect("init")?;
    let initial = reader.limits()?;
    reader.tokens.expect("target")?;
    let targets = reader.lists("a limit such as `x >= 2`")?;
    if reader.tokens.take("invariants") {
        reader.lists("a factor such as `x = 1`")?;
    }
    if reader.tokens.peek().is_some() {
        return Err(reader.tokens.instead_of("the end of the file"));
    }
    reader.build_initial(initial)?;
    for rule in rules {
        reader.add_rule(rule)?;
    }
    let net = reader.builder.build().map_err(|problem| script.build_error(&(0..0), &problem))?;
    Ok(CoverabilityProblem { net, targets })
}

/// The effect of a rule on a variable.
enum VariableChange {
    Adds(u64),
    Takes(u64),
    Becomes(u64),
}

struct GuardedRule {
    guard: Vec<VariableLimit>,
    /// The change of each changed variable, with the position of the variable's name.
    changes: BTreeMap<String, (VariableChange, Range<usize>)>,
    span: Range<usize>,
}

struct MistReader<'t> {
    tokens: ScriptTokens<'t>,
    builder: ExtendedBuilder,
    places: HashMap<String, PlaceId>,
    /// The number of rules built so far.
    rules: usize,
    /// The place `run`, which is marked after the initial marking was chosen, and which every rule
    /// reads. `None` if the file has a single initial marking.
    run: Option<PlaceId>,
}

impl MistReader<'_> {
    fn variables(&mut self) -> Result<(), InputError> {
        while self.tokens.peek().is_some_and(|it| !it.is("rules")) {
            let name = self.tokens.word("the name of a variable, or `rules`")?;
            let is_name = name.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !is_name || KEYWORDS.contains(&&*name.text) {
                return Err(self
                    .tokens
                    .unexpected_token(&name, "the name of a variable, or `rules`"));
            }
            let place = self.builder.core.place(&name.text, 0);
            let place =
                place.map_err(|problem| self.tokens.script.build_error(&name.span, &problem))?;
            self.places.insert(name.text.into_owned(), place);
        }
        Ok(())
    }

    /// Reads the name of a declared variable.
    fn variable(&mut self, expected: &str) -> Result<(String, Range<usize>), InputError> {
        let name = self.tokens.word(expected)?;
        match self.places.contains_key(&*name.text) {
            true => Ok((name.text.into_owned(), name.span)),
            false => Err(self.tokens.unexpected_token(&name, "a declared variable")),
        }
    }

    /// Reads limits separated by commas, at most one for each variable.
    fn limits(&mut self) -> Result<Vec<VariableLimit>, InputError> {
        let mut limits: Vec<VariableLimit> = Vec::new();
        loop {
            let limit = self.limit()?;
            if limits.iter().any(|earlier| earlier.variable == limit.variable) {
                let what = format!("`{}` is limited a second time, expected once", limit.variable);
                return Err(self.tokens.script.error(&limit.span, what));
            }
            limits.push(limit);
            if !self.tokens.take(",") {
                return Ok(limits);
            }
        }
    }

    fn limit(&mut self) -> Result<VariableLimit, InputError> {
        let (variable, at) = self.variable("a limit such as `x >= 2`")?;
        if self.tokens.take(">=") {
            let (least, _) = self.tokens.number(0)?;
            return Ok(VariableLimit { variable, min: least, max: None, span: at });
        }
        if self.tokens.take("=") {
            let (least, _) = self.tokens.number(0)?;
            return Ok(VariableLimit { variable, min: least, max: Some(least), span: at });
        }
        if !self.tokens.take("in") {
            return Err(self.tokens.instead_of("`>=`, `=` or `in`"));
        }
        self.tokens.expect("[")?;
        let (least, _) = self.tokens.number(0)?;
        self.tokens.expect(",")?;
        let (most, end) = self.tokens.number(0)?;
        self.tokens.expect("]")?;
        if most < least {
            return Err(self.tokens.script.error(&end, "an empty range, expected [least, most]"));
        }
        Ok(VariableLimit { variable, min: least, max: Some(most), span: at })
    }

    /// Reads a sequence of lists of limits.
    fn lists(&mut self, expected: &str) -> Result<Vec<Vec<VariableLimit>>, InputError> {
        let mut lists = Vec::new();
        while self.tokens.peek().is_some_and(|it| !it.is("invariants")) {
            lists.push(self.limits()?);
        }
        match lists.is_empty() {
            true => Err(self.tokens.instead_of(expected)),
            false => Ok(lists),
        }
    }

    fn rule(&mut self) -> Result<GuardedRule, InputError> {
        let start = self.tokens.peek().map_or(0, |token| token.span.start);
        let guard = match self.tokens.take("true") {
            true => Vec::new(),
            false => self.limits()?,
        };
        self.tokens.expect("->")?;
        let mut changes = BTreeMap::new();
        while !self.tokens.take(";") {
            let (variable, at) = self.variable("a change such as `x' = x + 1`, or `;`")?;
            self.tokens.expect("'")?;
            self.tokens.expect("=")?;
            let change = self.change(&variable, &at, &guard)?;
            if changes.insert(variable.clone(), (change, at.clone())).is_some() {
                let what = format!("`{variable}` is changed a second time, expected once");
                return Err(self.tokens.script.error(&at, what));
            }
            if !self.tokens.take(",") {
                self.tokens.expect(";")?;
                break;
            }
        }
        Ok(GuardedRule { guard, changes, span: start..start + 1 })
    }

    /// Reads the right-hand side of `x' =`.
    fn change(
        &mut self,
        variable: &str,
        at: &Range<usize>,
        guard: &[VariableLimit],
    ) -> Result<VariableChange, InputError> {
        let is_number =
            |token: &ScriptToken<'_>| token.text.starts_with(|c: char| c.is_ascii_digit());
        let mut other_variables = Vec::new();
        let (mut own_occurrences, mut amount, mut is_subtraction) = (0, 0, false);
        loop {
            match self.tokens.peek() {
                Some(token) if token.is_word && is_number(token) => {
                    amount = self.tokens.number(0)?.0;
                    break;
                }
                _ => {
                    let (name, _) = self.variable("a variable or a number")?;
                    if name == variable { own_occurrences += 1 } else { other_variables.push(name) }
                }
            }
            is_subtraction = self.tokens.take("-");
            if !is_subtraction && !self.tokens.take("+") {
                break;
            }
            if is_subtraction {
                amount = self.tokens.number(0)?.0;
                break;
            }
        }
        let script = self.tokens.script;
        if let Some(other) = other_variables.first() {
            let what = format!(
                "this adds the value of `{other}` to `{variable}`: transfers, which move all \
                 tokens, cannot be expressed in a place/transition net, even with inhibitor and \
                 reset arcs"
            );
            return Err(script.error(at, what));
        }
        match (own_occurrences, is_subtraction) {
            (0, _) => Ok(VariableChange::Becomes(amount)),
            (1, false) => Ok(VariableChange::Adds(amount)),
            (1, true) => {
                let limit = guard.iter().find(|limit| limit.variable == variable);
                match limit.is_some_and(|limit| limit.min >= amount) || amount == 0 {
                    true => Ok(VariableChange::Takes(amount)),
                    false => {
                        let what = format!(
                            "`{variable}` might fall below 0, expected `{variable} >= {amount}` before the \
                             arrow"
                        );
                        Err(script.error(at, what))
                    }
                }
            }
            _ => Err(script.error(at, "a firing cannot change a place by this sum")),
        }
    }

    /// Builds the initial marking, or the places and transitions that choose among several.
    fn build_initial(&mut self, limits: Vec<VariableLimit>) -> Result<(), InputError> {
        let script = self.tokens.script;
        // The places for which the file allows several initial numbers of tokens, with the
        // variable's name. The number is the largest minus the smallest number of tokens; `None`
        // stands for no upper limit.
        let mut undetermined: BTreeMap<PlaceId, (String, Option<u64>)> = BTreeMap::new();
        let mut limit_of_variable: HashMap<&str, &VariableLimit> = HashMap::new();
        limit_of_variable.extend(limits.iter().map(|limit| (limit.variable.as_str(), limit)));
        for (name, &place) in &self.places {
            let (least, most) =
                limit_of_variable.get(name.as_str()).map_or((0, None), |it| (it.min, it.max));
            let result = self.builder.core.set_tokens(place, least);
            result.map_err(|problem| script.build_error(&(0..0), &problem))?;
            if most != Some(least) {
                undetermined.insert(place, (name.clone(), most.map(|most| most - least)));
            }
        }
        if undetermined.is_empty() {
            return Ok(());
        }
        let built = self.build_choice(undetermined);
        built.map_err(|problem| script.build_error(&(0..0), &problem))
    }

    /// Adds places and transitions that choose one of the initial markings before the rules fire.
    /// `undetermined` has the places whose initial tokens are chosen, with the variable's name. The
    /// number is the most tokens that may be added; `None` stands for no limit.
    fn build_choice(
        &mut self,
        undetermined: BTreeMap<PlaceId, (String, Option<u64>)>,
    ) -> Result<(), BuildError> {
        let place = |reader: &mut Self, name: &str, tokens| {
            let name = reader.unused(name.to_owned());
            reader.builder.core.place(&name, tokens)
        };
        let init = place(self, "init", 1)?;
        let run = place(self, "run", 0)?;
        for (variable_place, (name, room)) in undetermined {
            let transition_name = self.unused(format!("init_{name}"));
            let t = self.builder.core.transition(&transition_name)?;
            self.builder.read(t, init, 1)?;
            self.builder.core.put(t, variable_place, 1)?;
            if let Some(room) = room {
                let room = place(self, &format!("room_{name}"), room)?;
                self.builder.core.take(t, room, 1)?;
            }
        }
        let start = self.unused("start".to_owned());
        let start = self.builder.core.transition(&start)?;
        self.builder.core.take(start, init, 1)?;
        self.builder.core.put(start, run, 1)?;
        self.run = Some(run);
        Ok(())
    }

    fn unused(&self, mut name: String) -> String {
        while self.builder.core.node(&name).is_some() {
            name.push('\'');
        }
        name
    }

    fn add_rule(&mut self, rule: GuardedRule) -> Result<(), InputError> {
        self.rules += 1;
        let name = self.unused(format!("r{}", self.rules));
        let (script, at) = (self.tokens.script, rule.span.clone());
        let added = self.builder.core.transition(&name).and_then(|t| self.arcs(t, rule));
        added.map_err(|problem| script.build_error(&at, &problem))
    }

    fn arcs(&mut self, t: TransitionId, rule: GuardedRule) -> Result<(), BuildError> {
        if let Some(run) = self.run {
            self.builder.read(t, run, 1)?;
        }
        for VariableLimit { variable, min: least, max: most, .. } in &rule.guard {
            let place = self.places[variable];
            if *least > 0 {
                self.builder.read(t, place, *least)?;
            }
            // No place holds more than the largest number of tokens.
            if let Some(most) = most.filter(|&most| most < Marking::MAX_TOKENS) {
                self.builder.inhibit(t, place, most + 1)?;
            }
        }
        for (variable, (change, _)) in rule.changes {
            let place = self.places[&variable];
            let limit = rule.guard.iter().find(|limit| limit.variable == variable);
            let exact_limit = limit.filter(|limit| limit.max == Some(limit.min));
            match (change, exact_limit) {
                (VariableChange::Adds(0) | VariableChange::Takes(0), _) => {}
                (VariableChange::Adds(amount), _) => self.builder.core.put(t, place, amount)?,
                (VariableChange::Takes(amount), _) => self.builder.core.take(t, place, amount)?,
                // If the guard fixes the number of tokens, the rule takes them all by an ordinary
                // arc. Otherwise, a reset arc empties the place.
                (VariableChange::Becomes(amount), exact_limit) => {
                    match exact_limit {
                        Some(VariableLimit { min: 0, .. }) => {}
                        Some(limit) => self.builder.core.take(t, place, limit.min)?,
                        None => self.builder.reset(t, place),
                    }
                    if amount > 0 {
                        self.builder.core.put(t, place, amount)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the target of a problem as a named formula in the language of `--formula`. Returns
/// `None` if the text is not a problem of mist.
///
/// # Errors
/// When the problem has a syntax error, or its net cannot be built.
pub fn target_of(text: &str, file: &str) -> Option<Result<String, InputError>> {
    let read = || Ok(target_formula(&problem(Script { file, text })?.targets));
    is_problem(text).then(read)
}

/// Prints the targets as a named formula in the language of `--formula`.
fn target_formula(targets: &[Vec<VariableLimit>]) -> String {
    let limit = |limit: &VariableLimit| {
        let VariableLimit { variable, min: least, max: most, .. } = limit;
        let above = (*least > 0 || most.is_none()).then(|| format!("\"{variable}\" >= {least}"));
        let below = most.map(|most| format!("\"{variable}\" <= {most}"));
        above.into_iter().chain(below).collect::<Vec<_>>().join(" && ")
    };
    let list = |limits: &Vec<VariableLimit>| {
        format!("({})", limits.iter().map(limit).collect::<Vec<_>>().join(" && "))
    };
    format!("target: EF ({})", targets.iter().map(list).collect::<Vec<_>>().join(" || "))
}
