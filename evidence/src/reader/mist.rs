//! Reads coverability problems in the language of the tool mist. Its variables become places, and
//! its rules become transitions.
//!
//! A transition consumes the tokens that the guard of its rule requires, and produces the tokens
//! that remain after the changes of the rule. An upper limit in a guard is an inhibitor arc. The
//! change `x' = c` becomes a reset arc and c produced tokens, unless the guard fixes the number of
//! tokens. If there are several initial markings, the net chooses one first. The comment of
//! `input/src/mist.rs` of the prover describes the nodes for the choice, which have the same names
//! here. The reader refuses what the language refuses, and transfers.

use super::Unreadable;
use super::queries::AuditedProperty;
use super::tool_words::{ToolWord, ToolWords, error_in_line};
use crate::question::Question;
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, Marking, Net, PlaceId, Predicate};
use std::collections::BTreeMap;

/// Returns true if a text is in the language of mist.
pub(super) fn is_mist(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).next() == Some("vars")
}

/// Splits a problem into words and signs, without comments.
fn split_words(text: &str) -> Result<Vec<ToolWord>, Unreadable> {
    let mut words = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.split('#').next().unwrap_or_default().trim_start();
        while let Some(c) = rest.chars().next() {
            let is_word_character = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let length = match c {
                c if is_word_character(c) => {
                    rest.find(|c| !is_word_character(c)).unwrap_or(rest.len())
                }
                _ if rest.starts_with("->") || rest.starts_with(">=") => 2,
                ',' | ';' | '=' | '\'' | '+' | '-' | '[' | ']' => 1,
                c => return Err(error_in_line(number, format!("an unknown character: {c:?}"))),
            };
            let text = rest[..length].to_owned();
            words.push(ToolWord { line: number, text, is_braced: false, is_first_of_line: false });
            rest = rest[length..].trim_start();
        }
    }
    Ok(words)
}

/// The lower and the upper limit of a variable, both inclusive. `None` means no upper limit.
type CounterRange = (u64, Option<u64>);

/// The ranges of variables, each with the line that states it.
type CounterRanges = BTreeMap<PlaceId, (CounterRange, u64)>;

/// The change of a variable by a rule.
enum CounterChange {
    /// This number, which may be negative, is added to the variable.
    Add(i128),
    /// The variable is set to this number.
    Set(u64),
}

/// A rule of the problem, which becomes one transition of the net.
struct CounterRule {
    /// The ranges of variables in which the rule is enabled.
    ranges: CounterRanges,
    /// The changes, by variable. Other variables keep their values.
    changes: BTreeMap<PlaceId, CounterChange>,
    line: u64,
}

/// The content of a problem file.
struct CounterProblem {
    /// The names of the variables, indexed by place.
    variables: Vec<String>,
    /// The rules, in the order of the file.
    rules: Vec<CounterRule>,
    /// The initial ranges. A variable without a range begins with any value.
    initial_ranges: CounterRanges,
    /// The targets. A marking is a target marking if it satisfies all ranges of one of them.
    target_ranges: Vec<CounterRanges>,
}

/// Parses a problem.
fn parse_problem(text: &str) -> Result<CounterProblem, Unreadable> {
    let mut words = ToolWords::new(split_words(text)?);
    words.expect("vars")?;
    let (mut variables, mut places_by_name) = (Vec::new(), BTreeMap::new());
    while !words.skip("rules") {
        let word = words.take("a variable")?;
        let is_name = word.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_keyword = ["vars", "init", "target", "invariants"].contains(&word.text.as_str());
        if !is_name || is_keyword {
            return Err(word.unexpected("a variable"));
        }
        if places_by_name.insert(word.text.clone(), PlaceId::new(variables.len())).is_some() {
            return Err(word.unexpected("each variable once"));
        }
        variables.push(word.text);
    }
    let mut rules = Vec::new();
    while !words.skip("init") {
        rules.push(parse_rule(&mut words, &places_by_name)?);
    }
    let initially = parse_ranges(&mut words, &places_by_name)?;
    words.expect("target")?;
    let mut targets = vec![parse_ranges(&mut words, &places_by_name)?];
    while words.peek().is_some() && !words.next_is("invariants") {
        targets.push(parse_ranges(&mut words, &places_by_name)?);
    }
    if words.skip("invariants") {
        while words.peek().is_some() {
            parse_ranges(&mut words, &places_by_name)?;
        }
    }
    Ok(CounterProblem { variables, rules, initial_ranges: initially, target_ranges: targets })
}

