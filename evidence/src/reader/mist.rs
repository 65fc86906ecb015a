//! The language of mist for coverability problems.
//!
//! A rule consumes and produces what its changes say, and tests what its guard requires beyond
//! that. An upper limit in a guard is an inhibitor arc. `x' = c` empties x first, unless the guard
//! fixes the number of tokens. If there are several initial markings, the net chooses one first.
//! The comment of `input/src/mist.rs` of the prover describes the nodes for the choice, which have
//! the same names here. The reader refuses what the language refuses, and transfers.

use super::Unreadable;
use super::queries::AuditedProperty;
use super::words::{ToolWord, ToolWords, wrong};
use crate::question::Question;
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, Net, PlaceId, Predicate};
use std::collections::BTreeMap;

/// Returns true if a text is in this language.
pub(super) fn is(text: &str) -> bool {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    lines.flat_map(str::split_whitespace).next() == Some("vars")
}

fn words(text: &str) -> Result<Vec<ToolWord>, Unreadable> {
    let mut words = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let mut rest = line.split('#').next().unwrap_or_default().trim_start();
        while let Some(c) = rest.chars().next() {
            let of_words = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            let length = match c {
                c if of_words(c) => rest.find(|c| !of_words(c)).unwrap_or(rest.len()),
                _ if rest.starts_with("->") || rest.starts_with(">=") => 2,
                ',' | ';' | '=' | '\'' | '+' | '-' | '[' | ']' => 1,
                c => return Err(wrong(number, format!("an unknown character: {c:?}"))),
            };
            let text = rest[..length].to_owned();
            words.push(ToolWord { line: number, text, braced: false, first: false });
            rest = rest[length..].trim_start();
        }
    }
    Ok(words)
}

/// The lower and the upper limit of a variable.
type CounterRange = (u64, Option<u64>);

/// The ranges of variables, each with its line.
type CounterRanges = BTreeMap<PlaceId, (CounterRange, u64)>;

enum CounterChange {
    By(i128),
    To(u64),
}

struct CounterRule {
    guard: CounterRanges,
    changes: BTreeMap<PlaceId, CounterChange>,
    line: u64,
}

/// The content of a problem file.
struct CounterProblem {
    variables: Vec<String>,
    rules: Vec<CounterRule>,
    initially: CounterRanges,
    targets: Vec<CounterRanges>,
}

fn problem(text: &str) -> Result<CounterProblem, Unreadable> {
    let mut words = ToolWords::new(words(text)?);
    words.must("vars")?;
    let (mut variables, mut named) = (Vec::new(), BTreeMap::new());
    while !words.skip("rules") {
        let word = words.take("a variable")?;
        let name = word.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let key = ["vars", "init", "target", "invariants"].contains(&word.text.as_str());
        if !name || key {
            return Err(word.wrong("a variable"));
        }
        if named.insert(word.text.clone(), PlaceId::new(variables.len())).is_some() {
            return Err(word.wrong("each variable once"));
        }
        variables.push(word.text);
    }
    let mut rules = Vec::new();
    while !words.skip("init") {
        rules.push(rule(&mut words, &named)?);
    }
    let initially = ranges(&mut words, &named)?;
    words.must("target")?;
    let mut targets = vec![ranges(&mut words, &named)?];
    while words.peek().is_some() && !words.next_is("invariants") {
        targets.push(ranges(&mut words, &named)?);
    }
    if words.skip("invariants") {
        while words.peek().is_some() {
            ranges(&mut words, &named)?;
        }
    }
    Ok(CounterProblem { variables, rules, initially, targets })
}

fn variable(
    words: &mut ToolWords,
    named: &BTreeMap<String, PlaceId>,
) -> Result<(PlaceId, ToolWord), Unreadable> {
    let word = words.take("a variable")?;
    let place = named.get(&word.text).copied();
    Ok((place.ok_or_else(|| word.wrong("a variable"))?, word))
}

fn ranges(
    words: &mut ToolWords,
    named: &BTreeMap<String, PlaceId>,
) -> Result<CounterRanges, Unreadable> {
    let mut ranges = CounterRanges::new();
    loop {
        let (place, word) = variable(words, named)?;
        let sign = words.take("`>=`, `=` or `in`")?;
        let range = match sign.text.as_str() {
            ">=" => (words.number(0)?, None),
            "=" => {
                let number = words.number(0)?;
                (number, Some(number))
            }
            "in" => {
                words.must("[")?;
                let least = words.number(0)?;
                words.must(",")?;
                let most = words.number(least)?;
                words.must("]")?;
                (least, Some(most))
            }
            _ => return Err(sign.wrong("`>=`, `=` or `in`")),
        };
        if ranges.insert(place, (range, word.line)).is_some() {
            return Err(word.wrong("each variable once in a list"));
        }
        if !words.skip(",") {
            return Ok(ranges);
        }
    }
}

fn rule(
    words: &mut ToolWords,
    named: &BTreeMap<String, PlaceId>,
) -> Result<CounterRule, Unreadable> {
    let line = words.peek().map_or(0, |word| word.line);
    let guard = match words.skip("true") {
        true => CounterRanges::new(),
        false => ranges(words, named)?,
    };
    words.must("->")?;
    let mut changes = BTreeMap::new();
    let mut ended = words.skip(";");
    while !ended {
        let (place, word) = variable(words, named)?;
        words.must("'")?;
        words.must("=")?;
        let change = change(words, named, place, &word, &guard)?;
        if changes.insert(place, change).is_some() {
            return Err(word.wrong("each variable once"));
        }
        let sign = words.take("`,` or `;`")?;
        ended = match sign.text.as_str() {
            ";" => true,
            "," => words.skip(";"),
            _ => return Err(sign.wrong("`,` or `;`")),
        };
    }
    Ok(CounterRule { guard, changes, line })
}

