//! Reads nets in the language of the tool TINA, without times and priorities.
//!
//! Declarations begin with `net`, `tr`, `pl`, `lb`, `pr` or `nt`. Names with other characters than
//! letters, digits, `_` and `'` stand in braces. An arc into a transition is `p`, `p*2` (consumes
//! 2), `p?2` (tests for 2) or `p?-2` (needs fewer than 2). A node is declared by its first mention.
//! Intervals other than `[0,w[` and priorities (`pr`) are refused, unless times and priorities are
//! left out. Stopwatches and arcs that are given twice are refused. If a transition has the name of
//! a place, primes are appended to its name.

use super::Unreadable;
use super::timing::TimeTreatment;
use super::tool_words::{ToolWord, ToolWords, error_in_line};
use parikh_net::{Assumption, ExtendedBuilder, ExtendedNet, Marking};
use std::collections::{BTreeMap, BTreeSet};

/// The keywords with which declarations begin.
const DECLARATIONS: [&str; 6] = ["net", "tr", "pl", "lb", "pr", "nt"];

/// Returns true if a text is in the language of TINA. Lines that begin with `place`, `transition`,
/// `var` or `sort` exclude it, since other languages also have lines that begin with `net`. A text
/// that cannot be split into words counts if a line begins with `tr`.
pub(super) fn is_tina(text: &str) -> bool {
    let Ok(words) = split_words(text) else {
        return text.lines().any(|line| line.starts_with("tr "));
    };
    let is_keyword = |word: &ToolWord, keys: &[&str]| {
        word.is_first_of_line && keys.contains(&word.text.as_str())
    };
    let has_declaration = words.iter().any(|word| is_keyword(word, &DECLARATIONS[1..]));
    let has_braced_name = words.get(1).is_some_and(|word| word.is_braced);
    words.first().is_some_and(|word| is_keyword(word, &DECLARATIONS))
        && (has_declaration || has_braced_name)
        && !words.iter().any(|word| {
            is_keyword(word, &["place", "transition", "var", "sort"]) && !word.is_braced
        })
}

/// Splits a text into words, signs and names in braces.
fn split_words(text: &str) -> Result<Vec<ToolWord>, Unreadable> {
    let mut words = Vec::new();
    let (mut line, mut is_first_of_line) = (1, true);
    let letters: Vec<char> = text.chars().collect();
    let mut position = 0;
    while position < letters.len() {
        let start = position;
        let c = letters[position];
        position += 1;
        if c == '\n' {
            (line, is_first_of_line) = (line + 1, true);
            continue;
        }
        if c.is_whitespace() {
            continue;
        }
        if c == '#' && is_first_of_line {
            while position < letters.len() && letters[position] != '\n' {
                position += 1;
            }
            continue;
        }
        let is_name_character = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut word =
            ToolWord { line, text: String::new(), is_braced: c == '{', is_first_of_line };
        if word.is_braced {
            loop {
                match letters.get(position).copied() {
                    None => return Err(error_in_line(line, "an unclosed name in braces")),
                    Some('}') => break,
                    Some('\\') => {
                        word.text.extend(letters.get(position + 1));
                        position += 2;
                    }
                    Some(c) => {
                        line += u64::from(c == '\n');
                        word.text.push(c);
                        position += 1;
                    }
                }
            }
            position += 1;
        } else if is_name_character(c) {
            while position < letters.len() && is_name_character(letters[position]) {
                position += 1;
            }
            word.text = letters[start..position].iter().collect();
        } else {
            let next_two: String = letters[start..].iter().take(2).collect();
            let is_two_characters = ["->", "?-", "!-"].contains(&next_two.as_str());
            position += usize::from(is_two_characters);
            word.text = letters[start..position].iter().collect();
        }
        words.push(word);
        is_first_of_line = false;
    }
    Ok(words)
}

/// The declared properties of a place or transition.
#[derive(Default)]
struct NodeEntry {
    /// The initial number of tokens of a place, or `None` if no declaration gives it.
    tokens: Option<u64>,
    /// The line of the last mention.
    line: u64,
}

/// The places or the transitions of a file.
#[derive(Default)]
struct TinaNames {
    /// The names in the order of first mention.
    order: Vec<String>,
    /// The declared properties of each place or transition, by name.
    entries: BTreeMap<String, NodeEntry>,
}

impl TinaNames {
    /// Returns the entry of the name in `word`, after adding the entry if the name is new. Sets the
    /// line of the entry to that of `word`.
    fn add(&mut self, word: &ToolWord) -> &mut NodeEntry {
        if !self.entries.contains_key(&word.text) {
            self.order.push(word.text.clone());
        }
        let node_entry = self.entries.entry(word.text.clone()).or_default();
        node_entry.line = word.line;
        node_entry
    }
}

/// The nodes, arcs and labels that a file declares.
#[derive(Default)]
struct TinaNodes {
    places: TinaNames,
    transitions: TinaNames,
    /// The weight of each arc, by place, transition and kind of arc. The kinds are `*` (the
    /// transition consumes), `+` (it produces), `?` (it tests) and `?-` (it is inhibited).
    arcs: BTreeMap<(String, String, String), u64>,
    /// The labels of transitions, by name.
    labels: BTreeMap<String, String>,
    /// The labels of places, by name.
    place_labels: BTreeMap<String, String>,
}