/// Takes the name of a variable. Returns its place, and the word for error messages.
fn take_variable(
    words: &mut ToolWords,
    places_by_name: &BTreeMap<String, PlaceId>,
) -> Result<(PlaceId, ToolWord), Unreadable> {
    let word = words.take("a variable")?;
    let place = places_by_name.get(&word.text).copied();
    Ok((place.ok_or_else(|| word.unexpected("a variable"))?, word))
}

/// Parses a list of ranges of different variables.
fn parse_ranges(
    words: &mut ToolWords,
    places_by_name: &BTreeMap<String, PlaceId>,
) -> Result<CounterRanges, Unreadable> {
    let mut ranges = CounterRanges::new();
    loop {
        let (place, word) = take_variable(words, places_by_name)?;
        let sign = words.take("`>=`, `=` or `in`")?;
        let range = match sign.text.as_str() {
            ">=" => (words.number(0)?, None),
            "=" => {
                let number = words.number(0)?;
                (number, Some(number))
            }
            "in" => {
                words.expect("[")?;
                let lower_limit = words.number(0)?;
                words.expect(",")?;
                let upper_limit = words.number(lower_limit)?;
                words.expect("]")?;
                (lower_limit, Some(upper_limit))
            }
            _ => return Err(sign.unexpected("`>=`, `=` or `in`")),
        };
        if ranges.insert(place, (range, word.line)).is_some() {
            return Err(word.unexpected("each variable once in a list"));
        }
        if !words.skip(",") {
            return Ok(ranges);
        }
    }
}

/// Parses a rule.
fn parse_rule(
    words: &mut ToolWords,
    places_by_name: &BTreeMap<String, PlaceId>,
) -> Result<CounterRule, Unreadable> {
    let line = words.peek().map_or(0, |word| word.line);
    let guard = match words.skip("true") {
        true => CounterRanges::new(),
        false => parse_ranges(words, places_by_name)?,
    };
    words.expect("->")?;
    let mut changes = BTreeMap::new();
    let mut has_ended = words.skip(";");
    while !has_ended {
        let (place, word) = take_variable(words, places_by_name)?;
        words.expect("'")?;
        words.expect("=")?;
        let change = parse_change(words, places_by_name, place, &word, &guard)?;
        if changes.insert(place, change).is_some() {
            return Err(word.unexpected("each variable once"));
        }
        let sign = words.take("`,` or `;`")?;
        has_ended = match sign.text.as_str() {
            ";" => true,
            "," => words.skip(";"),
            _ => return Err(sign.unexpected("`,` or `;`")),
        };
    }
    Ok(CounterRule { ranges: guard, changes, line })
}

/// Reads the right-hand side of a change: a number, the changed variable, or the changed variable
/// plus or minus a number. Returns an error for another or a repeated variable, and for a change
/// that may lead below 0 from the lower limit in `guard`.
fn parse_change(
    words: &mut ToolWords,
    places_by_name: &BTreeMap<String, PlaceId>,
    place: PlaceId,
    word: &ToolWord,
    guard: &CounterRanges,
) -> Result<CounterChange, Unreadable> {
    let mut variable_count = 0;
    let mut constant: i128 = 0;
    loop {
        if words.peek().is_some_and(|word| word.number().is_some()) {
            constant = i128::from(words.number(0)?);
            break;
        }
        match take_variable(words, places_by_name)? {
            (summand, _) if summand == place => variable_count += 1,
            (_, summand) => {
                return Err(
                    summand.unexpected("no other variable, because transfers are not supported")
                );
            }
        }
        if words.skip("-") {
            constant = -i128::from(words.number(0)?);
            break;
        }
        if !words.skip("+") {
            break;
        }
    }
    let lower_limit = guard.get(&place).map_or(0, |((lower_limit, _), _)| *lower_limit);
    match variable_count {
        0 => Ok(CounterChange::Set(u64::try_from(constant).unwrap_or_default())),
        1 if -constant <= i128::from(lower_limit) => Ok(CounterChange::Add(constant)),
        _ => Err(word.unexpected("a change that leaves 0 or more")),
    }
}

/// Reads the net of a problem, without its targets.
///
/// # Errors
/// A syntax error or an unsupported change, with its line and the expected text. Also an error of
/// the net, such as a net that is too large.
pub(super) fn read(text: &str) -> Result<ExtendedNet, Unreadable> {
    let problem = parse_problem(text)?;
    let last_line = problem.rules.last().map_or(1, |rule| rule.line);
    build(&problem).map_err(|error| error_in_line(last_line, error.to_string()))
}

/// Returns `name` with as many primes as needed, so that no place or transition has the result as
/// its name.
fn unused_name(net: &ExtendedBuilder, name: &str) -> String {
    let mut name = name.to_owned();
    while net.core.node(&name).is_some() {
        name.push('\'');
    }
    name
}

