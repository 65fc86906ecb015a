//! Nets in the textual language of TINA (`.net`), without time and priorities.
//!
//! ```text
//! net {a net}                        # names that are not letters, digits, _ and ' stand in braces
//! tr t : label [0,w[ p*2 q?1 r?-3 -> s      # takes 2 from p, needs 1 on q, fewer than 3 on r
//! pl p : label (3K) t -> u*2                # 3,000 tokens; t puts to it, u takes 2
//! lb p label                                # the same as above
//! ```
//!
//! Nodes need no declaration of their own. Intervals other than `[0,w[`, which limits nothing, and
//! priorities (`pr a b > c`) are refused, unless the user asks to leave them out. Stopwatches (`!`)
//! are refused. An arc that is given twice is refused, too. The language does not say whether the
//! weights add up.
//!
//! # Source
//! B. Berthomieu, P.-O. Ribet, F. Vernadat, *The tool TINA*, IJPR 42(14), 2004; the manual's page
//! on formats.

use super::error::InputError;
use super::format::{ModelFormat, ReadFailure};
use super::script::{self, Script, ScriptToken, ScriptTokens, read_text, transition_name};
use parikh_net::{BuildError, ExtendedBuilder, ExtendedNet, Marking, PlaceId, TransitionId};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Place/transition nets of TINA.
pub(super) const FORMAT: ModelFormat = ModelFormat {
    name: "a net of TINA, in lines such as `tr t p -> q*2` and `pl p (1)`",
    begins,
    read: |reader, name| {
        let text = read_text(reader, name)?;
        match net(Script { file: name, text: &text })? {
            (net, None) => Ok(net.into()),
            (net, Some(refusal)) => Err(ReadFailure::Timed(Box::new((net.into(), refusal)))),
        }
    },
};

/// The keywords at the beginnings of declarations.
const KEYWORDS: [&str; 6] = ["net", "tr", "pl", "lb", "pr", "nt"];

fn begins(beginning: &[u8]) -> bool {
    let text = script::beginning(beginning);
    let lines = text.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    let words: Vec<(&str, &str)> =
        lines.filter_map(|line| Some((line.split_whitespace().next()?, line))).collect();
    let is_tina_keyword = |word: &str| KEYWORDS.contains(&word) && word != "net";
    // Parikh's own text format also has lines that begin with `net`.
    let has_foreign_keyword =
        words.iter().any(|(word, _)| matches!(*word, "place" | "transition" | "var" | "sort"));
    match words.first() {
        Some(("net", line)) => {
            !has_foreign_keyword
                && (line.contains('{') || words.iter().any(|(word, _)| is_tina_keyword(word)))
        }
        Some((word, _)) => is_tina_keyword(word),
        None => false,
    }
}

fn tokens(script: Script<'_>) -> Result<Vec<ScriptToken<'_>>, InputError> {
    let text = script.text;
    let mut tokens = Vec::new();
    let (mut offset, mut begins_line) = (0, true);
    while let Some(c) = text[offset..].chars().next() {
        let (rest, start) = (&text[offset..], offset);
        if c == '\n' || c.is_whitespace() {
            begins_line |= c == '\n';
            offset += c.len_utf8();
            continue;
        }
        if c == '#' && begins_line {
            offset += rest.find('\n').unwrap_or(rest.len());
            continue;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
        let mut token = ScriptToken {
            text: Cow::Borrowed(""),
            span: start..start,
            is_word: true,
            is_quoted: false,
            begins_line,
        };
        if c == '{' {
            let (name, length) = braced_name(rest).ok_or_else(|| {
                script.error(&(offset..offset + 1), "this name does not end, expected `}`")
            })?;
            offset += length;
            (token.text, token.is_quoted) = (Cow::Owned(name), true);
        } else if is_word(c) {
            offset += rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            token.text = Cow::Borrowed(&text[start..offset]);
        } else {
            let long_signs = ["->", "?-", "!-"].into_iter();
            let length = long_signs.filter(|sign| rest.starts_with(sign)).map(str::len).next();
            offset += length.unwrap_or(c.len_utf8());
            (token.text, token.is_word) = (Cow::Borrowed(&text[start..offset]), false);
        }
        token.span = start..offset;
        tokens.push(token);
        begins_line = false;
    }
    Ok(tokens)
}

/// Reads a name in braces, with a backslash before braces and backslashes. Also returns the number
/// of bytes read. Returns `None` if the closing brace is missing.
fn braced_name(text: &str) -> Option<(String, usize)> {
    let mut name = String::new();
    let mut escaped = false;
    for (index, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => {
                name.push(c);
                escaped = false;
            }
            '\\' => escaped = true,
            '}' => return Some((name, index + 1)),
            c => name.push(c),
        }
    }
    None
}

/// The kind of arc between a place and a transition.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum TinaArcKind {
    Input,
    Output,
    Read,
    Inhibitor,
}