/// Reads the right-hand side of a change: a sum of variables with at most one number, at its end.
/// The only variable allowed is the changed one.
fn change(
    words: &mut ToolWords,
    named: &BTreeMap<String, PlaceId>,
    place: PlaceId,
    word: &ToolWord,
    guard: &CounterRanges,
) -> Result<CounterChange, Unreadable> {
    let mut own = 0;
    let mut by: i128 = 0;
    loop {
        if words.peek().is_some_and(|word| word.number().is_some()) {
            by = i128::from(words.number(0)?);
            break;
        }
        match variable(words, named)? {
            (other, _) if other == place => own += 1,
            (_, other) => {
                return Err(other.wrong("no other variable, because transfers are not supported"));
            }
        }
        if words.skip("-") {
            by = -i128::from(words.number(0)?);
            break;
        }
        if !words.skip("+") {
            break;
        }
    }
    let least = guard.get(&place).map_or(0, |((least, _), _)| *least);
    match own {
        0 => Ok(CounterChange::To(u64::try_from(by).unwrap_or_default())),
        1 if -by <= i128::from(least) => Ok(CounterChange::By(by)),
        _ => Err(word.wrong("a change that leaves 0 or more")),
    }
}

/// Reads a net.
///
/// # Errors
/// A syntax error, with its line and the expected text.
pub(super) fn read(text: &str) -> Result<ExtendedNet, Unreadable> {
    let problem = problem(text)?;
    let last = problem.rules.last().map_or(1, |rule| rule.line);
    build(&problem).map_err(|error| wrong(last, error.to_string()))
}

/// Returns a name, with primes until no node has it.
fn unused(net: &ExtendedBuilder, name: &str) -> String {
    let mut name = name.to_owned();
    while net.core.node(&name).is_some() {
        name.push('\'');
    }
    name
}

fn build(problem: &CounterProblem) -> Result<ExtendedNet, BuildError> {
    let mut net = ExtendedBuilder::default();
    let mut chosen: Vec<(PlaceId, Option<u64>)> = Vec::new();
    for (at, name) in problem.variables.iter().enumerate() {
        let place = PlaceId::new(at);
        let ((least, most), _) = problem.initially.get(&place).copied().unwrap_or(((0, None), 0));
        net.core.place(name, least)?;
        if most != Some(least) {
            chosen.push((place, most.map(|most| most - least)));
        }
    }
    let mut run = None;
    if !chosen.is_empty() {
        let name = unused(&net, "init");
        let init = net.core.place(&name, 1)?;
        let name = unused(&net, "run");
        let running = net.core.place(&name, 0)?;
        for (place, room) in chosen {
            let variable = &problem.variables[place.index()];
            let name = unused(&net, &format!("init_{variable}"));
            let t = net.core.transition(&name)?;
            net.core.take(t, init, 1)?;
            net.core.put(t, init, 1)?;
            net.core.put(t, place, 1)?;
            if let Some(room) = room {
                let name = unused(&net, &format!("room_{variable}"));
                let room = net.core.place(&name, room)?;
                net.core.take(t, room, 1)?;
            }
        }
        let name = unused(&net, "start");
        let t = net.core.transition(&name)?;
        net.core.take(t, init, 1)?;
        net.core.put(t, running, 1)?;
        run = Some(running);
    }
    for (number, rule) in (1..).zip(&problem.rules) {
        let name = unused(&net, &format!("r{number}"));
        let t = net.core.transition(&name)?;
        if let Some(run) = run {
            net.core.take(t, run, 1)?;
            net.core.put(t, run, 1)?;
        }
        let mut places: Vec<PlaceId> =
            rule.guard.keys().chain(rule.changes.keys()).copied().collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            let (least, most) = rule.guard.get(&place).map_or((0, None), |(range, _)| *range);
            if let Some(most) = most {
                net.inhibit(t, place, most + 1)?;
            }
            let put = match rule.changes.get(&place) {
                None => least,
                // The transition consumes the required tokens, and produces the ones that stay.
                Some(CounterChange::By(by)) => {
                    u64::try_from(i128::from(least) + by).unwrap_or_default()
                }
                Some(CounterChange::To(number)) => {
                    if most != Some(least) {
                        net.reset(t, place);
                    }
                    *number
                }
            };
            if least > 0 {
                net.core.take(t, place, least)?;
            }
            if put > 0 {
                net.core.put(t, place, put)?;
            }
        }
    }
    net.build()
}

/// Returns the only question of a problem: is one of the targets reachable?
pub(super) fn question(net: &Net, text: &str) -> Result<Vec<AuditedProperty>, Unreadable> {
    let problem = problem(text)?;
    let limit = |(&variable, &((least, most), line)): (&PlaceId, &(CounterRange, u64))| {
        let name = &problem.variables[variable.index()];
        let place = net.place_named(name);
        let place = place.ok_or_else(|| wrong(line, format!("the net has no place {name:?}")))?;
        let below = most.map_or(Predicate::True, |most| Predicate::no_more_than(place, most));
        Ok(Predicate::and([Predicate::at_least(place, least), below]))
    };
    let list = |ranges: &CounterRanges| {
        Ok(Predicate::and(ranges.iter().map(limit).collect::<Result<Vec<_>, Unreadable>>()?))
    };
    let lists = problem.targets.iter().map(list).collect::<Result<Vec<_>, Unreadable>>()?;
    let goal = Predicate::or(lists).sorted();
    let goals = vec![goal];
    let question = Question::Reach { goals, all: true, then: true };
    Ok(vec![AuditedProperty { id: "target".to_owned(), question: Ok(question) }])
}