/// Builds the net. If an initial value is not determined, transitions choose it before any rule is
/// enabled.
fn build(problem: &CounterProblem) -> Result<ExtendedNet, BuildError> {
    let mut net = ExtendedBuilder::default();
    // The places with several initial values. Each has the number of tokens that may be added, or
    // `None` without a limit.
    let mut undetermined: Vec<(PlaceId, Option<u64>)> = Vec::new();
    for (number_of_place, name) in problem.variables.iter().enumerate() {
        let place = PlaceId::new(number_of_place);
        let ((lower_limit, upper_limit), _) =
            problem.initial_ranges.get(&place).copied().unwrap_or(((0, None), 0));
        net.core.place(name, lower_limit)?;
        if upper_limit != Some(lower_limit) {
            undetermined.push((place, upper_limit.map(|upper_limit| upper_limit - lower_limit)));
        }
    }
    let mut running_place = None;
    if !undetermined.is_empty() {
        let name = unused_name(&net, "init");
        let init = net.core.place(&name, 1)?;
        let name = unused_name(&net, "run");
        let running = net.core.place(&name, 0)?;
        for (place, spare_tokens) in undetermined {
            let variable = &problem.variables[place.index()];
            let name = unused_name(&net, &format!("init_{variable}"));
            let t = net.core.transition(&name)?;
            net.core.take(t, init, 1)?;
            net.core.put(t, init, 1)?;
            net.core.put(t, place, 1)?;
            if let Some(spare_tokens) = spare_tokens {
                let name = unused_name(&net, &format!("room_{variable}"));
                let spare_place = net.core.place(&name, spare_tokens)?;
                net.core.take(t, spare_place, 1)?;
            }
        }
        let name = unused_name(&net, "start");
        let t = net.core.transition(&name)?;
        net.core.take(t, init, 1)?;
        net.core.put(t, running, 1)?;
        running_place = Some(running);
    }
    for (number, rule) in (1..).zip(&problem.rules) {
        let name = unused_name(&net, &format!("r{number}"));
        let t = net.core.transition(&name)?;
        if let Some(running_place) = running_place {
            net.core.take(t, running_place, 1)?;
            net.core.put(t, running_place, 1)?;
        }
        let mut places: Vec<PlaceId> =
            rule.ranges.keys().chain(rule.changes.keys()).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let (lower_limit, upper_limit) =
                rule.ranges.get(&place).map_or((0, None), |(range, _)| *range);
            // No place holds more than the largest number of tokens.
            if let Some(upper_limit) = upper_limit.filter(|&limit| limit < Marking::MAX_TOKENS) {
                net.inhibit(t, place, upper_limit + 1)?;
            }
            let produced = match rule.changes.get(&place) {
                None => lower_limit,
                // The transition consumes `lower_limit` tokens, the number that its guard requires,
                // and produces the number that remains after the change.
                Some(CounterChange::Add(change)) => {
                    u64::try_from(i128::from(lower_limit) + change).unwrap_or_default()
                }
                Some(CounterChange::Set(number)) => {
                    if upper_limit != Some(lower_limit) {
                        net.reset(t, place);
                    }
                    *number
                }
            };
            if lower_limit > 0 {
                net.core.take(t, place, lower_limit)?;
            }
            if produced > 0 {
                net.core.put(t, place, produced)?;
            }
        }
    }
    net.build()
}

/// Returns the only property of a problem, with the question whether one of the targets is
/// reachable.
pub(super) fn question(net: &Net, text: &str) -> Result<Vec<AuditedProperty>, Unreadable> {
    let problem = parse_problem(text)?;
    let range_predicate =
        |(&variable, &((lower_limit, upper_limit), line)): (&PlaceId, &(CounterRange, u64))| {
            let name = &problem.variables[variable.index()];
            let place = net.place_named(name);
            let place = place
                .ok_or_else(|| error_in_line(line, format!("the net has no place {name:?}")))?;
            let upper_bound = upper_limit
                .map_or(Predicate::True, |upper_limit| Predicate::no_more_than(place, upper_limit));
            Ok(Predicate::and([Predicate::at_least(place, lower_limit), upper_bound]))
        };
    let target_predicate = |ranges: &CounterRanges| {
        Ok(Predicate::and(
            ranges.iter().map(range_predicate).collect::<Result<Vec<_>, Unreadable>>()?,
        ))
    };
    let target_predicates = problem
        .target_ranges
        .iter()
        .map(target_predicate)
        .collect::<Result<Vec<_>, Unreadable>>()?;
    let goal = Predicate::or(target_predicates).sorted();
    let goals = vec![goal];
    let question = Question::Reach { goals, all: true, then: true };
    Ok(vec![AuditedProperty { id: "target".to_owned(), question: Ok(question) }])
}