/// An arc between named nodes, with its position.
struct NamedArc {
    place: String,
    transition: String,
    kind: TinaArcKind,
    weight: u64,
    span: Range<usize>,
}

#[derive(Default)]
struct TinaNode {
    label: Option<String>,
    /// The initial tokens; `None` if the file does not give a number.
    tokens: Option<u64>,
}

struct TinaReader<'t> {
    tokens: ScriptTokens<'t>,
    name: Option<String>,
    places: TinaNodeList,
    transitions: TinaNodeList,
    arcs: Vec<NamedArc>,
    /// The labels from `lb` declarations, each with the name of its node.
    labels: Vec<(ScriptToken<'t>, String)>,
    /// The error that refuses times and priorities, if there are any.
    refusal: Option<InputError>,
}

/// The nodes, in the order of first mention.
#[derive(Default)]
struct TinaNodeList {
    /// The name of each node, with the position of its first mention.
    order: Vec<(String, Range<usize>)>,
    named: HashMap<String, TinaNode>,
}

impl TinaNodeList {
    fn node(&mut self, token: &ScriptToken<'_>) -> &mut TinaNode {
        let order = &mut self.order;
        self.named.entry(token.text.to_string()).or_insert_with(|| {
            order.push((token.text.to_string(), token.span.clone()));
            TinaNode::default()
        })
    }
}

/// Reads a net without its times and priorities. Also returns the error that refuses times and
/// priorities, or `None` if the net has neither.
pub(super) fn net(script: Script<'_>) -> Result<(ExtendedNet, Option<InputError>), InputError> {
    let mut reader = TinaReader {
        tokens: ScriptTokens::new(script, tokens(script)?),
        name: None,
        places: TinaNodeList::default(),
        transitions: TinaNodeList::default(),
        arcs: Vec::new(),
        labels: Vec::new(),
        refusal: None,
    };
    while let Some(keyword) = reader.tokens.next() {
        match &*keyword.text {
            "net" if !keyword.is_quoted => {
                let name = reader.tokens.word("the name of the net")?;
                reader.name = Some(name.text.into_owned());
            }
            "tr" if !keyword.is_quoted => reader.transition()?,
            "pl" if !keyword.is_quoted => reader.place()?,
            "lb" if !keyword.is_quoted => {
                let node = reader.tokens.word("the name of a node")?;
                let label = reader.tokens.word("a label")?.text.into_owned();
                reader.labels.push((node, label));
            }
            "nt" if !keyword.is_quoted => {
                for expected in ["the name of a note", "0 or 1", "a note in braces"] {
                    reader.tokens.word(expected)?;
                }
            }
            "pr" if !keyword.is_quoted => {
                let what = "priorities are not supported, because the net without them has more \
                            runs; remove them, or ignore them with --untimed";
                reader.refusal.get_or_insert_with(|| script.error(&keyword.span, what));
                reader.priorities(&keyword)?;
            }
            _ => {
                return Err(reader
                    .tokens
                    .unexpected_token(&keyword, "`net`, `tr`, `pl`, `lb`, `pr` or `nt`"));
            }
        }
    }
    let refusal = reader.refusal.take();
    Ok((reader.finish()?, refusal))
}

impl<'t> TinaReader<'t> {
    fn transition(&mut self) -> Result<(), InputError> {
        let name = self.tokens.word("the name of a transition")?;
        self.transitions.node(&name);
        if self.tokens.take(":") {
            let label = self.tokens.word("a label")?.text.into_owned();
            self.transitions.node(&name).label = Some(label);
        }
        self.interval()?;
        self.read_arcs(&name, true)
    }

    fn place(&mut self) -> Result<(), InputError> {
        let name = self.tokens.word("the name of a place")?;
        self.places.node(&name);
        if self.tokens.take(":") {
            let label = self.tokens.word("a label")?.text.into_owned();
            self.places.node(&name).label = Some(label);
        }
        if self.tokens.take("(") {
            let tokens = self.number(0)?;
            self.tokens.expect(")")?;
            if self.places.node(&name).tokens.replace(tokens).is_some() {
                let what = format!("place `{}` is marked a second time, expected once", name.text);
                return Err(self.tokens.script.error(&name.span, what));
            }
        }
        self.read_arcs(&name, false)
    }