/// Reads a net in TINA's language.
///
/// # Errors
/// A syntax error, with its line and the expected text. Also an error of the net, such as a weight
/// that is too large. Also the first time interval other than `[0,w[` or the first priority, if
/// `times` refuses times and priorities.
pub(super) fn read(text: &str, times: TimeTreatment) -> Result<ExtendedNet, Unreadable> {
    let mut words = ToolWords::new(split_words(text)?);
    let (mut nodes, mut net_name, mut node_labels) =
        (TinaNodes::default(), String::new(), Vec::new());
    let mut first_refusal = None;
    while words.peek().is_some() {
        let key = words.take("a declaration")?;
        match key.text.as_str() {
            _ if key.is_braced => return Err(key.unexpected("a declaration")),
            "net" => net_name = take_name(&mut words)?.text,
            "lb" => {
                let node = take_name(&mut words)?;
                node_labels.push((node, take_name(&mut words)?.text));
            }
            "nt" => {
                for _ in 0..3 {
                    take_name(&mut words)?;
                }
            }
            "tr" => {
                let node = take_name(&mut words)?;
                nodes.transitions.add(&node);
                if let Some(label) = take_label(&mut words)? {
                    nodes.labels.insert(node.text.clone(), label);
                }
                if words.next_is("[") || words.next_is("]") {
                    let refusal = take_interval(&mut words)?;
                    first_refusal = first_refusal.or(refusal);
                }
                take_arcs(&mut words, &mut nodes, &node, true)?;
            }
            "pl" => {
                let node = take_name(&mut words)?;
                nodes.places.add(&node);
                if let Some(label) = take_label(&mut words)? {
                    nodes.place_labels.insert(node.text.clone(), label);
                }
                if words.skip("(") {
                    let tokens = take_scaled_number(&mut words, 0)?;
                    words.expect(")")?;
                    if nodes.places.add(&node).tokens.replace(tokens).is_some() {
                        return Err(node.unexpected("at most one marking"));
                    }
                }
                take_arcs(&mut words, &mut nodes, &node, false)?;
            }
            "pr" => {
                let (mut names, mut signs) = (0, 0);
                while words.peek().is_some_and(|it| !it.is_first_of_line) {
                    let next = words.take("a transition")?;
                    match next.text.as_str() {
                        ">" | "<" if !next.is_braced => signs += 1,
                        _ => names += 1,
                    }
                }
                if names < 2 || signs != 1 {
                    return Err(
                        key.unexpected("transitions, `>` or `<`, and transitions after `pr`")
                    );
                }
                first_refusal =
                    first_refusal.or_else(|| Some(key.unexpected("no priorities, or --untimed")));
            }
            _ => return Err(key.unexpected("`net`, `tr`, `pl`, `lb`, `pr` or `nt`")),
        }
    }
    for (node, label) in node_labels {
        // If a place and a transition have the same name, the name refers to the place.
        if nodes.places.entries.contains_key(&node.text) {
            nodes.place_labels.insert(node.text, label);
            continue;
        }
        if !nodes.transitions.entries.contains_key(&node.text) {
            return Err(node.unexpected("a node of this net"));
        }
        nodes.labels.insert(node.text, label);
    }
    let net = build(&net_name, &nodes)?;
    match (first_refusal, times) {
        (None, _) => Ok(net),
        (Some(_), TimeTreatment::LeftOut) => Ok(net.assuming([Assumption::Untimed])),
        (Some(refusal), TimeTreatment::Refused) => Err(refusal),
    }
}

/// Takes a time interval. Returns the error for callers that refuse times, or `None` for the
/// interval `[0,w[`. A syntax error is returned as `Err`.
fn take_interval(words: &mut ToolWords) -> Result<Option<Unreadable>, Unreadable> {
    let mut pieces = Vec::new();
    for _ in 0..5 {
        pieces.push(words.take("an interval such as [0,w[")?);
    }
    let texts: Vec<&str> = pieces.iter().map(|it| it.text.as_str()).collect();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    match texts[..] {
        ["[", "0", ",", "w", "["] => Ok(None),
        ["[" | "]", lower_end, ",", upper_end, "[" | "]"]
            if is_number(lower_end) && (is_number(upper_end) || upper_end == "w") =>
        {
            Ok(Some(
                pieces[0]
                    .unexpected("[0,w[, no interval, or --untimed, because nets have no time here"),
            ))
        }
        _ => Err(pieces[0].unexpected("an interval such as [0,w[")),
    }
}

/// Takes a name: in braces, or of letters, digits, `_` and `'`.
fn take_name(words: &mut ToolWords) -> Result<ToolWord, Unreadable> {
    let word = words.take("a name")?;
    let is_bare_name = word.text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '\'');
    match word.is_braced || (is_bare_name && !word.text.is_empty()) {
        true => Ok(word),
        false => Err(word.unexpected("a name")),
    }
}

