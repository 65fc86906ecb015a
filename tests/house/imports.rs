//! Finds the names of its own crate that a file mentions.

use std::path::Path;

/// A path from the root of a crate, as a list of names.
pub(super) type Route = Vec<String>;

/// A mention of an item in the same crate.
#[derive(Debug)]
pub(super) struct Mention {
    /// The line number, from 1.
    pub(super) line: usize,
    /// The mentioned item.
    pub(super) route: Route,
    /// True for a re-export (`pub use`).
    pub(super) handed_on: bool,
}

/// Returns the code lines of a file without its tests, with their numbers.
pub(super) fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    // By convention, tests come last in a file, and their imports are unrestricted.
    text.lines()
        .enumerate()
        .map(|(at, line)| (at + 1, line))
        .take_while(|(_, line)| line.trim() != "#[cfg(test)]")
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Returns the module of a file: `src/engine/walk/mod.rs` of the crate in `src` is `engine::walk`.
pub(super) fn module(path: &Path, root: &str) -> Route {
    let path = path.strip_prefix(root).expect("in its crate").with_extension("");
    let mut module: Route =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    module.pop_if(|last| last == "mod" || last == "lib");
    module
}

/// Returns the mentions in the text of `module`: all `crate::…`, `self::…` and `super::…`, and
/// paths that begin with a child module known to `is_below`.
pub(super) fn mentions(
    module: &[String],
    text: &str,
    is_below: impl Fn(&str) -> bool,
) -> Vec<Mention> {
    // A `use` may span several lines, so lines are joined.
    let mut whole = String::new();
    let mut starts = Vec::new();
    for (number, line) in code(text) {
        starts.push((whole.len(), number));
        whole.push_str(line);
        whole.push('\n');
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < whole.len() {
        let rest = &whole[at..];
        let first = name(rest);
        if first.is_empty() {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let is_continued = whole[..at].ends_with([':', '.', '$', '\'']);
        let begins = ["crate", "self", "super"].contains(&first) || is_below(first);
        if is_continued || !begins || !rest[first.len()..].starts_with("::") {
            at += first.len();
            continue;
        }
        let (line_at, line) = starts[starts.partition_point(|(start, _)| *start <= at) - 1];
        let statement = whole[line_at..at].trim_start();
        let handed_on = statement.starts_with("pub") && statement.trim_end().ends_with(" use");
        let mut routes = Vec::new();
        at += tree(rest, &[], &mut routes);
        let routes = routes.into_iter().map(|route| absolute(module, route));
        found.extend(routes.map(|route| Mention { line, route, handed_on }));
    }
    found
}

/// Returns the name at the beginning of a text.
fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// Parses `a::b`, or all of `a::{b, c::{d, e}}`. Returns the length of the parsed text.
fn tree(text: &str, before: &[&str], routes: &mut Vec<Route>) -> usize {
    let mut route = before.to_vec();
    let mut at = 0;
    loop {
        if text[at..].starts_with('{') {
            at += 1;
            while at < text.len() && !text[at..].starts_with('}') {
                let read = tree(&text[at..], &route, routes);
                // Commas and spaces are separators.
                at += read.max(1);
            }
            return at + 1;
        }
        let part = name(&text[at..]);
        at += part.len();
        if part.is_empty() {
            break;
        }
        // In a list, `self` means the path before the list.
        if part != "self" || route.is_empty() {
            route.push(part);
        }
        if !text[at..].starts_with("::") {
            break;
        }
        at += 2;
    }
    if at > 0 && route.len() > before.len() || text.starts_with("self") {
        routes.push(route.into_iter().map(str::to_owned).collect());
    }
    at
}

/// Resolves a route written in `module` to a route from the root of the crate.
fn absolute(module: &[String], route: Route) -> Route {
    let mut base = module;
    let mut rest = &route[..];
    if rest[0] == "crate" {
        return rest[1..].to_vec();
    }
    if rest[0] == "self" {
        rest = &rest[1..];
    }
    while let Some((_, behind)) = rest.split_first().filter(|(first, _)| *first == "super") {
        base = &base[..base.len().saturating_sub(1)];
        rest = behind;
    }
    [base, rest].concat()
}

#[test]
fn mentions_are_found_however_they_are_written() {
    let text = "//! [`crate::cli`]\nuse crate::{\n    board::Board,\n    engine::{Task, walk::{self, Walk}},\n};\n\
                use super::super::stage;\npub(crate) use below::Shown;\n\
                fn f() { crate::answer::Plan::new(); other::below::g() }\n\
                #[cfg(test)]\nmod tests { use crate::cli; }\n";
    let path = Path::new("src/engine/walk/mod.rs");
    let module = module(path, "src");
    assert_eq!(module, ["engine", "walk"]);
    let found = mentions(&module, text, |name| name == "below");
    let routes: Vec<String> = found.iter().map(|mention| mention.route.join("::")).collect();
    let expected = [
        "board::Board",
        "engine::Task",
        "engine::walk",
        "engine::walk::Walk",
        "stage",
        "engine::walk::below::Shown",
        "answer::Plan::new",
    ];
    assert_eq!(routes, expected);
    assert_eq!((found[0].line, found[4].line), (2, 6));
    let handed_on: Vec<bool> = found.iter().map(|mention| mention.handed_on).collect();
    assert_eq!(handed_on, [false, false, false, false, false, true, false]);
}