    /// Reads a declaration of priorities: transitions before and behind `>` or `<`.
    fn priorities(&mut self, keyword: &ScriptToken<'t>) -> Result<(), InputError> {
        let (mut names, mut signs) = (0, 0);
        while let Some(token) = self.tokens.peek().filter(|it| !it.begins_line) {
            match token.is(">") || token.is("<") {
                true => signs += 1,
                false => names += usize::from(token.is_word),
            }
            self.tokens.next();
        }
        match names >= 2 && signs == 1 {
            true => Ok(()),
            false => Err(self
                .tokens
                .unexpected_token(keyword, "transitions, `>` or `<`, and transitions")),
        }
    }

    /// Reads an interval of firing times, if the next token begins one. Records the error that
    /// refuses times, except for the interval `[0,w[`, which allows all times. Returns an error if
    /// the interval is malformed.
    fn interval(&mut self) -> Result<(), InputError> {
        let Some(first) = self.tokens.peek().filter(|it| it.is("[") || it.is("]")).cloned() else {
            return Ok(());
        };
        let mut pieces = Vec::new();
        while pieces.len() < 5 {
            let Some(token) = self.tokens.next() else { break };
            pieces.push(token);
        }
        let texts: Vec<&str> = pieces.iter().map(|token| &*token.text).collect();
        if texts == ["[", "0", ",", "w", "["] {
            return Ok(());
        }
        let span = first.span.start..pieces.last().map_or(first.span.end, |last| last.span.end);
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
        let is_interval = match texts[..] {
            ["[" | "]", first, ",", last, "[" | "]"] => {
                is_number(first) && (is_number(last) || last == "w")
            }
            _ => false,
        };
        if !is_interval {
            let what = "expected an interval of time such as [0,w[ or [2,5]";
            return Err(self.tokens.script.error(&span, what));
        }
        let what = "this transition has a time interval, expected none or [0,w[, because the net \
                    without times has more runs; remove the intervals, or ignore them with \
                    --untimed";
        let script = self.tokens.script;
        self.refusal.get_or_insert_with(|| script.error(&span, what));
        Ok(())
    }