/// Takes a colon and a label. Returns `None` if no colon follows.
fn take_label(words: &mut ToolWords) -> Result<Option<String>, Unreadable> {
    match words.skip(":") {
        true => Ok(Some(take_name(words)?.text)),
        false => Ok(None),
    }
}

/// Takes a number of at least `least`, perhaps with a letter for a power of 1000: K, M, G, T, P or
/// E.
fn take_scaled_number(words: &mut ToolWords, least: u64) -> Result<u64, Unreadable> {
    let word = words.take("a number")?;
    let digits = word.text.trim_end_matches(['K', 'M', 'G', 'T', 'P', 'E']);
    let power = match &word.text[digits.len()..] {
        "" => Some(0),
        "K" => Some(1),
        "M" => Some(2),
        "G" => Some(3),
        "T" => Some(4),
        "P" => Some(5),
        "E" => Some(6),
        _ => None,
    };
    let is_decimal = !word.is_braced && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = power.and_then(|power| {
        digits.parse::<u64>().ok().filter(|_| is_decimal)?.checked_mul(1000u64.pow(power))
    });
    number
        .filter(|&number| number >= least && number <= Marking::MAX_TOKENS)
        .ok_or_else(|| word.unexpected("a number"))
}

/// Takes the arcs of the declared place or transition `node`: the neighbours before and after one
/// arrow. Without neighbours, no arrow is needed.
fn take_arcs(
    words: &mut ToolWords,
    nodes: &mut TinaNodes,
    node: &ToolWord,
    is_transition: bool,
) -> Result<(), Unreadable> {
    let mut arrows = 0;
    let mut has_arcs = false;
    while let Some(next) = words.peek() {
        if next.is_first_of_line && !next.is_braced && DECLARATIONS.contains(&next.text.as_str()) {
            break;
        }
        if !is_transition && !has_arcs && next.is_first_of_line && next.text != "->" {
            return Err(next.unexpected(
                "the next declaration, or the arcs of a place in the line of the place",
            ));
        }
        has_arcs = true;
        if words.skip("->") {
            arrows += 1;
            continue;
        }
        let neighbour = take_name(words)?;
        let (place, transition) =
            if is_transition { (&neighbour, node) } else { (node, &neighbour) };
        nodes.places.add(place);
        nodes.transitions.add(transition);
        let is_input = (arrows == 0) == is_transition;
        let mut sign = if is_input { "*" } else { "+" }.to_owned();
        let mut weight = 1;
        if words.skip("*") {
            weight = take_scaled_number(words, 1)?;
        } else if is_input && (words.next_is("?") || words.next_is("?-")) {
            sign = words.take("a sign")?.text;
            weight = take_scaled_number(words, 1)?;
        }
        let key = (place.text.clone(), transition.text.clone(), sign);
        if nodes.arcs.insert(key, weight).is_some() {
            return Err(neighbour.unexpected("each arc once"));
        }
    }
    match !has_arcs || arrows == 1 {
        true => Ok(()),
        false => Err(node.unexpected("one arrow after this node")),
    }
}

/// Builds the net of the declared nodes and arcs.
fn build(name: &str, nodes: &TinaNodes) -> Result<ExtendedNet, Unreadable> {
    let mut net = ExtendedBuilder::new(name);
    let (mut places, mut transitions) = (BTreeMap::new(), BTreeMap::new());
    for name_in_file in &nodes.places.order {
        let NodeEntry { tokens, line } = nodes.places.entries[name_in_file];
        let place = net.core.place(name_in_file, tokens.unwrap_or(0));
        let place = place.map_err(|error| error_in_line(line, error.to_string()))?;
        if let Some(label) = nodes.place_labels.get(name_in_file) {
            net.core.label_place(place, label);
        }
        places.insert(name_in_file, place);
    }
    let mut used_names: BTreeSet<String> = nodes.transitions.order.iter().cloned().collect();
    used_names.extend(nodes.places.order.iter().cloned());
    for name_in_file in &nodes.transitions.order {
        let mut transition_id = name_in_file.clone();
        if places.contains_key(name_in_file) {
            while used_names.contains(&transition_id) {
                transition_id.push('\'');
            }
        }
        let t = net.core.transition(&transition_id);
        let line = nodes.transitions.entries[name_in_file].line;
        let t = t.map_err(|error| error_in_line(line, error.to_string()))?;
        if let Some(label) = nodes.labels.get(name_in_file) {
            net.core.label_transition(t, label);
        }
        transitions.insert(name_in_file, t);
    }
    for ((place, transition, sign), &weight) in &nodes.arcs {
        let (p, t) = (places[place], transitions[transition]);
        let added = match sign.as_str() {
            "*" => net.core.take(t, p, weight),
            "+" => net.core.put(t, p, weight),
            "?" => net.read(t, p, weight),
            _ => net.inhibit(t, p, weight),
        };
        added.map_err(|error| {
            error_in_line(nodes.transitions.entries[transition].line, error.to_string())
        })?;
    }
    net.build().map_err(|error| error_in_line(1, error.to_string()))
}