    /// Reads the nodes before and after the arrow of a declaration, and adds the arcs between these
    /// nodes and `node`. Reads nothing if the declaration has no arrow and no nodes.
    fn read_arcs(&mut self, node: &ScriptToken<'t>, is_transition: bool) -> Result<(), InputError> {
        let ends_declaration = |token: Option<&ScriptToken<'_>>| {
            token.is_none_or(|it| it.begins_line && !it.is_quoted && KEYWORDS.contains(&&*it.text))
        };
        if ends_declaration(self.tokens.peek()) {
            return Ok(());
        }
        // Most places have no arcs of their own, so a word at the beginning of the next line is a
        // misspelt keyword.
        if !is_transition && self.tokens.peek().is_some_and(|it| it.begins_line && !it.is("->")) {
            let expected =
                "`tr`, `pl`, `lb`, `nt`, or the arcs of a place in the line of the place";
            return Err(self.tokens.instead_of(expected));
        }
        for is_before_arrow in [true, false] {
            while !ends_declaration(self.tokens.peek())
                && !self.tokens.peek().is_some_and(|it| it.is("->"))
            {
                let expected =
                    if is_transition { "a place, or `->`" } else { "a transition, or `->`" };
                let neighbour = self.tokens.word(expected)?;
                // In `tr t a -> b`, the arc from `a` leads into `t`. In `pl p a -> b`, the arc from
                // `p` leads into `b`.
                let into_transition = is_before_arrow == is_transition;
                let (kind, weight) = self.kind(into_transition)?;
                let (place, transition) = match is_transition {
                    true => (&neighbour, node),
                    false => (node, &neighbour),
                };
                self.places.node(place);
                self.transitions.node(transition);
                let (place, transition) = (place.text.to_string(), transition.text.to_string());
                self.arcs.push(NamedArc { place, transition, kind, weight, span: neighbour.span });
            }
            if is_before_arrow {
                self.tokens.expect("->")?;
            } else if self.tokens.peek().is_some_and(|it| it.is("->")) {
                return Err(self
                    .tokens
                    .instead_of("only one arrow, followed by the next declaration"));
            }
        }
        Ok(())
    }

    /// Reads the kind and the weight of an arc, behind the name of a node.
    fn kind(&mut self, into_transition: bool) -> Result<(TinaArcKind, u64), InputError> {
        let normal = if into_transition { TinaArcKind::Input } else { TinaArcKind::Output };
        if self.tokens.take("*") {
            return Ok((normal, self.number(1)?));
        }
        let Some(sign) =
            self.tokens.peek().filter(|it| ["?", "?-", "!", "!-"].iter().any(|s| it.is(s)))
        else {
            return Ok((normal, 1));
        };
        let sign = sign.clone();
        if !into_transition {
            return Err(self.tokens.unexpected_token(
                &sign,
                "an arc from a place, because output arcs of a transition only add tokens",
            ));
        }
        if sign.text.starts_with('!') {
            let what = "stopwatch arcs are not supported, because Parikh's nets have no time";
            return Err(self.tokens.script.error(&sign.span, what));
        }
        self.tokens.next();
        let kind = if sign.text == "?" { TinaArcKind::Read } else { TinaArcKind::Inhibitor };
        Ok((kind, self.number(1)?))
    }

    /// Reads a number, perhaps with a letter for thousands, millions, and so on.
    fn number(&mut self, min: u64) -> Result<u64, InputError> {
        let expected = format!("a whole number from {min} to 2^63 - 1, such as 12 or 3K");
        let token = self.tokens.word(&expected)?;
        let digits = token.text.trim_end_matches(|c: char| "KMGTPE".contains(c));
        let factor = match &token.text[digits.len()..] {
            "" => Some(1),
            letter => ["K", "M", "G", "T", "P", "E"]
                .iter()
                .position(|known| *known == letter)
                .map(|at| 1000u64.pow(at as u32 + 1)),
        };
        let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = digits.parse::<u64>().ok().filter(|_| is_plain && !token.is_quoted);
        let number = number.zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        number
            .filter(|number| (min..=Marking::MAX_TOKENS).contains(number))
            .ok_or_else(|| self.tokens.unexpected_token(&token, &expected))
    }

    fn finish(mut self) -> Result<ExtendedNet, InputError> {
        let script = self.tokens.script;
        for (node, label) in std::mem::take(&mut self.labels) {
            let nodes = [&mut self.places, &mut self.transitions];
            let named = nodes.into_iter().find_map(|nodes| nodes.named.get_mut(&*node.text));
            match named {
                Some(named) => named.label = Some(label),
                None => {
                    return Err(self
                        .tokens
                        .unexpected_token(&node, "a place or transition of this net"));
                }
            }
        }
        let mut builder = ExtendedBuilder::new(self.name.unwrap_or_default());
        let build_error =
            |span: &Range<usize>, problem: BuildError| script.build_error(span, &problem);
        let (mut places, mut transitions) = (HashMap::new(), HashMap::new());
        for (name, span) in &self.places.order {
            let node = &self.places.named[name];
            let place = builder.core.place(name, node.tokens.unwrap_or(0));
            let place: PlaceId = place.map_err(|problem| build_error(span, problem))?;
            if let Some(label) = &node.label {
                builder.core.label_place(place, label);
            }
            places.insert(name.as_str(), place);
        }
        for (name, span) in &self.transitions.order {
            let named = &self.transitions.named;
            let unique_name =
                transition_name(name, |it| places.contains_key(it), |it| named.contains_key(it));
            let t = builder.core.transition(&unique_name);
            let t: TransitionId = t.map_err(|problem| build_error(span, problem))?;
            if let Some(label) = &named[name].label {
                builder.core.label_transition(t, label);
            }
            transitions.insert(name.as_str(), t);
        }
        let mut seen_arcs = HashSet::new();
        for arc in &self.arcs {
            let (p, t) = (places[arc.place.as_str()], transitions[arc.transition.as_str()]);
            if !seen_arcs.insert((p, t, arc.kind)) {
                let what = format!(
                    "the arc between `{}` and `{}` is given a second time, expected once; write the sum as \
                     its weight",
                    arc.place, arc.transition
                );
                return Err(script.error(&arc.span, what));
            }
            let added = match arc.kind {
                TinaArcKind::Input => builder.core.take(t, p, arc.weight),
                TinaArcKind::Output => builder.core.put(t, p, arc.weight),
                TinaArcKind::Read => builder.read(t, p, arc.weight),
                TinaArcKind::Inhibitor => builder.inhibit(t, p, arc.weight),
            };
            added.map_err(|problem| build_error(&arc.span, problem))?;
        }
        builder.build().map_err(|problem| build_error(&(0..0), problem))
    }
}
